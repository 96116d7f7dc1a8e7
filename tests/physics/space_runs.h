// space_runs.h: scenes in space built in code, and their runs.
#ifndef SPRAG_TESTS_PHYSICS_SPACE_RUNS_H
#define SPRAG_TESTS_PHYSICS_SPACE_RUNS_H

#include "physics.h"

typedef struct Space {
    SpragModel *model;
    TestRun r;
} Space;

static inline void space_begin(Space *s, double gx, double gy, double gz)
{
    memset(s, 0, sizeof *s);
    assert_ok(context, sprag_model_create(context, &s->model));
    s->model->dimension = 3;
    s->model->gravity[0] = gx;
    s->model->gravity[1] = gy;
    s->model->gravity[2] = gz;
}

static inline int space_fixed(Space *s, const char *name)
{
    int index;
    SpragBody body = {.name = (char *)name, .fixed = true, .orientation = {1, 0, 0, 0}};
    assert_ok(context, sprag_model_add_body(s->model, &body, &index));
    return index;
}

// A free body at rest at the origin with a diagonal tensor.
static inline SpragBody space_body(const char *name, double mass, double Ix, double Iy, double Iz)
{
    return (SpragBody){.name = (char *)name,
                       .mass = mass,
                       .tensor = {Ix, Iy, Iz, 0, 0, 0},
                       .orientation = {1, 0, 0, 0},
                       .angle_given = true,
                       .spin_given = true};
}

static inline int space_add(Space *s, const SpragBody *body)
{
    int index;
    assert_ok(context, sprag_model_add_body(s->model, body, &index));
    return index;
}

static inline int space_shape(Space *s, const SpragShape *shape)
{
    int index;
    assert_ok(context, sprag_model_add_shape(s->model, shape, &index));
    return index;
}

static inline int space_plane(Space *s, int body, SpragVec3 normal)
{
    SpragShape shape = {.kind = SPRAG_SHAPE_PLANE, .body = body, .material = -1, .normal = normal};
    return space_shape(s, &shape);
}

static inline int space_sphere(Space *s, int body, double radius)
{
    SpragVec3 centre = {0, 0, 0};
    char *name = "centre";
    SpragShape shape = {.kind = SPRAG_SHAPE_SPHERE,
                        .body = body,
                        .material = -1,
                        .vertex_count = 1,
                        .points = &centre,
                        .vertex_names = &name,
                        .radius = radius};
    return space_shape(s, &shape);
}

// Points p0 … of a body.
static inline int space_points(Space *s, int body, int count, const SpragVec3 *points)
{
    char text[64][16], *names[64];
    SpragVec3 copy[64];
    assert_true(count <= 64);
    for (int i = 0; i < count; i++) {
        snprintf(text[i], sizeof text[i], "p%d", i);
        names[i] = text[i];
        copy[i] = points[i];
    }
    SpragShape shape = {.kind = SPRAG_SHAPE_POINTS,
                        .body = body,
                        .material = -1,
                        .vertex_count = count,
                        .points = copy,
                        .vertex_names = names};
    return space_shape(s, &shape);
}

static inline int space_box(Space *s, int body, double x, double y, double z)
{
    char text[8][16], *names[8];
    SpragVec3 points[8];
    for (int i = 0; i < 8; i++) {
        double sx = (i & 3) == 0 || (i & 3) == 3 ? -0.5 : 0.5, sy = (i & 3) < 2 ? -0.5 : 0.5;
        points[i] = sprag_vec3(sx * x, sy * y, (i < 4 ? -0.5 : 0.5) * z);
        snprintf(text[i], sizeof text[i], "c%d", i);
        names[i] = text[i];
    }
    SpragShape shape = {.kind = SPRAG_SHAPE_BOX,
                        .body = body,
                        .material = -1,
                        .vertex_count = 8,
                        .points = points,
                        .vertex_names = names};
    return space_shape(s, &shape);
}

static inline void space_rule(Space *s, double mu, double e, SpragRestitutionLaw law)
{
    SpragRule rule = {.friction = {.given = true, .stationary = mu, .kinetic = mu},
                      .restitution = {.given = true, .law = law, .e = e}};
    assert_ok(context, sprag_model_add_rule(s->model, &rule, NULL));
}

static inline void space_open(Space *s)
{
    s->r.context = context;
    s->r.last_t = -INFINITY;
    assert_ok(context, sprag_system_create_model(s->model, &s->r.system));
}

static inline void space_go(Space *s, SpragMotionKind motion, double until, double tolerance)
{
    if (!s->r.system)
        space_open(s);
    test_run_go_as(&s->r, motion, until, tolerance);
}

static inline void space_close(Space *s)
{
    test_run_close(&s->r);
    sprag_model_destroy(s->model);
}

#endif
