// collide_gap.c: gap, frame, rates and bias terms of one slot.
// Problem   vertex c with radius ρ on body P, against a side or vertex d of body Q, theory.md
//           (0.2), (1.3), (1.5). With n from Q into P and its rate of turning ω:
//               n' = −ω t,  t' = ω n
//               gap  = n·(c − d) − ρ − ρ_d
//               slip = t·(velocity of P − velocity of Q, both at the contact point p) − t·s
//           with s the surface velocity of Q minus that of P.
// Method    a side of Q: ω = ω_Q; a side of P: ω = ω_P; a vertex of Q: ω = −t·(c' − d')/|c − d|.
//               gap''  = N v' + n·(−ω_P² r_c + ω_Q² r_d) − 2 ω t·(c' − d') − ω² n·(c − d)    side
//               gap''  = N v' + n·(−ω_P² r_c + ω_Q² r_d) + (t·(c' − d'))²/|c − d|            vertex
//               slip'  = T v' + ω n·(u − s) + t·(ω_P ⊥(p' − x_P') − ω_Q ⊥(p' − x_Q'))
//           where u is the relative velocity at p and ⊥(x, y) = (−y, x). These hold for any gap;
//           theory.md section 1 lists their values at gap' = 0. The middle of a side of each:
//           ω = (ω_P + ω_Q)/2, p = (c + d)/2 and the planar form of (13.17).
// Note      gap, slip and both biases stay the same when the roles of body 1 and body 2 are
//           exchanged (n and the relative velocity both change sign); only the frame turns round.
#include <math.h>
#include <string.h>

#include "collide_private.h"

static SpragVec2 perpendicular(SpragVec2 a)
{
    return sprag_vec2(-a.y, a.x);
}

void sprag_frame_set(const double *pose, const double *rate, SpragFrame *frame)
{
    frame->x = sprag_vec2(pose[0], pose[1]);
    frame->v = rate ? sprag_vec2(rate[0], rate[1]) : sprag_vec2(0, 0);
    frame->spin = rate ? rate[2] : 0;
    // of one local number, so that compilers make one call of the two
    const double angle = pose[2], cosine = cos(angle), sine = sin(angle);
    frame->cosine = cosine;
    frame->sine = sine;
}

Frame collide_frame(const double *pose, const double *rate, int body)
{
    Frame frame;
    sprag_frame_set(pose + 3 * body, rate ? rate + 3 * body : NULL, &frame);
    return frame;
}

View collide_view(const SpragCollider *collider, const Slot *slot, const Frame *first,
                  const Frame *second)
{
    int round = slot->round, other = 1 - round;
    const SpragShape *shapes = collider->model->shapes;
    View view = {.collider = collider,
                 .slot = slot,
                 .round_shape = &shapes[slot->shown.shape[round]],
                 .other_shape = &shapes[slot->shown.shape[other]],
                 .round = round == 0 ? first : second,
                 .other = round == 0 ? second : first,
                 .vertex = slot->shown.feature[round]};
    SpragVec2 world = frame_to_world(view.round, view.round_shape->vertices[view.vertex]);
    view.c = frame_to_local(view.other, world);
    return view;
}

static Meeting plane_meet(const View *view)
{
    const SpragShape *plane = view->other_shape;
    SpragVec2 normal = sprag_vec3_flat(plane->normal);
    Meeting meeting = {.kind = MEETING_FLAT, .normal = normal};
    meeting.point = sprag_vec2_scale(plane->offset, normal);
    meeting.distance = sprag_vec2_dot(normal, view->c) - plane->offset;
    return meeting;
}

Meeting collide_meet(const View *view)
{
    switch (view->slot->kind) {
    case SLOT_PLANE:
        return plane_meet(view);
    case SLOT_CONVEX:
        return convex_slot_meet(view);
    default:
        return chain_slot_meet(view);
    }
}

// Everything about the pair that the rates need, in world coordinates.
typedef struct Pair {
    const Frame *P, *Q;
    SpragVec2 n, t;
    SpragVec2 c, d;           // feature point of P, and of Q
    SpragVec2 p;              // contact point
    SpragVec2 c_rate, d_rate; // velocities of c with P and of d with Q
    double omega;             // rate of turning of n
} Pair;

static SpragVec2 point_rate(const Frame *frame, SpragVec2 point)
{
    SpragVec2 arm = sprag_vec2_sub(point, frame->x);
    return sprag_vec2_add(frame->v, sprag_vec2_scale(frame->spin, perpendicular(arm)));
}

static Pair pair_build(const View *view, const Meeting *meeting)
{
    Pair pair = {.P = view->round, .Q = view->other};
    pair.n = sprag_vec2_turn(meeting->normal, view->other->cosine, view->other->sine);
    pair.t = sprag_vec2_tangent(pair.n);
    pair.c = frame_to_world(view->round, view->round_shape->vertices[view->vertex]);
    pair.d = frame_to_world(view->other, meeting->point);
    pair.c_rate = point_rate(pair.P, pair.c);
    pair.d_rate = point_rate(pair.Q, pair.d);
    pair.p = sprag_vec2_sub(pair.c, sprag_vec2_scale(view->round_shape->radius, pair.n));
    pair.omega = view->other->spin;
    if (meeting->kind == MEETING_FLAT_ROUND) {
        pair.omega = view->round->spin;
        pair.p = pair.d;
    } else if (meeting->kind == MEETING_MIDDLE) {
        pair.omega = 0.5 * (view->round->spin + view->other->spin);
        pair.p = sprag_vec2_scale(0.5, sprag_vec2_add(pair.c, pair.d));
    } else if (meeting->kind == MEETING_PIVOT) {
        SpragVec2 relative = sprag_vec2_sub(pair.c_rate, pair.d_rate);
        pair.omega = -sprag_vec2_dot(pair.t, relative) / meeting->distance;
    }
    return pair;
}

static double normal_bias(const Pair *pair, const Meeting *meeting)
{
    double wp = pair->P->spin, wq = pair->Q->spin, omega = pair->omega;
    SpragVec2 r_c = sprag_vec2_sub(pair->c, pair->P->x), r_d = sprag_vec2_sub(pair->d, pair->Q->x);
    SpragVec2 relative = sprag_vec2_sub(pair->c_rate, pair->d_rate);
    double centripetal =
        -wp * wp * sprag_vec2_dot(r_c, pair->n) + wq * wq * sprag_vec2_dot(r_d, pair->n);
    double across = sprag_vec2_dot(pair->t, relative);
    if (meeting->kind == MEETING_PIVOT)
        return centripetal - omega * across;
    return centripetal - 2 * omega * across - omega * omega * meeting->distance;
}

// d·(ω_P ⊥(p' − x_P') − ω_Q ⊥(p' − x_Q')): what the motion of the contact point adds along d.
static double arm_bias(const Pair *pair, SpragVec2 p_rate, SpragVec2 d)
{
    SpragVec2 from_p = sprag_vec2_scale(pair->P->spin, sprag_vec2_sub(p_rate, pair->P->v));
    SpragVec2 from_q = sprag_vec2_scale(pair->Q->spin, sprag_vec2_sub(p_rate, pair->Q->v));
    return sprag_vec2_dot(d, perpendicular(sprag_vec2_sub(from_p, from_q)));
}

static SpragVec2 middle_rate(const Pair *pair)
{
    return sprag_vec2_scale(0.5, sprag_vec2_add(pair->c_rate, pair->d_rate));
}

// u: velocity of P relative to Q at the contact point; s: surface velocity of Q minus that of P.
static double tangential_bias(const Pair *pair, const View *view, const Meeting *meeting,
                              SpragVec2 u, SpragVec2 s)
{
    SpragVec2 p_rate = pair->d_rate;
    if (meeting->kind == MEETING_MIDDLE) {
        p_rate = middle_rate(pair);
    } else if (meeting->kind != MEETING_FLAT_ROUND) {
        // p = c − ρ n
        double turn = view->round_shape->radius * pair->omega;
        p_rate = sprag_vec2_add(pair->c_rate, sprag_vec2_scale(turn, pair->t));
    }
    return pair->omega * sprag_vec2_dot(pair->n, sprag_vec2_sub(u, s)) +
           arm_bias(pair, p_rate, pair->t);
}

static void fill_frame(const Slot *slot, const Pair *pair, double radius, SpragGap *gap)
{
    int round = slot->round, other = 1 - round;
    gap->point = pair->p;
    gap->normal = round == 0 ? pair->n : sprag_vec2_scale(-1, pair->n);
    gap->r[round] = sprag_vec2_sub(pair->p, pair->P->x);
    gap->r[other] = sprag_vec2_sub(pair->p, pair->Q->x);
    SpragVec2 centre = sprag_vec2_add(pair->p, sprag_vec2_scale(radius, pair->n));
    gap->centre[round] = sprag_vec2_sub(centre, pair->P->x);
    gap->centre[other] = sprag_vec2_sub(centre, pair->Q->x);
}

static void fill_gap(const View *view, const Meeting *meeting, SpragGap *gap)
{
    const Slot *slot = view->slot;
    if (meeting->kind == MEETING_NONE) {
        memset(gap, 0, sizeof *gap);
        gap->gap = INFINITY;
        return;
    }
    Pair pair = pair_build(view, meeting);
    gap->gap = meeting->distance - meeting->radius - view->round_shape->radius;
    fill_frame(slot, &pair, view->round_shape->radius, gap);
    SpragVec2 u = sprag_vec2_sub(point_rate(pair.P, pair.p), point_rate(pair.Q, pair.p));
    SpragVec2 s = sprag_vec2(slot->shown.surface_velocity[0], slot->shown.surface_velocity[1]);
    if (slot->round == 1)
        s = sprag_vec2_scale(-1, s);
    gap->gap_rate = sprag_vec2_dot(pair.n, u);
    gap->slip_drift = -sprag_vec2_dot(pair.t, s);
    gap->slip = sprag_vec2_dot(pair.t, u) + gap->slip_drift;
    gap->bias_normal =
        meeting->kind == MEETING_MIDDLE
            ? arm_bias(&pair, middle_rate(&pair), pair.n) - pair.omega * sprag_vec2_dot(pair.t, u)
            : normal_bias(&pair, meeting);
    gap->bias_tangential = tangential_bias(&pair, view, meeting, u, s);
}

// A slot among bodies whose frames are at hand.
static View framed_view(const SpragCollider *collider, int slot, const SpragFrame *frames)
{
    const Slot *item = &collider->slots[slot];
    const int *body = item->shown.body;
    return collide_view(collider, item, &frames[body[0]], &frames[body[1]]);
}

void sprag_collider_gap_framed(const SpragCollider *collider, int slot, const SpragFrame *frames,
                               SpragGap *gap)
{
    View view = framed_view(collider, slot, frames);
    Meeting meeting = collide_meet(&view);
    fill_gap(&view, &meeting, gap);
}

static double meeting_distance(const View *view, const Meeting *meeting)
{
    if (meeting->kind == MEETING_NONE)
        return INFINITY;
    return meeting->distance - meeting->radius - view->round_shape->radius;
}

double sprag_collider_distance(const SpragCollider *collider, int slot, const SpragFrame *frames)
{
    View view = framed_view(collider, slot, frames);
    Meeting meeting = collide_meet(&view);
    return meeting_distance(&view, &meeting);
}

void sprag_collider_gap(const SpragCollider *collider, int slot, const double *pose,
                        const double *rate, SpragGap *gap)
{
    const Slot *item = &collider->slots[slot];
    Frame first = collide_frame(pose, rate, item->shown.body[0]);
    Frame second = collide_frame(pose, rate, item->shown.body[1]);
    View view = collide_view(collider, item, &first, &second);
    Meeting meeting = collide_meet(&view);
    fill_gap(&view, &meeting, gap);
}

// ---- Holding on to features ---------------------------------------------------------------------

bool sprag_collider_hold(const SpragCollider *collider, int slot, const SpragFrame *frames,
                         SpragHold *hold)
{
    if (hold->kind == MEETING_MIDDLE && sprag_collider_is_held(collider, slot, hold, frames))
        return true;
    View view = framed_view(collider, slot, frames);
    Meeting meeting = collide_meet(&view);
    SpragVec2 world = sprag_vec2_turn(meeting.normal, view.other->cosine, view.other->sine);
    SpragVec2 turned = sprag_vec2_turn(world, view.round->cosine, -view.round->sine);
    *hold = (SpragHold){(int)meeting.kind, meeting.normal, turned, meeting.point, meeting.radius};
    if (meeting.kind == MEETING_FLAT_ROUND)
        hold->normal = turned;
    return meeting.kind != MEETING_NONE;
}

static SpragVec2 middle_of(SpragVec2 a, SpragVec2 b)
{
    SpragVec2 sum = sprag_vec2_add(a, b);
    double length = hypot(sum.x, sum.y);
    return length > 0 ? sprag_vec2_scale(1 / length, sum) : b;
}

void sprag_collider_held_gap(const SpragCollider *collider, int slot, const SpragHold *hold,
                             const SpragFrame *frames, SpragGap *gap)
{
    View view = framed_view(collider, slot, frames);
    Meeting meeting = {.kind = (MeetingKind)hold->kind,
                       .normal = hold->normal,
                       .point = hold->point,
                       .radius = hold->radius};
    SpragVec2 d = sprag_vec2_sub(view.c, hold->point);
    if (meeting.kind == MEETING_FLAT_ROUND || meeting.kind == MEETING_MIDDLE) {
        SpragVec2 world = sprag_vec2_turn(hold->round_normal, view.round->cosine, view.round->sine);
        meeting.normal = sprag_vec2_turn(world, view.other->cosine, -view.other->sine);
        if (meeting.kind == MEETING_MIDDLE)
            meeting.normal = middle_of(meeting.normal, hold->normal);
    } else if (meeting.kind == MEETING_PIVOT) {
        double length = hypot(d.x, d.y);
        if (length > 0) // a radius below 0: from inside of a circle
            meeting.normal = sprag_vec2_scale((hold->radius < 0 ? -1 : 1) / length, d);
    }
    meeting.distance = sprag_vec2_dot(meeting.normal, d);
    fill_gap(&view, &meeting, gap);
}

bool sprag_collider_is_held(const SpragCollider *collider, int slot, const SpragHold *hold,
                            const SpragFrame *frames)
{
    // sides and vertices are fixed in the shapes, so the same one gives the same bits
    View view = framed_view(collider, slot, frames);
    Frame rest[2] = {*view.round, *view.other};
    if (hold->kind == MEETING_MIDDLE) {
        // motion does not end what began at rest
        for (int i = 0; i < 2; i++) {
            rest[i].v = sprag_vec2(0, 0);
            rest[i].spin = 0;
        }
        view.round = &rest[0];
        view.other = &rest[1];
    }
    Meeting meeting = collide_meet(&view);
    bool same_point = meeting.point.x == hold->point.x && meeting.point.y == hold->point.y;
    bool same_side = meeting.normal.x == hold->normal.x && meeting.normal.y == hold->normal.y;
    if ((int)meeting.kind != hold->kind || !same_point)
        return false;
    return meeting.kind != MEETING_FLAT || same_side;
}

bool sprag_collider_can_change(const SpragCollider *collider, int slot)
{
    const Slot *item = &collider->slots[slot];
    SpragShapeKind kind = collider->model->shapes[item->shown.shape[1 - item->round]].kind;
    if (collider->space)
        return item->kind3 != SLOT3_VERTEX_PLANE &&
               (item->kind3 != SLOT3_VERTEX_ROUND || kind != SPRAG_SHAPE_SPHERE);
    return kind != SPRAG_SHAPE_PLANE && kind != SPRAG_SHAPE_CIRCLE;
}

static Meeting placing_meet(const View *view)
{
    bool polygon = view->slot->kind == SLOT_CONVEX && is_polygon(view->other_shape);
    return polygon ? convex_placing_meet(view) : collide_meet(view);
}

void sprag_collider_placing_gap(const SpragCollider *collider, int slot, const double *pose,
                                SpragGap *gap)
{
    const Slot *item = &collider->slots[slot];
    Frame first = collide_frame(pose, NULL, item->shown.body[0]);
    Frame second = collide_frame(pose, NULL, item->shown.body[1]);
    View view = collide_view(collider, item, &first, &second);
    Meeting meeting = placing_meet(&view);
    fill_gap(&view, &meeting, gap);
}

void sprag_collider_placing_gap_framed(const SpragCollider *collider, int slot,
                                       const SpragFrame *frames, SpragGap *gap)
{
    View view = framed_view(collider, slot, frames);
    Meeting meeting = placing_meet(&view);
    fill_gap(&view, &meeting, gap);
}

double sprag_collider_placing_distance(const SpragCollider *collider, int slot,
                                       const SpragFrame *frames)
{
    View view = framed_view(collider, slot, frames);
    Meeting meeting = placing_meet(&view);
    return meeting_distance(&view, &meeting);
}
