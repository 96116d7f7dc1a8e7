// world3.h: short ways to build small models in space in tests.
#ifndef SPRAG_TESTS_UNIT_COLLIDE_WORLD3_H
#define SPRAG_TESTS_UNIT_COLLIDE_WORLD3_H

#include "support/test.h"

enum { WORLD3_BODIES = 512, WORLD3_PLACES = 81 };

typedef struct World3 {
    SpragContext *context;
    SpragModel *model;
    SpragCollider *collider;
    SpragPose poses[WORLD3_BODIES];
} World3;

static inline World3 *world3_open(void)
{
    World3 *world = calloc(1, sizeof *world);
    assert_non_null(world);
    world->context = test_context();
    assert_ok(world->context, sprag_model_create(world->context, &world->model));
    world->model->dimension = 3;
    return world;
}

static inline void world3_close(World3 *world)
{
    sprag_collider_destroy(world->collider);
    sprag_model_destroy(world->model);
    sprag_context_destroy(world->context);
    free(world);
}

static inline int world3_body(World3 *world, const char *name, bool fixed, SpragVec3 x,
                              SpragQuaternion q)
{
    char text[64];
    snprintf(text, sizeof text, "%s", name);
    SpragBody body = {.name = text, .fixed = fixed, .mass = 1, .orientation = q};
    body.tensor[0] = body.tensor[1] = body.tensor[2] = 0.1;
    sprag_vec3_to(x, body.position);
    int index = -1;
    assert_ok(world->context, sprag_model_add_body(world->model, &body, &index));
    return index;
}

static inline int world3_shape(World3 *world, int body, SpragShapeKind kind, int count,
                               SpragVec3 *points, double radius)
{
    SpragShape shape = {.kind = kind,
                        .body = body,
                        .material = -1,
                        .vertex_count = count,
                        .points = points,
                        .radius = radius};
    int index = -1;
    assert_ok(world->context, sprag_model_add_shape(world->model, &shape, &index));
    return index;
}

static inline int world3_plane(World3 *world, int body, SpragVec3 normal, double offset)
{
    SpragShape shape = {.kind = SPRAG_SHAPE_PLANE,
                        .body = body,
                        .material = -1,
                        .normal = normal,
                        .offset = offset};
    int index = -1;
    assert_ok(world->context, sprag_model_add_shape(world->model, &shape, &index));
    return index;
}

static inline int world3_box(World3 *world, int body, double x, double y, double z)
{
    SpragVec3 points[8];
    const double sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int i = 0; i < 8; i++)
        points[i] =
            sprag_vec3(sign[i % 4][0] * x / 2, sign[i % 4][1] * y / 2, (i < 4 ? -1 : 1) * z / 2);
    return world3_shape(world, body, SPRAG_SHAPE_BOX, 8, points, 0);
}

static inline int world3_sphere(World3 *world, int body, SpragVec3 centre, double radius)
{
    return world3_shape(world, body, SPRAG_SHAPE_SPHERE, 1, &centre, radius);
}

// Along z, as in scenes.
static inline int world3_capsule(World3 *world, int body, double length, double radius)
{
    SpragVec3 points[2] = {{0, 0, -length / 2}, {0, 0, length / 2}};
    return world3_shape(world, body, SPRAG_SHAPE_CAPSULE, 2, points, radius);
}

// A fixed surface over a grid of count × count places, half a metre apart, around the origin.
static inline void world3_field(World3 *world, int body, int count, const double *heights)
{
    SpragVec3 points[WORLD3_PLACES];
    int triangles[6 * WORLD3_PLACES], corners = 0;
    assert_true(count * count <= WORLD3_PLACES);
    for (int i = 0; i < count * count; i++)
        points[i] =
            sprag_vec3(0.5 * (i % count - count / 2), 0.5 * (i / count - count / 2), heights[i]);
    for (int i = 0; i < (count - 1) * (count - 1); i++) {
        int at = i / (count - 1) * count + i % (count - 1);
        const int of[6] = {at, at + 1, at + count + 1, at, at + count + 1, at + count};
        for (int k = 0; k < 6; k++)
            triangles[corners++] = of[k];
    }
    SpragSurface *surface;
    assert_ok(world->context, sprag_surface_create(world->context, count * count, points,
                                                   corners / 3, triangles, &surface));
    SpragShape shape = {
        .kind = SPRAG_SHAPE_FIELD, .body = body, .material = -1, .surface = surface};
    assert_ok(world->context, sprag_model_add_shape(world->model, &shape, NULL));
    sprag_surface_destroy(world->context, surface);
}

static inline void world3_poses(World3 *world)
{
    const SpragModel *model = world->model;
    for (int i = 0; i < model->body_count; i++) {
        const SpragBody *body = &model->bodies[i];
        SpragPose pose = {.x = sprag_vec3_of(body->position)};
        pose.R = sprag_quaternion_matrix(body->orientation);
        world->poses[i] = pose;
    }
}

static inline void world3_build(World3 *world)
{
    world3_poses(world);
    assert_ok(world->context,
              sprag_collider_create_space(world->model, world->poses, &world->collider));
}

static inline void world3_refresh(World3 *world, double reach)
{
    int added;
    assert_ok(world->context,
              sprag_collider_refresh(world->collider, world->poses, NULL, reach, &added));
}

// Slots with |gap| ≤ tolerance; their numbers in `slots`.
static inline int world3_closed(const World3 *world, double tolerance, int *slots, int capacity)
{
    int count = 0;
    for (int i = 0; i < sprag_collider_slot_count(world->collider); i++) {
        double gap = sprag_collider_space_distance(world->collider, i, world->poses, NULL);
        if (fabs(gap) <= tolerance && count < capacity)
            slots[count++] = i;
    }
    return count;
}

static inline SpragSpaceGap world3_gap(const World3 *world, int slot)
{
    SpragSpaceGap gap;
    sprag_collider_space_gap(world->collider, slot, world->poses, NULL, &gap);
    return gap;
}

static inline const char *world3_name(const World3 *world, int slot)
{
    return sprag_collider_slot(world->collider, slot)->name;
}

static inline SpragVec3 random_vector(SpragRandom *random, double size)
{
    return sprag_vec3(sprag_random_uniform(random, -size, size),
                      sprag_random_uniform(random, -size, size),
                      sprag_random_uniform(random, -size, size));
}

static inline SpragQuaternion random_rotation(SpragRandom *random)
{
    SpragQuaternion q = {sprag_random_normal(random), sprag_random_normal(random),
                         sprag_random_normal(random), sprag_random_normal(random)};
    return sprag_quaternion_unit(q);
}

static inline SpragQuaternion turn_about(double x, double y, double z, double angle)
{
    SpragVec3 axis = sprag_vec3_unit(sprag_vec3(x, y, z));
    return sprag_quaternion_exp(sprag_vec3_scale(angle, axis));
}

static inline SpragVec3 rotated(SpragQuaternion q, SpragVec3 v)
{
    SpragMat3 R = sprag_quaternion_matrix(q);
    return sprag_mat3_apply(&R, v);
}

// The least gap of all slots, and which one it is; INFINITY and −1 where none is defined.
static inline double least_gap(const World3 *world, int *slot)
{
    double least = INFINITY;
    *slot = -1;
    for (int i = 0; i < sprag_collider_slot_count(world->collider); i++) {
        double gap = sprag_collider_space_distance(world->collider, i, world->poses, NULL);
        if (gap < least) {
            least = gap;
            *slot = i;
        }
    }
    return least;
}

#endif
