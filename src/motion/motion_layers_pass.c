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

// By how much a layer has come in; where it waits at the end of a side its gap is another.
static double come_in(const SpragRun *run, int slot)
{
    return run->depth_state[slot] + fmax(run->shift[slot], 0);
}

// Whether a contact is no farther from a place than some overlaps there: corners that pass each
// other in a layer are.
static bool is_near(const SpragRun *run, int slot, SpragVec3 place, double overlap)
{
    const double overlaps = 2;
    const SpragContactKinematics *k = &run->kinematics[slot];
    return k->gap < INFINITY && sprag_vec3_norm(sprag_vec3_sub(k->point, place)) <=
                                    overlaps * overlap + ZONE * run->tolerances.gap;
}

// Whether the layer of `from` may go on with `slot`, which is not pressed, or has just begun to be;
// near: it is in the same place, where both press together.
static bool may_inherit(const SpragRun *run, int from, int slot, bool near)
{
    if (run->compliant[slot])
        return slot == from || !run->touching[slot] ||
               run->depth_state[slot] <= (near ? run->depth_state[from] : 0);
    return run->mode[slot] == SPRAG_MODE_SEPARATE && overlap_may_soften(run, slot, from) &&
           (overlap_same_bodies(run, from, slot) || overlap_continues(run, from, slot));
}

// Gaps that differ by less from what a layer has come in by are those of the same place.
static double same_place(const SpragRun *run, double depth)
{
    return 0.2 * depth + MOTION_CLOSED * run->tolerances.gap;
}

// The contact that is as deep as `from`, up to a part of its depth. Of several one in the same
// place (NULL: not known), then the closest, and rather another one than its own next side. −1:
// none.
static int find_closest(const SpragRun *run, int from, const SpragVec3 *place)
{
    double depth = come_in(run, from), same = same_place(run, depth), best = INFINITY;
    int found = -1;
    for (int slot = 0; slot < run->slots; slot++) {
        bool near = place && slot != from && overlap_same_bodies(run, from, slot) &&
                    is_near(run, slot, *place, depth);
        double less = run->kinematics[slot].gap + depth, off = fabs(less);
        // deeper it may be, with a shift, but a layer does not press before its bodies meet
        if (!may_inherit(run, from, slot, near) || !(less <= same) ||
            !(off <= (near ? fmax(depth, same) : same)))
            continue;
        double worth = off + (near || slot == from ? 0 : depth);
        if (worth < best || (worth == best && found == from))
            found = slot;
        best = fmin(best, worth);
    }
    return found;
}

// The contact with which the layer of `from` goes on. −1: there is none. Where several corners of
// two bodies are pressed in, it is the next side as long as that is about as deep; else the
// neighbour takes over.
static int find_heir(const SpragRun *run, int from, const SpragVec3 *place)
{
    const double part = 1;
    double depth = run->depth_state[from] + run->shift[from];
    int found = find_closest(run, from, place);
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

SpragStatus layers_pass(SpragRun *run, const SpragVec3 *places, SpragRunOutcome *outcome)
{
    enum { PASSES_HERE = 6 };
    SPRAG_TRY(sprag_system_kinematics(run->system, run->t, run->y, run->y + run->m,
                                      &run->tolerances, run->kinematics));
    for (int from = 0; from < run->slots; from++) {
        if (!run->left[from] || !run->compliant[from] || !run->touching[from])
            continue;
        int heir = find_heir(run, from, &places[from]);
        // a side that ends where it is taken up again holds nothing more
        if (heir >= 0 && !(heir == from && run->events_here > PASSES_HERE))
            SPRAG_TRY(inherit(run, from, heir, outcome));
        else
            layers_open(run, from); // nothing goes on there
    }
    return SPRAG_OK;
}

// ---- Two contacts in one place ------------------------------------------------------------------

// Whether two contacts of the same bodies press in one direction.
static bool press_alike(const SpragRun *run, int a, int b)
{
    const double alike = 0.9; // cosine
    bool swapped =
        sprag_system_slot(run->system, a)->body[0] != sprag_system_slot(run->system, b)->body[0];
    double cosine = sprag_vec3_dot(run->kinematics[a].normal, run->kinematics[b].normal);
    return (swapped ? -cosine : cosine) > alike;
}

// The pressed contact in the place of one that overlaps, about as deep; −1: there is none.
static int find_standing(const SpragRun *run, int slot)
{
    const SpragContactKinematics *k = &run->kinematics[slot];
    double best = INFINITY;
    int found = -1;
    for (int i = 0; i < run->slots; i++) {
        if (i == slot || !run->compliant[i] || !run->touching[i] || !(run->depth_state[i] > 0) ||
            run->left[i] || !overlap_same_bodies(run, slot, i))
            continue;
        double depth = come_in(run, i), off = fabs(k->gap + depth);
        if (off <= fmin(best, 0.5 * depth) && is_near(run, i, k->point, depth) &&
            press_alike(run, slot, i)) {
            best = off;
            found = i;
        }
    }
    return found;
}

SpragStatus layers_take_over(SpragRun *run, int slot, bool *settled)
{
    *settled = false;
    if (run->tangents == 2)
        return SPRAG_OK;
    SpragRunOutcome told = SPRAG_RUN_DONE;
    SPRAG_TRY(sprag_system_kinematics(run->system, run->t, run->y, run->y + run->m,
                                      &run->tolerances, run->kinematics));
    int from = find_standing(run, slot);
    if (from < 0)
        return SPRAG_OK;
    *settled = true;
    if (run->shift[slot] > 0) // it has been there before, and goes deeper with the other one
        return overlap_begin(run, slot, 0);
    SPRAG_TRY(inherit(run, from, slot, &told));
    run->left[from] = true;
    return overlap_begin(run, from, 0);
}

SpragStatus layers_cover(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    bool any = false;
    for (int i = 0; i < f->open_count; i++) {
        any |= run->shift[f->open[i]] > 0;
        run->lift[f->open[i]] = 0;
    }
    if (!any || f->soft_count == 0)
        return SPRAG_OK;
    SPRAG_TRY(sprag_system_kinematics(run->system, run->t, run->y, run->y + run->m,
                                      &run->tolerances, run->kinematics));
    for (int i = 0; i < f->open_count; i++) {
        int slot = f->open[i];
        bool covered = run->shift[slot] > 0 && find_standing(run, slot) >= 0;
        run->lift[slot] = covered ? fmax(-run->kinematics[slot].gap, 0) : 0;
    }
    run->begin_known = false;
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
    int heir = depth > 0 ? find_closest(run, slot, NULL) : -1;
    // one that has let go here does not take it up again: two would pass it on without an end
    if (heir >= 0 && heir != slot && !run->left[heir]) {
        run->left[slot] = *lost = true;
        return inherit(run, slot, heir, &told);
    }
    if (*lost)
        layers_open(run, slot);
    return SPRAG_OK;
}
