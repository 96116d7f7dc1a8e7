// Routh's diagram: what is drawn is what was computed, and every case can be drawn.
#include "sprag/report.h"
#include "support/with_context.h"

static int count(const char *text, const char *part)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, part)); at++)
        found++;
    return found;
}

// theory.md 10.8: Newton's law makes 0.0625 J.
static void test_numbers(void **state)
{
    (void)state;
    SpragSingleImpact problem = {.dimension = 2,
                                 .W = {2.5, -1.5, -1.5, 2.5},
                                 .velocity = {-1, 0.2},
                                 .friction = 0.9,
                                 .friction_static = 1,
                                 .e = 1};
    SpragRouth figure = {.problem = &problem, .title = "a & b <c>", .command = "sprag impact"};
    SpragText text;
    sprag_text_init(&text, context);
    sprag_report_routh(&figure, &text);
    assert_false(text.failed);
    const char *const words[] = {"a &amp; b &lt;c&gt;",
                                 "approach 1 m/s, slip 0.2 m/s: stick-in-compression",
                                 "0.625, 1.175 N s",
                                 "0.58, 1.1 N s",
                                 "makes 0.0625 J of energy",
                                 "e = 1",
                                 "μ = 0.9",
                                 "slip stops",
                                 "end of compression",
                                 "cone of static friction"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strstr(text.bytes, words[i]))
            fail_msg("\"%s\" is not in the figure", words[i]);
    // S = 0 and C = 0, in the plot and in the legend
    assert_int_equal(count(text.bytes, "stroke=\"#b04c06\""), 2);
    // the same numbers give the same bytes
    SpragText again;
    sprag_text_init(&again, context);
    sprag_report_routh(&figure, &again);
    assert_string_equal(text.bytes, again.bytes);
    sprag_text_destroy(&again);
    sprag_text_destroy(&text);
}

// Random impacts, among them frictionless, central, at rest and tangential ones: finite pictures.
static void test_any(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 3);
    for (int draw = 0; draw < test_draws(200); draw++) {
        double a = sprag_random_uniform(&random, 0.1, 5), b = sprag_random_uniform(&random, 0.1, 5);
        double c = sprag_random_uniform(&random, -0.99, 0.99) * sqrt(a * b);
        SpragSingleImpact problem = {
            .dimension = 2,
            .W = {a, c, c, b},
            .velocity = {draw % 5 ? -sprag_random_uniform(&random, 0, 2) : 0,
                         draw % 7 ? sprag_random_uniform(&random, -2, 2) : 0},
            .friction = draw % 6 ? sprag_random_uniform(&random, 0, 2) : 0,
            .e = draw % 4 ? sprag_random_uniform(&random, 0, 1) : 0};
        SpragRouth figure = {.problem = &problem};
        SpragText text;
        sprag_text_init(&text, context);
        sprag_report_routh(&figure, &text);
        assert_false(text.failed);
        assert_null(strstr(text.bytes, "nan"));
        assert_null(strstr(text.bytes, "inf"));
        sprag_text_destroy(&text);
    }
}

static void test_refused(void **state)
{
    (void)state;
    SpragSingleImpact problem = {.dimension = 3};
    SpragRouth figure = {.problem = &problem};
    SpragFigureSettings settings = {0};
    assert_int_equal(sprag_figure_write_routh(&figure, context, NULL, "x.svg"),
                     SPRAG_ERROR_ARGUMENT);
    assert_int_equal(sprag_figure_write_routh(&figure, context, &settings, "x.svg"),
                     SPRAG_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_any),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
