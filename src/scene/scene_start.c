// scene_start.c: what must hold at t = 0, and the settings of a run.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene_private.h"

// Whether a text of so many bytes, in the scene's own words, names a body or a part of one.
static bool is_selector(Reader *reader, const char *text, size_t length)
{
    char path[256];
    SpragSelector selector;
    if (length >= sizeof path)
        return false;
    memcpy(path, text, length);
    path[length] = 0;
    return sprag_model_find_selector(reader->model, path, &selector);
}

// A contact of an included file: a rule of that file, or two of its features: "rod.a-table".
static SpragStatus name_contact(Reader *reader, const Node *node, const char *name,
                                SpragStart *start)
{
    start->contact = (char *)full_name(reader, node->include, name);
    if (!start->contact)
        return SPRAG_ERROR_MEMORY;
    if (!node->include || !node->include->prefix[0])
        return SPRAG_OK;
    const SpragModel *model = reader->model;
    for (int i = 0; i < model->rule_count; i++)
        if (model->rules[i].name && strcmp(model->rules[i].name, start->contact) == 0)
            return SPRAG_OK;
    for (const char *dash = strchr(name, '-'); dash; dash = strchr(dash + 1, '-')) {
        const char *second = full_name(reader, node->include, dash + 1), *first = start->contact;
        if (!second)
            return SPRAG_ERROR_MEMORY;
        size_t length = strlen(first) - strlen(dash);
        if (!is_selector(reader, first, length) || !is_selector(reader, second, strlen(second)))
            continue;
        size_t bytes = length + strlen(second) + 2;
        char *both = sprag_arena_alloc(reader->arena, bytes, 1);
        if (!both)
            return SPRAG_ERROR_MEMORY;
        snprintf(both, bytes, "%.*s-%s", (int)length, first, second);
        start->contact = both;
        return SPRAG_OK;
    }
    return SPRAG_OK;
}

static SpragStatus read_contact_of(Reader *reader, const Node *node, SpragStart *start)
{
    const Node *contact = node_get(node, "contact");
    if (contact->kind != NODE_SEQUENCE) {
        const char *name;
        SPRAG_TRY(read_text(reader, contact, "contact", &name));
        return name_contact(reader, contact, name, start);
    }
    if (contact->count != 2)
        return fail_at(reader, contact, "contact must be a name or a pair [one, other]");
    for (int i = 0; i < 2; i++)
        SPRAG_TRY(read_selector(reader, contact->items[i], "contact", &start->between[i]));
    return SPRAG_OK;
}

static SpragStatus read_motion_plane(Reader *reader, const Node *node, SpragStart *start)
{
    const Node *velocity = node_get(node, "velocity"), *slip = node_get(node, "slip");
    if (velocity && slip)
        return fail_at(reader, node_key(node, "slip"),
                       "velocity: [normal, tangential] gives the slip already");
    if (slip) {
        start->slip_given = true;
        return read_number(reader, slip, "slip", KIND_VELOCITY, RANGE_ALL, &start->slip);
    }
    if (!velocity)
        return SPRAG_OK;
    SpragVec2 v;
    SPRAG_TRY(read_vec2(reader, velocity, "velocity", KIND_VELOCITY, &v));
    start->normal_velocity_given = start->slip_given = true;
    start->normal_velocity = v.x;
    start->slip = v.y;
    return SPRAG_OK;
}

// In space the slip is a vector of the world, and velocity the normal one alone: which tangents a
// contact has is not known to the file.
static SpragStatus read_motion_space(Reader *reader, const Node *node, SpragStart *start)
{
    const Node *velocity = node_get(node, "velocity"), *slip = node_get(node, "slip");
    if (slip && slip->kind == NODE_SCALAR && !node_is_empty(slip)) {
        double zero;
        SPRAG_TRY(read_number(reader, slip, "slip", KIND_VELOCITY, RANGE_ALL, &zero));
        if (zero != 0)
            return fail_at(reader, slip, "slip in space is a vector of the world: [x, y, z], or 0");
    } else if (slip) {
        SPRAG_TRY(read_vec3(reader, slip, "slip", KIND_VELOCITY, &start->slip_along));
        SPRAG_TRY(place_vector(reader, node->include, &start->slip_along));
    }
    start->slip_given = slip != NULL;
    if (!velocity)
        return SPRAG_OK;
    if (velocity->kind != NODE_SCALAR)
        return fail_at(reader, velocity,
                       "velocity of a contact in space is one number, along its normal (approach < "
                       "0); slip: [x, y, z] gives the rest");
    start->normal_velocity_given = true;
    return read_number(reader, velocity, "velocity", KIND_VELOCITY, RANGE_ALL,
                       &start->normal_velocity);
}

static SpragStatus read_start_contact(Reader *reader, const Node *node, SpragStart *start)
{
    static const char *const keys[] = {"contact", "gap", "slip", "velocity", NULL};
    SPRAG_TRY(check_keys(reader, node, "start of a contact", keys));
    start->kind = SPRAG_START_CONTACT;
    SPRAG_TRY(read_contact_of(reader, node, start));
    SPRAG_TRY(read_optional(reader, node, "gap", KIND_LENGTH, RANGE_NOT_NEGATIVE, &start->gap));
    return reader->model->dimension == 3 ? read_motion_space(reader, node, start)
                                         : read_motion_plane(reader, node, start);
}

static SpragStatus read_start_point(Reader *reader, const Node *node, SpragStart *start)
{
    static const char *const keys[] = {"point", "at", "velocity", NULL};
    SPRAG_TRY(check_keys(reader, node, "start of a point", keys));
    start->kind = SPRAG_START_POINT;
    const Node *point = node_get(node, "point");
    SPRAG_TRY(read_place(reader, point, "point", &start->point));
    if (start->point.body == SPRAG_WORLD || reader->model->bodies[start->point.body].fixed)
        return fail_at(reader, point, "point must be a place of a body that moves");
    const Node *at = node_get(node, "at"), *velocity = node_get(node, "velocity");
    const char *form = reader->model->dimension == 3 ? "[x, y, z]" : "[x, y]";
    if (!at && !velocity)
        return fail_at(reader, node, "a point needs at: %s or velocity: %s", form, form);
    start->at_given = at != NULL;
    start->velocity_given = velocity != NULL;
    if (at) {
        SPRAG_TRY(read_vec3(reader, at, "at", KIND_LENGTH, &start->at));
        SPRAG_TRY(place_point(reader, node->include, &start->at));
    }
    if (!velocity)
        return SPRAG_OK;
    SPRAG_TRY(read_vec3(reader, velocity, "velocity", KIND_VELOCITY, &start->velocity));
    return place_vector(reader, node->include, &start->velocity);
}

static SpragStatus read_start_joint(Reader *reader, const Node *node, SpragStart *start)
{
    static const char *const keys[] = {"joint", "position", "velocity", NULL};
    const Node *name = node_get(node, "joint"), *position = node_get(node, "position");
    const Node *velocity = node_get(node, "velocity");
    SPRAG_TRY(check_keys(reader, node, "start of a joint", keys));
    start->kind = SPRAG_START_JOINT;
    SPRAG_TRY(read_joint_name(reader, name, &start->joint));
    const SpragJoint *joint = &reader->model->joints[start->joint];
    if (joint->kind == SPRAG_JOINT_WELD || joint->kind == SPRAG_JOINT_BALL ||
        joint->kind == SPRAG_JOINT_UNIVERSAL)
        return fail_at(reader, name, "a %s joint has no position to start from",
                       sprag_joint_kind_name(joint->kind));
    if (joint->driven)
        return fail_at(reader, name, "%s is driven: drive gives its position at the start",
                       joint->name);
    bool length = joint_is_length(joint->kind);
    if (!position && !velocity)
        return fail_at(reader, node, "start of a joint needs position or velocity");
    start->joint_position_given = position != NULL;
    start->joint_velocity_given = velocity != NULL;
    if (position)
        SPRAG_TRY(read_number(reader, position, "position", length ? KIND_LENGTH : KIND_ANGLE,
                              RANGE_ALL, &start->joint_position));
    return velocity ? read_number(reader, velocity, "velocity", length ? KIND_VELOCITY : KIND_SPIN,
                                  RANGE_ALL, &start->joint_velocity)
                    : SPRAG_OK;
}

static SpragStatus read_line(Reader *reader, Part *part)
{
    const Node *line = part->node;
    SpragStart start = {0};
    // a --set has no place in the file, and an included file is another one
    place_of(line, &start.line, &start.column);
    SPRAG_TRY(need_mapping(reader, line, "a line of start"));
    if (node_get(line, "joint"))
        SPRAG_TRY(read_start_joint(reader, line, &start));
    else if (node_get(line, "contact"))
        SPRAG_TRY(read_start_contact(reader, line, &start));
    else if (node_get(line, "point"))
        SPRAG_TRY(read_start_point(reader, line, &start));
    else
        return fail_at(reader, line, "a line of start needs contact, point or joint");
    if (part->index >= 0)
        return sprag_model_replace_start(reader->model, part->index, &start);
    return locate(reader, line, sprag_model_add_start(reader->model, &start, &part->index));
}

SpragStatus read_start(Reader *reader, const Node *node)
{
    SPRAG_TRY(need_sequence(reader, node, "start"));
    for (int i = 0; i < node->count; i++)
        SPRAG_TRY(read_part(reader, (Part){.read = read_line,
                                           .change = SPRAG_SCENE_NUMBERS,
                                           .node = node->items[i],
                                           .index = -1,
                                           .body = -1}));
    return SPRAG_OK;
}

// ---- Simulate -----------------------------------------------------------------------------------

static SpragStatus read_choice(Reader *reader, const Node *node, const char *key,
                               const char *const *words, int *index)
{
    const Node *value = node_get(node, key);
    int count = 0;
    while (words[count])
        count++;
    return value ? read_word(reader, value, key, words, count, index) : SPRAG_OK;
}

static SpragStatus read_simulate_part(Reader *reader, Part *part)
{
    reader->model->simulate = sprag_simulate_default();
    return read_simulate_into(reader, part->node, &reader->model->simulate);
}

SpragStatus read_simulate(Reader *reader, const Node *node)
{
    return read_part(reader, (Part){.read = read_simulate_part,
                                    .change = SPRAG_SCENE_NUMBERS,
                                    .node = node,
                                    .index = -1,
                                    .body = -1});
}

// What time stepping takes: its scheme, theta of Moreau-Jean, threads.
static SpragStatus read_stepping(Reader *reader, const Node *node, SpragSimulate *simulate)
{
    static const char *const schemes[] = {"moreau-jean", "stewart-trinkle", NULL};
    const Node *theta = node_get(node, "theta"), *threads = node_get(node, "threads");
    int scheme = 0;
    double count = 0;
    SPRAG_TRY(read_choice(reader, node, "scheme", schemes, &scheme));
    simulate->scheme = scheme == 0 ? SPRAG_STEP_MOREAU_JEAN : SPRAG_STEP_STEWART_TRINKLE;
    SPRAG_TRY(
        read_optional(reader, node, "theta", KIND_NUMBER, RANGE_NOT_NEGATIVE, &simulate->theta));
    if (theta && simulate->theta > 1)
        return fail_at(reader, theta, "theta must be a number in 0 … 1, got %g", simulate->theta);
    if (theta && scheme == 1 && simulate->theta != 1)
        return fail_at(reader, theta,
                       "theta belongs to scheme: moreau-jean; stewart-trinkle has 1");
    SPRAG_TRY(read_optional(reader, node, "threads", KIND_NUMBER, RANGE_POSITIVE, &count));
    if (threads && (count != floor(count) || count > SPRAG_STEP_MOST_THREADS))
        return fail_at(reader, threads, "threads must be a whole number in 1 … %d, got %g",
                       (int)SPRAG_STEP_MOST_THREADS, count);
    simulate->threads = (int)count;
    SPRAG_TRY(read_optional(reader, node, "law-tolerance", KIND_NUMBER, RANGE_POSITIVE,
                            &simulate->law_tolerance));
    if (simulate->law_tolerance > SPRAG_MOST_RUN_TOLERANCE)
        return fail_at(reader, node_get(node, "law-tolerance"),
                       "law-tolerance must be at most %g, got %g", SPRAG_MOST_RUN_TOLERANCE,
                       simulate->law_tolerance);
    return SPRAG_OK;
}

SpragStatus read_simulate_into(Reader *reader, const Node *node, SpragSimulate *simulate)
{
    static const char *const keys[] = {
        "motion",  "until",   "step",   "tolerance", "output-step", "contact-tolerance", "branch",
        "paradox", "impacts", "scheme", "theta",     "threads",     "law-tolerance",     NULL};
    static const char *const motions[] = {"auto", "events", "compliant", "stepping", NULL};
    static const char *const branches[] = {"keep", "lift", "stick", "both", NULL};
    static const char *const paradoxes[] = {"stop", "impulse", "compliant", NULL};
    static const char *const impacts[] = {"together", "sequence", "path", NULL};
    SPRAG_TRY(check_keys(reader, node, "simulate", keys));
    int motion = 0, branch = 0, paradox = -1, impact = 2;
    SPRAG_TRY(read_choice(reader, node, "motion", motions, &motion));
    SPRAG_TRY(read_choice(reader, node, "branch", branches, &branch));
    SPRAG_TRY(read_choice(reader, node, "paradox", paradoxes, &paradox));
    SPRAG_TRY(read_choice(reader, node, "impacts", impacts, &impact));
    simulate->motion = (SpragMotionKind)motion;
    static const int branch_values[] = {SPRAG_BRANCH_KEEP, SPRAG_BRANCH_LIFT, SPRAG_BRANCH_STICK,
                                        SPRAG_BRANCH_BOTH};
    static const int paradox_values[] = {SPRAG_PARADOX_DEFAULT, SPRAG_PARADOX_STOP,
                                         SPRAG_PARADOX_IMPULSE, SPRAG_PARADOX_COMPLIANT};
    static const int impact_values[] = {SPRAG_IMPACTS_TOGETHER, SPRAG_IMPACTS_SEQUENCE,
                                        SPRAG_IMPACTS_PATH};
    simulate->branch = branch_values[branch];
    simulate->paradox = paradox_values[paradox + 1];
    simulate->impacts = impact_values[impact];
    SPRAG_TRY(
        read_optional(reader, node, "until", KIND_TIME, RANGE_NOT_NEGATIVE, &simulate->until));
    SPRAG_TRY(read_optional(reader, node, "step", KIND_TIME, RANGE_POSITIVE, &simulate->step));
    SPRAG_TRY(read_stepping(reader, node, simulate));
    SPRAG_TRY(read_optional(reader, node, "output-step", KIND_TIME, RANGE_POSITIVE,
                            &simulate->output_step));
    SPRAG_TRY(read_optional(reader, node, "tolerance", KIND_NUMBER, RANGE_POSITIVE,
                            &simulate->tolerance));
    if (simulate->tolerance < SPRAG_LEAST_RUN_TOLERANCE ||
        simulate->tolerance > SPRAG_MOST_RUN_TOLERANCE)
        return fail_at(reader, node_get(node, "tolerance"), "tolerance must be in %g … %g, got %g",
                       SPRAG_LEAST_RUN_TOLERANCE, SPRAG_MOST_RUN_TOLERANCE, simulate->tolerance);
    SPRAG_TRY(read_optional(reader, node, "contact-tolerance", KIND_NUMBER, RANGE_POSITIVE,
                            &simulate->contact_tolerance));
    if (simulate->contact_tolerance > SPRAG_MOST_CONTACT_TOLERANCE)
        return fail_at(reader, node_get(node, "contact-tolerance"),
                       "contact-tolerance must be at most %g, got %g", SPRAG_MOST_CONTACT_TOLERANCE,
                       simulate->contact_tolerance);
    return SPRAG_OK;
}
