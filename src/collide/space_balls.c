// space_balls.c: gaps of balls, and of balls over planes, in closed form.
// Problem   piles have thousands of them, which time stepping asks for in every step: a slot and
// the
//           shapes that it names are spread over many lines of memory
// Method    what the gap takes is copied once, while the slot is near
#include "space_catalogue.h"

bool sprag_collider_ball_slot(const SpragCollider *collider, int index, SpragBallSlot *ball)
{
    const Slot *slot = &collider->slots[index];
    int own = slot->round, other = 1 - own;
    const SpragShape *shapes = collider->model->shapes;
    const SpragShape *round = &shapes[slot->shown.shape[own]],
                     *base = &shapes[slot->shown.shape[other]];
    bool plane = slot->kind3 == SLOT3_VERTEX_PLANE;
    bool balls = slot->kind3 == SLOT3_VERTEX_ROUND && base->kind == SPRAG_SHAPE_SPHERE;
    if (collider->plane || round->kind != SPRAG_SHAPE_SPHERE || !(plane || balls))
        return false;
    *ball = (SpragBallSlot){
        .body = {slot->shown.body[0], slot->shown.body[1]}, .own = own, .plane = plane};
    ball->centre[own] = round->points[0];
    ball->centre[other] = plane ? sprag_vec3_scale(base->offset, base->normal) : base->points[0];
    ball->normal = plane ? base->normal : sprag_vec3(0, 0, 0);
    ball->radius[own] = round->radius;
    ball->radius[other] = plane ? 0 : base->radius;
    return true;
}

bool sprag_collider_ball_frame(const SpragBallSlot *ball, const SpragPose *poses,
                               SpragSpaceGap *gap)
{
    int own = ball->own, other = 1 - own;
    const SpragPose *pose = &poses[ball->body[other]];
    SpragVec3 c = pose_to_world(&poses[ball->body[own]], ball->centre[own]);
    SpragVec3 d = sprag_vec3_sub(c, pose_to_world(pose, ball->centre[other]));
    double size = sprag_vec3_norm(d);
    if (!ball->plane && !(size > 0))
        return false;
    SpragVec3 n =
        ball->plane ? sprag_mat3_apply(&pose->R, ball->normal) : sprag_vec3_scale(1 / size, d);
    double height = sprag_vec3_dot(n, d);
    gap->gap = height - ball->radius[own] - ball->radius[other];
    gap->normal = sprag_vec3_scale(own == 0 ? 1 : -1, n);
    gap->point[own] = sprag_vec3_along(c, -ball->radius[own], n);
    gap->point[other] = sprag_vec3_along(c, ball->radius[other] - height, n);
    gap_tangents(-1, false, gap);
    return true;
}
