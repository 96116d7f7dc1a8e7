// Friction of compliant contacts against closed forms: spring and slider (5.11), creep (7.3), limit
// curves of bristle laws, stick and slip on a belt, rest that does not creep, 1e12 N/m, rigid and
// compliant contacts of one body.
#include "physics.h"

static const double M = 0.8, MU = 0.4;

// ---- Spring and slider --------------------------------------------------------------------------

// A surface that moves as a sin ωt under a pad so heavy that it stays where it is; a user-defined
// system. Energy lost a cycle: 4 μN (a − μN/K_T), theory.md (5.11).
typedef struct Shaker {
    double amplitude, omega, mass, normal;
} Shaker;

static int shaker_inertia(double t, const double *q, double *matrix, void *user)
{
    const Shaker *s = user;
    (void)t, (void)q;
    matrix[0] = matrix[3] = s->mass;
    matrix[1] = matrix[2] = 0;
    return 0;
}

static int shaker_force(double t, const double *q, const double *v, double *force, void *user)
{
    const Shaker *s = user;
    (void)t, (void)q, (void)v;
    force[0] = 0;
    force[1] = -s->normal;
    return 0;
}

static int shaker_contact(double t, const double *q, const double *v, int contact,
                          SpragContactSample *sample, void *user)
{
    const Shaker *s = user;
    (void)v, (void)contact;
    sample->gap = q[1];
    sample->normal[1] = 1;
    sample->tangent[0] = 1;
    sample->slip_drift[0] = -s->amplitude * s->omega * cos(s->omega * t);
    sample->tangent_bias[0] = s->amplitude * s->omega * s->omega * sin(s->omega * t);
    sample->friction_static = sample->friction_kinetic = MU;
    return 0;
}

static int shaker_energy(double t, const double *q, const double *v, double *kinetic,
                         double *potential, void *user)
{
    const Shaker *s = user;
    (void)t;
    *kinetic = 0.5 * s->mass * (v[0] * v[0] + v[1] * v[1]);
    *potential = s->normal * q[1];
    return 0;
}

static void test_spring_and_slider(void **state)
{
    (void)state;
    // so heavy that it stays where it is: it moves by 1e-6 of the amplitude
    Shaker s = {.amplitude = 1e-3, .omega = 20, .mass = 1e9, .normal = 50};
    double KT = 4e4, period = 2 * PHYSICS_PI / s.omega;
    SpragSystemContact contact = {.name = "pad",
                                  .compliance = {.law = SPRAG_COMPLIANCE_KELVIN_VOIGT,
                                                 .stiffness = 1e9,
                                                 .damping = 1e7,
                                                 .tangential_stiffness = KT,
                                                 .tangential_damping = 1e-3}};
    SpragSystemDef def = sprag_system_default();
    SpragSystem *system;
    SpragRun *run;
    SpragRunSettings settings = sprag_run_default();
    SpragRunOutcome outcome;
    def.dimension = 2;
    def.velocity_count = 2;
    def.contact_count = 1;
    def.contacts = &contact;
    def.inertia = shaker_inertia;
    def.force = shaker_force;
    def.contact = shaker_contact;
    def.energy = shaker_energy;
    def.user = &s;
    settings.motion = SPRAG_MOTION_COMPLIANT;
    assert_ok(context, sprag_system_create(context, &def, &system));
    assert_ok(context, sprag_run_create(system, &settings, NULL, &run));
    double q[2] = {0, -s.normal / 1e9}, v[2] = {0}, lost[2];
    assert_ok(context, sprag_run_restart(run, 0, q, v));
    for (int k = 0; k < 2; k++) {
        assert_ok(context, sprag_run_advance(run, (1 + k) * period, &outcome));
        assert_int_equal(outcome, SPRAG_RUN_DONE);
        lost[k] = sprag_run_sample(run)->energy.friction + sprag_run_sample(run)->energy.damping;
    }
    double N = s.normal, expected = 4 * MU * N * (s.amplitude - MU * N / KT);
    // the damper's force is C_T a ω = 2e-5 N of 20 N
    assert_close(lost[1] - lost[0], expected, 1e-5 * expected);
    const SpragRunSample *now = sprag_run_sample(run);
    assert_close(sprag_run_drift(run), 0, 1e-7 * now->energy.friction);
    sprag_run_destroy(run);
    sprag_system_destroy(system);
}

// ---- Creep --------------------------------------------------------------------------------------

// A disc that cannot turn is a point on an incline: a long box whose feet share the load.
static void open_incline(TestRun *r, double degrees, const char *law, const char *model)
{
    physics_open(r,
                 "sprag: 1\nbodies:\n"
                 "  - {name: hill, fixed: true, angle: %.17g deg,\n"
                 "     shapes: [{plane: {normal: [0, 1]}}]}\n"
                 "  - {name: box, mass: %.17g, angle: %.17g deg, position: [0, 0.03],\n"
                 "     shapes: [{box: {size: [0.4, 0.04]}}]}\n"
                 "contacts: [{name: foot, between: [box, hill], friction: %.17g,\n"
                 "            friction-law: %s, model: %s}]\n"
                 "start: [{contact: foot}]\n",
                 degrees, M, degrees, MU, law, model);
}

// theory.md (7.3): γ atanh(tan α/μ); the parabola of the regularized law likewise.
static void test_creep(void **state)
{
    (void)state;
    static const char *const models[] = {"rigid", "compliant"};
    double degrees = 12, gamma = 2e-3, part = tan(degrees * PHYSICS_PI / 180) / MU;
    for (int k = 0; k < 4; k++) {
        char law[100];
        TestRun r;
        bool parabola = k & 1;
        snprintf(law, sizeof law, "{law: %s, speed: %.17g}", parabola ? "oden-pires" : "tanh",
                 gamma);
        open_incline(&r, degrees, law, models[k / 2]);
        test_run_go_as(&r, SPRAG_MOTION_EVENTS, 2, 1e-9);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        double expected = gamma * (parabola ? 1 - sqrt(1 - part) : atanh(part));
        const double *v = sprag_run_velocity(r.run);
        assert_close(hypot(v[0], v[1]), expected, 1e-8 * gamma);
        assert_true(v[0] < 0);
        physics_assert_account(&r, 1e-9);
        test_run_close(&r);
    }
}

// ---- Bristles -----------------------------------------------------------------------------------

// A block that is thrown: with Dahl's law and i = 1, dr/dx = −(σ0/μ)(μ + r)... in slip > 0 the
// force ratio obeys r = −μ (1 − exp(−σ0 x/μ)) over the distance x from z = 0 (theory.md (7.7)),
// whatever the speed; LuGre's tends to −μ − σ2 v.
static void look_at_dahl(TestRun *r, const SpragRunSample *sample)
{
    const double *x0 = r->user;
    const SpragRunContact *c = sample->contacts;
    if (sample->t < 1e-3 || sample->v[0] < 0.1)
        return;
    double x = sample->q[0] - *x0, sigma = 200;
    double normal = c[0].normal + c[1].normal, tangential = c[0].tangential + c[1].tangential;
    if (c[0].compliant)
        return; // there λN rings, and the ratio is checked contact by contact
    assert_close(tangential / normal, -MU * (1 - exp(-sigma * x / MU)), 1e-7);
}

static void look_at_compliant_dahl(TestRun *r, const SpragRunSample *sample)
{
    const double *x0 = r->user;
    double x = sample->q[0] - *x0, sigma = 200;
    for (int i = 0; i < 2; i++) {
        const SpragRunContact *c = &sample->contacts[i];
        // both feet travel as the box does, up to its turn by its layers, 1e-4 of the way
        if (c->normal > 0 && sample->v[0] > 0.1)
            assert_close(c->tangential / c->normal, -MU * (1 - exp(-sigma * x / MU)), 1e-3);
    }
}

static void open_throw(TestRun *r, const char *law, const char *model)
{
    physics_open(r,
                 "sprag: 1\nbodies:\n" PHYSICS_FLOOR
                 "  - {name: box, mass: %.17g, position: [0, 0.02], velocity: [1, 0],\n"
                 "     shapes: [{box: {size: [0.4, 0.04]}}]}\n"
                 "contacts: [{name: foot, between: [box, floor], friction: %.17g,\n"
                 "            friction-law: %s, model: %s}]\n",
                 M, MU, law, model);
}

static void test_dahl(void **state)
{
    (void)state;
    double x0 = 0;
    for (int k = 0; k < 2; k++) {
        TestRun r;
        open_throw(&r, "{law: dahl, stiffness: 200}", k ? "compliant" : "rigid");
        r.user = &x0;
        r.look = k ? look_at_compliant_dahl : look_at_dahl;
        test_run_go_as(&r, SPRAG_MOTION_EVENTS, 0.2, 1e-9);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        physics_assert_account(&r, 1e-9);
        test_run_close(&r);
    }
}

// In steady slip on a belt that drags a box against a spring the force is that of the limit curve:
// LuGre (μ + σ2 v) N, so the spring is stretched by it when the box has come to rest.
static void test_lugre_limit(void **state)
{
    (void)state;
    double K = 200, speed = 0.5, sigma2 = 0.3;
    for (int k = 0; k < 2; k++) {
        TestRun r;
        physics_open(&r,
                     "sprag: 1\nbodies:\n"
                     "  - {name: belt, fixed: true, surface-velocity: [%.17g, 0],\n"
                     "     shapes: [{plane: {normal: [0, 1]}}]}\n"
                     "  - {name: box, mass: %.17g, position: [0, 0.02],\n"
                     "     shapes: [{box: {size: [0.4, 0.04]}}]}\n"
                     "contacts: [{name: foot, between: [box, belt], friction: %.17g,\n"
                     "  friction-law: {law: lugre, stiffness: 1e4, damping: 3, viscous: %.17g},\n"
                     "  model: %s}]\n"
                     "joints: [{type: distance, between: [world, box.com], at: [-2, 0.02],\n"
                     "          length: 2, spring: {stiffness: %.17g, damping: 20}}]\n",
                     speed, M, MU, sigma2, k ? "compliant" : "rigid", K);
        test_run_go_as(&r, SPRAG_MOTION_EVENTS, 5, 1e-9);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        double force = (MU + sigma2 * speed) * M * PHYSICS_GRAVITY;
        // a layer lowers the box by 1e-5 m, which turns the spring by nothing that counts
        assert_close(sprag_run_position(r.run)[0], force / K, k ? 1e-7 : 1e-9);
        assert_close(sprag_run_velocity(r.run)[0], 0, 1e-9);
        physics_assert_account(&r, 1e-9);
        test_run_close(&r);
    }
}

// ---- The belt -----------------------------------------------------------------------------------

// The slips of all feet that start within half a stick phase are one start; the first `passed`
// periods are left out.
static void assert_periods(const TestRun *r, double period, double stick, int passed)
{
    double starts[8], last = -1;
    int count = 0;
    for (int i = 0; i < r->event_count; i++) {
        bool begins = r->events[i].type == SPRAG_EVENT_SLIP_START;
        if (begins && r->events[i].t > last + 0.5 * stick && count < 8)
            starts[count++] = r->events[i].t;
        if (begins)
            last = r->events[i].t;
    }
    assert_true(count >= passed + 3);
    for (int i = 1 + passed; i < count; i++)
        assert_close(starts[i] - starts[i - 1], period, 2e-4 * period);
}

// A block on feet that are 2 l apart, held against a belt by a spring at the height c above them.
// Under a pull T the front foot presses with m g/2 + T c/(2 l), the rear one with less, N. Both
// stick with what they had in slip, μk of their forces at T = μk m g, and take equal shares of
// every change, so that the rear one slips when μk N(μk m g) + (T − μk m g)/2 = μs N(T), which is
// T = m g (μs + μk² c/l)/(1 + μs c/l). What it gives up makes the other one slip at once.
// The closed form of test_physics_spring.c from there on, up to the softness of the layer: the
// sliders in parallel with the spring lengthen a stick phase by F/(K_T v), here 1e-6 of its length,
// and the layer needs a period of its own, 1e-4 s, to settle after each change.
static void run_belt(double c, double l, double mu, double K, int passed)
{
    double V = 0.1, mu_static = 0.4, g = PHYSICS_GRAVITY, omega = sqrt(K / M);
    double pull = M * g * (mu_static + mu * mu * c / l) / (1 + mu_static * c / l);
    double a = (pull - mu * M * g) / K;
    double slip = (2 * PHYSICS_PI - 2 * atan(omega * a / V)) / omega, stick = 2 * a / V;
    TestRun r;
    physics_open(&r,
                 "sprag: 1\nbodies:\n"
                 "  - {name: belt, fixed: true, surface-velocity: [%.17g, 0],\n"
                 "     shapes: [{plane: {normal: [0, 1]}}]}\n"
                 "  - {name: block, mass: %.17g, inertia: 0.02, position: [0, %.17g],\n"
                 "     velocity: [%.17g, 0],\n"
                 "     shapes: [{points: {heel: [-%.17g, -%.17g], toe: [%.17g, -%.17g]}}]}\n"
                 "contacts: [{name: foot, between: [block, belt],\n"
                 "  friction: {static: %.17g, kinetic: %.17g},\n"
                 "  compliance: {law: kelvin-voigt, stiffness: 1e8, damping: 2e3}}]\n"
                 "joints: [{type: distance, between: [world, block.com], at: [-2, %.17g],\n"
                 "          length: 2, spring: {stiffness: %.17g}}]\n",
                 V, M, c, V, l, c, l, c, mu_static, mu, c, K);
    test_run_go_as(&r, SPRAG_MOTION_COMPLIANT, (4 + passed) * (slip + stick), 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_periods(&r, slip + stick, stick, passed);
    physics_assert_account(&r, 1e-9);
    test_run_close(&r);
}

// In the plane of the feet the pull loads both alike: the block goes at the whole static friction.
static void test_belt(void **state)
{
    (void)state;
    run_belt(0, 0.2, 0.25, 50, 0);
}

// Above it the block goes earlier. Shears of the start are others: the first period is left out.
static void test_belt_foot_by_foot(void **state)
{
    (void)state;
    run_belt(0.05, 0.15, 0.2, 100, 1);
}

// ---- Rest ---------------------------------------------------------------------------------------

// A box that Coulomb's law holds on an incline does not creep, and costs next to nothing.
static void test_no_creep(void **state)
{
    (void)state;
    TestRun r;
    SpragRunOutcome outcome;
    open_incline(&r, 12, "coulomb", "compliant");
    test_run_go_as(&r, SPRAG_MOTION_EVENTS, 10, 1e-9);
    assert_true(test_run_event(&r, SPRAG_EVENT_REST, 0) >= 0);
    double q[3];
    memcpy(q, sprag_run_position(r.run), sizeof q);
    uint64_t steps = sprag_run_statistics(r.run).steps;
    assert_ok(context, sprag_run_advance(r.run, 100, &outcome));
    assert_int_equal(outcome, SPRAG_RUN_DONE);
    for (int i = 0; i < 3; i++)
        assert_close(sprag_run_position(r.run)[i], q[i], 1e-12);
    assert_true(sprag_run_statistics(r.run).steps < steps + 20);
    physics_assert_account(&r, 1e-9);
    test_run_close(&r);
}

// With 1e12 N/m the box rests at the depth m g/(2 K) on each foot, to the digits of the state, and
// a block that slides stops where it should.
static void test_stiff(void **state)
{
    (void)state;
    double K = 1e12, v0 = 1, g = PHYSICS_GRAVITY, stop = v0 / (MU * g);
    TestRun r;
    SpragRunOutcome outcome;
    physics_open(&r,
                 "sprag: 1\nbodies:\n" PHYSICS_FLOOR
                 "  - {name: box, mass: %.17g, position: [0, 0.02], velocity: [%.17g, 0],\n"
                 "     shapes: [{box: {size: [0.4, 0.04]}}]}\n"
                 "contacts: [{name: foot, between: [box, floor], friction: %.17g,\n"
                 "  compliance: {law: kelvin-voigt, stiffness: %.17g, damping: 4e5}}]\n",
                 M, v0, MU, K);
    test_run_go_as(&r, SPRAG_MOTION_COMPLIANT, 0.9 * stop, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_close(sprag_run_velocity(r.run)[0], 0.1 * v0, 1e-6);
    assert_ok(context, sprag_run_advance(r.run, 2 * stop, &outcome));
    assert_int_equal(outcome, SPRAG_RUN_DONE);
    assert_close(sprag_run_position(r.run)[0], 0.5 * v0 * stop, 1e-6);
    for (int i = 0; i < 2; i++) {
        const SpragRunContact *c = &sprag_run_sample(r.run)->contacts[i];
        assert_close(c->depth, 0.5 * M * g / K, 1e-6 * M * g / K);
        assert_close(c->normal, 0.5 * M * g, 1e-6 * M * g);
    }
    assert_true(sprag_run_statistics(r.run).steps < 5000);
    physics_assert_account(&r, 1e-9);
    test_run_close(&r);
}

// ---- Rigid and compliant ------------------------------------------------------------------------

// A plank with a rigid and a compliant foot, pushed along: each carries half of the weight, the
// compliant one is pressed in by it and the plank leans by as much. Friction takes μ m g s in all.
static void test_hybrid(void **state)
{
    (void)state;
    double K = 1e5, g = PHYSICS_GRAVITY, push = 6, v0 = 0.3;
    TestRun r;
    physics_open(&r,
                 "sprag: 1\nbodies:\n" PHYSICS_FLOOR
                 "  - {name: plank, mass: %.17g, inertia: 0.02, position: [0, 0],\n"
                 "     velocity: [%.17g, 0],\n"
                 "     shapes: [{points: {heel: [-0.2, 0], toe: [0.2, 0]}}]}\n"
                 "contacts:\n"
                 "  - {name: heel, between: [plank.heel, floor], friction: %.17g, model: rigid}\n"
                 "  - {name: toe, between: [plank.toe, floor], friction: %.17g,\n"
                 "     compliance: {law: kelvin-voigt, stiffness: %.17g, damping: 100}}\n"
                 "loads: [{body: plank, force: [%.17g, 0]}]\n",
                 M, v0, MU, MU, K, push);
    test_run_go_as(&r, SPRAG_MOTION_COMPLIANT, 1, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    const SpragRunSample *now = sprag_run_sample(r.run);
    assert_false(now->contacts[0].compliant);
    assert_true(now->contacts[1].compliant);
    assert_close(now->contacts[0].normal, 0.5 * M * g, 1e-3 * M * g);
    assert_close(now->contacts[1].normal, 0.5 * M * g, 1e-3 * M * g);
    assert_close(now->contacts[1].depth, 0.5 * M * g / K, 1e-3 * M * g / K);
    assert_close(now->contacts[0].gap, 0, 1e-12);
    assert_close(sin(now->q[2]), -0.5 * M * g / K / 0.4, 1e-6);
    double a = push / M - MU * g;
    assert_close(now->v[0], v0 + a, 2e-4);
    physics_assert_account(&r, 1e-9);
    test_run_close(&r);
}

// A box that starts to slide at 1 m/s, or lands so, under LuGre's law: bristles that began unbent
// would hold it with σ1 v = 316 times its weight for 5 μs, for which a rigid box has no motion.
// They begin as in steady slip, and it slows down by μ g; theory.md behind (7.10).
static void test_lugre_from_slip(void **state)
{
    (void)state;
    static TestRun r;
    const double mu = 0.3, g = 9.81, t = 0.2, heights[] = {0, 0.02};
    for (int i = 0; i < 2; i++)
        for (int motion = 0; motion < 2; motion++) {
            char text[512];
            snprintf(text, sizeof text,
                     "sprag: 1\nbodies:\n"
                     "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"
                     "  - {name: box, mass: 2, position: [0, %.17g], velocity: [1, 0],\n"
                     "     shapes: [{box: {size: [0.4, 0.1]}}]}\n"
                     "contacts: [{between: [box, floor], friction: %.17g, friction-law: lugre}]\n",
                     0.05 + heights[i], mu);
            test_run_open(&r, context, text);
            test_run_go_as(&r, motion ? SPRAG_MOTION_AUTO : SPRAG_MOTION_EVENTS, t, 1e-9);
            assert_int_equal(r.outcome, SPRAG_RUN_DONE);
            // a plastic landing at √(2 g h) takes μ times that, then μ g takes its time
            double fall = sqrt(2 * heights[i] / g), landing = mu * g * fall;
            double exact = 1 - landing - mu * g * (t - fall);
            // while both corners land the impulses are Coulomb's; bristles follow within 1e-5 m
            assert_close(sprag_run_sample(r.run)->v[0], exact, 1e-6);
            assert_int_equal(test_run_event(&r, SPRAG_EVENT_TO_COMPLIANT, 0), -1);
            test_run_close(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {

        cmocka_unit_test(test_lugre_from_slip),
        cmocka_unit_test(test_spring_and_slider),
        cmocka_unit_test(test_creep),
        cmocka_unit_test(test_dahl),
        cmocka_unit_test(test_lugre_limit),
        cmocka_unit_test(test_belt),
        cmocka_unit_test(test_belt_foot_by_foot),
        cmocka_unit_test(test_no_creep),
        cmocka_unit_test(test_stiff),
        cmocka_unit_test(test_hybrid)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}
