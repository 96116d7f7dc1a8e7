// integrate_radau.h: tables and data of the Radau IIA methods, shared by integrate_radau*.c.
#ifndef SPRAG_NUMERIC_INTEGRATE_RADAU_H
#define SPRAG_NUMERIC_INTEGRATE_RADAU_H

#include <math.h>

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
    const double *newton;
    const double *correction; // stages + 1
    double spread;
} RadauTable;

extern const RadauTable sprag_radau_tables[RADAU_TABLES];
extern const double sprag_radau_matrix3[9], sprag_radau_matrix5[25], sprag_radau_matrix7[49];
extern const double sprag_radau_nodes3[3], sprag_radau_nodes5[5], sprag_radau_nodes7[7];

// A collocation polynomial: coefficients of Newton's form, of y(t_begin + s h) − y(t_end).
typedef struct RadauPolynomial {
    const RadauTable *table;
    double h;
    double *coefficients[RADAU_MAX_STAGES];
} RadauPolynomial;

// The implicit part of an integrator. Stage arrays have the width of the integrator's arrays.
typedef struct Radau {
    const RadauTable *table;               // of the step made last, or being tried
    double *Z[RADAU_MAX_STAGES];           // stage minus state at the begin of the step
    double *W[RADAU_MAX_STAGES];           // T⁻¹ Z
    double *F[RADAU_MAX_STAGES];           // f at the stages
    double *D[RADAU_MAX_STAGES];           // residual, then increment of W
    double *weights;                       // 1/(absolute + relative |y|), at the begin of the step
    double *core_weights;                  // the same, 0 for passive components
    double *error, *work;                  // n, 2 n
    double *J;                             // n × n, row-major
    ShiftedSystem system;                  // J sorted
    ShiftedFactors real;                   // for γ/h
    ShiftedFactors pairs[RADAU_MAX_PAIRS]; // for (α + iβ)/h
    int *integers;                         // owned
    RadauPolynomial step, before;          // of this step, and of the one before
    bool has_predictor;                    // `before` leads to the begin of this step

    bool has_jacobian;   // J is from this arc
    bool fresh_jacobian; // and from this step
    bool ahead_jacobian; // from a state that was predicted
    double factored_h;   // signed step of the factors, 0: none
    const RadauTable *factored_table;

    double contraction; // θ of Newton's iteration, last attempt
    double convergence; // θ/(1 − θ) of the last that converged
    double part;        // of the tolerance to which stages are solved
    int iterations;     // of the last attempt
    double shrink;      // factor for the next attempt after a failed iteration, 0: none failed
    bool rejected;      // the attempt before this one was
    double accepted_h, accepted_error; // of the last accepted step on this arc, 0: none
} Radau;

// How an iteration ended.
typedef enum Newton { NEWTON_CONVERGED, NEWTON_SLOW, NEWTON_NOT_FINITE } Newton;

int sprag_radau_most_iterations(const RadauTable *table);
// J for the step, sorted. Returns the code of f, or of the caller's Jacobian.
int sprag_radau_jacobian(SpragIntegrator *integrator, bool *finite);
// The stages Z of the step h. Returns the first non-zero code of f or of the Jacobian.
int sprag_radau_solve_stages(SpragIntegrator *integrator, double h, Newton *end);
// out_i = Σ_j M_ij in_j, for arrays of `width` entries.
void sprag_radau_transform(int stages, int width, const double *M, double *const *in,
                           double *const *out);

// The polynomial at the fraction s of its step: all components, and one.
void sprag_radau_evaluate(const RadauPolynomial *polynomial, double s, int width, double *y);
static inline double radau_polynomial(const RadauPolynomial *polynomial, double s, int i)
{
    const double *nodes = polynomial->table->nodes;
    int last = polynomial->table->stages - 1;
    double sum = polynomial->coefficients[last][i];
    for (int j = last - 1; j >= 0; j--)
        sum = polynomial->coefficients[j][i] + (s - nodes[last - j - 1]) * sum;
    return (s - 1.0) * sum;
}

// Whether the polynomial of the step before tells something of a step h. Far beyond its end (a step
// cut short at a stop, then one of full length) it is its own rounding errors, magnified.
static inline bool radau_predicts(const Radau *radau, double h)
{
    const double farthest = 20;
    return radau->has_predictor && fabs(h) <= farthest * fabs(radau->before.h);
}

#endif
