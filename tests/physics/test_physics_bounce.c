// Runs with restitution: a ball that bounces to rest in finite time, obliquely, with e over speed,
// thousands of times; the account of every impact.
#include "physics.h"

#define BOUNCE_BALL                                                                                \
    "sprag: 1\ngravity: [0, -%.17g]\nbodies:\n" PHYSICS_FLOOR                                      \
    "  - {name: ball, mass: %.17g, position: [0, %.17g], velocity: [%.17g, 0], spin: %.17g,\n"     \
    "     shapes: [{circle: {radius: %.17g}}]}\n"                                                  \
    "contacts:\n  - {name: c, between: [ball, floor], friction: %.17g, restitution: %s}\n"

typedef struct Ball {
    double g, mass, height, vx, spin, radius, friction;
    const char *restitution;
} Ball;

static void open_ball(TestRun *r, const Ball *b)
{
    physics_open(r, BOUNCE_BALL, b->g, b->mass, b->height + b->radius, b->vx, b->spin, b->radius,
                 b->friction, b->restitution);
}

// ---- Times --------------------------------------------------------------------------------------

// A ball of the plane in space, above the floor z = 0.
static void open_ball_in_space(TestRun *r, const Ball *b)
{
    physics_open(r,
                 "sprag: 1\ndimension: 3\ngravity: [0, 0, -%.17g]\nbodies:\n"
                 "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 0, 1]}}]}\n"
                 "  - {name: ball, mass: %.17g, position: [0, 0, %.17g], velocity: [%.17g, 0, 0],\n"
                 "     spin: [0, %.17g, 0], shapes: [{sphere: {radius: %.17g}}]}\n"
                 "contacts:\n"
                 "  - {name: c, between: [ball, floor], friction: %.17g, restitution: %s}\n",
                 b->g, b->mass, b->height + b->radius, b->vx, -b->spin, b->radius, b->friction,
                 b->restitution);
}

// Free fall and e: t₀ = √(2h/g), flights 2 e^k v₀/g, limit t₀ (1 + e)/(1 − e).
static void check_times(TestRun *r, const Ball *b, double e)
{
    double t0 = sqrt(2 * b->height / b->g), t = t0, v = e * b->g * t0;
    double limit = t0 * (1 + e) / (1 - e);
    test_run_go(r, 1.2 * limit, 1e-9);
    assert_int_equal(r->outcome, SPRAG_RUN_DONE);
    int landing = test_run_event(r, SPRAG_EVENT_LANDING, 0);
    assert_true(landing >= (e > 0.01 ? 4 : 2));
    for (int k = 0; k < landing; k++) {
        assert_int_equal(r->events[k].type, SPRAG_EVENT_IMPACT);
        // asked for is 1e-9; flights that are nearly as low as the rounding of positions
        // (1e-17 m) are off by 1e-11
        assert_close(r->events[k].t, t, 1e-10);
        t += 2 * v / b->g;
        v *= e;
    }
    assert_close(r->events[landing].t, limit, 1e-11);
    assert_non_null(strstr(r->events[landing].detail, "Zeno"));
    physics_assert_account(r, 1e-12);
    // all that fell is lost in impacts
    assert_close(sprag_run_sample(r->run)->energy.impact, b->mass * b->g * b->height,
                 1e-9 * b->mass * b->g);
    assert_int_equal(sprag_run_sample(r->run)->contacts[0].mode == SPRAG_MODE_SEPARATE, 0);
}

static void test_times(void **state)
{
    (void)state;
    const struct {
        Ball ball;
        double e;
    } cases[] = {{{9.81, 1, 1, 0, 0, 0.1, 0, "0.5"}, 0.5},
                 {{9.81, 0.2, 0.3, 1, 2, 0.02, 0, "0.8"}, 0.8},
                 {{1.62, 5, 2, -1, 0, 0.5, 0, "{law: newton, e: 0.9}"}, 0.9},
                 {{9.81, 1, 1, 0, 0, 0.1, 0, "{law: poisson, e: 0.3}"}, 0.3},
                 {{9.81, 1, 0.5, 0, 0, 1, 0, "0.05"}, 0.05},
                 {{9.81, 1, 0.5, 0, 0, 0.1, 0, "1e-4"}, 1e-4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        TestRun r;
        open_ball(&r, &cases[i].ball);
        check_times(&r, &cases[i].ball, cases[i].e);
        test_run_close(&r);
        open_ball_in_space(&r, &cases[i].ball);
        check_times(&r, &cases[i].ball, cases[i].e);
        test_run_close(&r);
    }
}

// A slope: the normal motion is that of a ball under g cos α, along it nothing happens without
// friction; after the limit it slides on.
static void test_slope(void **state)
{
    (void)state;
    const double alpha = 0.3, e = 0.6, g = 9.81, h = 0.2;
    TestRun r;
    physics_open(&r,
                 "sprag: 1\ngravity: [%.17g, -%.17g]\nbodies:\n" PHYSICS_FLOOR
                 "  - {name: box, mass: 1, position: [0, %.17g],\n"
                 "     shapes: [{circle: {radius: 0.05}}]}\n"
                 "contacts: [{name: c, between: [box, floor], friction: 0, restitution: %.17g}]\n",
                 g * sin(alpha), g * cos(alpha), h + 0.05, e);
    test_run_go(&r, 2, 1e-9);
    double t0 = sqrt(2 * h / (g * cos(alpha))), limit = t0 * (1 + e) / (1 - e);
    int landing = test_run_event(&r, SPRAG_EVENT_LANDING, 0);
    assert_true(landing > 0);
    assert_close(r.events[landing].t, limit, 1e-11);
    assert_close(sprag_run_position(r.run)[0], 0.5 * g * sin(alpha) * 4, 1e-9);
    test_run_close(&r);
}

// ---- Oblique ------------------------------------------------------------------------------------

typedef struct First {
    double v[3];
    bool done;
} First;

static void keep_first(TestRun *r, const SpragRunSample *sample)
{
    First *first = r->user;
    if (sample->after_event && !first->done) {
        memcpy(first->v, sample->v, sizeof first->v);
        first->done = true;
    }
}

// A disc with slip S and approach C: 1/m + r²/I = 3/m, so slip stops within the impact iff
// μ ≥ S/(3 (1 + e) C); then it rolls, else S⁺ = S − 3 μ (1 + e) C (theory.md 10.7, central).
static void test_disc_threshold(void **state)
{
    (void)state;
    const double g = 9.81, h = 0.4, radius = 0.1, vx = 2, spin = 3, e = 0.7;
    double C = sqrt(2 * g * h), S = vx + radius * spin, threshold = S / (3 * (1 + e) * C);
    const double parts[] = {0.2, 0.9, 0.999999, 1.000001, 1.5, 4};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double mu = parts[i] * threshold;
        First first = {0};
        TestRun r;
        open_ball(&r, &(Ball){g, 2, h, vx, spin, radius, mu, "0.7"});
        r.look = keep_first;
        r.user = &first;
        test_run_go(&r, sqrt(2 * h / g) * 1.5, 1e-9);
        assert_true(first.done);
        double slip = parts[i] < 1 ? S - 3 * mu * (1 + e) * C : 0;
        double vx_after = vx - (S - slip) / 3;
        assert_close(first.v[0] + radius * first.v[2], slip, 1e-12);
        assert_close(first.v[0], vx_after, 1e-12);
        assert_close(first.v[1], e * C, 1e-12);
        const SpragImpactNote *note = &r.events[0].impact;
        assert_int_equal(note->kind, parts[i] < 1     ? SPRAG_IMPACT_SLIDE
                                     : parts[i] < 1.7 ? SPRAG_IMPACT_STICK_RESTITUTION
                                                      : SPRAG_IMPACT_STICK_COMPRESSION);
        test_run_close(&r);
    }
}

// ---- Laws over speed ----------------------------------------------------------------------------

static void test_table(void **state)
{
    (void)state;
    // e falls from 0.9 at 1 m/s to 0.5 at 3 m/s
    TestRun r;
    open_ball(&r, &(Ball){10, 1, 0.8, 0, 0, 0.1, 0, "{e: [[1, 0.9], [3 m/s, 0.5]]}"});
    test_run_go(&r, 12, 1e-9);
    double v = 4;
    for (int k = 0; k < 5; k++) {
        double e = v >= 3 ? 0.5 : v <= 1 ? 0.9 : 0.9 - 0.2 * (v - 1);
        const SpragImpactNote *note = &r.events[k].impact;
        assert_close(note->velocity[0], -v, 1e-12);
        assert_close(note->e, e, 1e-12);
        v *= e;
        assert_close(note->after[0], v, 1e-12);
    }
    test_run_close(&r);
}

// Below rest-speed a bounce becomes contact: v = 4, 2, 1, 0.5, 0.25 m/s, then closed at once.
static void test_rest_speed(void **state)
{
    (void)state;
    TestRun r;
    open_ball(&r, &(Ball){10, 1, 0.8, 0, 0, 0.1, 0, "{e: 0.5, rest-speed: 300 mm/s}"});
    test_run_go(&r, 5, 1e-9);
    physics_assert_events(&r, SPRAG_EVENT_IMPACT, SPRAG_EVENT_IMPACT, SPRAG_EVENT_IMPACT,
                          SPRAG_EVENT_IMPACT, SPRAG_EVENT_IMPACT, SPRAG_EVENT_REST);
    assert_close(r.events[4].impact.velocity[0], -0.25, 1e-12);
    assert_close(r.events[4].impact.after[0], 0, 1e-15);
    assert_close(r.events[4].t, 0.4 * (1 + 2 * (0.5 + 0.25 + 0.125 + 0.0625)), 1e-12);
    physics_assert_account(&r, 1e-12);
    test_run_close(&r);
}

// ---- The account --------------------------------------------------------------------------------

typedef struct Sum {
    double losses, steps;
    long count;
    double last;
} Sum;

static double total(const SpragImpactLoss *loss)
{
    return loss->normal_compression + loss->normal_restitution + loss->tangential_compression +
           loss->tangential_restitution;
}

static int sum_event(const SpragEvent *event, void *user)
{
    Sum *sum = user;
    if (!event->impact.given)
        return 0;
    sum->count++;
    sum->losses += total(&event->impact.loss) + total(&event->impact.others);
    if (event->t != sum->last)
        sum->steps += event->impact.energy_before - event->impact.energy_after;
    sum->last = event->t;
    return 0;
}

// Many impacts with friction and spin: the losses of all events, the steps of the kinetic energy
// and the account are the same sum.
static void test_many(void **state)
{
    (void)state;
    TestRun r;
    Sum sum = {.last = -1};
    SpragSink sink = {.event = sum_event, .user = &sum};
    SpragRunSettings settings = sprag_run_default();
    int least = test_draws(1) > 1 ? 10000 : 1000;
    settings.output_step = 0;
    open_ball(&r, &(Ball){9.81, 1, 1, 3, -5, 0.1, 0.3, least > 1000 ? "0.9992" : "0.99"});
    assert_ok(context, sprag_run_create(r.system, &settings, &sink, &r.run));
    assert_ok(context, sprag_run_advance(r.run, 1200, &r.outcome));
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_true(sum.count >= least);
    const SpragEnergyAccount *e = &sprag_run_sample(r.run)->energy;
    double scale = 9.81 + 0.5 * 9;
    // rounding of a thousand sums
    assert_close(sum.losses, e->impact, 1e-12 * scale * (double)sum.count);
    assert_close(sum.steps, e->impact, 1e-12 * scale * (double)sum.count);
    physics_assert_account(&r, 1e-11);
    test_run_close(&r);
}

// Late on the clock an impact is located to 4 roundings of the time, some 1e-11 m: nothing is lost
// or told twice, and the ball keeps its height.
static void test_late(void **state)
{
    (void)state;
    TestRun r;
    double q[3] = {0, 1.1, 0}, v[3] = {0, 0, 0}, t0 = sqrt(2 / 9.81);
    Sum sum = {.last = -1};
    SpragSink sink = {.event = sum_event, .user = &sum};
    SpragRunSettings settings = sprag_run_default();
    settings.output_step = 0;
    open_ball(&r, &(Ball){9.81, 1, 1, 0, 0, 0.1, 0, "1"});
    assert_ok(context, sprag_run_create(r.system, &settings, &sink, &r.run));
    assert_ok(context, sprag_run_restart(r.run, 1e4, q, v));
    assert_ok(context, sprag_run_advance(r.run, 1e4 + 400 * t0, &r.outcome));
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_int_equal(sum.count, 200);
    // 200 impacts, each off by the clock: 7e-12 s at 4.4 m/s
    assert_close(sprag_run_position(r.run)[1], 1.1, 200 * 4e-11);
    test_run_close(&r);
}

// A box that tumbles to rest with friction and restitution: no joule is unexplained, whatever the
// order of its corners.
static void test_tumbling(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 11);
    for (int draw = 0; draw < test_draws(12); draw++) {
        double mu = sprag_random_uniform(&random, 0, 1.2),
               e = sprag_random_uniform(&random, 0, 0.8);
        double angle = sprag_random_uniform(&random, 0, 6),
               spin = sprag_random_uniform(&random, -6, 6);
        static const char *const laws[] = {"energetic", "poisson"};
        TestRun r;
        physics_open(&r,
                     "sprag: 1\nbodies:\n" PHYSICS_FLOOR
                     "  - {name: box, density: 100, position: [0, 0.8], velocity: [1, 0], angle: "
                     "%.17g, spin: %.17g,\n     shapes: [{box: {size: [0.3, 0.2]}}]}\n"
                     "contacts: [{between: [box, floor], friction: %.17g, restitution: {law: %s, "
                     "e: %.17g}}]\n",
                     angle, spin, mu, laws[draw % 2], e);
        test_run_go(&r, 3, 1e-9);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        physics_assert_account(&r, 1e-9);
        assert_true(sprag_run_position(r.run)[1] > 0.09);
        test_run_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),          cmocka_unit_test(test_slope),
        cmocka_unit_test(test_disc_threshold), cmocka_unit_test(test_table),
        cmocka_unit_test(test_rest_speed),     cmocka_unit_test(test_many),
        cmocka_unit_test(test_tumbling),       cmocka_unit_test(test_late),
    };
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}
