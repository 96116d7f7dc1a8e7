// system_start.c: places the bodies of a model at t = 0.
// Problem   find positions, then velocities, nearest to those of the scene for which every line of
//           `start` holds: gaps, slips and normal velocities of contacts, places and velocities of
//           points.
// Method    least change in the metric |translation|² (and k² |angle|², k the radius of gyration)
//           by Gauss–Newton steps from the scene's state: q ← q0 − B Jᵀ(J B Jᵀ)⁺ (r − J (q − q0)),
//           whose limit has the shortest way from q0; where that does not converge, damped steps
//           from where it stands. First B is that of translations alone; if these cannot do,
//           angles that the scene does not give join in.
//           Which of several contacts a line means is decided anew after every solve: the nearest.
// Then      overlaps beyond the tolerance are refused, smaller gaps and overlaps closed likewise.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dynamics_private.h"

enum { ANCHORED_STEPS = 30, DAMPED_STEPS = 60, HALVINGS = 20, CHOICES = 8 };
// Of the contact tolerance: residuals below MET count as met, below EXACT as exact; gaps that
// differ by less than TIE are equally near, and the first of them in the list is taken.
static const double MET = 0.1, TIE = 1e-3, EXACT = 1e-6;

typedef enum Level { POSITIONS, VELOCITIES } Level;

// One number that must have a value.
typedef struct Condition {
    int line; // of `start`; −1: a contact that is closed within tolerance
    int slot; // −1: a point
    int axis; // contact: 0 normal, 1 tangential; point: 0 x, 1 y
    double target;
} Condition;

typedef struct Placing {
    SpragSystem *system;
    SpragArena *arena;
    Level level;
    int *slots; // chosen for each line; −1: none
    int *candidates;
    Condition *conditions;
    int condition_count;
    double *metric;         // B, velocity_count; 0: stays
    double *J, *BJ, *G;     // conditions × n, conditions²
    double *r, *x, *change; // conditions
    int *order;
    double *anchor, *trial; // velocity_count
} Placing;

static const SpragStart *line_of(const Placing *placing, int line)
{
    return &placing->system->model->starts[line];
}

// "start (line 31): " or "start: "
static SpragStatus refuse(const Placing *placing, int line, const char *format, ...)
    SPRAG_PRINTF(3, 4);

static SpragStatus refuse(const Placing *placing, int line, const char *format, ...)
{
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    int number = line_of(placing, line)->line;
    if (number > 0)
        return sprag_fail(placing->system->context, SPRAG_ERROR_INPUT, "start (line %d): %s",
                          number, sentence);
    return sprag_fail(placing->system->context, SPRAG_ERROR_INPUT, "start: %s", sentence);
}

// ---- Which contact a line means -----------------------------------------------------------------

static SpragStatus refuse_name(const Placing *placing, int line)
{
    const SpragSystem *system = placing->system;
    const char *name = line_of(placing, line)->contact;
    if (!name)
        return refuse(placing, line, "no contact is between these two");
    if (system->contact_count == 0)
        return refuse(placing, line, "there is no contact \"%s\": no bodies of the scene can touch",
                      name);
    int last = system->contact_count - 1;
    if (last == 0)
        return refuse(placing, line, "there is no contact \"%s\"; there is %s", name,
                      sprag_system_contact_name(system, 0));
    return refuse(placing, line, "there is no contact \"%s\"; there are %s … %s", name,
                  sprag_system_contact_name(system, 0), sprag_system_contact_name(system, last));
}

// The nearest contact of each line at q; *changed: not the same as before.
static SpragStatus choose_slots(Placing *placing, const double *q, bool *changed)
{
    SpragSystem *system = placing->system;
    double tie = TIE * system->relative_tolerance * system->size;
    *changed = false;
    model_set_state(system, q, NULL);
    for (int i = 0; i < system->model->start_count; i++) {
        const SpragStart *start = line_of(placing, i);
        if (start->kind != SPRAG_START_CONTACT)
            continue;
        int most = system->contact_count;
        int count = start->contact ? sprag_collider_find_slots(system->collider, start->contact,
                                                               placing->candidates, most)
                                   : sprag_collider_find_pair(system->collider, start->between,
                                                              placing->candidates, most);
        if (count == 0)
            return refuse_name(placing, i);
        int nearest = -1;
        double least = INFINITY;
        for (int k = 0; k < count; k++) {
            SpragGap gap;
            sprag_collider_placing_gap(system->collider, placing->candidates[k], system->pose,
                                       &gap);
            if (gap.gap < INFINITY && (nearest < 0 || gap.gap < least - tie)) {
                least = gap.gap;
                nearest = placing->candidates[k];
            }
        }
        if (nearest < 0)
            return refuse(placing, i, "%s cannot touch where the bodies stand",
                          sprag_system_contact_name(system, placing->candidates[0]));
        *changed = *changed || nearest != placing->slots[i];
        placing->slots[i] = nearest;
    }
    return SPRAG_OK;
}

// ---- Conditions ---------------------------------------------------------------------------------

static void add_condition(Placing *placing, int line, int slot, int axis, double target)
{
    Condition condition = {line, slot, axis, target};
    placing->conditions[placing->condition_count++] = condition;
}

static void add_lines(Placing *placing)
{
    placing->condition_count = 0;
    bool positions = placing->level == POSITIONS;
    for (int i = 0; i < placing->system->model->start_count; i++) {
        const SpragStart *start = line_of(placing, i);
        int slot = placing->slots[i];
        if (start->kind == SPRAG_START_CONTACT && positions) {
            add_condition(placing, i, slot, 0, start->gap);
        } else if (start->kind == SPRAG_START_CONTACT) {
            add_condition(placing, i, slot, 0,
                          start->normal_velocity_given ? start->normal_velocity : 0);
            if (start->slip_given)
                add_condition(placing, i, slot, 1, start->slip);
        } else if (positions ? start->at_given : start->velocity_given) {
            SpragVec2 target = positions ? start->at : start->velocity;
            add_condition(placing, i, -1, 0, target.x);
            add_condition(placing, i, -1, 1, target.y);
        }
    }
}

static double point_condition(const Placing *placing, const Condition *condition, double *row)
{
    const SpragSystem *system = placing->system;
    const SpragPlace *point = &line_of(placing, condition->line)->point;
    const double *pose = system->pose + 3 * point->body, *rate = system->rate + 3 * point->body;
    SpragVec2 arm = sprag_vec2_turn(point->local, cos(pose[2]), sin(pose[2]));
    SpragVec2 turned = sprag_vec2(-arm.y, arm.x);
    bool is_x = condition->axis == 0;
    int at = system->coordinate[point->body];
    if (at >= 0) {
        row[at] = is_x ? 1 : 0;
        row[at + 1] = is_x ? 0 : 1;
        row[at + 2] = is_x ? turned.x : turned.y;
    }
    if (placing->level == POSITIONS)
        return is_x ? pose[0] + arm.x : pose[1] + arm.y;
    return is_x ? rate[0] + rate[2] * turned.x : rate[1] + rate[2] * turned.y;
}

static double contact_condition(const Placing *placing, const Condition *condition, double *row)
{
    SpragSystem *system = placing->system;
    SpragGap gap;
    Evaluation evaluation;
    if (placing->level == POSITIONS)
        sprag_collider_placing_gap(system->collider, condition->slot, system->pose, &gap);
    else
        sprag_collider_gap(system->collider, condition->slot, system->pose, system->rate, &gap);
    if (!isfinite(gap.gap))
        return INFINITY;
    model_contact(system, &gap, sprag_collider_slot(system->collider, condition->slot),
                  &evaluation);
    contact_row(system, &evaluation, condition->axis, row);
    if (placing->level == POSITIONS)
        return gap.gap;
    return condition->axis == 0 ? gap.gap_rate : gap.slip;
}

// Residuals and rows at the state last set; the largest residual (INFINITY: a contact cannot touch
// there).
static double evaluate(Placing *placing)
{
    size_t n = (size_t)placing->system->velocity_count;
    double worst = 0;
    for (int i = 0; i < placing->condition_count; i++) {
        const Condition *condition = &placing->conditions[i];
        double *row = placing->J + (size_t)i * n;
        memset(row, 0, n * sizeof *row);
        double value = condition->slot >= 0 ? contact_condition(placing, condition, row)
                                            : point_condition(placing, condition, row);
        placing->r[i] = value - condition->target;
        worst = fmax(worst, fabs(placing->r[i]));
    }
    return worst;
}

static double evaluate_at(Placing *placing, const double *q, const double *v)
{
    model_set_state(placing->system, q, v);
    return evaluate(placing);
}

// ---- Least change -------------------------------------------------------------------------------

// step = −B Jᵀ (J B Jᵀ)⁺ r (velocity_count), with r in placing->change.
static void least_step(Placing *placing, double *step)
{
    size_t n = (size_t)placing->system->velocity_count;
    int m = placing->condition_count;
    for (int i = 0; i < m; i++)
        for (size_t k = 0; k < n; k++)
            placing->BJ[(size_t)i * n + k] = placing->metric[k] * placing->J[(size_t)i * n + k];
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += placing->J[(size_t)i * n + k] * placing->BJ[(size_t)j * n + k];
            placing->G[i * m + j] = sum;
        }
    }
    semidefinite_solve(m, placing->G, placing->change, placing->x, placing->order);
    memset(step, 0, n * sizeof *step);
    for (int i = 0; i < m; i++)
        for (size_t k = 0; k < n; k++)
            step[k] -= placing->x[i] * placing->BJ[(size_t)i * n + k];
}

// Steps that keep to the shortest way from the anchor. Returns the largest residual at q.
static double solve_anchored(Placing *placing, double exact, double *q)
{
    size_t n = (size_t)placing->system->velocity_count;
    double residual = evaluate_at(placing, q, NULL);
    for (int step = 0; step < ANCHORED_STEPS && residual > exact && isfinite(residual); step++) {
        for (int i = 0; i < placing->condition_count; i++) {
            placing->change[i] = placing->r[i];
            for (size_t k = 0; k < n; k++)
                placing->change[i] -= placing->J[(size_t)i * n + k] * (q[k] - placing->anchor[k]);
        }
        least_step(placing, placing->trial);
        for (size_t k = 0; k < n; k++)
            if (placing->metric[k] > 0)
                q[k] = placing->anchor[k] + placing->trial[k];
        residual = evaluate_at(placing, q, NULL);
    }
    return residual;
}

// Plain steps, halved until the residual falls. Returns the largest residual at q.
static double solve_damped(Placing *placing, double exact, double *q)
{
    size_t n = (size_t)placing->system->velocity_count;
    double *step = placing->trial, residual = evaluate_at(placing, q, NULL);
    for (int i = 0; i < DAMPED_STEPS && residual > exact && isfinite(residual); i++) {
        memcpy(placing->change, placing->r, (size_t)placing->condition_count * sizeof(double));
        least_step(placing, step);
        double part = 1, next = INFINITY;
        for (size_t k = 0; k < n; k++)
            q[k] += step[k];
        for (int half = 0; half <= HALVINGS; half++) {
            next = evaluate_at(placing, q, NULL);
            if (next < residual)
                break;
            for (size_t k = 0; k < n; k++)
                q[k] -= part / 2 * step[k];
            part /= 2;
        }
        if (!(next < residual)) {
            for (size_t k = 0; k < n; k++)
                q[k] -= part * step[k];
            return evaluate_at(placing, q, NULL);
        }
        residual = next;
    }
    return residual;
}

// Weights: translations always; angles (or spins) of those bodies that allow it.
static bool set_metric(Placing *placing, bool turning, bool given_too)
{
    const SpragSystem *system = placing->system;
    bool any = false;
    for (int i = 0; i < system->model->body_count; i++) {
        const SpragBody *body = &system->model->bodies[i];
        int at = system->coordinate[i];
        if (at < 0)
            continue;
        bool given = placing->level == POSITIONS ? body->angle_given : body->spin_given;
        bool turns = turning && (given_too || !given);
        placing->metric[at] = placing->metric[at + 1] = 1;
        placing->metric[at + 2] = turns ? body->mass / body->inertia : 0;
        any = any || turns;
    }
    return any;
}

static SpragStatus refuse_worst(const Placing *placing)
{
    int worst = 0;
    for (int i = 1; i < placing->condition_count; i++)
        if (fabs(placing->r[i]) > fabs(placing->r[worst]))
            worst = i;
    const Condition *condition = &placing->conditions[worst];
    bool positions = placing->level == POSITIONS;
    const char *unit = positions ? "m" : "m/s";
    double residual = fabs(placing->r[worst]);
    if (condition->slot < 0) {
        int body = line_of(placing, condition->line)->point.body;
        return refuse(placing, condition->line,
                      "%s %s of the point of %s cannot be made %g: residual %.2g %s",
                      condition->axis == 0 ? "x" : "y", positions ? "position" : "velocity",
                      placing->system->model->bodies[body].name, condition->target, residual, unit);
    }
    if (!isfinite(residual))
        return refuse(placing, condition->line, "%s cannot be closed by a shift of its bodies",
                      sprag_system_contact_name(placing->system, condition->slot));
    const char *what = positions ? "gap" : condition->axis == 0 ? "normal velocity" : "slip";
    return refuse(placing, condition->line, "%s of %s cannot be made %g: residual %.2g %s", what,
                  sprag_system_contact_name(placing->system, condition->slot), condition->target,
                  residual, unit);
}

// ---- Positions ----------------------------------------------------------------------------------

// Solves the lines with the present metric from the scene's positions; the residual.
static SpragStatus solve_lines(Placing *placing, double tolerance, double *q, double *residual)
{
    size_t bytes = (size_t)placing->system->velocity_count * sizeof *q;
    bool changed = true;
    memcpy(q, placing->anchor, bytes);
    *residual = INFINITY;
    SPRAG_TRY(choose_slots(placing, q, &changed));
    changed = true;
    for (int i = 0; i < CHOICES && (changed || *residual == INFINITY); i++) {
        add_lines(placing);
        *residual = solve_anchored(placing, EXACT * tolerance, q);
        if (!(*residual <= MET * tolerance)) {
            memcpy(q, placing->anchor, bytes);
            *residual = solve_damped(placing, EXACT * tolerance, q);
        }
        SPRAG_TRY(choose_slots(placing, q, &changed));
    }
    add_lines(placing);
    *residual = evaluate_at(placing, q, NULL);
    return SPRAG_OK;
}

static SpragStatus place_lines(Placing *placing, double tolerance, double *q)
{
    double residual;
    placing->level = POSITIONS;
    set_metric(placing, false, false);
    SPRAG_TRY(solve_lines(placing, tolerance, q, &residual));
    if (!(residual <= MET * tolerance) && set_metric(placing, true, false))
        SPRAG_TRY(solve_lines(placing, tolerance, q, &residual));
    return residual <= MET * tolerance ? SPRAG_OK : refuse_worst(placing);
}

static SpragStatus refuse_overlap(const Placing *placing, double tolerance)
{
    const SpragSystem *system = placing->system;
    const SpragModel *model = system->model;
    int number;
    double depth, wanted = 0;
    for (int i = 0; i < model->start_count; i++)
        if (model->starts[i].kind == SPRAG_START_CONTACT)
            wanted = fmax(wanted, -model->starts[i].gap);
    if (!sprag_collider_find_overlap(system->collider, system->pose, tolerance + wanted, &number,
                                     &depth))
        return SPRAG_OK;
    const SpragSlot *slot = sprag_collider_slot(system->collider, number);
    int inside = model->bodies[slot->body[0]].fixed ? 1 : 0;
    return sprag_fail(system->context, SPRAG_ERROR_INPUT,
                      "%s lies %.3g m inside %s (contact %s); move it, or close the contact with "
                      "start",
                      model->bodies[slot->body[inside]].name, depth,
                      model->bodies[slot->body[1 - inside]].name, slot->name);
}

// Contacts closed within tolerance join the lines.
static void add_closed(Placing *placing, double tolerance)
{
    SpragSystem *system = placing->system;
    add_lines(placing);
    for (int i = 0; i < system->contact_count; i++) {
        SpragGap gap;
        bool has_line = false;
        sprag_collider_gap(system->collider, i, system->pose, NULL, &gap);
        for (int k = 0; k < system->model->start_count; k++)
            has_line = has_line ||
                       (line_of(placing, k)->kind == SPRAG_START_CONTACT && placing->slots[k] == i);
        if (fabs(gap.gap) <= tolerance && !has_line)
            add_condition(placing, -1, i, 0, 0);
    }
}

static int count_closed(const SpragSystem *system, double tolerance)
{
    int count = 0;
    for (int i = 0; i < system->contact_count; i++) {
        SpragGap gap;
        sprag_collider_gap(system->collider, i, system->pose, NULL, &gap);
        count += fabs(gap.gap) <= tolerance;
    }
    return count;
}

// Room for `count` conditions.
static SpragStatus reserve_conditions(Placing *placing, int count)
{
    size_t m = (size_t)count, n = (size_t)placing->system->velocity_count;
    SpragArena *arena = placing->arena;
    placing->conditions = sprag_arena_alloc(arena, m, sizeof *placing->conditions);
    placing->J = sprag_arena_alloc(arena, m * n, sizeof(double));
    placing->BJ = sprag_arena_alloc(arena, m * n, sizeof(double));
    placing->G = sprag_arena_alloc(arena, m * m, sizeof(double));
    placing->r = sprag_arena_alloc(arena, m, sizeof(double));
    placing->x = sprag_arena_alloc(arena, m, sizeof(double));
    placing->change = sprag_arena_alloc(arena, m, sizeof(double));
    placing->order = sprag_arena_alloc(arena, m, sizeof *placing->order);
    bool ok = placing->conditions && placing->J && placing->BJ && placing->G && placing->r &&
              placing->x && placing->change && placing->order;
    return ok ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// Closes what is closed within tolerance exactly, by translations, else with angles too. What
// cannot be closed together stays within tolerance.
static SpragStatus close_exactly(Placing *placing, double tolerance, double *q)
{
    const SpragSystem *system = placing->system;
    int lines = 2 * system->model->start_count;
    model_set_state(placing->system, q, NULL);
    SPRAG_TRY(reserve_conditions(placing, lines + count_closed(system, tolerance)));
    add_closed(placing, tolerance);
    size_t bytes = (size_t)system->velocity_count * sizeof *q;
    for (int turning = 0; turning < 2; turning++) {
        double before = evaluate_at(placing, q, NULL);
        if (before <= EXACT * tolerance)
            break;
        set_metric(placing, turning == 1, true);
        memcpy(placing->anchor, q, bytes);
        double after = solve_damped(placing, EXACT * tolerance, q);
        if (!(after <= before))
            memcpy(q, placing->anchor, bytes);
    }
    return SPRAG_OK;
}

// ---- Velocities ---------------------------------------------------------------------------------

static double speed_tolerance(const Placing *placing, const double *v)
{
    double rate = sprag_system_tolerances(placing->system, v).rate, targets = 0;
    for (int i = 0; i < placing->condition_count; i++)
        targets = fmax(targets, fabs(placing->conditions[i].target));
    return fmax(rate, placing->system->relative_tolerance * targets);
}

static double solve_velocities(Placing *placing, const double *q, double *v)
{
    size_t n = (size_t)placing->system->velocity_count;
    memcpy(v, placing->anchor, n * sizeof *v);
    double residual = evaluate_at(placing, q, v);
    // the conditions are linear: the second step removes the rounding of the first
    for (int i = 0; i < 2 && residual > 0 && isfinite(residual); i++) {
        memcpy(placing->change, placing->r, (size_t)placing->condition_count * sizeof(double));
        least_step(placing, placing->trial);
        for (size_t k = 0; k < n; k++)
            v[k] += placing->trial[k];
        residual = evaluate_at(placing, q, v);
    }
    return residual;
}

static SpragStatus place_velocities(Placing *placing, const double *q, double *v)
{
    memcpy(placing->anchor, v, (size_t)placing->system->velocity_count * sizeof *v);
    placing->level = VELOCITIES;
    add_lines(placing);
    if (placing->condition_count == 0)
        return SPRAG_OK;
    double tolerance = speed_tolerance(placing, v);
    set_metric(placing, false, false);
    double residual = solve_velocities(placing, q, v);
    if (!(residual <= tolerance) && set_metric(placing, true, false))
        residual = solve_velocities(placing, q, v);
    return residual <= tolerance ? SPRAG_OK : refuse_worst(placing);
}

// ---- All of it ----------------------------------------------------------------------------------

static SpragStatus place_all(Placing *placing)
{
    SpragSystem *system = placing->system;
    const SpragModel *model = system->model;
    size_t n = (size_t)system->velocity_count;
    double tolerance = system->relative_tolerance * system->size;
    placing->slots = sprag_arena_alloc(placing->arena, (size_t)model->start_count, sizeof(int));
    placing->candidates =
        sprag_arena_alloc(placing->arena, (size_t)system->contact_count, sizeof(int));
    placing->metric = sprag_arena_alloc(placing->arena, n, sizeof(double));
    placing->anchor = sprag_arena_alloc(placing->arena, n, sizeof(double));
    placing->trial = sprag_arena_alloc(placing->arena, n, sizeof(double));
    if (!placing->slots || !placing->candidates || !placing->metric || !placing->anchor ||
        !placing->trial)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < model->start_count; i++)
        placing->slots[i] = -1;
    memcpy(placing->anchor, system->q0, n * sizeof(double));
    SPRAG_TRY(reserve_conditions(placing, 2 * model->start_count));
    if (model->start_count > 0)
        SPRAG_TRY(place_lines(placing, tolerance, system->q0));
    model_set_state(system, system->q0, NULL);
    SPRAG_TRY(refuse_overlap(placing, tolerance));
    SPRAG_TRY(close_exactly(placing, tolerance, system->q0));
    return place_velocities(placing, system->q0, system->v0);
}

SpragStatus model_place(SpragSystem *system)
{
    Placing placing = {.system = system};
    SPRAG_TRY(sprag_arena_create(system->context, 0, &placing.arena));
    SpragStatus status = place_all(&placing);
    sprag_arena_destroy(placing.arena);
    return status;
}
