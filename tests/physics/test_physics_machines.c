// Machines with friction in their joints against minimal coordinates: pendulums, four-bar,
// slider-crank, drawer, screw (theory.md section 9), limits that bounce, guides of Painlevé and
// Klein. The references integrate Lagrange's equations of one angle by Runge and Kutta's method
// with steps so small that their error is far below the tolerances.
#include "physics.h"

// ---- Pendulum with a pin that rubs --------------------------------------------------------------

static const double M = 1.3, I = 0.03, L = 0.25, MU = 0.4, R = 0.02;

// φ'' of a pendulum whose pin rubs in the direction of `sign`: (I + m L²) φ'' = −m g L cos φ −
// sign μ r N, N² = (m a_x)² + (m (a_y + g))² with a of the centre of mass; a quadratic in φ''.
static double pendulum(double phi, double omega, double sign)
{
    double J = I + M * L * L, g = PHYSICS_GRAVITY, c = cos(phi), s = sin(phi), k = MU * R;
    // N² = m² (α² L² + 2 α g L c + (ω² L)² − 2 g L ω² s + g²)
    double A = J * J - k * k * M * M * L * L;
    double B = 2 * J * M * g * L * c - 2 * k * k * M * M * g * L * c;
    double C = M * M * g * g * L * L * c * c -
               k * k * M * M * (pow(omega * omega * L, 2) - 2 * g * L * omega * omega * s + g * g);
    double root = sqrt(B * B - 4 * A * C);
    // −sign (J α + m g L c) = μ r N > 0
    for (int i = -1; i <= 1; i += 2) {
        double alpha = (-B + i * root) / (2 * A);
        if (-sign * (J * alpha + M * g * L * c) > 0)
            return alpha;
    }
    return NAN;
}

typedef double Acceleration(double phi, double omega, double sign);

static void runge_kutta(Acceleration *f, double h, double sign, double *phi, double *omega)
{
    double k[4][2], p = *phi, w = *omega;
    static const double at[4] = {0, 0.5, 0.5, 1};
    for (int i = 0; i < 4; i++) {
        double pi = p + (i ? at[i] * h * k[i - 1][0] : 0),
               wi = w + (i ? at[i] * h * k[i - 1][1] : 0);
        k[i][0] = wi;
        k[i][1] = f(pi, wi, sign);
    }
    *phi = p + h / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]);
    *omega = w + h / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
}

// One half swing from rest: time and angle at which it ends. The last step is found by bisection.
static void half_swing(Acceleration *f, double sign, double *t, double *phi)
{
    double h = 1e-4, omega = 0;
    for (;;) {
        double p = *phi, w = omega;
        runge_kutta(f, h, sign, phi, &omega);
        if (omega * sign > 0 || h < 1e-13) {
            *t += h;
            if (h < 1e-13)
                return;
            continue;
        }
        *phi = p;
        omega = w;
        h *= 0.5;
    }
}

static void test_pin_friction(void **state)
{
    (void)state;
    TestRun r;
    physics_open(&r,
                 "sprag: 1\nbodies:\n"
                 "  - {name: bar, mass: %.17g, inertia: %.17g, position: [%.17g, 0],\n"
                 "     shapes: [{rod: {length: 0.5}}]}\n"
                 "joints: [{name: pin, type: revolute, between: [world, bar.a], at: [0, 0],\n"
                 "          friction: %.17g, radius: %.17g}]\n",
                 M, I, L, MU, R);
    test_run_go(&r, 30, 1e-10);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    double t = 0, phi = 0, sign = -1;
    int swings = 0;
    for (; swings < 6; swings++, sign = -sign) {
        int event = test_run_event(&r, SPRAG_EVENT_SLIP_REVERSAL, swings);
        half_swing(pendulum, sign, &t, &phi);
        assert_true(event >= 0);
        assert_close(r.events[event].t, t, 1e-8);
    }
    // it ends where friction holds it: |m g L cos φ| ≤ μ r m g
    const double *q = sprag_run_position(r.run);
    assert_true(sprag_run_sample(r.run)->contacts[0].mode == SPRAG_MODE_STICK);
    assert_true(L * fabs(cos(q[2])) <= MU * R * (1 + 1e-9));
    assert_true(test_run_event(&r, SPRAG_EVENT_REST, 0) >= 0);
    physics_assert_account(&r, 1e-10);
    test_run_close(&r);
}

// ---- Drawer
// ---------------------------------------------------------------------------------------

// Pulled by F at a distance d from the middle of a guide of length L: both ends press with F d/L,
// and it jams for μ ≥ L/(2 d).
static void test_drawer(void **state)
{
    (void)state;
    double F = 10, m = 2;
    for (int i = 0; i < 40; i++) {
        double d = 0.1 + 0.1 * (i % 4), length = 0.3 + 0.1 * (i / 8), mu = 0.1 + 0.35 * (i % 5);
        double pull = F * (1 - 2 * mu * d / length), t = 0.2;
        TestRun r;
        physics_open(
            &r,
            "sprag: 1\ngravity: [0, 0]\nbodies:\n"
            "  - {name: drawer, mass: %.17g, inertia: 0.1, sites: {handle: [0.2, %.17g]},\n"
            "     shapes: [{box: {size: [0.5, 1]}}]}\n"
            "joints: [{name: slide, type: prismatic, between: [world, drawer.com],\n"
            "          at: [0, 0], axis: [1, 0], friction: %.17g, bearing: %.17g}]\n"
            "loads: [{body: drawer, force: [%.17g, 0], at: drawer.handle}]\n",
            m, d, mu, length, F);
        test_run_go(&r, t, 1e-10);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        double v = pull > 0 ? pull / m * t : 0;
        assert_close(sprag_run_velocity(r.run)[0], v, 1e-9);
        const SpragRunContact *contacts = sprag_run_sample(r.run)->contacts;
        if (pull > 0)
            for (int k = 0; k < 2; k++)
                assert_close(fabs(contacts[k].normal), F * d / length, 1e-8);
        if (pull > 0)
            physics_assert_account(&r, 1e-10);
        test_run_close(&r);
    }
}

// ---- Screw --------------------------------------------------------------------------------------

// A spindle that turns under a torque, a stage that it lifts: theory.md (9.16). The nut sees the
// spindle turn the other way, so that q of 9.3 is minus the spindle's angle.
static void open_screw(TestRun *r, double inertia, double mu, double torque, double speed)
{
    physics_open(
        r,
        "sprag: 1\ndimension: 3\nbodies:\n"
        "  - {name: spindle, mass: 1, inertia: [%.17g, %.17g, %.17g],\n"
        "     spin: [0, 0, %.17g]}\n"
        "  - {name: stage, mass: 10, inertia: [0.1, 0.1, 0.1],\n"
        "     velocity: [0, 0, %.17g]}\n"
        "joints:\n"
        "  - {name: turn, type: revolute, between: [world, spindle.com], axis: [0, 0, 1]}\n"
        "  - {name: rail, type: prismatic, between: [world, stage.com], axis: [0, 0, 1]}\n"
        "  - {name: nut, type: screw, between: [spindle.com, stage.com], axis: [0, 0, 1],\n"
        "     lead: 5 mm, radius: 5 mm, thread-angle: 15 deg, friction: %.17g}\n"
        "loads: [{joint: turn, torque: %.17g}]\n",
        inertia, inertia, inertia, -speed, speed * 0.005 / (2 * PHYSICS_PI), mu, -torque);
}

// Accelerations of (9.16), (9.17a) at slip `sign` (0: rest); returns their number.
static int screw_motions(double inertia, double mu, double torque, double sign, double *q)
{
    double l = 0.005 / (2 * PHYSICS_PI), r = 0.005, theta = 15 * PHYSICS_PI / 180, m = 10;
    double alpha = atan(l / r), rho = atan(mu / cos(theta)), g = PHYSICS_GRAVITY;
    int count = 0;
    for (int s = -1; s <= 1; s += 2)
        for (int branch = -1; branch <= 1 && (sign == 0 || s == sign); branch += 2) {
            double eta = tan(alpha) / tan(alpha + branch * rho);
            double a = (torque - m * g * l / eta) / (inertia + m * l * l / eta);
            double force = (l * a + g) / cos(alpha + branch * rho);
            if (force * s * branch > 0 && (sign != 0 || a * s > 0))
                q[count++] = a;
        }
    double force = (m * g * cos(alpha) + torque / r * sin(alpha)) / cos(theta);
    double f = torque / r * cos(alpha) - m * g * sin(alpha);
    if (sign == 0 && fabs(f) <= mu * fabs(force))
        q[count++] = 0;
    return count;
}

// Effective inertia of the branch that an acceleration belongs to; held: positive.
static double effective(double inertia, double mu, double torque, double sign, double q)
{
    double l = 0.005 / (2 * PHYSICS_PI), theta = 15 * PHYSICS_PI / 180, m = 10;
    double alpha = atan(l / 0.005), rho = atan(mu / cos(theta)), found = 1;
    double nearest = sign == 0 ? fabs(q) : INFINITY;
    for (int branch = -1; branch <= 1; branch += 2) {
        double eta = tan(alpha) / tan(alpha + branch * rho), whole = inertia + m * l * l / eta;
        double off = fabs((torque - m * PHYSICS_GRAVITY * l / eta) / whole - q);
        if (off < nearest) {
            nearest = off;
            found = whole;
        }
    }
    return found;
}

static void test_screw_forward(void **state)
{
    (void)state;
    int seen[4] = {0};
    for (int i = 0; i < 72; i++) {
        double inertia = i % 2 ? 1e-4 : 1e-6, mu = i % 3 == 0 ? 0.1 : i % 3 == 1 ? 0.3 : 1.5;
        double torque = -0.1 + 0.06 * (i / 12), sign = i / 3 % 3 - 1.0, wanted[5];
        torque = i >= 60 ? -3e-3 : torque;
        int count = screw_motions(inertia, mu, torque, sign, wanted);
        TestRun r;
        SpragVerdict verdict;
        open_screw(&r, inertia, mu, torque, 3 * sign);
        SpragRunSettings settings = sprag_run_default();
        assert_ok(context, sprag_run_create(r.system, &settings, NULL, &r.run));
        assert_ok(context, sprag_run_analyze(r.run, &verdict));
        assert_true(verdict.complete);
        assert_int_equal(verdict.solution_count, count);
        seen[count]++;
        for (int k = 0; k < count; k++) {
            // the tangent of the bearing is r_m cos α q + sin α y
            double nearest = INFINITY, l = 0.005 / (2 * PHYSICS_PI), alpha = atan(l / 0.005);
            double along = 0.005 * cos(alpha) + sin(alpha) * l;
            for (int s = 0; s < count; s++) {
                const SpragSolution *solution = &verdict.solutions[s];
                double q = solution->motion->acceleration[1] / along;
                nearest = fmin(nearest, fabs(q - wanted[k]));
                // (9.20): stable where the effective inertia is positive
                assert_int_equal(solution->stable, effective(inertia, mu, torque, sign, q) > 0);
            }
            assert_close(nearest, 0, 1e-6 * (1 + fabs(wanted[k])));
        }
        test_run_close(&r);
    }
    assert_true(seen[0] > 0 && seen[1] > 0 && seen[2] > 0);
}

// The torque for a wanted acceleration, (9.16), and whether it makes that acceleration by itself.
static void test_screw_inverse(void **state)
{
    (void)state;
    int seen[4] = {0};
    for (int i = 0; i < 36; i++) {
        double inertia = i % 2 ? 1e-4 : 1e-6, mu = i % 3 == 0 ? 0.1 : i % 3 == 1 ? 0.3 : 1.5;
        double q = -3e4 + 1e4 * (i / 6), sign = i % 4 < 2 ? 1 : -1, force[3];
        double l = 0.005 / (2 * PHYSICS_PI), theta = 15 * PHYSICS_PI / 180, m = 10;
        double alpha = atan(l / 0.005), rho = atan(mu / cos(theta)), wanted[5], torque = NAN;
        for (int branch = -1; branch <= 1; branch += 2) {
            double eta = tan(alpha) / tan(alpha + branch * rho);
            if (sign * branch * (l * q + PHYSICS_GRAVITY) / cos(alpha + branch * rho) > 0)
                torque = (inertia + m * l * l / eta) * q + m * PHYSICS_GRAVITY * l / eta;
        }
        if (isnan(torque))
            continue; // cos(α + ρ) < 0: the nut cannot carry it
        TestRun r;
        SpragVerdict verdict;
        SpragInverse inverse;
        SpragContactProblem problem;
        SpragAnalysis *analysis;
        physics_open(&r,
                     "sprag: 1\ndimension: 3\nbodies:\n"
                     "  - {name: spindle, mass: 1, inertia: [%.17g, %.17g, %.17g]}\n"
                     "  - {name: stage, mass: 10, inertia: [0.1, 0.1, 0.1]}\n"
                     "joints:\n"
                     "  - {name: turn, type: revolute, between: [world, spindle.com],\n"
                     "     axis: [0, 0, 1], drive: %.17g*t - %.17g*t^2}\n"
                     "  - {name: rail, type: prismatic, between: [world, stage.com],\n"
                     "     axis: [0, 0, 1]}\n"
                     "  - {name: nut, type: screw, between: [spindle.com, stage.com],\n"
                     "     axis: [0, 0, 1], lead: 5 mm, radius: 5 mm, thread-angle: 15 deg,\n"
                     "     friction: %.17g}\n",
                     inertia, inertia, inertia, -sign, 0.5 * q, mu);
        double *state_q = test_malloc(64 * sizeof(double)), *v = state_q + 32;
        sprag_system_initial(r.system, state_q, v);
        SpragContactTolerances tolerances = sprag_system_tolerances(r.system, v);
        sprag_contact_problem_init(&problem, context);
        assert_ok(context,
                  sprag_system_build_problem(r.system, 0, state_q, v, &tolerances, &problem));
        assert_ok(context, sprag_analysis_create(context, &analysis));
        assert_ok(context, sprag_analysis_run(analysis, &problem, NULL, &verdict));
        assert_int_equal(verdict.solution_count, 1);
        SpragInverseState at = {0, state_q, v, &problem, verdict.solutions[0].motion};
        assert_ok(context, sprag_inverse_dynamics(r.system, &at, force, &inverse));
        assert_close(force[0], -torque, 1e-8 * (1 + fabs(torque)));
        int count = screw_motions(inertia, mu, torque, sign, wanted), stable = 0;
        for (int k = 0; k < count; k++)
            stable += effective(inertia, mu, torque, sign, wanted[k]) > 0;
        bool itself = effective(inertia, mu, torque, sign, q) > 0;
        assert_true(inverse.known);
        assert_int_equal(inverse.solution_count, count);
        assert_int_equal(inverse.realised, !itself      ? SPRAG_REALISED_UNSTABLE
                                           : stable > 1 ? SPRAG_REALISED_AMONG
                                                        : SPRAG_REALISED_YES);
        seen[inverse.realised]++;
        test_free(state_q);
        sprag_analysis_destroy(analysis);
        sprag_contact_problem_destroy(&problem);
        test_run_close(&r);
    }
    assert_true(seen[SPRAG_REALISED_YES] > 0 && seen[SPRAG_REALISED_UNSTABLE] > 0);
}

// It runs down under constant acceleration.
static void test_screw_run(void **state)
{
    (void)state;
    double wanted[5], t = 0.2;
    assert_int_equal(screw_motions(1e-4, 0.1, 0.05, 1, wanted), 1);
    TestRun r;
    open_screw(&r, 1e-4, 0.1, 0.05, 1);
    test_run_go(&r, t, 1e-10);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    int k = physics_coordinate(&r, "spindle");
    if (r.event_count == 0)
        assert_close(-sprag_run_velocity(r.run)[k + 5], 1 + wanted[0] * t, 1e-7);
    physics_assert_account(&r, 1e-10);
    test_run_close(&r);
}

// ---- Painlevé and Klein
// ---------------------------------------------------------------------------

// Two sliders on parallel rails, joined by a rod at an angle; the lower rail rubs. With x'' = a:
// (m1 + m2) a = P1 + P2 − μ tan φ |P2 − m2 a|, so the threshold is μ = (m1 + m2)/(m2 tan φ).
static void test_klein(void **state)
{
    (void)state;
    double m1 = 1, m2 = 2, P1 = 1, phi = 75 * PHYSICS_PI / 180;
    double threshold = (m1 + m2) / (m2 * tan(phi));
    for (int i = 0; i < 24; i++) {
        double mu = threshold * (i % 2 ? 1.001 : 0.999), P2 = -6 + 2.1 * (i / 4),
               v = i % 4 < 2 ? 1 : -1;
        double a[2], k = mu * tan(phi);
        int count = 0;
        for (int s = -1; s <= 1; s += 2) { // s: sign of P2 − m2 a
            double value = (P1 + P2 - (v > 0 ? 1 : -1) * s * k * P2) /
                           (m1 + m2 - (v > 0 ? 1 : -1) * s * k * m2);
            if (s * (P2 - m2 * value) > 0)
                a[count++] = value;
        }
        TestRun r;
        SpragVerdict verdict;
        physics_open(&r,
                     "sprag: 1\ngravity: [0, 0]\nbodies:\n"
                     "  - {name: one, mass: 1, inertia: 0.01, velocity: [%.17g, 0]}\n"
                     "  - {name: two, mass: 2, inertia: 0.01, position: [%.17g, %.17g],\n"
                     "     velocity: [%.17g, 0]}\n"
                     "joints:\n"
                     "  - {name: rail, type: prismatic, between: [world, one.com], at: [0, 0],\n"
                     "     axis: [1, 0], friction: %.17g}\n"
                     "  - {name: free, type: prismatic, between: [world, two.com],\n"
                     "     at: [%.17g, %.17g], axis: [1, 0]}\n"
                     "  - {name: rod, type: distance, between: [one.com, two.com], length: 1}\n"
                     "loads:\n"
                     "  - {body: one, force: [%.17g, 0]}\n  - {body: two, force: [%.17g, 0]}\n",
                     v, cos(phi), sin(phi), v, mu, cos(phi), sin(phi), P1, P2);
        SpragRunSettings settings = sprag_run_default();
        settings.paradox = SPRAG_PARADOX_IMPULSE;
        assert_ok(context, sprag_run_create(r.system, &settings, NULL, &r.run));
        assert_ok(context, sprag_run_analyze(r.run, &verdict));
        assert_true(verdict.complete);
        assert_int_equal(verdict.solution_count, count);
        // above the threshold one of two is stable, and there may be none
        assert_int_equal(verdict.stable_count, count > 0);
        for (int s = 0; s < count; s++) {
            double found = verdict.solutions[s].motion->acceleration[1];
            assert_true(fmin(fabs(found - a[0]), fabs(found - a[count - 1])) <=
                        1e-7 * (1 + fabs(found)));
        }
        if (count == 0) {
            // it stops at once, and all of its energy is lost
            SpragRunOutcome outcome;
            assert_ok(context, sprag_run_advance(r.run, 0.01, &outcome));
            assert_int_equal(outcome, SPRAG_RUN_DONE);
            assert_close(sprag_run_sample(r.run)->energy.impact, 0.5 * (m1 + m2), 1e-9);
        }
        test_run_close(&r);
    }
}

// ---- Limits
// ---------------------------------------------------------------------------------------

// A slider under gravity bounces on the end of its rail as a ball does: times 2 e^k v₀/g apart.
static void test_limit(void **state)
{
    (void)state;
    double e = 0.6, g = PHYSICS_GRAVITY, height = 0.5, first = sqrt(2 * height / g);
    TestRun r;
    physics_open(
        &r,
        "sprag: 1\nbodies: [{name: hammer, mass: 2, inertia: 0.01, position: [0, 0.5]}]\n"
        "joints: [{name: rail, type: prismatic, between: [world, hammer.com], at: [0, 0],\n"
        "          axis: [0, 1], limits: [0, 2], restitution: %.17g}]\n"
        "start: [{joint: rail, position: 0.5}]\n",
        e);
    test_run_go(&r, 4, 1e-10);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    double t = first, v = g * first;
    for (int k = 0; k < 8; k++) {
        int event = test_run_event(&r, SPRAG_EVENT_IMPACT, k);
        assert_true(event >= 0);
        assert_close(r.events[event].t, t, 1e-8);
        v *= e;
        t += 2 * v / g;
    }
    // all of them end at first (1 + e)/(1 − e)
    int landing = test_run_event(&r, SPRAG_EVENT_LANDING, 0);
    assert_true(landing >= 0);
    assert_close(r.events[landing].t, first * (1 + e) / (1 - e), 1e-7);
    assert_close(sprag_run_position(r.run)[1], 0, 1e-9);
    physics_assert_account(&r, 1e-10);
    test_run_close(&r);
}

// ---- A double pendulum strikes a floor
// ------------------------------------------------------------

// After Kane and Levinson (1985): rods of length and mass 1 at 20 and 30 degrees from
// the vertical, turning with −0.2 and −1 rad/s, e = 0.7, μ = 0.5. Newton's law makes energy; the
// reference has the inertia of the two angles and the impact in W = J M⁻¹ Jᵀ by hand.
static void test_newton_gains(void **state)
{
    (void)state;
    double a = 20 * PHYSICS_PI / 180, b = 30 * PHYSICS_PI / 180, w[2] = {-0.2, -1}, c = cos(a - b);
    double inertia[3] = {4.0 / 3, c / 2, 1.0 / 3},
           det = inertia[0] * inertia[2] - inertia[1] * inertia[1];
    // tip: x = sin a + sin b, y = h − cos a − cos b; rows normal, tangent (slip along +x)
    double J[2][2] = {{sin(a), sin(b)}, {cos(a), cos(b)}}, W[2][2], u[2] = {0, 0};
    double gap = 1e-9, h = cos(a) + cos(b) + gap;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++)
            W[i][j] = (J[i][0] * (inertia[2] * J[j][0] - inertia[1] * J[j][1]) +
                       J[i][1] * (inertia[0] * J[j][1] - inertia[1] * J[j][0])) /
                      det;
        u[i] = J[i][0] * w[0] + J[i][1] * w[1];
    }
    SpragSingleImpact alone = {.dimension = 2,
                               .W = {W[0][0], W[0][1], W[1][0], W[1][1]},
                               .velocity = {u[0], u[1]},
                               .friction = 0.5,
                               .law = SPRAG_RESTITUTION_NEWTON,
                               .e = 0.7};
    SpragSingleResult one;
    sprag_impact_single(&alone, &one);
    assert_true(one.energy_gain > 0);
    TestRun r;
    physics_open(
        &r,
        "sprag: 1\nbodies:\n" PHYSICS_FLOOR
        "  - {name: a, mass: 1, inertia: %.17g, position: [%.17g, %.17g], angle: %.17g,\n"
        "     velocity: [%.17g, %.17g], spin: -0.2, sites: {top: [-0.5, 0], end: [0.5, 0]}}\n"
        "  - {name: b, mass: 1, inertia: %.17g, position: [%.17g, %.17g], angle: %.17g,\n"
        "     velocity: [%.17g, %.17g], spin: -1, sites: {top: [-0.5, 0]},\n"
        "     shapes: [{points: {tip: [0.5, 0]}}]}\n"
        "contacts: [{name: tip, between: [b, floor], friction: 0.5,\n"
        "            restitution: {law: newton, e: 0.7}}]\n"
        "joints:\n  - {name: pin, type: revolute, between: [world, a.top], at: [0, %.17g]}\n"
        "  - {name: elbow, type: revolute, between: [a.end, b.top]}\n",
        1.0 / 12, sin(a) / 2, h - cos(a) / 2, a - PHYSICS_PI / 2, w[0] * cos(a) / 2,
        w[0] * sin(a) / 2, 1.0 / 12, sin(a) + sin(b) / 2, h - cos(a) - cos(b) / 2,
        b - PHYSICS_PI / 2, w[0] * cos(a) + w[1] * cos(b) / 2, w[0] * sin(a) + w[1] * sin(b) / 2,
        h);
    test_run_go(&r, 1e-3, 1e-10);
    int event = test_run_event(&r, SPRAG_EVENT_IMPACT, 0);
    assert_true(event >= 0);
    const SpragImpactNote *note = &r.events[event].impact;
    // it has fallen by the gap since
    for (int k = 0; k < 2; k++) {
        assert_close(note->velocity[k], u[k], 1e-6);
        assert_close(note->after[k], one.after[k], 1e-6);
        assert_close(note->impulse[k], one.impulse[k], 1e-6);
    }
    assert_close(note->energy_gain, one.energy_gain, 1e-6);
    assert_close(note->energy_after - note->energy_before, one.energy_gain, 1e-6);
    test_run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pin_friction),  cmocka_unit_test(test_drawer),
        cmocka_unit_test(test_screw_inverse), cmocka_unit_test(test_screw_forward),
        cmocka_unit_test(test_screw_run),     cmocka_unit_test(test_klein),
        cmocka_unit_test(test_newton_gains),  cmocka_unit_test(test_limit)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}
