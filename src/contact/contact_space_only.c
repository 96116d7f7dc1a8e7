// contact_space_only.c: whether a motion in space is the only one, told from the motion itself.
// Problem   (λ0, ξ0) solves the contact problem of an island; may another (λ, ξ) solve it, in
//           whatever mode?
// Method    theory.md (13.28): with η = ξ − ξ0, δ = λN − λ0N, and p_i = −λ0T/λ0N of contacts that
//           stick, μ d of those that slip, every other solution has for any κ > −1
//               |η|² + Σ δ_i (p_i·T_i + κ N_i) η ≤ 0
//           η is what the changes of forces make, η = Σ δ_i c_i + (a combination of tangents that
//           may stick). The least value over that combination is a quadratic form S in δ: where it
//           is definite but for δ that change nothing, η = 0
// Choice    forces that are left open share p: its shortest values that make the same motion and do
//           no work on forces that press against each other
// Assumes   no guides
#include <float.h>
#include <math.h>

#include "contact_space.h"
#include "sprag/numeric.h"

// Rows and changes of forces this small, relative to the others, are none.
static const double DEPENDENT = 1e-9, NOTHING = 1e-7;
// Equations of p hold to this; p is at most this much, or this many tolerances, beyond the cone.
static const double MET = 1e-9, EDGE = 10;
// What the form must leave, relative to its terms, and the rounding in its pivots.
static const double DEFINITE = 1e-6, PIVOT = 1e-13;
// A contact that carries less than this part of the largest force counts as if it carried that.
static const double LEAST_SHARE = 1e-9;
// More contacts would cost more than they save.
enum { MOST_CONTACTS = 64 };

typedef struct Only {
    const Reduced *reduced;
    const SpaceCell *cells;
    const double *force, *xi;
    int n;           // unilateral constraints
    int *constraint; // of each
    bool *free;      // p of it is open: it sticks
    double *p;       // 2 × n
    double *extra;   // n: what κ of a contact that leaves must be more for its p
    bool spread;     // p of contacts that leave is open too
    double *held;    // basis of the bilateral rows
    int held_count;
    double *rows;   // as F, bilateral rows taken out
    double *basis;  // of the tangents that may stick, orthonormal
    int tangents;   // their number
    double *across; // n × width: c_i off the tangents
    double *quiet;  // changes of n forces that make nothing off the tangents
    int quiet_count;
} Only;

// Adds what is new in a row to a basis; returns the number of its vectors.
static int grow_basis(double *basis, int count, int w, const double *row, double least)
{
    double *q = basis + count * w;
    for (int j = 0; j < w; j++)
        q[j] = row[j];
    double length = count < w ? space_take_out(basis, count, w, q) : 0;
    if (!(length > least))
        return count;
    for (int j = 0; j < w; j++)
        q[j] /= length;
    return count + 1;
}

static bool rubs(const Only *only, int c)
{
    const Reduced *reduced = only->reduced;
    return reduced_constraint(reduced, c)->row_count == 3 && reduced->friction[c] > 0;
}

// Whether the friction of a contact is that of its slip in every motion.
static bool has_slip(const Only *only, int c)
{
    const SpragConstraint *item = reduced_constraint(only->reduced, c);
    return rubs(only, c) && item->sliding && hypot(item->slip[0], item->slip[1]) > 0;
}

static const double *row_of(const Only *only, int c, int k)
{
    return only->rows + (size_t)(only->reduced->first[c] + k) * (size_t)only->reduced->width;
}

static SpragStatus allocate(Only *only)
{
    const Reduced *reduced = only->reduced;
    SpragArena *arena = reduced->arena;
    size_t n = (size_t)reduced->constraints + 1, w = (size_t)reduced->width + 1;
    only->constraint = sprag_arena_alloc(arena, n, sizeof *only->constraint);
    only->free = sprag_arena_alloc(arena, n, sizeof *only->free);
    only->p = sprag_arena_alloc(arena, 2 * n, sizeof(double));
    only->extra = sprag_arena_alloc(arena, n, sizeof(double));
    only->rows = sprag_arena_alloc(arena, ((size_t)reduced->rows + 1) * w, sizeof(double));
    only->basis = sprag_arena_alloc(arena, w * w, sizeof(double));
    only->held = sprag_arena_alloc(arena, w * w, sizeof(double));
    only->across = sprag_arena_alloc(arena, n * w, sizeof(double));
    only->quiet = sprag_arena_alloc(arena, n * n, sizeof(double));
    bool ok = only->constraint && only->free && only->p && only->extra && only->rows &&
              only->basis && only->held && only->across && only->quiet;
    return ok ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// Bilateral rows stay at rest in every motion: all others are taken off them.
static void find_rows(Only *only)
{
    const Reduced *reduced = only->reduced;
    int w = reduced->width;
    for (int c = 0; c < reduced->constraints; c++)
        if (reduced_constraint(reduced, c)->kind == SPRAG_CONSTRAINT_BILATERAL)
            only->held_count = grow_basis(only->held, only->held_count, w,
                                          reduced_row(reduced, reduced->first[c]), DEPENDENT);
        else
            only->constraint[only->n++] = c;
    for (int r = 0; r < reduced->rows; r++) {
        double *row = only->rows + r * w;
        for (int j = 0; j < w; j++)
            row[j] = reduced_row(reduced, r)[j];
        space_take_out(only->held, only->held_count, w, row);
    }
}

// Whether p of a contact that leaves is open.
static bool opens(const Only *only, int c)
{
    return only->spread && only->cells[c].kind == SPACE_SEPARATE && !has_slip(only, c);
}

// A contact that leaves with a0 and has another p than mu along its tangential acceleration asks
// for a larger κ, theory.md (13.30).
static double extra_of(const Only *only, int i)
{
    const Reduced *reduced = only->reduced;
    int c = only->constraint[i];
    double a[2], error, normal = reduced_acceleration(reduced, reduced->first[c], only->xi);
    space_tangential(reduced, c, only->xi, a, &error);
    double lacks = reduced->friction[c] * hypot(a[0], a[1]) - only->p[2 * i] * a[0] -
                   only->p[2 * i + 1] * a[1];
    return lacks > error ? lacks / fmax(normal, DBL_MIN) : 0;
}

// What is known of p: contacts that slip, or leave while their places move.
static void find_slips(Only *only)
{
    const Reduced *reduced = only->reduced;
    for (int i = 0; i < only->n; i++) {
        int c = only->constraint[i];
        const SpaceCell *cell = &only->cells[c];
        double *p = only->p + 2 * i, a[2], d[2] = {cell->d[0], cell->d[1]}, error;
        p[0] = p[1] = 0;
        only->extra[i] = 0;
        only->free[i] = rubs(only, c) && (cell->kind == SPACE_STICK || opens(only, c));
        if (!rubs(only, c) || only->free[i])
            continue;
        if (cell->kind == SPACE_SEPARATE) {
            const SpragConstraint *item = reduced_constraint(reduced, c);
            space_tangential(reduced, c, only->xi, a, &error);
            if (has_slip(only, c))
                space_direction(item->slip[0], item->slip[1], d);
            else if (hypot(a[0], a[1]) > error)
                space_direction(a[0], a[1], d);
            else
                d[0] = d[1] = 0;
        }
        for (int k = 0; k < 2; k++)
            p[k] = reduced->friction[c] * d[k];
    }
}

// p·T of one contact, added to y times a factor.
static void add_friction(const Only *only, int i, double factor, double *y)
{
    int w = only->reduced->width, c = only->constraint[i];
    if (!rubs(only, c))
        return;
    for (int k = 0; k < 2; k++) {
        const double *t = row_of(only, c, k + 1);
        for (int j = 0; j < w; j++)
            y[j] += factor * only->p[2 * i + k] * t[j];
    }
}

// The tangents that may stick, and the columns of the forces off them.
static void find_columns(Only *only)
{
    const Reduced *reduced = only->reduced;
    int w = reduced->width;
    for (int i = 0; i < only->n; i++)
        for (int k = 1; k < 3 && rubs(only, only->constraint[i]); k++)
            if (!has_slip(only, only->constraint[i]))
                only->tangents = grow_basis(only->basis, only->tangents, w,
                                            row_of(only, only->constraint[i], k), DEPENDENT);
    for (int i = 0; i < only->n; i++) {
        double *column = only->across + i * w;
        for (int j = 0; j < w; j++)
            column[j] = row_of(only, only->constraint[i], 0)[j];
        if (has_slip(only, only->constraint[i]))
            add_friction(only, i, -1, column);
        space_take_out(only->basis, only->tangents, w, column);
    }
}

// Changes of forces that make nothing but what friction may undo.
static SpragStatus find_quiet(Only *only)
{
    SpragArena *arena = only->reduced->arena;
    int n = only->n, w = only->reduced->width;
    double *X = sprag_arena_alloc(arena, (size_t)(w + 1) * (size_t)n + 1, sizeof *X);
    double *V = sprag_arena_alloc(arena, (size_t)n * (size_t)n + 1, sizeof *V);
    double *s = sprag_arena_alloc(arena, (size_t)n + 1, sizeof *s);
    if (!X || !V || !s)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < w; j++)
            X[j * n + i] = only->across[i * w + j];
    sprag_svd(w, n, X, s, V);
    for (int k = 0; k < n; k++) {
        if (s[k] > NOTHING * fmax(s[0], 1))
            continue;
        for (int i = 0; i < n; i++)
            only->quiet[only->quiet_count * n + i] = V[i * n + k];
        only->quiet_count++;
    }
    return SPRAG_OK;
}

// ---- Shares of friction -------------------------------------------------------------------------

// Linear equations for p of the contacts that stick, times sqrt of their shares: an orthonormal
// basis of their rows, and the shortest solution.
typedef struct Shares {
    int m, count;
    int *index; // of the contact, for every two unknowns
    double *weight;
    double *basis, *point;
    bool possible;
} Shares;

static SpragStatus open_shares(const Only *only, Shares *shares)
{
    const Reduced *reduced = only->reduced;
    SpragArena *arena = reduced->arena;
    size_t n = (size_t)only->n + 1;
    double largest = 0;
    *shares = (Shares){.possible = true};
    shares->index = sprag_arena_alloc(arena, n, sizeof *shares->index);
    shares->weight = sprag_arena_alloc(arena, n, sizeof(double));
    shares->basis = sprag_arena_alloc(arena, (2 * n + 1) * 2 * n, sizeof(double));
    shares->point = sprag_arena_alloc(arena, 2 * n, sizeof(double));
    if (!shares->index || !shares->weight || !shares->basis || !shares->point)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < only->n; i++)
        largest = fmax(largest, only->force[reduced->first[only->constraint[i]]]);
    for (int i = 0; i < only->n; i++) {
        double force = only->force[reduced->first[only->constraint[i]]];
        if (only->free[i]) {
            shares->weight[shares->m] = sqrt(fmax(force, LEAST_SHARE * largest));
            shares->index[shares->m++] = i;
        }
    }
    return SPRAG_OK;
}

// Σ factor_i T_i p_i of the sticking contacts, along one direction, is `wanted`; terms: what
// rounding of `wanted` is measured by.
static void add_equation(const Only *only, Shares *shares, const double *along,
                         const double *factor, double wanted, double terms)
{
    int w = only->reduced->width, size = 2 * shares->m;
    double *q = shares->basis + shares->count * size, length = 0;
    for (int s = 0; s < shares->m; s++) {
        int i = shares->index[s], c = only->constraint[i];
        for (int k = 0; k < 2; k++) {
            double entry = factor[i] * space_dot(row_of(only, c, k + 1), along, w);
            q[2 * s + k] = shares->weight[s] > 0 ? entry / shares->weight[s] : 0;
        }
    }
    length = sqrt(space_dot(q, q, size));
    double left = wanted - space_dot(q, shares->point, size);
    double rest = shares->count < size ? space_take_out(shares->basis, shares->count, size, q) : 0;
    if (!(rest > DEPENDENT * length)) {
        double reach = length * sqrt(space_dot(shares->point, shares->point, size));
        shares->possible &= fabs(left) <= MET * (terms + reach);
        return;
    }
    for (int j = 0; j < size; j++) {
        q[j] /= rest;
        shares->point[j] += q[j] * left / rest;
    }
    shares->count++;
}

// What normal forces and known frictions leave of the motion to the contacts that stick; *possible
// false: more than they can do.
static void find_wanted(const Only *only, double *factor, double *wanted, bool *possible)
{
    const Reduced *reduced = only->reduced;
    int w = reduced->width;
    double terms = 1, rest = 0;
    for (int j = 0; j < w; j++)
        wanted[j] = -only->xi[j];
    space_take_out(only->held, only->held_count, w, wanted);
    for (int i = 0; i < only->n; i++) {
        int c = only->constraint[i];
        factor[i] = only->force[reduced->first[c]];
        terms += fabs(factor[i]);
        for (int j = 0; j < w; j++)
            wanted[j] += factor[i] * row_of(only, c, 0)[j];
        if (!only->free[i])
            add_friction(only, i, -factor[i], wanted);
    }
    for (int j = 0; j < w; j++) {
        double off = wanted[j];
        for (int a = 0; a < only->tangents; a++)
            off -= space_dot(only->basis + a * w, wanted, w) * only->basis[a * w + j];
        rest += off * off;
    }
    *possible = sqrt(rest) <= MET * terms;
}

// Friction of the contacts that stick makes the motion.
static SpragStatus keep_motion(const Only *only, Shares *shares)
{
    const Reduced *reduced = only->reduced;
    int w = reduced->width;
    double *wanted = sprag_arena_alloc(reduced->arena, (size_t)w + 1, sizeof *wanted);
    double *factor = sprag_arena_alloc(reduced->arena, (size_t)only->n + 1, sizeof *factor);
    if (!wanted || !factor)
        return SPRAG_ERROR_MEMORY;
    find_wanted(only, factor, wanted, &shares->possible);
    double terms = 1 + sqrt(space_dot(wanted, wanted, w));
    for (int a = 0; a < only->tangents && shares->possible; a++) {
        const double *along = only->basis + a * w;
        add_equation(only, shares, along, factor, space_dot(along, wanted, w), terms);
    }
    return SPRAG_OK;
}

// Forces that press against each other do no work on p.
static SpragStatus keep_quiet(const Only *only, Shares *shares)
{
    int w = only->reduced->width;
    double *y = sprag_arena_alloc(only->reduced->arena, (size_t)w + 1, sizeof *y);
    if (!y)
        return SPRAG_ERROR_MEMORY;
    for (int k = 0; k < only->quiet_count; k++) {
        const double *delta = only->quiet + k * only->n;
        for (int j = 0; j < w; j++)
            y[j] = 0;
        for (int i = 0; i < only->n; i++)
            if (!only->free[i])
                add_friction(only, i, -delta[i], y);
        for (int a = 0; a < only->tangents && shares->possible; a++) {
            const double *along = only->basis + a * w;
            add_equation(only, shares, along, delta, space_dot(along, y, w), 1);
        }
    }
    return SPRAG_OK;
}

// p of the contacts that stick; *possible false: none that would do.
static SpragStatus share_friction(Only *only, bool *possible)
{
    const Reduced *reduced = only->reduced;
    Shares shares;
    SPRAG_TRY(open_shares(only, &shares));
    SPRAG_TRY(keep_motion(only, &shares));
    SPRAG_TRY(keep_quiet(only, &shares));
    *possible = shares.possible;
    for (int s = 0; s < shares.m && *possible; s++) {
        int i = shares.index[s];
        double *p = only->p + 2 * i, mu = reduced->friction[only->constraint[i]];
        for (int k = 0; k < 2; k++)
            p[k] = shares.weight[s] > 0 ? shares.point[2 * s + k] / shares.weight[s] : 0;
        *possible = hypot(p[0], p[1]) <= mu * (1 + fmax(EDGE * reduced->tolerance, MET));
        if (opens(only, only->constraint[i]))
            only->extra[i] = extra_of(only, i);
        *possible &= isfinite(only->extra[i]);
    }
    return SPRAG_OK;
}

// ---- The form -----------------------------------------------------------------------------------

// S = X⊥ᵀX⊥ + (Y⊥ᵀX⊥ + X⊥ᵀY⊥)/2 − Y_AᵀY_A/4, less a little of its terms. Y: n × width, along: what
// it has along the tangents, n × tangents.
static void fill_form(const Only *only, const double *Y, const double *along, double *S)
{
    int n = only->n, w = only->reduced->width, a = only->tangents;
    const double *X = only->across;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            // X is off the tangents, so that what Y has along them does not count
            double mixed =
                (space_dot(Y + i * w, X + k * w, w) + space_dot(X + i * w, Y + k * w, w)) / 2;
            S[i * n + k] = (1 - DEFINITE) * space_dot(X + i * w, X + k * w, w) + mixed -
                           (0.25 + DEFINITE) * space_dot(along + i * a, along + k * a, a);
        }
}

static SpragStatus is_definite(const Only *only, double kappa, bool *definite)
{
    SpragArena *arena = only->reduced->arena;
    int n = only->n, w = only->reduced->width;
    double *Y = sprag_arena_alloc(arena, (size_t)n * (size_t)w + 1, sizeof *Y);
    double *along = sprag_arena_alloc(arena, (size_t)n * (size_t)w + 1, sizeof *along);
    double *S = sprag_arena_alloc(arena, 2 * (size_t)n * (size_t)n + 1, sizeof *S);
    if (!Y || !along || !S)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < w; j++)
            Y[i * w + j] = (kappa + only->extra[i]) * row_of(only, only->constraint[i], 0)[j];
        add_friction(only, i, 1, Y + i * w);
        for (int a = 0; a < only->tangents; a++)
            along[i * only->tangents + a] = space_dot(only->basis + a * w, Y + i * w, w);
    }
    fill_form(only, Y, along, S);
    *definite = sprag_cholesky_semidefinite(n, S, PIVOT, S + n * n) >= 0;
    return SPRAG_OK;
}

// Friction of the contacts that stick as p has it: it makes the motion to rounding.
static void write_friction(const Only *only, double *force)
{
    for (int i = 0; i < only->n; i++) {
        int row = only->reduced->first[only->constraint[i]];
        for (int k = 0; k < 2 && only->free[i]; k++)
            force[row + 1 + k] = -only->p[2 * i + k] * force[row];
    }
}

// Whether one κ, with p of the contacts that leave as it is or open, proves it.
static SpragStatus try_shares(Only *only, bool *proved)
{
    static const double kappas[] = {0, 0.5, 2, 8};
    bool possible = true;
    only->tangents = only->quiet_count = 0;
    find_slips(only);
    find_columns(only);
    SPRAG_TRY(find_quiet(only));
    SPRAG_TRY(share_friction(only, &possible));
    for (size_t k = 0; k < sizeof kappas / sizeof *kappas && possible && !*proved; k++)
        SPRAG_TRY(is_definite(only, kappas[k], proved));
    return SPRAG_OK;
}

SpragStatus space_is_only(const Reduced *reduced, const SpaceCell *cells, const double *xi,
                          bool exact, double *force, bool *proved)
{
    Only only = {.reduced = reduced, .cells = cells, .force = force, .xi = xi};
    *proved = false;
    if (reduced->constraints > MOST_CONTACTS)
        return SPRAG_OK;
    for (int c = 0; c < reduced->constraints; c++)
        if (reduced_constraint(reduced, c)->kind == SPRAG_CONSTRAINT_GUIDE)
            return SPRAG_OK;
    SPRAG_TRY(allocate(&only));
    find_rows(&only);
    for (int spread = 0; spread < 2 && !*proved; spread++) {
        only.spread = spread;
        SPRAG_TRY(try_shares(&only, proved));
    }
    if (*proved && !exact)
        write_friction(&only, force);
    return SPRAG_OK;
}
