// friction_problem.c: checks of a friction problem, and the products with W that the methods use.
#include <math.h>
#include <string.h>

#include "friction_internal.h"
#include "lcp_internal.h"

static SpragStatus check_contacts(SpragContext *context, const SpragFrictionProblem *problem)
{
    for (int i = 0; i < problem->contact_count; i++) {
        if (problem->friction[i] < 0)
            return sprag_fail(context, SPRAG_ERROR_INPUT, "friction[%d] must be ≥ 0, got %g", i,
                              problem->friction[i]);
        if (problem->kinds && problem->kinds[i] > SPRAG_FRICTION_BILATERAL)
            return sprag_fail(context, SPRAG_ERROR_INPUT,
                              "kinds[%d] must be 0 (contact) or 1 (bilateral), got %d", i,
                              problem->kinds[i]);
    }
    return SPRAG_OK;
}

static SpragStatus check_blocks(SpragContext *context, const SpragFrictionProblem *problem)
{
    if (!problem->row_start || !problem->column || !problem->blocks)
        return sprag_fail(context, SPRAG_ERROR_INPUT, "a friction problem needs W, got none");
    for (int i = 0; i < problem->contact_count; i++) {
        int from = problem->row_start[i], to = problem->row_start[i + 1];
        bool diagonal = false;
        if (from < 0 || to < from)
            return sprag_fail(context, SPRAG_ERROR_INPUT, "block row %d of W is not in order", i);
        for (int k = from; k < to; k++) {
            int j = problem->column[k];
            if (j < 0 || j >= problem->contact_count || (k > from && j <= problem->column[k - 1]))
                return sprag_fail(context, SPRAG_ERROR_INPUT,
                                  "columns of block row %d of W must ascend below %d", i,
                                  problem->contact_count);
            diagonal |= j == i;
        }
        if (!diagonal)
            return sprag_fail(context, SPRAG_ERROR_INPUT, "block (%d, %d) of W is missing", i, i);
    }
    size_t d = (size_t)problem->dimension;
    return problem_check_finite(context, "W", problem->blocks,
                                (size_t)problem->row_start[problem->contact_count] * d * d);
}

static SpragStatus check_bodies(SpragContext *context, const SpragFrictionProblem *problem)
{
    size_t m = (size_t)problem->body_size, d = (size_t)problem->dimension;
    size_t contacts = (size_t)problem->contact_count;
    if (m != 3 && m != 6)
        return sprag_fail(context, SPRAG_ERROR_INPUT, "a body has 3 or 6 velocities, got %zu", m);
    if (problem->body_count < 1 || !problem->bodies || !problem->jacobian ||
        !problem->inverse_inertia)
        return sprag_fail(context, SPRAG_ERROR_INPUT, "a friction problem needs bodies, got none");
    for (size_t k = 0; k < 2 * contacts; k++)
        if (problem->bodies[k] < -1 || problem->bodies[k] >= problem->body_count ||
            (k % 2 && problem->bodies[k] >= 0 && problem->bodies[k] == problem->bodies[k - 1]))
            return sprag_fail(context, SPRAG_ERROR_INPUT,
                              "contact %zu names body %d: two different ones of %d are needed",
                              k / 2, problem->bodies[k], problem->body_count);
    SPRAG_TRY(problem_check_finite(context, "inverse_inertia", problem->inverse_inertia,
                                   (size_t)problem->body_count * m * m));
    return problem_check_finite(context, "jacobian", problem->jacobian, 2 * contacts * d * m);
}

SpragStatus sprag_friction_check(SpragContext *context, const SpragFrictionProblem *problem)
{
    int d = problem->dimension, c = problem->contact_count;
    if (d != 2 && d != 3)
        return sprag_fail(context, SPRAG_ERROR_INPUT, "dimension must be 2 or 3, got %d", d);
    if (c < 1 || c > SPRAG_FRICTION_MAX_CONTACTS)
        return sprag_fail(context, SPRAG_ERROR_INPUT, "contacts must be 1 to %d, got %d",
                          SPRAG_FRICTION_MAX_CONTACTS, c);
    if (!problem->q || !problem->friction)
        return sprag_fail(context, SPRAG_ERROR_INPUT, "a friction problem needs q and friction");
    size_t n = (size_t)d * (size_t)c;
    SPRAG_TRY(problem_check_finite(context, "q", problem->q, n));
    SPRAG_TRY(problem_check_finite(context, "friction", problem->friction, (size_t)c));
    SPRAG_TRY(check_contacts(context, problem));
    if (problem->storage == SPRAG_FRICTION_BLOCKS)
        return check_blocks(context, problem);
    if (problem->storage == SPRAG_FRICTION_BODIES)
        return check_bodies(context, problem);
    if (!problem->W)
        return sprag_fail(context, SPRAG_ERROR_INPUT, "a friction problem needs W, got none");
    if (n > SPRAG_FRICTION_MAX_DENSE)
        return sprag_fail(context, SPRAG_ERROR_LIMIT, "a dense W may have %d rows, got %zu",
                          SPRAG_FRICTION_MAX_DENSE, n);
    return problem_check_finite(context, "W", problem->W, n * n);
}

// ---- Symmetry -----------------------------------------------------------------------------------

static const double *find_block(const SpragFrictionProblem *problem, int i, int j)
{
    int low = problem->row_start[i], high = problem->row_start[i + 1] - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (problem->column[middle] == j)
            return problem->blocks +
                   (size_t)middle * (size_t)(problem->dimension * problem->dimension);
        if (problem->column[middle] < j)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return NULL;
}

double sprag_friction_asymmetry(const SpragFrictionProblem *problem)
{
    double largest = 0, difference = 0;
    size_t d = (size_t)problem->dimension, n = d * (size_t)problem->contact_count;
    if (problem->storage == SPRAG_FRICTION_DENSE) {
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                largest = fmax(largest, fabs(problem->W[i * n + j]));
                difference = fmax(difference, fabs(problem->W[i * n + j] - problem->W[j * n + i]));
            }
    } else if (problem->storage == SPRAG_FRICTION_BLOCKS) {
        for (int i = 0; i < problem->contact_count; i++)
            for (int k = problem->row_start[i]; k < problem->row_start[i + 1]; k++) {
                const double *block = problem->blocks + (size_t)k * d * d;
                const double *other = find_block(problem, problem->column[k], i);
                for (size_t e = 0; e < d * d; e++) {
                    double twin = other ? other[e % d * d + e / d] : 0;
                    largest = fmax(largest, fabs(block[e]));
                    difference = fmax(difference, fabs(block[e] - twin));
                }
            }
    }
    return largest > 0 ? difference / largest : 0;
}

// ---- Products -----------------------------------------------------------------------------------

static inline void multiply_row(const Friction *f, int i, size_t d, const double *x, double *y)
{
    double sum[3] = {0};
    for (int k = f->row_start[i]; k < f->row_start[i + 1]; k++) {
        const double *block = f->blocks + (size_t)k * d * d, *z = x + (size_t)f->column[k] * d;
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < d; b++)
                sum[a] += block[a * d + b] * z[b];
    }
    for (size_t a = 0; a < d; a++)
        y[a] = sum[a];
}

static inline void add_velocity(const Friction *f, size_t i, size_t d, size_t m, const double *x,
                                double *velocity)
{
    for (size_t side = 0; side < 2; side++) {
        int body = f->problem->bodies[2 * i + side];
        if (body < 0)
            continue;
        const double *MJ = f->MJ + (2 * i + side) * d * m;
        double *v = velocity + (size_t)body * m;
        for (size_t a = 0; a < d; a++)
            for (size_t k = 0; k < m; k++)
                v[k] += MJ[a * m + k] * x[a];
    }
}

static inline void contact_velocity(const Friction *f, size_t i, size_t d, size_t m,
                                    const double *velocity, double *y)
{
    double sum[3] = {0};
    for (size_t side = 0; side < 2; side++) {
        int body = f->problem->bodies[2 * i + side];
        if (body < 0)
            continue;
        const double *J = f->problem->jacobian + (2 * i + side) * d * m;
        const double *v = velocity + (size_t)body * m;
        for (size_t a = 0; a < d; a++)
            for (size_t k = 0; k < m; k++)
                sum[a] += J[a * m + k] * v[k];
    }
    for (size_t a = 0; a < d; a++)
        y[a] = sum[a];
}

static inline void multiply_sized(const Friction *f, size_t d, size_t m, const double *x, double *y,
                                  double *velocity)
{
    size_t c = (size_t)f->c;
    memset(velocity, 0, (size_t)f->problem->body_count * m * sizeof *velocity);
    for (size_t i = 0; i < c; i++)
        add_velocity(f, i, d, m, x + i * d, velocity);
    for (size_t i = 0; i < c; i++)
        contact_velocity(f, i, d, m, velocity, y + i * d);
}

void friction_multiply(const Friction *f, const double *x, double *y, double *velocity)
{
    if (f->bodies) {
        // sizes as constants: the compiler unrolls the loops
        if (f->d == 3 && f->body_size == 6)
            multiply_sized(f, 3, 6, x, y, velocity);
        else if (f->d == 2 && f->body_size == 3)
            multiply_sized(f, 2, 3, x, y, velocity);
        else
            multiply_sized(f, (size_t)f->d, (size_t)f->body_size, x, y, velocity);
        return;
    }
    for (int i = 0; i < f->c; i++)
        if (f->d == 3)
            multiply_row(f, i, 3, x, y + (size_t)i * 3);
        else
            multiply_row(f, i, 2, x, y + (size_t)i * 2);
}

void friction_apply(Friction *f, const double *r, double *u)
{
    friction_multiply(f, r, u, f->velocity);
    for (size_t k = 0; k < f->size; k++)
        u[k] += f->q[k];
}

// ---- Residuals inside the methods ---------------------------------------------------------------

void friction_project(const Friction *f, size_t i, const double *x, double *nearest)
{
    size_t d = (size_t)f->d;
    if (f->kind[i] == SPRAG_FRICTION_CONTACT) {
        sprag_friction_project(f->d, f->mu[i], x, nearest);
        return;
    }
    for (size_t k = 0; k < d; k++)
        nearest[k] = f->dead[i * d + k] ? 0 : x[k];
}

double friction_shift(const Friction *f, size_t i, const double *u)
{
    if (f->kind[i] != SPRAG_FRICTION_CONTACT)
        return 0;
    return f->mu[i] * (f->d == 3 ? sqrt(u[1] * u[1] + u[2] * u[2]) : fabs(u[1]));
}

static double natural_map(const Friction *f, const double *r, const double *u, bool unit_free)
{
    double sum = 0;
    int d = f->d;
    for (int i = 0; i < f->c; i++) {
        const double *ri = r + (size_t)i * (size_t)d, *ui = u + (size_t)i * (size_t)d;
        double w = unit_free ? f->weight[i] : 1, share = 0, nearest[3];
        if (f->kind[i] != SPRAG_FRICTION_CONTACT) {
            for (int k = 0; k < d; k++)
                sum += ui[k] * ui[k];
            continue;
        }
        double shift = friction_shift(f, (size_t)i, ui);
        double y[3] = {(ui[0] + shift) / w, ui[1] / w, d == 3 ? ui[2] / w : 0};
        double x[3] = {ri[0] - y[0], ri[1] - y[1], d == 3 ? ri[2] - y[2] : 0};
        sprag_friction_project(d, f->mu[i], x, nearest);
        for (int k = 0; k < d; k++) {
            // r − nearest, but ũ does not drown in a large r
            double miss = nearest[0] > 0 ? y[k] + (x[k] - nearest[k]) : ri[k];
            share += miss * miss;
        }
        sum += w * w * share;
    }
    return isfinite(sum) ? sqrt(sum) / f->norm_q : INFINITY;
}

double friction_natural(const Friction *f, const double *r, const double *u)
{
    return natural_map(f, r, u, false);
}

double friction_unit_free(const Friction *f, const double *r, const double *u)
{
    return natural_map(f, r, u, true);
}

double friction_judge(Friction *f, SpragFrictionMethod method)
{
    double residual = friction_natural(f, f->r, f->u);
    if (residual < f->best_residual) {
        f->best_residual = residual;
        f->best_method = method;
        memcpy(f->best, f->r, f->size * sizeof *f->best);
    }
    return residual;
}
