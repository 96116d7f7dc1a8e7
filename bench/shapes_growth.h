// shapes_growth.h: the cost of an event against bodies and contacts, printed.
#ifndef SPRAG_BENCH_SHAPES_GROWTH_H
#define SPRAG_BENCH_SHAPES_GROWTH_H

// only: one case by its name; NULL: all.
void shapes_growth(const char *only);

#endif
