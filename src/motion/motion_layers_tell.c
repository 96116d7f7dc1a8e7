// motion_layers_tell.c: what a compliant contact has done at an event, in words.
#include "motion_private.h"

static void tell_touch(SpragRun *run, int slot, SpragRunOutcome *outcome)
{
    const SpragLayer *layer = &run->layer[slot];
    if (run->layer_default[slot] && !run->layer_told[slot])
        tell_event(run, SPRAG_EVENT_TOUCH, slot, outcome,
                   "nothing gives its layer: %.6g N/m, %.6g N s/m (epsilon %.3g, T %.6g s)",
                   layer->stiffness, layer->damping, run->settings.epsilon, run->layer_time);
    else
        tell_event(run, SPRAG_EVENT_TOUCH, slot, outcome, "begins to press");
    run->layer_told[slot] = true;
}

// A slip the other way within a period of the layer has passed through zero; the layer only had to
// turn over.
static bool is_reversal(const SpragRun *run, int slot)
{
    return run->tangents == 1 && mode_slides(run->slid[slot]) &&
           run->slid[slot] != run->mode[slot] &&
           run->t - run->stick_since[slot] <= run->slider_period[slot];
}

static void tell_slide(SpragRun *run, int slot, SpragRunOutcome *outcome)
{
    char from[64], to[64];
    tell_direction(run, slot, run->slid[slot], from, sizeof from);
    tell_direction(run, slot, run->mode[slot], to, sizeof to);
    if (is_reversal(run, slot))
        tell_event(run, SPRAG_EVENT_SLIP_REVERSAL, slot, outcome,
                   "from %s to %s, while the layer turned over in %.3g s", from, to,
                   run->t - run->stick_since[slot]);
    else
        tell_event(run, SPRAG_EVENT_SLIP_START, slot, outcome, "towards %s", to);
}

bool layers_only_bends(const SpragRun *run, int slot, SpragMode old, SpragMode now)
{
    const double slips = 0.9; // part of the deflection of steady slip
    const SpragFrictionLaw *law = &run->law[slot];
    bool turns = run->tangents == 1 && mode_slides(old) && mode_slides(now) && old != now;
    double along =
        run->shear_state[run->tangents * slot] * (old == SPRAG_MODE_SLIDE_MINUS ? -1 : 1);
    return turns && sprag_friction_law_has_state(law) &&
           law->stiffness * along < slips * run->contacts[slot].friction;
}

void layers_tell_change(SpragRun *run, int slot, SpragRunOutcome *outcome)
{
    SpragMode old = run->mode_before[slot], now = run->mode[slot];
    char from[64], to[64];
    if (old == now || (run->left[slot] && run->passed > 0))
        return;
    if (old == SPRAG_MODE_SEPARATE && overlap_passes(run, slot))
        return; // told where the other one ends
    tell_direction(run, slot, old, from, sizeof from);
    tell_direction(run, slot, now, to, sizeof to);
    if (old == SPRAG_MODE_SEPARATE)
        tell_touch(run, slot, outcome);
    else if (now == SPRAG_MODE_SEPARATE)
        tell_event(run, SPRAG_EVENT_LIFT_OFF, slot, outcome, "was %s%s", sprag_mode_name(old),
                   run->touching[slot] ? ", still overlaps" : "");
    else if (now == SPRAG_MODE_STICK) // never of a smooth law
        tell_event(run, SPRAG_EVENT_STICK, slot, outcome, "slip %s ends", from);
    else if (old == SPRAG_MODE_STICK && !sprag_friction_law_is_smooth(&run->law[slot]))
        tell_slide(run, slot, outcome);
    else if (old == SPRAG_MODE_STICK)
        return; // a slip that only now has a direction
    else if (!layers_only_bends(run, slot, old, now))
        tell_event(run, SPRAG_EVENT_SLIP_REVERSAL, slot, outcome, "from %s to %s", from, to);
}
