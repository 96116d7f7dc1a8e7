// friction_newton.c: nonsmooth Newton on the function of Alart and Curnier.
//
// Problem   u = W r + q with friction cones, theory.md 11.7.
// Method    [AlartCurnier1991, pp. 353-375]: with p = r_N − ρ u_N, y = r_T − ρ u_T a contact is
// open (p ≤ 0),
//           sticks (|y| ≤ μ p) or slips; each has its linear equations, theory.md (11.16)–(11.18).
//           Steps are shortened while that lowers the residual. Where forces are indeterminate the
//           system is singular: a small multiple of dr is added to du in it, theory.md (11.20),
//           which changes the way and not the end.
// Assumes   a start from which modes can be guessed; else it stalls, and says so
#include <math.h>
#include <string.h>

#include "friction_internal.h"

// Steps that may gain little before it gives up: few in haste and far from a solution.
enum { MAX_HALVINGS = 6, MAX_WAITING = 4, HASTY_WAITING = 1 };
static const double FAR = 1e-2;

typedef struct Newton {
    FrictionSystem system;
    FrictionTrial trial;
} Newton;

// Linearisation of one contact; A and B are the derivatives of F by u and r.
static void linearize_open(size_t d, const double *r, double *A, double *B, double *F)
{
    memset(A, 0, d * d * sizeof *A);
    memset(B, 0, d * d * sizeof *B);
    for (size_t k = 0; k < d; k++) {
        B[k * d + k] = 1;
        F[k] = r[k];
    }
}

static void linearize_bilateral(size_t d, const unsigned char *dead, double rho, const double *r,
                                const double *u, double *A, double *B, double *F)
{
    memset(A, 0, d * d * sizeof *A);
    memset(B, 0, d * d * sizeof *B);
    for (size_t k = 0; k < d; k++) {
        A[k * d + k] = dead[k] ? 0 : rho;
        B[k * d + k] = dead[k] ? 1 : 0;
        F[k] = dead[k] ? r[k] : rho * u[k];
    }
}

static void linearize_slip(size_t d, double mu, double rho, const double *r, const double *u,
                           double *A, double *B, double *F)
{
    double p = r[0] - rho * u[0], y[2] = {0}, length = 0;
    for (size_t k = 1; k < d; k++) {
        y[k - 1] = r[k] - rho * u[k];
        length += y[k - 1] * y[k - 1];
    }
    length = sqrt(length);
    // r_T = μ p y/|y|; p and y move with r and u
    double shrink = length > 0 ? mu * p / length : 0;
    for (size_t i = 1; i < d; i++) {
        double t = length > 0 ? y[i - 1] / length : 0;
        F[i] = r[i] - shrink * y[i - 1];
        B[i * d + i] = 1;
        B[i * d] = -mu * t;
        A[i * d] = rho * mu * t;
        for (size_t j = 1; j < d; j++) {
            double s = length > 0 ? y[j - 1] / length : 0;
            double across = shrink * ((i == j ? 1 : 0) - t * s);
            B[i * d + j] -= across;
            A[i * d + j] += rho * across;
        }
    }
}

static void linearize(const Friction *f, size_t i, FrictionPiece piece, const double *r,
                      const double *u, double *A, double *B, double *F)
{
    size_t d = (size_t)f->d;
    double rho = 1 / f->weight[i];
    if (piece == PIECE_OPEN) {
        linearize_open(d, r, A, B, F);
        return;
    }
    memset(A, 0, d * d * sizeof *A);
    memset(B, 0, d * d * sizeof *B);
    A[0] = rho;
    F[0] = rho * u[0];
    if (piece == PIECE_SLIP) {
        linearize_slip(d, f->mu[i], rho, r, u, A, B, F);
        return;
    }
    for (size_t k = 1; k < d; k++) {
        A[k * d + k] = rho;
        F[k] = rho * u[k];
    }
}

void friction_newton_linearize(const Friction *f, const double *r, const double *u, double regular,
                               const unsigned char *pieces, const FrictionSystem *system)
{
    size_t d = (size_t)f->d;
    double *A = system->A, *B = system->B, *F = system->F;
    for (size_t i = 0; i < (size_t)f->c; i++, A += d * d, B += d * d, F += d, r += d, u += d) {
        if (f->kind[i] == SPRAG_FRICTION_CONTACT)
            linearize(f, i, pieces ? pieces[i] : friction_piece(f, i, r, u), r, u, A, B, F);
        else
            linearize_bilateral(d, f->dead + i * d, 1 / f->weight[i], r, u, A, B, F);
        for (size_t k = 0; k < d * d; k++)
            B[k] += regular * f->weight[i] * A[k];
    }
}

void friction_prox(const Friction *f, const FrictionProx *prox, const double *r, const double *u)
{
    size_t d = (size_t)f->d;
    for (size_t i = 0; i < (size_t)f->c; i++)
        for (size_t k = i * d; k < (i + 1) * d; k++)
            prox->shifted[k] = u[k] + prox->alpha * f->weight[i] * (r[k] - prox->centre[k]);
}

// Shortens the step until the residual falls below `value`: trial->r receives the point with the
// least one, which is returned.
static double search(const Friction *f, const FrictionTrial *trial, double value)
{
    double best = INFINITY, taken = 1, step = 1;
    for (int k = 0; k < MAX_HALVINGS; k++, step *= 0.5) {
        for (size_t e = 0; e < f->size; e++) {
            trial->r[e] = f->r[e] + step * trial->dr[e];
            trial->u[e] = f->u[e] + step * trial->du[e];
        }
        double tried = friction_unit_free(f, trial->r, trial->u);
        if (tried < best) {
            best = tried;
            taken = step;
        }
        if (tried <= (1 - 0.1 * step) * value || (k > 1 && tried > best))
            break;
    }
    for (size_t e = 0; e < f->size; e++)
        trial->r[e] = f->r[e] + taken * trial->dr[e];
    return best;
}

static SpragStatus allocate(Friction *f, Newton *newton)
{
    size_t d = (size_t)f->d, c = (size_t)f->c;
    FrictionTrial *trial = &newton->trial;
    double **arrays[] = {&newton->system.A, &newton->system.B, &newton->system.F, &trial->dr,
                         &trial->du,        &trial->r,         &trial->u};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] =
            sprag_arena_alloc(f->workspace->arena, k < 2 ? c * d * d : f->size, sizeof(double));
        if (!*arrays[k])
            return SPRAG_ERROR_MEMORY;
    }
    return friction_linear_prepare(f);
}

SpragStatus friction_newton(Friction *f, int limit, SpragFrictionStatus *status, int *done)
{
    Newton newton;
    SPRAG_TRY(allocate(f, &newton));
    friction_apply(f, f->r, f->u);
    double value = friction_unit_free(f, f->r, f->u), lowest = value;
    int waiting = 0;
    *status = SPRAG_FRICTION_LIMIT;
    if (friction_judge(f, SPRAG_FRICTION_NEWTON) <= f->settings.tolerance) {
        *status = SPRAG_FRICTION_SOLVED;
        return SPRAG_OK;
    }
    for (int k = 0; k < limit; k++) {
        double regular = fmin(1e-4, fmax(1e-9, 1e-2 * value));
        friction_newton_linearize(f, f->r, f->u, regular, NULL, &newton.system);
        if (!friction_linear_factor(f, newton.system.A, newton.system.B))
            break;
        friction_linear_solve(f, newton.system.F, newton.trial.dr, newton.trial.du);
        value = search(f, &newton.trial, value);
        f->iterations++;
        (*done)++;
        if (!(value < INFINITY))
            break;
        memcpy(f->r, newton.trial.r, f->size * sizeof *f->r);
        friction_apply(f, f->r, f->u);
        if (friction_judge(f, SPRAG_FRICTION_NEWTON) <= f->settings.tolerance) {
            *status = SPRAG_FRICTION_SOLVED;
            return SPRAG_OK;
        }
        waiting = value < 0.7 * lowest ? 0 : waiting + 1;
        lowest = fmin(lowest, value);
        if (waiting > (f->hasty && value > FAR ? HASTY_WAITING : MAX_WAITING))
            break;
    }
    if (*done < limit)
        *status = SPRAG_FRICTION_STALLED;
    return SPRAG_OK;
}
