// convergence_judge.c: how far compliant runs are from the rigid one, and how fast that falls.
// Problem   distance(ε) = max over time of |Δx|/L, |Δy|/L, |Δθ| over all bodies, and its order
//           in ε, which Tikhonov's theorem says is at least 1/2 (theory.md 6.2)
// Assumes   one and the same layer along the run: the theorem does not cover changes of contact,
//           which are told
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "convergence_private.h"

static const double BEFORE_IMPACT = 0.98; // part of the time to it that is compared
static const double FLOOR = 100;          // × tolerance: below it runs differ by their errors
static const double LEAST_ORDER = 0.45;

static void warn(SpragConvergence *result, const char *format, ...) SPRAG_PRINTF(2, 3);

static void warn(SpragConvergence *result, const char *format, ...)
{
    enum { MOST = sizeof result->warnings / sizeof *result->warnings };
    va_list list;
    if (result->warning_count == MOST)
        return;
    va_start(list, format);
    vsnprintf(result->warnings[result->warning_count], sizeof *result->warnings, format, list);
    va_end(list);
    result->warning_count++;
}

// ---- What can be compared -----------------------------------------------------------------------

static bool changes_contact(SpragEventType type)
{
    return type == SPRAG_EVENT_SLIP_REVERSAL || type == SPRAG_EVENT_STICK ||
           type == SPRAG_EVENT_SLIP_START || type == SPRAG_EVENT_SEPARATION ||
           type == SPRAG_EVENT_LANDING || type == SPRAG_EVENT_SURFACE;
}

static void take_event(ConvergenceWork *work, const SpragEvent *event)
{
    SpragConvergence *result = work->result;
    if (result->event_count == SPRAG_CONVERGENCE_EVENTS)
        return;
    result->events[result->event_count] = *event;
    if (event->contact >= 0)
        snprintf(result->contacts[result->event_count], sizeof *result->contacts, "%.63s",
                 sprag_system_contact_name(work->rigid.system, event->contact));
    result->event_count++;
}

void convergence_choose_window(ConvergenceWork *work)
{
    SpragConvergence *result = work->result;
    const SpragEvent *events = sprag_record_events(work->rigid.record);
    size_t count = sprag_record_event_count(work->rigid.record), i;
    result->outcome = work->rigid.outcome;
    result->end = result->until = work->rigid.end;
    for (i = 0; i < count; i++)
        if (events[i].type == SPRAG_EVENT_IMPACT && events[i].t > 0) // one at the start is behind
            break;
    if (i < count) {
        result->until = BEFORE_IMPACT * events[i].t;
        if (events[i].t > 0)
            warn(
                result,
                "compared up to t = %.6g s: an impact at %.6g s has no such limit, its restitution "
                "is that of the layer",
                result->until, events[i].t);
    } else if (work->rigid.outcome != SPRAG_RUN_DONE && work->rigid.outcome != SPRAG_RUN_STOPPED) {
        warn(result, "the rigid run ends at t = %.6g s (%s): beyond it there is nothing to compare",
             work->rigid.end, sprag_run_outcome_name(work->rigid.outcome));
    }
    if (count > 0 && events[0].type == SPRAG_EVENT_IMPACT && events[0].t <= 0)
        warn(result, "the run begins with an impact: what comes after it depends on restitution, "
                     "which is the layer's own in a compliant run");
    for (i = 0; i < count; i++)
        if (changes_contact(events[i].type) && events[i].t > 0 && events[i].t < result->until)
            take_event(work, &events[i]);
}

// ---- Distances ----------------------------------------------------------------------------------

typedef struct Difference {
    double position, angle, velocity;
} Difference;

// Of the velocities of one body at one time; in space `shift` is what takes one place to the other.
static void compare_body(const double *shift, const double *a, const double *b, int dimension,
                         double length, Difference *d)
{
    int size = dimension == 3 ? 6 : 3;
    for (int k = 0; k < dimension; k++) {
        d->position = fmax(d->position, fabs(shift[k]));
        d->velocity = fmax(d->velocity, fabs(a[k] - b[k]));
    }
    for (int k = dimension; k < size; k++) {
        d->angle = fmax(d->angle, fabs(shift[k]));
        d->velocity = fmax(d->velocity, length * fabs(a[k] - b[k]));
    }
}

static void compare(const ConvergenceWork *work, const KeptRun *run, SpragEpsilonRun *told)
{
    const SpragModel *model = sprag_scene_model(work->rigid.scene);
    double length = work->result->length;
    const SpragSystem *system = work->rigid.system;
    size_t m = (size_t)work->position_count, n = (size_t)work->velocity_count;
    for (int k = 0; k <= GRID; k++) {
        Difference d = {0};
        if (!run->reached[k] || !work->rigid.reached[k])
            continue;
        const double *a = work->rigid.states + (size_t)k * (m + n);
        const double *b = run->states + (size_t)k * (m + n);
        sprag_system_position_difference(system, b, a, work->shift);
        for (int body = 0; body < model->body_count; body++) {
            int at = sprag_system_body_coordinate(system, body);
            if (at >= 0)
                compare_body(work->shift + at, a + m + at, b + m + at, model->dimension, length,
                             &d);
        }
        double distance = fmax(d.position / length, d.angle);
        if (distance > told->distance) {
            told->distance = distance;
            told->at = work->result->until * k / GRID;
        }
        told->position = fmax(told->position, d.position);
        told->angle = fmax(told->angle, d.angle);
        told->velocity = fmax(told->velocity, d.velocity);
    }
}

// The event of a compliant run that a rigid one becomes.
static bool is_counterpart(const SpragEvent *rigid, const SpragEvent *event)
{
    SpragEventType type = rigid->type;
    if (rigid->contact != event->contact)
        return false;
    if (type == SPRAG_EVENT_SEPARATION)
        return event->type == SPRAG_EVENT_LIFT_OFF || event->type == SPRAG_EVENT_SEPARATION;
    if (type == SPRAG_EVENT_LANDING)
        return event->type == SPRAG_EVENT_TOUCH || event->type == SPRAG_EVENT_LANDING;
    return event->type == type;
}

static void find_shifts(const SpragConvergence *result, const KeptRun *run, SpragEpsilonRun *told)
{
    const SpragEvent *events = sprag_record_events(run->record);
    size_t count = sprag_record_event_count(run->record);
    for (int i = 0; i < result->event_count; i++) {
        told->shift[i] = NAN;
        for (size_t k = 0; k < count; k++) {
            double shift = events[k].t - result->events[i].t;
            if (is_counterpart(&result->events[i], &events[k]) &&
                !(fabs(shift) >= fabs(told->shift[i])))
                told->shift[i] = shift;
        }
    }
}

// ---- Orders -------------------------------------------------------------------------------------

static bool counts(const ConvergenceWork *work, const SpragEpsilonRun *run)
{
    double tolerance = sprag_scene_model(work->rigid.scene)->simulate.tolerance;
    return run->distance > FLOOR * tolerance && run->end >= 0.999 * work->result->until;
}

static void find_orders(const ConvergenceWork *work)
{
    SpragConvergence *result = work->result;
    double x = 0, y = 0, xx = 0, xy = 0;
    int count = 0;
    for (int i = 0; i < result->run_count; i++) {
        SpragEpsilonRun *run = &result->runs[i];
        run->order = NAN;
        if (!counts(work, run))
            continue;
        if (i > 0 && counts(work, run - 1))
            run->order =
                log(run[-1].distance / run->distance) / log(run[-1].epsilon / run->epsilon);
        double u = log(run->epsilon), v = log(run->distance);
        x += u;
        y += v;
        xx += u * u;
        xy += u * v;
        count++;
    }
    double determinant = count * xx - x * x;
    result->order = count > 1 && determinant > 0 ? (count * xy - x * y) / determinant : NAN;
}

// ---- Warnings -----------------------------------------------------------------------------------

static void warn_verdicts(const ConvergenceWork *work)
{
    SpragConvergence *result = work->result;
    const SpragRunVerdict *verdicts = sprag_record_verdicts(work->rigid.record);
    for (size_t i = 0; i < sprag_record_verdict_count(work->rigid.record); i++) {
        const SpragRunVerdict *verdict = &verdicts[i];
        if (verdict->from >= result->until || verdict->stable_count == 1 ||
            verdict->kind == SPRAG_VERDICT_OPEN || !(verdict->to > verdict->from))
            continue;
        warn(result,
             "from t = %.6g s on the rigid motion is not the only stable one (%d motions, %d "
             "stable): the limit depends on the start of the layer",
             verdict->from, verdict->solution_count, verdict->stable_count);
        return;
    }
}

// With a friction law that is smooth a reversal is no change.
static bool is_smooth(const ConvergenceWork *work, const SpragEvent *event)
{
    SpragContactPair pair;
    if (event->type != SPRAG_EVENT_SLIP_REVERSAL || event->contact < 0)
        return false;
    sprag_system_pair(work->rigid.system, event->contact, &pair);
    return sprag_friction_law_is_smooth(&pair.friction_law);
}

// Several at one time, as of two feet, are one.
static void warn_changes(const ConvergenceWork *work)
{
    SpragConvergence *result = work->result;
    const SpragEvent *first = NULL, *last = NULL;
    int count = 0;
    for (int i = 0; i < result->event_count; i++) {
        const SpragEvent *event = &result->events[i];
        if (is_smooth(work, event))
            continue;
        count += !last || event->t > last->t;
        first = first ? first : event;
        last = event;
    }
    if (count == 1)
        warn(
            result,
            "theorem 6.1 does not cover the %s at t = %.6g s: from there on the order is observed, "
            "not proved",
            sprag_event_label(first), first->t);
    else if (count > 1)
        warn(result,
             "theorem 6.1 does not cover %d changes of contact, the first (%s) at t = %.6g s: from "
             "there on the order is observed, not proved",
             count, sprag_event_label(first), first->t);
}

static void warn_runs(const ConvergenceWork *work)
{
    SpragConvergence *result = work->result;
    for (int i = 0; i < result->run_count; i++) {
        const SpragEpsilonRun *run = &result->runs[i];
        if (run->end < 0.999 * result->until)
            warn(result, "the compliant run at epsilon %g ends at t = %.6g s (%s)", run->epsilon,
                 run->end, sprag_run_outcome_name(run->outcome));
    }
    if (result->order < LEAST_ORDER)
        warn(result, "the distance falls as epsilon^%.2f only, not as its square root",
             result->order);
    if (result->run_count > 1 && isnan(result->order))
        warn(result, "the distances are at the tolerance of the runs: they have no order");
}

void convergence_judge(ConvergenceWork *work)
{
    SpragConvergence *result = work->result;
    for (int i = 0; i < result->run_count; i++) {
        SpragEpsilonRun *told = &result->runs[i];
        const KeptRun *run = &work->runs[i];
        told->outcome = run->outcome;
        told->end = run->end;
        told->record = run->record;
        compare(work, run, told);
        find_shifts(result, run, told);
    }
    result->record = work->rigid.record;
    find_orders(work);
    warn_changes(work);
    warn_verdicts(work);
    warn_runs(work);
}
