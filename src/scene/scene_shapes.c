// scene_shapes.c: shapes of a body, in the frame that the file gives them in.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene_private.h"

static const double PI = 3.14159265358979323846;

// Whether a kind is one of scenes of that dimension.
static bool fits_dimension(SpragShapeKind kind, int dimension)
{
    switch (kind) {
    case SPRAG_SHAPE_CIRCLE:
    case SPRAG_SHAPE_POLYGON:
    case SPRAG_SHAPE_CHAIN:
        return dimension == 2;
    case SPRAG_SHAPE_CAPSULE:
    case SPRAG_SHAPE_BOX:
    case SPRAG_SHAPE_ROD:
    case SPRAG_SHAPE_POINTS:
    case SPRAG_SHAPE_PLANE:
        return true;
    default:
        return dimension == 3;
    }
}

// The one key of a shape that names its kind.
static SpragStatus find_kind(Reader *reader, const Node *node, SpragShapeKind *kind,
                             const Node **size)
{
    int dimension = reader->model->dimension;
    *size = NULL;
    for (int i = 0; i < (int)SPRAG_SHAPE_KIND_COUNT; i++) {
        const char *name = sprag_shape_kind_name((SpragShapeKind)i);
        const Node *found = node_get(node, name);
        if (found && *size)
            return fail_at(reader, node_key(node, name), "a shape has one kind, not %s and %s",
                           sprag_shape_kind_name(*kind), name);
        if (!found)
            continue;
        if (!fits_dimension((SpragShapeKind)i, dimension))
            return fail_at(reader, node_key(node, name),
                           dimension == 2 ? "a %s is a shape of scenes in space (dimension: 3)"
                                          : "a %s is a shape of scenes in the plane (dimension: 2)",
                           name);
        *kind = (SpragShapeKind)i;
        *size = found;
    }
    if (!*size)
        return fail_at(reader, node, "a shape needs its kind: %s",
                       dimension == 2 ? "circle, capsule, box, polygon, rod, points, plane or chain"
                                      : "sphere, capsule, box, cylinder, rod, points, hull, mesh, "
                                        "plane or height-field");
    return SPRAG_OK;
}

static SpragStatus reserve_vertices(Reader *reader, SpragShape *shape, int count)
{
    shape->vertex_count = count;
    shape->vertices = sprag_arena_alloc(reader->arena, (size_t)count, sizeof *shape->vertices);
    return shape->vertices ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

SpragStatus need_length(Reader *reader, const Node *node, const char *key, double *length)
{
    const Node *value = node_get(node, key);
    if (!value)
        return fail_at(reader, node, "%s is missing, a length > 0", key);
    return read_number(reader, value, key, KIND_LENGTH, RANGE_POSITIVE, length);
}

static SpragStatus read_round(Reader *reader, const Node *node, SpragShape *shape)
{
    static const char *const circle[] = {"radius", NULL};
    static const char *const capsule[] = {"length", "radius", NULL};
    static const char *const rod[] = {"length", NULL};
    const char *const *keys = shape->kind == SPRAG_SHAPE_CIRCLE    ? circle
                              : shape->kind == SPRAG_SHAPE_CAPSULE ? capsule
                                                                   : rod;
    SPRAG_TRY(check_keys(reader, node, sprag_shape_kind_name(shape->kind), keys));
    if (shape->kind != SPRAG_SHAPE_ROD)
        SPRAG_TRY(need_length(reader, node, "radius", &shape->radius));
    if (shape->kind == SPRAG_SHAPE_CIRCLE)
        return reserve_vertices(reader, shape, 1);
    double length;
    SPRAG_TRY(need_length(reader, node, "length", &length));
    SPRAG_TRY(reserve_vertices(reader, shape, 2));
    shape->vertices[0].x = -length / 2;
    shape->vertices[1].x = length / 2;
    return SPRAG_OK;
}

static SpragStatus read_box(Reader *reader, const Node *node, SpragShape *shape)
{
    static const char *const keys[] = {"size", NULL};
    SPRAG_TRY(check_keys(reader, node, "box", keys));
    const Node *size = node_get(node, "size");
    if (!size)
        return fail_at(reader, node, "size is missing, a list of 2 lengths");
    SpragVec2 whole;
    SPRAG_TRY(read_vec2(reader, size, "size", KIND_LENGTH, &whole));
    if (!(whole.x > 0 && whole.y > 0))
        return fail_at(reader, size, "size must be lengths > 0, got [%g, %g]", whole.x, whole.y);
    SPRAG_TRY(reserve_vertices(reader, shape, 4));
    for (int i = 0; i < 4; i++) {
        shape->vertices[i].x = (i == 1 || i == 2 ? 0.5 : -0.5) * whole.x;
        shape->vertices[i].y = (i >= 2 ? 0.5 : -0.5) * whole.y;
    }
    return SPRAG_OK;
}

static SpragStatus read_list(Reader *reader, const Node *node, SpragShape *shape, int least)
{
    const char *kind = sprag_shape_kind_name(shape->kind);
    const Node *points = node_get(node, "points");
    if (!points)
        return fail_at(reader, node, "points is missing, a list of [x, y]");
    SPRAG_TRY(need_sequence(reader, points, "points"));
    if (points->count < least)
        return fail_at(reader, points, "a %s needs at least %d points, got %d", kind, least,
                       points->count);
    SPRAG_TRY(reserve_vertices(reader, shape, points->count));
    for (int i = 0; i < points->count; i++)
        SPRAG_TRY(read_vec2(reader, points->items[i], "a point", KIND_LENGTH, &shape->vertices[i]));
    return SPRAG_OK;
}

// Angle by which the outline turns at corner i, −π … π; positive to the side of the interior (side
// 1: counter-clockwise outline, −1: clockwise). A fold back onto the edge before counts as −π.
static double corner_turn(const SpragShape *shape, int i, double side)
{
    const double flat = 1e-9; // sine of a turn that counts as straight on, or straight back
    int n = shape->vertex_count;
    SpragVec2 here = shape->vertices[i];
    SpragVec2 in = sprag_vec2_sub(here, shape->vertices[(i + n - 1) % n]);
    SpragVec2 out = sprag_vec2_sub(shape->vertices[(i + 1) % n], here);
    double cross = sprag_vec2_cross(in, out), dot = sprag_vec2_dot(in, out);
    if (fabs(cross) > flat * hypot(in.x, in.y) * hypot(out.x, out.y))
        return side * atan2(cross, dot);
    return dot > 0 ? 0 : -PI;
}

static void reverse_vertices(SpragShape *shape)
{
    // the first corner stays the first, so that the rest are named as in a file that goes the
    // other way round
    for (int i = 1, j = shape->vertex_count - 1; i < j; i++, j--) {
        SpragVec2 spare = shape->vertices[i];
        shape->vertices[i] = shape->vertices[j];
        shape->vertices[j] = spare;
    }
}

static bool equals_next(const SpragShape *shape, int i)
{
    SpragVec2 here = shape->vertices[i], next = shape->vertices[(i + 1) % shape->vertex_count];
    return here.x == next.x && here.y == next.y;
}

// Convex: no corner turns to the right (after reversing, if need be), and once around in all.
static SpragStatus check_convex(Reader *reader, const Node *points, SpragShape *shape)
{
    int n = shape->vertex_count;
    for (int i = 0; i < n; i++)
        if (equals_next(shape, i))
            return fail_at(reader, points->items[(i + 1) % n], "corner c%d equals corner c%d",
                           (i + 1) % n, i);
    double area, moment;
    SpragVec2 centroid;
    sprag_shape_measure(shape, &area, &centroid, &moment);
    if (area == 0)
        return fail_at(reader, points, "a polygon must have an area");
    double side = area < 0 ? -1 : 1, total = 0;
    for (int i = 0; i < n; i++) {
        double turn = corner_turn(shape, i, side);
        if (turn < 0)
            return fail_at(reader, points->items[i],
                           "a polygon must be convex: corner c%d at [%g, %g] is turned inwards", i,
                           shape->vertices[i].x, shape->vertices[i].y);
        total += turn;
    }
    const double once = 6.5; // 2π, with room for rounding; a star turns 4π or more
    if (total > once)
        return fail_at(reader, points, "a polygon must not cross itself");
    if (area > 0)
        return SPRAG_OK;
    reverse_vertices(shape);
    return note(reader,
                "a polygon whose points go clockwise: its corners are named the other way round, "
                "c0 is the first of its points and c1 the last (line %d)",
                points->line);
}

static SpragStatus read_polygon(Reader *reader, const Node *node, SpragShape *shape)
{
    static const char *const keys[] = {"points", NULL};
    SPRAG_TRY(check_keys(reader, node, "polygon", keys));
    SPRAG_TRY(read_list(reader, node, shape, 3));
    return check_convex(reader, node_get(node, "points"), shape);
}

static SpragStatus read_chain(Reader *reader, const Node *node, SpragShape *shape)
{
    static const char *const keys[] = {"points", "closed", NULL};
    SPRAG_TRY(check_keys(reader, node, "chain", keys));
    SPRAG_TRY(read_list(reader, node, shape, 2));
    const Node *points = node_get(node, "points"), *closed = node_get(node, "closed");
    for (int i = 1; i < shape->vertex_count; i++)
        if (shape->vertices[i].x == shape->vertices[i - 1].x &&
            shape->vertices[i].y == shape->vertices[i - 1].y)
            return fail_at(reader, points->items[i], "point p%d equals the one before", i);
    if (!closed)
        return SPRAG_OK;
    SPRAG_TRY(read_bool(reader, closed, "closed", &shape->closed));
    if (shape->closed && shape->vertex_count < 3)
        return fail_at(reader, points, "a closed chain needs at least 3 points");
    const SpragVec2 *first = shape->vertices, *last = first + shape->vertex_count - 1;
    if (shape->closed && first->x == last->x && first->y == last->y)
        return fail_at(reader, points->items[shape->vertex_count - 1],
                       "the last point of a closed chain must not repeat the first");
    return SPRAG_OK;
}

SpragStatus read_point_names(Reader *reader, const Node *node, SpragShape *shape)
{
    SPRAG_TRY(need_mapping(reader, node, "points"));
    if (node->count == 0)
        return fail_at(reader, node, "points needs at least one point: {name: %s}",
                       reader->model->dimension == 2 ? "[x, y]" : "[x, y, z]");
    shape->vertex_names = sprag_arena_alloc(reader->arena, (size_t)node->count, sizeof(char *));
    if (!shape->vertex_names)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < node->count; i++) {
        const char *name;
        SPRAG_TRY(read_name(reader, node->keys[i], &name));
        shape->vertex_names[i] = (char *)name;
        if (strcmp(name, "com") == 0)
            return fail_at(reader, node->keys[i], "com is the centre of mass already");
    }
    return SPRAG_OK;
}

static SpragStatus read_points(Reader *reader, const Node *node, SpragShape *shape)
{
    SPRAG_TRY(read_point_names(reader, node, shape));
    SPRAG_TRY(reserve_vertices(reader, shape, node->count));
    for (int i = 0; i < node->count; i++)
        SPRAG_TRY(read_vec2(reader, node->items[i], shape->vertex_names[i], KIND_LENGTH,
                            &shape->vertices[i]));
    return SPRAG_OK;
}

static SpragStatus read_plane(Reader *reader, const Node *node, SpragShape *shape)
{
    static const char *const keys[] = {"normal", "offset", NULL};
    SPRAG_TRY(check_keys(reader, node, "plane", keys));
    const Node *normal = node_get(node, "normal");
    SpragVec2 n = sprag_vec2(0, 1);
    if (normal) {
        SPRAG_TRY(read_vec2(reader, normal, "normal", KIND_ANY, &n));
        double length = hypot(n.x, n.y);
        if (!(length > SPRAG_MODEL_SMALLEST))
            return fail_at(reader, normal, "normal must not be [0, 0]");
        n = sprag_vec2(n.x / length, n.y / length);
    }
    shape->normal = sprag_vec3_raise(n);
    return read_optional(reader, node, "offset", KIND_LENGTH, RANGE_ALL, &shape->offset);
}

static SpragStatus read_kind(Reader *reader, const Node *node, SpragShape *shape)
{
    switch (shape->kind) {
    case SPRAG_SHAPE_CIRCLE:
    case SPRAG_SHAPE_CAPSULE:
    case SPRAG_SHAPE_ROD:
        return read_round(reader, node, shape);
    case SPRAG_SHAPE_BOX:
        return read_box(reader, node, shape);
    case SPRAG_SHAPE_POLYGON:
        return read_polygon(reader, node, shape);
    case SPRAG_SHAPE_POINTS:
        return read_points(reader, node, shape);
    case SPRAG_SHAPE_PLANE:
        return read_plane(reader, node, shape);
    default:
        return read_chain(reader, node, shape);
    }
}

// Turns and shifts the shape by its own `angle` and `at`.
static SpragStatus place_shape(Reader *reader, const Node *node, SpragShape *shape)
{
    double angle = 0;
    SpragVec2 at = {0, 0};
    const Node *place = node_get(node, "at");
    SPRAG_TRY(read_optional(reader, node, "angle", KIND_ANGLE, RANGE_ALL, &angle));
    if (place)
        SPRAG_TRY(read_vec2(reader, place, "at", KIND_LENGTH, &at));
    double c = cos(angle), s = sin(angle);
    for (int i = 0; i < shape->vertex_count; i++)
        shape->vertices[i] = sprag_vec2_add(at, sprag_vec2_turn(shape->vertices[i], c, s));
    SpragVec2 n = sprag_vec2_turn(sprag_vec3_flat(shape->normal), c, s);
    shape->normal = sprag_vec3_raise(n);
    shape->offset += sprag_vec2_dot(n, at);
    return SPRAG_OK;
}

// The one called "default" of the file, else of the file that includes it, and so on.
static SpragStatus find_default_material(Reader *reader, const Include *include, SpragShape *shape)
{
    for (;; include = include->outer) {
        const char *name = full_name(reader, include, "default");
        if (!name)
            return SPRAG_ERROR_MEMORY;
        shape->material = sprag_model_find_material(reader->model, name);
        if (shape->material >= 0 || !include)
            return SPRAG_OK;
    }
}

static SpragStatus read_material_of(Reader *reader, const Node *node, SpragShape *shape)
{
    const Node *material = node_get(node, "material");
    if (!material)
        return find_default_material(reader, node->include, shape);
    const char *name;
    SPRAG_TRY(read_text(reader, material, "material", &name));
    name = full_name(reader, material->include, name);
    if (!name)
        return SPRAG_ERROR_MEMORY;
    shape->material = sprag_model_find_material(reader->model, name);
    if (shape->material >= 0)
        return SPRAG_OK;
    size_t count = (size_t)reader->model->material_count;
    const char **names = sprag_arena_alloc(reader->arena, count + 1, sizeof *names);
    if (!names)
        return SPRAG_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++)
        names[i] = reader->model->materials[i].name;
    return fail_at(reader, material, "there is no material \"%s\"%s", shown(reader, name),
                   suggestion(reader, name, names, (int)count));
}

void shift_shape(SpragShape *shape, SpragVec3 by)
{
    for (int i = 0; shape->vertices && i < shape->vertex_count; i++)
        shape->vertices[i] = sprag_vec2_add(shape->vertices[i], sprag_vec3_flat(by));
    for (int i = 0; shape->points && i < shape->vertex_count; i++)
        shape->points[i] = sprag_vec3_add(shape->points[i], by);
    shape->offset += sprag_vec3_dot(shape->normal, by);
    shape->centre = sprag_vec3_add(shape->centre, by);
    for (int i = 0; shape->solid && i < shape->solid->vertex_count; i++)
        shape->solid->vertices[i] = sprag_vec3_add(shape->solid->vertices[i], by);
    for (int i = 0; shape->solid && i < shape->solid->face_count; i++)
        shape->solid->offsets[i] += sprag_vec3_dot(shape->solid->normals[i], by);
    for (int i = 0; shape->surface && i < shape->surface->vertex_count; i++)
        shape->surface->vertices[i] = sprag_vec3_add(shape->surface->vertices[i], by);
}

// What shapes of some dimension have, kind and size apart.
static SpragStatus read_common(Reader *reader, const Node *node, SpragShape *shape)
{
    const Node *name = node_get(node, "name"), *belt = node_get(node, "surface-velocity");
    SPRAG_TRY(read_material_of(reader, node, shape));
    if (name) {
        const char *text;
        SPRAG_TRY(read_name(reader, name, &text));
        shape->name = (char *)text;
    }
    shape->has_surface_velocity = belt != NULL;
    if (!belt)
        return SPRAG_OK;
    SPRAG_TRY(read_numbers(reader, belt, "surface-velocity", KIND_VELOCITY,
                           reader->model->dimension, shape->surface_velocity));
    SpragVec3 along = sprag_vec3_of(shape->surface_velocity);
    SPRAG_TRY(place_vector(reader, node->include, &along));
    sprag_vec3_to(along, shape->surface_velocity);
    return SPRAG_OK;
}

static SpragStatus check_fixed(Reader *reader, const Node *node, const SpragShape *shape)
{
    bool still = shape->kind == SPRAG_SHAPE_PLANE || shape->kind == SPRAG_SHAPE_CHAIN ||
                 shape->kind == SPRAG_SHAPE_FIELD;
    const char *kind = sprag_shape_kind_name(shape->kind);
    if (still)
        return fail_at(reader, node_key(node, kind), "a %s needs a body with fixed: true", kind);
    if (node_get(node, "surface-velocity"))
        return fail_at(reader, node_key(node, "surface-velocity"),
                       "surface-velocity needs a body with fixed: true");
    return SPRAG_OK;
}

SpragStatus read_shape(Reader *reader, const Node *node, bool fixed, SpragShape *shape)
{
    static const char *const keys[] = {
        "circle", "capsule", "box",         "polygon", "rod",      "points",           "plane",
        "chain",  "sphere",  "cylinder",    "hull",    "mesh",     "height-field",     "name",
        "at",     "angle",   "orientation", "inside",  "material", "surface-velocity", NULL};
    bool space = reader->model->dimension == 3;
    memset(shape, 0, sizeof *shape);
    SPRAG_TRY(check_keys(reader, node, "a shape", keys));
    const Node *size;
    SPRAG_TRY(find_kind(reader, node, &shape->kind, &size));
    if (!fixed)
        SPRAG_TRY(check_fixed(reader, node, shape));
    if (space) {
        SPRAG_TRY(refuse_angle(reader, node));
        SPRAG_TRY(read_shape_space(reader, node, size, fixed, shape));
        return read_common(reader, node, shape);
    }
    const Node *inside = node_get(node, "inside");
    if (node_get(node, "orientation"))
        return fail_at(reader, node_key(node, "orientation"),
                       "orientation is for scenes in space; in the plane give angle");
    if (inside)
        SPRAG_TRY(read_bool(reader, inside, "inside", &shape->inside));
    if (shape->inside && shape->kind != SPRAG_SHAPE_CIRCLE)
        return fail_at(reader, node_key(node, "inside"),
                       "in the plane only a circle can be inside: true; a chain bounds other "
                       "hollows");
    SPRAG_TRY(read_kind(reader, size, shape));
    SPRAG_TRY(place_shape(reader, node, shape));
    return read_common(reader, node, shape);
}
