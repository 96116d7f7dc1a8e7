// Problem files of drives: what is read, inputs that vary in time, what is refused.
#include "scene_support.h"

#define HEAD "sprag: 1\nproblem: scalar\na: 1\nc: 1\n"

// Formulas of t against C, and nothing is allocated.
static void test_formulas(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    const struct {
        const char *text;
        double at_2; // t = 2
    } cases[] = {
        {"-t", -2},
        {"3 - 2*t", -1},
        {"-t^2", -4},
        {"2^-t", 0.25},
        {"2^t^2", 16},
        {"5 - 3 - t", 0},
        {"12/(2 + t)/3", 1},
        {"min(t, 5, 1.5)", 1.5},
        {"max(t, 1)", 2},
        {"atan2(t, 1)", 1.1071487177940904},
        {"abs(-t) + sqrt(t)", 3.4142135623730951},
        {"0.2*sin(2*pi*t/8)", 0.2},
        {"p*t + (1 + t)*(1 - t)", 3},
        {"2 N*m*cos(t - 2)", 2},
        {"+t - -t", 4},
        {"7", 7},
        {"exp(log(1 + t))", 3},
        {"{table: [[0, 1], [1, 3], [3, 7]]}", 5},
        {"{table: [[0, 1], [1, 3]]}", 3},
        {"{table: [[3, 8], [4, 3]], smooth: false}", 8},
        {"{table: [[0, 0], [1, 1], [3, 3]], smooth: true}", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text, HEAD "parameters: {p: 3}\ninput: %s\n", cases[i].text);
        SpragScene *scene = read_good(context, text);
        uint64_t before = sprag_context_allocation_count(context);
        double value = sprag_scene_input(scene, 0, 2);
        assert_true(sprag_context_allocation_count(context) == before);
        if (fabs(value - cases[i].at_2) > 1e-14 * (1 + fabs(value)))
            fail_msg("%s at 2: %.17g, expected %.17g", cases[i].text, value, cases[i].at_2);
        bool varies = strstr(cases[i].text, "t") != NULL;
        assert_true(sprag_scene_drive(scene)->input_varies == varies);
        assert_close(sprag_scene_drive(scene)->state.input[0], sprag_scene_input(scene, 0, 0), 0);
        sprag_scene_destroy(scene);
    }
    sprag_context_destroy(context);
}

static void test_kinds(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScene *scene = read_good(
        context, HEAD "b: 2\nd: -3\nfriction: 0.5\nvelocity: 1\nposition: 4\ninput: 7\n"
                      "stiffness: 1e4\ndamping: 3\nsimulate: {until: 2, motion: compliant}\n");
    const SpragSceneDrive *drive = sprag_scene_drive(scene);
    assert_int_equal(sprag_scene_kind(scene), SPRAG_SCENE_SCALAR);
    assert_true(drive->scalar.b == 2 && drive->scalar.d == -3 && drive->pair.friction == 0.5);
    assert_true(drive->state.velocity == 1 && drive->state.position == 4);
    assert_true(drive->pair.stiffness == 1e4 && drive->simulate.until == 2);
    assert_null(sprag_scene_model(scene));
    assert_null(sprag_scene_guides(scene, NULL));
    sprag_scene_destroy(scene);
    scene = read_good(context, "sprag: 1\nproblem: screw\ninertia: 1e-3\nmass: 2\nlead: 1 mm/rad\n"
                               "helix: 10 deg\nfriction: 0.1\nvelocity: 60 rpm\n"
                               "stiffness: {axial: 1e6, torsional: 2}\n");
    drive = sprag_scene_drive(scene);
    assert_close(drive->screw.lead, 1e-3, 1e-18);
    assert_close(drive->state.velocity, 2 * 3.14159265358979 * 1e-3, 1e-15);
    assert_close(drive->pair.stiffness, 1e-3 / (1e-6 + 1e-6 / 2), 1e-9);
    sprag_scene_destroy(scene);
    scene =
        read_good(context, "sprag: 1\nproblem: transmission\na: [1, 2]\nc: [1, -1]\nd: [1, 0.5]\n"
                           "ratio: {value: 3, slope: 2, curvature: 1}\nposition: 5\n"
                           "input: [t, {table: [[0, 0], [0.5, 1]]}]\n");
    drive = sprag_scene_drive(scene);
    double g[3];
    sprag_pair_ratio(&drive->pair, 6, g);
    assert_true(g[0] == 5.5 && g[1] == 3 && g[2] == 1);
    int count;
    const double *breaks = sprag_scene_input_breaks(scene, &count);
    assert_true(count == 2 && breaks[1] == 0.5 && sprag_scene_input(scene, 1, 0.25) == 0.5);
    sprag_scene_destroy(scene);
    scene = read_good(context, "sprag: 1\nproblem: scalar\na: [[1]]\nc: [[1], [2]]\nd: [1, 2]\n"
                               "directions: [[1, 1]]\nfriction: [0.1, 0.2]\n");
    const SpragGuides *guides = sprag_scene_guides(scene, NULL);
    assert_true(guides->n == 1 && guides->m == 2 && guides->C[1] == 2);
    assert_null(sprag_scene_drive(scene));
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

static void test_refused(void **state)
{
    (void)state;
    const struct {
        const char *text, *position, *fragment;
    } cases[] = {
        {HEAD "input: 1/t\n", "5:8", "division by zero"},
        {HEAD "input: u\n", "5:8", "\"u\" is no parameter"},
        {HEAD "input: 2 m + 1 s*t + 3 kg\n", "5:8", "is joined with"},
        {HEAD "input: {tabel: []}\n", "5:9", "unknown key"},
        {HEAD "input: {table: []}\n", "5:16", "at least 1 rows"},
        {HEAD "input: {table: [[0, 1], [0, 2]]}\n", "5:25", "must ascend"},
        {HEAD "input: {table: [[0, 1, 2]]}\n", "5:17", "list of 2"},
        {HEAD "input: {table: no-such.csv, column: x}\n", "5:16", "cannot be read"},
        {HEAD "input: {smooth: true}\n", "5:8", "needs table"},
        {HEAD "input: [1]\n", "5:8", "input must be a number"},
        {HEAD "input:\n", NULL, "input must be a number"},
        {HEAD "velocity: t\n", "5:11", "may not vary in time"},
        {HEAD "parameters: {p: t}\ninput: p\n", NULL, "may not vary in time"},
        {HEAD "stiffness: 0\n", "5:12", "> 0"},
        {HEAD "directions: [[1]]\n", "5:1", "several guides"},
        {HEAD "stiffness: {axial: 1, torsional: 2}\n", "5:12", "one stiffness"},
        {"sprag: 1\nproblem: scalar\na: [[1]]\nc: [[1], [2]]\n", "4:4", "need directions"},
        {"sprag: 1\nproblem: scalar\na: []\nc: []\n", "3:4", "1 to 16"},
        {"sprag: 1\nproblem: scalar\na: [[1]]\nc: [[1]]\nstiffness: 0\n", "5:12", "> 0"},
        {"sprag: 1\nproblem: scalar\na: [[1]]\nc: [[1]]\nstiffness: [1, 2]\n", "5:12",
         "a number or a list of 1, got 2"},
        {"sprag: 1\nproblem: scalar\na: [[1]]\nc: [[1]]\ndamping: -1\n", "5:10", "0"},
        {"sprag: 1\nproblem: scalar\na: [[1]]\nc: [[1]]\ninput: [t, 1]\n", "5:8", "got 2"},
        {"sprag: 1\nproblem: scalar\na: [[1]]\nc: [[1]]\nposition: 1\n", "5:11", "list"},
        {"sprag: 1\nproblem: scalar\na: [[1]]\nc: [[1]]\nsimulate: {until: -1}\n", "5:19", "0"},
        {"sprag: 1\nproblem: scalar\na: [[1, 2]]\nc: [[1]]\n", "3:5", "1 number, got 2"},
        {"sprag: 1\nproblem: screw\ninertia: 1\nmass: 0\n", "4:7", "> 0"},
        {"sprag: 1\nproblem: screw\ninertia: 1\nmass: 1\nlead: -1 mm/rad\nhelix: 0.1\n", "5:7",
         "> 0"},
        {"sprag: 1\nproblem: screw\ninertia: 1\nmass: 1\nlead: 1\nhelix: 0.1\ninput: [1, 2]\n",
         "7:8", "input must be a number"},
        {"sprag: 1\nproblem: transmission\na: [1, 1]\nc: [1, -1]\nd: [0, 0]\nratio: 1\n", "2:10",
         "c_1 d_2 - c_2 d_1"},
        {"sprag: 1\nproblem: transmission\na: [1, 1]\nc: [1, -1]\nd: [1, 1]\nratio: 1\n"
         "slip: [1, -1]\n",
         "2:10", "slip must not vanish"},
        {"sprag: 1\nproblem: transmission\na: [1, 1]\nc: [1, -1]\nd: [1, 1]\nratio: {value: 1}\n",
         "6:8", "ratio needs slope"},
        {"sprag: 1\nproblem: transmission\na: [1, 1]\nc: [1, -1]\nd: [1, 1]\nratio: 1\ninput: 3\n",
         "7:8", "list of 2"},
    };
    SpragContext *context = test_context();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuse(context, cases[i].text, cases[i].position, cases[i].fragment);
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
