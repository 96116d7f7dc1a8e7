// impact_bearing.c: friction of joints in a collision.
// Problem   a collision presses the bearings of joints with impulses P_N, and they rub with
//           |P_T| ≤ μ |P_N| against the slip after it, theory.md (9.37)
// Method    with all P_T given the bearings are bilateral rows, which every scheme eliminates; each
//           P_T in turn takes what ends its slip, as far as its cone goes, until none changes
// Result    where that does not settle the bearings are without friction in this collision
#include <math.h>
#include <string.h>

#include "impact_private.h"

enum { MOST_SWEEPS = 200 };
// Changes of P_T below this part of the largest impulse are none.
static const double SETTLED = 1e-12;

static bool rubs(const SpragConstraint *item)
{
    return item->kind == SPRAG_CONSTRAINT_BEARING && item->friction > 0;
}

bool impact_has_bearings(const SpragContactProblem *problem)
{
    for (int c = 0; c < problem->constraint_count; c++)
        if (rubs(&problem->constraints[c]))
            return true;
    return false;
}

// The same collision with bearings that do not rub, under the impulses `given` (rows).
static void load(const SpragContactProblem *problem, const double *given,
                 SpragContactProblem *smooth)
{
    int n = problem->row_count;
    for (int c = 0; c < problem->constraint_count; c++)
        if (rubs(&problem->constraints[c]))
            smooth->constraints[c].friction = 0;
    for (int r = 0; r < n; r++) {
        smooth->b[r] = problem->b[r];
        for (int s = 0; s < n; s++)
            smooth->b[r] += problem->W[r * n + s] * given[s];
    }
}

// Impulses of friction against what is left of the slips; returns the largest change.
static double rub(const SpragContactProblem *problem, const double *impulse, const double *after,
                  double *given)
{
    double change = 0;
    for (int c = 0; c < problem->constraint_count; c++) {
        const SpragConstraint *item = &problem->constraints[c];
        int r = item->row + item->row_count - 1;
        double w = problem->W[(size_t)r * (size_t)(problem->row_count + 1)];
        if (!rubs(item) || !(w > 0))
            continue;
        double bound = item->friction * sprag_constraint_pressure(item, impulse + item->row);
        double next = fmin(fmax(given[r] - after[r] / w, -bound), bound);
        change = fmax(change, fabs(next - given[r]));
        given[r] = next;
    }
    return change;
}

static double largest(const double *values, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(values[i]));
    return most;
}

// The account of the whole collision, and what the bearings have taken.
static void account(SpragImpact *impact, const SpragContactProblem *problem, const double *given,
                    double *impulse, const double *after, SpragCollisionResult *result)
{
    result->energy_loss = 0;
    for (int r = 0; r < problem->row_count; r++) {
        impulse[r] += given[r];
        result->energy_loss -= 0.5 * impulse[r] * (after[r] + problem->b[r]);
    }
    for (int c = 0; c < problem->constraint_count; c++) {
        const SpragConstraint *item = &problem->constraints[c];
        int r = item->row + item->row_count - 1;
        if (rubs(item))
            impact->contacts[c].loss.tangential_compression =
                -0.5 * impulse[r] * (after[r] + problem->b[r]);
    }
}

SpragStatus impact_collide_bearings(SpragImpact *impact, const SpragContactProblem *problem,
                                    const SpragImpactRule *rules, SpragImpactScheme scheme,
                                    double *impulse, double *after, SpragCollisionResult *result)
{
    SpragContext *context = problem->context;
    size_t n = (size_t)problem->row_count, m = (size_t)problem->constraint_count;
    SpragContactProblem smooth = *problem; // shares W
    smooth.constraints = sprag_alloc(context, m, sizeof *smooth.constraints);
    double *given = sprag_alloc(context, 2 * n, sizeof *given);
    SpragStatus status = smooth.constraints && given ? SPRAG_OK : SPRAG_ERROR_MEMORY;
    double change = INFINITY;
    if (status == SPRAG_OK) {
        memcpy(smooth.constraints, problem->constraints, m * sizeof *smooth.constraints);
        smooth.b = given + n;
    }
    for (int sweep = 0; status == SPRAG_OK && sweep <= MOST_SWEEPS; sweep++) {
        if (sweep == MOST_SWEEPS)
            memset(given, 0, n * sizeof *given);
        load(problem, given, &smooth);
        status = sprag_impact_collide(impact, &smooth, rules, scheme, impulse, after, result);
        if (status != SPRAG_OK || !result->found || sweep == MOST_SWEEPS)
            break;
        double size = fmax(largest(impulse, (int)n), largest(given, (int)n));
        double *next = smooth.b; // filled anew before it is used again
        memcpy(next, given, n * sizeof *given);
        change = rub(problem, impulse, after, next);
        if (change <= SETTLED * size)
            break;
        memcpy(given, next, n * sizeof *given);
    }
    if (status == SPRAG_OK && result->found)
        account(impact, problem, given, impulse, after, result);
    sprag_free(context, given);
    sprag_free(context, smooth.constraints);
    return status;
}
