// integrate_private.h: what a method implements and the integrator's data, shared by integrate*.c.
#ifndef SPRAG_NUMERIC_INTEGRATE_PRIVATE_H
#define SPRAG_NUMERIC_INTEGRATE_PRIVATE_H

#include "sprag/integrate.h"

enum { INTEGRATOR_MAX_STAGES = 16, INTEGRATOR_MAX_DENSE = 8 };

// Where f at the present time is kept.
typedef enum DerivativePlace {
    DERIVATIVE_NONE,
    DERIVATIVE_FIRST, // k[0]
    DERIVATIVE_LAST   // k[last_stage] of the code, first-same-as-last
} DerivativePlace;

// Arrays have `width` entries: n rounded up to an even number, the surplus zero, so that loops over
// `width` need no remainder where two doubles fit a register.
struct SpragIntegrator {
    SpragContext *context;
    const SpragIntegratorMethod *method;
    SpragDerivativeFunction *f;
    void *user;
    SpragJacobianFunction *jacobian; // of implicit methods, may be NULL
    int n, width;
    int capacity;         // n at creation: the arrays have room for it
    int controlled_count; // components with a finite absolute tolerance, at least 1
    double relative;
    double max_step; // INFINITY: no limit
    bool eager_dense;

    bool started;   // restart was called
    bool new_arc;   // and no step begun since
    bool has_step;  // begin, end, t_begin, t_end describe an accepted step
    bool has_dense; // and dense holds its coefficients
    bool end_known; // the attempt has evaluated f at the end of the step already
    DerivativePlace derivative;
    double t, h;           // present time; proposed |step|, 0: unknown
    double t_begin, t_end; // of the step made last, or being tried
    SpragIntegratorStatistics statistics;

    double *memory; // owned: all arrays below
    double *absolute, *absolute_created;
    double *k[INTEGRATOR_MAX_STAGES]; // stage derivatives
    double *states[3];                // three, so that `current` may differ from both others
    double *current;                  // state at t
    const double *begin;              // state at t_begin
    double *end;                      // state at t_end
    double *work, *work2;
    double *dense[INTEGRATOR_MAX_DENSE]; // coefficients of the dense output

    struct Radau *implicit;  // owned: the data of an implicit method
    double *implicit_memory; // owned: its arrays
};

// What a method implements.
typedef struct SpragIntegratorCode {
    int dense_count; // arrays of dense output coefficients
    int last_stage;  // f at the end of a step is kept in k of this index
    // implicit methods only: which table they use, memory of their own (destroy after a failed
    // create too), and what to do when a step begins, before the state moves
    int table;
    SpragStatus (*create)(SpragIntegrator *integrator);
    void (*destroy)(SpragIntegrator *integrator);
    void (*begin)(SpragIntegrator *integrator);
    // Fills the stages but the last, `end` and the scaled error of the step from begin (with k[0])
    // to t_end = t_begin + h. Returns the first non-zero code of f, else 0.
    int (*attempt)(SpragIntegrator *integrator, double h, double *error);
    // Fills `dense` from the stages of the accepted step. Returns as attempt.
    int (*build_dense)(SpragIntegrator *integrator);
    // The dense output at the fraction s of the step, component i.
    double (*component)(const SpragIntegrator *integrator, double s, int i);
    // The same for all.
    void (*components)(const SpragIntegrator *integrator, double s, double *y);
    // error^(1/q): the step size that meets the tolerance is proportional to its inverse.
    double (*error_root)(const SpragIntegrator *integrator, double error);
    // The factor to the next attempt after one with too large an error; and the |step| after an
    // accepted one, which may grow by `grow` at most. NULL: by error_root.
    double (*shrink_factor)(SpragIntegrator *integrator, double error);
    double (*next_step)(SpragIntegrator *integrator, double error, double h, double grow);
} SpragIntegratorCode;

// Calls f and counts.
static inline int integrator_call(SpragIntegrator *integrator, double t, const double *y,
                                  double *dy)
{
    integrator->statistics.evaluations++;
    return integrator->f(t, y, dy, integrator->user);
}

extern const SpragIntegratorMethod sprag_dop853;
extern const SpragIntegratorMethod sprag_radau, sprag_radau5, sprag_radau9, sprag_radau13;

// What became of an evaluation or an attempt.
typedef enum Trial {
    TRIAL_OK,
    TRIAL_TOO_LARGE,  // the error estimate exceeds the tolerance
    TRIAL_NOT_FINITE, // a number is not finite
    TRIAL_REFUSED,    // f > 0
    TRIAL_STOPPED     // f < 0
} Trial;

static inline Trial integrator_judge(int code)
{
    return code == 0 ? TRIAL_OK : code > 0 ? TRIAL_REFUSED : TRIAL_STOPPED;
}

// 0·x is 0 for finite x only.
static inline bool integrator_is_finite(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += 0.0 * x[i];
    return sum == 0.0;
}

// One of the three states that is neither p nor q.
static inline double *integrator_other_state(const SpragIntegrator *integrator, const double *p,
                                             const double *q)
{
    double *const *states = integrator->states;
    int i = 0;
    while (states[i] == p || states[i] == q)
        i++;
    return states[i];
}

// The dense output of the step just made, kept if its coefficients are finite.
Trial sprag_integrator_build_dense(SpragIntegrator *integrator);
// ERROR_CALLBACK with its message.
SpragStatus sprag_integrator_fail_stopped(SpragIntegrator *integrator);

#endif
