// layer_details.c: what else the compliant layer of a motion tells: which contacts take part in an
//                  instability, how much damping would end it, whether stiffness ratios matter.
// Problem   participation: eigenvectors of (s² + s P + Q) y = 0 for every s that does not decay,
//           theory.md 8.6.1; critical factor f: Ĉ → f Ĉ in (6.5); ratios: K̂ᵢ → κᵢ K̂ᵢ with
//           Ĉᵢ → √κᵢ Ĉᵢ, which keeps each damping ratio of (6.9)
// Method    null vectors by singular values; a scan over f and bisection of its first change; all
//           exponents of κ = 10^e on a grid up to a common shift (so that the order of contacts
//           does not matter), for many contacts an additive recurrence with the generalised golden
//           ratio, and every contact against all others
// Exact     two independent rows, D = [a b; c d]: the characteristic polynomial of D K̂ has the
//           constant κ₁κ₂ det D and the trace κ₁ a + κ₂ d; its roots are real for every κ iff
//           b c ≥ 0. More rows: det D < 0 makes one real root grow for every κ.
#include <math.h>
#include <string.h>

#include "layer.h"
#include "sprag/numeric.h"

enum {
    FINE_CONTACTS = 4,   // up to here in half decades
    COARSE_CONTACTS = 6, // up to here in decades
    SAMPLE_COUNT = 200,
    DECADES = 2,     // of stiffness between contacts
    FACTOR_STEPS = 8 // of the damping factor, a decade
};
// Damping factors tried: 10^±FACTOR_DECADES; a border is bracketed to this relative width.
static const double FACTOR_DECADES = 4, FACTOR_ACCURACY = 1e-10;
// Singular values below this, relative to the largest, belong to the eigenvector: eigenvalues that
// are double are known to the square root of rounding.
static const double NULL_TOLERANCE = 1e-7;
// A determinant of D below this part of its terms has no sign.
static const double SIGN_TOLERANCE = 1e-12;

typedef struct Scan {
    const LayerView *view;
    LayerSpectrum spectrum;
    int contact_count;           // active ones
    int *contact;                // per row: which of the active ones
    int *constraint;             // per active contact
    double *exponent;            // per active contact
    double *stiffness, *damping; // per row
    bool base_stable;
    double mildest; // spread of the witness so far
    double *witness;
    SpragRatioScan *result;
} Scan;

const char *sprag_layer_source_name(SpragLayerSource source)
{
    static const char *const names[] = {"none", "default", "scene", "mixed"};
    return names[source];
}

const char *sprag_ratio_result_text(SpragRatioResult result)
{
    static const char *const texts[] = {"not tried", "stable for all ratios tried",
                                        "depends on the ratio", "unstable for all ratios tried"};
    return texts[result];
}

// ---- Participation ------------------------------------------------------------------------------

// The matrix s² + s P + Q as a real one of twice the size, in units of the spectrum.
static void fill_pencil(const LayerSpectrum *spectrum, double re, double im, double *A)
{
    int r = spectrum->count / 2, m = spectrum->count;
    double unit = spectrum->unit, s_re = re * unit, s_im = im * unit;
    double square_re = s_re * s_re - s_im * s_im, square_im = 2 * s_re * s_im;
    for (int i = 0; i < r; i++)
        for (int j = 0; j < r; j++) {
            double P = spectrum->P[i * r + j] * unit, Q = spectrum->Q[i * r + j] * unit * unit;
            double x = (i == j ? square_re : 0) + s_re * P + Q;
            double y = (i == j ? square_im : 0) + s_im * P;
            A[i * m + j] = A[(r + i) * m + r + j] = x;
            A[i * m + r + j] = -y;
            A[(r + i) * m + j] = y;
        }
}

// Raises the shares to those of the eigenvector in column k of V: √(K̂ᵢ) |zᵢ| relative to the
// largest, a measure that does not change with units or with the stiffness of a spring in series.
static void add_vector(const LayerView *view, const double *V, int k, double *amplitude,
                       double *share)
{
    int r = view->rank, m = 2 * r;
    double largest = 0;
    for (int i = 0; i < view->n; i++) {
        double re = 0, im = 0;
        for (int p = 0; p < r; p++) {
            re += view->U[i * view->n + p] * V[p * m + k];
            im += view->U[i * view->n + p] * V[(r + p) * m + k];
        }
        amplitude[i] = sqrt(view->stiffness[i]) * hypot(re, im);
        largest = fmax(largest, amplitude[i]);
    }
    for (int i = 0; i < view->n && largest > 0; i++) {
        double *entry = &share[view->constraint[i]];
        *entry = fmax(*entry, amplitude[i] / largest);
    }
}

// The deformation of the fastest mode that grows, of a size that does not depend on units.
static SpragStatus find_growing(const LayerView *view, const double *V, int k,
                                SpragSolution *solution)
{
    int r = view->rank, m = 2 * r;
    double largest = 0, sign = 1, balance = 0;
    double *growing = sprag_arena_alloc(view->arena, (size_t)view->row_count + 1, sizeof *growing);
    if (!growing)
        return SPRAG_ERROR_MEMORY;
    // a complex vector is given up to its phase: the larger of both parts
    for (int p = 0; p < r; p++)
        balance += fabs(V[p * m + k]) - fabs(V[(r + p) * m + k]);
    int part = balance >= 0 ? 0 : r;
    for (int i = 0; i < view->n; i++) {
        double z = 0;
        for (int p = 0; p < r; p++)
            z += view->U[i * view->n + p] * V[(part + p) * m + k];
        growing[view->row[i]] = z;
        // entries that are equal up to rounding must not decide the sign
        if (sqrt(view->stiffness[i]) * fabs(z) > 1.001 * largest) {
            largest = sqrt(view->stiffness[i]) * fabs(z);
            sign = z < 0 ? -1 : 1;
        }
    }
    for (int i = 0; i < view->row_count && largest > 0; i++)
        growing[i] *= sign / largest;
    solution->growing = growing;
    return SPRAG_OK;
}

static SpragStatus find_participation(const LayerView *view, const LayerSpectrum *spectrum,
                                      SpragSolution *solution)
{
    size_t m = (size_t)spectrum->count;
    double *share =
        sprag_arena_alloc(view->arena, (size_t)view->constraint_count + 1, sizeof *share);
    double *A = sprag_arena_alloc(view->arena, m * m + 1, sizeof *A);
    double *V = sprag_arena_alloc(view->arena, m * m + 1, sizeof *V);
    double *s = sprag_arena_alloc(view->arena, m + 1, sizeof *s);
    double *amplitude = sprag_arena_alloc(view->arena, (size_t)view->n + 1, sizeof *amplitude);
    if (!share || !A || !V || !s || !amplitude)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < spectrum->count && layer_spectrum_grows(spectrum, i); i++) {
        if (spectrum->imaginary[i] < 0)
            continue;
        fill_pencil(spectrum, spectrum->real[i], spectrum->imaginary[i], A);
        sprag_svd(spectrum->count, spectrum->count, A, s, V);
        if (!solution->growing)
            SPRAG_TRY(find_growing(view, V, spectrum->count - 1, solution));
        // a complex null vector is two real ones
        for (int k = spectrum->count - 1; k >= 0; k--)
            if (k >= spectrum->count - 2 || s[k] <= NULL_TOLERANCE * s[0])
                add_vector(view, V, k, amplitude, share);
    }
    solution->participation = share;
    return SPRAG_OK;
}

// The deformation that D all but loses: the last right singular vector of Q.
static SpragStatus find_weakest(const LayerView *view, const LayerSpectrum *spectrum,
                                SpragSolution *solution)
{
    size_t r = (size_t)view->rank, m = 2 * r;
    double *A = sprag_arena_alloc(view->arena, r * r + 1, sizeof *A);
    double *V = sprag_arena_alloc(view->arena, r * r + 1, sizeof *V);
    double *vector = sprag_arena_alloc(view->arena, m * m + 1, sizeof *vector);
    double *s = sprag_arena_alloc(view->arena, r + 1, sizeof *s);
    double *amplitude = sprag_arena_alloc(view->arena, (size_t)view->n + 1, sizeof *amplitude);
    double *share =
        sprag_arena_alloc(view->arena, (size_t)view->constraint_count + 1, sizeof *share);
    if (!A || !V || !vector || !s || !amplitude || !share)
        return SPRAG_ERROR_MEMORY;
    memcpy(A, spectrum->Q, r * r * sizeof *A);
    sprag_svd(view->rank, view->rank, A, s, V);
    for (size_t p = 0; p < r; p++)
        vector[p * m] = V[p * r + r - 1];
    add_vector(view, vector, 0, amplitude, share);
    solution->participation = share;
    return SPRAG_OK;
}

// ---- Critical factor on the damping -------------------------------------------------------------

static SpragStatus is_stable_at(Scan *scan, double factor, bool *stable)
{
    for (int i = 0; i < scan->view->n; i++)
        scan->damping[i] = factor * scan->view->damping[i];
    SPRAG_TRY(
        layer_spectrum_solve(scan->view, scan->view->stiffness, scan->damping, &scan->spectrum));
    *stable = scan->spectrum.stability == SPRAG_STABLE;
    return SPRAG_OK;
}

// The first factor at which stability is not what it is at 1: more damping for a motion that
// flutters, less for one that is stable.
static SpragStatus find_critical_factor(Scan *scan, double *critical)
{
    double sign = scan->base_stable ? -1 : 1, near = 0, far = 0;
    bool stable = scan->base_stable;
    *critical = 0;
    for (int k = 1; k <= FACTOR_DECADES * FACTOR_STEPS && stable == scan->base_stable; k++) {
        near = far;
        far = sign * k / FACTOR_STEPS;
        SPRAG_TRY(is_stable_at(scan, pow(10, far), &stable));
    }
    if (stable == scan->base_stable)
        return SPRAG_OK;
    while (fabs(far - near) > FACTOR_ACCURACY) {
        double middle = 0.5 * (near + far);
        SPRAG_TRY(is_stable_at(scan, pow(10, middle), &stable));
        *(stable == scan->base_stable ? &near : &far) = middle;
    }
    *critical = pow(10, far);
    return SPRAG_OK;
}

// ---- Ratios of stiffness ------------------------------------------------------------------------

// Stability at the exponents of the scan.
static SpragStatus try_exponents(Scan *scan)
{
    const LayerView *view = scan->view;
    double least = INFINITY, greatest = -INFINITY;
    for (int k = 0; k < scan->contact_count; k++) {
        least = fmin(least, scan->exponent[k]);
        greatest = fmax(greatest, scan->exponent[k]);
    }
    for (int i = 0; i < view->n; i++) {
        double factor = pow(10, scan->exponent[scan->contact[i]] - least);
        scan->stiffness[i] = factor * view->stiffness[i];
        scan->damping[i] = sqrt(factor) * view->damping[i];
    }
    SPRAG_TRY(layer_spectrum_solve(view, scan->stiffness, scan->damping, &scan->spectrum));
    bool stable = scan->spectrum.stability == SPRAG_STABLE;
    scan->result->tried++;
    scan->result->stable += stable;
    if (stable == scan->base_stable || greatest - least >= scan->mildest)
        return SPRAG_OK;
    scan->mildest = greatest - least;
    scan->result->witness = scan->witness;
    scan->result->witness_stability = scan->spectrum.stability;
    for (int k = 0; k < scan->contact_count; k++)
        scan->witness[scan->constraint[k]] = pow(10, scan->exponent[k] - least);
    return SPRAG_OK;
}

// Every vector of {0, step, …, DECADES} whose least entry is 0.
static SpragStatus try_grid(Scan *scan, int levels)
{
    double step = (double)DECADES / (levels - 1), top = DECADES + step / 2;
    for (int k = 0; k < scan->contact_count;) {
        bool shifted = true;
        for (int i = 0; i < scan->contact_count; i++)
            shifted &= scan->exponent[i] > 0;
        if (!shifted)
            SPRAG_TRY(try_exponents(scan));
        for (k = 0; k < scan->contact_count; k++) {
            scan->exponent[k] += step;
            if (scan->exponent[k] < top)
                break;
            scan->exponent[k] = 0;
        }
    }
    return SPRAG_OK;
}

// φ with φ^(d+1) = φ + 1, by the iteration that defines it.
static double golden_ratio(int d)
{
    double phi = 2;
    for (int i = 0; i < 60; i++)
        phi = pow(1 + phi, 1.0 / (d + 1));
    return phi;
}

static SpragStatus try_sample(Scan *scan)
{
    int m = scan->contact_count;
    double phi = golden_ratio(m);
    SPRAG_TRY(try_exponents(scan));
    for (int k = 0; k < m; k++) {
        for (int e = -DECADES; e <= DECADES; e++) {
            scan->exponent[k] = e;
            if (e != 0)
                SPRAG_TRY(try_exponents(scan));
        }
        scan->exponent[k] = 0;
    }
    for (int s = 1; s <= SAMPLE_COUNT; s++) {
        double step = 1;
        for (int k = 0; k < m; k++) {
            double whole;
            step /= phi;
            scan->exponent[k] = DECADES * modf(0.5 + s * step, &whole);
        }
        SPRAG_TRY(try_exponents(scan));
    }
    return SPRAG_OK;
}

// What the signs of D prove for every ratio of stiffness; NONE: nothing.
static SpragStatus prove(const LayerView *view, SpragRatioResult *proven)
{
    int n = view->n, sign = 0;
    const double *D = view->D;
    *proven = SPRAG_RATIOS_NONE;
    if (view->rank < n)
        return SPRAG_OK;
    if (n == 2) {
        double product = D[0] * D[3], other = D[1] * D[2], determinant = product - other;
        double zero = SIGN_TOLERANCE * (fabs(product) + fabs(other));
        if (determinant < -zero || (D[0] <= 0 && D[3] <= 0))
            *proven = SPRAG_RATIOS_UNSTABLE;
        else if (D[0] > 0 && D[3] > 0 && determinant > zero && other >= 0)
            *proven = SPRAG_RATIOS_STABLE;
        return SPRAG_OK;
    }
    double *LU = sprag_arena_alloc(view->arena, (size_t)n * (size_t)n, sizeof *LU);
    int *rows = sprag_arena_alloc(view->arena, 2 * (size_t)n, sizeof *rows);
    if (!LU || !rows)
        return SPRAG_ERROR_MEMORY;
    double largest = 0;
    for (int i = 0; i < n * n; i++) {
        LU[i] = D[i];
        largest = fmax(largest, fabs(D[i]));
    }
    if (sprag_lu_factor(n, LU, SIGN_TOLERANCE * largest, rows, rows + n, &sign) == n && sign < 0)
        *proven = SPRAG_RATIOS_UNSTABLE;
    return SPRAG_OK;
}

static SpragStatus find_ratios(Scan *scan)
{
    SpragRatioScan *result = scan->result;
    SpragRatioResult proven;
    int m = scan->contact_count;
    scan->mildest = INFINITY;
    for (int c = 0; c < scan->view->constraint_count; c++)
        scan->witness[c] = NAN;
    SPRAG_TRY(prove(scan->view, &proven));
    if (m <= FINE_CONTACTS)
        SPRAG_TRY(try_grid(scan, 2 * DECADES + 1));
    else if (m <= COARSE_CONTACTS)
        SPRAG_TRY(try_grid(scan, DECADES + 1));
    else
        SPRAG_TRY(try_sample(scan));
    result->result = result->stable == result->tried ? SPRAG_RATIOS_STABLE
                     : result->stable == 0           ? SPRAG_RATIOS_UNSTABLE
                                                     : SPRAG_RATIOS_DEPEND;
    result->proven = result->result == proven;
    return SPRAG_OK;
}

// ---- Driver -------------------------------------------------------------------------------------

static SpragStatus begin_scan(const LayerView *view, SpragSolution *solution, Scan *scan)
{
    size_t n = (size_t)view->n + 1, c = (size_t)view->constraint_count + 1;
    *scan = (Scan){.view = view, .result = &solution->ratios, .base_stable = solution->stable};
    scan->contact = sprag_arena_alloc(view->arena, n, sizeof(int));
    scan->constraint = sprag_arena_alloc(view->arena, n, sizeof(int));
    scan->exponent = sprag_arena_alloc(view->arena, n, sizeof(double));
    scan->stiffness = sprag_arena_alloc(view->arena, n, sizeof(double));
    scan->damping = sprag_arena_alloc(view->arena, n, sizeof(double));
    scan->witness = sprag_arena_alloc(view->arena, c, sizeof(double));
    if (!scan->contact || !scan->constraint || !scan->exponent || !scan->stiffness ||
        !scan->damping || !scan->witness)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < view->n; i++) {
        // rows of a contact follow each other
        if (i == 0 || view->constraint[i] != view->constraint[i - 1])
            scan->constraint[scan->contact_count++] = view->constraint[i];
        scan->contact[i] = scan->contact_count - 1;
    }
    return layer_spectrum_create(view, &scan->spectrum);
}

SpragStatus layer_details(const LayerView *view, bool scans, SpragSolution *solution)
{
    Scan scan;
    SPRAG_TRY(begin_scan(view, solution, &scan));
    if (!solution->stable || solution->nearly_singular)
        SPRAG_TRY(layer_spectrum_solve(view, view->stiffness, view->damping, &scan.spectrum));
    if (!solution->stable)
        SPRAG_TRY(find_participation(view, &scan.spectrum, solution));
    else if (solution->nearly_singular)
        SPRAG_TRY(find_weakest(view, &scan.spectrum, solution));
    if (scan.contact_count < 2 || !scans)
        return SPRAG_OK;
    if (solution->layer_source != SPRAG_LAYER_DEFAULT && solution->stability != SPRAG_DIVERGENT)
        SPRAG_TRY(find_critical_factor(&scan, &solution->critical_factor));
    return find_ratios(&scan);
}
