// collide_seams.c: polygons that abut and never move against each other have one surface.
// Problem   two tables side by side, or the parts of one body: the corners at the seam lie in a
//           flat surface, or in a valley, and the sides between the parts are inside. A body that
//           slides over them meets the surface, not those corners and sides
// Method    a corner is part of a seam if no straight side can touch it: the directions that none
//           of the parts fills leave no gap wider than a half-plane. Of a side the stretches at
//           both of its ends count that lie against another part. A vertex over a side belongs to
//           the part whose side begins at the seam, up to the zone beyond it, and from there on to
//           the other
// Assumes   convex polygons in the plane; parts are shapes of one body, or of fixed bodies
#include <math.h>
#include <string.h>

#include "collide_private.h"

static const double PI = 3.14159265358979323846;
// Gaps between parts this much wider than a half-plane (rad) are corners.
static const double FLAT = 1e-7;
// How far in front of a side another part must be (zones), to be against it.
static const double BEFORE = 2;
// A side goes on beyond a seam for so many zones: the next part, which begins at one zone behind
// it, has the vertex before this one lets go.
static const double REACH = 2;
enum { MOST_PARTS = 16 }; // that meet in one corner

// ---- Finding them -------------------------------------------------------------------------------

static SpragVec2 corner_of(const SpragShape *shape, int i)
{
    int n = shape->vertex_count;
    return shape->vertices[(i % n + n) % n];
}

static bool stands_still(const SpragBody *body)
{
    return body->fixed && !body->driven;
}

static bool joined(const SpragModel *model, int a, int b)
{
    int body_a = model->shapes[a].body, body_b = model->shapes[b].body;
    bool still = stands_still(&model->bodies[body_a]) && stands_still(&model->bodies[body_b]);
    return a != b && is_polygon(&model->shapes[a]) && is_polygon(&model->shapes[b]) &&
           (body_a == body_b || still);
}

static double angle_of(SpragVec2 v)
{
    double angle = atan2(v.y, v.x);
    return angle < 0 ? angle + 2 * PI : angle;
}

// Directions that a part fills as seen from one point: from `from`, counter-clockwise over `width`.
typedef struct Wedge {
    double from, width;
} Wedge;

// Of a polygon (coordinates of its body) around p; width 0: it is not there.
static Wedge wedge_at(const SpragShape *shape, SpragVec2 p, double zone)
{
    Wedge wedge = {0, 0};
    bool inside = true;
    for (int i = 0; i < shape->vertex_count; i++) {
        SpragVec2 a = shape->vertices[i], e = sprag_vec2_sub(corner_of(shape, i + 1), a);
        SpragVec2 d = sprag_vec2_sub(p, a);
        double length = hypot(e.x, e.y);
        if (!(length > 0))
            continue;
        double along = sprag_vec2_dot(e, d) / length, out = (e.y * d.x - e.x * d.y) / length;
        inside &= out <= zone;
        if (hypot(d.x, d.y) <= zone) {
            wedge.from = angle_of(e);
            wedge.width = angle_of(sprag_vec2_sub(corner_of(shape, i - 1), a)) - wedge.from;
            wedge.width += wedge.width < 0 ? 2 * PI : 0;
            return wedge;
        }
        if (fabs(out) <= zone && along > zone && along < length - zone)
            wedge = (Wedge){angle_of(e), PI};
    }
    return inside && wedge.width == 0 ? (Wedge){0, 2 * PI} : inside ? wedge : (Wedge){0, 0};
}

// Widest gap between wedges.
static double widest_gap(int count, const Wedge *wedges)
{
    double widest = 0;
    for (int i = 0; i < count; i++) {
        // behind the end of each: how far to the begin of the next
        double end = wedges[i].from + wedges[i].width, gap = 2 * PI;
        if (wedges[i].width >= 2 * PI)
            return 0;
        for (int k = 0; k < count; k++) {
            double ahead = fmod(wedges[k].from - end + 8 * PI, 2 * PI);
            double over = 2 * PI - ahead;
            // it begins before that end and reaches over it
            gap = fmin(gap, k != i && over <= wedges[k].width + FLAT ? 0 : ahead);
        }
        widest = fmax(widest, gap);
    }
    return widest;
}

// p of the frame of body a in that of body b.
static SpragVec2 carry(const Frame *a, const Frame *b, SpragVec2 p)
{
    return frame_to_local(b, frame_to_world(a, p));
}

static bool is_flat(const SpragCollider *collider, const Frame *frames, int shape, int vertex)
{
    const SpragModel *model = collider->model;
    const SpragShape *own = &model->shapes[shape];
    Wedge wedges[MOST_PARTS] = {wedge_at(own, own->vertices[vertex], 0)};
    const Frame *frame = &frames[own->body];
    int count = 1;
    for (int b = 0; b < model->shape_count && count < MOST_PARTS; b++) {
        if (!joined(model, shape, b))
            continue;
        const SpragShape *part = &model->shapes[b];
        const Frame *other = &frames[part->body];
        Wedge wedge = wedge_at(part, carry(frame, other, own->vertices[vertex]), collider->zone);
        if (wedge.width == 0)
            continue;
        wedge.from += atan2(other->sine, other->cosine) - atan2(frame->sine, frame->cosine);
        wedges[count++] = wedge;
    }
    return count > 1 && widest_gap(count, wedges) <= PI + FLAT;
}

// The stretch [*low, *high] of a segment p + s e (|e| = 1, 0 ≤ s ≤ length) inside of a polygon.
static bool clip(const SpragShape *shape, SpragVec2 p, SpragVec2 e, double length, double *low,
                 double *high)
{
    *low = 0;
    *high = length;
    for (int i = 0; i < shape->vertex_count; i++) {
        SpragVec2 a = shape->vertices[i], side = sprag_vec2_sub(corner_of(shape, i + 1), a);
        SpragVec2 normal = sprag_vec2(side.y, -side.x);
        double rate = sprag_vec2_dot(normal, e);
        double out = sprag_vec2_dot(normal, sprag_vec2_sub(p, a));
        if (rate > 0)
            *high = fmin(*high, -out / rate);
        else if (rate < 0)
            *low = fmax(*low, -out / rate);
        else if (out > 0)
            return false;
    }
    return *high > *low;
}

static void find_covered(const SpragCollider *collider, const Frame *frames, int shape, int i,
                         Seam *seam)
{
    const SpragModel *model = collider->model;
    const SpragShape *own = &model->shapes[shape];
    const Frame *frame = &frames[own->body];
    SpragVec2 a = own->vertices[i], e = sprag_vec2_sub(corner_of(own, i + 1), a);
    double length = hypot(e.x, e.y), zone = collider->zone;
    if (!(length > 0))
        return;
    e = sprag_vec2_scale(1 / length, e);
    SpragVec2 front = sprag_vec2_add(a, sprag_vec2_scale(BEFORE * zone, sprag_vec2(e.y, -e.x)));
    for (bool grown = true; grown;) {
        grown = false;
        for (int b = 0; b < model->shape_count; b++) {
            double low, high;
            if (!joined(model, shape, b))
                continue;
            const SpragShape *part = &model->shapes[b];
            const Frame *other = &frames[part->body];
            SpragVec2 from = carry(frame, other, front);
            SpragVec2 to = carry(frame, other, sprag_vec2_add(front, e));
            if (!clip(part, from, sprag_vec2_sub(to, from), length, &low, &high))
                continue;
            double reach = 4 * BEFORE * zone;
            if (low <= seam->begin + reach && high > seam->begin + reach) {
                seam->begin = high;
                grown = true;
            }
            if (high >= length - seam->end - reach && length - low > seam->end + reach) {
                seam->end = length - low;
                grown = true;
            }
        }
    }
}

SpragStatus seams_find(SpragCollider *collider, const double *pose)
{
    const SpragModel *model = collider->model;
    size_t total = 0;
    for (int i = 0; i < model->shape_count; i++)
        total += (size_t)model->shapes[i].vertex_count;
    if (!collider->seams) {
        collider->seams = sprag_alloc(collider->context, total + 1, sizeof *collider->seams);
        collider->seam_first =
            sprag_alloc(collider->context, (size_t)model->shape_count + 1, sizeof(size_t));
        collider->frames =
            sprag_alloc(collider->context, (size_t)model->body_count + 1, sizeof(Frame));
    }
    if (!collider->seams || !collider->seam_first || !collider->frames)
        return SPRAG_ERROR_MEMORY;
    memset(collider->seams, 0, total * sizeof *collider->seams);
    for (int i = 0; i < model->body_count; i++)
        collider->frames[i] = collide_frame(pose, NULL, i);
    total = 0;
    for (int i = 0; i < model->shape_count; i++) {
        const SpragShape *shape = &model->shapes[i];
        collider->seam_first[i] = total;
        for (int k = 0; k < shape->vertex_count && is_polygon(shape); k++) {
            Seam *seam = &collider->seams[total + (size_t)k];
            seam->flat = is_flat(collider, collider->frames, i, k);
            find_covered(collider, collider->frames, i, k, seam);
        }
        total += (size_t)shape->vertex_count;
    }
    return SPRAG_OK;
}

// ---- Meeting them -------------------------------------------------------------------------------

static const Seam *seams_of(const SpragCollider *collider, const SpragShape *shape)
{
    return collider->seams + collider->seam_first[shape - collider->model->shapes];
}

bool seams_hide(const View *view)
{
    return is_polygon(view->round_shape) && view->collider->seams &&
           seams_of(view->collider, view->round_shape)[view->vertex].flat;
}

bool seams_are_on(const View *view)
{
    const SpragShape *shape = view->other_shape;
    if (!view->collider->seams || !is_polygon(shape))
        return false;
    const Seam *seams = seams_of(view->collider, shape);
    for (int i = 0; i < shape->vertex_count; i++)
        if (seams[i].flat)
            return true;
    return false;
}

bool seams_flat(const View *view, int corner)
{
    return seams_of(view->collider, view->other_shape)[corner].flat;
}

// A side of the polygon as the vertex sees it.
typedef struct Sight {
    SpragVec2 normal;
    double out, along, length;
    bool beside;  // between its ends, as the seams divide them
    bool beyond;  // behind a seam: another part has it
    bool hidden;  // another part is in front of it there
    bool flat[2]; // ends that are seams
} Sight;

static bool look_at_side(const View *view, int i, Sight *sight)
{
    const SpragShape *shape = view->other_shape;
    const Seam *seams = seams_of(view->collider, shape);
    double zone = view->collider->zone;
    SpragVec2 e = sprag_vec2_sub(corner_of(shape, i + 1), shape->vertices[i]);
    SpragVec2 d = sprag_vec2_sub(view->c, shape->vertices[i]);
    sight->length = hypot(e.x, e.y);
    if (!(sight->length > 0))
        return false;
    sight->normal = sprag_vec2(e.y / sight->length, -e.x / sight->length);
    sight->out = sprag_vec2_dot(sight->normal, d);
    sight->along = sprag_vec2_dot(e, d) / sight->length;
    sight->flat[0] = seams[i].flat;
    sight->flat[1] = seams[i + 1 == shape->vertex_count ? 0 : i + 1].flat;
    double first = sight->flat[0] ? -REACH * zone : 0;
    double last = sight->flat[1] ? sight->length - zone : sight->length;
    sight->beside = sight->along >= first && sight->along <= last;
    sight->beyond =
        (sight->flat[0] && sight->along < first) || (sight->flat[1] && sight->along > last);
    // where the other part ends the side is open again, a little before that
    double begin = seams[i].begin - (seams[i].begin < sight->length ? REACH * zone : 0);
    double end = seams[i].end - (seams[i].end < sight->length ? REACH * zone : 0);
    sight->hidden = (seams[i].begin > 0 && sight->along <= begin) ||
                    (seams[i].end > 0 && sight->length - sight->along <= end);
    return true;
}

static Meeting flat_meeting(const View *view, int i, const Sight *sight)
{
    return (Meeting){.kind = MEETING_FLAT,
                     .normal = sight->normal,
                     .point = view->other_shape->vertices[i],
                     .distance = sight->out};
}

// Inside: the open side along which the shapes overlap least, as elsewhere (collide_convex.c).
static Meeting meet_inside(const View *view, int *side)
{
    Meeting best = {.kind = MEETING_NONE};
    double least = -INFINITY;
    for (int i = 0; i < view->other_shape->vertex_count; i++) {
        Sight sight;
        if (!look_at_side(view, i, &sight) || sight.hidden)
            continue;
        double depth = sight.out;
        if (is_polygon(view->round_shape))
            depth = convex_support(view->round_shape, view->round, view->other, sight.normal,
                                   view->other_shape->vertices[i]);
        if (depth > least) {
            least = depth;
            best = flat_meeting(view, i, &sight);
            if (sight.beyond)
                best.kind = MEETING_NONE;
            *side = sight.beyond ? -1 : i;
        }
    }
    return best;
}

static Meeting meet_outside(const View *view)
{
    Meeting best = {.kind = MEETING_NONE};
    double least = INFINITY;
    for (int i = 0; i < view->other_shape->vertex_count; i++) {
        Sight sight;
        SpragVec2 corner = view->other_shape->vertices[i], d = sprag_vec2_sub(view->c, corner);
        if (!look_at_side(view, i, &sight))
            continue;
        bool side = sight.beside && !sight.hidden && sight.out >= -view->collider->zone;
        if (side && fabs(sight.out) < least) {
            least = fabs(sight.out);
            best = flat_meeting(view, i, &sight);
        }
        double distance = hypot(d.x, d.y);
        if (!sight.flat[0] && distance > 0 && distance < least) {
            least = distance;
            best = (Meeting){.kind = MEETING_PIVOT,
                             .normal = sprag_vec2_scale(1 / distance, d),
                             .point = corner,
                             .distance = distance};
        }
    }
    return best;
}

Meeting seams_meet(const View *view, int *side)
{
    bool inside = true;
    *side = -1;
    for (int i = 0; i < view->other_shape->vertex_count && inside; i++) {
        Sight sight;
        // beyond the seam by no more than its side reaches
        double reach = REACH * view->collider->zone;
        inside = !look_at_side(view, i, &sight) || sight.out <= (sight.hidden ? reach : 0);
    }
    return inside ? meet_inside(view, side) : meet_outside(view);
}
