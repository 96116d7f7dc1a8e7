// contact_space_roots.c: all zeros of a trigonometric polynomial of degree two, theory.md (13.12).
// Method    t = tan χ/2 on each half of the circle, |t| ≤ 1, makes a quartic. Zeros of each
//           derivative, from the linear one up, split the interval into pieces on which the next
//           one is monotone, so no zero is missed, however close it is to others
#include <math.h>

#include "contact_space.h"

enum { DEGREE = 4 };
static const double HALF_TURN = 3.14159265358979323846;
// An extremum this near to zero, relative to the coefficients, touches it.
static const double TOUCHES = 1e-13;

static double evaluate(const double *a, int degree, double t)
{
    double value = a[degree];
    for (int i = degree - 1; i >= 0; i--)
        value = value * t + a[i];
    return value;
}

// The zero between low and high, where the signs differ: Newton's method inside a bracket.
static double solve(const double *a, const double *derivative, int degree, double low, double high)
{
    double at_low = evaluate(a, degree, low);
    double t = 0.5 * (low + high);
    for (int i = 0; i < 100 && high - low > 1e-16; i++) {
        double value = evaluate(a, degree, t);
        if (value == 0)
            return t;
        if ((value > 0) == (at_low > 0))
            low = t;
        else
            high = t;
        double slope = evaluate(derivative, degree - 1, t);
        double next = slope != 0 ? t - value / slope : low;
        if (fabs(next - t) <= 1e-17)
            return next;
        t = next > low && next < high ? next : 0.5 * (low + high);
    }
    return t;
}

// Zeros of polynomial `level` (a derivative of the quartic, of that degree) between the stations,
// which are zeros of the derivative, −1 and 1. Returns their number.
static int solve_between(double table[DEGREE + 1][DEGREE + 1], int level, int station_count,
                         const double *stations, double *roots)
{
    int count = 0;
    const double *a = table[level], *derivative = table[level - 1];
    double scale = 0;
    for (int i = 0; i <= level; i++)
        scale = fmax(scale, fabs(a[i]));
    bool before = false; // the piece before ends in a zero of its own
    for (int i = 0; i + 1 < station_count; i++) {
        double low = evaluate(a, level, stations[i]), high = evaluate(a, level, stations[i + 1]);
        bool crosses = (low > 0) != (high > 0);
        // a zero that is touched at a station, once; at the ends the other half may see it too
        if (level == DEGREE && !before && !crosses && fabs(low) <= TOUCHES * scale)
            roots[count++] = stations[i];
        if (crosses)
            roots[count++] = solve(a, derivative, level, stations[i], stations[i + 1]);
        before = crosses;
    }
    return count;
}

static int solve_quartic(const double quartic[DEGREE + 1], double *roots)
{
    double table[DEGREE + 1][DEGREE + 1] = {{0}};
    double stations[DEGREE + 2];
    for (int i = 0; i <= DEGREE; i++)
        table[DEGREE][i] = quartic[i];
    for (int level = DEGREE; level > 0; level--)
        for (int i = 1; i <= level; i++)
            table[level - 1][i - 1] = i * table[level][i];
    int count = 0;
    for (int level = 1; level <= DEGREE; level++) {
        int station_count = 0;
        stations[station_count++] = -1;
        for (int i = 0; i < count; i++)
            stations[station_count++] = roots[i];
        stations[station_count++] = 1;
        count = solve_between(table, level, station_count, stations, roots);
    }
    return count;
}

int trigonometric_roots(const double c[5], double roots[TRIGONOMETRIC_ROOTS])
{
    int count = 0;
    for (int half = 0; half < 2; half++) {
        double sign = half ? -1 : 1, found[2 * DEGREE];
        double c1 = sign * c[1], c2 = sign * c[2];
        double quartic[DEGREE + 1] = {c[0] + c1 + c[3], 2 * c2 + 4 * c[4], 2 * c[0] - 6 * c[3],
                                      2 * c2 - 4 * c[4], c[0] - c1 + c[3]};
        int number = solve_quartic(quartic, found);
        for (int i = 0; i < number; i++)
            roots[count++] = 2 * atan(found[i]) + half * HALF_TURN;
    }
    return count;
}
