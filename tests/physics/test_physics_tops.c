// Tops: the free asymmetric one against elliptic functions, the heavy one on its tip against its
// steady precession.
#include "space.h"

// Jacobi's sn, cn, dn of u at the parameter m, by descending Landen transformations.
static void jacobi(double u, double m, double *sn, double *cn, double *dn)
{
    double a[32] = {1}, c[32] = {sqrt(m)}, b = sqrt(1 - m), phi;
    int n = 0;
    while (fabs(c[n]) > 1e-16 && n < 30) {
        a[n + 1] = 0.5 * (a[n] + b);
        c[n + 1] = 0.5 * (a[n] - b);
        b = sqrt(a[n] * b);
        n++;
    }
    phi = ldexp(a[n] * u, n);
    for (; n > 0; n--)
        phi = 0.5 * (phi + asin(c[n] * sin(phi) / a[n]));
    *sn = sin(phi);
    *cn = cos(phi);
    *dn = sqrt(1 - m * *sn * *sn);
}

static SpragVec3 body_frame(const double *q, SpragVec3 v)
{
    SpragMat3 R = sprag_quaternion_matrix((SpragQuaternion){q[3], q[4], q[5], q[6]});
    return sprag_mat3_apply_back(&R, v);
}

// A thousand turns: energy and angular momentum to 1e-9, the spin to what its phase then is.
static void free_top(void **state)
{
    (void)state;
    const double I[3] = {1, 2, 2.7}, w[3] = {0.3, 0.4, 5};
    Space s;
    space_begin(&s, 0, 0, 0);
    SpragBody top = space_body("top", 1.5, I[0], I[1], I[2]);
    for (int k = 0; k < 3; k++)
        top.angular[k] = w[k];
    space_add(&s, &top);
    double turns = 1000, until = turns * 2 * PHYSICS_PI / 5;
    space_go(&s, SPRAG_MOTION_EVENTS, until, 1e-13);
    assert_int_equal(s.r.outcome, SPRAG_RUN_DONE);
    const double *q = sprag_run_position(s.r.run), *v = sprag_run_velocity(s.r.run);
    SpragVec3 omega = body_frame(q, sprag_vec3_of(v + 3));
    double o[3] = {omega.x, omega.y, omega.z}, E = 0, E0 = 0, size = 0;
    SpragMat3 R = sprag_quaternion_matrix((SpragQuaternion){q[3], q[4], q[5], q[6]});
    SpragVec3 L = sprag_mat3_apply(&R, sprag_vec3(I[0] * omega.x, I[1] * omega.y, I[2] * omega.z));
    double L0[3], l[3] = {L.x, L.y, L.z};
    for (int k = 0; k < 3; k++) {
        E += 0.5 * I[k] * o[k] * o[k];
        E0 += 0.5 * I[k] * w[k] * w[k];
        L0[k] = I[k] * w[k];
        size += L0[k] * L0[k];
    }
    assert_close(E, E0, 1e-9 * E0);
    for (int k = 0; k < 3; k++)
        assert_close(l[k], L0[k], 1e-9 * sqrt(size));
    // L² > 2 E I2: dn belongs to the axis of the largest moment
    double T = 2 * E0, G = size;
    double p = sqrt((I[2] - I[1]) * (G - T * I[0]) / (I[0] * I[1] * I[2]));
    double m = (I[1] - I[0]) * (T * I[2] - G) / ((I[2] - I[1]) * (G - T * I[0]));
    double A = sqrt((T * I[2] - G) / (I[0] * (I[2] - I[0])));
    double B = sqrt((T * I[2] - G) / (I[1] * (I[2] - I[1])));
    double C = sqrt((G - T * I[0]) / (I[2] * (I[2] - I[0])));
    // the phase at the start, from ω1 = A cn, ω2 = −B sn (dn > 0): by Newton's method on am
    double sn, cn, dn, u0 = atan2(-w[1] / B, w[0] / A);
    for (int k = 0; k < 50; k++) {
        jacobi(u0, m, &sn, &cn, &dn);
        u0 -= atan2(sn * w[0] / A + cn * w[1] / B, cn * w[0] / A - sn * w[1] / B) / dn;
    }
    jacobi(u0, m, &sn, &cn, &dn);
    assert_close(A * cn, w[0], 1e-12);
    // either sense of time: the sign of ω2' = (I3 − I1)/I2 ω3 ω1
    double rate = (I[2] - I[0]) / I[1] * w[2] * w[0], way = -B * cn * dn * p * rate > 0 ? 1 : -1;
    jacobi(u0 + way * p * until, m, &sn, &cn, &dn);
    // an error δ of the phase after the angle p t: p t ≈ 3000 rad, E to 1e-10
    assert_close(o[0], A * cn, 1e-6);
    assert_close(o[1], -B * sn, 1e-6);
    assert_close(o[2], C * dn, 1e-6);
    print_message("top: E %.2e L %.2e %.2e %.2e omega %.2e %.2e\n", E / E0 - 1,
                  (l[0] - L0[0]) / sqrt(size), (l[1] - L0[1]) / sqrt(size),
                  (l[2] - L0[2]) / sqrt(size), o[0] - A * cn, o[1] + B * sn);
    space_close(&s);
}

// A heavy symmetric top whose tip does not slip: I1 about the tip, ω3 the spin along its axis, Ω
// the precession at the constant angle θ: I1 Ω² cos θ − I3 ω3 Ω + m g l = 0 (two roots; the slow
// one of a fast top is about m g l/(I3 ω3)).
static void steady_precession(void **state)
{
    (void)state;
    const double m = 0.5, l = 0.04, Ic = 2e-4, I3 = 1.5e-4, g = 9.81, theta = 0.5, w3 = 300;
    double I1 = Ic + m * l * l, c = cos(theta), sn = sin(theta);
    double root = sqrt(I3 * w3 * I3 * w3 - 4 * I1 * c * m * g * l);
    for (int fast = 0; fast < 2; fast++) {
        double precession = (I3 * w3 + (fast ? root : -root)) / (2 * I1 * c);
        Space s;
        space_begin(&s, 0, 0, -g);
        space_plane(&s, space_fixed(&s, "floor"), sprag_vec3(0, 0, 1));
        SpragBody top = space_body("top", m, Ic, Ic, I3);
        SpragVec3 axis = {sn, 0, c}, tip = {0, 0, -l};
        SpragVec3 omega = sprag_vec3_along(sprag_vec3(0, 0, precession), w3 - precession * c, axis);
        SpragVec3 v = sprag_vec3_cross(omega, sprag_vec3_scale(l, axis));
        sprag_vec3_to(sprag_vec3_scale(l, axis), top.position);
        sprag_vec3_to(v, top.velocity);
        sprag_vec3_to(omega, top.angular);
        top.orientation = sprag_quaternion_exp(sprag_vec3(0, theta, 0));
        space_points(&s, space_add(&s, &top), 1, &tip);
        space_rule(&s, 8, 0, SPRAG_RESTITUTION_ENERGETIC);
        double until = 4.3 * 2 * PHYSICS_PI / precession;
        space_go(&s, SPRAG_MOTION_EVENTS, until, 1e-12);
        assert_int_equal(s.r.outcome, SPRAG_RUN_DONE);
        const double *q = sprag_run_position(s.r.run);
        double psi = precession * until;
        assert_close(q[0], l * sn * cos(psi), 1e-9);
        assert_close(q[1], l * sn * sin(psi), 1e-9);
        assert_close(q[2], l * c, 1e-10);
        if (!fast) // the formula of the fast top, to (I1 c m g l)/(I3 ω3)² = 2 %
            assert_close(precession, m * g * l / (I3 * w3), 0.15 * precession);
        physics_assert_account(&s.r, 1e-9);
        space_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_top),
        cmocka_unit_test(steady_precession),
    };
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}
