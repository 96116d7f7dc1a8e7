// friction_table.h: the table of bench_friction, which bench_stepping prints too.
#ifndef SPRAG_BENCH_FRICTION_TABLE_H
#define SPRAG_BENCH_FRICTION_TABLE_H

// Friction problems of piles, to 1e-4 and 1e-8, beside Siconos with `budget` seconds a method.
// Without scenes a wall of bricks and a stack are taken.
int friction_table(double budget, int count, char **scenes);

#endif
