// Time stepping of random throws: sharp polygons that fall on each other never pass through,
// joints of chains that whip hold, and losses are positive.
#include "support/runs.h"
#include "support/with_context.h"

enum { TEXT = 16384, BODIES = 14, MOST_SIDES = 6 };

// ---- Polygons -----------------------------------------------------------------------------------

typedef struct Outline {
    int count;
    SpragVec2 points[MOST_SIDES];
} Outline;

typedef struct Heap {
    Outline shapes[BODIES];
    double before[BODIES][BODIES]; // overlaps in the last sample, m
    double worst;                  // overlap of two of them that stays for a step, m
    bool finite;
} Heap;

// Least height of b's corners over the best side of a: positive if it separates them.
static double side_separation(const Outline *a, const Outline *b)
{
    double best = -INFINITY;
    for (int i = 0; i < a->count; i++) {
        SpragVec2 from = a->points[i], e = sprag_vec2_sub(a->points[(i + 1) % a->count], from);
        double least = INFINITY;
        for (int k = 0; k < b->count; k++) {
            SpragVec2 d = sprag_vec2_sub(b->points[k], from);
            least = fmin(least, (d.x * e.y - d.y * e.x) / hypot(e.x, e.y));
        }
        best = fmax(best, least);
    }
    return best;
}

static void look_at_heap(TestRun *r, const SpragRunSample *sample)
{
    Heap *heap = r->user;
    Outline placed[BODIES];
    for (int i = 0; i < BODIES; i++) {
        const double *q = sample->q + 3 * i;
        heap->finite = heap->finite && isfinite(q[0]) && isfinite(q[1]) && isfinite(q[2]);
        placed[i] = heap->shapes[i];
        for (int k = 0; k < placed[i].count; k++)
            placed[i].points[k] =
                sprag_vec2_add(sprag_vec2_turn(heap->shapes[i].points[k], cos(q[2]), sin(q[2])),
                               sprag_vec2(q[0], q[1]));
    }
    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < i; k++) {
            double apart = fmax(side_separation(&placed[i], &placed[k]),
                                side_separation(&placed[k], &placed[i]));
            heap->worst = fmax(heap->worst, fmin(-apart, heap->before[i][k]));
            heap->before[i][k] = -apart;
        }
}

// A polygon around its centre of mass.
static Outline draw_outline(SpragRandom *random)
{
    Outline outline = {.count = 3 + sprag_random_below(random, MOST_SIDES - 2)};
    double radius = sprag_random_uniform(random, 0.05, 0.095), area = 0;
    SpragVec2 centre = {0, 0};
    for (int i = 0; i < outline.count; i++) {
        double angle = 2 * M_PI / outline.count * (i + sprag_random_uniform(random, -0.45, 0.45));
        outline.points[i] = sprag_vec2(radius * cos(angle), radius * sin(angle));
    }
    for (int i = 0; i < outline.count; i++) {
        SpragVec2 a = outline.points[i], b = outline.points[(i + 1) % outline.count];
        double cross = a.x * b.y - a.y * b.x;
        area += cross / 2;
        centre = sprag_vec2_add(centre, sprag_vec2_scale(cross / 6, sprag_vec2_add(a, b)));
    }
    for (int i = 0; i < outline.count; i++)
        outline.points[i] = sprag_vec2_sub(outline.points[i], sprag_vec2_scale(1 / area, centre));
    return outline;
}

static void describe_heap(SpragRandom *random, Heap *heap, char *text)
{
    int used = snprintf(text, TEXT,
                        "sprag: 1\nmaterials: {default: {friction: %.17g}}\nbodies:\n"
                        "  - {name: bin, fixed: true, shapes: [{plane: {normal: [0, 1], offset: "
                        "0}}, {plane: {normal: [1, 0], offset: -0.5}}, {plane: {normal: [-1, 0], "
                        "offset: -0.5}}]}\n",
                        sprag_random_uniform(random, 0, 0.9));
    for (int i = 0; i < BODIES; i++) {
        Outline *shape = &heap->shapes[i];
        *shape = draw_outline(random);
        used += snprintf(text + used, (size_t)(TEXT - used),
                         "  - {name: stone%d, density: %.17g, position: [%.17g, %.17g], angle: "
                         "%.17g, spin: %.17g, velocity: [%.17g, -1], shapes: [{polygon: {points: [",
                         i, sprag_random_uniform(random, 50, 200), -0.3 + 0.3 * (i % 3),
                         0.17 + 0.3 * (i / 3), sprag_random_uniform(random, 0, 3),
                         sprag_random_uniform(random, -3, 3), sprag_random_uniform(random, -1, 1));
        for (int k = 0; k < shape->count; k++)
            used += snprintf(text + used, (size_t)(TEXT - used), "%s[%.17g, %.17g]",
                             k > 0 ? ", " : "", shape->points[k].x, shape->points[k].y);
        used += snprintf(text + used, (size_t)(TEXT - used), "]}}]}\n");
    }
    assert_true(used < TEXT);
}

// Rows are those of the begin of a step, so overlaps of its second order stay: light corners are
// thrown to spins of 100 rad/s and more, and a corner 0.14 m from its centre that turns by 0.1 rad
// in a step leaves the chord by 0.14 m · 0.1²/2 = 7e-4 m. Where two corners pass each other beside
// a contact of the same shapes, a step may end as deep as they move in it; the next one ends that.
// What has passed through stays, centimetres deep.
static void sharp_polygons_do_not_pass_through(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 5);
    for (int draw = 0; draw < test_draws(2); draw++) {
        char text[TEXT];
        TestRun r;
        Heap heap = {.finite = true};
        SpragRunSettings settings = sprag_run_default();
        settings.motion = SPRAG_MOTION_STEPPING;
        settings.step = 1e-3;
        settings.threads = 1;
        settings.output_step = 1e-3;
        describe_heap(&random, &heap, text);
        test_run_open(&r, context, text);
        r.look = look_at_heap;
        r.user = &heap;
        SpragSink sink = test_run_sink(&r);
        assert_ok(context, sprag_run_create(r.system, &settings, &sink, &r.run));
        assert_ok(context, sprag_run_advance(r.run, 0.6, &r.outcome));
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        if (getenv("SPRAG_TEST_SHOW"))
            print_message("draw %d: overlap %.3g, told %.3g\n", draw, heap.worst,
                          sprag_run_stepping(r.run).penetration);
        assert_true(heap.finite);
        assert_true(heap.worst < 2e-3);
        test_run_close(&r);
    }
}

// ---- Chains -------------------------------------------------------------------------------------

typedef struct Chain {
    double worst; // error of a joint
} Chain;

static void look_at_chain(TestRun *r, const SpragRunSample *sample)
{
    Chain *chain = r->user;
    for (int i = 0; i < sprag_system_model(r->system)->joint_count; i++)
        chain->worst = fmax(chain->worst, fabs(sample->joints[i].error));
}

static void check_chain(const char *text)
{
    TestRun r;
    Chain chain = {0};
    SpragRunSettings settings = sprag_run_default();
    settings.motion = SPRAG_MOTION_STEPPING;
    settings.step = 2e-3;
    settings.threads = 1;
    settings.output_step = 2e-3;
    test_run_open(&r, context, text);
    r.look = look_at_chain;
    r.user = &chain;
    SpragSink sink = test_run_sink(&r);
    assert_ok(context, sprag_run_create(r.system, &settings, &sink, &r.run));
    assert_ok(context, sprag_run_advance(r.run, 0.8, &r.outcome));
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    if (getenv("SPRAG_TEST_SHOW"))
        print_message("joints %.3g, residual %.3g\n", chain.worst,
                      sprag_run_stepping(r.run).worst_residual);
    // without projection rows that turn by w h a step leave (w h)² of a link: 1e-4 m and more
    assert_true(chain.worst < 1e-9);
    assert_true(sprag_run_stepping(r.run).worst_residual < 1e-6);
    test_run_close(&r);
}

static void joints_of_a_whip_hold(void **state)
{
    (void)state;
    enum { LINKS = 8 };
    char text[TEXT];
    int used = snprintf(
        text, sizeof text,
        "sprag: 1\n"
        "materials: {default: {friction: 0.4}}\n"
        "bodies:\n"
        "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1], offset: -1.1}}]}\n"
        "  - {name: link$(i), repeat: {i: %d}, mass: 0.1+0.02*i, inertia: 2e-4, position: "
        "[0.1+0.2*i, 0], shapes: [{circle: {radius: 0.05}}]}\n"
        "joints:\n"
        "  - {name: hook, type: revolute, between: [world, link0], at: [0, 0]}\n",
        LINKS);
    for (int i = 1; i < LINKS; i++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "  - {name: pin%d, type: revolute, between: [link%d, link%d], at: [%.17g, "
                         "0]}\n",
                         i, i - 1, i, 0.2 * i);
    check_chain(text);
}

static void joints_in_space_hold(void **state)
{
    (void)state;
    check_chain("sprag: 1\n"
                "dimension: 3\n"
                "materials: {default: {friction: 0.4}}\n"
                "bodies:\n"
                "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 0, 1], offset: "
                "-0.7}}]}\n"
                "  - {name: link$(i), repeat: {i: 5}, density: 400, position: [0.1+0.2*i, 0, 0], "
                "shapes: [{box: {size: [0.16, 0.05, 0.04+0.01*i]}}]}\n"
                "joints:\n"
                "  - {name: hook, type: ball, between: [world, link0], at: [0, 0, 0]}\n"
                "  - {name: pin0, type: revolute, between: [link0, link1], at: [0.2, 0, 0], axis: "
                "[0, 1, 0.2]}\n"
                "  - {name: pin1, type: ball, between: [link1, link2], at: [0.4, 0, 0]}\n"
                "  - {name: pin2, type: revolute, between: [link2, link3], at: [0.6, 0, 0], axis: "
                "[0, 1, -0.3]}\n"
                "  - {name: pin3, type: revolute, between: [link3, link4], at: [0.8, 0, 0], axis: "
                "[0.1, 1, 0]}\n");
}

// ---- Losses -------------------------------------------------------------------------------------

// Boxes fall on a corner: slip that turns within the impact gives back some per cent of the energy,
// which is the impact's. What friction gives back besides is C h² (theory.md 11.14), here some 1e-5
// of what there is.
static void losses_are_positive(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "sprag: 1\nmaterials: {default: {friction: %.17g, restitution: %.17g}}\nbodies:\n"
                 "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"
                 "  - {name: box, mass: 2, position: [0, 1], angle: %.17g, velocity: [%.17g, 0],\n"
                 "     spin: %.17g, shapes: [{box: {size: [0.4, 0.15]}}]}\n",
                 0.15 + 0.1 * i, i % 2 ? 0.4 : 0.0, 0.35 + 0.75 * i, -1.6 + 0.45 * i,
                 4.0 - 1.1 * i);
        TestRun r;
        test_run_open(&r, context, text);
        test_run_go_as(&r, SPRAG_MOTION_STEPPING, 1.5, 1e-8);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        const SpragEnergyAccount *energy = &sprag_run_sample(r.run)->energy;
        assert_true(energy->friction > -1e-4 * 2 * 9.81);
        assert_true(energy->impact > 0);
        test_run_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_are_positive),
        cmocka_unit_test(sharp_polygons_do_not_pass_through),
        cmocka_unit_test(joints_of_a_whip_hold),
        cmocka_unit_test(joints_in_space_hold),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
