// contact_mixed.c: what bearings load an island with, so that it agrees with what the island does.
// Problem   in a given choice pressures s of bearings that slide, and frictions of those that
//           may (with three tangents, or all), are loads on the rest; s = |λN| and theory.md (9.43)
//           are left
// Method    Broyden's method on load ↦ what the motion under it asks for. For a pressure that is
//           |λN|; for frictions all that solve (9.43) together while nothing but
//           bilateral rows answers (contact_rubbing.c): exact at once where there is nothing else
#include "contact_mixed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SUBSTITUTIONS = 100 };
// Loads have converged; a row of which no more is left depends on others; so much of what
// accelerations are sums of is none.
static const double CONVERGED = 1e-12, DEPENDENT = 1e-10, ROUNDING = 1e-12;

const SpragConstraint *mixed_item(const Mixed *mixed, int i)
{
    return &mixed->problem->constraints[mixed->island->member[i]];
}

bool mixed_rubs(const SpragConstraint *item)
{
    return item->kind == SPRAG_CONSTRAINT_BEARING && item->friction > 0;
}

bool mixed_is_disc(const Mixed *mixed, int i)
{
    const SpragConstraint *item = mixed_item(mixed, i);
    return mixed_rubs(item) && mixed->choice[i] == FREE && item->tangents == 2 && !mixed->together;
}

bool mixed_is_ball(const Mixed *mixed, int i)
{
    const SpragConstraint *item = mixed_item(mixed, i);
    return mixed_rubs(item) && mixed->choice[i] == FREE && (item->tangents == 3 || mixed->together);
}

bool mixed_is_loaded(const Mixed *mixed, int i)
{
    return mixed_rubs(mixed_item(mixed, i)) && mixed->choice[i] != 0;
}

// ---- Balls --------------------------------------------------------------------------------------

// Takes row g out of a symmetric matrix whose other rows answer with it.
static void eliminate(int n, int g, double *W)
{
    double pivot = W[g * n + g];
    for (int a = 0; a < n; a++)
        for (int b = 0; a != g && b < n; b++)
            if (b != g)
                W[a * n + b] -= W[a * n + g] * W[g * n + b] / pivot;
    for (int k = 0; k < n; k++)
        W[g * n + k] = W[k * n + g] = 0;
}

// W of the balls' rows while the bilateral rows of the part that are not theirs hold.
static SpragStatus respond(Mixed *mixed)
{
    const SpragContactProblem *p = mixed->problem, *part = &mixed->part;
    int own = mixed->ball_rows, n = own;
    SpragArenaMark mark = sprag_arena_mark(mixed->arena);
    int *row = sprag_arena_alloc(mixed->arena, (size_t)(own + part->row_count) + 1, sizeof *row);
    if (!row)
        return SPRAG_ERROR_MEMORY;
    memcpy(row, mixed->ball_source, (size_t)own * sizeof *row);
    for (int c = 0; c < part->constraint_count; c++) {
        int from = mixed->from[part->constraints[c].row];
        bool other = part->constraints[c].kind == SPRAG_CONSTRAINT_BILATERAL;
        for (int k = 0; other && k < own; k++)
            other = mixed->ball_source[k] != from;
        if (other)
            row[n++] = from;
    }
    double *W = sprag_arena_alloc(mixed->arena, (size_t)n * (size_t)n + 1, sizeof *W);
    if (!W)
        return SPRAG_ERROR_MEMORY;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            W[a * n + b] = p->W[row[a] * p->row_count + row[b]];
    for (int g = own; g < n; g++)
        if (W[g * (n + 1)] > DEPENDENT * p->W[row[g] * (p->row_count + 1)])
            eliminate(n, g, W);
    for (int a = 0; a < own; a++)
        memcpy(mixed->ball_W + a * own, W + a * n, (size_t)own * sizeof *W);
    sprag_arena_release(mixed->arena, mark);
    sprag_rubbing_sweep(own, mixed->ball_count, mixed->balls, mixed->ball_W);
    return SPRAG_OK;
}

static SpragStatus begin_balls(Mixed *mixed)
{
    mixed->ball_count = mixed->ball_rows = 0;
    for (int i = 0; i < mixed->island->member_count; i++) {
        const SpragConstraint *item = mixed_item(mixed, i);
        if (!mixed_is_ball(mixed, i))
            continue;
        mixed->balls[mixed->ball_count++] =
            (SpragRubbing){.first = mixed->ball_rows,
                           .normals = sprag_constraint_normals(item),
                           .tangents = item->tangents,
                           .shared = item->shared,
                           .friction = item->friction};
        for (int k = 0; k < item->row_count; k++)
            mixed->ball_source[mixed->ball_rows++] = item->row + k;
    }
    for (int b = 0; b < mixed->ball_count; b++) {
        int row = mixed->balls[b].shared, at = 0;
        while (row >= 0 && at < mixed->ball_rows && mixed->ball_source[at] != row)
            at++;
        if (row >= 0 && at == mixed->ball_rows) // of a bearing that slides: it only presses
            mixed->ball_source[mixed->ball_rows++] = row;
        mixed->balls[b].shared = row >= 0 ? at : -1;
    }
    return mixed->ball_count > 0 ? respond(mixed) : SPRAG_OK;
}

// Defects of the balls at the forces of all rows.
static double compare_balls(Mixed *mixed)
{
    const SpragContactProblem *p = mixed->problem;
    double largest = 0;
    for (int b = 0; b < mixed->ball_count; b++) {
        SpragRubbing *ball = &mixed->balls[b];
        const int *source = mixed->ball_source + ball->first;
        for (int k = 0; k < ball->normals; k++)
            ball->normal[k] = mixed->force[source[k]];
        if (ball->shared >= 0)
            ball->normal[ball->normals] = mixed->force[mixed->ball_source[ball->shared]];
        double size = 0;
        for (int k = 0; k < ball->tangents; k++) {
            int row = source[ball->normals + k];
            const double *w = p->W + (size_t)row * (size_t)p->row_count;
            ball->impulse[k] = mixed->force[row];
            ball->after[k] = p->b[row];
            size = fmax(size, fabs(p->b[row]));
            for (int j = 0; j < p->row_count; j++) {
                ball->after[k] += w[j] * mixed->force[j];
                size = fmax(size, fabs(w[j] * mixed->force[j]));
            }
        }
        if (sprag_length(ball->tangents, ball->after) <= ROUNDING * size)
            memset(ball->after, 0, sizeof ball->after); // it rests
    }
    sprag_rubbing_solve(mixed->ball_rows, mixed->ball_count, mixed->balls, mixed->ball_W,
                        mixed->ball_x, mixed->ball_u);
    for (int i = 0, b = 0; i < mixed->island->member_count; i++) {
        if (!mixed_is_ball(mixed, i))
            continue;
        const SpragRubbing *ball = &mixed->balls[b++];
        double *defect = mixed->defect + mixed->at[i];
        int m = ball->tangents;
        memcpy(defect, mixed->ball_x + ball->first + ball->normals, (size_t)m * sizeof *defect);
        double pressure = sprag_constraint_pressure(mixed_item(mixed, i), mixed->force);
        double size = fmax(sprag_length(m, ball->impulse), ball->friction * pressure);
        largest = fmax(largest, size > 0 ? sprag_length(m, defect) / size : 0);
    }
    return largest;
}

// ---- Loads --------------------------------------------------------------------------------------

// For n members with u tangents among rows of the problem.
static void carve_mixed(SpragCarver *carver, Mixed *mixed, size_t n, size_t u, size_t rows)
{
    SPRAG_CARVE(carver, mixed->choice, n);
    SPRAG_CARVE(carver, mixed->first, n);
    SPRAG_CARVE(carver, mixed->at, n);
    SPRAG_CARVE(carver, mixed->from, rows);
    SPRAG_CARVE(carver, mixed->ball_source, rows);
    SPRAG_CARVE(carver, mixed->force, rows);
    SPRAG_CARVE(carver, mixed->load, u);
    SPRAG_CARVE(carver, mixed->defect, u);
    SPRAG_CARVE(carver, mixed->old, u);
    SPRAG_CARVE(carver, mixed->step, u);
    SPRAG_CARVE(carver, mixed->change, u);
    SPRAG_CARVE(carver, mixed->along, u);
    SPRAG_CARVE(carver, mixed->B, u * u);
    SPRAG_CARVE(carver, mixed->ball_x, rows);
    SPRAG_CARVE(carver, mixed->ball_u, rows);
    SPRAG_CARVE(carver, mixed->ball_W, rows * rows);
    SPRAG_CARVE(carver, mixed->balls, n);
}

SpragStatus mixed_create(Mixed *mixed)
{
    size_t n = (size_t)mixed->island->member_count + 1, u = 1;
    size_t rows = (size_t)mixed->problem->row_count + 1;
    SpragCarver carver = {0};
    for (int i = 0; i < mixed->island->member_count; i++)
        u += (size_t)mixed_item(mixed, i)->tangents;
    carve_mixed(&carver, mixed, n, u, rows);
    carver = (SpragCarver){sprag_arena_alloc(mixed->arena, carver.used, 1), 0};
    carve_mixed(&carver, mixed, n, u, rows);
    return carver.base ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

SpragStatus mixed_begin(Mixed *mixed)
{
    mixed->loads = 0;
    for (int i = 0; i < mixed->island->member_count; i++) {
        mixed->at[i] = mixed->loads;
        mixed->loads +=
            mixed_is_ball(mixed, i) ? mixed_item(mixed, i)->tangents : mixed_is_loaded(mixed, i);
    }
    memset(mixed->load, 0, ((size_t)mixed->loads + 1) * sizeof *mixed->load);
    return begin_balls(mixed);
}

double mixed_friction(const Mixed *mixed, int i, int k)
{
    const SpragConstraint *item = mixed_item(mixed, i);
    const double *load = mixed->load + mixed->at[i];
    if (mixed_is_ball(mixed, i))
        return load[k];
    double size = item->friction * load[0];
    if (item->tangents == 1 || !item->sliding)
        return -mixed->choice[i] * size;
    return -size * item->slip[k] / sprag_length(item->tangents, item->slip);
}

// Whether friction of bearing i is no force of the part.
static bool is_given(const Mixed *mixed, int i)
{
    return mixed_is_loaded(mixed, i) && !mixed_is_disc(mixed, i);
}

void mixed_load(Mixed *mixed)
{
    const SpragContactProblem *whole = mixed->problem;
    for (int r = 0; r < mixed->part.row_count; r++) {
        if (mixed->from[r] < 0)
            continue;
        double sum = whole->b[mixed->from[r]];
        for (int i = 0; i < mixed->island->member_count; i++) {
            const SpragConstraint *item = mixed_item(mixed, i);
            const double *w = whole->W + (size_t)mixed->from[r] * (size_t)whole->row_count;
            for (int k = 0; is_given(mixed, i) && k < item->tangents; k++)
                sum +=
                    w[item->row + sprag_constraint_normals(item) + k] * mixed_friction(mixed, i, k);
        }
        mixed->part.b[r] = sum;
    }
    for (int i = 0; i < mixed->island->member_count; i++) {
        if (!mixed_is_disc(mixed, i))
            continue;
        int row = mixed->part.constraints[mixed->first[i]].row +
                  sprag_constraint_normals(mixed_item(mixed, i));
        mixed->part.b[row] =
            -mixed->part.W[row * (mixed->part.row_count + 1)] * mixed->load[mixed->at[i]];
    }
}

double mixed_compare(Mixed *mixed, const SpragMotion *motion)
{
    double largest = 0;
    for (int r = 0; r < mixed->part.row_count; r++)
        if (mixed->from[r] >= 0)
            mixed->force[mixed->from[r]] = motion->force[r];
    for (int i = 0; i < mixed->island->member_count; i++) {
        const SpragConstraint *item = mixed_item(mixed, i);
        double *tangential = mixed->force + item->row + sprag_constraint_normals(item);
        for (int k = 0; is_given(mixed, i) && k < item->tangents; k++)
            tangential[k] = mixed_friction(mixed, i, k);
    }
    for (int i = 0; i < mixed->island->member_count; i++) {
        if (!mixed_is_loaded(mixed, i) || mixed_is_ball(mixed, i))
            continue;
        double now = sprag_constraint_pressure(mixed_item(mixed, i), mixed->force);
        double size = fmax(now, mixed->load[mixed->at[i]]);
        double defect = mixed->defect[mixed->at[i]] = now - mixed->load[mixed->at[i]];
        largest = fmax(largest, size > 0 ? fabs(defect) / size : 0);
    }
    return mixed->ball_count > 0 ? fmax(largest, compare_balls(mixed)) : largest;
}

// Broyden's step in mixed->step from the defect at the loads that the last step led to, whose
// defect before it is in mixed->old; mixed->B is the inverse of I − dg/ds, whose product with the
// defect is the step.
static void next_step(Mixed *mixed, bool first)
{
    int n = mixed->loads;
    double *B = mixed->B, *step = mixed->step, *change = mixed->change, *along = mixed->along;
    double product = 0;
    for (int i = 0; i < n && !first; i++) {
        change[i] = along[i] = 0;
        for (int j = 0; j < n; j++) {
            change[i] += B[i * n + j] * (mixed->old[j] - mixed->defect[j]);
            along[i] += step[j] * B[j * n + i];
        }
        product += step[i] * change[i];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            B[i * n + j] = first ? (i == j)
                           : product != 0
                               ? B[i * n + j] + (step[i] - change[i]) / product * along[j]
                               : B[i * n + j];
    memcpy(mixed->old, mixed->defect, (size_t)n * sizeof *step);
    for (int i = 0; i < n; i++) {
        step[i] = 0;
        for (int j = 0; j < n; j++)
            step[i] += B[i * n + j] * mixed->defect[j];
    }
    for (int i = 0; i < mixed->island->member_count; i++) // pressures are not negative
        if (mixed_is_loaded(mixed, i) && !mixed_is_ball(mixed, i))
            step[mixed->at[i]] = fmax(step[mixed->at[i]], -mixed->load[mixed->at[i]]);
    for (int i = 0; i < n; i++)
        mixed->load[i] += step[i];
}

SpragStatus mixed_converge(Mixed *mixed, const SpragMotionSettings *settings, bool *found)
{
    SpragMotionSet set;
    *found = false;
    for (int k = 0; k < SUBSTITUTIONS; k++) {
        mixed_load(mixed);
        SPRAG_TRY(sprag_motion_search_run(mixed->search, &mixed->part, settings, &set));
        if (set.count == 0)
            return SPRAG_OK;
        *found = mixed_compare(mixed, &set.motions[0]) <= CONVERGED;
        if (*found)
            return SPRAG_OK;
        next_step(mixed, k == 0);
    }
    return SPRAG_OK;
}
