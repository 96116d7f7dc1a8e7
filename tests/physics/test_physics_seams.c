// Bodies that slide or roll from one table onto the next, which abuts at the same height: they move
// as on one table, and no impact, separation or switch is told. The tables' own corners at the
// seam, and their sides between them, are no obstacles.
#include "support/runs.h"
#include "support/with_context.h"

typedef struct Body {
    const char *name, *shape;
    double height;
} Body;

static const Body BODIES[] = {{"box", "box: {size: [0.4, 0.2]}", 0.1},
                              {"ball", "circle: {radius: 0.1}", 0.1},
                              {"rod", "rod: {length: 0.4}", 0},
                              {"capsule", "capsule: {length: 0.4, radius: 0.05}", 0.05},
                              {"feet", "points: {a: [-0.2, -0.1], b: [0.2, -0.1]}", 0.1}};

// One table, and two: of one height, of different heights below, a rounding apart, in one body.
static const char *const TABLES[] = {
    "  - {name: table, fixed: true, position: [0, -0.5], shapes: [{box: {size: [4, 1]}}]}\n",
    "  - {name: left, fixed: true, position: [-1, -0.5], shapes: [{box: {size: [2, 1]}}]}\n"
    "  - {name: right, fixed: true, position: [1, -0.5], shapes: [{box: {size: [2, 1]}}]}\n",
    "  - {name: left, fixed: true, position: [-1, -0.5], shapes: [{box: {size: [2, 1]}}]}\n"
    "  - {name: right, fixed: true, position: [1, -0.05], shapes: [{box: {size: [2, 0.1]}}]}\n",
    "  - {name: left, fixed: true, position: [-1, -0.05], shapes: [{box: {size: [2, 0.1]}}]}\n"
    "  - {name: right, fixed: true, position: [1.0000000000001, -1], shapes: [{box: {size: [2, "
    "2]}}]}\n",
    "  - {name: table, fixed: true, shapes: [{polygon: {points: [[-2, -1], [0, -1], [0, 0], [-2, "
    "0]]}},\n     {polygon: {points: [[0, -1], [2, -1], [2, 0], [0, 0]]}}]}\n"};

static void open_scene(TestRun *r, const Body *body, int table, double speed, bool soft)
{
    char text[1536];
    snprintf(text, sizeof text,
             "sprag: 1\nbodies:\n%s"
             "  - {name: b, mass: 1, %sposition: [%.17g, %.17g], velocity: [%.17g, 0], shapes: "
             "[{%s}]}\n"
             "contacts: [{between: ['*', '*'], friction: 0.1%s}]\n",
             TABLES[table], strstr(body->shape, "points") ? "inertia: 0.02, " : "",
             speed > 0 ? -0.5 : 0.5, body->height, speed, body->shape,
             soft ? ", compliance: {law: kelvin-voigt, stiffness: 1e6, damping: 200}" : "");
    test_run_open(r, context, text);
}

static int count_events(const TestRun *r)
{
    int count = 0;
    for (int i = 0; i < r->event_count; i++) {
        SpragEventType type = r->events[i].type;
        count += type == SPRAG_EVENT_IMPACT || type == SPRAG_EVENT_SEPARATION ||
                 type == SPRAG_EVENT_LIFT_OFF || type == SPRAG_EVENT_TO_COMPLIANT ||
                 type == SPRAG_EVENT_TOUCH || type == SPRAG_EVENT_LANDING;
    }
    return count;
}

static void compare(const Body *body, double speed, SpragMotionKind motion)
{
    static TestRun one, two;
    bool soft = motion == SPRAG_MOTION_COMPLIANT;
    // rigid: rounding of the hand-over; in layers a depth of some 1e-6 m is handed over to 1e-9 m
    double near = soft ? 1e-6 : 1e-10;
    open_scene(&one, body, 0, speed, soft);
    test_run_go_as(&one, motion, 0.8, 1e-9);
    const SpragRunSample *whole = sprag_run_sample(one.run);
    for (int table = 1; table < 5; table++) {
        open_scene(&two, body, table, speed, soft);
        test_run_go_as(&two, motion, 0.8, 1e-9);
        const SpragRunSample *sample = sprag_run_sample(two.run);
        assert_int_equal(two.outcome, SPRAG_RUN_DONE);
        for (int i = 0; i < 3; i++) {
            assert_close(sample->q[i], whole->q[i], near * (i == 2 ? 10 : 1));
            assert_close(sample->v[i], whole->v[i], near * (i == 2 ? 10 : 1));
        }
        if (count_events(&two) != count_events(&one))
            fail_msg("%s on tables %d at %g m/s: %d events, on one table %d", body->name, table,
                     speed, count_events(&two), count_events(&one));
        test_run_close(&two);
    }
    test_run_close(&one);
}

static void test_seams(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof BODIES / sizeof *BODIES; i++)
        for (int k = 0; k < 2; k++) {
            double speed = k == 0 ? 2 : -1.37;
            compare(&BODIES[i], speed, SPRAG_MOTION_AUTO);
            compare(&BODIES[i], speed, SPRAG_MOTION_COMPLIANT);
        }
}

// A step is none: what runs into it is stopped, and what comes from above falls.
static void test_step(void **state)
{
    (void)state;
    static TestRun r;
    for (int down = 0; down < 2; down++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "sprag: 1\nbodies:\n"
                 "  - {name: left, fixed: true, position: [-1, -0.5], shapes: [{box: {size: [2, "
                 "1]}}]}\n"
                 "  - {name: right, fixed: true, position: [1, %g], shapes: [{box: {size: [2, "
                 "1]}}]}\n"
                 "  - {name: b, mass: 1, position: [-0.5, 0.1], velocity: [2, 0], shapes: [{box: "
                 "{size: [0.4, 0.2]}}]}\n"
                 "contacts: [{between: ['*', '*'], friction: 0.1}]\n",
                 down ? -0.52 : -0.48);
        test_run_open(&r, context, text);
        test_run_go_as(&r, SPRAG_MOTION_AUTO, 0.8, 1e-9);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        assert_true(test_run_event(&r, SPRAG_EVENT_IMPACT, 0) >= 0);
        double x = sprag_run_sample(r.run)->q[0];
        assert_true(down ? x > 0.2 : x <= -0.2 + 1e-9);
        test_run_close(&r);
    }
}

// ---- In space -----------------------------------------------------------------------------------

// A body that slides over the seam of two tables goes on as on one. The seam meets corners, edges,
// the marks of a standing cylinder and the core of a lying capsule.
static void slide_over(const char *shape, bool seam, SpragMotionKind motion, double end[6])
{
    static TestRun r;
    char text[1024];
    snprintf(text, sizeof text,
             "sprag: 1\ndimension: 3\nmaterials: {default: {friction: 0.2}}\nbodies:\n%s"
             "  - {name: b, mass: 1, position: [-0.5, 0.1, 0.1], velocity: [1.5, 0.1, 0], "
             "shapes: [%s]}\n",
             seam ? "  - {name: t, fixed: true, position: [-1, 0, -0.1], "
                    "shapes: [{box: {size: [2, 2, 0.2]}}]}\n"
                    "  - {name: u, fixed: true, position: [1, 0, -0.1], "
                    "shapes: [{box: {size: [2, 2, 0.2]}}]}\n"
                  : "  - {name: t, fixed: true, position: [0, 0, -0.1], "
                    "shapes: [{box: {size: [4, 2, 0.2]}}]}\n",
             shape);
    test_run_open(&r, context, text);
    test_run_go_as(&r, motion, 0.8, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    memcpy(end, sprag_run_position(r.run), 3 * sizeof *end);
    memcpy(end + 3, sprag_run_velocity(r.run), 3 * sizeof *end);
    test_run_close(&r);
}

static void test_space(void **state)
{
    (void)state;
    static const char *const shapes[] = {
        "{box: {size: [0.4, 0.3, 0.2]}}", "{sphere: {radius: 0.1}}",
        "{cylinder: {radius: 0.15, length: 0.2}}",
        "{capsule: {radius: 0.1, length: 0.3}, orientation: {axis: [0, 1, 0], angle: 90 deg}}"};
    double one[6], two[6];
    for (int i = 0; i < 4; i++) {
        slide_over(shapes[i], false, SPRAG_MOTION_EVENTS, one);
        slide_over(shapes[i], true, SPRAG_MOTION_EVENTS, two);
        // a contact that passes on may close anew with the speed of rounding
        for (int k = 0; k < 6; k++)
            assert_close(two[k], one[k], 1e-6);
    }
    // soft corners pass on with what their layers hold (1e-4 of the scales), not with their shear
    slide_over(shapes[0], false, SPRAG_MOTION_COMPLIANT, one);
    slide_over(shapes[0], true, SPRAG_MOTION_COMPLIANT, two);
    for (int k = 0; k < 6; k++)
        assert_close(two[k], one[k], 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_seams), cmocka_unit_test(test_step),
                                       cmocka_unit_test(test_space)};
    return cmocka_run_group_tests_name("seams", tests, setup, teardown);
}
