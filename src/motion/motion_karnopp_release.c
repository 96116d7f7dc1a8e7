// motion_karnopp_release.c: compliant contacts that Karnopp's law holds let go, theory.md 14.6.
// Problem   several slips are held at once, by rows that may depend on each other and beside rigid
//           contacts: which of them slide where their forces are at the end of what friction can
//           hold
// Method    the least change of the accelerations with friction inside of all cones, under the
//           normal forces of the layers; contacts on their cones there slide
#include <math.h>
#include <string.h>

#include "motion_private.h"
#include "sprag/numeric.h"

// Forces beyond the cone by less are on it.
static const double ON_CONE = 1e-9;
// … and with shared forces, which sweeps find, those below it by so small a part; at an event that
// is the end of what all hold together, by this part.
static const double SHARED = 1e-6, AT_END = 1e-3;
// Events at one time from which on none lets go: two corners of a body that rocks do not agree, and
// one may stop where it starts.
enum { RELEASES = 6 };

// Whether a force that is held is beyond its cone.
static bool is_out(const SpragRun *run)
{
    const Frozen *f = &run->frozen;
    for (int i = 0; i < f->active_count; i++) {
        const double *force = run->now.force + f->first[i];
        if (karnopp_holds(run, i) &&
            modes_tangent_size(run, force + 1) - run->now.friction[2 * i] * force[0] >
                ON_CONE * run->force_scale)
            return true;
    }
    return false;
}

// Tangents of held contacts, and what forces along them do to their accelerations while rigid
// contacts beside them keep their modes.
typedef struct Held {
    int count;
    int *rows, *contacts; // one a tangent
    double *G;            // count × count
    double *force;        // count
} Held;

static SpragStatus list_held(SpragRun *run, Held *held)
{
    const Frozen *f = &run->frozen;
    size_t room = (size_t)f->row_count + 1;
    held->count = 0;
    held->rows = sprag_arena_alloc(run->arena, room, sizeof *held->rows);
    held->contacts = sprag_arena_alloc(run->arena, room, sizeof *held->contacts);
    held->G = sprag_arena_alloc(run->arena, room * room, sizeof *held->G);
    held->force = sprag_arena_alloc(run->arena, room, sizeof *held->force);
    if (!held->rows || !held->contacts || !held->G || !held->force)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < f->active_count; i++)
        for (int r = f->first[i] + f->normals[i];
             karnopp_holds(run, i) && r < f->first[i] + f->rows[i]; r++) {
            held->rows[held->count] = r;
            held->contacts[held->count++] = i;
        }
    for (int i = 0; i < held->count; i++)
        for (int j = 0; j < held->count; j++)
            held->G[i * held->count + j] = run->now.W[held->rows[i] * f->row_count + held->rows[j]];
    return SPRAG_OK;
}

// Unknowns of rigid contacts, of those that are solved for; returns their number.
static int list_rigid(const SpragRun *run, int *unknowns)
{
    const Frozen *f = &run->frozen;
    int count = 0;
    for (int i = 0; i < f->solved_count; i++)
        if (!f->soft[f->unknowns[f->solved[i]].contact])
            unknowns[count++] = f->solved[i];
    return count;
}

// Rigid contacts answer: G = W_HH − E_HR D_RR⁻¹ W_RH, where columns of R carry their friction.
static SpragStatus answer_rigid(SpragRun *run, Held *held)
{
    const Frozen *f = &run->frozen;
    size_t room = (size_t)f->unknown_count + 1;
    int *list = sprag_arena_alloc(run->arena, 3 * room, sizeof *list), *order = list + room;
    double *D = sprag_arena_alloc(run->arena, room * room, sizeof *D);
    double *x = sprag_arena_alloc(run->arena, 2 * room, sizeof *x), *right = x + room;
    if (!list || !D || !x)
        return SPRAG_ERROR_MEMORY;
    int k = list_rigid(run, list), n = f->row_count;
    double largest = 0;
    for (int i = 0; i < k * k; i++) {
        D[i] = modes_entry(run, run->now.W + f->unknowns[list[i / k]].row * n,
                           &f->unknowns[list[i % k]]);
        largest = fmax(largest, fabs(D[i]));
    }
    if (k == 0 || sprag_lu_factor(k, D, 1e-14 * largest, order, order + k, NULL) < k)
        return SPRAG_OK;
    for (int j = 0; j < held->count; j++) {
        for (int i = 0; i < k; i++)
            right[i] = run->now.W[f->unknowns[list[i]].row * n + held->rows[j]];
        sprag_lu_solve(k, D, order, order + k, right, x);
        for (int h = 0; h < held->count; h++)
            for (int i = 0; i < k; i++)
                held->G[h * held->count + j] -=
                    modes_entry(run, run->now.W + held->rows[h] * n, &f->unknowns[list[i]]) * x[i];
    }
    return SPRAG_OK;
}

static double most_friction(const SpragRun *run, int i)
{
    return run->now.friction[2 * i] * fmax(run->now.force[run->frozen.first[i]], 0);
}

// The acceleration along tangent d under the forces of all; those of now keep it at rest.
static double acceleration(const SpragRun *run, const Held *held, int d)
{
    double a = 0;
    for (int j = 0; j < held->count; j++)
        a += held->G[d * held->count + j] * (held->force[j] - run->now.force[held->rows[j]]);
    return a;
}

// The force along tangent d with which it stays at rest beside the others. Where friction of rigid
// contacts turns its answer over (largest: its own part of G) it is what holds it now.
static double better(const SpragRun *run, const Held *held, int d, double largest)
{
    return largest > 0 ? held->force[d] - acceleration(run, held, d) / largest
                       : run->now.force[held->rows[d]];
}

// With given normal forces the friction of all held contacts is a convex problem: the least change
// of the acceleration with |λT| ≤ μ λN, by sweeps over the contacts. At present the force of each
// is what keeps its slip at rest.
static void share(const SpragRun *run, Held *held)
{
    enum { SWEEPS = 300 };
    int n = held->count, step = run->tangents;
    for (int i = 0; i < n; i++)
        held->force[i] = 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int i = 0; i < n; i += step) {
            double most = most_friction(run, held->contacts[i]), largest = 0;
            for (int d = i; d < i + step; d++)
                largest = fmax(largest, held->G[d * n + d]);
            for (int d = i; d < i + step; d++)
                held->force[d] = better(run, held, d, largest);
            double size = modes_tangent_size(run, held->force + i);
            for (int d = i; d < i + step && size > most; d++)
                held->force[d] *= most / size;
        }
}

// What is held now, and the force of each in that problem.
static SpragStatus find_shares(SpragRun *run, Held *held)
{
    SPRAG_TRY(list_held(run, held));
    SPRAG_TRY(answer_rigid(run, held));
    share(run, held);
    return SPRAG_OK;
}

// The contact of tangents d on slides the way it slips, or else against its friction. One that does
// not press yet has none, and goes where it is accelerated.
static void let_go(SpragRun *run, const Held *held, int d)
{
    int i = held->contacts[d];
    const double *slip = run->now.slip + run->slip_stride * i;
    double a[2] = {0};
    for (int k = 0; k < run->tangents; k++)
        a[k] = acceleration(run, held, d + k);
    if (modes_slip_size(run, slip) > karnopp_still(run, run->frozen.active[i]))
        layers_slide_along(run, run->frozen.active[i], slip, 1);
    else if (modes_tangent_size(run, held->force + d) > 0)
        layers_slide_along(run, run->frozen.active[i], held->force + d, -1);
    else
        layers_slide_along(run, run->frozen.active[i], a, 1);
}

// Whether those forces keep all slips at rest.
static bool all_stay(const SpragRun *run, const Held *held)
{
    double most = 0, size = 0;
    for (int d = 0; d < held->count; d++) {
        double sum = 0;
        for (int j = 0; j < held->count; j++)
            sum += fabs(held->G[d * held->count + j] * run->now.force[held->rows[j]]);
        most = fmax(most, fabs(acceleration(run, held, d)));
        size = fmax(size, sum);
    }
    return most <= SHARED * size;
}

// Those that are on their cones in that problem slide; others may be beyond them only because their
// rows depend on each other. While all can stay none slides, but for those at the end of an arc.
static SpragStatus release_by_share(SpragRun *run, double part, bool ends, bool *changed)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    Held held;
    SPRAG_TRY(find_shares(run, &held));
    *changed = false;
    bool stay = !ends && all_stay(run, &held);
    for (int i = 0; i < held.count && !stay; i += run->tangents) {
        double most = most_friction(run, held.contacts[i]);
        if (modes_tangent_size(run, held.force + i) < (1 - part) * most)
            continue;
        let_go(run, &held, i);
        *changed = true;
    }
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

SpragStatus karnopp_share(SpragRun *run, double *force)
{
    memcpy(force, run->now.force, (size_t)run->frozen.row_count * sizeof *force);
    if (!is_out(run))
        return SPRAG_OK;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    Held held;
    SPRAG_TRY(find_shares(run, &held));
    for (int d = 0; d < held.count; d++)
        force[held.rows[d]] = held.force[d];
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

SpragStatus karnopp_release(SpragRun *run, bool *changed)
{
    *changed = is_out(run) && run->events_here < RELEASES;
    return *changed ? release_by_share(run, SHARED, false, changed) : SPRAG_OK;
}

SpragStatus karnopp_release_margin(SpragRun *run, bool *changed)
{
    bool stopped;
    // a slip that is held as good as zero must not say which way it goes from here
    SPRAG_TRY(karnopp_stop_held(run, 0, &stopped));
    SPRAG_TRY(modes_evaluate(run, run->t, run->y));
    SPRAG_TRY(release_by_share(run, SHARED, true, changed));
    return *changed ? SPRAG_OK : release_by_share(run, AT_END, true, changed);
}
