// contact_space_relax.c: a linear program that every motion of a (partial) mode satisfies.
// Problem   forces in polyhedra around their cones, accelerations with the signs of the mode. A
//           starting contact whose direction lies in a sector has its friction in the triangle
//           around the arc, and its acceleration in the sector
// Method    the strict signs are pushed apart as far as they go
#include <math.h>

#include "contact_space.h"
#include "sprag/complementarity.h"

enum { SIDES = 4 };
// Strict signs that cannot be told from zero by the programs.
static const double STRICT = 1e-9;

typedef struct Relaxation {
    const SpaceMode *mode;
    const Span *span;
    int variables; // unknowns of the mode, and how far the strict signs are apart
    int rows;
    double *A, *b;
    bool strict; // some sign is
} Relaxation;

// A new row Σ … ≤ bound.
static double *next_row(Relaxation *r, double bound)
{
    double *row = r->A + (size_t)r->rows * (size_t)r->variables;
    for (int i = 0; i < r->variables; i++)
        row[i] = 0;
    r->b[r->rows++] = bound;
    return row;
}

// p a_first + q a_second ≥ (strict: their distance, else 0), rows of the scaled problem.
static void add_acceleration(Relaxation *r, int first, double p, double q, bool strict)
{
    const SpaceMode *mode = r->mode;
    const Reduced *reduced = mode->reduced;
    int w = reduced->width;
    const double *f = reduced_row(reduced, first);
    const double *g = q != 0 ? reduced_row(reduced, first + 1) : f;
    double *row = next_row(r, p * reduced->b[first] + (q != 0 ? q * reduced->b[first + 1] : 0));
    for (int i = 0; i < mode->n; i++)
        for (int j = 0; j < w; j++)
            row[i] -= (p * f[j] + q * g[j]) * mode->column[i * w + j];
    if (strict)
        row[mode->n] = 1;
    r->strict |= strict;
}

// Friction and acceleration of a contact that starts within a sector; i: its normal unknown.
static void add_sector(Relaxation *r, int i, const SpaceCell *cell)
{
    const Reduced *reduced = r->mode->reduced;
    int c = r->mode->constraint[i], row = reduced->first[c] + 1;
    double mu = reduced->friction[c], cosine = cos(cell->half), sine = sin(cell->half);
    const double *d = cell->d;
    double ends[2][2] = {{d[0] * cosine + d[1] * sine, d[1] * cosine - d[0] * sine},
                         {d[0] * cosine - d[1] * sine, d[1] * cosine + d[0] * sine}};
    for (int k = 0; k < 2; k++) {
        double *bound = next_row(r, 0);
        bound[i] = -mu;
        bound[i + 1] = -ends[k][0];
        bound[i + 2] = -ends[k][1];
    }
    double *chord = next_row(r, 0);
    chord[i] = mu * cosine;
    chord[i + 1] = d[0];
    chord[i + 2] = d[1];
    add_acceleration(r, row, -ends[0][1], ends[0][0], false);
    add_acceleration(r, row, ends[1][1], -ends[1][0], false);
    add_acceleration(r, row, d[0], d[1], true);
}

static void add_pyramid(Relaxation *r, int i)
{
    double mu = r->mode->reduced->friction[r->mode->constraint[i]];
    for (int k = 0; k < SIDES; k++) {
        double angle = k * (8 * atan(1) / SIDES), *row = next_row(r, 0);
        row[i] = -mu;
        row[i + 1] = cos(angle);
        row[i + 2] = sin(angle);
    }
}

static void add_cells(Relaxation *r)
{
    const SpaceMode *mode = r->mode;
    const Reduced *reduced = mode->reduced;
    for (int i = 0; i < mode->n; i++) {
        const SpaceCell *cell = &mode->cells[mode->constraint[i]];
        if (mode->offset[i] > 0 || cell->sigma == 0)
            continue;
        next_row(r, 0)[i] = -1;
        if (i + 1 == mode->n || mode->offset[i + 1] == 0)
            continue;
        if (cell->kind == SPACE_START && isfinite(cell->half))
            add_sector(r, i, cell);
        else
            add_pyramid(r, i);
    }
    for (int c = 0; c < reduced->constraints; c++) {
        const SpaceCell *cell = &mode->cells[c];
        if (cell->kind == SPACE_SEPARATE || (cell->kind == SPACE_OPEN && cell->sigma != 0))
            add_acceleration(r, reduced->first[c], 1, 0, cell->kind == SPACE_SEPARATE);
    }
}

static SpragStatus begin(const SpaceMode *mode, const Span *span, Relaxation *r)
{
    const Reduced *reduced = mode->reduced;
    size_t rows = (size_t)reduced->constraints * (SIDES + 3) + (size_t)reduced->width + 2;
    *r = (Relaxation){.mode = mode, .span = span, .variables = mode->n + 1};
    r->A = sprag_arena_alloc(reduced->arena, rows * (size_t)r->variables, sizeof(double));
    r->b = sprag_arena_alloc(reduced->arena, rows, sizeof(double));
    if (!r->A || !r->b)
        return SPRAG_ERROR_MEMORY;
    add_cells(r);
    next_row(r, 1)[mode->n] = 1;
    return SPRAG_OK;
}

// Q C x = Q ξ₀ after the inequalities; the program is read from r as it is now.
static SpragLp close_program(Relaxation *r, const double *objective)
{
    const SpaceMode *mode = r->mode;
    int w = mode->reduced->width, inequalities = r->rows;
    for (int k = 0; k < r->span->count; k++) {
        const double *q = r->span->basis + (size_t)k * (size_t)w;
        double *row = next_row(r, 0);
        for (int j = 0; j < w; j++) {
            r->b[r->rows - 1] += q[j] * r->span->point[j];
            for (int i = 0; i < mode->n; i++)
                row[i] += q[j] * mode->column[i * w + j];
        }
    }
    SpragLp program = {r->variables, inequalities, r->span->count, r->A, r->b, objective};
    r->rows = inequalities;
    return program;
}

SpragStatus space_relax(const SpaceMode *mode, const Span *span, double *point, double *xi,
                        bool *possible)
{
    Relaxation r;
    SpragArena *arena = mode->reduced->arena;
    SpragLpStatus status;
    SPRAG_TRY(begin(mode, span, &r));
    double *c = sprag_arena_alloc(arena, 2 * (size_t)r.variables + 1, sizeof *c);
    double *x = c + r.variables;
    if (!c)
        return SPRAG_ERROR_MEMORY;
    c[mode->n] = 1;
    SpragLp program = close_program(&r, c);
    SPRAG_TRY(sprag_lp_solve(arena, &program, mode->reduced->tolerance, x, NULL, &status));
    *possible = status == SPRAG_LP_LIMIT ||
                (status == SPRAG_LP_OPTIMAL && (!r.strict || x[mode->n] > STRICT));
    for (int i = 0; i < mode->n; i++)
        point[i] = x[i];
    space_mode_motion(mode, x, xi);
    return SPRAG_OK;
}
