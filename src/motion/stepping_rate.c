// stepping_rate.c: how fast forces change with positions and velocities, and so how long steps may
// be. Problem   springs, bushings, dampers and laws of loads are explicit in a step, stable only
// while
//           (11.44) of theory.md holds
// Method    power iteration on the derivatives of the accelerations without contacts by positions
//           and by velocities, by differences, with all bodies at rest: spins are no rates, since a
//           step turns bodies by their momentum
#include <math.h>
#include <string.h>

#include "stepping.h"

// Largest part of a direction, lengths in units of the scene's size.
static double size_of(const Stepping *s, const double *direction)
{
    double most = 0;
    for (int i = 0; i < s->run->n; i++) {
        bool turns = i % s->m >= s->d;
        most = fmax(most, fabs(direction[i]) / (turns ? 1 : s->size));
    }
    return most;
}

// Any direction will do that has a part in all modes.
static void take_first(const Stepping *s, double *direction)
{
    const int many = 7919, cycle = 97;
    for (int i = 0; i < s->run->n; i++) {
        double part = 0.5 + (double)((i + 1) * many % cycle) / cycle;
        direction[i] = part * (i % 2 ? 1 : -1) * (i % s->m >= s->d ? 1 : s->size);
    }
}

static SpragStatus accelerations(const Stepping *s, const double *q, const double *v, double *a)
{
    SpragSystemSample sample = {.free_acceleration = a};
    return sprag_system_sample(s->system, s->run->t, q, v, 0, NULL, &sample);
}

typedef struct Probe {
    double *direction, *at_rest, *shifted, *q, *v;
} Probe;

// The direction becomes what accelerations change along it: *rate of its size.
static SpragStatus follow(Stepping *s, const Probe *p, bool by_velocity, double *rate)
{
    // a law that jumps, as one of dry friction, is fast only within less than this, and does not
    // run away
    const double part = 1e-3;
    int n = s->run->n;
    double length = size_of(s, p->direction);
    double step = part / length;
    memcpy(p->q, s->run->y, (size_t)s->run->m * sizeof *p->q);
    for (int i = 0; i < n; i++)
        p->v[i] = step * p->direction[i];
    if (!by_velocity) {
        sprag_system_position_shift(s->system, p->v, p->q);
        memset(p->v, 0, (size_t)n * sizeof *p->v);
    }
    SPRAG_TRY(accelerations(s, p->q, p->v, p->shifted));
    for (int i = 0; i < n; i++)
        p->direction[i] = (p->shifted[i] - p->at_rest[i]) / step;
    *rate = size_of(s, p->direction) / length;
    return SPRAG_OK;
}

static SpragStatus largest(Stepping *s, const Probe *p, bool by_velocity, double *rate)
{
    enum { LEAST_ROUNDS = 6, MOST_ROUNDS = 40 };
    const double enough = 1e-3;
    double before = 0;
    *rate = 0;
    take_first(s, p->direction);
    for (int k = 0; k < MOST_ROUNDS; k++) {
        SPRAG_TRY(follow(s, p, by_velocity, rate));
        bool same = fabs(*rate - before) < enough * *rate;
        if (!(*rate > 0 && isfinite(*rate)) || (k >= LEAST_ROUNDS && same))
            break;
        before = *rate;
    }
    return SPRAG_OK;
}

SpragStatus stepping_rates(Stepping *s, StepRates *rates)
{
    SpragArena *arena = s->run->arena;
    SpragArenaMark mark = sprag_arena_mark(arena);
    size_t n = (size_t)s->run->n, m = (size_t)s->run->m;
    double *room = sprag_arena_alloc(arena, 4 * n + m + 1, sizeof *room), squared = 0;
    *rates = (StepRates){0};
    if (!room)
        return SPRAG_ERROR_MEMORY;
    Probe probe = {room, room + n, room + 2 * n, room + 4 * n, room + 3 * n};
    memset(probe.v, 0, n * sizeof *probe.v);
    SPRAG_TRY(accelerations(s, s->run->y, probe.v, probe.at_rest));
    SPRAG_TRY(largest(s, &probe, false, &squared));
    SPRAG_TRY(largest(s, &probe, true, &rates->decay));
    rates->omega = sqrt(squared);
    sprag_arena_release(arena, mark);
    return SPRAG_OK;
}

double stepping_longest(const StepRates *rates)
{
    double w2 = rates->omega * rates->omega, c = rates->decay;
    double root = sqrt(c * c + 4 * w2);
    return w2 > 0 || c > 0 ? 4 / (c + root) : INFINITY;
}
