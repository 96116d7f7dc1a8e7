// outputs and expect of files: what is read, and what is refused with its place.
#include "scene_support.h"

static const char HEAD[] =
    "sprag: 1\nbodies: [{name: rod, mass: 1, shapes: [{rod: {length: 1}}]}]\n"
    "parameters: {T: 0.5, mu: 0.3}\n";

static SpragScene *read_head(SpragContext *context, const char *text)
{
    char whole[2048];
    snprintf(whole, sizeof whole, "%s%s", HEAD, text);
    return read_good(context, whole);
}

static void outputs_are_read(void **state)
{
    SpragContext *context = test_context();
    int count;
    (void)state;
    SpragScene *scene = read_head(
        context, "outputs:\n  t_rev: {time: slip-reversal, of: tip, x-note: any}\n"
                 "  peak: {max: tip.normal, from: 100 ms, to: 2*T}\n  x-ignored: 3\n"
                 "  n: {count: impact, from: 0.1}\n  p: {period: stick}\n  a: {first: t}\n"
                 "  b: {last: t}\n  c: {min: t}\n  d: {mean: t}\n  e: {range: t}\n");
    const SpragOutput *outputs = sprag_scene_outputs(scene, &count);
    assert_int_equal(count, 9);
    assert_string_equal(outputs[0].name, "t_rev");
    assert_int_equal(outputs[0].kind, SPRAG_OUTPUT_TIME);
    assert_string_equal(outputs[0].of, "slip-reversal");
    assert_string_equal(outputs[0].contact, "tip");
    assert_true(outputs[0].from == -INFINITY && outputs[0].to == INFINITY);
    assert_int_equal(outputs[0].line, 5);
    assert_int_equal(outputs[0].column, 17);
    assert_int_equal(outputs[0].contact_column, 36);
    assert_int_equal(outputs[1].kind, SPRAG_OUTPUT_MAX);
    assert_string_equal(outputs[1].of, "tip.normal");
    assert_null(outputs[1].contact);
    assert_close(outputs[1].from, 0.1, 1e-15);
    assert_close(outputs[1].to, 1, 0);
    for (int i = 2; i < 9; i++) {
        static const SpragOutputKind kinds[] = {
            SPRAG_OUTPUT_COUNT, SPRAG_OUTPUT_PERIOD, SPRAG_OUTPUT_FIRST, SPRAG_OUTPUT_LAST,
            SPRAG_OUTPUT_MIN,   SPRAG_OUTPUT_MEAN,   SPRAG_OUTPUT_RANGE};
        assert_int_equal(outputs[i].kind, kinds[i - 2]);
        assert_true(sprag_output_is_of_events(outputs[i].kind) == (i < 4));
    }
    sprag_scene_destroy(scene);
    scene = read_head(context, "outputs: {}\nexpect:\n");
    (void)sprag_scene_outputs(scene, &count);
    assert_int_equal(count, 0);
    (void)sprag_scene_expects(scene, &count);
    assert_int_equal(count, 0);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

static void events_are_read(void **state)
{
    SpragContext *context = test_context();
    int count;
    (void)state;
    SpragScene *scene =
        read_head(context, "events:\n  - {name: low, signal: rod.b.y, below: 1 cm, stop: true}\n"
                           "  - {type: slip-reversal, contact: tip, count: 3, stop: true}\n"
                           "  - {name: c, signal: rod.x, crosses: 2*T}\n");
    const SpragWatch *events = sprag_scene_events(scene, &count);
    assert_int_equal(count, 3);
    assert_string_equal(events[0].name, "low");
    assert_string_equal(events[0].of, "rod.b.y");
    assert_int_equal(events[0].kind, SPRAG_WATCH_BELOW);
    assert_close(events[0].value, 0.01, 1e-17);
    assert_true(events[0].stop && events[0].count == 1);
    assert_int_equal(events[1].kind, SPRAG_WATCH_TYPE);
    assert_null(events[1].name);
    assert_string_equal(events[1].contact, "tip");
    assert_int_equal(events[1].count, 3);
    assert_int_equal(events[2].kind, SPRAG_WATCH_CROSSES);
    assert_true(events[2].value == 1 && !events[2].stop);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

static void expectations_are_read(void **state)
{
    SpragContext *context = test_context();
    int count;
    (void)state;
    SpragScene *scene = read_head(
        context, "expect:\n  verdict: unique\n  held: true\n  t_rev: [202 ms, 0.208]\n"
                 "  solutions: 1\n  margin.friction: inf\n  a: mu\n  b: [-.inf, 3*mu]\n  c: 0\n"
                 "  outcome: no-solution\n  d: pi\n");
    const SpragSceneExpect *e = sprag_scene_expects(scene, &count);
    assert_int_equal(count, 10);
    assert_string_equal(e[0].word, "unique");
    assert_int_equal(e[0].line, 5);
    assert_int_equal(e[0].column, 3);
    assert_string_equal(e[1].word, "true");
    assert_null(e[2].word);
    assert_close(e[2].least, 0.202, 1e-15);
    assert_true(sprag_expect_is_met(&e[2], 0.205) && !sprag_expect_is_met(&e[2], 0.2081));
    assert_true(!sprag_expect_is_met(&e[2], NAN) && sprag_expect_is_met(&e[2], 0.208));
    assert_true(sprag_expect_is_met(&e[3], 1) && !sprag_expect_is_met(&e[3], 2));
    assert_string_equal(e[4].name, "margin.friction");
    assert_true(sprag_expect_is_met(&e[4], INFINITY) && !sprag_expect_is_met(&e[4], 1e300));
    assert_true(sprag_expect_is_met(&e[5], 0.3 + 1e-7) && !sprag_expect_is_met(&e[5], 0.30001));
    assert_true(sprag_expect_is_met(&e[6], -1e300) && !sprag_expect_is_met(&e[6], 0.91));
    assert_true(sprag_expect_is_met(&e[7], -1e-10) && !sprag_expect_is_met(&e[7], 1e-8));
    assert_string_equal(e[8].word, "no-solution");
    assert_true(!sprag_expect_is_met(&e[8], 0));
    assert_true(sprag_expect_is_met(&e[9], 3.14159265));
    sprag_scene_destroy(scene);
    scene = read_good(context, "sprag: 1\nproblem: lcp\nM: [[1]]\nq: [1]\nexpect: {count: 1}\n");
    e = sprag_scene_expects(scene, &count);
    assert_int_equal(count, 1);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

static void wrong_ones_are_refused(void **state)
{
    const struct {
        const char *text, *position, *fragment;
    } cases[] = {
        {"outputs: [a]", "4:10", "outputs must be a mapping"},
        {"outputs: {a: 3}", "4:14", "an output must be a mapping"},
        {"outputs: {a: {}}", "4:14", "an output needs time, count or period"},
        {"outputs: {a: {mx: rod.x}}", "4:15", "unknown key \"mx\"; did you mean \"max\"?"},
        {"outputs: {a: {max: rod.x, min: rod.x}}", NULL, "an output is one number: min or max"},
        {"outputs: {a: {max: [rod.x]}}", "4:20", "max must be a text"},
        {"outputs: {a: {max: rod.x, of: tip}}", "4:27", "of is the contact of events"},
        {"outputs: {a: {max: rod.x, from: 2, to: 1}}", "4:33", "from must be ≤ to, got 2 s and 1"},
        {"outputs: {a: {max: rod.x, from: 2 m}}", "4:33", "from must be a time"},
        {"outputs: {a: {max: rod.x, from: nan}}", "4:33", "nan"},
        {"outputs: {true: {max: rod.x}}", "4:11", "is reserved"},
        {"outputs: {a b: {max: rod.x}}", "4:11", "the name \"a b\""},
        {"outputs: {a: {max: rod.x}, a: {min: rod.x}}", NULL, "given twice"},
        {"events: [3]", "4:10", "an event must be a mapping"},
        {"events: [{name: a}]", "4:10", "an event needs signal or type"},
        {"events: [{name: a, signal: t, type: stick}]", "4:10", "not both"},
        {"events: [{name: a, signal: t}]", "4:10", "one of above, below and crosses"},
        {"events: [{name: a, signal: t, above: 1, below: 2}]", "4:10", "one of above, below"},
        {"events: [{signal: t, above: 1}]", "4:10", "needs a name"},
        {"events: [{name: a, signal: t, above: 1, contact: b}]", "4:41", "contact belongs to"},
        {"events: [{type: stick}]", "4:10", "needs a name, or stop: true"},
        {"events: [{name: a, type: stick, above: 1}]", "4:33", "above needs signal, not type"},
        {"events: [{name: a, type: stick, count: 0}]", "4:40", "count must be a number > 0"},
        {"events: [{name: a, type: stick, count: 1.5}]", "4:40", "count must be a whole number"},
        {"events: [{name: a, type: stick, stop: 3}]", "4:39", "stop"},
        {"events: [{name: a, type: stick}, {name: a, type: rest}]", "4:34",
         "two events are called a"},
        {"expect: 3", "4:9", "expect must be a mapping"},
        {"expect: {a: {b: 1}}", "4:13", "a word, a number or [least, most], got a mapping"},
        {"expect: {a: }", "4:13", "a word, a number or [least, most], got nothing"},
        {"expect: {a: [1]}", "4:13", "a range must be [least, most], got 1 number"},
        {"expect: {a: [2, 1]}", "4:13", "a range must be [least, most], got [2, 1]"},
        {"expect: {a: [1, x]}", "4:17", "x"},
        {"expect: {a: 1 + }", NULL, "an expected number"},
        {"expect: {'': 1}", "4:10", "expect needs the name"},
    };
    SpragContext *context = test_context();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s\n", HEAD, cases[i].text);
        refuse(context, text, cases[i].position, cases[i].fragment);
    }
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_are_read),
        cmocka_unit_test(events_are_read),
        cmocka_unit_test(expectations_are_read),
        cmocka_unit_test(wrong_ones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
