// Friction at rest in space with given normal forces, theory.md (10.35): the conditions of the
// convex problem hold, whatever the contacts of a body leave open.
#include <math.h>

#include "impact_friction.h"
#include "support/test.h"

enum { MOST = 6, ROWS = 3 * MOST };

// W of points on a body: mass 1, a random inertia; in a plane or anywhere, some twice, or as good
// as that: `apart` (m) from each other.
static void draw_matrix(SpragRandom *random, int count, double apart, double *W)
{
    double J[ROWS][6], inverse[6] = {1, 1, 1};
    int n = 3 * count, flat = sprag_random_below(random, 2);
    for (int k = 3; k < 6; k++)
        inverse[k] = pow(10, sprag_random_uniform(random, 0, 3));
    double x[3] = {0};
    for (int i = 0; i < count; i++) {
        bool twin = i > 0 && sprag_random_below(random, 4) == 0;
        for (int k = 0; k < 3 && !twin; k++)
            x[k] = flat && k == 2 ? -0.1 : sprag_random_uniform(random, -0.2, 0.2);
        for (int k = 0; k < 3 && twin; k++)
            x[k] += apart * sprag_random_uniform(random, -1, 1);
        // rows: z, x, y
        for (int r = 0; r < 3; r++) {
            double e[3] = {r == 1, r == 2, r == 0}, *row = J[3 * i + r];
            for (int k = 0; k < 3; k++) {
                row[k] = e[k];
                row[3 + k] = x[(k + 1) % 3] * e[(k + 2) % 3] - x[(k + 2) % 3] * e[(k + 1) % 3];
            }
        }
    }
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            W[a * n + b] = 0;
            for (int k = 0; k < 6; k++)
                W[a * n + b] += J[a][k] * inverse[k] * J[b][k];
        }
}

// Each is at rest, or at its bound and against its slip; to 1e-10 of the terms that slip rates and
// forces are made of, which is a hundred times what the method stops at.
static void check(int count, const double *W, const double *bound, const double *rate)
{
    int n = 3 * count;
    double size = 0, g[ROWS];
    for (int r = 0; r < n; r++) {
        double terms = 0;
        g[r] = 0;
        for (int k = 0; k < n; k++) {
            g[r] += W[r * n + k] * rate[k];
            terms += fabs(W[r * n + k] * rate[k]);
        }
        size = fmax(size, terms);
    }
    for (int i = 0; i < count; i++) {
        const double *f = rate + 3 * i + 1, *slip = g + 3 * i + 1;
        double speed = hypot(slip[0], slip[1]);
        // beside larger ones a small force is known to some roundings of the slip rates over W
        double own = fmax(W[(3 * i + 1) * (n + 1)], W[(3 * i + 2) * (n + 1)]);
        double known = 1e-14 * size / own;
        assert_true(hypot(f[0], f[1]) <= bound[i] * (1 + 1e-12) + known);
        for (int k = 0; k < 2; k++)
            assert_close(f[k] * speed + bound[i] * slip[k], 0,
                         1e-10 * size * bound[i] + known * speed);
    }
}

static void draw_conditions(int draws, double apart)
{
    SpragRandom random;
    SpragContext *context = test_context();
    SpragArena *arena = NULL;
    assert_ok(context, sprag_arena_create(context, 0, &arena));
    sprag_random_init(&random, 77);
    for (int draw = 0; draw < draws; draw++) {
        SpragArenaMark mark = sprag_arena_mark(arena);
        int count = 2 + sprag_random_below(&random, MOST - 1);
        double W[ROWS * ROWS], rate[ROWS], bound[MOST];
        ImpactFriction friction;
        draw_matrix(&random, count, apart, W);
        assert_ok(context, impact_friction_create(arena, count, &friction));
        for (int i = 0; i < count; i++) {
            // some have hardly begun to press
            int scale = sprag_random_below(&random, 4) == 0 ? 6 : 0;
            rate[3 * i] = sprag_random_uniform(&random, 0.1, 1) * pow(10, -scale);
            bound[i] = sprag_random_uniform(&random, 0.05, 1.2) * rate[3 * i];
            impact_friction_add(&friction, 3 * i + 1, 2, bound[i]);
        }
        impact_friction_solve(&friction, 3 * count, W, rate);
        check(count, W, bound, rate);
        sprag_arena_release(arena, mark);
    }
    sprag_arena_destroy(arena);
    sprag_context_destroy(context);
}

static void test_conditions(void **state)
{
    (void)state;
    draw_conditions(test_draws(400), 0);
}

// Contacts so close to each other that their rows all but depend on each other.
static void test_close_contacts(void **state)
{
    (void)state;
    draw_conditions(test_draws(100), 1e-5);
}

// Interior points from f = 0, where nothing tells the borders: the conditions of a strictly convex
// problem, H f + q + s f = 0 with s ≥ 0 and s = 0 inside, to what its terms are rounded to.
static void test_interior(void **state)
{
    (void)state;
    enum { DISCS = 3, N = 2 * DISCS };
    SpragRandom random;
    sprag_random_init(&random, 78);
    for (int draw = 0; draw < test_draws(200); draw++) {
        double H[N * N], q[N], f[N] = {0}, bound[DISCS], B[N][N], M[N * N], work[2 * DISCS + N];
        int size[DISCS] = {2, 2, 2};
        double slope = 0;
        for (int i = 0; i < N; i++) {
            q[i] = sprag_random_uniform(&random, -1, 1);
            bound[i / 2] = sprag_random_uniform(&random, 0.05, 1);
            for (int k = 0; k < N; k++)
                B[i][k] = k < 4 ? sprag_random_uniform(&random, -1, 1) : 0; // of rank four
        }
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                H[i * N + j] = i == j ? 1e-6 : 0;
                for (int k = 0; k < N; k++)
                    H[i * N + j] += B[i][k] * B[j][k];
                slope = fmax(slope, fabs(H[i * N + j]) + 1);
            }
        ImpactDiscs discs = {DISCS, N, size, H, q, bound, slope, f};
        impact_discs_minimise(&discs, M, work);
        for (int i = 0; i < DISCS; i++) {
            double g[2], *own = f + 2 * i;
            for (int k = 0; k < 2; k++) {
                g[k] = q[2 * i + k];
                for (int j = 0; j < N; j++)
                    g[k] += H[(2 * i + k) * N + j] * f[j];
            }
            double force = hypot(own[0], own[1]), rate = hypot(g[0], g[1]);
            assert_true(force <= bound[i] * (1 + 1e-12));
            for (int k = 0; k < 2; k++)
                assert_close(own[k] * rate + bound[i] * g[k], 0, 1e-11 * slope);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_conditions),
                                       cmocka_unit_test(test_close_contacts),
                                       cmocka_unit_test(test_interior)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
