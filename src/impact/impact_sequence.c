// impact_sequence.c: several contacts, one after the other.
// Problem   theory.md 10.12: every contact that approaches collides on its own, until none does
// Method    the fastest approach first (the first of equals); each is a single impact under its own
//           rule with the velocities that those before left. Approaches that shrink from hit to hit
//           converge geometrically: what is left below 1e-12 of the first velocities counts as zero
// Limit     1000 hits a contact; then nothing is found, and neither where Newton's law makes energy
//           hit by hit without an end
#include <math.h>
#include <string.h>

#include "impact_system.h"

static const int HITS_PER_CONTACT = 1000;
static const double AT_REST = 1e-12, RUNS_AWAY = 1e6;

static void add_loss(SpragImpactLoss *sum, const SpragImpactLoss *loss)
{
    sum->normal_compression += loss->normal_compression;
    sum->normal_restitution += loss->normal_restitution;
    sum->tangential_compression += loss->tangential_compression;
    sum->tangential_restitution += loss->tangential_restitution;
}

// One impact of item i; false: it has no impulse, or none that ends it.
static bool hit(ImpactSystem *system, int i)
{
    const ImpactItem *item = &system->items[i];
    SpragSingleImpact single;
    SpragSingleResult one;
    impact_system_single(system, i, system->after, &single);
    sprag_impact_single(&single, &one);
    if (one.kind == SPRAG_IMPACT_NONE)
        return false;
    int n = system->rows;
    for (int r = 0; r < n; r++)
        for (int k = 0; k < item->row_count; k++)
            system->after[r] += system->W[r * n + item->row + k] * one.impulse[k];
    for (int k = 0; k < item->row_count; k++) {
        system->impulse[item->row + k] += one.impulse[k];
        system->after[item->row + k] = one.after[k];
    }
    system->contacts[i].kind = one.kind;
    add_loss(&system->contacts[i].loss, &one.loss);
    return true;
}

// No approach at all: contacts that jam while they slip collide without one, 10.7.
static void hit_without_approach(ImpactSystem *system)
{
    for (int i = 0; i < system->count; i++)
        if (system->after[system->items[i].row] == 0 && hit(system, i))
            return;
}

SpragStatus impact_sequence(ImpactSystem *system, bool *found)
{
    int i, limit = HITS_PER_CONTACT * system->count;
    memcpy(system->after, system->before, (size_t)system->rows * sizeof *system->after);
    memset(system->impulse, 0, (size_t)system->rows * sizeof *system->impulse);
    if (impact_system_approach(system, system->after, &i) <= 0)
        hit_without_approach(system);
    *found = false;
    for (int hits = 0; hits < limit; hits++) {
        double approach = impact_system_approach(system, system->after, &i);
        if (approach <= AT_REST * system->scale) {
            *found = true;
            return SPRAG_OK;
        }
        if (!(approach < RUNS_AWAY * system->scale) || !hit(system, i))
            return SPRAG_OK;
    }
    return SPRAG_OK;
}
