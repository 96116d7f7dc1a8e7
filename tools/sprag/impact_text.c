// impact_text.c: a collision for people: what comes together, how each law ends it, what is lost.
#include <math.h>

#include "bodies.h"
#include "impact_answer.h"
#include "print.h"

// What numbers are measured against when rounding noise is to be shown as 0.
typedef struct Scales {
    double impulse, velocity, energy;
} Scales;

static Scales scales_of(const Impact *impact)
{
    Scales scales = {0};
    const SpragContactProblem *problem = impact->problem;
    for (int r = 0; r < problem->row_count; r++) {
        scales.velocity = fmax(scales.velocity, fabs(problem->b[r]));
        for (int i = 0; i < IMPACT_LAWS; i++) {
            double impulse = impact->laws[i].impulse[r], after = impact->laws[i].after[r];
            scales.impulse = fmax(scales.impulse, fabs(impulse));
            scales.energy =
                fmax(scales.energy, fabs(impulse) * (fabs(after) + fabs(problem->b[r])));
        }
    }
    return scales;
}

// ---- What collides ------------------------------------------------------------------------------

static void add_slip(Table *table, const SpragConstraint *item, const double *rows, double scale)
{
    char first[NUMBER_BYTES], second[NUMBER_BYTES], third[NUMBER_BYTES];
    int tangent = item->row + sprag_constraint_normals(item);
    int tangents = item->row_count - sprag_constraint_normals(item);
    if (tangents == 3)
        table_add(table, "(%s, %s, %s)", print_clean(rows[tangent], scale, first),
                  print_clean(rows[tangent + 1], scale, second),
                  print_clean(rows[tangent + 2], scale, third));
    else if (tangents == 2)
        table_add(table, "(%s, %s)", print_clean(rows[tangent], scale, first),
                  print_clean(rows[tangent + 1], scale, second));
    else if (tangents == 1)
        table_add_clean(table, rows[tangent], scale);
    else
        table_add(table, "–");
}

static void add_contacts(const Impact *impact, const Scales *scales, SpragText *text)
{
    static const char *const heads[] = {"contact",  "approach [m/s]", "slip [m/s]",
                                        "friction", "restitution",    "e"};
    const SpragContactProblem *problem = impact->problem;
    Table table;
    table_init(&table, impact->context, "lrrrlr");
    table_add_heads(&table, heads);
    for (int i = 0; i < problem->constraint_count; i++) {
        const SpragConstraint *item = &problem->constraints[i];
        table_add(&table, "%s", item->name);
        table_add_clean(&table, -problem->b[item->row], scales->velocity);
        add_slip(&table, item, problem->b, scales->velocity);
        if (item->friction_static > item->friction)
            table_add(&table, "%.5g, at rest %.5g", item->friction, item->friction_static);
        else
            table_add_number(&table, item->friction);
        table_add(&table, "%s", sprag_restitution_law_name(impact->rules[i].law));
        table_add_number(&table, impact->rules[i].e);
    }
    table_print(&table, text);
    table_destroy(&table);
}

static void add_heading(const Impact *impact, SpragText *text)
{
    const char *name = sprag_scene_name(impact->situation->scene);
    if (name[0])
        sprag_text_add(text, "%s\n", name);
    if (impact->situation->model)
        sprag_text_add(text, "at t = %.9g s: ", impact->t);
    int count = impact->problem->constraint_count;
    if (impact->tangential)
        sprag_text_add(text, "impact without collision: the contact slides, and no motion goes on "
                             "without a jump\n");
    else
        sprag_text_add(text, "%d contact%s in the collision\n", count, count == 1 ? "" : "s");
}

// ---- How it ends --------------------------------------------------------------------------------

static void add_rows(const Impact *impact, const ImpactAnswer *answer, const Scales *scales,
                     Table *table)
{
    const SpragContactProblem *problem = impact->problem;
    for (int i = 0; i < problem->constraint_count; i++) {
        const SpragConstraint *item = &problem->constraints[i];
        table_add(table, "%s", i == 0 ? answer->name : "");
        table_add(table, "%s", item->name);
        if (!answer->found) {
            table_add(table, "no impulses end it");
            for (int k = 0; k < 4; k++)
                table_add(table, "–");
            continue;
        }
        SpragImpactCase kind = answer->contacts[i].kind;
        table_add(table, "%s", kind != SPRAG_IMPACT_NONE ? sprag_impact_case_name(kind) : "–");
        table_add_clean(table, answer->impulse[item->row], scales->impulse);
        add_slip(table, item, answer->impulse, scales->impulse);
        table_add_clean(table, answer->after[item->row], scales->velocity);
        add_slip(table, item, answer->after, scales->velocity);
    }
}

static void add_answers(const Impact *impact, const ImpactAnswer *answers, const char *what,
                        const Scales *scales, SpragText *text)
{
    const char *const heads[] = {
        what,          "contact",         "case", "normal [N s]", "tangential [N s]",
        "after [m/s]", "slip after [m/s]"};
    Table table;
    table_init(&table, impact->context, "lllrrrr");
    table_add_heads(&table, heads);
    for (int i = 0; i < 3; i++)
        add_rows(impact, &answers[i], scales, &table);
    table_print(&table, text);
    table_destroy(&table);
}

static void add_losses(const Impact *impact, const ImpactAnswer *answers, const char *what,
                       const Scales *scales, SpragText *text)
{
    const char *const heads[] = {what,          "normal, compression",
                                 "restitution", "tangential, compression",
                                 "restitution", "sum"};
    Table table;
    table_init(&table, impact->context, "lrrrrr");
    table_add_heads(&table, heads);
    for (int i = 0; i < 3; i++) {
        if (!answers[i].found)
            continue;
        SpragImpactLoss loss = impact_losses(impact, &answers[i]);
        table_add(&table, "%s", answers[i].name);
        table_add_clean(&table, loss.normal_compression, scales->energy);
        table_add_clean(&table, loss.normal_restitution, scales->energy);
        table_add_clean(&table, loss.tangential_compression, scales->energy);
        table_add_clean(&table, loss.tangential_restitution, scales->energy);
        table_add_clean(&table, answers[i].loss, scales->energy);
    }
    sprag_text_add(text, "\nenergy lost [J]%s\n",
                   isfinite(impact->kinetic) ? "" : ", a negative number is energy released");
    if (isfinite(impact->kinetic))
        sprag_text_add(text, "  kinetic energy before: %.6g J\n", impact->kinetic);
    table_print(&table, text);
    table_destroy(&table);
}

static void add_warnings(const ImpactAnswer *answers, SpragText *text)
{
    for (int i = 0; i < 3; i++)
        if (answers[i].found && answers[i].gain > 0)
            sprag_text_add(
                text, "  WARNING: %s makes %.6g J of kinetic energy here; no body can do that\n",
                answers[i].name, answers[i].gain);
}

static void add_bodies(const Impact *impact, SpragText *text)
{
    const SpragModel *model = impact->situation->model;
    Table table;
    if (!model)
        return;
    bool space = model->dimension == 3;
    BodyHeads heads = body_velocity_heads(space);
    table_init(&table, impact->context, space ? "llrr" : "llrrr");
    table_add(&table, "body");
    table_add(&table, "law");
    for (int i = 0; i < heads.count; i++)
        table_add(&table, "%s", heads.heads[i]);
    for (int body = 0; body < model->body_count; body++) {
        int coordinate = sprag_system_body_coordinate(impact->situation->system, body);
        for (int i = -1; coordinate >= 0 && i < IMPACT_LAWS; i++) {
            const double *v = i < 0 ? impact->velocity : impact->laws[i].velocity;
            if (i >= 0 && !impact->laws[i].found)
                continue;
            table_add(&table, "%s", i < 0 ? model->bodies[body].name : "");
            table_add(&table, "%s", i < 0 ? "before" : impact->laws[i].name);
            body_add_velocity_cells(&table, space, v + coordinate);
        }
    }
    sprag_text_add(text, "\nbodies before and after\n");
    table_print(&table, text);
    table_destroy(&table);
}

static void add_schemes(const Impact *impact, const Arguments *arguments, const Scales *scales,
                        SpragText *text)
{
    if (impact->problem->constraint_count == 1)
        return;
    if (impact->schemes_agree && !arguments->verbose) {
        sprag_text_add(text, "\ntogether, sequence and path agree on this collision\n");
        return;
    }
    sprag_text_add(text,
                   "\n%s: together with Newton's or Poisson's law, sequence with each "
                   "contact's own, path with the energetic one (the scene asks for %s)\n",
                   impact->schemes_agree ? "the schemes agree"
                                         : "the schemes for several contacts do not agree",
                   impact->schemes[impact->scheme].name);
    add_answers(impact, impact->schemes, "scheme", scales, text);
    add_losses(impact, impact->schemes, "scheme", scales, text);
    add_warnings(impact->schemes, text);
    for (int i = 0; i < IMPACT_SCHEMES; i++)
        if (impact->schemes[i].found && impact->schemes[i].fell_back)
            sprag_text_add(text, "  %s could not end it; this is %s\n", impact->schemes[i].name,
                           impact->schemes[i].how);
}

// Characteristic impulses of one contact in the plane, theory.md 10.3.
static void add_details(const Impact *impact, SpragText *text)
{
    SpragSingleImpact single;
    SpragSingleResult result;
    char first[NUMBER_BYTES], second[NUMBER_BYTES];
    if (!impact_single(impact, &single))
        return;
    sprag_impact_single(&single, &result);
    double slip_stop = result.slip_stop;
    if (slip_stop > 0 && isfinite(slip_stop))
        sprag_text_add(text, "\nslip stops at a normal impulse of %s N s, ",
                       print_number(slip_stop, first));
    else
        sprag_text_add(text, "\n%s, ", slip_stop > 0 ? "nothing stops the slip" : "no slip before");
    sprag_text_add(text, "compression ends at %s N s%s\n", print_number(result.compression, second),
                   result.jam ? "; sliding jams: compression grows until slip stops" : "");
}

static void add_notes(const Impact *impact, SpragText *text)
{
    const SpragScene *scene = impact->situation->scene;
    int count = sprag_scene_note_count(scene);
    for (int i = 0; i < count; i++)
        sprag_text_add(text, "%s  %s\n", i == 0 ? "\nnotes\n" : "", sprag_scene_note(scene, i));
}

void impact_text(const Impact *impact, const Arguments *arguments, SpragText *text)
{
    if (!impact->problem) {
        sprag_text_add(text, "%s\n", impact->nothing.bytes);
        return;
    }
    Scales scales = scales_of(impact);
    if (arguments->quiet) {
        add_answers(impact, impact->laws, "law", &scales, text);
        return;
    }
    add_heading(impact, text);
    add_contacts(impact, &scales, text);
    sprag_text_add(text, "\nimpulses and velocities after\n");
    add_answers(impact, impact->laws, "law", &scales, text);
    add_losses(impact, impact->laws, "law", &scales, text);
    add_warnings(impact->laws, text);
    add_details(impact, text);
    add_bodies(impact, text);
    add_schemes(impact, arguments, &scales, text);
    add_notes(impact, text);
}
