// convergence.c: compliant runs of one scene beside the rigid one: the claim of theory.md 6.2,
// seen.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "convergence_private.h"

enum { CONVERGENCE_COOKIE = 0x45505331, MOST_JOBS = 64 };

SpragConvergenceSettings sprag_convergence_default(void)
{
    return (SpragConvergenceSettings){
        .scene = sprag_scene_default(), .jobs = 1, .cookie = CONVERGENCE_COOKIE};
}

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static SpragStatus take_settings(ConvergenceWork *work)
{
    SpragConvergence *result = work->result;
    const SpragConvergenceSettings *settings = work->settings;
    double sorted[SPRAG_CONVERGENCE_RUNS];
    if (settings->cookie != CONVERGENCE_COOKIE || settings->jobs < 1 || settings->jobs > MOST_JOBS)
        return sprag_fail(result->context, SPRAG_ERROR_ARGUMENT,
                          "settings must come from sprag_convergence_default, with 1 … %d threads",
                          MOST_JOBS);
    if (settings->count < 1 || settings->count > SPRAG_CONVERGENCE_RUNS)
        return sprag_fail(result->context, SPRAG_ERROR_ARGUMENT, "give 1 … %d values of epsilon",
                          SPRAG_CONVERGENCE_RUNS);
    for (int i = 0; i < settings->count; i++) {
        sorted[i] = settings->epsilons[i];
        if (!(sorted[i] > 0 && sorted[i] < 1))
            return sprag_fail(result->context, SPRAG_ERROR_ARGUMENT,
                              "epsilon must be between 0 and 1, got %g", sorted[i]);
    }
    qsort(sorted, (size_t)settings->count, sizeof *sorted, descending);
    for (int i = 0; i < settings->count; i++) {
        if (i > 0 && sorted[i] == sorted[i - 1])
            return sprag_fail(result->context, SPRAG_ERROR_ARGUMENT, "epsilon %g is given twice",
                              sorted[i]);
        result->runs[i].epsilon = sorted[i];
    }
    result->run_count = settings->count;
    return SPRAG_OK;
}

// From a contact to the place of a body.
static double distance(const SpragContactKinematics *contact, const double *place, int dimension)
{
    double flat = hypot(contact->point.x - place[0], contact->point.y - place[1]);
    return dimension == 3 ? hypot(flat, contact->point.z - place[2]) : flat;
}

// The largest distance from a closed contact to the centre of a body at the start; of a scene
// without one the shapes' own size as tolerances have it.
static SpragStatus find_length(ConvergenceWork *work)
{
    SpragConvergence *result = work->result;
    SpragSystem *system = work->rigid.system;
    const SpragModel *model = sprag_scene_model(work->rigid.scene);
    size_t m = (size_t)work->position_count, contacts = (size_t)sprag_system_contact_count(system);
    double *q = sprag_alloc(result->context, m + (size_t)work->velocity_count + 1, sizeof *q);
    SpragContactKinematics *kinematics =
        sprag_alloc(result->context, contacts + 1, sizeof *kinematics);
    SpragStatus status = q && kinematics ? SPRAG_OK : SPRAG_ERROR_MEMORY;
    if (status == SPRAG_OK) {
        sprag_system_initial(system, q, q + m);
        SpragContactTolerances tolerances = sprag_system_tolerances(system, q + m);
        status = sprag_system_kinematics(system, 0, q, q + m, &tolerances, kinematics);
        result->length = tolerances.gap / sprag_system_contact_tolerance(system);
    }
    double length = 0;
    for (size_t i = 0; i < contacts && status == SPRAG_OK; i++)
        for (int body = 0; body < model->body_count; body++) {
            int at = sprag_system_body_position(system, body);
            bool closed = kinematics[i].state != SPRAG_CONTACT_OPEN;
            if (at >= 0 && closed && model->body_count <= 2) // with few bodies it is theirs
                length = fmax(length, distance(&kinematics[i], q + at, model->dimension));
        }
    if (length > 0)
        result->length = length;
    sprag_free(result->context, q);
    sprag_free(result->context, kinematics);
    return status;
}

// ---- Runs ---------------------------------------------------------------------------------------

static SpragStatus run_rigid(ConvergenceWork *work)
{
    SpragConvergence *result = work->result;
    KeptRun *rigid = &work->rigid;
    rigid->work = work;
    rigid->context = result->context;
    SPRAG_TRY(kept_open(rigid, 0));
    work->position_count = sprag_system_position_count(rigid->system);
    work->velocity_count = sprag_system_velocity_count(rigid->system);
    work->shift =
        sprag_alloc(result->context, (size_t)work->velocity_count + 1, sizeof *work->shift);
    if (!work->shift)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(find_length(work));
    SPRAG_TRY(kept_go(rigid, 0, sprag_scene_model(rigid->scene)->simulate.until, false));
    convergence_choose_window(work);
    result->title = sprag_copy_text(result->context, sprag_scene_name(rigid->scene));
    if (!result->title)
        return SPRAG_ERROR_MEMORY;
    if (!(result->until > 0))
        return sprag_fail(
            result->context, SPRAG_ERROR_NUMERIC,
            "%s: the rigid run ends where it begins (%s): there is nothing to compare", work->path,
            sprag_run_outcome_name(rigid->outcome));
    return kept_go(rigid, 0, result->until, true);
}

static void *run_some(void *argument)
{
    ConvergenceWork *work = argument;
    for (;;) {
        int index = atomic_fetch_add(&work->next, 1);
        if (index >= work->result->run_count)
            return NULL;
        KeptRun *run = &work->runs[index];
        double epsilon = work->result->runs[index].epsilon;
        run->status = kept_open(run, epsilon);
        if (run->status == SPRAG_OK)
            run->status = kept_go(run, epsilon, work->result->until, true);
    }
}

static SpragStatus run_compliant(ConvergenceWork *work)
{
    SpragConvergence *result = work->result;
    pthread_t threads[MOST_JOBS];
    bool started[MOST_JOBS] = {false};
    for (int i = 0; i < result->run_count; i++) {
        work->runs[i].work = work;
        SPRAG_TRY(sprag_context_create(NULL, &work->runs[i].context));
    }
    atomic_store(&work->next, 0);
    for (int i = 1; i < work->settings->jobs && i < result->run_count; i++)
        started[i] = pthread_create(&threads[i], NULL, run_some, work) == 0;
    run_some(work);
    for (int i = 1; i < work->settings->jobs; i++)
        if (started[i])
            pthread_join(threads[i], NULL);
    for (int i = 0; i < result->run_count; i++)
        if (work->runs[i].status != SPRAG_OK)
            return sprag_fail(result->context, work->runs[i].status, "%s",
                              sprag_context_message(work->runs[i].context));
    return SPRAG_OK;
}

SpragStatus sprag_convergence_create(SpragContext *context, const char *path,
                                     const SpragConvergenceSettings *settings,
                                     SpragConvergence **result)
{
    *result = NULL;
    SpragConvergence *made = sprag_alloc(context, 1, sizeof *made);
    if (!made)
        return SPRAG_ERROR_MEMORY;
    made->context = context;
    ConvergenceWork *work = made->work = sprag_alloc(context, 1, sizeof *made->work);
    SpragStatus status = work ? SPRAG_OK : SPRAG_ERROR_MEMORY;
    if (work) {
        work->result = made;
        work->settings = settings;
        work->path = path;
        status = take_settings(work);
    }
    if (status == SPRAG_OK)
        status = run_rigid(work);
    if (status == SPRAG_OK)
        status = run_compliant(work);
    if (status == SPRAG_OK) {
        convergence_judge(work);
        *result = made;
    } else {
        sprag_convergence_destroy(made);
    }
    return status;
}

void sprag_convergence_destroy(SpragConvergence *result)
{
    if (!result)
        return;
    if (result->work) {
        for (int i = 0; i < result->run_count; i++)
            kept_close(&result->work->runs[i]);
        kept_close(&result->work->rigid);
        sprag_free(result->context, result->work->shift);
        sprag_free(result->context, result->work);
    }
    sprag_free(result->context, result->title);
    sprag_free(result->context, result);
}
