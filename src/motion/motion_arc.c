// motion_arc.c: a new arc begins: the state is put back on its closed contacts, the modes are
// frozen and the integrator starts (theory.md 14.1).
#include <math.h>

#include "motion_private.h"

// Closed contacts are projected when they have drifted by this part of their tolerance.
static const double DRIFT_PART = 1e-3;
// Forces of layers depend on their own depths, which the bodies only have to follow: to this part.
static const double DRIFT_PART_SOFT = 0.1;
// Open contacts overlap by no more than so many gap tolerances: where a rim lies flat its marks
// take over within four of them.
static const double OVERLAP = 10;
// A mode ends in a jam when its determinant falls to this, or to so many tolerances if that is
// more: A and B may vanish together, where λ = −B/A is finite and only errors say which is first
// (theory.md 8.4). Several rows may have a small determinant from the start: then it is the part.
static const double JAM_TOLERANCES = 1e3;
// Forces of a jam have grown by more than this: with that determinant by a thousand times as much.
static const double JAM_GROWTH = 1e3;

// ---- Projection ---------------------------------------------------------------------------------

// What a projection works on, of the active contacts.
typedef struct Projection {
    double *gaps; // that they should have
    int rigid_count;
    int *rigid; // slots
    bool *stick;
} Projection;

static SpragStatus prepare_projection(SpragRun *run, const double *y, Projection *p)
{
    const Frozen *f = &run->frozen;
    size_t count = (size_t)f->active_count + 1;
    p->gaps = sprag_arena_alloc(run->arena, count, sizeof *p->gaps);
    p->rigid = sprag_arena_alloc(run->arena, count, sizeof *p->rigid);
    p->stick = sprag_arena_alloc(run->arena, count, sizeof *p->stick);
    p->rigid_count = 0;
    if (!p->gaps || !p->rigid || !p->stick)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < f->active_count; i++) {
        p->gaps[i] = (f->soft[i] ? -y[f->depth_at[i]] : 0) - run->shift[f->active[i]];
        if (f->soft[i])
            continue;
        p->stick[p->rigid_count] = modes_holds_slip(run, f->active[i]);
        p->rigid[p->rigid_count++] = f->active[i];
    }
    return SPRAG_OK;
}

static SpragStatus has_drifted(SpragRun *run, const Projection *p, bool *drifted)
{
    const Frozen *f = &run->frozen;
    SpragSystemSample sample = {
        .gap = run->probe_gap, .gap_rate = run->probe_rate, .slip = run->probe_slip};
    // at the end of a step the right-hand side has been there
    const double *gap = direct_gaps(run, run->t, run->y);
    if (!gap) {
        SPRAG_TRY(sprag_system_sample(run->system, run->t, run->y, run->y + run->m, f->active_count,
                                      f->active, &sample));
        gap = run->probe_gap;
    }
    for (int i = 0; i < f->active_count; i++) {
        double part = f->soft[i] ? DRIFT_PART_SOFT : DRIFT_PART;
        *drifted |= fabs(gap[i] - p->gaps[i]) > part * run->tolerances.gap;
        if (f->soft[i])
            continue;
        *drifted |= fabs(run->probe_rate[i]) > DRIFT_PART * run->tolerances.rate;
        double slip = modes_slip_size(run, run->probe_slip + run->slip_stride * i);
        *drifted |= modes_holds_slip(run, f->active[i]) && slip > DRIFT_PART * run->tolerances.slip;
    }
    double error, rate;
    SPRAG_TRY(
        sprag_system_joint_error(run->system, run->t, run->y, run->y + run->m, &error, &rate));
    *drifted |= error > DRIFT_PART * run->tolerances.gap;
    *drifted |= rate > DRIFT_PART * run->tolerances.rate;
    return SPRAG_OK;
}

// Where no layer is pressed any more, rigid contacts that closed above one that had sunk in have
// the gap zero again. True: there are some.
static bool end_shifts(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    bool any = false;
    for (int i = 0; i < f->active_count; i++) {
        any |= run->shift[f->active[i]] != 0;
        run->shift[f->active[i]] = 0;
    }
    return any;
}

// Moves q so that closed contacts have their gaps. Beside layers an event may ask for more than an
// error of integration: bodies that were placed in the depths of their layers stood in contacts
// that were open then. What that takes belongs to the change of the model.
static SpragStatus project_gaps(SpragRun *run, const Projection *p, bool book)
{
    const Frozen *f = &run->frozen;
    double before = 0, after = 0, residual;
    if (book)
        SPRAG_TRY(layers_whole_energy(run, &before));
    SPRAG_TRY(sprag_system_project_gaps(run->system, run->t, f->active_count, f->active, p->gaps,
                                        run->y, &residual));
    if (book)
        SPRAG_TRY(layers_whole_energy(run, &after));
    run->change += before - after;
    return SPRAG_OK;
}

// Puts closed contacts back on their gaps (0, or less the depth of a layer), rigid ones on N v = 0
// (and no slip where they stick); *moved: y changed.
SpragStatus arc_project(SpragRun *run, bool always, bool *moved)
{
    const Frozen *f = &run->frozen;
    *moved = false;
    if (f->active_count == 0 && sprag_system_joint_row_count(run->system) == 0)
        return SPRAG_OK;
    *moved = always;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    Projection p;
    bool book = always && (f->soft_count > 0 || end_shifts(run));
    SPRAG_TRY(prepare_projection(run, run->y, &p));
    if (!always)
        SPRAG_TRY(has_drifted(run, &p, moved));
    if (*moved) {
        double residual;
        SPRAG_TRY(project_gaps(run, &p, book));
        if (always)
            SPRAG_TRY(collide_stop(run, p.rigid_count, p.rigid, p.stick));
        else // drift of the integration, and an error of the account like it
            SPRAG_TRY(sprag_system_project_velocity(run->system, run->t, run->y, p.rigid_count,
                                                    p.rigid, p.stick, run->y + run->m, &residual));
    }
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// The state inside of a step. Joints hold between the ends of steps as well as there.
SpragStatus arc_read(SpragRun *run, double t, double *y)
{
    SPRAG_TRY(sprag_integrator_evaluate(run->integrator, t, y));
    return sprag_system_joint_row_count(run->system) > 0 ? arc_project_other(run, t, y) : SPRAG_OK;
}

// The same for a state beside the present one.
SpragStatus arc_project_other(SpragRun *run, double t, double *y)
{
    const Frozen *f = &run->frozen;
    double residual;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    Projection p;
    SPRAG_TRY(prepare_projection(run, y, &p));
    SPRAG_TRY(sprag_system_project_gaps(run->system, t, f->active_count, f->active, p.gaps, y,
                                        &residual));
    SPRAG_TRY(sprag_system_project_velocity(run->system, t, y, p.rigid_count, p.rigid, p.stick,
                                            y + run->m, &residual));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// ---- The arc ------------------------------------------------------------------------------------

// Whether a function may be beyond its zero at the begin of an arc, by an error of integration or
// projection.
static bool may_be_beyond(const Frozen *f, const EventFunction *g)
{
    if (g->kind == FUNCTION_GAP)
        return true;
    bool force = g->kind == FUNCTION_CONE_PLUS || g->kind == FUNCTION_CONE_MINUS ||
                 g->kind == FUNCTION_CONE || g->kind == FUNCTION_SLIDER ||
                 g->kind == FUNCTION_PRESS || g->kind == FUNCTION_DEPTH;
    return force && f->soft[g->index];
}

// In space an open contact that overlaps by an error of projection may open for so short a time
// that no look at its gap sees it: that of a rim that passes from one side to the other through
// flat. It closes where it is as deep again, and not where it opens.
static SpragStatus lift_overlaps(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    SpragSystemSample sample = {.gap = run->probe_gap, .gap_rate = run->probe_rate};
    for (int slot = 0; slot < run->slots; slot++)
        run->lift[slot] = 0;
    SPRAG_TRY(sprag_system_sample(run->system, run->t, run->y, run->y + run->m, f->open_count,
                                  f->open, &sample));
    for (int i = 0; i < f->open_count; i++) {
        int slot = f->open[i];
        double depth = -run->probe_gap[i] - run->shift[slot];
        bool rate = sprag_system_contact_is_velocity_level(run->system, slot);
        if (!rate && depth > 0 && depth <= OVERLAP * run->tolerances.gap &&
            run->probe_rate[i] > run->tolerances.rate)
            run->lift[slot] = 1.1 * depth + 2 * MOTION_CLOSED * run->tolerances.gap;
    }
    run->begin_known = false;
    return SPRAG_OK;
}

// An open contact that overlaps by an error of projection counts as touching at the begin of the
// arc: if it goes deeper it closes at once, and is not passed by. So do forces of layers, and their
// depths: of two corners in one place one may be told to open a rounding before the other.
SpragStatus arc_watch_overlaps(SpragRun *run)
{
    Frozen *f = &run->frozen;
    SPRAG_TRY(run->tangents == 2 ? lift_overlaps(run) : layers_cover(run));
    SPRAG_TRY(events_begin_edge(run));
    for (int i = 0; run->begin_known && i < f->function_count; i++)
        if (may_be_beyond(f, &f->functions[i]) && run->values_begin[i] < 0)
            f->zeros[i] = fmax(f->zeros[i], -2 * run->values_begin[i]);
    return SPRAG_OK;
}

// In the plane: a slip that begins is zero, and what others do at the same event (a layer that
// takes over a force, a body that is put back on its contacts) may leave some of it the other way.
// Friction would drive it on, and no event ends what never was positive: it is stopped.
static SpragStatus stop_backward(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    Projection p;
    bool any = false;
    if (run->tangents == 2 || f->active_count == f->soft_count)
        return SPRAG_OK;
    SpragFrictionNumbers *numbers =
        sprag_arena_alloc(run->arena, (size_t)f->active_count + 1, sizeof *numbers);
    if (!numbers)
        return SPRAG_ERROR_MEMORY;
    SpragSystemSample sample = {.slip = run->probe_slip, .numbers = numbers};
    SPRAG_TRY(prepare_projection(run, run->y, &p));
    SPRAG_TRY(sprag_system_sample(run->system, run->t, run->y, run->y + run->m, f->active_count,
                                  f->active, &sample));
    for (int i = 0, k = 0; i < f->active_count; i++) {
        int slot = f->active[i];
        double sign = run->mode[slot] == SPRAG_MODE_SLIDE_MINUS ? -1 : 1;
        bool back = mode_slides(run->mode[slot]) && !modes_is_joint(run, slot) &&
                    run->law[slot].kind == SPRAG_FRICTION_COULOMB && numbers[i].kinetic > 0 &&
                    sign * run->probe_slip[i] < -DRIFT_PART * run->tolerances.slip;
        if (f->soft[i])
            continue;
        p.stick[k] = p.stick[k] || back;
        any |= back;
        k++;
    }
    if (any)
        SPRAG_TRY(collide_stop(run, p.rigid_count, p.rigid, p.stick));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

double arc_largest_force(const SpragRun *run)
{
    const Frozen *f = &run->frozen;
    double most = 0;
    for (int i = 0; i < f->active_count; i++)
        for (int r = 0; !f->soft[i] && r < f->rows[i]; r++)
            most = fmax(most, fabs(run->now.force[f->first[i] + r]));
    return most;
}

// Freezes the present modes at the present state, projects, and starts a new arc.
SpragStatus arc_begin(SpragRun *run)
{
    bool moved, stopped;
    run->arc_steps = 0;
    sprag_system_position_normalise(run->system, run->y);
    SPRAG_TRY(modes_settle(run));
    SPRAG_TRY(overlap_absorb(run));
    SPRAG_TRY(arc_project(run, true, &moved));
    SPRAG_TRY(stop_backward(run));
    for (bool changed = true; changed;) {
        SPRAG_TRY(modes_freeze(run));
        SPRAG_TRY(karnopp_stop(run, &stopped));
        if (stopped && run->frozen.soft_count < run->frozen.active_count)
            SPRAG_TRY(arc_project(run, true, &moved));
        if (stopped)
            SPRAG_TRY(modes_freeze(run));
        SPRAG_TRY(modes_evaluate(run, run->t, run->y));
        changed = layers_clip_pulling(run);
        if (!changed)
            layers_hold_quick(run, &changed);
        if (!changed)
            SPRAG_TRY(karnopp_release(run, &changed));
        // what rigid contacts do was decided under other forces
        run->lost += changed && modes_any_rigid(run);
    }
    double first = fmax(run->now.determinant, 0);
    run->jam = fmax(MOTION_JAM, JAM_TOLERANCES * run->settings.tolerance);
    if (run->frozen.solved_count > 1 || first <= run->jam)
        run->jam *= first;
    run->jam_force = JAM_GROWTH * fmax(run->force_scale, arc_largest_force(run));
    SPRAG_TRY(arc_watch_overlaps(run));
    return layers_begin_arc(run);
}
