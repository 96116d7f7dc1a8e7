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

// Steps of one path with a prox term; steps of all of them, in those of the path without.
enum { POLISH_STEPS = 12, INNER_STEPS = 45, PROXIMAL_SHARE = 3 };
// The path is left for another one after so many steps shorter than this; by this factor τ grows
// then; and so far into the cone r is moved, in units of what belongs to τ.
enum { SHORT_STEPS = 2, STARTS = 6, FEW_STARTS = 2 };
static const double SHORT_STEP = 0.1, STEP_BACK = 3, LEAST_DEPTH = 0.1;
// Share of the derivative of |u_T| that is taken where slip vanishes with τ; all of it where steps
// are damped.
static const double SLIP_SHARE = 0.8, DAMPED_SHARE = 1;
// Damping: the first, its bounds, and how it follows the length of steps.
enum { DAMPED_STEPS = 90 };
static const double FIRST_DAMPING = 1e-4, LEAST_DAMPING = 1e-7, MOST_DAMPING = 1;
static const double DAMPED_SHORT = 0.1, DAMPED_LONG = 0.5, DAMP_MORE = 4, DAMP_LESS = 0.25;
// What a unit of dr adds to du in bilateral rows, in units of their weight: B must be regular.
static const double BILATERAL_ALPHA = 1e-9;
static const double FIRST_ALPHA = 0.1, LEAST_ALPHA = 1e-8, MOST_ALPHA = 100;

typedef struct Path {
    double *A, *B, *F;
    double *dr, *du, *u; // u: a variable of its own, W r + q in the end
    double *gap;         // W r + q − u
    double *scaling;     // NT scaling of each contact: w̄ and the factor, 4 a contact
    double *kept_r;
    FrictionProx prox;
    double start;
    int polishes, short_steps;
    bool damped; // prox.alpha is the damping
} Path;

typedef struct Law {
    size_t d;
    double mu;
    double share; // of the derivative of |u_T|
} Law;

// ---- One contact --------------------------------------------------------------------------------

static double length(size_t d, const double *x)
{
    return d == 3 ? sqrt(x[1] * x[1] + x[2] * x[2]) : fabs(x[1]);
}

// û of u; *minor receives û_N − |û_T| without cancellation.
static void hat_u(size_t d, double mu, const double *u, double *hat, double *minor)
{
    double slip = length(d, u);
    *minor = u[0] / mu;
    hat[0] = *minor + slip;
    for (size_t k = 1; k < d; k++)
        hat[k] = u[k];
}

static void hat_r(size_t d, double mu, const double *r, double *hat, double *minor)
{
    hat[0] = mu * r[0];
    for (size_t k = 1; k < d; k++)
        hat[k] = r[k];
    *minor = hat[0] - length(d, r);
}

// Scaling point w̄ (d entries) and η² of r̂, û, with η² (2 w̄ w̄ᵀ − J) û = r̂; at scaling[3].
static void scale(size_t d, const double *r, double r_minor, const double *u, double u_minor,
                  double *scaling)
{
    double r_root = sqrt(r_minor * (r[0] + length(d, r)));
    double u_root = sqrt(u_minor * (u[0] + length(d, u)));
    double dot = 0;
    for (size_t k = 0; k < d; k++)
        dot += r[k] / r_root * (u[k] / u_root);
    double gamma = sqrt(0.5 * (1 + dot));
    for (size_t k = 0; k < d; k++)
        scaling[k] = 0.5 * (r[k] / r_root + (k ? -1 : 1) * u[k] / u_root) / gamma;
    scaling[3] = r_root / u_root;
}

// y = V x (power 1) or V⁻¹ x (power −1), V = η [w̄0 w̄1ᵀ; w̄1 1 + w̄1 w̄1ᵀ/(1 + w̄0)].
static void apply_scaling(size_t d, const double *w, int power, const double *x, double *y)
{
    double sign = power > 0 ? 1 : -1, eta = sqrt(w[3]), dot = 0;
    for (size_t k = 1; k < d; k++)
        dot += w[k] * x[k];
    double factor = power > 0 ? eta : 1 / eta;
    double first = w[0] * x[0] + sign * dot;
    double along = sign * x[0] + dot / (1 + w[0]);
    y[0] = factor * first;
    for (size_t k = 1; k < d; k++)
        y[k] = factor * (x[k] + w[k] * along);
}

// x with λ ∘ x = y.
static void divide(size_t d, const double *lambda, const double *y, double *x)
{
    double square = 0, dot = 0;
    for (size_t k = 1; k < d; k++) {
        square += lambda[k] * lambda[k];
        dot += lambda[k] * y[k];
    }
    double root = sqrt(square);
    double determinant = (lambda[0] - root) * (lambda[0] + root);
    x[0] = (lambda[0] * y[0] - dot) / determinant;
    for (size_t k = 1; k < d; k++)
        x[k] = (y[k] - lambda[k] * x[0]) / lambda[0];
}

// Columns of û's derivative. Of the derivative of |u_T| a part counts fully, and the rest by
// |u_T|/û_N: all of it in slip; less where the direction of a vanishing slip means little.
static void slip_row(Law law, const double *u, double *row)
{
    double minor, hat[3];
    hat_u(law.d, law.mu, u, hat, &minor);
    row[0] = 1 / law.mu;
    double slip = length(law.d, u), share = 0;
    if (slip > 0 && hat[0] > 0)
        share = law.share / slip + (1 - law.share) / hat[0];
    for (size_t k = 1; k < law.d; k++)
        row[k] = share * u[k];
}

// A = Q dû/du and B = dr̂/dr.
static void linearize(Law law, const double *r, const double *u, double *A, double *B,
                      double *scaling)
{
    size_t d = law.d;
    double mu = law.mu;
    memset(A, 0, d * d * sizeof *A);
    memset(B, 0, d * d * sizeof *B);
    for (size_t k = 0; k < d; k++)
        B[k * d + k] = 1;
    if (mu == 0) {
        A[0] = r[0] / u[0];
        return;
    }
    double x[3], y[3], x_minor, y_minor, row[3];
    hat_r(d, mu, r, x, &x_minor);
    hat_u(d, mu, u, y, &y_minor);
    scale(d, x, x_minor, y, y_minor, scaling);
    slip_row(law, u, row);
    B[0] = mu;
    for (size_t i = 0; i < d; i++) {
        double first = 2 * scaling[i] * scaling[0] - (i == 0 ? 1 : 0);
        for (size_t j = 0; j < d; j++) {
            double plain = j == 0 ? 0 : 2 * scaling[i] * scaling[j] + (i == j ? 1 : 0);
            A[i * d + j] = scaling[3] * (first * row[j] + plain);
        }
    }
}

// F = r̂ − V (λ \ (τ e − x)), where x = (V⁻¹ dr̂) ∘ (V dû) of the predictor, or 0 (dr NULL).
static void right_side(Law law, const double *r, const double *u, const double *w, double tau,
                       const double *dr, const double *du, double *F)
{
    size_t d = law.d;
    double mu = law.mu;
    if (mu == 0) {
        F[0] = r[0] - (tau - (dr ? dr[0] * du[0] : 0)) / u[0];
        for (size_t k = 1; k < d; k++)
            F[k] = r[k];
        return;
    }
    double x[3], hat[3], minor, lambda[3], target[3] = {tau, 0, 0};
    hat_u(d, mu, u, hat, &minor);
    apply_scaling(d, w, 1, hat, lambda);
    if (dr) {
        double a[3], b[3], change[3], row[3];
        hat_r(d, mu, dr, change, &minor);
        apply_scaling(d, w, -1, change, a);
        slip_row(law, u, row);
        change[0] = 0;
        for (size_t k = 0; k < d; k++)
            change[0] += row[k] * du[k];
        for (size_t k = 1; k < d; k++)
            change[k] = du[k];
        apply_scaling(d, w, 1, change, b);
        target[0] -= a[0] * b[0];
        for (size_t k = 1; k < d; k++) {
            target[0] -= a[k] * b[k];
            target[k] -= a[0] * b[k] + b[0] * a[k];
        }
    }
    divide(d, lambda, target, x);
    apply_scaling(d, w, 1, x, target);
    hat_r(d, mu, r, hat, &minor);
    for (size_t k = 0; k < d; k++)
        F[k] = hat[k] - target[k];
}

// u = 0, for a variable u that follows W r + q: nothing bends here.
static void linearize_bilateral(const Friction *f, size_t i, double *A, double *B)
{
    size_t d = (size_t)f->d;
    memset(A, 0, d * d * sizeof *A);
    memset(B, 0, d * d * sizeof *B);
    for (size_t k = 0; k < d; k++) {
        bool dead = f->dead[i * d + k];
        A[k * d + k] = dead ? 0 : 1 / f->weight[i];
        B[k * d + k] = dead ? 1 : BILATERAL_ALPHA;
    }
}

static void right_bilateral(const Friction *f, size_t i, const double *u, double *F)
{
    size_t d = (size_t)f->d;
    for (size_t k = 0; k < d; k++)
        F[k] = f->dead[i * d + k] ? 0 : u[k] / f->weight[i];
}

// r·ũ of a contact.
static double product(size_t d, double mu, const double *r, const double *u)
{
    double sum = r[0] * (u[0] + mu * length(d, u));
    for (size_t k = 1; k < d; k++)
        sum += r[k] * u[k];
    return sum;
}

// Longest step in [0, 1] that keeps u_N > 0 and r in the interior.
static double longest(size_t d, double mu, const double *r, const double *u, const double *dr,
                      const double *du)
{
    double step = 1;
    if (du[0] < 0)
        step = fmin(step, -u[0] / du[0]);
    if (dr[0] < 0)
        step = fmin(step, -r[0] / dr[0]);
    if (mu == 0)
        return step;
    // |r_T + s dr_T|² = μ² (r_N + s dr_N)²
    double tangent = length(d, r);
    double c = (mu * r[0] - tangent) * (mu * r[0] + tangent), b = mu * mu * r[0] * dr[0];
    double a = mu * mu * dr[0] * dr[0];
    for (size_t k = 1; k < d; k++) {
        b -= r[k] * dr[k];
        a -= dr[k] * dr[k];
    }
    double discriminant = b * b - a * c;
    if (discriminant < 0)
        return step;
    double root = sqrt(discriminant), half = b > 0 ? -(b + root) : -(b - root);
    double first = a != 0 ? half / a : -1, second = half != 0 ? c / half : -1;
    if (first > 0)
        step = fmin(step, first);
    if (second > 0)
        step = fmin(step, second);
    return step;
}

// ---- All contacts -------------------------------------------------------------------------------

static double total(const Friction *f, const Path *path)
{
    double sum = 0;
    size_t d = (size_t)f->d;
    for (size_t i = 0; i < (size_t)f->c; i++)
        if (f->kind[i] == SPRAG_FRICTION_CONTACT)
            sum += product(d, f->mu[i], f->r + i * d, path->u + i * d);
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
        sum += product(d, f->mu[i], r, u);
    }
    return f->c > f->joints ? sum / (f->c - f->joints) : 0;
}

static double longest_step(const Friction *f, const Path *path)
{
    double step = 1;
    size_t d = (size_t)f->d;
    for (size_t i = 0; i < (size_t)f->c; i++)
        if (f->kind[i] == SPRAG_FRICTION_CONTACT)
            step = fmin(step, longest(d, f->mu[i], f->r + i * d, path->u + i * d, path->dr + i * d,
                                      path->du + i * d));
    return step;
}

static Law law_of(const Friction *f, const Path *path, size_t i)
{
    return (Law){(size_t)f->d, f->mu[i], path->damped ? DAMPED_SHARE : SLIP_SHARE};
}

// Direction towards τ; corrected by what the predictor in (dr, du) left out, if `corrected`.
static void direction(Friction *f, Path *path, double tau, bool corrected, bool refined)
{
    size_t d = (size_t)f->d;
    for (size_t i = 0; i < (size_t)f->c; i++) {
        double *F = path->F + i * d;
        const double *A = path->A + i * d * d;
        if (f->kind[i] == SPRAG_FRICTION_CONTACT)
            right_side(law_of(f, path, i), f->r + i * d, path->u + i * d, path->scaling + 4 * i,
                       tau, corrected ? path->dr + i * d : NULL, path->du + i * d, F);
        else
            right_bilateral(f, i, path->u + i * d, F);
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
        hat_r(d, mu, r, hat, &minor);
        r[0] += fmax(0, depth - minor) / mu;
        hat_r(d, mu, r, hat, &minor);
        double determinant = minor * (hat[0] + length(d, r));
        for (size_t k = 1; k < d; k++)
            u[k] = -tau * hat[k] / determinant;
        // û_N − |û_T| = τ/(r̂_N + |r̂_T|)
        u[0] = mu * tau / (hat[0] + length(d, r));
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
            linearize(law_of(f, path, i), f->r + i * d, path->u + i * d, path->A + i * d * d,
                      path->B + i * d * d, path->scaling + 4 * i);
        else
            linearize_bilateral(f, i, path->A + i * d * d, path->B + i * d * d);
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
static SpragStatus follow_damped(Friction *f, Path *path, bool *solved, int *done)
{
    memset(f->r, 0, f->size * sizeof *f->r);
    path->damped = true;
    path->prox.alpha = FIRST_DAMPING;
    SpragStatus status = follow(f, path, DAMPED_STEPS, 0, solved, done);
    path->damped = false;
    path->prox.alpha = 0;
    return status;
}

SpragStatus friction_interior(Friction *f, FrictionPaths paths, int limit,
                              SpragFrictionStatus *status, int *done)
{
    static const double starts[STARTS] = {1, 10, 0.1, 3, 0.3, 30};
    Path path = {0};
    SPRAG_TRY(allocate(f, &path));
    bool solved = false;
    *status = SPRAG_FRICTION_STALLED;
    int first = paths == FRICTION_PATHS_OTHER ? 1 : 0;
    int count = paths == FRICTION_PATHS_FIRST    ? 1
                : paths == FRICTION_PATHS_DAMPED ? 0
                : f->c > MANY_CONTACTS           ? FEW_STARTS
                                                 : STARTS;
    for (int k = first; k < count && !solved; k++) {
        path.start = starts[k];
        path.short_steps = 0;
        memset(f->r, 0, f->size * sizeof *f->r);
        SPRAG_TRY(follow(f, &path, 5 * limit / 2, 0, &solved, done));
        if (!solved)
            SPRAG_TRY(polish(f, &path, &solved));
    }
    path.start = 1;
    if (paths == FRICTION_PATHS_DAMPED || (paths == FRICTION_PATHS_ALL && !solved))
        SPRAG_TRY(follow_damped(f, &path, &solved, done));
    if ((paths == FRICTION_PATHS_ALL || paths == FRICTION_PATHS_OTHER) && !solved)
        SPRAG_TRY(proximal(f, &path, PROXIMAL_SHARE * limit, &solved, done));
    if (f->best_residual <= f->settings.tolerance)
        *status = SPRAG_FRICTION_SOLVED;
    return SPRAG_OK;
}
