// root_extrema.c: two roots between neighbouring samples.
// Problem   g > 0 at both ends of an interval (after multiplication by its sign): is there a t
//           between them with g(t) ≤ 0?
// Method    only if g falls at the left end and rises at the right one, with slopes from the
//           polynomial through all samples [Trefethen2000, p. 53], and the tangents there meet
//           below zero: they bound a convex g. Then the minimum is located by parabolas through the
//           three best points, safeguarded by golden sections as in [Brent1973, ch. 5].
// Assumes   one extremum between the samples
// Result    a point beyond zero, which root.c takes as one more sample, or none
#include <math.h>
#include <string.h>

#include "root_private.h"

enum { MAX_POINTS = 60 }; // golden sections alone reach EXTREMUM_WIDTH in 40

// Derivatives at samples are those of a polynomial: allow for this factor before a pair of tangents
// rules out an extremum beyond zero.
static const double SLOPE_MARGIN = 1.5;
// An extremum is certainly not beyond zero when parabolas predict twice in a row that it keeps this
// part of its distance from zero.
static const double KEPT_PART = 0.5;
// It is not located better than this fraction of the interval: where it is flat on that scale the
// value does not change by more than its square.
static const double EXTREMUM_WIDTH = 1e-8;
static const double GOLDEN = 0.38196601125010515; // (3 − √5)/2

// A function times its sign, at u, on the way to an extremum near zero.
typedef struct Dip {
    double u[3], value[3]; // left, best, right
} Dip;

void sprag_root_fill_slopes(SpragRootFinder *finder)
{
    int count = finder->problem->count;
    for (int j = 0; j < finder->node_count; j++) {
        double *restrict slope = root_slope(finder, j);
        memset(slope, 0, (size_t)count * sizeof *slope);
        for (int m = 0; m < finder->node_count; m++) {
            const double weight = finder->slopes[j][m], *restrict g = root_sample(finder, m);
            for (int i = 0; i < count; i++)
                slope[i] += weight * g[i];
        }
    }
}

bool sprag_root_may_dip(const SpragRootFinder *finder, int i, int j, double *u)
{
    double sign = finder->signs[i];
    double left = sign * root_sample(finder, j - 1)[i], right = sign * root_sample(finder, j)[i];
    if (!(left > 0.0 && right > 0.0))
        return false;
    // a function that starts at zero has a value and a slope there that are rounding
    const double *zeros = finder->problem->zeros;
    if (j == 1 && zeros && left <= zeros[i])
        return false;
    double slope[2] = {sign * root_slope(finder, j - 1)[i], sign * root_slope(finder, j)[i]};
    if (!(slope[0] < 0.0 && slope[1] > 0.0))
        return false;
    double width = finder->nodes[j] - finder->nodes[j - 1];
    double fall = -SLOPE_MARGIN * slope[0], rise = SLOPE_MARGIN * slope[1];
    double meet = (left - right + rise * width) / (fall + rise);
    meet = meet < 0.0 ? 0.0 : meet > width ? width : meet;
    double bound_left = left - fall * meet, bound_right = right - rise * (width - meet);
    if ((bound_left > bound_right ? bound_left : bound_right) > 0.0)
        return false;
    // the extremum of the cubic between slopes of opposite signs
    double d1 = slope[0] + slope[1] - 3.0 * (right - left) / width;
    double d2 = sqrt(d1 * d1 - slope[0] * slope[1]);
    *u = finder->nodes[j] - width * (slope[1] + d2 - d1) / (slope[1] - slope[0] + 2.0 * d2);
    return *u > finder->nodes[j - 1] && *u < finder->nodes[j];
}

// The next point: the minimum of the parabola through the three, its value in *predicted; a golden
// section of the longer side where that is no new point.
static double choose_dip_point(const Dip *dip, double smallest, double *predicted)
{
    double a = dip->u[0] - dip->u[1], b = dip->u[2] - dip->u[1];
    double slope_a = (dip->value[0] - dip->value[1]) / a;
    double slope_b = (dip->value[2] - dip->value[1]) / b;
    double curvature = (slope_b - slope_a) / (b - a), slope = slope_a - curvature * a;
    double move = -0.5 * slope / curvature;
    *predicted = dip->value[1] + 0.5 * slope * move;
    if (move > a + smallest && move < b - smallest && fabs(move) > smallest)
        return dip->u[1] + move;
    return dip->u[1] + GOLDEN * (b > -a ? b : a);
}

// Takes (u, value) in; returns the next point, and in *predicted the value to expect.
static double update_dip(Dip *dip, double u, double value, double *predicted)
{
    int side = u < dip->u[1] ? 0 : 2;
    if (value < dip->value[1]) {
        // the old best point, if any, becomes the end on the other side
        if (isfinite(dip->value[1])) {
            dip->u[2 - side] = dip->u[1];
            dip->value[2 - side] = dip->value[1];
        }
        side = 1;
    }
    dip->u[side] = u;
    dip->value[side] = value;
    *predicted = 0.0;
    for (int end = 0; end <= 2; end += 2)
        if (dip->value[1] >= dip->value[end]) {
            // the minimum is between this point and an end that is lower: no best point yet
            dip->u[2 - end] = dip->u[1];
            dip->value[2 - end] = dip->value[1];
            dip->value[1] = INFINITY;
            return dip->u[1] = 0.5 * (dip->u[0] + dip->u[2]);
        }
    return choose_dip_point(dip, EXTREMUM_WIDTH, predicted);
}

SpragStatus sprag_root_follow_dip(SpragRootFinder *finder, int i, int j, double u, bool *found)
{
    double sign = finder->signs[i], predicted = 0.0;
    Dip dip = {{finder->nodes[j - 1], u, finder->nodes[j]},
               {sign * root_sample(finder, j - 1)[i], INFINITY, sign * root_sample(finder, j)[i]}};
    int hopeless = 0;
    for (int point = 0; point < MAX_POINTS && hopeless < 2; point++) {
        double *g = root_free_buffer(finder);
        SPRAG_TRY(sprag_root_evaluate(finder, root_time(finder, u), g));
        if (root_is_over(finder))
            return SPRAG_OK;
        *found = sign * g[i] <= 0.0;
        if (*found) {
            finder->extrema[i] = u;
            return SPRAG_OK;
        }
        u = update_dip(&dip, u, sign * g[i], &predicted);
        if (dip.u[2] - dip.u[0] < 4.0 * EXTREMUM_WIDTH)
            return SPRAG_OK;
        hopeless = predicted > KEPT_PART * dip.value[1] ? hopeless + 1 : 0;
    }
    return SPRAG_OK;
}
