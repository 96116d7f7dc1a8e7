// collide_touch.c: gap, normal, arms and rates of held features, and nothing else.
// Problem   right-hand sides of layers ask for them some thousand times a second of motion, and for
//           no bias terms, since nothing is solved for
// Method    as collide_gap.c, from the frames of the two bodies in world coordinates alone; what
//           does not change while the features are held stands in a SpragHeldPair
#include <math.h>

#include "collide_private.h"

void sprag_collider_held_pair(const SpragCollider *collider, int slot, const SpragHold *hold,
                              SpragHeldPair *pair)
{
    const Slot *item = &collider->slots[slot];
    const SpragShape *shape = &collider->model->shapes[item->shown.shape[item->round]];
    pair->hold = *hold;
    pair->vertex = shape->vertices[item->shown.feature[item->round]];
    pair->radius = shape->radius;
    pair->round = item->shown.body[item->round];
    pair->other = item->shown.body[1 - item->round];
    pair->sign = item->round == 0 ? 1 : -1;
    for (int k = 0; k < 2; k++)
        pair->surface_velocity[k] = item->shown.surface_velocity[k];
}

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

// Normal into the round feature's body; flat: along a side of the other one; away: from the feature
// d of the other one to the round one.
static SpragVec2 held_normal(const SpragHold *hold, const Frame *round, SpragVec2 flat,
                             SpragVec2 away)
{
    if (hold->kind == MEETING_FLAT)
        return flat;
    if (hold->kind == MEETING_PIVOT) // a radius below 0: from inside of a circle
        return unit_along(hold->radius < 0 ? sprag_vec2_scale(-1, away) : away, flat);
    SpragVec2 own = turn_with(hold->round_normal, round);
    return hold->kind == MEETING_FLAT_ROUND ? own : unit_along(sprag_vec2_add(own, flat), flat);
}

void sprag_held_pair_touch(const SpragHeldPair *pair, const SpragFrame *frames, SpragTouch *touch)
{
    const Frame *P = &frames[pair->round], *Q = &frames[pair->other];
    const SpragHold *hold = &pair->hold;
    int round = pair->sign > 0 ? 0 : 1;
    // arms of both features from the centre of P, and the way from there to that of Q
    SpragVec2 between = sprag_vec2_sub(Q->x, P->x), c = turn_with(pair->vertex, P);
    SpragVec2 d = sprag_vec2_add(between, turn_with(hold->point, Q));
    SpragVec2 away = sprag_vec2_sub(c, d);
    SpragVec2 n = held_normal(hold, P, turn_with(hold->normal, Q), away);
    SpragVec2 arm = sprag_vec2_sub(c, sprag_vec2_scale(pair->radius, n));
    if (hold->kind == MEETING_FLAT_ROUND)
        arm = d;
    else if (hold->kind == MEETING_MIDDLE)
        arm = sprag_vec2_scale(0.5, sprag_vec2_add(c, d));
    touch->gap = sprag_vec2_dot(n, away) - hold->radius - pair->radius;
    touch->r[round] = arm;
    touch->r[1 - round] = sprag_vec2_sub(arm, between);
    SpragVec2 u = sprag_vec2_sub(arm_rate(P, arm), arm_rate(Q, touch->r[1 - round]));
    SpragVec2 t = sprag_vec2_tangent(n);
    // n, t and u turn round with the order of the bodies, the belt is given in it
    touch->normal = sprag_vec2_scale(pair->sign, n);
    touch->gap_rate = sprag_vec2_dot(n, u);
    touch->slip_drift =
        -pair->sign * (t.x * pair->surface_velocity[0] + t.y * pair->surface_velocity[1]);
    touch->slip = sprag_vec2_dot(t, u) + touch->slip_drift;
}
