// collide_touch.c: normal, arms and rates of held features, and nothing else.
// Problem   right-hand sides of layers ask for them some thousand times a second of motion, and for
//           neither gaps (depths are states of their own) nor bias terms (nothing is solved for)
// Method    as collide_gap.c, from the frames of the two bodies in world coordinates alone
#include <math.h>

#include "collide_private.h"

static SpragVec2 turn_with(SpragVec2 a, const Frame *frame)
{
    return sprag_vec2_turn(a, frame->cosine, frame->sine);
}

// Unit vector along a; `other` where it has no length.
static SpragVec2 unit_along(SpragVec2 a, SpragVec2 other)
{
    double length = hypot(a.x, a.y);
    return length > 0 ? sprag_vec2_scale(1 / length, a) : other;
}

// Velocity of the point of a body at an arm from its centre of mass.
static SpragVec2 arm_rate(const Frame *frame, SpragVec2 arm)
{
    return sprag_vec2(frame->v.x - frame->spin * arm.y, frame->v.y + frame->spin * arm.x);
}

// Normal into the round feature's body P, and the arm of the contact point there; c: arm of the
// round feature's vertex, ρ its radius.
static SpragVec2 held_frame(const SpragHold *hold, const Frame *P, const Frame *Q, SpragVec2 c,
                            double radius, SpragVec2 *arm)
{
    SpragVec2 n = turn_with(hold->normal, Q);
    if (hold->kind == MEETING_FLAT) {
        *arm = sprag_vec2_sub(c, sprag_vec2_scale(radius, n));
        return n;
    }
    SpragVec2 d = sprag_vec2_sub(frame_to_world(Q, hold->point), P->x);
    if (hold->kind == MEETING_PIVOT) {
        n = unit_along(sprag_vec2_scale(hold->radius < 0 ? -1 : 1, sprag_vec2_sub(c, d)), n);
        *arm = sprag_vec2_sub(c, sprag_vec2_scale(radius, n));
        return n;
    }
    SpragVec2 of_round = turn_with(hold->round_normal, P);
    if (hold->kind == MEETING_FLAT_ROUND) {
        *arm = d;
        return of_round;
    }
    *arm = sprag_vec2_scale(0.5, sprag_vec2_add(c, d));
    return unit_along(sprag_vec2_add(of_round, n), n);
}

void sprag_collider_held_touch(const SpragCollider *collider, int slot, const SpragHold *hold,
                               const SpragFrame *frames, SpragTouch *touch)
{
    const Slot *item = &collider->slots[slot];
    int round = item->round, other = 1 - round;
    const Frame *P = &frames[item->shown.body[round]], *Q = &frames[item->shown.body[other]];
    const SpragShape *shape = &collider->model->shapes[item->shown.shape[round]];
    SpragVec2 c = turn_with(shape->vertices[item->shown.feature[round]], P);
    SpragVec2 n = held_frame(hold, P, Q, c, shape->radius, &touch->r[round]);
    touch->r[other] = sprag_vec2_add(touch->r[round], sprag_vec2_sub(P->x, Q->x));
    SpragVec2 u = sprag_vec2_sub(arm_rate(P, touch->r[round]), arm_rate(Q, touch->r[other]));
    if (round == 1) { // from body[1] to body[0], like the belt
        n = sprag_vec2_scale(-1, n);
        u = sprag_vec2_scale(-1, u);
    }
    SpragVec2 t = sprag_vec2_tangent(n);
    const double *belt = item->shown.surface_velocity;
    touch->normal = n;
    touch->gap_rate = sprag_vec2_dot(n, u);
    touch->slip_drift = -(t.x * belt[0] + t.y * belt[1]);
    touch->slip = sprag_vec2_dot(t, u) + touch->slip_drift;
}
