// friction_packets.c: few digits for many contacts of round bodies, eight contacts at a time.
//
// Problem   as friction_sweeps.c: u = J M⁻¹ Jᵀ r + q with friction cones, from a start that is
//           nearly right, down to some 1e-3, theory.md 11.18
// Method    contacts in packets of eight (friction_packing.c); sweeps over them
//           (friction_packet_sweep.c) in single precision, mixed as those of friction_sweeps.c
// Assumes   bodies of 6 velocities, contacts only
#include <math.h>
#include <string.h>

#include "friction_packets.h"
#include "sprag/numeric.h"

enum { FIRST_LOOK = 4, MOST_UNSEEN = 16 };
// Fewer contacts are not worth the packets.
enum { LEAST_CONTACTS = 32 };
// One in so many may have another W_ii than spheres.
enum { LOOSE_PART = 8 };
// Contacts a packet, at least in the mean.
enum { LEAST_FILLED = 3 };
// Least tolerance for single precision.
static const double LEAST_TOLERANCE = 1e-4;
// Of what may be missed: a smaller change of an impulse is none.
static const double FLOOR = 1e-7;
// Of a product: what rounding leaves undetermined of the weights.
static const double SMALL = 1e-6;

// ---- The loop -----------------------------------------------------------------------------------

// products: of the difference at place `at` and of the last change with all differences.
static bool find_weights(PacketMixing *m, size_t at, int known, const double *products,
                         double *weights)
{
    double matrix[PACKETS_DEPTH * PACKETS_DEPTH];
    for (int i = 0; i < known; i++)
        m->gram[at][i] = m->gram[i][at] = products[i];
    for (int i = 0; i < known; i++)
        for (int j = 0; j < known; j++)
            matrix[i * known + j] = m->gram[i][j] * (i == j ? 1 + SMALL : 1);
    int rows[PACKETS_DEPTH], columns[PACKETS_DEPTH], sign;
    if (sprag_lu_factor(known, matrix, 0, rows, columns, &sign) < known)
        return false;
    sprag_lu_solve(known, matrix, rows, columns, products + PACKETS_DEPTH, weights);
    for (int i = 0; i < known; i++)
        if (!isfinite(weights[i]))
            return false;
    return true;
}

// Difference number n since the mixing began anew is that of the ends n + 1 and n: its weight is
// taken from the one and given to the other.
static void weights_to_parts(const PacketMixing *m, int known, const double *weights, double *parts)
{
    const size_t places = PACKETS_DEPTH + 1;
    for (int n = m->known - known; n < m->known; n++) {
        double weight = weights[n % PACKETS_DEPTH];
        parts[(m->first + (size_t)n + 1) % places] -= weight;
        parts[(m->first + (size_t)n) % places] += weight;
    }
}

// The field works in the present place, and on the other change.
static void work_in_place(Packing *p)
{
    PacketMixing *m = &p->mixing;
    PacketField *field = &p->field;
    field->r = m->ends + m->place * p->rows;
    field->velocity = m->velocities + m->place * (field->bodies + NOBODIES);
    field->change = field->change == m->changes ? m->changes + p->rows : m->changes;
}

// The mixture to go on from, beside r and the velocities after a sweep.
static void mix(Packing *p, double square)
{
    PacketMixing *m = &p->mixing;
    const PacketField *field = &p->field;
    double parts[PACKETS_DEPTH + 1] = {0}, weights[PACKETS_DEPTH], products[2 * PACKETS_DEPTH];
    int known = 0;
    if (!(square <= m->least))
        m->begun = false;
    m->least = square;
    if (m->begun) {
        size_t at = (size_t)(m->known++ % PACKETS_DEPTH);
        known = m->known < PACKETS_DEPTH ? m->known : PACKETS_DEPTH;
        packets_keep(field, field->change == m->changes ? m->changes + p->rows : m->changes,
                     m->ring, at, products);
        if (!find_weights(m, at, known, products, weights))
            known = 0;
    } else {
        m->begun = true;
        m->known = 0;
        m->first = m->place;
    }
    parts[m->place] = 1;
    weights_to_parts(m, known, weights, parts);
    size_t next = (m->place + 1) % (PACKETS_DEPTH + 1);
    packets_blend(field, m, parts, next);
    m->place = next;
    work_in_place(p);
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
    p->start_square = judge(p);
    if (p->start_square <= goal) // velocities, and whether the start will do
        return 0;
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

// What packets hold of r, contact by contact.
static void take(const Packing *p, const Lanes *held, double *r)
{
    size_t rows = (size_t)p->field.rows;
    for (size_t i = 0; i < p->contacts; i++)
        for (size_t a = 0; a < rows; a++)
            r[rows * i + a] =
                p->unit *
                (double)held[rows * (size_t)(p->place[i] / LANES) + a][p->place[i] % LANES];
}

static void take_best(const Packing *p, double *r)
{
    if (p->best_square < INFINITY)
        take(p, p->best, r);
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
                     .ease = {1, 1},
                     .arena = workspace->arena,
                     .known = &workspace->packed,
                     .problem = problem,
                     .contacts = (size_t)problem->contact_count,
                     .field = {.rows = rows, .bodies = (size_t)problem->body_count}};
}

SpragStatus packets_solve(SpragFrictionWorkspace *workspace, const SpragFrictionProblem *problem,
                          const double *ease, int sweeps, double tolerance, double *r, double *end,
                          int *done, double *start)
{
    Packing p = begin(workspace, problem, 3, 1);
    if (ease)
        memcpy(p.ease, ease, sizeof p.ease);
    *done = -1;
    if (!packing_prepare(&p))
        return SPRAG_ERROR_MEMORY;
    if (p.count * LEAST_FILLED > problem->contact_count)
        return SPRAG_OK;
    if (!packing_set_up(&p, problem->q, r))
        return SPRAG_ERROR_MEMORY;
    if (p.loose * LOOSE_PART > problem->contact_count || !p.balanced)
        return SPRAG_OK;
    double goal = tolerance * p.norm_q;
    *done = run(&p, sweeps, goal * goal);
    *start = sqrt(p.start_square) / p.norm_q;
    if (*done > 0)
        take_best(&p, r);
    if (end)
        take(&p, p.field.r, end);
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
    bool ready = packing_prepare(&p),
         few = ready && p.count * LEAST_FILLED > problem->contact_count;
    ready = ready && !few && packing_set_up(&p, gap, y);
    if (ready) {
        *done = run(&p, sweeps, 1);
        *done = *done > 0 ? *done : 1; // a look at the start counts as one
        take_best(&p, y);
    }
    sprag_arena_release(workspace->arena, mark);
    return ready || few ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}
