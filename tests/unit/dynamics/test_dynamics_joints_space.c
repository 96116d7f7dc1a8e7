// Joints in space: rows of every kind by differences, accelerations against the equations of
// motion with their multipliers, loops that repeat themselves, a pendulum on a ball.
#include "unit/dynamics/machine.h"

static SpragVec3 draw_vector(SpragRandom *random, double size)
{
    return sprag_vec3(sprag_random_uniform(random, -size, size),
                      sprag_random_uniform(random, -size, size),
                      sprag_random_uniform(random, -size, size));
}

static SpragMat3 draw_axes(SpragRandom *random)
{
    return sprag_quaternion_matrix(sprag_quaternion_exp(draw_vector(random, 2)));
}

static int draw_body(Machine *machine, SpragRandom *random, const char *name)
{
    int body = machine_body(machine, name, sprag_random_uniform(random, 0.5, 3), 0.1, 0, 0, 0);
    SpragBody *item = &machine->model->bodies[body];
    const double tensor[6] = {0.11, 0.15, 0.2, 0.01, -0.02, 0.015};
    memcpy(item->tensor, tensor, sizeof tensor);
    item->orientation = sprag_quaternion_exp(draw_vector(random, 1));
    item->angle_given = false;
    sprag_vec3_to(draw_vector(random, 0.5), item->position);
    sprag_vec3_to(draw_vector(random, 2), item->velocity);
    sprag_vec3_to(draw_vector(random, 2), item->angular);
    return body;
}

static void sine(double t, int order, double *value, const void *user)
{
    (void)user;
    value[0] = 0.3 * sin(2 * t + 0.4);
    if (order > 0)
        value[1] = 0.6 * cos(2 * t + 0.4);
    if (order > 1)
        value[2] = -1.2 * sin(2 * t + 0.4);
}

static SpragJoint draw_joint(SpragRandom *random, SpragJointKind kind, char *name, int first,
                             int second)
{
    SpragJoint joint = machine_joint(kind, name, first, draw_vector(random, 0.4), second,
                                     draw_vector(random, 0.4));
    joint.axes[0] = draw_axes(random);
    joint.axes[1] = draw_axes(random);
    joint.length = 0.8;
    joint.lead = 0.3;
    return joint;
}

static double largest(int n, const double *a)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i]));
    return most;
}

// E a + bias = 0 and M a − f a combination of rows: what the elimination must give, with rows and
// biases that differences have confirmed.
static void check_motion(Machine *machine, double t)
{
    enum { N = 12, ROWS = 16, POSITIONS = 16 }; // with angles of joints that count turns
    SpragSystem *system = machine->system;
    int n = sprag_system_velocity_count(system), m = sprag_system_joint_row_count(system);
    double a[N], later[N], force[N], h = 2e-6;
    machine_accelerate(machine, t, a);
    // along the motion rows stay fulfilled: d²e/dt² = 0 by differences of the rates
    double error, rate, q[POSITIONS], v[N], speed = largest(n, machine->v), most = largest(n, a);
    // third derivatives of rows whose arms are up to a metre, on a way without a jerk; where the
    // rows of a joint nearly depend on each other velocities and accelerations are large
    double third = speed * speed * speed + 3 * speed * most;
    for (int side = -1; side <= 1; side += 2) {
        size_t count = (size_t)sprag_system_position_count(system);
        assert_true(count <= POSITIONS);
        memcpy(q, machine->q, count * sizeof *q);
        for (int i = 0; i < n; i++) {
            later[i] = side * h * machine->v[i] + h * h * a[i] / 2;
            v[i] = machine->v[i] + side * h * a[i];
        }
        sprag_system_position_shift(system, later, q);
        assert_ok(machine->context,
                  sprag_system_joint_error(system, t + side * h, q, v, &error, &rate));
        // rounding of 1e-15/h times the speed
        assert_close(rate, 0, h * h * third + 1e-9 * (1 + speed));
        assert_close(error, 0, h * h * h * third + 1e-13);
    }
    // power of the multipliers vanishes in every motion that the rows allow: (M a − f) · z = 0
    SpragContactProblem problem;
    sprag_contact_problem_init(&problem, machine->context);
    assert_ok(machine->context, sprag_system_build_active(system, t, machine->q, machine->v, 0,
                                                          NULL, NULL, &problem));
    assert_ok(machine->context, sprag_system_force(system, t, machine->q, machine->v, force));
    SpragJointRow rows[ROWS];
    assert_true(m <= ROWS);
    assert_ok(machine->context, sprag_system_joint_rows(system, t, machine->q, NULL, rows));
    for (int c = 0; c < n; c++) {
        double z[N], sum = 0;
        for (int i = 0; i < n; i++)
            z[i] = problem.inverse_inertia[i * n + c];
        for (int r = 0; r < m; r++) {
            double dot = 0;
            for (int k = 0; k < 2; k++)
                for (int e = 0; rows[r].body[k] >= 0 && e < 6; e++)
                    dot += rows[r].entries[k][e] *
                           z[sprag_system_body_coordinate(system, rows[r].body[k]) + e];
            assert_close(dot, 0, 1e-11);
        }
        // M a: kinetic energy is quadratic, so that its differences are exact up to rounding
        for (int i = 0; i < n; i++)
            sum += z[i] * force[i];
        double plus, minus, potential, elastic, w[N];
        for (int side = -1; side <= 1; side += 2) {
            for (int i = 0; i < n; i++)
                w[i] = a[i] + side * z[i];
            assert_ok(machine->context,
                      sprag_system_energy(system, t, machine->q, w, side > 0 ? &plus : &minus,
                                          &potential, &elastic));
        }
        assert_close((plus - minus) / 2, sum, 1e-9 * (1 + fabs(plus)));
    }
    sprag_contact_problem_destroy(&problem);
}

// Two bodies one after the other, the first on a ball, the second on a joint of any kind.
static Machine draw_pair(SpragRandom *random, int draw)
{
    SpragJointKind kind = (SpragJointKind)(draw % SPRAG_JOINT_KIND_COUNT);
    Machine machine = machine_create(3);
    int a = draw_body(&machine, random, "a"), b = draw_body(&machine, random, "b");
    SpragJoint first = draw_joint(random, SPRAG_JOINT_BALL, (char[]){"root"}, SPRAG_WORLD, a);
    SpragJoint second = draw_joint(random, kind, (char[]){"joint"}, a, b);
    bool moves =
        kind != SPRAG_JOINT_WELD && kind != SPRAG_JOINT_BALL && kind != SPRAG_JOINT_UNIVERSAL;
    if (moves && draw >= SPRAG_JOINT_KIND_COUNT) {
        second.driven = true;
        second.drive = (SpragTimeValue){.number = 0.3 * sin(0.4), .evaluate = sine};
        if (kind == SPRAG_JOINT_DISTANCE)
            second.drive = (SpragTimeValue){.number = 0.8};
    }
    machine_add(&machine, &first);
    machine_add(&machine, &second);
    return machine;
}

static void check_pair(Machine *machine)
{
    double error, rate;
    machine_build(machine);
    assert_ok(machine->context,
              sprag_system_check(machine->system, 0, machine->q, machine->v, 2e-6));
    assert_ok(machine->context,
              sprag_system_joint_error(machine->system, 0, machine->q, machine->v, &error, &rate));
    assert_close(error, 0, 1e-13);
    assert_close(rate, 0, 1e-12 + 1e-14 * largest(12, machine->v)); // rounding
    check_motion(machine, 0);
}

static void test_every_kind(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 21);
    for (int draw = 0; draw < test_draws(50 * SPRAG_JOINT_KIND_COUNT); draw++) {
        Machine machine = draw_pair(&random, draw);
        check_pair(&machine);
        machine_destroy(&machine);
    }
}

// On the way to where its joints fit a body turned 3700 times: the rounding of so large an angle
// was 9e-13 that the start was off.
static void test_turned_often(void **state)
{
    (void)state;
    enum { DRAW = 751 };
    SpragRandom random;
    sprag_random_init(&random, 21);
    for (int draw = 0; draw <= DRAW; draw++) {
        Machine machine = draw_pair(&random, draw);
        if (draw == DRAW)
            check_pair(&machine);
        machine_destroy(&machine);
    }
}

// The same four-bar as in the plane, with its axes along y: three rows too many, the same motion.
static void test_planar_loop(void **state)
{
    (void)state;
    double accelerations[2][18];
    for (int space = 0; space < 2; space++) {
        Machine machine = machine_create(space ? 3 : 2);
        const double x[3] = {0.2, 0.5, 1}, z[3] = {0.3, 0.5, 0.4}, angle[3] = {1, 0.3, 1.8};
        const double mass[3] = {1, 2, 1.5}, inertia[3] = {0.1, 0.2, 0.2}, half[3] = {0.2, 0.5, 0.4};
        int body[3];
        const char *const names[3] = {"crank", "coupler", "rocker"};
        for (int i = 0; i < 3; i++) {
            body[i] = machine_body(&machine, names[i], mass[i], inertia[i], x[i], z[i], angle[i]);
            SpragBody *item = &machine.model->bodies[body[i]];
            item->angle_given = i == 0;
            if (!space)
                continue;
            item->position[1] = 0.1;
            item->position[2] = z[i];
            // x, z of space are x, y of the plane: turns about −y
            item->orientation = sprag_quaternion_exp(sprag_vec3(0, -angle[i], 0));
        }
        machine.model->bodies[body[0]].spin = 3;
        machine.model->bodies[body[0]].angular[1] = -3;
        machine.model->bodies[body[0]].spin_given = true;
        const struct {
            char name[2];
            int first, second;
            double at, to;
        } pins[4] = {
            {"o", -1, 0, 0, -1}, {"p", 0, 1, 1, -1}, {"r", -1, 2, 1.2, -1}, {"q", 1, 2, 1, 1}};
        for (int i = 0; i < 4; i++) {
            int first = pins[i].first;
            double at = first < 0 ? pins[i].at : pins[i].at * half[first];
            SpragJoint pin = machine_joint(SPRAG_JOINT_REVOLUTE, (char *)pins[i].name,
                                           first < 0 ? SPRAG_WORLD : body[first],
                                           sprag_vec3(at, 0, 0), body[pins[i].second],
                                           sprag_vec3(pins[i].to * half[pins[i].second], 0, 0));
            SpragMat3 axes = {{1, 0, 0, 0, 0, -1, 0, 1, 0}}; // columns x, z, −y
            if (space)
                pin.axes[0] = pin.axes[1] = axes;
            machine_add(&machine, &pin);
        }
        machine_build(&machine);
        machine_accelerate(&machine, 0, accelerations[space]);
        if (space) {
            const char *redundancy = sprag_system_redundancy(machine.system);
            assert_non_null(strstr(redundancy, "3 rows"));
        }
        machine_destroy(&machine);
    }
    for (int i = 0; i < 3; i++) {
        assert_close(accelerations[1][6 * i], accelerations[0][3 * i], 1e-9);
        assert_close(accelerations[1][6 * i + 1], 0, 1e-9);
        assert_close(accelerations[1][6 * i + 2], accelerations[0][3 * i + 1], 1e-9);
        assert_close(accelerations[1][6 * i + 4], -accelerations[0][3 * i + 2], 1e-9);
    }
}

// A point mass on a rod of length L, hung on a ball: the pull is m (g cos + v²/L), whatever the
// direction, and a conical pendulum goes round with ω² = g/(L cos).
static void test_conical_pendulum(void **state)
{
    (void)state;
    const double L = 0.7, tilt = 0.6, omega = sqrt(9.81 / (L * cos(tilt))), tiny = 1e-6;
    Machine machine = machine_create(3);
    int bob = machine_body(&machine, "bob", 2, tiny, L * sin(tilt), 0, 0);
    SpragBody *item = &machine.model->bodies[bob];
    item->position[2] = -L * cos(tilt);
    item->orientation = sprag_quaternion_exp(sprag_vec3(0, -tilt, 0));
    item->angular[2] = omega;
    item->spin_given = true;
    SpragJoint ball = machine_joint(SPRAG_JOINT_BALL, (char[]){"ball"}, SPRAG_WORLD,
                                    sprag_vec3(0, 0, 0), bob, sprag_vec3(0, 0, L));
    machine_add(&machine, &ball);
    machine_build(&machine);
    double a[6];
    machine_accelerate(&machine, 0, a);
    // the tensor of a small sphere: I ω is along ω, so that it only adds its size
    assert_close(machine.v[1], omega * L * sin(tilt), 1e-12);
    assert_close(a[0], -omega * omega * L * sin(tilt), 1e-5);
    assert_close(a[2], 0, 1e-5);
    SpragJointState state_of_ball;
    assert_ok(machine.context, sprag_system_joints(machine.system, 0, machine.q, machine.v, 0, NULL,
                                                   NULL, &state_of_ball));
    assert_close(state_of_ball.reaction.z, 2 * 9.81, 1e-4);
    assert_close(state_of_ball.reaction.x, -2 * omega * omega * L * sin(tilt), 1e-4);
    machine_destroy(&machine);
}

// A nut on a fixed screw under gravity: (m l² + I) θ'' = −m g l, theory.md (9.16) without friction.
static void test_screw(void **state)
{
    (void)state;
    const double lead = 0.05, l = lead / (2 * acos(-1)), I = 0.02, m = 3;
    Machine machine = machine_create(3);
    int nut = machine_body(&machine, "nut", m, I, 0, 0, 0);
    SpragJoint screw = machine_joint(SPRAG_JOINT_SCREW, (char[]){"thread"}, SPRAG_WORLD,
                                     sprag_vec3(0, 0, 0), nut, sprag_vec3(0, 0, 0));
    screw.lead = lead;
    machine_add(&machine, &screw);
    machine_build(&machine);
    double a[6];
    machine_accelerate(&machine, 0, a);
    double expected = -m * 9.81 * l / (I + m * l * l);
    assert_close(a[5], expected, 1e-11);
    assert_close(a[2], l * expected, 1e-12);
    // ten turns further the angle is still that of the way
    machine.q[2] = 10 * lead;
    SpragJointState thread;
    assert_ok(machine.context,
              sprag_system_joints(machine.system, 0, machine.q, machine.v, 0, NULL, NULL, &thread));
    assert_close(thread.position[0], 20 * acos(-1), 1e-9);
    assert_close(thread.position[1], 10 * lead, 1e-12);
    assert_close(thread.error, 0, 1e-12);
    machine_destroy(&machine);
}

// Bennett's loop: four revolutes in space that move though counting says they cannot. Opposite
// links are equal, sin(twist)/length is the same for all.
static void test_bennett(void **state)
{
    (void)state;
    const double a = 0.6, alpha = 0.8, beta = 1.3, b = a * sin(beta) / sin(alpha);
    const double length[4] = {a, b, a, b}, twist[4] = {alpha, beta, alpha, beta};
    Machine machine = machine_create(3);
    int link[4] = {SPRAG_WORLD, -1, -1, -1};
    for (int i = 1; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "link%d", i);
        link[i] = machine_body(&machine, name, 1 + 0.2 * i, 0.05, 0, 0, 0);
        machine.model->bodies[link[i]].angle_given = false;
    }
    // Denavit and Hartenberg: link i carries the axis i at its origin and the axis i + 1 at a
    // distance along x, twisted about x
    const double theta = 1.1,
                 phi = 2 * atan(sin((beta + alpha) / 2) / sin((beta - alpha) / 2) / tan(theta / 2));
    const double turn[4] = {theta, phi, -theta, -phi};
    SpragQuaternion Q = {1, 0, 0, 0};
    SpragVec3 origin = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        if (i > 0) {
            SpragBody *body = &machine.model->bodies[link[i]];
            body->orientation = Q;
            sprag_vec3_to(origin, body->position);
        }
        SpragMat3 R = sprag_quaternion_matrix(Q);
        origin = sprag_vec3_add(origin, sprag_mat3_apply(&R, sprag_vec3(length[i], 0, 0)));
        Q = sprag_quaternion_product(Q, sprag_quaternion_exp(sprag_vec3(twist[i], 0, 0)));
        Q = sprag_quaternion_product(Q, sprag_quaternion_exp(sprag_vec3(0, 0, turn[(i + 1) % 4])));
    }
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "axis%d", i);
        SpragJoint axis =
            machine_joint(SPRAG_JOINT_REVOLUTE, name, link[i], sprag_vec3(length[i], 0, 0),
                          link[(i + 1) % 4], sprag_vec3(0, 0, 0));
        axis.axes[0] = sprag_quaternion_matrix(sprag_quaternion_exp(sprag_vec3(twist[i], 0, 0)));
        machine_add(&machine, &axis);
    }
    machine_build(&machine);
    // 20 rows for 18 velocities, and it moves: 17 are independent
    assert_non_null(strstr(sprag_system_redundancy(machine.system), "3 rows"));
    double error, rate, largest = 0, acceleration[18];
    assert_ok(machine.context,
              sprag_system_joint_error(machine.system, 0, machine.q, machine.v, &error, &rate));
    assert_close(error, 0, 1e-12);
    machine_accelerate(&machine, 0, acceleration);
    for (int i = 0; i < 18; i++)
        largest = fmax(largest, fabs(acceleration[i]));
    assert_true(largest > 0.1);
    machine_destroy(&machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind),  cmocka_unit_test(test_turned_often),
        cmocka_unit_test(test_planar_loop), cmocka_unit_test(test_conical_pendulum),
        cmocka_unit_test(test_screw),       cmocka_unit_test(test_bennett)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
