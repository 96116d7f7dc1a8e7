// shape.c: names of shape kinds; area, centroid and second moment of shapes.
// Polygons by Green's theorem over triangles from the first vertex (so that a polygon far from its
// origin loses no digits); circle and capsule in closed form.
#include <math.h>

#include "model_private.h"

static const double PI = 3.14159265358979323846;

const char *sprag_shape_kind_name(SpragShapeKind kind)
{
    static const char *const names[] = {"circle", "capsule", "box",         "polygon", "rod",
                                        "points", "plane",   "chain",       "sphere",  "cylinder",
                                        "hull",   "mesh",    "height-field"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "?";
}

static void measure_polygon(const SpragShape *shape, double *area, SpragVec2 *centroid,
                            double *second_moment)
{
    SpragVec2 origin = shape->vertices[0];
    double sum = 0, polar = 0;
    SpragVec2 moment = {0, 0};
    for (int i = 1; i + 1 < shape->vertex_count; i++) {
        SpragVec2 a = sprag_vec2_sub(shape->vertices[i], origin);
        SpragVec2 b = sprag_vec2_sub(shape->vertices[i + 1], origin);
        double twice = sprag_vec2_cross(a, b);
        sum += twice / 2;
        moment = sprag_vec2_add(moment, sprag_vec2_scale(twice / 6, sprag_vec2_add(a, b)));
        polar += twice / 12 * (sprag_vec2_dot(a, a) + sprag_vec2_dot(a, b) + sprag_vec2_dot(b, b));
    }
    SpragVec2 centre = sum != 0 ? sprag_vec2_scale(1 / sum, moment) : sprag_vec2(0, 0);
    *area = sum;
    *centroid = sprag_vec2_add(origin, centre);
    *second_moment = polar - sum * sprag_vec2_dot(centre, centre);
}

// A rectangle length × 2r and two half discs of radius r whose centroids are 4r/3π beyond its ends.
static void measure_capsule(const SpragShape *shape, double *area, SpragVec2 *centroid,
                            double *second_moment)
{
    SpragVec2 core = sprag_vec2_sub(shape->vertices[1], shape->vertices[0]);
    double length = hypot(core.x, core.y), r = shape->radius;
    double rectangle = 2 * r * length, disc = PI * r * r;
    double offset = 4 * r / (3 * PI);
    double about_own = disc * r * r / 2 - disc * offset * offset;
    double arm = length / 2 + offset;
    *area = rectangle + disc;
    *centroid = sprag_vec2_scale(0.5, sprag_vec2_add(shape->vertices[0], shape->vertices[1]));
    *second_moment = rectangle * (length * length + 4 * r * r) / 12 + about_own + disc * arm * arm;
}

static void measure_points(const SpragShape *shape, double *area, SpragVec2 *centroid,
                           double *second_moment)
{
    SpragVec2 sum = {0, 0};
    for (int i = 0; i < shape->vertex_count; i++)
        sum = sprag_vec2_add(sum, shape->vertices[i]);
    *area = shape->vertex_count;
    *centroid = sprag_vec2_scale(1.0 / shape->vertex_count, sum);
    *second_moment = 0;
    for (int i = 0; i < shape->vertex_count; i++) {
        SpragVec2 arm = sprag_vec2_sub(shape->vertices[i], *centroid);
        *second_moment += sprag_vec2_dot(arm, arm);
    }
}

static void measure_rod(const SpragShape *shape, double *area, SpragVec2 *centroid,
                        double *second_moment)
{
    SpragVec2 core = sprag_vec2_sub(shape->vertices[1], shape->vertices[0]);
    double length = hypot(core.x, core.y);
    *area = length;
    *centroid = sprag_vec2_scale(0.5, sprag_vec2_add(shape->vertices[0], shape->vertices[1]));
    *second_moment = length * length * length / 12;
}

bool sprag_shape_measure(const SpragShape *shape, double *area, SpragVec2 *centroid,
                         double *second_moment)
{
    double r = shape->radius;
    if (shape->inside)
        return false;
    switch (shape->kind) {
    case SPRAG_SHAPE_CIRCLE:
        *area = PI * r * r;
        *centroid = shape->vertices[0];
        *second_moment = PI * r * r * r * r / 2;
        return true;
    case SPRAG_SHAPE_CAPSULE:
        measure_capsule(shape, area, centroid, second_moment);
        return true;
    case SPRAG_SHAPE_BOX:
    case SPRAG_SHAPE_POLYGON:
        measure_polygon(shape, area, centroid, second_moment);
        return true;
    case SPRAG_SHAPE_ROD:
        measure_rod(shape, area, centroid, second_moment);
        return true;
    case SPRAG_SHAPE_POINTS:
        measure_points(shape, area, centroid, second_moment);
        return true;
    default:
        return false;
    }
}
