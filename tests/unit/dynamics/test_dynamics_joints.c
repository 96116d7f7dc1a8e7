// Joints in the plane: accelerations against Lagrange's equations and against the whole system of
// bodies and multipliers, reactions against statics, placing, redundancy, drives.
#include "unit/dynamics/machine.h"

// Two links of lengths 2a, 2b with centres in the middle, hung from the origin.
typedef struct Pendulum {
    double m[2], I[2], L[2], angle[2], spin[2];
} Pendulum;

static Pendulum draw_pendulum(SpragRandom *random)
{
    Pendulum p;
    for (int i = 0; i < 2; i++) {
        p.m[i] = sprag_random_uniform(random, 0.1, 3);
        p.L[i] = sprag_random_uniform(random, 0.2, 2);
        p.I[i] = p.m[i] * p.L[i] * p.L[i] * sprag_random_uniform(random, 0.02, 0.3);
        p.angle[i] = sprag_random_uniform(random, -3, 3);
        p.spin[i] = sprag_random_uniform(random, -4, 4);
    }
    return p;
}

static Machine pendulum_machine(const Pendulum *p, bool swapped)
{
    Machine machine = machine_create(2);
    int body[2];
    // where bodies stand is left to the joints; the order of bodies is not that of the chain
    for (int k = 0; k < 2; k++) {
        int i = swapped ? 1 - k : k;
        body[i] = machine_body(&machine, i == 0 ? "upper" : "lower", p->m[i], p->I[i], 0.3 * k,
                               -0.2, p->angle[i]);
        machine.model->bodies[body[i]].spin = p->spin[i];
        machine.model->bodies[body[i]].spin_given = true;
    }
    machine_pin(&machine, "elbow", body[0], p->L[0] / 2, 0, body[1], -p->L[1] / 2, 0);
    machine_pin(&machine, "shoulder", SPRAG_WORLD, 0, 0, body[0], -p->L[0] / 2, 0);
    machine_build(&machine);
    return machine;
}

// Lagrange's equations with the angles of the links from the x axis.
static void lagrange(const Pendulum *p, double g, double a[2])
{
    double l = p->L[0], c = p->L[1] / 2, d = p->angle[0] - p->angle[1];
    double A = p->I[0] + p->m[0] * l * l / 4 + p->m[1] * l * l, B = p->m[1] * l * c * cos(d);
    double C = p->I[1] + p->m[1] * c * c, s = p->m[1] * l * c * sin(d);
    double r0 =
        -s * p->spin[1] * p->spin[1] - g * cos(p->angle[0]) * (p->m[0] * l / 2 + p->m[1] * l);
    double r1 = s * p->spin[0] * p->spin[0] - g * cos(p->angle[1]) * p->m[1] * c;
    double D = A * C - B * B;
    a[0] = (r0 * C - B * r1) / D;
    a[1] = (A * r1 - B * r0) / D;
}

static void test_double_pendulum(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 11);
    for (int draw = 0; draw < test_draws(40); draw++) {
        Pendulum p = draw_pendulum(&random);
        Machine machine = pendulum_machine(&p, draw % 2 == 1);
        double a[6], expected[2];
        machine_accelerate(&machine, 0, a);
        lagrange(&p, 9.81, expected);
        int upper = sprag_system_body_coordinate(machine.system, draw % 2 == 1 ? 1 : 0);
        int lower = sprag_system_body_coordinate(machine.system, draw % 2 == 1 ? 0 : 1);
        // condition of the two equations is below 1e3
        double size = fabs(expected[0]) + fabs(expected[1]) + 10;
        assert_close(a[upper + 2], expected[0], 1e-12 * size);
        assert_close(a[lower + 2], expected[1], 1e-12 * size);
        assert_ok(machine.context,
                  sprag_system_check(machine.system, 0, machine.q, machine.v, 1e-6));
        double error, rate;
        assert_ok(machine.context,
                  sprag_system_joint_error(machine.system, 0, machine.q, machine.v, &error, &rate));
        assert_close(error, 0, 1e-14);
        assert_close(rate, 0, 1e-13);
        assert_string_equal(sprag_system_redundancy(machine.system), "");
        machine_destroy(&machine);
    }
}

// ---- The inverse inertia against the whole system -----------------------------------------------

// Solves [M Eᵀ; E 0] [x; y] = [f; 0] by elimination with complete pivoting; E has full rank.
static void solve_whole(int n, int m, const double *M, const double *E, const double *f, double *x)
{
    enum { MOST = 64 };
    static double K[MOST * MOST];
    double right[MOST] = {0}, found[MOST];
    int rows[MOST], columns[MOST], size = n + m, sign;
    assert_true(size <= MOST);
    memset(K, 0, sizeof K);
    for (int i = 0; i < n; i++) {
        K[i * size + i] = M[i];
        right[i] = f[i];
        for (int r = 0; r < m; r++)
            K[(n + r) * size + i] = K[i * size + n + r] = E[r * n + i];
    }
    assert_int_equal(sprag_lu_factor(size, K, 1e-13, rows, columns, &sign), size);
    sprag_lu_solve(size, K, rows, columns, right, found);
    memcpy(x, found, (size_t)n * sizeof *x);
}

static void dense_rows(const Machine *machine, const SpragJointRow *rows, int count, double *E)
{
    int n = sprag_system_velocity_count(machine->system);
    int size = sprag_system_dimension(machine->system) == 3 ? 6 : 3;
    memset(E, 0, (size_t)(n * count) * sizeof *E);
    for (int r = 0; r < count; r++)
        for (int k = 0; k < 2; k++) {
            if (rows[r].body[k] < 0)
                continue;
            int at = sprag_system_body_coordinate(machine->system, rows[r].body[k]);
            for (int e = 0; e < size; e++)
                E[r * n + at + e] += rows[r].entries[k][e];
        }
}

// A chain of four links with one prismatic joint, a weld and a rod between two of them.
static Machine chain_machine(SpragRandom *random)
{
    Machine machine = machine_create(2);
    int link[4];
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "link%d", i);
        double mass = sprag_random_uniform(random, 0.1, 5);
        link[i] = machine_body(&machine, name, mass, mass * sprag_random_uniform(random, 0.01, 0.2),
                               0.5 * i, 0.1, sprag_random_uniform(random, -0.6, 0.6));
    }
    machine_pin(&machine, "a", SPRAG_WORLD, 0, 0, link[2], -0.2, 0.05);
    machine_pin(&machine, "b", link[2], 0.3, 0, link[0], -0.2, 0);
    SpragJoint slide = machine_joint(SPRAG_JOINT_PRISMATIC, (char[]){"c"}, link[0],
                                     sprag_vec3(0.1, 0, 0), link[1], sprag_vec3(0, 0.1, 0));
    machine.model->bodies[link[1]].angle_given = false;
    machine_add(&machine, &slide);
    SpragJoint rod = machine_joint(SPRAG_JOINT_DISTANCE, (char[]){"d"}, link[1],
                                   sprag_vec3(0.2, 0, 0), link[3], sprag_vec3(0, 0.1, 0));
    rod.length = 0.7;
    machine_add(&machine, &rod);
    SpragLoad load = {.body = link[3], .force = {1, -2, 0}, .torque = 0.3};
    assert_ok(machine.context, sprag_model_add_load(machine.model, &load, NULL));
    machine_build(&machine);
    return machine;
}

static void test_inverse_inertia(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 5);
    for (int draw = 0; draw < test_draws(20); draw++) {
        Machine machine = chain_machine(&random);
        SpragSystem *system = machine.system;
        int n = sprag_system_velocity_count(system), m = sprag_system_joint_row_count(system);
        SpragJointRow rows[16];
        double E[16 * 12], M[12], force[12], a[12], expected[12];
        assert_int_equal(m, 2 + 2 + 2 + 1);
        assert_ok(machine.context, sprag_system_joint_rows(system, 0, machine.q, NULL, rows));
        dense_rows(&machine, rows, m, E);
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 3; k++) {
                const SpragBody *body = &machine.model->bodies[i];
                M[sprag_system_body_coordinate(system, i) + k] = k < 2 ? body->mass : body->inertia;
            }
        // at rest there is no bias
        memset(machine.v, 0, sizeof machine.v);
        assert_ok(machine.context, sprag_system_force(system, 0, machine.q, machine.v, force));
        machine_accelerate(&machine, 0, a);
        solve_whole(n, m, M, E, force, expected);
        for (int i = 0; i < n; i++)
            assert_close(a[i], expected[i], 1e-10 * (1 + fabs(expected[i])));
        // the block of inertia, column by column
        SpragContactProblem problem;
        sprag_contact_problem_init(&problem, machine.context);
        assert_ok(machine.context, sprag_system_build_active(system, 0, machine.q, machine.v, 0,
                                                             NULL, NULL, &problem));
        assert_int_equal(problem.block_count, 1);
        assert_int_equal(problem.blocks[0].size, n);
        for (int c = 0; c < n; c++) {
            double unit[12] = {0};
            unit[c] = 1;
            solve_whole(n, m, M, E, unit, expected);
            for (int i = 0; i < n; i++)
                assert_close(problem.inverse_inertia[i * n + c], expected[i],
                             1e-11 * sqrt(1 / (M[i] * M[c])));
        }
        sprag_contact_problem_destroy(&problem);
        for (int i = 0; i < n; i++)
            machine.v[i] = sprag_random_uniform(&random, -1, 1);
        assert_ok(machine.context, sprag_system_check(system, 0, machine.q, machine.v, 1e-6));
        machine_destroy(&machine);
    }
}

// ---- Statics ------------------------------------------------------------------------------------

// A beam of length 2 on a pin at its left end and a slider at its right: each carries half of the
// weight; a load at a quarter goes 3 : 1.
static void test_reactions(void **state)
{
    (void)state;
    Machine machine = machine_create(2);
    int beam = machine_body(&machine, "beam", 3, 1, 0, 0, 0);
    machine_pin(&machine, "pin", SPRAG_WORLD, -1, 0, beam, -1, 0);
    SpragJoint rod = machine_joint(SPRAG_JOINT_DISTANCE, (char[]){"rod"}, SPRAG_WORLD,
                                   sprag_vec3(1, 5, 0), beam, sprag_vec3(1, 0, 0));
    rod.length = 5;
    machine_add(&machine, &rod);
    SpragLoad load = {.body = beam, .force = {7, -8, 0}, .local = {-0.5, 0, 0}};
    assert_ok(machine.context, sprag_model_add_load(machine.model, &load, NULL));
    machine_build(&machine);
    SpragJointState states[2];
    assert_ok(machine.context,
              sprag_system_joints(machine.system, 0, machine.q, machine.v, 0, NULL, NULL, states));
    double half = 3 * 9.81 / 2;
    assert_close(states[0].reaction.x, -7, 1e-12);
    assert_close(states[0].reaction.y, half + 6, 1e-12);
    assert_close(states[1].reaction.x, 0, 1e-12);
    assert_close(states[1].reaction.y, half + 2, 1e-12);
    assert_close(states[0].moment.z, 0, 1e-12);
    assert_close(states[1].position[0], 5, 1e-14);
    machine_destroy(&machine);
}

// A cantilever: weld, with the moment of its weight; its mirror image gives the force of the second
// end on the world.
static void test_cantilever(void **state)
{
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++) {
        Machine machine = machine_create(2);
        int beam = machine_body(&machine, "beam", 2, 0.3, 0.5, 1, 0.2);
        SpragVec3 wall = {0, 1, 0}, end = {-0.5, 0, 0};
        SpragJoint weld =
            swapped ? machine_joint(SPRAG_JOINT_WELD, (char[]){"w"}, beam, end, SPRAG_WORLD, wall)
                    : machine_joint(SPRAG_JOINT_WELD, (char[]){"w"}, SPRAG_WORLD, wall, beam, end);
        machine.model->bodies[beam].angle_given = false;
        machine_add(&machine, &weld);
        machine_build(&machine);
        SpragJointState w;
        assert_ok(machine.context,
                  sprag_system_joints(machine.system, 0, machine.q, machine.v, 0, NULL, NULL, &w));
        double sign = swapped ? -1 : 1;
        assert_close(machine.q[2], 0, 1e-15); // it has been turned to fit
        assert_close(w.reaction.y, sign * 2 * 9.81, 1e-12);
        assert_close(w.moment.z, sign * 2 * 9.81 * 0.5, 1e-12);
        machine_destroy(&machine);
    }
}

// ---- Loops --------------------------------------------------------------------------------------

// A four-bar; ground 1.2 between (0, 0) and (1.2, 0).
static Machine four_bar(double crank, double coupler, double rocker, bool given)
{
    Machine machine = machine_create(2);
    int a = machine_body(&machine, "crank", 1, 0.1, 0.2, 0.3, 1);
    int b = machine_body(&machine, "coupler", 2, 0.2, 0.5, 0.5, 0.3);
    int c = machine_body(&machine, "rocker", 1.5, 0.2, 1, 0.4, 1.8);
    machine.model->bodies[b].angle_given = machine.model->bodies[c].angle_given = given;
    machine_pin(&machine, "o", SPRAG_WORLD, 0, 0, a, -crank / 2, 0);
    machine_pin(&machine, "p", a, crank / 2, 0, b, -coupler / 2, 0);
    machine_pin(&machine, "r", SPRAG_WORLD, 1.2, 0, c, -rocker / 2, 0);
    machine_pin(&machine, "q", b, coupler / 2, 0, c, rocker / 2, 0);
    return machine;
}

// The angle of the crank is given, the others follow from the circles about its end and the pivot
// of the rocker; the acceleration by minimal coordinates: T = ½ J(θ) θ'², with J and V by
// differences of the closed kinematics.
static double coupler_angle(double theta, double crank, double coupler, double rocker)
{
    double px = crank * cos(theta), py = crank * sin(theta), dx = 1.2 - px, dy = -py;
    double d = hypot(dx, dy);
    double c = (d * d + coupler * coupler - rocker * rocker) / (2 * d * coupler);
    return atan2(dy, dx) + acos(c);
}

typedef struct FourBar {
    double crank, coupler, rocker;
} FourBar;

// Positions (x, y, angle) of the three bodies.
static void four_bar_pose(const FourBar *f, double theta, double *q)
{
    double b = coupler_angle(theta, f->crank, f->coupler, f->rocker);
    double px = f->crank * cos(theta), py = f->crank * sin(theta);
    double qx = px + f->coupler * cos(b), qy = py + f->coupler * sin(b);
    double c = atan2(qy, qx - 1.2);
    const double pose[9] = {px / 2,         py / 2, theta, (px + qx) / 2, (py + qy) / 2, b,
                            (qx + 1.2) / 2, qy / 2, c};
    memcpy(q, pose, sizeof pose);
}

static void test_four_bar(void **state)
{
    (void)state;
    const FourBar f = {0.4, 1.0, 0.8};
    const double M[9] = {1, 1, 0.1, 2, 2, 0.2, 1.5, 1.5, 0.2}, h = 1e-4, omega = 3;
    Machine machine = four_bar(f.crank, f.coupler, f.rocker, false);
    machine.model->bodies[0].spin = omega;
    machine.model->bodies[0].spin_given = true;
    machine_build(&machine);
    double pose[5][9], q1[9], q2[9], a[9];
    for (int k = 0; k < 5; k++)
        four_bar_pose(&f, 1 + (k - 2) * h, pose[k]);
    // dq/dθ and d²q/dθ² by central differences of order 4: error h⁴ and rounding 1e-16/h²
    for (int i = 0; i < 9; i++) {
        q1[i] = (pose[0][i] - 8 * pose[1][i] + 8 * pose[3][i] - pose[4][i]) / (12 * h);
        q2[i] = (-pose[0][i] + 16 * pose[1][i] - 30 * pose[2][i] + 16 * pose[3][i] - pose[4][i]) /
                (12 * h * h);
        assert_close(machine.q[i], pose[2][i], 1e-12);
        assert_close(machine.v[i], omega * q1[i], 1e-10);
    }
    // Σ M q1 (q1 θ'' + q2 θ'²) = −Σ m g q1_y
    double J = 0, right = 0;
    for (int i = 0; i < 9; i++) {
        J += M[i] * q1[i] * q1[i];
        right -= M[i] * q1[i] * q2[i] * omega * omega;
        right -= i % 3 == 1 ? M[i] * 9.81 * q1[i] : 0;
    }
    machine_accelerate(&machine, 0, a);
    for (int i = 0; i < 9; i++)
        assert_close(a[i], q1[i] * right / J + q2[i] * omega * omega, 1e-6);
    machine_destroy(&machine);
}

static void test_impossible_loop(void **state)
{
    (void)state;
    Machine machine = four_bar(0.2, 0.3, 0.4, false);
    assert_int_equal(sprag_system_create_model(machine.model, &machine.system), SPRAG_ERROR_INPUT);
    const char *message = sprag_context_message(machine.context);
    assert_non_null(strstr(message, "loop"));
    assert_non_null(strstr(message, "o"));
    // 1.2 apart, 0.9 of links: 0.3 in all are missing
    assert_non_null(strstr(message, "residual"));
    machine_destroy(&machine);
    // given angles that do not fit are refused too
    machine = four_bar(0.4, 1, 0.8, true);
    assert_int_equal(sprag_system_create_model(machine.model, &machine.system), SPRAG_ERROR_INPUT);
    machine_destroy(&machine);
}

// A spin given to one link leaves the other at rest; a velocity takes the spin of its link along.
static void test_given_speeds(void **state)
{
    (void)state;
    Pendulum p = {{1, 0.7}, {0.1, 0.03}, {1, 0.8}, {-0.5, 0.3}, {0, 2}};
    for (int given = 0; given < 2; given++) {
        Machine machine = machine_create(2);
        int upper = machine_body(&machine, "upper", p.m[0], p.I[0], 0, 0, p.angle[0]);
        int lower = machine_body(&machine, "lower", p.m[1], p.I[1], 0, 0, p.angle[1]);
        SpragBody *moved = &machine.model->bodies[given == 0 ? lower : upper];
        // of the upper link the velocity that a spin of 3 gives its middle
        moved->velocity[0] = given == 0 ? 0 : -3 * p.L[0] / 2 * sin(p.angle[0]);
        moved->velocity[1] = given == 0 ? 0 : 3 * p.L[0] / 2 * cos(p.angle[0]);
        moved->spin = given == 0 ? 2 : 0;
        moved->spin_given = given == 0;
        machine_pin(&machine, "elbow", upper, p.L[0] / 2, 0, lower, -p.L[1] / 2, 0);
        machine_pin(&machine, "shoulder", SPRAG_WORLD, 0, 0, upper, -p.L[0] / 2, 0);
        machine_build(&machine);
        double spin = machine.v[sprag_system_body_coordinate(machine.system, upper) + 2];
        if (given == 0) {
            assert_close(spin, 0, 1e-14);
            assert_close(machine.v[sprag_system_body_coordinate(machine.system, lower) + 2], 2, 0);
        } else {
            // the velocity that is given is met but for what following costs
            assert_close(spin, 3, 1e-6);
        }
        machine_destroy(&machine);
    }
}

// A parallelogram with a third crank: one row too many of those that matter.
static void test_redundancy(void **state)
{
    (void)state;
    Machine machine = machine_create(2);
    int bar = machine_body(&machine, "bar", 2, 0.5, 1, 1, 0);
    double a[12];
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "crank%d", i);
        int crank = machine_body(&machine, name, 1, 0.1, i, 0.5, acos(-1) / 2);
        snprintf(name, sizeof name, "foot%d", i);
        machine_pin(&machine, name, SPRAG_WORLD, i, 0, crank, -0.5, 0);
        snprintf(name, sizeof name, "head%d", i);
        machine_pin(&machine, name, crank, 0.5, 0, bar, i - 1, 0);
    }
    SpragLoad load = {.body = bar, .force = {10, 0, 0}};
    assert_ok(machine.context, sprag_model_add_load(machine.model, &load, NULL));
    machine_build(&machine);
    assert_non_null(strstr(sprag_system_redundancy(machine.system), "redundant"));
    // it moves as with two cranks: (Σ I_foot + m_bar) θ'' = 10, I_foot = 0.1 + 0.25
    machine_accelerate(&machine, 0, a);
    int at = sprag_system_body_coordinate(machine.system, bar);
    assert_close(a[at], 10 / (3 * 0.35 + 2), 1e-11);
    assert_close(a[at + 1], 0, 1e-11);
    // the weight of the bar is shared: all in all it is carried
    SpragJointState states[6];
    assert_ok(machine.context,
              sprag_system_joints(machine.system, 0, machine.q, machine.v, 0, NULL, NULL, states));
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        sum += states[2 * i + 1].reaction.y;
        // the smallest forces share the weight of the bar evenly
        assert_close(states[2 * i + 1].reaction.y, 2 * 9.81 / 3, 1e-9);
    }
    assert_close(sum, 2 * 9.81, 1e-10);
    machine_destroy(&machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_double_pendulum), cmocka_unit_test(test_inverse_inertia),
        cmocka_unit_test(test_reactions),       cmocka_unit_test(test_cantilever),
        cmocka_unit_test(test_four_bar),        cmocka_unit_test(test_impossible_loop),
        cmocka_unit_test(test_redundancy),      cmocka_unit_test(test_given_speeds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
