// contact_mixed_hold.c: whether bearings at rest hold together, where nobody tells who.
// Problem   in loops slips of several bearings depend on each other, S f + c with a singular S, so
//           that frictions f that hold are a set; some of them may be inside of all cones
//           |f_i| ≤ μ_i |λN_i|, λN = p + Q f, though the least are not
// Method    projections on the frictions that hold and on the cones in turn. The first half of them
//           looks for some clearly inside
// Result    a start for the loads of contact_mixed.c; none found is no proof that there are none
#include <math.h>
#include <string.h>

#include "contact_mixed.h"
#include "sprag/numeric.h"

enum { PROJECTIONS = 1000 };
static const double INSIDE = 1e-3, DEPENDENT = 1e-10, ROUNDING = 1e-12;

typedef struct Hold {
    int n;    // components of friction
    int *row; // of each, among the rows of the balls
    double *f, *r;
    double *S, *US, *s, *V; // S, and its singular values
} Hold;

static SpragStatus create(Mixed *mixed, Hold *hold)
{
    hold->n = 0;
    for (int b = 0; b < mixed->ball_count; b++)
        hold->n += mixed->balls[b].tangents;
    size_t n = (size_t)hold->n;
    hold->row = sprag_arena_alloc(mixed->arena, n + 1, sizeof *hold->row);
    hold->f = sprag_arena_alloc(mixed->arena, 3 * n * n + 3 * n + 1, sizeof *hold->f);
    if (!hold->row || !hold->f)
        return SPRAG_ERROR_MEMORY;
    hold->r = hold->f + n;
    hold->s = hold->r + n;
    hold->S = hold->s + n;
    hold->US = hold->S + n * n;
    hold->V = hold->US + n * n;
    for (int b = 0, k = 0; b < mixed->ball_count; b++)
        for (int e = 0; e < mixed->balls[b].tangents; e++)
            hold->row[k++] = mixed->balls[b].first + mixed->balls[b].normals + e;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            hold->S[i * n + j] = mixed->ball_W[hold->row[i] * mixed->ball_rows + hold->row[j]];
    memcpy(hold->US, hold->S, n * n * sizeof *hold->S);
    sprag_svd(hold->n, hold->n, hold->US, hold->s, hold->V);
    return SPRAG_OK;
}

// The nearest frictions that hold; false: none do.
static bool onto_rest(const Mixed *mixed, Hold *hold)
{
    int n = hold->n;
    double size = 0, left = 0;
    for (int i = 0, b = 0, e = 0; i < n; i++) {
        hold->r[i] = mixed->balls[b].after[e];
        size = fmax(size, fabs(hold->r[i]));
        for (int j = 0; j < n; j++)
            hold->r[i] += hold->S[i * n + j] * hold->f[j];
        if (++e == mixed->balls[b].tangents) {
            b++;
            e = 0;
        }
    }
    for (int k = 0; k < n && hold->s[k] > DEPENDENT * hold->s[0]; k++) {
        double along = 0;
        for (int i = 0; i < n; i++)
            along += hold->US[i * n + k] * hold->r[i];
        along /= hold->s[k] * hold->s[k];
        for (int i = 0; i < n; i++) {
            hold->f[i] -= along * hold->V[i * n + k];
            hold->r[i] -= along * hold->US[i * n + k];
        }
    }
    for (int i = 0; i < n; i++)
        left = fmax(left, fabs(hold->r[i]));
    return left <= sqrt(DEPENDENT) * size;
}

// What presses ball b under the frictions.
static double pressure(const Mixed *mixed, const Hold *hold, const SpragRubbing *ball)
{
    double sum = 0;
    for (int k = 0; k < ball->normals + (ball->shared >= 0); k++) {
        int row = k < ball->normals ? ball->first + k : ball->shared;
        double normal = ball->normal[k];
        for (int j = 0; j < hold->n; j++)
            normal -= mixed->ball_W[row * mixed->ball_rows + hold->row[j]] * hold->f[j];
        sum = hypot(sum, normal);
    }
    return sum;
}

// Into the cones, narrowed; returns whether all were inside of the whole ones.
static bool into_cones(const Mixed *mixed, Hold *hold, double part)
{
    bool inside = true;
    for (int b = 0, k = 0; b < mixed->ball_count; k += mixed->balls[b++].tangents) {
        const SpragRubbing *ball = &mixed->balls[b];
        double limit = ball->friction * pressure(mixed, hold, ball);
        double size = sprag_length(ball->tangents, hold->f + k);
        inside &= size <= limit * (1 + ROUNDING);
        for (int e = 0; e < ball->tangents && size > part * limit; e++)
            hold->f[k + e] *= part * limit / size;
    }
    return inside;
}

SpragStatus mixed_hold(Mixed *mixed)
{
    SpragArenaMark mark = sprag_arena_mark(mixed->arena);
    Hold hold;
    bool found = false;
    SPRAG_TRY(create(mixed, &hold));
    for (int k = 0; k < PROJECTIONS && !found; k++) {
        if (!onto_rest(mixed, &hold))
            break;
        memcpy(mixed->load, hold.f, (size_t)hold.n * sizeof *hold.f);
        found = into_cones(mixed, &hold, k < PROJECTIONS / 2 ? 1 - INSIDE : 1);
    }
    if (!found)
        memset(mixed->load, 0, (size_t)hold.n * sizeof *hold.f);
    sprag_arena_release(mixed->arena, mark);
    return SPRAG_OK;
}
