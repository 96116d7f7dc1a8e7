// impact_bearing_path.c: one contact strikes, and joints rub: the path of the impulses.
// Problem   friction of bearings, and of the contact, follows the slip while the impulse p of the
//           contact grows; where slip reverses, friction against the slip after it would have
//           worked with the motion until then, and made energy. theory.md (9.40)
// Method    per unit of p the changes of velocity obey a contact problem: slips are as they are
//           now, the normal force of the contact is 1. While no slip ends all is linear in p.
// Limits    one contact; in space it has no friction, and no joint rubs several ways, whose slip
// turns on
//           the path. None or several rates: not done.
#include <math.h>
#include <string.h>

#include "impact_private.h"

// Slip below this part of the velocities is none.
static const double REST = 1e-12;

typedef struct RubPath {
    const SpragContactProblem *problem;
    const SpragImpactRule *rule;
    int striker, row; // the contact and its normal
    double *velocity, *rate, *impulse;
    double approach;      // before, < 0
    double p, compressed; // impulse now and at the end of compression; −1: not there yet
    double stored, given; // work of compression and of restitution
} RubPath;

static int tangent_of(const SpragConstraint *item)
{
    return item->row + sprag_constraint_normals(item);
}

static bool can_slip(const SpragConstraint *item)
{
    return item->friction > 0 && item->row_count > sprag_constraint_normals(item);
}

// The only contact; −1: none, several, or something that has no such path.
static int only_contact(const SpragContactProblem *problem)
{
    int only = -1;
    for (int c = 0; c < problem->constraint_count; c++) {
        const SpragConstraint *item = &problem->constraints[c];
        bool contact =
            item->kind == SPRAG_CONSTRAINT_CONTACT || item->kind == SPRAG_CONSTRAINT_LIMIT;
        bool curved = can_slip(item) && item->row_count - sprag_constraint_normals(item) > 1;
        if (item->kind == SPRAG_CONSTRAINT_GUIDE || item->share != 0 || curved ||
            (contact && only >= 0))
            return -1;
        if (contact)
            only = c;
    }
    return only >= 0 && problem->b[problem->constraints[only].row] < 0 ? only : -1;
}

// The contact problem of the rates: the striker's normal has a coordinate of its own, at which its
// force is 1, and pushes the others with that.
static void load_rates(const RubPath *path, SpragContactProblem *rates)
{
    const SpragContactProblem *problem = path->problem;
    int n = problem->row_count, k = path->row;
    for (int r = 0; r < n; r++) {
        rates->b[r] = problem->W[r * n + k];
        for (int s = 0; s < n; s++)
            rates->W[r * n + s] = (r == k) != (s == k) ? 0 : problem->W[r * n + s];
    }
    rates->b[k] = -problem->W[k * n + k];
    double largest = 0;
    for (int r = 0; r < n; r++)
        if (problem->W[r * n + r] > 0)
            largest = fmax(largest, fabs(problem->b[r]) / sqrt(problem->W[r * n + r]));
    for (int c = 0; c < problem->constraint_count; c++) {
        SpragConstraint *item = &rates->constraints[c];
        int t = tangent_of(item);
        item->sliding = false;
        memset(item->slip, 0, sizeof item->slip);
        if (!can_slip(item))
            continue;
        if (fabs(path->velocity[t]) <= REST * largest * sqrt(problem->W[t * n + t]))
            path->velocity[t] = 0;
        item->slip[0] = path->velocity[t];
        item->sliding = item->slip[0] != 0;
    }
}

// Velocities per unit of impulse; a slip that friction holds does not change.
static void take_rates(const RubPath *path, const SpragMotion *motion)
{
    const SpragContactProblem *problem = path->problem;
    int n = problem->row_count;
    for (int r = 0; r < n; r++) {
        double sum = 0, size = 0;
        for (int s = 0; s < n; s++) {
            sum += problem->W[r * n + s] * motion->force[s];
            size += fabs(problem->W[r * n + s] * motion->force[s]);
        }
        path->rate[r] = fabs(sum) > IMPACT_LOCKED * size ? sum : 0;
    }
    for (int c = 0; c < problem->constraint_count; c++)
        if (can_slip(&problem->constraints[c]) && motion->modes[c] == SPRAG_MODE_STICK)
            path->rate[tangent_of(&problem->constraints[c])] = 0;
}

// Impulse until the phase ends if the rates stay; INFINITY: it does not.
static double to_end(const RubPath *path)
{
    double u = path->velocity[path->row], rate = path->rate[path->row], e = path->rule->e;
    if (path->compressed < 0)
        return rate > 0 ? -u / rate : INFINITY;
    if (path->rule->law == SPRAG_RESTITUTION_POISSON)
        return (1 + e) * path->compressed - path->p;
    if (path->rule->law == SPRAG_RESTITUTION_NEWTON)
        return rate > 0 ? (-e * path->approach - u) / rate : INFINITY;
    double left = e * e * path->stored - path->given, root = u * u + 2 * rate * left;
    if (root < 0 || u + sqrt(root) <= 0)
        return INFINITY;
    return 2 * left / (u + sqrt(root));
}

// Impulse until the first slip ends, and whose; INFINITY: none does.
static double to_stop(const RubPath *path, int *stops)
{
    double first = INFINITY;
    *stops = -1;
    for (int c = 0; c < path->problem->constraint_count; c++) {
        int t = tangent_of(&path->problem->constraints[c]);
        if (!can_slip(&path->problem->constraints[c]))
            continue;
        double way =
            path->velocity[t] * path->rate[t] < 0 ? -path->velocity[t] / path->rate[t] : INFINITY;
        if (way < first) {
            first = way;
            *stops = t;
        }
    }
    return first;
}

static void advance(SpragImpact *impact, RubPath *path, const double *force, double length)
{
    const SpragContactProblem *problem = path->problem;
    bool back = path->compressed >= 0;
    for (int c = 0; c < problem->constraint_count; c++) {
        SpragImpactLoss *loss = &impact->contacts[c].loss;
        int t = tangent_of(&problem->constraints[c]);
        if (!can_slip(&problem->constraints[c]))
            continue;
        *(back ? &loss->tangential_restitution : &loss->tangential_compression) -=
            force[t] * (path->velocity[t] + path->rate[t] * length / 2) * length;
    }
    double work = path->velocity[path->row] * length + path->rate[path->row] * length * length / 2;
    SpragImpactLoss *own = &impact->contacts[path->striker].loss;
    *(back ? &own->normal_restitution : &own->normal_compression) -= work;
    *(back ? &path->given : &path->stored) += back ? work : -work;
    for (int r = 0; r < problem->row_count; r++) {
        path->velocity[r] += length * path->rate[r];
        path->impulse[r] += length * force[r];
    }
    path->p += length;
}

// Segment after segment.
static SpragStatus follow(SpragImpact *impact, RubPath *path, SpragContactProblem *rates,
                          bool *done)
{
    SpragMotionSettings settings = sprag_motion_default();
    int most = 4 * path->problem->constraint_count + 8, stops;
    *done = false;
    for (int segment = 0; segment < most; segment++) {
        SpragMotionSet set;
        load_rates(path, rates);
        SPRAG_TRY(sprag_motion_search_run(impact->search, rates, &settings, &set));
        if (set.count != 1)
            return SPRAG_OK;
        take_rates(path, &set.motions[0]);
        double stop = to_stop(path, &stops), end = to_end(path), length = fmin(stop, end);
        // nothing parts a contact that bearings wedge: it stays closed
        *done = !isfinite(length) && path->compressed >= 0;
        if (!isfinite(length))
            return SPRAG_OK;
        advance(impact, path, set.motions[0].force, fmax(length, 0));
        if (stop <= end)
            path->velocity[stops] = 0;
        if (end > stop)
            continue;
        *done = path->compressed >= 0 || path->rule->e == 0;
        if (path->compressed < 0) {
            path->compressed = path->p;
            path->velocity[path->row] = 0;
        }
        if (*done)
            return SPRAG_OK;
    }
    return SPRAG_OK;
}

SpragStatus impact_bearing_path(SpragImpact *impact, const SpragContactProblem *problem,
                                const SpragImpactRule *rules, double *impulse, double *after,
                                SpragCollisionResult *result)
{
    size_t n = (size_t)problem->row_count, m = (size_t)problem->constraint_count;
    int striker = only_contact(problem);
    memset(result, 0, sizeof *result);
    if (striker < 0)
        return SPRAG_OK;
    SpragContactProblem rates = *problem;
    rates.block_count = 0; // W says it all
    SPRAG_TRY(sprag_reserve(impact->context, &impact->contacts, &impact->contact_capacity, m,
                            sizeof *impact->contacts));
    memset(impact->contacts, 0, m * sizeof *impact->contacts);
    double *room = sprag_alloc(impact->context, n * n + 2 * n, sizeof *room);
    rates.constraints = sprag_alloc(impact->context, m, sizeof *rates.constraints);
    SpragStatus status = room && rates.constraints ? SPRAG_OK : SPRAG_ERROR_MEMORY;
    if (status == SPRAG_OK) {
        int row = problem->constraints[striker].row;
        RubPath path = {problem, &rules[striker], striker, row, after, room + n,
                        impulse, problem->b[row], 0,       -1,  0,     0};
        rates.b = room;
        rates.W = room + 2 * n;
        memcpy(rates.constraints, problem->constraints, m * sizeof *rates.constraints);
        memcpy(after, problem->b, n * sizeof *after);
        memset(impulse, 0, n * sizeof *impulse);
        status = follow(impact, &path, &rates, &result->found);
    }
    result->contacts = impact->contacts;
    result->solution_count = 1;
    result->law = rules[striker].e == 0 ? SPRAG_IMPACT_ROUTH_PLASTIC : SPRAG_IMPACT_ROUTH;
    for (size_t r = 0; status == SPRAG_OK && r < n; r++)
        result->energy_loss -= 0.5 * impulse[r] * (after[r] + problem->b[r]);
    sprag_free(impact->context, room);
    sprag_free(impact->context, rates.constraints);
    return status;
}
