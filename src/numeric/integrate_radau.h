// integrate_radau.h: tables and data of the Radau IIA methods, shared by integrate_radau*.c.
#ifndef SPRAG_NUMERIC_INTEGRATE_RADAU_H
#define SPRAG_NUMERIC_INTEGRATE_RADAU_H

#include "integrate_private.h"
#include "shifted.h"

enum { RADAU_TABLES = 3, RADAU_MAX_STAGES = 7, RADAU_MAX_PAIRS = 3 };

// What integrate_radau_tables.c explains; matrices are row-major.
typedef struct RadauTable {
    int stages;
    const double *nodes, *matrix;
    const double *shifts; // γ, then α, β of each pair
    const double *transform, *inverse;
    const double *defect;
} RadauTable;

extern const RadauTable sprag_radau_tables[RADAU_TABLES];

// The implicit part of an integrator. Stage arrays have the width of the integrator's arrays.
typedef struct Radau {
    const RadauTable *table;               // of the step made last, or being tried
    double *Z[RADAU_MAX_STAGES];           // stage minus state at the begin of the step
    double *W[RADAU_MAX_STAGES];           // T⁻¹ Z
    double *F[RADAU_MAX_STAGES];           // f at the stages
    double *D[RADAU_MAX_STAGES];           // residual, then increment of W
    double *weights;                       // 1/(absolute + relative |y|), at the begin of the step
    double *error, *work;                  // n, 2 n
    double *J;                             // n × n, row-major
    ShiftedSystem system;                  // J sorted
    ShiftedFactors real;                   // for γ/h
    ShiftedFactors pairs[RADAU_MAX_PAIRS]; // for (α + iβ)/h
    int *integers;                         // owned

    bool has_jacobian;   // J is from this arc
    bool fresh_jacobian; // and from the begin of the step
    double factored_h;   // signed step of the factors, 0: none
    const RadauTable *factored_table;

    bool has_predictor; // dense holds the step before this one:
    double predictor_h;
    const RadauTable *predictor_table;

    double contraction; // of Newton's iteration, last step
    double convergence; // θ/(1 − θ) of the last step
    int iterations;     // of the last attempt
    double shrink;      // factor for the next attempt after a failed iteration, 0: none failed
    bool rejected;      // the attempt before this one was
    double accepted_h, accepted_error; // of the last accepted step on this arc, 0: none
} Radau;

// J at the begin of the step, sorted. Returns the code of f, or of the caller's Jacobian.
int sprag_radau_jacobian(SpragIntegrator *integrator, bool *finite);

#endif
