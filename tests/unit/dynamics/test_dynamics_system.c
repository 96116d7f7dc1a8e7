// Systems of several bodies: the block on a floor and a belt of theory.md 2.6, samples against the
// contact problem, projections, powers against the rate of energy, allocations, friction by slip.
#include "planar_scene.h"

static SpragContactProblem build(Scene *scene)
{
    SpragContactProblem problem;
    sprag_contact_problem_init(&problem, scene->context);
    SpragContactTolerances tolerances = sprag_system_tolerances(scene->system, scene->v);
    assert_ok(scene->context, sprag_system_build_problem(scene->system, 0, scene->q, scene->v,
                                                         &tolerances, &problem));
    return problem;
}

static int slot_of(const Scene *scene, const char *name)
{
    int slot = sprag_collider_find_slot(sprag_system_collider(scene->system), name);
    if (slot < 0)
        fail_msg("no contact %s", name);
    return slot;
}

static void add_friction(Scene *scene, int body, double stationary, double kinetic, double stribeck)
{
    SpragRule rule = {.friction = {true, stationary, kinetic, stribeck}};
    rule.between[1] = (SpragSelector){SPRAG_SELECT_BODY, body, 0};
    assert_ok(scene->context, sprag_model_add_rule(scene->model, &rule, NULL));
}

// ---- The block of theory.md 2.6 -----------------------------------------------------------------

static Scene block_on_belt(void)
{
    Scene scene = open_scene();
    const double left[] = {-3, 0, 0, 0}, right[] = {0, 0, 3, 0}, feet[] = {-1, -1, 1, -1};
    world_body(scene.model, "floor", true, 0, 0, 0);
    world_body(scene.model, "belt", true, 0, 0, 0);
    world_body(scene.model, "block", false, 0, 1, 0);
    scene.model->bodies[1].surface_velocity[0] = 0.5;
    scene.model->bodies[2].inertia = 2.0 / 3;
    world_shape(scene.model, 0, SPRAG_SHAPE_CHAIN, 2, left, 0);
    world_shape(scene.model, 1, SPRAG_SHAPE_CHAIN, 2, right, 0);
    world_shape(scene.model, 2, SPRAG_SHAPE_POINTS, 2, feet, 0);
    add_friction(&scene, 0, 0.5, 0.5, 0);
    add_friction(&scene, 1, 0.3, 0.3, 0);
    return scene;
}

static void test_block_on_floor_and_belt(void **state)
{
    (void)state;
    Scene scene = block_on_belt();
    place(&scene);
    SpragContactProblem problem = build(&scene);
    assert_int_equal(problem.constraint_count, 2);
    assert_string_equal(problem.constraints[0].name, "block.p0-floor");
    assert_string_equal(problem.constraints[1].name, "block.p1-belt");
    assert_false(problem.constraints[0].sliding);
    assert_true(problem.constraints[1].sliding);
    assert_close(problem.constraints[1].slip[0], -0.5, 1e-15);
    // stick on the floor, dragged by the belt: three equations for λN1, λT1, λN2 (λT2 = 0.3 λN2)
    SpragMotionSearch *search = NULL;
    SpragMotionSet set;
    assert_ok(scene.context, sprag_motion_search_create(scene.context, &search));
    assert_ok(scene.context, sprag_motion_search_run(search, &problem, NULL, &set));
    assert_int_equal(set.count, 1);
    const double expected[] = {4.905, -0.3 * 4.905, 4.905, 0.3 * 4.905};
    for (int i = 0; i < 4; i++)
        assert_close(set.motions[0].force[i], expected[i], 1e-12);
    sprag_motion_search_destroy(search);
    sprag_contact_problem_destroy(&problem);
    close_scene(&scene);
}

// ---- A busy scene -------------------------------------------------------------------------------

// Two free bodies, a fixed belt, springs with damping, loads in both frames.
static Scene busy_scene(SpragRandom *random)
{
    Scene scene = open_scene();
    world_body(scene.model, "belt", true, 0, -0.5, 0);
    world_body(scene.model, "box", false, 0, 0.5, 0);
    world_body(scene.model, "ball", false, 0.2, 1.3, 0);
    scene.model->bodies[0].surface_velocity[0] = 0.7;
    world_box(scene.model, 0, 6, 1);
    world_box(scene.model, 1, 1, 1);
    world_circle(scene.model, 2, 0, 0, 0.3);
    for (int i = 1; i < 3; i++) {
        scene.model->bodies[i].mass = sprag_random_uniform(random, 0.5, 2);
        scene.model->bodies[i].spin = sprag_random_uniform(random, -1, 1);
        for (int k = 0; k < 2; k++)
            scene.model->bodies[i].velocity[k] = sprag_random_uniform(random, -1, 1);
        SpragLoad load = {.body = i, .force = {1, -2, 0}, .torque = 0.3, .local = {0.1, 0.2}};
        load.body_frame = i == 1;
        assert_ok(scene.context, sprag_model_add_load(scene.model, &load, NULL));
    }
    SpragSpring inner = {.ends = {{1, {0.2, 0.4}}, {2, {0.1, 0}}}, .stiffness = 30, .damping = 0.5};
    inner.rest = 0.4;
    SpragSpring outer = {.ends = {{SPRAG_WORLD, {-2, 1}}, {1, {-0.5, 0.1}}}, .stiffness = 20};
    outer.damping = 0.2;
    assert_ok(scene.context, sprag_model_add_spring(scene.model, &inner, NULL));
    assert_ok(scene.context, sprag_model_add_spring(scene.model, &outer, NULL));
    add_friction(&scene, 0, 0.4, 0.3, 0);
    place(&scene);
    return scene;
}

static double energy_along(Scene *scene, const double *a, double s)
{
    double q[6], v[6], kinetic, potential, elastic;
    for (int i = 0; i < 6; i++) {
        q[i] = scene->q[i] + s * scene->v[i] + s * s / 2 * a[i];
        v[i] = scene->v[i] + s * a[i];
    }
    assert_ok(scene->context,
              sprag_system_energy(scene->system, 0, q, v, &kinetic, &potential, &elastic));
    return kinetic + potential + elastic;
}

static void test_powers(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 5);
    for (int draw = 0; draw < test_draws(20); draw++) {
        Scene scene = busy_scene(&random);
        const int contacts[] = {slot_of(&scene, "box.c0-belt"), slot_of(&scene, "ball-box")};
        double lambda[4], force[6], contact_force[6], a[6];
        for (int i = 0; i < 4; i++)
            lambda[i] = sprag_random_uniform(&random, -5, 5);
        assert_ok(scene.context, sprag_system_force(scene.system, 0, scene.q, scene.v, force));
        assert_ok(scene.context, sprag_system_contact_force(scene.system, 0, scene.q, scene.v, 2,
                                                            contacts, lambda, contact_force));
        for (int i = 0; i < 6; i++) {
            const SpragBody *body = &scene.model->bodies[1 + i / 3];
            a[i] = (force[i] + contact_force[i]) / (i % 3 < 2 ? body->mass : body->inertia);
        }
        SpragSystemPower power;
        assert_ok(scene.context, sprag_system_power(scene.system, 0, scene.q, scene.v, 2, contacts,
                                                    lambda, &power));
        // energies of order 10, third derivatives of order 1e4: h² 1e4/6 + 1e-15/h ≈ 1e-8
        double h = 1e-6;
        double rate = (energy_along(&scene, a, h) - energy_along(&scene, a, -h)) / (2 * h);
        assert_close(power.load - power.damping - power.friction + power.surface, rate, 1e-6);
        assert_true(power.damping >= 0);
        close_scene(&scene);
    }
}

static void test_sample_equals_problem(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 6);
    Scene scene = busy_scene(&random);
    const int contacts[] = {slot_of(&scene, "box.c0-belt"), slot_of(&scene, "box.c1-belt"),
                            slot_of(&scene, "ball-box")};
    const bool sliding[] = {true, true, false};
    SpragContactProblem problem;
    sprag_contact_problem_init(&problem, scene.context);
    assert_ok(scene.context, sprag_system_build_active(scene.system, 0, scene.q, scene.v, 3,
                                                       contacts, sliding, &problem));
    double gap[3], rate[3], slip[3], J[36], bias[6], W[36], b[6], a[6];
    SpragSystemSample sample = {.gap = gap,
                                .gap_rate = rate,
                                .slip = slip,
                                .J = J,
                                .bias = bias,
                                .W = W,
                                .b = b,
                                .free_acceleration = a};
    assert_int_equal(sprag_system_row_count(scene.system, 3, contacts), 6);
    assert_ok(scene.context,
              sprag_system_sample(scene.system, 0, scene.q, scene.v, 3, contacts, &sample));
    for (int i = 0; i < 36; i++)
        assert_close(W[i], problem.W[i], 1e-13);
    for (int i = 0; i < 6; i++) {
        assert_close(b[i], problem.b[i], 1e-12);
        assert_close(bias[i], problem.bias[i], 1e-13);
        assert_close(a[i], problem.free_acceleration[i], 1e-12);
    }
    for (int i = 0; i < 3; i++) {
        assert_close(slip[i], problem.constraints[i].slip[0], 0);
        assert_int_equal(problem.constraints[i].id, contacts[i]);
        double along = 0;
        for (int k = 0; k < 6; k++)
            along += J[12 * i + k] * scene.v[k];
        assert_close(along, rate[i], 1e-13);
    }
    // only some of it, and W without J
    double again[36];
    SpragSystemSample some = {.W = again};
    assert_ok(scene.context,
              sprag_system_sample(scene.system, 0, scene.q, scene.v, 3, contacts, &some));
    for (int i = 0; i < 36; i++)
        assert_close(again[i], W[i], 0);
    sprag_contact_problem_destroy(&problem);
    close_scene(&scene);
}

// ---- Projections --------------------------------------------------------------------------------

static void test_projection(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 7);
    for (int draw = 0; draw < test_draws(20); draw++) {
        Scene scene = busy_scene(&random);
        // c0 and c1 with the ball on top; both corners of the box are independent of each other
        const int contacts[] = {slot_of(&scene, "box.c0-belt"), slot_of(&scene, "box.c1-belt"),
                                slot_of(&scene, "ball-box")};
        double q[6], residual;
        for (int i = 0; i < 6; i++)
            q[i] = scene.q[i] + sprag_random_uniform(&random, -1e-3, 1e-3);
        assert_ok(scene.context,
                  sprag_system_project_position(scene.system, 0, 3, contacts, q, &residual));
        double gap[3], rate[3], slip[3], J[36];
        SpragSystemSample sample = {.gap = gap, .gap_rate = rate, .slip = slip, .J = J};
        assert_ok(scene.context,
                  sprag_system_sample(scene.system, 0, q, scene.v, 3, contacts, &sample));
        for (int i = 0; i < 3; i++)
            assert_close(gap[i], 0, 1e-15);
        assert_true(residual <= 1e-15);
        const bool stick[] = {false, true, true};
        double v[6];
        memcpy(v, scene.v, sizeof v);
        assert_ok(scene.context, sprag_system_project_velocity(scene.system, 0, q, 3, contacts,
                                                               stick, v, &residual));
        assert_ok(scene.context, sprag_system_sample(scene.system, 0, q, v, 3, contacts, &sample));
        for (int i = 0; i < 3; i++) {
            assert_close(rate[i], 0, 1e-14);
            if (stick[i])
                assert_close(slip[i], 0, 1e-14);
        }
        // least in the metric of M: M δ is a combination of the rows, so it has no part in the
        // directions that the rows leave free: one remains, the ball rolling on the resting box
        double left[6], power = 0;
        for (int i = 0; i < 6; i++)
            left[i] = 0;
        left[3] = 0.3;
        left[5] = -1;
        for (int i = 0; i < 6; i++) {
            const SpragBody *body = &scene.model->bodies[1 + i / 3];
            power += (i % 3 < 2 ? body->mass : body->inertia) * (v[i] - scene.v[i]) * left[i];
        }
        assert_close(power, 0, 1e-3); // the projected box is level to 1e-3 only
        close_scene(&scene);
    }
}

static void test_projection_with_dependent_rows(void **state)
{
    (void)state;
    // four points in a line on a plane
    const double points[] = {-1, 0, -0.5, 0, 0.5, 0, 1, 0};
    Scene scene = open_scene();
    world_body(scene.model, "table", true, 0, 0, 0);
    world_body(scene.model, "bar", false, 0, 0, 0);
    world_plane(scene.model, 0, 0, 0);
    world_shape(scene.model, 1, SPRAG_SHAPE_POINTS, 4, points, 0);
    place(&scene);
    const int contacts[] = {0, 1, 2, 3};
    double q[3] = {0.3, 1e-4, 2e-4}, v[3] = {1, 0.2, -0.1}, residual;
    assert_ok(scene.context,
              sprag_system_project_position(scene.system, 0, 4, contacts, q, &residual));
    assert_true(residual <= 1e-15);
    assert_close(q[2], 0, 1e-15);
    assert_close(q[0], 0.3, 0);
    const bool stick[] = {true, true, true, true};
    assert_ok(scene.context,
              sprag_system_project_velocity(scene.system, 0, q, 4, contacts, stick, v, &residual));
    for (int i = 0; i < 3; i++)
        assert_close(v[i], 0, 1e-15);
    close_scene(&scene);
}

// A ball (radius 1) and a point, both on the floor and almost below each other: the three gaps
// depend on each other up to the angle d. Bodies are not thrown aside to give them gaps that they
// cannot have, and a ball that rolls over the point is not wedged between the point and the floor.
static void test_project_nearly_dependent(void **state)
{
    (void)state;
    Scene scene = open_scene();
    const double points[] = {0, -0.5};
    world_body(scene.model, "floor", true, 0, 0, 0);
    world_body(scene.model, "ball", false, 0.5, 1, 0);
    world_body(scene.model, "post", false, 0, 0.5, 0);
    world_plane(scene.model, 0, 0, 0);
    world_circle(scene.model, 1, 0, 0, 1);
    world_shape(scene.model, 2, SPRAG_SHAPE_POINTS, 1, points, 0);
    place(&scene);
    assert_int_equal(sprag_system_contact_count(scene.system), 3);
    const int contacts[] = {0, 1, 2};
    const bool stick[] = {true, true, false};
    const double wanted[] = {0, 0, -4e-5};
    for (int k = 2; k <= 8; k++) {
        double d = pow(10, -k), residual, before[] = {d, 1, 0, 0, 0.5, 0};
        double q[6], v[] = {0, 0, 0, 0, 0, 0};
        memcpy(q, before, sizeof q);
        assert_ok(scene.context,
                  sprag_system_project_gaps(scene.system, 0, 3, contacts, wanted, q, &residual));
        // the residual is 4e-5 + d²/2; no more than a few hundredths of a sine are trusted with it
        for (int i = 0; i < 6; i++)
            assert_close(q[i], before[i], 50 * (4e-5 + d * d));
        // rolling towards the point: its gap changes at the rate −d, within the gap tolerance for a
        // time of about d
        v[0] = -1;
        v[2] = 1;
        assert_ok(scene.context, sprag_system_project_velocity(scene.system, 0, before, 3, contacts,
                                                               stick, v, &residual));
        if (k >= 6)
            assert_close(v[0], -1, 1e-4);
    }
    close_scene(&scene);
}

// ---- Memory, friction, layers, tolerances -------------------------------------------------------

static void test_no_allocation_once_warm(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 8);
    Scene scene = busy_scene(&random);
    SpragContactProblem problem;
    sprag_contact_problem_init(&problem, scene.context);
    SpragContactKinematics kinematics[64];
    const int contacts[] = {slot_of(&scene, "box.c0-belt"), slot_of(&scene, "ball-box")};
    const bool sliding[] = {false, false};
    double gap[2], W[16], b[4], lambda[4] = {1, 0, 1, 0}, force[6], residual;
    SpragSystemSample sample = {.gap = gap, .W = W, .b = b};
    SpragContactTolerances tolerances = sprag_system_tolerances(scene.system, scene.v);
    tolerances.rate = tolerances.gap = 1e9; // everything is closed
    uint64_t count = 0;
    for (int i = 0; i < 3; i++) {
        uint64_t before = sprag_context_allocation_count(scene.context);
        assert_ok(scene.context, sprag_system_kinematics(scene.system, 0, scene.q, scene.v,
                                                         &tolerances, kinematics));
        assert_ok(scene.context, sprag_system_build_active(scene.system, 0, scene.q, scene.v, 2,
                                                           contacts, sliding, &problem));
        assert_ok(scene.context,
                  sprag_system_sample(scene.system, 0, scene.q, scene.v, 2, contacts, &sample));
        assert_ok(scene.context, sprag_system_contact_force(scene.system, 0, scene.q, scene.v, 2,
                                                            contacts, lambda, force));
        assert_ok(scene.context,
                  sprag_system_project_position(scene.system, 0, 2, contacts, scene.q, &residual));
        assert_ok(scene.context,
                  sprag_system_project_velocity(scene.system, 0, scene.q, 2, contacts, sliding,
                                                scene.v, &residual));
        count = sprag_context_allocation_count(scene.context) - before;
    }
    assert_int_equal(count, 0);
    sprag_contact_problem_destroy(&problem);
    close_scene(&scene);
}

static void test_friction_by_slip(void **state)
{
    (void)state;
    const double stribeck[] = {0, 0.2};
    for (int i = 0; i < 2; i++) {
        for (int moving = 0; moving < 2; moving++) {
            Scene scene = open_scene();
            world_body(scene.model, "table", true, 0, 0, 0);
            world_body(scene.model, "box", false, 0, 0.5, 0);
            scene.model->bodies[1].velocity[0] = moving ? 0.1 : 0;
            world_plane(scene.model, 0, 0, 0);
            world_box(scene.model, 1, 1, 1);
            add_friction(&scene, 1, 0.5, 0.3, stribeck[i]);
            place(&scene);
            SpragContactProblem problem = build(&scene);
            double expected = !moving ? 0.5 : i == 0 ? 0.3 : 0.3 + 0.2 * exp(-0.25);
            assert_int_equal(problem.constraint_count, 2);
            assert_close(problem.constraints[0].friction, expected, 1e-15);
            assert_true(problem.constraints[0].sliding == (moving == 1));
            sprag_contact_problem_destroy(&problem);
            close_scene(&scene);
        }
    }
}

static void test_layer_reaches_the_problem(void **state)
{
    (void)state;
    Scene scene = open_scene();
    world_body(scene.model, "table", true, 0, 0, 0);
    world_body(scene.model, "ball", false, 0, 1, 0);
    world_plane(scene.model, 0, 0, 0);
    world_circle(scene.model, 1, 0, 0, 1);
    SpragRule rule = {.compliance_given = true};
    rule.compliance = (SpragCompliance){.law = SPRAG_COMPLIANCE_KELVIN_VOIGT,
                                        .stiffness = 1e5,
                                        .damping = 20,
                                        .tangential_stiffness = 5e4,
                                        .tangential_damping = 10};
    assert_ok(scene.context, sprag_model_add_rule(scene.model, &rule, NULL));
    place(&scene);
    SpragContactProblem problem = build(&scene);
    assert_close(problem.constraints[0].stiffness[0], 1e5, 0);
    assert_close(problem.constraints[0].stiffness[1], 5e4, 0);
    assert_close(problem.constraints[0].damping[0], 20, 0);
    assert_close(problem.constraints[0].damping[1], 10, 0);
    sprag_contact_problem_destroy(&problem);
    close_scene(&scene);
}

static void test_dimension_four_is_refused(void **state)
{
    (void)state;
    Scene scene = open_scene();
    scene.model->dimension = 4;
    assert_int_equal(sprag_system_create_model(scene.model, &scene.system), SPRAG_ERROR_INPUT);
    close_scene(&scene);
}

static void test_system_without_bodies(void **state)
{
    (void)state;
    Scene scene = open_scene();
    place(&scene);
    assert_int_equal(sprag_system_velocity_count(scene.system), 0);
    SpragContactProblem problem = build(&scene);
    assert_int_equal(problem.row_count, 0);
    sprag_contact_problem_destroy(&problem);
    close_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_on_floor_and_belt),
        cmocka_unit_test(test_powers),
        cmocka_unit_test(test_sample_equals_problem),
        cmocka_unit_test(test_projection),
        cmocka_unit_test(test_projection_with_dependent_rows),
        cmocka_unit_test(test_project_nearly_dependent),
        cmocka_unit_test(test_no_allocation_once_warm),
        cmocka_unit_test(test_friction_by_slip),
        cmocka_unit_test(test_layer_reaches_the_problem),
        cmocka_unit_test(test_dimension_four_is_refused),
        cmocka_unit_test(test_system_without_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
