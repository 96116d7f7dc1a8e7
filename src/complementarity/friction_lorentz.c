// friction_lorentz.c: one contact on the interior path.
//
// Problem   r̂ ∘ û = τ e in the cone of Lorentz, theory.md (11.21), linearised
// Method    scaling of Nesterov and Todd [NesterovTodd1998, pp. 324-364], corrector of
//           [Mehrotra1992, pp. 575-601]
// Assumes   r̂ and û in the interior
#include <math.h>
#include <string.h>

#include "friction_lorentz.h"

// What a unit of dr adds to du in bilateral rows, in units of their weight: B must be regular.
static const double BILATERAL_ALPHA = 1e-9;

double lorentz_length(size_t d, const double *x)
{
    return d == 3 ? sqrt(x[1] * x[1] + x[2] * x[2]) : fabs(x[1]);
}

// û of u; *minor receives û_N − |û_T| without cancellation.
static void hat_u(size_t d, double mu, const double *u, double *hat, double *minor)
{
    double slip = lorentz_length(d, u);
    *minor = u[0] / mu;
    hat[0] = *minor + slip;
    for (size_t k = 1; k < d; k++)
        hat[k] = u[k];
}

void lorentz_hat_r(size_t d, double mu, const double *r, double *hat, double *minor)
{
    hat[0] = mu * r[0];
    for (size_t k = 1; k < d; k++)
        hat[k] = r[k];
    *minor = hat[0] - lorentz_length(d, r);
}

// Scaling point w̄ (d entries) and η² of r̂, û, with η² (2 w̄ w̄ᵀ − J) û = r̂; at scaling[3].
static void scale(size_t d, const double *r, double r_minor, const double *u, double u_minor,
                  double *scaling)
{
    double r_root = sqrt(r_minor * (r[0] + lorentz_length(d, r)));
    double u_root = sqrt(u_minor * (u[0] + lorentz_length(d, u)));
    double dot = 0;
    for (size_t k = 0; k < d; k++)
        dot += r[k] / r_root * (u[k] / u_root);
    double gamma = sqrt(0.5 * (1 + dot));
    for (size_t k = 0; k < d; k++)
        scaling[k] = 0.5 * (r[k] / r_root + (k ? -1 : 1) * u[k] / u_root) / gamma;
    scaling[3] = r_root / u_root;
}

// y = V x (power 1) or V⁻¹ x (power −1), V = η [w̄0 w̄1ᵀ; w̄1 1 + w̄1 w̄1ᵀ/(1 + w̄0)].
static void apply_scaling(size_t d, const double *w, int power, const double *x, double *y)
{
    double sign = power > 0 ? 1 : -1, eta = sqrt(w[3]), dot = 0;
    for (size_t k = 1; k < d; k++)
        dot += w[k] * x[k];
    double factor = power > 0 ? eta : 1 / eta;
    double first = w[0] * x[0] + sign * dot;
    double along = sign * x[0] + dot / (1 + w[0]);
    y[0] = factor * first;
    for (size_t k = 1; k < d; k++)
        y[k] = factor * (x[k] + w[k] * along);
}

// x with λ ∘ x = y.
static void divide(size_t d, const double *lambda, const double *y, double *x)
{
    double square = 0, dot = 0;
    for (size_t k = 1; k < d; k++) {
        square += lambda[k] * lambda[k];
        dot += lambda[k] * y[k];
    }
    double root = sqrt(square);
    double determinant = (lambda[0] - root) * (lambda[0] + root);
    x[0] = (lambda[0] * y[0] - dot) / determinant;
    for (size_t k = 1; k < d; k++)
        x[k] = (y[k] - lambda[k] * x[0]) / lambda[0];
}

// Columns of û's derivative. Of the derivative of |u_T| a part counts fully, and the rest by
// |u_T|/û_N: all of it in slip; less where the direction of a vanishing slip means little.
static void slip_row(FrictionLaw law, const double *u, double *row)
{
    double minor, hat[3];
    hat_u(law.d, law.mu, u, hat, &minor);
    row[0] = 1 / law.mu;
    double slip = lorentz_length(law.d, u), share = 0;
    if (slip > 0 && hat[0] > 0)
        share = law.share / slip + (1 - law.share) / hat[0];
    for (size_t k = 1; k < law.d; k++)
        row[k] = share * u[k];
}

// A = Q dû/du and B = dr̂/dr.
void lorentz_linearize(FrictionLaw law, const double *r, const double *u, double *A, double *B,
                       double *scaling)
{
    size_t d = law.d;
    double mu = law.mu;
    memset(A, 0, d * d * sizeof *A);
    memset(B, 0, d * d * sizeof *B);
    for (size_t k = 0; k < d; k++)
        B[k * d + k] = 1;
    if (mu == 0) {
        A[0] = r[0] / u[0];
        return;
    }
    double x[3], y[3], x_minor, y_minor, row[3];
    lorentz_hat_r(d, mu, r, x, &x_minor);
    hat_u(d, mu, u, y, &y_minor);
    scale(d, x, x_minor, y, y_minor, scaling);
    slip_row(law, u, row);
    B[0] = mu;
    for (size_t i = 0; i < d; i++) {
        double first = 2 * scaling[i] * scaling[0] - (i == 0 ? 1 : 0);
        for (size_t j = 0; j < d; j++) {
            double plain = j == 0 ? 0 : 2 * scaling[i] * scaling[j] + (i == j ? 1 : 0);
            A[i * d + j] = scaling[3] * (first * row[j] + plain);
        }
    }
}

// F = r̂ − V (λ \ (τ e − x)), where x = (V⁻¹ dr̂) ∘ (V dû) of the predictor, or 0 (dr NULL).
void lorentz_right(FrictionLaw law, const double *r, const double *u, const double *w, double tau,
                   const double *dr, const double *du, double *F)
{
    size_t d = law.d;
    double mu = law.mu;
    if (mu == 0) {
        F[0] = r[0] - (tau - (dr ? dr[0] * du[0] : 0)) / u[0];
        for (size_t k = 1; k < d; k++)
            F[k] = r[k];
        return;
    }
    double x[3], hat[3], minor, lambda[3], target[3] = {tau, 0, 0};
    hat_u(d, mu, u, hat, &minor);
    apply_scaling(d, w, 1, hat, lambda);
    if (dr) {
        double a[3], b[3], change[3], row[3];
        lorentz_hat_r(d, mu, dr, change, &minor);
        apply_scaling(d, w, -1, change, a);
        slip_row(law, u, row);
        change[0] = 0;
        for (size_t k = 0; k < d; k++)
            change[0] += row[k] * du[k];
        for (size_t k = 1; k < d; k++)
            change[k] = du[k];
        apply_scaling(d, w, 1, change, b);
        target[0] -= a[0] * b[0];
        for (size_t k = 1; k < d; k++) {
            target[0] -= a[k] * b[k];
            target[k] -= a[0] * b[k] + b[0] * a[k];
        }
    }
    divide(d, lambda, target, x);
    apply_scaling(d, w, 1, x, target);
    lorentz_hat_r(d, mu, r, hat, &minor);
    for (size_t k = 0; k < d; k++)
        F[k] = hat[k] - target[k];
}

// u = 0, for a variable u that follows W r + q: nothing bends here.
void lorentz_linearize_bilateral(const Friction *f, size_t i, double *A, double *B)
{
    size_t d = (size_t)f->d;
    memset(A, 0, d * d * sizeof *A);
    memset(B, 0, d * d * sizeof *B);
    for (size_t k = 0; k < d; k++) {
        bool dead = f->dead[i * d + k];
        A[k * d + k] = dead ? 0 : 1 / f->weight[i];
        B[k * d + k] = dead ? 1 : BILATERAL_ALPHA;
    }
}

void lorentz_right_bilateral(const Friction *f, size_t i, const double *u, double *F)
{
    size_t d = (size_t)f->d;
    for (size_t k = 0; k < d; k++)
        F[k] = f->dead[i * d + k] ? 0 : u[k] / f->weight[i];
}

// r·ũ of a contact.
double lorentz_product(size_t d, double mu, const double *r, const double *u)
{
    double sum = r[0] * (u[0] + mu * lorentz_length(d, u));
    for (size_t k = 1; k < d; k++)
        sum += r[k] * u[k];
    return sum;
}

// Longest step in [0, 1] that keeps u_N > 0 and r in the interior.
double lorentz_longest(size_t d, double mu, const double *r, const double *u, const double *dr,
                       const double *du)
{
    double step = 1;
    if (du[0] < 0)
        step = fmin(step, -u[0] / du[0]);
    if (dr[0] < 0)
        step = fmin(step, -r[0] / dr[0]);
    if (mu == 0)
        return step;
    // |r_T + s dr_T|² = μ² (r_N + s dr_N)²
    double tangent = lorentz_length(d, r);
    double c = (mu * r[0] - tangent) * (mu * r[0] + tangent), b = mu * mu * r[0] * dr[0];
    double a = mu * mu * dr[0] * dr[0];
    for (size_t k = 1; k < d; k++) {
        b -= r[k] * dr[k];
        a -= dr[k] * dr[k];
    }
    double discriminant = b * b - a * c;
    if (discriminant < 0)
        return step;
    double root = sqrt(discriminant), half = b > 0 ? -(b + root) : -(b - root);
    double first = a != 0 ? half / a : -1, second = half != 0 ? c / half : -1;
    if (first > 0)
        step = fmin(step, first);
    if (second > 0)
        step = fmin(step, second);
    return step;
}
