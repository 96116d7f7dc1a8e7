// Every allocation of placing and building fails once: an error with a message, nothing leaks
// (LeakSanitizer looks), and the next attempt works.
#include "support/allocator.h"
#include "support/space_model.h"
#include "unit/collide/world.h"

static SpragModel *build_model(SpragContext *context)
{
    const double line[] = {-5, 0, 0, 0, 5, 0};
    SpragModel *model = world_create(context);
    world_body(model, "ground", true, 0, 0, 0);
    world_body(model, "box", false, 0, 1, 0);
    world_body(model, "ball", false, 0.1, 3, 0);
    world_shape(model, 0, SPRAG_SHAPE_CHAIN, 3, line, 0);
    world_box(model, 1, 1, 1);
    world_circle(model, 2, 0, 0, 0.3);
    SpragRule rule = {.name = (char[]){"feet"}};
    rule.between[0] = (SpragSelector){SPRAG_SELECT_BODY, 1, 0};
    rule.between[1] = (SpragSelector){SPRAG_SELECT_BODY, 0, 0};
    assert_ok(context, sprag_model_add_rule(model, &rule, NULL));
    SpragStart feet = {.kind = SPRAG_START_CONTACT, .contact = (char[]){"feet"}};
    SpragStart top = {.kind = SPRAG_START_CONTACT, .contact = (char[]){"ball-box"}};
    assert_ok(context, sprag_model_add_start(model, &feet, NULL));
    assert_ok(context, sprag_model_add_start(model, &top, NULL));
    return model;
}

// A box that is set on a floor, and another on it: eight crossings of edges and no corner touch.
static SpragModel *build_space(SpragContext *context)
{
    const double I[6] = {0.2, 0.2, 0.2, 0, 0, 0};
    SpragModel *model = space_model(context);
    int floor = space_body(model, "floor", 0, NULL, sprag_vec3(0, 0, 0), space_no_turn());
    space_plane(model, floor, sprag_vec3(0, 0, 1));
    int low = space_body(model, "low", 1, I, sprag_vec3(0, 0, 0.5), space_no_turn());
    space_box(model, low, 1, 1, 1);
    SpragQuaternion turned = sprag_quaternion_exp(sprag_vec3(0, 0, 0.7));
    int high = space_body(model, "high", 1, I, sprag_vec3(0, 0, 1.5), turned);
    space_box(model, high, 1, 1, 1);
    SpragStart start = {.kind = SPRAG_START_CONTACT, .contact = (char[]){"low.c0-floor"}};
    start.slip_given = true;
    assert_ok(context, sprag_model_add_start(model, &start, NULL));
    return model;
}

static SpragStatus place_and_build(SpragContext *context, const SpragModel *model)
{
    SpragSystem *system = NULL;
    SpragContactProblem problem;
    double q[14], v[12];
    sprag_contact_problem_init(&problem, context);
    SpragStatus status = sprag_system_create_model(model, &system);
    if (status == SPRAG_OK) {
        sprag_system_initial(system, q, v);
        SpragContactTolerances tolerances = sprag_system_tolerances(system, v);
        status = sprag_system_build_problem(system, 0, q, v, &tolerances, &problem);
    }
    if (status == SPRAG_OK)
        assert_int_equal(problem.constraint_count, model->dimension == 3 ? 12 : 3);
    sprag_contact_problem_destroy(&problem);
    sprag_system_destroy(system);
    return status;
}

static void every_allocation_may_fail(SpragModel *(*build)(SpragContext *))
{
    CountingAllocator counter;
    SpragContext *context = starved_context(&counter, -1);
    SpragModel *model = build(context);
    long failures = 0;
    for (;; failures++) {
        starve(&counter, failures);
        SpragStatus status = place_and_build(context, model);
        starve(&counter, -1);
        if (status == SPRAG_OK)
            break;
        assert_int_equal(status, SPRAG_ERROR_MEMORY);
        assert_true(strlen(sprag_context_message(context)) > 0);
    }
    assert_true(failures > 20);
    sprag_model_destroy(model);
    sprag_context_destroy(context);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    every_allocation_may_fail(build_model);
    every_allocation_may_fail(build_space);
}

// Updates of a system in space ask for no memory once warm, but for the names of the eight contacts
// of edges, which are found anew.
static void test_warm_updates(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragModel *model = build_space(context);
    SpragSystem *system = space_system(model);
    SpragContactProblem problem;
    double q[14], v[12];
    uint64_t before = 0;
    sprag_contact_problem_init(&problem, context);
    for (int i = 0; i < 6; i++) {
        SpragBody body = model->bodies[2];
        if (i == 2)
            before = sprag_context_allocation_count(context);
        body.orientation = sprag_quaternion_exp(sprag_vec3(0, 0, 0.7 + 0.01 * (i % 2)));
        assert_ok(context, sprag_model_replace_body(model, 2, &body));
        assert_ok(context, sprag_system_update(system, false));
        sprag_system_initial(system, q, v);
        SpragContactTolerances tolerances = sprag_system_tolerances(system, v);
        assert_ok(context, sprag_system_build_problem(system, 0, q, v, &tolerances, &problem));
        assert_int_equal(problem.constraint_count, 12);
        assert_ok(context, sprag_system_update(system, true));
    }
    assert_true(sprag_context_allocation_count(context) <= before + 4 * 8);
    sprag_contact_problem_destroy(&problem);
    sprag_system_destroy(system);
    sprag_model_destroy(model);
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation_may_fail),
                                       cmocka_unit_test(test_warm_updates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
