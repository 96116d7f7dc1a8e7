// system_place.c: least change of a state so that conditions hold.
// Problem   r(q) = 0 with q nearest to the anchor q0 in the metric B⁻¹ (translations 1, angles k²);
//           in space q − q0 is the shift that takes q0 to q
// Method    Gauss–Newton steps with J = dr/dq,
//               anchored  q ← q0 − B Jᵀ(J B Jᵀ)⁺ (r − J (q − q0)): its limit is the nearest point
//               damped    q ← q − σ B Jᵀ(J B Jᵀ)⁺ r, σ halved until the largest residual falls
//           Dependent rows are left out (semidefinite.c).
#include <float.h>
#include <math.h>
#include <string.h>

#include "system_place.h"

// How much easier than a velocity that the scene gives one that it does not give changes.
static const double FOLLOWS = 1e8;

enum { ANCHORED_STEPS = 30, DAMPED_STEPS = 60, HALVINGS = 20, REFINEMENTS = 3 };

SpragStatus place_reserve(Placing *placing, int count)
{
    size_t m = (size_t)count, n = (size_t)placing->system->velocity_count;
    SpragArena *arena = placing->arena;
    double *numbers = sprag_arena_alloc(arena, m * (2 * n + m + 3), sizeof *numbers);
    placing->conditions = sprag_arena_alloc(arena, m, sizeof *placing->conditions);
    placing->order = sprag_arena_alloc(arena, m, sizeof *placing->order);
    if (!numbers || !placing->conditions || !placing->order)
        return SPRAG_ERROR_MEMORY;
    placing->J = numbers;
    placing->BJ = placing->J + m * n;
    placing->G = placing->BJ + m * n;
    placing->r = placing->G + m * m;
    placing->x = placing->r + m;
    placing->change = placing->x + m;
    return SPRAG_OK;
}

static bool is_moving(const SpragBody *body)
{
    return body->velocity[0] != 0 || body->velocity[1] != 0 || body->velocity[2] != 0;
}

static bool may_turn(const Placing *placing, const SpragBody *body, Turning turning)
{
    bool given = placing->level == POSITIONS ? body->angle_given : body->spin_given;
    if (turning == TURN_MOVING)
        return !given && is_moving(body);
    return turning == TURN_ALL || (turning == TURN_FREE && !given);
}

bool place_set_metric(Placing *placing, Turning turning)
{
    const SpragSystem *system = placing->system;
    bool any = false;
    for (int i = 0; i < system->model->body_count; i++) {
        const SpragBody *body = &system->model->bodies[i];
        int at = system->coordinate[i];
        if (at < 0)
            continue;
        bool turns = may_turn(placing, body, turning);
        int size = body_size(system), straight = system->dimension;
        double inertia = is_spatial(system) ? space_mean_inertia(body) : body->inertia;
        // where velocities are given, what is not given follows
        double follows = turning == TURN_MOVING ? FOLLOWS : 1;
        for (int k = 0; k < straight; k++)
            placing->metric[at + k] = is_moving(body) ? 1 : follows;
        for (int k = straight; k < size; k++)
            placing->metric[at + k] = turns ? follows * body->mass / inertia : 0;
        any = any || turns;
    }
    return any;
}

static double point_condition(const Placing *placing, const Condition *condition, double *row)
{
    const SpragSystem *system = placing->system;
    const SpragPlace *point = &system->model->starts[condition->line].point;
    const double *pose = system->pose + 3 * point->body, *rate = system->rate + 3 * point->body;
    SpragVec2 arm = sprag_vec2_turn(sprag_vec3_flat(point->local), cos(pose[2]), sin(pose[2]));
    SpragVec2 turned = sprag_vec2(-arm.y, arm.x);
    bool is_x = condition->axis == 0;
    int at = system->coordinate[point->body];
    if (at >= 0) {
        row[at] = is_x ? 1 : 0;
        row[at + 1] = is_x ? 0 : 1;
        row[at + 2] = is_x ? turned.x : turned.y;
    }
    if (placing->level == POSITIONS)
        return is_x ? pose[0] + arm.x : pose[1] + arm.y;
    return is_x ? rate[0] + rate[2] * turned.x : rate[1] + rate[2] * turned.y;
}

static double entry(SpragVec3 a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

static double space_point_condition(const Placing *placing, const Condition *condition, double *row)
{
    const SpragSystem *system = placing->system;
    const SpragPlace *point = &system->model->starts[condition->line].point;
    const SpragPose *pose = &system->poses[point->body];
    int at = system->coordinate[point->body], axis = condition->axis;
    SpragVec3 arm = sprag_mat3_apply(&pose->R, point->local);
    SpragVec3 d = sprag_vec3(axis == 0, axis == 1, axis == 2);
    if (at >= 0) {
        sprag_vec3_to(d, row + at);
        sprag_vec3_to(sprag_vec3_cross(arm, d), row + at + 3);
    }
    if (placing->level == POSITIONS)
        return entry(pose->x, axis) + entry(arm, axis);
    return entry(pose->v, axis) + entry(sprag_vec3_cross(pose->w, arm), axis);
}

static bool evaluate_space(const Placing *placing, int slot, Evaluation *evaluation)
{
    SpragSystem *system = placing->system;
    SpragSpaceGap gap;
    if (placing->level == POSITIONS)
        sprag_collider_placing_space(system->collider, slot, system->poses, &gap);
    else
        sprag_collider_space_gap(system->collider, slot, system->poses, NULL, &gap);
    if (!isfinite(gap.gap))
        return false;
    space_contact(system, &gap, sprag_collider_slot(system->collider, slot), evaluation);
    return true;
}

// The contact of a condition at the state last set; false: it cannot touch there.
static bool evaluate_contact(const Placing *placing, const Condition *condition,
                             Evaluation *evaluation)
{
    SpragSystem *system = placing->system;
    SpragGap gap;
    int slot = condition->slot - system->joint_contacts;
    if (slot < 0) {
        joint_contact_evaluate(system, condition->slot, evaluation);
        return true;
    }
    if (is_spatial(system))
        return evaluate_space(placing, slot, evaluation);
    if (placing->level == POSITIONS)
        sprag_collider_placing_gap_framed(system->collider, slot, system->frames, &gap);
    else
        sprag_collider_gap_framed(system->collider, slot, system->frames, &gap);
    if (!isfinite(gap.gap))
        return false;
    model_contact(system, &gap, sprag_collider_slot(system->collider, slot), evaluation);
    return true;
}

static double contact_condition(const Placing *placing, const Condition *condition,
                                const Evaluation *evaluation, double *row)
{
    contact_row(placing->system, evaluation, condition->axis, row);
    if (placing->level == POSITIONS)
        return evaluation->gap;
    return condition->axis == 0 ? evaluation->gap_rate : evaluation->slip[condition->axis - 1];
}

// A row of a joint, or (a line of `start`) its position, in metres: angles count times the size.
static double joint_condition(const Placing *placing, const Condition *condition, double *dense)
{
    SpragSystem *system = placing->system;
    const Joints *joints = system->joints;
    joints_evaluate(system);
    int joint = condition->line < 0 ? 0 : system->model->starts[condition->line].joint;
    const PairRow *row =
        condition->line < 0 ? &joints->rows[condition->row - 1] : &joints->positions[joint][0];
    double scale = row->angle ? system->size : 1;
    pair_row_dense(system, row, dense);
    for (int k = 0; k < system->velocity_count; k++)
        dense[k] *= scale;
    double value = placing->level == POSITIONS ? row->value : row->rate;
    // an angle in space is known up to whole turns
    if (placing->level == POSITIONS && row->angle && is_spatial(system) && condition->line >= 0)
        value = nearest_turn(value, condition->target);
    return scale * (value - condition->target);
}

// Residuals and rows at the state last set; the largest residual (INFINITY: a contact cannot touch
// there).
static double evaluate(Placing *placing)
{
    size_t n = (size_t)placing->system->velocity_count;
    double worst = 0;
    Evaluation evaluation;
    int evaluated = -1; // gap and slip of a contact stand one after the other
    bool touches = false;
    for (int i = 0; i < placing->condition_count; i++) {
        const Condition *condition = &placing->conditions[i];
        double *row = placing->J + (size_t)i * n, value = INFINITY;
        memset(row, 0, n * sizeof *row);
        if (condition->slot >= 0 && condition->slot != evaluated) {
            touches = evaluate_contact(placing, condition, &evaluation);
            evaluated = condition->slot;
        }
        if (condition->row > 0) {
            placing->r[i] = joint_condition(placing, condition, row);
            worst = fmax(worst, fabs(placing->r[i]));
            continue;
        }
        if (condition->slot < 0)
            value = is_spatial(placing->system) ? space_point_condition(placing, condition, row)
                                                : point_condition(placing, condition, row);
        else if (touches)
            value = contact_condition(placing, condition, &evaluation, row);
        placing->r[i] = value - condition->target;
        worst = fmax(worst, fabs(placing->r[i]));
    }
    return worst;
}

double place_evaluate(Placing *placing, const double *q, const double *v)
{
    model_set_state(placing->system, 0, q, v);
    return evaluate(placing);
}

// ---- Least change -------------------------------------------------------------------------------

// step = −B Jᵀ (J B Jᵀ)⁺ r (velocity_count), with r in placing->change.
static void least_step(Placing *placing, double *step)
{
    size_t n = (size_t)placing->system->velocity_count;
    int m = placing->condition_count;
    for (int i = 0; i < m; i++)
        for (size_t k = 0; k < n; k++)
            placing->BJ[(size_t)i * n + k] = placing->metric[k] * placing->J[(size_t)i * n + k];
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += placing->J[(size_t)i * n + k] * placing->BJ[(size_t)j * n + k];
            placing->G[i * m + j] = sum;
        }
    }
    semidefinite_solve(m, placing->G, placing->change, 0, placing->x, placing->order);
    memset(step, 0, n * sizeof *step);
    for (int i = 0; i < m; i++)
        for (size_t k = 0; k < n; k++)
            step[k] -= placing->x[i] * placing->BJ[(size_t)i * n + k];
}

// q = anchor + trial, where the metric lets it.
static void leave_anchor(const Placing *placing, double *q)
{
    const SpragSystem *system = placing->system;
    if (is_spatial(system)) {
        memcpy(q, placing->anchor, (size_t)sprag_system_position_count(system) * sizeof *q);
        sprag_system_position_shift(system, placing->trial, q);
        return;
    }
    for (int k = 0; k < system->velocity_count; k++)
        if (placing->metric[k] > 0)
            q[k] = placing->anchor[k] + placing->trial[k];
}

// q moves by a part of a step.
static void move(const Placing *placing, double part, const double *step, double *q)
{
    const SpragSystem *system = placing->system;
    double *scaled = placing->difference;
    for (int k = 0; k < system->velocity_count; k++)
        scaled[k] = part * step[k];
    sprag_system_position_shift(system, scaled, q);
}

double place_solve_anchored(Placing *placing, double exact, double *q)
{
    size_t n = (size_t)placing->system->velocity_count;
    double residual = place_evaluate(placing, q, NULL);
    for (int step = 0; step < ANCHORED_STEPS && residual > exact && isfinite(residual); step++) {
        sprag_system_position_difference(placing->system, placing->anchor, q, placing->difference);
        for (int i = 0; i < placing->condition_count; i++) {
            placing->change[i] = placing->r[i];
            for (size_t k = 0; k < n; k++)
                placing->change[i] -= placing->J[(size_t)i * n + k] * placing->difference[k];
        }
        least_step(placing, placing->trial);
        leave_anchor(placing, q);
        residual = place_evaluate(placing, q, NULL);
    }
    return residual;
}

double place_solve_damped(Placing *placing, double exact, double *q)
{
    double *step = placing->trial, residual = place_evaluate(placing, q, NULL);
    for (int i = 0; i < DAMPED_STEPS && residual > exact && isfinite(residual); i++) {
        memcpy(placing->change, placing->r, (size_t)placing->condition_count * sizeof(double));
        least_step(placing, step);
        double part = 1, next = INFINITY;
        move(placing, 1, step, q);
        for (int half = 0; half <= HALVINGS; half++) {
            next = place_evaluate(placing, q, NULL);
            if (next < residual)
                break;
            move(placing, -part / 2, step, q);
            part /= 2;
        }
        if (!(next < residual)) {
            move(placing, -part, step, q);
            return place_evaluate(placing, q, NULL);
        }
        residual = next;
    }
    return residual;
}

void place_refine(Placing *placing, double *q)
{
    const double rounding = 4 * DBL_EPSILON * placing->system->size;
    double residual = place_evaluate(placing, q, NULL);
    for (int i = 0; i < REFINEMENTS && residual > rounding; i++) {
        memcpy(placing->change, placing->r, (size_t)placing->condition_count * sizeof(double));
        least_step(placing, placing->trial);
        move(placing, 1, placing->trial, q);
        double next = place_evaluate(placing, q, NULL);
        if (!(next < residual)) {
            move(placing, -1, placing->trial, q);
            place_evaluate(placing, q, NULL);
            return;
        }
        residual = next;
    }
}

double place_solve_velocities(Placing *placing, const double *q, double *v)
{
    size_t n = (size_t)placing->system->velocity_count;
    memcpy(v, placing->anchor, n * sizeof *v);
    double residual = place_evaluate(placing, q, v);
    // the conditions are linear: the second step removes the rounding of the first
    for (int i = 0; i < 2 && residual > 0 && isfinite(residual); i++) {
        memcpy(placing->change, placing->r, (size_t)placing->condition_count * sizeof(double));
        least_step(placing, placing->trial);
        for (size_t k = 0; k < n; k++)
            v[k] += placing->trial[k];
        residual = place_evaluate(placing, q, v);
    }
    return residual;
}
