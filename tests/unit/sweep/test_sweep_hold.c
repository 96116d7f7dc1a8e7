// Ranges over which bodies are held, against statics; Whitney's diagram of a peg in a hole.
#include "support/with_folder.h"

static char scene_path[64];
static const double G = 9.81;

static int setup_path(void **state)
{
    if (setup(state))
        return 1;
    snprintf(scene_path, sizeof scene_path, "%s/scene.yaml", folder);
    return 0;
}

static int teardown_path(void **state)
{
    unlink(scene_path);
    return teardown(state);
}

static SpragHoldRange hold(const char *text, const char *path)
{
    SpragHoldRange range;
    FILE *file = fopen(scene_path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_ok(context, sprag_hold_range(context, scene_path, NULL, path, &range));
    return range;
}

static void assert_side(const SpragHoldSide *side, double value, SpragHoldEnd end)
{
    assert_int_equal(side->end, end);
    assert_close(side->value, value, 1e-9 * fmax(fabs(value), 1e-3));
}

// ---- Boxes --------------------------------------------------------------------------------------

#define INCLINE(alpha, mu, force)                                                                  \
    "sprag: 1\nparameters: {alpha: " alpha "}\nbodies:\n"                                          \
    "  - {name: slope, fixed: true, shapes: [{plane: {normal: [-sin(alpha), cos(alpha)]}}]}\n"     \
    "  - {name: box, mass: 2, position: [-5 cm*sin(alpha), 5 cm*cos(alpha)], angle: alpha,\n"      \
    "     shapes: [{box: {size: [20 cm, 10 cm]}}]}\n"                                              \
    "contacts: [{between: [box, slope], friction: " mu "}]\n"                                      \
    "loads: [{body: box, force: " force "}]\n"

// A horizontal force F on a box on a slope: m g tan(α − ρ) ≤ F ≤ m g tan(α + ρ).
static void test_incline(void **state)
{
    (void)state;
    double alpha = 20 * 3.14159265358979323846 / 180, rho = atan(0.5), weight = 2 * G;
    SpragHoldRange range = hold(INCLINE("20 deg", "0.5", "[0, 0]"), "loads.0.force.0");
    assert_true(range.found && range.outcome.held);
    assert_close(range.value, 0, 0);
    assert_side(&range.from, weight * tan(alpha - rho), SPRAG_HOLD_CHANGES);
    assert_side(&range.to, weight * tan(alpha + rho), SPRAG_HOLD_CHANGES);
    assert_string_equal(range.from.becomes.modes, "slide- slide-");
    assert_string_equal(range.to.becomes.modes, "slide+ slide+");
    // from a value that is not 0
    range = hold(INCLINE("20 deg", "0.5", "[1 N, 0]"), "loads.0.force.0");
    assert_side(&range.from, weight * tan(alpha - rho), SPRAG_HOLD_CHANGES);
    assert_side(&range.to, weight * tan(alpha + rho), SPRAG_HOLD_CHANGES);
    // pressed down it holds for good, if α < ρ; lifted, until the weight is gone
    range = hold(INCLINE("20 deg", "0.5", "[0, 0]"), "loads.0.force.1");
    assert_side(&range.to, weight, SPRAG_HOLD_CHANGES);
    assert_int_equal(range.from.end, SPRAG_HOLD_UNBOUNDED);
    assert_true(range.from.value == -INFINITY);
}

// Not held as it stands: the force that it needs.
static void test_nearest(void **state)
{
    (void)state;
    double alpha = 40 * 3.14159265358979323846 / 180, rho = atan(0.5), weight = 2 * G;
    SpragHoldRange range = hold(INCLINE("40 deg", "0.5", "[0, 0]"), "loads.0.force.0");
    assert_true(range.found && !range.outcome.held);
    assert_side(&range.from, weight * tan(alpha - rho), SPRAG_HOLD_CHANGES);
    assert_string_equal(range.from.becomes.modes, "slide- slide-");
    assert_int_equal(range.to.end, SPRAG_HOLD_CHANGES);
    // pushed up the slope it tips about its upper corner or slides, whichever comes first
    assert_true(range.to.value > range.from.value);
    assert_true(range.to.value <= weight * tan(alpha + rho) * (1 + 1e-9));
    // the mirror image: the interval lies below
    range = hold(INCLINE("-40 deg", "0.5", "[0, 0]"), "loads.0.force.0");
    assert_side(&range.to, -weight * tan(alpha - rho), SPRAG_HOLD_CHANGES);
    // no weight of the box makes it stay
    range = hold(INCLINE("40 deg", "0.5", "[0, 0]"), "bodies.box.mass");
    assert_false(range.found);
    assert_false(range.outcome.held);
}

// A mass must be positive: there the interval ends for another reason. Ranges of parameters end it
// too.
static void test_ends(void **state)
{
    (void)state;
    SpragHoldRange range = hold(INCLINE("20 deg", "0.5", "[0, 0]"), "bodies.box.mass");
    assert_true(range.found);
    assert_int_equal(range.from.end, SPRAG_HOLD_INVALID);
    assert_close(range.from.value, 0, 1e-9);
    assert_int_equal(range.to.end, SPRAG_HOLD_UNBOUNDED);
    range = hold(INCLINE("{value: 20 deg, from: 5 deg, to: 60 deg}", "0.5", "[0, 0]"), "alpha");
    assert_side(&range.from, 5 * 3.14159265358979323846 / 180, SPRAG_HOLD_RANGE);
    assert_side(&range.to, atan(0.5), SPRAG_HOLD_CHANGES);
    assert_string_equal(range.unit_name, "deg");
    assert_string_equal(sprag_hold_end_name(range.to.end), "changes");
    SpragHoldRange none;
    assert_int_equal(sprag_hold_range(context, scene_path, NULL, "nothing", &none),
                     SPRAG_ERROR_INPUT);
    assert_int_not_equal(sprag_hold_range(context, "/nowhere.yaml", NULL, "alpha", &none),
                         SPRAG_OK);
}

// Someone of weight P at the height s along a ladder: friction at both ends carries any vertical
// load whose line meets both cones, so x ≥ c − sin ρ cos ρ (h + μ c), x the place of the resultant.
static void test_ladder(void **state)
{
    (void)state;
    double theta = 60 * 3.14159265358979323846 / 180, mu = 0.3, rho = atan(mu);
    double c = 2 * cos(theta), h = 2 * sin(theta), m = 10, P = 60;
    double least = c - sin(rho) * cos(rho) * (h + mu * c);
    // (m c/2 + P (c − s cos θ))/(m + P) = least
    double s = (c - (least * (m + P) - m * c / 2) / P) / cos(theta);
    SpragHoldRange range =
        hold("sprag: 1\nparameters: {theta: 60 deg, mu: 0.3, s: {value: 0.5, from: 0, to: 2}}\n"
             "bodies:\n"
             "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"
             "  - {name: wall, fixed: true, shapes: [{plane: {normal: [1, 0]}}]}\n"
             "  - {name: ladder, mass: 10, position: [1 m*cos(theta), 1 m*sin(theta)],\n"
             "     angle: pi - theta, shapes: [{rod: {length: 2}}], sites: {rung: [s - 1, 0]}}\n"
             "contacts: [{between: [ladder, \"*\"], friction: mu}]\n"
             "loads: [{body: ladder, at: ladder.rung, force: [0, -60*9.81]}]\n",
             "s");
    assert_true(range.found && range.outcome.held);
    assert_true(s > 0.6 && s < 2);
    assert_side(&range.to, s, SPRAG_HOLD_CHANGES);
    assert_side(&range.from, 0, SPRAG_HOLD_RANGE);
}

// ---- Against linear programs --------------------------------------------------------------------

// Largest p × sign with W λ + b₀ + p b₁ = 0 for some λ in the cones of two contacts.
static double static_limit(SpragArena *arena, const double *W, const double *b, double mu,
                           double sign)
{
    double A[8 * 5] = {0}, right[8] = {0}, c[5] = {0}, x[5], value;
    SpragLpStatus status;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            A[(2 * i + k) * 5 + 2 * i] = -mu;
            A[(2 * i + k) * 5 + 2 * i + 1] = k ? -1 : 1;
        }
    for (int i = 0; i < 4; i++) {
        memcpy(A + (4 + i) * 5, W + 4 * i, 4 * sizeof *W);
        A[(4 + i) * 5 + 4] = b[4 + i];
        right[4 + i] = -b[i];
    }
    c[4] = sign;
    SpragLp program = {5, 4, 4, A, right, c};
    assert_ok(context, sprag_lp_solve(arena, &program, 1e-11, x, &value, &status));
    return status == SPRAG_LP_OPTIMAL     ? sign * value
           : status == SPRAG_LP_UNBOUNDED ? sign * INFINITY
                                          : NAN;
}

// Two contacts of one body under a load that grows with p, as bare problems.
static void test_programs(void **state)
{
    (void)state;
    SpragRandom random;
    SpragArena *arena;
    int compared = 0, infinite = 0;
    assert_ok(context, sprag_arena_create(context, 1 << 12, &arena));
    sprag_random_init(&random, 3);
    for (int draw = 0; draw < test_draws(12); draw++) {
        double J[4][3], W[16], b[8] = {0}, force[4], load[3], mu = 0.4;
        char text[2048];
        int used = 0;
        for (int i = 0; i < 2; i++) {
            double angle = 1.57 + sprag_random_uniform(&random, -0.7, 0.7), n[2], t[2];
            double r[2] = {(i ? 1 : -1) * sprag_random_uniform(&random, 0.3, 1), -0.5};
            n[0] = cos(angle), n[1] = sin(angle), t[0] = n[1], t[1] = -n[0];
            memcpy(J[2 * i], (double[]){n[0], n[1], r[0] * n[1] - r[1] * n[0]}, sizeof *J);
            memcpy(J[2 * i + 1], (double[]){t[0], t[1], r[0] * t[1] - r[1] * t[0]}, sizeof *J);
            force[2 * i] = sprag_random_uniform(&random, 1, 2);
            force[2 * i + 1] = 0.5 * mu * sprag_random_uniform(&random, -1, 1);
        }
        for (int k = 0; k < 3; k++)
            load[k] = sprag_random_uniform(&random, -1, 1);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                W[4 * i + j] = J[i][0] * J[j][0] + J[i][1] * J[j][1] + J[i][2] * J[j][2];
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++)
                b[i] -= W[4 * i + j] * force[j]; // at p = 0 these forces hold it
            for (int k = 0; k < 3; k++)
                b[4 + i] += J[i][k] * load[k];
        }
        used += snprintf(text, sizeof text, "sprag: 1\nproblem: contact\nparameters: {p: 0}\nW:\n");
        for (int i = 0; i < 4; i++)
            used += snprintf(text + used, sizeof text - (size_t)used,
                             "  - [%.17g, %.17g, %.17g, %.17g]\n", W[4 * i], W[4 * i + 1],
                             W[4 * i + 2], W[4 * i + 3]);
        used += snprintf(text + used, sizeof text - (size_t)used, "b:\n");
        for (int i = 0; i < 4; i++)
            used += snprintf(text + used, sizeof text - (size_t)used, "  - %.17g + %.17g*p\n", b[i],
                             b[4 + i]);
        snprintf(text + used, sizeof text - (size_t)used,
                 "contacts: [{friction: 0.4}, {friction: 0.4}]\n");
        SpragHoldRange range = hold(text, "p");
        if (!range.outcome.held)
            continue; // another motion is possible too
        for (int side = 0; side < 2; side++) {
            const SpragHoldSide *end = side ? &range.to : &range.from;
            double limit = static_limit(arena, W, b, mu, side ? 1 : -1);
            infinite += end->end == SPRAG_HOLD_UNBOUNDED;
            if (end->end == SPRAG_HOLD_UNBOUNDED || end->becomes.kind == SPRAG_VERDICT_UNIQUE) {
                // W is given to 1e-16 of its entries and has a zero eigenvalue
                assert_close(end->value, limit, 1e-7 * fmax(1, fabs(limit)));
                compared++;
            } else { // held ends where rest is not the only motion any more
                assert_true(fabs(end->value) <= fabs(limit) * (1 + 1e-7));
            }
        }
    }
    assert_true(compared > 8);
    assert_true(infinite > 0);
    sprag_arena_destroy(arena);
}

// ---- Whitney's diagram --------------------------------------------------------------------------

static const double R = 0.01, L = 0.015, MU = 0.3, FZ = 10;

static const char *peg_path(void)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/examples/peg-in-hole.yaml", SPRAG_SOURCE_DIR);
    return path;
}

static SpragMap *peg_map(const char *play, bool borders)
{
    SpragMapSettings settings = sprag_map_default();
    SpragSceneSet set = {"play", play};
    SpragMap *map;
    settings.x = "fx=-47.3:46.1 N:17";
    settings.y = "moment=-0.913:0.871 N*m:17";
    settings.borders = borders;
    settings.border_tolerance = 1e-10;
    settings.scene.sets = &set;
    settings.scene.set_count = 1;
    assert_ok(context, sprag_map_create(context, peg_path(), &settings, &map));
    return map;
}

// Distance from the line M/(r Fz) = λ side − μ (1 + λ) Fx/Fz, theory.md (8.8).
static double from_line(const SpragMapVertex *v, double side)
{
    double lambda = L / (2 * R * MU);
    return v->y / (R * FZ) + MU * (1 + lambda) * v->x / FZ - side * lambda;
}

// Without play the border is the parallelogram (8.9); outside the peg is held.
static void test_parallelogram(void **state)
{
    (void)state;
    double lambda = L / (2 * R * MU);
    int on[4] = {0};
    SpragMap *map = peg_map("0", true);
    for (int i = 0; i < map->vertex_count; i++) {
        const SpragMapVertex *v = &map->vertices[i];
        double distances[4] = {from_line(v, 1), from_line(v, -1), v->x / FZ - 1 / MU,
                               v->x / FZ + 1 / MU};
        int nearest = 0;
        for (int k = 1; k < 4; k++)
            nearest = fabs(distances[k]) < fabs(distances[nearest]) ? k : nearest;
        if (v->meeting)
            continue;
        // four contacts on one body: slip accelerations below some 1e-9 of the others count as
        // none, and the class changes there
        assert_close(distances[nearest], 0, 1e-7 * lambda);
        on[nearest]++;
    }
    for (int k = 0; k < 4; k++)
        assert_true(on[k] >= 2);
    for (int j = 0; j < 17; j++)
        for (int i = 0; i < 17; i++) {
            SpragMapVertex v = {map->axes[0].values[i], map->axes[1].values[j], false};
            bool inside = from_line(&v, 1) < 0 && from_line(&v, -1) > 0 && fabs(v.x / FZ) < 1 / MU;
            const SpragMapClass *class = &map->table[map->classes[i + 17 * j]];
            assert_int_equal(class->outcome.held, !inside);
            assert_int_equal(class->outcome.kind,
                             inside ? SPRAG_VERDICT_INFINITE : SPRAG_VERDICT_UNIQUE);
        }
    sprag_map_destroy(map);
}

// With play the two points of one diagonal touch: one motion everywhere, and it is held up to one
// of the two lines.
static void test_two_points(void **state)
{
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        const char *play = side < 0 ? "0.1 mm" : "-0.1 mm";
        SpragMap *map = peg_map(play, false);
        for (int c = 0; c < map->class_count; c++)
            assert_int_equal(map->table[c].outcome.kind, SPRAG_VERDICT_UNIQUE);
        sprag_map_destroy(map);
        for (int i = 0; i < 5; i++) {
            char fx[32];
            SpragSceneSet sets[2] = {{"play", play}, {"fx", fx}};
            SpragSceneSettings settings = sprag_scene_default();
            SpragHoldRange range;
            settings.sets = sets;
            settings.set_count = 2;
            snprintf(fx, sizeof fx, "%.17g", -side * (-30 + 11.7 * i));
            assert_ok(context, sprag_hold_range(context, peg_path(), &settings, "moment", &range));
            const SpragHoldSide *end = side < 0 ? &range.to : &range.from;
            SpragMapVertex border = {strtod(fx, NULL), end->value, false};
            assert_true(range.found);
            assert_int_equal(end->end, SPRAG_HOLD_CHANGES);
            assert_string_equal(end->becomes.modes, "slide+ slide-");
            assert_close(from_line(&border, side), 0, 1e-9);
        }
    }
}

// A real peg, tilted by φ in a hole with walls, touches with a corner and with its side. Statics
// with both contacts sliding in: wall force f (1, μ) at the corner, mouth force g (n + μ u) with
// n = (−cos φ, sin φ), u along the peg.
static double tilted_moment(double phi, double l, double fx)
{
    double n[2] = {-cos(phi), sin(phi)}, u[2] = {sin(phi), cos(phi)};
    double gx = n[0] + MU * u[0], gy = n[1] + MU * u[1];
    // fx + f + g gx = 0, −FZ + μ f + g gy = 0
    double g = (FZ + MU * fx) / (gy - MU * gx), f = -fx - g * gx;
    double corner[2] = {-R * cos(phi), R * sin(phi)};
    // the mouth of the hole is at the height l above the tip, on the right side of the peg
    double side = (l + R * sin(phi)) / u[1];
    double mouth[2] = {R * cos(phi) + side * u[0], -R * sin(phi) + side * u[1]};
    assert_true(f > 0 && g > 0);
    return -(corner[0] * MU * f - corner[1] * f + g * (mouth[0] * gy - mouth[1] * gx));
}

static void test_tilted(void **state)
{
    (void)state;
    double phi = 3 * 3.14159265358979323846 / 180, height = 0.02;
    double hole = 0.5 * ((R + L * sin(phi)) / cos(phi) + R * cos(phi)), tip = R * cos(phi) - hole;
    for (int i = 0; i < 3; i++) {
        double fx = -12 + 11 * i;
        char text[2048];
        snprintf(text, sizeof text,
                 "sprag: 1\ngravity: [0, 0]\n"
                 "parameters: {moment: {value: -0.5, from: -1, to: 1}}\nbodies:\n"
                 "  - {name: left, fixed: true, position: [%.17g, %.17g],\n"
                 "     shapes: [{box: {size: [0.1, 0.1]}}]}\n"
                 "  - {name: right, fixed: true, position: [%.17g, %.17g],\n"
                 "     shapes: [{box: {size: [0.1, 0.1]}}]}\n"
                 "  - {name: peg, mass: 0.1, position: [%.17g, %.17g], angle: %.17g,\n"
                 "     shapes: [{box: {size: [0.02, 0.04]}}], sites: {tip: [0, -0.02]}}\n"
                 "contacts: [{between: [peg, \"*\"], friction: 0.3}]\n"
                 "loads: [{body: peg, at: peg.tip, force: [%.17g, -10], torque: moment}]\n",
                 -hole - 0.05, L - 0.05, hole + 0.05, L - 0.05, tip + height * sin(phi),
                 height * cos(phi), -phi, fx);
        SpragHoldRange range = hold(text, "moment");
        assert_true(range.found);
        assert_string_equal(range.to.becomes.modes, "slide+ slide-");
        // the bodies are moved together by up to the contact tolerance, 1e-9 of their size
        assert_side(&range.to, tilted_moment(phi, L, fx), SPRAG_HOLD_CHANGES);
    }
}

// Shorter than 2 μ r the two contacts see each other in their cones: closure by force. Then rest is
// a motion under every load, and held where it is the only one, theory.md 8.5.
static void test_wedged(void **state)
{
    (void)state;
    for (int wedged = 0; wedged < 2; wedged++) {
        double l = 2 * MU * R * (wedged ? 1 - 1e-6 : 1 + 1e-6);
        char text[32];
        SpragSceneSet sets[] = {{"play", "0.1 mm"}, {"l", text}};
        SpragSceneSettings settings = sprag_scene_default();
        SpragHoldRange range;
        snprintf(text, sizeof text, "%.17g", l);
        settings.sets = sets;
        settings.set_count = 2;
        assert_ok(context, sprag_hold_range(context, peg_path(), &settings, "moment", &range));
        assert_false(range.outcome.held); // it can slide in
        assert_int_equal(range.outcome.kind,
                         wedged ? SPRAG_VERDICT_MULTIPLE : SPRAG_VERDICT_UNIQUE);
        SpragScene *scene;
        SpragSystem *system;
        SpragArena *arena;
        SpragContactProblem problem;
        SpragClosure closure;
        double q[3], v[3];
        sprag_contact_problem_init(&problem, context);
        assert_ok(context, sprag_scene_read(context, peg_path(), &settings, &scene));
        assert_ok(context, sprag_system_create_model(sprag_scene_model(scene), &system));
        assert_ok(context, sprag_arena_create(context, 1 << 12, &arena));
        sprag_system_initial(system, q, v);
        SpragContactTolerances tolerances = sprag_system_tolerances(system, v);
        assert_ok(context, sprag_system_build_problem(system, 0, q, v, &tolerances, &problem));
        assert_ok(context, sprag_closure_find(arena, &problem, SPRAG_ALL_BODIES, &closure));
        assert_int_equal(closure.kind, wedged ? SPRAG_CLOSURE_FORCE : SPRAG_CLOSURE_NONE);
        sprag_contact_problem_destroy(&problem);
        sprag_arena_destroy(arena);
        sprag_system_destroy(system);
        sprag_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_incline),    cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_ends),       cmocka_unit_test(test_ladder),
        cmocka_unit_test(test_programs),   cmocka_unit_test(test_parallelogram),
        cmocka_unit_test(test_two_points), cmocka_unit_test(test_wedged),
        cmocka_unit_test(test_tilted),
    };
    return cmocka_run_group_tests(tests, setup_path, teardown_path);
}
