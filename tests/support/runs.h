// runs.h: runs of scenes given as text, with everything they told.
#ifndef SPRAG_TESTS_SUPPORT_RUNS_H
#define SPRAG_TESTS_SUPPORT_RUNS_H

#include "support/test.h"

enum { RUN_MAX_EVENTS = 256, RUN_MAX_VERDICTS = 64 };

typedef struct TestRun {
    SpragContext *context;
    SpragScene *scene;
    SpragSystem *system;
    SpragRun *run;
    SpragRunOutcome outcome;
    int event_count, verdict_count;
    long sample_count;
    SpragEvent events[RUN_MAX_EVENTS];
    SpragRunVerdict verdicts[RUN_MAX_VERDICTS];
    double largest_gap, largest_rate; // |gap| and |gap rate| of closed contacts over all samples
    double last_t;
    // hook of the test, may be NULL
    void (*look)(struct TestRun *run, const SpragRunSample *sample);
    void *user;
} TestRun;

static inline int test_run_on_sample(const SpragRunSample *sample, void *user)
{
    TestRun *r = user;
    r->sample_count++;
    assert_true(sample->t >= r->last_t);
    r->last_t = sample->t;
    for (int i = 0; i < sprag_system_contact_count(r->system); i++)
        if (sample->contacts[i].mode != SPRAG_MODE_SEPARATE)
            r->largest_gap = fmax(r->largest_gap, fabs(sample->contacts[i].gap));
    if (r->look)
        r->look(r, sample);
    return 0;
}

static inline int test_run_on_event(const SpragEvent *event, void *user)
{
    TestRun *r = user;
    if (getenv("SPRAG_TEST_SHOW"))
        print_message("%.12g %s %d %s\n", event->t, sprag_event_name(event->type), event->contact,
                      event->detail);
    if (r->event_count < RUN_MAX_EVENTS)
        r->events[r->event_count++] = *event;
    return 0;
}

static inline int test_run_on_verdict(const SpragRunVerdict *verdict, void *user)
{
    TestRun *r = user;
    if (getenv("SPRAG_TEST_SHOW"))
        print_message("  [%.9g, %.9g] %s %d/%d %s: %s\n", verdict->from, verdict->to,
                      sprag_verdict_name(verdict->kind), verdict->stable_count,
                      verdict->solution_count, verdict->chosen, verdict->reason);
    if (r->verdict_count < RUN_MAX_VERDICTS)
        r->verdicts[r->verdict_count++] = *verdict;
    return 0;
}

static inline SpragSink test_run_sink(TestRun *r)
{
    return (SpragSink){.sample = test_run_on_sample,
                       .event = test_run_on_event,
                       .verdict = test_run_on_verdict,
                       .user = r};
}

// Reads the scene, makes the system; the run is not started.
static inline void test_run_open(TestRun *r, SpragContext *owner, const char *text)
{
    memset(r, 0, sizeof *r);
    r->context = owner;
    r->last_t = -INFINITY;
    assert_ok(owner,
              sprag_scene_read_text(owner, "test.yaml", text, strlen(text), NULL, &r->scene));
    assert_ok(owner, sprag_system_create_model(sprag_scene_model(r->scene), &r->system));
}

static inline void test_run_go(TestRun *r, double until, double tolerance)
{
    SpragRunSettings settings = sprag_run_default();
    SpragSink sink = test_run_sink(r);
    settings.tolerance = tolerance;
    settings.output_step = until / 200;
    assert_ok(r->context, sprag_run_create(r->system, &settings, &sink, &r->run));
    assert_ok(r->context, sprag_run_advance(r->run, until, &r->outcome));
}

static inline void test_run_go_as(TestRun *r, SpragMotionKind motion, double until,
                                  double tolerance)
{
    SpragRunSettings settings = sprag_run_default();
    SpragSink sink = test_run_sink(r);
    settings.motion = motion;
    settings.tolerance = tolerance;
    settings.output_step = until / 200;
    assert_ok(r->context, sprag_run_create(r->system, &settings, &sink, &r->run));
    assert_ok(r->context, sprag_run_advance(r->run, until, &r->outcome));
}

static inline void test_run_close(TestRun *r)
{
    sprag_run_destroy(r->run);
    sprag_system_destroy(r->system);
    sprag_scene_destroy(r->scene);
}

// Index of the n-th event of a type (from 0); −1: there is none.
static inline int test_run_event(const TestRun *r, SpragEventType type, int n)
{
    for (int i = 0; i < r->event_count; i++)
        if (r->events[i].type == type && n-- == 0)
            return i;
    return -1;
}

// A scene that goes by steps of this length (0: the default) on one thread, at its start.
static inline void test_run_open_stepping(TestRun *r, SpragContext *context, const char *text,
                                          double step)
{
    SpragRunSettings settings = sprag_run_default();
    settings.motion = SPRAG_MOTION_STEPPING;
    settings.step = step;
    settings.threads = 1;
    test_run_open(r, context, text);
    assert_ok(context, sprag_run_create(r->system, &settings, NULL, &r->run));
    assert_ok(context, sprag_run_advance(r->run, 0, &r->outcome));
}

#endif
