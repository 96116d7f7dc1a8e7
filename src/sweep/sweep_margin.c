// sweep_margin.c: how far a number of a scene may change before the verdict does, theory.md (8.4).
#include <math.h>

#include "sweep_private.h"

typedef struct ParameterChange {
    PointEvaluator point;
    double value;
} ParameterChange;

static SpragStatus change_parameter(double factor, SpragOutcome *outcome, void *user)
{
    ParameterChange *change = user;
    double value = factor * change->value;
    SPRAG_TRY(point_evaluate(&change->point, &value));
    if (!change->point.valid)
        return SPRAG_ERROR_INPUT; // the reason is in the context
    point_outcome(&change->point, outcome);
    return SPRAG_OK;
}

// Factors that the range allows; without one 0 … 10.
static void choose_limits(const SpragSceneVariable *about, double *least, double *most)
{
    *least = 0;
    *most = 10;
    if (!about->has_range)
        return;
    double a = about->from / about->value, b = about->to / about->value;
    *least = fmin(1, fmin(a, b));
    *most = fmax(1, fmax(a, b));
}

static SpragStatus find(ParameterChange *change, const char *file, const SpragSceneSettings *scene,
                        const char *path, SpragMargin *margin)
{
    SpragContext *context = change->point.context;
    double least, most;
    SPRAG_TRY(sprag_scene_source_create(context, file, scene, &change->point.source));
    SPRAG_TRY(sprag_scene_source_add_variable(change->point.source, path));
    const SpragSceneVariable *about = sprag_scene_source_variable(change->point.source, 0);
    if (!about->has_value)
        return sprag_fail(context, SPRAG_ERROR_INPUT, "%s: it gives no %s, so that has no margin",
                          file, path);
    if (about->value == 0)
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "%s: %s is 0: there is no relative change of it", file, path);
    change->value = about->value;
    choose_limits(about, &least, &most);
    return sprag_margin_scan(change_parameter, change, least, most, margin);
}

SpragStatus sprag_margin_parameter(SpragContext *context, const char *file,
                                   const SpragSceneSettings *scene, const char *path, double *value,
                                   SpragMargin *margin)
{
    ParameterChange change;
    SpragAnalysisSettings settings = sprag_analysis_default();
    SpragStatus status = point_open(&change.point, context, &settings);
    change.value = 0;
    if (status == SPRAG_OK)
        status = find(&change, file, scene, path, margin);
    *value = change.value;
    point_close(&change.point);
    return status;
}
