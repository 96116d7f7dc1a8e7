// map_point.c: the verdict of a scene at given values of its variables, and numbers of it.
#include <math.h>
#include <string.h>

#include "sweep_private.h"

SpragStatus point_open(PointEvaluator *point, SpragContext *context,
                       const SpragAnalysisSettings *settings)
{
    memset(point, 0, sizeof *point);
    point->context = context;
    point->settings = *settings;
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
    sprag_scene_source_destroy(point->source);
    sprag_contact_problem_destroy(&point->built);
    sprag_analysis_destroy(point->analysis);
    sprag_free(point->context, point->q);
    sprag_free(point->context, point->v);
    sprag_free(point->context, point->kinematics);
}

// The contact problem of the scene's bodies at its start.
static SpragStatus build_problem(PointEvaluator *point)
{
    SPRAG_TRY(sprag_system_create_model(sprag_scene_model(point->scene), &point->system));
    size_t n = (size_t)sprag_system_velocity_count(point->system);
    SPRAG_TRY(sprag_reserve(point->context, &point->q, &point->q_capacity, n + 1, sizeof(double)));
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
    drop_scene(point);
    point->valid = false;
    point->settings.moving = false;
    SPRAG_TRY(sprag_scene_source_build(point->source, values, &point->scene));
    SpragStatus status = SPRAG_OK;
    if (sprag_scene_model(point->scene))
        status = build_problem(point);
    else if (!(point->problem = sprag_scene_contact_problem(point->scene)))
        return sprag_fail(point->context, SPRAG_ERROR_INPUT,
                          "a map takes a scene with bodies or a 'problem: contact' file");
    if (status == SPRAG_OK)
        status =
            sprag_analysis_run(point->analysis, point->problem, &point->settings, &point->verdict);
    if (status == SPRAG_ERROR_INPUT || status == SPRAG_ERROR_NUMERIC)
        return SPRAG_OK;
    point->valid = status == SPRAG_OK;
    return status;
}

// ---- Values -------------------------------------------------------------------------------------

static double largest_real(const SpragSolution *solution)
{
    double largest = NAN;
    for (int i = 0; i < solution->eigenvalue_count; i++)
        largest = fmax(largest, solution->eigenvalues[i].real);
    return largest;
}

enum { VALUE_A, VALUE_B, VALUE_DETERMINANT, VALUE_MARGIN, VALUE_SLOWEST, VALUE_GROWTH };
static const char *const value_names[] = {"A", "B", "determinant", "margin", "slowest", "growth"};

const char *const *sprag_map_value_names(int *count)
{
    *count = sizeof value_names / sizeof *value_names;
    return value_names;
}

SpragStatus point_value(PointEvaluator *point, int value, double *number)
{
    const SpragVerdict *verdict = &point->verdict;
    SpragMargin margin;
    *number = NAN;
    if (!point->valid)
        return SPRAG_OK;
    switch (value) {
    case VALUE_A:
        *number = verdict->one_contact ? verdict->A : NAN;
        break;
    case VALUE_B:
        *number = verdict->one_contact ? verdict->B : NAN;
        break;
    case VALUE_DETERMINANT:
        *number = sprag_contact_determinant(point->problem, NULL);
        break;
    case VALUE_SLOWEST:
        if (verdict->chosen >= 0)
            *number = largest_real(&verdict->solutions[verdict->chosen]);
        break;
    case VALUE_GROWTH:
        for (int i = 0; i < verdict->solution_count; i++)
            *number = fmax(*number, largest_real(&verdict->solutions[i]));
        break;
    default: // last: it leaves another verdict in the analysis
        SPRAG_TRY(sprag_margin_friction(point->analysis, point->problem, &point->settings,
                                        SPRAG_ALL_CONTACTS, &margin));
        *number = fmin(margin.down.change, margin.up.change);
        break;
    }
    return SPRAG_OK;
}
