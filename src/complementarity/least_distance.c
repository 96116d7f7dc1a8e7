// least_distance.c: the point of a polyhedron nearest to the origin.
// Problem   minimise |y| subject to G y ≥ h
// Method    non-negative least squares on E u ≈ f with E = [Gᵀ; hᵀ], f = (0, …, 0, 1): the residual
//           gives y or proves that the set is empty [LawsonHanson1995, Alg. 23.27 and 23.10]. Least
//           squares over the passive columns by an orthogonal basis that grows with them
// Assumes   nothing about G: rows are scaled, the answer is checked against every row
#include <math.h>
#include <string.h>

#include "sprag/complementarity.h"

// A residual this small means that 0 = E u − f can be met: no feasible point.
static const double EMPTY = 1e-12;
// Columns have unit length and the residual at most that: gradients below this are rounding.
static const double GRADIENT_TOLERANCE = 1e-15;
// A column whose part outside the passive ones is shorter than this depends on them.
static const double DEPENDENT = 1e-11;
// The answer may miss a row by this, relative to its own length: more, and there is none.
static const double MISSED = 1e-9;

typedef struct Nnls {
    int rows, columns; // of E
    double *E;         // column by column
    double *u;         // solution ≥ 0
    double *trial, *residual;
    bool *passive, *rejected; // per column
    int *order;               // the passive columns, in the order of the basis
    int passive_count, factored;
    double *Q; // orthonormal basis of the passive columns, vector by vector
    double *R; // passive column p = Σ_q R[q][p] Q_q, q ≤ p
} Nnls;

static double dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static const double *column_of(const Nnls *w, int j)
{
    return w->E + (size_t)j * (size_t)w->rows;
}

static void compute_residual(Nnls *w)
{
    for (int i = 0; i < w->rows; i++)
        w->residual[i] = i == w->rows - 1 ? 1 : 0;
    for (int p = 0; p < w->passive_count; p++) {
        const double *e = column_of(w, w->order[p]);
        for (int i = 0; i < w->rows; i++)
            w->residual[i] -= e[i] * w->u[w->order[p]];
    }
}

// Brings the basis up to date with the first m entries of the passive columns; false: the last one
// depends on the others.
static bool extend_basis(Nnls *w, int m)
{
    int stride = w->rows + 1;
    for (; w->factored < w->passive_count; w->factored++) {
        int p = w->factored;
        if (p == m)
            return false;
        double *q = w->Q + (size_t)p * (size_t)m;
        memcpy(q, column_of(w, w->order[p]), (size_t)m * sizeof *q);
        for (int k = 0; k <= p; k++)
            w->R[k * stride + p] = 0;
        // twice is enough [Parlett1998, Sec. 6.9]
        for (int pass = 0; pass < 2; pass++) {
            for (int k = 0; k < p; k++) {
                double part = dot(w->Q + (size_t)k * (size_t)m, q, m);
                w->R[k * stride + p] += part;
                for (int i = 0; i < m; i++)
                    q[i] -= part * w->Q[k * m + i];
            }
        }
        double length = sqrt(dot(q, q, m));
        if (length <= DEPENDENT)
            return false;
        w->R[p * stride + p] = length;
        for (int i = 0; i < m; i++)
            q[i] /= length;
    }
    return true;
}

// Least squares over the passive columns: R trial = Qᵀ f.
static void solve_passive(Nnls *w)
{
    int m = w->rows, stride = m + 1;
    for (int p = w->passive_count - 1; p >= 0; p--) {
        double sum = w->Q[p * m + m - 1];
        for (int k = p + 1; k < w->passive_count; k++)
            sum -= w->R[p * stride + k] * w->trial[w->order[k]];
        w->trial[w->order[p]] = sum / w->R[p * stride + p];
    }
}

static void remove_passive(Nnls *w, int p)
{
    w->passive[w->order[p]] = false;
    w->u[w->order[p]] = 0;
    for (int k = p + 1; k < w->passive_count; k++)
        w->order[k - 1] = w->order[k];
    w->passive_count--;
    w->factored = w->factored < p ? w->factored : p;
}

// Moves u towards the trial as far as it stays ≥ 0; false when a passive variable hit zero, which
// then leaves.
static bool step_to_trial(Nnls *w)
{
    double alpha = 1;
    int limit = -1;
    for (int p = 0; p < w->passive_count; p++) {
        int j = w->order[p];
        if (w->trial[j] > 0)
            continue;
        double ratio = w->u[j] > 0 ? w->u[j] / (w->u[j] - w->trial[j]) : 0;
        if (limit < 0 || ratio < alpha) {
            alpha = ratio;
            limit = p;
        }
    }
    for (int p = 0; p < w->passive_count; p++)
        w->u[w->order[p]] += alpha * (w->trial[w->order[p]] - w->u[w->order[p]]);
    if (limit >= 0)
        remove_passive(w, limit);
    for (int p = w->passive_count - 1; p >= 0; p--)
        if (w->u[w->order[p]] <= 0)
            remove_passive(w, p);
    return limit < 0;
}

// Column with the steepest descent that was not tried in vain; −1: none descends.
static int choose_column(const Nnls *w)
{
    int best = -1;
    double steepest = GRADIENT_TOLERANCE;
    for (int j = 0; j < w->columns; j++) {
        if (w->passive[j] || w->rejected[j])
            continue;
        double gradient = dot(column_of(w, j), w->residual, w->rows);
        if (gradient > steepest) {
            steepest = gradient;
            best = j;
        }
    }
    return best;
}

static void solve_nnls(Nnls *w)
{
    for (int outer = 0; outer < 10 * w->columns + 10; outer++) {
        compute_residual(w);
        int best = choose_column(w);
        if (best < 0)
            return;
        w->order[w->passive_count++] = best;
        w->passive[best] = true;
        bool independent = extend_basis(w, w->rows);
        if (independent)
            solve_passive(w);
        // only rounding makes a descending column dependent or its trial negative
        if (!independent || w->trial[best] <= 0) {
            remove_passive(w, w->passive_count - 1);
            w->rejected[best] = true;
            continue;
        }
        while (!step_to_trial(w)) {
            if (!extend_basis(w, w->rows))
                break;
            solve_passive(w);
        }
        memset(w->rejected, 0, (size_t)w->columns * sizeof *w->rejected);
    }
    compute_residual(w);
}

static bool allocate(Nnls *w, SpragArena *arena)
{
    size_t n = (size_t)w->columns + 1, m = (size_t)w->rows + 1;
    w->E = sprag_arena_alloc(arena, n * m, sizeof(double));
    w->u = sprag_arena_alloc(arena, n, sizeof(double));
    w->trial = sprag_arena_alloc(arena, n, sizeof(double));
    w->residual = sprag_arena_alloc(arena, m, sizeof(double));
    w->passive = sprag_arena_alloc(arena, n, sizeof(bool));
    w->rejected = sprag_arena_alloc(arena, n, sizeof(bool));
    w->order = sprag_arena_alloc(arena, n + m, sizeof(int));
    w->Q = sprag_arena_alloc(arena, m * m, sizeof(double));
    w->R = sprag_arena_alloc(arena, m * m, sizeof(double));
    return w->E && w->u && w->trial && w->residual && w->passive && w->rejected && w->order &&
           w->Q && w->R;
}

// Distance of each row's plane from the origin, h_j/|g_j|; returns the largest, 0 if none is
// positive, INFINITY for a row 0 ≥ h > 0.
static double farthest_plane(int row_count, int n, const double *G, const double *h)
{
    double farthest = 0;
    for (int j = 0; j < row_count; j++)
        if (h[j] > 0)
            farthest = fmax(farthest, h[j] / sqrt(dot(G + j * n, G + j * n, n)));
    return farthest;
}

// Columns (g_j, h_j/unit), scaled to unit length: with y in that unit the set is the same.
static void fill_columns(Nnls *w, const double *G, const double *h, double unit)
{
    int n = w->rows - 1;
    for (int j = 0; j < w->columns; j++) {
        double *e = w->E + (size_t)j * (size_t)w->rows;
        double length = sqrt(dot(G + j * n, G + j * n, n));
        for (int i = 0; i < n; i++)
            e[i] = length > 0 ? G[j * n + i] / length : 0;
        e[n] = length > 0 ? h[j] / length / unit : 0;
        double scale = sqrt(dot(e, e, w->rows));
        for (int i = 0; scale > 0 && i <= n; i++)
            e[i] /= scale;
    }
}

// The nearest point of the planes of the passive rows. The residual carries rounding relative to
// one, and far points divide it by little: this form does not. False: their normals are dependent.
static bool refine(Nnls *w, double *y)
{
    int n = w->rows - 1, stride = w->rows + 1;
    w->factored = 0;
    if (!extend_basis(w, n))
        return false;
    memset(y, 0, (size_t)n * sizeof *y);
    for (int p = 0; p < w->passive_count; p++) {
        double sum = column_of(w, w->order[p])[n];
        for (int k = 0; k < p; k++)
            sum -= w->R[k * stride + p] * w->trial[k];
        w->trial[p] = sum / w->R[p * stride + p];
        for (int i = 0; i < n; i++)
            y[i] += w->trial[p] * w->Q[p * n + i];
    }
    return true;
}

static bool satisfies_rows(const Nnls *w, const double *y)
{
    int n = w->rows - 1;
    double size = sqrt(1 + dot(y, y, n));
    for (int j = 0; j < w->columns; j++)
        if (dot(column_of(w, j), y, n) - column_of(w, j)[n] < -MISSED * size)
            return false;
    return true;
}

SpragStatus sprag_least_distance(SpragArena *arena, int row_count, int n, const double *G,
                                 const double *h, double *y, bool *feasible)
{
    SpragArenaMark mark = sprag_arena_mark(arena);
    Nnls w = {.rows = n + 1, .columns = row_count};
    double unit = farthest_plane(row_count, n, G, h);
    memset(y, 0, (size_t)n * sizeof *y);
    *feasible = unit < INFINITY;
    if (unit == 0 || !*feasible)
        return SPRAG_OK;
    if (!allocate(&w, arena)) {
        sprag_arena_release(arena, mark);
        return SPRAG_ERROR_MEMORY;
    }
    fill_columns(&w, G, h, unit);
    solve_nnls(&w);
    *feasible = sqrt(dot(w.residual, w.residual, w.rows)) > EMPTY && w.residual[n] > 0;
    if (*feasible && !refine(&w, y))
        for (int i = 0; i < n; i++)
            y[i] = -w.residual[i] / w.residual[n];
    *feasible = *feasible && satisfies_rows(&w, y);
    for (int i = 0; i < n; i++)
        y[i] = *feasible ? unit * y[i] : 0;
    sprag_arena_release(arena, mark);
    return SPRAG_OK;
}
