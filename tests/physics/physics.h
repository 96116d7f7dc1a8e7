// physics.h: what the physics tests share: runs of formatted scenes, sizes of energy, the account.
#ifndef SPRAG_TESTS_PHYSICS_H
#define SPRAG_TESTS_PHYSICS_H

#include "support/runs.h"

#define PHYSICS_GRAVITY 9.81
#define PHYSICS_PI 3.14159265358979323846
#define PHYSICS_FLOOR "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"

static SpragContext *context;

static inline int physics_setup(void **state)
{
    (void)state;
    context = test_context();
    return 0;
}

static inline int physics_teardown(void **state)
{
    (void)state;
    sprag_context_destroy(context);
    return 0;
}

// Opens a scene from a format.
static inline void physics_open(TestRun *r, const char *format, ...) SPRAG_PRINTF(2, 3);
static inline void physics_open(TestRun *r, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && (size_t)length < sizeof text);
    test_run_open(r, context, text);
}

// Number of free body `name`'s first coordinate.
static inline int physics_coordinate(const TestRun *r, const char *name)
{
    int body = sprag_model_find_body(sprag_system_model(r->system), name);
    assert_true(body >= 0);
    return sprag_system_body_coordinate(r->system, body);
}

// Whether the events are exactly these, in order (contacts are not compared).
#define physics_assert_events(r, ...)                                                              \
    physics_assert_events_at(                                                                      \
        r, (const SpragEventType[]){__VA_ARGS__},                                                  \
        (int)(sizeof((const SpragEventType[]){__VA_ARGS__}) / sizeof(SpragEventType)), __FILE__,   \
        __LINE__)

static inline void physics_assert_events_at(const TestRun *r, const SpragEventType *types,
                                            int count, const char *file, int line)
{
    bool same = r->event_count == count;
    for (int i = 0; same && i < count; i++)
        same = r->events[i].type == types[i];
    if (same)
        return;
    print_error("events: ");
    for (int i = 0; i < r->event_count; i++)
        print_error("%.9g %s(%d), ", r->events[i].t, sprag_event_name(r->events[i].type),
                    r->events[i].contact);
    print_error("\nexpected: ");
    for (int i = 0; i < count; i++)
        print_error("%s, ", sprag_event_name(types[i]));
    print_error("\n");
    _fail(file, line);
}

// The account closes to 100 × tolerance × the largest energy that took part.
static inline void physics_assert_account(const TestRun *r, double tolerance)
{
    const SpragEnergyAccount *e = &sprag_run_sample(r->run)->energy;
    double scale = fabs(e->kinetic) + fabs(e->potential) + fabs(e->elastic) + fabs(e->actuation) +
                   fabs(e->friction) + fabs(e->impact) + fabs(e->damping);
    assert_close(sprag_run_drift(r->run), 0, 100 * tolerance * scale);
    assert_true(e->friction >= -tolerance * scale);
    assert_true(e->impact >= -tolerance * scale);
    assert_true(e->damping >= -tolerance * scale);
}

#endif
