// Numbers, units and formulas, through the parameters of a scene.
#include "scene_support.h"

static const double PI = 3.14159265358979323846;

// Value of one parameter x, with a few others in scope.
static double value_of(SpragContext *context, const char *formula)
{
    char text[1024];
    snprintf(text, sizeof text,
             "sprag: 1\nbodies: []\nparameters:\n  x: \"%s\"\n  k: 2*n\n  n: 3\n  L: 5 mm\n"
             "  theta: 30 deg\n  µ: 0.25\n",
             formula);
    SpragScene *scene = read_good(context, text);
    double value = sprag_scene_model(scene)->parameters[0].value;
    sprag_scene_destroy(scene);
    return value;
}

static const struct {
    const char *formula;
    double value;
} FORMULAS[] = {
    {"1", 1},
    {"1e7", 1e7},
    {"1E-3", 1e-3},
    {".5", 0.5},
    {"5.", 5},
    {"-2^2", -4},
    {"2^-1", 0.5},
    {"2^3^2", 512},
    {"2**3", 8},
    {"(-2)^2", 4},
    {"1 - 2 - 3", -4},
    {"12/3/2", 2},
    {"2*3+4*5", 26},
    {"2+3*4^2", 50},
    {"--3", 3},
    {"-(1+2)*3", -9},
    {"+4", 4},
    {"pi", 3.14159265358979323846},
    {"k", 6},
    {"k/n", 2},
    {"µ*4", 1},
    {"sin(pi/6)", 0.5},
    {"cos(60 deg)", 0.5},
    {"tan(45deg)", 1},
    {"sin(theta)", 0.5},
    {"asin(1)", 1.5707963267948966},
    {"acos(-1)", 3.14159265358979323846},
    {"atan(1)", 0.7853981633974483},
    {"atan2(1, -1)", 2.356194490192345},
    {"sqrt(2)", 1.4142135623730951},
    {"exp(1)", 2.718281828459045},
    {"log(10)", 2.302585092994046},
    {"abs(-3)", 3},
    {"min(3, 1, 2)", 1},
    {"max(3, 1, 2)", 3},
    {"min( L , 1 cm )", 5e-3},
    {"42.3 deg", 0.7382742735936013},
    {"70deg", 1.2217304763960306},
    {"70°", 1.2217304763960306},
    {"0.1 mm", 1e-4},
    {"5 N/mm", 5e3},
    {"210 GPa", 2.1e11},
    {"60 Hz", 60},
    {"300 rpm", 31.415926535897931},
    {"1 rev", 6.283185307179586},
    {"2 min", 120},
    {"3 µm", 3e-6},
    {"3 um", 3e-6},
    {"4 g/cm^3", 4000},
    {"4 g/cm³", 4000},
    {"1 kg m^2", 1},
    {"1 kg*m²/s^2", 1},
    {"7 N s/m", 7},
    {"7 N/(mm s)", 7000},
    {"2 mm*sin(pi/6)", 1e-3},
    {"2 mm*min(3,4)", 6e-3},
    {"2*L", 1e-2},
    {"L + 1 mm", 6e-3},
    {"L + 0.001", 6e-3},
    {"(2 mm)^2", 4e-6},
    {"2 mm^2", 2e-6},
    {"sqrt(4 mm^2)", 2e-3},
    {"1 m/s", 1},
    {"10 m/2", 5},
    {"1/(2 s)", 0.5},
    {"9.81 m/s^2", 9.81},
    {"3 N·m", 3},
    {"5 N m", 5},
    {"1 m/s^-1", 1},
    {" 3 ", 3},
    {"6 N/(2*3)", 1},
    {"6 N/(n)", 2},
    {"2 s^0.5*3", 6},
    {"1e7 N/m^1.5", 1e7},
    {"4 cm^0.5", 0.4},
    {"(4 m)^0.5", 2},
    {"8 m/(2 m)", 4},
    {"3 m^2/2 m", 1.5},
};

static void test_formulas(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    for (size_t i = 0; i < sizeof FORMULAS / sizeof *FORMULAS; i++) {
        double value = value_of(context, FORMULAS[i].formula);
        // each is a handful of roundings
        if (!(fabs(value - FORMULAS[i].value) <= 4e-16 * fmax(1, fabs(FORMULAS[i].value))))
            fail_msg("%s: %.17g, expected %.17g", FORMULAS[i].formula, value, FORMULAS[i].value);
    }
    sprag_context_destroy(context);
}

static void test_refused_formulas(void **state)
{
    (void)state;
    const struct {
        const char *formula, *fragment;
    } cases[] = {
        {"1/0", "division by zero"},
        {"0^-1", "division by zero"},
        {"1/(2-2)", "division by zero"},
        {"sqrt(-1)", "sqrt of -1"},
        {"asin(2)", "asin of 2"},
        {"log(0)", "log of 0"},
        {"(-1)^0.5", "fractional power"},
        {"1e999", "too large"},
        {"1e200*1e200", "too large"},
        {"exp(1000)", "too large"},
        {"10^400", "too large"},
        {"nan", "finite"},
        {".nan", "finite"},
        {".inf", "finite"},
        {"-.inf", "finite"},
        {"inf", "finite"},
        {"t", "may not vary in time"},
        {"2*t", "may not vary in time"},
        {"foo", "\"foo\" is no parameter"},
        {"thta", "did you mean \"theta\"?"},
        {"5 parsec", "unexpected \"parsec\""},
        {"mm", "must follow a number"},
        {"1 +", "missing at the end"},
        {"1 2", "unexpected \"2\""},
        {"(1", "closing bracket"},
        {"sin(1", "closing bracket"},
        {"1)", "unexpected \")\""},
        {"sin()", "unexpected"},
        {"sin(1, 2)", "takes one number"},
        {"atan2(1)", "takes two numbers"},
        {"min(1)", "two or more"},
        {"sin 1", "\"sin\" is no parameter"},
        {"0x10", "decimal"},
        {"1_000", "unexpected"},
        {"L + theta", "joined with"},
        {"min(L, theta)", "joined with"},
        {"sin(L)", "without unit"},
        {"exp(L)", "without unit"},
        {"2^L", "exponent"},
        {"$", "unexpected"},
        {"1,2", "unexpected"},
        {"2 m^x", "the exponent of a unit"},
        {"2 m^(3)", "the exponent of a unit"},
        {"2 m^2^2", "the exponent of a unit"},
    };
    SpragContext *context = test_context();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "sprag: 1\nbodies: []\nparameters:\n  L: 5 mm\n  theta: 30 deg\n  x: \"%s\"\n",
                 cases[i].formula);
        refuse(context, text, "6:6", cases[i].fragment);
    }
    sprag_context_destroy(context);
}

static void test_kinds(void **state)
{
    (void)state;
    // one body whose mass, position and angle are given; only those of the right kind pass
    const struct {
        const char *mass, *x, *angle, *fragment; // NULL: good
    } cases[] = {
        {"2", "1", "0.5", NULL},
        {"2 kg", "1 cm", "30 deg", NULL},
        {"2 g", "L", "theta", NULL},
        {"plain", "plain", "plain", NULL},
        {"plain*L", "1", "0", NULL},
        {"5 mm", "1", "0", "mass must be a mass (kg), got 5 mm, a length (m)"},
        {"L", "1", "0", "mass must be a mass"},
        {"2*L", "1", "0", "mass must be a mass"},
        {"1", "theta", "0", "position must be a length (m), got theta, an angle"},
        {"1", "1 s", "0", "position must be a length"},
        {"1", "1", "1 m", "angle must be an angle"},
        {"1", "1 m/s*2 s", "0", NULL},
        {"1", "theta*L", "0", NULL},
        {"1", "sqrt(L*L)", "atan2(L, 1 m)", NULL},
    };
    SpragContext *context = test_context();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "sprag: 1\nparameters: {L: 5 mm, theta: 30 deg, plain: 2}\nbodies:\n"
                 "  - {name: b, inertia: 1, mass: \"%s\", position: [\"%s\", 0], angle: \"%s\"}\n",
                 cases[i].mass, cases[i].x, cases[i].angle);
        if (cases[i].fragment)
            refuse(context, text, NULL, cases[i].fragment);
        else
            sprag_scene_destroy(read_good(context, text));
    }
    refuse(context,
           "sprag: 1\nparameters: {m: 2, L: 3}\nbodies:\n  - {name: b, mass: 1, inertia: 1,\n"
           "     position: [2 N/m, 0]}\n",
           "5:17", "is a unit and a parameter");
    refuse(context, "sprag: 1\nbodies: []\nmaterials: {default: {friction: 30 deg}}\n", "3:33",
           "friction must be a number without unit, got 30 deg, an angle");
    sprag_context_destroy(context);
}

static void test_parameters(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScene *scene = read_good(context, "sprag: 1\nbodies: []\nparameters:\n  a: b + 1\n"
                                           "  b: {value: 2*c, from: 0, to: 10}\n  c: 3\n");
    const SpragModel *model = sprag_scene_model(scene);
    assert_int_equal(model->parameter_count, 3);
    assert_string_equal(model->parameters[1].name, "b");
    assert_true(model->parameters[0].value == 7 && model->parameters[1].value == 6);
    assert_true(model->parameters[1].has_range && model->parameters[1].to == 10);
    assert_false(model->parameters[0].has_range);
    sprag_scene_destroy(scene);
    scene = read_good(context, "sprag: 1\nbodies: []\nparameters:\n"
                               "  a: {value: 30 deg, from: 0 deg, to: 90 deg}\n");
    assert_close(sprag_scene_model(scene)->parameters[0].to, PI / 2, 1e-15);
    sprag_scene_destroy(scene);
    const struct {
        const char *line, *position, *fragment;
    } bad[] = {
        {"a: a", "4:6", "depends on itself"},
        {"a: b, b: c, c: a", NULL, "depends on itself"},
        {"sin: 1", "4:3", "has a meaning"},
        {"t: 1", "4:3", "has a meaning"},
        {"a-b: 1", "4:3", "letters, digits and _"},
        {"3a: 1", "4:3", "begin with a letter"},
        {"on: 1", "4:3", "is reserved"},
        {"a: [1]", "4:6", "a must be a number, got a list"},
        {"a:", NULL, "got nothing"},
        {"a: {from: 1}", "4:6", "needs a value"},
        {"a: {value: 1, from: 1}", "4:6", "both from and to"},
        {"a: {value: 1, from: 2, to: 1}", NULL, "from must be less than to"},
        {"a: {value: 1, form: 2}", "4:17", "did you mean \"from\"?"},
        {"a: {value: 1 m, from: 1 s, to: 2 s}", NULL, "from must be a length"},
        {"a: 1e31", NULL, "1e30"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[256];
        snprintf(text, sizeof text, "sprag: 1\nbodies: []\nparameters:\n  %s\n", bad[i].line);
        if (strchr(bad[i].line, ',') && !strchr(bad[i].line, '{'))
            snprintf(text, sizeof text, "sprag: 1\nbodies: []\nparameters: {%s}\n", bad[i].line);
        refuse(context, text, bad[i].position, bad[i].fragment);
    }
    sprag_context_destroy(context);
}

static void test_long_chains(void **state)
{
    (void)state;
    // parameters of parameters, brackets and signs: bounded depth, one clear error, no overflow
    SpragContext *context = test_context();
    SpragText text;
    sprag_text_init(&text, context);
    sprag_text_add(&text, "sprag: 1\nbodies: []\nparameters:\n");
    for (int i = 0; i < 5000; i++)
        sprag_text_add(&text, "  p%d: p%d\n", i, i + 1);
    sprag_text_add(&text, "  p5000: 1\n");
    refuse(context, text.bytes, NULL, "too many levels");
    const char *const repeated[] = {"(", "-", "2^", "sin("};
    for (size_t k = 0; k < 4; k++) {
        sprag_text_destroy(&text);
        sprag_text_add(&text, "sprag: 1\nbodies: []\nparameters:\n  a: '");
        for (int i = 0; i < 100000; i++)
            sprag_text_add(&text, "%s", repeated[k]);
        sprag_text_add(&text, "1'\n");
        refuse(context, text.bytes, "4:6", "too many levels");
    }
    sprag_text_destroy(&text);
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),    cmocka_unit_test(test_refused_formulas),
        cmocka_unit_test(test_kinds),       cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_long_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
