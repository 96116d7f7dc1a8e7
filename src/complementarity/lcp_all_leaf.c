// lcp_all_leaf.c: what a complete choice of the search for all solutions of an LCP holds.
// Problem   every pair has z_i = 0 or w_i = 0; what is left is y = q + T x, x ≥ 0, y ≥ 0
// Method    no columns left: a point, refined from its support with the problem's own numbers.
//           Columns left: a polyhedron, since its basis is singular, by its vertices and rays
//           (lcp_polyhedron.c): nothing is lost (theory.md 3.2)
// Assumes   what misses the tolerance in the problem's own units is no solution
#include <math.h>
#include <string.h>

#include "lcp_all_internal.h"

// Adds `value` of a variable of the scaled table to z or w.
static void put(const SpragLcpAll *all, int variable, double value, double *z, double *w)
{
    if (value < 0)
        value = 0;
    if (variable >= all->n)
        z[variable - all->n] = value * all->column_scale[variable - all->n] * all->scale;
    else
        w[variable] = value / all->row_scale[variable] * all->scale;
}

static void copy_basis(const SpragLcpAll *all, bool *basis)
{
    for (int i = 0; i < all->n; i++)
        basis[i] = all->choice[i] == LCP_CHOICE_W_ZERO;
}

// An isolated point: refined from its support with the problem's own numbers.
static SpragStatus add_point(SpragLcpAll *all, const LcpLevel *level)
{
    double *z, *w;
    bool *basis;
    size_t n = (size_t)all->n;
    SPRAG_TRY(lcp_store_open(&all->store, 1, 0, &z, &basis));
    w = z + n;
    memset(z, 0, 2 * n * sizeof *z);
    for (int i = 0; i < all->n; i++)
        if (level->row_variable[i] >= 0)
            put(all, level->row_variable[i], level->q[i], z, w);
    double residual = lcp_polish(all->workspace, all->problem, z);
    sprag_lcp_residual(all->problem, z, w);
    copy_basis(all, basis);
    if (residual <= all->settings.tolerance)
        lcp_store_add(&all->store, 1, 0, 0, residual);
    return SPRAG_OK;
}

// The point or ray of one generator y: variables as q y_0 + T y.
static void expand(const SpragLcpAll *all, const LcpLevel *level, const double *y, double *z,
                   double *w)
{
    double unit = y[0] > 0 ? 1 / y[0] : 1;
    for (int j = 0; j < level->column_count; j++)
        put(all, level->column_variable[j], y[j + 1] * unit, z, w);
    for (int i = 0; i < all->n; i++) {
        if (level->row_variable[i] < 0)
            continue;
        double value = y[0] > 0 ? level->q[i] : 0;
        for (int j = 0; j < level->column_count; j++)
            value += level->columns[j][i] * y[j + 1] * unit;
        put(all, level->row_variable[i], value, z, w);
    }
}

static void normalise_ray(size_t n, double *z, double *w)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(z[i]));
    for (size_t i = 0; largest > 0 && i < n; i++) {
        z[i] /= largest;
        w[i] /= largest;
    }
}

// Generators with a share of y_0 below this are rays.
static bool is_ray(const double *y)
{
    return y[0] <= LCP_ALL_ZERO;
}

// Writes all vertices and rays; the worst residual of the vertices.
static double write_generators(SpragLcpAll *all, const LcpLevel *level, int vertex_count,
                               int ray_count, double *z)
{
    size_t n = (size_t)all->n, width = (size_t)all->cone.width;
    double *w = z + n * (size_t)vertex_count, *ray_z = w + n * (size_t)vertex_count;
    double *ray_w = ray_z + n * (size_t)ray_count, worst = 0;
    memset(z, 0, 2 * n * (size_t)(vertex_count + ray_count) * sizeof *z);
    for (int g = 0; g < all->cone.count; g++) {
        double *y = all->cone.generators + (size_t)g * width;
        if (is_ray(y)) {
            y[0] = 0;
            expand(all, level, y, ray_z, ray_w);
            normalise_ray(n, ray_z, ray_w);
            ray_z += n, ray_w += n;
        } else {
            expand(all, level, y, z, w);
            worst = fmax(worst, sprag_lcp_residual(all->problem, z, w));
            z += n, w += n;
        }
    }
    return worst;
}

// Fills cone_rows with the rows (q, T) that are not gone; their number.
static int fill_rows(SpragLcpAll *all, const LcpLevel *level)
{
    int width = level->column_count + 1, rows = 0;
    for (int i = 0; i < all->n; i++) {
        if (level->row_variable[i] < 0)
            continue;
        double *row = all->cone_rows + (size_t)rows++ * (size_t)width;
        row[0] = level->q[i];
        for (int j = 0; j < level->column_count; j++)
            row[j + 1] = level->columns[j][i];
    }
    return rows;
}

static SpragStatus add_polyhedron(SpragLcpAll *all, const LcpLevel *level)
{
    bool overflow, *basis;
    double *z;
    int vertices = 0, rays = 0, rows = fill_rows(all, level);
    all->cone.max_count = all->settings.max_generators;
    SPRAG_TRY(lcp_cone_build(&all->cone, level->column_count + 1, rows, all->cone_rows, &overflow));
    if (overflow) {
        all->complete = false;
        return SPRAG_OK;
    }
    for (int g = 0; g < all->cone.count; g++)
        if (is_ray(all->cone.generators + (size_t)g * (size_t)all->cone.width))
            rays++;
        else
            vertices++;
    if (vertices == 0)
        return SPRAG_OK;
    int dimension = lcp_cone_dimension(&all->cone, all->cone_scratch);
    SPRAG_TRY(lcp_store_open(&all->store, vertices, rays, &z, &basis));
    double residual = write_generators(all, level, vertices, rays, z);
    copy_basis(all, basis);
    if (residual <= all->settings.tolerance)
        lcp_store_add(&all->store, vertices, rays, dimension, residual);
    return SPRAG_OK;
}

SpragStatus lcp_all_add_leaf(SpragLcpAll *all, const LcpLevel *level)
{
    SPRAG_TRY(level->column_count == 0 ? add_point(all, level) : add_polyhedron(all, level));
    if (all->store.set_count >= (size_t)all->settings.max_sets) {
        all->stopped = true;
        all->complete = false;
    }
    return SPRAG_OK;
}
