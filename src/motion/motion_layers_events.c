// motion_layers_events.c: what ends an arc of compliant contacts, and what follows.
// A contact touches when its gap closes, and opens when its depth is zero again; in between its
// force may be clipped for a while (theory.md (5.2)). Its slider sticks or slides by (5.8), (5.9);
// at σ = 0 both give the same rates, so the decision needs no search.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "motion_private.h"

// ---- Functions ----------------------------------------------------------------------------------

// Whether damping can bring the force to zero before the depth.
static bool can_clip(const SpragLayer *layer)
{
    return layer->damping > 0 || layer->alpha > 0;
}

void layers_list_smooth(SpragRun *run, int i)
{
    bool slides = mode_slides(run->mode[run->frozen.active[i]]);
    if (run->tangents == 2) {
        if (!slides) // a slip that turns does not pass through zero
            modes_add_function(run, FUNCTION_BEGIN, i, 0);
        return;
    }
    if (slides) {
        modes_add_function(run, FUNCTION_REVERSAL, i, 0);
        return;
    }
    modes_add_function(run, FUNCTION_BEGIN_PLUS, i, 0);
    modes_add_function(run, FUNCTION_BEGIN_MINUS, i, 0);
}

static void list_slider(SpragRun *run, int i, double zero)
{
    int slot = run->frozen.active[i];
    bool slides = mode_slides(run->mode[slot]);
    if (sprag_friction_law_is_smooth(&run->law[slot])) {
        layers_list_smooth(run, i);
    } else if (!slides && run->law[slot].kind == SPRAG_FRICTION_KARNOPP && run->frozen.dependent) {
        return; // the margin of all tells
    } else if (!slides) {
        modes_add_cone(run, i, zero);
    } else if (run->law[slot].kind == SPRAG_FRICTION_KARNOPP) {
        modes_add_function(run, FUNCTION_SLIP, i, run->tolerances.slip);
        modes_add_function(run, FUNCTION_BAND, i, 0);
    } else {
        modes_add_function(run, FUNCTION_SLIDER, i,
                           run->frozen.quick[i] ? run->tolerances.slip : zero);
    }
}

void layers_list_functions(SpragRun *run, int i)
{
    int slot = run->frozen.active[i];
    bool clipped = run->mode[slot] == SPRAG_MODE_SEPARATE;
    double zero = 1e-11 * run->force_scale;
    // a layer that has just touched at rest may leave by the rounding of its speed before it
    // presses
    modes_add_function(run, FUNCTION_DEPTH, i, LAYER_CLOSED * run->tolerances.gap);
    if (can_clip(&run->layer[slot]))
        modes_add_function(run, FUNCTION_PRESS, i, run->layer[slot].alpha > 0 ? 1e-12 : zero);
    if (!clipped && modes_have_friction(run, i))
        list_slider(run, i, zero);
}

// Force before the clip. With Hunt–Crossley damping it vanishes with the depth; what tells the clip
// is its factor 1 + (3/2) α δ'.
static double press_value(const SpragRun *run, int i)
{
    int slot = run->frozen.active[i];
    const SpragLayer *layer = &run->layer[slot];
    double value =
        layer->alpha > 0 ? 1 - 1.5 * layer->alpha * run->now.gap_rate[i] : run->now.press[i];
    return run->mode[slot] == SPRAG_MODE_SEPARATE ? -value : value;
}

void layers_stop_slider(SpragRun *run, int slot)
{
    run->slid[slot] = run->mode[slot];
    run->stick_since[slot] = run->t;
    run->mode[slot] = SPRAG_MODE_STICK;
}

// Whether the damper of a layer can pull. One that is not pressed yet does so where it leaves, and
// not by the rounding of a speed.
static bool may_pull(const SpragRun *run, double pressed, double rate)
{
    return pressed > 0 || rate > run->tolerances.rate;
}

// Layers whose damper would pull are clipped: velocities have jumped where rigid contacts closed
// beside them.
bool layers_clip_pulling(SpragRun *run)
{
    const double rounding = 1e-6;
    const Frozen *f = &run->frozen;
    bool any = false;
    for (int i = 0; i < f->active_count; i++) {
        int slot = f->active[i];
        if (!f->soft[i] || run->mode[slot] == SPRAG_MODE_SEPARATE || !can_clip(&run->layer[slot]))
            continue;
        double elastic = sprag_layer_elastic(&run->layer[slot], fmax(run->y[f->depth_at[i]], 0));
        if (!(run->now.press[i] < -rounding * fmax(elastic, run->force_scale)) ||
            !may_pull(run, elastic, run->now.gap_rate[i]))
            continue;
        run->mode[slot] = SPRAG_MODE_SEPARATE;
        any = true;
    }
    return any;
}

double layers_function(const SpragRun *run, const EventFunction *g)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    int i = g->index, slot = f->active[i];
    double trial[2];
    switch (g->kind) {
    case FUNCTION_DEPTH:
        return e->y[f->depth_at[i]];
    case FUNCTION_PRESS:
        return press_value(run, i);
    case FUNCTION_SLIDER:
        if (f->quick[i])
            return f->sign[i] * layers_quick_slip(run, i);
        layers_trial(run, e->y, i, trial);
        return (run->tangents == 1 ? -f->sign[i] * trial[0] : hypot(trial[0], trial[1])) -
               modes_kinetic(run, i) * e->force[f->first[i]];
    case FUNCTION_REVERSAL: // only a slip that is one: rest is a small slip of either sign
        return f->sign[i] * e->slip[i] + run->tolerances.slip;
    case FUNCTION_BEGIN_PLUS:
        return run->tolerances.slip - e->slip[i];
    case FUNCTION_BEGIN_MINUS:
        return run->tolerances.slip + e->slip[i];
    case FUNCTION_BEGIN:
        return run->tolerances.slip - modes_slip_size(run, e->slip + run->slip_stride * i);
    default: // FUNCTION_BAND
        return (run->tangents == 1 ? f->sign[i] * e->slip[i]
                                   : modes_slip_size(run, e->slip + run->slip_stride * i)) -
               run->law[slot].speed;
    }
}

// ---- What follows -------------------------------------------------------------------------------

// What the layer of a slot does at run->t, run->y, from its states.
typedef struct Look {
    double gap, rate, slip[WAYS];
    double normal, raw;      // its force, and that before the clip
    double trial[2], pulled; // λ_tr and its size
    SpragFrictionNumbers numbers;
} Look;

static SpragStatus look_at(SpragRun *run, int slot, Look *look)
{
    const SpragLayer *layer = &run->layer[slot];
    SpragSystemSample sample = {
        .gap = &look->gap, .gap_rate = &look->rate, .slip = look->slip, .numbers = &look->numbers};
    SPRAG_TRY(sprag_system_sample(run->system, run->t, run->y, run->y + run->m, 1, &slot, &sample));
    look->normal = sprag_layer_normal(layer, fmax(run->depth_state[slot], 0), -look->rate,
                                      &look->raw, NULL, NULL);
    for (int k = 0; k < run->tangents; k++)
        look->trial[k] = layer->tangential_stiffness * run->shear_state[run->tangents * slot + k] -
                         layer->tangential_damping * look->slip[k];
    look->pulled = modes_tangent_size(run, look->trial);
    return SPRAG_OK;
}

void layers_slide_along(SpragRun *run, int slot, const double *v, double sign)
{
    if (run->tangents == 1) {
        run->mode[slot] = sign * v[0] < 0 ? SPRAG_MODE_SLIDE_MINUS : SPRAG_MODE_SLIDE_PLUS;
        return;
    }
    double size = hypot(v[0], v[1]);
    run->mode[slot] = SPRAG_MODE_SLIDE;
    for (int k = 0; size > 0 && k < 2; k++)
        run->heading[WAYS * slot + k] = sign * v[k] / size;
}

// What a slot's slider does first, with the force of its layer at its depth and shear.
SpragStatus layers_choose(SpragRun *run, int slot)
{
    Look look;
    SPRAG_TRY(look_at(run, slot, &look));
    if (sprag_system_row_count(run->system, 1, &slot) == 1) {
        run->mode[slot] = SPRAG_MODE_CLOSED;
        return SPRAG_OK;
    }
    double slip = modes_slip_size(run, look.slip);
    bool coulomb = run->law[slot].kind == SPRAG_FRICTION_COULOMB && look.numbers.stationary > 0;
    bool rests = slip <= run->tolerances.slip;
    if (run->law[slot].kind == SPRAG_FRICTION_KARNOPP)
        rests = slip <= run->law[slot].speed;
    bool sheared = modes_tangent_size(run, run->shear_state + run->tangents * slot) > 0;
    if (coulomb)
        rests = (rests && !sheared) || look.pulled <= look.numbers.stationary * look.normal;
    if (rests)
        run->mode[slot] = SPRAG_MODE_STICK;
    else
        layers_slide_along(run, slot, coulomb ? look.trial : look.slip, coulomb ? -1 : 1);
    return SPRAG_OK;
}

SpragStatus layers_choose_first(SpragRun *run, int slot)
{
    Look look;
    SPRAG_TRY(look_at(run, slot, &look));
    if (look.raw >= 0 || !may_pull(run, run->depth_state[slot], look.rate))
        return layers_choose(run, slot);
    run->mode[slot] = SPRAG_MODE_SEPARATE;
    return SPRAG_OK;
}

// What a layer does behind a jump of the velocities: it may be clipped, press again, or its slider
// may stick or turn; one that slides on as before is left alone.
static SpragStatus meet_jump(SpragRun *run, int slot)
{
    Look look;
    SpragMode mode = run->mode[slot];
    SPRAG_TRY(look_at(run, slot, &look));
    if (look.raw < 0) {
        run->mode[slot] = SPRAG_MODE_SEPARATE;
        return SPRAG_OK;
    }
    double slip = modes_slip_size(run, look.slip);
    double along = run->tangents == 2               ? look.pulled
                   : mode == SPRAG_MODE_SLIDE_MINUS ? look.trial[0]
                                                    : -look.trial[0];
    if (run->law[slot].kind == SPRAG_FRICTION_COULOMB && mode_slides(mode) &&
        along > sprag_friction_coefficient(&look.numbers, slip) * look.normal)
        return SPRAG_OK;
    return layers_choose(run, slot);
}

SpragStatus layers_jump(SpragRun *run)
{
    for (int slot = 0; slot < run->slots; slot++)
        if (run->compliant[slot] && run->touching[slot])
            SPRAG_TRY(meet_jump(run, slot));
    return SPRAG_OK;
}

SpragStatus layers_press(SpragRun *run, int slot, double depth, const double *shear)
{
    SPRAG_TRY(layers_define(run, 1, &slot));
    SPRAG_TRY(overlap_begin(run, slot, depth));
    run->touching[slot] = true;
    run->depth_state[slot] = depth;
    layers_set_shear(run, slot, shear, 1);
    run->stick_since[slot] = -INFINITY;
    run->slid[slot] = SPRAG_MODE_SEPARATE;
    return layers_choose_first(run, slot);
}

SpragStatus layers_start(SpragRun *run)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    int *slots = sprag_arena_alloc(run->arena, (size_t)run->slots + 1, sizeof *slots);
    int count = 0;
    if (!slots)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(sprag_system_kinematics(run->system, run->t, run->y, run->y + run->m,
                                      &run->tolerances, run->kinematics));
    for (int slot = 0; slot < run->slots; slot++) {
        const SpragContactKinematics *k = &run->kinematics[slot];
        bool touches = k->gap < -run->tolerances.gap ||
                       (k->gap <= run->tolerances.gap && k->gap_rate <= run->tolerances.rate);
        if (run->compliant[slot] && touches)
            slots[count++] = slot;
    }
    SPRAG_TRY(layers_define(run, count, slots)); // together: one default for all
    for (int i = 0; i < count; i++) {
        double gap = run->kinematics[slots[i]].gap;
        SPRAG_TRY(layers_press(run, slots[i], gap < -run->tolerances.gap ? -gap : 0, NULL));
    }
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// The contact that a function belongs to.
static int slot_of(const SpragRun *run, const EventFunction *g)
{
    return g->kind == FUNCTION_GAP ? run->frozen.open[g->index] : run->frozen.active[g->index];
}

static SpragMode other_way(SpragMode mode)
{
    return mode == SPRAG_MODE_SLIDE_PLUS ? SPRAG_MODE_SLIDE_MINUS : SPRAG_MODE_SLIDE_PLUS;
}

static SpragStatus apply(SpragRun *run, const EventFunction *g, int slot)
{
    Look look;
    bool settled = false;
    switch (g->kind) {
    case FUNCTION_GAP:
        SPRAG_TRY(look_at(run, slot, &look));
        if (look.gap > run->tolerances.gap)
            return SPRAG_OK; // it has jumped there and back
        if (look.gap < -run->tolerances.gap)
            SPRAG_TRY(layers_take_over(run, slot, &settled));
        if (settled)
            return SPRAG_OK;
        // inside at once, and on its way out: there is nothing to press
        if (look.gap < -run->tolerances.gap && look.rate > run->tolerances.rate)
            return overlap_begin(run, slot, 0);
        if (!run->layer_known[slot])
            overlap_share_neighbour(run, slot);
        return layers_press(run, slot, 0, NULL);
    case FUNCTION_PRESS:
        if (run->mode[slot] == SPRAG_MODE_SEPARATE)
            return layers_choose(run, slot);
        run->mode[slot] = SPRAG_MODE_SEPARATE;
        return SPRAG_OK;
    case FUNCTION_CONE:
        layers_slide_along(run, slot, run->now.force + run->frozen.first[g->index] + 1, -1);
        return SPRAG_OK;
    case FUNCTION_BEGIN:
        layers_slide_along(run, slot, run->now.slip + run->slip_stride * g->index, 1);
        return SPRAG_OK;
    case FUNCTION_CONE_PLUS:
        run->mode[slot] = SPRAG_MODE_SLIDE_MINUS;
        return SPRAG_OK;
    case FUNCTION_CONE_MINUS:
        run->mode[slot] = SPRAG_MODE_SLIDE_PLUS;
        return SPRAG_OK;
    case FUNCTION_BEGIN_PLUS:
    case FUNCTION_BEGIN_MINUS:
        run->mode[slot] =
            g->kind == FUNCTION_BEGIN_PLUS ? SPRAG_MODE_SLIDE_PLUS : SPRAG_MODE_SLIDE_MINUS;
        return SPRAG_OK;
    case FUNCTION_REVERSAL:
        run->mode[slot] = other_way(run->mode[slot]);
        return SPRAG_OK;
    case FUNCTION_SLIDER:
        if (run->frozen.quick[g->index])
            layers_stop_quick(run, g->index);
        else
            layers_stop_slider(run, slot);
        return SPRAG_OK;
    default: // the slip has ended
        layers_stop_slider(run, slot);
        return SPRAG_OK;
    }
}

// ---- Events -------------------------------------------------------------------------------------

// Contacts whose depth is zero open, at gaps that are zero too.
static SpragStatus open_contacts(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    bool any = false;
    for (int k = 0; k < f->function_count; k++) {
        if (!f->fired[k] || f->functions[k].kind != FUNCTION_DEPTH)
            continue;
        run->depth_state[slot_of(run, &f->functions[k])] = 0;
        any = true;
    }
    if (!any)
        return SPRAG_OK;
    SPRAG_TRY(layers_place(run));
    for (int k = 0; k < f->function_count; k++)
        if (f->fired[k] && f->functions[k].kind == FUNCTION_DEPTH)
            layers_open(run, slot_of(run, &f->functions[k]));
    return SPRAG_OK;
}

SpragStatus layers_apply(SpragRun *run, bool *changed)
{
    const Frozen *f = &run->frozen;
    *changed = false;
    if (events_fired(run, FUNCTION_MARGIN))
        SPRAG_TRY(karnopp_release_margin(run, changed));
    for (int k = 0; k < f->function_count; k++) {
        const EventFunction *g = &f->functions[k];
        if (!f->fired[k] || g->kind == FUNCTION_MARGIN || g->kind == FUNCTION_DETERMINANT)
            continue;
        int slot = slot_of(run, g);
        // of a rigid contact too
        bool smooth = g->kind == FUNCTION_REVERSAL || g->kind == FUNCTION_BEGIN_PLUS ||
                      g->kind == FUNCTION_BEGIN_MINUS || g->kind == FUNCTION_BEGIN;
        if (!run->compliant[slot] && !smooth)
            continue;
        *changed = true;
        if (g->kind != FUNCTION_SURFACE && g->kind != FUNCTION_DEPTH)
            SPRAG_TRY(apply(run, g, slot));
    }
    return open_contacts(run);
}
