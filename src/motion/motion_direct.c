// motion_direct.c: evaluation of a mode in which all forces are those of layers.
// Problem   most of a compliant run are right-hand sides. A sample (motion_modes.c) has rows, their
//           responses and bias terms, for forces that are solved for; here none are
// Method    rates of the contacts give the forces of their layers, and these push the bodies
//           (sprag_system_touch, sprag_system_push); what it takes grows with contacts and bodies
// Note      what is known then of run->now is less than a sample, so that those who ask for one
//           still get it. Bodies that lie still are evaluated in full: there roundings of the
//           balance of forces are dropped (motion_respond.c)
#include <math.h>
#include <string.h>

#include "motion_private.h"

void direct_prepare(SpragRun *run)
{
    Frozen *f = &run->frozen;
    f->direct = run->tangents == 1 && f->soft_count == f->active_count && f->unknown_count == 0 &&
                !f->quickly && sprag_system_prepare_touch(run->system, f->active_count, f->active);
    for (int i = 0; f->direct && i < f->active_count; i++) {
        int slot = f->active[i];
        SpragMode mode = run->mode[slot];
        f->layers[i] =
            (DirectLayer){.layer = &run->layer[slot],
                          .depth_at = f->depth_at[i],
                          .shear_at = f->shear_at[i],
                          .slider = run->law[slot].kind == SPRAG_FRICTION_COULOMB,
                          .pressed = mode != SPRAG_MODE_SEPARATE,
                          .sticks = mode == SPRAG_MODE_STICK && modes_have_friction(run, i),
                          .pull = mode_slides(mode) ? -f->sign[i] : 0};
    }
}

// Whether run->now belongs to (t, y).
static bool is_known(const SpragRun *run, double t, const double *y)
{
    const Evaluation *e = &run->now;
    size_t layers = (size_t)(WORK_AT(run) + WORK_COUNT), size = (size_t)run->size;
    return (e->directly || e->solved) && e->t == t &&
           memcmp(e->y, y, (size_t)WORK_AT(run) * sizeof *y) == 0 &&
           memcmp(e->y + layers, y + layers, (size - layers) * sizeof *y) == 0;
}

const double *direct_gaps(const SpragRun *run, double t, const double *y)
{
    return run->now.directly && is_known(run, t, y) ? run->now.gap : NULL;
}

// Forces of contact i and their powers, theory.md (5.2), (5.7)–(5.10), (14.7).
static void press(SpragRun *run, const double *y, int i)
{
    const DirectLayer *item = &run->frozen.layers[i];
    const SpragLayer *layer = item->layer;
    Evaluation *e = &run->now;
    if (!item->slider) {
        double rubs = 0, damps = 0;
        layers_force(run, y, i);
        layers_add_powers(run, y, i, &rubs, &damps);
        e->rubs += rubs;
        e->damps += damps;
        return;
    }
    double elastic = sprag_layer_elastic(layer, y[item->depth_at]), rate = -e->gap_rate[i];
    double press = elastic + (layer->damping + 1.5 * layer->alpha * elastic) * rate;
    double normal = item->pressed ? press : 0, slip = e->slip[i], friction, shear_rate;
    double spring = layer->tangential_stiffness * y[item->shear_at];
    if (item->sticks) {
        friction = spring - layer->tangential_damping * slip;
        shear_rate = -slip;
    } else {
        friction = item->pull * e->friction[2 * i + 1] * normal;
        shear_rate = (friction - spring) / layer->tangential_damping;
    }
    e->press[i] = press;
    e->force[2 * i] = normal;
    e->force[2 * i + 1] = friction;
    e->shear_rate[i] = shear_rate;
    e->damps += (normal - elastic) * rate + (friction - spring) * shear_rate;
    e->rubs -= friction * (slip + shear_rate);
}

// Rates at y: nothing else is known of it yet.
static void touch(SpragRun *run, double t, const double *y)
{
    Evaluation *e = &run->now;
    const SpragSystemTouch touch = {.gap = e->gap,
                                    .gap_rate = e->gap_rate,
                                    .slip = e->slip,
                                    .drift = e->drift,
                                    .friction = e->friction,
                                    .power = &e->power};
    e->sampled = e->solved = e->directly = false;
    sprag_system_touch(run->system, t, y, y + run->m, run->frozen.active_count, &touch);
}

void direct_displace(SpragRun *run, double t, const double *y, const double *force)
{
    touch(run, t, y);
    sprag_system_push(run->system, run->frozen.active_count, force, run->now.acceleration);
}

SpragStatus direct_evaluate(SpragRun *run, double t, const double *y)
{
    const Frozen *f = &run->frozen;
    Evaluation *e = &run->now;
    if (is_known(run, t, y))
        return SPRAG_OK;
    if (speeds_are_none(run, y + run->m)) {
        SPRAG_TRY(modes_evaluate(run, t, y));
        watch_note(run, y);
        return SPRAG_OK;
    }
    touch(run, t, y);
    e->t = t;
    memcpy(e->y, y, (size_t)run->size * sizeof *y);
    e->rubs = e->damps = 0;
    for (int i = 0; i < f->active_count; i++)
        press(run, y, i);
    sprag_system_push(run->system, f->active_count, e->force, e->acceleration);
    e->determinant = 1;
    e->directly = true;
    run->evaluations++;
    watch_note(run, y);
    return SPRAG_OK;
}

void direct_derivative(const SpragRun *run, const double *y, double *dy)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    double surface = 0, *work = dy + WORK_AT(run);
    for (int j = 0; j < run->n; j++) {
        dy[j] = y[run->m + j];
        dy[run->m + j] = e->acceleration[j];
    }
    for (int i = 0; i < f->active_count; i++) {
        const DirectLayer *item = &f->layers[i];
        dy[item->depth_at] = -e->gap_rate[i];
        if (item->shear_at >= 0)
            dy[item->shear_at] = e->shear_rate[i];
        for (int r = 2 * i; r < 2 * i + 2; r++)
            surface -= e->force[r] * e->drift[r];
    }
    work[WORK_FRICTION] = e->power.friction + e->rubs;
    work[WORK_ACTUATION] = e->power.load + surface;
    work[WORK_DAMPING] = e->power.damping + e->damps;
}

SpragStatus direct_find_held(SpragRun *run, double t, const double *y)
{
    const Frozen *f = &run->frozen;
    SPRAG_TRY(sprag_system_set_state(run->system, t, y, y + run->m));
    for (int i = 0; i < f->active_count; i++)
        run->now.held[i] = sprag_system_contact_held(run->system, f->active[i]);
    return SPRAG_OK;
}

SpragStatus direct_or_evaluate(SpragRun *run, double t, const double *y)
{
    return run->frozen.direct ? direct_evaluate(run, t, y) : modes_evaluate(run, t, y);
}
