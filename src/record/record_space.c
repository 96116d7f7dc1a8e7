// record_space.c: signals of bodies in space.
//
// A body has x y z, qw qx qy qz (its quaternion), vx vy vz, wx wy wz (its angular velocity in the
// world) and up.x up.y up.z: the world's vertical seen from the body, Rᵀ e_z.
#include "record_private.h"

enum { POSITION_FIELDS = 7, VELOCITY_FIELDS = 6, UP_FIELDS = 3 };

static SpragMat3 rotation(const double *q)
{
    SpragQuaternion Q = {q[3], q[4], q[5], q[6]};
    return sprag_quaternion_matrix(Q);
}

static double entry(SpragVec3 a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

double space_place_value(int field, SpragVec3 local, const double *q, const double *v)
{
    SpragMat3 R = rotation(q);
    SpragVec3 arm = sprag_mat3_apply(&R, local);
    if (field < 3)
        return q[field] + entry(arm, field);
    return v[field - 3] + entry(sprag_vec3_cross(sprag_vec3_of(v + 3), arm), field - 3);
}

double space_up_value(int field, const double *q)
{
    SpragMat3 R = rotation(q);
    return R.m[6 + field];
}

SpragStatus space_add_body(Catalogue *catalogue, int index)
{
    static const char *const positions[POSITION_FIELDS] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    static const char *const velocities[VELOCITY_FIELDS] = {"vx", "vy", "vz", "wx", "wy", "wz"};
    static const char *const ups[UP_FIELDS] = {"up.x", "up.y", "up.z"};
    const SpragBody *body = &sprag_system_model(catalogue->system)->bodies[index];
    int first = sprag_system_body_coordinate(catalogue->system, index);
    int place = sprag_system_body_position(catalogue->system, index);
    SpragQuaternion Q = sprag_quaternion_unit(body->orientation);
    const double fixed[POSITION_FIELDS] = {
        body->position[0], body->position[1], body->position[2], Q.w, Q.x, Q.y, Q.z};
    Signal signal = {.standard = first >= 0 || body->driven};
    signal.system = body->driven ? catalogue->system : NULL;
    signal.body = index;
    for (int field = 0; field < POSITION_FIELDS; field++) {
        signal.source = first < 0 ? SOURCE_CONSTANT : SOURCE_POSITION;
        signal.index = place + field;
        if (body->driven) {
            signal.source = SOURCE_DRIVEN;
            signal.index = field;
        }
        signal.constant = fixed[field];
        SPRAG_TRY(catalogue_add(catalogue, body->name, positions[field], signal));
    }
    for (int field = 0; field < VELOCITY_FIELDS; field++) {
        signal.source = first < 0 ? SOURCE_CONSTANT : SOURCE_VELOCITY;
        signal.index = first + field;
        if (body->driven) {
            signal.source = SOURCE_DRIVEN;
            signal.index = POSITION_FIELDS + field;
        }
        signal.constant = 0;
        SPRAG_TRY(catalogue_add(catalogue, body->name, velocities[field], signal));
    }
    for (int field = 0; field < UP_FIELDS; field++) {
        signal.source = first < 0 ? SOURCE_CONSTANT : SOURCE_UP;
        signal.position = place;
        signal.field = field;
        signal.constant = space_up_value(field, fixed);
        SPRAG_TRY(catalogue_add(catalogue, body->name, ups[field], signal));
    }
    return SPRAG_OK;
}
