// impact_friction_space.c: friction at rest in space when normal forces are given.
// Problem   theory.md (10.35): min ½ fᵀ H f + qᵀ f over |f_i| ≤ r_i, convex, so velocities are
//           unique whether or not f is
// Method    steps of the proximal point method from f = 0, which make the problem strictly convex
//           and take the same one of several f at the same state (dependent rows: two corners on
//           one floor); each by semismooth Newton on f − proj(f − γ g), from interior points
//           (impact_friction_interior.c) where Newton gains nothing
#include <float.h>
#include <math.h>
#include <string.h>

#include "impact_friction.h"
#include "sprag/numeric.h"

// Always some proximal steps, so that forces do not depend on when it was near enough.
enum {
    LEAST_PROXIMAL = 3,
    MAX_PROXIMAL = 30,
    MAX_NEWTON = 20,
    MAX_HALVINGS = 4,
    MAX_ROUNDS = 200,
    FEW_ROUNDS = 5
};
static const double SOLVED = 4 * DBL_EPSILON;
// Weight of the proximal term relative to the diagonal: forces that dependent rows leave open have
// the errors of the rows over this, which must be less than the steps of the path allow.
static const double REGULAR = 1e-6;
// Rows that all but depend on each other move along what they leave open by a small part of the way
// a step: behind the first steps the weight falls by this factor with each, down to the least.
static const double WEIGHT_FALLS = 0.1, LEAST_REGULAR = 1e-11;
// Slip rates that are this part of their largest terms are none: what rounding leaves between rows
// that depend on each other is no reason to press them against each other.
static const double SETTLED = 1e-12;
// With the least weight a step that leaves more than this part of what is off is the last.
static const double GAINS = 0.5;

// ---- The problem of the contacts that can do something ------------------------------------------

// In the order of friction->free: H with the proximal weight on its diagonal, q, f.
typedef struct Discs {
    const ImpactFriction *friction;
    int n; // rows
    double *H, *J, *q, *f, *anchor, *g, *F, *trial;
    double slope;   // size of g that counts
    double regular; // weight of the proximal term relative to the diagonal
} Discs;

static int size_of(const ImpactFriction *friction, int i)
{
    return friction->bound[i] > 0 ? friction->tangents[i] : 0;
}

static void gather(const ImpactFriction *friction, int n, const double *W, const double *rate,
                   Discs *d)
{
    int *at = friction->free, m = 0;
    for (int i = 0; i < friction->count; i++)
        for (int k = 0; k < size_of(friction, i); k++)
            at[m++] = friction->row[i] + k;
    d->friction = friction;
    d->n = m;
    d->H = friction->H;
    d->J = friction->factor;
    d->q = friction->work;
    d->f = d->q + m;
    d->anchor = d->f + m;
    d->g = d->anchor + m;
    d->F = d->g + m;
    d->trial = d->F + m;
    d->slope = 0;
    for (int i = 0; i < m; i++) {
        double sum = 0, size = 0;
        for (int j = 0; j < n; j++) {
            sum += W[at[i] * n + j] * rate[j];
            size += fabs(W[at[i] * n + j] * rate[j]);
        }
        d->q[i] = sum;
        d->f[i] = d->anchor[i] = 0;
        d->slope = fmax(d->slope, size);
        for (int j = 0; j < m; j++)
            d->H[i * m + j] = W[at[i] * n + at[j]];
    }
    for (int i = 0, r = 0; i < friction->count; i++) {
        double trace = 0;
        for (int k = 0; k < size_of(friction, i); k++, r++)
            trace = fmax(trace, d->H[r * (m + 1)]);
        friction->weight[i] = trace > 0 ? trace : 1;
        d->slope = fmax(d->slope, trace * friction->bound[i]);
    }
    for (int r = 0; r < m; r++)
        d->q[r] = fabs(d->q[r]) <= SETTLED * d->slope ? 0 : d->q[r];
}

// g = H f + q, with the proximal term or without.
static void gradient(const Discs *d, const double *f, bool proximal, double *g)
{
    const ImpactFriction *friction = d->friction;
    for (int i = 0, r = 0; i < friction->count; i++)
        for (int k = 0; k < size_of(friction, i); k++, r++) {
            double sum = d->q[r];
            for (int j = 0; j < d->n; j++)
                sum += d->H[r * d->n + j] * f[j];
            g[r] = sum + (proximal ? d->regular * friction->weight[i] * (f[r] - d->anchor[r]) : 0);
        }
}

// F = f − proj(f − g/weight); returns its largest part beyond the rounding of g, relative to the
// bounds.
static double natural_map(const Discs *d, const double *f, const double *g, double *F)
{
    const ImpactFriction *friction = d->friction;
    double largest = 0;
    for (int i = 0, r = 0; i < friction->count; r += size_of(friction, i), i++) {
        double z[2] = {0}, bound = friction->bound[i];
        double rounding = 4 * DBL_EPSILON * d->slope / friction->weight[i];
        int m = size_of(friction, i);
        for (int k = 0; k < m; k++)
            z[k] = f[r + k] - g[r + k] / friction->weight[i];
        double length = hypot(z[0], z[1]), part = length > bound ? bound / length : 1;
        for (int k = 0; k < m; k++) {
            F[r + k] = f[r + k] - part * z[k];
            largest = fmax(largest, (fabs(F[r + k]) - rounding) / bound);
        }
    }
    return largest;
}

// J of the natural map with the proximal term: I − P (I − (H + …)/weight).
static void newton_matrix(const Discs *d)
{
    const ImpactFriction *friction = d->friction;
    int n = d->n;
    for (int i = 0, r = 0; i < friction->count; r += size_of(friction, i), i++) {
        int m = size_of(friction, i);
        double z[2] = {0}, bound = friction->bound[i], weight = friction->weight[i];
        double P[2][2] = {{1, 0}, {0, 1}};
        for (int k = 0; k < m; k++)
            z[k] = d->f[r + k] - d->g[r + k] / weight;
        double length = hypot(z[0], z[1]);
        for (int k = 0; k < m && length > bound; k++)
            for (int l = 0; l < m; l++)
                P[k][l] = bound / length * ((k == l) - z[k] * z[l] / (length * length));
        for (int k = 0; k < m; k++)
            for (int j = 0; j < n; j++) {
                double sum = r + k == j;
                for (int l = 0; l < m; l++) {
                    double own = r + l == j ? 1 - d->regular : 0;
                    sum -= P[k][l] * (own - d->H[(r + l) * n + j] / weight);
                }
                d->J[(r + k) * n + j] = sum;
            }
    }
}

// One sweep of exact blocks; returns how far forces moved, relative to their bounds.
static double sweep(const Discs *d)
{
    const ImpactFriction *friction = d->friction;
    int n = d->n;
    double moved = 0;
    for (int i = 0, r = 0; i < friction->count; r += size_of(friction, i), i++) {
        int m = size_of(friction, i);
        double more = d->regular * friction->weight[i], bound = friction->bound[i];
        double q[2] = {0}, f[2] = {0};
        for (int k = 0; k < m; k++) {
            q[k] = d->q[r + k] - more * d->anchor[r + k];
            for (int j = 0; j < n; j++)
                q[k] += j < r || j >= r + m ? d->H[(r + k) * n + j] * d->f[j] : 0;
        }
        const double *H = d->H + (size_t)r * (size_t)n + r;
        if (m == 1) {
            f[0] = fmin(fmax(-q[0] / (H[0] + more), -bound), bound);
        } else if (m == 2) {
            double h[3] = {H[0] + more, H[1], H[n + 1] + more};
            impact_friction_disc(h, q, bound, f);
        }
        double rounding = 4 * DBL_EPSILON * d->slope / friction->weight[i];
        for (int k = 0; k < m; k++) {
            moved = fmax(moved, (fabs(f[k] - d->f[r + k]) - rounding) / bound);
            d->f[r + k] = f[k];
        }
    }
    return moved;
}

// A Newton step from d->f, whose residual is given, halved until it gains; false: it does not.
static bool newton_step(const Discs *d, double *residual)
{
    int n = d->n, *rows = d->friction->order, *columns = rows + n, sign;
    newton_matrix(d);
    if (sprag_lu_factor(n, d->J, 1e-15, rows, columns, &sign) < n)
        return false;
    double *step = d->trial;
    sprag_lu_solve(n, d->J, rows, columns, d->F, step);
    double part = 1;
    for (int halving = 0; halving <= MAX_HALVINGS; halving++, part /= 2) {
        double *f = d->J; // no longer needed
        for (int i = 0; i < n; i++)
            f[i] = d->f[i] - part * step[i];
        gradient(d, f, true, d->g);
        double now = natural_map(d, f, d->g, d->F);
        if (!(now < (halving == 0 ? 1 : 0.7) * *residual))
            continue;
        memcpy(d->f, f, (size_t)n * sizeof *f);
        *residual = now;
        return true;
    }
    return false;
}

// Whether Newton's steps end it.
static bool follow_newton(const Discs *d)
{
    for (int i = 0; i < MAX_NEWTON; i++) {
        gradient(d, d->f, true, d->g);
        double residual = natural_map(d, d->f, d->g, d->F);
        if (residual <= SOLVED)
            return true;
        if (!newton_step(d, &residual))
            return false;
    }
    return false;
}

// From interior points, for a start.
static void enter(const Discs *d)
{
    const ImpactFriction *friction = d->friction;
    int n = d->n, *size = friction->order + 4 * (size_t)friction->count;
    double *q = d->trial, *H = d->H;
    for (int i = 0, r = 0; i < friction->count; i++) {
        size[i] = size_of(friction, i);
        for (int k = 0; k < size[i]; k++, r++) {
            double more = d->regular * friction->weight[i];
            H[r * (n + 1)] += more;
            q[r] = d->q[r] - more * d->anchor[r];
            d->f[r] = d->anchor[r];
        }
    }
    ImpactDiscs discs = {friction->count, n, size, H, q, friction->bound, d->slope, d->f};
    impact_discs_minimise(&discs, d->J, d->trial + n);
    for (int i = 0, r = 0; i < friction->count; i++)
        for (int k = 0; k < size[i]; k++, r++)
            H[r * (n + 1)] -= d->regular * friction->weight[i];
}

// The strictly convex problem around the anchor.
static void solve_proximal(const Discs *d)
{
    if (follow_newton(d))
        return;
    enter(d);
    // contacts that press much less than others are where they belong after a sweep
    int rounds = d->regular < REGULAR ? FEW_ROUNDS : MAX_ROUNDS;
    for (int round = 0; round < rounds && !follow_newton(d); round++)
        if (sweep(d) <= SOLVED)
            return;
}

// How far contacts are from being within their bounds and at rest, or at their bounds and against
// their slip, relative to the size of slip rates.
static double unsettled(const Discs *d)
{
    const ImpactFriction *friction = d->friction;
    double most = 0, small = SETTLED * d->slope;
    gradient(d, d->f, false, d->g);
    for (int i = 0, r = 0; i < friction->count; r += size_of(friction, i), i++) {
        double speed = 0, force = 0, bound = friction->bound[i];
        for (int k = 0; k < size_of(friction, i); k++) {
            speed = hypot(speed, d->g[r + k]);
            force = hypot(force, d->f[r + k]);
        }
        most = fmax(most, (force - bound) * friction->weight[i]);
        for (int k = 0; k < size_of(friction, i) && speed > small; k++)
            most = fmax(most, fabs(d->f[r + k] * speed / bound + d->g[r + k]));
    }
    return most / d->slope;
}

void impact_friction_solve_space(const ImpactFriction *friction, int n, const double *W,
                                 double *rate)
{
    Discs d;
    for (int i = 0; i < friction->count; i++)
        for (int k = 0; k < friction->tangents[i]; k++)
            rate[friction->row[i] + k] = 0;
    gather(friction, n, W, rate, &d);
    double left = INFINITY;
    d.regular = REGULAR;
    for (int step = 0; d.n > 0 && step < MAX_PROXIMAL; step++) {
        solve_proximal(&d);
        double now = step + 1 >= LEAST_PROXIMAL ? unsettled(&d) : INFINITY;
        // friction that is just enough for rest is found no better than roundings allow
        if (now <= SETTLED || (d.regular <= LEAST_REGULAR && now > GAINS * left))
            break;
        if (step + 1 >= LEAST_PROXIMAL)
            d.regular = fmax(WEIGHT_FALLS * d.regular, LEAST_REGULAR);
        left = now;
        memcpy(d.anchor, d.f, (size_t)d.n * sizeof *d.f);
    }
    // what is beyond a bound is rounding of larger forces
    for (int i = 0, r = 0; i < friction->count; r += size_of(friction, i), i++) {
        int m = size_of(friction, i);
        double length = m == 2 ? hypot(d.f[r], d.f[r + 1]) : m == 1 ? fabs(d.f[r]) : 0;
        double part = length > friction->bound[i] ? friction->bound[i] / length : 1;
        for (int k = 0; k < m; k++)
            rate[friction->free[r + k]] = part * d.f[r + k];
    }
}
