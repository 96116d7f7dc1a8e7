// friction_proximal.c: proximal points by nonsmooth Newton steps.
//
// Problem   u = W r + q with friction cones, theory.md 11.8.
// Method    u + α w (r − r_k) in the place of u, r_k the point before: for α large enough Newton's
//           method on the function of Alart and Curnier finds the solution in a few steps,
//           theory.md (11.20). α shrinks while that works and grows where it does not; a few
//           sweeps between two points put right what single contacts are off. Where the residual
//           has fallen, Newton steps without the prox term are tried.
// Assumes   nothing; where solutions repel the points it wanders, and says so
#include <math.h>
#include <string.h>

#include "friction_internal.h"

enum { MAX_HALVINGS = 8, MAX_WAITING = 5, INNER_STEPS = 30, SWEEPS = 10, POLISH_STEPS = 12 };
// The first α is at most 1, and this multiple of the residual.
static const double FIRST_ALPHA = 10, LEAST_ALPHA = 1e-9, MOST_ALPHA = 1e4;
// An inner problem is solved to this share of the residual before it.
static const double INNER_GOAL = 0.1;
// Newton steps are tried below this residual, and again whenever it has fallen by that factor.
static const double FIRST_POLISH = 1e-3, NEXT_POLISH = 0.1;

typedef struct Proximal {
    double *A, *B, *F; // linearisation
    FrictionTrial trial;
    FrictionProx prox;
    double *kept;
} Proximal;

// The inner problem, to a residual of `goal`; false if that was not reached.
static bool solve_inner(Friction *f, Proximal *p, double goal, int *done)
{
    int waiting = 0;
    friction_prox(f, &p->prox, f->r, f->u);
    double value = friction_unit_free(f, f->r, p->prox.shifted), lowest = value;
    for (int k = 0; k < INNER_STEPS && value >= goal; k++) {
        friction_newton_linearize(f, f->r, p->prox.shifted, p->prox.alpha, p->A, p->B, p->F);
        if (!friction_linear_factor(f, p->A, p->B))
            return false;
        friction_linear_solve(f, p->F, p->trial.dr, p->trial.du);
        value = friction_search(f, &p->trial, &p->prox, value, MAX_HALVINGS);
        f->iterations++;
        (*done)++;
        if (!(value < INFINITY))
            return false;
        memcpy(f->r, p->trial.r, f->size * sizeof *f->r);
        friction_apply(f, f->r, f->u);
        friction_prox(f, &p->prox, f->r, f->u);
        if (friction_judge(f, SPRAG_FRICTION_NEWTON) <= f->settings.tolerance)
            return true;
        waiting = value < 0.7 * lowest ? 0 : waiting + 1;
        lowest = fmin(lowest, value);
        if (waiting > MAX_WAITING)
            return false;
    }
    return value < goal;
}

// One point and the α of the next.
static bool next_point(Friction *f, Proximal *p, int *successes, int *done)
{
    int before = *done, swept = 0;
    friction_gauss_seidel(f, SWEEPS, 1, &swept);
    memcpy(p->prox.centre, f->r, f->size * sizeof *f->r);
    double residual = friction_unit_free(f, f->r, f->u);
    if (solve_inner(f, p, INNER_GOAL * residual, done)) {
        bool easy = *done - before <= 3, long_easy = ++*successes > 2;
        p->prox.alpha = fmax(LEAST_ALPHA, p->prox.alpha * (long_easy ? 0.3 : easy ? 0.6 : 1));
        return true;
    }
    if (!(friction_unit_free(f, f->r, f->u) <= residual)) {
        memcpy(f->r, p->prox.centre, f->size * sizeof *f->r);
        friction_apply(f, f->r, f->u);
    }
    *successes = 0;
    p->prox.alpha *= 2.5;
    return p->prox.alpha <= MOST_ALPHA;
}

static SpragStatus allocate(Friction *f, Proximal *p)
{
    size_t d = (size_t)f->d, c = (size_t)f->c;
    double **arrays[] = {&p->A,       &p->B,       &p->F,           &p->trial.dr,     &p->trial.du,
                         &p->trial.r, &p->trial.u, &p->prox.centre, &p->prox.shifted, &p->kept};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] =
            sprag_arena_alloc(f->workspace->arena, k < 2 ? c * d * d : f->size, sizeof(double));
        if (!*arrays[k])
            return SPRAG_ERROR_MEMORY;
    }
    return friction_linear_prepare(f);
}

SpragStatus friction_proximal(Friction *f, int limit, SpragFrictionStatus *status, int *done)
{
    Proximal p = {0};
    double polish = FIRST_POLISH;
    int successes = 0;
    SPRAG_TRY(allocate(f, &p));
    friction_apply(f, f->r, f->u);
    p.prox.alpha = fmin(1, FIRST_ALPHA * friction_unit_free(f, f->r, f->u));
    *status = SPRAG_FRICTION_LIMIT;
    while (*done < limit && f->best_residual > f->settings.tolerance) {
        if (!next_point(f, &p, &successes, done)) {
            *status = SPRAG_FRICTION_STALLED;
            break;
        }
        double residual = friction_unit_free(f, f->r, f->u);
        if (residual >= polish || f->best_residual <= f->settings.tolerance)
            continue;
        SpragFrictionStatus ignored;
        int used = 0;
        polish = NEXT_POLISH * residual;
        memcpy(p.kept, f->r, f->size * sizeof *f->r);
        SPRAG_TRY(friction_newton(f, POLISH_STEPS, &ignored, &used));
        *done += used;
        memcpy(f->r, p.kept, f->size * sizeof *f->r);
        friction_apply(f, f->r, f->u);
    }
    if (f->best_residual <= f->settings.tolerance)
        *status = SPRAG_FRICTION_SOLVED;
    return SPRAG_OK;
}
