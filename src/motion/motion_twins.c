// motion_twins.c: contacts in space that come to stand for one place.
// Problem   where two edges cross at the end of one of them, the slot of its corner takes over.
//           Both see that place from the zone on in which corners coincide, each by its own
//           measure: for a moment there are two contacts with one normal in one place. Their rows
//           differ by the zone, which is more than the accuracy of the search for motions: it may
//           find that none exists
// Method    when contacts close, closed ones in the same place with the same normal let go, as at
//           the end of a side
#include <math.h>

#include "motion_private.h"

// Places that are no farther from each other than so many gap tolerances are one: four make the
// zone in which corners coincide, and where a flat angle lies between the edges both ends of it are
// as much farther from each other. A side that slides off the end of another one turns away from it
// while a sliver of both is left.
static const double PLACE = 1000;
// Normals are one if their sine is below this: edges in a face turn by more before it lies flat.
static const double DIRECTION = 1e-6;

static bool is_twin(const SpragRun *run, int slot, int other)
{
    const SpragContactKinematics *a = &run->kinematics[slot], *b = &run->kinematics[other];
    if (!overlap_same_bodies(run, slot, other))
        return false;
    SpragVec3 apart = sprag_vec3_sub(a->point, b->point);
    // a normal points into the first body of its slot
    double turn = sprag_vec3_norm(sprag_vec3_cross(a->normal, b->normal));
    return sprag_vec3_norm(apart) <= PLACE * run->tolerances.gap && turn <= DIRECTION;
}

// A closed contact other than `slot` that stands for the same place, from `first` on; −1: none.
static int next_twin(const SpragRun *run, int slot, int first)
{
    for (int i = first; run->tangents == 2 && run->started && i < run->slots; i++)
        if (i != slot && !run->compliant[i] && run->mode[i] != SPRAG_MODE_SEPARATE &&
            !modes_is_joint(run, i) && is_twin(run, slot, i))
            return i;
    return -1;
}

bool twins_stand(const SpragRun *run, int slot)
{
    return next_twin(run, slot, 0) >= 0;
}

void twins_leave(SpragRun *run, int slot)
{
    for (int i = next_twin(run, slot, 0); i >= 0; i = next_twin(run, slot, i + 1)) {
        run->mode[i] = SPRAG_MODE_SEPARATE;
        run->left[i] = true;
    }
}
