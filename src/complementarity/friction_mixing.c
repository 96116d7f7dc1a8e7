// friction_mixing.c: sweeps that learn from each other.
//
// Problem   Gauss-Seidel on piles gains a few percent a sweep once modes are settled, since the
//           map r → G(r) of a pair of sweeps is then nearly linear with some factors close to one.
// Method    [Anderson1965, pp. 547-560]: of the last few changes f = G(r) − r the combination that
//           makes f smallest is taken, and r goes to the same combination of the G(r),
//           theory.md (11.32). It begins anew where changes grow. Points may leave the cones a
//           little: the next sweep puts them back.
// Assumes   nothing; what it gains where modes change all the time is nothing
#include <math.h>
#include <string.h>

#include "friction_internal.h"
#include "sprag/numeric.h"

static const double GROWN = 2, SMALL = 1e-10;

bool mixing_begin(Friction *f, FrictionMixing *mixing)
{
    size_t n = f->size;
    double *block =
        sprag_arena_alloc(f->workspace->arena, (2 * MIXING_DEPTH + 3) * n + 1, sizeof *block);
    *mixing = (FrictionMixing){.size = n, .least = INFINITY};
    if (!block)
        return false;
    mixing->start = block;
    mixing->change = block + n;
    mixing->end = block + 2 * n;
    mixing->changes = block + 3 * n;
    mixing->ends = mixing->changes + MIXING_DEPTH * n;
    memcpy(mixing->start, f->r, n * sizeof *f->r);
    return true;
}

double mixing_product(size_t n, const double *a, const double *b)
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

// Differences to the pair of sweeps before, in the place of the oldest.
static void keep_difference(FrictionMixing *mixing, const double *r)
{
    size_t n = mixing->size, at = (size_t)(mixing->count % MIXING_DEPTH);
    double *change = mixing->changes + at * n, *end = mixing->ends + at * n;
    for (size_t k = 0; k < n; k++) {
        change[k] = r[k] - mixing->start[k] - mixing->change[k];
        end[k] = r[k] - mixing->end[k];
    }
    mixing->count++;
    int known = mixing->count < MIXING_DEPTH ? mixing->count : MIXING_DEPTH;
    for (size_t i = 0; i < (size_t)known; i++)
        mixing->gram[at][i] = mixing->gram[i][at] =
            mixing_product(n, change, mixing->changes + i * n);
}

bool mixing_weights(size_t n, int known, double gram[MIXING_DEPTH][MIXING_DEPTH],
                    const double *changes, const double *change, double *weights)
{
    double matrix[MIXING_DEPTH * MIXING_DEPTH], right[MIXING_DEPTH];
    int rows[MIXING_DEPTH], columns[MIXING_DEPTH], sign;
    for (int i = 0; i < known; i++) {
        right[i] = mixing_product(n, changes + (size_t)i * n, change);
        for (int j = 0; j < known; j++)
            matrix[i * known + j] = gram[i][j] * (i == j ? 1 + SMALL : 1);
    }
    if (sprag_lu_factor(known, matrix, 0, rows, columns, &sign) < known)
        return false;
    sprag_lu_solve(known, matrix, rows, columns, right, weights);
    for (int i = 0; i < known; i++)
        if (!isfinite(weights[i]))
            return false;
    return true;
}

bool mixing_step(FrictionMixing *mixing, double *r)
{
    size_t n = mixing->size;
    double weights[MIXING_DEPTH], square = 0;
    bool mixed = false;
    for (size_t k = 0; k < n; k++)
        square += (r[k] - mixing->start[k]) * (r[k] - mixing->start[k]);
    if (!(square <= GROWN * GROWN * mixing->least)) {
        mixing->begun = false;
        mixing->count = 0;
        mixing->least = INFINITY;
    }
    mixing->least = fmin(mixing->least, square);
    if (mixing->begun)
        keep_difference(mixing, r);
    for (size_t k = 0; k < n; k++)
        mixing->change[k] = r[k] - mixing->start[k];
    memcpy(mixing->end, r, n * sizeof *r);
    mixing->begun = true;
    int known = mixing->count < MIXING_DEPTH ? mixing->count : MIXING_DEPTH;
    if (known > 0 &&
        mixing_weights(n, known, mixing->gram, mixing->changes, mixing->change, weights)) {
        mixed = true;
        for (int i = 0; i < known; i++)
            for (size_t k = 0; k < n; k++)
                r[k] -= weights[i] * mixing->ends[(size_t)i * n + k];
    }
    memcpy(mixing->start, r, n * sizeof *r);
    return mixed;
}
