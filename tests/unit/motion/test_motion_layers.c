// Compliant contacts in a run: starting again, stopping, probing, several bodies, ends of sides,
// limits of user-defined systems.
#include "support/runs.h"
#include "support/with_context.h"

static const double G = 9.81;
static const char rod_scene[] =
    "sprag: 1\nbodies:\n"
    "  - {name: table, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"
    "  - {name: rod, mass: 0.1, inertia: 2e-3, angle: 0.7, shapes: [{rod: {length: 0.5}}]}\n"
    "contacts: [{between: [rod, table], friction: 0.3}]\n"
    "start: [{contact: [rod.a, table], slip: 0}]\n";

static double whole(const SpragEnergyAccount *e)
{
    return e->kinetic + e->potential + e->elastic + e->friction + e->damping + e->impact +
           e->change - e->actuation;
}

// The same start gives the same bytes, whatever the run did before.
static void test_restart(void **state)
{
    (void)state;
    double q[3], v[3], q0[3], v0[3];
    uint64_t steps;
    SpragRunOutcome outcome;
    TestRun r;
    test_run_open(&r, context, rod_scene);
    sprag_system_initial(r.system, q0, v0);
    test_run_go_as(&r, SPRAG_MOTION_COMPLIANT, 0.5, 1e-8);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    memcpy(q, sprag_run_position(r.run), sizeof q);
    memcpy(v, sprag_run_velocity(r.run), sizeof v);
    steps = sprag_run_statistics(r.run).steps;
    r.last_t = -INFINITY;
    assert_ok(context, sprag_run_restart(r.run, 0, q0, v0));
    assert_ok(context, sprag_run_advance(r.run, 0.5, &outcome));
    assert_int_equal(outcome, SPRAG_RUN_DONE);
    assert_memory_equal(q, sprag_run_position(r.run), sizeof q);
    assert_memory_equal(v, sprag_run_velocity(r.run), sizeof v);
    assert_int_equal(steps, sprag_run_statistics(r.run).steps);
    test_run_close(&r);
}

// A start inside of the layer has its energy: a tip pressed in by δ is pushed out with ½ K δ².
static void test_restart_pressed(void **state)
{
    (void)state;
    TestRun r;
    SpragRunOutcome outcome;
    double K = 1e5, depth = 1e-4, m = 0.5, v[3] = {0};
    test_run_open(&r, context,
                  "sprag: 1\ngravity: [0, 0]\nbodies:\n"
                  "  - {name: table, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"
                  "  - {name: disc, mass: 0.5, position: [0, 0.1], shapes: [{circle: {radius: "
                  "0.1}}]}\n"
                  "contacts: [{between: [disc, table], friction: 0, compliance: {law: "
                  "kelvin-voigt,\n"
                  "  stiffness: 1e5, damping: 0}}]\n");
    test_run_go_as(&r, SPRAG_MOTION_COMPLIANT, 0.1, 1e-9);
    double q[3] = {0, 0.1 - depth, 0};
    r.last_t = -INFINITY;
    assert_ok(context, sprag_run_restart(r.run, 0, q, v));
    assert_ok(context, sprag_run_advance(r.run, 0.1, &outcome));
    assert_int_equal(outcome, SPRAG_RUN_DONE);
    double lift = 0.5 * 3.14159265358979323846 * sqrt(m / K), speed = depth * sqrt(K / m);
    int event = test_run_event(&r, SPRAG_EVENT_LIFT_OFF, 0);
    assert_true(event >= 0);
    assert_close(r.events[event].t, lift, 1e-9 * lift);
    assert_close(sprag_run_velocity(r.run)[1], speed, 1e-8 * speed);
    assert_close(sprag_run_drift(r.run), 0, 1e-8 * K * depth * depth);
    test_run_close(&r);
}

// ---- Stopping and probing -----------------------------------------------------------------------

static void test_limits(void **state)
{
    (void)state;
    volatile int interrupt = 1;
    TestRun r;
    SpragRunSettings settings = sprag_run_default();
    test_run_open(&r, context, rod_scene);
    SpragSink sink = test_run_sink(&r);
    settings.motion = SPRAG_MOTION_COMPLIANT;
    settings.max_events = 3;
    assert_ok(context, sprag_run_create(r.system, &settings, &sink, &r.run));
    assert_ok(context, sprag_run_advance(r.run, 1, &r.outcome));
    assert_int_equal(r.outcome, SPRAG_RUN_EVENT_LIMIT);
    assert_int_equal(r.event_count, 3);
    sprag_run_destroy(r.run);
    settings.max_events = 1000;
    settings.interrupt = &interrupt;
    r.last_t = -INFINITY;
    assert_ok(context, sprag_run_create(r.system, &settings, &sink, &r.run));
    assert_ok(context, sprag_run_advance(r.run, 1, &r.outcome));
    assert_int_equal(r.outcome, SPRAG_RUN_INTERRUPTED);
    test_run_close(&r);
}

typedef struct Probes {
    double initial, worst;
    int count;
} Probes;

static int probe_piece(SpragRun *run, double from, double to, void *user)
{
    Probes *p = user;
    for (int i = 0; i <= 4; i++) {
        const SpragRunSample *sample;
        double t = i == 4 ? to : from + 0.25 * i * (to - from);
        assert_ok(context, sprag_run_probe(run, t, &sample));
        if (p->count++ == 0)
            p->initial = whole(&sample->energy);
        p->worst = fmax(p->worst, fabs(whole(&sample->energy) - p->initial));
    }
    return 0;
}

// The account closes everywhere on the dense output of both methods.
static void test_probes(void **state)
{
    (void)state;
    TestRun r;
    Probes p = {0};
    SpragRunSettings settings = sprag_run_default();
    SpragSink sink = {.piece = probe_piece, .user = &p};
    test_run_open(&r, context, rod_scene);
    settings.motion = SPRAG_MOTION_COMPLIANT;
    assert_ok(context, sprag_run_create(r.system, &settings, &sink, &r.run));
    assert_ok(context, sprag_run_advance(r.run, 1, &r.outcome));
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_true(p.count > 100);
    // m g L ~ 0.2 J; inside of a step the dense output is less exact than at its end
    assert_true(p.worst < 1e-7);
    test_run_close(&r);
}

// ---- Several bodies -----------------------------------------------------------------------------

// Three boxes on each other come to rest; every pair of contacts carries what is above it.
static void test_stack(void **state)
{
    (void)state;
    TestRun r;
    test_run_open(
        &r, context,
        "sprag: 1\nbodies:\n"
        "  - {name: table, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"
        "  - {name: a, mass: 3, position: [0, 0.1], shapes: [{box: {size: [0.6, 0.2]}}]}\n"
        "  - {name: b, mass: 2, position: [0, 0.3], shapes: [{box: {size: [0.5, 0.2]}}]}\n"
        "  - {name: c, mass: 1, position: [0, 0.5], shapes: [{box: {size: [0.4, 0.2]}}]}\n"
        "contacts: [{between: ['*', '*'], friction: 0.5, compliance: {law: kelvin-voigt,\n"
        "  stiffness: 1e6, damping: 500}}]\n");
    test_run_go_as(&r, SPRAG_MOTION_COMPLIANT, 2, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_true(test_run_event(&r, SPRAG_EVENT_REST, 0) >= 0);
    const SpragRunSample *now = sprag_run_sample(r.run);
    double sum[3] = {0};
    for (int i = 0; i < sprag_system_contact_count(r.system); i++) {
        const char *name = sprag_system_contact_name(r.system, i);
        int level = name[0] - 'a'; // a… on the table, b… on a, c… on b
        assert_true(level >= 0 && level < 3);
        sum[level] += now->contacts[i].normal;
    }
    static const double above[] = {6, 3, 1};
    for (int k = 0; k < 3; k++)
        assert_close(sum[k], above[k] * G, 1e-6);
    assert_close(sprag_run_drift(r.run), 0, 1e-7);
    test_run_close(&r);
}

// A box slides over the edge of its table: the edge takes over from the corner. Friction does not
// care, so it stops after v²/(2 μ g), up to the ringing of the layers at the passage.
static void test_passage(void **state)
{
    (void)state;
    TestRun r;
    double mu = 0.2, v = 1.3, stop = -0.5 + v * v / (2 * mu * G);
    test_run_open(
        &r, context,
        "sprag: 1\nbodies:\n"
        "  - {name: table, fixed: true, position: [-1, -0.1],\n"
        "     shapes: [{box: {size: [2, 0.2]}}]}\n"
        "  - {name: box, mass: 1, position: [-0.5, 0.05], velocity: [1.3, 0],\n"
        "     shapes: [{box: {size: [0.3, 0.1]}}]}\n"
        "contacts: [{between: ['*', '*'], friction: 0.2, compliance: {law: kelvin-voigt,\n"
        "  stiffness: 1e7, damping: 2e3}}]\n");
    test_run_go_as(&r, SPRAG_MOTION_COMPLIANT, 1, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_true(test_run_event(&r, SPRAG_EVENT_REST, 0) >= 0);
    assert_close(sprag_run_position(r.run)[0], stop, 1e-3);
    assert_close(sprag_run_position(r.run)[1], 0.05, 1e-5);
    assert_close(sprag_run_drift(r.run), 0, 1e-7);
    test_run_close(&r);
}

// ---- A limit ------------------------------------------------------------------------------------

static int limit_inertia(double t, const double *q, double *matrix, void *user)
{
    (void)t, (void)q, (void)user;
    matrix[0] = 2;
    return 0;
}

static int limit_force(double t, const double *q, const double *v, double *force, void *user)
{
    (void)t, (void)q, (void)v, (void)user;
    force[0] = -5;
    return 0;
}

static int limit_contact(double t, const double *q, const double *v, int contact,
                         SpragContactSample *sample, void *user)
{
    (void)t, (void)v, (void)contact, (void)user;
    sample->gap = q[0];
    sample->normal[0] = 1;
    return 0;
}

// A stop with a Hunt–Crossley layer: it comes to rest at f⁻¹(5 N).
static void test_limit(void **state)
{
    (void)state;
    double K = 1e7, beta = 1.5, q[1] = {0.01}, v[1] = {0};
    SpragSystemContact contact = {
        .name = "stop",
        .kind = SPRAG_CONSTRAINT_LIMIT,
        .model = SPRAG_PAIR_COMPLIANT,
        .compliance = {
            .law = SPRAG_COMPLIANCE_HUNT_CROSSLEY, .stiffness = K, .exponent = beta, .alpha = 200}};
    SpragSystemDef def = sprag_system_default();
    SpragSystem *system;
    SpragRun *run;
    SpragRunOutcome outcome;
    SpragRunSettings settings = sprag_run_default();
    def.dimension = 2;
    def.velocity_count = def.contact_count = 1;
    def.contacts = &contact;
    def.inertia = limit_inertia;
    def.force = limit_force;
    def.contact = limit_contact;
    settings.motion = SPRAG_MOTION_EVENTS;
    assert_ok(context, sprag_system_create(context, &def, &system));
    assert_ok(context, sprag_run_create(system, &settings, NULL, &run));
    assert_ok(context, sprag_run_restart(run, 0, q, v));
    assert_ok(context, sprag_run_advance(run, 5, &outcome));
    assert_int_equal(outcome, SPRAG_RUN_DONE);
    const SpragRunContact *now = sprag_run_sample(run)->contacts;
    double depth = pow(5 / K, 1 / beta);
    assert_close(now->depth, depth, 1e-3 * depth);
    assert_int_equal(now->mode, SPRAG_MODE_CLOSED);
    sprag_run_destroy(run);
    sprag_system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restart), cmocka_unit_test(test_restart_pressed),
        cmocka_unit_test(test_limits),  cmocka_unit_test(test_probes),
        cmocka_unit_test(test_stack),   cmocka_unit_test(test_passage),
        cmocka_unit_test(test_limit)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
