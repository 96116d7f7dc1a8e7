// contact_forces.c: all forces that make a given motion.
// Problem   {x : C x = ξ, x in its cones}; for a given motion the laws of Coulomb are linear, so
//           this is a polyhedron, and its shape tells whether forces are unique (theory.md 2.7)
// Method    singular values of C give the solution of least elastic energy (theory.md (14.4)) and
//           the null space; cones by a least-distance problem, intervals by linear programs
#include <math.h>

#include "contact_search.h"
#include "sprag/complementarity.h"
#include "sprag/numeric.h"

// Columns whose independent part is shorter than this, relative to the longest, are dependent.
static const double DEPENDENT = 1e-9;
// Entries of unit null vectors, and their combinations, below this are rounding: left in, they
// would bound a force by 1e16, or let one of 1e16 push where it cannot. Times the condition of the
// other columns, up to a limit.
static const double ROUNDING = 1e-14, MOST_ROUNDING = 1e-10;
// Self-stress above this multiple of the forces without it lives on rounding.
static const double EXCESSIVE = 1e10;
// Forces carry this rounding, relative to the largest, times the condition of their equations.
static const double SOLVED = 1e-14;
// Motions from linear programs are off by up to this many tolerances.
static const double PROGRAM = 100;
// The motion must be reproduced to this accuracy, relative to its size.
static const double REPRODUCED = 1e-8;

typedef struct ForceSet {
    const Reduced *reduced;
    const Leaf *leaf;
    int n, null_count;
    bool undecided;    // a linear program gave up: ranges may be too narrow
    bool open;         // cones of bearings with two normals are not looked at
    double xi_error;   // relative, of the motion itself
    double slack;      // that the cones were entered with
    double condition;  // of C on the complement of its null space
    double *weight;    // unknown = weight × (what the energy norm measures)
    double *x;         // particular, then representative unknowns
    double *null;      // n × n: null vectors in unknowns, one a row
    HalfSpaces cones;  // in unknowns
    HalfSpaces offset; // the same in null coordinates y: x = x0 + Σ y_k null_k
} ForceSet;

// Whether the problem gives the stiffness of every constraint that pushes: beside springs of 1e6
// N/m a missing one has no size.
static bool springs_are_given(const ForceSet *set)
{
    for (int i = 0; i < set->n; i++)
        if (!(reduced_constraint(set->reduced, set->leaf->constraint[i])->stiffness[0] > 0))
            return false;
    return true;
}

// Weight of an unknown from the stiffness of its rows, or of equal springs.
static double weight_of(const ForceSet *set, int unknown, bool given)
{
    const Reduced *reduced = set->reduced;
    int c = set->leaf->constraint[unknown];
    const SpragConstraint *item = reduced_constraint(reduced, c);
    double normal = given ? item->stiffness[0] : 1;
    double along = item->stiffness[sprag_constraint_normals(item)];
    double tangential = given && along > 0 ? along : normal;
    double friction = set->leaf->cells[c].kind == CELL_SLIDE ? reduced->friction[c] : 0;
    double compliance = set->leaf->tangential[unknown]
                            ? 1 / tangential
                            : 1 / normal + friction * friction / tangential;
    return reduced->scale[reduced->first[c]] / sqrt(compliance);
}

static SpragStatus allocate(ForceSet *set)
{
    SpragArena *arena = set->reduced->arena;
    size_t n = (size_t)set->n;
    set->weight = sprag_arena_alloc(arena, n + 1, sizeof(double));
    set->x = sprag_arena_alloc(arena, n + 1, sizeof(double));
    set->null = sprag_arena_alloc(arena, n * n + 1, sizeof(double));
    return set->weight && set->x && set->null ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// Largest entry of ξ − C x.
static double missed(const ForceSet *set, const double *xi, const double *x)
{
    int n = set->n, w = set->reduced->width;
    double error = 0;
    for (int j = 0; j < w; j++) {
        double rest = xi[j];
        for (int i = 0; i < n; i++)
            rest -= set->leaf->column[i * w + j] * x[i];
        error = fmax(error, fabs(rest));
    }
    return error;
}

// x += weighted pseudo-inverse of C applied to `rest`; then rest = ξ − C x. A = C diag(weight) is
// given by its columns U diag(s) and V.
static void add_solution(ForceSet *set, const double *A, const double *s, const double *V,
                         const double *xi, double *rest)
{
    int n = set->n, w = set->reduced->width;
    for (int k = 0; k < n && s[k] > DEPENDENT * s[0]; k++) {
        double projection = 0;
        for (int j = 0; j < w; j++)
            projection += A[j * n + k] * rest[j];
        for (int i = 0; i < n; i++)
            set->x[i] += set->weight[i] * V[i * n + k] * projection / (s[k] * s[k]);
    }
    for (int j = 0; j < w; j++) {
        rest[j] = xi[j];
        for (int i = 0; i < n; i++)
            rest[j] -= set->leaf->column[i * w + j] * set->x[i];
    }
}

static void find_weights(ForceSet *set)
{
    double heaviest = 0;
    bool given = springs_are_given(set);
    for (int i = 0; i < set->n; i++) {
        set->weight[i] = weight_of(set, i, given);
        heaviest = fmax(heaviest, set->weight[i]);
    }
    for (int i = 0; i < set->n; i++)
        set->weight[i] /= heaviest;
}

// Least-norm solution and null space of C x = ξ; false in *solved if ξ is not reproduced.
static SpragStatus solve_equations(ForceSet *set, const double *xi, bool *solved)
{
    SpragArena *arena = set->reduced->arena;
    int n = set->n, w = set->reduced->width;
    double *A = sprag_arena_alloc(arena, (size_t)w * (size_t)n + 1, sizeof *A);
    double *V = sprag_arena_alloc(arena, (size_t)n * (size_t)n + 1, sizeof *V);
    double *s = sprag_arena_alloc(arena, (size_t)n + 1, sizeof *s);
    double *rest = sprag_arena_alloc(arena, (size_t)w + 1, sizeof *rest);
    if (!A || !V || !s || !rest)
        return SPRAG_ERROR_MEMORY;
    find_weights(set);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < w; j++)
            A[j * n + i] = set->leaf->column[i * w + j] * set->weight[i];
    sprag_svd(w, n, A, s, V);
    double rounding = ROUNDING;
    for (int k = 0; k < n; k++) {
        if (s[k] > DEPENDENT * s[0]) {
            set->condition = s[0] / s[k];
            rounding = fmin(ROUNDING * set->condition, MOST_ROUNDING);
            continue;
        }
        double *null = set->null + (size_t)set->null_count++ * (size_t)n;
        for (int i = 0; i < n; i++)
            null[i] = fabs(V[i * n + k]) > rounding ? V[i * n + k] * set->weight[i] : 0;
    }
    for (int j = 0; j < w; j++)
        rest[j] = xi[j];
    // the second time for small forces beside large ones
    for (int pass = 0; pass < 2; pass++)
        add_solution(set, A, s, V, xi, rest);
    double size = 1;
    for (int j = 0; j < w; j++)
        size = fmax(size, fabs(xi[j]));
    *solved = missed(set, xi, set->x) <= REPRODUCED * size;
    return SPRAG_OK;
}

// Slack of cone i at x0 (y = 0), and its coefficients in null coordinates.
static SpragStatus move_cones(ForceSet *set)
{
    SpragArena *arena = set->reduced->arena;
    HalfSpaces *out = &set->offset;
    int n = set->n, d = set->null_count, m = set->cones.count;
    *out = (HalfSpaces){.count = m, .n = d};
    out->g = sprag_arena_alloc(arena, (size_t)m * (size_t)d + 1, sizeof *out->g);
    out->h = sprag_arena_alloc(arena, (size_t)m + 1, sizeof *out->h);
    if (!out->g || !out->h)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < m; i++) {
        const double *g = set->cones.g + i * n;
        out->h[i] = 0;
        for (int j = 0; j < n; j++)
            out->h[i] -= g[j] * set->x[j];
        for (int k = 0; k < d; k++) {
            double sum = 0, size = 0;
            for (int j = 0; j < n; j++) {
                sum += g[j] * set->null[k * n + j];
                size += fabs(g[j] * set->null[k * n + j]);
            }
            out->g[i * d + k] = fabs(sum) > ROUNDING * size ? sum : 0;
        }
    }
    return SPRAG_OK;
}

// Largest |x|, at least 1: forces are compared with it.
static double force_size(const ForceSet *set)
{
    double size = 1;
    for (int i = 0; i < set->n; i++)
        size = fmax(size, fabs(set->x[i]));
    return size;
}

// Moves x to the point of least energy inside the cones; *feasible false: there is none.
static SpragStatus enter_cones(ForceSet *set, bool *feasible)
{
    SpragArena *arena = set->reduced->arena;
    int d = set->null_count, m = set->cones.count;
    // unique forces were tested with the tolerance of the leaf; else this only finds the borders,
    // and polishing has the last word
    double slack = set->reduced->tolerance * force_size(set) * (d > 0 ? 10 : 100);
    set->slack = slack;
    *feasible = true;
    bool outside = false;
    for (int i = 0; i < m; i++)
        outside |= set->offset.h[i] > (d > 0 ? 0 : slack);
    if (d == 0)
        *feasible = !outside;
    if (d == 0 || !outside)
        return SPRAG_OK;
    double *y = sprag_arena_alloc(arena, (size_t)d + 1, sizeof *y);
    double *h = sprag_arena_alloc(arena, (size_t)m + 1, sizeof *h);
    if (!y || !h)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < m; i++)
        h[i] = set->offset.h[i] - slack;
    double most = EXCESSIVE * force_size(set);
    SPRAG_TRY(sprag_least_distance(arena, m, d, set->offset.g, h, y, feasible));
    for (int k = 0; k < d; k++)
        *feasible &= fabs(y[k]) <= most;
    for (int k = 0; *feasible && k < d; k++)
        for (int j = 0; j < set->n; j++)
            set->x[j] += y[k] * set->null[k * set->n + j];
    for (int i = 0; *feasible && i < m; i++) {
        double value = -set->offset.h[i];
        for (int k = 0; k < d; k++)
            value += set->offset.g[i * d + k] * y[k];
        *feasible = value >= -10 * slack;
    }
    return SPRAG_OK;
}

// What is outside by rounding only is put on the border of its cone.
static void snap_to_cones(const ForceSet *set, double *x)
{
    for (int i = 0; i < set->n; i++) {
        int c = set->leaf->constraint[i];
        bool round = reduced_is_round(set->reduced, c);
        if (set->leaf->tangential[i] && !(round && set->open)) {
            int n[WAYS], count = round ? leaf_press(set->reduced, set->leaf, c, n) : 0;
            double normal = round ? leaf_pressure(count, n, x) : x[i - 1];
            double bound = set->reduced->friction[c] * normal;
            x[i] = fmin(fmax(x[i], -bound), bound);
        } else if (!set->leaf->tangential[i] && set->leaf->cells[c].sigma != 0) {
            x[i] = fmax(x[i], 0);
        }
    }
}

// Rows of A z = r: C z = ξ − C x, and g z = −g x for the cones whose border x is on; z is measured
// in the energy norm. Returns their number.
static int polish_rows(const ForceSet *set, const double *xi, double border, double *A, double *r)
{
    int n = set->n, w = set->reduced->width, rows = w;
    for (int j = 0; j < w; j++) {
        r[j] = xi[j];
        for (int i = 0; i < n; i++) {
            A[j * n + i] = set->leaf->column[i * w + j] * set->weight[i];
            r[j] -= set->leaf->column[i * w + j] * set->x[i];
        }
    }
    for (int k = 0; k < set->cones.count; k++) {
        const double *g = set->cones.g + k * n;
        double value = 0;
        for (int i = 0; i < n; i++)
            value += g[i] * set->x[i];
        if (value > border)
            continue;
        r[rows] = -value;
        for (int i = 0; i < n; i++)
            A[rows * n + i] = g[i] * set->weight[i];
        rows++;
    }
    return rows;
}

// Least change of x, in the energy norm, that makes the motion and stays on the borders that x is
// as near to as `border`; then what is outside by rounding is snapped. Result in out.
static SpragStatus polish_once(const ForceSet *set, const double *xi, double border, double *out)
{
    SpragArena *arena = set->reduced->arena;
    SpragArenaMark mark = sprag_arena_mark(arena);
    int n = set->n;
    size_t most = (size_t)set->reduced->width + (size_t)set->cones.count + 1;
    double *A = sprag_arena_alloc(arena, most * (size_t)(n + 1), sizeof *A);
    double *V = sprag_arena_alloc(arena, (size_t)n * (size_t)n + 1, sizeof *V);
    double *s = sprag_arena_alloc(arena, (size_t)n + 1, sizeof *s);
    double *r = sprag_arena_alloc(arena, most, sizeof *r);
    if (!A || !V || !s || !r)
        return SPRAG_ERROR_MEMORY;
    int rows = polish_rows(set, xi, border, A, r);
    sprag_svd(rows, n, A, s, V);
    for (int i = 0; i < n; i++)
        out[i] = set->x[i];
    for (int k = 0; k < n && s[k] > DEPENDENT * s[0]; k++) {
        double projection = 0;
        for (int j = 0; j < rows; j++)
            projection += A[j * n + k] * r[j];
        for (int i = 0; i < n; i++)
            out[i] += set->weight[i] * V[i * n + k] * projection / (s[k] * s[k]);
    }
    snap_to_cones(set, out);
    sprag_arena_release(arena, mark);
    return SPRAG_OK;
}

// The representative was found with a slack, and snapping alone would trade the slack for an error
// of the motion. It is polished for several ideas of what is near, and the best is kept; *feasible
// false: no force inside the cones makes the motion up to the tolerance.
static SpragStatus polish(ForceSet *set, const double *xi, bool *feasible)
{
    // −0.99: only those at whose relaxed border x stands; 0: those that x is outside of
    static const double borders[] = {2, -0.99, 0, 0.2, 20, 200};
    double *best = sprag_arena_alloc(set->reduced->arena, (size_t)set->n + 1, sizeof *best);
    double *trial = sprag_arena_alloc(set->reduced->arena, (size_t)set->n + 1, sizeof *trial);
    if (!best || !trial)
        return SPRAG_ERROR_MEMORY;
    double accepted = (set->xi_error + SOLVED * set->condition) * force_size(set);
    for (int i = 0; i < set->n; i++)
        best[i] = set->x[i];
    snap_to_cones(set, best);
    double least = missed(set, xi, best);
    for (size_t k = 0; k < sizeof borders / sizeof *borders; k++) {
        if (k > 0 && least <= accepted)
            break;
        SPRAG_TRY(polish_once(set, xi, borders[k] * set->slack, trial));
        double error = missed(set, xi, trial);
        if (error < least) {
            least = error;
            for (int i = 0; i < set->n; i++)
                best[i] = trial[i];
        }
    }
    for (int i = 0; i < set->n; i++)
        set->x[i] = best[i];
    *feasible = set->null_count == 0 || least <= accepted;
    return SPRAG_OK;
}

// Largest values of `count` functions of y (row by row in c) over the cones; INFINITY if unbounded.
static SpragStatus maximize(ForceSet *set, int count, const double *c, double *values)
{
    SpragArena *arena = set->reduced->arena;
    int d = set->null_count, m = set->cones.count;
    double *A = sprag_arena_alloc(arena, (size_t)m * (size_t)d + 1, sizeof *A);
    double *b = sprag_arena_alloc(arena, (size_t)m + 1, sizeof *b);
    if (!A || !b)
        return SPRAG_ERROR_MEMORY;
    double slack = 10 * set->reduced->tolerance * force_size(set);
    for (int i = 0; i < m * d; i++)
        A[i] = -set->offset.g[i];
    for (int i = 0; i < m; i++)
        b[i] = fmax(-set->offset.h[i], 0); // the representative is inside: y = 0 must be, too
    for (int i = 0; i < count; i++)
        values[i] = 0; // the representative itself, should the programs fail
    SpragLp program = {d, m, 0, A, b, NULL};
    SpragLpStatus status;
    SPRAG_TRY(sprag_lp_maxima(arena, &program, slack, count, c, values, &status));
    set->undecided |= status == SPRAG_LP_LIMIT;
    return SPRAG_OK;
}

// Dimension of the set: null space minus the cones that hold with equality everywhere; most: the
// largest value of each cone's function of y.
static SpragStatus find_dimension(ForceSet *set, const double *most, int *dimension)
{
    SpragArena *arena = set->reduced->arena;
    int d = set->null_count, m = set->cones.count, tight = 0;
    double *E = sprag_arena_alloc(arena, (size_t)(m + 1) * (size_t)d + 1, sizeof *E);
    double *s = sprag_arena_alloc(arena, (size_t)d + 1, sizeof *s);
    if (!E || !s)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < m; i++) {
        if (most[i] - set->offset.h[i] > 1000 * set->reduced->tolerance * force_size(set))
            continue;
        for (int k = 0; k < d; k++)
            E[tight * d + k] = set->offset.g[i * d + k];
        tight++;
    }
    *dimension = d;
    if (tight == 0)
        return SPRAG_OK;
    sprag_svd(tight, d, E, s, NULL);
    for (int k = 0; k < d; k++)
        *dimension -= s[k] > DEPENDENT;
    return SPRAG_OK;
}

// Interval of every unknown over the set, and the dimension of the set.
static SpragStatus find_shape(ForceSet *set, double *low, double *high, int *dimension)
{
    SpragArena *arena = set->reduced->arena;
    int d = set->null_count, n = set->n, m = set->cones.count;
    size_t count = 2 * (size_t)n + (size_t)m;
    double *c = sprag_arena_alloc(arena, count * (size_t)d, sizeof *c);
    double *values = sprag_arena_alloc(arena, count, sizeof *values);
    if (!c || !values)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < d; k++) {
            c[i * d + k] = set->null[k * n + i];
            c[(n + i) * d + k] = -set->null[k * n + i];
        }
    }
    for (int i = 0; i < m * d; i++)
        c[2 * n * d + i] = set->offset.g[i];
    SPRAG_TRY(maximize(set, (int)count, c, values));
    for (int i = 0; i < n; i++) {
        // what the programs allow for rounding does not reach beyond the representative or the cone
        high[i] = set->x[i] + fmax(values[i], 0);
        low[i] = set->x[i] - fmax(values[n + i], 0);
        if (!set->leaf->tangential[i] && set->leaf->cells[set->leaf->constraint[i]].sigma != 0)
            low[i] = fmax(low[i], 0);
    }
    return find_dimension(set, values + 2 * n, dimension);
}

// Force of unknown i's own row, and λT of its constraint if that slides, per unit of the unknown.
static void unknown_on_rows(const ForceSet *set, int i, double *on_row, double *on_tangent)
{
    int c = set->leaf->constraint[i];
    Cell cell = set->leaf->cells[c];
    bool slides = cell.kind == CELL_SLIDE && !reduced_is_round(set->reduced, c);
    *on_row = set->leaf->tangential[i] || cell.sigma == 0 ? 1 : cell.sigma;
    *on_tangent = slides ? -cell.k * set->reduced->friction[c] : 0;
}

static void write_interval(SpragMotion *motion, int row, double factor, double x, double low,
                           double high)
{
    motion->force[row] = factor * x;
    motion->force_low[row] = factor > 0 ? factor * low : factor * high;
    motion->force_high[row] = factor > 0 ? factor * high : factor * low;
}

static void write_forces(const ForceSet *set, const double *low, const double *high,
                         SpragMotion *motion)
{
    const Reduced *reduced = set->reduced;
    double size = force_size(set);
    for (int r = 0; r < reduced->rows; r++)
        motion->force[r] = motion->force_low[r] = motion->force_high[r] = 0;
    for (int c = 0; c < reduced->constraints; c++)
        motion->active[c] = false;
    for (int i = 0; i < set->n; i++) {
        double on_row, on_tangent, d[WAYS];
        int c = set->leaf->constraint[i];
        unknown_on_rows(set, i, &on_row, &on_tangent);
        write_interval(motion, set->leaf->row[i], on_row, set->x[i], low[i], high[i]);
        double greatest = fmax(fabs(low[i]), fabs(high[i]));
        if (!set->leaf->tangential[i])
            motion->active[c] |= greatest > 1000 * reduced->tolerance * size;
        int tangents = leaf_directions(reduced, c, d);
        for (int k = 0; k < tangents && on_tangent != 0; k++)
            write_interval(motion, reduced->first[c] + 1 + k, on_tangent * d[k], set->x[i], low[i],
                           high[i]);
    }
    for (int c = 0; c < reduced->constraints && reduced->round > 0; c++) {
        double d[WAYS];
        if (set->leaf->cells[c].kind != CELL_SLIDE || !reduced_is_round(reduced, c))
            continue;
        double friction = -set->leaf->cells[c].k * reduced->friction[c] * set->leaf->pressure[c];
        int tangents = leaf_directions(reduced, c, d);
        for (int k = 0; k < tangents; k++)
            write_interval(motion, reduced_tangent(reduced, c) + k, d[k], friction, friction,
                           friction);
    }
}

// All forces of the set: representative in x, intervals in low and high.
static SpragStatus solve_set(ForceSet *set, const double *xi, double *low, double *high,
                             int *dimension, bool *feasible)
{
    SPRAG_TRY(solve_equations(set, xi, feasible));
    if (!*feasible)
        return SPRAG_OK;
    leaf_half_spaces(set->reduced, set->leaf, false, &set->cones);
    SPRAG_TRY(move_cones(set));
    SPRAG_TRY(enter_cones(set, feasible));
    if (!*feasible)
        return SPRAG_OK;
    SPRAG_TRY(polish(set, xi, feasible));
    if (!*feasible)
        return SPRAG_OK;
    for (int i = 0; i < set->n; i++)
        low[i] = high[i] = set->x[i];
    if (set->null_count == 0)
        return SPRAG_OK;
    if (set->reduced->one_force) {
        *dimension = set->null_count;
        return SPRAG_OK;
    }
    SPRAG_TRY(move_cones(set)); // about the representative now
    return find_shape(set, low, high, dimension);
}

// Adds the roots of a y² + 2 b y + c.
static int add_roots(double a, double b, double c, double *root, int count)
{
    double disc = b * b - a * c;
    if (a == 0 && b != 0)
        root[count++] = -c / (2 * b);
    if (a == 0 || disc < 0)
        return count;
    root[count++] = (-b - sqrt(disc)) / a;
    root[count++] = (-b + sqrt(disc)) / a;
    return count;
}

static bool admits(const ForceSet *set, const double *x)
{
    double slack = 10 * set->reduced->tolerance * force_size(set);
    for (int k = 0; k < set->cones.count; k++) {
        double value = 0;
        for (int i = 0; i < set->n; i++)
            value += set->cones.g[k * set->n + i] * x[i];
        if (value < -slack)
            return false;
    }
    return bearing_admits(set->reduced, set->leaf, x);
}

// Forces that the equations leave one direction: whether one along it is inside of all cones, which
// are quadratic in y there; their borders divide it. On success x is that force.
static SpragStatus look_along(const ForceSet *set, double *x, bool *found)
{
    int n = set->n, count = 0;
    const double *null = set->null;
    size_t most = 2 * (size_t)n + (size_t)set->cones.count;
    double *root = sprag_arena_alloc(set->reduced->arena, most + 1, sizeof *root);
    if (!root)
        return SPRAG_ERROR_MEMORY;
    for (int k = 0; k < set->cones.count; k++) {
        double rate = 0, value = 0;
        for (int i = 0; i < n; i++) {
            rate += set->cones.g[k * n + i] * null[i];
            value += set->cones.g[k * n + i] * set->x[i];
        }
        count = add_roots(0, rate / 2, value, root, count);
    }
    for (int i = 0; i < n; i++) {
        if (!set->leaf->tangential[i] || !reduced_is_round(set->reduced, set->leaf->constraint[i]))
            continue;
        double c[3] = {null[i] * null[i], null[i] * set->x[i], set->x[i] * set->x[i]};
        double mu = set->reduced->friction[set->leaf->constraint[i]];
        int press[WAYS],
            pressing = leaf_press(set->reduced, set->leaf, set->leaf->constraint[i], press);
        for (int e = 0; e < pressing; e++) {
            int k = press[e];
            c[0] -= mu * mu * null[k] * null[k];
            c[1] -= mu * mu * null[k] * set->x[k];
            c[2] -= mu * mu * set->x[k] * set->x[k];
        }
        count = add_roots(c[0], c[1], c[2], root, count);
    }
    // borders, what is between two of them, and beyond the last
    *found = false;
    for (int i = -1; i < count && !*found; i++)
        for (int j = i; j < count && !*found; j++) {
            double y = i < 0 ? (j < 0 ? 0 : root[j] - 1 - fabs(root[j])) : (root[i] + root[j]) / 2;
            for (int pass = 0; pass < 2 && !*found; pass++) {
                for (int k = 0; k < n; k++)
                    x[k] = set->x[k] + y * null[k];
                *found = isfinite(y) && admits(set, x);
                y = i < 0 && j >= 0 ? root[j] + 1 + fabs(root[j]) : y;
            }
        }
    return SPRAG_OK;
}

// The set of forces of a leaf with bearings of two normals that stick. Their cones are not convex:
// without them the set is too large, so that none there is none at all; with |λT| ≤ μ u·λN along
// given directions it is too small, and convex.
static SpragStatus solve_round_set(ForceSet *set, Leaf *leaf, const double *xi, double *low,
                                   double *high, int *dimension, bool *feasible)
{
    // turns of the directions that are tried, after those of the forces without the cones
    static const double turns[] = {0, 1, -1, 2, -2, 3.14159265358979323846};
    const Reduced *reduced = set->reduced;
    ForceSet fresh = *set;
    double *first = sprag_arena_alloc(reduced->arena, (size_t)set->n + 1, sizeof *first);
    if (!first)
        return SPRAG_ERROR_MEMORY;
    set->open = true;
    SPRAG_TRY(solve_set(set, xi, low, high, dimension, feasible));
    if (!*feasible || set->null_count == 0) {
        *feasible = *feasible && bearing_admits(reduced, leaf, set->x);
        return SPRAG_OK;
    }
    for (int i = 0; i < set->n; i++)
        first[i] = set->x[i];
    if (set->null_count == 1) {
        SPRAG_TRY(look_along(set, first, feasible));
        if (!*feasible)
            return SPRAG_OK;
    }
    for (size_t k = 0; k < sizeof turns / sizeof *turns; k++) {
        bearing_aim(reduced, leaf, first, turns[k]);
        *set = fresh;
        for (int i = 0; i < set->n; i++)
            set->x[i] = 0;
        SPRAG_TRY(solve_set(set, xi, low, high, dimension, feasible));
        if (*feasible)
            return SPRAG_OK;
    }
    set->undecided = true;
    return SPRAG_OK;
}

SpragStatus forces_of_motion(const Reduced *reduced, const Leaf *found, LeafResult *result,
                             SpragMotion *motion, bool *feasible)
{
    SpragArena *arena = reduced->arena;
    Leaf leaf;
    Cell *cells = sprag_arena_alloc(arena, (size_t)reduced->constraints + 1, sizeof *cells);
    if (!cells)
        return SPRAG_ERROR_MEMORY;
    bool same = true;
    for (int c = 0; c < reduced->constraints; c++) {
        cells[c] = cell_of_motion(reduced, c, result->xi, found->cells[c]);
        same &= cells_are_equal(cells[c], found->cells[c]);
    }
    motion->force_dimension = 0;
    *feasible = true;
    if (same && result->regular) {
        ForceSet only = {.reduced = reduced, .leaf = found, .n = found->count, .x = result->x};
        snap_to_cones(&only, only.x);
        write_forces(&only, only.x, only.x, motion);
        return SPRAG_OK;
    }
    LeafRoom room; // the leaf that was found keeps its own
    SPRAG_TRY(leaf_room_create(reduced, &room));
    leaf_build(reduced, cells, &room, &leaf);
    const double *xi = result->xi;
    if (reduced->round > 0) {
        double *rest = sprag_arena_alloc(arena, (size_t)reduced->width + 1, sizeof *rest);
        if (!rest)
            return SPRAG_ERROR_MEMORY;
        bearing_load(reduced, &leaf, found->pressure);
        for (int j = 0; j < reduced->width; j++)
            rest[j] = result->xi[j] - leaf.load[j];
        xi = rest; // what is left for the unknowns to make
    }
    // a motion that is not the one point of its equalities comes from a linear program
    ForceSet set = {.reduced = reduced, .leaf = &leaf, .n = leaf.count};
    set.xi_error = reduced->tolerance * (found->rank == reduced->width ? 1 : PROGRAM);
    double *low = sprag_arena_alloc(arena, (size_t)set.n + 1, sizeof *low);
    double *high = sprag_arena_alloc(arena, (size_t)set.n + 1, sizeof *high);
    if (!low || !high)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(allocate(&set));
    if (reduced->round > 0)
        SPRAG_TRY(solve_round_set(&set, &leaf, xi, low, high, &motion->force_dimension, feasible));
    else
        SPRAG_TRY(solve_set(&set, xi, low, high, &motion->force_dimension, feasible));
    result->undecided |= set.undecided;
    if (*feasible)
        write_forces(&set, low, high, motion);
    return SPRAG_OK;
}
