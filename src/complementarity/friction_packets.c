// friction_packets.c: few digits for many contacts of round bodies, eight contacts at a time.
//
// Problem   as friction_sweeps.c: u = J M⁻¹ Jᵀ r + q with friction cones, from a start that is
//           nearly right, down to some 1e-3, theory.md 11.18
// Method    contacts go into packets of eight that share no body, each into the first open one that
//           has room for it; sweeps over packets (friction_packet_sweep.c) in single precision,
//           mixed as those of friction_sweeps.c. A contact of spheres has W_ii = diag(w, w_T, w_T),
//           and the solution of a lane is exact; others are taken with a diagonal that bounds W_ii:
//           slower, with the same end, theory.md (11.42).
// Assumes   bodies of 6 velocities, contacts only
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "friction_packets.h"
#include "friction_sweeps.h"
#include "sprag/numeric.h"

enum { FIRST_LOOK = 4, MOST_UNSEEN = 16, OPEN_PACKETS = 64 };
// Fewer contacts are not worth the packets.
enum { LEAST_CONTACTS = 32 };
// One in so many may have another W_ii than spheres.
enum { LOOSE_PART = 8 };
// Contacts a packet, at least in the mean.
enum { LEAST_FILLED = 3 };
// Least tolerance for single precision, if impulses are not more than MOST_RATIO times what they
// balance: roundings of 6e-8 of that many.
static const double LEAST_TOLERANCE = 1e-4, MOST_RATIO = 300;
// Of a diagonal entry: an entry beside it that counts as none.
static const double NONE = 1e-9;
// Of what may be missed: a smaller change of an impulse is none.
static const double FLOOR = 1e-7;
// Of a product: what rounding leaves undetermined of the weights.
static const double SMALL = 1e-6;

typedef struct Packing {
    SpragArena *arena;
    const SpragFrictionProblem *problem;
    double unit;             // of q and r in packets
    size_t contacts, rows;   // rows: Lanes of all r
    double *factors;         // 36 a body
    unsigned char *diagonal; // one a body: its factor is
    uint64_t *used;          // one a body: open packets that have it
    int *place;              // one a contact: LANES packet + lane
    int count;               // packets
    PacketField field;
    PacketMixing mixing;
    Lanes *best;
    double best_square, norm_q;
    int loose;
    bool balanced;
} Packing;

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

static void factor_bodies(Packing *p)
{
    for (size_t i = 0; i < p->field.bodies; i++) {
        const double *inverse = p->problem->inverse_inertia + 36 * i;
        double *C = p->factors + 36 * i;
        p->diagonal[i] = is_diagonal(inverse);
        if (!p->diagonal[i])
            sweeps_factor(6, inverse, C);
        for (int k = 0; p->diagonal[i] && k < 6; k++)
            C[7 * k] = sqrt(fmax(0, inverse[7 * k]));
    }
}

// J C of one side of a contact.
static inline void make_rows(const Packing *p, size_t side, int rows, double row[3][6])
{
    int body = p->problem->bodies[side];
    const double *J = p->problem->jacobian + 18 * side;
    const double *C = p->factors + 36 * (size_t)(body < 0 ? 0 : body);
    double length[6];
    for (int k = 0; k < 6; k++)
        length[k] = body < 0 ? 0 : C[7 * k];
    for (int a = 0; a < rows; a++)
        for (int k = 0; k < 6; k++)
            row[a][k] = J[6 * a + k] * length[k];
    if (body < 0 || p->diagonal[body])
        return;
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

// w and w_T of diag(w, w_T, w_T) ≥ W_ii; true: it is W_ii.
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
    return same;
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
            body < 0 ? (int)field->bodies : body;
        for (int a = 0; a < rows; a++)
            for (int k = 0; k < 6; k++)
                packet[6 * (rows * side + a) + k][lane] = (float)row[side][a][k];
    }
    if (rows == 3)
        p->loose += !bound_diagonal(row, w);
    else
        w[0] = sides_product(row, 0, 0);
    for (int k = 0; k < 2; k++)
        packet[PACKET_INVERSE(rows) + k][lane] = w[k] > 0 ? (float)(1 / w[k]) : 0;
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
    size_t rows = p->rows, speeds = p->field.bodies + 1, depth = PACKETS_DEPTH;
    PacketMixing *m = &p->mixing;
    PacketField *field = &p->field;
    Lanes **all[] = {&field->r,    &field->change,    &p->best,         &m->change,
                     &m->end,      &field->velocity,  &m->end_velocity, &m->change_ring,
                     &m->end_ring, &m->velocity_ring, &field->packets};
    const size_t room[] = {rows,
                           rows,
                           rows,
                           rows,
                           rows,
                           speeds,
                           speeds,
                           depth * rows,
                           depth * rows,
                           depth * speeds,
                           field->count * PACKET_SIZE(field->rows)};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (!(*all[k] = allocate_lanes(p, room[k])))
            return false;
    field->body = sprag_arena_alloc(p->arena, 2 * LANES * field->count, sizeof *field->body);
    return field->body != NULL;
}

// Places of all contacts, in p->field.count packets.
static bool prepare(Packing *p)
{
    size_t bodies = p->field.bodies;
    Window *window = sprag_arena_alloc(p->arena, 1, sizeof *window);
    p->factors = sprag_arena_alloc(p->arena, 36 * bodies + 1, sizeof *p->factors);
    p->diagonal = sprag_arena_alloc(p->arena, bodies + 1, 1);
    p->used = sprag_arena_alloc(p->arena, bodies + 1, sizeof *p->used);
    p->place = sprag_arena_alloc(p->arena, p->contacts + 1, sizeof *p->place);
    if (!window || !p->factors || !p->diagonal || !p->used || !p->place)
        return false;
    find_places(p, window);
    p->field.count = (size_t)p->count;
    p->rows = (size_t)p->field.rows * p->field.count;
    return true;
}

// q and r: field.rows a contact.
static bool set_up(Packing *p, const double *q, const double *r)
{
    double square = 0, pushed = 0;
    size_t rows = (size_t)p->field.rows;
    if (!allocate(p))
        return false;
    factor_bodies(p);
    for (size_t k = 0; k < 2 * LANES * p->field.count; k++) // empty lanes belong to no body
        p->field.body[k] = (int)p->field.bodies;
    for (size_t i = 0; i < p->contacts; i++) {
        double w = rows == 3 ? fill_lane(p, i, q, r, 3) : fill_lane(p, i, q, r, 1);
        for (size_t k = rows * i; k < rows * (i + 1); k++) {
            square += q[k] * q[k];
            pushed += w * r[k] * w * r[k];
        }
    }
    p->norm_q = square > 0 ? sqrt(square) : 1;
    p->balanced = sqrt(pushed) <= MOST_RATIO * p->norm_q;
    p->best_square = p->mixing.least = INFINITY;
    return true;
}

// ---- The loop -----------------------------------------------------------------------------------

static bool find_weights(PacketMixing *m, size_t at, int known, const double *fresh,
                         const double *change, double *weights)
{
    double matrix[PACKETS_DEPTH * PACKETS_DEPTH];
    for (int i = 0; i < known; i++)
        m->gram[at][i] = m->gram[i][at] = fresh[i];
    for (int i = 0; i < known; i++)
        for (int j = 0; j < known; j++)
            matrix[i * known + j] = m->gram[i][j] * (i == j ? 1 + SMALL : 1);
    int rows[PACKETS_DEPTH], columns[PACKETS_DEPTH], sign;
    if (sprag_lu_factor(known, matrix, 0, rows, columns, &sign) < known)
        return false;
    sprag_lu_solve(known, matrix, rows, columns, change, weights);
    for (int i = 0; i < known; i++)
        if (!isfinite(weights[i]))
            return false;
    return true;
}

// r and the velocities after a sweep become the mixture to go on from.
static void mix(Packing *p, double square)
{
    PacketMixing *m = &p->mixing;
    double weights[PACKETS_DEPTH] = {0}, fresh[PACKETS_DEPTH], change[PACKETS_DEPTH];
    if (!(square <= m->least)) {
        m->begun = false;
        m->known = 0;
    }
    m->least = square;
    size_t at = (size_t)(m->known % PACKETS_DEPTH);
    packets_keep(&p->field, m, at, fresh, change);
    m->known += m->begun;
    m->begun = true;
    int known = m->known < PACKETS_DEPTH ? m->known : PACKETS_DEPTH;
    if (known > 0 && find_weights(m, at, known, fresh, change, weights))
        packets_subtract(&p->field, m, weights);
}

static double judge(Packing *p)
{
    double square = packets_judge(&p->field);
    if (square < p->best_square) {
        p->best_square = square;
        memcpy(p->best, p->field.r, p->rows * sizeof *p->best);
    }
    return square;
}

// Until the square of the residual is `goal`.
static int run(Packing *p, int limit, double goal)
{
    double ratio = INFINITY; // of the squares of residual and change
    int seen = 0;
    p->field.floor = (float)(FLOOR * sqrt(goal));
    packets_judge(&p->field); // velocities
    for (int k = 1; k <= limit; k++) {
        double square = packets_sweep(&p->field);
        bool close = k > FIRST_LOOK && ratio * square <= goal;
        if (k == FIRST_LOOK || k == limit || k - seen >= MOST_UNSEEN || close) {
            double left = judge(p);
            seen = k;
            ratio = square > 0 ? left / square : 0;
            if (left <= goal || square == 0)
                return k;
        }
        mix(p, square);
    }
    return limit;
}

static void take(const Packing *p, double *r)
{
    size_t rows = (size_t)p->field.rows;
    for (size_t i = 0; p->best_square < INFINITY && i < p->contacts; i++)
        for (size_t a = 0; a < rows; a++)
            r[rows * i + a] =
                p->unit *
                (double)p->best[rows * (size_t)(p->place[i] / LANES) + a][p->place[i] % LANES];
}

bool packets_suit(const SpragFrictionProblem *problem, double tolerance)
{
    if (problem->dimension != 3 || problem->body_size != 6 ||
        problem->contact_count < LEAST_CONTACTS || tolerance < LEAST_TOLERANCE)
        return false;
    for (int i = 0; problem->kinds && i < problem->contact_count; i++)
        if (problem->kinds[i] == SPRAG_FRICTION_BILATERAL)
            return false;
    return true;
}

static Packing begin(SpragFrictionWorkspace *workspace, const SpragFrictionProblem *problem,
                     int rows, double unit)
{
    return (Packing){.unit = unit,
                     .arena = workspace->arena,
                     .problem = problem,
                     .contacts = (size_t)problem->contact_count,
                     .field = {.rows = rows, .bodies = (size_t)problem->body_count}};
}

SpragStatus packets_solve(SpragFrictionWorkspace *workspace, const SpragFrictionProblem *problem,
                          int sweeps, double tolerance, double *r, int *done)
{
    Packing p = begin(workspace, problem, 3, 1);
    *done = 0;
    if (!prepare(&p))
        return SPRAG_ERROR_MEMORY;
    if (p.count * LEAST_FILLED > problem->contact_count)
        return SPRAG_OK;
    if (!set_up(&p, problem->q, r))
        return SPRAG_ERROR_MEMORY;
    if (p.loose * LOOSE_PART > problem->contact_count || !p.balanced)
        return SPRAG_OK;
    double goal = tolerance * p.norm_q;
    *done = run(&p, sweeps, goal * goal);
    take(&p, r);
    return SPRAG_OK;
}

SpragStatus sprag_friction_part(SpragFrictionWorkspace *workspace,
                                const SpragFrictionProblem *problem, const double *gap, int sweeps,
                                double tolerance, double *y, int *done)
{
    *done = 0;
    if (!packets_suit(problem, 1))
        return SPRAG_OK;
    SpragArenaMark mark = sprag_arena_mark(workspace->arena);
    Packing p = begin(workspace, problem, 1, tolerance);
    bool ready = prepare(&p), few = ready && p.count * LEAST_FILLED > problem->contact_count;
    ready = ready && !few && set_up(&p, gap, y);
    if (ready) {
        *done = run(&p, sweeps, 1);
        take(&p, y);
    }
    sprag_arena_release(workspace->arena, mark);
    return ready || few ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}
