// contact_space_sectors.c: the motions of a mode in which several contacts start to slip.
// Method    branch and bound over the directions (theory.md 13.1, "Several"): each starting contact
//           has a sector, a quarter of the circle first; a set of sectors is dropped when its
//           relaxation has no point; else its point is refined by Newton's method, and unless that
//           motion is proved to be the only one there, the widest sector is halved
// Result    one member of a continuum of motions. *decided false: sectors as narrow as it gets were
// left over, or the limit was met
#include <math.h>

#include "contact_space.h"

static const double NARROWEST = 0.05; // half an angle
static const double QUARTER = 1.57079632679489661923;

typedef struct Sectors {
    SpaceMode *mode;
    const Span *span;
    SpaceKeep *keep;
    void *user;
    long *nodes;
    bool decided;
    bool continuum; // one member was kept: others are not looked for
} Sectors;

// Newton's method from the point of a relaxation; *only: no other motion is within the sectors.
// Everything but a motion that is kept is scratch.
static SpragStatus refine(Sectors *search, const double *point, const double *xi, bool *only)
{
    const Reduced *reduced = search->mode->reduced;
    SpragArenaMark mark = sprag_arena_mark(reduced->arena);
    size_t constraints = (size_t)reduced->constraints + 1, rows = (size_t)reduced->rows + 1;
    SpaceCell *cells = sprag_arena_alloc(reduced->arena, constraints, sizeof *cells);
    double *x = sprag_arena_alloc(reduced->arena, rows, sizeof *x);
    SpaceResult result = {0};
    SpaceMode mode;
    bool found, solved;
    result.xi = sprag_arena_alloc(reduced->arena, (size_t)reduced->width + 1, sizeof(double));
    if (!cells || !x || !result.xi)
        return SPRAG_ERROR_MEMORY;
    for (int c = 0; c < reduced->constraints; c++) {
        double a[2], error;
        cells[c] = search->mode->cells[c];
        if (cells[c].kind != SPACE_START)
            continue;
        cells[c].half = 0;
        space_tangential(reduced, c, xi, a, &error);
        if (hypot(a[0], a[1]) > error)
            space_direction(a[0], a[1], cells[c].d);
    }
    SPRAG_TRY(space_mode_create(reduced, cells, &mode));
    space_mode_fill(&mode);
    for (int i = 0, from = 0; i < mode.n; i++, from++) {
        while (search->mode->constraint[from] != mode.constraint[i] ||
               search->mode->offset[from] != mode.offset[i])
            from++;
        x[i] = point[from];
    }
    SPRAG_TRY(space_refine(&mode, x, &result, &solved, &found));
    if (solved && result.dimension == 0)
        SPRAG_TRY(space_is_unique(&mode, search->span, search->mode->cells, only));
    if (found)
        SPRAG_TRY(search->keep(search->user, &mode, &result));
    search->continuum |= result.kept && result.dimension > 0;
    if (!result.kept)
        sprag_arena_release(reduced->arena, mark);
    return SPRAG_OK;
}

// The starting contact with the widest sector.
static int widest(const SpaceMode *mode)
{
    int best = -1;
    for (int c = 0; c < mode->reduced->constraints; c++)
        if (mode->cells[c].kind == SPACE_START &&
            (best < 0 || mode->cells[c].half > mode->cells[best].half))
            best = c;
    return best;
}

static SpragStatus visit(Sectors *search)
{
    const Reduced *reduced = search->mode->reduced;
    SpragArena *arena = reduced->arena;
    bool possible, only = false;
    if (--*search->nodes < 0) {
        search->decided = false;
        return SPRAG_OK;
    }
    double *point =
        sprag_arena_alloc(arena, (size_t)(reduced->rows + reduced->width) + 1, sizeof *point);
    if (!point)
        return SPRAG_ERROR_MEMORY;
    double *xi = point + reduced->rows;
    SpragArenaMark mark = sprag_arena_mark(arena);
    space_mode_fill(search->mode);
    SPRAG_TRY(space_relax(search->mode, search->span, point, xi, &possible));
    sprag_arena_release(arena, mark);
    if (!possible)
        return SPRAG_OK;
    SPRAG_TRY(refine(search, point, xi, &only));
    if (only || search->continuum)
        return SPRAG_OK;
    int c = widest(search->mode);
    SpaceCell whole = search->mode->cells[c], *cell = &search->mode->cells[c];
    if (whole.half <= NARROWEST) {
        search->decided = false;
        return SPRAG_OK;
    }
    bool first = !isfinite(whole.half);
    double angle = first ? 0 : atan2(whole.d[1], whole.d[0]);
    int parts = first ? 4 : 2;
    for (int i = 0; i < parts; i++) {
        cell->half = first ? QUARTER / 2 : whole.half / 2;
        double middle = first ? i * QUARTER : angle + (2 * i - 1) * cell->half;
        cell->d[0] = cos(middle);
        cell->d[1] = sin(middle);
        if (!search->continuum)
            SPRAG_TRY(visit(search));
    }
    *cell = whole;
    return SPRAG_OK;
}

SpragStatus space_search_sectors(SpaceMode *mode, const Span *span, SpaceKeep *keep, void *user,
                                 long *nodes, bool *decided)
{
    Sectors search = {mode, span, keep, user, nodes, true, false};
    for (int c = 0; c < mode->reduced->constraints; c++)
        if (mode->cells[c].kind == SPACE_START)
            mode->cells[c].half = INFINITY;
    SPRAG_TRY(visit(&search));
    *decided = search.decided && !search.continuum;
    return SPRAG_OK;
}
