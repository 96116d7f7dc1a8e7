// map_shapes.c: the borders of a map as lines, and its regions as closed loops of them.
// Problem   thousands of short segments, each with the class on either side
// Method    segments that meet at a vertex of degree two are joined to arcs; points that
//           do not show are left out (polyline.h). A
//           region is the arcs that have it on one side, joined end to end: so neighbours share
//           their border exactly.
#include "map_shapes.h"

#include <string.h>

#include "polyline.h"

typedef struct Joining {
    const SpragMap *map;
    MapShapes *shapes;
    int (*at)[2]; // the first two segments at a vertex
    int *degree;
    bool *used; // segments
    Polyline line;
} Joining;

// ---- Arcs ---------------------------------------------------------------------------------------

static SpragStatus add_line_point(Joining *joining, int vertex, MapPlacement *placement,
                                  const void *user)
{
    const SpragMapVertex *at = &joining->map->vertices[vertex];
    return polyline_add(&joining->line, placement(at->x, at->y, user));
}

static SpragStatus keep_arc(Joining *joining, MapArc arc)
{
    MapShapes *shapes = joining->shapes;
    SPRAG_TRY(polyline_simplify(&joining->line));
    SPRAG_TRY(sprag_reserve(shapes->context, &shapes->arcs, &shapes->arc_capacity,
                            (size_t)shapes->arc_count + 1, sizeof *shapes->arcs));
    SPRAG_TRY(sprag_reserve(shapes->context, &shapes->points, &shapes->point_capacity,
                            (size_t)shapes->point_count + (size_t)joining->line.count,
                            sizeof *shapes->points));
    arc.first = shapes->point_count;
    for (int i = 0; i < joining->line.count; i++)
        shapes->points[shapes->point_count++] = joining->line.points[i];
    arc.count = shapes->point_count - arc.first;
    shapes->arcs[shapes->arc_count++] = arc;
    return SPRAG_OK;
}

// The other segment at a vertex where just two meet; −1: the arc ends there.
static int next_segment(const Joining *joining, int vertex, int segment)
{
    if (joining->degree[vertex] != 2)
        return -1;
    int other = joining->at[vertex][0] == segment ? joining->at[vertex][1] : joining->at[vertex][0];
    return joining->used[other] ? -1 : other;
}

// Follows the border from a vertex along a segment.
static SpragStatus follow(Joining *joining, int vertex, int segment, MapPlacement *placement,
                          const void *user)
{
    const SpragMapSegment *first = &joining->map->segments[segment];
    bool forward = first->a == vertex;
    MapArc arc = {.start = vertex,
                  .left = forward ? first->left : first->right,
                  .right = forward ? first->right : first->left};
    joining->line.count = 0;
    SPRAG_TRY(add_line_point(joining, vertex, placement, user));
    while (segment >= 0) {
        const SpragMapSegment *piece = &joining->map->segments[segment];
        joining->used[segment] = true;
        vertex = piece->a == vertex ? piece->b : piece->a;
        SPRAG_TRY(add_line_point(joining, vertex, placement, user));
        segment = next_segment(joining, vertex, segment);
    }
    arc.end = vertex;
    return keep_arc(joining, arc);
}

static SpragStatus join(Joining *joining, MapPlacement *placement, const void *user)
{
    const SpragMap *map = joining->map;
    for (int i = 0; i < map->segment_count; i++) {
        int ends[] = {map->segments[i].a, map->segments[i].b};
        for (int k = 0; k < 2; k++) {
            int degree = joining->degree[ends[k]]++;
            if (degree < 2)
                joining->at[ends[k]][degree] = i;
        }
    }
    // lines with ends first, then what is left: closed ones
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < map->segment_count; i++) {
            const SpragMapSegment *segment = &map->segments[i];
            int from = joining->degree[segment->a] != 2 ? segment->a : segment->b;
            if (!joining->used[i] && (pass == 1 || joining->degree[from] != 2))
                SPRAG_TRY(follow(joining, from, i, placement, user));
        }
    return SPRAG_OK;
}

SpragStatus map_shapes_create(const SpragMap *map, MapPlacement *placement, const void *user,
                              MapShapes *shapes)
{
    SpragContext *context = map->context;
    Joining joining = {.map = map, .shapes = shapes};
    size_t vertices = (size_t)map->vertex_count + 1, segments = (size_t)map->segment_count + 1;
    SpragStatus status = SPRAG_ERROR_MEMORY;
    *shapes = (MapShapes){.context = context};
    polyline_init(&joining.line, context);
    joining.at = sprag_alloc(context, vertices, sizeof *joining.at);
    joining.degree = sprag_alloc(context, vertices, sizeof *joining.degree);
    joining.used = sprag_alloc(context, segments, sizeof *joining.used);
    if (joining.at && joining.degree && joining.used)
        status = join(&joining, placement, user);
    sprag_free(context, joining.at);
    sprag_free(context, joining.degree);
    sprag_free(context, joining.used);
    polyline_destroy(&joining.line);
    return status;
}

void map_shapes_destroy(MapShapes *shapes)
{
    if (!shapes->context)
        return;
    sprag_free(shapes->context, shapes->arcs);
    sprag_free(shapes->context, shapes->points);
}

// ---- Regions ------------------------------------------------------------------------------------

void map_arc_add(const MapShapes *shapes, int index, bool reverse, Figure *figure)
{
    const MapArc *arc = &shapes->arcs[index];
    for (int i = 0; i < arc->count - 1; i++) {
        int k = reverse ? arc->count - 1 - i : i;
        figure_point(figure, shapes->points[arc->first + k].x, shapes->points[arc->first + k].y);
    }
}

static int leaves_from(const MapArc *arc, int class_index)
{
    return arc->left == class_index ? arc->start : arc->end;
}

static int arrives_at(const MapArc *arc, int class_index)
{
    return arc->left == class_index ? arc->end : arc->start;
}

// Around the class from one arc on, taking each from the list of its vertex.
static void trace(const MapShapes *shapes, int class_index, int *leaving, int arc, Figure *figure)
{
    int first = leaves_from(&shapes->arcs[arc], class_index), vertex = first;
    do {
        arc = leaving[vertex];
        if (arc < 0)
            break;
        leaving[vertex] = shapes->arcs[arc].next;
        map_arc_add(shapes, arc, shapes->arcs[arc].left != class_index, figure);
        vertex = arrives_at(&shapes->arcs[arc], class_index);
    } while (vertex != first);
    figure_break(figure);
}

SpragStatus map_class_add(const MapShapes *shapes, const SpragMap *map, int class_index,
                          Figure *figure)
{
    int *leaving = sprag_alloc(shapes->context, (size_t)map->vertex_count + 1, sizeof *leaving);
    if (!leaving)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < map->vertex_count; i++)
        leaving[i] = -1;
    for (int i = 0; i < shapes->arc_count; i++) {
        MapArc *arc = &shapes->arcs[i];
        if (arc->left != class_index && arc->right != class_index)
            continue;
        int vertex = leaves_from(arc, class_index);
        arc->next = leaving[vertex];
        leaving[vertex] = i;
    }
    for (int i = 0; i < shapes->arc_count; i++) {
        const MapArc *arc = &shapes->arcs[i];
        if (arc->left != class_index && arc->right != class_index)
            continue;
        while (leaving[leaves_from(arc, class_index)] >= 0)
            trace(shapes, class_index, leaving, i, figure);
    }
    sprag_free(shapes->context, leaving);
    return SPRAG_OK;
}
