// complementarity.h: LCPs and small linear programs on plain matrices. No mechanics.
#ifndef SPRAG_COMPLEMENTARITY_H
#define SPRAG_COMPLEMENTARITY_H

#include "sprag/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Linear programs ----------------------------------------------------------------------------

typedef enum SpragLpStatus {
    SPRAG_LP_OPTIMAL,
    SPRAG_LP_INFEASIBLE,
    SPRAG_LP_UNBOUNDED,
    SPRAG_LP_LIMIT // too many pivots: nothing is known
} SpragLpStatus;

// maximise cᵀx subject to rows A x ≤ b (the first inequality_count rows) and A x = b (the rest); x
// is free.
typedef struct SpragLp {
    int variable_count;
    int inequality_count;
    int equality_count;
    const double *A; // (inequality_count + equality_count) × variable_count
    const double *b;
    const double *c; // NULL: any feasible point will do
} SpragLp;

// Dense simplex with Bland's rule in doubt: for the small programs of contact problems. tolerance
// is relative to the largest entry of each row. x (variable_count) receives the point. Scratch
// comes from arena.
SPRAG_MUST_USE SpragStatus sprag_lp_solve(SpragArena *arena, const SpragLp *problem,
                                          double tolerance, double *x, double *value,
                                          SpragLpStatus *status);

// The same over one feasible set for several objectives (objective_count × variable_count, row by
// row; problem->c is not read): maxima receives the greatest value of each, INFINITY where it is
// unbounded. *status is OPTIMAL, or INFEASIBLE or LIMIT: then maxima are not set.
SPRAG_MUST_USE SpragStatus sprag_lp_maxima(SpragArena *arena, const SpragLp *problem,
                                           double tolerance, int objective_count,
                                           const double *objectives, double *maxima,
                                           SpragLpStatus *status);

// ---- Least distance -----------------------------------------------------------------------------

// The point of {y : G y ≥ h} (row_count × n) that is nearest to the origin, by non-negative least
// squares [LawsonHanson1995, Alg. 23.27]. False in *feasible: the set is empty. Scratch comes from
// arena.
SPRAG_MUST_USE SpragStatus sprag_least_distance(SpragArena *arena, int row_count, int n,
                                                const double *G, const double *h, double *y,
                                                bool *feasible);

#ifdef __cplusplus
}
#endif

#endif
