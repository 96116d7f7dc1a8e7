// motion_zeno.c: impacts that accumulate: a ball that comes to rest in finite time, a rocking that
// dies out.
// Problem   a contact with restitution bounces infinitely often before it rests; the times of its
//           impacts form a series with a limit, which no event location reaches
// Method    near the limit forces hardly change, so that one cycle is like the last but smaller:
//           departures at speeds u, R u, R² u … after times D, R D, R² D …, exactly so under
//           constant acceleration. The limit is t + D R/(1 − R), theory.md (14.10), (14.11). When
//           the flight ahead stays below the gap that counts as closed, the contact is closed: the
//           impulses of the bounces left are, in the mean, the force of a closed contact. It is
//           told at the limit. A cycle may have several impacts: the other corner of a block that
//           rocks.
// Assumes   the series is geometric: the last two ratios agree. Where they do not (a box that
//           tumbles), bounces end where they cannot be told from contact any more.
#include <math.h>
#include <string.h>

#include "motion_private.h"

// Height of a flight, relative to the gap that counts as closed, below which it is not flown: lower
// ones are lost in the rounding of positions.
static const double LOW = 1;
// Ratios of a geometric series agree to this; further apart the limit is only an estimate.
static const double REGULAR = 1e-4;
// A series with a ratio above this has no limit worth waiting for.
static const double SLOWEST = 1 - 1e-9;
// A time this near, in s or relative to the clock, is now.
static const double SHORTEST = 1e-14;
// Bounces in a row before an irregular sequence may end.
enum { IRREGULAR_COUNT = 8 };

static void forget_estimates(Bounce *b)
{
    b->plain = b->corrected =
        (Limit){.last = NAN, .shift = {INFINITY, INFINITY}, .best = NAN, .spread = INFINITY};
}

static void clear(Bounce *b)
{
    memset(b, 0, sizeof *b);
    b->closes_at = INFINITY;
    forget_estimates(b);
}

void zeno_clear_slot(SpragRun *run, int slot)
{
    clear(&run->bounces[slot]);
}

void zeno_clear(SpragRun *run)
{
    for (int slot = 0; slot < run->slots; slot++)
        clear(&run->bounces[slot]);
}

static void push(Bounce *bounce, double t, double speed)
{
    for (int i = BOUNCES_KEPT - 1; i > 0; i--) {
        bounce->t[i] = bounce->t[i - 1];
        bounce->speed[i] = bounce->speed[i - 1];
    }
    bounce->t[0] = t;
    bounce->speed[0] = speed;
    bounce->count++;
}

// Whether the last two cycles shrink alike, in speed and in time.
static bool is_regular(const Bounce *b)
{
    if (b->count < BOUNCES_KEPT)
        return false;
    double ratio = b->speed[0] / b->speed[1], before = b->speed[1] / b->speed[2];
    double cycle = b->t[0] - b->t[1], cycle_before = b->t[1] - b->t[2];
    return fabs(ratio - before) <= REGULAR &&
           fabs(cycle - before * cycle_before) <= REGULAR * cycle;
}

// Takes a new estimate; left: sum of the shifts to come, relative to the last one. Two shifts
// count, since one may be small by chance.
static void refine(Limit *limit, double t, double value, double left)
{
    limit->shift[1] = limit->shift[0];
    limit->shift[0] = fabs(value - limit->last);
    limit->last = value;
    double spread = fmax(limit->shift[0], limit->shift[1]) * left;
    if (isfinite(spread) && (spread < limit->spread || !(limit->best > t))) {
        limit->best = value;
        limit->spread = spread;
    }
}

// Estimates of the limit of a regular series. The plain one is off by what forces change meanwhile,
// which shrinks with the square of the time left; the corrected one takes that off, but feels
// rounding more. Rounding grows as flights shrink: the most certain estimate of all is kept.
static double estimate(Bounce *b, double t, double ratio)
{
    double value = t + (b->t[0] - b->t[1]) * ratio / (1 - ratio);
    double square = ratio * ratio, cube = square * ratio;
    double corrected = value;
    if (isfinite(b->plain.last))
        corrected += (value - b->plain.last) * square / (1 - square);
    refine(&b->plain, t, value, 1 / (1 - square));
    refine(&b->corrected, t, corrected, 1 / (1 - cube));
    const Limit *best = b->corrected.spread < b->plain.spread ? &b->corrected : &b->plain;
    return best->best > t ? best->best : value;
}

bool zeno_depart(SpragRun *run, int slot, double speed, double *at)
{
    Bounce *b = &run->bounces[slot];
    push(b, run->t, speed);
    *at = run->t;
    if (b->count < 2 || !(b->t[0] > b->t[1]))
        return false;
    double ratio = speed / b->speed[1], cycle = b->t[0] - b->t[1];
    // a flight of duration T that begins at speed u has the height u T/4
    bool low = 0.25 * speed * ratio * cycle <= LOW * run->tolerances.gap;
    bool regular = ratio < SLOWEST && (b->count == 2 || is_regular(b));
    if (!regular) {
        forget_estimates(b);
        return low && b->count >= IRREGULAR_COUNT;
    }
    *at = estimate(b, run->t, ratio);
    return low && b->count > 2;
}

void zeno_close(SpragRun *run, int slot, double at, SpragRunOutcome *outcome)
{
    Bounce *b = &run->bounces[slot];
    if (at - run->t > SHORTEST * fmax(1, fabs(run->t))) {
        b->closes_at = at;
        return;
    }
    tell_event(run, SPRAG_EVENT_LANDING, slot, outcome,
               "Zeno: after %d impacts in a row the bounces are lower than the contact tolerance, "
               "and the contact is closed",
               b->count);
    clear(b);
}

double zeno_next(SpragRun *run, double until)
{
    for (int slot = 0; slot < run->slots; slot++) {
        Bounce *b = &run->bounces[slot];
        if (b->closes_at == INFINITY)
            continue;
        if (run->mode[slot] == SPRAG_MODE_SEPARATE)
            b->closes_at = INFINITY; // something else has opened it
        else
            until = fmin(until, fmax(b->closes_at, run->t));
    }
    return until;
}

SpragStatus zeno_tell(SpragRun *run, SpragRunOutcome *outcome)
{
    bool any = false, held = false;
    for (int slot = 0; slot < run->slots; slot++)
        any |= run->bounces[slot].closes_at <= run->t;
    if (!any || *outcome != SPRAG_RUN_DONE)
        return SPRAG_OK;
    SPRAG_TRY(tell_sample(run, run->t, run->y, true, false, outcome));
    for (int slot = 0; slot < run->slots; slot++) {
        Bounce *b = &run->bounces[slot];
        if (b->closes_at > run->t)
            continue;
        tell_event(run, SPRAG_EVENT_LANDING, slot, outcome,
                   "Zeno: after %d impacts in a row infinitely many more end here, and the contact "
                   "is closed",
                   b->count);
        clear(b);
    }
    if (zeno_next(run, INFINITY) == INFINITY)
        SPRAG_TRY(decide_rest(run, &held));
    if (held && !run->held)
        tell_event(run, SPRAG_EVENT_REST, -1, outcome, "everything rests, and stays so");
    run->held |= held;
    return tell_sample(run, run->t, run->y, false, true, outcome);
}
