// situation.c: a scene at an instant.
//
// The list of contacts: those that rest, slide, approach or leave, and the open ones too as long as
// the system is small (a pile of stones has thousands of pairs that are merely near, and two boxes
// in space have 16 corners).
#include "situation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bodies.h"
#include "print.h"
#include "sprag/motion.h"

enum { LIST_ALL_UP_TO = 64, LIST_ALL_IN_SPACE = 16 }; // slots
// Of the size of the scene: in space, what is nearer may be a contact.
static const double NEAR = 1e-2;

static const char *slide_word(double slip)
{
    return sprag_mode_name(slip > 0 ? SPRAG_MODE_SLIDE_PLUS : SPRAG_MODE_SLIDE_MINUS);
}

bool situation_is_spatial(const Situation *situation)
{
    return situation->model && situation->model->dimension == 3;
}

static const char *state_word(const SpragContactKinematics *kinematics, bool space)
{
    switch (kinematics->state) {
    case SPRAG_CONTACT_LEAVING:
        return "leaving";
    case SPRAG_CONTACT_APPROACHING:
        return "impact";
    case SPRAG_CONTACT_RESTING:
        return sprag_mode_name(SPRAG_MODE_STICK);
    case SPRAG_CONTACT_SLIDING:
        return space ? sprag_mode_name(SPRAG_MODE_SLIDE) : slide_word(kinematics->slip[0]);
    default:
        return "open";
    }
}

// Number in the contact problem of the constraint that stands for a slot; −1: none.
static int constraint_of_slot(const SpragContactProblem *problem, int slot)
{
    for (int i = 0; i < problem->constraint_count; i++)
        if (problem->constraints[i].id == slot)
            return i;
    return -1;
}

static void list_slot(Situation *situation, int slot)
{
    const SpragContactKinematics *kinematics = &situation->kinematics[slot];
    ContactLine *line = &situation->lines[situation->line_count++];
    bool space = situation_is_spatial(situation);
    bool slips = sprag_length(SPRAG_CONSTRAINT_WAYS, kinematics->slip) > situation->tolerances.slip;
    line->name = sprag_system_contact_name(situation->system, slot);
    line->mode = state_word(kinematics, space);
    line->gap = kinematics->gap;
    line->gap_rate = kinematics->gap_rate;
    memcpy(line->slip, kinematics->slip, sizeof line->slip);
    line->point = kinematics->point;
    line->normal = kinematics->normal;
    for (int k = 0; space && k < SPRAG_CONSTRAINT_WAYS; k++) {
        line->tangent[k] = kinematics->tangent[k];
        line->slip_vector =
            sprag_vec3_along(line->slip_vector, kinematics->slip[k], kinematics->tangent[k]);
    }
    line->friction = slips ? kinematics->friction_kinetic : kinematics->friction_static;
    const SpragSlot *pair = sprag_system_slot(situation->system, slot);
    line->friction_given = !pair || pair->friction_given;
    line->constraint = constraint_of_slot(situation->problem, slot);
    if (line->constraint >= 0)
        line->friction = situation->problem->constraints[line->constraint].friction;
    situation->impact_count += kinematics->state == SPRAG_CONTACT_APPROACHING;
}

static void list_slots(Situation *situation)
{
    int count = situation->contact_count;
    int few = situation_is_spatial(situation) ? LIST_ALL_IN_SPACE : LIST_ALL_UP_TO;
    for (int slot = 0; slot < count; slot++) {
        bool open = situation->kinematics[slot].state == SPRAG_CONTACT_OPEN;
        if (!open || (count <= few && isfinite(situation->kinematics[slot].gap)))
            list_slot(situation, slot);
    }
}

static void list_constraints(Situation *situation)
{
    for (int i = 0; i < situation->problem->constraint_count; i++) {
        const SpragConstraint *constraint = &situation->problem->constraints[i];
        ContactLine *line = &situation->lines[situation->line_count++];
        line->name = constraint->name;
        memcpy(line->slip, constraint->slip, sizeof line->slip);
        line->friction = constraint->friction;
        line->friction_given = true; // the reader has noted it otherwise
        line->constraint = i;
        if (constraint->row_count == 1)
            line->mode = sprag_mode_name(SPRAG_MODE_CLOSED);
        else if (constraint->sliding)
            line->mode = situation_tangents(constraint) > 1 ? sprag_mode_name(SPRAG_MODE_SLIDE)
                                                            : slide_word(constraint->slip[0]);
        else
            line->mode = sprag_mode_name(SPRAG_MODE_STICK);
    }
}

// Memory for the state.
static SpragStatus reserve_state(Situation *situation)
{
    SpragContext *context = situation->context;
    size_t positions = (size_t)situation->position_count + 1,
           velocities = (size_t)situation->velocity_count + 1;
    situation->q = sprag_alloc(context, positions, sizeof *situation->q);
    situation->v = sprag_alloc(context, velocities, sizeof *situation->v);
    return situation->q && situation->v ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// Memory for the list of a system with `contact_count` contacts.
static SpragStatus reserve(Situation *situation, int contact_count)
{
    SpragContext *context = situation->context;
    size_t contacts = (size_t)contact_count + 1;
    sprag_free(context, situation->kinematics);
    sprag_free(context, situation->lines);
    situation->line_count = situation->impact_count = 0;
    situation->contact_count = contact_count;
    situation->kinematics = sprag_alloc(context, contacts, sizeof *situation->kinematics);
    situation->lines = sprag_alloc(context, contacts, sizeof *situation->lines);
    return situation->kinematics && situation->lines ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// The state at simulate.until, or where the run ends before it.
static SpragStatus run_on(Situation *situation)
{
    const SpragSimulate *simulate = &situation->model->simulate;
    SpragRunSettings settings = sprag_run_settings(simulate);
    SpragRunOutcome outcome = SPRAG_RUN_DONE;
    SpragRun *run;
    settings.output_step = 0;
    SPRAG_TRY(sprag_run_create(situation->system, &settings, NULL, &run));
    SpragStatus status = sprag_run_advance(run, simulate->until, &outcome);
    if (status == SPRAG_OK) {
        situation->t = sprag_run_time(run);
        memcpy(situation->q, sprag_run_position(run),
               (size_t)situation->position_count * sizeof(double));
        memcpy(situation->v, sprag_run_velocity(run),
               (size_t)situation->velocity_count * sizeof(double));
    }
    if (outcome != SPRAG_RUN_DONE)
        snprintf(situation->ended, sizeof situation->ended, "%s", sprag_run_outcome_name(outcome));
    sprag_run_destroy(run);
    // features that the run held on to are let go: the state speaks for itself
    sprag_system_hold(situation->system, NULL, NULL, 0, NULL);
    return status;
}

static SpragStatus evaluate_model(Situation *situation, bool later)
{
    SPRAG_TRY(sprag_system_create_model(situation->model, &situation->system));
    SpragSystem *system = situation->system;
    situation->velocity_count = sprag_system_velocity_count(system);
    situation->position_count = sprag_system_position_count(system);
    SPRAG_TRY(reserve_state(situation));
    sprag_system_initial(system, situation->q, situation->v);
    if (later)
        SPRAG_TRY(run_on(situation));
    return situation_look(situation);
}

SpragStatus situation_look(Situation *situation)
{
    SpragSystem *system = situation->system;
    int added;
    double near = sprag_model_size(situation->model) * NEAR;
    SPRAG_TRY(sprag_system_refresh(system, situation->q, NULL, near, &added));
    SPRAG_TRY(reserve(situation, sprag_system_contact_count(system)));
    situation->tolerances = sprag_system_tolerances(system, situation->v);
    SPRAG_TRY(sprag_system_kinematics(system, situation->t, situation->q, situation->v,
                                      &situation->tolerances, situation->kinematics));
    SPRAG_TRY(sprag_system_build_problem(system, situation->t, situation->q, situation->v,
                                         &situation->tolerances, &situation->built));
    situation->problem = &situation->built;
    list_slots(situation);
    return SPRAG_OK;
}

// Reads the file again with the time of --at as the end of the run: units and expressions of the
// file hold for it too.
static SpragStatus read_until(Situation *situation, const Arguments *arguments, const char *at)
{
    Arguments all = *arguments;
    if (!situation->model)
        return sprag_fail(situation->context, SPRAG_ERROR_INPUT,
                          "%s: --at takes a scene with bodies: nothing else moves on here",
                          arguments->positional[0]);
    sprag_scene_destroy(situation->scene);
    situation->scene = NULL;
    // there is room: --at took one of the arguments
    all.sets[all.set_count++] = (SpragSceneSet){"simulate.until", at};
    // without the time it was read already
    if (tool_read_scene(situation->context, &all, &situation->scene) != SPRAG_OK)
        return sprag_fail(situation->context, SPRAG_ERROR_INPUT,
                          "%s: --at must be a time ≥ 0, got %s", arguments->positional[0], at);
    situation->model = sprag_scene_model(situation->scene);
    return SPRAG_OK;
}

SpragStatus situation_create(SpragContext *context, const Arguments *arguments,
                             Situation *situation)
{
    const char *at = arguments_value(arguments, "at");
    memset(situation, 0, sizeof *situation);
    situation->context = context;
    sprag_contact_problem_init(&situation->built, context);
    SPRAG_TRY(tool_read_scene(context, arguments, &situation->scene));
    situation->model = sprag_scene_model(situation->scene);
    if (at)
        SPRAG_TRY(read_until(situation, arguments, at));
    if (situation->model)
        return evaluate_model(situation, at != NULL);
    situation->problem = sprag_scene_contact_problem(situation->scene);
    if (!situation->problem)
        return SPRAG_OK;
    situation->velocity_count = situation->position_count = situation->problem->velocity_count;
    SPRAG_TRY(reserve_state(situation));
    SPRAG_TRY(reserve(situation, situation->problem->constraint_count));
    list_constraints(situation);
    return SPRAG_OK;
}

void situation_destroy(Situation *situation)
{
    SpragContext *context = situation->context;
    sprag_free(context, situation->lines);
    sprag_free(context, situation->kinematics);
    sprag_free(context, situation->v);
    sprag_free(context, situation->q);
    sprag_contact_problem_destroy(&situation->built);
    sprag_system_destroy(situation->system);
    sprag_scene_destroy(situation->scene);
}

// ---- The list -----------------------------------------------------------------------------------

// The slip in the world; a component within tolerance is 0.
static void add_slip_cell(Table *table, const ContactLine *line, double tolerance)
{
    double slip[3];
    sprag_vec3_to(line->slip_vector, slip);
    for (int k = 0; k < 3; k++)
        slip[k] = fabs(slip[k]) <= tolerance ? 0 : slip[k];
    body_add_vector(table, 3, slip, 0);
}

void situation_print_contacts(const Situation *situation, SpragText *text)
{
    static const char *const heads[] = {"contact", "mode", "gap [m]", "slip [m/s]", "friction"};
    const SpragContactTolerances *tolerances = &situation->tolerances;
    Table table;
    table_init(&table, situation->context, "llrrr");
    table_add_heads(&table, heads);
    for (int i = 0; i < situation->line_count; i++) {
        const ContactLine *line = &situation->lines[i];
        table_add(&table, "%s", line->name);
        table_add(&table, "%s", line->mode);
        table_add_number(&table, fabs(line->gap) <= tolerances->gap ? 0 : line->gap);
        if (situation_is_spatial(situation))
            add_slip_cell(&table, line, tolerances->slip);
        else if (situation->problem->dimension == 3)
            table_add(&table, "(%.5g, %.5g)", line->slip[0], line->slip[1]);
        else
            table_add_number(&table, fabs(line->slip[0]) <= tolerances->slip ? 0 : line->slip[0]);
        table_add_number(&table, line->friction);
    }
    sprag_text_add(text, "\ncontacts\n");
    if (situation->line_count > 0)
        table_print(&table, text);
    else
        sprag_text_add(text, "  none\n");
    table_destroy(&table);
}

SpragRuleKind situation_rule(const ContactLine *line, const SpragRuleKind *rules)
{
    return line->constraint < 0 ? SPRAG_RULE_OPEN : rules[line->constraint];
}

static void add_rule(Json *json, SpragRuleKind rule)
{
    json_text(json, "recommended", sprag_rule_is_compliant(rule) ? "compliant" : "rigid");
    json_text(json, "rule", sprag_rule_text(rule));
}

static void add_vector(Json *json, const char *key, SpragVec3 vector)
{
    double numbers[3];
    sprag_vec3_to(vector, numbers);
    json_numbers(json, key, 3, numbers);
}

// In space: the slip in the world, and the frame that forces along the tangents refer to.
static void add_vectors(Json *json, const ContactLine *line)
{
    add_vector(json, "slip", line->slip_vector);
    add_vector(json, "point", line->point);
    add_vector(json, "normal", line->normal);
    json_begin_flat_array(json, "tangents");
    add_vector(json, NULL, line->tangent[0]);
    add_vector(json, NULL, line->tangent[1]);
    if (sprag_vec3_norm(line->tangent[2]) > 0)
        add_vector(json, NULL, line->tangent[2]);
    json_end_array(json);
}

void situation_json_contacts(const Situation *situation, const SpragRuleKind *rules, Json *json)
{
    json_begin_array(json, "contacts");
    for (int i = 0; i < situation->line_count; i++) {
        const ContactLine *line = &situation->lines[i];
        json_begin_flat_object(json, NULL);
        json_text(json, "name", line->name);
        json_text(json, "mode", line->mode);
        json_number(json, "gap", line->gap);
        if (situation_is_spatial(situation))
            add_vectors(json, line);
        else if (situation->problem->dimension == 3)
            json_numbers(json, "slip", 2, line->slip);
        else
            json_number(json, "slip", line->slip[0]);
        json_number(json, "friction", line->friction);
        if (rules)
            add_rule(json, situation_rule(line, rules));
        json_end_object(json);
    }
    json_end_array(json);
}

int situation_tangents(const SpragConstraint *constraint)
{
    return constraint->row_count - sprag_constraint_normals(constraint);
}

double situation_entry(const SpragConstraint *constraint, const double *vector, int row)
{
    int press[SPRAG_CONSTRAINT_WAYS], normals = sprag_constraint_normals(constraint);
    if (row > situation_tangents(constraint))
        return NAN;
    if (row > 0)
        return vector[constraint->row + normals - 1 + row];
    int count = sprag_constraint_press(constraint, press);
    double size = 0;
    for (int k = 0; k < count; k++)
        size = hypot(size, vector[press[k]]);
    return count > 1 ? size : vector[constraint->row];
}

void situation_range(const SpragConstraint *constraint, const SpragMotion *motion, int row,
                     double range[2])
{
    range[0] = situation_entry(constraint, motion->force_low, row);
    range[1] = situation_entry(constraint, motion->force_high, row);
    int press[SPRAG_CONSTRAINT_WAYS], count = sprag_constraint_press(constraint, press);
    if (row > 0 || count == 1)
        return;
    range[0] = range[1] = 0;
    for (int k = 0; k < count; k++) { // sizes of the normals
        double low = motion->force_low[press[k]];
        double high = motion->force_high[press[k]];
        range[0] = hypot(range[0], low <= 0 && high >= 0 ? 0 : fmin(fabs(low), fabs(high)));
        range[1] = hypot(range[1], fmax(fabs(low), fabs(high)));
    }
}
