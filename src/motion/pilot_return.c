// pilot_return.c: compliant contacts become rigid again, theory.md 8.6.4.
// Problem   when is the rigid model right again, and its transient over
// Method    at the state projected on closed gaps without rates the rigid problem has one stable
//           motion, or one with the present modes; its forces are those of the layers; what moves
//           in the layers has no energy beside the rest; all this for three periods of the slowest
//           fast mode; and the determinant that failed is back by a margin. An open contact
//           returns at once, unless it belongs to an instability of several, or has failed again
//           soon after a return: then it must stay open as long as it must be calm
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "motion_private.h"
#include "sprag/numeric.h"

// Forces of layers and of rigid contacts that differ by less are the same; and energies.
static const double SAME_FORCE = 1e-3, NO_ENERGY = 1e-6;
// Rates that are left by a projection, in tolerances.
static const double POSSIBLE = 1e2;
// Conditions are looked at so many times in a period.
static const double LOOKS = 8;

typedef struct Return {
    int member_count,
        count;  // contacts of the group that press; with the rigid ones that are closed
    int *slots; // members first
    bool *sliding;
    double *y;            // projected
    double kinetic, fast; // energies, J: of the projected motion, of what the projection took away
    double stored;        // in the layers
    bool possible;        // there is a state with closed gaps and without rates
} Return;

// ---- The projected state ------------------------------------------------------------------------

static SpragStatus allocate(SpragRun *run, Return *r)
{
    size_t room = (size_t)run->slots + 1;
    r->slots = sprag_arena_alloc(run->arena, room, sizeof *r->slots);
    r->sliding = sprag_arena_alloc(run->arena, room, sizeof *r->sliding);
    r->y = sprag_arena_alloc(run->arena, (size_t)run->most_size + 1, sizeof *r->y);
    return r->slots && r->sliding && r->y ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

static void gather(const SpragRun *run, int group, Return *r)
{
    const PilotSlot *slot = run->pilot.slot;
    for (int i = 0; i < run->slots; i++)
        if (slot[i].made && slot[i].group == group && run->mode[i] != SPRAG_MODE_SEPARATE)
            r->slots[r->count++] = i;
    r->member_count = r->count;
    for (int i = 0; i < run->slots; i++) {
        bool member = slot[i].made && slot[i].group == group; // a bearing
        if (!run->compliant[i] && !member && run->mode[i] != SPRAG_MODE_SEPARATE)
            r->slots[r->count++] = i;
    }
    for (int i = 0; i < r->count; i++)
        r->sliding[i] = mode_slides(run->mode[r->slots[i]]);
}

static SpragStatus project(SpragRun *run, Return *r)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    int n = run->n, m = run->m;
    bool *stick = sprag_arena_alloc(run->arena, (size_t)r->count + 1, sizeof *stick);
    double *difference = sprag_arena_alloc(run->arena, (size_t)n + 1, sizeof *difference);
    double residual, rates, potential, elastic;
    if (!stick || !difference)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < r->count; i++)
        stick[i] = modes_holds_slip(run, r->slots[i]);
    memcpy(r->y, run->y, (size_t)run->size * sizeof *r->y);
    // a belt that wedges a body between its layers, or drives it into one that its joints keep it
    // in, holds them in a state that rigid contacts have not
    SpragStatus status =
        sprag_system_project_position(run->system, run->t, r->count, r->slots, r->y, &residual);
    r->possible = status == SPRAG_OK && residual <= run->tolerances.gap;
    if (!r->possible) {
        sprag_arena_release(run->arena, mark);
        return status == SPRAG_ERROR_NUMERIC ? SPRAG_OK : status;
    }
    SPRAG_TRY(sprag_system_project_velocity(run->system, run->t, r->y, r->count, r->slots, stick,
                                            r->y + m, &rates));
    r->possible = rates <= POSSIBLE * run->tolerances.rate;
    for (int i = 0; i < n; i++)
        difference[i] = run->y[m + i] - r->y[m + i];
    SPRAG_TRY(sprag_system_energy(run->system, run->t, r->y, r->y + m, &r->kinetic, &potential,
                                  &elastic));
    SPRAG_TRY(
        sprag_system_energy(run->system, run->t, r->y, difference, &r->fast, &potential, &elastic));
    for (int i = 0; i < r->member_count; i++)
        r->stored += modes_is_bearing(run, r->slots[i]) ? bearing_energy(run, r->slots[i])
                                                        : layers_slot_energy(run, r->slots[i]);
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// ---- The rigid problem there --------------------------------------------------------------------

// Forces of layers that are not to return, as loads: b += W λ.
static SpragStatus load_others(SpragRun *run, const Return *r)
{
    const Frozen *f = &run->frozen;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    int *slots = sprag_arena_alloc(run->arena, (size_t)(2 * run->slots) + 1, sizeof *slots);
    int *first = sprag_arena_alloc(run->arena, (size_t)run->slots + 1, sizeof *first);
    int others = 0;
    if (!slots || !first)
        return SPRAG_ERROR_MEMORY;
    memcpy(slots, r->slots, (size_t)r->count * sizeof *slots);
    for (int i = 0; i < f->active_count; i++) {
        bool member = false;
        for (int k = 0; k < r->member_count; k++)
            member |= r->slots[k] == f->active[i];
        if (!f->soft[i] || member)
            continue;
        first[others] = f->first[i];
        slots[r->count + others++] = f->active[i];
    }
    size_t rows = (size_t)sprag_system_row_count(run->system, r->count + others, slots);
    double *W = sprag_arena_alloc(run->arena, rows * rows + 1, sizeof *W);
    if (!W)
        return SPRAG_ERROR_MEMORY;
    SpragSystemSample sample = {.W = W};
    if (others > 0)
        SPRAG_TRY(sprag_system_sample(run->system, run->t, r->y, r->y + run->m, r->count + others,
                                      slots, &sample));
    size_t column = (size_t)run->problem.row_count;
    for (int k = 0; k < others; k++) {
        int width = sprag_system_row_count(run->system, 1, &slots[r->count + k]);
        for (int c = 0; c < width; c++, column++)
            for (int row = 0; row < run->problem.row_count; row++)
                run->problem.b[row] +=
                    W[(size_t)row * rows + column] * run->now.force[first[k] + c];
    }
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// The layers that are known decide on stability.
static void give_layers(SpragRun *run)
{
    for (int i = 0; i < run->problem.constraint_count; i++) {
        SpragConstraint *item = &run->problem.constraints[i];
        const SpragLayer *layer = &run->layer[item->id];
        if (!run->layer_known[item->id] || item->stiffness[0] > 0 || item->law.stiffness > 0)
            continue;
        item->stiffness[0] = layer->stiffness;
        item->damping[0] = layer->damping;
        for (int k = 1; k < item->row_count; k++) {
            item->stiffness[k] = layer->tangential_stiffness;
            item->damping[k] = layer->tangential_damping;
        }
    }
}

static SpragStatus build(SpragRun *run, const Return *r)
{
    SPRAG_TRY(sprag_system_build_active(run->system, run->t, r->y, r->y + run->m, r->count,
                                        r->slots, r->sliding, &run->problem));
    for (int i = 0; i < r->count; i++) {
        SpragConstraint *item = &run->problem.constraints[i];
        if (item->sliding)
            decide_set_slip(run, r->slots[i], item);
    }
    return load_others(run, r);
}

// ---- Conditions ---------------------------------------------------------------------------------

// Index of the motion that the rigid contacts would take; −1: none.
static int chosen_motion(const SpragRun *run, const SpragVerdict *verdict)
{
    int only = -1;
    if (!verdict->complete || verdict->kind == SPRAG_VERDICT_INFINITE)
        return -1;
    for (int k = 0; k < verdict->solution_count; k++)
        only = verdict->solutions[k].stable ? k : only;
    if (verdict->stable_count == 1)
        return only;
    int present = decide_present_motion(run, verdict);
    return present >= 0 && verdict->solutions[present].stable ? present : -1;
}

// Force in a row of a contact as the run has it now: a layer's, or a rigid one.
static double present_force(const SpragRun *run, int slot, int offset)
{
    const Frozen *f = &run->frozen;
    for (int i = 0; i < f->active_count; i++)
        if (f->active[i] == slot)
            return run->now.force[f->first[i] + offset];
    return 0;
}

// Whether the layers press as the rigid contacts would; where rigid forces are indeterminate,
// whether they accelerate so.
static bool forces_agree(const SpragRun *run, const Return *r, const SpragMotion *motion)
{
    const SpragContactProblem *p = &run->problem;
    double scale = 0;
    for (int i = 0; i < p->row_count; i++) {
        scale = fmax(scale, fabs(motion->force[i]));
        if (p->W[i * p->row_count + i] > 0)
            scale = fmax(scale, fabs(p->b[i]) / p->W[i * p->row_count + i]);
    }
    for (int i = 0; motion->force_dimension == 0 && i < r->member_count; i++) {
        const SpragConstraint *item = &p->constraints[i];
        for (int k = 0; k < item->row_count; k++)
            if (fabs(present_force(run, item->id, k) - motion->force[item->row + k]) >
                SAME_FORCE * scale)
                return false;
    }
    for (int row = 0; motion->force_dimension > 0 && row < p->row_count; row++) {
        double sum = 0;
        for (int i = 0; i < r->count; i++) {
            const SpragConstraint *item = &p->constraints[i];
            for (int k = 0; k < item->row_count; k++) {
                double now = present_force(run, item->id, k);
                sum +=
                    p->W[row * p->row_count + item->row + k] * (now - motion->force[item->row + k]);
            }
        }
        if (fabs(sum) > SAME_FORCE * scale * p->W[row * p->row_count + row])
            return false;
    }
    return true;
}

// What friction of a constraint adds to an entry of D for a unit of the normal force in `row`; of a
// bearing theory.md (9.35).
static double friction_entry(const SpragContactProblem *p, const SpragMotion *motion, int owner,
                             int row, const double *w)
{
    double sum = 0;
    for (int c = 0; owner >= 0 && c < p->constraint_count; c++) {
        const SpragConstraint *item = &p->constraints[c];
        const double *direction = motion->direction + WAYS * c;
        int normals = sprag_constraint_normals(item);
        double aim = 1;
        if (c != owner && (item->kind != SPRAG_CONSTRAINT_BEARING || item->shared != row))
            continue;
        if (item->kind == SPRAG_CONSTRAINT_BEARING) {
            double size = sprag_constraint_pressure(item, motion->force);
            aim = size > 0 ? motion->force[row] / size : 1;
        }
        for (int d = normals; d < item->row_count; d++)
            sum -= item->friction * aim * direction[d - normals] * w[item->row + d];
    }
    return sum;
}

// The determinant (3.4) of a motion, rows divided by the diagonal of W.
static SpragStatus determinant_of(SpragRun *run, const SpragMotion *motion, double *determinant)
{
    const SpragContactProblem *p = &run->problem;
    size_t room = (size_t)p->row_count;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    double *D = sprag_arena_alloc(run->arena, room * room + 1, sizeof *D);
    int *rows = sprag_arena_alloc(run->arena, 4 * room + 1, sizeof *rows);
    if (!D || !rows)
        return SPRAG_ERROR_MEMORY;
    int *owner = rows + room, *order = owner + room, k = 0, sign = 1;
    for (int i = 0; i < p->constraint_count; i++) {
        if (motion->modes[i] == SPRAG_MODE_SEPARATE)
            continue;
        int normals = sprag_constraint_normals(&p->constraints[i]);
        for (int d = 0; d < normals; d++) {
            owner[k] = i;
            rows[k++] = p->constraints[i].row + d;
        }
        for (int d = normals;
             motion->modes[i] == SPRAG_MODE_STICK && d < p->constraints[i].row_count; d++) {
            owner[k] = -1;
            rows[k++] = p->constraints[i].row + d;
        }
    }
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            const double *w = p->W + rows[i] * p->row_count;
            D[i * k + j] =
                (w[rows[j]] + friction_entry(p, motion, owner[j], rows[j], w)) / w[rows[i]];
        }
    *determinant = k > 0 && sprag_lu_factor(k, D, 0, order, order + k, &sign) < k ? 0 : sign;
    for (int i = 0; i < k && *determinant != 0; i++)
        *determinant *= fabs(D[i * k + i]);
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// 2π over the slowest rate of the layer of a motion.
static double slowest_period(const SpragSolution *solution)
{
    double slowest = INFINITY;
    for (int i = 0; i < solution->eigenvalue_count; i++) {
        SpragEigenvalue s = solution->eigenvalues[i];
        double rate = s.imaginary != 0 ? fabs(s.imaginary) : fabs(s.real);
        if (rate > 0)
            slowest = fmin(slowest, rate);
    }
    return slowest < INFINITY ? 2 * M_PI / slowest : 0;
}

// Whether all conditions but the waiting hold now, with the bearings that would return rigid; the
// forces of layers are those of run->now.
static SpragStatus looks_calm(SpragRun *run, Return *r, bool *calm, double *period)
{
    SpragAnalysisSettings settings = sprag_analysis_default();
    SpragVerdict verdict;
    double determinant, wanted = 0;
    *calm = false;
    SPRAG_TRY(project(run, r));
    if (!r->possible || r->fast > NO_ENERGY * fmax(r->kinetic, r->stored))
        return SPRAG_OK;
    settings.motions.tolerance = 1e-9;
    settings.moving = true;
    settings.silent = true;
    settings.epsilon = run->settings.epsilon;
    settings.time_scale = run->layer_time;
    // as the run will judge it when it is rigid again, and as the layers that are there say
    SPRAG_TRY(build(run, r));
    SPRAG_TRY(sprag_analysis_run(run->analysis, &run->problem, &settings, &verdict));
    if (chosen_motion(run, &verdict) < 0)
        return SPRAG_OK;
    give_layers(run);
    SPRAG_TRY(sprag_analysis_run(run->analysis, &run->problem, &settings, &verdict));
    run->statistics.solves += 2;
    int index = chosen_motion(run, &verdict);
    if (index < 0 || verdict.solutions[index].nearly_singular)
        return SPRAG_OK;
    const SpragMotion *motion = verdict.solutions[index].motion;
    double slowest = slowest_period(&verdict.solutions[index]);
    *period = slowest > 0 ? slowest : *period; // a motion without forces has none
    SPRAG_TRY(determinant_of(run, motion, &determinant));
    for (int i = 0; i < r->member_count; i++)
        wanted = fmax(wanted, run->pilot.slot[r->slots[i]].determinant);
    *calm = (motion->force_dimension > 0 || determinant > wanted) && forces_agree(run, r, motion);
    return SPRAG_OK;
}

static SpragStatus is_calm(SpragRun *run, Return *r, bool *calm, double *period)
{
    const Frozen *f = &run->frozen;
    bool *lifted;
    SPRAG_TRY(modes_evaluate(run, run->t, run->y));
    for (int i = 0; i < f->active_count; i++)
        if (bearing_is_soft(run, f->active[i]))
            sprag_system_bearing_forces(run->system, f->active[i], run->now.force + f->first[i]);
    SPRAG_TRY(bearings_lift(run, r->member_count, r->slots, &lifted));
    SpragStatus status = looks_calm(run, r, calm, period);
    bearings_lower(run, lifted);
    modes_outdate(run);
    return status;
}

// ---- Returning ----------------------------------------------------------------------------------

double pilot_stop(const SpragRun *run, double until)
{
    for (int i = 0; run->pilot.made_count > 0 && i < run->slots; i++) {
        const PilotSlot *slot = &run->pilot.slot[i];
        double due = slot->calm_since + slot->patience * slot->period;
        // a step must move on
        if (slot->made && due > run->t + 1e-12 * fabs(run->t))
            until = fmin(until, due);
    }
    return until;
}

// Marks the members of a group that return now.
static SpragStatus look_at_group(SpragRun *run, int group, bool *leaves)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    PilotSlot *slot = run->pilot.slot;
    Return r = {0};
    bool whole = false, clipped = false, calm = false;
    double since = INFINITY, period = 0, patience = 0, next = INFINITY;
    for (int i = 0; i < run->slots; i++) {
        if (!slot[i].made || slot[i].group != group)
            continue;
        whole |= slot[i].whole;
        clipped |= pilot_is_sunk(run, i) && run->mode[i] == SPRAG_MODE_SEPARATE;
        patience = fmax(patience, slot[i].patience);
        period = fmax(period, slot[i].period);
        since = slot[i].calm_since;
        next = fmin(next, slot[i].next_check);
    }
    SPRAG_TRY(allocate(run, &r));
    gather(run, group, &r);
    bool open = r.member_count == 0 && !clipped;
    bool due = run->t >= since + patience * period;
    if (!clipped && !open && (due || run->t >= next))
        SPRAG_TRY(is_calm(run, &r, &calm, &period));
    else if (!clipped)
        calm = open || since < INFINITY;
    since = calm ? fmin(since, run->t) : INFINITY;
    // in an instability of several all may fly for a moment
    // (the period has changed a little since the time was set)
    bool ready = calm && (due || run->t >= since + patience * period);
    bool at_once = !whole && patience <= PILOT_PATIENCE;
    ready |= open && at_once;
    for (int i = 0; i < run->slots; i++) {
        if (!slot[i].made || slot[i].group != group)
            continue;
        slot[i].calm_since = since;
        slot[i].period = period;
        if (run->t >= next)
            slot[i].next_check = run->t + period / LOOKS;
        leaves[i] = ready || (at_once && !pilot_is_sunk(run, i) && !modes_is_bearing(run, i) &&
                              !pilot_sibling_presses(run, i));
    }
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

static void tell_return(SpragRun *run, int slot, bool open, double change, SpragRunOutcome *outcome)
{
    const PilotSlot *item = &run->pilot.slot[slot];
    if (open)
        tell_event(run, SPRAG_EVENT_TO_RIGID, slot, outcome, "open");
    else
        tell_event(
            run, SPRAG_EVENT_TO_RIGID, slot, outcome,
            "one stable motion, forces as rigid for %.3g s (%.3g periods), %s; %.3g J booked",
            run->t - item->calm_since, item->patience, sprag_mode_name(run->mode[slot]), change);
}

static SpragStatus leave(SpragRun *run, int count, const int *slots, SpragRunOutcome *outcome)
{
    Decision decision;
    double change = run->change;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    bool *open = sprag_arena_alloc(run->arena, (size_t)count, sizeof *open);
    if (!open)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(tell_sample(run, run->t, run->y, true, false, outcome));
    memcpy(run->mode_before, run->mode, (size_t)run->slots * sizeof *run->mode);
    memset(run->fresh, 0, (size_t)run->slots * sizeof *run->fresh);
    memset(run->left, 0, (size_t)run->slots * sizeof *run->left);
    pilot_remember(run);
    run->pilot.before_told = true;
    for (int i = 0; i < count; i++)
        open[i] = !run->touching[slots[i]] && !modes_is_bearing(run, slots[i]);
    SPRAG_TRY(layers_leave(run, count, slots));
    for (int i = 0; i < count; i++) {
        PilotSlot *item = &run->pilot.slot[slots[i]];
        if (!open[i] || !item->sibling)
            tell_return(run, slots[i], open[i], run->change - change, outcome);
        item->made = item->sibling = false;
        item->returned_at = run->t;
        run->pilot.made_count--;
    }
    run->pilot.interval = run->pilot.made_count > 0;
    SPRAG_TRY(modes_freeze(run));
    SpragRunOutcome decided = SPRAG_RUN_DONE;
    SPRAG_TRY(decide(run, run->t, run->y, NULL, &decision, &decided));
    if (decided == SPRAG_RUN_DONE)
        SPRAG_TRY(run_take(run, &decision, true, outcome));
    else
        *outcome = decided;
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

SpragStatus pilot_return(SpragRun *run, bool *returned, SpragRunOutcome *outcome)
{
    *returned = false;
    if (run->pilot.made_count == 0)
        return SPRAG_OK;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    bool *leaves = sprag_arena_alloc(run->arena, (size_t)run->slots + 1, sizeof *leaves);
    int *slots = sprag_arena_alloc(run->arena, (size_t)run->slots + 1, sizeof *slots);
    int count = 0;
    if (!leaves || !slots)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < run->slots; i++) {
        bool first = run->pilot.slot[i].made;
        for (int j = 0; j < i && first; j++)
            first =
                !run->pilot.slot[j].made || run->pilot.slot[j].group != run->pilot.slot[i].group;
        if (first)
            SPRAG_TRY(look_at_group(run, run->pilot.slot[i].group, leaves));
    }
    for (int i = 0; i < run->slots; i++)
        if (leaves[i])
            slots[count++] = i;
    *returned = count > 0;
    if (*returned)
        SPRAG_TRY(leave(run, count, slots, outcome));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}
