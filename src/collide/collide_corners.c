// collide_corners.c: a corner of a polygon on a corner of another one.
// Problem   where they coincide (within the zone) the direction from one to the other is noise, and
//           a range of normals separates the shapes; its ends are normals of sides, theory.md 13.7.
// Method    the side, of those that meet in the corners, along which the two shapes overlap least:
//           a box on a box of the same width stands on the upper face and not on a side face. If
//           several are equally good, velocities choose: nothing runs into a side that it can pass.
//           At rest, or where none can be passed, it is the middle of the range, as if corners were
//           a little rounded. The middle of a side of P and one of Q turns with the
//           mean of their spins.
#include <math.h>

#include "collide_private.h"

// Cosine of the widest range of normals that has a middle whatever carries weight.
static const double WIDE = 0.3;
// Normals whose product is above this are one direction.
static const double SAME_DIRECTION = 1 - 1e-6;
// Cosine of the narrowest range that counts where corners have sunk in: less is a flat contact.
static const double RANGE = 0.995;
// Part of an overlap by which the ends of a range may differ.
static const double SUNK = 0.3;
// A side that is approached slower than this part of the speed can be passed.
static const double PASSES = 0.1;

// Velocity of a material point of a frame, given in the coordinates of another one.
static SpragVec2 point_velocity(const Frame *of, const Frame *in, SpragVec2 point)
{
    SpragVec2 arm = sprag_vec2_sub(frame_to_world(in, point), of->x);
    SpragVec2 v = sprag_vec2(of->v.x - of->spin * arm.y, of->v.y + of->spin * arm.x);
    return sprag_vec2_turn(v, in->cosine, -in->sine);
}

// The best separating side among the two that meet in `corner` of `shape`, whose normals point
// away from it towards `against`; coordinates of `shape`. Where the shapes touch with their corners
// only, both sides separate them, and rounding must not choose: it is the side that they do not
// run into. A box that slides from one table onto the next, of the same height, does not hit it.
typedef struct BestSide {
    double support; // of `against` above the side
    double rate;
    SpragVec2 normal;
    bool tie; // both sides separate, `other` is the one that is not taken
    SpragVec2 other;
    double other_rate;
} BestSide;

static BestSide best_side(const SpragShape *shape, const Frame *frame, int corner,
                          const SpragShape *against, const Frame *against_frame, double zone)
{
    BestSide best = {.support = -INFINITY, .normal = {0, 1}};
    int before = corner == 0 ? shape->vertex_count - 1 : corner - 1;
    const int sides[2] = {before, corner};
    SpragVec2 at = shape->vertices[corner];
    SpragVec2 u =
        sprag_vec2_sub(point_velocity(against_frame, frame, at), point_velocity(frame, frame, at));
    for (int i = 0; i < 2; i++) {
        SpragVec2 candidate;
        if (!convex_side_normal(shape, sides[i], &candidate))
            continue;
        double support = convex_support(against, against_frame, frame, candidate, at);
        double rate = sprag_vec2_dot(candidate, u);
        bool tie = fabs(support - best.support) <= zone && rate != best.rate;
        if (tie ? rate > best.rate : support > best.support)
            best = (BestSide){support, rate, candidate, tie, best.normal, best.rate};
        else if (tie) {
            best.tie = true;
            best.other = candidate;
            best.other_rate = rate;
        }
    }
    return best;
}

// Where velocities choose between two sides, a vertex that slides beyond the end of one leaves it,
// although the other one is still above it by less than the zone: it goes on along the first until
// it is out.
static Meeting meet_best_side(SpragVec2 corner, const BestSide *side, SpragVec2 c)
{
    const double along = 1e-3; // of the speeds: it slides there
    Meeting meeting = convex_meet_side(corner, side->normal, c, 0);
    Meeting other = convex_meet_side(corner, side->other, c, 0);
    bool slides = fabs(side->other_rate) <= along * (side->rate - side->other_rate);
    if (side->tie && slides && meeting.distance < 0 && other.distance > meeting.distance)
        return other;
    return meeting;
}

// ---- The middle ---------------------------------------------------------------------------------

// A side that meets in coinciding corners: its normal towards the round shape in the frame of the
// other, and how far the shapes are apart along it.
typedef struct CornerSide {
    SpragVec2 normal;
    double support;
    bool round; // of the round feature's shape
} CornerSide;

// Those along which the shapes are farthest apart; in a layer they need not be equally good.
static int corner_sides(const View *view, int corner, CornerSide sides[4])
{
    const SpragShape *shape[2] = {view->other_shape, view->round_shape};
    const Frame *frame[2] = {view->other, view->round};
    const int at[2] = {corner, view->vertex};
    double best = -INFINITY, zone = view->collider->zone;
    int count = 0, good = 0;
    for (int i = 0; i < 4; i++) {
        int role = i / 2, side = at[role];
        if (i % 2 == 1)
            side = side == 0 ? shape[role]->vertex_count - 1 : side - 1;
        SpragVec2 normal;
        if (!convex_side_normal(shape[role], side, &normal))
            continue;
        double support = convex_support(shape[1 - role], frame[1 - role], frame[role], normal,
                                        shape[role]->vertices[at[role]]);
        if (role == 1) {
            normal = sprag_vec2_turn(normal, -frame[1]->cosine, -frame[1]->sine);
            normal = sprag_vec2_turn(normal, frame[0]->cosine, -frame[0]->sine);
        }
        sides[count++] = (CornerSide){normal, support, role == 1};
        best = fmax(best, support);
    }
    for (int i = 0; i < count; i++)
        if (sides[i].support >= best - zone - SUNK * fmax(0, -best))
            sides[good++] = sides[i];
    return good;
}

// The two sides with the widest angle between them, of different shapes if there is a choice;
// returns the cosine of the angle.
static double widest(const CornerSide *sides, int count, int ends[2])
{
    double least = 2;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < i; k++) {
            double cosine = sprag_vec2_dot(sides[i].normal, sides[k].normal);
            bool same = fabs(cosine - least) <= 1 - SAME_DIRECTION;
            if (same ? sides[i].round == sides[k].round : cosine > least)
                continue;
            least = cosine;
            ends[0] = k;
            ends[1] = i;
        }
    }
    return least;
}

bool corners_have_range(const View *view, int corner)
{
    CornerSide sides[4];
    int count = corner_sides(view, corner, sides), ends[2] = {0, 0};
    return widest(sides, count, ends) < RANGE && sides[ends[0]].round != sides[ends[1]].round;
}

static double carried(const View *view, SpragVec2 normal)
{
    const double *g = view->collider->model->gravity;
    SpragVec2 world = sprag_vec2_turn(normal, view->other->cosine, view->other->sine);
    return fabs(sprag_vec2_dot(world, sprag_vec2(g[0], g[1])));
}

// The middle of the range: two cards that lean against each other push level. Of a wide range, or
// one between two sides of one shape, the side that carries weight best.
static bool meet_middle(const View *view, int corner, Meeting *meeting)
{
    CornerSide sides[4];
    int count = corner_sides(view, corner, sides), ends[2] = {0, 0}, best = 0;
    SpragVec2 at = view->other_shape->vertices[corner];
    double cosine = widest(sides, count, ends);
    if (count < 2 || cosine > SAME_DIRECTION)
        return false;
    for (int i = 1; i < count; i++)
        if (carried(view, sides[i].normal) > carried(view, sides[best].normal) * (1 + 1e-6))
            best = i;
    SpragVec2 sum = sprag_vec2_add(sides[ends[0]].normal, sides[ends[1]].normal);
    double length = hypot(sum.x, sum.y);
    SpragVec2 middle = sprag_vec2_scale(length > 0 ? 1 / length : 0, sum);
    bool wide = cosine < WIDE && carried(view, middle) < carried(view, sides[best].normal);
    if (length > 0 && !wide && sides[ends[0]].round != sides[ends[1]].round) {
        *meeting = convex_meet_side(at, middle, view->c, 0);
        meeting->kind = MEETING_MIDDLE;
        return true;
    }
    *meeting = convex_meet_side(at, sides[best].normal, view->c, 0);
    if (sides[best].round)
        meeting->kind = MEETING_FLAT_ROUND;
    return true;
}

// Whether the corners rest (speeds below a zone a second are noise), or run into each other along
// every side: there is none that they could pass.
static bool is_met(const View *view, int corner)
{
    CornerSide sides[4];
    int count = corner_sides(view, corner, sides);
    SpragVec2 at = view->other_shape->vertices[corner];
    SpragVec2 u = sprag_vec2_sub(point_velocity(view->round, view->other, at),
                                 point_velocity(view->other, view->other, at));
    double speed = hypot(u.x, u.y), best = -INFINITY;
    for (int i = 0; i < count; i++)
        best = fmax(best, sprag_vec2_dot(sides[i].normal, u));
    return speed <= view->collider->zone || best < -PASSES * speed;
}

Meeting corners_meet(const View *view, int corner)
{
    const SpragShape *other = view->other_shape, *round = view->round_shape;
    double zone = view->collider->zone;
    Meeting middle;
    if (is_polygon(round) && is_met(view, corner) && meet_middle(view, corner, &middle))
        return middle;
    BestSide own = best_side(other, view->other, corner, round, view->round, zone);
    Meeting meeting = meet_best_side(other->vertices[corner], &own, view->c);
    if (!is_polygon(round))
        return meeting;
    BestSide theirs = best_side(round, view->round, view->vertex, other, view->other, zone);
    // equal faces lie on each other: then either is right, and the choice must not be noise
    // (in a layer they are a little tilted)
    if (theirs.support <= own.support + zone + SUNK * fmax(0, -own.support))
        return meeting;
    SpragVec2 turned = sprag_vec2_turn(theirs.normal, view->round->cosine, view->round->sine);
    turned = sprag_vec2_turn(turned, view->other->cosine, -view->other->sine);
    meeting = convex_meet_side(other->vertices[corner], sprag_vec2_scale(-1, turned), view->c, 0);
    meeting.kind = MEETING_FLAT_ROUND;
    return meeting;
}
