// motion_layers_quick.c: sliders whose damper is so weak that their shear follows the force,
// theory.md (14.8).
// Problem   with a relaxation rate K_T/C_T far beyond those of the layer the slip (5.10) would be
//           the difference of two forces, lost in the errors of integration
// Method    the limit C_T → 0; where it and (5.10) disagree on whether the slider slips at all,
//           (5.10) is right, and is followed until the shear has relaxed
#include <math.h>

#include "motion_private.h"

// A slider whose shear relaxes this much faster than the layer rings follows its force.
static const double QUICK = 100;
// A slider that goes by (5.10) for once does so for this many of its relaxation times.
static const double RELAXED = 20;
// A force beyond the cone by this part of it is on it.
static const double ON_CONE = 1e-9;

// Whether a slider takes its time now.
static bool is_slow(const SpragRun *run, int slot)
{
    const SpragLayer *layer = &run->layer[slot];
    double relaxation = layer->tangential_damping / layer->tangential_stiffness;
    return run->t <= run->slow_since[slot] + RELAXED * relaxation;
}

void layers_find_quick(SpragRun *run)
{
    Frozen *f = &run->frozen;
    f->quickly = false;
    for (int i = 0; i < f->active_count; i++) {
        const SpragLayer *layer = &run->layer[f->active[i]];
        int r = f->first[i], rows = f->row_count;
        f->quick[i] = false;
        if (run->tangents == 2 || !f->soft[i] || f->shear_at[i] < 0 ||
            !mode_slides(run->mode[f->active[i]]) || is_slow(run, f->active[i]) ||
            run->law[f->active[i]].kind != SPRAG_FRICTION_COULOMB)
            continue;
        double by_depth, by_rate, KT = layer->tangential_stiffness;
        (void)sprag_layer_normal(layer, fmax(run->y[f->depth_at[i]], 0), 0, NULL, &by_depth,
                                 &by_rate);
        double rate = fmax(sqrt(fmax(by_depth, KT) * run->now.W[r * rows + r]),
                           sqrt(KT * run->now.W[(r + 1) * rows + r + 1]));
        rate = fmax(rate, by_rate * run->now.W[r * rows + r]);
        f->quick[i] = KT > QUICK * rate * layer->tangential_damping;
        f->quickly |= f->quick[i];
    }
}

// σ of theory.md (5.10) for C_T → 0: the shear is λT/K_T, so σ = φ_T' + λT'/K_T. The difference of
// two forces that (5.10) takes would be lost in the errors of integration.
double layers_quick_slip(const SpragRun *run, int i)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    const SpragLayer *layer = &run->layer[f->active[i]];
    int r = f->first[i];
    double by_depth, by_rate, acceleration = e->b[r];
    for (int c = 0; c < f->row_count; c++)
        acceleration += e->W[r * f->row_count + c] * e->force[c];
    (void)sprag_layer_normal(layer, e->y[f->depth_at[i]], -e->gap_rate[i], NULL, &by_depth,
                             &by_rate);
    double normal_rate = -by_depth * e->gap_rate[i] - by_rate * acceleration;
    return e->slip[i] -
           f->sign[i] * modes_kinetic(run, i) * normal_rate / layer->tangential_stiffness;
}

// λT/K_T less the shear.
static double quick_late(const SpragRun *run, int i)
{
    const Frozen *f = &run->frozen;
    double KT = run->layer[f->active[i]].tangential_stiffness;
    return run->now.force[f->first[i] + 1] / KT - run->now.y[f->shear_at[i]];
}

double layers_quick_relaxation(const SpragRun *run, int i)
{
    const double times = 3, most = 0.5; // the slider's own rate; of the slip, which pays for it
    const Frozen *f = &run->frozen;
    const SpragLayer *layer = &run->layer[f->active[i]];
    int r = f->first[i] + 1;
    double rate = times * sqrt(layer->tangential_stiffness * run->now.W[r * f->row_count + r]);
    double slip = most * fabs(layers_quick_slip(run, i)), wanted = rate * fabs(quick_late(run, i));
    return wanted > 0 ? rate * slip / (slip + wanted) : rate;
}

double layers_quick_rate(const SpragRun *run, int i)
{
    return layers_quick_slip(run, i) - run->now.slip[i] +
           layers_quick_relaxation(run, i) * quick_late(run, i);
}

// A bare spring: what it stores beyond its cone is lost in slip.
static void relax(SpragRun *run, int slot, double force)
{
    double stiffness = run->layer[slot].tangential_stiffness;
    double *shear = run->shear_state + slot, before = *shear;
    *shear = force / stiffness;
    run->y[WORK_AT(run) + WORK_FRICTION] += 0.5 * stiffness * (before * before - *shear * *shear);
}

void layers_stop_quick(SpragRun *run, int i)
{
    const Frozen *f = &run->frozen;
    int slot = f->active[i];
    double trial, normal = fmax(run->now.force[f->first[i]], 0);
    layers_trial(run, run->now.y, i, &trial);
    // as layers unload their surfaces go back, and the damper may pull the other way
    bool back = f->sign[i] * trial > 0;
    double most = normal * (back ? run->now.friction[2 * i] : modes_kinetic(run, i));
    // where nothing presses yet the rates decide whether it slips, which (5.10) knows
    bool out = fabs(trial) >= (1 - ON_CONE) * most;
    if (out && run->layer[slot].tangential_damping > 0) {
        run->slow_since[slot] = run->t;
        if (trial != 0)
            layers_slide_along(run, slot, &trial, -1);
        return;
    }
    if (out)
        relax(run, slot, copysign(most, trial));
    layers_stop_slider(run, slot);
}

void layers_hold_quick(SpragRun *run, bool *changed)
{
    const Frozen *f = &run->frozen;
    *changed = false;
    for (int i = 0; i < f->active_count && f->quickly; i++) {
        if (!f->quick[i] || f->sign[i] * layers_quick_slip(run, i) >= -run->tolerances.slip)
            continue;
        layers_stop_quick(run, i);
        *changed = true;
    }
}
