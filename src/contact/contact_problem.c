// contact_problem.c: the contact problem as data: building it, its two views, checks.
#include <math.h>
#include <string.h>

#include "sprag/contact.h"
#include "sprag/numeric.h"

// W read from a file is symmetric and semidefinite only up to its printed digits.
static const double SYMMETRY_TOLERANCE = 1e-9;

const char *sprag_mode_name(SpragMode mode)
{
    static const char *const names[] = {"separate", "stick", "slide+", "slide-", "closed", "slide"};
    return names[mode];
}

void sprag_contact_problem_init(SpragContactProblem *problem, SpragContext *context)
{
    memset(problem, 0, sizeof *problem);
    problem->context = context;
    problem->dimension = 2;
}

void sprag_contact_problem_destroy(SpragContactProblem *problem)
{
    SpragContext *context = problem->context;
    if (!context)
        return;
    sprag_free(context, problem->constraints);
    sprag_free(context, problem->W);
    sprag_free(context, problem->b);
    sprag_free(context, problem->blocks);
    sprag_free(context, problem->inverse_inertia);
    sprag_free(context, problem->rows);
    sprag_free(context, problem->jacobian);
    sprag_free(context, problem->bias);
    sprag_free(context, problem->free_acceleration);
    sprag_contact_problem_init(problem, context);
}

void sprag_contact_problem_clear(SpragContactProblem *problem, int dimension)
{
    problem->dimension = dimension;
    problem->constraint_count = 0;
    problem->row_count = 0;
    problem->velocity_count = problem->hidden_count = 0;
    problem->block_count = 0;
    problem->inertia_count = 0;
    problem->jacobian_count = 0;
}

static int rows_of_kind(const SpragContactProblem *problem, SpragConstraintKind kind)
{
    bool one = kind == SPRAG_CONSTRAINT_BILATERAL || kind == SPRAG_CONSTRAINT_LIMIT;
    if (kind == SPRAG_CONSTRAINT_BEARING)
        return 2;
    return one ? 1 : problem->dimension;
}

int sprag_constraint_normals(const SpragConstraint *constraint)
{
    return constraint->kind == SPRAG_CONSTRAINT_BEARING
               ? constraint->row_count - constraint->tangents
               : 1;
}

int sprag_constraint_press(const SpragConstraint *constraint, int rows[SPRAG_CONSTRAINT_WAYS])
{
    int count = sprag_constraint_normals(constraint);
    for (int k = 0; k < count; k++)
        rows[k] = constraint->row + k;
    if (constraint->kind == SPRAG_CONSTRAINT_BEARING && constraint->shared >= 0)
        rows[count++] = constraint->shared;
    return count;
}

double sprag_constraint_pressure(const SpragConstraint *constraint, const double *force)
{
    int rows[SPRAG_CONSTRAINT_WAYS], count = sprag_constraint_press(constraint, rows);
    bool two_sided =
        constraint->kind == SPRAG_CONSTRAINT_BEARING || constraint->kind == SPRAG_CONSTRAINT_GUIDE;
    double pressure = two_sided ? fabs(force[rows[0]]) : force[rows[0]];
    for (int k = 1; k < count; k++)
        pressure = hypot(pressure, force[rows[k]]);
    return pressure;
}

static SpragStatus add_rows(SpragContactProblem *problem, SpragConstraintKind kind, int rows,
                            SpragConstraint **constraint)
{
    SpragContext *context = problem->context;
    size_t constraint_count = (size_t)problem->constraint_count + 1;
    size_t row_count = (size_t)(problem->row_count + rows);
    SPRAG_TRY(sprag_reserve(context, &problem->constraints, &problem->constraint_capacity,
                            constraint_count, sizeof *problem->constraints));
    SPRAG_TRY(sprag_reserve(context, &problem->rows, &problem->row_capacity, row_count,
                            sizeof *problem->rows));
    SPRAG_TRY(sprag_reserve(context, &problem->bias, &problem->bias_capacity, row_count,
                            sizeof *problem->bias));
    SPRAG_TRY(
        sprag_reserve(context, &problem->b, &problem->b_capacity, row_count, sizeof *problem->b));
    SpragConstraint *added = &problem->constraints[problem->constraint_count];
    memset(added, 0, sizeof *added);
    added->kind = kind;
    added->row = problem->row_count;
    added->row_count = rows;
    added->tangents = kind == SPRAG_CONSTRAINT_BEARING ? 1 : 0;
    added->shared = -1;
    added->id = problem->constraint_count;
    for (int r = problem->row_count; r < problem->row_count + rows; r++) {
        for (int k = 0; k < SPRAG_ROW_BLOCKS; k++)
            problem->rows[r].block[k] = -1;
        problem->bias[r] = 0;
        problem->b[r] = 0;
    }
    problem->constraint_count++;
    problem->row_count += rows;
    *constraint = added;
    return SPRAG_OK;
}

SpragStatus sprag_contact_problem_add(SpragContactProblem *problem, SpragConstraintKind kind,
                                      SpragConstraint **constraint)
{
    return add_rows(problem, kind, rows_of_kind(problem, kind), constraint);
}

SpragStatus sprag_contact_problem_add_bearing(SpragContactProblem *problem, int normals,
                                              int tangents, SpragConstraint **constraint)
{
    int most = problem->dimension == 3 ? SPRAG_CONSTRAINT_WAYS : 1;
    if (normals < 1 || normals > (most > 1 ? most : 2))
        return sprag_fail(problem->context, SPRAG_ERROR_ARGUMENT,
                          "a bearing has one or two normals, in space up to three, got %d",
                          normals);
    if (tangents < 1 || tangents > most)
        return sprag_fail(problem->context, SPRAG_ERROR_ARGUMENT,
                          "a bearing has one tangent, in space up to three, got %d", tangents);
    SPRAG_TRY(add_rows(problem, SPRAG_CONSTRAINT_BEARING, normals + tangents, constraint));
    (*constraint)->tangents = tangents;
    return SPRAG_OK;
}

SpragStatus sprag_contact_problem_add_block(SpragContactProblem *problem, int size,
                                            double **inverse)
{
    SpragContext *context = problem->context;
    size_t entries = (size_t)size * (size_t)size;
    SPRAG_TRY(sprag_reserve(context, &problem->blocks, &problem->block_capacity,
                            (size_t)problem->block_count + 1, sizeof *problem->blocks));
    SPRAG_TRY(sprag_reserve(context, &problem->inverse_inertia, &problem->inertia_capacity,
                            (size_t)problem->inertia_count + entries,
                            sizeof *problem->inverse_inertia));
    SPRAG_TRY(sprag_reserve(context, &problem->free_acceleration, &problem->free_capacity,
                            (size_t)(problem->velocity_count + size),
                            sizeof *problem->free_acceleration));
    SpragInertiaBlock *block = &problem->blocks[problem->block_count++];
    block->offset = problem->velocity_count;
    block->size = size;
    block->data = problem->inertia_count;
    *inverse = problem->inverse_inertia + problem->inertia_count;
    memset(*inverse, 0, entries * sizeof **inverse);
    for (int i = 0; i < size; i++)
        problem->free_acceleration[problem->velocity_count + i] = 0;
    problem->inertia_count += (int)entries;
    problem->velocity_count += size;
    return SPRAG_OK;
}

SpragStatus sprag_contact_problem_add_row_block(SpragContactProblem *problem, int row, int block,
                                                double **entries)
{
    int size = problem->blocks[block].size;
    SpragRow *target = &problem->rows[row];
    int slot = target->block[0] < 0 ? 0 : 1;
    if (target->block[slot] >= 0)
        return sprag_fail(problem->context, SPRAG_ERROR_ARGUMENT, "row %d has two blocks already",
                          row);
    SPRAG_TRY(sprag_reserve(problem->context, &problem->jacobian, &problem->jacobian_capacity,
                            (size_t)(problem->jacobian_count + size), sizeof *problem->jacobian));
    target->block[slot] = block;
    target->data[slot] = problem->jacobian_count;
    *entries = problem->jacobian + problem->jacobian_count;
    memset(*entries, 0, (size_t)size * sizeof **entries);
    problem->jacobian_count += size;
    return SPRAG_OK;
}

SpragStatus sprag_contact_problem_add_hidden(SpragContactProblem *problem, int row, double inverse)
{
    double *entry;
    int velocities = problem->velocity_count;
    problem->velocity_count += problem->hidden_count;
    SpragStatus status = sprag_contact_problem_add_block(problem, 1, &entry);
    problem->velocity_count = velocities;
    SPRAG_TRY(status);
    *entry = inverse;
    problem->hidden_count++;
    SPRAG_TRY(sprag_contact_problem_add_row_block(problem, row, problem->block_count - 1, &entry));
    *entry = 1;
    return SPRAG_OK;
}

SpragStatus sprag_contact_problem_reserve_dense(SpragContactProblem *problem)
{
    size_t rows = (size_t)problem->row_count;
    SPRAG_TRY(sprag_reserve(problem->context, &problem->W, &problem->W_capacity, rows * rows,
                            sizeof *problem->W));
    if (rows)
        memset(problem->W, 0, rows * rows * sizeof *problem->W);
    return SPRAG_OK;
}

// uᵀ B v with B = M⁻¹ of one block.
static double block_product(const double *u, const double *B, const double *v, int size)
{
    double sum = 0;
    for (int i = 0; i < size; i++) {
        double inner = 0;
        for (int j = 0; j < size; j++)
            inner += B[i * size + j] * v[j];
        sum += u[i] * inner;
    }
    return sum;
}

// Entry of W for rows r and s: only blocks that both rows share contribute.
static double delassus_entry(const SpragContactProblem *problem, int r, int s)
{
    const SpragRow *row_r = &problem->rows[r], *row_s = &problem->rows[s];
    double sum = 0;
    for (int i = 0; i < SPRAG_ROW_BLOCKS; i++) {
        for (int j = 0; j < SPRAG_ROW_BLOCKS; j++) {
            int block = row_r->block[i];
            if (block < 0 || block != row_s->block[j])
                continue;
            sum += block_product(problem->jacobian + row_r->data[i],
                                 problem->inverse_inertia + problem->blocks[block].data,
                                 problem->jacobian + row_s->data[j], problem->blocks[block].size);
        }
    }
    return sum;
}

SpragStatus sprag_contact_problem_assemble(SpragContactProblem *problem)
{
    SPRAG_TRY(sprag_contact_problem_reserve_dense(problem));
    int n = problem->row_count;
    for (int r = 0; r < n; r++) {
        for (int s = 0; s <= r; s++)
            problem->W[r * n + s] = problem->W[s * n + r] = delassus_entry(problem, r, s);
        double sum = problem->bias[r];
        for (int k = 0; k < SPRAG_ROW_BLOCKS; k++) {
            int block = problem->rows[r].block[k];
            for (int i = 0; block >= 0 && i < problem->blocks[block].size; i++)
                sum += problem->jacobian[problem->rows[r].data[k] + i] *
                       problem->free_acceleration[problem->blocks[block].offset + i];
        }
        problem->b[r] = sum;
    }
    return SPRAG_OK;
}

void sprag_contact_problem_acceleration(const SpragContactProblem *problem, const double *force,
                                        double *acceleration)
{
    for (int i = 0; i < problem->velocity_count; i++)
        acceleration[i] = problem->free_acceleration[i];
    for (int r = 0; r < problem->row_count; r++) {
        for (int k = 0; k < SPRAG_ROW_BLOCKS; k++) {
            int block = problem->rows[r].block[k];
            if (block < 0)
                continue;
            const SpragInertiaBlock *target = &problem->blocks[block];
            if (target->offset >= problem->velocity_count)
                continue; // hidden
            const double *B = problem->inverse_inertia + target->data;
            const double *row = problem->jacobian + problem->rows[r].data[k];
            for (int i = 0; i < target->size; i++)
                for (int j = 0; j < target->size; j++)
                    acceleration[target->offset + i] += B[i * target->size + j] * row[j] * force[r];
        }
    }
}

void sprag_contact_problem_hold_row(SpragContactProblem *problem, int row)
{
    int n = problem->row_count;
    problem->b[row] = problem->bias[row] = 0;
    for (int s = 0; s < n; s++)
        problem->W[row * n + s] = problem->W[s * n + row] = 0;
    for (int k = 0; k < SPRAG_ROW_BLOCKS; k++) {
        int block = problem->rows[row].block[k];
        if (block >= 0)
            memset(problem->jacobian + problem->rows[row].data[k], 0,
                   (size_t)problem->blocks[block].size * sizeof *problem->jacobian);
    }
}

int sprag_contact_problem_shared(const SpragContactProblem *problem, int c, int count,
                                 const int *source, const SpragContactProblem *part)
{
    int shared = problem->constraints[c].shared;
    for (int i = 0; shared >= 0 && i < count; i++) {
        const SpragConstraint *item = &problem->constraints[source[i]];
        if (shared >= item->row && shared < item->row + item->row_count)
            return part->constraints[i].row + shared - item->row;
    }
    return -1;
}

// Whether friction of the one follows a row of the other.
static bool presses(const SpragConstraint *one, const SpragConstraint *other)
{
    return one->kind == SPRAG_CONSTRAINT_BEARING && one->shared >= other->row &&
           one->shared < other->row + other->row_count;
}

bool sprag_contact_problem_is_coupled(const SpragContactProblem *problem, int c, int d)
{
    const SpragConstraint *x = &problem->constraints[c], *y = &problem->constraints[d];
    if (presses(x, y) || presses(y, x))
        return true;
    for (int i = 0; i < x->row_count; i++)
        for (int j = 0; j < y->row_count; j++)
            if (problem->W[(x->row + i) * problem->row_count + y->row + j] != 0)
                return true;
    return false;
}

static SpragStatus check_constraints(const SpragContactProblem *problem)
{
    for (int c = 0; c < problem->constraint_count; c++) {
        const SpragConstraint *item = &problem->constraints[c];
        if (!(item->friction >= 0) || !isfinite(item->friction))
            return sprag_fail(problem->context, SPRAG_ERROR_INPUT,
                              "contacts[%d].friction must be a number ≥ 0, got %g", c,
                              item->friction);
        for (int k = 0; k < item->row_count; k++)
            if (!(item->stiffness[k] >= 0) || !(item->damping[k] >= 0) ||
                !isfinite(item->stiffness[k]) || !isfinite(item->damping[k]))
                return sprag_fail(problem->context, SPRAG_ERROR_INPUT,
                                  "stiffness and damping of contact %d must be numbers ≥ 0", c);
        for (int k = 0; k < 2; k++)
            if (!isfinite(item->slip[k]))
                return sprag_fail(problem->context, SPRAG_ERROR_INPUT,
                                  "contacts[%d].slip must be finite", c);
    }
    return SPRAG_OK;
}

// Semidefinite after scaling rows to a unit diagonal, so that units do not matter.
static SpragStatus check_definite(const SpragContactProblem *problem)
{
    int n = problem->row_count;
    size_t entries = (size_t)n * (size_t)n;
    double *scaled = sprag_alloc(problem->context, 2 * entries + 1, sizeof *scaled);
    if (!scaled)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double scale = sqrt(problem->W[i * n + i]) * sqrt(problem->W[j * n + j]);
            // beside a zero on the diagonal nothing may stand: left as it is, it counts as
            // indefinite
            scaled[i * n + j] = scale > 0 ? problem->W[i * n + j] / scale : problem->W[i * n + j];
        }
    int rank = sprag_cholesky_semidefinite(n, scaled, SYMMETRY_TOLERANCE, scaled + entries);
    sprag_free(problem->context, scaled);
    if (rank < 0)
        return sprag_fail(problem->context, SPRAG_ERROR_INPUT,
                          "W must be positive semidefinite (it is J M⁻¹ Jᵀ), but it is indefinite");
    return SPRAG_OK;
}

SpragStatus sprag_contact_problem_check(const SpragContactProblem *problem)
{
    SpragContext *context = problem->context;
    int n = problem->row_count;
    if (problem->dimension != 2 && problem->dimension != 3)
        return sprag_fail(context, SPRAG_ERROR_INPUT, "dimension must be 2 or 3, got %d",
                          problem->dimension);
    SPRAG_TRY(check_constraints(problem));
    for (int i = 0; i < n; i++) {
        if (!isfinite(problem->b[i]))
            return sprag_fail(context, SPRAG_ERROR_INPUT, "b[%d] must be finite", i);
        for (int j = 0; j < n; j++) {
            double w = problem->W[i * n + j], twin = problem->W[j * n + i];
            if (!isfinite(w))
                return sprag_fail(context, SPRAG_ERROR_INPUT, "W[%d][%d] must be finite", i, j);
            double scale = sqrt(fabs(problem->W[i * n + i])) * sqrt(fabs(problem->W[j * n + j]));
            if (fabs(w - twin) > SYMMETRY_TOLERANCE * scale)
                return sprag_fail(context, SPRAG_ERROR_INPUT,
                                  "W must be symmetric, but W[%d][%d] = %g and W[%d][%d] = %g", i,
                                  j, w, j, i, twin);
        }
        if (problem->W[i * n + i] < 0)
            return sprag_fail(context, SPRAG_ERROR_INPUT, "W[%d][%d] must be ≥ 0, got %g", i, i,
                              problem->W[i * n + i]);
    }
    return check_definite(problem);
}
