// friction_contact.c: one contact exactly.
//
// Problem   r with u = W r + b, d × d, one friction cone; theory.md 11.5.
// Method    separation, stick, slip. In slip u_T = −λ r_T, λ > 0: for every λ the linear equations
//           u_N = 0, (H + λ) r_T + g r_N + b_T = 0 give r(λ); the cone |r_T| = μ r_N is a quartic
//           in λ, theory.md (11.15). Between λ = 0 (stick, outside of the cone) and λ = ∞ (r_T = 0)
//           lies a root with r_N > 0; Newton's method inside a bracket finds one.
// Assumes   W is positive semidefinite but for rounding; it need not be symmetric
#include <float.h>
#include <math.h>

#include "friction_internal.h"

enum { MAX_STEPS = 60 };
// How far from the cone a slip may be, relative, where the contact is visited again.
static const double SWEEP_ROOT = 1e-12;
// Least determinant, relative to the product of the diagonal, of a block with an inverse.
static const double REGULAR = 1e-10;

// ---- In the plane -------------------------------------------------------------------------------

static bool slip_plane(const double *W, const double *b, double mu, double sign, double *r)
{
    double normal = W[0] - mu * sign * W[1];
    if (!(normal > 0))
        return false;
    r[0] = -b[0] / normal;
    r[1] = -mu * sign * r[0];
    double slip = W[2] * r[0] + W[3] * r[1] + b[1];
    return sign * slip >= 0;
}

static void solve_plane(const double *W, const double *b, double mu, double *r)
{
    double determinant = W[0] * W[3] - W[1] * W[2];
    if (determinant > 1e-14 * W[0] * W[3]) {
        r[0] = (W[1] * b[1] - W[3] * b[0]) / determinant;
        r[1] = (W[2] * b[0] - W[0] * b[1]) / determinant;
        if (fabs(r[1]) <= mu * r[0])
            return;
    } else if (mu > 0 && fabs(W[2] * b[0] - W[0] * b[1]) <= 1e-14 * fabs(W[0] * b[1])) {
        // tangent and normal are one: stick by the normal alone
        r[0] = -b[0] / W[0];
        r[1] = 0;
        return;
    }
    // rounding at the edge of the cone may leave neither direction: then the one of free slip
    double sign = W[0] * b[1] - W[2] * b[0] >= 0 ? 1 : -1;
    if (slip_plane(W, b, mu, sign, r) || slip_plane(W, b, mu, -sign, r))
        return;
    double normal = W[0] - mu * sign * W[1];
    r[0] = -b[0] / (normal > 0 ? normal : W[0]);
    r[1] = -mu * sign * r[0];
}

// ---- In space -----------------------------------------------------------------------------------

// r(λ) and what its derivative needs; ratio: μ r_N/|r_T| − 1, negative outside of the cone.
typedef struct Point {
    double r[3], ratio, length, inverse, normal, c1, c2;
} Point;

static inline Point at(const double *W, const double *b, double mu, double lambda)
{
    Point point;
    double h11 = W[4] + lambda, h22 = W[8] + lambda, h12 = W[5], h21 = W[7];
    double determinant = h11 * h22 - h12 * h21, least = DBL_EPSILON * h11 * h22;
    determinant = determinant > least ? determinant : least;
    double inverse = determinant > 0 ? 1 / determinant : 0;
    double p1 = (h22 * b[1] - h12 * b[2]) * inverse, p2 = (h11 * b[2] - h21 * b[1]) * inverse;
    double c1 = (h22 * W[3] - h12 * W[6]) * inverse, c2 = (h11 * W[6] - h21 * W[3]) * inverse;
    double normal = W[0] - W[1] * c1 - W[2] * c2;
    normal = normal > DBL_EPSILON * W[0] ? normal : DBL_EPSILON * W[0];
    double rn = (-b[0] + W[1] * p1 + W[2] * p2) / normal;
    double r1 = -p1 - c1 * rn, r2 = -p2 - c2 * rn, length = sqrt(r1 * r1 + r2 * r2);
    point.r[0] = rn;
    point.r[1] = r1;
    point.r[2] = r2;
    point.length = length;
    point.inverse = inverse;
    point.normal = normal;
    point.c1 = c1;
    point.c2 = c2;
    point.ratio = length > 0 ? mu * rn / length - 1 : (rn > 0 ? INFINITY : -1);
    return point;
}

// Derivative of the ratio: (H + λ) r_T + g r_N + b_T = 0 and u_N = 0, once more by λ.
static inline double slope_at(const double *W, double mu, double lambda, const Point *point)
{
    double rn = point->r[0], r1 = point->r[1], r2 = point->r[2], length = point->length;
    if (!(length > 0))
        return 0;
    double d1 = ((W[8] + lambda) * r1 - W[5] * r2) * point->inverse;
    double d2 = ((W[4] + lambda) * r2 - W[7] * r1) * point->inverse;
    double dn = (W[1] * d1 + W[2] * d2) / point->normal;
    double e1 = -d1 - point->c1 * dn, e2 = -d2 - point->c2 * dn;
    return mu * (dn - rn * (r1 * e1 + r2 * e2) / (length * length)) / length;
}

// Stick by the inverse of W, if there is one and the force lies in the cone.
static inline bool sticks(const double *inverse, const double *b, double mu, double *r)
{
    for (size_t k = 0; k < 3; k++)
        r[k] = -inverse[3 * k] * b[0] - inverse[3 * k + 1] * b[1] - inverse[3 * k + 2] * b[2];
    return r[0] >= 0 && r[1] * r[1] + r[2] * r[2] <= mu * mu * r[0] * r[0];
}

static void solve_space(const double *W, const double *inverse, const double *b, double mu,
                        double *slip, double *r)
{
    double low = 0, high = INFINITY, scale = 0.5 * (W[4] + W[8]);
    bool known = inverse && inverse[0] > 0;
    Point point = {{0}, -1, 0, 0, 0, 0, 0};
    if (known && sticks(inverse, b, mu, r)) {
        *slip = 0;
        return;
    }
    if (!known)
        point = at(W, b, mu, 0);
    if (point.ratio >= 0 && point.r[0] >= 0) {
        *slip = 0;
        r[0] = point.r[0], r[1] = point.r[1], r[2] = point.r[2];
        return;
    }
    double lambda = *slip > 0 ? *slip : mu > 0 ? (scale > 0 ? scale : W[0]) : 0;
    // sweeps come back to this root: they need not know it to the last digit
    double close = known ? SWEEP_ROOT : 4 * DBL_EPSILON;
    for (int k = 0; k < MAX_STEPS; k++) {
        point = at(W, b, mu, lambda);
        if (point.ratio < 0)
            low = lambda;
        else
            high = lambda;
        if (fabs(point.ratio) < close || high - low <= 2 * DBL_EPSILON * low)
            break;
        double next = lambda - point.ratio / slope_at(W, mu, lambda, &point);
        if (!(next > low && next < high))
            next = high < INFINITY ? 0.5 * (low + high) : 8 * lambda;
        if (next == lambda)
            break;
        lambda = next;
    }
    // on the cone exactly, whatever is left of the search
    double shrink = point.length > 0 ? mu * point.r[0] / point.length : 0;
    *slip = lambda;
    r[0] = point.r[0];
    r[1] = shrink * point.r[1];
    r[2] = shrink * point.r[2];
}

void friction_contact_invert(const double *W, double *inverse)
{
    double cofactor[9] = {
        W[4] * W[8] - W[5] * W[7], W[2] * W[7] - W[1] * W[8], W[1] * W[5] - W[2] * W[4],
        W[5] * W[6] - W[3] * W[8], W[0] * W[8] - W[2] * W[6], W[2] * W[3] - W[0] * W[5],
        W[3] * W[7] - W[4] * W[6], W[1] * W[6] - W[0] * W[7], W[0] * W[4] - W[1] * W[3]};
    double determinant = W[0] * cofactor[0] + W[1] * cofactor[3] + W[2] * cofactor[6];
    bool regular = determinant > REGULAR * W[0] * W[4] * W[8] && W[0] > 0 && W[4] > 0 && W[8] > 0;
    for (size_t k = 0; k < 9; k++)
        inverse[k] = regular ? cofactor[k] / determinant : 0;
}

// ---- Bilateral blocks ---------------------------------------------------------------------------

void friction_bilateral(int d, const double *W, const double *b, const unsigned char *dead,
                        double *r)
{
    double A[3][4] = {{0}}, trace = 0;
    bool used[3] = {false};
    int order[3], count = 0;
    for (int i = 0; i < d; i++) {
        for (int k = 0; k < d; k++)
            A[i][k] = W[i * d + k];
        A[i][3] = -b[i];
        trace += W[i * d + i];
        used[i] = dead[i];
    }
    // Gauss-Jordan on the largest diagonal entry; what is left of rows that depend on others goes
    for (int step = 0; step < d; step++) {
        int pivot = -1;
        for (int i = 0; i < d; i++)
            if (!used[i] && (pivot < 0 || A[i][i] > A[pivot][pivot]))
                pivot = i;
        if (pivot < 0 || !(A[pivot][pivot] > 1e-13 * trace))
            break;
        used[pivot] = true;
        order[count++] = pivot;
        for (int i = 0; i < d; i++) {
            double factor = i == pivot ? 0 : A[i][pivot] / A[pivot][pivot];
            for (int k = 0; factor != 0 && k < 4; k++)
                A[i][k] -= factor * A[pivot][k];
        }
    }
    for (int i = 0; i < d; i++)
        r[i] = 0;
    for (int k = 0; k < count; k++)
        r[order[k]] = A[order[k]][3] / A[order[k]][order[k]];
}

void friction_contact(int d, const double *W, const double *inverse, const double *b, double mu,
                      double *slip, double *r)
{
    if (b[0] >= 0 || !(W[0] > 0)) {
        r[0] = r[1] = 0;
        if (d == 3)
            r[2] = 0;
        return;
    }
    if (mu == 0) {
        r[0] = -b[0] / W[0];
        r[1] = 0;
        if (d == 3)
            r[2] = 0;
    } else if (d == 2) {
        solve_plane(W, b, mu, r);
    } else {
        solve_space(W, inverse, b, mu, slip, r);
    }
}

void sprag_friction_solve_contact(int dimension, const double *W, const double *b, double mu,
                                  double *r)
{
    double slip = 0;
    friction_contact(dimension, W, NULL, b, mu, &slip, r);
}
