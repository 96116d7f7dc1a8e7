// motion_bearing.c: bearings of joints on compliant normals, theory.md 9.2, 9.3 and 9.5.
// Problem   where a joint that rubs has no motion, or none that is stable, its normals have layers
// Method    the system takes their forces as loads (sprag_system_soften): to the run such a bearing
//           stays a contact with friction, whose normal force is known. Deformations are errors of
//           the joint, so that there is no state beside q and v, and no event but those of
//           friction; steps are as short as the ringing wants
#include <math.h>
#include <string.h>

#include "motion_private.h"

// A step is no longer than this part of the time 1/ω of the fastest bearing: the method of order 8
// then follows it to ten digits.
static const double PART_OF_PERIOD = 0.5;

bool bearing_is_soft(const SpragRun *run, int slot)
{
    return sprag_system_is_soft(run->system, slot);
}

bool bearing_any_soft(const SpragRun *run)
{
    for (int slot = 0; slot < sprag_system_joint_contact_count(run->system); slot++)
        if (bearing_is_soft(run, slot))
            return true;
    return false;
}

static void soften(SpragRun *run, int slot)
{
    SpragBearingLayer layer = {run->layer[slot].stiffness, run->layer[slot].damping};
    sprag_system_soften(run->system, slot, &layer);
}

void bearings_begin(SpragRun *run)
{
    for (int slot = 0; slot < sprag_system_joint_contact_count(run->system); slot++)
        if (modes_is_bearing(run, slot))
            sprag_system_soften(run->system, slot, NULL);
    run->bearing_rate = 0;
}

// How fast the layer of a bearing rings with the bodies, 1/s.
static SpragStatus ringing_rate(SpragRun *run, int slot, double *rate)
{
    double W[SPRAG_CONSTRAINT_ROWS * SPRAG_CONSTRAINT_ROWS], most = 0;
    SpragSystemSample sample = {.W = W};
    int normals = sprag_system_contact_normals(run->system, slot);
    int rows = normals + sprag_system_contact_tangents(run->system, slot);
    SPRAG_TRY(sprag_system_sample(run->system, run->t, run->y, run->y + run->m, 1, &slot, &sample));
    for (int k = 0; k < normals; k++)
        most = fmax(most, W[k * (rows + 1)]);
    const SpragLayer *layer = &run->layer[slot];
    // one bearing shares its bodies with others, whose layers add up
    *rate = fmax(sqrt(2 * layer->stiffness * most), layer->damping * most);
    return SPRAG_OK;
}

double bearing_stop(const SpragRun *run, double until)
{
    if (!(run->bearing_rate > 0) || !bearing_any_soft(run))
        return until;
    return fmin(until, run->t + PART_OF_PERIOD / run->bearing_rate);
}

SpragStatus bearings_soften(SpragRun *run, int count, const int *slots)
{
    double rate;
    for (int i = 0; i < count; i++) {
        if (!modes_is_bearing(run, slots[i]))
            continue;
        SPRAG_TRY(ringing_rate(run, slots[i], &rate));
        run->bearing_rate = fmax(run->bearing_rate, rate);
    }
    for (int i = 0; i < count; i++)
        if (modes_is_bearing(run, slots[i]))
            soften(run, slots[i]);
    return SPRAG_OK;
}

SpragStatus bearings_start(SpragRun *run)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    int most = sprag_system_joint_contact_count(run->system), count = 0;
    int *slots = sprag_arena_alloc(run->arena, (size_t)most + 1, sizeof *slots);
    if (!slots)
        return SPRAG_ERROR_MEMORY;
    for (int slot = 0; slot < most; slot++) {
        SpragContactPair pair;
        sprag_system_pair(run->system, slot, &pair);
        bool wanted = run->settings.motion == SPRAG_MOTION_COMPLIANT
                          ? pair.model != SPRAG_PAIR_RIGID
                          : pair.model == SPRAG_PAIR_COMPLIANT;
        if (wanted && modes_is_bearing(run, slot))
            slots[count++] = slot;
    }
    SPRAG_TRY(layers_define(run, count, slots));
    SPRAG_TRY(bearings_soften(run, count, slots));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

void bearing_harden(SpragRun *run, int slot)
{
    sprag_system_soften(run->system, slot, NULL);
}

SpragStatus bearings_lift(SpragRun *run, int count, const int *slots, bool **lifted)
{
    *lifted = sprag_arena_alloc(run->arena, (size_t)run->slots + 1, sizeof **lifted);
    if (!*lifted)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < (slots ? count : run->slots); i++) {
        int slot = slots ? slots[i] : i;
        (*lifted)[slot] = bearing_is_soft(run, slot);
        if ((*lifted)[slot])
            bearing_harden(run, slot);
    }
    return SPRAG_OK;
}

void bearings_lower(SpragRun *run, const bool *lifted)
{
    for (int slot = 0; slot < run->slots; slot++)
        if (lifted[slot])
            soften(run, slot);
}

void bearing_offset(SpragRun *run, int slot, const double *force)
{
    double error[WAYS] = {0};
    for (int k = 0; k < sprag_system_contact_normals(run->system, slot); k++)
        error[k] = -force[k] / run->layer[slot].stiffness;
    sprag_system_offset_bearing(run->system, slot, error);
}

double bearing_energy(SpragRun *run, int slot)
{
    double error[WAYS], rate[WAYS];
    if (sprag_system_bearing_errors(run->system, run->t, run->y, run->y + run->m, slot, error,
                                    rate) != SPRAG_OK)
        return 0;
    double depth = sprag_length(WAYS, error);
    return 0.5 * run->layer[slot].stiffness * depth * depth;
}

double bearing_depth(SpragRun *run, double t, const double *y, int slot)
{
    double error[WAYS], rate[WAYS];
    if (sprag_system_bearing_errors(run->system, t, y, y + run->m, slot, error, rate) != SPRAG_OK)
        return 0;
    return sprag_length(WAYS, error);
}

double bearing_friction(const SpragRun *run, int slot, bool sliding)
{
    const SpragModel *model = sprag_system_model(run->system);
    const SpragFriction *friction =
        &model->joints[sprag_system_contact_joint(run->system, slot)].friction;
    return sliding ? friction->kinetic : friction->stationary;
}
