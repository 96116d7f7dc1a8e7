// page_motions.c: all motions at a sample, with their stability, for the page.
//
// The rigid problem of the closed contacts (theory.md (1.4)) is built at the state of the sample
// and searched as a run does it. Slips that have just started are still zero: their directions come
// from the modes. A contact that is compliant there counts as closed: what rigid mechanics would
// say of the same state.
#include <math.h>
#include <string.h>

#include "page.h"

enum { STATUS_UNKNOWN, STATUS_SAME, STATUS_NEW };

SpragStatus page_kinematics(SpragPage *page, const SpragRunSample *sample)
{
    size_t count = (size_t)sprag_system_contact_count(page->system);
    SPRAG_TRY(sprag_reserve(page->context, &page->kinematics, &page->kinematics_capacity, count + 1,
                            sizeof *page->kinematics));
    SpragContactTolerances tolerances = sprag_system_tolerances(page->system, sample->v);
    return sprag_system_kinematics(page->system, sample->t, sample->q, sample->v, &tolerances,
                                   page->kinematics);
}

static bool slides(SpragMode mode)
{
    return mode == SPRAG_MODE_SLIDE_PLUS || mode == SPRAG_MODE_SLIDE_MINUS ||
           mode == SPRAG_MODE_SLIDE;
}

static SpragStatus find_closed(SpragPage *page, const SpragRunSample *sample, int *count)
{
    int slots = sprag_system_contact_count(page->system);
    size_t room = (size_t)slots + 1;
    SPRAG_TRY(sprag_reserve(page->context, &page->closed, &page->closed_capacity, room,
                            sizeof *page->closed));
    SPRAG_TRY(sprag_reserve(page->context, &page->sliding, &page->sliding_capacity, room,
                            sizeof *page->sliding));
    *count = 0;
    for (int slot = 0; slot < slots; slot++)
        if (sample->contacts[slot].mode != SPRAG_MODE_SEPARATE) {
            page->sliding[*count] = slides(sample->contacts[slot].mode);
            page->closed[(*count)++] = slot;
        }
    return SPRAG_OK;
}

// Time stepping asks for no motions, and its states are none that a rigid problem would have.
static bool is_stepped(const SpragRunSample *sample)
{
    const char *reason; // not asked for
    return sample->run && sprag_run_motion(sample->run, &reason) == SPRAG_MOTION_STEPPING;
}

// Every sample where few contacts are closed, those behind events where some are.
static bool is_wanted(const SpragPage *page, const SpragRunSample *sample, int count)
{
    if (count == 0 || count > PAGE_SOME_CONTACTS || is_stepped(sample))
        return false;
    return count <= PAGE_EACH_CONTACTS || sample->after_event || page->row_count == 0 ||
           page->analysed_kind != (int)sample->verdict ||
           page->analysed_count != sample->solution_count;
}

static SpragStatus build(SpragPage *page, const SpragRunSample *sample, int count)
{
    SpragContactProblem *problem = &page->problem;
    SPRAG_TRY(sprag_system_build_active(page->system, sample->t, sample->q, sample->v, count,
                                        page->closed, page->sliding, problem));
    for (int i = 0; i < problem->constraint_count && problem->dimension == 2; i++) {
        SpragConstraint *item = &problem->constraints[i];
        double sign = sample->contacts[item->id].mode == SPRAG_MODE_SLIDE_MINUS ? -1 : 1;
        if (item->sliding)
            item->slip[0] = sign * fmax(fabs(item->slip[0]), 1e-300);
    }
    return SPRAG_OK;
}

static void put_numbers(SpragText *bytes, size_t count, const double *values)
{
    for (size_t i = 0; i < count; i++)
        page_put_float(bytes, values[i]);
}

static double fastest(const SpragSolution *solution)
{
    double rate = NAN;
    for (int i = 0; i < solution->eigenvalue_count; i++)
        rate = fmax(rate, solution->eigenvalues[i].real); // fmax passes over NaN
    return rate;
}

static void put_roots(SpragText *bytes, const SpragSolution *solution)
{
    int count = solution->eigenvalue_count < PAGE_SHOWN_ROOTS ? solution->eigenvalue_count
                                                              : PAGE_SHOWN_ROOTS;
    page_put_count(bytes, (uint64_t)count);
    for (int i = 0; i < count; i++) {
        page_put_float(bytes, solution->eigenvalues[i].real);
        page_put_float(bytes, solution->eigenvalues[i].imaginary);
    }
}

static SpragStatus put_solution(SpragPage *page, const SpragSolution *solution, bool chosen,
                                SpragText *bytes)
{
    const SpragContactProblem *problem = &page->problem;
    const SpragMotion *motion = solution->motion;
    page_put_byte(bytes, (unsigned)solution->stability | (solution->stable ? 8u : 0u) |
                             (chosen ? 16u : 0u) | (motion->force_dimension > 0 ? 32u : 0u) |
                             (motion->dimension > 0 ? 64u : 0u));
    page_put_float(bytes, fastest(solution));
    put_roots(bytes, solution);
    for (int i = 0; i < problem->constraint_count; i++) {
        const SpragConstraint *item = &problem->constraints[i];
        page_put_byte(bytes, (unsigned)motion->modes[i]);
        put_numbers(bytes, (size_t)item->row_count, motion->force + item->row);
        put_numbers(bytes, (size_t)item->row_count, motion->acceleration + item->row);
    }
    size_t n = (size_t)problem->velocity_count;
    SPRAG_TRY(sprag_reserve(page->context, &page->acceleration, &page->acceleration_capacity, n + 1,
                            sizeof *page->acceleration));
    sprag_contact_problem_acceleration(problem, motion->force, page->acceleration);
    put_numbers(bytes, page->velocities ? n : 0, page->acceleration);
    return SPRAG_OK;
}

// Contacts with their rows, what decides, the problem itself where it is small, the motions.
static SpragStatus put_verdict(SpragPage *page, const SpragVerdict *verdict, SpragText *bytes)
{
    const SpragContactProblem *problem = &page->problem;
    size_t rows = (size_t)problem->row_count;
    bool small = problem->constraint_count <= PAGE_EACH_CONTACTS || page->matrices < PAGE_MATRICES;
    page->matrices += problem->constraint_count > PAGE_EACH_CONTACTS;
    page_put_count(bytes, (uint64_t)problem->constraint_count);
    for (int i = 0; i < problem->constraint_count; i++) {
        page_put_count(bytes, (uint64_t)problem->constraints[i].id);
        page_put_count(bytes, (uint64_t)problem->constraints[i].row_count);
        page_put_byte(bytes, (problem->constraints[i].sliding ? 1u : 0u) |
                                 (unsigned)problem->constraints[i].kind << 1);
        page_put_float(bytes, problem->constraints[i].friction);
    }
    page_put_byte(bytes, (unsigned)verdict->kind | (verdict->complete ? 8u : 0u) |
                             (verdict->forces_unique ? 16u : 0u) |
                             (verdict->one_contact ? 32u : 0u) | (verdict->held ? 64u : 0u) |
                             (small ? 128u : 0u));
    page_put_float(bytes, verdict->one_contact ? verdict->A : NAN);
    page_put_float(bytes, verdict->one_contact ? verdict->B : NAN);
    if (small) {
        put_numbers(bytes, rows * rows, problem->W);
        put_numbers(bytes, rows, problem->b);
    }
    page_put_count(bytes, (uint64_t)verdict->solution_count);
    int shown =
        verdict->solution_count < PAGE_SHOWN_MOTIONS ? verdict->solution_count : PAGE_SHOWN_MOTIONS;
    page_put_count(bytes, (uint64_t)(page->velocities ? problem->velocity_count : 0));
    for (int i = 0; i < shown; i++)
        SPRAG_TRY(put_solution(page, &verdict->solutions[i], i == verdict->chosen, bytes));
    return SPRAG_OK;
}

static SpragStatus analyse(SpragPage *page, const SpragRunSample *sample, int count,
                           SpragVerdict *verdict, double *scale)
{
    SpragAnalysisSettings settings = sprag_analysis_default();
    SpragContactTolerances tolerances = sprag_system_tolerances(page->system, sample->v);
    settings.silent = true;
    settings.epsilon = page->run.epsilon;
    *scale = settings.time_scale =
        sprag_system_time_scale(page->system, sample->q, sample->v, page->kinematics);
    for (int i = 0; i < sprag_system_velocity_count(page->system); i++)
        settings.moving = settings.moving || fabs(sample->v[i]) > tolerances.slip;
    SPRAG_TRY(build(page, sample, count));
    return sprag_analysis_run(page->analysis, &page->problem, &settings, verdict);
}

SpragStatus page_add_motions(SpragPage *page, const SpragRunSample *sample)
{
    SpragVerdict verdict;
    SpragText bytes;
    double scale;
    int count;
    SPRAG_TRY(find_closed(page, sample, &count));
    if (!is_wanted(page, sample, count)) {
        page_put_byte(&page->motions, STATUS_UNKNOWN);
        return SPRAG_OK;
    }
    // a state that cannot be analysed is shown without its motions
    if (analyse(page, sample, count, &verdict, &scale) != SPRAG_OK) {
        page_put_byte(&page->motions, STATUS_UNKNOWN);
        return SPRAG_OK;
    }
    PageStart start = {count, page->closed, page->sliding, 0.6 * scale};
    SPRAG_TRY(page_add_branches(page, sample, &verdict, &start));
    page->analysed_kind = (int)sample->verdict;
    page->analysed_count = sample->solution_count;
    sprag_text_init(&bytes, page->context);
    SpragStatus status = put_verdict(page, &verdict, &bytes);
    bool same = status == SPRAG_OK && page->row_count > 0 && !bytes.failed &&
                bytes.length == page->last_motions.length &&
                memcmp(bytes.bytes, page->last_motions.bytes, bytes.length) == 0;
    page_put_byte(&page->motions, same ? STATUS_SAME : STATUS_NEW);
    if (same) {
        sprag_text_destroy(&bytes);
        return SPRAG_OK;
    }
    if (!bytes.failed)
        sprag_text_add_bytes(&page->motions, bytes.bytes, bytes.length);
    sprag_text_destroy(&page->last_motions);
    page->last_motions = bytes;
    return bytes.failed ? SPRAG_ERROR_MEMORY : status;
}
