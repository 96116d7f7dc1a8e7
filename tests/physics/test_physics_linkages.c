// Linkages with closed loops, in the plane and in space, against integrations with one coordinate,
// and frames against statics.
// The references know nothing of multipliers: without friction the motion of a loop with one angle
// θ is Σ w z' (z' θ'' + z'' θ'²) = −V', where z(θ) are closed formulas for what carries inertia w
// and ' is d/dθ, by differences of order 6; with friction the forces go from link to link by
// moments. Both are integrated by Runge and Kutta's method with steps whose error is below 1e-9.
#include "physics.h"

enum { LARGEST = 40 };

// ---- One angle, closed formulas -----------------------------------------------------------------

// z: what carries inertia, then the potential energy.
typedef struct Loop {
    int count; // with the potential energy
    double weight[LARGEST];
    void (*embed)(double theta, double *z);
} Loop;

// θ'' at (θ, ω). The differences err by h⁶ and 1e-15/h².
static double loop_acceleration(const Loop *loop, double theta, double omega)
{
    static const double first[7] = {-1, 9, -45, 0, 45, -9, 1},
                        second[7] = {2, -27, 270, -490, 270, -27, 2};
    const double h = 3e-3;
    double z[7][LARGEST], inertia = 0, right = 0, slope = 0;
    for (int k = 0; k < 7; k++)
        loop->embed(theta + (k - 3) * h, z[k]);
    for (int i = 0; i < loop->count; i++) {
        double d1 = 0, d2 = 0;
        for (int k = 0; k < 7; k++) {
            d1 += first[k] * z[k][i] / (60 * h);
            d2 += second[k] * z[k][i] / (180 * h * h);
        }
        slope = d1; // the last one is that of the potential
        inertia += loop->weight[i] * d1 * d1;
        right -= loop->weight[i] * d1 * d2 * omega * omega;
    }
    return (right - slope) / inertia;
}

static void loop_advance(const Loop *loop, double time, double *theta, double *omega)
{
    int steps = (int)ceil(time / 5e-4);
    double h = time / steps;
    for (int i = 0; i < steps; i++) {
        double p = *theta, w = *omega, a1 = loop_acceleration(loop, p, w);
        double a2 = loop_acceleration(loop, p + h / 2 * w, w + h / 2 * a1);
        double a3 = loop_acceleration(loop, p + h / 2 * w + h * h / 4 * a1, w + h / 2 * a2);
        double a4 = loop_acceleration(loop, p + h * w + h * h / 2 * a2, w + h * a3);
        *theta = p + h * w + h * h / 6 * (a1 + a2 + a3);
        *omega = w + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
}

static void start_run(TestRun *r, double tolerance)
{
    SpragRunSettings settings = sprag_run_default();
    SpragSink sink = test_run_sink(r);
    settings.tolerance = tolerance;
    settings.output_step = 0.01;
    assert_ok(context, sprag_run_create(r->system, &settings, &sink, &r->run));
}

static void go_on(TestRun *r, double until)
{
    assert_ok(context, sprag_run_advance(r->run, until, &r->outcome));
    assert_int_equal(r->outcome, SPRAG_RUN_DONE);
}

// ---- Crank and rocker on skew axes, joined by a rod with balls at its ends
// -----------------------

// The crank turns about z with A = a (cos θ, sin θ, 0), the rocker about x with B = P + b (0, cos
// φ, sin φ), |A − B| = L. The rod is slender: it keeps no spin about itself.
static const double SKEW_A = 0.2, SKEW_B = 0.5, SKEW_L = 0.85, SKEW_P[3] = {0.5, 0.1, 0.3};
static const double CRANK_MASS = 0.8, CRANK_INERTIA = 0.02, ROCKER_MASS = 1.1,
                    ROCKER_INERTIA = 0.03, ROD_MASS = 0.7, ROD_INERTIA = 0.05;

static double skew_rocker(double theta)
{
    double d[3] = {SKEW_A * cos(theta) - SKEW_P[0], SKEW_A * sin(theta) - SKEW_P[1], -SKEW_P[2]};
    double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    double c = (square + SKEW_B * SKEW_B - SKEW_L * SKEW_L) / (2 * SKEW_B * hypot(d[1], d[2]));
    return atan2(d[2], d[1]) + acos(c);
}

static void skew_ends(double theta, double *A, double *B)
{
    double phi = skew_rocker(theta);
    A[0] = SKEW_A * cos(theta);
    A[1] = SKEW_A * sin(theta);
    A[2] = 0;
    B[0] = SKEW_P[0];
    B[1] = SKEW_P[1] + SKEW_B * cos(phi);
    B[2] = SKEW_P[2] + SKEW_B * sin(phi);
}

static double skew_rod_mass; // 0: a rod without mass

static void skew_embed(double theta, double *z)
{
    double A[3], B[3];
    skew_ends(theta, A, B);
    z[0] = theta;
    z[1] = skew_rocker(theta);
    for (int i = 0; i < 3; i++) {
        z[2 + i] = (A[i] + B[i]) / 2;
        z[5 + i] = B[i] - A[i];
    }
    z[8] = PHYSICS_GRAVITY *
           (ROCKER_MASS * (B[2] + SKEW_P[2]) / 2 + skew_rod_mass * (A[2] + B[2]) / 2);
}

static void open_skew(TestRun *r, double theta, double omega, bool body)
{
    double A[3], B[3], phi = skew_rocker(theta);
    char rod[1024] = "", joints[512] = "  - {name: rod, type: distance, between: [crank.end, "
                                       "rocker.end], length: 0.85}\n";
    skew_ends(theta, A, B);
    if (body) {
        double u[3] = {(B[0] - A[0]) / SKEW_L, (B[1] - A[1]) / SKEW_L, (B[2] - A[2]) / SKEW_L};
        snprintf(rod, sizeof rod,
                 "  - {name: rod, mass: %.17g, inertia: [%.17g, %.17g, 1e-3],\n"
                 "     position: [%.17g, %.17g, %.17g],\n"
                 "     orientation: {axis: [%.17g, %.17g, 0], angle: %.17g},\n"
                 "     sites: {a: [0, 0, %.17g], b: [0, 0, %.17g]}}\n",
                 ROD_MASS, ROD_INERTIA, ROD_INERTIA, (A[0] + B[0]) / 2, (A[1] + B[1]) / 2,
                 (A[2] + B[2]) / 2, -u[1], u[0], acos(u[2]), -SKEW_L / 2, SKEW_L / 2);
        snprintf(joints, sizeof joints,
                 "  - {name: first, type: ball, between: [crank.end, rod.a]}\n"
                 "  - {name: second, type: ball, between: [rod.b, rocker.end]}\n");
    }
    physics_open(r,
                 "sprag: 1\ndimension: 3\nbodies:\n"
                 "  - {name: crank, mass: %.17g, inertia: [0.02, 0.02, 0.02],\n"
                 "     position: [%.17g, %.17g, 0], orientation: {axis: [0, 0, 1], angle: %.17g},\n"
                 "     sites: {o: [-0.1, 0, 0], end: [0.1, 0, 0]}}\n"
                 "  - {name: rocker, mass: %.17g, inertia: [0.03, 0.03, 0.03],\n"
                 "     position: [%.17g, %.17g, %.17g],\n"
                 "     orientation: {axis: [1, 0, 0], angle: %.17g},\n"
                 "     sites: {o: [0, -0.25, 0], end: [0, 0.25, 0]}}\n%s"
                 "joints:\n"
                 "  - {name: turn, type: revolute, between: [world, crank.o], at: [0, 0, 0],\n"
                 "     axis: [0, 0, 1]}\n"
                 "  - {name: rock, type: revolute, between: [world, rocker.o],\n"
                 "     at: [0.5, 0.1, 0.3], axis: [1, 0, 0]}\n%s"
                 "start: [{joint: turn, velocity: %.17g}]\n",
                 CRANK_MASS, A[0] / 2, A[1] / 2, theta, ROCKER_MASS, SKEW_P[0],
                 (SKEW_P[1] + B[1]) / 2, (SKEW_P[2] + B[2]) / 2, phi, rod, joints, omega);
}

static void test_skew_loop(void **state)
{
    (void)state;
    for (int body = 0; body < 2; body++) {
        double theta = 0.6, omega = 6;
        Loop loop = {.count = 9, .embed = skew_embed};
        loop.weight[0] = CRANK_INERTIA + CRANK_MASS * SKEW_A * SKEW_A / 4;
        loop.weight[1] = ROCKER_INERTIA + ROCKER_MASS * SKEW_B * SKEW_B / 4;
        for (int i = 0; body && i < 3; i++) {
            loop.weight[2 + i] = ROD_MASS;
            loop.weight[5 + i] = ROD_INERTIA / (SKEW_L * SKEW_L);
        }
        skew_rod_mass = body ? ROD_MASS : 0;
        TestRun r;
        open_skew(&r, theta, omega, body);
        start_run(&r, 1e-11);
        double slowest = INFINITY, fastest = 0;
        for (int i = 1; i <= 8; i++) {
            double A[3], B[3];
            go_on(&r, 0.2 * i);
            loop_advance(&loop, 0.2, &theta, &omega);
            skew_ends(theta, A, B);
            const double *q = sprag_run_position(r.run), *v = sprag_run_velocity(r.run);
            int crank = physics_coordinate(&r, "crank");
            int rocker = sprag_model_find_body(sprag_system_model(r.system), "rocker");
            const double *x = q + sprag_system_body_position(r.system, rocker);
            assert_close(x[1], (SKEW_P[1] + B[1]) / 2, 1e-8);
            assert_close(x[2], (SKEW_P[2] + B[2]) / 2, 1e-8);
            assert_close(v[crank + 5], omega, 1e-7);
            slowest = fmin(slowest, omega);
            fastest = fmax(fastest, omega);
        }
        assert_true(fastest - slowest > 1); // it does not just turn
        physics_assert_account(&r, 1e-10);
        test_run_close(&r);
    }
}

// ---- Bennett's loop in motion -------------------------------------------------------------------

// Four links in space on four revolutes; link i carries its first axis (z) at its origin, where
// its centre of mass is, and the next one at `length` along x, twisted about x. With the angle θ
// at the world's first axis the next is φ: tan(θ/2) tan(φ/2) = sin((β + α)/2)/sin((β − α)/2).
static const double TWIST[2] = {0.8, 1.3}, LINK_INERTIA = 0.05;

static double bennett_length(int link)
{
    return link % 2 == 0 ? 0.6 : 0.6 * sin(TWIST[1]) / sin(TWIST[0]);
}

// Origins and orientations of the links 1 to 3.
static void bennett_pose(double theta, SpragVec3 *origin, SpragQuaternion *Q)
{
    double k = sin((TWIST[1] + TWIST[0]) / 2) / sin((TWIST[1] - TWIST[0]) / 2);
    double phi = 2 * atan2(k * cos(theta / 2), sin(theta / 2));
    const double turn[4] = {theta, phi, -theta, -phi};
    SpragQuaternion now = {1, 0, 0, 0};
    SpragVec3 at = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        SpragMat3 R = sprag_quaternion_matrix(now);
        at = sprag_vec3_add(at, sprag_mat3_apply(&R, sprag_vec3(bennett_length(i), 0, 0)));
        now = sprag_quaternion_product(now, sprag_quaternion_exp(sprag_vec3(TWIST[i % 2], 0, 0)));
        now = sprag_quaternion_product(now, sprag_quaternion_exp(sprag_vec3(0, 0, turn[i + 1])));
        origin[i] = at;
        Q[i] = now;
    }
}

static double link_mass(int link)
{
    return 1 + 0.2 * (link + 1);
}

static void bennett_embed(double theta, double *z)
{
    SpragVec3 origin[3];
    SpragQuaternion Q[3];
    double potential = 0;
    bennett_pose(theta, origin, Q);
    for (int i = 0; i < 3; i++) {
        sprag_vec3_to(origin[i], z + 12 * i);
        SpragMat3 R = sprag_quaternion_matrix(Q[i]);
        memcpy(z + 12 * i + 3, R.m, 9 * sizeof(double));
        potential += link_mass(i) * PHYSICS_GRAVITY * origin[i].z;
    }
    z[36] = potential;
}

static void open_bennett(TestRun *r, double theta)
{
    SpragVec3 origin[3];
    SpragQuaternion Q[3];
    char bodies[2048] = "", joints[1024] = "";
    size_t used = 0;
    bennett_pose(theta, origin, Q);
    for (int i = 0; i < 3; i++)
        used += (size_t)snprintf(bodies + used, sizeof bodies - used,
                                 "  - {name: link%d, mass: %.17g, inertia: [0.05, 0.05, 0.05],\n"
                                 "     position: [%.17g, %.17g, %.17g],\n"
                                 "     orientation: {quaternion: [%.17g, %.17g, %.17g, %.17g]},\n"
                                 "     sites: {o: [0, 0, 0], end: [%.17g, 0, 0]}}\n",
                                 i + 1, link_mass(i), origin[i].x, origin[i].y, origin[i].z, Q[i].w,
                                 Q[i].x, Q[i].y, Q[i].z, bennett_length(i + 1));
    used = 0;
    for (int i = 0; i < 4; i++) {
        char from[64], to[64];
        snprintf(from, sizeof from, i == 0 ? "world" : "link%d.end", i);
        snprintf(to, sizeof to, i == 3 ? "world" : "link%d.o", i + 1);
        used += (size_t)snprintf(joints + used, sizeof joints - used,
                                 "  - {name: axis%d, type: revolute, between: [%s, %s],\n"
                                 "     axis: [0, %.17g, %.17g]%s}\n",
                                 i, from, to, -sin(TWIST[i % 2]), cos(TWIST[i % 2]),
                                 i == 0   ? ", at: [0.6, 0, 0]"
                                 : i == 3 ? ", at: [0, 0, 0]"
                                          : "");
    }
    physics_open(r, "sprag: 1\ndimension: 3\nbodies:\n%sjoints:\n%s", bodies, joints);
}

static void test_bennett_motion(void **state)
{
    (void)state;
    double theta = 1.1, omega = 0, least = theta, most = theta;
    Loop loop = {.count = 37, .embed = bennett_embed};
    for (int i = 0; i < 36; i++)
        loop.weight[i] = i % 12 < 3 ? link_mass(i / 12) : LINK_INERTIA / 2; // |ω|² = ½ ‖R'‖²
    TestRun r;
    open_bennett(&r, theta);
    assert_non_null(strstr(sprag_system_redundancy(r.system), "3 rows"));
    start_run(&r, 1e-11);
    for (int i = 1; i <= 8; i++) {
        SpragVec3 origin[3];
        SpragQuaternion Q[3];
        go_on(&r, 0.15 * i);
        loop_advance(&loop, 0.15, &theta, &omega);
        bennett_pose(theta, origin, Q);
        for (int k = 0; k < 3; k++) {
            const double *x = sprag_run_position(r.run) + sprag_system_body_position(r.system, k);
            assert_close(x[0], origin[k].x, 1e-7);
            assert_close(x[1], origin[k].y, 1e-7);
            assert_close(x[2], origin[k].z, 1e-7);
        }
        least = fmin(least, theta);
        most = fmax(most, theta);
    }
    assert_true(most - least > 0.5);
    physics_assert_account(&r, 1e-10);
    test_run_close(&r);
}

// By time stepping the loop's own error makes its three spare rows contradict the others a little:
// they are not carried. Steps of 0.5 ms, whose error shrinks with the step.
static void test_bennett_stepping(void **state)
{
    (void)state;
    double theta = 1.1, omega = 0;
    SpragVec3 origin[3];
    SpragQuaternion Q[3];
    Loop loop = {.count = 37, .embed = bennett_embed};
    for (int i = 0; i < 36; i++)
        loop.weight[i] = i % 12 < 3 ? link_mass(i / 12) : LINK_INERTIA / 2;
    TestRun r;
    open_bennett(&r, theta);
    SpragRunSettings settings = sprag_run_default();
    SpragSink sink = test_run_sink(&r);
    settings.motion = SPRAG_MOTION_STEPPING;
    settings.step = 5e-4;
    assert_ok(context, sprag_run_create(r.system, &settings, &sink, &r.run));
    go_on(&r, 0.4);
    loop_advance(&loop, 0.4, &theta, &omega);
    bennett_pose(theta, origin, Q);
    for (int k = 0; k < 3; k++) {
        const double *x = sprag_run_position(r.run) + sprag_system_body_position(r.system, k);
        assert_close(x[0], origin[k].x, 1e-3);
        assert_close(x[1], origin[k].y, 1e-3);
        assert_close(x[2], origin[k].z, 1e-3);
    }
    const SpragRunSample *sample = sprag_run_sample(r.run);
    assert_true(sample->residual < 1e-6);
    for (int k = 0; k < 4; k++)
        assert_true(sample->joints[k].error < 1e-5);
    // what repairs of positions gave or took
    assert_true(fabs(sample->energy.change) < 1e-3 * fabs(sample->energy.kinetic));
    test_run_close(&r);
}

// ---- A four-bar whose crank pin rubs ------------------------------------------------------------

typedef struct Plane {
    double x, y;
} Plane;

static double cross(Plane a, Plane b)
{
    return a.x * b.y - a.y * b.x;
}

// A link's root accelerates by `root`; of a link of length l at the angle p with rates w, a.
static Plane along(Plane root, double l, double p, double w, double a)
{
    return (Plane){root.x - l * (sin(p) * a + cos(p) * w * w),
                   root.y + l * (cos(p) * a - sin(p) * w * w)};
}

static const double GROUND = 1.2, CRANK = 0.4, COUPLER = 1.0, ROCKER = 0.8, PIN = 0.05,
                    PIN_FRICTION = 0.3;
static const double BAR_MASS[3] = {1, 2, 1.5}, BAR_INERTIA[3] = {0.1, 0.2, 0.2};

static void four_bar_angles(double theta, double *beta, double *gamma)
{
    double dx = GROUND - CRANK * cos(theta), dy = -CRANK * sin(theta), d = hypot(dx, dy);
    *beta = atan2(dy, dx) + acos((d * d + COUPLER * COUPLER - ROCKER * ROCKER) / (2 * d * COUPLER));
    *gamma = atan2(CRANK * sin(theta) + COUPLER * sin(*beta),
                   CRANK * cos(theta) + COUPLER * cos(*beta) - GROUND);
}

// Solves coupler e_b x + rocker e_g y = right, e_b = (−sin β, cos β) times the length, e_g minus
// that of the rocker: rates of both angles.
static Plane four_bar_rates(double beta, double gamma, Plane right)
{
    double a = -COUPLER * sin(beta), b = ROCKER * sin(gamma), c = COUPLER * cos(beta),
           d = -ROCKER * cos(gamma), det = a * d - b * c;
    return (Plane){(right.x * d - b * right.y) / det, (a * right.y - c * right.x) / det};
}

// What is missing in the crank's moments about its pin if θ'' = alpha and the pin rubs with
// `torque`; the force of the pin on the crank.
static double four_bar_moment(double theta, double omega, double alpha, double torque, Plane *pin)
{
    double beta, gamma, g = PHYSICS_GRAVITY;
    four_bar_angles(theta, &beta, &gamma);
    Plane rate = four_bar_rates(beta, gamma,
                                (Plane){CRANK * sin(theta) * omega, -CRANK * cos(theta) * omega});
    Plane zero = {0, 0}, end = along(zero, CRANK, theta, omega, alpha);
    Plane coupler = along(end, COUPLER, beta, rate.x, 0),
          rocker = along(zero, ROCKER, gamma, rate.y, 0);
    Plane growth = four_bar_rates(beta, gamma, (Plane){rocker.x - coupler.x, rocker.y - coupler.y});
    // inertial and gravity forces at the centres, in the middle of the bars
    Plane centre[3] = {along(zero, CRANK / 2, theta, omega, alpha),
                       along(end, COUPLER / 2, beta, rate.x, growth.x),
                       along(zero, ROCKER / 2, gamma, rate.y, growth.y)};
    for (int i = 0; i < 3; i++)
        centre[i] = (Plane){BAR_MASS[i] * centre[i].x, BAR_MASS[i] * (centre[i].y + g)};
    Plane b = {COUPLER * cos(beta), COUPLER * sin(beta)},
          c = {ROCKER * cos(gamma), ROCKER * sin(gamma)}, q;
    // force q of the rocker on the coupler from the moments of both about their other ends
    double right[2] = {BAR_INERTIA[1] * growth.x + cross(b, centre[1]) / 2,
                       BAR_INERTIA[2] * growth.y + cross(c, centre[2]) / 2};
    double det = -b.y * -c.x - b.x * c.y; // b × q = right 0, −c × q = right 1
    q.x = (right[0] * -c.x - b.x * right[1]) / det;
    q.y = (-b.y * right[1] - c.y * right[0]) / det;
    Plane p = {centre[1].x - q.x, centre[1].y - q.y}; // of the crank on the coupler
    *pin = (Plane){centre[0].x + p.x, centre[0].y + p.y};
    Plane a = {CRANK * cos(theta), CRANK * sin(theta)};
    return BAR_INERTIA[0] * alpha + cross(a, centre[0]) / 2 + cross(a, p) - torque;
}

static double four_bar(double theta, double omega)
{
    double torque = 0, alpha = 0;
    for (int k = 0; k < 60; k++) {
        Plane pin;
        double at0 = four_bar_moment(theta, omega, 0, torque, &pin),
               at1 = four_bar_moment(theta, omega, 1, torque, &pin);
        alpha = at0 / (at0 - at1);
        four_bar_moment(theta, omega, alpha, torque, &pin);
        torque = -copysign(PIN_FRICTION * PIN * hypot(pin.x, pin.y), omega);
    }
    return alpha;
}

typedef double Rate(double theta, double omega);

static void one_step(Rate *rate, double h, double *theta, double *omega)
{
    double p = *theta, w = *omega, a1 = rate(p, w);
    double a2 = rate(p + h / 2 * w, w + h / 2 * a1);
    double a3 = rate(p + h / 2 * w + h * h / 4 * a1, w + h / 2 * a2);
    double a4 = rate(p + h * w + h * h / 2 * a2, w + h * a3);
    *theta = p + h * w + h * h / 6 * (a1 + a2 + a3);
    *omega = w + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
}

static void test_four_bar_friction(void **state)
{
    (void)state;
    double theta = 1, omega = 11, beta, gamma, h = 5e-4;
    four_bar_angles(theta, &beta, &gamma);
    TestRun r;
    physics_open(&r,
                 "sprag: 1\nbodies:\n"
                 "  - {name: crank, mass: 1, inertia: 0.1, position: [%.17g, %.17g], angle: 1,\n"
                 "     spin: %.17g, sites: {o: [-0.2, 0], end: [0.2, 0]}}\n"
                 "  - {name: coupler, mass: 2, inertia: 0.2, position: [%.17g, %.17g],\n"
                 "     angle: %.17g, sites: {o: [-0.5, 0], end: [0.5, 0]}}\n"
                 "  - {name: rocker, mass: 1.5, inertia: 0.2, position: [%.17g, %.17g],\n"
                 "     angle: %.17g, sites: {o: [-0.4, 0], end: [0.4, 0]}}\n"
                 "joints:\n"
                 "  - {name: pin, type: revolute, between: [world, crank.o], at: [0, 0],\n"
                 "     friction: %.17g, radius: %.17g}\n"
                 "  - {name: p, type: revolute, between: [crank.end, coupler.o]}\n"
                 "  - {name: q, type: revolute, between: [coupler.end, rocker.end]}\n"
                 "  - {name: r, type: revolute, between: [world, rocker.o], at: [1.2, 0]}\n",
                 0.2 * cos(theta), 0.2 * sin(theta), omega, 0.4 * cos(theta) + 0.5 * cos(beta),
                 0.4 * sin(theta) + 0.5 * sin(beta), beta, 1.2 + 0.4 * cos(gamma), 0.4 * sin(gamma),
                 gamma, PIN_FRICTION, PIN);
    start_run(&r, 1e-11);
    for (int i = 1; i <= 6; i++) {
        go_on(&r, 0.2 * i);
        for (int k = 0; k < 400; k++)
            one_step(four_bar, h, &theta, &omega);
        assert_true(omega > 0);
        assert_close(sprag_run_position(r.run)[2], theta, 1e-7);
        assert_close(sprag_run_velocity(r.run)[2], omega, 1e-6);
    }
    assert_true(sprag_run_sample(r.run)->energy.friction > 1);
    physics_assert_account(&r, 1e-10);
    test_run_close(&r);
}

// ---- A slider-crank whose slider rubs -----------------------------------------------------------

static const double ARM = 0.15, ROD = 0.4, SLIDER_MASS = 0.9, ARM_MASS = 0.6, BAR = 0.5,
                    ARM_INERTIA = 0.01, BAR_TURN = 0.02, SLIDER_FRICTION = 0.3;

// Missing moment of the crank; the normal force of the guide. `friction` acts on the slider.
static double slider_moment(double theta, double omega, double alpha, double friction,
                            double *normal)
{
    double g = PHYSICS_GRAVITY, s = -ARM * sin(theta) / ROD, c = sqrt(1 - s * s);
    double rate = -ARM * cos(theta) * omega / (ROD * c);
    double growth =
        (-ARM * (cos(theta) * alpha - sin(theta) * omega * omega) + ROD * s * rate * rate) /
        (ROD * c);
    Plane zero = {0, 0}, pin = along(zero, ARM, theta, omega, alpha), turn = {ROD * c, ROD * s};
    double angle = asin(s);
    Plane slider = along(pin, ROD, angle, rate, growth);
    Plane middle = along(pin, ROD / 2, angle, rate, growth),
          rod = {BAR * middle.x, BAR * (middle.y + g)};
    double fx = SLIDER_MASS * slider.x - friction; // of the rod on the slider
    double fy = (turn.y * fx - BAR_TURN * growth - cross(turn, rod) / 2) / turn.x;
    *normal = SLIDER_MASS * g - fy;
    Plane on_rod = {rod.x + fx, rod.y + fy}, arm = {ARM * cos(theta), ARM * sin(theta)};
    return (ARM_INERTIA + ARM_MASS * ARM * ARM / 4) * alpha + ARM_MASS * g * arm.x / 2 +
           cross(arm, on_rod);
}

static double slider_velocity(double theta, double omega)
{
    double s = -ARM * sin(theta) / ROD, c = sqrt(1 - s * s);
    return -ARM * omega * (sin(theta) - cos(theta) * s / c);
}

static double slider_side; // where the slider moves to: the sign of its velocity

static double slider_crank(double theta, double omega)
{
    double friction = 0, alpha = 0, normal;
    for (int k = 0; k < 60; k++) {
        double at0 = slider_moment(theta, omega, 0, friction, &normal),
               at1 = slider_moment(theta, omega, 1, friction, &normal);
        alpha = at0 / (at0 - at1);
        slider_moment(theta, omega, alpha, friction, &normal);
        friction = -slider_side * SLIDER_FRICTION * fabs(normal);
    }
    return alpha;
}

// Friction turns round where the slider does: the step ends there.
static int slider_advance(double time, double *theta, double *omega)
{
    int turns = 0;
    for (double left = time; left > 1e-14;) {
        double h = fmin(2e-4, left), p = *theta, w = *omega, low = 0, high;
        one_step(slider_crank, h, &p, &w);
        if (slider_velocity(p, w) * slider_side >= 0) {
            *theta = p;
            *omega = w;
            left -= h;
            continue;
        }
        for (high = h; high - low > 1e-15;) {
            double middle = (low + high) / 2;
            p = *theta;
            w = *omega;
            one_step(slider_crank, middle, &p, &w);
            *(slider_velocity(p, w) * slider_side >= 0 ? &low : &high) = middle;
            if (middle == low && middle == high)
                break;
        }
        one_step(slider_crank, high, theta, omega);
        left -= high;
        slider_side = -slider_side;
        turns++;
    }
    return turns;
}

static void test_slider_crank_friction(void **state)
{
    (void)state;
    double theta = 0.7, omega = 9, s = -ARM * sin(theta) / ROD, c = sqrt(1 - s * s), v = 0;
    double rate = -ARM * cos(theta) * omega / (ROD * c);
    v = slider_velocity(theta, omega);
    slider_side = copysign(1, v);
    TestRun r;
    physics_open(
        &r,
        "sprag: 1\nbodies:\n"
        "  - {name: arm, mass: 0.6, inertia: 0.01, position: [%.17g, %.17g], angle: %.17g,\n"
        "     velocity: [%.17g, %.17g], spin: %.17g, sites: {o: [-0.075, 0], end: [0.075, 0]}}\n"
        "  - {name: rod, mass: 0.5, inertia: 0.02, position: [%.17g, %.17g], angle: %.17g,\n"
        "     velocity: [%.17g, %.17g], spin: %.17g, sites: {o: [-0.2, 0], end: [0.2, 0]}}\n"
        "  - {name: slider, mass: 0.9, inertia: 0.01, position: [%.17g, 0], angle: 0,\n"
        "     velocity: [%.17g, 0], spin: 0}\n"
        "joints:\n"
        "  - {name: crank, type: revolute, between: [world, arm.o], at: [0, 0]}\n"
        "  - {name: pin, type: revolute, between: [arm.end, rod.o]}\n"
        "  - {name: gudgeon, type: revolute, between: [rod.end, slider.com]}\n"
        "  - {name: guide, type: prismatic, between: [world, slider.com], at: [0, 0],\n"
        "     axis: [1, 0], friction: %.17g}\n",
        0.075 * cos(theta), 0.075 * sin(theta), theta, -0.075 * sin(theta) * omega,
        0.075 * cos(theta) * omega, omega, ARM * cos(theta) + 0.2 * c, ARM * sin(theta) + 0.2 * s,
        asin(s), -ARM * sin(theta) * omega - 0.2 * s * rate,
        ARM * cos(theta) * omega + 0.2 * c * rate, rate, ARM * cos(theta) + ROD * c, v,
        SLIDER_FRICTION);
    start_run(&r, 1e-11);
    int turns = 0;
    for (int i = 1; i <= 5; i++) {
        go_on(&r, 0.2 * i);
        turns += slider_advance(0.2, &theta, &omega);
        assert_close(sprag_run_position(r.run)[2], theta, 2e-7);
        assert_close(sprag_run_velocity(r.run)[2], omega, 2e-6);
    }
    assert_true(turns > 1);
    assert_true(sprag_run_sample(r.run)->energy.friction > 0.1);
    physics_assert_account(&r, 1e-10);
    test_run_close(&r);
}

// ---- Frames -------------------------------------------------------------------------------------

// Two bars on pins, joined at the top, with a load on one of them: four equations of moments.
static void test_three_hinges(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        double span = 2 + 0.3 * (i % 3), height = 1.5 - 0.2 * (i % 4), at = 0.1 + 0.07 * i,
               fx = 20 - 9 * (i % 5), fy = -35 + 4 * i, g = PHYSICS_GRAVITY;
        double left = hypot(0.4 * span, height), right = hypot(0.6 * span, height);
        double m1 = 3, m2 = 5, p = atan2(height, 0.4 * span), q = atan2(-height, 0.6 * span);
        double x = at * 0.4 * span, y = at * height; // of the load, on the left bar
        TestRun r;
        physics_open(&r,
                     "sprag: 1\nbodies:\n"
                     "  - {name: left, mass: 3, inertia: 0.5, position: [%.17g, %.17g],\n"
                     "     angle: %.17g, sites: {foot: [%.17g, 0], top: [%.17g, 0],\n"
                     "     load: [%.17g, 0]}}\n"
                     "  - {name: right, mass: 5, inertia: 0.5, position: [%.17g, %.17g],\n"
                     "     angle: %.17g, sites: {foot: [%.17g, 0], top: [%.17g, 0]}}\n"
                     "joints:\n"
                     "  - {name: a, type: revolute, between: [world, left.foot], at: [0, 0]}\n"
                     "  - {name: b, type: revolute, between: [world, right.foot], at: [%.17g, 0]}\n"
                     "  - {name: c, type: revolute, between: [left.top, right.top]}\n"
                     "loads: [{body: left, at: left.load, force: [%.17g, %.17g]}]\n",
                     0.2 * span, height / 2, p, -left / 2, left / 2, (at - 0.5) * left, 0.7 * span,
                     height / 2, q, right / 2, -right / 2, span, fx, fy);
        start_run(&r, 1e-9);
        go_on(&r, 0.5);
        assert_close(sprag_run_velocity(r.run)[2], 0, 1e-9); // it stands
        const SpragJointState *joints = sprag_run_sample(r.run)->joints;
        assert_non_null(joints);
        // about a: everything; about the top: the right bar
        double by = (m1 * g * 0.2 * span + m2 * g * 0.7 * span - (x * fy - y * fx)) / span;
        double bx = -(by * 0.6 * span - m2 * g * 0.3 * span) / height;
        assert_close(joints[1].reaction.x, bx, 1e-9);
        assert_close(joints[1].reaction.y, by, 1e-9);
        assert_close(joints[0].reaction.x, -fx - bx, 1e-9);
        assert_close(joints[0].reaction.y, (m1 + m2) * g - fy - by, 1e-9);
        assert_close(joints[2].reaction.x, -bx, 1e-9);
        assert_close(joints[2].reaction.y, m2 * g - by, 1e-9);
        test_run_close(&r);
    }
}

// Gauss with row pivots.
static void solve_six(double A[6][7])
{
    for (int i = 0; i < 6; i++) {
        int pivot = i;
        for (int k = i + 1; k < 6; k++)
            pivot = fabs(A[k][i]) > fabs(A[pivot][i]) ? k : pivot;
        for (int j = 0; j < 7; j++) {
            double keep = A[i][j];
            A[i][j] = A[pivot][j];
            A[pivot][j] = keep;
        }
        for (int k = 0; k < 6; k++) {
            double factor = k == i ? 0 : A[k][i] / A[i][i];
            for (int j = i; j < 7; j++)
                A[k][j] -= factor * A[i][j];
        }
    }
    for (int i = 0; i < 6; i++)
        A[i][6] /= A[i][i];
}

// A platform on six rods, with a load beside its middle.
static void test_hexapod(void **state)
{
    (void)state;
    for (int trial = 0; trial < 5; trial++) {
        double A[6][7] = {{0}}, force[3] = {3 - trial, 2 * trial - 5, -20}, at[3] = {0.1, -0.2, 0};
        char joints[2048] = "", sites[512] = "";
        size_t used = 0, written = 0;
        for (int i = 0; i < 6; i++) {
            double p = PHYSICS_PI / 3 * (i / 2 * 2 + (i % 2 ? 0.3 : -0.3)),
                   b = PHYSICS_PI / 3 * (i / 2 * 2 + (i % 2 ? 0.8 : -0.8)) + 0.05 * trial;
            double top[3] = {0.5 * cos(p), 0.5 * sin(p), 0}, foot[3] = {cos(b), sin(b), -1};
            double d[3] = {top[0] - foot[0], top[1] - foot[1], 1},
                   l = sqrt(d[0] * d[0] + d[1] * d[1] + 1);
            for (int k = 0; k < 3; k++) {
                A[k][i] = d[k] / l;
                A[3 + k][i] =
                    (top[(k + 1) % 3] * d[(k + 2) % 3] - top[(k + 2) % 3] * d[(k + 1) % 3]) / l;
            }
            written += (size_t)snprintf(sites + written, sizeof sites - written,
                                        "s%d: [%.17g, %.17g, 0], ", i, top[0], top[1]);
            used +=
                (size_t)snprintf(joints + used, sizeof joints - used,
                                 "  - {name: rod%d, type: distance, between: [world, plate.s%d],"
                                 " at: [%.17g, %.17g, 0]}\n",
                                 i, i, foot[0], foot[1]);
        }
        for (int k = 0; k < 3; k++) {
            A[k][6] = -force[k] + (k == 2 ? 4 * PHYSICS_GRAVITY : 0);
            A[3 + k][6] =
                -(at[(k + 1) % 3] * force[(k + 2) % 3] - at[(k + 2) % 3] * force[(k + 1) % 3]);
        }
        double directions[6][3];
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < 3; k++)
                directions[i][k] = A[k][i];
        solve_six(A);
        TestRun r;
        physics_open(&r,
                     "sprag: 1\ndimension: 3\nbodies:\n"
                     "  - {name: plate, mass: 4, inertia: [1, 1, 1], position: [0, 0, 1],\n"
                     "     orientation: {axis: [0, 0, 1], angle: 0},\n"
                     "     sites: {%sload: [0.1, -0.2, 0]}}\njoints:\n%s"
                     "loads: [{body: plate, at: plate.load, force: [%.17g, %.17g, %.17g]}]\n",
                     sites, joints, force[0], force[1], force[2]);
        start_run(&r, 1e-9);
        go_on(&r, 0.5);
        const SpragJointState *states = sprag_run_sample(r.run)->joints;
        for (int i = 0; i < 6; i++) {
            assert_close(states[i].reaction.x, A[i][6] * directions[i][0], 1e-9);
            assert_close(states[i].reaction.y, A[i][6] * directions[i][1], 1e-9);
            assert_close(states[i].reaction.z, A[i][6] * directions[i][2], 1e-9);
        }
        test_run_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_skew_loop),
                                       cmocka_unit_test(test_bennett_motion),
                                       cmocka_unit_test(test_bennett_stepping),
                                       cmocka_unit_test(test_four_bar_friction),
                                       cmocka_unit_test(test_slider_crank_friction),
                                       cmocka_unit_test(test_three_hinges),
                                       cmocka_unit_test(test_hexapod)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}
