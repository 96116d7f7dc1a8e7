// stepping_depth.c: steps that would end in deep overlaps are not taken as they are.
// Problem   rows are those of the begin of a step. Where bodies move by a good part of their
//           size in it, normals turn, corners pass each other and other features meet than the
//           rows tell: errors of second order in the way, theory.md 11.13. And what is hit may
//           go farther in the step than its speed before told, into bodies with which no contact
//           was listed.
// Method    the step is worked out. If that leaves two bodies deeper in each other than a small
//           part of the smaller one, half of it is taken in its place; if no contact was listed
//           for them, it is worked out again with the ways that were found. A few times at most.
//           Only pairs that can come so deep in one step are looked at: none in a pile that stands.
#include <math.h>
#include <string.h>

#include "stepping.h"

// Of the radius of the smaller body.
static const double PART_DEEP = 0.01;

// How deep two bodies may sink; INFINITY if they move too little to matter.
static double deepest_allowed(const Stepping *s, const int body[2])
{
    double radius = INFINITY, way = 0;
    for (int side = 0; side < 2; side++) {
        if (body[side] < 0)
            continue;
        radius = step_smaller(s->radius[body[side]], radius);
        way += s->kick[body[side]];
    }
    return PART_DEEP * radius < way ? PART_DEEP * radius : INFINITY;
}

// How deep two bodies may be pressed at the positions s->later; INFINITY if they cannot be deeper.
static double deep_from(const Stepping *s, const int body[2])
{
    if (body[0] == NOT_OF_BODIES)
        return INFINITY;
    double allowed = deepest_allowed(s, body);
    bool apart = !(allowed < INFINITY) || stepping_is_apart(s, s->later, body, -allowed);
    return apart ? INFINITY : allowed;
}

// s->later: where the centres of the bodies are at the end of the step.
static void shift_centres(Stepping *s)
{
    int size = step_position_size(s);
    for (int i = 0; i < s->block_count; i++)
        for (int k = 0; k < s->d; k++)
            s->later[i * size + k] = s->run->y[i * size + k] + s->later_v[i * s->m + k];
}

// s->later, with what the bodies have turned by, as the state of the system.
static SpragStatus place_later(Stepping *s, double h)
{
    SpragRun *run = s->run;
    memcpy(s->later, run->y, (size_t)run->m * sizeof *s->later);
    sprag_system_position_shift(s->system, s->later_v, s->later);
    sprag_system_position_normalise(s->system, s->later);
    return sprag_system_set_state(s->system, run->t + h, s->later, s->free);
}

// Whether contact i of balls, or of a ball and a plane, needs no look. One that was not listed has
// a gap of more than its bodies were to go. A plane that stands, and a ball that is not off the
// centre of its body, have the gap at the end that their row tells.
static bool is_harmless(const Stepping *s, int i, double allowed)
{
    const StepHot *hot = &s->hot[i];
    double more = 0;
    for (int side = 0; hot->round && !s->block_valid[i] && side < 2; side++) {
        int block = hot->ball.block[side];
        more += block >= 0 ? s->kick[block] - s->reach[block] : 0;
    }
    if (hot->round && !s->block_valid[i])
        return more <= 0;
    if (!hot->central || !hot->ball.slot.plane)
        return false;
    int own = hot->ball.slot.own, block = hot->ball.block[own];
    const double *row = s->blocks[i].rows[own][0];
    double way = block >= 0 ? step_product(s, row, s->later_v + block * s->m) : 0;
    return s->blocks[i].gap + way >= -allowed;
}

// Contacts that are near. Most bodies are too slow, or far enough apart: of their contacts nothing
// is read, and without others the state stays as it is (*placed).
static SpragStatus look_near(Stepping *s, double h, bool *placed, StepDepth *depth)
{
    for (int i = 0; s->has_left && i < s->near_count; i++)
        s->slots[s->near[i]].looked = s->steps;
    for (int i = 0; i < s->near_count && *depth == STEP_SOUND; i++) {
        double allowed = deep_from(s, s->near_body + 2 * i);
        if (!(allowed < INFINITY) || is_harmless(s, i, allowed))
            continue;
        if (!*placed)
            SPRAG_TRY(place_later(s, h));
        *placed = true;
        bool listed = s->block_valid[i];
        double begun = listed ? step_larger(-s->blocks[i].gap, 0) : 0;
        if (sprag_system_contact_depth(s->system, s->near[i]) > allowed + begun)
            *depth = listed ? STEP_DEEP : STEP_MISSED;
    }
    return SPRAG_OK;
}

// Contacts that are near on the ways that were found, and not on those that were looked along.
static SpragStatus look_beyond(Stepping *s, double h, StepDepth *depth)
{
    const int *near;
    int added;
    SPRAG_TRY(place_later(s, h));
    SPRAG_TRY(sprag_system_refresh(s->system, s->run->y, s->later, s->run->tolerances.gap, &added));
    if (sprag_system_contact_count(s->system) != s->slot_count)
        SPRAG_TRY(stepping_grow(s));
    SPRAG_TRY(sprag_system_set_state(s->system, s->run->t + h, s->later, s->free));
    int count = sprag_system_near(s->system, &near);
    for (int i = 0; i < count && *depth == STEP_SOUND; i++) {
        double allowed = deep_from(s, s->slot_body + 2 * near[i]);
        if (s->slots[near[i]].looked != s->steps && allowed < INFINITY &&
            sprag_system_contact_depth(s->system, near[i]) > allowed)
            *depth = STEP_MISSED;
    }
    return SPRAG_OK;
}

// Ways of the bodies in the step, and the farthest that one is off its way without contacts;
// s->later_v: their displacements. s->has_left: one leaves the chord along which contacts were
// looked for. Whether any goes far enough to matter.
static bool find_ways(Stepping *s, double h)
{
    bool far = s->has_left = false;
    double off[MOST_BODY_SIZE];
    for (int i = 0; i < s->block_count; i++) {
        for (int k = 0; k < s->m; k++) {
            int at = i * s->m + k;
            s->later_v[at] = h * s->mean[at] + s->shift[at];
            off[k] = s->later_v[at] - h * s->mean_free[at];
        }
        s->kick[i] = s->asleep[i] ? 0 : stepping_way(s, s->later_v + i * s->m, i);
        if (!isfinite(s->kick[i]))
            s->kick[i] = 0;
        // a ball that spins sinks nowhere
        far |= s->kick[i] > 0 &&
               2 * stepping_room_way(s, s->later_v + i * s->m, i) > PART_DEEP * s->smallest;
        double aside = s->kick[i] > 0 ? stepping_room_way(s, off, i) : 0;
        s->kick_way = step_larger(aside, s->kick_way);
        s->has_left |= aside > PART_DEEP * s->smallest && aside + s->stray[i] > s->fresh_way;
    }
    return far;
}

SpragStatus stepping_sinks(Stepping *s, double h, StepDepth *depth)
{
    SpragRun *run = s->run;
    *depth = STEP_SOUND;
    if (!find_ways(s, h)) {
        memset(s->kick, 0, (size_t)s->block_count * sizeof *s->kick);
        return SPRAG_OK;
    }
    bool placed = false;
    shift_centres(s);
    SPRAG_TRY(look_near(s, h, &placed, depth));
    if (*depth == STEP_SOUND && s->has_left) {
        placed = true;
        SPRAG_TRY(look_beyond(s, h, depth));
    }
    return placed ? sprag_system_set_state(s->system, run->t, run->y, run->y + run->m) : SPRAG_OK;
}
