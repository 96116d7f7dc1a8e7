// shifted.h: linear systems (μ I − J) x = r for several shifts μ and one J; for integrate_radau.c.
#ifndef SPRAG_NUMERIC_SHIFTED_H
#define SPRAG_NUMERIC_SHIFTED_H

#include "sprag/base.h"

// J sorted by the shape of its rows and columns. Blocks are column-major.
typedef struct ShiftedSystem {
    int core_count, simple_count, passive_count;
    int *core;              // rows solved by factors
    int *simple;            // rows with one entry, slope[k] in the column of core row target[k]
    int *passive;           // columns without entries: they follow from the others
    int *target;            // simple_count
    double *slope;          // simple_count
    double *direct;         // core × core: J there
    double *through;        // core × core: J of the simple columns times their slopes
    double *core_simple;    // core × simple
    double *passive_core;   // passive × core
    double *passive_simple; // passive × simple
} ShiftedSystem;

// μ and the factors of what is left for the core rows.
typedef struct ShiftedFactors {
    double shift, shift_imaginary;
    double *real, *imaginary; // core × core, column-major; imaginary NULL for a real shift
    int *pivots;
} ShiftedFactors;

// Numbers of doubles and ints that sprag_shifted_carve hands out.
size_t sprag_shifted_doubles(int n);
size_t sprag_shifted_integers(int n);
void sprag_shifted_carve(ShiftedSystem *system, int n, double *doubles, int *integers);

// Sorts J (n × n, row-major).
void sprag_shifted_sort(ShiftedSystem *system, int n, const double *J);

// Factors μ I − J, μ real or μ = shift + i shift_imaginary ≠ 0 as in *factors. False if singular.
bool sprag_shifted_factor(const ShiftedSystem *system, ShiftedFactors *factors);
// Replaces x (and y: the imaginary part) by the solution; work has room for 2 n.
void sprag_shifted_solve(const ShiftedSystem *system, const ShiftedFactors *factors,
                         double *restrict x, double *restrict work);
void sprag_shifted_solve_complex(const ShiftedSystem *system, const ShiftedFactors *factors,
                                 double *restrict x, double *restrict y, double *restrict work);

#endif
