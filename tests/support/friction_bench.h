// friction_bench.h: a workspace for friction problems with room for what tests compare.
#ifndef SPRAG_TESTS_SUPPORT_FRICTION_BENCH_H
#define SPRAG_TESTS_SUPPORT_FRICTION_BENCH_H

#include "support/friction_scenes.h"
#include "support/test.h"

typedef struct Bench {
    SpragContext *context;
    SpragFrictionWorkspace *workspace;
    double r[3 * FRICTION_SCENE_CONTACTS], u[3 * FRICTION_SCENE_CONTACTS];
    double known[3 * FRICTION_SCENE_CONTACTS], velocity[6 * FRICTION_SCENE_BODIES];
    SpragFrictionInfo info;
} Bench;

static inline Bench *bench_new(void)
{
    Bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    bench->context = test_context();
    assert_ok(bench->context, sprag_friction_workspace_create(bench->context, &bench->workspace));
    return bench;
}

static inline void bench_free(Bench *bench)
{
    sprag_friction_workspace_destroy(bench->workspace);
    sprag_context_destroy(bench->context);
    free(bench);
}

#endif
