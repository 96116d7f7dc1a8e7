// integrate.c: the interface of integrators: the table of methods, state, dense output.
// Problem   y' = f(t, y) on an arc, step by step (integrate_step.c), known inside the last step
// Method    an embedded Runge–Kutta method of the table below, explicit or implicit
// Assumes   f is smooth on the arc; jumps of f belong to restarts
// Not here  detection of stiffness
#include <limits.h>
#include <math.h>
#include <string.h>

#include "integrate_private.h"

enum { SETTINGS_COOKIE = 0x53504947 };

// Below some ulps a relative tolerance asks for digits that do not exist.
static const double SMALLEST_RELATIVE = 1e-15;

static const SpragIntegratorMethod *const methods[] = {&sprag_dop853, &sprag_radau, &sprag_radau5,
                                                       &sprag_radau9, &sprag_radau13};
enum { METHOD_COUNT = sizeof methods / sizeof methods[0] };

const SpragIntegratorMethod *sprag_integrator_method(int index)
{
    return index >= 0 && index < METHOD_COUNT ? methods[index] : NULL;
}

const char *sprag_step_outcome_name(SpragStepOutcome outcome)
{
    static const char *const names[] = {"done", "at stop", "underflow", "not finite", "refused"};
    return (unsigned)outcome <= SPRAG_STEP_REFUSED ? names[outcome] : "?";
}

// ---- Create and destroy -------------------------------------------------------------------------

SpragIntegratorSettings sprag_integrator_default(void)
{
    SpragIntegratorSettings settings = {0};
    settings.method = methods[0]->name;
    settings.relative = 1e-9;
    settings.absolute = 1e-12;
    settings.cookie = SETTINGS_COOKIE;
    return settings;
}

// Tolerances from absolute_each, or all the same.
static SpragStatus check_tolerances(SpragContext *context, int n, const double *absolute_each,
                                    double absolute)
{
    for (int i = 0; i < n; i++) {
        double value = absolute_each ? absolute_each[i] : absolute;
        if (!(value > 0.0))
            return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                              "the absolute tolerance %g of component %d is not above 0", value, i);
    }
    return SPRAG_OK;
}

static SpragStatus check_settings(SpragContext *context, int n,
                                  const SpragIntegratorSettings *settings,
                                  const SpragIntegratorMethod **method)
{
    if (settings->cookie != SETTINGS_COOKIE)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "integrator settings do not come from sprag_integrator_default");
    *method = NULL;
    for (int i = 0; i < METHOD_COUNT && settings->method; i++)
        if (strcmp(methods[i]->name, settings->method) == 0)
            *method = methods[i];
    if (!*method)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT, "there is no integrator \"%s\"",
                          settings->method ? settings->method : "");
    if (!(settings->relative >= SMALLEST_RELATIVE && isfinite(settings->relative)))
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "the relative tolerance %g is not finite and at least %g",
                          settings->relative, SMALLEST_RELATIVE);
    SPRAG_TRY(check_tolerances(context, n, settings->absolute_each, settings->absolute));
    if (!(settings->max_step >= 0.0))
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT, "the largest step %g is negative",
                          settings->max_step);
    return SPRAG_OK;
}

// Hands out the arrays of integrator->memory.
static void carve(SpragIntegrator *integrator)
{
    double *next = integrator->memory;
    size_t width = (size_t)integrator->width;
#define TAKE(array) ((array) = next, next += width)
    TAKE(integrator->absolute);
    TAKE(integrator->absolute_created);
    TAKE(integrator->work);
    TAKE(integrator->work2);
    for (int i = 0; i < 3; i++)
        TAKE(integrator->states[i]);
    for (int i = 0; i < INTEGRATOR_MAX_STAGES; i++)
        TAKE(integrator->k[i]);
    for (int i = 0; i < INTEGRATOR_MAX_DENSE; i++)
        TAKE(integrator->dense[i]);
#undef TAKE
    integrator->current = integrator->states[0];
}
enum { ARRAY_COUNT = 4 + 3 + INTEGRATOR_MAX_STAGES + INTEGRATOR_MAX_DENSE };

// The same, checked before.
static void set_tolerances(SpragIntegrator *integrator, const double *absolute_each,
                           double absolute)
{
    int controlled = 0;
    for (int i = 0; i < integrator->width; i++) {
        // the surplus entry is not controlled
        double value = INFINITY;
        if (i < integrator->n)
            value = absolute_each ? absolute_each[i] : absolute;
        integrator->absolute[i] = value;
        controlled += isfinite(value);
    }
    integrator->controlled_count = controlled > 0 ? controlled : 1;
}

static SpragStatus create_parts(SpragIntegrator *created, const SpragIntegratorSettings *settings)
{
    created->memory =
        sprag_alloc(created->context, (size_t)created->width, ARRAY_COUNT * sizeof(double));
    if (!created->memory)
        return SPRAG_ERROR_MEMORY;
    carve(created);
    created->relative = settings->relative;
    created->max_step = settings->max_step > 0.0 ? settings->max_step : INFINITY;
    created->eager_dense = settings->eager_dense;
    created->jacobian = settings->jacobian;
    set_tolerances(created, settings->absolute_each, settings->absolute);
    memcpy(created->absolute_created, created->absolute, (size_t)created->width * sizeof(double));
    const SpragIntegratorCode *code = created->method->code;
    return code->create ? code->create(created) : SPRAG_OK;
}

SpragStatus sprag_integrator_create(SpragContext *context, int n, SpragDerivativeFunction *f,
                                    void *user, const SpragIntegratorSettings *settings,
                                    SpragIntegrator **integrator)
{
    *integrator = NULL;
    SpragIntegratorSettings chosen = settings ? *settings : sprag_integrator_default();
    const SpragIntegratorMethod *method = NULL;
    if (n < 1 || n == INT_MAX || !f)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "an integrator needs a right-hand side and components, not %d", n);
    SPRAG_TRY(check_settings(context, n, &chosen, &method));
    SpragIntegrator *created = sprag_alloc(context, 1, sizeof *created);
    if (!created)
        return SPRAG_ERROR_MEMORY;
    created->context = context;
    created->method = method;
    created->f = f;
    created->user = user;
    created->n = created->capacity = n;
    created->width = n + (n & 1);
    SpragStatus status = create_parts(created, &chosen);
    if (status != SPRAG_OK) {
        sprag_integrator_destroy(created);
        return status;
    }
    *integrator = created;
    return SPRAG_OK;
}

void sprag_integrator_destroy(SpragIntegrator *integrator)
{
    if (!integrator)
        return;
    if (integrator->method->code->destroy)
        integrator->method->code->destroy(integrator);
    sprag_free(integrator->context, integrator->memory);
    sprag_free(integrator->context, integrator);
}

// ---- State --------------------------------------------------------------------------------------

SpragStatus sprag_integrator_restart(SpragIntegrator *integrator, double t, const double *y,
                                     const double *dy, double step_guess)
{
    int n = integrator->n;
    if (!(step_guess >= 0.0 && isfinite(step_guess)))
        return sprag_fail(integrator->context, SPRAG_ERROR_ARGUMENT,
                          "the guess %g of a first step is not finite and positive, or 0",
                          step_guess);
    if (!isfinite(t) || !integrator_is_finite(n, y) || (dy && !integrator_is_finite(n, dy)))
        return sprag_fail(integrator->context, SPRAG_ERROR_NUMERIC,
                          "the integration cannot start at t = %.17g: a number is not finite", t);
    // y and dy may be the integrator's own
    if (dy)
        memmove(integrator->k[0], dy, (size_t)n * sizeof *dy);
    memmove(integrator->current, y, (size_t)n * sizeof *y);
    integrator->derivative = dy ? DERIVATIVE_FIRST : DERIVATIVE_NONE;
    integrator->t = t;
    integrator->h = step_guess;
    integrator->started = integrator->new_arc = true;
    integrator->has_step = integrator->has_dense = false;
    integrator->statistics.restarts++;
    return SPRAG_OK;
}

// The entry beyond n, if there is one, is zero.
static void clear_surplus(SpragIntegrator *integrator)
{
    int i = integrator->n;
    if (i == integrator->width)
        return;
    integrator->work[i] = integrator->work2[i] = 0.0;
    for (int j = 0; j < 3; j++)
        integrator->states[j][i] = 0.0;
    for (int j = 0; j < INTEGRATOR_MAX_STAGES; j++)
        integrator->k[j][i] = 0.0;
    for (int j = 0; j < INTEGRATOR_MAX_DENSE; j++)
        integrator->dense[j][i] = 0.0;
}

SpragStatus sprag_integrator_resize(SpragIntegrator *integrator, int n, const double *absolute_each)
{
    if (n < 1 || n > integrator->capacity)
        return sprag_fail(integrator->context, SPRAG_ERROR_ARGUMENT,
                          "an integrator created for %d components cannot have %d",
                          integrator->capacity, n);
    SPRAG_TRY(check_tolerances(integrator->context, n, absolute_each, 1.0));
    integrator->n = n;
    integrator->width = n + (n & 1);
    set_tolerances(integrator, absolute_each ? absolute_each : integrator->absolute_created, 0.0);
    clear_surplus(integrator);
    integrator->started = integrator->has_step = integrator->has_dense = false;
    integrator->derivative = DERIVATIVE_NONE;
    return SPRAG_OK;
}

SpragStatus sprag_integrator_correct(SpragIntegrator *integrator, const double *y)
{
    if (!integrator->started)
        return sprag_fail(integrator->context, SPRAG_ERROR_ARGUMENT,
                          "there is no state to correct before a restart");
    if (!integrator_is_finite(integrator->n, y))
        return sprag_fail(integrator->context, SPRAG_ERROR_NUMERIC,
                          "a corrected state at t = %.17g is not finite", integrator->t);
    double *place = integrator->current;
    if (integrator->has_step && place == integrator->end)
        place = integrator_other_state(integrator, integrator->begin, integrator->end);
    memmove(place, y, (size_t)integrator->n * sizeof *y);
    integrator->current = place;
    integrator->derivative = DERIVATIVE_NONE;
    return SPRAG_OK;
}

double sprag_integrator_time(const SpragIntegrator *integrator)
{
    return integrator->t;
}

const double *sprag_integrator_state(const SpragIntegrator *integrator)
{
    return integrator->current;
}

const double *sprag_integrator_derivative(const SpragIntegrator *integrator)
{
    if (integrator->derivative == DERIVATIVE_NONE)
        return NULL;
    bool first = integrator->derivative == DERIVATIVE_FIRST;
    return integrator->k[first ? 0 : integrator->method->code->last_stage];
}

SpragIntegratorStatistics sprag_integrator_statistics(const SpragIntegrator *integrator)
{
    return integrator->statistics;
}

// ---- Dense output -------------------------------------------------------------------------------

SpragStatus sprag_integrator_fail_stopped(SpragIntegrator *integrator)
{
    return sprag_fail(integrator->context, SPRAG_ERROR_CALLBACK,
                      "the right-hand side stopped the integration after t = %.17g", integrator->t);
}

Trial sprag_integrator_build_dense(SpragIntegrator *integrator)
{
    const SpragIntegratorCode *code = integrator->method->code;
    Trial trial = integrator_judge(code->build_dense(integrator));
    // the last coefficient depends on every stage of the dense output
    if (trial == TRIAL_OK && code->dense_count > 0 &&
        !integrator_is_finite(integrator->n, integrator->dense[code->dense_count - 1]))
        trial = TRIAL_NOT_FINITE;
    integrator->has_dense = trial == TRIAL_OK;
    integrator->statistics.dense += integrator->has_dense;
    return trial;
}

// The fraction s of t in the last step; builds the dense output if need be.
static SpragStatus prepare_dense(SpragIntegrator *integrator, double t, double *s)
{
    double from = integrator->t_begin, to = integrator->t_end;
    if (!integrator->has_step)
        return sprag_fail(integrator->context, SPRAG_ERROR_ARGUMENT,
                          "there is no step to evaluate at t = %.17g", t);
    if (!((from <= t && t <= to) || (to <= t && t <= from)))
        return sprag_fail(integrator->context, SPRAG_ERROR_ARGUMENT,
                          "t = %.17g is outside the last step from %.17g to %.17g", t, from, to);
    *s = (t - from) / (to - from);
    if (integrator->has_dense || t == from || t == to)
        return SPRAG_OK;
    Trial trial = sprag_integrator_build_dense(integrator);
    if (trial == TRIAL_STOPPED)
        return sprag_integrator_fail_stopped(integrator);
    if (trial != TRIAL_OK)
        return sprag_fail(integrator->context, SPRAG_ERROR_NUMERIC,
                          "the right-hand side cannot be evaluated between t = %.17g and %.17g",
                          from, to);
    return SPRAG_OK;
}

SpragStatus sprag_integrator_evaluate(SpragIntegrator *integrator, double t, double *y)
{
    double s = 0.0;
    SPRAG_TRY(prepare_dense(integrator, t, &s));
    if (t != integrator->t_begin && t != integrator->t_end)
        integrator->method->code->components(integrator, s, y);
    else
        memcpy(y, t == integrator->t_begin ? integrator->begin : integrator->end,
               (size_t)integrator->n * sizeof *y);
    return SPRAG_OK;
}

SpragStatus sprag_integrator_evaluate_some(SpragIntegrator *integrator, double t, int count,
                                           const int *indices, double *y)
{
    double s = 0.0;
    SPRAG_TRY(prepare_dense(integrator, t, &s));
    const double *end = t == integrator->t_begin ? integrator->begin
                        : t == integrator->t_end ? integrator->end
                                                 : NULL;
    for (int i = 0; i < count; i++) {
        int index = indices[i];
        if (index < 0 || index >= integrator->n)
            return sprag_fail(integrator->context, SPRAG_ERROR_ARGUMENT,
                              "there is no component %d among %d", index, integrator->n);
        y[i] = end ? end[index] : integrator->method->code->component(integrator, s, index);
    }
    return SPRAG_OK;
}
