// contact_bearing.c: friction of bearings with several normals in a complete mode, theory.md 9.5.
// Problem   a sliding bearing i rubs with μ_i s_i, s_i = |λN_i| of its normals. With all s_i given
//           the mode is linear, so that its normal forces are λN_i = p_i + Σ_j q_ij s_j, and
//               |p_i + Σ_j q_ij s_j| = s_i ≥ 0                                            (9.33)
// Method    one bearing: a quadratic, both roots. Several: if the spectral radius of (|q_ij|) is
//           below 1 the map of (9.33) is a contraction with one fixed point; else Newton from
//           starts in which every normal force has one of a few directions, and nothing proves that
//           all roots were found
#include <math.h>

#include "contact_search.h"
#include "sprag/numeric.h"

// Directions of a start, of two and of three normals, and starts at most.
enum {
    DIRECTIONS = 8,
    SPACE_DIRECTIONS = 14,
    MOST_STARTS = 4096,
    MOST_ROOTS = 64,
    NEWTON_STEPS = 60
};
// Roots nearer than this (relative) are one; residuals below the other are none.
static const double SAME_ROOT = 1e-9, SOLVED = 1e-13;
// A discriminant this small, relative to its terms, is a double root up to rounding.
static const double DOUBLE_ROOT = 1e-13;

typedef struct Pins {
    int m;
    int *constraint; // of each sliding bearing
    double *p;       // WAYS each
    double *q;       // m × m × WAYS
    double *factors, *right;
    int *permutation;
} Pins;

// target += factor × ξ of a unit along the slip of a sliding bearing.
static void add_tangent(const Reduced *reduced, int c, double factor, double *target)
{
    double d[WAYS];
    int tangents = leaf_directions(reduced, c, d), first = reduced_tangent(reduced, c);
    for (int k = 0; k < tangents; k++)
        for (int j = 0; j < reduced->width; j++)
            target[j] += factor * d[k] * reduced_row(reduced, first + k)[j];
}

void bearing_load(const Reduced *reduced, Leaf *leaf, const double *pressure)
{
    for (int j = 0; j < reduced->width; j++)
        leaf->load[j] = 0;
    for (int c = 0; c < reduced->constraints; c++) {
        leaf->pressure[c] = 0;
        if (leaf->cells[c].kind != CELL_SLIDE || !reduced_is_round(reduced, c))
            continue;
        leaf->pressure[c] = pressure[c];
        add_tangent(reduced, c, -leaf->cells[c].k * reduced->friction[c] * pressure[c], leaf->load);
    }
}

bool bearing_admits(const Reduced *reduced, const Leaf *leaf, const double *x)
{
    for (int i = 0; i < leaf->count && reduced->round > 0; i++) {
        int c = leaf->constraint[i];
        if (!leaf->tangential[i] || !reduced_is_round(reduced, c))
            continue;
        int n[WAYS], count = leaf_press(reduced, leaf, c, n);
        double bound = reduced->friction[c] * leaf_pressure(count, n, x);
        if (fabs(x[i]) - bound > reduced->tolerance * (1 + fabs(x[i]) + bound))
            return false;
    }
    return true;
}

void bearing_aim(const Reduced *reduced, Leaf *leaf, const double *x, double angle)
{
    for (int i = 0; i < leaf->count; i++) {
        int c = leaf->constraint[i];
        if (!leaf->tangential[i] || !reduced_is_round(reduced, c))
            continue;
        int n[WAYS];
        leaf_press(reduced, leaf, c, n); // two: one tangent that sticks is never a ball's
        double along = x[n[0]] == 0 && x[n[1]] == 0 ? 0 : atan2(x[n[1]], x[n[0]]);
        leaf->aim[WAYS * c] = cos(along + angle);
        leaf->aim[WAYS * c + 1] = sin(along + angle);
    }
}

// ---- Roots --------------------------------------------------------------------------------------

static SpragStatus pins_create(const Reduced *reduced, const Leaf *leaf, Pins *pins)
{
    SpragArena *arena = reduced->arena;
    *pins = (Pins){0};
    pins->constraint =
        sprag_arena_alloc(arena, (size_t)reduced->constraints + 1, sizeof *pins->constraint);
    if (!pins->constraint)
        return SPRAG_ERROR_MEMORY;
    for (int c = 0; c < reduced->constraints; c++)
        if (leaf->cells[c].kind == CELL_SLIDE && reduced_is_round(reduced, c))
            pins->constraint[pins->m++] = c;
    size_t m = (size_t)pins->m;
    pins->p = sprag_arena_alloc(arena, (1 + WAYS) * m * (m + 1) + 1, sizeof(double));
    pins->permutation = sprag_arena_alloc(arena, 2 * m + 1, sizeof(int));
    if (!pins->p || !pins->permutation)
        return SPRAG_ERROR_MEMORY;
    pins->q = pins->p + WAYS * m;
    pins->factors = pins->q + WAYS * m * m;
    pins->right = pins->factors + m * m;
    return SPRAG_OK;
}

// p and q from the response of the mode to unit pressures.
static SpragStatus pins_respond(const Reduced *reduced, const Leaf *leaf, Pins *pins, bool *regular)
{
    SpragArena *arena = reduced->arena;
    int m = pins->m, n = leaf->count, w = reduced->width;
    double *load = sprag_arena_alloc(arena, (size_t)m * (size_t)w + 1, sizeof *load);
    double *x = sprag_arena_alloc(arena, (size_t)(m + 1) * (size_t)n + 1, sizeof *x);
    if (!load || !x)
        return SPRAG_ERROR_MEMORY;
    for (int k = 0; k < m; k++) {
        int c = pins->constraint[k];
        for (int j = 0; j < w; j++)
            load[k * w + j] = 0;
        add_tangent(reduced, c, -leaf->cells[c].k * reduced->friction[c],
                    load + (size_t)k * (size_t)w);
    }
    SPRAG_TRY(leaf_respond(reduced, leaf, m, load, x, x + n, regular));
    for (int k = 0; *regular && k < m; k++) {
        int i[WAYS], count = leaf_press(reduced, leaf, pins->constraint[k], i);
        for (int e = 0; e < WAYS; e++) {
            pins->p[WAYS * k + e] = e < count ? x[i[e]] : 0;
            for (int j = 0; j < m; j++)
                pins->q[WAYS * (k * m + j) + e] = e < count ? x[(j + 1) * n + i[e]] : 0;
        }
    }
    return SPRAG_OK;
}

static double dot(const double a[WAYS], const double b[WAYS])
{
    double sum = 0;
    for (int k = 0; k < WAYS; k++)
        sum += a[k] * b[k];
    return sum;
}

// Both roots s ≥ 0 of |p + q s| = s; returns their number, −1: every s is one.
static int quadratic_roots(const double p[WAYS], const double q[WAYS], double roots[2])
{
    double a = dot(q, q) - 1, b = dot(p, q), c = dot(p, p);
    double disc = b * b - a * c, size = b * b + fabs(a * c);
    int count = 0;
    if (fabs(a) <= DOUBLE_ROOT * (1 + a)) {
        if (b < 0)
            roots[count++] = -c / (2 * b);
        return count || c > 0 ? count : -1;
    }
    if (disc < -DOUBLE_ROOT * size)
        return 0;
    double root = disc > DOUBLE_ROOT * size ? sqrt(disc) : 0;
    double far = b >= 0 ? -(b + root) : -b + root; // larger in size, without cancellation
    double s[2] = {far / a, far != 0 ? c / far : 0};
    for (int k = 0; k < 2; k++)
        if (s[k] >= 0 && (count == 0 || fabs(s[k] - roots[0]) > SAME_ROOT * fabs(s[k])))
            roots[count++] = s[k];
    return count;
}

// λN of bearing i at pressures s.
static void normal_of(const Pins *pins, int i, const double *s, double normal[WAYS])
{
    for (int e = 0; e < WAYS; e++) {
        normal[e] = pins->p[WAYS * i + e];
        for (int j = 0; j < pins->m; j++)
            normal[e] += pins->q[WAYS * (i * pins->m + j) + e] * s[j];
    }
}

// Spectral radius of (|q_ij|) below 1: I − |q| has a positive solution for a right side of ones.
static bool is_contraction(Pins *pins)
{
    int m = pins->m;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            const double *q = pins->q + WAYS * ((size_t)i * (size_t)m + (size_t)j);
            pins->factors[i * m + j] = (i == j) - sprag_length(WAYS, q);
        }
        pins->right[i] = 1;
    }
    int *permutation = pins->permutation;
    double y[MOST_ROOTS];
    if (m > MOST_ROOTS ||
        sprag_lu_factor(m, pins->factors, SOLVED, permutation, permutation + m, NULL) < m)
        return false;
    sprag_lu_solve(m, pins->factors, permutation, permutation + m, pins->right, y);
    for (int i = 0; i < m; i++)
        if (!(y[i] > 0))
            return false;
    return true;
}

// One Newton step on |p + q s| − s = 0; returns the residual before it, INFINITY: singular.
static double newton_step(Pins *pins, double *s, double *step)
{
    int m = pins->m;
    double residual = 0, size = 0;
    for (int i = 0; i < m; i++) {
        double normal[WAYS];
        normal_of(pins, i, s, normal);
        double length = sprag_length(WAYS, normal);
        pins->right[i] = s[i] - length;
        residual = fmax(residual, fabs(pins->right[i]));
        size = fmax(size, fmax(fabs(s[i]), length));
        for (int j = 0; j < m; j++) {
            const double *q = pins->q + WAYS * ((size_t)i * (size_t)m + (size_t)j);
            double slope = length > 0 ? dot(normal, q) / length : 0;
            pins->factors[i * m + j] = slope - (i == j);
        }
    }
    int *permutation = pins->permutation;
    if (sprag_lu_factor(m, pins->factors, SOLVED, permutation, permutation + m, NULL) < m)
        return INFINITY;
    sprag_lu_solve(m, pins->factors, permutation, permutation + m, pins->right, step);
    for (int i = 0; i < m; i++)
        s[i] += step[i];
    return size > 0 ? residual / size : 0;
}

// From s to a root; false: none, or a negative one.
static bool newton(Pins *pins, double *s, double *step)
{
    double residual = INFINITY;
    for (int k = 0; k < NEWTON_STEPS && !(residual <= SOLVED); k++) {
        residual = newton_step(pins, s, step);
        if (residual == INFINITY)
            return false;
    }
    double most = 0;
    for (int i = 0; i < pins->m; i++)
        most = fmax(most, fabs(s[i]));
    for (int i = 0; i < pins->m; i++)
        if (!(s[i] >= -SAME_ROOT * most))
            return false;
        else
            s[i] = fmax(s[i], 0);
    return residual <= 1e3 * SOLVED;
}

// How many directions of its normal force a start may have, and the k-th: around a circle, or
// through faces and corners of a cube.
static int direction_count(const Reduced *reduced, const Pins *pins, int i)
{
    int rows[WAYS];
    return reduced_press(reduced, pins->constraint[i], rows) > 2 ? SPACE_DIRECTIONS : DIRECTIONS;
}

static void direction_of(int count, int k, double u[WAYS])
{
    double angle = 2 * 3.14159265358979323846 * k / DIRECTIONS;
    u[0] = cos(angle);
    u[1] = sin(angle);
    u[2] = 0;
    if (count == DIRECTIONS)
        return;
    for (int e = 0; e < WAYS; e++)
        u[e] = k < 6 ? (k / 2 == e) * (k % 2 ? -1 : 1) : ((k - 6) >> e & 1 ? -1 : 1) / sqrt(3);
}

// s of a start: every normal force along one direction, s_i = u_i·λN_i.
static bool start_from(const Reduced *reduced, Pins *pins, long start, double *s)
{
    int m = pins->m;
    for (int i = 0; i < m; i++) {
        int count = direction_count(reduced, pins, i);
        double u[WAYS];
        direction_of(count, (int)(start % count), u);
        start /= count;
        pins->right[i] = dot(u, pins->p + WAYS * (size_t)i);
        for (int j = 0; j < m; j++) {
            const double *q = pins->q + WAYS * ((size_t)i * (size_t)m + (size_t)j);
            pins->factors[i * m + j] = (i == j) - dot(u, q);
        }
    }
    int *permutation = pins->permutation;
    if (sprag_lu_factor(m, pins->factors, SOLVED, permutation, permutation + m, NULL) < m)
        return false;
    sprag_lu_solve(m, pins->factors, permutation, permutation + m, pins->right, s);
    return true;
}

static bool is_known(const Pins *pins, const double *s, int count, const double *found)
{
    for (int k = 0; k < count; k++) {
        double difference = 0, size = 0;
        for (int i = 0; i < pins->m; i++) {
            difference = fmax(difference, fabs(s[i] - found[k * pins->m + i]));
            size = fmax(size, fabs(s[i]));
        }
        if (difference <= SAME_ROOT * size || size == 0)
            return true;
    }
    return false;
}

// Roots of several bearings: found (MOST_ROOTS × m).
static SpragStatus several_roots(const Reduced *reduced, Pins *pins, double *found,
                                 BearingRoots *roots)
{
    int m = pins->m;
    double *s = sprag_arena_alloc(reduced->arena, 2 * (size_t)m + 1, sizeof *s);
    if (!s)
        return SPRAG_ERROR_MEMORY;
    roots->complete = is_contraction(pins);
    long starts = 1;
    for (int i = 0; i < m && starts < MOST_STARTS; i++)
        starts *= direction_count(reduced, pins, i);
    for (long start = -1; start < starts && roots->count < MOST_ROOTS; start++) {
        for (int i = 0; i < m; i++)
            s[i] = sprag_length(WAYS, pins->p + WAYS * (size_t)i);
        if (start >= 0 && !start_from(reduced, pins, start, s))
            continue;
        if (!newton(pins, s, s + m) || is_known(pins, s, roots->count, found))
            continue;
        for (int i = 0; i < m; i++)
            found[roots->count * m + i] = s[i];
        roots->count++;
        if (roots->complete)
            break;
    }
    roots->complete &= roots->count == 1;
    return SPRAG_OK;
}

SpragStatus bearing_roots(const Reduced *reduced, const Leaf *leaf, BearingRoots *roots)
{
    Pins pins;
    *roots = (BearingRoots){.regular = true, .complete = true};
    SPRAG_TRY(pins_create(reduced, leaf, &pins));
    roots->sliding = pins.m;
    if (pins.m == 0)
        return SPRAG_OK;
    SPRAG_TRY(pins_respond(reduced, leaf, &pins, &roots->regular));
    if (!roots->regular)
        return SPRAG_OK;
    size_t n = (size_t)reduced->constraints;
    double *found = sprag_arena_alloc(reduced->arena, MOST_ROOTS * (size_t)pins.m, sizeof *found);
    roots->pressure = sprag_arena_alloc(reduced->arena, MOST_ROOTS * n, sizeof(double));
    if (!found || !roots->pressure)
        return SPRAG_ERROR_MEMORY;
    if (pins.m == 1) {
        roots->count = quadratic_roots(pins.p, pins.q, found);
        if (roots->count < 0) { // a continuum: its member without friction
            roots->count = 1;
            roots->complete = false;
            found[0] = 0;
        }
    } else {
        SPRAG_TRY(several_roots(reduced, &pins, found, roots));
    }
    for (int k = 0; k < roots->count; k++)
        for (int i = 0; i < pins.m; i++)
            roots->pressure[(size_t)k * n + (size_t)pins.constraint[i]] = found[k * pins.m + i];
    return SPRAG_OK;
}
