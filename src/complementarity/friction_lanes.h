// friction_lanes.h: arithmetic on eight numbers at a time, and the law of a contact with a diagonal
// W_ii on it (private to the sweeps over packets).
//
// Bytes     the same operations in the same order with and without AVX2; nothing is contracted
#ifndef SPRAG_COMPLEMENTARITY_FRICTION_LANES_H
#define SPRAG_COMPLEMENTARITY_FRICTION_LANES_H

#include <math.h>
#include <stddef.h>

enum { LANES = 8 };
// Bodies are named by offsets of their velocities in eight bytes: the processor scales by no more.
enum { BODY_OFFSET = 4 };

// One number of eight contacts, or the velocities of one body.
typedef float Lanes __attribute__((vector_size(LANES * sizeof(float))));
typedef int LaneBits __attribute__((vector_size(LANES * sizeof(int))));

#define INLINE static inline __attribute__((always_inline))

// Where the velocities of a body are that has this offset.
INLINE Lanes *speeds_at(Lanes *velocity, int offset)
{
    return (Lanes *)(void *)((char *)velocity + 8 * (ptrdiff_t)offset);
}

// Eight rows of eight become columns.
INLINE void transpose(Lanes *a)
{
    Lanes b[LANES], c[LANES];
    for (int k = 0; k < LANES; k += 2) {
        b[k] = __builtin_shufflevector(a[k], a[k + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        b[k + 1] = __builtin_shufflevector(a[k], a[k + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int k = 0; k < LANES; k += 4)
        for (int e = 0; e < 2; e++) {
            c[k + 2 * e] =
                __builtin_shufflevector(b[k + e], b[k + e + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            c[k + 2 * e + 1] =
                __builtin_shufflevector(b[k + e], b[k + e + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int k = 0; k < 4; k++) {
        a[k] = __builtin_shufflevector(c[k], c[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        a[k + 4] = __builtin_shufflevector(c[k], c[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

// Two squares of four by four, beside each other, become their columns.
INLINE void transpose_halves(Lanes *a)
{
    Lanes b[4];
    for (int k = 0; k < 4; k += 2) {
        b[k] = __builtin_shufflevector(a[k], a[k + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        b[k + 1] = __builtin_shufflevector(a[k], a[k + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int e = 0; e < 2; e++) {
        a[2 * e] = __builtin_shufflevector(b[e], b[e + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        a[2 * e + 1] = __builtin_shufflevector(b[e], b[e + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
}

INLINE void square_root(Lanes *x)
{
    for (int k = 0; k < LANES; k++)
        (*x)[k] = sqrtf((*x)[k]);
}

// a where the bits are set, else b.
INLINE void choose(const LaneBits *bits, const Lanes *a, const Lanes *b, Lanes *out)
{
    *out = (Lanes)((*bits & (LaneBits)*a) | (~*bits & (LaneBits)*b));
}

INLINE void larger(const Lanes *a, const Lanes *b, Lanes *out)
{
    LaneBits bits = *a > *b;
    choose(&bits, a, b, out);
}

INLINE double sum_of(const Lanes *x)
{
    double sum = 0;
    for (int k = 0; k < LANES; k++)
        sum += (double)(*x)[k];
    return sum;
}

// r becomes the solution of its contact at the velocities u, theory.md (11.42): inverse has 1/w and
// 1/w_T. Normal alone: r = max(0, r − u/w).
INLINE void solve_lanes(int rows, const Lanes *inverse, const Lanes *mu, const Lanes *u, Lanes *r)
{
    const Lanes zero = {0}, tiny = zero + 1e-30f;
    Lanes normal = r[0] - inverse[0] * u[0], length, longest;
    larger(&normal, &zero, &r[0]);
    if (rows == 1)
        return;
    r[1] -= inverse[1] * u[1];
    r[2] -= inverse[1] * u[2];
    Lanes limit = *mu * r[0], some = limit + tiny;
    length = r[1] * r[1] + r[2] * r[2];
    square_root(&length);
    larger(&length, &some, &longest);
    Lanes scale = limit / longest;
    r[1] *= scale;
    r[2] *= scale;
}

// Solves it, and adds to *square what r has changed by; the change is left in `change`. Changes
// that fade away would end as numbers that are slow to count with.
INLINE void visit_lanes(int rows, const Lanes *inverse, const Lanes *mu, const Lanes *u,
                        float smallest, Lanes *r, Lanes *change, Lanes *square)
{
    Lanes next[3], sum = {0};
    for (int k = 0; k < rows; k++)
        next[k] = r[k];
    solve_lanes(rows, inverse, mu, u, next);
    for (int k = 0; k < rows; k++) {
        next[k] -= r[k];
        sum += next[k] * next[k];
    }
    LaneBits counts = sum > smallest * smallest;
    for (int k = 0; k < rows; k++) {
        change[k] = (Lanes)(counts & (LaneBits)next[k]);
        r[k] += change[k];
    }
    *square += sum;
}

// |r − proj_K(r − ũ)|² of every lane, theory.md (11.10).
INLINE void miss_lanes(const Lanes *friction, const Lanes *r, const Lanes *velocity, Lanes *square)
{
    const Lanes zero = {0}, tiny = zero + 1e-30f, one = zero + 1;
    Lanes mu = *friction, u[3] = {velocity[0], velocity[1], velocity[2]};
    Lanes slip = u[1] * u[1] + u[2] * u[2], x[3], scale, some;
    square_root(&slip);
    u[0] += mu * slip;
    for (int k = 0; k < 3; k++)
        x[k] = r[k] - u[k];
    Lanes length = x[1] * x[1] + x[2] * x[2], normal;
    square_root(&length);
    LaneBits polar = mu * length <= -x[0], inside = length <= mu * x[0];
    Lanes edge = (x[0] + mu * length) / (1 + mu * mu);
    larger(&length, &tiny, &some);
    scale = mu * edge / some;
    choose(&inside, &x[0], &edge, &normal);
    choose(&inside, &one, &scale, &scale);
    // as friction_residual.c does: large forces would hide small velocities
    Lanes miss[3] = {u[0] + (x[0] - normal), u[1] + (x[1] - scale * x[1]),
                     u[2] + (x[2] - scale * x[2])};
    for (int k = 0; k < 3; k++)
        choose(&polar, &r[k], &miss[k], &miss[k]);
    *square = miss[0] * miss[0] + miss[1] * miss[1] + miss[2] * miss[2];
}

// The same of a normal alone: the smaller of w r and u.
INLINE void miss_normal(const Lanes *w, const Lanes *r, const Lanes *u, Lanes *square)
{
    Lanes force = -(*r) * *w, miss = -(*u);
    larger(&force, &miss, &miss);
    *square = miss * miss;
}

#endif
