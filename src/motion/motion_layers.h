// motion_layers.h: what files on compliant contacts and on joints that rub offer to the rest of the
// room; part of motion_private.h.
#ifndef SPRAG_MOTION_LAYERS_H
#define SPRAG_MOTION_LAYERS_H

#include "motion_private.h"

// motion_layers.c: contacts whose forces come from their layers, theory.md section 5 and 8.6
// Reads the laws of all pairs; which are compliant follows from the motion and the pairs' models.
void layers_begin(SpragRun *run);
void layers_begin_slot(SpragRun *run, int slot);
// Adds to b of a contact problem of rigid contacts what the layers' forces at (t, y) do:
// b_R += W_RC λ_C (theory.md 8.6.1). Needs the lists of the present arc.
SPRAG_MUST_USE SpragStatus layers_load(SpragRun *run, double t, const double *y,
                                       SpragContactProblem *problem);
// Rigid contacts have closed: their bristles begin unbent, or where they slide so fast that the
// damping of unbent bristles would be no friction any more, as in steady slip.
SPRAG_MUST_USE SpragStatus layers_bend(SpragRun *run);
// Contacts with smooth friction laws in a contact problem at (t, y): sliding with the ratio λT/λN
// that the law gives now (theory.md (7.2)), whatever its bristles say of the slip.
SPRAG_MUST_USE SpragStatus layers_smooth(SpragRun *run, double t, const double *y,
                                         SpragContactProblem *problem);
// Forces of soft contacts, ratios of smooth friction laws and rates of the states, into run->now,
// which holds a sample at y.
void layers_forces(SpragRun *run, const double *y);
// The same of active contact i, and the powers that its damper and its slider take, added.
void layers_force(SpragRun *run, const double *y, int i);
void layers_add_powers(const SpragRun *run, const double *y, int i, double *friction,
                       double *damping);
// Rates of the layer states and their powers, after modes_evaluate.
void layers_derivative(SpragRun *run, const double *y, double *dy);
// J stored in the layers at y.
double layers_energy(const SpragRun *run, const double *y);
double layers_slot_energy(const SpragRun *run, int slot);
// Bodies, springs and layers together, J.
SPRAG_MUST_USE SpragStatus layers_whole_energy(SpragRun *run, double *energy);
// λ_tr of theory.md (5.10) of active contact i, from the sample at y: an entry a tangent.
void layers_trial(const SpragRun *run, const double *y, int i, double *trial);
// Unit vector of its friction force in slip.
void layers_pull(const SpragRun *run, const double *y, int i, double *pull);
// The shear state of a slot is `factor` times a vector; NULL: 0.
void layers_set_shear(SpragRun *run, int slot, const double *shear, double factor);
// A compliant contact opens; what its layer stores counts as damped.
void layers_open(SpragRun *run, int slot);
// Layer states into y (whose size it sets) when contacts are listed; and back, wherever run->y has
// changed.
void layers_pack(SpragRun *run);
void layers_unpack(SpragRun *run);

// motion_layers_define.c
// Makes the layers of these slots known: the scene's, else the default of theory.md (6.9) with d̄
// over those that have none.
SPRAG_MUST_USE SpragStatus layers_define(SpragRun *run, int count, const int *slots);
// Marks (in: one each) the slots that W couples with the first of them, if only through others.
SPRAG_MUST_USE SpragStatus layers_mark_island(SpragRun *run, int count, const int *slots, bool *in);

// motion_layers_enter.c
// Rigid slots become compliant. Those whose mode is not SEPARATE are touching, in equilibrium with
// the forces given (N, tangential: an entry a tangent; NULL: none existed before, depth and shear
// 0); q moves by the M-smallest
// displacement that makes their depths and leaves the other closed gaps; its work is booked in
// run->change. The others are open. An arc must begin afterwards.
SPRAG_MUST_USE SpragStatus layers_enter(SpragRun *run, int count, const int *slots,
                                        const double *normal, const double *tangential);
// Compliant slots become rigid with their modes: those that touch are projected on gap = 0, and
// those that press also on N v = 0 (and T v = 0 where they stick); the work is booked in
// run->change. An arc must begin afterwards.
SPRAG_MUST_USE SpragStatus layers_leave(SpragRun *run, int count, const int *slots);
// Moves q by the M-smallest displacement so that every closed contact has its gap.
SPRAG_MUST_USE SpragStatus layers_place(SpragRun *run);
// The same where contacts get their depths at once: no open contact is pushed in, and depths that
// the bodies cannot have beside the other gaps give way.
SPRAG_MUST_USE SpragStatus layers_place_switched(SpragRun *run);

// motion_bearing.c: joints that rub on compliant normals
bool bearing_is_soft(const SpragRun *run, int slot);
bool bearing_any_soft(const SpragRun *run);
// At the begin of a run all are rigid; then those that the settings want become soft.
void bearings_begin(SpragRun *run);
SPRAG_MUST_USE SpragStatus bearings_start(SpragRun *run);
// Those among these slots, whose layers are known, become soft, and rigid again.
SPRAG_MUST_USE SpragStatus bearings_soften(SpragRun *run, int count, const int *slots);
void bearing_harden(SpragRun *run, int slot);
// For a look at the rigid problem: those among these slots (NULL: all) are rigid until they are
// lowered again; *lifted: one a slot, in the arena.
SPRAG_MUST_USE SpragStatus bearings_lift(SpragRun *run, int count, const int *slots, bool **lifted);
void bearings_lower(SpragRun *run, const bool *lifted);
// Projections put a rigid one where its layer would have these forces (of its normals).
void bearing_offset(SpragRun *run, int slot, const double *force);
// What the layer of a slot stores, J; how far it is pressed, m.
double bearing_energy(SpragRun *run, int slot);
double bearing_depth(SpragRun *run, double t, const double *y, int slot);
// μ of the joint.
double bearing_friction(const SpragRun *run, int slot, bool sliding);
// No step goes beyond this time: layers of bearings ring.
double bearing_stop(const SpragRun *run, double until);

// motion_layers_events.c
void layers_list_functions(SpragRun *run, int i);
// At the begin of an arc: layers whose damper would pull are clipped; whether there are any.
bool layers_clip_pulling(SpragRun *run);
// Of an active contact with a smooth friction law, rigid or not.
void layers_list_smooth(SpragRun *run, int i);
double layers_function(const SpragRun *run, const EventFunction *g);
// What the slider of a touching slot does with the force of its layer at its depth and shear.
SPRAG_MUST_USE SpragStatus layers_choose(SpragRun *run, int slot);
// The same of one that is pressed from now on: if its damper would pull, its force is clipped.
SPRAG_MUST_USE SpragStatus layers_choose_first(SpragRun *run, int slot);
// Slots that the present state presses at the start.
SPRAG_MUST_USE SpragStatus layers_start(SpragRun *run);
// Applies what has happened to compliant contacts; *changed: something has.
SPRAG_MUST_USE SpragStatus layers_apply(SpragRun *run, bool *changed);
// The slip of a slot has ended.
void layers_stop_slider(SpragRun *run, int slot);
// A slot slides along a vector times a sign, which may be zero.
void layers_slide_along(SpragRun *run, int slot, const double *v, double sign);
// Whether Karnopp's law holds the slip of active contact i, which is compliant.
bool karnopp_holds(const SpragRun *run, int i);
// Slip of a slot up to which it has no direction, well within the band of Karnopp's law: two
// corners of a body that rocks on its layers cannot both be at rest.
double karnopp_still(const SpragRun *run, int slot);
// Of a whole sample, one a row: rows that are held and independent of those before.
SPRAG_MUST_USE SpragStatus karnopp_lead(SpragRun *run, bool *leads);
// Ends slips that have come into the band of Karnopp's law at this event, of any contact.
SPRAG_MUST_USE SpragStatus karnopp_come(SpragRun *run);
// At the begin of an arc: slips that compliant contacts hold become zero; *stopped: some have, and
// the modes are to be frozen again.
SPRAG_MUST_USE SpragStatus karnopp_stop(SpragRun *run, bool *stopped);
// Slips that are held become zero if one is more than this part of its band; *stopped: so they are.
SPRAG_MUST_USE SpragStatus karnopp_stop_held(SpragRun *run, double part, bool *stopped);
// motion_karnopp_release.c
// At the begin of an arc: contacts whose forces are beyond their cones let go; *changed: one has.
SPRAG_MUST_USE SpragStatus karnopp_release(SpragRun *run, bool *changed);
// force (rows) receives those of the state evaluated last, where slips that are held together share
// what holds them: rows that depend on each other leave all of it to the first of them.
SPRAG_MUST_USE SpragStatus karnopp_share(SpragRun *run, double *force);
// At the end of what their forces can hold: those that are at their cones let go.
SPRAG_MUST_USE SpragStatus karnopp_release_margin(SpragRun *run, bool *changed);
// Velocities have jumped: what the layers do now.
SPRAG_MUST_USE SpragStatus layers_jump(SpragRun *run);
// Begins to press a slot, with this depth and shear (NULL: none).
SPRAG_MUST_USE SpragStatus layers_press(SpragRun *run, int slot, double depth, const double *shear);
// Contacts whose side has ended hand their states over to those that touch now; places: one a slot,
// where those were.
SPRAG_MUST_USE SpragStatus layers_pass(SpragRun *run, const SpragVec3 *places,
                                       SpragRunOutcome *outcome);
// In the plane: a compliant slot that has come in overlaps at once, where another one is pressed in
// already: it goes on with that one's layer, or if it has done so before, stays open beside it.
SPRAG_MUST_USE SpragStatus layers_take_over(SpragRun *run, int slot, bool *settled);
// At the begin of an arc: open slots in the place of a pressed one may go deeper with it.
SPRAG_MUST_USE SpragStatus layers_cover(SpragRun *run);
// At its gap a pressed slot is no longer what its layer is in: another one that stands for it goes
// on with the layer. Where the slot cannot touch any more and there is none, nothing goes on.
SPRAG_MUST_USE SpragStatus layers_lose(SpragRun *run, int slot, double gap, bool *lost);
void layers_tell_change(SpragRun *run, int slot, SpragRunOutcome *outcome);
// Whether a slip turns whose bristles have bent to and fro, and have not slipped: theory.md 7.1.
bool layers_only_bends(const SpragRun *run, int slot, SpragMode old, SpragMode now);

// motion_layers_quick.c: of contacts in the plane only; in space sliders follow their states
// Which sliders are quick, from a whole sample.
void layers_find_quick(SpragRun *run);
double layers_quick_slip(const SpragRun *run, int i);
// 1/s: how fast the shear of a quick slider comes to that of its force; the rate of its shear.
double layers_quick_relaxation(const SpragRun *run, int i);
double layers_quick_rate(const SpragRun *run, int i);
// The slip of active contact i, which is quick, has ended, at the state evaluated last: it sticks,
// or where that takes more than friction it goes on slowly.
void layers_stop_quick(SpragRun *run, int i);
// At the begin of an arc: those that would slip against their friction end; *changed.
void layers_hold_quick(SpragRun *run, bool *changed);

// motion_layers_overlap.c: contacts that close between bodies which overlap in a layer already
// Rigid contacts whose gap has jumped below zero for that reason become compliant.
SPRAG_MUST_USE SpragStatus overlap_adopt(SpragRun *run, SpragRunOutcome *outcome);
// A rigid slot becomes compliant beside `mate`, one that the pilot has made so; it is open.
bool overlap_may_soften(const SpragRun *run, int slot, int mate);
SPRAG_MUST_USE SpragStatus overlap_soften(SpragRun *run, int slot, int mate,
                                          SpragRunOutcome *outcome);
// A layer by default goes on with the numbers of its neighbour: the surface is one.
void overlap_share_layer(SpragRun *run, int slot, int from);
// Likewise from a contact of the same bodies that is pressed, if there is one.
void overlap_share_neighbour(SpragRun *run, int slot);
bool overlap_same_bodies(const SpragRun *run, int slot, int other);
// Whether both slots are of one vertex, on parts that never move against each other; and whether
// such a one is closed beside the slot.
bool overlap_continues(const SpragRun *run, int slot, int other);
bool overlap_passes(const SpragRun *run, int slot);
// The overlap of a slot that begins to press with this depth belongs to its shift.
SPRAG_MUST_USE SpragStatus overlap_begin(SpragRun *run, int slot, double depth);
// Where corners meet in a layer a slot may hold on to another side than before: its gap has jumped,
// and its shift follows. Bodies are not moved for that.
SPRAG_MUST_USE SpragStatus overlap_absorb(SpragRun *run);
// Rigid contacts have closed: where they overlap by no more than a layer is deep, what lies below
// them has sunk into one, and they stay where they are.
void overlap_land(SpragRun *run);
// Shifts of open contacts become less as their bodies part.
SPRAG_MUST_USE SpragStatus overlap_relax(SpragRun *run);

// motion_layers_settle.c
// At the start, after layers_start: contacts that rest, and stay so, get the depths and shears of
// their forces; the work of that is booked in run->change.
SPRAG_MUST_USE SpragStatus layers_settle(SpragRun *run);

// motion_layers_verdict.c
// Whether nothing moves, nothing begins to move, and every slider that has friction sticks.
SPRAG_MUST_USE SpragStatus layers_rest(SpragRun *run, bool *rests);
// Whether it is certain, without a search, that the verdict told last still holds: the modes are
// those that it was told with.
SPRAG_MUST_USE SpragStatus layers_verdict_stays(SpragRun *run, bool *stays);
// The verdict of the rigid problem of all contacts that press; *decision: with the present modes.
SPRAG_MUST_USE SpragStatus layers_verdict(SpragRun *run, double t, const double *y,
                                          Decision *decision);

// Tells the verdict of the rigid problem beside the motion of layers; where no sink hears of it, it
// is due when the run stops and may be asked for its sample.
SPRAG_MUST_USE SpragStatus apply_layers_verdict(SpragRun *run, SpragRunOutcome *outcome);
SPRAG_MUST_USE SpragStatus layers_verdict_due(SpragRun *run, SpragRunOutcome *outcome);

// After a step: where layers have come to rest, and the verdict while they do not ring.
SPRAG_MUST_USE SpragStatus layers_look(SpragRun *run, SpragRunOutcome *outcome);

// motion_layers_jacobian.c
int layers_jacobian(double t, const double *y, double *jacobian, void *user);
// Its rows of q', motion_rates.c: q' is linear in v, and in space in the quaternions too.
SPRAG_MUST_USE SpragStatus rates_position_slopes(SpragRun *run, const double *y, int size,
                                                 double *jacobian);

// motion_near.c: gaps of all open contacts into run->probe_gap, and rates if some are at velocity
// level. Those of bodies far from each other may be told too small.
SPRAG_MUST_USE SpragStatus near_gaps(SpragRun *run, double t, const double *y);

// motion_layers_arc.c
// Chooses the integrator of an arc that begins, with tolerances for its states, and starts it.
SPRAG_MUST_USE SpragStatus layers_begin_arc(SpragRun *run);
// run->y at an event at t inside of the last step.
SPRAG_MUST_USE SpragStatus layers_arrive(SpragRun *run, double t);
// After an accepted step: goes over to the implicit method where stability limits the explicit one.
SPRAG_MUST_USE SpragStatus layers_watch_step(SpragRun *run, const SpragStep *step);
// A time at which a step of the explicit method must end in space, where slip turns fast.
double layers_stable_end(const SpragRun *run, double until);

#endif
