// A block that rocks on its two lower corners: Housner's ratio of angular speeds and periods where
// friction suffices, and the slip of the new corner where it does not.
#include "physics.h"

#define ROCKING_BLOCK                                                                              \
    "sprag: 1\nbodies:\n" PHYSICS_FLOOR                                                            \
    "  - {name: block, mass: %.17g, position: [%.17g, %.17g], angle: %.17g, velocity: [%.17g, "    \
    "%.17g],\n     spin: %.17g, shapes: [{box: {size: [%.17g, %.17g]}}]}\n"                        \
    "contacts: [{name: foot, between: [block, floor], friction: %.17g, restitution: 0}]\n"

// Half width b, half height h; R their diagonal, α its angle from the upright.
typedef struct Block {
    double mass, b, h, friction;
} Block;

static double inertia(const Block *k)
{
    return k->mass * (k->b * k->b + k->h * k->h) / 3;
}

// Tilted by θ > 0 about its lower right corner, which is at the origin, turning at a rate (falling
// back: < 0). A tilt to the right is clockwise.
static void open_block(TestRun *r, const Block *k, double theta, double rate)
{
    double R = hypot(k->b, k->h), alpha = atan2(k->b, k->h);
    double x = -R * sin(alpha - theta), y = R * cos(alpha - theta);
    // the angle is −θ, so the spin is −rate; v = ω × r
    physics_open(r, ROCKING_BLOCK, k->mass, x, y, -theta, rate * y, -rate * x, -rate, 2 * k->b,
                 2 * k->h, k->friction);
}

// ---- Friction suffices --------------------------------------------------------------------------

// θ'' = −(3g/4R) sin(α − θ), by Runge and Kutta's rule in steps of dt, from (θ, rate) to θ = 0;
// returns the time, and the rate there.
static double fall_back(const Block *k, double theta, double *rate)
{
    double R = hypot(k->b, k->h), alpha = atan2(k->b, k->h), p2 = 0.75 * PHYSICS_GRAVITY / R;
    double t = 0, dt = 1e-4 / sqrt(p2), x = theta, v = *rate;
    while (x > 0 || v > 0) {
        double k1 = -p2 * sin(alpha - x), l1 = v;
        double k2 = -p2 * sin(alpha - x - 0.5 * dt * l1), l2 = v + 0.5 * dt * k1;
        double k3 = -p2 * sin(alpha - x - 0.5 * dt * l2), l3 = v + 0.5 * dt * k2;
        double k4 = -p2 * sin(alpha - x - dt * l3), l4 = v + dt * k3;
        double x1 = x + dt / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
        double v1 = v + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        if (x1 <= 0 && v1 < 0) {
            // the last step ends between: Newton's rule on the cubic through both ends
            double s = x / (x - x1);
            for (int i = 0; i < 8; i++) {
                double value = (1 + 2 * s) * (1 - s) * (1 - s) * x +
                               s * (1 - s) * (1 - s) * dt * v + s * s * (3 - 2 * s) * x1 +
                               s * s * (s - 1) * dt * v1;
                s -= value / (dt * (v + s * (v1 - v)));
            }
            // energy: ½ θ'² + p² cos(α − θ)
            *rate = -sqrt(*rate * *rate + 2 * p2 * (cos(alpha - theta) - cos(alpha)));
            return t + s * dt;
        }
        x = x1;
        v = v1;
        t += dt;
    }
    return t;
}

// Impacts of the run against the pendulum of each corner and the ratio 1 − (3/2) sin²α.
static void test_ratio_and_periods(void **state)
{
    (void)state;
    const Block blocks[] = {{1, 0.1, 0.5, 0.8}, {300, 0.25, 0.7, 0.9}, {0.02, 0.01, 0.02, 1.2}};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        const Block *k = &blocks[i];
        double alpha = atan2(k->b, k->h), sine = sin(alpha), ratio = 1 - 1.5 * sine * sine;
        double needed = 1.5 * sine * cos(alpha) / (2 - 1.5 * sine * sine);
        assert_true(k->friction > needed);
        double theta = 0.6 * alpha, rate = 0, t = fall_back(k, theta, &rate), speed = -rate;
        TestRun r;
        open_block(&r, k, theta, 0);
        test_run_go(&r, 6 * t, 1e-12);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        int compared = 0;
        for (int e = 0; e < r.event_count && compared < 5; e++) {
            const SpragEvent *event = &r.events[e];
            if (event->type != SPRAG_EVENT_IMPACT)
                continue;
            // the corner that lands comes down at 2b times the angular speed; the reference has an
            // error of its steps, 1e-4 of the time scale to the fourth power, and of the cubic
            assert_close(event->t, t, 2e-9 * t);
            assert_close(-event->impact.velocity[0], 2 * k->b * speed, 2e-8 * 2 * k->b * speed);
            assert_close(event->impact.after[1], 0, 1e-12);
            speed *= ratio;
            double forth = speed; // up and down again: the pendulum comes back as it left
            t += fall_back(k, 0, &forth);
            compared++;
        }
        assert_true(compared >= 4);
        physics_assert_account(&r, 1e-9);
        test_run_close(&r);
    }
}

// Housner's quarter period (1/p) acosh(1/(1 − θ/α)) of a slender block, to the order α² that it
// leaves out.
static void test_housner(void **state)
{
    (void)state;
    const Block k = {1, 0.01, 0.5, 0.5};
    double R = hypot(k.b, k.h), alpha = atan2(k.b, k.h), p = sqrt(0.75 * PHYSICS_GRAVITY / R);
    double theta = 0.5 * alpha, quarter = acosh(1 / (1 - theta / alpha)) / p;
    TestRun r;
    open_block(&r, &k, theta, 0);
    test_run_go(&r, 6 * quarter, 1e-9);
    assert_close(r.events[0].t, quarter, alpha * alpha * quarter);
    // the next tilt by energy: 1 − (1 − θ₁/α)² = r² (1 − (1 − θ/α)²)
    double ratio = 1 - 1.5 * sin(alpha) * sin(alpha);
    double left = 1 - (1 - theta / alpha) * (1 - theta / alpha);
    double next = 1 - sqrt(1 - ratio * ratio * left);
    int second = test_run_event(&r, SPRAG_EVENT_IMPACT, 1);
    assert_true(second > 0);
    assert_close(r.events[second].t, quarter + 2 * acosh(1 / (1 - next)) / p,
                 3 * alpha * alpha * quarter);
    test_run_close(&r);
}

// Rocking dies out in finite time: near the end cycles shrink by the ratio, and the run rests.
static void test_dies_out(void **state)
{
    (void)state;
    const Block k = {1, 0.15, 0.3, 0.8};
    TestRun r;
    open_block(&r, &k, 0.05, 0);
    test_run_go(&r, 4, 1e-9);
    int landing = test_run_event(&r, SPRAG_EVENT_LANDING, 0);
    int rest = test_run_event(&r, SPRAG_EVENT_REST, 0);
    assert_true(landing > 0 && rest > landing);
    assert_non_null(strstr(r.events[landing].detail, "Zeno"));
    // every half cycle lasts 2ω/(3g b/4R²) near the end, and shrinks by the ratio
    double R2 = k.b * k.b + k.h * k.h, ratio = 1 - 1.5 * k.b * k.b / R2;
    int last = landing;
    while (r.events[last].type != SPRAG_EVENT_IMPACT)
        last--;
    double speed = -r.events[last].impact.velocity[0] / (2 * k.b) * ratio;
    double half = 2 * speed / (0.75 * PHYSICS_GRAVITY * k.b / R2);
    double limit = r.events[last].t + half / (1 - ratio);
    // the half cycle left out is one of 1e-5 s: its forces differ by that much
    assert_close(r.events[landing].t, limit, 1e-9);
    assert_close(sprag_run_position(r.run)[2], 0, 1e-9);
    physics_assert_account(&r, 1e-9);
    test_run_close(&r);
}

// ---- Friction does not suffice ------------------------------------------------------------------

// A block that slides on its left corner: (x, θ) of the centre and their rates; θ the angle. The
// corner is at r = R(θ) (−b, −h) from the centre; slip = x' − θ' r_y.
typedef struct Slide {
    const Block *k;
    double direction;
} Slide;

static double slip_of(const Slide *s, const double *y)
{
    double ry = -s->k->b * sin(y[1]) - s->k->h * cos(y[1]);
    return y[2] - y[3] * ry;
}

static void slide_rate(const Slide *s, const double *y, double *dy)
{
    const Block *k = s->k;
    double c = cos(y[1]), n = sin(y[1]);
    double rx = -k->b * c + k->h * n, ry = -k->b * n - k->h * c, mu = -s->direction * k->friction;
    // the corner stays down: y'' + θ'' r_x − θ'² r_y = 0 with m y'' = N − m g, I θ'' = N (r_x − μ
    // r_y)
    double N =
        (PHYSICS_GRAVITY + y[3] * y[3] * ry) / (1 / k->mass + rx * (rx - mu * ry) / inertia(k));
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = mu * N / k->mass;
    dy[3] = N * (rx - mu * ry) / inertia(k);
}

static void slide_step(const Slide *s, double dt, double *y)
{
    double a[4], b[4], c[4], d[4], z[4];
    slide_rate(s, y, a);
    for (int i = 0; i < 4; i++)
        z[i] = y[i] + 0.5 * dt * a[i];
    slide_rate(s, z, b);
    for (int i = 0; i < 4; i++)
        z[i] = y[i] + 0.5 * dt * b[i];
    slide_rate(s, z, c);
    for (int i = 0; i < 4; i++)
        z[i] = y[i] + dt * c[i];
    slide_rate(s, z, d);
    for (int i = 0; i < 4; i++)
        y[i] += dt / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
}

typedef struct After {
    double v[3];
    bool done;
} After;

static void keep_after(TestRun *r, const SpragRunSample *sample)
{
    After *after = r->user;
    if (!after->done && !sample->before_event)
        memcpy(after->v, sample->v, sizeof after->v);
    after->done |= !sample->before_event;
}

// The block comes down on its left corner with the right one as pivot: the left one has no slip,
// needs more friction than there is, and slides from rest: P_T = −μ sgn(S) P, P = −C/B (10.4 g).
static void test_slip(void **state)
{
    (void)state;
    const double shares[] = {0.2, 0.5, 0.8, 0.97};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        Block k = {2, 0.3, 0.4, 0};
        double alpha = atan2(k.b, k.h), sine = sin(alpha), omega = 2, I = inertia(&k);
        k.friction = shares[i] * 1.5 * sine * cos(alpha) / (2 - 1.5 * sine * sine);
        TestRun r;
        After after = {0};
        open_block(&r, &k, 0, -omega);
        r.look = keep_after;
        r.user = &after;
        // counter-clockwise about the right corner: v = ω (−h, −b); the left corner, r = (−b, −h),
        // must be pushed to the right, so it slips to the left
        double slip, mu = k.friction, C = -2 * k.b * omega;
        double W = 1 / k.mass + (k.b * k.b - mu * k.b * k.h) / I;
        double P = -C / W;
        double v[3] = {-omega * k.h + mu * P / k.mass, -omega * k.b + P / k.mass,
                       omega + P * (-k.b + mu * k.h) / I};
        slip = v[0] + v[2] * k.h;
        assert_true(slip < 0);
        // the old corner must lift for this to be the whole impact
        assert_true(v[1] + v[2] * k.b > 0);
        Slide s = {&k, -1};
        double y[4] = {-k.b, 0, v[0], v[2]}, t = 0, dt = 1e-5;
        while (slip_of(&s, y) < 0 && y[1] >= 0 && t < 0.05) {
            slide_step(&s, dt, y);
            t += dt;
        }
        t -= dt; // the last whole step that slides on one corner
        double back[4] = {-k.b, 0, v[0], v[2]};
        for (double at = 0; at < t - 0.5 * dt; at += dt)
            slide_step(&s, dt, back);
        test_run_go(&r, t, 1e-10);
        for (int j = 0; j < 3; j++)
            assert_close(after.v[j], v[j], 1e-12);
        const double *q = sprag_run_position(r.run), *u = sprag_run_velocity(r.run);
        // tolerance of the run
        assert_close(q[0], back[0], 1e-9);
        assert_close(q[2], back[1], 1e-9);
        assert_close(u[0], back[2], 1e-8);
        assert_close(u[2], back[3], 1e-8);
        physics_assert_account(&r, 1e-9);
        test_run_close(&r);
    }
}

// ---- The end of a rattling tower ----------------------------------------------------------------

// Two blocks, one on the other, after they have rocked down to micrometres a second. Between them
// no weight acts while both fall, so that each impact threw the upper one off for a flight that
// nobody can see, and the events went on for ever.
static void test_tower_comes_to_rest(void **state)
{
    (void)state;
    TestRun r;
    physics_open(&r,
                 "sprag: 1\nbodies:\n" PHYSICS_FLOOR
                 "  - {name: b0, mass: 0.426, position: [-0.02879988275178, 0.20250000082193],\n"
                 "     angle: -4.59178e-09, velocity: [9.97844e-06, 8.82045e-06],\n"
                 "     spin: -4.92762e-05, shapes: [{box: {size: [0.358, 0.405]}}]}\n"
                 "  - {name: b1, mass: 0.348, position: [-0.012068489194207, 0.68000000084934],\n"
                 "     angle: -5.23415e-09, velocity: [2.92028e-05, 5.45575e-06],\n"
                 "     spin: -3.36217e-05, shapes: [{box: {size: [0.553, 0.55]}}]}\n"
                 "contacts: [{between: ['*', '*'], friction: 0.618, restitution: 0.32,\n"
                 "            compliance: {law: kelvin-voigt, stiffness: 1e4, damping: 100}}]\n");
    test_run_go(&r, 0.003, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    physics_assert_account(&r, 1e-9);
    for (int i = 0; i < 6; i++)
        assert_true(fabs(sprag_run_velocity(r.run)[i]) < 1e-12);
    test_run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ratio_and_periods),
        cmocka_unit_test(test_housner),
        cmocka_unit_test(test_dies_out),
        cmocka_unit_test(test_slip),
        cmocka_unit_test(test_tower_comes_to_rest),
    };
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}
