// lcp_all.c: every solution of an LCP.
//
// Problem   all z >= 0 with w = M z + q >= 0 and z'w = 0: isolated points and continua
// theory.md 3.2 Method    depth-first over the pairs: either z_i = 0 or w_i = 0. A node keeps all
// variables as affine
//           functions of the nonbasic ones that are left, y = q + T x, x ≥ 0, y ≥ 0. Setting a
//           nonbasic variable to zero drops its column; setting a basic one to zero is one
//           exchange, after which its column is dropped: so the table shrinks on the way down and a
//           leaf costs O(n), not O(n³). Columns are stored one by one and shared with the parent
//           where they do not change. A node is cut when a row shows y_i < 0 for all x ≥ 0, now or
//           after some dual simplex steps. A pair is decided without branching where a row shows
//           y_i > 0, or y_i ≡ 0. The branch w_i = 0 looks for z_i > 0 only, since the other one has
//           z_i = 0: so a degenerate point is met once, not once per basis. A leaf with columns
//           left is a polyhedron: its basis is singular, and nothing is lost.
// Assumes   nothing about M. The work can be 2^n; limits stop it, and `complete` says so. Powers of
//           two scale the problem first, so tolerances are relative
// Result    maximal convex sets (lcp_sets.c), in the order of the search
#include <math.h>
#include <string.h>
#include <time.h>

#include "lcp_all_internal.h"

// Coefficients below this are zero (the scaled matrix has entries of order one).
static const double COEFFICIENT_ZERO = 1e-11;
// Values above −this are not negative; below it they cut a node (the scaled q has largest entry 1).
static const double VALUE_NEGATIVE = 1e-9;
// Values below this are zero: far above rounding, far below VALUE_NEGATIVE.
static const double VALUE_ZERO = 1e-12;
// A diagonal pivot is taken if it is at least this × the largest of its row.
static const double DIAGONAL_PREFERENCE = 0.1;
// Subtrees of fewer pairs are searched faster than tested by simplex steps.
enum { SIMPLEX_FROM = 6, SEARCH_MAX_SIZE = 200, CLOCK_EVERY = 4096 };
enum { ALL_COOKIE = 0x4c434131 };

typedef enum Choice { CHOICE_OPEN, CHOICE_Z_ZERO, CHOICE_W_ZERO } Choice;

// One node's table. Rows whose variable is −1 are gone.
typedef struct Level {
    int column_count;
    double **columns; // borrowed from this level or one above
    int *column_variable;
    double *q;
    int *row_variable;
    double *storage; // what this level owns: its columns and q
} Level;

struct SpragLcpAll {
    SpragContext *context;
    SpragArena *arena;
    SpragLcpWorkspace *workspace; // solves and refines points
    LcpStore store;
    LcpCone cone;
    const SpragLcp *problem;
    SpragLcpAllSettings settings;
    int n, stride;
    double scale; // of q: z = column_scale z' scale
    double *row_scale, *column_scale;
    Level *levels;        // n + 1, and one for the simplex steps
    Choice *choice;       // per pair
    bool *strict;         // per pair: only z_i > 0 is wanted
    double *most, *least; // per row: largest and smallest coefficient
    double *cone_rows, *cone_scratch;
    int64_t nodes;
    double deadline;
    bool stopped, complete;
};

SpragLcpAllSettings sprag_lcp_all_default(void)
{
    SpragLcpAllSettings settings = {1e-9, 20000, 200000000, 0, 4096, ALL_COOKIE};
    return settings;
}

const char *sprag_lcp_verdict_name(SpragLcpVerdict verdict)
{
    static const char *const names[] = {
#define NAME(id, name) name,
        SPRAG_LCP_VERDICT_LIST(NAME)
#undef NAME
    };
    return (unsigned)verdict < SPRAG_LCP_VERDICT_COUNT ? names[verdict] : "?";
}

// ---- Tables -------------------------------------------------------------------------------------

static int row_of(const SpragLcpAll *all, const Level *level, int variable)
{
    for (int i = 0; i < all->n; i++)
        if (level->row_variable[i] == variable)
            return i;
    return -1;
}

static int column_of(const Level *level, int variable)
{
    for (int j = 0; j < level->column_count; j++)
        if (level->column_variable[j] == variable)
            return j;
    return -1;
}

static void drop_column(const SpragLcpAll *all, const Level *from, int dropped, Level *to)
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
static int pivot_column(const SpragLcpAll *all, const Level *level, int row)
{
    int variable = level->row_variable[row], best = -1;
    int partner = variable < all->n ? variable + all->n : variable - all->n;
    double largest = COEFFICIENT_ZERO, of_partner = 0;
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
    return of_partner > COEFFICIENT_ZERO && of_partner >= DIAGONAL_PREFERENCE * largest
               ? partner_column
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
static void exchange(const SpragLcpAll *all, const Level *from, int r, int s, bool keep, Level *to)
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
static bool set_zero(const SpragLcpAll *all, const Level *from, int variable, Level *to)
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
static void find_extremes(SpragLcpAll *all, const Level *level)
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
static bool is_cut(const SpragLcpAll *all, const Level *level)
{
    for (int i = 0; i < all->n; i++) {
        int variable = level->row_variable[i];
        if (all->most[i] > COEFFICIENT_ZERO || variable < 0)
            continue;
        if (level->q[i] < -VALUE_NEGATIVE)
            return true;
        if (variable >= all->n && all->strict[variable - all->n] && level->q[i] <= VALUE_ZERO)
            return true;
    }
    return false;
}

// Row with the most negative value; −1 if none is negative.
static int negative_row(const SpragLcpAll *all, const Level *level)
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
static bool relaxation_is_empty(SpragLcpAll *all, const Level *level)
{
    Level *tables = &all->levels[all->n + 1];
    int limit = 2 * level->column_count;
    for (int k = 0; k < limit; k++) {
        int row = negative_row(all, level), best = -1;
        if (row < 0)
            return false;
        for (int j = 0; j < level->column_count; j++)
            if (level->columns[j][row] > COEFFICIENT_ZERO &&
                (best < 0 || level->columns[j][row] > level->columns[best][row]))
                best = j;
        if (best < 0)
            return true;
        exchange(all, level, row, best, true, &tables[k % 2]);
        level = &tables[k % 2];
    }
    return false;
}

// ---- Leaves -------------------------------------------------------------------------------------

// Adds `value` of a variable of the scaled table to z or w.
static void put(const SpragLcpAll *all, int variable, double value, double *z, double *w)
{
    if (value < 0)
        value = 0;
    if (variable >= all->n)
        z[variable - all->n] = value * all->column_scale[variable - all->n] * all->scale;
    else
        w[variable] = value / all->row_scale[variable] * all->scale;
}

static void copy_basis(const SpragLcpAll *all, bool *basis)
{
    for (int i = 0; i < all->n; i++)
        basis[i] = all->choice[i] == CHOICE_W_ZERO;
}

// An isolated point: refined from its support with the problem's own numbers.
static SpragStatus add_point(SpragLcpAll *all, const Level *level)
{
    double *z, *w;
    bool *basis;
    size_t n = (size_t)all->n;
    SPRAG_TRY(lcp_store_open(&all->store, 1, 0, &z, &basis));
    w = z + n;
    memset(z, 0, 2 * n * sizeof *z);
    for (int i = 0; i < all->n; i++)
        if (level->row_variable[i] >= 0)
            put(all, level->row_variable[i], level->q[i], z, w);
    double residual = lcp_polish(all->workspace, all->problem, z);
    sprag_lcp_residual(all->problem, z, w);
    copy_basis(all, basis);
    if (residual <= all->settings.tolerance)
        lcp_store_add(&all->store, 1, 0, 0, residual);
    return SPRAG_OK;
}

// The point or ray of one generator y: variables as q y_0 + T y.
static void expand(const SpragLcpAll *all, const Level *level, const double *y, double *z,
                   double *w)
{
    double unit = y[0] > 0 ? 1 / y[0] : 1;
    for (int j = 0; j < level->column_count; j++)
        put(all, level->column_variable[j], y[j + 1] * unit, z, w);
    for (int i = 0; i < all->n; i++) {
        if (level->row_variable[i] < 0)
            continue;
        double value = y[0] > 0 ? level->q[i] : 0;
        for (int j = 0; j < level->column_count; j++)
            value += level->columns[j][i] * y[j + 1] * unit;
        put(all, level->row_variable[i], value, z, w);
    }
}

static void normalise_ray(size_t n, double *z, double *w)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(z[i]));
    for (size_t i = 0; largest > 0 && i < n; i++) {
        z[i] /= largest;
        w[i] /= largest;
    }
}

// Generators with a share of y_0 below this are rays.
static bool is_ray(const double *y)
{
    return y[0] <= COEFFICIENT_ZERO;
}

// Writes all vertices and rays; the worst residual of the vertices.
static double write_generators(SpragLcpAll *all, const Level *level, int vertex_count,
                               int ray_count, double *z)
{
    size_t n = (size_t)all->n, width = (size_t)all->cone.width;
    double *w = z + n * (size_t)vertex_count, *ray_z = w + n * (size_t)vertex_count;
    double *ray_w = ray_z + n * (size_t)ray_count, worst = 0;
    memset(z, 0, 2 * n * (size_t)(vertex_count + ray_count) * sizeof *z);
    for (int g = 0; g < all->cone.count; g++) {
        double *y = all->cone.generators + (size_t)g * width;
        if (is_ray(y)) {
            y[0] = 0;
            expand(all, level, y, ray_z, ray_w);
            normalise_ray(n, ray_z, ray_w);
            ray_z += n, ray_w += n;
        } else {
            expand(all, level, y, z, w);
            worst = fmax(worst, sprag_lcp_residual(all->problem, z, w));
            z += n, w += n;
        }
    }
    return worst;
}

// Fills cone_rows with the rows (q, T) that are not gone; their number.
static int fill_rows(SpragLcpAll *all, const Level *level)
{
    int width = level->column_count + 1, rows = 0;
    for (int i = 0; i < all->n; i++) {
        if (level->row_variable[i] < 0)
            continue;
        double *row = all->cone_rows + (size_t)rows++ * (size_t)width;
        row[0] = level->q[i];
        for (int j = 0; j < level->column_count; j++)
            row[j + 1] = level->columns[j][i];
    }
    return rows;
}

static SpragStatus add_polyhedron(SpragLcpAll *all, const Level *level)
{
    bool overflow, *basis;
    double *z;
    int vertices = 0, rays = 0, rows = fill_rows(all, level);
    all->cone.max_count = all->settings.max_generators;
    SPRAG_TRY(lcp_cone_build(&all->cone, level->column_count + 1, rows, all->cone_rows, &overflow));
    if (overflow) {
        all->complete = false;
        return SPRAG_OK;
    }
    for (int g = 0; g < all->cone.count; g++)
        if (is_ray(all->cone.generators + (size_t)g * (size_t)all->cone.width))
            rays++;
        else
            vertices++;
    if (vertices == 0)
        return SPRAG_OK;
    int dimension = lcp_cone_dimension(&all->cone, all->cone_scratch);
    SPRAG_TRY(lcp_store_open(&all->store, vertices, rays, &z, &basis));
    double residual = write_generators(all, level, vertices, rays, z);
    copy_basis(all, basis);
    if (residual <= all->settings.tolerance)
        lcp_store_add(&all->store, vertices, rays, dimension, residual);
    return SPRAG_OK;
}

static SpragStatus add_leaf(SpragLcpAll *all, const Level *level)
{
    SPRAG_TRY(level->column_count == 0 ? add_point(all, level) : add_polyhedron(all, level));
    if (all->store.set_count >= (size_t)all->settings.max_sets) {
        all->stopped = true;
        all->complete = false;
    }
    return SPRAG_OK;
}

// ---- The search ---------------------------------------------------------------------------------

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool out_of_limits(SpragLcpAll *all)
{
    all->nodes++;
    bool late = all->deadline > 0 && all->nodes % CLOCK_EVERY == 0 && now() > all->deadline;
    if (all->nodes > all->settings.max_nodes || late) {
        all->stopped = true;
        all->complete = false;
    }
    return all->stopped;
}

// The pair to decide next and the choices worth trying (bit 0: z = 0, bit 1: w = 0, bit 2: w = 0
// without asking for z > 0). −1: all are decided.
static int next_pair(const SpragLcpAll *all, const Level *level, int *choices)
{
    int n = all->n, pair = -1;
    for (int i = 0; i < n; i++) {
        int variable = level->row_variable[i], index = variable < n ? variable : variable - n;
        if (variable < 0 || all->choice[index] != CHOICE_OPEN)
            continue;
        bool w = variable < n;
        if (level->q[i] > VALUE_NEGATIVE && all->least[i] >= -COEFFICIENT_ZERO) {
            *choices = w ? 1 : 2;
            return index;
        }
        if (fabs(level->q[i]) <= VALUE_ZERO && all->most[i] <= COEFFICIENT_ZERO &&
            all->least[i] >= -COEFFICIENT_ZERO) {
            *choices = w ? 4 : 1;
            return index;
        }
    }
    for (int i = 0; i < n && pair < 0; i++)
        if (all->choice[i] == CHOICE_OPEN)
            pair = i;
    *choices = 3;
    return pair;
}

static SpragStatus search(SpragLcpAll *all, int depth, int open);

static SpragStatus branch(SpragLcpAll *all, int depth, int open, int pair, Choice choice,
                          bool strict)
{
    int variable = choice == CHOICE_Z_ZERO ? all->n + pair : pair;
    if (!set_zero(all, &all->levels[depth], variable, &all->levels[depth + 1]))
        return SPRAG_OK;
    all->choice[pair] = choice;
    all->strict[pair] = strict;
    SpragStatus status = search(all, depth + 1, open - 1);
    all->choice[pair] = CHOICE_OPEN;
    all->strict[pair] = false;
    return status;
}

static SpragStatus search(SpragLcpAll *all, int depth, int open)
{
    const Level *level = &all->levels[depth];
    if (out_of_limits(all))
        return SPRAG_OK;
    find_extremes(all, level);
    if (is_cut(all, level))
        return SPRAG_OK;
    if (open == 0)
        return add_leaf(all, level);
    int choices, pair = next_pair(all, level, &choices);
    if (choices == 3 && open >= SIMPLEX_FROM && relaxation_is_empty(all, level))
        return SPRAG_OK;
    if (choices & 6)
        SPRAG_TRY(branch(all, depth, open, pair, CHOICE_W_ZERO, (choices & 4) == 0));
    if ((choices & 1) && !all->stopped)
        SPRAG_TRY(branch(all, depth, open, pair, CHOICE_Z_ZERO, false));
    return SPRAG_OK;
}

// ---- Set-up -------------------------------------------------------------------------------------

SpragStatus sprag_lcp_all_create(SpragContext *context, SpragLcpAll **all)
{
    *all = NULL;
    SpragLcpAll *created = sprag_alloc(context, 1, sizeof *created);
    if (!created)
        return SPRAG_ERROR_MEMORY;
    created->context = created->store.context = created->cone.context = context;
    SpragStatus status = sprag_arena_create(context, 1 << 16, &created->arena);
    if (status == SPRAG_OK)
        status = sprag_lcp_workspace_create(context, &created->workspace);
    if (status != SPRAG_OK) {
        sprag_lcp_all_destroy(created);
        return status;
    }
    *all = created;
    return SPRAG_OK;
}

void sprag_lcp_all_destroy(SpragLcpAll *all)
{
    if (!all)
        return;
    lcp_store_destroy(&all->store);
    lcp_cone_destroy(&all->cone);
    sprag_lcp_workspace_destroy(all->workspace);
    sprag_arena_destroy(all->arena);
    sprag_free(all->context, all);
}

static bool carve_level(SpragLcpAll *all, Level *level, int columns)
{
    size_t n = (size_t)all->n, count = (size_t)columns;
    level->columns = sprag_arena_alloc(all->arena, count + 1, sizeof *level->columns);
    level->column_variable = sprag_arena_alloc(all->arena, count + 1, sizeof(int));
    level->row_variable = sprag_arena_alloc(all->arena, n, sizeof(int));
    level->storage =
        sprag_arena_alloc(all->arena, (count + 1) * (size_t)all->stride, sizeof(double));
    return level->columns && level->column_variable && level->row_variable && level->storage;
}

// A child never has more columns than its parent, and one less unless its row was redundant; those
// cases share the parent's columns, so storage for n − depth new columns suffices.
static SpragStatus carve(SpragLcpAll *all)
{
    size_t n = (size_t)all->n;
    double **vectors[] = {&all->row_scale, &all->column_scale, &all->most, &all->least};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        *vectors[k] = sprag_arena_alloc(all->arena, (size_t)all->stride, sizeof(double));
        if (!*vectors[k])
            return SPRAG_ERROR_MEMORY;
    }
    all->levels = sprag_arena_alloc(all->arena, n + 3, sizeof *all->levels);
    all->choice = sprag_arena_alloc(all->arena, n, sizeof *all->choice);
    all->strict = sprag_arena_alloc(all->arena, n, sizeof *all->strict);
    all->cone_rows = sprag_arena_alloc(all->arena, n * (n + 1), sizeof(double));
    all->cone_scratch = sprag_arena_alloc(all->arena, (n + 1) * (n + 1), sizeof(double));
    if (!all->levels || !all->choice || !all->strict || !all->cone_rows || !all->cone_scratch)
        return SPRAG_ERROR_MEMORY;
    for (int depth = 0; depth < all->n + 3; depth++)
        if (!carve_level(all, &all->levels[depth], all->n))
            return SPRAG_ERROR_MEMORY;
    return SPRAG_OK;
}

// The root: w in terms of z, scaled.
static void load(SpragLcpAll *all)
{
    const SpragLcp *problem = all->problem;
    size_t n = (size_t)all->n, stride = (size_t)all->stride;
    Level *root = &all->levels[0];
    lcp_equilibrate(problem, all->row_scale, all->column_scale);
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, all->row_scale[i] * fabs(problem->q[i]));
    all->scale = largest > 0 ? largest : 1;
    root->column_count = all->n;
    root->q = root->storage + n * stride;
    for (size_t j = 0; j < n; j++) {
        root->columns[j] = root->storage + j * stride;
        root->column_variable[j] = all->n + (int)j;
        root->row_variable[j] = (int)j;
        root->q[j] = all->row_scale[j] * problem->q[j] / all->scale;
        for (size_t i = 0; i < n; i++)
            root->columns[j][i] = all->row_scale[i] * problem->M[i * n + j] * all->column_scale[j];
    }
}

static SpragStatus check_settings(SpragLcpAll *all, const SpragLcpAllSettings *settings)
{
    if (settings->cookie != ALL_COOKIE)
        return sprag_fail(all->context, SPRAG_ERROR_ARGUMENT,
                          "settings must come from sprag_lcp_all_default");
    if (!(settings->tolerance > 0) || !isfinite(settings->tolerance) || settings->max_sets < 1 ||
        settings->max_nodes < 1 || !(settings->max_seconds >= 0) || settings->max_generators < 1)
        return sprag_fail(all->context, SPRAG_ERROR_INPUT,
                          "tolerance and limits of the search must be positive");
    return SPRAG_OK;
}

SpragStatus sprag_lcp_all_solve(SpragLcpAll *all, const SpragLcp *problem,
                                const SpragLcpAllSettings *settings)
{
    SpragLcpAllSettings chosen = settings ? *settings : sprag_lcp_all_default();
    SPRAG_TRY(check_settings(all, &chosen));
    SPRAG_TRY(sprag_lcp_check(all->context, problem));
    SPRAG_TRY(lcp_workspace_fit(all->workspace, problem->n));
    all->problem = problem;
    all->settings = chosen;
    all->n = problem->n;
    all->stride = (problem->n + 3) / 4 * 4;
    all->nodes = 0;
    all->stopped = false;
    all->complete = true;
    all->deadline = chosen.max_seconds > 0 ? now() + chosen.max_seconds : 0;
    double largest = 0;
    for (int i = 0; i < problem->n; i++)
        largest = fmax(largest, fabs(problem->q[i]));
    lcp_store_clear(&all->store, problem->n, chosen.tolerance * (1 + largest));
    if (problem->n > SEARCH_MAX_SIZE) {
        all->complete = false;
        return lcp_store_finish(&all->store);
    }
    SpragArenaMark mark = sprag_arena_mark(all->arena);
    SpragStatus status = carve(all);
    if (status == SPRAG_OK) {
        load(all);
        status = search(all, 0, all->n);
    }
    sprag_arena_release(all->arena, mark);
    return status == SPRAG_OK ? lcp_store_finish(&all->store) : status;
}

// ---- Answers ------------------------------------------------------------------------------------

int sprag_lcp_all_count(const SpragLcpAll *all)
{
    return (int)all->store.view_count;
}

const SpragLcpSet *sprag_lcp_all_get(const SpragLcpAll *all, int set)
{
    return set >= 0 && set < sprag_lcp_all_count(all) ? &all->store.views[set] : NULL;
}

bool sprag_lcp_all_complete(const SpragLcpAll *all)
{
    return all->complete;
}

int64_t sprag_lcp_all_nodes(const SpragLcpAll *all)
{
    return all->nodes;
}

SpragLcpVerdict sprag_lcp_all_verdict(const SpragLcpAll *all)
{
    int count = sprag_lcp_all_count(all);
    for (int k = 0; k < count; k++)
        if (all->store.views[k].dimension > 0)
            return SPRAG_LCP_VERDICT_INFINITE;
    if (count > 1)
        return SPRAG_LCP_VERDICT_MULTIPLE;
    if (!all->complete)
        return SPRAG_LCP_VERDICT_UNKNOWN;
    return count == 1 ? SPRAG_LCP_VERDICT_UNIQUE : SPRAG_LCP_VERDICT_NONE;
}
