// contact_cells.c: what one constraint may do, theory.md (3.3), and the equations of a whole mode.
#include <math.h>

#include "contact_search.h"

// Cosines of angles below this are rounding of a few products.
static const double ORTHOGONAL = 1e-14;

static int slip_sign(const SpragConstraint *c)
{
    bool in_space = c->row_count - sprag_constraint_normals(c) > 1;
    return in_space || c->slip[0] > 0 ? 1 : -1;
}

// Several normals: every direction of the normal force is one cell.
static int round_cells(const Reduced *reduced, int constraint, Cell cells[MAX_CELLS])
{
    const SpragConstraint *item = reduced_constraint(reduced, constraint);
    int count = 0;
    if (item->sliding) {
        cells[count++] = (Cell){CELL_SLIDE, slip_sign(item), 0};
        return count;
    }
    cells[count++] = (Cell){CELL_STICK, 0, 0};
    cells[count++] = (Cell){CELL_SLIDE, 1, 0};
    cells[count++] = (Cell){CELL_SLIDE, -1, 0};
    return count;
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
    if (reduced_is_round(reduced, constraint))
        return round_cells(reduced, constraint, cells);
    if (item->kind == SPRAG_CONSTRAINT_GUIDE || item->kind == SPRAG_CONSTRAINT_BEARING)
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
    int tangent = reduced_tangent(reduced, constraint);
    int k = found.kind == CELL_STICK ? 0 : reduced_sign(reduced, tangent, xi, reduced->tolerance);
    return k ? (Cell){CELL_SLIDE, k, found.sigma} : (Cell){CELL_STICK, 0, found.sigma};
}

int leaf_directions(const Reduced *reduced, int constraint, double d[WAYS])
{
    const SpragConstraint *item = reduced_constraint(reduced, constraint);
    int tangents = reduced_tangents(reduced, constraint);
    d[0] = 1;
    if (tangents <= 1)
        return 1;
    double length = sprag_length(tangents, item->slip);
    for (int k = 0; k < tangents; k++)
        d[k] = length > 0 ? item->slip[k] / length : 0;
    return tangents;
}

int leaf_press(const Reduced *reduced, const Leaf *leaf, int constraint, int unknown[WAYS])
{
    int rows[WAYS], count = reduced_press(reduced, constraint, rows);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < leaf->count; i++)
            if (leaf->row[i] == rows[k])
                unknown[k] = i;
    return count;
}

double leaf_pressure(int count, const int *unknown, const double *x)
{
    double pressure = 0;
    for (int k = 0; k < count; k++)
        pressure = hypot(pressure, x[unknown[k]]);
    return pressure;
}

// Adds an unknown whose unit makes ξ = factor F_row + on_tangent F_t.
static void add_unknown(const Reduced *reduced, Leaf *leaf, int constraint, int row, double factor,
                        double on_tangent)
{
    int first = reduced->first[constraint];
    const double *normal = reduced_row(reduced, row);
    double *column = leaf->column + (size_t)leaf->count * (size_t)reduced->width;
    for (int j = 0; j < reduced->width; j++)
        column[j] = factor * normal[j];
    if (on_tangent != 0) {
        double d[WAYS];
        int tangents = leaf_directions(reduced, constraint, d);
        for (int k = 0; k < tangents; k++)
            for (int j = 0; j < reduced->width; j++)
                column[j] += on_tangent * d[k] * reduced_row(reduced, first + 1 + k)[j];
    }
    double sum = 0;
    for (int j = 0; j < reduced->width; j++)
        sum += column[j] * column[j];
    leaf->length[leaf->count] = sqrt(sum);
    leaf->constraint[leaf->count] = constraint;
    leaf->row[leaf->count] = row;
    leaf->tangential[leaf->count++] = row >= reduced_tangent(reduced, constraint);
}

SpragStatus leaf_room_create(const Reduced *reduced, LeafRoom *room)
{
    size_t rows = (size_t)reduced->rows + 1, width = (size_t)reduced->width + 1;
    size_t halves = 3 * rows, matrices = rows * (width + width + rows);
    size_t bearings = reduced->round > 0 ? (1 + WAYS) * (size_t)reduced->constraints + width : 0;
    double *numbers = sprag_arena_alloc(
        reduced->arena, matrices + 2 * rows + width + halves * (rows + 1) + bearings,
        sizeof *numbers);
    room->constraint = sprag_arena_alloc(reduced->arena, 4 * rows,
                                         sizeof *room->constraint + sizeof *room->tangential);
    if (!numbers || !room->constraint)
        return SPRAG_ERROR_MEMORY;
    room->row = room->constraint + 3 * rows;
    room->permutation = room->constraint + rows;
    room->tangential = (bool *)(room->row + rows);
    room->column = numbers;
    room->D = room->column + rows * width;
    room->factors = room->D + rows * width;
    room->length = room->factors + rows * rows;
    room->x = room->length + rows;
    room->right = room->x + rows;
    room->h = room->right + width;
    room->g = room->h + halves;
    room->pressure = room->aim = room->load = NULL;
    if (reduced->round > 0) {
        room->pressure = room->g + halves * rows;
        room->aim = room->pressure + reduced->constraints;
        room->load = room->aim + WAYS * (size_t)reduced->constraints;
    }
    return SPRAG_OK;
}

void leaf_build(const Reduced *reduced, const Cell *cells, const LeafRoom *room, Leaf *leaf)
{
    *leaf = (Leaf){.room = room,
                   .cells = cells,
                   .constraint = room->constraint,
                   .row = room->row,
                   .tangential = room->tangential,
                   .pressure = room->pressure,
                   .aim = room->aim,
                   .load = room->load,
                   .column = room->column,
                   .length = room->length};
    for (int c = 0; c < reduced->constraints; c++) {
        double sigma = cells[c].sigma ? cells[c].sigma : 1;
        int first = reduced->first[c], tangent = reduced_tangent(reduced, c);
        if (cells[c].kind == CELL_SEPARATE)
            continue;
        if (cells[c].kind == CELL_SLIDE && !reduced_is_round(reduced, c)) {
            add_unknown(reduced, leaf, c, first, sigma, -cells[c].k * reduced->friction[c]);
            continue;
        }
        for (int row = first; row < tangent; row++)
            add_unknown(reduced, leaf, c, row, sigma, 0);
        if (cells[c].kind == CELL_STICK)
            add_unknown(reduced, leaf, c, tangent, 1, 0);
    }
    for (int c = 0; reduced->round > 0 && c < reduced->constraints; c++)
        leaf->pressure[c] = 0;
    for (int k = 0; reduced->round > 0 && k < WAYS * reduced->constraints; k++)
        leaf->aim[k] = 0;
    for (int j = 0; reduced->round > 0 && j < reduced->width; j++)
        leaf->load[j] = 0;
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
        xi[j] = leaf->load ? leaf->load[j] : 0;
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
    double given = reduced->b[row];
    for (int j = 0; leaf->load && j < reduced->width; j++)
        given += reduced_row(reduced, row)[j] * leaf->load[j];
    double *g = next_half_space(out, -sign * given);
    for (int i = 0; i < leaf->count; i++)
        g[i] =
            sign * leaf_product(reduced, leaf, reduced_row(reduced, row), reduced->length[row], i);
}

// μ u·λN ± λT ≥ 0 of unknown i.
static void add_aimed_cone(const Reduced *reduced, const Leaf *leaf, int i, HalfSpaces *out)
{
    int c = leaf->constraint[i];
    const double *aim = leaf->aim + WAYS * (size_t)c;
    int press[WAYS], count = leaf_press(reduced, leaf, c, press);
    for (int sign = -1; sign <= 1 && sprag_length(count, aim) > 0; sign += 2) {
        double *g = next_half_space(out, 0);
        for (int k = 0; k < count; k++)
            g[press[k]] = reduced->friction[c] * aim[k];
        g[i] = sign;
    }
}

void leaf_half_spaces(const Reduced *reduced, const Leaf *leaf, bool with_accelerations,
                      HalfSpaces *out)
{
    *out = (HalfSpaces){.n = leaf->count, .g = leaf->room->g, .h = leaf->room->h};
    for (int i = 0; i < leaf->count; i++) {
        int c = leaf->constraint[i];
        if (leaf->tangential[i] && reduced_is_round(reduced, c)) {
            add_aimed_cone(reduced, leaf, i, out);
        } else if (leaf->tangential[i]) {
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
            add_acceleration(reduced, leaf, reduced_tangent(reduced, c), leaf->cells[c].k, out);
    }
}
