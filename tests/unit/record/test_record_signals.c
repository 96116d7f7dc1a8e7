// Signals: their names, their values, selection by pattern.
#include "feed.h"

static void assert_refused(const Feed *feed, const char *patterns, const char *fragment)
{
    SpragRecordSettings settings = sprag_record_default();
    SpragRecord *record = NULL;
    settings.signals = patterns;
    SpragStatus status = sprag_record_create(feed->context, feed->system, &settings, &record);
    assert_int_equal(status, SPRAG_ERROR_INPUT);
    assert_null(record);
    if (!strstr(sprag_context_message(feed->context), fragment))
        print_error("'%s' lacks '%s'\n", sprag_context_message(feed->context), fragment);
    assert_non_null(strstr(sprag_context_message(feed->context), fragment));
}

#define ROD_CONTACT(name)                                                                          \
    name ".gap " name ".slip " name ".normal " name ".tangential " name ".mode " name ".friction "

static void names_of_a_scene(void **state)
{
    Feed feed;
    (void)state;
    feed_open(&feed, test_context(), feed_rod);
    feed_assert_signals(
        &feed, NULL,
        "t rod.x rod.y rod.angle rod.vx rod.vy rod.spin rod.eye.x rod.eye.y rod.eye.vx "
        "rod.eye.vy " ROD_CONTACT("tip")
            ROD_CONTACT("rod.b-table") "energy.kinetic energy.potential energy.elastic "
                                       "energy.friction energy.impact "
                                       "energy.damping energy.actuation verdict solutions");
    feed_close(&feed);
}

static void names_of_a_user_system(void **state)
{
    char *names[] = {"shoe", "a, \"b\""};
    Feed feed;
    (void)state;
    feed_open_user(&feed, test_context(), 2, names);
    feed_assert_signals(
        &feed, "q.*,v.*,shoe.m*,*friction",
        "t q.0 q.1 v.0 v.1 shoe.mode shoe.friction a, \"b\".friction energy.friction");
    assert_refused(&feed, "q.2", "\"q.2\"; did you mean \"q.0\"");
    feed_close(&feed);
}

static void selection(void **state)
{
    Feed feed;
    (void)state;
    feed_open(&feed, test_context(), feed_rod);
    // the order is that of the patterns, each signal once, t first
    feed_assert_signals(&feed, "tip.normal,rod.?,rod.x, t ,", "t tip.normal rod.x rod.y");
    feed_assert_signals(&feed, "rod.*.vx", "t rod.eye.vx");
    feed_assert_signals(&feed, "verdict , energy.k*", "t verdict energy.kinetic");
    // tips, corners and the centre of mass by name; a fixed body too
    feed_assert_signals(&feed, "rod.b.y", "t rod.b.y");
    feed_assert_signals(&feed, "rod.a.v?,rod.com.x", "t rod.a.vx rod.a.vy rod.com.x");
    feed_assert_signals(&feed, "table.x,table.mark.y", "t table.x table.mark.y");
    feed_assert_signals(&feed, "rod.*-table.mode", "t rod.b-table.mode");
    feed_close(&feed);
}

static void unknown_names(void **state)
{
    Feed feed;
    (void)state;
    feed_open(&feed, test_context(), feed_rod);
    assert_refused(&feed, "tip.nromal", "did you mean \"tip.normal\"");
    assert_refused(&feed, "rod.x,rod.d.vy", "did you mean \"rod.a.vy\"");
    assert_refused(&feed, "rdo.*", "no signal matches \"rdo.*\"");
    assert_refused(&feed, "rod.b.angle", "\"rod.b.angle\"");
    assert_refused(&feed, "T", "did you mean \"t\"");
    assert_refused(&feed, "", "empty");
    assert_refused(&feed, " , ,", "empty");
    assert_refused(&feed, ".", "\".\"");
    assert_refused(&feed, "rod.", "\"rod.\"");
    // names far longer than any buffer
    char *endless = malloc(100001);
    memset(endless, 'x', 100000);
    endless[100000] = 0;
    assert_refused(&feed, endless, "no signal");
    endless[99000] = '.';
    assert_refused(&feed, endless, "no signal");
    free(endless);
    feed_close(&feed);
}

static void groups(void **state)
{
    static const char scene[] =
        "sprag: 1\n"
        "bodies:\n"
        "  - {name: table, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"
        "  - {name: box, mass: 1, position: [0, 1], shapes: [{box: {size: [1, 1]}}]}\n"
        "contacts:\n"
        "  - {name: pads, between: [box, table], friction: 0.3}\n";
    Feed feed;
    (void)state;
    feed_open(&feed, test_context(), scene);
    feed_assert_signals(&feed, "pads.normal",
                        "t pads.0.normal pads.1.normal pads.2.normal pads.3.normal");
    feed_assert_signals(&feed, "pads.?.gap,pads.1.m*",
                        "t pads.0.gap pads.1.gap pads.2.gap pads.3.gap pads.1.mode");
    assert_refused(&feed, "pads.norml", "did you mean \"pads.0.normal\"");
    feed_close(&feed);
}

static void twins(void **state)
{
    char *energy[] = {"energy"}, *twice[] = {"one", "two", "one"};
    Feed feed;
    (void)state;
    feed_open_user(&feed, test_context(), 1, energy);
    assert_refused(&feed, NULL, "energy.friction");
    feed_close(&feed);
    feed_open_user(&feed, test_context(), 3, twice);
    assert_refused(&feed, NULL, "one.");
    feed_close(&feed);
}

// ---- Patterns against the plain recursive definition --------------------------------------------

static bool matches_by_definition(const char *pattern, const char *name)
{
    if (!*pattern)
        return !*name;
    if (*pattern == '*')
        return matches_by_definition(pattern + 1, name) ||
               (*name && matches_by_definition(pattern, name + 1));
    return *name && (*pattern == '?' || *pattern == *name) &&
           matches_by_definition(pattern + 1, name + 1);
}

static void draw_text(SpragRandom *random, const char *letters, int length, char *text)
{
    for (int i = 0; i < length; i++)
        text[i] = letters[sprag_random_below(random, (int)strlen(letters))];
    text[length] = 0;
}

static void patterns_by_definition(void **state)
{
    enum { NAMES = FEED_CONTACTS, LENGTH = 6 };
    char texts[NAMES][LENGTH + 1], *names[NAMES];
    SpragRandom random;
    Feed feed;
    (void)state;
    sprag_random_init(&random, 7);
    // all different: the bits of the number as letters
    for (int i = 0; i < NAMES; i++) {
        for (int bit = 0; bit < LENGTH; bit++)
            texts[i][bit] = (i * 5 >> bit) % 2 ? 'a' : 'b';
        texts[i][LENGTH] = 0;
        names[i] = texts[i];
    }
    feed_open_user(&feed, test_context(), NAMES, names);
    SpragRecordSettings settings = sprag_record_default();
    for (int draw = 0; draw < test_draws(200); draw++) {
        char pattern[32], name[128];
        int expected = 0;
        draw_text(&random, "ab*?*", 1 + sprag_random_below(&random, 8), pattern);
        strcat(pattern, ".gap");
        for (int i = 0; i < NAMES; i++) {
            snprintf(name, sizeof name, "%s.gap", texts[i]);
            expected += matches_by_definition(pattern, name);
        }
        SpragRecord *record = NULL;
        settings.signals = pattern;
        SpragStatus status = sprag_record_create(feed.context, feed.system, &settings, &record);
        assert_int_equal(status, expected ? SPRAG_OK : SPRAG_ERROR_INPUT);
        assert_int_equal(record ? sprag_record_signal_count(record) - 1 : 0, expected);
        for (int i = 0; record && i < NAMES; i++) {
            snprintf(name, sizeof name, "%s.gap", texts[i]);
            assert_int_equal(sprag_record_find_signal(record, name) >= 0,
                             matches_by_definition(pattern, name));
        }
        sprag_record_destroy(record);
    }
    feed_close(&feed);
}

// ---- Values -------------------------------------------------------------------------------------

static void hear(SpragRecord *record, const SpragRunSample *sample)
{
    SpragSink sink = sprag_record_sink(record);
    assert_int_equal(sink.sample(sample, sink.user), 0);
}

static void values(void **state)
{
    Feed feed;
    (void)state;
    feed_open(&feed, test_context(), feed_rod);
    SpragRecord *record = feed_record(&feed, "*,rod.b.*,rod.com.x");
    SpragRunSample sample = feed_sample(&feed, 0.25);
    for (int i = 0; i < 3; i++) {
        feed.q[i] = 1 + i;
        feed.v[i] = 10 + i;
    }
    feed.contacts[0] = (SpragRunContact){.gap = 0.1,
                                         .slip = -0.2,
                                         .normal = 0.3,
                                         .tangential = 0.4,
                                         .friction = 0.5,
                                         .mode = SPRAG_MODE_SLIDE_MINUS};
    feed.contacts[1].gap = INFINITY;
    sample.energy = (SpragEnergyAccount){1, 2, 3, 4, 5, 6, 7, 8, 9};
    sample.verdict = SPRAG_VERDICT_MULTIPLE;
    sample.solution_count = 3;
    hear(record, &sample);
    static const struct {
        const char *name;
        double value;
    } wanted[] = {{"t", 0.25},
                  {"rod.x", 1},
                  {"rod.y", 2},
                  {"rod.angle", 3},
                  {"rod.vx", 10},
                  {"rod.vy", 11},
                  {"rod.spin", 12},
                  {"rod.com.x", 1},
                  {"table.x", 1},
                  {"table.y", 2},
                  {"table.angle", 0.5},
                  {"table.vx", 0},
                  {"table.spin", 0},
                  {"table.mark.vy", 0},
                  {"tip.gap", 0.1},
                  {"tip.slip", -0.2},
                  {"tip.normal", 0.3},
                  {"tip.tangential", 0.4},
                  {"tip.friction", 0.5},
                  {"tip.mode", SPRAG_MODE_SLIDE_MINUS},
                  {"solutions", 3},
                  {"verdict", SPRAG_VERDICT_MULTIPLE},
                  {"energy.kinetic", 1},
                  {"energy.potential", 2},
                  {"energy.elastic", 3},
                  {"energy.actuation", 4},
                  {"energy.friction", 5},
                  {"energy.impact", 6},
                  {"energy.damping", 7},
                  {"rod.b-table.mode", SPRAG_MODE_SEPARATE}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_close(feed_value(record, wanted[i].name), wanted[i].value, 0);
    assert_true(isinf(feed_value(record, "rod.b-table.gap")));
    // the mark is 3 m along the x axis of a table at (1, 2) that is turned by 0.5
    assert_close(feed_value(record, "table.mark.x"), 1 + 3 * cos(0.5), 1e-15 * 4);
    assert_close(feed_value(record, "table.mark.y"), 2 + 3 * sin(0.5), 1e-15 * 4);
    sprag_record_destroy(record);
    feed_close(&feed);
}

// Velocities of places are the differences of their positions along q(t) = q + v t.
static void velocities_of_places(void **state)
{
    const double h = 1e-5;
    static const char *const places[] = {"rod.eye", "rod.a", "rod.b"};
    SpragRandom random;
    Feed feed;
    (void)state;
    sprag_random_init(&random, 3);
    feed_open(&feed, test_context(), feed_rod);
    SpragRecord *record = feed_record(&feed, "rod.eye.*,rod.a.*,rod.b.*");
    for (int draw = 0; draw < test_draws(20); draw++) {
        double q[3], velocity[6], before[6], name_value;
        for (int i = 0; i < 3; i++) {
            q[i] = sprag_random_uniform(&random, -3, 3);
            feed.v[i] = sprag_random_uniform(&random, -3, 3);
        }
        for (int side = 0; side < 3; side++) { // at t, before, after
            for (int i = 0; i < 3; i++)
                feed.q[i] = q[i] + (side == 0 ? 0 : side == 1 ? -h : h) * feed.v[i];
            SpragRunSample sample = feed_sample(&feed, 0);
            hear(record, &sample);
            for (int k = 0; k < 6; k++) {
                char name[32];
                snprintf(name, sizeof name, "%s.%s%s", places[k / 2], side ? "" : "v",
                         k % 2 ? "y" : "x");
                name_value = feed_value(record, name);
                if (side == 0)
                    velocity[k] = name_value;
                else if (side == 1)
                    before[k] = name_value;
                else // h²/6 |x'''| ≤ 1e-10/6 · 27, rounding 4 eps/h
                    assert_close(velocity[k], (name_value - before[k]) / (2 * h), 1e-9);
            }
        }
        // rigid: the tips stay 2 m apart
        double dx = feed_value(record, "rod.a.x") - feed_value(record, "rod.b.x");
        double dy = feed_value(record, "rod.a.y") - feed_value(record, "rod.b.y");
        assert_close(hypot(dx, dy), 2, 1e-14);
    }
    sprag_record_destroy(record);
    feed_close(&feed);
}

static void words(void **state)
{
    (void)state;
    assert_string_equal(sprag_signal_word(SPRAG_SIGNAL_MODE, SPRAG_MODE_SEPARATE), "open");
    assert_string_equal(sprag_signal_word(SPRAG_SIGNAL_MODE, SPRAG_MODE_STICK), "stick");
    assert_string_equal(sprag_signal_word(SPRAG_SIGNAL_MODE, SPRAG_MODE_SLIDE_PLUS), "slide+");
    assert_string_equal(sprag_signal_word(SPRAG_SIGNAL_MODE, SPRAG_MODE_SLIDE_MINUS), "slide-");
    assert_string_equal(sprag_signal_word(SPRAG_SIGNAL_VERDICT, SPRAG_VERDICT_NONE), "none");
    assert_null(sprag_signal_word(SPRAG_SIGNAL_NUMBER, 1));
    assert_string_equal(sprag_signal_word(SPRAG_SIGNAL_MODE, 17), "?");
    assert_string_equal(sprag_signal_word(SPRAG_SIGNAL_VERDICT, NAN), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_a_scene),
        cmocka_unit_test(names_of_a_user_system),
        cmocka_unit_test(selection),
        cmocka_unit_test(unknown_names),
        cmocka_unit_test(groups),
        cmocka_unit_test(twins),
        cmocka_unit_test(patterns_by_definition),
        cmocka_unit_test(values),
        cmocka_unit_test(velocities_of_places),
        cmocka_unit_test(words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
