// scene_mechanics.c: a bare contact problem given by the mechanics behind it.
// Problem   W = J M⁻¹ Jᵀ and b = J M⁻¹ (u − h) + J̇ v, theory.md (1.3), (1.4), from mass: M
//           (whole, or its diagonal), J (a row a contact direction), force: u − h, bias: J̇ v
// Method    M⁻¹ by LU of M scaled to a diagonal of order one, so that mixed units (kg beside
//           kg m²) lose no digits; all coordinates are one block of the block-sparse view
// Assumes   M symmetric and positive definite: checked, up to the digits that files have
#include <math.h>
#include <stdbool.h>

#include "scene_private.h"
#include "sprag/numeric.h"

// A pivot of the scaled matrix below this is rounding: M is singular.
static const double LEAST_PIVOT = 1e-14;

typedef struct Mechanics {
    const Node *mass, *J;
    int n;          // coordinates
    double *M;      // n × n
    double *scaled; // n × n: M with a diagonal of order one, then its factors
    double *root;   // n: powers of two, about the square roots of the diagonal of M
    double *column; // 2 n
    int *order;     // 2 n
} Mechanics;

bool problem_has_mechanics(Reader *reader)
{
    static const char *const keys[] = {"mass", "J", "force", "bias"};
    for (int i = 0; i < 4; i++)
        if (node_get(reader->root, keys[i]))
            return true;
    return false;
}

static SpragStatus refuse_both(Reader *reader)
{
    static const char *const keys[] = {"W", "b"};
    for (int i = 0; i < 2; i++)
        if (node_get(reader->root, keys[i]))
            return fail_at(reader, node_key(reader->root, keys[i]),
                           "a contact problem is given by W and b, or by mass and J, not both");
    return SPRAG_OK;
}

// Sizes and scratch memory, which goes with the reader.
static SpragStatus open_mechanics(Reader *reader, Mechanics *mechanics)
{
    mechanics->mass = node_get(reader->root, "mass");
    mechanics->J = node_get(reader->root, "J");
    if (!mechanics->mass)
        return fail_at(reader, reader->root,
                       "mass is missing, a matrix or the list of its diagonal");
    if (!mechanics->J)
        return fail_at(reader, reader->root, "J is missing, a matrix: a row a contact direction");
    SPRAG_TRY(need_sequence(reader, mechanics->mass, "mass"));
    int n = mechanics->n = mechanics->mass->count;
    if (n == 0)
        return fail_at(reader, mechanics->mass, "mass must not be empty");
    size_t size = (size_t)n;
    mechanics->M = sprag_arena_alloc(reader->arena, size * size, sizeof(double));
    mechanics->scaled = sprag_arena_alloc(reader->arena, size * size, sizeof(double));
    mechanics->root = sprag_arena_alloc(reader->arena, size, sizeof(double));
    mechanics->column = sprag_arena_alloc(reader->arena, 2 * size, sizeof(double));
    mechanics->order = sprag_arena_alloc(reader->arena, 2 * size, sizeof(int));
    bool done = mechanics->M && mechanics->scaled && mechanics->root && mechanics->column &&
                mechanics->order;
    return done ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

static SpragStatus read_mass(Reader *reader, Mechanics *mechanics)
{
    const Node *node = mechanics->mass;
    int n = mechanics->n;
    if (node->items[0]->kind == NODE_SEQUENCE) {
        SPRAG_TRY(read_matrix(reader, node, "mass", n, n, mechanics->M));
        return check_symmetric(reader, "mass", n, mechanics->M);
    }
    for (int i = 0; i < n; i++)
        SPRAG_TRY(read_number(reader, node->items[i], "mass", KIND_ANY, RANGE_POSITIVE,
                              &mechanics->M[(size_t)i * (size_t)(n + 1)]));
    return SPRAG_OK;
}

static SpragStatus fail_definite(Reader *reader, const Mechanics *mechanics)
{
    return fail_at(reader, mechanics->mass,
                   "mass must be positive definite: xᵀ M x > 0 for every velocity x");
}

// M with a diagonal between a half and two, by powers of two, which round nothing; its symmetric
// part, since files have few digits.
static SpragStatus scale_mass(Reader *reader, Mechanics *mechanics)
{
    int n = mechanics->n;
    const double *M = mechanics->M;
    for (int i = 0; i < n; i++) {
        if (!(M[i * n + i] > 0))
            return fail_definite(reader, mechanics);
        int exponent;
        frexp(M[i * n + i], &exponent);
        mechanics->root[i] = ldexp(1, exponent / 2);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            mechanics->scaled[i * n + j] =
                (0.5 * M[i * n + j] + 0.5 * M[j * n + i]) / mechanics->root[i] / mechanics->root[j];
    return SPRAG_OK;
}

// inverse = M⁻¹ (n × n), exactly symmetric.
static SpragStatus invert_mass(Reader *reader, Mechanics *mechanics, double *inverse)
{
    int n = mechanics->n;
    SPRAG_TRY(scale_mass(reader, mechanics));
    // M is not read again: it takes the factor of the test
    if (sprag_cholesky_semidefinite(n, mechanics->scaled, LEAST_PIVOT, mechanics->M) < n)
        return fail_definite(reader, mechanics);
    int *rows = mechanics->order, *columns = mechanics->order + n;
    double *unit = mechanics->column, *solved = mechanics->column + n;
    if (sprag_lu_factor(n, mechanics->scaled, 0, rows, columns, NULL) < n)
        return fail_definite(reader, mechanics);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            unit[i] = i == j;
        sprag_lu_solve(n, mechanics->scaled, rows, columns, unit, solved);
        for (int i = 0; i <= j; i++)
            inverse[i * n + j] = inverse[j * n + i] =
                solved[i] / mechanics->root[i] / mechanics->root[j];
    }
    return SPRAG_OK;
}

static SpragStatus read_jacobian(Reader *reader, const Mechanics *mechanics)
{
    SpragContactProblem *problem = &reader->scene->problem;
    const Node *node = mechanics->J;
    SPRAG_TRY(need_sequence(reader, node, "J"));
    if (node->count != problem->row_count)
        return fail_at(reader, node, "J must have %d rows, as many as the contacts have, got %d",
                       problem->row_count, node->count);
    for (int row = 0; row < problem->row_count; row++) {
        double *entries;
        SPRAG_TRY(sprag_contact_problem_add_row_block(problem, row, 0, &entries));
        SPRAG_TRY(
            read_numbers(reader, node->items[row], "a row of J", KIND_ANY, mechanics->n, entries));
    }
    return SPRAG_OK;
}

// M⁻¹ force; without force the accelerations are zero already.
static SpragStatus read_force(Reader *reader, Mechanics *mechanics)
{
    SpragContactProblem *problem = &reader->scene->problem;
    const Node *node = node_get(reader->root, "force");
    const double *inverse = problem->inverse_inertia;
    int n = mechanics->n;
    if (!node)
        return SPRAG_OK;
    SPRAG_TRY(read_numbers(reader, node, "force", KIND_ANY, n, mechanics->column));
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += inverse[i * n + j] * mechanics->column[j];
        problem->free_acceleration[i] = sum;
    }
    return SPRAG_OK;
}

SpragStatus read_mechanics(Reader *reader)
{
    SpragContactProblem *problem = &reader->scene->problem;
    Mechanics mechanics = {0};
    double *inverse;
    SPRAG_TRY(refuse_both(reader));
    SPRAG_TRY(open_mechanics(reader, &mechanics));
    SPRAG_TRY(read_mass(reader, &mechanics));
    SPRAG_TRY(sprag_contact_problem_add_block(problem, mechanics.n, &inverse));
    SPRAG_TRY(invert_mass(reader, &mechanics, inverse));
    SPRAG_TRY(read_jacobian(reader, &mechanics));
    SPRAG_TRY(read_force(reader, &mechanics));
    const Node *bias = node_get(reader->root, "bias");
    if (bias)
        SPRAG_TRY(read_numbers(reader, bias, "bias", KIND_ANY, problem->row_count, problem->bias));
    SPRAG_TRY(sprag_contact_problem_assemble(problem));
    return locate(reader, mechanics.J, sprag_contact_problem_check(problem));
}

bool sprag_scene_is_moving(const SpragScene *scene)
{
    if (scene->kind != SPRAG_SCENE_CONTACT)
        return false;
    for (int row = 0; row < scene->problem.row_count; row++)
        if (scene->problem.bias[row] != 0)
            return true;
    return false;
}
