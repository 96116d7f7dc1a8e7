// main.c: the command line.
#include <stdio.h>

#include "sprag/sprag.h"

int main(void)
{
    printf("sprag %s\n", sprag_version());
    return 0;
}
