// impact_bearing.c: friction of joints in a collision.
// Problem   a collision presses the bearings of joints with impulses P_N, and they rub with
//           |P_T| ≤ μ |P_N| against the slip after it, theory.md (9.37); one contact alone has its
//           path (impact_bearing_path.c)
// Method    with all P_T given the bearings are bilateral rows, which every scheme eliminates; with
//           the P_N and slips of that collision P_T is found as if its contacts' impulses stayed
//           (contact_rubbing.c), and the collision repeated until none changes
// Result    where that does not settle the bearings are without friction in this collision
#include <math.h>
#include <string.h>

#include "impact_private.h"

enum { MOST_SWEEPS = 200 };
// Changes of P_T below this part of the largest impulse are none.
static const double SETTLED = 1e-12;

// What a collision is asked for, and where its answer goes.
typedef struct Attempt {
    const SpragImpactRule *rules;
    SpragImpactRule *own; // as the collision under given impulses has them; and room for others
    SpragImpactScheme scheme;
    double *impulse, *after;
    SpragCollisionResult *result;
} Attempt;

static bool rubs(const SpragConstraint *item)
{
    return item->kind == SPRAG_CONSTRAINT_BEARING && item->friction > 0;
}

bool impact_has_bearings(const SpragContactProblem *problem)
{
    for (int c = 0; c < problem->constraint_count; c++)
        if (rubs(&problem->constraints[c]))
            return true;
    return false;
}

// The same collision with bearings that do not rub, under the impulses `given` (rows).
static void load(const SpragContactProblem *problem, const double *given,
                 SpragContactProblem *smooth)
{
    int n = problem->row_count;
    for (int c = 0; c < problem->constraint_count; c++)
        if (rubs(&problem->constraints[c]))
            smooth->constraints[c].friction = 0;
    for (int r = 0; r < n; r++) {
        smooth->b[r] = problem->b[r];
        for (int s = 0; s < n; s++)
            smooth->b[r] += problem->W[r * n + s] * given[s];
    }
}

// Rows of the bearings that rub, and their part of W with the normals swept out.
typedef struct Rubs {
    int count, rows;
    SpragRubbing *bearings;
    int *source; // row of the problem
    double *W, *x, *u;
} Rubs;

static void gather(const SpragContactProblem *problem, Rubs *rubs_of)
{
    int n = problem->row_count;
    rubs_of->count = rubs_of->rows = 0;
    for (int c = 0; c < problem->constraint_count; c++) {
        const SpragConstraint *item = &problem->constraints[c];
        if (!rubs(item))
            continue;
        rubs_of->bearings[rubs_of->count++] =
            (SpragRubbing){.first = rubs_of->rows,
                           .normals = sprag_constraint_normals(item),
                           .tangents = item->tangents,
                           .shared = item->shared,
                           .friction = item->friction};
        for (int k = 0; k < item->row_count; k++)
            rubs_of->source[rubs_of->rows++] = item->row + k;
    }
    for (int i = 0; i < rubs_of->count; i++) // a sibling rubs too
        for (int k = 0, row = rubs_of->bearings[i].shared; row >= 0 && k < rubs_of->rows; k++)
            if (rubs_of->source[k] == row)
                rubs_of->bearings[i].shared = k;
    for (int i = 0; i < rubs_of->rows; i++)
        for (int j = 0; j < rubs_of->rows; j++)
            rubs_of->W[i * rubs_of->rows + j] =
                problem->W[rubs_of->source[i] * n + rubs_of->source[j]];
    sprag_rubbing_sweep(rubs_of->rows, rubs_of->count, rubs_of->bearings, rubs_of->W);
}

// Impulses of friction against what is left of the slips; returns the largest change as a part of
// the largest.
static double rub(const Rubs *all, const double *impulse, const double *after, double *given)
{
    for (int i = 0; i < all->count; i++) {
        SpragRubbing *b = &all->bearings[i];
        const int *source = all->source + b->first;
        for (int k = 0; k < b->normals; k++)
            b->normal[k] = impulse[source[k]];
        if (b->shared >= 0)
            b->normal[1] = impulse[all->source[b->shared]];
        for (int k = 0; k < b->tangents; k++) {
            b->after[k] = after[source[b->normals + k]];
            b->impulse[k] = given[source[b->normals + k]];
        }
    }
    double change =
        sprag_rubbing_solve(all->rows, all->count, all->bearings, all->W, all->x, all->u);
    for (int i = 0; i < all->count; i++) {
        int t = all->bearings[i].first + all->bearings[i].normals;
        for (int k = t; k < t + all->bearings[i].tangents; k++)
            given[all->source[k]] += all->x[k];
    }
    return change;
}

// The account of the whole collision, and what the bearings have taken.
static void account(SpragImpact *impact, const SpragContactProblem *problem, const double *given,
                    double *impulse, const double *after, SpragCollisionResult *result)
{
    result->energy_loss = 0;
    for (int r = 0; r < problem->row_count; r++) {
        impulse[r] += given[r];
        result->energy_loss -= 0.5 * impulse[r] * (after[r] + problem->b[r]);
    }
    for (int c = 0; c < problem->constraint_count; c++) {
        const SpragConstraint *item = &problem->constraints[c];
        int r = item->row + sprag_constraint_normals(item);
        if (!rubs(item))
            continue;
        impact->contacts[c].loss.tangential_compression = 0;
        for (; r < item->row + item->row_count; r++)
            impact->contacts[c].loss.tangential_compression -=
                0.5 * impulse[r] * (after[r] + problem->b[r]);
    }
}

// The part of one tangent t in it.
static double pushed_by(const Rubs *all, const double *w, const double *given, int t)
{
    double P = given[all->source[t]], sum = w[all->source[t]] * P;
    for (int j = 0; j < all->count; j++)
        for (int k = 0; k < all->bearings[j].normals; k++) {
            int n = all->bearings[j].first + k;
            sum -= w[all->source[n]] * all->W[n * all->rows + t] * P;
        }
    return sum;
}

// What the friction given does to the velocity in a row while the normals of the bearings hold.
static double pushed(const SpragContactProblem *problem, const Rubs *all, const double *given,
                     int row)
{
    const double *w = problem->W + (size_t)row * (size_t)problem->row_count;
    double sum = 0;
    for (int i = 0; i < all->count; i++)
        for (int e = 0; e < all->bearings[i].tangents; e++)
            sum += pushed_by(all, w, given, all->bearings[i].first + all->bearings[i].normals + e);
    return sum;
}

// Newton's law is about the velocities before the collision, and the impulses given are part of it:
// −e u⁻ = −e' (u⁻ + what they do).
static void keep_approach(const SpragContactProblem *problem, const Rubs *all, const double *given,
                          const Attempt *attempt)
{
    for (int c = 0; c < problem->constraint_count; c++) {
        double before = problem->b[problem->constraints[c].row];
        attempt->own[c] = attempt->rules[c];
        if (attempt->rules[c].law != SPRAG_RESTITUTION_NEWTON || !(before < 0))
            continue;
        double after = before + pushed(problem, all, given, problem->constraints[c].row);
        if (after < 0)
            attempt->own[c].e = fmin(attempt->rules[c].e * before / after, 1);
    }
}

// One after the other until friction settles.
static SpragStatus repeat(SpragImpact *impact, const SpragContactProblem *problem,
                          SpragContactProblem *smooth, const Rubs *all, const Attempt *attempt,
                          double *given)
{
    size_t n = (size_t)problem->row_count;
    for (int sweep = 0; sweep <= MOST_SWEEPS; sweep++) {
        if (sweep == MOST_SWEEPS)
            memset(given, 0, n * sizeof *given);
        load(problem, given, smooth);
        keep_approach(problem, all, given, attempt);
        SPRAG_TRY(sprag_impact_collide(impact, smooth, attempt->own, attempt->scheme,
                                       attempt->impulse, attempt->after, attempt->result));
        if (!attempt->result->found || sweep == MOST_SWEEPS)
            break;
        double *next = smooth->b; // filled anew before it is used again
        memcpy(next, given, n * sizeof *given);
        if (rub(all, attempt->impulse, attempt->after, next) <= SETTLED)
            break;
        memcpy(given, next, n * sizeof *given);
    }
    return SPRAG_OK;
}

// Energy that friction against the slip after it has made under a law that makes none.
static bool makes_energy(const SpragContactProblem *problem, const SpragImpactRule *rules,
                         const double *impulse, double loss)
{
    double size = 0;
    for (int c = 0; c < problem->constraint_count; c++)
        if (rules[c].law == SPRAG_RESTITUTION_NEWTON && rules[c].e > 0 &&
            problem->constraints[c].kind != SPRAG_CONSTRAINT_BEARING)
            return false;
    for (int r = 0; r < problem->row_count; r++)
        size += fabs(impulse[r] * problem->b[r]);
    return loss < -IMPACT_GAIN * size;
}

// By (9.37); where that makes energy nothing is given back, with which it never does.
static SpragStatus by_slip_after(SpragImpact *impact, const SpragContactProblem *problem,
                                 SpragContactProblem *smooth, const Rubs *all, Attempt *attempt,
                                 double *given)
{
    size_t m = (size_t)problem->constraint_count;
    for (int turn = 0; turn < 2; turn++) {
        SPRAG_TRY(repeat(impact, problem, smooth, all, attempt, given));
        if (!attempt->result->found)
            return SPRAG_OK;
        account(impact, problem, given, attempt->impulse, attempt->after, attempt->result);
        if (turn == 1 ||
            !makes_energy(problem, attempt->rules, attempt->impulse, attempt->result->energy_loss))
            return SPRAG_OK;
        SpragImpactRule *plastic = attempt->own + m;
        memcpy(plastic, attempt->rules, m * sizeof *plastic);
        for (size_t c = 0; c < m; c++)
            plastic[c].e = 0;
        attempt->rules = plastic;
        memset(given, 0, (size_t)problem->row_count * sizeof *given);
    }
    return SPRAG_OK;
}

SpragStatus impact_collide_bearings(SpragImpact *impact, const SpragContactProblem *problem,
                                    const SpragImpactRule *rules, SpragImpactScheme scheme,
                                    double *impulse, double *after, SpragCollisionResult *result)
{
    SpragContext *context = problem->context;
    size_t n = (size_t)problem->row_count, m = (size_t)problem->constraint_count;
    SPRAG_TRY(impact_bearing_path(impact, problem, rules, impulse, after, result));
    if (result->found)
        return SPRAG_OK;
    SpragContactProblem smooth = *problem; // shares W
    SpragImpactRule *own = sprag_alloc(context, 2 * m, sizeof *own);
    Attempt attempt = {rules, own, scheme, impulse, after, result};
    smooth.constraints = sprag_alloc(context, m, sizeof *smooth.constraints);
    double *given = sprag_alloc(context, n * n + 4 * n, sizeof *given);
    Rubs all = {.bearings = sprag_alloc(context, m, sizeof *all.bearings),
                .source = sprag_alloc(context, n, sizeof *all.source)};
    bool room = smooth.constraints && given && all.bearings && all.source && own;
    SpragStatus status = room ? SPRAG_OK : SPRAG_ERROR_MEMORY;
    if (room) {
        memcpy(smooth.constraints, problem->constraints, m * sizeof *smooth.constraints);
        smooth.b = given + n;
        all.x = given + 2 * n;
        all.u = given + 3 * n;
        all.W = given + 4 * n;
        gather(problem, &all);
        status = by_slip_after(impact, problem, &smooth, &all, &attempt, given);
    }
    sprag_free(context, own);
    sprag_free(context, all.bearings);
    sprag_free(context, all.source);
    sprag_free(context, given);
    sprag_free(context, smooth.constraints);
    return status;
}
