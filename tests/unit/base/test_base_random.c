// Random numbers: the published sequence, reproducibility, moments.
#include "support/test.h"

// xoshiro256** from the state (1, 2, 3, 4): the first values follow from its definition by hand:
// rotl(2·5, 7)·9 = 1280·9; then s1 = 2⊕(3⊕1) = 0, and so on.
static void test_sequence(void **state)
{
    (void)state;
    SpragRandom random = {{1, 2, 3, 4}};
    static const uint64_t expected[] = {11520, 0, 1509978240, 1215971899390074240};
    for (int i = 0; i < 4; i++)
        assert_true(sprag_random_bits(&random) == expected[i]);
    // splitmix64 of seed 0 starts with this value (the constant of its authors' test vectors)
    sprag_random_init(&random, 0);
    assert_true(random.state[0] == 0xe220a8397b1dcdafu);
}

static void test_seed(void **state)
{
    (void)state;
    SpragRandom a, b, c;
    sprag_random_init(&a, 12345);
    sprag_random_init(&b, 12345);
    sprag_random_init(&c, 12346);
    int equal = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t bits = sprag_random_bits(&a);
        assert_true(bits == sprag_random_bits(&b));
        equal += bits == sprag_random_bits(&c);
    }
    assert_int_equal(equal, 0);
}

// Each moment must lie within six standard deviations of its own sampling error: with a fixed seed
// it either does or not, and a wrong generator is off by far more.
static void test_moments(void **state)
{
    (void)state;
    enum { N = 200000 };
    SpragRandom random;
    sprag_random_init(&random, 99);
    double sum = 0, squares = 0, normal[5] = {0};
    for (int i = 0; i < N; i++) {
        double u = sprag_random_uniform(&random, 0, 1), z = sprag_random_normal(&random), p = 1;
        sum += u;
        squares += (u - 0.5) * (u - 0.5);
        for (int k = 0; k < 5; k++, p *= z)
            normal[k] += p / N;
    }
    double unit = 6 / sqrt(N);
    assert_close(sum / N, 0.5, unit * sqrt(1.0 / 12));
    assert_close(squares / N, 1.0 / 12, unit * sqrt(1.0 / 180)); // var of (u − ½)² is 1/180
    assert_close(normal[1], 0, unit);
    assert_close(normal[2], 1, unit * sqrt(2));
    assert_close(normal[3], 0, unit * sqrt(15));
    assert_close(normal[4], 3, unit * sqrt(96)); // E z⁸ − 9 = 105 − 9
}

static void test_ranges(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 3);
    int seen[7] = {0};
    for (int i = 0; i < 70000; i++) {
        int k = sprag_random_below(&random, 7);
        assert_true(k >= 0 && k < 7);
        seen[k]++;
        double u = sprag_random_uniform(&random, -3, 2);
        assert_true(u >= -3 && u < 2);
        // an interval of one rounding unit: the open end must not be reached by rounding
        double tight = sprag_random_uniform(&random, 1, nextafter(1, 2));
        assert_true(tight == 1);
    }
    for (int k = 0; k < 7; k++) // six standard deviations of a binomial count
        assert_close(seen[k], 10000, 6 * sqrt(70000 * (1.0 / 7) * (6.0 / 7)));
    for (int i = 0; i < 1000; i++)
        assert_int_equal(sprag_random_below(&random, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sequence), cmocka_unit_test(test_seed),
                                       cmocka_unit_test(test_moments),
                                       cmocka_unit_test(test_ranges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
