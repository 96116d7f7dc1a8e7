// test_friction_few_digits.c: what the default does where few digits are wanted, and with many
// contacts, theory.md 11.9: sweeps over packets before any path. The judge is the residual, which
// shares no code with them.
#include "friction_packets.h"
#include "support/friction_bench.h"

static void solve(Bench *bench, const SpragFrictionProblem *problem, double tolerance)
{
    SpragFrictionSettings settings = sprag_friction_default();
    settings.tolerance = tolerance;
    assert_ok(bench->context, sprag_friction_solve(bench->workspace, problem, &settings, bench->r,
                                                   bench->u, &bench->info));
    sprag_friction_velocity(problem, bench->r, bench->known, bench->velocity);
    double natural = sprag_friction_natural(problem, bench->r, bench->known);
    assert_close(natural, bench->info.residual.natural, 1e-9 * natural);
    assert_true((bench->info.status == SPRAG_FRICTION_SOLVED) ==
                (natural <= tolerance * (1 + 1e-6)));
}

// Arms of the first body of each contact become longer by this part of them.
static void lengthen(FrictionScene *scene, double by)
{
    for (int i = 0; i < scene->problem.contact_count; i++)
        for (int a = 0; a < 3; a++)
            for (int k = 3; k < 6; k++)
                scene->jacobian[36 * i + 6 * a + k] *= 1 + by;
}

// Points of contact off the middle between two balls that overlap leave W_ii nearly diagonal:
// sweeps over packets take them, with a bound that is as little off. Contacts of other bodies have
// a W_ii that is far from it, and are not taken.
static void balls_that_overlap_are_balls(void **state)
{
    (void)state;
    Bench *bench = bench_new();
    for (int kind = 0; kind < 2; kind++) {
        FrictionScene *scene = friction_scene_balls(4, 0.5, 0.05, 300);
        int done;
        double start;
        if (kind == 0)
            lengthen(scene, 0.03);
        for (int i = 0; kind == 1 && i < scene->problem.contact_count; i++)
            for (int k = 3; k < 6; k++) // normals get arms
                scene->jacobian[36 * i + k] = 0.5;
        memset(bench->r, 0, sizeof bench->r);
        assert_ok(bench->context, packets_solve(bench->workspace, &scene->problem, NULL, 3000, 1e-3,
                                                bench->r, NULL, &done, &start));
        assert_true(kind == 0 ? done > 0 : done < 0);
        if (kind == 0) {
            sprag_friction_velocity(&scene->problem, bench->r, bench->u, bench->velocity);
            assert_true(sprag_friction_natural(&scene->problem, bench->r, bench->u) <= 1e-3);
        }
        free(scene);
    }
    bench_free(bench);
}

// Sweeps with changes of a part of their size have the same fixed points: what one kind has found
// to single precision the other leaves.
static void eased_sweeps_end_where_others_do(void **state)
{
    (void)state;
    Bench *bench = bench_new();
    static const double ease[2] = {0.3, 1};
    FrictionScene *scene = friction_scene_balls(3, 0.3, 0.02, 12);
    size_t rows = 3 * (size_t)scene->problem.contact_count;
    double *end = calloc(rows, sizeof *end), start;
    int done;
    assert_non_null(end);
    assert_ok(bench->context, packets_solve(bench->workspace, &scene->problem, ease, 40000, 1e-5,
                                            bench->r, end, &done, &start));
    assert_true(done > 0);
    assert_ok(bench->context, packets_solve(bench->workspace, &scene->problem, NULL, 1000, 1.1e-5,
                                            bench->r, end, &done, &start));
    assert_int_equal(done, 0);
    assert_true(start <= 1.1e-5);
    for (size_t k = 0; k < rows;
         k++) // no sweep was made: the end is the start, to single precision
        assert_close(end[k], bench->r[k], 1e-7 * fabs(bench->r[k]));
    free(end);
    free(scene);
    bench_free(bench);
}

// Balls on a floor that do not touch each other: one sweep gives each e_N of its -q_N/w, and e_T of
// what would stop its slip as far as that is within the cone, theory.md (11.57).
static void visits_make_their_share(void **state)
{
    (void)state;
    enum { SIDE = 6 };
    static const double round[3] = {0.3873, 0.3873, 0.3873}, up[3] = {0, 0, 1};
    static const double eases[][2] = {{1, 1}, {0.3, 1}, {0.7, 0.2}};
    Bench *bench = bench_new();
    FrictionScene *scene = friction_scene_new(3);
    for (int i = 0; i < SIDE * SIDE; i++) {
        int body = friction_scene_body(scene, 1, round, 2 * (i % SIDE), 2 * (i / SIDE), 0.5);
        scene->velocity[6 * body] += 0.01 * i; // some slip off their cones
        friction_scene_touch(scene, body, -1, up, 0.5, 0.5);
    }
    for (size_t k = 0; k < sizeof eases / sizeof *eases; k++) {
        double end[3 * SIDE * SIDE], start;
        int done;
        memset(bench->r, 0, sizeof bench->r);
        assert_ok(bench->context, packets_solve(bench->workspace, &scene->problem, eases[k], 1,
                                                1e-9, bench->r, end, &done, &start));
        assert_int_equal(done, 1);
        sprag_friction_velocity(&scene->problem, bench->known, bench->u, bench->velocity); // r = 0
        for (int i = 0; i < SIDE * SIDE; i++) {
            const double *u = bench->u + 3 * i, w = 1, w_t = 1 + 0.25 / 0.1; // 1/m, and ρ²/I
            double normal = -eases[k][0] * u[0] / w, stop = eases[k][1] * hypot(u[1], u[2]) / w_t;
            assert_close(end[3 * i], normal, 1e-6 * normal);
            assert_close(hypot(end[3 * i + 1], end[3 * i + 2]), fmin(stop, 0.5 * normal),
                         1e-4 * normal); // I is given to four digits
        }
    }
    free(scene);
    bench_free(bench);
}

// Loose piles that took hundreds of factorisations to 1e-4: Newton's method is tried once, in vain.
static void few_digits_take_sweeps(void **state)
{
    (void)state;
    enum { HASTY = 10 };
    Bench *bench = bench_new();
    int few = 0, count = test_draws(2);
    for (int draw = 0; draw < count; draw++) {
        FrictionScene *scene = friction_scene_balls(5, 0.8, 0.02, 902 + (uint64_t)draw);
        lengthen(scene, 0.01);
        solve(bench, &scene->problem, 1e-4);
        assert_int_equal(bench->info.status, SPRAG_FRICTION_SOLVED);
        few += bench->info.factorizations <= HASTY;
        free(scene);
    }
    assert_true(few >= count - count / 4);
    bench_free(bench);
}

// More contacts than flows are followed for: wandering sweeps come close, and what is left is said.
static void large_piles_come_close(void **state)
{
    (void)state;
    Bench *bench = bench_new();
    FrictionScene *scene = friction_scene_balls(7, 0.5, 0.05, 17);
    assert_true(scene->problem.contact_count > 600);
    solve(bench, &scene->problem, test_draws(1) > 1 ? 1e-8 : 1e-4);
    assert_true(bench->info.residual.natural <= 1e-4);
    free(scene);
    bench_free(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_that_overlap_are_balls),
        cmocka_unit_test(eased_sweeps_end_where_others_do),
        cmocka_unit_test(visits_make_their_share),
        cmocka_unit_test(few_digits_take_sweeps),
        cmocka_unit_test(large_piles_come_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
