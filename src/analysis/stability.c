// stability.c: does the compliant layer come back to a rigid motion?
// Problem   z'' + D Ĉ z' + D K̂ z = 0 on range(J_f), theory.md (6.2), (6.3), (6.8), where J_f are
//           the active rows (normals of sliding, normals and tangents of sticking contacts) modulo
//           bilateral rows
// Method    an orthonormal basis U of range(J_f) from the singular values of J_f M⁻¹ J_fᵀ; one
//           stiffness and damping for all rows: eigenvalues h of Uᵀ D U and (6.6) for every damping
//           ratio at once; otherwise the eigenvalues of the first-order form (6.5)
#include <math.h>

#include "layer.h"
#include "sprag/compliance.h"
#include "sprag/numeric.h"
#include "stability.h"

// Rows count as dependent when J_f M⁻¹ J_fᵀ, scaled to a unit diagonal, has singular values below
// this: entries carry rounding of 1e-16, summed over a few tens of rows.
static const double RANK_TOLERANCE = 1e-12;
// Eigenvalues this small, relative to the stiffest (heaviest) active row, are zero; and those below
// rounding of the largest.
static const double ZERO_TOLERANCE = 1e-10, EIGENVALUE_ROUNDING = 1e-14;
// A sliding contact with A below this part of a_nn, or several with such a determinant, are too
// near to the singularity: theory.md 8.4. Above the second number nothing is near.
static const double SMALL_DETERMINANT = 1e-6, SUSPECT_DETERMINANT = 1e-3;
// Range of damping ratios over which a verdict must hold, theory.md (6.9).
static const double LEAST_RATIO = 0.01, GREATEST_RATIO = 1;

typedef struct Layer {
    SpragArena *arena;
    const SpragContactProblem *problem;
    int n;              // active rows
    int *row;           // row of W
    int *constraint;    // its constraint
    int *tangent;       // first tangential row of the unknown's constraint
    int *second;        // the row of on_second
    int *island;        // number of its island
    double *on_tangent; // λT per unit of λN (sliding), or the row is a tangent of its own
    double *on_second;  // the same of λO in space, or of a bearing that presses with it too
    double *on_third;   // the same of the third tangent of a bearing
    bool *tangential;
    double *W;                   // Delassus matrix modulo bilateral rows
    double *stiffness, *damping; // per active row
    double mean_normal;          // mean of a_nn over all active contacts
    double *mean;                // per active row: d̄ of (6.9), over the contacts of its island
    bool islands;                // there are several, which do not know of each other
    double least_diagonal;       // least W_ii of the active rows
    bool uniform;                // one stiffness and damping: those of (6.9)
    SpragLayerSource source;
    int rank;
    int *belongs; // rank: island of each column of U
    double *U;    // n × rank
    double *D;    // n × n
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
    layer->constraint[i] = (int)(item - layer->problem->constraints);
    layer->tangent[i] = item->row + sprag_constraint_normals(item);
    layer->tangential[i] = layer->row[i] >= layer->tangent[i];
    layer->second[i] = layer->tangent[i] + 1;
    layer->on_tangent[i] = on_tangent;
}

double friction_slope(const SpragContactProblem *problem, const SpragMotion *motion, int c, int row,
                      int tangent)
{
    const SpragConstraint *item = &problem->constraints[c];
    double d = motion->direction[SPRAG_CONSTRAINT_WAYS * c + tangent];
    int press[SPRAG_CONSTRAINT_WAYS], count = sprag_constraint_press(item, press);
    bool presses = false;
    for (int k = 0; k < count; k++)
        presses |= row == press[k];
    if (d == 0 || !presses)
        return 0;
    if (count > 1) {
        double pressure = sprag_constraint_pressure(item, motion->force);
        return pressure > 0 ? -item->friction * d * motion->force[row] / pressure : 0;
    }
    bool two_sided = item->kind == SPRAG_CONSTRAINT_GUIDE || item->kind == SPRAG_CONSTRAINT_BEARING;
    return (two_sided && motion->force[row] < 0 ? item->friction : -item->friction) * d;
}

// Friction of the bearing that presses with row i of another one, too.
static void add_sharing(Layer *layer, const SpragMotion *motion, int i)
{
    const SpragContactProblem *p = layer->problem;
    for (int c = 0; c < p->constraint_count; c++) {
        const SpragConstraint *item = &p->constraints[c];
        if (item->kind != SPRAG_CONSTRAINT_BEARING || item->shared != layer->row[i])
            continue;
        layer->second[i] = item->row + sprag_constraint_normals(item);
        layer->on_second[i] = friction_slope(p, motion, c, layer->row[i], 0);
    }
}

// Adds the active rows of constraint c in the given motion.
static void add_constraint(Layer *layer, const SpragMotion *motion, int c)
{
    const SpragConstraint *item = &layer->problem->constraints[c];
    SpragMode mode = motion->modes[c];
    if (item->kind == SPRAG_CONSTRAINT_BILATERAL || mode == SPRAG_MODE_SEPARATE)
        return;
    int normals = sprag_constraint_normals(item);
    for (int k = 0; k < normals; k++) {
        if (item->kind == SPRAG_CONSTRAINT_BEARING &&
            W_at(layer, item->row + k, item->row + k) == 0)
            continue; // other joints hold it: nothing moves there in any layer
        add_row(layer, item, k, friction_slope(layer->problem, motion, c, item->row + k, 0));
        layer->on_second[layer->n - 1] =
            friction_slope(layer->problem, motion, c, item->row + k, 1);
        layer->on_third[layer->n - 1] = friction_slope(layer->problem, motion, c, item->row + k, 2);
        add_sharing(layer, motion, layer->n - 1);
        layer->mean_normal += W_at(layer, item->row + k, item->row + k) / normals;
    }
    for (int k = normals; mode == SPRAG_MODE_STICK && item->friction > 0 && k < item->row_count;
         k++)
        add_row(layer, item, k, 0);
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

static void carve_layer(SpragCarver *carver, Layer *layer)
{
    size_t n = (size_t)layer->problem->row_count;
    SPRAG_CARVE(carver, layer->row, n);
    SPRAG_CARVE(carver, layer->tangent, n);
    SPRAG_CARVE(carver, layer->constraint, n);
    SPRAG_CARVE(carver, layer->island, n);
    SPRAG_CARVE(carver, layer->belongs, n);
    SPRAG_CARVE(carver, layer->second, n);
    SPRAG_CARVE(carver, layer->tangential, n);
    SPRAG_CARVE(carver, layer->on_tangent, n);
    SPRAG_CARVE(carver, layer->stiffness, n);
    SPRAG_CARVE(carver, layer->damping, n);
    SPRAG_CARVE(carver, layer->on_second, n);
    SPRAG_CARVE(carver, layer->mean, n);
    SPRAG_CARVE(carver, layer->on_third, n);
    SPRAG_CARVE(carver, layer->W, n * n);
    SPRAG_CARVE(carver, layer->U, n * n);
    SPRAG_CARVE(carver, layer->D, n * n);
}

static SpragStatus allocate(Layer *layer)
{
    size_t n = (size_t)layer->problem->row_count;
    // in one piece: requests are a good part of a small problem's time
    SpragCarver carver = {0};
    carve_layer(&carver, layer);
    carver = (SpragCarver){sprag_arena_alloc(layer->arena, carver.used, 1), 0};
    if (!carver.base)
        return SPRAG_ERROR_MEMORY;
    carve_layer(&carver, layer);
    for (size_t i = 0; i < n * n; i++)
        layer->W[i] = layer->problem->W[i];
    return eliminate_bilateral(layer);
}

// ---- Islands ------------------------------------------------------------------------------------

static bool are_coupled(const Layer *layer, int c, int d)
{
    const SpragConstraint *first = &layer->problem->constraints[c];
    const SpragConstraint *second = &layer->problem->constraints[d];
    for (int i = 0; i < first->row_count; i++)
        for (int j = 0; j < second->row_count; j++)
            if (W_at(layer, first->row + i, second->row + j) != 0)
                return true;
    return false;
}

// Active rows that W couples, if only through others, get the same number.
static void number_islands(Layer *layer)
{
    for (int i = 0; i < layer->n; i++)
        layer->island[i] = i;
    for (int i = 0; i < layer->n; i++)
        for (int j = 0; j < i; j++) {
            int from = layer->island[i], to = layer->island[j];
            if (from == to || !are_coupled(layer, layer->constraint[i], layer->constraint[j]))
                continue;
            for (int k = 0; k <= i; k++)
                layer->island[k] = layer->island[k] == from ? to : layer->island[k];
        }
}

// d̄ of every island: what stands beside a mechanism must not change its verdict.
static void find_means(Layer *layer)
{
    layer->islands = false;
    number_islands(layer);
    for (int i = 0; i < layer->n; i++) {
        double sum = 0, count = 0;
        for (int j = 0; j < layer->n; j++) {
            if (layer->island[j] != layer->island[i] || layer->tangential[j])
                continue;
            // the normals of one constraint share its weight
            double part =
                1.0 / sprag_constraint_normals(&layer->problem->constraints[layer->constraint[j]]);
            sum += part * W_at(layer, layer->row[j], layer->row[j]);
            count += part;
        }
        // bilateral rows may hold all of an island: nothing there moves in any layer
        bool moves = count > 0 && sum > RANK_TOLERANCE * layer->mean_normal * count;
        layer->mean[i] = moves ? sum / count : layer->mean_normal;
        layer->islands |= layer->island[i] != layer->island[0];
    }
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
    for (int k = 0; k < m && s[k] > RANK_TOLERANCE * n; k++) {
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

static SpragStatus test_rows(Layer *layer, const SpragAnalysisSettings *settings,
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
    // where other joints hold all normals, tangents have the size
    for (int i = 0; !(layer.mean_normal > 0) && i < layer.n; i++)
        layer.mean_normal = W_at(&layer, layer.row[i], layer.row[i]);
    if (!(layer.mean_normal > 0)) // nothing moves
        return SPRAG_OK;
    find_means(&layer);
    SPRAG_TRY(test_rows(&layer, settings, solution));
    *default_layer |= layer.source != SPRAG_LAYER_SCENE;
    if (active == 0) { // nothing presses: no forces to grow, no springs to compare
        solution->nearly_singular = false;
        solution->ratios = (SpragRatioScan){0};
    }
    if (solution->stable && problem->dimension == 3)
        SPRAG_TRY(turning_test(arena, problem, solution));
    if (active == 0 && !solution->stable) {
        solution->stability = SPRAG_FREE; // λ = 0 is left, not held: theory.md 4.2, A < 0, B = 0
        solution->stable = true;
        solution->growth_time = INFINITY;
    }
    return SPRAG_OK;
}
