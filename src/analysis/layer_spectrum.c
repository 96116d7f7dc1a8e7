// layer_spectrum.c: eigenvalues of a compliant layer with any stiffness and damping.
// Problem   y'' + Uᵀ D Ĉ U y' + Uᵀ D K̂ U y = 0, theory.md (6.5), (6.8)
// Method    eigenvalues of the first-order form, with time in units that make its entries alike
// Also      how near D is to singular, beside the D of no friction: theory.md 8.1, 8.4
#include <math.h>

#include "layer.h"
#include "sprag/numeric.h"

// Real and imaginary parts this small, relative to the largest eigenvalue, are zero.
static const double ZERO_TOLERANCE = 1e-13;

SpragStatus layer_spectrum_create(const LayerView *view, LayerSpectrum *spectrum)
{
    SpragArena *arena = view->arena;
    size_t n = (size_t)view->n, r = (size_t)view->rank, m = 2 * r;
    *spectrum = (LayerSpectrum){.count = (int)m};
    spectrum->UD = sprag_arena_alloc(arena, r * n + 1, sizeof(double));
    spectrum->Q = sprag_arena_alloc(arena, r * r + 1, sizeof(double));
    spectrum->P = sprag_arena_alloc(arena, r * r + 1, sizeof(double));
    spectrum->form = sprag_arena_alloc(arena, m * m + 1, sizeof(double));
    spectrum->real = sprag_arena_alloc(arena, m + 1, sizeof(double));
    spectrum->imaginary = sprag_arena_alloc(arena, m + 1, sizeof(double));
    spectrum->work = sprag_arena_alloc(arena, sprag_eigenvalues_work((int)m), sizeof(double));
    if (!spectrum->UD || !spectrum->Q || !spectrum->P || !spectrum->form || !spectrum->real ||
        !spectrum->imaginary || !spectrum->work)
        return SPRAG_ERROR_MEMORY;
    for (int p = 0; p < view->rank; p++)
        for (int j = 0; j < view->n; j++) {
            double sum = 0;
            for (int i = 0; i < view->n; i++)
                sum += view->U[i * view->n + p] * view->D[i * view->n + j];
            spectrum->UD[p * view->n + j] = sum;
        }
    return SPRAG_OK;
}

// out = Uᵀ D diag(weight) U.
static void project(const LayerView *view, const double *UD, const double *weight, double *out)
{
    int n = view->n, r = view->rank;
    for (int p = 0; p < r; p++)
        for (int q = 0; q < r; q++) {
            double sum = 0;
            for (int j = 0; j < n; j++)
                sum += UD[p * n + j] * weight[j] * view->U[j * n + q];
            out[p * r + q] = sum;
        }
}

static double time_unit(const double *Q, int n)
{
    double largest = 0;
    for (int i = 0; i < n * n; i++)
        largest = fmax(largest, fabs(Q[i]));
    return largest > 0 ? 1 / sqrt(largest) : 1;
}

static double largest_of(const LayerSpectrum *spectrum)
{
    double largest = 0;
    for (int i = 0; i < spectrum->count; i++)
        largest = fmax(largest, hypot(spectrum->real[i], spectrum->imaginary[i]));
    return largest;
}

bool layer_spectrum_grows(const LayerSpectrum *spectrum, int i)
{
    return spectrum->real[i] >= -ZERO_TOLERANCE * largest_of(spectrum);
}

// One row: the roots of s² + P s + Q, the smaller one without cancellation; signs decide.
static void solve_one(LayerSpectrum *spectrum)
{
    double P = spectrum->P[0], Q = spectrum->Q[0], discriminant = P * P / 4 - Q;
    double *re = spectrum->real, *im = spectrum->imaginary;
    re[0] = re[1] = -P / 2;
    im[0] = discriminant < 0 ? sqrt(-discriminant) : 0;
    im[1] = -im[0];
    if (discriminant >= 0) {
        double larger = -P / 2 - copysign(sqrt(discriminant), P);
        double smaller = larger != 0 ? Q / larger : 0;
        re[0] = fmax(larger, smaller);
        re[1] = fmin(larger, smaller);
    }
    spectrum->stability = Q > 0 && P > 0     ? SPRAG_STABLE
                          : discriminant < 0 ? SPRAG_FLUTTER
                                             : SPRAG_DIVERGENT;
}

SpragStatus layer_spectrum_solve(const LayerView *view, const double *stiffness,
                                 const double *damping, LayerSpectrum *spectrum)
{
    int r = view->rank, m = spectrum->count;
    double *A = spectrum->form;
    project(view, spectrum->UD, stiffness, spectrum->Q);
    project(view, spectrum->UD, damping, spectrum->P);
    double unit = spectrum->unit = time_unit(spectrum->Q, r);
    if (r == 1) {
        solve_one(spectrum);
        return SPRAG_OK;
    }
    for (int i = 0; i < r; i++)
        for (int j = 0; j < r; j++) {
            A[i * m + j] = 0;
            A[i * m + r + j] = i == j;
            A[(r + i) * m + j] = -spectrum->Q[i * r + j] * unit * unit;
            A[(r + i) * m + r + j] = -spectrum->P[i * r + j] * unit;
        }
    if (!sprag_eigenvalues(m, A, spectrum->real, spectrum->imaginary, spectrum->work))
        return sprag_fail(view->context, SPRAG_ERROR_NUMERIC,
                          "the eigenvalues of the contact layer did not converge");
    for (int i = 0; i < m; i++) {
        spectrum->real[i] /= unit;
        spectrum->imaginary[i] /= unit;
    }
    // sorted by real part: the first one decides
    bool grows = m > 0 && layer_spectrum_grows(spectrum, 0);
    bool turns = m > 0 && fabs(spectrum->imaginary[0]) > ZERO_TOLERANCE * largest_of(spectrum);
    spectrum->stability = !grows ? SPRAG_STABLE : turns ? SPRAG_FLUTTER : SPRAG_DIVERGENT;
    return SPRAG_OK;
}

// out = Uᵀ M U.
static void restrict_to_range(const LayerView *view, const double *M, double *out)
{
    int n = view->n, r = view->rank;
    for (int p = 0; p < r; p++)
        for (int q = 0; q < r; q++) {
            double sum = 0;
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    sum += view->U[i * n + p] * M[i * n + j] * view->U[j * n + q];
            out[p * r + q] = sum;
        }
}

SpragStatus layer_least_ratio(const LayerView *view, const double *G, double *least)
{
    int r = view->rank;
    size_t square = (size_t)r * (size_t)r;
    double *smooth = sprag_arena_alloc(view->arena, 3 * square + 4 * (size_t)r, sizeof *smooth);
    double *work = sprag_arena_alloc(view->arena, sprag_eigenvalues_work(r), sizeof *work);
    int *order = sprag_arena_alloc(view->arena, 2 * (size_t)r, sizeof *order);
    if (!smooth || !work || !order)
        return SPRAG_ERROR_MEMORY;
    double *D = smooth + square, *X = D + square, *column = X + square, *solved = column + r;
    double *real = solved + r, *imaginary = real + r;
    restrict_to_range(view, G, smooth);
    restrict_to_range(view, view->D, D);
    *least = INFINITY;
    if (sprag_lu_factor(r, smooth, 0, order, order + r, NULL) < r)
        return SPRAG_OK;
    for (int j = 0; j < r; j++) {
        for (int i = 0; i < r; i++)
            column[i] = D[i * r + j];
        sprag_lu_solve(r, smooth, order, order + r, column, solved);
        for (int i = 0; i < r; i++)
            X[i * r + j] = solved[i];
    }
    if (!sprag_eigenvalues(r, X, real, imaginary, work))
        return SPRAG_OK;
    for (int i = 0; i < r; i++)
        *least = fmin(*least, hypot(real[i], imaginary[i]));
    return SPRAG_OK;
}
