// motion_layers_enter.c: contacts on their way between the rigid model and their layers.
// Problem   contacts get depths, or lose them, at once: bodies have to be where these are
// Method    the M-smallest displacement (theory.md 8.6.2), which leaves the gaps of the other
//           closed contacts and pushes no open one in; its work is booked in run->change
#include <math.h>
#include <string.h>

#include "motion_private.h"

static bool is_closed(const SpragRun *run, int slot)
{
    return run->compliant[slot] ? run->touching[slot] : run->mode[slot] != SPRAG_MODE_SEPARATE;
}

// Contacts that a placement puts at gaps.
typedef struct Places {
    int count;
    int *slots;
    double *gaps;           // wanted
    bool *in;               // one a slot
    double *before, *after; // one a slot: gaps
} Places;

static SpragStatus places_begin(SpragRun *run, Places *p)
{
    size_t room = (size_t)run->slots + 1;
    p->count = 0;
    p->slots = sprag_arena_alloc(run->arena, 2 * room, sizeof *p->slots);
    p->in = sprag_arena_alloc(run->arena, room, sizeof *p->in);
    p->gaps = sprag_arena_alloc(run->arena, 3 * room, sizeof *p->gaps);
    if (!p->slots || !p->in || !p->gaps)
        return SPRAG_ERROR_MEMORY;
    p->before = p->gaps + room;
    p->after = p->before + room;
    for (int slot = 0; slot < run->slots; slot++) {
        p->in[slot] = is_closed(run, slot);
        if (!p->in[slot])
            continue;
        p->gaps[p->count] = (run->compliant[slot] ? -run->depth_state[slot] : 0) - run->shift[slot];
        p->slots[p->count++] = slot;
    }
    return SPRAG_OK;
}

static SpragStatus all_gaps(SpragRun *run, const Places *p, double *gaps)
{
    int *slots = p->slots + run->slots + 1;
    SpragSystemSample sample = {.gap = gaps};
    for (int slot = 0; slot < run->slots; slot++)
        slots[slot] = slot;
    return sprag_system_sample(run->system, run->t, run->y, run->y + run->m, run->slots, slots,
                               &sample);
}

// Open contacts that the placement has pushed into each other are among those that it must leave as
// they were. True: there are new ones.
static bool places_grow(const SpragRun *run, Places *p)
{
    bool grown = false;
    for (int slot = 0; slot < run->slots; slot++) {
        double least = fmin(p->before[slot], 0);
        if (p->in[slot] || sprag_system_contact_is_velocity_level(run->system, slot) ||
            !(p->after[slot] < least - MOTION_CLOSED * run->tolerances.gap))
            continue;
        p->gaps[p->count] = least;
        p->slots[p->count++] = slot;
        p->in[slot] = grown = true;
    }
    return grown;
}

static bool is_soft(const SpragRun *run, int slot)
{
    return run->compliant[slot] && run->depth_state[slot] > 0;
}

// Gaps of the contacts without depth alone, from where the bodies are.
static SpragStatus place_firm(SpragRun *run, Places *p)
{
    int firm = 0;
    double residual;
    for (int i = 0; i < p->count; i++) {
        if (is_soft(run, p->slots[i]))
            continue;
        p->gaps[firm] = p->gaps[i];
        p->slots[firm++] = p->slots[i];
    }
    p->count = firm;
    SPRAG_TRY(
        sprag_system_project_gaps(run->system, run->t, firm, p->slots, p->gaps, run->y, &residual));
    return all_gaps(run, p, p->after);
}

// Whether bodies are deeper in each other, clearly, than the deepest layer was to be, or in
// contacts that were open: what gaps that contradict each other have left of a place.
static bool is_lost(const SpragRun *run, const Places *p)
{
    const double far = 1.1;
    double wanted = 0, deepest = 0;
    for (int slot = 0; slot < run->slots; slot++) {
        if (sprag_system_contact_is_velocity_level(run->system, slot))
            continue;
        if (run->compliant[slot] && run->touching[slot]) {
            wanted = fmax(wanted, run->depth_state[slot]);
            deepest = fmax(deepest, -p->after[slot] - run->shift[slot]);
        } else if (p->after[slot] <
                   fmin(p->before[slot], 0) - MOTION_CLOSED * run->tolerances.gap) {
            return true;
        }
    }
    return deepest > far * wanted + MOTION_CLOSED * run->tolerances.gap;
}

// Gaps that the bodies cannot have together (two corners that meet on a floor, each with the depth
// of its force): those without depth are kept, and depths give way to those that there are; if need
// be to those at q, the place before.
static SpragStatus places_yield(SpragRun *run, Places *p, const double *q, double residual)
{
    SPRAG_TRY(all_gaps(run, p, p->after));
    if (residual > MOTION_CLOSED * run->tolerances.gap)
        SPRAG_TRY(place_firm(run, p));
    if (is_lost(run, p)) {
        memcpy(run->y, q, (size_t)run->m * sizeof *q);
        SPRAG_TRY(place_firm(run, p));
    }
    for (int slot = 0; slot < run->slots; slot++)
        if (run->compliant[slot] && run->touching[slot] &&
            fabs(p->after[slot] + run->depth_state[slot] + run->shift[slot]) >
                MOTION_CLOSED * run->tolerances.gap)
            run->depth_state[slot] = fmax(-p->after[slot] - run->shift[slot], 0);
    return SPRAG_OK;
}

SpragStatus layers_place(SpragRun *run)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    double residual;
    Places p;
    SPRAG_TRY(places_begin(run, &p));
    SPRAG_TRY(sprag_system_project_gaps(run->system, run->t, p.count, p.slots, p.gaps, run->y,
                                        &residual));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

SpragStatus layers_place_switched(SpragRun *run)
{
    enum { ROUNDS = 4 };
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    size_t bytes = (size_t)run->m * sizeof(double);
    double residual = 0, *q = sprag_arena_alloc(run->arena, (size_t)run->m + 1, sizeof *q);
    Places p;
    if (!q)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(places_begin(run, &p));
    SPRAG_TRY(all_gaps(run, &p, p.before));
    memcpy(q, run->y, bytes);
    for (int round = 0; round < ROUNDS; round++) {
        memcpy(run->y, q, bytes);
        SPRAG_TRY(sprag_system_project_gaps(run->system, run->t, p.count, p.slots, p.gaps, run->y,
                                            &residual));
        SPRAG_TRY(all_gaps(run, &p, p.after));
        if (!places_grow(run, &p))
            break;
    }
    SPRAG_TRY(places_yield(run, &p, q, residual));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// In equilibrium with a friction force.
static void start_shear(SpragRun *run, int slot, const double *force)
{
    for (int k = 0; k < run->tangents; k++)
        run->shear_state[run->tangents * slot + k] =
            force ? force[k] / run->layer[slot].tangential_stiffness : 0;
}

SpragStatus layers_enter(SpragRun *run, int count, const int *slots, const double *normal,
                         const double *tangential)
{
    double before, after;
    SPRAG_TRY(layers_define(run, count, slots));
    SPRAG_TRY(layers_whole_energy(run, &before));
    for (int i = 0; i < count; i++) {
        int slot = slots[i];
        bool smooth = sprag_friction_law_is_smooth(&run->law[slot]);
        if (modes_is_bearing(run, slot)) {
            bearing_offset(run, slot, run->pilot.slot[slot].start);
            continue;
        }
        run->touching[slot] = run->mode[slot] != SPRAG_MODE_SEPARATE;
        run->compliant[slot] = true;
        run->depth_state[slot] = normal ? sprag_layer_depth(&run->layer[slot], normal[i]) : 0;
        if (!smooth) // the deflection of bristles goes on
            start_shear(run, slot, tangential ? tangential + run->tangents * i : NULL);
    }
    SPRAG_TRY(layers_place_switched(run));
    SPRAG_TRY(bearings_soften(run, count, slots));
    SPRAG_TRY(layers_whole_energy(run, &after));
    run->change += before - after;
    modes_outdate(run);
    return SPRAG_OK;
}

// Velocities of the contacts that have become rigid and still press.
static SpragStatus stop_rates(SpragRun *run)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    int *slots = sprag_arena_alloc(run->arena, (size_t)run->slots + 1, sizeof *slots);
    bool *stick = sprag_arena_alloc(run->arena, (size_t)run->slots + 1, sizeof *stick);
    double residual;
    int count = 0;
    if (!slots || !stick)
        return SPRAG_ERROR_MEMORY;
    for (int slot = 0; slot < run->slots; slot++) {
        if (run->compliant[slot] || run->mode[slot] == SPRAG_MODE_SEPARATE)
            continue;
        stick[count] = modes_holds_slip(run, slot);
        slots[count++] = slot;
    }
    SPRAG_TRY(sprag_system_project_velocity(run->system, run->t, run->y, count, slots, stick,
                                            run->y + run->m, &residual));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

SpragStatus layers_leave(SpragRun *run, int count, const int *slots)
{
    double before, after;
    SPRAG_TRY(layers_whole_energy(run, &before));
    for (int i = 0; i < count; i++) {
        if (bearing_is_soft(run, slots[i]))
            bearing_harden(run, slots[i]);
        run->depth_state[slots[i]] = 0;
        if (run->touching[slots[i]])
            run->shift[slots[i]] = 0;
        if (!sprag_friction_law_is_smooth(&run->law[slots[i]]))
            layers_set_shear(run, slots[i], NULL, 0);
    }
    SPRAG_TRY(layers_place_switched(run));
    for (int i = 0; i < count; i++) {
        run->compliant[slots[i]] = run->touching[slots[i]] = false;
        run->stick_since[slots[i]] = -INFINITY;
    }
    SPRAG_TRY(stop_rates(run));
    SPRAG_TRY(layers_whole_energy(run, &after));
    run->change += before - after;
    modes_outdate(run);
    return SPRAG_OK;
}
