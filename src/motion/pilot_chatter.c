// pilot_chatter.c: impacts that grow from nothing beside a contact that sticks.
// Problem   a contact with restitution sticks, pressed by b_N < 0 and drawn aside by b_T. Beside
//           rest there may be a sequence of impacts each of which is R > 1 times as fast as the one
//           before it: seen backwards it comes to rest in finite time, so that it can begin at any
//           time (reverse chatter)
// Method    flights are so short that b stays as it is: departure at the speed u and slip σ',
//           flight 2 u/|b_N|, next slip σ' + 2 u b_T/|b_N|. Impacts are homogeneous, so the ratio
//           σ/u of one follows from that of the one before; where it repeats itself u grows by R,
//           theory.md (8.11)
//           A run follows the stick. With `branch: lift` it takes the impacts: the sequence has no
//           first one, and is joined where its flights can be told from contact
// Assumes   one planar contact that W couples with no other
#include <math.h>
#include <string.h>

#include "motion_private.h"

typedef struct Chatter {
    double growth;  // R of theory.md (8.11); ≤ 1: there is none
    double slip;    // σ/u at the impacts
    double leaving; // σ/u at the departures
    double pull;    // |b_N|
} Chatter;

// One impact at unit speed and a slip, and the flight behind it: the factor of the speed, and the
// ratio of slip and speed at the next one. False: it does not leave.
static bool next_impact(SpragSingleImpact *impact, double drift, double *slip, double *growth)
{
    SpragSingleResult result;
    impact->velocity[0] = -1;
    impact->velocity[1] = *slip;
    sprag_impact_single(impact, &result);
    *growth = result.after[0];
    if (!(*growth > 0) || !isfinite(*growth))
        return false;
    *slip = result.after[1] / *growth + drift;
    return isfinite(*slip);
}

static Chatter find_chatter(SpragSingleImpact *impact, const double *b)
{
    enum { MOST_IMPACTS = 100 };
    const double same = 1e-9;
    Chatter none = {0}, found = {.pull = -b[0]};
    double drift = 2 * b[1] / -b[0], slip = drift;
    for (int i = 0; i < MOST_IMPACTS; i++) {
        double before = slip;
        if (!next_impact(impact, drift, &slip, &found.growth))
            return none;
        found.slip = before;
        found.leaving = slip - drift;
        if (fabs(slip - before) <= same * (1 + fabs(slip)))
            return found;
    }
    return none;
}

// Whether contact i of the active list has come to stick now and is alone.
static bool is_candidate(const SpragRun *run, int i)
{
    const Frozen *f = &run->frozen;
    int slot = f->active[i], rows = f->row_count, r = f->first[i];
    bool news = !run->started || run->mode_before[slot] != SPRAG_MODE_STICK;
    if (f->soft[i] || f->rows[i] != 2 || run->mode[slot] != SPRAG_MODE_STICK || !news ||
        run->law[slot].kind != SPRAG_FRICTION_COULOMB || !(run->now.b[r] < 0))
        return false;
    for (int k = r; k < r + 2; k++)
        for (int c = 0; c < rows; c++)
            if ((c < r || c >= r + 2) && run->now.W[k * rows + c] != 0)
                return false;
    return true;
}

static Chatter look_at(SpragRun *run, int i)
{
    const Frozen *f = &run->frozen;
    const double *w = run->now.W + f->first[i] * (f->row_count + 1);
    const double *b = run->now.b + f->first[i];
    SpragContactPair pair;
    Chatter none = {0};
    sprag_system_pair(run->system, f->active[i], &pair);
    double e = pair.restitution.given ? sprag_restitution_at(&pair.restitution, 0) : 0;
    if (!(e > 0))
        return none;
    SpragSingleImpact impact = {.dimension = 2,
                                .W = {w[0], w[1], w[f->row_count], w[f->row_count + 1]},
                                .friction = run->now.friction[2 * i + 1],
                                .friction_static = run->now.friction[2 * i],
                                .law = pair.restitution.law,
                                .e = e};
    return find_chatter(&impact, b);
}

// Joins the sequence at a departure that rises by some times the gap that counts as closed.
static SpragStatus depart(SpragRun *run, int i, const Chatter *chatter)
{
    const double rise = 1e3;
    const Frozen *f = &run->frozen;
    int slot = f->active[i], rows = f->row_count;
    const double *w = run->now.W + f->first[i] * (rows + 1);
    double speed = sqrt(2 * chatter->pull * rise * MOTION_CLOSED * run->tolerances.gap);
    speed = fmax(speed, rise * run->tolerances.rate);
    double slip = chatter->leaving * speed, before, after, *v = run->y + run->m;
    double determinant = w[0] * w[rows + 1] - w[1] * w[rows];
    double normal = (w[rows + 1] * speed - w[1] * slip) / determinant;
    double tangential = (w[0] * slip - w[rows] * speed) / determinant;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    double *response = sprag_arena_alloc(run->arena, 2 * (size_t)run->n + 1, sizeof *response);
    if (!response)
        return SPRAG_ERROR_MEMORY;
    SpragSystemSample sample = {.response = response};
    SPRAG_TRY(sprag_system_sample(run->system, run->t, run->y, v, 1, &slot, &sample));
    SPRAG_TRY(layers_whole_energy(run, &before));
    for (int k = 0; k < run->n; k++)
        v[k] += normal * response[k] + tangential * response[run->n + k];
    SPRAG_TRY(layers_whole_energy(run, &after));
    run->change += before - after;
    run->mode[slot] = SPRAG_MODE_SEPARATE;
    modes_outdate(run);
    sprag_arena_release(run->arena, mark);
    return arc_begin(run);
}

SpragStatus pilot_tell_chatter(SpragRun *run, SpragRunOutcome *outcome)
{
    const Frozen *f = &run->frozen;
    const double rounding = 1e-6;
    if (f->active_count == 0)
        return SPRAG_OK;
    SPRAG_TRY(modes_sample(run, run->t, run->y, true));
    for (int i = 0; i < f->active_count; i++) {
        if (!is_candidate(run, i))
            continue;
        Chatter chatter = look_at(run, i);
        double R = chatter.growth;
        if (R <= 1 + rounding)
            continue;
        bool lift = run->settings.branch == SPRAG_BRANCH_LIFT;
        tell_event(run, SPRAG_EVENT_AMBIGUITY, f->active[i], outcome,
                   "reverse chatter: it sticks%s, or impacts grow from nothing%s, each %.6g "
                   "times as fast, at a slip of %.6g times their speed; 1 ms after it begins "
                   "they depart at %.4g m/s",
                   lift ? "" : ", which the run follows", lift ? ", which the run follows" : "", R,
                   chatter.slip, 1e-3 * 0.5 * chatter.pull * (R - 1) / R);
        if (lift) // the lists are new behind it
            return depart(run, i, &chatter);
    }
    return SPRAG_OK;
}
