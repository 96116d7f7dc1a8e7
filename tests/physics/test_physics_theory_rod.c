// The numbers of theory.md sections 4, 6.4, 8.2 and 15.2: the rod on its tip, for every angle,
// inertia and tip, as a user would ask for them.
//
// Tolerances: borders are bracketed to 1e-9 of the friction or of the axis, which is what the
// theory is compared with; closed forms of a few operations hold to 1e-13 of their terms.
#include "support/scenes.h"
#include "support/with_context.h"

static const double G = 9.81, DEGREE = 3.14159265358979323846 / 180;

// A rod of mass 1 whose tip (a point, or a sphere of radius r) is L from the mass centre.
typedef struct Rod {
    double theta, I, L, r, friction, slip, spin;
    double force[2], torque; // gravity beside them
} Rod;

// The far end allows for any inertia.
static void open_rod(Answer *answer, const Rod *rod)
{
    char tip[96];
    if (rod->r > 0)
        snprintf(tip, sizeof tip, "circle: {radius: %.17g}, at: [%.17g, 0]", rod->r, -rod->L);
    else
        snprintf(tip, sizeof tip, "points: {tip: [%.17g, 0]}", -rod->L);
    answer_format(answer, context,
                  "sprag: 1\nbodies:\n" SCENE_TABLE
                  "  - {name: rod, mass: 1, inertia: %.17g, angle: %.17g, spin: %.17g, shapes: "
                  "[{name: foot, %s}, {points: {end: [4, 0]}}]}\n"
                  "contacts: [{name: tip, between: [rod.foot, table], friction: %.17g}]\n"
                  "start: [{contact: tip, slip: %.17g}]\n"
                  "loads: [{body: rod, force: [%.17g, %.17g], torque: %.17g}]\n",
                  rod->I, rod->theta, rod->spin, tip, rod->friction, rod->slip, rod->force[0],
                  rod->force[1], rod->torque);
    assert_int_equal(answer->problem->constraint_count, 1);
}

// (4.8) with a spherical tip: A = 1/m + L²c²/I − μ L c (L s + r)/I = 0, ρ = r/L.
static double critical_friction(double theta, double kappa, double rho)
{
    double c = cos(theta);
    return (1 + kappa * c * c) / (kappa * c * (sin(theta) + rho));
}

// The border of A > 0 as the program finds it, from a friction below.
static double find_border(const Rod *rod, SpragVerdictKind *beyond)
{
    Answer answer;
    SpragMargin margin;
    open_rod(&answer, rod);
    assert_int_equal(answer.verdict.kind, SPRAG_VERDICT_UNIQUE);
    assert_ok(context, sprag_margin_friction(answer.analysis, answer.problem, NULL,
                                             SPRAG_ALL_CONTACTS, &margin));
    assert_true(isfinite(margin.up.change));
    *beyond = margin.up.becomes.kind;
    answer_close(&answer);
    return rod->friction * (1 + margin.up.change);
}

static void test_numbers(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 44);
    for (int draw = 0; draw < test_draws(40); draw++) {
        Rod rod = {.theta = sprag_random_uniform(&random, 0.1, 1.5),
                   .I = sprag_random_uniform(&random, 0.02, 0.5),
                   .L = sprag_random_uniform(&random, 0.2, 1),
                   .r = draw % 2 ? sprag_random_uniform(&random, 0.01, 0.3) : 0,
                   .friction = sprag_random_uniform(&random, 0, 2),
                   .slip = draw % 4 < 2 ? -1 : 1,
                   .spin = sprag_random_uniform(&random, -5, 5)};
        rod.force[0] = sprag_random_uniform(&random, -20, 20);
        rod.force[1] = sprag_random_uniform(&random, -20, 20);
        rod.torque = sprag_random_uniform(&random, -5, 5);
        Answer answer;
        open_rod(&answer, &rod);
        double c = cos(rod.theta), s = sin(rod.theta), L = rod.L, I = rod.I, w = rod.spin;
        double arm = L * s + rod.r, signed_friction = rod.slip < 0 ? rod.friction : -rod.friction;
        const double *W = answer.problem->W, *b = answer.problem->b;
        double size = 1 + L * L / I * (1 + rod.r);
        assert_close(W[0], 1 + L * L * c * c / I, 1e-13 * size);
        assert_close(W[1], -L * c * arm / I, 1e-13 * size);
        assert_close(W[3], 1 + arm * arm / I, 1e-13 * size);
        assert_close(answer.verdict.A, 1 + L * c / I * (L * c - signed_friction * arm),
                     1e-13 * size * (1 + rod.friction));
        double forces = 30 + 5 * L / I + 25 * L;
        // (4.5), (4.6): the path of the sphere's centre counts, so r is in the torque's arm only
        assert_close(b[0], L * w * w * s + rod.force[1] - G - L * c * rod.torque / I,
                     1e-12 * forces);
        assert_close(b[1], L * w * w * c + rod.force[0] + arm * rod.torque / I, 1e-12 * forces);
        answer_close(&answer);
    }
}

// The critical friction at every angle, for five rods, two tips, and both sides of B = 0.
static void test_critical_friction(void **state)
{
    (void)state;
    static const double kappas[] = {0.4, 1, 3, 8, 50};
    for (int degrees = 1; degrees < 90; degrees += 4)
        for (int i = 0; i < 5; i++) {
            Rod rod = {.theta = degrees * DEGREE, .L = 0.5, .I = 0.25 / kappas[i], .slip = -1};
            rod.r = degrees % 8 == 1 ? 0 : 0.05;
            rod.force[1] = degrees % 3 ? 0 : 2 * G;
            double critical = critical_friction(rod.theta, kappas[i], rod.r / rod.L);
            rod.friction = 0.6 * critical;
            SpragVerdictKind beyond;
            assert_close(find_border(&rod, &beyond), critical, 1e-9 * critical);
            assert_int_equal(beyond, degrees % 3 ? SPRAG_VERDICT_NONE : SPRAG_VERDICT_MULTIPLE);
        }
}

// Where the derivative of the critical friction vanishes, by bisection: 2κ c² s (s+ρ) = (1 + κ c²)
// (s (s+ρ) − c²); for ρ = 0 that is tan θ = √(1+κ).
static double lowest_angle(double kappa, double rho)
{
    double low = 0.01, high = 1.56;
    for (int i = 0; i < 80; i++) {
        double theta = 0.5 * (low + high), c = cos(theta), s = sin(theta), lever = s * (s + rho);
        bool falls = (1 + kappa * c * c) * (lever - c * c) < 2 * kappa * c * c * lever;
        *(falls ? &low : &high) = theta;
    }
    return 0.5 * (low + high);
}

static void test_lowest_friction(void **state)
{
    (void)state;
    static const double kappas[] = {0.5, 3, 12}, radii[] = {0, 0.1};
    for (int i = 0; i < 6; i++) {
        double kappa = kappas[i % 3], rho = radii[i / 3] / 0.5, at = lowest_angle(kappa, rho);
        if (rho == 0)
            assert_close(tan(at), sqrt(1 + kappa), 1e-12 * (1 + kappa));
        Rod rod = {.L = 0.5, .I = 0.25 / kappa, .r = radii[i / 3], .slip = -1};
        rod.friction = 0.9 * critical_friction(at, kappa, rho);
        SpragVerdictKind beyond;
        double border[3];
        for (int k = 0; k < 3; k++) {
            rod.theta = at + 1e-3 * (k - 1);
            border[k] = find_border(&rod, &beyond);
        }
        assert_true(border[0] > border[1] && border[2] > border[1]);
        if (rho == 0)
            assert_close(border[1], 2 * sqrt(1 + kappa) / kappa, 1e-9 * border[1]);
        // just below the lowest value no angle has A ≤ 0
        rod.friction = border[1] * (1 - 1e-6);
        for (int degrees = 1; degrees < 90; degrees += 2) {
            Answer answer;
            rod.theta = degrees * DEGREE;
            open_rod(&answer, &rod);
            assert_true(answer.verdict.A > 0);
            assert_int_equal(answer.verdict.kind, SPRAG_VERDICT_UNIQUE);
            answer_close(&answer);
        }
    }
}

// ---- Intervals of the angle ---------------------------------------------------------------------

// A < 0 between the roots of tan²θ − μκ tan θ + 1 + κ = 0, found as the margins of θ from within
// (for μ below 4/3 from anywhere: there are none), and by a map over θ alone.
static void check_interval(double mu)
{
    char friction[40];
    snprintf(friction, sizeof friction, "%.17g", mu);
    const SpragSceneSet sets[] = {{"mu", friction}, {"omega", "0"}, {"theta", "atan(2)"}};
    const char *file = SPRAG_SOURCE_DIR "/examples/painleve-rod.yaml";
    SpragMapSettings settings = sprag_map_default();
    settings.scene.sets = sets;
    settings.scene.set_count = 3;
    double product = 3 * mu, root = product * product - 16, theta;
    SpragMargin margin;
    assert_ok(context,
              sprag_margin_parameter(context, file, &settings.scene, "theta", &theta, &margin));
    if (root < 0) {
        assert_true(isinf(margin.down.change) && isinf(margin.up.change));
    } else {
        assert_close(theta * (1 - margin.down.change), atan((product - sqrt(root)) / 2), 1e-9);
        assert_close(theta * (1 + margin.up.change), atan((product + sqrt(root)) / 2), 1e-9);
        assert_int_equal(margin.up.becomes.kind, SPRAG_VERDICT_UNIQUE);
    }
    settings.x = "theta=2:88deg:173";
    SpragMap *map;
    assert_ok(context, sprag_map_create(context, file, &settings, &map));
    for (int i = 0; i < map->axes[0].count; i++) {
        double t = tan(map->axes[0].values[i]);
        const SpragOutcome *outcome = &map->table[map->classes[i]].outcome;
        assert_int_equal(outcome->kind,
                         t * t - product * t + 4 < 0 ? SPRAG_VERDICT_NONE : SPRAG_VERDICT_UNIQUE);
    }
    sprag_map_destroy(map);
}

static void test_intervals(void **state)
{
    (void)state;
    static const double frictions[] = {0, 0.5, 1, 1.3333, 1.35, 1.5, 1.8, 2.5, 3};
    for (size_t i = 0; i < sizeof frictions / sizeof *frictions; i++)
        check_interval(frictions[i]);
}

// ---- The layer of one contact -------------------------------------------------------------------

// Sticking: D = 1/m + p pᵀ/I with p from the mass centre to the contact, eigenvalues 1/m and
// 1/m + |p|²/I. The real stick needs forces in the cone: a large friction gives them.
static void test_sticking_eigenvalues(void **state)
{
    (void)state;
    for (int degrees = 5; degrees < 90; degrees += 5)
        for (int i = 0; i < 4; i++) {
            Rod rod = {.theta = degrees * DEGREE, .L = 0.5, .I = i % 2 ? 0.25 / 3 : 0.4};
            rod.friction = 100;
            rod.r = i / 2 * 0.07;
            Answer answer;
            open_rod(&answer, &rod);
            double c = cos(rod.theta), s = sin(rod.theta), arm = rod.L * s + rod.r;
            double large = 1 + (rod.L * rod.L * c * c + arm * arm) / rod.I;
            int stick = answer_with_modes(&answer, 1, (SpragMode[]){SPRAG_MODE_STICK});
            assert_true(stick >= 0);
            const SpragSolution *solution = &answer.verdict.solutions[stick];
            assert_int_equal(solution->stability, SPRAG_STABLE);
            assert_int_equal(solution->layer_count, 2);
            for (int k = 0; k < 2; k++) {
                assert_close(solution->layer[k].real, k ? 1 : large, 1e-13 * large);
                assert_close(solution->layer[k].imaginary, 0, 0);
            }
            answer_close(&answer);
        }
}

// Sliding with a layer that the problem gives: s² + A c s + A k = 0, a saddle with rate s₊ (8.1) if
// A < 0. And with the defaults of (6.9): d̄ = a_nn, ε = 1e-4, T = 1 s, ζ = 0.1.
static void test_sliding_spectrum(void **state)
{
    (void)state;
    static const double frictions[] = {0.4, 1.2, 1.5, 3};
    for (int i = 0; i < 8; i++) {
        bool given = i >= 4;
        double mu = frictions[i % 4], theta = 1.1, c = cos(theta), s = sin(theta);
        double a_nn = 1 + 3 * c * c, A = a_nn - mu * 3 * s * c;
        double k = given ? 2e5 : 1 / (a_nn * 1e-4), damping = given ? 300 : 0.2 * sqrt(k / a_nn);
        Answer answer;
        answer_format(&answer, context,
                      "sprag: 1\nproblem: contact\nparameters: {theta: 1.1, mu: %g}\n"
                      "mass: [1, 1, 1/3]\n"
                      "J: [[1, 0, -cos(theta)], [0, 1, sin(theta)]]\n"
                      "force: [%g, 0, 0]\ncontacts: [{friction: mu, slip: -1}]\n%s",
                      mu, A > 0 ? -G : G,
                      given ? "stiffness: [2e5, 2e5]\ndamping: [300, 300]\n" : "");
        int slide = answer_with_modes(&answer, 1, (SpragMode[]){SPRAG_MODE_SLIDE_MINUS});
        assert_true(slide >= 0);
        const SpragSolution *solution = &answer.verdict.solutions[slide];
        assert_int_equal(solution->stability, A > 0 ? SPRAG_STABLE : SPRAG_DIVERGENT);
        assert_int_equal(answer.verdict.default_layer, !given);
        assert_int_equal(solution->layer_count, 1);
        assert_close(solution->layer[0].real, A, 1e-13 * a_nn);
        double half = -A * damping / 2, square = half * half - A * k;
        double real = square > 0 ? half + sqrt(square) : half;
        double size = sqrt(fabs(A) * k);
        assert_int_equal(solution->eigenvalue_count, 2);
        assert_close(fmax(solution->eigenvalues[0].real, solution->eigenvalues[1].real), real,
                     1e-11 * size);
        assert_close(fabs(solution->eigenvalues[0].imaginary), square < 0 ? sqrt(-square) : 0,
                     1e-11 * size);
        if (A < 0)
            assert_close(solution->growth_time, 1 / real, 1e-10 / real);
        else
            assert_true(isinf(solution->growth_time));
        answer_close(&answer);
    }
}

// ---- Case 2 of [S], theory.md 15.2 --------------------------------------------------------------

static void test_case2_readings(void **state)
{
    (void)state;
    static const struct {
        double L, I, A, B;
    } readings[] = {
        {0.5, 1.0 / 12, 0.387, -7.758}, {1, 1.0 / 3, 0.387, -8.784}, {1, 1.0 / 12, -1.453, -5.706}};
    for (int i = 0; i < 3; i++) {
        Rod rod = {.theta = 70 * DEGREE, .L = readings[i].L, .I = readings[i].I, .friction = 1};
        rod.torque = -1;
        Answer answer;
        open_rod(&answer, &rod);
        // at rest A is that of the worst direction: slip to the left. Three printed digits.
        assert_close(answer.verdict.A, readings[i].A, 5e-4);
        assert_close(answer.verdict.B, readings[i].B, 5e-4);
        assert_int_equal(answer.verdict.kind, SPRAG_VERDICT_UNIQUE);
        assert_int_equal(answer_mode(&answer, 0, "tip"), SPRAG_MODE_STICK);
        answer_close(&answer);
    }
}

// theta, theta', slip on the branch that slides to the left.
static void branch_rate(const Rod *rod, const double state[3], double rate[3])
{
    double c = cos(state[0]), s = sin(state[0]), w = state[1], L = rod->L, I = rod->I;
    double mu = rod->friction;
    double A = 1 + L * L * c / I * (c - mu * s);
    double B = L * w * w * s - G - L * c * rod->torque / I;
    double force = -B / A, angular = (rod->torque + force * L * (mu * s - c)) / I;
    rate[0] = w;
    rate[1] = angular;
    rate[2] = mu * force + L * s * angular + L * c * w * w;
}

static void branch_step(const Rod *rod, double h, double state[3])
{
    static const double nodes[] = {0, 0.5, 0.5, 1}, weights[] = {1, 2, 2, 1};
    double rate[3] = {0}, at[3], sum[3] = {0};
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < 3; i++)
            at[i] = state[i] + h * nodes[stage] * rate[i];
        branch_rate(rod, at, rate);
        for (int i = 0; i < 3; i++)
            sum[i] += weights[stage] * rate[i];
    }
    for (int i = 0; i < 3; i++)
        state[i] += h / 6 * sum[i];
}

// The reconstructions R1 and R2: three motions at rest; on the unstable branch the slip comes back
// to zero at 0.163 s, and there separation is the only motion.
static void test_case2_reconstructed(void **state)
{
    (void)state;
    static const struct {
        double L, I, torque;
    } data[] = {{0.5, 1.0 / 144, -1}, {1, 1.0 / 12, -3.83}};
    for (int i = 0; i < 2; i++) {
        Rod rod = {.theta = 70 * DEGREE, .L = data[i].L, .I = data[i].I, .friction = 1};
        rod.torque = data[i].torque;
        Answer answer;
        open_rod(&answer, &rod);
        assert_true(answer.verdict.A < 0 && answer.verdict.B > 0);
        assert_int_equal(answer.verdict.kind, SPRAG_VERDICT_MULTIPLE);
        int slide = answer_with_modes(&answer, 1, (SpragMode[]){SPRAG_MODE_SLIDE_MINUS});
        assert_true(slide >= 0);
        assert_int_equal(answer.verdict.solutions[slide].stability, SPRAG_DIVERGENT);
        assert_true(answer_with_modes(&answer, 1, (SpragMode[]){SPRAG_MODE_SEPARATE}) >= 0);
        answer_close(&answer);
        double now[3] = {rod.theta, 0, 0}, t = 0, h = 1e-5;
        for (; t < 0.3 && (t < 0.01 || now[2] < 0); t += h)
            branch_step(&rod, h, now);
        assert_close(t, 0.163, 1e-3); // three digits are printed
        rod.theta = now[0];
        rod.spin = now[1];
        open_rod(&answer, &rod);
        assert_int_equal(answer.verdict.kind, SPRAG_VERDICT_UNIQUE);
        assert_int_equal(answer_mode(&answer, 0, "tip"), SPRAG_MODE_SEPARATE);
        answer_close(&answer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_critical_friction),
        cmocka_unit_test(test_lowest_friction),
        cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_sticking_eigenvalues),
        cmocka_unit_test(test_sliding_spectrum),
        cmocka_unit_test(test_case2_readings),
        cmocka_unit_test(test_case2_reconstructed),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
