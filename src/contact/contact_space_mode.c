// contact_space_mode.c: what one constraint may do in space, and the equations of a whole mode.
#include <math.h>

#include "contact_space.h"

// Rows nearer than this to the span of the equality rows have a determined acceleration.
static const double IN_SPAN = 1e-10;

// … and shorter than this many tolerances: corners that a turn by an error of integration has put
// beside each other.
static const double TURNED = 10;

static double in_span(const Reduced *reduced)
{
    return fmax(IN_SPAN, TURNED * reduced->tolerance);
}

double space_dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int j = 0; j < n; j++)
        sum += a[j] * b[j];
    return sum;
}

double space_take_out(const double *basis, int count, int w, double *q)
{
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < count; k++) {
            double along = space_dot(basis + k * w, q, w);
            for (int j = 0; j < w; j++)
                q[j] -= along * basis[k * w + j];
        }
    return sqrt(space_dot(q, q, w));
}

bool space_direction(double x, double y, double d[2])
{
    double length = hypot(x, y);
    d[0] = length > 0 ? x / length : 0;
    d[1] = length > 0 ? y / length : 0;
    return length > 0;
}

int space_cells_of(const Reduced *reduced, int constraint, SpaceCell cells[SPACE_MAX_CELLS])
{
    const SpragConstraint *item = reduced_constraint(reduced, constraint);
    bool guide = item->kind == SPRAG_CONSTRAINT_GUIDE;
    bool unilateral = !guide && item->kind != SPRAG_CONSTRAINT_BILATERAL;
    bool friction = item->row_count > 1 && reduced->friction[constraint] > 0;
    int count = 0;
    if (!friction)
        cells[count++] = (SpaceCell){.kind = SPACE_CLOSED, .sigma = unilateral};
    // a guide presses from either side
    for (int sigma = 1; friction && sigma >= (guide ? -1 : 1); sigma -= 2) {
        SpaceCell slide = {.kind = SPACE_SLIDE, .sigma = sigma};
        if (item->sliding && space_direction(item->slip[0], item->slip[1], slide.d)) {
            cells[count++] = slide;
            continue;
        }
        cells[count++] = (SpaceCell){.kind = SPACE_STICK, .sigma = sigma};
        cells[count++] = (SpaceCell){.kind = SPACE_START, .sigma = sigma};
    }
    if (unilateral)
        cells[count++] = (SpaceCell){.kind = SPACE_SEPARATE, .sigma = 1};
    return count;
}

void space_tangential(const Reduced *reduced, int constraint, const double *xi, double a[2],
                      double *error)
{
    double size = 1;
    for (int k = 0; k < 2; k++) {
        int row = reduced->first[constraint] + 1 + k;
        const double *f = reduced_row(reduced, row);
        a[k] = reduced_acceleration(reduced, row, xi);
        for (int j = 0; j < reduced->width; j++)
            size += fabs(f[j] * xi[j]);
    }
    *error = reduced->tolerance * size;
}

// ---- Equalities ---------------------------------------------------------------------------------

SpragStatus span_create(const Reduced *reduced, Span *span)
{
    size_t width = (size_t)reduced->width + 1;
    *span = (Span){0};
    span->basis = sprag_arena_alloc(reduced->arena, width * width, sizeof(double));
    span->doubt = sprag_arena_alloc(reduced->arena, width, sizeof(double));
    span->point = sprag_arena_alloc(reduced->arena, width, sizeof(double));
    return span->basis && span->doubt && span->point ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// Whether the equalities determine the acceleration of a row.
static bool is_in_span(const Reduced *reduced, const Span *span, int row)
{
    int w = reduced->width;
    double rest = reduced->length[row] * reduced->length[row];
    for (int k = 0; k < span->count; k++) {
        double dot = 0;
        for (int j = 0; j < w; j++)
            dot += span->basis[k * w + j] * reduced_row(reduced, row)[j];
        rest -= dot * dot;
    }
    // squares: rounding of 1e-16 is a distance of 1e-8
    return rest <= 1e-14;
}

bool span_add(const Reduced *reduced, Span *span, int row)
{
    int w = reduced->width;
    // the row is reduced in the place where it stays if it is independent
    double *q = span->basis + (size_t)span->count * (size_t)w;
    double doubt = reduced->tolerance, sum = 0;
    for (int j = 0; j < w; j++)
        q[j] = reduced_row(reduced, row)[j];
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < span->count; k++) {
            const double *other = span->basis + (size_t)k * (size_t)w;
            double dot = 0;
            for (int j = 0; j < w; j++)
                dot += other[j] * q[j];
            for (int j = 0; j < w; j++)
                q[j] -= dot * other[j];
            if (pass == 0)
                doubt += fabs(dot) * span->doubt[k];
        }
    }
    for (int j = 0; j < w; j++)
        sum += q[j] * q[j];
    double length = sqrt(sum);
    if (length <= in_span(reduced))
        return reduced_sign(reduced, row, span->point, in_span(reduced) + 2 * doubt) == 0;
    double at_point = reduced_acceleration(reduced, row, span->point);
    span->doubt[span->count++] = doubt / length;
    for (int j = 0; j < w; j++) {
        q[j] /= length;
        span->point[j] -= q[j] * at_point / length;
    }
    return true;
}

bool span_agrees(const Reduced *reduced, const Span *span, int constraint, const SpaceCell *cell)
{
    int first = reduced->first[constraint];
    bool starts = cell->kind == SPACE_START;
    if (cell->kind != SPACE_SEPARATE && !starts)
        return true;
    for (int row = first + starts; row < first + (starts ? 3 : 1); row++) {
        int sign = is_in_span(reduced, span, row)
                       ? reduced_sign(reduced, row, span->point, in_span(reduced))
                       : 1;
        // a contact that starts needs one tangent that moves, a separating one its normal
        if (starts ? sign != 0 : sign > 0)
            return true;
    }
    return false;
}

bool span_add_cell(const Reduced *reduced, Span *span, int constraint, const SpaceCell *cell)
{
    int first = reduced->first[constraint];
    if (cell->kind == SPACE_SEPARATE || cell->kind == SPACE_OPEN)
        return true;
    if (!span_add(reduced, span, first))
        return false;
    return cell->kind != SPACE_STICK ||
           (span_add(reduced, span, first + 1) && span_add(reduced, span, first + 2));
}

bool space_cell_is_round(const Reduced *reduced, int constraint, const SpaceCell *cell)
{
    if (cell->kind != SPACE_OPEN)
        return cell->kind == SPACE_STICK || cell->kind == SPACE_START;
    return reduced_constraint(reduced, constraint)->row_count > 1 &&
           reduced->friction[constraint] > 0;
}

// ---- Unknowns -----------------------------------------------------------------------------------

SpragStatus space_mode_create(const Reduced *reduced, SpaceCell *cells, SpaceMode *mode)
{
    SpragArena *arena = reduced->arena;
    size_t rows = (size_t)reduced->rows + 1;
    *mode = (SpaceMode){.reduced = reduced, .cells = cells};
    mode->constraint = sprag_arena_alloc(arena, rows, sizeof *mode->constraint);
    mode->offset = sprag_arena_alloc(arena, rows, sizeof *mode->offset);
    mode->column = sprag_arena_alloc(arena, rows * (size_t)(reduced->width + 1), sizeof(double));
    bool ok = mode->constraint && mode->offset && mode->column;
    return ok ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// Adds an unknown whose unit makes forces `on` of the rows of the constraint.
static void add_unknown(SpaceMode *mode, int constraint, int offset, const double on[3])
{
    const Reduced *reduced = mode->reduced;
    int rows = reduced_constraint(reduced, constraint)->row_count;
    double *column = mode->column + (size_t)mode->n * (size_t)reduced->width;
    for (int j = 0; j < reduced->width; j++)
        column[j] = 0;
    for (int k = 0; k < rows; k++) {
        const double *f = reduced_row(reduced, reduced->first[constraint] + k);
        for (int j = 0; on[k] != 0 && j < reduced->width; j++)
            column[j] += on[k] * f[j];
    }
    mode->constraint[mode->n] = constraint;
    mode->offset[mode->n++] = offset;
}

void space_mode_fill(SpaceMode *mode)
{
    const Reduced *reduced = mode->reduced;
    mode->n = 0;
    for (int c = 0; c < reduced->constraints; c++) {
        const SpaceCell *cell = &mode->cells[c];
        double sigma = cell->sigma ? cell->sigma : 1, mu = reduced->friction[c];
        bool slides = cell->kind == SPACE_SLIDE || (cell->kind == SPACE_START && cell->half == 0);
        if (cell->kind == SPACE_SEPARATE)
            continue;
        double on[3] = {sigma, slides ? -mu * cell->d[0] : 0, slides ? -mu * cell->d[1] : 0};
        add_unknown(mode, c, 0, on);
        if (slides || !space_cell_is_round(reduced, c, cell))
            continue;
        add_unknown(mode, c, 1, (const double[3]){0, 1, 0});
        add_unknown(mode, c, 2, (const double[3]){0, 0, 1});
    }
}

void space_mode_motion(const SpaceMode *mode, const double *x, double *xi)
{
    int w = mode->reduced->width;
    for (int j = 0; j < w; j++)
        xi[j] = 0;
    for (int i = 0; i < mode->n; i++)
        for (int j = 0; j < w; j++)
            xi[j] += x[i] * mode->column[i * w + j];
}

// ---- Laws ---------------------------------------------------------------------------------------

bool space_mode_moves(const SpaceMode *mode, const double *xi)
{
    const Reduced *reduced = mode->reduced;
    for (int c = 0; c < reduced->constraints; c++) {
        const SpaceCell *cell = &mode->cells[c];
        double a[2], error;
        if (cell->kind == SPACE_SEPARATE &&
            reduced_sign(reduced, reduced->first[c], xi, reduced->tolerance) < 0)
            return false;
        if (cell->kind != SPACE_START)
            continue;
        // at rest in the end: that is sticking
        space_tangential(reduced, c, xi, a, &error);
        if (a[0] * cell->d[0] + a[1] * cell->d[1] <= error)
            return false;
    }
    return true;
}

bool space_mode_admits(const SpaceMode *mode, const double *x, const double *xi)
{
    const Reduced *reduced = mode->reduced;
    for (int i = 0; i < mode->n; i++) {
        int c = mode->constraint[i];
        if (mode->offset[i] > 0 || mode->cells[c].sigma == 0)
            continue;
        if (!(x[i] >= -reduced->tolerance * (1 + fabs(x[i]))))
            return false;
        if (mode->cells[c].kind != SPACE_STICK)
            continue;
        double bound = reduced->friction[c] * x[i], size = hypot(x[i + 1], x[i + 2]);
        if (!(bound - size >= -reduced->tolerance * (1 + fabs(bound) + size)))
            return false;
    }
    return space_mode_moves(mode, xi);
}
