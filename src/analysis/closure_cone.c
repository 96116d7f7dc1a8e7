// closure_cone.c: whether the forces of friction cones span a space positively.
// Problem   unit generators g of the cones, and free directions e of bilateral constraints: is
//           Σ x g + Σ y e = 0 with every x > 0 possible?
// Method    the largest t with x ≥ t, Σ x = 1, by the dual of that linear program (8.6): it has few
//           variables, and where t = 0 its solution is a motion w with g·w ≥ 0 and e·w = 0, the
//           certificate of Farkas' lemma [Chvatal1983, Ch. 16]; of all those the one of least
//           length is reported, which does not depend on the order of anything
// Assumes   that the rows span the space; cones in space are polyhedral, inside or around the true
//           ones, theory.md (11.6)
#include <math.h>
#include <string.h>

#include "closure.h"
#include "sprag/complementarity.h"
#include "sprag/numeric.h"

static const double LP_TOLERANCE = 1e-12;
// Generators shorter than this part of their row cancel: such a force does nothing.
static const double SHORTEST = 1e-12;
static const double PI = 3.14159265358979323846;

typedef struct Generators {
    int n;          // coordinates
    int count;      // of generators
    int free_count; // of free directions
    double *g;      // count × n, unit length
    double *e;      // free_count × n
    bool partial;   // friction of bearings is left out
} Generators;

static void add_free(Generators *set, const double *row)
{
    memcpy(set->e + set->free_count++ * set->n, row, (size_t)set->n * sizeof *row);
}

// The direction normal × N + Σ tangents × T.
static void add_generator(Generators *set, const double *N, double normal, const double tangents[2],
                          int tangent_count)
{
    double *g = set->g + set->count * set->n, sum = 0;
    for (int j = 0; j < set->n; j++) {
        g[j] = normal * N[j];
        for (int k = 0; k < tangent_count; k++)
            g[j] += tangents[k] * N[(k + 1) * set->n + j];
        sum += g[j] * g[j];
    }
    if (sqrt(sum) <= SHORTEST)
        return;
    for (int j = 0; j < set->n; j++)
        g[j] /= sqrt(sum);
    set->count++;
}

// The edges of the cone of one constraint with friction.
static void add_edges(Generators *set, const double *N, double sign, const SpragConstraint *item,
                      const ClosureCone *cone)
{
    double mu = item->friction;
    if (item->row_count < 3) {
        add_generator(set, N, sign, (const double[2]){mu, 0}, 1);
        add_generator(set, N, sign, (const double[2]){-mu, 0}, 1);
        return;
    }
    mu /= cone->outer ? cos(PI / cone->sides) : 1;
    for (int k = 0; k < cone->sides; k++) {
        double angle = 2 * PI * k / cone->sides;
        add_generator(set, N, sign, (const double[2]){mu * cos(angle), mu * sin(angle)}, 2);
    }
}

static void add_constraint(Generators *set, const ClosureRows *rows, const SpragConstraint *item,
                           const ClosureCone *cone, int *guide)
{
    const double *N = rows->U + item->row * set->n;
    bool rough = item->friction > 0 && !cone->frictionless;
    if (rows->size[item->row] == 0)
        return;
    switch (item->kind) {
    case SPRAG_CONSTRAINT_BILATERAL:
        add_free(set, N);
        break;
    case SPRAG_CONSTRAINT_LIMIT:
        add_generator(set, N, 1, NULL, 0);
        break;
    case SPRAG_CONSTRAINT_CONTACT:
        if (rough)
            add_edges(set, N, 1, item, cone);
        else
            add_generator(set, N, 1, NULL, 0);
        break;
    case SPRAG_CONSTRAINT_GUIDE:
        if (rough && !cone->outer)
            add_edges(set, N, cone->signs >> *guide & 1u ? -1 : 1, item, cone);
        else
            for (int k = 0; k < (rough ? item->row_count : 1); k++)
                add_free(set, N + k * set->n);
        break;
    case SPRAG_CONSTRAINT_BEARING:
        // its cone is not convex: inside of it are normal forces alone
        set->partial |= rough && !cone->outer;
        for (int k = 0;
             k < (rough && cone->outer ? item->row_count : sprag_constraint_normals(item)); k++)
            add_free(set, N + k * set->n);
        break;
    }
    *guide += item->kind == SPRAG_CONSTRAINT_GUIDE;
}

static SpragStatus build(SpragArena *arena, const ClosureRows *rows, const ClosureCone *cone,
                         Generators *set)
{
    const SpragContactProblem *problem = rows->problem;
    size_t edges = problem->dimension == 3 ? (size_t)cone->sides + 1 : 3,
           guide_rows = SPRAG_CONSTRAINT_ROWS;
    size_t n = (size_t)rows->rank;
    int guide = 0;
    *set = (Generators){.n = rows->rank};
    set->g =
        sprag_arena_alloc(arena, edges * (size_t)problem->constraint_count * n + 1, sizeof *set->g);
    set->e = sprag_arena_alloc(arena, guide_rows * (size_t)problem->constraint_count * n + 1,
                               sizeof *set->e);
    if (!set->g || !set->e)
        return SPRAG_ERROR_MEMORY;
    for (int c = 0; c < problem->constraint_count; c++)
        add_constraint(set, rows, &problem->constraints[c], cone, &guide);
    return SPRAG_OK;
}

// ---- The test -----------------------------------------------------------------------------------

// minimise z over (w, z): g·w + z ≥ 0, z ≥ 0, Σ (g·w + z) = 1, e·w = 0. Leaves w and z in x.
static SpragStatus solve_dual(SpragArena *arena, const Generators *set, double *x,
                              SpragLpStatus *status)
{
    int n = set->n, m = set->count, width = n + 1, rows = m + 2 + set->free_count;
    double *A = sprag_arena_alloc(arena, (size_t)rows * (size_t)width, sizeof *A);
    double *b = sprag_arena_alloc(arena, (size_t)rows, sizeof *b);
    double *c = sprag_arena_alloc(arena, (size_t)width, sizeof *c);
    if (!A || !b || !c)
        return SPRAG_ERROR_MEMORY;
    double *sum = A + (m + 1) * width;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            A[i * width + j] = -set->g[i * n + j];
            sum[j] += set->g[i * n + j];
        }
        A[i * width + n] = -1;
    }
    A[m * width + n] = -1;
    sum[n] = m;
    b[m + 1] = 1;
    for (int i = 0; i < set->free_count; i++)
        memcpy(sum + (i + 1) * width, set->e + i * n, (size_t)n * sizeof *A);
    c[n] = -1;
    SpragLp program = {width, m + 1, 1 + set->free_count, A, b, c};
    return sprag_lp_solve(arena, &program, LP_TOLERANCE, x, NULL, status);
}

// The shortest w with g·w ≥ 0, Σ g·w ≥ 1, e·w = 0.
static SpragStatus shortest_motion(SpragArena *arena, const Generators *set, double *w, bool *found)
{
    int n = set->n, m = set->count, rows = m + 1 + 2 * set->free_count;
    double *G = sprag_arena_alloc(arena, (size_t)rows * (size_t)n, sizeof *G);
    double *h = sprag_arena_alloc(arena, (size_t)rows, sizeof *h);
    if (!G || !h)
        return SPRAG_ERROR_MEMORY;
    memcpy(G, set->g, (size_t)m * (size_t)n * sizeof *G);
    for (int i = 0; i < m * n; i++)
        G[m * n + i % n] += set->g[i];
    h[m] = 1;
    for (int i = 0; i < set->free_count * n; i++) {
        G[(m + 1) * n + i] = set->e[i];
        G[(m + 1 + set->free_count) * n + i] = -set->e[i];
    }
    return sprag_least_distance(arena, rows, n, G, h, w, found);
}

// Whether the generators are of all dimensions; rows of friction that were left out may be missing.
static SpragStatus spans(SpragArena *arena, const Generators *set, bool *all)
{
    const double dependent = 1e-9;
    int n = set->n, m = set->count + set->free_count;
    double *A = sprag_arena_alloc(arena, (size_t)(m + n) * (size_t)n + 1, sizeof *A);
    double *s = sprag_arena_alloc(arena, (size_t)n + 1, sizeof *s);
    if (!A || !s)
        return SPRAG_ERROR_MEMORY;
    memcpy(A, set->g, (size_t)set->count * (size_t)n * sizeof *A);
    memcpy(A + set->count * n, set->e, (size_t)set->free_count * (size_t)n * sizeof *A);
    sprag_svd(m + n, n, A, s, NULL);
    *all = n == 0 || s[n - 1] > dependent * s[0];
    return SPRAG_OK;
}

static SpragStatus test_generators(SpragArena *arena, const Generators *set, ClosureTest *test)
{
    int n = set->n;
    SpragLpStatus status = SPRAG_LP_OPTIMAL;
    double *x = sprag_arena_alloc(arena, 2 * (size_t)n + 1, sizeof *x);
    bool found = false;
    if (!x)
        return SPRAG_ERROR_MEMORY;
    test->decided = true;
    if (set->partial) {
        bool all;
        SPRAG_TRY(spans(arena, set, &all));
        test->margin = 0;
        if (!all)
            return SPRAG_OK;
    }
    test->margin = 1; // bilateral rows alone span it
    if (set->count == 0)
        return SPRAG_OK;
    SPRAG_TRY(solve_dual(arena, set, x, &status));
    test->decided = status == SPRAG_LP_OPTIMAL;
    if (!test->decided)
        return SPRAG_OK;
    test->margin = fmin(1, fmax(0, set->count * x[n]));
    memcpy(test->w, x, (size_t)n * sizeof *x);
    if (test->margin > SPRAG_CLOSURE_TOLERANCE)
        return SPRAG_OK;
    SPRAG_TRY(shortest_motion(arena, set, x + n + 1, &found));
    if (found)
        memcpy(test->w, x + n + 1, (size_t)n * sizeof *x);
    return SPRAG_OK;
}

SpragStatus closure_cone_test(SpragArena *arena, const ClosureRows *rows, const ClosureCone *cone,
                              ClosureTest *test)
{
    Generators set;
    SpragArenaMark mark = sprag_arena_mark(arena);
    SpragStatus status = build(arena, rows, cone, &set);
    if (status == SPRAG_OK)
        status = test_generators(arena, &set, test);
    sprag_arena_release(arena, mark);
    return status;
}

// ---- Self-stress --------------------------------------------------------------------------------

// maximise t over (λ, t): Uᵀλ = 0, every facet of every cone at least t inside, Σ λN = 1.
typedef struct StressProgram {
    const ClosureRows *rows;
    const ClosureCone *cone;
    int width; // row_count + 1
    int inequality_count, equality_count;
    double *facets;     // inequality_count × width: t − facet(λ) ≤ 0
    double *equalities; // equality_count × width
    double *sum;        // the row Σ λN
} StressProgram;

static double *add_facet(StressProgram *program, int normal_row, double sign)
{
    double *facet = program->facets + program->inequality_count++ * program->width;
    facet[normal_row] = -sign;
    facet[program->width - 1] = 1;
    return facet;
}

static void add_cone_facets(StressProgram *program, const SpragConstraint *item, double sign)
{
    int row = item->row;
    double mu = item->friction;
    program->sum[row] = sign;
    if (item->row_count < 3) {
        add_facet(program, row, sign)[row + 1] = 1 / mu;
        add_facet(program, row, sign)[row + 1] = -1 / mu;
        return;
    }
    int sides = program->cone->sides;
    for (int k = 0; k < sides; k++) {
        double angle = 2 * PI * (k + 0.5) / sides, radius = mu * cos(PI / sides);
        double *facet = add_facet(program, row, sign);
        facet[row + 1] = cos(angle) / radius;
        facet[row + 2] = sin(angle) / radius;
    }
}

static void constrain(StressProgram *program, const SpragConstraint *item, int *guide)
{
    bool bearing = item->kind == SPRAG_CONSTRAINT_BEARING;
    bool rough =
        item->friction > 0 && !program->cone->frictionless && item->row_count > 1 && !bearing;
    bool bilateral = item->kind == SPRAG_CONSTRAINT_BILATERAL || bearing ||
                     (item->kind == SPRAG_CONSTRAINT_GUIDE && !rough);
    double sign =
        item->kind == SPRAG_CONSTRAINT_GUIDE && program->cone->signs >> *guide & 1u ? -1 : 1;
    if (program->rows->size[item->row] == 0)
        return;
    if (rough) {
        add_cone_facets(program, item, sign);
    } else if (!bilateral) {
        program->sum[item->row] = 1;
        add_facet(program, item->row, 1);
    }
    for (int k = sprag_constraint_normals(item); !rough && k < item->row_count; k++)
        program->equalities[program->equality_count++ * program->width + item->row + k] = 1;
    *guide += item->kind == SPRAG_CONSTRAINT_GUIDE;
}

// Facets first, then equalities, as the program wants them.
static SpragStatus build_stress(SpragArena *arena, StressProgram *program)
{
    const SpragContactProblem *problem = program->rows->problem;
    int rank = program->rows->rank, m = problem->row_count;
    size_t contacts = (size_t)problem->constraint_count, width = (size_t)m + 1;
    size_t facets = contacts * (size_t)(problem->dimension == 3 ? program->cone->sides + 2 : 2);
    int guide = 0;
    program->width = m + 1;
    program->facets =
        sprag_arena_alloc(arena, (facets + (size_t)m + (size_t)rank + 2) * width, sizeof(double));
    program->equalities =
        sprag_arena_alloc(arena, ((size_t)m + (size_t)rank + 2) * width, sizeof(double));
    if (!program->facets || !program->equalities)
        return SPRAG_ERROR_MEMORY;
    program->sum = program->equalities; // its right side alone is not 0
    program->equality_count = 1;
    for (int k = 0; k < rank; k++, program->equality_count++)
        for (int r = 0; r < m; r++)
            program->equalities[program->equality_count * (m + 1) + r] =
                program->rows->U[r * rank + k];
    for (int c = 0; c < problem->constraint_count; c++)
        constrain(program, &problem->constraints[c], &guide);
    memcpy(program->facets + program->inequality_count * program->width, program->equalities,
           (size_t)program->equality_count * width * sizeof(double));
    return SPRAG_OK;
}

// Forces in units of the problem, the largest normal force 1.
static void read_stress(const ClosureRows *rows, const double *x, double *force)
{
    const SpragContactProblem *problem = rows->problem;
    double largest = 0;
    for (int r = 0; r < problem->row_count; r++)
        force[r] = rows->size[r] > 0 ? x[r] / rows->size[r] : 0;
    for (int c = 0; c < problem->constraint_count; c++)
        if (problem->constraints[c].kind != SPRAG_CONSTRAINT_BILATERAL &&
            problem->constraints[c].kind != SPRAG_CONSTRAINT_BEARING)
            largest = fmax(largest, fabs(force[problem->constraints[c].row]));
    for (int r = 0; largest > 0 && r < problem->row_count; r++)
        force[r] /= largest;
}

static SpragStatus solve_stress(SpragArena *arena, StressProgram *program, double *force)
{
    SpragLpStatus status;
    SPRAG_TRY(build_stress(arena, program));
    if (program->inequality_count == 0)
        return SPRAG_OK;
    size_t rows = (size_t)(program->inequality_count + program->equality_count);
    double *b = sprag_arena_alloc(arena, rows, sizeof *b);
    double *c = sprag_arena_alloc(arena, (size_t)program->width, sizeof *c);
    double *x = sprag_arena_alloc(arena, (size_t)program->width, sizeof *x);
    if (!b || !c || !x)
        return SPRAG_ERROR_MEMORY;
    b[program->inequality_count] = 1;
    c[program->width - 1] = 1;
    SpragLp lp = {
        program->width, program->inequality_count, program->equality_count, program->facets, b, c};
    SPRAG_TRY(sprag_lp_solve(arena, &lp, LP_TOLERANCE, x, NULL, &status));
    if (status == SPRAG_LP_OPTIMAL)
        read_stress(program->rows, x, force);
    return SPRAG_OK;
}

SpragStatus closure_cone_stress(SpragArena *arena, const ClosureRows *rows, const ClosureCone *cone,
                                double *force)
{
    StressProgram program = {.rows = rows, .cone = cone};
    SpragArenaMark mark = sprag_arena_mark(arena);
    SpragStatus status = solve_stress(arena, &program, force);
    sprag_arena_release(arena, mark);
    return status;
}
