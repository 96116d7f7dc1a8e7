// test_friction_fclib.c: FCLIB files of every form, written here: local and global, compressed rows
// and columns, triplets either way, with and without bilateral rows. What is read is compared with
// dense products of the matrices that were written.
#include <hdf5.h>

#include "support/test.h"

enum { BODIES = 2, V = 6 * BODIES, CONTACTS = 2, U = 3 * CONTACTS, MOST = 16 };

typedef enum Form { FORM_ROWS, FORM_COLUMNS, FORM_TRIPLETS, FORM_TURNED, FORM_COUNT } Form;

typedef struct Dense {
    int rows, columns;
    double entry[MOST][MOST];
} Dense;

// ---- Writing ------------------------------------------------------------------------------------

static hid_t create(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 1 << 16, 0);
    hid_t file = H5Fcreate("never-written.hdf5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    assert_true(file >= 0);
    return file;
}

// The bytes of the file, which is closed.
static char *finish(hid_t file, size_t *length)
{
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    ssize_t size = H5Fget_file_image(file, NULL, 0);
    assert_true(size > 0);
    char *bytes = malloc((size_t)size);
    assert_non_null(bytes);
    assert_true(H5Fget_file_image(file, bytes, (size_t)size) == size);
    H5Fclose(file);
    *length = (size_t)size;
    return bytes;
}

static int spare;          // entries that matrices have room for and do not use
static const char *absent; // a dataset that is left out

static void put(hid_t group, const char *name, hid_t type, size_t count, const void *numbers)
{
    hsize_t size = count;
    if (absent && strcmp(name, absent) == 0)
        return;
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static void put_whole(hid_t group, const char *name, int number)
{
    put(group, name, H5T_NATIVE_INT, 1, &number);
}

static void put_matrix(hid_t file, const char *path, const Dense *matrix, Form form)
{
    int p[MOST * MOST + 4], i[MOST * MOST + 4], count = 0, starts = 0;
    double x[MOST * MOST + 4];
    bool by_rows = form == FORM_ROWS, triplets = form >= FORM_TRIPLETS;
    int outer = by_rows ? matrix->rows : matrix->columns;
    int inner = by_rows ? matrix->columns : matrix->rows;
    for (int a = 0; a < outer; a++) {
        if (!triplets)
            p[starts++] = count;
        for (int b = 0; b < inner; b++) {
            double value = by_rows ? matrix->entry[a][b] : matrix->entry[b][a];
            if (value == 0)
                continue;
            i[count] = form == FORM_TURNED ? a : b;
            if (triplets)
                p[starts++] = form == FORM_TURNED ? b : a;
            x[count++] = value;
        }
    }
    if (!triplets)
        p[starts++] = count;
    hid_t group = H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_whole(group, "m", matrix->rows);
    put_whole(group, "n", matrix->columns);
    put_whole(group, "nzmax", count + spare);
    put_whole(group, "nz", by_rows ? -2 : form == FORM_COLUMNS ? -1 : count);
    put(group, "p", H5T_NATIVE_INT, (size_t)starts, p);
    for (int k = count; k < count + spare; k++)
        i[k] = -7, x[k] = NAN;
    put(group, "i", H5T_NATIVE_INT, (size_t)(count + (triplets ? 0 : spare)), i);
    put(group, "x", H5T_NATIVE_DOUBLE, (size_t)(count + spare), x);
    H5Gclose(group);
}

static void put_vectors(hid_t file, const char *path, const char *const names[],
                        const double *const numbers[], const int counts[], int count)
{
    hid_t group = H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (int k = 0; k < count; k++)
        put(group, names[k], H5T_NATIVE_DOUBLE, (size_t)counts[k], numbers[k]);
    H5Gclose(group);
}

// ---- Problems -----------------------------------------------------------------------------------

typedef struct Problem {
    Dense M, H, G, inverse;
    double f[V], w[U], b[MOST], mu[CONTACTS];
    int extra; // columns of G
} Problem;

// M is made of bodies unless `coupled`. Contact 0 is between both bodies, contact 1 on the second;
// columns of G: two between both, then two on the first.
static Problem make(SpragRandom *random, int extra, bool coupled)
{
    Problem p = {.extra = extra};
    p.M.rows = p.M.columns = p.H.rows = p.G.rows = V;
    p.H.columns = U;
    p.G.columns = extra;
    for (int i = 0; i < V; i++) {
        p.M.entry[i][i] = sprag_random_uniform(random, 2, 5);
        p.f[i] = sprag_random_normal(random);
        for (int j = 0; j < U; j++)
            if (j < 3 || i >= 6)
                p.H.entry[i][j] = sprag_random_normal(random);
        for (int j = 0; j < extra; j++)
            if (j < 2 || i < 6)
                p.G.entry[i][j] = sprag_random_normal(random);
        for (int j = 0; j < i; j++)
            if (coupled || i / 6 == j / 6)
                p.M.entry[i][j] = p.M.entry[j][i] = 0.2 * sprag_random_uniform(random, -1, 1);
    }
    for (int j = 0; j < U; j++)
        p.w[j] = sprag_random_normal(random);
    for (int j = 0; j < extra; j++)
        p.b[j] = sprag_random_normal(random);
    p.mu[0] = 0.3;
    p.mu[1] = 0.7;
    // M⁻¹ by Gauss-Jordan: M is diagonally dominant but for little
    Dense M = p.M;
    for (int i = 0; i < V; i++)
        p.inverse.entry[i][i] = 1;
    for (int k = 0; k < V; k++) {
        double pivot = M.entry[k][k];
        for (int j = 0; j < V; j++) {
            M.entry[k][j] /= pivot;
            p.inverse.entry[k][j] /= pivot;
        }
        for (int i = 0; i < V; i++) {
            double factor = i == k ? 0 : M.entry[i][k];
            for (int j = 0; j < V; j++) {
                M.entry[i][j] -= factor * M.entry[k][j];
                p.inverse.entry[i][j] -= factor * p.inverse.entry[k][j];
            }
        }
    }
    return p;
}

static double column_of(const Problem *p, int row, int column)
{
    return column < U ? p->H.entry[row][column] : p->G.entry[row][column - U];
}

// Entry (a, b) of [H G]ᵀ M⁻¹ [H G]; b < 0: of [H G]ᵀ M⁻¹ f + [w b].
static double entry_of(const Problem *p, int a, int b)
{
    double sum = b >= 0 ? 0 : a < U ? p->w[a] : p->b[a - U];
    for (int i = 0; i < V; i++)
        for (int j = 0; j < V; j++)
            sum += column_of(p, i, a) * p->inverse.entry[i][j] *
                   (b < 0 ? p->f[j] : column_of(p, j, b));
    return sum;
}

static char *write_global(const Problem *p, Form form, size_t *length)
{
    hid_t file = create();
    hid_t group = H5Gcreate2(file, "/fclib_global", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_whole(group, "spacedim", 3);
    H5Gclose(group);
    put_matrix(file, "/fclib_global/M", &p->M, form);
    put_matrix(file, "/fclib_global/H", &p->H, form);
    if (p->extra > 0)
        put_matrix(file, "/fclib_global/G", &p->G, form);
    static const char *const names[] = {"f", "w", "mu", "b"};
    const double *const numbers[] = {p->f, p->w, p->mu, p->b};
    const int counts[] = {V, U, CONTACTS, p->extra};
    put_vectors(file, "/fclib_global/vectors", names, numbers, counts, p->extra > 0 ? 4 : 3);
    return finish(file, length);
}

static char *write_local(const Problem *p, Form form, int lacks, size_t *length)
{
    hid_t file = create();
    Dense W = {.rows = U, .columns = U}, mixed = {.rows = U, .columns = p->extra},
          R = {.rows = p->extra, .columns = p->extra};
    double q[U], s[MOST];
    for (int i = 0; i < U + p->extra; i++) {
        *(i < U ? &q[i] : &s[i - U]) = entry_of(p, i, -1);
        for (int j = 0; j < U + p->extra; j++) {
            double value = entry_of(p, i, j);
            if (i < U && j < U)
                W.entry[i][j] = value;
            else if (i < U)
                mixed.entry[i][j - U] = value;
            else if (j >= U)
                R.entry[i - U][j - U] = value;
        }
    }
    hid_t group = H5Gcreate2(file, "/fclib_local", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_whole(group, "spacedim", 3);
    H5Gclose(group);
    put_matrix(file, "/fclib_local/W", &W, form);
    if (p->extra > 0)
        put_matrix(file, "/fclib_local/V", &mixed, form);
    if (p->extra > 0 && lacks != 1)
        put_matrix(file, "/fclib_local/R", &R, form);
    static const char *const names[] = {"q", "mu", "s"};
    const double *const numbers[] = {q, p->mu, s};
    const int counts[] = {U, CONTACTS, p->extra};
    put_vectors(file, "/fclib_local/vectors", names, numbers, counts,
                p->extra > 0 && lacks != 2 ? 3 : 2);
    return finish(file, length);
}

// ---- Reading ------------------------------------------------------------------------------------

// place: where the columns of G should be; every entry of W and q is compared, padding is zero.
static void compare(const Problem *p, const SpragFrictionFile *file, const int *place)
{
    const SpragFrictionProblem *problem = &file->problem;
    int n = 3 * problem->contact_count, own[30];
    double r[30] = {0}, u[30], velocity[V];
    assert_true(n <= 30);
    for (int i = 0; i < n; i++)
        own[i] = i < U ? i : -1;
    for (int j = 0; j < p->extra; j++)
        own[place[j]] = U + j;
    for (int i = 0; i < problem->contact_count; i++) {
        bool bilateral = problem->kinds && problem->kinds[i] == SPRAG_FRICTION_BILATERAL;
        assert_int_equal(bilateral, i >= CONTACTS);
        if (!bilateral)
            assert_close(problem->friction[i], p->mu[i], 0);
    }
    for (int j = -1; j < n; j++) {
        if (j >= 0)
            r[j] = 1;
        sprag_friction_velocity(problem, r, u, velocity);
        if (j >= 0)
            r[j] = 0;
        for (int i = 0; i < n; i++) {
            double wanted = own[i] >= 0 ? entry_of(p, own[i], -1) : 0;
            if (j >= 0 && own[i] >= 0 && own[j] >= 0)
                wanted += entry_of(p, own[i], own[j]);
            // a few dozen products of numbers of size one
            assert_close(u[i], wanted, 1e-12);
        }
    }
}

static void every_form_is_read(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragRandom random;
    sprag_random_init(&random, 17);
    // of bodies: columns 0, 1 of G touch both bodies, and so may take 2; 3 begins a block
    static const int own[] = {6, 7, 8, 9}, plain[] = {6, 7, 8, 9};
    for (int round = 0; round < 4 * FORM_COUNT; round++) {
        Form form = (Form)(round % FORM_COUNT);
        int extra = round / FORM_COUNT % 2 ? 4 : 0;
        Problem p = make(&random, extra, round >= 2 * FORM_COUNT);
        size_t length;
        SpragFrictionFile file;
        char *bytes = write_global(&p, form, &length);
        assert_ok(context,
                  sprag_friction_read_fclib_bytes(context, "g.hdf5", bytes, length, &file));
        assert_int_equal(file.problem.storage,
                         round >= 2 * FORM_COUNT ? SPRAG_FRICTION_BLOCKS : SPRAG_FRICTION_BODIES);
        compare(&p, &file, own);
        sprag_friction_file_destroy(context, &file);
        free(bytes);
        bytes = write_local(&p, form, 0, &length);
        assert_ok(context,
                  sprag_friction_read_fclib_bytes(context, "l.hdf5", bytes, length, &file));
        compare(&p, &file, plain);
        sprag_friction_file_destroy(context, &file);
        free(bytes);
    }
    sprag_context_destroy(context);
}

static void room_to_spare_is_no_entry(void **state)
{
    // as CSparse leaves it in matrices that it was given entry by entry
    spare = 3;
    every_form_is_read(state);
    spare = 0;
}

static void missing_parts_are_named(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragRandom random;
    SpragFrictionFile file;
    size_t length;
    sprag_random_init(&random, 18);
    Problem p = make(&random, 4, false);
    static const char *const says[] = {"/fclib_local/R", "/fclib_local/vectors/s"};
    for (int lacks = 1; lacks <= 2; lacks++) {
        char *bytes = write_local(&p, FORM_ROWS, lacks, &length);
        assert_int_equal(sprag_friction_read_fclib_bytes(context, "l.hdf5", bytes, length, &file),
                         SPRAG_ERROR_INPUT);
        assert_non_null(strstr(sprag_context_message(context), says[lacks - 1]));
        free(bytes);
    }
    static const char *const parts[] = {"nz", "p", "i", "x"};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        char wanted[40];
        snprintf(wanted, sizeof wanted, "/fclib_local/W/%s: is missing", parts[k]);
        absent = parts[k];
        char *bytes = write_local(&p, FORM_COLUMNS, 0, &length);
        absent = NULL;
        assert_int_equal(sprag_friction_read_fclib_bytes(context, "l.hdf5", bytes, length, &file),
                         SPRAG_ERROR_INPUT);
        if (!strstr(sprag_context_message(context), wanted))
            print_error("'%s' lacks '%s'\n", sprag_context_message(context), wanted);
        assert_non_null(strstr(sprag_context_message(context), wanted));
        free(bytes);
    }
    struct {
        double *number, value;
        const char *says;
    } cases[] = {{&p.mu[1], -1, "mu: entry 1 must be a number"},
                 {&p.w[2], NAN, "w: entry 2 must be finite"},
                 {&p.b[3], INFINITY, "b: entry 3 must be finite"},
                 {&p.M.entry[4][4], NAN, "/fclib_global/M/x"},
                 {&p.G.entry[1][1], INFINITY, "/fclib_global/G/x"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double old = *cases[k].number;
        *cases[k].number = cases[k].value;
        char *bytes = write_global(&p, FORM_TRIPLETS, &length);
        *cases[k].number = old;
        assert_int_equal(sprag_friction_read_fclib_bytes(context, "g.hdf5", bytes, length, &file),
                         SPRAG_ERROR_INPUT);
        if (!strstr(sprag_context_message(context), cases[k].says))
            print_error("'%s' lacks '%s'\n", sprag_context_message(context), cases[k].says);
        assert_non_null(strstr(sprag_context_message(context), cases[k].says));
        free(bytes);
    }
    sprag_context_destroy(context);
}

// A type whose size is damaged: the library would take that much memory for one number, 4 GB of a
// file of a few kB. A size that it can serve as well is used here, so that only the check refuses.
static void wide_numbers_are_refused(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragFrictionFile file;
    size_t length;
    hid_t handle = create(), wide = H5Tcopy(H5T_NATIVE_INT), space = H5Screate(H5S_SCALAR);
    assert_true(H5Tset_size(wide, 1 << 12) >= 0);
    hid_t local = H5Gcreate2(handle, "/fclib_local", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(handle, "/fclib_local/W", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t set = H5Dcreate2(group, "m", wide, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dclose(set);
    H5Gclose(group);
    H5Gclose(local);
    H5Sclose(space);
    H5Tclose(wide);
    char *bytes = finish(handle, &length);
    assert_int_equal(sprag_friction_read_fclib_bytes(context, "d.hdf5", bytes, length, &file),
                     SPRAG_ERROR_INPUT);
    assert_string_equal(sprag_context_message(context),
                        "d.hdf5: /fclib_local/W/m: numbers of 4096 bytes are not read");
    free(bytes);
    sprag_context_destroy(context);
}

// Any byte may be wrong: an error or a valid problem, never a crash.
static void damaged_files_are_survived(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragRandom random;
    sprag_random_init(&random, 19);
    Problem p = make(&random, 4, false);
    for (int form = 0; form < FORM_COUNT; form++) {
        size_t length;
        SpragFrictionFile file;
        char *bytes = form % 2 ? write_local(&p, (Form)form, 0, &length)
                               : write_global(&p, (Form)form, &length);
        for (int k = 0; k < test_draws(60); k++) {
            size_t at = (size_t)sprag_random_below(&random, (int)length);
            char old = bytes[at];
            bytes[at] = (char)sprag_random_below(&random, 256);
            if (sprag_friction_read_fclib_bytes(context, "d.hdf5", bytes, length, &file) ==
                SPRAG_OK) {
                assert_ok(context, sprag_friction_check(context, &file.problem));
                sprag_friction_file_destroy(context, &file);
            }
            bytes[at] = old;
        }
        free(bytes);
    }
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_read),         cmocka_unit_test(room_to_spare_is_no_entry),
        cmocka_unit_test(missing_parts_are_named),    cmocka_unit_test(wide_numbers_are_refused),
        cmocka_unit_test(damaged_files_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
