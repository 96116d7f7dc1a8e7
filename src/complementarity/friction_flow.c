// friction_flow.c: a flow to a solution of the smoothed problem, with a time of its own for each
// contact.
//
// Problem   u = W r + q with friction cones, theory.md 11.19.
// Method    implicit steps along dr_i/ds_i = −F_i of the smoothed law (11.36), one factorisation
//           each, (11.49): 1/alpha_i is the length of contact i's step. It shrinks where a whole
//           step leaves more of F_i than there was, and grows elsewhere, so that a few contacts
//           which change their modes do not hold up all the others, (11.50). Where F is small t is
//           halved; where a branch of solutions ends on the way the flow leaves it for another.
// Assumes   nothing; where no solution attracts the flow it wanders until its limit
#include <math.h>
#include <string.h>

#include "friction_smooth.h"

enum { HALVINGS = 6, CHORDS = 6, POLISH_STEPS = 12, MOST_FAILURES = 3 };
// Where the mean of |F_i|, or the root of that of their squares, is below a part of t, t falls by
// this factor.
static const double T_FALLS = 0.5;
// Flows that differ in that, and in how steps grow: which one arrives is a matter of chance.
typedef struct FlowKind {
    double near;
    bool square;
    double falls; // alpha_i, from step to step
} FlowKind;
static const FlowKind KINDS[FRICTION_FLOWS] = {
    {0.2, true, 0.4}, {0.4, true, 0.4}, {0.2, true, 0.25}, {0.3, false, 0.6}};
// A step must lower the mean of |F_i| by this share of its length.
static const double GOOD_STEP = 0.3;
// Further steps with the same factors, while they lower it by this factor, until it is so small.
static const double CHORD_GAINS = 0.7, CHORD_GOAL = 0.1;
// Steps are lengthened by up to this factor where that raises the mean square of F by this at most.
static const double LEAP = 8, LEAP_RISE = 1.4;
// How alpha_i follows what a step leaves of F_i; its bounds, the lower one in units of t over the
// mean of forces.
static const double ALPHA_GROWS = 4;
static const double LEAST_ALPHA = 1e-9, LEAST_SHARE = 0.01, MOST_ALPHA = 100;
// Newton steps are tried below this residual, and again whenever it has fallen by that factor.
static const double FIRST_POLISH = 1e-3, NEXT_POLISH = 0.1;

typedef struct Flow {
    const FlowKind *kind;
    SmoothSystem system;
    double *alpha;           // one a contact
    double *centre;          // r before the step
    double *step, *du;       // direction
    double *r, *u, *shifted; // trial; u with the prox term
    double *before, *after;  // |F_i| before the step, and after a whole one
    double *kept;
    double t;
    int failures; // steps in a row that led nowhere
} Flow;

// |F_i| of all contacts; returns their mean.
static double lengths(const Friction *f, const double *F, double *each)
{
    size_t d = (size_t)f->d;
    double sum = 0;
    for (size_t i = 0; i < (size_t)f->c; i++) {
        double square = 0;
        for (size_t k = i * d; k < (i + 1) * d; k++)
            square += F[k] * F[k];
        each[i] = sqrt(square);
        sum += each[i];
    }
    return sum / f->c;
}

// The mean of |F_i|, with the prox term, at r + part step: the trial.
static double try_step(Friction *f, Flow *flow, double part, double *each)
{
    size_t d = (size_t)f->d;
    for (size_t k = 0; k < f->size; k++)
        flow->r[k] = f->r[k] + part * flow->step[k];
    friction_apply(f, flow->r, flow->u);
    for (size_t i = 0; i < (size_t)f->c; i++)
        for (size_t k = i * d; k < (i + 1) * d; k++)
            flow->shifted[k] =
                flow->u[k] + flow->alpha[i] * f->weight[i] * (flow->r[k] - flow->centre[k]);
    smooth_value(f, flow->t, flow->r, flow->shifted, flow->system.F);
    return lengths(f, flow->system.F, each);
}

static void take(Friction *f, const Flow *flow)
{
    memcpy(f->r, flow->r, f->size * sizeof *f->r);
    memcpy(f->u, flow->u, f->size * sizeof *f->u);
}

// An implicit step from the point with the mean `value`: the part of it that was taken, 0 if it
// leads nowhere.
static double implicit_step(Friction *f, Flow *flow, double value)
{
    smooth_linearize(f, flow->t, flow->alpha, f->r, f->u, &flow->system);
    if (!friction_linear_factor(f, flow->system.A, flow->system.B))
        return 0;
    friction_linear_solve(f, flow->system.F, flow->step, flow->du);
    double part = 1, tried = try_step(f, flow, 1, flow->after);
    for (int k = 1; k < HALVINGS && !(tried <= (1 - GOOD_STEP * part) * value); k++) {
        part *= 0.5;
        tried = try_step(f, flow, part, flow->kept);
    }
    if (!(tried <= (1 - GOOD_STEP * part) * value))
        return 0;
    take(f, flow);
    for (int k = 0; k < CHORDS && part == 1 && tried > CHORD_GOAL * value; k++) {
        double last = tried;
        friction_linear_solve_once(f, flow->system.F, flow->step, flow->du);
        tried = try_step(f, flow, 1, flow->kept);
        if (!(tried < CHORD_GAINS * last))
            break;
        take(f, flow);
    }
    return part;
}

// On along the way from the centre as far as F allows, which costs no factorisation
// [GearKevrekidis2003, pp. 1091-1106].
static void leap(Friction *f, Flow *flow)
{
    double now = smooth_value(f, flow->t, f->r, f->u, flow->system.F);
    for (int halvings = 0; ldexp(LEAP, -halvings) >= 1; halvings++) {
        double by = ldexp(LEAP, -halvings);
        for (size_t k = 0; k < f->size; k++)
            flow->r[k] = f->r[k] + by * (f->r[k] - flow->centre[k]);
        friction_apply(f, flow->r, flow->u);
        if (smooth_value(f, flow->t, flow->r, flow->u, flow->system.F) < LEAP_RISE * now) {
            take(f, flow);
            return;
        }
    }
}

static bool is_bad(const Flow *flow, int i, double value)
{
    return !(flow->after[i] <= fmax(flow->before[i], value));
}

// The alpha of the next step.
static void adapt(const Friction *f, Flow *flow, double value, double part)
{
    double own = sqrt(smooth_product(f, f->r, f->r) / f->c);
    double least = own > 0 ? LEAST_SHARE * flow->t / own : 0;
    for (int i = 0; i < f->c; i++) {
        bool grows = part == 0 || is_bad(flow, i, value);
        double alpha = flow->alpha[i] * (grows ? ALPHA_GROWS : flow->kind->falls);
        flow->alpha[i] = fmin(MOST_ALPHA, fmax(fmax(LEAST_ALPHA, least), alpha));
    }
}

// Contacts that hold up the flow at any alpha go on by (11.9) alone.
static void unlock(Friction *f, const Flow *flow, double value)
{
    size_t d = (size_t)f->d;
    for (size_t i = 0; i < (size_t)f->c; i++) {
        double x[3], *r = f->r + i * d;
        if (!is_bad(flow, (int)i, value))
            continue;
        for (size_t k = 0; k < d; k++)
            x[k] = r[k] - f->u[i * d + k] / f->weight[i];
        x[0] -= friction_shift(f, i, f->u + i * d) / f->weight[i];
        friction_project(f, i, x, r);
    }
    friction_apply(f, f->r, f->u);
}

// One step; t is halved before as often as the point is close to the path.
static void flow_step(Friction *f, Flow *flow)
{
    double value;
    memcpy(flow->centre, f->r, f->size * sizeof *f->r);
    for (;; flow->t *= T_FALLS) {
        double root = smooth_value(f, flow->t, f->r, f->u, flow->system.F);
        value = lengths(f, flow->system.F, flow->before);
        double size = flow->kind->square ? root : value;
        if (!(size < flow->kind->near * flow->t && flow->t > SMOOTH_LAST_T * f->norm_q))
            break;
    }
    double part = implicit_step(f, flow, value);
    if (part > 0)
        leap(f, flow);
    adapt(f, flow, value, part);
    flow->failures = part > 0 ? 0 : flow->failures + 1;
    if (flow->failures >= MOST_FAILURES) {
        unlock(f, flow, value);
        flow->failures = 0;
    }
}

static SpragStatus allocate(Friction *f, Flow *flow)
{
    size_t d = (size_t)f->d, c = (size_t)f->c;
    double **arrays[] = {&flow->system.A, &flow->system.B, &flow->system.F, &flow->system.rate,
                         &flow->alpha,    &flow->centre,   &flow->step,     &flow->du,
                         &flow->r,        &flow->u,        &flow->shifted,  &flow->before,
                         &flow->after,    &flow->kept};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] =
            sprag_arena_alloc(f->workspace->arena, k < 2 ? c * d * d : f->size, sizeof(double));
        if (!*arrays[k])
            return SPRAG_ERROR_MEMORY;
    }
    return friction_linear_prepare(f);
}

// Newton steps from here; the flow goes on where they began.
static SpragStatus polish(Friction *f, Flow *flow, int *done)
{
    SpragFrictionStatus ignored;
    memcpy(flow->kept, f->r, f->size * sizeof *f->r);
    SPRAG_TRY(friction_newton(f, POLISH_STEPS, &ignored, done));
    memcpy(f->r, flow->kept, f->size * sizeof *f->r);
    friction_apply(f, f->r, f->u);
    return SPRAG_OK;
}

SpragStatus friction_flow(Friction *f, int which, int limit, SpragFrictionStatus *status, int *done)
{
    Flow flow = {.kind = &KINDS[which], .t = SMOOTH_FIRST_T * f->norm_q / sqrt(f->c)};
    double next = FIRST_POLISH;
    SPRAG_TRY(allocate(f, &flow));
    smooth_start(f, flow.t);
    for (int i = 0; i < f->c; i++)
        flow.alpha[i] = 1;
    *status = SPRAG_FRICTION_LIMIT;
    while (*done < limit && flow.t > SMOOTH_LAST_T * f->norm_q) {
        flow_step(f, &flow);
        f->iterations++;
        (*done)++;
        if (friction_judge(f, SPRAG_FRICTION_FLOW) <= f->settings.tolerance)
            break;
        double residual = friction_unit_free(f, f->r, f->u);
        if (!(residual < next))
            continue;
        next = NEXT_POLISH * residual;
        SPRAG_TRY(polish(f, &flow, done));
        if (f->best_residual <= f->settings.tolerance)
            break;
    }
    if (f->best_residual <= f->settings.tolerance)
        *status = SPRAG_FRICTION_SOLVED;
    else if (*done < limit)
        *status = SPRAG_FRICTION_STALLED;
    return SPRAG_OK;
}
