// least_squares_private.h: the step of bounded least squares, from the small triangular model.
#ifndef SPRAG_NUMERIC_LEAST_SQUARES_PRIVATE_H
#define SPRAG_NUMERIC_LEAST_SQUARES_PRIVATE_H

#include "sprag/numeric.h"

// ‖r + J p‖ = ‖R (p, 1)‖ for every p.
typedef struct StepModel {
    int n;
    int rows;           // of R: at most n + 1
    const double *R;    // rows × (n + 1), upper triangular
    const double *D;    // n: scale of each unknown, > 0
    const double *low;  // n: bounds of p, ≤ 0 ≤ high
    const double *high; // n
    double radius;      // of ‖D p‖
    double *work;       // step_work(n) doubles
} StepModel;

size_t step_work(int n);
// An approximate minimum of ‖r + J p‖ with ‖D p‖ ≤ radius and low ≤ p ≤ high. Returns the reduction
// of half of its square, ≥ 0; 0: no step reduces it.
double step_find(const StepModel *model, double *p);

#endif
