// page_head.c: what does not change in a run: bodies, shapes, contacts, parameters, settings.
#include <string.h>

#include "page.h"

static void add_key(SpragText *text, const char *key)
{
    sprag_text_add(text, ",\"%s\":", key);
}

static void add_text(SpragText *text, const char *key, const char *value)
{
    add_key(text, key);
    page_json_text(text, value);
}

static void add_number(SpragText *text, const char *key, double value)
{
    add_key(text, key);
    page_json_number(text, value);
}

static void add_vector(SpragText *text, const char *key, SpragVec3 v)
{
    const double numbers[3] = {v.x, v.y, v.z};
    add_key(text, key);
    page_json_numbers(text, 3, numbers);
}

// ---- Shapes -------------------------------------------------------------------------------------

static void add_points(SpragText *text, const SpragShape *shape)
{
    add_key(text, "points");
    sprag_text_add(text, "[");
    for (int i = 0; i < shape->vertex_count; i++) {
        double numbers[3] = {0, 0, 0};
        if (shape->points) {
            numbers[0] = shape->points[i].x;
            numbers[1] = shape->points[i].y;
            numbers[2] = shape->points[i].z;
        } else if (shape->vertices) {
            numbers[0] = shape->vertices[i].x;
            numbers[1] = shape->vertices[i].y;
        }
        page_json_numbers(text, 3, numbers);
        sprag_text_add(text, i + 1 < shape->vertex_count ? "," : "");
    }
    sprag_text_add(text, "]");
}

static void add_mesh_points(SpragText *text, int count, const SpragVec3 *points)
{
    add_key(text, "corners");
    sprag_text_add(text, "[");
    for (int i = 0; i < count; i++) {
        const double numbers[3] = {points[i].x, points[i].y, points[i].z};
        page_json_numbers(text, 3, numbers);
        sprag_text_add(text, i + 1 < count ? "," : "");
    }
    sprag_text_add(text, "]");
}

// Faces of a solid are loops; triangles of a surface are loops of three.
static void add_mesh(SpragText *text, const SpragShape *shape)
{
    const SpragSolid *solid = shape->solid;
    const SpragSurface *surface = shape->surface;
    if (!solid && !surface)
        return;
    add_mesh_points(text, solid ? solid->vertex_count : surface->vertex_count,
                    solid ? solid->vertices : surface->vertices);
    add_key(text, "faces");
    int count = solid ? solid->face_count : surface->triangle_count;
    sprag_text_add(text, "[");
    for (int f = 0; f < count; f++) {
        int from = solid ? solid->face_first[f] : 3 * f;
        int to = solid ? solid->face_first[f + 1] : 3 * f + 3;
        const int *corners = solid ? solid->face_vertices : surface->triangles;
        for (int i = from; i < to; i++)
            sprag_text_add(text, "%c%d", i == from ? '[' : ',', corners[i]);
        sprag_text_add(text, f + 1 < count ? "]," : "]");
    }
    sprag_text_add(text, "]");
}

static void add_shape(SpragText *text, const SpragPage *page, const SpragShape *shape)
{
    const SpragModel *model = page->model;
    sprag_text_add(text, "{\"kind\":\"%s\"", sprag_shape_kind_name(shape->kind));
    if (shape->name)
        add_text(text, "name", shape->name);
    add_points(text, shape);
    if (shape->radius > 0)
        add_number(text, "radius", shape->radius);
    if (shape->kind == SPRAG_SHAPE_PLANE) {
        add_vector(text, "normal", shape->normal);
        add_number(text, "offset", shape->offset);
    }
    if (shape->closed)
        sprag_text_add(text, ",\"closed\":true");
    if (shape->inside)
        sprag_text_add(text, ",\"inside\":true");
    if (model->dimension == 3) {
        add_vector(text, "centre", shape->centre);
        add_key(text, "size");
        page_json_numbers(text, 3, shape->size);
    }
    if (shape->material >= 0 && shape->material < model->material_count)
        add_text(text, "material", model->materials[shape->material].name);
    if (shape->has_surface_velocity) {
        add_key(text, "belt");
        page_json_numbers(text, 3, shape->surface_velocity);
    }
    add_mesh(text, shape);
    sprag_text_add(text, "}");
}

// ---- Bodies and contacts ------------------------------------------------------------------------

static void add_body(SpragText *text, const SpragPage *page, int index)
{
    const SpragModel *model = page->model;
    const SpragBody *body = &model->bodies[index];
    const double turn[4] = {body->orientation.w, body->orientation.x, body->orientation.y,
                            body->orientation.z};
    sprag_text_add(text, "{\"name\":");
    page_json_text(text, body->name);
    sprag_text_add(text, ",\"fixed\":%s", body->fixed && !body->driven ? "true" : "false");
    add_number(text, "mass", body->mass);
    add_key(text, "position");
    page_json_numbers(text, 3, body->position);
    add_number(text, "angle", body->angle);
    if (model->dimension == 3) {
        add_key(text, "quaternion");
        page_json_numbers(text, 4, turn);
    }
    const double *belt = body->surface_velocity;
    if (belt[0] != 0 || belt[1] != 0 || belt[2] != 0) {
        add_key(text, "belt");
        page_json_numbers(text, 3, belt);
    }
    add_key(text, "shapes");
    sprag_text_add(text, "[");
    bool filled = false;
    for (int i = 0; i < model->shape_count; i++)
        if (model->shapes[i].body == index) {
            sprag_text_add(text, filled ? "," : "");
            add_shape(text, page, &model->shapes[i]);
            filled = true;
        }
    sprag_text_add(text, "]}");
}

void page_json_contacts(SpragText *text, const SpragPage *page, int from)
{
    int count = sprag_system_contact_count(page->system);
    sprag_text_add(text, "[");
    for (int i = from; i < count; i++) {
        const SpragSlot *slot = sprag_system_slot(page->system, i);
        int joint = sprag_system_contact_joint(page->system, i);
        const SpragPlace *ends = joint < 0 ? NULL : page->model->joints[joint].ends;
        int bodies[2] = {-1, -1};
        for (int k = 0; k < 2; k++)
            bodies[k] = slot ? slot->body[k] : ends ? ends[k].body : -1;
        sprag_text_add(text, "%s{\"name\":", i > from ? "," : "");
        page_json_text(text, sprag_system_contact_name(page->system, i));
        sprag_text_add(text, ",\"bodies\":[%d,%d]", bodies[0], bodies[1]);
        if (joint >= 0)
            sprag_text_add(text, ",\"joint\":%d", joint);
        sprag_text_add(text, "}");
    }
    sprag_text_add(text, "]");
}

static void add_place(SpragText *text, const SpragPlace *place)
{
    sprag_text_add(text, "{\"body\":%d", place->body);
    add_vector(text, "local", place->local);
    sprag_text_add(text, "}");
}

static void add_forces(SpragText *text, const SpragModel *model)
{
    add_key(text, "loads");
    sprag_text_add(text, "[");
    for (int i = 0; i < model->load_count; i++) {
        const SpragLoad *load = &model->loads[i];
        sprag_text_add(text, "%s{\"body\":%d", i ? "," : "", load->body);
        add_key(text, "force");
        page_json_numbers(text, 3, load->force);
        add_number(text, "torque", load->torque);
        add_key(text, "moment");
        page_json_numbers(text, 3, load->moment);
        add_vector(text, "local", load->local);
        sprag_text_add(text, ",\"turns\":%s}", load->body_frame ? "true" : "false");
    }
    sprag_text_add(text, "]");
    add_key(text, "springs");
    sprag_text_add(text, "[");
    bool filled = false;
    for (int i = 0; i < model->spring_count; i++) {
        if (model->springs[i].stiffness == 0 && model->springs[i].damping == 0)
            continue; // it does nothing
        sprag_text_add(text, "%s{\"name\":", filled ? "," : "");
        filled = true;
        page_json_text(text, model->springs[i].name);
        sprag_text_add(text, ",\"ends\":[");
        add_place(text, &model->springs[i].ends[0]);
        sprag_text_add(text, ",");
        add_place(text, &model->springs[i].ends[1]);
        sprag_text_add(text, "]}");
    }
    sprag_text_add(text, "]");
}

// ---- Parameters, settings, provenance -----------------------------------------------------------

// Units that people use stand in the file only. NULL: it cannot be read again.
static SpragSceneSource *open_source(const SpragPage *page)
{
    SpragSceneSettings settings = sprag_scene_default();
    SpragSceneSource *source = NULL;
    settings.sets = page->sets;
    settings.set_count = page->settings.set_count;
    if (!page->file[0] || page->model->parameter_count == 0 ||
        sprag_scene_source_create(page->context, page->file, &settings, &source) != SPRAG_OK)
        return NULL;
    for (int i = 0; i < page->model->parameter_count; i++)
        if (sprag_scene_source_add_variable(source, page->model->parameters[i].name) != SPRAG_OK) {
            sprag_scene_source_destroy(source);
            return NULL;
        }
    return source;
}

static void add_parameters(SpragText *text, const SpragPage *page)
{
    const SpragModel *model = page->model;
    SpragSceneSource *source = open_source(page);
    add_key(text, "parameters");
    sprag_text_add(text, "[");
    for (int i = 0; i < model->parameter_count; i++) {
        const SpragParameter *parameter = &model->parameters[i];
        const SpragSceneVariable *variable = source ? sprag_scene_source_variable(source, i) : NULL;
        sprag_text_add(text, "%s{\"name\":", i ? "," : "");
        page_json_text(text, parameter->name);
        add_number(text, "value", parameter->value);
        if (parameter->has_range) {
            add_number(text, "from", parameter->from);
            add_number(text, "to", parameter->to);
        }
        if (variable && variable->unit_name[0]) {
            add_text(text, "unit", variable->unit_name);
            add_number(text, "scale", variable->unit);
        }
        sprag_text_add(text, "}");
    }
    sprag_text_add(text, "]");
    sprag_scene_source_destroy(source);
}

static const char *motion_name(SpragMotionKind kind)
{
    static const char *const names[] = {"auto", "events", "compliant", "stepping"};
    return names[kind];
}

static void add_settings(SpragText *text, const SpragPage *page)
{
    static const char *const branches[] = {"keep", "lift", "stick", "both"};
    static const char *const paradoxes[] = {"default", "stop", "impulse", "compliant"};
    const SpragRunSettings *run = &page->run;
    add_key(text, "settings");
    sprag_text_add(text, "{\"motion\":\"%s\"", motion_name(run->motion));
    add_number(text, "until", page->settings.until);
    add_number(text, "tolerance", run->tolerance);
    add_number(text, "outputStep", run->output_step);
    add_number(text, "epsilon", run->epsilon);
    add_text(text, "branch", branches[run->branch]);
    add_text(text, "paradox", paradoxes[run->paradox]);
    add_number(text, "interval", page->interval);
    sprag_text_add(text, "}");
    add_key(text, "sets");
    sprag_text_add(text, "[");
    for (int i = 0; i < page->settings.set_count; i++) {
        sprag_text_add(text, i ? ",[" : "[");
        page_json_text(text, page->sets[i].path);
        sprag_text_add(text, ",");
        page_json_text(text, page->sets[i].value);
        sprag_text_add(text, "]");
    }
    sprag_text_add(text, "]");
    add_key(text, "notes");
    sprag_text_add(text, "[");
    for (int i = 0; page->settings.scene && i < sprag_scene_note_count(page->settings.scene); i++) {
        sprag_text_add(text, i ? "," : "");
        page_json_text(text, sprag_scene_note(page->settings.scene, i));
    }
    sprag_text_add(text, "]");
}

SpragStatus sprag_page_head(const SpragPage *page, SpragText *text)
{
    const SpragModel *model = page->model;
    sprag_text_add(text, "{\"format\":%d", PAGE_FORMAT);
    add_text(text, "version", sprag_version());
    add_text(text, "name", model->name);
    add_text(text, "file", page->file);
    add_text(text, "command", page->command);
    sprag_text_add(text, ",\"dimension\":%d", model->dimension);
    add_key(text, "gravity");
    page_json_numbers(text, 3, model->gravity);
    add_number(text, "size", sprag_model_size(model));
    add_key(text, "bodies");
    sprag_text_add(text, "[");
    for (int i = 0; i < model->body_count; i++) {
        sprag_text_add(text, i ? "," : "");
        add_body(text, page, i);
    }
    sprag_text_add(text, "]");
    add_key(text, "contacts");
    page_json_contacts(text, page, 0);
    add_forces(text, model);
    page_extras_joints(page, text);
    page_extras_head(page, text);
    add_parameters(text, page);
    add_settings(text, page);
    sprag_text_add(text, "}");
    return text->failed ? SPRAG_ERROR_MEMORY : SPRAG_OK;
}
