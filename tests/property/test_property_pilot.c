// Random scenes of 1 … 4 bodies and 1 … 6 closed contacts, friction up to 3, under motion: auto for
// a second: none crashes, hangs, gains energy, penetrates beyond its layers, goes to and fro
// between the models, or ends without saying why.
#include <time.h>

#include "support/runs.h"
#include "support/with_context.h"

// ---- Scenes -------------------------------------------------------------------------------------

enum { TEXT = 8192 };

typedef struct Writer {
    SpragRandom *random;
    char text[TEXT];
    size_t used;
} Writer;

static void put(Writer *w, const char *format, ...) SPRAG_PRINTF(2, 3);

static void put(Writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(w->text + w->used, TEXT - w->used, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && (size_t)length < TEXT - w->used);
    w->used += (size_t)length;
}

static double draw(Writer *w, double from, double to)
{
    return sprag_random_uniform(w->random, from, to);
}

// A body some way along the floor, at `height` above the one before; returns its own height.
static double put_body(Writer *w, int i, double x, double height)
{
    double mass = pow(10, draw(w, -1, 1)), size = draw(w, 0.2, 0.5), tall = 0;
    double angle = 0;
    int kind = sprag_random_below(w->random, 4);
    put(w, "  - {name: b%d, mass: %.17g, ", i, mass);
    if (kind == 0)
        tall = 2 * size;
    if (kind == 1 || kind == 3)
        tall = draw(w, 0.2, 1);
    if (kind == 2) {
        angle = draw(w, 0.2, 1.5);
        tall = 2 * size;
    }
    put(w, "velocity: [%.17g, %.17g], spin: %.17g, position: [%.17g, %.17g], angle: %.17g, ",
        draw(w, -3, 3), draw(w, -1, 0.5), draw(w, -3, 3), x, height + 0.5 * tall, angle);
    switch (kind) {
    case 0:
        put(w, "shapes: [{circle: {radius: %.17g}}]}\n", size);
        break;
    case 1:
        put(w, "shapes: [{box: {size: [%.17g, %.17g]}}]}\n", 2 * size, tall);
        break;
    case 2:
        put(w, "shapes: [{rod: {length: %.17g}}]}\n", 2 * size);
        break;
    default:
        put(w, "inertia: %.17g, shapes: [{points: {l: [%.17g, %.17g], r: [%.17g, %.17g]}}]}\n",
            0.25 * mass * tall * tall * draw(w, 0.1, 0.9), -size * draw(w, 0.2, 1), -0.5 * tall,
            size * draw(w, 0.2, 1), -0.5 * tall);
        break;
    }
    return tall;
}

// A floor (perhaps a slope, a wall beside it), bodies on it or on each other. Some contacts are
// closed at the start with a slip, so that paradoxes are met at once.
static void put_scene(Writer *w)
{
    int bodies = 1 + sprag_random_below(w->random, 4);
    double slope = sprag_random_below(w->random, 2) ? draw(w, -0.5, 0.5) : 0;
    bool belt = sprag_random_below(w->random, 6) == 0;
    bool pile = sprag_random_below(w->random, 3) == 0,
         layer = sprag_random_below(w->random, 3) == 0;
    put(w, "sprag: 1\nbodies:\n");
    put(w, "  - {name: floor, fixed: true, %sshapes: [{plane: {normal: [%.17g, %.17g]}}]}\n",
        belt ? "surface-velocity: [0.7, 0], " : "", -sin(slope), cos(slope));
    if (sprag_random_below(w->random, 2))
        put(w, "  - {name: wall, fixed: true, shapes: [{plane: {normal: [-1, 0], offset: -4}}]}\n");
    double height = 2.6;
    for (int i = 0; i < bodies; i++) {
        double tall = put_body(w, i, pile ? draw(w, -0.05, 0.05) : 1.6 * i - 1, height);
        height = pile ? height + tall + 0.4 : height;
    }
    put(w, "contacts:\n  - {between: ['*', '*'], friction: %.17g%s}\n", draw(w, 0, 3),
        layer ? ", compliance: {law: kelvin-voigt, stiffness: 1e6, damping: 100}" : "");
    if (sprag_random_below(w->random, 3)) {
        put(w, "start:\n  - {contact: [b0, floor], slip: %.17g}\n",
            sprag_random_below(w->random, 4) ? draw(w, -4, 4) : 0);
        if (bodies > 1 && !pile && sprag_random_below(w->random, 2))
            put(w, "  - {contact: [b1, floor], slip: %.17g}\n", draw(w, -4, 4));
    }
    if (sprag_random_below(w->random, 2))
        put(w, "loads: [{body: b0, force: [%.17g, %.17g], torque: %.17g}]\n", draw(w, -20, 20),
            draw(w, -20, 5), draw(w, -3, 3));
}

// ---- What must hold -----------------------------------------------------------------------------

typedef struct Watch {
    double deepest; // largest depth of a layer, m
    double overlap; // of rigid contacts that are closed
    double clipped; // of open ones
    clock_t begin;
    bool late;
    double energy; // largest of the account
    double given;  // largest |actuation|, J
    double own;    // largest kinetic or potential energy, J
} Watch;

static void look(TestRun *r, const SpragRunSample *sample)
{
    Watch *watch = r->user;
    const SpragEnergyAccount *e = &sample->energy;
    for (int i = 0; i < sprag_system_contact_count(r->system); i++) {
        const SpragRunContact *contact = &sample->contacts[i];
        if (contact->compliant)
            watch->deepest = fmax(watch->deepest, -contact->gap);
        else if (contact->mode != SPRAG_MODE_SEPARATE)
            watch->overlap = fmax(watch->overlap, -contact->gap);
        else // a corner that clips another body and leaves it within one step may be missed
            watch->clipped = fmax(watch->clipped, -contact->gap);
        assert_true(contact->normal >= 0 || !contact->compliant);
    }
    watch->given = fmax(watch->given, fabs(e->actuation));
    watch->own = fmax(watch->own, fmax(e->kinetic, fabs(e->potential)));
    watch->energy = fmax(watch->energy, watch->own);
    watch->energy = fmax(watch->energy, fmax(fabs(e->actuation), e->friction));
}

static int hear(const SpragRunSample *sample, void *user)
{
    TestRun *r = user;
    Watch *watch = r->user;
    watch->late = (double)(clock() - watch->begin) / CLOCKS_PER_SEC > 60;
    look(r, sample);
    return watch->late;
}

static int count_events(const TestRun *r, SpragEventType type, int contact)
{
    int count = 0;
    for (int i = 0; i < r->event_count; i++)
        count += r->events[i].type == type && (contact < 0 || r->events[i].contact == contact);
    return count;
}

typedef struct Tally {
    int runs, switched, returned, ended[16], refused;
    double worst_drift, worst_overlap, worst_depth, most_switches;
    double slowest;
} Tally;

static bool run_scene(const char *text, Tally *tally)
{
    static TestRun r;
    Watch watch = {.begin = clock()};
    SpragRunSettings settings = sprag_run_default();
    memset(&r, 0, sizeof r);
    r.context = context;
    r.user = &watch;
    if (getenv("SPRAG_TEST_WRITE")) {
        FILE *file = fopen(getenv("SPRAG_TEST_WRITE"), "w");
        assert_non_null(file);
        fputs(text, file);
        fclose(file);
    }
    if (sprag_scene_read_text(context, "random.yaml", text, strlen(text), NULL, &r.scene) !=
            SPRAG_OK ||
        sprag_system_create_model(sprag_scene_model(r.scene), &r.system) != SPRAG_OK) {
        if (getenv("SPRAG_TEST_SHOW"))
            print_message("%s\n%s", sprag_context_message(context), text);
        sprag_scene_destroy(r.scene);
        tally->refused++;
        return true;
    }
    SpragSink sink = {.sample = hear, .event = test_run_on_event, .user = &r};
    settings.output_step = 1e-2;
    assert_ok(context, sprag_run_create(r.system, &settings, &sink, &r.run));
    SpragStatus status = sprag_run_advance(r.run, 1, &r.outcome);
    double wall = (double)(clock() - watch.begin) / CLOCKS_PER_SEC;
    double drift = fabs(sprag_run_drift(r.run)) / fmax(watch.energy, 1e-3);
    int switches = 0;
    for (int i = 0; i < sprag_system_contact_count(r.system); i++) {
        int here = count_events(&r, SPRAG_EVENT_TO_COMPLIANT, i);
        switches = here > switches ? here : switches;
    }
    bool said = r.outcome == SPRAG_RUN_DONE || sprag_context_message(context)[0] ||
                count_events(&r, SPRAG_EVENT_NO_SOLUTION, -1) +
                        count_events(&r, SPRAG_EVENT_AMBIGUITY, -1) +
                        count_events(&r, SPRAG_EVENT_UNSTABLE, -1) >
                    0;
    bool driven = strstr(text, "surface-velocity") != NULL; // a belt may press without limit
    // nobody gives energy without a belt or a load
    bool free = driven || strstr(text, "loads:") || watch.given < 1e-6 * fmax(watch.own, 1e-3);
    bool good = free && status == SPRAG_OK && !watch.late && said && drift < 1e-6 &&
                watch.overlap < 1e-6 + watch.deepest && watch.clipped < 0.02 + watch.deepest &&
                (watch.deepest < 0.05 || driven) && switches < 60;
    tally->runs++;
    tally->switched += switches > 0;
    tally->returned += count_events(&r, SPRAG_EVENT_TO_RIGID, -1) > 0;
    tally->ended[r.outcome]++;
    tally->worst_drift = fmax(tally->worst_drift, drift);
    tally->worst_overlap = fmax(tally->worst_overlap, watch.overlap);
    tally->worst_depth = fmax(tally->worst_depth, watch.deepest);
    tally->most_switches = fmax(tally->most_switches, switches);
    tally->slowest = fmax(tally->slowest, wall);
    if (getenv("SPRAG_TEST_ALL") || !good ||
        (getenv("SPRAG_TEST_ENDS") && r.outcome != SPRAG_RUN_DONE))
        print_message("%s at %.9g (%s), drift %.2g, overlap %.2g, depth %.2g, %d switches, %d "
                      "events, %.2f s%s\n",
                      sprag_run_outcome_name(r.outcome), sprag_run_time(r.run),
                      r.outcome == SPRAG_RUN_DONE ? "" : sprag_context_message(context), drift,
                      watch.overlap, watch.deepest, switches, r.event_count, wall,
                      watch.late ? ", late" : "");
    test_run_close(&r);
    return good;
}

static bool run_number(int k, Tally *tally)
{
    static Writer w;
    SpragRandom random;
    sprag_random_init(&random, 1000 + (uint64_t)k);
    w = (Writer){.random = &random};
    put_scene(&w);
    bool good = run_scene(w.text, tally);
    if (!good)
        print_message("scene %d\n%s\n", k, w.text);
    return good;
}

// Scenes that have lost energy without account: velocities projected at impacts (1349, 3105);
// positions thrown far by gaps that nearly depend on each other, corners that meet on a floor,
// between layers (the others); impulses of a ball wedged by an angle of rounding (4597). And
// corners that clipped another body unseen within a step (2724, 3491).
static void test_found(void **state)
{
    (void)state;
    const int numbers[] = {1349, 1854, 1914, 2724, 2817, 3105, 3491,
                           3624, 4038, 4201, 4567, 4597, 4714, 4864};
    Tally tally = {0};
    int bad = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        bad += !run_number(numbers[i], &tally);
    assert_int_equal(bad, 0);
}

static void test_scenes(void **state)
{
    (void)state;
    Tally tally = {0};
    const char *first = getenv("SPRAG_TEST_FIRST"), *last = getenv("SPRAG_TEST_LAST");
    int from = first ? atoi(first) : 0, to = last ? atoi(last) : test_draws(10), bad = 0;
    for (int k = from; k < to; k++)
        bad += !run_number(k, &tally);
    if (getenv("SPRAG_TEST_STATS")) {
        print_message("%d runs, %d refused, %d switched, %d returned; drift %.2g, overlap %.2g, "
                      "depth %.2g, switches %g, slowest %.2f s; ends",
                      tally.runs, tally.refused, tally.switched, tally.returned, tally.worst_drift,
                      tally.worst_overlap, tally.worst_depth, tally.most_switches, tally.slowest);
        for (int i = 0; i < 9; i++)
            print_message(" %s %d", sprag_run_outcome_name((SpragRunOutcome)i), tally.ended[i]);
        print_message("\n");
    }
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes), cmocka_unit_test(test_found)};
    return cmocka_run_group_tests_name("pilot", tests, setup, teardown);
}
