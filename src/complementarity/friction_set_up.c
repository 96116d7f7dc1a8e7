// friction_set_up.c: what all methods need of a problem before they begin.
//
// Problem   W as a dense matrix, sparse blocks or bodies; blocks W_ii, weights, empty rows
// Method    blocks of a dense W that are not zero are copied; of bodies M⁻¹ Jᵀ is kept, and W is
//           never formed
// Assumes   a problem that sprag_friction_check accepts
#include <math.h>
#include <string.h>

#include "friction_internal.h"

void *friction_allocate(Friction *f, size_t count, size_t size)
{
    return sprag_arena_alloc(f->workspace->arena, count + 1, size);
}

static bool has_block(const SpragFrictionProblem *problem, size_t i, size_t j)
{
    size_t d = (size_t)problem->dimension, n = d * (size_t)problem->contact_count;
    for (size_t e = 0; e < d * d; e++) {
        size_t row = e / d, column = e % d;
        if (problem->W[(i * d + row) * n + j * d + column] != 0 ||
            problem->W[(j * d + row) * n + i * d + column] != 0)
            return true;
    }
    return i == j;
}

// Blocks of a dense W that are not zero.
static SpragStatus find_blocks(Friction *f)
{
    const SpragFrictionProblem *problem = f->problem;
    size_t c = (size_t)f->c, d = (size_t)f->d, n = f->size, count = 0;
    for (size_t i = 0; i < c; i++)
        for (size_t j = 0; j < c; j++)
            count += has_block(problem, i, j);
    int *row_start = friction_allocate(f, c + 1, sizeof *row_start);
    int *column = friction_allocate(f, count, sizeof *column);
    double *blocks = friction_allocate(f, count * d * d, sizeof *blocks);
    if (!row_start || !column || !blocks)
        return SPRAG_ERROR_MEMORY;
    size_t k = 0;
    for (size_t i = 0; i < c; i++) {
        for (size_t j = 0; j < c; j++) {
            if (!has_block(problem, i, j))
                continue;
            column[k] = (int)j;
            for (size_t e = 0; e < d * d; e++)
                blocks[k * d * d + e] = problem->W[(i * d + e / d) * n + j * d + e % d];
            k++;
        }
        row_start[i + 1] = (int)k;
    }
    f->row_start = row_start;
    f->column = column;
    f->blocks = blocks;
    return SPRAG_OK;
}

static void take_diagonal(Friction *f, size_t i)
{
    size_t d = (size_t)f->d;
    for (int k = f->row_start[i]; k < f->row_start[i + 1]; k++)
        if (f->column[k] == (int)i)
            memcpy(f->diagonal + i * d * d, f->blocks + (size_t)k * d * d, d * d * sizeof(double));
}

// M⁻¹ Jᵀ and W_ii = J M⁻¹ Jᵀ of one contact.
static inline void make_sized(Friction *f, size_t i, size_t d, size_t m)
{
    double *W = f->diagonal + i * d * d;
    for (size_t side = 0; side < 2; side++) {
        int body = f->problem->bodies[2 * i + side];
        if (body < 0)
            continue;
        const double *inverse = f->problem->inverse_inertia + (size_t)body * m * m;
        const double *J = f->problem->jacobian + (2 * i + side) * d * m;
        double *MJ = f->MJ + (2 * i + side) * d * m;
        for (size_t a = 0; a < d; a++)
            for (size_t k = 0; k < m; k++)
                for (size_t e = 0; e < m; e++)
                    MJ[a * m + k] += inverse[k * m + e] * J[a * m + e];
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < d; b++)
                for (size_t e = 0; e < m; e++)
                    W[a * d + b] += J[a * m + e] * MJ[b * m + e];
    }
}

static void make_diagonal(Friction *f, size_t i)
{
    // sizes as constants: the compiler unrolls the loops
    if (f->d == 3 && f->body_size == 6)
        make_sized(f, i, 3, 6);
    else if (f->d == 2 && f->body_size == 3)
        make_sized(f, i, 2, 3);
    else
        make_sized(f, i, (size_t)f->d, (size_t)f->body_size);
}

static SpragStatus set_up_bodies(Friction *f)
{
    const SpragFrictionProblem *problem = f->problem;
    f->body_size = problem->body_size;
    f->MJ = friction_allocate(f, 2 * f->size * (size_t)f->body_size, sizeof(double));
    f->velocity =
        friction_allocate(f, (size_t)problem->body_count * (size_t)f->body_size, sizeof(double));
    return f->MJ && f->velocity ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// Whether row a of contact i of W is zero throughout.
static bool is_dead(const Friction *f, size_t i, size_t a)
{
    size_t d = (size_t)f->d, m = (size_t)f->body_size;
    if (f->bodies) {
        for (size_t k = 0; k < 2 * m; k++)
            if (f->MJ[((2 * i + k / m) * d + a) * m + k % m] != 0)
                return false;
        return true;
    }
    for (int k = f->row_start[i]; k < f->row_start[i + 1]; k++)
        for (size_t b = 0; b < d; b++)
            if (f->blocks[((size_t)k * d + a) * d + b] != 0)
                return false;
    return true;
}

static void find_dead(Friction *f)
{
    size_t d = (size_t)f->d;
    for (size_t i = 0; i < (size_t)f->c; i++) {
        if (f->kind[i] == SPRAG_FRICTION_CONTACT)
            continue;
        f->joints++;
        for (size_t a = 0; a < d; a++)
            f->dead[i * d + a] = is_dead(f, i, a);
    }
}

static void find_weights(Friction *f)
{
    size_t d = (size_t)f->d;
    double sum = 0, q = 0;
    for (size_t i = 0; i < (size_t)f->c; i++) {
        if (f->bodies)
            make_diagonal(f, i);
        else
            take_diagonal(f, i);
        if (d == 3)
            friction_contact_invert(f->diagonal + i * d * d, f->inverse + i * d * d);
        for (size_t k = 0; k < d; k++)
            f->weight[i] += f->diagonal[(i * d + k) * d + k] / (double)d;
        sum += fmax(0, f->weight[i]) / f->c;
    }
    // a contact that nothing can move counts as an average one
    for (size_t i = 0; i < (size_t)f->c; i++)
        if (!(f->weight[i] > 1e-14 * sum))
            f->weight[i] = sum > 0 ? sum : 1;
    for (size_t k = 0; k < f->size; k++)
        q += f->q[k] * f->q[k];
    f->norm_q = q > 0 ? sqrt(q) : 1;
}

SpragStatus friction_set_up(Friction *f)
{
    const SpragFrictionProblem *problem = f->problem;
    size_t d = (size_t)problem->dimension, c = (size_t)problem->contact_count;
    f->d = problem->dimension;
    f->c = problem->contact_count;
    f->size = d * c;
    f->q = problem->q;
    f->mu = problem->friction;
    f->bodies = problem->storage == SPRAG_FRICTION_BODIES;
    f->best_residual = INFINITY;
    f->best_method = f->settings.method;
    double **arrays[] = {&f->weight, &f->slip, &f->r, &f->u, &f->best, &f->diagonal, &f->inverse};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] = friction_allocate(f, k < 2 ? c : k < 5 ? f->size : c * d * d, sizeof(double));
        if (!*arrays[k])
            return SPRAG_ERROR_MEMORY;
    }
    f->kind = friction_allocate(f, c, sizeof *f->kind);
    f->dead = friction_allocate(f, f->size, sizeof *f->dead);
    if (!f->kind || !f->dead)
        return SPRAG_ERROR_MEMORY;
    if (problem->kinds)
        memcpy(f->kind, problem->kinds, c * sizeof *f->kind);
    if (f->bodies) {
        SPRAG_TRY(set_up_bodies(f));
    } else if (problem->storage == SPRAG_FRICTION_DENSE) {
        SPRAG_TRY(find_blocks(f));
    } else {
        f->row_start = problem->row_start;
        f->column = problem->column;
        f->blocks = problem->blocks;
    }
    find_weights(f);
    find_dead(f);
    return SPRAG_OK;
}
