// map_borders.c: where the verdict changes between neighbouring points of the grid.
// Problem   lines between regions of a piecewise constant function of which only values can be
// asked Method    bisection on every edge of the grid whose ends differ; inside a cell two such
// points are
//           joined by a segment, three or four with a point of their own: windows of half the size
//           that hold as many classes lead to it. Along the frame of the map segments close the
//           regions.
// Assumes   one change between two neighbouring points; of several, the first from the end with
//           the lower index is found
#include <math.h>
#include <string.h>

#include "sweep_private.h"

typedef struct Edge {
    int i, j; // lower end
    bool up;  // along y
    int vertex;
} Edge;

// A cell with three or four border points.
typedef struct Junction {
    double i, j; // in units of the grid
    int vertex;
} Junction;

typedef struct Marching {
    MapWork *work;
    SpragMap *map;
    SpragContext *context;
    int nx, ny;  // of complete rows
    int *across; // vertex on the edge from (i, j) along x; −1: none
    int *upward; // … along y
    Edge *edges;
    int edge_count;
    Junction *junctions;
    int junction_count;
    size_t edge_capacity, vertex_capacity, segment_capacity, junction_capacity;
} Marching;

static int class_at(const Marching *m, int i, int j)
{
    return m->map->classes[i + (long)j * m->nx];
}

// ---- Points on edges ----------------------------------------------------------------------------

static SpragStatus add_vertex(Marching *m, double x, double y, bool meeting, int *index)
{
    SpragMap *map = m->map;
    SPRAG_TRY(sprag_reserve(m->context, &map->vertices, &m->vertex_capacity,
                            (size_t)map->vertex_count + 1, sizeof *map->vertices));
    map->vertices[map->vertex_count] = (SpragMapVertex){x, y, meeting};
    *index = map->vertex_count++;
    return SPRAG_OK;
}

static SpragStatus add_edge(Marching *m, int i, int j, bool up)
{
    Edge edge = {i, j, up, -1};
    int *place = up ? &m->upward[i + (long)j * m->nx] : &m->across[i + (long)j * m->nx];
    *place = -1;
    if (class_at(m, i, j) == class_at(m, i + !up, j + up))
        return SPRAG_OK;
    SPRAG_TRY(sprag_reserve(m->context, &m->edges, &m->edge_capacity, (size_t)m->edge_count + 1,
                            sizeof *m->edges));
    SPRAG_TRY(add_vertex(m, 0, 0, false, &edge.vertex));
    *place = edge.vertex;
    m->edges[m->edge_count++] = edge;
    return SPRAG_OK;
}

static SpragStatus find_edges(Marching *m)
{
    for (int j = 0; j < m->ny; j++)
        for (int i = 0; i < m->nx; i++) {
            if (i + 1 < m->nx)
                SPRAG_TRY(add_edge(m, i, j, false));
            if (j + 1 < m->ny)
                SPRAG_TRY(add_edge(m, i, j, true));
        }
    return SPRAG_OK;
}

static void place_vertex(Marching *m, const Edge *edge, double part)
{
    SpragMapVertex *vertex = &m->map->vertices[edge->vertex];
    vertex->x = axis_value(&m->map->axes[0], edge->i + (edge->up ? 0 : part));
    vertex->y =
        m->map->axes[1].path ? axis_value(&m->map->axes[1], edge->j + (edge->up ? part : 0)) : 0;
}

static SpragStatus bisect_edge(Worker *worker, long index, void *user)
{
    Marching *m = user;
    const Edge *edge = &m->edges[index];
    const SpragMapAxis *axis = &m->map->axes[edge->up];
    double low = 0, high = 1;
    double tolerance = m->work->settings->border_tolerance * (axis->count - 1);
    int class_index, below = class_at(m, edge->i, edge->j);
    while (high - low > tolerance) {
        double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high)
            break;
        place_vertex(m, edge, middle);
        const SpragMapVertex *vertex = &m->map->vertices[edge->vertex];
        SPRAG_TRY(worker_classify(worker, index, vertex->x, vertex->y, &class_index));
        if (class_index == below)
            low = middle;
        else
            high = middle;
    }
    place_vertex(m, edge, 0.5 * (low + high));
    return SPRAG_OK;
}

// ---- Segments -----------------------------------------------------------------------------------

static SpragStatus add_segment(Marching *m, int a, int b, int left, int right)
{
    SpragMap *map = m->map;
    SPRAG_TRY(sprag_reserve(m->context, &map->segments, &m->segment_capacity,
                            (size_t)map->segment_count + 1, sizeof *map->segments));
    map->segments[map->segment_count++] = (SpragMapSegment){a, b, left, right};
    return SPRAG_OK;
}

// Corners and edges of a cell counter-clockwise: edge k leads from corner k to corner k + 1.
static SpragStatus cut_cell(Marching *m, int i, int j)
{
    long at = i + (long)j * m->nx;
    int classes[4] = {class_at(m, i, j), class_at(m, i + 1, j), class_at(m, i + 1, j + 1),
                      class_at(m, i, j + 1)};
    int edges[4] = {m->across[at], m->upward[at + 1], m->across[at + m->nx], m->upward[at]};
    int crossed[4], count = 0, centre;
    for (int k = 0; k < 4; k++)
        if (edges[k] >= 0)
            crossed[count++] = k;
    if (count == 0)
        return SPRAG_OK;
    if (count == 2)
        return add_segment(m, edges[crossed[0]], edges[crossed[1]], classes[crossed[0]],
                           classes[(crossed[0] + 1) % 4]);
    double x = 0, y = 0;
    for (int k = 0; k < count; k++) {
        x += m->map->vertices[edges[crossed[k]]].x / count;
        y += m->map->vertices[edges[crossed[k]]].y / count;
    }
    SPRAG_TRY(add_vertex(m, x, y, true, &centre));
    SPRAG_TRY(sprag_reserve(m->context, &m->junctions, &m->junction_capacity,
                            (size_t)m->junction_count + 1, sizeof *m->junctions));
    m->junctions[m->junction_count++] = (Junction){i + 0.5, j + 0.5, centre};
    for (int k = 0; k < count; k++)
        SPRAG_TRY(add_segment(m, edges[crossed[k]], centre, classes[crossed[k]],
                              classes[(crossed[k] + 1) % 4]));
    return SPRAG_OK;
}

// ---- Where borders meet -------------------------------------------------------------------------

enum {
    SAMPLES = 9,
    MIDDLE = SAMPLES / 2,
    QUARTER = MIDDLE / 2,
    WINDOW = 5,
    MOST_JUNCTIONS = 64,
    SHORT = 8
};

// Number of different classes in a window of samples.
static int count_classes(int classes[SAMPLES][SAMPLES], int r, int c)
{
    int found[WINDOW * WINDOW], count = 0;
    for (int k = 0; k < WINDOW * WINDOW; k++) {
        int class_index = classes[r + k / WINDOW][c + k % WINDOW], seen = 0;
        while (seen < count && found[seen] != class_index)
            seen++;
        if (seen == count)
            found[count++] = class_index;
    }
    return count;
}

// A square of samples around a place of the grid.
typedef struct Box {
    double i, j; // its middle, in units of the grid
    double half; // of its side
} Box;

// The place of a sample, inside of the grid.
static double sample_place(double middle, double half, int sample, int count)
{
    double place = middle + half * (sample - MIDDLE) / MIDDLE;
    return fmin(count - 1, fmax(0, place));
}

// Halves the box around the part of it with the most classes; returns their number.
static SpragStatus halve_box(Worker *worker, long index, const Marching *m, Box *box, int *most)
{
    int classes[SAMPLES][SAMPLES], best_r = 0, best_c = 0;
    for (int r = 0; r < SAMPLES; r++)
        for (int c = 0; c < SAMPLES; c++) {
            double x = axis_value(&m->map->axes[0], sample_place(box->i, box->half, c, m->nx));
            double y = axis_value(&m->map->axes[1], sample_place(box->j, box->half, r, m->ny));
            SPRAG_TRY(worker_classify(worker, index, x, y, &classes[r][c]));
        }
    *most = 0;
    for (int r = 0; r + WINDOW <= SAMPLES; r++)
        for (int c = 0; c + WINDOW <= SAMPLES; c++) {
            int count = count_classes(classes, r, c);
            // of equal ones the middle
            if (count > *most || (count == *most && r == QUARTER && c == QUARTER)) {
                *most = count;
                best_r = r;
                best_c = c;
            }
        }
    box->i += box->half * (best_c - QUARTER) / MIDDLE;
    box->j += box->half * (best_r - QUARTER) / MIDDLE;
    box->half *= 0.5;
    return SPRAG_OK;
}

// Closes in on a point around which there are at least three classes; it stays where it was if
// there is none.
static SpragStatus find_junction(Worker *worker, long index, void *user)
{
    Marching *m = user;
    Junction *junction = &m->junctions[index];
    Box box = {junction->i, junction->j, 3}; // cells to each side
    const double small = 1e-3;
    int classes = 3;
    while (box.half > small && classes >= 3)
        SPRAG_TRY(halve_box(worker, index, m, &box, &classes));
    if (classes < 3)
        return SPRAG_OK;
    junction->i = sample_place(box.i, 0, MIDDLE, m->nx);
    junction->j = sample_place(box.j, 0, MIDDLE, m->ny);
    m->map->vertices[junction->vertex].x = axis_value(&m->map->axes[0], junction->i);
    m->map->vertices[junction->vertex].y = axis_value(&m->map->axes[1], junction->j);
    return SPRAG_OK;
}

// Segments at a vertex: the first two.
typedef struct Meeting {
    int degree, at[2];
} Meeting;

// Cells near each other may have led to the same point: its vertices become one.
static void merge_junctions(Marching *m, int *same)
{
    const double near = 0.01; // of a cell
    for (int k = 0; k < m->map->vertex_count; k++)
        same[k] = k;
    for (int a = 0; a < m->junction_count; a++)
        for (int b = 0; b < a; b++)
            if (hypot(m->junctions[a].i - m->junctions[b].i,
                      m->junctions[a].j - m->junctions[b].j) < near) {
                same[m->junctions[a].vertex] = same[m->junctions[b].vertex];
                break;
            }
}

// Where a chain of segments through vertices of degree two leads from `vertex`, after at most SHORT
// of them; they are listed in chain. −1: further.
static int follow_chain(const Marching *m, const Meeting *meetings, int vertex, int segment,
                        int chain[SHORT], int *count)
{
    for (*count = 0; *count < SHORT;) {
        const SpragMapSegment *piece = &m->map->segments[segment];
        chain[(*count)++] = segment;
        vertex = piece->a == vertex ? piece->b : piece->a;
        const Meeting *here = &meetings[vertex];
        if (here->degree != 2)
            return vertex;
        segment = here->at[0] == segment ? here->at[1] : here->at[0];
    }
    return -1;
}

// Drops segments without length, and short ways from a meeting point back to itself: what is left
// of the cells between two that were merged.
static void drop_spurs(Marching *m, const int *same, Meeting *meetings, bool *dropped)
{
    SpragMap *map = m->map;
    int kept = 0, chain[SHORT], count;
    for (int k = 0; k < map->segment_count; k++) {
        SpragMapSegment *segment = &map->segments[k];
        segment->a = same[segment->a];
        segment->b = same[segment->b];
        int ends[] = {segment->a, segment->b};
        for (int e = 0; e < 2; e++) {
            Meeting *here = &meetings[ends[e]];
            if (here->degree < 2)
                here->at[here->degree] = k;
            here->degree++;
        }
    }
    for (int k = 0; k < map->segment_count; k++) {
        int from = map->segments[k].b;
        if (dropped[k] || meetings[from].degree == 2)
            continue;
        if (follow_chain(m, meetings, from, k, chain, &count) == from)
            for (int c = 0; c < count; c++)
                dropped[chain[c]] = true;
    }
    for (int k = 0; k < map->segment_count; k++)
        if (!dropped[k])
            map->segments[kept++] = map->segments[k];
    map->segment_count = kept;
}

static SpragStatus place_junctions(Marching *m)
{
    if (m->junction_count == 0 || m->junction_count > MOST_JUNCTIONS || m->work->interrupted)
        return SPRAG_OK;
    SPRAG_TRY(work_run(m->work, m->junction_count, find_junction, m));
    if (m->work->interrupted)
        return SPRAG_OK;
    size_t vertices = (size_t)m->map->vertex_count;
    int *same = sprag_alloc(m->context, vertices, sizeof *same);
    Meeting *meetings = sprag_alloc(m->context, vertices, sizeof *meetings);
    bool *dropped = sprag_alloc(m->context, (size_t)m->map->segment_count, sizeof *dropped);
    SpragStatus status = same && meetings && dropped ? SPRAG_OK : SPRAG_ERROR_MEMORY;
    if (status == SPRAG_OK) {
        merge_junctions(m, same);
        drop_spurs(m, same, meetings, dropped);
    }
    sprag_free(m->context, same);
    sprag_free(m->context, meetings);
    sprag_free(m->context, dropped);
    return status;
}

// ---- The frame ----------------------------------------------------------------------------------

typedef struct Walk {
    int first, last; // vertices: where it began, where the open piece begins
    int class_index; // of the open piece
} Walk;

// One side of the frame: `count` edges from (i, j) in steps of (di, dj), ending at a corner.
static SpragStatus walk_side(Marching *m, Walk *walk, const int from[2], const int step[2],
                             int count)
{
    int i = from[0], j = from[1], corner;
    for (int k = 0; k < count; k++, i += step[0], j += step[1]) {
        int low_i = step[0] < 0 ? i - 1 : i, low_j = step[1] < 0 ? j - 1 : j;
        const int *edges = step[0] != 0 ? m->across : m->upward;
        int vertex = edges[low_i + (long)low_j * m->nx];
        if (vertex < 0)
            continue;
        SPRAG_TRY(add_segment(m, walk->last, vertex, walk->class_index, -1));
        walk->last = vertex;
        walk->class_index = class_at(m, i + step[0], j + step[1]);
    }
    if (i == 0 && j == 0)
        corner = walk->first;
    else
        SPRAG_TRY(add_vertex(m, axis_value(&m->map->axes[0], i), axis_value(&m->map->axes[1], j),
                             true, &corner));
    SPRAG_TRY(add_segment(m, walk->last, corner, walk->class_index, -1));
    walk->last = corner;
    return SPRAG_OK;
}

static SpragStatus walk_frame(Marching *m)
{
    int right = m->nx - 1, top = m->ny - 1;
    const int starts[4][2] = {{0, 0}, {right, 0}, {right, top}, {0, top}};
    const int steps[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    Walk walk = {.class_index = class_at(m, 0, 0)};
    SPRAG_TRY(
        add_vertex(m, m->map->axes[0].values[0], m->map->axes[1].values[0], true, &walk.first));
    walk.last = walk.first;
    for (int side = 0; side < 4; side++)
        SPRAG_TRY(walk_side(m, &walk, starts[side], steps[side], side % 2 ? top : right));
    return SPRAG_OK;
}

// A row of points has borders between them and no cells.
static SpragStatus cut_row(Marching *m)
{
    for (int k = 0; k < m->edge_count; k++) {
        const Edge *edge = &m->edges[k];
        SPRAG_TRY(add_segment(m, edge->vertex, edge->vertex, class_at(m, edge->i, 0),
                              class_at(m, edge->i + 1, 0)));
    }
    return SPRAG_OK;
}

static SpragStatus march(Marching *m)
{
    size_t count = (size_t)m->nx * (size_t)m->ny;
    m->across = sprag_alloc(m->context, count, sizeof(int));
    m->upward = sprag_alloc(m->context, count, sizeof(int));
    if (!m->across || !m->upward)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(find_edges(m));
    for (int k = 0; k < m->edge_count; k++)
        place_vertex(m, &m->edges[k], 0.5);
    if (!m->work->interrupted && m->edge_count > 0) {
        m->work->total = m->work->done_before + m->edge_count;
        SPRAG_TRY(work_run(m->work, m->edge_count, bisect_edge, m));
    }
    if (m->ny == 1)
        return cut_row(m);
    for (int j = 0; j + 1 < m->ny; j++)
        for (int i = 0; i + 1 < m->nx; i++)
            SPRAG_TRY(cut_cell(m, i, j));
    SPRAG_TRY(place_junctions(m));
    return walk_frame(m);
}

SpragStatus map_borders(MapWork *work)
{
    Marching m = {.work = work,
                  .map = work->map,
                  .context = work->map->context,
                  .nx = work->map->axes[0].count,
                  .ny = work->map->complete_rows};
    if (m.ny < (work->map->axes[1].path ? 2 : 1) || m.nx < 2)
        return SPRAG_OK;
    long total = work->total;
    SpragStatus status = march(&m);
    work->total = total;
    sprag_free(m.context, m.across);
    sprag_free(m.context, m.upward);
    sprag_free(m.context, m.edges);
    sprag_free(m.context, m.junctions);
    return status;
}
