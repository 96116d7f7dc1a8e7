// system_project.c: closed contacts stay closed: projection of positions and velocities.
// Problem   least δ in the metric of M with gap(q + δ) = 0; least δ with J (v + δ) + drift = 0
// Method    δ = −M⁻¹Jᵀ (J M⁻¹ Jᵀ)⁺ r, repeated: Newton's method for positions, and once more for
//           velocities to remove the rounding of the first solve.
// Limits    gaps that nearly depend on each other (two corners that meet on a floor) need a step of
//           r/s, s the sine of their angle, which the curvature spoils where (r/s)² exceeds r times
//           the size: rows with s² below that are left out, as dependent ones are.
#include <float.h>
#include <math.h>
#include <string.h>

#include "joint_private.h"

enum { MOST_STEPS = 12 };
// A step that leaves more than this part of the residual has met rounding (or a bad start).
static const double STALLED = 0.5;
// Residuals below this part of the system's size and speed are rounding.
static const double ROUNDING = 4 * DBL_EPSILON;
// Newton's step may spoil this part of what it repairs by its curvature.
static const double SPOILT = 1e-2;
// … but rows with a larger square of the sine are clearly apart, and no error is so large.
static const double CLEAR = 1e-2;

// Scratch of one projection, carved from one block.
typedef struct Scratch {
    double *J, *MJ;   // m × n: rows, and rows times M⁻¹
    double *G;        // m × m
    double *r, *x;    // m
    double *position; // position_count: where the last step came from
    double *still;    // n zeros
    double *step;     // n, in space
    int *order;       // m
    int *contact;     // m: whose row it is, of rates
} Scratch;

static bool scratch_init(SpragSystem *system, size_t m, Scratch *scratch)
{
    size_t n = (size_t)system->velocity_count;
    size_t order = (2 * m * sizeof(int) + sizeof(double) - 1) / sizeof(double);
    size_t positions = (size_t)sprag_system_position_count(system);
    double *work = system_work(system, 2 * m * n + m * m + 2 * m + 2 * n + positions + order);
    if (!work)
        return false;
    scratch->J = work;
    scratch->MJ = scratch->J + m * n;
    scratch->G = scratch->MJ + m * n;
    scratch->r = scratch->G + m * m;
    scratch->x = scratch->r + m;
    scratch->position = scratch->x + m;
    scratch->still = scratch->position + positions;
    scratch->step = scratch->still + n;
    scratch->order = (int *)(void *)(scratch->step + n);
    scratch->contact = scratch->order + m;
    memset(scratch->still, 0, n * sizeof *scratch->still);
    return true;
}

// target += −M⁻¹Jᵀ (J M⁻¹ Jᵀ)⁺ r; returns the number of rows that count, which are first in order.
static int correct(SpragSystem *system, int m, Scratch *scratch, double dependent, double *target)
{
    size_t n = (size_t)system->velocity_count;
    for (int i = 0; i < m; i++)
        system_apply_inertia(system, scratch->J + (size_t)i * n, scratch->MJ + (size_t)i * n);
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += scratch->J[(size_t)i * n + k] * scratch->MJ[(size_t)j * n + k];
            scratch->G[i * m + j] = sum;
        }
    }
    int rank = semidefinite_solve(m, scratch->G, scratch->r, dependent, scratch->x, scratch->order);
    for (int i = 0; i < m; i++)
        for (size_t k = 0; k < n; k++)
            target[k] -= scratch->x[i] * scratch->MJ[(size_t)i * n + k];
    return rank;
}

// Positions take the same step along their shifts.
static int correct_position(SpragSystem *system, int m, Scratch *scratch, double dependent,
                            double *q)
{
    if (!is_spatial(system))
        return correct(system, m, scratch, dependent, q);
    memset(scratch->step, 0, (size_t)system->velocity_count * sizeof *scratch->step);
    int rank = correct(system, m, scratch, dependent, scratch->step);
    sprag_system_position_shift(system, scratch->step, q);
    return rank;
}

static double largest(int m, const double *r)
{
    double most = 0;
    for (int i = 0; i < m; i++)
        most = fmax(most, fabs(r[i]));
    return most;
}

static double largest_of(int count, const int *order, const double *r)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(r[order[i]]));
    return most;
}

// Gaps that are wanted of contacts (NULL: zero).
typedef struct Wanted {
    int count;
    const int *contacts;
    const double *gaps;
} Wanted;

// Gaps, less those wanted, and normal rows at q. A contact that cannot touch here is left out.
static SpragStatus evaluate_gaps(SpragSystem *system, double t, const Wanted *wanted,
                                 const double *q, Scratch *scratch, int *m)
{
    *m = 0;
    SPRAG_TRY(system_set_state(system, t, q, NULL));
    for (int i = 0; i < wanted->count; i++) {
        Evaluation evaluation;
        int contact = wanted->contacts[i];
        if (is_velocity_level(system, contact))
            continue;
        SPRAG_TRY(contact_evaluate(system, t, q, scratch->still, contact, &evaluation));
        if (!isfinite(evaluation.gap))
            continue;
        contact_row(system, &evaluation, 0,
                    scratch->J + (size_t)*m * (size_t)system->velocity_count);
        scratch->r[(*m)++] = evaluation.gap - (wanted->gaps ? wanted->gaps[i] : 0);
    }
    return SPRAG_OK;
}

SpragStatus sprag_system_project_gaps(SpragSystem *system, double t, int count, const int *contacts,
                                      const double *gaps, double *q, double *residual)
{
    if (system->joints)
        return joints_project_gaps(system, t, count, contacts, gaps, q, residual);
    Scratch scratch;
    Wanted wanted = {count, contacts, gaps};
    int m;
    size_t bytes = (size_t)sprag_system_position_count(system) * sizeof *q;
    double least = ROUNDING * system->size;
    if (!scratch_init(system, (size_t)count, &scratch))
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(evaluate_gaps(system, t, &wanted, q, &scratch, &m));
    *residual = largest(m, scratch.r);
    for (int step = 0; step < MOST_STEPS && least < *residual; step++) {
        int rows = m;
        double dependent = fmin(*residual / (SPOILT * system->size), CLEAR);
        memcpy(scratch.position, q, bytes);
        int rank = correct_position(system, m, &scratch, dependent, q);
        double before = largest_of(rank, scratch.order, scratch.r);
        SPRAG_TRY(evaluate_gaps(system, t, &wanted, q, &scratch, &m));
        double after = m == rows ? largest_of(rank, scratch.order, scratch.r) : INFINITY;
        if (!(after < before)) {
            memcpy(q, scratch.position, bytes);
            break;
        }
        *residual = largest(m, scratch.r);
        if (after > STALLED * before)
            break;
    }
    return SPRAG_OK;
}

SpragStatus sprag_system_project_position(SpragSystem *system, double t, int count,
                                          const int *contacts, double *q, double *residual)
{
    return sprag_system_project_gaps(system, t, count, contacts, NULL, q, residual);
}

// The contacts of a projection.
typedef struct Chosen {
    int count;
    const int *contacts;
    const bool *stick;
} Chosen;

// Rates and rows at (q, v): gap rates, and slips where the contact sticks.
static SpragStatus evaluate_rates(SpragSystem *system, double t, const double *q, const double *v,
                                  const Chosen *chosen, Scratch *scratch, int *m)
{
    size_t n = (size_t)system->velocity_count;
    *m = 0;
    if (system->model)
        model_set_state(system, t, q, v);
    for (int i = 0; i < chosen->count; i++) {
        Evaluation evaluation;
        SPRAG_TRY(contact_evaluate(system, t, q, v, chosen->contacts[i], &evaluation));
        if (!isfinite(evaluation.gap))
            continue;
        int rows = chosen->stick && chosen->stick[i] ? evaluation.row_count : 1;
        for (int r = 0; r < rows; r++) {
            contact_row(system, &evaluation, r, scratch->J + (size_t)*m * n);
            scratch->contact[*m] = i;
            scratch->r[(*m)++] = r == 0 ? evaluation.gap_rate : evaluation.slip[r - 1];
        }
    }
    return SPRAG_OK;
}

// Rows of one contact are at right angles. Where they seem to depend on each other, a body hardly
// has inertia about some point, and rows that are as far apart as they are do not depend either.
static double dependent_rates(SpragSystem *system, int m, const Scratch *scratch, double dependent)
{
    const double far = 1e-2;
    size_t n = (size_t)system->velocity_count;
    for (int i = 0; i + 1 < m; i++) {
        const double *a = scratch->J + (size_t)i * n, *b = a + n, *Ma = scratch->MJ + (size_t)i * n;
        double aa = 0, ab = 0, bb = 0;
        if (scratch->contact[i] != scratch->contact[i + 1])
            continue;
        for (size_t k = 0; k < n; k++) {
            aa += a[k] * Ma[k];
            ab += b[k] * Ma[k];
            bb += b[k] * Ma[n + k];
        }
        if (aa > 0 && bb > 0)
            dependent = fmin(dependent, far * (1 - ab / aa * (ab / bb)));
    }
    return fmax(dependent, 0);
}

SpragStatus sprag_system_project_velocity(SpragSystem *system, double t, const double *q, int count,
                                          const int *contacts, const bool *stick, double *v,
                                          double *residual)
{
    if (system->joints)
        return joints_project_velocity(system, t, q, count, contacts, stick, v, residual);
    Scratch scratch;
    Chosen chosen = {count, contacts, stick};
    int m;
    size_t rows = (size_t)sprag_system_row_count(system, count, contacts);
    size_t n = (size_t)system->velocity_count;
    if (!scratch_init(system, rows, &scratch))
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(system_set_state(system, t, q, v));
    SPRAG_TRY(evaluate_rates(system, t, q, v, &chosen, &scratch, &m));
    *residual = largest(m, scratch.r);
    double least = ROUNDING * system->rest_speed;
    double dependent = system->gap_tolerance / (SPOILT * system->size);
    for (int i = 0; i < m && least < *residual; i++)
        system_apply_inertia(system, scratch.J + (size_t)i * n, scratch.MJ + (size_t)i * n);
    if (least < *residual)
        dependent = dependent_rates(system, m, &scratch, dependent);
    for (int step = 0; step < 2 && least < *residual; step++) {
        correct(system, m, &scratch, dependent, v);
        SPRAG_TRY(evaluate_rates(system, t, q, v, &chosen, &scratch, &m));
        *residual = largest(m, scratch.r);
    }
    return SPRAG_OK;
}
