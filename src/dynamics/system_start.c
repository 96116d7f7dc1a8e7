// system_start.c: places the bodies of a model at t = 0.
// Problem   find positions, then velocities, nearest to those of the scene for which every line of
//           `start` holds: gaps, slips and normal velocities of contacts, places and velocities of
//           points.
// Method    least change (system_place.c) of the scene's state, first by translations alone; if
//           these cannot do, angles that the scene does not give join in; velocities likewise.
//           Which of several contacts a line means is decided anew after every solve: the nearest.
// Then      overlaps beyond the tolerance are refused (system_start_refuse.c, which tells what
//           cannot be), smaller gaps and overlaps closed likewise.
#include <math.h>
#include <string.h>

#include "system_place.h"

enum { CHOICES = 8, ATTEMPTS = 24 };
// Of the contact tolerance: residuals below MET count as met, below EXACT as exact; gaps that
// differ by less than TIE are equally near, and the first of them in the list is taken.
static const double MET = 0.1, TIE = 1e-3, EXACT = 1e-6;
// Contacts that are closed exactly at the start, at most: the equations are dense.
enum { MOST_EXACT = 400 };
// Of the size: in space features nearer than NEAR may be contacts; a contact that is named is
// looked for up to FAR.
static const double NEAR = 1e-2, FAR = 1e6;
static const double NUDGE = 0.3; // rad

// ---- Which contact a line means -----------------------------------------------------------------

// Contacts that come near at q join those that may be chosen.
static SpragStatus follow_contacts(Placing *placing, const double *q, double reach)
{
    SpragSystem *system = placing->system;
    int added;
    SPRAG_TRY(sprag_system_refresh(system, q, NULL, reach, &added));
    if (system->contact_count <= placing->candidate_capacity)
        return SPRAG_OK;
    placing->candidate_capacity = 2 * system->contact_count;
    placing->candidates =
        sprag_arena_alloc(placing->arena, (size_t)placing->candidate_capacity, sizeof(int));
    return placing->candidates ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

static int list_candidates(const Placing *placing, const SpragStart *start)
{
    const SpragSystem *system = placing->system;
    int most = system->contact_count;
    int count =
        start->contact
            ? sprag_collider_find_slots(system->collider, start->contact, placing->candidates, most)
            : sprag_collider_find_pair(system->collider, start->between, placing->candidates, most);
    for (int i = 0; i < count; i++)
        placing->candidates[i] += system->joint_contacts;
    return count;
}

// The contacts that a line may mean. In space those of features that are far apart are not listed
// yet, so they are looked for in a growing distance.
static SpragStatus find_candidates(Placing *placing, const SpragStart *start, const double *q,
                                   int *count)
{
    double size = placing->system->size;
    *count = list_candidates(placing, start);
    for (double reach = size;
         *count == 0 && sprag_collider_grows(placing->system->collider) && reach < FAR * size;
         reach *= 4) {
        SPRAG_TRY(follow_contacts(placing, q, reach));
        *count = list_candidates(placing, start);
    }
    return SPRAG_OK;
}

// Distances at the state last set: for placing, and as they are.
static double placing_distance(const SpragSystem *system, int contact)
{
    int slot = contact - system->joint_contacts;
    if (!is_spatial(system))
        return sprag_collider_placing_distance(system->collider, slot, system->frames);
    SpragSpaceGap gap;
    sprag_collider_placing_space(system->collider, slot, system->poses, &gap);
    return gap.gap;
}

static double distance(SpragSystem *system, int contact)
{
    int slot = contact - system->joint_contacts;
    if (slot < 0)
        return place_limit_gap(system, contact);
    if (!is_spatial(system))
        return sprag_collider_distance(system->collider, slot, system->frames);
    return sprag_collider_space_distance(system->collider, slot, system->poses, NULL);
}

// The nearest contact of each line at q; *changed: not the same as before.
static SpragStatus choose_slots(Placing *placing, const double *q, bool *changed)
{
    SpragSystem *system = placing->system;
    double tie = TIE * system->gap_tolerance;
    *changed = false;
    SPRAG_TRY(follow_contacts(placing, q, NEAR * system->size));
    model_set_state(system, 0, q, NULL);
    for (int i = 0; i < system->model->start_count; i++) {
        const SpragStart *start = place_line(placing, i);
        if (start->kind != SPRAG_START_CONTACT)
            continue;
        int count;
        SPRAG_TRY(find_candidates(placing, start, q, &count));
        if (count == 0)
            return place_refuse_name(placing, i);
        int nearest = -1;
        double least = INFINITY;
        for (int k = 0; k < count; k++) {
            double gap = placing_distance(system, placing->candidates[k]);
            if (gap < INFINITY && (nearest < 0 || gap < least - tie)) {
                least = gap;
                nearest = placing->candidates[k];
            }
        }
        if (nearest < 0)
            return place_refuse(placing, i, "%s cannot touch where the bodies stand",
                                sprag_system_contact_name(system, placing->candidates[0]));
        *changed = *changed || nearest != placing->slots[i];
        placing->slots[i] = nearest;
    }
    return SPRAG_OK;
}

// ---- Conditions ---------------------------------------------------------------------------------

static void add_condition(Placing *placing, int line, int slot, int axis, double target)
{
    Condition condition = {line, slot, axis, target, 0};
    placing->conditions[placing->condition_count++] = condition;
}

// In space: the part of a vector along the surface, at the state last set.
static void add_slip(Placing *placing, int line, int slot, SpragVec3 along)
{
    const SpragSystem *system = placing->system;
    SpragSpaceGap gap;
    sprag_collider_space_gap(system->collider, slot - system->joint_contacts, system->poses, NULL,
                             &gap);
    for (int k = 0; k < 2; k++)
        add_condition(placing, line, slot, k + 1,
                      isfinite(gap.gap) ? sprag_vec3_dot(gap.tangent[k], along) : 0);
}

static void add_lines(Placing *placing)
{
    placing->condition_count = 0;
    if (placing->system->joints)
        place_add_joints(placing);
    bool positions = placing->level == POSITIONS, space = is_spatial(placing->system);
    for (int i = 0; i < placing->system->model->start_count; i++) {
        const SpragStart *start = place_line(placing, i);
        int slot = placing->slots[i];
        if (start->kind == SPRAG_START_CONTACT && positions) {
            add_condition(placing, i, slot, 0, start->gap);
        } else if (start->kind == SPRAG_START_CONTACT) {
            add_condition(placing, i, slot, 0,
                          start->normal_velocity_given ? start->normal_velocity : 0);
            if (start->slip_given && space)
                add_slip(placing, i, slot, start->slip_along);
            else if (start->slip_given)
                add_condition(placing, i, slot, 1, start->slip);
        } else if (start->kind == SPRAG_START_JOINT) {
            place_add_joint_line(placing, i);
        } else if (positions ? start->at_given : start->velocity_given) {
            SpragVec3 target = positions ? start->at : start->velocity;
            add_condition(placing, i, -1, 0, target.x);
            add_condition(placing, i, -1, 1, target.y);
            if (space)
                add_condition(placing, i, -1, 2, target.z);
        }
    }
}

static size_t position_bytes(const SpragSystem *system)
{
    return (size_t)sprag_system_position_count(system) * sizeof(double);
}

// ---- Positions ----------------------------------------------------------------------------------

// The scene's positions; in space turned a little where that was asked for.
static void begin(Placing *placing, double *q)
{
    const SpragSystem *system = placing->system;
    memcpy(q, placing->anchor, position_bytes(system));
    if (placing->attempt > 0)
        place_hang(placing, q);
    if (placing->nudge < 0)
        return;
    memset(placing->trial, 0, (size_t)system->velocity_count * sizeof *placing->trial);
    for (int i = placing->nudge + 3; i < system->velocity_count; i += SPACE_VELOCITIES)
        placing->trial[i] = placing->metric[i] > 0 ? NUDGE : 0;
    sprag_system_position_shift(system, placing->trial, q);
}

// Solves the lines with the present metric from the scene's positions; the residual. Where the
// choice of the nearest contact does not settle (shapes that overlap in several places) the last
// one stands, and the search for overlaps has its say.
static SpragStatus solve_lines(Placing *placing, double tolerance, double *q, double *residual)
{
    bool changed;
    begin(placing, q);
    SPRAG_TRY(choose_slots(placing, q, &changed));
    for (int i = 0; i < CHOICES; i++) {
        add_lines(placing);
        *residual = place_solve_anchored(placing, EXACT * tolerance, q);
        if (!(*residual <= MET * tolerance)) {
            begin(placing, q);
            *residual = place_solve_damped(placing, EXACT * tolerance, q);
        }
        if (i + 1 < CHOICES)
            SPRAG_TRY(choose_slots(placing, q, &changed));
        if (!changed)
            break;
    }
    return SPRAG_OK;
}

// Joints that do not fit from where bodies stand, or the wrong way round, are tried from where
// they hang on each other. What fails everywhere is told of the state as the scene has it.
static SpragStatus hang_lines(Placing *placing, double tolerance, double *q, double *residual)
{
    if (*residual <= MET * tolerance && !place_is_flipped(placing, q))
        return SPRAG_OK;
    place_set_metric(placing, TURN_FREE);
    for (placing->attempt = 1; placing->attempt <= ATTEMPTS; placing->attempt++) {
        double found;
        SPRAG_TRY(solve_lines(placing, tolerance, q, &found));
        if (found <= MET * tolerance && !place_is_flipped(placing, q)) {
            placing->attempt = 0;
            *residual = found;
            return SPRAG_OK;
        }
    }
    placing->attempt = 0;
    SPRAG_TRY(solve_lines(placing, tolerance, q, residual));
    if (*residual <= MET * tolerance)
        return place_refuse_flipped(placing);
    return SPRAG_OK;
}

static SpragStatus place_lines(Placing *placing, double tolerance, double *q)
{
    double residual;
    placing->level = POSITIONS;
    place_set_metric(placing, TURN_NONE);
    SPRAG_TRY(solve_lines(placing, tolerance, q, &residual));
    bool turns = !(residual <= MET * tolerance) && place_set_metric(placing, TURN_FREE);
    if (turns)
        SPRAG_TRY(solve_lines(placing, tolerance, q, &residual));
    // where gaps do not tell which way to turn (a rod that stands upright must lie down): a start
    // that is turned a little about each axis
    for (int axis = 0;
         turns && is_spatial(placing->system) && !(residual <= MET * tolerance) && axis < 3;
         axis++) {
        placing->nudge = axis;
        SPRAG_TRY(solve_lines(placing, tolerance, q, &residual));
    }
    placing->nudge = -1;
    if (placing->system->joints)
        SPRAG_TRY(hang_lines(placing, tolerance, q, &residual));
    if (!(residual <= MET * tolerance))
        return place_refuse_worst(placing);
    // long steps from a poor start may have counted thousands of turns, whose rounding would hide
    // what is left of an angle
    if (placing->system->joints)
        place_count_turns(placing, q);
    place_refine(placing, q);
    return SPRAG_OK;
}

// Contacts closed within tolerance join the lines.
static void add_closed(Placing *placing, double tolerance)
{
    SpragSystem *system = placing->system;
    add_lines(placing);
    for (int i = 0; i < system->contact_count; i++) {
        bool has_line = false;
        double gap = distance(system, i);
        for (int k = 0; k < system->model->start_count; k++)
            has_line = has_line || (place_line(placing, k)->kind == SPRAG_START_CONTACT &&
                                    placing->slots[k] == i);
        if (fabs(gap) <= tolerance && !has_line)
            add_condition(placing, -1, i, 0, 0);
    }
}

// How many contacts are closed, and the largest of their gaps.
static int count_closed(SpragSystem *system, double tolerance, double *largest)
{
    int count = 0;
    *largest = 0;
    for (int i = 0; i < system->contact_count; i++) {
        double gap = fabs(distance(system, i));
        if (gap <= tolerance) {
            count++;
            *largest = fmax(*largest, gap);
        }
    }
    return count;
}

// Closes what is closed within tolerance exactly, by translations, else with angles too. What
// cannot be closed together stays within tolerance.
static SpragStatus close_exactly(Placing *placing, double tolerance, double *q)
{
    SpragSystem *system = placing->system;
    double largest;
    model_set_state(system, 0, q, NULL);
    int closed = count_closed(system, tolerance, &largest);
    // of a large pile, whose rows are dense here, all gaps are within tolerance, and that must do
    if (largest <= EXACT * tolerance || closed > MOST_EXACT)
        return SPRAG_OK;
    SPRAG_TRY(place_reserve(placing, 3 * system->model->start_count + closed +
                                         sprag_system_joint_row_count(system)));
    add_closed(placing, tolerance);
    size_t bytes = position_bytes(system);
    for (int turning = 0; turning < 2; turning++) {
        double before = place_evaluate(placing, q, NULL);
        if (before <= EXACT * tolerance)
            break;
        place_set_metric(placing, turning == 1 ? TURN_ALL : TURN_NONE);
        memcpy(placing->anchor, q, bytes);
        double after = place_solve_damped(placing, EXACT * tolerance, q);
        if (!(after <= before))
            memcpy(q, placing->anchor, bytes);
    }
    return SPRAG_OK;
}

// ---- Velocities ---------------------------------------------------------------------------------

// Of the velocities as they are told and as they were found: what drives move may stand at first.
static double speed_tolerance(const Placing *placing, const double *v)
{
    double told = sprag_system_tolerances(placing->system, placing->anchor).rate, targets = 0;
    double rate = fmax(told, sprag_system_tolerances(placing->system, v).rate);
    for (int i = 0; i < placing->condition_count; i++)
        targets = fmax(targets, fabs(placing->conditions[i].target));
    return fmax(rate, placing->system->relative_tolerance * targets);
}

static SpragStatus place_velocities(Placing *placing, const double *q, double *v)
{
    memcpy(placing->anchor, v, (size_t)placing->system->velocity_count * sizeof *v);
    placing->level = VELOCITIES;
    model_set_state(placing->system, 0, q, v);
    add_lines(placing);
    if (placing->condition_count == 0)
        return SPRAG_OK;
    // of a jointed body that is given a velocity the spin goes with it; what is given none rests
    place_set_metric(placing, placing->system->joints ? TURN_MOVING : TURN_NONE);
    double residual = place_solve_velocities(placing, q, v);
    if (!(residual <= speed_tolerance(placing, v)) && place_set_metric(placing, TURN_FREE))
        residual = place_solve_velocities(placing, q, v);
    return residual <= speed_tolerance(placing, v) ? SPRAG_OK : place_refuse_worst(placing);
}

// ---- All of it ----------------------------------------------------------------------------------

static SpragStatus place_all(Placing *placing)
{
    SpragSystem *system = placing->system;
    const SpragModel *model = system->model;
    size_t n = (size_t)system->velocity_count, bytes = position_bytes(system);
    double tolerance = system->gap_tolerance;
    size_t lines = (size_t)model->start_count, positions = bytes / sizeof(double);
    // as many conditions as lines can have: a contact a gap and two slips, a point three
    int most =
        (is_spatial(system) ? 3 : 2) * model->start_count + sprag_system_joint_row_count(system);
    placing->slots = sprag_arena_alloc(placing->arena, lines + 1, sizeof(int));
    placing->metric = sprag_arena_alloc(placing->arena, 3 * n + positions, sizeof(double));
    if (!placing->slots || !placing->metric)
        return SPRAG_ERROR_MEMORY;
    placing->trial = placing->metric + n;
    placing->difference = placing->trial + n;
    placing->anchor = placing->difference + n;
    for (int i = 0; i < model->start_count; i++)
        placing->slots[i] = -1;
    memcpy(placing->anchor, system->q0, bytes);
    SPRAG_TRY(place_reserve(placing, most));
    SPRAG_TRY(follow_contacts(placing, system->q0, NEAR * system->size));
    if (model->start_count > 0 || system->joints)
        SPRAG_TRY(place_lines(placing, tolerance, system->q0));
    if (system->joints)
        place_count_turns(placing, system->q0);
    SPRAG_TRY(follow_contacts(placing, system->q0, NEAR * system->size));
    model_set_state(system, 0, system->q0, NULL);
    SPRAG_TRY(place_refuse_overlap(placing, tolerance));
    if (system->joints)
        SPRAG_TRY(place_refuse_limits(placing, tolerance));
    SPRAG_TRY(close_exactly(placing, tolerance, system->q0));
    if (system->joints)
        SPRAG_TRY(place_take_joints(placing, system->q0));
    if (system->joints)
        place_count_turns(placing, system->q0);
    SPRAG_TRY(place_velocities(placing, system->q0, system->v0));
    return system->joints ? joints_find_redundancy(system) : SPRAG_OK;
}

SpragStatus model_place(SpragSystem *system)
{
    if (!system->place_arena)
        SPRAG_TRY(sprag_arena_create(system->context, 0, &system->place_arena));
    Placing placing = {.system = system, .arena = system->place_arena, .nudge = -1};
    SpragArenaMark mark = sprag_arena_mark(system->place_arena);
    SpragStatus status = place_all(&placing);
    sprag_arena_release(system->place_arena, mark);
    return status;
}
