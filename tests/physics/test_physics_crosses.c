// Joints that rub along more than one way, theory.md (9.41), (9.42): the cross of a universal joint
// against its two angles integrated here, a shaft that turns and slides in a bore.
#include "physics.h"

// ---- The cross ----------------------------------------------------------------------------------

// A body on a universal joint: pin x of the world, then pin y of the body; its centre hangs at
// −length z.
typedef struct Cross {
    double mass, inertia[3], length, radius, mu;
    double y[4]; // a, b, a', b'
} Cross;

static SpragVec3 along(double s, SpragVec3 a, double t, SpragVec3 b)
{
    return sprag_vec3_add(sprag_vec3_scale(s, a), sprag_vec3_scale(t, b));
}

// R = Rx(a) Ry(b).
static void cross_axes(const double *y, SpragVec3 axes[3])
{
    double ca = cos(y[0]), sa = sin(y[0]), cb = cos(y[1]), sb = sin(y[1]);
    axes[0] = sprag_vec3(cb, sa * sb, -ca * sb);
    axes[1] = sprag_vec3(0, ca, sa);
    axes[2] = sprag_vec3(sb, -sa * cb, ca * cb);
}

static SpragVec3 cross_inertia(const Cross *c, const SpragVec3 axes[3], SpragVec3 w)
{
    SpragVec3 sum = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        sum = along(1, sum, c->inertia[k] * sprag_vec3_dot(axes[k], w), axes[k]);
    return sum;
}

// Momentum about the joint for a rate w.
static SpragVec3 cross_whole(const Cross *c, const SpragVec3 axes[3], SpragVec3 arm, SpragVec3 w)
{
    return along(1, cross_inertia(c, axes, w), c->mass,
                 sprag_vec3_cross(arm, sprag_vec3_cross(w, arm)));
}

// What Newton and Euler leave for the two angles, with friction of both pins from the force that
// the motion asks for, by repeated substitution.
static void cross_rates(const Cross *c, const double *y, double *rate)
{
    SpragVec3 axes[3], e[2] = {{1, 0, 0}, {0, 1, 0}}, g = {0, 0, -PHYSICS_GRAVITY};
    cross_axes(y, axes);
    e[1] = axes[1];
    SpragVec3 arm = sprag_vec3_scale(-c->length, axes[2]), w = along(y[2], e[0], y[3], e[1]);
    SpragVec3 turning = sprag_vec3_scale(y[2] * y[3], sprag_vec3_cross(e[0], e[1]));
    SpragVec3 inward = sprag_vec3_cross(w, sprag_vec3_cross(w, arm));
    SpragVec3 rest = along(c->mass, sprag_vec3_cross(arm, along(1, g, -1, inward)), -1,
                           sprag_vec3_cross(w, cross_inertia(c, axes, w)));
    rest = along(1, rest, -1, cross_whole(c, axes, arm, turning));
    double A[2][2], torque[2] = {0, 0}, change = 1;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            A[i][j] = sprag_vec3_dot(e[i], cross_whole(c, axes, arm, e[j]));
    double det = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    for (int k = 0; k < 200 && change > 1e-15; k++) {
        double r[2] = {sprag_vec3_dot(e[0], rest) + torque[0],
                       sprag_vec3_dot(e[1], rest) + torque[1]};
        rate[2] = (r[0] * A[1][1] - A[0][1] * r[1]) / det;
        rate[3] = (A[0][0] * r[1] - A[1][0] * r[0]) / det;
        SpragVec3 dw = along(1, along(rate[2], e[0], rate[3], e[1]), 1, turning);
        SpragVec3 a = along(1, sprag_vec3_cross(dw, arm), 1, inward);
        SpragVec3 F = sprag_vec3_scale(c->mass, along(1, a, -1, g));
        change = 0;
        for (int i = 0; i < 2; i++) {
            SpragVec3 across = along(1, F, -sprag_vec3_dot(F, e[i]), e[i]);
            double size = c->mu * c->radius * sprag_vec3_norm(across);
            double now = y[2 + i] > 0 ? -size : y[2 + i] < 0 ? size : 0;
            change = fmax(change, fabs(now - torque[i]));
            torque[i] = now;
        }
    }
    rate[0] = y[2];
    rate[1] = y[3];
}

static void cross_step(Cross *c, double h)
{
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    double k[4][4], sum[4] = {0}, y[4];
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++)
            y[j] = c->y[j] + (i ? at[i] * h * k[i - 1][j] : 0);
        cross_rates(c, y, k[i]);
        for (int j = 0; j < 4; j++)
            sum[j] += weight[i] * k[i][j];
    }
    for (int j = 0; j < 4; j++)
        c->y[j] += h / 6 * sum[j];
}

// To t; a pin that comes to rest there goes on the other way (the pendulum swings), by halvings of
// the step.
static void cross_run(Cross *c, double t, double h)
{
    for (double now = 0; now < t - 1e-14;) {
        double step = fmin(h, t - now);
        Cross next = *c;
        cross_step(&next, step);
        while (step > 1e-13 && (next.y[2] * c->y[2] < 0 || next.y[3] * c->y[3] < 0)) {
            step /= 2;
            next = *c;
            cross_step(&next, step);
        }
        if (step <= 1e-13)
            for (int i = 2; i < 4; i++)
                next.y[i] = fabs(next.y[i]) < 1e-9 ? -copysign(1e-300, c->y[i]) : next.y[i];
        *c = next;
        now += step;
    }
}

static void open_cross(TestRun *r, const Cross *c, const char *more)
{
    SpragVec3 axes[3];
    cross_axes(c->y, axes);
    physics_open(r,
                 "sprag: 1\ndimension: 3\nbodies:\n"
                 "  - {name: rod, mass: %.17g, inertia: [%.17g, %.17g, %.17g],\n"
                 "     position: [0, 0, %.17g], spin: [%.17g, %.17g, 0],\n"
                 "     velocity: [%.17g, %.17g, 0]}\n"
                 "joints:\n  - {name: cross, type: universal, between: [world, rod],\n"
                 "     at: [0, 0, 0], axis: [1, 0, 0], second-axis: [0, 1, 0],\n"
                 "     radius: %.17g, friction: %.17g%s}\n",
                 c->mass, c->inertia[0], c->inertia[1], c->inertia[2], -c->length, c->y[2], c->y[3],
                 -c->length * c->y[3], c->length * c->y[2], c->radius, c->mu, more);
}

// Angles of a run's only body.
static void assert_angles(const TestRun *r, const Cross *c, double tolerance)
{
    const double *q = sprag_run_position(r->run);
    SpragVec3 axes[3];
    cross_axes(c->y, axes);
    assert_close(q[0], -c->length * axes[2].x, tolerance);
    assert_close(q[1], -c->length * axes[2].y, tolerance);
    assert_close(q[2], -c->length * axes[2].z, tolerance);
}

static void test_cross(void **state)
{
    (void)state;
    const Cross start = {.mass = 2,
                         .inertia = {0.05, 0.07, 0.02},
                         .length = 0.5,
                         .radius = 0.03,
                         .mu = 0.2,
                         .y = {0, 0, 1.5, -2}};
    Cross own = start;
    TestRun r;
    cross_run(&own, 2, 1e-3); // five reversals; h⁴
    open_cross(&r, &start, "");
    test_run_go(&r, 2, 1e-11);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_angles(&r, &own, 1e-9);
    assert_true(test_run_event(&r, SPRAG_EVENT_SLIP_REVERSAL, 4) >= 0);
    for (int i = 0; i < r.verdict_count; i++)
        assert_int_equal(r.verdicts[i].kind, SPRAG_VERDICT_UNIQUE);
    physics_assert_account(&r, 1e-11);
    test_run_close(&r);
    // time stepping errs by h²
    open_cross(&r, &start, "");
    test_run_go_as(&r, SPRAG_MOTION_STEPPING, 2, 1e-9);
    assert_angles(&r, &own, 2e-4);
    test_run_close(&r);
    // stiff pins: deflections of F/K = 2e-6 m that begin at 0
    own = start;
    cross_run(&own, 0.2, 1e-3);
    open_cross(&r, &start, ", compliance: {law: kelvin-voigt, stiffness: 1e7, damping: 2000}");
    test_run_go_as(&r, SPRAG_MOTION_COMPLIANT, 0.2, 1e-9);
    assert_angles(&r, &own, 1e-5);
    physics_assert_account(&r, 1e-9);
    test_run_close(&r);
}

// Random bodies, before the first reversal.
static void test_crosses(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 7);
    for (int draw = 0; draw < test_draws(4); draw++) {
        Cross own = {.mass = sprag_random_uniform(&random, 0.5, 3),
                     .length = sprag_random_uniform(&random, 0.1, 1),
                     .radius = sprag_random_uniform(&random, 0.005, 0.05),
                     .mu = sprag_random_uniform(&random, 0.05, 0.5)};
        double size = own.mass * 0.1, t = 0.05;
        for (int k = 0; k < 3; k++)
            own.inertia[k] = size * sprag_random_uniform(&random, 1, 1.9);
        for (int k = 2; k < 4; k++)
            own.y[k] =
                sprag_random_uniform(&random, 2, 5) * (sprag_random_below(&random, 2) ? 1 : -1);
        TestRun r;
        open_cross(&r, &own, "");
        cross_run(&own, t, 5e-4);
        test_run_go(&r, t, 1e-11);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        assert_angles(&r, &own, 1e-10);
        test_run_close(&r);
    }
}

// Tilted about either pin it holds up to sin(tilt) = μ r/L: friction circles.
static void test_cross_holds(void **state)
{
    (void)state;
    const double L = 0.5, radius = 0.05, mu = 0.3, most = asin(mu * radius / L);
    for (int pin = 0; pin < 2; pin++)
        for (int side = 0; side < 2; side++) {
            double tilt = most * (side == 0 ? 0.999 : 1.001);
            TestRun r;
            physics_open(&r,
                         "sprag: 1\ndimension: 3\nbodies:\n"
                         "  - {name: rod, mass: 2, inertia: [0.05, 0.05, 0.02],\n"
                         "     position: [%.17g, %.17g, %.17g]}\n"
                         "joints:\n  - {name: cross, type: universal, between: [world, rod],\n"
                         "     at: [0, 0, 0], axis: [1, 0, 0], second-axis: [0, 1, 0],\n"
                         "     radius: %.17g, friction: %.17g}\n",
                         pin == 1 ? -L * sin(tilt) : 0, pin == 0 ? L * sin(tilt) : 0,
                         -L * cos(tilt), radius, mu);
            test_run_go(&r, 0.1, 1e-9);
            assert_int_equal(r.outcome, SPRAG_RUN_DONE);
            const SpragRunSample *sample = sprag_run_sample(r.run);
            assert_int_equal(sample->contacts[pin].mode != SPRAG_MODE_STICK, side);
            assert_int_equal(sample->contacts[1 - pin].mode, SPRAG_MODE_STICK);
            assert_close(sample->contacts[0].normal, 2 * PHYSICS_GRAVITY, 0.1);
            test_run_close(&r);
        }
}

// ---- The shaft ----------------------------------------------------------------------------------

// On a level axis the pressure is the weight.
typedef struct Shaft {
    double mass, inertia, radius, mu;
    double force, torque; // per second, along and about the axis
    double v, w;
} Shaft;

static void shaft_rates(const Shaft *s, double t, const double *y, double *rate)
{
    double slip = hypot(y[0], s->radius * y[1]), most = s->mu * s->mass * PHYSICS_GRAVITY;
    rate[0] = (s->force * t - most * y[0] / slip) / s->mass;
    rate[1] = (s->torque * t - most * s->radius * s->radius * y[1] / slip) / s->inertia;
}

// Steps no longer than a part of the time in which friction turns the slip.
static void shaft_run(Shaft *s, double from, double to)
{
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    double least = fmin(1, s->inertia / (s->mass * s->radius * s->radius));
    for (double t = from; t < to - 1e-13;) {
        double slip = hypot(s->v, s->radius * s->w), k[4][2], sum[2] = {0};
        double h = fmin(fmin(0.05 * slip * least / (s->mu * PHYSICS_GRAVITY), 1e-3), to - t);
        for (int i = 0; i < 4; i++) {
            double y[2] = {s->v + (i ? at[i] * h * k[i - 1][0] : 0),
                           s->w + (i ? at[i] * h * k[i - 1][1] : 0)};
            shaft_rates(s, t + at[i] * h, y, k[i]);
            for (int j = 0; j < 2; j++)
                sum[j] += weight[i] * k[i][j];
        }
        s->v += h / 6 * sum[0];
        s->w += h / 6 * sum[1];
        t += h;
    }
}

static void open_shaft(TestRun *r, const Shaft *s)
{
    physics_open(r,
                 "sprag: 1\ndimension: 3\nbodies:\n"
                 "  - {name: shaft, mass: %.17g, inertia: [%.17g, 1, 1],\n"
                 "     velocity: [%.17g, 0, 0], spin: [%.17g, 0, 0]}\n"
                 "joints:\n  - {name: bore, type: cylindrical, between: [world, shaft.com],\n"
                 "     at: [0, 0, 0], axis: [1, 0, 0], radius: %.17g, friction: %.17g}\n"
                 "loads: [{body: shaft, force: [%.17g*t, 0, 0], torque: [%.17g*t, 0, 0]}]\n",
                 s->mass, s->inertia, s->v, s->w, s->radius, s->mu, s->force, s->torque);
}

// While it slips friction is μ times the pressure, and opposite to the slip.
static void look_at_friction(TestRun *r, const SpragRunSample *sample)
{
    const Shaft *s = r->user;
    const SpragRunContact *bore = &sample->contacts[0];
    double slip = hypot(bore->slips[0], bore->slips[1]), size = s->mass * PHYSICS_GRAVITY;
    assert_close(bore->normal, size, 1e-9 * size);
    if (bore->mode != SPRAG_MODE_SLIDE || slip < 1e-3)
        return;
    for (int k = 0; k < 2; k++)
        assert_close(bore->tangentials[k], -s->mu * size * bore->slips[k] / slip, 1e-6 * size);
}

static void test_shaft(void **state)
{
    (void)state;
    const Shaft start = {.mass = 2, .inertia = 0.05, .radius = 0.1, .mu = 0.3, .v = 1.5, .w = 8};
    const SpragMotionKind motions[] = {SPRAG_MOTION_EVENTS, SPRAG_MOTION_AUTO,
                                       SPRAG_MOTION_STEPPING};
    for (int i = 0; i < 3; i++) {
        Shaft own = start;
        bool steps = motions[i] == SPRAG_MOTION_STEPPING;
        TestRun r;
        open_shaft(&r, &start);
        r.user = &own;
        r.look = steps ? NULL : look_at_friction;
        test_run_go_as(&r, motions[i], 0.4, 1e-10);
        shaft_run(&own, 0, 0.4);
        const double *v = sprag_run_velocity(r.run);
        // a step of 1e-3 s turns the slip by up to 1e-3 of itself
        assert_close(v[0], own.v, steps ? 1e-3 : 1e-9);
        assert_close(v[3], own.w, steps ? 4e-3 : 1e-8);
        physics_assert_account(&r, 1e-10);
        // it ends at rest, and stays
        assert_ok(context, sprag_run_advance(r.run, 1, &r.outcome));
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        assert_close(v[0], 0, 1e-12);
        assert_close(v[3], 0, 1e-12);
        test_run_close(&r);
    }
    // with I = m r² the slip keeps its direction and ends after |s|/(μ g)
    Shaft round = start;
    round.inertia = round.mass * round.radius * round.radius;
    TestRun r;
    open_shaft(&r, &round);
    test_run_go(&r, 1, 1e-10);
    int stick = test_run_event(&r, SPRAG_EVENT_STICK, 0);
    assert_true(stick >= 0);
    assert_close(r.events[stick].t, hypot(1.5, 0.8) / (0.3 * PHYSICS_GRAVITY), 1e-6);
    test_run_close(&r);
}

// Loads that grow in proportion: it starts when their sum of squares reaches the disc, though each
// alone is far inside; in the direction of the load, since friction has no size to spare for any
// other. Behind the start, to first order in τ = t − t_s: d = e + c τ n, slip = κ τ²/2 e with
// W (F' − μ N c n) = κ e.
static void test_shaft_starts(void **state)
{
    (void)state;
    Shaft own = {.mass = 2, .inertia = 0.05, .radius = 0.1, .mu = 0.3, .force = 4, .torque = 0.3};
    double most = own.mu * own.mass * PHYSICS_GRAVITY, begin = most / 5, e[2] = {0.8, 0.6};
    double W[2] = {1 / own.mass, own.radius * own.radius / own.inertia};
    // W0 (4 + 0.6 x) = 0.8 κ, W1 (3 − 0.8 x) = 0.6 κ
    double x = (4 * W[0] / 0.8 - 3 * W[1] / 0.6) / -(0.6 * W[0] / 0.8 + 0.8 * W[1] / 0.6);
    double kappa = W[0] * (4 + 0.6 * x) / 0.8, tau = 2e-3;
    TestRun r;
    open_shaft(&r, &own);
    r.user = &own;
    r.look = look_at_friction;
    test_run_go(&r, 2, 1e-11);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    int start = test_run_event(&r, SPRAG_EVENT_SLIP_START, 0);
    assert_true(start >= 0 && r.event_count == 1);
    assert_close(r.events[start].t, begin, 1e-9);
    own.v = e[0] * kappa * tau * tau / 2;
    own.w = e[1] * kappa * tau * tau / 2 / own.radius;
    shaft_run(&own, begin + tau, 2);
    const double *v = sprag_run_velocity(r.run);
    // the next order of the start is τ of a slip that is τ² of what follows
    assert_close(v[0], own.v, 1e-7);
    assert_close(v[3], own.w, 1e-6);
    physics_assert_account(&r, 1e-9);
    test_run_close(&r);
}

// A blow across the axis: a ball comes to rest on a shaft that turns and slides, P = m v, and the
// slip loses μ P W d; with I = m r² along itself.
static void test_shaft_blow(void **state)
{
    (void)state;
    const double m = 2, radius = 0.1, mu = 0.2, P = 0.5 * 3, slip[2] = {1.5, 0.8};
    double size = hypot(slip[0], slip[1]), left = 1 - mu * P / m / size;
    for (int motion = 0; motion < 2; motion++) {
        TestRun r;
        physics_open(&r,
                     "sprag: 1\ndimension: 3\ngravity: [0, 0, 0]\nbodies:\n"
                     "  - {name: shaft, mass: %.17g, inertia: [%.17g, 0.03, 0.03],\n"
                     "     velocity: [%.17g, 0, 0], spin: [%.17g, 0, 0],\n"
                     "     shapes: [{sphere: {radius: 0.2}}]}\n"
                     "  - {name: ball, mass: 0.5, inertia: [0.002, 0.002, 0.002],\n"
                     "     position: [%.17g, 0, 0.6], velocity: [%.17g, 0, -3],\n"
                     "     shapes: [{sphere: {radius: 0.1}}]}\n"
                     "joints:\n  - {name: bore, type: cylindrical, between: [world, shaft.com],\n"
                     "     at: [0, 0, 0], axis: [1, 0, 0], radius: %.17g, friction: %.17g}\n"
                     "contacts:\n  - {between: [shaft, ball], friction: 0, restitution: 0}\n",
                     m, m * radius * radius, slip[0], slip[1] / radius, 0.0, slip[0], radius, mu);
        // the ball goes along until then, so that it strikes at the top
        test_run_go_as(&r, motion == 0 ? SPRAG_MOTION_EVENTS : SPRAG_MOTION_STEPPING, 0.1005, 1e-9);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        const double *v = sprag_run_velocity(r.run);
        // of a step of 1 ms the ball has moved on by what it slips
        assert_close(v[0], slip[0] * left, motion == 0 ? 1e-3 : 5e-3);
        assert_close(v[3], slip[1] * left / radius, motion == 0 ? 1e-2 : 5e-2);
        physics_assert_account(&r, 1e-7);
        test_run_close(&r);
    }
}

// ---- Loops --------------------------------------------------------------------------------------

// A line of shafts at an angle: hinges and cross repeat each other, and what nothing moves must not
// be taken for a contradiction, whoever rubs and whether it is driven or at rest. The angles are
// Cardan's: tan(out) = cos(angle) tan(in).
static void test_shaft_line(void **state)
{
    (void)state;
    const double angle = 25 * PHYSICS_PI / 180, until = 0.2, speed = 5;
    for (int rubs = 0; rubs < 2; rubs++)
        for (int driven = 0; driven < 2; driven++) {
            TestRun r;
            double x = 0.2 + 0.2 * cos(angle), y = 0.2 * sin(angle);
            const char *friction = ", radius: 0.01, friction: 0.1";
            physics_open(&r,
                         "sprag: 1\ndimension: 3\nbodies:\n"
                         "  - {name: a, mass: 1, inertia: [0.01, 0.01, 0.01],\n"
                         "     shapes: [{points: {e: [0.2, 0, 0]}}]}\n"
                         "  - {name: b, mass: 1, inertia: [0.01, 0.01, 0.01],\n"
                         "     position: [%.17g, %.17g, 0]}\n"
                         "joints:\n"
                         "  - {name: in, type: revolute, between: [world, a.com], at: [0, 0, 0],\n"
                         "     axis: [1, 0, 0]%s}\n"
                         "  - {name: u, type: universal, between: [a.e, b], axis: [0, 0, 1],\n"
                         "     second-axis: [%.17g, %.17g, 0]%s}\n"
                         "  - {name: out, type: revolute, between: [world, b.com],\n"
                         "     at: [%.17g, %.17g, 0], axis: [%.17g, %.17g, 0]%s}\n",
                         x, y, driven ? ", drive: 5*t" : "", -sin(angle), cos(angle),
                         rubs == 0 ? friction : "", x, y, cos(angle), sin(angle),
                         rubs == 1 ? friction : "");
            test_run_go(&r, until, 1e-9);
            assert_int_equal(r.outcome, SPRAG_RUN_DONE);
            double in = driven ? speed * until : 0;
            // b has turned about its own axis by what its quaternion says
            const double *q = sprag_run_position(r.run) + 7 + 3;
            double half = q[1] * cos(angle) + q[2] * sin(angle);
            assert_close(2 * atan2(half, q[0]), atan2(cos(angle) * sin(in), cos(in)), 1e-9);
            if (driven)
                physics_assert_account(&r, 1e-8);
            test_run_close(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cross),        cmocka_unit_test(test_crosses),
        cmocka_unit_test(test_cross_holds),  cmocka_unit_test(test_shaft),
        cmocka_unit_test(test_shaft_starts), cmocka_unit_test(test_shaft_blow),
        cmocka_unit_test(test_shaft_line),
    };
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}
