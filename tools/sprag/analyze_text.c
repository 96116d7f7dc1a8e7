// analyze_text.c: the verdict for people: first the answer and why, then contacts and motions.
#include <math.h>

#include "analyze.h"
#include "bodies.h"
#include "print.h"

// What numbers are measured against when rounding noise is to be shown as 0.
typedef struct Scales {
    double force, acceleration;
} Scales;

static double largest(int count, const double *values)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(values[i]));
    return most;
}

// ---- The answer ---------------------------------------------------------------------------------

static void add_sentence(const SpragVerdict *verdict, SpragText *text)
{
    int count = verdict->solution_count, stable = verdict->stable_count;
    sprag_text_add(text, "%s: ", sprag_verdict_name(verdict->kind));
    switch (verdict->kind) {
    case SPRAG_VERDICT_UNIQUE:
        sprag_text_add(text, "one motion, %s",
                       stable ? "and it is stable" : "but it is not stable");
        break;
    case SPRAG_VERDICT_MULTIPLE:
        sprag_text_add(text, "%d motions, %d of them stable", count, stable);
        break;
    case SPRAG_VERDICT_NONE:
        sprag_text_add(text, "no rigid motion satisfies the contact laws");
        break;
    case SPRAG_VERDICT_INFINITE:
        sprag_text_add(text, "a continuum of motions");
        break;
    case SPRAG_VERDICT_OPEN:
        sprag_text_add(text, "no contact acts, the bodies move freely");
        break;
    case SPRAG_VERDICT_UNKNOWN:
        break;
    }
    if (verdict->held && verdict->kind != SPRAG_VERDICT_OPEN)
        sprag_text_add(text, "; held: at rest, and stays so");
    if (!verdict->forces_unique)
        sprag_text_add(text, count == 1 ? "; its forces are indeterminate"
                                        : "; not all forces are unique");
    if (!verdict->complete)
        sprag_text_add(text, "; the search was not complete");
}

static void add_answer(const Situation *situation, const SpragVerdict *verdict, SpragText *text)
{
    const char *name = sprag_scene_name(situation->scene);
    if (name[0])
        sprag_text_add(text, "%s\n", name);
    if (situation->ended[0])
        sprag_text_add(text, "at           t = %.9g s, where the run ends: %s\n", situation->t,
                       situation->ended);
    else if (situation->t > 0)
        sprag_text_add(text, "at           t = %.9g s\n", situation->t);
    sprag_text_add(text, "verdict      ");
    add_sentence(verdict, text);
    sprag_text_add(text, "\nbecause      ");
    analyze_reason(situation, verdict, text);
    sprag_text_add(text, "\nrecommended  %s\n",
                   verdict->recommended_compliant ? "compliant contact" : "rigid contact");
}

// ---- Contacts -----------------------------------------------------------------------------------

static void add_contacts(const Situation *situation, const SpragVerdict *verdict, SpragText *text)
{
    situation_print_contacts(situation, text);
    if (verdict->one_contact)
        sprag_text_add(text, "  A = %.5g 1/kg, B = %.5g m/s²\n", verdict->A, verdict->B);
}

// ---- Motions ------------------------------------------------------------------------------------

static void add_stability(const SpragSolution *solution, SpragText *text)
{
    switch (solution->stability) {
    case SPRAG_STABLE:
        sprag_text_add(text, "stable");
        break;
    case SPRAG_FREE:
        sprag_text_add(text, "free, no contact presses");
        break;
    case SPRAG_DIVERGENT:
        sprag_text_add(text, solution->turns ? "not stable, the direction of slip turns away"
                                             : "not stable, it diverges");
        break;
    case SPRAG_FLUTTER:
        sprag_text_add(text, "not stable, it flutters");
        break;
    case SPRAG_DEPENDS:
        sprag_text_add(text, "%s, depending on the damping",
                       solution->stable ? "stable" : "not stable");
        break;
    }
    if (solution->critical_damping > 0)
        sprag_text_add(text, " (changes at damping ratio %.4g)", solution->critical_damping);
    if (isfinite(solution->growth_time))
        sprag_text_add(text, " (a disturbance grows e-fold in %.4g s)", solution->growth_time);
}

static void add_range(Table *table, double low, double high, double scale)
{
    char from[NUMBER_BYTES], to[NUMBER_BYTES];
    table_add(table, "%s … %s", print_clean(low, scale, from), print_clean(high, scale, to));
}

// Force and acceleration of row `row` of a constraint, with the range where it is indeterminate.
static void add_row_cells(Table *table, const SpragMotion *motion, const SpragConstraint *item,
                          int row, const Scales *scales)
{
    double range[2];
    table_add_clean(table, situation_entry(item, motion->force, row), scales->force);
    situation_range(item, motion, row, range);
    if (motion->force_dimension > 0)
        add_range(table, range[0], range[1], scales->force);
    table_add_clean(table, situation_entry(item, motion->acceleration, row), scales->acceleration);
}

static void add_empty_cells(Table *table, const SpragMotion *motion)
{
    for (int i = 0; i < (motion->force_dimension > 0 ? 3 : 2); i++)
        table_add(table, "–");
}

// "slide 12.5°": in space the direction of slip, from the first tangent to the second; of a
// ball joint the axis about which it starts to turn.
static void add_mode_cell(Table *table, const SpragMotion *motion, int index)
{
    const double *d = motion->direction + SPRAG_CONSTRAINT_WAYS * index, degree = 45 / atan(1);
    char angle[NUMBER_BYTES];
    const char *name = sprag_mode_name(motion->modes[index]);
    if (motion->modes[index] == SPRAG_MODE_SLIDE && d[2] != 0)
        table_add(table, "%s (%.3g, %.3g, %.3g)", name, d[0], d[1], d[2]);
    else if (motion->modes[index] == SPRAG_MODE_SLIDE)
        table_add(table, "%s %s°", name, print_clean(atan2(d[1], d[0]) * degree, 180, angle));
    else
        table_add(table, "%s", name);
}

static void add_contact_motion(const Situation *situation, const SpragMotion *motion,
                               const Scales *scales, SpragText *text)
{
    static const char *const forces[] = {"normal [N]", "tangential [N]", "second [N]", "third [N]"};
    static const char *const accelerations[] = {"a_n [m/s²]", "a_t [m/s²]", "a_o [m/s²]",
                                                "a_3 [m/s²]"};
    bool ranges = motion->force_dimension > 0;
    int rows = situation->problem->dimension;
    for (int c = 0; c < situation->problem->constraint_count; c++)
        if (situation_tangents(&situation->problem->constraints[c]) == 3)
            rows = 4;
    char columns[3 + 3 * 4] = "llrrrrrrrrrrrr";
    columns[2 + (ranges ? 3 : 2) * rows] = '\0';
    Table table;
    table_init(&table, situation->context, columns);
    table_add(&table, "contact");
    table_add(&table, "mode");
    for (int row = 0; row < rows; row++) {
        table_add(&table, "%s", forces[row]);
        if (ranges)
            table_add(&table, "range");
        table_add(&table, "%s", accelerations[row]);
    }
    for (int i = 0; i < situation->line_count; i++) {
        if (situation->lines[i].constraint < 0)
            continue;
        int index = situation->lines[i].constraint;
        const SpragConstraint *constraint = &situation->problem->constraints[index];
        table_add(&table, "%s", situation->lines[i].name);
        add_mode_cell(&table, motion, index);
        for (int row = 0; row < rows; row++) {
            if (row <= situation_tangents(constraint))
                add_row_cells(&table, motion, constraint, row, scales);
            else
                add_empty_cells(&table, motion);
        }
    }
    if (situation->problem->constraint_count > 0)
        table_print(&table, text);
    table_destroy(&table);
}

static void add_body_motion(const Situation *situation, const double *acceleration, SpragText *text)
{
    double scale = fmax(largest(situation->velocity_count, acceleration),
                        largest(situation->velocity_count, situation->problem->free_acceleration));
    static const char *const plane[] = {"body", "x'' [m/s²]", "y'' [m/s²]", "angle'' [rad/s²]"};
    static const char *const spatial[] = {"body", "acceleration [m/s²]", "angular [rad/s²]"};
    bool space = situation_is_spatial(situation);
    Table table;
    table_init(&table, situation->context, space ? "lrr" : "lrrr");
    table_add_heads(&table, space ? spatial : plane);
    for (int body = 0; body < situation->model->body_count; body++) {
        int coordinate = sprag_system_body_coordinate(situation->system, body);
        if (coordinate < 0)
            continue;
        table_add(&table, "%s", situation->model->bodies[body].name);
        for (int k = 0; !space && k < 3; k++)
            table_add_clean(&table, acceleration[coordinate + k], scale);
        for (int k = 0; space && k < 2; k++)
            body_add_vector(&table, 3, acceleration + coordinate + 3 * k, scale);
    }
    table_print(&table, text);
    table_destroy(&table);
}

// Accelerations of the coordinates of a problem given by mass and J.
static void add_coordinate_motion(const Situation *situation, const double *acceleration,
                                  SpragText *text)
{
    int n = situation->velocity_count;
    double scale =
        fmax(largest(n, acceleration), largest(n, situation->problem->free_acceleration));
    static const char *const heads[] = {"coordinate", "q'' [SI]"};
    Table table;
    table_init(&table, situation->context, "lr");
    table_add_heads(&table, heads);
    for (int i = 0; i < n; i++) {
        table_add(&table, "q[%d]", i);
        table_add_clean(&table, acceleration[i], scale);
    }
    table_print(&table, text);
    table_destroy(&table);
}

static Scales motion_scales(const SpragContactProblem *problem, const SpragMotion *motion)
{
    Scales scales = {0};
    scales.force = largest(problem->row_count, motion->force);
    scales.acceleration = fmax(largest(problem->row_count, motion->acceleration),
                               largest(problem->row_count, problem->b));
    return scales;
}

static void add_layer(const SpragSolution *solution, SpragText *text)
{
    if (solution->layer_count == 0)
        return;
    sprag_text_add(text, "  eigenvalues of the layer's D [1/kg]:");
    for (int i = 0; i < solution->layer_count; i++) {
        const SpragEigenvalue *value = &solution->layer[i];
        sprag_text_add(text, " %.5g", value->real);
        if (value->imaginary != 0)
            sprag_text_add(text, "%+.5gi", value->imaginary);
    }
    sprag_text_add(text, "\n");
}

static void add_motions(const Situation *situation, const SpragVerdict *verdict, bool verbose,
                        SpragText *text)
{
    double *acceleration = sprag_alloc(situation->context, (size_t)situation->velocity_count + 1,
                                       sizeof *acceleration);
    if (!acceleration) {
        text->failed = true;
        return;
    }
    for (int i = 0; i < verdict->solution_count; i++) {
        const SpragSolution *solution = &verdict->solutions[i];
        Scales scales = motion_scales(situation->problem, solution->motion);
        sprag_text_add(text, "\nmotion %d of %d: ", i + 1, verdict->solution_count);
        add_stability(solution, text);
        sprag_text_add(text, "; forces %s%s\n",
                       solution->motion->force_dimension > 0 ? "indeterminate" : "unique",
                       solution->motion->dimension > 0 ? "; one of a continuum" : "");
        details_text_motion(situation, solution, text);
        exits_text(situation, solution, text);
        add_contact_motion(situation, solution->motion, &scales, text);
        if (situation->problem->block_count > 0)
            analyze_acceleration(situation, solution->motion, acceleration);
        if (situation->model)
            add_body_motion(situation, acceleration, text);
        else if (situation->problem->block_count > 0)
            add_coordinate_motion(situation, acceleration, text);
        analyze_add_drives(situation, solution->motion, text);
        if (verbose)
            add_layer(solution, text);
    }
    sprag_free(situation->context, acceleration);
}

// ---- Matrices (-v) ------------------------------------------------------------------------------

static void add_mass_matrix(const Situation *situation, SpragText *text)
{
    static const char *const plane[] = {"body", "x [kg]", "y [kg]", "angle [kg m²]"};
    static const char *const spatial[] = {"body", "mass [kg]", "Ixx, Iyy, Izz [kg m²]",
                                          "Ixy, Ixz, Iyz"};
    bool space = situation_is_spatial(situation);
    Table table;
    table_init(&table, situation->context, "lrrr");
    table_add_heads(&table, space ? spatial : plane);
    for (int i = 0; i < situation->model->body_count; i++) {
        const SpragBody *body = &situation->model->bodies[i];
        if (sprag_system_body_coordinate(situation->system, i) < 0)
            continue;
        table_add(&table, "%s", body->name);
        table_add_number(&table, body->mass);
        if (space) {
            body_add_vector(&table, 3, body->tensor, 0);
            body_add_vector(&table, 3, body->tensor + 3, body->tensor[0]);
            continue;
        }
        table_add_number(&table, body->mass);
        table_add_number(&table, body->inertia);
    }
    sprag_text_add(text, space ? "\nmasses and inertias in the bodies' own frames\n"
                               : "\nmass matrix, its diagonal (all else is 0)\n");
    table_print(&table, text);
    table_destroy(&table);
}

// "normal" or "tangential" row `row` of the problem, as "tip normal".
static void add_row_name(const Situation *situation, Table *table, int row)
{
    for (int i = 0; i < situation->problem->constraint_count; i++) {
        const SpragConstraint *constraint = &situation->problem->constraints[i];
        int tangent = constraint->row + sprag_constraint_normals(constraint);
        if (row >= constraint->row && row < constraint->row + constraint->row_count)
            table_add(table, "%s %s", constraint->name,
                      row == constraint->row ? "normal"
                      : row < tangent        ? "second normal"
                      : row == tangent       ? "tangential"
                                             : "second");
    }
}

static bool is_zero(const double *entries, int count)
{
    for (int i = 0; i < count; i++)
        if (entries[i] != 0)
            return false;
    return true;
}

// A block of a row body by body: those that joints connect are one block.
static void add_row_bodies(const Situation *situation, Table *table, int row, int k)
{
    const SpragContactProblem *problem = situation->problem;
    const SpragInertiaBlock *block = &problem->blocks[problem->rows[row].block[k]];
    const double *entries = problem->jacobian + problem->rows[row].data[k];
    int size = situation_is_spatial(situation) ? 6 : 3;
    for (int first = 0; first < block->size; first += size) {
        SpragInertiaBlock part = {.offset = block->offset + first};
        int body = analyze_block_body(situation, &part);
        if (block->size > size && is_zero(entries + first, size))
            continue;
        add_row_name(situation, table, row);
        table_add(table, "%s", body < 0 ? "?" : situation->model->bodies[body].name);
        for (int j = 0; j < size; j++)
            table_add_clean(table, entries[first + j], 1);
    }
}

static void add_jacobian(const Situation *situation, SpragText *text)
{
    const SpragContactProblem *problem = situation->problem;
    static const char *const plane[] = {"row", "body", "x", "y", "angle [m]"};
    static const char *const spatial[] = {"row", "body",   "x",      "y",
                                          "z",   "rx [m]", "ry [m]", "rz [m]"};
    bool space = situation_is_spatial(situation);
    Table table;
    table_init(&table, situation->context, space ? "llrrrrrr" : "llrrr");
    table_add_heads(&table, space ? spatial : plane);
    for (int row = 0; row < problem->row_count; row++)
        for (int k = 0; k < SPRAG_ROW_BLOCKS; k++) {
            int block = problem->rows[row].block[k];
            if (block < 0)
                continue;
            add_row_bodies(situation, &table, row, k);
        }
    sprag_text_add(text, "\nJacobian J\n");
    table_print(&table, text);
    table_destroy(&table);
}

static void add_delassus(const Situation *situation, SpragText *text)
{
    enum { MOST = 24 };
    const SpragContactProblem *problem = situation->problem;
    int n = problem->row_count;
    char columns[MOST + 3] = "l";
    Table table;
    if (n > MOST) {
        sprag_text_add(text, "\nDelassus matrix W: %d rows, too many to print; --json -v has it\n",
                       n);
        return;
    }
    for (int i = 0; i <= n; i++)
        columns[i + 1] = 'r';
    table_init(&table, situation->context, columns);
    table_add(&table, "row");
    for (int i = 0; i < n; i++)
        table_add(&table, "W[%d]", i);
    table_add(&table, "b [m/s²]");
    double scale = largest(n * n, problem->W), scale_b = largest(n, problem->b);
    for (int i = 0; i < n; i++) {
        add_row_name(situation, &table, i);
        for (int j = 0; j < n; j++)
            table_add_clean(&table, problem->W[(size_t)i * (size_t)n + (size_t)j], scale);
        table_add_clean(&table, problem->b[i], scale_b);
    }
    sprag_text_add(text, "\nDelassus matrix W [1/kg] and b\n");
    table_print(&table, text);
    table_destroy(&table);
}

static void add_matrices(const Situation *situation, SpragText *text)
{
    if (situation->model)
        add_mass_matrix(situation, text);
    if (situation->problem->row_count == 0)
        return;
    if (situation->model)
        add_jacobian(situation, text);
    add_delassus(situation, text);
}

void analyze_text(const Situation *situation, const SpragVerdict *verdict, const Details *details,
                  const Arguments *arguments, SpragText *text)
{
    if (arguments->quiet) {
        add_sentence(verdict, text);
        sprag_text_add(text, "\n");
        return;
    }
    add_answer(situation, verdict, text);
    add_contacts(situation, verdict, text);
    add_motions(situation, verdict, arguments->verbose, text);
    details_text(situation, verdict, details, arguments, text);
    layers_text(&details->layers, text);
    if (arguments->verbose)
        add_matrices(situation, text);
}
