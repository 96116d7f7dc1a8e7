// space_world.h: random poses, and poses a moment later, for tests of shapes in space.
#ifndef SPRAG_TESTS_UNIT_COLLIDE_SPACE_WORLD_H
#define SPRAG_TESTS_UNIT_COLLIDE_SPACE_WORLD_H

#include "support/test.h"

#include "space_private.h"

static inline double space_draw(SpragRandom *random)
{
    return sprag_random_uniform(random, -1, 1);
}
static inline SpragVec3 space_vector(SpragRandom *random, double size)
{
    double x = size * space_draw(random), y = size * space_draw(random);
    return sprag_vec3(x, y, size * space_draw(random));
}
static inline SpragVec3 space_direction(SpragRandom *random)
{
    for (;;) {
        SpragVec3 v = space_vector(random, 1);
        if (sprag_vec3_norm(v) > 0.1 && sprag_vec3_norm(v) < 1)
            return sprag_vec3_unit(v);
    }
}
static inline SpragMat3 space_rotation(SpragRandom *random)
{
    double w = sprag_random_normal(random), x = sprag_random_normal(random);
    double y = sprag_random_normal(random), z = sprag_random_normal(random);
    SpragQuaternion q = {w, x, y, z};
    return sprag_quaternion_matrix(q);
}
static inline SpragPose space_pose(SpragRandom *random, double size, double speed)
{
    SpragPose pose = {.x = space_vector(random, size), .R = space_rotation(random)};
    pose.v = space_vector(random, speed);
    pose.w = space_vector(random, speed);
    return pose;
}
static inline SpragPose space_pose_at(SpragVec3 x)
{
    return (SpragPose){.x = x, .R = sprag_mat3_identity()};
}
// The pose after the time h at constant velocity and angular velocity.
static inline SpragPose space_pose_later(const SpragPose *pose, double h)
{
    SpragPose later = *pose;
    SpragMat3 turn = sprag_quaternion_matrix(sprag_quaternion_exp(sprag_vec3_scale(h, pose->w)));
    later.x = sprag_vec3_along(pose->x, h, pose->v);
    later.R = sprag_mat3_product(&turn, &pose->R);
    return later;
}
static inline double space_apart(SpragVec3 a, SpragVec3 b)
{
    return sprag_vec3_norm(sprag_vec3_sub(a, b));
}

#endif
