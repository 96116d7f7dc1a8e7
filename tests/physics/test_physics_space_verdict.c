// Verdicts of bodies in space: a ball and a box at rest, a box on an incline in every heading, and
// the rod of [X] as a full rigid body (theory.md 13.2, 15.3).
#include "support/space_model.h"
#include "support/with_context.h"

static const double G = 9.81, PI = 3.14159265358979323846;

typedef struct Judged {
    SpragSystem *system;
    SpragContactProblem problem;
    SpragAnalysis *analysis;
    SpragVerdict verdict;
} Judged;

static void set_friction(SpragModel *model, double mu)
{
    SpragMaterial material = model->materials[0];
    material.friction = (SpragFriction){true, mu, mu, 0};
    assert_ok(context, sprag_model_replace_material(model, 0, &material));
}

static void judge(const SpragModel *model, Judged *judged)
{
    double q[64], v[64];
    memset(judged, 0, sizeof *judged);
    judged->system = space_system(model);
    sprag_system_initial(judged->system, q, v);
    SpragContactTolerances tolerances = sprag_system_tolerances(judged->system, v);
    sprag_contact_problem_init(&judged->problem, context);
    assert_ok(context,
              sprag_system_build_problem(judged->system, 0, q, v, &tolerances, &judged->problem));
    SpragAnalysisSettings settings = sprag_analysis_default();
    assert_ok(context, sprag_analysis_create(context, &judged->analysis));
    assert_ok(context,
              sprag_analysis_run(judged->analysis, &judged->problem, &settings, &judged->verdict));
}

static void dismiss(Judged *judged)
{
    sprag_analysis_destroy(judged->analysis);
    sprag_contact_problem_destroy(&judged->problem);
    sprag_system_destroy(judged->system);
}

// ---- At rest ------------------------------------------------------------------------------------

static void ball_at_rest(void **state)
{
    (void)state;
    const double I[6] = {0.004, 0.004, 0.004, 0, 0, 0};
    SpragModel *model = space_model(context);
    int table = space_body(model, "table", 0, NULL, sprag_vec3(0, 0, 0), space_no_turn());
    space_plane(model, table, sprag_vec3(0, 0, 1));
    int ball = space_body(model, "ball", 1, I, sprag_vec3(0, 0, 0.1), space_no_turn());
    space_sphere(model, ball, sprag_vec3(0, 0, 0), 0.1);
    Judged judged;
    judge(model, &judged);
    assert_int_equal(judged.verdict.kind, SPRAG_VERDICT_UNIQUE);
    assert_true(judged.verdict.held && judged.verdict.forces_unique);
    assert_close(judged.verdict.solutions[0].motion->force[0], G, 1e-12);
    dismiss(&judged);
    sprag_model_destroy(model);
}

static SpragModel *box_model(SpragVec3 normal, SpragQuaternion Q, double mu)
{
    const double m = 2, a = 0.4, b = 0.3, c = 0.2;
    const double I[6] = {
        m * (b * b + c * c) / 12, m * (a * a + c * c) / 12, m * (a * a + b * b) / 12, 0, 0, 0};
    SpragModel *model = space_model(context);
    set_friction(model, mu);
    int table = space_body(model, "table", 0, NULL, sprag_vec3(0, 0, 0), space_no_turn());
    space_plane(model, table, normal);
    int box = space_body(model, "box", m, I, sprag_vec3_scale(c / 2, normal), Q);
    space_box(model, box, a, b, c);
    return model;
}

// Four corners: the motion is unique, the forces are not; their sum is the weight.
static void box_at_rest(void **state)
{
    (void)state;
    SpragModel *model = box_model(sprag_vec3(0, 0, 1), space_no_turn(), 0.4);
    Judged judged;
    judge(model, &judged);
    assert_int_equal(judged.problem.constraint_count, 4);
    assert_int_equal(judged.verdict.kind, SPRAG_VERDICT_UNIQUE);
    assert_true(judged.verdict.held && !judged.verdict.forces_unique);
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += judged.verdict.solutions[0].motion->force[3 * i];
    assert_close(sum, 2 * G, 1e-9);
    dismiss(&judged);
    sprag_model_destroy(model);
}

// ---- Towers -------------------------------------------------------------------------------------

enum { STOREYS = 5 };
static const double WIDE = 1, DEEP = 0.6, HIGH = 0.8;

// Equal boxes on each other, on a floor with the given normal, the long side downhill, moving along
// it.
static SpragModel *tower_model(SpragQuaternion Q, double mu, double speed)
{
    const double m = 3,
                 I[6] = {m * (DEEP * DEEP + HIGH * HIGH) / 12, m * (WIDE * WIDE + HIGH * HIGH) / 12,
                         m * (WIDE * WIDE + DEEP * DEEP) / 12};
    SpragMat3 R = sprag_quaternion_matrix(Q);
    SpragVec3 up = sprag_mat3_apply(&R, sprag_vec3(0, 0, 1)),
              along = sprag_mat3_apply(&R, sprag_vec3(1, 0, 0));
    SpragModel *model = space_model(context);
    set_friction(model, mu);
    int table = space_body(model, "table", 0, NULL, sprag_vec3(0, 0, 0), space_no_turn());
    space_plane(model, table, up);
    for (int k = 0; k < STOREYS; k++) {
        char name[16];
        snprintf(name, sizeof name, "box%d", k);
        int box = space_body(model, name, m, I, sprag_vec3_scale((k + 0.5) * HIGH, up), Q);
        space_box(model, box, WIDE, DEEP, HIGH);
        SpragBody body = model->bodies[box];
        body.velocity[0] = speed * along.x;
        body.velocity[1] = speed * along.y;
        body.velocity[2] = speed * along.z;
        assert_ok(context, sprag_model_replace_body(model, box, &body));
    }
    return model;
}

// It falls over its lower edge as one body: two corners of the lowest box leave the floor with
// `rise`, two stay. The search among the modes of all twenty contacts would not end; the motion
// is found by solving for it.
static void assert_tower_falls(SpragModel *model, double rise)
{
    Judged judged;
    int leave = 0;
    judge(model, &judged);
    assert_int_equal(judged.problem.constraint_count, 4 * STOREYS);
    assert_int_equal(judged.verdict.kind, SPRAG_VERDICT_UNIQUE);
    assert_false(judged.verdict.held);
    const SpragMotion *motion = judged.verdict.solutions[0].motion;
    for (int i = 0; i < 4 * STOREYS; i++)
        if (motion->modes[i] == SPRAG_MODE_SEPARATE) {
            assert_close(motion->acceleration[3 * i], rise, 1e-9 * rise);
            leave++;
        }
    assert_int_equal(leave, 2);
    dismiss(&judged);
    sprag_model_destroy(model);
}

// A tower of width a and height h on an incline beyond tan alpha = a/h turns about its lower edge,
// the moment of its weight over M (a² + h²)/3. One that slides on a level floor with mu h > a turns
// forward: N at the front edge gives theta'' = N (mu h - a)/(2 I) and M z'' = N - M g, and that
// edge stays down, z'' = theta'' a/2.
static void towers_fall(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 33);
    for (int draw = 0; draw < test_draws(1); draw++) {
        double heading = PI * space_draw(&random), h = STOREYS * HIGH, mu = 0.6, alpha = 0.3;
        SpragQuaternion turn = sprag_quaternion_exp(sprag_vec3(0, 0, heading));
        SpragQuaternion lean = sprag_quaternion_exp(sprag_vec3(0, alpha, 0));
        double moment = G * (h * sin(alpha) - WIDE * cos(alpha)) / 2;
        assert_tower_falls(tower_model(sprag_quaternion_product(turn, lean), mu, 0),
                           WIDE * moment / ((WIDE * WIDE + h * h) / 3));
        double mass_over_inertia = 12 / (WIDE * WIDE + h * h);
        double over = mass_over_inertia * (mu * h - WIDE) / 2; // theta'' = over N/M
        double push = G / (1 - over * WIDE / 2);               // N/M
        assert_tower_falls(tower_model(turn, mu, 1), WIDE * over * push);
    }
}

// A box lies flat on an incline that falls in any heading, turned anyhow about the normal: it holds
// below tan alpha = mu and slides down the line of steepest descent above it, and both are proved
// to be all there is (theory.md (13.28)), to 1e-7 of the threshold.
static void box_on_an_incline(void **state)
{
    (void)state;
    const double mu = 0.4;
    SpragRandom random;
    sprag_random_init(&random, 21);
    for (int draw = 0; draw < test_draws(8); draw++) {
        double heading = PI * space_draw(&random), turn = PI * space_draw(&random);
        for (int k = 0; k < 4; k++) {
            bool above = k & 1;
            double alpha = atan(mu) + (above ? 1 : -1) * (k < 2 ? 1e-3 : 1e-7);
            SpragVec3 down = sprag_vec3(cos(heading), sin(heading), 0);
            SpragVec3 axis = sprag_vec3(-sin(heading), cos(heading), 0);
            SpragQuaternion lean = sprag_quaternion_exp(sprag_vec3_scale(alpha, axis));
            SpragMat3 R = sprag_quaternion_matrix(lean);
            SpragVec3 normal = sprag_mat3_apply(&R, sprag_vec3(0, 0, 1));
            SpragQuaternion Q =
                sprag_quaternion_product(lean, sprag_quaternion_exp(sprag_vec3(0, 0, turn)));
            SpragModel *model = box_model(normal, Q, mu);
            Judged judged;
            judge(model, &judged);
            assert_int_equal(judged.problem.constraint_count, 4);
            assert_int_equal(judged.verdict.kind, SPRAG_VERDICT_UNIQUE);
            assert_true(judged.verdict.complete);
            assert_int_equal(judged.verdict.held, !above);
            double a[6];
            sprag_contact_problem_acceleration(&judged.problem,
                                               judged.verdict.solutions[0].motion->force, a);
            double fall = above ? G * (sin(alpha) - mu * cos(alpha)) : 0;
            SpragVec3 along = sprag_mat3_apply(&R, down);
            SpragVec3 expected = sprag_vec3_scale(fall, along);
            assert_close(sprag_vec3_norm(sprag_vec3_sub(sprag_vec3_of(a), expected)), 0, 1e-9);
            assert_close(sprag_vec3_norm(sprag_vec3_of(a + 3)), 0, 1e-8);
            dismiss(&judged);
            sprag_model_destroy(model);
        }
    }
}

// ---- The rod of [X] -----------------------------------------------------------------------------

typedef struct Lean {
    double th, psi;   // of theory.md 13.2
    double chi;       // direction of the slip of the tip
    double mu, speed; // speed 0: at rest
} Lean;

// A rod of mass 1 and half length 1 on its tip; thin, or a capsule of that radius.
static SpragModel *rod_model(const Lean *lean, double radius)
{
    SpragModel *model = space_model(context);
    double J = 1.0 / 3;
    const double I[6] = {radius > 0 ? radius * radius / 2 : 0, J, J, 0, 0, 0};
    set_friction(model, lean->mu);
    int floor = space_body(model, "floor", 0, NULL, sprag_vec3(0, 0, 0), space_no_turn());
    space_plane(model, floor, sprag_vec3(0, 0, 1));
    SpragQuaternion up = sprag_quaternion_exp(sprag_vec3(0, -lean->th, 0));
    SpragQuaternion Q =
        sprag_quaternion_product(sprag_quaternion_exp(sprag_vec3(0, 0, lean->psi)), up);
    int rod = space_body(model, "rod", 1, I, sprag_vec3(0, 0, sin(lean->th) + radius), Q);
    SpragBody moving = model->bodies[rod];
    moving.velocity[0] = lean->speed * cos(lean->chi);
    moving.velocity[1] = lean->speed * sin(lean->chi);
    assert_ok(context, sprag_model_replace_body(model, rod, &moving));
    space_rod(model, rod, 1, radius);
    return model;
}

// A of (13.6), and the verdict that follows: the rod slides where A > 0; else it is jammed.
static void rod_slides(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 22);
    for (int draw = 0; draw < test_draws(30); draw++) {
        Lean lean = {.th = sprag_random_uniform(&random, 0.1, 1.4),
                     .psi = PI * space_draw(&random),
                     .chi = PI * space_draw(&random),
                     .mu = sprag_random_uniform(&random, 0, 3),
                     .speed = 0.5};
        double A = 1 + 3 * cos(lean.th) *
                           (cos(lean.th) + lean.mu * sin(lean.th) * cos(lean.chi - lean.psi));
        SpragModel *model = rod_model(&lean, 0);
        Judged judged;
        judge(model, &judged);
        assert_true(judged.verdict.one_contact);
        assert_close(judged.verdict.A, A, 1e-12);
        assert_close(judged.verdict.B, -G, 1e-12);
        assert_int_equal(judged.verdict.kind, A > 0 ? SPRAG_VERDICT_UNIQUE : SPRAG_VERDICT_NONE);
        dismiss(&judged);
        sprag_model_destroy(model);
        // a capsule as thin as 1e-5 is the rod up to its radius
        model = rod_model(&lean, 1e-5);
        judge(model, &judged);
        assert_close(judged.verdict.A, A, 1e-3);
        dismiss(&judged);
        sprag_model_destroy(model);
    }
}

// At rest with much friction the tip sticks; the layer has the eigenvalues 1, 4, 4 of (13.8)
// everywhere, and sticking is stable.
static void rod_sticks(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 23);
    for (int draw = 0; draw < test_draws(10); draw++) {
        Lean lean = {.th = sprag_random_uniform(&random, 0.1, 1.4),
                     .psi = PI * space_draw(&random),
                     .mu = 20};
        SpragModel *model = rod_model(&lean, 0);
        Judged judged;
        judge(model, &judged);
        bool found = false;
        for (int i = 0; i < judged.verdict.solution_count; i++) {
            const SpragSolution *solution = &judged.verdict.solutions[i];
            if (solution->motion->modes[0] != SPRAG_MODE_STICK)
                continue;
            found = true;
            assert_int_equal(solution->stability, SPRAG_STABLE);
            assert_int_equal(solution->layer_count, 3);
            double sum = 0, product = 1;
            for (int k = 0; k < 3; k++) {
                assert_close(solution->layer[k].imaginary, 0, 1e-7);
                sum += solution->layer[k].real;
                product *= solution->layer[k].real;
            }
            assert_close(sum, 9, 1e-10);
            assert_close(product, 16, 1e-9);
        }
        assert_true(found);
        dismiss(&judged);
        sprag_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_at_rest), cmocka_unit_test(box_at_rest),
        cmocka_unit_test(towers_fall),  cmocka_unit_test(box_on_an_incline),
        cmocka_unit_test(rod_slides),   cmocka_unit_test(rod_sticks)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
