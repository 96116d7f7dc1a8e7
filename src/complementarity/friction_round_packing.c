// friction_round_packing.c: contacts of balls in round packets.
//
// Problem   of balls the rows of a contact are a frame, and a number l for the centre and k for the
//           spin of each body, theory.md (11.43): half of the numbers, and less to do with them
// Method    rows are compared with what those of balls would be; one that differs by more than what
//           single precision sees, and the problem is not for round packets
// Assumes   bodies of 6 velocities
#include <math.h>
#include <string.h>

#include "friction_packets.h"

// Of a length: what single precision does not see.
static const double NONE = 1e-9;

static bool is_near(double a, double b, double size)
{
    return fabs(a - b) <= NONE * size;
}

bool packing_is_ball(const double *inverse)
{
    return is_near(inverse[0], inverse[7], inverse[0]) &&
           is_near(inverse[0], inverse[14], inverse[0]) &&
           is_near(inverse[21], inverse[28], inverse[21]) &&
           is_near(inverse[21], inverse[35], inverse[21]);
}

// Rows of a contact of balls.
typedef struct RoundRows {
    double frame[9];   // n, t1, t2
    double l[2], k[2]; // of both bodies
} RoundRows;

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// |a − factor b|².
static inline double miss(const double *a, const double *b, double factor)
{
    double x = a[0] - factor * b[0], y = a[1] - factor * b[1], z = a[2] - factor * b[2];
    return x * x + y * y + z * z;
}

static inline bool is_frame(const double *frame, int rows)
{
    double off = 0;
    for (int a = 0; a < rows; a++)
        for (int b = 0; b <= a; b++) {
            double product = dot(frame + 3 * a, frame + 3 * b) - (a == b);
            off += product * product;
        }
    return off <= NONE * NONE;
}

// Centre and spin of one side, with the diagonal of its factor; false: it is not of a ball.
static inline bool read_side(const double *J, int rows, const double *lengths, double sign,
                             RoundRows *round, int side)
{
    const double *t1 = round->frame + 3, *t2 = round->frame + 6;
    double arm = rows == 3 ? dot(J + 9, t2) : 0, l = lengths[0], k = lengths[3], lines = 0;
    round->l[side] = sign * l;
    round->k[side] = arm * k;
    for (int a = 0; a < rows; a++)
        lines += miss(J + 6 * a, round->frame + 3 * a, sign);
    bool ball = lines <= NONE * NONE && k * k * dot(J + 3, J + 3) <= NONE * NONE * l * l;
    if (rows == 1)
        return ball;
    double arms = miss(J + 9, t2, arm) + miss(J + 15, t1, -arm);
    return ball && arms <= NONE * NONE * arm * arm;
}

static inline bool read_contact(const Packing *p, size_t i, int rows, RoundRows *round)
{
    const int *body = p->problem->bodies + 2 * i;
    const double *J = p->problem->jacobian + 36 * i;
    int known = body[0] >= 0 ? 0 : 1;
    for (int a = 0; a < rows; a++)
        for (int e = 0; e < 3; e++)
            round->frame[3 * a + e] = (known == 0 ? 1 : -1) * J[18 * known + 6 * a + e];
    if (!is_frame(round->frame, rows))
        return false;
    for (int side = 0; side < 2; side++) {
        round->l[side] = round->k[side] = 0;
        if (body[side] >= 0 && !read_side(J + 18 * side, rows, p->lengths + 6 * body[side],
                                          side == 0 ? 1 : -1, round, side))
            return false;
    }
    return true;
}

static inline void put_scales(Lanes *scale, int lane, int rows, const RoundRows *round)
{
    for (int side = 0; side < 2; side++) {
        float l = (float)round->l[side], k = (float)round->k[side];
        if (rows == 3) {
            scale[LANES * side + lane] = (Lanes){l, l, l, 0, k, k, k, 0};
            continue;
        }
        for (int e = 0; e < 3; e++)
            scale[4 * side + lane % 4][4 * (lane / 4) + e] = l;
    }
}

static inline bool fill_lane(Packing *p, size_t i, const double *q, const double *r, int rows,
                             double *w)
{
    PacketField *field = &p->field;
    int lane = p->place[i] % LANES;
    size_t number = (size_t)(p->place[i] / LANES);
    Lanes *packet = field->packets + number * ROUND_SIZE(rows);
    RoundRows round;
    if (!read_contact(p, i, rows, &round))
        return false;
    for (int side = 0; side < 2; side++) {
        int body = p->problem->bodies[2 * i + (size_t)side];
        field->body[(2 * number + (size_t)side) * LANES + (size_t)lane] =
            body_offset(field, body, (2 * number + (size_t)side) * LANES + (size_t)lane);
    }
    for (int k = 0; k < 3 * rows; k++)
        packet[k][lane] = (float)round.frame[k];
    double normal = round.l[0] * round.l[0] + round.l[1] * round.l[1];
    double tangent = normal + (round.k[0] * round.k[0] + round.k[1] * round.k[1]);
    packet[ROUND_INVERSE(rows)][lane] = normal > 0 ? (float)(p->ease[0] / normal) : 0;
    if (rows == 3)
        packet[ROUND_FRICTION][lane] = (float)p->problem->friction[i];
    packet[ROUND_INVERSE(rows) + 1][lane] = rows == 1     ? (float)normal
                                            : tangent > 0 ? (float)(p->ease[1] / tangent)
                                                          : 0;
    put_scales(packet + ROUND_SCALE(rows), lane, rows, &round);
    double scale = 1 / p->unit;
    for (int a = 0; a < rows; a++) {
        size_t at = (size_t)rows * i + (size_t)a;
        packet[ROUND_Q(rows) + a][lane] = (float)(q[at] * scale);
        field->r[(size_t)rows * number + (size_t)a][lane] = (float)(r[at] * scale);
    }
    *w = normal;
    return true;
}

// Rows as a constant: the compiler unrolls the loops.
bool packing_fill_round(Packing *p, size_t i, const double *q, const double *r, double *w)
{
    return p->field.rows == 3 ? fill_lane(p, i, q, r, 3, w) : fill_lane(p, i, q, r, 1, w);
}
