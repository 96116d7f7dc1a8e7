// motion_decide_ask.c: what rigid mechanics says of the closed contacts of a run at a state: the
// contact problem, the verdict on it, and which of its motions goes on with the present modes. The
// state and the modes of the run stay as they are.
#include <math.h>
#include <string.h>

#include "motion_private.h"

// Signs of accelerations and forces in a run: contacts are closed to about this accuracy, so
// dependent ones may contradict each other by as much.
static const double RUN_TOLERANCE = 1e-9;

// In space a search takes many linear programs: this many are enough for about so many contacts
// that are coupled. More of them leave it incomplete, and the more the longer it takes.
enum { MOST_NODES = 1500, FEW_CONTACTS = 4, LEAST_NODES = 50 };

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
bool decide_has_mode(const SpragRun *run, const SpragMotion *motion, int i)
{
    const SpragConstraint *item = &run->problem.constraints[i];
    SpragMode now = run->mode[item->id], then = motion->modes[i];
    bool stick = item->friction > 0 && !sprag_friction_law_is_smooth(&run->law[item->id]);
    return stick ? now == then && keeps_side(run, motion, i) : then != SPRAG_MODE_SEPARATE;
}

static bool is_present(const SpragRun *run, const SpragMotion *motion)
{
    for (int i = 0; i < run->problem.constraint_count; i++)
        if (!decide_has_mode(run, motion, i))
            return false;
    return true;
}

int decide_present_motion(const SpragRun *run, const SpragVerdict *verdict)
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

// The search was cut short and has found nothing stable: the present modes. Where they have nothing
// stable either, what the search has found is the verdict.
static SpragStatus analyze_present(SpragRun *run, SpragAnalysisSettings *settings,
                                   SpragVerdict *verdict)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    const SpragMotionSettings whole = settings->motions;
    SpragMode *modes =
        sprag_arena_alloc(run->arena, (size_t)run->problem.constraint_count + 1, sizeof *modes);
    if (!modes)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < run->problem.constraint_count; i++)
        modes[i] = run->mode[run->problem.constraints[i].id];
    settings->motions.modes = modes;
    settings->motions.max_nodes = MOST_NODES;
    SPRAG_TRY(sprag_analysis_run(run->analysis, &run->problem, settings, verdict));
    verdict->complete = false;
    settings->motions = whole;
    if (verdict->stable_count == 0)
        SPRAG_TRY(sprag_analysis_run(run->analysis, &run->problem, settings, verdict));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// Whether the search is one that often cannot tell whether it has missed motions: in space, and
// with friction of joints.
bool decide_may_miss(const SpragRun *run)
{
    for (int i = 0; i < run->problem.constraint_count; i++)
        if (run->problem.constraints[i].kind == SPRAG_CONSTRAINT_BEARING)
            return true;
    return run->tangents == 2;
}

SpragStatus decide_analyze(SpragRun *run, double t, const double *y, const bool *resting,
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
    if (!decide_may_miss(run) || verdict->complete || verdict->stable_count > 0)
        return SPRAG_OK;
    return analyze_present(run, &settings, verdict);
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

// All that forces in the present modes depend on beside W and b, of one constraint.
enum { OWN = 5 + WAYS };

static size_t told_count(const SpragContactProblem *p)
{
    size_t rows = (size_t)p->row_count;
    return rows * rows + rows + OWN * (size_t)p->constraint_count;
}

static void describe(const SpragRun *run, double *numbers)
{
    const SpragContactProblem *p = &run->problem;
    size_t rows = (size_t)p->row_count;
    memcpy(numbers, p->W, rows * rows * sizeof *numbers);
    memcpy(numbers + rows * rows, p->b, rows * sizeof *numbers);
    double *own = numbers + rows * rows + rows;
    for (int i = 0; i < p->constraint_count; i++, own += OWN) {
        const SpragConstraint *item = &p->constraints[i];
        own[0] = item->id;
        own[1] = item->kind;
        own[2] = item->sliding;
        own[3] = item->friction;
        own[4] = run->mode[item->id];
        memcpy(own + 5, item->slip, sizeof item->slip);
    }
}

// Whether the forces asked for are those that were told last; if not, what is asked is noted.
static SpragStatus is_told(SpragRun *run, bool *told)
{
    Told *last = &run->told;
    size_t count = told_count(&run->problem);
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    double *numbers = sprag_arena_alloc(run->arena, count + 1, sizeof *numbers);
    if (!numbers)
        return SPRAG_ERROR_MEMORY;
    describe(run, numbers);
    *told = last->motion && count == last->count &&
            memcmp(numbers, last->numbers, count * sizeof *numbers) == 0;
    if (!*told) {
        last->motion = NULL;
        SPRAG_TRY(sprag_reserve(run->context, &last->numbers, &last->capacity, count + 1,
                                sizeof *last->numbers));
        memcpy(last->numbers, numbers, count * sizeof *numbers);
        last->count = count;
    }
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

SpragStatus decide_forces(SpragRun *run, double t, const double *y, const SpragMotion **motion)
{
    SpragMotionSettings settings = sprag_motion_default();
    SpragMotionSet set;
    bool told;
    *motion = NULL;
    SPRAG_TRY(build(run, t, y, NULL));
    SPRAG_TRY(is_told(run, &told));
    *motion = run->told.motion;
    if (told)
        return SPRAG_OK;
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
    run->told.motion = *motion = set.count > 0 ? &set.motions[0] : NULL;
    return SPRAG_OK;
}

SpragStatus decide_present(SpragRun *run, double t, const double *y, Decision *decision)
{
    SPRAG_TRY(decide_analyze(run, t, y, NULL, &decision->verdict));
    decision->taken = decide_present_motion(run, &decision->verdict);
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
