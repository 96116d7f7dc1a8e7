// pilot.h: what a run does where rigid mechanics has no answer (private to the room).
//
// Which contacts become compliant, in what state, beside which rigid ones, and when they return:
// theory.md 8.1, 8.6. Or an impulse, 10.7. Or nothing: then the run ends and says why.
#ifndef SPRAG_MOTION_PILOT_H
#define SPRAG_MOTION_PILOT_H

#include "sprag/motion.h"

struct Decision;

// Periods that contacts must be calm for before they return, theory.md 8.6.4; twice as many each
// time they fail again soon afterwards.
#define PILOT_PATIENCE 3.0

// A contact that the pilot has made compliant.
typedef struct PilotSlot {
    bool made;
    bool sibling; // it was open, and a contact of the same two shapes became compliant
    bool whole;   // returns with all of its group only: an unstable eigenvector belongs to all
    int group;    // contacts that switched together
    SpragRunOutcome cause;
    double determinant; // (3.4) relative to no friction: it must be larger for a return
    double calm_since;  // when all conditions of a return began to hold; INFINITY: they do not
    double next_check;  // no look at them before
    double returned_at; // last return; −INFINITY: none
    double patience;    // periods that it must be calm for
    double period;      // s, of the slowest fast mode
    double normal, tangential[2]; // N: rigid forces just before the event that is decided now
    double normals[SPRAG_CONSTRAINT_WAYS];  // N, of a bearing: each of its normals
    double start[SPRAG_CONSTRAINT_WAYS];    // what the layer starts with
    bool pressed;                           // … existed there
    double part;                            // of them that the layer starts with
    double push_normal, push_tangential[2]; // deformation along the mode that grows, analysis.h
} PilotSlot;

// What the pilot keeps of a run.
typedef struct Pilot {
    PilotSlot *slot;
    bool *culprit; // scratch, one a slot: takes part in the failure
    int made_count, group_count;
    bool acted;                   // the decision at hand came from here
    bool follows;                 // a motion that is not stable is followed, theory.md 8.1
    bool before_told;             // the sink has the sample before the event that is decided now
    bool interval;                // the verdict that failed stands until all contacts have returned
    const SpragExitStart *forced; // the run starts so, whatever the verdict says; NULL: it does not
    int impulses_here, switches_here; // since the time last moved on
    double impulse_time, switch_time;
    // of the verdict on the rigid contacts at the last decision
    SpragVerdictKind kind;
    int solution_count, stable_count;
} Pilot;

// At a start: nothing has happened yet.
void pilot_reset(SpragRun *run);
void pilot_reset_slot(SpragRun *run, int slot);
// Rigid forces of the sample filled last are those before the event.
void pilot_remember(SpragRun *run);
// A slot has been in a collision with this largest impulse, N s. It leaves the layers ringing, and
// where that is more than the force before, that force is no longer what the slot's starts with.
SPRAG_MUST_USE SpragStatus pilot_jolt(SpragRun *run, int slot, double impulse);
// What the run does where no motion is stable.
SpragParadox pilot_policy(const SpragRun *run);
// A decision at (t, y) ended in *outcome, which is not DONE. Where the settings say so the run
// carries on: *outcome is DONE and the decision made anew, for the state run->t, run->y.
SPRAG_MUST_USE SpragStatus pilot_rescue(SpragRun *run, double t, const double *y,
                                        const bool *resting, struct Decision *decision,
                                        SpragRunOutcome *outcome);
// Marks who takes part in a failure at (t, y).
SPRAG_MUST_USE SpragStatus pilot_mark(SpragRun *run, double t, const double *y, const bool *resting,
                                      SpragRunOutcome why, SpragVerdict *verdict);

// Of several stable motions the one that layers without a force lead to: those of the contacts in
// which they differ start unpressed and at rest, and where such a contact accelerates apart its
// layer never presses. −1: a layer has a history, or the motion is no separation, so that the
// layers must be asked.
int pilot_unpressed(const SpragRun *run, const SpragVerdict *verdict);
// pilot_chatter.c
// Tells of contacts that have come to stick where impacts could also grow from nothing.
SPRAG_MUST_USE SpragStatus pilot_tell_chatter(SpragRun *run, SpragRunOutcome *outcome);

// pilot_bearing.c: where sliding bearings alone have no motion they stop at once, and the decision
// behind that is taken; else nothing happens.
SPRAG_MUST_USE SpragStatus pilot_stop_bearings(SpragRun *run, double t, const double *y,
                                               const bool *resting, struct Decision *decision,
                                               SpragRunOutcome *outcome);

// pilot_impulse.c
// The tangential impact (10.7) of the contacts marked as culprits and all that touch with them;
// *moved: velocities have jumped.
SPRAG_MUST_USE SpragStatus pilot_impulse(SpragRun *run, bool *moved, SpragRunOutcome *outcome);

// pilot_switch.c
// Whether a closed rigid contact may become compliant.
bool pilot_may_switch(const SpragRun *run, int slot);
// Contacts become compliant until those that stay rigid have one stable motion; *outcome is DONE
// then.
SPRAG_MUST_USE SpragStatus pilot_switch(SpragRun *run, double t, const double *y,
                                        const bool *resting, struct Decision *decision,
                                        SpragRunOutcome *outcome);

// The first decision of a run that is forced into the layers of a motion.
SPRAG_MUST_USE SpragStatus pilot_force(SpragRun *run, struct Decision *decision,
                                       SpragRunOutcome *outcome);
// No impulses end a collision of these contacts: they become compliant as they meet.
SPRAG_MUST_USE SpragStatus pilot_soften(SpragRun *run, int count, const int *slots,
                                        SpragRunOutcome *outcome);

// pilot_start.c
// The parts of their forces before that these slots start with, so that the switch adds little
// energy. Their layers are known.
SPRAG_MUST_USE SpragStatus pilot_limit_start(SpragRun *run, int count, const int *slots);

// pilot_siblings.c
// An open rigid slot becomes compliant if one of the same two shapes presses a layer of the pilot.
void pilot_join(SpragRun *run, int slot);
// Whether a compliant slot touches, or is open and overlaps still by what it had not pressed.
bool pilot_is_sunk(const SpragRun *run, int slot);
// Whether another slot of the same two shapes is sunk into such a layer.
bool pilot_sibling_presses(const SpragRun *run, int slot);

// pilot_return.c
// After a step or an event: contacts of the pilot that may be rigid again become so. A new arc has
// begun if *returned.
SPRAG_MUST_USE SpragStatus pilot_return(SpragRun *run, bool *returned, SpragRunOutcome *outcome);
// The time, `until` at the latest, at which a return may be due: no step goes beyond it.
double pilot_stop(const SpragRun *run, double until);

#endif
