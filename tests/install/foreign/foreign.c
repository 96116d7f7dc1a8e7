// foreign.c: a program outside of Sprag: loads a scene, prints its verdict, runs it, reads the
// state.
#include <sprag/sprag.h>
#include <stdio.h>

static SpragStatus play(SpragContext *context, const char *path)
{
    SpragScene *scene;
    SpragSystem *system;
    SpragRun *run;
    SpragVerdict verdict;
    SpragRunOutcome outcome;
    SPRAG_TRY(sprag_scene_read(context, path, NULL, &scene));
    SPRAG_TRY(sprag_system_create_model(sprag_scene_model(scene), &system));
    SPRAG_TRY(sprag_run_create(system, NULL, NULL, &run));
    SPRAG_TRY(sprag_run_analyze(run, &verdict));
    printf("%s: %s (%s)\n", sprag_scene_name(scene), sprag_verdict_name(verdict.kind),
           verdict.reason);
    SPRAG_TRY(sprag_run_advance(run, 0.1, &outcome));
    const double *q = sprag_run_position(run);
    printf("%s at t = %g: x %.9f, y %.9f, angle %.9f\n", sprag_run_outcome_name(outcome),
           sprag_run_time(run), q[0], q[1], q[2]);
    sprag_run_destroy(run);
    sprag_system_destroy(system);
    sprag_scene_destroy(scene);
    return SPRAG_OK;
}

int main(int argc, char **argv)
{
    SpragContext *context;
    if (argc != 2 || sprag_context_create(NULL, &context) != SPRAG_OK)
        return 2;
    SpragStatus status = play(context, argv[1]);
    if (status != SPRAG_OK)
        fprintf(stderr, "%s\n", sprag_context_message(context));
    sprag_context_destroy(context);
    return status != SPRAG_OK;
}
