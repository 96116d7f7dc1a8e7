// contact_space_start.c: the motions of a mode in which no contact, or one, starts to slip.
// Problem   with every other row eliminated, a = G λ + b for the starting contact, λ = x (σ, −μ d):
//               A(χ) x + b_N = 0,  q(χ) x + d⊥·b_T = 0,  A = σ G_NN − μ G_NT·d,
//               q = d⊥·(σ G_TN − μ H d)                                    theory.md (13.12)
// Method    x is eliminated; what is left is a trigonometric polynomial of degree two in χ, whose
//           zeros are found completely; Newton's method on (x, χ) takes the rounding out
// Assumes   that the other rows have regular equations; else *decided is false
#include <math.h>

#include "contact_space.h"
#include "sprag/numeric.h"

// Coefficients below this, relative to their terms, vanish: every direction solves the equation.
static const double IDENTICAL = 1e-12;
// The equations of a direction hold to this, relative to their terms.
static const double SOLVED = 1e-8;
enum { SAMPLES = 72, NEWTON_STEPS = 4 };

// ---- No contact starts --------------------------------------------------------------------------

// D = Q C and right = Q ξ₀ (count × n, count).
static SpragStatus build_system(const SpaceMode *mode, const Span *span, double **D, double **right)
{
    const Reduced *reduced = mode->reduced;
    int m = span->count, n = mode->n, w = reduced->width;
    *D = sprag_arena_alloc(reduced->arena, (size_t)m * (size_t)n + 1, sizeof **D);
    *right = sprag_arena_alloc(reduced->arena, (size_t)m + 1, sizeof **right);
    if (!*D || !*right)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < m; i++) {
        const double *q = span->basis + (size_t)i * (size_t)w;
        for (int j = 0; j < w; j++) {
            (*right)[i] += q[j] * span->point[j];
            for (int k = 0; k < n; k++)
                (*D)[i * n + k] += q[j] * mode->column[k * w + j];
        }
    }
    return SPRAG_OK;
}

typedef struct Factors {
    int n;
    bool regular;
    double *LU;
    int *rows, *columns;
} Factors;

static SpragStatus factor(const SpaceMode *mode, int m, const double *D, Factors *f)
{
    const Reduced *reduced = mode->reduced;
    int n = mode->n, w = reduced->width;
    double longest = 0;
    *f = (Factors){.n = n};
    if (m != n)
        return SPRAG_OK;
    f->LU = sprag_arena_alloc(reduced->arena, (size_t)n * (size_t)n + 1, sizeof *f->LU);
    f->rows = sprag_arena_alloc(reduced->arena, 2 * (size_t)n + 1, sizeof *f->rows);
    if (!f->LU || !f->rows)
        return SPRAG_ERROR_MEMORY;
    f->columns = f->rows + n;
    for (int i = 0; i < n * n; i++)
        f->LU[i] = D[i];
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < w; j++)
            sum += mode->column[i * w + j] * mode->column[i * w + j];
        longest = fmax(longest, sum);
    }
    double threshold = reduced->singular * sqrt(longest);
    f->regular = sprag_lu_factor(n, f->LU, threshold, f->rows, f->columns, NULL) == n;
    return SPRAG_OK;
}

// Whether forces act along equality rows only: then the motion is the point of the span.
static bool is_symmetric(const SpaceMode *mode)
{
    for (int c = 0; c < mode->reduced->constraints; c++)
        if (mode->cells[c].kind == SPACE_SLIDE)
            return false;
    return true;
}

// Number of independent directions in which the motion varies over the set.
static SpragStatus count_directions(ConeSet *set, int *dimension)
{
    const SpaceMode *mode = set->mode;
    SpragArena *arena = mode->reduced->arena;
    int w = mode->reduced->width, d = set->d, n = set->n;
    double *M = sprag_arena_alloc(arena, (size_t)w * (size_t)d + 1, sizeof *M);
    double *V = sprag_arena_alloc(arena, (size_t)d * (size_t)d + 1, sizeof *V);
    double *s = sprag_arena_alloc(arena, 2 * (size_t)d + 1, sizeof *s), *c = s + d;
    if (!M || !V || !s)
        return SPRAG_ERROR_MEMORY;
    for (int j = 0; j < w; j++)
        for (int k = 0; k < d; k++)
            for (int i = 0; i < n; i++)
                M[j * d + k] += mode->column[i * w + j] * set->null[k * n + i];
    sprag_svd(w, d, M, s, V);
    double width = mode->reduced->width_tolerance;
    *dimension = 0;
    for (int k = 0; k < d && s[k] > width; k++) {
        double up, down;
        for (int i = 0; i < d; i++)
            c[i] = V[i * d + k];
        SPRAG_TRY(cone_set_maximize(set, c, &up, NULL));
        for (int i = 0; i < d; i++)
            c[i] = -c[i];
        SPRAG_TRY(cone_set_maximize(set, c, &down, NULL));
        *dimension += up + down > width;
    }
    return SPRAG_OK;
}

// D x = right has many solutions, or perhaps none.
static SpragStatus solve_singular(SpaceMode *mode, int m, const double *D, const double *right,
                                  SpaceResult *result, bool *found)
{
    ConeSet set;
    SPRAG_TRY(cone_set_solve(mode, m, D, right, true, &set));
    *found = set.feasible;
    if (!*found)
        return SPRAG_OK;
    space_mode_motion(mode, set.x, result->xi);
    *found = space_mode_moves(mode, result->xi);
    SPRAG_TRY(count_directions(&set, &result->dimension));
    return SPRAG_OK;
}

SpragStatus space_solve_linear(SpaceMode *mode, const Span *span, SpaceKeep *keep, void *user)
{
    SpragArena *arena = mode->reduced->arena;
    int w = mode->reduced->width;
    SpaceResult result = {0};
    Factors factors;
    double *D, *right;
    bool found;
    space_mode_fill(mode);
    result.xi = sprag_arena_alloc(arena, (size_t)w + 1, sizeof(double));
    result.x = sprag_arena_alloc(arena, (size_t)mode->n + 1, sizeof(double));
    if (!result.xi || !result.x)
        return SPRAG_ERROR_MEMORY;
    if (span->count < mode->n && is_symmetric(mode)) {
        for (int j = 0; j < w; j++)
            result.xi[j] = span->point[j];
        return space_mode_moves(mode, result.xi) ? keep(user, mode, &result) : SPRAG_OK;
    }
    SPRAG_TRY(build_system(mode, span, &D, &right));
    SPRAG_TRY(factor(mode, span->count, D, &factors));
    if (factors.regular) {
        sprag_lu_solve(mode->n, factors.LU, factors.rows, factors.columns, right, result.x);
        space_mode_motion(mode, result.x, result.xi);
        result.regular = true;
        found = space_mode_admits(mode, result.x, result.xi);
    } else {
        SPRAG_TRY(solve_singular(mode, span->count, D, right, &result, &found));
    }
    return found ? keep(user, mode, &result) : SPRAG_OK;
}

// ---- One contact starts -------------------------------------------------------------------------

typedef struct Start {
    SpaceMode *mode;
    int constraint;
    double mu, sigma;
    double G[3][3], b[3]; // of the starting contact, all other rows eliminated
    SpaceMode others;
    double *response; // 4 × others.n: forces of the others at λ = 0, and per unit of λ
    double *x;        // unknowns of the mode
    SpaceResult result;
} Start;

// Others: the same mode without the starting contact. *possible false: their rows contradict.
static SpragStatus find_others(Start *start, Span *span, bool *possible)
{
    const Reduced *reduced = start->mode->reduced;
    size_t constraints = (size_t)reduced->constraints + 1;
    SpaceCell *cells = sprag_arena_alloc(reduced->arena, constraints, sizeof *cells);
    if (!cells)
        return SPRAG_ERROR_MEMORY;
    for (int c = 0; c < reduced->constraints; c++)
        cells[c] = start->mode->cells[c];
    cells[start->constraint].kind = SPACE_SEPARATE;
    SPRAG_TRY(space_mode_create(reduced, cells, &start->others));
    space_mode_fill(&start->others);
    SPRAG_TRY(span_create(reduced, span));
    for (int c = 0; c < reduced->constraints && *possible; c++)
        *possible = span_add_cell(reduced, span, c, &cells[c]);
    return SPRAG_OK;
}

// G, b and the response of the others; *regular false: theirs are not unique.
static SpragStatus eliminate(Start *start, const Span *span, bool *regular)
{
    const Reduced *reduced = start->mode->reduced;
    SpragArena *arena = reduced->arena;
    int m = start->others.n, w = reduced->width, first = reduced->first[start->constraint];
    Factors factors;
    double *D, *right;
    double *load = sprag_arena_alloc(arena, (size_t)m + 1, sizeof *load);
    double *xi = sprag_arena_alloc(arena, (size_t)w + 1, sizeof *xi);
    start->response = sprag_arena_alloc(arena, 4 * (size_t)m + 1, sizeof(double));
    if (!load || !xi || !start->response)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(build_system(&start->others, span, &D, &right));
    SPRAG_TRY(factor(&start->others, span->count, D, &factors));
    *regular = factors.regular;
    for (int k = 0; k < 4 && *regular; k++) {
        const double *f = k > 0 ? reduced_row(reduced, first + k - 1) : NULL;
        double *x = start->response + (size_t)k * (size_t)m;
        for (int i = 0; i < m; i++) {
            load[i] = f ? 0 : right[i];
            for (int j = 0; f && j < w; j++)
                load[i] -= span->basis[i * w + j] * f[j];
        }
        sprag_lu_solve(m, factors.LU, factors.rows, factors.columns, load, x);
        space_mode_motion(&start->others, x, xi);
        for (int r = 0; r < 3; r++) {
            double sum = f ? 0 : reduced->b[first + r];
            for (int j = 0; j < w; j++)
                sum += reduced_row(reduced, first + r)[j] * (xi[j] + (f ? f[j] : 0));
            if (k > 0)
                start->G[r][k - 1] = sum;
            else
                start->b[r] = sum;
        }
    }
    return SPRAG_OK;
}

// The two equations and their derivatives at direction χ.
typedef struct Equations {
    double A, dA, q, dq, r, dr;
} Equations;

static Equations equations_at(const Start *start, const double d[2])
{
    const double(*G)[3] = start->G;
    double mu = start->mu, p[2] = {-d[1], d[0]}, column[2], turned[2];
    for (int k = 0; k < 2; k++) {
        column[k] = start->sigma * G[k + 1][0] - mu * (G[k + 1][1] * d[0] + G[k + 1][2] * d[1]);
        turned[k] = -mu * (G[k + 1][1] * p[0] + G[k + 1][2] * p[1]);
    }
    return (Equations){
        .A = start->sigma * G[0][0] - mu * (G[0][1] * d[0] + G[0][2] * d[1]),
        .dA = -mu * (G[0][1] * p[0] + G[0][2] * p[1]),
        .q = p[0] * column[0] + p[1] * column[1],
        .dq = p[0] * turned[0] + p[1] * turned[1] - d[0] * column[0] - d[1] * column[1],
        .r = p[0] * start->b[1] + p[1] * start->b[2],
        .dr = -d[0] * start->b[1] - d[1] * start->b[2],
    };
}

// x from both equations at once: where A and b_N vanish together the other one knows it.
static double force_at(const Equations *e, double b_N)
{
    double square = e->A * e->A + e->q * e->q;
    return square > 0 ? -(e->A * b_N + e->q * e->r) / square : 0;
}

// Newton's method on (x, χ), kept while it makes the equations better.
static double polish(const Start *start, double chi)
{
    double b_N = start->b[0], best = INFINITY, kept = chi, x = 0;
    for (int i = 0; i < NEWTON_STEPS; i++) {
        double d[2] = {cos(chi), sin(chi)};
        Equations e = equations_at(start, d);
        if (i == 0)
            x = force_at(&e, b_N);
        double f1 = e.A * x + b_N, f2 = e.q * x + e.r, error = fabs(f1) + fabs(f2);
        if (!(error < best))
            break;
        best = error;
        kept = chi;
        double a12 = e.dA * x, a22 = e.dq * x + e.dr, det = e.A * a22 - a12 * e.q;
        if (!(fabs(det) > 1e-12 * (fabs(e.A * a22) + fabs(a12 * e.q))))
            break;
        x -= (a22 * f1 - a12 * f2) / det;
        chi -= (e.A * f2 - e.q * f1) / det;
    }
    return kept;
}

// Whether direction χ gives a motion of the mode; its forces and ξ are in the result then.
static bool try_direction(Start *start, double chi)
{
    SpaceMode *mode = start->mode;
    double d[2] = {cos(chi), sin(chi)}, b_N = start->b[0];
    Equations e = equations_at(start, d);
    double x = force_at(&e, b_N);
    if (!(fabs(e.A * x + b_N) <= SOLVED * (fabs(e.A * x) + fabs(b_N))) &&
        !(fabs(e.A * x + b_N) <= mode->reduced->tolerance))
        return false;
    if (!(fabs(e.q * x + e.r) <= SOLVED * (1 + fabs(x))))
        return false;
    double lambda[3] = {start->sigma * x, -start->mu * d[0] * x, -start->mu * d[1] * x};
    int m = start->others.n, other = 0;
    mode->cells[start->constraint].d[0] = d[0];
    mode->cells[start->constraint].d[1] = d[1];
    space_mode_fill(mode);
    for (int i = 0; i < mode->n; i++) {
        if (mode->constraint[i] == start->constraint) {
            start->result.x[i] = x;
            continue;
        }
        start->result.x[i] = start->response[other];
        for (int k = 0; k < 3; k++)
            start->result.x[i] += lambda[k] * start->response[(k + 1) * m + other];
        other++;
    }
    space_mode_motion(mode, start->result.x, start->result.xi);
    return space_mode_admits(mode, start->result.x, start->result.xi);
}

// Coefficients of b_N q − A r as a trigonometric polynomial; false: it vanishes identically.
static bool resultant(const Start *start, double c[5])
{
    const double(*G)[3] = start->G;
    double mu = start->mu, s = start->sigma, b_N = start->b[0], b_T = start->b[1],
           b_O = start->b[2];
    double H_TT = G[1][1], H_TO = G[1][2], H_OT = G[2][1], H_OO = G[2][2];
    // q = s (−sin G_TN + cos G_ON) − μ (−sin cos H_TT − sin² H_TO + cos² H_OT + cos sin H_OO)
    c[0] = -mu * b_N * (H_OT - H_TO) / 2;
    c[1] = b_N * s * G[2][0];
    c[2] = -b_N * s * G[1][0];
    c[3] = -mu * b_N * (H_OT + H_TO) / 2;
    c[4] = -mu * b_N * (H_OO - H_TT) / 2;
    // A r = (s G_NN − μ (G_NT cos + G_NO sin)) (−b_T sin + b_O cos)
    c[0] += mu * (G[0][1] * b_O - G[0][2] * b_T) / 2;
    c[1] -= s * G[0][0] * b_O;
    c[2] += s * G[0][0] * b_T;
    c[3] += mu * (G[0][1] * b_O + G[0][2] * b_T) / 2;
    c[4] += mu * (G[0][2] * b_O - G[0][1] * b_T) / 2;
    double tangents = fabs(H_TT) + fabs(H_TO) + fabs(H_OT) + fabs(H_OO);
    double size = fabs(b_N) * (fabs(G[1][0]) + fabs(G[2][0]) + mu * tangents) +
                  (fabs(b_T) + fabs(b_O)) * (fabs(G[0][0]) + mu * (fabs(G[0][1]) + fabs(G[0][2])));
    double largest = 0;
    for (int i = 0; i < 5; i++)
        largest = fmax(largest, fabs(c[i]));
    return largest > IDENTICAL * size;
}

static SpragStatus allocate(Start *start)
{
    SpragArena *arena = start->mode->reduced->arena;
    size_t width = (size_t)start->mode->reduced->width, rows = (size_t)start->mode->reduced->rows;
    start->result.xi = sprag_arena_alloc(arena, width + 1, sizeof(double));
    start->result.x = sprag_arena_alloc(arena, rows + 1, sizeof(double));
    return start->result.xi && start->result.x ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// Every direction solves the equation: one admissible motion stands for the continuum.
static SpragStatus solve_continuum(Start *start, SpaceKeep *keep, void *user)
{
    for (int i = 0; i < SAMPLES; i++) {
        if (!try_direction(start, i * (8 * atan(1) / SAMPLES)))
            continue;
        start->result.dimension = 1;
        start->result.regular = true;
        return keep(user, start->mode, &start->result);
    }
    return SPRAG_OK;
}

SpragStatus space_solve_start(SpaceMode *mode, const Span *all, int start_constraint,
                              SpaceKeep *keep, void *user, bool *decided)
{
    const Reduced *reduced = mode->reduced;
    Start start = {.mode = mode, .constraint = start_constraint};
    Span span;
    bool possible = true, regular = true;
    double c[5], roots[TRIGONOMETRIC_ROOTS];
    start.mu = reduced->friction[start_constraint];
    start.sigma = mode->cells[start_constraint].sigma;
    SPRAG_TRY(find_others(&start, &span, &possible));
    if (!possible)
        return SPRAG_OK;
    SPRAG_TRY(eliminate(&start, &span, &regular));
    // a normal that the others determine leaves the force open, and the equations without a say
    if (!regular || all->count < start.others.n + 1) {
        *decided = false;
        return SPRAG_OK;
    }
    if (!resultant(&start, c)) {
        SPRAG_TRY(allocate(&start));
        return solve_continuum(&start, keep, user);
    }
    int count = trigonometric_roots(c, roots);
    for (int i = 0; i < count; i++) {
        SPRAG_TRY(allocate(&start)); // a motion that is kept keeps them
        start.result.regular = true;
        if (try_direction(&start, polish(&start, roots[i])))
            SPRAG_TRY(keep(user, mode, &start.result));
    }
    return SPRAG_OK;
}
