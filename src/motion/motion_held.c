// motion_held.c: how long a step may be while contacts hold bodies against loads that vary.
// Problem   what is held does not move, so that no error of integration tells of the loads: steps
//           grow without limit, and peaks of loads that pass the cones hide between the few points
//           at which events are looked for
// Method    forces on bodies where they are now are looked at ahead; the step ends before they have
//           come a way of more than a part of their size
// Assumes   loads, and springs to bodies that move as told, of a model. Kinks end steps anyway
//           (motion_clock.c); with contacts that slide and rub, the motion tells of the loads
#include <math.h>
#include <string.h>

#include "motion_private.h"

// Of the largest force. Margins of several contacts have kinks where another one is the first to
// give way: between two of them a step sees a smooth piece.
static const double PART = 0.03;
// Of a step from one to the next, at most.
static const double GROWTH = 10;

static bool loads_vary(const SpragModel *model)
{
    bool vary = false;
    for (int i = 0; i < model->load_count; i++)
        vary |= model->loads[i].varies;
    for (int i = 0; model->spring_count > 0 && i < model->body_count; i++)
        vary |= model->bodies[i].driven;
    return vary;
}

static bool any_held(const SpragRun *run)
{
    const Frozen *f = &run->frozen;
    for (int i = 0; i < f->active_count; i++)
        if (!f->soft[i] && !(mode_slides(run->mode[f->active[i]]) && modes_have_friction(run, i)))
            return true;
    return false;
}

// Way of the accelerations that the forces alone would give, relative to the largest of them, or to
// the system's own where loads all but lift a body. room: twice the velocities.
static SpragStatus find_way(SpragRun *run, double span, double *room, double *way)
{
    // uneven, so that no period hides between them
    static const double looks[] = {0, 0.03, 0.17, 0.29, 0.43, 0.58, 0.71, 0.87, 1};
    enum { LOOKS = sizeof looks / sizeof *looks };
    double relative = sprag_system_contact_tolerance(run->system);
    double speed = run->tolerances.rate / relative, length = run->tolerances.gap / relative;
    double *a = room, *before = room + run->n, path = 0, most = speed * speed / length;
    for (int k = 0; k < LOOKS; k++) {
        double change = 0;
        SpragSystemSample sample = {.free_acceleration = a};
        SPRAG_TRY(sprag_system_sample(run->system, run->t + looks[k] * span, run->y,
                                      run->y + run->m, 0, NULL, &sample));
        for (int j = 0; j < run->n; j++) {
            double unit = tolerances_unit(run, run->m + j, 1);
            most = fmax(most, fabs(a[j]) / unit);
            change = fmax(change, k > 0 ? fabs(a[j] - before[j]) / unit : 0);
        }
        path += change;
        memcpy(before, a, (size_t)run->n * sizeof *a);
    }
    *way = most > 0 ? path / most : 0;
    return SPRAG_OK;
}

SpragStatus held_end(SpragRun *run, double *until)
{
    enum { HALVINGS = 40 };
    const SpragModel *model = sprag_system_model(run->system);
    if (!model || !isfinite(*until) || !loads_vary(model) || !any_held(run))
        return SPRAG_OK;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    double *room = sprag_arena_alloc(run->arena, 2 * (size_t)run->n + 1, sizeof *room);
    if (!room)
        return SPRAG_ERROR_MEMORY;
    double span = *until - run->t, way;
    if (run->step_guess > 0) // no step grows by more
        span = fmin(span, GROWTH * run->step_guess);
    SPRAG_TRY(find_way(run, span, room, &way));
    for (int half = 0; half < HALVINGS && way > PART; half++) {
        span *= 0.5;
        SPRAG_TRY(find_way(run, span, room, &way));
        *until = run->t + span;
    }
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}
