// test_dat_lcp.c: Siconos .dat LCPs: what they hold, and every way in which they can be broken.
#include "support/test.h"

static SpragStatus read_text(SpragContext *context, const char *text, SpragLcpFile *file)
{
    return sprag_lcp_read_dat_text(context, "p.dat", text, strlen(text), file);
}

static void a_file_is_read(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragLcpFile file;
    char path[512];
    snprintf(path, sizeof path, "%s/tests/data/lcp/lcp_ortiz.dat", SPRAG_SOURCE_DIR);
    assert_ok(context, sprag_lcp_read_dat(context, path, &file));
    assert_int_equal(file.n, 4);
    assert_close(file.M[1], -1, 0);
    assert_close(file.M[15], 2, 0);
    assert_close(file.q[0], -2, 0);
    sprag_lcp_file_destroy(context, &file);
    snprintf(path, sizeof path, "%s/tests/data/lcp/no_such.dat", SPRAG_SOURCE_DIR);
    assert_int_equal(sprag_lcp_read_dat(context, path, &file), SPRAG_ERROR_READ);
    assert_int_equal(sprag_lcp_read_dat(context, SPRAG_SOURCE_DIR, &file), SPRAG_ERROR_READ);
    sprag_context_destroy(context);
}

static void remarks_and_spacing_do_not_matter(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragLcpFile file;
    assert_ok(context,
              read_text(context, "2 0\r\n2 2 2\t2 1 -2e-1\n+3 4\n\n5\n6 remark 7 nan", &file));
    assert_close(file.M[1], -0.2, 0);
    assert_close(file.q[1], 6, 0);
    sprag_lcp_file_destroy(context, &file);
    sprag_context_destroy(context);
}

static void sparse_blocks_are_read(void **state)
{
    // blocks 2 × 2 at (0, 0), 2 × 1 at (0, 1), 1 × 1 at (1, 1), each column-major
    (void)state;
    SpragContext *context = test_context();
    SpragLcpFile file;
    const char *text = "3\n1\n3\n3\n3\n2\n2\n2 3\n2 3\n3\n3\n0 2 3\n0 1 1\n"
                       "0\n1\n2\n3\n4\n1\n5\n6\n2\n7\n-1 -2 -3\n";
    assert_ok(context, read_text(context, text, &file));
    double M[] = {1, 3, 5, 2, 4, 6, 0, 0, 7};
    for (int k = 0; k < 9; k++)
        assert_close(file.M[k], M[k], 0);
    assert_close(file.q[2], -3, 0);
    sprag_lcp_file_destroy(context, &file);
    // truncated after every byte: an error, or the whole
    for (size_t length = 0; length + 6 < strlen(text); length++) {
        assert_int_equal(sprag_lcp_read_dat_text(context, "p.dat", text, length, &file),
                         SPRAG_ERROR_INPUT);
        assert_null(file.M);
    }
    sprag_context_destroy(context);
}

static const struct {
    const char *text, *message;
} broken[] = {
    {"", "p.dat:1:1: the file ends where the size n is expected"},
    {"x", "p.dat:1:1: the size n must be a whole number"},
    {"0\n0\n", "p.dat:1:1: the size n"},
    {"-2\n0\n", "p.dat:1:1: the size n"},
    {"2.5\n0\n", "p.dat:1:1: the size n"},
    {"99999999999999999999\n0\n", "p.dat:1:1: the size n"},
    {"20000\n0\n20000\n", "p.dat:2:1: the file ends before its 400000000 numbers"},
    {"2\n7\n", "p.dat:2:1: the storage"},
    {"2\n2\n", "p.dat:2:1: storage 2 is not read"},
    {"2\n0\n3\n2\n2 2\n1 2 3 4 5 6\n", "p.dat:3:1: the number of rows must be 2"},
    {"2\n0\n2\n3\n2 3\n1 2 3 4 5 6\n", "p.dat:4:1: the number of columns must be 2"},
    {"2\n0\n2\n2\n2 3\n1 2 3 4 5 6\n", "p.dat:5:3: the repeated number of columns must be 2"},
    {"2\n0\n2\n2\n2 2\n1 nan 3 4 5 6\n", "p.dat:6:3: M[0][1] must be a number, got 'nan'"},
    {"2\n0\n2\n2\n2 2\n1 2\n3 1e999 5 6\n", "p.dat:7:3: M[1][1] must be finite"},
    {"2\n0\n2\n2\n2 2\n1 2\n3 0x4 5 6\n", "p.dat:7:3: M[1][1] must be a number"},
    {"2\n0\n2\n2\n2 2\n1 2\n3 4,5 6\n", "p.dat:7:3: M[1][1] must be a number, got '4,5'"},
    {"2\n0\n2\n2\n2 2\n1 2\n3 4\n5\n", "p.dat:9:1: the file ends where q[1] is expected"},
    {"2\n0\n2\n2\n2 2\n1 2\n3 4\n5 six\n", "p.dat:8:3: q[1] must be a number, got 'six'"},
    {"5000\n1\n", "p.dat:2:1: a sparse matrix may have up to"},
    {"3\n1\n3\n3\n3\n2\n2\n3 2\n", "p.dat:8:3: the cumulated row sizes must grow"},
    {"3\n1\n3\n3\n3\n2\n2\n1 2\n", "p.dat:8:3: the cumulated row sizes must end at 3"},
    {"3\n1\n3\n3\n3\n2\n2\n2 3\n2 3\n3\n2\n", "filled2"},
    {"3\n1\n3\n3\n3\n2\n2\n2 3\n2 3\n3\n3\n1 2 3\n0 1 1\n0 1", "index1 must grow from 0"},
    {"3\n1\n3\n3\n3\n2\n2\n2 3\n2 3\n3\n3\n0 2 3\n0 5 1\n", "index2"},
};

static void broken_files_say_where(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
        SpragLcpFile file;
        assert_int_equal(read_text(context, broken[k].text, &file), SPRAG_ERROR_INPUT);
        if (!strstr(sprag_context_message(context), broken[k].message))
            print_error("case %zu: %s\n", k, sprag_context_message(context));
        assert_non_null(strstr(sprag_context_message(context), broken[k].message));
        assert_null(file.M);
        assert_null(file.q);
    }
    sprag_context_destroy(context);
}

static void noise_never_crashes(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragRandom random;
    sprag_random_init(&random, 8);
    const char *text = "3\n1\n3\n3\n3\n2\n2\n2 3\n2 3\n3\n3\n0 2 3\n0 1 1\n"
                       "0\n1\n2\n3\n4\n1\n5\n6\n2\n7\n-1 -2 -3\n";
    for (int draw = 0; draw < test_draws(500); draw++) {
        char copy[256];
        size_t length = strlen(text);
        memcpy(copy, text, length);
        for (int k = 0; k <= draw % 4; k++)
            copy[sprag_random_below(&random, (int)length)] =
                draw % 2 ? (char)sprag_random_below(&random, 256)
                         : "0123456789 \n-.e"[sprag_random_below(&random, 15)];
        SpragLcpFile file;
        SpragStatus status = sprag_lcp_read_dat_text(context, "noise", copy, length, &file);
        assert_true(status == SPRAG_OK || status == SPRAG_ERROR_INPUT);
        sprag_lcp_file_destroy(context, &file);
    }
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read),
        cmocka_unit_test(remarks_and_spacing_do_not_matter),
        cmocka_unit_test(sparse_blocks_are_read),
        cmocka_unit_test(broken_files_say_where),
        cmocka_unit_test(noise_never_crashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
