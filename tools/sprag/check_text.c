// check_text.c: what was understood of a file, for people.
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

static void add_bodies(const Situation *situation, SpragText *text)
{
    static const char *const heads[] = {"body",     "mass [kg]", "inertia [kg m²]",
                                        "x [m]",    "y [m]",     "angle [rad]",
                                        "vx [m/s]", "vy [m/s]",  "spin [rad/s]"};
    Table table;
    table_init(&table, situation->context, "lrrrrrrrr");
    table_add_heads(&table, heads);
    for (int i = 0; i < situation->model->body_count; i++) {
        const SpragBody *body = &situation->model->bodies[i];
        int coordinate = sprag_system_body_coordinate(situation->system, i);
        const double fixed_q[3] = {body->position[0], body->position[1], body->angle};
        const double fixed_v[3] = {0};
        const double *q = coordinate < 0 ? fixed_q : situation->q + coordinate;
        const double *v = coordinate < 0 ? fixed_v : situation->v + coordinate;
        table_add(&table, "%s", body->name);
        if (coordinate < 0) {
            table_add(&table, "fixed");
            table_add(&table, "–");
        } else {
            table_add_number(&table, body->mass);
            table_add_number(&table, body->inertia);
        }
        for (int k = 0; k < 3; k++)
            table_add_clean(&table, q[k], 1);
        for (int k = 0; k < 3; k++)
            table_add_clean(&table, v[k], 1);
    }
    sprag_text_add(text, "\nbodies (state after 'start')\n");
    table_print(&table, text);
    table_destroy(&table);
}

static void add_shapes(const Situation *situation, SpragText *text)
{
    static const char *const heads[] = {"body", "shape", "name", "material", "points"};
    const SpragModel *model = situation->model;
    Table table;
    if (model->shape_count == 0)
        return;
    table_init(&table, situation->context, "llllr");
    table_add_heads(&table, heads);
    for (int i = 0; i < model->shape_count; i++) {
        const SpragShape *shape = &model->shapes[i];
        table_add(&table, "%s", model->bodies[shape->body].name);
        table_add(&table, "%s", sprag_shape_kind_name(shape->kind));
        table_add(&table, "%s", shape->name ? shape->name : "–");
        table_add(&table, "%s", shape->material < 0 ? "–" : model->materials[shape->material].name);
        table_add(&table, "%d", shape->vertex_count);
    }
    sprag_text_add(text, "\nshapes\n");
    table_print(&table, text);
    table_destroy(&table);
}

// "body at (x, y)" in the body's frame, or "world at (x, y)".
static void add_place(Table *table, const SpragModel *model, const SpragPlace *place)
{
    table_add(table, "%s (%.5g, %.5g)",
              place->body == SPRAG_WORLD ? "world" : model->bodies[place->body].name,
              place->local.x, place->local.y);
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

static void add_loads(const Situation *situation, SpragText *text)
{
    static const char *const heads[] = {"load on",      "force x [N]", "force y [N]",
                                        "torque [N m]", "at",          "frame"};
    const SpragModel *model = situation->model;
    Table table;
    if (model->load_count == 0)
        return;
    table_init(&table, situation->context, "lrrrll");
    table_add_heads(&table, heads);
    for (int i = 0; i < model->load_count; i++) {
        const SpragLoad *load = &model->loads[i];
        table_add(&table, "%s", model->bodies[load->body].name);
        table_add_number(&table, load->force[0]);
        table_add_number(&table, load->force[1]);
        table_add_number(&table, load->torque);
        table_add(&table, "(%.5g, %.5g)", load->local.x, load->local.y);
        table_add(&table, "%s", load->body_frame ? "body" : "world");
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

// The first note brings the heading.
typedef struct Notes {
    SpragText *text;
    bool begun;
} Notes;

static void add_note(const char *note, void *user)
{
    Notes *notes = user;
    sprag_text_add(notes->text, notes->begun ? "  %s\n" : "\nnotes\n  %s\n", note);
    notes->begun = true;
}

void check_text(const Situation *situation, const Arguments *arguments, SpragText *text)
{
    const SpragModel *model = situation->model;
    const char *name = sprag_scene_name(situation->scene);
    sprag_text_add(text, "%s is valid", arguments->positional[0]);
    sprag_text_add(text, name[0] ? ": %s\n" : "%s\n", name);
    if (model) {
        sprag_text_add(text, "%d-D, gravity (%.5g, %.5g) m/s², size %.5g m\n", model->dimension,
                       model->gravity[0], model->gravity[1], sprag_model_size(model));
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
        add_springs(situation, text);
        add_loads(situation, text);
    }
    check_outputs_text(situation, text);
    Notes notes = {.text = text};
    check_notes(situation, add_note, &notes);
}
