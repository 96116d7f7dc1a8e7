// friction_packet_sweep.c: the inner loops of sweeps over packets of eight contacts.
//
// Problem   contact after contact solved, and the change of its impulse given to its bodies at
//           once; eight contacts that share no body are as good as one after the other
// Method    one lane a contact. With W_ii taken as diag(w, w_T, w_T) the solution of a contact is
//           r_N = max(0, r_N − u_N/w), r_T = r_T − u_T/w_T shortened to μ r_N: nothing to choose,
//           theory.md (11.42)
// Bytes     the same operations in the same order with and without AVX2; nothing is contracted
#include <math.h>
#include <string.h>

#include "friction_packets.h"

#define INLINE static inline __attribute__((always_inline))

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

// Velocities of the bodies of a side: v[k] has number k of all of them.
INLINE void gather(const Lanes *velocity, const int *body, Lanes *v)
{
    for (int k = 0; k < LANES; k++)
        v[k] = velocity[body[k]];
    transpose(v);
}

INLINE void scatter(Lanes *velocity, const int *body, Lanes *v)
{
    transpose(v);
    for (int k = 0; k < LANES; k++)
        velocity[body[k]] = v[k];
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

// Numbers of a packet with `rows` rows a contact, as friction_packets.h lays them out.
INLINE const Lanes *row_of(const Lanes *packet, int rows, int side, int row)
{
    return packet + (side * rows + row) * PACKET_SPEEDS;
}

INLINE void read_rows(const Lanes *packet, int rows, const Lanes *a, const Lanes *b, Lanes *u)
{
    for (int i = 0; i < rows; i++) {
        const Lanes *first = row_of(packet, rows, 0, i), *second = row_of(packet, rows, 1, i);
        Lanes one = first[0] * a[0], two = second[0] * b[0];
        for (int k = 1; k < PACKET_SPEEDS; k++) {
            one += first[k] * a[k];
            two += second[k] * b[k];
        }
        u[i] = packet[PACKET_Q(rows) + i] + (one + two);
    }
}

INLINE void push_rows(const Lanes *packet, int rows, const Lanes *change, Lanes *a, Lanes *b)
{
    for (int k = 0; k < PACKET_SPEEDS; k++) {
        Lanes one = row_of(packet, rows, 0, 0)[k] * change[0];
        Lanes two = row_of(packet, rows, 1, 0)[k] * change[0];
        for (int i = 1; i < rows; i++) {
            one += row_of(packet, rows, 0, i)[k] * change[i];
            two += row_of(packet, rows, 1, i)[k] * change[i];
        }
        a[k] += one;
        b[k] += two;
    }
}

// r becomes the solution of its contact, theory.md (11.42); normal alone: r = max(0, r − u/w).
INLINE void solve(const Lanes *packet, int rows, const Lanes *u, Lanes *r)
{
    const Lanes zero = {0}, tiny = zero + 1e-30f, *inverse = packet + PACKET_INVERSE(rows);
    Lanes normal = r[0] - inverse[0] * u[0], length, longest;
    larger(&normal, &zero, &r[0]);
    if (rows == 1)
        return;
    r[1] -= inverse[1] * u[1];
    r[2] -= inverse[1] * u[2];
    Lanes limit = packet[PACKET_FRICTION(rows)] * r[0];
    length = r[1] * r[1] + r[2] * r[2];
    square_root(&length);
    larger(&length, &limit, &longest);
    larger(&longest, &tiny, &longest);
    Lanes scale = limit / longest;
    r[1] *= scale;
    r[2] *= scale;
}

INLINE double sum_of(const Lanes *x)
{
    double sum = 0;
    for (int k = 0; k < LANES; k++)
        sum += (double)(*x)[k];
    return sum;
}

INLINE double sweep_sized(const PacketField *field, int rows)
{
    double square = 0;
    for (size_t i = 0; i < field->count; i++) {
        const Lanes *packet = field->packets + i * PACKET_SIZE(rows);
        const int *body = field->body + 2 * LANES * i;
        Lanes a[LANES], b[LANES], u[3], next[3], *r = field->r + (size_t)rows * i;
        Lanes *change = field->change + (size_t)rows * i, sum = {0};
        gather(field->velocity, body, a);
        gather(field->velocity, body + LANES, b);
        read_rows(packet, rows, a, b, u);
        memcpy(next, r, (size_t)rows * sizeof *r);
        solve(packet, rows, u, next);
        for (int k = 0; k < rows; k++) {
            next[k] -= r[k];
            sum += next[k] * next[k];
        }
        // changes that fade away would end as numbers that are slow to count with
        LaneBits counts = sum > field->floor * field->floor;
        for (int k = 0; k < rows; k++) {
            change[k] = (Lanes)(counts & (LaneBits)next[k]);
            r[k] += change[k];
        }
        push_rows(packet, rows, change, a, b);
        scatter(field->velocity, body, a);
        scatter(field->velocity, body + LANES, b);
        square += sum_of(&sum);
    }
    return square;
}

INLINE double sweep_lanes(const PacketField *field)
{
    return field->rows == 3 ? sweep_sized(field, 3) : sweep_sized(field, 1);
}

// ---- Residual -----------------------------------------------------------------------------------

INLINE void find_velocity(const PacketField *field, int rows)
{
    memset(field->velocity, 0, (field->bodies + 1) * sizeof *field->velocity);
    for (size_t i = 0; i < field->count; i++) {
        const int *body = field->body + 2 * LANES * i;
        Lanes a[LANES], b[LANES];
        gather(field->velocity, body, a);
        gather(field->velocity, body + LANES, b);
        push_rows(field->packets + i * PACKET_SIZE(rows), rows, field->r + (size_t)rows * i, a, b);
        scatter(field->velocity, body, a);
        scatter(field->velocity, body + LANES, b);
    }
}

// |r − proj_K(r − ũ)|² of every lane, theory.md (11.10).
INLINE void miss_of(const Lanes *packet, const Lanes *r, Lanes *u, Lanes *square)
{
    const Lanes zero = {0}, tiny = zero + 1e-30f, one = zero + 1;
    Lanes mu = packet[PACKET_FRICTION(3)], slip = u[1] * u[1] + u[2] * u[2], x[3], scale, some;
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

// The same of a normal alone: the smaller of r and u, in the units of u.
INLINE void miss_normal(const Lanes *packet, const Lanes *r, const Lanes *u, Lanes *square)
{
    Lanes force = -(*r) * packet[PACKET_INVERSE(1) + 1], miss = -(*u);
    larger(&force, &miss, &miss);
    *square = miss * miss;
}

INLINE double judge_sized(const PacketField *field, int rows)
{
    double sum = 0;
    find_velocity(field, rows);
    for (size_t i = 0; i < field->count; i++) {
        const Lanes *packet = field->packets + i * PACKET_SIZE(rows);
        const int *body = field->body + 2 * LANES * i;
        Lanes a[LANES], b[LANES], u[3], square;
        gather(field->velocity, body, a);
        gather(field->velocity, body + LANES, b);
        read_rows(packet, rows, a, b, u);
        if (rows == 3)
            miss_of(packet, field->r + 3 * i, u, &square);
        else
            miss_normal(packet, field->r + i, u, &square);
        sum += sum_of(&square);
    }
    return sum;
}

INLINE double judge_lanes(const PacketField *field)
{
    return field->rows == 3 ? judge_sized(field, 3) : judge_sized(field, 1);
}

// ---- Mixing -------------------------------------------------------------------------------------

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

#if defined(__x86_64__) && !defined(PACKETS_PLAIN)
#define WIDE __attribute__((target("avx2")))
WIDE static double sweep_wide(const PacketField *field)
{
    return sweep_lanes(field);
}
WIDE static double judge_wide(const PacketField *field)
{
    return judge_lanes(field);
}
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
#define CHOOSE(name, ...)                                                                          \
    (__builtin_cpu_supports("avx2") ? name##_wide(__VA_ARGS__) : name##_lanes(__VA_ARGS__))
#else
#define CHOOSE(name, ...) name##_lanes(__VA_ARGS__)
#endif

double packets_sweep(const PacketField *field)
{
    return CHOOSE(sweep, field);
}

double packets_judge(const PacketField *field)
{
    return CHOOSE(judge, field);
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
