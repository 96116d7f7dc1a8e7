// planar_scene.h: a model, its system and its state at the start.
#ifndef SPRAG_TEST_PLANAR_SCENE_H
#define SPRAG_TEST_PLANAR_SCENE_H

#include "unit/collide/world.h"

typedef struct Scene {
    SpragContext *context;
    SpragModel *model;
    SpragSystem *system;
    double q[12], v[12];
} Scene;

static inline Scene open_scene(void)
{
    Scene scene = {.context = test_context()};
    scene.model = world_create(scene.context);
    return scene;
}

static inline void place(Scene *scene)
{
    assert_ok(scene->context, sprag_system_create_model(scene->model, &scene->system));
    sprag_system_initial(scene->system, scene->q, scene->v);
}

static inline void close_scene(Scene *scene)
{
    sprag_system_destroy(scene->system);
    sprag_model_destroy(scene->model);
    sprag_context_destroy(scene->context);
}

#endif
