// system_step_power.c: powers of the forces of a step at the mean of its velocities.
// Problem   a step applies h f(t, q, v), and M (v⁺ − v) · (v + v⁺)/2 is its change of kinetic
//           energy to the last digit: the account closes if f keeps the velocities v while the
//           power is taken with the mean, theory.md (11.31)
// Method    powers at the mean, and what forces that depend on velocities (dampers, controllers)
//           differ by between v and the mean
#include <math.h>
#include <string.h>

#include "joint_private.h"

// Rates of springs, then forces along joints and rates of their positions, at the state last set.
static void take_rates(SpragSystem *system, double *rates)
{
    const SpragModel *model = system->model;
    int springs = model->spring_count;
    for (int i = 0; i < springs; i++)
        rates[i] = model_spring_rate(system, i);
    if (!system->joints)
        return;
    joints_evaluate(system);
    for (int i = 0; i < system->joints->count; i++) {
        rates[springs + 2 * i] = joint_force_along(system, i);
        rates[springs + 2 * i + 1] = system->joints->positions[i][0].rate;
    }
}

// At the mean; `then`: what take_rates found at v.
static void add_differences(SpragSystem *system, const double *then, const double *now,
                            SpragSystemPower *power)
{
    const SpragModel *model = system->model;
    int springs = model->spring_count;
    for (int i = 0; i < springs; i++)
        power->damping += model->springs[i].damping * (then[i] - now[i]) * now[i];
    for (int i = 0; system->joints && i < system->joints->count; i++) {
        const SpragJoint *joint = &model->joints[i];
        const PairRow *position = &system->joints->positions[i][0];
        if (joint->kind == SPRAG_JOINT_WELD)
            continue;
        double rate = now[springs + 2 * i + 1], change = then[springs + 2 * i + 1] - rate;
        double more = then[springs + 2 * i] - now[springs + 2 * i];
        double damped = joint->sprung ? joint->damping[0] * change : 0;
        power->load += (more + damped) * rate - more * position->drift;
        power->damping += damped * rate;
    }
}

SpragStatus sprag_system_applied_power(SpragSystem *system, double t, const double *q,
                                       const double *v, const double *mean, SpragSystemPower *power)
{
    int joints = system->joints ? system->joints->count : 0;
    size_t count = (size_t)(system->model->spring_count + 2 * joints);
    memset(power, 0, sizeof *power);
    double *then = system_work(system, 2 * count + 1), *now = then + count;
    if (!then)
        return SPRAG_ERROR_MEMORY;
    model_set_state(system, t, q, v);
    take_rates(system, then);
    model_set_state(system, t, q, mean);
    take_rates(system, now);
    model_power(system, power);
    add_differences(system, then, now, power);
    return SPRAG_OK;
}
