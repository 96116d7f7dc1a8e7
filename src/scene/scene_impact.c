// scene_impact.c: a bare impact: u⁺ = W P + u⁻, theory.md section 10.
// Problem   W and velocity (a number a row: normal, then tangents), or mass and J as in
//           scene_mechanics.c with velocity, or with generalized-velocity v: then u⁻ = J v
// Result    the scene's contact problem with u⁻ in place of b and kinetic friction, and the
//           restitution of every contact
#include <stdio.h>
#include <string.h>

#include "scene_private.h"

static SpragStatus read_layer(Reader *reader, const Node *node, SpragSceneImpactContact *contact)
{
    SPRAG_TRY(
        read_optional(reader, node, "stiffness", KIND_ANY, RANGE_POSITIVE, &contact->stiffness));
    SPRAG_TRY(
        read_optional(reader, node, "exponent", KIND_NUMBER, RANGE_POSITIVE, &contact->exponent));
    if (contact->exponent > 0 && (contact->exponent < 1 || contact->exponent > 10))
        return fail_at(reader, node_get(node, "exponent"), "exponent must be in 1 … 10, got %g",
                       contact->exponent);
    return SPRAG_OK;
}

static SpragStatus read_impact_contact(Reader *reader, const Node *node, int index)
{
    static const char *const keys[] = {"name",      "kind",     "friction", "restitution",
                                       "stiffness", "exponent", NULL};
    static const char *const kinds[] = {"contact", "limit"};
    SpragSceneImpactContact *contact = &reader->scene->impact_contacts[index];
    memset(contact, 0, sizeof *contact);
    SPRAG_TRY(check_keys(reader, node, "a contact", keys));
    const Node *kind = node_get(node, "kind"), *friction = node_get(node, "friction");
    const Node *restitution = node_get(node, "restitution");
    int which = 0;
    if (kind)
        SPRAG_TRY(read_word(reader, kind, "kind", kinds, 2, &which));
    if (which == 1 && friction)
        return fail_at(reader, node_key(node, "friction"), "a limit has no friction");
    SpragConstraint *constraint;
    SPRAG_TRY(sprag_contact_problem_add(&reader->scene->problem,
                                        which ? SPRAG_CONSTRAINT_LIMIT : SPRAG_CONSTRAINT_CONTACT,
                                        &constraint));
    constraint->id = index;
    SPRAG_TRY(name_constraint(reader, node, index, constraint));
    SpragFriction law = {0};
    if (friction)
        SPRAG_TRY(read_friction(reader, friction, &law));
    else if (which == 0)
        SPRAG_TRY(note(reader, "friction of %s: nothing gives it, 0", constraint->name));
    constraint->friction = law.kinetic;
    constraint->friction_static = law.stationary;
    if (restitution)
        SPRAG_TRY(read_restitution(reader, restitution, &contact->restitution));
    else
        SPRAG_TRY(note(reader, "restitution of %s: nothing gives it, 0", constraint->name));
    return read_layer(reader, node, contact);
}

static SpragStatus read_impact_contacts(Reader *reader, bool again)
{
    SpragStatus status;
    const Node *contacts =
        need_key(reader, "contacts", "a list: {friction: …, restitution: …}", &status);
    SPRAG_TRY(status);
    SPRAG_TRY(need_sequence(reader, contacts, "contacts"));
    if (contacts->count == 0)
        return fail_at(reader, contacts, "an impact needs at least one contact");
    if (!again)
        reader->scene->impact_contacts =
            scene_keep(reader, (size_t)contacts->count, sizeof *reader->scene->impact_contacts);
    if (!reader->scene->impact_contacts)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < contacts->count; i++)
        SPRAG_TRY(read_impact_contact(reader, contacts->items[i], i));
    return SPRAG_OK;
}

static SpragStatus read_row_velocities(Reader *reader)
{
    SpragContactProblem *problem = &reader->scene->problem;
    SpragStatus status;
    const Node *velocity = need_key(
        reader, "velocity", "a list of numbers: normal (approach < 0), tangential", &status);
    SPRAG_TRY(status);
    return read_numbers(reader, velocity, "velocity", KIND_VELOCITY, problem->row_count,
                        problem->b);
}

static SpragStatus read_W(Reader *reader)
{
    const Node *W;
    SPRAG_TRY(read_contact_W(reader, &W));
    SPRAG_TRY(read_row_velocities(reader));
    return locate(reader, W, sprag_contact_problem_check(&reader->scene->problem));
}

// mass and J, and the velocities of the rows or of the coordinates.
static SpragStatus read_masses(Reader *reader)
{
    SpragContactProblem *problem = &reader->scene->problem;
    const Node *general = node_get(reader->root, "generalized-velocity");
    SPRAG_TRY(read_mechanics(reader));
    if (!general)
        return read_row_velocities(reader);
    if (node_get(reader->root, "velocity"))
        return fail_at(reader, node_key(reader->root, "velocity"),
                       "velocity or generalized-velocity: one of them");
    SPRAG_TRY(read_numbers(reader, general, "generalized-velocity", KIND_ANY,
                           problem->velocity_count, problem->free_acceleration));
    return sprag_contact_problem_assemble(problem);
}

// Slips and their directions, where they are not zero.
static void set_slips(SpragContactProblem *problem)
{
    for (int i = 0; i < problem->constraint_count; i++) {
        SpragConstraint *constraint = &problem->constraints[i];
        for (int k = 1; k < constraint->row_count; k++) {
            constraint->slip[k - 1] = problem->b[constraint->row + k];
            constraint->sliding |= constraint->slip[k - 1] != 0;
        }
    }
}

// A normal direction that no impulse moves has no impact.
static SpragStatus check_normals(Reader *reader)
{
    const SpragContactProblem *problem = &reader->scene->problem;
    const Node *contacts = node_get(reader->root, "contacts");
    for (int i = 0; i < problem->constraint_count; i++) {
        int row = problem->constraints[i].row;
        if (!(problem->W[(size_t)row * (size_t)(problem->row_count + 1)] > 0))
            return fail_at(reader, contacts->items[i],
                           "contact %s cannot move: its normal entry of W must be above 0",
                           problem->constraints[i].name);
    }
    return SPRAG_OK;
}

SpragStatus read_impact_problem(Reader *reader, Part *part)
{
    static const char *const keys[] = {"sprag",       "name",
                                       "description", "source",
                                       "problem",     "parameters",
                                       "expect",      "dimension",
                                       "W",           "velocity",
                                       "contacts",    "mass",
                                       "J",           "generalized-velocity",
                                       NULL};
    SpragScene *scene = reader->scene;
    SPRAG_TRY(check_keys(reader, reader->root, "the file", keys));
    scene->kind = SPRAG_SCENE_IMPACT;
    if (part->index < 0)
        sprag_contact_problem_init(&scene->problem, reader->context);
    bool again = part->index >= 0;
    scene->has_problem = true;
    part->index = 0;
    const Node *dimension = node_get(reader->root, "dimension");
    double number = 2; // it was checked when the file was opened
    if (dimension)
        SPRAG_TRY(read_number(reader, dimension, "dimension", KIND_NUMBER, RANGE_ALL, &number));
    sprag_contact_problem_clear(&scene->problem, number == 3 ? 3 : 2);
    SPRAG_TRY(read_impact_contacts(reader, again));
    const Node *general = node_get(reader->root, "generalized-velocity");
    SPRAG_TRY(problem_has_mechanics(reader) || general ? read_masses(reader) : read_W(reader));
    set_slips(&scene->problem);
    scene->impact = (SpragSceneImpact){.problem = &scene->problem,
                                       .contacts = scene->impact_contacts,
                                       .has_velocity = general != NULL};
    return check_normals(reader);
}

const SpragSceneImpact *sprag_scene_impact(const SpragScene *scene)
{
    return scene->kind == SPRAG_SCENE_IMPACT ? &scene->impact : NULL;
}
