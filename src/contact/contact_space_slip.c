// contact_space_slip.c: all contacts that rest start to slip at once, tried before the search.
// Problem   a body that lies flat and is pushed beyond its friction: close to the threshold the
//           slip is too slow for programs to tell it from rest, and sectors are narrow
// Method    the least forces that would hold everything at rest, of any sign, have friction against
//           the slip that is about to start; Newton's method from there (contact_space_newton.c)
// Result    a motion, or nothing: the search decides what else there is
#include <math.h>

#include "contact_space.h"
#include "sprag/numeric.h"

// Singular values below this, relative to the largest, are none.
static const double DEPENDENT = 1e-9;

// x = C⁺ ξ for the columns C of a mode.
static SpragStatus least_forces(const SpaceMode *mode, const double *xi, double *x)
{
    SpragArena *arena = mode->reduced->arena;
    int n = mode->n, w = mode->reduced->width;
    double *C = sprag_arena_alloc(arena, (size_t)(w + 1) * (size_t)n + 1, sizeof *C);
    double *V = sprag_arena_alloc(arena, (size_t)n * (size_t)n + 1, sizeof *V);
    double *s = sprag_arena_alloc(arena, (size_t)n + 1, sizeof *s);
    if (!C || !V || !s)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < w; j++)
            C[j * n + i] = mode->column[i * w + j];
    sprag_svd(w, n, C, s, V);
    for (int k = 0; k < n && s[k] > DEPENDENT * s[0]; k++) {
        double part = 0;
        for (int j = 0; j < w; j++)
            part += C[j * n + k] * xi[j];
        for (int i = 0; i < n; i++)
            x[i] += V[i * n + k] * part / (s[k] * s[k]);
    }
    return SPRAG_OK;
}

// From the cells of rest to those of slip, against the forces that would hold it; normal: the
// forces of its unknowns. False: some contact has no direction.
static bool set_directions(const SpaceMode *rest, const double *x, SpaceCell *cells, double *normal)
{
    int unknowns = 0;
    for (int c = 0; c < rest->reduced->constraints; c++)
        cells[c] = rest->cells[c];
    for (int i = 0; i < rest->n; i++) {
        SpaceCell *cell = &cells[rest->constraint[i]];
        if (rest->offset[i] > 0)
            continue;
        normal[unknowns++] = x[i];
        if (cell->kind != SPACE_STICK)
            continue;
        cell->kind = SPACE_START;
        if (!space_direction(-x[i + 1], -x[i + 2], cell->d))
            return false;
    }
    return true;
}

SpragStatus space_solve_slip(const SpaceMode *rest, const Span *span, SpaceKeep *keep, void *user)
{
    const Reduced *reduced = rest->reduced;
    SpragArena *arena = reduced->arena;
    SpaceResult result = {0};
    SpaceMode mode;
    bool solved, found;
    SpaceCell *cells = sprag_arena_alloc(arena, (size_t)reduced->constraints + 1, sizeof *cells);
    double *x = sprag_arena_alloc(arena, (size_t)reduced->rows + 1, sizeof *x);
    double *normal = sprag_arena_alloc(arena, (size_t)reduced->rows + 1, sizeof *normal);
    result.xi = sprag_arena_alloc(arena, (size_t)reduced->width + 1, sizeof(double));
    if (!cells || !x || !normal || !result.xi)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(least_forces(rest, span->point, x));
    if (!set_directions(rest, x, cells, normal))
        return SPRAG_OK;
    SPRAG_TRY(space_mode_create(reduced, cells, &mode));
    space_mode_fill(&mode);
    SPRAG_TRY(space_refine(&mode, normal, &result, &solved, &found));
    // of a continuum the search keeps one member, its own
    return found && result.dimension == 0 ? keep(user, &mode, &result) : SPRAG_OK;
}
