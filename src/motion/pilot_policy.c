// pilot_policy.c: who carries on, and how, where rigid mechanics has no stable motion.
// Problem   no motion, none that is stable, several without a present one, or forces without limit
// Method    by the run's settings: end and say why; the tangential impact of theory.md 10.7
//           (Kilmister and Reeve: constraints are kept by forces if possible, else by impulses);
//           or compliant contacts, theory.md 8.6
#include "pilot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "motion_private.h"
#include "sprag/numeric.h"

enum { MOST_IMPULSES = 8 }; // at one time

SpragRunSettings sprag_run_settings(const SpragSimulate *simulate)
{
    SpragRunSettings settings = sprag_run_default();
    settings.tolerance = simulate->tolerance;
    settings.output_step = simulate->output_step;
    settings.motion = simulate->motion;
    settings.paradox = simulate->paradox;
    settings.branch = simulate->branch;
    settings.impacts = simulate->impacts;
    settings.step = simulate->step;
    settings.scheme = simulate->scheme;
    settings.theta = simulate->theta;
    settings.threads = simulate->threads;
    settings.law_tolerance = simulate->law_tolerance;
    return settings;
}

SpragParadox pilot_policy(const SpragRun *run)
{
    if (run->settings.paradox != SPRAG_PARADOX_DEFAULT)
        return run->settings.paradox;
    return run->settings.motion == SPRAG_MOTION_AUTO ? SPRAG_PARADOX_COMPLIANT : SPRAG_PARADOX_STOP;
}

void pilot_remember(SpragRun *run)
{
    for (int slot = 0; slot < run->slots; slot++) {
        const SpragRunContact *contact = &run->contacts[slot];
        PilotSlot *item = &run->pilot.slot[slot];
        item->pressed = !run->compliant[slot] && !bearing_is_soft(run, slot) &&
                        run->mode[slot] != SPRAG_MODE_SEPARATE && contact->normal > 0;
        item->normal = item->pressed ? contact->normal : 0;
        memset(item->normals, 0, sizeof item->normals);
        for (int k = 0; k < 2; k++)
            item->tangential[k] = item->pressed ? contact->tangentials[k] : 0;
    }
    const Frozen *f = &run->frozen;
    for (int i = 0; i < f->active_count; i++)
        for (int k = 0; f->bearing[i] && k < f->normals[i]; k++)
            run->pilot.slot[f->active[i]].normals[k] = run->now.force[f->first[i] + k];
}

void pilot_reset_slot(SpragRun *run, int slot)
{
    run->pilot.slot[slot] = (PilotSlot){.returned_at = -INFINITY, .patience = PILOT_PATIENCE};
}

// √(K a_nn) of a slot's layer, 1/s; of the default one with d̄ = a_nn, theory.md (6.9).
static SpragStatus ringing_rate(SpragRun *run, int slot, double force, double *rate)
{
    double W[SPRAG_CONSTRAINT_ROWS * SPRAG_CONSTRAINT_ROWS], slope = 0;
    SpragSystemSample sample = {.W = W};
    SpragContactPair pair;
    const double *y = run->y, *v = run->y + run->m;
    sprag_system_pair(run->system, slot, &pair);
    SPRAG_TRY(sprag_system_sample(run->system, run->t, y, v, 1, &slot, &sample));
    if (run->layer_known[slot])
        (void)sprag_layer_normal(&run->layer[slot], sprag_layer_depth(&run->layer[slot], force), 0,
                                 NULL, &slope, NULL);
    else if (pair.compliance.law != SPRAG_COMPLIANCE_RIGID && pair.compliance.exponent == 1)
        slope = pair.compliance.stiffness;
    *rate = sqrt(fmax(slope * W[0], 0));
    if (!(*rate > 0))
        *rate = 1 / (sqrt(run->settings.epsilon) *
                     sprag_system_time_scale(run->system, y, v, run->kinematics));
    return SPRAG_OK;
}

SpragStatus pilot_jolt(SpragRun *run, int slot, double impulse)
{
    PilotSlot *item = &run->pilot.slot[slot];
    double rate;
    if (!item->pressed || !(impulse > 0))
        return SPRAG_OK;
    SPRAG_TRY(ringing_rate(run, slot, item->normal, &rate));
    if (impulse * rate < item->normal)
        return SPRAG_OK;
    item->pressed = false;
    item->normal = item->tangential[0] = item->tangential[1] = 0;
    return SPRAG_OK;
}

void pilot_reset(SpragRun *run)
{
    PilotSlot *slot = run->pilot.slot;
    bool *culprit = run->pilot.culprit;
    run->pilot = (Pilot){.slot = slot,
                         .culprit = culprit,
                         .before_told = true,
                         .impulse_time = -INFINITY,
                         .switch_time = -INFINITY};
    for (int i = 0; i < run->slots; i++)
        pilot_reset_slot(run, i);
}

// ---- Who takes part -----------------------------------------------------------------------------

// D of the frozen mode (6.2), rows and columns in units of the frictionless diagonal.
static void build_D(const SpragRun *run, double *D)
{
    const Frozen *f = &run->frozen;
    const double *W = run->now.W;
    int k = f->solved_count, rows = f->row_count;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            const Unknown *u = &f->unknowns[f->solved[j]];
            int r = f->unknowns[f->solved[i]].row;
            double entry = modes_entry(run, W + r * rows, u);
            D[i * k + j] = entry / sqrt(W[r * rows + r] * W[u->row * rows + u->row]);
        }
}

// The contacts whose forces grow without limit where the determinant of the mode vanishes: those
// in the last right singular vector of D.
static SpragStatus mark_weakest(SpragRun *run, bool *slots)
{
    const Frozen *f = &run->frozen;
    const double least_share = 1e-3;
    size_t k = (size_t)f->solved_count;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    double *D = sprag_arena_alloc(run->arena, 2 * k * k + k + 1, sizeof *D);
    if (!D)
        return SPRAG_ERROR_MEMORY;
    double *V = D + k * k, *s = V + k * k, largest = 0;
    // the equations may be singular here, the sample they are made of is not
    SpragStatus status = modes_evaluate(run, run->t, run->y);
    if (status != SPRAG_OK && status != SPRAG_ERROR_NUMERIC)
        return status;
    build_D(run, D);
    sprag_svd((int)k, (int)k, D, s, V);
    for (size_t i = 0; i < k; i++)
        largest = fmax(largest, fabs(V[i * k + k - 1]));
    for (size_t i = 0; i < k; i++)
        if (fabs(V[i * k + k - 1]) > least_share * largest)
            slots[f->active[f->unknowns[f->solved[i]].contact]] = true;
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// Whether the stable motions differ in constraint i.
static bool differ(const SpragVerdict *verdict, int i)
{
    int first = -1;
    for (int k = 0; k < verdict->solution_count; k++) {
        if (!verdict->solutions[k].stable)
            continue;
        if (first >= 0 &&
            verdict->solutions[k].motion->modes[i] != verdict->solutions[first].motion->modes[i])
            return true;
        first = first < 0 ? k : first;
    }
    return false;
}

int pilot_unpressed(const SpragRun *run, const SpragVerdict *verdict)
{
    int found = -1;
    if (pilot_policy(run) != SPRAG_PARADOX_COMPLIANT || !run->started)
        return -1;
    for (int k = 0; k < verdict->solution_count; k++) {
        bool parts = verdict->solutions[k].stable;
        for (int i = 0; i < run->problem.constraint_count && parts; i++) {
            int slot = run->problem.constraints[i].id;
            if (differ(verdict, i))
                parts = verdict->solutions[k].motion->modes[i] == SPRAG_MODE_SEPARATE &&
                        !run->pilot.slot[slot].pressed && pilot_may_switch(run, slot);
        }
        if (parts && found >= 0)
            return -1;
        found = parts ? k : found;
    }
    return found;
}

SpragStatus pilot_mark(SpragRun *run, double t, const double *y, const bool *resting,
                       SpragRunOutcome why, SpragVerdict *verdict)
{
    bool *culprit = run->pilot.culprit;
    size_t bytes = (size_t)run->slots * sizeof *culprit;
    memset(culprit, 0, bytes);
    SPRAG_TRY(decide_culprits(run, t, y, resting, verdict, culprit));
    if (why != SPRAG_RUN_JAM)
        return SPRAG_OK;
    memset(culprit, 0, bytes);
    return mark_weakest(run, culprit);
}

// ---- An impulse --------------------------------------------------------------------------------

// An impulse, then the decision behind it; one that changes nothing, or many at one time, help no
// more.
static SpragStatus rescue_by_impulse(SpragRun *run, double t, const double *y, const bool *resting,
                                     Decision *decision, SpragRunOutcome *outcome)
{
    Pilot *pilot = &run->pilot;
    SpragRunOutcome why = *outcome, told = SPRAG_RUN_DONE;
    SpragVerdict verdict;
    pilot->impulses_here = run->t > pilot->impulse_time ? 0 : pilot->impulses_here;
    pilot->impulse_time = run->t;
    while (why == SPRAG_RUN_NO_SOLUTION || why == SPRAG_RUN_JAM) {
        bool moved = false;
        if (pilot->impulses_here++ >= MOST_IMPULSES)
            return SPRAG_OK;
        SPRAG_TRY(pilot_mark(run, t, y, resting, why, &verdict));
        SPRAG_TRY(pilot_impulse(run, &moved, &told));
        if (!moved)
            return SPRAG_OK;
        t = run->t;
        y = run->y;
        resting = NULL;
        SPRAG_TRY(decide_again(run, NULL, decision, &why));
    }
    *outcome = told != SPRAG_RUN_DONE ? told : why;
    return SPRAG_OK;
}

// theory.md 8.1: flutter and the like know no impulse; the motion in the present modes goes on.
static void follow_unstable(SpragRun *run, Decision *decision, SpragRunOutcome *outcome)
{
    int present = decide_present_motion(run, &decision->verdict);
    if (present < 0)
        return;
    decision->taken = present;
    run->pilot.follows = true;
    *outcome = SPRAG_RUN_DONE;
}

SpragStatus pilot_rescue(SpragRun *run, double t, const double *y, const bool *resting,
                         Decision *decision, SpragRunOutcome *outcome)
{
    SpragRunOutcome told = SPRAG_RUN_DONE;
    if (!run->pilot.before_told)
        SPRAG_TRY(tell_sample(run, run->t, run->y, true, false, &told));
    run->pilot.before_told = true;
    bool compliant = pilot_policy(run) == SPRAG_PARADOX_COMPLIANT;
    if (told == SPRAG_RUN_DONE && !compliant)
        SPRAG_TRY(pilot_stop_bearings(run, t, y, resting, decision, outcome));
    if (told != SPRAG_RUN_DONE)
        *outcome = told;
    else if (*outcome == SPRAG_RUN_DONE)
        run->pilot.acted = true;
    else if (compliant) {
        SPRAG_TRY(pilot_switch(run, t, y, resting, decision, outcome));
        // bearings that must stay rigid
        if (*outcome != SPRAG_RUN_DONE)
            SPRAG_TRY(pilot_stop_bearings(run, t, y, resting, decision, outcome));
    } else if (pilot_policy(run) == SPRAG_PARADOX_IMPULSE) {
        if (*outcome == SPRAG_RUN_UNSTABLE)
            follow_unstable(run, decision, outcome);
        else
            SPRAG_TRY(rescue_by_impulse(run, t, y, resting, decision, outcome));
    }
    run->pilot.acted = *outcome == SPRAG_RUN_DONE;
    return SPRAG_OK;
}
