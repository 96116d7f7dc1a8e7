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

// Relative local error of a step, and of directions and velocities where a straight leg follows.
static const double STEP_TOLERANCE = 1e-13;
static const double STOP_TOLERANCE = 1e-12;
// Slip below this part of the velocities is none.
static const double ZERO_SLIP = 1e-14;
// The longest step brings this many times the normal impulse that stops all velocities: it is
// longer than most impacts, and a series is not summed where it says nothing.
static const double LONGEST = 1e3;
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
    // a direction that attracts is reached to STOP_TOLERANCE, one that repels is kept only exactly
    bool attracts = slope < 0 && fabs(across) <= STOP_TOLERANCE * -slope;
    // … and turning that an impact of this scale is too short for is none: without friction g is
    // nothing but rounding where a contact is below its centre of mass
    bool invariant = attracts || fabs(across) <= TURN_ROUNDING * terms ||
                     fabs(across) * scale <= TURN_ROUNDING * c->w * speed;
    // what the turning that is left would change of the impulse until slip stops, (10.25)
    bool stops = along < 0 && slope < 0 &&
                 speed * fabs(across) * terms * terms <=
                     STOP_TOLERANCE * scale * along * along * (-along - slope);
    bool none = along < 0 && speed <= ZERO_SLIP * scale;
    if (!invariant && !stops && !none)
        return false;
    if (attracts) { // to the direction itself, in which rates that nearly cancel are exact
        double angle = -across / slope, x = d[0] - angle * d[1], y = d[1] + angle * d[0];
        d[0] = x;
        d[1] = y;
        slip_rates(c, d, &along, &across, &slope);
    }
    *leg = leg_of(c, d, along);
    *reach = along < 0 ? speed / -along : INFINITY;
    return true;
}

// ---- Taylor series ------------------------------------------------------------------------------

// Σ x_i x_{k−i} + y_i y_{k−i} and, without its ends, Σ v_i v_{k−i}, by their symmetry. Two sums of
// each, since one would wait for itself.
static double squares(const double *x, const double *y, const double *v, int k, double *inner)
{
    double sum[2] = {x[0] * x[k] + y[0] * y[k], 0}, rest[2] = {0, 0};
    int i = 1, j = k - 1;
    for (; i + 1 < j - 1; i += 2, j -= 2) {
        sum[0] += x[i] * x[j] + y[i] * y[j];
        rest[0] += v[i] * v[j];
        sum[1] += x[i + 1] * x[j - 1] + y[i + 1] * y[j - 1];
        rest[1] += v[i + 1] * v[j - 1];
    }
    if (i < j) {
        sum[0] += x[i] * x[j] + y[i] * y[j];
        rest[0] += v[i] * v[j];
        i++;
        j--;
    }
    *inner = 2 * (rest[0] + rest[1]);
    double all = 2 * (sum[0] + sum[1]);
    if (i == j) { // of an even k; else term i of v is still to come
        *inner += v[i] * v[i];
        all += x[i] * x[i] + y[i] * y[i];
    }
    return all;
}

// Length at which the last two terms of S and of |S|, whose series is the slower one where g is
// small, are below the tolerance.
static double step_length(const double *X, const double *Y, const double *v, double longest)
{
    double goal = log(STEP_TOLERANCE * v[0]), length = log(longest);
    for (int k = SPACE_ORDER - 2; k < SPACE_ORDER; k++) {
        double size = fabs(X[k]) + fabs(Y[k]) + fabs(v[k]);
        if (size > 0)
            length = fmin(length, (goal - log(size)) / k);
    }
    return exp(length);
}

void space_step_build(const SpaceContact *c, const SpacePoint *start, double scale, SpaceStep *step)
{
    // τ is scaled by the larger of 1 and μ, so that any friction is finite
    double most = fmax(1, c->mu), ratio = c->mu / most;
    double g0 = c->g[0] / most, g1 = c->g[1] / most;
    double h0 = ratio * c->H[0], h1 = ratio * c->H[1], h2 = ratio * c->H[2];
    double v[SPACE_ORDER + 1], X[SPACE_ORDER + 1], Y[SPACE_ORDER + 1];
    step->start = *start;
    step->most = most;
    step->ratio = ratio;
    X[0] = start->S[0];
    Y[0] = start->S[1];
    v[0] = hypot(X[0], Y[0]);
    double q = v[0] * v[0], inverse = 0.5 / v[0], inner;
    for (int k = 0; k < SPACE_ORDER; k++) {
        double one = 1.0 / (k + 1);
        if (k > 0) {
            q = squares(X, Y, v, k, &inner);
            v[k] = (q - inner) * inverse;
        }
        X[k + 1] = one * (g0 * v[k] - h0 * X[k] - h1 * Y[k]);
        Y[k + 1] = one * (g1 * v[k] - h1 * X[k] - h2 * Y[k]);
        double *term = step->terms[k];
        term[0] = one * v[k];
        term[1] = one * X[k];
        term[2] = one * Y[k];
        term[3] = one * q;
    }
    step->length = step_length(X, Y, v, LONGEST * most * scale / (c->w * v[0]));
}

void space_step_point(const SpaceContact *c, const SpaceStep *step, double tau, SpacePoint *point)
{
    const SpacePoint *start = &step->start;
    double sum[4] = {0, 0, 0, 0}; // ∫ |S| dτ, ∫ S dτ (2), ∫ |S|² dτ
    for (int k = SPACE_ORDER - 1; k >= 0; k--)
        for (int m = 0; m < 4; m++)
            sum[m] = tau * (sum[m] + step->terms[k][m]);
    double P = sum[0] / step->most, x = -step->ratio * sum[1], y = -step->ratio * sum[2];
    double D = step->ratio * sum[3];
    point->P[0] = start->P[0] + P;
    point->P[1] = start->P[1] + x;
    point->P[2] = start->P[2] + y;
    point->C = start->C + (c->w * P + c->g[0] * x + c->g[1] * y);
    point->S[0] = start->S[0] + (c->g[0] * P + c->H[0] * x + c->H[1] * y);
    point->S[1] = start->S[1] + (c->g[1] * P + c->H[1] * x + c->H[2] * y);
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
