// layer_spectrum.c: eigenvalues of a compliant layer with any stiffness and damping.
// Problem   y'' + Uᵀ D Ĉ U y' + Uᵀ D K̂ U y = 0, theory.md (6.5), (6.8)
// Method    eigenvalues of the first-order form, with time in units that make its entries alike
#include <math.h>

#include "layer.h"
#include "sprag/numeric.h"

// Real and imaginary parts this small, relative to the largest eigenvalue, are zero.
static const double ZERO_TOLERANCE = 1e-10;

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

SpragStatus layer_spectrum_solve(const LayerView *view, const double *stiffness,
                                 const double *damping, LayerSpectrum *spectrum)
{
    int r = view->rank, m = spectrum->count;
    double *A = spectrum->form;
    project(view, spectrum->UD, stiffness, spectrum->Q);
    project(view, spectrum->UD, damping, spectrum->P);
    double unit = spectrum->unit = time_unit(spectrum->Q, r);
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
