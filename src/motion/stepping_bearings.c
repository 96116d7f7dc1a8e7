// stepping_bearings.c: friction of joints in a step, theory.md 11.16.
// Problem   impulses |P_T| ≤ μ |P_N| of all bearings against the slips after the step, P_N those of
//           the joints' own rows in the same step
// Method    the step is solved with P_T given, which yields P_N and the slips; how both change with
//           P_T is a small matrix (rows of joints eliminated, contacts left out), on which P_T is
//           found by projected sweeps; then the step is solved again. Without contacts the second
//           time is the last
#include "stepping.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 24 };
// Changes of impulses below this part of the largest are none.
static const double SETTLED = 1e-9;

static int count_bearings(const Stepping *s)
{
    int count = 0;
    for (int i = 0; i < sprag_system_joint_contact_count(s->system); i++)
        count += sprag_system_contact_kind(s->system, i) == SPRAG_CONSTRAINT_BEARING;
    return count;
}

SpragStatus stepping_bearings_create(Stepping *s)
{
    int count = count_bearings(s), rows = 0, before = -1;
    if (count == 0)
        return SPRAG_OK;
    s->bearings = sprag_alloc(s->run->context, (size_t)count, sizeof *s->bearings);
    s->rubbing = sprag_alloc(s->run->context, (size_t)count, sizeof *s->rubbing);
    if (!s->bearings || !s->rubbing)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < sprag_system_joint_contact_count(s->system); i++) {
        if (sprag_system_contact_kind(s->system, i) != SPRAG_CONSTRAINT_BEARING)
            continue;
        int number = s->bearing_count++;
        StepBearing *b = &s->bearings[number];
        SpragRubbing *r = &s->rubbing[number];
        *b = (StepBearing){.contact = i, .joint = sprag_system_contact_joint(s->system, i)};
        *r = (SpragRubbing){.first = rows,
                            .normals = sprag_system_contact_normals(s->system, i),
                            .tangents = sprag_system_contact_tangents(s->system, i),
                            .shared = -1};
        // the sibling is the bearing before
        b->sibling = sprag_system_contact_shared(s->system, i) >= 0 ? number - 1 : -1;
        if (b->sibling >= 0)
            r->shared = r[-1].first + 1;
        // a second bearing of a joint has the normals behind those of the first
        if (b->joint == before)
            b->normal_row = b[-1].normal_row + r[-1].normals;
        before = b->joint;
        rows += r->normals + r->tangents;
    }
    size_t n = (size_t)s->run->n, room = (size_t)(rows * rows) + 2 * n + 2 * (size_t)rows;
    s->bearing_rows = rows;
    s->bearing_work = sprag_alloc(s->run->context, room, sizeof *s->bearing_work);
    return s->bearing_work ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

void stepping_bearings_destroy(Stepping *s)
{
    sprag_free(s->run->context, s->bearings);
    sprag_free(s->run->context, s->rubbing);
    sprag_free(s->run->context, s->bearing_work);
}

// ---- How slips and normal impulses follow -------------------------------------------------------

// Rows of the bearings at the begin of the step.
static SpragStatus look(Stepping *s, double *W)
{
    SpragRun *run = s->run;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    int *contacts = sprag_arena_alloc(run->arena, (size_t)s->bearing_count + 1, sizeof *contacts);
    if (!contacts)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < s->bearing_count; i++)
        contacts[i] = s->bearings[i].contact;
    SpragSystemSample sample = {.W = W};
    SPRAG_TRY(sprag_system_sample(s->system, run->t, run->y, run->y + run->m, s->bearing_count,
                                  contacts, &sample));
    sprag_arena_release(run->arena, mark);
    SPRAG_TRY(sprag_system_set_state(s->system, run->t, run->y, run->y + run->m));
    for (int i = 0; i < s->bearing_count; i++) {
        StepBearing *b = &s->bearings[i];
        SpragRubbing *r = &s->rubbing[i];
        SpragContactBlock block = {0};
        (void)sprag_system_contact_block(s->system, b->contact, INFINITY, &block);
        double slip = sprag_length(r->tangents, block.slip);
        r->friction = block.friction[slip > run->tolerances.slip ? 1 : 0];
        for (int k = 0; k < r->tangents; k++) {
            b->before[k] = block.slip[k];
            b->drift[k] = block.drift[r->normals + k];
            for (int side = 0; side < 2; side++)
                memcpy(b->tangent[k][side], block.rows[side][r->normals + k],
                       sizeof b->tangent[k][side]);
        }
        memcpy(b->body, block.body, sizeof b->body);
    }
    sprag_rubbing_sweep(s->bearing_rows, s->bearing_count, s->rubbing, W);
    return SPRAG_OK;
}

// ---- One solution -------------------------------------------------------------------------------

// velocity += factor M⁻¹ Tᵀ P_T of all bearings.
static void push_bearings(const Stepping *s, double factor, double *velocity)
{
    double inverse[MOST_BODY_SIZE * MOST_BODY_SIZE], push[MOST_BODY_SIZE];
    int m = s->m;
    for (int i = 0; i < s->bearing_count; i++)
        for (int side = 0; side < 2; side++) {
            const StepBearing *b = &s->bearings[i];
            const SpragRubbing *r = &s->rubbing[i];
            if (b->body[side] < 0 || sprag_length(r->tangents, r->impulse) == 0)
                continue;
            stepping_inertia(s, b->body[side], inverse);
            for (int e = 0; e < m; e++) {
                push[e] = factor * r->impulse[0] * b->tangent[0][side][e];
                for (int k = 1; k < r->tangents; k++)
                    push[e] += factor * r->impulse[k] * b->tangent[k][side][e];
            }
            for (int k = 0; k < m; k++)
                for (int e = 0; e < m; e++)
                    velocity[b->body[side] * m + k] += inverse[k * m + e] * push[e];
        }
}

// The impulse of row `row` of a joint in the step that was solved last.
static double joint_impulse(const Stepping *s, int joint, int row)
{
    for (int i = 0; i < s->sorted.count; i++) {
        if (!step_is_joint(&s->sorted, i))
            continue;
        int block = -1 - s->sorted.slot[i], first = block;
        if (s->joints[block].joint != joint)
            continue;
        while (first > 0 && s->joints[first - 1].joint == joint)
            first--;
        int at = row - (block - first) * s->d;
        if (at >= 0 && at < s->joints[block].rows)
            return s->sorted.impulse[s->d * i + at];
    }
    return 0;
}

// Slips and normal impulses behind the step.
static void read_step(Stepping *s)
{
    for (int i = 0; i < s->bearing_count; i++) {
        const StepBearing *b = &s->bearings[i];
        SpragRubbing *r = &s->rubbing[i];
        for (int e = 0; e < r->tangents; e++) {
            r->after[e] = b->drift[e];
            for (int side = 0; side < 2; side++)
                for (int k = 0; b->body[side] >= 0 && k < s->m; k++)
                    r->after[e] += b->tangent[e][side][k] * s->free[b->body[side] * s->m + k];
        }
        for (int k = 0; k < r->normals; k++)
            r->normal[k] = joint_impulse(s, b->joint, b->normal_row + k);
        if (b->sibling >= 0)
            r->normal[1] = s->rubbing[b->sibling].normal[1];
    }
}

// ---- Friction -----------------------------------------------------------------------------------

static SpragMode mode_of(const Stepping *s, const SpragRubbing *r, double h)
{
    double slow = fmax(s->run->tolerances.slip, 1e-6 * h * s->acceleration);
    if (sprag_length(r->tangents, r->after) <= slow)
        return SPRAG_MODE_STICK;
    if (r->tangents > 1)
        return SPRAG_MODE_SLIDE;
    return r->after[0] > 0 ? SPRAG_MODE_SLIDE_PLUS : SPRAG_MODE_SLIDE_MINUS;
}

SpragStatus stepping_rub(Stepping *s, double h)
{
    size_t n = (size_t)s->run->n, rows = (size_t)s->bearing_rows;
    double *W = s->bearing_work, *free = W + rows * rows, *mean = free + n;
    double *x = mean + n, *u = x + rows;
    if (s->bearing_count == 0) {
        SPRAG_TRY(stepping_sort(s, h));
        return stepping_solve(s);
    }
    SPRAG_TRY(look(s, W));
    memcpy(free, s->free, n * sizeof *free);
    memcpy(mean, s->mean, n * sizeof *mean);
    for (int i = 0; i < s->bearing_count; i++) // as much as in the last step, whatever that took
        for (int k = 0; k < s->rubbing[i].tangents; k++)
            s->rubbing[i].impulse[k] *= s->bearings[i].h > 0 ? h / s->bearings[i].h : 0;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        memcpy(s->free, free, n * sizeof *free);
        memcpy(s->mean, mean, n * sizeof *mean);
        push_bearings(s, 1, s->free);
        push_bearings(s, s->theta, s->mean);
        SPRAG_TRY(stepping_sort(s, h));
        SPRAG_TRY(stepping_solve(s));
        read_step(s);
        if (sprag_rubbing_solve((int)rows, s->bearing_count, s->rubbing, W, x, u) <= SETTLED)
            break;
        s->statistics.unsolved += round == MOST_ROUNDS - 1;
        for (int i = 0; round < MOST_ROUNDS - 1 && i < s->bearing_count; i++)
            for (int k = 0; k < s->rubbing[i].tangents; k++)
                s->rubbing[i].impulse[k] += x[s->rubbing[i].first + s->rubbing[i].normals + k];
        for (int i = 0; i < s->sorted.count; i++)
            if (step_is_joint(&s->sorted, i))
                stepping_joints_remember(s, i);
    }
    for (int i = 0; i < s->bearing_count; i++)
        s->bearings[i].h = h;
    return SPRAG_OK;
}

// ---- What is told -------------------------------------------------------------------------------

void stepping_bearings_account(Stepping *s)
{
    double *work = s->run->y + WORK_AT(s->run);
    for (int i = 0; i < s->bearing_count; i++) {
        const StepBearing *b = &s->bearings[i];
        const SpragRubbing *r = &s->rubbing[i];
        for (int k = 0; k < r->tangents; k++) {
            work[WORK_FRICTION] -= r->impulse[k] * (b->before[k] + r->after[k]) / 2;
            work[WORK_ACTUATION] -= r->impulse[k] * b->drift[k];
        }
    }
}

void stepping_bearings_tell(Stepping *s, double h, SpragRunOutcome *outcome)
{
    bool told = s->block_count <= STEPPING_BODIES && s->steps > 0;
    for (int i = 0; i < s->bearing_count; i++) {
        StepBearing *b = &s->bearings[i];
        SpragMode old = b->mode, now = mode_of(s, &s->rubbing[i], h);
        b->mode = now;
        if (!told || old == now)
            continue;
        if (now == SPRAG_MODE_STICK)
            tell_event(s->run, SPRAG_EVENT_STICK, b->contact, outcome, "was %s",
                       sprag_mode_name(old));
        else if (old == SPRAG_MODE_STICK)
            tell_event(s->run, SPRAG_EVENT_SLIP_START, b->contact, outcome, "%s",
                       sprag_mode_name(now));
        else
            tell_event(s->run, SPRAG_EVENT_SLIP_REVERSAL, b->contact, outcome, "from %s to %s",
                       sprag_mode_name(old), sprag_mode_name(now));
    }
}

// A vector along the tangents of a ball joint, in the world: its rows turn either body.
static SpragVec3 world_vector(const StepBearing *b, const double *along)
{
    int side = b->body[1] >= 0 ? 1 : 0;
    SpragVec3 sum = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        SpragVec3 axis = sprag_vec3_unit(sprag_vec3_of(b->tangent[k][side] + 3));
        sum = sprag_vec3_along(sum, side == 1 ? along[k] : -along[k], axis);
    }
    return sum;
}

void stepping_bearings_show(Stepping *s)
{
    for (int i = 0; i < s->bearing_count; i++) {
        const StepBearing *b = &s->bearings[i];
        const SpragRubbing *r = &s->rubbing[i];
        SpragRunContact *shown = &s->shown[b->contact];
        shown->gap = 0;
        shown->mode = b->mode;
        shown->friction = r->friction;
        shown->normal = b->h > 0 ? sprag_length(SPRAG_CONSTRAINT_WAYS, r->normal) / b->h : 0;
        for (int k = 0; k < r->tangents; k++)
            shown->tangentials[k] = b->h > 0 ? r->impulse[k] / b->h : 0;
        shown->tangential =
            r->tangents > 1 ? sprag_length(r->tangents, shown->tangentials) : shown->tangentials[0];
        for (int k = 0; k < r->tangents; k++)
            shown->slips[k] = r->after[k];
        shown->slip = r->tangents > 1 ? sprag_length(r->tangents, r->after) : r->after[0];
        if (r->tangents == 3) {
            shown->slip_vector = world_vector(b, r->after);
            shown->tangential_vector = world_vector(b, shown->tangentials);
        }
        shown->unique = true;
    }
}

bool stepping_bearings_rub(const Stepping *s, int contact, double *force)
{
    for (int i = 0; i < s->bearing_count; i++) {
        const SpragRubbing *r = &s->rubbing[i];
        double h = s->bearings[i].h > 0 ? s->bearings[i].h : INFINITY;
        if (s->bearings[i].contact != contact)
            continue;
        for (int k = 0; k < r->normals; k++)
            force[k] = 0;
        for (int k = 0; k < r->tangents; k++)
            force[r->normals + k] = r->impulse[k] / h;
        return true;
    }
    return false;
}
