// Tables from elsewhere: names, quotes, separators, what is no number, what is refused.
#include "support/test.h"

static SpragTable *read_table(SpragContext *context, const char *text)
{
    SpragTable *table;
    assert_ok(context, sprag_table_read_text(context, "d.csv", text, strlen(text), &table));
    return table;
}

static void plain(void **state)
{
    SpragContext *context = test_context();
    SpragTable *table = read_table(context, "# from a camera\n"
                                            "t, \"x, \"\"left\"\"\" ,word\n"
                                            "\n"
                                            "0, 1e-3, a\n"
                                            "0.5,-2.5E+2,\r\n"
                                            "1,inf,nan");
    (void)state;
    assert_int_equal(table->column_count, 3);
    assert_int_equal(table->row_count, 3);
    assert_string_equal(table->names[1], "x, \"left\"");
    assert_int_equal(sprag_table_find(table, "word"), 2);
    assert_int_equal(sprag_table_find(table, "#3"), 2);
    assert_int_equal(sprag_table_find(table, "#4"), -1);
    assert_int_equal(sprag_table_find(table, ""), -1);
    assert_close(table->values[4], -250, 0);
    assert_true(isinf(table->values[7]) && isnan(table->values[8]));
    assert_int_equal(table->kinds[2], SPRAG_CELL_WORDS);
    assert_int_equal(table->kinds[5], SPRAG_CELL_EMPTY);
    assert_int_equal(table->kinds[8], SPRAG_CELL_NUMBER);
    assert_int_equal(table->lines[0], 4);
    assert_int_equal(table->lines[2], 6);
    sprag_table_destroy(table);
    sprag_context_destroy(context);
}

static void other_separators(void **state)
{
    SpragContext *context = test_context();
    SpragTable *table = read_table(context, "\xef\xbb\xbf"
                                            "1;2\n3;4;\n");
    (void)state;
    assert_int_equal(table->row_count, 2);
    assert_string_equal(table->names[0], "");
    assert_close(table->values[3], 4, 0);
    sprag_table_destroy(table);
    table = read_table(context, "a b\tc\n1\t 2\n");
    assert_string_equal(table->names[0], "a b");
    assert_close(table->values[1], 2, 0);
    sprag_table_destroy(table);
    table = read_table(context, "a\n7\n");
    assert_int_equal(table->column_count, 1);
    sprag_table_destroy(table);
    sprag_context_destroy(context);
}

static void refused(void **state)
{
    static const char *const cases[][2] = {
        {"", "d.csv: the table is empty"},
        {"# only\n", "d.csv: the table is empty"},
        {"a,b\n", "d.csv: the table has no rows"},
        {"a,b\n1,2\n3\n", "d.csv:3: the row has 1 cells, the first one has 2"},
        {"a,b\n1,2\n3,4,5\n", "d.csv:3: the row has 3 cells"},
        {"a,\"b\n1,2\n", "d.csv:1: a cell has no closing quote"},
        {"a,b\n1,\"2\n", "d.csv:2: a cell has no closing quote"},
    };
    SpragContext *context = test_context();
    SpragTable *table;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SpragStatus status =
            sprag_table_read_text(context, "d.csv", cases[i][0], strlen(cases[i][0]), &table);
        assert_int_equal(status, SPRAG_ERROR_INPUT);
        assert_non_null(strstr(sprag_context_message(context), cases[i][1]));
        assert_null(table);
    }
    assert_int_equal(sprag_table_read_text(context, "d.csv", "a\0b", 3, &table), SPRAG_ERROR_INPUT);
    assert_int_equal(sprag_table_read(context, "/nowhere/d.csv", &table), SPRAG_ERROR_READ);
    sprag_context_destroy(context);
}

// Whatever the bytes: no crash, and what is read has the size that it says.
static void garbage(void **state)
{
    static const char letters[] = "0123456789.,;\t\n\"#-eE xnai";
    SpragContext *context = test_context();
    SpragRandom random;
    (void)state;
    sprag_random_init(&random, 4);
    for (int draw = 0; draw < test_draws(500); draw++) {
        char text[64];
        int length = sprag_random_below(&random, sizeof text);
        SpragTable *table;
        for (int i = 0; i < length; i++)
            text[i] = letters[sprag_random_below(&random, sizeof letters - 1)];
        if (sprag_table_read_text(context, "d", text, (size_t)length, &table) != SPRAG_OK)
            continue;
        double sum = 0;
        for (size_t i = 0; i < table->row_count * (size_t)table->column_count; i++)
            sum += table->values[i] + table->kinds[i];
        (void)sum;
        sprag_table_destroy(table);
    }
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),
        cmocka_unit_test(other_separators),
        cmocka_unit_test(refused),
        cmocka_unit_test(garbage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
