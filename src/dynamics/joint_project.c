// joint_project.c: projection of positions and velocities on joints and closed contacts together.
// Problem   least δ in the metric of M with e(q + δ) = 0 and gap(q + δ) = 0; least δ with
//           E (v + δ) + drift = 0 and J (v + δ) + drift = 0
// Method    as system_project.c, with all rows stacked: δ = −M⁻¹Aᵀ (A M⁻¹ Aᵀ)⁺ r, repeated; rows
//           have entries of two bodies, so that a chain costs little. Angles count times the size.
#include <float.h>
#include <math.h>
#include <string.h>

#include "joint_private.h"

enum { MOST_STEPS = 12 };
// The same numbers as in system_project.c.
static const double STALLED = 0.5, ROUNDING = 4 * DBL_EPSILON, SPOILT = 1e-2, CLEAR = 1e-2;

// Rows of one joint are as far apart as this part of what is left of the last of them.
static const double APART = 1e-2;

// Of the tolerance: joints with a larger error are open.
static const double OPEN = 1e3;

typedef struct Stack {
    SpragSystem *system;
    int count;      // rows in use
    int joints;     // of them, at the beginning
    double *G;      // most²
    double *whole;  // most
    double *r, *x;  // most
    double *step;   // velocity_count
    double *before; // position_count
    double *still;  // velocity_count zeros
    int *order;     // 4 most
    int *owner;     // most: the joint of a row
} Stack;

// Contacts of a projection, with what is wanted of them.
typedef struct Wanted {
    int count;
    const int *contacts;
    const double *gaps; // NULL: zero
    const bool *stick;  // NULL: nowhere
} Wanted;

static SpragStatus stack_begin(SpragSystem *system, const Wanted *wanted, Stack *stack)
{
    Joints *joints = system->joints;
    size_t most = (size_t)(joints->row_count +
                           sprag_system_row_count(system, wanted->count, wanted->contacts));
    size_t n = (size_t)system->velocity_count;
    size_t positions = (size_t)sprag_system_position_count(system);
    size_t order = (5 * most * sizeof(int) + sizeof(double) - 1) / sizeof(double);
    SPRAG_TRY(sprag_reserve(system->context, &joints->stack, &joints->stack_capacity, most + 1,
                            sizeof *joints->stack));
    SPRAG_TRY(sprag_reserve(system->context, &joints->gram, &joints->gram_capacity,
                            most * most + 3 * most + 2 * n + positions + order + 1,
                            sizeof *joints->gram));
    *stack = (Stack){.system = system, .G = joints->gram};
    stack->whole = stack->G + most * most;
    stack->r = stack->whole + most;
    stack->x = stack->r + most;
    stack->step = stack->x + most;
    stack->still = stack->step + n;
    stack->before = stack->still + n;
    stack->order = (int *)(void *)(stack->before + positions);
    stack->owner = stack->order + 4 * most;
    memset(stack->still, 0, n * sizeof *stack->still);
    return SPRAG_OK;
}

// A row of a joint or a contact, in metres.
static PairRow *push(Stack *stack, double scale, double r)
{
    PairRow *row = &stack->system->joints->stack[stack->count];
    stack->r[stack->count++] = scale * r;
    return row;
}

static void push_joint(Stack *stack, const PairRow *given, double r)
{
    double scale = given->angle ? stack->system->size : 1;
    PairRow *row = push(stack, scale, r);
    *row = *given;
    for (int i = 0; i < SPRAG_ROW_BLOCKS; i++)
        for (int k = 0; k < SPACE_VELOCITIES; k++)
            row->entries[i][k] *= scale;
}

static void push_contact(Stack *stack, const Evaluation *evaluation, int r, double value)
{
    double scale = evaluation->angle ? stack->system->size : 1;
    PairRow *row = push(stack, scale, value);
    size_t size = (size_t)body_size(stack->system);
    for (int i = 0; i < SPRAG_ROW_BLOCKS; i++) {
        row->block[i] = evaluation->block[i];
        if (row->block[i] < 0)
            continue;
        memcpy(row->entries[i], evaluation->entries[r][i], size * sizeof(double));
        for (size_t k = 0; k < size; k++)
            row->entries[i][k] *= scale;
    }
}

// The error at which row i of a joint is wanted: that of a layer that is about to begin.
static double wanted_error(const Joints *joints, int joint, int i)
{
    const JointItem *item = &joints->items[joint];
    int bearing = bearing_of_row(item, i);
    return bearing < 0
               ? 0
               : joints->contacts[item->contact + bearing].offset[i - item->bearing_row[bearing]];
}

static void push_joints(Stack *stack, bool rates)
{
    SpragSystem *system = stack->system;
    const Joints *joints = system->joints;
    joints_evaluate(system);
    for (int j = 0; j < joints->count; j++) {
        const JointItem *item = &joints->items[j];
        for (int i = 0; item->ready && i < item->row_count; i++) {
            const PairRow *row = &joints->rows[item->row + i];
            if (joint_row_is_soft(joints, j, i))
                continue;
            stack->owner[stack->count] = j;
            push_joint(stack, row, rates ? row->rate : row->value - wanted_error(joints, j, i));
        }
    }
    stack->joints = stack->count;
}

// What is left of the last of up to three rows along axes of one joint, from `first` on, by G: the
// axes are at right angles, so this is little only where a body hardly has inertia about its
// centre.
static double least_part(const Stack *stack, int first, int count)
{
    double L[3][3], least = 1;
    for (int i = 0; i < count; i++)
        for (int j = 0; j <= i; j++) {
            double sum = stack->G[(first + i) * stack->count + first + j];
            for (int k = 0; k < j; k++)
                sum -= L[i][k] * L[j][k];
            if (i > j) {
                L[i][j] = sum / L[j][j];
                continue;
            }
            least = fmin(least, sum / stack->whole[first + i]);
            if (!(sum > 0))
                return 0;
            L[i][i] = sqrt(sum);
        }
    return least;
}

// Rows of which so little is left do not depend on each other either: as dependent_rates in
// system_project.c for contacts. theory.md (1.11)
static double dependent_rows(const Stack *stack, double dependent)
{
    for (int first = 0, end; first < stack->joints; first = end) {
        for (end = first + 1; end < stack->joints && end < first + 3; end++)
            if (stack->owner[end] != stack->owner[first] || stack->system->joints->stack[end].angle)
                break;
        if (!stack->system->joints->stack[first].angle)
            dependent = fmin(dependent, APART * least_part(stack, first, end - first));
    }
    return dependent;
}

// δ = −M⁻¹Aᵀ (A M⁻¹ Aᵀ)⁺ r in stack->step; returns the number of rows that count, which are first
// in the order.
static int find_step(Stack *stack, double dependent)
{
    SpragSystem *system = stack->system;
    PairRow *rows = system->joints->stack;
    int m = stack->count;
    for (int i = 0; i < m; i++)
        pair_row_weigh(system, &rows[i]);
    gram_build(system, m, NULL, rows, stack->order, stack->G);
    for (int i = 0; i < m; i++)
        stack->whole[i] = stack->G[i * m + i];
    dependent = dependent_rows(stack, dependent);
    // where a contact contradicts joints it is the contact that gives way
    int rank = gram_factor(m, stack->joints, stack->G, stack->whole, dependent, stack->order);
    gram_solve(m, stack->G, rank, stack->order, stack->r, stack->x);
    memset(stack->step, 0, (size_t)system->velocity_count * sizeof *stack->step);
    for (int i = 0; i < m; i++)
        if (stack->x[i] != 0)
            pair_row_add(system, &rows[i], -stack->x[i], stack->step);
    return rank;
}

static double largest(int count, const int *order, const double *r)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(r[order ? order[i] : i]));
    return most;
}

// ---- Positions ----------------------------------------------------------------------------------

static SpragStatus evaluate_gaps(Stack *stack, double t, const Wanted *wanted, const double *q)
{
    SpragSystem *system = stack->system;
    stack->count = 0;
    model_set_state(system, t, q, NULL);
    push_joints(stack, false);
    for (int i = 0; i < wanted->count; i++) {
        Evaluation evaluation;
        int contact = wanted->contacts[i];
        // the normals of a bearing are rows of its joint
        if (sprag_system_contact_kind(system, contact) == SPRAG_CONSTRAINT_BEARING)
            continue;
        SPRAG_TRY(contact_evaluate(system, t, q, stack->still, contact, &evaluation));
        if (isfinite(evaluation.gap))
            push_contact(stack, &evaluation, 0,
                         evaluation.gap - (wanted->gaps ? wanted->gaps[i] : 0));
    }
    return SPRAG_OK;
}

// Rows of joints that stay open: drives that contradict each other, a mechanism that is driven
// beyond its dead point.
static SpragStatus check_joints(const Stack *stack, double t)
{
    const SpragSystem *system = stack->system;
    const Joints *joints = system->joints;
    for (int j = 0, r = 0; j < joints->count; j++)
        for (int i = 0; joints->items[j].ready && i < joints->items[j].row_count; i++) {
            if (joint_row_is_soft(joints, j, i))
                continue;
            if (!(fabs(stack->r[r]) <= OPEN * system->gap_tolerance))
                return sprag_fail(system->context, SPRAG_ERROR_NUMERIC,
                                  "the joint %s cannot follow at t = %.9g: its error is %.2g m",
                                  system->model->joints[j].name, t, fabs(stack->r[r]));
            r++;
        }
    return SPRAG_OK;
}

SpragStatus joints_project_gaps(SpragSystem *system, double t, int count, const int *contacts,
                                const double *gaps, double *q, double *residual)
{
    Stack stack;
    Wanted wanted = {.count = count, .contacts = contacts, .gaps = gaps};
    size_t bytes = (size_t)sprag_system_position_count(system) * sizeof *q;
    double least = ROUNDING * system->size;
    SPRAG_TRY(stack_begin(system, &wanted, &stack));
    SPRAG_TRY(evaluate_gaps(&stack, t, &wanted, q));
    *residual = largest(stack.count, NULL, stack.r);
    for (int step = 0; step < MOST_STEPS && least < *residual; step++) {
        int rows = stack.count;
        int rank = find_step(&stack, fmin(*residual / (SPOILT * system->size), CLEAR));
        double before = largest(rank, stack.order, stack.r);
        memcpy(stack.before, q, bytes);
        sprag_system_position_shift(system, stack.step, q);
        SPRAG_TRY(evaluate_gaps(&stack, t, &wanted, q));
        double after = stack.count == rows ? largest(rank, stack.order, stack.r) : INFINITY;
        if (!(after < before)) {
            memcpy(q, stack.before, bytes);
            SPRAG_TRY(evaluate_gaps(&stack, t, &wanted, q));
            break;
        }
        *residual = largest(stack.count, NULL, stack.r);
        if (after > STALLED * before)
            break;
    }
    return check_joints(&stack, t);
}

// ---- Velocities ---------------------------------------------------------------------------------

static SpragStatus push_rates(Stack *stack, double t, const double *q, const double *v,
                              const Wanted *wanted, int i)
{
    SpragSystem *system = stack->system;
    Evaluation evaluation;
    int contact = wanted->contacts[i];
    bool bearing = sprag_system_contact_kind(system, contact) == SPRAG_CONSTRAINT_BEARING;
    SPRAG_TRY(contact_evaluate(system, t, q, v, contact, &evaluation));
    if (!isfinite(evaluation.gap))
        return SPRAG_OK;
    if (!bearing)
        push_contact(stack, &evaluation, 0, evaluation.gap_rate);
    bool sticks = wanted->stick && wanted->stick[i];
    for (int k = 0; sticks && k + evaluation.normals < evaluation.row_count; k++)
        push_contact(stack, &evaluation, evaluation.normals + k, evaluation.slip[k]);
    return SPRAG_OK;
}

static SpragStatus evaluate_rates(Stack *stack, double t, const double *q, const double *v,
                                  const Wanted *wanted)
{
    stack->count = 0;
    model_set_state(stack->system, t, q, v);
    push_joints(stack, true);
    for (int i = 0; i < wanted->count; i++)
        SPRAG_TRY(push_rates(stack, t, q, v, wanted, i));
    return SPRAG_OK;
}

SpragStatus joints_project_velocity(SpragSystem *system, double t, const double *q, int count,
                                    const int *contacts, const bool *stick, double *v,
                                    double *residual)
{
    Stack stack;
    Wanted wanted = {.count = count, .contacts = contacts, .stick = stick};
    double least = ROUNDING * system->rest_speed;
    double dependent = system->gap_tolerance / (SPOILT * system->size);
    SPRAG_TRY(stack_begin(system, &wanted, &stack));
    SPRAG_TRY(evaluate_rates(&stack, t, q, v, &wanted));
    *residual = largest(stack.count, NULL, stack.r);
    for (int step = 0; step < 2 && least < *residual; step++) {
        find_step(&stack, dependent);
        for (int k = 0; k < system->velocity_count; k++)
            v[k] += stack.step[k];
        SPRAG_TRY(evaluate_rates(&stack, t, q, v, &wanted));
        *residual = largest(stack.count, NULL, stack.r);
    }
    return SPRAG_OK;
}

// ---- How far off --------------------------------------------------------------------------------

SpragStatus sprag_system_joint_error(SpragSystem *system, double t, const double *q,
                                     const double *v, double *error, double *rate)
{
    *error = *rate = 0;
    if (!system->joints)
        return SPRAG_OK;
    const Joints *joints = system->joints;
    model_set_state(system, t, q, v);
    joints_evaluate(system);
    for (int j = 0; j < joints->count; j++)
        for (int i = 0; i < joints->items[j].row_count; i++) {
            const PairRow *row = &joints->rows[joints->items[j].row + i];
            double scale = row->angle ? system->size : 1;
            if (joint_row_is_soft(joints, j, i))
                continue;
            *error = fmax(*error, scale * fabs(row->value));
            *rate = fmax(*rate, scale * fabs(row->rate));
        }
    return SPRAG_OK;
}
