// pilot_switch.c: contacts become compliant, theory.md 8.6.1 and 8.6.2.
// Problem   who switches, and from what state, where rigid mechanics has no stable motion
// Method    those that take part in the failure; if the others then have not one stable motion
//           under the forces of their layers, also those that share a body with them, and so on
//           up to the island. Layers start in equilibrium with the rigid forces before the event,
//           or unpressed where there were none; a motion that exists and is not stable is left
//           along its fastest mode, by a stated part of its deformation
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "motion_private.h"

enum { MOST_SWITCHES = 16 }; // at one time
// Perturbation of a motion that is left, as a part of its deformation.
static const double PUSH = 1e-6;

// ---- Who ----------------------------------------------------------------------------------------

bool pilot_may_switch(const SpragRun *run, int slot)
{
    SpragContactPair pair;
    sprag_system_pair(run->system, slot, &pair);
    return !run->compliant[slot] && !bearing_is_soft(run, slot) &&
           run->mode[slot] != SPRAG_MODE_SEPARATE && pair.model != SPRAG_PAIR_RIGID &&
           !sprag_system_contact_is_velocity_level(run->system, slot);
}

static int keep_allowed(SpragRun *run)
{
    int count = 0;
    for (int slot = 0; slot < run->slots; slot++) {
        run->pilot.culprit[slot] = run->pilot.culprit[slot] && pilot_may_switch(run, slot);
        count += run->pilot.culprit[slot];
    }
    return count;
}

// The motion that is left: the one in the present modes, else the first that is not stable. Its
// fastest mode goes to the slots.
static void find_push(SpragRun *run, const SpragVerdict *verdict)
{
    int left = decide_present_motion(run, verdict);
    for (int k = 0; k < verdict->solution_count && left < 0; k++)
        left = verdict->solutions[k].growing ? k : left;
    if (left < 0 || !verdict->solutions[left].growing)
        return;
    for (int i = 0; i < run->problem.constraint_count; i++) {
        const SpragConstraint *item = &run->problem.constraints[i];
        PilotSlot *slot = &run->pilot.slot[item->id];
        const double *growing = verdict->solutions[left].growing + item->row;
        slot->push_normal = growing[0];
        // of a bearing the second entry is its second normal's, if it has one
        for (int k = 0; k < 2; k++)
            slot->push_tangential[k] = item->row_count > 1 + k ? growing[1 + k] : 0;
    }
}

static bool is_soft(const SpragRun *run, int slot)
{
    return run->compliant[slot] || bearing_is_soft(run, slot);
}

// Marks rigid contacts that share a moving body with a compliant one.
static SpragStatus mark_neighbours(SpragRun *run)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    int *slots = sprag_arena_alloc(run->arena, (size_t)run->slots + 1, sizeof *slots);
    bool *sliding = sprag_arena_alloc(run->arena, (size_t)run->slots + 1, sizeof *sliding);
    bool *lifted;
    int count = 0;
    if (!slots || !sliding)
        return SPRAG_ERROR_MEMORY;
    for (int slot = 0; slot < run->slots; slot++)
        if (run->compliant[slot] ? run->touching[slot] : run->mode[slot] != SPRAG_MODE_SEPARATE)
            slots[count++] = slot;
    // rows as if all were rigid: layers of bearings have coordinates of their own
    SPRAG_TRY(bearings_lift(run, count, slots, &lifted));
    SpragStatus status = sprag_system_build_active(run->system, run->t, run->y, run->y + run->m,
                                                   count, slots, sliding, &run->problem);
    bearings_lower(run, lifted);
    SPRAG_TRY(status);
    memset(run->pilot.culprit, 0, (size_t)run->slots * sizeof *run->pilot.culprit);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            if (!is_soft(run, slots[i]) && is_soft(run, slots[j]) &&
                sprag_contact_problem_is_coupled(&run->problem, i, j))
                run->pilot.culprit[slots[i]] = true;
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// ---- From what state ----------------------------------------------------------------------------

// Near a jam the rigid forces grow like 1/d with the determinant d, faster than a layer can follow:
// its frequency, ω √d with ω that of no friction, falls with d. It follows until |d'|/d = ω √d, so
// down to d_c = (d'/ω)^(2/3), and keeps the force it has then: the part d/d_c of the present one.
static SpragStatus jam_part(SpragRun *run, double *part)
{
    const Frozen *f = &run->frozen;
    const double shift = 1e-4; // of a step, for the rate of d
    double h = shift * run->step_guess, frequency = 0;
    *part = 1;
    SPRAG_TRY(modes_evaluate(run, run->t, run->y));
    double now = fmax(run->now.determinant, 0);
    for (int i = 0; i < f->active_count; i++) {
        int slot = f->active[i], r = f->first[i];
        double slope = 0, force = run->pilot.slot[slot].normal;
        if (!run->pilot.culprit[slot] || !run->layer_known[slot])
            continue;
        (void)sprag_layer_normal(&run->layer[slot], sprag_layer_depth(&run->layer[slot], force), 0,
                                 NULL, &slope, NULL);
        frequency = fmax(frequency, sqrt(slope * run->now.W[r * f->row_count + r]));
    }
    memcpy(run->scratch, run->y, (size_t)run->size * sizeof *run->y);
    sprag_system_position_rate(run->system, run->y, run->y + run->m, run->scratch);
    for (int i = 0; i < run->m; i++)
        run->scratch[i] = run->y[i] - h * run->scratch[i];
    for (int i = 0; i < run->n; i++)
        run->scratch[run->m + i] -= h * run->now.acceleration[i];
    if (!(h > 0) || !(frequency > 0))
        return SPRAG_OK;
    SPRAG_TRY(modes_evaluate(run, run->t, run->scratch));
    double rate = fabs(run->now.determinant - now) / h;
    double followed = pow(rate / frequency, 2.0 / 3);
    *part = now < followed ? now / followed : 1;
    return SPRAG_OK;
}

// √stiffness × deformation of the layers that start pressed: the size of what is perturbed.
static double push_size(const SpragRun *run, int count, const int *slots)
{
    double size = 0;
    for (int i = 0; i < count; i++) {
        const PilotSlot *slot = &run->pilot.slot[slots[i]];
        const SpragLayer *layer = &run->layer[slots[i]];
        double slope, depth = sprag_layer_depth(layer, slot->normal);
        (void)sprag_layer_normal(layer, depth, 0, NULL, &slope, NULL);
        if (slot->pressed && slope > 0)
            size = fmax(size, slot->normal / sqrt(slope));
    }
    return size;
}

// The same of a bearing, whose normals press to either side.
static void start_bearing(const SpragRun *run, int number, double push)
{
    PilotSlot *slot = &run->pilot.slot[number];
    double along[WAYS] = {slot->push_normal};
    for (int k = 1; k < sprag_system_contact_normals(run->system, number); k++)
        along[k] = slot->push_tangential[k - 1];
    for (int k = 0; k < WAYS; k++)
        slot->start[k] = slot->pressed ? slot->part * slot->normals[k] + push * along[k] : 0;
}

// Forces that the layers start in equilibrium with: the rigid ones before, inside of their cones,
// and those of the perturbation.
static void start_forces(const SpragRun *run, int count, const int *slots, double *normal,
                         double *tangential)
{
    double size = push_size(run, count, slots);
    for (int i = 0; i < count; i++) {
        const PilotSlot *slot = &run->pilot.slot[slots[i]];
        const SpragLayer *layer = &run->layer[slots[i]];
        double force = slot->part * slot->normal, slope = 0;
        double depth = sprag_layer_depth(layer, force);
        (void)sprag_layer_normal(layer, depth, 0, NULL, &slope, NULL);
        normal[i] = 0;
        if (modes_is_bearing(run, slots[i])) {
            start_bearing(run, slots[i], PUSH * size * slope);
            continue;
        }
        if (slot->pressed)
            normal[i] = fmax(force + PUSH * size * slope * slot->push_normal, 0);
        for (int k = 0; k < run->tangents; k++) {
            double *item = &tangential[run->tangents * i + k];
            *item = slot->pressed ? slot->part * slot->tangential[k] : 0;
            if (!slot->pressed)
                continue;
            // a force that slides follows the normal one
            if (mode_slides(run->mode[slots[i]]) && force > 0)
                *item *= normal[i] / force;
            else
                *item += PUSH * size * layer->tangential_stiffness * slot->push_tangential[k];
        }
    }
}

// ---- What is told -------------------------------------------------------------------------------

static const char *cause_words(SpragRunOutcome cause)
{
    switch (cause) {
    case SPRAG_RUN_NO_SOLUTION:
        return "no motion";
    case SPRAG_RUN_AMBIGUOUS:
        return "stable motions differ here";
    case SPRAG_RUN_UNSTABLE:
        return "no motion is stable";
    case SPRAG_RUN_JAM:
        return "jam, A almost zero";
    default:
        return "the search for motions was not complete";
    }
}

// What the verdict that failed says in numbers.
typedef struct Numbers {
    bool one_contact;
    double A, B;
    double rate; // 1/s, at which a motion is left; 0: none is
} Numbers;

static Numbers numbers_of(const SpragVerdict *verdict)
{
    Numbers numbers = {verdict->one_contact, verdict->A, verdict->B, 0};
    for (int k = 0; k < verdict->solution_count; k++)
        if (verdict->solutions[k].growth_time < INFINITY)
            numbers.rate = fmax(numbers.rate, 1 / verdict->solutions[k].growth_time);
    return numbers;
}

// theory.md (8.1): the rate at which a layer runs away where A < 0.
static double runaway_rate(const SpragLayer *layer, double A)
{
    double half = -0.5 * A * layer->damping, k = -A * layer->stiffness;
    return half + sqrt(half * half + k);
}

static void describe(const SpragRun *run, int slot, const Numbers *numbers, char *text, size_t size)
{
    const SpragLayer *layer = &run->layer[slot];
    bool linear = layer->law == SPRAG_COMPLIANCE_KELVIN_VOIGT;
    double rate = numbers->rate;
    text[0] = 0;
    if (numbers->one_contact && numbers->A < 0 && linear)
        rate = runaway_rate(layer, numbers->A);
    if (numbers->one_contact && rate > 0)
        snprintf(text, size, " (A = %.4g, B = %.4g, rate %.4g/s)", numbers->A, numbers->B, rate);
    else if (numbers->one_contact)
        snprintf(text, size, " (A = %.4g, B = %.4g)", numbers->A, numbers->B);
    else if (rate > 0)
        snprintf(text, size, " (left at %.4g/s)", rate);
}

static void tell_switch(SpragRun *run, int slot, const Numbers *numbers, SpragRunOutcome *told)
{
    const PilotSlot *item = &run->pilot.slot[slot];
    const SpragLayer *layer = &run->layer[slot];
    bool linear = layer->law == SPRAG_COMPLIANCE_KELVIN_VOIGT;
    bool neighbour = item->cause == SPRAG_RUN_DONE;
    char push[64] = "", damping[40], why[80] = "";
    if (item->part < 1 && item->pressed)
        snprintf(push, sizeof push, ", of which the layer has followed %.4g N",
                 item->part * item->normal);
    else if (item->push_normal != 0 && item->pressed)
        snprintf(push, sizeof push, "; pushed by +%.0e along its fastest mode", PUSH);
    snprintf(damping, sizeof damping, linear ? "c %.4g N s/m" : "alpha %.4g s/m",
             linear ? layer->damping : layer->alpha);
    if (!neighbour)
        describe(run, slot, numbers, why, sizeof why);
    tell_event(run, SPRAG_EVENT_TO_COMPLIANT, slot, told,
               "%s%s; layer k %.4g N/m%s, %s (%s); force before %.5g N%s",
               neighbour ? "shares a body with a contact that switched" : cause_words(item->cause),
               why, layer->stiffness, linear ? "" : "^n", damping,
               run->layer_default[slot] ? "default (6.9)" : "as the scene says",
               item->pressed ? item->normal : 0.0, push);
    run->layer_told[slot] = true;
}

// ---- Switching ----------------------------------------------------------------------------------

static SpragStatus book(SpragRun *run, int slot, int group, SpragRunOutcome cause)
{
    PilotSlot *item = &run->pilot.slot[slot];
    double W[SPRAG_CONSTRAINT_ROWS * SPRAG_CONSTRAINT_ROWS], slope,
        force = item->normal > 0 ? item->normal : run->force_scale;
    double depth = sprag_layer_depth(&run->layer[slot], force);
    SpragSystemSample sample = {.W = W};
    SPRAG_TRY(sprag_system_sample(run->system, run->t, run->y, run->y + run->m, 1, &slot, &sample));
    (void)sprag_layer_normal(&run->layer[slot], depth, 0, NULL, &slope, NULL);
    // back and forth: it must be calm for longer and longer
    bool soon = run->t - item->returned_at < 30 * item->patience * item->period;
    item->patience = soon ? 2 * item->patience : PILOT_PATIENCE;
    item->period = slope * W[0] > 0 ? 2 * M_PI / sqrt(slope * W[0]) : 0;
    item->made = true;
    item->sibling = false;
    item->group = group;
    item->cause = cause;
    item->whole = cause == SPRAG_RUN_UNSTABLE;
    item->determinant = 2 * (cause == SPRAG_RUN_JAM ? run->jam : MOTION_JAM);
    item->calm_since = INFINITY;
    item->next_check = run->t;
    run->pilot.made_count++;
    return SPRAG_OK;
}

// Makes the culprits compliant and tells of it.
static SpragStatus enter(SpragRun *run, const bool *resting, int group, SpragRunOutcome cause,
                         const Numbers *numbers, SpragRunOutcome *told)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    size_t room = (size_t)run->slots + 1;
    int *slots = sprag_arena_alloc(run->arena, room, sizeof *slots);
    double *normal = sprag_arena_alloc(run->arena, 3 * room, sizeof *normal);
    int count = 0;
    if (!slots || !normal)
        return SPRAG_ERROR_MEMORY;
    double *tangential = normal + room;
    for (int slot = 0; slot < run->slots; slot++) {
        if (!run->pilot.culprit[slot])
            continue;
        slots[count++] = slot;
        if (resting && resting[slot])
            run->mode[slot] = SPRAG_MODE_STICK;
    }
    SPRAG_TRY(layers_define(run, count, slots));
    if (!run->pilot.forced)
        SPRAG_TRY(pilot_limit_start(run, count, slots));
    start_forces(run, count, slots, normal, tangential);
    SPRAG_TRY(layers_enter(run, count, slots, normal, tangential));
    for (int i = 0; i < count; i++) {
        // a slip that has just begun or turned is not that of the shear
        if (run->touching[slots[i]])
            SPRAG_TRY(layers_choose_first(run, slots[i]));
        SPRAG_TRY(book(run, slots[i], group, cause));
        tell_switch(run, slots[i], numbers, told);
    }
    for (int slot = 0; slot < run->slots; slot++)
        pilot_join(run, slot);
    SPRAG_TRY(modes_freeze(run));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

static SpragStatus define_culprits(SpragRun *run)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    int *slots = sprag_arena_alloc(run->arena, (size_t)run->slots + 1, sizeof *slots);
    int count = 0;
    if (!slots)
        return SPRAG_ERROR_MEMORY;
    for (int slot = 0; slot < run->slots; slot++)
        if (run->pilot.culprit[slot])
            slots[count++] = slot;
    SPRAG_TRY(layers_define(run, count, slots));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

SpragStatus pilot_switch(SpragRun *run, double t, const double *y, const bool *resting,
                         Decision *decision, SpragRunOutcome *outcome)
{
    Pilot *pilot = &run->pilot;
    double part = 1;
    SpragRunOutcome why = *outcome, told = SPRAG_RUN_DONE;
    SpragVerdict verdict;
    pilot->switches_here = run->t > pilot->switch_time ? 0 : pilot->switches_here;
    pilot->switch_time = run->t;
    if (pilot->switches_here++ >= MOST_SWITCHES)
        return SPRAG_OK;
    SPRAG_TRY(pilot_mark(run, t, y, resting, why, &verdict));
    Numbers numbers = numbers_of(&verdict);
    for (int slot = 0; slot < run->slots; slot++)
        pilot->slot[slot].push_normal = pilot->slot[slot].push_tangential[0] =
            pilot->slot[slot].push_tangential[1] = 0;
    if (why == SPRAG_RUN_UNSTABLE)
        find_push(run, &verdict);
    if (why == SPRAG_RUN_JAM) {
        SPRAG_TRY(define_culprits(run));
        SPRAG_TRY(jam_part(run, &part));
    }
    for (int slot = 0; slot < run->slots; slot++)
        pilot->slot[slot].part = part;
    int group = pilot->group_count++;
    snprintf(run->interval.chosen, sizeof run->interval.chosen, "compliant");
    pilot->interval = true;
    // nobody stands out (a verdict at the edge of stability): then all that press
    bool nobody = keep_allowed(run) == 0;
    for (int slot = 0; slot < run->slots && nobody; slot++)
        pilot->culprit[slot] = pilot_may_switch(run, slot);
    for (SpragRunOutcome cause = why; why != SPRAG_RUN_DONE; cause = SPRAG_RUN_DONE) {
        if (keep_allowed(run) == 0 && cause == SPRAG_RUN_DONE) {
            SPRAG_TRY(pilot_mark(run, run->t, run->y, resting, why, &verdict));
            cause = why;
            numbers = numbers_of(&verdict);
        }
        if (keep_allowed(run) == 0)
            return SPRAG_OK;
        SPRAG_TRY(enter(run, resting, group, cause, &numbers, &told));
        SPRAG_TRY(decide_again(run, resting, decision, &why));
        if (why != SPRAG_RUN_DONE)
            SPRAG_TRY(mark_neighbours(run));
    }
    *outcome = told;
    return SPRAG_OK;
}

SpragStatus pilot_soften(SpragRun *run, int count, const int *slots, SpragRunOutcome *outcome)
{
    Pilot *pilot = &run->pilot;
    Numbers numbers = {0};
    SpragRunOutcome told = SPRAG_RUN_DONE;
    memset(pilot->culprit, 0, (size_t)run->slots * sizeof *pilot->culprit);
    tell_event(run, SPRAG_EVENT_NO_SOLUTION, count == 1 ? slots[0] : -1, &told,
               "no impulses end this collision: a moving surface wedges the bodies");
    for (int i = 0; i < count; i++) {
        pilot->culprit[slots[i]] = true;
        pilot->slot[slots[i]].part = 1;
        if (run->mode[slots[i]] == SPRAG_MODE_SEPARATE)
            run->mode[slots[i]] = SPRAG_MODE_STICK;
    }
    if (keep_allowed(run) < count) {
        *outcome = SPRAG_RUN_NO_SOLUTION;
        return SPRAG_OK;
    }
    snprintf(run->interval.chosen, sizeof run->interval.chosen, "compliant");
    pilot->interval = true;
    SPRAG_TRY(enter(run, NULL, pilot->group_count++, SPRAG_RUN_NO_SOLUTION, &numbers, &told));
    SPRAG_TRY(layers_jump(run));
    *outcome = told;
    return SPRAG_OK;
}

SpragStatus pilot_force(SpragRun *run, Decision *decision, SpragRunOutcome *outcome)
{
    Pilot *pilot = &run->pilot;
    const SpragExitStart *start = pilot->forced;
    const SpragMotion *motion = start->solution->motion;
    Numbers numbers = {0};
    SpragRunOutcome told = SPRAG_RUN_DONE;
    memset(pilot->culprit, 0, (size_t)run->slots * sizeof *pilot->culprit);
    for (int i = 0; i < start->problem->constraint_count; i++) {
        const SpragConstraint *item = &start->problem->constraints[i];
        PilotSlot *slot = &pilot->slot[item->id];
        slot->part = 1;
        run->mode[item->id] = motion->modes[i];
        pilot->culprit[item->id] = motion->active[i];
        double pressure = sprag_constraint_pressure(item, motion->force);
        slot->pressed = motion->active[i] && pressure > 0;
        slot->normal = slot->pressed ? start->factor * pressure : 0;
        for (int k = 0; k < WAYS; k++)
            slot->normals[k] = slot->pressed && k < sprag_constraint_normals(item)
                                   ? start->factor * motion->force[item->row + k]
                                   : 0;
        for (int k = 0; k < 2; k++)
            slot->tangential[k] = slot->pressed && item->row_count > 1 + k
                                      ? start->factor * motion->force[item->row + 1 + k]
                                      : 0;
        memcpy(run->heading + WAYS * item->id, motion->direction + WAYS * i,
               WAYS * sizeof *run->heading);
    }
    if (keep_allowed(run) == 0) {
        *outcome = SPRAG_RUN_UNSTABLE;
        return SPRAG_OK;
    }
    SPRAG_TRY(enter(run, NULL, pilot->group_count++, SPRAG_RUN_UNSTABLE, &numbers, &told));
    return decide_again(run, NULL, decision, outcome);
}
