// motion_apply.c: what happens at an event (theory.md 14.2): slips that stop, contacts that close
// or come to the end of their side, the decision that follows, and the arc after it.
#include <math.h>
#include <string.h>

#include "motion_private.h"

// Events at one time that a slip which stops there may have; more are the same one again.
enum { STOPS_HERE = 3 };
// A decision at an event on a smooth arc looks this part of a step ahead, where the old mode is
// clearly over.
static const double LOOK_AHEAD = 1e-4;
// In space a slip whose part along its heading ends has stopped if no more than this many
// tolerances are left of it; else it has only turned.
static const double STOPPED = 30;
// Where one slip stops, others that are as slow as this stop with it: contacts of one body whose
// slips differ by a turn that is rounding.
static const double STOPPED_TOO = 1e3;

// Goes on where every closed contact is compliant: there is nothing to decide.
SpragStatus apply_layers(SpragRun *run, SpragRunOutcome *outcome)
{
    memset(run->fresh, 0, (size_t)run->slots * sizeof *run->fresh);
    run->idle = 0;
    run->held = false;
    tell_changes(run, outcome);
    SPRAG_TRY(arc_begin(run));
    SPRAG_TRY(apply_layers_verdict(run, outcome));
    return tell_sample(run, run->t, run->y, false, run->started, outcome);
}

// Beside layers of bearings the record has what rigid mechanics says of them, while the run goes by
// the decision.
SpragStatus apply_tell_verdict(SpragRun *run, const Decision *decision, SpragRunOutcome *outcome)
{
    Pilot *pilot = &run->pilot;
    if (run->settings.motion != SPRAG_MOTION_COMPLIANT || !bearing_any_soft(run)) {
        tell_verdict(run, run->t, decision, outcome);
        return SPRAG_OK;
    }
    SPRAG_TRY(apply_layers_verdict(run, outcome));
    pilot->kind = decision->verdict.kind;
    pilot->solution_count = decision->verdict.solution_count;
    pilot->stable_count = decision->verdict.stable_count;
    return SPRAG_OK;
}

// Whether every closed contact is compliant, and there is one.
bool apply_only_layers(const SpragRun *run)
{
    bool any = false;
    for (int slot = 0; slot < run->slots; slot++) {
        any |= run->touching[slot];
        if (!run->compliant[slot] && run->mode[slot] != SPRAG_MODE_SEPARATE)
            return false;
    }
    return any;
}

// Whether a contact pulls where one has just closed or its side has ended: positions are put right
// where the arc begins, and what meets there is another feature than the decision knew, by a
// rounding.
static SpragStatus find_pull(SpragRun *run, bool *pulls)
{
    const double none = 1e-6;
    const Frozen *f = &run->frozen;
    bool asked = run->doubtful;
    run->doubtful = *pulls = false; // asked once
    if (!asked || run->tangents == 2 || f->active_count == 0)
        return SPRAG_OK;
    SpragStatus status = modes_evaluate(run, run->t, run->y);
    if (status != SPRAG_OK)
        return status == SPRAG_ERROR_NUMERIC ? SPRAG_OK : status;
    double least = 0;
    if (f->dependent)
        SPRAG_TRY(margin_clear(run, &least));
    for (int i = 0; i < f->active_count && !f->dependent; i++)
        if (!f->soft[i] && !f->bearing[i])
            least = fmin(least, run->now.force[f->first[i]] / run->force_scale);
    *pulls = least < -none;
    return SPRAG_OK;
}

// Begins the arc of the modes taken and told. Where corners meet another contact may stand for one
// that the decision took: *lost tells, and that the decision is to be taken again without it.
static SpragStatus begin_taken(SpragRun *run, bool *lost)
{
    size_t bytes = (size_t)run->slots * sizeof *run->mode;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    SpragMode *told = sprag_arena_alloc(run->arena, (size_t)run->slots + 1, sizeof *told);
    if (!told)
        return SPRAG_ERROR_MEMORY;
    memcpy(told, run->mode, bytes);
    run->lost = 0;
    SPRAG_TRY(arc_begin(run));
    bool pulls;
    SPRAG_TRY(find_pull(run, &pulls));
    *lost = (run->lost > 0 && run->started) || pulls;
    if (*lost)
        memcpy(run->mode_before, told, bytes);
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// Takes the decision: verdict interval, modes, events of the changes, rest.
SpragStatus run_take(SpragRun *run, const Decision *decision, bool layered,
                     SpragRunOutcome *outcome)
{
    bool held = decision->verdict.held, lost;
    bool several = decision->verdict.stable_count > 1 && decision->taken >= 0;
    decide_apply(run, decision);
    // a layer's event repeats nothing, however often it leaves the rigid modes as they are
    if (run->started && !layered && !run->pilot.acted)
        decide_open_grazing(run, decision);
    memset(run->fresh, 0, (size_t)run->slots * sizeof *run->fresh);
    if (several)
        tell_event(run, SPRAG_EVENT_AMBIGUITY, -1, outcome, "%s", decision->verdict.reason);
    tell_changes(run, outcome);
    // contacts that have just separated are no part of the verdict any more
    Decision now = *decision;
    if (decide_separates(run, decision) || run->idle > 0) {
        // but that there were other motions is worth telling
        if (decision->verdict.solution_count > 1)
            tell_verdict(run, run->t, decision, outcome);
        SPRAG_TRY(decide_present(run, run->t, run->y, &now));
    }
    SPRAG_TRY(apply_tell_verdict(run, &now, outcome));
    SPRAG_TRY(begin_taken(run, &lost));
    if (lost && apply_only_layers(run))
        return apply_layers(run, outcome);
    if (lost && *outcome == SPRAG_RUN_DONE) {
        SPRAG_TRY(decide(run, run->t, run->y, NULL, &now, outcome));
        return *outcome == SPRAG_RUN_DONE ? run_take(run, &now, layered, outcome) : SPRAG_OK;
    }
    SPRAG_TRY(pilot_tell_chatter(run, outcome));
    SPRAG_TRY(decide_rest(run, &held));
    held = held && zeno_next(run, INFINITY) == INFINITY;
    if (held && !run->held && run->started)
        tell_event(run, SPRAG_EVENT_REST, -1, outcome, "everything rests, and stays so");
    run->held = held;
    return tell_sample(run, run->t, run->y, false, run->started, outcome);
}

// Whether a slip whose event has come is over, from the sample at run->t, run->y. In space it may
// have turned by a right angle beside its zero.
static bool has_stopped(const SpragRun *run, const EventFunction *g)
{
    if (g->kind != FUNCTION_SLIP)
        return false;
    double none = fmax(STOPPED * run->tolerances.slip, run->frozen.vague[g->index]);
    return run->tangents == 1 || run->frozen.bearing[g->index] ||
           modes_slip_size(run, run->now.slip + run->slip_stride * g->index) <= none;
}

// Whether nothing has happened but that slips have turned: the arc begins anew with their headings.
SpragStatus apply_only_turns(SpragRun *run, bool *turns)
{
    const Frozen *f = &run->frozen;
    *turns = run->tangents == 2;
    if (*turns)
        SPRAG_TRY(modes_evaluate(run, run->t, run->y));
    for (int i = 0; *turns && i < f->function_count; i++)
        if (f->fired[i] &&
            (f->functions[i].kind != FUNCTION_SLIP || has_stopped(run, &f->functions[i])))
            *turns = false;
    return SPRAG_OK;
}

// A slip that is as slow as one that has ended, and not one that has just begun.
static bool is_fading(const SpragRun *run, int i)
{
    const Frozen *f = &run->frozen;
    return f->sliding[i] && !f->soft[i] && !run->starting[f->active[i]] &&
           !sprag_friction_law_is_smooth(&run->law[f->active[i]]) &&
           modes_slip_size(run, run->now.slip + run->slip_stride * i) <=
               STOPPED * run->tolerances.slip;
}

// Whether forces come to their limits in space while slips are about to end: errors across a slip
// turn it then, to where no forces may be, and it ends here.
static SpragStatus slips_fade(SpragRun *run, bool *fade)
{
    *fade = false;
    if (run->tangents == 1 || !events_fired_rigid(run, FUNCTION_MARGIN))
        return SPRAG_OK;
    SPRAG_TRY(modes_evaluate(run, run->t, run->y));
    for (int i = 0; i < run->frozen.active_count; i++)
        *fade |= is_fading(run, i);
    return SPRAG_OK;
}

// Sliding contacts whose slip is zero now come to rest.
static SpragStatus find_resting(SpragRun *run, bool *resting)
{
    const Frozen *f = &run->frozen;
    double slow = 1;
    SPRAG_TRY(modes_evaluate(run, run->t, run->y));
    for (int i = 0; run->tangents == 2 && i < f->function_count; i++)
        if (f->fired[i] && has_stopped(run, &f->functions[i]))
            slow = STOPPED_TOO;
    bool fades = events_fired_rigid(run, FUNCTION_MARGIN);
    for (int i = 0; i < f->active_count; i++)
        if (f->sliding[i] && !f->soft[i] &&
            !sprag_friction_law_is_smooth(&run->law[f->active[i]]) &&
            (modes_slip_size(run, run->now.slip + run->slip_stride * i) <=
                 slow * run->tolerances.slip ||
             (fades && is_fading(run, i))))
            resting[f->active[i]] = true;
    for (int i = 0; i < f->function_count; i++)
        if (f->fired[i] && !f->soft[f->functions[i].index] &&
            (has_stopped(run, &f->functions[i]) || f->functions[i].kind == FUNCTION_BAND))
            resting[f->active[f->functions[i].index]] = true;
    return SPRAG_OK;
}

// Slips end. The decision that follows is on a state put back on its contacts: on a drifted one,
// rows of contacts in one line differ by the drift, and count as independent.
static SpragStatus stop_slips(SpragRun *run, bool lands, bool *resting)
{
    bool moved = false;
    SPRAG_TRY(find_resting(run, resting));
    if (lands)
        return SPRAG_OK; // which projects, when it knows what is closed
    // in space all slips that end do so at once, theory.md (13.13)
    for (int slot = 0; run->tangents == 2 && slot < run->slots; slot++)
        if (resting[slot])
            run->mode[slot] = SPRAG_MODE_STICK;
    SPRAG_TRY(arc_project(run, run->tangents == 2, &moved));
    for (int slot = 0; run->tangents == 2 && slot < run->slots; slot++)
        if (resting[slot])
            run->mode[slot] = run->mode_before[slot];
    if (moved)
        modes_outdate(run);
    return SPRAG_OK;
}

// Contacts whose side has ended let go; what they touch next is found like any contact that closes.
static SpragStatus leave_surfaces(SpragRun *run, SpragRunOutcome *outcome)
{
    const Frozen *f = &run->frozen;
    for (int i = 0; i < f->function_count; i++) {
        if (!f->fired[i] || f->functions[i].kind != FUNCTION_SURFACE)
            continue;
        int slot = f->active[f->functions[i].index];
        run->left[slot] = true;
        if (!run->compliant[slot])
            run->mode[slot] = SPRAG_MODE_SEPARATE;
    }
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    int *kept = sprag_arena_alloc(run->arena, (size_t)f->active_count + 1, sizeof *kept), count = 0;
    SpragVec3 *places = sprag_arena_alloc(run->arena, (size_t)run->slots + 1, sizeof *places);
    if (!kept || !places)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(sprag_system_kinematics(run->system, run->t, run->y, run->y + run->m,
                                      &run->tolerances, run->kinematics));
    for (int slot = 0; slot < run->slots; slot++)
        places[slot] = run->kinematics[slot].point;
    for (int i = 0; i < f->active_count; i++)
        if (!run->left[f->active[i]])
            kept[count++] = f->active[i];
    sprag_system_hold(run->system, run->y, run->y + run->m, count, kept);
    modes_outdate(run);
    SPRAG_TRY(layers_pass(run, places, outcome));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// The state a little later on the old mode: there an event on a smooth arc is clearly over, while
// at the event itself old and new mode give the same motion (theory.md 14.2). Beside forces that
// are much larger it may take longer: where events have changed nothing, so `often`, it looks
// further and further.
static SpragStatus look_ahead(SpragRun *run, const SpragStep *step, int often, double *t)
{
    double h = fmin(LOOK_AHEAD * pow(2, often), 1) * (step->t_new - step->t_old);
    *t = run->t + h;
    if (*t <= step->t_new)
        return sprag_integrator_evaluate(run->integrator, *t, run->later);
    SPRAG_TRY(modes_evaluate(run, run->t, run->y));
    const double *v = run->y + run->m;
    double *middle = run->later + run->m;
    for (int i = 0; i < run->n; i++)
        middle[i] = v[i] + 0.5 * h * run->now.acceleration[i];
    sprag_system_position_rate(run->system, run->y, middle, run->later);
    for (int i = 0; i < run->m; i++)
        run->later[i] = run->y[i] + h * run->later[i];
    for (int i = 0; i < run->n; i++)
        run->later[run->m + i] = v[i] + h * run->now.acceleration[i];
    return SPRAG_OK;
}

// A contact that has come down at the very time it was left a moment ago: it accelerates apart now,
// and so little that it comes down again before it has left. What it does is told by a state later
// on the old arc, put back on the contacts. *y stays as it is where velocities have jumped.
static SpragStatus look_behind_landing(SpragRun *run, const SpragStep *step, const double *before,
                                       double *t, const double **y)
{
    if (run->events_here == 0)
        return SPRAG_OK;
    for (int i = run->m; i < run->m + run->n; i++)
        if (fabs(run->y[i] - before[i]) > run->tolerances.rate)
            return SPRAG_OK;
    // further and further, until it has come down
    double part = fmin(LOOK_AHEAD * pow(2, run->events_here), 1);
    double at =
        fmin(run->t + part * (step->t_new - step->t_old), sprag_integrator_time(run->integrator));
    if (at <= run->t)
        return SPRAG_OK;
    SPRAG_TRY(sprag_integrator_evaluate(run->integrator, at, run->scratch));
    memcpy(run->later, run->y, (size_t)run->size * sizeof *run->y);
    memcpy(run->later, run->scratch, (size_t)(run->m + run->n) * sizeof *run->y);
    SPRAG_TRY(arc_project_other(run, at, run->later));
    *t = at;
    *y = run->later;
    return SPRAG_OK;
}

// Contacts close. What is left of their normal velocities goes before the decision; the slips that
// then remain say which contacts slide.
static SpragStatus land(SpragRun *run, SpragRunOutcome *outcome)
{
    bool moved;
    SPRAG_TRY(collide_land(run, outcome));
    if (*outcome != SPRAG_RUN_DONE)
        return SPRAG_OK;
    overlap_land(run);
    SPRAG_TRY(layers_bend(run));
    SPRAG_TRY(modes_freeze(run));
    SPRAG_TRY(arc_project(run, true, &moved));
    SPRAG_TRY(sprag_system_kinematics(run->system, run->t, run->y, run->y + run->m,
                                      &run->tolerances, run->kinematics));
    for (int slot = 0; slot < run->slots; slot++) {
        if (run->compliant[slot] ||
            (run->mode[slot] != SPRAG_MODE_STICK && !mode_slides(run->mode[slot])))
            continue;
        run->mode[slot] = modes_of_slip(run, slot, run->kinematics[slot].slip);
    }
    run->step_guess = 0;
    SPRAG_TRY(layers_jump(run));
    // the decision asks for the forces of the layers in their new modes
    return run->frozen.soft_count > 0 ? modes_freeze(run) : SPRAG_OK;
}

// Applies the event at run->t, run->y; the old mode is still frozen.
SpragStatus apply_event(SpragRun *run, const SpragStep *step, SpragRunOutcome *outcome)
{
    Decision decision;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    bool *resting = sprag_arena_alloc(run->arena, (size_t)run->slots + 1, sizeof *resting);
    double *before = sprag_arena_alloc(run->arena, (size_t)(run->m + run->n) + 1, sizeof *before);
    double t = run->t;
    const double *y = run->y;
    if (!resting || !before)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(tell_sample(run, run->t, run->y, true, false, outcome));
    pilot_remember(run);
    run->pilot.before_told = true;
    SPRAG_TRY(modes_follow_slips(run));
    modes_remember(run);
    if (events_fired(run, FUNCTION_DETERMINANT))
        return apply_jam(run, outcome);
    SPRAG_TRY(overlap_adopt(run, outcome));
    bool lands = events_fired_rigid(run, FUNCTION_GAP);
    bool stops = events_fired_rigid(run, FUNCTION_SLIP) || events_fired_rigid(run, FUNCTION_BAND);
    bool leaves = events_fired(run, FUNCTION_SURFACE), layered, fade;
    SPRAG_TRY(slips_fade(run, &fade));
    stops |= fade;
    run->passed = 0;
    memset(run->left, 0, (size_t)run->slots * sizeof *run->left);
    memset(run->fresh, 0, (size_t)run->slots * sizeof *run->fresh);
    SPRAG_TRY(karnopp_come(run));
    if (stops)
        SPRAG_TRY(stop_slips(run, lands, resting));
    memcpy(run->fresh, resting, (size_t)run->slots * sizeof *run->fresh);
    SPRAG_TRY(layers_apply(run, &layered));
    if (leaves)
        SPRAG_TRY(leave_surfaces(run, outcome));
    lands |= leaves;
    if (lands) {
        memcpy(before, run->y, (size_t)(run->m + run->n) * sizeof *before);
        SPRAG_TRY(land(run, outcome));
    }
    if (*outcome != SPRAG_RUN_DONE)
        return SPRAG_OK;
    if (layered)
        SPRAG_TRY(modes_settle(run));
    if (apply_only_layers(run)) {
        sprag_arena_release(run->arena, mark);
        return apply_layers(run, outcome);
    }
    // a slip that stops here again and again has no acceleration either (the end of a rod under a
    // ball that rolls over it): what it does is told later
    bool again = stops && run->events_here > STOPS_HERE;
    if (!lands && !layered && (!stops || again)) {
        SPRAG_TRY(look_ahead(run, step, again ? run->events_here - STOPS_HERE : run->idle, &t));
        if (run->frozen.dependent)
            SPRAG_TRY(arc_project_other(run, t, run->later));
        y = run->later;
    } else if (lands && !leaves && !layered)
        SPRAG_TRY(look_behind_landing(run, step, before, &t, &y));
    run->looked = t;
    run->doubtful = lands && y == run->y;
    SPRAG_TRY(decide(run, t, y, resting, &decision, outcome));
    sprag_arena_release(run->arena, mark);
    if (*outcome != SPRAG_RUN_DONE)
        return SPRAG_OK;
    return run_take(run, &decision, layered, outcome);
}
