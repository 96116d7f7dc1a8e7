// motion_clock.c: what happens at given times: controllers that sample, and kinks of values over
// time. A step ends there, and the next arc begins with the forces that hold from then on.
// Controllers hold what they computed at the last multiple of their `every`; ∫ (target − position)
// is their own sum of samples, as a digital controller has it.
#include <float.h>
#include <math.h>
#include <string.h>

#include "motion_private.h"

// A multiple of a period is reached when this part of it is left: roundings of the clock.
static const double REACHED = 1e-9;
// Times below it are counted in its roundings, s.
static const double SHORT = 1e-3;

static const SpragModel *controlled(const SpragRun *run)
{
    const SpragModel *model = sprag_system_model(run->system);
    return model && model->controller_count > 0 ? model : NULL;
}

static double tick_time(const SpragController *item, const Clock *clock, int i)
{
    return (double)clock->ticks[i] * item->every;
}

void clock_destroy(SpragRun *run)
{
    sprag_free(run->context, run->clock.numbers);
    sprag_free(run->context, run->clock.ticks);
    run->clock = (Clock){0};
}

static SpragStatus allocate(SpragRun *run, int count)
{
    Clock *clock = &run->clock;
    size_t n = (size_t)count;
    if (clock->count >= count)
        return SPRAG_OK;
    clock_destroy(run);
    clock->numbers = sprag_alloc(run->context, 3 * n, sizeof *clock->numbers);
    clock->ticks = sprag_alloc(run->context, n, sizeof *clock->ticks);
    if (!clock->numbers || !clock->ticks)
        return SPRAG_ERROR_MEMORY;
    clock->count = count;
    clock->integrals = clock->numbers;
    clock->controls = clock->numbers + n;
    clock->wanted = clock->numbers + 2 * n;
    return SPRAG_OK;
}

// ∫ (target − position) dt of the controllers that sample now, over the period that ends.
static SpragStatus integrate(SpragRun *run, const SpragModel *model)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    SpragJointState *states =
        sprag_arena_alloc(run->arena, (size_t)model->joint_count + 1, sizeof *states);
    if (!states)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(
        sprag_system_joints(run->system, run->t, run->y, run->y + run->m, 0, NULL, NULL, states));
    for (int i = 0; i < model->controller_count; i++) {
        const SpragController *item = &model->controllers[i];
        double target;
        if (!(item->every > 0) || item->ki == 0 ||
            tick_time(item, &run->clock, i) > run->t + REACHED * item->every)
            continue;
        sprag_time_value_evaluate(&item->target, run->t, 0, &target);
        run->clock.integrals[i] += item->every * (target - states[item->joint].position[0]);
    }
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// Samples the controllers whose time has come (all: at the begin); *changed: some force has.
static SpragStatus sample(SpragRun *run, const SpragModel *model, bool all, bool *changed)
{
    Clock *clock = &run->clock;
    if (!all)
        SPRAG_TRY(integrate(run, model));
    SPRAG_TRY(sprag_system_controls(run->system, run->t, run->y, run->y + run->m, clock->integrals,
                                    clock->wanted));
    for (int i = 0; i < model->controller_count; i++) {
        const SpragController *item = &model->controllers[i];
        bool due =
            item->every > 0 && (all || tick_time(item, clock, i) <= run->t + REACHED * item->every);
        if (!due)
            continue;
        *changed |= clock->controls[i] != clock->wanted[i];
        clock->controls[i] = clock->wanted[i];
        clock->ticks[i] = (int64_t)floor(run->t / item->every + REACHED) + 1;
    }
    sprag_system_set_controls(run->system, clock->controls);
    return SPRAG_OK;
}

SpragStatus clock_begin(SpragRun *run)
{
    const SpragModel *model = controlled(run);
    bool changed = false;
    if (model) {
        SPRAG_TRY(allocate(run, model->controller_count));
        memset(run->clock.numbers, 0, 3 * (size_t)run->clock.count * sizeof(double));
        SPRAG_TRY(sample(run, model, true, &changed));
        modes_outdate(run);
    }
    run->clock.next_break =
        sprag_system_model(run->system) ? sprag_system_next_break(run->system, run->t) : INFINITY;
    return SPRAG_OK;
}

double clock_tick(const SpragRun *run, double until)
{
    const SpragModel *model = controlled(run);
    for (int i = 0; model && i < model->controller_count; i++)
        if (model->controllers[i].every > 0)
            until = fmin(until, tick_time(&model->controllers[i], &run->clock, i));
    return until;
}

// A step up to a kink ends some roundings before it, where the values are still those of the old
// piece.
static double before_break(const SpragRun *run)
{
    double t = run->clock.next_break;
    return t < INFINITY ? t - 8 * DBL_EPSILON * fmax(fabs(t), SHORT) : t;
}

double clock_next(const SpragRun *run, double until)
{
    return clock_tick(run, fmin(until, before_break(run)));
}

// Whether a force of the present modes is one that they do not allow.
static bool is_over(const SpragRun *run)
{
    const Frozen *f = &run->frozen;
    for (int i = 0; run->begin_known && i < f->function_count; i++) {
        FunctionKind kind = f->functions[i].kind;
        bool force = kind == FUNCTION_NORMAL || kind == FUNCTION_SIDE ||
                     kind == FUNCTION_CONE_PLUS || kind == FUNCTION_CONE_MINUS ||
                     kind == FUNCTION_CONE || kind == FUNCTION_MARGIN;
        if (force && run->values_begin[i] < -f->zeros[i])
            return true;
    }
    return !run->begin_known;
}

// Whether a controller samples now.
static bool is_due(const SpragRun *run, const SpragModel *model)
{
    bool due = false;
    for (int i = 0; model && i < model->controller_count; i++) {
        const SpragController *item = &model->controllers[i];
        due |= item->every > 0 && tick_time(item, &run->clock, i) <= run->t + REACHED * item->every;
    }
    return due;
}

SpragStatus clock_sample(SpragRun *run)
{
    const SpragModel *model = controlled(run);
    bool changed = false;
    return is_due(run, model) ? sample(run, model, false, &changed) : SPRAG_OK;
}

// ---- Drives whose velocity jumps ----------------------------------------------------------------

// Joints follow at once: the least change of v in the metric of M, as by impulses of the joints.
// The kinetic energy that it takes is work of the drives.
static SpragStatus follow_joints(SpragRun *run, bool *jumped)
{
    double kinetic[2], potential, elastic, residual, *v = run->y + run->m, most = 0;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    double *before = sprag_arena_alloc(run->arena, (size_t)run->n + 1, sizeof *before);
    if (!before)
        return SPRAG_ERROR_MEMORY;
    memcpy(before, v, (size_t)run->n * sizeof *v);
    SPRAG_TRY(
        sprag_system_energy(run->system, run->t, run->y, v, &kinetic[0], &potential, &elastic));
    SPRAG_TRY(
        sprag_system_project_velocity(run->system, run->t, run->y, 0, NULL, NULL, v, &residual));
    for (int i = 0; i < run->n; i++)
        most = fmax(most, fabs(v[i] - before[i]));
    sprag_arena_release(run->arena, mark);
    *jumped = most > run->tolerances.rate;
    if (!*jumped)
        return SPRAG_OK;
    SPRAG_TRY(
        sprag_system_energy(run->system, run->t, run->y, v, &kinetic[1], &potential, &elastic));
    run->y[WORK_AT(run) + WORK_ACTUATION] += kinetic[1] - kinetic[0];
    return SPRAG_OK;
}

// Closed contacts see another slip, or come together or apart with speed: those are open until they
// have collided.
static SpragStatus follow_contacts(SpragRun *run, bool *jumped)
{
    run->tolerances = sprag_system_tolerances(run->system, run->y + run->m);
    SPRAG_TRY(sprag_system_kinematics(run->system, run->t, run->y, run->y + run->m,
                                      &run->tolerances, run->kinematics));
    for (int i = 0; i < run->frozen.active_count; i++) {
        int slot = run->frozen.active[i];
        const SpragContactKinematics *k = &run->kinematics[slot];
        bool speed = !run->frozen.bearing[i] && fabs(k->gap_rate) > run->tolerances.rate;
        bool limit = run->frozen.rows[i] == 1, soft = run->frozen.soft[i];
        SpragMode mode = limit || soft ? run->mode[slot] : modes_of_slip(run, slot, k->slip);
        bool held = run->mode[slot] == SPRAG_MODE_STICK || run->mode[slot] == SPRAG_MODE_CLOSED;
        bool slips = mode != run->mode[slot] && (held || mode != SPRAG_MODE_STICK);
        if (soft || (!speed && !slips))
            continue;
        run->mode[slot] = speed ? SPRAG_MODE_SEPARATE : mode;
        *jumped = true;
    }
    return SPRAG_OK;
}

// theory.md (14.12): a kink of a position is a jump of its velocity.
static SpragStatus follow_drives(SpragRun *run, bool *jumped, SpragRunOutcome *outcome)
{
    Decision decision;
    *jumped = false;
    if (!sprag_system_model(run->system))
        return SPRAG_OK;
    SPRAG_TRY(modes_follow_slips(run));
    modes_remember(run);
    SPRAG_TRY(follow_joints(run, jumped));
    SPRAG_TRY(follow_contacts(run, jumped));
    if (!*jumped)
        return SPRAG_OK;
    memset(run->left, 0, (size_t)run->slots * sizeof *run->left);
    memset(run->fresh, 0, (size_t)run->slots * sizeof *run->fresh);
    run->step_guess = 0;
    pilot_remember(run);
    SPRAG_TRY(collide_land(run, outcome));
    if (*outcome != SPRAG_RUN_DONE)
        return SPRAG_OK;
    SPRAG_TRY(modes_settle(run));
    if (apply_only_layers(run))
        return apply_layers(run, outcome);
    SPRAG_TRY(decide(run, run->t, run->y, NULL, &decision, outcome));
    return *outcome == SPRAG_RUN_DONE ? run_take(run, &decision, false, outcome) : SPRAG_OK;
}

// The clock goes over the roundings that a step ends before a kink, with an output that is due
// there.
static SpragStatus pass_to_break(SpragRun *run, SpragRunOutcome *outcome)
{
    double to = fmax(run->t, run->clock.next_break), step = run->settings.output_step;
    double t = run->t_start + (double)run->output_count * step;
    if (step > 0 && t < to) {
        SPRAG_TRY(tell_sample(run, fmax(t, run->t), run->y, false, false, outcome));
        run->output_count++;
    }
    run->t = to;
    return SPRAG_OK;
}

SpragStatus clock_strike(SpragRun *run, SpragRunOutcome *outcome)
{
    const SpragModel *model = controlled(run);
    bool changed = false, due = is_due(run, model);
    double now = run->t;
    bool kink = before_break(run) <= now;
    if (!due && !kink)
        return SPRAG_OK;
    if (due)
        SPRAG_TRY(sample(run, model, false, &changed));
    if (kink) {
        SPRAG_TRY(pass_to_break(run, outcome));
        run->clock.next_break = sprag_system_next_break(run->system, run->t);
    }
    if (!changed && !kink)
        return SPRAG_OK;
    modes_outdate(run);
    bool jumped = false;
    if (kink)
        SPRAG_TRY(follow_drives(run, &jumped, outcome));
    if (jumped || *outcome != SPRAG_RUN_DONE)
        return SPRAG_OK;
    SPRAG_TRY(arc_begin(run));
    return is_over(run) ? decide_change(run, outcome) : SPRAG_OK;
}
