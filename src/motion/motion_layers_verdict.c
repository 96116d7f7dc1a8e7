// motion_layers_verdict.c: what rigid mechanics says of a compliant run, and whether it rests.
// Problem   the contacts that press, as if they were rigid, at the state projected on their gaps
//           and rates (theory.md 14.6); while layers ring, the state itself is none that rigid
//           bodies can have
#include <math.h>
#include <string.h>

#include "motion_private.h"

SpragStatus layers_rest(SpragRun *run, bool *rests)
{
    const Frozen *f = &run->frozen;
    // a speed that the tolerance of slips allows, reached within the time of the system's own size
    double speed = run->tolerances.slip;
    double least = speed * run->tolerances.rate / run->tolerances.gap;
    *rests = false;
    for (int i = 0; i < run->n; i++)
        if (fabs(run->y[run->m + i]) > speed)
            return SPRAG_OK;
    SPRAG_TRY(modes_evaluate(run, run->t, run->y));
    for (int i = 0; i < run->n; i++)
        if (fabs(run->now.acceleration[i]) > least)
            return SPRAG_OK;
    *rests = true;
    for (int i = 0; i < f->active_count; i++)
        *rests &= !mode_slides(run->mode[f->active[i]]) || !modes_have_friction(run, i) ||
                  sprag_friction_law_is_smooth(&run->law[f->active[i]]);
    return SPRAG_OK;
}

// ---- The verdict of the rigid problem -----------------------------------------------------------

static bool has_present_modes(const SpragRun *run, const SpragMotion *motion)
{
    for (int i = 0; i < run->problem.constraint_count; i++) {
        const SpragConstraint *item = &run->problem.constraints[i];
        SpragMode now = run->mode[item->id], then = motion->modes[i];
        bool smooth = sprag_friction_law_is_smooth(&run->law[item->id]);
        if (item->friction > 0 && !smooth ? now != then : then == SPRAG_MODE_SEPARATE)
            return false;
    }
    return true;
}

// The contacts that press, as if they were rigid.
typedef struct Pressing {
    int count;
    int *slots;
    bool *sliding, *stick;
    double *y; // the state projected on them: no depth, no rate, no slip where they stick
} Pressing;

static SpragStatus find_pressing(SpragRun *run, double t, const double *y, Pressing *p)
{
    size_t most = (size_t)run->slots + 1;
    double residual;
    p->slots = sprag_arena_alloc(run->arena, most, sizeof *p->slots);
    p->sliding = sprag_arena_alloc(run->arena, most, sizeof *p->sliding);
    p->stick = sprag_arena_alloc(run->arena, most, sizeof *p->stick);
    p->y = sprag_arena_alloc(run->arena, (size_t)run->most_size, sizeof *p->y);
    p->count = 0;
    if (!p->slots || !p->sliding || !p->stick || !p->y)
        return SPRAG_ERROR_MEMORY;
    for (int slot = 0; slot < run->slots; slot++) {
        if (run->mode[slot] == SPRAG_MODE_SEPARATE)
            continue;
        p->sliding[p->count] = mode_slides(run->mode[slot]);
        p->stick[p->count] =
            run->mode[slot] == SPRAG_MODE_STICK && !sprag_friction_law_is_smooth(&run->law[slot]);
        p->slots[p->count++] = slot;
    }
    memcpy(p->y, y, (size_t)run->size * sizeof *y);
    SPRAG_TRY(sprag_system_project_position(run->system, t, p->count, p->slots, p->y, &residual));
    return sprag_system_project_velocity(run->system, t, p->y, p->count, p->slots, p->stick,
                                         p->y + run->m, &residual);
}

// To rigid mechanics a law with bristles is Coulomb's, theory.md (7.11): the damping of bristles
// that a fast slip finds unbent is many times that, for some microseconds.
static SpragStatus limit_bristles(SpragRun *run, double t, const double *y, SpragConstraint *item)
{
    double slip[WAYS];
    SpragFrictionNumbers numbers;
    const SpragFrictionLaw *law = &run->law[item->id];
    SpragSystemSample sample = {.slip = slip, .numbers = &numbers};
    if (!sprag_friction_law_has_state(law) || item->row_count == 1)
        return SPRAG_OK;
    SPRAG_TRY(sprag_system_sample(run->system, t, y, y + run->m, 1, &item->id, &sample));
    double steady = sprag_friction_law_steady(law, &numbers, modes_slip_size(run, slip));
    item->friction = fmin(item->friction, fmax(steady, sprag_friction_law_holds(law, &numbers)));
    return SPRAG_OK;
}

static SpragStatus build(SpragRun *run, double t, const Pressing *p)
{
    SPRAG_TRY(sprag_system_build_active(run->system, t, p->y, p->y + run->m, p->count, p->slots,
                                        p->sliding, &run->problem));
    for (int i = 0; i < p->count; i++) {
        SpragConstraint *item = &run->problem.constraints[i];
        if (item->sliding)
            decide_set_slip(run, p->slots[i], item);
    }
    SPRAG_TRY(layers_smooth(run, t, p->y, &run->problem));
    for (int i = 0; i < p->count; i++)
        SPRAG_TRY(limit_bristles(run, t, p->y, &run->problem.constraints[i]));
    return SPRAG_OK;
}

static SpragStatus judge(SpragRun *run, double t, const double *y, Decision *decision)
{
    SpragAnalysisSettings settings = sprag_analysis_default();
    const SpragVerdict *verdict = &decision->verdict;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    Pressing pressing;
    SPRAG_TRY(find_pressing(run, t, y, &pressing));
    settings.motions.tolerance = 1e-9; // contacts are closed to about this accuracy
    for (int i = 0; i < run->n; i++)
        settings.moving |= fabs(pressing.y[run->m + i]) > run->tolerances.slip;
    SPRAG_TRY(build(run, t, &pressing));
    sprag_arena_release(run->arena, mark);
    SPRAG_TRY(sprag_analysis_run(run->analysis, &run->problem, &settings, &decision->verdict));
    run->statistics.solves++;
    decision->taken = -1;
    for (int i = 0; i < verdict->solution_count && decision->taken < 0; i++)
        if (has_present_modes(run, verdict->solutions[i].motion))
            decision->taken = i;
    return SPRAG_OK;
}

// Relative distance from the border of a verdict at which it is certain.
static const double CLEAR = 1e-3;

// Whether contact i, alone in the plane, has the only motion of theory.md section 4 in its present
// mode, from the rows in run->now: A > 0 and B < 0 in slip, forces inside of the cone in stick.
static bool is_clear(const SpragRun *run, int i)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    int r = f->first[i], rows = f->row_count;
    const double *w = e->W + r * rows + r, *b = e->b + r;
    SpragMode mode = run->mode[f->active[i]];
    double mu = e->friction[2 * i + (mode_slides(mode) ? 1 : 0)], push = -CLEAR * run->force_scale;
    if (!f->soft[i] || f->bearing[i] || f->rows[i] != 2 || !(mu > 0) ||
        run->law[f->active[i]].kind != SPRAG_FRICTION_COULOMB)
        return false;
    for (int c = 0; c < rows; c++)
        if (c != r && c != r + 1 && (e->W[r * rows + c] != 0 || e->W[(r + 1) * rows + c] != 0))
            return false;
    if (mode_slides(mode))
        return w[0] - f->sign[i] * mu * w[1] > CLEAR * w[0] && b[0] < push * w[0];
    double determinant = w[0] * w[rows + 1] - w[1] * w[1];
    double normal = -(w[rows + 1] * b[0] - w[1] * b[1]) / determinant;
    double tangential = -(w[0] * b[1] - w[1] * b[0]) / determinant;
    return mode == SPRAG_MODE_STICK && w[0] - mu * fabs(w[1]) > CLEAR * w[0] && normal > -push &&
           fabs(tangential) < (1 - CLEAR) * mu * normal;
}

SpragStatus layers_verdict_stays(SpragRun *run, bool *stays)
{
    const Frozen *f = &run->frozen;
    const SpragRunVerdict *last = &run->interval;
    *stays = run->interval_open && run->tangents == 1 && last->kind == SPRAG_VERDICT_UNIQUE &&
             last->solution_count == 1 && last->stable_count == 1 && f->active_count > 0 &&
             f->soft_count == f->active_count && !bearing_any_soft(run);
    if (!*stays)
        return SPRAG_OK;
    SPRAG_TRY(modes_sample(run, run->t, run->y, true));
    for (int i = 0; *stays && i < f->active_count; i++)
        *stays = is_clear(run, i);
    return SPRAG_OK;
}

SpragStatus layers_verdict(SpragRun *run, double t, const double *y, Decision *decision)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    bool *lifted;
    SPRAG_TRY(bearings_lift(run, 0, NULL, &lifted));
    SpragStatus status = judge(run, t, y, decision);
    bearings_lower(run, lifted);
    modes_outdate(run);
    sprag_arena_release(run->arena, mark);
    return status;
}

// ---- Told in a run -----------------------------------------------------------------------------

// Linear programs, of so many rows, that cost about as much as a step beside layers.
enum { LOOK_CREDIT = 20, LOOK_ROWS = 16 };

// What a verdict has cost, in linear programs of LOOK_ROWS rows: larger ones cost as many times
// more as they have entries; a partial mode in the plane costs less than one.
static long look_price(const SpragRun *run, const SpragVerdict *verdict)
{
    const double node = 0.125;
    double rows = run->frozen.row_count / (double)LOOK_ROWS, most = 1e9;
    double programs = run->tangents == 2 ? (double)verdict->program_count * fmax(rows * rows, 1)
                                         : node * (double)verdict->node_count * rows * rows;
    return (long)fmin(programs, most);
}

// Where it cannot be computed nothing depends on it. It can cost thousands of steps: then not every
// state is judged.
static SpragStatus tell_present(SpragRun *run, SpragRunOutcome *outcome)
{
    Decision decision;
    run->look_credit += LOOK_CREDIT;
    if (run->look_credit < 0)
        return SPRAG_OK;
    SpragStatus status = layers_verdict(run, run->t, run->y, &decision);
    if (status == SPRAG_OK) {
        run->look_credit = -look_price(run, &decision.verdict);
        tell_verdict(run, run->t, &decision, outcome);
    }
    return status == SPRAG_ERROR_NUMERIC ? SPRAG_OK : status;
}

SpragStatus apply_layers_verdict(SpragRun *run, SpragRunOutcome *outcome)
{
    const SpragSink *sink = &run->sink;
    bool heard = sink->sample || sink->verdict || sink->piece;
    run->due = !heard && run->settings.motion == SPRAG_MOTION_COMPLIANT && apply_only_layers(run);
    return run->due ? SPRAG_OK : tell_present(run, outcome);
}

SpragStatus layers_verdict_due(SpragRun *run, SpragRunOutcome *outcome)
{
    bool due = run->due && apply_only_layers(run);
    run->due = false;
    return due ? tell_present(run, outcome) : SPRAG_OK;
}

SpragStatus layers_look(SpragRun *run, SpragRunOutcome *outcome)
{
    enum { LOOK_EVERY = 8 }; // short steps
    bool rests, stays, brief = run->integrator == run->plain;
    if (!run->quiet || (brief && run->method_steps % LOOK_EVERY != 0))
        return SPRAG_OK;
    if (run->settings.verdicts && !run->due) {
        SPRAG_TRY(layers_verdict_stays(run, &stays));
        if (!stays)
            SPRAG_TRY(apply_layers_verdict(run, outcome));
    }
    SPRAG_TRY(layers_rest(run, &rests));
    if (rests && !run->held && *outcome == SPRAG_RUN_DONE) {
        SPRAG_TRY(tell_sample(run, run->t, run->y, true, false, outcome));
        tell_event(run, SPRAG_EVENT_REST, -1, outcome, "everything rests, and stays so");
        SPRAG_TRY(tell_sample(run, run->t, run->y, false, true, outcome));
    }
    run->held |= rests;
    return SPRAG_OK;
}
