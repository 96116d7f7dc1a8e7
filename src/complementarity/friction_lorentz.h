// friction_lorentz.h: one contact on the interior path.
#ifndef SPRAG_COMPLEMENTARITY_FRICTION_LORENTZ_H
#define SPRAG_COMPLEMENTARITY_FRICTION_LORENTZ_H

#include "friction_internal.h"

typedef struct FrictionLaw {
    size_t d;
    double mu;
    double share; // of the derivative of |u_T|
} FrictionLaw;

// |x_T|.
double lorentz_length(size_t d, const double *x);
// r̂ of r; *minor receives r̂_N − |r̂_T|.
void lorentz_hat_r(size_t d, double mu, const double *r, double *hat, double *minor);
// A = Q dû/du and B = dr̂/dr; scaling receives the scaling point and the factor, 4 entries.
void lorentz_linearize(FrictionLaw law, const double *r, const double *u, double *A, double *B,
                       double *scaling);
// What the right-hand side is for tau; dr, du: of a predictor whose product is left out, or NULL.
void lorentz_right(FrictionLaw law, const double *r, const double *u, const double *w, double tau,
                   const double *dr, const double *du, double *F);
// The same for a bilateral block.
void lorentz_linearize_bilateral(const Friction *f, size_t i, double *A, double *B);
void lorentz_right_bilateral(const Friction *f, size_t i, const double *u, double *F);
// r·ũ of a contact.
double lorentz_product(size_t d, double mu, const double *r, const double *u);
// Longest step in [0, 1] that keeps u_N > 0 and r in the interior.
double lorentz_longest(size_t d, double mu, const double *r, const double *u, const double *dr,
                       const double *du);

#endif
