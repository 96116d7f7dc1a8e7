// Everyday scenes give the plain answer: what a textbook of statics or dynamics says, in numbers.
//
// Tolerances: scenes are of size 1 with g = 9.81 and small matrices, so that forces and
// accelerations carry a few dozen roundings: 1e-12 relative to the weights. Ends of force ranges
// come from linear programs that allow 1e-10 of the largest force (100 N): 3e-8.
#include "support/scenes.h"
#include "support/with_context.h"
#include "unit/collide/world.h"

static const double G = 9.81, CLOSE = 1e-12 * 9.81 * 10, RANGE = 3e-8;

static void assert_range(const Answer *answer, const char *name, int row, double low, double high)
{
    double found_low, found_high;
    answer_range(answer, 0, name, row, &found_low, &found_high);
    assert_close(found_low, low, RANGE);
    assert_close(found_high, high, RANGE);
}

// Bodies stay where they are, to rounding.
static void assert_no_acceleration(const Answer *answer, int solution)
{
    double acceleration[ANSWER_COORDINATES];
    answer_acceleration(answer, solution, acceleration);
    for (int i = 0; i < answer->n; i++)
        assert_close(acceleration[i], 0, CLOSE);
}

// Sum of the normal forces of the contacts whose names begin so.
static double sum_of_normals(const Answer *answer, const char *prefix)
{
    double sum = 0;
    for (int i = 0; i < answer->problem->constraint_count; i++) {
        const SpragConstraint *c = &answer->problem->constraints[i];
        if (strncmp(c->name, prefix, strlen(prefix)) == 0)
            sum += answer->verdict.solutions[0].motion->force[c->row];
    }
    return sum;
}

static void set_friction(SpragModel *model, double friction)
{
    SpragRule rule = {.friction = {true, friction, friction, 0}};
    assert_ok(context, sprag_model_add_rule(model, &rule, NULL));
}

// ---- Box at rest --------------------------------------------------------------------------------

static void check_box_at_rest(const Answer *answer)
{
    const double weight = 2 * G;
    assert_held(answer);
    assert_false(answer->verdict.forces_unique);
    assert_int_equal(answer_motion(answer, 0)->force_dimension, 1);
    assert_int_equal(answer->problem->constraint_count, 2);
    assert_close(sum_of_normals(answer, "box"), weight, CLOSE);
    // tangential forces balance each other at the same height: no moment, equal normals
    static const char *const names[] = {"box.c0-table", "box.c1-table"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(answer_mode(answer, 0, names[i]), SPRAG_MODE_STICK);
        assert_close(answer_force(answer, 0, names[i], 0), weight / 2, CLOSE);
        assert_close(answer_force(answer, 0, names[i], 1), 0, CLOSE);
        assert_range(answer, names[i], 0, weight / 2, weight / 2);
        assert_range(answer, names[i], 1, -0.5 * weight / 2, 0.5 * weight / 2);
    }
    assert_no_acceleration(answer, 0);
}

static void test_box_at_rest(void **state)
{
    (void)state;
    Answer answer;
    answer_text(&answer, context,
                "sprag: 1\nmaterials: {default: {friction: 0.5}}\nbodies:\n" SCENE_TABLE
                "  - {name: box, mass: 2, position: [0.3, 0.05], shapes: [{box: {size: [0.2, "
                "0.1]}}]}\n");
    check_box_at_rest(&answer);
    answer_close(&answer);
}

static void test_box_at_rest_in_code(void **state)
{
    (void)state;
    Answer answer;
    SpragModel *model = world_create(context);
    world_plane(model, world_body(model, "table", true, 0, 0, 0), 0, 0);
    SpragBody body = {.name = (char[]){"box"}, .mass = 2, .inertia = 2 * 0.05 / 12};
    body.position[1] = 0.05;
    int box;
    assert_ok(context, sprag_model_add_body(model, &body, &box));
    world_box(model, box, 0.2, 0.1);
    set_friction(model, 0.5);
    assert_ok(context, sprag_model_check(model));
    answer_model(&answer, model);
    check_box_at_rest(&answer);
    answer_close(&answer);
    sprag_model_destroy(model);
}

// ---- Box on an incline --------------------------------------------------------------------------

typedef enum Incline {
    GRAVITY_TILTED,
    PLANE_TILTED,
    TABLE_TURNED,
    BOX_TABLE_TURNED,
    CHAIN_TILTED,
    INCLINES
} Incline;

// tan α = slope; +t points up the slope in all of them.
static void open_incline(Answer *answer, Incline incline, double slope, double friction)
{
    static const char *const tables[INCLINES] = {
        "{name: table, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}",
        "{name: table, fixed: true, shapes: [{plane: {normal: [-sin(alpha), cos(alpha)]}}]}",
        "{name: table, fixed: true, angle: alpha, shapes: [{plane: {normal: [0, 1]}}]}",
        "{name: table, fixed: true, angle: alpha, shapes: [{box: {size: [2, 0.1]}, at: [0, "
        "-0.05]}]}",
        "{name: table, fixed: true, shapes: [{chain: {points: [[-1*cos(alpha), -1*sin(alpha)], "
        "[1*cos(alpha), 1*sin(alpha)]]}}]}"};
    bool tilted = incline == GRAVITY_TILTED;
    answer_format(answer, context,
                  "sprag: 1\nparameters: {alpha: atan(%.17g)}\n%s"
                  "bodies:\n  - %s\n"
                  "  - {name: box, mass: 1, position: [0, 0.2], angle: %s, shapes: [{box: {size: "
                  "[0.2, 0.1]}}]}\n"
                  "contacts: [{between: [box, table], friction: %.17g}]\n"
                  "start: [{contact: [box, table], slip: 0}]\n",
                  slope, tilted ? "gravity: [-9.81*sin(alpha), -9.81*cos(alpha)]\n" : "",
                  tables[incline], tilted ? "0" : "alpha", friction);
}

static void test_box_on_incline(void **state)
{
    (void)state;
    static const double slopes[] = {0.5, 0.03, 1.1};
    for (int incline = 0; incline < INCLINES; incline++)
        for (int i = 0; i < 3; i++) {
            double mu = slopes[i];
            Answer answer;
            open_incline(&answer, (Incline)incline, mu * (1 - 1e-9), mu);
            assert_held(&answer);
            assert_int_equal(answer_motion(&answer, 0)->modes[0], SPRAG_MODE_STICK);
            answer_close(&answer);
            for (int k = 0; k < 2; k++) {
                double slope = mu * (1 + (k ? 0.5 : 1e-9)), alpha = atan(slope);
                double acceleration[3], along = k ? -G * (sin(alpha) - mu * cos(alpha)) : 0;
                open_incline(&answer, (Incline)incline, slope, mu);
                if (answer.verdict.solutions[0].motion->modes[0] == SPRAG_MODE_STICK ||
                    answer.problem->constraint_count != 2)
                    print_error("incline %d slope %g\n", incline, slope);
                assert_int_equal(answer.verdict.kind, SPRAG_VERDICT_UNIQUE);
                assert_int_equal(answer.verdict.solutions[0].stability, SPRAG_STABLE);
                assert_false(answer.verdict.held);
                for (int c = 0; c < 2; c++)
                    assert_int_equal(answer_motion(&answer, 0)->modes[c], SPRAG_MODE_SLIDE_MINUS);
                answer_acceleration(&answer, 0, acceleration);
                double turn = incline == GRAVITY_TILTED ? 0 : alpha;
                // at the threshold the acceleration is 1e-9 g sin α
                assert_close(acceleration[0], along * cos(turn), k ? CLOSE : 1e-8);
                assert_close(acceleration[1], along * sin(turn), k ? CLOSE : 1e-8);
                assert_close(acceleration[2], 0, 100 * CLOSE);
                answer_close(&answer);
            }
        }
}

// Taller than wide: it tips before it slides, at tan α = width/height.
static void test_tall_box_tips(void **state)
{
    (void)state;
    for (int above = 0; above < 2; above++) {
        Answer answer;
        answer_format(&answer, context,
                      "sprag: 1\nparameters: {alpha: atan(%.17g)}\n"
                      "gravity: [-9.81*sin(alpha), -9.81*cos(alpha)]\nbodies:\n" SCENE_TABLE
                      "  - {name: box, mass: 1, position: [0, 0.2], shapes: [{box: {size: [0.1, "
                      "0.4]}}]}\n"
                      "contacts: [{between: [box, table], friction: 0.9}]\n",
                      0.25 * (1 + (above ? 1e-9 : -1e-9)));
        assert_int_equal(answer.verdict.kind, SPRAG_VERDICT_UNIQUE);
        assert_int_equal(answer.verdict.held, !above);
        assert_int_equal(answer_mode(&answer, 0, "box.c0-table"), SPRAG_MODE_STICK);
        assert_int_equal(answer_mode(&answer, 0, "box.c1-table"),
                         above ? SPRAG_MODE_SEPARATE : SPRAG_MODE_STICK);
        answer_close(&answer);
    }
}

// ---- Four points in a line ----------------------------------------------------------------------

static void test_four_points(void **state)
{
    (void)state;
    const double weight = 3 * G;
    Answer answer;
    answer_text(&answer, context,
                "sprag: 1\nmaterials: {default: {friction: 0.4}}\nbodies:\n" SCENE_TABLE
                "  - name: bench\n    mass: 3\n    inertia: 0.1\n    position: [0, 0.2]\n"
                "    shapes: [{points: {p: [-0.3, -0.2], q: [-0.1, -0.2], r: [0.1, -0.2], s: [0.3, "
                "-0.2]}}]\n");
    assert_held(&answer);
    // four normals with two balances, four tangents with one
    assert_int_equal(answer_motion(&answer, 0)->force_dimension, 5);
    assert_close(sum_of_normals(&answer, "bench"), weight, CLOSE);
    // the outer ones at most in balance with each other; an inner one with the far outer one
    assert_range(&answer, "bench.p-table", 0, 0, weight / 2);
    assert_range(&answer, "bench.q-table", 0, 0, 0.75 * weight);
    assert_range(&answer, "bench.r-table", 0, 0, 0.75 * weight);
    assert_range(&answer, "bench.s-table", 0, 0, weight / 2);
    // equal springs share the weight equally
    assert_close(answer_force(&answer, 0, "bench.q-table", 0), weight / 4, CLOSE);
    assert_no_acceleration(&answer, 0);
    answer_close(&answer);
}

// ---- Ladder -------------------------------------------------------------------------------------

// Length 2, mass 10, foot at the left, wall at the right.
static void open_ladder(Answer *answer, double tangent, double floor_friction, double wall_friction)
{
    answer_format(
        answer, context,
        "sprag: 1\nbodies:\n" SCENE_TABLE
        "  - {name: wall, fixed: true, shapes: [{plane: {normal: [-1, 0], offset: -3}}]}\n"
        "  - {name: ladder, mass: 10, position: [2, 1], angle: atan(%.17g), shapes: "
        "[{rod: {length: 2}}]}\n"
        "contacts:\n"
        "  - {name: foot, between: [ladder.a, table], friction: %.17g}\n"
        "  - {name: top, between: [ladder.b, wall], friction: %.17g}\n"
        "start: [{contact: foot}, {contact: top}]\n",
        tangent, floor_friction, wall_friction);
}

static void test_ladder(void **state)
{
    (void)state;
    static const double frictions[] = {0.2, 0.5, 1};
    const double weight = 10 * G;
    for (int i = 0; i < 3; i++) {
        double mu = frictions[i], limit = 1 / (2 * mu);
        Answer answer;
        open_ladder(&answer, limit * (1 + 1e-6), mu, 0);
        assert_held(&answer);
        assert_true(answer.verdict.forces_unique);
        assert_close(answer_force(&answer, 0, "foot", 0), weight, 10 * CLOSE);
        assert_close(answer_force(&answer, 0, "top", 0), weight / (2 * limit * (1 + 1e-6)),
                     10 * CLOSE);
        assert_close(answer_force(&answer, 0, "foot", 1), answer_force(&answer, 0, "top", 0),
                     10 * CLOSE);
        answer_close(&answer);
        open_ladder(&answer, limit * (1 - 1e-6), mu, 0);
        assert_int_equal(answer.verdict.kind, SPRAG_VERDICT_UNIQUE);
        assert_true(answer.verdict.solutions[0].stable);
        assert_false(answer.verdict.held);
        assert_int_equal(answer_mode(&answer, 0, "foot"), SPRAG_MODE_SLIDE_MINUS);
        assert_int_equal(answer_mode(&answer, 0, "top"), SPRAG_MODE_SLIDE_MINUS);
        answer_close(&answer);
    }
}

// Friction at both ends: stands as long as tan θ ≥ (1 − μ₁ μ₂)/(2 μ₁). Both forces are then known
// up to one number, and the extremes are those with a full cone.
static void test_rough_ladder(void **state)
{
    (void)state;
    const double floor_friction = 0.4, wall_friction = 0.3, weight = 10 * G;
    double limit = (1 - floor_friction * wall_friction) / (2 * floor_friction);
    for (int above = 0; above < 2; above++) {
        Answer answer;
        open_ladder(&answer, limit * (1 + (above ? 1e-6 : -1e-6)), floor_friction, wall_friction);
        assert_int_equal(answer.verdict.kind, SPRAG_VERDICT_UNIQUE);
        assert_int_equal(answer.verdict.held, above);
        answer_close(&answer);
    }
    Answer answer;
    double tangent = 1.6;
    open_ladder(&answer, tangent, floor_friction, wall_friction);
    assert_held(&answer);
    assert_int_equal(answer_motion(&answer, 0)->force_dimension, 1);
    // moments about the foot: Nw tan θ + Tw = W/2; Tw = ± μ Nw at the ends
    double least = weight / 2 / (tangent + wall_friction);
    double most = weight / 2 / (tangent - wall_friction);
    // the floor's cone: Nw ≤ μ (W − Tw) holds for both ends here
    assert_true(most <= floor_friction * (weight + wall_friction * most));
    assert_range(&answer, "top", 0, least, most);
    assert_range(&answer, "foot", 1, least, most);
    assert_range(&answer, "foot", 0, weight - wall_friction * least, weight + wall_friction * most);
    assert_no_acceleration(&answer, 0);
    answer_close(&answer);
}

// ---- Rod sliding each way -----------------------------------------------------------------------

static void test_rod_sliding(void **state)
{
    (void)state;
    const double m = 0.7, half = 0.4, I = 0.03, mu = 0.3;
    for (int k = -1; k <= 1; k += 2)
        for (int i = 0; i < 6; i++) {
            double theta = 0.2 + 0.25 * i, spin = i - 2, mu_s = -mu * k;
            double s = sin(theta), c = cos(theta), kappa = half * half / I;
            double A = 1 / m + kappa * c * (c - mu_s * s), B = half * spin * spin * s - G;
            double B_T = half * spin * spin * c;
            double force = B < 0 ? -B / A : 0, acceleration[3];
            Answer answer;
            answer_format(&answer, context,
                          "sprag: 1\nbodies:\n" SCENE_TABLE
                          "  - {name: rod, mass: 0.7, inertia: 0.03, angle: %.17g, spin: %.17g, "
                          "shapes: [{rod: {length: 0.8}}]}\n"
                          "contacts: [{name: tip, between: [rod.a, table], friction: 0.3}]\n"
                          "start: [{contact: tip, slip: %d}]\n",
                          theta, spin, k);
            assert_true(answer.verdict.one_contact);
            assert_close(answer.verdict.A, A, 1e-14 * (1 / m + 2 * kappa));
            assert_close(answer.verdict.B, B, 1e-14 * (G + spin * spin));
            assert_int_equal(answer.verdict.kind, SPRAG_VERDICT_UNIQUE);
            assert_int_equal(answer_mode(&answer, 0, "tip"),
                             k > 0 ? SPRAG_MODE_SLIDE_PLUS : SPRAG_MODE_SLIDE_MINUS);
            assert_close(answer_force(&answer, 0, "tip", 0), force, CLOSE);
            assert_close(answer_force(&answer, 0, "tip", 1), mu_s * force, CLOSE);
            answer_acceleration(&answer, 0, acceleration);
            assert_close(acceleration[0], mu_s * force / m, CLOSE);
            assert_close(acceleration[1], force / m - G, CLOSE);
            assert_close(acceleration[2], force * half * (mu_s * s - c) / I, 10 * CLOSE);
            double slip =
                (-half * half * s * c / I + mu_s * (1 / m + half * half * s * s / I)) * force + B_T;
            assert_close(answer_motion(&answer, 0)->acceleration[1], slip, 10 * CLOSE);
            answer_close(&answer);
        }
}

// ---- Disc ---------------------------------------------------------------------------------------

// A solid disc (I = m r²/2) on a slope of the given tangent.
static void open_disc(Answer *answer, double slope, double friction)
{
    SpragModel *model = world_create(context);
    double alpha = atan(slope);
    world_plane(model, world_body(model, "table", true, 0, 0, 0), alpha, 0);
    SpragBody body = {.name = (char[]){"disc"}, .mass = 3, .inertia = 3 * 0.2 * 0.2 / 2};
    body.position[0] = -0.2 * sin(alpha);
    body.position[1] = 0.2 * cos(alpha);
    int disc;
    assert_ok(context, sprag_model_add_body(model, &body, &disc));
    world_circle(model, disc, 0, 0, 0.2);
    set_friction(model, friction);
    answer_model(answer, model);
}

static void close_model(Answer *answer)
{
    SpragModel *model = (SpragModel *)sprag_system_model(answer->system);
    answer_close(answer);
    sprag_model_destroy(model);
}

static void test_disc(void **state)
{
    (void)state;
    Answer answer;
    open_disc(&answer, 0, 0.3);
    assert_held(&answer);
    assert_true(answer.verdict.forces_unique);
    assert_close(answer_force(&answer, 0, "disc-table", 0), 3 * G, CLOSE);
    close_model(&answer);
    for (int slides = 0; slides < 2; slides++)
        for (int i = 0; i < 3; i++) {
            double slope = 0.2 + 0.4 * i, alpha = atan(slope), acceleration[3];
            double mu = slope / 3 * (1 + (slides ? -1e-9 : 1e-9));
            open_disc(&answer, slope, mu);
            assert_int_equal(answer.verdict.kind, SPRAG_VERDICT_UNIQUE);
            assert_true(answer.verdict.solutions[0].stable);
            assert_false(answer.verdict.held);
            assert_int_equal(answer_mode(&answer, 0, "disc-table"),
                             slides ? SPRAG_MODE_SLIDE_MINUS : SPRAG_MODE_STICK);
            answer_acceleration(&answer, 0, acceleration);
            double along = slides ? sin(alpha) - mu * cos(alpha) : 2.0 / 3 * sin(alpha);
            assert_close(acceleration[0], -G * along * cos(alpha), CLOSE);
            assert_close(acceleration[1], -G * along * sin(alpha), CLOSE);
            double turning = slides ? 2 * mu * cos(alpha) : 2.0 / 3 * sin(alpha);
            assert_close(acceleration[2], G * turning / 0.2, 10 * CLOSE);
            close_model(&answer);
        }
}

// ---- Wedge --------------------------------------------------------------------------------------

static void test_wedge(void **state)
{
    (void)state;
    for (int wedged = 0; wedged < 2; wedged++) {
        Answer answer;
        double acceleration[3];
        answer_format(
            &answer, context,
            "sprag: 1\nparameters: {w: 0.5, h: 0.2, mu: h/w*(1 + %g)}\nbodies:\n"
            "  - {name: left, fixed: true, shapes: [{plane: {normal: [1, 0], offset: -w}}]}\n"
            "  - {name: right, fixed: true, shapes: [{plane: {normal: [-1, 0], offset: -w}}]}\n"
            "  - {name: wedge, mass: 1, inertia: 0.1, shapes: [{points: {lower: [-w, -h], upper: "
            "[w, h]}}]}\n"
            "contacts: [{between: [wedge, \"*\"], friction: mu}]\n",
            wedged ? 1e-9 : -1e-9);
        assert_int_equal(answer.verdict.solution_count, 1 + wedged);
        assert_int_equal(answer.verdict.stable_count, 1 + wedged);
        assert_false(answer.verdict.held);
        assert_int_equal(answer.verdict.recommended_compliant, wedged);
        // free fall is the last
        answer_acceleration(&answer, wedged, acceleration);
        assert_close(acceleration[1], -G, CLOSE);
        assert_close(acceleration[2], 0, CLOSE);
        answer_close(&answer);
    }
    Answer answer;
    answer_text(&answer, context,
                "sprag: 1\nbodies:\n"
                "  - {name: left, fixed: true, shapes: [{plane: {normal: [1, 0], offset: -0.5}}]}\n"
                "  - {name: right, fixed: true, shapes: [{plane: {normal: [-1, 0], offset: "
                "-0.5}}]}\n"
                "  - {name: wedge, mass: 1, inertia: 0.1, shapes: [{points: {lower: [-0.5, -0.2], "
                "upper: [0.5, 0.2]}}]}\n"
                "contacts: [{between: [wedge, \"*\"], friction: 0.5}]\n");
    assert_int_equal(answer.verdict.solution_count, 2);
    assert_int_equal(answer_mode(&answer, 0, "wedge.lower-left"), SPRAG_MODE_STICK);
    // N the same at both; T up on the body: left −t, right... sums to m g; moments about the centre
    // of mass: 2 h N = w (T_left − T_right) with T up. Least N: lower one at its cone
    // 2·0.2 N = 0.5 (0.5 N − (g − 0.5 N)) ⇒ 0.1 N = 0.5 g … N = 5 g
    double low, high;
    answer_range(&answer, 0, "wedge.lower-left", 0, &low, &high);
    assert_close(low, 5 * G, RANGE * 10);
    assert_true(isinf(high));
    assert_int_equal(answer_motion(&answer, 0)->force_dimension, 1);
    assert_no_acceleration(&answer, 0);
    answer_close(&answer);
}

// ---- Belt, block on feet, stack, spring ---------------------------------------------------------

static void test_box_on_belt(void **state)
{
    (void)state;
    for (int k = -1; k <= 1; k += 2) {
        Answer answer;
        double acceleration[3];
        answer_format(&answer, context,
                      "sprag: 1\nbodies:\n"
                      "  - {name: belt, fixed: true, surface-velocity: [%g, 0], shapes: [{plane: "
                      "{normal: [0, 1]}}]}\n"
                      "  - {name: box, mass: 2, position: [0, 0.05], shapes: [{box: {size: [0.2, "
                      "0.1]}}]}\n"
                      "contacts: [{name: foot, between: [box, belt], friction: 0.3}]\n",
                      0.5 * k);
        assert_int_equal(answer.verdict.kind, SPRAG_VERDICT_UNIQUE);
        assert_true(answer.verdict.solutions[0].stable && answer.verdict.forces_unique);
        // the box slips backwards on the belt, which takes it along
        assert_int_equal(answer_mode(&answer, 0, "foot.0"),
                         k > 0 ? SPRAG_MODE_SLIDE_MINUS : SPRAG_MODE_SLIDE_PLUS);
        answer_acceleration(&answer, 0, acceleration);
        assert_close(acceleration[0], k * 0.3 * G, CLOSE);
        assert_close(acceleration[1], 0, CLOSE);
        assert_close(acceleration[2], 0, 10 * CLOSE);
        assert_close(answer_force(&answer, 0, "foot.0", 0), G * (1 + k * 0.3 * 0.5), CLOSE);
        assert_close(answer_force(&answer, 0, "foot.1", 0), G * (1 - k * 0.3 * 0.5), CLOSE);
        answer_close(&answer);
    }
}

// (8.2): a block on two feet at ±a, mass centre at height h, sliding to +x.
static void test_block_on_feet(void **state)
{
    (void)state;
    const double a = 0.5, h = 0.8, m = 2, I = 0.3;
    static const double frictions[] = {0.1, 0.6, 0.625 * (1 - 1e-9), 0.625 * (1 + 1e-9), 0.7, 0.9};
    for (int i = 0; i < 6; i++) {
        double mu = frictions[i], acceleration[3];
        bool lifts = mu * h > a;
        Answer answer;
        SpragModel *model = world_create(context);
        world_plane(model, world_body(model, "table", true, 0, 0, 0), 0, 0);
        SpragBody body = {.name = (char[]){"block"}, .mass = m, .inertia = I, .position[1] = h};
        body.velocity[0] = 1;
        int block;
        assert_ok(context, sprag_model_add_body(model, &body, &block));
        const double feet[] = {-a, -h, a, -h};
        world_shape(model, block, SPRAG_SHAPE_POINTS, 2, feet, 0);
        set_friction(model, mu);
        answer_model(&answer, model);
        assert_int_equal(answer.verdict.kind, SPRAG_VERDICT_UNIQUE);
        const SpragMotion *motion = answer_motion(&answer, 0);
        assert_int_equal(motion->modes[0], lifts ? SPRAG_MODE_SEPARATE : SPRAG_MODE_SLIDE_PLUS);
        assert_int_equal(motion->modes[1], SPRAG_MODE_SLIDE_PLUS);
        answer_acceleration(&answer, 0, acceleration);
        double rear = m * G / 2 * (1 - mu * h / a), front = m * G - rear;
        if (lifts) {
            // the front foot keeps its height: y'' + a θ'' = 0, I θ'' = N (a − μ h)
            rear = 0;
            front = G / (1 / m + a * (a - mu * h) / I);
            assert_close(acceleration[2], front * (a - mu * h) / I, 10 * CLOSE);
        }
        assert_close(motion->force[0], rear, CLOSE);
        assert_close(motion->force[2], front, CLOSE);
        assert_close(acceleration[0], -mu * (rear + front) / m, CLOSE);
        close_model(&answer);
    }
}

static void test_box_in_corner(void **state)
{
    (void)state;
    static const double frictions[] = {0, 0.2, 1.5};
    for (int i = 0; i < 3; i++) {
        Answer answer;
        answer_format(&answer, context,
                      "sprag: 1\ngravity: [3, -9.81]\nmaterials: {default: {friction: %g}}\n"
                      "bodies:\n" SCENE_TABLE
                      "  - {name: wall, fixed: true, shapes: [{plane: {normal: [-1, 0], offset: "
                      "-1}}]}\n"
                      "  - {name: box, mass: 1, position: [0.8, 0.2], shapes: [{box: {size: [0.4, "
                      "0.4]}}]}\n",
                      frictions[i]);
        assert_int_equal(answer.problem->constraint_count, 4);
        assert_held(&answer);
        assert_false(answer.verdict.forces_unique);
        if (frictions[i] == 0) {
            assert_close(sum_of_normals(&answer, "box.c0-table") +
                             answer_force(&answer, 0, "box.c1-table", 0),
                         G, CLOSE);
            assert_close(answer_force(&answer, 0, "box.c1-wall", 0) +
                             answer_force(&answer, 0, "box.c2-wall", 0),
                         3, CLOSE);
        }
        assert_no_acceleration(&answer, 0);
        answer_close(&answer);
    }
}

static void test_stack(void **state)
{
    (void)state;
    Answer answer;
    answer_text(&answer, context,
                "sprag: 1\nmaterials: {default: {friction: 0.5}}\nbodies:\n" SCENE_TABLE
                "  - {name: lower, mass: 3, position: [0, 0.05], shapes: [{box: {size: [0.4, "
                "0.1]}}]}\n"
                "  - {name: upper, mass: 1, position: [0.05, 0.15], shapes: [{box: {size: [0.2, "
                "0.1]}}]}\n"
                "contacts: [{name: seat, between: [upper, lower]}, {name: foot, between: [lower, "
                "table]}]\n");
    assert_held(&answer);
    assert_int_equal(answer.problem->constraint_count, 4);
    assert_close(sum_of_normals(&answer, "seat"), G, CLOSE);
    assert_close(sum_of_normals(&answer, "foot"), 4 * G, CLOSE);
    // of the upper box a fourth part stands 5 cm to the right of the middle of 40 cm
    assert_close(answer_force(&answer, 0, "foot.1", 0) - answer_force(&answer, 0, "foot.0", 0),
                 G * 0.05 / 0.2, CLOSE);
    assert_no_acceleration(&answer, 0);
    answer_close(&answer);
}

// A block hangs on a spring and touches the floor: the floor carries what the spring does not.
static void test_hanging_block(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        double stretch = 0.05 + 0.1 * i, pull = 100 * stretch, acceleration[3];
        Answer answer;
        answer_format(&answer, context,
                      "sprag: 1\nbodies:\n" SCENE_TABLE
                      "  - {name: block, mass: 2, position: [0, 0.05], shapes: [{box: {size: [0.2, "
                      "0.1]}}]}\n"
                      "contacts: [{name: foot, between: [block, table], friction: 0.4}]\n"
                      "joints: [{name: cord, type: distance, between: [world, block.com], at: [0, "
                      "1.05], length: %.17g, spring: {stiffness: 100}}]\n",
                      1 - stretch);
        assert_int_equal(answer.verdict.kind, SPRAG_VERDICT_UNIQUE);
        double floor = fmax(0, 2 * G - pull);
        assert_int_equal(answer.verdict.held, floor > 0);
        assert_close(sum_of_normals(&answer, "foot"), floor, 10 * CLOSE);
        answer_acceleration(&answer, 0, acceleration);
        assert_close(acceleration[1], fmax(0, pull / 2 - G), 10 * CLOSE);
        answer_close(&answer);
    }
}

// ---- Separate bodies ----------------------------------------------------------------------------

// Painlevé's rods (theory.md 4.2, A < 0): spin 6 gives B > 0, two motions; at rest B < 0, none.
// Motions of separate bodies combine freely.
static void test_separate_bodies(void **state)
{
    (void)state;
    static const int expected[3][3] = {{1, 2, 0}, {2, 4, 0}, {0, 0, 0}};
    static const char *const things[] = {
        "  - {name: thing%d, mass: 2, position: [%d, 0.05], shapes: [{box: {size: [0.2, 0.1]}}]}\n",
        "  - {name: thing%d, mass: 1, inertia: 0.08, position: [%d, 0.5], angle: 60 deg, spin: 6, "
        "shapes: [{rod: {length: 1}}]}\n",
        "  - {name: thing%d, mass: 1, inertia: 0.08, position: [%d, 0.5], angle: 60 deg, spin: 0, "
        "shapes: [{rod: {length: 1}}]}\n"};
    static const char *const starts[] = {"  - {contact: [thing%d, table], slip: 0}\n",
                                         "  - {contact: [thing%d.a, table], slip: -1}\n",
                                         "  - {contact: [thing%d.a, table], slip: -1}\n"};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            char text[4096];
            size_t used = (size_t)snprintf(
                text, sizeof text,
                "sprag: 1\nmaterials: {default: {friction: 1.8}}\nbodies:\n" SCENE_TABLE);
            const int kinds[2] = {i, k};
            for (int b = 0; b < 2; b++)
                used +=
                    (size_t)snprintf(text + used, sizeof text - used, things[kinds[b]], b, 3 * b);
            used += (size_t)snprintf(text + used, sizeof text - used, "start:\n");
            for (int b = 0; b < 2; b++)
                used += (size_t)snprintf(text + used, sizeof text - used, starts[kinds[b]], b);
            Answer answer;
            answer_text(&answer, context, text);
            assert_int_equal(answer.verdict.solution_count, expected[i][k]);
            assert_int_equal(answer.verdict.stable_count, expected[i][k] > 0);
            assert_int_equal(answer.verdict.held, i == 0 && k == 0);
            answer_close(&answer);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_at_rest),    cmocka_unit_test(test_box_at_rest_in_code),
        cmocka_unit_test(test_box_on_incline), cmocka_unit_test(test_tall_box_tips),
        cmocka_unit_test(test_four_points),    cmocka_unit_test(test_ladder),
        cmocka_unit_test(test_rough_ladder),   cmocka_unit_test(test_rod_sliding),
        cmocka_unit_test(test_disc),           cmocka_unit_test(test_wedge),
        cmocka_unit_test(test_box_on_belt),    cmocka_unit_test(test_block_on_feet),
        cmocka_unit_test(test_box_in_corner),  cmocka_unit_test(test_stack),
        cmocka_unit_test(test_hanging_block),  cmocka_unit_test(test_separate_bodies),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
