// motion_apply_jam.c: the determinant of a mode has fallen to its limit (theory.md 8.4): a jam, or
// rows that come together and stand for others, where other rows go on.
#include <math.h>

#include "motion_private.h"

// Rows with a determinant this many times larger take the place of those that come together.
static const double OTHER_ROWS = 100;

// The forces of the present mode grow without limit.
SpragStatus apply_jam(SpragRun *run, SpragRunOutcome *outcome)
{
    Decision decision;
    SPRAG_TRY(decide_jam(run, &decision, outcome));
    return *outcome == SPRAG_RUN_DONE ? run_take(run, &decision, false, outcome) : SPRAG_OK;
}

// Whether several contacts come together and their forces stay what they are: no jam (two places
// of a rim, where a flat end rolls to its edge). Where the determinant that is left falls again at
// once it is one, whose forces have not grown yet.
static bool stays_finite(const SpragRun *run)
{
    bool again = run->events_here > 1;
    bool finite = run->frozen.active_count > 1 && run->now.determinant > 0 && !again;
    return finite && arc_largest_force(run) < run->jam_force;
}

// Of dependent rows a few stand for all, and these may come together while all of them stay apart
// (a box that passes from one table onto the next). Other rows are chosen then; *better: there are
// some, or the forces do not mind.
SpragStatus apply_other_rows(SpragRun *run, bool *better)
{
    *better = false;
    if (!events_fired(run, FUNCTION_DETERMINANT))
        return SPRAG_OK;
    SPRAG_TRY(modes_evaluate(run, run->t, run->y));
    double before = run->now.determinant;
    if (stays_finite(run)) {
        double limit = run->jam_force; // of the forces before the determinant fell
        *better = true;
        SPRAG_TRY(arc_begin(run));
        run->jam_force = fmin(run->jam_force, limit);
        return SPRAG_OK;
    }
    if (!run->frozen.dependent)
        return SPRAG_OK;
    SPRAG_TRY(arc_begin(run));
    *better = run->now.determinant > OTHER_ROWS * fabs(before);
    return SPRAG_OK;
}
