// impact_friction_interior.c: the strictly convex problem of friction at rest, from any start.
// Problem   min ½ fᵀ H f + qᵀ f over |f_i| ≤ r_i with H positive definite
// Method    primal-dual interior points on c_i = (r_i² − |f_i|²)/2 ≥ 0 with multipliers s_i:
//           H f + q + s_i f_i = 0, s_i c_i = μ r_i → 0 (a product with the scale of each: bounds
//           may differ by many orders). Each step solves
//             (H + s_i + (s_i/c_i) f_i f_iᵀ) Δf = −(H f + q) − f_i μ r_i/c_i,
//           positive definite, once with μ = 0 to see how far that goes and once with the μ that it
//           can bear. Newton on the projections has no such matrix where a contact is nearly at
//           rest at its bound and others hold it: there it gains nothing, and sweeps take for ever
#include <float.h>
#include <math.h>
#include <string.h>

#include "impact_friction.h"

enum { MAX_STEPS = 60, MAX_SHORTENINGS = 30 };
// Products s_i c_i / r_i are no less than this part of their mean.
static const double TOGETHER = 1e-3;
// A step leaves this part of the way to the border, or less near the end.
static const double LEFT = 0.005;
// Products are no less than this part of what H f + q + s f is off zero: with multipliers that have
// gone before (from f = 0 they may go all the way in one step) nothing holds f off the borders.
static const double BEHIND = 0.1;
// At least this part of LEFT, so that no multiplier becomes zero.
static const double LEAST_LEFT = 1e-3;
// H f + q + s f below this part of its terms is none.
static const double BALANCED = 16 * DBL_EPSILON;
// s_i c_i below this part of sizes is none: where both vanish each is about its root.
static const double COMPLEMENTARY = 1e-28;

typedef struct Interior {
    const ImpactDiscs *d;
    double *s, *c;  // a disc
    double *M, *by; // rows², rows
} Interior;

// M = L Lᵀ in its lower part.
static bool factor(int n, double *M)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = M[i * n + j];
            for (int k = 0; k < j; k++)
                sum -= M[i * n + k] * M[j * n + k];
            if (j < i)
                M[i * n + j] = sum / M[j * n + j];
            else if (!(sum > 0))
                return false;
            else
                M[i * n + i] = sqrt(sum);
        }
    return true;
}

static void solve(int n, const double *L, double *x)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            x[i] -= L[i * n + k] * x[k];
        x[i] /= L[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            x[i] -= L[k * n + i] * x[k];
        x[i] /= L[i * n + i];
    }
}

static double dot(const double *a, const double *b, int n)
{
    return n == 2 ? a[0] * b[0] + a[1] * b[1] : n == 1 ? a[0] * b[0] : 0;
}

static bool build(const Interior *p)
{
    const ImpactDiscs *d = p->d;
    int n = d->rows;
    memcpy(p->M, d->H, (size_t)n * (size_t)n * sizeof *p->M);
    for (int i = 0, r = 0; i < d->count; r += d->size[i], i++)
        for (int k = 0; k < d->size[i]; k++)
            for (int l = 0; l < d->size[i]; l++)
                p->M[(r + k) * n + r + l] +=
                    (k == l ? p->s[i] : 0) + p->s[i] / p->c[i] * d->f[r + k] * d->f[r + l];
    return factor(n, p->M);
}

// by = Δf for this μ.
static void direct(const Interior *p, double mu)
{
    const ImpactDiscs *d = p->d;
    for (int i = 0, r = 0; i < d->count; i++)
        for (int k = 0; k < d->size[i]; k++, r++) {
            double sum = d->q[r] + d->f[r] * mu * d->bound[i] / p->c[i];
            for (int j = 0; j < d->rows; j++)
                sum += d->H[r * d->rows + j] * d->f[j];
            p->by[r] = -sum;
        }
    solve(d->rows, p->M, p->by);
}

static double multiplier_step(const Interior *p, int i, int r, double mu)
{
    double along = dot(p->d->f + r, p->by + r, p->d->size[i]);
    return (mu * p->d->bound[i] - p->s[i] * p->c[i] + p->s[i] * along) / p->c[i];
}

// The largest step ≤ 1 that leaves a part of every c and s.
static double length(const Interior *p, double mu, double part)
{
    const ImpactDiscs *d = p->d;
    double most = 1;
    for (int i = 0, r = 0; i < d->count; r += d->size[i], i++) {
        double ds = multiplier_step(p, i, r, mu);
        if (ds < 0)
            most = fmin(most, -part * p->s[i] / ds);
        // c − t f·Δf − t² |Δf|²/2 = (1 − part) c
        double b = dot(d->f + r, p->by + r, d->size[i]);
        double a = dot(p->by + r, p->by + r, d->size[i]), room = part * p->c[i];
        if (a > 0)
            most = fmin(most, 2 * room / (b + sqrt(b * b + 2 * a * room)));
    }
    return most;
}

// What the products s_i c_i / r_i are after a step.
typedef struct Products {
    double sum, least;
    bool none; // as good as zero
} Products;

static Products after(const Interior *p, double mu, double t)
{
    const ImpactDiscs *d = p->d;
    Products products = {0, INFINITY, true};
    for (int i = 0, r = 0; i < d->count; r += d->size[i], i++) {
        double b = dot(d->f + r, p->by + r, d->size[i]), a = dot(p->by + r, p->by + r, d->size[i]);
        if (d->size[i] == 0)
            continue;
        double product = (p->c[i] - t * b - t * t * a / 2) *
                         (p->s[i] + t * multiplier_step(p, i, r, mu)) / d->bound[i];
        products.sum += product;
        products.least = fmin(products.least, product);
        products.none &= product <= COMPLEMENTARY * d->slope;
    }
    return products;
}

static void move(const Interior *p, double mu, double t)
{
    const ImpactDiscs *d = p->d;
    for (int i = 0, r = 0; i < d->count; r += d->size[i], i++) {
        p->s[i] += t * multiplier_step(p, i, r, mu);
        for (int k = 0; k < d->size[i]; k++)
            d->f[r + k] += t * p->by[r + k];
    }
}

// The largest part of H f + q + s f.
static double imbalance(const Interior *p)
{
    const ImpactDiscs *d = p->d;
    double most = 0;
    for (int i = 0, r = 0; i < d->count; i++)
        for (int k = 0; k < d->size[i]; k++, r++) {
            double sum = d->q[r] + p->s[i] * d->f[r];
            for (int j = 0; j < d->rows; j++)
                sum += d->H[r * d->rows + j] * d->f[j];
            most = fmax(most, fabs(sum));
        }
    return most;
}

// c, kept above the rounding of r² on the border.
static void find_room(const Interior *p)
{
    const ImpactDiscs *d = p->d;
    for (int i = 0, r = 0; i < d->count; r += d->size[i], i++) {
        double size = sqrt(dot(d->f + r, d->f + r, d->size[i]));
        p->c[i] = fmax(0.5 * (d->bound[i] - size) * (d->bound[i] + size),
                       1e-32 * d->bound[i] * d->bound[i]);
        p->c[i] = d->size[i] > 0 ? p->c[i] : 1;
    }
}

static void begin(const Interior *p)
{
    const ImpactDiscs *d = p->d;
    for (int i = 0, r = 0; i < d->count; r += d->size[i], i++) {
        for (int k = 0; k < d->size[i]; k++)
            d->f[r + k] *= 0.5;
        p->s[i] = d->size[i] > 0 ? d->slope / d->bound[i] : 0;
    }
    find_room(p);
}

// A step that keeps the products together, so that none of the borders is met long before the end.
static double centred_length(const Interior *p, double mu, double part, int active)
{
    double t = length(p, mu, part);
    for (int k = 0; k < MAX_SHORTENINGS; k++) {
        Products products = after(p, mu, t);
        if (products.none || products.least * active >= TOGETHER * products.sum)
            break;
        t *= 0.7;
    }
    return t;
}

void impact_discs_minimise(const ImpactDiscs *d, double *M, double *work)
{
    Interior p = {d, work, work + d->count, M, work + 2 * (size_t)d->count};
    int active = 0;
    for (int i = 0; i < d->count; i++)
        active += d->size[i] > 0;
    begin(&p);
    bool done = active == 0;
    for (int k = 0; k < MAX_STEPS && !done && build(&p); k++) {
        direct(&p, 0);
        double now = after(&p, 0, 0).sum;
        double left = fmin(fmax(after(&p, 0, length(&p, 0, 1)).sum / now, 0), 1);
        double mu =
            fmax(left * left * left * now / active, fmin(BEHIND * imbalance(&p), now / active));
        direct(&p, mu);
        double t = centred_length(&p, mu, 1 - LEFT * fmax(left, LEAST_LEFT), active);
        done = after(&p, mu, t).none;
        move(&p, mu, t);
        find_room(&p);
        done = done && imbalance(&p) <= BALANCED * d->slope;
    }
}
