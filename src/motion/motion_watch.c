// motion_watch.c: steps in which no event can be.
// Problem   the search for events samples their functions on the dense output of each step, at some
//           cost: an explicit method needs three more right-hand sides for it
// Method    where layers give all forces every right-hand side of a step has all that the functions
//           depend on, so their least and largest values over the stages are known. A function that
//           stays above zero by a part of its range there does not come to zero in between,
//           theory.md (14.20). Behind an event functions rise from about zero: there the same is
//           asked of their mean rate since the begin of the step. Gaps of open contacts change no
//           faster than bodies move. Anything else is left to the search
// Note      stages of attempts that were rejected count too: they only widen the range
#include <math.h>

#include "motion_private.h"

// Between stages a function falls below the least of them by less than this part of their range.
static const double PART = 0.25;
// Steps of an arc in which functions may rise from where its begin has left them.
enum { YOUNG_STEPS = 4 };

void watch_begin(SpragRun *run)
{
    Watch *watch = &run->watch;
    watch->on = run->frozen.direct && run->begin_known && !run->frozen.surfaces;
    watch->young = run->method_steps < YOUNG_STEPS;
    // gaps come first in the list, and may be very many
    watch->first = 0;
    while (watch->first < run->frozen.function_count &&
           run->frozen.functions[watch->first].kind == FUNCTION_GAP)
        watch->first++;
    watch->fastest = 0;
    for (int i = 0; watch->on && i < run->frozen.function_count; i++) {
        watch->least[i] = watch->most[i] = run->values_begin[i];
        watch->least_rate[i] = INFINITY;
        watch->most_rate[i] = -INFINITY;
    }
}

static void note_value(Watch *watch, int i, double value)
{
    watch->least[i] = value < watch->least[i] ? value : watch->least[i];
    watch->most[i] = value > watch->most[i] ? value : watch->most[i];
    if (!(value == value))
        watch->on = false; // what is not a number is not above zero
}

// The mean rate of a function since the begin of the step.
static void note_rate(Watch *watch, int i, double rate)
{
    watch->least_rate[i] = rate < watch->least_rate[i] ? rate : watch->least_rate[i];
    watch->most_rate[i] = rate > watch->most_rate[i] ? rate : watch->most_rate[i];
}

static void note_speed(Watch *watch, double speed)
{
    watch->fastest = speed > watch->fastest ? speed : watch->fastest;
}

// As events_active_value, without a detour for the functions that layers with Coulomb's slider
// have.
static double value_of(const SpragRun *run, const EventFunction *g)
{
    const Evaluation *e = &run->now;
    int i = g->index;
    const DirectLayer *item = &run->frozen.layers[i];
    const SpragLayer *layer = item->layer;
    double normal = e->force[2 * i], friction = e->force[2 * i + 1], value;
    switch (g->kind) {
    case FUNCTION_DEPTH:
        return e->y[item->depth_at];
    case FUNCTION_PRESS:
        value = layer->alpha > 0 ? 1 - 1.5 * layer->alpha * e->gap_rate[i] : e->press[i];
        return item->pressed ? value : -value;
    case FUNCTION_SLIDER:
        value = layer->tangential_stiffness * e->y[item->shear_at] -
                layer->tangential_damping * e->slip[i];
        return item->pull * value - e->friction[2 * i + 1] * normal;
    case FUNCTION_CONE_PLUS:
        return e->friction[2 * i] * normal - friction;
    case FUNCTION_CONE_MINUS:
        return e->friction[2 * i] * normal + friction;
    default:
        return events_active_value(run, g);
    }
}

void watch_note(SpragRun *run, const double *y)
{
    Watch *watch = &run->watch;
    const Frozen *f = &run->frozen;
    if (!watch->on)
        return;
    double radius = 0.5e-3 * run->far; // of the largest body
    const double *v = y + run->m;
    for (int at = 0; f->open_count > 0 && at < run->n; at += 3)
        note_speed(watch, fabs(v[at]) + fabs(v[at + 1]) + fabs(v[at + 2]) * radius);
    double since = run->now.t - run->t;
    for (int i = watch->first; i < f->function_count; i++) {
        double value = value_of(run, &f->functions[i]);
        note_value(watch, i, value);
        if (watch->young && since > 0)
            note_rate(watch, i, (value - run->values_begin[i]) / since);
    }
}

// Whether a function stays above zero within the step, or above where it begins.
static bool stays_above(const SpragRun *run, int i)
{
    const Watch *watch = &run->watch;
    double begin = run->values_begin[i], zero = run->frozen.zeros[i];
    if (begin > zero && watch->least[i] > PART * (watch->most[i] - watch->least[i]))
        return true;
    double least = watch->least_rate[i];
    return watch->young && begin >= -zero && least > PART * (watch->most_rate[i] - least);
}

bool watch_end(SpragRun *run, const SpragStep *step)
{
    Watch *watch = &run->watch;
    const Frozen *f = &run->frozen;
    bool clear = watch->on && run->begin_known && run->end_known;
    double reach = clear && f->open_count > 0 ? clear_reach(run, step, watch->fastest) : 0;
    for (int i = 0; clear && i < f->function_count; i++) {
        double begin = run->values_begin[i], end = run->values_end[i];
        clear = end > 0;
        if (f->functions[i].kind == FUNCTION_GAP)
            clear = clear && begin > f->zeros[i] && begin + end > reach;
        else
            clear = clear && stays_above(run, i);
    }
    watch->on = false;
    return clear;
}
