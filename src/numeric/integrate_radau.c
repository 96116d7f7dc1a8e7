// integrate_radau.c: Radau IIA collocation with 3, 5 or 7 stages (order 5, 9, 13) for stiff
// systems. Problem   one step of y' = f(t, y) from (t, y) to t + h Method    Z_i = h Σ_j a_ij f(t +
// c_j h, y + Z_j),  y_new = y + Z_s: A-stable, stiffly accurate.
//           Simplified Newton iteration on W = T⁻¹ Z, where one real and some complex systems of
//           the size of y stand alone:
//               (λ_i/h I − J) ΔW_i = −λ_i/h W_i + (T⁻¹ F)_i            [HairerWanner1996, sec.
//               IV.8]
//           from the extrapolated polynomial of the step before
// Error     err = (γ/h I − J)⁻¹ (f(t, y) − p'(t)), p the collocation polynomial: order s + 1 in h.
//           The solution itself has order 2s − 1, so this is too much by far at strict tolerances:
//           what is required is `slack` times the tolerance
// Dense     p, of degree s, in Newton's form on 1 = c_s, c_(s−1), …, c_1, 0
// Assumes   f differentiable within the step; J is reused while the iteration converges quickly
#include "integrate_radau.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Newton's iteration ends when the next increment is expected below this part of the tolerance,
// or below so many ulp of the state.
static const double NEWTON_PART = 0.03, NEWTON_ULPS = 10.0;
// It has failed when increments shrink by less than this.
static const double CONTRACTION_MOST = 0.99;
// J is kept for the next step while increments shrink at least by this.
static const double CONTRACTION_KEEP = 1e-3;
// A proposed change of the step within these is not made as long as J is kept: the factors stay.
static const double KEEP_LEAST = 1.0, KEEP_MOST = 1.2;
// Step size control [HairerWanner1996, sec. IV.8].
static const double SAFETY = 0.9, GROW_MOST = 8.0, SHRINK_MOST = 0.2;
// An error beyond all bounds stands for an iteration that did not converge.
static const double NOT_CONVERGED = DBL_MAX;
enum { LARGEST_SIZE = 4096 };

static int most_iterations(int stages)
{
    return 7 + 5 * (stages - 3) / 2;
}

// What the estimate of order s + 1 may be, in tolerances.
static double slack(const SpragIntegrator *integrator, int stages)
{
    double exponent = 1.0 - (stages + 1.0) / (2.0 * stages);
    double value = 0.1 * pow(integrator->relative, -exponent);
    return value > 1.0 ? value : 1.0;
}

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
        doubles += 4 * wide;
    }
    radau->weights = doubles;
    radau->error = doubles + wide;
    radau->work = doubles + 2 * wide;
    radau->J = doubles + 4 * wide;
    doubles += 4 * wide + size * size;
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
    size_t doubles = (4 * RADAU_MAX_STAGES + 4) * wide + size * size + sprag_shifted_doubles(n) +
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

// ---- Transformations ----------------------------------------------------------------------------

// out_i = Σ_j M_ij in_j for the stages.
static inline void combine(int s, int width, const double *restrict M, double *const *in,
                           double *const *out)
{
    for (int i = 0; i < s; i++) {
        double *restrict result = out[i];
        for (int c = 0; c < width; c++) {
            double sum = M[i * s] * in[0][c];
            for (int j = 1; j < s; j++)
                sum += M[i * s + j] * in[j][c];
            result[c] = sum;
        }
    }
}

static void transform(int s, int width, const double *M, double *const *in, double *const *out)
{
    switch (s) {
    case 3:
        combine(3, width, M, in, out);
        break;
    case 5:
        combine(5, width, M, in, out);
        break;
    default:
        combine(7, width, M, in, out);
        break;
    }
}

// ---- Newton's iteration -------------------------------------------------------------------------

// Factors for the step h with the present J; false if one is singular.
static bool factor(SpragIntegrator *integrator, double h)
{
    Radau *radau = integrator->implicit;
    const RadauTable *table = radau->table;
    if (radau->factored_h == h && radau->factored_table == table)
        return true;
    integrator->statistics.factored++;
    radau->factored_h = 0.0;
    radau->real.shift = table->shifts[0] / h;
    radau->real.shift_imaginary = 0.0;
    if (!sprag_shifted_factor(&radau->system, &radau->real))
        return false;
    for (int i = 0; i < (table->stages - 1) / 2; i++) {
        radau->pairs[i].shift = table->shifts[1 + 2 * i] / h;
        radau->pairs[i].shift_imaginary = table->shifts[2 + 2 * i] / h;
        if (!sprag_shifted_factor(&radau->system, &radau->pairs[i]))
            return false;
    }
    radau->factored_h = h;
    radau->factored_table = table;
    return true;
}

// The polynomial in dense, less its value at s = 1, component i.
static double increment(const RadauTable *table, double *const *dense, double s, int i)
{
    int last = table->stages - 1;
    double sum = dense[last][i];
    for (int j = last - 1; j >= 0; j--)
        sum = dense[j][i] + (s - table->nodes[last - j - 1]) * sum;
    return (s - 1.0) * sum;
}

// Z and W to start with.
static void predict(SpragIntegrator *integrator, double h)
{
    Radau *radau = integrator->implicit;
    int s = radau->table->stages, width = integrator->width;
    for (int i = 0; i < s && !radau->has_predictor; i++) {
        memset(radau->Z[i], 0, (size_t)width * sizeof(double));
        memset(radau->W[i], 0, (size_t)width * sizeof(double));
    }
    if (!radau->has_predictor)
        return;
    for (int i = 0; i < s; i++) {
        double place = 1.0 + radau->table->nodes[i] * (h / radau->predictor_h);
        for (int c = 0; c < width; c++)
            radau->Z[i][c] = increment(radau->predictor_table, integrator->dense, place, c);
    }
    transform(s, width, radau->table->inverse, radau->Z, radau->W);
}

// F at the stages. Returns the first non-zero code of f.
static int evaluate_stages(SpragIntegrator *integrator, double h)
{
    Radau *radau = integrator->implicit;
    int s = radau->table->stages, n = integrator->n;
    const double *y = integrator->begin;
    double *w = integrator->work;
    for (int i = 0; i < s; i++) {
        for (int c = 0; c < n; c++)
            w[c] = y[c] + radau->Z[i][c];
        double t =
            i == s - 1 ? integrator->t_end : integrator->t_begin + radau->table->nodes[i] * h;
        int code = integrator_call(integrator, t, w, radau->F[i]);
        if (code)
            return code;
    }
    return 0;
}

// D = the increment of W; its scaled norm.
static double solve_increment(SpragIntegrator *integrator)
{
    Radau *radau = integrator->implicit;
    int s = radau->table->stages, n = integrator->n;
    transform(s, integrator->width, radau->table->inverse, radau->F, radau->D);
    double *restrict x = radau->D[0];
    for (int c = 0; c < n; c++)
        x[c] -= radau->real.shift * radau->W[0][c];
    sprag_shifted_solve(&radau->system, &radau->real, x, radau->work);
    for (int i = 0; i < s / 2; i++) {
        double re = radau->pairs[i].shift, im = radau->pairs[i].shift_imaginary;
        double *restrict u = radau->D[1 + 2 * i], *restrict v = radau->D[2 + 2 * i];
        const double *restrict p = radau->W[1 + 2 * i], *restrict q = radau->W[2 + 2 * i];
        for (int c = 0; c < n; c++) {
            u[c] -= re * p[c] - im * q[c];
            v[c] -= re * q[c] + im * p[c];
        }
        sprag_shifted_solve_complex(&radau->system, &radau->pairs[i], u, v, radau->work);
    }
    double sum = 0.0;
    for (int i = 0; i < s; i++)
        for (int c = 0; c < n; c++) {
            double ratio = radau->D[i][c] * radau->weights[c];
            sum += ratio * ratio;
        }
    return sqrt(sum / (s * integrator->controlled_count));
}

// W and Z after an increment.
static void apply_increment(SpragIntegrator *integrator)
{
    Radau *radau = integrator->implicit;
    int s = radau->table->stages, width = integrator->width;
    for (int i = 0; i < s; i++)
        for (int c = 0; c < width; c++)
            radau->W[i][c] += radau->D[i][c];
    transform(s, width, radau->table->transform, radau->W, radau->Z);
}

// How an iteration ended.
typedef enum Newton { NEWTON_CONVERGED, NEWTON_SLOW, NEWTON_NOT_FINITE } Newton;

// Solves the stage equations from the predicted Z. Returns the first non-zero code of f.
static int iterate(SpragIntegrator *integrator, double h, Newton *end)
{
    Radau *radau = integrator->implicit;
    int most = most_iterations(radau->table->stages);
    double enough = fmax(NEWTON_PART, NEWTON_ULPS * DBL_EPSILON / integrator->relative);
    double before = 0.0, ratio_before = 0.0;
    double convergence = pow(fmax(radau->convergence, DBL_EPSILON), 0.8);
    radau->contraction = CONTRACTION_KEEP;
    *end = NEWTON_SLOW;
    for (int k = 1; k <= most; k++) {
        radau->iterations = k;
        integrator->statistics.iterations++;
        int code = evaluate_stages(integrator, h);
        if (code)
            return code;
        double size = solve_increment(integrator);
        if (!isfinite(size)) {
            *end = NEWTON_NOT_FINITE;
            return 0;
        }
        if (k > 1) {
            double ratio = size / before;
            double contraction = k == 2 ? ratio : sqrt(ratio * ratio_before);
            ratio_before = ratio;
            radau->contraction = contraction;
            if (contraction >= CONTRACTION_MOST)
                return 0;
            convergence = contraction / (1.0 - contraction);
            // too slow to arrive within the iterations left
            double left = convergence * size * pow(contraction, most - 1 - k) / enough;
            if (left >= 1.0 && k < most) {
                double excess = fmin(20.0, fmax(1e-4, left));
                radau->shrink = 0.8 * pow(excess, -1.0 / (4.0 + most - 1 - k));
                return 0;
            }
        }
        before = fmax(size, DBL_MIN);
        apply_increment(integrator);
        if (convergence * size <= enough) {
            radau->convergence = convergence;
            *end = NEWTON_CONVERGED;
            return 0;
        }
    }
    return 0;
}

// ---- The step -----------------------------------------------------------------------------------

static void begin_arc(SpragIntegrator *integrator)
{
    Radau *radau = integrator->implicit;
    radau->has_jacobian = false;
    radau->factored_h = 0.0;
    radau->convergence = 1.0;
    radau->contraction = 1.0;
    radau->accepted_h = 0.0;
    radau->table = &sprag_radau_tables[integrator->method->code->first_table];
    // the surplus entry, after a resize
    for (int i = integrator->n; i < integrator->width; i++)
        for (int j = 0; j < RADAU_MAX_STAGES; j++)
            radau->Z[j][i] = radau->W[j][i] = radau->F[j][i] = radau->D[j][i] = 0.0;
}

static void begin(SpragIntegrator *integrator)
{
    Radau *radau = integrator->implicit;
    bool step_before = integrator->has_step && !integrator->new_arc;
    if (integrator->new_arc)
        begin_arc(integrator);
    if (step_before && !integrator->has_dense)
        integrator->method->code->build_dense(integrator);
    radau->has_predictor = step_before;
    radau->predictor_h = integrator->t_end - integrator->t_begin;
    radau->predictor_table = radau->table;
    radau->fresh_jacobian = false;
    radau->rejected = false;
    if (radau->contraction > CONTRACTION_KEEP)
        radau->has_jacobian = false;
    integrator->new_arc = false;
}

static void set_weights(SpragIntegrator *integrator)
{
    Radau *radau = integrator->implicit;
    for (int i = 0; i < integrator->n; i++)
        radau->weights[i] =
            1.0 / (integrator->absolute[i] + integrator->relative * fabs(integrator->begin[i]));
}

// J and factors for the step h. *end tells of failures that are numbers' fault.
static int prepare(SpragIntegrator *integrator, double h, Newton *end)
{
    Radau *radau = integrator->implicit;
    *end = NEWTON_CONVERGED;
    if (!radau->has_jacobian) {
        bool finite = true;
        int code = sprag_radau_jacobian(integrator, &finite);
        if (code)
            return code;
        *end = finite ? NEWTON_CONVERGED : NEWTON_NOT_FINITE;
        radau->has_jacobian = radau->fresh_jacobian = finite;
        radau->factored_h = 0.0;
        if (!finite)
            return 0;
    }
    if (!factor(integrator, h))
        *end = NEWTON_SLOW;
    return 0;
}

// The stages, with a new J where an old one does not do.
static int solve_stages(SpragIntegrator *integrator, double h, Newton *end)
{
    Radau *radau = integrator->implicit;
    for (;;) {
        bool fresh = radau->fresh_jacobian || !radau->has_jacobian;
        radau->shrink = 0.5;
        int code = prepare(integrator, h, end);
        if (code || *end == NEWTON_NOT_FINITE)
            return code;
        if (*end == NEWTON_CONVERGED) {
            predict(integrator, h);
            code = iterate(integrator, h, end);
        }
        if (code || *end == NEWTON_CONVERGED || fresh)
            return code;
        radau->has_jacobian = false;
    }
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
    return sqrt(sum / integrator->controlled_count) / slack(integrator, table->stages) + finite;
}

static int attempt(SpragIntegrator *integrator, double h, double *error)
{
    Radau *radau = integrator->implicit;
    int n = integrator->n;
    Newton end;
    set_weights(integrator);
    int code = solve_stages(integrator, h, &end);
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
    if (*error > 1.0 && (radau->accepted_h == 0.0 || radau->rejected)) {
        double *w = integrator->work;
        for (int c = 0; c < n; c++)
            w[c] = integrator->begin[c] + radau->error[c];
        code = integrator_call(integrator, integrator->t_begin, w, integrator->work2);
        if (code < 0)
            return code;
        if (code == 0)
            *error = measure(integrator, h, integrator->work2);
    }
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
    int most = most_iterations(radau->table->stages);
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

// Divided differences on 1, c_(s−1), …, c_1, 0 of the stages.
static int build_dense(SpragIntegrator *integrator)
{
    const Radau *radau = integrator->implicit;
    const RadauTable *table = radau->table;
    int s = table->stages;
    double place[RADAU_MAX_STAGES + 1], value[RADAU_MAX_STAGES + 1];
    for (int i = 0; i < s; i++)
        place[i] = table->nodes[s - 1 - i];
    place[s] = 0.0;
    for (int c = 0; c < integrator->n; c++) {
        for (int i = 0; i < s; i++)
            value[i] = radau->Z[s - 1 - i][c];
        value[s] = 0.0;
        for (int order = 1; order <= s; order++)
            for (int i = s; i >= order; i--)
                value[i] = (value[i] - value[i - 1]) / (place[i] - place[i - order]);
        for (int i = 0; i < s; i++)
            integrator->dense[i][c] = value[i + 1];
    }
    return 0;
}

static double component(const SpragIntegrator *integrator, double s, int i)
{
    const Radau *radau = integrator->implicit;
    return integrator->end[i] + increment(radau->table, integrator->dense, s, i);
}

static void components(const SpragIntegrator *integrator, double s, double *restrict y)
{
    for (int i = 0; i < integrator->n; i++)
        y[i] = component(integrator, s, i);
}

#define RADAU_CODE(first, last)                                                                    \
    {                                                                                              \
        .dense_count = 1, .last_stage = 1, .first_table = (first), .last_table = (last),           \
        .create = create, .destroy = destroy, .begin = begin, .attempt = attempt,                  \
        .build_dense = build_dense, .component = component, .components = components,              \
        .error_root = error_root, .shrink_factor = shrink_factor, .next_step = next_step           \
    }

static const SpragIntegratorCode code_5 = RADAU_CODE(0, 0);
static const SpragIntegratorCode code_9 = RADAU_CODE(1, 1);
static const SpragIntegratorCode code_13 = RADAU_CODE(2, 2);

#define SOURCE                                                                                     \
    "Hairer, Wanner, Solving Ordinary Differential Equations II, 2nd ed., 1996, and Stiff "        \
    "differential equations solved by Radau methods, J. Comput. Appl. Math. 111, 1999"

const SpragIntegratorMethod sprag_radau = {.name = "radau",
                                           .source = SOURCE,
                                           .implicit = true,
                                           .order = 9,
                                           .dense_order = 5,
                                           .code = &code_9};
const SpragIntegratorMethod sprag_radau5 = {.name = "radau5",
                                            .source = SOURCE,
                                            .implicit = true,
                                            .order = 5,
                                            .dense_order = 3,
                                            .code = &code_5};
const SpragIntegratorMethod sprag_radau9 = {.name = "radau9",
                                            .source = SOURCE,
                                            .implicit = true,
                                            .order = 9,
                                            .dense_order = 5,
                                            .code = &code_9};
const SpragIntegratorMethod sprag_radau13 = {.name = "radau13",
                                             .source = SOURCE,
                                             .implicit = true,
                                             .order = 13,
                                             .dense_order = 7,
                                             .code = &code_13};
