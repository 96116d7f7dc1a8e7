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

bool direct_applies(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    return run->tangents == 1 && f->soft_count == f->active_count && f->unknown_count == 0 &&
           !f->quickly && sprag_system_can_touch(run->system, f->active_count, f->active);
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

static bool is_still(const SpragRun *run, const double *y)
{
    for (int j = run->m; j < run->m + run->n; j++)
        if (fabs(y[j]) > run->tolerances.rate)
            return false;
    return true;
}

SpragStatus direct_evaluate(SpragRun *run, double t, const double *y)
{
    const Frozen *f = &run->frozen;
    Evaluation *e = &run->now;
    if (is_known(run, t, y))
        return SPRAG_OK;
    if (is_still(run, y))
        return modes_evaluate(run, t, y);
    const SpragSystemTouch touch = {.gap_rate = e->gap_rate,
                                    .slip = e->slip,
                                    .drift = e->drift,
                                    .friction = e->friction,
                                    .power = &e->power};
    e->sampled = e->solved = false;
    sprag_system_touch(run->system, t, y, y + run->m, f->active_count, f->active, &touch);
    e->t = t;
    memcpy(e->y, y, (size_t)run->size * sizeof *y);
    layers_forces(run, y);
    sprag_system_push(run->system, f->active_count, f->active, e->force, e->acceleration);
    e->determinant = 1;
    e->directly = true;
    run->evaluations++;
    return SPRAG_OK;
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
