// system_evaluate.c: all contacts at a state, the contact problem of some, forces and powers.
#include <math.h>
#include <string.h>

#include "joint_private.h"

// ---- Kinematics ---------------------------------------------------------------------------------

static SpragContactState classify(const SpragSystem *system, const Evaluation *evaluation,
                                  const SpragContactTolerances *tolerances)
{
    // tolerances are lengths; an angle counts at the distance of the size
    double arm = evaluation->angle ? system->size : 1;
    if (evaluation->gap * arm > tolerances->gap)
        return SPRAG_CONTACT_OPEN;
    if (evaluation->gap_rate * arm > tolerances->rate)
        return SPRAG_CONTACT_LEAVING;
    if (evaluation->gap_rate * arm < -tolerances->rate)
        return SPRAG_CONTACT_APPROACHING;
    double least = tolerances->slip;
    if (evaluation->law->kind == SPRAG_FRICTION_KARNOPP)
        least = fmax(least, evaluation->law->speed);
    return contact_slip(evaluation) > least ? SPRAG_CONTACT_SLIDING : SPRAG_CONTACT_RESTING;
}

SpragStatus sprag_system_kinematics(SpragSystem *system, double t, const double *q, const double *v,
                                    const SpragContactTolerances *tolerances,
                                    SpragContactKinematics *kinematics)
{
    if (system->model)
        model_set_state(system, t, q, v);
    for (int i = 0; i < system->contact_count; i++) {
        Evaluation evaluation;
        SPRAG_TRY(contact_evaluate(system, t, q, v, i, &evaluation));
        SpragContactKinematics *item = &kinematics[i];
        item->state = classify(system, &evaluation, tolerances);
        item->gap = evaluation.gap;
        item->gap_rate = evaluation.gap_rate;
        memcpy(item->slip, evaluation.slip, sizeof item->slip);
        item->friction_static = evaluation.friction_static;
        item->friction_kinetic = evaluation.friction_kinetic;
        item->point = evaluation.point;
        item->normal = evaluation.normal;
        if (is_spatial(system))
            memcpy(item->tangent, evaluation.tangent, sizeof item->tangent);
    }
    return SPRAG_OK;
}

// Largest distance from a closed contact to the centre of mass of one of its bodies.
static double contact_length(const SpragSystem *system, const double *q,
                             const SpragContactKinematics *kinematics)
{
    double length = 0;
    bool space = is_spatial(system);
    for (int i = system->joint_contacts; i < system->contact_count; i++) {
        const SpragSlot *slot = sprag_collider_slot(system->collider, i - system->joint_contacts);
        for (int side = 0; kinematics[i].state != SPRAG_CONTACT_OPEN && side < 2; side++) {
            int first = sprag_system_body_position(system, slot->body[side]);
            if (first >= 0 && space)
                length = fmax(length, sprag_vec3_norm(sprag_vec3_sub(kinematics[i].point,
                                                                     sprag_vec3_of(q + first))));
            else if (first >= 0)
                length = fmax(length, hypot(kinematics[i].point.x - q[first],
                                            kinematics[i].point.y - q[first + 1]));
        }
    }
    return length > 0 ? length : 1;
}

double sprag_system_time_scale(const SpragSystem *system, const double *q, const double *v,
                               const SpragContactKinematics *kinematics)
{
    double length = system->model ? contact_length(system, q, kinematics) : system->size;
    double fastest = 0, scale = INFINITY;
    double acceleration = system->model ? system->acceleration
                                        : system->rest_speed * system->rest_speed / system->size;
    for (int i = 0; system->model && i < system->velocity_count; i += body_size(system))
        fastest = fmax(fastest, is_spatial(system) ? space_speed(v + i) : hypot(v[i], v[i + 1]));
    if (acceleration > 0)
        scale = sqrt(length / acceleration);
    if (fastest > 0)
        scale = fmin(scale, length / fastest);
    return isfinite(scale) ? scale : 1;
}

// ---- Held features ------------------------------------------------------------------------------

void sprag_system_hold(SpragSystem *system, const double *q, const double *v, int count,
                       const int *contacts)
{
    if (!system->model)
        return;
    if (is_spatial(system)) {
        if (count > 0)
            model_set_state(system, system->time, q, v);
        space_hold(system, count, contacts);
        return;
    }
    // marked by their complement: those that go on may keep what they hold
    int joints = system->joint_contacts;
    for (int i = 0; i < count; i++)
        if (contacts[i] >= joints)
            system->holds[contacts[i] - joints].kind = ~system->holds[contacts[i] - joints].kind;
    for (int i = 0; i < system->contact_count - joints; i++)
        system->holds[i].kind = system->holds[i].kind < 0 ? ~system->holds[i].kind : 0;
    if (count > 0)
        model_set_state(system, system->time, q, v);
    for (int i = 0; i < count; i++) {
        int slot = contacts[i] - joints;
        if (slot >= 0)
            (void)sprag_collider_hold(system->collider, slot, system->frames, &system->holds[slot]);
    }
}

bool sprag_system_can_change(const SpragSystem *system, int contact)
{
    int slot = contact - system->joint_contacts;
    return system->model && slot >= 0 && sprag_collider_can_change(system->collider, slot);
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
    int count = n / body_size(system);
    for (int i = 0; i < count; i++) {
        int group = system->joints ? system->joints->group_of[i] : -1;
        if (group < 0) {
            SPRAG_TRY(sprag_contact_problem_add_block(problem, body_size(system), &inverse));
            body_block(system, i, inverse);
            continue;
        }
        int bodies = system->joints->groups[group].block_count;
        SPRAG_TRY(sprag_contact_problem_add_block(problem, bodies * body_size(system), &inverse));
        SPRAG_TRY(joints_block(system, group, inverse));
        i += bodies - 1;
    }
    return SPRAG_OK;
}

// Where the entries of a body stand: the problem's block, and how far in it.
static int problem_block(const SpragSystem *system, int block, int *offset)
{
    *offset = 0;
    if (!system->joints)
        return block;
    const Joints *joints = system->joints;
    int group = joints->group_of[block], number = block;
    for (int g = 0; g < joints->group_count && joints->groups[g].block <= block; g++)
        if (g != group)
            number -= joints->groups[g].block_count - 1;
    if (group >= 0) {
        *offset = block - joints->groups[group].block;
        number -= *offset;
        *offset *= body_size(system);
    }
    return number;
}

// One row of a model with joints: both of its bodies may be in one block.
static SpragStatus add_coupled_row(SpragSystem *system, const Evaluation *evaluation, int r,
                                   int row, SpragContactProblem *problem)
{
    size_t size = (size_t)body_size(system);
    double *entries = NULL;
    int last = -1;
    for (int side = 0; side < SPRAG_ROW_BLOCKS; side++) {
        int offset, block = evaluation->block[side];
        if (block < 0)
            continue;
        block = problem_block(system, block, &offset);
        if (block != last)
            SPRAG_TRY(sprag_contact_problem_add_row_block(problem, row + r, block, &entries));
        last = block;
        memcpy(entries + offset, evaluation->entries[r][side], size * sizeof *entries);
    }
    return SPRAG_OK;
}

static SpragStatus add_rows(SpragSystem *system, const Evaluation *evaluation, int row,
                            SpragContactProblem *problem)
{
    for (int r = 0; r < evaluation->row_count; r++) {
        problem->bias[row + r] = evaluation->bias[r];
        if (r < evaluation->pressed) {
            SPRAG_TRY(sprag_contact_problem_add_hidden(problem, row + r, evaluation->weight[r]));
            continue;
        }
        if (system->joints) {
            SPRAG_TRY(add_coupled_row(system, evaluation, r, row, problem));
            continue;
        }
        for (int side = 0; side < SPRAG_ROW_BLOCKS; side++) {
            double *entries;
            if (evaluation->block[side] < 0)
                continue;
            SPRAG_TRY(sprag_contact_problem_add_row_block(problem, row + r, evaluation->block[side],
                                                          &entries));
            if (system->model)
                memcpy(entries, evaluation->entries[r][side],
                       (size_t)body_size(system) * sizeof *entries);
            else
                contact_row(system, evaluation, r, entries);
        }
    }
    return SPRAG_OK;
}

// Mass of the body of a contact, of two the reduced one; 0: none is free.
static double pair_mass(const SpragSystem *system, const SpragSlot *slot)
{
    double inverse = 0;
    for (int side = 0; side < 2; side++)
        if (system->coordinate[slot->body[side]] >= 0)
            inverse += system->inverse_mass[system->coordinate[slot->body[side]]];
    return inverse > 0 ? 1 / inverse : 0;
}

// A layer given by epsilon and length is measured by that mass and T = √(L/g), without gravity 1 s,
// theory.md 5.4.
static bool resolve_layer(const SpragSystem *system, const SpragSlot *slot, SpragCompliance *layer)
{
    const double *g = system->model->gravity;
    double gravity = is_spatial(system) ? space_speed(g) : hypot(g[0], g[1]);
    return sprag_compliance_resolve(&slot->compliance, pair_mass(system, slot),
                                    gravity > 0 ? sqrt(slot->compliance.length / gravity) : 1,
                                    layer);
}

void sprag_system_pair(const SpragSystem *system, int contact, SpragContactPair *pair)
{
    *pair = (SpragContactPair){0};
    if (!system->model) {
        const SpragSystemContact *given = &system->contacts[contact];
        pair->compliance = given->compliance;
        pair->friction_law = given->friction_law;
        pair->restitution = given->restitution;
        pair->model = given->model;
        return;
    }
    if (contact < system->joint_contacts) {
        int joint = system->joints->contacts[contact].joint;
        pair->restitution = system->model->joints[joint].restitution;
        bool bearing = system->joints->contacts[contact].kind == SPRAG_CONSTRAINT_BEARING;
        pair->model = bearing ? system->model->joints[joint].model : SPRAG_PAIR_RIGID;
        if (bearing)
            joint_layer(system, contact, &pair->compliance);
        return;
    }
    const SpragSlot *slot = sprag_collider_slot(system->collider, contact - system->joint_contacts);
    if (!slot->compliance_given || !resolve_layer(system, slot, &pair->compliance))
        pair->compliance = (SpragCompliance){0};
    pair->mass = pair_mass(system, slot);
    pair->friction_law = slot->friction_law;
    pair->restitution = slot->restitution;
    pair->model = slot->pair_model;
}

// The layer that the scene gives: numbers where they do not depend on the force, else the law.
// There 0 means that nothing is given, so that a damping of 0 that is meant becomes a trace.
static void set_bearing_layer(const SpragSystem *system, int contact, SpragConstraint *constraint)
{
    SpragContactPair pair;
    SpragLayer whole;
    sprag_system_pair(system, contact, &pair);
    // one that is soft already has its force, whatever its layer
    if (sprag_system_is_soft(system, contact))
        return;
    constraint->share = joint_friction_share(system, contact);
    if (pair.compliance.law == SPRAG_COMPLIANCE_RIGID ||
        !sprag_layer_complete(&pair.compliance, 1, 0, &whole))
        return;
    for (int k = 0; k < constraint->row_count; k++) {
        constraint->stiffness[k] = whole.stiffness;
        constraint->damping[k] =
            fmax(whole.damping, SPRAG_COMPLIANCE_LEAST_DAMPING * sqrt(whole.stiffness));
    }
}

static void set_layer(const SpragSystem *system, int contact, SpragConstraint *constraint)
{
    SpragContactPair pair;
    SpragLayer whole;
    if (constraint->kind == SPRAG_CONSTRAINT_BEARING) {
        set_bearing_layer(system, contact, constraint);
        return;
    }
    // most contacts give none, and a pair is long to copy
    const SpragSlot *slot = sprag_system_slot(system, contact);
    if (system->model && (!slot || !slot->compliance_given))
        return;
    sprag_system_pair(system, contact, &pair);
    const SpragCompliance *given = &pair.compliance;
    double mass = slot ? pair_mass(system, slot) : 1;
    if (given->law == SPRAG_COMPLIANCE_RIGID || !sprag_layer_complete(given, mass, 0, &whole))
        return;
    bool trace = given->tangential_damping_given && given->tangential_damping == 0;
    bool undamped = sprag_compliance_is_damped(given) && given->damping == 0 && given->alpha == 0;
    if (given->law == SPRAG_COMPLIANCE_KELVIN_VOIGT) {
        (void)sprag_compliance_linearize(given, 0, constraint->stiffness, constraint->damping);
        for (int i = 0; i < 3 && undamped; i++)
            if (constraint->damping[i] == 0)
                constraint->damping[i] =
                    2 * SPRAG_COMPLIANCE_LEAST_DAMPING * sqrt(constraint->stiffness[i] * mass);
        for (int i = 1; i < 3 && trace; i++)
            constraint->damping[i] = whole.tangential_damping;
        return;
    }
    constraint->law = (SpragForceLaw){
        .stiffness = given->stiffness,
        .exponent = given->exponent,
        .alpha = undamped ? SPRAG_COMPLIANCE_LEAST_DAMPING : given->alpha,
        .tangential_stiffness = given->tangential_stiffness,
        .tangential_damping = trace ? whole.tangential_damping : given->tangential_damping};
}

// What fits of a name; snprintf would be a good part of building a small problem.
static void copy_name(const char *name, char *place, size_t size)
{
    size_t length = strnlen(name, size - 1);
    memcpy(place, name, length);
    place[length] = 0;
}

// The row that presses a bearing beside its own normals: the second normal of its sibling, which
// comes before it.
static int shared_row(const SpragSystem *system, int contact, const SpragContactProblem *problem)
{
    int sibling = sprag_system_contact_shared(system, contact);
    for (int i = 0; sibling >= 0 && i < problem->constraint_count; i++)
        if (problem->constraints[i].id == sibling)
            return problem->constraints[i].row + 1;
    return -1;
}

static SpragStatus add_contact(SpragSystem *system, int contact, const Evaluation *evaluation,
                               bool sliding, SpragContactProblem *problem)
{
    SpragConstraint *constraint;
    SpragConstraintKind kind = sprag_system_contact_kind(system, contact);
    int shared = shared_row(system, contact, problem);
    SPRAG_TRY(kind == SPRAG_CONSTRAINT_BEARING
                  ? sprag_contact_problem_add_bearing(problem, evaluation->normals,
                                                      evaluation->row_count - evaluation->normals,
                                                      &constraint)
                  : sprag_contact_problem_add(problem, kind, &constraint));
    constraint->shared = shared;
    // theory.md (7.2): at every slip the force is known, and at zero slip it is zero
    if (law_is_function(evaluation->law))
        sliding = contact_slip(evaluation) > 0;
    constraint->sliding = sliding && evaluation->row_count > 1;
    constraint->friction = mu_at(evaluation, sliding);
    memcpy(constraint->slip, evaluation->slip, sizeof constraint->slip);
    constraint->id = contact;
    copy_name(sprag_system_contact_name(system, contact), constraint->name,
              sizeof constraint->name);
    set_layer(system, contact, constraint);
    return add_rows(system, evaluation, constraint->row, problem);
}

// Normals of a bearing that repeat what other joints say: nothing moves them, and what is left of W
// and b is rounding, which would contradict itself. So are accelerations far below those that
// anything gives a body.
static void hold_repeated(SpragSystem *system, SpragContactProblem *problem)
{
    const double rounding = 1e-11, still = 1e-14 * system->acceleration;
    int n = problem->row_count;
    for (int c = 0; system->joints && c < problem->constraint_count; c++) {
        const SpragConstraint *item = &problem->constraints[c];
        if (item->kind != SPRAG_CONSTRAINT_BEARING || sprag_system_is_soft(system, item->id))
            continue;
        for (int k = 0; k < item->row_count; k++) {
            int r = item->row + k;
            if (fabs(problem->b[r]) <= still)
                problem->b[r] = 0;
            if (k >= sprag_constraint_normals(item))
                continue;
            if (problem->W[r * (n + 1)] >
                rounding * sprag_system_bearing_inverse(system, item->id, k))
                continue;
            sprag_contact_problem_hold_row(problem, r);
        }
    }
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
    return system_free_motion(system, t, q, v, force, problem->free_acceleration);
}

// Whether a model's contact is open at the state last set: the gap alone costs much less than all.
static bool is_far(const SpragSystem *system, int contact, const SpragContactTolerances *tolerances)
{
    int slot = contact - system->joint_contacts;
    if (slot < 0)
        return false;
    if (is_spatial(system))
        return sprag_collider_space_distance(system->collider, slot, system->poses,
                                             space_grip(system, slot)) > tolerances->gap;
    return system->model && !system->holds[slot].kind &&
           sprag_collider_distance(system->collider, slot, system->frames) > tolerances->gap;
}

SpragStatus sprag_system_build_problem(SpragSystem *system, double t, const double *q,
                                       const double *v, const SpragContactTolerances *tolerances,
                                       SpragContactProblem *problem)
{
    SPRAG_TRY(begin_problem(system, t, q, v, problem));
    for (int i = 0; i < system->contact_count; i++) {
        Evaluation evaluation;
        if (is_far(system, i, tolerances))
            continue;
        SPRAG_TRY(contact_evaluate(system, t, q, v, i, &evaluation));
        SpragContactState state = classify(system, &evaluation, tolerances);
        if (state == SPRAG_CONTACT_RESTING || state == SPRAG_CONTACT_SLIDING)
            SPRAG_TRY(add_contact(system, i, &evaluation, state == SPRAG_CONTACT_SLIDING, problem));
    }
    SPRAG_TRY(sprag_contact_problem_assemble(problem));
    hold_repeated(system, problem);
    return SPRAG_OK;
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
    SPRAG_TRY(sprag_contact_problem_assemble(problem));
    hold_repeated(system, problem);
    return SPRAG_OK;
}

// ---- Forces, energies, powers -------------------------------------------------------------------

SpragStatus sprag_system_force(SpragSystem *system, double t, const double *q, const double *v,
                               double *force)
{
    if (!system->model)
        return user_force(system, t, q, v, force);
    model_set_state(system, t, q, v);
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
        model_set_state(system, t, q, v);
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
    model_set_state(system, t, q, v);
    model_energy(system, kinetic, potential, elastic);
    return SPRAG_OK;
}

SpragStatus sprag_system_power(SpragSystem *system, double t, const double *q, const double *v,
                               int count, const int *contacts, const double *lambda,
                               SpragSystemPower *power)
{
    memset(power, 0, sizeof *power);
    if (system->joints)
        SPRAG_TRY(joints_power_of_drives(system, t, q, v, count, contacts, lambda, power));
    if (system->model) {
        model_set_state(system, t, q, v);
        model_power(system, power);
    }
    int row = 0;
    for (int i = 0; i < count; i++) {
        Evaluation evaluation;
        SPRAG_TRY(contact_evaluate(system, t, q, v, contacts[i], &evaluation));
        // what the boundary puts in: λ times J v less the drift, and the slip's part is friction
        power->surface += lambda[row++] * (evaluation.gap_rate - evaluation.normal_drift);
        for (int k = 1; k < evaluation.normals; k++)
            power->surface -= lambda[row++] * evaluation.further_drift[k - 1];
        for (int k = 0; k + evaluation.normals < evaluation.row_count; k++, row++) {
            power->friction -= lambda[row] * evaluation.slip[k];
            power->surface -= lambda[row] * evaluation.slip_drift[k];
        }
    }
    return SPRAG_OK;
}
