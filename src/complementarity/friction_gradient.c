// friction_gradient.c: accelerated projected gradient.
//
// Problem   u = W r + q with friction cones; with the shift s = μ|u_T| held it is the minimum of
//           ½ rᵀW r + (q + s n)ᵀr over the cones, theory.md (11.13).
// Method    Nesterov's momentum with restart where it points uphill
//           [ODonoghueCandes2015, pp. 715-732] [MazharEtAl2015, pp. 32:1-14], each contact scaled
//           by its mean diagonal entry, the step length found by halving. The shift follows the
//           velocities of every step: the fixed point is that of the exact law.
// Assumes   W symmetric
#include <math.h>
#include <string.h>

#include "friction_internal.h"

typedef struct Gradient {
    double *y, *next, *slope, *change, *product;
} Gradient;

// slope = W y + q + s n at y; *slip is where |u_T| is taken.
static void find_slope(Friction *f, Gradient *g)
{
    size_t d = (size_t)f->d;
    friction_apply(f, g->y, g->slope);
    for (size_t i = 0; i < (size_t)f->c; i++) {
        double *s = g->slope + i * d;
        s[0] += friction_shift(f, i, s);
    }
}

// next = proj(y − t slope/weight); returns whether t is short enough for the model to hold.
static bool try_step(Friction *f, Gradient *g, double t)
{
    size_t d = (size_t)f->d;
    double model = 0, true_value = 0;
    for (size_t i = 0; i < (size_t)f->c; i++) {
        double x[3];
        for (size_t k = 0; k < d; k++)
            x[k] = g->y[i * d + k] - t / f->weight[i] * g->slope[i * d + k];
        friction_project(f, i, x, g->next + i * d);
        for (size_t k = 0; k < d; k++) {
            double change = g->next[i * d + k] - g->y[i * d + k];
            g->change[i * d + k] = change;
            model += f->weight[i] * change * change;
        }
    }
    friction_multiply(f, g->change, g->product, f->velocity);
    for (size_t k = 0; k < f->size; k++)
        true_value += g->change[k] * g->product[k];
    return t * true_value <= model * (1 + 1e-12);
}

SpragStatus friction_gradient(Friction *f, int limit, SpragFrictionStatus *status, int *done)
{
    Gradient g;
    double **arrays[] = {&g.y, &g.next, &g.slope, &g.change, &g.product};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] = sprag_arena_alloc(f->workspace->arena, f->size, sizeof(double));
        if (!*arrays[k])
            return SPRAG_ERROR_MEMORY;
    }
    memcpy(g.y, f->r, f->size * sizeof *g.y);
    double t = 1, theta = 1;
    *status = SPRAG_FRICTION_LIMIT;
    for (int k = 0; k < limit; k++) {
        find_slope(f, &g);
        while (!try_step(f, &g, t) && t > 1e-12)
            t *= 0.5;
        double uphill = 0, following = 0.5 * theta * (sqrt(theta * theta + 4) - theta);
        double momentum = theta * (1 - theta) / (theta * theta + following);
        for (size_t e = 0; e < f->size; e++)
            uphill += g.slope[e] * (g.next[e] - f->r[e]);
        if (uphill > 0)
            momentum = 0, following = 1;
        for (size_t e = 0; e < f->size; e++) {
            g.y[e] = g.next[e] + momentum * (g.next[e] - f->r[e]);
            f->r[e] = g.next[e];
        }
        theta = following;
        t *= 1.01; // a step may grow again where the active contacts have changed
        f->iterations++;
        (*done)++;
        if (k % 10 != 9 && k + 1 < limit)
            continue;
        friction_apply(f, f->r, f->u);
        if (friction_judge(f, SPRAG_FRICTION_GRADIENT) <= f->settings.tolerance) {
            *status = SPRAG_FRICTION_SOLVED;
            break;
        }
    }
    return SPRAG_OK;
}
