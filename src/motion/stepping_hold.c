// stepping_hold.c: joints solved by one sparse factorisation.
// Problem   rows E of all joints. Of velocities: E (v + M⁻¹Eᵀ z) + drift = 0, which is the whole
//           friction problem of an island in which no contact acts. Of positions: at the end of a
//           step rows have turned, and errors of order h² are left; d = M⁻¹Eᵀ z with e + E d = 0 is
//           the smallest displacement in the metric of M that takes them away, theory.md (11.27)
// Method    S = E M⁻¹ Eᵀ has a block for two blocks of rows that share a body: along a chain it is
//           a band. Rows that depend on each other make it singular: a hair more on its diagonal,
//           and the answer is refined with the true S. Positions by Newton's steps.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sprag/sparse.h"
#include "stepping.h"

// Blocks of S above this are too many: sweeps do it then.
enum { MOST_ENTRIES = 200000, REFINEMENTS = 3, NEWTON_STEPS = 4 };
// An error of joints that is this many gap tolerances, a hundredth of the scene by default, is one
// that no position takes away.
static const double LOST = 1e7;
// Part of its diagonal that is added to S; of a residual, below which joints hold.
static const double HAIR = 1e-10, HELD = 1e-10;

// Rows of one block: d of them, `stride` entries apart.
typedef struct HoldBlock {
    int body[2]; // −1: none
    const double *rows[2];
    int stride;
} HoldBlock;

struct StepHold {
    SpragSparseLu *lu;
    int count, entries;
    HoldBlock *blocks;
    double *gain;                  // 2 × d × m a block: rows M⁻¹
    int *body_start, *body_blocks; // blocks at each body
    int *row_start, *mark;
    int *column;
    double *values; // of S
    double *right, *z, *left;
    size_t block_capacity, gain_capacity, body_capacity, item_capacity, row_capacity, mark_capacity,
        column_capacity, value_capacity, right_capacity, z_capacity, left_capacity;
};

SpragStatus stepping_hold_create(Stepping *s)
{
    s->hold = NULL;
    if (sprag_system_joint_row_count(s->system) == 0)
        return SPRAG_OK;
    s->hold = sprag_alloc(s->run->context, 1, sizeof *s->hold);
    if (!s->hold)
        return SPRAG_ERROR_MEMORY;
    return sprag_sparse_lu_create(s->run->context, &s->hold->lu);
}

void stepping_hold_destroy(Stepping *s)
{
    StepHold *o = s->hold;
    SpragContext *context = s->run->context;
    if (!o)
        return;
    sprag_sparse_lu_destroy(o->lu);
    sprag_free(context, o->blocks);
    sprag_free(context, o->gain);
    sprag_free(context, o->body_start);
    sprag_free(context, o->body_blocks);
    sprag_free(context, o->row_start);
    sprag_free(context, o->mark);
    sprag_free(context, o->column);
    sprag_free(context, o->values);
    sprag_free(context, o->right);
    sprag_free(context, o->z);
    sprag_free(context, o->left);
    sprag_free(context, o);
    s->hold = NULL;
}

static SpragStatus reserve(Stepping *s, size_t count)
{
    StepHold *o = s->hold;
    SpragContext *context = s->run->context;
    size_t d = (size_t)s->d, bodies = (size_t)s->block_count;
    SPRAG_TRY(sprag_reserve(context, &o->blocks, &o->block_capacity, count + 1, sizeof *o->blocks));
    SPRAG_TRY(sprag_reserve(context, &o->gain, &o->gain_capacity, 2 * d * (size_t)s->m * count + 1,
                            sizeof *o->gain));
    SPRAG_TRY(sprag_reserve(context, &o->body_start, &o->body_capacity, bodies + 2,
                            sizeof *o->body_start));
    SPRAG_TRY(sprag_reserve(context, &o->body_blocks, &o->item_capacity, 2 * count + 1,
                            sizeof *o->body_blocks));
    SPRAG_TRY(
        sprag_reserve(context, &o->row_start, &o->row_capacity, count + 1, sizeof *o->row_start));
    SPRAG_TRY(sprag_reserve(context, &o->mark, &o->mark_capacity, count + 1, sizeof *o->mark));
    SPRAG_TRY(
        sprag_reserve(context, &o->right, &o->right_capacity, d * count + 1, sizeof *o->right));
    SPRAG_TRY(sprag_reserve(context, &o->z, &o->z_capacity, d * count + 1, sizeof *o->z));
    return sprag_reserve(context, &o->left, &o->left_capacity, d * count + 1, sizeof *o->left);
}

// ---- The matrix ---------------------------------------------------------------------------------

static void list_bodies(const Stepping *s, StepHold *o)
{
    memset(o->body_start, 0, (size_t)(s->block_count + 2) * sizeof *o->body_start);
    for (int i = 0; i < 2 * o->count; i++)
        if (o->blocks[i / 2].body[i % 2] >= 0)
            o->body_start[o->blocks[i / 2].body[i % 2] + 2]++;
    for (int i = 0; i <= s->block_count; i++)
        o->body_start[i + 1] += o->body_start[i];
    for (int i = 0; i < 2 * o->count; i++)
        if (o->blocks[i / 2].body[i % 2] >= 0)
            o->body_blocks[o->body_start[o->blocks[i / 2].body[i % 2] + 1]++] = i / 2;
}

static int compare_numbers(const void *a, const void *b)
{
    const int *s = a, *t = b;
    return (*s > *t) - (*s < *t);
}

// Columns of block row i, from o->column[begin] on; returns their end.
static int list_columns(StepHold *o, int i, int begin)
{
    int end = begin;
    o->mark[i] = i;
    o->column[end++] = i;
    for (int side = 0; side < 2; side++) {
        int body = o->blocks[i].body[side];
        for (int k = body < 0 ? 0 : o->body_start[body]; body >= 0 && k < o->body_start[body + 1];
             k++) {
            int other = o->body_blocks[k];
            if (o->mark[other] != i)
                o->column[end++] = other;
            o->mark[other] = i;
        }
    }
    qsort(o->column + begin, (size_t)(end - begin), sizeof *o->column, compare_numbers);
    return end;
}

// *fits: the pattern of S is found.
static SpragStatus find_pattern(Stepping *s, bool *fits)
{
    StepHold *o = s->hold;
    double most = 0;
    *fits = false;
    list_bodies(s, o);
    for (int i = 0; i < o->count; i++) {
        o->mark[i] = -1;
        most += 1;
        for (int side = 0; side < 2; side++) {
            int body = o->blocks[i].body[side];
            most += body < 0 ? 0 : o->body_start[body + 1] - o->body_start[body];
        }
    }
    if (most > MOST_ENTRIES)
        return SPRAG_OK;
    SPRAG_TRY(sprag_reserve(s->run->context, &o->column, &o->column_capacity, (size_t)most + 1,
                            sizeof *o->column));
    o->row_start[0] = 0;
    for (int i = 0; i < o->count; i++)
        o->row_start[i + 1] = list_columns(o, i, o->row_start[i]);
    o->entries = o->row_start[o->count];
    *fits = true;
    return sprag_reserve(s->run->context, &o->values, &o->value_capacity,
                         (size_t)(o->entries * s->d * s->d) + 1, sizeof *o->values);
}

static void find_gains(const Stepping *s, StepHold *o)
{
    int d = s->d, m = s->m;
    for (int i = 0; i < 2 * o->count; i++) {
        const HoldBlock *block = &o->blocks[i / 2];
        int body = block->body[i % 2];
        double *gain = o->gain + (size_t)(i * d * m);
        memset(gain, 0, (size_t)(d * m) * sizeof *gain);
        for (int r = 0; body >= 0 && r < d; r++)
            for (int k = 0; k < m; k++)
                for (int e = 0; e < m; e++)
                    gain[r * m + k] += s->inertia[(body * m + e) * m + k] *
                                       block->rows[i % 2][r * block->stride + e];
    }
}

static void add_product(const Stepping *s, const double *gain, const HoldBlock *block, int side,
                        double *to)
{
    int d = s->d, m = s->m;
    for (int r = 0; r < d; r++)
        for (int c = 0; c < d; c++)
            for (int k = 0; k < m; k++)
                to[r * d + c] += gain[r * m + k] * block->rows[side][c * block->stride + k];
}

static void fill_values(const Stepping *s, StepHold *o)
{
    int d = s->d;
    memset(o->values, 0, (size_t)(o->entries * d * d) * sizeof *o->values);
    for (int i = 0; i < o->count; i++)
        for (int at = o->row_start[i]; at < o->row_start[i + 1]; at++)
            for (int pair = 0; pair < 4; pair++) {
                int a = pair / 2, b = pair % 2, k = o->column[at];
                if (o->blocks[i].body[a] >= 0 && o->blocks[i].body[a] == o->blocks[k].body[b])
                    add_product(s, o->gain + (size_t)((2 * i + a) * d * s->m), &o->blocks[k], b,
                                o->values + at * d * d);
            }
}

// S with its hair; S itself is left in the values.
static bool factor(const Stepping *s, StepHold *o)
{
    int d = s->d;
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (int i = 0; i < o->count; i++)
            for (int at = o->row_start[i]; at < o->row_start[i + 1]; at++)
                for (int r = 0; o->column[at] == i && r < d; r++) {
                    double *entry = &o->values[(at * d + r) * d + r];
                    // rows of zeros fill blocks up
                    if (sign > 0)
                        *entry = *entry > 0 ? *entry * (1 + HAIR) : 1;
                    else
                        *entry = *entry / (1 + HAIR);
                }
        if (sign > 0 && sprag_sparse_lu_factor(o->lu, o->values) < 0)
            return false;
    }
    return true;
}

// S of the blocks that are listed, and its factors.
static SpragStatus build(Stepping *s, bool *ready)
{
    StepHold *o = s->hold;
    *ready = false;
    if (o->count == 0)
        return SPRAG_OK;
    bool fits;
    SPRAG_TRY(find_pattern(s, &fits));
    if (!fits)
        return SPRAG_OK;
    const SpragSparsePattern pattern = {o->count, s->d, o->row_start, o->column};
    SPRAG_TRY(sprag_sparse_lu_analyze(o->lu, &pattern));
    find_gains(s, o);
    fill_values(s, o);
    *ready = factor(s, o);
    return SPRAG_OK;
}

// left = right − S z; returns the largest.
static double find_left(const Stepping *s, StepHold *o)
{
    int d = s->d;
    double worst = 0;
    memcpy(o->left, o->right, (size_t)(o->count * d) * sizeof *o->left);
    for (int i = 0; i < o->count; i++)
        for (int at = o->row_start[i]; at < o->row_start[i + 1]; at++)
            for (int r = 0; r < d; r++)
                for (int c = 0; c < d; c++)
                    o->left[i * d + r] -=
                        o->values[(at * d + r) * d + c] * o->z[o->column[at] * d + c];
    for (int i = 0; i < o->count * d; i++)
        worst = isfinite(o->left[i]) ? fmax(worst, fabs(o->left[i])) : INFINITY;
    return worst;
}

// z with S z = right, as far as that can be.
static double solve(const Stepping *s, StepHold *o)
{
    int rows = o->count * s->d;
    double scale = 0, worst = INFINITY;
    for (int i = 0; i < rows; i++)
        scale = fmax(scale, fabs(o->right[i]));
    sprag_sparse_lu_solve(o->lu, o->right, o->z);
    for (int k = 0;; k++) {
        double left = find_left(s, o);
        bool better = left < worst;
        worst = fmin(worst, left);
        if (!better || k == REFINEMENTS || left <= 1e-15 * scale)
            return scale > 0 ? worst / scale : 0;
        sprag_sparse_lu_solve(o->lu, o->left, o->left);
        for (int i = 0; i < rows; i++)
            o->z[i] += o->left[i];
    }
}

static void push(const Stepping *s, const StepHold *o, int i, double *velocity)
{
    int d = s->d, m = s->m;
    for (int side = 0; side < 2; side++) {
        int body = o->blocks[i].body[side];
        const double *gain = o->gain + (size_t)((2 * i + side) * d * m);
        for (int r = 0; body >= 0 && r < d; r++)
            for (int k = 0; k < m; k++)
                velocity[body * m + k] += o->z[i * d + r] * gain[r * m + k];
    }
}

// ---- Velocities ---------------------------------------------------------------------------------

static void list_sorted(Stepping *s)
{
    const StepContacts *c = &s->sorted;
    StepHold *o = s->hold;
    size_t size = (size_t)(s->d * s->m);
    o->count = 0;
    for (int i = 0; i < c->count; i++) {
        if (!step_is_joint(c, i))
            continue;
        for (int r = 0; r < s->d; r++)
            o->right[o->count * s->d + r] = -c->free[s->d * i + r];
        const double *rows = c->jacobian + 2 * (size_t)i * size;
        o->blocks[o->count++] =
            (HoldBlock){{c->bodies[2 * i], c->bodies[2 * i + 1]}, {rows, rows + size}, s->m};
    }
}

// Velocities in the rows of sorted contact i under those that joints give (s->work).
static void find_after(Stepping *s, int i)
{
    StepContacts *c = &s->sorted;
    int d = s->d, m = s->m;
    for (int r = 0; r < d; r++) {
        double sum = c->free[d * i + r];
        for (int side = 0; side < 2; side++) {
            int body = c->bodies[2 * i + side];
            const double *row = c->jacobian + (size_t)(((2 * i + side) * d + r) * m);
            for (int k = 0; body >= 0 && k < m; k++)
                sum += row[k] * s->work[body * m + k];
        }
        c->after[d * i + r] = sum;
    }
}

// An island whose contacts all open, or has none: the joints alone are its answer.
static void take_island(Stepping *s, Island *island, int *joint, double residual)
{
    StepContacts *c = &s->sorted;
    int joints = 0;
    bool open = true;
    for (int i = island->first; i < island->first + island->count; i++) {
        joints += step_is_joint(c, i);
        find_after(s, i);
        open &= step_is_joint(c, i) || c->after[s->d * i] >= 0;
    }
    if (open && joints > 0) {
        int at = *joint;
        for (int i = island->first; i < island->first + island->count; i++) {
            double *r = c->impulse + s->d * i;
            memset(r, 0, (size_t)s->d * sizeof *r);
            if (step_is_joint(c, i))
                memcpy(r, s->hold->z + s->d * at++, (size_t)s->d * sizeof *r);
        }
        island->held = true;
        island->residual = residual;
        island->iterations = 1;
    }
    *joint += joints;
}

SpragStatus stepping_hold_velocity(Stepping *s)
{
    StepHold *o = s->hold;
    bool ready;
    if (!o || s->joint_count == 0)
        return SPRAG_OK;
    SPRAG_TRY(reserve(s, (size_t)s->joint_count));
    list_sorted(s);
    SPRAG_TRY(build(s, &ready));
    if (!ready)
        return SPRAG_OK;
    double residual = solve(s, o);
    if (!(residual <= HELD))
        return SPRAG_OK;
    memset(s->work, 0, (size_t)s->run->n * sizeof *s->work);
    for (int i = 0; i < o->count; i++)
        push(s, o, i, s->work);
    for (int i = 0, joint = 0; i < s->island_count; i++)
        take_island(s, &s->islands[i], &joint, residual);
    return SPRAG_OK;
}

// ---- Positions ----------------------------------------------------------------------------------

// Blocks of joints at positions q; returns the largest error.
static SpragStatus list_joints(Stepping *s, double t, const double *q, double *worst)
{
    StepHold *o = s->hold;
    SPRAG_TRY(stepping_joints_find(s, t, q, NULL));
    *worst = 0;
    o->count = 0;
    for (int i = 0; i < s->joint_count; i++) {
        const StepJoint *joint = &s->joints[i];
        HoldBlock block = {{-1, -1}, {joint->entries[0][0], joint->entries[1][0]}, MOST_BODY_SIZE};
        for (int side = 0; side < 2; side++)
            if (joint->body[side] >= 0 && !s->asleep[joint->body[side]])
                block.body[side] = joint->body[side];
        if (block.body[0] < 0 && block.body[1] < 0)
            continue;
        for (int r = 0; r < s->d; r++) {
            o->right[o->count * s->d + r] = -joint->error[r];
            *worst = fmax(*worst, fabs(joint->error[r]));
        }
        o->blocks[o->count++] = block;
    }
    return SPRAG_OK;
}

// What the displacement gains against gravity is booked.
static void book(Stepping *s, const double *shift)
{
    const SpragModel *model = sprag_system_model(s->system);
    for (int i = 0; i < s->block_count; i++)
        for (int k = 0; k < s->d; k++)
            s->run->change +=
                model->bodies[s->model_body[i]].mass * model->gravity[k] * shift[i * s->m + k];
}

// Newton's method on positions; *left: the error at which it ends.
static SpragStatus close_joints(Stepping *s, double t, double *q, double *left)
{
    StepHold *o = s->hold;
    double worst, before = INFINITY, tolerance = s->run->tolerances.gap;
    for (int k = 0;; k++) {
        bool ready;
        SPRAG_TRY(list_joints(s, t, q, &worst));
        if (!(worst < before)) { // that way it does not go: the last place stands
            *left = before;
            memcpy(q, s->later, (size_t)s->run->m * sizeof *q);
            return stepping_joints_find(s, t, q, NULL);
        }
        *left = worst;
        if (k > 0)
            book(s, s->work);
        if (worst <= tolerance || k == NEWTON_STEPS)
            return SPRAG_OK;
        before = worst;
        SPRAG_TRY(build(s, &ready));
        if (!ready)
            return SPRAG_OK;
        (void)solve(s, o);
        memset(s->work, 0, (size_t)s->run->n * sizeof *s->work);
        for (int i = 0; i < o->count; i++)
            push(s, o, i, s->work);
        memcpy(s->later, q, (size_t)s->run->m * sizeof *q);
        sprag_system_position_shift(s->system, s->work, q);
        sprag_system_position_normalise(s->system, q);
    }
}

// Drives that contradict each other, a mechanism that is driven beyond its dead point: says so.
static SpragStatus fail_open(Stepping *s, double t, const double *q)
{
    SpragRun *run = s->run;
    const SpragModel *model = sprag_system_model(s->system);
    SpragJointState *states = sprag_alloc(run->context, (size_t)model->joint_count, sizeof *states);
    if (!states)
        return SPRAG_ERROR_MEMORY;
    int worst = 0;
    SpragStatus status =
        sprag_system_joints(s->system, t, q, run->y + run->m, 0, NULL, NULL, states);
    for (int j = 1; status == SPRAG_OK && j < model->joint_count; j++)
        if (!(states[j].error <= states[worst].error))
            worst = j;
    if (status == SPRAG_OK)
        status = sprag_fail(run->context, SPRAG_ERROR_NUMERIC,
                            "the joint %s cannot follow at t = %.9g: its error is %.2g m",
                            model->joints[worst].name, t, states[worst].error);
    sprag_free(run->context, states);
    return status;
}

SpragStatus stepping_hold_position(Stepping *s, double t, double *q)
{
    double left;
    if (!s->hold || s->joint_count == 0)
        return SPRAG_OK;
    SPRAG_TRY(reserve(s, (size_t)s->joint_count));
    SPRAG_TRY(close_joints(s, t, q, &left));
    return left <= LOST * s->run->tolerances.gap ? SPRAG_OK : fail_open(s, t, q);
}
