// stability.c: does the compliant layer come back to a rigid motion?
// Problem   which rows a motion makes active (normals of sliding, normals and tangents of
//           sticking contacts), modulo bilateral rows, and which of them know of each other; what
//           the layer on them does is told by layer_stability.c, theory.md (6.2), (6.3)
// Method    symmetric elimination of bilateral rows from W; rows that W couples make an island,
//           each with its own d̄ of (6.9). Friction that slips follows the normals, (2.6),
//           (13.2), (9.35)
#include <math.h>

#include "layer_stability.h"
#include "stability.h"

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
        if (pivot <= LAYER_RANK_TOLERANCE * p->W[g * n + g])
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
        bool moves = count > 0 && sum > LAYER_RANK_TOLERANCE * layer->mean_normal * count;
        layer->mean[i] = moves ? sum / count : layer->mean_normal;
        layer->islands |= layer->island[i] != layer->island[0];
    }
}

// ---- The test -----------------------------------------------------------------------------------

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
    SPRAG_TRY(layer_stability(&layer, settings, solution));
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
