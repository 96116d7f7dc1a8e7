// motion_collide.c: contacts that close.
// A gap that closes with speed is a collision (theory.md section 10): all closed contacts of the
// island take part, each with its law of restitution, and the record has the account of every one.
// A gap that closes without speed is a landing: nothing jumps.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "motion_private.h"

// Contacts that leave a collision slower than this many rate tolerances stay closed: rocking and
// bouncing come to an end instead of piling up events (theory.md 14.2).
static const double REBOUND = 1e2;
// Several bodies may rattle at such speeds without an end, each impact undone by another one. Where
// more than so many collisions happen within a part of the system's own time, speeds that count as
// slow double with every so many more, up to a limit.
static const double RATTLE_SPAN = 1e-3, RATTLE_MOST = 1e4;
enum { RATTLE_FREE = 200, RATTLE_DOUBLES = 25 };
// From so many collisions on slips that friction ends within LEAST_RISE gaps that event location
// tells from zero are none: gaps that open while they last are not seen, and close with a speed of
// their own that makes the next slip.
enum { RATTLE_SHORT = 20 };
// … unless that stops bodies that are so many times as fast: a lever.
static const double LEVER = 10;
// So do those that would rise by less than so many times the gap that event location tells from
// zero: they would come down before they have left.
static const double LEAST_RISE = 10;
// A contact that passes onto the next side may have this many rate tolerances.
static const double PASSING = 1e3;
// … and one that hops this many: it rises by about the square of their part of all speeds.
static const double HOP = 1e5;

// Approaches that are fast, in rate tolerances.
static const double TOGETHER = 1e3;

// Contacts that are closed now, or one island of them.
typedef struct Collision {
    int count;
    int *contacts; // slots
    int *island;
    bool *landing; // one a contact: it was open
    bool *sliding;
    bool *stick;
    bool *leaves; // parts with speed
    SpragImpactRule *rules;
    double *impulse, *after, *response;
    double *pull;       // rows: accelerations after the collision without any contact
    double before, now; // kinetic energy, J
} Collision;

// Memory for so many contacts.
static SpragStatus allocate(SpragRun *run, int count, Collision *c)
{
    size_t n = (size_t)count + 1, rows = SPRAG_CONSTRAINT_ROWS;
    c->contacts = sprag_arena_alloc(run->arena, n, sizeof *c->contacts);
    c->island = sprag_arena_alloc(run->arena, n, sizeof *c->island);
    c->landing = sprag_arena_alloc(run->arena, n, sizeof *c->landing);
    c->sliding = sprag_arena_alloc(run->arena, n, sizeof *c->sliding);
    c->stick = sprag_arena_alloc(run->arena, n, sizeof *c->stick);
    c->leaves = sprag_arena_alloc(run->arena, n, sizeof *c->leaves);
    c->rules = sprag_arena_alloc(run->arena, n, sizeof *c->rules);
    c->impulse = sprag_arena_alloc(run->arena, rows * n, sizeof(double));
    c->after = sprag_arena_alloc(run->arena, rows * n, sizeof(double));
    c->response = sprag_arena_alloc(run->arena, rows * n * (size_t)run->n, sizeof(double));
    c->pull = sprag_arena_alloc(run->arena, rows * n, sizeof(double));
    bool ok = c->pull && c->contacts && c->island && c->landing && c->sliding && c->stick &&
              c->leaves && c->rules && c->impulse && c->after && c->response;
    return ok ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// Gaps that close at the same event differ by rounding only. A wider margin would lift bodies
// whenever contacts take turns, and feed a rocking that never ends; at the start it is the scene's
// own.
static bool is_closed(const SpragRun *run, const SpragContactKinematics *k)
{
    // an event is located to four roundings of the time, in which a fast contact moves some way
    double clock = 8 * DBL_EPSILON * fabs(run->t) * fmax(-k->gap_rate, 0);
    // in space corners of a body that is turned by rounding arrive one after the other; those that
    // come fast come together
    bool together = run->tangents == 2 && -k->gap_rate > TOGETHER * run->tolerances.rate;
    return k->gap <= (run->started && !together ? MOTION_CLOSED : 1) * run->tolerances.gap + clock;
}

// Closed contacts, and open ones whose gap is closed now and not opening.
static bool takes_part(const SpragRun *run, int slot, bool *lands)
{
    const SpragContactKinematics *k = &run->kinematics[slot];
    bool open = run->mode[slot] == SPRAG_MODE_SEPARATE;
    *lands = open && is_closed(run, k) && k->gap_rate <= run->tolerances.rate;
    // a compliant one never collides
    return !run->compliant[slot] && (!open || *lands);
}

static SpragStatus gather(SpragRun *run, Collision *c)
{
    bool lands;
    int count = 0;
    for (int slot = 0; slot < run->slots; slot++)
        count += takes_part(run, slot, &lands);
    SPRAG_TRY(allocate(run, count, c));
    for (int slot = 0; slot < run->slots; slot++) {
        const SpragContactKinematics *k = &run->kinematics[slot];
        if (!takes_part(run, slot, &lands))
            continue;
        c->landing[c->count] = lands;
        c->sliding[c->count] = modes_slip_size(run, k->slip) > run->tolerances.slip;
        c->contacts[c->count++] = slot;
    }
    return SPRAG_OK;
}

// Whether contacts of an island (−1: of any) come together with speed.
static bool collides(const SpragRun *run, const Collision *c, int island)
{
    for (int i = 0; i < c->count; i++)
        if ((island < 0 || c->island[i] == island) && c->landing[i] &&
            run->kinematics[c->contacts[i]].gap_rate < -run->tolerances.rate)
            return true;
    return false;
}

// The contacts of one island, in the memory of `part`.
static void pick_island(const Collision *all, int island, Collision *part)
{
    part->count = 0;
    for (int i = 0; i < all->count; i++) {
        if (all->island[i] != island)
            continue;
        part->contacts[part->count] = all->contacts[i];
        part->landing[part->count] = all->landing[i];
        part->sliding[part->count++] = all->sliding[i];
    }
}

static SpragStatus build(SpragRun *run, Collision *c)
{
    SpragCollisionState state = {run->t, run->y, run->y + run->m, c->sliding};
    return sprag_collision_build(run->system, &state, c->count, c->contacts, &run->problem,
                                 c->rules);
}

// The least change of velocity is a plastic impact with friction as strong as need be: in the frame
// of the surfaces the energy of the change is lost, and what T changes beyond that a belt gave.
SpragStatus collide_stop(SpragRun *run, int count, const int *slots, const bool *stick)
{
    double before, after, loss, potential, elastic, residual, *v = run->y + run->m;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    double *change = sprag_arena_alloc(run->arena, (size_t)run->n + 1, sizeof *change);
    if (!change)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(collide_kinetic(run, &before));
    for (int i = 0; i < run->n; i++)
        change[i] = -v[i];
    SPRAG_TRY(sprag_system_project_velocity(run->system, run->t, run->y, count, slots, stick, v,
                                            &residual));
    for (int i = 0; i < run->n; i++)
        change[i] += v[i];
    SPRAG_TRY(
        sprag_system_energy(run->system, run->t, run->y, change, &loss, &potential, &elastic));
    SPRAG_TRY(collide_kinetic(run, &after));
    run->impact_loss += loss;
    run->impact_actuation += after - before + loss;
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// v⁺ = v + M⁻¹ Jᵀ P; the account takes what was lost, and what a belt gave.
static SpragStatus apply(SpragRun *run, Collision *c, const SpragCollisionResult *result)
{
    double *v = run->y + run->m;
    SpragSystemSample sample = {.response = c->response};
    SPRAG_TRY(sprag_system_sample(run->system, run->t, run->y, v, c->count, c->contacts, &sample));
    SPRAG_TRY(collide_kinetic(run, &c->before));
    for (int r = 0, n = run->n; r < run->problem.row_count; r++)
        for (int j = 0; j < n; j++)
            v[j] += c->impulse[r] * c->response[r * n + j];
    SPRAG_TRY(collide_end_rates(run, c->before, c->count, c->contacts, c->after));
    SPRAG_TRY(collide_kinetic(run, &c->now));
    run->impact_loss += result->energy_loss;
    run->impact_actuation += c->now - c->before + result->energy_loss;
    return SPRAG_OK;
}

// How much faster than usual speeds count as slow.
static double slowness(const SpragRun *run)
{
    int more = run->rattle_count - RATTLE_FREE;
    return more > 0 ? fmin(pow(2, (double)more / RATTLE_DOUBLES), RATTLE_MOST) : 1;
}

static void count_collision(SpragRun *run)
{
    double time = run->tolerances.gap / run->tolerances.rate;
    bool on = run->started && fabs(run->t - run->rattle_since) <= RATTLE_SPAN * time;
    run->rattle_count = on ? run->rattle_count + 1 : 0;
    run->rattle_since = on ? run->rattle_since : run->t;
}

// Whether a contact parts so fast that its flight can be seen under such an acceleration.
static bool is_seen(const SpragRun *run, double u, double pull)
{
    double slow = slowness(run), rise = LEAST_RISE * MOTION_CLOSED * run->tolerances.gap;
    return u > slow * REBOUND * run->tolerances.rate && !(u * u < -2 * pull * rise);
}

// Normal forces, without friction, of the contacts of a collision that are as good as closed, apart
// from contact i: those whose flight cannot be seen under the largest acceleration `fall`.
static void press_others(const SpragRun *run, const Collision *c, int i, double fall, double *force)
{
    enum { SWEEPS = 30 };
    const SpragContactProblem *problem = &run->problem;
    for (int k = 0; k < c->count; k++)
        force[k] = 0;
    for (int step = 0; step < SWEEPS * c->count; step++) {
        int j = step % c->count, row = problem->constraints[j].row;
        const double *w = problem->W + (size_t)row * (size_t)problem->row_count;
        if (j == i || problem->constraints[j].kind != SPRAG_CONSTRAINT_CONTACT ||
            is_seen(run, c->after[row], -fall) || !(w[row] > 0))
            continue;
        double a = c->pull[row];
        for (int k = 0; k < c->count; k++)
            a += w[problem->constraints[k].row] * force[k];
        force[j] = fmax(0, force[j] - a / w[row]);
    }
}

// Two bodies that fall together are not pulled onto each other, but they are where the lower one
// lies on the ground: a contact's acceleration while the others press.
static SpragStatus pull_beside_others(SpragRun *run, const Collision *c, int i, double fall,
                                      double *pull)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    int row = run->problem.constraints[i].row;
    double *force = sprag_arena_alloc(run->arena, (size_t)c->count + 1, sizeof *force);
    if (!force)
        return SPRAG_ERROR_MEMORY;
    press_others(run, c, i, fall, force);
    *pull = c->pull[row];
    for (int k = 0; k < c->count; k++)
        *pull += run->problem.W[row * run->problem.row_count + run->problem.constraints[k].row] *
                 force[k];
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// Whether a contact parts with a flight that can be seen.
static SpragStatus leaves(SpragRun *run, const Collision *c, int i, bool *yes)
{
    const SpragContactProblem *problem = &run->problem;
    double u = c->after[problem->constraints[i].row], fall = 0, pull;
    for (int k = 0; k < c->count; k++)
        fall = fmax(fall, -c->pull[problem->constraints[k].row]);
    *yes = is_seen(run, u, c->pull[problem->constraints[i].row]);
    if (!*yes || is_seen(run, u, -fall))
        return SPRAG_OK;
    SPRAG_TRY(pull_beside_others(run, c, i, fall, &pull));
    *yes = is_seen(run, u, pull);
    return SPRAG_OK;
}

// A slip that friction ends before it can be seen.
static double short_slip(const SpragRun *run, const Collision *c, double friction)
{
    double fall = 0, way = LEAST_RISE * MOTION_CLOSED * run->tolerances.gap;
    for (int k = 0; k < c->count; k++)
        fall = fmax(fall, -c->pull[run->problem.constraints[k].row]);
    return run->rattle_count > RATTLE_SHORT ? sqrt(2 * friction * fall * way) : 0;
}

// Modes after the collision: apart, sliding or at rest.
static SpragStatus set_modes(SpragRun *run, Collision *c)
{
    SpragSystemSample sample = {.b = c->pull};
    // slips that a rattling leaves may undo the next impact as departures do
    double slow = slowness(run), no_slip = run->tolerances.slip * (slow > 1 ? slow * REBOUND : 1);
    SPRAG_TRY(sprag_system_sample(run->system, run->t, run->y, run->y + run->m, c->count,
                                  c->contacts, &sample));
    for (int i = 0; i < c->count; i++) {
        const SpragConstraint *item = &run->problem.constraints[i];
        SpragMode *mode = &run->mode[c->contacts[i]];
        run->fresh[c->contacts[i]] = true;
        const double *slip = c->after + item->row + sprag_constraint_normals(item);
        bool bearing = item->kind == SPRAG_CONSTRAINT_BEARING;
        int tangents = item->row_count - sprag_constraint_normals(item);
        double size = tangents > 0 ? sprag_length(tangents, slip) : 0;
        double least = fmax(no_slip, short_slip(run, c, item->friction));
        c->stick[i] = item->row_count > 1 && size <= least;
        c->leaves[i] = false;
        if (!bearing)
            SPRAG_TRY(leaves(run, c, i, &c->leaves[i]));
        if (c->leaves[i])
            *mode = SPRAG_MODE_SEPARATE;
        else
            *mode = item->row_count == 1 ? SPRAG_MODE_CLOSED
                    : c->stick[i]        ? SPRAG_MODE_STICK
                                         : modes_of_slip(run, c->contacts[i], slip);
    }
    return SPRAG_OK;
}

// Largest speed of a point of a body that is not further from its origin than the scene is large.
static double fastest(const SpragRun *run, const double *v)
{
    double most = 0, length = 1e-3 * run->far;
    int size = run->tangents == 2 ? 6 : 3;
    for (int i = 0; sprag_system_model(run->system) && i + size <= run->n; i += size)
        for (int k = 0; k < size; k++)
            most = fmax(most, fabs(v[i + k]) * (k < (size == 6 ? 3 : 2) ? 1 : length));
    return most;
}

// Whether the contacts that stay closed can all be at rest in their normals, and bodies keep their
// velocities but for what slow departures have.
static SpragStatus can_rest(SpragRun *run, const Collision *c, bool *can)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    size_t n = (size_t)run->n, count = (size_t)c->count;
    int *slots = sprag_arena_alloc(run->arena, count + 1, sizeof *slots), kept = 0;
    bool *stick = sprag_arena_alloc(run->arena, count + 1, sizeof *stick);
    double *v = sprag_arena_alloc(run->arena, n + 1, sizeof *v), residual;
    if (!slots || !stick || !v)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < c->count; i++) {
        slots[kept] = c->contacts[i];
        stick[kept] = c->stick[i];
        kept += !c->leaves[i];
    }
    memcpy(v, run->y + run->m, n * sizeof *v);
    SPRAG_TRY(sprag_system_project_velocity(run->system, run->t, run->y, kept, slots, stick, v,
                                            &residual));
    for (size_t i = 0; i < n; i++)
        v[i] -= run->y[run->m + (int)i];
    *can = residual <= run->tolerances.rate &&
           fastest(run, v) <= LEVER * slowness(run) * REBOUND * run->tolerances.rate;
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// Whether a contact stays closed although it leaves faster than that. Not one of two that stand for
// one place: the next steps take it away.
static bool is_kept(const SpragRun *run, const Collision *c, int i, double speed)
{
    const SpragConstraint *item = &run->problem.constraints[i];
    return !c->leaves[i] && item->kind == SPRAG_CONSTRAINT_CONTACT && c->after[item->row] > speed &&
           !twins_stand(run, c->contacts[i]);
}

// The speed of the fastest of them.
static double fastest_kept(const SpragRun *run, const Collision *c)
{
    double most = run->tolerances.rate;
    for (int i = 0; i < c->count; i++)
        if (is_kept(run, c, i, most))
            most = c->after[run->problem.constraints[i].row];
    return most;
}

static void let_go(SpragRun *run, Collision *c, double least)
{
    for (int i = 0; i < c->count; i++)
        if (is_kept(run, c, i, least)) {
            c->leaves[i] = true;
            run->mode[c->contacts[i]] = SPRAG_MODE_SEPARATE;
        }
}

// A contact close to the pivot of a body that turns leaves slowly. To keep it closed would stop the
// turn, or push the pivot into its surface, which then collides again, without an end. The fastest
// go first, corners of one edge together: where they are gone the others may well stay.
static SpragStatus let_levers_go(SpragRun *run, Collision *c)
{
    bool can = false;
    double most = fastest_kept(run, c);
    while (!can && most > run->tolerances.rate) {
        SPRAG_TRY(can_rest(run, c, &can));
        if (!can)
            let_go(run, c, fmax(run->tolerances.rate, most / 2));
        most = fastest_kept(run, c);
    }
    return SPRAG_OK;
}

// ---- What is told -------------------------------------------------------------------------------

static void add_loss(SpragImpactLoss *to, const SpragImpactLoss *loss)
{
    to->normal_compression += loss->normal_compression;
    to->normal_restitution += loss->normal_restitution;
    to->tangential_compression += loss->tangential_compression;
    to->tangential_restitution += loss->tangential_restitution;
}

static SpragImpactNote note_of(const SpragRun *run, const Collision *c, int i,
                               const SpragCollisionResult *result)
{
    const SpragConstraint *item = &run->problem.constraints[i];
    SpragImpactNote note = {.given = true,
                            .law = c->rules[i].law,
                            .e = c->rules[i].e,
                            .kind = result->contacts[i].kind,
                            .loss = result->contacts[i].loss,
                            .energy_before = c->before,
                            .energy_after = c->now};
    // joints that rub have more rows, and no note is told of them
    for (int k = 0; k < item->row_count && k < (int)(sizeof note.after / sizeof *note.after); k++) {
        note.velocity[k] = run->problem.b[item->row + k];
        note.after[k] = c->after[item->row + k];
        note.impulse[k] = c->impulse[item->row + k];
    }
    return note;
}

// How the collision was resolved, in words.
static void describe(const SpragCollisionResult *result, const SpragImpactNote *note, char *text,
                     size_t size)
{
    bool one = note->kind != SPRAG_IMPACT_NONE;
    int used = snprintf(text, size, "%s", sprag_impact_law_name(result->law));
    if (one && note->e > 0)
        used = snprintf(text, size, "%s, e = %.4g: %s", sprag_restitution_law_name(note->law),
                        note->e, sprag_impact_case_name(note->kind));
    else if (note->e > 0)
        used = snprintf(text, size, "%s, e = %.4g", sprag_impact_law_name(result->law), note->e);
    if (result->solution_count > 1 && used >= 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ", several solutions: the one of least energy");
}

// Contacts that closed at this event and have a part in the collision; those that merely touch have
// none.
static bool is_told(const SpragRun *run, const Collision *c, int i)
{
    int row = run->problem.constraints[i].row;
    return c->landing[i] && (c->impulse[row] > 0 || run->problem.b[row] < -run->tolerances.rate);
}

bool contact_turns(const SpragRun *run, int contact)
{
    int joint = sprag_system_contact_joint(run->system, contact);
    if (joint < 0)
        return false;
    SpragJointKind kind = sprag_system_model(run->system)->joints[joint].kind;
    return kind != SPRAG_JOINT_PRISMATIC && kind != SPRAG_JOINT_DISTANCE;
}

static void tell_impacts(SpragRun *run, const Collision *c, const SpragCollisionResult *result,
                         SpragRunOutcome *outcome)
{
    SpragImpactLoss others = {0};
    // rounding is no gain
    bool gains = result->energy_loss < -1e-12 * c->before, first = true;
    for (int i = 0; i < c->count; i++)
        if (!is_told(run, c, i))
            add_loss(&others, &result->contacts[i].loss);
    for (int i = 0; i < c->count; i++) {
        if (!is_told(run, c, i))
            continue;
        char how[128];
        SpragImpactNote note = note_of(run, c, i, result);
        if (first)
            note.others = others;
        if (first && gains)
            note.energy_gain = -result->energy_loss;
        describe(result, &note, how, sizeof how);
        run->note = note;
        bool turns = contact_turns(run, c->contacts[i]);
        tell_event(run, SPRAG_EVENT_IMPACT, c->contacts[i], outcome,
                   "approach %.6g %s/s, impulse %.6g N%s s, %.6g J lost in all (%s)%s",
                   -note.velocity[0], turns ? "rad" : "m", note.impulse[0], turns ? " m" : "",
                   result->energy_loss, how,
                   gains ? "; WARNING: this law of restitution made energy" : "");
        first = false;
    }
}

// ---- Bounces that end ---------------------------------------------------------------------------

// Closes every contact of the collision: what is left of their motion apart goes, and is booked.
static SpragStatus close_all(SpragRun *run, Collision *c)
{
    SPRAG_TRY(collide_stop(run, c->count, c->contacts, c->stick));
    for (int i = 0; i < c->count; i++) {
        const SpragConstraint *item = &run->problem.constraints[i];
        if (!c->leaves[i])
            continue;
        run->mode[c->contacts[i]] =
            item->row_count == 1
                ? SPRAG_MODE_CLOSED
                : modes_of_slip(run, c->contacts[i],
                                c->after + item->row + sprag_constraint_normals(item));
    }
    return SPRAG_OK;
}

// Contacts that leave tell their departures; if the impacts of all of them accumulate, they close.
static SpragStatus end_bounces(SpragRun *run, Collision *c, SpragRunOutcome *outcome)
{
    bool any = false, all = true;
    double latest = run->t, least = 1e-3 * run->tolerances.rate;
    for (int i = 0; i < c->count; i++) {
        double at, speed = c->after[run->problem.constraints[i].row];
        if (!c->leaves[i] && !(speed > least && c->rules[i].e > 0))
            continue;
        bool ends = zeno_depart(run, c->contacts[i], speed, &at);
        latest = fmax(latest, at);
        any = true;
        all &= ends || !c->leaves[i];
    }
    if (!any || !all)
        return SPRAG_OK;
    SPRAG_TRY(close_all(run, c));
    for (int i = 0; i < c->count; i++)
        if (run->bounces[c->contacts[i]].count > 1 && run->bounces[c->contacts[i]].t[0] == run->t)
            zeno_close(run, c->contacts[i], latest, outcome);
    return SPRAG_OK;
}

static SpragStatus collide(SpragRun *run, Collision *c, SpragRunOutcome *outcome)
{
    SpragCollisionResult result;
    count_collision(run);
    SPRAG_TRY(build(run, c));
    sprag_collision_rule(run->settings.impacts, c->count, c->rules);
    SpragStatus status = sprag_impact_collide(run->impact, &run->problem, c->rules,
                                              run->settings.impacts, c->impulse, c->after, &result);
    if (status == SPRAG_INTERRUPTED) {
        *outcome = SPRAG_RUN_INTERRUPTED;
        return SPRAG_OK;
    }
    SPRAG_TRY(status);
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
    SPRAG_TRY(set_modes(run, c));
    SPRAG_TRY(let_levers_go(run, c));
    double jolt = 0;
    for (int i = 0; i < c->count; i++)
        jolt = fmax(jolt, c->impulse[run->problem.constraints[i].row]);
    for (int i = 0; i < c->count; i++)
        SPRAG_TRY(pilot_jolt(run, c->contacts[i], jolt));
    tell_impacts(run, c, &result, outcome);
    return end_bounces(run, c, outcome);
}

// Islands do not know of each other: each has a collision of its own.
static SpragStatus collide_islands(SpragRun *run, Collision *all, SpragRunOutcome *outcome)
{
    Collision part = {0};
    SPRAG_TRY(allocate(run, all->count, &part));
    SPRAG_TRY(build(run, all));
    sprag_collision_islands(&run->problem, all->island);
    for (int island = 0; island < all->count && *outcome == SPRAG_RUN_DONE; island++) {
        if (!collides(run, all, island))
            continue;
        pick_island(all, island, &part);
        SPRAG_TRY(collide(run, &part, outcome));
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
            (fabs(k->gap_rate) > slow && !hops) || twins_stand(run, slot))
            continue;
        bool limit = sprag_system_row_count(run->system, 1, &slot) == 1;
        run->mode[slot] = limit ? SPRAG_MODE_CLOSED : modes_of_slip(run, slot, k->slip);
        if (run->left[slot])
            continue; // the same pair goes on with another feature
        if (any_left(run)) {
            run->passed++;
            tell_event(run, SPRAG_EVENT_SURFACE, slot, outcome, "the contact passes onto %s",
                       sprag_system_contact_name(run->system, slot));
        } else if (run->started && !overlap_passes(run, slot)) {
            tell_event(run, SPRAG_EVENT_LANDING, slot, outcome, "closes without a jump");
        }
    }
}

// A side ends where the next one has taken its vertex over already.
static void tell_passing(SpragRun *run, SpragRunOutcome *outcome)
{
    for (int slot = 0; slot < run->slots; slot++)
        for (int i = 0; run->left[slot] && !run->compliant[slot] && i < run->slots; i++) {
            if (run->compliant[i] || run->mode[i] == SPRAG_MODE_SEPARATE ||
                run->mode_before[i] == SPRAG_MODE_SEPARATE || !overlap_continues(run, slot, i))
                continue;
            run->passed++;
            tell_event(run, SPRAG_EVENT_SURFACE, i, outcome, "the contact passes onto %s",
                       sprag_system_contact_name(run->system, i));
            break;
        }
}

// Contacts that close where others are closed already take their place.
static void replace_twins(SpragRun *run)
{
    bool lands;
    for (int slot = 0; slot < run->slots; slot++)
        if (takes_part(run, slot, &lands) && lands)
            twins_leave(run, slot);
}

// The state before an impact at the start: no arc has begun, and nobody has asked for a verdict.
static SpragStatus tell_start(SpragRun *run, SpragRunOutcome *outcome)
{
    run->frozen.active_count = 0;
    run->interval.kind = SPRAG_VERDICT_UNKNOWN;
    run->interval.solution_count = 0;
    SPRAG_TRY(tell_sample(run, run->t, run->y, true, false, outcome));
    run->struck = true;
    return SPRAG_OK;
}

SpragStatus collide_land(SpragRun *run, SpragRunOutcome *outcome)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    Collision c = {0};
    SPRAG_TRY(sprag_system_kinematics(run->system, run->t, run->y, run->y + run->m,
                                      &run->tolerances, run->kinematics));
    replace_twins(run);
    SPRAG_TRY(gather(run, &c));
    bool collided = collides(run, &c, -1);
    if (collided) {
        if (!run->started)
            SPRAG_TRY(tell_start(run, outcome));
        SPRAG_TRY(collide_islands(run, &c, outcome));
        SPRAG_TRY(sprag_system_kinematics(run->system, run->t, run->y, run->y + run->m,
                                          &run->tolerances, run->kinematics));
    }
    land_softly(run, collided, outcome);
    tell_passing(run, outcome);
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}
