// friction_proximal.c: proximal points, by Newton steps from piece to piece.
//
// Problem   u = W r + q with friction cones, theory.md 11.8.
// Method    u + α w (r − r_k) in the place of u, r_k the point before, theory.md (11.20). Steps of
//           Newton's method on the function of Alart and Curnier are taken as far as they lower
//           the residual well; where that ends at a kink, a step goes to the first contact whose
//           equations change, and on with the changed ones, theory.md (11.41). α shrinks while
//           that takes few steps and grows where it fails. Where the residual has fallen, Newton
//           steps without the prox term are tried.
// Assumes   nothing; where solutions repel the points it wanders, and says so
#include <math.h>
#include <string.h>

#include "friction_internal.h"

enum { MAX_HALVINGS = 8, MAX_WAITING = 2, INNER_STEPS = 40, POLISH_STEPS = 12 };
// The first α is at most 1, and this multiple of the residual.
static const double FIRST_ALPHA = 10, LEAST_ALPHA = 1e-9, MOST_ALPHA = 1e4, ALPHA_GROWS = 2.5;
// An inner problem is solved to this share of the residual before it.
static const double INNER_GOAL = 0.1;
// A step across kinks must lower the residual by this share of its length; what the curvature of
// cones adds is left to the next step, up to that factor.
static const double GOOD_STEP = 0.5, MOST_RISE = 1000;
// Newton steps are tried below this residual, and again whenever it has fallen by that factor.
static const double FIRST_POLISH = 1e-3, NEXT_POLISH = 0.1;

typedef struct Proximal {
    FrictionSystem system;
    FrictionTrial trial;
    FrictionProx prox;
    double *shifted_step; // change of prox.shifted along the step
    double *kept;
    unsigned char *pieces;
    FrictionKink last;     // the kink that was crossed last, with the piece that was left
    double value, lowest;  // residual of the inner problem: here, and least so far
    int waiting;           // steps in a row that did not lower it
    bool crossed, walking; // the last step ended at a kink; pieces are followed from kink to kink
} Proximal;

// Newton's step of the inner problem, on the pieces that are followed or else on those that the
// point is on.
static bool find_step(Friction *f, Proximal *p)
{
    size_t d = (size_t)f->d;
    if (!p->walking)
        friction_pieces(f, f->r, p->prox.shifted, p->pieces);
    friction_newton_linearize(f, f->r, p->prox.shifted, p->prox.alpha, p->pieces, &p->system);
    if (!friction_linear_factor(f, p->system.A, p->system.B))
        return false;
    friction_linear_solve(f, p->system.F, p->trial.dr, p->trial.du);
    for (size_t i = 0; i < (size_t)f->c; i++)
        for (size_t k = i * d; k < (i + 1) * d; k++)
            p->shifted_step[k] = p->trial.du[k] + p->prox.alpha * f->weight[i] * p->trial.dr[k];
    return true;
}

// The longest of the steps 1, 1/2, … across the first kink that lowers the residual well; 0: none.
static double long_step(const Friction *f, Proximal *p, double kink)
{
    double step = 1;
    for (int k = 0; k < MAX_HALVINGS && step > kink; k++, step *= 0.5) {
        for (size_t e = 0; e < f->size; e++) {
            p->trial.r[e] = f->r[e] + step * p->trial.dr[e];
            p->trial.u[e] = p->prox.shifted[e] + step * p->shifted_step[e];
        }
        if (friction_unit_free(f, p->trial.r, p->trial.u) <= (1 - GOOD_STEP * step) * p->value)
            return step;
    }
    return 0;
}

static void move(Friction *f, Proximal *p, double step)
{
    for (size_t e = 0; e < f->size; e++)
        f->r[e] += step * p->trial.dr[e];
    friction_apply(f, f->r, f->u);
    friction_prox(f, &p->prox, f->r, f->u);
    p->value = friction_unit_free(f, f->r, p->prox.shifted);
}

// The contact at the kink goes over to its next piece. False where it comes from there: then the
// way turns back at this kink, and α is too small.
static bool cross(Proximal *p, FrictionKink kink)
{
    FrictionPiece from = p->pieces[kink.contact];
    if (p->crossed && kink.contact == p->last.contact && kink.piece == p->last.piece &&
        kink.step < 1e-9)
        return false;
    p->walking = p->crossed = true;
    p->last = (FrictionKink){kink.step, kink.contact, from};
    p->pieces[kink.contact] = (unsigned char)kink.piece;
    return true;
}

// One step of the inner problem; false where it leads nowhere.
static bool inner_step(Friction *f, Proximal *p)
{
    if (!find_step(f, p))
        return false;
    FrictionKink kink =
        friction_first_kink(f, p->pieces, f->r, p->prox.shifted, p->trial.dr, p->shifted_step);
    double far = long_step(f, p, kink.step);
    if (far == 0 && kink.step < 1) {
        move(f, p, kink.step);
        return p->value < INFINITY && cross(p, kink);
    }
    p->walking = p->crossed = false;
    move(f, p, far > 0 ? far : 1);
    bool lower = p->value < 0.5 * p->lowest;
    p->waiting = lower ? 0 : p->waiting + 1;
    bool lost = !(p->value <= MOST_RISE * p->lowest);
    p->lowest = lower ? p->value : p->lowest;
    return !lost && p->waiting <= MAX_WAITING;
}

// The inner problem, to a residual of `goal`; false if that was not reached.
static bool solve_inner(Friction *f, Proximal *p, double goal, int *done)
{
    friction_prox(f, &p->prox, f->r, f->u);
    p->value = p->lowest = friction_unit_free(f, f->r, p->prox.shifted);
    p->waiting = 0;
    p->walking = p->crossed = false;
    for (int k = 0; k < INNER_STEPS && p->value >= goal; k++) {
        bool good = inner_step(f, p);
        f->iterations++;
        (*done)++;
        if (friction_judge(f, SPRAG_FRICTION_NEWTON) <= f->settings.tolerance)
            return true;
        if (!good)
            return false;
    }
    return p->value < goal;
}

// One point and the α of the next.
static bool next_point(Friction *f, Proximal *p, int *done)
{
    int before = *done;
    double residual = friction_unit_free(f, f->r, f->u), *alpha = &p->prox.alpha;
    memcpy(p->prox.centre, f->r, f->size * sizeof *f->r);
    if (solve_inner(f, p, INNER_GOAL * residual, done)) {
        int steps = *done - before;
        *alpha *= steps <= 2 ? 0.3 : steps <= 4 ? 0.6 : steps <= 10 ? 1 : 1.5;
        *alpha = fmax(LEAST_ALPHA, *alpha);
        return true;
    }
    memcpy(f->r, p->prox.centre, f->size * sizeof *f->r);
    friction_apply(f, f->r, f->u);
    *alpha *= ALPHA_GROWS;
    return *alpha <= MOST_ALPHA;
}

static SpragStatus allocate(Friction *f, Proximal *p)
{
    size_t d = (size_t)f->d, c = (size_t)f->c;
    double **arrays[] = {&p->system.A,     &p->system.B,     &p->system.F, &p->trial.dr,
                         &p->trial.du,     &p->trial.r,      &p->trial.u,  &p->prox.centre,
                         &p->prox.shifted, &p->shifted_step, &p->kept};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] =
            sprag_arena_alloc(f->workspace->arena, k < 2 ? c * d * d : f->size, sizeof(double));
        if (!*arrays[k])
            return SPRAG_ERROR_MEMORY;
    }
    p->pieces = sprag_arena_alloc(f->workspace->arena, c, 1);
    return p->pieces ? friction_linear_prepare(f) : SPRAG_ERROR_MEMORY;
}

SpragStatus friction_proximal(Friction *f, int limit, SpragFrictionStatus *status, int *done)
{
    Proximal p = {0};
    double polish = FIRST_POLISH;
    SPRAG_TRY(allocate(f, &p));
    friction_apply(f, f->r, f->u);
    p.prox.alpha = fmin(1, FIRST_ALPHA * friction_unit_free(f, f->r, f->u));
    *status = SPRAG_FRICTION_LIMIT;
    while (*done < limit && f->best_residual > f->settings.tolerance) {
        if (!next_point(f, &p, done)) {
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
