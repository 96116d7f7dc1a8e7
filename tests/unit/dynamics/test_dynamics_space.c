// Systems of bodies in space: positions and their rates, forces, energies, rows and samples.
#include "support/space_model.h"
#include "support/with_context.h"

enum { SIZE = 12, PLACES = 14, MOST_CONTACTS = 96, MOST_ROWS = 3 * MOST_CONTACTS };

static const double tensor_a[6] = {0.9, 1.3, 1.7, 0.12, -0.2, 0.07};
static const double tensor_b[6] = {0.031, 0.043, 0.052, 0.004, 0.002, -0.006};

// A sphere with its centre off the middle, a box and a rod in the air above a floor that moves
// like a belt; loads, one in its body's frame, and a damped spring.
static SpragModel *busy_model(void)
{
    SpragModel *model = space_model(context);
    int floor = space_body(model, "floor", 0, NULL, sprag_vec3(0, 0, 0), space_no_turn());
    SpragVec3 normal = sprag_vec3_unit(sprag_vec3(0.2, -0.1, 1));
    SpragShape plane = {.kind = SPRAG_SHAPE_PLANE, .body = floor, .normal = normal};
    plane.has_surface_velocity = true;
    plane.surface_velocity[0] = 0.3;
    plane.surface_velocity[1] = -0.2;
    assert_ok(context, sprag_model_add_shape(model, &plane, NULL));
    int box = space_body(model, "box", 2.5, tensor_a, sprag_vec3(0.2, 0.1, 2), space_no_turn());
    space_box(model, box, 1, 0.8, 0.6);
    int ball = space_body(model, "ball", 0.7, tensor_b, sprag_vec3(1.7, 0.3, 2.2), space_no_turn());
    space_sphere(model, ball, sprag_vec3(0.05, -0.02, 0.04), 0.3);
    SpragLoad load = {.body = box, .force = {1, -2, 3}, .moment = {0.3, 0.1, -0.4}};
    load.local = sprag_vec3(0.2, 0.1, -0.3);
    assert_ok(context, sprag_model_add_load(model, &load, NULL));
    load.body = ball;
    load.body_frame = true;
    assert_ok(context, sprag_model_add_load(model, &load, NULL));
    SpragSpring spring = {.stiffness = 40, .damping = 3, .rest = 0.8};
    spring.ends[0] = (SpragPlace){box, {0.3, 0.2, 0.1}};
    spring.ends[1] = (SpragPlace){ball, {-0.1, 0.1, 0.2}};
    assert_ok(context, sprag_model_add_spring(model, &spring, NULL));
    return model;
}

// ---- Positions ----------------------------------------------------------------------------------

static void positions(void **state)
{
    (void)state;
    SpragModel *model = busy_model();
    SpragSystem *system = space_system(model);
    SpragRandom random;
    sprag_random_init(&random, 3);
    assert_int_equal(sprag_system_velocity_count(system), SIZE);
    assert_int_equal(sprag_system_position_count(system), PLACES);
    assert_int_equal(sprag_system_body_coordinate(system, 2), 6);
    assert_int_equal(sprag_system_body_position(system, 2), 7);
    assert_int_equal(sprag_system_body_position(system, 0), -1);
    for (int draw = 0; draw < test_draws(20); draw++) {
        double q[PLACES], v[SIZE], rate[PLACES], step[SIZE], back[SIZE];
        double before[PLACES], after[PLACES];
        const double h = 1e-5; // errors: h² of third derivatives of order 10, and 1e-16/h
        space_state(system, &random, q, v);
        sprag_system_position_rate(system, q, v, rate);
        for (int sign = -1; sign < 2; sign += 2) {
            double *moved = sign < 0 ? before : after;
            memcpy(moved, q, sizeof q);
            for (int k = 0; k < SIZE; k++)
                step[k] = sign * h * v[k];
            sprag_system_position_shift(system, step, moved);
        }
        for (int k = 0; k < PLACES; k++)
            assert_close((after[k] - before[k]) / (2 * h), rate[k], 1e-8);
        // a difference is the shift: rotations below half a turn come back
        double turn = 0;
        for (int k = 0; k < SIZE; k++)
            turn = fmax(turn, fabs(v[k]));
        for (int k = 0; k < SIZE; k++)
            step[k] = v[k] * fmin(1, 1.8 / turn); // √3 × 1.8 < π
        memcpy(after, q, sizeof q);
        sprag_system_position_shift(system, step, after);
        sprag_system_position_difference(system, q, after, back);
        for (int k = 0; k < SIZE; k++)
            assert_close(back[k], step[k], 1e-13);
        for (int k = 3; k < 7; k++)
            after[k] *= 1.7;
        sprag_system_position_normalise(system, after);
        assert_close(hypot(hypot(after[3], after[4]), hypot(after[5], after[6])), 1, 1e-15);
    }
    sprag_system_destroy(system);
    sprag_model_destroy(model);
}

// ---- Forces and energies ------------------------------------------------------------------------

// Without contacts d/dt (kinetic + potential + elastic) = load − damping along the free motion, by
// central differences of the energies; the rate of ½ ω·I ω needs the gyroscopic terms right only in
// their sum, so the angular momentum is checked too: d/dt (I ω) = torque.
static void energies(void **state)
{
    (void)state;
    SpragModel *model = busy_model();
    SpragSystem *system = space_system(model);
    SpragRandom random;
    sprag_random_init(&random, 4);
    for (int draw = 0; draw < test_draws(20); draw++) {
        double q[PLACES], v[SIZE], a[SIZE], force[SIZE], energy[2];
        const double h = 1e-5;
        SpragSystemPower power;
        space_state(system, &random, q, v);
        SpragSystemSample sample = {.free_acceleration = a, .power = &power};
        assert_ok(context, sprag_system_sample(system, 0, q, v, 0, NULL, &sample));
        assert_ok(context, sprag_system_force(system, 0, q, v, force));
        SpragVec3 momentum[2];
        for (int side = 0; side < 2; side++) {
            double s = side ? h : -h, step[SIZE], there[PLACES], speed[SIZE];
            double kinetic, potential, elastic;
            memcpy(there, q, sizeof q);
            for (int k = 0; k < SIZE; k++) {
                step[k] = s * v[k] + s * s * a[k] / 2;
                speed[k] = v[k] + s * a[k];
            }
            sprag_system_position_shift(system, step, there);
            assert_ok(context,
                      sprag_system_energy(system, 0, there, speed, &kinetic, &potential, &elastic));
            energy[side] = kinetic + potential + elastic;
            SpragPose poses[3];
            sprag_system_poses(system, there, speed, poses);
            const double *t = tensor_a;
            SpragMat3 I = {{t[0], t[3], t[4], t[3], t[1], t[5], t[4], t[5], t[2]}};
            SpragMat3 world = sprag_mat3_turn(&poses[1].R, &I);
            momentum[side] = sprag_mat3_apply(&world, poses[1].w);
        }
        assert_close((energy[1] - energy[0]) / (2 * h), power.load - power.damping, 2e-6);
        // torque on the box = generalised force + ω × I ω, which is what the force has taken off
        SpragPose poses[3];
        sprag_system_poses(system, q, v, poses);
        SpragVec3 rate = sprag_vec3_scale(1 / (2 * h), sprag_vec3_sub(momentum[1], momentum[0]));
        SpragVec3 mean =
            sprag_vec3_scale(0.5, sprag_vec3_add(momentum[0], momentum[1])); // I ω up to h²
        SpragVec3 torque =
            sprag_vec3_add(sprag_vec3_of(force + 3), sprag_vec3_cross(poses[1].w, mean));
        assert_close(sprag_vec3_norm(sprag_vec3_sub(rate, torque)), 0, 1e-6);
    }
    sprag_system_destroy(system);
    sprag_model_destroy(model);
}

// Euler's equations in the body's frame, A p' = (B − C) q r …, for a body turned anyhow.
static void gyroscopic(void **state)
{
    (void)state;
    const double I[6] = {0.5, 0.8, 1.1, 0, 0, 0};
    SpragRandom random;
    sprag_random_init(&random, 5);
    for (int draw = 0; draw < test_draws(20); draw++) {
        SpragModel *model = space_model(context);
        SpragQuaternion Q = space_turn(&random);
        space_body(model, "top", 1, I, sprag_vec3(0, 0, 0), Q);
        SpragSystem *system = space_system(model);
        double q[7], v[6], a[6];
        sprag_system_initial(system, q, v);
        SpragMat3 R = sprag_quaternion_matrix(Q);
        SpragVec3 p = space_vector(&random, 3), w = sprag_mat3_apply(&R, p);
        sprag_vec3_to(w, v + 3);
        SpragSystemSample sample = {.free_acceleration = a};
        assert_ok(context, sprag_system_sample(system, 0, q, v, 0, NULL, &sample));
        // in the frame that turns with the body the rate of ω is the same
        SpragVec3 rate = sprag_mat3_apply_back(&R, sprag_vec3_of(a + 3));
        assert_close(rate.x, (I[1] - I[2]) * p.y * p.z / I[0], 1e-13);
        assert_close(rate.y, (I[2] - I[0]) * p.z * p.x / I[1], 1e-13);
        assert_close(rate.z, (I[0] - I[1]) * p.x * p.y / I[2], 1e-13);
        assert_close(a[2], -9.81, 0);
        sprag_system_destroy(system);
        sprag_model_destroy(model);
    }
}

// ---- Contacts -----------------------------------------------------------------------------------

// A ball beyond a corner, with a normal that is as near to one world axis as to the others: the
// axis that the tangents are made from changes within a step of the differences.
static void rows_agree_between_axes(void **state)
{
    (void)state;
    SpragModel *model = space_model(context);
    int box = space_body(model, "box", 2.5, tensor_a, sprag_vec3(0, 0, 0), space_no_turn());
    space_box(model, box, 1, 1, 1);
    int ball = space_body(model, "ball", 0.7, tensor_b, sprag_vec3(1, 1, 1), space_no_turn());
    space_sphere(model, ball, sprag_vec3(0, 0, 0), 0.3);
    SpragSystem *system = space_system(model);
    double q[14], v[12];
    sprag_system_initial(system, q, v);
    for (int k = 0; k < 12; k++)
        v[k] = sin(k + 1.0);
    assert_ok(context, sprag_system_check(system, 0, q, v, 1e-5));
    // nothing is held on to afterwards
    assert_ok(context, sprag_system_check(system, 0, q, v, 1e-5));
    sprag_system_destroy(system);
    sprag_model_destroy(model);
}

// Rows, drifts and biases against finite differences, in random states.
static void rows_agree(void **state)
{
    (void)state;
    SpragModel *model = busy_model();
    SpragSystem *system = space_system(model);
    SpragRandom random;
    sprag_random_init(&random, 6);
    for (int draw = 0; draw < test_draws(30); draw++) {
        double q[PLACES], v[SIZE];
        space_state(system, &random, q, v);
        assert_ok(context, sprag_system_check(system, 0, q, v, 1e-5));
    }
    sprag_system_destroy(system);
    sprag_model_destroy(model);
}

static double product(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

typedef struct Sampled {
    double gap[MOST_CONTACTS], gap_rate[MOST_CONTACTS], slip[SPRAG_CONSTRAINT_WAYS * MOST_CONTACTS];
    double J[MOST_ROWS * SIZE], response[MOST_ROWS * SIZE], W[MOST_ROWS * MOST_ROWS];
    double b[MOST_ROWS], bias[MOST_ROWS], drift[MOST_ROWS], free[SIZE];
} Sampled;

// Generalised force and power of contact forces: Jᵀ λ, and λ · J v = surface − friction.
static void check_forces(SpragSystem *system, const double *q, const double *v, int count,
                         const int *list, const Sampled *s, SpragRandom *random)
{
    static double lambda[MOST_ROWS];
    double force[SIZE], wanted[SIZE] = {0};
    SpragSystemPower power;
    for (int r = 0; r < 3 * count; r++) {
        lambda[r] = space_draw(random);
        for (int k = 0; k < SIZE; k++)
            wanted[k] += lambda[r] * s->J[r * SIZE + k];
    }
    assert_ok(context, sprag_system_contact_force(system, 0, q, v, count, list, lambda, force));
    for (int k = 0; k < SIZE; k++)
        assert_close(force[k], wanted[k], 1e-11);
    assert_ok(context, sprag_system_power(system, 0, q, v, count, list, lambda, &power));
    assert_close(power.surface - power.friction, product(SIZE, force, v), 1e-10);
}

// What is summed body by body against dense products, and the contact problem against the sample.
static void samples(void **state)
{
    (void)state;
    SpragModel *model = busy_model();
    SpragSystem *system = space_system(model);
    SpragRandom random;
    SpragContactProblem problem;
    static Sampled s;
    sprag_random_init(&random, 7);
    sprag_contact_problem_init(&problem, context);
    for (int draw = 0; draw < test_draws(10); draw++) {
        double q[PLACES], v[SIZE];
        int all = sprag_system_contact_count(system), list[MOST_CONTACTS], count = 0;
        assert_in_range(all, 9, MOST_CONTACTS);
        space_state(system, &random, q, v);
        static SpragContactKinematics kinematics[MOST_CONTACTS];
        SpragContactTolerances tolerances = sprag_system_tolerances(system, v);
        assert_ok(context, sprag_system_kinematics(system, 0, q, v, &tolerances, kinematics));
        for (int i = 0; i < all; i++)
            if (isfinite(kinematics[i].gap))
                list[count++] = i;
        SpragSystemSample sample = {.gap = s.gap,
                                    .gap_rate = s.gap_rate,
                                    .slip = s.slip,
                                    .J = s.J,
                                    .bias = s.bias,
                                    .W = s.W,
                                    .b = s.b,
                                    .free_acceleration = s.free,
                                    .response = s.response,
                                    .drift = s.drift};
        assert_ok(context, sprag_system_sample(system, 0, q, v, count, list, &sample));
        int rows = sprag_system_row_count(system, count, list);
        assert_int_equal(rows, 3 * count);
        const double rounding = 1e-11; // sums of twelve products of numbers up to some hundreds
        for (int r = 0; r < rows; r++) {
            const double *row = s.J + r * SIZE;
            for (int c = 0; c < rows; c++)
                assert_close(s.W[r * rows + c], product(SIZE, row, s.response + c * SIZE),
                             rounding);
            assert_close(s.b[r], s.bias[r] + product(SIZE, row, s.free), rounding);
            double rate =
                r % 3 ? s.slip[SPRAG_CONSTRAINT_WAYS * (r / 3) + r % 3 - 1] : s.gap_rate[r / 3];
            assert_close(s.drift[r], rate - product(SIZE, row, v), rounding);
            // M times the response is the row: momentum and angular momentum of the impulse
            assert_close(2.5 * s.response[r * SIZE], row[0], rounding);
        }
        static bool sliding[MOST_CONTACTS];
        for (int i = 0; i < count; i++)
            sliding[i] = true;
        assert_ok(context,
                  sprag_system_build_active(system, 0, q, v, count, list, sliding, &problem));
        assert_int_equal(problem.row_count, rows);
        for (int r = 0; r < rows; r++) {
            assert_close(problem.b[r], s.b[r], rounding);
            for (int c = 0; c < rows; c++)
                assert_close(problem.W[r * rows + c], s.W[r * rows + c], rounding);
        }
        check_forces(system, q, v, count, list, &s, &random);
        for (int i = 0; i < count; i++) {
            assert_true(s.gap[i] == kinematics[list[i]].gap);
            SpragVec3 n = kinematics[list[i]].normal, t = kinematics[list[i]].tangent[0];
            SpragVec3 o = kinematics[list[i]].tangent[1];
            assert_close(sprag_vec3_norm(sprag_vec3_sub(sprag_vec3_cross(n, t), o)), 0, 1e-14);
        }
    }
    sprag_contact_problem_destroy(&problem);
    sprag_system_destroy(system);
    sprag_model_destroy(model);
}

// A thin rod leans on a floor: rows, biases, A and the eigenvalues of the layer are those of
// theory.md 13.2, with the angles th and Psi of (13.3) as velocities.
static void rod_of_xu(void **state)
{
    (void)state;
    const double m = 0.8, l = 0.7, J = m * l * l / 3, mu = 0.9;
    SpragRandom random;
    sprag_random_init(&random, 8);
    for (int draw = 0; draw < test_draws(20); draw++) {
        double th = sprag_random_uniform(&random, 0.2, 1.2), psi = 3 * space_draw(&random);
        double dth = space_draw(&random), dpsi = space_draw(&random);
        // u = (cos th cos psi, cos th sin psi, sin th): first up by th about −y, then psi about z
        SpragQuaternion up = sprag_quaternion_exp(sprag_vec3(0, -th, 0));
        SpragQuaternion Q =
            sprag_quaternion_product(sprag_quaternion_exp(sprag_vec3(0, 0, psi)), up);
        SpragModel *model = space_model(context);
        const double I[6] = {0, J, J, 0, 0, 0};
        int floor = space_body(model, "floor", 0, NULL, sprag_vec3(0, 0, 0), space_no_turn());
        space_plane(model, floor, sprag_vec3(0, 0, 1));
        int rod = space_body(model, "rod", m, I, sprag_vec3(0, 0, l * sin(th)), Q);
        space_rod(model, rod, l, 0);
        SpragSystem *system = space_system(model);
        int tip = sprag_collider_find_slot(sprag_system_collider(system), "rod.a-floor");
        assert_true(tip >= 0);
        // ω of the angles: psi' about z, th' about the horizontal axis (sin psi, −cos psi, 0)
        SpragVec3 about_th = sprag_vec3(sin(psi), -cos(psi), 0);
        SpragVec3 w = sprag_vec3_along(sprag_vec3(0, 0, dpsi), dth, about_th);
        double q[7], v[6], row[18], bias[3], W[9];
        sprag_system_initial(system, q, v);
        for (int k = 0; k < 3; k++)
            v[k] = space_draw(&random);
        sprag_vec3_to(w, v + 3);
        SpragSystemSample sample = {.J = row, .bias = bias, .W = W};
        assert_ok(context, sprag_system_sample(system, 0, q, v, 1, &tip, &sample));
        // normal row of (13.3): entries of x y z, and along th and psi
        assert_close(row[2], 1, 1e-15);
        assert_close(sprag_vec3_dot(sprag_vec3_of(row + 3), about_th), -l * cos(th), 1e-14);
        assert_close(row[5], 0, 1e-15);
        // tangent of (13.1) for n = z is x: the row O of (13.3); the second is y: its row T
        assert_close(row[6], 1, 1e-15);
        assert_close(sprag_vec3_dot(sprag_vec3_of(row + 9), about_th), l * sin(th) * cos(psi),
                     1e-14);
        assert_close(row[11], l * cos(th) * sin(psi), 1e-14);
        assert_close(row[13], 1, 1e-15);
        assert_close(sprag_vec3_dot(sprag_vec3_of(row + 15), about_th), l * sin(th) * sin(psi),
                     1e-14);
        assert_close(row[17], -l * cos(th) * cos(psi), 1e-14);
        // (13.4): with d/dt of ω at constant th', psi': the bias at constant ω and the arm × ω'
        SpragVec3 dw = sprag_vec3_scale(dth * dpsi, sprag_vec3(cos(psi), sin(psi), 0));
        double both = dth * dth + dpsi * dpsi;
        double expected[3] = {
            l * sin(th) * dth * dth,
            l * cos(th) * cos(psi) * both - 2 * l * sin(th) * sin(psi) * dth * dpsi,
            l * cos(th) * sin(psi) * both + 2 * l * sin(th) * cos(psi) * dth * dpsi};
        for (int r = 0; r < 3; r++)
            assert_close(bias[r] + sprag_vec3_dot(sprag_vec3_of(row + 6 * r + 3), dw), expected[r],
                         1e-13);
        // (13.6) for slip in the direction chi
        double chi = 3 * space_draw(&random);
        double A = W[0] - mu * (cos(chi) * W[1] + sin(chi) * W[2]);
        assert_close(A, 1 / m + l * l * cos(th) * (cos(th) + mu * sin(th) * cos(chi - psi)) / J,
                     1e-12);
        // (13.8): D = I/m + (l²/J)(I − u uᵀ), in the order z, x, y of the rows
        const double u[3] = {sin(th), cos(th) * cos(psi), cos(th) * sin(psi)};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                assert_close(W[3 * i + j], (i == j) * (1 / m + l * l / J) - l * l / J * u[i] * u[j],
                             1e-12);
        sprag_system_destroy(system);
        sprag_model_destroy(model);
    }
}

// ---- Placing and projection ---------------------------------------------------------------------

static void projection(void **state)
{
    (void)state;
    SpragModel *model = space_model(context);
    int floor = space_body(model, "floor", 0, NULL, sprag_vec3(0, 0, 0), space_no_turn());
    space_plane(model, floor, sprag_vec3(0, 0, 1));
    int box = space_body(model, "box", 2.5, tensor_a, sprag_vec3(0.2, 0.1, 2), space_no_turn());
    space_box(model, box, 1, 0.8, 0.6);
    SpragSystem *system = space_system(model);
    int contacts[4];
    SpragRandom random;
    sprag_random_init(&random, 9);
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "box.c%d-floor", i);
        contacts[i] = sprag_collider_find_slot(sprag_system_collider(system), name);
        assert_true(contacts[i] >= 0);
    }
    // a gap: entries of the rotation with four roundings each, arms of 1.2 m in all, three further
    // roundings of sums below 0.7 m, and those of the quaternion itself, 1e-15 in all at most
    const double rounding = 2e-15;
    for (int draw = 0; draw < test_draws(10); draw++) {
        double q[7], v[6], residual, gap[4];
        const double shift[6] = {0,
                                 0,
                                 -1.7 + 0.01 * space_draw(&random),
                                 0.01 * space_draw(&random),
                                 0.01 * space_draw(&random),
                                 space_draw(&random)};
        sprag_system_initial(system, q, v);
        sprag_system_position_shift(system, shift, q);
        assert_ok(context, sprag_system_project_position(system, 0, 4, contacts, q, &residual));
        assert_close(residual, 0, rounding);
        SpragSystemSample sample = {.gap = gap};
        assert_ok(context, sprag_system_sample(system, 0, q, v, 4, contacts, &sample));
        for (int i = 0; i < 4; i++)
            assert_close(gap[i], 0, rounding);
        assert_close(q[2], 0.3, rounding);
        const bool stick[4] = {true, true, true, true};
        for (int k = 0; k < 6; k++)
            v[k] = space_draw(&random);
        double other[6];
        memcpy(other, v, sizeof v);
        assert_ok(context,
                  sprag_system_project_velocity(system, 0, q, 4, contacts, stick, v, &residual));
        for (int k = 0; k < 6; k++)
            assert_close(v[k], 0, 1e-14);
        // without sticking the box may slide along and spin about z as before
        assert_ok(context,
                  sprag_system_project_velocity(system, 0, q, 4, contacts, NULL, other, &residual));
        assert_close(residual, 0, 1e-14);
        assert_close(other[2], 0, 1e-14);
        assert_close(hypot(other[3], other[4]), 0, 1e-14);
    }
    sprag_system_destroy(system);
    sprag_model_destroy(model);
}

static SpragModel *ball_model(double height, bool given)
{
    SpragModel *model = space_model(context);
    const double I[6] = {0.004, 0.004, 0.004, 0, 0, 0};
    int table = space_body(model, "table", 0, NULL, sprag_vec3(0, 0, 0), space_no_turn());
    space_plane(model, table, sprag_vec3(0, 0, 1));
    int ball = space_body(model, "ball", 1, I, sprag_vec3(0.3, -0.2, height), space_no_turn());
    space_sphere(model, ball, sprag_vec3(0, 0, 0), 0.1);
    model->bodies[ball].spin_given = given;
    return model;
}

static void starts(void **state)
{
    (void)state;
    // the contact is closed by a shift, and slips as told: the part along the surface counts
    SpragModel *model = ball_model(0.5, true);
    SpragStart start = {.kind = SPRAG_START_CONTACT, .contact = (char[]){"ball-table"}};
    start.slip_given = true;
    start.slip_along = sprag_vec3(0.6, -0.8, 5);
    assert_ok(context, sprag_model_add_start(model, &start, NULL));
    SpragSystem *system = space_system(model);
    double q[7], v[6];
    sprag_system_initial(system, q, v);
    const double place[7] = {0.3, -0.2, 0.1, 1, 0, 0, 0}, speed[6] = {0.6, -0.8, 0, 0, 0, 0};
    for (int k = 0; k < 7; k++)
        assert_close(q[k], place[k], 1e-15);
    for (int k = 0; k < 6; k++)
        assert_close(v[k], speed[k], 1e-15);
    sprag_system_destroy(system);
    sprag_model_destroy(model);
    // a ball at 1e-12 m above the table is closed exactly
    model = ball_model(0.1 + 1e-12, true);
    system = space_system(model);
    sprag_system_initial(system, q, v);
    assert_true(q[2] == 0.1);
    sprag_system_destroy(system);
    sprag_model_destroy(model);
    // an overlap is told: how deep, between whom
    model = ball_model(0.08, true);
    assert_int_equal(sprag_system_create_model(model, &system), SPRAG_ERROR_INPUT);
    assert_non_null(strstr(sprag_context_message(context), "ball lies 0.02 m inside table"));
    sprag_model_destroy(model);
}

// A point of the ball must stand at a place, which only a turn can do; and move as told.
static void start_by_turning(void **state)
{
    (void)state;
    SpragModel *model = ball_model(0.1, false);
    model->bodies[1].angle_given = false;
    SpragStart closed = {.kind = SPRAG_START_CONTACT, .contact = (char[]){"ball-table"}};
    SpragStart mark = {.kind = SPRAG_START_POINT, .at_given = true, .velocity_given = true};
    SpragStart centre = mark;
    mark.point = (SpragPlace){1, {0.1, 0, 0}};
    mark.at = sprag_vec3(0.3 + 0.06, -0.2 + 0.08, 0.1);
    mark.velocity = sprag_vec3(0, 0, -0.5);
    centre.point = (SpragPlace){1, {0, 0, 0}};
    centre.at = sprag_vec3(0.3, -0.2, 0.1);
    assert_ok(context, sprag_model_add_start(model, &closed, NULL));
    assert_ok(context, sprag_model_add_start(model, &mark, NULL));
    assert_ok(context, sprag_model_add_start(model, &centre, NULL));
    SpragSystem *system = space_system(model);
    SpragPose poses[2];
    double q[7], v[6];
    sprag_system_initial(system, q, v);
    sprag_system_poses(system, q, v, poses);
    SpragVec3 arm = sprag_mat3_apply(&poses[1].R, mark.point.local);
    assert_close(arm.x, 0.06, 1e-10);
    assert_close(arm.y, 0.08, 1e-10);
    assert_close(arm.z, 0, 1e-10);
    SpragVec3 speed = sprag_vec3_add(poses[1].v, sprag_vec3_cross(poses[1].w, arm));
    assert_close(speed.z, -0.5, 1e-12);
    assert_close(v[0], 0, 1e-12);
    assert_close(v[2], 0, 1e-12);
    sprag_system_destroy(system);
    sprag_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions),  cmocka_unit_test(energies),
        cmocka_unit_test(gyroscopic), cmocka_unit_test(rows_agree_between_axes),
        cmocka_unit_test(rows_agree), cmocka_unit_test(samples),
        cmocka_unit_test(rod_of_xu),  cmocka_unit_test(projection),
        cmocka_unit_test(starts),     cmocka_unit_test(start_by_turning),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
