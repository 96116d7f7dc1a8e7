// space_model.h: short ways to build small models in space.
#ifndef SPRAG_TESTS_SUPPORT_SPACE_MODEL_H
#define SPRAG_TESTS_SUPPORT_SPACE_MODEL_H

#include "support/test.h"

static inline SpragModel *space_model(SpragContext *owner)
{
    SpragModel *model = NULL;
    assert_ok(owner, sprag_model_create(owner, &model));
    model->dimension = 3;
    model->gravity[0] = model->gravity[1] = 0;
    model->gravity[2] = -9.81;
    SpragMaterial material = {.name = (char[]){"default"}, .poisson_ratio = 0};
    material.friction = (SpragFriction){true, 0.5, 0.5, 0};
    assert_ok(owner, sprag_model_add_material(model, &material, NULL));
    return model;
}

// A free body at rest at a place; its numbers may be changed with sprag_model_replace_body.
static inline int space_body(SpragModel *model, const char *name, double mass,
                             const double inertia[6], SpragVec3 place, SpragQuaternion Q)
{
    char text[64];
    snprintf(text, sizeof text, "%s", name);
    SpragBody body = {.name = text, .mass = mass, .fixed = mass == 0, .orientation = Q};
    sprag_vec3_to(place, body.position);
    for (int k = 0; inertia && k < 6; k++)
        body.tensor[k] = inertia[k];
    body.angle_given = body.spin_given = true;
    int index = -1;
    assert_ok(model->context, sprag_model_add_body(model, &body, &index));
    return index;
}

static inline SpragQuaternion space_no_turn(void)
{
    SpragQuaternion one = {1, 0, 0, 0};
    return one;
}

static inline void space_shape(SpragModel *model, int body, SpragShapeKind kind, int count,
                               SpragVec3 *points, double radius)
{
    SpragShape shape = {.kind = kind,
                        .body = body,
                        .vertex_count = count,
                        .points = points,
                        .radius = radius,
                        .axes = sprag_mat3_identity()};
    if (kind == SPRAG_SHAPE_BOX)
        sprag_vec3_to(sprag_vec3_sub(points[6], points[0]), shape.size);
    assert_ok(model->context, sprag_model_add_shape(model, &shape, NULL));
}

static inline void space_plane(SpragModel *model, int body, SpragVec3 normal)
{
    SpragShape shape = {.kind = SPRAG_SHAPE_PLANE, .body = body, .normal = normal};
    assert_ok(model->context, sprag_model_add_shape(model, &shape, NULL));
}

static inline void space_sphere(SpragModel *model, int body, SpragVec3 centre, double radius)
{
    space_shape(model, body, SPRAG_SHAPE_SPHERE, 1, &centre, radius);
}

static inline void space_box(SpragModel *model, int body, double a, double b, double c)
{
    double x = a / 2, y = b / 2, z = c / 2;
    SpragVec3 points[8] = {{-x, -y, -z}, {x, -y, -z}, {x, y, -z}, {-x, y, -z},
                           {-x, -y, z},  {x, -y, z},  {x, y, z},  {-x, y, z}};
    space_shape(model, body, SPRAG_SHAPE_BOX, 8, points, 0);
}

// Along x, from −half to half.
static inline void space_rod(SpragModel *model, int body, double half, double radius)
{
    SpragVec3 points[2] = {{-half, 0, 0}, {half, 0, 0}};
    space_shape(model, body, radius > 0 ? SPRAG_SHAPE_CAPSULE : SPRAG_SHAPE_ROD, 2, points, radius);
}

static inline SpragSystem *space_system(const SpragModel *model)
{
    SpragSystem *system = NULL;
    assert_ok(model->context, sprag_system_create_model(model, &system));
    return system;
}

static inline double space_draw(SpragRandom *random)
{
    return sprag_random_uniform(random, -1, 1);
}

static inline SpragVec3 space_vector(SpragRandom *random, double size)
{
    double x = size * space_draw(random), y = size * space_draw(random);
    return sprag_vec3(x, y, size * space_draw(random));
}

static inline SpragQuaternion space_turn(SpragRandom *random)
{
    SpragQuaternion q = {sprag_random_normal(random), 0, 0, 0};
    q.x = sprag_random_normal(random);
    q.y = sprag_random_normal(random);
    q.z = sprag_random_normal(random);
    return sprag_quaternion_unit(q);
}

// A state beside the initial one; at most 64 velocities.
static inline void space_state(SpragSystem *system, SpragRandom *random, double *q, double *v)
{
    double shift[64];
    int count = sprag_system_velocity_count(system);
    assert_true(count <= 64);
    sprag_system_initial(system, q, v);
    for (int k = 0; k < count; k++) {
        shift[k] = 0.3 * space_draw(random);
        v[k] = 2 * space_draw(random);
    }
    sprag_system_position_shift(system, shift, q);
}

#endif
