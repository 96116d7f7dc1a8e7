// contact_reduce.c: from a contact problem to numbers of order one (see contact_search.h).
#include <math.h>
#include <string.h>

#include "contact_search.h"
#include "sprag/numeric.h"

// Cholesky pivots are squares of distances between rows, and W carries rounding of 1e-16: a
// distance of 1e-7 is the least that can be told from dependence.
static const double RANK_TOLERANCE = 1e-14;
// Entries printed with nine digits and more are taken for semidefinite.
static const double PRINTED_TOLERANCE = 1e-9;

const double *reduced_row(const Reduced *reduced, int row)
{
    return reduced->F + (size_t)row * (size_t)reduced->width;
}

double reduced_acceleration(const Reduced *reduced, int row, const double *xi)
{
    const double *f = reduced_row(reduced, row);
    double sum = reduced->b[row];
    for (int j = 0; j < reduced->width; j++)
        sum += f[j] * xi[j];
    return sum;
}

int reduced_sign(const Reduced *reduced, int row, const double *xi, double tolerance)
{
    // the sum is known to rounding of its terms: large forces can make them large
    const double *f = reduced_row(reduced, row);
    double sum = reduced->b[row], size = 1;
    for (int j = 0; j < reduced->width; j++) {
        sum += f[j] * xi[j];
        size += fabs(f[j] * xi[j]);
    }
    return sum > tolerance * size ? 1 : sum < -tolerance * size ? -1 : 0;
}

const SpragConstraint *reduced_constraint(const Reduced *reduced, int constraint)
{
    return &reduced->problem->constraints[reduced->member[constraint]];
}

int reduced_normals(const Reduced *reduced, int constraint)
{
    return sprag_constraint_normals(reduced_constraint(reduced, constraint));
}

int reduced_tangent(const Reduced *reduced, int constraint)
{
    return reduced->first[constraint] + reduced_normals(reduced, constraint);
}

bool reduced_is_round(const Reduced *reduced, int constraint)
{
    int rows[WAYS];
    return reduced->round > 0 && reduced->friction[constraint] > 0 &&
           sprag_constraint_press(reduced_constraint(reduced, constraint), rows) > 1;
}

// The local row of a row of the problem that is in the island.
static int local_row(const Reduced *reduced, int row)
{
    for (int r = 0; r < reduced->rows; r++)
        if (reduced->source[r] == row)
            return r;
    return -1;
}

int reduced_press(const Reduced *reduced, int constraint, int rows[WAYS])
{
    const SpragConstraint *item = reduced_constraint(reduced, constraint);
    int count = sprag_constraint_press(item, rows);
    for (int k = 0; k < count; k++)
        rows[k] =
            rows[k] == item->shared ? local_row(reduced, rows[k]) : reduced->first[constraint] + k;
    return count;
}

int reduced_tangents(const Reduced *reduced, int constraint)
{
    const SpragConstraint *item = reduced_constraint(reduced, constraint);
    return item->row_count - sprag_constraint_normals(item);
}

bool reduced_has_direction(const Reduced *reduced, int constraint)
{
    return reduced_tangents(reduced, constraint) > 1;
}

// Bearings that share a row have one scale, so that its force means the same to both.
static void share_scales(Reduced *reduced)
{
    for (int c = 0; c < reduced->constraints; c++) {
        const SpragConstraint *item = reduced_constraint(reduced, c);
        int shared = item->kind == SPRAG_CONSTRAINT_BEARING ? item->shared : -1, d = 0;
        if (shared < 0)
            continue;
        while (shared < reduced_constraint(reduced, d)->row ||
               shared >=
                   reduced_constraint(reduced, d)->row + reduced_constraint(reduced, d)->row_count)
            d++;
        double scale = fmax(reduced->scale[reduced->first[c]], reduced->scale[reduced->first[d]]);
        for (int k = 0; k < item->row_count; k++)
            reduced->scale[reduced->first[c] + k] = scale;
        for (int k = 0; k < reduced_constraint(reduced, d)->row_count; k++)
            reduced->scale[reduced->first[d] + k] = scale;
    }
}

static void find_scales(Reduced *reduced)
{
    const SpragContactProblem *p = reduced->problem;
    reduced->beta = 0;
    for (int c = 0; c < reduced->constraints; c++) {
        const SpragConstraint *item = reduced_constraint(reduced, c);
        int press[WAYS];
        double largest = 0;
        for (int r = item->row; r < item->row + item->row_count; r++)
            largest = fmax(largest, p->W[r * p->row_count + r]);
        double scale = largest > 0 ? sqrt(largest) : 1;
        for (int k = 0; k < item->row_count; k++) {
            reduced->scale[reduced->first[c] + k] = scale;
            reduced->beta = fmax(reduced->beta, fabs(p->b[item->row + k]) / scale);
        }
        reduced->friction[c] = item->friction;
        reduced->round += sprag_constraint_press(item, press) > 1 && item->friction > 0;
    }
    share_scales(reduced);
    if (!(reduced->beta > 0))
        reduced->beta = 1;
}

// Factor of one inertia block, B = L Lᵀ. The next column is that of the row of which the largest
// share is left: of a block that joints have made semidefinite all that is left out at the end is
// rounding then. (A small pivot that is left out in its turn takes entries of the size of its
// root along.) rest: n numbers.
static void factor_block(const double *B, int n, double *rest, double *L)
{
    const double rounding = 1e-13;
    memset(L, 0, (size_t)n * (size_t)n * sizeof *L);
    for (int i = 0; i < n; i++)
        rest[i] = B[i * n + i];
    for (int column = 0; column < n; column++) {
        int pivot = -1;
        double most = rounding;
        for (int i = 0; i < n; i++)
            if (rest[i] > most * B[i * n + i]) {
                most = rest[i] / B[i * n + i];
                pivot = i;
            }
        if (pivot < 0)
            return;
        double root = sqrt(rest[pivot]);
        for (int i = 0; i < n; i++) {
            if (!(rest[i] > 0))
                continue;
            double sum = B[i * n + pivot];
            for (int k = 0; k < column; k++)
                sum -= L[i * n + k] * L[pivot * n + k];
            L[i * n + column] = sum / root;
            rest[i] -= L[i * n + column] * L[i * n + column];
        }
        rest[pivot] = 0;
    }
}

// Columns of F for the blocks that this island touches; −1 elsewhere. Sets the width.
static SpragStatus number_columns(Reduced *reduced, int **column_of_block)
{
    const SpragContactProblem *p = reduced->problem;
    int *column = sprag_arena_alloc(reduced->arena, (size_t)p->block_count + 1, sizeof *column);
    if (!column)
        return SPRAG_ERROR_MEMORY;
    for (int k = 0; k < p->block_count; k++)
        column[k] = -1;
    reduced->width = 0;
    for (int r = 0; r < reduced->rows; r++) {
        for (int k = 0; k < SPRAG_ROW_BLOCKS; k++) {
            int block = p->rows[reduced->source[r]].block[k];
            if (block < 0 || column[block] >= 0)
                continue;
            column[block] = reduced->width;
            reduced->width += p->blocks[block].size;
        }
    }
    *column_of_block = column;
    return SPRAG_OK;
}

// F = J L from the block-sparse view: keeps the full precision of the rows.
static SpragStatus factor_blocks(Reduced *reduced)
{
    const SpragContactProblem *p = reduced->problem;
    int *column;
    SPRAG_TRY(number_columns(reduced, &column));
    size_t entries = (size_t)reduced->rows * (size_t)reduced->width + 1;
    reduced->F = sprag_arena_alloc(reduced->arena, entries, sizeof(double));
    double *L = sprag_arena_alloc(reduced->arena, (size_t)p->inertia_count + 1, sizeof *L);
    double *rest = sprag_arena_alloc(reduced->arena, (size_t)reduced->width + 1, sizeof *rest);
    if (!L || !rest || !reduced->F)
        return SPRAG_ERROR_MEMORY;
    for (int k = 0; k < p->block_count; k++)
        if (column[k] >= 0)
            factor_block(p->inverse_inertia + p->blocks[k].data, p->blocks[k].size, rest,
                         L + p->blocks[k].data);
    for (int r = 0; r < reduced->rows; r++) {
        const SpragRow *source = &p->rows[reduced->source[r]];
        for (int k = 0; k < SPRAG_ROW_BLOCKS; k++) {
            if (source->block[k] < 0)
                continue;
            const SpragInertiaBlock *block = &p->blocks[source->block[k]];
            const double *row = p->jacobian + source->data[k];
            double *f = reduced->F + (size_t)r * (size_t)reduced->width + column[source->block[k]];
            for (int j = 0; j < block->size; j++) {
                double sum = 0;
                for (int i = 0; i < block->size; i++)
                    sum += row[i] * L[block->data + i * block->size + j];
                f[j] += sum / reduced->scale[r];
            }
        }
    }
    return SPRAG_OK;
}

// F from W alone: a bare problem.
static SpragStatus factor_dense(Reduced *reduced)
{
    const SpragContactProblem *p = reduced->problem;
    int n = reduced->rows;
    size_t entries = (size_t)n * (size_t)n + 1;
    reduced->width = n;
    reduced->F = sprag_arena_alloc(reduced->arena, entries, sizeof(double));
    double *W = sprag_arena_alloc(reduced->arena, entries, sizeof *W);
    if (!W || !reduced->F)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            int r = reduced->source[i], s = reduced->source[j];
            W[i * n + j] = 0.5 * (p->W[r * p->row_count + s] + p->W[s * p->row_count + r]) /
                           (reduced->scale[i] * reduced->scale[j]);
        }
    }
    // a printed W is semidefinite only to its digits, hence the second, looser try
    if (sprag_cholesky_semidefinite(n, W, RANK_TOLERANCE, reduced->F) < 0 &&
        sprag_cholesky_semidefinite(n, W, PRINTED_TOLERANCE, reduced->F) < 0)
        return sprag_fail(p->context, SPRAG_ERROR_INPUT, "W must be positive semidefinite");
    return SPRAG_OK;
}

static SpragStatus allocate(Reduced *reduced)
{
    size_t rows = (size_t)reduced->rows + 1, constraints = (size_t)reduced->constraints + 1;
    int *indices = sprag_arena_alloc(reduced->arena, constraints + rows, sizeof *indices);
    double *numbers = sprag_arena_alloc(reduced->arena, 3 * rows + constraints, sizeof *numbers);
    if (!indices || !numbers)
        return SPRAG_ERROR_MEMORY;
    reduced->first = indices;
    reduced->source = indices + constraints;
    reduced->b = numbers;
    reduced->scale = numbers + rows;
    reduced->length = numbers + 2 * rows;
    reduced->friction = numbers + 3 * rows;
    return SPRAG_OK;
}

SpragStatus reduce_problem(SpragArena *arena, const SpragContactProblem *problem,
                           const SpragMotionSettings *settings, const int *member, int member_count,
                           Reduced *reduced)
{
    *reduced = (Reduced){.problem = problem,
                         .arena = arena,
                         .constraints = member_count,
                         .member = member,
                         .tolerance = settings->tolerance,
                         .width_tolerance = settings->width,
                         .singular = settings->singular,
                         .one_force = settings->modes && !settings->ranges};
    for (int c = 0; c < member_count; c++)
        reduced->rows += problem->constraints[member[c]].row_count;
    SPRAG_TRY(allocate(reduced));
    int row = 0;
    for (int c = 0; c < member_count; c++) {
        const SpragConstraint *item = reduced_constraint(reduced, c);
        reduced->first[c] = row;
        for (int k = 0; k < item->row_count; k++)
            reduced->source[row++] = item->row + k;
    }
    find_scales(reduced);
    for (int r = 0; r < reduced->rows; r++)
        reduced->b[r] = problem->b[reduced->source[r]] / (reduced->scale[r] * reduced->beta);
    SPRAG_TRY(problem->block_count > 0 ? factor_blocks(reduced) : factor_dense(reduced));
    for (int r = 0; r < reduced->rows; r++) {
        double sum = 0;
        for (int j = 0; j < reduced->width; j++)
            sum += reduced_row(reduced, r)[j] * reduced_row(reduced, r)[j];
        reduced->length[r] = sqrt(sum);
    }
    return SPRAG_OK;
}
