// motion_stop.c: why a run by events goes no further.
// Problem   where the integration cannot go on, is it a jam, which has an answer, or is there none?
// Method    friction that grows while its slip falls drives the determinant d to zero by the force
//           itself, d' ~ −1/d: d falls like √(t* − t), and steps become shorter without an end
//           before it is zero (theory.md 8.4). So a jam is told by d, which has fallen to a
//           thousandth; or by forces beyond all that loads and inertia ask for, where the arc has
//           begun close to the jam already
#include <math.h>

#include "motion_private.h"

// Where steps become too short, a determinant below so many times that of a jam is one.
static const double SINGULAR = 1e3;
// So many times what would stop each row alone: W λ + b = 0 of well conditioned rows needs about
// one.
static const double BEYOND_LOADS = 1e4;

SpragStatus stop_at_limit(SpragRun *run)
{
    unsigned long long count = (unsigned long long)run->statistics.events;
    if (count >= (unsigned long long)run->settings.max_events)
        return sprag_fail(run->context, SPRAG_OK,
                          "%llu events since t = %.9g, as many as are followed; motion: stepping "
                          "does not follow each of them",
                          count, run->t_start);
    return sprag_fail(
        run->context, SPRAG_OK,
        "events accumulate at t = %.9g: contacts change and change back without an "
        "end; a smaller tolerance may part them, motion: stepping does not follow each",
        run->t);
}

// Whether rigid contacts press as no loads make them.
static bool forces_run_away(const SpragRun *run)
{
    const Frozen *f = &run->frozen;
    double most = 0;
    for (int i = 0; i < f->active_count; i++)
        if (!f->soft[i])
            most = fmax(most, fabs(run->now.force[f->first[i]]));
    return most > BEYOND_LOADS * run->force_scale;
}

SpragStatus stop_at_step(SpragRun *run, SpragStepOutcome step, SpragRunOutcome *outcome)
{
    if (step == SPRAG_STEP_UNDERFLOW && run->frozen.solved_count > 0) {
        SPRAG_TRY(modes_evaluate(run, run->t, run->y));
        if (run->now.determinant < SINGULAR * run->jam || forces_run_away(run))
            return apply_jam(run, outcome);
    }
    *outcome = SPRAG_RUN_NOT_CONVERGED;
    return sprag_fail(run->context, SPRAG_OK, "the integration stops at t = %.9g: step %s", run->t,
                      sprag_step_outcome_name(step));
}
