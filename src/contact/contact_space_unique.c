// contact_space_unique.c: no second motion of a mode within given sectors of directions.
// Problem   theory.md (13.15): (ξ*, d*) solves the equations of a mode with starting contacts i
// (whatever the signs of
//           its forces); may another solution (ξ, d) have its directions within D_i of d*_i?
// Method    η = ξ − ξ* lies in P, the complement of the equality rows. With u_i, v_i the tangents
//           across and along d*_i, a_T ∥ d gives u_i·η = s_i sin Δ_i, and the balance of forces off
//           the range of the columns at d* (complement Z) is exactly
//               (Zᵀ + Σ θ_i Zᵀ(u_i − τ_i v_i) u_iᵀ) P η = 0,  θ_i = μ x_i/s_i ≥ 0,  τ_i = tan Δ_i/2
//           Each term has rank one, so the determinant is affine in each pair (θ_i, θ_i τ_i): it is
//           a mean of its values at the corners (θ = 0; θ → ∞ with τ = ± tan D/2) with positive
//           weights. If it is not zero at θ = 0, and nowhere of the other sign, η = 0
// Assumes   D < π. A border row and column per contact makes room for θ → ∞
#include <math.h>

#include "contact_space.h"
#include "sprag/numeric.h"

enum { MOST_STARTS = 6 };
// Columns this nearly dependent count as dependent; determinants below this, relative to the
// product of their rows, vanish.
static const double DEPENDENT = 1e-9, VANISHES = 1e-9;

typedef struct Unique {
    const SpaceMode *mode;
    int k, e;                    // starting contacts; dimension of P and Z
    double tangent[MOST_STARTS]; // tan D/2
    double *P, *Z;               // e × width
    double *u, *v;               // k × width
    double *K;                   // (e + k)²
    int *permutation;
} Unique;

// Completes `count` orthonormal rows to a basis of the space; the new rows follow.
static void complete_basis(double *basis, int count, int w)
{
    for (; count < w; count++) {
        double *q = basis + count * w, best = -1;
        int chosen = 0;
        for (int axis = 0; axis < w; axis++) {
            double rest = 1;
            for (int k = 0; k < count; k++)
                rest -= basis[k * w + axis] * basis[k * w + axis];
            if (rest > best) {
                best = rest;
                chosen = axis;
            }
        }
        for (int j = 0; j < w; j++)
            q[j] = j == chosen;
        double length = space_take_out(basis, count, w, q);
        for (int j = 0; j < w; j++)
            q[j] /= length;
    }
}

// Orthonormal rows that span the columns of the mode; returns their number.
static int span_columns(const SpaceMode *mode, double *basis)
{
    int w = mode->reduced->width, count = 0;
    double longest = 0;
    for (int i = 0; i < mode->n; i++)
        longest = fmax(longest, space_dot(mode->column + i * w, mode->column + i * w, w));
    for (int i = 0; i < mode->n && count < w; i++) {
        double *q = basis + count * w;
        for (int j = 0; j < w; j++)
            q[j] = mode->column[i * w + j];
        double length = space_take_out(basis, count, w, q);
        if (length <= DEPENDENT * sqrt(longest))
            continue;
        for (int j = 0; j < w; j++)
            q[j] /= length;
        count++;
    }
    return count;
}

static SpragStatus allocate(Unique *unique)
{
    const Reduced *reduced = unique->mode->reduced;
    SpragArena *arena = reduced->arena;
    size_t w = (size_t)reduced->width, size = w + MOST_STARTS;
    unique->P = sprag_arena_alloc(arena, (w + 1) * w + 1, sizeof(double));
    unique->Z = sprag_arena_alloc(arena, (w + 1) * w + 1, sizeof(double));
    unique->u = sprag_arena_alloc(arena, MOST_STARTS * w + 1, sizeof(double));
    unique->v = sprag_arena_alloc(arena, MOST_STARTS * w + 1, sizeof(double));
    unique->K = sprag_arena_alloc(arena, size * size, sizeof(double));
    unique->permutation = sprag_arena_alloc(arena, 2 * size, sizeof(int));
    bool ok = unique->P && unique->Z && unique->u && unique->v && unique->K && unique->permutation;
    return ok ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// Tangents across and along the direction of each starting contact, and how far sectors reach from
// it. False: a sector reaches too far, or there are too many.
static bool find_starts(Unique *unique, const SpaceCell *sectors)
{
    const SpaceMode *mode = unique->mode;
    const Reduced *reduced = mode->reduced;
    int w = reduced->width;
    for (int c = 0; c < reduced->constraints; c++) {
        const SpaceCell *cell = &mode->cells[c], *sector = &sectors[c];
        if (cell->kind != SPACE_START)
            continue;
        double cross = sector->d[0] * cell->d[1] - sector->d[1] * cell->d[0];
        double reach = sector->half + fabs(atan2(cross, space_dot(sector->d, cell->d, 2)));
        if (!(reach < 3) || unique->k == MOST_STARTS)
            return false;
        const double *t = reduced_row(reduced, reduced->first[c] + 1), *o = t + w;
        for (int j = 0; j < w; j++) {
            unique->u[unique->k * w + j] = -cell->d[1] * t[j] + cell->d[0] * o[j];
            unique->v[unique->k * w + j] = cell->d[0] * t[j] + cell->d[1] * o[j];
        }
        unique->tangent[unique->k++] = tan(reach / 2);
    }
    return true;
}

// Sign of the bordered determinant at one corner: digit i of `corner` in base 3 is 0 for θ_i = 0,
// else θ_i → ∞ with τ_i = ± tan D/2.
static int sign_at(Unique *unique, int corner)
{
    int w = unique->mode->reduced->width, e = unique->e, size = e + unique->k, sign;
    double *K = unique->K, scale = 1;
    for (int i = 0; i < e; i++)
        for (int j = 0; j < e; j++)
            K[i * size + j] = space_dot(unique->Z + i * w, unique->P + j * w, w);
    for (int p = 0; p < unique->k; p++, corner /= 3) {
        const double *u = unique->u + p * w, *v = unique->v + p * w;
        int digit = corner % 3;
        double tau = digit == 1 ? unique->tangent[p] : -unique->tangent[p];
        for (int i = 0; i < e; i++) {
            double along = space_dot(unique->Z + i * w, v, w),
                   across = space_dot(unique->Z + i * w, u, w);
            K[i * size + e + p] = digit ? across - tau * along : 0;
            K[(e + p) * size + i] = -space_dot(u, unique->P + i * w, w);
        }
        for (int q = 0; q < unique->k; q++)
            K[(e + p) * size + e + q] = p == q && digit == 0;
    }
    for (int i = 0; i < size; i++)
        scale *= sqrt(space_dot(K + i * size, K + i * size, size));
    int rank = sprag_lu_factor(size, K, 0, unique->permutation, unique->permutation + size, &sign);
    double determinant = rank == size ? 1 : 0;
    for (int i = 0; i < size; i++)
        determinant *= fabs(K[i * size + i]);
    return determinant > VANISHES * scale ? sign : 0;
}

SpragStatus space_is_unique(const SpaceMode *mode, const Span *span, const SpaceCell *sectors,
                            bool *is_unique)
{
    Unique unique = {.mode = mode};
    int w = mode->reduced->width, corners = 1;
    *is_unique = false;
    SPRAG_TRY(allocate(&unique));
    if (!find_starts(&unique, sectors))
        return SPRAG_OK;
    for (int j = 0; j < span->count * w; j++)
        unique.P[j] = span->basis[j];
    complete_basis(unique.P, span->count, w);
    int rank = span_columns(mode, unique.Z);
    if (rank != span->count)
        return SPRAG_OK;
    complete_basis(unique.Z, rank, w);
    unique.P += span->count * w;
    unique.Z += rank * w;
    unique.e = w - rank;
    for (int p = 0; p < unique.k; p++)
        corners *= 3;
    int sign = sign_at(&unique, 0);
    *is_unique = sign != 0;
    for (int corner = 1; corner < corners && *is_unique; corner++)
        *is_unique = sign_at(&unique, corner) != -sign;
    return SPRAG_OK;
}
