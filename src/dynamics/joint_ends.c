// joint_ends.c: where the ends of joints are.
// Problem   place, axes and velocities of both ends of a joint at the state last set, in the
//           plane and in space; the second end from the first, where a joint holds bodies as they
//           stand
// Method    frames of the bodies and those of the joint in them; the plane is space with bodies
//           that turn about z
// Assumes   world has no velocity; of a driven body the acceleration is known, and goes into the
//           biases of rows (theory.md (1.6))
#include "joint_rows.h"

static SpragMat3 turn_z(double cosine, double sine)
{
    SpragMat3 R = {{cosine, -sine, 0, sine, cosine, 0, 0, 0, 1}};
    return R;
}

static void end_of_body(const SpragSystem *system, int body, End *end, SpragMat3 *R)
{
    int at = system->coordinate[body];
    end->block = at < 0 ? -1 : at / body_size(system);
    if (at < 0 && system->driven)
        end->acceleration = system->driven + (size_t)SPACE_VELOCITIES * (size_t)body;
    if (is_spatial(system)) {
        const SpragPose *pose = &system->poses[body];
        end->centre = pose->x;
        end->v = pose->v;
        end->w = pose->w;
        *R = pose->R;
        return;
    }
    const SpragFrame *frame = &system->frames[body];
    end->centre = sprag_vec3_raise(frame->x);
    end->v = sprag_vec3_raise(frame->v);
    end->w = sprag_vec3(0, 0, frame->spin);
    end->angle = system->pose[3 * body + 2];
    *R = turn_z(frame->cosine, frame->sine);
}

void joint_end_state(const SpragSystem *system, int joint, int side, End *end)
{
    const JointItem *item = &system->joints->items[joint];
    int body = system->model->joints[joint].ends[side].body;
    *end = (End){.x = item->local[side], .axes = item->axes[side], .block = -1};
    if (body == SPRAG_WORLD)
        return;
    SpragMat3 R;
    end_of_body(system, body, end, &R);
    end->x = sprag_vec3_add(end->centre, sprag_mat3_apply(&R, item->local[side]));
    end->axes = sprag_mat3_product(&R, &item->axes[side]);
}

void joint_ends(const SpragSystem *system, int joint, End ends[2])
{
    joint_end_state(system, joint, 0, &ends[0]);
    joint_end_state(system, joint, 1, &ends[1]);
}

void joint_take_place(SpragSystem *system, int joint)
{
    JointItem *item = &system->joints->items[joint];
    const SpragJoint *given = &system->model->joints[joint];
    End ends[2];
    system->joints->rows_valid = system->joints->factor_valid = false;
    item->ready = true;
    joint_ends(system, joint, ends);
    if (given->kind == SPRAG_JOINT_DISTANCE) {
        item->length = sprag_vec3_norm(sprag_vec3_sub(ends[1].x, ends[0].x));
        return;
    }
    End second = ends[1];
    SpragMat3 R = sprag_mat3_identity();
    if (given->ends[1].body != SPRAG_WORLD)
        end_of_body(system, given->ends[1].body, &second, &R);
    item->local[1] = sprag_mat3_apply_back(&R, sprag_vec3_sub(ends[0].x, second.centre));
    SpragMat3 back = {{R.m[0], R.m[3], R.m[6], R.m[1], R.m[4], R.m[7], R.m[2], R.m[5], R.m[8]}};
    item->axes[1] = sprag_mat3_product(&back, &ends[0].axes);
    // angles that count more than one turn agree too
    item->turn = is_spatial(system) ? 0 : ends[0].angle - ends[1].angle;
}

void joint_end(const SpragSystem *system, int joint, int side, SpragVec3 *place, SpragMat3 *axes)
{
    End end;
    joint_end_state(system, joint, side, &end);
    *place = end.x;
    *axes = end.axes;
}

bool joint_is_flipped(const SpragSystem *system, int joint)
{
    SpragJointKind kind = system->model->joints[joint].kind;
    if (!is_spatial(system) || kind == SPRAG_JOINT_DISTANCE || kind == SPRAG_JOINT_BALL ||
        kind == SPRAG_JOINT_UNIVERSAL)
        return false;
    End ends[2];
    joint_ends(system, joint, ends);
    bool whole = kind == SPRAG_JOINT_WELD || kind == SPRAG_JOINT_PRISMATIC;
    for (int k = whole ? 0 : 2; k < 3; k++)
        if (sprag_vec3_dot(sprag_mat3_column(&ends[0].axes, k),
                           sprag_mat3_column(&ends[1].axes, k)) < 0)
            return true;
    return false;
}
