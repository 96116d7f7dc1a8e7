// complementarity_planted.c: random LCPs with known or brute-forced solution sets: none, one,
// several, many, infinitely many; degenerate, singular, badly scaled.
#include "support/lcp_check.h"

typedef struct State {
    SpragContext *context;
    SpragLcpAll *all;
    SpragRandom random;
} State;

static int setup(void **state)
{
    static State s;
    s.context = test_context();
    assert_ok(s.context, sprag_lcp_all_create(s.context, &s.all));
    sprag_random_init(&s.random, 2024);
    *state = &s;
    return 0;
}

static int teardown(void **state)
{
    State *s = *state;
    sprag_lcp_all_destroy(s->all);
    sprag_context_destroy(s->context);
    return 0;
}

enum { N_MAX = 24 };

static void generic_problems_match_brute_force(void **state)
{
    State *s = *state;
    double M[14 * 14], q[14];
    for (int draw = 0; draw < test_draws(30); draw++) {
        int n = 2 + draw % 8;
        for (int k = 0; k < n * n; k++)
            M[k] = sprag_random_normal(&s->random);
        for (int k = 0; k < n; k++)
            q[k] = sprag_random_normal(&s->random);
        SpragLcp p = {n, M, q};
        check_against_brute(s->context, s->all, &p, false);
    }
}

static void large_ones_match_brute_force(void **state)
{
    State *s = *state;
    double M[14 * 14], q[14];
    for (int draw = 0; draw < test_draws(2); draw++) {
        int n = 11 + draw % 4;
        for (int k = 0; k < n * n; k++)
            M[k] = sprag_random_normal(&s->random);
        for (int k = 0; k < n; k++)
            q[k] = sprag_random_uniform(&s->random, -0.2, 1);
        SpragLcp p = {n, M, q};
        check_against_brute(s->context, s->all, &p, false);
    }
}

static void degenerate_problems_match_brute_force(void **state)
{
    // small whole numbers: singular bases, ties and continua are the rule
    State *s = *state;
    double M[36], q[6];
    for (int draw = 0; draw < test_draws(150); draw++) {
        int n = 2 + draw % 5, span = 1 + draw % 2;
        for (int k = 0; k < n * n; k++)
            M[k] = sprag_random_below(&s->random, 2 * span + 1) - span;
        for (int k = 0; k < n; k++)
            q[k] = sprag_random_below(&s->random, 2 * span + 1) - span;
        SpragLcp p = {n, M, q};
        check_against_brute(s->context, s->all, &p, true);
    }
}

static void low_rank_problems_match_brute_force(void **state)
{
    // M = B Bᵀ of rank 1 or 2 with q in its range or not: convex solution sets, often continua
    State *s = *state;
    double M[36], q[6];
    for (int draw = 0; draw < test_draws(40); draw++) {
        int n = 3 + draw % 4, rank = 1 + draw % 2;
        double B[6][2], y[2] = {sprag_random_normal(&s->random), sprag_random_normal(&s->random)};
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 2; k++)
                B[i][k] = k < rank ? sprag_random_below(&s->random, 7) - 3 : 0;
        for (int i = 0; i < n; i++) {
            q[i] = B[i][0] * y[0] + B[i][1] * y[1];
            for (int j = 0; j < n; j++)
                M[i * n + j] = B[i][0] * B[j][0] + B[i][1] * B[j][1];
        }
        SpragLcp p = {n, M, q};
        check_against_brute(s->context, s->all, &p, true);
        // the solution set of a semidefinite problem is convex: one piece or none
        assert_true(sprag_lcp_all_count(s->all) <= 1);
    }
}

static void scaling_changes_nothing(void **state)
{
    // rows and columns times powers of ten up to 1e±6: solutions scale, their number stays
    State *s = *state;
    double M[64], q[8], scaled_M[64], scaled_q[8], row[8], column[8];
    for (int draw = 0; draw < test_draws(30); draw++) {
        int n = 3 + draw % 6;
        for (int k = 0; k < n * n; k++)
            M[k] = sprag_random_normal(&s->random);
        for (int i = 0; i < n; i++) {
            q[i] = sprag_random_normal(&s->random);
            row[i] = pow(10, sprag_random_uniform(&s->random, -6, 6));
            column[i] = pow(10, sprag_random_uniform(&s->random, -6, 6));
        }
        for (int i = 0; i < n; i++) {
            scaled_q[i] = row[i] * q[i];
            for (int j = 0; j < n; j++)
                scaled_M[i * n + j] = row[i] * M[i * n + j] * column[j];
        }
        SpragLcp p = {n, M, q}, scaled = {n, scaled_M, scaled_q};
        assert_ok(s->context, sprag_lcp_all_solve(s->all, &p, NULL));
        int count = sprag_lcp_all_count(s->all);
        double *z = malloc((size_t)(count * n + 1) * sizeof *z);
        for (int k = 0; k < count; k++)
            memcpy(z + k * n, sprag_lcp_all_get(s->all, k)->z, (size_t)n * sizeof *z);
        assert_ok(s->context, sprag_lcp_all_solve(s->all, &scaled, NULL));
        assert_int_equal(sprag_lcp_all_count(s->all), count);
        for (int k = 0; k < count; k++) {
            const double *found = sprag_lcp_all_get(s->all, k)->z;
            double back[8];
            for (int i = 0; i < n; i++)
                back[i] = found[i] * column[i];
            int other = 0;
            while (other < count && !points_close(n, z + other * n, back))
                other++;
            assert_true(other < count);
        }
        free(z);
    }
}

// ---- Planted counts up to n = 24 ----------------------------------------------------------------

// Blocks with a known number of solutions.
static const struct {
    int n, count;
    double M[4], q[2];
} blocks[] = {{1, 1, {1}, {-1}},
              {1, 1, {1}, {1}},
              {1, 2, {-1}, {1}},
              {2, 3, {1, 2, 2, 1}, {-1, -1}},
              {2, 1, {2, 1, 1, 2}, {-5, -6}},
              {1, 0, {-1}, {-1}},
              {2, -1, {1, 1, 1, 1}, {-1, -1}}}; // −1: a segment

typedef struct Planted {
    int n, count;
    bool infinite;
    double M[N_MAX * N_MAX], q[N_MAX];
} Planted;

static void plant(Planted *planted, SpragRandom *random, int n, int kinds)
{
    memset(planted, 0, sizeof *planted);
    planted->n = n;
    planted->count = 1;
    int place[N_MAX], next = 0;
    for (int i = 0; i < n; i++)
        place[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = sprag_random_below(random, i + 1), held = place[i];
        place[i] = place[j];
        place[j] = held;
    }
    while (next < n) {
        int b = sprag_random_below(random, kinds);
        int size = blocks[b].n, count = blocks[b].count;
        if (next + size > n || (count > 1 && planted->count * count > 1000))
            continue;
        planted->infinite = planted->infinite || count < 0;
        planted->count *= count < 0 ? 1 : count;
        for (int i = 0; i < size; i++) {
            double scale = exp(sprag_random_uniform(random, -2, 2));
            planted->q[place[next + i]] = scale * blocks[b].q[i];
            for (int j = 0; j < size; j++)
                planted->M[place[next + i] * n + place[next + j]] =
                    scale * blocks[b].M[i * size + j];
        }
        next += size;
    }
}

// Couples the blocks: adds a multiple of w_j's row to w_i's where that changes no solution, that is
// where w_j = 0 in all of them: j in a block whose solutions have z_j > 0 always.
static void couple(Planted *planted, SpragRandom *random)
{
    int n = planted->n;
    for (int j = 0; j < n; j++) {
        bool alone = true;
        for (int k = 0; k < n; k++)
            alone = alone && (k == j || (planted->M[j * n + k] == 0 && planted->M[k * n + j] == 0));
        if (!alone || !(planted->M[j * n + j] > 0 && planted->q[j] < 0))
            continue;
        for (int i = 0; i < n; i++) {
            double factor = i == j ? 0 : sprag_random_uniform(random, -1, 1);
            planted->q[i] += factor * planted->q[j];
            for (int k = 0; k < n; k++)
                planted->M[i * n + k] += factor * planted->M[j * n + k];
        }
    }
}

static void planted_counts_are_found(void **state)
{
    State *s = *state;
    static Planted planted;
    for (int draw = 0; draw < test_draws(12); draw++) {
        int n = 6 + 2 * (draw % 10);
        plant(&planted, &s->random, n, draw % 3 == 0 ? 7 : draw % 3 == 1 ? 5 : 6);
        couple(&planted, &s->random);
        SpragLcp p = {n, planted.M, planted.q};
        assert_ok(s->context, sprag_lcp_all_solve(s->all, &p, NULL));
        assert_true(sprag_lcp_all_complete(s->all));
        if (sprag_lcp_all_count(s->all) != planted.count)
            print_error("n %d draw %d\n", n, draw);
        assert_int_equal(sprag_lcp_all_count(s->all), planted.count);
        SpragLcpVerdict verdict = planted.count == 0  ? SPRAG_LCP_VERDICT_NONE
                                  : planted.infinite  ? SPRAG_LCP_VERDICT_INFINITE
                                  : planted.count > 1 ? SPRAG_LCP_VERDICT_MULTIPLE
                                                      : SPRAG_LCP_VERDICT_UNIQUE;
        assert_int_equal(sprag_lcp_all_verdict(s->all), verdict);
    }
}

static void dense_planted_points_are_found(void **state)
{
    // q is chosen so that two given points solve: draw z, w complementary for both and M to match
    State *s = *state;
    enum { N = 18 };
    static double M[N * N];
    double q[N], a[N] = {0}, wa[N] = {0};
    for (int draw = 0; draw < test_draws(2); draw++) {
        for (int k = 0; k < N * N; k++)
            M[k] = sprag_random_normal(&s->random);
        for (int i = 0; i < N; i++) {
            a[i] = i % 2 ? sprag_random_uniform(&s->random, 0.5, 2) : 0;
            wa[i] = i % 2 ? 0 : sprag_random_uniform(&s->random, 0.5, 2);
        }
        for (int i = 0; i < N; i++) {
            q[i] = wa[i];
            for (int j = 0; j < N; j++)
                q[i] -= M[i * N + j] * a[j];
        }
        SpragLcp p = {N, M, q};
        assert_ok(s->context, sprag_lcp_all_solve(s->all, &p, NULL));
        assert_true(sprag_lcp_all_complete(s->all));
        int found = 0;
        for (int k = 0; k < sprag_lcp_all_count(s->all); k++)
            found += points_close(N, sprag_lcp_all_get(s->all, k)->z, a);
        assert_int_equal(found, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generic_problems_match_brute_force),
        cmocka_unit_test(large_ones_match_brute_force),
        cmocka_unit_test(degenerate_problems_match_brute_force),
        cmocka_unit_test(low_rank_problems_match_brute_force),
        cmocka_unit_test(scaling_changes_nothing),
        cmocka_unit_test(planted_counts_are_found),
        cmocka_unit_test(dense_planted_points_are_found),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
