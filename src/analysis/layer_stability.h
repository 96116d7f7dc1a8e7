// layer_stability.h: the linearised compliant layer of one motion while it is judged (private to
// the room).
#ifndef SPRAG_ANALYSIS_LAYER_STABILITY_H
#define SPRAG_ANALYSIS_LAYER_STABILITY_H

#include "layer.h"

// Rows count as dependent when J_f M⁻¹ J_fᵀ, scaled to a unit diagonal, has singular values below
// this: entries carry rounding of 1e-16, summed over a few tens of rows.
static const double LAYER_RANK_TOLERANCE = 1e-12;

typedef struct Layer {
    SpragArena *arena;
    const SpragContactProblem *problem;
    int n;              // active rows
    int *row;           // row of W
    int *constraint;    // its constraint
    int *tangent;       // first tangential row of the unknown's constraint
    int *second;        // the row of on_second
    int *island;        // number of its island
    double *on_tangent; // λT per unit of λN (sliding), or the row is a tangent of its own
    double *on_second;  // the same of λO in space, or of a bearing that presses with it too
    double *on_third;   // the same of the third tangent of a bearing
    bool *tangential;
    double *W;                   // Delassus matrix modulo bilateral rows
    double *stiffness, *damping; // per active row
    double mean_normal;          // mean of a_nn over all active contacts
    double *mean;                // per active row: d̄ of (6.9), over the contacts of its island
    bool islands;                // there are several, which do not know of each other
    double least_diagonal;       // least W_ii of the active rows
    bool uniform;                // one stiffness and damping: those of (6.9)
    SpragLayerSource source;
    int rank;
    int *belongs; // rank: island of each column of U
    double *U;    // n × rank
    double *D;    // n × n
} Layer;

static inline double W_at(const Layer *layer, int row, int column)
{
    return layer->W[row * layer->problem->row_count + column];
}

// layer_stability.c: completes a layer whose active rows, their islands and means are set, and says
// in the solution whether it is stable.
SPRAG_MUST_USE SpragStatus layer_stability(Layer *layer, const SpragAnalysisSettings *settings,
                                           SpragSolution *solution);

#endif
