// pilot_start.c: what the layers of a switch may hold when they start, theory.md 8.6.2.
// Problem   in equilibrium with the rigid force before, a layer starts with the energy that this
//           force presses into it. Rigid contacts had none, so it is given to the motion. It is of
//           order ε where loads and inertia make the force; a force that only balances layers that
//           ring, or is wedged far beyond the loads, may store as much as the bodies have
// Method    all start forces are made less by one factor, so that they store no more than a small
//           part of the energy at work and what the loads alone would press into the layers
#include <math.h>
#include <string.h>

#include "motion_private.h"

// Of the kinetic energy and that of layers, which a switch may add.
static const double PART_OF_ENERGY = 1e-3;

// Sum of the sizes of all loads at rest, N: of the bodies' weights, springs and the like.
static SpragStatus load_size(SpragRun *run, const int *slot, double *size)
{
    const SpragModel *model = sprag_system_model(run->system);
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    size_t room = (size_t)run->n + 1;
    double *rest = sprag_arena_alloc(run->arena, 2 * room, sizeof *rest);
    if (!rest)
        return SPRAG_ERROR_MEMORY;
    double *a = rest + room;
    memset(rest, 0, room * sizeof *rest);
    *size = INFINITY;
    if (!model)
        return SPRAG_OK;
    SpragSystemSample sample = {.free_acceleration = a};
    SPRAG_TRY(sprag_system_sample(run->system, run->t, run->y, rest, 1, slot, &sample));
    *size = 0;
    for (int body = 0; body < model->body_count; body++) {
        int at = sprag_system_body_coordinate(run->system, body);
        const SpragBody *item = &model->bodies[body];
        double radius = sprag_model_body_radius(model, body);
        if (at < 0)
            continue;
        bool space = run->tangents == 2;
        double turn = space ? sprag_vec3_norm(sprag_vec3_of(a + at + 3)) : fabs(a[at + 2]);
        *size +=
            item->mass * (space ? sprag_vec3_norm(sprag_vec3_of(a + at)) : hypot(a[at], a[at + 1]));
        if (isfinite(radius)) // a moment over its arm, of about m r² α
            *size += item->mass * radius * turn;
    }
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// What the start forces of a slot press into its layer, and shear it by: with much friction that is
// the larger part.
static double start_energy(const SpragRun *run, int slot)
{
    const PilotSlot *item = &run->pilot.slot[slot];
    const SpragLayer *layer = &run->layer[slot];
    if (!item->pressed)
        return 0;
    double energy = sprag_layer_energy(layer, sprag_layer_depth(layer, item->part * item->normal));
    bool shears = run->law[slot].kind == SPRAG_FRICTION_COULOMB &&
                  layer->tangential_stiffness > 0 && !modes_is_bearing(run, slot);
    for (int k = 0; shears && k < run->tangents; k++) {
        double force = item->part * item->tangential[k];
        energy += 0.5 * force * force / layer->tangential_stiffness;
    }
    return energy;
}

SpragStatus pilot_limit_start(SpragRun *run, int count, const int *slots)
{
    double kinetic, potential, elastic, stored = 0, load, wanted = 0, allowed = 0;
    for (int i = 0; i < count; i++)
        wanted += start_energy(run, slots[i]);
    if (wanted == 0)
        return SPRAG_OK;
    SPRAG_TRY(sprag_system_energy(run->system, run->t, run->y, run->y + run->m, &kinetic,
                                  &potential, &elastic));
    for (int slot = 0; slot < run->slots; slot++)
        if (run->compliant[slot] && run->touching[slot])
            stored += layers_slot_energy(run, slot);
    allowed = PART_OF_ENERGY * (kinetic + stored);
    if (wanted <= allowed)
        return SPRAG_OK;
    SPRAG_TRY(load_size(run, slots, &load));
    for (int i = 0; i < count && load < INFINITY; i++) {
        const SpragLayer *layer = &run->layer[slots[i]];
        allowed += sprag_layer_energy(layer, sprag_layer_depth(layer, load));
    }
    if (load == INFINITY || wanted <= allowed)
        return SPRAG_OK;
    for (int i = 0; i < count; i++)
        run->pilot.slot[slots[i]].part *= sqrt(allowed / wanted);
    return SPRAG_OK;
}
