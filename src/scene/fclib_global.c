// fclib_global.c: M v = H r + f, u = Hᵀ v + w brought to u = W r + q.
//
// Problem   W = Hᵀ M⁻¹ H, q = Hᵀ M⁻¹ f + w. Columns of G are put behind those of H, gathered into
//           blocks of d.
// Method    where M is made of blocks of 6 (3 in the plane) and a contact touches two of them at
//           most, blocks become bodies and W is never formed. Else M is factored (sparse) and W is
//           made column by column.
// Assumes   M regular
#include <math.h>
#include <string.h>

#include "fclib_private.h"
#include "sprag/numeric.h"
#include "sprag/sparse.h"

static SpragStatus refuse_singular(const Global *global)
{
    return sprag_fail(global->context, SPRAG_ERROR_INPUT, "%s: M must be regular, and is not",
                      global->name);
}

// ---- Bodies -------------------------------------------------------------------------------------

static bool is_block_diagonal(const Columns *M, int m)
{
    if (M->rows % m)
        return false;
    for (int j = 0; j < M->columns; j++)
        for (int k = M->start[j]; k < M->start[j + 1]; k++)
            if (M->row[k] / m != j / m)
                return false;
    return true;
}

// The bodies of every contact; false if one has more than two.
static bool find_bodies(const Columns *H, int d, int m, int *bodies)
{
    for (int k = 0; k < 2 * (H->columns / d); k++)
        bodies[k] = -1;
    for (int j = 0; j < H->columns; j++)
        for (int k = H->start[j]; k < H->start[j + 1]; k++) {
            int *pair = bodies + 2 * (j / d), body = H->row[k] / m;
            if (H->value[k] == 0 || body == pair[0] || body == pair[1])
                continue;
            if (pair[1] >= 0)
                return false;
            pair[pair[0] < 0 ? 0 : 1] = body;
        }
    return true;
}

// M⁻¹ of every body; false if one is singular.
static bool invert_bodies(const Columns *M, int m, double *inverse)
{
    size_t size = (size_t)m;
    for (int body = 0; body < M->rows / m; body++) {
        double A[36] = {0}, unit[6], x[6];
        int rows[6], columns[6];
        for (int j = 0; j < m; j++)
            for (int k = M->start[body * m + j]; k < M->start[body * m + j + 1]; k++)
                A[(M->row[k] - body * m) * m + j] += M->value[k];
        double largest = 0;
        for (int k = 0; k < m * m; k++)
            largest = fmax(largest, fabs(A[k]));
        if (sprag_lu_factor(m, A, 1e-14 * largest, rows, columns, NULL) < m)
            return false;
        for (size_t j = 0; j < size; j++) {
            for (size_t k = 0; k < size; k++)
                unit[k] = k == j ? 1 : 0;
            sprag_lu_solve(m, A, rows, columns, unit, x);
            for (size_t k = 0; k < size; k++)
                inverse[((size_t)body * size + k) * size + j] = x[k];
        }
    }
    return true;
}

static SpragStatus make_bodies(Global *global, SpragFrictionFile *file, int m)
{
    const Columns *H = &global->H;
    int d = file->problem.dimension, c = file->problem.contact_count, n = global->M.rows;
    size_t size = (size_t)m;
    file->inverse_inertia = sprag_alloc(global->context, (size_t)n * size, sizeof(double));
    file->jacobian = sprag_alloc(global->context, 2 * (size_t)(d * c) * size, sizeof(double));
    if (!file->inverse_inertia || !file->jacobian)
        return SPRAG_ERROR_MEMORY;
    if (!invert_bodies(&global->M, m, file->inverse_inertia))
        return refuse_singular(global);
    for (int j = 0; j < H->columns; j++)
        for (int k = H->start[j]; k < H->start[j + 1]; k++) {
            size_t i = (size_t)(j / d), body = (size_t)(H->row[k] / m);
            if (H->value[k] == 0)
                continue;
            size_t side = file->bodies[2 * i] == (int)body ? 0 : 1;
            file->jacobian[((2 * i + side) * (size_t)d + (size_t)(j % d)) * size +
                           (size_t)(H->row[k] % m)] += H->value[k];
        }
    // q = w + J M⁻¹ f
    for (int j = 0; j < H->columns; j++)
        for (int k = H->start[j]; k < H->start[j + 1]; k++) {
            size_t row = (size_t)H->row[k], body = row / size;
            double free_velocity = 0;
            for (size_t e = 0; e < size; e++)
                free_velocity += file->inverse_inertia[row * size + e] * global->f[body * size + e];
            file->q[j] += H->value[k] * free_velocity;
        }
    file->problem.storage = SPRAG_FRICTION_BODIES;
    file->problem.body_count = n / m;
    file->problem.body_size = m;
    file->problem.inverse_inertia = file->inverse_inertia;
    file->problem.bodies = file->bodies;
    file->problem.jacobian = file->jacobian;
    return SPRAG_OK;
}

// ---- Any M --------------------------------------------------------------------------------------

// Sorted rows of M with the diagonal, as the factorisation wants them.
static SpragStatus factor(Global *global, SpragSparseLu *lu)
{
    Entries entries = {.context = global->context, .size = global->M.rows};
    SpragFrictionFile rows = {.problem = {.dimension = 1, .contact_count = global->M.rows}};
    SpragStatus status = SPRAG_OK;
    const Columns *M = &global->M;
    for (int j = 0; j < M->columns && status == SPRAG_OK; j++)
        for (int k = M->start[j]; k < M->start[j + 1] && status == SPRAG_OK; k++)
            status = entries_add(&entries, M->row[k], j, M->value[k]);
    if (status == SPRAG_OK)
        status = entries_gather(&entries, &rows);
    if (status == SPRAG_OK) {
        SpragSparsePattern pattern = {M->rows, 1, rows.row_start, rows.column};
        status = sprag_sparse_lu_analyze(lu, &pattern);
    }
    if (status == SPRAG_OK && sprag_sparse_lu_factor(lu, rows.W) != 0)
        status = refuse_singular(global);
    entries_destroy(&entries);
    sprag_friction_file_destroy(global->context, &rows);
    return status;
}

static double column_times(const Columns *H, int j, const double *x)
{
    double sum = 0;
    for (int k = H->start[j]; k < H->start[j + 1]; k++)
        sum += H->value[k] * x[H->row[k]];
    return sum;
}

static SpragStatus multiply(Global *global, SpragSparseLu *lu, Entries *entries, double *x,
                            double *q)
{
    const Columns *H = &global->H;
    for (int j = 0; j < H->columns; j++) {
        memset(x, 0, (size_t)H->rows * sizeof *x);
        for (int k = H->start[j]; k < H->start[j + 1]; k++)
            x[H->row[k]] += H->value[k];
        sprag_sparse_lu_solve(lu, x, x);
        for (int i = 0; i < H->columns; i++) {
            double value = column_times(H, i, x);
            if (value != 0)
                SPRAG_TRY(entries_add(entries, i, j, value));
        }
    }
    memcpy(x, global->f, (size_t)H->rows * sizeof *x);
    sprag_sparse_lu_solve(lu, x, x);
    for (int i = 0; i < H->columns; i++)
        q[i] += column_times(H, i, x);
    return SPRAG_OK;
}

static SpragStatus assemble(Global *global, SpragFrictionFile *file)
{
    SpragSparseLu *lu = NULL;
    Entries entries = {.context = global->context, .size = global->H.columns};
    double *x = sprag_alloc(global->context, (size_t)global->M.rows + 1, sizeof *x);
    SpragStatus status =
        x ? sprag_sparse_lu_create(global->context, &lu) : (SpragStatus)SPRAG_ERROR_MEMORY;
    if (status == SPRAG_OK)
        status = factor(global, lu);
    if (status == SPRAG_OK)
        status = multiply(global, lu, &entries, x, file->q);
    if (status == SPRAG_OK)
        status = entries_gather(&entries, file);
    entries_destroy(&entries);
    sprag_sparse_lu_destroy(lu);
    sprag_free(global->context, x);
    return status;
}

// ---- Bilateral rows -----------------------------------------------------------------------------

// Adds the bodies of column j to pair; false if there are more than two then.
static bool add_bodies(const Columns *G, int j, int m, int pair[2])
{
    for (int k = G->start[j]; k < G->start[j + 1]; k++) {
        int body = G->row[k] / m;
        if (G->value[k] == 0 || body == pair[0] || body == pair[1])
            continue;
        if (pair[1] >= 0)
            return false;
        pair[pair[0] < 0 ? 0 : 1] = body;
    }
    return true;
}

SpragStatus fclib_place(Global *global, int d)
{
    const Columns *G = &global->G;
    int m = d == 3 ? 6 : 3, used = d, pair[2] = {-1, -1};
    global->place = sprag_alloc(global->context, (size_t)G->columns + 1, sizeof(int));
    if (!global->place)
        return SPRAG_ERROR_MEMORY;
    for (int j = 0; j < G->columns; j++) {
        int both[2] = {pair[0], pair[1]};
        if (used == d || !add_bodies(G, j, m, both)) {
            global->blocks++;
            used = 0;
            both[0] = both[1] = -1;
            add_bodies(G, j, m, both); // more than two: M is eliminated
        }
        pair[0] = both[0], pair[1] = both[1];
        global->place[j] = global->H.columns + (global->blocks - 1) * d + used++;
    }
    return SPRAG_OK;
}

// H becomes [H G], with empty columns where blocks are padded.
static SpragStatus join(Global *global, int d)
{
    const Columns *G = &global->G;
    Columns *H = &global->H;
    int columns = H->columns + global->blocks * d, entries = H->start[H->columns];
    size_t count = (size_t)entries + (size_t)G->start[G->columns];
    Columns all = {.rows = H->rows, .columns = columns};
    all.start = sprag_alloc(global->context, (size_t)columns + 2, sizeof(int));
    all.row = sprag_alloc(global->context, count + 1, sizeof(int));
    all.value = sprag_alloc(global->context, count + 1, sizeof(double));
    if (!all.start || !all.row || !all.value) {
        columns_destroy(global->context, &all);
        return SPRAG_ERROR_MEMORY;
    }
    memcpy(all.start, H->start, ((size_t)H->columns + 1) * sizeof(int));
    memcpy(all.row, H->row, (size_t)entries * sizeof(int));
    memcpy(all.value, H->value, (size_t)entries * sizeof(double));
    int j = 0;
    for (int column = H->columns; column < columns; column++) {
        if (j < G->columns && global->place[j] == column) {
            for (int k = G->start[j]; k < G->start[j + 1]; k++, entries++) {
                all.row[entries] = G->row[k];
                all.value[entries] = G->value[k];
            }
            j++;
        }
        all.start[column + 1] = entries;
    }
    columns_destroy(global->context, H);
    *H = all;
    return SPRAG_OK;
}

SpragStatus fclib_eliminate(Global *global, SpragFrictionFile *file)
{
    int d = file->problem.dimension, m = d == 3 ? 6 : 3;
    if (global->blocks > 0)
        SPRAG_TRY(join(global, d));
    file->bodies =
        sprag_alloc(global->context, 2 * (size_t)file->problem.contact_count, sizeof *file->bodies);
    if (!file->bodies)
        return SPRAG_ERROR_MEMORY;
    if (is_block_diagonal(&global->M, m) && find_bodies(&global->H, d, m, file->bodies))
        return make_bodies(global, file, m);
    return assemble(global, file);
}
