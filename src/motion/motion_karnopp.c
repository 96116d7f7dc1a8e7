// motion_karnopp.c: compliant contacts that Karnopp's law holds, theory.md (7.6).
// Problem   a slip within the band counts as rest: it becomes zero, and the tangential force keeps
//           it there. A force that holds a slip that is not zero would work, and one beyond its
//           cone is none of friction; neither crosses a threshold later on, so no event tells.
// Method    wherever an arc begins all slips that are held are stopped together, by impulses along
//           their tangents (to stop one moves the others), and the contacts whose forces are beyond
//           their cones let go
#include <math.h>
#include <string.h>

#include "motion_private.h"

// Part of the band: two corners of a body that rocks on its layers cannot both be at rest.
static const double HELD_PART = 1e-2;
// Forces beyond the cone by less are on it.
static const double ON_CONE = 1e-9;
// … and with shared forces, which sweeps find, those below it by so small a part.
static const double SHARED = 1e-6;
// Events at one time from which on none lets go: two corners of a body that rocks do not agree, and
// one may stop where it starts.
enum { RELEASES = 6 };

static bool is_held(const SpragRun *run, int i)
{
    const Frozen *f = &run->frozen;
    int slot = f->active[i];
    return f->soft[i] && run->law[slot].kind == SPRAG_FRICTION_KARNOPP &&
           run->mode[slot] == SPRAG_MODE_STICK && f->rows[i] > 1;
}

// Whether the slip of contact i, rigid or not, has just come into the band, or through zero.
static bool has_come(const SpragRun *run, int i)
{
    const Frozen *f = &run->frozen;
    if (run->law[f->active[i]].kind != SPRAG_FRICTION_KARNOPP)
        return false;
    for (int k = 0; k < f->function_count; k++) {
        FunctionKind kind = f->functions[k].kind;
        if (f->fired[k] && f->functions[k].index == i &&
            (kind == FUNCTION_BAND || kind == FUNCTION_SLIP))
            return true;
    }
    return false;
}

// An impulse along row r that ends the rate there. In the frame of the surfaces what it takes is
// lost, and counts as friction; what the energy changes beyond that a belt gave.
static void stop_row(SpragRun *run, int r, double rate)
{
    const Evaluation *e = &run->now;
    double *v = run->y + run->m, *work = run->y + WORK_AT(run);
    double a = e->W[r * run->frozen.row_count + r];
    for (int j = 0; j < run->n && a > 0; j++)
        v[j] -= rate / a * e->response[r * run->n + j];
    work[WORK_FRICTION] += a > 0 ? 0.5 * rate * rate / a : 0;
    work[WORK_ACTUATION] += a > 0 ? rate / a * e->drift[r] : 0;
}

// Impulses along the tangents of the contacts in the set, one after the other until no slip is
// left. Rigid contacts stay closed, and those that stick do not slip meanwhile.
static SpragStatus sweep(SpragRun *run, const bool *set)
{
    enum { SWEEPS = 100 };
    const Frozen *f = &run->frozen;
    double largest = INFINITY;
    for (int k = 0; k < SWEEPS && largest > 1e-3 * run->tolerances.slip; k++) {
        largest = 0;
        for (int i = 0; i < f->active_count; i++) {
            bool sticks = !f->soft[i] && run->mode[f->active[i]] == SPRAG_MODE_STICK;
            bool closed = !f->soft[i] && !f->bearing[i];
            for (int r = closed ? 0 : f->normals[i]; r < f->rows[i]; r++) {
                int d = r - f->normals[i];
                if (d >= 0 && !set[i] && !sticks)
                    continue;
                SPRAG_TRY(modes_sample(run, run->t, run->y, true));
                double rate =
                    d < 0 ? run->now.gap_rate[i] : run->now.slip[run->slip_stride * i + d];
                largest = fmax(largest, fabs(rate));
                stop_row(run, f->first[i] + r, rate);
            }
        }
    }
    return modes_sample(run, run->t, run->y, true);
}

// Contacts that slid and have jumped into the band, or through zero, with the others: they are in
// the set from now on. Whether there are some.
static bool follow(SpragRun *run, const double *before, bool *set)
{
    const Frozen *f = &run->frozen;
    bool any = false;
    for (int i = 0; i < f->active_count; i++) {
        int slot = f->active[i];
        if (set[i] || !f->soft[i] || run->law[slot].kind != SPRAG_FRICTION_KARNOPP ||
            !mode_slides(run->mode[slot]))
            continue;
        const double *was = before + run->slip_stride * i,
                     *is = run->now.slip + run->slip_stride * i;
        double along = was[0] * is[0] + (run->tangents == 2 ? was[1] * is[1] : 0);
        double band = run->law[slot].speed;
        set[i] =
            along < 0 || (modes_slip_size(run, was) >= band && modes_slip_size(run, is) < band);
        if (set[i])
            layers_stop_slider(run, slot);
        any |= set[i];
    }
    return any;
}

// Stops the slips of a set, and of those that come to rest with it.
static SpragStatus stop_set(SpragRun *run, bool *set)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    size_t count = (size_t)run->slip_stride * (size_t)run->frozen.active_count;
    double *slip = sprag_arena_alloc(run->arena, count + 1, sizeof *slip);
    if (!slip)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(modes_sample(run, run->t, run->y, true));
    memcpy(slip, run->now.slip, count * sizeof *slip);
    do
        SPRAG_TRY(sweep(run, set));
    while (follow(run, slip, set));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

SpragStatus karnopp_come(SpragRun *run)
{
    bool any = false;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    size_t count = (size_t)run->frozen.active_count + 1;
    bool *set = sprag_arena_alloc(run->arena, count, sizeof *set);
    if (!set)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < run->frozen.active_count; i++) {
        bool comes = has_come(run, i);
        set[i] = comes || is_held(run, i);
        any |= comes;
    }
    if (any)
        SPRAG_TRY(stop_set(run, set));
    modes_outdate(run);
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// A slip that others have turned goes on the way it is.
static bool turn(SpragRun *run, int i)
{
    int slot = run->frozen.active[i];
    double slip = run->now.slip[run->slip_stride * i];
    bool slides = run->tangents == 1 && run->frozen.soft[i] && mode_slides(run->mode[slot]) &&
                  run->law[slot].kind == SPRAG_FRICTION_KARNOPP;
    double sign = run->mode[slot] == SPRAG_MODE_SLIDE_MINUS ? -1 : 1;
    bool turns = slides && sign * slip < -run->tolerances.slip;
    if (turns)
        layers_slide_along(run, slot, &slip, 1);
    return turns;
}

SpragStatus karnopp_stop(SpragRun *run, bool *stopped)
{
    const Frozen *f = &run->frozen;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    bool *set = sprag_arena_alloc(run->arena, (size_t)f->active_count + 1, sizeof *set);
    bool any = false;
    *stopped = false;
    if (!set)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < f->active_count; i++) {
        set[i] = is_held(run, i);
        any |= f->soft[i] && run->law[f->active[i]].kind == SPRAG_FRICTION_KARNOPP;
    }
    if (any)
        SPRAG_TRY(modes_sample(run, run->t, run->y, true));
    for (int i = 0; any && i < f->active_count; i++) {
        double slip = modes_slip_size(run, run->now.slip + run->slip_stride * i);
        double most = HELD_PART * run->law[f->active[i]].speed;
        *stopped |= set[i] && slip > fmax(most, run->tolerances.slip);
    }
    if (*stopped)
        SPRAG_TRY(stop_set(run, set));
    for (int i = 0; any && i < f->active_count; i++)
        *stopped |= turn(run, i);
    if (*stopped)
        modes_outdate(run);
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

bool karnopp_release_all(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    double force[2] = {0, 0};
    bool any = false;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < f->active_count; i++) {
            if (!is_held(run, i))
                continue;
            for (int k = 0; pass == 0 && k < run->tangents; k++)
                force[k] += run->now.force[f->first[i] + 1 + k];
            if (pass == 1)
                layers_slide_along(run, f->active[i], force, -1);
            any = true;
        }
    return any;
}

// The contact whose force is farthest beyond its cone, in units of the scale; −1: none is.
static int farthest_out(const SpragRun *run)
{
    const Frozen *f = &run->frozen;
    double most = ON_CONE * run->force_scale;
    int found = -1;
    for (int i = 0; i < f->active_count; i++) {
        const double *force = run->now.force + f->first[i];
        double out = is_held(run, i)
                         ? modes_tangent_size(run, force + 1) - run->now.friction[2 * i] * force[0]
                         : 0;
        if (out <= most)
            continue;
        most = out;
        found = i;
    }
    return found;
}

// Slides the way it slips, or would without the force.
static void let_go(SpragRun *run, int i, const double *force)
{
    const double *slip = run->now.slip + run->slip_stride * i;
    bool slips = modes_slip_size(run, slip) > run->tolerances.slip;
    layers_slide_along(run, run->frozen.active[i], slips ? slip : force, slips ? 1 : -1);
}

// With given normal forces the friction of all held contacts is a convex problem: the least change
// of the acceleration with |λT| ≤ μ λN, by sweeps over the contacts. At present the force of each
// is what keeps its slip at rest, W λ + b = 0. force: one of two components a contact.
static void share(const SpragRun *run, double *force)
{
    enum { SWEEPS = 300 };
    const Frozen *f = &run->frozen;
    const double *now = run->now.force;
    for (int i = 0; i < f->active_count; i++)
        force[2 * i] = force[2 * i + 1] = 0;
    for (int step = 0; step < SWEEPS * f->active_count; step++) {
        int i = step % f->active_count, r = f->first[i] + 1;
        double most = run->now.friction[2 * i] * now[f->first[i]], largest = 0;
        if (!is_held(run, i))
            continue;
        for (int d = 0; d < run->tangents; d++)
            largest = fmax(largest, run->now.W[(r + d) * f->row_count + r + d]);
        for (int d = 0; d < run->tangents && largest > 0; d++) {
            const double *w = run->now.W + (size_t)(r + d) * (size_t)f->row_count;
            double a = 0;
            for (int j = 0; j < f->active_count; j++)
                for (int e = 0; e < run->tangents && is_held(run, j); e++)
                    a += w[f->first[j] + 1 + e] * (force[2 * j + e] - now[f->first[j] + 1 + e]);
            force[2 * i + d] -= a / largest;
        }
        double size = modes_tangent_size(run, force + 2 * i);
        for (int d = 0; d < 2 && size > most; d++)
            force[2 * i + d] *= fmax(most, 0) / size;
    }
}

// Of contacts that are all compliant. Those that are on their cones in that problem slide; others
// may be beyond them only because their rows depend on each other.
static SpragStatus release_by_share(SpragRun *run, bool *changed)
{
    const Frozen *f = &run->frozen;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    double *force = sprag_arena_alloc(run->arena, 2 * (size_t)f->active_count + 1, sizeof *force);
    if (!force)
        return SPRAG_ERROR_MEMORY;
    share(run, force);
    *changed = false;
    for (int i = 0; i < f->active_count; i++) {
        double most = run->now.friction[2 * i] * run->now.force[f->first[i]];
        if (!is_held(run, i) || modes_tangent_size(run, force + 2 * i) < (1 - SHARED) * most)
            continue;
        let_go(run, i, force + 2 * i);
        *changed = true;
    }
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

SpragStatus karnopp_release(SpragRun *run, bool *changed)
{
    const Frozen *f = &run->frozen;
    double sigma;
    int out = farthest_out(run);
    *changed = out >= 0 && run->events_here < RELEASES;
    if (!*changed)
        return SPRAG_OK;
    if (f->soft_count == f->active_count)
        return release_by_share(run, changed);
    if (!f->dependent) {
        let_go(run, out, run->now.force + f->first[out] + 1);
        return SPRAG_OK;
    }
    // other forces of the mode may be inside of all cones
    SPRAG_TRY(margin_clear(run, &sigma));
    *changed = sigma < 0 && karnopp_release_all(run);
    return SPRAG_OK;
}
