// Bearings of joints: the screw of theory.md 9.3 against its closed form, two normals against a
// scan over directions of the normal force, several bearings, bearings beside contacts in space.
#include "support/with_bearings.h"

static const double PI = 3.14159265358979323846;
static SpragConstraint *add_bearing(SpragContactProblem *problem, int normals, double mu,
                                    double slip)
{
    SpragConstraint *c;
    assert_ok(context, sprag_contact_problem_add_bearing(problem, normals, 1, &c));
    c->friction = mu;
    c->slip[0] = slip;
    c->sliding = slip != 0;
    return c;
}

// ---- One normal: the screw ----------------------------------------------------------------------

typedef struct Screw {
    double I, m, l, alpha, theta, mu, tau, slip;
} Screw;

// Accelerations q'' by (9.16) with the signs of its branches, and (9.17a); returns their number.
static int screw_motions(const Screw *s, double *q)
{
    double rho = atan(s->mu / cos(s->theta)), g = 9.81;
    double eta[2] = {tan(s->alpha) / tan(s->alpha + rho), tan(s->alpha) / tan(s->alpha - rho)};
    int count = 0;
    for (int sigma = -1; sigma <= 1; sigma += 2) {
        if (s->slip != 0 && (s->slip > 0) != (sigma > 0))
            continue;
        // "same sign" of F_n and q' is branch 1, whatever the two signs are
        for (int branch = 0; branch < 2; branch++) {
            double a = (s->tau - s->m * g * s->l / eta[branch]) /
                       (s->I + s->m * s->l * s->l / eta[branch]);
            double force = s->m * (s->l * a + g) / cos(s->alpha + (branch ? -rho : rho));
            bool same = force * sigma > 0;
            if (same == (branch == 0) && (s->slip != 0 || a * sigma > 0))
                q[count++] = a;
        }
    }
    if (s->slip == 0) {
        double r = s->l / tan(s->alpha);
        double force = (s->m * g * cos(s->alpha) + s->tau / r * sin(s->alpha)) / cos(s->theta);
        double f = s->tau / r * cos(s->alpha) - s->m * g * sin(s->alpha);
        if (fabs(f) <= s->mu * fabs(force))
            q[count++] = 0;
    }
    return count;
}

// Rows of (9.12), (9.13) on the coordinates (q, y).
static void screw_problem(const Screw *s, int dimension, SpragContactProblem *problem)
{
    double *inverse, *entries, r = s->l / tan(s->alpha);
    double N = cos(s->theta) * cos(s->alpha);
    sprag_contact_problem_init(problem, context);
    sprag_contact_problem_clear(problem, dimension);
    add_bearing(problem, 1, s->mu, s->slip);
    assert_ok(context, sprag_contact_problem_add_block(problem, 2, &inverse));
    inverse[0] = 1 / s->I;
    inverse[3] = 1 / s->m;
    problem->free_acceleration[0] = s->tau / s->I;
    problem->free_acceleration[1] = -9.81;
    assert_ok(context, sprag_contact_problem_add_row_block(problem, 0, 0, &entries));
    entries[0] = -N * s->l;
    entries[1] = N;
    assert_ok(context, sprag_contact_problem_add_row_block(problem, 1, 0, &entries));
    entries[0] = r * cos(s->alpha);
    entries[1] = sin(s->alpha);
    assert_ok(context, sprag_contact_problem_assemble(problem));
}

static void test_screw(void **state)
{
    (void)state;
    SpragRandom random;
    int seen[4] = {0};
    sprag_random_init(&random, 41);
    for (int draw = 0; draw < test_draws(2000); draw++) {
        Screw s = {.m = 10, .l = 0.003, .alpha = 0.1};
        s.I = 1e-4 * pow(10, sprag_random_uniform(&random, -2, 1));
        s.theta = sprag_random_uniform(&random, 0, 0.5);
        s.mu = sprag_random_uniform(&random, 0.02, 1.5);
        s.tau = sprag_random_uniform(&random, -3, 1);
        s.slip = sprag_random_below(&random, 3) - 1;
        double wanted[5];
        int count = screw_motions(&s, wanted);
        SpragContactProblem problem;
        screw_problem(&s, draw % 2 ? 3 : 2, &problem);
        SpragMotionSet set = run(&problem);
        assert_true(set.complete);
        assert_int_equal(set.count, count);
        seen[count]++;
        for (int i = 0; i < count; i++) {
            double nearest = INFINITY, a[2];
            for (int k = 0; k < set.count; k++) {
                sprag_contact_problem_acceleration(&problem, set.motions[k].force, a);
                nearest = fmin(nearest, fabs(a[0] - wanted[i]) / (1 + fabs(wanted[i])));
            }
            assert_close(nearest, 0, 1e-7);
        }
        sprag_contact_problem_destroy(&problem);
    }
    // every row of the table of 9.1 is met
    for (int i = 0; i < 4; i++)
        assert_true(seen[i] > 0);
}

// ---- Two normals --------------------------------------------------------------------------------

// Small dense systems by elimination with pivoting: nothing of the library.
static bool solve(int n, double A[6][7])
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k; i < n; i++)
            pivot = fabs(A[i][k]) > fabs(A[pivot][k]) ? i : pivot;
        if (fabs(A[pivot][k]) < 1e-12)
            return false;
        for (int j = 0; j <= n; j++) {
            double swap = A[k][j];
            A[k][j] = A[pivot][j];
            A[pivot][j] = swap;
        }
        for (int i = 0; i < n; i++)
            for (int j = n; i != k && j >= k; j--)
                A[i][j] -= A[i][k] / A[k][k] * A[k][j];
    }
    for (int k = 0; k < n; k++)
        A[k][n] /= A[k][k];
    return true;
}

// A bearing with two normals (rows 0, 1, 2) and a planar contact (rows 3, 4), all modes by hand.
typedef struct Pair {
    const SpragContactProblem *p;
    int bearing, contact; // 0 sticks, ±1 slides; contact: 2 separates
    double angle;
    double force[5], a[5];
} Pair;

// Forces of the modes with friction −k μ u·λN along u of the angle; false: singular.
static bool pair_solve(Pair *pair)
{
    const SpragContactProblem *p = pair->p;
    double A[6][7] = {{0}}, S[5][5] = {{0}}; // λ = S x
    int row[5], n = 0;
    double mu = p->constraints[0].friction, nu = p->constraints[1].friction;
    for (int k = 0; k < 2; k++, n++) {
        row[n] = k;
        S[k][n] = 1;
        S[2][n] = -pair->bearing * mu * (k ? sin(pair->angle) : cos(pair->angle));
    }
    if (pair->bearing == 0) {
        row[n] = 2;
        S[2][n++] = 1;
    }
    if (pair->contact != 2) {
        row[n] = 3;
        S[3][n] = 1;
        S[4][n++] = -pair->contact * nu;
    }
    if (pair->contact == 0) {
        row[n] = 4;
        S[4][n++] = 1;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            for (int r = 0; r < 5; r++)
                A[i][j] += p->W[row[i] * 5 + r] * S[r][j];
        A[i][n] = -p->b[row[i]];
    }
    if (!solve(n, A))
        return false;
    for (int r = 0; r < 5; r++) {
        pair->force[r] = 0;
        for (int j = 0; j < n; j++)
            pair->force[r] += S[r][j] * A[j][n];
    }
    for (int r = 0; r < 5; r++) {
        pair->a[r] = p->b[r];
        for (int j = 0; j < 5; j++)
            pair->a[r] += p->W[r * 5 + j] * pair->force[j];
    }
    return true;
}

static bool pair_admits(const Pair *pair)
{
    const SpragContactProblem *p = pair->p;
    double pressure = hypot(pair->force[0], pair->force[1]);
    if (pair->bearing == 0 && fabs(pair->force[2]) > p->constraints[0].friction * pressure)
        return false;
    if (pair->bearing != 0 && !p->constraints[0].sliding && pair->bearing * pair->a[2] <= 0)
        return false;
    if (pair->contact == 2)
        return pair->a[3] >= 0;
    if (pair->force[3] < 0)
        return false;
    if (pair->contact == 0)
        return fabs(pair->force[4]) <= p->constraints[1].friction * pair->force[3];
    return p->constraints[1].sliding || pair->contact * pair->a[4] > 0;
}

// u × λN, whose zeros with u·λN > 0 are the solutions of the sliding bearing.
static double pair_turn(Pair *pair, double angle, double *along)
{
    pair->angle = angle;
    if (!pair_solve(pair))
        return NAN;
    *along = cos(angle) * pair->force[0] + sin(angle) * pair->force[1];
    return cos(angle) * pair->force[1] - sin(angle) * pair->force[0];
}

static int pair_scan(Pair *pair, double forces[16][5], int count)
{
    enum { STEPS = 2000 };
    double along, last = pair_turn(pair, 0, &along);
    for (int k = 1; k <= STEPS; k++) {
        double low = 2 * PI * (k - 1) / STEPS, high = 2 * PI * k / STEPS;
        double next = pair_turn(pair, high, &along), before = last;
        last = next;
        if (!(before * next < 0))
            continue;
        for (int i = 0; i < 80; i++) {
            double middle = 0.5 * (low + high), value = pair_turn(pair, middle, &along);
            if (value * before > 0)
                low = middle;
            else
                high = middle;
        }
        double rest = pair_turn(pair, low, &along);
        // a pole changes its sign too; of a zero u·λN is as large as λN itself
        if (along > 0 && fabs(rest) < 1e-6 * along && pair_admits(pair))
            memcpy(forces[count++], pair->force, sizeof pair->force);
    }
    return count;
}

static int pair_motions(const SpragContactProblem *p, double forces[16][5])
{
    Pair pair = {.p = p};
    int count = 0;
    for (pair.bearing = -1; pair.bearing <= 1; pair.bearing++) {
        if (p->constraints[0].sliding && pair.bearing * p->constraints[0].slip[0] <= 0)
            continue;
        for (pair.contact = -1; pair.contact <= 2; pair.contact++) {
            if (p->constraints[1].sliding && pair.contact != 2 &&
                pair.contact * p->constraints[1].slip[0] <= 0)
                continue;
            if (pair.bearing != 0)
                count = pair_scan(&pair, forces, count);
            else if (pair_solve(&pair) && pair_admits(&pair))
                memcpy(forces[count++], pair.force, sizeof pair.force);
        }
    }
    return count;
}

static void test_two_normals(void **state)
{
    (void)state;
    SpragRandom random;
    int seen[8] = {0};
    sprag_random_init(&random, 42);
    for (int draw = 0; draw < test_draws(60); draw++) {
        SpragContactProblem problem;
        SpragConstraint *c;
        sprag_contact_problem_init(&problem, context);
        add_bearing(&problem, 2, sprag_random_uniform(&random, 0.1, 3),
                    sprag_random_below(&random, 3) - 1);
        assert_ok(context, sprag_contact_problem_add(&problem, SPRAG_CONSTRAINT_CONTACT, &c));
        c->friction = sprag_random_uniform(&random, 0.1, 1);
        c->slip[0] = sprag_random_below(&random, 3) - 1;
        c->sliding = c->slip[0] != 0;
        fill_random(&problem, &random);
        double forces[16][5];
        int count = pair_motions(&problem, forces);
        SpragMotionSet set = run(&problem);
        assert_true(set.complete);
        assert_int_equal(set.count, count);
        seen[count < 7 ? count : 7]++;
        for (int i = 0; i < count; i++) {
            double nearest = INFINITY, size = 1;
            for (int k = 0; k < set.count; k++) {
                double difference = 0;
                for (int r = 0; r < 5; r++) {
                    difference = fmax(difference, fabs(set.motions[k].force[r] - forces[i][r]));
                    size = fmax(size, fabs(forces[i][r]));
                }
                nearest = fmin(nearest, difference);
            }
            assert_close(nearest / size, 0, 1e-6);
        }
        sprag_contact_problem_destroy(&problem);
    }
    assert_true(seen[0] > 0 && seen[1] > 0 && seen[2] > 0);
}

// Several bearings: with little friction one motion, proved; with much every motion obeys the law.
static void test_several(void **state)
{
    (void)state;
    SpragRandom random;
    int proved = 0, several = 0;
    sprag_random_init(&random, 43);
    for (int draw = 0; draw < test_draws(60); draw++) {
        SpragContactProblem problem;
        sprag_contact_problem_init(&problem, context);
        bool little = draw % 2 == 0;
        for (int i = 0; i < 3; i++)
            add_bearing(&problem, 2, little ? 0.01 : 2, i == 0 || little ? 1 : 0);
        fill_random(&problem, &random);
        SpragMotionSet set = run(&problem);
        proved += little && set.complete && set.count == 1;
        several += set.count > 1;
        sprag_contact_problem_destroy(&problem);
    }
    assert_true(proved >= test_draws(60) / 3); // the others have nearly dependent rows
    assert_true(several > 0);
}

// A pin at rest under a load through its centre, and a torque: the friction circle, theory.md
// (9.32).
static void test_friction_circle(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        SpragContactProblem problem;
        double *inverse, *entries, mu = 0.3, radius = 0.02, load = 50;
        double torque = (k ? 1.01 : 0.99) * mu * radius * load;
        sprag_contact_problem_init(&problem, context);
        add_bearing(&problem, 2, mu, 0);
        assert_ok(context, sprag_contact_problem_add_block(&problem, 3, &inverse));
        inverse[0] = inverse[4] = 1 / 5.0;
        inverse[8] = 1 / 0.1;
        problem.free_acceleration[0] = 0.6 * load / 5;
        problem.free_acceleration[1] = -0.8 * load / 5;
        problem.free_acceleration[2] = torque / 0.1;
        for (int r = 0; r < 3; r++) {
            assert_ok(context, sprag_contact_problem_add_row_block(&problem, r, 0, &entries));
            entries[r] = r < 2 ? 1 : radius;
        }
        assert_ok(context, sprag_contact_problem_assemble(&problem));
        SpragMotionSet set = run(&problem);
        assert_true(set.complete);
        assert_int_equal(set.count, 1);
        assert_int_equal(set.motions[0].modes[0], k ? SPRAG_MODE_SLIDE_PLUS : SPRAG_MODE_STICK);
        assert_close(set.motions[0].force[0], -0.6 * load, 1e-10);
        assert_close(set.motions[0].force[1], 0.8 * load, 1e-10);
        assert_close(set.motions[0].force[2], -fmin(torque / radius, mu * load), 1e-9);
        sprag_contact_problem_destroy(&problem);
    }
}

// ---- Space --------------------------------------------------------------------------------------

// A contact that slides in space is one with a tangent along its slip in the plane.
static void test_sliding_in_space(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 44);
    for (int draw = 0; draw < test_draws(100); draw++) {
        SpragContactProblem space, plane;
        SpragConstraint *c;
        double angle = sprag_random_uniform(&random, 0, 2 * PI), P[5][6] = {{0}};
        sprag_contact_problem_init(&space, context);
        sprag_contact_problem_init(&plane, context);
        sprag_contact_problem_clear(&space, 3);
        double mu = sprag_random_uniform(&random, 0, 2), slip = sprag_random_below(&random, 3) - 1;
        add_bearing(&space, 2, mu, slip);
        add_bearing(&plane, 2, mu, slip);
        assert_ok(context, sprag_contact_problem_add(&space, SPRAG_CONSTRAINT_CONTACT, &c));
        c->friction = mu;
        c->slip[0] = 2 * cos(angle);
        c->slip[1] = 2 * sin(angle);
        c->sliding = true;
        assert_ok(context, sprag_contact_problem_add(&plane, SPRAG_CONSTRAINT_CONTACT, &c));
        c->friction = mu;
        c->slip[0] = 2;
        c->sliding = true;
        fill_random(&space, &random);
        for (int i = 0; i < 4; i++)
            P[i][i] = 1;
        P[4][4] = cos(angle);
        P[4][5] = sin(angle);
        assert_ok(context, sprag_contact_problem_reserve_dense(&plane));
        for (int i = 0; i < 25; i++)
            for (int r = 0; r < 36; r++)
                plane.W[i] += P[i / 5][r / 6] * space.W[r] * P[i % 5][r % 6];
        for (int i = 0; i < 30; i++)
            plane.b[i / 6] += P[i / 6][i % 6] * space.b[i % 6];
        SpragMotionSet flat = run(&plane);
        int count = flat.count;
        double normal[16];
        for (int i = 0; i < count; i++)
            normal[i] = flat.motions[i].force[3];
        assert_true(flat.complete);
        SpragMotionSet set = run(&space);
        assert_true(set.complete);
        assert_int_equal(set.count, count);
        for (int i = 0; i < count; i++)
            assert_close(set.motions[i].force[3], normal[i], 1e-7 * (1 + fabs(normal[i])));
        sprag_contact_problem_destroy(&space);
        sprag_contact_problem_destroy(&plane);
    }
}

// A bearing that slides and a contact at rest, in the plane and in space, where nothing moves the
// second tangent; `plane` has been filled, both are destroyed.
static void compare_resting(SpragContactProblem *plane, double slip)
{
    SpragContactProblem space;
    SpragConstraint *c;
    sprag_contact_problem_init(&space, context);
    sprag_contact_problem_clear(&space, 3);
    add_bearing(&space, 2, 0.2, slip);
    assert_ok(context, sprag_contact_problem_add(&space, SPRAG_CONSTRAINT_CONTACT, &c));
    c->friction = 0.3;
    assert_ok(context, sprag_contact_problem_reserve_dense(&space));
    for (int i = 0; i < 25; i++)
        space.W[i / 5 * 6 + i % 5] = plane->W[i];
    space.W[35] = 1;
    memcpy(space.b, plane->b, 5 * sizeof(double));
    SpragMotionSet flat = run(plane);
    int count = flat.count;
    double a = count == 1 ? flat.motions[0].acceleration[4] : 0;
    SpragMotionSet set = run(&space);
    assert_false(set.complete);
    if (count == 1) {
        assert_int_equal(set.count, 1);
        assert_close(set.motions[0].acceleration[4], a, 1e-7 * (1 + fabs(a)));
    }
    sprag_contact_problem_destroy(&space);
    sprag_contact_problem_destroy(plane);
}

static void begin_resting(SpragContactProblem *plane, double slip)
{
    SpragConstraint *c;
    sprag_contact_problem_init(plane, context);
    add_bearing(plane, 2, 0.2, slip);
    assert_ok(context, sprag_contact_problem_add(plane, SPRAG_CONSTRAINT_CONTACT, &c));
    c->friction = 0.3;
}

static void test_resting_in_space(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 45);
    for (int draw = 0; draw < test_draws(200); draw++) {
        SpragContactProblem plane;
        double slip = sprag_random_below(&random, 3) - 1;
        begin_resting(&plane, slip);
        fill_random(&plane, &random);
        compare_resting(&plane, slip);
    }
}

// The only motion is in modes that no substitution of the bearing's pressure meets: they hold for
// few pressures, or substitution leads away from the one that agrees.
static void test_resting_narrow(void **state)
{
    (void)state;
    static const struct {
        double slip, b[5], W[15]; // the upper half
    } cases[] = {
        {1,
         {1.6563910207454104, -1.5604278295549394, 1.539779420901441, -1.2751609066305709,
          -0.098582302958581183},
         {2.0092115574470388, 3.1644967265417132, -0.69729506840152911, -0.60000732648069599,
          3.7639178740167303, 8.0164654305498608, -2.4819981619934586, -0.9095477094189871,
          4.7153994206125383, 2.2222793768631228, -1.0351135841220835, -1.9836256461597328,
          6.8995772139364968, -2.4372371564651725, 11.159471233158174}},
        {-1,
         {-0.85398014506432829, 1.6349880854396803, -0.029139109000384064, 0.080450607482147621,
          0.43103022872378055},
         {6.0792039199732768, 0.37122199523342692, 2.9442194772975978, -5.5717007901134883,
          0.49670682739057903, 1.495636234465326, -2.012801590924389, 1.7784104318187102,
          -0.22191575984376649, 10.05844440957028, -4.8821892963695674, 1.8558121267348624,
          8.9442643953216798, -0.8708215421822193, 3.1736477661552591}},
        {-1,
         {0.54475846458038146, -0.24470719579647351, 0.067682805015787786, -1.7897476204391749,
          1.4449608255233592},
         {9.0645740707713518, -0.98556869479303821, 2.5674707081104868, 1.9872407769681661,
          -0.43829043955304897, 2.0192825169661526, -0.88767204833401303, 1.9701921252361232,
          -0.9604871945545832, 16.398043768401731, 4.0404594355077998, 6.5085830363248354,
          4.7284455041080022, 1.2215574860866478, 5.890492055852576}}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        SpragContactProblem plane;
        begin_resting(&plane, cases[k].slip);
        assert_ok(context, sprag_contact_problem_reserve_dense(&plane));
        memcpy(plane.b, cases[k].b, sizeof cases[k].b);
        for (int i = 0, at = 0; i < 5; i++)
            for (int j = i; j < 5; j++, at++)
                plane.W[5 * i + j] = plane.W[5 * j + i] = cases[k].W[at];
        compare_resting(&plane, cases[k].slip);
    }
}

// Two pins on one bar that cannot move: forces along the bar are not determined, those across are.
static void test_indeterminate(void **state)
{
    (void)state;
    SpragContactProblem problem;
    double *inverse, *entries;
    sprag_contact_problem_init(&problem, context);
    add_bearing(&problem, 2, 0.2, 0);
    add_bearing(&problem, 2, 0.2, 0);
    assert_ok(context, sprag_contact_problem_add_block(&problem, 3, &inverse));
    inverse[0] = inverse[4] = 1;
    inverse[8] = 12;
    problem.free_acceleration[1] = -10;
    for (int r = 0; r < 6; r++) {
        assert_ok(context, sprag_contact_problem_add_row_block(&problem, r, 0, &entries));
        entries[r % 3] = r % 3 == 2 ? 0.01 : 1;
        if (r % 3 == 1)
            entries[2] = r < 3 ? -0.5 : 0.5;
    }
    assert_ok(context, sprag_contact_problem_assemble(&problem));
    SpragMotionSet set = run(&problem);
    assert_int_equal(set.count, 1);
    assert_int_equal(set.motions[0].modes[0], SPRAG_MODE_STICK);
    assert_true(set.motions[0].force_dimension > 0);
    assert_close(set.motions[0].force[1] + set.motions[0].force[4], 10, 1e-9);
    sprag_contact_problem_destroy(&problem);
}

static void test_bad(void **state)
{
    (void)state;
    SpragContactProblem problem;
    SpragConstraint *c;
    sprag_contact_problem_init(&problem, context);
    assert_int_equal(sprag_contact_problem_add_bearing(&problem, 3, 1, &c), SPRAG_ERROR_ARGUMENT);
    assert_int_equal(problem.row_count, 0);
    sprag_contact_problem_destroy(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_screw),
                                       cmocka_unit_test(test_two_normals),
                                       cmocka_unit_test(test_several),
                                       cmocka_unit_test(test_friction_circle),
                                       cmocka_unit_test(test_sliding_in_space),
                                       cmocka_unit_test(test_resting_in_space),
                                       cmocka_unit_test(test_resting_narrow),
                                       cmocka_unit_test(test_indeterminate),
                                       cmocka_unit_test(test_bad)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
