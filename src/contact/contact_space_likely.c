// contact_space_likely.c: one motion of an island of many contacts in space, before the search.
// Problem   the modes of many contacts are too many to be visited; but one motion, if it is found,
//           often proves that it is the only one (contact_space_only.c)
// Method    accelerations and forces are a friction problem u = W r + q with exact cones (theory.md
//           11.4), for which there are solvers (friction.h). What it says of each contact is a
//           mode; Newton's method makes the motion exact (contact_space_newton.c). A contact that
//           slides keeps its direction: FAST along it is added to its acceleration (theory.md
//           (13.29))
// Result    a motion, or nothing: the search decides what else there is
// Assumes   no guides, whose friction presses from either side
#include <math.h>

#include "contact_space.h"
#include "sprag/friction.h"

// Accelerations are of order one; a contact that slides is given so much more.
static const double FAST = 1e3;
// Relative to FAST: what is left of accelerations that should be zero, and below what they are.
static const double TOLERANCE = 1e-12, NO_ACCELERATION = 1e-6;
// Larger coefficients of friction are no different, but for rounding.
static const double MOST_FRICTION = 1e6;
enum { BLOCK = 3, MOST_CONTACTS = 200 };

typedef struct Likely {
    const Reduced *reduced;
    double *W, *q, *friction, *r, *u;
    unsigned char *kinds;
    SpaceCell *cells;
} Likely;

static SpragStatus allocate(Likely *likely)
{
    SpragArena *arena = likely->reduced->arena;
    size_t n = (size_t)likely->reduced->constraints, size = BLOCK * n;
    likely->W = sprag_arena_alloc(arena, size * size + 1, sizeof(double));
    likely->q = sprag_arena_alloc(arena, size + 1, sizeof(double));
    likely->r = sprag_arena_alloc(arena, size + 1, sizeof(double));
    likely->u = sprag_arena_alloc(arena, size + 1, sizeof(double));
    likely->friction = sprag_arena_alloc(arena, n + 1, sizeof(double));
    likely->kinds = sprag_arena_alloc(arena, n + 1, sizeof *likely->kinds);
    likely->cells = sprag_arena_alloc(arena, n + SPACE_MAX_CELLS, sizeof *likely->cells);
    bool ok = likely->W && likely->q && likely->r && likely->u && likely->friction &&
              likely->kinds && likely->cells;
    return ok ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// W of all rows that there are; blocks of fewer than three are padded by zeros.
static void fill_matrix(Likely *likely)
{
    const Reduced *reduced = likely->reduced;
    size_t size = (size_t)BLOCK * (size_t)reduced->constraints;
    for (int c = 0; c < reduced->constraints; c++)
        for (int k = 0; k < reduced_constraint(reduced, c)->row_count; k++) {
            double *row = likely->W + (size_t)(BLOCK * c + k) * size;
            const double *f = reduced_row(reduced, reduced->first[c] + k);
            for (int d = 0; d < reduced->constraints; d++)
                for (int l = 0; l < reduced_constraint(reduced, d)->row_count; l++)
                    row[BLOCK * d + l] =
                        space_dot(f, reduced_row(reduced, reduced->first[d] + l), reduced->width);
        }
}

// Everything but W; cells receive those of a closed contact: as its slip says, or at rest.
static void fill_rest(Likely *likely)
{
    const Reduced *reduced = likely->reduced;
    for (int c = 0; c < reduced->constraints; c++) {
        const SpragConstraint *item = reduced_constraint(reduced, c);
        SpaceCell cells[SPACE_MAX_CELLS];
        space_cells_of(reduced, c, cells);
        likely->cells[c] = cells[0];
        likely->kinds[c] = item->kind == SPRAG_CONSTRAINT_BILATERAL ? SPRAG_FRICTION_BILATERAL
                                                                    : SPRAG_FRICTION_CONTACT;
        likely->friction[c] =
            item->row_count == BLOCK ? fmin(reduced->friction[c], MOST_FRICTION) : 0;
        for (int k = 0; k < item->row_count; k++)
            likely->q[BLOCK * c + k] = reduced->b[reduced->first[c] + k];
        for (int k = 0; k < 2 && cells[0].kind == SPACE_SLIDE; k++)
            likely->q[BLOCK * c + 1 + k] += FAST * cells[0].d[k];
    }
}

static SpragStatus solve(Likely *likely)
{
    SpragContext *context = sprag_arena_context(likely->reduced->arena);
    SpragFrictionProblem problem = {.dimension = BLOCK,
                                    .contact_count = likely->reduced->constraints,
                                    .q = likely->q,
                                    .friction = likely->friction,
                                    .kinds = likely->kinds,
                                    .storage = SPRAG_FRICTION_DENSE,
                                    .W = likely->W};
    SpragFrictionSettings settings = sprag_friction_default();
    SpragFrictionWorkspace *workspace;
    SpragFrictionInfo info;
    settings.tolerance = TOLERANCE;
    SPRAG_TRY(sprag_friction_workspace_create(context, &workspace));
    SpragStatus status =
        sprag_friction_solve(workspace, &problem, &settings, likely->r, likely->u, &info);
    sprag_friction_workspace_destroy(workspace);
    return status;
}

// What the accelerations say that each contact does.
static void read_cells(Likely *likely)
{
    const Reduced *reduced = likely->reduced;
    for (int c = 0; c < reduced->constraints; c++) {
        SpaceCell *cell = &likely->cells[c];
        const double *u = likely->u + (size_t)(BLOCK * c);
        if (likely->kinds[c] == SPRAG_FRICTION_BILATERAL)
            continue;
        if (u[0] > NO_ACCELERATION)
            *cell = (SpaceCell){.kind = SPACE_SEPARATE, .sigma = 1};
        else if (cell->kind == SPACE_STICK && hypot(u[1], u[2]) > NO_ACCELERATION) {
            cell->kind = SPACE_START;
            space_direction(u[1], u[2], cell->d);
        }
    }
}

// The motion of these cells, from the forces that the solver gave.
static SpragStatus refine(Likely *likely, SpaceKeep *keep, void *user)
{
    const Reduced *reduced = likely->reduced;
    SpaceResult result = {0};
    SpaceMode mode;
    bool solved, found;
    double *x = sprag_arena_alloc(reduced->arena, (size_t)reduced->rows + 1, sizeof *x);
    result.xi = sprag_arena_alloc(reduced->arena, (size_t)reduced->width + 1, sizeof(double));
    if (!x || !result.xi)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(space_mode_create(reduced, likely->cells, &mode));
    space_mode_fill(&mode);
    for (int i = 0; i < mode.n; i++)
        x[i] = likely->r[BLOCK * mode.constraint[i] + mode.offset[i]];
    SPRAG_TRY(space_refine(&mode, x, &result, &solved, &found));
    return found && result.dimension == 0 ? keep(user, &mode, &result) : SPRAG_OK;
}

SpragStatus space_solve_likely(const Reduced *reduced, SpaceKeep *keep, void *user)
{
    Likely likely = {.reduced = reduced};
    if (reduced->constraints > MOST_CONTACTS)
        return SPRAG_OK;
    for (int c = 0; c < reduced->constraints; c++)
        if (reduced_constraint(reduced, c)->kind == SPRAG_CONSTRAINT_GUIDE)
            return SPRAG_OK;
    SPRAG_TRY(allocate(&likely));
    fill_matrix(&likely);
    fill_rest(&likely);
    SPRAG_TRY(solve(&likely));
    read_cells(&likely);
    return refine(&likely, keep, user);
}
