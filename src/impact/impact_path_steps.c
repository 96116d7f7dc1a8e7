// impact_path_steps.c: steps along an arc of the impulse path.
// Method    the Runge–Kutta pair of the numeric room; its implicit method where slip grows much
//           slower than friction turns it
#include <math.h>
#include <string.h>

#include "impact_path.h"

static const double RELATIVE = 1e-11, ABSOLUTE = 1e-12;
// Steps times the rate of a decay, at most: the explicit method is stable up to 6.
static const double STABLE = 5;
// After so many steps at that limit in an arc the implicit method goes on: slip that begins with
// friction just too small for rest grows by a small part of itself in each of them.
enum { LIMITED_STEPS = 100 };
// Rates of turning that differ by more than this factor need other slopes.
static const double OTHER = 1.5;
// Of steps that are limited, or implicit, each so many-th looks for slips that others hold.
enum { LOOK_STEPS = 10 };

void impact_path_destroy(SpragContext *context, struct ImpactPath *path)
{
    if (!path)
        return;
    sprag_integrator_destroy(path->plain);
    sprag_integrator_destroy(path->stiff);
    sprag_root_finder_destroy(path->finder);
    sprag_free(context, path);
}

SpragStatus impact_path_prepare(SpragImpact *impact, int states)
{
    struct ImpactPath *path = impact->path;
    if (!path) {
        path = impact->path = sprag_alloc(impact->context, 1, sizeof *path);
        if (!path)
            return SPRAG_ERROR_MEMORY;
        path->context = impact->context;
    }
    if (!path->finder)
        SPRAG_TRY(sprag_root_finder_create(impact->context, NULL, &path->finder));
    if (states > path->capacity) {
        int capacity = 2 * states;
        SpragIntegratorSettings settings = sprag_integrator_default();
        settings.relative = RELATIVE;
        settings.absolute = ABSOLUTE;
        sprag_integrator_destroy(path->plain);
        sprag_integrator_destroy(path->stiff); // made again when it is wanted
        path->plain = path->stiff = NULL;
        path->capacity = 0;
        SPRAG_TRY(sprag_integrator_create(impact->context, capacity, impact_path_derivative, path,
                                          &settings, &path->plain));
        path->capacity = capacity;
    }
    path->integrator = path->plain;
    return SPRAG_OK;
}

// Dependent rows (two corners on one floor) leave open how they share friction, and what is chosen
// is known to fewer digits than velocities are. These follow their own states, which are as exact:
// u = u_before + W P is kept by every step. Impulses of friction then need no tolerance, but for
// those of slip in the implicit method: they are what it iterates.
static void set_tolerances(struct ImpactPath *path, bool implicit)
{
    const double any = 1e30;
    for (int i = 0; i < path->states; i++)
        path->absolute[i] = ABSOLUTE;
    for (int i = 0; i < path->count; i++)
        for (int k = 1; k <= path->contacts[i].tangents; k++)
            if (!implicit || path->contacts[i].rest)
                path->absolute[path->contacts[i].row + k] = any;
}

// Whether friction turns the slip of a contact; *across: the unit vector across it, *rate: the
// force of friction per speed of slip.
static bool turns_slip(const PathContact *c, double depth, const double *u, double *across,
                       double *rate)
{
    if (c->tangents != 2 || c->rest || c->phase == IDLE)
        return false;
    const double *S = u + c->row + 1;
    double speed = hypot(S[0], S[1]);
    if (!(speed > 0))
        return false;
    across[0] = -S[1] / speed;
    across[1] = S[0] / speed;
    *rate = c->mu * impact_path_force(c, depth) / speed;
    return true;
}

// The fastest rate at which slip across that of the moment decays at the integrator's state, at
// most the largest row sum of the matrix of these rates.
static double turning_rate(struct ImpactPath *path)
{
    const double *y = sprag_integrator_state(path->integrator), *depth = y + path->rows;
    double fastest = 0, a[2], b[2], rate;
    impact_path_velocities(path, y, path->probe_u);
    for (int i = 0; i < path->count; i++) {
        const PathContact *c = &path->contacts[i];
        double sum = 0;
        if (!turns_slip(c, depth[i], path->probe_u, a, &rate))
            continue;
        for (int j = 0; j < path->count; j++) {
            const PathContact *d = &path->contacts[j];
            if (!turns_slip(d, depth[j], path->probe_u, b, &rate))
                continue;
            const double *W = path->W + (c->row + 1) * path->rows + d->row + 1, *V = W + path->rows;
            sum += rate *
                   fabs(a[0] * (W[0] * b[0] + W[1] * b[1]) + a[1] * (V[0] * b[0] + V[1] * b[1]));
        }
        fastest = fmax(fastest, sum);
    }
    return fastest;
}

SpragStatus impact_path_restart(struct ImpactPath *path, SpragIntegrator *integrator, double t,
                                const double *y, double guess)
{
    path->integrator = integrator;
    set_tolerances(path, integrator == path->stiff);
    SPRAG_TRY(sprag_integrator_resize(integrator, path->states, path->absolute));
    return sprag_integrator_restart(integrator, t, y, NULL, guess);
}

static SpragStatus become_stiff(struct ImpactPath *path, PathPace *pace)
{
    SpragIntegratorSettings settings = sprag_integrator_default();
    settings.method = "radau";
    settings.relative = RELATIVE;
    settings.absolute = ABSOLUTE;
    settings.jacobian = impact_path_jacobian;
    if (!path->stiff)
        SPRAG_TRY(sprag_integrator_create(path->context, path->capacity, impact_path_derivative,
                                          path, &settings, &path->stiff));
    memcpy(path->probe, sprag_integrator_state(path->plain),
           (size_t)path->states * sizeof *path->probe);
    return impact_path_restart(path, path->stiff, sprag_integrator_time(path->plain), path->probe,
                               pace->guess);
}

// A step in which the method follows how slip turns. Longer ones of the explicit method may pass
// the test of their error by chance, and their dense output, where events are looked for, is then
// wrong by much more than that.
SpragStatus impact_path_step(struct ImpactPath *path, PathPace *pace, SpragStep *step)
{
    double rate = turning_rate(path), stop = INFINITY;
    if (pace->interrupt && *pace->interrupt)
        return SPRAG_INTERRUPTED;
    if (path->integrator == path->plain && pace->limited >= LIMITED_STEPS)
        SPRAG_TRY(become_stiff(path, pace));
    if (path->integrator == path->plain && rate > 0)
        stop = sprag_integrator_time(path->plain) + STABLE / rate;
    if (path->integrator == path->stiff &&
        !(rate < OTHER * pace->turning && pace->turning < OTHER * rate)) {
        pace->turning = rate;
        sprag_integrator_renew(path->stiff);
    }
    SPRAG_TRY(sprag_integrator_step(path->integrator, stop, step));
    pace->limited += step->outcome == SPRAG_STEP_AT_STOP;
    pace->guess = step->h_next;
    pace->left--;
    return SPRAG_OK;
}

bool impact_path_rest_held(struct ImpactPath *path, PathPace *pace)
{
    bool implicit = path->integrator == path->stiff;
    if ((pace->limited == 0 && !implicit) || ++pace->looks % LOOK_STEPS != 0)
        return false;
    memcpy(path->probe, sprag_integrator_state(path->integrator),
           (size_t)path->states * sizeof *path->probe);
    impact_path_velocities(path, path->probe, path->probe_u);
    return impact_path_end_held(path, path->probe, path->probe_u);
}
