// lp.c: small dense linear programs.
// Problem   maximise cᵀx, A₁ x ≤ b₁, A₂ x = b₂, x free
// Method    dictionary form s = b − A x. Free variables are pivoted into the basis first (with
//           equality rows, then with inequality rows, largest pivot first), which leaves a
//           dictionary in slacks ≥ 0 only; then phase 1 with one artificial variable and phase 2
//           [Chvatal1983, p. 39–43]. Largest coefficient first, Bland's rule once it stalls.
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
    int rows, columns; // constraint rows; columns without the constant
    int width;         // columns + 1
    double *T;     // (rows + 2) × width: basic = T[.][0] + Σ T[.][j] nonbasic; then objectives
    int *basic;    // variable of each row; ≥ variable_count: slack
    int *nonbasic; // variable of each column
    Kind *kind;    // per variable
    int variable_count;
    double tolerance;
    long pivots_left;
} Dictionary;

static double *row_of(const Dictionary *d, int row)
{
    return d->T + (size_t)row * (size_t)d->width;
}

// Exchanges basic variable `row` and nonbasic variable `column` (1-based).
static void pivot(Dictionary *d, int row, int column)
{
    double *pivot_row = row_of(d, row);
    double inverse = -1.0 / pivot_row[column];
    pivot_row[column] = -1;
    for (int j = 0; j < d->width; j++)
        pivot_row[j] *= inverse;
    for (int i = 0; i < d->rows + 2; i++) {
        double *target = row_of(d, i);
        double factor = target[column];
        if (i == row || factor == 0)
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

// Largest |entry| over free columns and rows of `kind`; 0 if there is none.
static double largest_entry(const Dictionary *d, Kind kind, int only_column, int *row, int *column)
{
    double largest = 0;
    for (int i = 0; i < d->rows; i++) {
        if (row_kind(d, i) != kind)
            continue;
        for (int j = 1; j < d->width; j++) {
            if (column_kind(d, j) != KIND_FREE || (only_column && j != only_column))
                continue;
            double entry = fabs(row_of(d, i)[j]);
            if (entry > largest) {
                largest = entry;
                *row = i;
                *column = j;
            }
        }
    }
    return largest;
}

// Equality rows take free variables into the basis; false: they contradict each other.
static bool eliminate_equalities(Dictionary *d)
{
    int row = 0, column = 0;
    while (largest_entry(d, KIND_DEAD, 0, &row, &column) > PIVOT_TOLERANCE)
        pivot(d, row, column);
    for (int i = 0; i < d->rows; i++)
        if (row_kind(d, i) == KIND_DEAD && fabs(row_of(d, i)[0]) > d->tolerance)
            return false;
    return true;
}

// Inequality rows take the remaining free variables; one that appears nowhere is fixed at zero.
// True if the objective still pulls at such a variable.
static bool eliminate_free(Dictionary *d)
{
    bool unbounded = false;
    for (int j = 1; j < d->width; j++) {
        int row = 0, column = 0;
        if (column_kind(d, j) != KIND_FREE)
            continue;
        if (largest_entry(d, KIND_SLACK, j, &row, &column) > PIVOT_TOLERANCE) {
            pivot(d, row, column);
            continue;
        }
        unbounded |= fabs(row_of(d, d->rows)[j]) > PIVOT_TOLERANCE;
        d->kind[d->nonbasic[j]] = KIND_DEAD;
    }
    return unbounded;
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
        double ratio = fmax(row[0], 0) / -row[column];
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
        bool bland = stalled > d->rows + d->columns;
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

// Phase 1: the last column is the artificial variable a ≥ 0, added to every slack row; minimise a.
static SpragLpStatus make_feasible(Dictionary *d, int artificial)
{
    int worst = most_negative_row(d);
    int column = d->columns;
    double *phase1 = row_of(d, d->rows + 1);
    if (worst < 0) {
        d->kind[artificial] = KIND_DEAD;
        return SPRAG_LP_OPTIMAL;
    }
    for (int i = 0; i < d->rows; i++)
        if (row_kind(d, i) == KIND_SLACK)
            row_of(d, i)[column] = 1;
    phase1[column] = -1;
    pivot(d, worst, column);
    SpragLpStatus status = optimize(d, d->rows + 1, -0.1 * d->tolerance);
    if (status == SPRAG_LP_LIMIT)
        return status;
    if (row_of(d, d->rows + 1)[0] < -d->tolerance)
        return SPRAG_LP_INFEASIBLE;
    // if the artificial variable is still basic (at zero), exchange it against anything
    for (int i = 0; i < d->rows; i++) {
        if (d->basic[i] != artificial)
            continue;
        int best = 0;
        for (int j = 1; j < d->width; j++)
            if (column_kind(d, j) == KIND_SLACK &&
                (!best || fabs(row_of(d, i)[j]) > fabs(row_of(d, i)[best])))
                best = j;
        if (best && fabs(row_of(d, i)[best]) > PIVOT_TOLERANCE)
            pivot(d, i, best);
    }
    d->kind[artificial] = KIND_DEAD;
    return SPRAG_LP_OPTIMAL;
}

static double row_scale(const double *row, int n)
{
    double largest = 0;
    for (int j = 0; j < n; j++)
        largest = fmax(largest, fabs(row[j]));
    return largest > 0 ? 1 / largest : 1;
}

// Allocates the dictionary and fills it with s = b − A x and the objective; scales rows.
static bool fill(Dictionary *d, SpragArena *arena, const SpragLp *problem)
{
    int n = problem->variable_count;
    int m = problem->inequality_count + problem->equality_count;
    d->rows = m;
    d->columns = n + 1;
    d->width = n + 2;
    d->variable_count = n;
    d->T = sprag_arena_alloc(arena, (size_t)(m + 2) * (size_t)d->width, sizeof *d->T);
    d->basic = sprag_arena_alloc(arena, (size_t)m + 1, sizeof *d->basic);
    d->nonbasic = sprag_arena_alloc(arena, (size_t)d->width, sizeof *d->nonbasic);
    d->kind = sprag_arena_alloc(arena, (size_t)(n + m + 1), sizeof *d->kind);
    if (!d->T || !d->basic || !d->nonbasic || !d->kind)
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
    double scale = problem->c ? row_scale(problem->c, n) : 1;
    for (int j = 0; j < n; j++) {
        row_of(d, m)[j + 1] = problem->c ? problem->c[j] * scale : 0;
        d->nonbasic[j + 1] = j;
        d->kind[j] = KIND_FREE;
    }
    d->nonbasic[n + 1] = n + m;
    d->kind[n + m] = KIND_SLACK;
    d->pivots_left = 200 + 40L * (m + n);
    return true;
}

SpragStatus sprag_lp_solve(SpragArena *arena, const SpragLp *problem, double tolerance, double *x,
                           double *value, SpragLpStatus *status)
{
    int n = problem->variable_count;
    SpragArenaMark mark = sprag_arena_mark(arena);
    Dictionary d = {.tolerance = tolerance};
    if (!fill(&d, arena, problem)) {
        sprag_arena_release(arena, mark);
        return SPRAG_ERROR_MEMORY;
    }
    memset(x, 0, (size_t)n * sizeof *x);
    bool unbounded = false;
    *status = SPRAG_LP_INFEASIBLE;
    if (eliminate_equalities(&d)) {
        unbounded = eliminate_free(&d);
        *status = make_feasible(&d, n + d.rows);
    }
    if (*status == SPRAG_LP_OPTIMAL && problem->c)
        *status = unbounded ? SPRAG_LP_UNBOUNDED : optimize(&d, d.rows, INFINITY);
    for (int i = 0; i < d.rows; i++)
        if (d.basic[i] < n)
            x[d.basic[i]] = row_of(&d, i)[0];
    if (value) {
        *value = 0;
        for (int j = 0; problem->c && j < n; j++)
            *value += problem->c[j] * x[j];
    }
    sprag_arena_release(arena, mark);
    return SPRAG_OK;
}
