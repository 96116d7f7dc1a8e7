// contact_space_forces.c: all forces that make a given motion in space (see contact_forces.c).
// For a given motion the direction of every sliding contact is known; what is round are the cones
// of contacts that stick.
#include <math.h>

#include "contact_space.h"

// Rounding that the equations leave in forces, relative to the largest.
static const double SOLVED = 1e-8;
// The same where bounds were widened, in tolerances.
static const double WIDENED = 300;

// The one cell that a motion belongs to. Rows that the mode in which it was found holds at zero are
// zero, whatever rounding large forces leave in them.
static SpaceCell cell_of(const Reduced *reduced, int c, const double *xi, const SpaceCell *found)
{
    const SpragConstraint *item = reduced_constraint(reduced, c);
    SpaceCell cell = *found;
    double a[2], error;
    if (found->kind != SPACE_SEPARATE ||
        reduced_sign(reduced, reduced->first[c], xi, reduced->tolerance) > 0)
        return cell;
    // touches without leaving
    cell.sigma = 1;
    cell.kind = SPACE_CLOSED;
    if (item->row_count == 1 || !(reduced->friction[c] > 0))
        return cell;
    if (item->sliding && space_direction(item->slip[0], item->slip[1], cell.d)) {
        cell.kind = SPACE_SLIDE;
        return cell;
    }
    space_tangential(reduced, c, xi, a, &error);
    cell.kind = hypot(a[0], a[1]) > error ? SPACE_START : SPACE_STICK;
    if (cell.kind == SPACE_START)
        space_direction(a[0], a[1], cell.d);
    return cell;
}

static void write_interval(SpragMotion *motion, int row, double factor, double x, double low,
                           double high)
{
    motion->force[row] += factor * x;
    motion->force_low[row] += factor > 0 ? factor * low : factor * high;
    motion->force_high[row] += factor > 0 ? factor * high : factor * low;
}

static void write_forces(const SpaceMode *mode, const double *x, const double *low,
                         const double *high, SpragMotion *motion)
{
    const Reduced *reduced = mode->reduced;
    double size = 1;
    for (int r = 0; r < reduced->rows; r++)
        motion->force[r] = motion->force_low[r] = motion->force_high[r] = 0;
    for (int c = 0; c < reduced->constraints; c++)
        motion->active[c] = false;
    for (int i = 0; i < mode->n; i++)
        size = fmax(size, fabs(x[i]));
    for (int i = 0; i < mode->n; i++) {
        int c = mode->constraint[i], row = reduced->first[c] + mode->offset[i];
        const SpaceCell *cell = &mode->cells[c];
        bool normal = mode->offset[i] == 0;
        write_interval(motion, row, normal && cell->sigma < 0 ? -1 : 1, x[i], low[i], high[i]);
        if (!normal)
            continue;
        motion->active[c] = fmax(fabs(low[i]), fabs(high[i])) > 1000 * reduced->tolerance * size;
        bool slides = cell->kind == SPACE_SLIDE || cell->kind == SPACE_START;
        for (int k = 0; slides && k < 2; k++)
            if (cell->d[k] != 0)
                write_interval(motion, row + 1 + k, -reduced->friction[c] * cell->d[k], x[i],
                               low[i], high[i]);
    }
}

static void snap_unique(const SpaceMode *mode, double *x)
{
    for (int i = 0; i < mode->n; i++) {
        int c = mode->constraint[i];
        if (mode->offset[i] > 0 || mode->cells[c].sigma == 0)
            continue;
        x[i] = fmax(x[i], 0);
        if (mode->cells[c].kind != SPACE_STICK)
            continue;
        double bound = mode->reduced->friction[c] * x[i], size = hypot(x[i + 1], x[i + 2]);
        for (int k = 1; size > bound && k < 3; k++)
            x[i + k] *= bound / size;
    }
}

// Columns of the mode side by side: width × n.
static double *transpose_columns(const SpaceMode *mode)
{
    int n = mode->n, w = mode->reduced->width;
    double *C = sprag_arena_alloc(mode->reduced->arena, (size_t)w * (size_t)n + 1, sizeof *C);
    for (int i = 0; C && i < n; i++)
        for (int j = 0; j < w; j++)
            C[j * n + i] = mode->column[i * w + j];
    return C;
}

// How far the snapped forces are from making the motion, relative to both.
static double missed(const SpaceMode *mode, const double *x, const double *xi)
{
    int w = mode->reduced->width;
    double error = 0, size = 1;
    for (int i = 0; i < mode->n; i++)
        size = fmax(size, fabs(x[i]));
    for (int j = 0; j < w; j++) {
        double rest = xi[j];
        for (int i = 0; i < mode->n; i++)
            rest -= mode->column[i * w + j] * x[i];
        error = fmax(error, fabs(rest));
        size = fmax(size, fabs(xi[j]));
    }
    return error / size;
}

SpragStatus space_forces(const SpaceMode *found, SpaceResult *result, bool ranges, SpaceCell *cells,
                         SpragMotion *motion, bool *feasible)
{
    const Reduced *reduced = found->reduced;
    bool same = true;
    for (int c = 0; c < reduced->constraints; c++) {
        cells[c] = cell_of(reduced, c, result->xi, &found->cells[c]);
        same &= cells[c].kind == found->cells[c].kind;
    }
    motion->force_dimension = 0;
    *feasible = true;
    if (same && result->regular) {
        snap_unique(found, result->x);
        write_forces(found, result->x, result->x, result->x, motion);
        return SPRAG_OK;
    }
    SpaceMode mode;
    ConeSet set;
    SPRAG_TRY(space_mode_create(reduced, cells, &mode));
    space_mode_fill(&mode);
    double *C = transpose_columns(&mode);
    double *low = sprag_arena_alloc(reduced->arena, (size_t)mode.n + 1, sizeof *low);
    double *high = sprag_arena_alloc(reduced->arena, (size_t)mode.n + 1, sizeof *high);
    if (!C || !low || !high)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(cone_set_solve(&mode, reduced->width, C, result->xi, false, &set));
    // bounds that were widened to have an inside are met by as much
    double solved = fmax(SOLVED, set.slack > 0 ? WIDENED * reduced->tolerance : 0);
    result->missed = missed(&mode, set.x, result->xi);
    *feasible = set.feasible && result->missed <= solved;
    if (!*feasible)
        return SPRAG_OK;
    SPRAG_TRY(cone_set_ranges(&set, ranges, low, high, &motion->force_dimension));
    write_forces(&mode, set.x, low, high, motion);
    for (int r = 0; !ranges && r < reduced->rows; r++)
        motion->force_low[r] = motion->force_high[r] = motion->force[r];
    return SPRAG_OK;
}
