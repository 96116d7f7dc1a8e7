// pilot.h: what a run does where rigid mechanics has no answer (private to the room).
//
// Which contacts become compliant, in what state, beside which rigid ones, and when they return:
// theory.md 8.1, 8.6. Or an impulse, 10.7. Or nothing: then the run ends and says why.
#ifndef SPRAG_MOTION_PILOT_H
#define SPRAG_MOTION_PILOT_H

#include "sprag/motion.h"

struct Decision;

// What the pilot keeps of a run. Arrays have one entry a slot.
typedef struct Pilot {
    double *normal, *tangential; // N: rigid forces just before the event that is decided now
    bool *pressed;               // … existed there
    bool *culprit;               // scratch: takes part in the failure
    bool acted;                  // the decision at hand came from here
    bool follows;                // a motion that is not stable is followed, theory.md 8.1
    int impulses_here;           // tangential impacts since the time last moved on
    double impulse_time;
} Pilot;

// Rigid forces of the sample told last are those before the event.
void pilot_remember(SpragRun *run);
// At a start: nothing has happened yet.
void pilot_reset(SpragRun *run);
// What the run does where no motion is stable.
SpragParadox pilot_policy(const SpragRun *run);
// A decision at (t, y) ended in *outcome, which is not DONE. Where the settings say so the run
// carries on: *outcome is DONE and the decision made anew, for the state run->t, run->y.
SPRAG_MUST_USE SpragStatus pilot_rescue(SpragRun *run, double t, const double *y,
                                        const bool *resting, struct Decision *decision,
                                        SpragRunOutcome *outcome);

// pilot_impulse.c
// The tangential impact (10.7) of the contacts marked as culprits and all that touch with them;
// *moved: velocities have jumped.
SPRAG_MUST_USE SpragStatus pilot_impulse(SpragRun *run, bool *moved, SpragRunOutcome *outcome);

#endif
