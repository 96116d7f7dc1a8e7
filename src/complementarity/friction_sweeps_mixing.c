// friction_sweeps_mixing.c: sweeps in one order that learn from each other.
//
// Problem   from sweep to sweep r → G(r) gains a few percent where some factors of G are close to
//           one
// Method    [Anderson1965, pp. 547-560], theory.md (11.32), on r, and on the velocities v of r:
//           they follow it linearly, so nothing is worked out anew. It begins again where a sweep
//           changes r by more than the one before.
// Assumes   nothing; points may leave the cones a little, and the next sweep puts them back
#include <string.h>

#include "friction_sweeps.h"

// Differences to the sweep before, in the place of the oldest.
static void keep_differences(Sweeps *s)
{
    size_t n = s->size, at = (size_t)(s->known % SWEEPS_DEPTH);
    double *change = s->changes + at * n, *end = s->ends + at * n;
    Pair *velocity = s->velocities + at * s->speeds;
    for (size_t k = 0; k < n; k++) {
        change[k] = s->r[k] - s->start[k] - s->change[k];
        end[k] = s->r[k] - s->end[k];
    }
    for (size_t k = 0; k < s->speeds; k++)
        velocity[k] = s->velocity[k] - s->end_velocity[k];
    s->known++;
    size_t known = s->known < SWEEPS_DEPTH ? (size_t)s->known : SWEEPS_DEPTH;
    for (size_t i = 0; i < known; i++)
        s->gram[at][i] = s->gram[i][at] = mixing_product(n, change, s->changes + i * n);
}

void sweeps_mix(Sweeps *s, double square)
{
    size_t n = s->size;
    double weights[SWEEPS_DEPTH];
    if (!(square <= s->least)) {
        s->begun = false;
        s->known = 0;
    }
    s->least = square;
    if (s->begun)
        keep_differences(s);
    for (size_t k = 0; k < n; k++)
        s->change[k] = s->r[k] - s->start[k];
    memcpy(s->end, s->r, n * sizeof *s->end);
    memcpy(s->end_velocity, s->velocity, s->speeds * sizeof *s->velocity);
    s->begun = true;
    int known = s->known < SWEEPS_DEPTH ? s->known : SWEEPS_DEPTH;
    if (known > 0 && !mixing_weights(n, known, s->gram, s->changes, s->change, weights))
        return;
    for (size_t i = 0; i < (size_t)known; i++) {
        const double *end = s->ends + i * n;
        const Pair *velocity = s->velocities + i * s->speeds;
        for (size_t k = 0; k < n; k++)
            s->r[k] -= weights[i] * end[k];
        for (size_t k = 0; k < s->speeds; k++)
            s->velocity[k] -= weights[i] * velocity[k];
    }
}
