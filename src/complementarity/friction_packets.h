// friction_packets.h: sweeps over eight contacts at a time, in single precision (private).
#ifndef SPRAG_COMPLEMENTARITY_FRICTION_PACKETS_H
#define SPRAG_COMPLEMENTARITY_FRICTION_PACKETS_H

#include <stdint.h>

#include "friction_internal.h"
#include "friction_lanes.h"

enum { PACKET_SPEEDS = 6, PACKETS_DEPTH = 3, NOBODIES = 4 * LANES };

// What is built twice, with AVX2 and without; the machine says which one runs.
#if defined(__x86_64__) && !defined(PACKETS_PLAIN)
#define WIDE __attribute__((target("avx2")))
#define CHOOSE(name, ...)                                                                          \
    (__builtin_cpu_supports("avx2") ? name##_wide(__VA_ARGS__) : name##_lanes(__VA_ARGS__))
#else
#define WIDE __attribute__((unused))
#define CHOOSE(name, ...) name##_lanes(__VA_ARGS__)
#endif

// A packet: eight contacts of which no two share a body, with `rows` rows each (3, or the normal
// alone). Its numbers: rows of J C of the first body, of the second, q, 1/w of the normal and of
// the tangents (of a normal alone: w), mu.
#define PACKET_Q(rows) (2 * (rows)*PACKET_SPEEDS)
#define PACKET_INVERSE(rows) (PACKET_Q(rows) + (rows))
#define PACKET_FRICTION(rows) (PACKET_INVERSE(rows) + 2)
#define PACKET_SIZE(rows) ((size_t)PACKET_FRICTION(rows) + 1)

// A round packet: contacts of balls alone, theory.md (11.43). Its numbers: n, t1, t2 (or n alone),
// q, 1/w and 1/w_T (of a normal alone: w), mu (not of a normal alone). Then l and k of each
// contact, with the signs that they have in d and e: (l l l 0 k k k 0) of the first body of each,
// of the second; of a normal alone (l l l 0) of contacts 0 and 4, 1 and 5 …
#define ROUND_Q(rows) (3 * (rows))
#define ROUND_INVERSE(rows) (ROUND_Q(rows) + (rows))
#define ROUND_FRICTION (ROUND_INVERSE(3) + 2)
#define ROUND_SCALE(rows) ((rows) == 3 ? ROUND_FRICTION + 1 : ROUND_INVERSE(1) + 2)
#define ROUND_SIZE(rows) ((size_t)ROUND_SCALE(rows) + ((rows) == 3 ? 2 * LANES : LANES))

// What a sweep, or a look at the residual, works on.
typedef struct PacketField {
    int rows;
    bool round;  // packets are
    float floor; // smaller changes of r are none
    size_t count, bodies;
    size_t paired; // the first ones: packets 0 and 1, 2 and 3 … share no body
    Lanes *packets;
    int *body;       // 2 LANES a packet: body_offset of first bodies, second ones
    Lanes *r;        // `rows` a packet
    Lanes *change;   // likewise: of r in the last sweep
    Lanes *velocity; // one a body, and NOBODIES more: (J C)ᵀ r, and two zeros; round: V, 0, Ω, 0
} PacketField;

// Where a body is, or none (< 0), in place `at` of PacketField.body. Lanes without a body write
// zeros: into the same place as those before, one would wait for the other.
static inline int body_offset(const PacketField *field, int body, size_t at)
{
    return BODY_OFFSET * (body < 0 ? (int)(field->bodies + at % NOBODIES) : body);
}

// What the last sweeps have left, theory.md (11.32). The field works in one place of `ends` and
// `velocities` and in one of the two `changes`, so that nothing has to be copied.
typedef struct PacketMixing {
    int known;         // differences since the mixing began anew
    bool begun;        // there was a sweep since then
    size_t first;      // place of the end of that first sweep
    size_t place;      // of the present one
    double least;      // square of the change of the last sweep
    Lanes *ends;       // PACKETS_DEPTH + 1: r after sweeps
    Lanes *velocities; // likewise
    Lanes *changes;    // 2, in turn
    Lanes *ring;       // PACKETS_DEPTH: differences of changes
    double gram[MIXING_DEPTH][MIXING_DEPTH];
} PacketMixing;

// One sweep; returns the square of the change of r.
double packets_sweep(const PacketField *field);
// velocity = (J C)ᵀ r afresh; returns the square of |r − proj_K(r − ũ)|.
double packets_judge(const PacketField *field);
// The difference of field->change to the change `before` goes to place `at` of the ring. Products
// (PACKETS_DEPTH) of that, and of the change, with those in the ring.
void packets_keep(const PacketField *field, const Lanes *before, Lanes *ring, size_t at,
                  double *products);
// The mixture of ends and velocities with these parts (PACKETS_DEPTH + 1, in sum 1) takes the place
// `to`.
void packets_blend(const PacketField *field, const PacketMixing *mixing, const double *parts,
                   size_t to);

// A problem in packets.
typedef struct Packing {
    SpragArena *arena;
    PackedPlaces *known; // NULL: places are not kept
    const SpragFrictionProblem *problem;
    double unit;             // of q and r in packets
    double ease[2];          // share of a visit's change of normal and tangents, before cones
    size_t contacts, rows;   // rows: Lanes of all r
    double *lengths;         // 6 a body: the diagonal of its factor
    double *factors;         // 36 a body; NULL: all are diagonal
    unsigned char *diagonal; // one a body: its factor is
    uint64_t *used;          // one a body: open packets that have it
    int *place;              // one a contact: LANES packet + lane
    int count;               // packets
    PacketField field;
    PacketMixing mixing;
    Lanes *best;
    double best_square, start_square, norm_q; // squares of residuals
    int loose;
    bool balanced;
} Packing;

// Places of all contacts, in p->field.count packets; false: no memory.
bool packing_prepare(Packing *p);
// friction_pairing.c: packets in another order, those that share no body in pairs; false: no
// memory.
bool packing_pair(Packing *p);
// Rows, q and r (field.rows a contact) in their places; false: no memory.
bool packing_set_up(Packing *p, const double *q, const double *r);

// friction_round_packing.c
// Whether a diagonal M⁻¹ is that of a ball.
bool packing_is_ball(const double *inverse);
// Contact i of balls in its place; w of its normal. False: it is none of balls.
bool packing_fill_round(Packing *p, size_t i, const double *q, const double *r, double *w);

// Whether a problem is one for packets: bodies in space, contacts only, most of them with a W_ii
// that is a multiple of one in the tangents, and few digits.
bool packets_suit(const SpragFrictionProblem *problem, double tolerance);
// As sprag_friction_sweep, of whose info *done (iterations) and *start are set; *done < 0: the
// problem turned out to be none for packets. ease (2; NULL: 1, 1): as in Packing. end (NULL: nobody
// asks) receives r as it was left, r the best.
SPRAG_MUST_USE SpragStatus packets_solve(SpragFrictionWorkspace *workspace,
                                         const SpragFrictionProblem *problem, const double *ease,
                                         int sweeps, double tolerance, double *r, double *end,
                                         int *done, double *start);

#endif
