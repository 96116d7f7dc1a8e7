// motion_layers_arc.c: with which method an arc with layers is integrated.
// Problem   a layer rings at √(K a), 1e3 … 1e7 times a second, while the bodies move slowly
// Method    after an event the layers ring and every period must be followed: an explicit method of
//           high order does it at the least cost. When its steps grow to the limit of its
//           stability the ringing is over, and an implicit one goes on with the steps of the
//           bodies (theory.md 14.3).
#include <float.h>
#include <math.h>
#include <string.h>

#include "motion_private.h"

enum { LIMITED_STEPS = 8, TRIED_STEPS = 5, POWER_STEPS = 12 };
// A radius that changes by less than this part is found: it is compared with factors of two.
static const double POWER_FOUND = 1e-3;
// A step of the explicit method times the rate of a ringing that means that the ringing is over:
// what limits it then is stability, at 6. An implicit step costs several of these, and follows a
// ringing in steps that are hardly longer.
static const double STABLE = 4.5;
// The first step of an arc, times that rate: half of what an error of order 8 permits a layer that
// rings at its full depth.
static const double FIRST = 3.5, FIRST_MOST = 1;
// Steps of the implicit method that are shorter than this cost more than explicit ones.
static const double WORTH = 10;
// Slips that turn by this part within a step of the implicit method are no matter for it.
static const double FOLLOWED = 0.2;
// Rates of turning slips that differ by more than this factor need other slopes.
static const double OTHER = 1.5;
// Stages of arcs with slips in space are solved to this part of the tolerance. A slip has its own
// direction from 1e3 tolerances on (13.25): the direction is then good to 1e-7, and the part of
// friction that holds against what drives the slip to 1e-14.
static const double SLIP_PART = 1e-4;

// ---- Rates --------------------------------------------------------------------------------------

// Stiffness and damping of a row of contact i.
static void row_slopes(const SpragRun *run, int i, int row, double *stiffness, double *damping)
{
    const Frozen *f = &run->frozen;
    int slot = f->active[i];
    const SpragLayer *layer = &run->layer[slot];
    *stiffness = *damping = 0;
    if (row == 0) {
        if (f->soft[i])
            (void)sprag_layer_normal(layer, tolerances_depth(run, i), 0, NULL, stiffness, damping);
        return;
    }
    if (!modes_have_friction(run, i))
        return;
    if (sprag_friction_law_is_smooth(&run->law[slot])) {
        SpragFrictionRatio at;
        double normal = f->soft[i] ? sprag_layer_elastic(layer, tolerances_depth(run, i))
                                   : fabs(run->now.force[f->first[i]]);
        sprag_friction_law_evaluate(&run->law[slot], &run->now.numbers[i], 0, 0, &at);
        *stiffness = -at.by_state * normal;
        *damping = -at.by_slip * normal;
    } else if (f->soft[i] && run->mode[slot] == SPRAG_MODE_STICK &&
               run->law[slot].kind == SPRAG_FRICTION_COULOMB) {
        *stiffness = layer->tangential_stiffness;
        *damping = layer->tangential_damping;
    }
}

// λT along tangent k per λN of a soft contact in slip.
static double slide_ratio(const SpragRun *run, int i, int k)
{
    const Frozen *f = &run->frozen;
    bool slides = f->soft[i] && mode_slides(run->mode[f->active[i]]) && f->rows[i] > 1;
    return slides ? modes_slide_ratio(run, i, k) : 0;
}

// Forces that displacements x of the rows make: slopes x, and the friction that follows them.
static void forces_of(const SpragRun *run, const double *slopes, const double *x, double *force)
{
    const Frozen *f = &run->frozen;
    for (int r = 0; r < f->row_count; r++)
        force[r] = slopes[r] * x[r];
    for (int i = 0; i < f->active_count; i++)
        for (int k = 1; k < f->rows[i]; k++)
            force[f->first[i] + k] += slide_ratio(run, i, k - 1) * force[f->first[i]];
}

// Size of the largest eigenvalue of D diag(slopes), D of theory.md (6.2), by the power method.
// work: three times the rows.
static double spectral_radius(const SpragRun *run, const double *slopes, double *work)
{
    int rows = run->frozen.row_count;
    double radius = 0, *x = work, *next = work + rows, *force = work + 2 * rows;
    for (int r = 0; r < rows; r++)
        x[r] = 1 + 0.1 * r;
    for (int step = 0; step < POWER_STEPS; step++) {
        double size = 0, old = 0;
        forces_of(run, slopes, x, force);
        for (int r = 0; r < rows; r++) {
            const double *w = run->now.W + r * rows;
            next[r] = 0;
            for (int c = 0; c < rows; c++)
                next[r] += w[c] * force[c];
            size = fmax(size, fabs(next[r]));
            old = fmax(old, fabs(x[r]));
        }
        if (!(size > 0))
            return 0;
        bool found = fabs(size / old - radius) <= POWER_FOUND * radius;
        radius = size / old;
        if (found)
            break;
        for (int r = 0; r < rows; r++)
            x[r] = next[r] / size;
    }
    return radius;
}

// How fast the shear or the bristles of contact i come to what its force or its slip wants.
static double state_rate(const SpragRun *run, int i)
{
    const Frozen *f = &run->frozen;
    int slot = f->active[i];
    const SpragLayer *layer = &run->layer[slot];
    if (f->shear_at[i] < 0 || f->quick[i])
        return 0;
    if (sprag_friction_law_has_state(&run->law[slot])) {
        SpragFrictionRatio at;
        double slip = run->now.slip[run->slip_stride * i];
        if (run->tangents == 2)
            slip = modes_slip_size(run, run->now.slip + run->slip_stride * i);
        sprag_friction_law_evaluate(&run->law[slot], &run->now.numbers[i], slip,
                                    run->y[f->shear_at[i]], &at);
        return fabs(at.rate_by_state);
    }
    return run->mode[slot] == SPRAG_MODE_STICK
               ? 0
               : layer->tangential_stiffness / layer->tangential_damping;
}

// Rate of the fastest layer, and the periods of the sliders.
static SpragStatus find_rates(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    size_t rows = (size_t)f->row_count + 1;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    double *slopes = sprag_arena_alloc(run->arena, 5 * rows, sizeof *slopes);
    if (!slopes)
        return SPRAG_ERROR_MEMORY;
    double *dampings = slopes + rows, *work = dampings + rows;
    double relaxation = 0;
    for (int i = 0; i < f->active_count; i++) {
        const SpragLayer *layer = &run->layer[f->active[i]];
        for (int r = 0; r < f->rows[i]; r++)
            row_slopes(run, i, r, &slopes[f->first[i] + r], &dampings[f->first[i] + r]);
        relaxation = fmax(relaxation, state_rate(run, i));
        if (f->shear_at[i] < 0 || !f->soft[i] ||
            run->law[f->active[i]].kind != SPRAG_FRICTION_COULOMB)
            continue;
        int r = f->first[i] + 1;
        run->slider_period[f->active[i]] =
            2 * 3.14159265358979323846 /
            sqrt(layer->tangential_stiffness * fmax(run->now.W[r * f->row_count + r], 1e-300));
    }
    double ringing = sqrt(spectral_radius(run, slopes, work));
    run->fastest = fmax(fmax(ringing, spectral_radius(run, dampings, work)), relaxation);
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// In space: a time in which a slip that starts comes to have a direction of its own, INFINITY where
// none starts. Right at the cone's edge it grows from nothing, over the time in which forces change
// by as much as friction: that of gravity's own motion over the size of the system.
static double starting_time(const SpragRun *run)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    double relative = sprag_system_contact_tolerance(run->system), time = INFINITY;
    double length = run->tolerances.gap / relative, speed = run->tolerances.rate / relative;
    for (int i = 0; run->tangents == 2 && e->solved && e->whole && i < f->active_count; i++) {
        if (f->rows[i] != 3 || !f->sliding[i] || f->soft[i] || !run->starting[f->active[i]])
            continue;
        const double *w = e->W + (f->first[i] + 1) * (f->row_count + 1);
        double push =
            e->friction[2 * i + 1] * fabs(e->force[f->first[i]]) * fmax(w[0], w[f->row_count + 1]);
        if (push > 0 && speed > 0)
            time = fmin(time, sqrt(f->vague[i] * length / (speed * push)));
    }
    return time;
}

// ---- Methods ------------------------------------------------------------------------------------

static bool has_method(const char *name)
{
    for (int i = 0; sprag_integrator_method(i); i++)
        if (strcmp(sprag_integrator_method(i)->name, name) == 0)
            return true;
    return false;
}

// An integrator with room for the arc: contacts may be very many, so for those that are active and
// some more, of which the implicit one has the squares.
static SpragStatus create(SpragRun *run, const char *method, SpragIntegrator **integrator,
                          int *room)
{
    if (*integrator && run->size <= *room)
        return SPRAG_OK;
    sprag_integrator_destroy(*integrator);
    *integrator = NULL;
    *room = run->size + run->size / 2 + 3 * 16;
    *room = *room < run->most_size ? *room : run->most_size;
    SpragIntegratorSettings settings = sprag_integrator_default();
    settings.method = method;
    settings.jacobian = layers_jacobian;
    settings.relative = run->settings.tolerance;
    settings.max_step = run->settings.max_step;
    return sprag_integrator_create(run->context, *room, modes_derivative, run, &settings,
                                   integrator);
}

// Makes an integrator the one of the arc from here on.
static SpragStatus start_with(SpragRun *run, SpragIntegrator *integrator, double guess)
{
    run->integrator = integrator;
    run->limited = run->method_steps = 0;
    run->turning = 0;
    // slips in space are stiff across themselves, and what is left there drives friction aside
    bool slips = run->tangents == 2 && !run->frozen.layered;
    sprag_integrator_refine(integrator, slips ? SLIP_PART : 0);
    SPRAG_TRY(sprag_integrator_resize(integrator, run->size, run->absolute));
    return sprag_integrator_restart(integrator, run->t, run->y, NULL, guess);
}

SpragStatus layers_begin_arc(SpragRun *run)
{
    double guess = run->step_guess;
    run->fastest = 0;
    run->patience = LIMITED_STEPS;
    run->quiet = false;
    if (run->frozen.layered) {
        SPRAG_TRY(modes_sample(run, run->t, run->y, true));
        SPRAG_TRY(find_rates(run));
    }
    if (run->fastest > 0) {
        double first = fmin(FIRST_MOST, FIRST * pow(run->settings.tolerance, 0.125)) / run->fastest;
        guess = guess > 0 ? fmin(guess, first) : first;
    }
    SPRAG_TRY(create(run, "dop853", &run->plain, &run->plain_size));
    SPRAG_TRY(tolerances_set(run));
    double start = run->frozen.layered ? INFINITY : starting_time(run);
    if (start == INFINITY || !has_method("radau"))
        return start_with(run, run->plain, guess);
    SPRAG_TRY(create(run, "radau", &run->stiff, &run->stiff_size));
    return start_with(run, run->stiff, guess > 0 ? fmin(guess, start) : start);
}

// Slips that have become fast are followed by the explicit method again; on the way the slopes that
// the implicit one works with are soon old.
static SpragStatus leave_stiff(SpragRun *run, const SpragStep *step)
{
    double h = step->t_new - step->t_old;
    if (run->integrator != run->stiff)
        return SPRAG_OK;
    if (h * run->fastest <= FOLLOWED)
        return start_with(run, run->plain, h);
    if (!(run->fastest < OTHER * run->turning && run->turning < OTHER * run->fastest)) {
        run->turning = run->fastest;
        sprag_integrator_renew(run->stiff);
    }
    return SPRAG_OK;
}

// The bodies move, and with them the rates of layers.
static SpragStatus renew_rates(SpragRun *run)
{
    if (!run->frozen.layered)
        return SPRAG_OK;
    SPRAG_TRY(modes_sample(run, run->t, run->y, true));
    return find_rates(run);
}

// Back to the explicit method where steps of the implicit one, grown by now, are not long enough to
// pay for it: layers that are soft, or ring on. The next try comes later.
static SpragStatus leave_in_vain(SpragRun *run, double h)
{
    run->limited = h * run->fastest < WORTH ? run->limited + 1 : 0;
    if (run->limited < TRIED_STEPS)
        return SPRAG_OK;
    SPRAG_TRY(renew_rates(run));
    run->patience *= 2;
    return start_with(run, run->plain, run->fastest > 0 ? fmin(h, STABLE / run->fastest) : h);
}

SpragStatus layers_watch_step(SpragRun *run, const SpragStep *step)
{
    if (run->tangents == 2 && !run->frozen.layered) {
        run->fastest = turning_bound(run);
        SPRAG_TRY(leave_stiff(run, step));
    }
    if (!(run->fastest > 0) || !has_method("radau"))
        return SPRAG_OK;
    double h = step->t_new - step->t_old;
    bool explicitly = run->integrator == run->plain;
    if (++run->method_steps % LIMITED_STEPS == 0 && explicitly)
        SPRAG_TRY(renew_rates(run));
    if (!explicitly && !run->frozen.layered)
        return SPRAG_OK;
    if (!explicitly)
        return leave_in_vain(run, h);
    run->limited = h * run->fastest > STABLE ? run->limited + 1 : 0;
    if (run->limited < run->patience)
        return SPRAG_OK;
    run->quiet = true;
    SPRAG_TRY(create(run, "radau", &run->stiff, &run->stiff_size));
    return start_with(run, run->stiff, h);
}

// Longer steps of the explicit method may pass the test of their errors by chance. Bodies that lie
// still in their layers have none: steps would become six times as long each, far beyond what is
// stable, and what rounding has left then moves them.
double layers_stable_end(const SpragRun *run, double until)
{
    const double most = 5.5; // of 6, up to which it is stable
    bool turns = run->tangents == 2 && !run->frozen.layered && run->now.t == run->t;
    if (run->integrator != run->plain || (!turns && !run->frozen.layered))
        return until;
    double rate = turns ? turning_bound(run) : run->fastest;
    return rate * (until - run->t) > most ? run->t + most / rate : until;
}

// Whether the last step has gone on beyond the opening of a layer, where its force has a kink.
static bool has_kink(const SpragRun *run)
{
    const Frozen *f = &run->frozen;
    bool kink = !run->end_known;
    for (int i = 0; i < f->function_count; i++)
        kink |= f->functions[i].kind == FUNCTION_DEPTH &&
                (f->fired[i] || run->values_end[i] <= f->zeros[i]);
    return kink;
}

// The dense output of a step with a kink is worse than a step that ends there; other events leave
// the rates of their mode smooth beyond them. Rigid contacts need it for their look ahead.
SpragStatus layers_arrive(SpragRun *run, double t)
{
    enum { MOST_STEPS = 20 };
    SpragStep step = {.outcome = SPRAG_STEP_DONE};
    SPRAG_TRY(arc_read(run, t, run->scratch));
    bool again = run->frozen.soft_count > 0 && !modes_any_rigid(run) && t > run->t && has_kink(run);
    if (again)
        SPRAG_TRY(sprag_integrator_restart(run->integrator, run->t, run->y, NULL, t - run->t));
    for (int i = 0; again && i < MOST_STEPS && step.outcome == SPRAG_STEP_DONE; i++)
        SPRAG_TRY(sprag_integrator_step(run->integrator, t, &step));
    const double *y = again && step.outcome == SPRAG_STEP_AT_STOP
                          ? sprag_integrator_state(run->integrator)
                          : run->scratch;
    memcpy(run->y, y, (size_t)run->size * sizeof *y);
    return SPRAG_OK;
}
