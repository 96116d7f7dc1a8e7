// turning.c: does slip that starts keep its direction?
// Problem   contacts i start to slip in directions χ_i with accelerations s_i; small slips nearby
//           turn by χ_i' = d⊥_i·a_T,i / |v_i|, |v_i| = s_i t, theory.md (13.16)
// Method    M_ij = ∂(d⊥_i·a_T,i)/∂χ_j with every other active row kept at zero acceleration; in the
//           logarithm of time the deviations follow diag(1/s) M, so they die out if all its
//           eigenvalues have negative real parts. One contact: d/dχ (d⊥·a_T) < 0
#include <math.h>

#include "sprag/numeric.h"
#include "sprag/vector.h"
#include "stability.h"

// Rows this nearly dependent count as dependent; rates this small, relative, are no attraction.
static const double DEPENDENT = 1e-10, ZERO_RATE = 1e-10;

enum { WAYS = SPRAG_CONSTRAINT_WAYS };

typedef struct Turning {
    SpragArena *arena;
    const SpragContactProblem *problem;
    const SpragMotion *motion;
    int n, k;       // rows kept at zero; ways in which directions of starting contacts can turn
    int *row;       // of W
    int *owner;     // constraint of each row
    int *start;     // constraint of each starting contact, once for each way to turn
    double *across; // WAYS each: that way
    double *D;      // n × n: rows per unit of their forces, pseudo-inverted in factors
    double *V, *s;
    double *response; // n: change of the forces
} Turning;

static bool starts(const Turning *turning, int c)
{
    const SpragConstraint *item = &turning->problem->constraints[c];
    return turning->motion->modes[c] == SPRAG_MODE_SLIDE && !item->sliding && item->friction > 0 &&
           turning->motion->active[c] && item->row_count - sprag_constraint_normals(item) > 1;
}

static SpragStatus allocate(Turning *turning)
{
    SpragArena *arena = turning->arena;
    size_t n = (size_t)turning->problem->row_count + 1;
    size_t count = (size_t)turning->problem->constraint_count + 1;
    turning->row = sprag_arena_alloc(arena, n, sizeof(int));
    turning->owner = sprag_arena_alloc(arena, n, sizeof(int));
    turning->start = sprag_arena_alloc(arena, 2 * count, sizeof(int));
    turning->across = sprag_arena_alloc(arena, 2 * WAYS * count, sizeof(double));
    turning->D = sprag_arena_alloc(arena, n * n, sizeof(double));
    turning->V = sprag_arena_alloc(arena, n * n, sizeof(double));
    turning->s = sprag_arena_alloc(arena, n, sizeof(double));
    turning->response = sprag_arena_alloc(arena, n, sizeof(double));
    bool ok = turning->row && turning->owner && turning->start && turning->across && turning->D &&
              turning->V && turning->s && turning->response;
    return ok ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// The ways in which the direction of constraint c can turn: across it, with three tangents two.
static void list_turns(Turning *turning, int c)
{
    const SpragConstraint *item = &turning->problem->constraints[c];
    const double *d = turning->motion->direction + WAYS * (size_t)c;
    double *across = turning->across + WAYS * (size_t)turning->k;
    turning->start[turning->k++] = c;
    across[0] = -d[1];
    across[1] = d[0];
    if (item->row_count - sprag_constraint_normals(item) == 2)
        return;
    SpragVec3 way = sprag_vec3_of(d), axis = {fabs(d[0]) < 0.6, fabs(d[0]) >= 0.6, 0};
    SpragVec3 first = sprag_vec3_unit(sprag_vec3_cross(way, axis));
    turning->start[turning->k++] = c;
    sprag_vec3_to(first, across);
    sprag_vec3_to(sprag_vec3_cross(way, first), across + WAYS);
}

static void list_rows(Turning *turning)
{
    const SpragMotion *motion = turning->motion;
    for (int c = 0; c < turning->problem->constraint_count; c++) {
        const SpragConstraint *item = &turning->problem->constraints[c];
        bool bilateral =
            item->kind == SPRAG_CONSTRAINT_BILATERAL || item->kind == SPRAG_CONSTRAINT_BEARING;
        if (motion->modes[c] == SPRAG_MODE_SEPARATE || (!bilateral && !motion->active[c]))
            continue;
        bool sticks = motion->modes[c] == SPRAG_MODE_STICK && item->friction > 0;
        for (int r = 0; r < (sticks ? item->row_count : sprag_constraint_normals(item)); r++) {
            turning->owner[turning->n] = c;
            turning->row[turning->n++] = item->row + r;
        }
        if (starts(turning, c))
            list_turns(turning, c);
    }
}

// Acceleration of `row` per unit of force `on` along the tangents of constraint c.
static double by_friction(const Turning *turning, int row, int c, const double on[WAYS])
{
    const SpragContactProblem *p = turning->problem;
    const SpragConstraint *item = &p->constraints[c];
    int normals = sprag_constraint_normals(item);
    const double *W = p->W + row * p->row_count + item->row + normals;
    double sum = 0;
    for (int k = 0; k < item->row_count - normals; k++)
        sum += on[k] * W[k];
    return sum;
}

// Acceleration of `row` per unit of the force that belongs to kept row j.
static double by_force(const Turning *turning, int row, int j)
{
    const SpragContactProblem *p = turning->problem;
    double entry = p->W[row * p->row_count + turning->row[j]];
    for (int c = 0; c < p->constraint_count; c++) {
        const SpragConstraint *item = &p->constraints[c];
        if (c != turning->owner[j] && item->shared != turning->row[j])
            continue;
        int normals = sprag_constraint_normals(item);
        for (int k = 0; k < item->row_count - normals; k++)
            entry += friction_slope(p, turning->motion, c, turning->row[j], k) *
                     p->W[row * p->row_count + item->row + normals + k];
    }
    return entry;
}

// Forces of the kept rows that answer accelerations `load` of theirs, least change if dependent.
static void answer(Turning *turning, const double *load)
{
    int n = turning->n;
    for (int i = 0; i < n; i++)
        turning->response[i] = 0;
    for (int k = 0; k < n && turning->s[k] > DEPENDENT * turning->s[0]; k++) {
        double projection = 0;
        for (int i = 0; i < n; i++)
            projection += turning->D[i * n + k] * load[i];
        for (int i = 0; i < n; i++)
            turning->response[i] -=
                turning->V[i * n + k] * projection / (turning->s[k] * turning->s[k]);
    }
}

// Column j of diag(1/s) M.
static void fill_column(Turning *turning, int j, double *load, double *M)
{
    const SpragContactProblem *p = turning->problem;
    const SpragMotion *motion = turning->motion;
    int c = turning->start[j], k = turning->k;
    double normal = fabs(sprag_constraint_pressure(&p->constraints[c], motion->force));
    double mu = p->constraints[c].friction, on[WAYS];
    for (int t = 0; t < WAYS; t++)
        on[t] = -mu * normal * turning->across[WAYS * j + t];
    for (int i = 0; i < turning->n; i++)
        load[i] = by_friction(turning, turning->row[i], c, on);
    answer(turning, load);
    for (int i = 0; i < k; i++) {
        const double *e = motion->direction + WAYS * (size_t)turning->start[i];
        const double *across = turning->across + WAYS * (size_t)i;
        const SpragConstraint *item = &p->constraints[turning->start[i]];
        int normals = sprag_constraint_normals(item), row = item->row + normals;
        double change = 0, speed = 0;
        for (int t = 0; t < item->row_count - normals; t++) {
            double a = by_friction(turning, row + t, c, on);
            for (int r = 0; r < turning->n; r++)
                a += by_force(turning, row + t, r) * turning->response[r];
            change += across[t] * a;
            speed += e[t] * motion->acceleration[row + t];
        }
        M[i * k + j] = change / speed - (i == j);
    }
}

SpragStatus turning_test(SpragArena *arena, const SpragContactProblem *problem,
                         SpragSolution *solution)
{
    Turning turning = {.arena = arena, .problem = problem, .motion = solution->motion};
    SPRAG_TRY(allocate(&turning));
    list_rows(&turning);
    int n = turning.n, k = turning.k;
    if (k == 0 || solution->motion->dimension > 0)
        return SPRAG_OK;
    double *M = sprag_arena_alloc(arena, (size_t)k * (size_t)k + 1, sizeof *M);
    double *load = sprag_arena_alloc(arena, (size_t)n + 1, sizeof *load);
    double *real = sprag_arena_alloc(arena, 2 * (size_t)k + 1, sizeof *real);
    double *work = sprag_arena_alloc(arena, sprag_eigenvalues_work(k), sizeof *work);
    if (!M || !load || !real || !work)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            turning.D[i * n + j] = by_force(&turning, turning.row[i], j);
    sprag_svd(n, n, turning.D, turning.s, turning.V);
    for (int j = 0; j < k; j++)
        fill_column(&turning, j, load, M);
    real[0] = M[0];
    if (k > 1 && !sprag_eigenvalues(k, M, real, real + k, work))
        return sprag_fail(problem->context, SPRAG_ERROR_NUMERIC,
                          "the eigenvalues of the directions of slip did not converge");
    if (real[0] < -ZERO_RATE)
        return SPRAG_OK;
    solution->stable = false;
    solution->stability = SPRAG_DIVERGENT;
    solution->turns = true;
    return SPRAG_OK;
}
