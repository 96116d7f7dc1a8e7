// friction_packet_mixing.c: sweeps over packets that learn from each other, theory.md (11.32).
//
// Problem   as friction_sweeps_mixing.c, for impulses and velocities in lanes
// Bytes     the same operations in the same order with and without AVX2; nothing is contracted
#include "friction_packets.h"

// Sums of products of a few numbers: lanes first, then one of doubles.
typedef struct Products {
    Lanes lanes[2 * PACKETS_DEPTH];
    double sums[2 * PACKETS_DEPTH];
} Products;

INLINE void collect(Products *p)
{
    const Lanes zero = {0};
    for (int i = 0; i < 2 * PACKETS_DEPTH; i++) {
        p->sums[i] += sum_of(&p->lanes[i]);
        p->lanes[i] = zero;
    }
}

INLINE void keep_lanes(const PacketField *field, const Lanes *before, Lanes *ring, size_t at,
                       double *products)
{
    enum { BLOCK = 48 };
    Products p = {0};
    size_t n = (size_t)field->rows * field->count;
    for (size_t k = 0; k < n; k++) {
        Lanes change = field->change[k], more = change - before[k];
        ring[at * n + k] = more;
        for (size_t i = 0; i < PACKETS_DEPTH; i++) {
            p.lanes[2 * i] += more * ring[i * n + k];
            p.lanes[2 * i + 1] += change * ring[i * n + k];
        }
        if (k % BLOCK == BLOCK - 1)
            collect(&p);
    }
    collect(&p);
    for (int i = 0; i < PACKETS_DEPTH; i++) {
        products[i] = p.sums[2 * i];
        products[PACKETS_DEPTH + i] = p.sums[2 * i + 1];
    }
}

// Of the first n numbers in each of four columns that of `now` with weighted differences of the
// others to it: parts are large where columns hardly differ, and would show the rounding of all of
// them.
INLINE void blend(size_t n, size_t stride, Lanes *columns, const size_t *place, const float *parts,
                  size_t to)
{
    const Lanes *now = columns + place[0] * stride, *a = columns + place[1] * stride,
                *b = columns + place[2] * stride, *c = columns + place[3] * stride;
    Lanes *x = columns + to * stride;
    for (size_t k = 0; k < n; k++)
        x[k] = now[k] + (parts[1] * (a[k] - now[k]) + parts[2] * (b[k] - now[k]) +
                         parts[3] * (c[k] - now[k]));
}

INLINE void blend_lanes(const PacketField *field, const PacketMixing *m, const double *parts,
                        size_t to)
{
    size_t place[PACKETS_DEPTH + 1];
    float few[PACKETS_DEPTH + 1];
    for (size_t i = 0; i <= PACKETS_DEPTH; i++) {
        place[i] = (m->place + i) % (PACKETS_DEPTH + 1);
        few[i] = (float)parts[place[i]];
    }
    size_t rows = (size_t)field->rows * field->count;
    blend(rows, rows, m->ends, place, few, to);
    // those of none stay zero
    blend(field->bodies, field->bodies + NOBODIES, m->velocities, place, few, to);
}

// ---- With and without AVX2 ----------------------------------------------------------------------

WIDE static void keep_wide(const PacketField *field, const Lanes *before, Lanes *ring, size_t at,
                           double *products)
{
    keep_lanes(field, before, ring, at, products);
}

WIDE static void blend_wide(const PacketField *field, const PacketMixing *m, const double *parts,
                            size_t to)
{
    blend_lanes(field, m, parts, to);
}

void packets_keep(const PacketField *field, const Lanes *before, Lanes *ring, size_t at,
                  double *products)
{
    CHOOSE(keep, field, before, ring, at, products);
}

void packets_blend(const PacketField *field, const PacketMixing *mixing, const double *parts,
                   size_t to)
{
    CHOOSE(blend, field, mixing, parts, to);
}
