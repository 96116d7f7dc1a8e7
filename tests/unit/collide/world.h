// world.h: short ways to build small planar models in tests.
#ifndef SPRAG_TESTS_UNIT_COLLIDE_WORLD_H
#define SPRAG_TESTS_UNIT_COLLIDE_WORLD_H

#include "support/test.h"

static inline SpragModel *world_create(SpragContext *owner)
{
    SpragModel *model = NULL;
    assert_ok(owner, sprag_model_create(owner, &model));
    return model;
}

static inline int world_body(SpragModel *model, const char *name, bool fixed, double x, double y,
                             double angle)
{
    char text[64];
    snprintf(text, sizeof text, "%s", name);
    SpragBody body = {.name = text, .fixed = fixed, .mass = 1, .inertia = 0.1};
    body.position[0] = x;
    body.position[1] = y;
    body.angle = angle;
    body.angle_given = body.spin_given = true;
    int index = -1;
    assert_ok(model->context, sprag_model_add_body(model, &body, &index));
    return index;
}

static inline int world_shape(SpragModel *model, int body, SpragShapeKind kind, int count,
                              const double *xy, double radius)
{
    SpragVec2 vertices[32];
    for (int i = 0; i < count; i++)
        vertices[i] = sprag_vec2(xy[2 * i], xy[2 * i + 1]);
    SpragShape shape = {.kind = kind,
                        .body = body,
                        .material = -1,
                        .vertex_count = count,
                        .vertices = vertices,
                        .radius = radius};
    int index = -1;
    assert_ok(model->context, sprag_model_add_shape(model, &shape, &index));
    return index;
}

static inline int world_plane(SpragModel *model, int body, double angle, double offset)
{
    SpragShape shape = {.kind = SPRAG_SHAPE_PLANE,
                        .body = body,
                        .material = -1,
                        .normal = {sin(-angle), cos(angle)},
                        .offset = offset};
    int index = -1;
    assert_ok(model->context, sprag_model_add_shape(model, &shape, &index));
    return index;
}

static inline int world_box(SpragModel *model, int body, double width, double height)
{
    double x = width / 2, y = height / 2;
    const double xy[] = {-x, -y, x, -y, x, y, -x, y};
    return world_shape(model, body, SPRAG_SHAPE_BOX, 4, xy, 0);
}

static inline int world_rod(SpragModel *model, int body, double length)
{
    const double xy[] = {-length / 2, 0, length / 2, 0};
    return world_shape(model, body, SPRAG_SHAPE_ROD, 2, xy, 0);
}

static inline int world_circle(SpragModel *model, int body, double x, double y, double radius)
{
    const double xy[] = {x, y};
    return world_shape(model, body, SPRAG_SHAPE_CIRCLE, 1, xy, radius);
}

static inline void world_pose(const SpragModel *model, double *pose)
{
    for (int i = 0; i < model->body_count; i++) {
        pose[3 * i] = model->bodies[i].position[0];
        pose[3 * i + 1] = model->bodies[i].position[1];
        pose[3 * i + 2] = model->bodies[i].angle;
    }
}

static inline SpragCollider *world_collider(const SpragModel *model, double *pose)
{
    SpragCollider *collider = NULL;
    world_pose(model, pose);
    assert_ok(model->context, sprag_collider_create(model, pose, &collider));
    return collider;
}

// Slots with |gap| ≤ tolerance; their numbers in `slots`.
static inline int world_closed(const SpragCollider *collider, const double *pose, double tolerance,
                               int *slots, int capacity)
{
    int count = 0;
    for (int i = 0; i < sprag_collider_slot_count(collider); i++) {
        SpragGap gap;
        sprag_collider_gap(collider, i, pose, NULL, &gap);
        if (fabs(gap.gap) <= tolerance && count < capacity)
            slots[count++] = i;
    }
    return count;
}

#endif
