// motion_share.c: how forces that the rows of a mode leave open are shared, where friction follows
// them and the motion with it.
// Problem   a box that slides on four corners has one force too many. Any of them fits as long as
//           all slips are alike; but a corner that would have to pull, of three that were chosen,
//           turns its friction around: what damps a spin, (13.27), then drives it
// Method    the least forces, those that pull counted as PULL times as long: λ = λ_p + Z z over the
//           null space Z of the rows, min Σ w_i λ_i² by Newton's method (w is 1 or PULL: a few
//           rounds). They depend continuously on the state, and where some forces press
//           everywhere, so do these but for 1/PULL, theory.md (13.27)
// Assumes   the factors of the chosen rows, from motion_modes.c
#include <float.h>
#include <math.h>
#include <string.h>

#include "motion_private.h"
#include "sprag/numeric.h"

static const double PULL = 1e4;
enum { MOST_ROUNDS = 20 };

// ---- Bearings -----------------------------------------------------------------------------------

// Whether friction of bearings follows forces that the rows leave open: then these are not chosen
// row by row, but the least ones, theory.md 9.5.
bool share_rubs_bearings(const SpragRun *run)
{
    const Frozen *f = &run->frozen;
    for (int i = 0; f->dependent && i < f->active_count; i++)
        if (f->bearing[i] && f->sliding[i] && modes_have_friction(run, i))
            return true;
    return false;
}

// The shortest x with D x = right over all unknowns, by singular values.
SpragStatus share_least(SpragRun *run)
{
    const double dependent = 1e-9;
    const Frozen *f = &run->frozen;
    Evaluation *e = &run->now;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    int k = f->unknown_count;
    size_t n = (size_t)k;
    double *D = sprag_arena_alloc(run->arena, 2 * n * n + 2 * n + 1, sizeof *D);
    if (!D)
        return SPRAG_ERROR_MEMORY;
    double *V = D + n * n, *s = V + n * n, *right = s + n;
    for (int i = 0; i < k; i++) {
        int r = f->unknowns[i].row;
        // what nothing moves is rounding, and has no force
        double scale = modes_row_moves(run, &f->unknowns[i])
                           ? 1 / sqrt(fmax(e->W[r * (f->row_count + 1)], DBL_MIN))
                           : 0;
        for (int j = 0; j < k; j++)
            D[i * k + j] = modes_row_moves(run, &f->unknowns[j])
                               ? scale * modes_entry(run, e->W + r * f->row_count, &f->unknowns[j])
                               : 0;
        right[i] = -scale * (e->b[r] + e->load[r]);
    }
    sprag_svd(k, k, D, s, V);
    memset(e->x, 0, n * sizeof *e->x);
    for (int c = 0; c < k && s[c] > dependent * s[0]; c++) {
        double along = 0;
        for (int i = 0; i < k; i++)
            along += D[i * k + c] * right[i];
        for (int i = 0; i < k; i++)
            e->x[i] += V[i * k + c] * along / (s[c] * s[c]);
    }
    e->determinant = 1;
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// ---- Slips in space -----------------------------------------------------------------------------

bool share_turns_slips(const SpragRun *run)
{
    const Frozen *f = &run->frozen;
    for (int i = 0; run->tangents == 2 && f->dependent && i < f->active_count; i++)
        if (!f->bearing[i] && !f->soft[i] && modes_have_friction(run, i) &&
            (f->sliding[i] || sprag_friction_law_is_smooth(&run->law[f->active[i]])))
            return true;
    return false;
}

// λ = base + Z z over the unknowns: n of them, of which `free` are not among the chosen ones.
typedef struct Share {
    int n, free;
    double *base, *Z;       // n, n × free
    double *weights, *last; // n
    double *A, *right, *z;  // free × free, free
    double *column;         // of the chosen rows
    int *rows, *columns;
} Share;

static bool allocate(SpragRun *run, Share *s)
{
    s->n = run->frozen.unknown_count;
    s->free = s->n - run->frozen.solved_count;
    size_t n = (size_t)s->n, p = (size_t)s->free;
    s->base = sprag_arena_alloc(run->arena, n * p + p * p + 4 * n + 2 * p, sizeof *s->base);
    s->rows = sprag_arena_alloc(run->arena, 2 * p, sizeof *s->rows);
    if (!s->base || !s->rows)
        return false;
    s->Z = s->base + n;
    s->weights = s->Z + n * p;
    s->last = s->weights + n;
    s->column = s->last + n;
    s->A = s->column + n;
    s->right = s->A + p * p;
    s->z = s->right + p;
    s->columns = s->rows + p;
    return true;
}

// D x = right for the chosen rows; a single one is not factored.
static void solve_chosen(const SpragRun *run, const double *right, double *x)
{
    const Evaluation *e = &run->now;
    int k = run->frozen.solved_count;
    if (k == 1)
        x[0] = right[0] / e->D[0];
    else if (k > 1)
        sprag_lu_solve(k, e->D, e->permutation, e->permutation + k, right, x);
}

// The forces of the chosen rows, and what each other force does to them.
static void find_null_space(SpragRun *run, Share *s)
{
    const Frozen *f = &run->frozen;
    Evaluation *e = &run->now;
    int k = f->solved_count, c = 0;
    double *x = s->last;
    memset(s->base, 0, (size_t)s->n * sizeof *s->base);
    memset(s->Z, 0, (size_t)s->n * (size_t)s->free * sizeof *s->Z);
    memset(s->weights, 0, (size_t)s->n * sizeof *s->weights);
    for (int i = 0; i < k; i++) {
        s->base[f->solved[i]] = e->x[i];
        s->weights[f->solved[i]] = 1;
    }
    for (int j = 0; j < s->n; j++) {
        if (s->weights[j] > 0)
            continue;
        for (int i = 0; i < k; i++)
            s->column[i] = modes_entry(run, e->W + f->unknowns[f->solved[i]].row * f->row_count,
                                       &f->unknowns[j]);
        solve_chosen(run, s->column, x);
        for (int i = 0; i < k; i++)
            s->Z[f->solved[i] * s->free + c] = -x[i];
        s->Z[j * s->free + c++] = 1;
    }
}

// Zᵀ w Z z = −Zᵀ w base, and λ in x. False: it is singular.
static bool minimise(Share *s, double *x)
{
    int p = s->free;
    memset(s->A, 0, (size_t)p * (size_t)p * sizeof *s->A);
    memset(s->right, 0, (size_t)p * sizeof *s->right);
    for (int i = 0; i < s->n; i++) {
        const double *row = s->Z + (size_t)i * (size_t)p;
        for (int a = 0; a < p; a++) {
            double part = s->weights[i] * row[a];
            s->right[a] -= part * s->base[i];
            for (int b = 0; b < p && part != 0; b++)
                s->A[a * p + b] += part * row[b];
        }
    }
    if (sprag_lu_factor(p, s->A, 0, s->rows, s->columns, NULL) < p)
        return false;
    sprag_lu_solve(p, s->A, s->rows, s->columns, s->right, s->z);
    for (int i = 0; i < s->n; i++) {
        x[i] = s->base[i];
        for (int a = 0; a < p; a++)
            x[i] += s->Z[i * p + a] * s->z[a];
    }
    return true;
}

// Weights of the forces x; false: they are what they were.
static bool weigh(const SpragRun *run, Share *s, const double *x)
{
    const Frozen *f = &run->frozen;
    bool changed = false;
    for (int i = 0; i < s->n; i++) {
        const Unknown *u = &f->unknowns[i];
        bool pulls = x[i] < 0 && !u->tangential && !f->bearing[u->contact];
        double weight = pulls ? PULL : 1;
        changed |= weight != s->weights[i];
        s->weights[i] = weight;
    }
    return changed;
}

SpragStatus share_pressed(SpragRun *run)
{
    Frozen *f = &run->frozen;
    Share s;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    if (!allocate(run, &s))
        return SPRAG_ERROR_MEMORY;
    find_null_space(run, &s);
    for (int i = 0; i < s.n; i++)
        s.weights[i] = 1;
    bool found = false;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        if (!minimise(&s, s.last))
            break;
        found = true;
        if (!weigh(run, &s, s.last))
            break;
    }
    if (found) {
        memcpy(run->now.x, s.last, (size_t)s.n * sizeof *s.last);
        f->least = true;
    }
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}
