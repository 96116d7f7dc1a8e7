// model.c: life of a model, look-up by name and path, size.
#include <math.h>
#include <string.h>

#include "model_private.h"

SpragSimulate sprag_simulate_default(void)
{
    SpragSimulate simulate = {0};
    simulate.motion = SPRAG_MOTION_AUTO;
    simulate.until = 1;
    simulate.step = 0;
    simulate.theta = 0.5;
    simulate.tolerance = 1e-9;
    simulate.law_tolerance = 1e-3;
    simulate.output_step = 1e-3;
    simulate.contact_tolerance = 1e-9;
    simulate.impacts = SPRAG_IMPACTS_PATH;
    return simulate;
}

SpragStatus sprag_model_create(SpragContext *context, SpragModel **model)
{
    *model = NULL;
    SpragModel *created = sprag_alloc(context, 1, sizeof *created);
    if (!created)
        return SPRAG_ERROR_MEMORY;
    created->context = context;
    created->name = sprag_copy_text(context, "");
    if (!created->name) {
        sprag_free(context, created);
        return SPRAG_ERROR_MEMORY;
    }
    created->dimension = 2;
    created->gravity[1] = -9.81;
    created->simulate = sprag_simulate_default();
    *model = created;
    return SPRAG_OK;
}

void material_free(SpragContext *context, SpragMaterial *item)
{
    sprag_free(context, item->name);
}

void shape_free(SpragContext *context, SpragShape *item)
{
    if (item->vertex_names)
        for (int i = 0; i < item->vertex_count; i++)
            sprag_free(context, item->vertex_names[i]);
    sprag_free(context, item->vertex_names);
    sprag_free(context, item->vertices);
    sprag_free(context, item->points);
    sprag_solid_destroy(context, item->solid);
    sprag_surface_destroy(context, item->surface);
    sprag_free(context, item->name);
}

void sprag_model_destroy(SpragModel *model)
{
    if (!model)
        return;
    SpragContext *context = model->context;
    for (int i = 0; i < model->parameter_count; i++)
        sprag_free(context, model->parameters[i].name);
    for (int i = 0; i < model->material_count; i++)
        material_free(context, &model->materials[i]);
    for (int i = 0; i < model->body_count; i++)
        sprag_free(context, model->bodies[i].name);
    for (int i = 0; i < model->shape_count; i++)
        shape_free(context, &model->shapes[i]);
    for (int i = 0; i < model->site_count; i++)
        sprag_free(context, model->sites[i].name);
    for (int i = 0; i < model->rule_count; i++)
        sprag_free(context, model->rules[i].name);
    for (int i = 0; i < model->spring_count; i++)
        sprag_free(context, model->springs[i].name);
    for (int i = 0; i < model->joint_count; i++)
        sprag_free(context, model->joints[i].name);
    for (int i = 0; i < model->controller_count; i++)
        sprag_free(context, model->controllers[i].name);
    for (int i = 0; i < model->start_count; i++)
        sprag_free(context, model->starts[i].contact);
    void *const lists[] = {model->parameters, model->materials,   model->bodies, model->shapes,
                           model->sites,      model->rules,       model->loads,  model->springs,
                           model->joints,     model->controllers, model->starts};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        sprag_free(context, lists[i]);
    names_destroy(model);
    sprag_free(context, model->name);
    sprag_free(context, model->source);
    sprag_free(context, model);
}

int sprag_model_find_body(const SpragModel *model, const char *name)
{
    return name_find(model, NAME_BODY, -1, name, strlen(name));
}

int sprag_model_find_material(const SpragModel *model, const char *name)
{
    return name_find(model, NAME_MATERIAL, -1, name, strlen(name));
}

int sprag_model_find_joint(const SpragModel *model, const char *name)
{
    return name_find(model, NAME_JOINT, -1, name, strlen(name));
}

// ---- Paths --------------------------------------------------------------------------------------

static bool is_text(const char *text, const char *bytes, size_t length)
{
    return text && strlen(text) == length && memcmp(text, bytes, length) == 0;
}

static int find_vertex(const SpragShape *shape, const char *name)
{
    if (shape->vertex_names)
        for (int i = 0; i < shape->vertex_count; i++)
            if (strcmp(shape->vertex_names[i], name) == 0)
                return i;
    return -1;
}

// The shape of the body with that name, else the only unnamed one of that kind; −1: none.
static int find_shape(const SpragModel *model, int body, const char *name, size_t length)
{
    int found = name_find(model, NAME_SHAPE, body, name, length);
    if (found >= 0)
        return found;
    int count = 0;
    for (int i = 0; i < model->shape_count; i++) {
        const SpragShape *shape = &model->shapes[i];
        if (shape->body == body && !shape->name &&
            is_text(sprag_shape_kind_name(shape->kind), name, length)) {
            found = i;
            count++;
        }
    }
    return count == 1 ? found : -1;
}

// The only shape of the body with a vertex of that name; −1: none or several.
static int find_shape_of_vertex(const SpragModel *model, int body, const char *name, int *vertex)
{
    int found = -1, count = 0;
    for (int i = 0; i < model->shape_count; i++) {
        if (model->shapes[i].body != body)
            continue;
        int v = find_vertex(&model->shapes[i], name);
        if (v >= 0) {
            found = i;
            *vertex = v;
            count++;
        }
    }
    return count == 1 ? found : -1;
}

// "body.feature" or "body.shape.feature" below the body: shape and vertex.
static bool find_feature(const SpragModel *model, int body, const char *rest, int *shape,
                         int *vertex)
{
    const char *dot = strchr(rest, '.');
    if (!dot) {
        *shape = find_shape_of_vertex(model, body, rest, vertex);
        return *shape >= 0;
    }
    *shape = find_shape(model, body, rest, (size_t)(dot - rest));
    if (*shape < 0)
        return false;
    *vertex = find_vertex(&model->shapes[*shape], dot + 1);
    return *vertex >= 0;
}

bool sprag_model_find_place(const SpragModel *model, const char *path, SpragPlace *place)
{
    const char *dot = strchr(path, '.');
    size_t length = dot ? (size_t)(dot - path) : strlen(path);
    int body = name_find(model, NAME_BODY, -1, path, length);
    if (body < 0)
        return false;
    place->body = body;
    place->local = sprag_vec3(0, 0, 0);
    if (!dot || strcmp(dot + 1, "com") == 0)
        return true;
    int site = name_find(model, NAME_SITE, body, dot + 1, strlen(dot + 1));
    if (site >= 0) {
        place->local = model->sites[site].local;
        return true;
    }
    int shape, vertex = 0;
    if (!find_feature(model, body, dot + 1, &shape, &vertex))
        return false;
    const SpragShape *owner = &model->shapes[shape];
    place->local =
        owner->points ? owner->points[vertex] : sprag_vec3_raise(owner->vertices[vertex]);
    return true;
}

bool sprag_model_find_selector(const SpragModel *model, const char *path, SpragSelector *selector)
{
    memset(selector, 0, sizeof *selector);
    selector->kind = SPRAG_SELECT_ANY;
    if (strcmp(path, "*") == 0)
        return true;
    const char *dot = strchr(path, '.');
    size_t length = dot ? (size_t)(dot - path) : strlen(path);
    int body = name_find(model, NAME_BODY, -1, path, length);
    if (body < 0) {
        selector->kind = SPRAG_SELECT_MATERIAL;
        selector->index = sprag_model_find_material(model, path);
        return selector->index >= 0;
    }
    selector->index = body;
    selector->kind = SPRAG_SELECT_BODY;
    if (!dot)
        return true;
    int shape = strchr(dot + 1, '.') ? -1 : find_shape(model, body, dot + 1, strlen(dot + 1));
    selector->kind = SPRAG_SELECT_SHAPE;
    selector->index = shape;
    if (shape >= 0)
        return true;
    selector->kind = SPRAG_SELECT_FEATURE;
    return find_feature(model, body, dot + 1, &selector->index, &selector->feature);
}

// ---- Measures -----------------------------------------------------------------------------------

static double shape_radius(const SpragShape *shape)
{
    if (shape->kind == SPRAG_SHAPE_PLANE)
        return INFINITY;
    if (!shape->vertices)
        return sprag_shape_reach(shape);
    double radius = 0;
    for (int i = 0; i < shape->vertex_count; i++)
        radius = fmax(radius, hypot(shape->vertices[i].x, shape->vertices[i].y) + shape->radius);
    return radius;
}

double sprag_model_body_radius(const SpragModel *model, int body)
{
    double radius = 0;
    for (int i = 0; i < model->shape_count; i++)
        if (model->shapes[i].body == body)
            radius = fmax(radius, shape_radius(&model->shapes[i]));
    return radius;
}

// Distance of a place from the centre of mass of its body, if that is free.
static double arm_of(const SpragModel *model, const SpragPlace *place)
{
    bool moves = place->body != SPRAG_WORLD && !model->bodies[place->body].fixed;
    return moves ? sprag_vec3_norm(place->local) : 0;
}

double sprag_model_size(const SpragModel *model)
{
    double radius = 0, arm = 0;
    for (int i = 0; i < model->shape_count; i++)
        if (!model->bodies[model->shapes[i].body].fixed)
            radius = fmax(radius, shape_radius(&model->shapes[i]));
    // without shapes joints tell how large bodies are
    for (int i = 0; radius == 0 && i < model->joint_count; i++)
        arm = fmax(arm,
                   fmax(arm_of(model, &model->joints[i].ends[0]),
                        model->joints[i].as_placed ? 0 : arm_of(model, &model->joints[i].ends[1])));
    radius = fmax(radius, arm);
    return radius > 0 ? 2 * radius : 1;
}

// An inertia that a body within the radius of its centre of mass can have. In space the half of the
// trace is ∫ |x|² dm.
static SpragStatus check_reach(const SpragModel *model, const SpragBody *body, double radius)
{
    const double slack = 1e-9; // a ring or two point masses reach the bound: allow rounding
    double most = body->mass * radius * radius;
    bool space = model->dimension == 3;
    double inertia =
        space ? 0.5 * (body->tensor[0] + body->tensor[1] + body->tensor[2]) : body->inertia;
    if (body->fixed || !(radius > 0) || inertia <= most * (1 + slack))
        return SPRAG_OK;
    return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                      "%s: %s %g kg m² is more than a rigid body of mass %g kg within %g m of its "
                      "centre of mass can have; at most %g",
                      body->name, space ? "half the trace of its inertia," : "inertia", inertia,
                      body->mass, radius, most);
}

SpragStatus sprag_model_check(const SpragModel *model)
{
    double *radius = sprag_alloc(model->context, (size_t)model->body_count, sizeof *radius);
    if (!radius)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < model->shape_count; i++) {
        const SpragShape *shape = &model->shapes[i];
        double reach = sprag_shape_bounds_mass(shape) ? shape_radius(shape) : INFINITY;
        radius[shape->body] = fmax(radius[shape->body], reach);
    }
    SpragStatus status = SPRAG_OK;
    for (int i = 0; i < model->body_count && status == SPRAG_OK; i++)
        status = check_reach(model, &model->bodies[i], radius[i]);
    sprag_free(model->context, radius);
    return status;
}
