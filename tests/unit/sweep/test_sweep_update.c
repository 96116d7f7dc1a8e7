// A scene and its system brought to other values in place, against ones that are built anew: every
// number of every example, and of scenes with what the examples have not, gets other values; model,
// placed state and contact problem must be equal bit by bit, and refusals must read the same.
#include <dirent.h>

#include <yaml.h>

#include "support/with_context.h"

enum { MOST_PATHS = 400, PATH_BYTES = 256, MOST_COORDINATES = 64 };

// ---- Paths of a file ----------------------------------------------------------------------------

typedef struct Paths {
    int count;
    char text[MOST_PATHS][PATH_BYTES];
} Paths;

static void add_path(Paths *paths, const char *path)
{
    assert_true(paths->count < MOST_PATHS);
    snprintf(paths->text[paths->count++], PATH_BYTES, "%s", path);
}

static void walk(yaml_document_t *document, int index, const char *path, Paths *paths)
{
    const yaml_node_t *node = yaml_document_get_node(document, index);
    char below[PATH_BYTES];
    const char *dot = path[0] ? "." : "";
    if (node->type == YAML_SCALAR_NODE) {
        add_path(paths, path);
    } else if (node->type == YAML_SEQUENCE_NODE) {
        long count = node->data.sequence.items.top - node->data.sequence.items.start;
        for (long i = 0; i < count; i++) {
            snprintf(below, sizeof below, "%.200s%s%ld", path, dot, i);
            walk(document, node->data.sequence.items.start[i], below, paths);
        }
    } else {
        for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
             pair < node->data.mapping.pairs.top; pair++) {
            const yaml_node_t *key = yaml_document_get_node(document, pair->key);
            snprintf(below, sizeof below, "%.200s%s%.40s", path, dot,
                     (const char *)key->data.scalar.value);
            walk(document, pair->value, below, paths);
        }
    }
}

static void list_paths(const char *text, size_t length, Paths *paths)
{
    yaml_parser_t parser;
    yaml_document_t document;
    paths->count = 0;
    assert_true(yaml_parser_initialize(&parser));
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    assert_true(yaml_parser_load(&parser, &document));
    walk(&document, 1, "", paths);
    yaml_document_delete(&document);
    yaml_parser_delete(&parser);
}

// ---- Two ways to a scene ------------------------------------------------------------------------

typedef struct File {
    const char *name;
    const char *text;
    size_t length;
} File;

// A scene with its system at the values of some variables.
typedef struct Situation {
    SpragSceneSource *source;
    SpragScene *scene;
    SpragSystem *system;
    SpragContactProblem built;
    const SpragContactProblem *problem;
    SpragStatus status;
    char message[1024];
    double q[MOST_COORDINATES], v[MOST_COORDINATES];
    SpragContactTolerances tolerances;
    SpragContactKinematics kinematics[256];
    double time_scale;
} Situation;

// False: a number of that path cannot vary.
static bool open_situation(const File *file, int count, const char *const *paths, Situation *s)
{
    memset(s, 0, sizeof *s);
    sprag_contact_problem_init(&s->built, context);
    assert_ok(context, sprag_scene_source_create_text(context, file->name, file->text, file->length,
                                                      NULL, &s->source));
    for (int i = 0; i < count; i++)
        if (sprag_scene_source_add_variable(s->source, paths[i]) != SPRAG_OK)
            return false;
    return true;
}

static void drop(Situation *s)
{
    sprag_system_destroy(s->system);
    sprag_scene_destroy(s->scene);
    s->system = NULL;
    s->scene = NULL;
}

static void close_situation(Situation *s)
{
    drop(s);
    sprag_scene_source_destroy(s->source);
    sprag_contact_problem_destroy(&s->built);
}

static SpragStatus evaluate(Situation *s)
{
    sprag_system_initial(s->system, s->q, s->v);
    s->tolerances = sprag_system_tolerances(s->system, s->v);
    SPRAG_TRY(sprag_system_kinematics(s->system, 0, s->q, s->v, &s->tolerances, s->kinematics));
    s->time_scale = sprag_system_time_scale(s->system, s->q, s->v, s->kinematics);
    s->problem = &s->built;
    return sprag_system_build_problem(s->system, 0, s->q, s->v, &s->tolerances, &s->built);
}

// Brings the situation to values; `again`: in place, as far as that goes. True: it went.
static bool bring(Situation *s, const double *values, bool again)
{
    SpragSceneChange change = SPRAG_SCENE_OTHER;
    s->problem = NULL;
    if (again && s->scene)
        assert_ok(context, sprag_scene_source_update(s->source, values, s->scene, &change));
    if (change == SPRAG_SCENE_OTHER) {
        drop(s);
        s->status = sprag_scene_source_build(s->source, values, &s->scene);
    } else {
        s->status = SPRAG_OK;
    }
    if (s->status == SPRAG_OK && sprag_scene_model(s->scene)) {
        if (s->system)
            s->status = sprag_system_update(s->system, change <= SPRAG_SCENE_CONTACTS);
        else
            s->status = sprag_system_create_model(sprag_scene_model(s->scene), &s->system);
        if (s->status == SPRAG_OK)
            s->status = evaluate(s);
    } else if (s->status == SPRAG_OK) {
        s->problem = sprag_scene_contact_problem(s->scene);
    }
    snprintf(s->message, sizeof s->message, "%s",
             s->status == SPRAG_OK ? "" : sprag_context_message(context));
    return change != SPRAG_SCENE_OTHER;
}

// ---- Comparison ---------------------------------------------------------------------------------

static void assert_same_numbers(const double *a, const double *b, int count)
{
    if (count > 0)
        assert_memory_equal(a, b, (size_t)count * sizeof *a);
}

static void compare_problems(const SpragContactProblem *a, const SpragContactProblem *b)
{
    int rows = a->row_count;
    assert_int_equal(a->constraint_count, b->constraint_count);
    assert_int_equal(rows, b->row_count);
    assert_int_equal(a->velocity_count, b->velocity_count);
    assert_same_numbers(a->W, b->W, rows * rows);
    assert_same_numbers(a->b, b->b, rows);
    assert_same_numbers(a->free_acceleration, b->free_acceleration, a->velocity_count);
    assert_same_numbers(a->inverse_inertia, b->inverse_inertia, a->inertia_count);
    for (int i = 0; i < a->constraint_count; i++) {
        const SpragConstraint *c = &a->constraints[i], *d = &b->constraints[i];
        assert_string_equal(c->name, d->name);
        assert_int_equal(c->sliding, d->sliding);
        assert_same_numbers(&c->friction, &d->friction, 1);
        assert_same_numbers(c->slip, d->slip, 2);
        assert_same_numbers(c->stiffness, d->stiffness, 3);
        assert_same_numbers(c->damping, d->damping, 3);
    }
}

static void compare_times(const SpragTimeValue *a, const SpragTimeValue *b)
{
    const double t = 0.37;
    double x[3], y[3];
    sprag_time_value_evaluate(a, t, 2, x);
    sprag_time_value_evaluate(b, t, 2, y);
    assert_same_numbers(x, y, 3);
    assert_int_equal(a->break_count, b->break_count);
    assert_same_numbers(a->breaks, b->breaks, a->break_count);
}

static void compare_joints(const SpragModel *a, const SpragModel *b)
{
    for (int i = 0; i < a->joint_count; i++) {
        const SpragJoint *x = &a->joints[i], *y = &b->joints[i];
        for (int end = 0; end < 2; end++) {
            assert_same_numbers(&x->ends[end].local.x, &y->ends[end].local.x, 3);
            assert_same_numbers(x->axes[end].m, y->axes[end].m, 9);
        }
        assert_same_numbers(x->limits, y->limits, 2);
        assert_same_numbers(x->stiffness, y->stiffness, 6);
        assert_same_numbers(x->damping, y->damping, 6);
        assert_same_numbers(x->rest, y->rest, 6);
        const double given[] = {x->length,       x->lead,    x->radius,
                                x->thread_angle, x->bearing, x->friction.kinetic};
        const double wanted[] = {y->length,       y->lead,    y->radius,
                                 y->thread_angle, y->bearing, y->friction.kinetic};
        assert_same_numbers(given, wanted, 6);
        compare_times(&x->drive, &y->drive);
    }
    for (int i = 0; i < a->controller_count; i++) {
        const SpragController *x = &a->controllers[i], *y = &b->controllers[i];
        const double given[] = {x->kp, x->kd, x->ki, x->limit, x->every};
        const double wanted[] = {y->kp, y->kd, y->ki, y->limit, y->every};
        assert_same_numbers(given, wanted, 5);
        compare_times(&x->target, &y->target);
    }
    for (int i = 0; i < a->body_count; i++)
        compare_times(&a->bodies[i].drive_position[0], &b->bodies[i].drive_position[0]);
}

static void compare_models(const SpragModel *a, const SpragModel *b)
{
    assert_same_numbers(a->gravity, b->gravity, 3);
    for (int i = 0; i < a->parameter_count; i++)
        assert_same_numbers(&a->parameters[i].value, &b->parameters[i].value, 1);
    for (int i = 0; i < a->body_count; i++) {
        SpragBody x = a->bodies[i], y = b->bodies[i];
        x.name = y.name = NULL;
        assert_same_numbers(x.position, y.position, 3);
        assert_same_numbers(x.velocity, y.velocity, 3);
        assert_same_numbers(x.tensor, y.tensor, 6);
        assert_same_numbers(&x.orientation.w, &y.orientation.w, 4);
        assert_same_numbers(x.angular, y.angular, 3);
        const double given[] = {x.mass, x.inertia, x.angle, x.spin, x.com[0], x.com[1]};
        const double wanted[] = {y.mass, y.inertia, y.angle, y.spin, y.com[0], y.com[1]};
        assert_same_numbers(given, wanted, 6);
    }
    for (int i = 0; i < a->shape_count; i++) {
        const SpragShape *x = &a->shapes[i], *y = &b->shapes[i];
        for (int k = 0; k < x->vertex_count; k++)
            if (a->dimension == 3)
                assert_same_numbers(&x->points[k].x, &y->points[k].x, 3);
            else
                assert_same_numbers(&x->vertices[k].x, &y->vertices[k].x, 2);
        assert_same_numbers(x->size, y->size, 3);
        const double given[] = {x->radius, x->offset, x->normal.x, x->normal.y};
        const double wanted[] = {y->radius, y->offset, y->normal.x, y->normal.y};
        assert_same_numbers(given, wanted, 4);
    }
    for (int i = 0; i < a->site_count; i++)
        assert_same_numbers(&a->sites[i].local.x, &b->sites[i].local.x, 2);
    for (int i = 0; i < a->load_count; i++) {
        assert_same_numbers(a->loads[i].force, b->loads[i].force, 3);
        assert_same_numbers(&a->loads[i].local.x, &b->loads[i].local.x, 2);
    }
    for (int i = 0; i < a->spring_count; i++) {
        const SpragSpring *x = &a->springs[i], *y = &b->springs[i];
        const double given[] = {x->stiffness, x->damping, x->rest};
        const double wanted[] = {y->stiffness, y->damping, y->rest};
        assert_same_numbers(given, wanted, 3);
    }
    compare_joints(a, b);
    const double given[] = {a->simulate.until, a->simulate.step, a->simulate.contact_tolerance};
    const double wanted[] = {b->simulate.until, b->simulate.step, b->simulate.contact_tolerance};
    assert_same_numbers(given, wanted, 3);
}

static void compare_slots(const SpragSystem *a, const SpragSystem *b)
{
    assert_int_equal(sprag_system_contact_count(a), sprag_system_contact_count(b));
    for (int i = 0; i < sprag_system_contact_count(a); i++) {
        const SpragSlot *s = sprag_system_slot(a, i), *t = sprag_system_slot(b, i);
        assert_true(!s == !t);
        if (!s) // of a joint
            continue;
        assert_string_equal(s->name, t->name);
        assert_int_equal(s->rule, t->rule);
        assert_memory_equal(s->feature, t->feature, sizeof s->feature);
        const double given[] = {s->friction_static,    s->friction_kinetic,     s->stribeck,
                                s->restitution.e,      s->compliance.stiffness, s->side,
                                s->compliance.damping, s->surface_velocity[0]};
        const double wanted[] = {t->friction_static,    t->friction_kinetic,     t->stribeck,
                                 t->restitution.e,      t->compliance.stiffness, t->side,
                                 t->compliance.damping, t->surface_velocity[0]};
        assert_same_numbers(given, wanted, 8);
    }
}

static void compare(const Situation *a, const Situation *b)
{
    assert_int_equal(a->status, b->status);
    assert_string_equal(a->message, b->message);
    if (a->scene && b->scene && sprag_scene_model(a->scene))
        compare_models(sprag_scene_model(a->scene), sprag_scene_model(b->scene));
    if (a->status != SPRAG_OK || !a->problem)
        return;
    if (sprag_scene_model(a->scene)) {
        int n = sprag_system_velocity_count(a->system);
        assert_same_numbers(a->q, b->q, sprag_system_position_count(a->system));
        assert_same_numbers(a->v, b->v, n);
        assert_same_numbers(&a->tolerances.gap, &b->tolerances.gap, 3);
        assert_same_numbers(&a->time_scale, &b->time_scale, 1);
        compare_slots(a->system, b->system);
    }
    compare_problems(a->problem, b->problem);
}

// ---- Scenes -------------------------------------------------------------------------------------

typedef struct Tally {
    int compared, in_place, valid;
} Tally;

static double other_value(SpragRandom *random, double value)
{
    static const double factors[] = {1.25, 0.8, 1.001, 0.3, -1, 1};
    double factor = factors[sprag_random_below(random, 6)];
    if (value == 0)
        return 0.1 * (factor - 0.5);
    return factor * value;
}

// Some steps from value to value of one or two numbers. The one updated goes from step to step, the
// other is new at each.
static void compare_paths(const File *file, int count, const char *const *paths,
                          SpragRandom *random, Tally *tally)
{
    enum { STEPS = 4 };
    Situation fast, slow;
    double first[2], values[2];
    if (!open_situation(file, count, paths, &fast)) {
        close_situation(&fast);
        return;
    }
    for (int i = 0; i < count; i++)
        first[i] = values[i] = sprag_scene_source_variable(fast.source, i)->value;
    for (int step = 0; step < STEPS; step++) {
        assert_true(open_situation(file, count, paths, &slow));
        bool in_place = bring(&fast, values, true);
        bring(&slow, values, false);
        compare(&fast, &slow);
        // drives and bare LCPs are always built anew
        bool known =
            !slow.scene || sprag_scene_model(slow.scene) || sprag_scene_contact_problem(slow.scene);
        tally->compared += known;
        tally->in_place += in_place && known;
        tally->valid += known && slow.status == SPRAG_OK;
        close_situation(&slow);
        if (!known)
            break;
        int moved = sprag_random_below(random, count);
        values[moved] = other_value(random, first[moved]);
    }
    close_situation(&fast);
}

static void compare_file(const File *file, Tally *tally)
{
    static Paths paths;
    SpragRandom random;
    sprag_random_init(&random, 7);
    list_paths(file->text, file->length, &paths);
    for (int i = 0; i < paths.count; i++) {
        const char *one[] = {paths.text[i]};
        compare_paths(file, 1, one, &random, tally);
    }
    for (int i = 0; i < test_draws(4); i++) {
        int a = sprag_random_below(&random, paths.count);
        int b = sprag_random_below(&random, paths.count);
        const char *two[] = {paths.text[a], paths.text[b]};
        if (a != b)
            compare_paths(file, 2, two, &random, tally);
    }
}

static void compare_example(const char *name, Tally *tally)
{
    static char text[1 << 16];
    char path[1024];
    snprintf(path, sizeof path, "%s/examples/%s", SPRAG_SOURCE_DIR, name);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    size_t length = fread(text, 1, sizeof text, stream);
    fclose(stream);
    File file = {path, text, length};
    compare_file(&file, tally);
}

static void test_examples(void **state)
{
    (void)state;
    char path[1024];
    Tally tally = {0};
    snprintf(path, sizeof path, "%s/examples", SPRAG_SOURCE_DIR);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        if (strstr(entry->d_name, ".yaml"))
            compare_example(entry->d_name, &tally);
    closedir(folder);
    // of four steps the first builds, and refused values build too
    assert_true(tally.compared > 500 && 2 * tally.in_place > tally.compared);
    assert_true(2 * tally.valid > tally.compared);
}

static const char EVERYTHING[] =
    "sprag: 1\n"
    "gravity: [g*sin(slope), -g*cos(slope)]\n"
    "parameters: {g: 9.81, slope: 10 deg, w: 0.4, h: w/2, k: 200, mu: {value: 0.4, from: 0, to: "
    "2}}\n"
    "materials:\n"
    "  steel: {friction: {static: mu, kinetic: 0.8*mu, stribeck: 0.1}, restitution: 0.5}\n"
    "  default: {friction: 0.3, restitution: {law: newton, e: 0.2}}\n"
    "bodies:\n"
    "  - {name: floor, fixed: true, surface-velocity: [0.2, 0], shapes: [{plane: {normal: [0, 1],\n"
    "     offset: 0}, material: steel}]}\n"
    "  - {name: hill, fixed: true, shapes: [{chain: {points: [[3, 0], [4, 1], [5, 0.2], [6, "
    "1]]}}]}\n"
    "  - {name: box, density: 30, position: [0, 0.1], com: auto, sites: {eye: [w/2, h/2]},\n"
    "     shapes: [{box: {size: [w, h]}, material: steel},\n"
    "              {box: {size: [w/4, h/4]}, at: [0, 5*h/8], angle: 0 deg}]}\n"
    "  - {name: tile, mass: 0.5, position: [0, 2*h], angle: 0, velocity: [0.1, 0],\n"
    "     shapes: [{polygon: {points: [[-0.1, 0], [0.1, 0], [0, 0.1]]}}]}\n"
    "  - {name: wheel, mass: 1, position: [2, 0.3], spin: 1, shapes: [{circle: {radius: 0.3},\n"
    "     material: steel}]}\n"
    "  - {name: pill, mass: 1, inertia: 0.01, position: [4.5, 2], angle: 30 deg,\n"
    "     shapes: [{capsule: {length: 0.3, radius: 0.05}}]}\n"
    "contacts:\n"
    "  - {name: foot, between: [box, floor], friction: mu, compliance: {law: kelvin-voigt,\n"
    "     stiffness: 1e5, damping: 20, tangential: {stiffness: 8e4}}}\n"
    "  - {between: [wheel, floor], restitution: 0.1, compliance: {law: hunt-crossley,\n"
    "     stiffness: 1e6, alpha: 0.1}}\n"
    "joints:\n"
    "  - {name: s, type: distance, between: [box.eye, wheel.com], spring: {stiffness: k, damping: "
    "1}}\n"
    "  - {type: distance, between: [pill.a, world], at: [4.5, 4], length: 1.5, spring: {stiffness: "
    "k,\n"
    "     rest: 0.1}}\n"
    "loads:\n"
    "  - {body: box, force: [1, -2], at: box.eye, frame: body}\n"
    "  - {body: wheel, torque: 0.1}\n"
    "start:\n"
    "  - {contact: [box, floor]}\n"
    "  - {contact: [wheel, floor], slip: 0.1}\n"
    "  - {point: pill.b, at: [4.6, 2.1], velocity: [0, 0.1]}\n"
    "simulate: {contact-tolerance: 1e-9, until: 2}\n";

static const char REPEATED[] =
    "sprag: 1\n"
    "parameters: {n: 3, d: 0.3, m: 2}\n"
    "bodies:\n"
    "  - {name: floor, fixed: true, shapes: [{plane: {}}]}\n"
    "  - {name: box$(i), repeat: {i: n}, mass: m*(1 + i), position: [d*i, "
    "0.1], shapes: [{box: {size: [0.2, 0.2]}}]}\n"
    "contacts: [{between: [floor, '*'], friction: 0.2*m}]\n";

// Shapes of all kinds, materials, layers, springs, loads, chains whose sides and corners change,
// and what repeats make (of which only their number cannot vary in place).
static void test_other_scenes(void **state)
{
    (void)state;
    const File files[] = {{"everything", EVERYTHING, sizeof EVERYTHING - 1},
                          {"repeated", REPEATED, sizeof REPEATED - 1}};
    for (int i = 0; i < 2; i++) {
        Tally tally = {0};
        compare_file(&files[i], &tally);
        assert_true(2 * tally.valid > tally.compared && 3 * tally.in_place > tally.compared);
    }
}

// Once warm, values come and go without any memory being asked for.
static void test_memory(void **state)
{
    (void)state;
    static const char *const paths[] = {"w", "mu"};
    const File file = {"everything", EVERYTHING, sizeof EVERYTHING - 1};
    Situation s;
    assert_true(open_situation(&file, 2, paths, &s));
    uint64_t before = 0;
    for (int i = 0; i < 20; i++) {
        if (i == 4)
            before = sprag_context_allocation_count(context);
        double values[] = {0.4 + 0.001 * (i % 3), 0.4 + 0.1 * (i % 2)};
        assert_true(bring(&s, values, true) == (i > 0));
        assert_int_equal(s.status, SPRAG_OK);
    }
    assert_int_equal(sprag_context_allocation_count(context), before);
    close_situation(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_other_scenes),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
