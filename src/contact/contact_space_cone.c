// contact_space_cone.c: forces in round cones, where rows are dependent.
// Problem   S = {x : A x = r, x_N ≥ 0, |x_T| ≤ μ x_N at sticking contacts}: one point of least
//           elastic energy (theory.md (14.4)); greatest values of linear functions on S are found
//           in contact_space_ranges.c
// Method    singular values of A give one solution and the null space; in its coordinates y the
//           bounds, widened by a slack so that sets which only touch have an inside, make a small
//           cone program (contact_space_barrier.c); where it loses its digits, linear programs
//           (contact_space_cuts.c)
// Assumes   tens of unknowns
#include <math.h>

#include "contact_space_cone.h"
#include "sprag/numeric.h"

// Columns whose independent part is shorter than this, relative to the longest, are dependent.
static const double DEPENDENT = 1e-9;
// Entries of null vectors below this are rounding.
static const double ROUNDING = 1e-13;
// What makes r must make it to this accuracy, relative to its size.
static const double REPRODUCED = 1e-8;
// Bounds are widened by this many tolerances, relative to the forces: it is where rest gives way to
// slip, in all headings alike (theory.md 14.5).
static const double SLACK = 2;
// Sets that the barrier finds empty by less than this part of the forces may be thin ones.
static const double NEARLY = 1e-4;
// Relative to the forces: deep enough inside; accuracy of the energy.
static const double INSIDE = 1e-3, LEAST_ENERGY = 1e-16;

// Weight of an unknown from the stiffness of its rows: equal springs unless the problem gives some.
static double weight_of(const SpaceMode *mode, int unknown)
{
    const Reduced *reduced = mode->reduced;
    int c = mode->constraint[unknown], offset = mode->offset[unknown];
    const SpragConstraint *item = reduced_constraint(reduced, c);
    double normal = item->stiffness[0] > 0 ? item->stiffness[0] : 1, tangential[3] = {normal};
    for (int k = 1; k < 3; k++)
        tangential[k] = item->stiffness[k] > 0 ? item->stiffness[k] : normal;
    const SpaceCell *cell = &mode->cells[c];
    double compliance = 1 / tangential[offset];
    if (cell->kind == SPACE_SLIDE || cell->kind == SPACE_START)
        for (int k = 0; k < 2; k++)
            compliance += pow(reduced->friction[c] * cell->d[k], 2) / tangential[k + 1];
    return reduced->scale[reduced->first[c]] / sqrt(compliance);
}

static void find_weights(ConeSet *set)
{
    double heaviest = 0;
    for (int i = 0; i < set->n; i++) {
        set->weight[i] = weight_of(set->mode, i);
        heaviest = fmax(heaviest, set->weight[i]);
    }
    for (int i = 0; i < set->n; i++)
        set->weight[i] /= heaviest;
}

static SpragStatus allocate(ConeSet *set)
{
    SpragArena *arena = set->mode->reduced->arena;
    size_t n = (size_t)set->n + 1;
    set->weight = sprag_arena_alloc(arena, n, sizeof(double));
    set->x = sprag_arena_alloc(arena, n, sizeof(double));
    set->null = sprag_arena_alloc(arena, n * n, sizeof(double));
    set->energy = sprag_arena_alloc(arena, n, sizeof(double));
    return set->weight && set->x && set->null && set->energy ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// ---- A x = r ------------------------------------------------------------------------------------

static double missed(const ConeSet *set, int rows, const double *A, const double *r)
{
    double error = 0;
    for (int i = 0; i < rows; i++) {
        double rest = r[i];
        for (int j = 0; j < set->n; j++)
            rest -= A[i * set->n + j] * set->x[j];
        error = fmax(error, fabs(rest));
    }
    return error;
}

// Adds the null vector in column k of V, scaled to a largest entry of 1.
static void add_null(ConeSet *set, const double *V, int k)
{
    double *null = set->null + (size_t)set->d++ * (size_t)set->n, largest = 0;
    for (int i = 0; i < set->n; i++) {
        null[i] = V[i * set->n + k] * set->weight[i];
        largest = fmax(largest, fabs(null[i]));
    }
    set->energy[set->d - 1] = 1 / (largest * largest);
    for (int i = 0; i < set->n; i++)
        null[i] = fabs(null[i]) > ROUNDING * largest ? null[i] / largest : 0;
}

// Length of the longest weighted column of the mode: what rows of A, which may all be rounding (A =
// 0 of one sliding contact), are measured against.
static double longest_column(const ConeSet *set)
{
    int w = set->mode->reduced->width;
    double longest = 0;
    for (int i = 0; i < set->n; i++) {
        double sum = 0;
        for (int j = 0; j < w; j++)
            sum += pow(set->mode->column[i * w + j], 2);
        longest = fmax(longest, sqrt(sum) * set->weight[i]);
    }
    return longest;
}

// Least-energy solution and null space; feasible false: r is not reproduced.
static SpragStatus solve_equations(ConeSet *set, int rows, const double *A, const double *r)
{
    SpragArena *arena = set->mode->reduced->arena;
    int n = set->n;
    double *B = sprag_arena_alloc(arena, (size_t)rows * (size_t)n + 1, sizeof *B);
    double *V = sprag_arena_alloc(arena, (size_t)n * (size_t)n + 1, sizeof *V);
    double *s = sprag_arena_alloc(arena, (size_t)n + 1, sizeof *s);
    double *rest = sprag_arena_alloc(arena, (size_t)rows + 1, sizeof *rest);
    if (!B || !V || !s || !rest)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++)
            B[i * n + j] = A[i * n + j] * set->weight[j];
    sprag_svd(rows, n, B, s, V);
    double longest = longest_column(set);
    for (int k = 0; k < n; k++)
        if (!(s[k] > DEPENDENT * longest))
            add_null(set, V, k);
    // the second time for small forces beside large ones
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < rows; i++) {
            rest[i] = r[i];
            for (int j = 0; j < n; j++)
                rest[i] -= A[i * n + j] * set->x[j];
        }
        for (int k = 0; k < n - set->d; k++) {
            double projection = 0;
            for (int i = 0; i < rows; i++)
                projection += B[i * n + k] * rest[i];
            for (int i = 0; i < n; i++)
                set->x[i] += set->weight[i] * V[i * n + k] * projection / (s[k] * s[k]);
        }
    }
    double size = 1;
    for (int i = 0; i < rows; i++)
        size = fmax(size, fabs(r[i]));
    set->feasible = missed(set, rows, A, r) <= REPRODUCED * size;
    return SPRAG_OK;
}

// ---- Bounds -------------------------------------------------------------------------------------

static bool is_cone(const ConeSet *set, int i)
{
    return set->mode->offset[i] == 0 &&
           set->mode->cells[set->mode->constraint[i]].kind == SPACE_STICK;
}

// Writes factor × unknown i + constant as an affine function of y.
static void write_row(const ConeSet *set, int i, double factor, double constant, double *row)
{
    for (int k = 0; k < set->d; k++)
        row[k] = factor * set->null[k * set->n + i];
    row[set->barrier.d] = factor * set->x[i] + constant;
}

static double *next_plane(Barrier *barrier)
{
    double *row = barrier->planes + (size_t)barrier->plane_count++ * (size_t)(barrier->d + 1);
    for (int k = 0; k <= barrier->d; k++)
        row[k] = 0;
    return row;
}

// a_N ≥ 0 of the contacts that separate, as planes.
static void add_separations(ConeSet *set, bool spread)
{
    const SpaceMode *mode = set->mode;
    const Reduced *reduced = mode->reduced;
    Barrier *barrier = &set->barrier;
    for (int c = 0; c < reduced->constraints; c++) {
        if (mode->cells[c].kind != SPACE_SEPARATE)
            continue;
        const double *f = reduced_row(reduced, reduced->first[c]);
        double *row = next_plane(barrier);
        row[barrier->d] = reduced->b[reduced->first[c]] + set->slack;
        for (int i = 0; i < set->n; i++) {
            double on = 0;
            for (int j = 0; j < reduced->width; j++)
                on += f[j] * mode->column[i * reduced->width + j];
            row[barrier->d] += on * set->x[i];
            for (int k = 0; k < set->d; k++)
                row[k] += on * set->null[k * set->n + i];
        }
        row[set->d] += spread;
    }
}

// Planes and cones about the present x, widened by the slack. With `spread` a last unknown of y is
// added to all of them: how far they must be widened to hold.
static void fill_bounds(ConeSet *set, bool accelerations, bool spread)
{
    const SpaceMode *mode = set->mode;
    const Reduced *reduced = mode->reduced;
    Barrier *barrier = &set->barrier;
    barrier->d = set->d + spread;
    barrier->plane_count = barrier->cone_count = 0;
    int stride = barrier->d + 1;
    for (int i = 0; i < set->n; i++) {
        int c = mode->constraint[i];
        if (mode->offset[i] > 0 || mode->cells[c].sigma == 0)
            continue;
        if (!is_cone(set, i)) {
            double *row = next_plane(barrier);
            write_row(set, i, 1, set->slack, row);
            row[set->d] += spread;
            continue;
        }
        double *rows = barrier->cones + (size_t)(3 * barrier->cone_count++) * (size_t)stride;
        for (int k = 0; k < 3; k++) {
            rows[k * stride + set->d] = 0;
            write_row(set, i + k, k ? 1 : reduced->friction[c], k ? 0 : set->slack,
                      rows + k * stride);
        }
        if (spread)
            rows[set->d] = 1;
    }
    if (accelerations)
        add_separations(set, spread);
    // a box, so that every function has a greatest value
    double box = CONE_UNBOUNDED * cone_set_size(set);
    for (int k = 0; k < 2 * set->d; k++) {
        double *row = next_plane(barrier);
        row[k / 2] = k % 2 ? -1 : 1;
        row[barrier->d] = box;
    }
}

static SpragStatus allocate_bounds(ConeSet *set)
{
    SpragArena *arena = set->mode->reduced->arena;
    size_t stride = (size_t)set->d + 2, n = (size_t)set->n;
    size_t planes = n + (size_t)set->mode->reduced->constraints + 2 * (size_t)set->d + 2;
    set->barrier.planes = sprag_arena_alloc(arena, planes * stride, sizeof(double));
    set->barrier.cones = sprag_arena_alloc(arena, (n + 3) * stride, sizeof(double));
    set->centre = sprag_arena_alloc(arena, stride, sizeof(double));
    bool ok = set->barrier.planes && set->barrier.cones && set->centre;
    return ok ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// By how much the worst bound is violated at y = 0.
static double worst_bound(const ConeSet *set)
{
    const Barrier *barrier = &set->barrier;
    int d = barrier->d;
    double worst = -INFINITY;
    for (int i = 0; i < barrier->plane_count; i++)
        worst = fmax(worst, -barrier->planes[i * (d + 1) + d]);
    for (int i = 0; i < barrier->cone_count; i++) {
        const double *rows = barrier->cones + 3 * i * (d + 1);
        worst = fmax(worst, hypot(rows[2 * d + 1], rows[3 * d + 2]) - rows[d]);
    }
    return worst;
}

// ---- A point inside -----------------------------------------------------------------------------

// Moves x by y.
static void move(ConeSet *set, const double *y)
{
    for (int k = 0; k < set->d; k++)
        for (int i = 0; i < set->n; i++)
            set->x[i] += y[k] * set->null[k * set->n + i];
}

// What is outside by rounding only is put on the border of its cone.
static void snap_to_cones(ConeSet *set)
{
    for (int i = 0; i < set->n; i++) {
        int c = set->mode->constraint[i];
        if (set->mode->offset[i] > 0 || set->mode->cells[c].sigma == 0)
            continue;
        set->x[i] = fmax(set->x[i], 0);
        if (!is_cone(set, i))
            continue;
        double bound = set->mode->reduced->friction[c] * set->x[i];
        double size = hypot(set->x[i + 1], set->x[i + 2]);
        for (int k = 1; size > bound && k < 3; k++)
            set->x[i + k] *= bound / size;
    }
}

// Some point inside the widened bounds: the least that they must be widened further is negative.
static SpragStatus find_inside(ConeSet *set, bool accelerations, double *y)
{
    int d = set->d;
    double size = cone_set_size(set);
    double *c = sprag_arena_alloc(set->mode->reduced->arena, (size_t)d + 2, sizeof *c);
    if (!c)
        return SPRAG_ERROR_MEMORY;
    c[d] = 1;
    fill_bounds(set, accelerations, true);
    for (int k = 0; k < d; k++)
        y[k] = 0;
    y[d] = fmax(worst_bound(set), 0) + size;
    // it has no least value where self-stress can grow
    double *row = next_plane(&set->barrier);
    row[d] = 1;
    row[d + 1] = size;
    BarrierObjective objective = {
        .c = c, .start = 1 / size, .stop = true, .enough = -INSIDE * size, .hopeless = 0};
    SPRAG_TRY(barrier_minimize(set->mode->reduced->arena, &set->barrier, &objective,
                               0.1 * set->slack, y));
    if (!(y[d] < 0) && y[d] < NEARLY * size)
        SPRAG_TRY(cone_set_cut_inside(set, size, y));
    set->feasible = y[d] < 0;
    // a set with an inside of its own needs no slack
    if (y[d] < -10 * set->slack)
        set->slack = 0;
    fill_bounds(set, accelerations, false);
    return SPRAG_OK;
}

// Moves x to the point of least energy inside the bounds, which contain y; the centre is then where
// y was, deep inside.
static SpragStatus find_least(ConeSet *set, double *y)
{
    int d = set->d;
    double size = cone_set_size(set), stiffest = 0;
    double *o = sprag_arena_alloc(set->mode->reduced->arena, (size_t)d + 1, sizeof *o);
    if (!o)
        return SPRAG_ERROR_MEMORY;
    for (int k = 0; k < d; k++)
        stiffest = fmax(stiffest, set->energy[k]);
    double scale = stiffest * size * size;
    for (int k = 0; k < d; k++)
        set->centre[k] = y[k];
    BarrierObjective objective = {.q = set->energy, .o = o, .start = 1 / scale};
    SPRAG_TRY(barrier_minimize(set->mode->reduced->arena, &set->barrier, &objective,
                               LEAST_ENERGY * scale, y));
    move(set, y);
    for (int k = 0; k < d; k++)
        set->centre[k] -= y[k];
    return SPRAG_OK;
}

SpragStatus cone_set_solve(const SpaceMode *mode, int rows, const double *A, const double *r,
                           bool accelerations, ConeSet *set)
{
    *set = (ConeSet){.mode = mode, .n = mode->n};
    SPRAG_TRY(allocate(set));
    find_weights(set);
    SPRAG_TRY(solve_equations(set, rows, A, r));
    if (!set->feasible)
        return SPRAG_OK;
    SPRAG_TRY(allocate_bounds(set));
    set->slack = SLACK * mode->reduced->tolerance * cone_set_size(set);
    fill_bounds(set, accelerations, false);
    double worst = worst_bound(set);
    bool inside = worst < 0;
    if (worst < -2 * set->slack)
        set->slack = 0;
    if (set->d == 0) {
        set->feasible = inside;
        snap_to_cones(set);
        return SPRAG_OK;
    }
    double *y = sprag_arena_alloc(mode->reduced->arena, (size_t)set->d + 2, sizeof *y);
    if (!y)
        return SPRAG_ERROR_MEMORY;
    if (!inside) {
        SPRAG_TRY(find_inside(set, accelerations, y));
        if (!set->feasible)
            return SPRAG_OK;
        SPRAG_TRY(find_least(set, y));
    }
    if (!accelerations)
        snap_to_cones(set);
    // about the point inside now
    fill_bounds(set, accelerations, false);
    BarrierObjective none = {0};
    return barrier_minimize(mode->reduced->arena, &set->barrier, &none, 0, set->centre);
}
