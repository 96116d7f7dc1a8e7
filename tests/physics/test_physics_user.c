// User-defined systems in motion: a rod as callbacks, a ratchet at velocity level, limits,
// callbacks that fail; and that a warm run allocates nothing.
#include "physics.h"

typedef struct User {
    double m, I, L, mu, g;
    double fail_after; // s: callbacks return `code` from then on
    int code;
} User;

static bool fails(const User *u, double t)
{
    return t > u->fail_after;
}

// ---- The rod ------------------------------------------------------------------------------------

static int rod_inertia(double t, const double *q, double *M, void *user)
{
    const User *u = user;
    (void)q;
    M[0] = M[4] = u->m;
    M[8] = u->I;
    return fails(u, t) ? u->code : 0;
}

static int rod_force(double t, const double *q, const double *v, double *force, void *user)
{
    const User *u = user;
    (void)t, (void)q, (void)v;
    force[1] = -u->m * u->g;
    return 0;
}

// Contact 0: tip a at −L, contact 1: tip b at +L.
static int rod_contact(double t, const double *q, const double *v, int contact,
                       SpragContactSample *sample, void *user)
{
    const User *u = user;
    double L = contact == 0 ? u->L : -u->L, s = sin(q[2]), c = cos(q[2]);
    (void)t;
    sample->gap = q[1] - L * s;
    sample->normal[1] = 1;
    sample->normal[2] = -L * c;
    sample->tangent[0] = 1;
    sample->tangent[2] = L * s;
    sample->normal_bias = L * s * v[2] * v[2];
    sample->tangent_bias[0] = L * c * v[2] * v[2];
    sample->friction_static = sample->friction_kinetic = u->mu;
    return 0;
}

static int rod_energy(double t, const double *q, const double *v, double *kinetic,
                      double *potential, void *user)
{
    const User *u = user;
    (void)t;
    *kinetic = 0.5 * u->m * (v[0] * v[0] + v[1] * v[1]) + 0.5 * u->I * v[2] * v[2];
    *potential = u->m * u->g * q[1];
    return 0;
}

static const SpragSystemContact ROD_CONTACTS[] = {
    {.name = "a", .kind = SPRAG_CONSTRAINT_CONTACT, .velocity_level = false},
    {.name = "b", .kind = SPRAG_CONSTRAINT_CONTACT, .velocity_level = false}};

static SpragSystemDef rod_system(User *user)
{
    SpragSystemDef def = sprag_system_default();
    def.dimension = 2;
    def.velocity_count = 3;
    def.contact_count = 2;
    def.contacts = ROD_CONTACTS;
    def.inertia = rod_inertia;
    def.force = rod_force;
    def.contact = rod_contact;
    def.energy = rod_energy;
    def.user = user;
    def.size = 2 * user->L;
    return def;
}

static User case1_user(void)
{
    return (User){.m = 0.088,
                  .I = 1.606176e-3,
                  .L = 0.234,
                  .mu = 0.27,
                  .g = PHYSICS_GRAVITY,
                  .fail_after = INFINITY};
}

static void open_user(TestRun *r, const SpragSystemDef *def, const double *q, const double *v,
                      double tolerance)
{
    memset(r, 0, sizeof *r);
    r->context = context;
    r->last_t = -INFINITY;
    assert_ok(context, sprag_system_create(context, def, &r->system));
    SpragRunSettings settings = sprag_run_default();
    SpragSink sink = test_run_sink(r);
    settings.tolerance = tolerance;
    settings.output_step = 0.01;
    assert_ok(context, sprag_run_create(r->system, &settings, &sink, &r->run));
    assert_ok(context, sprag_run_restart(r->run, 0, q, v));
}

static void test_rod(void **state)
{
    (void)state;
    User user = case1_user();
    SpragSystemDef def = rod_system(&user);
    double theta = 42.3 * PHYSICS_PI / 180, q[3] = {0, user.L * sin(theta), theta}, v[3] = {0};
    TestRun scene, own;
    physics_open(&scene, "sprag: 1\nmaterials: {default: {friction: 0.27}}\nbodies:\n" PHYSICS_FLOOR
                         "  - {name: rod, mass: 0.088, inertia: 1.606176e-3, angle: 42.3 deg,\n"
                         "     shapes: [{rod: {length: 0.468}}]}\n"
                         "contacts: [{name: tip, between: [rod.a, floor]}]\n"
                         "start: [{contact: tip, slip: 0}]\n");
    test_run_go(&scene, 0.4, 1e-10);
    open_user(&own, &def, q, v, 1e-10);
    assert_ok(context, sprag_system_check(own.system, 0, q, (double[]){0.3, -0.2, 1.1}, 1e-5));
    assert_ok(context, sprag_run_advance(own.run, 0.4, &own.outcome));
    assert_int_equal(own.outcome, SPRAG_RUN_DONE);
    assert_true(own.event_count >= 3);
    assert_int_equal(own.event_count, scene.event_count);
    for (int i = 0; i < own.event_count; i++) {
        assert_int_equal(own.events[i].type, scene.events[i].type);
        assert_int_equal(own.events[i].contact, scene.events[i].contact);
        assert_close(own.events[i].t, scene.events[i].t, 1e-9);
    }
    for (int i = 0; i < 3; i++)
        assert_close(sprag_run_position(own.run)[i], sprag_run_position(scene.run)[i], 1e-9);
    physics_assert_account(&own, 1e-9);
    test_run_close(&own);
    test_run_close(&scene);
}

// ---- Callbacks that fail ------------------------------------------------------------------------

static void test_failures(void **state)
{
    (void)state;
    for (int code = -1; code <= 1; code += 2) {
        User user = case1_user();
        SpragSystemDef def = rod_system(&user);
        double theta = 42.3 * PHYSICS_PI / 180, q[3] = {0, user.L * sin(theta), theta}, v[3] = {0};
        user.fail_after = 0.1;
        user.code = code;
        TestRun r;
        open_user(&r, &def, q, v, 1e-9);
        SpragStatus status = sprag_run_advance(r.run, 0.4, &r.outcome);
        if (code < 0) {
            assert_int_equal(status, SPRAG_ERROR_CALLBACK);
        } else { // steps get smaller until none can be made
            assert_true(status == SPRAG_ERROR_NUMERIC ||
                        (status == SPRAG_OK && r.outcome == SPRAG_RUN_NOT_CONVERGED));
            assert_close(sprag_run_time(r.run), 0.1, 1e-6);
        }
        assert_true(sprag_run_time(r.run) <= 0.1 + 1e-12);
        test_run_close(&r);
    }
}

// ---- A ratchet and a limit ----------------------------------------------------------------------

static int unit_inertia(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q, (void)user;
    M[0] = 1;
    return 0;
}

static int swinging_force(double t, const double *q, const double *v, double *force, void *user)
{
    (void)q, (void)v, (void)user;
    force[0] = -sin(t);
    return 0;
}

static int constant_force(double t, const double *q, const double *v, double *force, void *user)
{
    (void)t, (void)q, (void)v, (void)user;
    force[0] = -PHYSICS_GRAVITY;
    return 0;
}

static int identity_contact(double t, const double *q, const double *v, int contact,
                            SpragContactSample *sample, void *user)
{
    (void)t, (void)v, (void)contact, (void)user;
    sample->gap = q[0];
    sample->normal[0] = 1;
    return 0;
}

static SpragSystemDef particle(const SpragSystemContact *contact, SpragForceFunction *force)
{
    SpragSystemDef def = sprag_system_default();
    def.dimension = 2;
    def.velocity_count = 1;
    def.contact_count = 1;
    def.contacts = contact;
    def.inertia = unit_inertia;
    def.force = force;
    def.contact = identity_contact;
    return def;
}

// v ≥ 0 (Ψ = 1) under the force −sin t: v = cos t − ½ until t = π/3, held until the force turns at
// t = π, then v = 1 + cos t.
static void test_ratchet(void **state)
{
    (void)state;
    static const SpragSystemContact pawl = {
        .name = "pawl", .kind = SPRAG_CONSTRAINT_LIMIT, .velocity_level = true};
    SpragSystemDef def = particle(&pawl, swinging_force);
    double q = 0, v = 0.5;
    TestRun r;
    open_user(&r, &def, &q, &v, 1e-11);
    assert_ok(context, sprag_run_advance(r.run, 2, &r.outcome));
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_close(sprag_run_velocity(r.run)[0], 0, 1e-12);
    assert_close(sprag_run_sample(r.run)->contacts[0].normal, sin(2), 1e-9);
    double third = PHYSICS_PI / 3;
    assert_close(sprag_run_position(r.run)[0], sin(third) - 0.5 * third, 1e-9);
    assert_ok(context, sprag_run_advance(r.run, 4, &r.outcome));
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_close(sprag_run_velocity(r.run)[0], 1 + cos(4), 1e-8);
    int separation = test_run_event(&r, SPRAG_EVENT_SEPARATION, 0);
    assert_true(separation >= 1);
    assert_close(r.events[0].t, third, 1e-9);
    assert_close(r.events[separation].t, PHYSICS_PI, 1e-8);
    test_run_close(&r);
}

// A particle falls from 1 m on a limit: it stays there.
static void test_limit(void **state)
{
    (void)state;
    static const SpragSystemContact stop = {
        .name = "stop", .kind = SPRAG_CONSTRAINT_LIMIT, .velocity_level = false};
    SpragSystemDef def = particle(&stop, constant_force);
    double q = 1, v = 0;
    TestRun r;
    open_user(&r, &def, &q, &v, 1e-10);
    assert_ok(context, sprag_run_advance(r.run, 1, &r.outcome));
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_int_equal(r.events[0].type, SPRAG_EVENT_IMPACT);
    assert_close(r.events[0].t, sqrt(2 / PHYSICS_GRAVITY), 1e-10);
    assert_close(sprag_run_position(r.run)[0], 0, 1e-12);
    assert_close(sprag_run_sample(r.run)->contacts[0].normal, PHYSICS_GRAVITY, 1e-9);
    assert_int_equal(sprag_run_sample(r.run)->contacts[0].mode, SPRAG_MODE_CLOSED);
    test_run_close(&r);
}

// ---- Memory -------------------------------------------------------------------------------------

static void check_no_allocation(const char *name, const char *bodies, double warm, double more)
{
    TestRun r;
    physics_open(&r, "sprag: 1\nbodies:\n%s", bodies);
    SpragRunSettings settings = sprag_run_default();
    SpragSink sink = test_run_sink(&r);
    assert_ok(context, sprag_run_create(r.system, &settings, &sink, &r.run));
    assert_ok(context, sprag_run_advance(r.run, warm, &r.outcome));
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    uint64_t before = sprag_context_allocation_count(context);
    SpragRunStatistics early = sprag_run_statistics(r.run);
    assert_ok(context, sprag_run_advance(r.run, warm + more, &r.outcome));
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_true(sprag_run_statistics(r.run).steps > early.steps);
    if (sprag_context_allocation_count(context) != before)
        fail_msg("%s allocates in a warm step", name);
    test_run_close(&r);
}

static void test_no_allocation(void **state)
{
    (void)state;
    check_no_allocation("a sliding rod",
                        PHYSICS_FLOOR "  - {name: rod, mass: 1, angle: 80 deg,\n"
                                      "     shapes: [{rod: {length: 1}}]}\n"
                                      "contacts: [{name: tip, between: [rod.a, floor],\n"
                                      "            friction: 0.1}]\n"
                                      "start: [{contact: tip, slip: 1}]\n",
                        0.1, 0.1);
    check_no_allocation("a box at rest",
                        PHYSICS_FLOOR "  - {name: box, mass: 1, position: [0, 0.1],\n"
                                      "     shapes: [{box: {size: [0.4, 0.2]}}]}\n"
                                      "contacts: [{between: [box, floor], friction: 0.5}]\n",
                        0.1, 0.1);
    check_no_allocation("a sliding box",
                        PHYSICS_FLOOR
                        "  - {name: box, mass: 1, position: [0, 0.1],\n"
                        "     velocity: [3, 0], shapes: [{box: {size: [0.4, 0.2]}}]}\n"
                        "contacts: [{between: [box, floor], friction: 0.5}]\n",
                        0.1, 0.1);
    // events too: stick and slip go on for ever
    check_no_allocation("a box on a belt",
                        "  - {name: belt, fixed: true, surface-velocity: [0.3, 0],\n"
                        "     shapes: [{plane: {normal: [0, 1]}}]}\n"
                        "  - {name: box, mass: 1, position: [0, 0.1],\n"
                        "     shapes: [{box: {size: [0.4, 0.2]}}]}\n"
                        "contacts: [{between: [box, belt],\n"
                        "            friction: {static: 0.5, kinetic: 0.2}}]\n"
                        "joints: [{type: distance, between: [world, box.com], at: [-1, 0.1],\n"
                        "          length: 1, spring: {stiffness: 60}}]\n",
                        2.5, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rod), cmocka_unit_test(test_failures),
                                       cmocka_unit_test(test_ratchet), cmocka_unit_test(test_limit),
                                       cmocka_unit_test(test_no_allocation)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}
