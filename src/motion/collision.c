// collision.c: the contact problem of a collision, from a state of a system.
// Problem   u⁺ = W P + u⁻ over a list of contacts (theory.md section 10): W as for accelerations,
//           the gap rates and slips in place of b, kinetic friction with the static one beside it
// Rules     each contact's law of restitution at its own approach speed; one that is closed
//           without approach takes part at the speed of the fastest
#include <math.h>

#include "sprag/motion.h"

// Velocities take the place of accelerations in the problem.
static SpragStatus load_velocities(SpragSystem *system, const SpragCollisionState *state, int count,
                                   const int *contacts, SpragContactProblem *problem)
{
    double rate, slip[SPRAG_CONSTRAINT_WAYS], friction[2];
    SpragSystemSample sample = {.gap_rate = &rate, .slip = slip, .friction = friction};
    for (int i = 0; i < count; i++) {
        SpragConstraint *item = &problem->constraints[i];
        SPRAG_TRY(
            sprag_system_sample(system, state->t, state->q, state->v, 1, &contacts[i], &sample));
        problem->b[item->row] = rate;
        item->friction = friction[1];
        item->friction_static = friction[0];
        int normals = sprag_constraint_normals(item);
        for (int k = 1; k < normals; k++)
            problem->b[item->row + k] = 0; // joints hold
        for (int k = normals; k < item->row_count; k++) {
            // within its tolerance a slip is zero, and has no direction
            item->slip[k - normals] = item->sliding ? slip[k - normals] : 0;
            problem->b[item->row + k] = item->slip[k - normals];
        }
    }
    return SPRAG_OK;
}

// The stiffness of contacts that give none: that of the stiffest, so that none of them is soft.
static void complete_layers(int count, SpragImpactRule *rules)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, rules[i].stiffness);
    for (int i = 0; i < count; i++)
        if (rules[i].stiffness == 0)
            rules[i].stiffness = most;
}

static void set_rules(const SpragSystem *system, int count, const int *contacts,
                      const SpragContactProblem *problem, SpragImpactRule *rules)
{
    double fastest = 0;
    for (int i = 0; i < count; i++)
        fastest = fmax(fastest, -problem->b[problem->constraints[i].row]);
    for (int i = 0; i < count; i++) {
        SpragContactPair pair;
        double approach = -problem->b[problem->constraints[i].row];
        sprag_system_pair(system, contacts[i], &pair);
        bool approaches = approach > 1e-6 * fastest;
        rules[i] = (SpragImpactRule){
            .law = pair.restitution.law,
            .e = sprag_restitution_at(&pair.restitution, approaches ? approach : fastest),
            .stiffness = pair.compliance.stiffness,
            .exponent = pair.compliance.exponent};
    }
    complete_layers(count, rules);
}

SpragStatus sprag_collision_build(SpragSystem *system, const SpragCollisionState *state, int count,
                                  const int *contacts, SpragContactProblem *problem,
                                  SpragImpactRule *rules)
{
    SPRAG_TRY(sprag_system_build_active(system, state->t, state->q, state->v, count, contacts,
                                        state->sliding, problem));
    SPRAG_TRY(load_velocities(system, state, count, contacts, problem));
    set_rules(system, count, contacts, problem, rules);
    return SPRAG_OK;
}

void sprag_collision_rule(SpragImpactScheme scheme, int count, SpragImpactRule *rules)
{
    for (int i = 0; i < count && count > 1; i++)
        if (scheme == SPRAG_IMPACTS_TOGETHER && rules[i].law == SPRAG_RESTITUTION_ENERGETIC)
            rules[i].law = SPRAG_RESTITUTION_POISSON;
}

void sprag_collision_islands(const SpragContactProblem *problem, int *island)
{
    int count = problem->constraint_count;
    for (int i = 0; i < count; i++)
        island[i] = i;
    for (bool grown = true; grown;) {
        grown = false;
        for (int i = 0; i < count; i++)
            for (int j = 0; j < i; j++) {
                if (island[i] == island[j] || !sprag_contact_problem_is_coupled(problem, i, j))
                    continue;
                island[i] = island[j] = island[i] < island[j] ? island[i] : island[j];
                grown = true;
            }
    }
}

static bool owns(const SpragConstraint *item, int row)
{
    return row >= item->row && row < item->row + item->row_count;
}

SpragStatus sprag_collision_part(const SpragContactProblem *problem, const int *island, int number,
                                 SpragContactProblem *part)
{
    sprag_contact_problem_clear(part, problem->dimension);
    for (int i = 0; i < problem->constraint_count; i++) {
        SpragConstraint *added;
        if (island[i] != number)
            continue;
        const SpragConstraint *item = &problem->constraints[i];
        SPRAG_TRY(item->kind == SPRAG_CONSTRAINT_BEARING
                      ? sprag_contact_problem_add_bearing(part, sprag_constraint_normals(item),
                                                          item->tangents, &added)
                      : sprag_contact_problem_add(part, item->kind, &added));
        int row = added->row;
        *added = problem->constraints[i];
        added->row = row;
        added->id = i;
    }
    SPRAG_TRY(sprag_contact_problem_reserve_dense(part));
    int n = part->row_count;
    for (int i = 0; i < part->constraint_count; i++)
        for (int j = 0; part->constraints[i].shared >= 0 && j < part->constraint_count; j++)
            if (owns(&problem->constraints[part->constraints[j].id],
                     problem->constraints[part->constraints[i].id].shared))
                part->constraints[i].shared = part->constraints[j].row +
                                              problem->constraints[part->constraints[i].id].shared -
                                              problem->constraints[part->constraints[j].id].row;
    for (int i = 0; i < part->constraint_count; i++) {
        const SpragConstraint *to = &part->constraints[i], *from = &problem->constraints[to->id];
        for (int k = 0; k < to->row_count; k++) {
            part->b[to->row + k] = problem->b[from->row + k];
            for (int j = 0; j < part->constraint_count; j++) {
                const SpragConstraint *to2 = &part->constraints[j];
                const double *W = problem->W +
                                  (size_t)(from->row + k) * (size_t)problem->row_count +
                                  problem->constraints[to2->id].row;
                for (int m = 0; m < to2->row_count; m++)
                    part->W[(size_t)(to->row + k) * (size_t)n + (size_t)(to2->row + m)] = W[m];
            }
        }
    }
    return SPRAG_OK;
}

bool sprag_collision_is_tangential(const SpragContactProblem *problem, int constraint)
{
    const SpragConstraint *item = &problem->constraints[constraint];
    const double *W = problem->W + (size_t)item->row * (size_t)(problem->row_count + 1);
    if (item->row_count == 1 || !item->sliding)
        return false;
    for (int i = 0; i < problem->constraint_count; i++)
        if (i != constraint && sprag_contact_problem_is_coupled(problem, constraint, i))
            return false;
    double A = W[0];
    if (item->row_count == 2)
        A -= copysign(item->friction, item->slip[0]) * W[1];
    double size = hypot(item->slip[0], item->slip[1]);
    for (int k = 0; item->row_count == 3 && size > 0 && k < 2; k++)
        A -= item->friction * item->slip[k] / size * W[1 + k];
    return A < 0 && problem->b[item->row] < 0;
}
