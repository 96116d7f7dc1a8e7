// record_account.c: first, last, least, largest and mean value of a signal over a run.
// Problem   a run is smooth in pieces, between events; samples at an output step miss the extrema
//           by O(step²), and the mean too
// Method    nine Chebyshev points in each piece. The mean is Clenshaw and Curtis' rule over them,
//           exact to the degree 8 (the dense output has degree 7). A point that is above its
//           neighbours, or an end that the signal leaves upwards, is refined by Brent's
//           minimisation on the dense output: golden sections, and parabolas where they help.
// Assumes   that a signal has at most one extremum between two of these points: the step control
//           of the integration keeps a piece far shorter than an oscillation
// Without pieces: the extrema of the samples, and the trapezoidal rule.
#include <math.h>

#include "record_private.h"

static const double node_at[NODE_COUNT] = {
    0,   0.03806023374435662, 0.14644660940672624, 0.3086582838174551,
    0.5, 0.6913417161825449,  0.8535533905932738,  0.9619397662556434,
    1};
static const double node_weight[NODE_COUNT] = {
    1.0 / 126,          0.07310932460800908, 44.0 / 315,          0.1808589293602449, 62.0 / 315,
    0.1808589293602449, 44.0 / 315,          0.07310932460800908, 1.0 / 126};

// ---- One value after the other ------------------------------------------------------------------

static void take_extremes(Account *account, double value)
{
    account->least = fmin(account->least, value);
    account->most = fmax(account->most, value);
}

// A value of the window; `after`: behind an event at that time.
static void take(Account *account, double t, double value, bool after)
{
    if (isnan(value))
        return;
    if (!account->met) {
        account->met = true;
        account->first_at = account->last_at = t;
        account->first = account->last = account->least = account->most = value;
    }
    if (after && t == account->first_at)
        account->first = value;
    if (t >= account->last_at) {
        account->last_at = t;
        account->last = value;
    }
    take_extremes(account, value);
}

static bool is_inside(const Account *account, double t)
{
    return t >= account->want.from && t <= account->want.to;
}

// ---- Samples ------------------------------------------------------------------------------------

// The straight line from the sample before, as far as it lies in the window.
static void take_line(Account *account, double t, double value)
{
    double t_old = account->sample_t, old = account->sample_value;
    double a = fmax(t_old, account->want.from), b = fmin(t, account->want.to);
    if (!(b > a) || isnan(old) || isnan(value)) // no sample before: NaN
        return;
    double rate = (value - old) / (t - t_old);
    double at_a = a == t_old ? old : old + rate * (a - t_old);
    double at_b = b == t ? value : old + rate * (b - t_old);
    take(account, a, at_a, false);
    take(account, b, at_b, false);
    account->integral += 0.5 * (b - a) * (at_a + at_b);
    account->duration += b - a;
}

SpragStatus outputs_hear_sample(Outputs *outputs, const SpragRunSample *sample)
{
    bool side = sample->before_event || sample->after_event;
    bool beyond = sample->t > outputs->covered;
    if (!side && !beyond) // a piece has told of it
        return SPRAG_OK;
    for (int i = 0; i < outputs->count; i++) {
        Account *account = &outputs->items[i];
        double value;
        if (sprag_output_is_of_events(account->want.kind))
            continue;
        SPRAG_TRY(signal_value(&account->signal, sample, &value));
        if (beyond && sample->t > account->sample_t)
            take_line(account, sample->t, value);
        if (is_inside(account, sample->t))
            take(account, sample->t, value, sample->after_event);
        account->sample_t = sample->t;
        account->sample_value = value;
    }
    return SPRAG_OK;
}

// ---- Pieces -------------------------------------------------------------------------------------

// The signal at t, NaN where it cannot be computed.
static SpragStatus probe(const Account *account, SpragRun *run, double t, double *value)
{
    const SpragRunSample *sample;
    SpragStatus status = sprag_run_probe(run, t, &sample);
    if (status == SPRAG_OK)
        status = signal_value(&account->signal, sample, value);
    if (status == SPRAG_ERROR_NUMERIC) {
        *value = NAN;
        return SPRAG_OK;
    }
    return status;
}

// The search for one extremum: f = −sign × signal falls to its least value.
typedef struct Search {
    Account *account;
    SpragRun *run;
    double sign; // +1: largest, −1: least
    double low, high;
    double x, w, v; // best point, second best, the one before that
    double fx, fw, fv;
    double step, step_before;
} Search;

static SpragStatus search_value(const Search *search, double t, double *f)
{
    double value;
    SPRAG_TRY(probe(search->account, search->run, t, &value));
    if (isnan(value)) {
        *f = INFINITY;
        return SPRAG_OK;
    }
    take_extremes(search->account, value);
    *f = -search->sign * value;
    return SPRAG_OK;
}

// The next step: to the minimum of a parabola if it lies inside and steps shrink, else a golden
// section of the longer side.
static void search_choose(Search *s, double tolerance)
{
    const double golden = 0.3819660112501051;
    double middle = 0.5 * (s->low + s->high);
    double r = (s->x - s->w) * (s->fx - s->fv), q = (s->x - s->v) * (s->fx - s->fw);
    double p = (s->x - s->v) * q - (s->x - s->w) * r;
    q = 2 * (q - r);
    p = q > 0 ? -p : p;
    q = fabs(q);
    bool parabola = fabs(s->step_before) > tolerance && fabs(p) < fabs(0.5 * q * s->step_before) &&
                    p > q * (s->low - s->x) && p < q * (s->high - s->x);
    s->step_before = parabola ? s->step : (s->x < middle ? s->high : s->low) - s->x;
    s->step = parabola ? p / q : golden * s->step_before;
}

static void search_update(Search *s, double u, double fu)
{
    if (fu <= s->fx) {
        if (u < s->x)
            s->high = s->x;
        else
            s->low = s->x;
        s->v = s->w, s->fv = s->fw;
        s->w = s->x, s->fw = s->fx;
        s->x = u, s->fx = fu;
        return;
    }
    if (u < s->x)
        s->low = u;
    else
        s->high = u;
    if (fu <= s->fw || s->w == s->x) {
        s->v = s->w, s->fv = s->fw;
        s->w = u, s->fw = fu;
    } else if (fu <= s->fv || s->v == s->x || s->v == s->w) {
        s->v = u, s->fv = fu;
    }
}

// Refines the extremum near t between low and high; every value on the way counts.
static SpragStatus search_run(Search *s, double t, double width)
{
    enum { MOST = 60 };
    const double part = 1e-8; // of the piece: an extremum is flat, so its value is far more exact
    double tolerance = fmax(part * width, 4e-16 * fmax(fabs(s->low), fabs(s->high)));
    s->x = s->w = s->v = t;
    SPRAG_TRY(search_value(s, t, &s->fx));
    s->fw = s->fv = s->fx;
    s->step = s->step_before = 0;
    for (int i = 0; i < MOST; i++) {
        double middle = 0.5 * (s->low + s->high), fu;
        if (fabs(s->x - middle) <= 2 * tolerance - 0.5 * (s->high - s->low))
            break;
        search_choose(s, tolerance);
        double u = s->x + (fabs(s->step) >= tolerance ? s->step : copysign(tolerance, s->step));
        u = fmin(fmax(u, s->low), s->high);
        SPRAG_TRY(search_value(s, u, &fu));
        search_update(s, u, fu);
    }
    return SPRAG_OK;
}

// Could an extremum near a node with that value be beyond what is known?
static bool is_promising(const Account *account, double sign, double value, double spread)
{
    double known = sign > 0 ? account->most : -account->least;
    return isfinite(value) && sign * value + spread >= known;
}

// At an end of the piece that is above its neighbour: does the signal rise first?
static SpragStatus refine_end(const Search *start, double end, double neighbour, double value)
{
    const double near = 1e-4;
    double inside = end + near * (neighbour - end), there;
    SPRAG_TRY(probe(start->account, start->run, inside, &there));
    if (!(start->sign * there > start->sign * value))
        return SPRAG_OK;
    Search search = *start;
    search.low = fmin(end, neighbour);
    search.high = fmax(end, neighbour);
    return search_run(&search, inside, search.high - search.low);
}

static SpragStatus refine(Account *account, SpragRun *run, double from, double to, double sign)
{
    const double *f = account->nodes;
    double least = INFINITY, most = -INFINITY, width = to - from;
    for (int k = 0; k < NODE_COUNT; k++) {
        least = fmin(least, f[k]);
        most = fmax(most, f[k]);
    }
    double spread = most - least;
    if (!(spread > 0)) // constant
        return SPRAG_OK;
    Search start = {.account = account, .run = run, .sign = sign};
    for (int k = 0; k < NODE_COUNT; k++) {
        double left = k > 0 ? sign * f[k - 1] : -INFINITY;
        double right = k + 1 < NODE_COUNT ? sign * f[k + 1] : -INFINITY;
        double t = from + node_at[k] * width;
        if (sign * f[k] < left || sign * f[k] < right || (sign * f[k] == left && left == right) ||
            !is_promising(account, sign, f[k], spread))
            continue;
        if (k == 0 || k == NODE_COUNT - 1) {
            double end = k ? to : from;
            double neighbour = from + node_at[k ? k - 1 : 1] * width;
            SPRAG_TRY(refine_end(&start, end, neighbour, f[k]));
            continue;
        }
        Search search = start;
        search.low = from + node_at[k - 1] * width;
        search.high = from + node_at[k + 1] * width;
        SPRAG_TRY(search_run(&search, t, width));
    }
    return SPRAG_OK;
}

// What the nodes of a piece say.
static SpragStatus take_piece(Account *account, SpragRun *run, double from, double to)
{
    SpragOutputKind kind = account->want.kind;
    double sum = 0;
    for (int k = 0; k < NODE_COUNT; k++) {
        double t = k == NODE_COUNT - 1 ? to : from + node_at[k] * (to - from);
        take(account, t, account->nodes[k], false);
        sum += node_weight[k] * account->nodes[k];
    }
    if (!isnan(sum)) {
        account->integral += (to - from) * sum;
        account->duration += to - from;
    }
    if (kind == SPRAG_OUTPUT_MAX || kind == SPRAG_OUTPUT_RANGE)
        SPRAG_TRY(refine(account, run, from, to, 1));
    if (kind == SPRAG_OUTPUT_MIN || kind == SPRAG_OUTPUT_RANGE)
        SPRAG_TRY(refine(account, run, from, to, -1));
    return SPRAG_OK;
}

// The window's part of a piece; false: it has none, or the output is of events.
static bool clip(const Account *account, double *from, double *to)
{
    *from = fmax(*from, account->want.from);
    *to = fmin(*to, account->want.to);
    return !sprag_output_is_of_events(account->want.kind) && *from <= *to;
}

// Values at the nodes for all outputs from number `first` on that have its window: one sample at a
// node serves them all.
static SpragStatus probe_nodes(Outputs *outputs, int first, SpragRun *run, double from, double to)
{
    double a = from, b = to;
    (void)clip(&outputs->items[first], &a, &b);
    for (int k = 0; k < NODE_COUNT; k++) {
        double t = k == NODE_COUNT - 1 ? b : a + node_at[k] * (b - a);
        const SpragRunSample *sample;
        SpragStatus status = sprag_run_probe(run, t, &sample);
        if (status != SPRAG_OK && status != SPRAG_ERROR_NUMERIC)
            return status;
        for (int i = first; i < outputs->count; i++) {
            Account *account = &outputs->items[i];
            double own_a = from, own_b = to;
            if (!clip(account, &own_a, &own_b) || own_a != a || own_b != b)
                continue;
            account->nodes[k] = NAN;
            if (status == SPRAG_OK)
                SPRAG_TRY(signal_value(&account->signal, sample, &account->nodes[k]));
        }
    }
    return SPRAG_OK;
}

SpragStatus outputs_hear_piece(Outputs *outputs, SpragRun *run, double from, double to)
{
    double last_a = NAN, last_b = NAN;
    outputs->covered = to;
    for (int i = 0; i < outputs->count; i++) {
        Account *account = &outputs->items[i];
        double a = from, b = to, value;
        if (!clip(account, &a, &b))
            continue;
        if (a == b) {
            SPRAG_TRY(probe(account, run, a, &value));
            take(account, a, value, false);
            continue;
        }
        if (a != last_a || b != last_b)
            SPRAG_TRY(probe_nodes(outputs, i, run, from, to));
        last_a = a;
        last_b = b;
        SPRAG_TRY(take_piece(account, run, a, b));
    }
    return SPRAG_OK;
}

// ---- The number ---------------------------------------------------------------------------------

double account_value(const Account *account)
{
    SpragOutputKind kind = account->want.kind;
    if (kind == SPRAG_OUTPUT_COUNT)
        return (double)account->count;
    if (kind == SPRAG_OUTPUT_TIME)
        return account->first_time;
    if (kind == SPRAG_OUTPUT_PERIOD)
        return account->times < 2
                   ? NAN
                   : (account->last_time - account->first_time) / (double)(account->times - 1);
    if (!account->met)
        return NAN;
    switch (kind) {
    case SPRAG_OUTPUT_FIRST:
        return account->first;
    case SPRAG_OUTPUT_LAST:
        return account->last;
    case SPRAG_OUTPUT_MIN:
        return account->least;
    case SPRAG_OUTPUT_MAX:
        return account->most;
    case SPRAG_OUTPUT_RANGE:
        return account->most - account->least;
    default:
        return account->duration > 0 ? account->integral / account->duration : account->first;
    }
}
