// system_check.c: does a system agree with itself? Rows, drifts and biases by finite differences.
// Problem   along q(s) = q + v s at time t + s, with v held:
//               d gap/ds = N v + drift,   d (N v + drift)/ds = N' v + …,  the same for slips;
//           and d gap/dq_j = N_j one by one.
// Method    central differences with a step of STEP relative to the size of the system: truncation
//           STEP² and rounding 1e-16/STEP are both near 1e-10 for functions of order 1.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "joint_private.h"

static const double STEP = 6e-6; // about the cube root of the rounding unit

// A contact on one side of the difference.
typedef struct Side {
    double gap, rate, slip[SPRAG_CONSTRAINT_WAYS];
} Side;

typedef struct Check {
    SpragSystem *system;
    double t, tolerance;
    const double *q, *v;
    double *moved; // position_count
    double *shift; // velocity_count
    double *N;     // velocity_count: normal row at q
} Check;

static SpragStatus evaluate_side(Check *check, double dt, const double *q, int contact, Side *side)
{
    Evaluation evaluation;
    double t = check->t + dt;
    if (check->system->model)
        model_set_state(check->system, t, q, check->v);
    SPRAG_TRY(contact_evaluate(check->system, t, q, check->v, contact, &evaluation));
    side->gap = evaluation.gap;
    side->rate = evaluation.gap_rate;
    memcpy(side->slip, evaluation.slip, sizeof side->slip);
    return SPRAG_OK;
}

// value against difference, relative to `scale` and to both.
static SpragStatus compare(const Check *check, int contact, const char *what, double value,
                           double difference, double scale)
{
    double size = fmax(scale, fmax(fabs(value), fabs(difference)));
    if (!(fabs(value - difference) > check->tolerance * size))
        return SPRAG_OK;
    return sprag_fail(check->system->context, SPRAG_ERROR_INPUT,
                      "contact %s: %s is %.9g, finite differences give %.9g",
                      sprag_system_contact_name(check->system, contact), what, value, difference);
}

static double norm(int n, const double *a)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * a[i];
    return sqrt(sum);
}

// Step in the direction of velocity j, as large as what it changes.
static double step_along(const Check *check, int j)
{
    const SpragSystem *system = check->system;
    if (!is_spatial(system))
        return STEP * fmax(system->size, fabs(check->q[j]));
    int k = j % SPACE_VELOCITIES, first = j / SPACE_VELOCITIES * SPACE_POSITIONS;
    return k < 3 ? STEP * fmax(system->size, fabs(check->q[first + k])) : STEP;
}

static void move_along(Check *check, int j, double h)
{
    const SpragSystem *system = check->system;
    size_t n = (size_t)system->velocity_count, m = (size_t)sprag_system_position_count(system);
    memcpy(check->moved, check->q, m * sizeof(double));
    memset(check->shift, 0, n * sizeof(double));
    check->shift[j] = h;
    sprag_system_position_shift(system, check->shift, check->moved);
}

// q at the velocities v for a time h.
static void move_on(Check *check, double h)
{
    const SpragSystem *system = check->system;
    memcpy(check->moved, check->q, (size_t)sprag_system_position_count(system) * sizeof(double));
    for (int i = 0; i < system->velocity_count; i++)
        check->shift[i] = h * check->v[i];
    sprag_system_position_shift(system, check->shift, check->moved);
}

static SpragStatus check_normal_row(Check *check, int contact)
{
    int n = check->system->velocity_count;
    double scale = norm(n, check->N);
    for (int j = 0; j < n; j++) {
        Side before, after;
        double h = step_along(check, j);
        move_along(check, j, -h);
        SPRAG_TRY(evaluate_side(check, 0, check->moved, contact, &before));
        move_along(check, j, h);
        SPRAG_TRY(evaluate_side(check, 0, check->moved, contact, &after));
        if (!isfinite(before.gap) || !isfinite(after.gap))
            continue;
        char what[48];
        snprintf(what, sizeof what, "entry %d of the normal row", j);
        SPRAG_TRY(
            compare(check, contact, what, check->N[j], (after.gap - before.gap) / (2 * h), scale));
    }
    return SPRAG_OK;
}

static SpragStatus check_rates(Check *check, int contact, const Evaluation *now)
{
    SpragSystem *system = check->system;
    int n = system->velocity_count;
    double speed = norm(n, check->v);
    double h = STEP * (speed > 0 ? system->size / speed : 1);
    Side before, after;
    move_on(check, -h);
    SPRAG_TRY(evaluate_side(check, -h, check->moved, contact, &before));
    move_on(check, h);
    SPRAG_TRY(evaluate_side(check, h, check->moved, contact, &after));
    if (!isfinite(before.gap) || !isfinite(after.gap))
        return SPRAG_OK;
    double scale = speed * norm(n, check->N), fast = scale * speed / system->size;
    bool bearing = sprag_system_contact_kind(system, contact) == SPRAG_CONSTRAINT_BEARING;
    if (!is_velocity_level(system, contact) && !bearing)
        SPRAG_TRY(compare(check, contact, "the gap rate (N v + drift)", now->gap_rate,
                          (after.gap - before.gap) / (2 * h), scale));
    if (!bearing) // normals of a bearing are rows of its joint
        SPRAG_TRY(compare(check, contact, "the normal bias", now->bias[0],
                          (after.rate - before.rate) / (2 * h), fast));
    for (int k = 0; k + now->normals < now->row_count; k++)
        SPRAG_TRY(compare(check, contact, "the tangent bias", now->bias[k + now->normals],
                          (after.slip[k] - before.slip[k]) / (2 * h), fast));
    return SPRAG_OK;
}

static SpragStatus check_gripped(Check *check, int contact)
{
    SpragSystem *system = check->system;
    Evaluation now;
    SPRAG_TRY(contact_evaluate(system, check->t, check->q, check->v, contact, &now));
    if (!isfinite(now.gap))
        return SPRAG_OK;
    contact_row(system, &now, 0, check->N);
    if (!is_velocity_level(system, contact) &&
        sprag_system_contact_kind(system, contact) != SPRAG_CONSTRAINT_BEARING)
        SPRAG_TRY(check_normal_row(check, contact));
    return check_rates(check, contact, &now);
}

// In space a contact is held while it is looked at: without that the other features that meet a
// step on, or another world axis for the tangents, would be differences, too.
static SpragStatus check_contact(Check *check, int contact)
{
    SpragSystem *system = check->system;
    int slot = contact - system->joint_contacts;
    if (system->model)
        model_set_state(system, check->t, check->q, check->v);
    if (!system->model || !is_spatial(system) || slot < 0 || space_grip(system, slot))
        return check_gripped(check, contact);
    sprag_collider_grip(system->collider, slot, system->poses, &system->grips[slot]);
    SpragStatus status = check_gripped(check, contact);
    space_release(system, slot);
    return status;
}

// ---- Joints -------------------------------------------------------------------------------------

// Row r of the joints at another state.
static PairRow joint_row(Check *check, double t, const double *q, int r)
{
    SpragSystem *system = check->system;
    model_set_state(system, t, q, check->v);
    joints_evaluate(system);
    return system->joints->rows[r];
}

static SpragStatus compare_joint(const Check *check, int r, const char *what, double value,
                                 double difference, double scale)
{
    if (fabs(value - difference) <=
        check->tolerance * fmax(scale, fmax(fabs(value), fabs(difference))))
        return SPRAG_OK;
    const Joints *joints = check->system->joints;
    int j = 0;
    while (joints->items[j].row + joints->items[j].row_count <= r)
        j++;
    return sprag_fail(check->system->context, SPRAG_ERROR_INPUT,
                      "joint %s, row %d: %s is %.9g, its difference quotient %.9g",
                      check->system->model->joints[j].name, r - joints->items[j].row, what, value,
                      difference);
}

static SpragStatus check_joint_row(Check *check, int r)
{
    SpragSystem *system = check->system;
    int n = system->velocity_count;
    PairRow now = joint_row(check, check->t, check->q, r);
    pair_row_dense(system, &now, check->N);
    double size = norm(n, check->N), speed = norm(n, check->v);
    for (int j = 0; j < n; j++) {
        double h = step_along(check, j);
        move_along(check, j, -h);
        double before = joint_row(check, check->t, check->moved, r).value;
        move_along(check, j, h);
        double after = joint_row(check, check->t, check->moved, r).value;
        SPRAG_TRY(
            compare_joint(check, r, "an entry", check->N[j], (after - before) / (2 * h), size));
    }
    double h = STEP * (speed > 0 ? system->size / speed : 1);
    move_on(check, -h);
    PairRow before = joint_row(check, check->t - h, check->moved, r);
    move_on(check, h);
    PairRow after = joint_row(check, check->t + h, check->moved, r);
    double scale = size * speed + fabs(now.rate), fast = scale * (speed / system->size + 1);
    SPRAG_TRY(compare_joint(check, r, "the rate", now.rate, (after.value - before.value) / (2 * h),
                            scale));
    return compare_joint(check, r, "the bias", now.bias, (after.rate - before.rate) / (2 * h),
                         fast);
}

// M (or M⁻¹) of a user-defined system: symmetric; definite by Cholesky of what was given.
static SpragStatus check_inertia(Check *check)
{
    SpragSystem *system = check->system;
    int n = system->velocity_count;
    const char *what = system->def.inertia_is_inverse ? "M⁻¹" : "M";
    SPRAG_TRY(user_inertia_given(system, check->t, check->q));
    const double *M = system->inertia;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double size = sqrt(fabs(M[i * n + i] * M[j * n + j]));
            if (fabs(M[i * n + j] - M[j * n + i]) > check->tolerance * size)
                return sprag_fail(system->context, SPRAG_ERROR_INPUT,
                                  "%s is not symmetric: entries [%d][%d] = %.9g, [%d][%d] = %.9g",
                                  what, i, j, M[i * n + j], j, i, M[j * n + i]);
        }
    if (!user_inverse_is_definite(system))
        return sprag_fail(system->context, SPRAG_ERROR_INPUT, "%s is not positive definite", what);
    return SPRAG_OK;
}

static SpragStatus check_energy(Check *check)
{
    SpragSystem *system = check->system;
    int n = system->velocity_count;
    if (!system->def.energy || system->def.inertia_is_inverse)
        return SPRAG_OK;
    double kinetic, potential, expected = 0;
    SPRAG_TRY(user_energy(system, check->t, check->q, check->v, &kinetic, &potential));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            expected += check->v[i] * system->inertia[i * n + j] * check->v[j] / 2;
    if (fabs(kinetic - expected) > check->tolerance * fmax(fabs(kinetic), fabs(expected)))
        return sprag_fail(system->context, SPRAG_ERROR_INPUT,
                          "the kinetic energy is %.9g, half of v M v is %.9g", kinetic, expected);
    return SPRAG_OK;
}

SpragStatus sprag_system_check(SpragSystem *system, double t, const double *q, const double *v,
                               double tolerance)
{
    size_t n = (size_t)system->velocity_count, m = (size_t)sprag_system_position_count(system);
    double *work = system_work(system, 2 * n + m);
    if (!work)
        return SPRAG_ERROR_MEMORY;
    Check check = {.system = system, .t = t, .tolerance = tolerance, .q = q, .v = v};
    check.moved = work;
    check.N = work + m;
    check.shift = check.N + n;
    if (!system->model) {
        SPRAG_TRY(check_inertia(&check));
        SPRAG_TRY(user_force(system, t, q, v, check.moved));
        SPRAG_TRY(check_energy(&check));
    }
    for (int i = 0; i < sprag_system_joint_row_count(system); i++)
        SPRAG_TRY(check_joint_row(&check, i));
    for (int i = 0; i < system->contact_count; i++)
        SPRAG_TRY(check_contact(&check, i));
    return SPRAG_OK;
}
