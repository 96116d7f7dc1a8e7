// space_gap.c: gap, grip and placing of a slot in space.
// Problem   where two shapes are nearest by the features of a slot, with frame and rates
// Method    the features that meet, or those that are held, as pieces; of two balls, and of a ball
//           over a plane, their centres tell all but the rates
#include <string.h>

#include "space_catalogue.h"

// ---- One slot -----------------------------------------------------------------------------------

View3 space_view(const SpragCollider *collider, const Slot *slot, const SpragPose *poses)
{
    const SpragModel *model = collider->model;
    View3 view = {.kind = slot->kind3, .zone = collider->zone};
    view.gravity = sprag_vec3_of(model->gravity);
    for (int role = 0; role < 2; role++) {
        int side = role == 0 ? slot->round : 1 - slot->round;
        int shape = slot->shown.shape[side];
        view.shape[role] = &model->shapes[shape];
        view.pose[role] = &poses[slot->shown.body[side]];
        view.tree[role] = collider->space->trees[shape];
        view.feature[role] = slot->shown.feature[side];
        view.covered[role] = space_seams_faces(collider, shape);
    }
    return view;
}

void space_meet(const View3 *view, const Meeting3 *prefer, Meeting3 *meeting)
{
    if (view->kind == SLOT3_EDGE_EDGE)
        edges_meet(view, meeting);
    else if (view->kind < SLOT3_EDGE_EDGE)
        vertex_meet(view, prefer, meeting);
    else
        special_meet(view, meeting);
}

// A grip in the order of roles; not valid: it is empty.
static Meeting3 held_meeting(const Slot *slot, const SpragGrip *grip)
{
    Meeting3 meeting = {.valid = grip && grip->piece[0].kind != SPRAG_PIECE_NONE};
    for (int role = 0; role < 2 && meeting.valid; role++) {
        int side = role == 0 ? slot->round : 1 - slot->round;
        meeting.piece[role] = grip->piece[side];
        meeting.feature[role] = grip->feature[side];
    }
    return meeting;
}

static void no_gap(SpragSpaceGap *gap)
{
    memset(gap, 0, sizeof *gap);
    gap->gap = INFINITY;
}

// Gap of a meeting; the pieces go in the order of body[0], body[1].
static void meeting_gap(const Slot *slot, const Meeting3 *meeting, const SpragPose *poses, int axis,
                        bool rates, SpragSpaceGap *gap)
{
    const int *body = slot->shown.body;
    const SpragPiece *first = &meeting->piece[slot->round],
                     *second = &meeting->piece[1 - slot->round];
    if (!meeting->valid ||
        !piece_gap(first, &poses[body[0]], second, &poses[body[1]], axis, rates, gap))
        no_gap(gap);
}

// Gap and frame of two balls, or of a ball over a plane; false: they are others.
static bool round_gap(const SpragCollider *collider, int index, const SpragPose *poses,
                      SpragSpaceGap *gap)
{
    SpragBallSlot ball;
    if (!sprag_collider_ball_slot(collider, index, &ball))
        return false;
    memset(gap, 0, sizeof *gap);
    return sprag_collider_ball_frame(&ball, poses, gap);
}

static void slot_gap(const SpragCollider *collider, int index, const SpragPose *poses,
                     const SpragGrip *grip, bool rates, SpragSpaceGap *gap)
{
    const Slot *slot = &collider->slots[index];
    Meeting3 meeting = held_meeting(slot, grip);
    int axis = meeting.valid ? grip->axis : -1;
    if (!meeting.valid && !rates && round_gap(collider, index, poses, gap))
        return;
    if (!meeting.valid) {
        View3 view = space_view(collider, slot, poses);
        space_meet(&view, NULL, &meeting);
    }
    meeting_gap(slot, &meeting, poses, axis, rates, gap);
}

void sprag_collider_space_gap(const SpragCollider *collider, int slot, const SpragPose *poses,
                              const SpragGrip *grip, SpragSpaceGap *gap)
{
    slot_gap(collider, slot, poses, grip, true, gap);
}

void sprag_collider_space_frame(const SpragCollider *collider, int slot, const SpragPose *poses,
                                const SpragGrip *grip, SpragSpaceGap *gap)
{
    slot_gap(collider, slot, poses, grip, false, gap);
}

double sprag_collider_space_distance(const SpragCollider *collider, int slot,
                                     const SpragPose *poses, const SpragGrip *grip)
{
    SpragSpaceGap gap;
    slot_gap(collider, slot, poses, grip, false, &gap);
    return gap.gap;
}

bool sprag_collider_grip(const SpragCollider *collider, int index, const SpragPose *poses,
                         SpragGrip *grip)
{
    const Slot *slot = &collider->slots[index];
    View3 view = space_view(collider, slot, poses);
    Meeting3 before = held_meeting(slot, grip), meeting;
    int axis = before.valid ? grip->axis : -1;
    SpragSpaceGap gap;
    space_meet(&view, before.valid ? &before : NULL, &meeting);
    meeting_gap(slot, &meeting, poses, axis, false, &gap);
    *grip = (SpragGrip){.axis = -1};
    if (gap.gap == INFINITY)
        return false;
    for (int side = 0; side < 2; side++) {
        int role = side == slot->round ? 0 : 1;
        grip->piece[side] = meeting.piece[role];
        grip->feature[side] = meeting.feature[role];
    }
    grip->axis = frame_axis_fits(gap.normal, axis) ? axis : frame_axis(gap.normal);
    return true;
}

bool sprag_collider_is_gripped(const SpragCollider *collider, int index, const SpragGrip *grip,
                               const SpragPose *poses)
{
    const Slot *slot = &collider->slots[index];
    Meeting3 held = held_meeting(slot, grip), meeting;
    View3 view = space_view(collider, slot, poses);
    space_meet(&view, held.valid ? &held : NULL, &meeting);
    return held.valid && meeting.valid && held.feature[0] == meeting.feature[0] &&
           held.feature[1] == meeting.feature[1] && held.piece[0].kind == meeting.piece[0].kind &&
           held.piece[1].kind == meeting.piece[1].kind;
}

// ---- Placing ------------------------------------------------------------------------------------

// Where the shapes overlap: the vertex over the face through which they part with the least motion.
static bool placing_meet(const View3 *view, Meeting3 *meeting)
{
    ConvexDistance whole;
    double separated;
    if (view->kind != SLOT3_VERTEX_SOLID || !shape_is_convex(view->shape[0]))
        return false;
    int face = solid_parting_face(view, &separated);
    if (separated >= -view->zone ||
        !convex_distance(view->shape[0], view->pose[0], view->shape[1], view->pose[1], &whole) ||
        whole.distance >= -view->zone)
        return false;
    const SpragSolid *solid = view->shape[1]->solid;
    SpragVec3 at = solid->vertices[solid->face_vertices[solid->face_first[face]]];
    const SpragShape *round = view->shape[0];
    *meeting = (Meeting3){.valid = true, .feature = {view->feature[0], face}};
    meeting->piece[0] = piece_point(round->points[view->feature[0]], round->radius);
    meeting->piece[1] = piece_plane(at, solid->normals[face]);
    return true;
}

void sprag_collider_placing_space(const SpragCollider *collider, int index, const SpragPose *poses,
                                  SpragSpaceGap *gap)
{
    const Slot *slot = &collider->slots[index];
    View3 view = space_view(collider, slot, poses);
    Meeting3 meeting;
    if (!placing_meet(&view, &meeting))
        space_meet(&view, NULL, &meeting);
    meeting_gap(slot, &meeting, poses, -1, true, gap);
}
