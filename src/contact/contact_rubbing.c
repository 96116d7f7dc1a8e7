// contact_rubbing.c: friction of several bearings against the slips after a step or a collision.
// Problem   |P_T| ≤ μ |P_N|, P_T = −μ |P_N| sgn s where a slip s is left, theory.md (9.37); s and
//           P_N follow P_T linearly while the normals hold
// Method    the normals are swept out of W; projected sweeps over the bearings, in which each takes
//           what ends its slip as far as its cone goes. Where friction and normals drive each other
//           up (9.1) the end of the slip bounds them
#include <math.h>
#include <string.h>

#include "contact_ball.h"
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
    double pressure = 0;
    for (int k = 0; k < b->normals; k++)
        pressure = hypot(pressure, b->normal[k] + x[b->first + k]);
    if (b->shared >= 0)
        pressure = hypot(pressure, b->normal[b->normals] + x[b->shared]);
    return b->friction * pressure;
}

static int tangent_of(const SpragRubbing *b)
{
    return b->first + b->normals;
}

// What the friction of bearing i should be while the others stay.
static bool want(int rows, const SpragRubbing *b, const double *W, const double *x, const double *u,
                 double wanted[SPRAG_CONSTRAINT_WAYS])
{
    int t = tangent_of(b), m = b->tangents;
    double limit = limit_of(b, x), most = 0;
    for (int k = 0; k < m; k++)
        most = fmax(most, W[(t + k) * (rows + 1)]);
    if (!(most > DEPENDENT * b->own))
        return false;
    if (m == 1) {
        wanted[0] = fmin(fmax(b->impulse[0] + x[t] - u[t] / most, -limit), limit);
        return true;
    }
    SpragMat3 S = {{most, 0, 0, 0, most, 0, 0, 0, most}};
    double slip[3] = {0}, now[3] = {0};
    for (int k = 0; k < m; k++) {
        slip[k] = u[t + k];
        now[k] = b->impulse[k] + x[t + k];
        for (int l = 0; l < m; l++)
            S.m[3 * k + l] = W[(t + k) * rows + t + l];
    }
    friction_in_ball(&S, slip, now, limit, wanted);
    return true;
}

// One bearing in turn; returns how much its friction has changed.
static double relax(int rows, int count, const SpragRubbing *bearings, int i, const double *W,
                    double *x, double *u)
{
    const SpragRubbing *b = &bearings[i];
    double wanted[SPRAG_CONSTRAINT_WAYS], moved = 0;
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
        largest = fmax(largest, sprag_length(bearings[i].tangents, bearings[i].impulse));
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
        change = fmax(change, sprag_length(bearings[i].tangents, x + tangent_of(&bearings[i])));
    return largest > 0 ? change / largest : 0;
}
