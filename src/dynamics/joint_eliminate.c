// joint_eliminate.c: joint rows are eliminated from inertia and free motion.
// Problem   v' = M⁻¹ (f − Eᵀ x) with E v' + bias = 0, rows of E possibly dependent
// Method    G = E M⁻¹ Eᵀ group by group, pivoted Cholesky (joint_gram.c), in which dependent rows
//           are left out, theory.md (1.8)
// Note      whichever of several dependent rows is left out, the motion is the same as long as the
//           rows agree; only the multipliers differ, and joints_multipliers takes the smallest.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "joint_private.h"

// Rows of which so little is left, compared with where the bodies were placed, have become
// dependent on the way (a parallelogram that lies flat). They are let go until more is left: bodies
// pass such a place by their inertia, on the branch that they came on.
static const double SINGULAR = 1e-6;
// Of the inverse inertia of free bodies: what is left of it below this is rounding.
static const double ROUNDING = 1e-13;
// Where less than this is left of a row, rounding of G (1e-16 of what the row was) is more than
// 1e-12 of a solution, and what the first one leaves of the rows is taken away by a second one.
static const double COARSE = 1e-4;

// ---- Groups -------------------------------------------------------------------------------------

static void factor_group(const SpragSystem *system, JointGroup *group)
{
    Joints *joints = system->joints;
    int m = group->count;
    const int *list = joints->eliminated + group->first;
    double *G = joints->factors + group->factor, *whole = joints->whole + group->first;
    gram_build(system, m, list, joints->rows, joints->order + 4 * group->first, G);
    for (int i = 0; i < m; i++)
        whole[i] = G[i * m + i];
    const int *order = joints->order + 4 * group->first;
    group->rank = gram_factor(m, m, G, whole, SINGULAR * group->start_least,
                              joints->order + 4 * group->first);
    group->least = 1;
    for (int k = 0; k < group->rank; k++) {
        double pivot = G[order[k] * m + order[k]];
        group->least = fmin(group->least, pivot * pivot / whole[order[k]]);
    }
}

void joints_mark_repeats(SpragSystem *system, SpragJointRow *rows)
{
    Joints *joints = system->joints;
    for (int g = 0; g < joints->group_count; g++) {
        JointGroup *group = &joints->groups[g];
        if (group->start_rank == group->count)
            continue;
        const int *list = joints->eliminated + group->first;
        for (int i = 0; i < group->count; i++)
            pair_row_weigh(system, &joints->rows[list[i]]);
        factor_group(system, group);
        joints->factor_valid = false; // other groups are as they were
        for (int k = group->rank; k < group->count; k++)
            rows[list[joints->order[4 * group->first + k]]].repeats = true;
    }
}

void joints_prepare(SpragSystem *system)
{
    Joints *joints = system->joints;
    joints_evaluate(system);
    if (joints->factor_valid)
        return;
    for (int i = 0; i < joints->row_count; i++)
        pair_row_weigh(system, &joints->rows[i]);
    for (int g = 0; g < joints->group_count; g++)
        factor_group(system, &joints->groups[g]);
    joints->factor_valid = true;
}

// x (in the group's order of rows) of the right-hand side `right`.
static void solve_group(const Joints *joints, const JointGroup *group, const double *right,
                        double *x)
{
    gram_solve(group->count, joints->factors + group->factor, group->rank,
               joints->order + 4 * group->first, right, x);
}

static void add_rows(const SpragSystem *system, const JointGroup *group, double factor,
                     const double *x, double *vector)
{
    const Joints *joints = system->joints;
    const int *list = joints->eliminated + group->first;
    for (int i = 0; i < group->count; i++)
        if (x[i] != 0)
            pair_row_add(system, &joints->rows[list[i]], factor * x[i], vector);
}

// Takes from `vector` what the rows of a group ask for, M⁻¹Eᵀx.
static void eliminate_group(const SpragSystem *system, const JointGroup *group, bool biased,
                            double *x, double *vector)
{
    const Joints *joints = system->joints;
    const int *list = joints->eliminated + group->first;
    double *right = joints->right + group->first;
    for (int i = 0; i < group->count; i++) {
        const PairRow *row = &joints->rows[list[i]];
        right[i] = pair_row_dot(system, row, vector) + (biased ? row->bias : 0);
    }
    solve_group(joints, group, right, x);
    add_rows(system, group, -1, x, vector);
}

// Roundings of x are large in M⁻¹Eᵀx where a body has hardly any inertia about its centre: so what
// is left is taken from the vector, not from x. theory.md (1.11)
void joints_eliminate(SpragSystem *system, bool biased, double *vector)
{
    Joints *joints = system->joints;
    joints_prepare(system);
    for (int g = 0; g < joints->group_count; g++) {
        const JointGroup *group = &joints->groups[g];
        double *x = joints->x + group->first, *more = joints->more + group->first;
        eliminate_group(system, group, biased, x, vector);
        if (group->least >= COARSE)
            continue;
        eliminate_group(system, group, biased, more, vector);
        for (int i = 0; i < group->count; i++)
            x[i] += more[i];
    }
}

// z += M⁻¹Eᵀx so that the rows of a group have E z = drift.
static void drift_group(const SpragSystem *system, const JointGroup *group, double *x, double *z)
{
    const Joints *joints = system->joints;
    const int *list = joints->eliminated + group->first;
    double *right = joints->right + group->first;
    for (int i = 0; i < group->count; i++)
        right[i] = joints->rows[list[i]].drift - pair_row_dot(system, &joints->rows[list[i]], z);
    solve_group(joints, group, right, x);
    add_rows(system, group, 1, x, z);
}

bool joints_drift(SpragSystem *system, double *z)
{
    Joints *joints = system->joints;
    bool any = false;
    joints_prepare(system);
    for (int i = 0; i < joints->row_count; i++)
        any = any || joints->rows[i].drift != 0;
    memset(z, 0, (size_t)system->velocity_count * sizeof *z);
    for (int g = 0; any && g < joints->group_count; g++) {
        const JointGroup *group = &joints->groups[g];
        drift_group(system, group, joints->x + group->first, z);
        if (group->least < COARSE)
            drift_group(system, group, joints->more + group->first, z);
    }
    return any;
}

double joints_drive_power(const SpragSystem *system)
{
    const Joints *joints = system->joints;
    double power = 0;
    for (int g = 0; g < joints->group_count; g++) {
        const JointGroup *group = &joints->groups[g];
        for (int i = group->first; i < group->first + group->count; i++)
            power += joints->x[i] * joints->rows[joints->eliminated[i]].drift;
    }
    return power;
}

// ---- Least multipliers --------------------------------------------------------------------------

// What a multiplier counts for: a moment as the force that it is at the distance of the size.
static double weight_of(const SpragSystem *system, const JointGroup *group, int i)
{
    const Joints *joints = system->joints;
    bool angle = joints->rows[joints->eliminated[group->first + i]].angle;
    return angle ? 1 / (system->size * system->size) : 1;
}

// Of all x with the same Eᵀx the smallest: x − Z (ZᵀZ)⁻¹ Zᵀx, Z a basis of the null space of G.
static SpragStatus shorten(SpragSystem *system, const JointGroup *group, double *x)
{
    Joints *joints = system->joints;
    int m = group->count, rank = group->rank, spare = m - rank;
    const double *L = joints->factors + group->factor;
    const int *order = joints->order + 4 * group->first;
    size_t need = (size_t)spare * (size_t)(m + spare + 3) + 2 * (size_t)m;
    SPRAG_TRY(sprag_reserve(system->context, &joints->dense, &joints->dense_capacity, need,
                            sizeof *joints->dense));
    double *Z = joints->dense, *ZZ = Z + spare * m, *right = ZZ + spare * spare;
    double *y = right + spare, *diagonal = y + spare, *column = diagonal + spare;
    int indices[4 * 64], *pivots = indices;
    if (spare > 64)
        return SPRAG_OK; // too many to choose among: any will do
    for (int s = 0; s < spare; s++) {
        // G z = 0 with z = 1 in the row that was left out
        double *z = Z + (size_t)s * (size_t)m;
        int out = order[rank + s];
        for (int i = 0; i < m; i++)
            column[i] = 0;
        for (int k = 0; k < rank; k++) {
            double sum = 0; // entry of G between row order[k] and the one left out, from L
            for (int j = 0; j <= k; j++)
                sum += L[order[k] * m + order[j]] * L[out * m + order[j]];
            column[order[k]] = -sum;
        }
        gram_solve(m, L, rank, order, column, z);
        z[out] = 1;
    }
    for (int a = 0; a < spare; a++) {
        right[a] = 0;
        for (int i = 0; i < m; i++)
            right[a] += Z[a * m + i] * weight_of(system, group, i) * x[i];
        for (int b = 0; b < spare; b++) {
            ZZ[a * spare + b] = 0;
            for (int i = 0; i < m; i++)
                ZZ[a * spare + b] += Z[a * m + i] * weight_of(system, group, i) * Z[b * m + i];
        }
        diagonal[a] = ZZ[a * spare + a];
        pivots[3 * spare + a] = spare - 1;
    }
    int found = gram_factor(spare, spare, ZZ, diagonal, 0, pivots);
    gram_solve(spare, ZZ, found, pivots, right, y);
    for (int a = 0; a < spare; a++)
        for (int i = 0; i < m; i++)
            x[i] -= y[a] * Z[a * m + i];
    return SPRAG_OK;
}

SpragStatus joints_multipliers(SpragSystem *system, double *vector, double *x)
{
    Joints *joints = system->joints;
    joints_eliminate(system, true, vector);
    for (int i = 0; i < joints->row_count; i++)
        x[i] = 0;
    for (int g = 0; g < joints->group_count; g++) {
        const JointGroup *group = &joints->groups[g];
        double *found = joints->x + group->first;
        if (group->rank < group->count)
            SPRAG_TRY(shorten(system, group, found));
        for (int i = 0; i < group->count; i++)
            x[joints->eliminated[group->first + i]] = found[i];
    }
    return SPRAG_OK;
}

// ---- The block of a group -----------------------------------------------------------------------

// Y = L⁻¹ E M⁻¹ (rank × size), in the order of pivots.
static void reduce_rows(const SpragSystem *system, const JointGroup *group, double *Y)
{
    const Joints *joints = system->joints;
    int m = group->count, body = body_size(system), size = group->block_count * body;
    const int *list = joints->eliminated + group->first, *order = joints->order + 4 * group->first;
    const double *L = joints->factors + group->factor;
    for (int k = 0; k < group->rank; k++) {
        const PairRow *row = &joints->rows[list[order[k]]];
        double *y = Y + (size_t)k * (size_t)size;
        memset(y, 0, (size_t)size * sizeof *y);
        for (int i = 0; i < SPRAG_ROW_BLOCKS; i++)
            for (int e = 0; row->block[i] >= 0 && e < body; e++)
                y[body * (row->block[i] - group->block) + e] += row->weighted[i][e];
        for (int s = 0; s < k; s++) {
            double factor = L[order[k] * m + order[s]];
            const double *other = Y + (size_t)s * (size_t)size;
            for (int e = 0; factor != 0 && e < size; e++)
                y[e] -= factor * other[e];
        }
        for (int e = 0; e < size; e++)
            y[e] /= L[order[k] * m + order[k]];
    }
}

// Directions in which nothing is left are free of rounding: who factors the block relies on it.
static void clear_rounding(int size, const double *diagonal, double *matrix)
{
    for (int i = 0; i < size; i++) {
        if (matrix[i * size + i] > ROUNDING * diagonal[i])
            continue;
        for (int j = 0; j < size; j++)
            matrix[i * size + j] = matrix[j * size + i] = 0;
    }
}

// Roundings that break the rows are taken from the columns, then from the rows of a block, as in
// joints_eliminate; `vector` has the size of all velocities.
static void refine_block(const SpragSystem *system, const JointGroup *group, int size,
                         double *vector, double *matrix)
{
    int first = group->block * body_size(system);
    double *more = system->joints->more + group->first;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < size; i++) {
            double *entry = matrix + (side == 0 ? i : i * size);
            int step = side == 0 ? size : 1;
            memset(vector, 0, (size_t)system->velocity_count * sizeof *vector);
            for (int k = 0; k < size; k++)
                vector[first + k] = entry[k * step];
            eliminate_group(system, group, false, more, vector);
            for (int k = 0; k < size; k++)
                entry[k * step] = vector[first + k];
        }
    for (int i = 0; i < size; i++)
        for (int j = 0; j < i; j++)
            matrix[i * size + j] = matrix[j * size + i] =
                (matrix[i * size + j] + matrix[j * size + i]) / 2;
}

SpragStatus joints_block(SpragSystem *system, int number, double *matrix)
{
    Joints *joints = system->joints;
    joints_prepare(system);
    const JointGroup *group = &joints->groups[number];
    int body = body_size(system), size = group->block_count * body;
    size_t need = (size_t)(group->rank + 1) * (size_t)size + SPACE_VELOCITIES * SPACE_VELOCITIES +
                  (size_t)system->velocity_count;
    SPRAG_TRY(sprag_reserve(system->context, &joints->dense, &joints->dense_capacity, need,
                            sizeof *joints->dense));
    double *Y = joints->dense, *diagonal = Y + (size_t)group->rank * (size_t)size;
    double *own = diagonal + size;
    reduce_rows(system, group, Y);
    memset(matrix, 0, (size_t)size * (size_t)size * sizeof *matrix);
    for (int b = 0; b < group->block_count; b++) {
        memset(own, 0, SPACE_VELOCITIES * SPACE_VELOCITIES * sizeof *own);
        body_block(system, group->block + b, own);
        for (int i = 0; i < body; i++)
            for (int j = 0; j < body; j++)
                matrix[(b * body + i) * size + b * body + j] = own[i * body + j];
    }
    for (int i = 0; i < size; i++)
        diagonal[i] = matrix[i * size + i];
    for (int k = 0; k < group->rank; k++) {
        const double *y = Y + (size_t)k * (size_t)size;
        for (int i = 0; i < size; i++)
            for (int j = 0; y[i] != 0 && j < size; j++)
                matrix[i * size + j] -= y[i] * y[j];
    }
    if (group->least < COARSE)
        refine_block(system, group, size, own + SPACE_VELOCITIES * SPACE_VELOCITIES, matrix);
    clear_rounding(size, diagonal, matrix);
    return SPRAG_OK;
}

// ---- Redundancy ---------------------------------------------------------------------------------

// Appends a name once.
static bool append_name(SpragSystem *system, char **text, const char *name, int *count)
{
    size_t length = *text ? strlen(*text) : 0, more = strlen(name);
    char *grown = sprag_alloc(system->context, length + more + 3, 1);
    if (!grown)
        return false;
    if (length > 0)
        memcpy(grown, *text, length);
    if (length > 0) {
        memcpy(grown + length, ", ", 2);
        length += 2;
    }
    memcpy(grown + length, name, more + 1);
    sprag_free(system->context, *text);
    *text = grown;
    ++*count;
    return true;
}

SpragStatus joints_find_redundancy(SpragSystem *system)
{
    Joints *joints = system->joints;
    int rows = 0, named = 0, last = -1;
    char *names = NULL;
    sprag_free(system->context, joints->redundancy);
    joints->redundancy = NULL;
    joints_prepare(system);
    for (int g = 0; g < joints->group_count; g++) {
        JointGroup *group = &joints->groups[g];
        group->start_least = group->least;
        group->start_rank = group->rank;
        for (int k = group->rank; k < group->count; k++) {
            int row = joints->eliminated[group->first + joints->order[4 * group->first + k]], j = 0;
            while (joints->items[j].row + joints->items[j].row_count <= row)
                j++;
            rows++;
            if (j != last && !append_name(system, &names, system->model->joints[j].name, &named))
                return SPRAG_ERROR_MEMORY;
            last = j;
        }
    }
    if (!names)
        return SPRAG_OK;
    size_t length = strlen(names) + 160;
    joints->redundancy = sprag_alloc(system->context, length, 1);
    if (joints->redundancy)
        snprintf(joints->redundancy, length,
                 "%d row%s of joints repeat%s what others say (redundant): %s; forces that these "
                 "share are the smallest ones",
                 rows, rows == 1 ? "" : "s", rows == 1 ? "s" : "", names);
    sprag_free(system->context, names);
    return joints->redundancy ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}
