// root.c: the earliest root of several functions on an interval, usually the dense output of a
// step.
//
// Problem   g_i(t), i = 0 … count − 1, continuous between t_begin and t_end. Find the earliest t at
//           which some g_i passes through zero in its direction, with a bracket [before, after] of
//           width ≤ tolerance: no function has passed at before, those in `fired` have at after.
// Method    1. Sample all functions at the Chebyshev points of the interval.
//           2. From sample to sample: a function passes between two neighbours if its sign changes
//              from the old one to the other one or to zero, in the direction asked for. A change
//              in the other direction is no root; the function goes on with its new sign.
//           3. Two roots between neighbours leave no change of sign. The derivative of the
//              polynomial through the samples [Trefethen2000, p. 53] tells where a function
//              approaches zero at the left neighbour and leaves it at the right one; unless the
//              tangents there meet before zero, its extremum between them is located by parabolas
//              safeguarded by golden sections, as in [Brent1973, ch. 5], until it is beyond zero,
//              when it becomes a sample more, or certainly not.
//           4. The bracket shrinks for all functions at once, as in Hiebert and Shampine's report
//              (Sandia SAND80-0180, 1980): at each point the functions that passed say which part
//              holds the earliest root. The next point is the root estimate of the function whose
//              secant is the earliest: inverse quadratic interpolation where it is safe, else
//              bisection [Chandrupatla1997, p. 145], and bisection where the bracket did not halve
//              in STALL_LIMIT points.
// Zero at the start
//           A function within `zeros` of zero at t_begin (an event that was just treated) is
//           inactive until a sample beyond that; its sign there is its old sign. While there are
//           such functions one sample more is taken soon after t_begin. With `guards` a function
//           that has a direction belongs on the side it may leave: found beyond zero on the other
//           one it has passed, however short its stay before was.
// Input     problem: see integrate.h; directions by their sign; zeros ≥ 0; values_begin finite
//           finder: settings.tolerance ≥ 0, 0 ≤ sub_points ≤ 14
// Output    root: all fields; arrays transient
// Returns   OK with outcome
//             NONE        no function passed; values_end is set
//             FOUND       t, before, after, fired, values_before, values_after are set
//             NOT_FINITE  a value is not finite at t = after, the first such function in fired
//             REFUSED     the function returned > 0 at t = after
//           ERROR_CALLBACK  the function returned < 0
//           ERROR_ARGUMENT  t_begin or t_end is not finite, or count < 0
//           ERROR_MEMORY    more functions than ever before, and no memory
// Not found roots in pairs that come and go between neighbouring samples without an extremum that
//           the polynomial sees: raise sub_points, or limit the step.
#include <float.h>
#include <math.h>
#include <string.h>

#include "root_private.h"

enum {
    SETTINGS_COOKIE = 0x5350524f,
    STALL_LIMIT = 4 // one-sided superlinear convergence takes this many, then something is odd
};

// A bracket narrower than this many ulp has no points inside to choose from.
static const double SMALLEST_BRACKET_ULPS = 4.0;
// The sample for functions that are zero at the start, as a fraction of the way to the first one.
static const double PROBE_FRACTION = 0.125;
// Those taken before it where a guard begins beyond its zero by so little that it counts as zero:
// it may come back for a moment before it leaves for good.
static const double EARLY_PROBES[] = {1e-6, 1e-3};

// ---- Create and destroy -------------------------------------------------------------------------

SpragRootSettings sprag_root_default(void)
{
    SpragRootSettings settings = {0};
    settings.sub_points = 3;
    settings.extrema = true;
    settings.cookie = SETTINGS_COOKIE;
    return settings;
}

// Chebyshev points on 0 … 1 and their differentiation matrix [Trefethen2000, p. 53], its diagonal
// from the rule that constants have no slope.
static void fill_nodes(SpragRootFinder *finder)
{
    int last = finder->node_count - 1;
    double *u = finder->nodes;
    for (int i = 0; i <= last; i++) {
        double sine = sin(1.5707963267948966 * i / last);
        u[i] = sine * sine;
    }
    u[last] = 1.0;
    for (int i = 0; i <= last; i++) {
        double sum = 0.0;
        for (int j = 0; j <= last; j++) {
            if (i == j)
                continue;
            double weight_i = i == 0 || i == last ? 2.0 : 1.0;
            double weight_j = j == 0 || j == last ? 2.0 : 1.0;
            double sign = (i + j) % 2 ? -1.0 : 1.0;
            finder->slopes[i][j] = sign * weight_i / (weight_j * (u[i] - u[j]));
            sum += finder->slopes[i][j];
        }
        finder->slopes[i][i] = -sum;
    }
}

SpragStatus sprag_root_finder_create(SpragContext *context, const SpragRootSettings *settings,
                                     SpragRootFinder **finder)
{
    *finder = NULL;
    SpragRootSettings chosen = settings ? *settings : sprag_root_default();
    if (chosen.cookie != SETTINGS_COOKIE)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "root settings do not come from sprag_root_default");
    if (!(chosen.tolerance >= 0.0) || chosen.sub_points < 0 ||
        chosen.sub_points > SPRAG_ROOT_MAX_SUB_POINTS)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "root tolerance %g or number of samples %d is out of range",
                          chosen.tolerance, chosen.sub_points);
    SpragRootFinder *created = sprag_alloc(context, 1, sizeof *created);
    if (!created)
        return SPRAG_ERROR_MEMORY;
    created->context = context;
    created->settings = chosen;
    created->node_count = chosen.sub_points + 2;
    fill_nodes(created);
    *finder = created;
    return SPRAG_OK;
}

void sprag_root_finder_destroy(SpragRootFinder *finder)
{
    if (!finder)
        return;
    sprag_free(finder->context, finder->samples);
    sprag_free(finder->context, finder->extrema);
    sprag_free(finder->context, finder->signs);
    sprag_free(finder->context, finder);
}

static SpragStatus reserve(SpragRootFinder *finder, int count)
{
    size_t items = (size_t)count;
    SPRAG_TRY(sprag_reserve(finder->context, &finder->samples, &finder->sample_capacity,
                            items * (size_t)(2 * finder->node_count + ROOT_BUFFERS),
                            sizeof(double)));
    SPRAG_TRY(sprag_reserve(finder->context, &finder->extrema, &finder->extremum_capacity, items,
                            sizeof(double)));
    SPRAG_TRY(sprag_reserve(finder->context, &finder->signs, &finder->sign_capacity, 2 * items,
                            sizeof(int)));
    finder->fired = finder->signs + items;
    return SPRAG_OK;
}

// ---- Evaluation ---------------------------------------------------------------------------------

// Looks for the first value that is not finite. A bad value ends the search: outcome ≠ NONE.
static void check_values(SpragRootFinder *finder, double t, const double *g)
{
    for (int i = 0; i < finder->problem->count; i++)
        if (!isfinite(g[i])) {
            finder->root->outcome = SPRAG_ROOT_NOT_FINITE;
            finder->root->after = t;
            finder->fired[i] = 1;
            finder->root->fired_count = 1;
            return;
        }
}

SpragStatus sprag_root_evaluate(SpragRootFinder *finder, double t, double *g)
{
    finder->root->evaluations++;
    int code = finder->problem->function(t, g, finder->problem->user);
    if (code < 0)
        return sprag_fail(finder->context, SPRAG_ERROR_CALLBACK,
                          "the event functions stopped the search at t = %.17g", t);
    if (code == 0) {
        check_values(finder, t, g);
        return SPRAG_OK;
    }
    finder->root->outcome = SPRAG_ROOT_REFUSED;
    finder->root->after = t;
    return SPRAG_OK;
}

// ---- Signs --------------------------------------------------------------------------------------

static int sign_of(double x)
{
    return (x > 0.0) - (x < 0.0);
}

// +1 or −1 if function i, from its old sign to `value`, passed in its direction; else 0.
static int passed(const SpragRootFinder *finder, int i, double value)
{
    const SpragRootProblem *problem = finder->problem;
    int sign = finder->signs[i], direction = problem->directions ? problem->directions[i] : 0;
    if (sign == 0 && problem->guards)
        return sign_of(direction) * value > (problem->zeros ? problem->zeros[i] : 0.0)
                   ? sign_of(direction)
                   : 0;
    if (sign == 0 || sign * value > 0.0)
        return 0;
    return direction * sign > 0 ? 0 : -sign;
}

static bool any_passed(const SpragRootFinder *finder, const double *g)
{
    for (int i = 0; i < finder->problem->count; i++)
        if (passed(finder, i, g[i]))
            return true;
    return false;
}

// Moves the low end to a point where no function passed; signs become those there.
static void settle(SpragRootFinder *finder, Point point)
{
    const double *zeros = finder->problem->zeros;
    for (int i = 0; i < finder->problem->count; i++) {
        double zero = finder->signs[i] == 0 && zeros ? zeros[i] : 0.0;
        if (fabs(point.g[i]) > zero)
            finder->signs[i] = sign_of(point.g[i]);
    }
    finder->low = point;
}

// The low end goes back to the begin, where all functions that are zero there count as such again,
// but for those that have passed at g.
static void go_back(SpragRootFinder *finder, const double *g)
{
    const double *zeros = finder->problem->zeros;
    const double *begin = root_sample(finder, 0);
    for (int i = 0; i < finder->problem->count; i++)
        if (fabs(begin[i]) <= (zeros ? zeros[i] : 0.0) && !passed(finder, i, g[i]))
            finder->signs[i] = 0;
    finder->low = (Point){finder->problem->t_begin, root_sample(finder, 0)};
}

// Guards that were zero at the start and have passed at g get the sign that they had in between, so
// that the bracket shrinks to their zero. One that is beyond it at the low end already, by so
// little that it counted as zero, has passed before.
static void arm_guards(SpragRootFinder *finder, const double *g)
{
    bool before = false;
    for (int i = 0; i < finder->problem->count; i++) {
        if (finder->signs[i] != 0)
            continue;
        finder->signs[i] = -passed(finder, i, g[i]);
        before |= finder->signs[i] * finder->low.g[i] < 0.0;
    }
    if (before && finder->low.t != finder->problem->t_begin)
        go_back(finder, g);
}

// ---- The bracket --------------------------------------------------------------------------------

// The function whose secant between low and high is zero first, among those that passed at high.
static int choose_lead(const SpragRootFinder *finder)
{
    int lead = -1;
    double largest = -1.0;
    for (int i = 0; i < finder->problem->count; i++) {
        double low = fabs(finder->low.g[i]), high = fabs(finder->high.g[i]);
        if (!passed(finder, i, finder->high.g[i]))
            continue;
        // part of the bracket that lies after the zero; a low value of 0 asks for the low end
        double part = high > 0.0 ? high / (low + high) : 0.0;
        if (part > largest) {
            largest = part;
            lead = i;
        }
    }
    return lead;
}

// Estimate of the root of function i, as a fraction of the bracket.
static double estimate(const SpragRootFinder *finder, int i)
{
    const Point *low = &finder->low, *high = &finder->high, *third = &finder->third;
    double width = high->t - low->t;
    double f_low = low->g[i], f_high = high->g[i];
    if (!third->g)
        return f_low / (f_low - f_high);
    // x1 is the end next to the third point, x2 the other end
    bool beyond = (third->t - high->t) * width > 0.0;
    double f1 = beyond ? f_high : f_low, f2 = beyond ? f_low : f_high, f3 = third->g[i];
    double x2 = beyond ? low->t : high->t;
    double x1 = beyond ? high->t : low->t;
    double xi = (x1 - x2) / (third->t - x2);
    double phi = (f1 - f2) / (f3 - f2);
    // inverse quadratic interpolation is monotonic, hence inside [Chandrupatla1997]
    if (!(phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi))
        return 0.5;
    double s = f1 / (f2 - f1) * f3 / (f2 - f3) +
               (third->t - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2);
    return beyond ? 1.0 - s : s;
}

// The next point to look at, between the ends, at least half the tolerance away from both.
static double choose_point(const SpragRootFinder *finder, bool bisect)
{
    double width = finder->high.t - finder->low.t;
    double fraction = bisect ? 0.5 : estimate(finder, choose_lead(finder));
    double margin = 0.5 * finder->tolerance / fabs(width);
    if (!(fraction > 0.0 && fraction < 1.0))
        fraction = 0.5;
    // past the estimate as seen from the nearer end, so that a good estimate ends the search
    fraction += fraction < 0.5 ? margin : -margin;
    if (fraction < margin)
        fraction = margin;
    if (fraction > 1.0 - margin)
        fraction = 1.0 - margin;
    return finder->low.t + fraction * width;
}

static void report(SpragRootFinder *finder)
{
    SpragRoot *root = finder->root;
    root->outcome = SPRAG_ROOT_FOUND;
    root->before = finder->low.t;
    root->after = finder->high.t;
    root->values_before = finder->low.g;
    root->values_after = finder->high.g;
    for (int i = 0; i < finder->problem->count; i++) {
        finder->fired[i] = passed(finder, i, finder->high.g[i]);
        root->fired_count += finder->fired[i] != 0;
    }
    int lead = choose_lead(finder);
    double low = fabs(finder->low.g[lead]), high = fabs(finder->high.g[lead]);
    double fraction = low + high > 0.0 ? low / (low + high) : 1.0;
    root->t = fraction < 1.0 ? root->before + fraction * (root->after - root->before) : root->after;
}

// Shrinks the bracket from low to high to the tolerance.
static SpragStatus locate(SpragRootFinder *finder)
{
    int stalled = 0;
    double halved = fabs(finder->high.t - finder->low.t);
    while (fabs(finder->high.t - finder->low.t) > finder->tolerance) {
        double t = choose_point(finder, stalled >= STALL_LIMIT), *g = root_free_buffer(finder);
        Point point = {t, g};
        SPRAG_TRY(sprag_root_evaluate(finder, t, g));
        if (root_is_over(finder))
            return SPRAG_OK;
        if (any_passed(finder, point.g)) {
            finder->third = finder->high;
            finder->high = point;
            arm_guards(finder, point.g);
        } else {
            finder->third = finder->low;
            settle(finder, point);
        }
        double width = fabs(finder->high.t - finder->low.t);
        stalled = width <= 0.5 * halved ? 0 : stalled + 1;
        halved = width <= 0.5 * halved ? width : halved;
    }
    report(finder);
    return SPRAG_OK;
}

// From low to `point`: locates a root between them, or moves low. third: a sample beside both, −1:
// there is none.
static SpragStatus advance(SpragRootFinder *finder, Point point, int third)
{
    if (!any_passed(finder, point.g)) {
        settle(finder, point);
        return SPRAG_OK;
    }
    arm_guards(finder, point.g);
    finder->high = point;
    if (third >= 0)
        finder->third =
            (Point){root_time(finder, finder->nodes[third]), root_sample(finder, third)};
    return locate(finder);
}

// The same for a point that is no sample.
static SpragStatus advance_between(SpragRootFinder *finder, double t, int third)
{
    double *g = root_free_buffer(finder);
    SPRAG_TRY(sprag_root_evaluate(finder, t, g));
    return root_is_over(finder) ? SPRAG_OK : advance(finder, (Point){t, g}, third);
}

// ---- Extrema ------------------------------------------------------------------------------------

// Extrema beyond zero between nodes j − 1 and j, in the order of time: each is one more point.
static SpragStatus visit_extrema(SpragRootFinder *finder, int j, int third)
{
    int count = finder->problem->count;
    double u = 0.0;
    bool any = false;
    for (int i = 0; i < count; i++) {
        bool found = false;
        finder->extrema[i] = INFINITY;
        if (finder->signs[i] != 0 && sprag_root_may_dip(finder, i, j, &u))
            SPRAG_TRY(sprag_root_follow_dip(finder, i, j, u, &found));
        if (root_is_over(finder))
            return SPRAG_OK;
        any = any || found;
    }
    for (double last = 0.0; any && !root_is_over(finder); last = u) {
        u = INFINITY;
        for (int i = 0; i < count; i++)
            if (finder->extrema[i] > last && finder->extrema[i] < u)
                u = finder->extrema[i];
        if (isinf(u))
            break;
        SPRAG_TRY(advance_between(finder, root_time(finder, u), third));
    }
    return SPRAG_OK;
}

// ---- The search ---------------------------------------------------------------------------------

static SpragStatus take_samples(SpragRootFinder *finder)
{
    const SpragRootProblem *problem = finder->problem;
    int first = problem->values_begin ? 1 : 0;
    if (first == 1) {
        memmove(root_sample(finder, 0), problem->values_begin,
                (size_t)problem->count * sizeof *problem->values_begin);
        check_values(finder, problem->t_begin, root_sample(finder, 0));
    }
    for (int j = first; j < finder->node_count && !root_is_over(finder); j++)
        SPRAG_TRY(sprag_root_evaluate(finder, root_time(finder, finder->nodes[j]),
                                      root_sample(finder, j)));
    return SPRAG_OK;
}

// Whether a guard that counts as zero at the begin is beyond its zero there.
static bool begins_beyond(const SpragRootFinder *finder)
{
    const SpragRootProblem *problem = finder->problem;
    for (int i = 0; problem->guards && problem->directions && i < problem->count; i++)
        if (finder->signs[i] == 0 && problem->directions[i] * finder->low.g[i] > 0.0)
            return true;
    return false;
}

// Points soon after the begin, where functions that are zero there get their signs.
static SpragStatus probe(SpragRootFinder *finder)
{
    enum { EARLY = sizeof EARLY_PROBES / sizeof *EARLY_PROBES };
    int third = finder->node_count > 2 ? 2 : 1;
    for (int i = begins_beyond(finder) ? 0 : EARLY; i <= EARLY && !root_is_over(finder); i++) {
        double fraction = i < EARLY ? EARLY_PROBES[i] : PROBE_FRACTION;
        double t = root_time(finder, fraction * finder->nodes[1]);
        if (i == EARLY || fabs(t - finder->low.t) > finder->tolerance)
            SPRAG_TRY(advance_between(finder, t, third));
    }
    return SPRAG_OK;
}

static SpragStatus search(SpragRootFinder *finder)
{
    int last = finder->node_count - 1;
    bool extrema = finder->settings.extrema && last > 1;
    SPRAG_TRY(take_samples(finder));
    if (root_is_over(finder))
        return SPRAG_OK;
    if (extrema)
        sprag_root_fill_slopes(finder);
    settle(finder, (Point){finder->problem->t_begin, root_sample(finder, 0)});
    bool inactive = false;
    for (int i = 0; i < finder->problem->count; i++)
        inactive = inactive || finder->signs[i] == 0;
    if (inactive)
        SPRAG_TRY(probe(finder));
    for (int j = 1; j <= last && !root_is_over(finder); j++) {
        int third = j < last ? j + 1 : j - 2;
        if (extrema)
            SPRAG_TRY(visit_extrema(finder, j, third));
        if (!root_is_over(finder))
            SPRAG_TRY(advance(finder,
                              (Point){root_time(finder, finder->nodes[j]), root_sample(finder, j)},
                              third));
    }
    return SPRAG_OK;
}

SpragStatus sprag_root_find(SpragRootFinder *finder, const SpragRootProblem *problem,
                            SpragRoot *root)
{
    memset(root, 0, sizeof *root);
    if (problem->count < 0 || !isfinite(problem->t_begin) || !isfinite(problem->t_end))
        return sprag_fail(finder->context, SPRAG_ERROR_ARGUMENT,
                          "no roots of %d functions between %g and %g", problem->count,
                          problem->t_begin, problem->t_end);
    if (problem->count == 0 || problem->t_begin == problem->t_end)
        return SPRAG_OK;
    SPRAG_TRY(reserve(finder, problem->count));
    memset(finder->signs, 0, 2 * (size_t)problem->count * sizeof *finder->signs);
    finder->problem = problem;
    finder->root = root;
    finder->low = finder->high = finder->third = (Point){0.0, NULL};
    double largest = fmax(fabs(problem->t_begin), fabs(problem->t_end));
    finder->tolerance =
        fmax(finder->settings.tolerance, SMALLEST_BRACKET_ULPS * DBL_EPSILON * largest);
    root->fired = finder->fired;
    SPRAG_TRY(search(finder));
    root->values_end = root->outcome == SPRAG_ROOT_NONE || root->outcome == SPRAG_ROOT_FOUND
                           ? root_sample(finder, finder->node_count - 1)
                           : NULL;
    return SPRAG_OK;
}
