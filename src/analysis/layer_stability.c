// layer_stability.c: is the compliant layer on given rows stable?
// Problem   z'' + D Ĉ z' + D K̂ z = 0 on range(J_f), theory.md (6.2), (6.3), (6.8), where J_f are
//           the active rows modulo bilateral ones (stability.c)
// Method    an orthonormal basis U of range(J_f) from the singular values of J_f M⁻¹ J_fᵀ; one
//           stiffness and damping for all rows: eigenvalues h of Uᵀ D U and (6.6) for every
//           damping ratio at once; otherwise the eigenvalues of the first-order form (6.5)
#include <math.h>

#include "layer_stability.h"
#include "sprag/compliance.h"
#include "sprag/numeric.h"

// Eigenvalues this small, relative to the stiffest (heaviest) active row, are zero; and those below
// rounding of the largest.
static const double ZERO_TOLERANCE = 1e-10, EIGENVALUE_ROUNDING = 1e-14;
// A sliding contact with A below this part of a_nn, or several with such a determinant, are too
// near to the singularity: theory.md 8.4. Above the second number nothing is near.
static const double SMALL_DETERMINANT = 1e-6, SUSPECT_DETERMINANT = 1e-3;
// Range of damping ratios over which a verdict must hold, theory.md (6.9).
static const double LEAST_RATIO = 0.01, GREATEST_RATIO = 1;

// ---- D on its range -----------------------------------------------------------------------------

static void build_D(Layer *layer)
{
    int n = layer->n;
    layer->least_diagonal = INFINITY;
    for (int i = 0; i < n; i++)
        layer->least_diagonal =
            fmin(layer->least_diagonal, W_at(layer, layer->row[i], layer->row[i]));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double entry = W_at(layer, layer->row[i], layer->row[j]);
            if (layer->on_tangent[j] != 0)
                entry += layer->on_tangent[j] * W_at(layer, layer->row[i], layer->tangent[j]);
            if (layer->on_second[j] != 0)
                entry += layer->on_second[j] * W_at(layer, layer->row[i], layer->second[j]);
            if (layer->on_third[j] != 0)
                entry += layer->on_third[j] * W_at(layer, layer->row[i], layer->tangent[j] + 2);
            // λN of a thread is the force of its layer less the share of friction
            double share = layer->problem->constraints[layer->constraint[j]].share;
            layer->D[i * n + j] = entry / (1 + layer->on_tangent[j] * share);
        }
    }
}

// Columns of U from those of G, U diag(s) of the rows `member` of one island: the row scaling is
// undone and they are made orthonormal. They go behind the columns there are; rows of other islands
// are zero.
static void add_columns(Layer *layer, int m, const int *member, const double *G, const double *s)
{
    int n = layer->n, before = layer->rank;
    for (int k = 0; k < m && s[k] > LAYER_RANK_TOLERANCE * n; k++) {
        int column = layer->rank;
        double length = 0;
        for (int a = 0; a < m; a++) {
            int i = member[a];
            layer->U[i * n + column] =
                G[a * m + k] / s[k] * sqrt(W_at(layer, layer->row[i], layer->row[i]));
        }
        for (int pass = 0; pass < 2; pass++) {
            for (int q = before; q < column; q++) {
                double dot = 0;
                for (int a = 0; a < m; a++)
                    dot += layer->U[member[a] * n + q] * layer->U[member[a] * n + column];
                for (int a = 0; a < m; a++)
                    layer->U[member[a] * n + column] -= dot * layer->U[member[a] * n + q];
            }
        }
        for (int a = 0; a < m; a++)
            length = hypot(length, layer->U[member[a] * n + column]);
        if (!(length > 0)) // rows of sizes so different that nothing is left
            break;
        for (int a = 0; a < m; a++)
            layer->U[member[a] * n + column] /= length;
        layer->belongs[layer->rank++] = layer->island[member[0]];
    }
}

// U: an orthonormal basis of range(J_f), from the symmetric matrix J_f M⁻¹ J_fᵀ with unit diagonal,
// which is made of blocks: island by island.
static SpragStatus build_range(Layer *layer)
{
    int n = layer->n;
    double *G = sprag_arena_alloc(layer->arena, (size_t)n * (size_t)(n + 1), sizeof *G);
    int *member = sprag_arena_alloc(layer->arena, (size_t)n + 1, sizeof *member);
    if (!G || !member)
        return SPRAG_ERROR_MEMORY;
    double *s = G + n * n;
    layer->rank = 0;
    for (int i = 0; i < n * n; i++)
        layer->U[i] = 0;
    for (int first = 0; first < n; first++) {
        int m = 0;
        for (int i = 0; i < n; i++)
            if (layer->island[i] == layer->island[first])
                member[m++] = i;
        if (member[0] != first)
            continue;
        for (int a = 0; a < m; a++)
            for (int b = 0; b < m; b++) {
                int i = layer->row[member[a]], j = layer->row[member[b]];
                double scale = sqrt(W_at(layer, i, i) * W_at(layer, j, j));
                G[a * m + b] = scale > 0 ? W_at(layer, i, j) / scale : 0;
            }
        sprag_svd(m, m, G, s, NULL);
        add_columns(layer, m, member, G, s);
    }
    return SPRAG_OK;
}

// out = Uᵀ D diag(weight) U (rank × rank); weight NULL: ones. Islands have nothing in common.
static SpragStatus project(const Layer *layer, const double *weight, double *out, int stride)
{
    int n = layer->n;
    double *inner = sprag_arena_alloc(layer->arena, (size_t)n + 1, sizeof *inner);
    if (!inner)
        return SPRAG_ERROR_MEMORY;
    for (int q = 0; q < layer->rank; q++) {
        int island = layer->belongs[q];
        for (int i = 0; i < n; i++) {
            inner[i] = 0;
            for (int j = 0; j < n && layer->island[i] == island; j++)
                if (layer->island[j] == island)
                    inner[i] +=
                        layer->D[i * n + j] * (weight ? weight[j] : 1) * layer->U[j * n + q];
        }
        for (int p = 0; p < layer->rank; p++) {
            double sum = 0;
            for (int i = 0; i < n && layer->belongs[p] == island; i++)
                sum += layer->U[i * n + p] * inner[i];
            out[p * stride + q] = sum;
        }
    }
    return SPRAG_OK;
}

// Eigenvalues of D diag(weight) on its range, `rank` of them.
static SpragStatus layer_eigenvalues(const Layer *layer, const double *weight,
                                     SpragEigenvalue **values)
{
    SpragArena *arena = layer->arena;
    size_t n = (size_t)layer->rank;
    size_t room = n * n + 2 * n + sprag_eigenvalues_work(layer->rank);
    double *A = sprag_arena_alloc(arena, room, sizeof *A);
    *values = sprag_arena_alloc(arena, n + 1, sizeof **values);
    if (!A || !*values)
        return SPRAG_ERROR_MEMORY;
    double *real = A + n * n, *imaginary = real + n, *work = imaginary + n;
    SPRAG_TRY(project(layer, weight, A, layer->rank));
    if (!sprag_eigenvalues(layer->rank, A, real, imaginary, work))
        return sprag_fail(layer->problem->context, SPRAG_ERROR_NUMERIC,
                          "the eigenvalues of the contact layer did not converge");
    for (int i = 0; i < layer->rank; i++)
        (*values)[i] = (SpragEigenvalue){real[i], imaginary[i]};
    return SPRAG_OK;
}

// ---- Uniform layer ------------------------------------------------------------------------------

// Roots of s² + c h s + k h = 0 for complex h.
static void quadratic_roots(SpragEigenvalue h, double c, double k, SpragEigenvalue roots[2])
{
    double p_re = 0.5 * c * h.real, p_im = 0.5 * c * h.imaginary;
    double d_re = p_re * p_re - p_im * p_im - k * h.real;
    double d_im = 2 * p_re * p_im - k * h.imaginary;
    double size = hypot(d_re, d_im);
    double re = sqrt(fmax(0, 0.5 * (size + d_re)));
    double im = copysign(sqrt(fmax(0, 0.5 * (size - d_re))), d_im);
    roots[0] = (SpragEigenvalue){-p_re + re, -p_im + im};
    roots[1] = (SpragEigenvalue){-p_re - re, -p_im - im};
}

// Largest ζ at which (6.6) fails for a complex pair h (in units of d̄); INFINITY: at every ζ.
static double critical_ratio(SpragEigenvalue h)
{
    if (h.real <= 0)
        return INFINITY;
    double square = h.real * h.real + h.imaginary * h.imaginary;
    return fabs(h.imaginary) / (2 * sqrt(square * h.real));
}

// An eigenvalue of D below this is zero: it leaves a deformation that grows linearly.
static double zero_of(const Layer *layer, const SpragEigenvalue *values, double least_diagonal)
{
    double largest = 0;
    for (int i = 0; i < layer->rank; i++)
        largest = fmax(largest, hypot(values[i].real, values[i].imaginary));
    return fmax(ZERO_TOLERANCE * least_diagonal, EIGENVALUE_ROUNDING * layer->n * largest);
}

// values: of D in units in which every island has the d̄ of all.
static SpragStability classify_uniform(const Layer *layer, const SpragEigenvalue *values,
                                       double least_diagonal, double *critical)
{
    double mean_normal = layer->mean_normal, zero = zero_of(layer, values, least_diagonal);
    *critical = 0;
    bool divergent = false;
    for (int i = 0; i < layer->rank; i++) {
        SpragEigenvalue h = values[i];
        if (fabs(h.imaginary) <= zero) {
            divergent |= h.real <= zero;
            continue;
        }
        h.real /= mean_normal;
        h.imaginary /= mean_normal;
        *critical = fmax(*critical, critical_ratio(h));
    }
    if (divergent)
        return SPRAG_DIVERGENT;
    if (*critical >= GREATEST_RATIO)
        return SPRAG_FLUTTER;
    return *critical > LEAST_RATIO ? SPRAG_DEPENDS : SPRAG_STABLE;
}

// Islands have layers of their own, k and c like 1/d̄. D is made of blocks, and a block times
// its k is one of the mean k with the block in other units.
static SpragStatus scale_islands(const Layer *layer, SpragEigenvalue **values,
                                 double *least_diagonal)
{
    double *weight = sprag_arena_alloc(layer->arena, (size_t)layer->n + 1, sizeof *weight);
    if (!weight)
        return SPRAG_ERROR_MEMORY;
    *least_diagonal = INFINITY;
    for (int i = 0; i < layer->n; i++) {
        weight[i] = layer->mean_normal / layer->mean[i];
        *least_diagonal =
            fmin(*least_diagonal, weight[i] * W_at(layer, layer->row[i], layer->row[i]));
    }
    return layer_eigenvalues(layer, weight, values);
}

static SpragStatus test_uniform(const Layer *layer, const SpragAnalysisSettings *settings,
                                SpragSolution *solution)
{
    double T = settings->time_scale > 0 ? settings->time_scale : 1, critical;
    double k = 1 / (layer->mean_normal * settings->epsilon * T * T);
    double c = 2 * settings->damping_ratio * sqrt(k / layer->mean_normal);
    double least_diagonal = layer->least_diagonal;
    SpragEigenvalue *values = solution->layer;
    if (layer->islands)
        SPRAG_TRY(scale_islands(layer, &values, &least_diagonal));
    solution->stability = classify_uniform(layer, values, least_diagonal, &critical);
    solution->critical_damping = isfinite(critical) ? critical : 0;
    solution->stable = solution->stability == SPRAG_STABLE ||
                       (solution->stability == SPRAG_DEPENDS && settings->damping_ratio > critical);
    solution->eigenvalue_count = 2 * layer->rank;
    solution->eigenvalues =
        sprag_arena_alloc(layer->arena, 2 * (size_t)layer->rank + 1, sizeof(SpragEigenvalue));
    if (!solution->eigenvalues)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < layer->rank; i++)
        quadratic_roots(values[i], c, k, solution->eigenvalues + 2 * i);
    return SPRAG_OK;
}

// ---- Given stiffness and damping ----------------------------------------------------------------

static LayerView view_of(const Layer *layer)
{
    return (LayerView){.arena = layer->arena,
                       .context = layer->problem->context,
                       .n = layer->n,
                       .rank = layer->rank,
                       .U = layer->U,
                       .D = layer->D,
                       .stiffness = layer->stiffness,
                       .damping = layer->damping,
                       .constraint = layer->constraint,
                       .row = layer->row,
                       .constraint_count = layer->problem->constraint_count,
                       .row_count = layer->problem->row_count};
}

static SpragStatus test_given(const Layer *layer, SpragSolution *solution)
{
    LayerView view = view_of(layer);
    LayerSpectrum spectrum;
    SPRAG_TRY(layer_spectrum_create(&view, &spectrum));
    SPRAG_TRY(layer_spectrum_solve(&view, layer->stiffness, layer->damping, &spectrum));
    solution->eigenvalues =
        sprag_arena_alloc(layer->arena, (size_t)spectrum.count + 1, sizeof *solution->eigenvalues);
    if (!solution->eigenvalues)
        return SPRAG_ERROR_MEMORY;
    solution->eigenvalue_count = spectrum.count;
    for (int i = 0; i < spectrum.count; i++)
        solution->eigenvalues[i] = (SpragEigenvalue){spectrum.real[i], spectrum.imaginary[i]};
    solution->stability = spectrum.stability;
    double zero = zero_of(layer, solution->layer, layer->least_diagonal);
    for (int i = 0; i < solution->layer_count; i++)
        if (hypot(solution->layer[i].real, solution->layer[i].imaginary) <= zero)
            solution->stability = SPRAG_DIVERGENT;
    solution->stable = solution->stability == SPRAG_STABLE;
    return SPRAG_OK;
}

// ---- The test -----------------------------------------------------------------------------------

static double growth_time(const SpragSolution *solution)
{
    double fastest = 0;
    for (int i = 0; !solution->stable && i < solution->eigenvalue_count; i++)
        fastest = fmax(fastest, solution->eigenvalues[i].real);
    return fastest > 0 ? 1 / fastest : INFINITY;
}

// Stiffness and damping of an active row as the problem gives them, a force law linearised at the
// force of the motion (where forces are indeterminate, the representative one); 0: not given.
static void given_parameters(const Layer *layer, const SpragMotion *motion, int i,
                             double *stiffness, double *damping)
{
    const SpragConstraint *item = &layer->problem->constraints[layer->constraint[i]];
    int offset = layer->row[i] - item->row;
    const double *k = item->stiffness, *c = item->damping;
    double law_stiffness[3], law_damping[3];
    if (item->law.stiffness > 0) {
        const SpragCompliance law = {.law = SPRAG_COMPLIANCE_HUNT_CROSSLEY,
                                     .stiffness = item->law.stiffness,
                                     .exponent = item->law.exponent,
                                     .alpha = item->law.alpha,
                                     .tangential_stiffness = item->law.tangential_stiffness,
                                     .tangential_damping = item->law.tangential_damping};
        (void)sprag_compliance_linearize(&law, fabs(motion->force[item->row]), law_stiffness,
                                         law_damping);
        k = law_stiffness;
        c = law_damping;
    }
    *stiffness = k[offset] > 0 ? k[offset] : k[0];
    *damping = c[offset] > 0 ? c[offset] : c[0];
}

// Stiffness and damping of all rows: what the problem does not give is that of (6.9).
static void complete_parameters(Layer *layer, const SpragAnalysisSettings *settings,
                                const SpragMotion *motion)
{
    double T = settings->time_scale > 0 ? settings->time_scale : 1;
    int given = 0;
    for (int i = 0; i < layer->n; i++) {
        double *k = &layer->stiffness[i], *c = &layer->damping[i];
        given_parameters(layer, motion, i, k, c);
        given += (*k > 0) + (*c > 0);
        if (!(*k > 0))
            *k = 1 / (layer->mean[i] * settings->epsilon * T * T);
        if (!(*c > 0))
            *c = 2 * settings->damping_ratio * sqrt(*k / layer->mean[i]);
    }
    layer->uniform = given == 0;
    layer->source = given == 0              ? SPRAG_LAYER_DEFAULT
                    : given == 2 * layer->n ? SPRAG_LAYER_SCENE
                                            : SPRAG_LAYER_MIXED;
}

// Whether friction has all but cancelled a determinant of the active rows, theory.md 8.1 and 8.4;
// looked at only where D has a small eigenvalue.
static SpragStatus find_singular(const Layer *layer, SpragSolution *solution)
{
    double least = INFINITY;
    for (int i = 0; i < layer->rank; i++)
        least = fmin(least, hypot(solution->layer[i].real, solution->layer[i].imaginary));
    double mean = layer->mean_normal;
    for (int i = 0; i < layer->n; i++)
        mean = fmax(mean, layer->mean[i]);
    if (!solution->stable || least > SUSPECT_DETERMINANT * mean)
        return SPRAG_OK;
    size_t n = (size_t)layer->n;
    double *smooth = sprag_arena_alloc(layer->arena, n * n, sizeof *smooth);
    if (!smooth)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < layer->n; i++)
        for (int j = 0; j < layer->n; j++)
            smooth[i * layer->n + j] = W_at(layer, layer->row[i], layer->row[j]);
    LayerView view = view_of(layer);
    SPRAG_TRY(layer_least_ratio(&view, smooth, &least));
    solution->nearly_singular = least < SMALL_DETERMINANT;
    return SPRAG_OK;
}

// Without sliding friction D is symmetric: springs and dampers alone, stable whatever the numbers
// (theory.md 6.3), even where rows are so nearly dependent that an eigenvalue cannot be told from
// zero.
static bool is_conservative(const Layer *layer)
{
    for (int i = 0; i < layer->n; i++)
        if (layer->on_tangent[i] != 0 || layer->on_second[i] != 0 || layer->on_third[i] != 0)
            return false;
    return true;
}

SpragStatus layer_stability(Layer *layer, const SpragAnalysisSettings *settings,
                            SpragSolution *solution)
{
    complete_parameters(layer, settings, solution->motion);
    solution->layer_source = layer->source;
    build_D(layer);
    SPRAG_TRY(build_range(layer));
    SPRAG_TRY(layer_eigenvalues(layer, NULL, &solution->layer));
    solution->layer_count = layer->rank;
    SPRAG_TRY(layer->uniform ? test_uniform(layer, settings, solution)
                             : test_given(layer, solution));
    if (is_conservative(layer)) {
        solution->stability = SPRAG_STABLE;
        solution->stable = true;
        solution->critical_damping = 0;
        solution->growth_time = INFINITY;
        return SPRAG_OK;
    }
    SPRAG_TRY(find_singular(layer, solution));
    if (settings->details || settings->rules) {
        LayerView view = view_of(layer);
        SPRAG_TRY(layer_details(&view, settings->details, solution));
    }
    solution->growth_time = growth_time(solution);
    return SPRAG_OK;
}
