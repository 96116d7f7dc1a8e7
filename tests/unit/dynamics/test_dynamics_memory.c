// Every allocation of placing and building fails once: an error with a message, nothing leaks
// (LeakSanitizer looks), and the next attempt works.
#include "unit/collide/world.h"

// Counts down to one failure; negative: never.
typedef struct Budget {
    long left;
} Budget;

static void *limited(void *pointer, size_t size, void *user)
{
    Budget *budget = user;
    if (size == 0) {
        free(pointer);
        return NULL;
    }
    if (budget->left == 0)
        return NULL;
    if (budget->left > 0)
        budget->left--;
    return realloc(pointer, size);
}

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

static SpragStatus place_and_build(SpragContext *context, const SpragModel *model)
{
    SpragSystem *system = NULL;
    SpragContactProblem problem;
    double q[6], v[6];
    sprag_contact_problem_init(&problem, context);
    SpragStatus status = sprag_system_create_model(model, &system);
    if (status == SPRAG_OK) {
        sprag_system_initial(system, q, v);
        SpragContactTolerances tolerances = sprag_system_tolerances(system, v);
        status = sprag_system_build_problem(system, 0, q, v, &tolerances, &problem);
    }
    if (status == SPRAG_OK)
        assert_int_equal(problem.constraint_count, 3);
    sprag_contact_problem_destroy(&problem);
    sprag_system_destroy(system);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    Budget budget = {-1};
    SpragContextSettings settings = sprag_context_default();
    settings.allocator = limited;
    settings.allocator_user = &budget;
    SpragContext *context = NULL;
    assert_int_equal(sprag_context_create(&settings, &context), SPRAG_OK);
    SpragModel *model = build_model(context);
    long failures = 0;
    for (;; failures++) {
        budget.left = failures;
        SpragStatus status = place_and_build(context, model);
        budget.left = -1;
        if (status == SPRAG_OK)
            break;
        assert_int_equal(status, SPRAG_ERROR_MEMORY);
        assert_true(strlen(sprag_context_message(context)) > 0);
    }
    assert_true(failures > 20);
    sprag_model_destroy(model);
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
