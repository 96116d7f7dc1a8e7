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

#include "friction_internal.h"

enum { HALVINGS = 12, MOST_FAILURES = 3, WHOLE_TRIALS = 3, POLISH_STEPS = 12 };
// Lengths of steps; how they grow.
static const double FIRST_STEP = 1, LEAST_STEP = 1e-3, MOST_STEP = 50, STEP_GROWS = 1.7;
// Points count as on the path where the mean of |F| is below this part of t.
static const double NEAR = 0.5;
// A length of one is a change of t by e, or of all forces by the root of this in units of t.
static const double LENGTH = 10;
// t at the start, in units of the mean of |q|, and at the end.
static const double FIRST_T = 3, LAST_T = 1e-11;
static const double LEAST_ALPHA = 1e-9;
// Newton steps are tried below this residual, and again whenever it has fallen by that factor.
static const double FIRST_POLISH = 1e-3, NEXT_POLISH = 0.1;

typedef struct Smooth {
    double *A, *B, *F, *rate; // linearisation; rate: dF/d ln t
    double *a, *b, *du;       // correction, tangent
    double *r, *u, *kept;     // trial
    double t, step;
    double alpha; // what a unit of dr adds to du, in units of the weight
    int failures; // corrections in a row that did not help
    int first;    // sign of the determinant where the path begins
} Smooth;

// p(λ) = (λ + (λ² + 4 t²)^½)/2 without cancellation, and its derivative.
static double positive(double lambda, double root, double t)
{
    return lambda > 0 ? 0.5 * (lambda + root) : 2 * t * t / (root - lambda);
}

static double slope(double lambda, double root, double t)
{
    return positive(lambda, root, t) / root;
}

// What P_t does to z: its value, derivative (plain, and 1 less it), and rate with ln t.
typedef struct Spectrum {
    double n[2];
    double value[2], slope[2], rest[2]; // of the two spectral values; 1 − slope
    double across, across_rest;         // of the tangent normal to z_T
    double rate[2];
} Spectrum;

static Spectrum spectrum(size_t d, const double *z, double t)
{
    Spectrum s = {.n = {1, 0}};
    double length = d == 3 ? hypot(z[1], z[2]) : fabs(z[1]), root[2], lambda[2];
    for (size_t k = 1; k < d && length > 0; k++)
        s.n[k - 1] = z[k] / length;
    for (int k = 0; k < 2; k++) {
        lambda[k] = k ? z[0] - length : z[0] + length;
        root[k] = sqrt(lambda[k] * lambda[k] + 4 * t * t);
        s.value[k] = positive(lambda[k], root[k], t);
        s.slope[k] = slope(lambda[k], root[k], t);
        s.rest[k] = slope(-lambda[k], root[k], t);
        s.rate[k] = 2 * t * t / root[k];
    }
    double sum = root[0] + root[1];
    s.across = (s.value[0] + s.value[1]) / sum;
    s.across_rest = (positive(-lambda[0], root[0], t) + positive(-lambda[1], root[1], t)) / sum;
    return s;
}

// The matrix with spectral values g, and h across.
static void spread(size_t d, const double *n, const double g[2], double h, double *D)
{
    double mean = 0.5 * (g[0] + g[1]), half = 0.5 * (g[0] - g[1]);
    D[0] = mean;
    for (size_t i = 1; i < d; i++) {
        D[i] = D[i * d] = half * n[i - 1];
        for (size_t k = 1; k < d; k++) {
            double along = n[i - 1] * n[k - 1];
            D[i * d + k] = mean * along + (d == 3 ? h * ((i == k) - along) : 0);
        }
    }
}

static void point_z(size_t d, double mu, double w, double t, const double *r, const double *u,
                    double *x, double *y)
{
    double slip = d == 3 ? hypot(u[1], u[2]) : fabs(u[1]);
    x[0] = mu * w * r[0];
    y[0] = u[0] / mu + slip * slip / (sqrt(slip * slip + t * t) + t);
    for (size_t k = 1; k < d; k++) {
        x[k] = w * r[k];
        y[k] = u[k];
    }
}

static void value_of(size_t d, double mu, double w, double t, const double *r, const double *u,
                     double *F)
{
    double x[3], y[3], z[3];
    if (mu == 0) {
        double lambda = w * r[0] - u[0];
        F[0] = w * r[0] - positive(lambda, sqrt(lambda * lambda + 4 * t * t), t);
        for (size_t k = 1; k < d; k++)
            F[k] = w * r[k];
        return;
    }
    point_z(d, mu, w, t, r, u, x, y);
    for (size_t k = 0; k < d; k++)
        z[k] = x[k] - y[k];
    Spectrum s = spectrum(d, z, t);
    F[0] = x[0] - 0.5 * (s.value[0] + s.value[1]);
    for (size_t k = 1; k < d; k++)
        F[k] = x[k] - 0.5 * (s.value[0] - s.value[1]) * s.n[k - 1];
}

static void linearize_free(size_t d, double w, double t, const double *r, const double *u,
                           double *A, double *B, double *rate)
{
    double lambda = w * r[0] - u[0], root = sqrt(lambda * lambda + 4 * t * t);
    A[0] = slope(lambda, root, t);
    B[0] = w * slope(-lambda, root, t);
    rate[0] = -2 * t * t / root;
    for (size_t k = 1; k < d; k++)
        B[k * d + k] = w;
}

static void linearize(size_t d, double mu, double w, double t, const double *r, const double *u,
                      double *A, double *B, double *rate)
{
    memset(A, 0, d * d * sizeof *A);
    memset(B, 0, d * d * sizeof *B);
    memset(rate, 0, d * sizeof *rate);
    if (mu == 0) {
        linearize_free(d, w, t, r, u, A, B, rate);
        return;
    }
    double x[3], y[3], z[3], P[9], rest[9];
    point_z(d, mu, w, t, r, u, x, y);
    for (size_t k = 0; k < d; k++)
        z[k] = x[k] - y[k];
    Spectrum s = spectrum(d, z, t);
    spread(d, s.n, s.slope, s.across, P);
    spread(d, s.n, s.rest, s.across_rest, rest);
    double slip = d == 3 ? hypot(u[1], u[2]) : fabs(u[1]), soft = sqrt(slip * slip + t * t);
    for (size_t i = 0; i < d; i++) {
        A[i * d] = P[i * d] / mu;
        B[i * d] = rest[i * d] * mu * w;
        for (size_t k = 1; k < d; k++) {
            A[i * d + k] = P[i * d + k] + P[i * d] * u[k] / soft;
            B[i * d + k] = rest[i * d + k] * w;
        }
        // of (|u_T|² + t²)^½ − t with ln t
        rate[i] = P[i * d] * t * (t / soft - 1);
    }
    rate[0] -= 0.5 * (s.rate[0] + s.rate[1]);
    for (size_t k = 1; k < d; k++)
        rate[k] -= 0.5 * (s.rate[0] - s.rate[1]) * s.n[k - 1];
}

static void linearize_bilateral(size_t d, double w, const unsigned char *dead, double *A, double *B,
                                double *rate)
{
    memset(A, 0, d * d * sizeof *A);
    memset(B, 0, d * d * sizeof *B);
    memset(rate, 0, d * sizeof *rate);
    for (size_t k = 0; k < d; k++) {
        A[k * d + k] = dead[k] ? 0 : 1;
        B[k * d + k] = dead[k] ? w : 0;
    }
}

// Mean of |F| of a contact.
static double value_all(const Friction *f, double t, const double *r, const double *u, double *F)
{
    size_t d = (size_t)f->d;
    double sum = 0;
    for (size_t i = 0; i < (size_t)f->c; i++) {
        double *own = F + i * d;
        if (f->kind[i] == SPRAG_FRICTION_CONTACT)
            value_of(d, f->mu[i], f->weight[i], t, r + i * d, u + i * d, own);
        for (size_t k = 0; f->kind[i] != SPRAG_FRICTION_CONTACT && k < d; k++)
            own[k] = f->dead[i * d + k] ? f->weight[i] * r[i * d + k] : u[i * d + k];
        for (size_t k = 0; k < d; k++)
            sum += own[k] * own[k];
    }
    return sqrt(sum / f->c);
}

static void linearize_all(const Friction *f, Smooth *s)
{
    size_t d = (size_t)f->d;
    for (size_t i = 0; i < (size_t)f->c; i++) {
        double *A = s->A + i * d * d, *B = s->B + i * d * d, w = f->weight[i];
        if (f->kind[i] == SPRAG_FRICTION_CONTACT)
            linearize(d, f->mu[i], w, s->t, f->r + i * d, f->u + i * d, A, B, s->rate + i * d);
        else
            linearize_bilateral(d, w, f->dead + i * d, A, B, s->rate + i * d);
        for (size_t k = 0; k < d * d; k++)
            B[k] += s->alpha * w * A[k];
    }
}

// Product of two vectors of forces in units of velocity.
static double product(const Friction *f, const double *x, const double *y)
{
    size_t d = (size_t)f->d;
    double sum = 0;
    for (size_t i = 0; i < (size_t)f->c; i++)
        for (size_t k = i * d; k < (i + 1) * d; k++)
            sum += f->weight[i] * f->weight[i] * x[k] * y[k];
    return sum;
}

// Sign of the determinant of the derivative of all F by r, theory.md (11.19).
static int sign_of(const Friction *f, const Smooth *s)
{
    int sign = sprag_sparse_lu_sign(f->workspace->lu);
    size_t d = (size_t)f->d;
    for (size_t i = 0; f->bodies && i < (size_t)f->c; i++) {
        const double *B = s->B + i * d * d;
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
    return value_all(f, s->t * exp(change), s->r, s->u, s->F);
}

// Correction and tangent at the point, and the way along the path that makes a unit of length:
// negative where t falls. The determinant changes its sign where the path turns.
static bool find_directions(Friction *f, Smooth *s, double *way)
{
    double own = sqrt(product(f, f->r, f->r) / f->c);
    s->alpha = fmax(LEAST_ALPHA, fmin(1, s->t / own));
    linearize_all(f, s);
    if (!friction_linear_factor(f, s->A, s->B))
        return false;
    int sign = sign_of(f, s);
    if (s->first == 0)
        s->first = sign;
    friction_linear_solve(f, s->F, s->a, s->du);
    friction_linear_solve_once(f, s->rate, s->b, s->du);
    double square = product(f, s->b, s->b) / (LENGTH * f->c * s->t * s->t) + 1;
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
    double correction = -product(f, s->b, s->a) / scale * way * way;
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
    double before = value_all(f, s->t, f->r, f->u, s->F), way;
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
    double **arrays[] = {&s->A, &s->B,  &s->F, &s->rate, &s->a,
                         &s->b, &s->du, &s->r, &s->u,    &s->kept};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] =
            sprag_arena_alloc(f->workspace->arena, k < 2 ? c * d * d : f->size, sizeof(double));
        if (!*arrays[k])
            return SPRAG_ERROR_MEMORY;
    }
    return friction_linear_prepare(f);
}

static void start(Friction *f, Smooth *s)
{
    size_t d = (size_t)f->d;
    s->t = FIRST_T * f->norm_q / sqrt(f->c);
    s->step = FIRST_STEP;
    memset(f->r, 0, f->size * sizeof *f->r);
    for (size_t i = 0; i < (size_t)f->c; i++)
        if (f->kind[i] == SPRAG_FRICTION_CONTACT)
            f->r[i * d] = s->t / f->weight[i];
    friction_apply(f, f->r, f->u);
}

SpragStatus friction_smooth(Friction *f, int limit, SpragFrictionStatus *status, int *done)
{
    Smooth s = {0};
    SPRAG_TRY(allocate(f, &s));
    start(f, &s);
    double polish = FIRST_POLISH;
    *status = SPRAG_FRICTION_LIMIT;
    while (*done < limit && s.t > LAST_T * f->norm_q) {
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
