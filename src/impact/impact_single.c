// impact_single.c: one contact, plane or space, and its energy audit (theory.md (10.17)).
#include <math.h>
#include <string.h>

#include "impact_private.h"

void impact_single_load(const SpragContactProblem *problem, int c, SpragSingleImpact *single)
{
    const SpragConstraint *item = &problem->constraints[c];
    int n = item->row_count, stride = problem->row_count;
    memset(single, 0, sizeof *single);
    single->dimension = n > 2 ? 3 : 2;
    single->friction = n > 1 ? item->friction : 0;
    single->friction_static = n > 1 ? item->friction_static : 0;
    for (int i = 0; i < n; i++) {
        // what does not count as slip is none, so that it does not turn either
        single->velocity[i] = i > 0 && !item->sliding ? 0 : problem->b[item->row + i];
        for (int k = 0; k < n; k++)
            single->W[i * single->dimension + k] =
                problem->W[(item->row + i) * stride + item->row + k];
    }
}

void impact_single_audit(SpragSingleResult *result)
{
    const SpragImpactLoss *loss = &result->loss;
    double normal = loss->normal_compression + loss->normal_restitution;
    double tangential = loss->tangential_compression + loss->tangential_restitution;
    double exchanged =
        fabs(loss->normal_compression) + fabs(loss->normal_restitution) + fabs(tangential);
    double gain = -(normal + tangential);
    result->energy_gain = gain > IMPACT_GAIN * exchanged ? gain : 0;
}

void sprag_impact_single(const SpragSingleImpact *problem, SpragSingleResult *result)
{
    memset(result, 0, sizeof *result);
    memcpy(result->after, problem->velocity, sizeof result->after);
    memcpy(result->after_compression, problem->velocity, sizeof result->after);
    result->slip_stop = INFINITY;
    if (problem->dimension == 3)
        impact_space(problem, result);
    else
        impact_planar(problem, result);
    impact_single_audit(result);
}
