// contact_rubbing.c: friction of several bearings against the slips after a step or a collision.
// Problem   |P_T| ≤ μ |P_N|, P_T = −μ |P_N| sgn s where a slip s is left, theory.md (9.37); s and
//           P_N follow P_T linearly while the normals hold
// Method    the normals are swept out of W; projected sweeps over the bearings, in which each takes
//           what ends its slip as far as its cone goes. Where friction and normals drive each other
//           up (9.1) the end of the slip bounds them
#include <math.h>
#include <string.h>

#include "sprag/contact.h"

enum { MOST_SWEEPS = 400 };
// Changes below this part of the largest impulse are none.
static const double SETTLED = 1e-13;
// A row of which no more is left depends on others.
static const double DEPENDENT = 1e-10;

// The sweep of row g: its unknown and its equation change places.
static void exchange(int rows, int g, double *W)
{
    double pivot = W[g * rows + g];
    for (int a = 0; a < rows; a++)
        for (int b = 0; a != g && b < rows; b++)
            if (b != g)
                W[a * rows + b] -= W[a * rows + g] * W[g * rows + b] / pivot;
    for (int k = 0; k < rows; k++)
        if (k != g) {
            W[g * rows + k] /= pivot;
            W[k * rows + g] /= pivot;
        }
    W[g * rows + g] = -1 / pivot;
}

void sprag_rubbing_sweep(int rows, int count, SpragRubbing *bearings, double *W)
{
    for (int i = 0; i < count; i++) {
        SpragRubbing *b = &bearings[i];
        b->own = 0;
        for (int k = b->first; k < b->first + b->normals + b->tangents; k++)
            b->own = fmax(b->own, W[k * (rows + 1)]);
    }
    for (int i = 0; i < count; i++)
        for (int g = bearings[i].first; g < bearings[i].first + bearings[i].normals; g++) {
            if (W[g * (rows + 1)] > DEPENDENT * bearings[i].own) {
                exchange(rows, g, W);
                continue;
            }
            for (int k = 0; k < rows; k++)
                W[g * rows + k] = W[k * rows + g] = 0;
        }
}

static double limit_of(const SpragRubbing *b, const double *x)
{
    double first = b->normal[0] + x[b->first], second = 0;
    if (b->normals == 2)
        second = b->normal[1] + x[b->first + 1];
    else if (b->shared >= 0)
        second = b->normal[1] + x[b->shared];
    return b->friction * hypot(first, second);
}

static int tangent_of(const SpragRubbing *b)
{
    return b->first + b->normals;
}

static double size_of(const SpragRubbing *b, const double *value)
{
    return b->tangents == 2 ? hypot(value[0], value[1]) : fabs(value[0]);
}

static void into_disc(double limit, double value[2])
{
    double size = hypot(value[0], value[1]), factor = size > limit ? limit / size : 1;
    value[0] *= factor;
    value[1] *= factor;
}

// Friction along two tangents that ends the slip as far as the disc |impulse| ≤ limit goes: with
// S = [s t; t r] the least of ½ p·S p + (u − S now)·p, by projected steps where its free minimum is
// outside.
static void rub_both(const double S[3], const double u[2], const double now[2], double limit,
                     double wanted[2])
{
    double s = S[0], t = S[1], r = S[2], det = s * r - t * t, most = fmax(s, r) + fabs(t);
    bool regular = det > DEPENDENT * s * r;
    for (int k = 0; k < 2; k++)
        wanted[k] = now[k];
    if (regular) {
        wanted[0] -= (r * u[0] - t * u[1]) / det;
        wanted[1] -= (s * u[1] - t * u[0]) / det;
        if (hypot(wanted[0], wanted[1]) <= limit)
            return;
    }
    into_disc(limit, wanted);
    for (int step = 0; step < MOST_SWEEPS; step++) {
        double d[2] = {wanted[0] - now[0], wanted[1] - now[1]}, old[2] = {wanted[0], wanted[1]};
        wanted[0] -= (u[0] + s * d[0] + t * d[1]) / most;
        wanted[1] -= (u[1] + t * d[0] + r * d[1]) / most;
        into_disc(limit, wanted);
        if (hypot(wanted[0] - old[0], wanted[1] - old[1]) <= SETTLED / 10 * limit)
            return;
    }
}

// What the friction of bearing i should be while the others stay.
static bool want(int rows, const SpragRubbing *b, const double *W, const double *x, const double *u,
                 double wanted[2])
{
    int t = tangent_of(b);
    double limit = limit_of(b, x), S = W[t * (rows + 1)];
    double now[2] = {b->impulse[0] + x[t], 0};
    if (b->tangents == 2) {
        const double both[3] = {S, W[t * rows + t + 1], W[(t + 1) * (rows + 1)]};
        now[1] = b->impulse[1] + x[t + 1];
        if (!(fmax(both[0], both[2]) > DEPENDENT * b->own))
            return false;
        rub_both(both, u + t, now, limit, wanted);
        return true;
    }
    wanted[0] = fmin(fmax(now[0] - u[t] / S, -limit), limit);
    return S > DEPENDENT * b->own;
}

// One bearing in turn; returns how much its friction has changed.
static double relax(int rows, int count, const SpragRubbing *bearings, int i, const double *W,
                    double *x, double *u)
{
    const SpragRubbing *b = &bearings[i];
    double wanted[2], moved = 0;
    if (!want(rows, b, W, x, u, wanted))
        return 0;
    for (int e = 0; e < b->tangents; e++) {
        int t = tangent_of(b) + e;
        double step = wanted[e] - b->impulse[e] - x[t];
        for (int j = 0; j < count; j++) {
            const SpragRubbing *other = &bearings[j];
            for (int k = 0; k < other->tangents; k++)
                u[tangent_of(other) + k] += W[(tangent_of(other) + k) * rows + t] * step;
            for (int k = other->first; k < tangent_of(other); k++)
                x[k] -= W[k * rows + t] * step;
        }
        x[t] += step;
        moved = hypot(moved, step);
    }
    return moved;
}

double sprag_rubbing_solve(int rows, int count, const SpragRubbing *bearings, const double *W,
                           double *x, double *u)
{
    double largest = 0, moved = INFINITY, change = 0;
    memset(x, 0, (size_t)rows * sizeof *x);
    for (int i = 0; i < count; i++) {
        memcpy(u + tangent_of(&bearings[i]), bearings[i].after,
               (size_t)bearings[i].tangents * sizeof *u);
        largest = fmax(largest, limit_of(&bearings[i], x));
        largest = fmax(largest, size_of(&bearings[i], bearings[i].impulse));
    }
    for (int sweep = 0; sweep < MOST_SWEEPS && moved > SETTLED * largest; sweep++) {
        moved = 0;
        for (int i = 0; i < count; i++) {
            const SpragRubbing *b = &bearings[i];
            moved = fmax(moved, relax(rows, count, bearings, i, W, x, u));
            for (int e = 0; e < b->tangents; e++)
                largest = fmax(largest, fabs(b->impulse[e] + x[tangent_of(b) + e]));
        }
    }
    for (int i = 0; i < count; i++)
        change = fmax(change, size_of(&bearings[i], x + tangent_of(&bearings[i])));
    return largest > 0 ? change / largest : 0;
}
