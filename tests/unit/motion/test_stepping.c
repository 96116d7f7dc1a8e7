// Time stepping against the motion by events, conservation laws and closed forms.
#include "support/runs.h"
#include "support/with_context.h"

enum { MOST_POSITIONS = 64 };

static const char *const FALLING_ROD =
    "sprag: 1\n"
    "materials: {default: {friction: 0.27}}\n"
    "bodies:\n"
    "  - {name: table, fixed: true, shapes: [{plane: {normal: [0, 1], offset: 0}}]}\n"
    "  - {name: rod, mass: 0.088, inertia: 1.606176e-3, angle: 42.3 deg, shapes: [{rod: {length: "
    "0.468}}]}\n"
    "start: [{contact: rod.a-table, slip: 0}]\n";
static const char *const SLIDING_BLOCK =
    "sprag: 1\n"
    "materials: {default: {friction: 0.3}}\n"
    "bodies:\n"
    "  - {name: table, fixed: true, shapes: [{plane: {normal: [0, 1], offset: 0}}]}\n"
    "  - {name: box, density: 100, position: [0, 0.1], velocity: [1, 0], shapes: [{box: {size: "
    "[0.4, 0.2]}}]}\n";
static const char *const BOUNCING_BALL =
    "sprag: 1\n"
    "materials: {default: {friction: 0.2, restitution: 0.6}}\n"
    "bodies:\n"
    "  - {name: table, fixed: true, shapes: [{plane: {normal: [0, 1], offset: 0}}]}\n"
    "  - {name: ball, density: 100, position: [0, 1.1], velocity: [1, 0], shapes: [{circle: "
    "{radius: 0.1}}]}\n";
static const char *const LADDER =
    "sprag: 1\n"
    "materials: {default: {friction: 0.15}}\n"
    "bodies:\n"
    "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1], offset: 0}}]}\n"
    "  - {name: wall, fixed: true, shapes: [{plane: {normal: [1, 0], offset: 0}}]}\n"
    "  - {name: ladder, mass: 10, inertia: 7.5, angle: 120 deg, shapes: [{rod: {length: 3}}]}\n"
    "start: [{contact: ladder.a-floor}, {contact: ladder.b-wall}]\n";

static SpragRunSettings settings_of(SpragStepScheme scheme, double step)
{
    SpragRunSettings settings = sprag_run_default();
    settings.motion = step > 0 ? SPRAG_MOTION_STEPPING : SPRAG_MOTION_EVENTS;
    settings.scheme = scheme;
    settings.step = step;
    settings.threads = 1;
    settings.output_step = 0;
    return settings;
}

static void go_with(TestRun *r, const SpragRunSettings *settings, double until)
{
    SpragSink sink = test_run_sink(r);
    assert_ok(context, sprag_run_create(r->system, settings, &sink, &r->run));
    assert_ok(context, sprag_run_advance(r->run, until, &r->outcome));
    assert_int_equal(r->outcome, SPRAG_RUN_DONE);
}

// Final positions and velocities; returns how many.
static int final_state(const char *text, const SpragRunSettings *settings, double until, double *y)
{
    TestRun r;
    test_run_open(&r, context, text);
    go_with(&r, settings, until);
    int m = sprag_system_position_count(r.system), n = sprag_system_velocity_count(r.system);
    assert_true(m + n <= MOST_POSITIONS);
    memcpy(y, sprag_run_position(r.run), (size_t)m * sizeof *y);
    memcpy(y + m, sprag_run_velocity(r.run), (size_t)n * sizeof *y);
    test_run_close(&r);
    return m; // velocities follow
}

// Largest error of a position at the end.
static double error_at(const char *text, SpragStepScheme scheme, double step, double until,
                       const double *exact)
{
    double y[MOST_POSITIONS], worst = 0;
    SpragRunSettings settings = settings_of(scheme, step);
    int count = final_state(text, &settings, until, y);
    for (int i = 0; i < count; i++)
        worst = fmax(worst, fabs(y[i] - exact[i]));
    return worst;
}

// The error of a method of order one falls by 16 from h to h/16; where the time of an impact lies
// in its step changes the constant, so half of that is asked for.
static void check_order(const char *text, double until, double coarse)
{
    double exact[MOST_POSITIONS];
    SpragRunSettings events = settings_of(SPRAG_STEP_MOREAU_JEAN, 0);
    (void)final_state(text, &events, until, exact);
    for (int scheme = 0; scheme < 2; scheme++) {
        double first = 0, last = 0;
        for (int k = 0; k < 4; k++) { // impacts fall anywhere in a step: the worst of several
            double h = coarse * (1 + 0.13 * k);
            first = fmax(first, error_at(text, (SpragStepScheme)scheme, h, until, exact));
            last = fmax(last, error_at(text, (SpragStepScheme)scheme, h / 16, until, exact));
        }
        if (getenv("SPRAG_TEST_SHOW"))
            print_message("scheme %d: %.3g %.3g\n", scheme, first, last);
        assert_true(last < first / 8 || last < 1e-9);
        assert_true(last < coarse);
    }
}

static void stepping_converges_to_the_falling_rod(void **state)
{
    (void)state;
    check_order(FALLING_ROD, 0.3, 1e-3);
}

static void stepping_converges_to_a_block_that_stops(void **state)
{
    (void)state;
    check_order(SLIDING_BLOCK, 0.5, 1.1e-3); // it stops at 0.34 s
}

static void stepping_converges_to_a_bouncing_ball(void **state)
{
    (void)state;
    check_order(BOUNCING_BALL, 1, 1e-3); // two bounces
}

static void stepping_converges_to_a_ladder(void **state)
{
    (void)state;
    check_order(LADDER, 0.4, 1e-3);
}

static const char *const DOUBLE_PENDULUM =
    "sprag: 1\n"
    "bodies:\n"
    "  - {name: upper, mass: 1, inertia: 0.0833, position: [0.5, 0], shapes: [{rod: {length: "
    "1}}]}\n"
    "  - {name: lower, mass: 2, inertia: 0.1666, position: [1.5, 0], shapes: [{rod: {length: "
    "1}}]}\n"
    "joints:\n"
    "  - {name: shoulder, type: revolute, between: [world, upper.a], at: [0, 0]}\n"
    "  - {name: elbow, type: revolute, between: [upper.b, lower.a]}\n";
static const char *const LIMITED_PENDULUM =
    "sprag: 1\n"
    "bodies:\n"
    "  - {name: arm, mass: 1, inertia: 0.0833, position: [0.5, 0], shapes: [{rod: {length: 1}}]}\n"
    "joints:\n"
    "  - {name: hinge, type: revolute, between: [world, arm.a], at: [0, 0], limits: [-30 deg, 30 "
    "deg]}\n";
static const char *const SPATIAL_PENDULUM =
    "sprag: 1\n"
    "dimension: 3\n"
    "bodies:\n"
    "  - {name: brick, mass: 1, position: [0.5, 0, 0], velocity: [0, 0.5, 0], spin: [0, 0, 1], "
    "shapes: [{box: {size: [1, 0.2, 0.1]}}]}\n"
    "joints:\n"
    "  - {name: hook, type: ball, between: [world, brick], at: [0, 0, 0]}\n";

// Joints are held by velocities, and their positions repaired: the same order, and errors of h².
static void stepping_converges_with_joints(void **state)
{
    (void)state;
    check_order(DOUBLE_PENDULUM, 0.6, 1e-3);
    check_order(LIMITED_PENDULUM, 0.5, 1e-3);
    check_order(SPATIAL_PENDULUM, 0.5, 1e-3);
    double y[MOST_POSITIONS];
    SpragRunSettings settings = settings_of(SPRAG_STEP_MOREAU_JEAN, 1e-3);
    (void)final_state(DOUBLE_PENDULUM, &settings, 0.6, y);
    // the far end of the first rod from the near one of the second: errors are projected away
    double x = y[0] + cos(y[2]) / 2 - (y[3] - cos(y[5]) / 2);
    double z = y[1] + sin(y[2]) / 2 - (y[4] - sin(y[5]) / 2);
    assert_true(hypot(x, z) < 1e-9);
}

static double drift_of(const char *text, double step)
{
    TestRun r;
    SpragRunSettings settings = settings_of(SPRAG_STEP_MOREAU_JEAN, step);
    test_run_open(&r, context, text);
    go_with(&r, &settings, 1);
    double drift = fabs(sprag_run_drift(r.run));
    test_run_close(&r);
    return drift;
}

// The work of a drive is that of its impulses, counted once; what springs and dampers of joints
// take is known to second order.
static void work_of_joints_is_booked(void **state)
{
    (void)state;
    const char *driven = "sprag: 1\n"
                         "bodies: [{name: bar, mass: 2, inertia: 0.24, shapes: [{rod: {length: "
                         "1.2}}]}]\n"
                         "joints: [{name: pivot, type: revolute, between: [world, bar.a], at: [0, "
                         "0], drive: 0.5*sin(3*t)}]\n";
    const char *damped = "sprag: 1\n"
                         "bodies: [{name: bar, mass: 2, inertia: 0.24, shapes: [{rod: {length: "
                         "1.2}}]}]\n"
                         "joints: [{name: pivot, type: revolute, between: [world, bar.a], at: [0, "
                         "0], spring: {stiffness: 30, damping: 0.5}}]\n";
    assert_true(drift_of(driven, 1e-3) < 1e-11); // 1000 steps of rounding in some joules
    assert_true(drift_of(damped, 1e-3) < 1e-5);  // (ω h)² of some joules, ω = 6 rad/s
    assert_true(drift_of(damped, 5e-4) < 0.3 * drift_of(damped, 1e-3));
}

// ---- Conservation -------------------------------------------------------------------------------

static const char *const TWO_DISCS =
    "sprag: 1\n"
    "gravity: [0, 0]\n"
    "materials: {default: {friction: 0.4, restitution: 0.5}}\n"
    "bodies:\n"
    "  - {name: a, mass: 2, position: [-0.5, 0.05], velocity: [1, 0.1], spin: 3, shapes: [{circle: "
    "{radius: 0.1}}]}\n"
    "  - {name: b, mass: 1, position: [0.2, 0], velocity: [-0.5, 0], spin: -1, shapes: [{circle: "
    "{radius: 0.15}}]}\n";

static double angular_momentum(const double *q, const double *v)
{
    const double mass[2] = {2, 1}, inertia[2] = {2 * 0.1 * 0.1 / 2, 0.15 * 0.15 / 2};
    double sum = 0;
    for (int i = 0; i < 2; i++)
        sum += mass[i] * (q[3 * i] * v[3 * i + 1] - q[3 * i + 1] * v[3 * i]) +
               inertia[i] * v[3 * i + 2];
    return sum;
}

// Impulses are equal and opposite, so linear momentum is kept to rounding. The arms are those of
// the begin of the step: of the angular one a part of order h is missed.
static void collisions_keep_momentum(void **state)
{
    (void)state;
    double missed[2];
    for (int k = 0; k < 2; k++) {
        double y[MOST_POSITIONS];
        SpragRunSettings settings = settings_of(SPRAG_STEP_MOREAU_JEAN, k == 0 ? 1e-3 : 1e-4);
        int m = final_state(TWO_DISCS, &settings, 0.6, y);
        const double *v = y + m;
        const double q0[6] = {-0.5, 0.05, 0, 0.2, 0, 0}, v0[6] = {1, 0.1, 3, -0.5, 0, -1};
        assert_true(v[3] > 0); // they have met
        assert_close(2 * v[0] + v[3], 2 * 1 - 0.5, 1e-14);
        assert_close(2 * v[1] + v[4], 0.2, 1e-14);
        missed[k] = fabs(angular_momentum(y, v) - angular_momentum(q0, v0));
    }
    assert_true(missed[0] < 1e-3 && missed[1] < 2e-4);
}

static const char *const TUMBLER =
    "sprag: 1\n"
    "dimension: 3\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  - {name: brick, mass: 12, inertia: [1, 2, 3], spin: [0.1, 8, 0.1], shapes: [{box: {size: "
    "[1, 1, 1]}}]}\n";

// Free rotation about the middle axis: momentum to rounding, energy without a trend.
static void free_rotation_keeps_momentum_and_energy(void **state)
{
    (void)state;
    TestRun r;
    SpragRunSettings settings = settings_of(SPRAG_STEP_MOREAU_JEAN, 1e-3);
    const double L0[3] = {0.1, 16, 0.3}, inertia[3] = {1, 2, 3};
    test_run_open(&r, context, TUMBLER);
    go_with(&r, &settings, 20);
    const double *q = sprag_run_position(r.run), *v = sprag_run_velocity(r.run);
    SpragPose pose;
    sprag_pose_set(q, v, &pose);
    SpragVec3 own = sprag_mat3_apply_back(&pose.R, pose.w);
    SpragVec3 L = sprag_mat3_apply(
        &pose.R, sprag_vec3(inertia[0] * own.x, inertia[1] * own.y, inertia[2] * own.z));
    // 20000 steps with some roundings each
    assert_close(L.x, L0[0], 1e-9);
    assert_close(L.y, L0[1], 1e-9);
    assert_close(L.z, L0[2], 1e-9);
    // of second order in h |ω| = 8e-3, and it comes back
    const SpragRunSample *sample = sprag_run_sample(r.run);
    assert_close(sample->energy.kinetic, 0.5 * (0.01 + 128 + 0.03), 5e-3);
    test_run_close(&r);
}

static const char *const TUMBLING_BOXES =
    "sprag: 1\n"
    "materials: {default: {friction: 0.4}}\n"
    "bodies:\n"
    "  - {name: table, fixed: true, shapes: [{plane: {normal: [0, 1], offset: 0}}]}\n"
    "  - {name: a, density: 100, position: [0, 0.5], angle: 0.3, spin: 2, shapes: [{box: {size: "
    "[0.4, 0.2]}}]}\n"
    "  - {name: b, density: 50, position: [0.1, 1.1], angle: -0.5, spin: -5, shapes: [{box: {size: "
    "[0.3, 0.2]}}]}\n";

typedef struct Watch {
    double last, growth;
} Watch;

static void watch_energy(TestRun *r, const SpragRunSample *sample)
{
    Watch *watch = r->user;
    double energy = sample->energy.kinetic + sample->energy.potential;
    if (sample->t > 0)
        watch->growth = fmax(watch->growth, energy - watch->last);
    watch->last = energy;
}

// No step gains more than the C h² that the run prints; C does not grow as h falls, and where no
// forces are missing the account closes to rounding.
static void energy_grows_by_no_more_than_the_bound(void **state)
{
    (void)state;
    double bound[2];
    for (int k = 0; k < 2; k++) {
        double h = k == 0 ? 1e-3 : 2.5e-4;
        TestRun r;
        Watch watch = {0};
        SpragRunSettings settings = settings_of(SPRAG_STEP_MOREAU_JEAN, h);
        settings.output_step = h;
        test_run_open(&r, context, TUMBLING_BOXES);
        r.look = watch_energy;
        r.user = &watch;
        go_with(&r, &settings, 1);
        SpragSteppingStatistics statistics = sprag_run_stepping(r.run);
        assert_true(watch.growth <= statistics.energy_growth * h * h + 1e-12);
        assert_true(statistics.worst_residual < 1e-7);
        assert_true(statistics.penetration < 2e-2 * h / 1e-3 * 0.1);
        // springs and gyroscopes are not there: only rounding is left
        assert_true(fabs(sprag_run_drift(r.run)) < 1e-9);
        bound[k] = statistics.energy_growth;
        test_run_close(&r);
    }
    assert_true(bound[1] < 4 * bound[0] + 1);
}

// ---- Random scenes ------------------------------------------------------------------------------

// Discs thrown on a table and at each other. Their impacts are central, so that every law of impact
// is the same and events are exact: what differs is the error of stepping, some way per step.
static void random_throws_follow_the_events(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 10);
    for (int k = 0; k < 12; k++) {
        char text[1024];
        double exact[MOST_POSITIONS], y[MOST_POSITIONS], worst = 0;
        snprintf(text, sizeof text,
                 "sprag: 1\n"
                 "materials: {default: {friction: %.3f, restitution: {law: newton, e: %.2f}}}\n"
                 "bodies:\n"
                 "  - {name: table, fixed: true, shapes: [{plane: {normal: [0, 1], offset: 0}}]}\n"
                 "  - {name: a, density: 100, position: [0, 0.4], velocity: [%.4f, %.4f], spin: "
                 "%.4f, shapes: [{circle: {radius: 0.1}}]}\n"
                 "  - {name: b, density: 50, position: [0.5, 0.2], velocity: [%.4f, 0], spin: "
                 "%.4f, shapes: [{circle: {radius: 0.15}}]}\n",
                 sprag_random_uniform(&random, 0.05, 0.9), sprag_random_uniform(&random, 0, 0.6),
                 sprag_random_uniform(&random, 0, 2), sprag_random_uniform(&random, -1, 0),
                 sprag_random_uniform(&random, -10, 10), sprag_random_uniform(&random, -1, 0),
                 sprag_random_uniform(&random, -10, 10));
        SpragRunSettings events = settings_of(SPRAG_STEP_MOREAU_JEAN, 0);
        SpragRunSettings steps = settings_of(SPRAG_STEP_MOREAU_JEAN, 1e-4);
        (void)final_state(text, &events, 0.45, exact);
        int count = final_state(text, &steps, 0.45, y);
        for (int i = 0; i < count; i++)
            worst = fmax(worst, fabs(y[i] - exact[i]));
        if (getenv("SPRAG_TEST_SHOW"))
            print_message("throw %d: %.3g\n", k, worst);
        // an impact that comes a step late at 3 m/s and 20 rad/s, a few times
        assert_true(worst < 1e-2);
    }
}

// ---- Painlevé, settings -------------------------------------------------------------------------

// Runs a scene whose one contact is in a Painlevé configuration: told once, with this A.
static void assert_painleve(const char *text, const char *detail)
{
    TestRun r;
    SpragRunSettings settings = settings_of(SPRAG_STEP_STEWART_TRINKLE, 1e-3);
    test_run_open(&r, context, text);
    go_with(&r, &settings, 0.02);
    int told = 0;
    for (int i = 0; i < r.event_count; i++)
        told += r.events[i].type == SPRAG_EVENT_PAINLEVE;
    assert_int_equal(told, 1);
    assert_non_null(strstr(r.events[test_run_event(&r, SPRAG_EVENT_PAINLEVE, 0)].detail, detail));
    test_run_close(&r);
}

// The classical rod, pushed forward at μ = 2 where A < 0: the step goes through, and says so once.
static void a_painleve_configuration_is_told(void **state)
{
    (void)state;
    assert_painleve(
        "sprag: 1\n"
        "materials: {default: {friction: 2}}\n"
        "bodies:\n"
        "  - {name: table, fixed: true, shapes: [{plane: {normal: [0, 1], offset: 0}}]}\n"
        "  - {name: rod, mass: 1, inertia: 0.0833333, angle: 55 deg, spin: 0, shapes: "
        "[{rod: {length: 1}}]}\n"
        "start: [{contact: rod.a-table, slip: -1}]\n",
        "A = -");
}

// A ball around the centre of its body has no such configuration, theory.md (11.55); the tip of a
// body in space is a ball too, and has: A = 1 + x²/I - μ |x z|/I with the arm (x, z) = (-0.287,
// -0.41) of the contact, 1 + 0.98843 - 2.82408.
static void a_ball_off_the_centre_is_told(void **state)
{
    (void)state;
    assert_painleve("sprag: 1\n"
                    "dimension: 3\n"
                    "gravity: [0, 0, -9.81]\n"
                    "materials: {default: {friction: 2}}\n"
                    "bodies:\n"
                    "  - name: table\n"
                    "    fixed: true\n"
                    "    shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]\n"
                    "  - name: rod\n"
                    "    mass: 1\n"
                    "    inertia: [0.0833333, 0.0833333, 0.0833333]\n"
                    "    position: [0, 0, 0.41]\n"
                    "    velocity: [-1, 0, 0]\n"
                    "    shapes: [{sphere: {radius: 0.01}, at: [-0.287, 0, -0.4]}]\n",
                    "A = -0.8357");
}

static void bad_settings_are_refused(void **state)
{
    (void)state;
    TestRun r;
    SpragRun *run;
    test_run_open(&r, context, SLIDING_BLOCK);
    SpragRunSettings bad[7];
    for (int i = 0; i < 7; i++)
        bad[i] = settings_of(SPRAG_STEP_MOREAU_JEAN, 1e-3);
    bad[0].step = -1e-3;
    bad[1].theta = 1.5;
    bad[2].theta = NAN;
    bad[3].threads = -1;
    bad[4].step = INFINITY;
    bad[5].law_tolerance = 0;
    bad[6].law_tolerance = 0.5;
    for (int i = 0; i < 7; i++) {
        assert_int_equal(sprag_run_create(r.system, &bad[i], NULL, &run), SPRAG_ERROR_ARGUMENT);
        assert_null(run);
    }
    test_run_close(&r);
}

// The whole range of θ runs, and a run can be repeated and stopped inside of a step.
static void every_theta_runs_and_a_run_restarts(void **state)
{
    (void)state;
    for (int k = 0; k <= 4; k++) {
        TestRun r;
        double first[MOST_POSITIONS], q0[3], v0[3];
        SpragRunSettings settings = settings_of(SPRAG_STEP_MOREAU_JEAN, 1e-3);
        settings.theta = 0.25 * k;
        test_run_open(&r, context, SLIDING_BLOCK);
        go_with(&r, &settings, 0.2003);
        memcpy(first, sprag_run_position(r.run), 3 * sizeof *first);
        // μ g t²/2 less than v t, to order one
        assert_close(first[0], 0.2003 - 0.3 * 9.81 * 0.2003 * 0.2003 / 2, 2e-3);
        sprag_system_initial(r.system, q0, v0);
        r.last_t = -INFINITY;
        assert_ok(context, sprag_run_restart(r.run, 0, q0, v0));
        assert_ok(context, sprag_run_advance(r.run, 0.2003, &r.outcome));
        assert_memory_equal(first, sprag_run_position(r.run), 3 * sizeof *first);
        test_run_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stepping_converges_to_the_falling_rod),
        cmocka_unit_test(stepping_converges_to_a_block_that_stops),
        cmocka_unit_test(stepping_converges_to_a_bouncing_ball),
        cmocka_unit_test(stepping_converges_to_a_ladder),
        cmocka_unit_test(stepping_converges_with_joints),
        cmocka_unit_test(work_of_joints_is_booked),
        cmocka_unit_test(collisions_keep_momentum),
        cmocka_unit_test(free_rotation_keeps_momentum_and_energy),
        cmocka_unit_test(energy_grows_by_no_more_than_the_bound),
        cmocka_unit_test(random_throws_follow_the_events),
        cmocka_unit_test(a_painleve_configuration_is_told),
        cmocka_unit_test(a_ball_off_the_centre_is_told),
        cmocka_unit_test(bad_settings_are_refused),
        cmocka_unit_test(every_theta_runs_and_a_run_restarts),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
