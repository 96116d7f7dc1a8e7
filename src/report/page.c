// page.c: a page listens to a run and keeps what a browser needs of it.
//
// Samples are kept at an interval that bounds the size of the file (at least 60 a second), and on
// both sides of every event; the last one always.
#include <math.h>
#include <string.h>

#include "page.h"
#include "sprag/bundle.h"

SpragPageSettings sprag_page_default(void)
{
    return (SpragPageSettings){.until = 1, .cookie = 1};
}

// ---- Making one ---------------------------------------------------------------------------------

// Bytes that a sample takes before it is coded, and how many of them are cheerfully spent.
static double choose_interval(const SpragPage *page)
{
    const double budget = page->settings.live ? 24e6 : 1.5e6, rate = 60;
    double slots = fmin(sprag_system_contact_count(page->system), PAGE_ALL_SLOTS);
    double row = 48 + 4.0 * page->body_columns + 80 * slots + 120;
    double needed = page->settings.until * row / budget;
    if (!(needed > page->run.output_step))
        return 0;
    return fmin(needed, 1 / rate);
}

static SpragStatus copy_settings(SpragPage *page, const SpragPageSettings *settings)
{
    SpragContext *context = page->context;
    page->settings = *settings;
    page->run = settings->run ? *settings->run : sprag_run_default();
    page->file = sprag_copy_text(context, settings->file ? settings->file : "");
    page->command = sprag_copy_text(context, settings->command ? settings->command : "");
    page->sets = sprag_alloc(context, (size_t)settings->set_count + 1, sizeof *page->sets);
    if (!page->file || !page->command || !page->sets)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < settings->set_count; i++) {
        page->sets[i].path = sprag_copy_text(context, settings->sets[i].path);
        page->sets[i].value = sprag_copy_text(context, settings->sets[i].value);
        if (!page->sets[i].path || !page->sets[i].value)
            return SPRAG_ERROR_MEMORY;
    }
    return SPRAG_OK;
}

// What the page needs to stand for its scene, as the files are now. A scene that cannot be read
// again (it never was a file) goes without.
static void pack_scene(SpragPage *page)
{
    SpragSceneSettings settings = sprag_scene_default();
    settings.sets = page->sets;
    settings.set_count = page->settings.set_count;
    if (!page->file[0] || page->settings.live)
        return;
    if (sprag_scene_pack(page->context, page->file, &settings, &page->bundle) != SPRAG_OK) {
        sprag_text_destroy(&page->bundle);
        sprag_text_init(&page->bundle, page->context);
    }
}

static void count_columns(SpragPage *page)
{
    int free_bodies = 0, dimension = sprag_system_dimension(page->system);
    for (int body = 0; body < page->model->body_count; body++)
        free_bodies +=
            sprag_system_body_position(page->system, body) >= 0 || page->model->bodies[body].driven;
    page->tangents = dimension == 3 ? 2 : 1;
    page->velocities = free_bodies <= PAGE_SPEED_BODIES;
    page->body_columns = free_bodies * ((dimension == 3 ? 7 : 3) +
                                        (page->velocities ? (dimension == 3 ? 6 : 3) : 0));
}

SpragStatus sprag_page_create(SpragSystem *system, const SpragPageSettings *settings,
                              SpragPage **result)
{
    SpragContext *context = sprag_system_context(system);
    *result = NULL;
    if (!sprag_system_model(system))
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "a page shows bodies: the system must come from a model");
    SpragPage *page = sprag_alloc(context, 1, sizeof *page);
    if (!page)
        return SPRAG_ERROR_MEMORY;
    page->context = context;
    page->system = system;
    page->model = sprag_system_model(system);
    sprag_text_init(&page->bundle, context);
    page_branches_init(&page->branches, context);
    sprag_text_init(&page->motions, context);
    sprag_text_init(&page->last_motions, context);
    sprag_contact_problem_init(&page->problem, context);
    page->named = sprag_system_contact_count(system);
    count_columns(page);
    SpragPageSettings defaults = sprag_page_default();
    SpragStatus status = copy_settings(page, settings ? settings : &defaults);
    page->interval = choose_interval(page);
    if (status == SPRAG_OK)
        pack_scene(page);
    if (status == SPRAG_OK)
        status = page_extras_open(page);
    if (status == SPRAG_OK)
        status = sprag_analysis_create(context, &page->analysis);
    if (status != SPRAG_OK)
        sprag_page_destroy(page);
    else
        *result = page;
    return status;
}

static void free_settings(SpragPage *page)
{
    for (int i = 0; page->sets && i < page->settings.set_count; i++) {
        sprag_free(page->context, (void *)page->sets[i].path);
        sprag_free(page->context, (void *)page->sets[i].value);
    }
    sprag_free(page->context, page->sets);
    sprag_free(page->context, page->file);
    sprag_free(page->context, page->command);
}

void sprag_page_destroy(SpragPage *page)
{
    if (!page)
        return;
    void *const arrays[] = {page->pending.q, page->pending.v,    page->pending.contacts,
                            page->times,     page->flags,        page->solutions,
                            page->numbers,   page->touches,      page->events,
                            page->verdicts,  page->kinematics,   page->closed,
                            page->sliding,   page->acceleration, page->poses};
    free_settings(page);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        sprag_free(page->context, arrays[i]);
    sprag_text_destroy(&page->bundle);
    page_extras_close(page);
    page_branches_destroy(&page->branches, page->context);
    sprag_text_destroy(&page->motions);
    sprag_text_destroy(&page->last_motions);
    sprag_contact_problem_destroy(&page->problem);
    sprag_analysis_destroy(page->analysis);
    sprag_free(page->context, page);
}

// ---- Listening ----------------------------------------------------------------------------------

static int answer(SpragPage *page, SpragStatus status)
{
    if (page->status == SPRAG_OK)
        page->status = status;
    return page->status == SPRAG_OK ? 0 : 1;
}

// A copy of a sample that is not kept yet.
static SpragStatus remember(SpragPage *page, const SpragRunSample *sample)
{
    PagePending *p = &page->pending;
    size_t positions = (size_t)sprag_system_position_count(page->system);
    size_t velocities = (size_t)sprag_system_velocity_count(page->system);
    size_t contacts = (size_t)sprag_system_contact_count(page->system);
    SPRAG_TRY(sprag_reserve(page->context, &p->q, &p->q_capacity, positions + 1, sizeof *p->q));
    SPRAG_TRY(sprag_reserve(page->context, &p->v, &p->v_capacity, velocities + 1, sizeof *p->v));
    SPRAG_TRY(sprag_reserve(page->context, &p->contacts, &p->contact_capacity, contacts + 1,
                            sizeof *p->contacts));
    p->sample = *sample;
    memcpy(p->q, sample->q, positions * sizeof *p->q);
    memcpy(p->v, sample->v, velocities * sizeof *p->v);
    if (contacts > 0)
        memcpy(p->contacts, sample->contacts, contacts * sizeof *p->contacts);
    return SPRAG_OK;
}

static int hear_sample(const SpragRunSample *sample, void *user)
{
    SpragPage *page = user;
    bool event = sample->before_event || sample->after_event;
    bool keep = event || page->heard == 0 || sample->t >= page->next;
    page->heard++;
    page->pending.there = true;
    page->pending.kept = keep;
    if (!keep)
        return answer(page, remember(page, sample));
    // a grid of times, so that an event does not shift what follows
    if (page->interval > 0)
        page->next = page->interval * (1 - 1e-9) * (floor(sample->t / page->interval + 1e-6) + 1);
    return answer(page, page_store(page, sample));
}

static int hear_event(const SpragEvent *event, void *user)
{
    SpragPage *page = user;
    SpragStatus status = sprag_reserve(page->context, &page->events, &page->event_capacity,
                                       page->event_count + 1, sizeof *page->events);
    if (status == SPRAG_OK)
        page->events[page->event_count++] = *event;
    return answer(page, status);
}

static int hear_verdict(const SpragRunVerdict *verdict, void *user)
{
    SpragPage *page = user;
    SpragStatus status = sprag_reserve(page->context, &page->verdicts, &page->verdict_capacity,
                                       page->verdict_count + 1, sizeof *page->verdicts);
    if (status == SPRAG_OK)
        page->verdicts[page->verdict_count++] = *verdict;
    return answer(page, status);
}

SpragSink sprag_page_sink(SpragPage *page)
{
    return (SpragSink){
        .sample = hear_sample, .event = hear_event, .verdict = hear_verdict, .user = page};
}

SpragStatus sprag_page_status(const SpragPage *page)
{
    return page->status;
}
