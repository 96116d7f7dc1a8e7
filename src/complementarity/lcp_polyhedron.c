// lcp_polyhedron.c: vertices and rays of {t ≥ 0 : q + T t ≥ 0} by the double description method.
//
// Problem   the generators of the cone {y ≥ 0 : A y ≥ 0}; y = (1, t): vertices, (0, t): rays
// Method    begin with the unit vectors, the generators of y ≥ 0; add one row after the other: what
//           violates it goes, and every adjacent pair of a kept and a removed generator gives a new
//           one on its boundary. Two generators are adjacent if no third is tight on all that both
//           are
// Assumes   a pointed cone (it is, within y ≥ 0); entries of order one
#include <math.h>
#include <string.h>

#include "lcp_all_internal.h"

// A product below this × the size of its row counts as zero.
static const double TIGHT = 1e-9;
// Pivots below this are zero in the rank.
static const double RANK_ZERO = 1e-8;

void lcp_cone_destroy(LcpCone *cone)
{
    if (!cone->context)
        return;
    sprag_free(cone->context, cone->generators);
    sprag_free(cone->context, cone->tight);
    sprag_free(cone->context, cone->products);
    sprag_free(cone->context, cone->common);
}

static uint64_t *tight_of(const LcpCone *cone, int g)
{
    return cone->tight + (size_t)g * (size_t)cone->words;
}

static double *generator_of(const LcpCone *cone, int g)
{
    return cone->generators + (size_t)g * (size_t)cone->width;
}

static void set_bit(uint64_t *bits, int bit)
{
    bits[bit / 64] |= (uint64_t)1 << (bit % 64);
}

static SpragStatus reserve(LcpCone *cone, int count)
{
    SPRAG_TRY(sprag_reserve(cone->context, &cone->generators, &cone->generator_capacity,
                            (size_t)count * (size_t)cone->width, sizeof(double)));
    SPRAG_TRY(sprag_reserve(cone->context, &cone->tight, &cone->tight_capacity,
                            (size_t)count * (size_t)cone->words, sizeof(uint64_t)));
    SPRAG_TRY(sprag_reserve(cone->context, &cone->products, &cone->product_capacity, (size_t)count,
                            sizeof(double)));
    return sprag_reserve(cone->context, &cone->common, &cone->common_capacity, (size_t)cone->words,
                         sizeof(uint64_t));
}

static SpragStatus begin(LcpCone *cone, int width, int rows)
{
    cone->width = width;
    cone->words = (width + rows + 63) / 64;
    cone->count = width;
    SPRAG_TRY(reserve(cone, width));
    memset(cone->generators, 0, (size_t)width * (size_t)width * sizeof *cone->generators);
    memset(cone->tight, 0, (size_t)width * (size_t)cone->words * sizeof *cone->tight);
    for (int g = 0; g < width; g++) {
        generator_of(cone, g)[g] = 1;
        for (int k = 0; k < width; k++)
            if (k != g)
                set_bit(tight_of(cone, g), k);
    }
    return SPRAG_OK;
}

// Fills the products with one row and marks generators on its boundary; the number below it.
static int classify(LcpCone *cone, const double *a, int bit)
{
    double size = 0;
    int below = 0;
    for (int k = 0; k < cone->width; k++)
        size = fmax(size, fabs(a[k]));
    for (int g = 0; g < cone->count; g++) {
        const double *y = generator_of(cone, g);
        double sum = 0;
        for (int k = 0; k < cone->width; k++)
            sum += a[k] * y[k];
        if (fabs(sum) <= TIGHT * size) {
            sum = 0;
            set_bit(tight_of(cone, g), bit);
        }
        cone->products[g] = sum;
        below += sum < 0;
    }
    return below;
}

static bool adjacent(LcpCone *cone, int f, int g)
{
    for (int k = 0; k < cone->words; k++)
        cone->common[k] = tight_of(cone, f)[k] & tight_of(cone, g)[k];
    for (int h = 0; h < cone->count; h++) {
        if (h == f || h == g)
            continue;
        const uint64_t *tight = tight_of(cone, h);
        int k = 0;
        while (k < cone->words && (cone->common[k] & ~tight[k]) == 0)
            k++;
        if (k == cone->words)
            return false;
    }
    return true;
}

// The generator between f (above) and g (below) on the new boundary, at place `to`.
static void combine(LcpCone *cone, int f, int g, int to, int bit)
{
    const double *above = generator_of(cone, f), *below = generator_of(cone, g);
    double a = -cone->products[g], b = cone->products[f], largest = 0;
    double *y = generator_of(cone, to);
    for (int k = 0; k < cone->width; k++) {
        y[k] = a * above[k] + b * below[k];
        largest = fmax(largest, y[k]);
    }
    for (int k = 0; k < cone->width; k++)
        y[k] /= largest;
    for (int k = 0; k < cone->words; k++)
        tight_of(cone, to)[k] = tight_of(cone, f)[k] & tight_of(cone, g)[k];
    set_bit(tight_of(cone, to), bit);
}

// Moves what is not below the row, and all that was added, to the front.
static void remove_below(LcpCone *cone, int old_count, int all_count)
{
    int kept = 0;
    for (int g = 0; g < all_count; g++) {
        if (g < old_count && cone->products[g] < 0)
            continue;
        memmove(generator_of(cone, kept), generator_of(cone, g),
                (size_t)cone->width * sizeof(double));
        memmove(tight_of(cone, kept), tight_of(cone, g), (size_t)cone->words * sizeof(uint64_t));
        kept++;
    }
    cone->count = kept;
}

static SpragStatus add_row(LcpCone *cone, const double *a, int bit, bool *overflow)
{
    if (classify(cone, a, bit) == 0)
        return SPRAG_OK;
    int old_count = cone->count, next = old_count;
    for (int f = 0; f < old_count; f++) {
        if (!(cone->products[f] > 0))
            continue;
        for (int g = 0; g < old_count; g++) {
            if (!(cone->products[g] < 0) || !adjacent(cone, f, g))
                continue;
            if (next >= cone->max_count) {
                *overflow = true;
                return SPRAG_OK;
            }
            SPRAG_TRY(reserve(cone, next + 1));
            combine(cone, f, g, next++, bit);
        }
    }
    remove_below(cone, old_count, next);
    return SPRAG_OK;
}

SpragStatus lcp_cone_build(LcpCone *cone, int width, int rows, const double *A, bool *overflow)
{
    *overflow = false;
    SPRAG_TRY(begin(cone, width, rows));
    for (int i = 0; i < rows && cone->count > 0 && !*overflow; i++)
        SPRAG_TRY(add_row(cone, A + (size_t)i * (size_t)width, width + i, overflow));
    return SPRAG_OK;
}

int lcp_cone_dimension(const LcpCone *cone, double *scratch)
{
    // Gram–Schmidt on a copy; scratch holds width × width
    int rank = 0, width = cone->width;
    for (int g = 0; g < cone->count && rank < width; g++) {
        double *fresh = scratch + (size_t)rank * (size_t)width, norm = 0;
        memcpy(fresh, generator_of(cone, g), (size_t)width * sizeof *fresh);
        // twice is enough
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < rank; k++) {
                const double *known = scratch + (size_t)k * (size_t)width;
                double along = 0;
                for (int j = 0; j < width; j++)
                    along += known[j] * fresh[j];
                for (int j = 0; j < width; j++)
                    fresh[j] -= along * known[j];
            }
        for (int j = 0; j < width; j++)
            norm += fresh[j] * fresh[j];
        norm = sqrt(norm);
        if (norm <= RANK_ZERO)
            continue;
        for (int j = 0; j < width; j++)
            fresh[j] /= norm;
        rank++;
    }
    return rank - 1;
}
