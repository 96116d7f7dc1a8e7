// stepping_contacts.c: which contacts can act in a step, with their rows.
// Problem   a contact acts if its gap may close within the step. What comes near is found by the
//           broad phase on the way of the bodies; of those, gaps up to the way that both bodies may
//           make are taken into the problem with gap/(θ h) as the velocity that closes them, so
//           that nothing tunnels, theory.md (11.25).
// Rest      bodies that were put to rest are as fixed until something comes to them.
#include "stepping.h"

#include <math.h>
#include <string.h>

// Ways that bodies may make; the largest.
static double find_reach(Stepping *s, double h)
{
    double most = 0;
    const double *v = s->run->y + s->run->m;
    for (int i = 0; i < s->block_count; i++) {
        double speed =
            step_larger(stepping_way(s, v + i * s->m, i), stepping_way(s, s->free + i * s->m, i));
        s->reach[i] = s->asleep[i] ? 0 : step_larger(s->kick[i], h * (speed + h * s->acceleration));
        if (isfinite(s->reach[i]))
            most = step_larger(s->reach[i], most);
    }
    return most;
}

// Chords from q to where the bodies would be some steps from now; a fast one looks only a part of
// its size ahead.
static void find_chords(Stepping *s, double h)
{
    const double steps = 16, part = 0.5; // of a radius
    for (int i = 0; i < s->block_count; i++) {
        double *chord = s->chord + i * s->m, way = 0;
        for (int k = 0; k < s->m; k++) {
            chord[k] = k < s->d ? h * s->mean[i * s->m + k] : 0;
            way += chord[k] * chord[k];
        }
        double most = part * s->radius[i] / sqrt(way);
        double ahead = s->may_keep ? fmax(1, fmin(steps, most)) : 1;
        for (int k = 0; way > 0 && k < s->d; k++)
            chord[k] *= ahead;
    }
}

// Contacts on the chords of the bodies, which these leave by less than `way`. Some margin saves the
// next steps the search.
static SpragStatus refresh(Stepping *s, double h, double reach)
{
    const double least = 1e-3, margin = 20, part = 0.2; // of the size, of a reach, of a radius
    SpragRun *run = s->run;
    SpragContext *context = run->context;
    int added;
    double aside = fmax(least * s->size, 2 * h * h * s->acceleration);
    if (stepping_near_stands(s, h, aside))
        return SPRAG_OK;
    find_chords(s, h);
    memcpy(s->later, run->y, (size_t)run->m * sizeof *s->later);
    sprag_system_position_shift(s->system, s->chord, s->later);
    double way = fmax(fmin(reach, aside), fmin(margin * reach, part * s->smallest));
    way = fmax(way, s->kick_way);
    SPRAG_TRY(sprag_system_refresh(s->system, run->y, s->later, way, &added));
    if (sprag_system_contact_count(s->system) != s->slot_count)
        SPRAG_TRY(stepping_grow(s));
    SPRAG_TRY(stepping_near_keep(s, way));
    size_t count = (size_t)s->near_count + 1;
    SPRAG_TRY(sprag_reserve(context, &s->blocks, &s->block_capacity, count, sizeof *s->blocks));
    SPRAG_TRY(
        sprag_reserve(context, &s->block_valid, &s->valid_capacity, count, sizeof *s->block_valid));
    return sprag_reserve(context, &s->listed, &s->listed_capacity, count, sizeof *s->listed);
}

static bool is_awake(const Stepping *s, int block)
{
    return block >= 0 && !s->asleep[block];
}

// How far the gap of a row may fall in the step, whatever the joints do.
static double way_of_row(const Stepping *s, const SpragContactBlock *block)
{
    const double margin = 2;
    const double *v = s->run->y + s->run->m;
    double sum = fabs(block->drift[0]);
    for (int side = 0; side < 2; side++)
        for (int k = 0; block->body[side] >= 0 && k < s->m; k++) {
            int at = block->body[side] * s->m + k;
            sum += fabs(block->rows[side][0][k]) * fmax(fabs(v[at]), fabs(s->free[at]));
        }
    return margin * s->h_now * sum;
}

// The limit of a joint: a contact with one row. One that is far away is left out, like contacts
// are: the velocity that would close it in the step is none to measure residuals by.
static bool evaluate_limit(Stepping *s, int i)
{
    SpragContactBlock *block = &s->blocks[i];
    memset(block, 0, sizeof *block);
    if (sprag_system_contact_kind(s->system, s->near[i]) != SPRAG_CONSTRAINT_LIMIT ||
        !sprag_system_contact_block(s->system, s->near[i], INFINITY, block))
        return false;
    block->friction[0] = block->friction[1] = 0;
    if (block->gap > s->run->tolerances.gap + way_of_row(s, block))
        return false;
    return is_awake(s, block->body[0]) || is_awake(s, block->body[1]);
}

// Features that have passed each other tell of depths that the shapes do not have, along normals
// that would not part them.
static bool is_passed(const Stepping *s, int i, const int body[2])
{
    const double part = 0.01,
                 more = 1.5; // of the smaller body's radius; of the depth of the shapes
    double radius = INFINITY, depth = -s->blocks[i].gap;
    for (int side = 0; side < 2; side++)
        radius = body[side] >= 0 ? fmin(radius, s->radius[body[side]]) : radius;
    if (!(depth > part * radius))
        return false;
    double whole = sprag_system_contact_depth(s->system, s->near[i]);
    return depth > more * fmax(0, whole) + part * radius;
}

enum { CHUNK = 64 };

static SpragStatus evaluate_chunk(void *user, int chunk, StepWorker *worker)
{
    (void)worker;
    Stepping *s = user;
    int end = s->near_count < (chunk + 1) * CHUNK ? s->near_count : (chunk + 1) * CHUNK;
    double tolerance = s->run->tolerances.gap;
    for (int i = chunk * CHUNK; i < end; i++) {
        const int *body = s->near_body + 2 * i;
        s->block_valid[i] = false;
        if (body[0] == NOT_OF_BODIES) {
            s->block_valid[i] = evaluate_limit(s, i);
            continue;
        }
        if (!is_awake(s, body[0]) && !is_awake(s, body[1]))
            continue;
        double limit = tolerance;
        for (int side = 0; side < 2; side++)
            limit += body[side] >= 0 ? s->reach[body[side]] : 0;
        if (stepping_still_take(s, i, body, limit) || stepping_is_apart(s, s->run->y, body, limit))
            continue;
        // a little more than is wanted: what is farther need not be looked at again soon
        double asked = 2 * limit;
        if (s->hot[i].round)
            s->block_valid[i] =
                sprag_system_ball_block(s->system, &s->hot[i].ball, asked, &s->blocks[i]);
        else
            s->block_valid[i] =
                sprag_system_contact_block(s->system, s->near[i], asked, &s->blocks[i]) &&
                !is_passed(s, i, body);
        stepping_still_put(s, i, body, asked);
        s->block_valid[i] = s->block_valid[i] && s->blocks[i].gap <= limit;
    }
    return SPRAG_OK;
}

// Normal row times velocities.
static double normal_velocity(const Stepping *s, const SpragContactBlock *block, const double *v)
{
    double sum = block->drift[0];
    for (int side = 0; side < 2; side++)
        if (block->body[side] >= 0)
            sum += step_product(s, block->rows[side][0], v + block->body[side] * s->m);
    return sum;
}

// A sleeping body that something awake touches, or would touch in this step.
static bool wake_touched(Stepping *s, double h)
{
    bool woken = false;
    for (int i = 0; s->statistics.asleep > 0 && i < s->near_count; i++) {
        const SpragContactBlock *block = &s->blocks[i];
        if (!s->block_valid[i])
            continue;
        bool first = block->body[0] >= 0 && s->asleep[block->body[0]];
        bool second = block->body[1] >= 0 && s->asleep[block->body[1]];
        double end = block->gap + h * fmin(0, normal_velocity(s, block, s->mean));
        if ((!first && !second) || end > s->run->tolerances.gap)
            continue;
        stepping_wake(s, block->body[first ? 0 : 1]);
        woken = true;
    }
    return woken;
}

static SpragStatus evaluate_near(Stepping *s)
{
    return pool_run(s, evaluate_chunk, s, (s->near_count + CHUNK - 1) / CHUNK, s->near_count);
}

SpragStatus stepping_find(Stepping *s, double h)
{
    SpragRun *run = s->run;
    s->h_now = h;
    stepping_middle_begin(s, h);
    SPRAG_TRY(sprag_system_free_step(s->system, run->t, h, s->theta, run->y, s->v_before, s->free,
                                     s->mean));
    stepping_middle_free(s);
    for (int i = 0; i < s->block_count; i++) {
        if (!s->asleep[i])
            continue;
        memset(s->free + i * s->m, 0, (size_t)s->m * sizeof *s->free);
        memset(s->mean + i * s->m, 0, (size_t)s->m * sizeof *s->mean);
    }
    memcpy(s->mean_free, s->mean, (size_t)run->n * sizeof *s->mean);
    stepping_still_update(s);
    SPRAG_TRY(refresh(s, h, find_reach(s, h)));
    SPRAG_TRY(stepping_joints_begin(s, h));
    SPRAG_TRY(sprag_system_set_state(s->system, run->t, run->y, run->y + run->m));
    SPRAG_TRY(evaluate_near(s));
    if (wake_touched(s, h))
        return stepping_find(s, h); // fewer sleep each time
    s->listed_count = 0;
    for (int i = 0; i < s->near_count; i++)
        if (s->block_valid[i])
            s->listed[s->listed_count++] = i;
    return SPRAG_OK;
}
