// What stands by friction alone, and falls below a known coefficient: a card house and a box on a
// box on a slope in the plane and in space, an arch in the plane. Thresholds are derived by hand
// (cards, boxes) or by linear programs over the forces at the joints (arch).
#include <float.h>
#include <math.h>

#include "physics.h"
#include "sprag/complementarity.h"

static const double TOLERANCE = 1e-9;

// ---- Whether it is held, and what runs do -------------------------------------------------------

static bool is_held(TestRun *r)
{
    SpragVerdict verdict;
    SpragRunSettings settings = sprag_run_default();
    SpragRun *run;
    assert_ok(context, sprag_run_create(r->system, &settings, NULL, &run));
    assert_ok(context, sprag_run_analyze(run, &verdict));
    sprag_run_destroy(run);
    return verdict.held;
}

// Largest shift of a coordinate of a body from its start; positions alone.
static double largest_shift(const TestRun *r, SpragMotionKind motion, double until)
{
    TestRun run = *r;
    double q[64], v[64], largest = 0;
    const SpragModel *model = sprag_system_model(r->system);
    int size = model->dimension;
    sprag_system_initial(r->system, q, v);
    test_run_go_as(&run, motion, until, TOLERANCE);
    assert_int_equal(run.outcome, SPRAG_RUN_DONE);
    for (int b = 0; b < model->body_count; b++) {
        int at = sprag_system_body_position(r->system, b);
        for (int k = 0; at >= 0 && k < size; k++)
            largest = fmax(largest, fabs(sprag_run_sample(run.run)->q[at + k] - q[at + k]));
    }
    sprag_run_destroy(run.run);
    return largest;
}

// ---- Two cards ----------------------------------------------------------------------------------

static const double CARD = 0.1, THICK = 2e-3;

// Both cards push level at the top. Moments about the foot of one: m g x = H h, x and h from the
// foot to the centre and to the top; μ = H/(m g).
static double card_threshold(double lean)
{
    // it stands on the lower corner of its inner side
    double x = CARD / 2 * sin(lean) - THICK / 2 * cos(lean);
    return x / (CARD * cos(lean));
}

static void open_cards(TestRun *r, int dimension, double lean, double mu)
{
    double x = THICK / 2 * cos(lean) + CARD / 2 * sin(lean);
    double y = THICK / 2 * sin(lean) + CARD / 2 * cos(lean);
    if (dimension == 2)
        physics_open(r,
                     "sprag: 1\nmaterials: {default: {friction: %.17g}}\nbodies:\n" PHYSICS_FLOOR
                     "  - {name: left, density: 1000, position: [%.17g, %.17g], angle: %.17g,\n"
                     "     shapes: [{box: {size: [%g, %g]}}]}\n"
                     "  - {name: right, density: 1000, position: [%.17g, %.17g], angle: %.17g,\n"
                     "     shapes: [{box: {size: [%g, %g]}}]}\n",
                     mu, -x, y, -lean, THICK, CARD, x, y, lean, THICK, CARD);
    else
        physics_open(r,
                     "sprag: 1\ndimension: 3\nmaterials: {default: {friction: %.17g}}\nbodies:\n"
                     "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 0, 1]}}]}\n"
                     "  - {name: left, density: 1000, position: [%.17g, 0, %.17g],\n"
                     "     orientation: {axis: [0, 1, 0], angle: %.17g},\n"
                     "     shapes: [{box: {size: [%g, 0.06, %g]}}]}\n"
                     "  - {name: right, density: 1000, position: [%.17g, 0, %.17g],\n"
                     "     orientation: {axis: [0, 1, 0], angle: %.17g},\n"
                     "     shapes: [{box: {size: [%g, 0.06, %g]}}]}\n",
                     mu, -x, y, lean, THICK, CARD, x, y, -lean, THICK, CARD);
}

// In space feet that share the load unequally let the house also slide and turn a little above the
// threshold, so that rest is not the only motion there.
static void check_cards(int dimension, double lean, double margin)
{
    double threshold = card_threshold(lean);
    for (int side = -1; side <= 1; side += 2) {
        TestRun r;
        open_cards(&r, dimension, lean, threshold * (1 + side * margin));
        assert_int_equal(is_held(&r), side > 0);
        if (dimension == 2 || side > 0) {
            double shift = largest_shift(&r, SPRAG_MOTION_EVENTS, 0.5);
            assert_true(side > 0 ? shift < 1e-12 : shift > 1e-6);
        }
        test_run_close(&r);
    }
}

static void test_card_house_in_the_plane(void **state)
{
    (void)state;
    const double degrees[] = {80, 70, 60};
    for (int i = 0; i < 3; i++)
        check_cards(2, (90 - degrees[i]) * PHYSICS_PI / 180, 1e-6);
}

static void test_card_house_in_space(void **state)
{
    (void)state;
    check_cards(3, 20 * PHYSICS_PI / 180, 1e-2);
}

// The weight comes onto the layers at once: they ring, feet slip a little, and it stands. Shifts
// are compared with the height of a card.
static void test_card_house_on_layers(void **state)
{
    (void)state;
    double lean = 20 * PHYSICS_PI / 180, threshold = card_threshold(lean);
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int side = -1; side <= 1; side += 2) {
            TestRun r;
            open_cards(&r, dimension, lean, threshold * (side > 0 ? 1.03 : 0.9));
            double until = dimension == 3 ? 0.15 : 0.5;
            double shift = largest_shift(&r, SPRAG_MOTION_COMPLIANT, until);
            assert_true(side > 0 ? shift < 1e-3 * CARD : shift > 0.01 * CARD);
            test_run_close(&r);
        }
}

static void test_card_house_with_the_pilot(void **state)
{
    (void)state;
    double lean = 20 * PHYSICS_PI / 180, threshold = card_threshold(lean);
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int side = -1; side <= 1; side += 2) {
            TestRun r;
            open_cards(&r, dimension, lean, threshold * (side > 0 ? 1.03 : 0.9));
            double shift = largest_shift(&r, SPRAG_MOTION_AUTO, dimension == 3 ? 0.15 : 0.4);
            assert_true(side > 0 ? shift < 1e-12 : shift > 0.01 * CARD);
            test_run_close(&r);
        }
}

// ---- An arch ------------------------------------------------------------------------------------

enum { MOST_STONES = 7 };
static const double INNER = 0.8, OUTER = 1;

// Stone k of n over the half circle: corners and centre of mass.
static double stone(int n, int k, double corner[4][2], double centre[2])
{
    double from = PHYSICS_PI * (1 - (double)k / n), to = PHYSICS_PI * (1 - (k + 1.0) / n);
    double area = 0;
    const double angle[4] = {from, from, to, to}, radius[4] = {OUTER, INNER, INNER, OUTER};
    centre[0] = centre[1] = 0;
    for (int i = 0; i < 4; i++) {
        corner[i][0] = radius[i] * cos(angle[i]);
        corner[i][1] = radius[i] * sin(angle[i]);
    }
    for (int i = 0; i < 4; i++) {
        const double *a = corner[i], *b = corner[(i + 1) % 4];
        double cross = a[0] * b[1] - b[0] * a[1];
        area += cross / 2;
        for (int d = 0; d < 2; d++)
            centre[d] += (a[d] + b[d]) * cross / 6;
    }
    for (int d = 0; d < 2; d++)
        centre[d] /= area;
    return area;
}

// Whether forces at the ends of the joints, in their cones, carry the stones. Unknown 4 j + 2 e and
// the next: pressure along the joint's normal and shear along its outward direction, at end e.
static bool arch_is_possible(int n, double mu)
{
    enum { MOST = 4 * (MOST_STONES + 1) };
    double A[(2 * MOST + 3 * MOST_STONES) * MOST] = {0}, b[2 * MOST + 3 * MOST_STONES] = {0};
    double x[MOST], value;
    int variables = 4 * (n + 1), rows = 0;
    for (int i = 0; i < variables; i += 2)
        for (int side = -1; side <= 1; side += 2, rows++) {
            A[rows * variables + i] = -mu;
            A[rows * variables + i + 1] = side;
        }
    int inequalities = rows;
    for (int k = 0; k < n; k++, rows += 3) {
        double corner[4][2], centre[2], weight = stone(n, k, corner, centre);
        for (int end = 0; end < 4; end++) {
            int joint = end < 2 ? k : k + 1;
            double angle = PHYSICS_PI * (1 - (double)joint / n), sign = end < 2 ? 1 : -1;
            int at = 4 * joint + 2 * (end == 1 || end == 2);
            // the stone to the right of a joint is pushed to the right, the other one back
            const double n_t[2][2] = {{sign * sin(angle), -sign * cos(angle)},
                                      {sign * cos(angle), sign * sin(angle)}};
            for (int d = 0; d < 2; d++) {
                double rx = corner[end][0] - centre[0], ry = corner[end][1] - centre[1];
                A[(rows + 0) * variables + at + d] += n_t[d][0];
                A[(rows + 1) * variables + at + d] += n_t[d][1];
                A[(rows + 2) * variables + at + d] += rx * n_t[d][1] - ry * n_t[d][0];
            }
        }
        b[rows + 1] = weight;
    }
    SpragArena *arena;
    SpragLpStatus status;
    SpragLp program = {variables, inequalities, 3 * n, A, b, NULL};
    assert_ok(context, sprag_arena_create(context, 1 << 16, &arena));
    assert_ok(context, sprag_lp_solve(arena, &program, 1e-12, x, &value, &status));
    sprag_arena_destroy(arena);
    return status == SPRAG_LP_OPTIMAL;
}

static double arch_threshold(int n)
{
    double low = 0, high = 1;
    assert_true(arch_is_possible(n, high));
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;
        *(arch_is_possible(n, middle) ? &high : &low) = middle;
    }
    return high;
}

static void open_arch(TestRun *r, int n, double mu)
{
    char bodies[3000];
    int used = 0;
    for (int k = 0; k < n; k++) {
        double c[4][2], m[2];
        stone(n, k, c, m);
        used +=
            snprintf(bodies + used, sizeof bodies - (size_t)used,
                     "  - {name: s%d, density: 100, position: [%.17g, %.17g],\n"
                     "     shapes: [{polygon: {points: [[%.17g, %.17g], [%.17g, %.17g], "
                     "[%.17g, %.17g], [%.17g, %.17g]]}}]}\n",
                     k, m[0], m[1], c[0][0] - m[0], c[0][1] - m[1], c[1][0] - m[0], c[1][1] - m[1],
                     c[2][0] - m[0], c[2][1] - m[1], c[3][0] - m[0], c[3][1] - m[1]);
    }
    physics_open(r,
                 "sprag: 1\nmaterials: {default: {friction: %.17g}}\nbodies:\n" PHYSICS_FLOOR "%s",
                 mu, bodies);
}

// Below its threshold the stones slide on each other: every joint keeps one contact at either end,
// and the account closes.
static void test_arch(void **state)
{
    (void)state;
    for (int n = 3; n <= 5; n += 2) {
        double threshold = arch_threshold(n);
        for (int side = -1; side <= 1; side += 2) {
            TestRun r;
            open_arch(&r, n, threshold * (1 + 1e-4 * side));
            // of five stones a search takes seconds
            if (n == 3 || test_draws(1) > 1) {
                assert_int_equal(is_held(&r), side > 0);
                double shift = largest_shift(&r, SPRAG_MOTION_AUTO, 0.3);
                assert_true(side > 0 ? shift < 1e-12 : shift > 1e-7);
            }
            if (side < 0) {
                test_run_go_as(&r, SPRAG_MOTION_EVENTS, 0.3, TOLERANCE);
                assert_int_equal(r.outcome, SPRAG_RUN_DONE);
                physics_assert_account(&r, TOLERANCE);
            }
            test_run_close(&r);
        }
    }
}

// ---- A box on a box -----------------------------------------------------------------------------

// On a slope of angle a the upper one slides for μ < tan a; the lower one, rougher, stays.
static void test_two_boxes(void **state)
{
    (void)state;
    const double slope = 0.2;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int side = -1; side <= 1; side += 2) {
            TestRun r;
            double mu = tan(slope) * (1 + 1e-3 * side), g = PHYSICS_GRAVITY;
            if (dimension == 2)
                physics_open(&r,
                             "sprag: 1\ngravity: [%.17g, %.17g]\nbodies:\n" PHYSICS_FLOOR
                             "  - {name: low, density: 100, position: [0, 0.1], "
                             "shapes: [{box: {size: [0.4, 0.2]}}]}\n"
                             "  - {name: top, density: 100, position: [0, 0.3], "
                             "shapes: [{box: {size: [0.4, 0.2]}}]}\n"
                             "contacts: [{between: [low, floor], friction: 0.6}, "
                             "{between: [top, low], friction: %.17g}]\n",
                             g * sin(slope), -g * cos(slope), mu);
            else
                physics_open(
                    &r,
                    "sprag: 1\ndimension: 3\ngravity: [%.17g, 0, %.17g]\nbodies:\n"
                    "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 0, 1]}}]}\n"
                    "  - {name: low, density: 100, position: [0, 0, 0.1], "
                    "shapes: [{box: {size: [0.4, 0.4, 0.2]}}]}\n"
                    "  - {name: top, density: 100, position: [0, 0, 0.3], "
                    "shapes: [{box: {size: [0.3, 0.3, 0.2]}}]}\n"
                    "contacts: [{between: [low, floor], friction: 0.6}, "
                    "{between: [top, low], friction: %.17g}]\n",
                    g * sin(slope), -g * cos(slope), mu);
            // in space nothing proves with eight contacts that rest is the only motion
            if (dimension == 2)
                assert_int_equal(is_held(&r), side > 0);
            double shift = largest_shift(&r, SPRAG_MOTION_EVENTS, 0.2);
            assert_true(side > 0 ? shift < 1e-12 : shift > 1e-6);
            shift = largest_shift(&r, SPRAG_MOTION_AUTO, 0.2);
            assert_true(side > 0 ? shift < 1e-12 : shift > 1e-6);
            test_run_close(&r);
        }
}

// A leg of two links at rest on the floor, its upper link hardly off the vertical below its pin:
// the floor under the knee all but repeats the pin. (Closer, the squares of the offsets, by which
// the knee can rise, are rounding.)
static void test_dead_point(void **state)
{
    (void)state;
    static const double off[] = {0, 1e-7, 6e-7, 1.2e-6, 3e-6, 1e-5, 1e-4, -3e-6};
    for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
        TestRun r;
        physics_open(&r,
                     "sprag: 1\nparameters: {d: %.17g}\nbodies:\n" PHYSICS_FLOOR
                     "  - {name: link, mass: 1, angle: -pi/2 + d, position: [0.5*sin(d), "
                     "0.5*cos(d)], shapes: [{rod: {length: 1}}]}\n"
                     "  - {name: foot, mass: 1, position: [sin(d) + 0.5, 0], shapes: [{rod: "
                     "{length: 1}}]}\n"
                     "contacts: [{between: ['*', '*'], friction: 0.6}]\n"
                     "joints:\n"
                     "  - {name: hip, type: revolute, between: [world, link.a], at: [0, cos(d)]}\n"
                     "  - {name: knee, type: revolute, between: [link.b, foot.a]}\n",
                     off[i]);
        test_run_go(&r, 0.5, 1e-9);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        assert_int_equal(r.event_count, 0);
        for (int k = 0; k < 6; k++) // forces balance to some roundings of the weight
            assert_close(sprag_run_velocity(r.run)[k], 0, 0.5 * 64 * DBL_EPSILON * 9.81);
        test_run_close(&r);
    }
}

// A tower of twelve boxes that slides in space: the one motion that there is flutters, as it does
// in the plane; a run that finds nothing stable must not say that there is none. Seconds: only
// where all draws are wanted.
static void test_sliding_tower(void **state)
{
    enum { STOREYS = 12 };
    TestRun r;
    char bodies[2400];
    int length = 0;
    (void)state;
    if (test_draws(1) == 1)
        return;
    for (int k = 0; k < STOREYS; k++)
        length += snprintf(bodies + length, sizeof bodies - (size_t)length,
                           "  - {name: b%d, density: 100, position: [%.17g, 0, %.17g], velocity: "
                           "[1, 0, 0], shapes: [{box: {size: [1, 0.5, 0.5]}}]}\n",
                           k, 0.01 * (k % 3), 0.25 + 0.5 * k);
    physics_open(&r,
                 "sprag: 1\ndimension: 3\nmaterials: {default: {friction: 0.5}}\n"
                 "bodies:\n  - {name: floor, fixed: true, shapes: [{plane: {}}]}\n%s",
                 bodies);
    test_run_go_as(&r, SPRAG_MOTION_EVENTS, 1e-6, TOLERANCE);
    assert_int_equal(r.outcome, SPRAG_RUN_NOT_CONVERGED);
    assert_int_equal(r.verdict_count, 1);
    assert_int_equal(r.verdicts[0].kind, SPRAG_VERDICT_UNIQUE);
    assert_int_equal(r.verdicts[0].solution_count, 1);
    assert_int_equal(r.verdicts[0].stable_count, 0);
    test_run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_card_house_in_the_plane),
        cmocka_unit_test(test_card_house_in_space),
        cmocka_unit_test(test_card_house_on_layers),
        cmocka_unit_test(test_card_house_with_the_pilot),
        cmocka_unit_test(test_arch),
        cmocka_unit_test(test_two_boxes),
        cmocka_unit_test(test_dead_point),
        cmocka_unit_test(test_sliding_tower),
    };
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}
