// contact_space_newton.c: directions of contacts that start to slip, made exact.
// Problem   a = 0 in the equality rows and d⊥·a_T = 0 at every starting contact, in the unknown
//           forces x and angles χ (theory.md (13.1), (13.12))
// Method    Newton's method; where rows depend on each other the least step.
//           Null vectors of the last Jacobian, by singular values, tell whether forces, or motions,
//           are left open
#include <math.h>

#include "contact_space.h"
#include "sprag/numeric.h"

enum { STEPS = 30 };
static const double DEPENDENT = 1e-12, REGULAR = 1e-7, DAMPING = 1e-13, NEAR = 1e-6, ALIGNED = 1e-6,
                    LONGEST_TURN = 0.5, CONVERGED = 1e-9;
// Motions that null vectors make below this are rounding.
static const double WIDTH_TOLERANCE = 1e-7;

typedef struct Newton {
    SpaceMode *mode;
    int k, m, unknowns; // starting contacts; equations; forces and angles
    int *start;         // unknown of each starting contact
    double *J, *V, *s, *f, *change;
    int *order;
    double *turned; // k × width: motion per unit of angle
} Newton;

static SpragStatus allocate(Newton *newton)
{
    const Reduced *reduced = newton->mode->reduced;
    SpragArena *arena = reduced->arena;
    size_t rows = (size_t)reduced->rows + 1, size = 2 * rows;
    newton->start = sprag_arena_alloc(arena, rows, sizeof(int));
    newton->J = sprag_arena_alloc(arena, size * size, sizeof(double));
    newton->V = sprag_arena_alloc(arena, size * size, sizeof(double));
    newton->s = sprag_arena_alloc(arena, size, sizeof(double));
    newton->f = sprag_arena_alloc(arena, size, sizeof(double));
    newton->change = sprag_arena_alloc(arena, size, sizeof(double));
    newton->order = sprag_arena_alloc(arena, 2 * size, sizeof(int));
    newton->turned = sprag_arena_alloc(arena, rows * (size_t)(reduced->width + 1), sizeof(double));
    bool ok = newton->start && newton->J && newton->V && newton->s && newton->f && newton->turned &&
              newton->change && newton->order;
    return ok ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// Columns of the mode for its present directions, and what turning a direction does.
static void prepare(Newton *newton, const double *x)
{
    SpaceMode *mode = newton->mode;
    const Reduced *reduced = mode->reduced;
    int w = reduced->width;
    space_mode_fill(mode);
    newton->k = 0;
    for (int i = 0; i < mode->n; i++) {
        int c = mode->constraint[i];
        const SpaceCell *cell = &mode->cells[c];
        if (cell->kind != SPACE_START)
            continue;
        const double *t = reduced_row(reduced, reduced->first[c] + 1), *o = t + w;
        double factor = -reduced->friction[c] * x[i];
        double *turned = newton->turned + newton->k * w;
        for (int j = 0; j < w; j++)
            turned[j] = factor * (-cell->d[1] * t[j] + cell->d[0] * o[j]);
        newton->start[newton->k++] = i;
    }
    newton->unknowns = mode->n + newton->k;
}

// One equation: row · motion + constant.
static void add_equation(Newton *newton, const double *row, double constant, const double *xi)
{
    const SpaceMode *mode = newton->mode;
    int w = mode->reduced->width;
    double *J = newton->J + newton->m * newton->unknowns;
    newton->f[newton->m++] = space_dot(row, xi, w) + constant;
    for (int i = 0; i < mode->n; i++)
        J[i] = space_dot(row, mode->column + i * w, w);
    for (int p = 0; p < newton->k; p++)
        J[mode->n + p] = space_dot(row, newton->turned + p * w, w);
}

// All equations at (x, directions); across: scratch of width.
static void evaluate(Newton *newton, const double *xi, double *across)
{
    const SpaceMode *mode = newton->mode;
    const Reduced *reduced = mode->reduced;
    int w = reduced->width;
    newton->m = 0;
    for (int i = 0; i < mode->n; i++) {
        int row = reduced->first[mode->constraint[i]] + mode->offset[i];
        add_equation(newton, reduced_row(reduced, row), reduced->b[row], xi);
    }
    for (int p = 0; p < newton->k; p++) {
        int c = mode->constraint[newton->start[p]], row = reduced->first[c] + 1;
        const double *d = mode->cells[c].d, *t = reduced_row(reduced, row), *o = t + w;
        for (int j = 0; j < w; j++)
            across[j] = -d[1] * t[j] + d[0] * o[j];
        add_equation(newton, across, -d[1] * reduced->b[row] + d[0] * reduced->b[row + 1], xi);
        double along = d[0] * reduced_acceleration(reduced, row, xi) +
                       d[1] * reduced_acceleration(reduced, row + 1, xi);
        newton->J[(newton->m - 1) * newton->unknowns + mode->n + p] -= along;
    }
}

// Rank of J by singular values; its null vectors are the last columns of V.
static int find_rank(Newton *newton)
{
    int n = newton->unknowns, rank = 0;
    sprag_svd(newton->m, n, newton->J, newton->s, newton->V);
    while (rank < n && newton->s[rank] > DEPENDENT * newton->s[0])
        rank++;
    return rank;
}

// change = −J⁺ f by singular values: exact also where slips are slow and directions matter little.
static void solve_exactly(Newton *newton)
{
    int n = newton->unknowns, rank = find_rank(newton);
    for (int i = 0; i < n; i++)
        newton->change[i] = 0;
    for (int k = 0; k < rank; k++) {
        double projection = 0, square = newton->s[k] * newton->s[k];
        for (int e = 0; e < newton->m; e++)
            projection += newton->J[e * n + k] * newton->f[e];
        for (int i = 0; i < n; i++)
            newton->change[i] -= newton->V[i * n + k] * projection / square;
    }
}

// V = matrix; change = −matrix⁻¹ right. False: it is singular.
static bool solve(Newton *newton, double threshold, const double *right)
{
    int n = newton->unknowns;
    if (sprag_lu_factor(n, newton->V, threshold, newton->order, newton->order + n, NULL) < n)
        return false;
    sprag_lu_solve(n, newton->V, newton->order, newton->order + n, right, newton->change);
    for (int i = 0; i < n; i++)
        newton->change[i] = -newton->change[i];
    return true;
}

// The least step where rows depend on each other: (JᵀJ + ε) change = −Jᵀf.
static bool solve_dependent(Newton *newton)
{
    int n = newton->unknowns;
    double trace = 0;
    for (int i = 0; i < n; i++) {
        newton->s[i] = 0;
        for (int e = 0; e < newton->m; e++)
            newton->s[i] += newton->J[e * n + i] * newton->f[e];
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int e = 0; e < newton->m; e++)
                sum += newton->J[e * n + i] * newton->J[e * n + j];
            newton->V[i * n + j] = sum;
        }
        trace += newton->V[i * n + i];
    }
    for (int i = 0; i < n; i++)
        newton->V[i * n + i] += DAMPING * trace;
    return solve(newton, 0, newton->s);
}

// Takes the step that the equations ask for; false: they ask for none. near: the last steps.
static bool step(Newton *newton, double *x, bool near)
{
    SpaceMode *mode = newton->mode;
    int n = newton->unknowns;
    double largest = 0, turn = 0;
    for (int i = 0; i < n * n; i++) {
        newton->V[i] = newton->J[i];
        largest = fmax(largest, fabs(newton->J[i]));
    }
    if (!solve(newton, REGULAR * largest, newton->f)) {
        if (near)
            solve_exactly(newton);
        else if (!solve_dependent(newton))
            return false;
    }
    for (int i = mode->n; i < n; i++)
        turn = fmax(turn, fabs(newton->change[i]));
    double part = turn > LONGEST_TURN ? LONGEST_TURN / turn : 1;
    for (int i = 0; i < mode->n; i++)
        x[i] += part * newton->change[i];
    for (int p = 0; p < newton->k; p++) {
        double *d = mode->cells[mode->constraint[newton->start[p]]].d;
        double angle = atan2(d[1], d[0]) + part * newton->change[mode->n + p];
        d[0] = cos(angle);
        d[1] = sin(angle);
    }
    return true;
}

// Motions that null vectors make may be this wide by errors of the directions: those of slow slips
// are known to the residual over their size.
static double width_of_errors(const Newton *newton, const double *xi)
{
    const double errors = 10;
    double slowest = 1;
    for (int p = 0; p < newton->k; p++) {
        double a[2], error;
        int c = newton->mode->constraint[newton->start[p]];
        space_tangential(newton->mode->reduced, c, xi, a, &error);
        slowest = fmin(slowest, hypot(a[0], a[1]));
    }
    double least = fmax(WIDTH_TOLERANCE, newton->mode->reduced->width_tolerance);
    return fmax(least, errors * CONVERGED / fmax(slowest, CONVERGED));
}

// Dimension of the motions that the null vectors of J make.
static SpragStatus count_open_motions(const Newton *newton, const double *xi, int rank,
                                      int *dimension)
{
    const SpaceMode *mode = newton->mode;
    int n = newton->unknowns, w = mode->reduced->width, open = n - rank;
    *dimension = 0;
    if (open == 0)
        return SPRAG_OK;
    double *M = sprag_arena_alloc(mode->reduced->arena, (size_t)w * (size_t)open + 1, sizeof *M);
    double *s = sprag_arena_alloc(mode->reduced->arena, (size_t)open + 1, sizeof *s);
    if (!M || !s)
        return SPRAG_ERROR_MEMORY;
    for (int j = 0; j < w; j++)
        for (int k = 0; k < open; k++)
            for (int i = 0; i < n; i++)
                M[j * open + k] +=
                    newton->V[i * n + rank + k] *
                    (i < mode->n ? mode->column[i * w + j] : newton->turned[(i - mode->n) * w + j]);
    sprag_svd(w, open, M, s, NULL);
    double width = width_of_errors(newton, xi);
    for (int k = 0; k < open; k++)
        *dimension += s[k] > width;
    return SPRAG_OK;
}

static double residual(const Newton *newton, const double *x)
{
    double error = 0, size = 1;
    for (int e = 0; e < newton->m; e++)
        error = fmax(error, fabs(newton->f[e]));
    for (int i = 0; i < newton->mode->n; i++)
        size = fmax(size, fabs(x[i]));
    return error / size;
}

// Whether slow slips, too, start along their directions.
static bool has_directions(const Newton *newton, const double *xi)
{
    for (int p = 0; p < newton->k; p++) {
        int c = newton->mode->constraint[newton->start[p]];
        const double *d = newton->mode->cells[c].d;
        double a[2], error;
        space_tangential(newton->mode->reduced, c, xi, a, &error);
        double along = a[0] * d[0] + a[1] * d[1], across = a[1] * d[0] - a[0] * d[1];
        if (fabs(across) > ALIGNED * fabs(along) + error)
            return false;
    }
    return true;
}

SpragStatus space_refine(SpaceMode *mode, double *x, SpaceResult *result, bool *solved, bool *found)
{
    Newton newton = {.mode = mode};
    SpragArena *arena = mode->reduced->arena;
    double *across = sprag_arena_alloc(arena, (size_t)mode->reduced->width + 1, sizeof *across);
    if (!across)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(allocate(&newton));
    double last = INFINITY;
    int worse = 0;
    *found = *solved = false;
    for (int i = 0; i < STEPS; i++) {
        prepare(&newton, x);
        space_mode_motion(mode, x, result->xi);
        evaluate(&newton, result->xi, across);
        double error = residual(&newton, x);
        worse = error < 0.5 * last ? 0 : worse + 1;
        if (!isfinite(error) || worse > 3)
            return SPRAG_OK;
        // on to what rounding allows, and no further
        if (error <= CONVERGED && worse > 0)
            break;
        last = fmin(last, error);
        if (!step(&newton, x, error < NEAR))
            return SPRAG_OK;
    }
    prepare(&newton, x);
    space_mode_motion(mode, x, result->xi);
    evaluate(&newton, result->xi, across);
    *solved = residual(&newton, x) <= CONVERGED && has_directions(&newton, result->xi);
    if (!*solved || !space_mode_moves(mode, result->xi))
        return SPRAG_OK;
    int rank = find_rank(&newton);
    result->regular = rank == newton.unknowns;
    result->x = x;
    *found = !result->regular || space_mode_admits(mode, x, result->xi);
    return count_open_motions(&newton, result->xi, rank, &result->dimension);
}
