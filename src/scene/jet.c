// jet.c: how derivatives in time pass through what formulas are made of.
// Problem   a value x(t) of a formula together with x' and x'' (a jet)
// Method    f(x)' = f' x',  f(x)'' = f'' x'² + f' x''; sums, products, quotients, powers likewise:
//           exact up to rounding
// Assumes   where a function has a kink (abs, min, max) the derivative is that of one side
#include <math.h>

#include "formula.h"

double negative(double x)
{
    return -x;
}
double sum(double x, double y)
{
    return x + y;
}
double difference(double x, double y)
{
    return x - y;
}
double product(double x, double y)
{
    return x * y;
}
double quotient(double x, double y)
{
    return x / y;
}

// ---- One argument -------------------------------------------------------------------------------

static void slopes_negative(double x, double y, double d[2])
{
    (void)x, (void)y;
    d[0] = -1;
    d[1] = 0;
}
static void slopes_sin(double x, double y, double d[2])
{
    d[0] = cos(x);
    d[1] = -y;
}
static void slopes_cos(double x, double y, double d[2])
{
    d[0] = -sin(x);
    d[1] = -y;
}
static void slopes_tan(double x, double y, double d[2])
{
    (void)x;
    d[0] = 1 + y * y;
    d[1] = 2 * y * d[0];
}
static void slopes_asin(double x, double y, double d[2])
{
    (void)y;
    double rest = (1 - x) * (1 + x);
    d[0] = 1 / sqrt(rest);
    d[1] = x * d[0] / rest;
}
static void slopes_acos(double x, double y, double d[2])
{
    slopes_asin(x, y, d);
    d[0] = -d[0];
    d[1] = -d[1];
}
static void slopes_atan(double x, double y, double d[2])
{
    (void)y;
    d[0] = 1 / (1 + x * x);
    d[1] = -2 * x * d[0] * d[0];
}
static void slopes_exp(double x, double y, double d[2])
{
    (void)x;
    d[0] = d[1] = y;
}
static void slopes_log(double x, double y, double d[2])
{
    (void)y;
    d[0] = 1 / x;
    d[1] = -d[0] * d[0];
}
static void slopes_sqrt(double x, double y, double d[2])
{
    d[0] = 0.5 / y;
    d[1] = -0.5 * d[0] / x;
}
static void slopes_abs(double x, double y, double d[2])
{
    (void)y;
    d[0] = x < 0 ? -1 : 1;
    d[1] = 0;
}

Slopes *slopes_of(double (*one)(double))
{
    static const struct {
        double (*one)(double);
        Slopes *slopes;
    } all[] = {{negative, slopes_negative}, {sin, slopes_sin},   {cos, slopes_cos},
               {tan, slopes_tan},           {asin, slopes_asin}, {acos, slopes_acos},
               {atan, slopes_atan},         {exp, slopes_exp},   {log, slopes_log},
               {sqrt, slopes_sqrt},         {fabs, slopes_abs}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].one == one)
            return all[i].slopes;
    return NULL;
}

// ---- Two arguments ------------------------------------------------------------------------------

static void join_sum(const double x[3], const double y[3], double z[3])
{
    for (int i = 0; i < 3; i++)
        z[i] = x[i] + y[i];
}
static void join_difference(const double x[3], const double y[3], double z[3])
{
    for (int i = 0; i < 3; i++)
        z[i] = x[i] - y[i];
}
static void join_product(const double x[3], const double y[3], double z[3])
{
    double both[3] = {x[0] * y[0], x[1] * y[0] + x[0] * y[1],
                      x[2] * y[0] + 2 * x[1] * y[1] + x[0] * y[2]};
    for (int i = 0; i < 3; i++)
        z[i] = both[i];
}
// From x = z y.
static void join_quotient(const double x[3], const double y[3], double z[3])
{
    double value = x[0] / y[0], first = (x[1] - value * y[1]) / y[0];
    double second = (x[2] - 2 * first * y[1] - value * y[2]) / y[0];
    z[0] = value;
    z[1] = first;
    z[2] = second;
}

// x^p with a constant exponent; its derivatives are 0 where a power ends, whatever x is.
static void raise_constant(const double x[3], double p, double z[3])
{
    double first = p == 0 ? 0 : p * pow(x[0], p - 1);
    double second = p == 0 || p == 1 ? 0 : p * (p - 1) * pow(x[0], p - 2);
    double rate = x[1];
    z[0] = pow(x[0], p);
    z[2] = (rate == 0 ? 0 : second * rate * rate) + (x[2] == 0 ? 0 : first * x[2]);
    z[1] = rate == 0 ? 0 : first * rate;
}

// x^y = exp(y log x) where the exponent varies.
static void join_power(const double x[3], const double y[3], double z[3])
{
    if (y[1] == 0 && y[2] == 0) {
        raise_constant(x, y[0], z);
        return;
    }
    double value = pow(x[0], y[0]);
    double l[3] = {log(x[0]), x[1] / x[0], x[2] / x[0] - x[1] * x[1] / (x[0] * x[0])};
    double e[3];
    join_product(y, l, e);
    z[0] = value;
    z[1] = value * e[1];
    z[2] = value * (e[2] + e[1] * e[1]);
}

// atan2(y, x): here the first argument is x[], the second y[].
static void join_atan2(const double x[3], const double y[3], double z[3])
{
    double turn = x[1] * y[0] - x[0] * y[1], square = x[0] * x[0] + y[0] * y[0];
    double turn_rate = x[2] * y[0] - x[0] * y[2], square_rate = 2 * (x[0] * x[1] + y[0] * y[1]);
    z[0] = atan2(x[0], y[0]);
    z[1] = turn / square;
    z[2] = (turn_rate - z[1] * square_rate) / square;
}

static void choose(const double *from, double z[3])
{
    for (int i = 0; i < 3; i++)
        z[i] = from[i];
}
static void join_min(const double x[3], const double y[3], double z[3])
{
    choose(y[0] < x[0] ? y : x, z);
}
static void join_max(const double x[3], const double y[3], double z[3])
{
    choose(y[0] > x[0] ? y : x, z);
}

Join *join_of(double (*two)(double, double))
{
    static const struct {
        double (*two)(double, double);
        Join *join;
    } all[] = {{sum, join_sum},         {difference, join_difference},
               {product, join_product}, {quotient, join_quotient},
               {pow, join_power},       {atan2, join_atan2},
               {fmin, join_min},        {fmax, join_max}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].two == two)
            return all[i].join;
    return NULL;
}

// ---- A whole formula ----------------------------------------------------------------------------

static void apply_slopes(const Operation *operation, double x[3])
{
    double d[2], y = operation->one(x[0]);
    if (x[1] == 0 && x[2] == 0) { // a constant: no derivative of it may spoil the rest
        x[0] = y;
        return;
    }
    operation->slopes(x[0], y, d);
    x[2] = d[1] * x[1] * x[1] + d[0] * x[2];
    x[1] = d[0] * x[1];
    x[0] = y;
}

static void push(double *top, double value, double rate)
{
    top[0] = value;
    top[1] = rate;
    top[2] = 0;
}

void program_evaluate_jet(const Program *program, double t, double value[3])
{
    double stack[MAX_PROGRAM_DEPTH][3];
    int top = 0;
    for (int i = 0; i < program->count; i++) {
        const Operation *operation = &program->operations[i];
        switch (operation->kind) {
        case PUSH_NUMBER:
            push(stack[top++], operation->number, 0);
            break;
        case PUSH_TIME:
            push(stack[top++], t, 1);
            break;
        case APPLY_ONE:
            apply_slopes(operation, stack[top - 1]);
            break;
        case APPLY_TWO:
            top--;
            operation->join(stack[top - 1], stack[top], stack[top - 1]);
            break;
        }
    }
    for (int i = 0; i < 3; i++)
        value[i] = top == 1 ? stack[0][i] : NAN;
}
