// Right-hand sides of arcs in which layers give all forces (motion_direct.c) against the general
// ones, which go through rows, responses and bias terms; and steps that were not searched for
// events (motion_watch.c) against many samples of their event functions.
#include <float.h>

#include "motion_private.h"
#include "support/runs.h"
#include "support/with_context.h"

// Rounding of sums of some ten numbers, each of a few operations on the largest one of its kind,
// times ten thousand for forces of layers that cancel in the accelerations of a body.
static const double ROUNDING = 1e-11;
// Jacobians are differences with increments of 1e-7 of the sizes of their components (0.1 or more),
// which magnify roundings of the rates, 1e-15 of the largest of them, by 1e8; a hundred times that.
static const double ROUNDING_OF_SLOPES = 1e-5;
enum { BODIES = 5, TEXT = 8000, MOST_SIZE = 6 * BODIES + WORK_COUNT + 2 * 64, MOST_OPEN = 400 };

typedef struct Scan {
    SpragRandom random;
    long compared, jacobians, powers, samples, directs, pieces, watched, apart;
    long laws[6]; // contacts by their friction laws
    double worst; // what ROUNDING bounds
} Scan;

// ---- Scenes -------------------------------------------------------------------------------------

static int add_shape(SpragRandom *random, bool round, char *text, size_t size)
{
    double a = sprag_random_uniform(random, 0.1, 0.3), b = sprag_random_uniform(random, 0.1, 0.3);
    switch (sprag_random_below(random, round ? 3 : 4)) {
    case 0:
        return snprintf(text, size, "circle: {radius: %.6f}", a);
    case 1:
        return snprintf(text, size, "rod: {length: %.6f}", 2 * a);
    case 2:
        return snprintf(text, size, "capsule: {length: %.6f, radius: %.6f}", a, 0.3 * b);
    default:
        return snprintf(text, size, "box: {size: [%.6f, %.6f]}", a, b);
    }
}

static const char *const LAWS[] = {"kelvin-voigt, stiffness: 2e4, damping: 12",
                                   "hunt-crossley, stiffness: 3e6, alpha: 0.3, exponent: 1.5",
                                   "hunt-crossley, stiffness: 2e7, alpha: 0.4, exponent: 2",
                                   "hunt-crossley, stiffness: 3e5, alpha: 0.2, exponent: 1.2"};
static const char *const FRICTION[] = {
    "friction: 0.3", "friction: {static: 0.5, kinetic: 0.3, stribeck: 0.2}",
    "friction: 0.4, friction-law: {law: tanh, speed: 0.05}",
    "friction: 0.4, friction-law: {law: lugre, stiffness: 3e3, damping: 2}", "friction: 0"};

// A layer and friction between a body and those that move: of these, all before it.
static int add_rule(SpragRandom *random, const char *name, char *text, size_t size)
{
    int used = 0, count = name[0] == 'b' && name[2] == 0 ? name[1] - '0' : BODIES;
    const char *law = LAWS[sprag_random_below(random, 4)];
    const char *friction = FRICTION[sprag_random_below(random, 5)];
    for (int i = 0; i < count; i++)
        used += snprintf(text + used, size - (size_t)used,
                         "  - {between: [%s, b%d], %s, compliance: {law: %s}}\n", name, i, friction,
                         law);
    return used;
}

// Bodies that fall on a belt, a step and a table that shakes, and on each other, with a spring and
// a load.
static void write_scene(SpragRandom *random, bool round, char *text)
{
    int used =
        snprintf(text, TEXT,
                 "sprag: 1\nbodies:\n"
                 "  - {name: belt, fixed: true, surface-velocity: [%.6f, 0],\n"
                 "     shapes: [{plane: {normal: [0.05, 1], offset: 0}}]}\n"
                 "  - {name: step, fixed: true, position: [%.6f, 0.1], angle: 0.1,\n"
                 "     shapes: [{box: {size: [0.5, 0.3]}}]}\n"
                 "  - {name: table, fixed: true, position: [%.6f, 0.2], shapes: [{box: {size: "
                 "[0.8, 0.2]}}],\n"
                 "     drive: {position: [0, \"0.01*sin(40*t)\"], angle: \"0.02*sin(30*t)\"}}\n",
                 sprag_random_uniform(random, -0.5, 0.5), round ? 50 : 0.4, round ? -50 : -1.2);
    for (int i = 0; i < BODIES; i++) {
        used += snprintf(
            text + used, TEXT - (size_t)used,
            "  - {name: b%d, mass: %.6f, inertia: %.6f, position: [%.6f, %.6f], angle: %.6f,\n"
            "     velocity: [%.6f, %.6f], spin: %.6f, sites: {push: [0.05, 0.02]}, shapes: [{",
            i, sprag_random_uniform(random, 0.5, 2), sprag_random_uniform(random, 0.001, 0.004),
            -1.3 + 0.6 * i, sprag_random_uniform(random, 0.6, 0.9),
            sprag_random_uniform(random, -3, 3), sprag_random_uniform(random, -1, 1),
            sprag_random_uniform(random, -1, 0.5), sprag_random_uniform(random, -3, 3));
        used += add_shape(random, round, text + used, TEXT - (size_t)used);
        used += snprintf(text + used, TEXT - (size_t)used, "}]}\n");
    }
    used += snprintf(text + used, TEXT - (size_t)used,
                     "joints: [{name: spring, type: distance, between: [b0.com, b1.com], length: "
                     "0.5,\n  spring: {stiffness: 20, damping: 0.3}}]\n"
                     "loads: [{body: b2, at: b2.push, force: [1, 0.5], frame: body}]\n"
                     "contacts:\n");
    used += add_rule(random, "belt", text + used, TEXT - (size_t)used);
    used += add_rule(random, "step", text + used, TEXT - (size_t)used);
    used += add_rule(random, "table", text + used, TEXT - (size_t)used);
    for (int i = 1; i < BODIES; i++) {
        char name[] = {'b', (char)('0' + i), 0};
        used += add_rule(random, name, text + used, TEXT - (size_t)used);
    }
    assert_in_range(used, 1, TEXT - 1);
}

// ---- Comparisons --------------------------------------------------------------------------------

// Entries from … to of two vectors, against the largest of them.
static void compare(Scan *scan, const double *a, const double *b, int from, int to)
{
    double size = 1;
    for (int i = from; i < to; i++)
        size = fmax(size, fabs(b[i]));
    for (int i = from; i < to; i++) {
        scan->worst = fmax(scan->worst, fabs(a[i] - b[i]) / size);
        assert_close(a[i], b[i], ROUNDING * size);
    }
}

static void compare_jacobians(Scan *scan, SpragRun *run, double t, const double *y)
{
    static double direct[MOST_SIZE * MOST_SIZE], general[MOST_SIZE * MOST_SIZE];
    double rates[MOST_SIZE];
    size_t bytes = (size_t)run->size * (size_t)run->size * sizeof *direct;
    memset(direct, 0, bytes);
    memset(general, 0, bytes);
    assert_int_equal(layers_jacobian(t, y, direct, run), 0);
    run->frozen.direct = false;
    assert_int_equal(layers_jacobian(t, y, general, run), 0);
    assert_int_equal(modes_derivative(t, y, rates, run), 0);
    run->frozen.direct = true;
    for (int i = 0; i < run->size; i++) {
        double size = 1;
        for (int j = 0; j < run->size; j++)
            size = fmax(size, fabs(rates[j]));
        for (int j = 0; j < run->size; j++)
            size = fmax(size, fabs(general[i * run->size + j]));
        for (int j = 0; j < run->size; j++)
            assert_close(direct[i * run->size + j], general[i * run->size + j],
                         ROUNDING_OF_SLOPES * size);
    }
    scan->jacobians++;
}

// What moving surfaces give follows the layers: nothing depends on it, but an iteration of the
// implicit method that does not know so leaves it one increment behind. Against central
// differences, whose own errors are far less than those of the Jacobian: increments of 1e-5 of a
// depth change a power of it by 1e-10 beyond its slope. A power of moving surfaces is a sum of a
// few terms, of some roundings each, and its difference over a tiny depth has these.
static void compare_surface_powers(Scan *scan, SpragRun *run, double t, double *y)
{
    static double jacobian[MOST_SIZE * MOST_SIZE];
    double rates[2][MOST_SIZE], slopes[MOST_SIZE], rounding[MOST_SIZE], size = 1;
    int at = WORK_AT(run) + WORK_ACTUATION;
    const double *row = jacobian + at * run->size;
    memset(jacobian, 0, (size_t)run->size * (size_t)run->size * sizeof *jacobian);
    assert_int_equal(layers_jacobian(t, y, jacobian, run), 0);
    for (int j = 0; j < run->size; j++) {
        double old = y[j], step = 1e-5 * (j < WORK_AT(run) ? fmax(fabs(old), 0.1) : fabs(old));
        for (int k = 0; k < 2; k++) {
            y[j] = old + (k == 0 ? step : -step);
            modes_outdate(run);
            assert_int_equal(modes_derivative(t, y, rates[k], run), 0);
        }
        y[j] = old;
        slopes[j] = step > 0 ? (rates[0][at] - rates[1][at]) / (2 * step) : row[j];
        rounding[j] = step > 0 ? 8 * DBL_EPSILON * fabs(rates[0][at]) / step : 0;
        size = fmax(size, fmax(fabs(slopes[j]), fabs(rates[0][j])));
    }
    for (int j = 0; j < run->size; j++)
        assert_close(row[j], slopes[j], ROUNDING_OF_SLOPES * size + rounding[j]);
    for (int j = WORK_AT(run) + WORK_COUNT; j < run->size; j++)
        scan->powers += fabs(slopes[j]) > 0.1 * size;
}

// Both right-hand sides at a state near one of the run.
static void compare_rates(Scan *scan, SpragRun *run, double t, double *y)
{
    double direct[MOST_SIZE], general[MOST_SIZE];
    const Frozen *f = &run->frozen;
    for (int i = 0; i < run->size; i++) {
        double part = i < run->m ? 1e-4 : 0.1;
        y[i] *= 1 + sprag_random_uniform(&scan->random, -part, part);
    }
    modes_outdate(run);
    assert_int_equal(modes_derivative(t, y, direct, run), 0);
    bool still = !run->now.directly;
    run->frozen.direct = false;
    modes_outdate(run);
    assert_int_equal(modes_derivative(t, y, general, run), 0);
    run->frozen.direct = true;
    modes_outdate(run);
    compare(scan, direct, general, 0, run->m);
    compare(scan, direct, general, run->m, WORK_AT(run));
    compare(scan, direct, general, WORK_AT(run), WORK_AT(run) + WORK_COUNT);
    compare(scan, direct, general, WORK_AT(run) + WORK_COUNT, run->size);
    scan->compared += !still && f->active_count > 0;
    for (int i = 0; i < f->active_count; i++)
        scan->laws[run->law[f->active[i]].kind]++;
}

// What stands for gaps of bodies far from each other is no more than they are, and positive.
static void compare_gaps(Scan *scan, SpragRun *run, double t, const double *y)
{
    const Frozen *f = &run->frozen;
    static double gaps[MOST_OPEN];
    assert_in_range(f->open_count, 0, MOST_OPEN);
    SpragSystemSample sample = {.gap = gaps};
    assert_ok(context, near_gaps(run, t, y));
    assert_ok(context,
              sprag_system_sample(run->system, t, y, y + run->m, f->open_count, f->open, &sample));
    for (int i = 0; i < f->open_count; i++) {
        bool same = run->probe_gap[i] == gaps[i];
        // of two circles they are equal, to roundings
        double most = gaps[i] + ROUNDING * fabs(gaps[i]);
        assert_true(same || (run->probe_gap[i] > 0 && run->probe_gap[i] <= most));
        scan->apart += !same;
    }
}

// No function that is above its zero at both ends of a piece is beyond it inside, by more than two
// hundredths of its range: a dense output is good to some tolerances of the step, far less than
// that. (The slip of a smooth law may be; there its sign has no consequences.)
static void look_inside(Scan *scan, SpragRun *run, double from, double to)
{
    enum { LOOKS = 40 };
    const Frozen *f = &run->frozen;
    static double values[LOOKS + 1][MOST_FUNCTIONS(64)];
    for (int k = 0; k <= LOOKS; k++) {
        double t = k == LOOKS ? to : from + (to - from) * k / LOOKS;
        assert_ok(context, sprag_integrator_evaluate(run->integrator, t, run->scratch));
        assert_ok(context, events_values(run, t, run->scratch, values[k]));
        if (k % 20 == 0)
            compare_gaps(scan, run, t, run->scratch);
        scan->samples++;
    }
    for (int i = 0; i < f->function_count; i++) {
        double least = INFINITY, most = -INFINITY;
        for (int k = 0; k <= LOOKS; k++) {
            least = fmin(least, values[k][i]);
            most = fmax(most, values[k][i]);
        }
        if (f->functions[i].kind != FUNCTION_REVERSAL && values[0][i] > f->zeros[i] &&
            values[LOOKS][i] > f->zeros[i])
            assert_true(least > -0.02 * (most - least));
    }
}

static int on_piece(SpragRun *run, double from, double to, void *user)
{
    Scan *scan = user;
    double y[MOST_SIZE];
    scan->pieces++;
    if (!run->frozen.direct)
        return 0;
    assert_in_range(run->size, 1, MOST_SIZE);
    scan->directs++;
    scan->watched += !run->frozen.surfaces && run->frozen.active_count > 0;
    look_inside(scan, run, from, to);
    double t = sprag_random_uniform(&scan->random, from, to);
    assert_ok(context, sprag_integrator_evaluate(run->integrator, t, y));
    compare_rates(scan, run, t, y);
    if (scan->directs % 16 == 0) {
        compare_jacobians(scan, run, t, y);
        compare_surface_powers(scan, run, t, y);
        // surfaces that part: forces are not clipped within an arc, and their slopes go on
        for (int i = run->m; i < run->m + run->n; i++)
            y[i] *= -3;
        compare_surface_powers(scan, run, t, y);
    }
    modes_outdate(run);
    return 0;
}

static void test_random_scenes(void **state)
{
    (void)state;
    Scan scan = {0};
    sprag_random_init(&scan.random, 23);
    for (int draw = 0; draw < test_draws(12); draw++) {
        char text[TEXT];
        TestRun r;
        write_scene(&scan.random, draw % 3 == 0, text);
        test_run_open(&r, context, text);
        SpragRunSettings settings = sprag_run_default();
        SpragSink sink = {.piece = on_piece, .user = &scan};
        settings.motion = SPRAG_MOTION_COMPLIANT;
        settings.tolerance = pow(10, -4 - sprag_random_below(&scan.random, 6));
        assert_ok(context, sprag_run_create(r.system, &settings, &sink, &r.run));
        assert_ok(context, sprag_run_advance(r.run, 0.3, &r.outcome));
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        test_run_close(&r);
    }
    if (getenv("SPRAG_TEST_SHOW"))
        print_message("%ld pieces, %ld direct, %ld compared (worst %.1e), %ld Jacobians, %ld "
                      "samples, %ld watched\n",
                      scan.pieces, scan.directs, scan.compared, scan.worst, scan.jacobians,
                      scan.samples, scan.watched);
    // that it has seen what it is about
    assert_true(scan.compared > 500 && scan.jacobians > 30 && scan.powers > 10 &&
                scan.watched > 300 && scan.apart > 1000);
    assert_true(scan.laws[SPRAG_FRICTION_COULOMB] > 100 && scan.laws[SPRAG_FRICTION_TANH] > 100 &&
                scan.laws[SPRAG_FRICTION_LUGRE] > 100);
}

// A load takes a disc off its layer for a short part of each of its periods, while steps are as
// long as the load permits: it lifts off once a period or more often, first at the time at which
// load and weight cancel.
static void test_short_lifts(void **state)
{
    (void)state;
    const double omega = 20 * 3.14159265358979323846, part = 1.002;
    TestRun r;
    test_run_open(
        &r, context,
        "sprag: 1\ngravity: [0, -10]\nbodies:\n"
        "  - {name: table, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"
        "  - {name: disc, mass: 1, position: [0, 0.1], shapes: [{circle: {radius: 0.1}}]}\n"
        "contacts: [{between: [disc, table], friction: 0,\n"
        "  compliance: {law: kelvin-voigt, stiffness: 1e8, damping: 1e4}}]\n"
        "loads: [{body: disc, force: [0, \"10.02*sin(20*pi*t)\"]}]\n");
    test_run_go_as(&r, SPRAG_MOTION_COMPLIANT, 1, 1e-5);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    for (int k = 0; k < 10; k++) {
        double nearest = INFINITY, t = (asin(1 / part) + 2 * 3.14159265358979323846 * k) / omega;
        for (int i = 0; i < r.event_count; i++)
            if (r.events[i].type == SPRAG_EVENT_LIFT_OFF)
                nearest = fmin(nearest, fabs(r.events[i].t - t));
        assert_true(nearest < 3e-4); // the layer follows its force within 1e-4 s (C/K)
    }
    test_run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_scenes),
                                       cmocka_unit_test(test_short_lifts)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
