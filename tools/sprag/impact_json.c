// impact_json.c: a collision and every way to end it, as one JSON document.
#include <math.h>

#include "bodies.h"
#include "expect.h"
#include "impact_answer.h"

// Of one contact plain values, of several a list with an entry for each.
static bool is_one(const Impact *impact)
{
    return impact->problem->constraint_count == 1;
}

static void add_tangential(const SpragConstraint *item, const char *key, const double *rows,
                           Json *json)
{
    int normals = sprag_constraint_normals(item), tangents = item->row_count - normals;
    if (tangents > 1)
        json_numbers(json, key, tangents, rows + item->row + normals);
    else
        json_number(json, key, tangents == 1 ? rows[item->row + normals] : 0);
}

static void add_loss(const SpragImpactLoss *loss, Json *json)
{
    json_begin_flat_object(json, "dissipated");
    json_number(json, "normal", loss->normal_compression + loss->normal_restitution);
    json_number(json, "tangential", loss->tangential_compression + loss->tangential_restitution);
    json_number(json, "normal_compression", loss->normal_compression);
    json_number(json, "normal_restitution", loss->normal_restitution);
    json_number(json, "tangential_compression", loss->tangential_compression);
    json_number(json, "tangential_restitution", loss->tangential_restitution);
    json_end_object(json);
}

static void add_contact(const SpragConstraint *item, const ImpactAnswer *answer, int index,
                        Json *json)
{
    json_text(json, "case", sprag_impact_case_name(answer->contacts[index].kind));
    json_number(json, "normal_impulse", answer->impulse[item->row]);
    add_tangential(item, "tangential_impulse", answer->impulse, json);
    json_numbers(json, "after", item->row_count, answer->after + item->row);
}

static void add_columns(const Impact *impact, const ImpactAnswer *answer, Json *json)
{
    const SpragContactProblem *problem = impact->problem;
    json_begin_flat_array(json, "case");
    for (int i = 0; i < problem->constraint_count; i++)
        json_text(json, NULL, sprag_impact_case_name(answer->contacts[i].kind));
    json_end_array(json);
    json_begin_flat_array(json, "normal_impulse");
    for (int i = 0; i < problem->constraint_count; i++)
        json_number(json, NULL, answer->impulse[problem->constraints[i].row]);
    json_end_array(json);
    json_begin_flat_array(json, "tangential_impulse");
    for (int i = 0; i < problem->constraint_count; i++)
        add_tangential(&problem->constraints[i], NULL, answer->impulse, json);
    json_end_array(json);
    json_numbers(json, "after", problem->row_count, answer->after);
}

static void add_contacts(const Impact *impact, const ImpactAnswer *answer, Json *json)
{
    const SpragContactProblem *problem = impact->problem;
    json_begin_array(json, "contacts");
    for (int i = 0; i < problem->constraint_count; i++) {
        json_begin_flat_object(json, NULL);
        json_text(json, "name", problem->constraints[i].name);
        add_contact(&problem->constraints[i], answer, i, json);
        add_loss(&answer->contacts[i].loss, json);
        json_end_object(json);
    }
    json_end_array(json);
}

static void add_velocities(const Impact *impact, const ImpactAnswer *answer, Json *json)
{
    const Situation *situation = impact->situation;
    if (!answer->velocity)
        return;
    if (!situation->model) {
        json_numbers(json, impact->velocity ? "generalized_velocity" : "generalized_change",
                     impact->problem->velocity_count, answer->velocity);
        return;
    }
    json_begin_object(json, "bodies");
    for (int body = 0; body < situation->model->body_count; body++) {
        int coordinate = sprag_system_body_coordinate(situation->system, body);
        if (coordinate < 0)
            continue;
        json_begin_flat_object(json, situation->model->bodies[body].name);
        body_json_velocity(json, situation_is_spatial(situation), answer->velocity + coordinate);
        json_end_object(json);
    }
    json_end_object(json);
}

static void add_answer(const Impact *impact, const ImpactAnswer *answer, Json *json)
{
    json_begin_object(json, answer->name);
    json_bool(json, "found", answer->found);
    if (answer->found) {
        SpragImpactLoss loss = impact_losses(impact, answer);
        if (is_one(impact))
            add_contact(impact->problem->constraints, answer, 0, json);
        else
            add_columns(impact, answer, json);
        add_loss(&loss, json);
        json_number(json, "energy_loss", answer->loss);
        json_number(json, "energy_gain", answer->gain);
        json_text(json, "method", answer->how);
        json_bool(json, "fell_back", answer->fell_back);
        if (!is_one(impact))
            add_contacts(impact, answer, json);
        add_velocities(impact, answer, json);
    }
    json_end_object(json);
}

static void add_problem(const Impact *impact, Json *json)
{
    const SpragContactProblem *problem = impact->problem;
    json_begin_array(json, "contacts");
    for (int i = 0; i < problem->constraint_count; i++) {
        const SpragConstraint *item = &problem->constraints[i];
        json_begin_flat_object(json, NULL);
        json_text(json, "name", item->name);
        json_numbers(json, "velocity", item->row_count, problem->b + item->row);
        json_number(json, "friction", item->friction);
        json_number(json, "friction_static", fmax(item->friction, item->friction_static));
        json_text(json, "law", sprag_restitution_law_name(impact->rules[i].law));
        json_number(json, "e", impact->rules[i].e);
        json_end_object(json);
    }
    json_end_array(json);
    json_begin_array(json, "W");
    for (int r = 0; r < problem->row_count; r++)
        json_numbers(json, NULL, problem->row_count,
                     problem->W + (size_t)r * (size_t)problem->row_count);
    json_end_array(json);
}

// Characteristic impulses of one contact in the plane, theory.md 10.3.
static void add_impulses(const Impact *impact, Json *json)
{
    SpragSingleImpact single;
    SpragSingleResult result;
    if (!impact_single(impact, &single))
        return;
    sprag_impact_single(&single, &result);
    json_number(json, "slip_stop", result.slip_stop);
    json_number(json, "compression", result.compression);
    json_bool(json, "jam", result.jam);
}

static void add_answers(const Impact *impact, Json *json)
{
    if (isfinite(impact->kinetic))
        json_number(json, "energy_before", impact->kinetic);
    json_bool(json, "tangential", impact->tangential);
    add_problem(impact, json);
    add_impulses(impact, json);
    json_begin_object(json, "laws");
    for (int i = 0; i < IMPACT_LAWS; i++)
        add_answer(impact, &impact->laws[i], json);
    json_end_object(json);
    if (is_one(impact))
        return;
    json_text(json, "scheme", impact->schemes[impact->scheme].name);
    json_bool(json, "schemes_agree", impact->schemes_agree);
    json_begin_object(json, "schemes");
    for (int i = 0; i < IMPACT_SCHEMES; i++)
        add_answer(impact, &impact->schemes[i], json);
    json_end_object(json);
}

void impact_json(const Impact *impact, const Arguments *arguments, SpragText *text)
{
    Json json;
    const SpragScene *scene = impact->situation->scene;
    json_init(&json, text);
    json_begin_object(&json, NULL);
    tool_provenance(&json, arguments);
    json_text(&json, "name", sprag_scene_name(scene));
    json_number(&json, "t", impact->t);
    json_bool(&json, "collides", impact->problem != NULL);
    if (impact->problem)
        add_answers(impact, &json);
    else
        json_text(&json, "reason", impact->nothing.bytes);
    json_begin_array(&json, "notes");
    for (int i = 0; i < sprag_scene_note_count(scene); i++)
        json_text(&json, NULL, sprag_scene_note(scene, i));
    json_end_array(&json);
    expect_json(&json, scene);
    json_end_object(&json);
}
