// Random scenes of awkward shapes (no length, no radius, coinciding corners, absurd sizes): no NaN,
// unit normals, placing ends with success or one clear error, and what it returns does not overlap.
#include "unit/collide/world.h"

enum { MOST_BODIES = 4, MOST_VERTICES = 5 };

// A coordinate from a coarse grid, so that features often coincide or line up.
static double grid(SpragRandom *random, double scale)
{
    return scale * (sprag_random_below(random, 5) - 2) / 2.0;
}

// Convex, counter-clockwise, sometimes with a side of no length.
static void add_polygon(SpragModel *model, int body, SpragRandom *random, double scale)
{
    double xy[2 * MOST_VERTICES];
    int count = 3 + sprag_random_below(random, 3);
    double turn = sprag_random_below(random, 4) * 0.785398163397448;
    for (int i = 0; i < count; i++) {
        double angle = turn + 6.283185307179586 * i / count;
        xy[2 * i] = scale * cos(angle);
        xy[2 * i + 1] = scale * sin(angle);
    }
    if (sprag_random_below(random, 4) == 0) {
        xy[2] = xy[0];
        xy[3] = xy[1];
    }
    world_shape(model, body, SPRAG_SHAPE_POLYGON, count, xy, 0);
}

static void add_shape(SpragModel *model, int body, bool fixed, SpragRandom *random, double scale)
{
    double xy[2 * MOST_VERTICES];
    for (int i = 0; i < 2 * MOST_VERTICES; i++)
        xy[i] = grid(random, scale);
    double radius = scale * sprag_random_below(random, 3) / 2;
    int chain;
    switch (sprag_random_below(random, fixed ? 8 : 6)) {
    case 0:
        world_circle(model, body, xy[0], xy[1], radius);
        break;
    case 1:
        world_shape(model, body, SPRAG_SHAPE_CAPSULE, 2, xy, radius);
        break;
    case 2:
        world_box(model, body, scale, scale * (1 + sprag_random_below(random, 3)));
        break;
    case 3:
        add_polygon(model, body, random, scale);
        break;
    case 4:
        world_rod(model, body, scale * sprag_random_below(random, 3));
        break;
    case 5:
        world_shape(model, body, SPRAG_SHAPE_POINTS, 1 + sprag_random_below(random, 5), xy, 0);
        break;
    case 6:
        world_plane(model, body, grid(random, 1), grid(random, scale));
        break;
    default:
        chain =
            world_shape(model, body, SPRAG_SHAPE_CHAIN, 2 + sprag_random_below(random, 4), xy, 0);
        model->shapes[chain].closed =
            model->shapes[chain].vertex_count > 2 && sprag_random_below(random, 2);
        break;
    }
}

static SpragModel *draw_model(SpragContext *context, SpragRandom *random)
{
    static const double scales[] = {1, 1, 1e-12, 1e12};
    SpragModel *model = world_create(context);
    double scale = scales[sprag_random_below(random, 4)];
    int count = 2 + sprag_random_below(random, MOST_BODIES - 1);
    for (int i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        bool fixed = sprag_random_below(random, 3) == 0;
        world_body(model, name, fixed, grid(random, 2 * scale), grid(random, 2 * scale),
                   grid(random, 1.5707963267948966));
        model->bodies[i].inertia = scale * scale;
        model->bodies[i].angle_given = sprag_random_below(random, 2);
        model->bodies[i].spin = grid(random, 1);
        for (int k = 0; k <= sprag_random_below(random, 2); k++)
            add_shape(model, i, fixed, random, scale);
    }
    for (int i = 0; i < sprag_random_below(random, 3); i++) {
        SpragStart start = {.kind = SPRAG_START_CONTACT, .slip_given = true};
        for (int k = 0; k < 2; k++)
            start.between[k] =
                (SpragSelector){SPRAG_SELECT_BODY, sprag_random_below(random, count), 0};
        assert_ok(context, sprag_model_add_start(model, &start, NULL));
    }
    return model;
}

static void check_gap(const SpragCollider *collider, int slot, const double *pose,
                      const double *rate)
{
    SpragGap gap;
    sprag_collider_gap(collider, slot, pose, rate, &gap);
    assert_false(isnan(gap.gap));
    assert_true(gap.gap > -INFINITY);
    if (gap.gap == INFINITY)
        return;
    assert_close(hypot(gap.normal.x, gap.normal.y), 1, 1e-12);
    assert_true(isfinite(gap.gap_rate) && isfinite(gap.slip) && isfinite(gap.bias_normal) &&
                isfinite(gap.bias_tangential));
}

static void check_collider(const SpragModel *model, SpragRandom *random)
{
    double pose[3 * MOST_BODIES], rate[3 * MOST_BODIES], depth;
    int slot;
    for (int i = 0; i < 3 * MOST_BODIES; i++)
        rate[i] = grid(random, 1);
    SpragCollider *collider = world_collider(model, pose);
    for (int i = 0; i < sprag_collider_slot_count(collider); i++)
        check_gap(collider, i, pose, rate);
    if (sprag_collider_find_overlap(collider, pose, 0, &slot, &depth))
        assert_true(depth > 0 && isfinite(depth));
    sprag_collider_destroy(collider);
}

static void check_placed(SpragSystem *system, const SpragModel *model)
{
    SpragContext *context = model->context;
    double q[3 * MOST_BODIES], v[3 * MOST_BODIES], pose[3 * MOST_BODIES], depth;
    sprag_system_initial(system, q, v);
    world_pose(model, pose);
    for (int i = 0; i < model->body_count; i++) {
        int at = sprag_system_body_coordinate(system, i);
        for (int k = 0; at >= 0 && k < 3; k++) {
            assert_true(isfinite(q[at + k]) && isfinite(v[at + k]));
            pose[3 * i + k] = q[at + k];
        }
    }
    SpragContactTolerances tolerances = sprag_system_tolerances(system, v);
    int slot;
    // closing the small gaps moves bodies by less than a few tolerances
    assert_false(sprag_collider_find_overlap(sprag_system_collider(system), pose,
                                             4 * tolerances.gap, &slot, &depth));
    SpragContactProblem problem;
    sprag_contact_problem_init(&problem, context);
    assert_ok(context, sprag_system_build_problem(system, 0, q, v, &tolerances, &problem));
    for (int i = 0; i < problem.row_count; i++)
        assert_true(isfinite(problem.b[i]) && isfinite(problem.W[i * problem.row_count + i]));
    sprag_contact_problem_destroy(&problem);
}

static void test_awkward_scenes(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 21);
    SpragContext *context = test_context();
    int placed = 0;
    for (int draw = 0; draw < test_draws(400); draw++) {
        SpragModel *model = draw_model(context, &random);
        check_collider(model, &random);
        SpragSystem *system = NULL;
        SpragStatus status = sprag_system_create_model(model, &system);
        if (status == SPRAG_OK) {
            check_placed(system, model);
            placed++;
        } else {
            assert_int_equal(status, SPRAG_ERROR_INPUT);
        }
        sprag_system_destroy(system);
        sprag_model_destroy(model);
    }
    assert_true(placed > 20);
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_awkward_scenes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
