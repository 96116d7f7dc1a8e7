// Fits: a sliding block whose motion is known in closed form, the falling rod of theory.md 15.1.
#include <unistd.h>

#include "support/test.h"

static char folder[] = "/tmp/sprag-fit-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static const char *files[] = {"scene.yaml", "data.csv", "out.csv"};

static const char *path_of(int file)
{
    static char paths[3][64];
    snprintf(paths[file], sizeof paths[file], "%s/%s", folder, files[file]);
    return paths[file];
}

static int remove_folder(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        remove(path_of(i));
    return rmdir(folder);
}

static void put(int file, const char *text)
{
    FILE *stream = fopen(path_of(file), "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(text, 1, strlen(text), stream), strlen(text));
    assert_int_equal(fclose(stream), 0);
}

// A block on a table: x = v t − μ g t²/2 until t = v/(μ g). Its mass does not matter.
static const char block[] =
    "sprag: 1\n"
    "gravity: [0, -10]\n"
    "parameters:\n"
    "  mu: {value: 0.5, from: 0.05, to: 2}\n"
    "  v: 3 m/s\n"
    "  mass: {value: 1, from: 0.1, to: 10}\n"
    "bodies:\n"
    "  - {name: table, fixed: true, shapes: [plane: {normal: [0, 1]}]}\n"
    "  - {name: block, mass: mass, inertia: mass*1e-2, position: [0, 0.05],\n"
    "     velocity: [v, 0], shapes: [box: {size: [0.2, 0.1]}]}\n"
    "contacts: [{between: [block, table], friction: mu}]\n";

static double place(double mu, double v, double t)
{
    double s = fmin(t, v / (10 * mu));
    return v * s - 5 * mu * s * s;
}

static void put_block_data(double mu, double v, int rows, double sigma, SpragRandom *random)
{
    FILE *stream = fopen(path_of(1), "wb");
    assert_non_null(stream);
    fprintf(stream, "time,u\n");
    for (int i = 0; i < rows; i++) {
        double t = 1.2 * (i + 1) / rows;
        double noise = sigma > 0 ? sigma * sprag_random_normal(random) : 0;
        fprintf(stream, "%.17g,%.17g\n", 1000 * t, 1000 * (place(mu, v, t) + noise));
    }
    assert_int_equal(fclose(stream), 0);
}

static SpragFitSettings block_settings(const char *const *free, int count)
{
    SpragFitSettings settings = sprag_fit_default();
    settings.free = free;
    settings.free_count = count;
    settings.columns = "t=time ms, block.x=u mm";
    return settings;
}

static bool warned(const SpragFit *fit, const char *words)
{
    for (int i = 0; i < fit->warning_count; i++)
        if (strstr(fit->warnings[i], words))
            return true;
    return false;
}

// Exact data give the parameters to the tolerance of the runs: 1e-9 relative in each step, times
// the condition of the problem.
static void exact_data(void **state)
{
    const char *const free_parameters[] = {"mu", "v=1:10"};
    SpragFitSettings settings = block_settings(free_parameters, 2);
    SpragContext *context = test_context();
    SpragRandom random;
    (void)state;
    put(0, block);
    sprag_random_init(&random, 8);
    for (int draw = 0; draw < test_draws(4); draw++) {
        double mu = sprag_random_uniform(&random, 0.2, 1), v = sprag_random_uniform(&random, 2, 6);
        SpragFit *fit;
        put_block_data(mu, v, 24, 0, NULL);
        assert_ok(context, sprag_fit_create(context, path_of(0), path_of(1), &settings, &fit));
        assert_close(fit->parameters[0].value, mu, 1e-6);
        assert_close(fit->parameters[1].value, v, 1e-6);
        assert_int_equal(fit->warning_count, 0);
        assert_true(fit->converged && fit->residual < 1e-7);
        assert_int_equal(fit->covered, 24);
        sprag_fit_destroy(fit);
    }
    sprag_context_destroy(context);
}

// Headers with their units, as measurements have them: mu of a block that goes v²/(20 mu).
static void headers_with_units(void **state)
{
    static const char *const headers[] = {"time ms,u mm", "time [ms],u [mm]", "time (ms),u (mm)",
                                          "time/ms,u/mm", "time / ms,u"};
    const char *const mu = "mu";
    SpragFitSettings settings = block_settings(&mu, 1);
    SpragContext *context = test_context();
    (void)state;
    put(0, block);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        SpragText data;
        SpragFit *fit;
        sprag_text_init(&data, context);
        sprag_text_add(&data, "%s\n", headers[i]);
        for (int k = 1; k <= 12; k++)
            sprag_text_add(&data, "%d,%.17g\n", 100 * k, 1000 * place(0.6, 3, 0.1 * k));
        put(1, data.bytes);
        assert_ok(context, sprag_fit_create(context, path_of(0), path_of(1), &settings, &fit));
        assert_close(fit->parameters[0].value, 0.6, 1e-6);
        sprag_fit_destroy(fit);
        sprag_text_destroy(&data);
    }
    sprag_context_destroy(context);
}

// Covariance of (mu, v) from the derivatives of the closed form.
static void true_errors(double mu, double v, int rows, double s, double error[2], double *corr)
{
    double a = 0, b = 0, c = 0;
    for (int i = 0; i < rows; i++) {
        double t = 1.2 * (i + 1) / rows, stop = v / (10 * mu);
        double by_mu = t < stop ? -5 * t * t : -v * v / (20 * mu * mu);
        double by_v = t < stop ? t : v / (10 * mu);
        a += by_mu * by_mu;
        b += by_mu * by_v;
        c += by_v * by_v;
    }
    double det = a * c - b * b;
    error[0] = s * sqrt(c / det);
    error[1] = s * sqrt(a / det);
    *corr = -b / sqrt(a * c);
}

// With noise: errors are those of the closed form, and the scatter of the values about the truth
// is what they say: Σ ((value − truth)/error)² over N fits is χ² with N degrees of freedom (nearly:
// the errors come from 28 degrees themselves), between its 0.01 % and 99.99 % points by Wilson and
// Hilferty's formula.
static void noisy_data(void **state)
{
    const char *const free_parameters[] = {"mu", "v=1:10"};
    SpragFitSettings settings = block_settings(free_parameters, 2);
    SpragContext *context = test_context();
    SpragRandom random;
    int count = test_draws(16);
    double sums[2] = {0, 0}, chi = 0, truth[2] = {0.4, 3.1};
    (void)state;
    settings.scan = 12;
    settings.starts = 1;
    settings.jobs = 2;
    put(0, block);
    sprag_random_init(&random, 5);
    for (int i = 0; i < count; i++) {
        double error[2], corr;
        SpragFit *fit;
        put_block_data(truth[0], truth[1], 30, 1e-3, &random);
        assert_ok(context, sprag_fit_create(context, path_of(0), path_of(1), &settings, &fit));
        double s = fit->residual * sqrt(30.0 / 28);
        const SpragFitParameter *found = fit->parameters;
        true_errors(found[0].value, found[1].value, 30, s, error, &corr);
        for (int k = 0; k < 2; k++) {
            assert_close(found[k].error, error[k], 1e-4 * error[k]);
            double miss = (found[k].value - truth[k]) / found[k].error;
            sums[k] += miss * miss;
        }
        assert_close(fit->correlation[1], corr, 1e-4);
        assert_int_equal(fit->freedom, 28);
        chi += fit->residual * fit->residual * 30 / 1e-6 / 28;
        sprag_fit_destroy(fit);
    }
    double part = 2.0 / (9 * count);
    double low = count * pow(1 - part - 3.72 * sqrt(part), 3);
    double high = count * pow(1 - part + 3.72 * sqrt(part), 3);
    for (int k = 0; k < 2; k++)
        assert_true(sums[k] > low && sums[k] < high);
    // the mean of count × 28 squares of standard normal numbers
    assert_close(chi / count, 1, 4 * sqrt(2.0 / (28 * count)));
    sprag_context_destroy(context);
}

// ---- What the data do not tell ------------------------------------------------------------------

static void undetermined(void **state)
{
    const char *const mass[] = {"mu", "mass"}, *const bound[] = {"mu=0.05:0.3"};
    const char *const pair[] = {"mu", "gravity.1=-20:-5"};
    SpragContext *context = test_context();
    SpragFit *fit;
    SpragRandom random;
    (void)state;
    put(0, block);
    sprag_random_init(&random, 2);
    put_block_data(0.4, 3, 20, 1e-4, &random);
    SpragFitSettings settings = block_settings(mass, 2);
    assert_ok(context, sprag_fit_create(context, path_of(0), path_of(1), &settings, &fit));
    assert_true(warned(fit, "do not depend on mass") && isnan(fit->parameters[1].error));
    assert_close(fit->parameters[0].value, 0.4, 1e-3);
    assert_true(fit->parameters[0].error > 0 && fit->parameters[0].error < 1e-3);
    sprag_fit_destroy(fit);
    settings = block_settings(bound, 1);
    assert_ok(context, sprag_fit_create(context, path_of(0), path_of(1), &settings, &fit));
    assert_true(fit->parameters[0].value == 0.3 && fit->parameters[0].at_bound);
    assert_true(warned(fit, "end of its range") && isnan(fit->parameters[0].error));
    sprag_fit_destroy(fit);
    settings = block_settings(pair, 2); // only their product shows
    assert_ok(context, sprag_fit_create(context, path_of(0), path_of(1), &settings, &fit));
    assert_true(warned(fit, "do not determine mu, gravity.1"));
    assert_close(-fit->parameters[0].value * fit->parameters[1].value, 4, 1e-2);
    assert_true(isnan(fit->parameters[0].error) && isnan(fit->parameters[1].error));
    sprag_fit_destroy(fit);
    sprag_context_destroy(context);
}

// ---- The rod ------------------------------------------------------------------------------------

static const char *example(const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/examples/%s.yaml", SPRAG_SOURCE_DIR, name);
    return path;
}

// Writes the signals of a run.
static void put_run(SpragContext *context, const char *scene_path, const char *parameter,
                    const char *value, const char *signals)
{
    SpragSceneSet set = {parameter, value};
    SpragSceneSettings scene_settings = sprag_scene_default();
    SpragRecordSettings settings = sprag_record_default();
    SpragRunSettings run_settings = sprag_run_default();
    SpragScene *scene;
    SpragSystem *system;
    SpragRecord *record;
    SpragRun *run;
    SpragRunOutcome outcome;
    scene_settings.sets = &set;
    scene_settings.set_count = 1;
    settings.signals = signals;
    run_settings.output_step = 0.01;
    assert_ok(context, sprag_scene_read(context, scene_path, &scene_settings, &scene));
    assert_ok(context, sprag_system_create_model(sprag_scene_model(scene), &system));
    assert_ok(context, sprag_record_create(context, system, &settings, &record));
    assert_ok(context, sprag_record_add_csv(record, path_of(1)));
    SpragSink sink = sprag_record_sink(record);
    assert_ok(context, sprag_run_create(system, &run_settings, &sink, &run));
    assert_ok(context, sprag_run_advance(run, 0.35, &outcome));
    assert_ok(context, sprag_record_finish(record));
    sprag_run_destroy(run);
    sprag_record_destroy(record);
    sprag_system_destroy(system);
    sprag_scene_destroy(scene);
}

// The rod slides left, back, and strikes the table: forces jump there, two rows each. Columns by
// their names, one and three threads give the same bytes.
static void rod_of_a_run(void **state)
{
    const char *const free_parameters[] = {"mu=0:1", "bodies.rod.inertia=1e-3:4e-3:log"};
    SpragContext *context = test_context();
    SpragFitSettings settings = sprag_fit_default();
    SpragFit *fits[2];
    (void)state;
    put_run(context, example("falling-rod"), "mu", "0.31", "rod.x,rod.angle,tip.normal,tip.mode");
    settings.free = free_parameters;
    settings.free_count = 2;
    for (int k = 0; k < 2; k++) {
        settings.jobs = k ? 3 : 1;
        assert_ok(context, sprag_fit_create(context, example("falling-rod"), path_of(1), &settings,
                                            &fits[k]));
    }
    assert_int_equal(fits[0]->column_count, 3);
    assert_close(fits[0]->parameters[0].value, 0.31, 1e-6);
    assert_close(fits[0]->parameters[1].value, 1.606176e-3, 1e-8);
    for (int i = 0; i < 2; i++) {
        assert_true(fits[0]->parameters[i].value == fits[1]->parameters[i].value);
        assert_true(fits[0]->parameters[i].error == fits[1]->parameters[i].error);
    }
    assert_int_equal(fits[0]->run_count, fits[1]->run_count);
    assert_ok(context, sprag_fit_write_csv(fits[0], path_of(2)));
    SpragTable *table;
    assert_ok(context, sprag_table_read(context, path_of(2), &table));
    assert_int_equal(table->row_count, fits[0]->row_count);
    int data = sprag_table_find(table, "tip.normal data");
    int residual = sprag_table_find(table, "tip.normal residual");
    assert_true(data == 7 && residual == 9);
    for (size_t i = 1; i + 1 < table->row_count; i++) // sides of events apart
        if (table->values[i * 10] != table->values[i * 10 - 10] &&
            table->values[i * 10] != table->values[i * 10 + 10])
            assert_close(table->values[i * 10 + 9], 0, 1e-4);
    sprag_table_destroy(table);
    sprag_fit_destroy(fits[0]);
    sprag_fit_destroy(fits[1]);
    sprag_context_destroy(context);
}

// ---- Runs that end early ------------------------------------------------------------------------

// At large μ the rigid rod of example painleve-none has no motion: data longer than the run are
// told of, and a fit over a range in which some runs end early finds the others.
static void early_end(void **state)
{
    const char *const low[] = {"mu=0.1:3"}, *const high[] = {"mu=1.79:1.81"};
    const SpragSceneSet rigid = {"simulate.motion", "events"};
    SpragContext *context = test_context();
    SpragFitSettings settings = sprag_fit_default();
    SpragFit *fit;
    (void)state;
    put_run(context, example("painleve-none"), "mu", "0.5", "rod.x,rod.angle");
    settings.free = low;
    settings.free_count = 1;
    settings.scene.sets = &rigid;
    settings.scene.set_count = 1;
    assert_ok(context,
              sprag_fit_create(context, example("painleve-none"), path_of(1), &settings, &fit));
    assert_close(fit->parameters[0].value, 0.5, 1e-6);
    sprag_fit_destroy(fit);
    settings.free = high;
    assert_ok(context,
              sprag_fit_create(context, example("painleve-none"), path_of(1), &settings, &fit));
    assert_true(fit->covered < fit->row_count);
    assert_true(warned(fit, "no-solution") && warned(fit, "lie beyond"));
    sprag_fit_destroy(fit);
    sprag_context_destroy(context);
}

// ---- Bad input ----------------------------------------------------------------------------------

static void refused(void **state)
{
    static const struct {
        const char *data, *columns, *free, *words;
        SpragStatus status;
    } cases[] = {
        {"t,x\n0,0\n1,a\n", "t=t, block.x=x", "mu", "data.csv:3: the cell of 'x' is not a number",
         SPRAG_ERROR_INPUT},
        {"t,x\n0,0\n1,nan\n", "t=t, block.x=x", "mu", "data.csv:3: the cell of 'x' is not finite",
         SPRAG_ERROR_INPUT},
        {"t,x\n0,0\n1,\n", "t=t, block.x=x", "mu", "data.csv:3: the cell of 'x' is empty",
         SPRAG_ERROR_INPUT},
        {"t,block.x\n0,0\n1,nan\n", NULL, "mu", "data.csv:3: the cell of 'block.x' is not finite",
         SPRAG_ERROR_INPUT},
        {"t,x\n0,0\n1,1\n0.5,1\n", "block.x=x", "mu", "data.csv:4: the times must ascend",
         SPRAG_ERROR_INPUT},
        {"t,x\n-1,0\n1,1\n", "block.x=x", "mu", "data.csv:2: a run starts at t = 0",
         SPRAG_ERROR_INPUT},
        {"t,x\n0,0\n1\n", "block.x=x", "mu", "data.csv:3: the row has 1 cells", SPRAG_ERROR_INPUT},
        {"t,x\n", "block.x=x", "mu", "data.csv: the table has no rows", SPRAG_ERROR_INPUT},
        {"", "block.x=x", "mu", "data.csv: the table is empty", SPRAG_ERROR_INPUT},
        {"t,x\n0,0\n1,1\n", "block.x=y", "mu", "there is no column 'y'; it has 2: t, x",
         SPRAG_ERROR_INPUT},
        {"t s,x cm\n0,0\n1,1\n", "t=t s, block.x=x mm", "mu", "no column 'x'; it has 2: t s, x cm",
         SPRAG_ERROR_INPUT},
        {"a,x\n0,0\n1,1\n", "block.x=x", "mu", "which column is the time", SPRAG_ERROR_INPUT},
        {"t,x\n0,0\n1,1\n", NULL, "mu", "no column to compare with", SPRAG_ERROR_INPUT},
        {"t,x\n0,0\n1,1\n", "block.z=x", "mu", "there is no signal \"block.z\"", SPRAG_ERROR_INPUT},
        {"t,x\n0,0\n1,1\n", "block.x=x deg", "mu", "block.x is in m: 'deg'", SPRAG_ERROR_ARGUMENT},
        {"t,x\n0,0\n1,1\n", "solutions=x m", "mu", "solutions has no unit", SPRAG_ERROR_ARGUMENT},
        {"t,x\n0,0\n1,1\n", "block.x", "mu", "a column is SIGNAL=COLUMN", SPRAG_ERROR_ARGUMENT},
        {"t,x\n0,0\n1,1\n", "block.x=\"x", "mu", "a column is SIGNAL=COLUMN", SPRAG_ERROR_ARGUMENT},
        {"t,x\n0,0\n1,1\n", "block.x=x +-0", "mu", "must be > 0", SPRAG_ERROR_ARGUMENT},
        {"t,x\n0,0\n1,1\n", "block.x=x +-", "mu", "behind +-", SPRAG_ERROR_ARGUMENT},
        {"t,x\n0,0\n1,1\n", "block.x=x +-1, block.y=x", "mu", "all columns", SPRAG_ERROR_ARGUMENT},
        {"t,x\n0,0\n1,1\n", "verdict=x", "mu", "is a word", SPRAG_ERROR_ARGUMENT},
        {"t,x\n0,0\n1,1\n", "block.x=x", "nu", "nu", SPRAG_ERROR_INPUT},
        {"t,x\n0,0\n1,1\n", "block.x=x", "mu=1", "PATH=FROM:TO", SPRAG_ERROR_ARGUMENT},
        {"t,x\n0,0\n1,1\n", "block.x=x", "mu=0:1:log", "ends > 0", SPRAG_ERROR_ARGUMENT},
        {"t,x\n0,0\n1,1\n", "block.x=x", "mu=-2:-1", "friction must be a number",
         SPRAG_ERROR_INPUT},
    };
    SpragContext *context = test_context();
    (void)state;
    put(0, block);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SpragFitSettings settings = sprag_fit_default();
        SpragFit *fit;
        settings.free = &cases[i].free;
        settings.free_count = 1;
        settings.columns = cases[i].columns;
        put(1, cases[i].data);
        SpragStatus status = sprag_fit_create(context, path_of(0), path_of(1), &settings, &fit);
        const char *message = sprag_context_message(context);
        if (status != cases[i].status || !strstr(message, cases[i].words))
            print_error("case %zu: %s, %s\n", i, sprag_status_name(status), message);
        assert_int_equal(status, cases[i].status);
        assert_non_null(strstr(message, cases[i].words));
        assert_null(fit);
    }
    sprag_context_destroy(context);
}

// Standard deviations of columns and of rows; a table without names.
static void deviations(void **state)
{
    const char *const free_parameters[] = {"mu"};
    SpragContext *context = test_context();
    SpragFitSettings settings = block_settings(free_parameters, 1);
    SpragFit *fits[3];
    (void)state;
    put(0, block);
    // rows two and three disagree; weights decide
    put(1, "0.1;284;2;0.2\n0.2;530;2;0.2\n0.3;735;2;0.2\n");
    settings.columns = "t=#1, block.x=#2 mm +-2";
    assert_ok(context, sprag_fit_create(context, path_of(0), path_of(1), &settings, &fits[0]));
    settings.columns = "t=#1, block.x=#2 mm ±#3";
    assert_ok(context, sprag_fit_create(context, path_of(0), path_of(1), &settings, &fits[1]));
    settings.columns = "t=#1 s, block.x=#2 mm +- #4";
    assert_ok(context, sprag_fit_create(context, path_of(0), path_of(1), &settings, &fits[2]));
    assert_close(fits[0]->parameters[0].value, fits[1]->parameters[0].value, 1e-12);
    assert_close(fits[0]->residual, fits[1]->residual, 1e-12);
    assert_close(fits[2]->residual, 10 * fits[1]->residual, 1e-6);
    assert_close(fits[2]->parameters[0].error, fits[1]->parameters[0].error, 1e-6);
    for (int i = 0; i < 3; i++)
        sprag_fit_destroy(fits[i]);
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_data),   cmocka_unit_test(headers_with_units),
        cmocka_unit_test(noisy_data),   cmocka_unit_test(undetermined),
        cmocka_unit_test(rod_of_a_run), cmocka_unit_test(early_end),
        cmocka_unit_test(refused),      cmocka_unit_test(deviations),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
