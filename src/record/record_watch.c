// record_watch.c: events of the scene's own: a signal passes a value, events come often enough.
// Problem   all t in a piece at which g(t) = signal − value changes sign
// Method    g at nine Chebyshev points of the piece; where a point is nearer to zero than its
//           neighbours the extremum between them is searched for, since g may pass and come back.
//           Each change of sign is then bisected, by regula falsi with halved weights (Illinois),
//           to 1e-12 of the piece.
// Jumps     at an event of the run g may jump over zero: the first point of a piece is compared
//           with the last one of the piece before.
// Assumes   that g has at most one extremum between two neighbours of a point
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_private.h"

enum { POINTS = 9 };

// ---- Setting up ---------------------------------------------------------------------------------

static SpragStatus find_watched(Catalogue *catalogue, Watch *watch)
{
    const SpragWatch *want = &watch->want;
    if (want->kind == SPRAG_WATCH_TYPE)
        return find_type(catalogue, want->of, &watch->type);
    SPRAG_TRY(select_one(catalogue, want->of, &watch->signal));
    if (watch->signal.kind != SPRAG_SIGNAL_NUMBER)
        return sprag_fail(catalogue->context, SPRAG_ERROR_INPUT,
                          "%.100s is a word, and has no value to pass", want->of);
    return SPRAG_OK;
}

// A type of events cannot be told from an event of the same name.
static SpragStatus check_name(const Catalogue *catalogue, const char *name)
{
    const SpragEvent *event = NULL;
    if (name && strlen(name) >= sizeof event->name)
        return sprag_fail(catalogue->context, SPRAG_ERROR_INPUT,
                          "the name of an event may have at most %zu letters",
                          sizeof event->name - 1);
    for (int type = 0; name && type < SPRAG_EVENT_COUNT; type++)
        if (strcmp(sprag_event_name((SpragEventType)type), name) == 0)
            return sprag_fail(catalogue->context, SPRAG_ERROR_INPUT,
                              "%s is a type of events; call this one by another name", name);
    return SPRAG_OK;
}

static SpragStatus watch_open(Catalogue *catalogue, const SpragWatch *want, Watch *watch)
{
    const char *name = want->name ? want->name : want->of;
    watch->want = *want;
    watch->last = NAN;
    SPRAG_TRY(catalogue_copy(catalogue, &watch->want.name));
    SPRAG_TRY(catalogue_copy(catalogue, &watch->want.of));
    SPRAG_TRY(catalogue_copy(catalogue, &watch->want.contact));
    SpragStatus status = check_name(catalogue, want->name);
    if (status == SPRAG_OK)
        status = find_watched(catalogue, watch);
    SPRAG_TRY(locate_name(catalogue, "events", name, want->line, want->column, status));
    if (!want->contact)
        return SPRAG_OK;
    status = find_contacts(catalogue, watch->want.contact, &watch->contacts);
    return locate_name(catalogue, "events", name, want->contact_line, want->contact_column, status);
}

SpragStatus watches_open(Catalogue *catalogue, const SpragWatch *wanted, int count,
                         Watches *watches)
{
    watches->context = catalogue->context;
    if (count == 0)
        return SPRAG_OK;
    watches->items = sprag_alloc(catalogue->context, (size_t)count, sizeof *watches->items);
    if (!watches->items)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        if (!wanted[i].of || wanted[i].count < 1 || isnan(wanted[i].value) ||
            (wanted[i].kind != SPRAG_WATCH_TYPE && !wanted[i].name))
            return sprag_fail(catalogue->context, SPRAG_ERROR_ARGUMENT,
                              "an event of a scene needs what it is of, a name and a count ≥ 1");
        SPRAG_TRY(watch_open(catalogue, &wanted[i], &watches->items[i]));
    }
    watches->count = count;
    return SPRAG_OK;
}

void watches_close(Watches *watches)
{
    sprag_free(watches->context, watches->items);
    sprag_free(watches->context, watches->passages);
}

bool watches_have(const Watches *watches, const char *name)
{
    for (int i = 0; i < watches->count; i++)
        if (watches->items[i].want.name && strcmp(watches->items[i].want.name, name) == 0)
            return true;
    return false;
}

// ---- Passages -----------------------------------------------------------------------------------

// A place in a piece.
typedef struct Point {
    double t, g;
} Point;

typedef struct Hunt {
    Watches *watches;
    int watch;
    SpragRun *run;
    double width;
} Hunt;

static SpragStatus evaluate(const Hunt *hunt, double t, Point *point)
{
    const Watch *watch = &hunt->watches->items[hunt->watch];
    const SpragRunSample *sample;
    double value = NAN;
    SpragStatus status = sprag_run_probe(hunt->run, t, &sample);
    if (status == SPRAG_OK)
        status = signal_value(&watch->signal, sample, &value);
    *point = (Point){t, value - watch->want.value};
    return status == SPRAG_ERROR_NUMERIC ? SPRAG_OK : status;
}

// On the far side is what is beyond zero: a signal that only reaches the value has not passed it.
static bool passes(double before, double after)
{
    return (before <= 0 && after > 0) || (before >= 0 && after < 0);
}

static SpragStatus note_passage(const Hunt *hunt, double t, bool rises)
{
    Watches *watches = hunt->watches;
    SpragWatchKind kind = watches->items[hunt->watch].want.kind;
    if ((kind == SPRAG_WATCH_ABOVE && !rises) || (kind == SPRAG_WATCH_BELOW && rises))
        return SPRAG_OK;
    SPRAG_TRY(sprag_reserve(watches->context, &watches->passages, &watches->passage_capacity,
                            watches->passage_count + 1, sizeof *watches->passages));
    watches->passages[watches->passage_count++] = (Passage){t, hunt->watch, rises};
    return SPRAG_OK;
}

// The change of sign between two points.
static SpragStatus close_in(const Hunt *hunt, Point a, Point b)
{
    enum { MOST = 100 };
    const double part = 1e-12;
    double tolerance = fmax(part * hunt->width, 4e-16 * fmax(fabs(a.t), fabs(b.t)));
    bool rises = b.g > 0;
    double weight_a = a.g, weight_b = b.g;
    for (int i = 0; i < MOST && b.t - a.t > tolerance; i++) {
        Point c;
        double t = (a.t * weight_b - b.t * weight_a) / (weight_b - weight_a);
        // every third time half: a kink or a jump would make the other slow
        if (i % 3 == 2 || !(t > a.t && t < b.t))
            t = a.t + 0.5 * (b.t - a.t);
        SPRAG_TRY(evaluate(hunt, t, &c));
        if (isnan(c.g))
            break;
        if (rises ? c.g > 0 : c.g < 0) {
            b = c;
            weight_b = c.g;
            weight_a *= 0.5;
        } else {
            a = c;
            weight_a = c.g;
            weight_b *= 0.5;
        }
    }
    return note_passage(hunt, b.t, rises);
}

// Where g comes nearest to zero between two points around a middle one: golden sections, until it
// has passed or is narrow.
static SpragStatus find_nearest(const Hunt *hunt, Point a, Point middle, Point b, Point *nearest)
{
    const double golden = 0.3819660112501051, part = 1e-6;
    double sign = middle.g > 0 ? 1 : -1;
    *nearest = middle;
    while (b.t - a.t > part * hunt->width && sign * nearest->g >= 0) {
        bool right = b.t - nearest->t > nearest->t - a.t;
        double side = right ? b.t - nearest->t : a.t - nearest->t;
        Point c;
        SPRAG_TRY(evaluate(hunt, nearest->t + golden * side, &c));
        if (isnan(c.g))
            break;
        if (sign * c.g < sign * nearest->g) {
            *(right ? &a : &b) = *nearest;
            *nearest = c;
        } else {
            *(right ? &b : &a) = c;
        }
    }
    return SPRAG_OK;
}

// Between points k − 1 and k + 1, all on one side, where k is the nearest: passes and comes back?
static SpragStatus look_between(const Hunt *hunt, const Point *points)
{
    Point nearest;
    double g = points[1].g;
    bool one_side = points[0].g * g > 0 && points[2].g * g > 0;
    if (!one_side || fabs(g) > fabs(points[0].g) || fabs(g) >= fabs(points[2].g))
        return SPRAG_OK;
    // a parabola through the three dips by at most an eighth of its bend
    double bend = fabs(points[0].g) + fabs(points[2].g) - 2 * fabs(g);
    bool even = points[1].t - points[0].t > 0.1 * (points[2].t - points[0].t) &&
                points[2].t - points[1].t > 0.1 * (points[2].t - points[0].t);
    if (even && fabs(g) > bend)
        return SPRAG_OK;
    SPRAG_TRY(find_nearest(hunt, points[0], points[1], points[2], &nearest));
    if (!passes(g, nearest.g))
        return SPRAG_OK;
    SPRAG_TRY(close_in(hunt, points[0], nearest));
    return close_in(hunt, nearest, points[2]);
}

// The same at an end of the piece that is nearer than its neighbour: does g come nearer inside?
static SpragStatus look_at_end(const Hunt *hunt, Point end, Point neighbour)
{
    const double near = 1e-3;
    Point triple[3] = {
        end.t < neighbour.t ? end : neighbour, {0, 0}, end.t < neighbour.t ? neighbour : end};
    if (!(end.g * neighbour.g > 0 && fabs(end.g) <= fabs(neighbour.g)))
        return SPRAG_OK;
    SPRAG_TRY(evaluate(hunt, end.t + near * (neighbour.t - end.t), &triple[1]));
    bool nearer = fabs(triple[1].g) < fabs(end.g) && triple[1].g * end.g > 0;
    return nearer ? look_between(hunt, triple) : SPRAG_OK;
}

static SpragStatus hunt_piece(const Hunt *hunt, double from, double to)
{
    Watch *watch = &hunt->watches->items[hunt->watch];
    const double pi = 3.14159265358979324;
    Point points[POINTS];
    for (int k = 0; k < POINTS; k++) {
        double part = 0.5 - 0.5 * cos(pi * k / (POINTS - 1));
        double t = k == POINTS - 1 ? to : from + part * (to - from);
        SPRAG_TRY(evaluate(hunt, t, &points[k]));
    }
    if (passes(watch->last, points[0].g))
        SPRAG_TRY(note_passage(hunt, from, points[0].g > 0));
    SPRAG_TRY(look_at_end(hunt, points[0], points[1]));
    for (int k = 1; k < POINTS; k++) {
        if (passes(points[k - 1].g, points[k].g))
            SPRAG_TRY(close_in(hunt, points[k - 1], points[k]));
        else if (k + 1 < POINTS)
            SPRAG_TRY(look_between(hunt, &points[k - 1]));
    }
    SPRAG_TRY(look_at_end(hunt, points[POINTS - 1], points[POINTS - 2]));
    watch->last = points[POINTS - 1].g;
    return SPRAG_OK;
}

static int compare(const void *a, const void *b)
{
    const Passage *x = a, *y = b;
    return x->t != y->t ? (x->t > y->t ? 1 : -1) : x->watch - y->watch;
}

SpragStatus watches_hear_piece(Watches *watches, SpragRun *run, double from, double to)
{
    watches->passage_count = 0;
    for (int i = 0; i < watches->count; i++) {
        Hunt hunt = {watches, i, run, to - from};
        if (watches->items[i].want.kind != SPRAG_WATCH_TYPE)
            SPRAG_TRY(hunt_piece(&hunt, from, to));
    }
    if (watches->passage_count > 1)
        qsort(watches->passages, watches->passage_count, sizeof *watches->passages, compare);
    return SPRAG_OK;
}

// ---- Events -------------------------------------------------------------------------------------

static SpragEvent make_event(const Watch *watch, double t, int contact)
{
    SpragEvent event = {.t = t, .type = SPRAG_EVENT_SCENE, .contact = contact};
    snprintf(event.name, sizeof event.name, "%s", watch->want.name);
    return event;
}

bool watches_event(Watches *watches, const Passage *passage, SpragEvent *event)
{
    Watch *watch = &watches->items[passage->watch];
    const SpragWatch *want = &watch->want;
    *event = make_event(watch, passage->t, -1);
    snprintf(event->detail, sizeof event->detail, "%.100s %s %.9g", want->of,
             passage->rises ? "rises above" : "falls below", want->value);
    return ++watch->count == want->count && want->stop;
}

int watches_hear_event(Watches *watches, const SpragEvent *event, SpragEvent *made, bool *stop)
{
    int count = 0;
    for (int i = 0; i < watches->count; i++) {
        Watch *watch = &watches->items[i];
        const SpragWatch *want = &watch->want;
        if (want->kind != SPRAG_WATCH_TYPE || (int)event->type != watch->type)
            continue;
        if (!contact_set_has(&watch->contacts, event->contact))
            continue;
        if (++watch->count != want->count)
            continue;
        *stop |= want->stop;
        if (!want->name)
            continue;
        made[count] = make_event(watch, event->t, event->contact);
        snprintf(made[count].detail, sizeof made[count].detail, "%s number %d",
                 sprag_event_name(event->type), want->count);
        count++;
    }
    return count;
}
