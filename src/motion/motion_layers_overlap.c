// motion_layers_overlap.c: contacts that close between bodies which overlap in a layer already.
// Problem   a corner is pressed into the side of another body. Where that body's own corner comes
//           over the end of a side there, it is inside at once, by about the depth of the layer:
//           its gap jumps. As a rigid contact it would throw the bodies apart, as a compliant one
//           its energy would come from nothing
// Method    where its neighbour is in the same place it goes on with that one's layer
//           (motion_layers_pass.c). Else
//           it is compliant as its neighbour, and presses from there on: its depth, a state of its
//           own (theory.md (8.3)), begins at zero, and the overlap that was there is kept beside it
//           as a shift, gap = −depth − shift. An open contact loses its shift as the bodies part
#include <math.h>

#include "motion_private.h"

bool overlap_same_bodies(const SpragRun *run, int slot, int other)
{
    const SpragSlot *a = sprag_system_slot(run->system, slot);
    const SpragSlot *b = sprag_system_slot(run->system, other);
    if (!a || !b || sprag_system_contact_is_velocity_level(run->system, slot) ||
        sprag_system_contact_is_velocity_level(run->system, other))
        return false;
    return (a->body[0] == b->body[0] && a->body[1] == b->body[1]) ||
           (a->body[0] == b->body[1] && a->body[1] == b->body[0]);
}

bool overlap_continues(const SpragRun *run, int slot, int other)
{
    const SpragModel *model = sprag_system_model(run->system);
    if (!model || run->tangents == 2 || slot == other ||
        sprag_system_contact_is_velocity_level(run->system, slot) ||
        sprag_system_contact_is_velocity_level(run->system, other))
        return false;
    const SpragSlot *a = sprag_system_slot(run->system, slot);
    const SpragSlot *b = sprag_system_slot(run->system, other);
    if (!a || !b)
        return false;
    int round_a = a->swapped, round_b = b->swapped;
    int body_a = a->body[1 - round_a], body_b = b->body[1 - round_b];
    return a->shape[round_a] == b->shape[round_b] && a->feature[round_a] == b->feature[round_b] &&
           (body_a == body_b || (model->bodies[body_a].fixed && model->bodies[body_b].fixed));
}

bool overlap_passes(const SpragRun *run, int slot)
{
    for (int i = 0; i < run->slots; i++) {
        bool closed = run->compliant[i] ? run->touching[i] : run->mode[i] != SPRAG_MODE_SEPARATE;
        if (closed && !run->left[i] && overlap_continues(run, slot, i))
            return true;
    }
    return false;
}

// A compliant contact of the same bodies that is pressed; −1: none.
static int find_mate(const SpragRun *run, int slot)
{
    for (int i = 0; i < run->slots; i++)
        if (i != slot && run->compliant[i] && run->touching[i] && run->depth_state[i] > 0 &&
            (overlap_same_bodies(run, slot, i) || overlap_continues(run, slot, i)))
            return i;
    return -1;
}

void overlap_share_layer(SpragRun *run, int slot, int from)
{
    if (slot == from || !run->layer_default[from] ||
        (run->layer_known[slot] && !run->layer_default[slot]))
        return;
    SpragContactPair pair;
    sprag_system_pair(run->system, slot, &pair);
    if (!run->layer_known[slot] && pair.compliance.law != SPRAG_COMPLIANCE_RIGID)
        return;
    run->layer[slot] = run->layer[from];
    run->layer_known[slot] = run->layer_default[slot] = true;
}

void overlap_share_neighbour(SpragRun *run, int slot)
{
    int mate = find_mate(run, slot);
    if (mate >= 0)
        overlap_share_layer(run, slot, mate);
}

bool overlap_may_soften(const SpragRun *run, int slot, int mate)
{
    SpragContactPair pair;
    sprag_system_pair(run->system, slot, &pair);
    return run->pilot.slot[mate].made && pair.model != SPRAG_PAIR_RIGID;
}

SpragStatus overlap_soften(SpragRun *run, int slot, int mate, SpragRunOutcome *outcome)
{
    PilotSlot *item = &run->pilot.slot[slot];
    const PilotSlot *other = &run->pilot.slot[mate];
    overlap_share_layer(run, slot, mate);
    SPRAG_TRY(layers_define(run, 1, &slot));
    run->compliant[slot] = true;
    run->touching[slot] = false;
    *item = *other;
    item->push_normal = item->push_tangential[0] = item->push_tangential[1] = 0;
    item->returned_at = -INFINITY;
    run->pilot.made_count++;
    tell_event(run, SPRAG_EVENT_TO_COMPLIANT, slot, outcome,
               "its bodies overlap in the layer of %s; layer k %.4g N/m, c %.4g N s/m",
               sprag_system_contact_name(run->system, mate), run->layer[slot].stiffness,
               run->layer[slot].damping);
    return SPRAG_OK;
}

SpragStatus overlap_adopt(SpragRun *run, SpragRunOutcome *outcome)
{
    const Frozen *f = &run->frozen;
    SpragRunOutcome told = SPRAG_RUN_DONE;
    for (int k = 0; f->soft_count > 0 && k < f->function_count; k++) {
        if (!f->fired[k] || f->functions[k].kind != FUNCTION_GAP)
            continue;
        double gap;
        int slot = f->open[f->functions[k].index], mate = find_mate(run, slot);
        SpragSystemSample sample = {.gap = &gap};
        SPRAG_TRY(
            sprag_system_sample(run->system, run->t, run->y, run->y + run->m, 1, &slot, &sample));
        if (run->compliant[slot] || mate < 0 || !(gap < -run->tolerances.gap) ||
            !overlap_may_soften(run, slot, mate))
            continue;
        SPRAG_TRY(overlap_soften(run, slot, mate, &told));
    }
    if (told != SPRAG_RUN_DONE)
        *outcome = told;
    return SPRAG_OK;
}

SpragStatus overlap_begin(SpragRun *run, int slot, double depth)
{
    double gap;
    SpragSystemSample sample = {.gap = &gap};
    SPRAG_TRY(sprag_system_sample(run->system, run->t, run->y, run->y + run->m, 1, &slot, &sample));
    double shift = -gap - depth;
    run->shift[slot] = fabs(shift) > run->tolerances.gap ? shift : 0;
    return SPRAG_OK;
}

SpragStatus overlap_absorb(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    SpragSystemSample sample = {.gap = run->probe_gap};
    if (f->soft_count == 0)
        return SPRAG_OK;
    SPRAG_TRY(sprag_system_sample(run->system, run->t, run->y, run->y + run->m, f->active_count,
                                  f->active, &sample));
    for (int i = 0; i < f->active_count; i++) {
        int slot = f->active[i];
        double shift = -run->probe_gap[i] - run->depth_state[slot];
        if (f->soft[i] && fabs(shift - run->shift[slot]) > run->tolerances.gap)
            run->shift[slot] = shift;
    }
    return SPRAG_OK;
}

void overlap_land(SpragRun *run)
{
    double deepest = 0;
    for (int slot = 0; slot < run->slots; slot++)
        if (run->compliant[slot] && run->touching[slot])
            deepest = fmax(deepest, run->depth_state[slot] + run->shift[slot]);
    for (int slot = 0; deepest > 0 && slot < run->slots; slot++) {
        double gap = run->kinematics[slot].gap;
        bool lands = !run->compliant[slot] && run->mode[slot] != SPRAG_MODE_SEPARATE &&
                     run->mode_before[slot] == SPRAG_MODE_SEPARATE;
        if (lands)
            run->shift[slot] = gap < -run->tolerances.gap && gap >= -deepest ? -gap : 0;
    }
}

SpragStatus overlap_relax(SpragRun *run)
{
    for (int slot = 0; slot < run->slots; slot++) {
        bool open =
            run->compliant[slot] ? !run->touching[slot] : run->mode[slot] == SPRAG_MODE_SEPARATE;
        if (run->shift[slot] == 0 || !open)
            continue;
        double gap;
        SpragSystemSample sample = {.gap = &gap};
        SPRAG_TRY(
            sprag_system_sample(run->system, run->t, run->y, run->y + run->m, 1, &slot, &sample));
        // below zero it would touch before its gap is closed
        double shift = fmin(fmax(-gap, 0), fmax(run->shift[slot], 0));
        if (shift != run->shift[slot]) {
            run->shift[slot] = shift;
            run->begin_known = false;
        }
    }
    return SPRAG_OK;
}
