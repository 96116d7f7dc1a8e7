// closure_rows.c: the constraint rows of a body, or of all, free of units.
// Problem   rows Q = J F with M⁻¹ = F Fᵀ (of a bare problem W = Q Qᵀ), each constraint divided by
//           the size of its largest row
// Method    Q = U S Vᵀ by singular values: the rows of U are those of Q in other coordinates, so
//           that the forces they span positively are the same; theory.md (8.5)
#include <math.h>
#include <string.h>

#include "closure.h"
#include "sprag/numeric.h"

// Singular values below this part of the largest count as zero.
static const double RANK_TOLERANCE = 1e-10;
// Of factors of M⁻¹ and W, relative to each diagonal entry. W is a file's, and may be as
// inaccurate as sprag_contact_problem_check allows.
static const double FACTOR_TOLERANCE = 1e-12, DELASSUS_TOLERANCE = 1e-9;

// F (n × n) with F Fᵀ = A: columns from *rank on are zero. Rows are brought to one size first,
// since metres and radians are not. *rank is −1 if A is not semidefinite.
static SpragStatus factor(SpragArena *arena, int n, const double *A, double tolerance, double *F,
                          int *rank)
{
    SpragArenaMark mark = sprag_arena_mark(arena);
    double *scaled = sprag_arena_alloc(arena, (size_t)n * (size_t)n + 1, sizeof *scaled);
    bool good = true;
    if (!scaled)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double root = sqrt(fmax(0, A[i * n + i])) * sqrt(fmax(0, A[j * n + j]));
            scaled[i * n + j] = root > 0 ? A[i * n + j] / root : 0;
            good &= isfinite(A[i * n + j]) && A[i * n + i] >= 0;
        }
    *rank = good ? sprag_cholesky_semidefinite(n, scaled, tolerance, F) : -1;
    for (int i = 0; i < n * n; i++)
        F[i] *= sqrt(fmax(0, A[i / n * (n + 1)]));
    sprag_arena_release(arena, mark);
    return SPRAG_OK;
}

// Q = J F of the chosen blocks, and back: velocities of each column, velocity_count × freedom.
typedef struct RawRows {
    double *Q, *back;
    int freedom;
    bool failed; // M⁻¹ or W is not semidefinite, or a number is not finite
} RawRows;

// Columns of one block from raw->freedom on.
static SpragStatus add_block(SpragArena *arena, const SpragContactProblem *problem, int index,
                             int stride, RawRows *raw)
{
    const SpragInertiaBlock *block = &problem->blocks[index];
    int n = block->size, first = raw->freedom, rank;
    double *F = sprag_arena_alloc(arena, (size_t)n * (size_t)n, sizeof *F);
    if (!F)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(factor(arena, n, problem->inverse_inertia + block->data, FACTOR_TOLERANCE, F, &rank));
    if (rank < 0) {
        raw->failed = true;
        return SPRAG_OK;
    }
    for (int r = 0; r < problem->row_count; r++)
        for (int k = 0; k < SPRAG_ROW_BLOCKS; k++) {
            if (problem->rows[r].block[k] != index)
                continue;
            const double *entries = problem->jacobian + problem->rows[r].data[k];
            for (int i = 0; i < n * rank; i++)
                raw->Q[r * stride + first + i % rank] +=
                    entries[i / rank] * F[i / rank * n + i % rank];
        }
    for (int i = 0; i < n * rank; i++)
        raw->back[(block->offset + i / rank) * stride + first + i % rank] =
            F[i / rank * n + i % rank];
    raw->freedom += rank;
    return SPRAG_OK;
}

// The rows of a problem without bodies: any Q with Q Qᵀ = W.
static SpragStatus add_delassus(SpragArena *arena, const SpragContactProblem *problem, RawRows *raw)
{
    SPRAG_TRY(
        factor(arena, problem->row_count, problem->W, DELASSUS_TOLERANCE, raw->Q, &raw->freedom));
    raw->failed = raw->freedom < 0;
    return SPRAG_OK;
}

// Size of each constraint: the length of its longest row.
static void measure(const SpragContactProblem *problem, int stride, RawRows *raw, ClosureRows *rows)
{
    const double *Q = raw->Q;
    for (int c = 0; c < problem->constraint_count; c++) {
        const SpragConstraint *item = &problem->constraints[c];
        double longest = 0;
        for (int r = item->row; r < item->row + item->row_count; r++) {
            double largest = 0, sum = 0;
            for (int j = 0; j < stride; j++) {
                largest = fmax(largest, fabs(Q[r * stride + j]));
                raw->failed |= !isfinite(Q[r * stride + j]);
            }
            for (int j = 0; j < stride && largest > 0; j++)
                sum += pow(Q[r * stride + j] / largest, 2);
            longest = fmax(longest, largest * sqrt(sum));
        }
        raw->failed |= !isfinite(longest);
        for (int r = item->row; r < item->row + item->row_count; r++) {
            rows->size[r] = longest;
            rows->count += longest > 0;
        }
    }
}

// Rows of unit size (m × n); a tangential row without friction carries no force and becomes zero.
static void fill_scaled(const ClosureRows *rows, const RawRows *raw, int stride, bool frictionless,
                        double *A)
{
    const SpragContactProblem *problem = rows->problem;
    int n = raw->freedom;
    for (int c = 0; c < problem->constraint_count; c++) {
        const SpragConstraint *item = &problem->constraints[c];
        for (int k = 0; k < item->row_count; k++) {
            int r = item->row + k;
            bool tangent = k >= sprag_constraint_normals(item);
            bool idle = rows->size[r] == 0 || (tangent && (frictionless || item->friction == 0));
            for (int j = 0; j < n; j++)
                A[r * n + j] = idle ? 0 : raw->Q[r * stride + j] / rows->size[r];
        }
    }
}

// Σ row × column k of V S⁻¹; from the rank on of V alone.
static double project(int n, const double *row, const double *V, const double *s, int k, int rank)
{
    double sum = 0;
    for (int j = 0; j < n; j++)
        sum += row[j] * V[j * n + k];
    return k < rank ? sum / s[k] : sum;
}

// Q = U S Vᵀ, restricted to singular values that count.
static SpragStatus whiten(SpragArena *arena, const RawRows *raw, int stride, bool frictionless,
                          ClosureRows *rows)
{
    const SpragContactProblem *problem = rows->problem;
    int m = problem->row_count, n = raw->freedom;
    double *A = sprag_arena_alloc(arena, (size_t)m * (size_t)n + 1, sizeof *A);
    double *V = sprag_arena_alloc(arena, (size_t)n * (size_t)n + 1, sizeof *V);
    double *s = sprag_arena_alloc(arena, (size_t)n + 1, sizeof *s);
    if (!A || !V || !s)
        return SPRAG_ERROR_MEMORY;
    fill_scaled(rows, raw, stride, frictionless, A);
    sprag_svd(m, n, A, s, V);
    while (rows->rank < n && s[rows->rank] > RANK_TOLERANCE * s[0])
        rows->rank++;
    int rank = rows->rank;
    for (int i = 0; i < m * rank; i++)
        rows->U[i] = A[i / rank * n + i % rank] / s[i % rank];
    for (int k = 0; k < (rank < n ? rank + 1 : rank); k++) {
        for (int i = 0; i < problem->velocity_count; i++)
            rows->motion[i * (rank + 1) + k] = project(n, raw->back + i * stride, V, s, k, rank);
        for (int i = 0; i < m; i++)
            rows->rate[i * (rank + 1) + k] = project(n, raw->Q + i * stride, V, s, k, rank);
    }
    return SPRAG_OK;
}

static bool allocate(SpragArena *arena, int m, int n, int stride, ClosureRows *rows)
{
    size_t width = (size_t)stride + 1;
    rows->U = sprag_arena_alloc(arena, (size_t)m * width + 1, sizeof(double));
    rows->size = sprag_arena_alloc(arena, (size_t)m + 1, sizeof(double));
    rows->motion = sprag_arena_alloc(arena, (size_t)n * width + 1, sizeof(double));
    rows->rate = sprag_arena_alloc(arena, (size_t)m * width + 1, sizeof(double));
    return rows->U && rows->size && rows->motion && rows->rate;
}

SpragStatus closure_rows_build(SpragArena *arena, const SpragContactProblem *problem, int block,
                               bool frictionless, ClosureRows *rows)
{
    bool bare = problem->block_count == 0;
    int m = problem->row_count, n = problem->velocity_count;
    int stride = bare ? m : block == SPRAG_ALL_BODIES ? n : problem->blocks[block].size;
    memset(rows, 0, sizeof *rows);
    rows->problem = problem;
    if (!allocate(arena, m, n, stride, rows))
        return SPRAG_ERROR_MEMORY;
    SpragArenaMark mark = sprag_arena_mark(arena);
    RawRows raw = {0};
    raw.Q = sprag_arena_alloc(arena, (size_t)m * (size_t)stride + 1, sizeof(double));
    raw.back = sprag_arena_alloc(arena, (size_t)n * (size_t)stride + 1, sizeof(double));
    if (!raw.Q || !raw.back)
        return SPRAG_ERROR_MEMORY;
    if (bare)
        SPRAG_TRY(add_delassus(arena, problem, &raw));
    for (int i = 0; i < problem->block_count && !raw.failed; i++)
        if (block == SPRAG_ALL_BODIES || block == i)
            SPRAG_TRY(add_block(arena, problem, i, stride, &raw));
    if (!raw.failed)
        measure(problem, stride, &raw, rows);
    rows->failed = raw.failed;
    rows->freedom = raw.freedom;
    if (!raw.failed)
        SPRAG_TRY(whiten(arena, &raw, stride, frictionless, rows));
    sprag_arena_release(arena, mark);
    return SPRAG_OK;
}
