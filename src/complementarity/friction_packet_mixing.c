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

// The difference goes to place `at` of the ring, with its products and those of the last change.
INLINE void keep_rows(const PacketField *field, PacketMixing *m, size_t at, Products *p)
{
    enum { BLOCK = 48 };
    size_t n = (size_t)field->rows * field->count;
    Lanes *end = m->end_ring + at * n, *ring[PACKETS_DEPTH];
    for (size_t i = 0; i < PACKETS_DEPTH; i++)
        ring[i] = m->change_ring + i * n;
    for (size_t k = 0; k < n; k++) {
        Lanes change = field->change[k], r = field->r[k], more = change - m->change[k];
        ring[at][k] = more;
        end[k] = r - m->end[k];
        m->change[k] = change;
        m->end[k] = r;
        for (int i = 0; i < PACKETS_DEPTH; i++) {
            p->lanes[2 * i] += more * ring[i][k];
            p->lanes[2 * i + 1] += change * ring[i][k];
        }
        if (k % BLOCK == BLOCK - 1)
            collect(p);
    }
    collect(p);
}

INLINE void keep_lanes(const PacketField *field, PacketMixing *m, size_t at, double *with_new,
                       double *with_change)
{
    Products p = {0};
    Lanes *velocity = m->velocity_ring + at * (field->bodies + 1);
    keep_rows(field, m, at, &p);
    for (size_t k = 0; k <= field->bodies; k++) {
        Lanes v = field->velocity[k];
        velocity[k] = v - m->end_velocity[k];
        m->end_velocity[k] = v;
    }
    for (int i = 0; i < PACKETS_DEPTH; i++) {
        with_new[i] = p.sums[2 * i];
        with_change[i] = p.sums[2 * i + 1];
    }
}

// x less three weighted columns of n numbers.
INLINE void subtract(size_t n, const Lanes *columns, const float *weights, Lanes *x)
{
    for (size_t k = 0; k < n; k++)
        x[k] -=
            weights[0] * columns[k] + weights[1] * columns[n + k] + weights[2] * columns[2 * n + k];
}

INLINE void subtract_lanes(const PacketField *field, const PacketMixing *m, const double *weights)
{
    const float few[PACKETS_DEPTH] = {(float)weights[0], (float)weights[1], (float)weights[2]};
    subtract((size_t)field->rows * field->count, m->end_ring, few, field->r);
    subtract(field->bodies + 1, m->velocity_ring, few, field->velocity);
}

// ---- With and without AVX2 ----------------------------------------------------------------------

WIDE static void keep_wide(const PacketField *field, PacketMixing *m, size_t at, double *with_new,
                           double *with_change)
{
    keep_lanes(field, m, at, with_new, with_change);
}

WIDE static void subtract_wide(const PacketField *field, const PacketMixing *m,
                               const double *weights)
{
    subtract_lanes(field, m, weights);
}

void packets_keep(const PacketField *field, PacketMixing *mixing, size_t at, double *with_new,
                  double *with_change)
{
    CHOOSE(keep, field, mixing, at, with_new, with_change);
}

void packets_subtract(const PacketField *field, const PacketMixing *mixing, const double *weights)
{
    CHOOSE(subtract, field, mixing, weights);
}
