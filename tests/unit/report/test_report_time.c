// Figures over time: whatever the numbers, a file that is whole, the same bytes each time, and
// texts that stay in it.
#include "support/with_folder.h"

enum { MOST_LINES = 400, SAMPLES = 20000 };

static double times[SAMPLES], values[4][SAMPLES];

static int setup_values(void **state)
{
    for (int i = 0; i < SAMPLES; i++) {
        double t = times[i] = (double)i / (SAMPLES - 1);
        values[0][i] = sin(500 * t);
        values[1][i] = i % 1000 == 7 ? NAN : i % 1000 == 9 ? INFINITY : t;
        values[2][i] = 3;
        values[3][i] = i == SAMPLES / 2 ? 1e6 : 1 + t; // a peak of one sample
    }
    return setup(state);
}

// Writes, reads back and removes; to be freed.
static char *written(const SpragTimeFigure *figure, const char *ending)
{
    char path[128];
    snprintf(path, sizeof path, "%s/f%s", folder, ending);
    assert_ok(context, sprag_figure_write_time(figure, context, NULL, path));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 24);
    assert_non_null(text);
    size_t length = fread(text, 1, (1 << 24) - 1, file);
    fclose(file);
    remove(path);
    assert_true(length > 100 && length < (1 << 24) - 1);
    return text;
}

static SpragTimeLine line_of(int kind, const char *name, const char *heading, const char *unit)
{
    return (SpragTimeLine){.name = name,
                           .heading = heading,
                           .unit = unit,
                           .count = SAMPLES,
                           .times = times,
                           .values = values[kind]};
}

static void usual(void **state)
{
    SpragTimeLine lines[4] = {line_of(0, "a.x", "Position", "m"),
                              line_of(1, "b.x", "Position", "m"), line_of(2, "c", "Constant", ""),
                              line_of(3, "tip.normal", "Contact force", "N")};
    SpragTimeFigure figure = {.title = "a < b & c", .to = 1, .line_count = 4, .lines = lines};
    (void)state;
    char *first = written(&figure, ".svg"), *second = written(&figure, ".svg");
    assert_string_equal(first, second);
    assert_non_null(strstr(first, "a &lt; b &amp; c"));
    assert_non_null(strstr(first, "asinh scale")); // of the force with its peak
    assert_non_null(strstr(first, "</svg>"));
    assert_null(strstr(first, "nan"));
    assert_null(strstr(first, "inf"));
    assert_true(strlen(first) < 200000); // 80 000 samples are thinned to what shows
    free(first);
    free(second);
}

// Every event at once, verdicts of each kind, short ones, compliant spans, far too many lines.
static void crowded(void **state)
{
    SpragTimeLine *lines = calloc(MOST_LINES, sizeof *lines);
    SpragEvent *events = calloc(500, sizeof *events);
    SpragRunVerdict verdicts[5] = {
        {.from = 0, .to = 0.2, .kind = SPRAG_VERDICT_UNIQUE, .stable_count = 1},
        {.from = 0.2, .to = 0.2001, .kind = SPRAG_VERDICT_NONE},
        {.from = 0.3, .to = 0.5, .kind = SPRAG_VERDICT_MULTIPLE},
        {.from = 0.5, .to = 0.6, .kind = SPRAG_VERDICT_UNIQUE},
        {.from = 0.6, .to = 1, .kind = SPRAG_VERDICT_OPEN}};
    SpragTimeSpan spans[] = {{0.2, 0.3}, {0.9, 2}};
    static char headings[MOST_LINES][24];
    (void)state;
    assert_true(lines && events);
    for (int i = 0; i < MOST_LINES; i++) {
        snprintf(headings[i], sizeof headings[i], "panel %d", i / 20);
        lines[i] = line_of(i % 4, "a line with a name that is far too long for its legend",
                           headings[i], "m");
        lines[i].count = 50;
        lines[i].dots = i % 3 == 0;
    }
    for (int i = 0; i < 500; i++) {
        events[i].t = i < 250 ? 0.002 * i : 0.5; // some at one time
        events[i].type = (SpragEventType)(i % SPRAG_EVENT_SCENE);
    }
    SpragTimeFigure figure = {.title = "",
                              .to = 1,
                              .line_count = MOST_LINES,
                              .lines = lines,
                              .event_count = 500,
                              .events = events,
                              .verdict_count = 5,
                              .verdicts = verdicts,
                              .compliant_count = 2,
                              .compliant = spans};
    char *text = written(&figure, ".svg");
    assert_non_null(strstr(text, "and 8 more"));
    assert_non_null(strstr(text, ">jam<"));
    assert_non_null(strstr(text, "one, unstable"));
    free(text);
    if (sprag_figure_has_png()) {
        text = written(&figure, ".png");
        assert_memory_equal(text, "\x89PNG", 4);
        free(text);
    }
    free(lines);
    free(events);
}

static void odd_numbers(void **state)
{
    static double huge[3] = {-1e308, 0, 1e308}, tiny[3] = {1e-320, 2e-320, 0}, none[3];
    static double three[3] = {0, 0.5, 1}, one[1] = {0.5};
    (void)state;
    none[0] = none[1] = none[2] = NAN;
    SpragTimeLine lines[5] = {
        {.name = "h", .heading = "huge", .unit = "N", .count = 3, .times = three, .values = huge},
        {.name = "t", .heading = "tiny", .unit = "", .count = 3, .times = three, .values = tiny},
        {.name = "n", .heading = "none", .unit = "", .count = 3, .times = three, .values = none},
        {.name = "o", .heading = "one", .unit = "", .count = 1, .times = one, .values = one},
        {.name = "e", .heading = "empty", .unit = "", .count = 0, .times = one, .values = one}};
    SpragTimeFigure figure = {.title = "odd", .to = 1, .line_count = 5, .lines = lines};
    char *text = written(&figure, ".svg");
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    free(text);
}

static void refused(void **state)
{
    SpragTimeLine line = line_of(0, "a", "b", "m");
    SpragTimeFigure figure = {.title = "x", .to = 1, .line_count = 0, .lines = &line};
    (void)state;
    assert_int_equal(sprag_figure_write_time(&figure, context, NULL, "/tmp/never.svg"),
                     SPRAG_ERROR_ARGUMENT);
    figure.line_count = 1;
    figure.to = 0;
    assert_int_equal(sprag_figure_write_time(&figure, context, NULL, "/tmp/never.svg"),
                     SPRAG_ERROR_ARGUMENT);
    figure.to = 1;
    assert_int_equal(sprag_figure_write_time(&figure, context, NULL, "/nowhere/never.svg"),
                     SPRAG_ERROR_WRITE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual),
        cmocka_unit_test(crowded),
        cmocka_unit_test(odd_numbers),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, setup_values, teardown);
}
