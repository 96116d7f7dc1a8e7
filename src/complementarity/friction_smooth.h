// friction_smooth.h: the law of friction, smoothed, theory.md (11.36).
#ifndef SPRAG_COMPLEMENTARITY_FRICTION_SMOOTH_H
#define SPRAG_COMPLEMENTARITY_FRICTION_SMOOTH_H

#include "friction_internal.h"

// t at the start, in units of the mean of |q|, and at the end, in units of |q|.
#define SMOOTH_FIRST_T 3.0
#define SMOOTH_LAST_T 1e-11

// A_i du_i + B_i dr_i + rate_i d ln t = −F_i.
typedef struct SmoothSystem {
    double *A, *B, *F, *rate;
} SmoothSystem;

// F of all contacts; returns the root of the mean of |F_i|².
double smooth_value(const Friction *f, double t, const double *r, const double *u, double *F);
// Derivatives of F by u, r and ln t; alpha_i times the weight of a contact is what a unit of dr
// adds to du.
void smooth_linearize(const Friction *f, double t, const double *alpha, const double *r,
                      const double *u, const SmoothSystem *system);
// The point that a path begins with: normal forces that belong to t.
void smooth_start(Friction *f, double t);
// Product of two vectors of forces in units of velocity.
double smooth_product(const Friction *f, const double *x, const double *y);

#endif
