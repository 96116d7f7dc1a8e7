// Drives, motors and joints that turn more than once, against closed formulas and integrations of
// one angle; fingers that joints hold against each other.
#include "physics.h"

static double position_of(const TestRun *r, const char *joint)
{
    int index = sprag_model_find_joint(sprag_system_model(r->system), joint);
    assert_true(index >= 0);
    return sprag_run_sample(r->run)->joints[index].position[0];
}

// ---- More than one turn in space ----------------------------------------------------------------

// A wheel on a spring: φ = ω/n sin n t with n² = c/J = 5 reaches 1.4 turns. The axis is askew, so
// that quaternions and products of axes all take part.
static void test_spring_winds(void **state)
{
    (void)state;
    static const SpragMotionKind motions[] = {SPRAG_MOTION_EVENTS, SPRAG_MOTION_COMPLIANT,
                                              SPRAG_MOTION_STEPPING};
    for (int i = 0; i < 3; i++) {
        TestRun r;
        physics_open(&r, "sprag: 1\ndimension: 3\ngravity: [0, 0, 0]\nbodies:\n"
                         "  - {name: wheel, mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
                         "joints: [{name: hub, type: revolute, between: [world, wheel.com],\n"
                         "          at: [0, 0, 0], axis: [1, -2, 0.5], spring: {stiffness: 0.5}}]\n"
                         "start: [{joint: hub, position: 0, velocity: 20}]\n");
        test_run_go_as(&r, motions[i], 3.1, 1e-10);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        // time stepping: steps of 1 ms, of second order without contacts
        bool steps = motions[i] == SPRAG_MOTION_STEPPING;
        double n = sqrt(5);
        assert_close(position_of(&r, "hub"), 20 / n * sin(n * 3.1), steps ? 1e-4 : 1e-8);
        assert_close(sprag_run_drift(r.run), 0, steps ? 1e-4 : 1e-7);
        test_run_close(&r);
    }
}

// A free wheel between stops at −270° and 400°, restitution ½: strikes at 400°/5 and 670°/2.5 on.
static void test_stops_beyond_a_turn(void **state)
{
    (void)state;
    double degree = PHYSICS_PI / 180, first = 400 * degree / 5, second = first + 670 * degree / 2.5;
    TestRun r;
    physics_open(&r, "sprag: 1\ndimension: 3\ngravity: [0, 0, 0]\nbodies:\n"
                     "  - {name: wheel, mass: 1, inertia: [0.1, 0.2, 0.15]}\n"
                     "joints: [{name: hub, type: revolute, between: [world, wheel.com],\n"
                     "          at: [0, 0, 0], axis: [0, 0, 1], limits: [-270 deg, 400 deg],\n"
                     "          restitution: 0.5}]\n"
                     "start: [{joint: hub, position: 0, velocity: 5}]\n");
    test_run_go(&r, 7, 1e-10);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    physics_assert_events(&r, SPRAG_EVENT_IMPACT, SPRAG_EVENT_IMPACT);
    assert_close(r.events[0].t, first, 1e-8);
    assert_close(r.events[1].t, second, 1e-8);
    assert_close(position_of(&r, "hub"), -270 * degree + 1.25 * (7 - second), 1e-7);
    test_run_close(&r);
}

// A start of more than a turn stands there, and limits choose the turn where nothing else does.
static void test_turn_at_the_start(void **state)
{
    (void)state;
    double degree = PHYSICS_PI / 180;
    TestRun r;
    physics_open(&r, "sprag: 1\ndimension: 3\ngravity: [0, 0, 0]\nbodies:\n"
                     "  - {name: a, mass: 1, inertia: [0.1, 0.2, 0.15]}\n"
                     "  - {name: b, mass: 1, inertia: [0.1, 0.2, 0.15],\n"
                     "     orientation: {axis: [0, 0, 1], angle: -160 deg}}\n"
                     "joints:\n"
                     "  - {name: one, type: revolute, between: [world, a.com], at: [0, 0, 0]}\n"
                     "  - {name: two, type: cylindrical, between: [world, b.com], at: [0, 0, 0],\n"
                     "     limits: [100 deg, 300 deg]}\n"
                     "start: [{joint: one, position: 800 deg, velocity: -1}]\n");
    test_run_go(&r, 1, 1e-10);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_close(position_of(&r, "one"), 800 * degree - 1, 1e-8);
    assert_close(position_of(&r, "two"), 200 * degree, 1e-12);
    test_run_close(&r);
}

// Three turns wanted of a joint on a body that itself spins: as in the plane.
static void test_motor_of_three_turns(void **state)
{
    (void)state;
    static const char *const every[2] = {"", ", every: 10 ms"};
    for (int i = 0; i < 2; i++) {
        double angle[2];
        for (int dimension = 2; dimension <= 3; dimension++) {
            bool space = dimension == 3;
            TestRun r;
            physics_open(&r,
                         "sprag: 1\ndimension: %d\ngravity: %s\nbodies:\n"
                         "  - {name: base, drive: {angle: 4*t%s}}\n"
                         "  - {name: wheel, mass: 1, inertia: %s}\n"
                         "joints: [{name: hub, type: revolute, between: [base.com, wheel.com]}]\n"
                         "controllers: [{joint: hub, pd: {kp: 2, kd: 0.4, target: 3 rev},\n"
                         "               limit: 5%s}]\n",
                         dimension, space ? "[0, 0, 0]" : "[0, 0]",
                         space ? ", axis: [0, 0, 1]" : "", space ? "[0.1, 0.1, 0.1]" : "0.1",
                         every[i]);
            test_run_go(&r, 2, 1e-10);
            assert_int_equal(r.outcome, SPRAG_RUN_DONE);
            angle[dimension - 2] = position_of(&r, "hub");
            test_run_close(&r);
        }
        assert_true(angle[0] > 2 * PHYSICS_PI);
        assert_close(angle[1], angle[0], 1e-7);
    }
}

// ---- A motor at its limit -----------------------------------------------------------------------

static const double M = 1.2, J = 0.04 + 1.2 * 0.09, ARM = 0.3, KP = 90, KD = 6, MOST = 4.3;

static double target(double t)
{
    return 0.9 * sin(2.5 * t);
}

static double torque(double t, double phi, double omega)
{
    double u = KP * (target(t) - phi) + KD * (0.9 * 2.5 * cos(2.5 * t) - omega);
    return fmin(fmax(u, -MOST), MOST);
}

// Runge and Kutta's method; at a kink of the torque it errs by the square of its step, 2.5e-11.
static void swing(double time, double *phi, double *omega, double *work)
{
    int steps = (int)(time / 5e-6);
    double h = time / steps;
    for (int i = 0; i < steps; i++) {
        static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
        double k[4][3], sum[3] = {0};
        for (int s = 0; s < 4; s++) {
            double part = s > 0 ? at[s] * h : 0, *before = k[s > 0 ? s - 1 : 0];
            double p = *phi + (s > 0 ? part * before[0] : 0);
            double w = *omega + (s > 0 ? part * before[1] : 0);
            double u = torque(i * h + at[s] * h, p, w);
            k[s][0] = w;
            k[s][1] = (u - M * PHYSICS_GRAVITY * ARM * cos(p)) / J;
            k[s][2] = u * w;
            for (int c = 0; c < 3; c++)
                sum[c] += weight[s] * h / 6 * k[s][c];
        }
        *phi += sum[0];
        *omega += sum[1];
        *work += sum[2];
    }
}

// A continuous controller whose limit holds it back most of the time: no event is told of where it
// saturates, and the integration keeps its tolerance.
static void test_saturating_motor(void **state)
{
    (void)state;
    TestRun r;
    physics_open(&r, "sprag: 1\nbodies:\n"
                     "  - {name: arm, mass: 1.2, inertia: 0.04, sites: {o: [-0.3, 0]}}\n"
                     "joints: [{name: hub, type: revolute, between: [world, arm.o], at: [0, 0]}]\n"
                     "controllers: [{joint: hub, limit: 4.3,\n"
                     "               pd: {kp: 90, kd: 6, target: 0.9*sin(2.5*t)}}]\n"
                     "start: [{joint: hub, position: -90 deg, velocity: 0}]\n");
    test_run_go(&r, 2, 1e-10);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    double phi = -PHYSICS_PI / 2, omega = 0, work = 0;
    swing(2, &phi, &omega, &work);
    const SpragRunSample *sample = sprag_run_sample(r.run);
    assert_close(sample->joints[0].position[0], phi, 1e-7);
    assert_close(sample->joints[0].force, torque(2, phi, omega), 1e-5);
    assert_close(sample->energy.actuation, work, 1e-7);
    physics_assert_account(&r, 1e-9);
    test_run_close(&r);
}

// ---- A driven loop without gravity --------------------------------------------------------------

// Two shafts at an angle β, joined by a universal joint: ω₂/ω₁ = cos β/(1 − sin²β sin²φ), φ from
// where the first fork lies across the plane of the shafts. Nothing but the drive gives a scale
// of velocities.
static void test_cardan(void **state)
{
    (void)state;
    double beta = 0.6;
    TestRun r;
    physics_open(
        &r,
        "sprag: 1\ndimension: 3\ngravity: [0, 0, 0]\nbodies:\n"
        "  - {name: in, mass: 1, inertia: [0.01, 0.01, 0.02]}\n"
        "  - {name: out, mass: 1, inertia: [0.02, 0.02, 0.03],\n"
        "     orientation: {axis: [1, 0, 0], angle: %.17g}}\n"
        "joints:\n"
        "  - {name: a, type: revolute, between: [world, in.com], at: [0, 0, 0], drive: 7*t}\n"
        "  - {name: b, type: revolute, between: [world, out.com], at: [0, 0, 0],\n"
        "     axis: [0, %.17g, %.17g]}\n"
        "  - {name: u, type: universal, between: [in.com, out.com], axis: [1, 0, 0],\n"
        "     second-axis: [0, %.17g, %.17g]}\n",
        beta, -sin(beta), cos(beta), cos(beta), sin(beta));
    test_run_go(&r, 3, 1e-10);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    double phi = 7 * 3.0, s = sin(beta) * sin(phi);
    const SpragJointState *joints = sprag_run_sample(r.run)->joints;
    assert_close(joints[1].velocity[0], 7 * cos(beta) / (1 - s * s), 1e-9);
    // both shafts have turned as often
    double turned = atan2(sin(phi) * cos(beta), cos(phi));
    turned += 2 * PHYSICS_PI * round((phi - turned) / (2 * PHYSICS_PI));
    assert_close(joints[1].position[0], turned, 1e-6);
    for (int i = 0; i < 3; i++)
        assert_true(joints[i].error < 1e-9);
    test_run_close(&r);
}

// ---- Drives with kinks --------------------------------------------------------------------------

// A tray that starts at once to the side at v and stops as suddenly: the block on it slides for
// v/(μ g), twice, and friction takes m v²/2 each time; then it stands on the tray where it was.
static void test_tray_jumps(void **state)
{
    (void)state;
    static const char *const drives[2] = {"{table: [[0, 0], [0.1, 0], [0.3, 0.1], [1, 0.1]]}",
                                          "'0.5*min(max(t - 0.1, 0), 0.2)'"};
    double slides = 0.5 / (0.4 * PHYSICS_GRAVITY);
    for (int i = 0; i < 2; i++) {
        TestRun r;
        physics_open(
            &r,
            "sprag: 1\nmaterials: {default: {friction: 0.4}}\nbodies:\n"
            "  - {name: tray, drive: {position: [%s, 0]}, shapes: [{box: {size: [2, 0.1]}}]}\n"
            "  - {name: block, mass: 2, position: [0, 0.1], angle: 0,\n"
            "     shapes: [{box: {size: [0.1, 0.1]}}]}\n",
            drives[i]);
        test_run_go(&r, 0.9, 1e-10);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        for (int k = 0; k < 2; k++) {
            double begin = 0.1 + 0.2 * k;
            int starts = test_run_event(&r, SPRAG_EVENT_SLIP_START, 2 * k),
                stops = test_run_event(&r, SPRAG_EVENT_STICK, 2 * k);
            assert_true(starts >= 0 && stops >= 0);
            assert_close(r.events[starts].t, begin, 1e-12);
            assert_close(r.events[stops].t, begin + slides, 1e-9);
        }
        const SpragRunSample *sample = sprag_run_sample(r.run);
        assert_close(sample->q[physics_coordinate(&r, "block")], 0.1, 1e-9);
        assert_close(sample->energy.friction, 0.5, 1e-9);
        assert_close(sample->energy.actuation, 0.5, 1e-9);
        physics_assert_account(&r, 1e-10);
        test_run_close(&r);
    }
}

// The tray falls away at 0.5 m/s, and rises at it: the block flies, or is struck and bounces by
// its restitution.
static void test_tray_strikes(void **state)
{
    (void)state;
    double g = PHYSICS_GRAVITY, v = 0.5, e = 0.3;
    for (int up = 0; up < 2; up++) {
        TestRun r;
        physics_open(
            &r,
            "sprag: 1\nmaterials: {default: {restitution: %g}}\nbodies:\n"
            "  - {name: tray, drive: {position: [0, {table: [[0, 0], [0.1, 0], [1, %g]]}]},\n"
            "     shapes: [{box: {size: [2, 0.1]}}]}\n"
            "  - {name: block, mass: 2, position: [0, 0.1], angle: 0,\n"
            "     shapes: [{box: {size: [0.1, 0.1]}}]}\n",
            e, up ? 0.45 : -0.45);
        test_run_go(&r, 0.25, 1e-10);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        int impact = test_run_event(&r, SPRAG_EVENT_IMPACT, up ? 2 : 0);
        assert_true(impact >= 0);
        // seen from the tray it leaves at e v, or v
        assert_close(r.events[impact].t, 0.1 + 2 * (up ? e * v : v) / g, 1e-8);
        physics_assert_account(&r, 1e-9);
        test_run_close(&r);
    }
}

// A driven joint with a table: work is the weight's, and what starts the mass comes back where it
// stops.
static void test_lift_jumps(void **state)
{
    (void)state;
    TestRun r;
    physics_open(&r,
                 "sprag: 1\nbodies:\n  - {name: cage, mass: 2, inertia: 0.1}\n"
                 "joints: [{name: rail, type: prismatic, between: [world, cage.com], at: [0, 0],\n"
                 "          axis: [0, 1], drive: {table: [[0, 0], [0.1, 0], [0.5, 0.02]]}}]\n");
    test_run_go(&r, 0.3, 1e-10);
    const SpragEnergyAccount *energy = &sprag_run_sample(r.run)->energy;
    assert_close(energy->actuation, 2 * PHYSICS_GRAVITY * 0.01 + 0.05 * 0.05, 1e-9);
    assert_ok(context, sprag_run_advance(r.run, 0.9, &r.outcome));
    assert_close(sprag_run_sample(r.run)->energy.actuation, 2 * PHYSICS_GRAVITY * 0.02, 1e-9);
    physics_assert_account(&r, 1e-10);
    test_run_close(&r);
}

// ---- Fingers that meet --------------------------------------------------------------------------

// Two fingers on guides of one palm close on each other: their guides hold them against slip, so
// that friction has nothing to move, and the mode has no equation for it. They stop and press with
// the force of the guides, also where corner meets corner.
static void test_fingers_meet(void **state)
{
    (void)state;
    static const double shift[2] = {0, 0.003};
    for (int i = 0; i < 4; i++) {
        TestRun r;
        physics_open(
            &r,
            "sprag: 1\nmaterials: {default: {friction: 0.6}}\nbodies:\n"
            "  - {name: palm, drive: {position: [0, %s]}, position: [0, 0.4]}\n"
            "  - {name: left, mass: 0.2, inertia: 2e-4, angle: 0, position: [-0.08, 0.1],\n"
            "     shapes: [{box: {size: [0.02, 0.1]}}]}\n"
            "  - {name: right, mass: 0.2, inertia: 2e-4, angle: 0,\n"
            "     position: [0.08, %.17g], shapes: [{box: {size: [0.02, 0.1]}}]}\n"
            "joints:\n  - {name: l, type: prismatic, between: [palm, left]}\n"
            "  - {name: r, type: prismatic, between: [palm, right], axis: [-1, 0]}\n"
            "loads: [{joint: l, force: 2}, {joint: r, force: 2}]\n",
            i / 2 ? "0.1*t" : "0", 0.1 + shift[i % 2]);
        test_run_go(&r, 0.3, 1e-10);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        int event = test_run_event(&r, SPRAG_EVENT_IMPACT, 0);
        assert_true(event >= 0);
        assert_close(r.events[event].t, sqrt(2 * 0.07 * 0.2 / 2), 1e-7);
        const SpragRunSample *sample = sprag_run_sample(r.run);
        double pressed = 0;
        for (int k = 0; k < sprag_system_contact_count(r.system); k++)
            pressed += sample->contacts[k].normal;
        assert_close(pressed, 2, 1e-6);
        assert_close(sample->q[physics_coordinate(&r, "left")], -0.01, 1e-9);
        physics_assert_account(&r, 1e-9);
        test_run_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spring_winds),      cmocka_unit_test(test_stops_beyond_a_turn),
        cmocka_unit_test(test_turn_at_the_start), cmocka_unit_test(test_motor_of_three_turns),
        cmocka_unit_test(test_saturating_motor),  cmocka_unit_test(test_cardan),
        cmocka_unit_test(test_fingers_meet),      cmocka_unit_test(test_tray_jumps),
        cmocka_unit_test(test_tray_strikes),      cmocka_unit_test(test_lift_jumps)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}
