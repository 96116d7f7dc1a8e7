// run_facts.c: what both ways of printing a run need.
#include <stdio.h>

#include "run.h"

const char *run_scene_name(const RunReport *report, const Arguments *arguments)
{
    const char *name = sprag_scene_name(report->scene);
    return name[0] ? name : arguments->positional[0];
}

const char *run_motion_name(const RunReport *report)
{
    static const char *const names[] = {"auto", "events", "compliant", "stepping"};
    return names[sprag_run_motion(report->run, NULL)];
}

BodyState run_body_state(const RunReport *report, int body)
{
    return body_state(report->system, body, sprag_run_time(report->run),
                      sprag_run_position(report->run), sprag_run_velocity(report->run));
}

const char *run_first_verdict(const RunReport *report)
{
    const SpragRunVerdict *verdicts = sprag_record_verdicts(report->record);
    return sprag_record_verdict_count(report->record) > 0 ? sprag_verdict_name(verdicts[0].kind)
                                                          : NULL;
}

const char *run_contact_name(const RunReport *report, const SpragEvent *event)
{
    return event->contact < 0 ? NULL : sprag_system_contact_name(report->system, event->contact);
}

static const char *event_place(const SpragEvent *event, const void *user)
{
    return run_contact_name(user, event);
}

RunList run_list(const RunReport *report)
{
    return (RunList){.context = report->context,
                     .event_count = sprag_record_event_count(report->record),
                     .events = sprag_record_events(report->record),
                     .verdict_count = sprag_record_verdict_count(report->record),
                     .verdicts = sprag_record_verdicts(report->record),
                     .sample_count = sprag_record_sample_count(report->record),
                     .place = event_place,
                     .user = report,
                     .place_head = "contact",
                     .impact_label = "lost in impacts",
                     .energy = sprag_run_sample(report->run)->energy,
                     // of the state that the run starts with
                     .initial_energy =
                         report->initial_energy - sprag_run_sample(report->run)->energy.placed,
                     .drift = sprag_run_drift(report->run),
                     .statistics = sprag_run_statistics(report->run),
                     .stepping = sprag_run_stepping(report->run),
                     .wall = report->wall};
}

void run_reason(const RunReport *report, SpragText *text)
{
    size_t count = sprag_record_event_count(report->record);
    const SpragEvent *last = count ? &sprag_record_events(report->record)[count - 1] : NULL;
    switch (report->outcome) {
    case SPRAG_RUN_NO_SOLUTION:
    case SPRAG_RUN_AMBIGUOUS:
    case SPRAG_RUN_UNSTABLE:
    case SPRAG_RUN_JAM:
        if (last)
            sprag_text_add(text, "%s", last->detail);
        break;
    case SPRAG_RUN_NOT_CONVERGED:
    case SPRAG_RUN_EVENT_LIMIT:
        sprag_text_add(text, "%s", sprag_context_message(report->context));
        break;
    default:
        break;
    }
}

// ---- Notes --------------------------------------------------------------------------------------

// A law that makes energy is not passed over.
static void note_gains(const RunReport *report, RunNote *add, void *user)
{
    const SpragEvent *events = sprag_record_events(report->record);
    size_t count = 0;
    double sum = 0;
    char line[200];
    for (size_t i = 0; i < sprag_record_event_count(report->record); i++) {
        count += events[i].impact.given && events[i].impact.energy_gain > 0;
        sum += events[i].impact.given ? events[i].impact.energy_gain : 0;
    }
    if (count == 0)
        return;
    snprintf(line, sizeof line,
             "WARNING: restitution made %.6g J in %zu impact%s (newton can; energetic never does): "
             "the motion after it is not physical",
             sum, count, count == 1 ? "" : "s");
    add(line, user);
}

// A solver that missed its tolerance is not passed over either.
static void note_residual(const RunReport *report, RunNote *add, void *user)
{
    const double much = 1e-3;
    SpragSteppingStatistics stepping = sprag_run_stepping(report->run);
    char line[200];
    if (!stepping.active || stepping.worst_residual <= much)
        return;
    snprintf(line, sizeof line,
             "WARNING: the contact laws are met only to %.2g (unit-free residual) at t = %.6g s; a "
             "smaller --step does better",
             stepping.worst_residual, stepping.worst_time);
    add(line, user);
}

// Steps other than those that were asked for are told.
static void note_step(const RunReport *report, RunNote *add, void *user)
{
    SpragSteppingStatistics stepping = sprag_run_stepping(report->run);
    char line[200];
    if (!stepping.active || stepping.parts <= 1)
        return;
    snprintf(
        line, sizeof line,
        "steps of %.3g s are longer than springs, dampers and loads bear (%.3g s where the run "
        "begins): each is cut into %.0f",
        stepping.parts * stepping.step, stepping.longest_step, stepping.parts);
    add(line, user);
}

// Frictions that nobody gives: by name as long as they are few.
static void note_frictions(const RunReport *report, RunNote *add, void *user)
{
    enum { NAMED = 16 };
    int count = 0;
    char line[160];
    for (int slot = 0; slot < sprag_system_contact_count(report->system); slot++) {
        const SpragSlot *pair = sprag_system_slot(report->system, slot);
        if (!pair || pair->friction_given || count++ >= NAMED)
            continue;
        snprintf(line, sizeof line, "friction of %s: nothing gives it, 0",
                 sprag_system_contact_name(report->system, slot));
        add(line, user);
    }
    if (count > NAMED) {
        snprintf(line, sizeof line, "friction of %d more contacts: nothing gives it, 0",
                 count - NAMED);
        add(line, user);
    }
}

void run_notes(const RunReport *report, RunNote *add, void *user)
{
    const char *reason;
    (void)sprag_run_motion(report->run, &reason);
    note_gains(report, add, user);
    if (reason[0])
        add(reason, user);
    note_step(report, add, user);
    note_residual(report, add, user);
    for (int i = 0; i < sprag_scene_note_count(report->scene); i++)
        add(sprag_scene_note(report->scene, i), user);
    note_frictions(report, add, user);
}
