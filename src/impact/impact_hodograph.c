// impact_hodograph.c: the slip hodograph of one contact in space (Darboux, Keller).
// Problem   dS/dP = g − μ H S/|S|, theory.md (10.22), which is singular where slip stops
// Method    in the time τ with dP = |S| dτ it is S' = |S| g − μ H S, (10.24): homogeneous, smooth,
//           and slip that stops does so for τ → ∞ along an invariant direction; Taylor series of
//           order 20 (products with μ H and g are linear, |S| takes three half convolutions), and
//           the rest of an approach to zero in closed form along its direction
// Result    relative errors of about 1e-12
#include <float.h>
#include <math.h>
#include <string.h>

#include "impact_space.h"

// Relative local error of a step, and of velocities where an approach to zero is cut short.
static const double STEP_TOLERANCE = 1e-13;
static const double STOP_TOLERANCE = 1e-12;
// Slip below this part of the velocities is none.
static const double ZERO_SLIP = 1e-14;
// Turning below this many roundings of its terms is none.
static const double TURN_ROUNDING = 8 * DBL_EPSILON;

// d·F and d⊥·F of F(d) = g − μ H d, and d/dχ of the latter, (10.23).
static void slip_rates(const SpaceContact *c, const double d[2], double *along, double *across,
                       double *across_slope)
{
    double Hx = c->H[0] * d[0] + c->H[1] * d[1], Hy = c->H[1] * d[0] + c->H[2] * d[1];
    double Fx = c->g[0] - c->mu * Hx, Fy = c->g[1] - c->mu * Hy;
    *along = d[0] * Fx + d[1] * Fy;
    *across = d[0] * Fy - d[1] * Fx;
    // H d⊥ = (−H11 s + H12 c, −H12 s + H22 c)
    double across_H = d[1] * d[1] * c->H[0] - 2 * c->H[1] * d[0] * d[1] + d[0] * d[0] * c->H[2];
    *across_slope = -*along - c->mu * across_H;
}

static SpaceLeg leg_of(const SpaceContact *c, const double d[2], double along)
{
    return (SpaceLeg){.S = {along * d[0], along * d[1]},
                      .C = c->w - c->mu * (c->g[0] * d[0] + c->g[1] * d[1]),
                      .P_T = {-c->mu * d[0], -c->mu * d[1]}};
}

bool space_slip_is_straight(const SpaceContact *c, const SpacePoint *point, double scale,
                            SpaceLeg *leg, double *reach)
{
    double speed = hypot(point->S[0], point->S[1]);
    double d[2] = {point->S[0] / speed, point->S[1] / speed}, along, across, slope;
    slip_rates(c, d, &along, &across, &slope);
    double terms =
        fabs(c->g[0]) + fabs(c->g[1]) + c->mu * (fabs(c->H[0]) + 2 * fabs(c->H[1]) + fabs(c->H[2]));
    bool invariant = fabs(across) <= TURN_ROUNDING * terms;
    bool stops =
        along < 0 && (speed <= ZERO_SLIP * scale ||
                      (slope < 0 && fabs(across) * speed <= STOP_TOLERANCE * -along * scale));
    if (!invariant && !stops)
        return false;
    *leg = leg_of(c, d, along);
    *reach = along < 0 ? speed / -along : INFINITY;
    return true;
}

// ---- Taylor series ------------------------------------------------------------------------------

// Σ a_i a_{k−i} over i = first … k − first, by its symmetry.
static double square(const double *a, int first, int k)
{
    double sum = 0;
    int i = first, j = k - first;
    for (; i < j; i++, j--)
        sum += a[i] * a[j];
    return 2 * sum + (i == j ? a[i] * a[i] : 0);
}

static double step_length(const SpaceStep *step, double speed)
{
    double last = hypot(step->X[SPACE_ORDER], step->Y[SPACE_ORDER]);
    double before = hypot(step->X[SPACE_ORDER - 1], step->Y[SPACE_ORDER - 1]);
    double goal = log(STEP_TOLERANCE * speed);
    double a = last > 0 ? (goal - log(last)) / SPACE_ORDER : INFINITY;
    double b = before > 0 ? (goal - log(before)) / (SPACE_ORDER - 1) : INFINITY;
    return exp(fmin(fmin(a, b), 600.0));
}

void space_step_build(const SpaceContact *c, const SpacePoint *start, SpaceStep *step)
{
    // τ is scaled by the larger of 1 and μ, so that any friction is finite
    double most = fmax(1, c->mu), ratio = c->mu / most;
    double g[2] = {c->g[0] / most, c->g[1] / most};
    double H[3] = {ratio * c->H[0], ratio * c->H[1], ratio * c->H[2]};
    double v[SPACE_ORDER + 1], *X = step->X, *Y = step->Y;
    step->start = *start;
    step->scale_X = -ratio;
    X[0] = start->S[0];
    Y[0] = start->S[1];
    v[0] = hypot(X[0], Y[0]);
    step->P[0] = step->D[0] = step->integral[0][0] = step->integral[1][0] = 0;
    for (int k = 0; k < SPACE_ORDER; k++) {
        double one = 1.0 / (k + 1), q = square(X, 0, k) + square(Y, 0, k);
        if (k > 0)
            v[k] = (q - square(v, 1, k)) / (2 * v[0]);
        X[k + 1] = one * (g[0] * v[k] - H[0] * X[k] - H[1] * Y[k]);
        Y[k + 1] = one * (g[1] * v[k] - H[1] * X[k] - H[2] * Y[k]);
        step->P[k + 1] = one * v[k] / most;
        step->integral[0][k + 1] = one * X[k];
        step->integral[1][k + 1] = one * Y[k];
        step->D[k + 1] = one * q * ratio;
    }
    step->length = step_length(step, v[0]);
}

static double polynomial(const double *a, double x)
{
    double sum = a[SPACE_ORDER];
    for (int k = SPACE_ORDER - 1; k >= 0; k--)
        sum = sum * x + a[k];
    return sum;
}

void space_step_point(const SpaceContact *c, const SpaceStep *step, double tau, SpacePoint *point)
{
    const SpacePoint *start = &step->start;
    double P = polynomial(step->P, tau);
    double x = step->scale_X * polynomial(step->integral[0], tau);
    double y = step->scale_X * polynomial(step->integral[1], tau);
    double C = c->w * P + c->g[0] * x + c->g[1] * y;
    point->P[0] = start->P[0] + P;
    point->P[1] = start->P[1] + x;
    point->P[2] = start->P[2] + y;
    point->C = start->C + C;
    point->S[0] = polynomial(step->X, tau);
    point->S[1] = polynomial(step->Y, tau);
    double D = polynomial(step->D, tau);
    point->friction = start->friction + D;
    // both parts together are ½ ΔP·(u + u_start), so the normal one needs no series
    point->work = start->work + D + 0.5 * P * (start->C + point->C) +
                  0.5 * x * (start->S[0] + point->S[0]) + 0.5 * y * (start->S[1] + point->S[1]);
}

// ---- After the slip has stopped -----------------------------------------------------------------

// Eigenvalues λ1 ≥ λ2 of H and the first eigenvector.
static void eigen_of(const double H[3], double value[2], double vector[2])
{
    double mean = 0.5 * (H[0] + H[2]), half = 0.5 * (H[0] - H[2]), radius = hypot(half, H[1]);
    value[0] = mean + radius;
    value[1] = mean - radius;
    double x = half + (half >= 0 ? radius : -radius), y = H[1];
    // (x, y) belongs to λ1 for half ≥ 0, else to λ2: that one is turned by a right angle
    double length = hypot(x, y);
    vector[0] = length > 0 ? x / length : 1;
    vector[1] = length > 0 ? y / length : 0;
    if (half < 0) {
        double swap = vector[0];
        vector[0] = -vector[1];
        vector[1] = swap;
    }
}

// a > 0 with |(a + μ H)⁻¹ g| = 1, gamma = g in the basis of H: Newton on 1/|…| − 1, which is
// concave, from below.
static double slip_growth(const double gamma[2], const double mu_lambda[2])
{
    double a = fmax(fmax(fabs(gamma[0]) - mu_lambda[0], fabs(gamma[1]) - mu_lambda[1]), 0);
    for (int i = 0; i < 60; i++) {
        double sum = 0, slope = 0;
        for (int k = 0; k < 2; k++) {
            if (gamma[k] == 0)
                continue;
            double shifted = a + mu_lambda[k], part = gamma[k] / shifted;
            sum += part * part;
            slope += part * part / shifted;
        }
        double length = sqrt(sum), move = sum / slope * (length - 1);
        a += move;
        if (!(move > DBL_EPSILON * a))
            break;
    }
    return a;
}

void space_stop_solve(const SpaceContact *c, SpaceStop *stop)
{
    double value[2], q[2];
    eigen_of(c->H, value, q);
    double gamma[2] = {c->g[0] * q[0] + c->g[1] * q[1], c->g[1] * q[0] - c->g[0] * q[1]};
    double slope[2]; // in the basis of H; where H is singular g is zero too
    for (int k = 0; k < 2; k++)
        slope[k] = value[k] > IMPACT_LOCKED * value[0] && value[k] > 0 ? -gamma[k] / value[k] : 0;
    memset(stop, 0, sizeof *stop);
    stop->stick = c->mu_static >= hypot(slope[0], slope[1]);
    if (stop->stick) {
        stop->leg.P_T[0] = slope[0] * q[0] - slope[1] * q[1];
        stop->leg.P_T[1] = slope[0] * q[1] + slope[1] * q[0];
        stop->leg.C = c->w + gamma[0] * slope[0] + gamma[1] * slope[1];
        stop->locked = !(stop->leg.C > IMPACT_LOCKED * c->w);
        return;
    }
    double mu_lambda[2] = {c->mu * value[0], c->mu * fmax(value[1], 0)};
    double a = slip_growth(gamma, mu_lambda), y[2];
    for (int k = 0; k < 2; k++)
        y[k] = gamma[k] == 0 ? 0 : gamma[k] / (a + mu_lambda[k]);
    double length = hypot(y[0], y[1]);
    double d[2] = {(y[0] * q[0] - y[1] * q[1]) / length, (y[0] * q[1] + y[1] * q[0]) / length};
    stop->leg = leg_of(c, d, a);
}

void space_leg_advance(const SpaceLeg *leg, double dP, SpacePoint *point)
{
    double S[2] = {point->S[0] + leg->S[0] * dP, point->S[1] + leg->S[1] * dP};
    double C = point->C + leg->C * dP;
    point->work += 0.5 * (point->C + C) * dP;
    point->friction -=
        0.5 * dP * (leg->P_T[0] * (point->S[0] + S[0]) + leg->P_T[1] * (point->S[1] + S[1]));
    point->P[0] += dP;
    point->P[1] += leg->P_T[0] * dP;
    point->P[2] += leg->P_T[1] * dP;
    point->C = C;
    point->S[0] = S[0];
    point->S[1] = S[1];
}
