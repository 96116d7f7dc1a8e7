// integrate_radau_newton.c: the stage equations of the Radau IIA methods.
// Problem   Z_i = h Σ_j a_ij f(t + c_j h, y + Z_j)
// Method    simplified Newton iteration on W = T⁻¹ Z, where one real and some complex systems of
//           the size of y stand alone:
//               (λ_i/h I − J) ΔW_i = −λ_i/h W_i + (T⁻¹ F)_i
//           [HairerWanner1996, sec. IV.8]
//           from the extrapolated polynomial of the step before. The rate θ of its convergence says
//           when to stop, and that it is hopeless
// Assumes   J is good for a few steps; a failure with an old one is not the last word
#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate_radau.h"

// Newton's iteration ends when the next increment is expected below a part of the tolerance
// (integrate_radau.c), or below so many ulp of the state.
static const double NEWTON_ULPS = 10.0;
// It has failed when increments shrink by less than this.
static const double CONTRACTION_MOST = 0.99;
// The second increment says little of the rate: it may correct what the first one did to components
// with finer tolerances, as the depth of a layer beside positions. Only this ratio is hopeless.
static const double RATIO_EARLY = 10.0;
// An increment below so many tolerances that is hardly smaller than the one before it is as good as
// rounding permits; the first for the second one.
static const double STALL_SIZE_EARLY = 0.3, STALL_SIZE = 1.0, STALL_RATIO = 0.5;
// The error that is left in passive components, in tolerances.
static const double PASSIVE_PART = 1.0;

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

void sprag_radau_transform(int stages, int width, const double *M, double *const *in,
                           double *const *out)
{
    switch (stages) {
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

void sprag_radau_evaluate(const RadauPolynomial *polynomial, double s, int width,
                          double *restrict y)
{
    const double *nodes = polynomial->table->nodes;
    int last = polynomial->table->stages - 1;
    memcpy(y, polynomial->coefficients[last], (size_t)width * sizeof *y);
    for (int j = last - 1; j >= 0; j--) {
        const double *restrict coefficients = polynomial->coefficients[j];
        double factor = s - nodes[last - j - 1];
        for (int c = 0; c < width; c++)
            y[c] = coefficients[c] + factor * y[c];
    }
    for (int c = 0; c < width; c++)
        y[c] *= s - 1.0;
}

// Z and W to start with.
static void predict(SpragIntegrator *integrator, double h)
{
    Radau *radau = integrator->implicit;
    int s = radau->table->stages, width = integrator->width;
    bool known = radau_predicts(radau, h);
    for (int i = 0; i < s && !known; i++) {
        memset(radau->Z[i], 0, (size_t)width * sizeof(double));
        memset(radau->W[i], 0, (size_t)width * sizeof(double));
    }
    if (!known)
        return;
    for (int i = 0; i < s; i++)
        sprag_radau_evaluate(&radau->before, 1.0 + radau->table->nodes[i] * (h / radau->before.h),
                             width, radau->Z[i]);
    sprag_radau_transform(s, width, radau->table->inverse, radau->Z, radau->W);
}

// F at the stages. Returns the first non-zero code of f.
static int evaluate_stages(SpragIntegrator *integrator, double h)
{
    Radau *radau = integrator->implicit;
    int s = radau->table->stages, n = integrator->n;
    const double *y = integrator->begin;
    double *w = integrator->work;
    if (integrator->end_known) {
        memcpy(radau->F[s - 1], integrator->k[integrator->method->code->last_stage],
               (size_t)n * sizeof(double));
        integrator->end_known = false;
        s--;
    }
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

// Scaled norms of D over the passive components, and over all others.
static void increment_norms(const SpragIntegrator *integrator, double *others, double *passive)
{
    const Radau *radau = integrator->implicit;
    const ShiftedSystem *system = &radau->system;
    const double *restrict weights = radau->core_weights;
    int s = radau->table->stages, width = integrator->width & ~1;
    // two sums, that additions need not wait for each other
    double even = 0.0, odd = 0.0, sum = 0.0;
    for (int i = 0; i < s; i++) {
        const double *restrict d = radau->D[i];
        for (int c = 0; c < width; c += 2) {
            double first = d[c] * weights[c], second = d[c + 1] * weights[c + 1];
            even += first * first;
            odd += second * second;
        }
        for (int k = 0; k < system->passive_count; k++) {
            double ratio = d[system->passive[k]] * radau->weights[system->passive[k]];
            sum += ratio * ratio;
        }
    }
    *others = sqrt((even + odd) / (s * integrator->controlled_count));
    *passive = sqrt(sum / (s * integrator->controlled_count));
}

// D = the increment of W.
static void solve_increment(SpragIntegrator *integrator)
{
    Radau *radau = integrator->implicit;
    int s = radau->table->stages, n = integrator->n;
    sprag_radau_transform(s, integrator->width, radau->table->inverse, radau->F, radau->D);
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
}

// W and Z after an increment.
static void apply_increment(SpragIntegrator *integrator)
{
    Radau *radau = integrator->implicit;
    int s = radau->table->stages, width = integrator->width;
    for (int i = 0; i < s; i++)
        for (int c = 0; c < width; c++)
            radau->W[i][c] += radau->D[i][c];
    sprag_radau_transform(s, width, radau->table->transform, radau->W, radau->Z);
}

int sprag_radau_most_iterations(const RadauTable *table)
{
    return 7 + 5 * (table->stages - 3) / 2;
}

// An iteration on its way. Passive components have no rate of their own: no stage depends on them,
// so that an increment of them repairs what the last increment of the others has changed.
typedef struct Progress {
    int count, most;
    double size, before; // scaled norms of the last two increments, passive components excepted
    double passive;      // and of the last one of these
    double ratio;        // of the norms before
    double convergence;  // expected error of Z in units of the last increment
    double enough;       // for this error
} Progress;

static bool is_converged(const Progress *progress)
{
    return progress->convergence * progress->size <= progress->enough &&
           progress->convergence * progress->passive <= PASSIVE_PART;
}

// After an increment that follows another one: the rate. False if there is no hope.
static bool judge_rate(Radau *radau, Progress *progress)
{
    double ratio = progress->size / progress->before;
    double contraction = progress->count == 2 ? ratio : fmin(ratio, sqrt(ratio * progress->ratio));
    progress->ratio = ratio;
    radau->contraction = contraction;
    progress->convergence = contraction < 1.0 ? contraction / (1.0 - contraction) : INFINITY;
    double stall = progress->count == 2 ? STALL_SIZE_EARLY : STALL_SIZE;
    if (progress->size <= stall && !(contraction < STALL_RATIO)) {
        progress->convergence = 0.0;
        return true;
    }
    if (is_converged(progress))
        return true;
    if (progress->count == 2)
        return ratio < RATIO_EARLY;
    if (contraction >= CONTRACTION_MOST)
        return false;
    int left = progress->most - 1 - progress->count;
    double excess =
        progress->convergence * progress->size * pow(contraction, left) / progress->enough;
    if (excess < 1.0)
        return true;
    radau->shrink = 0.8 * pow(fmin(20.0, excess), -1.0 / (4.0 + left));
    return false;
}

// One increment is too little to know a rate: f at the end of the step, needed anyway, shows
// whether the last stage satisfies its equation. Returns the code of f.
static int check_end(SpragIntegrator *integrator, double h, double *size)
{
    Radau *radau = integrator->implicit;
    const RadauTable *table = radau->table;
    int n = integrator->n, s = table->stages;
    double *slope = integrator->k[integrator->method->code->last_stage];
    double *restrict e = radau->error;
    for (int c = 0; c < n; c++)
        integrator->end[c] = integrator->begin[c] + radau->Z[s - 1][c];
    int code = integrator_call(integrator, integrator->t_end, integrator->end, slope);
    if (code)
        return code;
    integrator->end_known = true;
    for (int c = 0; c < n; c++) {
        // the last row of T is 1, 1, 0, 1, 0, …
        double sum = table->shifts[0] * radau->W[0][c];
        for (int i = 1; i < s; i += 2)
            sum += table->shifts[i] * radau->W[i][c] - table->shifts[i + 1] * radau->W[i + 1][c];
        e[c] = slope[c] - sum / h;
    }
    sprag_shifted_solve(&radau->system, &radau->real, e, radau->work);
    double sum = 0.0;
    for (int c = 0; c < n; c++)
        sum += (e[c] * radau->weights[c]) * (e[c] * radau->weights[c]);
    *size = sqrt(sum / integrator->controlled_count);
    return 0;
}

// Solves the stage equations from the predicted Z. Returns the first non-zero code of f.
static int iterate(SpragIntegrator *integrator, double h, Newton *end)
{
    Radau *radau = integrator->implicit;
    Progress progress = {.most = sprag_radau_most_iterations(radau->table),
                         .convergence = radau->convergence,
                         .enough =
                             fmax(radau->part, NEWTON_ULPS * DBL_EPSILON / integrator->relative)};
    radau->contraction = 0.0;
    memcpy(radau->core_weights, radau->weights, (size_t)integrator->width * sizeof(double));
    for (int i = 0; i < radau->system.passive_count; i++)
        radau->core_weights[radau->system.passive[i]] = 0.0;
    *end = NEWTON_SLOW;
    while (progress.count < progress.most) {
        radau->iterations = ++progress.count;
        integrator->statistics.iterations++;
        int code = evaluate_stages(integrator, h);
        if (code)
            return code;
        solve_increment(integrator);
        increment_norms(integrator, &progress.size, &progress.passive);
        if (!isfinite(progress.size + progress.passive)) {
            *end = NEWTON_NOT_FINITE;
            return 0;
        }
        if (progress.count > 1 && !judge_rate(radau, &progress))
            return 0;
        progress.before = fmax(progress.size, DBL_MIN);
        apply_increment(integrator);
        bool done = is_converged(&progress);
        if (done && progress.count == 1 &&
            !(progress.size <= progress.enough && progress.passive <= progress.enough)) {
            double size = 0.0;
            code = check_end(integrator, h, &size);
            if (code)
                return code;
            done = size <= progress.enough;
        }
        if (done) {
            // a rate that was good once is not trusted for ever
            radau->convergence = pow(fmax(progress.convergence, DBL_EPSILON), 0.8);
            *end = NEWTON_CONVERGED;
            return 0;
        }
    }
    return 0;
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
int sprag_radau_solve_stages(SpragIntegrator *integrator, double h, Newton *end)
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
        // what was predicted for a longer step may be far from a shorter one
        if (!code && *end != NEWTON_CONVERGED && radau->ahead_jacobian)
            radau->has_jacobian = radau->fresh_jacobian = false;
        if (code || *end == NEWTON_CONVERGED || fresh)
            return code;
        radau->has_jacobian = false;
    }
}
