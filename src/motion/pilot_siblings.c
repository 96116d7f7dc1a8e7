// pilot_siblings.c: the open contacts of a pair of shapes that touches with compliant ones.
// Problem   two shapes that press a layer overlap by its depth. A corner beside the one that
//           presses would land there as a rigid contact, and push the layer out in no time.
// Method    where a contact becomes compliant, the open ones of the same two shapes follow it, with
//           its layer, and they return when it does and the shapes are out of each other. The
//           record hears of them if they touch.
#include <math.h>

#include "motion_private.h"

static bool same_shapes(const SpragRun *run, int a, int b)
{
    const SpragSlot *first = sprag_system_slot(run->system, a);
    const SpragSlot *second = sprag_system_slot(run->system, b);
    if (!first || !second)
        return false;
    const int *s = first->shape, *t = second->shape;
    return (s[0] == t[0] && s[1] == t[1]) || (s[0] == t[1] && s[1] == t[0]);
}

bool pilot_is_sunk(const SpragRun *run, int slot)
{
    return run->compliant[slot] && (run->touching[slot] || run->shift[slot] > 0);
}

static int pressing_sibling(const SpragRun *run, int slot)
{
    for (int other = 0; other < run->slots; other++)
        if (other != slot && run->pilot.slot[other].made && pilot_is_sunk(run, other) &&
            same_shapes(run, slot, other))
            return other;
    return -1;
}

bool pilot_sibling_presses(const SpragRun *run, int slot)
{
    return pressing_sibling(run, slot) >= 0;
}

void pilot_join(SpragRun *run, int slot)
{
    SpragContactPair pair;
    sprag_system_pair(run->system, slot, &pair);
    if (run->compliant[slot] || run->mode[slot] != SPRAG_MODE_SEPARATE ||
        pair.model == SPRAG_PAIR_RIGID || sprag_system_contact_is_velocity_level(run->system, slot))
        return;
    int leader = pressing_sibling(run, slot);
    if (leader < 0)
        return;
    PilotSlot *item = &run->pilot.slot[slot], *of = &run->pilot.slot[leader];
    double returned_at = item->returned_at;
    *item = (PilotSlot){.made = true,
                        .sibling = true,
                        .whole = of->whole,
                        .group = of->group,
                        .cause = of->cause,
                        .determinant = of->determinant,
                        .calm_since = of->calm_since,
                        .next_check = of->next_check,
                        .returned_at = returned_at,
                        .patience = of->patience,
                        .period = of->period,
                        .part = 1};
    run->pilot.made_count++;
    run->compliant[slot] = true;
    run->touching[slot] = false;
    run->depth_state[slot] = 0;
    layers_set_shear(run, slot, NULL, 0);
    if (run->layer_default[leader]) {
        run->layer[slot] = run->layer[leader];
        run->layer_known[slot] = run->layer_default[slot] = true;
    }
}
