// A record that listens to a real run: a user-defined block slides to rest.
//
// Coordinates x, y of a point of mass 2 on the plane y = 0, friction 0.25, speed 1:
//     x = t − μ g t²/2 until t = 1/(μ g), then rest; normal force m g, tangential −μ m g, then 0
#include "support/test.h"

static const double mass = 2, gravity = 10, friction = 0.25;

static int block_inertia(double t, const double *q, double *matrix, void *user)
{
    (void)t, (void)q, (void)user;
    matrix[0] = matrix[3] = mass;
    matrix[1] = matrix[2] = 0;
    return 0;
}

static int block_force(double t, const double *q, const double *v, double *force, void *user)
{
    (void)t, (void)q, (void)v, (void)user;
    force[0] = 0;
    force[1] = -mass * gravity;
    return 0;
}

static int block_contact(double t, const double *q, const double *v, int contact,
                         SpragContactSample *sample, void *user)
{
    (void)t, (void)v, (void)contact, (void)user;
    sample->gap = q[1];
    sample->normal[1] = 1;
    sample->tangent[0] = 1;
    sample->friction_static = sample->friction_kinetic = friction;
    return 0;
}

static int block_energy(double t, const double *q, const double *v, double *kinetic,
                        double *potential, void *user)
{
    (void)t, (void)user;
    *kinetic = mass * (v[0] * v[0] + v[1] * v[1]) / 2;
    *potential = mass * gravity * q[1];
    return 0;
}

static SpragSystem *make_block(SpragContext *context)
{
    const SpragSystemContact shoe = {.name = "shoe", .kind = SPRAG_CONSTRAINT_CONTACT};
    SpragSystemDef def = sprag_system_default();
    SpragSystem *system = NULL;
    def.dimension = 2;
    def.velocity_count = 2;
    def.contact_count = 1;
    def.contacts = &shoe;
    def.inertia = block_inertia;
    def.force = block_force;
    def.contact = block_contact;
    def.energy = block_energy;
    assert_ok(context, sprag_system_create(context, &def, &system));
    return system;
}

static double column(const SpragRecord *record, const char *name, size_t sample)
{
    int signal = sprag_record_find_signal(record, name);
    assert_true(signal >= 0);
    return sprag_record_column(record, signal)[sample];
}

static void block_slides_to_rest(void **state)
{
    const double q[2] = {0, 0}, v[2] = {1, 0}, stop = 1 / (friction * gravity);
    SpragContext *context = test_context();
    SpragSystem *system = make_block(context);
    SpragRecord *record = NULL;
    SpragRun *run = NULL;
    SpragRunOutcome outcome;
    SpragRunSettings settings = sprag_run_default();
    (void)state;
    settings.output_step = 0.01;
    assert_ok(context, sprag_record_create(context, system, NULL, &record));
    SpragSink sink = sprag_record_sink(record);
    assert_ok(context, sprag_run_create(system, &settings, &sink, &run));
    assert_ok(context, sprag_run_restart(run, 0, q, v));
    assert_ok(context, sprag_run_advance(run, 0.6, &outcome));
    assert_int_equal(outcome, SPRAG_RUN_DONE);
    // 61 samples in steps, and two at the stop
    size_t count = sprag_record_sample_count(record);
    assert_true(count >= 61 && count <= 64);
    int twins = 0;
    for (size_t i = 0; i < count; i++) {
        double t = column(record, "t", i), slides = fmin(t, stop);
        double mode = column(record, "shoe.mode", i);
        assert_close(column(record, "q.0", i), slides - friction * gravity * slides * slides / 2,
                     1e-8);
        assert_close(column(record, "v.0", i), 1 - friction * gravity * slides, 1e-8);
        assert_close(column(record, "shoe.slip", i), column(record, "v.0", i), 1e-12);
        assert_close(column(record, "shoe.normal", i), mass * gravity, 1e-9);
        assert_true(mode == SPRAG_MODE_SLIDE_PLUS || mode == SPRAG_MODE_STICK);
        assert_close(column(record, "shoe.tangential", i),
                     mode == SPRAG_MODE_STICK ? 0 : -friction * mass * gravity, 1e-9);
        assert_close(column(record, "energy.kinetic", i) + column(record, "energy.friction", i),
                     mass / 2, 1e-8);
        if (i > 0 && t == column(record, "t", i - 1)) {
            twins++;
            assert_close(t, stop, 1e-9);
            assert_true(mode == SPRAG_MODE_STICK);
            assert_true(column(record, "shoe.mode", i - 1) == SPRAG_MODE_SLIDE_PLUS);
        }
    }
    assert_int_equal(twins, 1);
    assert_true(sprag_record_event_count(record) >= 1);
    assert_int_equal(sprag_record_events(record)[0].type, SPRAG_EVENT_STICK);
    assert_int_equal(sprag_record_verdict_count(record), 2);
    sprag_run_destroy(run);
    sprag_record_destroy(record);
    sprag_system_destroy(system);
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(block_slides_to_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
