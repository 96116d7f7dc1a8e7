// scalar_guides.h: the terms of several guides, as their sources share them.
#ifndef SPRAG_SCALAR_GUIDES_H
#define SPRAG_SCALAR_GUIDES_H

#include "sprag/scalar.h"

static inline double guide_effect(const SpragGuides *guides, int i, int j) // E_ij
{
    return guides->direction ? guides->direction[i * guides->m + j] : i == j;
}

// e_j' q
static inline double guide_slip(const SpragGuides *guides, int j, const double *q)
{
    double sum = 0;
    for (int i = 0; i < guides->n; i++)
        sum += guide_effect(guides, i, j) * q[i];
    return sum;
}

// c_j q + d_j
static inline double guide_normal(const SpragGuides *guides, int j, const double *q)
{
    double sum = guides->d[j];
    for (int i = 0; i < guides->n; i++)
        sum += guides->C[j * guides->n + i] * q[i];
    return sum;
}

static inline int sign_of(double x)
{
    return (x > 0) - (x < 0);
}

// sgn of the slip; 0: at rest.
static inline int guide_direction(const SpragGuides *guides, int j)
{
    return guides->slip ? guides->slip[j] : sign_of(guide_slip(guides, j, guides->velocity));
}

// Fills stability, eigenvalues and growth of a motion whose slips and signs are known.
SpragStatus guides_judge(const SpragGuides *guides, SpragArena *arena, SpragGuidesMotion *motion);

#endif
