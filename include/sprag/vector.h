// vector.h: small vectors, rotations and quaternions, in the plane and in space.
//
// Quaternions are (w, x, y, z); a 3 × 3 matrix is nine numbers, row by row. The conventions are
// those of theory.md 13.3.
#ifndef SPRAG_VECTOR_H
#define SPRAG_VECTOR_H

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

// Euclidean length of the first `count` numbers (1 at least).
static inline double sprag_length(int count, const double *v)
{
    double length = fabs(v[0]);
    for (int k = 1; k < count; k++)
        length = hypot(length, v[k]);
    return length;
}

// ---- Plane --------------------------------------------------------------------------------------

typedef struct SpragVec2 {
    double x, y;
} SpragVec2;

static inline SpragVec2 sprag_vec2(double x, double y)
{
    SpragVec2 v = {x, y};
    return v;
}
static inline SpragVec2 sprag_vec2_add(SpragVec2 a, SpragVec2 b)
{
    return sprag_vec2(a.x + b.x, a.y + b.y);
}
static inline SpragVec2 sprag_vec2_sub(SpragVec2 a, SpragVec2 b)
{
    return sprag_vec2(a.x - b.x, a.y - b.y);
}
static inline SpragVec2 sprag_vec2_scale(double s, SpragVec2 a)
{
    return sprag_vec2(s * a.x, s * a.y);
}
static inline double sprag_vec2_dot(SpragVec2 a, SpragVec2 b)
{
    return a.x * b.x + a.y * b.y;
}
// a × b, the z component.
static inline double sprag_vec2_cross(SpragVec2 a, SpragVec2 b)
{
    return a.x * b.y - a.y * b.x;
}
// The contact tangent of a normal, theory.md (0.1).
static inline SpragVec2 sprag_vec2_tangent(SpragVec2 n)
{
    return sprag_vec2(n.y, -n.x);
}
// a turned by the angle whose cosine and sine are given.
static inline SpragVec2 sprag_vec2_turn(SpragVec2 a, double cosine, double sine)
{
    return sprag_vec2(cosine * a.x - sine * a.y, sine * a.x + cosine * a.y);
}

// ---- Space --------------------------------------------------------------------------------------

typedef struct SpragVec3 {
    double x, y, z;
} SpragVec3;

typedef struct SpragMat3 {
    double m[9];
} SpragMat3;

typedef struct SpragQuaternion {
    double w, x, y, z;
} SpragQuaternion;

static inline SpragVec3 sprag_vec3(double x, double y, double z)
{
    SpragVec3 v = {x, y, z};
    return v;
}
static inline SpragVec3 sprag_vec3_of(const double *v)
{
    return sprag_vec3(v[0], v[1], v[2]);
}
static inline void sprag_vec3_to(SpragVec3 a, double *v)
{
    v[0] = a.x;
    v[1] = a.y;
    v[2] = a.z;
}
// A vector of the plane as one of space, and back.
static inline SpragVec3 sprag_vec3_raise(SpragVec2 a)
{
    return sprag_vec3(a.x, a.y, 0);
}
static inline SpragVec2 sprag_vec3_flat(SpragVec3 a)
{
    return sprag_vec2(a.x, a.y);
}
static inline SpragVec3 sprag_vec3_add(SpragVec3 a, SpragVec3 b)
{
    return sprag_vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline SpragVec3 sprag_vec3_sub(SpragVec3 a, SpragVec3 b)
{
    return sprag_vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline SpragVec3 sprag_vec3_scale(double s, SpragVec3 a)
{
    return sprag_vec3(s * a.x, s * a.y, s * a.z);
}
// a + s b
static inline SpragVec3 sprag_vec3_along(SpragVec3 a, double s, SpragVec3 b)
{
    return sprag_vec3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static inline double sprag_vec3_dot(SpragVec3 a, SpragVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline SpragVec3 sprag_vec3_cross(SpragVec3 a, SpragVec3 b)
{
    return sprag_vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double sprag_vec3_norm(SpragVec3 a)
{
    return sqrt(sprag_vec3_dot(a, a));
}
// a / |a|; a zero vector stays one.
static inline SpragVec3 sprag_vec3_unit(SpragVec3 a)
{
    double size = sprag_vec3_norm(a);
    return size > 0 ? sprag_vec3_scale(1 / size, a) : a;
}
static inline SpragVec3 sprag_mat3_apply(const SpragMat3 *A, SpragVec3 v)
{
    const double *m = A->m;
    return sprag_vec3(m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                      m[6] * v.x + m[7] * v.y + m[8] * v.z);
}
// Aᵀ v: for a rotation the way back.
static inline SpragVec3 sprag_mat3_apply_back(const SpragMat3 *A, SpragVec3 v)
{
    const double *m = A->m;
    return sprag_vec3(m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z,
                      m[2] * v.x + m[5] * v.y + m[8] * v.z);
}
static inline SpragVec3 sprag_mat3_column(const SpragMat3 *A, int column)
{
    return sprag_vec3(A->m[column], A->m[3 + column], A->m[6 + column]);
}
SpragMat3 sprag_mat3_identity(void);
SpragMat3 sprag_mat3_product(const SpragMat3 *A, const SpragMat3 *B);
// A B Aᵀ: a tensor B seen in the frame that A turns it to.
SpragMat3 sprag_mat3_turn(const SpragMat3 *A, const SpragMat3 *B);
// Inverse of a symmetric positive definite matrix.
SpragMat3 sprag_mat3_inverse(const SpragMat3 *A);
// Eigenvalues of a symmetric matrix in ascending order; the columns of `axes` (right-handed) are
// its eigenvectors.
void sprag_mat3_principal(const SpragMat3 *A, double values[3], SpragMat3 *axes);

// The quaternion of length 1; (1, 0, 0, 0) of one that is 0.
SpragQuaternion sprag_quaternion_unit(SpragQuaternion q);
SpragQuaternion sprag_quaternion_product(SpragQuaternion a, SpragQuaternion b);
// Rotation by |v| about v, exact for small ones too.
SpragQuaternion sprag_quaternion_exp(SpragVec3 v);
// Rotation matrix of a quaternion, whose length does not matter.
SpragMat3 sprag_quaternion_matrix(SpragQuaternion q);
// Quaternion (w ≥ 0) of a rotation matrix.
SpragQuaternion sprag_quaternion_of(const SpragMat3 *R);
// ½ (0, ω) q, the rate of q at the angular velocity ω in the world frame.
SpragQuaternion sprag_quaternion_rate(SpragQuaternion q, SpragVec3 omega);

#ifdef __cplusplus
}
#endif

#endif
