// system_space.c: state, inertia and contacts of free bodies in space.
// Problem   positions x, y, z, quaternion and velocities v, ω (world) of each free body, about its
//           centre of mass: M⁻¹ has blocks 1/m and I_w⁻¹ = R I⁻¹ Rᵀ, theory.md (13.9); rows and
//           biases of contacts from witness points and frames with their rates, (13.17).
// Note      a body without inertia about one axis (a thin rod) has the pseudo-inverse: nothing
//           changes its spin about that axis, and no force or energy belongs to it, (13.10).
#include <math.h>
#include <string.h>

#include "joint_private.h"

// Of the largest principal moment: a smaller one is none.
static const double NO_INERTIA = 1e-14;

static SpragMat3 tensor_matrix(const double t[6])
{
    SpragMat3 I = {{t[0], t[3], t[4], t[3], t[1], t[5], t[4], t[5], t[2]}};
    return I;
}

// Principal moments, and I⁻¹ or the pseudo-inverse from them.
static void take_moments(SpaceBody *item)
{
    SpragMat3 inverse = {{0}};
    sprag_mat3_principal(&item->tensor, item->moments, &item->axes);
    for (int k = 0; k < 3; k++)
        if (item->moments[k] > NO_INERTIA * item->moments[2])
            inverse.m[4 * k] = 1 / item->moments[k];
        else
            item->moments[k] = 0;
    item->inverse_tensor = sprag_mat3_turn(&item->axes, &inverse);
}

// The moment of a body that has the same one about every axis; 0: it has not.
static double moment_of_ball(const double t[6])
{
    return t[0] == t[1] && t[0] == t[2] && t[3] == 0 && t[4] == 0 && t[5] == 0 ? t[0] : 0;
}

double space_mean_inertia(const SpragBody *body)
{
    return (body->tensor[0] + body->tensor[1] + body->tensor[2]) / 3;
}

static void turn_body(SpragSystem *system, int body)
{
    SpaceBody *item = &system->space[body];
    const SpragMat3 *R = &system->poses[body].R;
    item->inertia = item->same > 0 ? item->tensor : sprag_mat3_turn(R, &item->tensor);
}

void space_take_bodies(SpragSystem *system)
{
    const SpragModel *model = system->model;
    int n = 0, p = 0;
    for (int k = 0; k < model->body_count; k++) {
        int i = system->body_order ? system->body_order[k] : k;
        const SpragBody *body = &model->bodies[i];
        SpragQuaternion Q = sprag_quaternion_unit(body->orientation);
        const double place[SPACE_POSITIONS] = {
            body->position[0], body->position[1], body->position[2], Q.w, Q.x, Q.y, Q.z};
        memcpy(system->space[i].position, place, sizeof place);
        sprag_pose_set(place, NULL, &system->poses[i]);
        system->coordinate[i] = body->fixed ? -1 : n;
        if (body->fixed)
            continue;
        SpaceBody *item = &system->space[i];
        item->tensor = tensor_matrix(body->tensor);
        item->same = moment_of_ball(body->tensor);
        take_moments(item);
        for (int c = 0; item->same > 0 && c < 9; c++)
            item->inverse_tensor.m[c] = c % 4 == 0 ? 1 / item->same : 0;
        turn_body(system, i);
        memcpy(system->q0 + p, place, sizeof place);
        for (int c = 0; c < 3; c++) {
            system->inverse_mass[n + c] = 1 / body->mass;
            system->v0[n + c] = body->velocity[c];
            system->v0[n + 3 + c] = body->angular[c];
        }
        system->free_body[n / SPACE_VELOCITIES] = i;
        n += SPACE_VELOCITIES;
        p += SPACE_POSITIONS;
    }
    system->velocity_count = n;
}

void space_set_state(SpragSystem *system, const double *q, const double *v)
{
    for (int k = 0; k < system->velocity_count / SPACE_VELOCITIES; k++) {
        int i = system->free_body[k];
        SpaceBody *item = &system->space[i];
        SpragPose *pose = &system->poses[i];
        const double *place = q + SPACE_POSITIONS * k;
        const double *rate = v ? v + SPACE_VELOCITIES * k : NULL;
        // the same place is often asked for again
        bool turned = false;
        for (int c = 3; c < SPACE_POSITIONS; c++)
            turned |= item->position[c] != place[c];
        memcpy(item->position, place, SPACE_POSITIONS * sizeof *place);
        if (turned) {
            sprag_pose_set(place, rate, pose);
            turn_body(system, i);
            continue;
        }
        pose->x = sprag_vec3_of(place);
        pose->v = rate ? sprag_vec3_of(rate) : sprag_vec3(0, 0, 0);
        pose->w = rate ? sprag_vec3_of(rate + 3) : sprag_vec3(0, 0, 0);
    }
}

void sprag_system_poses(const SpragSystem *system, const double *q, const double *v,
                        SpragPose *poses)
{
    const SpragModel *model = system->model;
    for (int i = 0; model && i < model->body_count; i++) {
        int at = sprag_system_body_coordinate(system, i),
            place = sprag_system_body_position(system, i);
        const SpragBody *body = &model->bodies[i];
        if (is_spatial(system) && body->driven && v) {
            poses[i] = system->poses[i];
            continue;
        }
        if (is_spatial(system)) {
            const double *position = at < 0 ? system->space[i].position : q + place;
            sprag_pose_set(position, at < 0 || !v ? NULL : v + at, &poses[i]);
            continue;
        }
        const double *fixed = system->pose + 3 * i;
        double angle = at < 0 ? fixed[2] : q[at + 2], half = angle / 2;
        double position[SPACE_POSITIONS] = {at < 0 ? fixed[0] : q[at],
                                            at < 0 ? fixed[1] : q[at + 1],
                                            0,
                                            cos(half),
                                            0,
                                            0,
                                            sin(half)};
        double rate[SPACE_VELOCITIES] = {0};
        const double *moves = at >= 0 ? v + at : system->rate + 3 * i;
        if (v) {
            rate[0] = moves[0];
            rate[1] = moves[1];
            rate[5] = moves[2];
        }
        sprag_pose_set(position, rate, &poses[i]);
    }
}

// ---- Contacts -----------------------------------------------------------------------------------

// V(p) = v + ω × (p − c)
static SpragVec3 point_velocity(const SpragPose *pose, SpragVec3 p)
{
    return sprag_vec3_add(pose->v, sprag_vec3_cross(pose->w, sprag_vec3_sub(p, pose->x)));
}

// ω × (p' − v): what a moving witness point adds to the rate of its velocity.
static SpragVec3 turning_rate(const SpragPose *pose, SpragVec3 point_rate)
{
    return sprag_vec3_cross(pose->w, sprag_vec3_sub(point_rate, pose->v));
}

static void set_row(const SpragPose *pose, double sign, SpragVec3 point, SpragVec3 d, double *entry)
{
    SpragVec3 arm = sprag_vec3_cross(sprag_vec3_sub(point, pose->x), d);
    sprag_vec3_to(sprag_vec3_scale(sign, d), entry);
    sprag_vec3_to(sprag_vec3_scale(sign, arm), entry + 3);
}

static void set_slot(const SpragSlot *slot, Evaluation *evaluation)
{
    evaluation->friction_static = slot->friction_static;
    evaluation->friction_kinetic = slot->friction_kinetic;
    evaluation->stribeck = slot->stribeck;
    evaluation->law = &slot->friction_law;
    evaluation->row_count = CONTACT_ROWS;
    evaluation->normals = 1;
    evaluation->pressed = 0;
    evaluation->slip[2] = 0;
    evaluation->angle = false;
}

// What the motion of a driven body adds to the rates of a contact and their biases.
static void add_drive(const SpragSystem *system, int body, double sign, SpragVec3 point,
                      const SpragVec3 d[CONTACT_ROWS], Evaluation *evaluation)
{
    const SpragPose *pose = &system->poses[body];
    const double *a = system->driven + (size_t)SPACE_VELOCITIES * (size_t)body;
    for (int r = 0; r < CONTACT_ROWS; r++) {
        SpragVec3 arm = sprag_vec3_cross(sprag_vec3_sub(point, pose->x), d[r]);
        double drift = sign * (sprag_vec3_dot(d[r], pose->v) + sprag_vec3_dot(arm, pose->w));
        evaluation->bias[r] += sign * (sprag_vec3_dot(d[r], sprag_vec3_of(a)) +
                                       sprag_vec3_dot(arm, sprag_vec3_of(a + 3)));
        *(r == 0 ? &evaluation->normal_drift : &evaluation->slip_drift[r - 1]) += drift;
    }
}

void space_contact(const SpragSystem *system, const SpragSpaceGap *gap, const SpragSlot *slot,
                   Evaluation *evaluation)
{
    set_slot(slot, evaluation);
    evaluation->gap = gap->gap;
    evaluation->normal_drift = 0;
    evaluation->point = gap->point[0];
    evaluation->normal = gap->normal;
    memcpy(evaluation->tangent, gap->tangent, sizeof gap->tangent);
    evaluation->tangent[2] = sprag_vec3(0, 0, 0);
    const SpragPose *pose[2] = {&system->poses[slot->body[0]], &system->poses[slot->body[1]]};
    SpragVec3 relative = sprag_vec3_sub(point_velocity(pose[0], gap->point[0]),
                                        point_velocity(pose[1], gap->point[1]));
    SpragVec3 turning = sprag_vec3_sub(turning_rate(pose[0], gap->point_rate[0]),
                                       turning_rate(pose[1], gap->point_rate[1]));
    SpragVec3 belt = sprag_vec3_of(slot->surface_velocity);
    const SpragVec3 d[CONTACT_ROWS] = {gap->normal, gap->tangent[0], gap->tangent[1]};
    const SpragVec3 rate[CONTACT_ROWS] = {gap->normal_rate, gap->tangent_rate[0],
                                          gap->tangent_rate[1]};
    evaluation->gap_rate = sprag_vec3_dot(d[0], relative);
    for (int r = 0; r < CONTACT_ROWS; r++)
        evaluation->bias[r] = sprag_vec3_dot(rate[r], relative) + sprag_vec3_dot(d[r], turning);
    for (int k = 0; k < 2; k++) {
        evaluation->slip_drift[k] = -sprag_vec3_dot(d[k + 1], belt);
        evaluation->slip[k] = sprag_vec3_dot(d[k + 1], relative) + evaluation->slip_drift[k];
        evaluation->bias[k + 1] -= sprag_vec3_dot(rate[k + 1], belt);
    }
    for (int side = 0; side < SPRAG_ROW_BLOCKS; side++) {
        int at = system->coordinate[slot->body[side]];
        evaluation->block[side] = at < 0 ? -1 : at / SPACE_VELOCITIES;
        for (int r = 0; at >= 0 && r < CONTACT_ROWS; r++)
            set_row(pose[side], side == 0 ? 1 : -1, gap->point[side], d[r],
                    evaluation->entries[r][side]);
        if (system->driven && system->model->bodies[slot->body[side]].driven)
            add_drive(system, slot->body[side], side == 0 ? 1 : -1, gap->point[side], d,
                      evaluation);
    }
}

void space_evaluate(const SpragSystem *system, int number, Evaluation *evaluation)
{
    SpragSpaceGap gap;
    const SpragSlot *slot = sprag_collider_slot(system->collider, number);
    sprag_collider_space_gap(system->collider, number, system->poses, space_grip(system, number),
                             &gap);
    if (isfinite(gap.gap)) {
        space_contact(system, &gap, slot, evaluation);
        return;
    }
    memset(evaluation, 0, sizeof *evaluation);
    set_slot(slot, evaluation);
    evaluation->gap = INFINITY;
    evaluation->block[0] = evaluation->block[1] = -1;
}

// ---- Inertia ------------------------------------------------------------------------------------

void space_apply_block(const SpragSystem *system, int block, const double *in, double *out)
{
    int body = system->free_body[block];
    const SpragMat3 *R = &system->poses[body].R;
    double inverse_mass = system->inverse_mass[SPACE_VELOCITIES * block];
    for (int k = 0; k < 3; k++)
        out[k] = inverse_mass * in[k];
    // factor by factor: the product of a needle's would be rounded by its largest entry
    SpragVec3 own = sprag_mat3_apply_back(R, sprag_vec3_of(in + 3));
    own = sprag_mat3_apply(&system->space[body].inverse_tensor, own);
    sprag_vec3_to(sprag_mat3_apply(R, own), out + 3);
}

void space_block(const SpragSystem *system, int block, double *matrix)
{
    space_block_turned(system, block, &system->poses[system->free_body[block]].R, matrix);
}

void space_block_turned(const SpragSystem *system, int block, const SpragMat3 *R, double *matrix)
{
    const SpaceBody *item = &system->space[system->free_body[block]];
    SpragMat3 turned = item->inverse_tensor;
    if (!(item->same > 0))
        turned = sprag_mat3_turn(R, &item->inverse_tensor);
    const SpragMat3 *inverse = &turned;
    for (int i = 0; i < 3; i++) {
        matrix[i * SPACE_VELOCITIES + i] = system->inverse_mass[SPACE_VELOCITIES * block];
        for (int j = 0; j < 3; j++)
            matrix[(3 + i) * SPACE_VELOCITIES + 3 + j] =
                (inverse->m[3 * i + j] + inverse->m[3 * j + i]) / 2;
    }
}

// ---- Contacts that are held, contacts that come near --------------------------------------------

void space_release(SpragSystem *system, int contact)
{
    SpragGrip none = {.axis = -1};
    system->grips[contact] = none;
}

SpragStatus space_follow_slots(SpragSystem *system)
{
    int known = system->grip_count;
    size_t count = (size_t)sprag_collider_slot_count(system->collider);
    SPRAG_TRY(sprag_reserve(system->context, &system->grips, &system->grip_capacity, count + 1,
                            sizeof *system->grips));
    SPRAG_TRY(sprag_reserve(system->context, &system->marks, &system->mark_capacity, count + 1,
                            sizeof *system->marks));
    SPRAG_TRY(sprag_reserve(system->context, &system->gripped, &system->gripped_capacity, count + 1,
                            sizeof *system->gripped));
    system->contact_count = (int)count + system->joint_contacts;
    for (int i = known; i < (int)count; i++) {
        space_release(system, i);
        system->marks[i] = false;
    }
    system->grip_count = (int)count;
    return system_list_all(system);
}

// A contact that goes on being held keeps the axis of its frame.
void space_hold(SpragSystem *system, int count, const int *contacts)
{
    int joints = system->joint_contacts;
    for (int i = 0; i < count; i++)
        if (contacts[i] >= joints)
            system->marks[contacts[i] - joints] = true;
    for (int i = 0; i < system->gripped_count; i++)
        if (!system->marks[system->gripped[i]])
            space_release(system, system->gripped[i]);
    system->gripped_count = 0;
    for (int i = 0; i < count; i++) {
        int slot = contacts[i] - joints;
        if (slot < 0)
            continue;
        system->marks[slot] = false;
        if (sprag_collider_grip(system->collider, slot, system->poses, &system->grips[slot]))
            system->gripped[system->gripped_count++] = slot;
        else
            space_release(system, slot);
    }
}

// Room for the slots that the collider has by now; nothing is held of new ones.
static SpragStatus plane_follow_slots(SpragSystem *system)
{
    int known = system->contact_count - system->joint_contacts;
    int count = sprag_collider_slot_count(system->collider);
    SPRAG_TRY(sprag_reserve(system->context, &system->holds, &system->hold_capacity,
                            (size_t)count + 1, sizeof *system->holds));
    memset(system->holds + known, 0, (size_t)(count - known) * sizeof *system->holds);
    system->contact_count = count + system->joint_contacts;
    return system_list_all(system);
}

static SpragStatus plane_refresh(SpragSystem *system, const double *q, const double *later,
                                 double reach, int *added)
{
    if (!system->model || !sprag_collider_grows(system->collider))
        return SPRAG_OK;
    size_t bodies = (size_t)system->model->body_count;
    SPRAG_TRY(sprag_reserve(system->context, &system->later_frames, &system->later_capacity,
                            bodies + 1, sizeof *system->later_frames));
    if (later) {
        model_set_state(system, system->time, later, NULL);
        memcpy(system->later_frames, system->frames, bodies * sizeof *system->frames);
    }
    model_set_state(system, system->time, q, NULL);
    SPRAG_TRY(sprag_collider_refresh_plane(system->collider, system->frames,
                                           later ? system->later_frames : NULL, reach, added));
    if (*added > 0)
        SPRAG_TRY(plane_follow_slots(system));
    return system->joint_contacts > 0 ? joints_list_near(system) : SPRAG_OK;
}

SpragStatus sprag_system_refresh(SpragSystem *system, const double *q, const double *later,
                                 double reach, int *added)
{
    *added = 0;
    if (!is_spatial(system))
        return plane_refresh(system, q, later, reach, added);
    double now = system->time;
    model_set_state(system, now, q, NULL);
    if (later)
        sprag_system_poses(system, later, NULL, system->later);
    // bodies that move as told have come from where they were at the last look
    if (later && system->driven && system->refresh_time < now)
        model_set_state(system, system->refresh_time, q, NULL);
    system->refresh_time = now;
    SPRAG_TRY(sprag_collider_refresh(system->collider, system->poses, later ? system->later : NULL,
                                     reach, added));
    if (system->driven)
        model_set_state(system, now, q, NULL);
    if (*added > 0)
        SPRAG_TRY(space_follow_slots(system));
    return system->joint_contacts > 0 ? joints_list_near(system) : SPRAG_OK;
}

int sprag_system_near(const SpragSystem *system, const int **contacts)
{
    bool grows = system->model && sprag_collider_grows(system->collider);
    if (grows && system->joint_contacts > 0) {
        *contacts = system->joints->near;
        return system->joints->near_count;
    }
    if (grows)
        return sprag_collider_near(system->collider, contacts);
    *contacts = system->all;
    return system->contact_count;
}
