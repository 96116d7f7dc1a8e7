// friction_gauss_seidel.c: contact after contact solved exactly, the others held.
//
// Problem   u = W r + q with friction cones, theory.md 11.6.
// Method    nonlinear block Gauss-Seidel [JourdanAlartJean1998, pp. 31-47]: b_i = u_i − W_ii r_i,
//           exact one-contact solution, and the change goes into the bodies' velocities at once, so
//           that a contact costs two products with its Jacobian and W is never formed. Sweeps
//           alternate in direction. With sparse blocks a contact costs its block row.
// Assumes   nothing; where W is ill-conditioned it is slow
#include <math.h>
#include <string.h>

#include "friction_internal.h"

// Sweeps between two looks at the residual: the first, and at most.
enum { FIRST_CHECK = 4, LAST_CHECK = 32 };

static inline void solve_one(Friction *f, size_t i, size_t d, const double *u, double *change)
{
    const double *W = f->diagonal + i * d * d;
    double *r = f->r + i * d, b[3], next[3];
    for (size_t a = 0; a < d; a++) {
        b[a] = u[a];
        for (size_t k = 0; k < d; k++)
            b[a] -= W[a * d + k] * r[k];
    }
    if (f->kind[i] == SPRAG_FRICTION_CONTACT)
        friction_contact((int)d, W, b, f->mu[i], &f->slip[i], next);
    else
        friction_bilateral((int)d, W, b, f->dead + i * d, next);
    for (size_t a = 0; a < d; a++) {
        change[a] = next[a] - r[a];
        r[a] = next[a];
    }
}

static inline void visit_body(Friction *f, size_t i, size_t d, size_t m)
{
    const int *bodies = f->problem->bodies + 2 * i;
    const double *J = f->problem->jacobian + 2 * i * d * m, *MJ = f->MJ + 2 * i * d * m;
    double u[3], change[3];
    for (size_t a = 0; a < d; a++)
        u[a] = f->q[i * d + a];
    for (size_t side = 0; side < 2; side++) {
        if (bodies[side] < 0)
            continue;
        const double *v = f->velocity + (size_t)bodies[side] * m, *row = J + side * d * m;
        for (size_t a = 0; a < d; a++)
            for (size_t k = 0; k < m; k++)
                u[a] += row[a * m + k] * v[k];
    }
    solve_one(f, i, d, u, change);
    for (size_t side = 0; side < 2; side++) {
        if (bodies[side] < 0)
            continue;
        double *v = f->velocity + (size_t)bodies[side] * m;
        const double *row = MJ + side * d * m;
        for (size_t a = 0; a < d; a++)
            for (size_t k = 0; k < m; k++)
                v[k] += row[a * m + k] * change[a];
    }
}

static inline void visit_row(Friction *f, size_t i, size_t d)
{
    double u[3], change[3];
    for (size_t a = 0; a < d; a++)
        u[a] = f->q[i * d + a];
    for (int k = f->row_start[i]; k < f->row_start[i + 1]; k++) {
        const double *block = f->blocks + (size_t)k * d * d, *x = f->r + (size_t)f->column[k] * d;
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < d; b++)
                u[a] += block[a * d + b] * x[b];
    }
    solve_one(f, i, d, u, change);
}

// One sweep, up or down; sizes as constants where they are the common ones.
static void sweep(Friction *f, bool down)
{
    size_t c = (size_t)f->c, d = (size_t)f->d, m = (size_t)f->body_size;
    for (size_t k = 0; k < c; k++) {
        size_t i = down ? c - 1 - k : k;
        if (f->bodies && d == 3 && m == 6)
            visit_body(f, i, 3, 6);
        else if (f->bodies && d == 2 && m == 3)
            visit_body(f, i, 2, 3);
        else if (f->bodies)
            visit_body(f, i, d, m);
        else if (d == 3)
            visit_row(f, i, 3);
        else
            visit_row(f, i, 2);
    }
}

// Few contacts need no more than sweeps.
enum { LEAST_MIXED = 4 };

SpragFrictionStatus friction_gauss_seidel(Friction *f, int sweeps, double progress, int *done)
{
    FrictionMixing mixing;
    double last = f->best_residual;
    int check = FIRST_CHECK, next = FIRST_CHECK;
    bool mixes = f->c >= LEAST_MIXED && mixing_begin(f, &mixing);
    friction_apply(f, f->r, f->u);
    for (int k = 0; k < sweeps; k++) {
        sweep(f, k % 2 == 1);
        f->iterations++;
        (*done)++;
        if (k + 1 < next && k + 1 < sweeps) {
            if (mixes && k % 2 == 1 && mixing_step(&mixing, f->r))
                friction_apply(f, f->r, f->u);
            continue;
        }
        // velocities afresh: no rounding is carried along
        friction_apply(f, f->r, f->u);
        double residual = friction_judge(f, SPRAG_FRICTION_GAUSS_SEIDEL);
        if (residual <= f->settings.tolerance)
            return SPRAG_FRICTION_SOLVED;
        if (progress < 1 && k + 1 > FIRST_CHECK && residual > pow(progress, check) * last)
            return SPRAG_FRICTION_STALLED;
        last = residual;
        check = check < LAST_CHECK ? 2 * check : LAST_CHECK;
        next = k + 1 + check;
        if (mixes && k % 2 == 1 && mixing_step(&mixing, f->r))
            friction_apply(f, f->r, f->u);
    }
    return SPRAG_FRICTION_LIMIT;
}
