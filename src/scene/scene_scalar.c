// scene_scalar.c: problem files of one degree of freedom: scalar, screw, transmission (theory.md
// section 9). Matrices in `a` make it a problem of several guides (scene_guides.c).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene_drive.h"

#define COMMON_KEYS                                                                                \
    "sprag", "name", "description", "source", "problem", "parameters", "expect", "simulate",       \
        "friction", "velocity", "position", "input", "acceleration", "stiffness", "damping"

SpragStatus drive_need(Reader *reader, const char *key, const char *what, const Node **node)
{
    *node = node_get(reader->root, key);
    return *node ? SPRAG_OK : fail_at(reader, reader->root, "%s is missing, %s", key, what);
}

SpragStatus drive_checked(Reader *reader, const Node *node, SpragStatus status)
{
    status = locate(reader, node, status);
    if (status != SPRAG_ERROR_INPUT || !reader->lenient)
        return status;
    snprintf(reader->scene->invalid, sizeof reader->scene->invalid, "%s",
             sprag_context_message(reader->context));
    return SPRAG_OK;
}

static SpragStatus read_needed(Reader *reader, const char *key, const char *what, Kind kind,
                               Range range, double *number)
{
    const Node *node;
    SPRAG_TRY(drive_need(reader, key, what, &node));
    return read_number(reader, node, key, kind, range, number);
}

static SpragStatus read_optional_friction(Reader *reader, double *friction)
{
    const Node *node = node_get(reader->root, "friction");
    if (!node)
        return note(reader, "friction: nothing gives it, 0");
    return read_number(reader, node, "friction", KIND_NUMBER, RANGE_NOT_NEGATIVE, friction);
}

// stiffness: a number, or {axial: …, torsional: …} where both springs are in series.
static SpragStatus read_stiffness(Reader *reader, Kind kind, double *along, double *torsion)
{
    static const char *const keys[] = {"axial", "torsional", NULL};
    const Node *node = node_get(reader->root, "stiffness");
    if (!node)
        return SPRAG_OK;
    if (node->kind != NODE_MAPPING)
        return read_number(reader, node, "stiffness", kind, RANGE_POSITIVE, along);
    SPRAG_TRY(check_keys(reader, node, "stiffness", keys));
    SPRAG_TRY(read_optional(reader, node, "axial", kind, RANGE_POSITIVE, along));
    return read_optional(reader, node, "torsional", kind == KIND_ANY ? KIND_ANY : KIND_TORQUE,
                         RANGE_POSITIVE, torsion);
}

// ---- The state and the inputs -------------------------------------------------------------------

typedef struct Kinds {
    Kind position, velocity, input, acceleration;
} Kinds;

static SpragStatus read_inputs(Reader *reader, Kind kind, int count)
{
    SpragScene *scene = reader->scene;
    const Node *node = node_get(reader->root, "input");
    if (!node) {
        if (!scene->drive.has_acceleration)
            return note(reader, "input: nothing gives it, 0");
        return SPRAG_OK;
    }
    scene->drive.has_input = true;
    if (count == 1)
        return read_time_value(reader, node, "input", kind, &scene->inputs[0]);
    if (node->kind != NODE_SEQUENCE || node->count != 2)
        return fail_at(reader, node, "input must be a list of 2 numbers, got %s",
                       shown_node(reader, node));
    for (int i = 0; i < 2; i++)
        SPRAG_TRY(read_time_value(reader, node->items[i], "input", kind, &scene->inputs[i]));
    return SPRAG_OK;
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

SpragStatus drive_collect_breaks(Reader *reader, int input_count)
{
    SpragScene *scene = reader->scene;
    size_t count = 0;
    int filled = 0;
    for (int i = 0; i < input_count; i++)
        count += (size_t)scene->inputs[i].curve.count;
    if (count == 0)
        return SPRAG_OK;
    scene->breaks = scene_keep(reader, count, sizeof(double));
    if (!scene->breaks)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < input_count; i++)
        for (int k = 0; k < scene->inputs[i].curve.count; k++)
            scene->breaks[filled++] = scene->inputs[i].curve.x[k];
    qsort(scene->breaks, count, sizeof *scene->breaks, compare_times);
    scene->break_count = filled;
    return SPRAG_OK;
}

static SpragStatus read_state(Reader *reader, const Kinds *kinds, int input_count)
{
    SpragSceneDrive *drive = &reader->scene->drive;
    const Node *wanted = node_get(reader->root, "acceleration");
    const Node *simulate = node_get(reader->root, "simulate");
    drive->simulate = sprag_simulate_default();
    if (simulate && !node_is_empty(simulate))
        SPRAG_TRY(read_simulate_into(reader, simulate, &drive->simulate));
    SPRAG_TRY(read_optional(reader, reader->root, "position", kinds->position, RANGE_ALL,
                            &drive->state.position));
    SPRAG_TRY(read_optional(reader, reader->root, "velocity", kinds->velocity, RANGE_ALL,
                            &drive->state.velocity));
    if (wanted) {
        drive->has_acceleration = true;
        SPRAG_TRY(read_number(reader, wanted, "acceleration", kinds->acceleration, RANGE_ALL,
                              &drive->acceleration));
    }
    SPRAG_TRY(read_inputs(reader, kinds->input, input_count));
    for (int i = 0; i < 2; i++) {
        const TimeValue *input = &reader->scene->inputs[i];
        drive->state.input[i] = input->number;
        drive->input_varies |= input->program.count > 0 || input->curve.count > 0;
    }
    return drive_collect_breaks(reader, 2);
}

// ---- The problems -------------------------------------------------------------------------------

static SpragStatus read_scalar(Reader *reader)
{
    static const char *const keys[] = {COMMON_KEYS, "a", "b", "c", "d", "directions", NULL};
    static const Kinds kinds = {KIND_ANY, KIND_ANY, KIND_ANY, KIND_ANY};
    SPRAG_TRY(check_keys(reader, reader->root, "the file", keys));
    const Node *a;
    SPRAG_TRY(drive_need(reader, "a", "the inertia", &a));
    if (a->kind == NODE_SEQUENCE)
        return read_guides(reader);
    SpragScalar *scalar = &reader->scene->drive.scalar;
    double torsion = 0;
    const Node *directions = node_key(reader->root, "directions");
    if (directions)
        return fail_at(reader, directions, "directions are for several guides: a is one number");
    reader->scene->kind = SPRAG_SCENE_SCALAR;
    SPRAG_TRY(read_number(reader, a, "a", KIND_ANY, RANGE_POSITIVE, &scalar->a));
    SPRAG_TRY(
        read_needed(reader, "c", "the normal force is c q'' + d", KIND_ANY, RANGE_ALL, &scalar->c));
    SPRAG_TRY(read_optional(reader, reader->root, "b", KIND_ANY, RANGE_ALL, &scalar->b));
    SPRAG_TRY(read_optional(reader, reader->root, "d", KIND_ANY, RANGE_ALL, &scalar->d));
    SPRAG_TRY(read_optional_friction(reader, &scalar->friction));
    SPRAG_TRY(read_stiffness(reader, KIND_ANY, &scalar->stiffness, &torsion));
    if (torsion > 0)
        return fail_at(reader, node_get(reader->root, "stiffness"),
                       "a scalar problem has one stiffness, a number");
    SPRAG_TRY(read_optional(reader, reader->root, "damping", KIND_ANY, RANGE_NOT_NEGATIVE,
                            &scalar->damping));
    sprag_pair_of_scalar(scalar, &reader->scene->drive.pair);
    return read_state(reader, &kinds, 1);
}

// A length is the advance per turn; a length per angle says what it is.
static SpragStatus read_lead(Reader *reader, double *lead)
{
    const double turn = 6.283185307179586;
    const Node *node;
    SPRAG_TRY(drive_need(reader, "lead", "the advance per turn", &node));
    if (node->kind == NODE_SCALAR && !node_is_empty(node)) {
        Value value;
        SPRAG_TRY(expression_evaluate(reader, node, "lead", node->text, &value));
        Dimension per_angle = {1, 0, 0, -1};
        if (value.state == VALUE_UNIT && dimension_equal(value.dimension, per_angle)) {
            if (!(value.number > 0))
                return fail_at(reader, node, "lead must be a number > 0, got %s",
                               shown(reader, node->text));
            *lead = value.number;
            return SPRAG_OK;
        }
    }
    SPRAG_TRY(read_number(reader, node, "lead", KIND_LENGTH, RANGE_POSITIVE, lead));
    *lead /= turn;
    return SPRAG_OK;
}

static SpragStatus read_helix(Reader *reader, SpragScrew *screw)
{
    const Node *helix = node_get(reader->root, "helix"), *radius = node_get(reader->root, "radius");
    if (helix && radius)
        return fail_at(reader, node_key(reader->root, "radius"),
                       "helix and radius say the same: tan(helix) = lead/(2 pi radius); give one");
    if (helix)
        return read_number(reader, helix, "helix", KIND_ANGLE, RANGE_POSITIVE, &screw->helix);
    double mean;
    SPRAG_TRY(read_needed(reader, "radius", "the mean radius of the thread (or helix, its angle)",
                          KIND_LENGTH, RANGE_POSITIVE, &mean));
    screw->helix = atan(screw->lead / mean);
    return SPRAG_OK;
}

static SpragStatus read_screw(Reader *reader)
{
    static const char *const keys[] = {COMMON_KEYS, "inertia",      "mass",    "lead", "helix",
                                       "radius",    "thread-angle", "gravity", NULL};
    static const Kinds kinds = {KIND_ANGLE, KIND_SPIN, KIND_TORQUE, KIND_ANY};
    SPRAG_TRY(check_keys(reader, reader->root, "the file", keys));
    SpragSceneDrive *drive = &reader->scene->drive;
    SpragScrew *screw = &drive->screw;
    reader->scene->kind = SPRAG_SCENE_SCREW;
    screw->gravity = 9.81;
    SPRAG_TRY(read_needed(reader, "inertia", "that of the screw", KIND_INERTIA, RANGE_POSITIVE,
                          &screw->inertia));
    SPRAG_TRY(read_needed(reader, "mass", "that of the nut and its load", KIND_MASS, RANGE_POSITIVE,
                          &screw->mass));
    SPRAG_TRY(read_lead(reader, &screw->lead));
    SPRAG_TRY(read_helix(reader, screw));
    SPRAG_TRY(read_optional(reader, reader->root, "thread-angle", KIND_ANGLE, RANGE_NOT_NEGATIVE,
                            &screw->thread_angle));
    SPRAG_TRY(read_optional(reader, reader->root, "gravity", KIND_ACCELERATION, RANGE_ALL,
                            &screw->gravity));
    SPRAG_TRY(read_optional_friction(reader, &screw->friction));
    SPRAG_TRY(read_stiffness(reader, KIND_STIFFNESS, &screw->stiffness, &screw->torsion));
    SPRAG_TRY(read_optional(reader, reader->root, "damping", KIND_DAMPING, RANGE_NOT_NEGATIVE,
                            &screw->damping));
    const Node *friction = node_get(reader->root, "friction");
    SPRAG_TRY(drive_checked(reader, friction ? friction : reader->root,
                            sprag_screw_check(reader->context, screw)));
    sprag_pair_of_screw(screw, &drive->pair);
    SPRAG_TRY(read_state(reader, &kinds, 1));
    // the file has angle and spin of the screw; the pair's coordinate is the nut's
    drive->state.position *= screw->lead;
    drive->state.velocity *= screw->lead;
    return SPRAG_OK;
}

// ratio: g' | {value, slope, curvature} | {table: [[q2, q1], …]}.
static SpragStatus read_ratio(Reader *reader, SpragTransmission *drive)
{
    static const char *const keys[] = {"value", "slope", "curvature", "table", NULL};
    const Node *node;
    SPRAG_TRY(drive_need(reader, "ratio", "g' of q1 = g(q2)", &node));
    if (node->kind != NODE_MAPPING)
        return read_number(reader, node, "ratio", KIND_ANY, RANGE_ALL, &drive->slope);
    SPRAG_TRY(check_keys(reader, node, "ratio", keys));
    const Node *table = node_get(node, "table"), *slope = node_get(node, "slope");
    if (table && node->count > 1)
        return fail_at(reader, node, "ratio has a table, or value and derivatives, not both");
    if (table) {
        drive->curve = &reader->scene->ratio;
        return read_curve(reader, table, "table", 2, true, &reader->scene->ratio);
    }
    if (!slope)
        return fail_at(reader, node, "ratio needs slope (g') or table");
    SPRAG_TRY(read_number(reader, slope, "slope", KIND_ANY, RANGE_ALL, &drive->slope));
    SPRAG_TRY(read_optional(reader, node, "value", KIND_ANY, RANGE_ALL, &drive->value));
    return read_optional(reader, node, "curvature", KIND_ANY, RANGE_ALL, &drive->curvature);
}

static SpragStatus read_two(Reader *reader, const char *key, bool needed, double numbers[2])
{
    const Node *node = node_get(reader->root, key);
    if (!node && needed)
        return fail_at(reader, reader->root, "%s is missing, a list of 2 numbers", key);
    return node ? read_numbers(reader, node, key, KIND_ANY, 2, numbers) : SPRAG_OK;
}

static SpragStatus read_transmission(Reader *reader)
{
    static const char *const keys[] = {COMMON_KEYS, "a", "b", "c", "d", "slip", "ratio", NULL};
    static const Kinds kinds = {KIND_ANY, KIND_ANY, KIND_ANY, KIND_ANY};
    SPRAG_TRY(check_keys(reader, reader->root, "the file", keys));
    SpragTransmission *drive = &reader->scene->drive.transmission;
    reader->scene->kind = SPRAG_SCENE_TRANSMISSION;
    SPRAG_TRY(read_two(reader, "a", true, drive->a));
    SPRAG_TRY(read_two(reader, "b", false, drive->b));
    SPRAG_TRY(read_two(reader, "c", true, drive->c));
    SPRAG_TRY(read_two(reader, "d", true, drive->d));
    // what friction works on is what slips, unless the file says otherwise
    drive->slip[0] = drive->d[0];
    drive->slip[1] = drive->d[1];
    SPRAG_TRY(read_two(reader, "slip", false, drive->slip));
    if (drive->slip[0] * drive->d[1] != drive->slip[1] * drive->d[0])
        SPRAG_TRY(note(reader, "slip is not along d: friction may do work on a compliant drive"));
    SPRAG_TRY(read_optional_friction(reader, &drive->friction));
    SPRAG_TRY(read_ratio(reader, drive));
    SPRAG_TRY(read_stiffness(reader, KIND_ANY, &drive->stiffness, &drive->torsion));
    SPRAG_TRY(read_optional(reader, reader->root, "damping", KIND_ANY, RANGE_NOT_NEGATIVE,
                            &drive->damping));
    SPRAG_TRY(read_state(reader, &kinds, 2));
    drive->position = reader->scene->drive.state.position;
    sprag_pair_of_transmission(drive, &reader->scene->drive.pair);
    return SPRAG_OK;
}

SpragStatus read_drive(Reader *reader, const char *problem)
{
    if (strcmp(problem, "scalar") == 0)
        SPRAG_TRY(read_scalar(reader));
    else if (strcmp(problem, "screw") == 0)
        SPRAG_TRY(read_screw(reader));
    else
        SPRAG_TRY(read_transmission(reader));
    if (reader->scene->kind == SPRAG_SCENE_GUIDES || reader->scene->invalid[0])
        return SPRAG_OK;
    return drive_checked(reader, node_get(reader->root, "problem"),
                         sprag_pair_check(reader->context, &reader->scene->drive.pair));
}

// ---- Access -------------------------------------------------------------------------------------

const SpragSceneDrive *sprag_scene_drive(const SpragScene *scene)
{
    bool drive = scene->kind == SPRAG_SCENE_SCALAR || scene->kind == SPRAG_SCENE_SCREW ||
                 scene->kind == SPRAG_SCENE_TRANSMISSION;
    return drive ? &scene->drive : NULL;
}

const char *sprag_scene_drive_invalid(const SpragScene *scene)
{
    return scene->invalid;
}

double sprag_scene_input(const SpragScene *scene, int input, double t)
{
    return time_value_at(&scene->inputs[input], t);
}

const double *sprag_scene_input_breaks(const SpragScene *scene, int *count)
{
    *count = scene->break_count;
    return scene->breaks;
}
