// system_place_joint.c: joints are assembled where bodies are placed.
// Problem   rows of joints are conditions of the placement like lines of `start`; where they cannot
//           hold, the sentence names the joint with the largest residual and the loop it closes
// Method    the loop is the shortest way through other joints from one end of the joint to the
//           other (breadth first); bodies that cannot move are one place, the ground
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "system_place.h"

void place_add_joints(Placing *placing)
{
    const Joints *joints = placing->system->joints;
    for (int j = 0; j < joints->count; j++) {
        const JointItem *item = &joints->items[j];
        for (int r = 0; item->ready && r < item->row_count; r++) {
            Condition condition = {-1, -1, 0, 0, item->row + r + 1};
            placing->conditions[placing->condition_count++] = condition;
        }
    }
}

void place_add_joint_line(Placing *placing, int line)
{
    const SpragStart *start = &placing->system->model->starts[line];
    bool positions = placing->level == POSITIONS;
    if (positions ? !start->joint_position_given : !start->joint_velocity_given)
        return;
    Condition condition = {line, -1, 0, positions ? start->joint_position : start->joint_velocity,
                           1};
    placing->conditions[placing->condition_count++] = condition;
}

static int joint_of(const Placing *placing, int condition)
{
    const Condition *item = &placing->conditions[condition];
    const Joints *joints = placing->system->joints;
    if (item->line >= 0)
        return placing->system->model->starts[item->line].joint;
    int j = 0;
    while (joints->items[j].row + joints->items[j].row_count < item->row)
        j++;
    return j;
}

const SpragJoint *place_joint_of(const Placing *placing, int condition)
{
    return &placing->system->model->joints[joint_of(placing, condition)];
}

// ---- Loops --------------------------------------------------------------------------------------

// Number of a body in the graph of joints; the ground is the last.
static int node_of(const SpragModel *model, int body)
{
    return body == SPRAG_WORLD || model->bodies[body].fixed ? model->body_count : body;
}

// by[node]: the joint by which a node is reached from the first end of `joint`, plus one.
static bool search_loop(const SpragModel *model, int joint, int *by, int *queue)
{
    const SpragJoint *open = &model->joints[joint];
    int from = node_of(model, open->ends[0].body), to = node_of(model, open->ends[1].body);
    int head = 0, tail = 0;
    for (int i = 0; i <= model->body_count; i++)
        by[i] = 0;
    queue[tail++] = from;
    by[from] = -1;
    while (head < tail && by[to] == 0) {
        int node = queue[head++];
        for (int j = 0; j < model->joint_count; j++) {
            int a = node_of(model, model->joints[j].ends[0].body);
            int b = node_of(model, model->joints[j].ends[1].body);
            int next = a == node ? b : b == node ? a : -1;
            if (j == joint || next < 0 || by[next] != 0)
                continue;
            by[next] = j + 1;
            queue[tail++] = next;
        }
    }
    return by[to] > 0;
}

// "hinge, rod, slider": the other joints of the loop that a joint closes; false: there is none.
static bool name_loop(const Placing *placing, int joint, char *text, size_t size)
{
    const SpragModel *model = placing->system->model;
    size_t nodes = (size_t)model->body_count + 1, length = 0;
    int *by = sprag_arena_alloc(placing->arena, 2 * nodes, sizeof *by);
    text[0] = 0;
    if (!by || !search_loop(model, joint, by, by + nodes))
        return false;
    int node = node_of(model, model->joints[joint].ends[1].body);
    while (by[node] > 0 && length + 1 < size) {
        const SpragJoint *item = &model->joints[by[node] - 1];
        int a = node_of(model, item->ends[0].body), b = node_of(model, item->ends[1].body);
        int written = snprintf(text + length, size - length, ", %s", item->name);
        length += written > 0 ? (size_t)written : 0;
        node = a == node ? b : a;
    }
    return true;
}

// What the scene tells of the turning of some body is not changed, and often is the cause.
static const char *told_turns(const SpragModel *model, bool positions)
{
    for (int i = 0; i < model->body_count; i++) {
        const SpragBody *body = &model->bodies[i];
        if (!body->fixed && (positions ? body->angle_given : body->spin_given))
            return positions ? "; angles that the scene gives are kept"
                             : "; spins that the scene gives are kept";
    }
    return "";
}

SpragStatus place_refuse_joint(const Placing *placing, int condition)
{
    const SpragSystem *system = placing->system;
    const Condition *item = &placing->conditions[condition];
    int index = joint_of(placing, condition);
    const SpragJoint *joint = &system->model->joints[index];
    bool positions = placing->level == POSITIONS;
    double residual = fabs(placing->r[condition]);
    const char *unit = positions ? "m" : "m/s";
    const char *kept = told_turns(system->model, positions);
    char loop[400];
    if (item->line >= 0)
        return sprag_fail(system->context, SPRAG_ERROR_INPUT,
                          "%s of the joint %s cannot be made %g: residual %.2g %s%s",
                          positions ? "position" : "velocity", joint->name, item->target, residual,
                          unit, kept);
    if (name_loop(placing, index, loop, sizeof loop))
        return sprag_fail(system->context, SPRAG_ERROR_INPUT,
                          "the loop of joints %s%s cannot be %s: residual %.2g %s%s", joint->name,
                          loop, positions ? "closed" : "moved as the velocities say", residual,
                          unit, kept);
    return sprag_fail(
        system->context, SPRAG_ERROR_INPUT, "the joint %s cannot be %s: residual %.2g %s%s",
        joint->name, positions ? "assembled" : "moved as the velocities say", residual, unit, kept);
}

// ---- Bodies on their joints ---------------------------------------------------------------------

// A position that is wanted of a joint; else, from the second attempt on, one by chance.
static double wanted_position(const Placing *placing, int joint, double otherwise)
{
    const SpragModel *model = placing->system->model;
    const SpragJoint *item = &model->joints[joint];
    for (int i = 0; i < model->start_count; i++) {
        const SpragStart *start = &model->starts[i];
        if (start->kind == SPRAG_START_JOINT && start->joint == joint &&
            start->joint_position_given)
            return start->joint_position;
    }
    return item->driven ? item->drive.number : otherwise;
}

// A number in −1 … 1 of its own for every joint and attempt.
static double chance(int joint, int attempt)
{
    unsigned x = (unsigned)joint * 2654435761u + (unsigned)attempt * 40503u + 12345u;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return (double)(x % 20001u) / 10000 - 1;
}

static SpragMat3 turn_about_z(double angle)
{
    SpragMat3 R = {{cos(angle), -sin(angle), 0, sin(angle), cos(angle), 0, 0, 0, 1}};
    return R;
}

static void put_body(const SpragSystem *system, int body, const SpragMat3 *R, SpragVec3 x,
                     bool turns, double *q)
{
    double *place = q + sprag_system_body_position(system, body);
    place[0] = x.x;
    place[1] = x.y;
    if (!is_spatial(system)) {
        if (turns)
            place[2] = atan2(R->m[3], R->m[0]);
        return;
    }
    place[2] = x.z;
    if (!turns)
        return;
    SpragQuaternion Q = sprag_quaternion_of(R);
    const double quaternion[4] = {Q.w, Q.x, Q.y, Q.z};
    memcpy(place + 3, quaternion, sizeof quaternion);
}

static SpragMat3 transposed(const SpragMat3 *A)
{
    const double *m = A->m;
    SpragMat3 T = {{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}};
    return T;
}

// Hangs the body at `side` of a joint on the other one.
static void hang_body(const Placing *placing, int joint, int side, double *q)
{
    SpragSystem *system = placing->system;
    const SpragJoint *item = &system->model->joints[joint];
    const JointItem *own = &system->joints->items[joint];
    int body = item->ends[side].body, column = is_spatial(system) ? 2 : 0;
    SpragVec3 place[2], x;
    SpragMat3 axes[2], R;
    model_set_state(system, 0, q, NULL);
    for (int k = 0; k < 2; k++)
        joint_end(system, joint, k, &place[k], &axes[k]);
    const SpragMat3 *fixed = &axes[1 - side];
    bool round = item->kind == SPRAG_JOINT_REVOLUTE || item->kind == SPRAG_JOINT_CYLINDRICAL ||
                 item->kind == SPRAG_JOINT_SCREW;
    bool turns = !system->model->bodies[body].angle_given && item->kind != SPRAG_JOINT_DISTANCE &&
                 !(item->kind == SPRAG_JOINT_BALL && placing->attempt == 1);
    double by_chance = placing->attempt == 1 ? 0 : 3 * chance(joint, placing->attempt);
    double angle = round ? wanted_position(placing, joint, by_chance) : 0;
    if (item->kind == SPRAG_JOINT_BALL)
        angle = by_chance;
    SpragMat3 turn = turn_about_z(side == 1 ? angle : -angle);
    SpragMat3 target = turns ? sprag_mat3_product(fixed, &turn) : axes[side];
    SpragMat3 back = transposed(&own->axes[side]);
    R = sprag_mat3_product(&target, &back);
    x = place[1 - side];
    SpragVec3 apart = sprag_vec3_sub(place[side], x), axis = sprag_mat3_column(fixed, column);
    if (item->kind == SPRAG_JOINT_PRISMATIC || item->kind == SPRAG_JOINT_CYLINDRICAL) {
        double way = sprag_vec3_dot(axis, apart);
        if (item->kind == SPRAG_JOINT_PRISMATIC)
            way = (side == 1 ? 1 : -1) * wanted_position(placing, joint, side == 1 ? way : -way);
        x = sprag_vec3_along(x, way, axis);
    }
    if (item->kind == SPRAG_JOINT_DISTANCE) {
        SpragVec3 along = sprag_vec3_norm(apart) > 0 ? sprag_vec3_unit(apart) : axis;
        x = sprag_vec3_along(x, wanted_position(placing, joint, own->length), along);
    }
    x = sprag_vec3_sub(x, sprag_mat3_apply(&R, own->local[side]));
    put_body(system, body, &R, x, turns, q);
}

// From the ground, then from any body that nothing has reached, joint by joint.
void place_hang(Placing *placing, double *q)
{
    SpragSystem *system = placing->system;
    const SpragModel *model = system->model;
    int nodes = model->body_count + 1;
    bool *hung = sprag_arena_alloc(placing->arena, (size_t)nodes, sizeof *hung);
    if (!hung)
        return;
    for (int i = 0; i < nodes; i++)
        hung[i] = i == model->body_count;
    for (int root = 0; root < nodes; root++) {
        for (bool found = true; found;) {
            found = false;
            for (int j = 0; j < model->joint_count; j++) {
                int a = node_of(model, model->joints[j].ends[0].body);
                int b = node_of(model, model->joints[j].ends[1].body);
                if (!system->joints->items[j].ready || hung[a] == hung[b] ||
                    system->joints->items[j].row_count == 0)
                    continue;
                hang_body(placing, j, hung[a] ? 1 : 0, q);
                hung[a] = hung[b] = found = true;
            }
        }
        hung[root] = true;
    }
}

void place_count_turns(Placing *placing, double *q)
{
    SpragSystem *system = placing->system;
    for (int j = 0; j < system->joints->count; j++)
        turns_begin(system, j, wanted_position(placing, j, 0), q);
}

bool place_is_flipped(Placing *placing, const double *q)
{
    SpragSystem *system = placing->system;
    model_set_state(system, 0, q, NULL);
    for (int j = 0; j < system->joints->count; j++)
        if (system->joints->items[j].ready && joint_is_flipped(system, j))
            return true;
    return false;
}

// ---- Once bodies stand --------------------------------------------------------------------------

SpragStatus place_take_joints(Placing *placing, const double *q)
{
    SpragSystem *system = placing->system;
    model_set_state(system, 0, q, NULL);
    for (int j = 0; j < system->joints->count; j++) {
        const JointItem *item = &system->joints->items[j];
        const SpragJoint *joint = &system->model->joints[j];
        if (item->ready)
            continue;
        joint_take_place(system, j);
        SPRAG_TRY(sprag_model_check_arm(system->model, joint, joint->ends[1].body, item->local[1]));
    }
    return SPRAG_OK;
}

double place_limit_gap(SpragSystem *system, int contact)
{
    Evaluation evaluation;
    if (sprag_system_contact_kind(system, contact) != SPRAG_CONSTRAINT_LIMIT)
        return INFINITY;
    joint_contact_evaluate(system, contact, &evaluation);
    return evaluation.angle ? evaluation.gap * system->size : evaluation.gap;
}
