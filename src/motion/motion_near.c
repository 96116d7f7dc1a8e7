// motion_near.c: gaps of open contacts, exact where bodies are near each other.
// Problem   pairs of corners and sides grow with the square of the bodies, and each of their gaps
//           takes a look at the sides of a shape
// Method    circles around the bodies: where they are apart by more than a part of the system's
//           size, their distance stands for the gap. No gap is less, and both are far from zero
//           where one takes the place of the other: no event is there
// Assumes   arcs of the plane in which layers give all forces, and many open contacts
#include <math.h>

#include "motion_private.h"

enum { MANY = 16 };
// Of run->far, a thousand times the system's size: a quarter of that size. Ways of bodies in a step
// are limited by a tenth of it, or half of a gap.
static const double APART = 0.25e-3;

static SpragStatus exact(SpragRun *run, double t, const double *y, int count, const int *slots,
                         double *gaps)
{
    SpragSystemSample sample = {.gap = gaps,
                                .gap_rate = run->frozen.rates ? run->probe_rate : NULL};
    return sprag_system_sample(run->system, t, y, y + run->m, count, slots, &sample);
}

// Distance of the circles around the bodies of a slot; −INFINITY where it is not known.
static double apart(const SpragRun *run, const double *y, int contact, const double *radius)
{
    const SpragSlot *slot = sprag_system_slot(run->system, contact);
    int a = slot ? sprag_system_body_coordinate(run->system, slot->body[0]) : -1;
    int b = slot ? sprag_system_body_coordinate(run->system, slot->body[1]) : -1;
    if (a < 0 || b < 0)
        return -INFINITY;
    double x = y[a] - y[b], z = y[a + 1] - y[b + 1];
    return sqrt(x * x + z * z) - radius[slot->body[0]] - radius[slot->body[1]];
}

SpragStatus near_gaps(SpragRun *run, double t, const double *y)
{
    const Frozen *f = &run->frozen;
    if (!f->direct || f->rates || f->open_count < MANY)
        return exact(run, t, y, f->open_count, f->open, run->probe_gap);
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    const SpragModel *model = sprag_system_model(run->system);
    size_t room = (size_t)f->open_count;
    double *radius = sprag_arena_alloc(run->arena, (size_t)model->body_count, sizeof *radius);
    double *gaps = sprag_arena_alloc(run->arena, room, sizeof *gaps);
    int *slots = sprag_arena_alloc(run->arena, room, sizeof *slots), count = 0;
    if (!radius || !gaps || !slots)
        return SPRAG_ERROR_MEMORY;
    for (int body = 0; body < model->body_count; body++)
        radius[body] = sprag_model_body_radius(model, body);
    for (int i = 0; i < f->open_count; i++) {
        run->probe_gap[i] = apart(run, y, f->open[i], radius);
        if (!(run->probe_gap[i] > APART * run->far))
            slots[count++] = f->open[i];
    }
    SPRAG_TRY(exact(run, t, y, count, slots, gaps));
    for (int i = 0, k = 0; k < count; i++)
        if (f->open[i] == slots[k])
            run->probe_gap[i] = gaps[k++];
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}
