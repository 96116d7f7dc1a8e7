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
        for (int k = b->first; k <= b->first + b->normals; k++)
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

static double limit_of(const SpragRubbing *b, const double *change)
{
    double second = b->normals == 2 ? b->normal[1] + change[1] : 0;
    return b->friction * hypot(b->normal[0] + change[0], second);
}

static int tangent_of(const SpragRubbing *b)
{
    return b->first + b->normals;
}

// One bearing in turn; returns how much its friction has changed.
static double relax(int rows, int count, const SpragRubbing *bearings, int i, const double *W,
                    double *x, double *u)
{
    const SpragRubbing *b = &bearings[i];
    int t = tangent_of(b);
    double S = W[t * (rows + 1)], limit = limit_of(b, x + b->first);
    if (!(S > DEPENDENT * b->own))
        return 0;
    double wanted = b->impulse + x[t] - u[t] / S;
    double step = fmin(fmax(wanted, -limit), limit) - b->impulse - x[t];
    for (int j = 0; j < count; j++) {
        const SpragRubbing *other = &bearings[j];
        u[tangent_of(other)] += W[tangent_of(other) * rows + t] * step;
        for (int k = other->first; k < tangent_of(other); k++)
            x[k] -= W[k * rows + t] * step;
    }
    x[t] += step;
    return fabs(step);
}

double sprag_rubbing_solve(int rows, int count, const SpragRubbing *bearings, const double *W,
                           double *x, double *u)
{
    double largest = 0, moved = INFINITY, change = 0;
    memset(x, 0, (size_t)rows * sizeof *x);
    for (int i = 0; i < count; i++) {
        u[tangent_of(&bearings[i])] = bearings[i].after;
        largest = fmax(largest, limit_of(&bearings[i], x + bearings[i].first));
        largest = fmax(largest, fabs(bearings[i].impulse));
    }
    for (int sweep = 0; sweep < MOST_SWEEPS && moved > SETTLED * largest; sweep++) {
        moved = 0;
        for (int i = 0; i < count; i++) {
            moved = fmax(moved, relax(rows, count, bearings, i, W, x, u));
            largest = fmax(largest, fabs(bearings[i].impulse + x[tangent_of(&bearings[i])]));
        }
    }
    for (int i = 0; i < count; i++)
        change = fmax(change, fabs(x[tangent_of(&bearings[i])]));
    return largest > 0 ? change / largest : 0;
}
