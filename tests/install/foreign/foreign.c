// foreign.c: a program outside of Sprag: loads a scene and prints its verdict.
#include <sprag/sprag.h>
#include <stdio.h>

static SpragStatus print_verdict(SpragContext *context, SpragScene *scene, SpragSystem *system)
{
    int n = sprag_system_velocity_count(system);
    double *q = sprag_alloc(context, 2 * (size_t)n, sizeof *q);
    SpragContactTolerances tolerances = sprag_system_tolerances(system, q + n);
    SpragContactProblem problem;
    SpragAnalysis *analysis = NULL;
    SpragVerdict verdict;
    sprag_contact_problem_init(&problem, context);
    sprag_system_initial(system, q, q + n);
    SPRAG_TRY(sprag_system_build_problem(system, 0, q, q + n, &tolerances, &problem));
    SPRAG_TRY(sprag_analysis_create(context, &analysis));
    SPRAG_TRY(sprag_analysis_run(analysis, &problem, NULL, &verdict));
    printf("%s: %s\n", sprag_scene_name(scene), sprag_verdict_name(verdict.kind));
    sprag_analysis_destroy(analysis);
    sprag_contact_problem_destroy(&problem);
    sprag_free(context, q);
    return SPRAG_OK;
}

int main(int argc, char **argv)
{
    SpragContext *context = NULL;
    SpragScene *scene = NULL;
    SpragSystem *system = NULL;
    if (argc != 2 || sprag_context_create(NULL, &context) != SPRAG_OK)
        return 2;
    if (sprag_scene_read(context, argv[1], NULL, &scene) != SPRAG_OK ||
        sprag_system_create_model(sprag_scene_model(scene), &system) != SPRAG_OK ||
        print_verdict(context, scene, system) != SPRAG_OK)
        fprintf(stderr, "%s\n", sprag_context_message(context));
    sprag_system_destroy(system);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
    return 0;
}
