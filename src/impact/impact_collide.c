// impact_collide.c: any number of contacts, by the scheme asked for or the nearest that can.
// One contact is a single impact; without restitution the collision is plastic, but on the path
// where slip would reverse, which the velocity-level problem does not see. Else the scheme
// runs on the problem without its bilateral rows. What it cannot do (a law that is not its own, a
// limit met) a sequence does, what that cannot do is plastic; so are guides with friction, whose
// normal impulses have no compression to give back from. The result says so.
#include <float.h>
#include <math.h>
#include <string.h>

#include "impact_friction.h"
#include "impact_system.h"

// Slip that is this part of the largest velocity, or of its own terms, is none.
static const double REST_PART = 1e-9;

static SpragImpactLaw law_of_one(int row_count, double e)
{
    if (e == 0)
        return SPRAG_IMPACT_ROUTH_PLASTIC;
    return row_count == 3 ? SPRAG_IMPACT_HODOGRAPH : SPRAG_IMPACT_ROUTH;
}

static SpragStatus collide_one(SpragImpact *impact, const SpragContactProblem *problem,
                               const SpragImpactRule *rule, double *impulse, double *after,
                               SpragCollisionResult *result)
{
    SpragSingleImpact single;
    SpragSingleResult one;
    impact_single_load(problem, 0, &single);
    single.law = rule->law;
    single.e = rule->e;
    sprag_impact_single(&single, &one);
    size_t size = (size_t)problem->row_count * sizeof *impulse;
    memcpy(impulse, one.impulse, size);
    memcpy(after, one.after, size);
    impact->contacts[0] = (SpragImpactContact){one.kind, one.loss};
    result->law = law_of_one(problem->row_count, rule->e);
    result->solution_count = 1;
    result->found = isfinite(one.compression);
    const SpragImpactLoss *loss = &one.loss;
    result->energy_loss = loss->normal_compression + loss->normal_restitution +
                          loss->tangential_compression + loss->tangential_restitution;
    return SPRAG_OK;
}

static bool is_member(const SpragConstraint *item)
{
    return item->kind == SPRAG_CONSTRAINT_CONTACT || item->kind == SPRAG_CONSTRAINT_LIMIT;
}

static bool is_single(const SpragContactProblem *problem)
{
    return problem->constraint_count == 1 && is_member(&problem->constraints[0]);
}

static SpragStatus collide_plastic(SpragImpact *impact, const SpragContactProblem *problem,
                                   double *impulse, double *after, SpragCollisionResult *result)
{
    SpragImpactResult plastic;
    SPRAG_TRY(sprag_impact_plastic(impact, problem, impulse, after, &plastic));
    result->law = plastic.law;
    result->solution_count = plastic.solution_count;
    result->energy_loss = plastic.energy_loss;
    result->found = plastic.found;
    for (int c = 0; plastic.found && c < problem->constraint_count; c++) {
        const SpragConstraint *item = &problem->constraints[c];
        SpragImpactLoss *loss = &impact->contacts[c].loss;
        for (int k = 0; k < item->row_count; k++) {
            int r = item->row + k;
            double part = -0.5 * impulse[r] * (after[r] + problem->b[r]);
            bool normal = k < sprag_constraint_normals(item);
            *(normal ? &loss->normal_compression : &loss->tangential_compression) += part;
        }
    }
    return SPRAG_OK;
}

// Which laws the contacts that give something back are under.
typedef struct Laws {
    bool energetic, other;
} Laws;

static Laws laws_of(const ImpactSystem *system)
{
    Laws laws = {false, false};
    for (int i = 0; i < system->count; i++) {
        const SpragImpactRule *rule = &system->items[i].rule;
        bool energetic = rule->law == SPRAG_RESTITUTION_ENERGETIC;
        laws.energetic |= rule->e > 0 && energetic;
        laws.other |= rule->e > 0 && !energetic;
    }
    return laws;
}

// The scheme asked for, or the nearest that knows all the laws: the path is energetic, Newton's and
// Poisson's laws are for all contacts together, and a sequence takes any mixture.
static SpragImpactScheme scheme_for(SpragImpactScheme scheme, Laws laws)
{
    if (scheme == SPRAG_IMPACTS_SEQUENCE || (laws.energetic && laws.other))
        return SPRAG_IMPACTS_SEQUENCE;
    return laws.other ? SPRAG_IMPACTS_TOGETHER : SPRAG_IMPACTS_PATH;
}

static SpragStatus run_scheme(SpragImpact *impact, ImpactSystem *system, SpragImpactScheme scheme,
                              SpragCollisionResult *result)
{
    memset(system->contacts, 0, (size_t)system->count * sizeof *system->contacts);
    result->solution_count = 1;
    if (scheme == SPRAG_IMPACTS_TOGETHER)
        return impact_together(impact, system, result);
    result->law = scheme == SPRAG_IMPACTS_PATH ? SPRAG_IMPACT_PATH : SPRAG_IMPACT_SEQUENCE;
    if (scheme == SPRAG_IMPACTS_PATH)
        return impact_path(impact, system, &result->found);
    return impact_sequence(system, &result->found);
}

static SpragStatus collide_system(SpragImpact *impact, ImpactSystem *system,
                                  const SpragContactProblem *problem, SpragImpactScheme scheme,
                                  double *impulse, double *after, SpragCollisionResult *result)
{
    // one contact beside bilateral rows is a sequence of one
    bool one = system->count == 1, known = result->found; // at velocity level
    SpragImpactScheme chosen = one ? SPRAG_IMPACTS_SEQUENCE : scheme_for(scheme, laws_of(system));
    SPRAG_TRY(run_scheme(impact, system, chosen, result));
    if (!result->found && chosen != SPRAG_IMPACTS_SEQUENCE && !known) {
        chosen = SPRAG_IMPACTS_SEQUENCE;
        SPRAG_TRY(run_scheme(impact, system, chosen, result));
    }
    result->fell_back = !one && chosen != scheme;
    if (one)
        result->law = law_of_one(system->items[0].row_count, system->items[0].rule.e);
    if (!result->found) {
        result->fell_back = true;
        return collide_plastic(impact, problem, impulse, after, result);
    }
    impact_system_restore(system, problem, impulse, after);
    result->energy_loss = 0;
    for (int r = 0; r < problem->row_count; r++)
        result->energy_loss -= 0.5 * impulse[r] * (after[r] + problem->b[r]);
    for (int i = 0; i < system->count; i++)
        impact->contacts[system->items[i].source] = system->contacts[i];
    return SPRAG_OK;
}

// Several contacts, none of which gives anything back.
static bool is_plastic(const SpragContactProblem *problem, const SpragImpactRule *rules)
{
    int members = 0;
    for (int c = 0; c < problem->constraint_count; c++) {
        if (!is_member(&problem->constraints[c]))
            continue;
        members++;
        if (rules[c].e > 0)
            return false;
    }
    return members != 1;
}

// Slip before and after: 1 goes on, 0 has ended, −1 reverses; 1 also where nothing slipped.
static int slip_fate(const SpragContactProblem *problem, const SpragConstraint *item,
                     const double *after, double rest)
{
    double before = 0, product = 0, end = 0;
    for (int k = 1; k < item->row_count; k++) {
        int r = item->row + k;
        before = fmax(before, fabs(problem->b[r]));
        end = fmax(end, fabs(after[r]));
        product += problem->b[r] * after[r];
    }
    if (before <= rest)
        return 1;
    return end <= rest ? 0 : product < 0 ? -1 : 1;
}

// Impulses per unit in the rows as at the end of the collision: friction of contacts that slip is
// what it was, friction of those that have come to rest is what the others ask of it. True: all of
// it is there.
static SpragStatus stays_at_rest(SpragImpact *impact, const SpragContactProblem *problem,
                                 const double *impulse, const bool *stopped, bool *stays)
{
    int n = problem->row_count;
    ImpactFriction friction;
    double *rate = sprag_arena_alloc(impact->arena, (size_t)n + 1, sizeof *rate);
    if (!rate)
        return SPRAG_ERROR_MEMORY;
    memcpy(rate, impulse, (size_t)n * sizeof *rate);
    SPRAG_TRY(impact_friction_create(impact->arena, problem->constraint_count, &friction));
    for (int c = 0; c < problem->constraint_count; c++) {
        const SpragConstraint *item = &problem->constraints[c];
        if (stopped[c])
            impact_friction_add(&friction, item->row + 1, item->row_count - 1,
                                item->friction * impulse[item->row]);
    }
    impact_friction_solve(&friction, n, problem->W, rate);
    *stays = true;
    for (int c = 0; c < problem->constraint_count; c++)
        for (int k = 1; stopped[c] && k < problem->constraints[c].row_count; k++) {
            double sum = 0, size = 0;
            const double *w = problem->W + (size_t)(problem->constraints[c].row + k) * (size_t)n;
            for (int j = 0; j < n; j++) {
                sum += w[j] * rate[j];
                size += fabs(w[j] * rate[j]);
            }
            *stays &= fabs(sum) <= REST_PART * size;
        }
    return SPRAG_OK;
}

// Whether the velocity-level problem has seen the slips right. It directs friction against the slip
// at the end, or lets it end slip on the whole: where slip reverses it has acted with it until
// then, and slip that has come to rest may not stay so while the impulse grows on.
static SpragStatus slips_hold(SpragImpact *impact, const SpragContactProblem *problem,
                              const double *impulse, const double *after, bool *hold)
{
    SpragArenaMark mark = sprag_arena_mark(impact->arena);
    bool *stopped =
        sprag_arena_alloc(impact->arena, (size_t)problem->constraint_count + 1, sizeof *stopped);
    double largest = 0;
    bool any = false;
    if (!stopped)
        return SPRAG_ERROR_MEMORY;
    for (int r = 0; r < problem->row_count; r++)
        largest = fmax(largest, fabs(problem->b[r]));
    *hold = true;
    for (int c = 0; c < problem->constraint_count; c++) {
        const SpragConstraint *item = &problem->constraints[c];
        bool rubs =
            is_member(item) && item->row_count > 1 && item->friction > 0 && impulse[item->row] > 0;
        int fate = rubs ? slip_fate(problem, item, after, REST_PART * largest) : 1;
        *hold &= fate >= 0;
        stopped[c] = fate == 0;
        any |= stopped[c];
    }
    if (*hold && any)
        SPRAG_TRY(stays_at_rest(impact, problem, impulse, stopped, hold));
    sprag_arena_release(impact->arena, mark);
    return SPRAG_OK;
}

// The plastic collision by the velocity-level problem, where that has an answer without reversal.
static SpragStatus try_plastic(SpragImpact *impact, const SpragContactProblem *problem,
                               SpragImpactScheme scheme, double *impulse, double *after,
                               SpragCollisionResult *result, bool *done)
{
    SPRAG_TRY(collide_plastic(impact, problem, impulse, after, result));
    *done = result->found;
    return result->found && scheme == SPRAG_IMPACTS_PATH
               ? slips_hold(impact, problem, impulse, after, done)
               : SPRAG_OK;
}

// Rates are sums of parts that may cancel: on bodies all but without inertia impulses of any size
// go through one point. What roundings of the parts leave is no rate.
static void drop_roundings(const SpragContactProblem *problem, const double *impulse, double *after)
{
    const double roundings = 16 * DBL_EPSILON;
    for (int r = 0; r < problem->row_count; r++) {
        const double *w = problem->W + (size_t)r * (size_t)problem->row_count;
        double size = fabs(problem->b[r]);
        for (int c = 0; c < problem->row_count; c++)
            size += fabs(w[c] * impulse[c]);
        if (fabs(after[r]) <= roundings * size)
            after[r] = 0;
    }
}

static SpragStatus collide_contacts(SpragImpact *impact, const SpragContactProblem *problem,
                                    const SpragImpactRule *rules, SpragImpactScheme scheme,
                                    double *impulse, double *after, SpragCollisionResult *result)
{
    size_t count = (size_t)problem->constraint_count;
    memset(result, 0, sizeof *result);
    SPRAG_TRY(sprag_reserve(impact->context, &impact->contacts, &impact->contact_capacity, count,
                            sizeof *impact->contacts));
    if (count > 0)
        memset(impact->contacts, 0, count * sizeof *impact->contacts);
    result->contacts = impact->contacts;
    if (is_single(problem))
        return collide_one(impact, problem, rules, impulse, after, result);
    bool plastic = is_plastic(problem, rules), done = false;
    if (plastic)
        SPRAG_TRY(try_plastic(impact, problem, scheme, impulse, after, result, &done));
    if (done)
        return SPRAG_OK;
    if (count > 0)
        memset(impact->contacts, 0, count * sizeof *impact->contacts);
    SpragArenaMark mark = sprag_arena_mark(impact->arena);
    ImpactSystem system;
    bool possible;
    SpragStatus status = impact_system_build(impact->arena, problem, rules, &system, &possible);
    if (status == SPRAG_OK && possible)
        status = collide_system(impact, &system, problem, scheme, impulse, after, result);
    else if (status == SPRAG_OK) {
        result->fell_back = true;
        status = collide_plastic(impact, problem, impulse, after, result);
    }
    sprag_arena_release(impact->arena, mark);
    return status;
}

SpragStatus sprag_impact_collide(SpragImpact *impact, const SpragContactProblem *problem,
                                 const SpragImpactRule *rules, SpragImpactScheme scheme,
                                 double *impulse, double *after, SpragCollisionResult *result)
{
    if (impact_has_bearings(problem))
        SPRAG_TRY(impact_collide_bearings(impact, problem, rules, scheme, impulse, after, result));
    else
        SPRAG_TRY(collide_contacts(impact, problem, rules, scheme, impulse, after, result));
    if (result->found)
        drop_roundings(problem, impulse, after);
    return SPRAG_OK;
}
