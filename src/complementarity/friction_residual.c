// friction_residual.c: projection on the friction cone, u = W r + q, and the residuals.
//
// Problem   judge any r of a friction problem, whoever found it.
// Method    natural map |r − proj_K(r − ũ)|, theory.md (11.11), (11.12); [AcaryBremondHuber2018,
//           pp. 375-457]
// Assumes   nothing about r; shares no code with the solvers
#include <math.h>
#include <string.h>

#include "sprag/friction.h"

// Two numbers at once: the compiler would not take the sums apart by itself.
typedef double Pair
    __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));

// hypot is slow, and needed only where squares leave the range of numbers.
static inline double length(double x, double y)
{
    double square = x * x + y * y;
    return square > 1e-280 && square < 1e280 ? sqrt(square) : hypot(x, y);
}

static inline void project(int dimension, double mu, const double *x, double *nearest)
{
    double normal = x[0], x1 = x[1], x2 = dimension == 3 ? x[2] : 0;
    double tangent = dimension == 3 ? length(x1, x2) : fabs(x1);
    double scale = 1;
    if (mu * tangent <= -normal) { // polar cone
        normal = scale = 0;
    } else if (tangent > mu * normal) {
        normal = (normal + mu * tangent) / (1 + mu * mu);
        scale = mu * normal / tangent;
    }
    nearest[0] = normal;
    nearest[1] = scale * x1;
    if (dimension == 3)
        nearest[2] = scale * x2;
}

void sprag_friction_project(int dimension, double mu, const double *x, double *nearest)
{
    project(dimension, mu, x, nearest);
}

static void multiply_dense(const SpragFrictionProblem *problem, const double *r, double *u)
{
    size_t n = (size_t)problem->dimension * (size_t)problem->contact_count;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += problem->W[i * n + j] * r[j];
        u[i] = sum + problem->q[i];
    }
}

static void multiply_blocks(const SpragFrictionProblem *problem, const double *r, double *u)
{
    size_t d = (size_t)problem->dimension;
    for (int i = 0; i < problem->contact_count; i++)
        for (size_t a = 0; a < d; a++) {
            double sum = 0;
            for (int k = problem->row_start[i]; k < problem->row_start[i + 1]; k++) {
                const double *row = problem->blocks + ((size_t)k * d + a) * d;
                const double *x = r + (size_t)problem->column[k] * d;
                for (size_t b = 0; b < d; b++)
                    sum += row[b] * x[b];
            }
            u[(size_t)i * d + a] = sum + problem->q[(size_t)i * d + a];
        }
}

// Jᵀ r of one side.
static inline void add_side(const double *row, const double *r, size_t d, size_t m, double *sum)
{
    for (size_t a = 0; a < d; a++)
        for (size_t k = 0; k < m; k++)
            sum[k] += row[a * m + k] * r[a];
}

static inline void add_side_in_space(const double *row, const double *r, double *sum)
{
    const Pair *J = (const Pair *)row;
    Pair *to = (Pair *)sum;
    for (size_t k = 0; k < 3; k++)
        to[k] += J[k] * r[0] + (J[3 + k] * r[1] + J[6 + k] * r[2]);
}

// J v of one side.
static inline void read_side(const double *row, const double *v, size_t d, size_t m, double *u)
{
    for (size_t a = 0; a < d; a++)
        for (size_t k = 0; k < m; k++)
            u[a] += row[a * m + k] * v[k];
}

static inline void read_side_in_space(const double *row, const double *velocity, double *u)
{
    const Pair *J = (const Pair *)row, *v = (const Pair *)velocity;
    for (size_t a = 0; a < 3; a++) {
        Pair sum = J[3 * a] * v[0] + J[3 * a + 1] * v[1] + J[3 * a + 2] * v[2];
        u[a] += sum[0] + sum[1];
    }
}

// velocity: first Jᵀ r, then, body by body, M⁻¹ of it.
static inline void multiply_sized(const SpragFrictionProblem *problem, size_t d, size_t m,
                                  const double *r, double *u, double *velocity)
{
    size_t contacts = (size_t)problem->contact_count;
    bool space = d == 3 && m == 6;
    memset(velocity, 0, (size_t)problem->body_count * m * sizeof *velocity);
    for (size_t side = 0; side < 2 * contacts; side++) {
        int body = problem->bodies[side];
        const double *row = problem->jacobian + side * d * m;
        if (body >= 0 && space)
            add_side_in_space(row, r + side / 2 * d, velocity + (size_t)body * m);
        else if (body >= 0)
            add_side(row, r + side / 2 * d, d, m, velocity + (size_t)body * m);
    }
    for (size_t body = 0; body < (size_t)problem->body_count; body++) {
        const double *inverse = problem->inverse_inertia + body * m * m;
        double force[6];
        memcpy(force, velocity + body * m, m * sizeof *force);
        for (size_t i = 0; i < m; i++) {
            double sum = 0;
            for (size_t j = 0; j < m; j++)
                sum += inverse[i * m + j] * force[j];
            velocity[body * m + i] = sum;
        }
    }
    memcpy(u, problem->q, contacts * d * sizeof *u);
    for (size_t side = 0; side < 2 * contacts; side++) {
        int body = problem->bodies[side];
        const double *row = problem->jacobian + side * d * m;
        if (body >= 0 && space)
            read_side_in_space(row, velocity + (size_t)body * m, u + side / 2 * d);
        else if (body >= 0)
            read_side(row, velocity + (size_t)body * m, d, m, u + side / 2 * d);
    }
}

// Sizes as constants where they are the common ones: the compiler unrolls the loops.
static void multiply_bodies(const SpragFrictionProblem *problem, const double *r, double *u,
                            double *velocity)
{
    size_t d = (size_t)problem->dimension, m = (size_t)problem->body_size;
    if (d == 3 && m == 6)
        multiply_sized(problem, 3, 6, r, u, velocity);
    else if (d == 2 && m == 3)
        multiply_sized(problem, 2, 3, r, u, velocity);
    else
        multiply_sized(problem, d, m, r, u, velocity);
}

void sprag_friction_velocity(const SpragFrictionProblem *problem, const double *r, double *u,
                             double *velocity)
{
    if (problem->storage == SPRAG_FRICTION_DENSE)
        multiply_dense(problem, r, u);
    else if (problem->storage == SPRAG_FRICTION_BLOCKS)
        multiply_blocks(problem, r, u);
    else
        multiply_bodies(problem, r, u, velocity);
}

static inline bool is_diagonal(const double *matrix, size_t m)
{
    bool other = false;
    for (size_t x = 0; x < m; x++)
        for (size_t y = 0; y < m; y++)
            other |= x != y && matrix[x * m + y] != 0;
    return !other;
}

// Whether the M⁻¹ of every body is: a body has several contacts, and is asked about once.
static bool all_diagonal(const SpragFrictionProblem *problem)
{
    size_t m = (size_t)problem->body_size;
    for (int i = 0; i < problem->body_count; i++) {
        const double *inverse = problem->inverse_inertia + (size_t)i * m * m;
        if (!(m == 6 ? is_diagonal(inverse, 6) : is_diagonal(inverse, m)))
            return false;
    }
    return true;
}

// Trace of J M⁻¹ Jᵀ of three rows in space with a diagonal M⁻¹.
static inline double trace_in_space(const double *row, const double *inverse)
{
    const Pair *J = (const Pair *)row;
    Pair sum = {0};
    for (size_t k = 0; k < 3; k++) {
        const Pair gain = {inverse[14 * k], inverse[14 * k + 7]};
        sum += (J[k] * J[k] + J[3 + k] * J[3 + k] + J[6 + k] * J[6 + k]) * gain;
    }
    return sum[0] + sum[1];
}

// Trace of J M⁻¹ Jᵀ on one side (2 contact + 0 or 1); balls: every M⁻¹ is diagonal: a sixth of the
// products.
static inline double side_trace(const SpragFrictionProblem *problem, size_t side, bool balls,
                                size_t d, size_t m)
{
    int body = problem->bodies[side];
    double sum = 0;
    if (body < 0)
        return 0;
    const double *inverse = problem->inverse_inertia + (size_t)body * m * m;
    if (balls && d == 3 && m == 6)
        return trace_in_space(problem->jacobian + side * 18, inverse);
    bool diagonal = balls || is_diagonal(inverse, m);
    for (size_t a = 0; a < d; a++) {
        const double *row = problem->jacobian + (side * d + a) * m;
        for (size_t x = 0; x < m; x++) {
            double gain = inverse[x * m + x] * row[x];
            if (!diagonal) {
                gain = 0;
                for (size_t y = 0; y < m; y++)
                    gain += inverse[x * m + y] * row[y];
            }
            sum += row[x] * gain;
        }
    }
    return sum;
}

static double body_trace(const SpragFrictionProblem *problem, size_t contact, bool balls)
{
    size_t d = (size_t)problem->dimension, m = (size_t)problem->body_size;
    double sum = 0;
    for (size_t side = 2 * contact; side < 2 * contact + 2; side++) {
        if (d == 3 && m == 6)
            sum += side_trace(problem, side, balls, 3, 6);
        else if (d == 2 && m == 3)
            sum += side_trace(problem, side, balls, 2, 3);
        else
            sum += side_trace(problem, side, balls, d, m);
    }
    return sum;
}

// Trace of W_ii over d; balls: as side_trace.
static double mean_diagonal(const SpragFrictionProblem *problem, int i, bool balls)
{
    size_t d = (size_t)problem->dimension, c = (size_t)i, n = d * (size_t)problem->contact_count;
    double sum = 0;
    if (problem->storage == SPRAG_FRICTION_DENSE) {
        for (size_t a = 0; a < d; a++)
            sum += problem->W[(c * d + a) * n + c * d + a];
    } else if (problem->storage == SPRAG_FRICTION_BLOCKS) {
        for (int k = problem->row_start[i]; k < problem->row_start[i + 1]; k++)
            for (size_t a = 0; problem->column[k] == i && a < d; a++)
                sum += problem->blocks[((size_t)k * d + a) * d + a];
    } else {
        sum = body_trace(problem, c, balls);
    }
    return sum / (double)d;
}

// Squared length of r − proj_K(r − ũ/w); a bilateral block has the whole space for K, and ũ = u.
static inline double distance_sized(int d, double mu, bool bilateral, const double *r,
                                    const double *u, double w)
{
    if (bilateral) {
        double square = 0;
        for (int k = 0; k < d; k++)
            square += u[k] / w * (u[k] / w);
        return square;
    }
    double slip = d == 3 ? length(u[1], u[2]) : fabs(u[1]);
    double shifted[3] = {(u[0] + mu * slip) / w, u[1] / w, d == 3 ? u[2] / w : 0};
    double x[3] = {r[0] - shifted[0], r[1] - shifted[1], d == 3 ? r[2] - shifted[2] : 0};
    double nearest[3] = {0}, sum = 0;
    project(d, mu, x, nearest);
    for (int k = 0; k < d; k++) {
        // r − nearest as ũ + (x − nearest): forces that grow without bound, as a method makes them
        // where there is no solution, would hide ũ in their rounding
        double miss = nearest[0] > 0 ? shifted[k] + (x[k] - nearest[k]) : r[k];
        sum += miss * miss;
    }
    return sum;
}

static double distance(int d, double mu, bool bilateral, const double *r, const double *u, double w)
{
    return d == 3 ? distance_sized(3, mu, bilateral, r, u, w)
                  : distance_sized(2, mu, bilateral, r, u, w);
}

double sprag_friction_natural(const SpragFrictionProblem *problem, const double *r, const double *u)
{
    int d = problem->dimension;
    double natural = 0, q = 0;
    for (int i = 0; i < problem->contact_count; i++) {
        bool bilateral = problem->kinds && problem->kinds[i] == SPRAG_FRICTION_BILATERAL;
        natural += distance(d, problem->friction[i], bilateral, r + (size_t)i * (size_t)d,
                            u + (size_t)i * (size_t)d, 1);
        for (int k = 0; k < d; k++)
            q += problem->q[i * d + k] * problem->q[i * d + k];
    }
    return isfinite(natural) ? sqrt(natural) / (q > 0 ? sqrt(q) : 1) : INFINITY;
}

SpragFrictionResidual sprag_friction_residual(const SpragFrictionProblem *problem, const double *r,
                                              const double *u)
{
    int d = problem->dimension;
    SpragFrictionResidual result = {0};
    double natural = 0, unit_free = 0, q = 0, largest = -1;
    bool balls = problem->storage == SPRAG_FRICTION_BODIES && all_diagonal(problem);
    for (int i = 0; i < problem->contact_count; i++) {
        const double *ri = r + (size_t)i * (size_t)d, *ui = u + (size_t)i * (size_t)d;
        double mu = problem->friction[i], w = mean_diagonal(problem, i, balls);
        bool bilateral = problem->kinds && problem->kinds[i] == SPRAG_FRICTION_BILATERAL;
        double share = distance(d, mu, bilateral, ri, ui, 1);
        natural += share;
        unit_free += w > 0 ? w * w * distance(d, mu, bilateral, ri, ui, w) : share;
        if (share > largest) {
            largest = share;
            result.worst = i;
        }
        for (int k = 0; k < d; k++)
            q += problem->q[i * d + k] * problem->q[i * d + k];
    }
    double scale = q > 0 ? sqrt(q) : 1;
    result.natural = isfinite(natural) ? sqrt(natural) / scale : INFINITY;
    result.unit_free = isfinite(unit_free) ? sqrt(unit_free) / scale : INFINITY;
    return result;
}
