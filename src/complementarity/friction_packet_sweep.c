// friction_packet_sweep.c: the inner loops of sweeps over packets of eight contacts.
//
// Problem   contact after contact solved, and the change of its impulse given to its bodies at
//           once; eight contacts that share no body are as good as one after the other
// Method    one lane a contact. With W_ii taken as diag(w, w_T, w_T) the solution of a contact is
//           r_N = max(0, r_N − u_N/w), r_T = r_T − u_T/w_T shortened to μ r_N: nothing to choose,
//           theory.md (11.42)
// Bytes     the same operations in the same order with and without AVX2; nothing is contracted
#include <string.h>

#include "friction_packets.h"
#include "friction_round.h"

// Velocities of the bodies of a side: v[k] has number k of all of them.
INLINE void gather(Lanes *velocity, const int *body, Lanes *v)
{
    for (int k = 0; k < LANES; k++)
        v[k] = *speeds_at(velocity, body[k]);
    transpose(v);
}

INLINE void scatter(Lanes *velocity, const int *body, Lanes *v)
{
    transpose(v);
    for (int k = 0; k < LANES; k++)
        *speeds_at(velocity, body[k]) = v[k];
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

INLINE void sweep_packet(const PacketField *field, size_t i, int rows, Lanes *square)
{
    const Lanes *packet = field->packets + i * PACKET_SIZE(rows);
    const int *body = field->body + 2 * LANES * i;
    Lanes a[LANES], b[LANES], u[3], *change = field->change + (size_t)rows * i;
    gather(field->velocity, body, a);
    gather(field->velocity, body + LANES, b);
    read_rows(packet, rows, a, b, u);
    visit_lanes(rows, packet + PACKET_INVERSE(rows), packet + PACKET_FRICTION(rows), u,
                field->floor, field->r + (size_t)rows * i, change, square);
    push_rows(packet, rows, change, a, b);
    scatter(field->velocity, body, a);
    scatter(field->velocity, body + LANES, b);
}

INLINE void sweep_together(const PacketField *field, size_t i, size_t many, int rows, Lanes *square)
{
    if (rows == 3)
        sweep_round(field, i, many, square);
    else
        sweep_normal(field, i, many, square);
}

// A sum of lanes, BLOCK (even) of them before it is one of doubles.
enum { BLOCK = 16 };

INLINE double sweep_sized(const PacketField *field, int rows, bool round)
{
    double total = 0;
    for (size_t first = 0; first < field->count; first += BLOCK) {
        size_t end = first + BLOCK < field->count ? first + BLOCK : field->count;
        Lanes square = {0};
        for (size_t i = first; i < end;) {
            bool pair = round && i < field->paired; // and i is even
            if (!round)
                sweep_packet(field, i, rows, &square);
            else if (pair)
                sweep_together(field, i, 2, rows, &square);
            else
                sweep_together(field, i, 1, rows, &square);
            i += pair ? 2 : 1;
        }
        total += sum_of(&square);
    }
    return total;
}

INLINE double sweep_lanes(const PacketField *field)
{
    if (field->round)
        return field->rows == 3 ? sweep_sized(field, 3, true) : sweep_sized(field, 1, true);
    return field->rows == 3 ? sweep_sized(field, 3, false) : sweep_sized(field, 1, false);
}

// ---- Residual -----------------------------------------------------------------------------------

INLINE void push_all(const PacketField *field, int rows)
{
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

INLINE void judge_packet(const PacketField *field, size_t i, int rows, Lanes *square)
{
    const Lanes *packet = field->packets + i * PACKET_SIZE(rows);
    const int *body = field->body + 2 * LANES * i;
    Lanes a[LANES], b[LANES], u[3];
    gather(field->velocity, body, a);
    gather(field->velocity, body + LANES, b);
    read_rows(packet, rows, a, b, u);
    if (rows == 3)
        miss_lanes(packet + PACKET_FRICTION(3), field->r + 3 * i, u, square);
    else
        miss_normal(packet + PACKET_INVERSE(1) + 1, field->r + i, u, square);
}

INLINE double judge_lanes(const PacketField *field)
{
    double sum = 0;
    memset(field->velocity, 0, (field->bodies + NOBODIES) * sizeof *field->velocity);
    if (field->round)
        push_all_round(field);
    else if (field->rows == 3)
        push_all(field, 3);
    else
        push_all(field, 1);
    for (size_t i = 0; i < field->count; i++) {
        Lanes square;
        if (field->round)
            judge_round(field, i, &square);
        else if (field->rows == 3)
            judge_packet(field, i, 3, &square);
        else
            judge_packet(field, i, 1, &square);
        sum += sum_of(&square);
    }
    return sum;
}

// ---- With and without AVX2 ----------------------------------------------------------------------

WIDE static double sweep_wide(const PacketField *field)
{
    return sweep_lanes(field);
}

WIDE static double judge_wide(const PacketField *field)
{
    return judge_lanes(field);
}

double packets_sweep(const PacketField *field)
{
    return CHOOSE(sweep, field);
}

double packets_judge(const PacketField *field)
{
    return CHOOSE(judge, field);
}
