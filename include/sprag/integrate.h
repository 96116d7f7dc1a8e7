// integrate.h: initial value problems on smooth arcs, dense output, and the earliest root on it.
//
//     y' = f(t, y),  y(t0) = y0          n components, arcs between events, restart after each
//
// The use is a loop: restart, then step by step; after each step look for roots of event functions
// on the dense output of that step; at a root evaluate the state there and restart from it.
// Everything is allocated by create (the root finder: when it meets more functions than ever
// before).
#ifndef SPRAG_INTEGRATE_H
#define SPRAG_INTEGRATE_H

#include "sprag/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Integrators --------------------------------------------------------------------------------

// dy = f(t, y). Returns 0, > 0 (cannot be evaluated here: try a smaller step) or < 0 (stop). It may
// be called at times beyond those of accepted steps, never beyond the stop time of the step.
typedef int SpragDerivativeFunction(double t, const double *y, double *dy, void *user);

// ∂f/∂y at (t, y), n × n row-major, zeroed before the call; for implicit methods. Returns as above.
// It is asked for inside of steps, at states that are about right; an approximation costs
// iterations, not accuracy. Components whose column is zero (quadratures) and rows with one entry
// (q' = v) are cheap.
typedef int SpragJacobianFunction(double t, const double *y, double *jacobian, void *user);

// One row of the table of methods: a Runge–Kutta method with dense output, and its tableau.
// "radau" is one of "radau5", "radau9" and "radau13", chosen by the relative tolerance; it has the
// orders of the last and no tableau of its own.
typedef struct SpragIntegratorMethod {
    const char *name;   // for SpragIntegratorSettings.method
    const char *source; // where it was published
    bool implicit;      // for stiff systems
    int order;          // of the solution at the end of a step
    int dense_order;    // of the solution inside a step
    int stage_count;    // stages; of explicit ones the last is the first one of the next step
    int extended_count; // and those of the dense output
    const double *a; // extended_count × extended_count; row stage_count − 1 holds the weights b
    const double *c; // extended_count
    const struct SpragIntegratorCode *code; // private to the room
} SpragIntegratorMethod;

// Row `index` of the table of methods, NULL after the last one. Row 0 is the default.
const SpragIntegratorMethod *sprag_integrator_method(int index);

typedef struct SpragIntegratorSettings {
    const char *method;          // name in the table of methods; "dop853"
    double relative;             // relative tolerance of each component, ≥ 1e-15; 1e-9
    double absolute;             // absolute tolerance of each component, > 0; 1e-12
    const double *absolute_each; // n entries that replace `absolute` (copied), or NULL. INFINITY
                                 // leaves a component out of the error control. A component that
                                 // rings needs more than frequency × ulp of what it is the rate of
    double max_step;             // largest |t_new − t_old|; 0: no limit
    SpragJacobianFunction *jacobian; // implicit methods: NULL: by finite differences
    bool eager_dense; // the evaluations of the dense output are part of each step, so that their
                      // recoverable failure shrinks the step; false: at the first evaluate
    uint32_t cookie;
} SpragIntegratorSettings;

SpragIntegratorSettings sprag_integrator_default(void);

typedef enum SpragStepOutcome {
    SPRAG_STEP_DONE,       // the step is accepted; there is more to go
    SPRAG_STEP_AT_STOP,    // accepted, and t_new is the stop time (bit for bit)
    SPRAG_STEP_UNDERFLOW,  // no step that can be told from zero meets the tolerance
    SPRAG_STEP_NOT_FINITE, // f, or the solution, is not finite however small the step
    SPRAG_STEP_REFUSED     // f returned > 0 however small the step
} SpragStepOutcome;

// "done", "at stop", "underflow", "not finite", "refused".
const char *sprag_step_outcome_name(SpragStepOutcome outcome);

typedef struct SpragStep {
    double t_old, t_new; // equal when no step was accepted
    double h_next;       // proposed |step| after t_new: the guess for a restart nearby
    double error;        // scaled error estimate of the step, ≤ 1 when accepted
    SpragStepOutcome outcome;
} SpragStep;

typedef struct SpragIntegratorStatistics {
    uint64_t steps;       // accepted
    uint64_t rejected;    // attempts with too large an error, or not finite
    uint64_t refused;     // attempts ended by f > 0
    uint64_t evaluations; // calls of f, those of the dense output included
    uint64_t dense;       // steps whose dense output was built
    uint64_t restarts;
    uint64_t jacobians;  // evaluations of ∂f/∂y (by differences: n of `evaluations` each)
    uint64_t iterations; // implicit methods: Newton's, all attempts
    uint64_t factored;   // and times that its matrices were factored
} SpragIntegratorStatistics;

typedef struct SpragIntegrator SpragIntegrator;

// An integrator for n ≥ 1 components; settings NULL: the defaults. ERROR_ARGUMENT for an unknown
// method, a tolerance outside its range or an uninitialised settings struct. It has no state before
// the first restart.
SPRAG_MUST_USE SpragStatus sprag_integrator_create(SpragContext *context, int n,
                                                   SpragDerivativeFunction *f, void *user,
                                                   const SpragIntegratorSettings *settings,
                                                   SpragIntegrator **integrator);
void sprag_integrator_destroy(SpragIntegrator *integrator);

// Starts a new arc at (t, y); forgets all before. dy = f(t, y) if the caller has it (else NULL:
// evaluated by the next step). step_guess: magnitude of the first step to try; 0: estimated with
// one more evaluation. f is not called. ERROR_NUMERIC if t, y or dy is not finite, ERROR_ARGUMENT
// for a negative or NaN guess; the integrator is unchanged then.
SPRAG_MUST_USE SpragStatus sprag_integrator_restart(SpragIntegrator *integrator, double t,
                                                    const double *y, const double *dy,
                                                    double step_guess);

// The next arcs have n components, at most as many as at creation (and tolerances for each as in
// the settings; NULL: as created). The integrator has no state until the next restart.
// ERROR_ARGUMENT for another n, or a tolerance that is not above 0; nothing changes then.
SPRAG_MUST_USE SpragStatus sprag_integrator_resize(SpragIntegrator *integrator, int n,
                                                   const double *absolute_each);

// One accepted step from the present time towards stop, never beyond it; stop before the present
// time integrates backwards, ±INFINITY is no stop. At stop already: nothing happens, AT_STOP.
// Returns OK with the outcome in *step: unless it is DONE or AT_STOP the state is unchanged.
// ERROR_CALLBACK if f returned < 0 (state unchanged), ERROR_ARGUMENT before the first restart or if
// stop is NaN.
SPRAG_MUST_USE SpragStatus sprag_integrator_step(SpragIntegrator *integrator, double stop,
                                                 SpragStep *step);

// Replaces the state at the present time by y (a projection on constraints) and keeps the step
// size; f is evaluated anew by the next step. The dense output stays that of the step as made.
// ERROR_NUMERIC if y is not finite.
SPRAG_MUST_USE SpragStatus sprag_integrator_correct(SpragIntegrator *integrator, const double *y);

// ∂f/∂y has changed much since it was last taken, as the caller knows: implicit methods take it
// anew for the next step. An old one that is too stiff looks convergent without moving what it
// holds.
void sprag_integrator_renew(SpragIntegrator *integrator);

// From now on implicit methods solve the equations of their stages to this part of the tolerance;
// 0 or more than the default 0.1: to that. What is left of them in stiff components does not decay:
// the next step extrapolates it. Where f depends on ratios of small components (directions of slow
// slips) it is to be far below the tolerance.
void sprag_integrator_refine(SpragIntegrator *integrator, double part);

// The dense output of the last accepted step at t, between t_old and t_new: all components in y
// (n). At t_old and t_new it is the state there, bit for bit. Costs evaluations of f on the first
// call after a step (3 for "dop853", none for implicit methods) unless eager_dense is set.
// ERROR_ARGUMENT if t is outside, or no step was made since the restart; ERROR_CALLBACK or
// ERROR_NUMERIC if these evaluations fail.
SPRAG_MUST_USE SpragStatus sprag_integrator_evaluate(SpragIntegrator *integrator, double t,
                                                     double *y);
// The same for the components listed in indices (count of them, each in 0 … n − 1).
SPRAG_MUST_USE SpragStatus sprag_integrator_evaluate_some(SpragIntegrator *integrator, double t,
                                                          int count, const int *indices, double *y);

// The present time, the state there (n, transient: until the next step, restart or correct), and
// f there (n, transient; NULL when it has not been evaluated).
double sprag_integrator_time(const SpragIntegrator *integrator);
const double *sprag_integrator_state(const SpragIntegrator *integrator);
const double *sprag_integrator_derivative(const SpragIntegrator *integrator);
SpragIntegratorStatistics sprag_integrator_statistics(const SpragIntegrator *integrator);

// ---- Roots --------------------------------------------------------------------------------------

// All functions at time t in values. Returns 0, > 0 (cannot be evaluated here) or < 0 (stop).
typedef int SpragRootFunction(double t, double *values, void *user);

typedef struct SpragRootSettings {
    double tolerance; // largest width of the bracket, in t; never taken below 4 ulp of the
                      // larger |t|; 0: that
    int sub_points;   // samples inside the interval, 0 … 14 (Chebyshev points); 3
    bool extrema; // look for two roots between neighbouring samples; needs sub_points ≥ 1; true
    uint32_t cookie;
} SpragRootSettings;

SpragRootSettings sprag_root_default(void);

enum { SPRAG_ROOT_MAX_SUB_POINTS = 14 };

// What to search. The interval may run backwards: "before" and "after", rising and falling are
// meant along the way from t_begin to t_end.
typedef struct SpragRootProblem {
    int count;                   // number of functions, ≥ 0
    SpragRootFunction *function; // evaluated at t_begin, at t_end and between only
    void *user;
    double t_begin, t_end;
    const int *directions;      // count: +1 rising roots only, −1 falling only, 0 both; NULL: 0
    const double *zeros;        // count: |g(t_begin)| up to this counts as zero; NULL: exact zeros
    const double *values_begin; // count: g(t_begin) if known, e.g. values_end of the search before;
                                // NULL: evaluated
    bool guards; // a function that is zero at the start and then on the far side of its direction
                 // has passed; false: it has not, that is where it comes from
} SpragRootProblem;

typedef enum SpragRootOutcome {
    SPRAG_ROOT_NONE,       // no root in (t_begin, t_end]
    SPRAG_ROOT_FOUND,      // the fields below are set
    SPRAG_ROOT_NOT_FINITE, // a function is not finite at `after`; which: first in fired
    SPRAG_ROOT_REFUSED     // the function returned > 0 at `after`
} SpragRootOutcome;

typedef struct SpragRoot {
    SpragRootOutcome outcome;
    double t;             // best estimate of the earliest root, within [before, after]
    double before, after; // old signs at before, new signs (or zero) at after
    int fired_count;      // number of non-zero entries of fired
    // transient, until the next search; count entries each
    const int *fired; // +1 rose, −1 fell through zero at this root; 0: not at this root
    const double *values_before; // g(before)
    const double *values_after;  // g(after)
    const double *values_end;    // g(t_end): values_begin of the next step if there was no root
    int evaluations;             // calls of the function
} SpragRoot;

typedef struct SpragRootFinder SpragRootFinder;

// A finder; settings NULL: the defaults.
SPRAG_MUST_USE SpragStatus sprag_root_finder_create(SpragContext *context,
                                                    const SpragRootSettings *settings,
                                                    SpragRootFinder **finder);
void sprag_root_finder_destroy(SpragRootFinder *finder);
// The earliest root of the problem's functions. Details in src/numeric/root.c. ERROR_CALLBACK if
// the function returned < 0, ERROR_ARGUMENT for an interval that is not finite.
SPRAG_MUST_USE SpragStatus sprag_root_find(SpragRootFinder *finder, const SpragRootProblem *problem,
                                           SpragRoot *root);

#ifdef __cplusplus
}
#endif

#endif
