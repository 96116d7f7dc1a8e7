// pilot_exit.c: where a motion that is not stable leads, theory.md 8.2.
// Problem   a saddle has two exits: which of them is taken depends on a disturbance
// Method    a short run with its contacts compliant, in equilibrium with a little more, or a little
//           less, than the forces of the motion; what happens first says where it leads
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "motion_private.h"

// The run ends after so many times in which a disturbance grows e-fold: one of a hundredth is as
// large as the force after five of them, and then it must bring the slip to rest.
static const double MOST_GROWTH = 100;

typedef struct Listener {
    SpragExit *exit;
    double begin;
    size_t used;
} Listener;

static const char *event_words(SpragEventType type)
{
    switch (type) {
    case SPRAG_EVENT_LIFT_OFF:
        return "lifts off";
    case SPRAG_EVENT_STICK:
        return "slip stops";
    case SPRAG_EVENT_SLIP_REVERSAL:
        return "slip turns over";
    case SPRAG_EVENT_SLIP_START:
        return "starts to slip";
    case SPRAG_EVENT_TO_RIGID:
        return "is rigid again";
    default:
        return sprag_event_name(type);
    }
}

// Layers come and go at the start: they are no news.
static int hear_event(const SpragEvent *event, void *user)
{
    Listener *listener = user;
    SpragExit *exit = listener->exit;
    bool news = event->type == SPRAG_EVENT_LIFT_OFF || event->type == SPRAG_EVENT_STICK ||
                event->type == SPRAG_EVENT_SLIP_REVERSAL || event->type == SPRAG_EVENT_SLIP_START ||
                event->type == SPRAG_EVENT_IMPACT;
    bool open = event->type == SPRAG_EVENT_TO_RIGID && strcmp(event->detail, "open") == 0;
    if (event->type == SPRAG_EVENT_TO_RIGID && !open)
        news = true;
    if (!news)
        return 0;
    if (exit->event_count++ == 0) {
        exit->first = event->type;
        exit->contact = event->contact;
        exit->after = event->t - listener->begin;
    }
    if (listener->used < sizeof exit->text) {
        int length = snprintf(exit->text + listener->used, sizeof exit->text - listener->used,
                              "%s%s after %.4g s", listener->used ? ", " : "",
                              event_words(event->type), event->t - listener->begin);
        listener->used += length > 0 ? (size_t)length : 0;
    }
    // it has left: what follows is the future of another state
    return event->type == SPRAG_EVENT_LIFT_OFF || event->type == SPRAG_EVENT_TO_RIGID ||
           event->type == SPRAG_EVENT_IMPACT;
}

static int hear_sample(const SpragRunSample *sample, void *user)
{
    Listener *listener = user;
    for (int i = 0; i < listener->exit->slot_count; i++)
        listener->exit->peak = fmax(listener->exit->peak, sample->contacts[i].normal);
    return 0;
}

SpragStatus sprag_run_exit(SpragSystem *system, const SpragRunSettings *settings,
                           const SpragExitStart *start, SpragExit *exit)
{
    SpragRunSettings chosen = settings ? *settings : sprag_run_default();
    Listener listener = {.exit = exit, .begin = start->t};
    SpragSink sink = {.event = hear_event, .sample = hear_sample, .user = &listener};
    SpragRun *run;
    *exit = (SpragExit){.contact = -1, .slot_count = sprag_system_contact_count(system)};
    double span = MOST_GROWTH * start->solution->growth_time;
    // the verdict knows the default layer at its own ε
    if (start->solution->layer_source == SPRAG_LAYER_DEFAULT)
        span *= sqrt(chosen.epsilon / sprag_analysis_default().epsilon);
    if (!(span > 0) || !isfinite(span))
        return sprag_fail(sprag_system_context(system), SPRAG_ERROR_ARGUMENT,
                          "only a motion that is left has an exit");
    chosen.motion = SPRAG_MOTION_AUTO;
    chosen.paradox = SPRAG_PARADOX_COMPLIANT;
    chosen.output_step = span / 1000;
    chosen.interrupt = NULL;
    SPRAG_TRY(sprag_run_create(system, &chosen, &sink, &run));
    SpragRunOutcome outcome = SPRAG_RUN_DONE;
    SpragStatus status = sprag_run_restart(run, start->t, start->q, start->v);
    run->pilot.forced = start;
    if (status == SPRAG_OK)
        status = sprag_run_advance(run, start->t + span, &outcome);
    exit->lifted = exit->event_count > 0 && outcome == SPRAG_RUN_STOPPED;
    if (exit->event_count == 0)
        snprintf(exit->text, sizeof exit->text, "nothing within %.4g s", span);
    sprag_run_destroy(run);
    sprag_system_hold(system, NULL, NULL, 0, NULL);
    return status;
}
