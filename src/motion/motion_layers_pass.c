// motion_layers_pass.c: layers that go on with another contact.
// Problem   where a side ends, or corners pass each other, another contact stands for one that is
//           pressed in: what its layer holds must neither be lost nor come twice
// Method    theory.md 14.6, corners that come in: the next contact starts with depth and shear of
//           the one before it, as far as its layer stores no more with them; what is left is damped
#include <math.h>
#include <string.h>

#include "motion_private.h"

// Corners coincide within four gap tolerances, to either side: so long a corner that has come to
// the end of a side waits there for the one that stands for it next.
static const double ZONE = 8;

// Whether the layer of `from` may go on with `slot`, which is not pressed, or has just begun to be.
static bool may_inherit(const SpragRun *run, int from, int slot)
{
    if (run->compliant[slot])
        return slot == from || !run->touching[slot] || run->depth_state[slot] == 0;
    return run->mode[slot] == SPRAG_MODE_SEPARATE && overlap_may_soften(run, slot, from) &&
           (overlap_same_bodies(run, from, slot) || overlap_continues(run, from, slot));
}

// By how much a layer has come in; where it waits at the end of a side its gap is another.
static double come_in(const SpragRun *run, int slot)
{
    return run->depth_state[slot] + fmax(run->shift[slot], 0);
}

// Gaps that differ by less from what a layer has come in by are those of the same place.
static double same_place(const SpragRun *run, double depth)
{
    return 0.2 * depth + MOTION_CLOSED * run->tolerances.gap;
}

// The contact that is as deep as `from`, up to a part of its depth. Of several the closest, and
// rather another one than its own next side. −1: there is none.
static int find_closest(const SpragRun *run, int from)
{
    double depth = come_in(run, from), best = same_place(run, depth);
    int found = -1;
    for (int slot = 0; slot < run->slots; slot++) {
        double off = fabs(run->kinematics[slot].gap + depth);
        if (!may_inherit(run, from, slot) || !(off <= best))
            continue;
        if (off < best || found < 0 || found == from)
            found = slot;
        best = off;
    }
    return found;
}

// The contact with which the layer of `from` goes on. −1: there is none. Where several corners of
// two bodies are pressed in, it is the next side as long as that is about as deep; else the
// neighbour takes over.
static int find_heir(const SpragRun *run, int from)
{
    const double part = 1;
    double depth = run->depth_state[from] + run->shift[from];
    int found = find_closest(run, from);
    if (found >= 0 ||
        fabs(run->kinematics[from].gap + depth) <= part * depth + ZONE * run->tolerances.gap)
        return found >= 0 ? found : from;
    // the same vertex on the next part, rather than another vertex of the same body
    for (int i = 0; i < 2 * run->slots && found < 0; i++) {
        int slot = i % run->slots;
        bool next = i < run->slots ? overlap_continues(run, from, slot)
                                   : overlap_same_bodies(run, from, slot);
        if (slot != from && run->compliant[slot] && run->touching[slot] && !run->left[slot] && next)
            found = slot;
    }
    return found;
}

// In another layer the same state may store more than there is.
static void limit_energy(const SpragRun *run, int slot, double energy, double *depth, double *shear)
{
    const SpragLayer *layer = &run->layer[slot];
    double stored = sprag_layer_energy(layer, *depth);
    for (int k = 0; run->law[slot].kind == SPRAG_FRICTION_COULOMB && k < run->tangents; k++)
        stored += 0.5 * layer->tangential_stiffness * shear[k] * shear[k];
    if (!run->layer_known[slot] || !(stored > energy))
        return;
    *depth *= pow(energy / stored, 1 / (layer->exponent + 1));
    for (int k = 0; k < run->tangents; k++)
        shear[k] *= sqrt(energy / stored);
}

// The surface goes on: depth and shear are those that were. Where the next contact presses already,
// beside this one, it goes on with the deeper state of the two.
static SpragStatus inherit(SpragRun *run, int from, int slot, SpragRunOutcome *outcome)
{
    double depth = run->depth_state[from], shear[2] = {0, 0};
    memcpy(shear, run->shear_state + run->tangents * from, (size_t)run->tangents * sizeof *shear);
    double energy = layers_slot_energy(run, from);
    bool deeper = false;
    if (slot != from && run->touching[slot]) {
        energy += layers_slot_energy(run, slot);
        deeper = run->depth_state[slot] > depth;
        if (deeper) {
            depth = run->depth_state[slot];
            memcpy(shear, run->shear_state + run->tangents * slot,
                   (size_t)run->tangents * sizeof *shear);
        }
    }
    SpragMode before = run->mode_before[from];
    if (!run->compliant[slot])
        SPRAG_TRY(overlap_soften(run, slot, from, outcome));
    if (!deeper) // else the state is that of its own layer
        overlap_share_layer(run, slot, from);
    limit_energy(run, slot, energy, &depth, shear);
    run->touching[from] = false;
    run->mode[from] = SPRAG_MODE_SEPARATE;
    run->shift[from] = fmax(run->shift[from], 0);
    SPRAG_TRY(layers_press(run, slot, depth, shear));
    run->y[WORK_AT(run) + WORK_DAMPING] += energy - layers_slot_energy(run, slot);
    run->mode_before[slot] = before;
    if (slot == from)
        return SPRAG_OK;
    run->passed++;
    tell_event(run, SPRAG_EVENT_SURFACE, slot, outcome, "the contact passes onto %s",
               sprag_system_contact_name(run->system, slot));
    return SPRAG_OK;
}

SpragStatus layers_pass(SpragRun *run, SpragRunOutcome *outcome)
{
    enum { PASSES_HERE = 6 };
    SPRAG_TRY(sprag_system_kinematics(run->system, run->t, run->y, run->y + run->m,
                                      &run->tolerances, run->kinematics));
    for (int from = 0; from < run->slots; from++) {
        if (!run->left[from] || !run->compliant[from] || !run->touching[from])
            continue;
        int heir = find_heir(run, from);
        // a side that ends where it is taken up again holds nothing more
        if (heir >= 0 && !(heir == from && run->events_here > PASSES_HERE))
            SPRAG_TRY(inherit(run, from, heir, outcome));
        else
            layers_open(run, from); // nothing goes on there
    }
    return SPRAG_OK;
}

SpragStatus layers_lose(SpragRun *run, int slot, double gap, bool *lost)
{
    const double astray = 0.5; // part of its depth, by which a layer is deeper than its gap
    SpragRunOutcome told = SPRAG_RUN_DONE;
    double depth = run->depth_state[slot];
    *lost = gap == INFINITY;
    if (!(gap + come_in(run, slot) > astray * depth + MOTION_CLOSED * run->tolerances.gap))
        return SPRAG_OK;
    SPRAG_TRY(sprag_system_kinematics(run->system, run->t, run->y, run->y + run->m,
                                      &run->tolerances, run->kinematics));
    int heir = depth > 0 ? find_closest(run, slot) : -1;
    // one that has let go here does not take it up again: two would pass it on without an end
    if (heir >= 0 && heir != slot && !run->left[heir]) {
        run->left[slot] = *lost = true;
        return inherit(run, slot, heir, &told);
    }
    if (*lost)
        layers_open(run, slot);
    return SPRAG_OK;
}
