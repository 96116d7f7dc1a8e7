// Layers and friction laws: from the words of a scene to the numbers of its contact problem.
#include "scene_support.h"

static const char *const HEAD = "sprag: 1\n"
                                "parameters: {v: -0.1}\n"
                                "materials:\n"
                                "  steel: {young: 210 GPa, poisson-ratio: 0.3, friction: 0.5}\n"
                                "  alloy: {young: 70 GPa, poisson-ratio: 0.33, friction: 0.5}\n"
                                "  soft: {friction: 0.5, compliance: {stiffness: 30 kN/m, damping: "
                                "6, tangential: {stiffness: 4e4}}}\n"
                                "  firm: {friction: 0.5, compliance: {stiffness: 60 kN/m, damping: "
                                "12, tangential: {stiffness: 4e4}}}\n"
                                "  ball: {young: 210 GPa, poisson-ratio: 0.3, compliance: {law: "
                                "hertz, restitution: 0.8, speed: 1}}\n"
                                "  wall: {young: 70 GPa, poisson-ratio: 0.33, compliance: {law: "
                                "hertz, restitution: 0.6, speed: 1}}\n";

typedef struct World {
    SpragContext *context;
    SpragScene *scene;
    SpragSystem *system;
    SpragContactProblem problem;
} World;

// A disc of 1 cm and 2 kg on a floor, slipping at v, with materials and one more line of rule.
static SpragStatus try_open(World *world, const char *disc, const char *floor, const char *rule)
{
    char text[4096];
    *world = (World){.context = test_context()};
    snprintf(text, sizeof text,
             "%sbodies:\n"
             "  - {name: floor, fixed: true, shapes: [{plane: {}%s%s}]}\n"
             "  - {name: disc, mass: 2, position: [0, 1 cm], velocity: [v, 0],\n"
             "     shapes: [{circle: {radius: 1 cm}%s%s}]}\n%s%s%s",
             HEAD, floor ? ", material: " : "", floor ? floor : "", disc ? ", material: " : "",
             disc ? disc : "", rule ? "contacts: [{between: [disc, floor], " : "", rule ? rule : "",
             rule ? "}]\n" : "");
    world->scene = read_good(world->context, text);
    return sprag_system_create_model(sprag_scene_model(world->scene), &world->system);
}

static World open_world(const char *disc, const char *floor, const char *rule)
{
    World world;
    double q[3], v[3];
    SpragStatus status = try_open(&world, disc, floor, rule);
    if (status != SPRAG_OK)
        fail_msg("%s", sprag_context_message(world.context));
    sprag_contact_problem_init(&world.problem, world.context);
    sprag_system_initial(world.system, q, v);
    SpragContactTolerances tolerances = sprag_system_tolerances(world.system, v);
    assert_ok(world.context,
              sprag_system_build_problem(world.system, 0, q, v, &tolerances, &world.problem));
    assert_int_equal(world.problem.constraint_count, 1);
    return world;
}

static void close_world(World *world)
{
    sprag_contact_problem_destroy(&world->problem);
    sprag_system_destroy(world->system);
    sprag_scene_destroy(world->scene);
    sprag_context_destroy(world->context);
}

static SpragContactPair pair_of(const World *world)
{
    SpragContactPair pair;
    sprag_system_pair(world->system, 0, &pair);
    return pair;
}

// ---- Layers -------------------------------------------------------------------------------------

static void test_hertz(void **state)
{
    (void)state;
    // α by (5.5) for this e and v; K = (4/3) E* √R
    World world =
        open_world("steel", "alloy", "compliance: {law: hertz, restitution: 0.7, speed: 2}");
    SpragCompliance layer = pair_of(&world).compliance;
    double softness = (1 - 0.09) / 210e9 + (1 - 0.33 * 0.33) / 70e9;
    double K = 4.0 / 3 / softness * sqrt(0.01), w = 1.5 * layer.alpha * 2;
    assert_int_equal(layer.law, SPRAG_COMPLIANCE_HUNT_CROSSLEY);
    assert_close(layer.stiffness, K, 1e-12 * K);
    assert_close(w * 1.7, log((1 + w) / (1 - 0.7 * w)), 1e-12);
    assert_true(layer.restitution == 0.7 && layer.speed == 2);
    assert_close(world.problem.constraints[0].law.alpha, layer.alpha, 0);
    close_world(&world);
}

static void test_published(void **state)
{
    (void)state;
    World world = open_world(
        NULL, NULL, "compliance: {law: flores, stiffness: 1e8, restitution: 0.4, speed: 50 cm/s}");
    SpragCompliance layer = pair_of(&world).compliance;
    assert_close(1.5 * layer.alpha, 8 * 0.6 / (5 * 0.4 * 0.5), 1e-14);
    assert_true(layer.exponent == 1.5 && layer.damping_source == SPRAG_DAMPING_FLORES);
    close_world(&world);
    // without a stiffness that of Hertz
    world = open_world("steel", "steel",
                       "compliance: {law: lankarani-nikravesh, restitution: 0, speed: 1}");
    layer = pair_of(&world).compliance;
    assert_close(layer.alpha, 0.5, 1e-15);
    assert_close(layer.stiffness, 4.0 / 3 * 210e9 / (2 * 0.91) * 0.1, 1e-3);
    close_world(&world);
}

// An explicit 0 is not "not given".
static void test_zero_damping(void **state)
{
    (void)state;
    World world = open_world(NULL, NULL, "compliance: {stiffness: 1e5, damping: 0}");
    SpragCompliance layer = pair_of(&world).compliance;
    assert_true(layer.damping == 0 && layer.damping_given && sprag_compliance_is_damped(&layer));
    // the problem knows it as a trace: ζ = 1e-6 of the mass
    const SpragConstraint *item = &world.problem.constraints[0];
    assert_close(item->damping[0], 2e-6 * sqrt(1e5 * 2), 1e-12);
    assert_close(item->damping[1], item->damping[0], 1e-18);
    close_world(&world);
    world = open_world(NULL, NULL, "compliance: {stiffness: 1e5}");
    layer = pair_of(&world).compliance;
    assert_true(!sprag_compliance_is_damped(&layer));
    assert_true(world.problem.constraints[0].damping[0] == 0);
    close_world(&world);
    world = open_world(NULL, NULL,
                       "compliance: {law: hunt-crossley, stiffness: 1e7, alpha: 0, tangential: "
                       "{stiffness: 1e4, damping: 0}}");
    layer = pair_of(&world).compliance;
    assert_true(layer.tangential_damping_given && layer.damping_given);
    assert_close(world.problem.constraints[0].law.alpha, 1e-6, 1e-18);
    assert_close(world.problem.constraints[0].law.tangential_damping, 2e-6 * sqrt(1e4 * 2), 1e-15);
    close_world(&world);
}

// Kelvin–Voigt by its restitution: the damper follows from the mass, (5.6).
static void test_linear_restitution(void **state)
{
    (void)state;
    World world = open_world(NULL, NULL, "compliance: {stiffness: 1e5, restitution: 0.5}");
    SpragCompliance given = pair_of(&world).compliance;
    SpragLayer layer;
    SpragLayerImpact impact;
    assert_close(world.problem.constraints[0].damping[0], given.damping, 0);
    for (double mass = 2; mass > 0.1; mass /= 3) { // also of an effective mass below the body's
        assert_true(sprag_layer_complete(&given, mass, 0, &layer));
        sprag_layer_impact(&layer, mass, 0.3, &impact);
        assert_close(impact.restitution, 0.5, 1e-12);
    }
    close_world(&world);
}

static void test_series(void **state)
{
    (void)state;
    World world = open_world("soft", "firm", NULL);
    SpragCompliance layer = pair_of(&world).compliance;
    assert_close(layer.stiffness, 20e3, 1e-9);
    assert_close(layer.damping, 4, 1e-12); // equal relaxation times
    assert_close(layer.tangential_stiffness, 2e4, 1e-9);
    close_world(&world);
    // against one that has none
    world = open_world("soft", "steel", NULL);
    assert_close(pair_of(&world).compliance.stiffness, 30e3, 0);
    close_world(&world);
    // of two Hertz layers the one that damps more, and the pair's E*
    world = open_world("ball", "wall", NULL);
    layer = pair_of(&world).compliance;
    assert_true(layer.restitution == 0.6);
    close_world(&world);
    // a rule has the last word
    world = open_world("soft", "firm", "compliance: default");
    assert_int_equal(pair_of(&world).compliance.law, SPRAG_COMPLIANCE_RIGID);
    close_world(&world);
    // layers that do not make one
    assert_int_equal(try_open(&world, "soft", "wall", NULL), SPRAG_ERROR_INPUT);
    assert_non_null(strstr(sprag_context_message(world.context), "give the pair a rule"));
    sprag_scene_destroy(world.scene);
    sprag_context_destroy(world.context);
}

// ---- Friction laws ------------------------------------------------------------------------------

static SpragFrictionLaw law_of(const char *rule)
{
    World world = open_world(NULL, NULL, rule);
    SpragFrictionLaw law = pair_of(&world).friction_law;
    close_world(&world);
    return law;
}

static void test_laws(void **state)
{
    (void)state;
    SpragFrictionLaw law = law_of("friction-law: {law: tanh, speed: 2 mm/s}");
    assert_true(law.kind == SPRAG_FRICTION_TANH && law.speed == 2e-3);
    law = law_of("friction-law: oden-pires");
    assert_true(law.kind == SPRAG_FRICTION_REGULARIZED && law.speed == 1e-3);
    law = law_of("friction-law: {law: karnopp, speed: 1e-4}");
    assert_true(law.kind == SPRAG_FRICTION_KARNOPP && law.speed == 1e-4);
    law = law_of("friction-law: {law: dahl, stiffness: 50 mm^-1, viscous: 0.1 s/m, exponent: 2}");
    assert_true(law.kind == SPRAG_FRICTION_DAHL && law.exponent == 2 && law.viscous == 0.1);
    assert_close(law.stiffness, 5e4, 1e-9);
    law = law_of("friction-law: lugre");
    assert_true(law.kind == SPRAG_FRICTION_LUGRE && law.stiffness == 1e5 && law.viscous == 0);
    assert_close(law.damping, sqrt(1e5), 1e-12);
    law = law_of("friction-law: {law: lugre, damping: 0}");
    assert_true(law.damping == 0);
    law = law_of("friction-law: {law: coulomb}");
    assert_true(law.kind == SPRAG_FRICTION_COULOMB);
}

// Theory.md (7.2): friction and direction of the contact problem.
static void test_problem(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        double speed, friction; // friction at a slip of −speed
        bool sliding;
    } cases[] = {
        {"friction: 0.5, friction-law: {law: tanh, speed: 0.1}", 0.1, 0.38079707797788, true},
        {"friction: 0.5, friction-law: {law: tanh, speed: 0.1}", 0, 0, false},
        {"friction: 0.5, friction-law: {law: tanh, speed: 0.1}", 1e-12, 5e-12, true},
        {"friction: 0.5, friction-law: {law: oden-pires, speed: 0.2}", 0.1, 0.375, true},
        {"friction: 0.5, friction-law: {law: oden-pires, speed: 0.05}", 0.1, 0.5, true},
        {"friction: {static: 0.7, kinetic: 0.5}, friction-law: {law: karnopp, speed: 0.2}", 0.1,
         0.7, false},
        {"friction: {static: 0.7, kinetic: 0.5}, friction-law: {law: karnopp, speed: 0.05}", 0.1,
         0.5, true},
        {"friction: {static: 0.7, kinetic: 0.5}, friction-law: {law: dahl, viscous: 1}", 0.1, 0.6,
         true},
        {"friction: {static: 0.7, kinetic: 0.5}, friction-law: dahl", 0, 0.5, false},
        {"friction: {static: 0.7, kinetic: 0.5, stribeck: 0.1}, friction-law: {law: lugre, "
         "viscous: 1}",
         0.1, 0.67357588823428847, true},
        {"friction: {static: 0.7, kinetic: 0.5, stribeck: 0.1}, friction-law: lugre", 0, 0.7,
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int sign = -1; sign < 2; sign += 2) {
            double q[3], v[3];
            World world = open_world(NULL, NULL, cases[i].rule);
            sprag_system_initial(world.system, q, v);
            SpragContactTolerances tolerances = sprag_system_tolerances(world.system, v);
            v[0] = sign * cases[i].speed;
            assert_ok(world.context, sprag_system_build_problem(world.system, 0, q, v, &tolerances,
                                                                &world.problem));
            const SpragConstraint *item = &world.problem.constraints[0];
            assert_close(item->friction, cases[i].friction, 1e-13);
            assert_int_equal(item->sliding, cases[i].sliding);
            assert_close(item->slip[0], v[0], 0);
            // what a run samples
            double friction[2];
            int slot = 0;
            const SpragSystemSample sample = {.friction = friction};
            assert_ok(world.context, sprag_system_sample(world.system, 0, q, v, 1, &slot, &sample));
            if (cases[i].sliding)
                assert_close(friction[1], item->friction, 1e-15);
            else
                assert_close(friction[0], item->friction, 1e-15);
            close_world(&world);
        }
}

// Of a user-defined system too, with its layer.
static int give_inertia(double t, const double *q, double *matrix, void *user)
{
    (void)t;
    (void)q;
    (void)user;
    matrix[0] = matrix[3] = 2;
    matrix[1] = matrix[2] = 0;
    return 0;
}

static int give_force(double t, const double *q, const double *v, double *force, void *user)
{
    (void)t;
    (void)q;
    (void)v;
    (void)user;
    force[0] = 0;
    force[1] = -20;
    return 0;
}

static int give_contact(double t, const double *q, const double *v, int contact,
                        SpragContactSample *sample, void *user)
{
    (void)t;
    (void)v;
    (void)contact;
    (void)user;
    sample->gap = q[1];
    sample->normal[1] = 1;
    sample->tangent[0] = 1;
    sample->friction_static = sample->friction_kinetic = 0.8;
    return 0;
}

static void test_user_system(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragSystemContact contact = {
        .name = "tip",
        .kind = SPRAG_CONSTRAINT_CONTACT,
        .compliance = {.law = SPRAG_COMPLIANCE_KELVIN_VOIGT, .stiffness = 1e6, .damping = 5},
        .friction_law = {.kind = SPRAG_FRICTION_TANH, .speed = 0.5}};
    SpragSystemDef def = sprag_system_default();
    def.dimension = def.velocity_count = 2;
    def.contact_count = 1;
    def.contacts = &contact;
    def.inertia = give_inertia;
    def.force = give_force;
    def.contact = give_contact;
    SpragSystem *system;
    SpragContactProblem problem;
    assert_ok(context, sprag_system_create(context, &def, &system));
    sprag_contact_problem_init(&problem, context);
    const double q[] = {0, 0}, v[] = {1, 0};
    SpragContactTolerances tolerances = sprag_system_tolerances(system, v);
    assert_ok(context, sprag_system_build_problem(system, 0, q, v, &tolerances, &problem));
    assert_close(problem.constraints[0].friction, 0.8 * tanh(2), 1e-15);
    assert_true(problem.constraints[0].stiffness[0] == 1e6 &&
                problem.constraints[0].damping[0] == 5);
    sprag_contact_problem_destroy(&problem);
    sprag_system_destroy(system);
    sprag_context_destroy(context);
}

// What no scene can say, a program may: the model refuses it.
static void test_model_refuses(void **state)
{
    (void)state;
    static const SpragFrictionLaw laws[] = {
        {.kind = SPRAG_FRICTION_TANH},
        {.kind = SPRAG_FRICTION_KARNOPP, .speed = -1},
        {.kind = SPRAG_FRICTION_DAHL},
        {.kind = SPRAG_FRICTION_LUGRE, .stiffness = 1, .damping = -1},
        {.kind = SPRAG_FRICTION_LUGRE, .stiffness = NAN},
        {.kind = (SpragFrictionLawKind)17},
    };
    static const SpragCompliance layers[] = {
        {.law = SPRAG_COMPLIANCE_HUNT_CROSSLEY, .stiffness = 1, .exponent = 0.5},
        {.law = SPRAG_COMPLIANCE_KELVIN_VOIGT, .stiffness = 1, .restitution = 2},
        {.law = SPRAG_COMPLIANCE_KELVIN_VOIGT, .stiffness = INFINITY},
        {.law = SPRAG_COMPLIANCE_KELVIN_VOIGT, .damping_source = (SpragDampingSource)9},
    };
    SpragContext *context = test_context();
    SpragModel *model;
    assert_ok(context, sprag_model_create(context, &model));
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        SpragRule rule = {.friction_law = laws[i]};
        assert_int_equal(sprag_model_add_rule(model, &rule, NULL), SPRAG_ERROR_INPUT);
    }
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        SpragRule rule = {.compliance_given = true, .compliance = layers[i]};
        SpragMaterial material = {.name = (char *)"m", .compliance = layers[i]};
        assert_int_equal(sprag_model_add_rule(model, &rule, NULL), SPRAG_ERROR_INPUT);
        assert_int_equal(sprag_model_add_material(model, &material, NULL), SPRAG_ERROR_INPUT);
    }
    sprag_model_destroy(model);
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hertz),         cmocka_unit_test(test_published),
        cmocka_unit_test(test_zero_damping),  cmocka_unit_test(test_linear_restitution),
        cmocka_unit_test(test_series),        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_problem),       cmocka_unit_test(test_user_system),
        cmocka_unit_test(test_model_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
