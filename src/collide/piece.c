// piece.c: gap, witness points, frame and rates of two pieces.
// Problem   cores (points, lines, circles) with radii ρ, or planes, on two moving bodies. With the
//           nearest (in a hole: the farthest) places c_0, c_1 of the cores and n into body 0,
//               gap = n·(c_0 − c_1) − ρ_0 − ρ_1,  p_0 = c_0 − ρ_0 n,  p_1 = c_1 + ρ_1 n
//           and the rates of n, p_0, p_1 for given velocities of the bodies.
// Method    places by closed forms or a bracketed root (piece_places.c). Rates by differentiating
//           the conditions that d = c_0 − c_1 is at right angles to both curves, theory.md (13.18)
//           to (13.21); against a plane, that the circle runs level there, (13.22).
// Normal    where curves cross, d vanishes at contact and n is taken from the tangents: it passes
//           through zero gap smoothly. Otherwise n is along d.
#include <math.h>

#include "piece_private.h"

// Cosine of the angle between n and the axis of the tangent beyond which a grip is taken anew.
static const double AXIS_LIMIT = 0.95;
// Below this sine two curves count as parallel where their distance can tell the normal.
static const double CROSSING = 0.1;
// Sine below which a circle is flat on a plane, lines are parallel: rounding of unit vectors.
static const double ROUNDING = 1e-13;

// ---- Building pieces ----------------------------------------------------------------------------

SpragPiece piece_point(SpragVec3 point, double radius)
{
    return (SpragPiece){.kind = SPRAG_PIECE_POINT, .point = point, .radius = radius};
}

SpragPiece piece_line(SpragVec3 point, SpragVec3 axis, double radius)
{
    return (SpragPiece){
        .kind = SPRAG_PIECE_LINE, .point = point, .axis = sprag_vec3_unit(axis), .radius = radius};
}

SpragPiece piece_plane(SpragVec3 point, SpragVec3 normal)
{
    return (SpragPiece){.kind = SPRAG_PIECE_PLANE, .point = point, .axis = normal};
}

SpragPiece piece_circle(SpragVec3 centre, SpragVec3 axis, double size)
{
    return (SpragPiece){
        .kind = SPRAG_PIECE_CIRCLE, .point = centre, .axis = sprag_vec3_unit(axis), .size = size};
}

// ---- Frames -------------------------------------------------------------------------------------

static SpragVec3 world_axis(int axis)
{
    return sprag_vec3(axis == 0, axis == 1, axis == 2);
}

int frame_axis(SpragVec3 n)
{
    double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    if (x <= y && x <= z)
        return 0;
    return y <= z ? 1 : 2;
}

bool frame_axis_fits(SpragVec3 n, int axis)
{
    return axis >= 0 && fabs(sprag_vec3_dot(n, world_axis(axis))) < AXIS_LIMIT;
}

void gap_tangents(int axis, bool rates, SpragSpaceGap *gap)
{
    SpragVec3 n = gap->normal;
    SpragVec3 e = world_axis(axis >= 0 ? axis : frame_axis(n));
    SpragVec3 q = sprag_vec3_along(e, -sprag_vec3_dot(e, n), n);
    if (sprag_vec3_norm(q) < ROUNDING) {
        e = world_axis(frame_axis(n));
        q = sprag_vec3_along(e, -sprag_vec3_dot(e, n), n);
    }
    double length = sprag_vec3_norm(q);
    SpragVec3 t = sprag_vec3_scale(1 / length, q);
    gap->tangent[0] = t;
    gap->tangent[1] = sprag_vec3_cross(n, t);
    if (!rates)
        return;
    SpragVec3 n_rate = gap->normal_rate;
    SpragVec3 q_rate = sprag_vec3_along(sprag_vec3_scale(-sprag_vec3_dot(e, n_rate), n),
                                        -sprag_vec3_dot(e, n), n_rate);
    SpragVec3 t_rate = sprag_vec3_along(q_rate, -sprag_vec3_dot(t, q_rate), t);
    t_rate = sprag_vec3_scale(1 / length, t_rate);
    gap->tangent_rate[0] = t_rate;
    gap->tangent_rate[1] = sprag_vec3_add(sprag_vec3_cross(n_rate, t), sprag_vec3_cross(n, t_rate));
}

// ---- Placed pieces ------------------------------------------------------------------------------

static SpragVec3 velocity_at(const SpragPose *pose, SpragVec3 world)
{
    return sprag_vec3_add(pose->v, sprag_vec3_cross(pose->w, sprag_vec3_sub(world, pose->x)));
}

// Some direction across the axis, fixed in the body.
static SpragVec3 across_axis(const SpragPiece *piece, const SpragPose *pose)
{
    SpragVec3 a = piece->axis, e = world_axis(frame_axis(a));
    SpragVec3 q = sprag_vec3_unit(sprag_vec3_along(e, -sprag_vec3_dot(e, a), a));
    return sprag_mat3_apply(&pose->R, q);
}

static Core core_of(const SpragPiece *piece, const SpragPose *pose)
{
    Core core = {.kind = piece->kind, .radius = piece->radius, .pose = pose};
    core.x = pose_to_world(pose, piece->point);
    core.c = core.x;
    if (piece->kind != SPRAG_PIECE_POINT)
        core.a = sprag_mat3_apply(&pose->R, piece->axis);
    if (piece->kind == SPRAG_PIECE_LINE)
        core.tangent = core.a;
    if (piece->kind == SPRAG_PIECE_CIRCLE) {
        core.size = piece->size;
        core.angle = piece->angle;
        core.hole = piece->hole;
        core.across = across_axis(piece, pose);
    }
    return core;
}

void core_place_line(Core *line, double along)
{
    line->c = sprag_vec3_along(line->x, along, line->a);
}

void core_place_circle(Core *circle, SpragVec3 e)
{
    circle->e = e;
    circle->c = sprag_vec3_along(circle->x, circle->size, e);
    circle->tangent = sprag_vec3_scale(circle->size, sprag_vec3_cross(circle->a, e));
    circle->bend = sprag_vec3_scale(-circle->size, e);
}

static bool has_curve(const Core *core)
{
    return core->kind == SPRAG_PIECE_LINE || core->kind == SPRAG_PIECE_CIRCLE;
}

// ---- Normals ------------------------------------------------------------------------------------

// How the normal comes from the cores.
typedef enum NormalKind {
    NORMAL_PLANE,   // of the plane, core 1
    NORMAL_ALONG,   // along d
    NORMAL_TANGENTS // across both tangents
} NormalKind;

typedef struct Normal {
    NormalKind kind;
    double sign; // of n against d or against the product of the tangents
    double size; // |d|, or of that product
    SpragVec3 n;
} Normal;

// Where d has no direction: across what curves there are, else the vertical; it does not turn.
static SpragVec3 spare_normal(const Core *p, const Core *q)
{
    const Core *curve = has_curve(p) ? p : q;
    if (!has_curve(curve))
        return sprag_vec3(0, 0, 1);
    if (curve->kind == SPRAG_PIECE_CIRCLE)
        return sprag_vec3_scale(curve == q ? 1 : -1, curve->a);
    SpragVec3 e = world_axis(frame_axis(curve->a));
    return sprag_vec3_unit(sprag_vec3_cross(curve->a, e));
}

// Sum of the directions out of the solid at a rim; at the edge of a hole it is within the circle.
static SpragVec3 rim_outward(const Core *circle)
{
    return sprag_vec3_along(circle->a, circle->hole ? -1 : 1, circle->e);
}

// Outward at the rim of q minus that of p: the normal points that way.
static SpragVec3 rim_lean(const Core *p, const Core *q)
{
    SpragVec3 lean = {0, 0, 0};
    if (q->kind == SPRAG_PIECE_CIRCLE)
        lean = rim_outward(q);
    if (p->kind == SPRAG_PIECE_CIRCLE)
        lean = sprag_vec3_sub(lean, rim_outward(p));
    return lean;
}

// Whether the tangents of two curves tell the normal better than the distance between them.
static bool is_crossing(const Core *p, const Core *q, double sine)
{
    bool lines = p->kind == SPRAG_PIECE_LINE && q->kind == SPRAG_PIECE_LINE;
    bool round = p->radius != 0 || q->radius != 0;
    if (!(sine > ROUNDING) || sine > CROSSING)
        return sine > CROSSING && (lines || !round);
    // rounding turns n by 1/sine this way, by size/distance the other way
    double d = sprag_vec3_norm(sprag_vec3_sub(p->c, q->c));
    return !round && (lines || d <= sine * fmax(p->size, q->size));
}

static bool normal_across(const Core *p, const Core *q, Normal *normal)
{
    if (!has_curve(p) || !has_curve(q))
        return false;
    SpragVec3 product = sprag_vec3_cross(p->tangent, q->tangent);
    double size = sprag_vec3_norm(product);
    double sine = size / (sprag_vec3_norm(p->tangent) * sprag_vec3_norm(q->tangent));
    if (!is_crossing(p, q, sine))
        return false;
    bool lines = p->kind == SPRAG_PIECE_LINE && q->kind == SPRAG_PIECE_LINE;
    normal->kind = NORMAL_TANGENTS;
    normal->size = size;
    normal->sign = lines || sprag_vec3_dot(product, rim_lean(p, q)) > 0 ? 1 : -1;
    normal->n = sprag_vec3_scale(normal->sign / size, product);
    return true;
}

// Sign of n against d for curves whose tangents are almost parallel or that are round.
static double sign_along(const Core *p, const Core *q, SpragVec3 d)
{
    if (p->radius < 0 || q->radius < 0)
        return -1;
    if (!has_curve(p) || !has_curve(q))
        return 1;
    SpragVec3 product = sprag_vec3_cross(p->tangent, q->tangent);
    bool lines = p->kind == SPRAG_PIECE_LINE && q->kind == SPRAG_PIECE_LINE;
    if (lines)
        return sprag_vec3_norm(product) > ROUNDING && sprag_vec3_dot(product, d) < 0 ? -1 : 1;
    bool round = p->radius != 0 || q->radius != 0;
    return !round && sprag_vec3_dot(d, rim_lean(p, q)) < 0 ? -1 : 1;
}

static Normal normal_of(const Core *p, const Core *q)
{
    Normal normal = {.kind = NORMAL_PLANE, .n = q->a};
    if (q->kind == SPRAG_PIECE_PLANE || normal_across(p, q, &normal))
        return normal;
    SpragVec3 d = sprag_vec3_sub(p->c, q->c);
    normal.kind = NORMAL_ALONG;
    normal.sign = sign_along(p, q, d);
    normal.size = sprag_vec3_norm(d);
    if (!(normal.size > 0)) {
        normal.n = spare_normal(p, q);
        return normal;
    }
    normal.n = sprag_vec3_scale(normal.sign / normal.size, d);
    return normal;
}

// ---- Rates --------------------------------------------------------------------------------------

static void set_rates(Core *core, double s_rate)
{
    const SpragPose *pose = core->pose;
    core->c_rate = sprag_vec3_along(velocity_at(pose, core->c), s_rate, core->tangent);
    core->tangent_rate =
        sprag_vec3_along(sprag_vec3_cross(pose->w, core->tangent), s_rate, core->bend);
}

// theory.md (13.19): rates of the parameters of both curves; a point has none.
static void curve_rates(Core *p, Core *q)
{
    SpragVec3 d = sprag_vec3_sub(p->c, q->c);
    SpragVec3 u = sprag_vec3_sub(velocity_at(p->pose, p->c), velocity_at(q->pose, q->c));
    double pp = sprag_vec3_dot(p->tangent, p->tangent) + sprag_vec3_dot(p->bend, d);
    double qq = sprag_vec3_dot(q->tangent, q->tangent) - sprag_vec3_dot(q->bend, d);
    double pq = sprag_vec3_dot(p->tangent, q->tangent);
    double fp = -sprag_vec3_dot(p->tangent, u) -
                sprag_vec3_dot(sprag_vec3_cross(p->pose->w, p->tangent), d);
    double fq =
        sprag_vec3_dot(q->tangent, u) + sprag_vec3_dot(sprag_vec3_cross(q->pose->w, q->tangent), d);
    double sp = 0, sq = 0, determinant = pp * qq - pq * pq;
    if (has_curve(p) && has_curve(q)) {
        if (fabs(determinant) > ROUNDING * fabs(pp * qq)) {
            sp = (fp * qq + pq * fq) / determinant;
            sq = (pp * fq + pq * fp) / determinant;
        } else if (qq != 0) {
            sq = fq / qq; // parallel: the place on p is held
        }
    } else if (has_curve(p)) {
        sp = pp != 0 ? fp / pp : 0;
    } else if (has_curve(q)) {
        sq = qq != 0 ? fq / qq : 0;
    }
    set_rates(p, sp);
    set_rates(q, sq);
}

// theory.md (13.22): the lowest place of a circle over a plane, and the foot of it.
static void plane_rates(Core *p, Core *q)
{
    SpragVec3 n = q->a, n_rate = sprag_vec3_cross(q->pose->w, n);
    double s_rate = 0;
    if (p->kind == SPRAG_PIECE_CIRCLE && !p->level) {
        SpragVec3 turned = sprag_vec3_cross(p->pose->w, p->tangent);
        s_rate = -(sprag_vec3_dot(turned, n) + sprag_vec3_dot(p->tangent, n_rate)) /
                 sprag_vec3_dot(p->bend, n);
    }
    set_rates(p, s_rate);
    SpragVec3 arm = sprag_vec3_sub(p->c, q->x);
    SpragVec3 u = sprag_vec3_sub(p->c_rate, velocity_at(q->pose, q->x));
    double height = sprag_vec3_dot(n, arm);
    double height_rate = sprag_vec3_dot(n_rate, arm) + sprag_vec3_dot(n, u);
    q->c_rate = sprag_vec3_along(p->c_rate, -height_rate, n);
    q->c_rate = sprag_vec3_along(q->c_rate, -height, n_rate);
}

static SpragVec3 normal_rate(const Core *p, const Core *q, const Normal *normal)
{
    SpragVec3 raw, zero = {0, 0, 0};
    if (normal->kind == NORMAL_PLANE)
        return sprag_vec3_cross(q->pose->w, q->a);
    if (!(normal->size > 0))
        return zero;
    if (normal->kind == NORMAL_ALONG)
        raw = sprag_vec3_sub(p->c_rate, q->c_rate);
    else
        raw = sprag_vec3_add(sprag_vec3_cross(p->tangent_rate, q->tangent),
                             sprag_vec3_cross(p->tangent, q->tangent_rate));
    raw = sprag_vec3_along(raw, -sprag_vec3_dot(raw, normal->n), normal->n);
    return sprag_vec3_scale(normal->sign / normal->size, raw);
}

// ---- The pair -----------------------------------------------------------------------------------

static int rank(SpragPieceKind kind)
{
    static const int ranks[] = {[SPRAG_PIECE_POINT] = 1,
                                [SPRAG_PIECE_LINE] = 2,
                                [SPRAG_PIECE_CIRCLE] = 3,
                                [SPRAG_PIECE_PLANE] = 4};
    return ranks[kind];
}

// Core p is of lower or equal rank.
static bool place(Core *p, Core *q)
{
    if (q->kind == SPRAG_PIECE_PLANE)
        return place_over_plane(p, q);
    if (p->kind == SPRAG_PIECE_NONE)
        return false;
    if (q->kind == SPRAG_PIECE_CIRCLE)
        return place_circle(p, q);
    return place_line(p, q);
}

static void fill(const Core *p, const Core *q, const Normal *normal, bool swapped, bool rates,
                 SpragSpaceGap *gap)
{
    int first = swapped ? 1 : 0, second = 1 - first;
    double turn = swapped ? -1 : 1;
    SpragVec3 n = normal->n;
    gap->gap = sprag_vec3_dot(n, sprag_vec3_sub(p->c, q->c)) - p->radius - q->radius;
    gap->normal = sprag_vec3_scale(turn, n);
    gap->point[first] = sprag_vec3_along(p->c, -p->radius, n);
    gap->point[second] = sprag_vec3_along(q->c, q->radius, n);
    if (!rates)
        return;
    SpragVec3 n_rate = normal_rate(p, q, normal);
    gap->normal_rate = sprag_vec3_scale(turn, n_rate);
    gap->point_rate[first] = sprag_vec3_along(p->c_rate, -p->radius, n_rate);
    gap->point_rate[second] = sprag_vec3_along(q->c_rate, q->radius, n_rate);
}

bool piece_gap(const SpragPiece *a, const SpragPose *pose_a, const SpragPiece *b,
               const SpragPose *pose_b, int axis, bool rates, SpragSpaceGap *gap)
{
    *gap = (SpragSpaceGap){.gap = INFINITY};
    bool swapped = rank(a->kind) > rank(b->kind);
    Core first = core_of(a, pose_a), second = core_of(b, pose_b);
    Core *p = swapped ? &second : &first, *q = swapped ? &first : &second;
    if (!place(p, q))
        return false;
    Normal normal = normal_of(p, q);
    if (rates && normal.kind == NORMAL_PLANE)
        plane_rates(p, q);
    else if (rates)
        curve_rates(p, q);
    fill(p, q, &normal, swapped, rates, gap);
    gap_tangents(axis, rates, gap);
    return true;
}
