// What is kept, and files: numbers that survive, partial files, full disks, missing folders,
// memory.
#include <sys/stat.h>
#include <unistd.h>

#include "feed.h"
#include "support/allocator.h"

enum { PATH_BYTES = 256 };

// A temporary folder of its own for each test.
static int make_folder(void **state)
{
    char pattern[] = "/tmp/sprag-record-XXXXXX";
    const char *made = mkdtemp(pattern);
    *state = made ? strdup(made) : NULL;
    return *state ? 0 : -1;
}

static int remove_folder(void **state)
{
    int failed = rmdir(*state); // a test that leaves files behind fails
    free(*state);
    return failed;
}

static void in_folder(void **state, const char *name, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/%s", (const char *)*state, name);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static char *read_all(const char *path)
{
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, 0, SEEK_END), 0);
    long length = ftell(stream);
    rewind(stream);
    char *text = malloc((size_t)length + 1);
    assert_int_equal(fread(text, 1, (size_t)length, stream), length);
    text[length] = 0;
    fclose(stream);
    return text;
}

static SpragRecord *make_record(const Feed *feed, const char *signals, bool keep)
{
    SpragRecordSettings settings = sprag_record_default();
    SpragRecord *record = NULL;
    settings.signals = signals;
    settings.keep_samples = keep;
    assert_ok(feed->context, sprag_record_create(feed->context, feed->system, &settings, &record));
    return record;
}

static int hear(SpragRecord *record, const SpragRunSample *sample)
{
    SpragSink sink = sprag_record_sink(record);
    return sink.sample(sample, sink.user);
}

// ---- What is in a file --------------------------------------------------------------------------

static void the_whole_file(void **state)
{
    Feed feed;
    char path[PATH_BYTES], part[PATH_BYTES];
    in_folder(state, "out.csv", path);
    in_folder(state, "out.csv.part", part);
    feed_open(&feed, test_context(), feed_rod);
    SpragRecord *record =
        make_record(&feed, "tip.gap,tip.mode,verdict,solutions,rod.b-table.gap", false);
    assert_ok(feed.context, sprag_record_add_csv(record, path));
    assert_true(exists(part));
    assert_false(exists(path));
    SpragRunSample sample = feed_sample(&feed, 0);
    feed.contacts[0].gap = 0.1;
    feed.contacts[1].gap = INFINITY;
    sample.verdict = SPRAG_VERDICT_OPEN;
    assert_int_equal(hear(record, &sample), 0);
    // both sides of an event: two rows of the same time
    sample.t = 1.0 / 3;
    sample.before_event = true;
    feed.contacts[0].gap = -1e-300;
    assert_int_equal(hear(record, &sample), 0);
    sample.before_event = false;
    sample.after_event = true;
    sample.verdict = SPRAG_VERDICT_UNIQUE;
    sample.solution_count = 1;
    feed.contacts[0].gap = -0.0;
    feed.contacts[0].mode = SPRAG_MODE_SLIDE_PLUS;
    feed.contacts[1].gap = -INFINITY;
    assert_int_equal(hear(record, &sample), 0);
    assert_false(exists(path));
    assert_ok(feed.context, sprag_record_finish(record));
    assert_false(exists(part));
    char *text = read_all(path);
    assert_string_equal(text, "t,tip.gap,tip.mode,verdict,solutions,rod.b-table.gap\n"
                              "0,0.1,open,open,0,inf\n"
                              "0.3333333333333333,-1e-300,open,open,0,inf\n"
                              "0.3333333333333333,0,slide+,unique,1,-inf\n");
    free(text);
    assert_null(sprag_record_column(record, 0));
    assert_int_equal(sprag_record_sample_count(record), 3);
    sprag_record_destroy(record);
    feed_close(&feed);
    assert_int_equal(remove(path), 0);
}

// Doubles of all kinds: any bits, few decimals, powers of two and their neighbours, any size, any
// digits, plain.
static double draw_double(SpragRandom *random, int kind)
{
    uint64_t bits = sprag_random_bits(random);
    double value;
    char text[64];
    switch (kind) {
    case 0:
        bits &= ~(UINT64_C(1) << 62); // finite
        memcpy(&value, &bits, sizeof value);
        return value;
    case 1:
        return (double)(bits % 1000000) / 1000;
    case 2:
        value = ldexp(1, (int)(bits % 160) - 100);
        return bits >> 62 == 0 ? value : nextafter(value, bits >> 62 == 1 ? 0 : 1e300);
    case 3:
        return pow(10, sprag_random_uniform(random, -28, 17));
    case 4:
        snprintf(text, sizeof text, "%llde%d", (long long)(bits >> 1) / 100, (int)(bits % 40) - 36);
        return strtod(text, NULL);
    default:
        return sprag_random_uniform(random, -1, 1);
    }
}

// The shortest text by the C library.
static int print_shortest(double value, char text[64])
{
    int length = 0;
    for (int precision = 15; precision <= 17; precision++) {
        length = snprintf(text, 64, "%.*g", precision, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return length;
}

static void numbers_survive(void **state)
{
    enum { COLUMNS = 6 };
    int rows = test_draws(2000);
    char path[PATH_BYTES];
    SpragRandom random, again;
    Feed feed;
    in_folder(state, "numbers.csv", path);
    feed_open(&feed, test_context(), feed_rod);
    SpragRecord *record = make_record(&feed, "rod.x,rod.y,rod.angle,rod.vx,rod.vy,rod.spin", true);
    assert_ok(feed.context, sprag_record_add_csv(record, path));
    sprag_random_init(&random, 11);
    again = random;
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < COLUMNS; k++)
            (k < 3 ? feed.q : feed.v)[k % 3] = draw_double(&random, k);
        SpragRunSample sample = feed_sample(&feed, i);
        assert_int_equal(hear(record, &sample), 0);
    }
    assert_ok(feed.context, sprag_record_finish(record));
    char *text = read_all(path), *at = strchr(text, '\n') + 1;
    for (int i = 0; i < rows; i++) {
        assert_true(strtod(at, &at) == i);
        for (int k = 0; k < COLUMNS; k++) {
            const char *digits = ++at;
            double value = draw_double(&again, k), read = strtod(digits, &at);
            assert_memory_equal(&read, &value, sizeof value);
            assert_true(sprag_record_column(record, k + 1)[i] == value);
            char shortest[64];
            int length = print_shortest(value, shortest);
            if (value == trunc(value)) // all digits of an integer, where printf has an exponent
                continue;
            if (at - digits != length || memcmp(digits, shortest, (size_t)length) != 0)
                print_error("%.40s is not %s\n", digits, shortest);
            assert_int_equal(at - digits, length);
            assert_memory_equal(digits, shortest, (size_t)length);
        }
        assert_int_equal(*at++, '\n');
    }
    assert_int_equal(*at, 0);
    free(text);
    sprag_record_destroy(record);
    feed_close(&feed);
    assert_int_equal(remove(path), 0);
}

static void odd_names_are_quoted(void **state)
{
    char path[PATH_BYTES], *names[] = {"a, \"b\""};
    Feed feed;
    in_folder(state, "odd.csv", path);
    feed_open_user(&feed, test_context(), 1, names);
    SpragRecord *record = make_record(&feed, "a*.gap", false);
    assert_ok(feed.context, sprag_record_add_csv(record, path));
    assert_ok(feed.context, sprag_record_finish(record));
    char *text = read_all(path);
    // a pattern cannot hold the comma of this name; the header can
    assert_string_equal(text, "t,\"a, \"\"b\"\".gap\"\n");
    free(text);
    sprag_record_destroy(record);
    feed_close(&feed);
    assert_int_equal(remove(path), 0);
}

// ---- Files that cannot be written ---------------------------------------------------------------

static void assert_cannot_write(const Feed *feed, SpragStatus status, const char *path,
                                const char *reason)
{
    assert_int_equal(status, SPRAG_ERROR_WRITE);
    const char *message = sprag_context_message(feed->context);
    if (!strstr(message, path) || !strstr(message, reason))
        print_error("'%s' lacks '%s' or '%s'\n", message, path, reason);
    assert_non_null(strstr(message, path));
    assert_non_null(strstr(message, reason));
}

static void missing_folder(void **state)
{
    char path[PATH_BYTES];
    Feed feed;
    feed_open(&feed, test_context(), feed_rod);
    SpragRecord *record = make_record(&feed, NULL, false);
    in_folder(state, "none/out.csv", path);
    assert_cannot_write(&feed, sprag_record_add_csv(record, path), path, "does not exist");
    assert_cannot_write(&feed, sprag_record_add_csv(record, *state), *state, "directory");
    assert_cannot_write(&feed, sprag_record_add_csv(record, ""), "", "cannot write");
    // an endless name
    char endless[5000];
    memset(endless, 'x', sizeof endless - 1);
    endless[sizeof endless - 1] = 0;
    assert_int_equal(sprag_record_add_csv(record, endless), SPRAG_ERROR_WRITE);
    assert_ok(feed.context, sprag_record_finish(record));
    sprag_record_destroy(record);
    feed_close(&feed);
}

static void full_disk(void **state)
{
    char path[PATH_BYTES];
    Feed feed;
    (void)state;
    if (!exists("/dev/full"))
        skip();
    feed_open(&feed, test_context(), feed_rod);
    SpragRecord *record = make_record(&feed, NULL, false);
    assert_cannot_write(&feed, sprag_record_add_csv(record, "/dev/full"), "/dev/full", "No space");
    assert_false(exists("/dev/full.part"));
    assert_true(exists("/dev/full"));
    sprag_record_destroy(record);
    // through a link, as a name with the usual ending
    record = make_record(&feed, NULL, false);
    in_folder(state, "full.csv", path);
    assert_int_equal(symlink("/dev/full", path), 0);
    assert_cannot_write(&feed, sprag_record_add_csv(record, path), path, "No space");
    sprag_record_destroy(record);
    assert_int_equal(remove(path), 0);
    feed_close(&feed);
}

// A disk that becomes full during the run: the file is swapped for the full device.
static void disk_becomes_full(void **state)
{
    char path[PATH_BYTES], part[PATH_BYTES];
    Feed feed;
    in_folder(state, "out.csv", path);
    in_folder(state, "out.csv.part", part);
    feed_open(&feed, test_context(), feed_rod);
    SpragRecord *record = make_record(&feed, NULL, false);
    SpragRunSample sample = feed_sample(&feed, 0);
    assert_ok(feed.context, sprag_record_add_csv(record, path));
    int answer = 0, full = -1;
    FILE *device = fopen("/dev/full", "w");
    assert_non_null(device);
    full = fileno(device);
    struct stat wanted, about;
    assert_int_equal(stat(part, &wanted), 0);
    for (int descriptor = 3; descriptor < 256; descriptor++)
        if (descriptor != full && fstat(descriptor, &about) == 0 && about.st_ino == wanted.st_ino &&
            about.st_dev == wanted.st_dev)
            assert_true(dup2(full, descriptor) == descriptor);
    fclose(device);
    for (int i = 0; i < 100000 && !answer; i++)
        answer = hear(record, &sample);
    assert_int_not_equal(answer, 0);
    assert_cannot_write(&feed, sprag_record_status(record), path, "No space");
    // a later failure in the context does not hide it
    (void)sprag_fail(feed.context, SPRAG_ERROR_INPUT, "something else");
    assert_cannot_write(&feed, sprag_record_status(record), path, "No space");
    assert_false(exists(part));
    assert_ok(feed.context, sprag_record_finish(record));
    assert_false(exists(path));
    sprag_record_destroy(record);
    feed_close(&feed);
}

static void unfinished_files_vanish(void **state)
{
    char path[PATH_BYTES], part[PATH_BYTES], other[PATH_BYTES];
    Feed feed;
    in_folder(state, "out.csv", path);
    in_folder(state, "out.csv.part", part);
    in_folder(state, "other.csv", other);
    // what stood there before stays until a whole file takes its place
    FILE *old = fopen(path, "w");
    assert_non_null(old);
    fputs("old\n", old);
    fclose(old);
    feed_open(&feed, test_context(), feed_rod);
    SpragRecord *record = make_record(&feed, "rod.x", false);
    assert_ok(feed.context, sprag_record_add_csv(record, path));
    assert_int_equal(sprag_record_add_csv(record, path), SPRAG_ERROR_ARGUMENT);
    assert_ok(feed.context, sprag_record_add_csv(record, other));
    SpragRunSample sample = feed_sample(&feed, 0);
    assert_int_equal(hear(record, &sample), 0);
    sprag_record_destroy(record);
    assert_false(exists(part));
    assert_false(exists(other));
    char *text = read_all(path);
    assert_string_equal(text, "old\n");
    free(text);
    // and is replaced then; both files are the same
    record = make_record(&feed, "rod.x", false);
    assert_ok(feed.context, sprag_record_add_csv(record, path));
    assert_ok(feed.context, sprag_record_add_csv(record, other));
    assert_int_equal(hear(record, &sample), 0);
    assert_ok(feed.context, sprag_record_finish(record));
    text = read_all(path);
    char *copy = read_all(other);
    assert_string_equal(text, "t,rod.x\n0,0\n");
    assert_string_equal(copy, text);
    free(text);
    free(copy);
    sprag_record_destroy(record);
    feed_close(&feed);
    assert_int_equal(remove(path), 0);
    assert_int_equal(remove(other), 0);
}

// ---- What is kept -------------------------------------------------------------------------------

static void events_verdicts_energies(void **state)
{
    Feed feed;
    (void)state;
    feed_open(&feed, test_context(), feed_rod);
    SpragRecord *record = make_record(&feed, NULL, true);
    SpragSink sink = sprag_record_sink(record);
    SpragEnergyAccount first, last;
    assert_false(sprag_record_energy(record, &first, &last));
    for (int i = 0; i < 1000; i++) {
        SpragRunSample sample = feed_sample(&feed, i);
        SpragEvent event = {.t = i, .type = SPRAG_EVENT_STICK, .contact = i};
        SpragRunVerdict verdict = {.from = i, .to = i + 1, .solution_count = i};
        sample.energy.kinetic = i + 0.5;
        assert_int_equal(sink.sample(&sample, sink.user), 0);
        assert_int_equal(sink.event(&event, sink.user), 0);
        assert_int_equal(sink.verdict(&verdict, sink.user), 0);
    }
    assert_int_equal(sprag_record_sample_count(record), 1000);
    assert_int_equal(sprag_record_event_count(record), 1000);
    assert_int_equal(sprag_record_verdict_count(record), 1000);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(sprag_record_events(record)[i].contact, i);
        assert_int_equal(sprag_record_verdicts(record)[i].solution_count, i);
        assert_true(sprag_record_column(record, 0)[i] == i);
    }
    assert_true(sprag_record_energy(record, &first, &last));
    assert_true(first.kinetic == 0.5 && last.kinetic == 999.5);
    assert_ok(feed.context, sprag_record_status(record));
    sprag_record_destroy(record);
    feed_close(&feed);
}

// Streaming: none once warm. Keeping: a column doubles, so about log2 of the samples times.
static void allocations(void **state)
{
    enum { SAMPLES = 4096 };
    char path[PATH_BYTES];
    Feed feed;
    in_folder(state, "out.csv", path);
    feed_open(&feed, test_context(), feed_rod);
    for (int keep = 0; keep < 2; keep++) {
        SpragRecord *record = make_record(&feed, NULL, keep);
        assert_ok(feed.context, sprag_record_add_csv(record, path));
        uint64_t before = 0;
        for (int i = 0; i < 2 * SAMPLES; i++) {
            SpragRunSample sample = feed_sample(&feed, i + 1.0 / 3);
            if (i == SAMPLES)
                before = sprag_context_allocation_count(feed.context);
            assert_int_equal(hear(record, &sample), 0);
        }
        uint64_t more = sprag_context_allocation_count(feed.context) - before;
        assert_true(more <= (keep ? 2 * (uint64_t)sprag_record_signal_count(record) : 0));
        sprag_record_destroy(record);
    }
    feed_close(&feed);
}

// ---- No memory ----------------------------------------------------------------------------------

// The whole life of a record; the n-th request of memory may fail anywhere in it.
static SpragStatus live(const Feed *feed, const char *path)
{
    SpragRecordSettings settings = sprag_record_default();
    SpragRecord *record = NULL;
    const SpragOutput outputs[] = {
        {.name = "n", .kind = SPRAG_OUTPUT_COUNT, .of = "impact", .contact = "tip", .to = 9},
        {.name = "x", .kind = SPRAG_OUTPUT_MEAN, .of = "rod.b.x", .to = 9}};
    settings.signals = "*,rod.b.x";
    settings.outputs = outputs;
    settings.output_count = 2;
    SpragStatus status = sprag_record_create(feed->context, feed->system, &settings, &record);
    if (status == SPRAG_OK)
        status = sprag_record_add_csv(record, path);
    SpragSink sink = {0};
    if (status == SPRAG_OK)
        sink = sprag_record_sink(record);
    for (int i = 0; status == SPRAG_OK && i < 40; i++) {
        SpragRunSample sample = feed_sample(feed, i);
        SpragEvent event = {.t = i};
        SpragRunVerdict verdict = {.from = i};
        if (sink.sample(&sample, sink.user) || sink.event(&event, sink.user) ||
            sink.verdict(&verdict, sink.user))
            status = sprag_record_status(record);
    }
    if (status == SPRAG_OK)
        status = sprag_record_finish(record);
    sprag_record_destroy(record);
    return status;
}

static void memory_fails_anywhere(void **state)
{
    char path[PATH_BYTES], part[PATH_BYTES];
    CountingAllocator counter;
    SpragContext *context = starved_context(&counter, -1);
    Feed feed;
    in_folder(state, "out.csv", path);
    in_folder(state, "out.csv.part", part);
    feed_open(&feed, context, feed_rod);
    SpragStatus status = SPRAG_ERROR_MEMORY;
    for (long n = 0; status != SPRAG_OK && n < 100000; n++) {
        starve(&counter, n);
        status = live(&feed, path);
        if (status != SPRAG_OK) {
            assert_int_equal(status, SPRAG_ERROR_MEMORY);
            assert_false(exists(path));
        }
        assert_false(exists(part));
    }
    assert_int_equal(status, SPRAG_OK);
    starve(&counter, -1);
    feed_close(&feed);
    assert_int_equal(remove(path), 0);
}

static void settings_from_elsewhere(void **state)
{
    SpragRecordSettings settings = {.keep_samples = true};
    SpragRecord *record = NULL;
    Feed feed;
    (void)state;
    feed_open(&feed, test_context(), feed_rod);
    assert_int_equal(sprag_record_create(feed.context, feed.system, &settings, &record),
                     SPRAG_ERROR_ARGUMENT);
    sprag_record_destroy(NULL);
    feed_close(&feed);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(the_whole_file),
        IN_FOLDER(numbers_survive),
        IN_FOLDER(odd_names_are_quoted),
        IN_FOLDER(missing_folder),
        IN_FOLDER(full_disk),
        IN_FOLDER(disk_becomes_full),
        IN_FOLDER(unfinished_files_vanish),
        cmocka_unit_test(events_verdicts_energies),
        IN_FOLDER(allocations),
        IN_FOLDER(memory_fails_anywhere),
        cmocka_unit_test(settings_from_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
