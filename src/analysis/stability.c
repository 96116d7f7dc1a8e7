// stability.c: does the compliant layer come back to a rigid motion?
// Problem   z'' + D Ĉ z' + D K̂ z = 0 on range(J_f), theory.md (6.2), (6.3), (6.8), where J_f are
// the active
//           rows (normals of sliding, normals and tangents of sticking contacts) modulo bilateral
//           rows
// Method    an orthonormal basis U of range(J_f) from the singular values of J_f M⁻¹ J_fᵀ; one
// stiffness and
//           damping for all rows: eigenvalues h of Uᵀ D U and (6.6) for every damping ratio at
//           once; otherwise the eigenvalues of the first-order form (6.5)
#include <math.h>

#include "sprag/numeric.h"
#include "stability.h"

// Rows count as dependent when J_f M⁻¹ J_fᵀ, scaled to a unit diagonal, has singular values below
// this: entries carry rounding of 1e-16, summed over a few tens of rows.
static const double RANK_TOLERANCE = 1e-12;
// Eigenvalues this small, relative to the stiffest (heaviest) active row, are zero; and those below
// rounding of the largest.
static const double ZERO_TOLERANCE = 1e-10, EIGENVALUE_ROUNDING = 1e-14;
// Range of damping ratios over which a verdict must hold, theory.md (6.9).
static const double LEAST_RATIO = 0.01, GREATEST_RATIO = 1;
static const double DEFAULT_EPSILON = 1e-4;

typedef struct Layer {
    SpragArena *arena;
    const SpragContactProblem *problem;
    int n;              // active rows
    int *row;           // row of W
    int *normal;        // normal row of the unknown's constraint
    double *on_tangent; // λT per unit of λN (sliding), or the row is a tangent of its own
    double *on_second;  // the same of λO, in space
    bool *tangential;
    double *W;                   // Delassus matrix modulo bilateral rows
    double *stiffness, *damping; // per active row
    double mean_normal;          // d̄ of (6.9)
    double least_diagonal;       // least W_ii of the active rows
    bool uniform;                // one stiffness and damping: those of (6.9)
    int rank;
    double *U; // n × rank
    double *D; // n × n
} Layer;

static double W_at(const Layer *layer, int row, int column)
{
    return layer->W[row * layer->problem->row_count + column];
}

// ---- Rows ---------------------------------------------------------------------------------------

static void add_row(Layer *layer, const SpragConstraint *item, int offset, double on_tangent)
{
    int i = layer->n++;
    layer->row[i] = item->row + offset;
    layer->normal[i] = item->row;
    layer->tangential[i] = offset > 0;
    layer->on_tangent[i] = on_tangent;
    layer->stiffness[i] =
        item->stiffness[offset] > 0 ? item->stiffness[offset] : item->stiffness[0];
    layer->damping[i] = item->damping[offset] > 0 ? item->damping[offset] : item->damping[0];
}

// Adds the active rows of constraint c in the given motion.
static void add_constraint(Layer *layer, const SpragMotion *motion, int c)
{
    const SpragConstraint *item = &layer->problem->constraints[c];
    SpragMode mode = motion->modes[c];
    if (item->kind == SPRAG_CONSTRAINT_BILATERAL || mode == SPRAG_MODE_SEPARATE)
        return;
    // theory.md (2.6), (13.2): the column N − μ d; a guide presses from either side, and friction
    // follows |λN|
    const double *d = motion->direction + 2 * c;
    bool pulls = item->kind == SPRAG_CONSTRAINT_GUIDE && motion->force[item->row] < 0;
    double weight = pulls ? item->friction : -item->friction;
    add_row(layer, item, 0, d[0] != 0 ? weight * d[0] : 0);
    layer->on_second[layer->n - 1] = d[1] != 0 ? weight * d[1] : 0;
    for (int k = 1; mode == SPRAG_MODE_STICK && item->friction > 0 && k < item->row_count; k++)
        add_row(layer, item, k, 0);
    layer->mean_normal += W_at(layer, item->row, item->row);
}

// W minus what bilateral rows take away: theory.md section 1. Their own dependence is harmless.
static SpragStatus eliminate_bilateral(Layer *layer)
{
    const SpragContactProblem *p = layer->problem;
    int n = p->row_count;
    for (int c = 0; c < p->constraint_count; c++) {
        if (p->constraints[c].kind != SPRAG_CONSTRAINT_BILATERAL)
            continue;
        // symmetric elimination of one row at a time
        int g = p->constraints[c].row;
        double pivot = layer->W[g * n + g];
        if (pivot <= RANK_TOLERANCE * p->W[g * n + g])
            continue;
        for (int i = 0; i < n; i++) {
            if (i == g)
                continue;
            double factor = layer->W[i * n + g] / pivot;
            for (int j = 0; j < n; j++)
                layer->W[i * n + j] -= factor * layer->W[g * n + j];
        }
        for (int j = 0; j < n; j++)
            layer->W[g * n + j] = layer->W[j * n + g] = 0;
    }
    return SPRAG_OK;
}

static SpragStatus allocate(Layer *layer)
{
    SpragArena *arena = layer->arena;
    size_t n = (size_t)layer->problem->row_count;
    // in two pieces: requests are a good part of a small problem's time
    double *numbers = sprag_arena_alloc(arena, 4 * n + 3 * n * n + 1, sizeof *numbers);
    layer->row = sprag_arena_alloc(arena, n + 1, 2 * sizeof(int) + sizeof(bool));
    if (!numbers || !layer->row)
        return SPRAG_ERROR_MEMORY;
    layer->normal = layer->row + n;
    layer->tangential = (bool *)(layer->normal + n);
    layer->on_tangent = numbers;
    layer->stiffness = numbers + n;
    layer->damping = numbers + 2 * n;
    layer->on_second = numbers + 3 * n;
    layer->W = numbers + 4 * n;
    layer->U = layer->W + n * n;
    layer->D = layer->U + n * n;
    for (size_t i = 0; i < n * n; i++)
        layer->W[i] = layer->problem->W[i];
    return eliminate_bilateral(layer);
}

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
                entry += layer->on_tangent[j] * W_at(layer, layer->row[i], layer->normal[j] + 1);
            if (layer->on_second[j] != 0)
                entry += layer->on_second[j] * W_at(layer, layer->row[i], layer->normal[j] + 2);
            layer->D[i * n + j] = entry;
        }
    }
}

// U: an orthonormal basis of range(J_f), from the symmetric matrix J_f M⁻¹ J_fᵀ with unit diagonal.
static SpragStatus build_range(Layer *layer)
{
    int n = layer->n;
    double *G = sprag_arena_alloc(layer->arena, (size_t)n * (size_t)(n + 1), sizeof *G);
    if (!G)
        return SPRAG_ERROR_MEMORY;
    double *s = G + n * n;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double scale = sqrt(W_at(layer, layer->row[i], layer->row[i]) *
                                W_at(layer, layer->row[j], layer->row[j]));
            G[i * n + j] = scale > 0 ? W_at(layer, layer->row[i], layer->row[j]) / scale : 0;
        }
    }
    sprag_svd(n, n, G, s, NULL);
    layer->rank = 0;
    for (int k = 0; k < n && s[k] > RANK_TOLERANCE * n; k++)
        layer->rank++;
    // columns of G are now U diag(s); undo the row scaling and orthonormalise
    for (int k = 0; k < layer->rank; k++) {
        double length = 0;
        for (int i = 0; i < n; i++)
            layer->U[i * n + k] =
                G[i * n + k] / s[k] * sqrt(W_at(layer, layer->row[i], layer->row[i]));
        for (int pass = 0; pass < 2; pass++) {
            for (int q = 0; q < k; q++) {
                double dot = 0;
                for (int i = 0; i < n; i++)
                    dot += layer->U[i * n + q] * layer->U[i * n + k];
                for (int i = 0; i < n; i++)
                    layer->U[i * n + k] -= dot * layer->U[i * n + q];
            }
        }
        for (int i = 0; i < n; i++)
            length = hypot(length, layer->U[i * n + k]);
        for (int i = 0; i < n; i++)
            layer->U[i * n + k] /= length;
    }
    return SPRAG_OK;
}

// out = Uᵀ D diag(weight) U (rank × rank); weight NULL: ones.
static void project(const Layer *layer, const double *weight, double *out, int stride)
{
    int n = layer->n;
    for (int p = 0; p < layer->rank; p++) {
        for (int q = 0; q < layer->rank; q++) {
            double sum = 0;
            for (int i = 0; i < n; i++) {
                double inner = 0;
                for (int j = 0; j < n; j++)
                    inner += layer->D[i * n + j] * (weight ? weight[j] : 1) * layer->U[j * n + q];
                sum += layer->U[i * n + p] * inner;
            }
            out[p * stride + q] = sum;
        }
    }
}

static SpragStatus layer_eigenvalues(const Layer *layer, SpragSolution *solution)
{
    SpragArena *arena = layer->arena;
    size_t n = (size_t)layer->rank;
    size_t room = n * n + 2 * n + sprag_eigenvalues_work(layer->rank);
    double *A = sprag_arena_alloc(arena, room, sizeof *A);
    solution->layer = sprag_arena_alloc(arena, n + 1, sizeof *solution->layer);
    if (!A || !solution->layer)
        return SPRAG_ERROR_MEMORY;
    double *real = A + n * n, *imaginary = real + n, *work = imaginary + n;
    project(layer, NULL, A, layer->rank);
    if (!sprag_eigenvalues(layer->rank, A, real, imaginary, work))
        return sprag_fail(layer->problem->context, SPRAG_ERROR_NUMERIC,
                          "the eigenvalues of the contact layer did not converge");
    solution->layer_count = layer->rank;
    for (int i = 0; i < layer->rank; i++)
        solution->layer[i] = (SpragEigenvalue){real[i], imaginary[i]};
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

static SpragStability classify_uniform(const Layer *layer, const SpragSolution *solution,
                                       double *critical)
{
    double largest = 0, mean_normal = layer->mean_normal;
    *critical = 0;
    for (int i = 0; i < solution->layer_count; i++)
        largest = fmax(largest, hypot(solution->layer[i].real, solution->layer[i].imaginary));
    // an eigenvalue of zero leaves a deformation that grows linearly
    double zero =
        fmax(ZERO_TOLERANCE * layer->least_diagonal, EIGENVALUE_ROUNDING * layer->n * largest);
    bool divergent = false;
    for (int i = 0; i < solution->layer_count; i++) {
        SpragEigenvalue h = solution->layer[i];
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

static SpragStatus test_uniform(const Layer *layer, const SpragAnalysisSettings *settings,
                                SpragSolution *solution)
{
    double d = layer->mean_normal, critical;
    double T = settings->time_scale > 0 ? settings->time_scale : 1;
    double k = 1 / (d * DEFAULT_EPSILON * T * T);
    double c = 2 * settings->damping_ratio * sqrt(k / d);
    solution->stability = classify_uniform(layer, solution, &critical);
    solution->critical_damping = isfinite(critical) ? critical : 0;
    solution->stable = solution->stability == SPRAG_STABLE ||
                       (solution->stability == SPRAG_DEPENDS && settings->damping_ratio > critical);
    solution->eigenvalue_count = 2 * layer->rank;
    solution->eigenvalues =
        sprag_arena_alloc(layer->arena, 2 * (size_t)layer->rank + 1, sizeof(SpragEigenvalue));
    if (!solution->eigenvalues)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < layer->rank; i++)
        quadratic_roots(solution->layer[i], c, k, solution->eigenvalues + 2 * i);
    return SPRAG_OK;
}

// ---- Given stiffness and damping ----------------------------------------------------------------

// Time in units of 1/sqrt(|Q|) keeps the entries of the first-order form alike.
static double time_unit(const double *Q, int n)
{
    double largest = 0;
    for (int i = 0; i < n * n; i++)
        largest = fmax(largest, fabs(Q[i]));
    return largest > 0 ? 1 / sqrt(largest) : 1;
}

static SpragStatus test_given(const Layer *layer, SpragSolution *solution)
{
    SpragArena *arena = layer->arena;
    int n = layer->rank, m = 2 * n;
    double *Q = sprag_arena_alloc(arena, (size_t)n * (size_t)n + 1, sizeof *Q);
    double *P = sprag_arena_alloc(arena, (size_t)n * (size_t)n + 1, sizeof *P);
    double *A = sprag_arena_alloc(arena, (size_t)m * (size_t)m + 1, sizeof *A);
    double *real = sprag_arena_alloc(arena, 2 * (size_t)m + 1, sizeof *real);
    double *work = sprag_arena_alloc(arena, sprag_eigenvalues_work(m), sizeof *work);
    solution->eigenvalues = sprag_arena_alloc(arena, (size_t)m + 1, sizeof(SpragEigenvalue));
    if (!Q || !P || !A || !real || !work || !solution->eigenvalues)
        return SPRAG_ERROR_MEMORY;
    project(layer, layer->stiffness, Q, n);
    project(layer, layer->damping, P, n);
    double unit = time_unit(Q, n), *imaginary = real + m;
    for (int i = 0; i < n; i++) {
        A[i * m + n + i] = 1;
        for (int j = 0; j < n; j++) {
            A[(n + i) * m + j] = -Q[i * n + j] * unit * unit;
            A[(n + i) * m + n + j] = -P[i * n + j] * unit;
        }
    }
    if (!sprag_eigenvalues(m, A, real, imaginary, work))
        return sprag_fail(layer->problem->context, SPRAG_ERROR_NUMERIC,
                          "the eigenvalues of the contact layer did not converge");
    solution->eigenvalue_count = m;
    double largest = 0;
    for (int i = 0; i < m; i++) {
        largest = fmax(largest, hypot(real[i], imaginary[i]));
        solution->eigenvalues[i] = (SpragEigenvalue){real[i] / unit, imaginary[i] / unit};
    }
    // sorted by real part: the first one decides
    bool grows = m > 0 && real[0] >= -ZERO_TOLERANCE * largest;
    bool turns = m > 0 && fabs(imaginary[0]) > ZERO_TOLERANCE * largest;
    solution->stability = !grows ? SPRAG_STABLE : turns ? SPRAG_FLUTTER : SPRAG_DIVERGENT;
    solution->stable = !grows;
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

// Fills in what the problem does not give: one stiffness for all, damping at ζ of (6.9).
static void complete_parameters(Layer *layer, const SpragAnalysisSettings *settings)
{
    layer->uniform = false;
    for (int i = 0; i < layer->n; i++)
        layer->uniform |= layer->stiffness[i] <= 0;
    for (int i = 0; !layer->uniform && i < layer->n; i++)
        if (layer->damping[i] <= 0)
            layer->damping[i] =
                2 * settings->damping_ratio * sqrt(layer->stiffness[i] / layer->mean_normal);
}

// Without sliding friction D is symmetric: springs and dampers alone, stable whatever the numbers
// (theory.md 6.3), even where rows are so nearly dependent that an eigenvalue cannot be told from
// zero.
static bool is_conservative(const Layer *layer)
{
    for (int i = 0; i < layer->n; i++)
        if (layer->on_tangent[i] != 0 || layer->on_second[i] != 0)
            return false;
    return true;
}

static SpragStatus test_rows(Layer *layer, const SpragAnalysisSettings *settings,
                             SpragSolution *solution)
{
    complete_parameters(layer, settings);
    build_D(layer);
    SPRAG_TRY(build_range(layer));
    SPRAG_TRY(layer_eigenvalues(layer, solution));
    SPRAG_TRY(layer->uniform ? test_uniform(layer, settings, solution)
                             : test_given(layer, solution));
    if (is_conservative(layer)) {
        solution->stability = SPRAG_STABLE;
        solution->stable = true;
        solution->critical_damping = 0;
    }
    solution->growth_time = growth_time(solution);
    return SPRAG_OK;
}

SpragStatus stability_test(SpragArena *arena, const SpragContactProblem *problem,
                           const SpragAnalysisSettings *settings, SpragSolution *solution,
                           bool *default_layer)
{
    const SpragMotion *motion = solution->motion;
    Layer layer = {.arena = arena, .problem = problem};
    SPRAG_TRY(allocate(&layer));
    int active = 0, entered = 0;
    for (int c = 0; c < problem->constraint_count; c++)
        active += motion->active[c] && problem->constraints[c].kind != SPRAG_CONSTRAINT_BILATERAL;
    for (int c = 0; c < problem->constraint_count; c++) {
        // contacts that only graze count when nothing presses: they decide what a touch would do
        int before = layer.n;
        if (motion->active[c] || active == 0)
            add_constraint(&layer, motion, c);
        entered += layer.n > before;
    }
    solution->stability = SPRAG_FREE;
    solution->stable = true;
    solution->growth_time = INFINITY;
    if (layer.n == 0)
        return SPRAG_OK;
    layer.mean_normal /= entered;
    SPRAG_TRY(test_rows(&layer, settings, solution));
    *default_layer |= layer.uniform;
    if (solution->stable && problem->dimension == 3)
        SPRAG_TRY(turning_test(arena, problem, solution));
    if (active == 0 && !solution->stable) {
        solution->stability = SPRAG_FREE; // λ = 0 is left, not held: theory.md 4.2, A < 0, B = 0
        solution->stable = true;
        solution->growth_time = INFINITY;
    }
    return SPRAG_OK;
}
