// friction_round.h: sweeps over packets of contacts of balls (private, inline for the two ways to
// build them).
//
// Problem   as friction_packet_sweep.c
// Method    the velocity of a contact of two balls, or of a ball and a plane, is that of two
// vectors
//           d = l_a V_a + l_b V_b and e = k_a Ω_a + k_b Ω_b (l has signs) in its frame n, t1, t2:
//           u = (n·d, t1·d + t2·e, t2·d − t1·e), theory.md (11.43). They are made body by body, so
//           that one vector of eight contacts goes into lanes and one comes back, instead of two.
#ifndef SPRAG_COMPLEMENTARITY_FRICTION_ROUND_H
#define SPRAG_COMPLEMENTARITY_FRICTION_ROUND_H

#include "friction_packets.h"

typedef float Half __attribute__((vector_size(4 * sizeof(float)), may_alias));

// ---- Three rows ---------------------------------------------------------------------------------

// d and e of eight contacts, z[0] … z[2] and z[4] … z[6]; scale: 8 vectors of the first bodies, 8
// of the second ones.
INLINE void gather_round(Lanes *velocity, const int *body, const Lanes *scale, Lanes *z)
{
    for (int k = 0; k < LANES; k++)
        z[k] = scale[k] * *speeds_at(velocity, body[k]) +
               scale[LANES + k] * *speeds_at(velocity, body[LANES + k]);
    transpose(z);
}

INLINE void read_round(const Lanes *packet, const Lanes *z, Lanes *u)
{
    const Lanes *n = packet, *t1 = packet + 3, *t2 = packet + 6, *q = packet + ROUND_Q(3);
    u[0] = q[0] + (n[0] * z[0] + n[1] * z[1] + n[2] * z[2]);
    u[1] = q[1] + ((t1[0] * z[0] + t1[1] * z[1] + t1[2] * z[2]) +
                   (t2[0] * z[4] + t2[1] * z[5] + t2[2] * z[6]));
    u[2] = q[2] + ((t2[0] * z[0] + t2[1] * z[1] + t2[2] * z[2]) -
                   (t1[0] * z[4] + t1[1] * z[5] + t1[2] * z[6]));
}

INLINE void push_round(const Lanes *packet, const Lanes *r, const int *body, Lanes *velocity)
{
    const Lanes *n = packet, *t1 = packet + 3, *t2 = packet + 6, zero = {0};
    const Lanes *scale = packet + ROUND_SCALE(3);
    Lanes p[LANES];
    for (int k = 0; k < 3; k++) {
        p[k] = n[k] * r[0] + t1[k] * r[1] + t2[k] * r[2];
        p[4 + k] = t2[k] * r[1] - t1[k] * r[2];
    }
    p[3] = p[7] = zero;
    transpose(p);
    for (int k = 0; k < LANES; k++) {
        *speeds_at(velocity, body[k]) += scale[k] * p[k];
        *speeds_at(velocity, body[LANES + k]) += scale[LANES + k] * p[k];
    }
}

// Packets i … i + many − 1, which share no body, stage by stage: while the one waits for its root
// and its quotient the other goes on.
INLINE void sweep_round(const PacketField *field, size_t i, size_t many, Lanes *square)
{
    const Lanes *packet = field->packets + i * ROUND_SIZE(3);
    const int *body = field->body + 2 * LANES * i;
    Lanes *change = field->change + 3 * i, u[2][3];
    for (size_t k = 0; k < many; k++) {
        const Lanes *one = packet + k * ROUND_SIZE(3);
        Lanes z[LANES];
        gather_round(field->velocity, body + 2 * LANES * k, one + ROUND_SCALE(3), z);
        read_round(one, z, u[k]);
    }
    for (size_t k = 0; k < many; k++) {
        const Lanes *one = packet + k * ROUND_SIZE(3);
        visit_lanes(3, one + ROUND_INVERSE(3), one + ROUND_FRICTION, u[k], field->floor,
                    field->r + 3 * (i + k), change + 3 * k, square);
    }
    for (size_t k = 0; k < many; k++)
        push_round(packet + k * ROUND_SIZE(3), change + 3 * k, body + 2 * LANES * k,
                   field->velocity);
}

// ---- The normal alone ---------------------------------------------------------------------------

// Linear velocities of contact k in the lower half, of contact k + 4 in the upper one.
INLINE void join(Lanes *velocity, int low, int high, Lanes *out)
{
    const Half *a = (const Half *)speeds_at(velocity, low),
               *b = (const Half *)speeds_at(velocity, high);
    *out = __builtin_shufflevector(*a, *b, 0, 1, 2, 3, 4, 5, 6, 7);
}

INLINE void add_halves(Lanes *velocity, int low, int high, const Lanes *more)
{
    Half *a = (Half *)speeds_at(velocity, low), *b = (Half *)speeds_at(velocity, high);
    *a += __builtin_shufflevector(*more, *more, 0, 1, 2, 3);
    *b += __builtin_shufflevector(*more, *more, 4, 5, 6, 7);
}

INLINE void read_normal(const Lanes *packet, Lanes *velocity, const int *body, Lanes *u)
{
    const Lanes *scale = packet + ROUND_SCALE(1);
    Lanes z[4];
    for (int k = 0; k < 4; k++) {
        Lanes a, b;
        join(velocity, body[k], body[k + 4], &a);
        join(velocity, body[LANES + k], body[LANES + k + 4], &b);
        z[k] = scale[k] * a + scale[4 + k] * b;
    }
    transpose_halves(z);
    *u = packet[ROUND_Q(1)] + (packet[0] * z[0] + packet[1] * z[1] + packet[2] * z[2]);
}

INLINE void push_normal(const Lanes *packet, const Lanes *r, const int *body, Lanes *velocity)
{
    const Lanes *scale = packet + ROUND_SCALE(1), zero = {0};
    Lanes p[4] = {packet[0] * *r, packet[1] * *r, packet[2] * *r, zero};
    transpose_halves(p);
    for (int k = 0; k < 4; k++) {
        Lanes a = scale[k] * p[k], b = scale[4 + k] * p[k];
        add_halves(velocity, body[k], body[k + 4], &a);
        add_halves(velocity, body[LANES + k], body[LANES + k + 4], &b);
    }
}

INLINE void sweep_normal(const PacketField *field, size_t i, size_t many, Lanes *square)
{
    const Lanes *packet = field->packets + i * ROUND_SIZE(1);
    const int *body = field->body + 2 * LANES * i;
    Lanes u[2];
    for (size_t k = 0; k < many; k++)
        read_normal(packet + k * ROUND_SIZE(1), field->velocity, body + 2 * LANES * k, &u[k]);
    for (size_t k = 0; k < many; k++)
        visit_lanes(1, packet + k * ROUND_SIZE(1) + ROUND_INVERSE(1), NULL, &u[k], field->floor,
                    field->r + i + k, field->change + i + k, square);
    for (size_t k = 0; k < many; k++)
        push_normal(packet + k * ROUND_SIZE(1), field->change + i + k, body + 2 * LANES * k,
                    field->velocity);
}

// ---- Residual -----------------------------------------------------------------------------------

INLINE void judge_round(const PacketField *field, size_t i, Lanes *square)
{
    const int *body = field->body + 2 * LANES * i;
    if (field->rows == 1) {
        const Lanes *packet = field->packets + i * ROUND_SIZE(1);
        Lanes u;
        read_normal(packet, field->velocity, body, &u);
        miss_normal(packet + ROUND_INVERSE(1) + 1, field->r + i, &u, square);
        return;
    }
    const Lanes *packet = field->packets + i * ROUND_SIZE(3);
    Lanes z[LANES], u[3];
    gather_round(field->velocity, body, packet + ROUND_SCALE(3), z);
    read_round(packet, z, u);
    miss_lanes(packet + ROUND_FRICTION, field->r + 3 * i, u, square);
}

INLINE void push_all_round(const PacketField *field)
{
    for (size_t i = 0; i < field->count; i++) {
        const int *body = field->body + 2 * LANES * i;
        if (field->rows == 3)
            push_round(field->packets + i * ROUND_SIZE(3), field->r + 3 * i, body, field->velocity);
        else
            push_normal(field->packets + i * ROUND_SIZE(1), field->r + i, body, field->velocity);
    }
}

#endif
