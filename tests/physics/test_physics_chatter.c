// Reverse chatter, theory.md (8.11): a point with restitution sticks to a floor, and beside that
// impacts can grow from nothing. The factor of their speeds that the event tells is compared with
// an impact integrated in small impulses here, and with a run that is given a first small bounce.
#include "support/runs.h"
#include "support/with_context.h"

static const double MASS = 1, INERTIA = 0.02, RX = 0.3169, RY = -0.3115, MU = 2.252, G = 9.81;

static void open_run(TestRun *r, double force, double e, const char *start)
{
    char text[1024];
    snprintf(text, sizeof text,
             "sprag: 1\nbodies:\n"
             "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"
             "  - {name: b, mass: %.17g, inertia: %.17g, position: [0, %.17g],\n"
             "     shapes: [{points: {p: [%.17g, %.17g]}}]}\n"
             "contacts: [{between: [b, floor], name: tip, friction: %.17g, restitution: %.17g}]\n"
             "loads: [{body: b, force: [%.17g, 0]}]\n%s",
             MASS, INERTIA, -RY, RX, RY, MU, e, force, start);
    test_run_open(r, context, text);
}

// The speed after an impact at unit speed, by Stronge's law, in small steps of the normal impulse;
// *slip: before and after.
static double integrate_impact(double e, double *slip)
{
    const double a_nn = 1 / MASS + RX * RX / INERTIA, a_tt = 1 / MASS + RY * RY / INERTIA;
    const double a_nt = -RX * RY / INERTIA, dP = 1e-7;
    double u = -1, work = 0, compression = 0;
    while (u < 0 || work < (1 - e * e) * compression) {
        double stick = -a_nt / a_tt, ratio = *slip > 0 ? -MU : MU;
        // within one step of zero it sticks, if it can
        if (fabs(*slip) <= 2 * dP * (MU * a_tt + fabs(a_nt)) && fabs(stick) <= MU) {
            ratio = stick;
            *slip = 0;
        }
        double before = u;
        u += dP * (a_nn + ratio * a_nt);
        *slip += dP * (a_nt + ratio * a_tt);
        work += 0.5 * (before + u) * dP;
        compression = u < 0 ? work : compression;
    }
    return u;
}

// Factor of the speeds and ratio of slip and speed where the sequence repeats itself.
static double integrate_growth(double force, double e, double *ratio)
{
    double drift = 2 * force / MASS / G, growth = 0;
    *ratio = drift;
    for (int i = 0; i < 3; i++) {
        double slip = *ratio;
        growth = integrate_impact(e, &slip);
        *ratio = slip / growth + drift;
    }
    return growth;
}

static void test_flag(void **state)
{
    (void)state;
    static TestRun r;
    const double es[] = {0.976, 0.6, 0.3};
    for (int i = 0; i < 3; i++) {
        double ratio, growth = integrate_growth(28.2, es[i], &ratio), told, slip;
        open_run(&r, 28.2, es[i], "");
        test_run_go(&r, 0.01, 1e-9);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        int k = test_run_event(&r, SPRAG_EVENT_AMBIGUITY, 0);
        assert_true(k >= 0 && growth > 1);
        assert_non_null(strstr(r.events[k].detail, "reverse chatter"));
        const char *words = strstr(r.events[k].detail, "each ");
        assert_int_equal(sscanf(words, "each %lf times as fast, at a slip of %lf", &told, &slip),
                         2);
        assert_close(told, growth, 1e-4 * growth); // steps of 1e-7 of an impulse of about 1
        assert_close(slip, ratio, 1e-4 * fabs(ratio));
        // the run goes on with the other continuation: it sticks
        assert_int_equal(sprag_run_sample(r.run)->contacts[0].mode, SPRAG_MODE_STICK);
        test_run_close(&r);
    }
}

// Drawn the other way, or without restitution, rest is all there is.
static void test_no_flag(void **state)
{
    (void)state;
    static TestRun r;
    for (int i = 0; i < 2; i++) {
        open_run(&r, i == 0 ? -5 : 28.2, i == 0 ? 0.9 : 0, "");
        test_run_go(&r, 0.01, 1e-9);
        assert_int_equal(test_run_event(&r, SPRAG_EVENT_AMBIGUITY, 0), -1);
        test_run_close(&r);
    }
}

// The second continuation: after a bounce of 1e-4 m/s in the right direction each impact is R times
// as fast as the last. Turning of the body changes R by its angle, some 1e-4 as long as flights are
// shorter than a millisecond.
static void grow_from_a_bounce(double e)
{
    static TestRun r;
    double ratio, growth = integrate_growth(28.2, e, &ratio), last = 0;
    char start[128];
    snprintf(start, sizeof start, "start: [{contact: tip, velocity: [-1e-4, %.17g]}]\n",
             1e-4 * ratio);
    open_run(&r, 28.2, e, start);
    test_run_go(&r, 2e-2, 1e-9);
    int seen = 0;
    for (int i = 0; i < r.event_count; i++) {
        if (r.events[i].type != SPRAG_EVENT_IMPACT)
            continue;
        double speed = -r.events[i].impact.velocity[0];
        if (last > 0 && speed < 0.1) {
            assert_close(speed / last, growth, 1e-2 * growth);
            seen++;
        }
        last = speed;
    }
    assert_true(seen >= 3);
    test_run_close(&r);
}

static void test_growth(void **state)
{
    (void)state;
    grow_from_a_bounce(0.976);
    grow_from_a_bounce(0.6);
    grow_from_a_bounce(0.3);
}

// With branch: lift the run takes the second continuation by itself, from a bounce of less than a
// micrometre: impacts grow by R until they are as large as the body.
static void test_branch(void **state)
{
    (void)state;
    static TestRun r;
    double ratio, growth = integrate_growth(28.2, 0.976, &ratio), last = 0;
    SpragRunSettings settings = sprag_run_default();
    SpragSink sink = test_run_sink(&r);
    settings.branch = SPRAG_BRANCH_LIFT;
    open_run(&r, 28.2, 0.976, "");
    assert_ok(context, sprag_run_create(r.system, &settings, &sink, &r.run));
    assert_ok(context, sprag_run_advance(r.run, 2e-2, &r.outcome));
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    int seen = 0, k = test_run_event(&r, SPRAG_EVENT_AMBIGUITY, 0);
    assert_true(k >= 0 && strstr(r.events[k].detail, "nothing, which the run follows"));
    for (int i = 0; i < r.event_count; i++) {
        if (r.events[i].type != SPRAG_EVENT_IMPACT)
            continue;
        double speed = -r.events[i].impact.velocity[0];
        assert_true(last > 0 || speed < 1e-3);
        if (last > 0 && speed < 0.1) { // as in test_growth
            assert_close(speed / last, growth, 1e-2 * growth);
            seen++;
        }
        last = speed;
    }
    assert_true(seen >= 3);
    // what the first bounce takes is the work of its departure, and the rest of the account closes
    assert_true(fabs(sprag_run_sample(r.run)->energy.change) < 1e-6);
    assert_true(fabs(sprag_run_drift(r.run)) < 1e-7);
    test_run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_flag), cmocka_unit_test(test_no_flag),
                                       cmocka_unit_test(test_growth),
                                       cmocka_unit_test(test_branch)};
    return cmocka_run_group_tests_name("chatter", tests, setup, teardown);
}
