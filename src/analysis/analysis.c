// analysis.c: the verdict on a contact problem, theory.md 8.1.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solvability.h"
#include "stability.h"

enum { ANALYSIS_COOKIE = 0x414e4131 };
// Accelerations below this part of the free ones count as rest.
static const double REST_TOLERANCE = 1e-9;
// Relative accuracy of forces that a few solves leave.
static const double FORCE_ROUNDING = 1e-12;

struct SpragAnalysis {
    SpragContext *context;
    SpragMotionSearch *search;
    SpragArena *arena;
    SpragArenaMark verdict_end; // what lies beyond in the arena belongs to the tests asked last
};

const char *sprag_stability_name(SpragStability stability)
{
    static const char *const names[] = {"stable", "divergent", "flutter", "depends", "free"};
    return names[stability];
}

const char *sprag_verdict_name(SpragVerdictKind kind)
{
    static const char *const names[] = {"unique",   "multiple", "none",
                                        "infinite", "open",     "unknown"};
    return names[kind];
}

SpragAnalysisSettings sprag_analysis_default(void)
{
    return (SpragAnalysisSettings){.motions = sprag_motion_default(),
                                   .damping_ratio = 0.1,
                                   .epsilon = 1e-4,
                                   .cookie = ANALYSIS_COOKIE};
}

SpragStatus sprag_analysis_create(SpragContext *context, SpragAnalysis **analysis)
{
    *analysis = NULL;
    SpragAnalysis *created = sprag_alloc(context, 1, sizeof *created);
    if (!created)
        return SPRAG_ERROR_MEMORY;
    created->context = context;
    SpragStatus status = sprag_motion_search_create(context, &created->search);
    if (status == SPRAG_OK)
        status = sprag_arena_create(context, 1 << 14, &created->arena);
    if (status != SPRAG_OK) {
        sprag_analysis_destroy(created);
        return status;
    }
    *analysis = created;
    return SPRAG_OK;
}

void sprag_analysis_destroy(SpragAnalysis *analysis)
{
    if (!analysis)
        return;
    sprag_motion_search_destroy(analysis->search);
    sprag_arena_destroy(analysis->arena);
    sprag_free(analysis->context, analysis);
}

// ---- Facts --------------------------------------------------------------------------------------

// A and B of theory.md (2.6) for a single contact; at rest A is that of (3.5).
static void single_contact(const SpragContactProblem *problem, SpragVerdict *verdict)
{
    const SpragConstraint *item = problem->constraints;
    if (problem->constraint_count != 1 || item->kind != SPRAG_CONSTRAINT_CONTACT)
        return;
    double a_nn = problem->W[0], a_nt = problem->W[1];
    double a_no = item->row_count > 2 ? problem->W[2] : 0;
    double slip_o = item->row_count > 2 ? item->slip[1] : 0, slip = hypot(item->slip[0], slip_o);
    verdict->one_contact = true;
    // theory.md (13.2); d is ±1 in the plane
    double along = item->sliding && slip > 0
                       ? (item->slip[0] / slip) * a_nt + (slip_o / slip) * a_no
                       : hypot(a_nt, a_no);
    verdict->A = a_nn - item->friction * along;
    verdict->B = problem->b[0];
}

// Sums of the magnitudes of what every contact force does to each coordinate on its own.
static void find_terms(const SpragContactProblem *problem, const double *force, double *terms)
{
    for (int i = 0; i < problem->velocity_count; i++)
        terms[i] = 0;
    for (int r = 0; r < problem->row_count; r++) {
        for (int k = 0; k < SPRAG_ROW_BLOCKS; k++) {
            int index = problem->rows[r].block[k];
            if (index < 0)
                continue;
            const SpragInertiaBlock *block = &problem->blocks[index];
            if (block->offset >= problem->velocity_count)
                continue; // hidden
            const double *row = problem->jacobian + problem->rows[r].data[k];
            const double *inverse = problem->inverse_inertia + block->data;
            for (int i = 0; i < block->size * block->size; i++)
                terms[block->offset + i / block->size] +=
                    fabs(inverse[i] * row[i % block->size] * force[r]);
        }
    }
}

// Whether a body rests: its accelerations are small beside its free ones, up to the rounding of
// large forces that cancel (a light body between heavy ones). Coordinates are compared in the
// metric of M, where a/√(M⁻¹)ᵢᵢ has one unit: metres and radians do not, and the torque of forces
// through the centre of mass is all rounding.
static bool block_rests(const SpragContactProblem *problem, const SpragInertiaBlock *block,
                        double tolerance, const double *acceleration, const double *terms)
{
    double scale = 0, forces = 0, largest = 0;
    for (int i = 0; i < block->size; i++) {
        double diagonal = problem->inverse_inertia[block->data + i * (block->size + 1)];
        double root = diagonal > 0 ? sqrt(diagonal) : 1;
        scale = fmax(scale, fabs(problem->free_acceleration[block->offset + i]) / root);
        forces = fmax(forces, terms[block->offset + i] / root);
        largest = fmax(largest, fabs(acceleration[block->offset + i]) / root);
    }
    return largest <= tolerance * scale + FORCE_ROUNDING * forces;
}

// work: scratch for two vectors of velocity_count entries.
static bool keeps_rest(const SpragContactProblem *problem, const SpragMotion *motion,
                       double tolerance, double *work)
{
    for (int c = 0; c < problem->constraint_count; c++)
        if (problem->constraints[c].sliding ||
            (motion->modes[c] != SPRAG_MODE_STICK && motion->modes[c] != SPRAG_MODE_CLOSED))
            return false;
    if (problem->block_count == 0)
        return true;
    // the bodies themselves must rest: a rod on its tip sticks there and falls all the same
    double *acceleration = work, *terms = work + problem->velocity_count;
    sprag_contact_problem_acceleration(problem, motion->force, acceleration);
    find_terms(problem, motion->force, terms);
    for (int k = 0; k < problem->block_count; k++)
        if (problem->blocks[k].offset < problem->velocity_count &&
            !block_rests(problem, &problem->blocks[k], tolerance, acceleration, terms))
            return false;
    return true;
}

static SpragStatus find_held(SpragAnalysis *analysis, const SpragContactProblem *problem,
                             const SpragAnalysisSettings *settings, SpragVerdict *verdict)
{
    double *work =
        sprag_arena_alloc(analysis->arena, 2 * (size_t)problem->velocity_count + 1, sizeof *work);
    if (!work)
        return SPRAG_ERROR_MEMORY;
    // accelerations are known to the tolerance of the search
    double tolerance = fmax(REST_TOLERANCE, 100 * settings->motions.tolerance);
    // every stable motion must keep the rest, and there must be one
    verdict->held = verdict->stable_count > 0 && !settings->moving && verdict->complete &&
                    verdict->kind != SPRAG_VERDICT_INFINITE;
    for (int i = 0; i < verdict->solution_count && verdict->held; i++)
        if (verdict->solutions[i].stable)
            verdict->held = keeps_rest(problem, verdict->solutions[i].motion, tolerance, work);
    return SPRAG_OK;
}

// Whether a motion goes on with what the contacts do now: every sliding one slides on.
static bool continues(const SpragContactProblem *problem, const SpragMotion *motion)
{
    bool slides = false;
    for (int c = 0; c < problem->constraint_count; c++) {
        if (!problem->constraints[c].sliding)
            return false;
        if (motion->modes[c] == SPRAG_MODE_SEPARATE)
            return false;
        slides = true;
    }
    return slides;
}

static void choose(const SpragContactProblem *problem, SpragVerdict *verdict)
{
    int stable = -1, going_on = -1, going_on_count = 0;
    verdict->chosen = -1;
    for (int i = 0; i < verdict->solution_count; i++) {
        if (!verdict->solutions[i].stable)
            continue;
        stable = i;
        if (continues(problem, verdict->solutions[i].motion)) {
            going_on = i;
            going_on_count++;
        }
    }
    if (verdict->kind == SPRAG_VERDICT_INFINITE || !verdict->complete)
        return;
    if (verdict->stable_count == 1)
        verdict->chosen = stable;
    else if (verdict->stable_count > 1 && going_on_count == 1)
        verdict->chosen = going_on;
}

// ---- The sentence -------------------------------------------------------------------------------

static void describe_modes(const SpragContactProblem *problem, const SpragMotion *motion,
                           char *text, size_t size)
{
    // by hand: this is done for every verdict, and printing costs more than a small problem
    size_t used = 0;
    for (int c = 0; c < problem->constraint_count && used + 16 < size; c++) {
        if (c > 0)
            text[used++] = ' ';
        for (const char *name = sprag_mode_name(motion->modes[c]); *name; name++)
            text[used++] = *name;
    }
    text[used] = 0;
}

static const char *unstable_word(const SpragVerdict *verdict)
{
    for (int i = 0; i < verdict->solution_count; i++)
        if (verdict->solutions[i].turns)
            return "turns the direction of slip";
    for (int i = 0; i < verdict->solution_count; i++)
        if (verdict->solutions[i].stability == SPRAG_FLUTTER)
            return "flutters";
    return "diverges";
}

// Slip that starts in a direction which does not attract its neighbours, theory.md 13.1.
static const char *turning_clause(const SpragVerdict *verdict)
{
    for (int i = 0; i < verdict->solution_count; i++)
        if (verdict->solutions[i].turns)
            return "; where slip starts in a direction that is not stable, it turns away from it";
    return "";
}

static void explain_several(const SpragVerdict *verdict, char *text, size_t size,
                            const char *chosen)
{
    if (verdict->stable_count == 0)
        snprintf(text, size,
                 "%d motions, none of them stable: only a compliant contact can tell what happens",
                 verdict->solution_count);
    else if (verdict->chosen < 0)
        snprintf(
            text, size,
            "%d motions, %d of them stable: rigid-body mechanics cannot choose, the history of "
            "the compliant contact does%s",
            verdict->solution_count, verdict->stable_count, turning_clause(verdict));
    else if (verdict->stable_count == 1)
        snprintf(text, size,
                 "%d motions, but only one of them is stable (%s): a compliant contact leaves the "
                 "others%s",
                 verdict->solution_count, chosen, turning_clause(verdict));
    else
        snprintf(text, size,
                 "%d motions, %d of them stable; the one that goes on as now (%s) is taken",
                 verdict->solution_count, verdict->stable_count, chosen);
}

// The plainest sentence, by hand: printing would take a tenth of a small problem's time.
static void say_stable(char *text, size_t size, const char *modes, const char *forces)
{
    const char *const parts[] = {"one motion (", modes, "), and it is stable", forces};
    size_t used = 0;
    for (int i = 0; i < 4; i++)
        for (const char *from = parts[i]; *from && used + 1 < size; from++)
            text[used++] = *from;
    text[used] = 0;
}

static void explain_one(const SpragVerdict *verdict, char *text, size_t size, const char *modes)
{
    const SpragSolution *only = &verdict->solutions[0];
    const char *forces = only->motion->force_dimension > 0
                             ? "; its forces are indeterminate, the motion is not"
                             : "";
    if (only->stability == SPRAG_DEPENDS && !only->stable)
        snprintf(text, size,
                 "one motion (%s), but it flutters at the damping assumed; it is stable above a "
                 "damping ratio of %.3g",
                 modes, only->critical_damping);
    else if (!only->stable)
        snprintf(text, size,
                 "one motion (%s), but it is not stable: a compliant contact %s away from it",
                 modes, unstable_word(verdict));
    else if (verdict->recommended_compliant)
        snprintf(
            text, size,
            "one motion (%s), but %s is almost zero: its forces are about to grow without limit",
            modes, verdict->one_contact ? "A" : "the determinant of its contacts");
    else if (only->stability == SPRAG_FREE)
        snprintf(text, size, "one motion (%s): nothing presses, so nothing can be unstable", modes);
    else if (only->stability == SPRAG_DEPENDS)
        snprintf(text, size,
                 "one motion (%s), stable at the damping assumed; below a damping ratio of %.3g it "
                 "flutters",
                 modes, only->critical_damping);
    else
        say_stable(text, size, modes, forces);
}

static void explain(const SpragContactProblem *problem, SpragVerdict *verdict)
{
    char modes[256];
    char *text = verdict->reason;
    modes[0] = 0;
    size_t size = sizeof verdict->reason;
    int shown = verdict->chosen >= 0 ? verdict->chosen : 0;
    if (verdict->solution_count > 0)
        describe_modes(problem, verdict->solutions[shown].motion, modes, sizeof modes);
    bool open = problem->dimension == 3 && verdict->kind == SPRAG_VERDICT_INFINITE;
    if (!verdict->complete && !open && problem->dimension == 3)
        snprintf(text, size,
                 "%d motion%s found, but nothing proves that there are no others: several contacts "
                 "may start to slip at once",
                 verdict->solution_count, verdict->solution_count == 1 ? "" : "s");
    else if (!verdict->complete && !open)
        snprintf(text, size, "the search for motions was stopped at its limit: %d found so far",
                 verdict->solution_count);
    else if (verdict->kind == SPRAG_VERDICT_OPEN)
        snprintf(text, size, "no contact is closed: the bodies move freely");
    else if (verdict->kind == SPRAG_VERDICT_NONE && verdict->one_contact)
        snprintf(
            text, size,
            "no motion obeys Coulomb's law (A = %.4g, B = %.4g): finite forces cannot keep the "
            "bodies apart, an impulse or a compliant contact must",
            verdict->A, verdict->B);
    else if (verdict->kind == SPRAG_VERDICT_NONE)
        snprintf(text, size,
                 "no motion obeys Coulomb's law: finite forces cannot keep the bodies "
                 "apart, impulses or compliant contacts must");
    else if (verdict->kind == SPRAG_VERDICT_INFINITE)
        snprintf(text, size,
                 "a continuum of motions: friction leaves the acceleration open, only a "
                 "compliant contact decides");
    else if (verdict->kind == SPRAG_VERDICT_UNIQUE)
        explain_one(verdict, text, size, modes);
    else
        explain_several(verdict, text, size, modes);
}

// ---- Driver -------------------------------------------------------------------------------------

static SpragVerdictKind kind_of(const SpragMotionSet *set)
{
    for (int i = 0; i < set->count; i++)
        if (set->motions[i].dimension > 0)
            return SPRAG_VERDICT_INFINITE;
    if (set->count == 0)
        return SPRAG_VERDICT_NONE;
    return set->count == 1 ? SPRAG_VERDICT_UNIQUE : SPRAG_VERDICT_MULTIPLE;
}

static void recommend(SpragVerdict *verdict)
{
    verdict->recommended_compliant =
        verdict->kind != SPRAG_VERDICT_OPEN &&
        (verdict->chosen < 0 || verdict->solutions[verdict->chosen].nearly_singular);
}

static SpragStatus analyze(SpragAnalysis *analysis, const SpragContactProblem *problem,
                           const SpragAnalysisSettings *settings, bool undecided,
                           SpragVerdict *verdict)
{
    SpragAnalysisSettings chosen = settings ? *settings : sprag_analysis_default();
    memset(verdict, 0, sizeof *verdict);
    verdict->chosen = -1;
    if (chosen.cookie != ANALYSIS_COOKIE)
        return sprag_fail(analysis->context, SPRAG_ERROR_ARGUMENT,
                          "analysis settings must come from sprag_analysis_default");
    SpragMotionSet set;
    SPRAG_TRY(sprag_motion_search_run(analysis->search, problem, &chosen.motions, &set));
    sprag_arena_release(analysis->arena, (SpragArenaMark){0, 0});
    analysis->verdict_end = (SpragArenaMark){0, 0};
    SpragSolution *solutions =
        sprag_arena_alloc(analysis->arena, (size_t)set.count + 1, sizeof *solutions);
    if (!solutions)
        return SPRAG_ERROR_MEMORY;
    verdict->solutions = solutions;
    verdict->solution_count = set.count;
    verdict->complete = set.complete;
    verdict->program_count = set.program_count, verdict->node_count = set.node_count;
    verdict->forces_unique = true;
    for (int i = 0; i < set.count; i++) {
        solutions[i].motion = &set.motions[i];
        SPRAG_TRY(stability_test(analysis->arena, problem, &chosen, &solutions[i],
                                 &verdict->default_layer));
        verdict->stable_count += solutions[i].stable;
        verdict->forces_unique &= set.motions[i].force_dimension == 0;
    }
    verdict->kind = problem->constraint_count ? kind_of(&set) : SPRAG_VERDICT_OPEN;
    single_contact(problem, verdict);
    choose(problem, verdict);
    recommend(verdict);
    SPRAG_TRY(find_held(analysis, problem, &chosen, verdict));
    if (!chosen.silent)
        explain(problem, verdict);
    if (chosen.details || chosen.rules)
        SPRAG_TRY(
            advice_find(analysis->search, analysis->arena, problem, &chosen, undecided, verdict));
    analysis->verdict_end = sprag_arena_mark(analysis->arena);
    return SPRAG_OK;
}

SpragStatus sprag_analysis_run(SpragAnalysis *analysis, const SpragContactProblem *problem,
                               const SpragAnalysisSettings *settings, SpragVerdict *verdict)
{
    return analyze(analysis, problem, settings, false, verdict);
}

SpragStatus sprag_analysis_culprits(SpragAnalysis *analysis, const SpragContactProblem *problem,
                                    const SpragAnalysisSettings *settings, SpragVerdict *verdict,
                                    bool *in)
{
    SpragAnalysisSettings chosen = settings ? *settings : sprag_analysis_default();
    chosen.rules = true;
    SPRAG_TRY(analyze(analysis, problem, &chosen, true, verdict));
    for (int c = 0; c < problem->constraint_count; c++)
        in[c] = sprag_rule_is_compliant(verdict->rules[c]);
    return SPRAG_OK;
}

SpragStatus sprag_analysis_test(SpragAnalysis *analysis, const SpragContactProblem *problem,
                                SpragSolvability *tests)
{
    sprag_arena_release(analysis->arena, analysis->verdict_end);
    return solvability_test(analysis->arena, problem, tests);
}
