// feed.h: systems for a record to listen to, and samples made up for it.
#ifndef SPRAG_TESTS_RECORD_FEED_H
#define SPRAG_TESTS_RECORD_FEED_H

#include "support/test.h"

enum { FEED_CONTACTS = 16, FEED_VELOCITIES = 16 };

typedef struct Feed {
    SpragContext *context;
    SpragScene *scene;
    SpragSystem *system;
    double q[FEED_VELOCITIES], v[FEED_VELOCITIES];
    SpragRunContact contacts[FEED_CONTACTS];
} Feed;

static const char feed_rod[] =
    "sprag: 1\n"
    "bodies:\n"
    "  - {name: table, fixed: true, position: [1, 2], angle: 0.5,\n"
    "     shapes: [{plane: {normal: [0, 1], offset: -9}}], sites: {mark: [3, 0]}}\n"
    "  - {name: rod, mass: 1, angle: 0.7, shapes: [{rod: {length: 2}}], sites: {eye: [0.3, 0.1]}}\n"
    "contacts:\n"
    "  - {name: tip, between: [rod.a, table], friction: 0.3}\n";

static inline int feed_inertia(double t, const double *q, double *matrix, void *user)
{
    int n = *(const int *)user;
    (void)t, (void)q;
    for (int i = 0; i < n * n; i++)
        matrix[i] = i % (n + 1) == 0;
    return 0;
}

static inline int feed_force(double t, const double *q, const double *v, double *force, void *user)
{
    int n = *(const int *)user;
    (void)t, (void)q, (void)v;
    for (int i = 0; i < n; i++)
        force[i] = 0;
    return 0;
}

static inline int feed_contact(double t, const double *q, const double *v, int contact,
                               SpragContactSample *sample, void *user)
{
    (void)t, (void)q, (void)v, (void)contact, (void)user;
    sample->gap = 1;
    sample->normal[0] = 1;
    return 0;
}

// A system from a scene.
static inline void feed_open(Feed *feed, SpragContext *context, const char *scene)
{
    memset(feed, 0, sizeof *feed);
    feed->context = context;
    assert_ok(context, sprag_scene_read_text(context, "feed.yaml", scene, strlen(scene), NULL,
                                             &feed->scene));
    assert_ok(context, sprag_system_create_model(sprag_scene_model(feed->scene), &feed->system));
    assert_true(sprag_system_contact_count(feed->system) <= FEED_CONTACTS);
    sprag_system_initial(feed->system, feed->q, feed->v);
}

// A user-defined system whose contacts have these names.
static inline void feed_open_user(Feed *feed, SpragContext *context, int count, char **names)
{
    static int velocity_count = 2;
    SpragSystemContact contacts[FEED_CONTACTS] = {{0}};
    SpragSystemDef def = sprag_system_default();
    memset(feed, 0, sizeof *feed);
    feed->context = context;
    for (int i = 0; i < count; i++)
        contacts[i].name = names[i];
    def.dimension = 2;
    def.velocity_count = velocity_count;
    def.contact_count = count;
    def.contacts = contacts;
    def.inertia = feed_inertia;
    def.force = feed_force;
    def.contact = feed_contact;
    def.user = &velocity_count;
    assert_ok(context, sprag_system_create(context, &def, &feed->system));
}

static inline void feed_close(Feed *feed)
{
    sprag_system_destroy(feed->system);
    sprag_scene_destroy(feed->scene);
    sprag_context_destroy(feed->context);
}

static inline SpragRunSample feed_sample(const Feed *feed, double t)
{
    return (SpragRunSample){.t = t, .q = feed->q, .v = feed->v, .contacts = feed->contacts};
}

// Value of a signal in the last sample that was kept.
static inline double feed_value(const SpragRecord *record, const char *name)
{
    int signal = sprag_record_find_signal(record, name);
    if (signal < 0)
        print_error("no signal %s\n", name);
    assert_true(signal >= 0);
    return sprag_record_column(record, signal)[sprag_record_sample_count(record) - 1];
}

// A record of what the patterns choose.
static inline SpragRecord *feed_record(const Feed *feed, const char *signals)
{
    SpragRecordSettings settings = sprag_record_default();
    SpragRecord *record = NULL;
    settings.signals = signals;
    assert_ok(feed->context, sprag_record_create(feed->context, feed->system, &settings, &record));
    return record;
}

// The selected signals are exactly those of the list.
static inline void feed_assert_signals(const Feed *feed, const char *patterns, const char *list)
{
    SpragRecord *record = feed_record(feed, patterns);
    SpragText text;
    sprag_text_init(&text, feed->context);
    for (int i = 0; i < sprag_record_signal_count(record); i++)
        sprag_text_add(&text, i ? " %s" : "%s", sprag_record_signal_name(record, i));
    assert_string_equal(text.bytes, list);
    sprag_text_destroy(&text);
    sprag_record_destroy(record);
}

#endif
