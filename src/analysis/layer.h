// layer.h: the linearised compliant layer of one motion, as the files of the room share it.
#ifndef SPRAG_ANALYSIS_LAYER_H
#define SPRAG_ANALYSIS_LAYER_H

#include "sprag/analysis.h"

// z'' + D Ĉ z' + D K̂ z = 0 on z = U y, theory.md (6.3), (6.8). Everything is borrowed.
typedef struct LayerView {
    SpragArena *arena;
    SpragContext *context;
    int n, rank;     // active rows; dimension of range(J_f)
    const double *U; // n × n, the first `rank` columns are an orthonormal basis of range(J_f)
    const double *D; // n × n
    const double *stiffness, *damping; // per active row
    const int *constraint;             // of each active row
    const int *row;                    // row of the problem of each active row
    int constraint_count, row_count;   // of the problem
} LayerView;

// The spectrum (6.5) for any stiffness and damping of the rows.
typedef struct LayerSpectrum {
    int count;                // 2 × rank
    double *real, *imaginary; // by descending real part, 1/s
    double unit;              // s: time in which the entries of the first-order form are alike
    SpragStability stability; // STABLE, FLUTTER or DIVERGENT
    double *UD;               // Uᵀ D, rank × n
    double *Q, *P;            // rank × rank
    double *form, *work;
} LayerSpectrum;

SPRAG_MUST_USE SpragStatus layer_spectrum_create(const LayerView *view, LayerSpectrum *spectrum);
SPRAG_MUST_USE SpragStatus layer_spectrum_solve(const LayerView *view, const double *stiffness,
                                                const double *damping, LayerSpectrum *spectrum);
// Whether eigenvalue i counts as growing.
bool layer_spectrum_grows(const LayerSpectrum *spectrum, int i);

// The least eigenvalue (in magnitude) of G⁻¹ D on the range of the layer, where G (n × n) is the D
// of no friction: A/a_nn of one contact, and of each island by itself. INFINITY if there is none.
SPRAG_MUST_USE SpragStatus layer_least_ratio(const LayerView *view, const double *G, double *least);

// Fills participation and growing of a solution whose stability is known; with scans also
// critical_factor and ratios.
SPRAG_MUST_USE SpragStatus layer_details(const LayerView *view, bool scans,
                                         SpragSolution *solution);

#endif
