// pilot_bearing.c: friction of a joint that grows without limit, theory.md 9.1, 9.5 and (9.28).
// Problem   a bearing slides and no motion obeys the law of its friction: on a compliant
//           bearing its force runs away from zero and stops the slip at once
// Method    normals and tangent of the bearing alone push, and when all is over it neither
//           opens nor slips: the change of velocity of least energy that does this is the only
//           one
// Assumes   that one bearing fails, or that all which fail stop together (one degree of freedom):
//           else which one stops first depends on how stiff they are, and nothing is done
#include <math.h>
#include <string.h>

#include "motion_private.h"

typedef struct Jam {
    int count;      // closed rigid contacts
    int *slots;     // these
    bool *stick;    // they do not slip afterwards
    int failing;    // bearings that fail
    int first;      // the first of them
    double *before; // velocities
} Jam;

static SpragStatus gather(SpragRun *run, Jam *jam, bool *alone)
{
    size_t n = (size_t)run->slots + 1;
    jam->slots = sprag_arena_alloc(run->arena, n, sizeof *jam->slots);
    jam->stick = sprag_arena_alloc(run->arena, n, sizeof *jam->stick);
    jam->before = sprag_arena_alloc(run->arena, (size_t)run->n + 1, sizeof *jam->before);
    if (!jam->slots || !jam->stick || !jam->before)
        return SPRAG_ERROR_MEMORY;
    *alone = true;
    for (int slot = 0; slot < run->slots; slot++) {
        bool fails = run->pilot.culprit[slot];
        if (run->compliant[slot] || run->mode[slot] == SPRAG_MODE_SEPARATE)
            continue;
        *alone &= !fails || (modes_is_bearing(run, slot) && mode_slides(run->mode[slot]));
        if (fails && jam->failing++ == 0)
            jam->first = slot;
        jam->stick[jam->count] =
            run->mode[slot] == SPRAG_MODE_STICK || (fails && jam->failing == 1);
        jam->slots[jam->count++] = slot;
    }
    *alone &= jam->failing > 0;
    return SPRAG_OK;
}

// Modes of closed contacts with friction after the jump; *together: every bearing that failed
// rests.
static SpragStatus set_modes(SpragRun *run, const Jam *jam, bool *together)
{
    *together = true;
    SPRAG_TRY(sprag_system_kinematics(run->system, run->t, run->y, run->y + run->m,
                                      &run->tolerances, run->kinematics));
    for (int i = 0; i < jam->count; i++) {
        int slot = jam->slots[i];
        if (run->mode[slot] != SPRAG_MODE_STICK && !mode_slides(run->mode[slot]))
            continue;
        SpragMode mode = modes_of_slip(run, slot, run->kinematics[slot].slip);
        *together &= !run->pilot.culprit[slot] || mode == SPRAG_MODE_STICK;
        run->fresh[slot] |= mode != run->mode[slot];
        run->mode[slot] = jam->stick[i] ? SPRAG_MODE_STICK : mode;
    }
    return SPRAG_OK;
}

static SpragStatus stop(SpragRun *run, Jam *jam, bool *done)
{
    double *v = run->y + run->m, lost = run->impact_loss, gained = run->impact_actuation;
    size_t modes = (size_t)run->slots * sizeof *run->mode, bytes = (size_t)run->n * sizeof *v;
    SpragMode *before = sprag_arena_alloc(run->arena, (size_t)run->slots + 1, sizeof *before);
    SpragRunOutcome told = SPRAG_RUN_DONE;
    if (!before)
        return SPRAG_ERROR_MEMORY;
    memcpy(jam->before, v, bytes);
    memcpy(before, run->mode, modes);
    SPRAG_TRY(collide_stop(run, jam->count, jam->slots, jam->stick));
    SPRAG_TRY(set_modes(run, jam, done));
    modes_outdate(run);
    if (!*done) { // back to where it was
        memcpy(v, jam->before, bytes);
        memcpy(run->mode, before, modes);
        run->impact_loss = lost;
        run->impact_actuation = gained;
        return SPRAG_OK;
    }
    tell_event(run, SPRAG_EVENT_JAM, jam->first, &told,
               "no motion obeys its friction: the force of the joint grows without limit and stops "
               "it at once, %.6g J lost",
               run->impact_loss - lost);
    run->step_guess = 0;
    return SPRAG_OK;
}

SpragStatus pilot_stop_bearings(SpragRun *run, double t, const double *y, const bool *resting,
                                Decision *decision, SpragRunOutcome *outcome)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    SpragVerdict verdict;
    Jam jam = {0};
    bool alone, done = false;
    if ((*outcome != SPRAG_RUN_NO_SOLUTION && *outcome != SPRAG_RUN_JAM) ||
        sprag_system_joint_contact_count(run->system) == 0)
        return SPRAG_OK;
    SPRAG_TRY(pilot_mark(run, t, y, resting, *outcome, &verdict));
    SPRAG_TRY(gather(run, &jam, &alone));
    if (alone)
        SPRAG_TRY(stop(run, &jam, &done));
    sprag_arena_release(run->arena, mark);
    return done ? decide_again(run, NULL, decision, outcome) : SPRAG_OK;
}
