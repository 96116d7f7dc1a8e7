// contact_forces.h: the set of forces of a motion, as the files that look at it share it (private
// to the room).
#ifndef SPRAG_CONTACT_FORCES_H
#define SPRAG_CONTACT_FORCES_H

#include <math.h>

#include "contact_search.h"

// Columns whose independent part is shorter than this, relative to the longest, are dependent.
static const double FORCES_DEPENDENT = 1e-9;

typedef struct ForceSet {
    const Reduced *reduced;
    const Leaf *leaf;
    int n, null_count;
    bool undecided;    // a linear program gave up: ranges may be too narrow
    bool open;         // cones of bearings with two normals are not looked at
    double xi_error;   // relative, of the motion itself
    double slack;      // that the cones were entered with
    double condition;  // of C on the complement of its null space
    double *weight;    // unknown = weight × (what the energy norm measures)
    double *x;         // particular, then representative unknowns
    double *null;      // n × n: null vectors in unknowns, one a row
    HalfSpaces cones;  // in unknowns
    HalfSpaces offset; // the same in null coordinates y: x = x0 + Σ y_k null_k
} ForceSet;

// Largest |x|, at least 1: forces are compared with it.
static inline double force_set_size(const ForceSet *set)
{
    double size = 1;
    for (int i = 0; i < set->n; i++)
        size = fmax(size, fabs(set->x[i]));
    return size;
}

// contact_forces_set.c: arrays of a set whose reduced, leaf and n are set.
SPRAG_MUST_USE SpragStatus force_set_create(ForceSet *set);
// All forces of the set: representative in x, intervals in low and high.
SPRAG_MUST_USE SpragStatus force_set_solve(ForceSet *set, const double *xi, double *low,
                                           double *high, int *dimension, bool *feasible);
// What is outside by rounding only is put on the border of its cone.
void force_set_snap(const ForceSet *set, double *x);

// contact_forces_shape.c: interval of every unknown over the set, and the dimension of the set.
SPRAG_MUST_USE SpragStatus force_set_shape(ForceSet *set, double *low, double *high,
                                           int *dimension);

#endif
