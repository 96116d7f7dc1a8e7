// impact.c: plastic collisions.
// Problem   u⁺ = W P + u⁻ with restitution 0, theory.md section 10
// Method    one contact: Routh's path in impulse space to the end of compression (10.5)–(10.9),
// (10.14)–(10.16);
//           several: the velocity-level problem 0 ≤ P_N ⟂ u_N⁺ ≥ 0 with Coulomb friction on u_T⁺,
//           which is a contact problem at rest with velocities in place of accelerations, so the
//           search over modes gives all its solutions; it has one always (theory.md 11.2), and
//           never gains energy
#include <math.h>
#include <string.h>

#include "sprag/impact.h"

struct SpragImpact {
    SpragContext *context;
    SpragMotionSearch *search;
    SpragContactProblem copy; // constraints at rest, b = u⁻
};

const char *sprag_impact_law_name(SpragImpactLaw law)
{
    return law == SPRAG_IMPACT_ROUTH_PLASTIC ? "plastic, Routh's path" : "plastic, velocity level";
}

SpragStatus sprag_impact_create(SpragContext *context, SpragImpact **impact)
{
    *impact = NULL;
    SpragImpact *created = sprag_alloc(context, 1, sizeof *created);
    if (!created)
        return SPRAG_ERROR_MEMORY;
    created->context = context;
    sprag_contact_problem_init(&created->copy, context);
    SpragStatus status = sprag_motion_search_create(context, &created->search);
    if (status != SPRAG_OK) {
        sprag_impact_destroy(created);
        return status;
    }
    *impact = created;
    return SPRAG_OK;
}

void sprag_impact_destroy(SpragImpact *impact)
{
    if (!impact)
        return;
    sprag_motion_search_destroy(impact->search);
    sprag_contact_problem_destroy(&impact->copy);
    sprag_free(impact->context, impact);
}

// ---- One contact: Routh's path ------------------------------------------------------------------

// Data of theory.md (10.1)–(10.4) and the path so far.
typedef struct Path {
    double i1, i2, i3;
    double mu, mu_static;
    double S, C;   // slip and approach velocity now
    double P, P_x; // normal and tangential impulse so far
    double normal_loss, friction_loss;
} Path;

// Moves along the path by a normal impulse dP: slopes of (10.8), losses of (10.15), (10.16).
static void advance(Path *path, double dP, double S_slope, double C_slope, double x_slope)
{
    double S = path->S + S_slope * dP, C = path->C + C_slope * dP;
    path->normal_loss -= 0.5 * (path->C + C) * dP;
    path->friction_loss -= 0.5 * (path->S + S) * x_slope * dP;
    path->S = S;
    path->C = C;
    path->P += dP;
    path->P_x += x_slope * dP;
}

// Slip in direction k until compression ends or the slip stops; true if compression has ended.
static bool slide(Path *path, int k)
{
    double A = path->mu * path->i1 + k * path->i3, B = path->i2 + k * path->mu * path->i3;
    double to_stop = A > 0 ? fabs(path->S) / A : INFINITY;
    double to_end = B > 0 ? -path->C / B : INFINITY;
    bool ends = to_end <= to_stop;
    advance(path, ends ? to_end : to_stop, -k * A, B, -k * path->mu);
    if (ends)
        path->C = 0;
    else
        path->S = 0;
    return ends;
}

static void routh_plastic(const SpragContactProblem *problem, double *impulse, double *after,
                          SpragImpactResult *result)
{
    const SpragConstraint *item = problem->constraints;
    Path path = {.i1 = problem->W[3],
                 .i2 = problem->W[0],
                 .i3 = -problem->W[1],
                 .mu = item->friction,
                 .mu_static = fmax(item->friction, item->friction_static),
                 .S = problem->b[1],
                 .C = problem->b[0]};
    bool ended = path.C >= 0;
    if (!ended && item->sliding && path.S != 0)
        ended = slide(&path, path.S > 0 ? 1 : -1);
    else
        path.S = 0;
    if (!ended && path.mu_static * path.i1 >= fabs(path.i3)) {
        double slope = path.i1 > 0 ? path.i3 / path.i1 : 0;
        double B = path.i2 - path.i3 * slope;
        advance(&path, -path.C / B, 0, B, slope);
        path.C = 0;
    } else if (!ended) {
        // from rest the slip starts against i3: theory.md 10.2, 10.4 (g)
        slide(&path, path.i3 > 0 ? -1 : 1);
    }
    impulse[0] = path.P;
    impulse[1] = path.P_x;
    after[0] = path.C;
    after[1] = path.S;
    result->law = SPRAG_IMPACT_ROUTH_PLASTIC;
    result->solution_count = 1;
    result->found = true;
    result->normal_loss = path.normal_loss;
    result->friction_loss = path.friction_loss;
    result->energy_loss = path.normal_loss + path.friction_loss;
}

// ---- Several contacts ---------------------------------------------------------------------------

static SpragStatus copy_at_rest(SpragImpact *impact, const SpragContactProblem *problem)
{
    SpragContactProblem *copy = &impact->copy;
    sprag_contact_problem_clear(copy, problem->dimension);
    for (int c = 0; c < problem->constraint_count; c++) {
        SpragConstraint *added;
        SPRAG_TRY(sprag_contact_problem_add(copy, problem->constraints[c].kind, &added));
        added->friction = problem->constraints[c].friction;
    }
    SPRAG_TRY(sprag_contact_problem_reserve_dense(copy));
    size_t n = (size_t)problem->row_count;
    memcpy(copy->W, problem->W, n * n * sizeof *copy->W);
    memcpy(copy->b, problem->b, n * sizeof *copy->b);
    return SPRAG_OK;
}

// ½ P·(u⁺ + u⁻): the change of kinetic energy; also its normal part.
static double energy_change(const SpragContactProblem *problem, const SpragMotion *motion,
                            double *normal_part)
{
    double sum = 0;
    *normal_part = 0;
    for (int c = 0; c < problem->constraint_count; c++) {
        const SpragConstraint *item = &problem->constraints[c];
        for (int k = 0; k < item->row_count; k++) {
            int r = item->row + k;
            double part = 0.5 * motion->force[r] * (motion->acceleration[r] + problem->b[r]);
            sum += part;
            *normal_part += k == 0 ? part : 0;
        }
    }
    return sum;
}

static SpragStatus velocity_plastic(SpragImpact *impact, const SpragContactProblem *problem,
                                    double *impulse, double *after, SpragImpactResult *result)
{
    SpragMotionSet set;
    double least = INFINITY;
    SPRAG_TRY(copy_at_rest(impact, problem));
    SPRAG_TRY(sprag_motion_search_run(impact->search, &impact->copy, NULL, &set));
    result->law = SPRAG_IMPACT_VELOCITY_PLASTIC;
    result->solution_count = set.count;
    result->found = set.count > 0;
    for (int i = 0; i < set.count; i++) {
        double normal_part, change = energy_change(problem, &set.motions[i], &normal_part);
        // a strict comparison beyond rounding keeps the first of equals
        if (change >= least - 1e-12 * fabs(least))
            continue;
        least = change;
        result->energy_loss = -change;
        result->normal_loss = -normal_part;
        result->friction_loss = normal_part - change;
        memcpy(impulse, set.motions[i].force, (size_t)problem->row_count * sizeof *impulse);
        memcpy(after, set.motions[i].acceleration, (size_t)problem->row_count * sizeof *after);
    }
    return SPRAG_OK;
}

SpragStatus sprag_impact_plastic(SpragImpact *impact, const SpragContactProblem *problem,
                                 double *impulse, double *after, SpragImpactResult *result)
{
    memset(result, 0, sizeof *result);
    if (problem->constraint_count == 1 && problem->dimension == 2 &&
        problem->constraints[0].kind == SPRAG_CONSTRAINT_CONTACT) {
        routh_plastic(problem, impulse, after, result);
        return SPRAG_OK;
    }
    return velocity_plastic(impact, problem, impulse, after, result);
}
