// Several guides: against brute force, against the scalar problem for one guide, inverse then
// forward, borders.
#include "support/test.h"

enum { MOST = 3 };

typedef struct Drawn {
    double A[MOST * MOST], b[MOST], C[MOST * MOST], d[MOST], mu[MOST], v[MOST], tau[MOST];
    SpragGuides guides;
} Drawn;

static void draw_problem(SpragRandom *random, int n, Drawn *p)
{
    double L[MOST * MOST] = {0};
    for (int i = 0; i < n * n; i++) {
        L[i] = sprag_random_uniform(random, -1, 1);
        p->C[i] = sprag_random_uniform(random, -1, 1) + (i % (n + 1) == 0);
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            p->A[i * n + k] = i == k ? 0.5 : 0;
            for (int j = 0; j < n; j++)
                p->A[i * n + k] += L[i * n + j] * L[k * n + j];
        }
        p->b[i] = sprag_random_uniform(random, -2, 2);
        p->d[i] = sprag_random_uniform(random, -2, 2);
        p->mu[i] = sprag_random_uniform(random, 0, 2);
        p->v[i] = sprag_random_below(random, 3) - 1;
        p->tau[i] = sprag_random_uniform(random, -5, 5);
    }
    p->guides = (SpragGuides){.n = n,
                              .m = n,
                              .A = p->A,
                              .b = p->b,
                              .C = p->C,
                              .d = p->d,
                              .friction = p->mu,
                              .velocity = p->v,
                              .input = p->tau};
}

// Whether an acceleration obeys the laws: friction from the equations of motion, guide by guide.
static bool obeys(const Drawn *p, const double *q)
{
    int n = p->guides.n;
    for (int i = 0; i < n; i++) {
        double f = p->tau[i] - p->b[i], normal = p->d[i];
        for (int k = 0; k < n; k++) {
            f -= p->A[i * n + k] * q[k];
            normal += p->C[i * n + k] * q[k];
        }
        double slip = p->v[i] != 0 ? p->v[i] : fabs(q[i]) > 1e-9 ? q[i] : 0;
        double most = p->mu[i] * fabs(normal), slack = 1e-7 * (1 + fabs(f));
        if (slip != 0 ? fabs(f - copysign(most, slip)) > slack : fabs(f) > most + slack)
            return false;
    }
    return true;
}

// Gaussian elimination with partial pivoting.
static bool eliminate(int n, double *M, double *r)
{
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int i = c; i < n; i++)
            if (fabs(M[i * n + c]) > fabs(M[best * n + c]))
                best = i;
        if (fabs(M[best * n + c]) < 1e-9)
            return false;
        for (int k = 0; k < n; k++) {
            double keep = M[c * n + k];
            M[c * n + k] = M[best * n + k];
            M[best * n + k] = keep;
        }
        double keep = r[c];
        r[c] = r[best];
        r[best] = keep;
        for (int i = 0; i < n; i++) {
            double factor = i == c ? 0 : M[i * n + c] / M[c * n + c];
            for (int k = 0; k < n; k++)
                M[i * n + k] -= factor * M[c * n + k];
            r[i] -= factor * r[c];
        }
    }
    for (int i = 0; i < n; i++)
        r[i] /= M[i * n + i];
    return true;
}

// Number of different accelerations: guesses with friction coefficient ± mu F or q_i'' = 0 per
// coordinate, kept if they obey the laws.
static int brute(const Drawn *p, double found[][MOST])
{
    int n = p->guides.n, count = 0, cases = 1;
    for (int i = 0; i < n; i++)
        cases *= 3;
    for (int number = 0; number < cases; number++) {
        double M[MOST * MOST], q[MOST];
        for (int i = 0, rest = number; i < n; i++, rest /= 3) {
            double mu = p->mu[i] * (rest % 3 - 1);
            bool held = rest % 3 == 1;
            q[i] = held ? 0 : p->tau[i] - p->b[i] - mu * p->d[i];
            for (int k = 0; k < n; k++)
                M[i * n + k] = held ? i == k : p->A[i * n + k] + mu * p->C[i * n + k];
        }
        if (!eliminate(n, M, q) || !obeys(p, q))
            continue;
        bool known = false;
        for (int j = 0; j < count; j++) {
            double most = 0;
            for (int k = 0; k < n; k++)
                most = fmax(most, fabs(found[j][k] - q[k]));
            known |= most < 1e-6;
        }
        for (int k = 0; k < n && !known; k++)
            found[count][k] = q[k];
        count += !known;
    }
    return count;
}

static void test_random(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragArena *arena = NULL;
    SpragRandom random;
    int seen[12] = {0};
    assert_ok(context, sprag_arena_create(context, 4096, &arena));
    sprag_random_init(&random, 921);
    for (int draw = 0; draw < test_draws(1500); draw++) {
        Drawn p;
        double found[27][MOST];
        SpragGuidesVerdict verdict;
        SpragArenaMark mark = sprag_arena_mark(arena);
        draw_problem(&random, 1 + draw % MOST, &p);
        assert_ok(context, sprag_guides_check(context, &p.guides));
        assert_ok(context, sprag_guides_forward(context, arena, &p.guides, &verdict));
        int count = brute(&p, found), n = p.guides.n;
        assert_int_equal(verdict.motion_count, count);
        seen[count < 11 ? count : 11]++;
        for (int i = 0; i < count; i++) {
            double nearest = INFINITY;
            assert_true(obeys(&p, verdict.motions[i].acceleration));
            for (int k = 0; k < count; k++) {
                double most = 0;
                for (int j = 0; j < n; j++)
                    most = fmax(most, fabs(found[k][j] - verdict.motions[i].acceleration[j]));
                nearest = fmin(nearest, most);
            }
            assert_true(nearest < 1e-6);
        }
        sprag_arena_release(arena, mark);
    }
    assert_true(seen[0] && seen[1] && seen[2] && seen[3]);
    sprag_arena_destroy(arena);
    sprag_context_destroy(context);
}

// One guide is the scalar problem: counts, stability, eigenvalue (9.8), continuum.
static void test_one_guide(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragArena *arena = NULL;
    SpragRandom random;
    assert_ok(context, sprag_arena_create(context, 4096, &arena));
    sprag_random_init(&random, 922);
    for (int draw = 0; draw < test_draws(500); draw++) {
        SpragScalar s = {.a = sprag_random_uniform(&random, 0.1, 3),
                         .b = 0.5,
                         .c = sprag_random_uniform(&random, 0.1, 3),
                         .d = sprag_random_uniform(&random, -3, 3),
                         .friction = sprag_random_uniform(&random, 0, 3)};
        double v = sprag_random_below(&random, 3) - 1, tau = sprag_random_uniform(&random, -8, 8);
        if (draw == 0) { // mu = a/c at tau_cr
            s = (SpragScalar){.a = 1, .b = 0.5, .c = 1, .d = 2, .friction = 1};
            tau = -1.5;
            v = 1;
        }
        SpragGuides guides = {.n = 1,
                              .m = 1,
                              .A = &s.a,
                              .b = &s.b,
                              .C = &s.c,
                              .d = &s.d,
                              .friction = &s.friction,
                              .velocity = &v,
                              .input = &tau};
        double k = draw % 2 ? 400 : 0, damping = draw % 4 == 3 ? 3 : 0;
        s.stiffness = k;
        s.damping = damping;
        guides.stiffness = k > 0 ? &k : NULL;
        guides.damping = k > 0 ? &damping : NULL;
        SpragPair pair;
        SpragPairVerdict one;
        SpragGuidesVerdict several;
        SpragPairState at = {.velocity = v, .input = {tau, 0}};
        sprag_pair_of_scalar(&s, &pair);
        sprag_pair_forward(&pair, &at, NULL, &one);
        assert_ok(context, sprag_guides_forward(context, arena, &guides, &several));
        assert_int_equal(one.kind, several.kind);
        if (one.kind == SPRAG_VERDICT_INFINITE)
            continue;
        assert_int_equal(one.stable_count, several.stable_count);
        for (int i = 0; i < several.motion_count; i++) {
            const SpragGuidesMotion *motion = &several.motions[i];
            bool found = false;
            for (int j = 0; j < one.motion_count; j++) {
                // the layer of the pair, in the stretch of the guide: k v = (k/c) w
                double rate = one.motions[j].layer_rate * (k > 0 ? k : s.c);
                double growth = one.motions[j].growth, difference = motion->growth - growth;
                found |=
                    fabs(one.motions[j].acceleration[0] - motion->acceleration[0]) < 1e-8 &&
                    fabs(rate - motion->eigenvalues[0].real) < 1e-8 * (1 + fabs(rate)) &&
                    (k > 0 && growth > 0 ? fabs(difference) < 1e-8 * growth : !(difference > 1e-8));
            }
            assert_true(found);
            assert_int_equal(motion->sign[0] * motion->slip[0] != 0, motion->slip[0] != 0);
        }
    }
    sprag_arena_destroy(arena);
    sprag_context_destroy(context);
}

static void test_inverse(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragArena *arena = NULL;
    SpragRandom random;
    assert_ok(context, sprag_arena_create(context, 4096, &arena));
    int seen[4] = {0};
    sprag_random_init(&random, 923);
    for (int draw = 0; draw < test_draws(300); draw++) {
        Drawn p;
        double wanted[MOST];
        int free_count;
        SpragGuidesVerdict verdict;
        draw_problem(&random, 1 + draw % MOST, &p);
        // next to no friction: A q'' + b = τ has one answer, and it is realised
        bool smooth = draw % 4 == 3;
        for (int i = 0; i < p.guides.n; i++) {
            wanted[i] = sprag_random_uniform(&random, -3, 3);
            p.mu[i] *= smooth ? 1e-4 : 1;
        }
        sprag_guides_inverse(&p.guides, wanted, p.tau, &free_count);
        assert_int_equal(free_count, 0);
        assert_ok(context, sprag_guides_forward(context, arena, &p.guides, &verdict));
        bool found = false, stable = false;
        for (int i = 0; i < verdict.motion_count; i++) {
            double most = 0;
            for (int k = 0; k < p.guides.n; k++)
                most = fmax(most, fabs(verdict.motions[i].acceleration[k] - wanted[k]));
            found |= most < 1e-7;
            stable |= most < 1e-7 && verdict.motions[i].stable;
        }
        assert_true(found);
        int others = verdict.stable_count - stable;
        SpragRealised realised;
        assert_ok(context,
                  sprag_guides_realise(context, arena, &p.guides, wanted, p.tau, &realised));
        assert_int_equal(realised, !stable  ? SPRAG_REALISED_UNSTABLE
                                   : others ? SPRAG_REALISED_AMONG
                                            : SPRAG_REALISED_YES);
        assert_true(!smooth || realised == SPRAG_REALISED_YES);
        seen[realised]++;
    }
    assert_true(seen[SPRAG_REALISED_YES] > 0 && seen[SPRAG_REALISED_AMONG] > 0 &&
                seen[SPRAG_REALISED_UNSTABLE] > 0);
    sprag_arena_destroy(arena);
    sprag_context_destroy(context);
}

static void test_bad(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragRandom random;
    Drawn p;
    sprag_random_init(&random, 924);
    draw_problem(&random, 2, &p);
    p.mu[1] = -1;
    assert_int_equal(sprag_guides_check(context, &p.guides), SPRAG_ERROR_INPUT);
    p.mu[1] = 1;
    p.A[1] += 1;
    assert_int_equal(sprag_guides_check(context, &p.guides), SPRAG_ERROR_INPUT);
    p.A[1] = p.A[2] = 100;
    assert_int_equal(sprag_guides_check(context, &p.guides), SPRAG_ERROR_INPUT);
    p.guides.m = 3;
    assert_int_equal(sprag_guides_check(context, &p.guides), SPRAG_ERROR_INPUT);
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_one_guide),
        cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_bad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
