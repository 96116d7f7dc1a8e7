// friction_sweeps_mixing.c: sweeps in one order that learn from each other.
//
// Problem   from sweep to sweep r → G(r) gains a few percent where some factors of G are close to
//           one
// Method    [Anderson1965, pp. 547-560], theory.md (11.32), on r, and on the velocities v that
// belong
//           to it: they follow r linearly, so nothing is worked out anew. It begins again where a
//           sweep changes r by more than the one before.
// Assumes   nothing; points may leave the cones a little, and the next sweep puts them back
#include <math.h>
#include <string.h>

#include "friction_sweeps.h"
#include "sprag/numeric.h"

// On the diagonal of the normal equations.
static const double SMALL = 1e-10;

static double product(size_t n, const double *a, const double *b)
{
    double sum[4] = {0};
    size_t k = 0;
    for (; k + 4 <= n; k += 4)
        for (size_t e = 0; e < 4; e++)
            sum[e] += a[k + e] * b[k + e];
    for (; k < n; k++)
        sum[0] += a[k] * b[k];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

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
        s->gram[at][i] = s->gram[i][at] = product(n, change, s->changes + i * n);
}

static bool find_weights(const Sweeps *s, int known, double *weights)
{
    double matrix[SWEEPS_DEPTH * SWEEPS_DEPTH], right[SWEEPS_DEPTH];
    int rows[SWEEPS_DEPTH], columns[SWEEPS_DEPTH], sign;
    for (int i = 0; i < known; i++) {
        right[i] = product(s->size, s->changes + (size_t)i * s->size, s->change);
        for (int j = 0; j < known; j++)
            matrix[i * known + j] = s->gram[i][j] * (i == j ? 1 + SMALL : 1);
    }
    if (sprag_lu_factor(known, matrix, 0, rows, columns, &sign) < known)
        return false;
    sprag_lu_solve(known, matrix, rows, columns, right, weights);
    for (int i = 0; i < known; i++)
        if (!isfinite(weights[i]))
            return false;
    return true;
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
    if (known > 0 && !find_weights(s, known, weights))
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
