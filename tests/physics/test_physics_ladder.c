// Ladder and rod with two contacts against closed forms and an integration in one coordinate.
#include "physics.h"

// ---- The ladder ---------------------------------------------------------------------------------

// A uniform ladder of length 2 L, foot on the floor at angle θ, top at the wall, both sliding with
// friction μ. Unknowns N, R, θ'':
//     m x'' = R − μ N,  m y'' = N + μ R − m g,  −I θ'' = N L (c − μ s) − R L (μ c + s)
// with x = L cos θ, y = L sin θ, I = m L²/3.
typedef struct Ladder {
    double m, L, mu, theta, omega, t, N, R;
} Ladder;

static double ladder_rate(Ladder *l, double theta, double omega)
{
    double s = sin(theta), c = cos(theta), m = l->m, L = l->L, mu = l->mu, I = m * L * L / 3;
    // rows (N, R, θ'') = right
    double a[3][4] = {{-mu, 1, m * L * s, -m * L * c * omega * omega},
                      {1, mu, -m * L * c, m * PHYSICS_GRAVITY - m * L * s * omega * omega},
                      {L * (c - mu * s), -L * (mu * c + s), I, 0}};
    for (int k = 0; k < 3; k++) {
        int p = k;
        for (int i = k + 1; i < 3; i++)
            p = fabs(a[i][k]) > fabs(a[p][k]) ? i : p;
        for (int j = 0; j < 4; j++) {
            double swap = a[k][j];
            a[k][j] = a[p][j];
            a[p][j] = swap;
        }
        for (int i = 0; i < 3; i++) {
            double f = i == k ? 0 : a[i][k] / a[k][k];
            for (int j = k; j < 4; j++)
                a[i][j] -= f * a[k][j];
        }
    }
    l->N = a[0][3] / a[0][0];
    l->R = a[1][3] / a[1][1];
    return a[2][3] / a[2][2];
}

static void ladder_step(Ladder *l, double h)
{
    double k[4][2], th = l->theta, w = l->omega;
    for (int i = 0; i < 4; i++) {
        double part = i == 0 ? 0 : i == 3 ? h : 0.5 * h;
        double *before = i == 0 ? k[0] : k[i - 1];
        double at = i == 0 ? th : th + part * before[0], rate = i == 0 ? w : w + part * before[1];
        k[i][0] = rate;
        k[i][1] = ladder_rate(l, at, rate);
    }
    l->theta += h / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]);
    l->omega += h / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
    l->t += h;
    ladder_rate(l, l->theta, l->omega);
}

// Goes on until the wall's force vanishes.
static void ladder_to_separation(Ladder *l)
{
    Ladder before = *l;
    while (l->t == 0 || l->R > 0) {
        before = *l;
        ladder_step(l, 1e-4);
    }
    double lo = 0, hi = 1e-4;
    while (hi - lo > 1e-14) {
        double middle = 0.5 * (lo + hi);
        *l = before;
        ladder_step(l, middle);
        if (l->R > 0)
            lo = middle;
        else
            hi = middle;
    }
}

static void open_ladder(TestRun *r, double L, double theta, double mu)
{
    physics_open(r,
                 "sprag: 1\nbodies:\n" PHYSICS_FLOOR
                 "  - {name: wall, fixed: true, shapes: [{plane: {normal: [1, 0]}}]}\n"
                 "  - {name: ladder, mass: 3, position: [%.17g, %.17g], angle: pi - %.17g,\n"
                 "     shapes: [{rod: {length: %.17g}}]}\n"
                 "contacts:\n"
                 "  - {name: foot, between: [ladder.a, floor], friction: %.17g}\n"
                 "  - {name: top, between: [ladder.b, wall], friction: %.17g}\n",
                 L * cos(theta), L * sin(theta), theta, 2 * L, mu, mu);
}

static int slot_named(const TestRun *r, const char *name)
{
    for (int slot = 0; slot < sprag_system_contact_count(r->system); slot++)
        if (strcmp(sprag_system_contact_name(r->system, slot), name) == 0)
            return slot;
    fail_msg("no contact %s", name);
    return -1;
}

static void check_event(const TestRun *r, int event, SpragEventType type, const char *contact,
                        double t, double tolerance)
{
    assert_true(event < r->event_count);
    assert_int_equal(r->events[event].type, type);
    assert_int_equal(r->events[event].contact, slot_named(r, contact));
    assert_close(r->events[event].t, t, tolerance);
}

// Frictionless it leaves the wall where sin θ is 2/3 of sin θ0, with ω² = (3 g/2 L)(sin θ0 − sin
// θ); from then on the floor gives no horizontal force, and momentum along it stays.
static void test_smooth_ladder(void **state)
{
    (void)state;
    static const double angles[] = {80, 60, 35};
    for (int i = 0; i < 3; i++) {
        double L = 1.25, theta0 = angles[i] * PHYSICS_PI / 180;
        Ladder l = {.m = 3, .L = L, .mu = 0, .theta = theta0};
        ladder_to_separation(&l);
        assert_close(sin(l.theta), 2 * sin(theta0) / 3, 1e-10);
        TestRun r;
        open_ladder(&r, L, theta0, 0);
        test_run_go(&r, l.t + 0.1, 1e-10);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        assert_int_equal(r.event_count, 1);
        check_event(&r, 0, SPRAG_EVENT_SEPARATION, "top", l.t, 1e-7);
        double vx = -L * sin(l.theta) * l.omega;
        assert_close(sprag_run_velocity(r.run)[0], vx, 1e-8);
        assert_close(l.omega * l.omega, 1.5 * PHYSICS_GRAVITY / L * (sin(theta0) - sin(l.theta)),
                     1e-8);
        physics_assert_account(&r, 1e-10);
        test_run_close(&r);
    }
}

static void test_rough_ladder(void **state)
{
    (void)state;
    static const struct {
        double theta_deg, mu;
    } cases[] = {{50, 0.3}, {56, 0.3}, {40, 0.15}, {70, 0.1}};
    for (int i = 0; i < 4; i++) {
        double L = 1, theta0 = cases[i].theta_deg * PHYSICS_PI / 180, mu = cases[i].mu;
        Ladder l = {.m = 3, .L = L, .mu = mu, .theta = theta0};
        ladder_to_separation(&l);
        TestRun r;
        open_ladder(&r, L, theta0, mu);
        test_run_go(&r, l.t, 1e-10);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        double omega = -sprag_run_velocity(r.run)[2], theta = PHYSICS_PI;
        theta -= sprag_run_position(r.run)[2];
        assert_close(theta, l.theta, 1e-8);
        assert_close(omega, l.omega, 1e-7);
        physics_assert_account(&r, 1e-10);
        test_run_close(&r);
        open_ladder(&r, L, theta0, mu);
        test_run_go(&r, l.t + 0.01, 1e-10);
        check_event(&r, 0, SPRAG_EVENT_SEPARATION, "top", l.t, 1e-7);
        test_run_close(&r);
    }
    // steeper than tan θ = (1 − μ²)/(2 μ) it stands
    TestRun r;
    open_ladder(&r, 1, 57 * PHYSICS_PI / 180, 0.3);
    test_run_go(&r, 1, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_int_equal(r.event_count, 0);
    assert_close(sprag_run_velocity(r.run)[2], 0, 1e-12);
    test_run_close(&r);
}

// ---- A rod between two walls --------------------------------------------------------------------

// Both tips at vertical walls; a torque −2 L s R presses them on with R each. Sliding down at v0:
// y'' = −g + 2 μ R/m. It stops if 2 μ R > m g, and stays.
static void test_between_walls(void **state)
{
    (void)state;
    double L = 0.5, theta = 60 * PHYSICS_PI / 180, m = 2, mu = 0.3, v0 = 1;
    for (int i = 0; i < 3; i++) {
        static const double parts[] = {0, 0.8, 1.5}; // of m g that friction carries
        double R = parts[i] * m * PHYSICS_GRAVITY / (2 * mu), a = PHYSICS_GRAVITY * (parts[i] - 1);
        double stop = parts[i] > 1 ? v0 / a : INFINITY, until = 0.3;
        TestRun r;
        physics_open(&r,
                     "sprag: 1\nbodies:\n"
                     "  - {name: left, fixed: true, shapes: [{plane: {normal: [1, 0]}}]}\n"
                     "  - {name: right, fixed: true,\n"
                     "     shapes: [{plane: {normal: [-1, 0], offset: %.17g}}]}\n"
                     "  - {name: rod, mass: %.17g, angle: %.17g, position: [%.17g, 0],\n"
                     "     velocity: [0, -1], shapes: [{rod: {length: %.17g}}]}\n"
                     "contacts: [{between: [rod, left], friction: %.17g},\n"
                     "           {between: [rod, right], friction: %.17g}]\n"
                     "loads: [{body: rod, torque: %.17g}]\n",
                     -2 * L * cos(theta), m, theta, L * cos(theta), 2 * L, mu, mu,
                     -2 * L * sin(theta) * R);
        if (parts[i] > 1)
            until = 2 * stop;
        test_run_go(&r, until, 1e-10);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        const double *q = sprag_run_position(r.run), *v = sprag_run_velocity(r.run);
        if (parts[i] > 1) {
            int stick = test_run_event(&r, SPRAG_EVENT_STICK, 0);
            assert_true(stick >= 0);
            assert_close(r.events[stick].t, stop, 1e-9);
            assert_close(q[1], -0.5 * v0 * stop, 1e-9);
            assert_close(v[1], 0, 1e-11);
            assert_int_equal(test_run_event(&r, SPRAG_EVENT_SLIP_START, 0), -1);
        } else {
            assert_close(q[1], -v0 * until + 0.5 * a * until * until, 1e-9);
            assert_close(v[1], -v0 + a * until, 1e-9);
        }
        assert_close(q[2], theta, 1e-10);
        physics_assert_account(&r, 1e-9);
        test_run_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_smooth_ladder),
                                       cmocka_unit_test(test_rough_ladder),
                                       cmocka_unit_test(test_between_walls)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}
