// scene_shapes_space.c: shapes of bodies in space, in the frame that the file gives them in.
// Long shapes lie along z, all are centred at their own origin; `orientation` turns and `at` moves
// that frame within the body.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene_private.h"

static SpragStatus reserve_points(Reader *reader, SpragShape *shape, int count)
{
    shape->vertex_count = count;
    shape->points = sprag_arena_alloc(reader->arena, (size_t)count, sizeof *shape->points);
    return shape->points ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

static SpragStatus read_round(Reader *reader, const Node *node, SpragShape *shape)
{
    static const char *const sphere[] = {"radius", NULL};
    static const char *const tube[] = {"length", "radius", NULL};
    static const char *const rod[] = {"length", NULL};
    const char *const *keys = shape->kind == SPRAG_SHAPE_SPHERE ? sphere
                              : shape->kind == SPRAG_SHAPE_ROD  ? rod
                                                                : tube;
    SPRAG_TRY(check_keys(reader, node, sprag_shape_kind_name(shape->kind), keys));
    if (shape->kind != SPRAG_SHAPE_ROD)
        SPRAG_TRY(need_length(reader, node, "radius", &shape->radius));
    if (shape->kind == SPRAG_SHAPE_SPHERE)
        return reserve_points(reader, shape, 1);
    SPRAG_TRY(need_length(reader, node, "length", &shape->size[2]));
    SPRAG_TRY(reserve_points(reader, shape, 2));
    shape->points[0].z = -shape->size[2] / 2;
    shape->points[1].z = shape->size[2] / 2;
    return SPRAG_OK;
}

static SpragStatus read_box(Reader *reader, const Node *node, SpragShape *shape)
{
    static const char *const keys[] = {"size", NULL};
    SPRAG_TRY(check_keys(reader, node, "box", keys));
    const Node *node_size = node_get(node, "size");
    if (!node_size)
        return fail_at(reader, node, "size is missing, a list of 3 lengths");
    double *size = shape->size;
    SPRAG_TRY(read_numbers(reader, node_size, "size", KIND_LENGTH, 3, size));
    double most = fmax(size[0], fmax(size[1], size[2]));
    for (int i = 0; i < 3; i++)
        if (!(size[i] > 1e-9 * most)) // also of thickness 0
            return fail_at(reader, node_size,
                           "size must be lengths > 0 (a thickness above 1e-9 of the largest), got "
                           "[%g, %g, %g]",
                           size[0], size[1], size[2]);
    SPRAG_TRY(reserve_points(reader, shape, 8));
    for (int i = 0; i < 8; i++)
        shape->points[i] =
            sprag_vec3((i % 4 == 1 || i % 4 == 2 ? 0.5 : -0.5) * size[0],
                       (i % 4 >= 2 ? 0.5 : -0.5) * size[1], (i >= 4 ? 0.5 : -0.5) * size[2]);
    return SPRAG_OK;
}

static SpragStatus read_points(Reader *reader, const Node *node, SpragShape *shape)
{
    SPRAG_TRY(read_point_names(reader, node, shape));
    SPRAG_TRY(reserve_points(reader, shape, node->count));
    for (int i = 0; i < node->count; i++)
        SPRAG_TRY(read_vec3(reader, node->items[i], shape->vertex_names[i], KIND_LENGTH,
                            &shape->points[i]));
    return SPRAG_OK;
}

static SpragStatus read_plane(Reader *reader, const Node *node, SpragShape *shape)
{
    static const char *const keys[] = {"normal", "offset", NULL};
    SPRAG_TRY(check_keys(reader, node, "plane", keys));
    const Node *normal = node_get(node, "normal");
    SpragVec3 n = sprag_vec3(0, 0, 1);
    if (normal) {
        SPRAG_TRY(read_vec3(reader, normal, "normal", KIND_ANY, &n));
        double length = sprag_vec3_norm(n);
        if (!(length > SPRAG_MODEL_SMALLEST))
            return fail_at(reader, normal, "normal must not be [0, 0, 0]");
        n = sprag_vec3(n.x / length, n.y / length, n.z / length);
    }
    shape->normal = n;
    return read_optional(reader, node, "offset", KIND_LENGTH, RANGE_ALL, &shape->offset);
}

// ---- Hulls --------------------------------------------------------------------------------------

// Copies a list to the arena, so that it goes with the reader.
static void *keep_list(Reader *reader, const void *items, size_t count, size_t size)
{
    void *copy = sprag_arena_alloc(reader->arena, count, size);
    if (copy && count > 0)
        memcpy(copy, items, count * size);
    return copy;
}

SpragStatus keep_solid(Reader *reader, SpragSolid *solid, SpragShape *shape)
{
    size_t vertices = (size_t)solid->vertex_count, faces = (size_t)solid->face_count;
    size_t corners = (size_t)solid->face_first[faces];
    SpragSolid *kept = keep_list(reader, solid, 1, sizeof *solid);
    if (kept) {
        kept->vertices = keep_list(reader, solid->vertices, vertices, sizeof *kept->vertices);
        kept->normals = keep_list(reader, solid->normals, faces, sizeof *kept->normals);
        kept->offsets = keep_list(reader, solid->offsets, faces, sizeof(double));
        kept->face_first = keep_list(reader, solid->face_first, faces + 1, sizeof(int));
        kept->face_vertices = keep_list(reader, solid->face_vertices, corners, sizeof(int));
        kept->edge_vertices = keep_list(reader, solid->edge_vertices, corners, sizeof(int));
        kept->edge_faces = keep_list(reader, solid->edge_faces, corners, sizeof(int));
    }
    shape->solid = kept;
    shape->vertex_count = solid->vertex_count;
    shape->points = keep_list(reader, solid->vertices, vertices, sizeof *shape->points);
    bool done = kept && shape->points && kept->vertices && kept->normals && kept->offsets &&
                kept->face_first && kept->face_vertices && kept->edge_vertices && kept->edge_faces;
    sprag_solid_destroy(reader->context, solid);
    return done ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

SpragStatus keep_surface(Reader *reader, SpragSurface *surface, SpragShape *shape)
{
    size_t vertices = (size_t)surface->vertex_count, count = (size_t)surface->triangle_count;
    SpragSurface *kept = keep_list(reader, surface, 1, sizeof *surface);
    if (kept) {
        kept->vertices = keep_list(reader, surface->vertices, vertices, sizeof *kept->vertices);
        kept->normals = keep_list(reader, surface->normals, count, sizeof *kept->normals);
        kept->triangles = keep_list(reader, surface->triangles, 3 * count, sizeof(int));
        kept->neighbours = keep_list(reader, surface->neighbours, 3 * count, sizeof(int));
    }
    shape->surface = kept;
    bool done = kept && kept->vertices && kept->normals && kept->triangles && kept->neighbours;
    sprag_surface_destroy(reader->context, surface);
    return done ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// Corners keep the numbers that their points have in the file.
static SpragStatus name_corners(Reader *reader, const SpragVec3 *points, SpragShape *shape)
{
    enum { NAME_BYTES = 16 };
    size_t count = (size_t)shape->vertex_count;
    char *texts = sprag_arena_alloc(reader->arena, count, NAME_BYTES);
    shape->vertex_names = sprag_arena_alloc(reader->arena, count, sizeof(char *));
    if (!texts || !shape->vertex_names)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0, k = 0; i < shape->vertex_count; i++, k++) {
        const SpragVec3 *p = &shape->points[i];
        while (points[k].x != p->x || points[k].y != p->y || points[k].z != p->z)
            k++;
        shape->vertex_names[i] = texts + (size_t)i * NAME_BYTES;
        snprintf(shape->vertex_names[i], NAME_BYTES, "c%d", k);
    }
    return SPRAG_OK;
}

static SpragStatus read_hull(Reader *reader, const Node *node, SpragShape *shape)
{
    static const char *const keys[] = {"points", NULL};
    SPRAG_TRY(check_keys(reader, node, "hull", keys));
    const Node *list = node_get(node, "points");
    if (!list)
        return fail_at(reader, node, "points is missing, a list of [x, y, z]");
    SPRAG_TRY(need_sequence(reader, list, "points"));
    size_t count = (size_t)list->count;
    SpragVec3 *points = sprag_arena_alloc(reader->arena, count, sizeof *points);
    if (!points)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < list->count; i++)
        SPRAG_TRY(read_vec3(reader, list->items[i], "a point", KIND_LENGTH, &points[i]));
    SpragSolid *solid;
    SPRAG_TRY(locate(reader, list,
                     sprag_solid_create_hull(reader->context, list->count, points, &solid)));
    SPRAG_TRY(keep_solid(reader, solid, shape));
    if (shape->vertex_count < list->count)
        SPRAG_TRY(note(reader, "a hull of %d points: %d of them are within the others, no corners",
                       list->count, list->count - shape->vertex_count));
    return name_corners(reader, points, shape);
}

// ---- Places -------------------------------------------------------------------------------------

static void turn_list(const SpragMat3 *R, int count, SpragVec3 *list)
{
    for (int i = 0; list && i < count; i++)
        list[i] = sprag_mat3_apply(R, list[i]);
}

static void turn_shape(const SpragMat3 *R, SpragShape *shape)
{
    turn_list(R, shape->vertex_count, shape->points);
    shape->normal = sprag_mat3_apply(R, shape->normal);
    if (shape->kind == SPRAG_SHAPE_PLANE)
        shape->normal = sprag_vec3_unit(shape->normal);
    shape->axes = *R;
    if (shape->solid) {
        turn_list(R, shape->solid->vertex_count, shape->solid->vertices);
        turn_list(R, shape->solid->face_count, shape->solid->normals);
    }
    if (shape->surface) {
        turn_list(R, shape->surface->vertex_count, shape->surface->vertices);
        turn_list(R, shape->surface->triangle_count, shape->surface->normals);
    }
}

static SpragStatus place(Reader *reader, const Node *node, SpragShape *shape)
{
    const Node *at = node_get(node, "at"), *orientation = node_get(node, "orientation");
    shape->axes = sprag_mat3_identity();
    if (orientation) {
        SpragQuaternion q;
        SPRAG_TRY(read_orientation(reader, orientation, &q));
        SpragMat3 R = sprag_quaternion_matrix(q);
        turn_shape(&R, shape);
    }
    if (!at)
        return SPRAG_OK;
    SpragVec3 by;
    SPRAG_TRY(read_vec3(reader, at, "at", KIND_LENGTH, &by));
    shift_shape(shape, by);
    return SPRAG_OK;
}

static SpragStatus read_kind(Reader *reader, const Node *node, bool fixed, SpragShape *shape)
{
    switch (shape->kind) {
    case SPRAG_SHAPE_SPHERE:
    case SPRAG_SHAPE_CAPSULE:
    case SPRAG_SHAPE_CYLINDER:
    case SPRAG_SHAPE_ROD:
        return read_round(reader, node, shape);
    case SPRAG_SHAPE_BOX:
        return read_box(reader, node, shape);
    case SPRAG_SHAPE_POINTS:
        return read_points(reader, node, shape);
    case SPRAG_SHAPE_PLANE:
        return read_plane(reader, node, shape);
    case SPRAG_SHAPE_HULL:
        return read_hull(reader, node, shape);
    case SPRAG_SHAPE_MESH:
        return read_mesh(reader, node, fixed, shape);
    default:
        return read_height_field(reader, node, shape);
    }
}

SpragStatus read_shape_space(Reader *reader, const Node *node, const Node *size, bool fixed,
                             SpragShape *shape)
{
    const Node *inside = node_get(node, "inside");
    if (inside)
        SPRAG_TRY(read_bool(reader, inside, "inside", &shape->inside));
    const char *kind = sprag_shape_kind_name(shape->kind);
    bool hollow = false;
    switch (shape->kind) {
    case SPRAG_SHAPE_SPHERE:
    case SPRAG_SHAPE_CAPSULE:
    case SPRAG_SHAPE_CYLINDER:
    case SPRAG_SHAPE_BOX:
    case SPRAG_SHAPE_HULL:
    case SPRAG_SHAPE_MESH:
        hollow = true;
        break;
    default:
        break;
    }
    if (shape->inside && !hollow)
        return fail_at(reader, inside, "a %s has no inside", kind);
    SPRAG_TRY(read_kind(reader, size, fixed, shape));
    return place(reader, node, shape);
}
