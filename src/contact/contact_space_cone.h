// contact_space_cone.h: what the files of the set of forces in round cones share (private to the
// room).
#ifndef SPRAG_CONTACT_SPACE_CONE_H
#define SPRAG_CONTACT_SPACE_CONE_H

#include <math.h>

#include "contact_space.h"

// Forces this many times those of the least-energy point count as infinite.
static const double CONE_UNBOUNDED = 1e5;

// Largest |x|, at least 1: forces are compared with it.
static inline double cone_set_size(const ConeSet *set)
{
    double size = 1;
    for (int i = 0; i < set->n; i++)
        size = fmax(size, fabs(set->x[i]));
    return size;
}

// contact_space_cuts.c: a point inside of the bounds, and what these must be widened by, in y (as
// many numbers as the barrier has unknowns); left as it is where the programs fail. size: of the
// forces.
SPRAG_MUST_USE SpragStatus cone_set_cut_inside(const ConeSet *set, double size, double *y);

#endif
