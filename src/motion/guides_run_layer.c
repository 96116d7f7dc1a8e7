// guides_run_layer.c: stick and slip of several guides whose normal forces are those of a layer.
// Problem   normal forces known; which guides at rest stick, which start, and where to? (9.27)
// Method    friction within boxes and an inertia that is positive definite: a complementarity
//           problem of class P with one answer. One guide after the other changes its mode, always
//           the first that is wrong (Murty's rule), which ends.
#include <math.h>
#include <string.h>

#include "guides_run_private.h"

static int sign_of(double x)
{
    return (x > 0) - (x < 0);
}

// Guides on one line start together.
static void release(SpragGuidesRun *run, int leader, int direction)
{
    for (int j = run->guides.m - 1; j >= 0; j--)
        if (run->leader[j] == leader)
            run->slip[j] = direction * sign_of(run->ratio[j]);
}

// Changes the first guide at rest whose mode is wrong; false: all are right.
static bool improve(SpragGuidesRun *run, const bool *rests)
{
    const double rounding = 1e-13;
    GuidesInstant now;
    guides_evaluate(run, run->loop.t, run->loop.y, &now);
    double size = 0;
    for (int i = 0; i < run->guides.n; i++)
        size = fmax(size, fabs(now.acceleration[i]));
    for (int j = 0; j < run->guides.m; j++) {
        if (!rests[j])
            continue;
        if (run->slip[j] != 0) {
            if (run->slip[j] * guides_slip(run, j, now.acceleration) >= -rounding * size)
                continue;
            run->slip[j] = 0;
            return true;
        }
        if (run->leader[j] != j || fabs(now.held[j]) <= now.capacity[j])
            continue;
        release(run, j, sign_of(now.held[j]));
        return true;
    }
    return false;
}

// Guides that the event being treated has freed start, whatever rounding says of their border.
static void start_left(SpragGuidesRun *run, bool *rests)
{
    GuidesInstant now;
    guides_evaluate(run, run->loop.t, run->loop.y, &now);
    for (int j = 0; j < run->guides.m; j++) {
        if (!run->left[j] || run->leader[j] != j)
            continue;
        release(run, j, sign_of(now.held[j]));
        for (int k = 0; k < run->guides.m; k++)
            rests[k] = rests[k] && run->leader[k] != j;
    }
}

static void tell(SpragGuidesRun *run, const int *before)
{
    for (int j = 0; j < run->guides.m && run->loop.begun; j++) {
        const char *side = run->slip[j] > 0 ? "forward" : "back";
        if (before[j] == 0 && run->slip[j] != 0)
            guides_tell(run, SPRAG_EVENT_SLIP_START, j, "guide %d starts %s: friction cannot hold",
                        j + 1, side);
        else if (before[j] != 0 && run->slip[j] == 0)
            guides_tell(run, SPRAG_EVENT_STICK, j, "guide %d: the slip ends, friction holds",
                        j + 1);
        else if (before[j] != run->slip[j])
            guides_tell(run, SPRAG_EVENT_SLIP_REVERSAL, j, "guide %d: the slip turns, now %s",
                        j + 1, side);
    }
}

void guides_decide_compliant(SpragGuidesRun *run)
{
    const int most = 1000; // far above 2^m changes of the few guides that are at rest at once
    int before[MOST];
    bool rests[MOST];
    const double *v = run->loop.y + run->guides.n;
    memcpy(before, run->slip, sizeof before);
    for (int j = 0; j < run->guides.m; j++) {
        double speed = guides_slip(run, j, v);
        rests[j] = run->loop.begun ? run->slip[j] == 0 || run->ended[j] : speed == 0;
        run->slip[j] = rests[j] ? 0 : sign_of(speed);
    }
    bool frozen = guides_freeze(run);
    start_left(run, rests);
    frozen = frozen && guides_freeze(run);
    for (int k = 0; k < most && frozen && improve(run, rests); k++)
        frozen = guides_freeze(run);
    tell(run, before);
}
