// impact_plastic.c: the handle, and plastic collisions.
// Problem   u⁺ = W P + u⁻ with restitution 0, theory.md section 10
// Method    one contact: Routh's path in impulse space to the end of compression (impact_planar.c,
//           impact_space.c);
//           several: the velocity-level problem 0 ≤ P_N ⟂ u_N⁺ ≥ 0 with Coulomb friction on u_T⁺,
//           which is a contact problem at rest with velocities in place of accelerations, so the
//           search over modes gives all its solutions; it has one always (theory.md 11.2), and
//           never gains energy
#include <math.h>
#include <string.h>

#include "impact_private.h"

enum { ARENA_BYTES = 16384 };
// Part of the energy of an impact that rounding may make.
static const double ENERGY_ERROR = 1e-6;

SpragStatus sprag_impact_create(SpragContext *context, SpragImpact **impact)
{
    *impact = NULL;
    SpragImpact *created = sprag_alloc(context, 1, sizeof *created);
    if (!created)
        return SPRAG_ERROR_MEMORY;
    created->context = context;
    sprag_contact_problem_init(&created->copy, context);
    SpragStatus status;
    SPRAG_TRY_CLEANUP(sprag_motion_search_create(context, &created->search));
    SPRAG_TRY_CLEANUP(sprag_arena_create(context, ARENA_BYTES, &created->arena));
    SPRAG_TRY_CLEANUP(sprag_lcp_all_create(context, &created->lcp_all));
    SPRAG_TRY_CLEANUP(sprag_lcp_workspace_create(context, &created->lcp));
    *impact = created;
    return SPRAG_OK;
cleanup:
    sprag_impact_destroy(created);
    return status;
}

void sprag_impact_set_interrupt(SpragImpact *impact, const volatile int *interrupt)
{
    impact->interrupt = interrupt;
}

void sprag_impact_destroy(SpragImpact *impact)
{
    if (!impact)
        return;
    impact_path_destroy(impact->context, impact->path);
    sprag_lcp_workspace_destroy(impact->lcp);
    sprag_lcp_all_destroy(impact->lcp_all);
    sprag_arena_destroy(impact->arena);
    sprag_motion_search_destroy(impact->search);
    sprag_free(impact->context, impact->contacts);
    sprag_contact_problem_destroy(&impact->copy);
    sprag_free(impact->context, impact);
}

// ---- Several contacts ---------------------------------------------------------------------------

static SpragStatus copy_at_rest(SpragImpact *impact, const SpragContactProblem *problem)
{
    SpragContactProblem *copy = &impact->copy;
    sprag_contact_problem_clear(copy, problem->dimension);
    for (int c = 0; c < problem->constraint_count; c++) {
        SpragConstraint *added;
        const SpragConstraint *item = &problem->constraints[c];
        SPRAG_TRY(item->kind == SPRAG_CONSTRAINT_BEARING
                      ? sprag_contact_problem_add_bearing(copy, sprag_constraint_normals(item),
                                                          item->tangents, &added)
                      : sprag_contact_problem_add(copy, item->kind, &added));
        added->friction = problem->constraints[c].friction;
        added->shared = item->shared;
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
            *normal_part += k < sprag_constraint_normals(item) ? part : 0;
        }
    }
    return sum;
}

bool impact_motion_holds(const SpragContactProblem *problem, const SpragMotion *motion)
{
    int n = problem->row_count;
    double error = 0, scale = 0;
    for (int r = 0; r < n; r++) {
        double u = problem->b[r], w = problem->W[r * n + r];
        for (int j = 0; j < n; j++)
            u += problem->W[r * n + j] * motion->force[j];
        error += fabs(motion->force[r] * (u - motion->acceleration[r]));
        scale += w > 0 ? problem->b[r] * problem->b[r] / w : 0;
    }
    return error <= ENERGY_ERROR * scale;
}

// All solutions of impact->copy; in space the search is cut short where contacts are many.
SpragStatus impact_search(SpragImpact *impact, SpragMotionSet *set)
{
    enum { MOST_NODES = 1500, FEW = 4, LEAST_NODES = 50 };
    const SpragContactProblem *problem = &impact->copy;
    SpragMotionSettings settings = sprag_motion_default();
    if (problem->dimension == 3 && problem->constraint_count > FEW) {
        double part = fmin(1, (double)FEW / (problem->constraint_count + 1));
        settings.ranges = false;
        settings.max_nodes = (long)fmax(MOST_NODES * part * part * part * part, LEAST_NODES);
    }
    return sprag_motion_search_run(impact->search, problem, &settings, set);
}

static SpragStatus velocity_plastic(SpragImpact *impact, const SpragContactProblem *problem,
                                    double *impulse, double *after, SpragImpactResult *result)
{
    SpragMotionSet set;
    double least = INFINITY;
    SPRAG_TRY(copy_at_rest(impact, problem));
    SPRAG_TRY(impact_search(impact, &set));
    result->law = SPRAG_IMPACT_VELOCITY_PLASTIC;
    result->solution_count = set.count;
    for (int i = 0; i < set.count; i++) {
        double normal_part, change = energy_change(problem, &set.motions[i], &normal_part);
        if (!impact_motion_holds(&impact->copy, &set.motions[i])) {
            result->solution_count--;
            continue;
        }
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
    result->found = result->solution_count > 0;
    return SPRAG_OK;
}

static void single_plastic(const SpragContactProblem *problem, double *impulse, double *after,
                           SpragImpactResult *result)
{
    SpragSingleImpact single;
    SpragSingleResult one;
    impact_single_load(problem, 0, &single);
    sprag_impact_single(&single, &one);
    size_t size = (size_t)problem->row_count * sizeof *impulse;
    memcpy(impulse, one.impulse, size);
    memcpy(after, one.after, size);
    result->law = SPRAG_IMPACT_ROUTH_PLASTIC;
    result->solution_count = 1;
    result->found = isfinite(one.compression);
    result->normal_loss = one.loss.normal_compression;
    result->friction_loss = one.loss.tangential_compression;
    result->energy_loss = result->normal_loss + result->friction_loss;
}

SpragStatus sprag_impact_plastic(SpragImpact *impact, const SpragContactProblem *problem,
                                 double *impulse, double *after, SpragImpactResult *result)
{
    memset(result, 0, sizeof *result);
    if (problem->constraint_count == 1 &&
        problem->constraints[0].kind == SPRAG_CONSTRAINT_CONTACT) {
        single_plastic(problem, impulse, after, result);
        return SPRAG_OK;
    }
    return velocity_plastic(impact, problem, impulse, after, result);
}
