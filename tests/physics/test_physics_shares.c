// A box that slides and turns on its four corners: how these share its weight is not determined. Is
// its acceleration? Independently: the four normal forces of the plane motion, and what friction
// does with the one distribution that leaves them open.
#include "space_runs.h"

typedef struct Spin {
    double a, b, h, mu, mass, v[2], w; // size, friction, mass, velocity, spin
} Spin;

// Size of what the open distribution does to the acceleration, beside μ g: normal forces N with
// ΣN = 0, and no moment about the axes in the plane, of which friction −μ N d at the depth h/2 has
// a part.
static double open_part(const Spin *s)
{
    double A[3][4], d[4][2], x[4][2], N[4];
    for (int i = 0; i < 4; i++) {
        x[i][0] = (i == 1 || i == 2 ? 0.5 : -0.5) * s->a;
        x[i][1] = (i >= 2 ? 0.5 : -0.5) * s->b;
        d[i][0] = s->v[0] - s->w * x[i][1];
        d[i][1] = s->v[1] + s->w * x[i][0];
        double size = hypot(d[i][0], d[i][1]);
        d[i][0] /= size;
        d[i][1] /= size;
        A[0][i] = 1;
        // r × f with r = (x, y, −h/2), f = N (−μ d, 1)
        A[1][i] = x[i][1] - 0.5 * s->h * s->mu * d[i][1];
        A[2][i] = -x[i][0] + 0.5 * s->h * s->mu * d[i][0];
    }
    // the vector across three rows: minors
    double size = 0, force[2] = {0, 0}, moment = 0;
    for (int i = 0; i < 4; i++) {
        int c[3], n = 0;
        for (int k = 0; k < 4; k++)
            if (k != i)
                c[n++] = k;
        N[i] =
            (i % 2 ? -1 : 1) * (A[0][c[0]] * (A[1][c[1]] * A[2][c[2]] - A[1][c[2]] * A[2][c[1]]) -
                                A[0][c[1]] * (A[1][c[0]] * A[2][c[2]] - A[1][c[2]] * A[2][c[0]]) +
                                A[0][c[2]] * (A[1][c[0]] * A[2][c[1]] - A[1][c[1]] * A[2][c[0]]));
        size = fmax(size, fabs(N[i]));
    }
    for (int i = 0; i < 4; i++) {
        force[0] -= N[i] / size * d[i][0];
        force[1] -= N[i] / size * d[i][1];
        moment -= N[i] / size * (x[i][0] * d[i][1] - x[i][1] * d[i][0]);
    }
    return fmax(hypot(force[0], force[1]), fabs(moment) / hypot(s->a, s->b));
}

static void go(const Spin *s, SpragMotionKind motion, double until, TestRun *r)
{
    physics_open(
        r,
        "sprag: 1\ndimension: 3\nmaterials: {default: {friction: %.17g}}\nbodies:\n"
        "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 0, 1]}}]}\n"
        "  - {name: box, mass: %.17g, position: [0, 0, %.17g], velocity: [%.17g, %.17g, 0],\n"
        "     spin: [0, 0, %.17g], shapes: [{box: {size: [%.17g, %.17g, %.17g]}}]}\n",
        s->mu, s->mass, s->h / 2, s->v[0], s->v[1], s->w, s->a, s->b, s->h);
    test_run_go_as(r, motion, until, 1e-9);
}

// Sliding and turning at once it is not, and the run says so; turning on the spot or sliding
// straight on it is, and nothing is ambiguous.
static void only_forces(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 31);
    for (int k = 0; k < test_draws(12); k++) {
        Spin s = {.a = sprag_random_uniform(&random, 0.1, 0.5),
                  .b = sprag_random_uniform(&random, 0.1, 0.5),
                  .h = sprag_random_uniform(&random, 0.02, 0.1),
                  .mu = sprag_random_uniform(&random, 0.1, 0.6),
                  .mass = sprag_random_uniform(&random, 0.5, 3)};
        bool turns = k % 3 != 1, slides = k % 3 != 0;
        double heading = sprag_random_uniform(&random, -3, 3);
        double speed = slides ? sprag_random_uniform(&random, 0.2, 1) : 0;
        s.w = turns ? sprag_random_uniform(&random, 1, 6) : 0;
        s.v[0] = speed * cos(heading);
        s.v[1] = speed * sin(heading);
        TestRun r;
        double open = open_part(&s);
        bool one = !turns || !slides;
        assert_true(one ? open < 1e-12 : open > 1e-4);
        go(&s, SPRAG_MOTION_EVENTS, 2, &r);
        assert_int_equal(r.outcome, one ? SPRAG_RUN_DONE : SPRAG_RUN_AMBIGUOUS);
        assert_true(one || strstr(r.events[r.event_count - 1].detail, "compliant contact decides"));
        assert_int_equal(test_run_event(&r, SPRAG_EVENT_AMBIGUITY, 0) < 0, one);
        // μ m g (a² + b²)^½/2 against the inertia: it stops after this time
        double I = s.mass * (s.a * s.a + s.b * s.b) / 12, g = PHYSICS_GRAVITY;
        double until =
            turns ? s.w * I / (s.mu * s.mass * g * 0.5 * hypot(s.a, s.b)) : speed / (s.mu * g);
        int stop = test_run_event(&r, SPRAG_EVENT_STICK, 0);
        if (one) {
            assert_true(stop >= 0);
            assert_close(r.events[stop].t, until, 1e-8);
        }
        test_run_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_forces)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}
