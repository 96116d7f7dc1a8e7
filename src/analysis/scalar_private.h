// scalar_private.h: the pair at a state, as its forward and inverse problems see it.
#ifndef SPRAG_SCALAR_PRIVATE_H
#define SPRAG_SCALAR_PRIVATE_H

#include "sprag/scalar.h"

enum { PAIR_COOKIE = 0x53507061 };

// The coefficients of X in both rows on branch s = ±1: a_i q_i'' + b_i + row_i X = tau_i.
typedef struct Branch {
    double row[2];
    double normal; // F = normal X
    double D;      // a_1 a_2 h_s of (9.8): its sign decides stability; 0 within the tolerance
} Branch;

Branch pair_branch(const SpragPair *pair, int s, double g1, double tolerance);
// The held forces: c_i F + d_i f = tau_i - b_i.
void pair_hold(const SpragPair *pair, const double tau[2], double *normal, double *friction);
// Rate of (9.8) of the layer while the slip is held.
double pair_held_rate(const SpragPair *pair, double g1);
// Ends of the static band in tau_1; true: the band is outside of them.
bool pair_band(const SpragPair *pair, double tau2, double *low, double *high);

#endif
