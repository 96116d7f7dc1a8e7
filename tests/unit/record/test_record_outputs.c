// Outputs of runs against closed forms: a mass on a spring, with and without friction, a throw, a
// rod that slides; and from samples alone. The output step is coarse on purpose: outputs must not
// depend on it.
#include "feed.h"
#include "support/test.h"

typedef struct Case {
    SpragContext *context;
    SpragScene *scene;
    SpragSystem *system;
    SpragRecord *record;
    SpragRun *run;
    SpragRunOutcome outcome;
} Case;

static SpragStatus open_case(Case *c, const char *text, const char *signals)
{
    SpragRecordSettings settings = sprag_record_default();
    memset(c, 0, sizeof *c);
    c->context = test_context();
    assert_ok(c->context,
              sprag_scene_read_text(c->context, "case.yaml", text, strlen(text), NULL, &c->scene));
    assert_ok(c->context, sprag_system_create_model(sprag_scene_model(c->scene), &c->system));
    settings.signals = signals;
    settings.outputs = sprag_scene_outputs(c->scene, &settings.output_count);
    settings.watches = sprag_scene_events(c->scene, &settings.watch_count);
    return sprag_record_create(c->context, c->system, &settings, &c->record);
}

static void go(Case *c, double output_step)
{
    const SpragSimulate *simulate = &sprag_scene_model(c->scene)->simulate;
    SpragRunSettings settings = sprag_run_default();
    SpragSink sink = sprag_record_sink(c->record);
    settings.tolerance = simulate->tolerance;
    settings.output_step = output_step;
    assert_ok(c->context, sprag_run_create(c->system, &settings, &sink, &c->run));
    assert_ok(c->context, sprag_run_advance(c->run, simulate->until, &c->outcome));
    assert_ok(c->context, sprag_record_status(c->record));
}

static void close_case(Case *c)
{
    sprag_run_destroy(c->run);
    sprag_record_destroy(c->record);
    sprag_system_destroy(c->system);
    sprag_scene_destroy(c->scene);
    sprag_context_destroy(c->context);
}

static double output(const Case *c, const char *name)
{
    for (int i = 0; i < sprag_record_output_count(c->record); i++)
        if (strcmp(sprag_record_output_name(c->record, i), name) == 0)
            return sprag_record_output(c->record, i);
    fail_msg("no output %s", name);
    return NAN;
}

// x = 0.6 cos 10 t. Extrema, mean and the mean of a square over windows that cut the motion
// anywhere; the integration is good to some 1e-10.
static const char spring[] =
    "sprag: 1\ngravity: [0, 0]\n"
    "bodies: [{name: p, mass: 1, inertia: 1, position: [0.6, 0]}]\n"
    "joints: [{type: distance, between: [world, p.com], at: [-1, 0], length: 1,\n"
    "          spring: {stiffness: 100}}]\n"
    "simulate: {until: 2, tolerance: 1e-11}\n"
    "outputs:\n"
    "  max: {max: p.x, from: 0.1}\n"
    "  min: {min: p.x, to: 1}\n"
    "  range: {range: p.vx}\n"
    "  mean: {mean: p.x, from: 0.13, to: 1.77}\n"
    "  square: {mean: energy.elastic, from: 0.13, to: 1.77}\n"
    "  first: {first: p.x, from: 0.21}\n"
    "  last: {last: p.x, to: 0.43}\n"
    "  instant: {mean: p.x, from: 0.5, to: 0.5}\n"
    "  short: {max: p.x, from: 0.7, to: 0.8}\n"
    "  clock: {mean: t}\n"
    "  end: {last: t}\n"
    "  late: {max: p.x, from: 3}\n"
    "  none: {time: impact}\n"
    "  count: {count: impact}\n"
    "  period: {period: impact}\n";

static void oscillator_is_analytic(void **state)
{
    const double steps[] = {0, 0.5, 1e-3}, close = 1e-8, a = 0.13, b = 1.77;
    (void)state;
    for (int k = 0; k < 3; k++) {
        Case c;
        assert_int_equal(open_case(&c, spring, NULL), SPRAG_OK);
        go(&c, steps[k]);
        assert_close(output(&c, "max"), 0.6, close);
        assert_close(output(&c, "min"), -0.6, close);
        assert_close(output(&c, "range"), 12, 10 * close);
        assert_close(output(&c, "mean"), 0.06 * (sin(10 * b) - sin(10 * a)) / (b - a), close);
        double square = 0.5 + (sin(20 * b) - sin(20 * a)) / (40 * (b - a));
        assert_close(output(&c, "square"), 50 * 0.36 * square, 100 * close);
        assert_close(output(&c, "first"), 0.6 * cos(2.1), close);
        assert_close(output(&c, "last"), 0.6 * cos(4.3), close);
        assert_close(output(&c, "instant"), 0.6 * cos(5), close);
        assert_close(output(&c, "short"), 0.6 * cos(7), close);
        assert_close(output(&c, "clock"), 1, 1e-12);
        assert_close(output(&c, "end"), 2, 0);
        assert_true(isnan(output(&c, "late")) && isnan(output(&c, "none")));
        assert_true(output(&c, "count") == 0 && isnan(output(&c, "period")));
        close_case(&c);
    }
}

// A box on two corners on a belt that drags it against a spring, at the height of its corners so
// that both carry the same: both begin to slip at once, and the period is that of the box, 2 A/v of
// stick and (π + 2 atan(v/(ω A)))/ω of slip with A = (μs − μk) m g/k.
static const char dragged[] =
    "sprag: 1\ngravity: [0, -10]\n"
    "bodies:\n"
    "  - {name: belt, fixed: true, surface-velocity: [0.1, 0], shapes: [{plane: {}}]}\n"
    "  - {name: p, mass: 1, position: [0, 0.1], velocity: [0.1, 0],\n"
    "     shapes: [{box: {size: [0.3, 0.2]}}], sites: {hook: [-0.15, -0.1]}}\n"
    "contacts: [{between: [p, belt], friction: {static: 0.4, kinetic: 0.2}}]\n"
    "joints: [{type: distance, between: [world, p.hook], at: [-3.15, 0], length: 3,\n"
    "          spring: {stiffness: 100}}]\n"
    "simulate: {until: 4, tolerance: 1e-11}\n"
    "outputs: {period: {period: slip-start}, count: {count: slip-start}}\n";

static void corners_that_slip_together_do_so_once(void **state)
{
    const double A = 0.02, v = 0.1, omega = 10;
    Case c;
    (void)state;
    assert_int_equal(open_case(&c, dragged, NULL), SPRAG_OK);
    go(&c, 0.5);
    double period = 2 * A / v + (3.14159265358979 + 2 * atan(v / (omega * A))) / omega;
    assert_close(output(&c, "period"), period, 1e-8);
    assert_close(output(&c, "count"), 2 * (1 + floor((4 - 0.4) / period)), 0);
    close_case(&c);
}

// The same with Coulomb friction, δ = μ m g / k = 5 mm: each half period π/10 the amplitude loses
// 2 δ; it turns at −52.5, 42.5, −32.5, 22.5, −12.5 mm and stays at 2.5 mm.
static const char rubbing[] =
    "sprag: 1\ngravity: [0, -10]\n"
    "bodies:\n"
    "  - {name: table, fixed: true, shapes: [{plane: {}}]}\n"
    "  - {name: p, mass: 1, inertia: 1, position: [0.0625, 0], shapes: [{points: {a: [0, 0]}}]}\n"
    "contacts: [{name: foot, between: [p, table], friction: 0.05}]\n"
    "joints: [{type: distance, between: [world, p.com], at: [-1, 0], length: 1,\n"
    "          spring: {stiffness: 100}}]\n"
    "simulate: {until: 3, tolerance: 1e-11}\n"
    "outputs:\n"
    "  first: {time: slip-reversal, of: foot}\n"
    "  count: {count: slip-reversal}\n"
    "  later: {count: slip-reversal, from: 0.7}\n"
    "  period: {period: slip-reversal, of: foot}\n"
    "  stop: {time: stick}\n"
    "  min: {min: p.x}\n"
    "  window: {max: p.x, from: 0.35, to: 1.2}\n"
    "  half: {mean: p.x, to: pi/10}\n"
    "  jump: {range: foot.tangential}\n"
    "  sign: {first: foot.tangential}\n"
    "  rest: {last: p.x}\n"
    "  hold: {last: foot.tangential}\n"
    "  loss: {last: energy.friction}\n"
    "  motions: {max: solutions}\n";

static void friction_turns_and_stops_it(void **state)
{
    const double half = 0.3141592653589793, close = 1e-8;
    Case c;
    (void)state;
    assert_int_equal(open_case(&c, rubbing, NULL), SPRAG_OK);
    go(&c, 0.25);
    assert_int_equal(c.outcome, SPRAG_RUN_DONE);
    assert_close(output(&c, "first"), half, close);
    assert_close(output(&c, "count"), 5, 0);
    assert_close(output(&c, "later"), 3, 0);
    assert_close(output(&c, "period"), half, close);
    assert_close(output(&c, "stop"), 6 * half, 10 * close);
    assert_close(output(&c, "min"), -0.0525, close);
    assert_close(output(&c, "window"), 0.0425, close);
    assert_close(output(&c, "half"), 0.005, close);
    assert_close(output(&c, "jump"), 1, close);
    assert_close(output(&c, "sign"), 0.5, close);
    assert_close(output(&c, "rest"), 0.0025, close);
    assert_close(output(&c, "hold"), 0.25, 100 * close);
    // ½ k (x₀² − x²) went into friction
    assert_close(output(&c, "loss"), 50 * (0.0625 * 0.0625 - 0.0025 * 0.0025), close);
    assert_close(output(&c, "motions"), 1, 0);
    close_case(&c);
}

// A throw: the top at v²/2g, a mean height in closed form; a landing in between, where speed jumps.
static const char throw[] =
    "sprag: 1\ngravity: [0, -10]\n"
    "bodies:\n"
    "  - {name: floor, fixed: true, shapes: [{plane: {}}]}\n"
    "  - {name: p, mass: 2, inertia: 1, position: [0, 1], velocity: [0, 3],\n"
    "     shapes: [{points: {a: [0, 0]}}]}\n"
    "contacts: [{name: foot, between: [p, floor], friction: 0.5}]\n"
    "simulate: {until: 1.5}\n"
    "outputs:\n"
    "  top: {max: p.y}\n"
    "  mean: {mean: p.y, to: 0.5}\n"
    "  landing: {time: impact, of: foot}\n"
    "  fastest: {min: p.vy}\n"
    "  end: {last: p.vy}\n"
    "  gap: {range: foot.gap}\n"
    "  weight: {max: foot.normal}\n"
    "  margin: {min: foot.margin}\n";

static void throw_is_analytic(void **state)
{
    // 1 + 3 t − 5 t² = 0
    const double landing = (3 + sqrt(29)) / 10;
    Case c;
    (void)state;
    assert_int_equal(open_case(&c, throw, NULL), SPRAG_OK);
    go(&c, 0.7);
    assert_close(output(&c, "top"), 1.45, 1e-12);
    assert_close(output(&c, "mean"), 1 + 0.75 - 5 * 0.25 / 3, 1e-12);
    assert_close(output(&c, "landing"), landing, 1e-9);
    assert_close(output(&c, "fastest"), 3 - 10 * landing, 1e-8);
    assert_close(output(&c, "end"), 0, 1e-9);
    assert_close(output(&c, "gap"), 1.45, 1e-9);
    assert_close(output(&c, "weight"), 20, 1e-9);
    // closed only after the landing, at rest on a level floor: no friction is needed, only none at
    // all would change the modes
    assert_true(output(&c, "margin") > 0.99);
    close_case(&c);
}

// A rod slides to the left and falls from 70° through atan 2, where μ_c of theory.md (4.8) has its
// least value 4/3: the margin is μ_c(θ)/μ − 1 all along, and its least value lies inside a step.
static const char rod[] =
    "sprag: 1\n"
    "bodies:\n"
    "  - {name: table, fixed: true, shapes: [{plane: {}}]}\n"
    "  - {name: rod, mass: 1, angle: 70 deg, shapes: [{rod: {length: 1}}]}\n"
    "contacts: [{name: tip, between: [rod.a, table], friction: 0.3}]\n"
    "start: [{contact: tip, slip: -4}]\n"
    "simulate: {until: 0.45}\n"
    "outputs: {least: {min: tip.margin}, all: {min: margin}, open: {max: rod.b-table.margin}}\n";

static void margin_follows_the_critical_friction(void **state)
{
    Case c;
    (void)state;
    assert_int_equal(open_case(&c, rod, "rod.angle,*.margin,tip.mode"), SPRAG_OK);
    go(&c, 0.02);
    assert_int_equal(c.outcome, SPRAG_RUN_DONE);
    int margin = sprag_record_find_signal(c.record, "tip.margin");
    int angle = sprag_record_find_signal(c.record, "rod.angle");
    int other = sprag_record_find_signal(c.record, "rod.b-table.margin");
    double smallest = 2;
    assert_true(margin > 0 && angle > 0 && other > 0);
    assert_int_equal(sprag_record_signal_count(c.record), 5);
    for (size_t i = 0; i < sprag_record_sample_count(c.record); i++) {
        double theta = sprag_record_column(c.record, angle)[i];
        double critical = (1 + 3 * cos(theta) * cos(theta)) / (3 * sin(theta) * cos(theta));
        // the scan brackets to 1e-9 of the factor, and ends at ten times
        assert_close(sprag_record_column(c.record, margin)[i],
                     critical > 3 ? INFINITY : critical / 0.3 - 1, 1e-8);
        assert_true(isnan(sprag_record_column(c.record, other)[i]));
        smallest = fmin(smallest, theta);
    }
    assert_true(smallest < 1.0);
    assert_close(output(&c, "least"), 4.0 / 3 / 0.3 - 1, 1e-8);
    assert_close(output(&c, "all"), 4.0 / 3 / 0.3 - 1, 1e-8);
    assert_true(isnan(output(&c, "open")));
    close_case(&c);
}

// A * does not mean margins.
static void margins_must_be_asked_for(void **state)
{
    Case c;
    (void)state;
    const char *const patterns[] = {NULL, "*", "tip.*", "tip.margin", "*margin"};
    const int margins[] = {0, 0, 0, 1, 3};
    for (int k = 0; k < 5; k++) {
        int count = 0;
        assert_int_equal(open_case(&c, rod, patterns[k]), SPRAG_OK);
        for (int i = 0; i < sprag_record_signal_count(c.record); i++)
            count += strstr(sprag_record_signal_name(c.record, i), "margin") != NULL;
        assert_int_equal(count, margins[k]);
        close_case(&c);
    }
}

// Probes and margins outside of their time are refused.
static void probes_have_their_time(void **state)
{
    const SpragRunSample *sample;
    double change;
    Case c;
    (void)state;
    assert_int_equal(open_case(&c, throw, NULL), SPRAG_OK);
    go(&c, 0.1);
    assert_int_equal(sprag_run_probe(c.run, 0.1, &sample), SPRAG_ERROR_ARGUMENT);
    assert_int_equal(sprag_run_margin(c.run, 7, &change), SPRAG_ERROR_ARGUMENT);
    assert_int_equal(sprag_run_margin(c.run, -2, &change), SPRAG_ERROR_ARGUMENT);
    close_case(&c);
}

// Without pieces: lines between samples, cut at the window.
static void samples_alone_make_lines(void **state)
{
    const double times[] = {0, 0.5, 0.75, 1.5, 2};
    const SpragOutput wanted[] = {
        {.name = "mean", .kind = SPRAG_OUTPUT_MEAN, .of = "rod.x", .from = 0.25, .to = 1.75},
        {.name = "first", .kind = SPRAG_OUTPUT_FIRST, .of = "rod.x", .from = 0.25, .to = 1.75},
        {.name = "last", .kind = SPRAG_OUTPUT_LAST, .of = "rod.x", .from = 0.25, .to = 1.75},
        {.name = "max", .kind = SPRAG_OUTPUT_MAX, .of = "rod.x", .from = -1, .to = 9},
        {.name = "margin", .kind = SPRAG_OUTPUT_MAX, .of = "margin", .from = -1, .to = 9},
    };
    const double values[] = {3, 1.5, 4.5, 5, NAN};
    SpragRecordSettings settings = sprag_record_default();
    SpragContext *context = test_context();
    SpragRecord *record;
    Feed feed;
    (void)state;
    feed_open(&feed, context, feed_rod);
    settings.outputs = wanted;
    settings.output_count = 5;
    assert_ok(context, sprag_record_create(context, feed.system, &settings, &record));
    SpragSink sink = sprag_record_sink(record);
    for (int i = 0; i < 5; i++) {
        feed.q[0] = 1 + 2 * times[i];
        SpragRunSample sample = feed_sample(&feed, times[i]);
        assert_int_equal(sink.sample(&sample, sink.user), 0);
    }
    for (int i = 0; i < 5; i++)
        assert_true(isnan(values[i]) ? isnan(sprag_record_output(record, i))
                                     : fabs(sprag_record_output(record, i) - values[i]) < 1e-14);
    sprag_record_destroy(record);
    feed_close(&feed);
}

// Names that do not exist, each with its place and the nearest that does.
static void wrong_names_are_refused(void **state)
{
    const struct {
        const char *line, *place, *nearest;
    } cases[] = {
        {"o: {max: tip.norml}", "case.yaml:7:20", "\"tip.normal\""},
        {"o: {max: rod.c.y}", "case.yaml:7:20", "did you mean"},
        {"o: {max: 'tip.*'}", "case.yaml:7:20", "not the name of one signal"},
        {"o: {max: ''}", "case.yaml:7:20", "not the name of one signal"},
        {"o: {max: tip.mode}", "case.yaml:7:20", "is a word"},
        {"o: {last: verdict}", "case.yaml:7:21", "is a word"},
        {"o: {time: slip-reversl}", "case.yaml:7:21", "\"slip-reversal\""},
        {"o: {time: stick, of: tipp}", "case.yaml:7:32", "\"tip\""},
        {"o: {count: tip.normal}", "case.yaml:7:22", "no event of type"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        Case c;
        snprintf(text, sizeof text, "%.*soutputs: {%s}\n", (int)(strstr(rod, "simulate:") - rod),
                 rod, cases[i].line);
        // "outputs: {o: …" is line 7
        assert_int_equal(open_case(&c, text, NULL), SPRAG_ERROR_INPUT);
        const char *message = sprag_context_message(c.context);
        if (!strstr(message, cases[i].nearest) ||
            strncmp(message, cases[i].place, strlen(cases[i].place)) != 0)
            fail_msg("%s: %s", cases[i].line, message);
        close_case(&c);
    }
}

// The contacts of a rule together, and one of them.
static void contacts_of_a_rule_count_together(void **state)
{
    static const char box[] =
        "sprag: 1\n"
        "bodies:\n"
        "  - {name: floor, fixed: true, shapes: [{plane: {}}]}\n"
        "  - {name: box, mass: 1, position: [0, 0.6], shapes: [{box: {size: [1, 1]}}]}\n"
        "contacts: [{name: pads, between: [box, floor], friction: 0.5}]\n"
        "simulate: {until: 0.5}\n"
        "outputs:\n"
        "  both: {count: impact, of: pads}\n"
        "  one: {count: impact, of: pads.0}\n"
        "  all: {count: impact}\n";
    Case c;
    (void)state;
    assert_int_equal(open_case(&c, box, NULL), SPRAG_OK);
    go(&c, 0.1);
    assert_close(output(&c, "both"), 2, 0);
    assert_close(output(&c, "one"), 1, 0);
    assert_close(output(&c, "all"), 2, 0);
    close_case(&c);
}

// ---- Events of the scene ------------------------------------------------------------------------

// The time of event number `number` of that name.
static double event_time(const Case *c, const char *name, int number)
{
    const SpragEvent *events = sprag_record_events(c->record);
    for (size_t i = 0; i < sprag_record_event_count(c->record); i++)
        if (strcmp(sprag_event_label(&events[i]), name) == 0 && number-- == 0)
            return events[i].t;
    return NAN;
}

// x = 0.6 cos 10 t passes 0.3 at 10 t = ± π/3 + 2 π n. Close to its turning point it passes and
// comes back within 2 × 58 µs, √(2 × 1e-7 / 60): far less than a step.
static void signals_pass_values(void **state)
{
    static const char scene[] =
        "sprag: 1\ngravity: [0, 0]\n"
        "bodies: [{name: p, mass: 1, inertia: 1, position: [0.6, 0]}]\n"
        "joints: [{type: distance, between: [world, p.com], at: [-1, 0], length: 1,\n"
        "          spring: {stiffness: 100}}]\n"
        "simulate: {until: 2, tolerance: 1e-12}\n"
        "events:\n"
        "  - {name: up, signal: p.x, above: 0.3}\n"
        "  - {name: down, signal: p.x, below: 0.3}\n"
        "  - {name: any, signal: p.x, crosses: 0.3}\n"
        "  - {name: dip, signal: p.x, crosses: -0.5999999}\n"
        "  - {name: never, signal: p.x, above: 0.6001}\n"
        "  - {name: end, signal: p.vx, above: 0, count: 3, stop: true}\n"
        "outputs:\n"
        "  first: {time: down}\n  n: {count: any}\n  T: {period: up}\n  dips: {count: dip}\n"
        "  never: {count: never}\n  clock: {last: t}\n  mean: {mean: p.x}\n";
    const double pi = 3.14159265358979324, close = 1e-9;
    Case c;
    (void)state;
    assert_int_equal(open_case(&c, scene, NULL), SPRAG_OK);
    go(&c, 0.03);
    // the velocity −6 sin 10 t rises through 0 at 10 t = π, 3 π, 5 π: there the run ends
    assert_int_equal(c.outcome, SPRAG_RUN_STOPPED);
    assert_close(sprag_run_time(c.run), 0.5 * pi, close);
    for (int n = 0; n < 3; n++) {
        assert_close(event_time(&c, "down", n), (pi / 3 + 2 * pi * n) / 10, close);
        if (n < 2)
            assert_close(event_time(&c, "up", n), (5 * pi / 3 + 2 * pi * n) / 10, close);
        double half = sqrt(2e-7 / 60);
        assert_close(event_time(&c, "dip", 2 * n), (2 * n + 1) * pi / 10 - half, 1e-6);
    }
    assert_true(isnan(event_time(&c, "up", 2)));
    assert_close(output(&c, "first"), pi / 30, close);
    assert_close(output(&c, "n"), 5, 0);
    assert_close(output(&c, "T"), 0.2 * pi, close);
    // the run ends at the last turning point, before it comes back
    assert_close(output(&c, "dips"), 5, 0);
    assert_close(output(&c, "never"), 0, 0);
    assert_close(output(&c, "clock"), 0.5 * pi, close);
    assert_close(output(&c, "mean"), 0, 1e-8);
    const SpragEvent *events = sprag_record_events(c.record);
    for (size_t i = 1; i < sprag_record_event_count(c.record); i++)
        assert_true(events[i].t >= events[i - 1].t);
    close_case(&c);
}

// Over a jump of the velocity; and events that come so many times.
static void jumps_and_counts_are_events(void **state)
{
    char text[2048];
    Case c;
    (void)state;
    snprintf(text, sizeof text, "%s%s", throw,
             "events:\n  - {name: caught, signal: p.vy, above: -1}\n"
             "  - {type: impact, contact: foot, stop: true, name: hit}\n");
    assert_int_equal(open_case(&c, text, NULL), SPRAG_OK);
    go(&c, 0.7);
    assert_int_equal(c.outcome, SPRAG_RUN_STOPPED);
    assert_close(sprag_run_time(c.run), (3 + sqrt(29)) / 10, 1e-9);
    assert_close(event_time(&c, "hit", 0), (3 + sqrt(29)) / 10, 1e-9);
    assert_close(output(&c, "end"), 0, 1e-9); // the side behind the impact was told
    close_case(&c);

    snprintf(text, sizeof text, "%s%s", throw,
             "events: [{name: caught, signal: p.vy, above: -1}]\n");
    assert_int_equal(open_case(&c, text, NULL), SPRAG_OK);
    go(&c, 0.7);
    assert_int_equal(c.outcome, SPRAG_RUN_DONE);
    assert_close(event_time(&c, "caught", 0), (3 + sqrt(29)) / 10, 1e-9);
    close_case(&c);

    snprintf(text, sizeof text, "%s%s", rubbing,
             "events: [{type: slip-reversal, count: 3, stop: true}]\n");
    assert_int_equal(open_case(&c, text, NULL), SPRAG_OK);
    go(&c, 0);
    assert_int_equal(c.outcome, SPRAG_RUN_STOPPED);
    assert_close(sprag_run_time(c.run), 0.3 * 3.14159265358979324, 1e-8);
    assert_close(output(&c, "count"), 3, 0);
    assert_close(output(&c, "rest"), -0.0325, 1e-8);
    close_case(&c);
}

static void wrong_events_are_refused(void **state)
{
    const struct {
        const char *line, *fragment;
    } cases[] = {
        {"{name: a, signal: tip.norml, above: 1}", "case.yaml:7:28: there is no signal"},
        {"{name: a, signal: tip.mode, above: 1}", "is a word"},
        {"{name: stick, signal: tip.slip, above: 1}", "stick is a type of events"},
        {"{name: scene, signal: tip.slip, above: 1}", "scene is a type of events"},
        {"{name: a, type: stck}", "case.yaml:7:26: there is no event of type \"stck\""},
        {"{name: a, type: scene}", "there is no event of type"},
        {"{name: a, type: stick, contact: tp}", "case.yaml:7:42: there is no contact"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        Case c;
        snprintf(text, sizeof text, "%.*sevents: [%s]\n", (int)(strstr(rod, "simulate:") - rod),
                 rod, cases[i].line);
        assert_int_equal(open_case(&c, text, NULL), SPRAG_ERROR_INPUT);
        if (!strstr(sprag_context_message(c.context), cases[i].fragment))
            fail_msg("%s: %s", cases[i].line, sprag_context_message(c.context));
        close_case(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oscillator_is_analytic),
        cmocka_unit_test(corners_that_slip_together_do_so_once),
        cmocka_unit_test(friction_turns_and_stops_it),
        cmocka_unit_test(throw_is_analytic),
        cmocka_unit_test(margin_follows_the_critical_friction),
        cmocka_unit_test(margins_must_be_asked_for),
        cmocka_unit_test(probes_have_their_time),
        cmocka_unit_test(samples_alone_make_lines),
        cmocka_unit_test(wrong_names_are_refused),
        cmocka_unit_test(contacts_of_a_rule_count_together),
        cmocka_unit_test(signals_pass_values),
        cmocka_unit_test(jumps_and_counts_are_events),
        cmocka_unit_test(wrong_events_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
