// qp_internal.h: what the QP methods share.
#ifndef SPRAG_QP_INTERNAL_H
#define SPRAG_QP_INTERNAL_H

#include "lcp_internal.h"
#include "sprag/numeric.h"

// The form of theory.md (3.6): min ½ xᵀQx + cᵀx, H x ≤ K, x ≥ 0, with original x = origin + map x.
typedef struct QpStandard {
    int n, rows;
    double *Q, *c, *H, *K;
    double *origin; // of the original problem
    int *source;    // per variable: the original one
    double *sign;   // per variable: +1 or −1
} QpStandard;

// Everything from the arena; NULL-safe: SPRAG_ERROR_MEMORY.
SPRAG_MUST_USE SpragStatus qp_standard_build(SpragArena *arena, const SpragQp *problem,
                                             QpStandard *standard);
// Original x and multipliers (may be NULL) from those of the standard form.
void qp_standard_return(const SpragQp *problem, const QpStandard *standard, const double *x,
                        const double *u, double *x_original, double *multipliers);

typedef struct QpRun {
    SpragContext *context;
    SpragArena *arena;
    const SpragQp *problem;
    double tolerance;
    int max_iterations;
    double *x, *multipliers; // n, rows of H
    SpragQpStatus status;
    int iterations;
} QpRun;

typedef SpragStatus QpMethod(QpRun *run);
QpMethod qp_active_set, qp_wolfe, qp_lcp;

// The feasible set as rows A x ≤ b, then = b, for sprag_lp_solve, with room for `extra` rows more
// in each part.
typedef struct QpRows {
    int inequality_count, equality_count;
    double *A, *b;
    int *kind; // per inequality: row of H, or −1 − i lower, −1 − n − i upper bound of x_i
} QpRows;
SPRAG_MUST_USE SpragStatus qp_rows_build(SpragArena *arena, const SpragQp *problem,
                                         int extra_inequalities, int extra_equalities,
                                         QpRows *rows);
// A feasible point in x; *feasible false if there is none.
SPRAG_MUST_USE SpragStatus qp_feasible_point(SpragArena *arena, const SpragQp *problem, double *x,
                                             bool *feasible);
double qp_lower(const SpragQp *problem, int i);
double qp_upper(const SpragQp *problem, int i);

// Intervals of all variables over the solutions, and the dimension of the solution set.
SPRAG_MUST_USE SpragStatus qp_ranges(SpragArena *arena, const SpragQp *problem, const double *x,
                                     double *low, double *high, int *dimension);

#endif
