// lcp_all_search.c: the search for every solution of an LCP.
// Problem   all complementary choices, z_i = 0 or w_i = 0 of every pair, that have a point with
//           z >= 0 and w >= 0 (theory.md 3.2)
// Method    depth-first over the pairs. A node keeps all variables as affine functions of the
//           nonbasic ones that are left, y = q + T x, x ≥ 0, y ≥ 0. Setting a nonbasic variable
//           to zero drops its column; setting a basic one to zero is one exchange, after which
//           its column is dropped: so the table shrinks on the way down and a leaf costs O(n),
//           not O(n³). Columns are stored one by one and shared with the parent where they do not
//           change. A node is cut when a row shows y_i < 0 for all x ≥ 0, now or after some dual
//           simplex steps. A pair is decided without branching where a row shows y_i > 0, or
//           y_i ≡ 0. The branch w_i = 0 looks for z_i > 0 only, since the other one has z_i = 0: so
//           a degenerate point is met once, not once per basis
// Assumes   the scaled matrix and q have entries of order one
#include <math.h>
#include <string.h>
#include <time.h>

#include "lcp_all_internal.h"

// Values above −this are not negative; below it they cut a node (the scaled q has largest entry 1).
static const double VALUE_NEGATIVE = 1e-9;
// Values below this are zero: far above rounding, far below VALUE_NEGATIVE.
static const double VALUE_ZERO = 1e-12;
// A diagonal pivot is taken if it is at least this × the largest of its row.
static const double DIAGONAL_PREFERENCE = 0.1;
// Subtrees of fewer pairs are searched faster than tested by simplex steps.
enum { SIMPLEX_FROM = 6, CLOCK_EVERY = 4096 };

// ---- Tables -------------------------------------------------------------------------------------

static int row_of(const SpragLcpAll *all, const LcpLevel *level, int variable)
{
    for (int i = 0; i < all->n; i++)
        if (level->row_variable[i] == variable)
            return i;
    return -1;
}

static int column_of(const LcpLevel *level, int variable)
{
    for (int j = 0; j < level->column_count; j++)
        if (level->column_variable[j] == variable)
            return j;
    return -1;
}

static void drop_column(const SpragLcpAll *all, const LcpLevel *from, int dropped, LcpLevel *to)
{
    to->column_count = 0;
    for (int j = 0; j < from->column_count; j++)
        if (j != dropped) {
            to->columns[to->column_count] = from->columns[j];
            to->column_variable[to->column_count++] = from->column_variable[j];
        }
    to->q = from->q;
    memcpy(to->row_variable, from->row_variable, (size_t)all->n * sizeof *to->row_variable);
}

// Largest coefficient of a row, the complement's column preferred; −1 if all are zero.
static int pivot_column(const SpragLcpAll *all, const LcpLevel *level, int row)
{
    int variable = level->row_variable[row], best = -1;
    int partner = variable < all->n ? variable + all->n : variable - all->n;
    double largest = LCP_ALL_ZERO, of_partner = 0;
    int partner_column = -1;
    for (int j = 0; j < level->column_count; j++) {
        double size = fabs(level->columns[j][row]);
        if (level->column_variable[j] == partner) {
            of_partner = size;
            partner_column = j;
        }
        if (size > largest) {
            largest = size;
            best = j;
        }
    }
    return of_partner > LCP_ALL_ZERO && of_partner >= DIAGONAL_PREFERENCE * largest ? partner_column
                                                                                    : best;
}

// to = from − column s × factor off row r, and −factor in it.
static void eliminate(const SpragLcpAll *all, const double *from, const double *s, double factor,
                      int r, double *to)
{
    for (int i = 0; i < all->stride; i++)
        to[i] = from[i] - s[i] * factor;
    to[r] = -factor;
}

// Exchanges row r and column s. `keep`: the variable that leaves keeps a column; else it is zero.
static void exchange(const SpragLcpAll *all, const LcpLevel *from, int r, int s, bool keep,
                     LcpLevel *to)
{
    const double *pivot = from->columns[s];
    double inverse = 1 / pivot[r], *next = to->storage;
    size_t stride = (size_t)all->stride;
    int leaving = from->row_variable[r], entering = from->column_variable[s];
    to->column_count = 0;
    for (int j = 0; j < from->column_count; j++) {
        if (j == s && !keep)
            continue;
        if (j == s)
            for (size_t i = 0; i < stride; i++)
                next[i] = i == (size_t)r ? inverse : pivot[i] * inverse;
        else
            eliminate(all, from->columns[j], pivot, from->columns[j][r] * inverse, r, next);
        to->column_variable[to->column_count] = j == s ? leaving : from->column_variable[j];
        to->columns[to->column_count++] = next;
        next += stride;
    }
    eliminate(all, from->q, pivot, from->q[r] * inverse, r, next);
    to->q = next;
    memcpy(to->row_variable, from->row_variable, (size_t)all->n * sizeof *to->row_variable);
    to->row_variable[r] = entering;
}

// The table with a variable set to zero; false if that cannot be.
static bool set_zero(const SpragLcpAll *all, const LcpLevel *from, int variable, LcpLevel *to)
{
    int column = column_of(from, variable);
    if (column >= 0) {
        drop_column(all, from, column, to);
        return true;
    }
    int row = row_of(all, from, variable), pivot = pivot_column(all, from, row);
    if (pivot >= 0) {
        exchange(all, from, row, pivot, false, to);
        return true;
    }
    if (fabs(from->q[row]) > VALUE_NEGATIVE)
        return false;
    drop_column(all, from, -1, to);
    to->row_variable[row] = -1;
    return true;
}

// Largest and smallest coefficient of every row.
static void find_extremes(SpragLcpAll *all, const LcpLevel *level)
{
    int stride = all->stride;
    for (int i = 0; i < stride; i++)
        all->most[i] = all->least[i] = 0;
    for (int j = 0; j < level->column_count; j++) {
        const double *column = level->columns[j];
        for (int i = 0; i < stride; i++) {
            all->most[i] = column[i] > all->most[i] ? column[i] : all->most[i];
            all->least[i] = column[i] < all->least[i] ? column[i] : all->least[i];
        }
    }
}

// Whether a row shows that the table has no point x ≥ 0, y ≥ 0 with the strict ones positive.
static bool is_cut(const SpragLcpAll *all, const LcpLevel *level)
{
    for (int i = 0; i < all->n; i++) {
        int variable = level->row_variable[i];
        if (all->most[i] > LCP_ALL_ZERO || variable < 0)
            continue;
        if (level->q[i] < -VALUE_NEGATIVE)
            return true;
        if (variable >= all->n && all->strict[variable - all->n] && level->q[i] <= VALUE_ZERO)
            return true;
    }
    return false;
}

// Row with the most negative value; −1 if none is negative.
static int negative_row(const SpragLcpAll *all, const LcpLevel *level)
{
    double least = -VALUE_NEGATIVE;
    int row = -1;
    for (int i = 0; i < all->n; i++)
        if (level->row_variable[i] >= 0 && level->q[i] < least) {
            least = level->q[i];
            row = i;
        }
    return row;
}

// Dual simplex steps on a copy (two tables in turn) look for a point of the relaxation; true if
// they show that there is none. Undecided after a few steps: false.
static bool relaxation_is_empty(SpragLcpAll *all, const LcpLevel *level)
{
    LcpLevel *tables = &all->levels[all->n + 1];
    int limit = 2 * level->column_count;
    for (int k = 0; k < limit; k++) {
        int row = negative_row(all, level), best = -1;
        if (row < 0)
            return false;
        for (int j = 0; j < level->column_count; j++)
            if (level->columns[j][row] > LCP_ALL_ZERO &&
                (best < 0 || level->columns[j][row] > level->columns[best][row]))
                best = j;
        if (best < 0)
            return true;
        exchange(all, level, row, best, true, &tables[k % 2]);
        level = &tables[k % 2];
    }
    return false;
}

// ---- The search ---------------------------------------------------------------------------------

double lcp_all_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool out_of_limits(SpragLcpAll *all)
{
    all->nodes++;
    bool late = all->deadline > 0 && all->nodes % CLOCK_EVERY == 0 && lcp_all_now() > all->deadline;
    if (all->nodes > all->settings.max_nodes || late) {
        all->stopped = true;
        all->complete = false;
    }
    return all->stopped;
}

// The pair to decide next and the choices worth trying (bit 0: z = 0, bit 1: w = 0, bit 2: w = 0
// without asking for z > 0). −1: all are decided.
static int next_pair(const SpragLcpAll *all, const LcpLevel *level, int *choices)
{
    int n = all->n, pair = -1;
    for (int i = 0; i < n; i++) {
        int variable = level->row_variable[i], index = variable < n ? variable : variable - n;
        if (variable < 0 || all->choice[index] != LCP_CHOICE_OPEN)
            continue;
        bool w = variable < n;
        if (level->q[i] > VALUE_NEGATIVE && all->least[i] >= -LCP_ALL_ZERO) {
            *choices = w ? 1 : 2;
            return index;
        }
        if (fabs(level->q[i]) <= VALUE_ZERO && all->most[i] <= LCP_ALL_ZERO &&
            all->least[i] >= -LCP_ALL_ZERO) {
            *choices = w ? 4 : 1;
            return index;
        }
    }
    for (int i = 0; i < n && pair < 0; i++)
        if (all->choice[i] == LCP_CHOICE_OPEN)
            pair = i;
    *choices = 3;
    return pair;
}

static SpragStatus branch(SpragLcpAll *all, int depth, int open, int pair, LcpChoice choice,
                          bool strict)
{
    int variable = choice == LCP_CHOICE_Z_ZERO ? all->n + pair : pair;
    if (!set_zero(all, &all->levels[depth], variable, &all->levels[depth + 1]))
        return SPRAG_OK;
    all->choice[pair] = choice;
    all->strict[pair] = strict;
    SpragStatus status = lcp_all_search(all, depth + 1, open - 1);
    all->choice[pair] = LCP_CHOICE_OPEN;
    all->strict[pair] = false;
    return status;
}

SpragStatus lcp_all_search(SpragLcpAll *all, int depth, int open)
{
    const LcpLevel *level = &all->levels[depth];
    if (out_of_limits(all))
        return SPRAG_OK;
    find_extremes(all, level);
    if (is_cut(all, level))
        return SPRAG_OK;
    if (open == 0)
        return lcp_all_add_leaf(all, level);
    int choices, pair = next_pair(all, level, &choices);
    if (choices == 3 && open >= SIMPLEX_FROM && relaxation_is_empty(all, level))
        return SPRAG_OK;
    if (choices & 6)
        SPRAG_TRY(branch(all, depth, open, pair, LCP_CHOICE_W_ZERO, (choices & 4) == 0));
    if ((choices & 1) && !all->stopped)
        SPRAG_TRY(branch(all, depth, open, pair, LCP_CHOICE_Z_ZERO, false));
    return SPRAG_OK;
}
