// contact_forces_set.c: the set of forces of a motion, and the one that represents it.
// Problem   {x : C x = ξ, x in its cones}, theory.md 2.7: a point of it, and whether there is any
// Method    singular values of C give the solution of least elastic energy (theory.md (14.4)) and
//           the null space; cones by a least-distance problem with a slack, which polishing (the
//           least change that makes the motion and stays on borders that are near) takes back
// Assumes   cones are half-spaces: of bearings with two normals that stick they are left out, or
//           taken along the aims of the leaf
#include <math.h>

#include "contact_forces.h"
#include "sprag/complementarity.h"
#include "sprag/numeric.h"

// Entries of unit null vectors, and their combinations, below this are rounding: left in, they
// would bound a force by 1e16, or let one of 1e16 push where it cannot. Times the condition of the
// other columns, up to a limit.
static const double ROUNDING = 1e-14, MOST_ROUNDING = 1e-10;
// Self-stress above this multiple of the forces without it lives on rounding.
static const double EXCESSIVE = 1e10;
// Forces carry this rounding, relative to the largest, times the condition of their equations.
static const double SOLVED = 1e-14;
// The motion must be reproduced to this accuracy, relative to its size.
static const double REPRODUCED = 1e-8;

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

SpragStatus force_set_create(ForceSet *set)
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
    for (int k = 0; k < n && s[k] > FORCES_DEPENDENT * s[0]; k++) {
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
        if (s[k] > FORCES_DEPENDENT * s[0]) {
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

// Moves x to the point of least energy inside the cones; *feasible false: there is none.
static SpragStatus enter_cones(ForceSet *set, bool *feasible)
{
    SpragArena *arena = set->reduced->arena;
    int d = set->null_count, m = set->cones.count;
    // unique forces were tested with the tolerance of the leaf; else this only finds the borders,
    // and polishing has the last word
    double slack = set->reduced->tolerance * force_set_size(set) * (d > 0 ? 10 : 100);
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
    double most = EXCESSIVE * force_set_size(set);
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
void force_set_snap(const ForceSet *set, double *x)
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
    for (int k = 0; k < n && s[k] > FORCES_DEPENDENT * s[0]; k++) {
        double projection = 0;
        for (int j = 0; j < rows; j++)
            projection += A[j * n + k] * r[j];
        for (int i = 0; i < n; i++)
            out[i] += set->weight[i] * V[i * n + k] * projection / (s[k] * s[k]);
    }
    force_set_snap(set, out);
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
    double accepted = (set->xi_error + SOLVED * set->condition) * force_set_size(set);
    for (int i = 0; i < set->n; i++)
        best[i] = set->x[i];
    force_set_snap(set, best);
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

// All forces of the set: representative in x, intervals in low and high.
SpragStatus force_set_solve(ForceSet *set, const double *xi, double *low, double *high,
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
    return force_set_shape(set, low, high, dimension);
}
