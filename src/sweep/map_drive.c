// map_drive.c: the verdict of a drive (theory.md section 9) at a point of a map, and numbers of it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map_drive.h"

// ---- The verdict --------------------------------------------------------------------------------

bool point_is_drive(const PointEvaluator *point)
{
    return point->scene && (sprag_scene_drive(point->scene) != NULL ||
                            sprag_scene_guides(point->scene, NULL) != NULL);
}

// The input is the file's, or that of the acceleration that is wanted.
static void evaluate_pair(DrivePoint *drive, const SpragSceneDrive *problem)
{
    SpragPairInverse inverse;
    drive->pair = problem->pair;
    drive->state = problem->state;
    drive->input[0] = problem->state.input[0];
    if (problem->has_acceleration && !problem->has_input) {
        sprag_pair_inverse(&drive->pair, &drive->state, problem->acceleration, NULL, &inverse);
        drive->input[0] = inverse.count > 0 ? inverse.input[0]
                          : inverse.held    ? 0.5 * (inverse.band_low + inverse.band_high)
                                            : NAN;
        drive->state.input[0] = inverse.count > 0 || inverse.held ? drive->input[0] : 0;
    }
    sprag_pair_forward(&drive->pair, &drive->state, NULL, &drive->verdict);
    sprag_pair_outcome(&drive->verdict, &drive->outcome);
}

static SpragStatus evaluate_guides(PointEvaluator *point, const SpragGuides *guides,
                                   const double *wanted)
{
    DrivePoint *drive = point->drive;
    int free_count;
    drive->guides = *guides;
    memcpy(drive->input, guides->input, (size_t)guides->n * sizeof *drive->input);
    if (wanted && !sprag_scene_guides_run(point->scene)->has_input)
        sprag_guides_inverse(guides, wanted, drive->input, &free_count);
    drive->guides.input = drive->input;
    sprag_arena_release(drive->arena, drive->mark);
    SPRAG_TRY(sprag_guides_forward(point->context, drive->arena, &drive->guides, &drive->several));
    sprag_guides_outcome(guides->m, &drive->several, &drive->outcome);
    return SPRAG_OK;
}

static SpragStatus open_drive(PointEvaluator *point)
{
    if (point->drive)
        return SPRAG_OK;
    point->drive = sprag_alloc(point->context, 1, sizeof *point->drive);
    if (!point->drive)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(sprag_arena_create(point->context, 4096, &point->drive->arena));
    point->drive->mark = sprag_arena_mark(point->drive->arena);
    return SPRAG_OK;
}

void drive_point_close(PointEvaluator *point)
{
    if (!point->drive)
        return;
    sprag_arena_destroy(point->drive->arena);
    sprag_free(point->context, point->drive);
    point->drive = NULL;
}

SpragStatus drive_point_evaluate(PointEvaluator *point)
{
    const double *wanted;
    const SpragGuides *guides = sprag_scene_guides(point->scene, &wanted);
    const char *invalid = sprag_scene_drive_invalid(point->scene);
    SPRAG_TRY(open_drive(point));
    memset(&point->drive->outcome, 0, sizeof point->drive->outcome);
    if (invalid[0]) {
        (void)sprag_fail(point->context, SPRAG_ERROR_INPUT, "%s", invalid);
        return SPRAG_OK;
    }
    if (guides)
        SPRAG_TRY(evaluate_guides(point, guides, wanted));
    else
        evaluate_pair(point->drive, sprag_scene_drive(point->scene));
    point->valid = true;
    return SPRAG_OK;
}

// ---- Margin -------------------------------------------------------------------------------------

typedef struct FrictionChange {
    PointEvaluator *point;
    double friction[SPRAG_GUIDES_MOST];
} FrictionChange;

static SpragStatus change_friction(double factor, SpragOutcome *outcome, void *user)
{
    FrictionChange *change = user;
    DrivePoint *drive = change->point->drive;
    if (sprag_scene_drive(change->point->scene)) {
        SpragPair pair = drive->pair;
        SpragPairVerdict verdict;
        pair.friction *= factor;
        SPRAG_TRY(sprag_pair_check(change->point->context, &pair));
        sprag_pair_forward(&pair, &drive->state, NULL, &verdict);
        sprag_pair_outcome(&verdict, outcome);
        return SPRAG_OK;
    }
    SpragGuides guides = drive->guides;
    SpragGuidesVerdict verdict;
    SpragArenaMark mark = sprag_arena_mark(drive->arena);
    for (int j = 0; j < guides.m; j++)
        change->friction[j] = factor * drive->guides.friction[j];
    guides.friction = change->friction;
    SpragStatus status =
        sprag_guides_forward(change->point->context, drive->arena, &guides, &verdict);
    if (status == SPRAG_OK)
        sprag_guides_outcome(guides.m, &verdict, outcome);
    sprag_arena_release(drive->arena, mark);
    return status;
}

static SpragStatus find_margin(PointEvaluator *point, double *number)
{
    const double most = 10;
    FrictionChange change = {.point = point};
    SpragMargin margin;
    SPRAG_TRY(sprag_margin_scan(change_friction, &change, 0, most, &margin));
    *number = fmin(margin.down.change, margin.up.change);
    return SPRAG_OK;
}

// ---- Values -------------------------------------------------------------------------------------

// Of one degree of freedom; those behind FIRST_SCREW of screws only.
static const char *const pair_names[] = {SPRAG_PAIR_VALUES};
// Of several guides: with the number of the coordinate or guide, from 1.
static const char *const guides_names[] = {"acceleration", "normal", "friction", "input"};
static const char *const shared_names[] = {"margin", "slowest", "growth", "solutions", "stable"};
enum {
    VALUE_ACCELERATION,
    VALUE_NORMAL,
    VALUE_FRICTION,
    VALUE_LAYER,
    VALUE_INERTIA,
    VALUE_INERTIA_LEAST,
    VALUE_TAU_CR,
    VALUE_BAND_LOW,
    VALUE_BAND_HIGH,
    VALUE_INPUT,
    FIRST_SCREW,
    VALUE_EFFICIENCY = FIRST_SCREW,
    VALUE_EFFICIENCY_BACK,
    VALUE_CRITICAL_FRICTION,
    VALUE_CRITICAL_INERTIA,
    PAIR_VALUE_COUNT
};
_Static_assert(sizeof pair_names / sizeof *pair_names == PAIR_VALUE_COUNT, "a name each");
enum { GUIDES_ACCELERATION, GUIDES_NORMAL, GUIDES_FRICTION, GUIDES_INPUT, GUIDES_VALUE_COUNT };
enum {
    SHARED_MARGIN,
    SHARED_SLOWEST,
    SHARED_GROWTH,
    SHARED_SOLUTIONS,
    SHARED_STABLE,
    SHARED_COUNT
};

static int find_name(const char *name, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

// "normal2": kind GUIDES_NORMAL, *index 1; −1: not of this form.
static int find_numbered(const char *name, int *index)
{
    for (int i = 0; i < GUIDES_VALUE_COUNT; i++) {
        size_t length = strlen(guides_names[i]);
        char *end;
        if (strncmp(name, guides_names[i], length) != 0 || name[length] < '1' || name[length] > '9')
            continue;
        long number = strtol(name + length, &end, 10);
        *index = (int)number - 1;
        return *end == 0 && number <= SPRAG_GUIDES_MOST ? i : -1;
    }
    return -1;
}

bool drive_value_read(const char *name, SpragMapValue *about)
{
    int index, value = find_name(name, pair_names, PAIR_VALUE_COUNT);
    if (value < 0 && find_numbered(name, &index) < 0)
        return false;
    bool of_motion = value <= VALUE_INERTIA || value == VALUE_INPUT; // −1: of several guides
    snprintf(about->name, sizeof about->name, "%s", name);
    about->unit[0] = 0;
    about->kind = of_motion ? SPRAG_MAP_VALUE_JUMPS : SPRAG_MAP_VALUE_SMOOTH;
    about->trouble = value == VALUE_INERTIA_LEAST ? -1 : 0;
    return true;
}

static bool fits_drive(const PointEvaluator *point, const char *name)
{
    const SpragGuides *guides = sprag_scene_guides(point->scene, NULL);
    bool screw = sprag_scene_kind(point->scene) == SPRAG_SCENE_SCREW;
    int index;
    if (find_name(name, shared_names, SHARED_COUNT) >= 0)
        return true;
    if (!guides)
        return find_name(name, pair_names, screw ? PAIR_VALUE_COUNT : FIRST_SCREW) >= 0;
    int kind = find_numbered(name, &index);
    bool of_guide = kind == GUIDES_NORMAL || kind == GUIDES_FRICTION;
    return kind >= 0 && index < (of_guide ? guides->m : guides->n);
}

SpragStatus drive_value_check(PointEvaluator *point, const char *name)
{
    int index;
    if (!point->scene)
        return SPRAG_OK;
    if (!point_is_drive(point)) {
        if (find_name(name, pair_names, PAIR_VALUE_COUNT) < 0 && find_numbered(name, &index) < 0)
            return SPRAG_OK;
        return sprag_fail(point->context, SPRAG_ERROR_ARGUMENT,
                          "the value '%s' is one of drives (problem: scalar, screw, transmission); "
                          "this file has A, B, determinant, margin, slowest, growth …",
                          name);
    }
    if (fits_drive(point, name))
        return SPRAG_OK;
    if (sprag_scene_guides(point->scene, NULL))
        return sprag_fail(point->context, SPRAG_ERROR_ARGUMENT,
                          "several guides have no value '%s'; they have acceleration1 …, input1 … "
                          "of the coordinates, normal1 …, friction1 … of the guides, margin, "
                          "slowest, growth",
                          name);
    return sprag_fail(
        point->context, SPRAG_ERROR_ARGUMENT,
        "this drive has no value '%s'; it has acceleration, normal, friction, layer, "
        "inertia, inertia_least, tau_cr, band_low, band_high, input, margin, "
        "slowest, growth, solutions, stable; a screw also efficiency, efficiency_back, "
        "critical_friction, critical_inertia",
        name);
}

// Largest real part of the exponents of v'' + rate (k v + damping v') = 0.
static double layer_exponent(const SpragPair *pair, const SpragPairMotion *motion)
{
    double half = 0.5 * motion->layer_rate * pair->damping;
    double root = half * half - motion->layer_rate * pair->stiffness;
    if (!(pair->stiffness > 0) || !isfinite(motion->layer_rate))
        return NAN;
    return -half + (root > 0 ? sqrt(root) : 0);
}

// The smaller effective inertia of both branches.
static double least_inertia(const DrivePoint *drive)
{
    SpragPairMotion motion;
    double least = INFINITY;
    for (int s = -1; s <= 1; s += 2) {
        sprag_pair_evaluate(&drive->pair, &drive->state, 1, s, &motion);
        least = fmin(least, motion.inertia);
    }
    return least;
}

static double screw_value(const SpragScrew *screw, int value)
{
    SpragScrewFacts facts;
    sprag_screw_facts(screw, &facts);
    switch (value) {
    case VALUE_EFFICIENCY:
        return facts.efficiency[0];
    case VALUE_EFFICIENCY_BACK:
        return facts.efficiency[1];
    case VALUE_CRITICAL_FRICTION:
        return facts.critical_friction;
    default:
        return facts.critical_inertia;
    }
}

// Of the chosen motion; NAN: there is none.
static double motion_value(const DrivePoint *drive, int value)
{
    if (drive->verdict.chosen < 0)
        return NAN;
    const SpragPairMotion *motion = &drive->verdict.motions[drive->verdict.chosen];
    switch (value) {
    case VALUE_ACCELERATION:
        return motion->acceleration[drive->pair.output];
    case VALUE_NORMAL:
        return motion->normal;
    case VALUE_FRICTION:
        return motion->friction;
    case VALUE_LAYER:
        return motion->layer;
    default:
        return motion->inertia;
    }
}

static double pair_value(const PointEvaluator *point, int value)
{
    const DrivePoint *drive = point->drive;
    switch (value) {
    case VALUE_INERTIA_LEAST:
        return least_inertia(drive);
    case VALUE_TAU_CR:
        return drive->verdict.tau_cr;
    case VALUE_BAND_LOW:
        return drive->verdict.band_low;
    case VALUE_BAND_HIGH:
        return drive->verdict.band_high;
    case VALUE_INPUT:
        return drive->input[0];
    default:
        break;
    }
    if (value >= FIRST_SCREW)
        return screw_value(&sprag_scene_drive(point->scene)->screw, value);
    return motion_value(drive, value);
}

static double guides_value(const DrivePoint *drive, int value, int index)
{
    const SpragGuidesVerdict *verdict = &drive->several;
    if (value == GUIDES_INPUT)
        return drive->input[index];
    if (verdict->chosen < 0)
        return NAN;
    const SpragGuidesMotion *motion = &verdict->motions[verdict->chosen];
    const double *lists[] = {motion->acceleration, motion->normal, motion->friction};
    return lists[value][index];
}

// Of the chosen motion, or the largest of all.
static double exponent(const PointEvaluator *point, bool all)
{
    const DrivePoint *drive = point->drive;
    bool several = sprag_scene_guides(point->scene, NULL) != NULL;
    int count = several ? drive->several.motion_count : drive->verdict.motion_count;
    int chosen = several ? drive->several.chosen : drive->verdict.chosen;
    double largest = NAN;
    for (int i = 0; i < count; i++)
        if (all || i == chosen)
            largest =
                fmax(largest, several ? drive->several.motions[i].growth
                                      : layer_exponent(&drive->pair, &drive->verdict.motions[i]));
    return largest;
}

SpragStatus drive_point_value(PointEvaluator *point, const char *name, double *number)
{
    int index, shared = find_name(name, shared_names, SHARED_COUNT);
    *number = NAN;
    if (!point->valid || !fits_drive(point, name)) // the latter is refused after the corners
        return SPRAG_OK;
    if (shared == SHARED_MARGIN)
        return find_margin(point, number);
    if (shared >= SHARED_SOLUTIONS) {
        const SpragOutcome *outcome = &point->drive->outcome;
        *number = shared == SHARED_SOLUTIONS ? outcome->solution_count : outcome->stable_count;
        return SPRAG_OK;
    }
    if (shared >= 0) {
        *number = exponent(point, shared == SHARED_GROWTH);
        return SPRAG_OK;
    }
    int value = find_name(name, pair_names, PAIR_VALUE_COUNT);
    if (value >= 0)
        *number = pair_value(point, value);
    else if ((value = find_numbered(name, &index)) >= 0)
        *number = guides_value(point->drive, value, index);
    if (isinf(*number))
        *number = NAN; // the held motion's inertia; a friction that is never reached
    return SPRAG_OK;
}
