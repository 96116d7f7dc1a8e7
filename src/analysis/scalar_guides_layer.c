// scalar_guides_layer.c: is a motion of several guides stable? theory.md 9.4.
// Problem   w'' + M (K w + D w') = …, M = I + C P E diag(mu sigma s), w the stretch of the guides'
//           springs (9.24), with the slips of the guides that stick held
// Method    eigenvalues z of H = M K: real and positive: stable, with or without damping; real and
//           not positive: divergent; complex ones flutter unless damping prevents it: decided at
//           the damping given, else at the ratio 0.1 of a guide without friction, as (6.9).
// Assumes   F = 0 nowhere in the motion: there the matrix belongs to one of the branches that meet
#include <math.h>
#include <string.h>

#include "scalar_guides.h"
#include "sprag/numeric.h"

enum { MOST = SPRAG_GUIDES_MOST };

static const double DAMPING_RATIO = 0.1;

void sprag_guides_layer(const SpragGuides *guides, int guide, double *stiffness, double *damping)
{
    double square = 0;
    for (int i = 0; i < guides->n; i++)
        square += guides->C[guide * guides->n + i] * guides->C[guide * guides->n + i];
    double along = square > 0 ? sqrt(square) : 1; // stretch w of a spring that is stretched by 1
    *stiffness = guides->stiffness ? guides->stiffness[guide] / along : 1;
    *damping = guides->damping ? guides->damping[guide] / along : 0;
}

static bool invert(int n, const double *A, double *inverse, double *work)
{
    int rows[MOST], columns[MOST];
    double unit[MOST], x[MOST], largest = 0;
    memcpy(work, A, (size_t)n * (size_t)n * sizeof *work);
    for (int i = 0; i < n * n; i++)
        largest = fmax(largest, fabs(A[i]));
    if (sprag_lu_factor(n, work, 1e-15 * largest, rows, columns, NULL) != n)
        return false;
    for (int j = 0; j < n; j++) {
        memset(unit, 0, sizeof unit);
        unit[j] = 1;
        sprag_lu_solve(n, work, rows, columns, unit, x);
        for (int i = 0; i < n; i++)
            inverse[i * n + j] = x[i];
    }
    return true;
}

// One guide after the other: P - P e e'P/(e'P e). A guide that others hold already changes nothing.
bool sprag_guides_mobility(const SpragGuides *guides, const int *slip, double *P, double *work)
{
    const double nothing = 1e-12; // of e'A⁻¹e
    int n = guides->n;
    double u[MOST], whole[MOST] = {0};
    if (!invert(n, guides->A, P, work))
        return false;
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < guides->m; j++) {
            double share = 0;
            for (int i = 0; i < n; i++) {
                u[i] = 0;
                for (int k = 0; k < n; k++)
                    u[i] += P[i * n + k] * guide_effect(guides, k, j);
                share += u[i] * guide_effect(guides, i, j);
            }
            if (pass == 0)
                whole[j] = share;
            if (pass == 0 || slip[j] != 0 || !(share > nothing * whole[j]))
                continue;
            for (int i = 0; i < n; i++)
                for (int k = 0; k < n; k++)
                    P[i * n + k] -= u[i] * u[k] / share;
        }
    return true;
}

// M = I + C P E diag(mu sigma s), m × m.
static bool fill_matrix(const SpragGuides *guides, const SpragGuidesMotion *motion, double *M)
{
    double P[MOST * MOST], work[MOST * MOST];
    int n = guides->n, m = guides->m;
    if (!sprag_guides_mobility(guides, motion->slip, P, work))
        return false;
    for (int j = 0; j < m; j++) {
        double force[MOST], answer[MOST];
        double mu = guides->friction[j] * motion->slip[j] * motion->sign[j];
        for (int i = 0; i < n; i++)
            force[i] = mu * guide_effect(guides, i, j);
        for (int i = 0; i < n; i++) {
            answer[i] = 0;
            for (int k = 0; k < n; k++)
                answer[i] += P[i * n + k] * force[k];
        }
        for (int i = 0; i < m; i++) {
            M[i * m + j] = i == j;
            for (int k = 0; k < n; k++)
                M[i * m + j] += guides->C[i * n + k] * answer[k];
        }
    }
    return true;
}

// Real parts of the exponents of w'' + M (K w + D w') = 0: the largest. ratio: damping of a guide
// without friction where none is given.
static SpragStatus find_growth(const SpragGuides *guides, SpragArena *arena, const double *M,
                               double ratio, double *growth)
{
    int m = guides->m, size = 2 * m;
    size_t entries = (size_t)size * (size_t)size;
    double *big = sprag_arena_alloc(arena, entries + 2 * (size_t)size, sizeof *big);
    double *scratch = sprag_arena_alloc(arena, sprag_eigenvalues_work(size), sizeof *scratch);
    if (!big || !scratch)
        return SPRAG_ERROR_MEMORY;
    double *real = big + entries, *imaginary = real + size;
    memset(big, 0, entries * sizeof *big);
    for (int j = 0; j < m; j++) {
        double stiffness, damping;
        sprag_guides_layer(guides, j, &stiffness, &damping);
        if (!guides->stiffness || !guides->damping)
            damping = 2 * ratio * sqrt(stiffness);
        big[j * size + m + j] = 1;
        for (int i = 0; i < m; i++) {
            big[(m + i) * size + j] = -M[i * m + j] * stiffness;
            big[(m + i) * size + m + j] = -M[i * m + j] * damping;
        }
    }
    *growth = NAN;
    if (!sprag_eigenvalues(size, big, real, imaginary, scratch))
        return SPRAG_OK;
    for (int i = 0; i < size; i++)
        *growth = fmax(*growth, real[i]);
    return SPRAG_OK;
}

static SpragStability classify(int count, const double *real, const double *imaginary)
{
    SpragStability stability = SPRAG_STABLE;
    for (int i = 0; i < count; i++) {
        if (imaginary[i] == 0 && !(real[i] > 0))
            return SPRAG_DIVERGENT;
        if (imaginary[i] != 0 && stability != SPRAG_FLUTTER)
            stability = real[i] > 0 ? SPRAG_DEPENDS : SPRAG_FLUTTER;
    }
    return stability;
}

SpragStatus guides_judge(const SpragGuides *guides, SpragArena *arena, SpragGuidesMotion *motion)
{
    int m = guides->m;
    double M[MOST * MOST], H[MOST * MOST], real[MOST], imaginary[MOST], stiffness, damping;
    double *scratch = sprag_arena_alloc(arena, sprag_eigenvalues_work(m), sizeof *scratch);
    motion->eigenvalues = sprag_arena_alloc(arena, (size_t)m, sizeof *motion->eigenvalues);
    if (!scratch || !motion->eigenvalues)
        return SPRAG_ERROR_MEMORY;
    motion->stability = SPRAG_DEPENDS;
    motion->growth = NAN;
    if (!fill_matrix(guides, motion, M))
        return SPRAG_OK;
    for (int j = 0; j < m; j++) {
        sprag_guides_layer(guides, j, &stiffness, &damping);
        for (int i = 0; i < m; i++)
            H[i * m + j] = M[i * m + j] * stiffness;
    }
    if (!sprag_eigenvalues(m, H, real, imaginary, scratch))
        return SPRAG_OK;
    motion->eigenvalue_count = m;
    for (int i = 0; i < m; i++) {
        motion->eigenvalues[i].real = real[i];
        motion->eigenvalues[i].imaginary = imaginary[i];
    }
    motion->stability = classify(m, real, imaginary);
    motion->stable = motion->stability == SPRAG_STABLE;
    if (guides->stiffness)
        SPRAG_TRY(find_growth(guides, arena, M, 0, &motion->growth));
    if (motion->stability == SPRAG_DEPENDS) {
        double growth;
        SPRAG_TRY(find_growth(guides, arena, M, DAMPING_RATIO, &growth));
        motion->stable = growth < 0;
    }
    return SPRAG_OK;
}
