// run_text.c: what happened in a run, for people.
#include <math.h>

#include "print.h"
#include "run.h"

// How many times the pilot made a contact compliant.
static size_t count_switches(const RunReport *report)
{
    size_t count = 0;
    for (size_t i = 0; i < sprag_record_event_count(report->record); i++)
        count += sprag_record_events(report->record)[i].type == SPRAG_EVENT_TO_COMPLIANT;
    return count;
}

static void add_outcome(const RunReport *report, const Arguments *arguments, SpragText *text)
{
    double t = sprag_run_time(report->run), until = report->model->simulate.until;
    size_t count = sprag_record_event_count(report->record);
    bool compliant = report->model->simulate.motion == SPRAG_MOTION_COMPLIANT;
    bool steps = sprag_run_motion(report->run, NULL) == SPRAG_MOTION_STEPPING;
    const char *way = steps       ? "by time stepping"
                      : compliant ? "with compliant contacts"
                                  : "by events";
    sprag_text_add(text, "%s: ", run_scene_name(report, arguments));
    if (report->outcome == SPRAG_RUN_DONE)
        sprag_text_add(text, "0 to %.9g s %s, done", t, way);
    else if (report->outcome == SPRAG_RUN_STOPPED)
        sprag_text_add(text, "0 to %.9g s %s, stopped as the scene asks", t, way);
    else
        sprag_text_add(text, "ended at %.9g s of %.9g s, %s", t, until,
                       sprag_run_outcome_name(report->outcome));
    sprag_text_add(text, ", %zu event%s", count, count == 1 ? "" : "s");
    size_t switches = count_switches(report);
    if (switches > 0)
        sprag_text_add(text, ", %zu contact%s compliant for a while", switches,
                       switches == 1 ? "" : "s");
    sprag_text_add(text, "\n");
}

static void add_reason(const RunReport *report, SpragText *text)
{
    SpragText reason;
    sprag_text_init(&reason, report->context);
    run_reason(report, &reason);
    if (reason.length > 0)
        sprag_text_add(text, "because %s\n", reason.bytes);
    sprag_text_destroy(&reason);
}

static void add_bodies(const RunReport *report, SpragText *text)
{
    bool space = report->model->dimension == 3;
    BodyHeads heads = body_heads(space);
    Table table;
    int moving = 0;
    table_init(&table, report->context, space ? "lrrrr" : "lrrrrrr");
    table_add(&table, "body");
    for (int i = 0; i < heads.count; i++)
        table_add(&table, "%s", heads.heads[i]);
    for (int i = 0; i < report->model->body_count; i++) {
        bool driven = report->model->bodies[i].driven;
        if (sprag_system_body_coordinate(report->system, i) < 0 && !driven)
            continue;
        moving++;
        BodyState state = run_body_state(report, i);
        table_add(&table, "%s", report->model->bodies[i].name);
        body_add_cells(&table, &state);
    }
    sprag_text_add(text, "\nbodies at %.9g s\n", sprag_run_time(report->run));
    if (moving)
        table_print(&table, text);
    else
        sprag_text_add(text, "  none moves\n");
    table_destroy(&table);
}

static void add_outputs(const RunReport *report, SpragText *text)
{
    int count;
    const SpragOutput *outputs = sprag_scene_outputs(report->scene, &count);
    Table table;
    if (count == 0)
        return;
    table_init(&table, report->context, "lr");
    for (int i = 0; i < count; i++) {
        double value = sprag_record_output(report->record, i);
        bool is_time = outputs[i].kind == SPRAG_OUTPUT_TIME;
        table_add(&table, "%s", outputs[i].name);
        if (isnan(value))
            table_add(&table, is_time ? "never" : "none");
        else
            table_add(&table, "%.9g", value);
    }
    sprag_text_add(text, "\noutputs\n");
    table_print(&table, text);
    table_destroy(&table);
}

static void add_files(const RunReport *report, SpragText *text)
{
    if (report->file_count > 0)
        sprag_text_add(text, "\nfiles\n");
    for (int i = 0; i < report->file_count; i++)
        if (run_is_figure(report->files[i]))
            sprag_text_add(text, "  %s: a figure over time\n", report->files[i]);
        else
            sprag_text_add(text, "  %s: %zu rows, %d signals\n", report->files[i],
                           sprag_record_sample_count(report->record),
                           sprag_record_signal_count(report->record));
}

static void add_stepping(const SpragSteppingStatistics *s, uint64_t steps, SpragText *text)
{
    sprag_text_add(
        text,
        "\n%llu steps of %.6g s (theta %.3g), up to %d contacts in %d islands\n"
        "contact laws met to %.2g (unit-free residual, worst at %.6g s; median %.2g), overlaps up "
        "to %.2g m, "
        "energy gained in a step at most %.2g J/s² h²",
        (unsigned long long)steps, s->step, s->theta, s->most_contacts, s->most_islands,
        s->worst_residual, s->worst_time, s->median_residual, s->penetration, s->energy_growth);
    if (s->halved > 0)
        sprag_text_add(text, "\nsteps were halved %llu times, where bodies would have sunk deep",
                       (unsigned long long)s->halved);
    if (s->unsolved > 0)
        sprag_text_add(text, "\n%llu friction problems missed their tolerance",
                       (unsigned long long)s->unsolved);
    if (s->asleep > 0)
        sprag_text_add(text, "\n%d bodies were put to rest", s->asleep);
}

static void add_statistics(const RunReport *report, const Arguments *arguments, SpragText *text)
{
    SpragRunStatistics statistics = sprag_run_statistics(report->run);
    SpragSteppingStatistics stepping = sprag_run_stepping(report->run);
    if (stepping.active)
        add_stepping(&stepping, statistics.steps, text);
    else
        sprag_text_add(text, "\n%llu steps, %llu evaluations, %llu searches over modes",
                       (unsigned long long)statistics.steps,
                       (unsigned long long)statistics.evaluations,
                       (unsigned long long)statistics.solves);
    if (arguments->verbose)
        sprag_text_add(text, ", %.3g s", report->wall);
    sprag_text_add(text, "\n");
}

void run_text(const RunReport *report, const Arguments *arguments, SpragText *text)
{
    Notes notes = {.text = text};
    RunList list = run_list(report);
    add_outcome(report, arguments, text);
    if (arguments->quiet)
        return;
    add_reason(report, text);
    run_notes(report, notes_add, &notes);
    add_bodies(report, text);
    run_list_events(&list, arguments, text);
    run_list_verdicts(&list, arguments, text);
    run_list_energy(&list, text);
    run_drives_text(report, text);
    add_outputs(report, text);
    add_files(report, text);
    add_statistics(report, arguments, text);
}
