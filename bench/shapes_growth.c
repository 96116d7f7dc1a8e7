// shapes_growth.c: what an event costs, against the number of bodies and of contacts.
//
// Cases     gas      discs or balls that bounce in a closed box: nothing stays closed
//           row      boxes side by side that slide and stop one after the other: as many islands
//           chain    balls in a row on a table, the first of which is thrown at the others
//           feet     one block on more and more feet that slides until it stops
//           stack    boxes on each other that slide as one until they stop, then tip or rest
//           in the plane and in space, by events
// Columns   contacts that were closed at once at most, events, steps, processor time of a run in
//           milliseconds (the least of several), and a step and an event in microseconds
// Exponents slope of the logarithm of the time of an event over that of the bodies (feet:
// contacts),
//           by least squares over all sizes, and over the larger half of them
#include "shapes_growth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sprag/sprag.h"

enum { SIZES = 5, CASES = 5, REPEATS = 3, TEXT = 64 * 1024 };

// Runs that take this long are made once, ms.
static const double LONG = 500;

typedef struct Text {
    char *text;
    size_t length;
} Text;

typedef struct Row {
    int bodies, contacts;
    unsigned long events, steps;
    double ms;
    SpragRunOutcome outcome;
} Row;

typedef void Writer(Text *text, int count, bool space);

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void put(Text *text, const char *format, ...) SPRAG_PRINTF(2, 3);
static void put(Text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->text + text->length, TEXT - text->length, format, arguments);
    va_end(arguments);
    if (length < 0 || text->length + (size_t)length >= TEXT)
        exit(1);
    text->length += (size_t)length;
}

static double draw(SpragRandom *random)
{
    return sprag_random_uniform(random, -1, 1);
}

// ---- Scenes -------------------------------------------------------------------------------------

static void put_head(Text *text, bool space, double friction, double restitution, bool weight)
{
    put(text, "sprag: 1\n%s", space ? "dimension: 3\n" : "");
    if (!weight)
        put(text, "gravity: %s\n", space ? "[0, 0, 0]" : "[0, 0]");
    put(text, "materials: {default: {friction: %g, restitution: %g}}\nbodies:\n", friction,
        restitution);
    if (weight)
        put(text, "  - {name: table, fixed: true, shapes: [{plane: {normal: %s}}]}\n",
            space ? "[0, 0, 1]" : "[0, 1]");
}

static void put_state(Text *text, bool space, const double x[3], const double v[3])
{
    if (space)
        put(text, "position: [%.12g, %.12g, %.12g], velocity: [%.12g, %.12g, %.12g], ", x[0], x[1],
            x[2], v[0], v[1], v[2]);
    else
        put(text, "position: [%.12g, %.12g], velocity: [%.12g, %.12g], ", x[0], x[2], v[0], v[2]);
}

static void write_gas(Text *text, int count, bool space)
{
    SpragRandom random;
    sprag_random_init(&random, 3);
    int side = space ? (int)ceil(cbrt(count)) : (int)ceil(sqrt(count));
    double half = 0.5 * side + 0.3;
    put_head(text, space, 0.1, 1, false);
    put(text, "  - {name: walls, fixed: true, shapes: [");
    for (int k = 0; k < (space ? 6 : 4); k++) {
        int axis = k / 2, sign = k % 2 ? 1 : -1;
        put(text, "%s{plane: {normal: [%d, %d", k ? ", " : "", axis == 0 ? sign : 0,
            axis == 1 ? sign : 0);
        if (space)
            put(text, ", %d", axis == 2 ? sign : 0);
        put(text, "], offset: %g}}", -half);
    }
    put(text, "]}\n");
    for (int i = 0; i < count; i++) {
        double x[3] = {i % side - 0.5 * (side - 1), 0, i / side % side - 0.5 * (side - 1)};
        if (space)
            x[1] = i / (side * side) - 0.5 * (side - 1);
        double v[3] = {draw(&random), draw(&random), draw(&random)};
        put(text, "  - {name: b%d, mass: 1, ", i);
        put_state(text, space, x, v);
        put(text, "shapes: [{%s: {radius: 0.3}}]}\n", space ? "sphere" : "circle");
    }
}

static void put_box(Text *text, int i, bool space, const double x[3], const double v[3])
{
    put(text, "  - {name: b%d, mass: 1, ", i);
    put_state(text, space, x, v);
    put(text, "shapes: [{box: {size: %s}}]}\n", space ? "[0.4, 0.3, 0.2]" : "[0.4, 0.2]");
}

static void write_row(Text *text, int count, bool space)
{
    put_head(text, space, 0.3, 0, true);
    for (int i = 0; i < count; i++) {
        double x[3] = {2.0 * i, 0, 0.1}, v[3] = {0.5 + 0.02 * i, space ? 0.2 : 0, 0};
        put_box(text, i, space, x, v);
    }
}

static void write_chain(Text *text, int count, bool space)
{
    put_head(text, space, 0.3, 0.8, true);
    for (int i = 0; i < count; i++) {
        double x[3] = {0.45 * i - (i == 0), 0, 0.2}, v[3] = {i == 0 ? 4 : 0, 0, 0};
        put(text, "  - {name: b%d, mass: 1, ", i);
        put_state(text, space, x, v);
        put(text, "shapes: [{%s: {radius: 0.2}}]}\n", space ? "sphere" : "circle");
    }
}

static void write_feet(Text *text, int count, bool space)
{
    put_head(text, space, 0.3, 0, true);
    double x[3] = {0, 0, 0.1}, v[3] = {0.8, space ? 0.3 : 0, 0};
    put(text, "  - {name: block, mass: 1, inertia: %s, ", space ? "[0.02, 0.02, 0.03]" : "0.02");
    put_state(text, space, x, v);
    put(text, "shapes: [{points: {");
    for (int i = 0; i < count; i++) {
        double angle = 6.283185307179586 * i / count;
        if (space)
            put(text, "%sp%d: [%.12g, %.12g, -0.1]", i ? ", " : "", i, 0.3 * cos(angle),
                0.3 * sin(angle));
        else
            put(text, "%sp%d: [%.12g, -0.1]", i ? ", " : "", i, 0.6 * i / (count - 1) - 0.3);
    }
    put(text, "}}]}\n");
}

static void write_stack(Text *text, int count, bool space)
{
    put_head(text, space, 0.5, 0, true);
    for (int i = 0; i < count; i++) {
        double x[3] = {0, 0, 0.1 + 0.2 * i}, v[3] = {0.6, 0, 0};
        put_box(text, i, space, x, v);
    }
    // the table is smoother than the boxes
    put(text, "contacts: [{between: [b0, table], friction: 0.2}]\n");
}

// ---- Runs ---------------------------------------------------------------------------------------

typedef struct Watch {
    SpragSystem *system;
    int contacts;
} Watch;

static int on_sample(const SpragRunSample *sample, void *user)
{
    Watch *watch = user;
    int closed = 0;
    for (int i = 0; i < sprag_system_contact_count(watch->system); i++)
        closed += sample->contacts[i].mode != SPRAG_MODE_SEPARATE;
    watch->contacts = closed > watch->contacts ? closed : watch->contacts;
    return 0;
}

static Row measure(const Text *text, int bodies, double until)
{
    Row row = {.bodies = bodies, .ms = INFINITY};
    for (int repeat = 0; repeat < REPEATS && (repeat == 0 || row.ms < LONG); repeat++) {
        SpragContext *context = NULL;
        SpragScene *scene = NULL;
        Watch watch = {NULL, 0};
        SpragRun *run = NULL;
        SpragSink sink = {.sample = on_sample, .user = &watch};
        SpragRunSettings settings = sprag_run_default();
        settings.motion = SPRAG_MOTION_EVENTS;
        settings.verdicts = false;
        settings.output_step = 0; // samples at events only
        if (sprag_context_create(NULL, &context) != SPRAG_OK)
            exit(1);
        if (sprag_scene_read_text(context, "bench", text->text, text->length, NULL, &scene) !=
                SPRAG_OK ||
            sprag_system_create_model(sprag_scene_model(scene), &watch.system) != SPRAG_OK ||
            sprag_run_create(watch.system, &settings, &sink, &run) != SPRAG_OK) {
            fprintf(stderr, "bench_shapes: %s\n", sprag_context_message(context));
            exit(1);
        }
        double begin = now_ms();
        if (sprag_run_advance(run, until, &row.outcome) != SPRAG_OK)
            exit(1);
        row.ms = fmin(row.ms, now_ms() - begin);
        row.events = (unsigned long)sprag_run_statistics(run).events;
        row.steps = (unsigned long)sprag_run_statistics(run).steps;
        row.contacts = watch.contacts;
        sprag_run_destroy(run);
        sprag_system_destroy(watch.system);
        sprag_scene_destroy(scene);
        sprag_context_destroy(context);
    }
    return row;
}

// Slope of log(time of an event) over log(size), rows first …
static double exponent(const Row *rows, int first, int count, bool contacts)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = first; i < count; i++) {
        double x = log(contacts ? rows[i].contacts : rows[i].bodies);
        double y = log(rows[i].ms / (double)rows[i].events);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    int n = count - first;
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

typedef struct Case {
    const char *name;
    Writer *write;
    int sizes[SIZES];
    double until;
    bool contacts; // the size is that of contacts
} Case;

static const Case cases[CASES] = {
    {"gas", write_gas, {4, 8, 16, 32, 64}, 4, false},
    {"row", write_row, {2, 4, 8, 16, 32}, 1, false},
    {"chain", write_chain, {4, 8, 16, 32, 64}, 0.8, false},
    {"feet", write_feet, {3, 6, 12, 24, 48}, 0.5, true},
    {"stack", write_stack, {2, 3, 4, 6, 8}, 0.5, false},
};

void shapes_growth(const char *only)
{
    static Row rows[SIZES];
    Text text = {malloc(TEXT), 0};
    if (!text.text)
        return;
    printf("\ncost of an event\n| case | | bodies | contacts | events | steps | run [ms] | step "
           "[us] | "
           "event [us] |\n|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < 2 * CASES; i++) {
        const Case *c = &cases[i / 2];
        bool space = i % 2;
        if (only && strcmp(only, c->name) != 0)
            continue;
        for (int k = 0; k < SIZES; k++) {
            text.length = 0;
            c->write(&text, c->sizes[k], space);
            rows[k] = measure(&text, c->contacts ? 1 : c->sizes[k], c->until);
            const Row *r = &rows[k];
            printf("| %s | %s | %d | %d | %lu | %lu | %.3g | %.3g | %.3g |%s%s\n", c->name,
                   space ? "space" : "plane", r->bodies, r->contacts, r->events, r->steps, r->ms,
                   1e3 * r->ms / (double)r->steps, 1e3 * r->ms / (double)r->events,
                   r->outcome == SPRAG_RUN_DONE ? "" : " ",
                   r->outcome == SPRAG_RUN_DONE ? "" : sprag_run_outcome_name(r->outcome));
            fflush(stdout);
        }
        printf("| %s | %s | exponent | | | | | | %.2f, larger half %.2f |\n", c->name,
               space ? "space" : "plane", exponent(rows, 0, SIZES, c->contacts),
               exponent(rows, SIZES / 2, SIZES, c->contacts));
    }
    free(text.text);
}
