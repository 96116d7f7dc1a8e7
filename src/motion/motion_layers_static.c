// motion_layers_static.c: forces of contacts that rest in their layers.
// Problem   what is set down lies in its layers: forces λ that leave the contacts at rest,
//           W λ + b = 0, inside of the cones, from depths that the bodies can have together; what
//           slips is at rest along its normal, with friction that follows the normal force
// Method    theory.md (14.15): relative displacements of the contacts are d = F z with W = F Fᵀ, so
//           that they are those of bodies; normal forces follow from −d by the layers, tangential
//           ones are −k d with k in proportion to the normal force, ended by the cone; Newton in z.
// Result    forces and displacements of the rows, or none: where a contact must slip or part, or no
//           Newton step helps
#include "motion_layers_static.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "sprag/numeric.h"

enum { PASSES = 4, NEWTON = 40 };
// Cones are taken so much less wide: rounding begins no slip.
static const double INSIDE = 1e-6;
// Forces of the bodies that the contacts cannot balance, relative to all of them.
static const double BALANCED = 1e-9;
// What may be left of the forces: it moves layers by this part of their depth.
static const double SOLVED = 1e-10;
// Rows below this part of the largest depend on others.
static const double RANK = 1e-12;
// Of a Newton step.
static const double SHORTEST = 1e-3;
// Contacts that stay rigid beside layers are so many times as stiff as the stiffest, about the
// force of the pass before: what they give way by becomes less by this factor a pass.
static const double RIGID = 100;

// ---- What an island is --------------------------------------------------------------------------

static void carve_island(SpragCarver *carver, StaticIsland *s, size_t rows)
{
    size_t square = rows * rows;
    SPRAG_CARVE(carver, s->row, rows);
    SPRAG_CARVE(carver, s->F, square);
    SPRAG_CARVE(carver, s->L, square);
    SPRAG_CARVE(carver, s->slope, square);
    SPRAG_CARVE(carver, s->matrix, square);
    SPRAG_CARVE(carver, s->product, square);
    SPRAG_CARVE(carver, s->g, rows);
    SPRAG_CARVE(carver, s->d, rows);
    SPRAG_CARVE(carver, s->force, rows);
    SPRAG_CARVE(carver, s->z, rows);
    SPRAG_CARVE(carver, s->residual, rows);
    SPRAG_CARVE(carver, s->step, rows);
    SPRAG_CARVE(carver, s->work, sprag_eigenvalues_work((int)rows));
    SPRAG_CARVE(carver, s->permutation, 2 * rows);
    SPRAG_CARVE(carver, s->friction, (size_t)s->count);
}

bool static_alloc(SpragRun *run, StaticIsland *s, size_t rows)
{
    SpragCarver carver = {0};
    carve_island(&carver, s, rows);
    carver = (SpragCarver){sprag_arena_alloc(run->arena, carver.used, 1), 0};
    carve_island(&carver, s, rows);
    return carver.base;
}

// Normal force and its slope at a depth.
static double press(const SpragRun *run, const StaticIsland *s, int r, double *slope)
{
    int slot = s->slots[s->row[r].contact];
    double depth = -s->d[r];
    *slope = RIGID * s->largest;
    if (!run->compliant[slot])
        return fmax(s->row[r].before + *slope * depth, 0);
    double force = sprag_layer_elastic(&run->layer[slot], fmax(depth, 0));
    (void)sprag_layer_normal(&run->layer[slot], fmax(depth, 0), 0, NULL, slope, NULL);
    return force;
}

// Which rows count, and how stiff they are at first: as at the force that presses each contact
// alone.
static void list_rows(const SpragRun *run, StaticIsland *s, const double *W, const double *b,
                      int all)
{
    int at = 0, tangents = 0;
    s->rows = 0;
    s->stiffness = s->largest = 0;
    for (int i = 0; i < s->count; i++) {
        int slot = s->slots[i], of_slot = sprag_system_row_count(run->system, 1, &slot);
        double a = W[at * all + at], force = a > 0 ? fmax(-b[at] / a, 0) : 0;
        double depth = run->compliant[slot] ? sprag_layer_depth(&run->layer[slot], force) : 0;
        double stiffness = depth > 0 ? force / depth : 0;
        s->row[s->rows++] = (StaticRow){i, -1, stiffness, 0, 0};
        s->largest = fmax(s->largest, stiffness);
        for (int k = 0; k + 1 < of_slot && s->friction[i] > 0; k++) {
            double shear = run->compliant[slot] ? run->layer[slot].tangential_stiffness : 0;
            s->row[s->rows++] = (StaticRow){i, k, shear, 0, 0};
            s->stiffness += shear;
            tangents += shear > 0;
        }
        at += of_slot;
    }
    s->stiffness /= fmax(tangents, 1);
    for (int r = 0; r < s->rows; r++)
        if (!(s->row[r].stiffness > 0))
            s->row[r].stiffness = s->row[r].tangent < 0 ? s->largest : s->stiffness;
}

// Where the rows that count are in W.
static void find_rows(const SpragRun *run, StaticIsland *s)
{
    int first = 0, r = 0;
    for (int i = 0; i < s->count; i++) {
        for (; r < s->rows && s->row[r].contact == i; r++)
            s->row[r].at = first + s->row[r].tangent + 1;
        first += sprag_system_row_count(run->system, 1, &s->slots[i]);
    }
}

// x with F x = s->d, the least squares solution by the normal equations, which are factored: F is
// as well conditioned as RANK says.
static void solve_factor(StaticIsland *s, double *x)
{
    int n = s->rows, rank = s->rank, *p = s->permutation;
    for (int i = 0; i < rank; i++) {
        s->step[i] = 0;
        for (int k = 0; k < n; k++)
            s->step[i] += s->F[k * n + i] * s->d[k];
    }
    sprag_lu_solve(rank, s->matrix, p, p + rank, s->step, x);
}

// L of theory.md (14.19): where a contact slips its normal force brings friction along its
// tangents, which accelerate.
static void add_drag(const SpragRun *run, StaticIsland *s, const double *W, int all)
{
    int n = s->rows;
    memcpy(s->L, s->F, (size_t)(n * n) * sizeof *s->L);
    for (int r = 0; r < n; r++)
        for (int k = 0; k < run->tangents; k++) {
            double drag = s->drag[2 * s->row[r].contact + k];
            if (s->row[r].tangent >= 0 || drag == 0)
                continue;
            for (int i = 0; i < n; i++)
                s->d[i] = W[s->row[i].at * all + s->row[r].at + 1 + k];
            solve_factor(s, s->z);
            for (int i = 0; i < s->rank; i++)
                s->L[r * n + i] += drag * s->z[i];
        }
}

// F with W = F Fᵀ of the rows that count, L, and g with F g = −b. False: the contacts alone cannot
// leave these rows at rest.
static bool factor(const SpragRun *run, StaticIsland *s, const double *W, const double *b, int all)
{
    int n = s->rows;
    double most = 0, left = 0;
    find_rows(run, s);
    for (int i = 0; i < n * n; i++)
        s->matrix[i] = W[s->row[i / n].at * all + s->row[i % n].at];
    s->rank = sprag_cholesky_semidefinite(n, s->matrix, RANK, s->F);
    int rank = s->rank, *p = s->permutation;
    for (int i = 0; i < rank * rank; i++) {
        s->matrix[i] = 0;
        for (int k = 0; k < n; k++)
            s->matrix[i] += s->F[k * n + i / rank] * s->F[k * n + i % rank];
    }
    if (rank < 1 || sprag_lu_factor(rank, s->matrix, 0, p, p + rank, NULL) < rank)
        return false;
    add_drag(run, s, W, all);
    for (int i = 0; i < n; i++)
        s->d[i] = -b[s->row[i].at];
    solve_factor(s, s->g);
    for (int i = 0; i < n; i++) {
        double sum = s->d[i];
        most = fmax(most, fabs(sum));
        for (int k = 0; k < rank; k++)
            sum -= s->F[i * n + k] * s->g[k];
        left = fmax(left, fabs(sum));
    }
    return left <= BALANCED * most;
}

// ---- Newton's iteration -------------------------------------------------------------------------

// Tangential forces of the rows from `r` on of one contact, whose normal row is r − 1.
static void shear_forces(StaticIsland *s, int r, int tangents)
{
    int n = s->rows, normal = r - 1;
    double pull = 0, by_depth = s->slope[normal * n + normal];
    double most = (1 - INSIDE) * s->friction[s->row[r].contact] * s->force[normal];
    for (int k = 0; k < tangents; k++) {
        s->force[r + k] = -s->row[r + k].stiffness * s->d[r + k];
        s->slope[(r + k) * n + r + k] = -s->row[r + k].stiffness;
        pull = hypot(pull, s->force[r + k]);
    }
    if (!s->cones || !(pull > most))
        return;
    double unit[2] = {0, 0};
    for (int k = 0; k < tangents; k++)
        unit[k] = s->force[r + k] / pull;
    for (int k = 0; k < tangents; k++) {
        s->force[r + k] = most * unit[k];
        s->slope[(r + k) * n + normal] =
            most > 0 ? most / s->force[normal] * unit[k] * by_depth : 0;
        for (int c = 0; c < tangents; c++)
            s->slope[(r + k) * n + r + c] =
                -s->row[r + c].stiffness * most / pull * ((k == c) - unit[k] * unit[c]);
    }
}

// Forces at z, their slopes, and Fᵀ λ − g; returns its size.
static double evaluate(const SpragRun *run, StaticIsland *s)
{
    int n = s->rows;
    double size = 0;
    memset(s->slope, 0, (size_t)(n * n) * sizeof *s->slope);
    for (int r = 0; r < n; r++) {
        s->d[r] = 0;
        for (int k = 0; k < s->rank; k++)
            s->d[r] += s->F[r * n + k] * s->z[k];
    }
    for (int r = 0; r < n; r++) {
        double slope = s->row[r].stiffness;
        int tangents = 0;
        if (s->row[r].tangent >= 0)
            continue;
        s->force[r] = s->linear ? -slope * s->d[r] : press(run, s, r, &slope);
        s->slope[r * n + r] = -slope;
        while (r + 1 + tangents < n && s->row[r + 1 + tangents].tangent == tangents)
            tangents++;
        if (tangents > 0)
            shear_forces(s, r + 1, tangents);
    }
    for (int k = 0; k < s->rank; k++) {
        s->residual[k] = -s->g[k];
        for (int r = 0; r < n; r++)
            s->residual[k] += s->L[r * n + k] * s->force[r];
        size = hypot(size, s->residual[k]);
    }
    return size;
}

// Lᵀ ∂λ/∂d F in s->matrix; returns its size.
static double build_slope(StaticIsland *s)
{
    int n = s->rows, rank = s->rank;
    double most = 0;
    // ∂λ/∂d has a block a contact
    for (int r = 0; r < n; r++)
        for (int j = 0; j < rank; j++) {
            double sum = 0;
            for (int c = r > 2 ? r - 2 : 0; c < n && c < r + 3; c++)
                sum += s->slope[r * n + c] * s->F[c * n + j];
            s->product[r * n + j] = sum;
        }
    memset(s->matrix, 0, (size_t)(rank * rank) * sizeof *s->matrix);
    for (int r = 0; r < n; r++)
        for (int i = 0; i < rank; i++)
            for (int j = 0; j < rank && s->L[r * n + i] != 0; j++)
                s->matrix[i * rank + j] += s->L[r * n + i] * s->product[r * n + j];
    for (int i = 0; i < rank * rank; i++)
        most = fmax(most, fabs(s->matrix[i]));
    return most;
}

// step = (Lᵀ ∂λ/∂d F)⁻¹ residual; a direction without stiffness has no residual either, and a trace
// of stiffness keeps it where it is.
static bool newton_step(StaticIsland *s)
{
    const double trace = 1e-13;
    int rank = s->rank, *p = s->permutation;
    double most = build_slope(s);
    for (int i = 0; i < rank; i++)
        s->matrix[i * rank + i] -= trace * most;
    if (!(most > 0) || sprag_lu_factor(rank, s->matrix, 0, p, p + rank, NULL) < rank)
        return false;
    sprag_lu_solve(rank, s->matrix, p, p + rank, s->residual, s->step);
    return true;
}

// Tangents as stiff as their contact is pressed: all then use the same part of their friction where
// they can.
static void share_by_pressure(StaticIsland *s)
{
    double sum = 0, normal = 0;
    int tangents = 0;
    for (int r = 0; r < s->rows; r++) {
        sum += s->row[r].tangent == 0 ? s->force[r - 1] : 0;
        tangents += s->row[r].tangent == 0;
    }
    for (int r = 0; r < s->rows && sum > 0; r++) {
        if (s->row[r].tangent < 0)
            normal = fmax(s->row[r].before = s->force[r], RANK * sum);
        else
            s->row[r].stiffness = s->stiffness * tangents * normal / sum;
    }
}

// Newton's iteration from z on, with shorter steps where a whole one does not help, down to
// rounding. False: what is left of the forces, whose size is given, is more.
static bool iterate(const SpragRun *run, StaticIsland *s, double size)
{
    double left = evaluate(run, s), was = INFINITY;
    for (int i = 0; i < NEWTON && left > DBL_EPSILON * size; i++) {
        double part = 1;
        // on the way cones may make it worse for a while; behind that it is rounding
        if (left <= SOLVED * size && !(left < was))
            break;
        was = left;
        if (!newton_step(s))
            return false;
        for (int k = 0; k < s->rank; k++)
            s->z[k] -= s->step[k];
        for (left = evaluate(run, s); !(left < was) && part > SHORTEST; left = evaluate(run, s)) {
            part *= 0.5;
            for (int k = 0; k < s->rank; k++)
                s->z[k] += part * s->step[k];
        }
    }
    return left <= SOLVED * size;
}

static bool solve(const SpragRun *run, StaticIsland *s)
{
    double size = 0;
    for (int k = 0; k < s->rank; k++) {
        size = hypot(size, s->g[k]);
        s->z[k] = 0;
    }
    if (!(size > 0))
        return false; // nothing presses
    // from where Newton's iteration of a layer that is not pressed can begin
    s->linear = true;
    (void)iterate(run, s, size);
    s->linear = false;
    for (int pass = 0; pass < PASSES; pass++) {
        if (!iterate(run, s, size))
            return false;
        share_by_pressure(s);
    }
    s->cones = true;
    return iterate(run, s, size);
}

// Whether layers that are left a little come back, without damping: −Lᵀ ∂λ/∂d F has no eigenvalues
// but positive ones, or zeros. Without slip it is symmetric, and so it is always.
static bool is_stable(StaticIsland *s)
{
    const double rounding = 1e-7; // by its root equal eigenvalues differ
    bool slips = false, good = true;
    for (int i = 0; i < 2 * s->count; i++)
        slips |= s->drag[i] != 0;
    if (!slips)
        return true;
    double most = build_slope(s);
    good = sprag_eigenvalues(s->rank, s->matrix, s->z, s->residual, s->work);
    for (int i = 0; i < s->rank && good; i++)
        good = s->z[i] <= rounding * most && fabs(s->residual[i]) <= rounding * most;
    return good;
}

bool static_solve(const SpragRun *run, StaticIsland *s, const double *W, const double *b, int rows)
{
    list_rows(run, s, W, b, rows);
    return s->largest > 0 && factor(run, s, W, b, rows) && solve(run, s) && is_stable(s);
}
