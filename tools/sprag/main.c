// main.c: the command line.
#include <stdio.h>

#include "sprag/sprag.h"

int main(int argc, char **argv)
{
    (void)argc, (void)argv;
    printf("sprag %s\n", sprag_version());
    return 0;
}
