// impact_solve.c: every way to end a collision: three laws, three schemes for several contacts.
#include <math.h>
#include <string.h>

#include "impact_answer.h"

static const struct {
    SpragRestitutionLaw law;
    SpragImpactScheme scheme; // that has this law for several contacts (theory.md (10.21))
} law_table[IMPACT_LAWS] = {{SPRAG_RESTITUTION_NEWTON, SPRAG_IMPACTS_TOGETHER},
                            {SPRAG_RESTITUTION_POISSON, SPRAG_IMPACTS_TOGETHER},
                            {SPRAG_RESTITUTION_ENERGETIC, SPRAG_IMPACTS_PATH}};
static const char *const scheme_names[IMPACT_SCHEMES] = {"together", "sequence", "path"};

// ---- Every way to end it ------------------------------------------------------------------------

static SpragStatus answer_create(const Impact *impact, ImpactAnswer *answer)
{
    const SpragContactProblem *problem = impact->problem;
    size_t rows = (size_t)problem->row_count + 1, contacts = (size_t)problem->constraint_count + 1;
    answer->impulse = sprag_alloc(impact->context, rows, sizeof *answer->impulse);
    answer->after = sprag_alloc(impact->context, rows, sizeof *answer->after);
    answer->contacts = sprag_alloc(impact->context, contacts, sizeof *answer->contacts);
    if (problem->block_count > 0)
        answer->velocity = sprag_alloc(impact->context, (size_t)problem->velocity_count + 1,
                                       sizeof *answer->velocity);
    bool done = answer->impulse && answer->after && answer->contacts &&
                (answer->velocity || problem->block_count == 0);
    return done ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// Velocities after, from the impulses of all islands.
static void find_velocities(const Impact *impact, ImpactAnswer *answer)
{
    const SpragContactProblem *problem = impact->problem;
    if (!answer->velocity)
        return;
    sprag_contact_problem_acceleration(problem, answer->impulse, answer->velocity);
    for (int i = 0; i < problem->velocity_count; i++)
        answer->velocity[i] +=
            (impact->velocity ? impact->velocity[i] : 0) - problem->free_acceleration[i];
}

// Copies the answer of one island to its place in the whole.
static void take(const Impact *impact, const SpragContactProblem *part, const double *impulse,
                 const double *after, const SpragCollisionResult *result, ImpactAnswer *answer)
{
    answer->found &= result->found;
    answer->fell_back |= result->fell_back;
    if (!answer->how || part->constraint_count > 1)
        answer->how = sprag_impact_law_name(result->law);
    if (!result->found)
        return;
    answer->loss += result->energy_loss;
    for (int i = 0; i < part->constraint_count; i++) {
        const SpragConstraint *from = &part->constraints[i];
        int row = impact->problem->constraints[from->id].row;
        size_t size = (size_t)from->row_count * sizeof *impulse;
        memcpy(answer->impulse + row, impulse + from->row, size);
        memcpy(answer->after + row, after + from->row, size);
        answer->contacts[from->id] = result->contacts[i];
    }
}

typedef struct Solver {
    SpragImpact *impact;
    SpragContactProblem part;
    SpragImpactRule *rules;
    double *impulse, *after;
} Solver;

// law < 0: each contact's own.
static SpragStatus solve(const Impact *impact, Solver *solver, int law, SpragImpactScheme scheme,
                         ImpactAnswer *answer)
{
    const SpragContactProblem *problem = impact->problem;
    SPRAG_TRY(answer_create(impact, answer));
    answer->found = true;
    double work = 0;
    for (int number = 0; number < problem->constraint_count; number++) {
        SpragCollisionResult result;
        SPRAG_TRY(sprag_collision_part(problem, impact->island, number, &solver->part));
        if (solver->part.constraint_count == 0)
            continue;
        for (int i = 0; i < solver->part.constraint_count; i++) {
            solver->rules[i] = impact->rules[solver->part.constraints[i].id];
            if (law >= 0)
                solver->rules[i].law = law_table[law].law;
            else if (scheme == SPRAG_IMPACTS_PATH && solver->part.constraint_count > 1)
                solver->rules[i].law = SPRAG_RESTITUTION_ENERGETIC; // the path knows no other
        }
        sprag_collision_rule(scheme, solver->part.constraint_count, solver->rules);
        SPRAG_TRY(sprag_impact_collide(solver->impact, &solver->part, solver->rules, scheme,
                                       solver->impulse, solver->after, &result));
        take(impact, &solver->part, solver->impulse, solver->after, &result, answer);
    }
    for (int r = 0; r < problem->row_count; r++)
        work += fabs(answer->impulse[r]) * (fabs(answer->after[r]) + fabs(problem->b[r]));
    // what rounding makes is no gain
    answer->gain = answer->loss < -1e-12 * work ? -answer->loss : 0;
    find_velocities(impact, answer);
    return SPRAG_OK;
}

static bool agree(const Impact *impact, const ImpactAnswer *a, const ImpactAnswer *b)
{
    const double tolerance = 1e-6;
    double size = 0, difference = 0;
    for (int r = 0; r < impact->problem->row_count; r++) {
        size = fmax(size, fmax(fabs(a->after[r]), fabs(impact->problem->b[r])));
        difference = fmax(difference, fabs(a->after[r] - b->after[r]));
    }
    return a->found == b->found && difference <= tolerance * size;
}

static SpragStatus solve_all(Impact *impact, Solver *solver)
{
    size_t count = (size_t)impact->problem->constraint_count + 1;
    SPRAG_TRY(sprag_impact_create(impact->context, &solver->impact));
    solver->rules = sprag_alloc(impact->context, count, sizeof *solver->rules);
    solver->impulse = sprag_alloc(impact->context, 6 * count, sizeof *solver->impulse);
    if (!solver->rules || !solver->impulse)
        return SPRAG_ERROR_MEMORY;
    solver->after = solver->impulse + 3 * count;
    for (int i = 0; i < IMPACT_LAWS; i++) {
        impact->laws[i].name = sprag_restitution_law_name(law_table[i].law);
        impact->laws[i].law = law_table[i].law;
        SPRAG_TRY(solve(impact, solver, i, law_table[i].scheme, &impact->laws[i]));
    }
    impact->schemes_agree = true;
    for (int i = 0; i < IMPACT_SCHEMES; i++) {
        impact->schemes[i].name = scheme_names[i];
        SPRAG_TRY(solve(impact, solver, -1, (SpragImpactScheme)i, &impact->schemes[i]));
        impact->schemes_agree &= agree(impact, &impact->schemes[0], &impact->schemes[i]);
    }
    return SPRAG_OK;
}

// Whether slip without approach digs in: in space only the hodograph tells.
static bool has_impulse(const Impact *impact)
{
    for (int i = 0; i < IMPACT_LAWS; i++)
        for (int r = 0; r < impact->problem->row_count; r++)
            if (impact->laws[i].impulse[r] != 0)
                return true;
    return false;
}

SpragStatus impact_create(Situation *situation, bool next, Impact *impact)
{
    SpragContext *context = situation->context;
    *impact = (Impact){
        .context = context, .situation = situation, .kinetic = NAN, .scheme = SPRAG_IMPACTS_PATH};
    sprag_text_init(&impact->nothing, context);
    sprag_contact_problem_init(&impact->built, context);
    SPRAG_TRY(impact_find(impact, next));
    Solver solver = {0};
    sprag_contact_problem_init(&solver.part, context);
    SpragStatus status = impact->problem ? solve_all(impact, &solver) : SPRAG_OK;
    if (status == SPRAG_OK && impact->tangential && !has_impulse(impact)) {
        impact->problem = NULL;
        sprag_text_add(&impact->nothing,
                       "nothing collides: no normal velocity is below 0 (approach), and the slip "
                       "does not dig in");
    }
    sprag_impact_destroy(solver.impact);
    sprag_contact_problem_destroy(&solver.part);
    sprag_free(context, solver.rules);
    sprag_free(context, solver.impulse);
    return status;
}

static void answer_destroy(SpragContext *context, ImpactAnswer *answer)
{
    sprag_free(context, answer->impulse);
    sprag_free(context, answer->after);
    sprag_free(context, answer->contacts);
    sprag_free(context, answer->velocity);
}

void impact_destroy(Impact *impact)
{
    for (int i = 0; i < IMPACT_LAWS; i++)
        answer_destroy(impact->context, &impact->laws[i]);
    for (int i = 0; i < IMPACT_SCHEMES; i++)
        answer_destroy(impact->context, &impact->schemes[i]);
    sprag_free(impact->context, impact->rules);
    sprag_free(impact->context, impact->island);
    sprag_contact_problem_destroy(&impact->built);
    sprag_text_destroy(&impact->nothing);
}

bool impact_single(const Impact *impact, SpragSingleImpact *single)
{
    const SpragContactProblem *problem = impact->problem;
    if (!problem || problem->constraint_count != 1 || problem->row_count != 2)
        return false;
    const SpragConstraint *item = problem->constraints;
    *single = (SpragSingleImpact){.dimension = 2,
                                  .velocity = {problem->b[0], problem->b[1]},
                                  .friction = item->friction,
                                  .friction_static = item->friction_static,
                                  .law = impact->rules[0].law,
                                  .e = impact->rules[0].e};
    memcpy(single->W, problem->W, 4 * sizeof *problem->W);
    return true;
}

SpragImpactLoss impact_losses(const Impact *impact, const ImpactAnswer *answer)
{
    SpragImpactLoss sum = {0};
    for (int i = 0; i < impact->problem->constraint_count; i++) {
        const SpragImpactLoss *loss = &answer->contacts[i].loss;
        sum.normal_compression += loss->normal_compression;
        sum.normal_restitution += loss->normal_restitution;
        sum.tangential_compression += loss->tangential_compression;
        sum.tangential_restitution += loss->tangential_restitution;
    }
    return sum;
}
