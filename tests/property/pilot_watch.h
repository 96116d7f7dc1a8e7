// pilot_watch.h: random scenes under motion: auto for a second, and what must hold of them: none
// crashes, hangs, gains energy, penetrates beyond its layers, goes to and fro between the models,
// or ends without saying why. The generators of scenes are those of the tests.
#ifndef SPRAG_TEST_PILOT_WATCH_H
#define SPRAG_TEST_PILOT_WATCH_H

#include <time.h>

#include "support/runs.h"
#include "support/with_context.h"

// ---- Scenes as text -----------------------------------------------------------------------------

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

// ---- What must hold -----------------------------------------------------------------------------

// Limits, and where they come from.
//
// A contact that fails, is compliant for a while and returns has switched once. It may fail again
// when it slides again, or meets another body. Within 30 of its periods (a fiftieth of a second
// each by default) its patience of three of them doubles, which in a second leaves room for four
// returns more.
static const int MOST_SWITCHES = 5;
// The account closes to the errors of integration: some hundred steps of 1e-9 each.
static const double MOST_DRIFT = 1e-6;
// Work of the projections at all switches: of order ε = 1e-4 of the energy for each (8.6.5), where
// what the forces before press into the layers is their own energy. Where bodies hardly move that
// of the loads is more: each layer may begin and end with what all loads together press into it,
// and shear it by as much (8.6.2).
static const double MOST_CHANGE = 1e-2;
// Depths of layers are states, positions follow them, and rigid gaps are zero, to the contact
// tolerance of 1e-9 of the size of the scene, which is some metres here; between the ends of steps
// to a hundred of them.
static const double MOST_OVERLAP = 3e-7;
// Two corners that sink into each other are one contact along the middle n of the normals that
// separate them, theory.md 13.7. With right angles the ends m of that range are up to 45 degrees
// away from n, and the tip of one is inside of the other only while its offset u has |t·u| ≤ |n·u|
// = depth. So an open feature beside it, with m for its normal, overlaps by |m·u| ≤ (cos 45° + sin
// 45°) depth. Where a corner came in over the end of a side, its overlap is its depth and what it
// found, the shift, which is no more than its neighbour's depth (theory.md 14.6): gaps are judged
// less the shift, and the shift by the depths.
static const double SKEW = 1.4143;
// A force ends where it is zero, to the error of the event's time.
static const double MOST_PULL = 1e-6;

enum { MOST_SLOTS = 256 };

typedef struct Watch {
    double offset;      // largest |gap + depth| of contacts that press
    double clipped;     // largest overlap of open ones
    double deepest;     // m
    double shift;       // m: largest overlap that a layer leaves to its neighbours
    double pull, press; // N: largest −λN and λN
    double beyond;      // most by which the layers' depths hold more energy than there is, J
    double given, friction, impact, damping; // of the last sample
    double gained;                           // most by which a loss has become less, J
    double change;                           // largest |change|
    double loaded;                           // what the loads press into layers that switched, J
    double size;                             // largest of all energies at work, J
    double potential;                        // at the start
    double most, least; // kinetic + potential + elastic − actuation over time
    double stiffness[MOST_SLOTS];
    bool hertzian[MOST_SLOTS]; // f = K δ^1.5, not K δ
    int switches[MOST_SLOTS];
    int says; // events that tell of a failure
    clock_t begin;
    bool late, started;
} Watch;

// Where a layer is pressed in, its bodies overlap by its depth, and neighbouring features with
// them.
static double depth_now(const TestRun *r, const SpragRunSample *sample)
{
    double deepest = 0;
    for (int i = 0; i < sprag_system_contact_count(r->system); i++)
        deepest = fmax(deepest, sample->contacts[i].depth + fabs(sample->contacts[i].shift));
    return deepest;
}

// Whether a corner of one of the bodies of an open contact is pressed into the other one that the
// corner of this contact belongs to: two corners that overlap. A corner may then be inside of a
// side beyond the other's end by any length; how far the bodies are inside of each other is the
// depth of the pressed one.
static bool is_beside_corner(const TestRun *r, const SpragRunSample *sample, int open)
{
    const SpragSlot *a = sprag_system_slot(r->system, open);
    for (int i = 0; a && i < sprag_system_contact_count(r->system); i++) {
        const SpragSlot *b = sprag_system_slot(r->system, i);
        if (b && sample->contacts[i].depth > 0 && a->body[a->swapped] == b->body[1 - b->swapped] &&
            a->body[1 - a->swapped] == b->body[b->swapped])
            return true;
    }
    return false;
}

static void look_at_contacts(TestRun *r, const SpragRunSample *sample)
{
    Watch *watch = r->user;
    double stored = 0, deepest = depth_now(r, sample);
    for (int i = 0; i < sprag_system_contact_count(r->system); i++) {
        const SpragRunContact *contact = &sample->contacts[i];
        double depth = contact->compliant ? contact->depth : 0;
        watch->pull = fmax(watch->pull, -contact->normal);
        watch->press = fmax(watch->press, contact->normal);
        if (contact->mode != SPRAG_MODE_SEPARATE || depth > 0)
            watch->offset = fmax(watch->offset, fabs(contact->gap + depth + contact->shift));
        else if (contact->gap < -SKEW * deepest && !is_beside_corner(r, sample, i))
            watch->clipped = fmax(watch->clipped, -contact->gap - SKEW * deepest);
        watch->deepest = fmax(watch->deepest, depth);
        watch->shift = fmax(watch->shift, fabs(contact->shift));
        if (i < MOST_SLOTS)
            stored += watch->stiffness[i] *
                      (watch->hertzian[i] ? pow(depth, 2.5) / 2.5 : 0.5 * depth * depth);
    }
    watch->beyond = fmax(watch->beyond, stored - sample->energy.elastic);
}

static void look(TestRun *r, const SpragRunSample *sample)
{
    Watch *watch = r->user;
    const SpragEnergyAccount *e = &sample->energy;
    if (!watch->started)
        watch->potential = e->potential;
    double lost = fmin(e->friction - watch->friction,
                       fmin(e->impact - watch->impact, e->damping - watch->damping));
    watch->gained = watch->started ? fmax(watch->gained, -lost) : 0;
    watch->friction = e->friction;
    watch->impact = e->impact;
    watch->damping = e->damping;
    watch->change = fmax(watch->change, fabs(e->change));
    watch->given = fmax(watch->given, fabs(e->actuation));
    watch->size = fmax(watch->size, fmax(e->kinetic, fabs(e->potential - watch->potential)));
    watch->size = fmax(watch->size, fmax(fabs(e->actuation), e->friction));
    watch->size = fmax(watch->size, fmax(e->impact, e->damping));
    watch->started = true;
    look_at_contacts(r, sample);
}

static int hear(const SpragRunSample *sample, void *user)
{
    TestRun *r = user;
    Watch *watch = r->user;
    watch->late = (double)(clock() - watch->begin) / CLOCKS_PER_SEC > 60;
    look(r, sample);
    return watch->late;
}

// Sum of the sizes of all weights, loads and forces of springs over a metre, N.
static double load_size(const TestRun *r)
{
    const SpragModel *model = sprag_scene_model(r->scene);
    double size = 0;
    for (int i = 0; i < model->body_count; i++)
        size += model->bodies[i].fixed
                    ? 0
                    : model->bodies[i].mass * hypot(model->gravity[0], model->gravity[1]);
    for (int i = 0; i < model->load_count; i++)
        size += hypot(model->loads[i].force[0], model->loads[i].force[1]);
    for (int i = 0; i < model->spring_count; i++)
        size += model->springs[i].stiffness;
    return size;
}

static double load_energy(const TestRun *r, double stiffness, bool hertzian)
{
    double load = load_size(r);
    if (hertzian)
        return stiffness * pow(load / stiffness, 5.0 / 3) / 2.5;
    return 0.5 * load * load / stiffness;
}

static int hear_event(const SpragEvent *event, void *user)
{
    TestRun *r = user;
    Watch *watch = r->user;
    const char *layer = strstr(event->detail, "layer k ");
    watch->says += event->type == SPRAG_EVENT_NO_SOLUTION || event->type == SPRAG_EVENT_AMBIGUITY ||
                   event->type == SPRAG_EVENT_UNSTABLE;
    if (event->type == SPRAG_EVENT_TO_COMPLIANT && event->contact < MOST_SLOTS) {
        assert_non_null(layer);
        watch->stiffness[event->contact] = atof(layer + 8);
        watch->hertzian[event->contact] = strstr(layer, "N/m^n") != NULL;
        watch->switches[event->contact]++;
        watch->loaded +=
            load_energy(r, watch->stiffness[event->contact], watch->hertzian[event->contact]);
    }
    return test_run_on_event(event, user);
}

typedef struct Tally {
    int runs, switched, ended[16], redrawn, bad;
    double drift, offset, clipped, depth, pull, change, gained, beyond, switches, slowest;
} Tally;

static int most_switches(const Watch *watch)
{
    int most = 0;
    for (int i = 0; i < MOST_SLOTS; i++)
        most = watch->switches[i] > most ? watch->switches[i] : most;
    return most;
}

static void raise(double *most, double value)
{
    *most = fmax(*most, value);
}

static bool judge(const TestRun *r, const Watch *watch, const char *text, Tally *tally)
{
    double size = fmax(watch->size, 1e-3);
    // the account has the potential energy itself, whose rounding is that of its size
    double drift = fabs(sprag_run_drift(r->run)) / fmax(size, fabs(watch->potential));
    double wall = (double)(clock() - watch->begin) / CLOCKS_PER_SEC;
    int switches = most_switches(watch);
    bool driven = strstr(text, "surface-velocity") || strstr(text, "loads:");
    bool good = r->outcome == SPRAG_RUN_DONE && !watch->late && drift < MOST_DRIFT &&
                (driven || watch->given < MOST_DRIFT * size) && watch->offset < MOST_OVERLAP &&
                watch->clipped < MOST_OVERLAP && watch->shift < watch->deepest + MOST_OVERLAP &&
                watch->change < MOST_CHANGE * size + 2 * watch->loaded &&
                watch->gained < MOST_DRIFT * size && watch->beyond < 1e-3 * size &&
                watch->pull <= MOST_PULL * watch->press && switches <= MOST_SWITCHES;
    tally->runs++;
    tally->switched += switches > 0;
    tally->ended[r->outcome]++;
    raise(&tally->drift, drift);
    raise(&tally->offset, watch->offset);
    raise(&tally->clipped, watch->clipped);
    raise(&tally->depth, watch->deepest);
    raise(&tally->change, watch->change / size);
    raise(&tally->pull, watch->pull / fmax(watch->press, 1e-9));
    raise(&tally->gained, watch->gained / size);
    raise(&tally->beyond, watch->beyond / size);
    raise(&tally->switches, switches);
    raise(&tally->slowest, wall);
    if (getenv("SPRAG_TEST_ALL") || !good)
        print_message(
            "%s%s at %.9g (%s), drift %.2g, offset %.2g, clipped %.2g, depth %.2g, "
            "pull %.2g, change %.2g, gained %.2g, beyond %.2g of %.3g J, %d switches, %d events, "
            "%.2f s%s\n",
            good ? "" : "BAD ", sprag_run_outcome_name(r->outcome), sprag_run_time(r->run),
            r->outcome == SPRAG_RUN_DONE ? "" : sprag_context_message(context), drift,
            watch->offset, watch->clipped, watch->deepest, watch->pull / fmax(watch->press, 1e-9),
            watch->change / size, watch->gained / size, watch->beyond / size, size, switches,
            r->event_count, wall, watch->late ? ", late" : "");
    return good;
}

// False: the draft is no scene.
static bool open_scene(TestRun *r, const char *text)
{
    memset(r, 0, sizeof *r);
    r->context = context;
    bool ok = sprag_scene_read_text(context, "random.yaml", text, strlen(text), NULL, &r->scene) ==
                  SPRAG_OK &&
              sprag_system_create_model(sprag_scene_model(r->scene), &r->system) == SPRAG_OK;
    if (!ok) {
        if (getenv("SPRAG_TEST_SHOW"))
            print_message("%s\n%s", sprag_context_message(context), text);
        sprag_scene_destroy(r->scene);
    }
    return ok;
}

static bool run_scene(TestRun *r, const char *text, Tally *tally)
{
    Watch watch = {.begin = clock()};
    SpragRunSettings settings = sprag_run_default();
    const char *write = getenv("SPRAG_TEST_WRITE");
    if (write && getenv("SPRAG_TEST_FIRST")) {
        FILE *file = fopen(write, "w");
        assert_non_null(file);
        fputs(text, file);
        fclose(file);
    }
    r->user = &watch;
    SpragSink sink = {.sample = hear, .event = hear_event, .user = r};
    settings.output_step = 1e-2;
    assert_ok(context, sprag_run_create(r->system, &settings, &sink, &r->run));
    assert_ok(context, sprag_run_advance(r->run, 1, &r->outcome));
    bool good = judge(r, &watch, text, tally);
    test_run_close(r);
    return good;
}

typedef void PutScene(Writer *w);

// A draft that is no scene (bodies that start inside of each other) is drawn again.
static bool run_number(PutScene *put_scene, int k, Tally *tally)
{
    static Writer w;
    static TestRun r;
    SpragRandom random;
    sprag_random_init(&random, 1000 + (uint64_t)k);
    for (bool ok = false; !ok;) {
        w = (Writer){.random = &random};
        put_scene(&w);
        ok = open_scene(&r, w.text);
        tally->redrawn += !ok;
    }
    bool good = run_scene(&r, w.text, tally);
    if (!good)
        print_message("scene %d\n%s\n", k, getenv("SPRAG_TEST_BRIEF") ? "" : w.text);
    tally->bad += !good;
    return good;
}

// Scenes `start` … start + draws − 1, of which no more than a part may be bad. SPRAG_TEST_FIRST,
// SPRAG_TEST_LAST: other numbers; SPRAG_TEST_STATS: prints the largest of everything.
static void run_many(PutScene *put_scene, int start, int draws, double part)
{
    Tally tally = {0};
    const char *first = getenv("SPRAG_TEST_FIRST"), *last = getenv("SPRAG_TEST_LAST");
    int from = first ? atoi(first) : start, to = last ? atoi(last) : start + draws, bad = 0;
    for (int k = from; k < to; k++)
        bad += !run_number(put_scene, k, &tally);
    if (getenv("SPRAG_TEST_STATS")) {
        print_message(
            "%d runs, %d bad, %d drawn again, %d switched; drift %.2g, offset %.2g, "
            "clipped %.2g, depth %.2g, pull %.2g, change %.2g, gained %.2g, beyond %.2g, switches "
            "%g, slowest %.2f s; ends",
            tally.runs, tally.bad, tally.redrawn, tally.switched, tally.drift, tally.offset,
            tally.clipped, tally.depth, tally.pull, tally.change, tally.gained, tally.beyond,
            tally.switches, tally.slowest);
        for (int i = 0; i < 9; i++)
            print_message(" %s %d", sprag_run_outcome_name((SpragRunOutcome)i), tally.ended[i]);
        print_message("\n");
    }
    assert_true(bad <= part * (to - from));
}

#endif
