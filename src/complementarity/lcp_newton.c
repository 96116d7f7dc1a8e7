// lcp_newton.c: nonsmooth Newton methods with a line search.
//
// Problem   Φ(z) = 0 with Φ_i = φ(z_i, w_i), w = M z + q, where φ vanishes exactly on a, b ≥ 0, ab
// = 0 Method    Fischer–Burmeister φ = √(a² + b²) − a − b, or φ = min(a, b). A Newton step with an
// element of
//           the generalised Jacobian; where it fails or is no descent direction of
//           ½|Φ_FB|², the negative gradient of that. Armijo's rule, halving. The merit of both is
//           ½|Φ_FB|², which is differentiable. The end point is recomputed from its support.
// Assumes   global convergence to a solution for P0-matrices with bounded level sets; otherwise it
//           may stop at a stationary point
// Result    SOLVED, STALLED or LIMIT
#include <math.h>
#include <string.h>

#include "lcp_internal.h"

static const double SINGULAR = 1e-15;
// A step is a descent direction if its slope is below −this × |step|^2.1.
static const double DESCENT = 1e-10, DESCENT_POWER = 2.1, ARMIJO = 1e-4;
enum { DEFAULT_ITERATIONS = 200, HALVINGS = 40 };

typedef struct Newton {
    SpragLcpWorkspace *ws;
    const SpragLcp *problem;
    bool fischer;
    double *z, *w, *phi, *step, *gradient, *trial;
    double merit;
} Newton;

static double fischer(double a, double b)
{
    // √(a² + b²) − a − b without cancellation where both are positive
    double sum = a + b, root = hypot(a, b);
    return sum > 0 ? -2 * a * b / (root + sum) : root - sum;
}

static double merit_at(const Newton *newton, const double *z, double *w)
{
    sprag_lcp_residual(newton->problem, z, w);
    double sum = 0;
    for (int i = 0; i < newton->problem->n; i++) {
        double phi = fischer(z[i], w[i]);
        sum += phi * phi;
    }
    return 0.5 * sum;
}

// Derivatives of the FB function at (a, b), an element of the subdifferential at the origin.
static void fischer_slopes(double a, double b, double *da, double *db)
{
    double root = hypot(a, b);
    if (root > 0) {
        *da = a / root - 1;
        *db = b / root - 1;
    } else {
        *da = *db = sqrt(0.5) - 1;
    }
}

// Gradient of the FB merit.
static void fill_gradient(Newton *newton)
{
    size_t n = (size_t)newton->problem->n;
    memset(newton->gradient, 0, n * sizeof *newton->gradient);
    for (size_t i = 0; i < n; i++) {
        double da, db, phi = fischer(newton->z[i], newton->w[i]);
        fischer_slopes(newton->z[i], newton->w[i], &da, &db);
        newton->gradient[i] += da * phi;
        lcp_kernel_axpy((int)n, -db * phi, newton->problem->M + i * n, newton->gradient);
    }
}

// Jacobian and right side; the Newton step in newton->step. False if singular.
static bool newton_step(Newton *newton)
{
    SpragLcpWorkspace *ws = newton->ws;
    size_t n = (size_t)newton->problem->n, ld = (size_t)lcp_lu_row_length((int)n);
    for (size_t i = 0; i < n; i++) {
        double a = newton->z[i], b = newton->w[i], da, db;
        if (newton->fischer) {
            fischer_slopes(a, b, &da, &db);
            newton->phi[i] = -fischer(a, b);
        } else {
            da = a < b ? 1 : 0;
            db = 1 - da;
            newton->phi[i] = -fmin(a, b);
        }
        double *row = ws->matrix + i * ld;
        for (size_t j = 0; j < n; j++)
            row[j] = db * newton->problem->M[i * n + j];
        for (size_t j = n; j < ld; j++)
            row[j] = 0;
        row[i] += da;
    }
    if (!lcp_lu_factor((int)n, ws->matrix, SINGULAR, ws->permutation, ws->panel))
        return false;
    lcp_lu_solve((int)n, ws->matrix, ws->permutation, newton->phi, newton->step);
    for (size_t i = 0; i < n; i++)
        if (!isfinite(newton->step[i]))
            return false;
    return true;
}

// Moves along step with Armijo's rule; false if no length is accepted.
static bool line_search(Newton *newton, double slope)
{
    int n = newton->problem->n;
    double length = 1;
    for (int k = 0; k < HALVINGS; k++, length *= 0.5) {
        for (int i = 0; i < n; i++)
            newton->trial[i] = newton->z[i] + length * newton->step[i];
        double merit = merit_at(newton, newton->trial, newton->phi);
        if (merit <= newton->merit + ARMIJO * length * slope) {
            memcpy(newton->z, newton->trial, (size_t)n * sizeof *newton->z);
            memcpy(newton->w, newton->phi, (size_t)n * sizeof *newton->w);
            newton->merit = merit;
            return true;
        }
    }
    return false;
}

static bool iterate(Newton *newton)
{
    int n = newton->problem->n;
    fill_gradient(newton);
    bool descent = newton_step(newton);
    double slope = 0, norm = 0;
    for (int i = 0; descent && i < n; i++) {
        slope += newton->gradient[i] * newton->step[i];
        norm += newton->step[i] * newton->step[i];
    }
    if (descent && slope <= -DESCENT * pow(norm, 0.5 * DESCENT_POWER) && line_search(newton, slope))
        return true;
    slope = 0;
    for (int i = 0; i < n; i++) {
        newton->step[i] = -newton->gradient[i];
        slope -= newton->gradient[i] * newton->gradient[i];
    }
    return slope < 0 && line_search(newton, slope);
}

static SpragStatus solve(SpragLcpWorkspace *ws, const SpragLcp *problem,
                         const SpragLcpSettings *settings, bool use_fischer, double *z,
                         LcpOutcome *outcome)
{
    int n = problem->n, limit = settings->max_iterations;
    Newton newton = {ws,
                     problem,
                     use_fischer,
                     z,
                     ws->vectors[0],
                     ws->vectors[1],
                     ws->vectors[2],
                     ws->vectors[3],
                     ws->vectors[8],
                     0};
    for (int i = 0; i < n; i++)
        z[i] = settings->start_z ? settings->start_z[i] : 0;
    newton.merit = merit_at(&newton, z, newton.w);
    outcome->starts++;
    outcome->status = SPRAG_LCP_LIMIT;
    for (int k = 0; k < (limit > 0 ? limit : DEFAULT_ITERATIONS); k++) {
        if (sprag_lcp_residual(problem, z, NULL) <= settings->tolerance) {
            outcome->status = SPRAG_LCP_SOLVED;
            break;
        }
        outcome->iterations++;
        if (!iterate(&newton)) {
            outcome->status = SPRAG_LCP_STALLED;
            break;
        }
    }
    double residual = lcp_polish(ws, problem, z);
    if (residual <= settings->tolerance)
        outcome->status = SPRAG_LCP_SOLVED;
    sprag_lcp_residual(problem, z, newton.w);
    for (int i = 0; i < n; i++)
        ws->basis[i] = z[i] > newton.w[i];
    ws->has_basis = residual <= settings->tolerance;
    return SPRAG_OK;
}

SpragStatus lcp_newton_fb(SpragLcpWorkspace *ws, const SpragLcp *problem,
                          const SpragLcpSettings *settings, double *z, LcpOutcome *outcome)
{
    return solve(ws, problem, settings, true, z, outcome);
}

SpragStatus lcp_newton_min(SpragLcpWorkspace *ws, const SpragLcp *problem,
                           const SpragLcpSettings *settings, double *z, LcpOutcome *outcome)
{
    return solve(ws, problem, settings, false, z, outcome);
}
