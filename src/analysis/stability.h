// stability.h: stability of one motion in the compliant layer (private to the room).
#ifndef SPRAG_ANALYSIS_STABILITY_H
#define SPRAG_ANALYSIS_STABILITY_H

#include "sprag/analysis.h"

// Friction of constraint c along tangent `tangent` per unit of the force of `row`, which presses
// it, where it slips in the motion, theory.md (2.6), (13.2), (9.35): a guide or bearing presses to
// either side, and friction follows |λN|. 0 where it does not slip.
double friction_slope(const SpragContactProblem *problem, const SpragMotion *motion, int c, int row,
                      int tangent);

// Fills stability, stable, eigenvalues, layer, growth_time and critical_damping of the solution,
// whose motion is set. Arrays come from arena. *default_layer becomes true if (6.9) had to supply a
// stiffness.
SPRAG_MUST_USE SpragStatus stability_test(SpragArena *arena, const SpragContactProblem *problem,
                                          const SpragAnalysisSettings *settings,
                                          SpragSolution *solution, bool *default_layer);

// Of a motion in space that is stable so far: whether the directions in which contacts start to
// slip attract neighbouring ones, theory.md 13.1; if not it is divergent, and turns.
SPRAG_MUST_USE SpragStatus turning_test(SpragArena *arena, const SpragContactProblem *problem,
                                        SpragSolution *solution);

#endif
