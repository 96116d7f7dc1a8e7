// space_cylinder_pair.c: the rim of a cylinder against the side and the flat ends of another one.
// Side      the places of the rim nearest to the axis, up to two of them: a flat end that lies
// along
//           a side touches it with both. Marks stand on flat ends.
// Edge      where a flat end has rolled to its edge the two places come together, theory.md (13.33).
#include <math.h>

#include "space_catalogue.h"
#include "special_private.h"

// Where two rims or a rim and an end coincide the later shape's rim speaks.
static double border_zone(const View3 *view)
{
    return view->shape[0] > view->shape[1] ? view->zone : -view->zone;
}

static bool rim_end_meet(const View3 *view, const Cylinder *other, int end, Meeting3 *meeting)
{
    SpragVec3 place;
    if (!rim_over_plane(view, other->out[end], other->end[end], meeting, &place))
        return false;
    Located at = cylinder_locate(other, place);
    double beyond = end ? -at.along : at.along - other->length; // the other end
    if (at.off > other->radius + border_zone(view) || beyond > view->zone)
        return false;
    meeting->piece[1] = cylinder_end_piece(view->shape[1], end);
    meeting->feature[1] = FEATURE_END + end;
    return true;
}

// One of the two places of the rim nearest to the other cylinder's axis, over its side: a line that
// crosses a rim can touch it at both, and the direction of the line says which. Where they are one
// it is the first.
static bool place_beside(const View3 *view, int which, Meeting3 *meeting, SpragSpaceGap *gap)
{
    int rim = view->feature[0] / RIM_PLACES;
    meeting_set(meeting, cylinder_rim_piece(view->shape[0], rim), FEATURE_RIM + rim,
                cylinder_side_piece(view->shape[1]), FEATURE_SIDE);
    return rim_line_place(view, 1, which, meeting, gap);
}

static bool rim_side_meet(const View3 *view, const Cylinder *other, int which, Meeting3 *meeting,
                          SpragSpaceGap *gap)
{
    if (!place_beside(view, which, meeting, gap))
        return false;
    Located at = cylinder_locate(other, gap->point[0]);
    double border = border_zone(view);
    if (at.along < -border || at.along > other->length + border)
        return false;
    Cylinder own = cylinder_place(view->shape[0], view->pose[0]);
    Located here = cylinder_locate(&own, gap->point[0]);
    SpragVec3 out = sprag_vec3_scale(-1, gap->normal);
    if (sprag_vec3_dot(out, own.out[view->feature[0] / RIM_PLACES]) < -NORMAL_SLACK ||
        sprag_vec3_dot(out, here.radial) < -NORMAL_SLACK)
        return false;
    // a rim in the plane of the other's rim is as deep as it is beside it
    bool flush = fmin(at.along, other->length - at.along) <= fabs(border);
    double depth = flush ? other->radius - at.off : at.depth;
    return -gap->gap <= 2 * fmax(0, depth) + view->zone;
}

// How far the cylinder is over the end of the other one that it is farther out of.
static double apart_from_ends(const View3 *view, const Cylinder *other, int *end)
{
    Cylinder own = cylinder_place(view->shape[0], view->pose[0]);
    double most = -INFINITY;
    for (int i = 0; i < 2; i++) {
        double apart =
            cylinder_low(&own, other->out[i]) - sprag_vec3_dot(other->out[i], other->end[i]);
        *end = apart > most ? i : *end;
        most = fmax(most, apart);
    }
    return most;
}

// Two places of a rim over a side with the rim between them no farther from it than the zone: there
// a flat end has rolled to its edge, and they come together with a speed that has no limit. Until
// they have, the place in the middle carries the contact, fixed in the body.
static bool places_merge(const View3 *view, const Meeting3 side[2], const SpragSpaceGap gap[2],
                         Meeting3 *meeting)
{
    const SpragShape *shape = view->shape[0];
    int rim = view->feature[0] / RIM_PLACES;
    SpragVec3 centre = pose_to_world(view->pose[0], shape->points[rim]), e = {0, 0, 0};
    for (int i = 0; i < 2; i++)
        e = sprag_vec3_add(e, sprag_vec3_sub(gap[i].point[0], centre));
    if (!(sprag_vec3_norm(e) > shape->radius))
        return false; // more than a third of the rim is between them
    SpragVec3 place = sprag_vec3_along(centre, shape->radius, sprag_vec3_unit(e));
    SpragSpaceGap middle;
    *meeting = side[0];
    meeting->piece[0] = piece_point(pose_to_local(view->pose[0], place), 0);
    meeting->feature[0] = FEATURE_MARK + RIM_PLACES * rim;
    return meeting_gap(view, meeting, &middle) &&
           middle.gap - fmin(gap[0].gap, gap[1].gap) < view->zone;
}

void cylinder_pair_meet(const View3 *view, Meeting3 *meeting)
{
    Cylinder other = cylinder_place(view->shape[1], view->pose[1]);
    int end = 0, mark = view->feature[0] % RIM_PLACES;
    double most = apart_from_ends(view, &other, &end);
    // beside each other: apart along the axes' distance more than along an end. Marks stand on flat
    // ends; beside a side the first one is the second place
    Meeting3 side[2], merged;
    SpragSpaceGap gap[2];
    bool beside[2];
    for (int which = 0; which < 2; which++)
        beside[which] =
            rim_side_meet(view, &other, which, &side[which], &gap[which]) && gap[which].gap >= most;
    if (beside[0] && beside[1] && places_merge(view, side, gap, &merged)) {
        side[0] = merged;
        side[1].valid = false;
    }
    if (mark < 2 && beside[mark])
        *meeting = side[mark];
    if (!beside[0] && !beside[1])
        meeting->valid = rim_end_meet(view, &other, end, meeting);
}
