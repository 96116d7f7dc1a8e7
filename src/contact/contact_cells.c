// contact_cells.c: what one constraint may do, theory.md (3.3), and the equations of a whole mode.
#include <math.h>

#include "contact_search.h"

// Cosines of angles below this are rounding of a few products.
static const double ORTHOGONAL = 1e-14;

static int slip_sign(const SpragConstraint *c)
{
    return c->slip[0] > 0 ? 1 : -1;
}

static int guide_cells(const Reduced *reduced, int constraint, Cell cells[MAX_CELLS])
{
    const SpragConstraint *item = reduced_constraint(reduced, constraint);
    int count = 0;
    if (reduced->friction[constraint] == 0) {
        cells[count++] = (Cell){CELL_CLOSED, 0, 0};
        return count;
    }
    for (int sigma = 1; sigma >= -1; sigma -= 2) {
        if (item->sliding) {
            cells[count++] = (Cell){CELL_SLIDE, slip_sign(item), sigma};
            continue;
        }
        cells[count++] = (Cell){CELL_STICK, 0, sigma};
        cells[count++] = (Cell){CELL_SLIDE, 1, sigma};
        cells[count++] = (Cell){CELL_SLIDE, -1, sigma};
    }
    return count;
}

int cells_of(const Reduced *reduced, int constraint, Cell cells[MAX_CELLS])
{
    const SpragConstraint *item = reduced_constraint(reduced, constraint);
    int count = 0;
    if (item->kind == SPRAG_CONSTRAINT_GUIDE)
        return guide_cells(reduced, constraint, cells);
    if (item->kind == SPRAG_CONSTRAINT_BILATERAL) {
        cells[count++] = (Cell){CELL_CLOSED, 0, 0};
        return count;
    }
    if (item->kind == SPRAG_CONSTRAINT_LIMIT || reduced->friction[constraint] == 0) {
        cells[count++] = (Cell){CELL_CLOSED, 0, 1};
    } else if (item->sliding) {
        cells[count++] = (Cell){CELL_SLIDE, slip_sign(item), 1};
    } else {
        cells[count++] = (Cell){CELL_STICK, 0, 1};
        cells[count++] = (Cell){CELL_SLIDE, 1, 1};
        cells[count++] = (Cell){CELL_SLIDE, -1, 1};
    }
    cells[count++] = (Cell){CELL_SEPARATE, 0, 1};
    return count;
}

bool cell_is_closed(Cell cell)
{
    return cell.kind != CELL_SEPARATE;
}

bool cells_are_equal(Cell a, Cell b)
{
    return a.kind == b.kind && a.k == b.k && a.sigma == b.sigma;
}

Cell cell_of_motion(const Reduced *reduced, int constraint, const double *xi, Cell found)
{
    const SpragConstraint *item = reduced_constraint(reduced, constraint);
    int row = reduced->first[constraint];
    bool unilateral =
        item->kind == SPRAG_CONSTRAINT_CONTACT || item->kind == SPRAG_CONSTRAINT_LIMIT;
    if (unilateral && !cell_is_closed(found) &&
        reduced_sign(reduced, row, xi, reduced->tolerance) > 0)
        return (Cell){CELL_SEPARATE, 0, 1};
    bool friction = item->row_count > 1 && reduced->friction[constraint] > 0;
    if (!friction)
        return (Cell){CELL_CLOSED, 0, unilateral ? 1 : 0};
    if (item->sliding)
        return (Cell){CELL_SLIDE, slip_sign(item), found.sigma};
    int k = found.kind == CELL_STICK ? 0 : reduced_sign(reduced, row + 1, xi, reduced->tolerance);
    return k ? (Cell){CELL_SLIDE, k, found.sigma} : (Cell){CELL_STICK, 0, found.sigma};
}

// Adds an unknown whose unit makes ξ = on_normal F_n + on_tangent F_t.
static void add_unknown(const Reduced *reduced, Leaf *leaf, int constraint, bool tangential,
                        double on_normal, double on_tangent)
{
    int first = reduced->first[constraint];
    const double *normal = reduced_row(reduced, first);
    double *column = leaf->column + (size_t)leaf->count * (size_t)reduced->width;
    for (int j = 0; j < reduced->width; j++)
        column[j] = on_normal * normal[j];
    if (on_tangent != 0) {
        const double *tangent = reduced_row(reduced, first + 1);
        for (int j = 0; j < reduced->width; j++)
            column[j] += on_tangent * tangent[j];
    }
    double sum = 0;
    for (int j = 0; j < reduced->width; j++)
        sum += column[j] * column[j];
    leaf->length[leaf->count] = sqrt(sum);
    leaf->constraint[leaf->count] = constraint;
    leaf->tangential[leaf->count++] = tangential;
}

SpragStatus leaf_room_create(const Reduced *reduced, LeafRoom *room)
{
    size_t rows = (size_t)reduced->rows + 1, width = (size_t)reduced->width + 1;
    size_t halves = 3 * rows, matrices = rows * (width + width + rows);
    double *numbers = sprag_arena_alloc(
        reduced->arena, matrices + 2 * rows + width + halves * (rows + 1), sizeof *numbers);
    room->constraint = sprag_arena_alloc(reduced->arena, 3 * rows,
                                         sizeof *room->constraint + sizeof *room->tangential);
    if (!numbers || !room->constraint)
        return SPRAG_ERROR_MEMORY;
    room->permutation = room->constraint + rows;
    room->tangential = (bool *)(room->permutation + 2 * rows);
    room->column = numbers;
    room->D = room->column + rows * width;
    room->factors = room->D + rows * width;
    room->length = room->factors + rows * rows;
    room->x = room->length + rows;
    room->right = room->x + rows;
    room->h = room->right + width;
    room->g = room->h + halves;
    return SPRAG_OK;
}

void leaf_build(const Reduced *reduced, const Cell *cells, const LeafRoom *room, Leaf *leaf)
{
    *leaf = (Leaf){.room = room,
                   .cells = cells,
                   .constraint = room->constraint,
                   .tangential = room->tangential,
                   .column = room->column,
                   .length = room->length};
    for (int c = 0; c < reduced->constraints; c++) {
        double sigma = cells[c].sigma ? cells[c].sigma : 1;
        if (cells[c].kind == CELL_CLOSED)
            add_unknown(reduced, leaf, c, false, sigma, 0);
        else if (cells[c].kind == CELL_SLIDE)
            add_unknown(reduced, leaf, c, false, sigma, -cells[c].k * reduced->friction[c]);
        else if (cells[c].kind == CELL_STICK) {
            add_unknown(reduced, leaf, c, false, sigma, 0);
            add_unknown(reduced, leaf, c, true, 0, 1);
        }
    }
}

double leaf_product(const Reduced *reduced, const Leaf *leaf, const double *row, double length,
                    int i)
{
    const double *column = leaf->column + (size_t)i * (size_t)reduced->width;
    double sum = 0;
    for (int j = 0; j < reduced->width; j++)
        sum += row[j] * column[j];
    return fabs(sum) > ORTHOGONAL * length * leaf->length[i] ? sum : 0;
}

void leaf_motion(const Reduced *reduced, const Leaf *leaf, const double *x, double *xi)
{
    for (int j = 0; j < reduced->width; j++)
        xi[j] = 0;
    for (int i = 0; i < leaf->count; i++)
        for (int j = 0; j < reduced->width; j++)
            xi[j] += x[i] * leaf->column[i * reduced->width + j];
}

static double *next_half_space(HalfSpaces *out, double h)
{
    double *g = out->g + (size_t)out->count * (size_t)out->n;
    for (int i = 0; i < out->n; i++)
        g[i] = 0;
    out->h[out->count++] = h;
    return g;
}

// sign · a_row ≥ 0 as a half-space of the unknowns.
static void add_acceleration(const Reduced *reduced, const Leaf *leaf, int row, double sign,
                             HalfSpaces *out)
{
    double *g = next_half_space(out, -sign * reduced->b[row]);
    for (int i = 0; i < leaf->count; i++)
        g[i] =
            sign * leaf_product(reduced, leaf, reduced_row(reduced, row), reduced->length[row], i);
}

void leaf_half_spaces(const Reduced *reduced, const Leaf *leaf, bool with_accelerations,
                      HalfSpaces *out)
{
    *out = (HalfSpaces){.n = leaf->count, .g = leaf->room->g, .h = leaf->room->h};
    for (int i = 0; i < leaf->count; i++) {
        int c = leaf->constraint[i];
        if (leaf->tangential[i]) {
            // μ λN ± λT ≥ 0; the normal unknown stands just before
            for (int sign = -1; sign <= 1; sign += 2) {
                double *g = next_half_space(out, 0);
                g[i - 1] = reduced->friction[c];
                g[i] = sign;
            }
        } else if (leaf->cells[c].sigma != 0) {
            next_half_space(out, 0)[i] = 1;
        }
    }
    for (int c = 0; with_accelerations && c < reduced->constraints; c++) {
        bool resting = !reduced_constraint(reduced, c)->sliding;
        if (leaf->cells[c].kind == CELL_SEPARATE)
            add_acceleration(reduced, leaf, reduced->first[c], 1, out);
        else if (leaf->cells[c].kind == CELL_SLIDE && resting)
            add_acceleration(reduced, leaf, reduced->first[c] + 1, leaf->cells[c].k, out);
    }
}
