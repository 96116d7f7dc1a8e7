// The page of a run: its bytes, read by a decoder of its own, give the samples that were told;
// the same run gives the same bytes; long runs are thinned, but keep both sides of every event.
#include <stdint.h>

#include "support/test.h"

static const char scene_text[] =
    "sprag: 1\n"
    "name: \"a <rod> & \\\"more\\\"\"\n"
    "parameters: {mu: {value: 0.27, from: 0, to: 2}}\n"
    "bodies:\n"
    "  - {name: table, fixed: true, shapes: [{plane: {normal: [0, 1], offset: 0}}]}\n"
    "  - {name: rod, mass: 0.088, angle: 42.3 deg, shapes: [{rod: {length: 0.468}}]}\n"
    "contacts: [{name: tip, between: [rod.a, table], friction: mu}]\n"
    "start: [{contact: tip, slip: 0}]\n";

enum { MOST = 4000 };

typedef struct Told {
    size_t count;
    double t[MOST], x[MOST], angle[MOST], normal[MOST], kinetic[MOST];
    bool event[MOST];
    SpragSink page;
} Told;

typedef struct World {
    SpragContext *context;
    SpragScene *scene;
    SpragSystem *system;
    SpragPage *page;
    SpragRun *run;
    Told *told;
} World;

static int on_sample(const SpragRunSample *sample, void *user)
{
    Told *told = user;
    assert_true(told->count < MOST);
    size_t i = told->count++;
    told->t[i] = sample->t;
    told->x[i] = sample->q[0];
    told->angle[i] = sample->q[2];
    told->normal[i] = sample->contacts[0].normal;
    told->kinetic[i] = sample->energy.kinetic;
    told->event[i] = sample->before_event || sample->after_event;
    return told->page.sample(sample, told->page.user);
}

static int on_event(const SpragEvent *event, void *user)
{
    Told *told = user;
    return told->page.event(event, told->page.user);
}

static int on_verdict(const SpragRunVerdict *verdict, void *user)
{
    Told *told = user;
    return told->page.verdict(verdict, told->page.user);
}

// until: what the page is told to expect, which decides how many samples it keeps
static World begin(double until)
{
    World w = {.context = test_context(), .told = calloc(1, sizeof(Told))};
    SpragPageSettings settings = sprag_page_default();
    SpragRunSettings run = sprag_run_default();
    SpragRunOutcome outcome;
    assert_non_null(w.told);
    assert_ok(w.context, sprag_scene_read_text(w.context, "rod.yaml", scene_text,
                                               sizeof scene_text - 1, NULL, &w.scene));
    assert_ok(w.context, sprag_system_create_model(sprag_scene_model(w.scene), &w.system));
    run.output_step = 1e-3;
    settings.scene = w.scene;
    settings.command = "sprag run </script>";
    settings.run = &run;
    settings.until = until;
    assert_ok(w.context, sprag_page_create(w.system, &settings, &w.page));
    w.told->page = sprag_page_sink(w.page);
    SpragSink sink = {
        .sample = on_sample, .event = on_event, .verdict = on_verdict, .user = w.told};
    assert_ok(w.context, sprag_run_create(w.system, &run, &sink, &w.run));
    assert_ok(w.context, sprag_run_advance(w.run, 0.4, &outcome));
    assert_ok(w.context, sprag_page_status(w.page));
    return w;
}

static void end(World *w)
{
    sprag_run_destroy(w->run);
    sprag_page_destroy(w->page);
    sprag_system_destroy(w->system);
    sprag_scene_destroy(w->scene);
    sprag_context_destroy(w->context);
    free(w->told);
}

// ---- A decoder, written from the description in docs/guide/viewer.md ----------------------------

typedef struct Reader {
    const unsigned char *at, *end;
} Reader;

static unsigned take_byte(Reader *r)
{
    assert_true(r->at < r->end);
    return *r->at++;
}

static uint64_t take_count(Reader *r)
{
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        unsigned byte = take_byte(r);
        value |= (uint64_t)(byte & 127u) << shift;
        if (byte < 128)
            return value;
    }
}

static void take_runs(Reader *r, size_t count, unsigned char *values)
{
    for (size_t i = 0; i < count;) {
        unsigned value = take_byte(r);
        uint64_t length = take_count(r);
        assert_true(length > 0 && i + length <= count);
        memset(values + i, (int)value, length);
        i += length;
    }
}

static void take_column(Reader *r, size_t count, float *values)
{
    unsigned kind = take_byte(r), order = kind & 3u, shift = kind >> 2;
    uint32_t before = 0x80000000u >> shift, earlier = before;
    uint64_t zeros = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t rest = 0;
        if (zeros > 0)
            zeros--;
        else if ((rest = (uint32_t)take_count(r)) == 0)
            zeros = take_count(r);
        uint32_t difference = rest >> 1 ^ (rest & 1u ? 0xffffffffu : 0u);
        uint32_t now = difference + (order == 2 ? 2 * before - earlier : before);
        earlier = i == 0 ? now : before;
        before = now;
        uint32_t word = now << shift;
        word = word >> 31 ? word ^ 0x80000000u : ~word;
        memcpy(&values[i], &word, sizeof word);
    }
}

typedef struct Chunk {
    size_t count;
    double t[MOST];
    float kinetic[MOST], x[MOST], angle[MOST];
} Chunk;

static void decode(const SpragText *bytes, Chunk *chunk)
{
    Reader r = {(const unsigned char *)bytes->bytes,
                (const unsigned char *)bytes->bytes + bytes->length};
    static unsigned char flags[MOST];
    static float column[MOST];
    assert_memory_equal(r.at, "SPRG\1\1\1", 7);
    r.at += 8;
    chunk->count = take_count(&r);
    assert_true(chunk->count < MOST);
    if (chunk->count == 0)
        return;
    memcpy(chunk->t, r.at, chunk->count * sizeof(double));
    r.at += chunk->count * sizeof(double);
    take_runs(&r, chunk->count, flags);
    take_runs(&r, chunk->count, flags);
    // energies; x, y, angle and their rates; the residual of stepping, which auto may come to
    assert_int_equal(take_count(&r), 8 + 6 + 1);
    for (int i = 0; i < 15; i++) {
        take_column(&r, chunk->count, column);
        float *wanted = i == 0 ? chunk->kinetic : i == 8 ? chunk->x : i == 10 ? chunk->angle : NULL;
        if (wanted)
            memcpy(wanted, column, chunk->count * sizeof *column);
    }
    assert_true(take_count(&r) >= 1); // contacts
}

// Every sample of a short run is there, rounded to float and no more.
static void test_bytes(void **state)
{
    (void)state;
    World w = begin(0.4);
    SpragText bytes;
    Chunk *chunk = calloc(1, sizeof *chunk);
    assert_non_null(chunk);
    sprag_text_init(&bytes, w.context);
    assert_ok(w.context, sprag_page_take(w.page, &bytes));
    decode(&bytes, chunk);
    assert_int_equal(chunk->count, w.told->count);
    for (size_t i = 0; i < chunk->count; i++) {
        assert_true(chunk->t[i] == w.told->t[i]);
        assert_true(chunk->x[i] == (float)w.told->x[i]);
        assert_true(chunk->angle[i] == (float)w.told->angle[i]);
        assert_true(chunk->kinetic[i] == (float)w.told->kinetic[i]);
    }
    // nothing is told twice
    bytes.length = 0;
    assert_ok(w.context, sprag_page_take(w.page, &bytes));
    decode(&bytes, chunk);
    assert_int_equal(chunk->count, 0);
    sprag_text_destroy(&bytes);
    free(chunk);
    end(&w);
}

// A page that expects a long run keeps 60 samples a second, both sides of events and the last one.
static void test_thinned(void **state)
{
    (void)state;
    World w = begin(3600);
    SpragText bytes;
    Chunk *chunk = calloc(1, sizeof *chunk);
    assert_non_null(chunk);
    sprag_text_init(&bytes, w.context);
    assert_ok(w.context, sprag_page_take(w.page, &bytes));
    decode(&bytes, chunk);
    assert_true(chunk->count < w.told->count / 3);
    assert_true(chunk->t[chunk->count - 1] == w.told->t[w.told->count - 1]);
    size_t k = 0;
    for (size_t i = 0; i < w.told->count; i++) {
        if (k < chunk->count && chunk->t[k] == w.told->t[i] && chunk->x[k] == (float)w.told->x[i])
            k++;
        else
            assert_false(w.told->event[i]);
    }
    assert_int_equal(k, chunk->count);
    for (size_t i = 1; i < chunk->count; i++)
        assert_true(chunk->t[i] - chunk->t[i - 1] < 1.0 / 60 + 2e-3);
    sprag_text_destroy(&bytes);
    free(chunk);
    end(&w);
}

static void all_of(World *w, SpragText *text)
{
    SpragPageEnd how = {.outcome = SPRAG_RUN_DONE, .reason = "<!-- \"x\" -->"};
    sprag_text_init(text, w->context);
    assert_ok(w->context, sprag_page_head(w->page, text));
    assert_ok(w->context, sprag_page_take(w->page, text));
    assert_ok(w->context, sprag_page_tail(w->page, &how, text));
}

static void test_same_bytes(void **state)
{
    (void)state;
    World a = begin(0.4), b = begin(0.4);
    SpragText first, second;
    all_of(&a, &first);
    all_of(&b, &second);
    assert_int_equal(first.length, second.length);
    assert_memory_equal(first.bytes, second.bytes, first.length);
    sprag_text_destroy(&first);
    sprag_text_destroy(&second);
    end(&a);
    end(&b);
}

// Names and reasons may hold anything; inside of a script element no '<' may stand.
static void test_texts(void **state)
{
    (void)state;
    World w = begin(0.4);
    SpragText text;
    SpragPageEnd how = {.outcome = SPRAG_RUN_DONE, .reason = "</script><!-- \"x\" -->\n\\"};
    sprag_text_init(&text, w.context);
    assert_ok(w.context, sprag_page_head(w.page, &text));
    assert_ok(w.context, sprag_page_tail(w.page, &how, &text));
    assert_null(memchr(text.bytes, '<', text.length));
    assert_non_null(strstr(text.bytes, "a \\u003crod> \\u0026 \\\"more\\\""));
    assert_non_null(strstr(text.bytes, "\"name\":\"tip\""));
    assert_non_null(strstr(text.bytes, "\"type\":\"slip-reversal\""));
    assert_non_null(strstr(text.bytes, "\"outcome\":\"done\""));
    sprag_text_destroy(&text);
    end(&w);
}

static void test_file(void **state)
{
    (void)state;
    World w = begin(0.4);
    SpragPageEnd how = {.outcome = SPRAG_RUN_DONE};
    SpragStatus wanted = sprag_page_is_built() ? SPRAG_OK : SPRAG_ERROR_WRITE;
    assert_int_equal(sprag_page_write(w.page, &how, "/nonexistent/folder/run.html"),
                     SPRAG_ERROR_WRITE);
    // a second file has all of it as well
    char path[2][40] = {"/tmp/sprag-page-1-XXXXXX", "/tmp/sprag-page-2-XXXXXX"};
    long sizes[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        assert_true(mkstemp(path[i]) >= 0);
        assert_int_equal(sprag_page_write(w.page, &how, path[i]), wanted);
        FILE *file = fopen(path[i], "rb");
        assert_non_null(file);
        fseek(file, 0, SEEK_END);
        sizes[i] = ftell(file);
        fclose(file);
        remove(path[i]);
    }
    assert_int_equal(sizes[0], sizes[1]);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bytes), cmocka_unit_test(test_thinned),
                                       cmocka_unit_test(test_same_bytes),
                                       cmocka_unit_test(test_texts), cmocka_unit_test(test_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
