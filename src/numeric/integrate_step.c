// integrate_step.c: one accepted step: step size control and the starting step.
// Problem   a step of y' = f(t, y) with scaled error estimate ≤ 1, not beyond the stop time
// Method    the error of component i is measured in units of absolute_i + relative max(|y_i|,
//           |y_new,i|), root mean square over components; a rejected step is repeated and an
//           accepted one followed with h times SAFETY err^(−1/q), within bounds
//                                                   [HairerNorsettWanner1993, sec. II.4, p. 167]
// Assumes   f is smooth on the arc; f at the present state and a step size need not be known
// Result    failures that are numbers' fault are outcomes, and leave the state as it was
#include <float.h>
#include <math.h>

#include "integrate_private.h"

// Step size control, the values of the book's program DOP853 [HairerNorsettWanner1993, Appendix].
static const double SAFETY = 0.9;
static const double SHRINK_MOST = 1.0 / 3.0;
static const double GROW_MOST = 6.0;
// A remainder up to this factor longer than the step is taken in one step, same source.
static const double STRETCH = 1.01;
// A step of fewer ulp of t than this counts as zero, same source.
static const double SMALLEST_STEP_ULPS = 10.0;
// f said "try a smaller step": there is no estimate, so bisect.
static const double REFUSED_FACTOR = 0.5;
// Ends a call that would go on shrinking near t = 0, where ulps of t are no bound: 2^−100 of the
// first attempt.
enum { MAX_ATTEMPTS = 100 };

// Starting step size [HairerNorsettWanner1993, sec. II.4, p. 169].
static const double START_FRACTION = 0.01;
static const double START_SMALL_NORM = 1e-5;
// Times of the book that are numbers are parts of the time to go here (of 1 where it has no end):
// steps do not depend on the unit of time.
static const double START_SMALL_STEP = 1e-6;
static const double START_FLAT = 1e-15;
static const double START_FLAT_FACTOR = 1e-3;
// The book takes 100. Its h0 compares the state with its derivative, so it depends on where the
// origin is and is short for a release from rest; 1000 leaves more to the estimate by order, which
// over a survey of smooth, stiff and kinked problems never made the first step fail.
static const double START_GROW_MOST = 1000.0;
// The trial Euler step is shortened by this factor, this many times at most, where f refuses it.
static const double START_RETRY_FACTOR = 0.1;
enum { START_RETRIES = 20 };

static Trial call(SpragIntegrator *integrator, double t, const double *y, double *dy)
{
    Trial trial = integrator_judge(integrator_call(integrator, t, y, dy));
    return trial == TRIAL_OK && !integrator_is_finite(integrator->n, dy) ? TRIAL_NOT_FINITE : trial;
}

static SpragStepOutcome outcome_of(Trial trial)
{
    return trial == TRIAL_REFUSED      ? SPRAG_STEP_REFUSED
           : trial == TRIAL_NOT_FINITE ? SPRAG_STEP_NOT_FINITE
                                       : SPRAG_STEP_UNDERFLOW;
}

// Root mean square of (x − x0) in units of the tolerances at the present state; x0 may be NULL.
static double scaled_norm(const SpragIntegrator *integrator, const double *x, const double *x0)
{
    double sum = 0.0;
    for (int i = 0; i < integrator->n; i++) {
        double scale =
            integrator->absolute[i] + integrator->relative * fabs(integrator->current[i]);
        double ratio = (x0 ? x[i] - x0[i] : x[i]) / scale;
        sum += ratio * ratio;
    }
    return sqrt(sum / integrator->controlled_count);
}

static double least(double x, double y)
{
    return x < y ? x : y;
}

static double greatest(double x, double y)
{
    return x > y ? x : y;
}

// The first |step| from k[0] = f(t, y) and one Euler step [HairerNorsettWanner1993, p. 169].
static Trial start_step(SpragIntegrator *integrator, double stop)
{
    const double *y = integrator->current, *f0 = integrator->k[0];
    double *f1 = integrator->k[1], *w = integrator->work;
    double d0 = scaled_norm(integrator, y, NULL), d1 = scaled_norm(integrator, f0, NULL);
    double longest = least(fabs(stop - integrator->t), integrator->max_step);
    double unit = isfinite(longest) ? longest : 1;
    bool small = !(d0 >= START_SMALL_NORM && d1 * unit >= START_SMALL_NORM);
    double h0 = small ? START_SMALL_STEP * unit : START_FRACTION * d0 / d1;
    h0 = least(h0, longest);
    Trial trial = TRIAL_REFUSED;
    for (int retry = 0; retry < START_RETRIES && trial != TRIAL_OK; retry++) {
        h0 *= retry > 0 ? START_RETRY_FACTOR : 1.0;
        double signed_h = copysign(h0, stop - integrator->t);
        for (int i = 0; i < integrator->n; i++)
            w[i] = y[i] + signed_h * f0[i];
        trial = call(integrator, integrator->t + signed_h, w, f1);
        if (trial == TRIAL_STOPPED)
            return trial;
    }
    integrator->h = h0;
    if (trial != TRIAL_OK)
        return TRIAL_OK; // the step itself will find out
    double slope = greatest(d1, scaled_norm(integrator, f1, f0) / h0);
    double h1 =
        slope * unit <= START_FLAT
            ? greatest(START_SMALL_STEP * unit, START_FLAT_FACTOR * h0)
            : 1.0 / integrator->method->code->error_root(integrator, slope / START_FRACTION);
    integrator->h = least(longest, least(START_GROW_MOST * h0, h1));
    return TRIAL_OK;
}

// Makes the present state the begin of a step, with f in k[0] and a step size.
static Trial begin_step(SpragIntegrator *integrator, double stop)
{
    const SpragIntegratorCode *code = integrator->method->code;
    int last = code->last_stage;
    if (code->begin)
        code->begin(integrator);
    integrator->has_step = integrator->has_dense = false;
    if (integrator->derivative == DERIVATIVE_LAST) {
        double *swapped = integrator->k[0];
        integrator->k[0] = integrator->k[last];
        integrator->k[last] = swapped;
        integrator->derivative = DERIVATIVE_FIRST;
    }
    integrator->begin = integrator->current;
    integrator->end = integrator_other_state(integrator, integrator->current, NULL);
    integrator->t_begin = integrator->t;
    if (integrator->derivative == DERIVATIVE_NONE) {
        Trial trial = call(integrator, integrator->t, integrator->begin, integrator->k[0]);
        if (trial != TRIAL_OK)
            return trial;
        integrator->derivative = DERIVATIVE_FIRST;
    }
    return integrator->h > 0.0 ? TRIAL_OK : start_step(integrator, stop);
}

// Where a step of length h towards stop ends.
static double choose_end(const SpragIntegrator *integrator, double h, double stop)
{
    double t = integrator->t, remaining = fabs(stop - t);
    h = least(h, integrator->max_step);
    if (remaining <= STRETCH * h && remaining <= integrator->max_step)
        return stop;
    double end = t + copysign(h, stop - t);
    // rounding of t + h must not exceed the largest step
    if (fabs(end - t) > integrator->max_step)
        end = nextafter(end, t);
    return end;
}

// One attempt to t_end. Fills `end`, the last stage and, if eager, the dense output.
static Trial attempt_step(SpragIntegrator *integrator, double t_end, double *error)
{
    const SpragIntegratorCode *code = integrator->method->code;
    integrator->t_end = t_end;
    integrator->end_known = false;
    Trial trial = integrator_judge(code->attempt(integrator, t_end - integrator->t_begin, error));
    if (trial != TRIAL_OK)
        return trial;
    if (!isfinite(*error))
        return TRIAL_NOT_FINITE;
    if (*error > 1.0)
        return TRIAL_TOO_LARGE;
    double *slope = integrator->k[code->last_stage];
    if (!integrator->end_known)
        trial = call(integrator, t_end, integrator->end, slope);
    else if (!integrator_is_finite(integrator->n, slope))
        trial = TRIAL_NOT_FINITE;
    if (trial == TRIAL_OK && integrator->eager_dense)
        trial = sprag_integrator_build_dense(integrator);
    return trial;
}

// The factor by which the step changes after an error estimate.
static double step_factor(const SpragIntegrator *integrator, double error, double most)
{
    double root = integrator->method->code->error_root(integrator, error);
    if (root * most <= SAFETY)
        return most;
    return greatest(SHRINK_MOST, SAFETY / root);
}

static void accept_step(SpragIntegrator *integrator, double stop, double h_proposed, double grow,
                        SpragStep *step)
{
    double h = fabs(integrator->t_end - integrator->t_begin);
    const SpragIntegratorCode *code = integrator->method->code;
    double h_next = code->next_step ? code->next_step(integrator, step->error, h, grow)
                                    : h * step_factor(integrator, step->error, grow);
    // a step cut short by the stop time or the largest step says nothing against its proposal
    integrator->h = h < h_proposed ? greatest(h_next, h_proposed) : h_next;
    integrator->t = integrator->t_end;
    integrator->current = integrator->end;
    integrator->derivative = DERIVATIVE_LAST;
    integrator->has_step = true;
    integrator->statistics.steps++;
    step->t_new = integrator->t;
    step->h_next = integrator->h;
    step->outcome = integrator->t == stop ? SPRAG_STEP_AT_STOP : SPRAG_STEP_DONE;
}

// The next |step| to try after a failed attempt of length h; counts it.
static double shrink_step(SpragIntegrator *integrator, Trial trial, double error, double h)
{
    if (trial == TRIAL_REFUSED) {
        integrator->statistics.refused++;
        return REFUSED_FACTOR * h;
    }
    integrator->statistics.rejected++;
    if (trial != TRIAL_TOO_LARGE)
        return SHRINK_MOST * h;
    const SpragIntegratorCode *code = integrator->method->code;
    return h * (code->shrink_factor ? code->shrink_factor(integrator, error)
                                    : step_factor(integrator, error, 1.0));
}

SpragStatus sprag_integrator_step(SpragIntegrator *integrator, double stop, SpragStep *step)
{
    if (!integrator->started || isnan(stop))
        return sprag_fail(integrator->context, SPRAG_ERROR_ARGUMENT,
                          "a step needs a restart before and a stop time that is a number");
    double t = integrator->t;
    *step = (SpragStep){t, t, integrator->h, 0.0, SPRAG_STEP_AT_STOP};
    if (stop == t)
        return SPRAG_OK;
    Trial trial = begin_step(integrator, stop);
    double h = integrator->h, grow = GROW_MOST;
    double smallest = SMALLEST_STEP_ULPS * DBL_EPSILON * fabs(t);
    h = greatest(h, smallest);
    for (int attempts = 0; trial == TRIAL_OK; attempts++) {
        double t_end = choose_end(integrator, h, stop);
        trial = t_end == t ? TRIAL_TOO_LARGE : attempt_step(integrator, t_end, &step->error);
        if (trial == TRIAL_OK) {
            accept_step(integrator, stop, h, grow, step);
            return SPRAG_OK;
        }
        if (trial == TRIAL_STOPPED)
            break;
        h = shrink_step(integrator, trial, step->error, fabs(t_end - t));
        grow = 1.0;
        if (h > smallest && attempts < MAX_ATTEMPTS)
            trial = TRIAL_OK;
    }
    if (trial == TRIAL_STOPPED)
        return sprag_integrator_fail_stopped(integrator);
    step->outcome = outcome_of(trial);
    return SPRAG_OK;
}
