// Joints that rub in every motion: on compliant normals against theory.md (9.18) integrated here,
// the pilot's way there and back, time stepping against events, controllers that sample.
#include "physics.h"

static const double LEAD = 0.005, RADIUS = 0.005, MASS = 10;
#define THETA (15 * PHYSICS_PI / 180)

// ---- The compliant screw ------------------------------------------------------------------------

typedef struct Screw {
    double inertia, mu, torque, stiffness, damping;
} Screw;

static void open_screw(TestRun *r, const Screw *s, double speed)
{
    physics_open(
        r,
        "sprag: 1\ndimension: 3\nbodies:\n"
        "  - {name: spindle, mass: 1, inertia: [%.17g, %.17g, %.17g],\n"
        "     spin: [0, 0, %.17g]}\n"
        "  - {name: stage, mass: 10, inertia: [0.1, 0.1, 0.1],\n"
        "     velocity: [0, 0, %.17g]}\n"
        "joints:\n"
        "  - {name: turn, type: revolute, between: [world, spindle.com], axis: [0, 0, 1]}\n"
        "  - {name: rail, type: prismatic, between: [world, stage.com], axis: [0, 0, 1]}\n"
        "  - {name: nut, type: screw, between: [spindle.com, stage.com], axis: [0, 0, 1],\n"
        "     lead: 5 mm, radius: 5 mm, thread-angle: 15 deg, friction: %.17g,\n"
        "     compliance: {law: kelvin-voigt, stiffness: %.17g, damping: %.17g}}\n"
        "loads: [{joint: turn, torque: %.17g}]\n",
        s->inertia, s->inertia, s->inertia, -speed, speed * LEAD / (2 * PHYSICS_PI), s->mu,
        s->stiffness, s->damping, -s->torque);
}

// y = (q, q', y, y') of (9.18) in a mode: slip +1, −1, or 0.
typedef struct Own {
    const Screw *screw;
    double y[4], mode;
} Own;

static double axial(const Screw *s, const double *y)
{
    double l = LEAD / (2 * PHYSICS_PI);
    return s->stiffness * (l * y[0] - y[2]) + s->damping * (l * y[1] - y[3]);
}

static void own_rates(const Own *own, const double *y, double *dy)
{
    const Screw *s = own->screw;
    double l = LEAD / (2 * PHYSICS_PI), alpha = atan(l / RADIUS), rho = atan(s->mu / cos(THETA));
    double force = axial(s, y), branch = force * own->mode >= 0 ? 1 : -1;
    double eta = tan(alpha) / tan(alpha + branch * rho);
    dy[0] = own->mode != 0 ? y[1] : 0;
    dy[1] = own->mode != 0 ? (s->torque - force * l / eta) / s->inertia : 0;
    dy[2] = y[3];
    dy[3] = force / MASS - PHYSICS_GRAVITY;
}

static void own_step(Own *own, double h)
{
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    double k[4][4], sum[4] = {0};
    for (int i = 0; i < 4; i++) {
        double y[4];
        for (int j = 0; j < 4; j++)
            y[j] = own->y[j] + (i ? at[i] * h * k[i - 1][j] : 0);
        own_rates(own, y, k[i]);
        for (int j = 0; j < 4; j++)
            sum[j] += weight[i] * k[i][j];
    }
    for (int j = 0; j < 4; j++)
        own->y[j] += h / 6 * sum[j];
}

// How far inside of its cone the sticking thread is, the end of 9.3; *pull: which way it would go.
static double own_slack(const Own *own, double *pull)
{
    const Screw *s = own->screw;
    double l = LEAD / (2 * PHYSICS_PI), alpha = atan(l / RADIUS);
    double normal = (axial(s, own->y) * cos(alpha) + s->torque / RADIUS * sin(alpha)) / cos(THETA);
    double rest = s->torque - RADIUS * normal * cos(THETA) * sin(alpha);
    *pull = rest > 0 ? 1 : -1;
    return RADIUS * s->mu * fabs(normal) * cos(alpha) - fabs(rest);
}

// Whether the mode has ended.
static bool own_over(const Own *own)
{
    double pull;
    return own->mode != 0 ? own->y[1] * own->mode < 0 : own_slack(own, &pull) < 0;
}

static void own_switch(Own *own)
{
    double pull, slack;
    if (own->mode != 0)
        own->y[1] = 0;
    slack = own_slack(own, &pull);
    own->mode = own->mode != 0 && slack > 0 ? 0 : pull;
}

// Integrates to t with steps h; ends of modes by halving the step. Returns how many there were.
static int own_run(Own *own, double t, double h)
{
    int ends = 0;
    for (double now = 0; now < t - 1e-15;) {
        double step = fmin(h, t - now);
        for (;;) {
            Own next = *own;
            own_step(&next, step);
            if (!own_over(&next) || step < 1e-14) {
                *own = next;
                now += step;
                if (step < 1e-14) {
                    own_switch(own);
                    ends++;
                }
                break;
            }
            step /= 2;
        }
    }
    return ends;
}

static void test_compliant_screw(void **state)
{
    (void)state;
    int stuck = 0, total = test_draws(6);
    for (int i = 0; i < total; i++) {
        Screw s = {.inertia = i % 2 ? 1e-5 : 4e-6,
                   .mu = 0.2 + 0.15 * (i % 4),
                   .torque = i % 3 == 0   ? 0.5
                             : i % 3 == 1 ? -0.05
                                          : 0.05,
                   .stiffness = 1e6 * (1 + i % 5),
                   .damping = i % 2 ? 300 : 0};
        double speed = i % 4 < 2 ? 20 : -15, t = 0.01, l = LEAD / (2 * PHYSICS_PI);
        Own own = {&s, {0, speed, 0, l * speed}, speed > 0 ? 1 : -1};
        TestRun r;
        open_screw(&r, &s, speed);
        test_run_go_as(&r, SPRAG_MOTION_COMPLIANT, t, 1e-11);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        int ends = own_run(&own, t, 2e-6), told = 0;
        for (int k = 0; k < r.event_count; k++)
            told += r.events[k].type == SPRAG_EVENT_STICK ||
                    r.events[k].type == SPRAG_EVENT_SLIP_START ||
                    r.events[k].type == SPRAG_EVENT_SLIP_REVERSAL;
        assert_int_equal(told, ends);
        stuck += ends > 0;
        const double *v = sprag_run_velocity(r.run), *q = sprag_run_position(r.run);
        int spindle = physics_coordinate(&r, "spindle"), stage = physics_coordinate(&r, "stage");
        assert_close(-v[spindle + 5], own.y[1], 2e-6 * (1 + fabs(own.y[1])));
        assert_close(v[stage + 2], own.y[3], 1e-7 * (1 + fabs(own.y[3])));
        assert_close(q[stage / 6 * 7 + 2], own.y[2], 1e-9);
        physics_assert_account(&r, 1e-10);
        test_run_close(&r);
    }
    assert_true(stuck > 0);
}

// Without a motion the force runs away: v = u/(k h) (1 − cosh(√(k |h|) t)) by (9.20); and that rate
// is the eigenvalue which the verdict gives the unstable motion under another torque.
static void test_rates(void **state)
{
    (void)state;
    Screw s = {1e-5, 0.5, -0.5, 1e6, 0};
    double l = LEAD / (2 * PHYSICS_PI), alpha = atan(l / RADIUS), rho = atan(s.mu / cos(THETA));
    double eta = tan(alpha) / tan(alpha - rho), h = 1 / MASS + l * l / (s.inertia * eta);
    double rate = sqrt(-s.stiffness * h), t = 0.5 / rate, kappa = hypot(s.mu, cos(THETA));
    assert_true(h < 0);
    TestRun r;
    open_screw(&r, &s, 400);
    test_run_go_as(&r, SPRAG_MOTION_COMPLIANT, t, 1e-11);
    double v =
        (l / s.inertia * s.torque + PHYSICS_GRAVITY) / (s.stiffness * h) * (1 - cosh(rate * t));
    const SpragRunContact *nut = &sprag_run_sample(r.run)->contacts[0];
    assert_int_equal(nut->mode, SPRAG_MODE_SLIDE_PLUS);
    double force = s.stiffness * v / (kappa * cos(alpha - rho)); // (9.19)
    assert_close(nut->normal, fabs(force), 1e-6 * fabs(force));
    assert_close(fabs(nut->tangential), s.mu * fabs(force), 1e-6 * fabs(force));
    assert_close(nut->friction, s.mu, 1e-15);
    assert_true(nut->compliant);
    test_run_close(&r);
    s.torque = 0.5;
    open_screw(&r, &s, 400);
    SpragRunSettings settings = sprag_run_default();
    SpragVerdict verdict;
    assert_ok(context, sprag_run_create(r.system, &settings, NULL, &r.run));
    assert_ok(context, sprag_run_analyze(r.run, &verdict));
    assert_int_equal(verdict.solution_count, 2);
    assert_int_equal(verdict.stable_count, 1);
    for (int i = 0; i < 2; i++)
        if (!verdict.solutions[i].stable)
            assert_close(1 / verdict.solutions[i].growth_time, rate, 1e-4 * rate);
    test_run_close(&r);
}

// ---- The pilot ----------------------------------------------------------------------------------

// The jam of 9.1: no motion; on a layer the slip ends within a few of its periods, a slip back
// begins, and when it has settled the nut is rigid again and goes on with the stable branch of
// (9.16).
static void test_pilot_there_and_back(void **state)
{
    (void)state;
    double t = 0.03, later = 0.05;
    TestRun r;
    Screw s = {1e-6, 0.5, -0.05, 0, 0};
    double l = LEAD / (2 * PHYSICS_PI), alpha = atan(l / RADIUS), rho = atan(s.mu / cos(THETA));
    // behind the jump the stable branch back: F > 0 and q' < 0 is branch 2, F < 0 branch 1
    double eta = tan(alpha) / tan(alpha + rho);
    double a = (s.torque - MASS * PHYSICS_GRAVITY * l / eta) / (s.inertia + MASS * l * l / eta);
    for (int i = 0; i < 2; i++) {
        s.stiffness = i == 0 ? 1e6 : 1e8;
        s.damping = i == 0 ? 500 : 5000;
        open_screw(&r, &s, 20);
        test_run_go_as(&r, SPRAG_MOTION_AUTO, t, 1e-10);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        assert_true(test_run_event(&r, SPRAG_EVENT_NO_SOLUTION, 0) >= 0);
        int there = test_run_event(&r, SPRAG_EVENT_TO_COMPLIANT, 0);
        int back = test_run_event(&r, SPRAG_EVENT_TO_RIGID, 0);
        assert_true(there >= 0 && back > there);
        assert_true(test_run_event(&r, SPRAG_EVENT_TO_COMPLIANT, 1) < 0);
        int spin = physics_coordinate(&r, "spindle") + 5;
        double before = -sprag_run_velocity(r.run)[spin];
        assert_ok(context, sprag_run_advance(r.run, later, &r.outcome));
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        double gained = -sprag_run_velocity(r.run)[spin] - before;
        assert_close(gained, a * (later - t), 1e-7 * fabs(a * t));
        assert_true(before < 0 && before > 1.2 * a * t);
        const SpragRunContact *nut = &sprag_run_sample(r.run)->contacts[0];
        assert_true(!nut->compliant);
        physics_assert_account(&r, 1e-9);
        test_run_close(&r);
    }
}

// Guides of Painlevé and Klein beyond their threshold: the layer stops the slip, and the sliders
// rest; under `impulse` they stop at once.
static void test_klein_stops(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        TestRun r;
        physics_open(&r, "sprag: 1\ngravity: [0, 0]\n"
                         "bodies:\n"
                         "  - {name: a, mass: 1, inertia: 1, velocity: [1, 0]}\n"
                         "  - {name: b, mass: 1, inertia: 1, position: [0.5, 0.8660254037844386],\n"
                         "     velocity: [1, 0]}\n"
                         "joints:\n"
                         "  - {name: lower, type: prismatic, between: [world, a.com], at: [0, 0],\n"
                         "     axis: [1, 0], friction: 1.5}\n"
                         "  - {name: upper, type: prismatic, between: [world, b.com],\n"
                         "     at: [0.5, 0.8660254037844386], axis: [1, 0]}\n"
                         "  - {name: rod, type: distance, between: [a.com, b.com], length: 1}\n"
                         "loads: [{body: b, force: [1, 0]}]\n");
        SpragRunSettings settings = sprag_run_default();
        SpragSink sink = test_run_sink(&r);
        settings.motion = SPRAG_MOTION_AUTO;
        settings.paradox = i == 0 ? SPRAG_PARADOX_COMPLIANT : SPRAG_PARADOX_IMPULSE;
        assert_ok(context, sprag_run_create(r.system, &settings, &sink, &r.run));
        assert_ok(context, sprag_run_advance(r.run, 3, &r.outcome));
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        const double *v = sprag_run_velocity(r.run);
        for (int k = 0; k < 6; k++)
            assert_close(v[k], 0, 1e-9);
        bool soft = test_run_event(&r, SPRAG_EVENT_TO_COMPLIANT, 0) >= 0;
        assert_int_equal(soft, i == 0);
        assert_int_equal(test_run_event(&r, SPRAG_EVENT_TO_RIGID, 0) >= 0, i == 0);
        assert_int_equal(test_run_event(&r, SPRAG_EVENT_JAM, 0) >= 0, i == 1);
        // static: the rod carries 1 N along the rails, tan 60° of it across
        const SpragRunContact *lower = &sprag_run_sample(r.run)->contacts[0];
        assert_close(lower->normal, sqrt(3), 1e-6);
        physics_assert_account(&r, 1e-9);
        test_run_close(&r);
    }
}

// ---- Layers of pins -----------------------------------------------------------------------------

static void open_pendulum(TestRun *r, bool space, const char *layer)
{
    const char *body = space ? "  - {name: bar, mass: 1.3, inertia: [0.03, 0.03, 0.03],\n"
                               "     position: [0.25, 0, 0], sites: {a: [-0.25, 0, 0]}}\n"
                             : "  - {name: bar, mass: 1.3, inertia: 0.03, position: [0.25, 0],\n"
                               "     sites: {a: [-0.25, 0]}}\n";
    physics_open(r,
                 "sprag: 1\n%s\nbodies:\n%s"
                 "joints: [{name: pin, type: revolute, between: [world, bar.a], at: %s, %s\n"
                 "          friction: 0.4, radius: 0.02%s}]\n",
                 space ? "dimension: 3" : "dimension: 2", body, space ? "[0, 0, 0]" : "[0, 0]",
                 space ? "axis: [0, -1, 0]," : "", layer);
}

// A pin on a stiff layer swings as the rigid one does, the nearer the stiffer it is; in the plane
// and in space.
static void test_pins_on_layers(void **state)
{
    (void)state;
    for (int space = 0; space < 2; space++) {
        double wanted = 0, off[2] = {0, 0}, t = 0.7;
        for (int i = 0; i < 3; i++) {
            TestRun r;
            open_pendulum(&r, space,
                          i == 0 ? ""
                          : i == 1
                              ? ", compliance: {law: kelvin-voigt, stiffness: 1e5, damping: 50}"
                              : ", compliance: {law: kelvin-voigt, stiffness: 1e6, "
                                "damping: 150}");
            test_run_go_as(&r, i == 0 ? SPRAG_MOTION_EVENTS : SPRAG_MOTION_COMPLIANT, t, 1e-9);
            assert_int_equal(r.outcome, SPRAG_RUN_DONE);
            double spin = sprag_run_velocity(r.run)[space ? 4 : 2] * (space ? -1 : 1);
            if (i == 0)
                wanted = spin;
            else
                off[i - 1] = fabs(spin - wanted);
            physics_assert_account(&r, 1e-8);
            test_run_close(&r);
        }
        assert_true(off[0] < 0.05 && off[1] < 0.4 * off[0]);
    }
}

// ---- Time stepping ------------------------------------------------------------------------------

// Largest difference of velocities between events and steps of length h.
static double stepped(const char *text, double t, double h)
{
    TestRun r;
    double v[12];
    test_run_open(&r, context, text);
    test_run_go_as(&r, SPRAG_MOTION_EVENTS, t, 1e-10);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    int n = sprag_system_velocity_count(r.system);
    memcpy(v, sprag_run_velocity(r.run), (size_t)n * sizeof *v);
    double friction = sprag_run_sample(r.run)->energy.friction;
    test_run_close(&r);
    test_run_open(&r, context, text);
    SpragRunSettings settings = sprag_run_default();
    SpragSink sink = test_run_sink(&r);
    settings.motion = SPRAG_MOTION_STEPPING;
    settings.step = h;
    assert_ok(context, sprag_run_create(r.system, &settings, &sink, &r.run));
    assert_ok(context, sprag_run_advance(r.run, t, &r.outcome));
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    double most = 0;
    for (int k = 0; k < n; k++)
        most = fmax(most, fabs(sprag_run_velocity(r.run)[k] - v[k]));
    physics_assert_account(&r, 1e-10);
    assert_close(sprag_run_sample(r.run)->energy.friction, friction, 30 * h * (1 + friction));
    assert_int_equal(sprag_run_stepping(r.run).unsolved, 0);
    test_run_close(&r);
    return most;
}

static void test_stepping_converges(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "sprag: 1\nbodies:\n"
        "  - {name: bar, mass: 1.3, inertia: 0.03, position: [0.25, 0],\n"
        "     shapes: [{rod: {length: 0.5}}]}\n"
        "joints: [{name: pin, type: revolute, between: [world, bar.a], at: [0, 0],\n"
        "          friction: 0.4, radius: 0.02}]\n",
        "sprag: 1\nbodies:\n" // two pins
        "  - {name: u, mass: 1, inertia: 0.02, position: [0.25, 0], sites: {a: [-0.25, 0],\n"
        "     b: [0.25, 0]}}\n"
        "  - {name: l, mass: 0.7, inertia: 0.01, position: [0.7, 0], sites: {a: [-0.2, 0]}}\n"
        "joints:\n"
        "  - {name: p, type: revolute, between: [world, u.a], at: [0, 0], friction: 0.3,\n"
        "     radius: 0.03}\n"
        "  - {name: s, type: revolute, between: [u.b, l.a], friction: 0.3, radius: 0.03}\n",
        "sprag: 1\ngravity: [0, -9.81]\nbodies:\n" // a drawer that is pulled beside its axis
        "  - {name: d, mass: 2, inertia: 0.1, sites: {h: [0.2, 0.1]}}\n"
        "joints: [{name: s, type: prismatic, between: [world, d.com], at: [0, 0], axis: [1, 0],\n"
        "          friction: 0.3, bearing: 0.3}]\n"
        "loads: [{body: d, force: [30*cos(9*t), 0], at: d.h}]\n"};
    const double until[] = {0.9, 0.31, 0.43};
    for (int i = 0; i < 3; i++) {
        double coarse = stepped(texts[i], until[i], 2e-3), fine = stepped(texts[i], until[i], 5e-4);
        assert_true(coarse < 0.2);
        assert_true(fine < 0.45 * coarse);
    }
}

// A screw jack that is turned on and then comes to rest in its own friction.
static void test_stepping_screw(void **state)
{
    (void)state;
    const char *text =
        "sprag: 1\ndimension: 3\nbodies:\n"
        "  - {name: spindle, mass: 1, inertia: [1e-4, 1e-4, 1e-4], spin: [0, 0, -3]}\n"
        "  - {name: stage, mass: 10, inertia: [0.1, 0.1, 0.1],\n"
        "     velocity: [0, 0, 0.002387324146378430]}\n"
        "joints:\n"
        "  - {name: turn, type: revolute, between: [world, spindle.com], axis: [0, 0, 1]}\n"
        "  - {name: rail, type: prismatic, between: [world, stage.com], axis: [0, 0, 1]}\n"
        "  - {name: nut, type: screw, between: [spindle.com, stage.com], axis: [0, 0, 1],\n"
        "     lead: 5 mm, radius: 5 mm, thread-angle: 15 deg, friction: 0.3}\n"
        "loads: [{joint: turn, torque: -0.5*sin(40*t)}]\n";
    double coarse = stepped(text, 0.19, 1e-3), fine = stepped(text, 0.19, 2.5e-4);
    assert_true(coarse < 20 && fine < 0.45 * coarse);
}

// ---- Controllers that sample --------------------------------------------------------------------

// A slider under kp, kd, ki with a limit, sampled: between samples it moves under a constant force,
// so that the motion is a recursion; by events and by steps of any length.
static void test_sampled_controller(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        double m = 2, kp = 20, kd = i % 2 ? 3 : 6, ki = i % 4 < 2 ? 5 : 0, T = i < 4 ? 0.037 : 0.02;
        double limit = i % 3 ? 15 : 4, x = 0, v = 0, sum = 0, t = 1, now = 0, reached = 0;
        for (int k = 0; now < t - 1e-12; k++) {
            if (k > 0)
                sum += T * (1 - x);
            double u = kp * (1 - x) - kd * v + ki * sum;
            u = fmin(fmax(u, -limit), limit);
            reached = fmax(reached, fabs(u));
            double h = fmin(T, t - now);
            x += v * h + u / m * h * h / 2;
            v += u / m * h;
            now += h;
        }
        assert_true(limit > 10 || reached == limit);
        for (int motion = 0; motion < 2; motion++) {
            TestRun r;
            physics_open(&r,
                         "sprag: 1\ngravity: [0, 0]\n"
                         "bodies: [{name: c, mass: %.17g, inertia: 1}]\n"
                         "joints: [{name: rail, type: prismatic, between: [world, c.com],\n"
                         "          at: [0, 0], axis: [1, 0]}]\n"
                         "controllers: [{joint: rail, pd: {kp: %.17g, kd: %.17g, ki: %.17g,\n"
                         "               target: 1}, limit: %.17g, every: %.17g}]\n",
                         m, kp, kd, ki, limit, T);
            SpragRunSettings settings = sprag_run_default();
            SpragSink sink = test_run_sink(&r);
            settings.motion = motion == 0 ? SPRAG_MOTION_EVENTS : SPRAG_MOTION_STEPPING;
            settings.step = 7e-3; // no divisor of the period
            assert_ok(context, sprag_run_create(r.system, &settings, &sink, &r.run));
            assert_ok(context, sprag_run_advance(r.run, t, &r.outcome));
            assert_int_equal(r.outcome, SPRAG_RUN_DONE);
            assert_close(sprag_run_position(r.run)[0], x, 1e-9);
            assert_close(sprag_run_velocity(r.run)[0], v, 1e-9);
            physics_assert_account(&r, 1e-10);
            test_run_close(&r);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compliant_screw),      cmocka_unit_test(test_rates),
        cmocka_unit_test(test_pilot_there_and_back), cmocka_unit_test(test_klein_stops),
        cmocka_unit_test(test_pins_on_layers),       cmocka_unit_test(test_stepping_converges),
        cmocka_unit_test(test_stepping_screw),       cmocka_unit_test(test_sampled_controller)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}
