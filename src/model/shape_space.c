// shape_space.c: volume, centroid and second moments of shapes in space; where their frames are.
// Problem   V = ∫ dV,  c = ∫ x dV / V,  I = ∫ (|y|² 1 − y yᵀ) dV with y = x − c
// Method    closed forms in the frame of the shape's axes, turned to the body's; a polyhedron as
//           the sum of tetrahedra from a point of its own: ∫ y yᵀ = d/120 (s sᵀ + a aᵀ + b bᵀ +
//           c cᵀ), s = a + b + c, of the tetrahedron (0, a, b, c) with d = a · (b × c).
#include <math.h>
#include <string.h>

#include "model_private.h"

static const double PI = 3.14159265358979323846;

// ∫ y yᵀ as xx yy zz xy xz yz.
static void add_square(double S[6], double weight, SpragVec3 a)
{
    S[0] += weight * a.x * a.x;
    S[1] += weight * a.y * a.y;
    S[2] += weight * a.z * a.z;
    S[3] += weight * a.x * a.y;
    S[4] += weight * a.x * a.z;
    S[5] += weight * a.y * a.z;
}

// From ∫ y yᵀ to ∫ (|y|² 1 − y yᵀ).
static void to_inertia(const double S[6], double I[6])
{
    I[0] = S[1] + S[2];
    I[1] = S[0] + S[2];
    I[2] = S[0] + S[1];
    for (int i = 3; i < 6; i++)
        I[i] = -S[i];
}

static void measure_solid(const SpragSolid *solid, double *volume, SpragVec3 *centroid, double I[6])
{
    SpragVec3 origin = {0, 0, 0}, moment = {0, 0, 0};
    double six = 0, S[6] = {0};
    for (int i = 0; i < solid->vertex_count; i++)
        origin = sprag_vec3_along(origin, 1.0 / solid->vertex_count, solid->vertices[i]);
    for (int f = 0; f < solid->face_count; f++) {
        const int *loop = solid->face_vertices + solid->face_first[f];
        int n = solid->face_first[f + 1] - solid->face_first[f];
        SpragVec3 a = sprag_vec3_sub(solid->vertices[loop[0]], origin);
        for (int i = 1; i + 1 < n; i++) {
            SpragVec3 b = sprag_vec3_sub(solid->vertices[loop[i]], origin);
            SpragVec3 c = sprag_vec3_sub(solid->vertices[loop[i + 1]], origin);
            SpragVec3 s = sprag_vec3_add(a, sprag_vec3_add(b, c));
            double d = sprag_vec3_dot(a, sprag_vec3_cross(b, c));
            six += d;
            moment = sprag_vec3_along(moment, d / 24, s);
            add_square(S, d / 120, s);
            add_square(S, d / 120, a);
            add_square(S, d / 120, b);
            add_square(S, d / 120, c);
        }
    }
    *volume = six / 6;
    SpragVec3 offset = sprag_vec3_scale(*volume > 0 ? 1 / *volume : 0, moment);
    add_square(S, -*volume, offset);
    *centroid = sprag_vec3_add(origin, offset);
    to_inertia(S, I);
}

// A body of revolution about the unit vector u: `along` and `across` are its moments about u and
// about axes normal to it.
static void revolve(SpragVec3 u, double along, double across, double I[6])
{
    for (int i = 0; i < 6; i++)
        I[i] = i < 3 ? across : 0;
    add_square(I, along - across, u);
}

static void measure_long(const SpragShape *shape, double *volume, SpragVec3 *centroid, double I[6])
{
    SpragVec3 core = sprag_vec3_sub(shape->points[1], shape->points[0]);
    double length = sprag_vec3_norm(core), r = shape->radius;
    double tube = PI * r * r * length, ball = 4.0 / 3 * PI * r * r * r;
    SpragVec3 u = sprag_vec3_scale(1 / length, core);
    *centroid = sprag_vec3_scale(0.5, sprag_vec3_add(shape->points[0], shape->points[1]));
    double along = tube * r * r / 2, across = tube * (3 * r * r + length * length) / 12;
    *volume = tube;
    if (shape->kind == SPRAG_SHAPE_ROD) {
        *volume = length;
        along = 0;
        across = length * length * length / 12;
    } else if (shape->kind == SPRAG_SHAPE_CAPSULE) {
        *volume += ball;
        along += ball * 0.4 * r * r;
        across += ball * (0.4 * r * r + length * length / 4 + 0.375 * length * r);
    }
    revolve(u, along, across, I);
}

static void measure_box(const SpragShape *shape, double *volume, SpragVec3 *centroid, double I[6])
{
    const double *size = shape->size;
    double S[6] = {0};
    *volume = size[0] * size[1] * size[2];
    *centroid = shape->centre;
    for (int i = 0; i < 3; i++)
        add_square(S, *volume * size[i] * size[i] / 12, sprag_mat3_column(&shape->axes, i));
    to_inertia(S, I);
}

static void measure_points(const SpragShape *shape, double *volume, SpragVec3 *centroid,
                           double I[6])
{
    double S[6] = {0};
    *volume = shape->vertex_count;
    *centroid = sprag_vec3(0, 0, 0);
    for (int i = 0; i < shape->vertex_count; i++)
        *centroid = sprag_vec3_along(*centroid, 1.0 / shape->vertex_count, shape->points[i]);
    for (int i = 0; i < shape->vertex_count; i++)
        add_square(S, 1, sprag_vec3_sub(shape->points[i], *centroid));
    to_inertia(S, I);
}

bool sprag_shape_measure_space(const SpragShape *shape, double *volume, SpragVec3 *centroid,
                               double second_moment[6])
{
    double r = shape->radius;
    if (shape->inside)
        return false;
    switch (shape->kind) {
    case SPRAG_SHAPE_SPHERE:
        *volume = 4.0 / 3 * PI * r * r * r;
        *centroid = shape->points[0];
        for (int i = 0; i < 6; i++)
            second_moment[i] = i < 3 ? *volume * 0.4 * r * r : 0;
        return true;
    case SPRAG_SHAPE_CAPSULE:
    case SPRAG_SHAPE_CYLINDER:
    case SPRAG_SHAPE_ROD:
        measure_long(shape, volume, centroid, second_moment);
        return true;
    case SPRAG_SHAPE_BOX:
        measure_box(shape, volume, centroid, second_moment);
        return true;
    case SPRAG_SHAPE_POINTS:
        measure_points(shape, volume, centroid, second_moment);
        return true;
    default:
        if (shape->solid)
            measure_solid(shape->solid, volume, centroid, second_moment);
        return shape->solid != NULL;
    }
}

// ---- Frames and reach ---------------------------------------------------------------------------

// Any right-handed frame whose third axis is u.
static SpragMat3 frame_along(SpragVec3 u)
{
    double x = fabs(u.x), y = fabs(u.y), z = fabs(u.z);
    SpragVec3 axis = sprag_vec3(x <= y && x <= z, y < x && y <= z, z < x && z < y);
    SpragVec3 a = sprag_vec3_unit(sprag_vec3_along(axis, -sprag_vec3_dot(axis, u), u));
    SpragVec3 b = sprag_vec3_cross(u, a);
    SpragMat3 frame = {{a.x, b.x, u.x, a.y, b.y, u.y, a.z, b.z, u.z}};
    return frame;
}

static bool has_axes(const SpragShape *shape)
{
    for (int i = 0; i < 9; i++)
        if (shape->axes.m[i] != 0)
            return true;
    return false;
}

// c0 to c1, c3 and c4 are along the axes of the box.
static void frame_box(SpragShape *shape)
{
    static const int ends[3] = {1, 3, 4};
    SpragVec3 axis[3];
    for (int i = 0; i < 3; i++) {
        SpragVec3 side = sprag_vec3_sub(shape->points[ends[i]], shape->points[0]);
        shape->size[i] = sprag_vec3_norm(side);
        axis[i] = sprag_vec3_unit(side);
    }
    shape->centre = sprag_vec3_scale(0.5, sprag_vec3_add(shape->points[0], shape->points[6]));
    SpragMat3 axes = {{axis[0].x, axis[1].x, axis[2].x, axis[0].y, axis[1].y, axis[2].y, axis[0].z,
                       axis[1].z, axis[2].z}};
    shape->axes = axes;
}

void shape_complete(SpragShape *shape)
{
    if (has_axes(shape))
        return;
    shape->axes = sprag_mat3_identity();
    if (shape->kind == SPRAG_SHAPE_SPHERE)
        shape->centre = shape->points[0];
    if (shape->kind == SPRAG_SHAPE_BOX)
        frame_box(shape);
    if (shape->kind != SPRAG_SHAPE_CAPSULE && shape->kind != SPRAG_SHAPE_CYLINDER &&
        shape->kind != SPRAG_SHAPE_ROD)
        return;
    SpragVec3 core = sprag_vec3_sub(shape->points[1], shape->points[0]);
    shape->size[2] = sprag_vec3_norm(core);
    shape->centre = sprag_vec3_scale(0.5, sprag_vec3_add(shape->points[0], shape->points[1]));
    shape->axes = frame_along(sprag_vec3_unit(core));
}

// Largest distance of a rim of the cylinder from the origin.
static double rim_reach(const SpragShape *shape, SpragVec3 end)
{
    SpragVec3 u = sprag_vec3_unit(sprag_vec3_sub(shape->points[1], shape->points[0]));
    double up = sprag_vec3_dot(end, u);
    SpragVec3 aside = sprag_vec3_along(end, -up, u);
    return hypot(up, sprag_vec3_norm(aside) + shape->radius);
}

bool sprag_shape_bounds_mass(const SpragShape *shape)
{
    return shape->kind != SPRAG_SHAPE_POINTS && !shape->inside;
}

double sprag_shape_reach(const SpragShape *shape)
{
    double reach = 0;
    if (shape->kind == SPRAG_SHAPE_PLANE)
        return INFINITY;
    if (shape->kind == SPRAG_SHAPE_CYLINDER)
        return fmax(rim_reach(shape, shape->points[0]), rim_reach(shape, shape->points[1]));
    for (int i = 0; i < shape->vertex_count; i++)
        reach = fmax(reach, sprag_vec3_norm(shape->points[i]) + shape->radius);
    for (int i = 0; shape->surface && i < shape->surface->vertex_count; i++)
        reach = fmax(reach, sprag_vec3_norm(shape->surface->vertices[i]));
    return reach;
}
