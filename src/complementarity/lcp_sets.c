// lcp_sets.c: the store of solution sets: every point once, no set inside another.
//
// Problem   the search delivers faces of the solution set; a degenerate point may come twice, and a
//           face may lie in a larger one
// Method    points are compared with the points there, first by a weighted sum. A set is the
//           polyhedron of its basis, so S lies in the set of basis β if all generators of S have
//           z_i = 0 off β and w_i = 0 on β.
#include <math.h>
#include <string.h>

#include "lcp_all_internal.h"

// Two points closer than this × the size of the larger are one; room for the rounding of a solve
// with a condition number up to 10⁷.
static const double SAME = 1e-8;

void lcp_store_clear(LcpStore *store, int n, double tolerance)
{
    store->n = n;
    store->tolerance = tolerance;
    store->set_count = store->number_count = store->basis_count = store->view_count = 0;
}

void lcp_store_destroy(LcpStore *store)
{
    if (!store->context)
        return;
    sprag_free(store->context, store->sets);
    sprag_free(store->context, store->numbers);
    sprag_free(store->context, store->bases);
    sprag_free(store->context, store->views);
}

SpragStatus lcp_store_open(LcpStore *store, int vertex_count, int ray_count, double **z,
                           bool **basis)
{
    size_t n = (size_t)store->n;
    size_t count = store->number_count + 2 * n * (size_t)(vertex_count + ray_count);
    SPRAG_TRY(sprag_reserve(store->context, &store->sets, &store->set_capacity,
                            store->set_count + 1, sizeof *store->sets));
    SPRAG_TRY(sprag_reserve(store->context, &store->numbers, &store->number_capacity, count,
                            sizeof(double)));
    SPRAG_TRY(sprag_reserve(store->context, &store->bases, &store->basis_capacity,
                            store->basis_count + n, sizeof(bool)));
    *z = store->numbers + store->number_count;
    *basis = store->bases + store->basis_count;
    return SPRAG_OK;
}

static double size_of(const double *z, int n)
{
    double size = 0;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(z[i]));
    return size;
}

// Whether the point (z, w) is the only vertex of a set that is there already.
static bool is_known(const LcpStore *store, const double *z, double key, double size)
{
    // the weights of the key sum to less than n
    double near = SAME * size * store->n;
    for (size_t k = 0; k < store->set_count; k++) {
        const LcpStored *set = &store->sets[k];
        if (fabs(set->key - key) > near || set->dimension > 0)
            continue;
        const double *other = store->numbers + set->z;
        int i = 0;
        while (i < store->n && fabs(other[i] - z[i]) <= SAME * size)
            i++;
        if (i == store->n)
            return true;
    }
    return false;
}

void lcp_store_add(LcpStore *store, int vertex_count, int ray_count, int dimension, double residual)
{
    size_t n = (size_t)store->n;
    const double *z = store->numbers + store->number_count;
    double key = 0;
    for (size_t i = 0; i < n; i++)
        key += z[i] * (0.5 + 0.5 / (double)(i + 1));
    if (dimension == 0 && is_known(store, z, key, size_of(z, store->n)))
        return;
    LcpStored set = {store->number_count, store->basis_count, dimension, vertex_count,
                     ray_count,           residual,           key,       false};
    store->sets[store->set_count++] = set;
    store->number_count += 2 * n * (size_t)(vertex_count + ray_count);
    store->basis_count += n;
}

// Whether every row of z and w (count each) lies in the set of a basis.
static bool rows_fit(const LcpStore *store, const double *z, const double *w, int count,
                     const bool *basis)
{
    size_t n = (size_t)store->n;
    for (int k = 0; k < count; k++) {
        const double *z_row = z + (size_t)k * n, *w_row = w + (size_t)k * n;
        double z_zero = SAME * size_of(z_row, store->n), w_zero = SAME * size_of(w_row, store->n);
        for (size_t i = 0; i < n; i++)
            if (basis[i] ? fabs(w_row[i]) > w_zero + store->tolerance : fabs(z_row[i]) > z_zero)
                return false;
    }
    return true;
}

static bool contains(const LcpStore *store, const LcpStored *outer, const LcpStored *inner)
{
    size_t n = (size_t)store->n;
    const bool *basis = store->bases + outer->basis;
    const double *z = store->numbers + inner->z;
    const double *ray = z + 2 * n * (size_t)inner->vertex_count;
    return rows_fit(store, z, z + n * (size_t)inner->vertex_count, inner->vertex_count, basis) &&
           rows_fit(store, ray, ray + n * (size_t)inner->ray_count, inner->ray_count, basis);
}

static void drop_contained(LcpStore *store)
{
    for (size_t outer = 0; outer < store->set_count; outer++) {
        const LcpStored *large = &store->sets[outer];
        if (large->dimension == 0 || large->dropped)
            continue;
        for (size_t inner = 0; inner < store->set_count; inner++) {
            LcpStored *small = &store->sets[inner];
            if (inner != outer && !small->dropped && small->dimension <= large->dimension &&
                contains(store, large, small))
                small->dropped = true;
        }
    }
}

SpragStatus lcp_store_finish(LcpStore *store)
{
    size_t n = (size_t)store->n;
    drop_contained(store);
    SPRAG_TRY(sprag_reserve(store->context, &store->views, &store->view_capacity,
                            store->set_count ? store->set_count : 1, sizeof *store->views));
    store->view_count = 0;
    for (size_t k = 0; k < store->set_count; k++) {
        const LcpStored *set = &store->sets[k];
        if (set->dropped)
            continue;
        const double *z = store->numbers + set->z;
        size_t vertices = n * (size_t)set->vertex_count, rays = n * (size_t)set->ray_count;
        SpragLcpSet view = {
            set->dimension, set->vertex_count, set->ray_count,          z,
            z + vertices,   z + 2 * vertices,  z + 2 * vertices + rays, store->bases + set->basis,
            set->residual};
        store->views[store->view_count++] = view;
    }
    return SPRAG_OK;
}
