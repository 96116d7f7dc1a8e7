// friction_smooth.c: a smooth path to a solution, followed by its length.
//
// Problem   u = W r + q with friction cones, theory.md 11.17.
// Method    x = w r̂ and y = û, both in units of velocity, with x = P_t(x − y): P_t is the
//           projection on the cone of Lorentz with every spectral value λ⁺ smoothed to (λ + (λ²
//           + 4 t²)^½)/2, so that x ∘ y = t² e, theory.md (11.36); |u_T| is (|u_T|² + t²)^½ − t
//           in y. Newton steps need not stay inside of the cones. The path in (r, ln t) is
//           followed by its length: at places where it turns back, t grows for a while. One
//           factorisation a step, for the tangent and what corrects the point before.
// Assumes   nothing; the path may be long
#include <math.h>
#include <string.h>

#include "friction_smooth.h"

enum { HALVINGS = 12, MOST_FAILURES = 3, WHOLE_TRIALS = 3, POLISH_STEPS = 12 };
// Lengths of steps; how they grow.
static const double FIRST_STEP = 1, LEAST_STEP = 1e-3, MOST_STEP = 50, STEP_GROWS = 1.7;
// Points count as on the path where the mean of |F| is below this part of t.
static const double NEAR = 0.5;
// A length of one is a change of t by e, or of all forces by the root of this in units of t.
static const double LENGTH = 10;
static const double LEAST_ALPHA = 1e-9;
// Newton steps are tried below this residual, and again whenever it has fallen by that factor.
static const double FIRST_POLISH = 1e-3, NEXT_POLISH = 0.1;

typedef struct Smooth {
    SmoothSystem system;
    double *alpha;        // what a unit of dr adds to du, in units of the weight
    double *a, *b, *du;   // correction, tangent
    double *r, *u, *kept; // trial
    double t, step;
    int failures; // corrections in a row that did not help
    int first;    // sign of the determinant where the path begins
} Smooth;

// Sign of the determinant of the derivative of all F by r, theory.md (11.19).
static int sign_of(const Friction *f, const Smooth *s)
{
    int sign = sprag_sparse_lu_sign(f->workspace->lu);
    size_t d = (size_t)f->d;
    for (size_t i = 0; f->bodies && i < (size_t)f->c; i++) {
        const double *B = s->system.B + i * d * d;
        double det = d == 2
                         ? B[0] * B[3] - B[1] * B[2]
                         : B[0] * (B[4] * B[8] - B[5] * B[7]) - B[1] * (B[3] * B[8] - B[5] * B[6]) +
                               B[2] * (B[3] * B[7] - B[4] * B[6]);
        sign = det < 0 ? -sign : sign;
    }
    return sign;
}

// The mean of |F| at r + part a + move b and t e^change, which become the trial.
static double try_step(Friction *f, Smooth *s, double part, double move, double change)
{
    for (size_t k = 0; k < f->size; k++)
        s->r[k] = f->r[k] + part * s->a[k] + move * s->b[k];
    friction_apply(f, s->r, s->u);
    return smooth_value(f, s->t * exp(change), s->r, s->u, s->system.F);
}

// Correction and tangent at the point, and the way along the path that makes a unit of length:
// negative where t falls. The determinant changes its sign where the path turns.
static bool find_directions(Friction *f, Smooth *s, double *way)
{
    double own = sqrt(smooth_product(f, f->r, f->r) / f->c);
    for (int i = 0; i < f->c; i++)
        s->alpha[i] = fmax(LEAST_ALPHA, fmin(1, s->t / own));
    smooth_linearize(f, s->t, s->alpha, f->r, f->u, &s->system);
    if (!friction_linear_factor(f, s->system.A, s->system.B))
        return false;
    int sign = sign_of(f, s);
    if (s->first == 0)
        s->first = sign;
    friction_linear_solve(f, s->system.F, s->a, s->du);
    friction_linear_solve_once(f, s->system.rate, s->b, s->du);
    double square = smooth_product(f, s->b, s->b) / (LENGTH * f->c * s->t * s->t) + 1;
    *way = (sign == s->first ? -1 : 1) / sqrt(square);
    return true;
}

// Off the path: the correction at this t, as far as it helps; if it does not, very little of it.
static bool correct(Friction *f, Smooth *s, double before)
{
    double part = 1;
    for (int k = 0; k < HALVINGS; k++, part *= 0.5)
        if (try_step(f, s, part, 0, 0) < (1 - 0.1 * part) * before)
            return true;
    return false;
}

// Near it: a step along it together with the correction normal to it. The last trial is taken in
// any case: from there the next step corrects.
static void advance(Friction *f, Smooth *s, double way)
{
    double scale = LENGTH * f->c * s->t * s->t, part = 1, change = 0;
    double correction = -smooth_product(f, s->b, s->a) / scale * way * way;
    correction = fmax(-1, fmin(1, correction));
    for (size_t k = 0; k < f->size; k++)
        s->a[k] += correction * s->b[k];
    for (int k = 0; k < HALVINGS; k++) {
        change = way * s->step + part * correction;
        if (try_step(f, s, part, way * s->step, change) <= NEAR * s->t * exp(change))
            break;
        s->step = fmax(LEAST_STEP, 0.5 * s->step);
        if (k >= WHOLE_TRIALS)
            part *= 0.5;
    }
    s->t *= exp(change);
}

static bool path_step(Friction *f, Smooth *s)
{
    double before = smooth_value(f, s->t, f->r, f->u, s->system.F), way;
    if (!find_directions(f, s, &way))
        return false;
    if (before <= NEAR * s->t)
        advance(f, s, way);
    else
        s->failures = correct(f, s, before) ? 0 : s->failures + 1;
    if (s->failures > MOST_FAILURES)
        return false;
    s->step = fmin(MOST_STEP, STEP_GROWS * s->step);
    memcpy(f->r, s->r, f->size * sizeof *f->r);
    memcpy(f->u, s->u, f->size * sizeof *f->u);
    return true;
}

static SpragStatus allocate(Friction *f, Smooth *s)
{
    size_t d = (size_t)f->d, c = (size_t)f->c;
    double **arrays[] = {&s->system.A, &s->system.B, &s->system.F, &s->system.rate, &s->a,    &s->b,
                         &s->du,       &s->r,        &s->u,        &s->kept,        &s->alpha};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] =
            sprag_arena_alloc(f->workspace->arena, k < 2 ? c * d * d : f->size, sizeof(double));
        if (!*arrays[k])
            return SPRAG_ERROR_MEMORY;
    }
    return friction_linear_prepare(f);
}

SpragStatus friction_smooth(Friction *f, int limit, SpragFrictionStatus *status, int *done)
{
    Smooth s = {0};
    SPRAG_TRY(allocate(f, &s));
    s.t = SMOOTH_FIRST_T * f->norm_q / sqrt(f->c);
    s.step = FIRST_STEP;
    smooth_start(f, s.t);
    double polish = FIRST_POLISH;
    *status = SPRAG_FRICTION_LIMIT;
    while (*done < limit && s.t > SMOOTH_LAST_T * f->norm_q) {
        f->iterations++;
        (*done)++;
        if (!path_step(f, &s)) {
            *status = SPRAG_FRICTION_STALLED;
            break;
        }
        if (friction_judge(f, SPRAG_FRICTION_INTERIOR) <= f->settings.tolerance)
            break;
        double residual = friction_unit_free(f, f->r, f->u);
        if (residual > polish)
            continue;
        SpragFrictionStatus ignored;
        polish = NEXT_POLISH * residual;
        memcpy(s.kept, f->r, f->size * sizeof *f->r);
        SPRAG_TRY(friction_newton(f, POLISH_STEPS, &ignored, done));
        if (f->best_residual <= f->settings.tolerance)
            break;
        memcpy(f->r, s.kept, f->size * sizeof *f->r);
        friction_apply(f, f->r, f->u);
    }
    if (f->best_residual <= f->settings.tolerance)
        *status = SPRAG_FRICTION_SOLVED;
    return SPRAG_OK;
}
