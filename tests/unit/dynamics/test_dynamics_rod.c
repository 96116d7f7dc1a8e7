// The rod of theory.md section 4: rows, Delassus entries and free accelerations against the closed
// formulas, from a model and from callbacks; checks of callbacks.
#include "unit/collide/world.h"

typedef struct Rod {
    double m, I, L, theta, omega, slip;
    double fx, fy, torque; // beside gravity
    double mu;
} Rod;

static Rod draw_rod(SpragRandom *random)
{
    Rod rod = {.m = sprag_random_uniform(random, 0.1, 3),
               .L = sprag_random_uniform(random, 0.1, 1),
               .theta = sprag_random_uniform(random, 0.05, 1.5),
               .omega = sprag_random_uniform(random, -3, 3),
               .slip = sprag_random_uniform(random, -2, 2),
               .fx = sprag_random_uniform(random, -5, 5),
               .fy = sprag_random_uniform(random, -5, 5),
               .torque = sprag_random_uniform(random, -1, 1),
               .mu = sprag_random_uniform(random, 0, 2)};
    rod.I = rod.m * rod.L * rod.L * sprag_random_uniform(random, 0.1, 1);
    return rod;
}

static SpragModel *rod_model(SpragContext *context, const Rod *rod)
{
    SpragModel *model = world_create(context);
    int table = world_body(model, "table", true, 0, 0, 0);
    int body = world_body(model, "rod", false, 0, 0, rod->theta);
    model->bodies[body].mass = rod->m;
    model->bodies[body].inertia = rod->I;
    model->bodies[body].spin = rod->omega;
    world_plane(model, table, 0, 0);
    world_rod(model, body, 2 * rod->L);
    SpragLoad load = {.body = body, .force = {rod->fx, rod->fy, 0}, .torque = rod->torque};
    assert_ok(context, sprag_model_add_load(model, &load, NULL));
    SpragRule rule = {.name = (char[]){"tip"}, .friction = {true, rod->mu, rod->mu, 0}};
    rule.between[0] = (SpragSelector){SPRAG_SELECT_FEATURE, 1, 0};
    rule.between[1] = (SpragSelector){SPRAG_SELECT_BODY, table, 0};
    assert_ok(context, sprag_model_add_rule(model, &rule, NULL));
    SpragStart start = {
        .kind = SPRAG_START_CONTACT, .contact = (char[]){"tip"}, .slip_given = true};
    start.slip = rod->slip;
    assert_ok(context, sprag_model_add_start(model, &start, NULL));
    return model;
}

static SpragContactProblem build(SpragSystem *system, SpragContext *context, const double *q,
                                 const double *v)
{
    SpragContactProblem problem;
    sprag_contact_problem_init(&problem, context);
    SpragContactTolerances tolerances = sprag_system_tolerances(system, v);
    assert_ok(context, sprag_system_build_problem(system, 0, q, v, &tolerances, &problem));
    return problem;
}

static void test_rod_formulas(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 3);
    for (int draw = 0; draw < test_draws(50); draw++) {
        Rod rod = draw_rod(&random);
        SpragContext *context = test_context();
        SpragModel *model = rod_model(context, &rod);
        SpragSystem *system = NULL;
        assert_ok(context, sprag_system_create_model(model, &system));
        double q[3], v[3], s = sin(rod.theta), c = cos(rod.theta);
        sprag_system_initial(system, q, v);
        // start: the tip is on the table, its normal velocity 0 and its slip as told
        assert_close(q[1], rod.L * s, 1e-15);
        assert_close(v[1] - rod.L * c * rod.omega, 0, 1e-14);
        assert_close(v[0] + rod.L * s * rod.omega, rod.slip, 1e-14);
        SpragContactProblem problem = build(system, context, q, v);
        assert_int_equal(problem.constraint_count, 1);
        assert_string_equal(problem.constraints[0].name, "tip");
        assert_true(problem.constraints[0].sliding);
        assert_close(problem.constraints[0].slip[0], rod.slip, 1e-14);
        assert_close(problem.constraints[0].friction, rod.mu, 0);
        // (4.2) with q = (x, y, θ)
        const double *N = problem.jacobian + problem.rows[0].data[0];
        const double *T = problem.jacobian + problem.rows[1].data[0];
        const double rows[2][3] = {{0, 1, -rod.L * c}, {1, 0, rod.L * s}};
        for (int k = 0; k < 3; k++) {
            assert_close(N[k], rows[0][k], 1e-15);
            assert_close(T[k], rows[1][k], 1e-15);
        }
        // (4.5)–(4.7)
        double fy = rod.fy - rod.m * 9.81, turn = rod.L / rod.I;
        assert_close(problem.W[0], 1 / rod.m + rod.L * turn * c * c, 1e-12 * problem.W[0]);
        assert_close(problem.W[3], 1 / rod.m + rod.L * turn * s * s, 1e-12 * problem.W[3]);
        assert_close(problem.W[1], -rod.L * turn * s * c, 1e-12 * problem.W[0]);
        double B = rod.L * rod.omega * rod.omega * s + fy / rod.m - turn * c * rod.torque;
        double BT = rod.L * rod.omega * rod.omega * c + rod.fx / rod.m + turn * s * rod.torque;
        assert_close(problem.b[0], B, 1e-11);
        assert_close(problem.b[1], BT, 1e-11);
        assert_ok(context, sprag_system_check(system, 0, q, v, 1e-6));
        sprag_contact_problem_destroy(&problem);
        sprag_system_destroy(system);
        sprag_model_destroy(model);
        sprag_context_destroy(context);
    }
}

// ---- The same rod from callbacks ----------------------------------------------------------------

typedef struct User {
    Rod rod;
    bool inverse;
    int returned;     // of the contact callback
    double bias_sign; // −1 plants a wrong sign
    double row_sign;  // of the angle's entry of N
    bool spoil_force; // NaN
    bool indefinite;  // a wrong M
} User;

static int rod_inertia(double t, const double *q, double *matrix, void *user)
{
    (void)t;
    (void)q;
    const User *data = user;
    const double diagonal[3] = {data->rod.m, data->rod.m, data->rod.I};
    for (int i = 0; i < 3; i++)
        matrix[4 * i] = data->inverse ? 1 / diagonal[i] : diagonal[i];
    if (data->indefinite)
        matrix[1] = matrix[3] = 2 * data->rod.m;
    return 0;
}

static int rod_force(double t, const double *q, const double *v, double *force, void *user)
{
    (void)t;
    (void)q;
    (void)v;
    const User *data = user;
    force[0] = data->rod.fx;
    force[1] = data->rod.fy - 9.81 * data->rod.m;
    force[2] = data->spoil_force ? NAN : data->rod.torque;
    return 0;
}

static int rod_contact(double t, const double *q, const double *v, int contact,
                       SpragContactSample *sample, void *user)
{
    (void)t;
    (void)contact;
    const User *data = user;
    double L = data->rod.L, s = sin(q[2]), c = cos(q[2]);
    sample->gap = q[1] - L * s;
    sample->normal[1] = 1;
    sample->normal[2] = -L * c * data->row_sign;
    sample->tangent[0] = 1;
    sample->tangent[2] = L * s;
    sample->normal_bias = data->bias_sign * L * s * v[2] * v[2];
    sample->tangent_bias[0] = L * c * v[2] * v[2];
    sample->friction_static = sample->friction_kinetic = data->rod.mu;
    return data->returned;
}

static SpragSystem *user_rod(SpragContext *context, User *user)
{
    SpragSystemContact tip = {.name = "tip", .kind = SPRAG_CONSTRAINT_CONTACT};
    SpragSystemDef def = sprag_system_default();
    def.velocity_count = 3;
    def.contact_count = 1;
    def.contacts = &tip;
    def.inertia = rod_inertia;
    def.inertia_is_inverse = user->inverse;
    def.force = rod_force;
    def.contact = rod_contact;
    def.user = user;
    def.size = 2 * user->rod.L;
    SpragSystem *system = NULL;
    assert_ok(context, sprag_system_create(context, &def, &system));
    return system;
}

static void test_user_rod_equals_model_rod(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 4);
    for (int draw = 0; draw < test_draws(20); draw++) {
        SpragContext *context = test_context();
        User user = {.rod = draw_rod(&random), .inverse = draw % 2, .bias_sign = 1, .row_sign = 1};
        SpragModel *model = rod_model(context, &user.rod);
        SpragSystem *scene = NULL, *own = user_rod(context, &user);
        assert_ok(context, sprag_system_create_model(model, &scene));
        double q[3], v[3];
        sprag_system_initial(scene, q, v);
        SpragContactProblem a = build(scene, context, q, v), b = build(own, context, q, v);
        assert_int_equal(b.constraint_count, 1);
        assert_string_equal(b.constraints[0].name, "tip");
        assert_close(b.constraints[0].slip[0], a.constraints[0].slip[0], 1e-14);
        for (int i = 0; i < 4; i++)
            assert_close(b.W[i], a.W[i], 1e-13 * a.W[0]);
        for (int i = 0; i < 2; i++)
            assert_close(b.b[i], a.b[i], 1e-11);
        for (int i = 0; i < 3; i++)
            assert_close(b.free_acceleration[i], a.free_acceleration[i], 1e-11);
        assert_ok(context, sprag_system_check(own, 0, q, v, 1e-6));
        sprag_contact_problem_destroy(&a);
        sprag_contact_problem_destroy(&b);
        sprag_system_destroy(own);
        sprag_system_destroy(scene);
        sprag_model_destroy(model);
        sprag_context_destroy(context);
    }
}

static void test_planted_errors_are_found(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    Rod rod = {1, 0.3, 1, 0.7, 2, -1, 0, 0, 0, 0.5};
    const double q[3] = {0, 1, 0.7}, v[3] = {0.5, 0.2, 2};
    User wrong[4];
    const char *words[4] = {"normal bias", "normal row", "positive definite", "u - h[2]"};
    for (int i = 0; i < 4; i++)
        wrong[i] = (User){.rod = rod, .bias_sign = 1, .row_sign = 1};
    wrong[0].bias_sign = -1;
    wrong[1].row_sign = -1;
    wrong[2].indefinite = true;
    wrong[3].spoil_force = true;
    for (int i = 0; i < 4; i++) {
        SpragSystem *system = user_rod(context, &wrong[i]);
        SpragStatus status = sprag_system_check(system, 0, q, v, 1e-5);
        assert_int_equal(status, i == 3 ? SPRAG_ERROR_NUMERIC : SPRAG_ERROR_INPUT);
        if (!strstr(sprag_context_message(context), words[i]))
            fail_msg("\"%s\" does not say %s", sprag_context_message(context), words[i]);
        sprag_system_destroy(system);
    }
    sprag_context_destroy(context);
}

static void test_callbacks_that_stop(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    User user = {.rod = {1, 0.3, 1, 0.7, 2, -1, 0, 0, 0, 0.5}, .bias_sign = 1, .row_sign = 1};
    SpragSystem *system = user_rod(context, &user);
    const double q[3] = {0}, v[3] = {0};
    SpragContactTolerances tolerances = sprag_system_tolerances(system, v);
    SpragContactProblem problem;
    sprag_contact_problem_init(&problem, context);
    user.returned = -7;
    assert_int_equal(sprag_system_build_problem(system, 0, q, v, &tolerances, &problem),
                     SPRAG_ERROR_CALLBACK);
    user.returned = 1;
    assert_int_equal(sprag_system_build_problem(system, 0, q, v, &tolerances, &problem),
                     SPRAG_ERROR_NUMERIC);
    user.returned = 0;
    user.spoil_force = true;
    assert_int_equal(sprag_system_build_problem(system, 0, q, v, &tolerances, &problem),
                     SPRAG_ERROR_NUMERIC);
    assert_non_null(strstr(sprag_context_message(context), "force"));
    SpragSystemDef empty = {0};
    SpragSystem *none = NULL;
    assert_int_equal(sprag_system_create(context, &empty, &none), SPRAG_ERROR_ARGUMENT);
    assert_null(none);
    sprag_contact_problem_destroy(&problem);
    sprag_system_destroy(system);
    sprag_context_destroy(context);
}

// ---- Velocity-level rows ------------------------------------------------------------------------

// A knife edge that may move forward only: Ψ = (cos θ, sin θ, 0), Ψ v ≥ 0 (not integrable).
static int edge_inertia(double t, const double *q, double *matrix, void *user)
{
    (void)t;
    (void)q;
    (void)user;
    matrix[0] = matrix[4] = 2;
    matrix[8] = 0.5;
    return 0;
}

static int edge_force(double t, const double *q, const double *v, double *force, void *user)
{
    (void)t;
    (void)q;
    (void)v;
    (void)user;
    force[0] = -3;
    force[1] = 1;
    return 0;
}

static int edge_contact(double t, const double *q, const double *v, int contact,
                        SpragContactSample *sample, void *user)
{
    (void)t;
    (void)contact;
    const double *sign = user;
    sample->gap = NAN; // must be ignored
    sample->normal[0] = cos(q[2]);
    sample->normal[1] = sin(q[2]);
    sample->normal_bias = *sign * v[2] * (-sin(q[2]) * v[0] + cos(q[2]) * v[1]);
    return 0;
}

static void test_velocity_level_row(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    double sign = 1;
    SpragSystemContact edge = {
        .name = "edge", .kind = SPRAG_CONSTRAINT_LIMIT, .velocity_level = true};
    SpragSystemDef def = sprag_system_default();
    def.velocity_count = 3;
    def.contact_count = 1;
    def.contacts = &edge;
    def.inertia = edge_inertia;
    def.force = edge_force;
    def.contact = edge_contact;
    def.user = &sign;
    SpragSystem *system = NULL;
    assert_ok(context, sprag_system_create(context, &def, &system));
    // sideways motion is free: Ψ v = 0
    const double q[3] = {1, 2, 0.4}, v[3] = {-sin(0.4), cos(0.4), 1.5};
    SpragContactTolerances tolerances = sprag_system_tolerances(system, v);
    SpragContactKinematics kinematics;
    assert_ok(context, sprag_system_kinematics(system, 0, q, v, &tolerances, &kinematics));
    assert_int_equal(kinematics.state, SPRAG_CONTACT_RESTING);
    SpragContactProblem problem = build(system, context, q, v);
    assert_int_equal(problem.row_count, 1);
    assert_close(problem.W[0], 0.5, 1e-15);
    assert_close(problem.b[0], (-3 * cos(0.4) + sin(0.4)) / 2 + 1.5, 1e-14);
    assert_ok(context, sprag_system_check(system, 0, q, v, 1e-6));
    sign = -1;
    assert_int_equal(sprag_system_check(system, 0, q, v, 1e-6), SPRAG_ERROR_INPUT);
    const double forward[3] = {1, 0, 0}, back[3] = {-1, 0, 0};
    assert_ok(context, sprag_system_kinematics(system, 0, q, forward, &tolerances, &kinematics));
    assert_int_equal(kinematics.state, SPRAG_CONTACT_LEAVING);
    assert_ok(context, sprag_system_kinematics(system, 0, q, back, &tolerances, &kinematics));
    assert_int_equal(kinematics.state, SPRAG_CONTACT_APPROACHING);
    sprag_contact_problem_destroy(&problem);
    sprag_system_destroy(system);
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rod_formulas),
        cmocka_unit_test(test_user_rod_equals_model_rod),
        cmocka_unit_test(test_planted_errors_are_found),
        cmocka_unit_test(test_callbacks_that_stop),
        cmocka_unit_test(test_velocity_level_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
