// test_friction_files.c: problem files of others: solved to 1e-8, and every way to break them.
#include <dirent.h>
#include <unistd.h>

#include "support/test.h"

static const char folder[] = SPRAG_SOURCE_DIR "/tests/data/friction";

static void every_file_is_solved(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragFrictionWorkspace *workspace;
    assert_ok(context, sprag_friction_workspace_create(context, &workspace));
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (!strstr(entry->d_name, ".dat") && !strstr(entry->d_name, ".hdf5"))
            continue;
        char path[1024];
        SpragFrictionFile file;
        SpragProblemFileKind kind;
        SpragFrictionInfo info;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        assert_ok(context, sprag_problem_file_kind(context, path, &kind));
        assert_int_not_equal(kind, SPRAG_PROBLEM_FILE_LCP_DAT);
        assert_ok(context, sprag_friction_read(context, path, &file));
        size_t n = (size_t)(file.problem.dimension * file.problem.contact_count);
        double *r = calloc(n, sizeof *r), *u = calloc(n, sizeof *u);
        assert_ok(context, sprag_friction_solve(workspace, &file.problem, NULL, r, u, &info));
        if (info.status != SPRAG_FRICTION_SOLVED)
            print_error("%s: residual %g\n", entry->d_name, info.residual.natural);
        assert_int_equal(info.status, SPRAG_FRICTION_SOLVED);
        free(r);
        free(u);
        sprag_friction_file_destroy(context, &file);
        count++;
    }
    assert_true(count >= 15);
    closedir(directory);
    sprag_friction_workspace_destroy(workspace);
    sprag_context_destroy(context);
}

static void storages_hold_the_same(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    static const char *const texts[] = {
        "2 2 0 4 4 4\t4 1 0 2 0  0 3 0 0  2 0 5 0  0 0 0 7  -1 2 -3 4  0.5 0.25 remark",
        "2 2 1 4 4 4 2 2 2 4 2 4 3 4 0 2 4 0 1 0 1 0 1 0 0 3 1 2 0 0 0 2 2 0 0 0 3 5 0 0 7 "
        "-1 2 -3 4 0.5 0.25",
        "2 2 2 4 4 1 CSparse Version 3.1.9, May 4, 2016.  Copyright\n4-by-4, nzmax: 6 nnz: 6, "
        "1-norm: 7\n col 0 : locations 0 to 1\n 0 : 1\n 2 : 2\n col 1 : locations 2 to 2\n 1 : 3\n "
        "col 2 : locations 3 to 4\n 0 : 2\n 2 : 5\n col 3 : locations 5 to 5\n 3 : 7\n"
        "-1 2 -3 4 0.5 0.25\n",
        "2 2 2 4 4 0 CSparse Version 3.1.9, May 4, 2016.\ntriplet: 4-by-4, nzmax: 6 nnz: 6\n"
        "3 3 : 7\n 0 0 : 1\n 2 0 : 2\n 1 1 : 3\n 0 2 : 2\n 2 2 : 5\n -1 2 -3 4 0.5 0.25\n"};
    const double r[] = {1, -2, 3, 0.5}, wanted[] = {6, -4, 14, 7.5};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        SpragFrictionFile file;
        double u[4];
        assert_ok(context, sprag_friction_read_dat_text(context, "p.dat", texts[k],
                                                        strlen(texts[k]), &file));
        sprag_friction_velocity(&file.problem, r, u, NULL);
        for (int i = 0; i < 4; i++)
            assert_close(u[i], wanted[i], 0);
        assert_close(file.friction[1], 0.25, 0);
        sprag_friction_file_destroy(context, &file);
        // cut anywhere before the last number: an error with its place
        size_t end = (size_t)(strstr(texts[k], "0.25") - texts[k]);
        for (size_t length = 0; length <= end; length++) {
            assert_int_equal(
                sprag_friction_read_dat_text(context, "p.dat", texts[k], length, &file),
                SPRAG_ERROR_INPUT);
            assert_non_null(strstr(sprag_context_message(context), "p.dat:"));
            assert_null(file.q);
        }
    }
    sprag_context_destroy(context);
}

// M v = H r + f, u = Hᵀ v + w of two bodies in the plane and one contact between them, in every
// storage, and of a matrix M that is no body's: u by hand.
static void global_form_is_read(void **state)
{
    (void)state;
    SpragContext *context = test_context();
#define REST " 8 -4 3 2 0 1  0.5 -1  0.3"
    static const char *const texts[] = {
        "2 1 0 6 6 6 6 4 0 0 0 0 0  0 4 0 0 0 0  0 0 2 0 0 0  0 0 0 1 0 0  0 0 0 0 1 0  0 0 0 0 0 "
        "5 "
        "0 6 2 6 2  0 1  1 0  -2 1  0 -1  -1 0  1 3" REST " 1",
        "2 1 1 6 6 2 2 2 3 6 3 6 3 2 0 1 2 0 1 0 4 0 0 0 4 0 0 0 2 1 1 0 0 0 1 0 0 0 5 "
        "1 6 2 2 2 1 3 6 2 3 2 0 1 2 0 0 0 0 1 -2 1 0 1 1 0 -1 1 -1 0 3" REST,
        "2 1 2 6 6 0 CSparse Version 3.1.9\ntriplet: 6-by-6, nzmax: 6 nnz: 6\n0 0 : 4\n1 1 : 4\n2 "
        "2 : "
        "2\n3 3 : 1\n4 4 : 1\n5 5 : 5\n2 6 2 1 CSparse Version 3.1.9\n6-by-2, nzmax: 8 nnz: 8, "
        "1-norm: 4\ncol 0 : locations 0 to 3\n1 : 1\n2 : -2\n4 : -1\n5 : 1\ncol 1 : locations 4 to "
        "7\n"
        "0 : 1\n2 : 1\n3 : -1\n5 : 3\n" REST "\n"};
#undef REST
    // M⁻¹ (H r + f) = ((r1 + 8)/4, (r0 − 4)/4, (−2 r0 + r1 + 3)/2, −r1 + 2, −r0, (r0 + 3 r1 + 1)/5)
    const double r[] = {2, -0.5};
    const double v[] = {7.5 / 4, -0.5, -1.5 / 2, 2.5, -2, 1.5 / 5};
    const double wanted[] = {v[1] - 2 * v[2] - v[4] + v[5] + 0.5,
                             v[0] + v[2] - v[3] + 3 * v[5] - 1};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        SpragFrictionFile file;
        double u[2], velocities[6];
        assert_ok(context, sprag_friction_read_dat_text(context, "p.dat", texts[k],
                                                        strlen(texts[k]), &file));
        assert_int_equal(file.problem.storage, SPRAG_FRICTION_BODIES);
        sprag_friction_velocity(&file.problem, r, u, velocities);
        for (int i = 0; i < 2; i++)
            assert_close(u[i], wanted[i], 1e-14);
        assert_close(file.friction[0], 0.3, 0);
        sprag_friction_file_destroy(context, &file);
    }
    // as large as W, but followed by H; M is coupled: u = Hᵀ M⁻¹ (H r + f) + w
    static const char square[] = "2 1 0 2 2 2 2 2 1 1 2  0 2 2 2 2 1 0 0 3  1 -1  0 0.5  0.7";
    SpragFrictionFile file;
    double u[2];
    assert_ok(context,
              sprag_friction_read_dat_text(context, "p.dat", square, strlen(square), &file));
    sprag_friction_velocity(&file.problem, r, u, NULL);
    double a = r[0] + 1, b = 3 * r[1] - 1;
    assert_close(u[0], (2 * a - b) / 3, 1e-14);
    assert_close(u[1], 3 * (-a + 2 * b) / 3 + 0.5, 1e-14);
    sprag_friction_file_destroy(context, &file);
    sprag_context_destroy(context);
}

static void broken_texts_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"4 1 0 4 4 4 4", "p.dat:1:1: the dimension must be a whole number from 2 to 3, got '4'"},
        {"2 0 0 0 0", "the number of contacts"},
        {"2 1 3 2 2 1 1", "the storage of W"},
        {"2 1 0 3 2 2 2 1 1 1 1 1 1 1", "W must be square, got 3 x 2"},
        {"2 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 1 1 0.5", "W must have 2 rows"},
        {"2 1 0 1 1 1 1 0 0 1 2 1 2 1 1 5 0 0 0.5", "M must be regular"},
        {"2 1 0 1 1 1 1 2 0 1 2 1 2 1 1 5 0 0 -0.5", "p.dat:1:37: mu[0] must be a number ≥ 0"},
        {"2 1 0 2 2 2 2 1 0 0 nan 1 1 0.5", "W[1][1] must be a number, got 'nan'"},
        {"2 1 0 2 2 2 2 1 0 0 1e999 1 1 0.5", "W[1][1] must be finite"},
        {"2 1 0 2 2\n2 2 1 0 0 1 1 1 -0.5", "p.dat:2:17: mu[0] must be a number ≥ 0, got -0.5"},
        {"2 1 1 2 2 1 1 1 2 2 2 1 0 1 5 0 1 0 0 1 1 1 0.5", "an entry of index2"},
        {"2 1 1 2 2 1 1 1 3 2 2 1 0 1 0 0 1 0 0 1 1 1 0.5", "a cumulated row size"},
        {"2 1 2 2 2 1 Sparse 1 1 1 1 1 1 1", "'CSparse' is expected"},
        {"2 1 2 2 2 1 CSparse nnz: 1, 1-norm: 1 col 0 : locations 0 to 0 5 : 1 1 1 1 1", "a row"},
        {"2 1000000 1 2000000 2000000 1 1 1 1 1", "the file ends before"},
    };
    SpragContext *context = test_context();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        SpragFrictionFile file;
        assert_int_equal(sprag_friction_read_dat_text(context, "p.dat", cases[k].text,
                                                      strlen(cases[k].text), &file),
                         SPRAG_ERROR_INPUT);
        if (!strstr(sprag_context_message(context), cases[k].says))
            print_error("'%s' lacks '%s'\n", sprag_context_message(context), cases[k].says);
        assert_non_null(strstr(sprag_context_message(context), cases[k].says));
    }
    sprag_context_destroy(context);
}

// Any byte of a text may be wrong: an error with its place or a valid problem, and never a hang.
static void damaged_texts_are_survived(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "2 2 0 4 4 4\t4 1 0 2 0  0 3 0 0  2 0 5 0  0 0 0 7  -1 2 -3 4  0.5 0.25 remark",
        "2 2 1 4 4 4 2 2 2 4 2 4 3 4 0 2 4 0 1 0 1 0 1 0 0 3 1 2 0 0 0 2 2 0 0 0 3 5 0 0 7 "
        "-1 2 -3 4 0.5 0.25",
        "2 2 2 4 4 0 CSparse Version 3.1.9, May 4, 2016.\ntriplet: 4-by-4, nzmax: 6 nnz: 6\n"
        "3 3 : 7\n 0 0 : 1\n 2 0 : 2\n 1 1 : 3\n 0 2 : 2\n 2 2 : 5\n -1 2 -3 4 0.5 0.25\n"};
    static const char bytes[] = "0123456789 -+.e:\n#nx";
    SpragContext *context = test_context();
    SpragRandom random;
    sprag_random_init(&random, 23);
    for (int k = 0; k < test_draws(2000); k++) {
        char text[400];
        SpragFrictionFile file;
        const char *whole = texts[k % 3];
        size_t length = strlen(whole);
        memcpy(text, whole, length);
        for (int e = 0; e < 1 + k % 3; e++)
            text[sprag_random_below(&random, (int)length)] =
                bytes[sprag_random_below(&random, (int)sizeof bytes - 1)];
        SpragStatus status = sprag_friction_read_dat_text(context, "p.dat", text, length, &file);
        if (status == SPRAG_OK) {
            assert_ok(context, sprag_friction_check(context, &file.problem));
            sprag_friction_file_destroy(context, &file);
        } else {
            assert_non_null(strstr(sprag_context_message(context), "p.dat:"));
        }
    }
    sprag_context_destroy(context);
}

static char *read_bytes(const char *name, size_t *length)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    char *bytes = malloc(1 << 20);
    *length = fread(bytes, 1, 1 << 20, stream);
    fclose(stream);
    return bytes;
}

// Which format a file has is told from its first words, also where one of them is wrong or is what
// nobody here solves (dimension 5: rolling friction): else the reader of LCPs would complain about
// the number of contacts as a storage. The other way round an LCP stays one.
static void formats_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        SpragProblemFileKind kind;
    } cases[] = {
        {"5\n2\n0\n10\n10\n10 10\n1", SPRAG_PROBLEM_FILE_FRICTION_DAT},
        {"-1 4 1 12 12 9", SPRAG_PROBLEM_FILE_FRICTION_DAT},
        {"3 4 7 12 12 12 12 1", SPRAG_PROBLEM_FILE_FRICTION_DAT},
        {"3 x 0 12 12 12 12 1", SPRAG_PROBLEM_FILE_FRICTION_DAT},
        {"3 4 0 12 12 12,5 12 1", SPRAG_PROBLEM_FILE_FRICTION_DAT},
        {"2 1 2 2 2 1 CSparse", SPRAG_PROBLEM_FILE_FRICTION_DAT},
        {"2 1 2 2 2 1 1 2 2", SPRAG_PROBLEM_FILE_LCP_DAT},
        {"2 0 2 2 2 2 1 0 0 1", SPRAG_PROBLEM_FILE_LCP_DAT},
        {"5 0 5 5 5 5 1", SPRAG_PROBLEM_FILE_LCP_DAT},
        {"7 0 5 5 5 5 1", SPRAG_PROBLEM_FILE_LCP_DAT},
        {"5 3 5 5 5 5 1", SPRAG_PROBLEM_FILE_LCP_DAT},
        {"1 0 1 1 1 1 4 -1", SPRAG_PROBLEM_FILE_LCP_DAT},
    };
    SpragContext *context = test_context();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char path[] = "/tmp/sprag-format-XXXXXX";
        int handle = mkstemp(path);
        assert_true(handle >= 0);
        FILE *stream = fdopen(handle, "w");
        assert_non_null(stream);
        fputs(cases[k].text, stream);
        fclose(stream);
        SpragProblemFileKind kind;
        assert_ok(context, sprag_problem_file_kind(context, path, &kind));
        unlink(path);
        if (kind != cases[k].kind)
            print_error("'%s' is taken for the other format\n", cases[k].text);
        assert_int_equal(kind, cases[k].kind);
    }
    sprag_context_destroy(context);
}

static void broken_hdf5_is_refused(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragFrictionFile file;
    size_t length;
    char *bytes = read_bytes("Box_Stacks-i0122-82-5.hdf5", &length);
    assert_ok(context, sprag_friction_read_fclib_bytes(context, "p.hdf5", bytes, length, &file));
    assert_int_equal(file.problem.dimension, 3);
    assert_int_equal(file.problem.contact_count, 82);
    assert_int_equal(file.problem.storage, SPRAG_FRICTION_BODIES);
    sprag_friction_file_destroy(context, &file);
    for (size_t k = 0; k < 16; k++) {
        SpragStatus status =
            sprag_friction_read_fclib_bytes(context, "p.hdf5", bytes, length * k / 16, &file);
        assert_int_equal(status, SPRAG_ERROR_INPUT);
        assert_non_null(strstr(sprag_context_message(context), "p.hdf5: "));
    }
    SpragRandom random;
    sprag_random_init(&random, 3);
    for (int k = 0; k < test_draws(100); k++) {
        size_t at = (size_t)sprag_random_below(&random, (int)length);
        char old = bytes[at];
        bytes[at] = (char)sprag_random_below(&random, 256);
        if (sprag_friction_read_fclib_bytes(context, "p.hdf5", bytes, length, &file) == SPRAG_OK)
            sprag_friction_file_destroy(context, &file);
        bytes[at] = old;
    }
    free(bytes);
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_is_solved),       cmocka_unit_test(storages_hold_the_same),
        cmocka_unit_test(global_form_is_read),        cmocka_unit_test(broken_texts_are_refused),
        cmocka_unit_test(damaged_texts_are_survived), cmocka_unit_test(broken_hdf5_is_refused),
        cmocka_unit_test(formats_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
