// motion_layers_settle.c: contacts that rest or slide at the start of a run lie in their layers.
// Problem   what is set down stays: theory.md (14.15), island by island of the closed contacts;
// what
//           slides keeps its height: (14.19)
// Method    forces from motion_layers_static.c give depths and shears, and the bodies move to them
//           by the M-smallest displacement, as where the pilot switches (8.6.2). That turns them a
//           little, so the whole is repeated there.
// Result    an island in which a contact comes or parts, or must slip, starts as it is given, and
// so
//           does one with joints that rub; all do where features deep in each other are others
//           than those that touched, and energy would be given for nothing
#include <math.h>
#include <string.h>

#include "motion_layers_static.h"

enum { ROUNDS = 20 };
// Depths that change by less than this part of the largest are found.
static const double FOUND = 1e-13;
// Accelerations of contacts that rest, relative to the largest that makes them up.
static const double BALANCED = 1e-3;

// Whether a slot slips: what Karnopp's law holds does not, and bristles first have to bend.
static bool slips(const SpragRun *run, int slot)
{
    const SpragFrictionLaw *law = &run->law[slot];
    double slip = modes_slip_size(run, run->kinematics[slot].slip);
    return slip > run->tolerances.slip && sprag_system_row_count(run->system, 1, &slot) > 1 &&
           !(law->kind == SPRAG_FRICTION_KARNOPP && slip <= law->speed);
}

// Whether a slot is closed and nothing moves there but a slip that can go on.
static bool rests(const SpragRun *run, int slot)
{
    const SpragContactKinematics *k = &run->kinematics[slot];
    bool moves = modes_slip_size(run, k->slip) > run->tolerances.slip;
    return fabs(k->gap) <= run->tolerances.gap && fabs(k->gap_rate) <= run->tolerances.rate &&
           (!moves || (slips(run, slot) && run->compliant[slot] &&
                       !sprag_friction_law_has_state(&run->law[slot])));
}

// Friction of a slot that slips, over its normal force.
static void find_drag(const SpragRun *run, int slot, const SpragFrictionNumbers *numbers,
                      double *drag)
{
    const double *slip = run->kinematics[slot].slip;
    double speed = modes_slip_size(run, slip);
    double mu = sprag_friction_law_steady(&run->law[slot], numbers, speed);
    for (int k = 0; k < run->tangents; k++)
        drag[k] = -mu * slip[k] / speed;
}

static bool holds_slip(const SpragRun *run, int slot)
{
    const SpragFrictionLaw *law = &run->law[slot];
    return sprag_system_row_count(run->system, 1, &slot) > 1 &&
           (!sprag_friction_law_is_smooth(law) || sprag_friction_law_has_state(law));
}

// ---- Islands at rest ----------------------------------------------------------------------------

// Depth and shear of a contact from the forces found.
static void settle(SpragRun *run, const StaticIsland *s, int r)
{
    int slot = s->slots[s->row[r].contact];
    const SpragFrictionLaw *law = &run->law[slot];
    double per_force = 0, normal = s->force[r];
    if (!run->compliant[slot])
        return;
    // bodies that lean on other contacts may leave one
    run->touching[slot] = normal > 0;
    run->mode[slot] = !run->touching[slot]                                 ? SPRAG_MODE_SEPARATE
                      : sprag_system_row_count(run->system, 1, &slot) == 1 ? SPRAG_MODE_CLOSED
                                                                           : SPRAG_MODE_STICK;
    run->depth_state[slot] = fmax(-s->d[r], 0);
    layers_set_shear(run, slot, NULL, 0);
    if (run->touching[slot] && slips(run, slot)) {
        layers_slide_along(run, slot, run->kinematics[slot].slip, 1);
        if (law->kind == SPRAG_FRICTION_COULOMB)
            layers_set_shear(run, slot, s->drag + 2 * s->row[r].contact,
                             normal / run->layer[slot].tangential_stiffness);
        return;
    }
    if (r + 1 == s->rows || s->row[r + 1].tangent < 0)
        return;
    if (law->kind == SPRAG_FRICTION_COULOMB)
        per_force = 1 / run->layer[slot].tangential_stiffness;
    else if (sprag_friction_law_has_state(law) && normal > 0)
        per_force = -1 / (law->stiffness * normal); // bristles, theory.md (7.7)
    layers_set_shear(run, slot, s->force + r + 1, per_force);
}

static SpragStatus settle_island(SpragRun *run, int count, const int *slots, bool *settled)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    int all = sprag_system_row_count(run->system, count, slots);
    size_t rows = (size_t)all;
    StaticIsland s = {.count = count, .slots = slots};
    double *W = sprag_arena_alloc(run->arena, rows * rows + 1, sizeof *W);
    double *b = sprag_arena_alloc(run->arena, rows + 1, sizeof *b);
    double *drag = sprag_arena_alloc(run->arena, 2 * (size_t)count + 1, sizeof *drag);
    SpragFrictionNumbers *numbers =
        sprag_arena_alloc(run->arena, (size_t)count + 1, sizeof *numbers);
    if (!W || !b || !drag || !numbers || !static_alloc(run, &s, rows))
        return SPRAG_ERROR_MEMORY;
    SpragSystemSample sample = {.W = W, .b = b, .numbers = numbers};
    SPRAG_TRY(
        sprag_system_sample(run->system, run->t, run->y, run->y + run->m, count, slots, &sample));
    s.drag = drag;
    for (int i = 0; i < count; i++) {
        bool slides = slips(run, slots[i]);
        s.friction[i] = holds_slip(run, slots[i]) && !slides
                            ? sprag_friction_law_holds(&run->law[slots[i]], &numbers[i])
                            : 0;
        drag[2 * i] = drag[2 * i + 1] = 0;
        if (slides)
            find_drag(run, slots[i], &numbers[i], drag + 2 * i);
    }
    *settled = static_solve(run, &s, W, b, all);
    for (int r = 0; r < s.rows && *settled; r++)
        if (s.row[r].tangent < 0)
            settle(run, &s, r);
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// Whether layers and all that is closed beside them rest, unpressed.
static bool may_settle(const SpragRun *run, int count, const int *slots, bool again)
{
    bool soft = false;
    for (int i = 0; i < count; i++) {
        int slot = slots[i];
        if (modes_is_bearing(run, slot) ||
            sprag_system_contact_is_velocity_level(run->system, slot) ||
            sprag_system_contact_normals(run->system, slot) != 1 ||
            !(again || (rests(run, slot) && run->depth_state[slot] == 0 && run->shift[slot] == 0)))
            return false;
        soft |= run->compliant[slot];
    }
    return soft;
}

// Goes through the islands of `slots`, and keeps in *count those whose contacts have settled.
static SpragStatus settle_all(SpragRun *run, int *slots, int *count, bool again)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    size_t room = (size_t)*count + 1;
    int *island = sprag_arena_alloc(run->arena, room, sizeof *island), left = *count, kept = 0;
    int *keep = sprag_arena_alloc(run->arena, room, sizeof *keep);
    bool *in = sprag_arena_alloc(run->arena, room, sizeof *in);
    if (!island || !keep || !in)
        return SPRAG_ERROR_MEMORY;
    while (left > 0) {
        int taken = 0, others = 0;
        bool settled = false;
        SPRAG_TRY(layers_mark_island(run, left, slots, in));
        for (int i = 0; i < left; i++)
            *(in[i] ? &island[taken++] : &slots[others++]) = slots[i];
        if (may_settle(run, taken, island, again))
            SPRAG_TRY(settle_island(run, taken, island, &settled));
        for (int i = 0; i < taken && settled; i++)
            keep[kept++] = island[i];
        left = others;
    }
    memcpy(slots, keep, (size_t)kept * sizeof *slots);
    *count = kept;
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// Puts the bodies where the depths are; rigid contacts that are closed stay so.
static SpragStatus place(SpragRun *run, int count, const int *slots)
{
    for (int i = 0; i < count; i++)
        if (!run->compliant[slots[i]])
            run->mode[slots[i]] = SPRAG_MODE_STICK;
    SPRAG_TRY(layers_place_switched(run));
    for (int i = 0; i < count; i++)
        if (!run->compliant[slots[i]])
            run->mode[slots[i]] = SPRAG_MODE_SEPARATE;
    return SPRAG_OK;
}

// Solves and places until depths are those of the places; last: a number a slot. Not good: where
// the first depths have put the bodies an island has no rest.
static SpragStatus repeat(SpragRun *run, int *slots, int *count, double *last, bool *good)
{
    double change = INFINITY, most = 0;
    for (int round = 0; round<ROUNDS && * count> 0 && change > FOUND * most; round++) {
        int placed = *count;
        memcpy(last, run->depth_state, (size_t)run->slots * sizeof *last);
        SPRAG_TRY(settle_all(run, slots, count, round > 0));
        *good &= round == 0 || *count == placed;
        if (*count > 0)
            SPRAG_TRY(place(run, *count, slots));
        // features meet as they will in the run, deep in each other as they are now
        SPRAG_TRY(modes_settle(run));
        change = most = 0;
        for (int slot = 0; slot < run->slots; slot++) {
            change = fmax(change, fabs(run->depth_state[slot] - last[slot]));
            most = fmax(most, run->depth_state[slot]);
        }
    }
    return SPRAG_OK;
}

// ---- Whether it is the rest of the run
// -----------------------------------------------------------

// Whether an open contact lies inside, or one that presses is not as deep as its layer: features
// that overlap are others than those that touched, or no place has all the depths.
static SpragStatus any_astray(SpragRun *run, bool *astray)
{
    double closed = MOTION_CLOSED * run->tolerances.gap;
    SPRAG_TRY(sprag_system_kinematics(run->system, run->t, run->y, run->y + run->m,
                                      &run->tolerances, run->kinematics));
    for (int slot = 0; slot < run->slots; slot++) {
        double gap = run->kinematics[slot].gap;
        if (!run->compliant[slot])
            continue;
        *astray |= run->touching[slot]
                       ? fabs(gap + run->depth_state[slot] + run->shift[slot]) > closed
                       : gap < -closed;
    }
    return SPRAG_OK;
}

// Whether the layers that have settled leave their contacts at rest, as the run sees them; where
// rigid ones share the load their forces are not known here.
static SpragStatus rests_in_run(SpragRun *run, int count, const int *slots, bool *good)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    bool astray = false, rigid = false;
    SPRAG_TRY(any_astray(run, &astray));
    SPRAG_TRY(modes_sample(run, run->t, run->y, true));
    layers_forces(run, run->y);
    *good = !astray;
    for (int k = 0; k < count; k++)
        rigid |= !run->compliant[slots[k]];
    for (int i = 0; i < f->active_count && !rigid; i++) {
        int r = f->first[i];
        bool settled = false;
        double a = e->b[r], size = fabs(a);
        for (int k = 0; k < count; k++)
            settled |= slots[k] == f->active[i];
        for (int c = 0; c < f->row_count; c++) {
            a += e->W[r * f->row_count + c] * e->force[c];
            size += fabs(e->W[r * f->row_count + c] * e->force[c]);
        }
        *good &= !settled || !f->soft[i] || fabs(a) <= BALANCED * size;
    }
    modes_outdate(run);
    return SPRAG_OK;
}

// What layers_settle changes.
typedef struct Given {
    double *q, *depth, *shear;
    bool *touching;
    SpragMode *mode;
} Given;

static bool given_alloc(SpragRun *run, Given *g)
{
    size_t room = (size_t)run->slots + 1, tangents = (size_t)run->tangents;
    g->q = sprag_arena_alloc(run->arena, (size_t)run->m + 1, sizeof *g->q);
    g->depth = sprag_arena_alloc(run->arena, room, sizeof *g->depth);
    g->shear = sprag_arena_alloc(run->arena, tangents * room, sizeof *g->shear);
    g->touching = sprag_arena_alloc(run->arena, room, sizeof *g->touching);
    g->mode = sprag_arena_alloc(run->arena, room, sizeof *g->mode);
    return g->q && g->depth && g->shear && g->touching && g->mode;
}

// Between the run and the copy: back says from the copy.
static void given_copy(SpragRun *run, Given *g, bool back)
{
    size_t slots = (size_t)run->slots, tangents = (size_t)run->tangents;
    void *const pairs[][2] = {{g->q, run->y},
                              {g->depth, run->depth_state},
                              {g->shear, run->shear_state},
                              {g->touching, run->touching},
                              {g->mode, run->mode}};
    const size_t sizes[] = {(size_t)run->m * sizeof *g->q, slots * sizeof *g->depth,
                            tangents * slots * sizeof *g->shear, slots * sizeof *g->touching,
                            slots * sizeof *g->mode};
    for (int i = 0; i < 5; i++)
        memcpy(pairs[i][back ? 1 : 0], pairs[i][back ? 0 : 1], sizes[i]);
}

// The state as it was given; features that met deep in each other are let go.
static SpragStatus take_back(SpragRun *run, Given *given)
{
    given_copy(run, given, true);
    sprag_system_hold(run->system, NULL, NULL, 0, NULL);
    modes_outdate(run);
    return sprag_system_kinematics(run->system, run->t, run->y, run->y + run->m, &run->tolerances,
                                   run->kinematics);
}

SpragStatus layers_settle(SpragRun *run)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    size_t room = (size_t)run->slots + 1;
    int *slots = sprag_arena_alloc(run->arena, room, sizeof *slots), count = 0;
    double before, after, *last = sprag_arena_alloc(run->arena, room, sizeof *last);
    bool any = false, good = true;
    Given given;
    if (!slots || !last || !given_alloc(run, &given))
        return SPRAG_ERROR_MEMORY;
    for (int slot = 0; slot < run->slots; slot++) {
        any |= run->touching[slot];
        if (run->touching[slot] || run->kinematics[slot].gap <= run->tolerances.gap)
            slots[count++] = slot;
    }
    SPRAG_TRY(layers_whole_energy(run, &before));
    given_copy(run, &given, false);
    if (any)
        SPRAG_TRY(repeat(run, slots, &count, last, &good));
    if (any && count > 0 && good)
        SPRAG_TRY(rests_in_run(run, count, slots, &good));
    SPRAG_TRY(layers_whole_energy(run, &after));
    // nearly a rest is better than none, but nothing is given for it
    if (!good && after > before)
        SPRAG_TRY(take_back(run, &given));
    else
        run->placed = before - after;
    run->change += run->placed;
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}
