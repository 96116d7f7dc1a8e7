// motion_tell.c: what a run tells its sink: samples, events, verdict intervals.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stepping.h"

const char *sprag_event_name(SpragEventType type)
{
    static const char *const names[] = {
#define NAME(name, text) text,
        SPRAG_EVENT_LIST(NAME)
#undef NAME
    };
    return names[type];
}

const char *sprag_event_label(const SpragEvent *event)
{
    return event->name[0] ? event->name : sprag_event_name(event->type);
}

// ---- Samples ------------------------------------------------------------------------------------

// A vector along the tangents of a slot, in the world.
static SpragVec3 world_vector(const SpragRun *run, int slot, const double *along)
{
    const SpragVec3 *tangent = run->kinematics[slot].tangent;
    SpragVec3 sum = sprag_vec3_along(sprag_vec3_scale(along[0], tangent[0]), along[1], tangent[1]);
    return sprag_system_contact_tangents(run->system, slot) < 3
               ? sum
               : sprag_vec3_along(sum, along[2], tangent[2]);
}

static void set_slip(SpragRun *run, int slot, const double *slip)
{
    SpragRunContact *contact = &run->contacts[slot];
    contact->slip = contact->slips[0] = slip[0];
    if (run->tangents == 1)
        return;
    memcpy(contact->slips, slip, sizeof contact->slips);
    contact->slip = modes_slip_size(run, slip);
    contact->slip_vector = world_vector(run, slot, slip);
}

// Friction of a joint; one that presses with a row of another, too, has its size from who knows it.
static void set_bearing(SpragRun *run, int slot, int rows, const double *force)
{
    SpragRunContact *contact = &run->contacts[slot];
    int normals = sprag_system_contact_normals(run->system, slot);
    // λN of one normal has its sign, of several there is a size only
    contact->normal = normals > 1 ? sprag_length(normals, force) : force[0];
    contact->tangential = force[normals];
    memcpy(contact->tangentials, force + normals, (size_t)(rows - normals) * sizeof *force);
    if (rows - normals > 1)
        contact->tangential = sprag_length(rows - normals, force + normals);
    if (rows - normals == 3)
        contact->tangential_vector = world_vector(run, slot, force + normals);
}

// Friction of a contact with so many rows.
static void set_tangential(SpragRun *run, int slot, int rows, const double *force)
{
    SpragRunContact *contact = &run->contacts[slot];
    if (modes_is_bearing(run, slot)) {
        set_bearing(run, slot, rows, force);
        return;
    }
    contact->tangential = contact->tangentials[0] = rows > 1 ? force[1] : 0;
    if (rows < 3)
        return;
    contact->tangentials[1] = force[2];
    contact->tangential = hypot(force[1], force[2]);
    contact->tangential_vector = world_vector(run, slot, force + 1);
}

// Of a bearing the size of its normals; tangents follow them.
static void set_forces(SpragRun *run, int slot, int rows, const double *force)
{
    SpragRunContact *contact = &run->contacts[slot];
    if (sprag_system_contact_kind(run->system, slot) != SPRAG_CONSTRAINT_BEARING) {
        // at the end of its arc a layer is continued smoothly; rigid contacts pull by rounding only
        double least = run->compliant[slot] ? INFINITY : 1e-12 * run->force_scale;
        bool none = force[0] < 0 && -force[0] < least;
        contact->normal = none ? 0 : force[0];
        set_tangential(run, slot, rows, none ? (const double[WAYS]){0} : force);
        return;
    }
    double real[SPRAG_CONSTRAINT_ROWS] = {0};
    memcpy(real, force, (size_t)rows * sizeof *real);
    sprag_system_bearing_forces(run->system, slot, real);
    set_bearing(run, slot, rows, real);
    contact->normal = fabs(contact->normal);
}

// Of a bearing that a row of its sibling presses too; force: all rows.
static void set_shared(SpragRun *run, int i, const double *force)
{
    if (run->frozen.sibling[i] >= 0)
        run->contacts[run->frozen.active[i]].normal = modes_pressure(run, i, force);
}

static void fill_open(SpragRun *run)
{
    for (int slot = 0; slot < run->slots; slot++) {
        const SpragContactKinematics *k = &run->kinematics[slot];
        run->contacts[slot] = (SpragRunContact){.gap = k->gap,
                                                .friction = k->friction_static,
                                                .mode = SPRAG_MODE_SEPARATE,
                                                .compliant = run->compliant[slot],
                                                .shift = run->shift[slot],
                                                .unique = true};
        if (isfinite(k->gap))
            set_slip(run, slot, k->slip);
    }
}

// Joints under the forces of contacts.
static SpragStatus tell_joints(SpragRun *run, double t, const double *y, int count,
                               const int *contacts, const double *force)
{
    run->sample.joints = run->joint_states;
    return run->joint_states ? sprag_system_joints(run->system, t, y, y + run->m, count, contacts,
                                                   force, run->joint_states)
                             : SPRAG_OK;
}

// Forces (rows) of dependent rows, which are not unique.
static SpragStatus tell_forces(SpragRun *run, double t, const double *y, const double *force)
{
    const Frozen *f = &run->frozen;
    for (int i = 0; i < f->active_count; i++) {
        SpragRunContact *contact = &run->contacts[f->active[i]];
        if (f->soft[i])
            continue;
        set_forces(run, f->active[i], f->rows[i], force + f->first[i]);
        set_shared(run, i, force);
        contact->unique = false;
    }
    return tell_joints(run, t, y, f->active_count, f->active, force);
}

// Where the mode has none by a rounding error.
static SpragStatus nearest(SpragRun *run, double t, const double *y)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    size_t rows = (size_t)run->frozen.row_count;
    double *force = sprag_arena_alloc(run->arena, rows + 1, sizeof *force);
    if (!force)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(modes_evaluate(run, t, y));
    SPRAG_TRY(margin_admissible(run, force));
    SPRAG_TRY(tell_forces(run, t, y, force));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// In space the representative takes long; where no cone limits it, it is the least force.
static SpragStatus tell_least(SpragRun *run, double t, const double *y, bool *told)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    size_t rows = (size_t)run->frozen.row_count;
    double *force = sprag_arena_alloc(run->arena, rows + 1, sizeof *force);
    if (!force)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(margin_least(run, force, told));
    if (*told)
        SPRAG_TRY(tell_forces(run, t, y, force));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// Forces of dependent rows: the representative of theory.md (14.4).
static SpragStatus representative(SpragRun *run, double t, const double *y)
{
    const SpragMotion *motion;
    bool told = false;
    if (run->tangents == 2)
        SPRAG_TRY(tell_least(run, t, y, &told));
    if (told)
        return SPRAG_OK;
    SPRAG_TRY(decide_forces(run, t, y, &motion));
    if (!motion) // at its end a mode is over by an error of the event's time
        return nearest(run, t, y);
    for (int i = 0; i < run->problem.constraint_count; i++) {
        const SpragConstraint *item = &run->problem.constraints[i];
        SpragRunContact *contact = &run->contacts[item->id];
        set_forces(run, item->id, item->row_count, motion->force + item->row);
        contact->unique = motion->force_dimension == 0;
    }
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    int count = run->problem.constraint_count;
    int *ids = sprag_arena_alloc(run->arena, (size_t)count + 1, sizeof *ids);
    if (!ids)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < count; i++)
        ids[i] = run->problem.constraints[i].id;
    SPRAG_TRY(tell_joints(run, t, y, count, ids, motion->force));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// Slips that Karnopp's law holds together.
static SpragStatus tell_held(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    bool any = false;
    for (int i = 0; f->dependent && i < f->active_count; i++)
        any |= karnopp_holds(run, i);
    if (!any)
        return SPRAG_OK;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    double *force = sprag_arena_alloc(run->arena, (size_t)f->row_count + 1, sizeof *force);
    if (!force)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(karnopp_share(run, force));
    for (int i = 0; i < f->active_count; i++)
        if (karnopp_holds(run, i))
            set_forces(run, f->active[i], f->rows[i], force + f->first[i]);
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

static SpragStatus fill_active(SpragRun *run, double t, const double *y)
{
    const Frozen *f = &run->frozen;
    if (f->active_count == 0)
        return tell_joints(run, t, y, 0, NULL, NULL);
    SPRAG_TRY(modes_evaluate(run, t, y));
    for (int i = 0; i < f->active_count; i++) {
        SpragRunContact *contact = &run->contacts[f->active[i]];
        contact->mode = run->mode[f->active[i]];
        contact->gap = run->now.gap[i];
        if (f->rows[i] > 1)
            set_slip(run, f->active[i], run->now.slip + run->slip_stride * i);
        else
            contact->slip = run->now.slip[run->slip_stride * i];
        set_forces(run, f->active[i], f->rows[i], run->now.force + f->first[i]);
        set_shared(run, i, run->now.force);
        contact->friction = run->now.friction[2 * i + (mode_slides(contact->mode) ? 1 : 0)];
        contact->shift = run->shift[f->active[i]];
        if (bearing_is_soft(run, f->active[i])) {
            contact->friction = bearing_friction(run, f->active[i], mode_slides(contact->mode));
            contact->depth = bearing_depth(run, t, y, f->active[i]);
            contact->compliant = true;
        }
        if (f->soft[i]) {
            contact->depth = fmax(y[f->depth_at[i]], 0);
            contact->gap = -y[f->depth_at[i]] - contact->shift;
        }
        // without friction no event watches the slip: its direction is read off here
        if (contact->mode != SPRAG_MODE_SEPARATE && f->rows[i] > 1 && contact->friction == 0)
            contact->mode = modes_of_slip(run, f->active[i], contact->slips);
    }
    SPRAG_TRY(tell_held(run));
    return f->dependent ? representative(run, t, y)
                        : tell_joints(run, t, y, f->active_count, f->active, run->now.force);
}

SpragStatus tell_fill(SpragRun *run, double t, const double *y)
{
    SpragRunSample *s = &run->sample;
    const double *work = y + run->m + run->n;
    SPRAG_TRY(
        sprag_system_kinematics(run->system, t, y, y + run->m, &run->tolerances, run->kinematics));
    fill_open(run);
    SPRAG_TRY(fill_active(run, t, y));
    SPRAG_TRY(sprag_system_energy(run->system, t, y, y + run->m, &s->energy.kinetic,
                                  &s->energy.potential, &s->energy.elastic));
    s->energy.elastic += layers_energy(run, y);
    s->energy.change = run->change, s->energy.placed = run->placed;
    s->energy.friction = work[WORK_FRICTION];
    s->energy.damping = work[WORK_DAMPING];
    s->energy.actuation = work[WORK_ACTUATION] + run->impact_actuation;
    s->energy.impact = run->impact_loss;
    s->t = t;
    s->q = y;
    s->v = y + run->m;
    s->contacts = run->contacts;
    s->verdict = run->interval.kind;
    s->solution_count = run->interval.solution_count;
    s->before_event = s->after_event = false;
    s->residual = 0;
    s->run = run;
    return SPRAG_OK;
}

SpragStatus tell_sample(SpragRun *run, double t, const double *y, bool before, bool after,
                        SpragRunOutcome *outcome)
{
    SpragRunSample *s = &run->sample;
    after |= run->struck && !before;
    run->struck &= before;
    // nobody listens, and the run goes on to a later sample
    if (after && !run->sink.sample && *outcome == SPRAG_RUN_DONE)
        return SPRAG_OK;
    SPRAG_TRY(tell_fill(run, t, y));
    s->before_event = before;
    s->after_event = after;
    if (run->sink.sample && *outcome == SPRAG_RUN_DONE && run->sink.sample(s, run->sink.user))
        *outcome = SPRAG_RUN_STOPPED;
    return SPRAG_OK;
}

// ---- Pieces -------------------------------------------------------------------------------------

void tell_piece(SpragRun *run, double from, double to, SpragRunOutcome *outcome)
{
    if (!run->sink.piece || *outcome != SPRAG_RUN_DONE || !(to > from))
        return;
    double told = run->sample.t;
    run->stopping = false;
    run->mark_count = run->marks_told = 0;
    run->piece_from = from;
    run->piece_to = to;
    run->in_piece = true;
    if (run->sink.piece(run, from, to, run->sink.user))
        *outcome = SPRAG_RUN_STOPPED;
    run->in_piece = false;
    run->sample.t = told; // what was probed was not told
}

SpragStatus sprag_run_probe(SpragRun *run, double t, const SpragRunSample **sample)
{
    *sample = NULL;
    if (!run->in_piece || !(t >= run->piece_from && t <= run->piece_to))
        return sprag_fail(run->context, SPRAG_ERROR_ARGUMENT,
                          "a probe at t = %.9g is outside of the piece that is told", t);
    if (run->stepping) {
        stepping_interpolate(run->stepping, t);
        SPRAG_TRY(stepping_fill(run->stepping, t, run->later, run->later + run->m));
    } else {
        SPRAG_TRY(arc_read(run, t, run->later));
        SPRAG_TRY(tell_fill(run, t, run->later));
    }
    *sample = &run->sample;
    return SPRAG_OK;
}

void sprag_run_stop(SpragRun *run, double t)
{
    if (!run->in_piece || !(t >= run->piece_from && t <= run->piece_to))
        return;
    run->stop_at = run->stopping ? fmin(run->stop_at, t) : t;
    run->stopping = true;
}

SpragStatus sprag_run_mark(SpragRun *run, double t)
{
    if (!run->in_piece || !(t >= run->piece_from && t <= run->piece_to) ||
        (run->mark_count > 0 && t < run->marks[run->mark_count - 1]))
        return sprag_fail(run->context, SPRAG_ERROR_ARGUMENT,
                          "a mark at t = %.9g is outside of the piece that is told, or before the "
                          "last one",
                          t);
    SPRAG_TRY(sprag_reserve(run->context, &run->marks, &run->mark_capacity, run->mark_count + 1,
                            sizeof *run->marks));
    run->marks[run->mark_count++] = t;
    return SPRAG_OK;
}

double tell_next_mark(const SpragRun *run)
{
    return run->marks_told < run->mark_count ? run->marks[run->marks_told] : INFINITY;
}

SpragStatus sprag_run_margin(SpragRun *run, int slot, double *change)
{
    const SpragRunSample *s = &run->sample;
    *change = NAN;
    if (run->stepping)
        return SPRAG_OK; // nobody has looked for other motions
    if (!s->q || slot >= run->slots || slot < SPRAG_ALL_CONTACTS)
        return sprag_fail(run->context, SPRAG_ERROR_ARGUMENT,
                          "a margin needs a sample and the number of a contact");
    return decide_margin(run, s->t, s->q, slot, change);
}

// ---- Events -------------------------------------------------------------------------------------

void tell_event(SpragRun *run, SpragEventType type, int contact, SpragRunOutcome *outcome,
                const char *format, ...)
{
    SpragEvent event = {.t = run->t, .type = type, .contact = contact, .impact = run->note};
    run->note.given = false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(event.detail, sizeof event.detail, format, arguments);
    va_end(arguments);
    run->statistics.events++;
    if (run->sink.event && run->sink.event(&event, run->sink.user) && *outcome == SPRAG_RUN_DONE)
        *outcome = SPRAG_RUN_STOPPED;
}

void tell_direction(const SpragRun *run, int slot, SpragMode mode, char *text, size_t size)
{
    const double *heading = run->heading + WAYS * slot;
    SpragVec3 d = world_vector(run, slot, heading);
    if (mode != SPRAG_MODE_SLIDE)
        snprintf(text, size, "%s", mode == SPRAG_MODE_SLIDE_PLUS ? "+" : "-");
    else if (sprag_vec3_norm(d) > 0)
        snprintf(text, size, "(%.4g, %.4g, %.4g)", d.x, d.y, d.z);
    else
        sprag_system_contact_tangents(run->system, slot) > 2
            ? snprintf(text, size, "(%.4g, %.4g, %.4g)", heading[0], heading[1], heading[2])
            : snprintf(text, size, "(%.4g, %.4g)", heading[0], heading[1]);
}

static void tell_change(SpragRun *run, int slot, SpragRunOutcome *outcome)
{
    SpragMode old = run->mode_before[slot], now = run->mode[slot];
    char from[64], to[64];
    if (run->compliant[slot]) {
        layers_tell_change(run, slot, outcome);
        return;
    }
    bool smooth = sprag_friction_law_is_smooth(&run->law[slot]);
    if (smooth && (old == SPRAG_MODE_STICK || now == SPRAG_MODE_STICK))
        return; // a slip that only now has a direction
    if (layers_only_bends(run, slot, old, now))
        return;
    bool taken_over = run->left[slot] && run->passed > 0;
    const double *d = run->heading + WAYS * slot, *before = run->heading_before + WAYS * slot;
    if (old == SPRAG_MODE_SLIDE && now == old &&
        d[0] * before[0] + d[1] * before[1] + d[2] * before[2] < 0) {
        tell_direction(run, slot, now, to, sizeof to);
        tell_event(run, SPRAG_EVENT_SLIP_TURN, slot, outcome, "through zero, towards %s", to);
    }
    if (old == now || old == SPRAG_MODE_SEPARATE || taken_over)
        return;
    if (now == SPRAG_MODE_SEPARATE)
        tell_event(run, SPRAG_EVENT_SEPARATION, slot, outcome, "was %s", sprag_mode_name(old));
    else if (now == SPRAG_MODE_STICK) {
        tell_direction(run, slot, old, from, sizeof from);
        tell_event(run, SPRAG_EVENT_STICK, slot, outcome, "slip %s ends", from);
    } else if (old == SPRAG_MODE_STICK) {
        tell_direction(run, slot, now, to, sizeof to);
        tell_event(run, SPRAG_EVENT_SLIP_START, slot, outcome, "towards %s", to);
    } else {
        tell_direction(run, slot, old, from, sizeof from);
        tell_direction(run, slot, now, to, sizeof to);
        tell_event(run, SPRAG_EVENT_SLIP_REVERSAL, slot, outcome, "from %s to %s", from, to);
    }
}

// Events for every contact whose mode differs from mode_before.
void tell_changes(SpragRun *run, SpragRunOutcome *outcome)
{
    for (int slot = 0; slot < run->slots; slot++)
        tell_change(run, slot, outcome);
}

// ---- Verdict intervals --------------------------------------------------------------------------

static void describe(const SpragRun *run, const Decision *decision, char *text, size_t size)
{
    bool soft = run->frozen.soft_count > 0 && decision->verdict.kind != SPRAG_VERDICT_OPEN;
    text[0] = 0;
    if (decision->taken < 0 && soft)
        snprintf(text, size, "compliant"); // no rigid motion has the modes of the layers
    if (decision->taken < 0)
        return;
    const SpragMotion *motion = decision->verdict.solutions[decision->taken].motion;
    size_t used = 0;
    for (int i = 0; i < run->problem.constraint_count && used + 16 < size; i++) {
        const char *name = sprag_mode_name(motion->modes[i]);
        size_t length = strlen(name);
        if (i)
            text[used++] = ' ';
        memcpy(text + used, name, length + 1);
        used += length;
    }
}

void tell_interval_end(SpragRun *run, double t, SpragRunOutcome *outcome)
{
    if (!run->interval_open)
        return;
    run->interval.to = t;
    if (run->sink.verdict && run->sink.verdict(&run->interval, run->sink.user) &&
        *outcome == SPRAG_RUN_DONE)
        *outcome = SPRAG_RUN_STOPPED;
    run->interval_open = false;
}

// Every change of every contact is an event, and a decision over all that are coupled.
static void warn_of_crawling(const SpragRun *run, char *reason, size_t size)
{
    enum { MANY = 64 };
    size_t used = strlen(reason);
    if (run->problem.constraint_count > MANY && used < size)
        snprintf(reason + used, size - used,
                 "; %d contacts are closed: motion by events crawls, time stepping is for so many",
                 run->problem.constraint_count);
}

void tell_verdict(SpragRun *run, double t, const Decision *decision, SpragRunOutcome *outcome)
{
    const SpragVerdict *verdict = &decision->verdict;
    Pilot *pilot = &run->pilot;
    char chosen[sizeof run->interval.chosen];
    pilot->kind = verdict->kind;
    pilot->solution_count = verdict->solution_count;
    pilot->stable_count = verdict->stable_count;
    if (pilot->interval)
        return; // the verdict that failed stands
    describe(run, decision, chosen, sizeof chosen);
    SpragRunVerdict *now = &run->interval;
    if (run->interval_open && now->kind == verdict->kind &&
        now->solution_count == verdict->solution_count &&
        now->stable_count == verdict->stable_count && strcmp(now->chosen, chosen) == 0)
        return;
    tell_interval_end(run, t, outcome);
    now->from = t;
    now->to = t;
    now->kind = verdict->kind;
    now->solution_count = verdict->solution_count;
    now->stable_count = verdict->stable_count;
    memcpy(now->chosen, chosen, sizeof chosen);
    memcpy(now->reason, verdict->reason, sizeof now->reason);
    warn_of_crawling(run, now->reason, sizeof now->reason);
    run->interval_open = true;
}
