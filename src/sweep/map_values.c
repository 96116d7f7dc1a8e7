// map_values.c: the numbers of a state that a map may have beside its verdict.
// Names     of the state: A, B, determinant, margin; of the motion that rigid dynamics takes, or of
//           the only one: slowest, damping, layer.N, layer.imaginary (theory.md (6.2), (6.7)), and
//           the forces and accelerations; of all motions: growth, solutions, stable.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map_drive.h"

enum { MOST_LAYER = 999 };

typedef enum ValueTask {
    VALUE_A,
    VALUE_B,
    VALUE_DETERMINANT,
    VALUE_MARGIN,
    VALUE_SLOWEST,
    VALUE_GROWTH,
    VALUE_DAMPING,
    VALUE_SOLUTIONS,
    VALUE_STABLE,
    VALUE_LAYER_IMAGINARY,
    VALUE_LAYER,
    VALUE_NORMAL,
    VALUE_TANGENTIAL,
    VALUE_ACCELERATION,
    VALUE_DRIVE // a number that only drives have: map_drive.c
} ValueTask;

// A name that ends in a dot goes on: with a number, a contact, a body and a coordinate.
static const struct {
    const char *name, *unit;
    SpragMapValueKind kind;
    int trouble;
} tasks[] = {
    [VALUE_A] = {"A", "1/kg", SPRAG_MAP_VALUE_SMOOTH, -1},
    [VALUE_B] = {"B", "m/s²", SPRAG_MAP_VALUE_SMOOTH, 0},
    [VALUE_DETERMINANT] = {"determinant", "", SPRAG_MAP_VALUE_SMOOTH, -1},
    [VALUE_MARGIN] = {"margin", "", SPRAG_MAP_VALUE_JUMPS, 0},
    [VALUE_SLOWEST] = {"slowest", "1/s", SPRAG_MAP_VALUE_JUMPS, 1},
    [VALUE_GROWTH] = {"growth", "1/s", SPRAG_MAP_VALUE_JUMPS, 1},
    [VALUE_DAMPING] = {"damping", "", SPRAG_MAP_VALUE_JUMPS, 0},
    [VALUE_SOLUTIONS] = {"solutions", "", SPRAG_MAP_VALUE_WHOLE, 0},
    [VALUE_STABLE] = {"stable", "", SPRAG_MAP_VALUE_WHOLE, 0},
    [VALUE_LAYER_IMAGINARY] = {"layer.imaginary", "1/kg", SPRAG_MAP_VALUE_JUMPS, 0},
    [VALUE_LAYER] = {"layer.", "1/kg", SPRAG_MAP_VALUE_JUMPS, -1},
    [VALUE_NORMAL] = {"normal.", "N", SPRAG_MAP_VALUE_JUMPS, 0},
    [VALUE_TANGENTIAL] = {"tangential.", "N", SPRAG_MAP_VALUE_JUMPS, 0},
    [VALUE_ACCELERATION] = {"acceleration.", "m/s²", SPRAG_MAP_VALUE_JUMPS, 0},
};
enum { TASK_COUNT = sizeof tasks / sizeof *tasks };

static const char *const value_names[] = {"A",
                                          "B",
                                          "determinant",
                                          "margin",
                                          "slowest",
                                          "growth",
                                          "damping",
                                          "solutions",
                                          "stable",
                                          "layer.imaginary",
                                          "layer.N",
                                          "normal.CONTACT",
                                          "tangential.CONTACT",
                                          "acceleration.BODY.x",
                                          SPRAG_PAIR_VALUES,
                                          "acceleration1",
                                          "normal1",
                                          "friction1",
                                          "input1"};

const char *const *sprag_map_value_names(int *count)
{
    *count = sizeof value_names / sizeof *value_names;
    return value_names;
}

// ---- Names --------------------------------------------------------------------------------------

// Coordinates of a body by name, and which of its velocities they are in the plane and in space
// (−1: none).
enum { COORDINATES = 7 };
static const struct {
    const char *name;
    int plane, space;
    bool turns;
} coordinates[COORDINATES] = {{"x", 0, 0, false},     {"y", 1, 1, false},  {"z", -1, 2, false},
                              {"angle", 2, -1, true}, {"rx", -1, 3, true}, {"ry", -1, 4, true},
                              {"rz", -1, 5, true}};

// "rod.x" into the body and the number of the coordinate.
static bool read_coordinate(const char *rest, MapValue *value)
{
    const char *dot = strrchr(rest, '.');
    if (!dot || dot == rest || (size_t)(dot - rest) >= sizeof value->subject)
        return false;
    snprintf(value->subject, sizeof value->subject, "%.*s", (int)(dot - rest), rest);
    for (value->index = 0; value->index < COORDINATES; value->index++)
        if (strcmp(dot + 1, coordinates[value->index].name) == 0)
            return true;
    return false;
}

// What follows the dot of a name.
static bool read_rest(const char *rest, MapValue *value)
{
    char *end;
    if (value->task == VALUE_ACCELERATION)
        return read_coordinate(rest, value);
    if (value->task != VALUE_LAYER) {
        snprintf(value->subject, sizeof value->subject, "%s", rest);
        return rest[0] && strlen(rest) < sizeof value->subject;
    }
    if (rest[0] < '1' || rest[0] > '9')
        return false;
    long index = strtol(rest, &end, 10);
    value->index = (int)index - 1;
    return *end == 0 && index <= MOST_LAYER;
}

// A number of drives; their units are those of the file's own coordinates.
static bool read_drive(const char *name, MapValue *value, SpragMapValue *about)
{
    memset(value, 0, sizeof *value);
    value->task = VALUE_DRIVE;
    snprintf(value->subject, sizeof value->subject, "%.80s", name);
    return drive_value_read(name, about);
}

bool value_read(const char *name, MapValue *value, SpragMapValue *about)
{
    if (strlen(name) >= sizeof about->name)
        return false;
    for (int i = 0; i < TASK_COUNT; i++) {
        size_t length = strlen(tasks[i].name);
        bool open = tasks[i].name[length - 1] == '.';
        if (open ? strncmp(name, tasks[i].name, length) != 0 : strcmp(name, tasks[i].name) != 0)
            continue;
        memset(value, 0, sizeof *value);
        value->task = i;
        value->last = i == VALUE_MARGIN;
        if (open && !read_rest(name + length, value))
            return false;
        bool turns = i == VALUE_ACCELERATION && coordinates[value->index].turns;
        snprintf(about->name, sizeof about->name, "%s", name);
        snprintf(about->unit, sizeof about->unit, "%s", turns ? "rad/s²" : tasks[i].unit);
        about->kind = tasks[i].kind;
        about->trouble = tasks[i].trouble;
        return true;
    }
    return read_drive(name, value, about);
}

// ---- Of a motion --------------------------------------------------------------------------------

// The motion that rigid dynamics takes, or the only one; NULL: none.
static const SpragSolution *chosen(const SpragVerdict *verdict)
{
    if (verdict->chosen >= 0)
        return &verdict->solutions[verdict->chosen];
    return verdict->solution_count == 1 ? &verdict->solutions[0] : NULL;
}

static double largest_real(const SpragSolution *solution)
{
    double largest = NAN;
    for (int i = 0; i < solution->eigenvalue_count; i++)
        largest = fmax(largest, solution->eigenvalues[i].real);
    return largest;
}

// The real part number `index` from below; equal ones count in their order.
static double layer_real(const SpragSolution *solution, int index)
{
    const SpragEigenvalue *layer = solution->layer;
    for (int i = 0; i < solution->layer_count; i++) {
        int below = 0;
        for (int k = 0; k < solution->layer_count; k++)
            below += layer[k].real < layer[i].real || (layer[k].real == layer[i].real && k < i);
        if (below == index)
            return layer[i].real;
    }
    return NAN;
}

static double layer_imaginary(const SpragSolution *solution)
{
    double largest = NAN;
    for (int i = 0; i < solution->layer_count; i++)
        largest = fmax(largest, fabs(solution->layer[i].imaginary));
    return largest;
}

// ζ from which on the layer is stable: 0 where every damping will do, undefined where none does.
static double critical_damping(const SpragSolution *solution)
{
    if (solution->stability == SPRAG_DIVERGENT || solution->stability == SPRAG_FREE)
        return NAN;
    return solution->critical_damping;
}

static double motion_value(const MapValue *value, const SpragSolution *solution)
{
    switch ((ValueTask)value->task) {
    case VALUE_SLOWEST:
        return largest_real(solution);
    case VALUE_DAMPING:
        return critical_damping(solution);
    case VALUE_LAYER:
        return layer_real(solution, value->index);
    default:
        return layer_imaginary(solution);
    }
}

// ---- Of contacts and bodies ---------------------------------------------------------------------

// Names that could have been meant, for a message.
static void list_contacts(const PointEvaluator *point, char *text, size_t size)
{
    size_t used = 0;
    int count = point->system ? sprag_system_contact_count(point->system)
                              : point->problem->constraint_count;
    text[0] = 0;
    for (int i = 0; i < count && used + 70 < size; i++) {
        const char *name = point->system ? sprag_system_contact_name(point->system, i)
                                         : point->problem->constraints[i].name;
        used += (size_t)snprintf(text + used, size - used, "%s%.60s", i ? ", " : "", name);
    }
}

static bool is_contact(const PointEvaluator *point, const char *name)
{
    for (int i = 0; point->system && i < sprag_system_contact_count(point->system); i++)
        if (strcmp(sprag_system_contact_name(point->system, i), name) == 0)
            return true;
    return false;
}

// A contact that is open has no force.
static SpragStatus contact_force(const PointEvaluator *point, const MapValue *value, double *number)
{
    const SpragContactProblem *problem = point->problem;
    const SpragSolution *solution = chosen(&point->verdict);
    char names[400];
    for (int c = 0; c < problem->constraint_count; c++) {
        const SpragConstraint *item = &problem->constraints[c];
        if (strcmp(item->name, value->subject) != 0)
            continue;
        if (!solution)
            return SPRAG_OK;
        int normals = sprag_constraint_normals(item), tangents = item->row_count - normals,
            press[SPRAG_CONSTRAINT_WAYS];
        const double *force = solution->motion->force, *friction = force + item->row + normals;
        if (value->task == VALUE_NORMAL) // of a bearing with several normals their size
            *number = sprag_constraint_press(item, press) > 1
                          ? sprag_constraint_pressure(item, force)
                          : force[item->row];
        else
            *number = tangents > 1    ? sprag_length(tangents, friction)
                      : tangents == 1 ? friction[0]
                                      : 0;
        return SPRAG_OK;
    }
    if (is_contact(point, value->subject)) {
        *number = 0;
        return SPRAG_OK;
    }
    list_contacts(point, names, sizeof names);
    return sprag_fail(point->context, SPRAG_ERROR_ARGUMENT,
                      "there is no contact '%.60s' for a value; there are: %s", value->subject,
                      names[0] ? names : "none");
}

static SpragStatus body_acceleration(PointEvaluator *point, const MapValue *value, double *number)
{
    const SpragModel *model = point->system ? sprag_system_model(point->system) : NULL;
    const SpragSolution *solution = chosen(&point->verdict);
    int body = model ? sprag_model_find_body(model, value->subject) : -1;
    int first = body >= 0 ? sprag_system_body_coordinate(point->system, body) : -1;
    bool space = point->problem->dimension == 3;
    int entry = space ? coordinates[value->index].space : coordinates[value->index].plane;
    if (first < 0)
        return sprag_fail(point->context, SPRAG_ERROR_ARGUMENT,
                          "there is no body '%.60s' that moves for a value", value->subject);
    if (entry < 0)
        return sprag_fail(point->context, SPRAG_ERROR_ARGUMENT,
                          "the scene is %s: a body's accelerations are %s, not %s",
                          space ? "in space" : "in the plane",
                          space ? "x, y, z, rx, ry, rz" : "x, y, angle",
                          coordinates[value->index].name);
    if (!solution)
        return SPRAG_OK;
    size_t n = (size_t)point->problem->velocity_count;
    SPRAG_TRY(sprag_reserve(point->context, &point->acceleration, &point->acceleration_capacity,
                            n + 1, sizeof(double)));
    sprag_contact_problem_acceleration(point->problem, solution->motion->force,
                                       point->acceleration);
    *number = point->acceleration[first + entry];
    return SPRAG_OK;
}

// ---- All ----------------------------------------------------------------------------------------

static double growth(const SpragVerdict *verdict)
{
    double largest = NAN;
    for (int i = 0; i < verdict->solution_count; i++)
        largest = fmax(largest, largest_real(&verdict->solutions[i]));
    return largest;
}

static SpragStatus margin(PointEvaluator *point, double *number)
{
    SpragMargin found;
    SPRAG_TRY(sprag_margin_friction(point->analysis, point->problem, &point->settings,
                                    SPRAG_ALL_CONTACTS, &found));
    *number = fmin(found.down.change, found.up.change);
    return SPRAG_OK;
}

SpragStatus point_value(PointEvaluator *point, const MapValue *value, double *number)
{
    const SpragVerdict *verdict = &point->verdict;
    const SpragSolution *solution = chosen(verdict);
    *number = NAN;
    if (!point->valid)
        return SPRAG_OK;
    if (point_is_drive(point))
        return drive_point_value(
            point, value->task == VALUE_DRIVE ? value->subject : tasks[value->task].name, number);
    switch ((ValueTask)value->task) {
    case VALUE_A:
        *number = verdict->one_contact ? verdict->A : NAN;
        return SPRAG_OK;
    case VALUE_B:
        *number = verdict->one_contact ? verdict->B : NAN;
        return SPRAG_OK;
    case VALUE_DETERMINANT:
        *number = sprag_contact_determinant(point->problem, NULL);
        return SPRAG_OK;
    case VALUE_MARGIN:
        return margin(point, number);
    case VALUE_GROWTH:
        *number = growth(verdict);
        return SPRAG_OK;
    case VALUE_SOLUTIONS:
        *number = verdict->solution_count;
        return SPRAG_OK;
    case VALUE_STABLE:
        *number = verdict->stable_count;
        return SPRAG_OK;
    case VALUE_NORMAL:
    case VALUE_TANGENTIAL:
        return contact_force(point, value, number);
    case VALUE_ACCELERATION:
        return body_acceleration(point, value, number);
    default:
        *number = solution ? motion_value(value, solution) : NAN;
        return SPRAG_OK;
    }
}
