// Restitution in files, and bare impacts.
#include "scene_support.h"
#include "support/with_context.h"

// ---- Restitution --------------------------------------------------------------------------------

#define RULE                                                                                       \
    "sprag: 1\nparameters: {e0: 0.4, slow: 2 mm/s}\nbodies:\n"                                     \
    "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1]}, material: %s}]}\n"          \
    "  - {name: ball, mass: 1, position: [0, 1], shapes: [{circle: {radius: 0.1}, material: "      \
    "%s}]}\n"

static SpragScene *read_rule(const char *restitution)
{
    char text[2048];
    snprintf(text, sizeof text,
             "sprag: 1\nparameters: {e0: 0.4, slow: 2 mm/s}\nbodies:\n"
             "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"
             "  - {name: ball, mass: 1, position: [0, 1], shapes: [{circle: {radius: 0.1}}]}\n"
             "contacts:\n  - {between: [ball, floor], restitution: %s}\n",
             restitution);
    return read_good(context, text);
}

static void test_forms(void **state)
{
    (void)state;
    const struct {
        const char *text;
        SpragRestitutionLaw law;
        double rest_speed, speeds[3], values[3];
    } cases[] = {
        {"0.5", SPRAG_RESTITUTION_ENERGETIC, 0, {0, 1, 9}, {0.5, 0.5, 0.5}},
        {"e0/2", SPRAG_RESTITUTION_ENERGETIC, 0, {0, 1, 9}, {0.2, 0.2, 0.2}},
        {"{e: 1, law: newton}", SPRAG_RESTITUTION_NEWTON, 0, {0, 1, 9}, {1, 1, 1}},
        {"{e: e0, rest-speed: slow}",
         SPRAG_RESTITUTION_ENERGETIC,
         2e-3,
         {1e-3, 2e-3, 9},
         {0, 0.4, 0.4}},
        {"{law: poisson, e: [[10 mm/s, 0.8], [1, e0]]}",
         SPRAG_RESTITUTION_POISSON,
         0,
         {0, 0.505, 5},
         {0.8, 0.6, 0.4}},
        {"{e: {table: [[0, 1], [2, 0.5], [4, 0]]}}",
         SPRAG_RESTITUTION_ENERGETIC,
         0,
         {1, 3, 7},
         {0.75, 0.25, 0}},
        {"{table: [[0, 1], [2, 0.5]], rest-speed: 1}",
         SPRAG_RESTITUTION_ENERGETIC,
         1,
         {0.5, 1, 3},
         {0, 0.75, 0.5}},
        {"[[1, 0.3]]", SPRAG_RESTITUTION_ENERGETIC, 0, {0, 1, 2}, {0.3, 0.3, 0.3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SpragScene *scene = read_rule(cases[i].text);
        const SpragRestitution *r = &sprag_scene_model(scene)->rules[0].restitution;
        assert_true(r->given && r->law == cases[i].law);
        assert_close(r->rest_speed, cases[i].rest_speed, 1e-18);
        for (int k = 0; k < 3; k++)
            assert_close(sprag_restitution_at(r, cases[i].speeds[k]), cases[i].values[k], 1e-15);
        sprag_scene_destroy(scene);
    }
}

static void test_refused_forms(void **state)
{
    (void)state;
    const struct {
        const char *text, *fragment;
    } cases[] = {
        {"-0.1", "restitution must be in 0 … 1, got -0.1"},
        {"1.1", "in 0 … 1"},
        {"bouncy", "bouncy"},
        {"{e: 2}", "e must be in 0 … 1"},
        {"{law: moreau, e: 1}", "law must be energetic, newton or poisson, got moreau"},
        {"{law: newton}", "restitution needs e"},
        {"{e: 0.5, table: [[0, 1]]}", "e or table"},
        {"{e: 0.5, speed: 1}", "unknown key \"speed\""},
        {"{e: 0.5, rest-speed: -1}", "rest-speed must be a number ≥ 0"},
        {"{e: 0.5, rest-speed: 1 kg}", "rest-speed must be a velocity"},
        {"{e: []}", "an empty list"},
        {"{e: [0.5, 0.4]}", "must be a pair [speed, e], got 0.5"},
        {"{e: [[0, 1, 2]]}", "another number of entries"},
        {"{e: [[1, 0.5], [1, 0.4]]}", "must ascend, got 1 after 1"},
        {"{e: [[-1, 0.5]]}", "speed must be a number ≥ 0"},
        {"{e: [[1, 1.5]]}", "e must be in 0 … 1"},
        {"{e: {values: 3}}", "unknown key \"values\""},
        {"{e: {}}", "e needs table"},
        {"{table: 3}", "list of pairs"},
        {"{e: [[0, 0],[1, 0],[2, 0],[3, 0],[4, 0],[5, 0],[6, 0],[7, 0],[8, 0],[9, 0],[10, 0],"
         "[11, 0],[12, 0],[13, 0],[14, 0],[15, 0],[16, 0]]}",
         "at most 16 points, got 17"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "sprag: 1\nbodies:\n  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, "
                 "1]}}]}\nmaterials: {default: {restitution: %s}}\n",
                 cases[i].text);
        refuse(context, text, NULL, cases[i].fragment);
    }
}

// Two materials give the smaller e at every speed.
static void test_materials(void **state)
{
    (void)state;
    char text[2048];
    SpragSystem *system;
    SpragContactPair pair;
    snprintf(text, sizeof text,
             RULE
             "materials:\n  soft: {restitution: {e: [[0, 0.9], [2, 0.1]], rest-speed: 1 mm/s}}\n"
             "  hard: {restitution: {law: newton, e: [[1, 0.3], [3, 0.6]]}}\n",
             "soft", "hard");
    SpragScene *scene = read_good(context, text);
    assert_ok(context, sprag_system_create_model(sprag_scene_model(scene), &system));
    sprag_system_pair(system, 0, &pair);
    const SpragRestitution *a = &sprag_scene_model(scene)->materials[0].restitution;
    const SpragRestitution *b = &sprag_scene_model(scene)->materials[1].restitution;
    for (double v = 0.002; v < 5; v += 0.0137)
        assert_close(sprag_restitution_at(&pair.restitution, v),
                     fmin(sprag_restitution_at(a, v), sprag_restitution_at(b, v)), 1e-14);
    assert_close(pair.restitution.rest_speed, 1e-3, 0);
    sprag_system_destroy(system);
    sprag_scene_destroy(scene);
}

static void test_many_points(void **state)
{
    (void)state;
    char text[4096];
    SpragSystem *system = NULL;
    int used = snprintf(text, sizeof text, RULE "materials:\n", "soft", "hard");
    for (int m = 0; m < 2; m++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "  %s: {restitution: {e: [",
                         m ? "hard" : "soft");
        for (int i = 0; i < 12; i++)
            used += snprintf(text + used, sizeof text - (size_t)used, "%s[%g, %g]", i ? ", " : "",
                             i + 0.5 * m, (i + m) % 2 ? 0.2 : 0.8);
        used += snprintf(text + used, sizeof text - (size_t)used, "]}}\n");
    }
    SpragScene *scene = read_good(context, text);
    assert_int_equal(sprag_system_create_model(sprag_scene_model(scene), &system),
                     SPRAG_ERROR_INPUT);
    assert_non_null(strstr(sprag_context_message(context), "more than 16 points together"));
    sprag_scene_destroy(scene);
}

static void test_default_scheme(void **state)
{
    (void)state;
    SpragScene *scene = read_rule("0.5");
    assert_int_equal(sprag_scene_model(scene)->simulate.impacts, SPRAG_IMPACTS_PATH);
    assert_int_equal(sprag_run_default().impacts, SPRAG_IMPACTS_PATH);
    sprag_scene_destroy(scene);
}

// ---- Bare impacts -------------------------------------------------------------------------------

static void test_bare(void **state)
{
    (void)state;
    SpragScene *scene = read_good(
        context, "sprag: 1\nproblem: impact\nparameters: {mu: 0.5}\nW: [[1.6, -1.2], [-1.2, 3.4]]\n"
                 "velocity: [-1, 500 mm/s]\ncontacts: [{name: tip, friction: {static: 0.7, "
                 "kinetic: mu}, restitution: {law: poisson, e: 0.5}}]\n");
    const SpragSceneImpact *impact = sprag_scene_impact(scene);
    assert_non_null(impact);
    assert_null(sprag_scene_contact_problem(scene));
    assert_int_equal(impact->problem->row_count, 2);
    const SpragConstraint *item = impact->problem->constraints;
    assert_string_equal(item->name, "tip");
    assert_close(impact->problem->b[0], -1, 0);
    assert_close(impact->problem->b[1], 0.5, 1e-16);
    assert_true(item->sliding && item->friction == 0.5 && item->friction_static == 0.7);
    assert_int_equal(impact->contacts[0].restitution.law, SPRAG_RESTITUTION_POISSON);
    assert_false(impact->has_velocity);
    sprag_scene_destroy(scene);
}

// mass and J give the same problem as W; velocities of the coordinates give those of the rows.
static void test_masses(void **state)
{
    (void)state;
    SpragScene *scene = read_good(
        context, "sprag: 1\nproblem: impact\nmass: [2, 2, 0.1]\nJ: [[0, 1, 0.3], [1, 0, 0.2]]\n"
                 "generalized-velocity: [1, -2, 4]\ncontacts: [{friction: 0.5}]\n");
    const SpragSceneImpact *impact = sprag_scene_impact(scene);
    assert_true(impact->has_velocity);
    assert_close(impact->problem->b[0], -2 + 1.2, 1e-15);
    assert_close(impact->problem->b[1], 1.8, 1e-15);
    assert_close(impact->problem->W[0], 0.5 + 0.9, 1e-15);
    assert_close(impact->problem->W[1], 0.6, 1e-15);
    sprag_scene_destroy(scene);
}

static void test_space(void **state)
{
    (void)state;
    SpragScene *scene = read_good(
        context, "sprag: 1\nproblem: impact\ndimension: 3\nW: [[1, 0, 0], [0, 3.5, 0], [0, 0, "
                 "3.5]]\nvelocity: [-2, 1, 0]\ncontacts: [{friction: 0.2, restitution: 0.8}]\n");
    assert_int_equal(sprag_scene_impact(scene)->problem->row_count, 3);
    assert_true(sprag_scene_impact(scene)->problem->constraints[0].sliding);
    sprag_scene_destroy(scene);
}

static void test_refused_impacts(void **state)
{
    (void)state;
    const struct {
        const char *text, *position, *fragment;
    } cases[] = {
        {"", "1:1", "contacts is missing"},
        {"contacts: []\n", "3:11", "at least one contact"},
        {"contacts: 3\n", "3:11", "must be a list"},
        {"contacts: [{}]\n", "1:1", "W is missing"},
        {"contacts: [{}]\nW: [[1, 0], [0, 1]]\n", "1:1", "velocity is missing"},
        {"contacts: [{}]\nW: [[1, 0], [0, 1]]\nvelocity: [-1]\n", "5:11", "2 numbers, got 1"},
        {"contacts: [{}]\nW: [[1, 0], [0, 1]]\nvelocity: [-1 kg, 0]\n", "5:12", "a velocity"},
        {"contacts: [{}]\nW: [[1, 0], [0.5, 1]]\nvelocity: [-1, 0]\n", NULL, "symmetric"},
        {"contacts: [{}]\nW: [[1, 2], [2, 1]]\nvelocity: [-1, 0]\n", "4:4", ""},
        {"contacts: [{}]\nW: [[0, 0], [0, 1]]\nvelocity: [-1, 0]\n", "3:12", "cannot move"},
        {"contacts: [{}]\nW: [[1, 0], [0, 1]]\nb: [-1, 0]\n", "5:1", "unknown key \"b\""},
        {"contacts: [{slip: 1}]\n", "3:13", "unknown key \"slip\""},
        {"contacts: [{friction: -1}]\n", "3:23", "≥ 0"},
        {"contacts: [{restitution: 2}]\n", "3:26", "in 0 … 1"},
        {"contacts: [{kind: limit, friction: 1}]\n", "3:26", "a limit has no friction"},
        {"contacts: [{kind: guide}]\n", NULL, "kind must be contact or limit"},
        {"contacts: [{exponent: 0.5}]\n", NULL, "exponent must be in 1 … 10"},
        {"contacts: [{}]\nmass: [1]\nJ: [[1], [0]]\nvelocity: [-1, 0]\ngeneralized-velocity: "
         "[1]\n",
         "6:1", "one of them"},
        {"contacts: [{}]\nmass: [1]\nJ: [[1], [0]]\nW: [[1]]\nvelocity: [-1, 0]\n", NULL,
         "not both"},
        {"dimension: 4\ncontacts: [{}]\n", "3:12", "must be 2 or 3"},
        {"dimension: 3\ncontacts: [{}]\nW: [[1, 0], [0, 1]]\nvelocity: [-1, 0]\n", NULL,
         "W must have 3 rows"},
        {"W: [[.inf, 0], [0, 1]]\nvelocity: [-1, 0]\ncontacts: [{}]\n", NULL, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text, "sprag: 1\nproblem: impact\n%s", cases[i].text);
        refuse(context, text, cases[i].position, cases[i].fragment);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),           cmocka_unit_test(test_refused_forms),
        cmocka_unit_test(test_materials),       cmocka_unit_test(test_many_points),
        cmocka_unit_test(test_default_scheme),  cmocka_unit_test(test_bare),
        cmocka_unit_test(test_masses),          cmocka_unit_test(test_space),
        cmocka_unit_test(test_refused_impacts),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
