// inverse.c: the forces of drives along a prescribed motion, and whether they would make it.
// Problem   joints with a `drive` move as told; the contact problem at a state has motions,
//           each with the forces that its drives need. Under these forces as loads, without the
//           drives, does the forward problem return the same accelerations, and stably?
//           theory.md 9.1, 9.4
// Method    the multipliers of the drives' rows; then the system of the same model with its drives
//           replaced by loads on their joints, analysed at the same state
#include <math.h>
#include <string.h>

#include "sprag/motion.h"

// Accelerations this near, relative to the largest, are the same motion.
static const double SAME = 1e-6;

typedef struct Inverse {
    SpragContext *context;
    const SpragModel *model;
    SpragSystem *system;
    const SpragInverseState *state;
    int n;
    double *force; // a joint: of its drive
    double *now;   // n: accelerations under the drives
    double *then;  // n: of a motion without them
} Inverse;

// Forces along driven joints that are not the drive's: springs, dampers, loads, controllers. They
// are what is left of `force` when the joint is not driven.
static SpragStatus other_forces(Inverse *inverse, SpragSystem *free, SpragJointState *states)
{
    const SpragInverseState *s = inverse->state;
    return sprag_system_joints(free, s->t, s->q, s->v, 0, NULL, NULL, states);
}

static SpragStatus driven_forces(Inverse *inverse, SpragJointState *states)
{
    const SpragInverseState *s = inverse->state;
    const SpragContactProblem *p = s->problem;
    int *contacts =
        sprag_alloc(inverse->context, (size_t)p->constraint_count + 1, sizeof *contacts);
    if (!contacts)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < p->constraint_count; i++)
        contacts[i] = p->constraints[i].id;
    SpragStatus status = sprag_system_joints(inverse->system, s->t, s->q, s->v, p->constraint_count,
                                             contacts, s->motion->force, states);
    sprag_free(inverse->context, contacts);
    return status;
}

static bool is_same(const Inverse *inverse, const SpragContactProblem *problem)
{
    const double *g = inverse->model->gravity;
    double difference = 0, size = fmax(hypot(g[0], g[1]), fabs(g[2]));
    for (int r = 0; r < problem->row_count; r++)
        size = fmax(size, fabs(problem->b[r]));
    for (int i = 0; i < inverse->n; i++) {
        difference = fmax(difference, fabs(inverse->now[i] - inverse->then[i]));
        size = fmax(size, fmax(fabs(inverse->now[i]), fabs(inverse->then[i])));
    }
    return difference <= SAME * size;
}

// The forward problem of the system without drives.
static SpragStatus look_forward(Inverse *inverse, SpragSystem *free, SpragInverse *result)
{
    const SpragInverseState *s = inverse->state;
    SpragAnalysisSettings settings = sprag_analysis_default();
    SpragContactProblem problem;
    SpragAnalysis *analysis = NULL;
    SpragVerdict verdict;
    SpragContactTolerances tolerances = sprag_system_tolerances(free, s->v);
    SpragStatus status;
    sprag_contact_problem_init(&problem, inverse->context);
    for (int i = 0; i < inverse->n; i++)
        settings.moving |= fabs(s->v[i]) > tolerances.slip;
    SPRAG_TRY_CLEANUP(sprag_system_build_problem(free, s->t, s->q, s->v, &tolerances, &problem));
    SPRAG_TRY_CLEANUP(sprag_analysis_create(inverse->context, &analysis));
    SPRAG_TRY_CLEANUP(sprag_analysis_run(analysis, &problem, &settings, &verdict));
    result->solution_count = verdict.solution_count;
    result->stable_count = verdict.stable_count;
    result->realised = SPRAG_REALISED_NO;
    result->known = verdict.complete;
    for (int i = 0; i < verdict.solution_count; i++) {
        sprag_contact_problem_acceleration(&problem, verdict.solutions[i].motion->force,
                                           inverse->then);
        if (!is_same(inverse, &problem))
            continue;
        result->realised = !verdict.solutions[i].stable ? SPRAG_REALISED_UNSTABLE
                           : verdict.stable_count > 1   ? SPRAG_REALISED_AMONG
                                                        : SPRAG_REALISED_YES;
        break;
    }
cleanup:
    sprag_analysis_destroy(analysis);
    sprag_contact_problem_destroy(&problem);
    return status;
}

// The system of a model without drives; what was placed with them stays there.
static SpragStatus open_free(const Inverse *inverse, const SpragModel *copy, SpragSystem **free)
{
    SPRAG_TRY(sprag_system_create_model(copy, free));
    sprag_system_adopt_joints(*free, inverse->system);
    return SPRAG_OK;
}

// ---- The model without drives -------------------------------------------------------------------

// A model that shares everything with the given one but its joints, which nothing drives, and has
// the forces of the drives as loads behind its own.
static SpragStatus share_model(Inverse *inverse, SpragModel *copy)
{
    const SpragModel *model = inverse->model;
    size_t joints = (size_t)model->joint_count, loads = (size_t)model->load_count;
    *copy = *model;
    copy->joints = sprag_alloc(inverse->context, joints + 1, sizeof *copy->joints);
    copy->loads = sprag_alloc(inverse->context, loads + joints + 1, sizeof *copy->loads);
    if (!copy->joints || !copy->loads)
        return SPRAG_ERROR_MEMORY;
    memcpy(copy->joints, model->joints, joints * sizeof *copy->joints);
    if (loads > 0)
        memcpy(copy->loads, model->loads, loads * sizeof *copy->loads);
    for (size_t j = 0; j < joints; j++)
        copy->joints[j].driven = false;
    return SPRAG_OK;
}

static void add_loads(const Inverse *inverse, SpragModel *copy)
{
    for (int j = 0; j < inverse->model->joint_count; j++) {
        const SpragJoint *joint = &inverse->model->joints[j];
        bool along = joint->kind == SPRAG_JOINT_PRISMATIC || joint->kind == SPRAG_JOINT_DISTANCE;
        SpragLoad load = {.body = -1, .on_joint = true, .joint = j};
        if (!joint->driven)
            continue;
        load.force[0] = along ? inverse->force[j] : 0;
        load.torque = along ? 0 : inverse->force[j];
        copy->loads[copy->load_count++] = load;
    }
}

static SpragStatus compare(Inverse *inverse, SpragJointState *states, SpragInverse *result)
{
    const SpragModel *model = inverse->model;
    SpragModel copy;
    SpragSystem *free = NULL;
    SpragJointState *others = states + model->joint_count;
    SpragStatus status = share_model(inverse, &copy);
    if (status == SPRAG_OK)
        status = open_free(inverse, &copy, &free);
    // what acts along a joint beside its drive
    if (status == SPRAG_OK)
        status = other_forces(inverse, free, others);
    sprag_system_destroy(free);
    free = NULL;
    for (int j = 0; status == SPRAG_OK && j < model->joint_count; j++)
        inverse->force[j] = model->joints[j].driven ? states[j].force - others[j].force : 0;
    if (status == SPRAG_OK) {
        add_loads(inverse, &copy);
        status = open_free(inverse, &copy, &free);
    }
    if (status == SPRAG_OK)
        status = look_forward(inverse, free, result);
    sprag_system_destroy(free);
    sprag_free(inverse->context, copy.joints);
    sprag_free(inverse->context, copy.loads);
    return status;
}

SpragStatus sprag_inverse_dynamics(SpragSystem *system, const SpragInverseState *state,
                                   double *force, SpragInverse *result)
{
    SpragContext *context = sprag_system_context(system);
    const SpragModel *model = sprag_system_model(system);
    size_t n = (size_t)sprag_system_velocity_count(system);
    size_t joints = model ? (size_t)model->joint_count : 0;
    Inverse inverse = {.context = context,
                       .model = model,
                       .system = system,
                       .state = state,
                       .n = (int)n,
                       .force = force};
    SpragStatus status = SPRAG_OK;
    *result = (SpragInverse){.realised = SPRAG_REALISED_NO};
    for (size_t j = 0; j < joints; j++) {
        result->drive_count += model->joints[j].driven;
        force[j] = 0;
    }
    if (result->drive_count == 0)
        return SPRAG_OK;
    inverse.now = sprag_alloc(context, 2 * n + 1, sizeof *inverse.now);
    SpragJointState *states = sprag_alloc(context, 2 * joints + 1, sizeof *states);
    if (!inverse.now || !states)
        status = SPRAG_ERROR_MEMORY;
    inverse.then = inverse.now + n;
    if (status == SPRAG_OK) {
        sprag_contact_problem_acceleration(state->problem, state->motion->force, inverse.now);
        status = driven_forces(&inverse, states);
    }
    if (status == SPRAG_OK)
        status = compare(&inverse, states, result);
    sprag_free(context, states);
    sprag_free(context, inverse.now);
    return status;
}
