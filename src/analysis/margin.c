// margin.c: how far a value may change before the verdict does, theory.md (8.4).
// Problem   the least |f − 1|, f below and above 1, at which the outcome of f times the value is
//           not that of the value itself. The outcome is not monotone in f.
// Method    a scan away from 1 with steps that grow from 1e-6 to a twentieth of f, then bisection
//           of the first step over which the outcome differs, to 1e-9
// Assumes   that no change is undone within one step of the scan
#include <math.h>
#include <string.h>

#include "sprag/analysis.h"

static const double FIRST_STEP = 1e-6, GROWTH = 1.5, LARGEST_STEP = 0.05, BRACKET = 1e-9;
// How far behind the border it is asked what the verdict changes into: at the border itself the
// tolerances of the search decide.
static const double BEHIND = 1e-6;

typedef struct Scan {
    SpragOutcomeFunction *function;
    void *user;
    uint64_t signature; // at 1
    double direction;
} Scan;

// Whether the outcome at distance d from 1 is another one.
static SpragStatus differs(const Scan *scan, double d, SpragOutcome *outcome, bool *yes)
{
    SPRAG_TRY(scan->function(1 + scan->direction * d, outcome, scan->user));
    *yes = outcome->signature != scan->signature;
    return SPRAG_OK;
}

static SpragStatus bracket(const Scan *scan, double low, double high, SpragMarginSide *side)
{
    SpragOutcome outcome;
    double far = high;
    bool yes;
    while (high - low > BRACKET * (1 + 0.5 * (low + high)) / 4) {
        double middle = low + 0.5 * (high - low);
        SPRAG_TRY(differs(scan, middle, &outcome, &yes));
        if (yes)
            high = middle;
        else
            low = middle;
    }
    side->change = low + 0.5 * (high - low);
    SPRAG_TRY(differs(scan, fmin(far, high + BEHIND), &outcome, &yes));
    if (!yes)
        SPRAG_TRY(differs(scan, high, &outcome, &yes));
    side->becomes = outcome;
    return SPRAG_OK;
}

static SpragStatus scan_side(const Scan *scan, double limit, SpragMarginSide *side)
{
    SpragOutcome outcome;
    double last = 0;
    bool yes = false;
    side->change = INFINITY;
    while (last < limit) {
        double step = fmax(FIRST_STEP, fmin((GROWTH - 1) * last,
                                            LARGEST_STEP * (scan->direction > 0 ? 1 + last : 1)));
        double next = fmin(limit, last + step);
        SpragStatus status = differs(scan, next, &outcome, &yes);
        // beyond what can be computed there is nothing to find
        if (status == SPRAG_ERROR_INPUT || status == SPRAG_ERROR_NUMERIC)
            return SPRAG_OK;
        SPRAG_TRY(status);
        if (yes)
            return bracket(scan, last, next, side);
        last = next;
    }
    return SPRAG_OK;
}

SpragStatus sprag_margin_scan(SpragOutcomeFunction *function, void *user, double least, double most,
                              SpragMargin *margin)
{
    SpragOutcome outcome;
    *margin = (SpragMargin){.down.change = INFINITY, .up.change = INFINITY};
    SPRAG_TRY(function(1, &outcome, user));
    Scan down = {function, user, outcome.signature, -1},
         up = {function, user, outcome.signature, 1};
    SPRAG_TRY(scan_side(&down, 1 - least, &margin->down));
    return scan_side(&up, most - 1, &margin->up);
}

// ---- Friction -----------------------------------------------------------------------------------

typedef struct FrictionChange {
    SpragAnalysis *analysis;
    const SpragContactProblem *problem;
    SpragAnalysisSettings settings;
    int constraint;
    SpragContactProblem changed; // shares everything but the constraints
} FrictionChange;

static SpragStatus change_friction(double factor, SpragOutcome *outcome, void *user)
{
    FrictionChange *change = user;
    SpragVerdict verdict;
    for (int c = 0; c < change->problem->constraint_count; c++)
        if (change->constraint < 0 || change->constraint == c)
            change->changed.constraints[c].friction =
                factor * change->problem->constraints[c].friction;
    SPRAG_TRY(sprag_analysis_run(change->analysis, &change->changed, &change->settings, &verdict));
    sprag_outcome_init(outcome, &change->changed, &verdict);
    return SPRAG_OK;
}

SpragStatus sprag_margin_friction(SpragAnalysis *analysis, const SpragContactProblem *problem,
                                  const SpragAnalysisSettings *settings, int constraint,
                                  SpragMargin *margin)
{
    const double most = 10;
    FrictionChange change = {analysis, problem, settings ? *settings : sprag_analysis_default(),
                             constraint, *problem};
    change.settings.motions.ranges = false; // outcomes do not read them
    change.settings.silent = true;          // nobody reads a sentence for each step of the scan
    SpragContext *context = problem->context;
    size_t count = (size_t)problem->constraint_count;
    bool rough = false;
    *margin = (SpragMargin){.down.change = INFINITY, .up.change = INFINITY};
    for (int c = 0; c < problem->constraint_count; c++)
        rough |= (constraint < 0 || constraint == c) && problem->constraints[c].friction > 0;
    if (!rough)
        return SPRAG_OK;
    change.changed.constraints = sprag_alloc(context, count, sizeof *change.changed.constraints);
    if (!change.changed.constraints)
        return SPRAG_ERROR_MEMORY;
    memcpy(change.changed.constraints, problem->constraints,
           count * sizeof *change.changed.constraints);
    SpragStatus status = sprag_margin_scan(change_friction, &change, 0, most, margin);
    sprag_free(context, change.changed.constraints);
    return status;
}
