// check_json.c: what was understood of a file, as one JSON document.
#include "bodies.h"
#include "check.h"

const char *check_kind(const Situation *situation)
{
    switch (sprag_scene_kind(situation->scene)) {
    case SPRAG_SCENE_CONTACT:
        return "contact";
    case SPRAG_SCENE_LCP:
        return "lcp";
    case SPRAG_SCENE_IMPACT:
        return "impact";
    case SPRAG_SCENE_QP:
        return "qp";
    case SPRAG_SCENE_FRICTION:
        return "friction";
    case SPRAG_SCENE_SCALAR:
    case SPRAG_SCENE_GUIDES:
        return "scalar";
    case SPRAG_SCENE_SCREW:
        return "screw";
    case SPRAG_SCENE_TRANSMISSION:
        return "transmission";
    default:
        return "scene";
    }
}

static void add_parameters(Json *json, const SpragModel *model)
{
    json_begin_array(json, "parameters");
    for (int i = 0; i < model->parameter_count; i++) {
        const SpragParameter *parameter = &model->parameters[i];
        json_begin_flat_object(json, NULL);
        json_text(json, "name", parameter->name);
        json_number(json, "value", parameter->value);
        if (parameter->has_range) {
            json_number(json, "from", parameter->from);
            json_number(json, "to", parameter->to);
        }
        json_end_object(json);
    }
    json_end_array(json);
}

// The state found after `start`; a fixed body's is the scene's.
static void add_body_state(Json *json, const Situation *situation, int index)
{
    const SpragBody *body = &situation->model->bodies[index];
    BodyState state =
        body_state(situation->system, index, situation->t, situation->q, situation->v);
    int first = sprag_system_body_coordinate(situation->system, index);
    body_json_place(json, &state);
    if (state.moves)
        body_json_velocity(json, state.space, situation->v + first);
    else
        json_numbers(json, "surface_velocity", state.space ? 3 : 2, body->surface_velocity);
}

static void add_bodies(Json *json, const Situation *situation)
{
    json_begin_array(json, "bodies");
    for (int i = 0; i < situation->model->body_count; i++) {
        const SpragBody *body = &situation->model->bodies[i];
        json_begin_object(json, NULL);
        json_text(json, "name", body->name);
        json_bool(json, "fixed", body->fixed);
        if (!body->fixed) {
            json_number(json, "mass", body->mass);
            if (situation_is_spatial(situation))
                json_numbers(json, "inertia", 6, body->tensor);
            else
                json_number(json, "inertia", body->inertia);
        }
        add_body_state(json, situation, i);
        json_end_object(json);
    }
    json_end_array(json);
}

// What a shape in space is beside its features.
static void add_extent(Json *json, const SpragShape *shape)
{
    bool tube = shape->kind == SPRAG_SHAPE_CAPSULE || shape->kind == SPRAG_SHAPE_CYLINDER;
    if (tube || shape->kind == SPRAG_SHAPE_SPHERE)
        json_number(json, "radius", shape->radius);
    if (tube || shape->kind == SPRAG_SHAPE_ROD)
        json_number(json, "length", shape->size[2]);
    if (shape->kind == SPRAG_SHAPE_BOX)
        json_numbers(json, "size", 3, shape->size);
    if (shape->solid)
        json_integer(json, "faces", shape->solid->face_count);
    if (shape->surface)
        json_integer(json, "triangles", shape->surface->triangle_count);
    if (shape->inside)
        json_bool(json, "inside", true);
}

static void add_shapes(Json *json, const SpragModel *model)
{
    json_begin_array(json, "shapes");
    for (int i = 0; i < model->shape_count; i++) {
        const SpragShape *shape = &model->shapes[i];
        json_begin_flat_object(json, NULL);
        json_text(json, "body", model->bodies[shape->body].name);
        json_text(json, "kind", sprag_shape_kind_name(shape->kind));
        json_text(json, "name", shape->name);
        json_text(json, "material",
                  shape->material < 0 ? NULL : model->materials[shape->material].name);
        json_begin_flat_array(json, "features");
        for (int k = 0; k < shape->vertex_count; k++)
            json_text(json, NULL, shape->vertex_names[k]);
        json_end_array(json);
        if (model->dimension == 3)
            add_extent(json, shape);
        json_end_object(json);
    }
    json_end_array(json);
}

static void add_forces(Json *json, const SpragModel *model)
{
    json_begin_array(json, "springs");
    for (int i = 0; i < model->spring_count; i++) {
        const SpragSpring *spring = &model->springs[i];
        json_begin_flat_object(json, NULL);
        json_text(json, "name", spring->name);
        json_number(json, "stiffness", spring->stiffness);
        json_number(json, "damping", spring->damping);
        json_number(json, "rest", spring->rest);
        json_end_object(json);
    }
    json_end_array(json);
    json_begin_array(json, "loads");
    for (int i = 0; i < model->load_count; i++) {
        const SpragLoad *load = &model->loads[i];
        json_begin_flat_object(json, NULL);
        if (load->on_joint)
            json_text(json, "joint", model->joints[load->joint].name);
        else
            json_text(json, "body", model->bodies[load->body].name);
        json_bool(json, "varies", load->varies);
        bool space = model->dimension == 3;
        json_numbers(json, "force", model->dimension, load->force);
        if (space)
            json_numbers(json, "torque", 3, load->moment);
        else
            json_number(json, "torque", load->torque);
        json_text(json, "frame", load->body_frame ? "body" : "world");
        json_end_object(json);
    }
    json_end_array(json);
}

static void add_note(const char *note, void *json)
{
    json_text(json, NULL, note);
}

void check_json(const Situation *situation, const Arguments *arguments, SpragText *text)
{
    const SpragModel *model = situation->model;
    Json json;
    json_init(&json, text);
    json_begin_object(&json, NULL);
    tool_provenance(&json, arguments);
    json_text(&json, "name", sprag_scene_name(situation->scene));
    json_text(&json, "kind", check_kind(situation));
    if (model) {
        json_integer(&json, "dimension", model->dimension);
        json_numbers(&json, "gravity", model->dimension, model->gravity);
        add_parameters(&json, model);
        add_bodies(&json, situation);
        add_shapes(&json, model);
    }
    if (situation->problem)
        situation_json_contacts(situation, NULL, &json);
    check_layers_json(situation, &json);
    if (model) {
        check_joints_json(&json, situation);
        add_forces(&json, model);
    }
    check_outputs_json(situation, &json);
    json_begin_array(&json, "notes");
    check_notes(situation, add_note, &json);
    json_end_array(&json);
    json_end_object(&json);
}
