// Signals of scenes in space: their names and values, and contacts that appear in a run.
#include "feed.h"

static const char ball[] =
    "sprag: 1\ndimension: 3\nmaterials: {default: {friction: 0.3}}\nbodies:\n"
    "  - {name: table, fixed: true, position: [1, 2, 0], orientation: {axis: [0, 0, 1], angle: 90 "
    "deg},\n"
    "     shapes: [{plane: {normal: [0, 0, 1], offset: 0}}], sites: {mark: [3, 0, 1]}}\n"
    "  - {name: ball, mass: 1, position: [0, 0, 0.1], shapes: [{sphere: {radius: 0.1}}],\n"
    "     sites: {eye: [0.1, 0, 0]}}\n";

static void names(void **state)
{
    Feed feed;
    (void)state;
    feed_open(&feed, test_context(), ball);
    feed_assert_signals(
        &feed, "ball.*",
        "t ball.x ball.y ball.z ball.qw ball.qx ball.qy ball.qz ball.vx ball.vy ball.vz "
        "ball.wx ball.wy ball.wz ball.up.x ball.up.y ball.up.z ball.eye.x ball.eye.y "
        "ball.eye.z ball.eye.vx ball.eye.vy ball.eye.vz");
    feed_assert_signals(&feed, "ball-table.*",
                        "t ball-table.gap ball-table.slip ball-table.slip.x ball-table.slip.y "
                        "ball-table.slip.z ball-table.normal ball-table.tangential "
                        "ball-table.tangential.x ball-table.tangential.y ball-table.tangential.z "
                        "ball-table.mode ball-table.friction ball-table.depth");
    feed_assert_signals(&feed, "ball.com.z,table.mark.?",
                        "t ball.com.z table.mark.x table.mark.y "
                        "table.mark.z");
    feed_assert_signals(&feed, "ball.up,ball-table.slip",
                        "t ball.up.x ball.up.y ball.up.z ball-table.slip");
    feed_close(&feed);
}

// Turned by a quarter about y, x of the body points down: R = exp(π/2 y).
static void values(void **state)
{
    Feed feed;
    (void)state;
    feed_open(&feed, test_context(), ball);
    const double half = sqrt(0.5);
    const double q[7] = {1, 2, 3, half, 0, half, 0}, v[6] = {4, 5, 6, 0.5, 0.25, 2};
    memcpy(feed.q, q, sizeof q);
    memcpy(feed.v, v, sizeof v);
    feed.contacts[0] = (SpragRunContact){.slip = 5,
                                         .slip_vector = {3, 4, 0},
                                         .tangential = 13,
                                         .tangential_vector = {-5, -12, 0},
                                         .mode = SPRAG_MODE_SLIDE};
    SpragRecord *record = feed_record(&feed, "*,table.mark.*");
    SpragSink sink = sprag_record_sink(record);
    SpragRunSample sample = feed_sample(&feed, 0.5);
    assert_int_equal(sink.sample(&sample, sink.user), 0);
    static const struct {
        const char *name;
        double value;
    } wanted[] = {{"ball.z", 3},
                  {"ball.vz", 6},
                  {"ball.wz", 2},
                  {"ball.qw", 0.70710678118654752},
                  {"ball.up.x", -1},
                  {"ball.up.z", 0},
                  {"ball.eye.x", 1},
                  {"ball.eye.z", 2.9},
                  // ω × (0, 0, −0.1) = (−0.025, 0.05, 0)
                  {"ball.eye.vx", 3.975},
                  {"ball.eye.vy", 5.05},
                  {"ball.eye.vz", 6},
                  {"ball-table.slip.y", 4},
                  {"ball-table.slip", 5},
                  {"ball-table.tangential.y", -12},
                  {"table.mark.x", 1},
                  {"table.mark.y", 5},
                  {"table.mark.z", 1},
                  {"table.mark.vz", 0},
                  {"table.qz", 0.70710678118654752}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_close(feed_value(record, wanted[i].name), wanted[i].value, 1e-15);
    int mode = sprag_record_find_signal(record, "ball-table.mode");
    assert_string_equal(sprag_signal_word(sprag_record_signal_kind(record, mode), SPRAG_MODE_SLIDE),
                        "slide");
    assert_string_equal(
        sprag_record_signal_unit(record, sprag_record_find_signal(record, "ball-table.slip.x")),
        "m/s");
    assert_string_equal(
        sprag_record_signal_unit(record, sprag_record_find_signal(record, "ball.up.x")), "");
    sprag_record_destroy(record);
    feed_close(&feed);
}

// Two edges meet that were far apart at the start: outputs of the rule's name count the impact, but
// there are no columns for it. Height of fall h = 1.4 − 0.2 √2 / 2 · 2.
static void later_contacts(void **state)
{
    static const char edges[] =
        "sprag: 1\ndimension: 3\nbodies:\n"
        "  - {name: low, fixed: true, orientation: {axis: [1, 0, 0], angle: 45 deg},\n"
        "     shapes: [{box: {size: [1, 0.2, 0.2]}}]}\n"
        "  - {name: high, density: 500, position: [0, 0, 1.4],\n"
        "     orientation: {axis: [0, 1, 0], angle: 45 deg}, shapes: [{box: {size: [0.2, 1, "
        "0.2]}}]}\n"
        "contacts: [{name: pads, between: [low, high], friction: 0.5}]\n";
    Feed feed;
    (void)state;
    memset(&feed, 0, sizeof feed);
    feed.context = test_context();
    SpragContext *context = feed.context;
    assert_ok(context, sprag_scene_read_text(context, "edges.yaml", edges, strlen(edges), NULL,
                                             &feed.scene));
    assert_ok(context, sprag_system_create_model(sprag_scene_model(feed.scene), &feed.system));
    const int known = sprag_system_contact_count(feed.system);
    SpragRecordSettings settings = sprag_record_default();
    SpragOutput output = {
        .name = "hit", .kind = SPRAG_OUTPUT_TIME, .of = "impact", .contact = "pads"};
    output.from = 0;
    output.to = INFINITY;
    settings.outputs = &output;
    settings.output_count = 1;
    SpragRecord *record = NULL;
    SpragRun *run;
    SpragRunOutcome outcome;
    assert_ok(context, sprag_record_create(context, feed.system, &settings, &record));
    SpragRunSettings run_settings = sprag_run_settings(&sprag_scene_model(feed.scene)->simulate);
    SpragSink sink = sprag_record_sink(record);
    assert_ok(context, sprag_run_create(feed.system, &run_settings, &sink, &run));
    assert_ok(context, sprag_run_advance(run, 0.6, &outcome));
    assert_ok(context, sprag_record_status(record));
    assert_true(sprag_system_contact_count(feed.system) > known);
    assert_close(sprag_record_output(record, 0), sqrt(2 * (1.4 - 0.2 * sqrt(2)) / 9.81), 1e-9);
    assert_true(sprag_record_event_count(record) > 0);
    assert_true(sprag_record_events(record)[0].contact >= known);
    assert_int_equal(sprag_record_find_signal(record, "pads.16.gap"), -1);
    assert_true(sprag_record_find_signal(record, "pads.15.gap") >= 0);
    sprag_run_destroy(run);
    sprag_record_destroy(record);
    feed_close(&feed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(values),
                                       cmocka_unit_test(later_contacts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
