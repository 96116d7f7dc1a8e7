// map_point.c: the verdict of a scene at given values of its variables, and its determinant.
#include <math.h>
#include <string.h>

#include "sprag/numeric.h"
#include "sweep_private.h"

enum { DETERMINANT_ROWS = 12, DETERMINANT_CONTACTS = 6 };

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
    SpragSceneChange change;
    point->valid = false;
    point->problem = NULL;
    point->settings.moving = false;
    SPRAG_TRY(bring_scene(point, values, &change));
    SpragStatus status = SPRAG_OK;
    if (sprag_scene_model(point->scene))
        status = build_problem(point, change);
    else if (!(point->problem = sprag_scene_contact_problem(point->scene)))
        return sprag_fail(point->context, SPRAG_ERROR_INPUT,
                          "a map takes a scene with bodies or a 'problem: contact' file");
    point->settings.moving |= sprag_scene_is_moving(point->scene);
    if (status == SPRAG_OK)
        status =
            sprag_analysis_run(point->analysis, point->problem, &point->settings, &point->verdict);
    if (status == SPRAG_ERROR_INPUT || status == SPRAG_ERROR_NUMERIC)
        return SPRAG_OK;
    point->valid = status == SPRAG_OK;
    return status;
}

// ---- The determinant ----------------------------------------------------------------------------

// A choice of modes: rows of accelerations that vanish, and forces as combinations of columns.
typedef struct ModeRows {
    const SpragContactProblem *problem;
    int n;
    int row[DETERMINANT_ROWS];         // of W
    double friction[DETERMINANT_ROWS]; // λT per λN of the column
    double least;
} ModeRows;

// The determinant (3.4), each row divided by the diagonal of W.
static double mode_determinant(const ModeRows *modes)
{
    double A[DETERMINANT_ROWS * DETERMINANT_ROWS];
    int n = modes->n, size = modes->problem->row_count;
    const double *W = modes->problem->W;
    int rows[DETERMINANT_ROWS], columns[DETERMINANT_ROWS], sign;
    double determinant;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double *at = W + modes->row[i] * size + modes->row[j];
            double diagonal = W[modes->row[i] * (size + 1)];
            double entry = at[0] + (modes->friction[j] != 0 ? modes->friction[j] * at[1] : 0);
            A[i * n + j] = diagonal > 0 ? entry / diagonal : 0;
        }
    if (sprag_lu_factor(n, A, 0, rows, columns, &sign) < n)
        return 0;
    determinant = sign;
    for (int i = 0; i < n; i++)
        determinant *= fabs(A[i * n + i]);
    return determinant;
}

// All choices for constraints from c on; depth is bounded by DETERMINANT_CONTACTS.
static void visit_modes(ModeRows *modes, int c)
{
    if (c == modes->problem->constraint_count) {
        if (modes->n > 0)
            modes->least = fmin(modes->least, mode_determinant(modes));
        return;
    }
    const SpragConstraint *item = &modes->problem->constraints[c];
    int n = modes->n;
    visit_modes(modes, c + 1); // separate
    for (int k = -1; k <= 1; k += 2) {
        if (item->sliding && k * item->slip[0] < 0)
            continue;
        modes->row[n] = item->row;
        modes->friction[n] = -k * item->friction;
        modes->n = n + 1;
        visit_modes(modes, c + 1);
    }
    if (!item->sliding) { // stick
        modes->row[n] = item->row;
        modes->row[n + 1] = item->row + 1;
        modes->friction[n] = modes->friction[n + 1] = 0;
        modes->n = n + 2;
        visit_modes(modes, c + 1);
    }
    modes->n = n;
}

double point_determinant(const SpragContactProblem *problem)
{
    ModeRows modes = {.problem = problem, .least = INFINITY};
    if (problem->constraint_count == 0 || problem->constraint_count > DETERMINANT_CONTACTS)
        return NAN;
    for (int c = 0; c < problem->constraint_count; c++)
        if (problem->constraints[c].kind != SPRAG_CONSTRAINT_CONTACT ||
            problem->constraints[c].row_count != 2)
            return NAN;
    visit_modes(&modes, 0);
    return modes.least;
}
