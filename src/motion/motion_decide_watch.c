// motion_decide_watch.c: whether the verdict changes between events, theory.md 14.1. That the
// present motion ends is an event of its own; here other ones appear, or it is no longer stable.
// Looked at after accepted steps, and left out where every contact clearly has one motion by
// itself.
#include <math.h>

#include "motion_private.h"
#include "sprag/numeric.h"

// Verdict changes between events are located to this part of a step.
static const double BISECTION = 1e-6;
// Determinants and forces this part of their size away from their borders are clear without a
// search.
static const double CLEAR = 1e-3;

typedef struct Signature {
    SpragVerdictKind kind;
    int solution_count, stable_count;
    bool present; // the present modes are among the stable motions
} Signature;

static Signature signature_of(const SpragRun *run, const SpragVerdict *verdict)
{
    int present = decide_present_motion(run, verdict);
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
        if (middle <= from || middle >= *to) // of steps of some roundings nothing is left
            break;
        SPRAG_TRY(sprag_integrator_evaluate(run->integrator, middle, run->scratch));
        SPRAG_TRY(decide_analyze(run, middle, run->scratch, NULL, &verdict));
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
    SPRAG_TRY(decide_analyze(run, run->t, run->y, NULL, &verdict));
    Signature now = signature_of(run, &verdict);
    // what an incomplete search finds beside the present motion is now this and now that
    if (same(before, now) || (!verdict.complete && decide_may_miss(run) && now.present))
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
    SPRAG_TRY(modes_follow_slips(run));
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
