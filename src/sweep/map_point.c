// map_point.c: the verdict of a scene at given values of its variables.
#include <math.h>
#include <string.h>

#include "map_drive.h"

SpragStatus point_open(PointEvaluator *point, SpragContext *context,
                       const SpragAnalysisSettings *settings)
{
    memset(point, 0, sizeof *point);
    point->context = context;
    point->settings = *settings;
    point->settings.motions.ranges = false; // maps do not show them
    point->settings.silent = true;          // nobody reads a million sentences
    sprag_contact_problem_init(&point->built, context);
    return sprag_analysis_create(context, &point->analysis);
}

static void drop_scene(PointEvaluator *point)
{
    sprag_system_destroy(point->system);
    sprag_scene_destroy(point->scene);
    point->system = NULL;
    point->scene = NULL;
    point->problem = NULL;
}

void point_close(PointEvaluator *point)
{
    if (!point->context)
        return;
    drop_scene(point);
    drive_point_close(point);
    sprag_scene_source_destroy(point->source);
    sprag_contact_problem_destroy(&point->built);
    sprag_analysis_destroy(point->analysis);
    sprag_free(point->context, point->q);
    sprag_free(point->context, point->v);
    sprag_free(point->context, point->kinematics);
    sprag_free(point->context, point->acceleration);
}

// The scene at these values: the last one with other numbers if that can be, else another.
static SpragStatus bring_scene(PointEvaluator *point, const double *values,
                               SpragSceneChange *change)
{
    *change = SPRAG_SCENE_OTHER;
    if (point->scene)
        SPRAG_TRY(sprag_scene_source_update(point->source, values, point->scene, change));
    if (*change != SPRAG_SCENE_OTHER)
        return SPRAG_OK;
    drop_scene(point);
    return sprag_scene_source_build(point->source, values, &point->scene);
}

static SpragStatus bring_system(PointEvaluator *point, SpragSceneChange change)
{
    if (!point->system)
        return sprag_system_create_model(sprag_scene_model(point->scene), &point->system);
    return sprag_system_update(point->system, change <= SPRAG_SCENE_CONTACTS);
}

// The contact problem of the scene's bodies at its start.
static SpragStatus build_problem(PointEvaluator *point, SpragSceneChange change)
{
    SPRAG_TRY(bring_system(point, change));
    size_t n = (size_t)sprag_system_velocity_count(point->system);
    size_t positions = (size_t)sprag_system_position_count(point->system);
    SPRAG_TRY(sprag_reserve(point->context, &point->q, &point->q_capacity, positions + 1,
                            sizeof(double)));
    SPRAG_TRY(sprag_reserve(point->context, &point->v, &point->v_capacity, n + 1, sizeof(double)));
    sprag_system_initial(point->system, point->q, point->v);
    SpragContactTolerances tolerances = sprag_system_tolerances(point->system, point->v);
    SPRAG_TRY(sprag_reserve(point->context, &point->kinematics, &point->kinematics_capacity,
                            (size_t)sprag_system_contact_count(point->system) + 1,
                            sizeof *point->kinematics));
    SPRAG_TRY(sprag_system_kinematics(point->system, 0, point->q, point->v, &tolerances,
                                      point->kinematics));
    point->settings.time_scale =
        sprag_system_time_scale(point->system, point->q, point->v, point->kinematics);
    for (size_t i = 0; i < n; i++)
        point->settings.moving |= fabs(point->v[i]) > tolerances.rate;
    SPRAG_TRY(sprag_system_build_problem(point->system, 0, point->q, point->v, &tolerances,
                                         &point->built));
    point->problem = &point->built;
    return SPRAG_OK;
}

SpragStatus point_evaluate(PointEvaluator *point, const double *values)
{
    SpragSceneChange change;
    point->valid = false;
    point->problem = NULL;
    point->settings.moving = false;
    SPRAG_TRY(bring_scene(point, values, &change));
    SpragStatus status = SPRAG_OK;
    if (point_is_drive(point))
        return drive_point_evaluate(point);
    if (sprag_scene_model(point->scene))
        status = build_problem(point, change);
    else if (!(point->problem = sprag_scene_contact_problem(point->scene)))
        return sprag_fail(point->context, SPRAG_ERROR_INPUT,
                          "a map takes a scene with bodies, or a problem: contact, scalar, screw "
                          "or transmission");
    point->settings.moving |= sprag_scene_is_moving(point->scene);
    if (status == SPRAG_OK)
        status =
            sprag_analysis_run(point->analysis, point->problem, &point->settings, &point->verdict);
    if (status == SPRAG_ERROR_INPUT || status == SPRAG_ERROR_NUMERIC)
        return SPRAG_OK;
    point->valid = status == SPRAG_OK;
    return status;
}

void point_outcome(const PointEvaluator *point, SpragOutcome *outcome)
{
    memset(outcome, 0, sizeof *outcome);
    if (point_is_drive(point) && point->valid)
        *outcome = point->drive->outcome;
    else if (point_is_drive(point))
        memcpy(outcome->modes, "no drive", sizeof "no drive"); // tells it from bodies that overlap
    else if (point->valid)
        sprag_outcome_init(outcome, point->problem, &point->verdict);
}
