// The numbers of theory.md 13.1, 13.2 and 15.3: the spatial rod of [X] as its paper has it and as
// it is, by callbacks (the program in examples/) and by the files in examples/.
//
// Tolerances: closed forms hold to rounding of their terms, borders are bracketed to 1e-9.
#include "support/scenes.h"

// the example itself is what is tested
#define main example_main
int example_main(void);
#include "../../examples/spatial_rod.c"
#include "support/with_context.h"
#undef main

static const double G = 9.81, DEGREE = 3.14159265358979323846 / 180;

static Rod make_rod(bool true_inertia)
{
    return (Rod){.m = 1,
                 .l = 1,
                 .J = 1.0 / 3,
                 .friction = 1.8,
                 .gravity = G,
                 .true_inertia = true_inertia,
                 .cross_terms = true};
}

// A random state on the floor with the tip sliding along the floor.
static void random_state(SpragRandom *random, double *q, double *v)
{
    for (int i = 0; i < 5; i++) {
        q[i] = sprag_random_uniform(random, -1, 1);
        v[i] = sprag_random_uniform(random, -2, 2);
    }
    q[3] = sprag_random_uniform(random, 0.1, 1.4);
    q[4] = sprag_random_uniform(random, -3, 3);
    q[2] = sin(q[3]);
    v[2] = cos(q[3]) * v[3];
}

// ---- The callbacks ------------------------------------------------------------------------------

// Rows and rates (13.3), (13.4) against finite differences; the paper's bias without its cross
// terms is found out (C-42).
static void test_rates(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 131);
    for (int draw = 0; draw < test_draws(20); draw++) {
        double q[5], v[5];
        random_state(&random, q, v);
        for (int k = 0; k < 3; k++) {
            Rod rod = make_rod(k == 1);
            rod.cross_terms = k < 2;
            SpragSystemDef def = rod_system(&rod);
            SpragSystem *system;
            assert_ok(context, sprag_system_create(context, &def, &system));
            SpragStatus status = sprag_system_check(system, 0, q, v, 1e-5);
            if (k < 2)
                assert_ok(context, status);
            else if (fabs(v[3] * v[4]) > 0.01)
                assert_int_equal(status, SPRAG_ERROR_INPUT);
            sprag_system_destroy(system);
        }
    }
}

static void build_by_callbacks(Rod *rod, const double *q, const double *v,
                               SpragContactProblem *problem)
{
    SpragSystemDef def = rod_system(rod);
    SpragSystem *system;
    assert_ok(context, sprag_system_create(context, &def, &system));
    SpragContactTolerances tolerances = sprag_system_tolerances(system, v);
    sprag_contact_problem_init(problem, context);
    assert_ok(context, sprag_system_build_problem(system, 0, q, v, &tolerances, problem));
    assert_int_equal(problem->constraint_count, 1);
    sprag_system_destroy(system);
}

// What the file of an example gives at these angles and rates, slip along chi with friction |s|.
typedef struct State {
    double theta, psi, dtheta, dpsi, s, chi, speed;
} State;

static SpragScene *read_example(const char *name, const State *at)
{
    static const char *const keys[] = {"theta", "psi", "dtheta", "dpsi", "mu_sgn", "chi", "speed"};
    const double numbers[] = {at->theta, at->psi, at->dtheta, at->dpsi, at->s, at->chi, at->speed};
    SpragSceneSettings settings = sprag_scene_default();
    SpragSceneSet sets[7];
    char texts[7][40], path[1024];
    for (int i = 0; i < 7; i++) {
        snprintf(texts[i], sizeof texts[i], "%.17g", numbers[i]);
        sets[i] = (SpragSceneSet){keys[i], texts[i]};
    }
    settings.sets = sets;
    settings.set_count = 7;
    snprintf(path, sizeof path, "%s/examples/%s.yaml", SPRAG_SOURCE_DIR, name);
    SpragScene *scene;
    assert_ok(context, sprag_scene_read(context, path, &settings, &scene));
    return scene;
}

static const char *example_of(bool true_inertia)
{
    return true_inertia ? "spatial-rod" : "spatial-rod-paper";
}

// Files and callbacks give the same problem; that of the true rod is the vector form (13.10):
// W = 1/m + (l²/J)(1 − u uᵀ), b = g + l |u'|² u for the acceleration of the tip c − l u.
static void test_two_ways(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 132);
    for (int draw = 0; draw < test_draws(40); draw++) {
        double q[5], v[5];
        random_state(&random, q, v);
        bool true_inertia = draw % 2;
        Rod rod = make_rod(true_inertia);
        SpragContactProblem problem;
        build_by_callbacks(&rod, q, v, &problem);
        State at = {q[3], q[4], v[3], v[4], 1, 0, 1};
        SpragScene *scene = read_example(example_of(true_inertia), &at);
        const SpragContactProblem *file = sprag_scene_contact_problem(scene);
        for (int i = 0; i < 9; i++)
            assert_close(file->W[i], problem.W[i], 1e-13);
        for (int i = 0; i < 3; i++)
            assert_close(file->b[i], problem.b[i], 1e-12);
        double c = cos(q[3]), s = sin(q[3]);
        // order of the rows: z, y, x
        double u[3] = {s, c * sin(q[4]), c * cos(q[4])};
        double rate = v[3] * v[3] + c * c * v[4] * v[4];
        for (int i = 0; i < 3 && true_inertia; i++) {
            for (int j = 0; j < 3; j++)
                assert_close(problem.W[3 * i + j], (i == j) + 3 * ((i == j) - u[i] * u[j]), 1e-12);
            assert_close(problem.b[i], rate * u[i] - (i == 0 ? G : 0), 1e-11);
        }
        // (13.7)
        double turning = s * (v[3] * v[3] + (true_inertia ? c * c * v[4] * v[4] : 0));
        assert_close(problem.b[0], turning - G, 1e-12);
        sprag_scene_destroy(scene);
        sprag_contact_problem_destroy(&problem);
    }
}

// ---- Sliding ------------------------------------------------------------------------------------

static void answer_scene(Answer *answer, SpragScene *scene)
{
    memset(answer, 0, sizeof *answer);
    answer->context = context;
    answer->scene = scene;
    answer->problem = sprag_scene_contact_problem(scene);
    answer_analyze(answer);
}

// A (13.6) for every direction of the slip, and the motions that table 4.2 has for it, by both
// models; B is positive when the rod turns fast enough.
static void test_any_direction(void **state)
{
    (void)state;
    int counts[3] = {0};
    for (int n = 0; n < 2 * 8 * 6 * 3; n++) {
        State at = {.theta = (15 + 10 * (n / 16 % 6)) * DEGREE, .psi = 0.7, .speed = 1};
        bool true_inertia = n % 2;
        at.chi = n / 2 % 8 * 45 * DEGREE + 0.1;
        at.s = 2.6;
        at.dtheta = n / 96 == 0 ? 0 : n / 96 == 1 ? 3 : 6;
        double c = cos(at.theta), s = sin(at.theta);
        double A = 1 + 3 * c * (c + at.s * s * cos(at.chi - at.psi));
        double B = s * at.dtheta * at.dtheta - G;
        Answer answer;
        answer_scene(&answer, read_example(example_of(true_inertia), &at));
        assert_true(answer.verdict.one_contact);
        assert_close(answer.verdict.A, A, 1e-12);
        assert_close(answer.verdict.B, B, 1e-12 * (1 + at.dtheta * at.dtheta));
        int wanted = A > 0 ? 1 : B > 0 ? 2 : 0;
        counts[wanted]++;
        assert_int_equal(answer.verdict.solution_count, wanted);
        assert_int_equal(answer.verdict.stable_count, wanted > 0);
        assert_false(answer.verdict.held);
        answer_close(&answer);
    }
    assert_true(counts[0] > 5 && counts[1] > 50 && counts[2] > 5);
}

// In the vertical plane of the rod it is the planar rod, theory.md section 17, number 12.
static void test_planar(void **state)
{
    (void)state;
    for (int n = 0; n < 12; n++) {
        State at = {.theta = (20 + 10 * (n % 6)) * DEGREE, .psi = 0.4, .chi = 0.4, .speed = 1};
        at.s = n < 6 ? -0.9 : 0.9;
        at.dtheta = 2;
        double c = cos(at.theta), s = sin(at.theta);
        Answer space, plane;
        answer_scene(&space, read_example("spatial-rod", &at));
        answer_format(&plane, context,
                      "sprag: 1\nproblem: contact\nmass: [1, 1, 1/3]\n"
                      "J: [[1, 0, %.17g], [0, 1, %.17g]]\nforce: [-9.81, 0, 0]\n"
                      "bias: [%.17g, %.17g]\ncontacts: [{friction: 0.9, slip: %g}]\n",
                      -c, s, 4 * s, 4 * c, at.s);
        assert_int_equal(space.verdict.solution_count, plane.verdict.solution_count);
        const double *three = answer_motion(&space, 0)->force;
        const double *two = answer_motion(&plane, 0)->force;
        assert_close(three[0], two[0], 1e-12 * (1 + two[0]));
        assert_close(three[1], two[1] * sin(0.4), 1e-12 * (1 + two[0]));
        assert_close(three[2], two[1] * cos(0.4), 1e-12 * (1 + two[0]));
        answer_close(&space);
        answer_close(&plane);
    }
}

// ---- The figures of [X], theory.md 15.3 ---------------------------------------------------------

// Fig. 3: the border of A > 0 over (μ sgn, θ), all of it on the negative side.
static void test_stability_map(void **state)
{
    (void)state;
    for (int true_inertia = 0; true_inertia < 2; true_inertia++) {
        SpragMapSettings settings = sprag_map_default();
        settings.x = "mu_sgn=-3.01:2.98:41";
        settings.y = "theta=5.3:85deg:41";
        settings.border_tolerance = 1e-12;
        char path[1024];
        snprintf(path, sizeof path, "%s/examples/%s.yaml", SPRAG_SOURCE_DIR,
                 example_of(true_inertia));
        SpragMap *map;
        assert_ok(context, sprag_map_create(context, path, &settings, &map));
        int checked = 0;
        double nearest = -INFINITY, at = 0;
        for (int i = 0; i < map->segment_count; i++) {
            const SpragMapSegment *segment = &map->segments[i];
            if (segment->right < 0 || map->vertices[segment->a].meeting)
                continue;
            const SpragMapVertex *vertex = &map->vertices[segment->a];
            double c = cos(vertex->y), s = sin(vertex->y);
            assert_close(vertex->x, -(1 + 3 * c * c) / (3 * s * c), 1e-9);
            checked++;
            if (vertex->x > nearest) {
                nearest = vertex->x;
                at = vertex->y;
            }
        }
        assert_true(checked > 20);
        assert_close(nearest, -4.0 / 3, 2e-3); // second order in the half cell of 1°
        assert_close(at, atan(2), 0.04);
        for (int j = 0; j < 41; j++)
            for (int i = 0; i < 41; i++) {
                const SpragOutcome *outcome = &map->table[map->classes[i + 41 * j]].outcome;
                double c = cos(map->axes[1].values[j]), s = sin(map->axes[1].values[j]);
                bool stable = 1 + 3 * c * (c + map->axes[0].values[i] * s) > 0;
                assert_int_equal(outcome->solution_count, stable);
            }
        sprag_map_destroy(map);
    }
}

// The tip of the region to 1e-9: the margin of s at tan θ = 2.
static void test_tip(void **state)
{
    (void)state;
    const SpragSceneSet sets[] = {{"theta", "atan(2)"}, {"mu_sgn", "-1"}};
    SpragSceneSettings settings = sprag_scene_default();
    settings.sets = sets;
    settings.set_count = 2;
    double s;
    SpragMargin margin;
    assert_ok(context,
              sprag_margin_parameter(context, SPRAG_SOURCE_DIR "/examples/spatial-rod-paper.yaml",
                                     &settings, "mu_sgn", &s, &margin));
    double low = s * (1 + margin.up.change);
    assert_close(low, -4.0 / 3, 1e-9);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Fig. 4: eigenvalues of D while the tip sticks (13.8), over (θ, Ψ), for other inertias too.
static void test_eigenvalues(void **state)
{
    (void)state;
    for (int n = 0; n < 2 * 9 * 6; n++) {
        bool true_inertia = n % 2;
        State at = {.theta = (5 + 10 * (n / 2 % 9)) * DEGREE, .psi = n / 18 * 35 * DEGREE, .s = 1};
        double c = cos(at.theta);
        double wanted[3] = {1, 4, true_inertia ? 4 : 1 + 3 * c * c}, found[3];
        Answer answer;
        answer_scene(&answer, read_example(example_of(true_inertia), &at));
        assert_int_equal(answer.verdict.kind, SPRAG_VERDICT_UNIQUE);
        const SpragSolution *solution = &answer.verdict.solutions[0];
        assert_int_equal(solution->motion->modes[0], SPRAG_MODE_STICK);
        assert_int_equal(solution->stability, SPRAG_STABLE);
        assert_int_equal(solution->layer_count, 3);
        for (int i = 0; i < 3; i++) {
            found[i] = solution->layer[i].real;
            assert_close(solution->layer[i].imaginary, 0, 1e-7);
        }
        qsort(wanted, 3, sizeof *wanted, compare);
        qsort(found, 3, sizeof *found, compare);
        for (int i = 0; i < 3; i++)
            assert_close(found[i], wanted[i], 1e-12);
        assert_false(answer.verdict.held); // the tip holds, the rod falls
        answer_close(&answer);
    }
}

// ---- The vector form in motion ------------------------------------------------------------------

// u, u', c, c' of the rod as vectors (x, y, z), sliding with friction: (13.10).
static void vector_rate(double friction, const double *y, double *rate)
{
    const double *u = y, *w = y + 3, *velocity = y + 9;
    double square = 0, tip[3], force[3];
    for (int i = 0; i < 3; i++) {
        square += w[i] * w[i];
        tip[i] = velocity[i] - w[i];
    }
    double speed = hypot(tip[0], tip[1]), d[3] = {-tip[0] / speed, -tip[1] / speed, 0};
    // W and b of the tip, rows as (x, y, z)
    double A = 1 + 3 * (1 - u[2] * u[2]) - 3 * friction * u[2] * (u[0] * d[0] + u[1] * d[1]);
    double normal = -(square * u[2] - G) / A;
    for (int i = 0; i < 3; i++)
        force[i] = normal * (i == 2 ? 1 : friction * d[i]);
    // moment of the force at the tip, −u × force; then u'' = −|u'|² u + (τ × u)/J
    double tau[3] = {-(u[1] * force[2] - u[2] * force[1]), -(u[2] * force[0] - u[0] * force[2]),
                     -(u[0] * force[1] - u[1] * force[0])};
    double turned[3] = {tau[1] * u[2] - tau[2] * u[1], tau[2] * u[0] - tau[0] * u[2],
                        tau[0] * u[1] - tau[1] * u[0]};
    for (int i = 0; i < 3; i++) {
        rate[i] = w[i];
        rate[3 + i] = -square * u[i] + 3 * turned[i];
        rate[6 + i] = velocity[i];
        rate[9 + i] = force[i] - (i == 2 ? G : 0);
    }
}

typedef struct Sliding {
    Rod *rod;
    SpragSystem *system;
    SpragAnalysis *analysis;
    SpragContactProblem problem;
} Sliding;

// q' and q'' by the program: the acceleration of the one motion.
static void program_rate(Sliding *sliding, const double *y, double *rate)
{
    SpragContactTolerances loose = {1e-3, 1e-3, 1e-9};
    SpragVerdict verdict;
    assert_ok(context,
              sprag_system_build_problem(sliding->system, 0, y, y + 5, &loose, &sliding->problem));
    assert_int_equal(sliding->problem.constraint_count, 1);
    assert_ok(context, sprag_analysis_run(sliding->analysis, &sliding->problem, NULL, &verdict));
    assert_int_equal(verdict.kind, SPRAG_VERDICT_UNIQUE);
    memcpy(rate, y + 5, 5 * sizeof *rate);
    sprag_contact_problem_acceleration(&sliding->problem, verdict.solutions[0].motion->force,
                                       rate + 5);
}

static void rk4(int n, double h, double *y, void (*evaluate)(void *, const double *, double *),
                void *user)
{
    static const double nodes[] = {0, 0.5, 0.5, 1}, weights[] = {1, 2, 2, 1};
    double rate[12] = {0}, at[12], sum[12] = {0};
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < n; i++)
            at[i] = y[i] + h * nodes[stage] * rate[i];
        evaluate(user, at, rate);
        for (int i = 0; i < n; i++)
            sum[i] += weights[stage] * rate[i];
    }
    for (int i = 0; i < n; i++)
        y[i] += h / 6 * sum[i];
}

static void evaluate_vector(void *user, const double *y, double *rate)
{
    vector_rate(((Sliding *)user)->rod->friction, y, rate);
}

static void evaluate_program(void *user, const double *y, double *rate)
{
    program_rate(user, y, rate);
}

// 0.1 s of sliding in the coordinates (13.5) and as vectors (13.10): they agree to 1e-8 (the steps
// are small enough that both are exact to that).
static void test_vector_form(void **state)
{
    (void)state;
    Rod rod = make_rod(true);
    rod.friction = 0.4;
    SpragSystemDef def = rod_system(&rod);
    Sliding sliding = {.rod = &rod};
    sprag_contact_problem_init(&sliding.problem, context);
    assert_ok(context, sprag_system_create(context, &def, &sliding.system));
    assert_ok(context, sprag_analysis_create(context, &sliding.analysis));
    double theta = 0.9, psi = 0.5, dtheta = -0.4, dpsi = 1.2;
    double c = cos(theta), s = sin(theta), cp = cos(psi), sp = sin(psi);
    double y[10] = {0, 0, s, theta, psi, 1.5, -0.8, c * dtheta, dtheta, dpsi};
    double z[12] = {c * cp,
                    c * sp,
                    s,
                    -s * cp * dtheta - c * sp * dpsi,
                    -s * sp * dtheta + c * cp * dpsi,
                    c * dtheta,
                    0,
                    0,
                    s,
                    1.5,
                    -0.8,
                    c * dtheta};
    for (int step = 0; step < 200; step++) {
        rk4(10, 5e-4, y, evaluate_program, &sliding);
        rk4(12, 5e-4, z, evaluate_vector, &sliding);
    }
    double u[3] = {cos(y[3]) * cos(y[4]), cos(y[3]) * sin(y[4]), sin(y[3])};
    for (int i = 0; i < 3; i++) {
        assert_close(u[i], z[i], 1e-8);
        assert_close(y[i], z[6 + i], 1e-8);
        assert_close(y[5 + i], z[9 + i], 1e-8);
    }
    assert_true(fabs(y[0]) > 0.1); // it did slide
    sprag_contact_problem_destroy(&sliding.problem);
    sprag_analysis_destroy(sliding.analysis);
    sprag_system_destroy(sliding.system);
}

// ---- 13.1 ---------------------------------------------------------------------------------------

// a_nn > μ|g| and still three motions: stick, and slip towards two directions.
static void test_three_in_space(void **state)
{
    (void)state;
    Answer answer;
    answer_text(&answer, context,
                "sprag: 1\nproblem: contact\ndimension: 3\n"
                "W: [[1, 0.6, 0.6], [0.6, 2, 0], [0.6, 0, 0.5]]\nb: [-1, 4.6, -1.5]\n"
                "contacts: [{friction: 1}]\n");
    assert_int_equal(answer.verdict.kind, SPRAG_VERDICT_MULTIPLE);
    assert_int_equal(answer.verdict.solution_count, 3);
    assert_close(answer.verdict.A, 1 - 0.6 * sqrt(2), 1e-12);
    int stick = 0, straight = 0, turned = 0;
    for (int i = 0; i < 3; i++) {
        const SpragMotion *motion = answer_motion(&answer, i);
        if (motion->modes[0] == SPRAG_MODE_STICK) {
            stick++;
            assert_close(motion->force[0], 5.8, 0.05); // printed digits
            assert_close(motion->force[1], -4.04, 0.005);
            assert_close(motion->force[2], -3.96, 0.005);
            continue;
        }
        double chi = atan2(motion->acceleration[2], motion->acceleration[1]);
        if (fabs(chi) < 1e-6) {
            straight++;
            assert_close(motion->force[0], 2.5, 1e-9);
            assert_close(motion->acceleration[1], 1.1, 1e-9);
            assert_true(answer.verdict.solutions[i].stable);
        } else {
            turned++;
            assert_close(chi, 0.01767, 5e-6);
            assert_false(answer.verdict.solutions[i].stable);
        }
    }
    assert_true(stick == 1 && straight == 1 && turned == 1);
    answer_close(&answer);
}

// Table 4.2 in space, whatever the direction χ of the slip: A = 1 − μ α with μ = 2, the equalities
// A = 0 and B = 0 among them (up to the rounding of cos² χ + sin² χ).
static void test_sliding_table(void **state)
{
    (void)state;
    static const double couplings[] = {0.25, 0.5, 0.75}, loads[] = {1, 0, -1};
    static const SpragVerdictKind kinds[3][3] = {
        {SPRAG_VERDICT_UNIQUE, SPRAG_VERDICT_UNIQUE, SPRAG_VERDICT_UNIQUE},
        {SPRAG_VERDICT_UNIQUE, SPRAG_VERDICT_INFINITE, SPRAG_VERDICT_NONE},
        {SPRAG_VERDICT_MULTIPLE, SPRAG_VERDICT_UNIQUE, SPRAG_VERDICT_NONE}};
    for (int n = 0; n < 9 * 7; n++) {
        int i = n % 3, k = n / 3 % 3;
        double chi = 0.9 * (n / 9), t = couplings[i] * cos(chi), o = couplings[i] * sin(chi);
        Answer answer;
        answer_format(&answer, context,
                      "sprag: 1\nproblem: contact\ndimension: 3\n"
                      "W: [[1, %.17g, %.17g], [%.17g, 1, 0], [%.17g, 0, 1]]\nb: [%g, 0.3, -0.1]\n"
                      "contacts: [{friction: 2, slip: [%.17g, %.17g]}]\n",
                      t, o, t, o, loads[k], 1.5 * cos(chi), 1.5 * sin(chi));
        assert_int_equal(answer.verdict.kind, kinds[i][k]);
        assert_close(answer.verdict.A, 1 - 2 * couplings[i], 1e-15);
        assert_int_equal(answer.verdict.recommended_compliant,
                         kinds[i][k] == SPRAG_VERDICT_NONE ||
                             kinds[i][k] == SPRAG_VERDICT_INFINITE);
        if (kinds[i][k] == SPRAG_VERDICT_UNIQUE || kinds[i][k] == SPRAG_VERDICT_MULTIPLE)
            assert_int_equal(answer.verdict.stable_count, 1);
        answer_close(&answer);
    }
}

// Without friction, and with rows that say the same twice: one motion, plain words.
static void test_plain(void **state)
{
    (void)state;
    Answer answer;
    answer_text(&answer, context,
                "sprag: 1\nproblem: contact\ndimension: 3\nmass: [1, 1, 1]\n"
                "J: [[0, 0, 1], [1, 0, 0], [0, 1, 0]]\nforce: [0, 0, -9.81]\n"
                "contacts: [{friction: 0}]\n");
    assert_held(&answer);
    answer_close(&answer);
    answer_text(&answer, context,
                "sprag: 1\nproblem: contact\ndimension: 3\nmass: [1, 1, 1]\n"
                "J: [[0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0]]\n"
                "force: [1, 2, -9.81]\ncontacts: [{friction: 0.5}, {friction: 0.5}]\n");
    assert_held(&answer);
    assert_false(answer.verdict.forces_unique);
    const double *force = answer_motion(&answer, 0)->force;
    assert_close(force[0] + force[3], G, 1e-11);
    assert_close(force[1] + force[4], -1, 1e-11);
    assert_close(force[2] + force[5], -2, 1e-11);
    answer_close(&answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates),          cmocka_unit_test(test_two_ways),
        cmocka_unit_test(test_any_direction),  cmocka_unit_test(test_planar),
        cmocka_unit_test(test_stability_map),  cmocka_unit_test(test_tip),
        cmocka_unit_test(test_eigenvalues),    cmocka_unit_test(test_vector_form),
        cmocka_unit_test(test_three_in_space), cmocka_unit_test(test_sliding_table),
        cmocka_unit_test(test_plain),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
