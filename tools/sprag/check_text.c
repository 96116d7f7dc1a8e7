// check_text.c: what was understood of a file, for people.
#include "bodies.h"
#include "check.h"
#include "drive.h"
#include "print.h"

static void add_parameters(const Situation *situation, SpragText *text)
{
    const SpragModel *model = situation->model;
    Table table;
    if (model->parameter_count == 0)
        return;
    table_init(&table, situation->context, "lrl");
    for (int i = 0; i < model->parameter_count; i++) {
        const SpragParameter *parameter = &model->parameters[i];
        table_add(&table, "%s", parameter->name);
        table_add_number(&table, parameter->value);
        if (parameter->has_range)
            table_add(&table, "(from %.5g to %.5g)", parameter->from, parameter->to);
        else
            table_add(&table, "%s", "");
    }
    sprag_text_add(text, "\nparameters\n");
    table_print(&table, text);
    table_destroy(&table);
}

// In space the tensor in the body's frame: its diagonal, and the rest if there is any.
static void add_inertia(Table *table, const SpragBody *body, bool space)
{
    const double *I = body->tensor;
    if (!space)
        table_add_number(table, body->inertia);
    else if (I[3] == 0 && I[4] == 0 && I[5] == 0)
        body_add_vector(table, 3, I, 0);
    else
        table_add(table, "(%.5g, %.5g, %.5g, %.5g, %.5g, %.5g)", I[0], I[1], I[2], I[3], I[4],
                  I[5]);
}

static void add_bodies(const Situation *situation, SpragText *text)
{
    bool space = situation_is_spatial(situation);
    BodyHeads heads = body_heads(space);
    Table table;
    table_init(&table, situation->context, space ? "lrrrrrr" : "lrrrrrrrr");
    table_add(&table, "body");
    table_add(&table, "mass [kg]");
    table_add(&table, "inertia [kg m²]");
    for (int i = 0; i < heads.count; i++)
        table_add(&table, "%s", heads.heads[i]);
    for (int i = 0; i < situation->model->body_count; i++) {
        const SpragBody *body = &situation->model->bodies[i];
        BodyState state =
            body_state(situation->system, i, situation->t, situation->q, situation->v);
        table_add(&table, "%s", body->name);
        if (!state.moves) {
            table_add(&table, body->driven ? "driven" : "fixed");
            table_add(&table, "–");
        } else {
            table_add_number(&table, body->mass);
            add_inertia(&table, body, space);
        }
        body_add_cells(&table, &state);
    }
    sprag_text_add(text, "\nbodies (state after 'start')\n");
    table_print(&table, text);
    table_destroy(&table);
}

// What a shape in space is beside its points.
static void add_extent(const SpragShape *shape, SpragText *text)
{
    const double *size = shape->size;
    bool tube = shape->kind == SPRAG_SHAPE_CAPSULE || shape->kind == SPRAG_SHAPE_CYLINDER;
    if (tube)
        sprag_text_add(text, "length %.5g m, radius %.5g m", size[2], shape->radius);
    else if (shape->kind == SPRAG_SHAPE_SPHERE)
        sprag_text_add(text, "radius %.5g m", shape->radius);
    else if (shape->kind == SPRAG_SHAPE_ROD)
        sprag_text_add(text, "length %.5g m", size[2]);
    else if (shape->kind == SPRAG_SHAPE_BOX)
        sprag_text_add(text, "%.5g × %.5g × %.5g m", size[0], size[1], size[2]);
    else if (shape->surface)
        sprag_text_add(text, "%d triangles", shape->surface->triangle_count);
    else if (shape->solid)
        sprag_text_add(text, "%d faces", shape->solid->face_count);
    else
        sprag_text_add(text, "–");
    if (shape->inside)
        sprag_text_add(text, ", inside");
}

static void add_shapes(const Situation *situation, SpragText *text)
{
    static const char *const heads[] = {"body", "shape", "name", "material", "points", "extent"};
    const SpragModel *model = situation->model;
    Table table;
    if (model->shape_count == 0)
        return;
    bool space = model->dimension == 3;
    table_init(&table, situation->context, space ? "llllrl" : "llllr");
    table_add_heads(&table, heads);
    for (int i = 0; i < model->shape_count; i++) {
        const SpragShape *shape = &model->shapes[i];
        table_add(&table, "%s", model->bodies[shape->body].name);
        table_add(&table, "%s", sprag_shape_kind_name(shape->kind));
        table_add(&table, "%s", shape->name ? shape->name : "–");
        table_add(&table, "%s", shape->material < 0 ? "–" : model->materials[shape->material].name);
        table_add(&table, "%d", shape->vertex_count);
        if (!space)
            continue;
        SpragText extent;
        sprag_text_init(&extent, situation->context);
        add_extent(shape, &extent);
        table_add(&table, "%s", extent.bytes ? extent.bytes : "");
        sprag_text_destroy(&extent);
    }
    sprag_text_add(text, "\nshapes\n");
    table_print(&table, text);
    table_destroy(&table);
}

// "body at (x, y)" in the body's frame, or "world at (x, y)".
static void add_place(Table *table, const SpragModel *model, const SpragPlace *place)
{
    const char *name = place->body == SPRAG_WORLD ? "world" : model->bodies[place->body].name;
    if (model->dimension == 3)
        table_add(table, "%s (%.5g, %.5g, %.5g)", name, place->local.x, place->local.y,
                  place->local.z);
    else
        table_add(table, "%s (%.5g, %.5g)", name, place->local.x, place->local.y);
}

static void add_springs(const Situation *situation, SpragText *text)
{
    static const char *const heads[] = {"spring",          "from",    "to", "stiffness [N/m]",
                                        "damping [N s/m]", "rest [m]"};
    const SpragModel *model = situation->model;
    Table table;
    if (model->spring_count == 0)
        return;
    table_init(&table, situation->context, "lllrrr");
    table_add_heads(&table, heads);
    for (int i = 0; i < model->spring_count; i++) {
        const SpragSpring *spring = &model->springs[i];
        table_add(&table, "%s", spring->name ? spring->name : "–");
        add_place(&table, model, &spring->ends[0]);
        add_place(&table, model, &spring->ends[1]);
        table_add_number(&table, spring->stiffness);
        table_add_number(&table, spring->damping);
        table_add_number(&table, spring->rest);
    }
    sprag_text_add(text, "\nsprings\n");
    table_print(&table, text);
    table_destroy(&table);
}

// The body or joint that a load acts on.
static void add_target(Table *table, const SpragModel *model, const SpragLoad *load)
{
    const char *name =
        load->on_joint ? model->joints[load->joint].name : model->bodies[load->body].name;
    table_add(table, load->varies ? "%s (over time)" : "%s", name);
}

static void add_space_loads(const Situation *situation, SpragText *text)
{
    static const char *const heads[] = {"load on", "force [N]", "torque [N m]", "at", "frame"};
    const SpragModel *model = situation->model;
    Table table;
    table_init(&table, situation->context, "lrrll");
    table_add_heads(&table, heads);
    for (int i = 0; i < model->load_count; i++) {
        const SpragLoad *load = &model->loads[i];
        add_target(&table, model, load);
        body_add_vector(&table, 3, load->force, 0);
        body_add_vector(&table, 3, load->moment, 0);
        table_add(&table, "(%.5g, %.5g, %.5g)", load->local.x, load->local.y, load->local.z);
        table_add(&table, "%s", load->on_joint ? "joint" : load->body_frame ? "body" : "world");
    }
    sprag_text_add(text, "\nloads\n");
    table_print(&table, text);
    table_destroy(&table);
}

static void add_loads(const Situation *situation, SpragText *text)
{
    static const char *const heads[] = {"load on",      "force x [N]", "force y [N]",
                                        "torque [N m]", "at",          "frame"};
    const SpragModel *model = situation->model;
    Table table;
    if (model->load_count == 0)
        return;
    if (model->dimension == 3) {
        add_space_loads(situation, text);
        return;
    }
    table_init(&table, situation->context, "lrrrll");
    table_add_heads(&table, heads);
    for (int i = 0; i < model->load_count; i++) {
        const SpragLoad *load = &model->loads[i];
        add_target(&table, model, load);
        table_add_number(&table, load->force[0]);
        table_add_number(&table, load->force[1]);
        table_add_number(&table, load->torque);
        table_add(&table, "(%.5g, %.5g)", load->local.x, load->local.y);
        table_add(&table, "%s", load->on_joint ? "joint" : load->body_frame ? "body" : "world");
    }
    sprag_text_add(text, "\nloads\n");
    table_print(&table, text);
    table_destroy(&table);
}

static void add_problem_sizes(const Situation *situation, SpragText *text)
{
    const SpragSceneImpact *impact = sprag_scene_impact(situation->scene);
    const SpragSceneLcp *lcp = sprag_scene_lcp(situation->scene);
    const SpragSceneQp *qp = sprag_scene_qp(situation->scene);
    const SpragFrictionProblem *friction = sprag_scene_friction(situation->scene);
    if (situation->problem)
        sprag_text_add(text, "bare contact problem: dimension %d, %d contacts, %d rows\n",
                       situation->problem->dimension, situation->problem->constraint_count,
                       situation->problem->row_count);
    else if (impact)
        sprag_text_add(text, "bare impact: dimension %d, %d contacts, %d rows\n",
                       impact->problem->dimension, impact->problem->constraint_count,
                       impact->problem->row_count);
    else if (lcp)
        sprag_text_add(text, "bare LCP: %d unknowns\n", lcp->n);
    else if (qp)
        sprag_text_add(text, "bare QP: %d unknowns, %d constraints\n", qp->n, qp->constraint_count);
    else if (friction)
        sprag_text_add(text, "bare friction problem: dimension %d, %d contacts\n",
                       friction->dimension, friction->contact_count);
    else
        drive_describe(situation->scene, text);
}

void check_text(const Situation *situation, const Arguments *arguments, SpragText *text)
{
    const SpragModel *model = situation->model;
    const char *name = sprag_scene_name(situation->scene);
    sprag_text_add(text, "%s is valid", arguments->positional[0]);
    sprag_text_add(text, name[0] ? ": %s\n" : "%s\n", name);
    if (model) {
        const double *g = model->gravity;
        if (model->dimension == 3)
            sprag_text_add(text, "3-D, gravity (%.5g, %.5g, %.5g) m/s², size %.5g m\n", g[0], g[1],
                           g[2], sprag_model_size(model));
        else
            sprag_text_add(text, "%d-D, gravity (%.5g, %.5g) m/s², size %.5g m\n", model->dimension,
                           g[0], g[1], sprag_model_size(model));
        add_parameters(situation, text);
        add_bodies(situation, text);
        add_shapes(situation, text);
    } else {
        add_problem_sizes(situation, text);
    }
    if (situation->problem)
        situation_print_contacts(situation, text);
    check_layers_text(situation, text);
    if (model) {
        check_joints_text(situation, text);
        add_springs(situation, text);
        add_loads(situation, text);
    }
    check_outputs_text(situation, text);
    Notes notes = {.text = text};
    check_notes(situation, notes_add, &notes);
}
