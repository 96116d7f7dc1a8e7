// scalar_curve.c: tables as curves: straight pieces or a natural cubic spline.
// Method    the second derivatives M_i of the natural spline solve the tridiagonal system
//           h_{i-1} M_{i-1} + 2 (h_{i-1} + h_i) M_i + h_i M_{i+1} = 6 (slope_i - slope_{i-1}),
//           M_0 = M_n = 0, by elimination without pivoting: it is diagonally dominant.
#include "sprag/scalar.h"

static double slope_between(const double *x, const double *y, int i)
{
    return (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
}

void sprag_curve_bend(int count, const double *x, const double *y, double *bend, double *work)
{
    bend[0] = work[0] = 0;
    for (int i = 1; i < count - 1; i++) {
        double before = x[i] - x[i - 1], after = x[i + 1] - x[i];
        double pivot = 2 * (before + after) - before * work[i - 1];
        double right = 6 * (slope_between(x, y, i) - slope_between(x, y, i - 1));
        work[i] = after / pivot;
        bend[i] = (right - before * bend[i - 1]) / pivot;
    }
    bend[count - 1] = 0;
    for (int i = count - 2; i > 0; i--)
        bend[i] -= work[i] * bend[i + 1];
}

// The piece that holds x, by bisection.
static int find_piece(const SpragCurve *curve, double x)
{
    int low = 0, high = curve->count - 1;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (x < curve->x[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

// Outside a spline the end tangent, outside straight pieces the end value.
static void beyond(const SpragCurve *curve, double x, double derivatives[3])
{
    int last = curve->count - 1;
    int end = x < curve->x[0] ? 0 : last;
    derivatives[0] = curve->y[end];
    derivatives[1] = derivatives[2] = 0;
    if (!curve->bend || curve->count < 2)
        return;
    int piece = end == 0 ? 0 : last - 1;
    double h = curve->x[piece + 1] - curve->x[piece];
    double inner = end == 0 ? -curve->bend[1] : curve->bend[last - 1];
    derivatives[1] = slope_between(curve->x, curve->y, piece) + inner * h / 6;
    derivatives[0] += derivatives[1] * (x - curve->x[end]);
}

void sprag_curve_evaluate(const SpragCurve *curve, double x, double derivatives[3])
{
    if (curve->count < 2 || x < curve->x[0] || x > curve->x[curve->count - 1]) {
        beyond(curve, x, derivatives);
        return;
    }
    int i = find_piece(curve, x);
    double h = curve->x[i + 1] - curve->x[i];
    double right = (x - curve->x[i]) / h, left = 1 - right;
    derivatives[0] = left * curve->y[i] + right * curve->y[i + 1];
    derivatives[1] = slope_between(curve->x, curve->y, i);
    derivatives[2] = 0;
    if (!curve->bend)
        return;
    double m0 = curve->bend[i], m1 = curve->bend[i + 1];
    derivatives[0] +=
        ((left * left * left - left) * m0 + (right * right * right - right) * m1) * h * h / 6;
    derivatives[1] += ((3 * right * right - 1) * m1 - (3 * left * left - 1) * m0) * h / 6;
    derivatives[2] = left * m0 + right * m1;
}
