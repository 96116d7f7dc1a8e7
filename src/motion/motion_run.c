// motion_run.c: the loop of theory.md 14.1: integrate a step with the modes frozen, look for the
// first event on its dense output, apply it, go on.
#include <math.h>
#include <string.h>

#include "motion_private.h"

enum { MOST_EVENTS_AT_ONCE = 200, MOST_IDLE = 50 };
// Linear programs that cost about as much as a step beside layers.
enum { LOOK_CREDIT = 20 };
// A decision at an event on a smooth arc looks this part of a step ahead, where the old mode is
// clearly over.
static const double LOOK_AHEAD = 1e-4;
// Closed contacts are projected when they have drifted by this part of their tolerance.
static const double DRIFT_PART = 1e-3;
// A mode ends in a jam when its determinant falls to this, or to so many tolerances if that is
// more: A and B may vanish together, where λ = −B/A is finite and only errors say which is first
// (theory.md 8.4). Several rows may have a small determinant from the start: then it is the part.
static const double JAM_TOLERANCES = 1e3;
// Rows with a determinant this many times larger take the place of those that come together.
static const double OTHER_ROWS = 100;
// In space a slip whose part along its heading ends has stopped if no more than this many
// tolerances are left of it; else it has only turned.
static const double STOPPED = 30;
// Where one slip stops, others that are as slow as this stop with it: contacts of one body whose
// slips differ by a turn that is rounding.
static const double STOPPED_TOO = 1e3;

// ---- Projection ---------------------------------------------------------------------------------

// What a projection works on, of the active contacts.
typedef struct Projection {
    double *gaps; // that they should have
    int rigid_count;
    int *rigid; // slots
    bool *stick;
} Projection;

static SpragStatus prepare_projection(SpragRun *run, const double *y, Projection *p)
{
    const Frozen *f = &run->frozen;
    size_t count = (size_t)f->active_count + 1;
    p->gaps = sprag_arena_alloc(run->arena, count, sizeof *p->gaps);
    p->rigid = sprag_arena_alloc(run->arena, count, sizeof *p->rigid);
    p->stick = sprag_arena_alloc(run->arena, count, sizeof *p->stick);
    p->rigid_count = 0;
    if (!p->gaps || !p->rigid || !p->stick)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < f->active_count; i++) {
        p->gaps[i] = f->soft[i] ? -y[f->depth_at[i]] : 0;
        if (f->soft[i])
            continue;
        p->stick[p->rigid_count] = run->mode[f->active[i]] == SPRAG_MODE_STICK;
        p->rigid[p->rigid_count++] = f->active[i];
    }
    return SPRAG_OK;
}

static SpragStatus has_drifted(SpragRun *run, const Projection *p, bool *drifted)
{
    const Frozen *f = &run->frozen;
    SpragSystemSample sample = {
        .gap = run->probe_gap, .gap_rate = run->probe_rate, .slip = run->probe_slip};
    SPRAG_TRY(sprag_system_sample(run->system, run->t, run->y, run->y + run->m, f->active_count,
                                  f->active, &sample));
    for (int i = 0; i < f->active_count; i++) {
        *drifted |= fabs(run->probe_gap[i] - p->gaps[i]) > DRIFT_PART * run->tolerances.gap;
        if (f->soft[i])
            continue;
        *drifted |= fabs(run->probe_rate[i]) > DRIFT_PART * run->tolerances.rate;
        double slip = modes_slip_size(run, run->probe_slip + run->tangents * i);
        *drifted |=
            run->mode[f->active[i]] == SPRAG_MODE_STICK && slip > DRIFT_PART * run->tolerances.slip;
    }
    return SPRAG_OK;
}

// Moves q so that closed contacts have their gaps. Beside layers an event may ask for more than an
// error of integration: bodies that were placed in the depths of their layers stood in contacts
// that were open then. What that takes belongs to the change of the model.
static SpragStatus project_gaps(SpragRun *run, const Projection *p, bool event)
{
    const Frozen *f = &run->frozen;
    double before = 0, after = 0, residual;
    bool book = event && f->soft_count > 0;
    if (book)
        SPRAG_TRY(layers_whole_energy(run, &before));
    SPRAG_TRY(sprag_system_project_gaps(run->system, run->t, f->active_count, f->active, p->gaps,
                                        run->y, &residual));
    if (book)
        SPRAG_TRY(layers_whole_energy(run, &after));
    run->change += before - after;
    return SPRAG_OK;
}

// Puts closed contacts back on their gaps (0, or less the depth of a layer), rigid ones on N v = 0
// (and no slip where they stick); *moved: y changed.
static SpragStatus project(SpragRun *run, bool always, bool *moved)
{
    const Frozen *f = &run->frozen;
    *moved = false;
    if (f->active_count == 0)
        return SPRAG_OK;
    *moved = always;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    Projection p;
    SPRAG_TRY(prepare_projection(run, run->y, &p));
    if (!always)
        SPRAG_TRY(has_drifted(run, &p, moved));
    if (*moved) {
        double residual;
        SPRAG_TRY(project_gaps(run, &p, always));
        if (always)
            SPRAG_TRY(collide_stop(run, p.rigid_count, p.rigid, p.stick));
        else // drift of the integration, and an error of the account like it
            SPRAG_TRY(sprag_system_project_velocity(run->system, run->t, run->y, p.rigid_count,
                                                    p.rigid, p.stick, run->y + run->m, &residual));
    }
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// The same for a state beside the present one.
static SpragStatus project_other(SpragRun *run, double t, double *y)
{
    const Frozen *f = &run->frozen;
    double residual;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    Projection p;
    SPRAG_TRY(prepare_projection(run, y, &p));
    SPRAG_TRY(sprag_system_project_gaps(run->system, t, f->active_count, f->active, p.gaps, y,
                                        &residual));
    SPRAG_TRY(sprag_system_project_velocity(run->system, t, y, p.rigid_count, p.rigid, p.stick,
                                            y + run->m, &residual));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// ---- Events -------------------------------------------------------------------------------------

// A size of force in this mode: what presses now, or would.
static SpragStatus find_force_scale(SpragRun *run)
{
    double scale = 0;
    const Frozen *f = &run->frozen;
    for (int i = 0; i < f->unknown_count; i++) {
        int r = f->unknowns[i].row;
        double w = run->now.W[r * f->row_count + r];
        if (w > 0)
            scale = fmax(scale, fabs(run->now.b[r]) / w);
    }
    for (int i = 0; i < f->active_count; i++) {
        int r = f->first[i];
        double w = run->now.W[r * f->row_count + r];
        if (f->soft[i] && w > 0)
            scale = fmax(scale, fabs(run->now.b[r]) / w);
    }
    run->force_scale = scale > 0 ? scale : 1;
    return SPRAG_OK;
}

// Whether a function may be beyond its zero at the begin of an arc, by an error of integration or
// projection.
static bool may_be_beyond(const Frozen *f, const EventFunction *g)
{
    if (g->kind == FUNCTION_GAP)
        return true;
    bool force = g->kind == FUNCTION_CONE_PLUS || g->kind == FUNCTION_CONE_MINUS ||
                 g->kind == FUNCTION_CONE || g->kind == FUNCTION_SLIDER ||
                 g->kind == FUNCTION_PRESS;
    return force && f->soft[g->index];
}

// An open contact that overlaps by an error of projection counts as touching at the begin of the
// arc: if it goes deeper it closes at once, and is not passed by. So do forces of layers.
static SpragStatus watch_overlaps(SpragRun *run)
{
    Frozen *f = &run->frozen;
    SPRAG_TRY(events_begin(run));
    for (int i = 0; run->begin_known && i < f->function_count; i++)
        if (may_be_beyond(f, &f->functions[i]) && run->values_begin[i] < 0)
            f->zeros[i] = fmax(f->zeros[i], -2 * run->values_begin[i]);
    return SPRAG_OK;
}

// Freezes the present modes at the present state, projects, and starts a new arc.
static SpragStatus begin_arc(SpragRun *run)
{
    bool moved;
    run->arc_steps = 0;
    sprag_system_position_normalise(run->system, run->y);
    SPRAG_TRY(modes_settle(run));
    SPRAG_TRY(project(run, true, &moved));
    for (bool changed = true; changed;) {
        SPRAG_TRY(modes_freeze(run));
        SPRAG_TRY(find_force_scale(run));
        SPRAG_TRY(modes_evaluate(run, run->t, run->y));
        layers_hold_quick(run, &changed);
    }
    double first = fmax(run->now.determinant, 0);
    run->jam = fmax(MOTION_JAM, JAM_TOLERANCES * run->settings.tolerance);
    if (run->frozen.solved_count > 1 || first <= run->jam)
        run->jam *= first;
    SPRAG_TRY(watch_overlaps(run));
    return layers_begin_arc(run);
}

// Tells the verdict of the rigid problem beside the motion of layers; where it cannot be computed
// nothing depends on it. In space it can cost thousands of steps: then not every state is judged.
static SpragStatus tell_layers_verdict(SpragRun *run, SpragRunOutcome *outcome)
{
    Decision decision;
    run->look_credit += LOOK_CREDIT;
    if (run->look_credit < 0)
        return SPRAG_OK;
    SpragStatus status = layers_verdict(run, run->t, run->y, &decision);
    if (status == SPRAG_OK) {
        run->look_credit = -decision.verdict.program_count;
        tell_verdict(run, run->t, &decision, outcome);
    }
    return status == SPRAG_ERROR_NUMERIC ? SPRAG_OK : status;
}

// Goes on where every closed contact is compliant: there is nothing to decide.
static SpragStatus take_layers(SpragRun *run, SpragRunOutcome *outcome)
{
    memset(run->fresh, 0, (size_t)run->slots * sizeof *run->fresh);
    run->idle = 0;
    run->held = false;
    tell_changes(run, outcome);
    SPRAG_TRY(begin_arc(run));
    SPRAG_TRY(tell_layers_verdict(run, outcome));
    return tell_sample(run, run->t, run->y, false, run->started, outcome);
}

// Whether every closed contact is compliant, and there is one.
static bool only_layers(const SpragRun *run)
{
    bool any = false;
    for (int slot = 0; slot < run->slots; slot++) {
        any |= run->touching[slot];
        if (!run->compliant[slot] && run->mode[slot] != SPRAG_MODE_SEPARATE)
            return false;
    }
    return any;
}

// Takes the decision: verdict interval, modes, events of the changes, rest.
SpragStatus run_take(SpragRun *run, const Decision *decision, bool layered,
                     SpragRunOutcome *outcome)
{
    bool held = decision->verdict.held;
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
    tell_verdict(run, run->t, &now, outcome);
    SPRAG_TRY(begin_arc(run));
    SPRAG_TRY(pilot_tell_chatter(run, outcome));
    SPRAG_TRY(decide_rest(run, &held));
    held = held && zeno_next(run, INFINITY) == INFINITY;
    if (held && !run->held && run->started)
        tell_event(run, SPRAG_EVENT_REST, -1, outcome, "everything rests, and stays so");
    run->held = held;
    return tell_sample(run, run->t, run->y, false, run->started, outcome);
}

static SpragStatus meet_contacts(SpragRun *run, const SpragStep *step);

// The first decision: which contacts are closed at the start, and what they do.
static SpragStatus start(SpragRun *run, SpragRunOutcome *outcome)
{
    Decision decision;
    zeno_clear(run);
    run->tolerances = sprag_system_tolerances(run->system, run->y + run->m);
    run->far = 1e3 * run->tolerances.gap / sprag_system_contact_tolerance(run->system);
    run->force_scale = 1;
    SPRAG_TRY(meet_contacts(run, NULL));
    for (int slot = 0; slot < run->slots; slot++)
        run->mode[slot] = SPRAG_MODE_SEPARATE;
    layers_begin(run);
    SPRAG_TRY(layers_start(run));
    SPRAG_TRY(layers_whole_energy(run, &run->initial_energy));
    SPRAG_TRY(collide_land(run, outcome));
    if (*outcome != SPRAG_RUN_DONE)
        return SPRAG_OK;
    SPRAG_TRY(modes_settle(run));
    for (int slot = 0; slot < run->slots; slot++)
        run->fresh[slot] = true;
    memset(run->left, 0, (size_t)run->slots * sizeof *run->left);
    // at the start no mode is the present one
    for (int slot = 0; slot < run->slots; slot++)
        run->mode_before[slot] = SPRAG_MODE_SEPARATE;
    run->step_guess = 0;
    run->t_start = run->t;
    run->output_count = 1;
    if (only_layers(run)) {
        modes_remember(run);
        SPRAG_TRY(take_layers(run, outcome));
        run->started = true;
        return SPRAG_OK;
    }
    if (run->pilot.forced)
        SPRAG_TRY(pilot_force(run, &decision, outcome));
    else
        SPRAG_TRY(decide(run, run->t, run->y, NULL, &decision, outcome));
    if (*outcome != SPRAG_RUN_DONE) {
        SpragRunOutcome quiet = SPRAG_RUN_DONE;
        SPRAG_TRY(modes_forget(run));
        return tell_sample(run, run->t, run->y, false, false, &quiet);
    }
    // at the start nothing has changed yet
    decide_apply(run, &decision);
    modes_remember(run);
    SPRAG_TRY(run_take(run, &decision, false, outcome));
    run->started = true;
    return SPRAG_OK;
}

// Whether a slip whose event has come is over, from the sample at run->t, run->y. In space it may
// have turned by a right angle beside its zero.
static bool has_stopped(const SpragRun *run, const EventFunction *g)
{
    if (g->kind != FUNCTION_SLIP)
        return false;
    return run->tangents == 1 ||
           modes_slip_size(run, run->now.slip + 2 * g->index) <= STOPPED * run->tolerances.slip;
}

// Whether nothing has happened but that slips have turned: the arc begins anew with their headings.
static SpragStatus only_turns(SpragRun *run, bool *turns)
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

// Sliding contacts whose slip is zero now come to rest.
static SpragStatus find_resting(SpragRun *run, bool *resting)
{
    const Frozen *f = &run->frozen;
    double slow = 1;
    SPRAG_TRY(modes_evaluate(run, run->t, run->y));
    for (int i = 0; run->tangents == 2 && i < f->function_count; i++)
        if (f->fired[i] && has_stopped(run, &f->functions[i]))
            slow = STOPPED_TOO;
    for (int i = 0; i < f->active_count; i++)
        if (f->sliding[i] && !f->soft[i] &&
            !sprag_friction_law_is_smooth(&run->law[f->active[i]]) &&
            modes_slip_size(run, run->now.slip + run->tangents * i) <= slow * run->tolerances.slip)
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
    SPRAG_TRY(project(run, run->tangents == 2, &moved));
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
    if (!kept)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < f->active_count; i++)
        if (!run->left[f->active[i]])
            kept[count++] = f->active[i];
    sprag_system_hold(run->system, run->y, run->y + run->m, count, kept);
    sprag_arena_release(run->arena, mark);
    modes_outdate(run);
    return layers_pass(run, outcome);
}

// The state a little later on the old mode: there an event on a smooth arc is clearly over, while
// at the event itself old and new mode give the same motion (theory.md 14.2).
static SpragStatus look_ahead(SpragRun *run, const SpragStep *step, double *t)
{
    double h = LOOK_AHEAD * (step->t_new - step->t_old);
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
    SPRAG_TRY(project_other(run, at, run->later));
    *t = at;
    *y = run->later;
    return SPRAG_OK;
}

// The forces of the present mode grow without limit.
static SpragStatus jam(SpragRun *run, SpragRunOutcome *outcome)
{
    Decision decision;
    SPRAG_TRY(decide_jam(run, &decision, outcome));
    return *outcome == SPRAG_RUN_DONE ? run_take(run, &decision, false, outcome) : SPRAG_OK;
}

// Of dependent rows a few stand for all, and these may come together while all of them stay apart
// (a box that passes from one table onto the next). Other rows are chosen then; *better: there are
// some.
static SpragStatus choose_other_rows(SpragRun *run, bool *better)
{
    *better = false;
    if (!run->frozen.dependent || !events_fired(run, FUNCTION_DETERMINANT))
        return SPRAG_OK;
    SPRAG_TRY(modes_evaluate(run, run->t, run->y));
    double before = run->now.determinant;
    SPRAG_TRY(begin_arc(run));
    *better = run->now.determinant > OTHER_ROWS * fabs(before);
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
    SPRAG_TRY(modes_freeze(run));
    SPRAG_TRY(project(run, true, &moved));
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
static SpragStatus apply_event(SpragRun *run, const SpragStep *step, SpragRunOutcome *outcome)
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
    modes_remember(run);
    if (events_fired(run, FUNCTION_DETERMINANT))
        return jam(run, outcome);
    bool lands = events_fired_rigid(run, FUNCTION_GAP);
    bool stops = events_fired_rigid(run, FUNCTION_SLIP) || events_fired_rigid(run, FUNCTION_BAND);
    bool leaves = events_fired(run, FUNCTION_SURFACE), layered;
    run->passed = 0;
    memset(run->left, 0, (size_t)run->slots * sizeof *run->left);
    memset(run->fresh, 0, (size_t)run->slots * sizeof *run->fresh);
    SPRAG_TRY(layers_stop_slips(run));
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
    if (only_layers(run)) {
        sprag_arena_release(run->arena, mark);
        return take_layers(run, outcome);
    }
    if (!lands && !stops && !layered) {
        SPRAG_TRY(look_ahead(run, step, &t));
        if (run->frozen.dependent)
            SPRAG_TRY(project_other(run, t, run->later));
        y = run->later;
    } else if (lands && !leaves && !layered)
        SPRAG_TRY(look_behind_landing(run, step, before, &t, &y));
    SPRAG_TRY(decide(run, t, y, resting, &decision, outcome));
    sprag_arena_release(run->arena, mark);
    if (*outcome != SPRAG_RUN_DONE)
        return SPRAG_OK;
    return run_take(run, &decision, layered, outcome);
}

// ---- The loop -----------------------------------------------------------------------------------

// Samples at multiples of the output step up to `to`, on the dense output of the last step.
static SpragStatus tell_outputs(SpragRun *run, double to, SpragRunOutcome *outcome)
{
    double step = run->settings.output_step;
    while (step > 0 && *outcome == SPRAG_RUN_DONE) {
        double t = run->t_start + (double)run->output_count * step;
        if (t >= to)
            break;
        SPRAG_TRY(sprag_integrator_evaluate(run->integrator, t, run->later));
        SPRAG_TRY(tell_sample(run, t, run->later, false, false, outcome));
        run->output_count++;
    }
    return SPRAG_OK;
}

// The sink wants no more than this part of the step.
static SpragStatus stop_inside(SpragRun *run, SpragRunOutcome *outcome)
{
    run->stopping = false;
    run->t = run->stop_at;
    SPRAG_TRY(sprag_integrator_evaluate(run->integrator, run->t, run->y));
    layers_unpack(run);
    SPRAG_TRY(tell_outputs(run, run->t, outcome));
    SPRAG_TRY(tell_sample(run, run->t, run->y, false, false, outcome));
    *outcome = SPRAG_RUN_STOPPED;
    return SPRAG_OK;
}

// Where layers have come to rest, and the verdict while they do not ring.
static SpragStatus look_at_layers(SpragRun *run, SpragRunOutcome *outcome)
{
    bool rests;
    if (run->integrator == run->plain)
        return SPRAG_OK;
    if (run->settings.verdicts)
        SPRAG_TRY(tell_layers_verdict(run, outcome));
    SPRAG_TRY(layers_rest(run, &rests));
    if (rests && !run->held && *outcome == SPRAG_RUN_DONE)
        tell_event(run, SPRAG_EVENT_REST, -1, outcome, "everything rests, and stays so");
    run->held |= rests;
    return SPRAG_OK;
}

// Quaternions drift from their length by errors of integration, which turns nothing; *moved: they
// have been put back.
static void normalise(SpragRun *run, bool *moved)
{
    const double drift = 1e-13;
    if (run->m == run->n)
        return;
    memcpy(run->scratch, run->y, (size_t)run->m * sizeof *run->y);
    sprag_system_position_normalise(run->system, run->scratch);
    bool off = false;
    for (int i = 0; i < run->m; i++)
        off |= fabs(run->scratch[i] - run->y[i]) > drift;
    if (!off && !*moved)
        return;
    memcpy(run->y, run->scratch, (size_t)run->m * sizeof *run->y);
    *moved = true;
}

// Accepts a step without event: project, check the verdict, tell.
static SpragStatus accept(SpragRun *run, const SpragStep *step, SpragRunOutcome *outcome)
{
    bool moved, changed = false;
    run->t = step->t_new;
    memcpy(run->y, sprag_integrator_state(run->integrator), (size_t)run->size * sizeof *run->y);
    // rows that depend on each other contradict each other by any drift
    SPRAG_TRY(project(run, run->frozen.dependent, &moved));
    normalise(run, &moved);
    if (moved) {
        run->begin_known = false;
        SPRAG_TRY(sprag_integrator_correct(run->integrator, run->y));
    }
    // where the verdict changes the step ends, and nothing is told of what would follow
    if (run->settings.verdicts)
        SPRAG_TRY(decide_find_change(run, step->t_old, &changed));
    layers_unpack(run);
    tell_piece(run, step->t_old, run->t, outcome);
    if (run->stopping)
        return stop_inside(run, outcome);
    SPRAG_TRY(tell_outputs(run, run->t, outcome));
    if (*outcome != SPRAG_RUN_DONE)
        return SPRAG_OK;
    if (changed)
        SPRAG_TRY(decide_change(run, outcome));
    else if (only_layers(run))
        SPRAG_TRY(look_at_layers(run, outcome));
    SPRAG_TRY(zeno_tell(run, outcome));
    if (!changed && run->tangents == 2) {
        SPRAG_TRY(modes_evaluate(run, run->t, run->y));
        modes_turn_headings(run);
    }
    return changed ? SPRAG_OK : layers_watch_step(run, step);
}

// A way on which no body passes by another one between two looks at their gap: a small part of the
// system's size, or of the least gap if that is more.
static double clear_way(const SpragRun *run)
{
    const Frozen *f = &run->frozen;
    const double part_of_size = 0.1, part_of_gap = 0.5;
    double least = run->begin_known ? run->far : 0;
    for (int i = 0; run->begin_known && i < f->function_count; i++)
        if (f->functions[i].kind == FUNCTION_GAP)
            least = fmin(least, run->values_begin[i]);
    return fmax(part_of_size * 1e-3 * run->far, part_of_gap * least);
}

static double size_of(const double *v)
{
    return sprag_vec3_norm(sprag_vec3_of(v));
}

// A time at which the step must end. In flight a step may be as long as it likes, and many turns of
// a body would hide its touches from the event functions, which are sampled a few times a step; so
// would a corner that clips another body.
static double step_end(SpragRun *run, double until)
{
    const double most_turn = 1.5; // rad
    const double *v = run->y + run->m;
    until = zeno_next(run, pilot_stop(run, until));
    if (run->frozen.open_count == 0 || !sprag_system_model(run->system))
        return until;
    double way = clear_way(run);
    bool space = run->tangents == 2;
    const double *a = run->now.acceleration;
    for (int i = 0; i < run->n; i += space ? 6 : 3) {
        double spin = space ? size_of(v + i + 3) : fabs(v[i + 2]);
        double growth = !run->now.solved ? 0 : space ? size_of(a + i + 3) : fabs(a[i + 2]);
        double rate = spin + sqrt(spin * spin + 2 * growth * most_turn);
        if (rate * (until - run->t) > 2 * most_turn)
            until = run->t + 2 * most_turn / rate;
        double speed = space ? size_of(v + i) : hypot(v[i], v[i + 1]);
        if (speed * (until - run->t) > way)
            until = run->t + way / speed;
    }
    return until;
}

// In space contacts are found when they come near: those that did so within the step take part in
// the search for its first event. The way of a body bends by less than its length.
static SpragStatus meet_contacts(SpragRun *run, const SpragStep *step)
{
    int added;
    bool changed;
    if (run->tangents == 1 || !sprag_system_model(run->system))
        return SPRAG_OK;
    const double *later = step ? sprag_integrator_state(run->integrator) : NULL;
    double length = 1e-3 * run->far, way = 1e-3 * length;
    for (int i = 0; step && i < run->n; i += 6) {
        double now = size_of(run->y + run->m + i) + length * size_of(run->y + run->m + i + 3);
        double then = size_of(later + run->m + i) + length * size_of(later + run->m + i + 3);
        way = fmax(way, 0.5 * fmax(now, then) * (step->t_new - step->t_old));
    }
    SPRAG_TRY(sprag_system_refresh(run->system, run->y, later, way, &added));
    SPRAG_TRY(run_grow(run));
    if (!step)
        return SPRAG_OK;
    SPRAG_TRY(modes_list_near(run, &changed));
    return changed ? watch_overlaps(run) : SPRAG_OK;
}

static SpragStatus advance_step(SpragRun *run, double until, SpragRunOutcome *outcome)
{
    SpragStep step;
    double t;
    bool returned, better, turns;
    SPRAG_TRY(pilot_return(run, &returned, outcome));
    if (returned || *outcome != SPRAG_RUN_DONE)
        return SPRAG_OK;
    SPRAG_TRY(events_begin(run));
    SPRAG_TRY(sprag_integrator_step(run->integrator, step_end(run, until), &step));
    if (step.outcome != SPRAG_STEP_DONE && step.outcome != SPRAG_STEP_AT_STOP) {
        *outcome = SPRAG_RUN_NOT_CONVERGED;
        return sprag_fail(run->context, SPRAG_OK, "the integration stops at t = %.9g: step %s",
                          run->t, sprag_step_outcome_name(step.outcome));
    }
    run->statistics.steps++;
    // the step made is a safer guess for a new arc than the one proposed: forces change at events
    run->step_guess = step.t_new - step.t_old;
    SPRAG_TRY(meet_contacts(run, &step));
    SPRAG_TRY(events_find(run, &step, &t));
    if (t == INFINITY)
        return accept(run, &step, outcome);
    // a few roundings of the clock further is not on
    bool on = t - run->t_here > 1e-13 * fmax(fabs(t), run->step_guess);
    run->events_here = on ? 0 : run->events_here + 1;
    run->t_here = on ? t : run->t_here;
    if (run->statistics.events >= (uint64_t)run->settings.max_events ||
        run->events_here > MOST_EVENTS_AT_ONCE || run->idle > MOST_IDLE) {
        *outcome = SPRAG_RUN_EVENT_LIMIT;
        return sprag_fail(
            run->context, SPRAG_OK,
            "events accumulate at t = %.9g: %llu of them since t = %.9g; time stepping "
            "does not follow each of them",
            run->t, (unsigned long long)run->statistics.events, run->t_start);
    }
    tell_piece(run, step.t_old, t, outcome);
    if (run->stopping)
        return stop_inside(run, outcome);
    SPRAG_TRY(tell_outputs(run, t, outcome));
    SPRAG_TRY(layers_arrive(run, t));
    run->t = t;
    layers_unpack(run);
    SPRAG_TRY(choose_other_rows(run, &better));
    if (better)
        return SPRAG_OK;
    SPRAG_TRY(only_turns(run, &turns));
    return turns ? begin_arc(run) : apply_event(run, &step, outcome);
}

// What cannot be computed ends the run, with everything told until then; the context keeps the
// sentence.
static SpragStatus survive(SpragStatus status, SpragRunOutcome *outcome)
{
    if (status != SPRAG_ERROR_NUMERIC)
        return status;
    *outcome = SPRAG_RUN_NOT_CONVERGED;
    return SPRAG_OK;
}

SpragStatus sprag_run_advance(SpragRun *run, double until, SpragRunOutcome *outcome)
{
    *outcome = SPRAG_RUN_DONE;
    if (!run->started)
        SPRAG_TRY(survive(start(run, outcome), outcome));
    while (*outcome == SPRAG_RUN_DONE && run->t < until) {
        if (run->settings.interrupt && *run->settings.interrupt)
            *outcome = SPRAG_RUN_INTERRUPTED;
        else
            SPRAG_TRY(survive(advance_step(run, until, outcome), outcome));
    }
    SpragRunOutcome quiet = SPRAG_RUN_DONE;
    if (*outcome == SPRAG_RUN_DONE)
        SPRAG_TRY(tell_sample(run, run->t, run->y, false, false, outcome));
    else if (*outcome != SPRAG_RUN_STOPPED && run->sample.t < run->t)
        SPRAG_TRY(survive(tell_sample(run, run->t, run->y, false, false, &quiet), outcome));
    SpragRunVerdict interval = run->interval;
    bool open = run->interval_open;
    tell_interval_end(run, run->t, &quiet);
    // a run that is advanced further goes on in a new interval
    run->interval = interval;
    run->interval.from = run->t;
    run->interval_open = open && *outcome == SPRAG_RUN_DONE;
    return SPRAG_OK;
}

SpragStatus sprag_run_analyze(SpragRun *run, SpragVerdict *verdict)
{
    if (run->started) {
        Decision decision;
        if (run->frozen.soft_count > 0)
            SPRAG_TRY(layers_verdict(run, run->t, run->y, &decision));
        else
            SPRAG_TRY(decide_present(run, run->t, run->y, &decision));
        *verdict = decision.verdict;
        return SPRAG_OK;
    }
    const double *v = run->y + run->m;
    SpragContactTolerances tolerances = sprag_system_tolerances(run->system, v);
    SpragAnalysisSettings settings = sprag_analysis_default();
    for (int i = 0; i < run->n; i++)
        settings.moving |= fabs(v[i]) > tolerances.slip;
    SPRAG_TRY(
        sprag_system_kinematics(run->system, run->t, run->y, v, &tolerances, run->kinematics));
    settings.time_scale = sprag_system_time_scale(run->system, run->y, v, run->kinematics);
    SPRAG_TRY(
        sprag_system_build_problem(run->system, run->t, run->y, v, &tolerances, &run->problem));
    return sprag_analysis_run(run->analysis, &run->problem, &settings, verdict);
}
