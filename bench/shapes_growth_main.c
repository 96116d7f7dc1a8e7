// shapes_growth_main.c: the second half of bench_shapes where its peers are not installed.
#include <stddef.h>

#include "shapes_growth.h"

int main(int argc, char **argv)
{
    shapes_growth(argc > 1 ? argv[1] : NULL);
    return 0;
}
