// fuzz_analyze.c: any bytes as a scene: read, placed at its start, analysed. Nothing may crash,
// hang, leak or reach undefined behaviour; a refusal must say why.
#include <stdlib.h>
#include <string.h>

#include "sprag/sprag.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static SpragStatus find_closures(SpragContext *context, const SpragContactProblem *problem)
{
    SpragArena *arena;
    SpragClosure closure;
    SpragStatus status = sprag_arena_create(context, 1 << 12, &arena);
    for (int i = SPRAG_ALL_BODIES; i < problem->block_count && status == SPRAG_OK; i++)
        status = sprag_closure_find(arena, problem, i, &closure);
    sprag_arena_destroy(arena);
    return status;
}

static SpragStatus analyze(SpragContext *context, const SpragContactProblem *problem)
{
    SpragAnalysis *analysis = NULL;
    SpragAnalysisSettings settings = sprag_analysis_default();
    SpragVerdict verdict;
    settings.motions.max_nodes = 2000; // a scene with many contacts must not look like a hang
    SpragStatus status = sprag_analysis_create(context, &analysis);
    if (status == SPRAG_OK)
        status = sprag_analysis_run(analysis, problem, &settings, &verdict);
    sprag_analysis_destroy(analysis);
    return status == SPRAG_OK ? find_closures(context, problem) : status;
}

static SpragStatus analyze_system(SpragContext *context, SpragSystem *system)
{
    size_t n = (size_t)sprag_system_velocity_count(system);
    double *q = sprag_alloc(context, 2 * n + 1, sizeof *q), *v = q + n;
    SpragContactProblem problem;
    if (!q)
        return SPRAG_ERROR_MEMORY;
    sprag_contact_problem_init(&problem, context);
    sprag_system_initial(system, q, v);
    SpragContactTolerances tolerances = sprag_system_tolerances(system, v);
    SpragStatus status = sprag_system_build_problem(system, 0, q, v, &tolerances, &problem);
    if (status == SPRAG_OK && problem.constraint_count <= 8)
        status = analyze(context, &problem);
    sprag_contact_problem_destroy(&problem);
    sprag_free(context, q);
    return status;
}

static SpragStatus answer(SpragContext *context, const SpragScene *scene)
{
    const SpragContactProblem *problem = sprag_scene_contact_problem(scene);
    SpragSystem *system = NULL;
    if (problem)
        return problem->constraint_count <= 8 ? analyze(context, problem) : SPRAG_OK;
    if (!sprag_scene_model(scene))
        return SPRAG_OK;
    SpragStatus status = sprag_system_create_model(sprag_scene_model(scene), &system);
    if (status == SPRAG_OK)
        status = analyze_system(context, system);
    sprag_system_destroy(system);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SpragContext *context = NULL;
    SpragScene *scene = NULL;
    if (sprag_context_create(NULL, &context) != SPRAG_OK)
        return 0;
    SpragStatus status =
        sprag_scene_read_text(context, "fuzz", (const char *)data, size, NULL, &scene);
    if (status == SPRAG_OK)
        status = answer(context, scene);
    if (status != SPRAG_OK && !sprag_context_message(context)[0])
        abort();
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
    return 0;
}
