// lp.c: small dense linear programs.
// Problem   maximise cᵀx, A₁ x ≤ b₁, A₂ x = b₂, x free; for one c or for many over one set
// Method    dictionary form s = b − A x. Free variables are pivoted into the basis first (with
//           equality rows, then with inequality rows, largest pivot first), which leaves a
//           dictionary in slacks ≥ 0 only; then phase 1 with one artificial variable and phase 2
//           [Chvatal1983, p. 39–43]. Largest coefficient first, Bland's rule once it stalls. Many
//           objectives start from the same feasible dictionary.
// Assumes   tens of rows; each row is scaled to a largest entry of 1, so tolerance is relative
#include <math.h>
#include <string.h>

#include "sprag/complementarity.h"

// A pivot below this relative size is rounding noise of the elimination.
static const double PIVOT_TOLERANCE = 1e-11;

typedef enum Kind {
    KIND_FREE,  // a variable of the caller
    KIND_SLACK, // must stay ≥ 0
    KIND_DEAD   // fixed at zero: slack of an equality, or a direction nothing depends on
} Kind;

typedef struct Dictionary {
    int rows;      // constraint rows
    int width;     // columns in use, that of the constants included
    int stride;    // entries from row to row
    double *T;     // (rows + 2) × stride: basic = T[.][0] + Σ T[.][j] nonbasic; then objectives
    int *basic;    // variable of each row; ≥ variable_count: slack
    int *nonbasic; // variable of each column
    Kind *kind;    // per variable
    double *pivot_size; // per row, while equalities are eliminated: its best pivot, weighted
    int *pivot_column;
    bool *changed;      // per row, by the last pivot
    int variable_count; // of the caller
    int artificial;     // number of the artificial variable
    double tolerance;
    long pivots_left;
} Dictionary;

static double *row_of(const Dictionary *d, int row)
{
    return d->T + (size_t)row * (size_t)d->stride;
}

// Exchanges basic variable `row` and nonbasic variable `column` (1-based).
static void pivot(Dictionary *d, int row, int column)
{
    double *restrict pivot_row = row_of(d, row);
    double inverse = -1.0 / pivot_row[column];
    pivot_row[column] = -1;
    for (int j = 0; j < d->width; j++)
        pivot_row[j] *= inverse;
    for (int i = 0; i < d->rows + 2; i++) {
        if (i == row)
            continue;
        double *restrict target = row_of(d, i);
        double factor = target[column];
        if (factor == 0)
            continue;
        target[column] = 0;
        for (int j = 0; j < d->width; j++)
            target[j] += factor * pivot_row[j];
    }
    int variable = d->basic[row];
    d->basic[row] = d->nonbasic[column];
    d->nonbasic[column] = variable;
    d->pivots_left--;
}

static Kind row_kind(const Dictionary *d, int row)
{
    return d->kind[d->basic[row]];
}

static Kind column_kind(const Dictionary *d, int column)
{
    return d->kind[d->nonbasic[column]];
}

static long pivot_limit(const Dictionary *d)
{
    return 200 + 40L * (d->rows + d->variable_count);
}

// Largest entry of a row that may serve as a pivot; 0 and its column untouched: there is none.
// Columns of dead variables are zero.
static double largest_entry(const Dictionary *d, int row, int *column)
{
    const double *entries = row_of(d, row);
    double largest = PIVOT_TOLERANCE;
    for (int j = 1; j < d->width; j++) {
        if (fabs(entries[j]) <= largest)
            continue;
        largest = fabs(entries[j]);
        *column = j;
    }
    return largest > PIVOT_TOLERANCE ? largest : 0;
}

// A pivot serves best that is large beside its row's constant, which becomes a value of every other
// row.
static double pivot_weight(const Dictionary *d, int row)
{
    double constant = fabs(row_of(d, row)[0]);
    return constant > 1 ? 1 / constant : 1;
}

// Notes the best pivot of each equality row that `changed` says has other entries than before.
static void note_pivots(Dictionary *d, const bool *changed)
{
    for (int i = 0; i < d->rows; i++) {
        if (!changed[i])
            continue;
        d->pivot_size[i] =
            row_kind(d, i) == KIND_DEAD ? largest_entry(d, i, &d->pivot_column[i]) : 0;
        d->pivot_size[i] *= pivot_weight(d, i);
    }
}

// Exchanges the best pivot of all equality rows; the slack that leaves is zero, and so its column.
static bool eliminate_one(Dictionary *d, bool *changed)
{
    int row = 0;
    for (int i = 1; i < d->rows; i++)
        if (d->pivot_size[i] > d->pivot_size[row])
            row = i;
    if (!(d->rows && d->pivot_size[row] > 0))
        return false;
    int column = d->pivot_column[row];
    for (int i = 0; i < d->rows; i++)
        changed[i] = row_of(d, i)[column] != 0;
    pivot(d, row, column);
    for (int i = 0; i < d->rows + 2; i++)
        row_of(d, i)[column] = 0;
    note_pivots(d, changed);
    return true;
}

// Equality rows take free variables into the basis; false: they contradict each other.
static bool eliminate_equalities(Dictionary *d)
{
    double size = 1; // what is left of a large constant carries its rounding
    for (int i = 0; i < d->rows; i++)
        if (row_kind(d, i) == KIND_DEAD)
            size = fmax(size, fabs(row_of(d, i)[0]));
    for (int i = 0; i < d->rows; i++)
        d->changed[i] = true;
    note_pivots(d, d->changed);
    while (eliminate_one(d, d->changed))
        continue;
    for (int i = 0; i < d->rows; i++)
        if (row_kind(d, i) == KIND_DEAD && fabs(row_of(d, i)[0]) > d->tolerance * size)
            return false;
    return true;
}

// Row in which a free variable serves best as a pivot, −1: none.
static int best_row(const Dictionary *d, int column)
{
    int best = -1;
    double largest = 0;
    for (int i = 0; i < d->rows; i++) {
        double entry = fabs(row_of(d, i)[column]);
        if (row_kind(d, i) != KIND_SLACK || entry <= PIVOT_TOLERANCE)
            continue;
        entry *= pivot_weight(d, i);
        if (entry > largest) {
            largest = entry;
            best = i;
        }
    }
    return best;
}

// Inequality rows take the remaining free variables; one that appears nowhere stays outside.
static void eliminate_free(Dictionary *d)
{
    for (int j = 1; j < d->width; j++) {
        int row = column_kind(d, j) == KIND_FREE ? best_row(d, j) : -1;
        if (row >= 0)
            pivot(d, row, j);
    }
}

// Slacks of equalities stay at zero: their columns are dropped.
static void drop_dead_columns(Dictionary *d)
{
    int kept = 1;
    for (int j = 1; j < d->width; j++) {
        if (column_kind(d, j) == KIND_DEAD)
            continue;
        for (int i = 0; kept != j && i < d->rows + 2; i++)
            row_of(d, i)[kept] = row_of(d, i)[j];
        d->nonbasic[kept++] = d->nonbasic[j];
    }
    d->width = kept;
}

// Column that increases the objective row, or 0. Bland: the variable with the smallest number.
static int entering(const Dictionary *d, int objective, bool bland)
{
    const double *z = row_of(d, objective);
    int best = 0;
    double largest = PIVOT_TOLERANCE;
    for (int j = 1; j < d->width; j++) {
        if (column_kind(d, j) != KIND_SLACK || z[j] <= PIVOT_TOLERANCE)
            continue;
        if (bland ? !best || d->nonbasic[j] < d->nonbasic[best] : z[j] > largest) {
            largest = z[j];
            best = j;
        }
    }
    return best;
}

// Row that limits the increase of `column`, −1 if none does. Ties go to the larger pivot, or to
// Bland.
static int leaving(const Dictionary *d, int column, bool bland)
{
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < d->rows; i++) {
        const double *row = row_of(d, i);
        if (row_kind(d, i) != KIND_SLACK || row[column] >= -PIVOT_TOLERANCE)
            continue;
        double ratio = (row[0] > 0 ? row[0] : 0) / -row[column];
        bool tie = best >= 0 && ratio <= least * (1 + 1e-12) + 1e-300;
        bool better = bland ? best >= 0 && d->basic[i] < d->basic[best]
                            : best >= 0 && row[column] < row_of(d, best)[column];
        if (best < 0 || ratio < least * (1 - 1e-12) || (tie && better)) {
            best = i;
            least = ratio;
        }
    }
    return best;
}

// Simplex on the given objective row; `stop` ends it early as soon as that objective reaches it.
static SpragLpStatus optimize(Dictionary *d, int objective, double stop)
{
    int stalled = 0;
    double last = row_of(d, objective)[0];
    while (row_of(d, objective)[0] < stop) {
        bool bland = stalled > d->rows + d->width;
        int column = entering(d, objective, bland);
        if (!column)
            return SPRAG_LP_OPTIMAL;
        int row = leaving(d, column, bland);
        if (row < 0)
            return SPRAG_LP_UNBOUNDED;
        if (d->pivots_left <= 0)
            return SPRAG_LP_LIMIT;
        pivot(d, row, column);
        double now = row_of(d, objective)[0];
        stalled = now > last ? 0 : stalled + 1;
        last = now;
    }
    return SPRAG_LP_OPTIMAL;
}

static int most_negative_row(const Dictionary *d)
{
    int worst = -1;
    for (int i = 0; i < d->rows; i++)
        if (row_kind(d, i) == KIND_SLACK && row_of(d, i)[0] < -d->tolerance &&
            (worst < 0 || row_of(d, i)[0] < row_of(d, worst)[0]))
            worst = i;
    return worst;
}

// If the artificial variable is still basic (at zero), exchanges it against anything.
static void remove_artificial(Dictionary *d)
{
    for (int i = 0; i < d->rows; i++) {
        if (d->basic[i] != d->artificial)
            continue;
        int best = 0;
        for (int j = 1; j < d->width; j++)
            if (column_kind(d, j) == KIND_SLACK &&
                (!best || fabs(row_of(d, i)[j]) > fabs(row_of(d, i)[best])))
                best = j;
        if (best && fabs(row_of(d, i)[best]) > PIVOT_TOLERANCE)
            pivot(d, i, best);
    }
    d->kind[d->artificial] = KIND_DEAD;
}

// Phase 1: a new last column is the artificial variable a ≥ 0, added to every slack row; minimise
// a.
static SpragLpStatus make_feasible(Dictionary *d)
{
    int worst = most_negative_row(d);
    if (worst < 0)
        return SPRAG_LP_OPTIMAL;
    int column = d->width++;
    double zero = d->tolerance * fmax(1, -row_of(d, worst)[0]);
    double *phase1 = row_of(d, d->rows + 1);
    d->nonbasic[column] = d->artificial;
    d->kind[d->artificial] = KIND_SLACK;
    for (int i = 0; i < d->rows; i++)
        row_of(d, i)[column] = row_kind(d, i) == KIND_SLACK;
    memset(phase1, 0, (size_t)d->width * sizeof *phase1);
    phase1[column] = -1;
    pivot(d, worst, column);
    SpragLpStatus status = optimize(d, d->rows + 1, -0.1 * zero);
    if (status == SPRAG_LP_LIMIT)
        return status;
    if (phase1[0] < -zero)
        return SPRAG_LP_INFEASIBLE;
    memset(phase1, 0, (size_t)d->width * sizeof *phase1);
    remove_artificial(d);
    return SPRAG_LP_OPTIMAL;
}

static double row_scale(const double *row, int n)
{
    double largest = 0;
    for (int j = 0; j < n; j++)
        largest = fabs(row[j]) > largest ? fabs(row[j]) : largest;
    return largest > 0 ? 1 / largest : 1;
}

// Allocates the dictionary and fills it with s = b − A x; scales rows.
static bool fill(Dictionary *d, SpragArena *arena, const SpragLp *problem)
{
    int n = problem->variable_count;
    int m = problem->inequality_count + problem->equality_count;
    d->rows = m;
    d->width = n + 1;
    d->stride = n + 2; // one more for the artificial variable
    d->variable_count = n;
    d->artificial = n + m;
    d->T = sprag_arena_alloc(arena, (size_t)(m + 2) * (size_t)d->stride, sizeof *d->T);
    d->basic = sprag_arena_alloc(arena, (size_t)m + 1, sizeof *d->basic);
    d->nonbasic = sprag_arena_alloc(arena, (size_t)d->stride, sizeof *d->nonbasic);
    d->kind = sprag_arena_alloc(arena, (size_t)(n + m + 1), sizeof *d->kind);
    d->pivot_size = sprag_arena_alloc(arena, (size_t)m + 1, sizeof *d->pivot_size);
    d->pivot_column = sprag_arena_alloc(arena, (size_t)m + 1, sizeof *d->pivot_column);
    d->changed = sprag_arena_alloc(arena, (size_t)m + 1, sizeof *d->changed);
    if (!d->T || !d->basic || !d->nonbasic || !d->kind || !d->pivot_size || !d->pivot_column ||
        !d->changed)
        return false;
    for (int i = 0; i < m; i++) {
        const double *a = problem->A + (size_t)i * (size_t)n;
        double scale = row_scale(a, n);
        double *row = row_of(d, i);
        row[0] = problem->b[i] * scale;
        for (int j = 0; j < n; j++)
            row[j + 1] = -a[j] * scale;
        d->basic[i] = n + i;
        d->kind[n + i] = i < problem->inequality_count ? KIND_SLACK : KIND_DEAD;
    }
    for (int j = 0; j < n; j++) {
        d->nonbasic[j + 1] = j;
        d->kind[j] = KIND_FREE;
    }
    d->pivots_left = pivot_limit(d);
    return true;
}

// From s = b − A x to a dictionary in slacks whose constants are ≥ 0.
static SpragLpStatus prepare(Dictionary *d)
{
    if (!eliminate_equalities(d))
        return SPRAG_LP_INFEASIBLE;
    drop_dead_columns(d);
    eliminate_free(d);
    return make_feasible(d);
}

// Maximises cᵀx from a feasible dictionary.
static SpragLpStatus maximize(Dictionary *d, const double *c)
{
    double *z = row_of(d, d->rows);
    double scale = row_scale(c, d->variable_count);
    memset(z, 0, (size_t)d->width * sizeof *z);
    for (int i = 0; i < d->rows; i++) {
        double weight = d->basic[i] < d->variable_count ? c[d->basic[i]] * scale : 0;
        for (int j = 0; weight != 0 && j < d->width; j++)
            z[j] += weight * row_of(d, i)[j];
    }
    for (int j = 1; j < d->width; j++) {
        if (column_kind(d, j) != KIND_FREE)
            continue;
        // no constraint holds this variable
        z[j] += c[d->nonbasic[j]] * scale;
        if (fabs(z[j]) > PIVOT_TOLERANCE)
            return SPRAG_LP_UNBOUNDED;
    }
    return optimize(d, d->rows, INFINITY);
}

static void read_point(const Dictionary *d, double *x)
{
    memset(x, 0, (size_t)d->variable_count * sizeof *x);
    for (int i = 0; i < d->rows; i++)
        if (d->basic[i] < d->variable_count)
            x[d->basic[i]] = row_of(d, i)[0];
}

static double product(const double *c, const double *x, int n)
{
    double sum = 0;
    for (int j = 0; j < n; j++)
        sum += c[j] * x[j];
    return sum;
}

SpragStatus sprag_lp_solve(SpragArena *arena, const SpragLp *problem, double tolerance, double *x,
                           double *value, SpragLpStatus *status)
{
    SpragArenaMark mark = sprag_arena_mark(arena);
    Dictionary d = {.tolerance = tolerance};
    if (!fill(&d, arena, problem)) {
        sprag_arena_release(arena, mark);
        return SPRAG_ERROR_MEMORY;
    }
    *status = prepare(&d);
    if (*status == SPRAG_LP_OPTIMAL && problem->c)
        *status = maximize(&d, problem->c);
    read_point(&d, x);
    if (value)
        *value = problem->c ? product(problem->c, x, d.variable_count) : 0;
    sprag_arena_release(arena, mark);
    return SPRAG_OK;
}

// What pivots change, kept so that each objective starts from the same dictionary: rounding does
// not add up.
typedef struct Snapshot {
    double *T;
    int *basic, *nonbasic;
} Snapshot;

static bool take_snapshot(const Dictionary *d, SpragArena *arena, Snapshot *kept)
{
    size_t entries = (size_t)(d->rows + 2) * (size_t)d->stride;
    kept->T = sprag_arena_alloc(arena, entries, sizeof *kept->T);
    kept->basic = sprag_arena_alloc(arena, (size_t)d->rows + 1, sizeof(int));
    kept->nonbasic = sprag_arena_alloc(arena, (size_t)d->stride, sizeof(int));
    if (!kept->T || !kept->basic || !kept->nonbasic)
        return false;
    memcpy(kept->T, d->T, entries * sizeof *d->T);
    memcpy(kept->basic, d->basic, (size_t)d->rows * sizeof(int));
    memcpy(kept->nonbasic, d->nonbasic, (size_t)d->stride * sizeof(int));
    return true;
}

static void restore(Dictionary *d, const Snapshot *kept)
{
    memcpy(d->T, kept->T, (size_t)(d->rows + 2) * (size_t)d->stride * sizeof *d->T);
    memcpy(d->basic, kept->basic, (size_t)d->rows * sizeof(int));
    memcpy(d->nonbasic, kept->nonbasic, (size_t)d->stride * sizeof(int));
    d->pivots_left = pivot_limit(d);
}

SpragStatus sprag_lp_maxima(SpragArena *arena, const SpragLp *problem, double tolerance,
                            int objective_count, const double *objectives, double *maxima,
                            SpragLpStatus *status)
{
    int n = problem->variable_count;
    SpragArenaMark mark = sprag_arena_mark(arena);
    Dictionary d = {.tolerance = tolerance};
    Snapshot kept = {0};
    double *x = sprag_arena_alloc(arena, (size_t)n + 1, sizeof *x);
    if (!x || !fill(&d, arena, problem))
        goto no_memory;
    *status = prepare(&d);
    if (*status == SPRAG_LP_OPTIMAL && !take_snapshot(&d, arena, &kept))
        goto no_memory;
    for (int k = 0; k < objective_count && *status == SPRAG_LP_OPTIMAL; k++) {
        const double *c = objectives + (size_t)k * (size_t)n;
        restore(&d, &kept);
        SpragLpStatus one = maximize(&d, c);
        read_point(&d, x);
        maxima[k] = one == SPRAG_LP_UNBOUNDED ? INFINITY : product(c, x, n);
        *status = one == SPRAG_LP_LIMIT ? one : SPRAG_LP_OPTIMAL;
    }
    sprag_arena_release(arena, mark);
    return SPRAG_OK;
no_memory:
    sprag_arena_release(arena, mark);
    return SPRAG_ERROR_MEMORY;
}
