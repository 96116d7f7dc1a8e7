// solve.h: the parts of `sprag solve`: a bare LCP, QP or friction problem, solved and printed in
// two ways.
#ifndef SPRAG_TOOL_SOLVE_H
#define SPRAG_TOOL_SOLVE_H

#include "sprag/complementarity.h"
#include "tool.h"

// What the options ask for.
typedef struct SolveOptions {
    bool all;
    const char *method;      // NULL: the default
    double tolerance;        // 0: the default
    int sides;               // of friction cones in LCPs; 0: the default
    const SpragScene *scene; // with its expectations; NULL: none
} SolveOptions;

// Solve, print to text, and return the exit status; a failure is printed on standard error.
ToolExit solve_lcp(SpragContext *context, const Arguments *arguments, const SolveOptions *options,
                   const SpragLcp *problem, SpragText *text);
ToolExit solve_friction(SpragContext *context, const Arguments *arguments,
                        const SolveOptions *options, const SpragFrictionProblem *problem,
                        SpragText *text);
ToolExit solve_qp(SpragContext *context, const Arguments *arguments, const SolveOptions *options,
                  const SpragQp *problem, SpragText *text);

#endif
