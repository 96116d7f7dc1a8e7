// The pilot: what is carried on and how, against the impulse-domain theory (theory.md 8.3, 10.7),
// purely rigid runs, and the limit of stiff layers.
#include "physics.h"

// ---- Runs ---------------------------------------------------------------------------------------

typedef struct Watch {
    TestRun *run;
    SpragEventType stop; // the run ends at the first such event
    int count[SPRAG_EVENT_COUNT];
    SpragRunSample last;
} Watch;

static int hear_event(const SpragEvent *event, void *user)
{
    Watch *watch = user;
    (void)test_run_on_event(event, watch->run);
    watch->count[event->type]++;
    return event->type == watch->stop;
}

static int hear_sample(const SpragRunSample *sample, void *user)
{
    Watch *watch = user;
    watch->last = *sample;
    return 0;
}

static Watch go(TestRun *r, SpragRunSettings settings, SpragEventType stop, double until)
{
    Watch watch = {.run = r, .stop = stop};
    SpragSink sink = {.event = hear_event, .sample = hear_sample, .user = &watch};
    settings.output_step = until / 100;
    assert_ok(context, sprag_run_create(r->system, &settings, &sink, &r->run));
    assert_ok(context, sprag_run_advance(r->run, until, &r->outcome));
    return watch;
}

// What the account of a run does not explain, relative to the largest energy that it saw.
static void check_account(const TestRun *r, double tolerance)
{
    const SpragEnergyAccount *e = &sprag_run_sample(r->run)->energy;
    double scale = fabs(e->kinetic) + fabs(e->potential) + e->friction + e->impact + e->damping;
    assert_close(sprag_run_drift(r->run), 0, tolerance * scale);
}

// Painlevé's rod of theory.md 4.1: uniform, 1 kg, 1 m, tip on the floor, no spin.
#define ROD                                                                                        \
    "sprag: 1\nbodies:\n" PHYSICS_FLOOR                                                            \
    "  - {name: rod, mass: 1, angle: 60 deg, spin: %.17g, shapes: [{rod: {length: 1}}]}\n"         \
    "contacts: [{name: tip, between: [rod.a, floor], friction: %.17g%s}]\n"                        \
    "start: [{contact: tip, slip: %.17g}]\n"

// The tangential impact of the rod without spin, theory.md 10.7, and its velocities afterwards.
static void tangential_impact(double mu, double slip, double e, double v[3],
                              SpragSingleResult *result)
{
    double L = 0.5, theta = PHYSICS_PI / 3, J = 1.0 / 12;
    double N[3] = {0, 1, -L * cos(theta)}, T[3] = {1, 0, L * sin(theta)}; // (x, y, θ)
    SpragSingleImpact problem = {
        .dimension = 2,
        .W = {1 + N[2] * N[2] / J, N[2] * T[2] / J, N[2] * T[2] / J, 1 + T[2] * T[2] / J},
        .velocity = {0, slip},
        .friction = mu,
        .friction_static = mu,
        .law = SPRAG_RESTITUTION_ENERGETIC,
        .e = e};
    sprag_impact_single(&problem, result);
    assert_true(result->tangential);
    v[0] = slip + result->impulse[1];
    v[1] = result->impulse[0];
    v[2] = (N[2] * result->impulse[0] + T[2] * result->impulse[1]) / J;
}

// ---- Tests --------------------------------------------------------------------------------------

// paradox: impulse carries on behind exactly that impact.
static void test_impulse(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        double mu = 1.6 + 0.3 * i, slip = -0.5 - i, v[3];
        SpragSingleResult result;
        TestRun r;
        SpragRunSettings settings = sprag_run_default();
        settings.paradox = SPRAG_PARADOX_IMPULSE;
        physics_open(&r, ROD, 0.0, mu, ", restitution: 0.5", slip);
        Watch watch = go(&r, settings, SPRAG_EVENT_IMPACT, 1);
        assert_int_equal(r.outcome, SPRAG_RUN_STOPPED);
        assert_int_equal(watch.count[SPRAG_EVENT_NO_SOLUTION], 1);
        assert_non_null(strstr(r.events[1].detail, "tangential impact, no approach"));
        tangential_impact(mu, slip, 0.5, v, &result);
        for (int k = 0; k < 3; k++)
            assert_close(sprag_run_velocity(r.run)[k], v[k], 1e-12 * (1 + fabs(slip)));
        test_run_close(&r);
        // and to the end, with an account that closes
        physics_open(&r, ROD, 0.0, mu, "", slip);
        go(&r, settings, SPRAG_EVENT_COUNT, 1);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        check_account(&r, 1e-8);
        test_run_close(&r);
    }
}

// Undamped normal springs of growing stiffness, stiff tangentially, approach the tangential impact
// with e = 1, with an error of order ln K/√K (theory.md 8.3).
static void test_stiff_limit(void **state)
{
    (void)state;
    double errors[4], v[3];
    SpragSingleResult result;
    tangential_impact(1.8, -1, 1, v, &result);
    for (int i = 0; i < 4; i++) {
        double K = pow(10, 6 + 2 * i), error = 0;
        char layer[320];
        TestRun r;
        snprintf(layer, sizeof layer,
                 ", compliance: {law: kelvin-voigt, stiffness: %.17g, damping: %.17g, "
                 "tangential: {stiffness: %.17g, damping: %.17g}}",
                 K, 1e-7 * sqrt(K), 1e4 * K, 2e2 * sqrt(K));
        physics_open(&r, ROD, 0.0, 1.8, layer, -1.0);
        Watch watch = go(&r, sprag_run_default(), SPRAG_EVENT_TO_RIGID, 1);
        assert_int_equal(r.outcome, SPRAG_RUN_STOPPED);
        assert_int_equal(watch.count[SPRAG_EVENT_TO_COMPLIANT], 1);
        for (int k = 0; k < 3; k++)
            error = fmax(error, fabs(sprag_run_velocity(r.run)[k] - v[k]));
        errors[i] = error * sqrt(K) / log(K);
        if (getenv("SPRAG_TEST_SHOW"))
            print_message("K %g: error %.4g, times sqrt(K)/ln(K) %.4g\n", K, error, errors[i]);
        check_account(&r, 1e-7);
        test_run_close(&r);
    }
    for (int i = 1; i < 4; i++)
        assert_true(errors[i] < 4 * errors[0]);
}

// Scenes that rigid mechanics decides alone: auto never leaves it, and is the same bit for bit.
static void test_everyday(void **state)
{
    (void)state;
    static const char *const names[] = {
        "block-on-feet",     "block-on-spring", "box-at-rest",  "box-on-belt",
        "box-on-incline",    "disc-in-gutter",  "disc",         "falling-rod",
        "four-points",       "ladder",          "painleve-rod", "rod-sliding-left",
        "rod-sliding-right", "sliding-block",   "two-bodies"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        TestRun runs[2];
        for (int k = 0; k < 2; k++) {
            TestRun *r = &runs[k];
            char path[1024];
            SpragRunSettings settings = sprag_run_default();
            settings.motion = k ? SPRAG_MOTION_EVENTS : SPRAG_MOTION_AUTO;
            memset(r, 0, sizeof *r);
            r->context = context;
            snprintf(path, sizeof path, "%s/examples/%s.yaml", SPRAG_SOURCE_DIR, names[i]);
            assert_ok(context, sprag_scene_read(context, path, NULL, &r->scene));
            assert_ok(context, sprag_system_create_model(sprag_scene_model(r->scene), &r->system));
            Watch watch = go(r, settings, SPRAG_EVENT_COUNT, 1);
            assert_int_equal(r->outcome, SPRAG_RUN_DONE);
            assert_int_equal(watch.count[SPRAG_EVENT_TO_COMPLIANT], 0);
        }
        size_t n = (size_t)sprag_system_velocity_count(runs[0].system);
        assert_int_equal(runs[0].event_count, runs[1].event_count);
        assert_memory_equal(sprag_run_position(runs[0].run), sprag_run_position(runs[1].run),
                            n * sizeof(double));
        assert_memory_equal(sprag_run_velocity(runs[0].run), sprag_run_velocity(runs[1].run),
                            n * sizeof(double));
        assert_true(sprag_run_statistics(runs[0].run).evaluations ==
                    sprag_run_statistics(runs[1].run).evaluations);
        for (int k = 0; k < 2; k++)
            test_run_close(&runs[k]);
    }
}

// The trajectory that reaches A = B = 0 (theory.md 8.4): compliant at the jam, rigid again later.
// Forces of the layer stay those of the scene: they do not follow the rigid ones to infinity.
static void test_jam(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        SpragRunSettings settings = sprag_run_default();
        TestRun r;
        settings.epsilon = pow(10, -3 - i);
        physics_open(
            &r,
            "sprag: 1\nbodies:\n" PHYSICS_FLOOR
            "  - {name: rod, mass: 1, inertia: %.17g, angle: 55.357891997044149 deg, spin: "
            "3.9660878446536696, shapes: [{rod: {length: 1}}]}\n"
            "contacts: [{name: tip, between: [rod.a, floor], friction: "
            "1.1680060375266499}]\n"
            "start: [{contact: tip, slip: -1.1559913284973344}]\n"
            "loads: [{body: rod, torque: -0.541775}]\n",
            0.25 / 3.7672677792319282);
        Watch watch = go(&r, settings, SPRAG_EVENT_COUNT, 0.3);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        assert_int_equal(watch.count[SPRAG_EVENT_JAM], 1);
        assert_int_equal(watch.count[SPRAG_EVENT_TO_COMPLIANT], 1);
        assert_int_equal(watch.count[SPRAG_EVENT_TO_RIGID], 1);
        check_account(&r, 1e-8);
        test_run_close(&r);
    }
}

// Friction that grows while the slip falls: A (theory.md 8.4) falls by the
// force itself, A' ~ −1/A, so A ~ √(t* − t) and steps end at the rounding of the clock before A is
// as good as zero. Late in a run, where that rounding is coarse, this is a jam too.
static void test_jam_by_slip(void **state)
{
    (void)state;
    const double sizes[] = {1, 1e-2, 1e-3};
    for (int i = 0; i < 3; i++) {
        TestRun r;
        physics_open(
            &r,
            "sprag: 1\ngravity: [0, 0]\nbodies:\n" PHYSICS_FLOOR
            "  - {name: rod, mass: 1, angle: 63 deg, shapes: [{rod: {length: %.17g}}]}\n"
            "contacts: [{name: tip, between: [rod.a, floor], friction: {static: 2, kinetic: 1.2, "
            "stribeck: %.17g}}]\n"
            "loads: [{body: rod, force: [0, {table: [[0, 0], [100, 0], [100.01, -9.81]]}]}]\n"
            "start: [{contact: tip, slip: %.17g}]\n",
            sizes[i], sizes[i], -1.5 * sizes[i]);
        Watch watch = go(&r, sprag_run_default(), SPRAG_EVENT_COUNT, 100.01);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        assert_int_equal(watch.count[SPRAG_EVENT_JAM], 1);
        assert_int_equal(watch.count[SPRAG_EVENT_TO_COMPLIANT], 1);
        check_account(&r, 1e-8);
        test_run_close(&r);
    }
}

// A box swings on a hinge and comes to stand on a table beside two that lie on it. The hinge hardly
// lets its corners move: their entries of D are 1e-14 of the others', and independent all the same.
static void test_hinged_box_on_a_table(void **state)
{
    (void)state;
    TestRun r;
    physics_open(
        &r,
        "sprag: 1\nbodies:\n"
        "  - {name: floor, fixed: true, angle: 0.06838791249440734, position: "
        "[0.006833461764574893, -0.09976624579642202], shapes: [{box: {size: "
        "[2.5901476392441936, 0.2]}}]}\n"
        "  - {name: below, fixed: true, shapes: [{plane: {normal: [0, 1], offset: -1.5}}]}\n"
        "  - {name: b0, mass: 60.06499531758441, position: [0.08607259412437604, "
        "0.18130493216780452], angle: 0.06838791249440734, velocity: [-1.8098246650387004, "
        "-0.12396344625779294], shapes: [{box: {size: [0.5015920278370296, "
        "0.3499987729166022]}}]}\n"
        "  - {name: b1, mass: 178.68462743525703, position: [-0.12359104774761104, "
        "0.5523656674678656], angle: 0.06838791249440734, shapes: [{box: {size: "
        "[0.39942116227301483, 0.4190425271534125]}}]}\n"
        "  - {name: b2, mass: 12.702256129315312, position: [-0.08495976002977287, "
        "0.9400864052738694], angle: 0.06838791249440734, shapes: [{box: {size: "
        "[0.24920323932994712, 0.3493066128623419]}}]}\n"
        "contacts:\n  - {between: ['*', '*'], friction: 0, compliance: {law: hunt-crossley, "
        "stiffness: 12793026056.02283, alpha: 0.14026513113279432}, friction-law: {law: tanh, "
        "speed: 0.0031320919526731652}}\n"
        "  - {between: [b0, floor], friction: 0.6810129389935775}\n"
        "joints: [{name: hinge, type: revolute, between: [world, b0], at: [0.27239620591607316, "
        "1.55757094483509]}]\n");
    go(&r, sprag_run_default(), SPRAG_EVENT_COUNT, 1);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    check_account(&r, 1e-8);
    test_run_close(&r);
}

// The work of both projections goes to zero with ε (theory.md 8.6.5): a box that flutters.
static void test_projections(void **state)
{
    (void)state;
    double work[3];
    for (int i = 0; i < 3; i++) {
        TestRun r;
        SpragRunSettings settings = sprag_run_default();
        settings.epsilon = pow(10, -3 - i);
        physics_open(&r,
                     "sprag: 1\nbodies:\n" PHYSICS_FLOOR
                     "  - {name: box, mass: 1, inertia: 0.66666666666666663, velocity: [-1, 0],\n"
                     "     shapes: [{points: {rear: [-1.2, -1], front: [0.8, -1]}}]}\n"
                     "contacts: [{between: [box, floor], friction: 0.6}]\n"
                     "start: [{contact: [box.rear, floor]}, {contact: [box.front, floor]}]\n");
        Watch watch = go(&r, settings, SPRAG_EVENT_COUNT, 8);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        assert_true(watch.count[SPRAG_EVENT_TO_COMPLIANT] >= 2);
        assert_true(watch.count[SPRAG_EVENT_TO_RIGID] >= 2);
        check_account(&r, 1e-7);
        work[i] = fabs(sprag_run_sample(r.run)->energy.change);
        if (getenv("SPRAG_TEST_SHOW"))
            print_message("epsilon %g: switching %.4g J\n", settings.epsilon, work[i]);
        test_run_close(&r);
    }
    // what is stored in the layers of a box of 1 kg: δ m g/2 with δ = ε L
    for (int i = 0; i < 3; i++)
        assert_true(work[i] <= 20 * pow(10, -3 - i));
}

// A body between two walls, theory.md 8.5: it may fall or stick, and the branch says which. By
// default its layers decide: nothing has pressed it in, so it falls.
static void test_branches(void **state)
{
    (void)state;
    static const SpragBranch branches[] = {SPRAG_BRANCH_KEEP, SPRAG_BRANCH_LIFT,
                                           SPRAG_BRANCH_STICK};
    for (int i = 0; i < 3; i++) {
        TestRun r;
        SpragRunSettings settings = sprag_run_default();
        settings.branch = branches[i];
        physics_open(&r,
                     "sprag: 1\nbodies:\n"
                     "  - {name: left, fixed: true, shapes: [{plane: {normal: [1, 0], offset: "
                     "-1}}]}\n"
                     "  - {name: right, fixed: true, shapes: [{plane: {normal: [-1, 0], offset: "
                     "-1}}]}\n"
                     "  - {name: wedge, mass: 1, inertia: 0.3,\n"
                     "     shapes: [{points: {low: [-1, -0.2], high: [1, 0.2]}}]}\n"
                     "contacts: [{between: ['*', '*'], friction: 0.5}]\n");
        Watch watch = go(&r, settings, SPRAG_EVENT_COUNT, 0.2);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        assert_true(watch.count[SPRAG_EVENT_AMBIGUITY] >= 1);
        assert_int_equal(watch.count[SPRAG_EVENT_TO_COMPLIANT] > 0,
                         branches[i] == SPRAG_BRANCH_KEEP);
        double fall = branches[i] == SPRAG_BRANCH_STICK ? 0 : -0.2 * PHYSICS_GRAVITY;
        assert_close(sprag_run_velocity(r.run)[1], fall, 1e-6);
        test_run_close(&r);
    }
}

// A pair that is to stay rigid never switches, and a sink that has heard enough ends the run.
static void test_limits(void **state)
{
    (void)state;
    TestRun r;
    physics_open(&r, ROD, 0.0, 1.8, ", model: rigid", -1.0);
    Watch watch = go(&r, sprag_run_default(), SPRAG_EVENT_COUNT, 1);
    assert_int_equal(r.outcome, SPRAG_RUN_NO_SOLUTION);
    assert_int_equal(watch.count[SPRAG_EVENT_TO_COMPLIANT], 0);
    test_run_close(&r);
    physics_open(&r, ROD, 0.0, 1.8, "", -1.0);
    go(&r, sprag_run_default(), SPRAG_EVENT_NO_SOLUTION, 1);
    assert_int_equal(r.outcome, SPRAG_RUN_STOPPED);
    test_run_close(&r);
}

// The saddle A < 0, B > 0 (theory.md 8.2): less force lifts off, at the time that the linear layer
// takes from one percent to all of it; more force ends in a tangential impact.
static void test_exits(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        TestRun r;
        SpragAnalysis *analysis;
        SpragContactProblem problem;
        SpragVerdict verdict;
        SpragExit exit;
        double q[3], v[3], mu = 1.6 + 0.4 * i, eps = 1e-12;
        SpragContactKinematics kinematics[2];
        SpragAnalysisSettings settings = sprag_analysis_default();
        SpragRunSettings run_settings = sprag_run_default();
        physics_open(&r, ROD, 6.0, mu, "", -1.0);
        sprag_system_initial(r.system, q, v);
        SpragContactTolerances tolerances = sprag_system_tolerances(r.system, v);
        sprag_contact_problem_init(&problem, context);
        assert_ok(context, sprag_system_kinematics(r.system, 0, q, v, &tolerances, kinematics));
        settings.time_scale = sprag_system_time_scale(r.system, q, v, kinematics);
        assert_ok(context, sprag_system_build_problem(r.system, 0, q, v, &tolerances, &problem));
        assert_ok(context, sprag_analysis_create(context, &analysis));
        assert_ok(context, sprag_analysis_run(analysis, &problem, &settings, &verdict));
        assert_int_equal(verdict.solution_count, 2);
        int saddle = verdict.solutions[0].stability == SPRAG_DIVERGENT ? 0 : 1;
        SpragExitStart start = {.q = q,
                                .v = v,
                                .problem = &problem,
                                .solution = &verdict.solutions[saddle],
                                .factor = 0.99};
        run_settings.epsilon = eps;
        assert_ok(context, sprag_run_exit(r.system, &run_settings, &start, &exit));
        assert_int_equal(exit.first, SPRAG_EVENT_LIFT_OFF);
        // x'' = −A (c x' + k x) from x = −0.01 x*, at rest: until the force k x + c x' is −k x*
        double T = settings.time_scale, a_nn = problem.W[0];
        double k = 1 / (a_nn * eps * T * T), c = 0.2 * sqrt(k / a_nn), A = verdict.A;
        double half = -0.5 * A * c, root = sqrt(half * half - A * k), s1 = half + root,
               s2 = half - root, t = 0;
        for (double low = 0, high = 20 / s1; high - low > 1e-9 / s1;) {
            t = 0.5 * (low + high);
            double x = -0.01 * (s1 * exp(s2 * t) - s2 * exp(s1 * t)) / (s1 - s2);
            double rate = -0.01 * s1 * s2 * (exp(s2 * t) - exp(s1 * t)) / (s1 - s2);
            if (k * x + c * rate > -k)
                low = t;
            else
                high = t;
        }
        assert_close(exit.after, t, 2e-3 * t);
        start.factor = 1.01;
        assert_ok(context, sprag_run_exit(r.system, &run_settings, &start, &exit));
        assert_int_equal(exit.first, SPRAG_EVENT_STICK);
        assert_true(exit.lifted && exit.event_count >= 2);
        sprag_analysis_destroy(analysis);
        sprag_contact_problem_destroy(&problem);
        test_run_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_impulse),     cmocka_unit_test(test_stiff_limit),
        cmocka_unit_test(test_everyday),    cmocka_unit_test(test_jam),
        cmocka_unit_test(test_jam_by_slip), cmocka_unit_test(test_hinged_box_on_a_table),
        cmocka_unit_test(test_projections), cmocka_unit_test(test_branches),
        cmocka_unit_test(test_limits),      cmocka_unit_test(test_exits)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}
