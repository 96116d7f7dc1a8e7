// friction_sweeps.c: sweeps for problems that follow each other in time, in the space of bodies.
//
// Problem   u = J M⁻¹ Jᵀ r + q with friction cones, from a start that is nearly right: a few
//           digits, at the least cost, theory.md 11.18
// Method    with M⁻¹ = C Cᵀ and rows J C velocities become v = (J C)ᵀ r, so that one set of rows
//           both reads and changes them; contact after contact solved exactly (11.5), always in the
//           same order, and after each sweep r and v are mixed from the last few ([Anderson1965,
//           pp. 547-560], theory.md (11.32)), begun anew where a sweep changes r by more than the
//           one before
// Assumes   bodies of 3 velocities in the plane, 6 in space
#include <math.h>
#include <string.h>

#include "friction_packets.h"
#include "friction_sweeps.h"

enum { FIRST_LOOK = 4, MOST_UNSEEN = 16 };
// Of a pivot of M⁻¹.
static const double ROUNDING = 1e-14;

// ---- Set up -------------------------------------------------------------------------------------

static bool allocate(Sweeps *s)
{
    size_t d = s->d, n = s->size, c = s->count;
    double **numbers[] = {&s->slip,  &s->diagonal, &s->inverse, &s->r,    &s->best,
                          &s->start, &s->change,   &s->end,     &s->ends, &s->changes};
    Pair **pairs[] = {&s->rows, &s->velocity, &s->end_velocity, &s->velocities};
    const size_t room[] = {2 * n * s->pairs, s->speeds, s->speeds, SWEEPS_DEPTH * s->speeds};
    bool all = true;
    for (size_t k = 0; k < 10; k++) {
        size_t entries = k == 0 ? c : k < 3 ? n * d : k < 8 ? n : SWEEPS_DEPTH * n;
        *numbers[k] = sprag_arena_alloc(s->arena, entries + 1, sizeof(double));
        all &= *numbers[k] != NULL;
    }
    for (size_t k = 0; k < 4; k++) {
        *pairs[k] = sprag_arena_alloc(s->arena, room[k] + 1, sizeof(Pair));
        all &= *pairs[k] != NULL;
    }
    s->body = sprag_arena_alloc(s->arena, 2 * c + 1, sizeof *s->body);
    s->dead = sprag_arena_alloc(s->arena, n + 1, sizeof *s->dead);
    return all && s->body && s->dead;
}

void sweeps_factor(size_t m, const double *inverse, double *C)
{
    memset(C, 0, m * m * sizeof *C);
    for (size_t j = 0; j < m; j++) {
        double pivot = inverse[j * m + j];
        for (size_t k = 0; k < j; k++)
            pivot -= C[j * m + k] * C[j * m + k];
        if (!(pivot > ROUNDING * inverse[j * m + j]))
            continue;
        C[j * m + j] = sqrt(pivot);
        for (size_t i = j + 1; i < m; i++) {
            double sum = inverse[i * m + j];
            for (size_t k = 0; k < j; k++)
                sum -= C[i * m + k] * C[j * m + k];
            C[i * m + j] = sum / C[j * m + j];
        }
    }
}

// rows = J C of both bodies, W = rows rowsᵀ.
static inline void make_contact(Sweeps *s, size_t i, const double *factors, size_t d, size_t m)
{
    double *W = s->diagonal + i * d * d, row[3][6] = {{0}};
    for (size_t side = 0; side < 2; side++) {
        int body = s->problem->bodies[2 * i + side];
        const double *J = s->problem->jacobian + (2 * i + side) * d * m;
        const double *C = factors + (size_t)(body < 0 ? 0 : body) * m * m;
        s->body[2 * i + side] = body < 0 ? (int)s->bodies : body;
        if (body < 0)
            continue;
        for (size_t a = 0; a < d; a++) {
            for (size_t k = 0; k < m; k++) {
                row[a][k] = 0;
                for (size_t e = k; e < m; e++)
                    row[a][k] += J[a * m + e] * C[e * m + k];
            }
            memcpy(s->rows + ((2 * i + side) * d + a) * ((m + 1) / 2), row[a], m * sizeof(double));
            for (size_t b = 0; b <= a; b++) {
                for (size_t k = 0; k < m; k++)
                    W[a * d + b] += row[a][k] * row[b][k];
                W[b * d + a] = W[a * d + b];
            }
        }
    }
    for (size_t a = 0; a < d; a++)
        s->dead[i * d + a] = W[a * d + a] == 0;
    if (d == 3)
        friction_contact_invert(W, s->inverse + i * 9);
}

static bool set_up(Sweeps *s)
{
    const SpragFrictionProblem *problem = s->problem;
    size_t m = s->m;
    double *factors = sprag_arena_alloc(s->arena, s->bodies * m * m + 1, sizeof *factors), q = 0;
    s->factors = factors;
    if (!factors || !allocate(s))
        return false;
    for (size_t i = 0; i < s->bodies; i++)
        sweeps_factor(m, problem->inverse_inertia + i * m * m, factors + i * m * m);
    for (size_t i = 0; i < s->count; i++)
        if (s->d == 3)
            make_contact(s, i, factors, 3, 6);
        else
            make_contact(s, i, factors, 2, 3);
    for (size_t k = 0; k < s->size; k++)
        q += problem->q[k] * problem->q[k];
    s->norm_q = q > 0 ? sqrt(q) : 1;
    s->best_residual = s->least = INFINITY;
    return true;
}

// ---- A sweep ------------------------------------------------------------------------------------

static inline double mu_of(const Sweeps *s, size_t i)
{
    return s->problem->friction[i];
}

static inline bool is_joint(const Sweeps *s, size_t i)
{
    return s->problem->kinds && s->problem->kinds[i] == SPRAG_FRICTION_BILATERAL;
}

// u of contact i.
static inline void read_contact(const Sweeps *s, size_t i, size_t d, size_t pairs, double *u)
{
    const Pair *first = s->rows + 2 * i * d * pairs, *second = first + d * pairs;
    const Pair *va = s->velocity + (size_t)s->body[2 * i] * pairs;
    const Pair *vb = s->velocity + (size_t)s->body[2 * i + 1] * pairs;
    for (size_t a = 0; a < d; a++) {
        Pair one = first[a * pairs] * va[0], two = second[a * pairs] * vb[0];
        for (size_t k = 1; k < pairs; k++) {
            one += first[a * pairs + k] * va[k];
            two += second[a * pairs + k] * vb[k];
        }
        one += two;
        u[a] = s->problem->q[i * d + a] + (one[0] + one[1]);
    }
}

static inline void push_contact(Sweeps *s, size_t i, size_t d, size_t pairs, const double *change)
{
    for (size_t side = 0; side < 2; side++) {
        const Pair *rows = s->rows + (2 * i + side) * d * pairs;
        Pair *v = s->velocity + (size_t)s->body[2 * i + side] * pairs;
        for (size_t k = 0; k < pairs; k++) {
            Pair sum = rows[k] * change[0];
            for (size_t a = 1; a < d; a++)
                sum += rows[a * pairs + k] * change[a];
            v[k] += sum;
        }
    }
}

// Stick in space by the inverse of W_ii; false: it does not hold, or is not known.
static inline bool sticks(const double *inverse, const double *r, const double *u, double mu,
                          double *next)
{
    if (!(inverse[0] > 0))
        return false;
    for (size_t a = 0; a < 3; a++)
        next[a] =
            r[a] - (inverse[3 * a] * u[0] + inverse[3 * a + 1] * u[1] + inverse[3 * a + 2] * u[2]);
    return next[0] >= 0 && next[1] * next[1] + next[2] * next[2] <= mu * mu * next[0] * next[0];
}

static inline void solve_contact(Sweeps *s, size_t i, size_t d, const double *u, double *next)
{
    const double *W = s->diagonal + i * d * d, *r = s->r + i * d;
    double b[3];
    for (size_t a = 0; a < d; a++) {
        b[a] = u[a];
        for (size_t k = 0; k < d; k++)
            b[a] -= W[a * d + k] * r[k];
    }
    if (is_joint(s, i)) {
        friction_bilateral((int)d, W, b, s->dead + i * d, next);
    } else if (d == 3 && b[0] < 0 && sticks(s->inverse + i * 9, r, u, mu_of(s, i), next)) {
        s->slip[i] = 0;
    } else {
        friction_contact((int)d, W, d == 3 ? s->inverse + i * 9 : NULL, b, mu_of(s, i), &s->slip[i],
                         next);
    }
}

static inline void sweep_sized(Sweeps *s, size_t d, size_t pairs)
{
    for (size_t i = 0; i < s->count; i++) {
        double u[3], next[3], change[3], any = 0, *r = s->r + i * d;
        read_contact(s, i, d, pairs, u);
        solve_contact(s, i, d, u, next);
        for (size_t a = 0; a < d; a++) {
            change[a] = next[a] - r[a];
            any += fabs(change[a]);
            r[a] = next[a];
        }
        if (any > 0)
            push_contact(s, i, d, pairs, change);
    }
}

static void sweep(Sweeps *s)
{
    if (s->d == 3)
        sweep_sized(s, 3, 3);
    else
        sweep_sized(s, 2, 2);
}

// ---- The loop -----------------------------------------------------------------------------------

// v = (J C)ᵀ r afresh.
static void find_velocity(Sweeps *s)
{
    memset(s->velocity, 0, s->speeds * sizeof *s->velocity);
    for (size_t i = 0; i < s->count; i++)
        if (s->d == 3)
            push_contact(s, i, 3, 3, s->r + 3 * i);
        else
            push_contact(s, i, 2, 2, s->r + 2 * i);
}

// Natural residual of r; the best is kept.
static double judge(Sweeps *s)
{
    double sum = 0;
    size_t d = s->d;
    find_velocity(s);
    for (size_t i = 0; i < s->count; i++) {
        double u[3], x[3], defect[3];
        if (d == 3)
            read_contact(s, i, 3, 3, u);
        else
            read_contact(s, i, 2, 2, u);
        double slip = d == 3 ? sqrt(u[1] * u[1] + u[2] * u[2]) : fabs(u[1]);
        if (!is_joint(s, i))
            u[0] += mu_of(s, i) * slip;
        for (size_t a = 0; a < d; a++)
            x[a] = s->r[i * d + a] - u[a];
        sprag_friction_project((int)d, mu_of(s, i), x, defect);
        for (size_t a = 0; a < d; a++) {
            defect[a] = is_joint(s, i) ? u[a] : s->r[i * d + a] - defect[a];
            sum += defect[a] * defect[a];
        }
    }
    double residual = sqrt(sum) / s->norm_q;
    if (residual < s->best_residual) {
        s->best_residual = residual;
        memcpy(s->best, s->r, s->size * sizeof *s->r);
    }
    return residual;
}

static double change_of(const Sweeps *s)
{
    double square = 0;
    for (size_t k = 0; k < s->size; k++)
        square += (s->r[k] - s->start[k]) * (s->r[k] - s->start[k]);
    return square;
}

// Residuals cost as much as a sweep: they are looked at where the change of the last sweep says
// that the goal may be reached.
static int run(Sweeps *s, int limit, double tolerance)
{
    double ratio = INFINITY; // of the square of a residual to that of the change
    int seen = 0;
    s->start_residual = judge(s);
    if (s->start_residual <= tolerance) // velocities, and whether the start will do
        return 0;
    for (int k = 1; k <= limit; k++) {
        memcpy(s->start, s->r, s->size * sizeof *s->r);
        sweep(s);
        double square = change_of(s);
        bool close = ratio * square <= tolerance * tolerance;
        if (k == FIRST_LOOK || k == limit || k - seen >= MOST_UNSEEN || (k > FIRST_LOOK && close)) {
            double residual = judge(s);
            seen = k;
            ratio = square > 0 ? residual * residual / square : 0;
            if (residual <= tolerance || square == 0)
                return k;
        }
        sweeps_mix(s, square);
    }
    return limit;
}

static SpragStatus sweep_singly(Sweeps *s, int sweeps, double tolerance, double *r, int *done)
{
    if (!set_up(s))
        return SPRAG_ERROR_MEMORY;
    for (size_t k = 0; k < s->size; k++)
        s->r[k] = s->dead[k] ? 0 : r[k];
    *done = run(s, sweeps, tolerance);
    if (s->best_residual < INFINITY)
        memcpy(r, s->best, s->size * sizeof *r);
    return SPRAG_OK;
}

SpragStatus sprag_friction_sweep(SpragFrictionWorkspace *workspace,
                                 const SpragFrictionProblem *problem, int sweeps, double tolerance,
                                 double *r, double *u, SpragFrictionInfo *info)
{
    size_t c = (size_t)problem->contact_count, bodies = (size_t)problem->body_count;
    Sweeps s = {.arena = workspace->arena,
                .problem = problem,
                .d = (size_t)problem->dimension,
                .m = (size_t)problem->body_size,
                .count = c,
                .bodies = bodies,
                .size = c * (size_t)problem->dimension,
                .pairs = problem->dimension == 3 ? 3 : 2};
    s.speeds = (bodies + 1) * s.pairs;
    SpragArenaMark mark = sprag_arena_mark(workspace->arena);
    memset(info, 0, sizeof *info);
    SpragStatus status = SPRAG_OK;
    bool packed = packets_suit(problem, tolerance);
    if (packed)
        status = packets_solve(workspace, problem, NULL, sweeps, tolerance, r, NULL,
                               &info->iterations, &info->start);
    if (status == SPRAG_OK && !(packed && info->iterations >= 0)) {
        status = sweep_singly(&s, sweeps, tolerance, r, &info->iterations);
        info->start = s.start_residual;
    }
    double *velocity = sprag_arena_alloc(workspace->arena, bodies * s.m + 1, sizeof *velocity);
    if (status != SPRAG_OK || !velocity) {
        sprag_arena_release(workspace->arena, mark);
        return SPRAG_ERROR_MEMORY;
    }
    info->method = SPRAG_FRICTION_GAUSS_SEIDEL;
    sprag_friction_velocity(problem, r, u, velocity);
    info->residual = sprag_friction_residual(problem, r, u);
    info->status =
        info->residual.natural <= tolerance ? SPRAG_FRICTION_SOLVED : SPRAG_FRICTION_LIMIT;
    sprag_arena_release(workspace->arena, mark);
    return SPRAG_OK;
}
