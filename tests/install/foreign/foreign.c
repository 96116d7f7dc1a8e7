// foreign.c: a program outside of Sprag: loads a scene and prints its verdict.
#include <sprag/sprag.h>
#include <stdio.h>

static SpragStatus print_verdict(SpragContext *context, const char *path)
{
    SpragScene *scene;
    SpragSystem *system;
    SpragAnalysis *analysis;
    SpragContactProblem problem;
    SpragVerdict verdict;
    SPRAG_TRY(sprag_scene_read(context, path, NULL, &scene));
    SPRAG_TRY(sprag_system_create_model(sprag_scene_model(scene), &system));
    SPRAG_TRY(sprag_analysis_create(context, &analysis));
    size_t n = (size_t)sprag_system_velocity_count(system);
    double *q = sprag_alloc(context, n, sizeof *q), *v = sprag_alloc(context, n, sizeof *v);
    sprag_system_initial(system, q, v);
    SpragContactTolerances tolerances = sprag_system_tolerances(system, v);
    sprag_contact_problem_init(&problem, context);
    SPRAG_TRY(sprag_system_build_problem(system, 0, q, v, &tolerances, &problem));
    SPRAG_TRY(sprag_analysis_run(analysis, &problem, NULL, &verdict));
    printf("%s: %s (%s)\n", sprag_scene_name(scene), sprag_verdict_name(verdict.kind),
           verdict.reason);
    sprag_contact_problem_destroy(&problem);
    sprag_free(context, q);
    sprag_free(context, v);
    sprag_analysis_destroy(analysis);
    sprag_system_destroy(system);
    sprag_scene_destroy(scene);
    return SPRAG_OK;
}

int main(int argc, char **argv)
{
    SpragContext *context;
    if (argc != 2 || sprag_context_create(NULL, &context) != SPRAG_OK)
        return 2;
    SpragStatus status = print_verdict(context, argv[1]);
    if (status != SPRAG_OK)
        fprintf(stderr, "%s\n", sprag_context_message(context));
    sprag_context_destroy(context);
    return status != SPRAG_OK;
}
