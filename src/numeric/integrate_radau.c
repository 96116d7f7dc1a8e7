// integrate_radau.c: Radau IIA collocation with 3, 5 or 7 stages (order 5, 9, 13) for stiff
// systems. Problem   one step of y' = f(t, y) from (t, y) to t + h Method    Z_i = h Σ_j a_ij f(t +
// c_j h, y + Z_j),  y_new = y + Z_s: A-stable, stiffly accurate.
//           The stages are found in integrate_radau_newton.c [HairerWanner1996, sec. IV.8]
// Error     err = (γ/h I − J)⁻¹ (f(t, y) − p'(t)), p the collocation polynomial: order s + 1 in h,
//           and the decay of the coefficients of p, which sees the fast components too
// Dense     p, of degree s, in Newton's form on 1 = c_s, c_(s−1), …, c_1, 0, and a multiple of err:
//           f(t, y) − p'(t) tells the next term of p, where h J is small
// Assumes   f differentiable within the step; J is reused while the iteration converges quickly
#include "integrate_radau.h"

#include <float.h>
#include <math.h>
#include <string.h>

// J is kept for the next step while increments shrink at least by this.
static const double CONTRACTION_KEEP = 1e-3;
// A proposed change of the step within these is not made as long as J is kept: the factors stay.
static const double KEEP_LEAST = 1.0, KEEP_MOST = 1.2;
// Step size control [HairerWanner1996, sec. IV.8].
static const double SAFETY = 0.9, GROW_MOST = 8.0, SHRINK_MOST = 0.2;
// What the estimates may be, in tolerances. They are of order s + 1, and the end of a step is more
// exact by far, except in fast components that follow the slow ones: the velocity of a stiff
// spring has an error of s times the estimate. With this factor errors at and between the ends of
// steps are of the size of the tolerance; with 1 there would be 1.3 (s = 7) to 1.8 times the steps.
static const double SLACK = 10.0;
// "radau" has 3, 5 and 7 stages from these relative tolerances on: where the number of evaluations
// of f is about equal over a set of stiff, oscillating and smooth problems.
static const double FIVE_STAGES = 3e-5, SEVEN_STAGES = 3e-8;
enum { ANY_TABLE = RADAU_TABLES };
// An error beyond all bounds stands for an iteration that did not converge.
static const double NOT_CONVERGED = DBL_MAX;
enum { LARGEST_SIZE = 4096 };
// Newton's iteration ends when the next increment is expected below this part of the tolerance.
static const double NEWTON_PART = 0.1;

// ---- Memory -------------------------------------------------------------------------------------

static void carve_factors(ShiftedFactors *factors, size_t n, bool complex, double **doubles,
                          int **integers)
{
    factors->real = *doubles;
    *doubles += n * n;
    factors->imaginary = complex ? *doubles : NULL;
    *doubles += complex ? n * n : 0;
    factors->pivots = *integers;
    *integers += n;
}

static void carve(Radau *radau, int n, int width, double *doubles)
{
    size_t size = (size_t)n, wide = (size_t)width;
    int *integers = radau->integers;
    for (int i = 0; i < RADAU_MAX_STAGES; i++) {
        radau->Z[i] = doubles;
        radau->W[i] = doubles + wide;
        radau->F[i] = doubles + 2 * wide;
        radau->D[i] = doubles + 3 * wide;
        radau->step.coefficients[i] = doubles + 4 * wide;
        radau->before.coefficients[i] = doubles + 5 * wide;
        doubles += 6 * wide;
    }
    radau->weights = doubles;
    radau->core_weights = doubles + wide;
    radau->error = doubles + 2 * wide;
    radau->work = doubles + 3 * wide;
    radau->J = doubles + 5 * wide;
    doubles += 5 * wide + size * size;
    sprag_shifted_carve(&radau->system, n, doubles, integers);
    doubles += sprag_shifted_doubles(n);
    integers += sprag_shifted_integers(n);
    carve_factors(&radau->real, size, false, &doubles, &integers);
    for (int i = 0; i < RADAU_MAX_PAIRS; i++)
        carve_factors(&radau->pairs[i], size, true, &doubles, &integers);
}

static SpragStatus create(SpragIntegrator *integrator)
{
    int n = integrator->n, width = integrator->width;
    SpragContext *context = integrator->context;
    if (n > LARGEST_SIZE)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "implicit integrators are for at most %d components, not %d",
                          LARGEST_SIZE, n);
    size_t size = (size_t)n, wide = (size_t)width;
    size_t doubles = (6 * RADAU_MAX_STAGES + 5) * wide + size * size + sprag_shifted_doubles(n) +
                     (1 + 2 * RADAU_MAX_PAIRS) * size * size;
    size_t integers = sprag_shifted_integers(n) + (1 + RADAU_MAX_PAIRS) * size;
    Radau *radau = sprag_alloc(context, 1, sizeof *radau);
    integrator->implicit = radau;
    if (!radau)
        return SPRAG_ERROR_MEMORY;
    integrator->implicit_memory = sprag_alloc(context, doubles, sizeof(double));
    radau->integers = sprag_alloc(context, integers, sizeof(int));
    if (!integrator->implicit_memory || !radau->integers)
        return SPRAG_ERROR_MEMORY;
    carve(radau, n, width, integrator->implicit_memory);
    radau->part = NEWTON_PART;
    return SPRAG_OK;
}

static void destroy(SpragIntegrator *integrator)
{
    Radau *radau = integrator->implicit;
    if (radau)
        sprag_free(integrator->context, radau->integers);
    sprag_free(integrator->context, integrator->implicit_memory);
    sprag_free(integrator->context, radau);
}

// ---- The step -----------------------------------------------------------------------------------

static const RadauTable *choose_table(const SpragIntegrator *integrator)
{
    int table = integrator->method->code->table;
    if (table == ANY_TABLE)
        table = (integrator->relative <= FIVE_STAGES) + (integrator->relative <= SEVEN_STAGES);
    return &sprag_radau_tables[table];
}

static void begin_arc(SpragIntegrator *integrator)
{
    Radau *radau = integrator->implicit;
    radau->has_jacobian = false;
    radau->factored_h = 0.0;
    radau->convergence = 1.0;
    radau->contraction = 1.0;
    radau->accepted_h = 0.0;
    radau->table = choose_table(integrator);
    // the surplus entry, after a resize
    int i = integrator->n;
    for (int j = 0; i < integrator->width && j < RADAU_MAX_STAGES; j++)
        radau->Z[j][i] = radau->W[j][i] = radau->F[j][i] = radau->D[j][i] =
            radau->step.coefficients[j][i] = radau->before.coefficients[j][i] = 0.0;
}

static void begin(SpragIntegrator *integrator)
{
    Radau *radau = integrator->implicit;
    bool step_before = integrator->has_step && !integrator->new_arc;
    if (integrator->new_arc)
        begin_arc(integrator);
    if (step_before) {
        RadauPolynomial older = radau->before;
        radau->before = radau->step;
        radau->step = older;
    }
    radau->has_predictor = step_before;
    radau->fresh_jacobian = false;
    radau->rejected = false;
    if (radau->contraction > CONTRACTION_KEEP)
        radau->has_jacobian = false;
    integrator->new_arc = false;
}

void sprag_integrator_renew(SpragIntegrator *integrator)
{
    if (integrator->implicit)
        integrator->implicit->has_jacobian = false;
}

void sprag_integrator_refine(SpragIntegrator *integrator, double part)
{
    if (integrator->implicit)
        integrator->implicit->part = part > 0.0 && part < NEWTON_PART ? part : NEWTON_PART;
}

static void set_weights(SpragIntegrator *integrator)
{
    Radau *radau = integrator->implicit;
    // 0 for the surplus entry, whose tolerance is infinite
    for (int i = 0; i < integrator->width; i++)
        radau->weights[i] =
            1.0 / (integrator->absolute[i] + integrator->relative * fabs(integrator->begin[i]));
}

// radau->error = (γ/h − J)⁻¹ (f0 − p'(0)) and its norm.
static double measure(SpragIntegrator *integrator, double h, const double *f0)
{
    Radau *radau = integrator->implicit;
    const RadauTable *table = radau->table;
    double *restrict e = radau->error;
    int n = integrator->n;
    for (int c = 0; c < n; c++) {
        double sum = 0.0;
        for (int i = 0; i < table->stages; i++)
            sum += table->defect[i] * radau->Z[i][c];
        e[c] = f0[c] + sum / h;
    }
    sprag_shifted_solve(&radau->system, &radau->real, e, radau->work);
    double sum = 0.0, finite = 0.0;
    for (int c = 0; c < n; c++) {
        double size = fmax(fabs(integrator->begin[c]), fabs(integrator->end[c]));
        double ratio = e[c] / (integrator->absolute[c] + integrator->relative * size);
        sum += ratio * ratio;
        finite += 0.0 * (integrator->end[c] + e[c]);
    }
    return sqrt(sum / integrator->controlled_count) / SLACK + finite;
}

// Scaled norm of coefficient k of the step's polynomial.
static double coefficient_norm(const SpragIntegrator *integrator, int k)
{
    const Radau *radau = integrator->implicit;
    double sum = 0.0;
    for (int c = 0; c < integrator->n; c++) {
        double ratio = radau->step.coefficients[k][c] * radau->weights[c];
        sum += ratio * ratio;
    }
    return sqrt(sum / integrator->controlled_count);
}

// The error inside the step from the decay of the polynomial's coefficients, fast components not
// excepted; relative to what it may be.
static double measure_inside(SpragIntegrator *integrator, double h)
{
    Radau *radau = integrator->implicit;
    const RadauTable *table = radau->table;
    int s = table->stages;
    radau->step.table = table;
    radau->step.h = h;
    sprag_radau_transform(s, integrator->width, table->newton, radau->Z, radau->step.coefficients);
    double last = coefficient_norm(integrator, s - 1);
    double earlier = coefficient_norm(integrator, s - 3);
    double decay = last < earlier ? sqrt(last / earlier) : 1.0;
    return last * decay * table->spread / SLACK;
}

static int attempt(SpragIntegrator *integrator, double h, double *error)
{
    Radau *radau = integrator->implicit;
    int n = integrator->n;
    Newton end;
    set_weights(integrator);
    int code = sprag_radau_solve_stages(integrator, h, &end);
    if (code)
        return code;
    *error = end == NEWTON_NOT_FINITE ? NAN : NOT_CONVERGED;
    if (end != NEWTON_CONVERGED)
        return 0;
    radau->shrink = 0.0;
    for (int c = 0; c < n; c++)
        integrator->end[c] = integrator->begin[c] + radau->Z[radau->table->stages - 1][c];
    *error = measure(integrator, h, integrator->k[0]);
    // a large defect at the start is often that of a fast component, which one more solve takes out
    if (*error > 1.0) {
        double *w = integrator->work;
        for (int c = 0; c < n; c++)
            w[c] = integrator->begin[c] + radau->error[c];
        code = integrator_call(integrator, integrator->t_begin, w, integrator->work2);
        if (code < 0)
            return code;
        if (code == 0)
            *error = measure(integrator, h, integrator->work2);
    }
    *error = fmax(*error, measure_inside(integrator, h));
    return 0;
}

// ---- Step sizes ---------------------------------------------------------------------------------

static double error_root(const SpragIntegrator *integrator, double error)
{
    const Radau *radau = integrator->implicit;
    int stages = radau && radau->table ? radau->table->stages : 3;
    return pow(error, 1.0 / (stages + 1));
}

// The factor to the step that would just meet the tolerance, shorter after many iterations.
static double basic_factor(const SpragIntegrator *integrator, double error)
{
    const Radau *radau = integrator->implicit;
    int most = sprag_radau_most_iterations(radau->table);
    double safety = fmin(SAFETY, SAFETY * (1 + 2 * most) / (radau->iterations + 2 * most));
    double root = error_root(integrator, error);
    double factor_here = root * GROW_MOST <= safety ? GROW_MOST : safety / root;
    return fmax(SHRINK_MOST, factor_here);
}

static double shrink_factor(SpragIntegrator *integrator, double error)
{
    Radau *radau = integrator->implicit;
    radau->rejected = true;
    if (radau->shrink > 0.0)
        return radau->shrink;
    double factor_here = basic_factor(integrator, error);
    return factor_here < 1.0 ? factor_here : SAFETY;
}

// The predictive controller [HairerWanner1996, sec. IV.8]: two steps tell the trend of the error.
static double next_step(SpragIntegrator *integrator, double error, double h, double grow)
{
    Radau *radau = integrator->implicit;
    double change = basic_factor(integrator, error);
    if (radau->accepted_h > 0.0) {
        double trend = SAFETY * (h / radau->accepted_h) /
                       error_root(integrator, error * error / radau->accepted_error);
        change = fmin(change, fmax(SHRINK_MOST, trend));
    }
    change = fmin(change, radau->rejected ? 1.0 : grow > 1.0 ? GROW_MOST : grow);
    radau->accepted_h = h;
    radau->accepted_error = fmax(error, 1e-2);
    if (radau->contraction <= CONTRACTION_KEEP && change >= KEEP_LEAST && change <= KEEP_MOST)
        change = 1.0;
    return h * change;
}

// ---- Dense output -------------------------------------------------------------------------------

// The polynomial is there already.
static int build_dense(SpragIntegrator *integrator)
{
    (void)integrator;
    return 0;
}

// What the estimate of the error says of the polynomial: its next term where h J is small.
static double correction(const RadauTable *table, double s)
{
    double sum = 0.0;
    for (int k = table->stages; k >= 0; k--)
        sum = table->correction[k] + s * sum;
    return s * sum;
}

static double component(const SpragIntegrator *integrator, double s, int i)
{
    const Radau *radau = integrator->implicit;
    return integrator->end[i] +
           (radau_polynomial(&radau->step, s, i) + correction(radau->table, s) * radau->error[i]);
}

static void components(const SpragIntegrator *integrator, double s, double *restrict y)
{
    const Radau *radau = integrator->implicit;
    double factor = correction(radau->table, s);
    int n = integrator->n;
    sprag_radau_evaluate(&radau->step, s, n, y);
    for (int i = 0; i < n; i++)
        y[i] = integrator->end[i] + (y[i] + factor * radau->error[i]);
}

#define RADAU_CODE(which)                                                                          \
    {                                                                                              \
        .last_stage = 1, .table = (which), .create = create, .destroy = destroy, .begin = begin,   \
        .attempt = attempt, .build_dense = build_dense, .component = component,                    \
        .components = components, .error_root = error_root, .shrink_factor = shrink_factor,        \
        .next_step = next_step                                                                     \
    }
static const SpragIntegratorCode codes[] = {RADAU_CODE(0), RADAU_CODE(1), RADAU_CODE(2),
                                            RADAU_CODE(ANY_TABLE)};

#define SOURCE                                                                                     \
    "Hairer, Wanner, Solving Ordinary Differential Equations II, 2nd ed., 1996, and Stiff "        \
    "differential equations solved by Radau methods, J. Comput. Appl. Math. 111, 1999"

const SpragIntegratorMethod sprag_radau = {.name = "radau",
                                           .source = SOURCE,
                                           .implicit = true,
                                           .order = 13,
                                           .dense_order = 8,
                                           .code = &codes[3]};
const SpragIntegratorMethod sprag_radau5 = {.name = "radau5",
                                            .source = SOURCE,
                                            .implicit = true,
                                            .order = 5,
                                            .dense_order = 4,
                                            .stage_count = 3,
                                            .extended_count = 3,
                                            .a = sprag_radau_matrix3,
                                            .c = sprag_radau_nodes3,
                                            .code = &codes[0]};
const SpragIntegratorMethod sprag_radau9 = {.name = "radau9",
                                            .source = SOURCE,
                                            .implicit = true,
                                            .order = 9,
                                            .dense_order = 6,
                                            .stage_count = 5,
                                            .extended_count = 5,
                                            .a = sprag_radau_matrix5,
                                            .c = sprag_radau_nodes5,
                                            .code = &codes[1]};
const SpragIntegratorMethod sprag_radau13 = {.name = "radau13",
                                             .source = SOURCE,
                                             .implicit = true,
                                             .order = 13,
                                             .dense_order = 8,
                                             .stage_count = 7,
                                             .extended_count = 7,
                                             .a = sprag_radau_matrix7,
                                             .c = sprag_radau_nodes7,
                                             .code = &codes[2]};
