// motion_collide.c: contacts that close.
// A gap that closes with speed is a collision, plastic in this version (theory.md (10.9), (10.21)):
// all closed contacts of the island take part, and the record names the law. A gap that closes
// without speed is a landing: nothing jumps.
#include <math.h>
#include <string.h>

#include "motion_private.h"

// Contacts that leave a collision slower than this many rate tolerances stay closed: rocking and
// bouncing come to an end instead of piling up events (theory.md 14.2).
static const double REBOUND = 1e2;
// A contact that passes onto the next side may have this many rate tolerances.
static const double PASSING = 1e3;
// … and one that hops this many: it rises by about the square of their part of all speeds.
static const double HOP = 1e5;

typedef struct Collision {
    int count;     // contacts that take part
    int *contacts; // slots
    bool *landing; // one a contact: it was open
    bool *sliding;
    bool *member; // in the island of a landing contact
    double *impulse, *after, *response, *friction, *rate, *slip;
} Collision;

static SpragStatus allocate(SpragRun *run, Collision *c)
{
    size_t n = (size_t)run->slots + 1;
    c->contacts = sprag_arena_alloc(run->arena, n, sizeof *c->contacts);
    c->landing = sprag_arena_alloc(run->arena, n, sizeof *c->landing);
    c->sliding = sprag_arena_alloc(run->arena, n, sizeof *c->sliding);
    c->member = sprag_arena_alloc(run->arena, n, sizeof *c->member);
    c->impulse = sprag_arena_alloc(run->arena, 3 * n, sizeof(double));
    c->after = sprag_arena_alloc(run->arena, 3 * n, sizeof(double));
    c->friction = sprag_arena_alloc(run->arena, 2 * n, sizeof(double));
    c->rate = sprag_arena_alloc(run->arena, n, sizeof(double));
    c->slip = sprag_arena_alloc(run->arena, 2 * n, sizeof(double));
    c->response = sprag_arena_alloc(run->arena, 3 * n * (size_t)run->n, sizeof(double));
    bool ok = c->contacts && c->landing && c->sliding && c->member && c->impulse && c->after &&
              c->friction && c->rate && c->slip && c->response;
    return ok ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// Gaps that close at the same event differ by rounding only. A wider margin would lift bodies
// whenever contacts take turns, and feed a rocking that never ends; at the start it is the scene's
// own.
static bool is_closed(const SpragRun *run, const SpragContactKinematics *k)
{
    return k->gap <= (run->started ? MOTION_CLOSED : 1) * run->tolerances.gap;
}

// Closed contacts, and open ones whose gap is closed now and not opening.
static void gather(SpragRun *run, Collision *c)
{
    for (int slot = 0; slot < run->slots; slot++) {
        const SpragContactKinematics *k = &run->kinematics[slot];
        if (run->compliant[slot])
            continue; // it never collides
        bool open = run->mode[slot] == SPRAG_MODE_SEPARATE;
        bool lands = open && is_closed(run, k) && k->gap_rate <= run->tolerances.rate;
        if (open && !lands)
            continue;
        c->landing[c->count] = lands;
        c->sliding[c->count] = fabs(k->slip[0]) > run->tolerances.slip;
        c->contacts[c->count++] = slot;
    }
}

// Whether contacts come together with speed: they are the first members.
static bool find_collision(const SpragRun *run, Collision *c)
{
    bool any = false;
    for (int i = 0; i < c->count; i++) {
        const SpragContactKinematics *k = &run->kinematics[c->contacts[i]];
        c->member[i] = c->landing[i] && k->gap_rate < -run->tolerances.rate;
        any |= c->member[i];
    }
    return any;
}

// Keeps the contacts in the islands of the members.
static void keep_islands(const SpragRun *run, Collision *c)
{
    for (bool grown = true; grown;) {
        grown = false;
        for (int i = 0; i < c->count; i++)
            for (int j = 0; !c->member[i] && j < c->count; j++)
                if (c->member[j] && sprag_contact_problem_is_coupled(&run->problem, i, j))
                    c->member[i] = grown = true;
    }
    int kept = 0;
    for (int i = 0; i < c->count; i++) {
        if (!c->member[i])
            continue;
        c->contacts[kept] = c->contacts[i];
        c->landing[kept] = c->landing[i];
        c->sliding[kept++] = c->sliding[i];
    }
    c->count = kept;
}

static SpragStatus build(SpragRun *run, Collision *c)
{
    return sprag_system_build_active(run->system, run->t, run->y, run->y + run->n, c->count,
                                     c->contacts, c->sliding, &run->problem);
}

// Velocities take the place of accelerations in the problem.
static SpragStatus load_velocities(SpragRun *run, Collision *c)
{
    SpragSystemSample sample = {
        .gap_rate = c->rate, .slip = c->slip, .friction = c->friction, .response = c->response};
    SPRAG_TRY(sprag_system_sample(run->system, run->t, run->y, run->y + run->n, c->count,
                                  c->contacts, &sample));
    for (int i = 0; i < c->count; i++) {
        SpragConstraint *item = &run->problem.constraints[i];
        run->problem.b[item->row] = c->rate[i];
        item->friction_static = c->friction[2 * i];
        if (item->row_count > 1)
            run->problem.b[item->row + 1] = c->slip[i];
    }
    return SPRAG_OK;
}

// v⁺ = v + M⁻¹ Jᵀ P; the account takes what was lost, and what a belt gave.
static SpragStatus apply(SpragRun *run, const Collision *c, const SpragImpactResult *result)
{
    double before, after, potential, elastic;
    double *v = run->y + run->n;
    SPRAG_TRY(sprag_system_energy(run->system, run->t, run->y, v, &before, &potential, &elastic));
    for (int r = 0; r < run->problem.row_count; r++)
        for (int j = 0; j < run->n; j++)
            v[j] += c->impulse[r] * c->response[r * run->n + j];
    SPRAG_TRY(sprag_system_energy(run->system, run->t, run->y, v, &after, &potential, &elastic));
    run->impact_loss += result->energy_loss;
    run->impact_actuation += after - before + result->energy_loss;
    return SPRAG_OK;
}

// Modes after the collision: apart, sliding or at rest.
static void set_modes(SpragRun *run, const Collision *c)
{
    for (int i = 0; i < c->count; i++) {
        const SpragConstraint *item = &run->problem.constraints[i];
        SpragMode *mode = &run->mode[c->contacts[i]];
        run->fresh[c->contacts[i]] = true;
        double slip = item->row_count > 1 ? c->after[item->row + 1] : 0;
        if (c->after[item->row] > REBOUND * run->tolerances.rate)
            *mode = SPRAG_MODE_SEPARATE;
        else if (item->row_count == 1)
            *mode = SPRAG_MODE_CLOSED;
        else if (fabs(slip) <= run->tolerances.slip)
            *mode = SPRAG_MODE_STICK;
        else
            *mode = slip > 0 ? SPRAG_MODE_SLIDE_PLUS : SPRAG_MODE_SLIDE_MINUS;
    }
}

static SpragStatus collide(SpragRun *run, Collision *c, SpragRunOutcome *outcome)
{
    SpragImpactResult result;
    SPRAG_TRY(build(run, c));
    SPRAG_TRY(load_velocities(run, c));
    SPRAG_TRY(sprag_impact_plastic(run->impact, &run->problem, c->impulse, c->after, &result));
    if (!result.found && pilot_policy(run) == SPRAG_PARADOX_COMPLIANT)
        return pilot_soften(run, c->count, c->contacts, outcome);
    if (!result.found) {
        // possible only with moving boundaries: a belt that wedges a body (theory.md 11.2 needs u
        // in range J)
        SpragRunOutcome quiet = SPRAG_RUN_DONE;
        tell_event(run, SPRAG_EVENT_NO_SOLUTION, c->count == 1 ? c->contacts[0] : -1, &quiet,
                   "no impulses end this collision: a moving surface wedges the bodies");
        *outcome = SPRAG_RUN_NO_SOLUTION;
        return SPRAG_OK;
    }
    SPRAG_TRY(apply(run, c, &result));
    set_modes(run, c);
    for (int i = 0; i < c->count; i++) {
        if (!c->landing[i])
            continue;
        int row = run->problem.constraints[i].row;
        tell_event(run, SPRAG_EVENT_IMPACT, c->contacts[i], outcome,
                   "approach %.6g m/s, impulse %.6g N s, %.6g J lost in all (%s%s)", -c->rate[i],
                   c->impulse[row], result.energy_loss, sprag_impact_law_name(result.law),
                   result.solution_count > 1 ? ", several solutions: the one of least energy" : "");
    }
    return SPRAG_OK;
}

static bool any_left(const SpragRun *run)
{
    for (int slot = 0; slot < run->slots; slot++)
        if (run->left[slot])
            return true;
    return false;
}

// Whether the gap of an open contact ended the arc.
static bool gap_fired(const SpragRun *run, int slot)
{
    const Frozen *f = &run->frozen;
    for (int i = 0; run->started && i < f->function_count; i++)
        if (f->fired[i] && f->functions[i].kind == FUNCTION_GAP &&
            f->open[f->functions[i].index] == slot)
            return true;
    return false;
}

// Contacts that close without speed join with their slip.
static void land_softly(SpragRun *run, bool collided, SpragRunOutcome *outcome)
{
    for (int slot = 0; slot < run->slots; slot++) {
        const SpragContactKinematics *k = &run->kinematics[slot];
        // where a side ends the contact goes on; both sides see its drift in their own way
        double slow = (any_left(run) ? PASSING : 1) * run->tolerances.rate;
        // a gap that falls below zero while it opens hops by less than the error of projection
        bool hops = !collided && k->gap_rate > 0 && k->gap_rate < HOP * run->tolerances.rate &&
                    gap_fired(run, slot);
        if (run->compliant[slot] || run->mode[slot] != SPRAG_MODE_SEPARATE || !is_closed(run, k) ||
            (fabs(k->gap_rate) > slow && !hops))
            continue;
        bool limit = sprag_system_row_count(run->system, 1, &slot) == 1;
        run->mode[slot] = limit                                      ? SPRAG_MODE_CLOSED
                          : fabs(k->slip[0]) <= run->tolerances.slip ? SPRAG_MODE_STICK
                          : k->slip[0] > 0                           ? SPRAG_MODE_SLIDE_PLUS
                                                                     : SPRAG_MODE_SLIDE_MINUS;
        if (run->left[slot])
            continue; // the same pair goes on with another feature
        if (any_left(run)) {
            run->passed++;
            tell_event(run, SPRAG_EVENT_SURFACE, slot, outcome, "the contact passes onto %s",
                       sprag_system_contact_name(run->system, slot));
        } else if (run->started) {
            tell_event(run, SPRAG_EVENT_LANDING, slot, outcome, "closes without a jump");
        }
    }
}

SpragStatus collide_land(SpragRun *run, SpragRunOutcome *outcome)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    Collision c = {0};
    SPRAG_TRY(allocate(run, &c));
    SPRAG_TRY(sprag_system_kinematics(run->system, run->t, run->y, run->y + run->n,
                                      &run->tolerances, run->kinematics));
    gather(run, &c);
    bool collided = find_collision(run, &c);
    if (collided) {
        SPRAG_TRY(build(run, &c));
        keep_islands(run, &c);
        SPRAG_TRY(collide(run, &c, outcome));
        SPRAG_TRY(sprag_system_kinematics(run->system, run->t, run->y, run->y + run->n,
                                          &run->tolerances, run->kinematics));
    }
    land_softly(run, collided, outcome);
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}
