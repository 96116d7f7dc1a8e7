// serve_session.c: the simulation of a live session: made from the scene's file with the numbers
// that viewers have set, and led forward in slices, so that the network is looked at in between.
//
// A new value of a parameter begins a new run from t = 0, which goes at once to where the last one
// was: the picture is then that of the same instant with another number.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "serve_private.h"

double serve_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- Listening to the run -----------------------------------------------------------------------

// A run that was started again in its middle counts its losses from there: those before are added.
static int hear_sample(const SpragRunSample *sample, void *user)
{
    ServeSession *session = user;
    SpragRunSample whole = *sample;
    const SpragEnergyAccount *spent = &session->spent;
    whole.energy.actuation += spent->actuation;
    whole.energy.friction += spent->friction;
    whole.energy.impact += spent->impact;
    whole.energy.damping += spent->damping;
    whole.energy.change += spent->change;
    whole.energy.placed += spent->placed;
    session->last = whole.energy;
    return session->page_sink.sample(&whole, session->page_sink.user);
}

static int hear_event(const SpragEvent *event, void *user)
{
    ServeSession *session = user;
    return session->page_sink.event(event, session->page_sink.user);
}

static int hear_verdict(const SpragRunVerdict *verdict, void *user)
{
    ServeSession *session = user;
    return session->page_sink.verdict(verdict, session->page_sink.user);
}

// ---- Making and giving back ---------------------------------------------------------------------

static void drop_run(ServeSession *session)
{
    sprag_run_destroy(session->run);
    sprag_page_destroy(session->page);
    sprag_system_destroy(session->system);
    sprag_scene_destroy(session->scene);
    session->run = NULL;
    session->page = NULL;
    session->system = NULL;
    session->scene = NULL;
    session->model = NULL;
}

static SpragStatus read_scene(ServeSession *session)
{
    SpragSceneSettings settings = sprag_scene_default();
    settings.sets = session->sets;
    settings.set_count = (int)session->set_count;
    SPRAG_TRY(sprag_scene_read(session->context, session->path, &settings, &session->scene));
    session->model = sprag_scene_edit_model(session->scene);
    if (!session->model)
        return sprag_fail(session->context, SPRAG_ERROR_INPUT, "%s: view takes a scene with bodies",
                          session->path);
    SPRAG_TRY(serve_pull_prepare(session));
    return sprag_system_create_model(session->model, &session->system);
}

static SpragStatus make_run(ServeSession *session)
{
    SpragPageSettings page = sprag_page_default();
    SpragSink sink = {
        .sample = hear_sample, .event = hear_event, .verdict = hear_verdict, .user = session};
    SPRAG_TRY(read_scene(session));
    session->run_settings = sprag_run_settings(&session->model->simulate);
    session->run_settings.interrupt = session->settings->interrupt;
    session->until = session->model->simulate.until;
    page.scene = session->scene;
    page.file = session->path;
    page.sets = session->sets;
    page.set_count = (int)session->set_count;
    page.run = &session->run_settings;
    page.until = session->until;
    page.live = true;
    SPRAG_TRY(sprag_page_create(session->system, &page, &session->page));
    session->page_sink = sprag_page_sink(session->page);
    return sprag_run_create(session->system, &session->run_settings, &sink, &session->run);
}

// The head of the history: everything that stays.
static SpragStatus tell_head(ServeSession *session)
{
    SpragText text;
    sprag_text_init(&text, session->context);
    serve_history_clear(session);
    sprag_text_add(&text, "{\"generation\":%u,\"head\":", session->history.generation);
    SpragStatus status = sprag_page_head(session->page, &text);
    sprag_text_add(&text, "}");
    if (status == SPRAG_OK)
        status = serve_history_add(session, &text, false);
    sprag_text_destroy(&text);
    return status;
}

static SpragStatus tell_news(ServeSession *session, const SpragPageEnd *end)
{
    SpragText text;
    sprag_text_init(&text, session->context);
    SpragStatus status = sprag_page_take(session->page, &text);
    if (status == SPRAG_OK)
        status = serve_history_add(session, &text, true);
    sprag_text_add(&text, "{\"tail\":");
    if (status == SPRAG_OK)
        status = sprag_page_tail(session->page, end, &text);
    sprag_text_add(&text, "}");
    if (status == SPRAG_OK)
        status = serve_history_add(session, &text, false);
    sprag_text_destroy(&text);
    return status;
}

static void say_error(ServeSession *session, const char *message)
{
    snprintf(session->error, sizeof session->error, "%s", message);
    session->error_version++;
}

// ---- Forward ------------------------------------------------------------------------------------

static void end_run(ServeSession *session, SpragRunOutcome outcome, SpragStatus status)
{
    SpragPageEnd end = {.outcome = outcome,
                        .reason = status == SPRAG_OK ? "" : sprag_context_message(session->context),
                        .statistics = sprag_run_statistics(session->run),
                        .drift = sprag_run_drift(session->run)};
    session->ended = true;
    session->running = false;
    session->state_version++;
    if (tell_news(session, &end) != SPRAG_OK)
        say_error(session, sprag_context_message(session->context));
}

static void advance(ServeSession *session, double target)
{
    SpragRunOutcome outcome = SPRAG_RUN_DONE;
    double begin = serve_clock();
    SpragStatus status = sprag_run_advance(session->run, target, &outcome);
    if (status == SPRAG_OK)
        status = sprag_page_status(session->page);
    double spent = serve_clock() - begin;
    const double long_time = 0.03, short_time = 0.008; // s: viewers do not notice
    if (spent > long_time)
        session->slice *= 0.5;
    else if (spent < short_time)
        session->slice *= 1.5;
    bool over = status != SPRAG_OK || outcome != SPRAG_RUN_DONE ||
                sprag_run_time(session->run) >= session->until;
    if (over)
        end_run(session, status == SPRAG_OK ? outcome : SPRAG_RUN_NOT_CONVERGED, status);
    else if (tell_news(session, NULL) != SPRAG_OK)
        say_error(session, sprag_context_message(session->context));
}

void serve_session_restart(ServeSession *session, double reach)
{
    ServeSession old = *session;
    session->run = NULL;
    session->page = NULL;
    session->system = NULL;
    session->scene = NULL;
    SpragStatus status = make_run(session);
    if (status != SPRAG_OK) {
        // the last good run stays
        char message[sizeof session->error];
        snprintf(message, sizeof message, "%s", sprag_context_message(session->context));
        drop_run(session);
        session->run = old.run;
        session->page = old.page;
        session->system = old.system;
        session->scene = old.scene;
        session->model = old.model;
        session->page_sink = old.page_sink;
        session->until = old.until;
        session->run_settings = old.run_settings;
        session->pull_spring = old.pull_spring;
        session->broken = true;
        say_error(session, message);
        return;
    }
    drop_run(&old);
    if (session->broken)
        say_error(session, "");
    session->broken = false;
    session->ended = false;
    session->spent = (SpragEnergyAccount){0};
    session->last = session->spent;
    session->reach = fmin(reach, session->until);
    session->slice = fmax(5 * session->run_settings.output_step, 1e-9);
    session->wall = serve_clock();
    session->t = session->reach;
    session->state_version++;
    if (tell_head(session) != SPRAG_OK)
        say_error(session, sprag_context_message(session->context));
    else // the first sample, with its verdict
        advance(session, 0);
}

// Where the run should be by now.
static double find_goal(const ServeSession *session, double t)
{
    const double least = 1.0 / 60; // s of the clock between two pieces of news
    if (t < session->reach)
        return session->reach;
    if (!session->running)
        return t;
    if (session->rate <= 0)
        return session->until;
    double paced = session->t + session->rate * (serve_clock() - session->wall);
    return paced < session->until && paced - t < session->rate * least ? t : paced;
}

// Viewers that come later need everything told so far; a session that lasts for days stops here.
static bool is_full(ServeSession *session)
{
    if (session->history.bytes <= SERVE_HISTORY)
        return false;
    if (session->running) {
        session->running = false;
        session->state_version++;
        say_error(session, "The session has kept as much as it can: reset, or go from the start.");
    }
    return true;
}

bool serve_session_work(ServeSession *session)
{
    if (!session->run || session->ended || is_full(session))
        return false;
    double t = sprag_run_time(session->run), goal = fmin(find_goal(session, t), session->until);
    if (!(goal > t))
        return false;
    double target = fmin(goal, t + session->slice);
    bool hurry = t < session->reach || session->rate <= 0;
    advance(session, target);
    // what cannot keep up with the clock does not chase it
    if (!hurry && goal - target > 0.25 * session->rate) {
        session->t = target;
        session->wall = serve_clock();
    }
    return target < goal && !session->ended;
}

void serve_session_state(const ServeSession *session, char text[SERVE_LINE])
{
    snprintf(text, SERVE_LINE, "{\"state\":{\"running\":%s,\"rate\":%.6g,\"reached\":%.9g}}",
             session->running ? "true" : "false", session->rate,
             session->run ? sprag_run_time(session->run) : 0);
}

// ---- Opening and closing ------------------------------------------------------------------------

static SpragStatus copy_sets(ServeSession *session)
{
    for (int i = 0; i < session->settings->set_count; i++) {
        SPRAG_TRY(sprag_reserve(session->context, &session->sets, &session->set_capacity,
                                session->set_count + 1, sizeof *session->sets));
        SpragSceneSet *set = &session->sets[session->set_count++];
        set->path = sprag_copy_text(session->context, session->settings->sets[i].path);
        set->value = sprag_copy_text(session->context, session->settings->sets[i].value);
        if (!set->path || !set->value)
            return SPRAG_ERROR_MEMORY;
    }
    return SPRAG_OK;
}

SpragStatus serve_session_open(ServeSession *session, SpragContext *context, const char *path,
                               const SpragServeSettings *settings)
{
    *session = (ServeSession){
        .context = context, .settings = settings, .path = path, .rate = 1, .pull_spring = -1};
    SPRAG_TRY(copy_sets(session));
    serve_session_restart(session, 0);
    if (session->run)
        return SPRAG_OK;
    return sprag_fail(context, SPRAG_ERROR_INPUT, "%s", session->error);
}

void serve_session_close(ServeSession *session)
{
    drop_run(session);
    serve_history_clear(session);
    for (size_t i = 0; i < session->set_count; i++) {
        sprag_free(session->context, (void *)session->sets[i].path);
        sprag_free(session->context, (void *)session->sets[i].value);
    }
    sprag_free(session->context, session->sets);
    sprag_free(session->context, session->state);
    sprag_free(session->context, session->history.messages);
}
