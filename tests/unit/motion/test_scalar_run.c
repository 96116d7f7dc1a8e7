// Drives over time: rigid runs against formulas, compliant runs against (9.10) and against the
// rigid ones, energy accounts.
#include "support/allocator.h"
#include "support/test.h"

enum { MOST_EVENTS = 64, MOST_SAMPLES = 20000 };

typedef struct Heard {
    int event_count, sample_count, verdict_count;
    SpragRunVerdict verdicts[MOST_EVENTS];
    SpragEvent events[MOST_EVENTS];
    SpragDriveSample samples[MOST_SAMPLES];
} Heard;

static int hear_sample(const SpragDriveSample *sample, void *user)
{
    Heard *heard = user;
    if (heard->sample_count < MOST_SAMPLES)
        heard->samples[heard->sample_count++] = *sample;
    return 0;
}

static int hear_event(const SpragEvent *event, void *user)
{
    Heard *heard = user;
    if (heard->event_count < MOST_EVENTS)
        heard->events[heard->event_count++] = *event;
    return 0;
}

static int hear_verdict(const SpragRunVerdict *verdict, void *user)
{
    Heard *heard = user;
    if (heard->verdict_count < MOST_EVENTS)
        heard->verdicts[heard->verdict_count++] = *verdict;
    return 0;
}

typedef struct Case {
    SpragPair pair;
    SpragDriveProblem problem;
    SpragDriveSettings settings;
    double until;
} Case;

// Runs; the account closes to `closeness` J.
static SpragDriveSample go(Case *c, Heard *heard, double closeness, SpragRunOutcome wanted)
{
    SpragContext *context = test_context();
    SpragDriveRun *run = NULL;
    SpragRunOutcome outcome;
    SpragDriveSink sink = {hear_sample, hear_event, hear_verdict, heard};
    heard->event_count = heard->sample_count = heard->verdict_count = 0;
    c->problem.pair = &c->pair;
    assert_ok(context, sprag_drive_run_create(context, &c->problem, &c->settings, &sink, &run));
    assert_ok(context, sprag_drive_run_advance(run, c->until, &outcome));
    assert_int_equal(outcome, wanted);
    assert_close(sprag_drive_run_drift(run), 0, closeness);
    SpragDriveSample last = *sprag_drive_run_sample(run);
    sprag_drive_run_destroy(run);
    sprag_context_destroy(context);
    return last;
}

static Case scalar_case(SpragScalar scalar, double velocity, double input, double until)
{
    Case c = {.until = until, .settings = sprag_drive_default()};
    sprag_pair_of_scalar(&scalar, &c.pair);
    c.problem.state.velocity = velocity;
    c.problem.state.input[0] = input;
    c.settings.output_step = 0.01;
    return c;
}

static Heard *heard_create(void)
{
    Heard *heard = calloc(1, sizeof *heard);
    assert_non_null(heard);
    return heard;
}

// q'' = (tau - b - mu d)/(a + mu c) = -1 from q' = 1: at rest at t = 1, q = 1/2, and held.
static void test_stick(void **state)
{
    (void)state;
    Heard *heard = heard_create();
    Case c = scalar_case((SpragScalar){.a = 1, .b = 0.5, .c = 1, .d = 2, .friction = 0.5}, 1, 0, 2);
    SpragDriveSample last = go(&c, heard, 1e-10, SPRAG_RUN_DONE);
    assert_int_equal(heard->event_count, 1);
    assert_int_equal(heard->events[0].type, SPRAG_EVENT_STICK);
    assert_close(heard->events[0].t, 1, 1e-9);
    assert_close(last.position, 0.5, 1e-9);
    assert_true(last.velocity == 0 && last.t == 2 && last.mode == SPRAG_MODE_STICK);
    assert_close(last.energy.friction, 0.5 * 1 - 0.5 * 0.5, 1e-9);
    assert_int_equal(heard->sample_count, 201 + 2); // and two at the event
    for (int i = 1; i < heard->sample_count; i++)
        assert_true(heard->samples[i].t >= heard->samples[i - 1].t);
    free(heard);
}

static double ramp(int input, double t, void *user)
{
    (void)user;
    return input == 0 ? -t : 0;
}

// mu > a/c, forward, input -t: 3 q'' = -t - 4.5 until tau_cr = -1.5; there no motion is left: it
// jams, is held, and starts back at b - mu d = -3.5 on the branch with slope 3.
static void test_jam(void **state)
{
    (void)state;
    Heard *heard = heard_create();
    Case c = scalar_case((SpragScalar){.a = 1, .b = 0.5, .c = 1, .d = 2, .friction = 2}, 5, 0, 4.5);
    c.problem.input = ramp;
    SpragDriveSample last = go(&c, heard, 1e-8, SPRAG_RUN_DONE);
    assert_int_equal(heard->event_count, 2);
    assert_int_equal(heard->events[0].type, SPRAG_EVENT_JAM);
    assert_close(heard->events[0].t, 1.5, 1e-9);
    double speed = 5 - 1.5 * 1.5 - 1.5 * 1.5 / 6;
    assert_close(last.energy.impact, 0.5 * speed * speed, 1e-7);
    assert_int_equal(heard->events[1].type, SPRAG_EVENT_SLIP_START);
    assert_close(heard->events[1].t, 3.5, 1e-7);
    // after it: 3 q'' = -t - 0.5 - 4, with F < 0
    assert_close(last.velocity, -(4.5 * 4.5 - 3.5 * 3.5) / 6 - 4.5 / 3, 1e-7);
    // two motions while it moves, one at rest above tau_cr (not met here), three below, one after
    static const int counts[] = {2, 3, 1};
    static const double ends[] = {1.5, 3.5, 4.5};
    assert_int_equal(heard->verdict_count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(heard->verdicts[i].solution_count, counts[i]);
        assert_close(heard->verdicts[i].to, ends[i], 1e-7);
    }
    int pairs = 0;
    for (int i = 1; i < heard->sample_count; i++) {
        const SpragDriveSample *before = &heard->samples[i - 1], *after = &heard->samples[i];
        if (!before->before_event || !after->after_event || before->t > 2)
            continue;
        pairs++;
        assert_close(before->velocity, speed, 1e-7);
        assert_true(after->velocity == 0 && after->mode == SPRAG_MODE_STICK);
    }
    assert_int_equal(pairs, 1);
    free(heard);
}

// At rest the input passes tau_cr: no event, another verdict.
static void test_verdict_at_rest(void **state)
{
    (void)state;
    Heard *heard = heard_create();
    Case c = scalar_case((SpragScalar){.a = 1, .b = 0.5, .c = 1, .d = 2, .friction = 2}, 0, 0, 3);
    c.problem.input = ramp;
    go(&c, heard, 1e-9, SPRAG_RUN_DONE);
    assert_int_equal(heard->event_count, 0);
    assert_int_equal(heard->verdict_count, 2);
    assert_int_equal(heard->verdicts[0].solution_count, 1);
    assert_int_equal(heard->verdicts[1].solution_count, 3);
    assert_close(heard->verdicts[1].from, 1.5, 1e-9);
    assert_string_equal(heard->verdicts[1].chosen, "stick");
    free(heard);
}

// No motion at all at the start: the jam comes first.
static void test_jam_at_start(void **state)
{
    (void)state;
    Heard *heard = heard_create();
    Case c = scalar_case((SpragScalar){.a = 1, .b = 0.5, .c = 1, .d = 2, .friction = 2}, 1, -5, 1);
    SpragDriveSample last = go(&c, heard, 1e-9, SPRAG_RUN_DONE);
    assert_int_equal(heard->events[0].type, SPRAG_EVENT_JAM);
    assert_true(heard->events[0].t == 0);
    // outside the band: it starts back, 3 q'' = -5 - 0.5 - 4 with F < 0
    assert_close(last.velocity, -9.5 / 3, 1e-9);
    free(heard);
}

// A load that friction cannot hold: up, turn, down; the normal force changes its sign on no branch.
static void test_reversal(void **state)
{
    (void)state;
    Heard *heard = heard_create();
    Case c = scalar_case((SpragScalar){.a = 2, .b = 4, .c = 0.5, .d = 2, .friction = 0.5}, 2, 0, 3);
    SpragDriveSample last = go(&c, heard, 1e-8, SPRAG_RUN_DONE);
    double up = -5 / 2.25, down = -3 / 1.75, turn = -2 / up; // a ± mu c, b ± mu d
    assert_int_equal(heard->event_count, 1);
    assert_int_equal(heard->events[0].type, SPRAG_EVENT_SLIP_REVERSAL);
    assert_close(heard->events[0].t, turn, 1e-9);
    assert_close(last.velocity, down * (3 - turn), 1e-8);
    free(heard);
}

// The normal force passes through zero below a/c: another branch, no event, slope changes.
static void test_branch_change(void **state)
{
    (void)state;
    Heard *heard = heard_create();
    Case c = scalar_case((SpragScalar){.a = 1, .b = 0, .c = 1, .d = 1, .friction = 0.5}, 20, 0, 3);
    c.problem.input = ramp; // tau_cr = -1 at t = 1
    SpragDriveSample last = go(&c, heard, 1e-8, SPRAG_RUN_DONE);
    assert_int_equal(heard->event_count, 0);
    // 1.5 q'' = -t - 0.5, then 0.5 q'' = -t + 0.5
    double v = 20 - (0.5 + 0.5) / 1.5;
    v += 2 * (-(9 - 1) / 2.0 + 0.5 * 2);
    assert_close(last.velocity, v, 1e-7);
    free(heard);
}

// (9.10): around the unstable motion the layer's force departs as cosh(growth t), to both sides.
static void test_growth(void **state)
{
    (void)state;
    Heard *heard = heard_create();
    SpragScalar scalar = {.a = 1, .b = 0.5, .c = 1, .d = 2, .friction = 2, .stiffness = 1e4};
    for (int side = -1; side <= 1; side += 2) {
        Case c = scalar_case(scalar, 50, -0.5, 0.04);
        SpragPairVerdict verdict;
        c.settings.compliant = true;
        c.settings.output_step = 0.002;
        c.settings.disturbance = 0.01 * side;
        sprag_pair_forward(&c.pair, &c.problem.state, NULL, &verdict);
        int unstable = 1 - verdict.chosen;
        c.settings.start_motion = unstable;
        double X = verdict.motions[unstable].layer, rate = verdict.motions[unstable].growth;
        go(&c, heard, 1e-6, SPRAG_RUN_DONE);
        assert_close(rate, 100, 1e-9);
        for (int i = 0; i < heard->sample_count; i++) {
            const SpragDriveSample *sample = &heard->samples[i];
            double grown = (sample->layer - X) / (0.01 * side * X);
            assert_close(grown, cosh(rate * sample->t), 1e-5 * cosh(rate * sample->t));
        }
    }
    free(heard);
}

// The exponent of the departure, fitted between 3 and 4 of its times.
static double fit_exponent(Case *c, Heard *heard, double layer, double rate)
{
    double ends[2];
    for (int i = 0; i < 2; i++) {
        c->until = (3 + i) / rate;
        ends[i] = go(c, heard, INFINITY, SPRAG_RUN_DONE).layer - layer;
        assert_int_equal(heard->event_count, 0);
    }
    return log(ends[1] / ends[0]) * rate;
}

// Random scalar problems and screws beyond the critical friction, with damping: from ±1 % around
// the motion that is not stable the force of the layer departs to that side with the exponent of
// `growth`. The other exponent is still there: e^(-6) of the first one at the time of the fit.
static void test_growth_random(void **state)
{
    (void)state;
    Heard *heard = heard_create();
    SpragRandom random;
    sprag_random_init(&random, 931);
    int tried = 0;
    for (int draw = 0; draw < test_draws(200); draw++) {
        Case c = {.settings = sprag_drive_default()};
        bool screw = draw % 2 == 0;
        SpragScrew p = {.inertia = 1e-6,
                        .mass = sprag_random_uniform(&random, 5, 30),
                        .lead = 1e-3,
                        .helix = sprag_random_uniform(&random, 0.05, 0.2),
                        .thread_angle = 0.2,
                        .gravity = 9.81,
                        .stiffness = 1e6,
                        .friction = sprag_random_uniform(&random, 0.1, 0.5),
                        .damping = sprag_random_uniform(&random, 0, 500)};
        SpragScalar q = {.a = sprag_random_uniform(&random, 0.5, 1),
                         .b = 0.5,
                         .c = 1,
                         .d = sprag_random_uniform(&random, -2, 2),
                         .stiffness = 1e5,
                         .friction = sprag_random_uniform(&random, 1, 3),
                         .damping = sprag_random_uniform(&random, 0, 50)};
        if (screw)
            sprag_pair_of_screw(&p, &c.pair);
        else
            sprag_pair_of_scalar(&q, &c.pair);
        SpragPairVerdict verdict;
        c.problem.state.velocity = screw ? 10 : 1e3; // far from rest all the time
        c.problem.state.input[0] =
            screw ? sprag_random_uniform(&random, 0, 1) : sprag_random_uniform(&random, 0, 8);
        sprag_pair_forward(&c.pair, &c.problem.state, NULL, &verdict);
        if (verdict.motion_count != 2 || verdict.stable_count != 1)
            continue;
        const SpragPairMotion *motion = &verdict.motions[1 - verdict.chosen];
        double way = fabs(motion->acceleration[1]) * 4 / motion->growth;
        if (way > 0.3 * c.problem.state.velocity) // it would come to rest before
            continue;
        tried++;
        c.settings.compliant = true;
        c.settings.start_motion = 1 - verdict.chosen;
        for (int side = -1; side <= 1; side += 2) {
            c.settings.disturbance = 0.01 * side;
            double rate = fit_exponent(&c, heard, motion->layer, motion->growth);
            double final = heard->samples[heard->sample_count - 1].layer;
            assert_close(rate, motion->growth, 0.02 * motion->growth);
            assert_true((fabs(final) > fabs(motion->layer)) == (side > 0));
        }
    }
    assert_true(tried >= 20);
    free(heard);
}

// Growth through zero goes over to the stable branch; growth away from zero stops the motion at
// once, and a small disturbance of the stable one dies out.
static void test_selection(void **state)
{
    (void)state;
    Heard *heard = heard_create();
    SpragScalar scalar = {
        .a = 1, .b = 0.5, .c = 1, .d = 2, .friction = 2, .stiffness = 1e4, .damping = 40};
    SpragPairVerdict verdict;
    Case c = scalar_case(scalar, 50, -0.5, 1);
    c.settings.compliant = true;
    sprag_pair_forward(&c.pair, &c.problem.state, NULL, &verdict);
    c.settings.start_motion = 1 - verdict.chosen;
    double stable = verdict.motions[verdict.chosen].layer;
    c.settings.disturbance = -0.01;
    SpragDriveSample last = go(&c, heard, 1e-5, SPRAG_RUN_DONE);
    assert_close(last.layer, stable, 1e-6 * fabs(stable));
    assert_close(last.acceleration, verdict.motions[verdict.chosen].acceleration[0], 1e-5);
    c.settings.disturbance = 0.01;
    go(&c, heard, 1, SPRAG_RUN_DONE);
    assert_true(heard->event_count > 0 && heard->events[0].type == SPRAG_EVENT_STICK);
    // mu |X* 0.01/2| e^(r t)/r takes the velocity 50: r t = 14 at r = 120
    assert_true(heard->events[0].t < 15 / verdict.motions[1 - verdict.chosen].growth);
    c.settings.start_motion = verdict.chosen;
    for (int side = -1; side <= 1; side += 2) {
        c.settings.disturbance = 0.01 * side;
        last = go(&c, heard, 1e-5, SPRAG_RUN_DONE);
        assert_close(last.layer, stable, 1e-6 * fabs(stable));
    }
    free(heard);
}

static double wave(int input, double t, void *user)
{
    (void)user;
    return input == 0 ? 0.03 * sin(8 * t) + 0.02 : 0;
}

// The compliant screw tends to the rigid one as stiffness grows: the way after several starts,
// stops and reversals; error of order 1/k to 1/sqrt(k), so at least 2 a factor of 100.
static void test_limit(void **state)
{
    (void)state;
    Heard *heard = heard_create();
    SpragScrew screw = {.inertia = 2e-4,
                        .mass = 5,
                        .lead = 1e-3,
                        .helix = 0.15,
                        .thread_angle = 0.25,
                        .friction = 0.1,
                        .gravity = 9.81};
    Case c = {.until = 1.5, .settings = sprag_drive_default()};
    c.settings.output_step = 0.01;
    c.problem.input = wave;
    sprag_pair_of_screw(&screw, &c.pair);
    double rigid = go(&c, heard, 1e-9, SPRAG_RUN_DONE).position, errors[3];
    int events = heard->event_count;
    assert_true(events >= 3);
    c.settings.compliant = true;
    for (int i = 0; i < 3; i++) {
        screw.stiffness = 1e4 * pow(100, i);
        screw.damping = 0.2 * sqrt(screw.stiffness * screw.mass);
        sprag_pair_of_screw(&screw, &c.pair);
        errors[i] = fabs(go(&c, heard, 1e-7, SPRAG_RUN_DONE).position - rigid);
    }
    assert_true(errors[1] < errors[0] / 2 && errors[2] < errors[1] / 2);
    assert_true(errors[2] < 1e-3 * fabs(rigid));
    free(heard);
}

// A table that jumps: the run stops at its rows.
static double jump(int input, double t, void *user)
{
    (void)user;
    return input == 0 ? (t < 1 ? 0 : 10) : 0;
}

static void test_breaks(void **state)
{
    (void)state;
    static const double breaks[] = {1};
    Heard *heard = heard_create();
    Case c = scalar_case((SpragScalar){.a = 1, .b = 0.5, .c = 1, .d = 2, .friction = 0.5}, 0, 0, 2);
    c.problem.input = jump;
    c.problem.breaks = breaks;
    c.problem.break_count = 1;
    SpragDriveSample last = go(&c, heard, 1e-8, SPRAG_RUN_DONE);
    assert_int_equal(heard->event_count, 1);
    assert_close(heard->events[0].t, 1, 1e-12);
    assert_close(last.velocity, 8.5 / 1.5, 1e-8);
    free(heard);
}

// A curved ratio: energy closes, and q_1 follows g(q_2).
static void test_transmission(void **state)
{
    (void)state;
    Heard *heard = heard_create();
    SpragTransmission drive = {.a = {0.01, 2},
                               .b = {0, 3},
                               .c = {1, -0.5},
                               .d = {0.2, 0.4},
                               .friction = 0.3,
                               .slip = {1, 0},
                               .slope = 0.5,
                               .curvature = 0.02};
    Case c = {.until = 1, .settings = sprag_drive_default()};
    sprag_pair_of_transmission(&drive, &c.pair);
    c.problem.state.velocity = 1;
    c.problem.state.input[0] = 9;
    SpragDriveSample last = go(&c, heard, 1e-7, SPRAG_RUN_DONE);
    assert_true(last.position > 0);
    free(heard);
}

// The n-th allocation fails, for every n; and a run that is under way allocates nothing.
static void test_memory(void **state)
{
    (void)state;
    Case c = scalar_case((SpragScalar){.a = 1, .b = 0.5, .c = 1, .d = 2, .friction = 2}, 5, 0, 4.5);
    c.problem.pair = &c.pair;
    c.problem.input = ramp;
    bool done = false;
    for (long n = 1; !done && n < 1000; n++) {
        CountingAllocator counter;
        SpragContext *context = starved_context(&counter, n);
        SpragDriveRun *run;
        SpragRunOutcome outcome;
        SpragStatus status = sprag_drive_run_create(context, &c.problem, &c.settings, NULL, &run);
        if (status == SPRAG_OK)
            status = sprag_drive_run_advance(run, 1, &outcome);
        assert_true(status == SPRAG_OK || status == SPRAG_ERROR_MEMORY);
        done = status == SPRAG_OK;
        if (done) {
            uint64_t before = sprag_context_allocation_count(context);
            assert_int_equal(sprag_drive_run_advance(run, 4.5, &outcome), SPRAG_OK);
            assert_true(sprag_context_allocation_count(context) == before);
            assert_int_equal(outcome, SPRAG_RUN_DONE);
        }
        sprag_drive_run_destroy(run);
        sprag_context_destroy(context);
    }
    assert_true(done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stick),           cmocka_unit_test(test_jam),
        cmocka_unit_test(test_verdict_at_rest), cmocka_unit_test(test_jam_at_start),
        cmocka_unit_test(test_reversal),        cmocka_unit_test(test_branch_change),
        cmocka_unit_test(test_growth),          cmocka_unit_test(test_growth_random),
        cmocka_unit_test(test_memory),          cmocka_unit_test(test_selection),
        cmocka_unit_test(test_limit),           cmocka_unit_test(test_breaks),
        cmocka_unit_test(test_transmission),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
