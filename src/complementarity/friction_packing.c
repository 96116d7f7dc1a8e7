// friction_packing.c: contacts of a friction problem in packets of eight.
//
// Problem   eight contacts that share no body can be solved at once, one a lane
// Method    each contact goes into the first open packet, of a window of 64, that has room for it.
//           A contact of balls has W_ii = diag(w, w_T, w_T), and the solution of a lane is exact;
//           others are taken with a diagonal that bounds W_ii: slower, with the same end, theory.md
//           (11.42).
// Assumes   bodies of 6 velocities, contacts only
#include <math.h>
#include <string.h>

#include "friction_packets.h"
#include "friction_sweeps.h"

enum { OPEN_PACKETS = 64 };
// Impulses may be so many times what they balance: roundings of single precision are 6e-8 of them.
static const double MOST_RATIO = 300;
// Of a diagonal entry: an entry beside it that counts as none, or as so little that the bound of
// W_ii is as good as exact.
static const double NONE = 1e-9, LITTLE = 0.1;

// ---- Contacts into packets ----------------------------------------------------------------------

// To single precision.
static bool is_diagonal(const double *inverse)
{
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < i; k++)
            if (inverse[6 * i + k] * inverse[6 * i + k] >
                NONE * NONE * inverse[7 * i] * inverse[7 * k])
                return false;
    return true;
}

// Factors of M⁻¹; false: no memory. Those of balls are diagonal, and few numbers.
static bool factor_bodies(Packing *p)
{
    size_t bodies = p->field.bodies;
    for (size_t i = 0; i < bodies; i++) {
        const double *inverse = p->problem->inverse_inertia + 36 * i;
        double *lengths = p->lengths + 6 * i;
        p->diagonal[i] = is_diagonal(inverse);
        p->field.round &= p->diagonal[i] && packing_is_ball(inverse);
        for (int k = 0; p->diagonal[i] && k < 6; k++)
            lengths[k] = sqrt(fmax(0, inverse[7 * k]));
        if (p->diagonal[i])
            continue;
        if (!p->factors)
            p->factors = sprag_arena_alloc(p->arena, 36 * bodies + 1, sizeof *p->factors);
        if (!p->factors)
            return false;
        sweeps_factor(6, inverse, p->factors + 36 * i);
        for (size_t k = 0; k < 6; k++)
            lengths[k] = p->factors[36 * i + 7 * k];
    }
    return true;
}

// J C of one side of a contact.
static inline void make_rows(const Packing *p, size_t side, int rows, double row[3][6])
{
    int body = p->problem->bodies[side];
    const double *J = p->problem->jacobian + 18 * side;
    double length[6] = {0};
    if (body >= 0)
        memcpy(length, p->lengths + 6 * body, sizeof length);
    for (int a = 0; a < rows; a++)
        for (int k = 0; k < 6; k++)
            row[a][k] = J[6 * a + k] * length[k];
    if (body < 0 || p->diagonal[body])
        return;
    const double *C = p->factors + 36 * body;
    for (int a = 0; a < rows; a++)
        for (int k = 0; k < 6; k++)
            for (int e = k + 1; e < 6; e++)
                row[a][k] += J[6 * a + e] * C[6 * e + k];
}

static double sides_product(double row[2][3][6], int a, int b)
{
    double sum = 0;
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 6; k++)
            sum += row[side][a][k] * row[side][b][k];
    return sum;
}

// w and w_T of diag(w, w_T, w_T) ≥ W_ii; true: it is close to W_ii.
static bool bound_diagonal(double row[2][3][6], double *w)
{
    double normal = sides_product(row, 0, 0), first = sides_product(row, 1, 1);
    double second = sides_product(row, 2, 2), cross = sides_product(row, 1, 2);
    double c1 = sides_product(row, 0, 1), c2 = sides_product(row, 0, 2);
    double couple = sqrt(c1 * c1 + c2 * c2), half = 0.5 * (first - second);
    double spread = sqrt(half * half + cross * cross);
    bool same = couple <= NONE * (normal + first) && spread <= NONE * first;
    w[0] = normal + (same ? 0 : couple);
    w[1] = 0.5 * (first + second) + (same ? 0 : spread + couple);
    return couple <= LITTLE * normal && spread + couple <= LITTLE * first;
}

// Contact i, of the velocities q and with the impulses r of the start; returns w of its normal.
static inline double fill_lane(Packing *p, size_t i, const double *q, const double *r, int rows)
{
    PacketField *field = &p->field;
    int lane = p->place[i] % LANES;
    size_t number = (size_t)(p->place[i] / LANES);
    Lanes *packet = field->packets + number * PACKET_SIZE(rows);
    double row[2][3][6], w[2] = {0};
    for (int side = 0; side < 2; side++) {
        int body = p->problem->bodies[2 * i + (size_t)side];
        make_rows(p, 2 * i + (size_t)side, rows, row[side]);
        field->body[(2 * number + (size_t)side) * LANES + (size_t)lane] =
            body_offset(field, body, (2 * number + (size_t)side) * LANES + (size_t)lane);
        for (int a = 0; a < rows; a++)
            for (int k = 0; k < 6; k++)
                packet[6 * (rows * side + a) + k][lane] = (float)row[side][a][k];
    }
    if (rows == 3)
        p->loose += !bound_diagonal(row, w);
    else
        w[0] = sides_product(row, 0, 0);
    for (int k = 0; k < 2; k++)
        packet[PACKET_INVERSE(rows) + k][lane] = w[k] > 0 ? (float)(p->ease[k] / w[k]) : 0;
    if (rows == 1)
        packet[PACKET_INVERSE(1) + 1][lane] = (float)w[0];
    for (int a = 0; a < rows; a++) {
        size_t at = (size_t)rows * i + (size_t)a;
        packet[PACKET_Q(rows) + a][lane] = (float)(q[at] / p->unit);
        field->r[(size_t)rows * number + (size_t)a][lane] = (float)(r[at] / p->unit);
    }
    packet[PACKET_FRICTION(rows)][lane] = rows == 3 ? (float)p->problem->friction[i] : 0;
    return w[0];
}

// Packets that still take contacts, one a bit.
typedef struct Window {
    uint64_t open;
    int packet[OPEN_PACKETS], filled[OPEN_PACKETS];
    int body[OPEN_PACKETS][2 * LANES];
} Window;

// An empty packet at a free place of the window, or in the place of another that is not full.
static int open_packet(Packing *p, Window *window)
{
    int bit = ~window->open ? __builtin_ctzll(~window->open) : p->count % OPEN_PACKETS;
    for (int k = 0; k < 2 * window->filled[bit]; k++)
        if (window->body[bit][k] >= 0)
            p->used[window->body[bit][k]] &= ~((uint64_t)1 << bit);
    window->packet[bit] = p->count++;
    window->filled[bit] = 0;
    window->open |= (uint64_t)1 << bit;
    return bit;
}

static void find_places(Packing *p, Window *window)
{
    memset(window, 0, sizeof *window);
    for (size_t i = 0; i < p->contacts; i++) {
        const int *body = p->problem->bodies + 2 * i;
        uint64_t taken = 0;
        for (int side = 0; side < 2; side++)
            taken |= body[side] < 0 ? 0 : p->used[body[side]];
        uint64_t fit = window->open & ~taken;
        int bit = fit ? __builtin_ctzll(fit) : open_packet(p, window);
        int lane = window->filled[bit]++;
        p->place[i] = LANES * window->packet[bit] + lane;
        for (int side = 0; side < 2; side++) {
            window->body[bit][2 * lane + side] = body[side];
            if (body[side] >= 0)
                p->used[body[side]] |= (uint64_t)1 << bit;
        }
        if (window->filled[bit] == LANES)
            window->open &= ~((uint64_t)1 << bit);
    }
}

// ---- Set up -------------------------------------------------------------------------------------

// The arena knows of no vectors.
static Lanes *allocate_lanes(Packing *p, size_t count)
{
    char *memory = sprag_arena_alloc(p->arena, (count + 1) * sizeof(Lanes), 1);
    size_t off = (uintptr_t)memory % sizeof(Lanes);
    return memory ? (Lanes *)(void *)(memory + (off ? sizeof(Lanes) - off : 0)) : NULL;
}

static bool allocate(Packing *p)
{
    size_t rows = p->rows, speeds = p->field.bodies + NOBODIES, depth = PACKETS_DEPTH;
    PacketMixing *m = &p->mixing;
    PacketField *field = &p->field;
    Lanes **all[] = {&p->best, &m->ends, &m->velocities, &m->changes, &m->ring, &field->packets};
    const size_t room[] = {rows,     (depth + 1) * rows, (depth + 1) * speeds,
                           2 * rows, depth * rows,       field->count * PACKET_SIZE(field->rows)};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (!(*all[k] = allocate_lanes(p, room[k])))
            return false;
    field->r = m->ends;
    field->velocity = m->velocities;
    field->change = m->changes;
    field->body = sprag_arena_alloc(p->arena, 2 * LANES * field->count, sizeof *field->body);
    return field->body != NULL;
}

// The places of the last problem, if it had these contacts.
static bool take_known(Packing *p)
{
    const PackedPlaces *known = p->known;
    if (!known || known->contacts != p->contacts ||
        memcmp(known->bodies, p->problem->bodies, 2 * p->contacts * sizeof(int)) != 0)
        return false;
    memcpy(p->place, known->place, p->contacts * sizeof(int));
    p->count = known->count;
    p->field.paired = known->paired;
    return true;
}

static bool keep_known(Packing *p)
{
    PackedPlaces *known = p->known;
    SpragContext *context = sprag_arena_context(p->arena);
    if (!known)
        return true;
    known->contacts = 0;
    if (sprag_reserve(context, &known->bodies, &known->body_capacity, 2 * p->contacts + 1,
                      sizeof(int)) != SPRAG_OK ||
        sprag_reserve(context, &known->place, &known->place_capacity, p->contacts + 1,
                      sizeof(int)) != SPRAG_OK)
        return false;
    memcpy(known->bodies, p->problem->bodies, 2 * p->contacts * sizeof(int));
    memcpy(known->place, p->place, p->contacts * sizeof(int));
    known->contacts = p->contacts;
    known->count = p->count;
    known->paired = p->field.paired;
    return true;
}

static bool place_all(Packing *p)
{
    Window *window = sprag_arena_alloc(p->arena, 1, sizeof *window);
    p->used = sprag_arena_alloc(p->arena, p->field.bodies + 1, sizeof *p->used);
    if (!window || !p->used)
        return false;
    find_places(p, window);
    return packing_pair(p) && keep_known(p);
}

bool packing_prepare(Packing *p)
{
    size_t bodies = p->field.bodies;
    p->lengths = sprag_arena_alloc(p->arena, 6 * bodies + 1, sizeof *p->lengths);
    p->diagonal = sprag_arena_alloc(p->arena, bodies + 1, 1);
    p->place = sprag_arena_alloc(p->arena, p->contacts + 1, sizeof *p->place);
    if (!p->lengths || !p->diagonal || !p->place)
        return false;
    if (!take_known(p) && !place_all(p))
        return false;
    p->field.count = (size_t)p->count;
    p->rows = (size_t)p->field.rows * p->field.count;
    return true;
}

// Contact i; w of its normal. False: it is none of balls, and the others were taken as such.
static bool fill_contact(Packing *p, size_t i, const double *q, const double *r, double *w)
{
    if (p->field.round)
        return packing_fill_round(p, i, q, r, w);
    *w = p->field.rows == 3 ? fill_lane(p, i, q, r, 3) : fill_lane(p, i, q, r, 1);
    return true;
}

static bool fill_all(Packing *p, const double *q, const double *r)
{
    double square = 0, pushed = 0, w;
    size_t rows = (size_t)p->field.rows;
    for (size_t i = 0; i < p->contacts; i++) {
        if (!fill_contact(p, i, q, r, &w))
            return false;
        for (size_t k = rows * i; k < rows * (i + 1); k++) {
            square += q[k] * q[k];
            pushed += w * r[k] * w * r[k];
        }
    }
    p->norm_q = square > 0 ? sqrt(square) : 1;
    p->balanced = sqrt(pushed) <= MOST_RATIO * p->norm_q;
    return true;
}

bool packing_set_up(Packing *p, const double *q, const double *r)
{
    size_t size = PACKET_SIZE(p->field.rows); // a round one is smaller
    if (!allocate(p))
        return false;
    p->field.round = true;
    if (!factor_bodies(p))
        return false;
    for (size_t k = 0; k < 2 * LANES * p->field.count; k++) // empty lanes belong to no body
        p->field.body[k] = body_offset(&p->field, -1, k);
    if (!fill_all(p, q, r)) {
        p->field.round = false;
        memset(p->field.packets, 0, p->field.count * size * sizeof *p->field.packets);
        fill_all(p, q, r);
    }
    p->best_square = p->mixing.least = INFINITY;
    return true;
}
