// analyze_json.c: the verdict as one JSON document.
//
// Every array of a solution has an entry for each entry of "contacts"; a contact that is not in the
// contact problem (open, leaving, before its impact) has the force 0 and the acceleration null.
#include <math.h>

#include "analyze.h"
#include "bodies.h"
#include "expect.h"

static const SpragConstraint *constraint_of(const Situation *situation, const ContactLine *line)
{
    return line->constraint < 0 ? NULL : &situation->problem->constraints[line->constraint];
}

// One entry per contact of the rows `row` (0: normal, 1: tangential) of a vector; NAN (null) or
// `absent` where there is no such row.
static void add_rows(Json *json, const char *key, const Situation *situation, int row,
                     const double *vector, double absent)
{
    json_begin_flat_array(json, key);
    for (int i = 0; i < situation->line_count; i++) {
        const SpragConstraint *constraint = constraint_of(situation, &situation->lines[i]);
        if (!constraint)
            json_number(json, NULL, absent);
        else if (row == 1 && situation_tangents(constraint) > 1)
            json_numbers(json, NULL, situation_tangents(constraint),
                         vector + constraint->row + sprag_constraint_normals(constraint));
        else
            json_number(json, NULL, situation_entry(constraint, vector, row));
    }
    json_end_array(json);
}

static void add_ranges(Json *json, const char *key, const Situation *situation, int row,
                       const SpragMotion *motion)
{
    json_begin_flat_array(json, key);
    for (int i = 0; i < situation->line_count; i++) {
        const SpragConstraint *constraint = constraint_of(situation, &situation->lines[i]);
        bool pair = row == 1 && situation->problem->dimension == 3; // one range per tangent
        if (pair)
            json_begin_flat_array(json, NULL);
        bool ball = constraint && row == 1 && situation_tangents(constraint) > 2;
        for (int k = row; k < row + 1 + pair + ball; k++) {
            double range[2] = {0, 0};
            if (constraint && k <= situation_tangents(constraint))
                situation_range(constraint, motion, k, range);
            json_numbers(json, NULL, 2, range);
        }
        if (pair)
            json_end_array(json);
    }
    json_end_array(json);
}

static void add_modes(Json *json, const Situation *situation, const SpragMotion *motion)
{
    json_begin_flat_array(json, "modes");
    for (int i = 0; i < situation->line_count; i++) {
        const ContactLine *line = &situation->lines[i];
        if (line->constraint >= 0)
            json_text(json, NULL, sprag_mode_name(motion->modes[line->constraint]));
        else
            json_text(json, NULL,
                      line->mode[0] == 'i' ? line->mode : sprag_mode_name(SPRAG_MODE_SEPARATE));
    }
    json_end_array(json);
}

// Unit vectors along the tangents in space, signs in the plane; 0 where nothing slips.
static void add_directions(Json *json, const Situation *situation, const SpragMotion *motion)
{
    static const double none[SPRAG_CONSTRAINT_WAYS] = {0};
    bool space = situation->problem->dimension == 3;
    json_begin_flat_array(json, "direction");
    for (int i = 0; i < situation->line_count; i++) {
        int c = situation->lines[i].constraint;
        const double *d = c < 0 ? none : motion->direction + SPRAG_CONSTRAINT_WAYS * c;
        bool ball = c >= 0 && situation_tangents(&situation->problem->constraints[c]) > 2;
        if (space)
            json_numbers(json, NULL, ball ? 3 : 2, d);
        else
            json_number(json, NULL, d[0]);
    }
    json_end_array(json);
}

static void add_body_accelerations(Json *json, const Situation *situation,
                                   const SpragMotion *motion, double *work)
{
    int count;
    const char *const *keys = body_axes(situation_is_spatial(situation), &count);
    analyze_acceleration(situation, motion, work);
    json_begin_object(json, "acceleration");
    for (int body = 0; body < situation->model->body_count; body++) {
        int coordinate = sprag_system_body_coordinate(situation->system, body);
        if (coordinate < 0)
            continue;
        json_begin_flat_object(json, situation->model->bodies[body].name);
        for (int k = 0; k < count; k++)
            json_number(json, keys[k], work[coordinate + k]);
        json_end_object(json);
    }
    json_end_object(json);
}

static void add_accelerations(Json *json, const Situation *situation, const SpragMotion *motion,
                              double *work)
{
    if (situation->model) {
        add_body_accelerations(json, situation, motion, work);
        analyze_json_drives(situation, motion, json);
    } else {
        json_begin_object(json, "acceleration");
        add_rows(json, "normal", situation, 0, motion->acceleration, NAN);
        add_rows(json, "tangential", situation, 1, motion->acceleration, NAN);
        if (situation->problem->block_count > 0) { // given by mass and J
            analyze_acceleration(situation, motion, work);
            json_numbers(json, "q", situation->velocity_count, work);
        }
        json_end_object(json);
    }
    add_rows(json, "normal_acceleration", situation, 0, motion->acceleration, NAN);
    add_rows(json, "tangential_acceleration", situation, 1, motion->acceleration, NAN);
}

static void add_eigenvalues(Json *json, const char *key, int count, const SpragEigenvalue *values)
{
    json_begin_array(json, key);
    for (int i = 0; i < count; i++) {
        json_begin_flat_object(json, NULL);
        json_number(json, "re", values[i].real);
        json_number(json, "im", values[i].imaginary);
        json_end_object(json);
    }
    json_end_array(json);
}

static const char *forces_word(bool unique)
{
    return unique ? "unique" : "indeterminate";
}

static void add_solution(Json *json, const Situation *situation, const SpragSolution *solution,
                         double *work)
{
    const SpragMotion *motion = solution->motion;
    json_begin_object(json, NULL);
    add_modes(json, situation, motion);
    add_directions(json, situation, motion);
    add_rows(json, "normal", situation, 0, motion->force, 0);
    add_rows(json, "tangential", situation, 1, motion->force, 0);
    add_accelerations(json, situation, motion, work);
    json_bool(json, "stable", solution->stable);
    json_text(json, "stability", sprag_stability_name(solution->stability));
    add_eigenvalues(json, "eigenvalues", solution->eigenvalue_count, solution->eigenvalues);
    add_eigenvalues(json, "layer", solution->layer_count, solution->layer);
    json_number(json, "growth_time", solution->growth_time);
    if (solution->critical_damping > 0)
        json_number(json, "critical_damping", solution->critical_damping);
    details_json_layer(situation, solution, json);
    exits_json(situation, solution, json);
    json_text(json, "forces", forces_word(motion->force_dimension == 0));
    json_integer(json, "force_dimension", motion->force_dimension);
    add_ranges(json, "normal_range", situation, 0, motion);
    add_ranges(json, "tangential_range", situation, 1, motion);
    json_integer(json, "dimension", motion->dimension);
    json_number(json, "residual", motion->residual);
    json_end_object(json);
}

static void add_solutions(Json *json, const Situation *situation, const SpragVerdict *verdict,
                          double *work)
{
    json_begin_array(json, "solutions");
    for (int i = 0; i < verdict->solution_count; i++)
        add_solution(json, situation, &verdict->solutions[i], work);
    json_end_array(json);
}

// ---- The contact problem (-v) -------------------------------------------------------------------

// Row `row` of J, written out: velocity_count entries.
static void expand_row(const SpragContactProblem *problem, int row, double *dense)
{
    for (int j = 0; j < problem->velocity_count; j++)
        dense[j] = 0;
    for (int k = 0; k < SPRAG_ROW_BLOCKS; k++) {
        int index = problem->rows[row].block[k];
        if (index < 0)
            continue;
        const SpragInertiaBlock *block = &problem->blocks[index];
        for (int j = 0; j < block->size; j++)
            dense[block->offset + j] += problem->jacobian[problem->rows[row].data[k] + j];
    }
}

// Mass, and the inertia in the body's own frame.
static void add_space_mass(Json *json, const SpragBody *body)
{
    json_begin_flat_object(json, body->name);
    json_number(json, "mass", body->mass);
    json_numbers(json, "inertia", 6, body->tensor);
    json_end_object(json);
}

static void add_mass_matrix(Json *json, const Situation *situation)
{
    json_begin_object(json, "mass");
    for (int i = 0; i < situation->model->body_count; i++) {
        const SpragBody *body = &situation->model->bodies[i];
        if (sprag_system_body_coordinate(situation->system, i) < 0)
            continue;
        const double diagonal[3] = {body->mass, body->mass, body->inertia};
        if (situation_is_spatial(situation))
            add_space_mass(json, body);
        else
            json_numbers(json, body->name, 3, diagonal);
    }
    json_end_object(json);
}

static void add_jacobian(Json *json, const Situation *situation, double *work)
{
    json_begin_array(json, "J");
    for (int row = 0; row < situation->problem->row_count; row++) {
        expand_row(situation->problem, row, work);
        json_numbers(json, NULL, situation->problem->velocity_count, work);
    }
    json_end_array(json);
}

static void add_problem(Json *json, const Situation *situation, double *work)
{
    const SpragContactProblem *problem = situation->problem;
    int n = problem->row_count;
    json_begin_object(json, "problem");
    json_begin_array(json, "W");
    for (int i = 0; i < n; i++)
        json_numbers(json, NULL, n, problem->W + (size_t)i * (size_t)n);
    json_end_array(json);
    json_numbers(json, "b", n, problem->b);
    if (problem->block_count > 0)
        add_jacobian(json, situation, work);
    if (situation->model)
        add_mass_matrix(json, situation);
    json_end_object(json);
}

static void add_reason(Json *json, const Situation *situation, const SpragVerdict *verdict)
{
    SpragText reason;
    sprag_text_init(&reason, situation->context);
    analyze_reason(situation, verdict, &reason);
    json_text(json, "reason", reason.bytes);
    sprag_text_destroy(&reason);
}

void analyze_json(const Situation *situation, const SpragVerdict *verdict, const Details *details,
                  const Margins *margins, const Holds *holds, const Arguments *arguments,
                  SpragText *text)
{
    Json json;
    double *work =
        sprag_alloc(situation->context, (size_t)situation->velocity_count + 1, sizeof *work);
    if (!work) {
        text->failed = true;
        return;
    }
    json_init(&json, text);
    json_begin_object(&json, NULL);
    tool_provenance(&json, arguments);
    json_text(&json, "name", sprag_scene_name(situation->scene));
    json_number(&json, "t", situation->t);
    if (situation->ended[0])
        json_text(&json, "run_ended", situation->ended);
    situation_json_contacts(situation, verdict->rules, &json);
    json_number(&json, "A", verdict->one_contact ? verdict->A : NAN);
    json_number(&json, "B", verdict->one_contact ? verdict->B : NAN);
    add_solutions(&json, situation, verdict, work);
    json_bool(&json, "complete", verdict->complete);
    json_text(&json, "verdict", sprag_verdict_name(verdict->kind));
    json_integer(&json, "stable_count", verdict->stable_count);
    json_text(&json, "forces", forces_word(verdict->forces_unique));
    json_bool(&json, "held", verdict->held);
    json_text(&json, "recommended", verdict->recommended_compliant ? "compliant" : "rigid");
    json_bool(&json, "impact", situation->impact_count > 0);
    add_reason(&json, situation, verdict);
    details_json_tests(situation, details, &json);
    layers_json(&details->layers, &json);
    margins_json(margins, &json);
    holds_json(holds, situation, &json);
    if (arguments->verbose)
        add_problem(&json, situation, work);
    expect_json(&json, situation->scene);
    json_end_object(&json);
    sprag_free(situation->context, work);
}
