// impact_collide.c: any number of contacts, by the scheme asked for or the nearest that can.
#include <math.h>
#include <string.h>

#include "impact_private.h"

static SpragStatus collide_one(SpragImpact *impact, const SpragContactProblem *problem,
                               const SpragImpactRule *rule, double *impulse, double *after,
                               SpragCollisionResult *result)
{
    SpragSingleImpact single;
    SpragSingleResult one;
    impact_single_load(problem, 0, &single);
    single.law = rule->law;
    single.e = rule->e;
    sprag_impact_single(&single, &one);
    size_t size = (size_t)problem->row_count * sizeof *impulse;
    memcpy(impulse, one.impulse, size);
    memcpy(after, one.after, size);
    impact->contacts[0] = (SpragImpactContact){one.kind, one.loss};
    result->law = rule->e == 0              ? SPRAG_IMPACT_ROUTH_PLASTIC
                  : problem->row_count == 3 ? SPRAG_IMPACT_HODOGRAPH
                                            : SPRAG_IMPACT_ROUTH;
    result->solution_count = 1;
    result->found = isfinite(one.compression);
    const SpragImpactLoss *loss = &one.loss;
    result->energy_loss = loss->normal_compression + loss->normal_restitution +
                          loss->tangential_compression + loss->tangential_restitution;
    return SPRAG_OK;
}

static bool is_single(const SpragContactProblem *problem)
{
    if (problem->constraint_count != 1)
        return false;
    SpragConstraintKind kind = problem->constraints[0].kind;
    return kind == SPRAG_CONSTRAINT_CONTACT || kind == SPRAG_CONSTRAINT_LIMIT;
}

static SpragStatus collide_plastic(SpragImpact *impact, const SpragContactProblem *problem,
                                   double *impulse, double *after, SpragCollisionResult *result)
{
    SpragImpactResult plastic;
    SPRAG_TRY(sprag_impact_plastic(impact, problem, impulse, after, &plastic));
    result->law = plastic.law;
    result->solution_count = plastic.solution_count;
    result->energy_loss = plastic.energy_loss;
    result->found = plastic.found;
    for (int c = 0; plastic.found && c < problem->constraint_count; c++) {
        const SpragConstraint *item = &problem->constraints[c];
        SpragImpactLoss *loss = &impact->contacts[c].loss;
        for (int k = 0; k < item->row_count; k++) {
            int r = item->row + k;
            double part = -0.5 * impulse[r] * (after[r] + problem->b[r]);
            *(k == 0 ? &loss->normal_compression : &loss->tangential_compression) += part;
        }
    }
    return SPRAG_OK;
}

SpragStatus sprag_impact_collide(SpragImpact *impact, const SpragContactProblem *problem,
                                 const SpragImpactRule *rules, SpragImpactScheme scheme,
                                 double *impulse, double *after, SpragCollisionResult *result)
{
    size_t count = (size_t)problem->constraint_count;
    memset(result, 0, sizeof *result);
    SPRAG_TRY(sprag_reserve(impact->context, &impact->contacts, &impact->contact_capacity, count,
                            sizeof *impact->contacts));
    if (count > 0)
        memset(impact->contacts, 0, count * sizeof *impact->contacts);
    result->contacts = impact->contacts;
    if (is_single(problem))
        return collide_one(impact, problem, rules, impulse, after, result);
    result->fell_back = scheme != SPRAG_IMPACTS_TOGETHER;
    return collide_plastic(impact, problem, impulse, after, result);
}
