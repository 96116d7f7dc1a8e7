// scene_bodies.c: bodies with their shapes and sites; mass, centre and inertia from the shapes.
// Problem   m = ρ Σ A_i,  c = Σ A_i c_i / Σ A_i,  I = (m / Σ A_i) Σ (J_i + A_i |c_i − c|²)
//           with area A, centroid c and second moment J of each shape (sprag_shape_measure).
// Assumes   shapes of one body do not overlap, and have areas all, or lengths all, or are points
//           all: one density cannot mix them.
#include <math.h>
#include <string.h>

#include "scene_bodies.h"

Family shape_family(const SpragShape *shape)
{
    switch (shape->kind) {
    case SPRAG_SHAPE_ROD:
        return FAMILY_LINE;
    case SPRAG_SHAPE_POINTS:
        return FAMILY_POINTS;
    case SPRAG_SHAPE_PLANE:
    case SPRAG_SHAPE_CHAIN:
    case SPRAG_SHAPE_FIELD:
        return FAMILY_NONE;
    default:
        return shape->surface ? FAMILY_NONE : FAMILY_FULL;
    }
}

static void measure(BodyDraft *draft)
{
    double area = 0;
    SpragVec2 moment = {0, 0};
    for (int i = 0; i < draft->shape_count; i++) {
        double a, j;
        SpragVec2 c;
        if (shape_family(&draft->shapes[i]) != shape_family(&draft->shapes[0]) ||
            !sprag_shape_measure(&draft->shapes[i], &a, &c, &j))
            return;
        area += a;
        moment = sprag_vec2_add(moment, sprag_vec2_scale(a, c));
    }
    if (!(area > 0))
        return;
    SpragVec2 centroid = sprag_vec2_scale(1 / area, moment);
    draft->amount = area;
    draft->centroid = sprag_vec3_raise(centroid);
    draft->second_moment = 0;
    for (int i = 0; i < draft->shape_count; i++) {
        double a, j;
        SpragVec2 c;
        sprag_shape_measure(&draft->shapes[i], &a, &c, &j);
        SpragVec2 arm = sprag_vec2_sub(c, centroid);
        draft->second_moment += j + a * sprag_vec2_dot(arm, arm);
    }
    draft->measured = isfinite(draft->second_moment);
}

static SpragStatus read_shapes(Reader *reader, BodyDraft *draft)
{
    const Node *shapes = node_get(draft->node, "shapes");
    if (!shapes)
        return SPRAG_OK;
    SPRAG_TRY(need_sequence(reader, shapes, "shapes"));
    draft->shapes = sprag_arena_alloc(reader->arena, (size_t)shapes->count, sizeof *draft->shapes);
    if (!draft->shapes)
        return SPRAG_ERROR_MEMORY;
    draft->shape_count = shapes->count;
    for (int i = 0; i < shapes->count; i++)
        SPRAG_TRY(read_shape(reader, shapes->items[i], draft->body.fixed, &draft->shapes[i]));
    if (reader->model->dimension == 3)
        measure_space(draft);
    else
        measure(draft);
    return SPRAG_OK;
}

// Where the centre of mass is in the frame of the file, and everything relative to it.
static SpragStatus apply_com(Reader *reader, BodyDraft *draft)
{
    const Node *node = node_get(draft->node, "com");
    if (!node)
        return SPRAG_OK;
    SpragVec3 com;
    bool space = reader->model->dimension == 3;
    if (node->kind == NODE_SCALAR && strcmp(node->text, "auto") == 0) {
        if (!draft->measured)
            return fail_at(reader, node,
                           "com: auto needs shapes that all have %s, or all are rods or points; "
                           "give com: [x, y%s]",
                           space ? "a volume" : "an area", space ? ", z" : "");
        com = draft->centroid;
    } else if (node->kind == NODE_SEQUENCE) {
        SPRAG_TRY(read_vec3(reader, node, "com", KIND_LENGTH, &com));
    } else {
        return fail_at(reader, node, "com must be [x, y%s] or auto, got %s", space ? ", z" : "",
                       shown_node(reader, node));
    }
    sprag_vec3_to(com, draft->body.com);
    draft->centroid = sprag_vec3_sub(draft->centroid, com);
    for (int i = 0; i < draft->shape_count; i++)
        shift_shape(&draft->shapes[i], sprag_vec3_scale(-1, com));
    return SPRAG_OK;
}

// `shapes`: those that have a mass of their own, for messages.
static SpragStatus read_mass_of(Reader *reader, BodyDraft *draft, const char *shapes,
                                Dimension kind)
{
    const Node *mass = node_get(draft->node, "mass");
    const Node *density = node_get(draft->node, "density");
    SpragBody *body = &draft->body;
    if (mass && density)
        return fail_at(reader, node_key(draft->node, "density"),
                       "%s has a mass already: give mass or density", body->name);
    if (mass)
        return read_number(reader, mass, "mass", KIND_MASS, RANGE_POSITIVE, &body->mass);
    if (!density)
        return fail_at(reader, draft->node, "%s needs mass or density, or fixed: true", body->name);
    double rho;
    SPRAG_TRY(read_quantity(reader, density, "density", kind, RANGE_POSITIVE, &rho));
    if (!draft->measured || shape_family(&draft->shapes[0]) != FAMILY_FULL)
        return fail_at(reader, density, "density needs shapes with %s; give mass", shapes);
    body->mass = rho * draft->amount;
    return note(reader, "mass of %s: %.6g kg, from its density and shapes", body->name, body->mass);
}

static const Dimension DENSITY_SPACE = {-3, 1, 0, 0};

static SpragStatus read_mass(Reader *reader, BodyDraft *draft)
{
    if (reader->model->dimension == 3)
        return read_mass_of(reader, draft,
                            "a volume (sphere, capsule, box, cylinder, hull, convex mesh)",
                            DENSITY_SPACE);
    return read_mass_of(reader, draft, "an area (circle, capsule, box, polygon)",
                        kind_dimension(KIND_DENSITY));
}

// Largest distance of the shapes from the centre of mass.
static double outer_radius(const BodyDraft *draft)
{
    double radius = 0;
    for (int i = 0; i < draft->shape_count; i++)
        for (int v = 0; v < draft->shapes[i].vertex_count; v++) {
            SpragVec2 p = draft->shapes[i].vertices[v];
            radius = fmax(radius, hypot(p.x, p.y) + draft->shapes[i].radius);
        }
    return radius;
}

static SpragStatus derive_inertia(Reader *reader, BodyDraft *draft)
{
    SpragBody *body = &draft->body;
    if (draft->shape_count == 0)
        return fail_at(reader, draft->node,
                       "%s has no shapes to derive its inertia from; give "
                       "inertia",
                       body->name);
    if (!draft->measured)
        return fail_at(reader, draft->node,
                       "the inertia of %s cannot be derived from shapes of different sorts (area, "
                       "rod, points); give inertia",
                       body->name);
    double offset = sprag_vec3_dot(draft->centroid, draft->centroid);
    double radius = outer_radius(draft);
    body->inertia = body->mass * (draft->second_moment / draft->amount + offset);
    if (!(body->inertia > 0))
        return fail_at(reader, draft->node,
                       "the shapes of %s have no inertia about the centre of mass; give inertia",
                       body->name);
    const double slack = 1e-9; // of the body's size: rounding of the file's numbers
    if (offset > slack * slack * radius * radius)
        SPRAG_TRY(note(reader,
                       "%s: the centroid of the shapes is %.6g m from the centre of mass; the "
                       "derived inertia counts it (com: auto moves the centre)",
                       body->name, sqrt(offset)));
    return note(reader, "inertia of %s: %.6g kg m², from its shapes", body->name, body->inertia);
}

static SpragStatus read_inertia(Reader *reader, BodyDraft *draft)
{
    SpragBody *body = &draft->body;
    const Node *inertia = node_get(draft->node, "inertia");
    if (reader->model->dimension == 3)
        return read_inertia_space(reader, draft);
    if (!inertia)
        return derive_inertia(reader, draft);
    SPRAG_TRY(
        read_number(reader, inertia, "inertia", KIND_INERTIA, RANGE_POSITIVE, &body->inertia));
    const double slack = 1e-9; // two point masses reach the bound: allow rounding
    double radius = outer_radius(draft), most = body->mass * radius * radius;
    for (int i = 0; i < draft->shape_count; i++)
        if (!sprag_shape_bounds_mass(&draft->shapes[i]))
            return SPRAG_OK;
    if (radius > 0 && body->inertia > most * (1 + slack))
        return fail_at(reader, inertia,
                       "inertia %g kg m² is more than a rigid body of mass %g kg within %g m of "
                       "its centre of mass can have; at most %g",
                       body->inertia, body->mass, radius, most);
    return SPRAG_OK;
}

// A fixed body may carry them (so that a body can be fixed for a while), but nothing uses them.
static SpragStatus check_unused(Reader *reader, const Node *node)
{
    double number;
    SPRAG_TRY(read_optional(reader, node, "mass", KIND_MASS, RANGE_POSITIVE, &number));
    if (reader->model->dimension == 3) {
        const Node *density = node_get(node, "density");
        if (density)
            SPRAG_TRY(
                read_quantity(reader, density, "density", DENSITY_SPACE, RANGE_POSITIVE, &number));
        return check_unused_space(reader, node);
    }
    SPRAG_TRY(read_optional(reader, node, "density", KIND_DENSITY, RANGE_POSITIVE, &number));
    return read_optional(reader, node, "inertia", KIND_INERTIA, RANGE_POSITIVE, &number);
}

static SpragStatus refuse_on_fixed(Reader *reader, const BodyDraft *draft)
{
    static const char *const keys[] = {"velocity", "spin"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (draft->body.driven && node_get(draft->node, keys[i]))
            return fail_at(reader, node_key(draft->node, keys[i]),
                           "a driven body has no %s of its own: drive gives it", keys[i]);
        else if (draft->body.fixed && node_get(draft->node, keys[i]))
            return fail_at(reader, node_key(draft->node, keys[i]),
                           "a fixed body has no %s; surface-velocity is that of its surface",
                           keys[i]);
    if (!draft->body.fixed && node_get(draft->node, "surface-velocity"))
        return fail_at(reader, node_key(draft->node, "surface-velocity"),
                       "surface-velocity needs fixed: true");
    return SPRAG_OK;
}

static SpragStatus read_state(Reader *reader, BodyDraft *draft)
{
    SpragBody *body = &draft->body;
    const struct {
        const char *key;
        Kind kind;
        double *numbers;
    } vectors[] = {{"position", KIND_LENGTH, body->position},
                   {"velocity", KIND_VELOCITY, body->velocity},
                   {"surface-velocity", KIND_VELOCITY, body->surface_velocity}};
    SPRAG_TRY(refuse_on_fixed(reader, draft));
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        const Node *node = node_get(draft->node, vectors[i].key);
        if (node)
            SPRAG_TRY(read_numbers(reader, node, vectors[i].key, vectors[i].kind,
                                   reader->model->dimension, vectors[i].numbers));
    }
    if (reader->model->dimension == 3) {
        SPRAG_TRY(read_state_space(reader, draft));
        return place_body(reader, draft->node->include, body);
    }
    body->angle_given = node_get(draft->node, "angle") != NULL;
    body->spin_given = node_get(draft->node, "spin") != NULL;
    SPRAG_TRY(read_optional(reader, draft->node, "angle", KIND_ANGLE, RANGE_ALL, &body->angle));
    SPRAG_TRY(read_optional(reader, draft->node, "spin", KIND_SPIN, RANGE_ALL, &body->spin));
    return place_body(reader, draft->node->include, body);
}

// The body's shapes are the last of the model.
static bool has_feature(const SpragModel *model, const BodyDraft *draft, const char *name)
{
    for (int i = model->shape_count - draft->shape_count; i < model->shape_count; i++)
        for (int v = 0; v < model->shapes[i].vertex_count; v++)
            if (strcmp(model->shapes[i].vertex_names[v], name) == 0)
                return true;
    return false;
}

static SpragStatus put_sites(Reader *reader, const BodyDraft *draft, const Part *part, bool again)
{
    const Node *sites = node_get(draft->node, "sites");
    if (!sites)
        return SPRAG_OK;
    SPRAG_TRY(need_mapping(reader, sites, "sites"));
    for (int i = 0; i < sites->count; i++) {
        SpragSite site = {0};
        const char *name;
        SPRAG_TRY(read_name(reader, sites->keys[i], &name));
        site.name = (char *)name;
        site.body = part->index;
        SPRAG_TRY(read_vec3(reader, sites->items[i], name, KIND_LENGTH, &site.local));
        if (!again && has_feature(reader->model, draft, name))
            return fail_at(reader, sites->keys[i], "%s.%s is a place of the body already",
                           draft->body.name, name);
        site.local = sprag_vec3_sub(site.local, sprag_vec3_of(draft->body.com));
        if (again)
            SPRAG_TRY(sprag_model_replace_site(reader->model, part->first_site + i, &site));
        else
            SPRAG_TRY(
                locate(reader, sites->keys[i], sprag_model_add_site(reader->model, &site, NULL)));
    }
    return SPRAG_OK;
}

static SpragStatus add_body(Reader *reader, BodyDraft *draft, Part *part)
{
    SpragModel *model = reader->model;
    const Node *name = node_get(draft->node, "name"), *shapes = node_get(draft->node, "shapes");
    part->first_shape = model->shape_count;
    part->first_site = model->site_count;
    SPRAG_TRY(locate(reader, name, sprag_model_add_body(model, &draft->body, &part->index)));
    part->body = part->index;
    for (int i = 0; i < draft->shape_count; i++) {
        draft->shapes[i].body = part->index;
        SPRAG_TRY(locate(reader, shapes->items[i],
                         sprag_model_add_shape(model, &draft->shapes[i], NULL)));
    }
    return put_sites(reader, draft, part, false);
}

static SpragStatus replace_body(Reader *reader, BodyDraft *draft, const Part *part)
{
    SPRAG_TRY(sprag_model_replace_body(reader->model, part->index, &draft->body));
    for (int i = 0; i < draft->shape_count; i++) {
        draft->shapes[i].body = part->index;
        SPRAG_TRY(
            sprag_model_replace_shape(reader->model, part->first_shape + i, &draft->shapes[i]));
    }
    return put_sites(reader, draft, part, true);
}

// What the file does not give is 0, before an include moves it.
static void clear_state(SpragBody *body)
{
    memset(body->position, 0, sizeof body->position);
    memset(body->velocity, 0, sizeof body->velocity);
    memset(body->angular, 0, sizeof body->angular);
    memset(body->surface_velocity, 0, sizeof body->surface_velocity);
    body->angle = body->spin = 0;
}

// The state alone, of a body that is there.
static SpragStatus read_body_state(Reader *reader, Part *part)
{
    BodyDraft draft = {.body = reader->model->bodies[part->index], .node = part->node};
    clear_state(&draft.body);
    SPRAG_TRY(read_state(reader, &draft));
    return sprag_model_replace_body(reader->model, part->index, &draft.body);
}

// Reads what the draft needs, shapes before masses; *state: variables that only the state has met.
static SpragStatus read_draft(Reader *reader, BodyDraft *draft, uint32_t *state)
{
    uint32_t outer = reader->varied;
    reader->varied = 0;
    SPRAG_TRY(read_state(reader, draft));
    *state = reader->varied;
    reader->varied = outer;
    SPRAG_TRY(read_shapes(reader, draft));
    SPRAG_TRY(apply_com(reader, draft));
    if (draft->body.fixed)
        return check_unused(reader, draft->node);
    SPRAG_TRY(read_mass(reader, draft));
    return read_inertia(reader, draft);
}

static SpragStatus read_body(Reader *reader, Part *part)
{
    const Node *node = part->node;
    static const char *const keys[] = {"name",    "fixed",    "mass",        "density",
                                       "inertia", "position", "angle",       "velocity",
                                       "spin",    "com",      "shapes",      "surface-velocity",
                                       "sites",   "drive",    "orientation", NULL};
    BodyDraft draft = {0};
    draft.node = node;
    // a --set has no place in the file, and an included file is another one
    place_of(node, &draft.body.line, &draft.body.column);
    SPRAG_TRY(check_keys(reader, node, "a body", keys));
    if (node_get(node, "orientation") && reader->model->dimension == 2)
        return fail_at(reader, node_key(node, "orientation"),
                       "orientation is for spatial scenes; a planar body has an angle");
    const Node *name_node = node_get(node, "name"), *fixed = node_get(node, "fixed");
    if (!name_node)
        return fail_at(reader, node, "a body needs a name");
    const char *name;
    SPRAG_TRY(read_full_name(reader, name_node, &name));
    draft.body.name = (char *)name;
    if (fixed)
        SPRAG_TRY(read_bool(reader, fixed, "fixed", &draft.body.fixed));
    SPRAG_TRY(read_body_drive(reader, node, &draft.body));
    Part state = {.read = read_body_state, .change = SPRAG_SCENE_NUMBERS, .node = node};
    SPRAG_TRY(read_draft(reader, &draft, &state.varies));
    if (part->index >= 0)
        return replace_body(reader, &draft, part);
    SPRAG_TRY(add_body(reader, &draft, part));
    state.index = state.body = part->index;
    return note_part(reader, &state);
}

SpragStatus read_bodies(Reader *reader, const Node *node)
{
    SPRAG_TRY(need_sequence(reader, node, "bodies"));
    for (int i = 0; i < node->count; i++)
        SPRAG_TRY(read_part(reader, (Part){.read = read_body,
                                           .change = SPRAG_SCENE_NUMBERS,
                                           .node = node->items[i],
                                           .index = -1,
                                           .body = -1}));
    return SPRAG_OK;
}
