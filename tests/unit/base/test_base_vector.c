// Rotations and symmetric matrices against Rodrigues' formula and their own definitions.
#include "support/test.h"

#include "sprag/base.h"

static SpragVec3 random_vector(SpragRandom *random)
{
    return sprag_vec3(sprag_random_uniform(random, -1, 1), sprag_random_uniform(random, -1, 1),
                      sprag_random_uniform(random, -1, 1));
}

static void assert_vectors(SpragVec3 a, SpragVec3 b, double tolerance)
{
    assert_close(a.x, b.x, tolerance);
    assert_close(a.y, b.y, tolerance);
    assert_close(a.z, b.z, tolerance);
}

// v turned about the unit axis k: v cos + (k × v) sin + k (k·v)(1 − cos).
static SpragVec3 rodrigues(SpragVec3 k, double angle, SpragVec3 v)
{
    SpragVec3 turned = sprag_vec3_scale(cos(angle), v);
    turned = sprag_vec3_along(turned, sin(angle), sprag_vec3_cross(k, v));
    return sprag_vec3_along(turned, sprag_vec3_dot(k, v) * (1 - cos(angle)), k);
}

static void test_rotations(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 31);
    static const double angles[] = {0, 1e-9, 1e-5, 1e-4, 2e-4, 0.5, 3, 3.14159265358979, 4, 6};
    for (int i = 0; i < test_draws(400); i++) {
        SpragVec3 axis = sprag_vec3_unit(random_vector(&random)), v = random_vector(&random);
        double angle = angles[i % 10];
        SpragQuaternion q = sprag_quaternion_exp(sprag_vec3_scale(angle, axis));
        SpragMat3 R = sprag_quaternion_matrix(q);
        SpragVec3 turned = rodrigues(axis, angle, v);
        assert_vectors(sprag_mat3_apply(&R, v), turned, 1e-14);
        assert_vectors(sprag_mat3_apply_back(&R, turned), v, 1e-14);
        SpragQuaternion back = sprag_quaternion_of(&R);
        SpragMat3 again = sprag_quaternion_matrix(back);
        assert_vectors(sprag_mat3_apply(&again, v), turned, 1e-14);
        assert_true(back.w >= 0);
        // two rotations after each other
        SpragQuaternion other = sprag_quaternion_exp(random_vector(&random));
        SpragMat3 S = sprag_quaternion_matrix(other);
        SpragMat3 both = sprag_quaternion_matrix(sprag_quaternion_product(other, q));
        assert_vectors(sprag_mat3_apply(&both, v), sprag_mat3_apply(&S, turned), 1e-14);
    }
}

// The rate of R v is ω × R v: by central differences of exact rotations, whose error is h² / 6.
static void test_rate(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 32);
    const double h = 1e-5;
    for (int i = 0; i < test_draws(100); i++) {
        SpragQuaternion q = sprag_quaternion_exp(random_vector(&random));
        SpragVec3 omega = random_vector(&random);
        SpragQuaternion rate = sprag_quaternion_rate(q, omega), ends[2];
        for (int k = 0; k < 2; k++)
            ends[k] = sprag_quaternion_product(
                sprag_quaternion_exp(sprag_vec3_scale(k ? h : -h, omega)), q);
        assert_close(rate.w, (ends[1].w - ends[0].w) / (2 * h), 1e-9);
        assert_close(rate.x, (ends[1].x - ends[0].x) / (2 * h), 1e-9);
        assert_close(rate.y, (ends[1].y - ends[0].y) / (2 * h), 1e-9);
        assert_close(rate.z, (ends[1].z - ends[0].z) / (2 * h), 1e-9);
    }
}

static void test_symmetric(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 33);
    for (int i = 0; i < test_draws(200); i++) {
        double wanted[3] = {1, 1 + (i % 3) * sprag_random_uniform(&random, 0, 1), 3 + i % 5};
        SpragMat3 D = {{wanted[0], 0, 0, 0, wanted[1], 0, 0, 0, wanted[2]}}, axes;
        SpragMat3 R = sprag_quaternion_matrix(sprag_quaternion_exp(random_vector(&random)));
        SpragMat3 A = sprag_mat3_turn(&R, &D);
        double values[3];
        sprag_mat3_principal(&A, values, &axes);
        for (int k = 0; k < 3; k++) {
            assert_close(values[k], wanted[k], 1e-13);
            SpragVec3 axis = sprag_mat3_column(&axes, k);
            assert_vectors(sprag_mat3_apply(&A, axis), sprag_vec3_scale(values[k], axis), 1e-13);
        }
        SpragVec3 x = sprag_mat3_column(&axes, 0), y = sprag_mat3_column(&axes, 1);
        assert_vectors(sprag_vec3_cross(x, y), sprag_mat3_column(&axes, 2), 1e-15);
        SpragMat3 B = sprag_mat3_inverse(&A), one = sprag_mat3_product(&A, &B);
        for (int k = 0; k < 9; k++)
            assert_close(one.m[k], k % 4 == 0, 1e-13);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rotations),
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_symmetric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
