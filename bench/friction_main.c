// friction_main.c: bench_friction [--peer SECONDS] SCENE…
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stdbool.h>

#include "calibrate.h"
#include "friction_table.h"

int main(int argc, char **argv)
{
    bool given = argc > 2 && strcmp(argv[1], "--peer") == 0;
    printf("calib %.2f ns\n", calibrate());
    return friction_table(given ? atof(argv[2]) : 2, argc - (given ? 3 : 1),
                          argv + (given ? 3 : 1));
}
