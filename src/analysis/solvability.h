// solvability.h: the determinants of all modes, and the rules that follow (private to the room).
#ifndef SPRAG_ANALYSIS_SOLVABILITY_H
#define SPRAG_ANALYSIS_SOLVABILITY_H

#include "sprag/analysis.h"

enum { DETERMINANT_ROWS = 24, DETERMINANT_MODES = 4096 };

// The determinant (3.4) of one choice of modes, rows divided by the diagonal of W; below `zero` in
// magnitude it has no sign.
typedef void ModeVisitor(const SpragMode *modes, double determinant, double zero, void *user);

// Calls the visitor for every choice of modes with a closed constraint. Returns NULL, or why there
// is none (then nothing was called).
const char *solvability_visit(const SpragContactProblem *problem, ModeVisitor *visitor, void *user);

// The body of sprag_analysis_test.
SPRAG_MUST_USE SpragStatus solvability_test(SpragArena *arena, const SpragContactProblem *problem,
                                            SpragSolvability *tests);

// Fills verdict->rules, what to make of each constraint; undecided: of several stable motions none
// counts as chosen. Where there is no motion the search is used again. Arrays come from arena.
SPRAG_MUST_USE SpragStatus advice_find(SpragMotionSearch *search, SpragArena *arena,
                                       const SpragContactProblem *problem,
                                       const SpragAnalysisSettings *settings, bool undecided,
                                       SpragVerdict *verdict);

#endif
