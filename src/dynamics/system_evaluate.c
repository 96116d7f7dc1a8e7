// system_evaluate.c: all contacts at a state, the contact problem of some, forces and powers.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dynamics_private.h"

// ---- Kinematics ---------------------------------------------------------------------------------

static double slip_size(const Evaluation *evaluation)
{
    return hypot(evaluation->slip[0], evaluation->slip[1]);
}

static SpragContactState classify(const Evaluation *evaluation,
                                  const SpragContactTolerances *tolerances)
{
    if (evaluation->gap > tolerances->gap)
        return SPRAG_CONTACT_OPEN;
    if (evaluation->gap_rate > tolerances->rate)
        return SPRAG_CONTACT_LEAVING;
    if (evaluation->gap_rate < -tolerances->rate)
        return SPRAG_CONTACT_APPROACHING;
    return slip_size(evaluation) > tolerances->slip ? SPRAG_CONTACT_SLIDING : SPRAG_CONTACT_RESTING;
}

SpragStatus sprag_system_kinematics(SpragSystem *system, double t, const double *q, const double *v,
                                    const SpragContactTolerances *tolerances,
                                    SpragContactKinematics *kinematics)
{
    if (system->model)
        model_set_state(system, q, v);
    for (int i = 0; i < system->contact_count; i++) {
        Evaluation evaluation;
        SPRAG_TRY(contact_evaluate(system, t, q, v, i, &evaluation));
        SpragContactKinematics *item = &kinematics[i];
        item->state = classify(&evaluation, tolerances);
        item->gap = evaluation.gap;
        item->gap_rate = evaluation.gap_rate;
        memcpy(item->slip, evaluation.slip, sizeof item->slip);
        item->friction_static = evaluation.friction_static;
        item->friction_kinetic = evaluation.friction_kinetic;
        item->point = evaluation.point;
        item->normal = evaluation.normal;
    }
    return SPRAG_OK;
}

// ---- Held features ------------------------------------------------------------------------------

void sprag_system_hold(SpragSystem *system, const double *q, int count, const int *contacts)
{
    if (!system->model)
        return;
    if (system->contact_count > 0)
        memset(system->holds, 0, (size_t)system->contact_count * sizeof *system->holds);
    if (count > 0)
        model_set_state(system, q, NULL);
    for (int i = 0; i < count; i++)
        (void)sprag_collider_hold(system->collider, contacts[i], system->frames,
                                  &system->holds[contacts[i]]);
}

bool sprag_system_can_change(const SpragSystem *system, int contact)
{
    return system->model && sprag_collider_can_change(system->collider, contact);
}

static double held_sign(const SpragSystem *system, int contact)
{
    if (!system->model || !system->holds[contact].kind)
        return 1;
    const SpragHold *hold = &system->holds[contact];
    return sprag_collider_is_held(system->collider, contact, hold, system->frames) ? 1 : -1;
}

// ---- The contact problem ------------------------------------------------------------------------

static SpragStatus add_inertia(SpragSystem *system, SpragContactProblem *problem)
{
    int n = system->velocity_count;
    double *inverse;
    if (!system->model) {
        SPRAG_TRY(sprag_contact_problem_add_block(problem, n, &inverse));
        memcpy(inverse, system->inverse_inertia, (size_t)n * (size_t)n * sizeof *inverse);
        return SPRAG_OK;
    }
    for (int i = 0; i < n; i += BODY_SIZE) {
        SPRAG_TRY(sprag_contact_problem_add_block(problem, BODY_SIZE, &inverse));
        for (int k = 0; k < BODY_SIZE; k++)
            inverse[k * BODY_SIZE + k] = system->inverse_mass[i + k];
    }
    return SPRAG_OK;
}

static SpragStatus add_rows(SpragSystem *system, const Evaluation *evaluation, int row,
                            SpragContactProblem *problem)
{
    for (int r = 0; r < evaluation->row_count; r++) {
        problem->bias[row + r] = evaluation->bias[r];
        for (int side = 0; side < SPRAG_ROW_BLOCKS; side++) {
            double *entries;
            if (evaluation->block[side] < 0)
                continue;
            SPRAG_TRY(sprag_contact_problem_add_row_block(problem, row + r, evaluation->block[side],
                                                          &entries));
            if (system->model)
                memcpy(entries, evaluation->entries[r][side], BODY_SIZE * sizeof *entries);
            else
                contact_row(system, evaluation, r, entries);
        }
    }
    return SPRAG_OK;
}

// Stiffness and damping that do not depend on the force.
static void set_layer(const SpragSystem *system, int contact, SpragConstraint *constraint)
{
    if (!system->model)
        return;
    const SpragSlot *slot = sprag_collider_slot(system->collider, contact);
    if (slot->compliance_given && slot->compliance.law == SPRAG_COMPLIANCE_KELVIN_VOIGT)
        (void)sprag_compliance_linearize(&slot->compliance, 0, constraint->stiffness,
                                         constraint->damping);
}

static SpragStatus add_contact(SpragSystem *system, int contact, const Evaluation *evaluation,
                               bool sliding, SpragContactProblem *problem)
{
    SpragConstraint *constraint;
    SpragConstraintKind kind =
        system->model ? SPRAG_CONSTRAINT_CONTACT : system->contacts[contact].kind;
    SPRAG_TRY(sprag_contact_problem_add(problem, kind, &constraint));
    constraint->sliding = sliding && evaluation->row_count > 1;
    constraint->friction = mu_at(evaluation, slip_size(evaluation), sliding);
    memcpy(constraint->slip, evaluation->slip, sizeof constraint->slip);
    constraint->id = contact;
    snprintf(constraint->name, sizeof constraint->name, "%s",
             sprag_system_contact_name(system, contact));
    set_layer(system, contact, constraint);
    return add_rows(system, evaluation, constraint->row, problem);
}

// M⁻¹ (u − h) at the state last set.
static SpragStatus free_motion(SpragSystem *system, double t, const double *q, const double *v,
                               double *force, double *acceleration)
{
    if (system->model)
        model_force(system, force);
    else
        SPRAG_TRY(user_force(system, t, q, v, force));
    system_apply_inertia(system, force, acceleration);
    return SPRAG_OK;
}

static SpragStatus begin_problem(SpragSystem *system, double t, const double *q, const double *v,
                                 SpragContactProblem *problem)
{
    sprag_contact_problem_clear(problem, system->dimension);
    SPRAG_TRY(system_set_state(system, t, q, v));
    SPRAG_TRY(add_inertia(system, problem));
    double *force = system_work(system, (size_t)system->velocity_count);
    if (!force)
        return SPRAG_ERROR_MEMORY;
    return free_motion(system, t, q, v, force, problem->free_acceleration);
}

SpragStatus sprag_system_build_problem(SpragSystem *system, double t, const double *q,
                                       const double *v, const SpragContactTolerances *tolerances,
                                       SpragContactProblem *problem)
{
    SPRAG_TRY(begin_problem(system, t, q, v, problem));
    for (int i = 0; i < system->contact_count; i++) {
        Evaluation evaluation;
        SPRAG_TRY(contact_evaluate(system, t, q, v, i, &evaluation));
        SpragContactState state = classify(&evaluation, tolerances);
        if (state == SPRAG_CONTACT_RESTING || state == SPRAG_CONTACT_SLIDING)
            SPRAG_TRY(add_contact(system, i, &evaluation, state == SPRAG_CONTACT_SLIDING, problem));
    }
    return sprag_contact_problem_assemble(problem);
}

static SpragStatus check_touching(const SpragSystem *system, int contact,
                                  const Evaluation *evaluation)
{
    if (evaluation->gap == INFINITY)
        return sprag_fail(system->context, SPRAG_ERROR_NUMERIC,
                          "contact %s cannot touch in this configuration",
                          sprag_system_contact_name(system, contact));
    return SPRAG_OK;
}

SpragStatus sprag_system_build_active(SpragSystem *system, double t, const double *q,
                                      const double *v, int count, const int *contacts,
                                      const bool *sliding, SpragContactProblem *problem)
{
    SPRAG_TRY(begin_problem(system, t, q, v, problem));
    for (int i = 0; i < count; i++) {
        Evaluation evaluation;
        SPRAG_TRY(contact_evaluate(system, t, q, v, contacts[i], &evaluation));
        SPRAG_TRY(check_touching(system, contacts[i], &evaluation));
        SPRAG_TRY(add_contact(system, contacts[i], &evaluation, sliding[i], problem));
    }
    return sprag_contact_problem_assemble(problem);
}

// ---- Samples ------------------------------------------------------------------------------------

int sprag_system_row_count(const SpragSystem *system, int count, const int *contacts)
{
    int rows = 0;
    for (int i = 0; i < count; i++)
        rows += contact_rows(system, contacts[i]);
    return rows;
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

// W = J M⁻¹ Jᵀ; column: M⁻¹ Jᵀ, kept (rows × n) if `stride` is n, else scratch (n).
static void build_delassus(const SpragSystem *system, int rows, const double *J, double *column,
                           size_t stride, double *W)
{
    int n = system->velocity_count;
    for (int s = 0; s < rows; s++, column += stride) {
        system_apply_inertia(system, J + (size_t)s * (size_t)n, column);
        for (int r = s; W && r < rows; r++)
            W[r * rows + s] = W[s * rows + r] = dot(n, J + (size_t)r * (size_t)n, column);
    }
}

static void sample_contact(const SpragSystem *system, const Evaluation *evaluation, int contact,
                           int row, const SpragSystemSample *sample)
{
    int tangents = system->dimension - 1;
    if (sample->gap)
        sample->gap[contact] = evaluation->gap;
    if (sample->gap_rate)
        sample->gap_rate[contact] = evaluation->gap_rate;
    for (int k = 0; sample->slip && k < tangents; k++)
        sample->slip[contact * tangents + k] = evaluation->slip[k];
    if (sample->friction) {
        sample->friction[2 * contact] = evaluation->friction_static;
        sample->friction[2 * contact + 1] = mu_at(evaluation, slip_size(evaluation), true);
    }
    for (int r = 0; sample->bias && r < evaluation->row_count; r++)
        sample->bias[row + r] = evaluation->bias[r];
    for (int r = 0; sample->b && r < evaluation->row_count; r++)
        sample->b[row + r] = evaluation->bias[r];
}

// Gaps of a model's contacts alone need no rows.
static bool wants_only_gaps(const SpragSystem *system, const SpragSystemSample *sample)
{
    return system->model && sample->gap && !sample->gap_rate && !sample->slip && !sample->J &&
           !sample->bias && !sample->W && !sample->b && !sample->free_acceleration &&
           !sample->friction && !sample->response && !sample->held && !sample->power;
}

static double gap_alone(const SpragSystem *system, int contact)
{
    const SpragHold *hold = &system->holds[contact];
    if (!hold->kind)
        return sprag_collider_distance(system->collider, contact, system->frames);
    SpragGap gap;
    sprag_collider_held_gap(system->collider, contact, hold, system->frames, &gap);
    return gap.gap;
}

SpragStatus sprag_system_sample(SpragSystem *system, double t, const double *q, const double *v,
                                int count, const int *contacts, const SpragSystemSample *sample)
{
    size_t n = (size_t)system->velocity_count;
    size_t rows = (size_t)sprag_system_row_count(system, count, contacts);
    bool needs_inertia = sample->W || sample->response;
    bool needs_rows = sample->J || sample->b || needs_inertia;
    bool needs_force = sample->b || sample->free_acceleration;
    double *work = system_work(system, 3 * n + rows * n);
    if (!work)
        return SPRAG_ERROR_MEMORY;
    double *force = work, *free = work + n, *column = free + n;
    double *J = sample->J ? sample->J : column + n;
    if (system->model || needs_inertia || needs_force)
        SPRAG_TRY(system_set_state(system, t, q, v));
    if (wants_only_gaps(system, sample)) {
        for (int i = 0; i < count; i++)
            sample->gap[i] = gap_alone(system, contacts[i]);
        return SPRAG_OK;
    }
    int row = 0;
    for (int i = 0; i < count; i++) {
        Evaluation evaluation;
        SPRAG_TRY(contact_evaluate(system, t, q, v, contacts[i], &evaluation));
        sample_contact(system, &evaluation, i, row, sample);
        if (sample->held)
            sample->held[i] = held_sign(system, contacts[i]);
        for (int r = 0; needs_rows && r < evaluation.row_count; r++)
            contact_row(system, &evaluation, r, J + (size_t)(row + r) * n);
        row += contact_rows(system, contacts[i]);
    }
    if (needs_inertia)
        build_delassus(system, row, J, sample->response ? sample->response : column,
                       sample->response ? n : 0, sample->W);
    if (sample->power) {
        memset(sample->power, 0, sizeof *sample->power);
        if (system->model)
            model_power(system, sample->power);
    }
    if (!needs_force)
        return SPRAG_OK;
    SPRAG_TRY(free_motion(system, t, q, v, force, free));
    for (int r = 0; sample->b && r < row; r++)
        sample->b[r] += dot((int)n, J + (size_t)r * n, free);
    if (sample->free_acceleration)
        memcpy(sample->free_acceleration, free, n * sizeof *free);
    return SPRAG_OK;
}

// ---- Forces, energies, powers -------------------------------------------------------------------

SpragStatus sprag_system_force(SpragSystem *system, double t, const double *q, const double *v,
                               double *force)
{
    if (!system->model)
        return user_force(system, t, q, v, force);
    model_set_state(system, q, v);
    model_force(system, force);
    return SPRAG_OK;
}

SpragStatus sprag_system_contact_force(SpragSystem *system, double t, const double *q,
                                       const double *v, int count, const int *contacts,
                                       const double *lambda, double *force)
{
    int n = system->velocity_count, row = 0;
    double *entries = system_work(system, (size_t)n);
    if (!entries)
        return SPRAG_ERROR_MEMORY;
    if (system->model)
        model_set_state(system, q, v);
    memset(force, 0, (size_t)n * sizeof *force);
    for (int i = 0; i < count; i++) {
        Evaluation evaluation;
        SPRAG_TRY(contact_evaluate(system, t, q, v, contacts[i], &evaluation));
        for (int r = 0; r < evaluation.row_count; r++, row++) {
            contact_row(system, &evaluation, r, entries);
            for (int k = 0; k < n; k++)
                force[k] += lambda[row] * entries[k];
        }
    }
    return SPRAG_OK;
}

SpragStatus sprag_system_energy(SpragSystem *system, double t, const double *q, const double *v,
                                double *kinetic, double *potential, double *elastic)
{
    *elastic = 0;
    if (!system->model)
        return user_energy(system, t, q, v, kinetic, potential);
    model_set_state(system, q, v);
    model_energy(system, kinetic, potential, elastic);
    return SPRAG_OK;
}

SpragStatus sprag_system_power(SpragSystem *system, double t, const double *q, const double *v,
                               int count, const int *contacts, const double *lambda,
                               SpragSystemPower *power)
{
    memset(power, 0, sizeof *power);
    if (system->model) {
        model_set_state(system, q, v);
        model_power(system, power);
    }
    int row = 0;
    for (int i = 0; i < count; i++) {
        Evaluation evaluation;
        SPRAG_TRY(contact_evaluate(system, t, q, v, contacts[i], &evaluation));
        // what the boundary puts in: λ times J v less the drift, and the slip's part is friction
        power->surface += lambda[row++] * (evaluation.gap_rate - evaluation.normal_drift);
        for (int k = 0; k + 1 < evaluation.row_count; k++, row++) {
            power->friction -= lambda[row] * evaluation.slip[k];
            power->surface -= lambda[row] * evaluation.slip_drift[k];
        }
    }
    return SPRAG_OK;
}
