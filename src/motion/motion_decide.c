// motion_decide.c: which motion a run takes, theory.md 8.1.
// One stable motion is taken; of several stable ones the one that goes on with the present modes,
// or the one that the settings prefer; otherwise the pilot carries on (pilot_policy.c), or the run
// ends and says why. Nothing is chosen in silence.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "motion_private.h"
#include "sprag/numeric.h"

// Verdict changes between events are located to this part of a step.
static const double BISECTION = 1e-6;
// Determinants and forces this part of their size away from their borders are clear without a
// search.
static const double CLEAR = 1e-3;

// Signs of accelerations and forces in a run: contacts are closed to about this accuracy, so
// dependent ones may contradict each other by as much.
static const double RUN_TOLERANCE = 1e-9;

// In space a search takes many linear programs: this many are enough for about so many contacts
// that are coupled. More of them leave it incomplete, and the more the longer it takes.
enum { MOST_NODES = 1500, FEW_CONTACTS = 4, LEAST_NODES = 50 };

typedef struct Signature {
    SpragVerdictKind kind;
    int solution_count, stable_count;
    bool present; // the present modes are among the stable motions
} Signature;

static double largest(const double *values, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(values[i]));
    return most;
}

void decide_set_slip(const SpragRun *run, int slot, SpragConstraint *item)
{
    double sign = run->mode[slot] == SPRAG_MODE_SLIDE_MINUS ? -1 : 1;
    int tangents = item->row_count - sprag_constraint_normals(item);
    if (tangents <= 1) {
        item->slip[0] = sign * fmax(fabs(item->slip[0]), 1e-300);
        return;
    }
    double size = sprag_length(tangents, item->slip);
    bool vague = size <= run->tolerances.slip || run->starting[slot];
    for (int k = 0; vague && k < tangents; k++)
        item->slip[k] = fmax(size, 1e-100) * run->heading[WAYS * slot + k];
}

// The contact problem of all closed contacts; directions of slip come from the modes, since a slip
// that has just started is still zero.
static SpragStatus build(SpragRun *run, double t, const double *y, const bool *resting)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    int *contacts = sprag_arena_alloc(run->arena, (size_t)run->slots + 1, sizeof *contacts);
    bool *sliding = sprag_arena_alloc(run->arena, (size_t)run->slots + 1, sizeof *sliding);
    if (!contacts || !sliding)
        return SPRAG_ERROR_MEMORY;
    int count = 0;
    for (int slot = 0; slot < run->slots; slot++) {
        if (run->compliant[slot] || run->mode[slot] == SPRAG_MODE_SEPARATE)
            continue;
        sliding[count] = mode_slides(run->mode[slot]) && !(resting && resting[slot]);
        contacts[count++] = slot;
    }
    SPRAG_TRY(sprag_system_build_active(run->system, t, y, y + run->m, count, contacts, sliding,
                                        &run->problem));
    for (int i = 0; i < count; i++) {
        SpragConstraint *item = &run->problem.constraints[i];
        if (item->sliding)
            decide_set_slip(run, contacts[i], item);
    }
    sprag_arena_release(run->arena, mark);
    SPRAG_TRY(layers_smooth(run, t, y, &run->problem));
    return layers_load(run, t, y, &run->problem);
}

// Whether a bearing that slides presses as it does now: of two motions in one direction of slip
// (theory.md 9.1) friction tells which is the present one.
static bool keeps_side(const SpragRun *run, const SpragMotion *motion, int i)
{
    const SpragConstraint *item = &run->problem.constraints[i];
    const double *aim = run->aim + WAYS * item->id, *force = motion->force;
    int press[WAYS];
    if (item->kind != SPRAG_CONSTRAINT_BEARING || !mode_slides(motion->modes[i]))
        return true;
    int count = sprag_constraint_press(item, press);
    double along = 0;
    for (int k = 0; k < count; k++)
        along += aim[k] * force[press[k]];
    return along >= 0;
}

// Whether a motion has the present mode of constraint i; a frictionless one only needs to stay
// closed.
static bool has_mode(const SpragRun *run, const SpragMotion *motion, int i)
{
    const SpragConstraint *item = &run->problem.constraints[i];
    SpragMode now = run->mode[item->id], then = motion->modes[i];
    bool stick = item->friction > 0 && !sprag_friction_law_is_smooth(&run->law[item->id]);
    return stick ? now == then && keeps_side(run, motion, i) : then != SPRAG_MODE_SEPARATE;
}

static bool is_present(const SpragRun *run, const SpragMotion *motion)
{
    for (int i = 0; i < run->problem.constraint_count; i++)
        if (!has_mode(run, motion, i))
            return false;
    return true;
}

static int present_solution(const SpragRun *run, const SpragVerdict *verdict)
{
    for (int i = 0; i < verdict->solution_count; i++)
        if (is_present(run, verdict->solutions[i].motion))
            return i;
    return -1;
}

// In space: slips are known to their tolerance, and with them their directions. Where many contacts
// of a body slide alike, what they leave open by errors of their directions is no continuum.
static double width_at(const SpragRun *run)
{
    const double least = 1e-6, most = 1e-2, errors = 10;
    double slowest = INFINITY;
    for (int i = 0; i < run->problem.constraint_count; i++) {
        const SpragConstraint *item = &run->problem.constraints[i];
        if (item->sliding && item->kind == SPRAG_CONSTRAINT_CONTACT)
            slowest = fmin(slowest, hypot(item->slip[0], item->slip[1]));
    }
    return fmin(fmax(errors * run->tolerances.slip / slowest, least), most);
}

static SpragAnalysisSettings settings_at(const SpragRun *run, const double *y)
{
    SpragAnalysisSettings settings = sprag_analysis_default();
    settings.motions.tolerance = RUN_TOLERANCE;
    settings.motions.ranges = run->tangents == 1; // nothing in a run looks at them
    settings.moving = largest(y + run->m, run->n) > run->tolerances.slip;
    return settings;
}

// Layers that the scene gives beside ones that it does not: how stiff the default of (6.9) is next
// to them depends on its scales, and with it whether a motion is stable. Alone it does not.
static SpragStatus scale_layers(SpragRun *run, double t, const double *y,
                                SpragAnalysisSettings *settings)
{
    bool given = false, lacking = false;
    settings->epsilon = run->settings.epsilon;
    for (int i = 0; i < run->problem.constraint_count; i++) {
        const SpragConstraint *item = &run->problem.constraints[i];
        bool known = item->law.stiffness > 0 || item->stiffness[0] > 0;
        given |= known || item->damping[0] > 0;
        lacking |= !known;
    }
    if (!given || !lacking)
        return SPRAG_OK;
    SPRAG_TRY(
        sprag_system_kinematics(run->system, t, y, y + run->m, &run->tolerances, run->kinematics));
    settings->time_scale = sprag_system_time_scale(run->system, y, y + run->m, run->kinematics);
    return SPRAG_OK;
}

static long most_nodes(int contacts)
{
    double part = (double)FEW_CONTACTS / contacts;
    return part >= 1 ? MOST_NODES : (long)fmax(MOST_NODES * part * part * part * part, LEAST_NODES);
}

// The search was cut short and has found nothing stable: the modes of a guess, and the present
// ones.
static SpragStatus analyze_guess(SpragRun *run, SpragAnalysisSettings *settings,
                                 SpragVerdict *verdict)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    SpragMode *modes =
        sprag_arena_alloc(run->arena, (size_t)run->problem.constraint_count + 1, sizeof *modes);
    double *force =
        sprag_arena_alloc(run->arena, (size_t)run->problem.row_count + 1, sizeof *force);
    if (!modes || !force)
        return SPRAG_ERROR_MEMORY;
    settings->motions.modes = modes;
    settings->motions.max_nodes = MOST_NODES;
    for (int attempt = 0; attempt < 2 && verdict->stable_count == 0; attempt++) {
        if (attempt == 0)
            sprag_contact_guess(&run->problem, force, modes);
        for (int i = 0; attempt == 1 && i < run->problem.constraint_count; i++)
            modes[i] = run->mode[run->problem.constraints[i].id];
        SPRAG_TRY(sprag_analysis_run(run->analysis, &run->problem, settings, verdict));
        verdict->complete = false;
    }
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// Whether the search is one that often cannot tell whether it has missed motions: in space, and
// with friction of joints.
static bool may_miss(const SpragRun *run)
{
    for (int i = 0; i < run->problem.constraint_count; i++)
        if (run->problem.constraints[i].kind == SPRAG_CONSTRAINT_BEARING)
            return true;
    return run->tangents == 2;
}

static SpragStatus analyze(SpragRun *run, double t, const double *y, const bool *resting,
                           SpragVerdict *verdict)
{
    SpragAnalysisSettings settings = settings_at(run, y);
    SPRAG_TRY(build(run, t, y, resting));
    SPRAG_TRY(scale_layers(run, t, y, &settings));
    if (run->tangents == 2) {
        settings.motions.max_nodes = most_nodes(run->problem.constraint_count);
        settings.motions.width = width_at(run);
    }
    SPRAG_TRY(sprag_analysis_run(run->analysis, &run->problem, &settings, verdict));
    run->statistics.solves++;
    if (!may_miss(run) || verdict->complete || verdict->stable_count > 0)
        return SPRAG_OK;
    return analyze_guess(run, &settings, verdict);
}

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
                same_modes = has_mode(run, verdict->solutions[k].motion, i);
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
    if (may_miss(run) && verdict->kind == SPRAG_VERDICT_INFINITE)
        return SPRAG_RUN_AMBIGUOUS;
    if (!may_miss(run) || verdict->stable_count == 0)
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
        SPRAG_TRY(analyze(run, t, y, rest, &decision->verdict));
        *chosen = choose(run, rest, decision);
    }
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

SpragStatus decide(SpragRun *run, double t, const double *y, const bool *resting,
                   Decision *decision, SpragRunOutcome *outcome)
{
    SpragRunOutcome told = SPRAG_RUN_DONE;
    SPRAG_TRY(analyze(run, t, y, resting, &decision->verdict));
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
    SPRAG_TRY(analyze(run, run->t, run->y, resting, &decision->verdict));
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

int decide_present_motion(const SpragRun *run, const SpragVerdict *verdict)
{
    return present_solution(run, verdict);
}

SpragStatus decide_culprits(SpragRun *run, double t, const double *y, const bool *resting,
                            SpragVerdict *verdict, bool *slots)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    SpragAnalysisSettings settings = settings_at(run, y);
    SPRAG_TRY(
        sprag_system_kinematics(run->system, t, y, y + run->m, &run->tolerances, run->kinematics));
    settings.epsilon = run->settings.epsilon;
    settings.time_scale = sprag_system_time_scale(run->system, y, y + run->m, run->kinematics);
    SPRAG_TRY(build(run, t, y, resting));
    bool *in = sprag_arena_alloc(run->arena, (size_t)run->problem.constraint_count + 1, sizeof *in);
    if (!in)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(sprag_analysis_culprits(run->analysis, &run->problem, &settings, verdict, in));
    for (int i = 0; i < run->problem.constraint_count; i++)
        slots[run->problem.constraints[i].id] |= in[i];
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

SpragStatus decide_forces(SpragRun *run, double t, const double *y, const SpragMotion **motion)
{
    SpragMotionSettings settings = sprag_motion_default();
    SpragMotionSet set;
    *motion = NULL;
    SPRAG_TRY(build(run, t, y, NULL));
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    SpragMode *modes =
        sprag_arena_alloc(run->arena, (size_t)run->problem.constraint_count + 1, sizeof *modes);
    if (!modes)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < run->problem.constraint_count; i++)
        modes[i] = run->mode[run->problem.constraints[i].id];
    settings.tolerance = RUN_TOLERANCE;
    settings.modes = modes;
    settings.ranges = false;
    SPRAG_TRY(sprag_motion_search_run(run->search, &run->problem, &settings, &set));
    sprag_arena_release(run->arena, mark);
    if (set.count > 0)
        *motion = &set.motions[0];
    return SPRAG_OK;
}

SpragStatus decide_present(SpragRun *run, double t, const double *y, Decision *decision)
{
    SPRAG_TRY(analyze(run, t, y, NULL, &decision->verdict));
    decision->taken = present_solution(run, &decision->verdict);
    return SPRAG_OK;
}

SpragStatus decide_margin(SpragRun *run, double t, const double *y, int slot, double *change)
{
    SpragAnalysisSettings settings = settings_at(run, y);
    SpragMargin margin;
    int constraint = SPRAG_ALL_CONTACTS;
    *change = NAN;
    SPRAG_TRY(build(run, t, y, NULL));
    for (int i = 0; slot >= 0 && i < run->problem.constraint_count; i++)
        if (run->problem.constraints[i].id == slot)
            constraint = i;
    if (run->problem.constraint_count == 0 || (slot >= 0 && constraint < 0))
        return SPRAG_OK;
    SPRAG_TRY(sprag_margin_friction(run->analysis, &run->problem, &settings, constraint, &margin));
    *change = fmin(margin.down.change, margin.up.change);
    return SPRAG_OK;
}

SpragStatus decide_rest(SpragRun *run, bool *held)
{
    const Frozen *f = &run->frozen;
    bool still = f->active_count > 0 && largest(run->y + run->m, run->n) <= run->tolerances.slip;
    for (int i = 0; i < f->active_count; i++)
        still &= !f->sliding[i] && !f->soft[i];
    if (*held || !still)
        return SPRAG_OK;
    Decision decision;
    SPRAG_TRY(decide_present(run, run->t, run->y, &decision));
    *held = decision.taken >= 0 && decision.verdict.held;
    return SPRAG_OK;
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

// Whether the motion taken leaves every mode as it is.
static bool changes_nothing(const SpragRun *run, const Decision *decision)
{
    if (decision->taken < 0)
        return false;
    const SpragMotion *motion = decision->verdict.solutions[decision->taken].motion;
    for (int i = 0; i < run->problem.constraint_count; i++)
        if (motion->modes[i] != run->mode_before[run->problem.constraints[i].id])
            return false;
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

// ---- Between events -----------------------------------------------------------------------------

static Signature signature_of(const SpragRun *run, const SpragVerdict *verdict)
{
    int present = present_solution(run, verdict);
    return (Signature){verdict->kind, verdict->solution_count, verdict->stable_count,
                       present >= 0 && verdict->solutions[present].stable};
}

static bool same(Signature a, Signature b)
{
    return a.kind == b.kind && a.solution_count == b.solution_count &&
           a.stable_count == b.stable_count && a.present == b.present;
}

// Whether W couples contact i to no other.
static bool is_alone(const SpragRun *run, int i)
{
    const Frozen *f = &run->frozen;
    for (int r = f->first[i]; r < f->first[i] + f->rows[i]; r++)
        for (int c = 0; c < f->row_count; c++)
            if ((c < f->first[i] || c >= f->first[i] + f->rows[i]) &&
                run->now.W[r * f->row_count + c] != 0)
                return false;
    return true;
}

// The same in space. In slip as in the plane. In stick, with λ inside its cone: another motion that
// slips has less normal force, λN' < |λT|/μ, and w (λN − λN') ≤ |g| (μ λN' + |λT|), so that there
// is none for w (μ λN − |λT|) > 2 μ |g| |λT|; none separates for w λN > |g| |λT|.
static bool is_clear_in_space(const SpragRun *run, int i)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    const double *w = e->W + f->first[i] * f->row_count + f->first[i], *d = e->direction + WAYS * i;
    const double *force = e->force + f->first[i], *friction = e->friction + 2 * i;
    double g = hypot(w[1], w[2]), size = hypot(force[1], force[2]), mu = friction[0];
    if (!(force[0] > CLEAR * run->force_scale))
        return false;
    if (mode_slides(run->mode[f->active[i]]))
        return friction[1] > 0 && w[0] - friction[1] * (d[0] * w[1] + d[1] * w[2]) > CLEAR * w[0];
    return run->mode[f->active[i]] == SPRAG_MODE_STICK && mu > 0 &&
           w[0] * ((1 - CLEAR) * mu * force[0] - size) > 2 * mu * g * size &&
           w[0] * force[0] > (1 + CLEAR) * g * size;
}

// The same of a bearing. Its normal forces are p + q s under friction μ s: with |q| below 1 there
// is one pressure s = |p + q s| for each direction of slip, theory.md (9.34), and the motion is
// stable (9.36). At rest the friction that holds is the only one if it is clearly inside of the
// cone; with several tangents another one would slip under a pressure P' with |λT| >= μ P' and
// P' >= P - q (μ P' + |λT|), theory.md (9.41).
static bool is_clear_bearing(const SpragRun *run, int i)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    int n = f->normals[i], rows = f->row_count, tangents = f->rows[i] - n, order[2 * WAYS];
    const double *w = e->W + f->first[i] * rows + f->first[i], *force = e->force + f->first[i];
    double mu = e->friction[2 * i + (f->sliding[i] ? 1 : 0)], q = 0;
    double N[WAYS * WAYS], right[WAYS], x[WAYS];
    for (int k = 0; k < n * n; k++)
        N[k] = w[k / n * rows + k % n];
    if (f->sibling[i] >= 0 || !(mu > 0) || sprag_lu_factor(n, N, CLEAR, order, order + n, NULL) < n)
        return false;
    for (int k = 0; k < tangents; k++) {
        for (int l = 0; l < n; l++)
            right[l] = w[l * rows + n + k];
        sprag_lu_solve(n, N, order, order + n, right, x);
        q = hypot(q, sprag_length(n, x));
    }
    if (!(mu * q < 1 - CLEAR))
        return false;
    double inside = tangents > 1 ? 1 / (1 + 2 * mu * q) : 1 - mu * q;
    return f->sliding[i] || sprag_length(tangents, force + n) <
                                (1 - CLEAR) * mu * modes_pressure(run, i, e->force) * inside;
}

// Whether a contact that is alone clearly has one motion, the present one, and that one is stable:
// in slip A > 0 and λN > 0 (theory.md 4.2, 6.4); in stick (3.5) and λ inside its cone (4.3, 6.4).
static bool is_clear(const SpragRun *run, int i)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    const double *w = e->W + f->first[i] * f->row_count + f->first[i];
    const double *force = e->force + f->first[i], *friction = e->friction + 2 * i;
    SpragMode mode = run->mode[f->active[i]];
    if (f->bearing[i])
        return is_clear_bearing(run, i);
    if (f->rows[i] == 3)
        return is_clear_in_space(run, i);
    if (f->rows[i] != 2 || !(force[0] > CLEAR * run->force_scale))
        return false;
    if (mode_slides(mode))
        return friction[1] > 0 && w[0] - f->sign[i] * friction[1] * w[1] > CLEAR * w[0];
    return mode == SPRAG_MODE_STICK && friction[0] > 0 &&
           w[0] - friction[0] * fabs(w[1]) > CLEAR * w[0] &&
           fabs(force[1]) < (1 - CLEAR) * friction[0] * force[0];
}

// Contacts that are alone have the only motion of theory.md section 4 most of the time: then the
// verdict at an accepted step needs no search.
static SpragStatus is_known_unique(SpragRun *run, bool *known)
{
    const Frozen *f = &run->frozen;
    SpragStatus status = f->dependent ? SPRAG_ERROR_NUMERIC : modes_evaluate(run, run->t, run->y);
    *known = status == SPRAG_OK;
    for (int i = 0; *known && i < f->active_count; i++)
        *known = f->soft[i] || (is_clear(run, i) && is_alone(run, i));
    return status == SPRAG_ERROR_NUMERIC ? SPRAG_OK : status;
}

// Earliest time in (from, to] at which the verdict is no longer that of `from`.
static SpragStatus bisect(SpragRun *run, Signature before, double from, double *to)
{
    double width = BISECTION * (*to - from);
    while (*to - from > width) {
        double middle = 0.5 * (from + *to);
        SpragVerdict verdict;
        SPRAG_TRY(sprag_integrator_evaluate(run->integrator, middle, run->scratch));
        SPRAG_TRY(analyze(run, middle, run->scratch, NULL, &verdict));
        if (same(before, signature_of(run, &verdict)))
            from = middle;
        else
            *to = middle;
    }
    return SPRAG_OK;
}

// In space, and with several joints that rub, where a search takes long, other motions are looked
// for after 1, 2, 4 … steps of an arc. That the present one ends is an event function's to tell.
static bool is_too_soon(SpragRun *run)
{
    int count = ++run->arc_steps;
    bool slow = run->tangents == 2 || sprag_system_joint_contact_count(run->system) > 1;
    return slow && run->frozen.active_count > 1 && (count & (count - 1)) != 0;
}

SpragStatus decide_find_change(SpragRun *run, double t_old, bool *changed)
{
    *changed = false;
    if (!modes_any_rigid(run))
        return SPRAG_OK;
    SpragVerdict verdict;
    const Pilot *pilot = &run->pilot;
    Signature before = {pilot->kind, pilot->solution_count, pilot->stable_count, !pilot->follows};
    bool known = same(before, (Signature){SPRAG_VERDICT_UNIQUE, 1, 1, true});
    if (known)
        SPRAG_TRY(is_known_unique(run, &known));
    if (known || is_too_soon(run))
        return SPRAG_OK;
    SPRAG_TRY(analyze(run, run->t, run->y, NULL, &verdict));
    Signature now = signature_of(run, &verdict);
    // what an incomplete search finds beside the present motion is now this and now that
    if (same(before, now) || (!verdict.complete && may_miss(run) && now.present))
        return SPRAG_OK;
    double t = run->t;
    *changed = true;
    SPRAG_TRY(bisect(run, before, t_old, &t));
    if (t < run->t) {
        SPRAG_TRY(sprag_integrator_evaluate(run->integrator, t, run->y));
        run->t = t;
    }
    return SPRAG_OK;
}

SpragStatus decide_change(SpragRun *run, SpragRunOutcome *outcome)
{
    Decision decision;
    modes_remember(run);
    SPRAG_TRY(tell_fill(run, run->t, run->y));
    pilot_remember(run);
    run->pilot.before_told = false;
    SPRAG_TRY(decide(run, run->t, run->y, NULL, &decision, outcome));
    if (*outcome != SPRAG_RUN_DONE)
        return SPRAG_OK;
    if (run->pilot.acted)
        return run_take(run, &decision, false, outcome);
    SPRAG_TRY(apply_tell_verdict(run, &decision, outcome));
    if (decision.verdict.stable_count > 1 && *outcome == SPRAG_RUN_DONE)
        tell_event(run, SPRAG_EVENT_AMBIGUITY, -1, outcome, "%s", decision.verdict.reason);
    decide_apply(run, &decision);
    tell_changes(run, outcome);
    SPRAG_TRY(modes_freeze(run));
    return layers_begin_arc(run);
}
