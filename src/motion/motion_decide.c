// motion_decide.c: which motion a run takes, theory.md 8.1.
// One stable motion is taken; of several stable ones the one that goes on with the present modes,
// or the one that the settings prefer; otherwise the pilot carries on (pilot_policy.c), or the run
// ends and says why. Nothing is chosen in silence.
#include <stdio.h>
#include <string.h>

#include "motion_private.h"

static int only_stable(const SpragVerdict *verdict)
{
    for (int i = 0; i < verdict->solution_count; i++)
        if (verdict->solutions[i].stable)
            return i;
    return -1;
}

// Of several stable motions the one that goes on with the present modes; −1: there is none, or not
// one alone. Contacts that have just closed or come to rest have no present mode (theory.md 8.1).
static int continuing(const SpragRun *run, const SpragVerdict *verdict, const bool *resting)
{
    int found = -1;
    for (int k = 0; k < verdict->solution_count; k++) {
        bool same_modes = verdict->solutions[k].stable;
        for (int i = 0; i < run->problem.constraint_count && same_modes; i++) {
            int slot = run->problem.constraints[i].id;
            bool fresh = run->mode_before[slot] == SPRAG_MODE_SEPARATE || run->fresh[slot];
            if (!fresh && !(resting && resting[slot]))
                same_modes = decide_has_mode(run, verdict->solutions[k].motion, i);
        }
        if (same_modes && found >= 0)
            return -1;
        found = same_modes ? k : found;
    }
    return found;
}

static int count_mode(const SpragRun *run, const SpragMotion *motion, SpragMode mode)
{
    int count = 0;
    for (int i = 0; i < run->problem.constraint_count; i++)
        count += motion->modes[i] == mode;
    return count;
}

// Of several stable motions the one with most contacts in a mode, and then with fewest in another;
// −1: not one alone.
static int preferred(const SpragRun *run, const SpragVerdict *verdict, SpragMode most,
                     SpragMode fewest)
{
    int found = -1, best = 0;
    bool alone = true;
    for (int k = 0; k < verdict->solution_count; k++) {
        const SpragMotion *motion = verdict->solutions[k].motion;
        int value = count_mode(run, motion, most) * (run->problem.constraint_count + 1) -
                    count_mode(run, motion, fewest);
        if (!verdict->solutions[k].stable || (found >= 0 && value < best))
            continue;
        alone = found < 0 || value > best;
        found = k;
        best = value;
    }
    return alone ? found : -1;
}

static int choose_of_several(const SpragRun *run, const SpragVerdict *verdict, const bool *resting)
{
    int found = -1;
    if (run->settings.branch == SPRAG_BRANCH_LIFT)
        found = preferred(run, verdict, SPRAG_MODE_SEPARATE, SPRAG_MODE_STICK);
    else if (run->settings.branch == SPRAG_BRANCH_STICK)
        found = preferred(run, verdict, SPRAG_MODE_STICK, SPRAG_MODE_SEPARATE);
    if (found < 0)
        found = continuing(run, verdict, resting);
    return found >= 0 ? found : pilot_unpressed(run, verdict);
}

// The search may have missed motions, which it then often cannot exclude: that ends no run by
// itself. Of the stable motions found the one is taken that goes on as now, or the only one.
static SpragRunOutcome choose_of_some(const SpragRun *run, const bool *resting, Decision *decision)
{
    const SpragVerdict *verdict = &decision->verdict;
    if (decide_may_miss(run) && verdict->kind == SPRAG_VERDICT_INFINITE)
        return SPRAG_RUN_AMBIGUOUS;
    if (!decide_may_miss(run) || verdict->stable_count == 0)
        return SPRAG_RUN_NOT_CONVERGED;
    decision->taken = verdict->stable_count == 1 ? only_stable(verdict)
                                                 : choose_of_several(run, verdict, resting);
    if (decision->taken < 0)
        return SPRAG_RUN_AMBIGUOUS;
    size_t used = strlen(decision->verdict.reason);
    snprintf(decision->verdict.reason + used, sizeof decision->verdict.reason - used,
             "; the search was not complete, and the run takes the motion that it found");
    return SPRAG_RUN_DONE;
}

static SpragRunOutcome choose(const SpragRun *run, const bool *resting, Decision *decision)
{
    const SpragVerdict *verdict = &decision->verdict;
    decision->taken = -1;
    if (verdict->kind == SPRAG_VERDICT_OPEN)
        return SPRAG_RUN_DONE;
    if (!verdict->complete)
        return choose_of_some(run, resting, decision);
    if (verdict->kind == SPRAG_VERDICT_NONE)
        return SPRAG_RUN_NO_SOLUTION;
    if (verdict->kind == SPRAG_VERDICT_INFINITE)
        return SPRAG_RUN_AMBIGUOUS;
    if (verdict->stable_count == 0)
        return SPRAG_RUN_UNSTABLE;
    decision->taken = verdict->stable_count == 1 ? only_stable(verdict)
                                                 : choose_of_several(run, verdict, resting);
    return decision->taken >= 0 ? SPRAG_RUN_DONE : SPRAG_RUN_AMBIGUOUS;
}

// What has failed; the run ends here, or the pilot carries on.
static void tell_failure(SpragRun *run, const SpragVerdict *verdict, SpragRunOutcome why,
                         SpragRunOutcome *told)
{
    switch (why) {
    case SPRAG_RUN_NO_SOLUTION:
        tell_event(run, SPRAG_EVENT_NO_SOLUTION, -1, told, "%s", verdict->reason);
        break;
    case SPRAG_RUN_AMBIGUOUS:
        tell_event(run, SPRAG_EVENT_AMBIGUITY, -1, told, "%s", verdict->reason);
        break;
    case SPRAG_RUN_UNSTABLE:
        tell_event(run, SPRAG_EVENT_UNSTABLE, -1, told, "%s", verdict->reason);
        break;
    case SPRAG_RUN_NOT_CONVERGED: // no event has this name: it is what the run says if it ends
        (void)sprag_fail(run->context, SPRAG_OK, "%s", verdict->reason);
        break;
    default:
        break;
    }
}

// Contacts that begin to slip with less friction than they had at rest: their modes are those of
// the motion taken, and they rest no more. *any: there are some.
static SpragStatus begin_slips(SpragRun *run, double t, const double *y, const Decision *decision,
                               bool *rest, bool *any)
{
    *any = false;
    if (decision->taken < 0)
        return SPRAG_OK;
    const SpragMotion *motion = decision->verdict.solutions[decision->taken].motion;
    for (int i = 0; i < run->problem.constraint_count; i++) {
        const SpragConstraint *item = &run->problem.constraints[i];
        int slot = item->id;
        SpragFrictionNumbers numbers;
        SpragSystemSample sample = {.numbers = &numbers};
        if (item->sliding || !mode_slides(motion->modes[i]) ||
            item->kind != SPRAG_CONSTRAINT_CONTACT || run->law[slot].kind != SPRAG_FRICTION_COULOMB)
            continue;
        SPRAG_TRY(sprag_system_sample(run->system, t, y, y + run->m, 1, &slot, &sample));
        if (numbers.stribeck > 0 || !(numbers.kinetic < numbers.stationary))
            continue;
        run->mode[slot] = motion->modes[i];
        rest[slot] = false;
        run->starting[slot] = run->tangents == 2;
        if (run->tangents == 2)
            memcpy(run->heading + WAYS * slot, motion->direction + WAYS * i,
                   WAYS * sizeof *run->heading);
        *any = true;
    }
    return SPRAG_OK;
}

// Where friction jumps with a slip that begins so do all forces, and another contact may have to
// open or to slip: the decision is taken again with the friction of slip. Modes of a decision that
// another one follows are only a step to it.
static SpragStatus decide_with_slips(SpragRun *run, double t, const double *y, const bool *resting,
                                     Decision *decision, SpragRunOutcome *chosen)
{
    enum { MOST_ROUNDS = 8 };
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    bool any, *rest = sprag_arena_alloc(run->arena, (size_t)run->slots + 1, sizeof *rest);
    if (!rest)
        return SPRAG_ERROR_MEMORY;
    // slips that end here rest, though their modes are still those before
    for (int slot = 0; slot < run->slots; slot++)
        rest[slot] = resting && resting[slot];
    for (int round = 0; round < MOST_ROUNDS && *chosen == SPRAG_RUN_DONE; round++) {
        SPRAG_TRY(begin_slips(run, t, y, decision, rest, &any));
        if (!any)
            break;
        SPRAG_TRY(decide_analyze(run, t, y, rest, &decision->verdict));
        *chosen = choose(run, rest, decision);
    }
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

SpragStatus decide(SpragRun *run, double t, const double *y, const bool *resting,
                   Decision *decision, SpragRunOutcome *outcome)
{
    SpragRunOutcome told = SPRAG_RUN_DONE;
    SPRAG_TRY(decide_analyze(run, t, y, resting, &decision->verdict));
    SpragRunOutcome chosen = choose(run, resting, decision);
    SPRAG_TRY(decide_with_slips(run, t, y, resting, decision, &chosen));
    run->pilot.acted = run->pilot.follows = false;
    if (chosen == SPRAG_RUN_DONE)
        return SPRAG_OK;
    tell_verdict(run, run->t, decision, &told);
    tell_failure(run, &decision->verdict, chosen, &told);
    *outcome = chosen;
    if (pilot_policy(run) == SPRAG_PARADOX_STOP)
        return SPRAG_OK;
    if (told != SPRAG_RUN_DONE) {
        *outcome = told; // the sink wants no more
        return SPRAG_OK;
    }
    return pilot_rescue(run, t, y, resting, decision, outcome);
}

SpragStatus decide_again(SpragRun *run, const bool *resting, Decision *decision,
                         SpragRunOutcome *outcome)
{
    SPRAG_TRY(decide_analyze(run, run->t, run->y, resting, &decision->verdict));
    *outcome = choose(run, resting, decision);
    return SPRAG_OK;
}

SpragStatus decide_jam(SpragRun *run, Decision *decision, SpragRunOutcome *outcome)
{
    SpragRunOutcome told = SPRAG_RUN_DONE;
    const Frozen *f = &run->frozen;
    run->pilot.acted = run->pilot.follows = false;
    tell_event(run, SPRAG_EVENT_JAM, f->active_count == 1 ? f->active[0] : -1, &told,
               "the determinant of the present mode falls to zero: its forces have no limit");
    decision->taken = -1;
    *outcome = SPRAG_RUN_JAM;
    if (pilot_policy(run) == SPRAG_PARADOX_STOP || told != SPRAG_RUN_DONE)
        return SPRAG_OK;
    return pilot_rescue(run, run->t, run->y, NULL, decision, outcome);
}

bool decide_separates(const SpragRun *run, const Decision *decision)
{
    if (decision->taken < 0)
        return false;
    const SpragMotion *motion = decision->verdict.solutions[decision->taken].motion;
    for (int i = 0; i < run->problem.constraint_count; i++)
        if (motion->modes[i] == SPRAG_MODE_SEPARATE)
            return true;
    return false;
}

// Whether the event at hand is that a bearing has come to press to its other side.
static bool has_turned(const SpragRun *run, int slot)
{
    const Frozen *f = &run->frozen;
    for (int i = 0; i < f->function_count; i++)
        if (f->fired[i] && f->functions[i].kind == FUNCTION_SIDE &&
            f->active[f->functions[i].index] == slot)
            return true;
    return false;
}

// Remembers where a bearing presses.
static void aim_bearing(SpragRun *run, const SpragConstraint *item, const double *force)
{
    double *aim = run->aim + WAYS * item->id;
    int press[WAYS];
    if (item->kind != SPRAG_CONSTRAINT_BEARING)
        return;
    // the force of a layer passes zero: beside other forces that is nothing, but it goes on
    if (bearing_is_soft(run, item->id) && has_turned(run, item->id)) {
        aim[0] = -aim[0];
        return;
    }
    int count = sprag_constraint_press(item, press);
    double size = sprag_constraint_pressure(item, force);
    if (!(size > 0) && sprag_length(WAYS, aim) > 0)
        return;
    for (int k = 0; k < WAYS; k++)
        aim[k] = k >= count ? 0 : size > 0 ? force[press[k]] / size : k == 0;
}

void decide_apply(SpragRun *run, const Decision *decision)
{
    if (decision->taken < 0)
        return;
    const SpragMotion *motion = decision->verdict.solutions[decision->taken].motion;
    for (int i = 0; i < run->problem.constraint_count; i++) {
        int slot = run->problem.constraints[i].id;
        // in a smooth law the direction is the slip's, and that of its force may be another one
        bool smooth = sprag_friction_law_is_smooth(&run->law[slot]);
        if (!smooth || motion->modes[i] == SPRAG_MODE_SEPARATE)
            run->mode[slot] = motion->modes[i];
        aim_bearing(run, &run->problem.constraints[i], motion->force);
        if (run->mode[slot] != SPRAG_MODE_SLIDE)
            continue;
        memcpy(run->heading + WAYS * slot, motion->direction + WAYS * i,
               WAYS * sizeof *run->heading);
        if (!run->problem.constraints[i].sliding)
            run->starting[slot] = true;
    }
}

// Whether the motion taken, which has been applied, leaves every mode as it is: not its own modes,
// whose slips in smooth laws may be against those that there are.
static bool changes_nothing(const SpragRun *run, const Decision *decision)
{
    if (decision->taken < 0)
        return false;
    for (int i = 0; i < run->problem.constraint_count; i++) {
        int slot = run->problem.constraints[i].id;
        if (run->mode[slot] != run->mode_before[slot])
            return false;
    }
    return true;
}

void decide_open_grazing(SpragRun *run, const Decision *decision)
{
    bool by_force = !events_fired(run, FUNCTION_GAP) && !events_fired(run, FUNCTION_SLIP) &&
                    !events_fired(run, FUNCTION_SURFACE) && !events_fired(run, FUNCTION_SIDE);
    run->idle = by_force && changes_nothing(run, decision) ? run->idle + 1 : 0;
    if (run->idle == 0)
        return;
    const SpragMotion *motion = decision->verdict.solutions[decision->taken].motion;
    for (int i = 0; i < run->problem.constraint_count; i++)
        if (!motion->active[i] && run->problem.constraints[i].kind != SPRAG_CONSTRAINT_BEARING)
            run->mode[run->problem.constraints[i].id] = SPRAG_MODE_SEPARATE;
}
