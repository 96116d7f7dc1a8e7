// check_joints.c: joints, drives and controllers of a scene, for people and as JSON.
#include <math.h>

#include "check.h"
#include "print.h"

static const char *body_name(const SpragModel *model, int body)
{
    return body == SPRAG_WORLD ? "world" : model->bodies[body].name;
}

static bool is_length(SpragJointKind kind)
{
    return kind == SPRAG_JOINT_PRISMATIC || kind == SPRAG_JOINT_DISTANCE;
}

static void add_vector(SpragText *text, int dimension, SpragVec3 v)
{
    if (dimension == 3)
        sprag_text_add(text, "(%.5g, %.5g, %.5g)", v.x, v.y, v.z);
    else
        sprag_text_add(text, "(%.5g, %.5g)", v.x, v.y);
}

// What a joint has beside its places, in words.
static void add_features(const SpragModel *model, const SpragJoint *joint, SpragText *text)
{
    const char *unit = is_length(joint->kind) ? "m" : "rad";
    bool axis = joint->kind != SPRAG_JOINT_DISTANCE && joint->kind != SPRAG_JOINT_BALL &&
                joint->kind != SPRAG_JOINT_WELD;
    if (axis && (model->dimension == 3 || joint->kind == SPRAG_JOINT_PRISMATIC)) {
        sprag_text_add(text, "axis ");
        add_vector(text, model->dimension,
                   sprag_mat3_column(&joint->axes[0], model->dimension == 3 ? 2 : 0));
        sprag_text_add(text, ", ");
    }
    if (joint->as_placed)
        sprag_text_add(text, "as the bodies stand, ");
    if (joint->kind == SPRAG_JOINT_DISTANCE && !joint->limited)
        sprag_text_add(text, "length %.5g m, ", joint->length);
    if (joint->kind == SPRAG_JOINT_SCREW)
        sprag_text_add(text, "lead %.5g m, ", joint->lead);
    if (joint->limited)
        sprag_text_add(text, "limits %.5g … %.5g %s (e %.5g), ", joint->limits[0], joint->limits[1],
                       unit, joint->restitution.e);
    if (joint->friction.given)
        sprag_text_add(text, "friction %.5g, ", joint->friction.kinetic);
    if (joint->compliance.stiffness > 0)
        sprag_text_add(text, "layer %.5g N/m, ", joint->compliance.stiffness);
    if (joint->radius > 0)
        sprag_text_add(text, "radius %.5g m, ", joint->radius);
    if (joint->bearing > 0)
        sprag_text_add(text, "bearing %.5g m, ", joint->bearing);
    if (joint->sprung && joint->kind == SPRAG_JOINT_WELD)
        sprag_text_add(text, "elastic, ");
    else if (joint->sprung)
        sprag_text_add(text, "spring %.5g, damper %.5g, rest %.5g, ", joint->stiffness[0],
                       joint->damping[0], joint->rest[0]);
    if (joint->driven)
        sprag_text_add(text, joint->drive.evaluate ? "driven from %.5g %s, " : "held at %.5g %s, ",
                       joint->drive.number, unit);
}

static void add_place(Table *table, const SpragModel *model, const SpragPlace *place)
{
    SpragText text;
    sprag_text_init(&text, model->context);
    sprag_text_add(&text, "%s ", body_name(model, place->body));
    add_vector(&text, model->dimension, place->local);
    table_add(table, "%s", text.bytes ? text.bytes : "");
    sprag_text_destroy(&text);
}

static void add_joints(const Situation *situation, SpragText *text)
{
    static const char *const heads[] = {"joint", "type", "first", "second", "with"};
    const SpragModel *model = situation->model;
    Table table;
    if (model->joint_count == 0)
        return;
    table_init(&table, situation->context, "lllll");
    table_add_heads(&table, heads);
    for (int i = 0; i < model->joint_count; i++) {
        const SpragJoint *joint = &model->joints[i];
        SpragText features;
        sprag_text_init(&features, situation->context);
        add_features(model, joint, &features);
        int length = features.length > 2 ? (int)features.length - 2 : 0; // without the last comma
        table_add(&table, "%s", joint->name);
        table_add(&table, "%s", sprag_joint_kind_name(joint->kind));
        add_place(&table, model, &joint->ends[0]);
        add_place(&table, model, &joint->ends[1]);
        table_add(&table, "%.*s", length, features.bytes ? features.bytes : "");
        sprag_text_destroy(&features);
    }
    sprag_text_add(text, "\njoints (places in the frames of their bodies)\n");
    table_print(&table, text);
    table_destroy(&table);
}

static void add_number_or_time(Table *table, const SpragTimeValue *value)
{
    if (value->evaluate)
        table_add(table, "%.5g at first", value->number);
    else
        table_add_number(table, value->number);
}

static void add_controllers(const Situation *situation, SpragText *text)
{
    static const char *const heads[] = {"controller of", "kp",      "kd",    "ki",
                                        "target",        "forward", "limit", "every [s]"};
    const SpragModel *model = situation->model;
    Table table;
    if (model->controller_count == 0)
        return;
    table_init(&table, situation->context, "lrrrrrrr");
    table_add_heads(&table, heads);
    for (int i = 0; i < model->controller_count; i++) {
        const SpragController *controller = &model->controllers[i];
        table_add(&table, "%s", model->joints[controller->joint].name);
        table_add_number(&table, controller->kp);
        table_add_number(&table, controller->kd);
        table_add_number(&table, controller->ki);
        add_number_or_time(&table, &controller->target);
        add_number_or_time(&table, &controller->forward);
        if (isfinite(controller->limit))
            table_add_number(&table, controller->limit);
        else
            table_add(&table, "none");
        if (controller->every > 0)
            table_add_number(&table, controller->every);
        else
            table_add(&table, "always");
    }
    sprag_text_add(text, "\ncontrollers\n");
    table_print(&table, text);
    table_destroy(&table);
}

static void add_driven_bodies(const Situation *situation, SpragText *text)
{
    const SpragModel *model = situation->model;
    for (int i = 0; i < model->body_count; i++)
        if (model->bodies[i].driven)
            sprag_text_add(text, "\n%s is driven: it moves as the file tells\n",
                           model->bodies[i].name);
}

void check_joints_text(const Situation *situation, SpragText *text)
{
    const char *redundancy = situation->system ? sprag_system_redundancy(situation->system) : "";
    add_driven_bodies(situation, text);
    add_joints(situation, text);
    if (redundancy[0])
        sprag_text_add(text, "%s\n", redundancy);
    add_controllers(situation, text);
}

// ---- JSON ---------------------------------------------------------------------------------------

static void json_joint(Json *json, const SpragModel *model, const SpragJoint *joint)
{
    json_begin_flat_object(json, NULL);
    json_text(json, "name", joint->name);
    json_text(json, "type", sprag_joint_kind_name(joint->kind));
    json_text(json, "first", body_name(model, joint->ends[0].body));
    json_text(json, "second", body_name(model, joint->ends[1].body));
    if (joint->limited) {
        json_number(json, "least", joint->limits[0]);
        json_number(json, "largest", joint->limits[1]);
    }
    if (joint->friction.given)
        json_number(json, "friction", joint->friction.kinetic);
    if (joint->sprung)
        json_number(json, "stiffness", joint->stiffness[0]);
    json_bool(json, "driven", joint->driven);
    json_end_object(json);
}

void check_joints_json(Json *json, const Situation *situation)
{
    const SpragModel *model = situation->model;
    const char *redundancy = situation->system ? sprag_system_redundancy(situation->system) : "";
    json_begin_array(json, "joints");
    for (int i = 0; i < model->joint_count; i++)
        json_joint(json, model, &model->joints[i]);
    json_end_array(json);
    if (redundancy[0])
        json_text(json, "redundant", redundancy);
    json_begin_array(json, "controllers");
    for (int i = 0; i < model->controller_count; i++) {
        const SpragController *controller = &model->controllers[i];
        json_begin_flat_object(json, NULL);
        json_text(json, "joint", model->joints[controller->joint].name);
        json_number(json, "kp", controller->kp);
        json_number(json, "kd", controller->kd);
        json_number(json, "ki", controller->ki);
        json_number(json, "every", controller->every);
        json_end_object(json);
    }
    json_end_array(json);
}
