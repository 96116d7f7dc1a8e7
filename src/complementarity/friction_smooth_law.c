// friction_smooth_law.c: the law of friction, smoothed.
//
// Problem   x = P_t(x − y) with x = w r̂ and y = û, theory.md (11.36): values and derivatives
// Method    P_t is the projection on the cone of Lorentz with every spectral value λ⁺ smoothed to
//           (λ + (λ² + 4 t²)^½)/2, so that x ∘ y = t² e; |u_T| is (|u_T|² + t²)^½ − t in y
// Assumes   t > 0
#include <math.h>
#include <string.h>

#include "friction_smooth.h"

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

double smooth_value(const Friction *f, double t, const double *r, const double *u, double *F)
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

void smooth_linearize(const Friction *f, double t, const double *alpha, const double *r,
                      const double *u, const SmoothSystem *system)
{
    size_t d = (size_t)f->d;
    for (size_t i = 0; i < (size_t)f->c; i++) {
        double *A = system->A + i * d * d, *B = system->B + i * d * d, w = f->weight[i];
        double *rate = system->rate + i * d;
        if (f->kind[i] == SPRAG_FRICTION_CONTACT)
            linearize(d, f->mu[i], w, t, r + i * d, u + i * d, A, B, rate);
        else
            linearize_bilateral(d, w, f->dead + i * d, A, B, rate);
        for (size_t k = 0; k < d * d; k++)
            B[k] += alpha[i] * w * A[k];
    }
}

void smooth_start(Friction *f, double t)
{
    size_t d = (size_t)f->d;
    memset(f->r, 0, f->size * sizeof *f->r);
    for (size_t i = 0; i < (size_t)f->c; i++)
        if (f->kind[i] == SPRAG_FRICTION_CONTACT)
            f->r[i * d] = t / f->weight[i];
    friction_apply(f, f->r, f->u);
}

double smooth_product(const Friction *f, const double *x, const double *y)
{
    size_t d = (size_t)f->d;
    double sum = 0;
    for (size_t i = 0; i < (size_t)f->c; i++)
        for (size_t k = i * d; k < (i + 1) * d; k++)
            sum += f->weight[i] * f->weight[i] * x[k] * y[k];
    return sum;
}
