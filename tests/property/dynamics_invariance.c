// Random scenes stay the same under rotation, translation and scaling of lengths (speeds with the
// square root, gravity kept): the same contacts with the same states, and the same W and b.
#include "unit/collide/world.h"

enum { MOST_BODIES = 3, MOST_SLOTS = 256 };

// What is done to a scene.
typedef struct Change {
    double angle, scale;
    SpragVec2 shift;
} Change;

typedef struct Thing {
    SpragShapeKind kind;
    double angle, spin, width, height, radius;
    double slip;
    bool slides, on_last; // stands on the body before
} Thing;

typedef struct Draft {
    SpragShapeKind ground; // plane, chain or box
    double tilt, friction;
    int count;
    Thing things[MOST_BODIES];
} Draft;

static Draft draw_draft(SpragRandom *random)
{
    static const SpragShapeKind kinds[] = {SPRAG_SHAPE_BOX,     SPRAG_SHAPE_CIRCLE,
                                           SPRAG_SHAPE_CAPSULE, SPRAG_SHAPE_ROD,
                                           SPRAG_SHAPE_POINTS,  SPRAG_SHAPE_POLYGON};
    static const SpragShapeKind grounds[] = {SPRAG_SHAPE_PLANE, SPRAG_SHAPE_CHAIN, SPRAG_SHAPE_BOX};
    Draft draft = {.ground = grounds[sprag_random_below(random, 3)],
                   .tilt = sprag_random_uniform(random, -0.5, 0.5),
                   .friction = sprag_random_uniform(random, 0, 1),
                   .count = 1 + sprag_random_below(random, MOST_BODIES)};
    for (int i = 0; i < draft.count; i++) {
        Thing *thing = &draft.things[i];
        thing->kind = kinds[sprag_random_below(random, 6)];
        thing->width = sprag_random_uniform(random, 0.5, 1.5);
        thing->height = sprag_random_uniform(random, 0.5, 1.5);
        thing->radius = sprag_random_uniform(random, 0.1, 0.5);
        thing->slides = sprag_random_below(random, 2);
        thing->slip = thing->slides ? sprag_random_uniform(random, -2, 2) : 0;
        bool point = thing->kind == SPRAG_SHAPE_ROD || thing->kind == SPRAG_SHAPE_POLYGON;
        // boxes and capsules lie flat; what stands on a point may turn
        thing->angle = point ? sprag_random_uniform(random, 0.1, 1.4) : draft.tilt;
        thing->spin = point ? sprag_random_uniform(random, -2, 2) : 0;
        thing->on_last = i > 0 && draft.things[i - 1].kind == SPRAG_SHAPE_BOX &&
                         thing->kind == SPRAG_SHAPE_BOX && sprag_random_below(random, 2);
        if (thing->on_last && sprag_random_below(random, 2))
            thing->width = draft.things[i - 1].width;
    }
    return draft;
}

static void add_shape(SpragModel *model, int body, SpragShapeKind kind, double w, double h,
                      double radius)
{
    const double box[] = {-w / 2, -h / 2, w / 2, -h / 2, w / 2, h / 2, -w / 2, h / 2};
    const double core[] = {-w / 2, 0, w / 2, 0};
    const double feet[] = {-w / 2, -h / 2, 0, -h / 2, w / 2, -h / 2};
    const double kite[] = {-w / 2, 0, 0, -h / 3, w / 2, 0, 0, h / 2};
    const double line[] = {-12 * w, 0, 0.13 * w, 0, 12 * w, 0};
    switch (kind) {
    case SPRAG_SHAPE_PLANE:
        world_plane(model, body, 0, 0);
        break;
    case SPRAG_SHAPE_CHAIN:
        world_shape(model, body, kind, 3, line, 0);
        break;
    case SPRAG_SHAPE_BOX:
        world_shape(model, body, kind, 4, box, 0);
        break;
    case SPRAG_SHAPE_POINTS:
        world_shape(model, body, kind, 3, feet, 0);
        break;
    case SPRAG_SHAPE_POLYGON:
        world_shape(model, body, kind, 4, kite, 0);
        break;
    case SPRAG_SHAPE_CIRCLE:
        world_circle(model, body, 0, 0, radius);
        break;
    default:
        world_shape(model, body, kind, 2, core, kind == SPRAG_SHAPE_CAPSULE ? radius : 0);
        break;
    }
}

static SpragVec2 changed(const Change *change, double x, double y)
{
    SpragVec2 turned = sprag_vec2_turn(sprag_vec2(x, y), cos(change->angle), sin(change->angle));
    return sprag_vec2_add(change->shift, sprag_vec2_scale(change->scale, turned));
}

static void add_thing(SpragModel *model, const Draft *draft, const Change *change, int i)
{
    const Thing *thing = &draft->things[i];
    double s = change->scale, c = cos(draft->tilt), t = sin(draft->tilt);
    int lower = i;
    while (draft->things[lower].on_last)
        lower--;
    double along = 3.0 * lower, up = 2 + 2.0 * (i - lower);
    SpragVec2 x = changed(change, c * along - t * up, t * along + c * up);
    char name[16];
    snprintf(name, sizeof name, "body%d", i);
    int body = world_body(model, name, false, x.x, x.y, thing->angle + change->angle);
    model->bodies[body].mass = 1 + i;
    model->bodies[body].inertia = 0.1 * s * s;
    model->bodies[body].spin = thing->spin / sqrt(s);
    add_shape(model, body, thing->kind, thing->width * s, thing->height * s, thing->radius * s);
    SpragStart start = {.kind = SPRAG_START_CONTACT, .slip_given = true};
    start.slip = thing->slip * sqrt(s);
    start.between[0] = (SpragSelector){SPRAG_SELECT_BODY, body, 0};
    start.between[1] = (SpragSelector){SPRAG_SELECT_BODY, thing->on_last ? body - 1 : 0, 0};
    assert_ok(model->context, sprag_model_add_start(model, &start, NULL));
}

static SpragModel *build_model(SpragContext *context, const Draft *draft, const Change *change)
{
    SpragModel *model = world_create(context);
    double s = change->scale;
    model->gravity[0] = 9.81 * sin(change->angle);
    model->gravity[1] = -9.81 * cos(change->angle);
    bool box = draft->ground == SPRAG_SHAPE_BOX;
    double c = cos(draft->tilt), t = sin(draft->tilt), down = box ? -0.25 : 0;
    SpragVec2 x = changed(change, -t * down, c * down);
    int ground = world_body(model, "ground", true, x.x, x.y, draft->tilt + change->angle);
    add_shape(model, ground, draft->ground, (box ? 24 : 1) * s, 0.5 * s, 0);
    SpragRule rule = {.friction = {true, draft->friction, draft->friction, 0}};
    assert_ok(context, sprag_model_add_rule(model, &rule, NULL));
    for (int i = 0; i < draft->count; i++)
        add_thing(model, draft, change, i);
    return model;
}

typedef struct Answer {
    SpragContactProblem problem;
    SpragContactState states[MOST_SLOTS];
    int slot_count;
} Answer;

static void answer(SpragContext *context, const Draft *draft, const Change *change, Answer *out)
{
    SpragModel *model = build_model(context, draft, change);
    SpragSystem *system = NULL;
    assert_ok(context, sprag_system_create_model(model, &system));
    double q[3 * MOST_BODIES], v[3 * MOST_BODIES];
    SpragContactKinematics kinematics[MOST_SLOTS];
    sprag_system_initial(system, q, v);
    SpragContactTolerances tolerances = sprag_system_tolerances(system, v);
    out->slot_count = sprag_system_contact_count(system);
    assert_true(out->slot_count <= MOST_SLOTS);
    assert_ok(context, sprag_system_kinematics(system, 0, q, v, &tolerances, kinematics));
    for (int i = 0; i < out->slot_count; i++)
        out->states[i] = kinematics[i].state;
    sprag_contact_problem_init(&out->problem, context);
    assert_ok(context, sprag_system_build_problem(system, 0, q, v, &tolerances, &out->problem));
    sprag_system_destroy(system);
    sprag_model_destroy(model);
}

static void compare(const Answer *a, const Answer *b)
{
    assert_int_equal(a->slot_count, b->slot_count);
    for (int i = 0; i < a->slot_count; i++)
        assert_int_equal(a->states[i], b->states[i]);
    assert_int_equal(a->problem.constraint_count, b->problem.constraint_count);
    assert_true(a->problem.constraint_count > 0);
    int rows = a->problem.row_count;
    double largest = 0;
    for (int i = 0; i < rows; i++)
        largest = fmax(largest, a->problem.W[i * rows + i]);
    for (int i = 0; i < a->problem.constraint_count; i++) {
        assert_string_equal(a->problem.constraints[i].name, b->problem.constraints[i].name);
        assert_int_equal(a->problem.constraints[i].sliding, b->problem.constraints[i].sliding);
    }
    // positions are rounded to 1e-16 of the shift, that is 1e-13 of a scaled length at worst
    for (int i = 0; i < rows * rows; i++)
        assert_close(a->problem.W[i], b->problem.W[i], 1e-10 * largest);
    for (int i = 0; i < rows; i++)
        assert_close(a->problem.b[i], b->problem.b[i], 1e-9);
}

static void test_change_of_frame_and_scale(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 11);
    SpragContext *context = test_context();
    for (int draw = 0; draw < test_draws(60); draw++) {
        Draft draft = draw_draft(&random);
        const Change same = {0, 1, {0, 0}};
        double scale = pow(10, sprag_random_uniform(&random, -4, 4));
        Change change = {sprag_random_uniform(&random, -3, 3),
                         scale,
                         {scale * sprag_random_uniform(&random, -9, 9), scale * 5}};
        Answer before, after;
        answer(context, &draft, &same, &before);
        answer(context, &draft, &change, &after);
        compare(&before, &after);
        sprag_contact_problem_destroy(&before.problem);
        sprag_contact_problem_destroy(&after.problem);
    }
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_change_of_frame_and_scale)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
