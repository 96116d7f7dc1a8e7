// The verdict that a run carries along, shortcuts included, against a full analysis at its states.
#include "support/with_context.h"

typedef struct Scene {
    SpragScene *scene;
    SpragSystem *system;
    SpragRun *run;
    SpragAnalysis *analysis;
    SpragContactProblem problem;
} Scene;

static void open_scene(Scene *s, const char *text)
{
    assert_ok(context,
              sprag_scene_read_text(context, "test.yaml", text, strlen(text), NULL, &s->scene));
    assert_ok(context, sprag_system_create_model(sprag_scene_model(s->scene), &s->system));
    SpragRunSettings settings = sprag_run_default();
    settings.output_step = 0;
    assert_ok(context, sprag_run_create(s->system, &settings, NULL, &s->run));
    assert_ok(context, sprag_analysis_create(context, &s->analysis));
    sprag_contact_problem_init(&s->problem, context);
}

static void close_scene(Scene *s)
{
    sprag_contact_problem_destroy(&s->problem);
    sprag_analysis_destroy(s->analysis);
    sprag_run_destroy(s->run);
    sprag_system_destroy(s->system);
    sprag_scene_destroy(s->scene);
}

// Slips that have just started, and contacts about to open, are seen differently from outside;
// while a contact is compliant the run keeps the verdict with which it left the rigid one.
static bool is_comparable(const Scene *s, const SpragRunSample *sample, double slip_tolerance)
{
    int closed = 0;
    for (int i = 0; i < sprag_system_contact_count(s->system); i++) {
        const SpragRunContact *contact = &sample->contacts[i];
        if (contact->compliant)
            return false;
        if (contact->mode == SPRAG_MODE_SEPARATE)
            continue;
        closed++;
        if (contact->mode != SPRAG_MODE_STICK && fabs(contact->slip) <= slip_tolerance)
            return false;
    }
    return closed == s->problem.constraint_count;
}

// An advance ends at an accepted step, whose verdict the run has checked. Returns how many states
// were compared.
static int compare_along(Scene *s, double until, int states)
{
    int compared = 0;
    for (int i = 1; i <= states; i++) {
        SpragRunOutcome outcome;
        SpragVerdict verdict;
        assert_ok(context, sprag_run_advance(s->run, until * i / states, &outcome));
        if (outcome != SPRAG_RUN_DONE)
            break;
        const double *q = sprag_run_position(s->run), *v = sprag_run_velocity(s->run);
        const SpragRunSample *sample = sprag_run_sample(s->run);
        SpragContactTolerances tolerances = sprag_system_tolerances(s->system, v);
        assert_ok(context, sprag_system_build_problem(s->system, sprag_run_time(s->run), q, v,
                                                      &tolerances, &s->problem));
        if (!is_comparable(s, sample, 10 * tolerances.slip))
            continue;
        assert_ok(context, sprag_analysis_run(s->analysis, &s->problem, NULL, &verdict));
        assert_int_equal(sample->verdict, verdict.kind);
        assert_int_equal(sample->solution_count, verdict.solution_count);
        compared++;
    }
    return compared;
}

// Rods on a table at all angles and frictions up to twice those of Painlevé's paradox; a second one
// beside the first is uncoupled from it.
static void test_rods(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 7301);
    int draws = test_draws(60), compared = 0;
    for (int draw = 0; draw < draws; draw++) {
        char text[2048];
        double kinetic = sprag_random_uniform(&random, 0, 2.7);
        double slip = draw % 3 == 0 ? 0 : sprag_random_uniform(&random, -3, 3);
        double angle = sprag_random_uniform(&random, 20, 160);
        double other = sprag_random_uniform(&random, 20, 160);
        snprintf(text, sizeof text,
                 "sprag: 1\nmaterials: {default: {friction: {static: %.9g, kinetic: %.9g}}}\n"
                 "bodies:\n"
                 "  - {name: table, fixed: true, shapes: [{plane: {normal: [0, 1], offset: 0}}]}\n"
                 "  - {name: rod, mass: 1, inertia: %.9g, angle: %.9g deg, shapes: [{rod: {length: "
                 "1}}]}\n"
                 "  - {name: more, mass: 2, inertia: 0.1, angle: %.9g deg, position: [5, 3],\n"
                 "     shapes: [{rod: {length: 1}}]}\n"
                 "contacts: [{name: tip, between: [rod.a, table]},\n"
                 "           {name: tip2, between: [more.a, table]},\n"
                 "           {between: [rod, more], collide: false}]\n"
                 "start: [{contact: tip, slip: %.9g}, {contact: tip2, slip: 0}]\n",
                 kinetic * sprag_random_uniform(&random, 1, 1.5), kinetic,
                 sprag_random_uniform(&random, 0.03, 0.12), angle, other, slip);
        Scene s = {0};
        open_scene(&s, text);
        compared += compare_along(&s, 0.25, 12);
        close_scene(&s);
    }
    // most runs go on for a while
    assert_true(compared > 4 * draws);
}

// A compliant run that no sink listens to has the verdict of its state where it stops, once: one of
// the rod that slides is found for the whole run, whatever events were on the way.
static void test_unheard(void **state)
{
    (void)state;
    const char *text = "sprag: 1\nmaterials: {default: {friction: 0.27}}\nbodies:\n"
                       "  - {name: table, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"
                       "  - {name: rod, mass: 0.088, inertia: 1.606176e-3, angle: 42.3 deg,\n"
                       "     shapes: [{rod: {length: 0.468}}]}\n"
                       "contacts: [{name: tip, between: [rod.a, table], compliance: {law:\n"
                       "  kelvin-voigt, stiffness: 1e6, damping: 40}}]\n"
                       "start: [{contact: tip, slip: -0.1}]\n";
    Scene s = {0};
    SpragRunOutcome outcome;
    SpragRunSettings settings = sprag_run_default();
    open_scene(&s, text);
    sprag_run_destroy(s.run);
    settings.motion = SPRAG_MOTION_COMPLIANT;
    assert_ok(context, sprag_run_create(s.system, &settings, NULL, &s.run));
    assert_ok(context, sprag_run_advance(s.run, 0.22, &outcome)); // the slip turns at 0.215 s
    assert_int_equal(outcome, SPRAG_RUN_DONE);
    assert_true(sprag_run_statistics(s.run).events > 1);
    assert_int_equal(sprag_run_statistics(s.run).solves, 1);
    assert_int_equal(sprag_run_sample(s.run)->verdict, SPRAG_VERDICT_UNIQUE);
    assert_int_equal(sprag_run_sample(s.run)->solution_count, 1);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rods), cmocka_unit_test(test_unheard)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
