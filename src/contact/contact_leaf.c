// contact_leaf.c: the motion of one complete mode, if it has any.
// Problem   J_f ξ = −b_f with ξ = S_fᵀ x (D = J_f M⁻¹ S_fᵀ of theory.md (6.2)), x in the cones, a
//           with the mode's signs
// Method    J_f is replaced by an orthonormal basis Q of its rows: Q S_fᵀ x = Q ξ₀. Dependent rows
//           are gone then, and nearly dependent ones (a light body under a heavy one) do not square
//           their distance. One linear solve when Q S_fᵀ is regular; else a linear program for a
//           point, and one per direction in which it leaves the motion open, to tell a continuum
//           from an isolated one
#include <math.h>

#include "contact_search.h"
#include "sprag/complementarity.h"
#include "sprag/numeric.h"

// Entries of the scaled problem below this are rounding.
static const double NOISE = 1e-13;
// Widths of a set of motions below this are rounding of the linear programs.
static const double WIDTH_TOLERANCE = 1e-8;

typedef struct System {
    int m, n;
    double *D, *right; // D x = right, m × n
    double threshold;  // pivots not above it are zero
} System;

static void build_system(const Reduced *reduced, const Leaf *leaf, System *system)
{
    int m = leaf->rank, n = leaf->count, w = reduced->width;
    double longest = 0;
    system->m = m;
    system->n = n;
    system->D = leaf->room->D;
    system->right = leaf->room->right;
    for (int i = 0; i < m; i++) {
        const double *q = leaf->basis + (size_t)i * (size_t)w;
        for (int j = 0; j < n; j++)
            system->D[i * n + j] = leaf_product(reduced, leaf, q, 1, j);
        system->right[i] = 0;
        for (int j = 0; j < w; j++)
            system->right[i] += q[j] * (leaf->point[j] - (leaf->load ? leaf->load[j] : 0));
    }
    for (int j = 0; j < n; j++)
        longest = fmax(longest, leaf->length[j]);
    system->threshold = reduced->singular * longest;
}

// g·x ≥ h up to the tolerance, relative to the terms of the sum.
static bool inside(const Reduced *reduced, const HalfSpaces *half, const double *x)
{
    for (int i = 0; i < half->count; i++) {
        double sum = -half->h[i], size = fmax(1, fabs(half->h[i]));
        for (int j = 0; j < half->n; j++) {
            sum += half->g[i * half->n + j] * x[j];
            size += fabs(half->g[i * half->n + j] * x[j]);
        }
        if (sum < -reduced->tolerance * size)
            return false;
    }
    return true;
}

// −g x ≤ −h + tolerance and D x = right as a linear program without objective.
static SpragStatus build_program(const Reduced *reduced, const System *system,
                                 const HalfSpaces *half, SpragLp *program)
{
    int n = system->n, m = half->count, e = system->m;
    double *A = sprag_arena_alloc(reduced->arena, (size_t)(m + e) * (size_t)n + 1, sizeof *A);
    double *b = sprag_arena_alloc(reduced->arena, (size_t)(m + e) + 1, sizeof *b);
    if (!A || !b)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < m * n; i++)
        A[i] = fabs(half->g[i]) > NOISE ? -half->g[i]
                                        : 0; // the program scales rows: no row of rounding
    for (int i = 0; i < m; i++)
        b[i] = -half->h[i] + reduced->tolerance;
    for (int i = 0; i < e * n; i++)
        A[m * n + i] = system->D[i];
    for (int i = 0; i < e; i++)
        b[m + i] = system->right[i];
    *program = (SpragLp){n, m, e, A, b, NULL};
    return SPRAG_OK;
}

// Number of independent directions in which the motion varies over the feasible set.
static SpragStatus count_free_directions(const Reduced *reduced, const Leaf *leaf,
                                         const System *system, const SpragLp *program,
                                         LeafResult *result)
{
    int n = leaf->count, w = reduced->width;
    SpragArena *arena = reduced->arena;
    double *D = sprag_arena_alloc(arena, (size_t)system->m * (size_t)n + 1, sizeof *D);
    double *V = sprag_arena_alloc(arena, (size_t)n * (size_t)n + 1, sizeof *V);
    double *s = sprag_arena_alloc(arena, (size_t)n + 1, sizeof *s);
    double *open = sprag_arena_alloc(arena, (size_t)w * (size_t)n + 1, sizeof *open);
    double *c = sprag_arena_alloc(arena, 2 * (size_t)n + 1, sizeof *c);
    if (!D || !V || !s || !open || !c)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < system->m * n; i++)
        D[i] = system->D[i];
    sprag_svd(system->m, n, D, s, V);
    // columns of `open`: the motions that null vectors of D make
    int null_count = 0;
    for (int k = 0; k < n; k++) {
        if (s[k] > system->threshold * n)
            continue;
        for (int j = 0; j < w; j++) {
            double sum = 0;
            for (int i = 0; i < n; i++)
                sum += leaf->column[i * w + j] * V[i * n + k];
            open[j * n + null_count] = sum;
        }
        null_count++;
    }
    for (int j = 0; j < w; j++)
        for (int k = null_count; k < n; k++)
            open[j * n + k] = 0;
    sprag_svd(w, n, open, s, NULL);
    for (int k = 0; k < null_count && s[k] > WIDTH_TOLERANCE; k++) {
        // width of the set in the direction of this motion
        double ends[2] = {0, 0};
        SpragLpStatus status;
        for (int i = 0; i < n; i++) {
            c[i] = 0;
            for (int j = 0; j < w; j++)
                c[i] += leaf->column[i * w + j] * open[j * n + k] / s[k];
            c[n + i] = -c[i];
        }
        SPRAG_TRY(sprag_lp_maxima(arena, program, reduced->tolerance, 2, c, ends, &status));
        result->undecided |= status == SPRAG_LP_LIMIT;
        result->dimension += ends[0] + ends[1] > WIDTH_TOLERANCE;
    }
    return SPRAG_OK;
}

static SpragStatus solve_singular(const Reduced *reduced, const Leaf *leaf, const System *system,
                                  const HalfSpaces *half, LeafResult *result)
{
    int n = leaf->count;
    double *x = sprag_arena_alloc(reduced->arena, (size_t)n + 1, sizeof *x);
    double *c = sprag_arena_alloc(reduced->arena, (size_t)n + 1, sizeof *c);
    SpragLp program;
    SpragLpStatus status;
    if (!x || !c)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(build_program(reduced, system, half, &program));
    // of a continuum the member with the least normal forces is reported
    for (int i = 0; i < n; i++)
        c[i] = leaf->tangential[i] || leaf->cells[leaf->constraint[i]].sigma == 0 ? 0 : -1;
    program.c = c;
    SPRAG_TRY(sprag_lp_solve(reduced->arena, &program, reduced->tolerance, x, NULL, &status));
    result->undecided = status == SPRAG_LP_LIMIT;
    result->found = status == SPRAG_LP_OPTIMAL;
    if (!result->found)
        return SPRAG_OK;
    leaf_motion(reduced, leaf, x, result->xi);
    return count_free_directions(reduced, leaf, system, &program, result);
}

SpragStatus leaf_solve(const Reduced *reduced, const Leaf *leaf, LeafResult *result)
{
    int n = leaf->count;
    System system;
    HalfSpaces half;
    build_system(reduced, leaf, &system);
    leaf_half_spaces(reduced, leaf, true, &half);
    if (leaf->rank < n && leaf->rank == reduced->width) {
        // the equalities leave one motion, whose signs were tested; its forces are found later
        result->found = true;
        for (int j = 0; j < reduced->width; j++)
            result->xi[j] = leaf->point[j];
        return SPRAG_OK;
    }
    if (leaf->rank < n)
        return solve_singular(reduced, leaf, &system, &half, result);
    double *factors = leaf->room->factors, *x = leaf->room->x;
    int *permutation = leaf->room->permutation;
    for (int i = 0; i < n * n; i++)
        factors[i] = system.D[i];
    int rank = sprag_lu_factor(n, factors, system.threshold, permutation, permutation + n, NULL);
    if (rank < n)
        return solve_singular(reduced, leaf, &system, &half, result);
    sprag_lu_solve(n, factors, permutation, permutation + n, system.right, x);
    result->found = result->regular = inside(reduced, &half, x) && bearing_admits(reduced, leaf, x);
    result->x = x;
    if (result->found)
        leaf_motion(reduced, leaf, x, result->xi);
    return SPRAG_OK;
}

SpragStatus leaf_respond(const Reduced *reduced, const Leaf *leaf, int loads, const double *load,
                         double *x0, double *X, bool *regular)
{
    int n = leaf->count, w = reduced->width;
    System system;
    *regular = false;
    if (leaf->rank < n)
        return SPRAG_OK;
    build_system(reduced, leaf, &system);
    double *factors = leaf->room->factors;
    int *permutation = leaf->room->permutation;
    double *right = sprag_arena_alloc(reduced->arena, (size_t)n + 1, sizeof *right);
    if (!right)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < n * n; i++)
        factors[i] = system.D[i];
    if (sprag_lu_factor(n, factors, system.threshold, permutation, permutation + n, NULL) < n)
        return SPRAG_OK;
    *regular = true;
    sprag_lu_solve(n, factors, permutation, permutation + n, system.right, x0);
    for (int k = 0; k < loads; k++) {
        for (int i = 0; i < n; i++) {
            right[i] = 0;
            for (int j = 0; j < w; j++)
                right[i] -= leaf->basis[(size_t)i * (size_t)w + (size_t)j] * load[k * w + j];
        }
        sprag_lu_solve(n, factors, permutation, permutation + n, right, X + (size_t)k * (size_t)n);
    }
    return SPRAG_OK;
}
