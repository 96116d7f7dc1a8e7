// vector.c: rotations, quaternions and symmetric 3 × 3 matrices, theory.md 13.3.
#include "sprag/vector.h"

#include <float.h>
#include <stdbool.h>

SpragMat3 sprag_mat3_identity(void)
{
    SpragMat3 one = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    return one;
}

SpragMat3 sprag_mat3_product(const SpragMat3 *A, const SpragMat3 *B)
{
    SpragMat3 C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C.m[3 * i + j] = A->m[3 * i] * B->m[j] + A->m[3 * i + 1] * B->m[3 + j] +
                             A->m[3 * i + 2] * B->m[6 + j];
    return C;
}

SpragMat3 sprag_mat3_turn(const SpragMat3 *A, const SpragMat3 *B)
{
    SpragMat3 AB = sprag_mat3_product(A, B), C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C.m[3 * i + j] = AB.m[3 * i] * A->m[3 * j] + AB.m[3 * i + 1] * A->m[3 * j + 1] +
                             AB.m[3 * i + 2] * A->m[3 * j + 2];
    // rounding must not make a symmetric tensor less so
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++) {
            bool symmetric = B->m[3 * i + j] == B->m[3 * j + i];
            if (symmetric)
                C.m[3 * i + j] = C.m[3 * j + i];
        }
    return C;
}

SpragMat3 sprag_mat3_inverse(const SpragMat3 *A)
{
    const double *a = A->m;
    SpragVec3 r0 = sprag_vec3_of(a), r1 = sprag_vec3_of(a + 3), r2 = sprag_vec3_of(a + 6);
    SpragVec3 c0 = sprag_vec3_cross(r1, r2), c1 = sprag_vec3_cross(r2, r0),
              c2 = sprag_vec3_cross(r0, r1);
    double scale = 1 / sprag_vec3_dot(r0, c0);
    SpragMat3 B = {{scale * c0.x, scale * c1.x, scale * c2.x, scale * c0.y, scale * c1.y,
                    scale * c2.y, scale * c0.z, scale * c1.z, scale * c2.z}};
    B.m[3] = B.m[1];
    B.m[6] = B.m[2];
    B.m[7] = B.m[5];
    return B;
}

// One Jacobi rotation that makes entry (p, q) of S vanish; V collects them.
static void annihilate(double S[9], double V[9], int p, int q)
{
    double entry = S[3 * p + q];
    if (entry == 0)
        return;
    double theta = (S[4 * q] - S[4 * p]) / (2 * entry);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + hypot(theta, 1));
    double c = 1 / hypot(t, 1), s = t * c;
    for (int k = 0; k < 3; k++) {
        double kp = S[3 * k + p], kq = S[3 * k + q];
        S[3 * k + p] = c * kp - s * kq;
        S[3 * k + q] = s * kp + c * kq;
    }
    for (int k = 0; k < 3; k++) {
        double pk = S[3 * p + k], qk = S[3 * q + k];
        S[3 * p + k] = c * pk - s * qk;
        S[3 * q + k] = s * pk + c * qk;
        double vp = V[3 * k + p], vq = V[3 * k + q];
        V[3 * k + p] = c * vp - s * vq;
        V[3 * k + q] = s * vp + c * vq;
    }
    S[3 * p + q] = S[3 * q + p] = 0;
}

void sprag_mat3_principal(const SpragMat3 *A, double values[3], SpragMat3 *axes)
{
    enum { MOST_SWEEPS = 30 };
    SpragMat3 S = *A, V = sprag_mat3_identity();
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        double off = fabs(S.m[1]) + fabs(S.m[2]) + fabs(S.m[5]);
        if (off <= DBL_MIN + 1e-18 * (fabs(S.m[0]) + fabs(S.m[4]) + fabs(S.m[8])))
            break;
        annihilate(S.m, V.m, 0, 1);
        annihilate(S.m, V.m, 0, 2);
        annihilate(S.m, V.m, 1, 2);
    }
    int order[3] = {0, 1, 2};
    for (int i = 1; i < 3; i++)
        for (int j = i; j > 0 && S.m[4 * order[j]] < S.m[4 * order[j - 1]]; j--) {
            int swap = order[j];
            order[j] = order[j - 1];
            order[j - 1] = swap;
        }
    for (int j = 0; j < 3; j++) {
        values[j] = S.m[4 * order[j]];
        for (int i = 0; i < 3; i++)
            axes->m[3 * i + j] = V.m[3 * i + order[j]];
    }
    SpragVec3 third = sprag_vec3_cross(sprag_mat3_column(axes, 0), sprag_mat3_column(axes, 1));
    axes->m[2] = third.x;
    axes->m[5] = third.y;
    axes->m[8] = third.z;
}

SpragQuaternion sprag_quaternion_unit(SpragQuaternion q)
{
    double size = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    SpragQuaternion one = {1, 0, 0, 0};
    if (!(size > 0))
        return one;
    SpragQuaternion unit = {q.w / size, q.x / size, q.y / size, q.z / size};
    return unit;
}

SpragQuaternion sprag_quaternion_product(SpragQuaternion a, SpragQuaternion b)
{
    SpragQuaternion c = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                         a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                         a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                         a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    return c;
}

SpragQuaternion sprag_quaternion_exp(SpragVec3 v)
{
    double angle = sprag_vec3_norm(v);
    // sin(angle/2)/angle; its series ends at the second term below this angle
    double part = angle > 1e-4 ? sin(angle / 2) / angle : 0.5 - angle * angle / 48;
    SpragQuaternion q = {cos(angle / 2), part * v.x, part * v.y, part * v.z};
    return q;
}

SpragMat3 sprag_quaternion_matrix(SpragQuaternion q)
{
    double size = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, s = size > 0 ? 2 / size : 0;
    SpragMat3 R = {{1 - s * (q.y * q.y + q.z * q.z), s * (q.x * q.y - q.w * q.z),
                    s * (q.x * q.z + q.w * q.y), s * (q.x * q.y + q.w * q.z),
                    1 - s * (q.x * q.x + q.z * q.z), s * (q.y * q.z - q.w * q.x),
                    s * (q.x * q.z - q.w * q.y), s * (q.y * q.z + q.w * q.x),
                    1 - s * (q.x * q.x + q.y * q.y)}};
    return R;
}

SpragQuaternion sprag_quaternion_of(const SpragMat3 *R)
{
    // the largest of the four is found from the diagonal, the others from it (Shepperd)
    const double *m = R->m;
    double squares[4] = {1 + m[0] + m[4] + m[8], 1 + m[0] - m[4] - m[8], 1 - m[0] + m[4] - m[8],
                         1 - m[0] - m[4] + m[8]};
    int k = 0;
    for (int i = 1; i < 4; i++)
        k = squares[i] > squares[k] ? i : k;
    double a[4], big = sqrt(squares[k]), s = 0.5 / big;
    double sums[4][4] = {{0, m[7] - m[5], m[2] - m[6], m[3] - m[1]},
                         {m[7] - m[5], 0, m[1] + m[3], m[2] + m[6]},
                         {m[2] - m[6], m[1] + m[3], 0, m[5] + m[7]},
                         {m[3] - m[1], m[2] + m[6], m[5] + m[7], 0}};
    for (int i = 0; i < 4; i++)
        a[i] = i == k ? big / 2 : s * sums[k][i];
    double sign = a[0] < 0 ? -1 : 1;
    SpragQuaternion q = {sign * a[0], sign * a[1], sign * a[2], sign * a[3]};
    return sprag_quaternion_unit(q);
}

SpragQuaternion sprag_quaternion_rate(SpragQuaternion q, SpragVec3 omega)
{
    SpragQuaternion half = {0, omega.x / 2, omega.y / 2, omega.z / 2};
    return sprag_quaternion_product(half, q);
}
