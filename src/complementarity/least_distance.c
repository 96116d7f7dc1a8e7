// least_distance.c: the point of a polyhedron nearest to the origin.
// Problem   minimise |y| subject to G y ≥ h
// Method    non-negative least squares on E u ≈ f with E = [Gᵀ; hᵀ], f = (0, …, 0, 1): the residual
//           gives y or proves that the set is empty [LawsonHanson1995, Alg. 23.27 and 23.10]
#include <math.h>
#include <string.h>

#include "sprag/complementarity.h"
#include "sprag/numeric.h"

// A residual this small means that 0 = E u − f can be met: no feasible point.
static const double EMPTY = 1e-12;
static const double GRADIENT_TOLERANCE = 1e-13;

typedef struct Nnls {
    int rows, columns; // of E
    const double *E;   // row-major
    double *u;         // solution ≥ 0
    double *trial, *gradient, *residual;
    bool *passive;
    double *normal; // work: normal equations of the passive columns, and their factors
    double *right, *answer;
    int *permutation_rows, *permutation_columns, *index;
} Nnls;

static void compute_residual(Nnls *w)
{
    for (int i = 0; i < w->rows; i++) {
        double sum = i == w->rows - 1 ? 1 : 0;
        for (int j = 0; j < w->columns; j++)
            sum -= w->E[i * w->columns + j] * w->u[j];
        w->residual[i] = sum;
    }
    for (int j = 0; j < w->columns; j++) {
        w->gradient[j] = 0;
        for (int i = 0; i < w->rows; i++)
            w->gradient[j] += w->E[i * w->columns + j] * w->residual[i];
    }
}

// Least squares over the passive columns by normal equations; false: they are dependent.
static bool solve_passive(Nnls *w)
{
    int k = 0;
    for (int j = 0; j < w->columns; j++)
        if (w->passive[j])
            w->index[k++] = j;
    double scale = 0;
    for (int p = 0; p < k; p++) {
        for (int q = 0; q < k; q++) {
            double sum = 0;
            for (int i = 0; i < w->rows; i++)
                sum += w->E[i * w->columns + w->index[p]] * w->E[i * w->columns + w->index[q]];
            w->normal[p * k + q] = sum;
            scale = fmax(scale, fabs(sum));
        }
        w->right[p] = w->E[(w->rows - 1) * w->columns + w->index[p]];
    }
    if (sprag_lu_factor(k, w->normal, 1e-14 * scale, w->permutation_rows, w->permutation_columns,
                        NULL) < k)
        return false;
    sprag_lu_solve(k, w->normal, w->permutation_rows, w->permutation_columns, w->right, w->answer);
    memset(w->trial, 0, (size_t)w->columns * sizeof *w->trial);
    for (int p = 0; p < k; p++)
        w->trial[w->index[p]] = w->answer[p];
    return true;
}

// Moves u towards the trial as far as it stays ≥ 0; false when a passive variable hit zero.
static bool step_to_trial(Nnls *w)
{
    double alpha = 1;
    for (int j = 0; j < w->columns; j++)
        if (w->passive[j] && w->trial[j] <= 0)
            alpha = fmin(alpha, w->u[j] / (w->u[j] - w->trial[j]));
    bool whole = true;
    for (int j = 0; j < w->columns; j++) {
        bool negative = w->passive[j] && w->trial[j] <= 0;
        w->u[j] += alpha * (w->trial[j] - w->u[j]);
        if (negative && w->u[j] <= GRADIENT_TOLERANCE) {
            w->u[j] = 0;
            w->passive[j] = false;
        }
        whole &= !negative;
    }
    return whole;
}

static void solve_nnls(Nnls *w)
{
    for (int outer = 0; outer < 10 * w->columns + 10; outer++) {
        compute_residual(w);
        int best = -1;
        for (int j = 0; j < w->columns; j++)
            if (!w->passive[j] && w->gradient[j] > GRADIENT_TOLERANCE &&
                (best < 0 || w->gradient[j] > w->gradient[best]))
                best = j;
        if (best < 0)
            return;
        w->passive[best] = true;
        for (int inner = 0; inner <= w->columns; inner++) {
            if (!solve_passive(w)) {
                w->passive[best] = false;
                break;
            }
            if (step_to_trial(w))
                break;
        }
    }
    compute_residual(w);
}

static bool allocate(Nnls *w, SpragArena *arena)
{
    size_t m = (size_t)w->columns + 1, n = (size_t)w->rows + 1;
    w->u = sprag_arena_alloc(arena, m, sizeof(double));
    w->trial = sprag_arena_alloc(arena, m, sizeof(double));
    w->gradient = sprag_arena_alloc(arena, m, sizeof(double));
    w->residual = sprag_arena_alloc(arena, n, sizeof(double));
    w->passive = sprag_arena_alloc(arena, m, sizeof(bool));
    w->normal = sprag_arena_alloc(arena, m * m, sizeof(double));
    w->right = sprag_arena_alloc(arena, m, sizeof(double));
    w->answer = sprag_arena_alloc(arena, m, sizeof(double));
    w->permutation_rows = sprag_arena_alloc(arena, m, sizeof(int));
    w->permutation_columns = sprag_arena_alloc(arena, m, sizeof(int));
    w->index = sprag_arena_alloc(arena, m, sizeof(int));
    return w->u && w->trial && w->gradient && w->residual && w->passive && w->normal && w->right &&
           w->answer && w->permutation_rows && w->permutation_columns && w->index;
}

SpragStatus sprag_least_distance(SpragArena *arena, int row_count, int n, const double *G,
                                 const double *h, double *y, bool *feasible)
{
    SpragArenaMark mark = sprag_arena_mark(arena);
    Nnls w = {.rows = n + 1, .columns = row_count};
    double *E = sprag_arena_alloc(arena, (size_t)(n + 1) * (size_t)row_count + 1, sizeof *E);
    if (!E || !allocate(&w, arena)) {
        sprag_arena_release(arena, mark);
        return SPRAG_ERROR_MEMORY;
    }
    for (int j = 0; j < row_count; j++) {
        // each row scaled to unit length: the set is the same, the normal equations are better
        double length = fabs(h[j]);
        for (int i = 0; i < n; i++)
            length = hypot(length, G[j * n + i]);
        double scale = length > 0 ? 1 / length : 1;
        for (int i = 0; i < n; i++)
            E[i * row_count + j] = G[j * n + i] * scale;
        E[n * row_count + j] = h[j] * scale;
    }
    w.E = E;
    solve_nnls(&w);
    double norm = 0;
    for (int i = 0; i <= n; i++)
        norm = hypot(norm, w.residual[i]);
    *feasible = norm > EMPTY;
    for (int i = 0; i < n; i++)
        y[i] = *feasible ? -w.residual[i] / w.residual[n] : 0;
    sprag_arena_release(arena, mark);
    return SPRAG_OK;
}
