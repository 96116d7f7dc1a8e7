// scenes.h: verdicts of scenes given as text or as models, looked up by the names of contacts.
#ifndef SPRAG_TESTS_SUPPORT_SCENES_H
#define SPRAG_TESTS_SUPPORT_SCENES_H

#include "support/test.h"

enum { ANSWER_COORDINATES = 24, ANSWER_CONTACTS = 256, ANSWER_TEXT = 8192 };

// The floor y = 0 as the first body of a scene.
#define SCENE_TABLE                                                                                \
    "  - {name: table, fixed: true, shapes: [{plane: {normal: [0, 1], offset: 0}}]}\n"

typedef struct Answer {
    SpragContext *context;
    SpragScene *scene;         // NULL: from a model or a problem of the caller's
    SpragSystem *system;       // NULL: a bare problem
    SpragContactProblem built; // of the system
    const SpragContactProblem *problem;
    SpragAnalysis *analysis;
    SpragVerdict verdict;
    int n; // coordinates
    double q[ANSWER_COORDINATES], v[ANSWER_COORDINATES];
    SpragContactTolerances tolerances;
    SpragContactKinematics kinematics[ANSWER_CONTACTS];
} Answer;

static inline void answer_analyze(Answer *answer)
{
    SpragAnalysisSettings settings = sprag_analysis_default();
    for (int i = 0; i < answer->n; i++)
        settings.moving = settings.moving || fabs(answer->v[i]) > answer->tolerances.rate;
    assert_ok(answer->context, sprag_analysis_create(answer->context, &answer->analysis));
    assert_ok(answer->context,
              sprag_analysis_run(answer->analysis, answer->problem, &settings, &answer->verdict));
    assert_true(answer->verdict.complete);
}

static inline void answer_system(Answer *answer, const SpragModel *model)
{
    SpragContext *owner = answer->context;
    assert_ok(owner, sprag_system_create_model(model, &answer->system));
    answer->n = sprag_system_velocity_count(answer->system);
    assert_true(answer->n <= ANSWER_COORDINATES);
    assert_true(sprag_system_contact_count(answer->system) <= ANSWER_CONTACTS);
    sprag_system_initial(answer->system, answer->q, answer->v);
    answer->tolerances = sprag_system_tolerances(answer->system, answer->v);
    assert_ok(owner, sprag_system_kinematics(answer->system, 0, answer->q, answer->v,
                                             &answer->tolerances, answer->kinematics));
    sprag_contact_problem_init(&answer->built, owner);
    assert_ok(owner, sprag_system_build_problem(answer->system, 0, answer->q, answer->v,
                                                &answer->tolerances, &answer->built));
    answer->problem = &answer->built;
    answer_analyze(answer);
}

static inline void answer_model(Answer *answer, const SpragModel *model)
{
    memset(answer, 0, sizeof *answer);
    answer->context = model->context;
    answer_system(answer, model);
}

// The problem must outlive the answer.
static inline void answer_problem(Answer *answer, const SpragContactProblem *problem)
{
    memset(answer, 0, sizeof *answer);
    answer->context = problem->context;
    answer->problem = problem;
    answer_analyze(answer);
}

// A scene or a bare problem.
static inline void answer_text(Answer *answer, SpragContext *owner, const char *text)
{
    memset(answer, 0, sizeof *answer);
    answer->context = owner;
    SpragStatus status =
        sprag_scene_read_text(owner, "test.yaml", text, strlen(text), NULL, &answer->scene);
    if (status != SPRAG_OK)
        print_error("%s\n", text);
    assert_ok(owner, status);
    if (sprag_scene_model(answer->scene)) {
        answer_system(answer, sprag_scene_model(answer->scene));
        return;
    }
    answer->problem = sprag_scene_contact_problem(answer->scene);
    answer_analyze(answer);
}

static inline void answer_format(Answer *answer, SpragContext *owner, const char *format, ...)
    SPRAG_PRINTF(3, 4);

static inline void answer_format(Answer *answer, SpragContext *owner, const char *format, ...)
{
    char text[ANSWER_TEXT];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && length < ANSWER_TEXT);
    answer_text(answer, owner, text);
}

static inline void answer_close(Answer *answer)
{
    sprag_analysis_destroy(answer->analysis);
    if (answer->problem == &answer->built)
        sprag_contact_problem_destroy(&answer->built);
    sprag_system_destroy(answer->system);
    sprag_scene_destroy(answer->scene);
}

// The constraint of that name; −1: no such contact is closed.
static inline int answer_find(const Answer *answer, const char *name)
{
    for (int i = 0; i < answer->problem->constraint_count; i++)
        if (strcmp(answer->problem->constraints[i].name, name) == 0)
            return i;
    return -1;
}

static inline int answer_constraint(const Answer *answer, const char *name)
{
    int found = answer_find(answer, name);
    if (found < 0)
        fail_msg("no contact %s is closed", name);
    return found;
}

static inline const SpragMotion *answer_motion(const Answer *answer, int solution)
{
    assert_true(solution < answer->verdict.solution_count);
    return answer->verdict.solutions[solution].motion;
}

static inline SpragMode answer_mode(const Answer *answer, int solution, const char *name)
{
    return answer_motion(answer, solution)->modes[answer_constraint(answer, name)];
}

// Normal (row 0) or tangential (row 1) force of a contact.
static inline double answer_force(const Answer *answer, int solution, const char *name, int row)
{
    int at = answer->problem->constraints[answer_constraint(answer, name)].row + row;
    return answer_motion(answer, solution)->force[at];
}

static inline void answer_range(const Answer *answer, int solution, const char *name, int row,
                                double *low, double *high)
{
    int at = answer->problem->constraints[answer_constraint(answer, name)].row + row;
    *low = answer_motion(answer, solution)->force_low[at];
    *high = answer_motion(answer, solution)->force_high[at];
}

// q'' of a motion (n entries).
static inline void answer_acceleration(const Answer *answer, int solution, double *acceleration)
{
    sprag_contact_problem_acceleration(answer->problem, answer_motion(answer, solution)->force,
                                       acceleration);
}

// The motion in which the first `count` closed contacts have these modes; −1: none.
static inline int answer_with_modes(const Answer *answer, int count, const SpragMode *modes)
{
    for (int i = 0; i < answer->verdict.solution_count; i++)
        if (memcmp(answer->verdict.solutions[i].motion->modes, modes,
                   (size_t)count * sizeof *modes) == 0)
            return i;
    return -1;
}

// One motion, stable, nothing moves.
static inline void assert_held(const Answer *answer)
{
    if (!answer->verdict.held)
        print_error("%s\n", answer->verdict.reason);
    assert_int_equal(answer->verdict.kind, SPRAG_VERDICT_UNIQUE);
    assert_int_equal(answer->verdict.solutions[0].stability, SPRAG_STABLE);
    assert_true(answer->verdict.held);
    assert_false(answer->verdict.recommended_compliant);
}

#endif
