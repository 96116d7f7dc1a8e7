// motion_turning.c: how fast the directions of slips in space turn to where they belong.
// Problem   friction of slip turns with it: slip across that of the moment, s_i, decays by
//           s' = −A diag(μ λN/|v_T|) s, where A is what the slips answer to forces across them.
//           Explicit steps are stable up to a multiple of the largest rate
// Method    a bound without the rows that the mode holds at zero, whose forces answer too; where it
//           matters A with them (the equations of the mode, theory.md (3.4)) and the power method.
//           A body that slides on its side has mobile corners, but it cannot tilt: the bound is
//           many times the rate, and would cut every step of a straight slide
#include <math.h>

#include "motion_private.h"
#include "sprag/numeric.h"

// The force of friction per speed of slip of a contact in space, where it turns the slip; else 0.
static double turning_force(const SpragRun *run, int i)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    if (f->rows[i] != 3 || !f->sliding[i] || f->soft[i])
        return 0;
    double slip = fmax(modes_slip_size(run, e->slip + 2 * i), f->vague[i]);
    return slip > 0 ? e->friction[2 * i + 1] * fabs(e->force[f->first[i]]) / slip : 0;
}

// How fast the directions of slips turn to where they belong, μ λN a_tt/|v_T|, and those
// of contacts of one body together (the largest sum of a row). Slips that grow much slower than
// friction could stop them are stiff.
double turning_bound(const SpragRun *run)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    double rate = 0;
    int n = f->row_count;
    for (int i = 0; run->tangents == 2 && e->solved && e->whole && i < f->active_count; i++) {
        double sum = 0;
        for (int j = 0; turning_force(run, i) > 0 && j < f->active_count; j++) {
            const double *w = e->W + (size_t)(f->first[i] + 1) * (size_t)n + f->first[j] + 1;
            double force = turning_force(run, j);
            if (force > 0)
                sum += force * fmax(fabs(w[0]), fabs(w[n + 1]));
        }
        rate = fmax(rate, sum);
    }
    return rate;
}

// ---- The rate itself ----------------------------------------------------------------------------

enum { POWER_STEPS = 30 };

typedef struct Turning {
    int count, k;     // slips that turn; equations of the mode
    int *contact;     // a slip
    int *permutation; // 2 k
    double *across;   // two a slip
    double *D, *x, *right;
    double *A, *s, *next;
} Turning;

static bool allocate(const SpragRun *run, Turning *t)
{
    const Frozen *f = &run->frozen;
    size_t m = (size_t)f->active_count + 1, k = (size_t)f->solved_count + 1;
    t->k = f->solved_count;
    t->contact = sprag_arena_alloc(run->arena, m, sizeof *t->contact);
    t->permutation = sprag_arena_alloc(run->arena, 2 * k, sizeof *t->permutation);
    double *next = sprag_arena_alloc(run->arena, k * (k + 2) + m * (m + 4), sizeof *next);
    if (!t->contact || !t->permutation || !next)
        return false;
    t->D = next;
    t->x = t->D + k * k;
    t->right = t->x + k;
    t->across = t->right + k;
    t->s = t->across + 2 * m;
    t->next = t->s + m;
    t->A = t->next + m;
    return true;
}

static void list_slips(const SpragRun *run, Turning *t)
{
    t->count = 0;
    for (int i = 0; i < run->frozen.active_count; i++) {
        const double *direction = run->now.direction + 2 * i;
        if (!(turning_force(run, i) > 0))
            continue;
        t->across[2 * t->count] = -direction[1];
        t->across[2 * t->count + 1] = direction[0];
        t->contact[t->count++] = i;
    }
}

// Of two entries for the tangents of slip i, the part across it.
static double across(const Turning *t, int i, const double *w)
{
    return t->across[2 * i] * w[0] + t->across[2 * i + 1] * w[1];
}

// The equations of the mode, factored; false: they are singular.
static bool factor(const SpragRun *run, const Turning *t)
{
    const Frozen *f = &run->frozen;
    int k = t->k, sign;
    double largest = 0;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            const double *w =
                run->now.W + (size_t)f->unknowns[f->solved[i]].row * (size_t)f->row_count;
            t->D[i * k + j] = modes_entry(run, w, &f->unknowns[f->solved[j]]);
            largest = fmax(largest, fabs(t->D[i * k + j]));
        }
    return sprag_lu_factor(k, t->D, 1e-13 * largest, t->permutation, t->permutation + k, &sign) ==
           k;
}

// Column j of A times the force per speed there.
static void answer(const SpragRun *run, const Turning *t, int j)
{
    const Frozen *f = &run->frozen;
    int n = f->row_count, from = f->first[t->contact[j]] + 1;
    for (int i = 0; i < t->k; i++) {
        const double *w = run->now.W + (size_t)f->unknowns[f->solved[i]].row * (size_t)n;
        t->right[i] = -across(t, j, w + from);
    }
    sprag_lu_solve(t->k, t->D, t->permutation, t->permutation + t->k, t->right, t->x);
    for (int i = 0; i < t->count; i++) {
        double sum = 0;
        for (int d = 0; d < 2; d++) {
            const double *w = run->now.W + (size_t)(f->first[t->contact[i]] + 1 + d) * (size_t)n;
            double slip = across(t, j, w + from);
            for (int r = 0; r < t->k; r++)
                slip += t->x[r] * modes_entry(run, w, &f->unknowns[f->solved[r]]);
            sum += t->across[2 * i + d] * slip;
        }
        t->A[i * t->count + j] = sum * turning_force(run, t->contact[j]);
    }
}

static double largest_rate(const Turning *t)
{
    double rate = 0;
    for (int i = 0; i < t->count; i++)
        t->s[i] = 1 + 0.37 * i;
    for (int step = 0; step < POWER_STEPS; step++) {
        double size = 0, old = 0;
        for (int i = 0; i < t->count; i++) {
            t->next[i] = 0;
            for (int j = 0; j < t->count; j++)
                t->next[i] += t->A[i * t->count + j] * t->s[j];
            size += t->next[i] * t->next[i];
            old += t->s[i] * t->s[i];
        }
        if (!(size > 0))
            return 0;
        rate = sqrt(size / old);
        for (int i = 0; i < t->count; i++)
            t->s[i] = t->next[i] / sqrt(size);
    }
    return rate;
}

double turning_rate(const SpragRun *run)
{
    Turning t;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    double rate = turning_bound(run);
    bool known = rate > 0 && allocate(run, &t);
    if (known)
        list_slips(run, &t);
    if (known && factor(run, &t)) {
        for (int j = 0; j < t.count; j++)
            answer(run, &t, j);
        rate = fmin(rate, largest_rate(&t));
    }
    sprag_arena_release(run->arena, mark);
    return rate;
}
