// friction_interior.c: a path through the interior of the cones to a solution.
//
// Problem   u = W r + q with friction cones, theory.md 11.8.
// Method    with r̂ = (μ r_N, r_T) and û = (u_N/μ + |u_T|, u_T) the laws are r̂ ∘ û = 0 in the cone
//           of Lorentz; the path is r̂ ∘ û = τ e, τ → 0, theory.md (11.21), on which friction is a
//           smooth function of slip. Newton steps in the scaling of Nesterov and Todd
//           [NesterovTodd1998, pp. 324-364], with a predictor and corrector [Mehrotra1992, pp.
//           575-601]; the derivative of |u_T| is part of them, so no outer iteration on the slip is
//           needed. Contacts without friction are r_N u_N = τ. Ends with nonsmooth Newton steps.
//           Where steps become short the point is set on a path again, theory.md (11.30), at a
//           larger τ; or, on a damped path, the system is damped as (11.20) does, the more the
//           shorter the steps are, theory.md (11.33); and at last: proximal points, each along such
//           a path.
// Assumes   W positive semidefinite but for rounding; it may be singular
#include <float.h>
#include <math.h>
#include <string.h>

#include "friction_internal.h"
#include "friction_lorentz.h"

// Steps of one path with a prox term; steps of all of them, in those of the path without.
enum { POLISH_STEPS = 12, INNER_STEPS = 45, PROXIMAL_SHARE = 3 };
// The path is left for another one after so many steps shorter than this; by this factor τ grows
// then; and so far into the cone r is moved, in units of what belongs to τ.
enum { SHORT_STEPS = 2, STARTS = 6, FEW_STARTS = 2 };
static const double SHORT_STEP = 0.1, STEP_BACK = 3, LEAST_DEPTH = 0.1;
// Share of the derivative of |u_T| that is taken where slip vanishes with τ.
static const double SLIP_SHARE = 0.8;
// The same on damped paths, in the order of FrictionPaths.
enum { DAMPED_PATHS = 4 };
static const double DAMPED_SHARE[DAMPED_PATHS] = {0.6, 0.3, 0.7, 1};
// Damping: the first, its bounds, and how it follows the length of steps.
enum { DAMPED_STEPS = 100 };
static const double FIRST_DAMPING = 1e-4, LEAST_DAMPING = 1e-7, MOST_DAMPING = 1;
static const double DAMPED_SHORT = 0.1, DAMPED_LONG = 0.5, DAMP_MORE = 4, DAMP_LESS = 0.25;
static const double FIRST_ALPHA = 0.1, LEAST_ALPHA = 1e-8, MOST_ALPHA = 100;

typedef struct Path {
    double *A, *B, *F;
    double *dr, *du, *u; // u: a variable of its own, W r + q in the end
    double *gap;         // W r + q − u
    double *scaling;     // NT scaling of each contact: w̄ and the factor, 4 a contact
    double *kept_r;
    FrictionProx prox;
    double start, share;
    int polishes, short_steps;
    bool damped; // prox.alpha is the damping
} Path;

// ---- All contacts -------------------------------------------------------------------------------

static double total(const Friction *f, const Path *path)
{
    double sum = 0;
    size_t d = (size_t)f->d;
    for (size_t i = 0; i < (size_t)f->c; i++)
        if (f->kind[i] == SPRAG_FRICTION_CONTACT)
            sum += lorentz_product(d, f->mu[i], f->r + i * d, path->u + i * d);
    return f->c > f->joints ? sum / (f->c - f->joints) : 0;
}

// Product after a step, for the choice of τ.
static double total_after(const Friction *f, const Path *path, double step)
{
    double sum = 0;
    size_t d = (size_t)f->d;
    for (size_t i = 0; i < (size_t)f->c; i++) {
        double r[3], u[3];
        if (f->kind[i] != SPRAG_FRICTION_CONTACT)
            continue;
        for (size_t k = 0; k < d; k++) {
            r[k] = f->r[i * d + k] + step * path->dr[i * d + k];
            u[k] = path->u[i * d + k] + step * path->du[i * d + k];
        }
        sum += lorentz_product(d, f->mu[i], r, u);
    }
    return f->c > f->joints ? sum / (f->c - f->joints) : 0;
}

static double longest_step(const Friction *f, const Path *path)
{
    double step = 1;
    size_t d = (size_t)f->d;
    for (size_t i = 0; i < (size_t)f->c; i++)
        if (f->kind[i] == SPRAG_FRICTION_CONTACT)
            step = fmin(step, lorentz_longest(d, f->mu[i], f->r + i * d, path->u + i * d,
                                              path->dr + i * d, path->du + i * d));
    return step;
}

static FrictionLaw law_of(const Friction *f, const Path *path, size_t i)
{
    return (FrictionLaw){(size_t)f->d, f->mu[i], path->share};
}

// Direction towards τ; corrected by what the predictor in (dr, du) left out, if `corrected`.
static void direction(Friction *f, Path *path, double tau, bool corrected, bool refined)
{
    size_t d = (size_t)f->d;
    for (size_t i = 0; i < (size_t)f->c; i++) {
        double *F = path->F + i * d;
        const double *A = path->A + i * d * d;
        if (f->kind[i] == SPRAG_FRICTION_CONTACT)
            lorentz_right(law_of(f, path, i), f->r + i * d, path->u + i * d, path->scaling + 4 * i,
                          tau, corrected ? path->dr + i * d : NULL, path->du + i * d, F);
        else
            lorentz_right_bilateral(f, i, path->u + i * d, F);
        for (size_t a = 0; a < d; a++)
            for (size_t k = 0; k < d; k++)
                F[a] += A[a * d + k] * path->gap[i * d + k];
    }
    if (refined)
        friction_linear_solve(f, path->F, path->dr, path->du);
    else
        friction_linear_solve_once(f, path->F, path->dr, path->du);
    for (size_t i = 0; i < (size_t)f->c; i++)
        for (size_t k = i * d; k < (i + 1) * d; k++)
            path->du[k] += path->gap[k] + path->prox.alpha * f->weight[i] * path->dr[k];
}

// Sets the point on a path: r a little deeper inside the cone, and the û that belongs to it there,
// û = τ r̂⁻¹. What W r + q lacks of that u is left to the steps that follow.
static void recentre(Friction *f, Path *path, double tau)
{
    size_t d = (size_t)f->d;
    for (size_t i = 0; i < (size_t)f->c; i++) {
        double *r = f->r + i * d, *u = path->u + i * d, mu = f->mu[i], hat[3], minor;
        double depth = LEAST_DEPTH * sqrt(tau / f->weight[i]);
        if (f->kind[i] != SPRAG_FRICTION_CONTACT)
            continue;
        if (mu == 0) {
            r[0] = fmax(r[0], depth);
            u[0] = tau / r[0];
            continue;
        }
        lorentz_hat_r(d, mu, r, hat, &minor);
        r[0] += fmax(0, depth - minor) / mu;
        lorentz_hat_r(d, mu, r, hat, &minor);
        double determinant = minor * (hat[0] + lorentz_length(d, r));
        for (size_t k = 1; k < d; k++)
            u[k] = -tau * hat[k] / determinant;
        // û_N − |û_T| = τ/(r̂_N + |r̂_T|)
        u[0] = mu * tau / (hat[0] + lorentz_length(d, r));
    }
}

// Where W r + q is far from u, τ does not run ahead: products that |gap| would make are kept.
static double least_tau(const Friction *f, const Path *path)
{
    double square = 0, weight = 0;
    for (size_t k = 0; k < f->size; k++)
        square += path->gap[k] * path->gap[k];
    for (size_t i = 0; i < (size_t)f->c; i++)
        weight += f->weight[i];
    return square / weight;
}

// The damping of the next step from the length of this one.
static void damp(Path *path, double step)
{
    if (step < DAMPED_SHORT)
        path->prox.alpha = fmin(MOST_DAMPING, DAMP_MORE * path->prox.alpha);
    else if (step > DAMPED_LONG)
        path->prox.alpha = fmax(LEAST_DAMPING, DAMP_LESS * path->prox.alpha);
}

// One predictor and corrector. False where the linear system fails.
static bool path_step(Friction *f, Path *path)
{
    size_t d = (size_t)f->d;
    for (size_t i = 0; i < (size_t)f->c; i++)
        if (f->kind[i] == SPRAG_FRICTION_CONTACT)
            lorentz_linearize(law_of(f, path, i), f->r + i * d, path->u + i * d,
                              path->A + i * d * d, path->B + i * d * d, path->scaling + 4 * i);
        else
            lorentz_linearize_bilateral(f, i, path->A + i * d * d, path->B + i * d * d);
    for (size_t i = 0; i < (size_t)f->c; i++)
        for (size_t k = i * d * d; k < (i + 1) * d * d; k++)
            path->B[k] += path->prox.alpha * f->weight[i] * path->A[k];
    if (!friction_linear_factor(f, path->A, path->B))
        return false;
    double now = total(f, path);
    direction(f, path, 0, false, false);
    double step = longest_step(f, path), after = total_after(f, path, step);
    double ratio = now > 0 ? fmin(1, fmax(0, after / now)) : 0;
    double sigma = fmax(ratio * ratio * ratio, 1e-6);
    double target = path->damped ? fmax(sigma * now, least_tau(f, path)) : sigma * now;
    direction(f, path, target, step > 0.1, true);
    step = longest_step(f, path);
    double keep = fmax(0.9, 1 - 0.5 * sigma);
    step = fmin(1, fmin(keep, 0.995) * step);
    if (!(step > 1e-12))
        return false;
    path->short_steps = step < SHORT_STEP ? path->short_steps + 1 : 0;
    if (path->damped)
        damp(path, step);
    if (path->prox.alpha == 0 && path->short_steps >= SHORT_STEPS) {
        path->short_steps = 0;
        recentre(f, path, STEP_BACK * now);
        return true;
    }
    for (size_t k = 0; k < f->size; k++) {
        f->r[k] += step * path->dr[k];
        path->u[k] += step * path->du[k];
    }
    return true;
}

// A point on the path, far inside: equal normal forces of the size of those known, no friction, and
// the velocities that belong to them there. Other starts, other paths: velocities times a factor.
static void start(Friction *f, Path *path)
{
    size_t d = (size_t)f->d;
    double force = 0, speed = 0, weight = 0;
    friction_apply(f, f->r, f->u);
    for (size_t i = 0; i < (size_t)f->c; i++) {
        weight += f->weight[i] / f->c;
        force += f->r[i * d] / f->c;
        for (size_t k = 0; k < d; k++)
            speed = fmax(speed, fabs(f->u[i * d + k]));
    }
    speed = path->start * fmax(speed, f->norm_q / sqrt(f->c));
    force = fmax(force, speed / weight);
    memset(path->u, 0, f->size * sizeof *path->u);
    for (size_t i = 0; i < (size_t)f->c; i++) {
        if (f->kind[i] != SPRAG_FRICTION_CONTACT)
            continue;
        memset(f->r + i * d, 0, d * sizeof *f->r);
        f->r[i * d] = force;
        path->u[i * d] = speed;
    }
}

static SpragStatus allocate(Friction *f, Path *path)
{
    size_t d = (size_t)f->d, c = (size_t)f->c;
    double **arrays[] = {&path->A,      &path->B,           &path->F,           &path->dr,
                         &path->du,     &path->u,           &path->gap,         &path->scaling,
                         &path->kept_r, &path->prox.centre, &path->prox.shifted};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        size_t count = k < 2 ? c * d * d : arrays[k] == &path->scaling ? 4 * c : f->size;
        *arrays[k] = sprag_arena_alloc(f->workspace->arena, count, sizeof(double));
        if (!*arrays[k])
            return SPRAG_ERROR_MEMORY;
    }
    return friction_linear_prepare(f);
}

// Newton steps from here; the point of the path is kept for the case that they fail.
static SpragStatus polish(Friction *f, Path *path, bool *solved)
{
    SpragFrictionStatus status;
    int done = 0;
    memcpy(path->kept_r, f->r, f->size * sizeof *f->r);
    SPRAG_TRY(friction_newton(f, POLISH_STEPS, &status, &done));
    *solved = status == SPRAG_FRICTION_SOLVED;
    memcpy(f->r, path->kept_r, f->size * sizeof *f->r);
    return SPRAG_OK;
}

// u + α w (r − centre); the centre of damped steps is r.
static void shift(const Friction *f, Path *path)
{
    if (path->damped)
        memcpy(path->prox.centre, f->r, f->size * sizeof *f->r);
    friction_prox(f, &path->prox, f->r, f->u);
}

// Follows the path with the prox term until its residual is `goal` or the limit is met.
static SpragStatus follow(Friction *f, Path *path, int limit, double goal, bool *solved, int *done)
{
    double next_polish = 1e-4;
    start(f, path);
    for (int k = 0; k < limit; k++) {
        friction_apply(f, f->r, f->u);
        shift(f, path);
        for (size_t e = 0; e < f->size; e++)
            path->gap[e] = path->prox.shifted[e] - path->u[e];
        *solved = friction_judge(f, SPRAG_FRICTION_INTERIOR) <= f->settings.tolerance;
        double residual = friction_unit_free(f, f->r, path->prox.shifted);
        if (*solved || residual < goal)
            return SPRAG_OK;
        if ((path->prox.alpha == 0 || path->damped) && residual < next_polish) {
            next_polish = residual * 1e-2;
            SPRAG_TRY(polish(f, path, solved));
            if (*solved)
                return SPRAG_OK;
        }
        f->iterations++;
        (*done)++;
        if (!path_step(f, path))
            return SPRAG_OK;
    }
    return SPRAG_OK;
}

// Where the path turned back: proximal points, each found along a path of its own. The prox term
// makes the problem monotone enough; it shrinks while that works, and grows where it does not.
static SpragStatus proximal(Friction *f, Path *path, int limit, bool *solved, int *done)
{
    int first = *done;
    memcpy(f->r, f->best, f->size * sizeof *f->r);
    path->prox.alpha = FIRST_ALPHA;
    while (!*solved && *done - first < limit && path->prox.alpha < MOST_ALPHA) {
        memcpy(path->prox.centre, f->r, f->size * sizeof *f->r);
        friction_apply(f, f->r, f->u);
        double before = friction_unit_free(f, f->r, f->u), goal = 3e-2 * before;
        SPRAG_TRY(follow(f, path, INNER_STEPS, goal, solved, done));
        if (*solved)
            break;
        friction_apply(f, f->r, f->u);
        shift(f, path);
        bool reached = friction_unit_free(f, f->r, path->prox.shifted) < goal;
        if (!reached) {
            memcpy(f->r, path->prox.centre, f->size * sizeof *f->r);
            path->prox.alpha *= 5;
            continue;
        }
        path->prox.alpha = fmax(LEAST_ALPHA, 0.3 * path->prox.alpha);
        if (friction_unit_free(f, f->r, f->u) < 1e-4 || (++path->polishes % 4) == 0)
            SPRAG_TRY(polish(f, path, solved));
    }
    return SPRAG_OK;
}

// The path with damped steps.
static SpragStatus follow_damped(Friction *f, Path *path, int which, bool *solved, int *done)
{
    memset(f->r, 0, f->size * sizeof *f->r);
    path->damped = true;
    path->share = DAMPED_SHARE[which];
    path->start = 1;
    path->short_steps = 0;
    path->prox.alpha = FIRST_DAMPING;
    SpragStatus status = follow(f, path, DAMPED_STEPS, 0, solved, done);
    path->damped = false;
    path->share = SLIP_SHARE;
    path->prox.alpha = 0;
    return status;
}

SpragStatus friction_interior(Friction *f, FrictionPaths paths, int limit,
                              SpragFrictionStatus *status, int *done)
{
    static const double starts[STARTS] = {1, 10, 0.1, 3, 0.3, 30};
    Path path = {.share = SLIP_SHARE};
    SPRAG_TRY(allocate(f, &path));
    bool solved = false;
    *status = SPRAG_FRICTION_STALLED;
    int first = paths == FRICTION_PATHS_OTHER ? 1 : 0;
    bool all = paths == FRICTION_PATHS_ALL, other = all || paths == FRICTION_PATHS_OTHER;
    int count = paths == FRICTION_PATHS_FIRST                  ? 1
                : !other                                       ? 0
                : friction_contacts_by_cost(f) > MANY_CONTACTS ? FEW_STARTS
                                                               : STARTS;
    for (int k = first; k < count && !solved; k++) {
        path.start = starts[k];
        path.short_steps = 0;
        memset(f->r, 0, f->size * sizeof *f->r);
        SPRAG_TRY(follow(f, &path, 5 * limit / 2, 0, &solved, done));
        if (!solved)
            SPRAG_TRY(polish(f, &path, &solved));
    }
    for (int k = 0; k < DAMPED_PATHS && !solved; k++)
        if (all || paths == (FrictionPaths)(FRICTION_PATHS_DAMPED + k))
            SPRAG_TRY(follow_damped(f, &path, k, &solved, done));
    path.start = 1;
    if (other && !solved)
        SPRAG_TRY(proximal(f, &path, PROXIMAL_SHARE * limit, &solved, done));
    if (f->best_residual <= f->settings.tolerance)
        *status = SPRAG_FRICTION_SOLVED;
    return SPRAG_OK;
}
