// run_text.c: what happened in a run, for people.
#include <math.h>

#include "print.h"
#include "run.h"

enum { LIST_HEAD = 40, LIST_TAIL = 10 }; // lines of a long list that are printed without -v

// Is line i of a list of `count` printed? At the first one left out, says how many are.
static bool is_listed(const Arguments *arguments, size_t i, size_t count)
{
    return arguments->verbose || count <= LIST_HEAD + LIST_TAIL || i < LIST_HEAD ||
           i >= count - LIST_TAIL;
}

static void add_left_out(const Arguments *arguments, size_t count, SpragText *text)
{
    if (!is_listed(arguments, LIST_HEAD, count))
        sprag_text_add(text, "  … %zu lines after the first %d are left out: -v prints all\n",
                       count - LIST_HEAD - LIST_TAIL, (int)LIST_HEAD);
}

static void add_outcome(const RunReport *report, const Arguments *arguments, SpragText *text)
{
    double t = sprag_run_time(report->run), until = report->model->simulate.until;
    size_t count = sprag_record_event_count(report->record);
    sprag_text_add(text, "%s: ", run_scene_name(report, arguments));
    if (report->outcome == SPRAG_RUN_DONE)
        sprag_text_add(text, "0 to %.9g s by events, done", t);
    else if (report->outcome == SPRAG_RUN_STOPPED)
        sprag_text_add(text, "0 to %.9g s by events, stopped as the scene asks", t);
    else
        sprag_text_add(text, "ended at %.9g s of %.9g s, %s", t, until,
                       sprag_run_outcome_name(report->outcome));
    sprag_text_add(text, ", %zu event%s\n", count, count == 1 ? "" : "s");
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

// The first note brings the heading.
typedef struct Notes {
    SpragText *text;
    bool begun;
} Notes;

static void add_note(const char *note, void *user)
{
    Notes *notes = user;
    sprag_text_add(notes->text, notes->begun ? "  %s\n" : "\nnotes\n  %s\n", note);
    notes->begun = true;
}

static void add_bodies(const RunReport *report, SpragText *text)
{
    static const char *const heads[] = {"body",     "x [m]",    "y [m]",       "angle [rad]",
                                        "vx [m/s]", "vy [m/s]", "spin [rad/s]"};
    Table table;
    int moving = 0;
    table_init(&table, report->context, "lrrrrrr");
    table_add_heads(&table, heads);
    for (int i = 0; i < report->model->body_count; i++) {
        double q[3], v[3];
        if (sprag_system_body_coordinate(report->system, i) < 0)
            continue;
        moving++;
        run_body_state(report, i, q, v);
        table_add(&table, "%s", report->model->bodies[i].name);
        for (int k = 0; k < 3; k++)
            table_add_clean(&table, q[k], 1);
        for (int k = 0; k < 3; k++)
            table_add_clean(&table, v[k], 1);
    }
    sprag_text_add(text, "\nbodies at %.9g s\n", sprag_run_time(report->run));
    if (moving)
        table_print(&table, text);
    else
        sprag_text_add(text, "  none moves\n");
    table_destroy(&table);
}

static void add_events(const RunReport *report, const Arguments *arguments, SpragText *text)
{
    static const char *const heads[] = {"t [s]", "event", "contact", "what"};
    size_t count = sprag_record_event_count(report->record);
    Table table;
    sprag_text_add(text, "\nevents\n");
    if (count == 0) {
        sprag_text_add(text, "  none\n");
        return;
    }
    table_init(&table, report->context, "llll");
    table_add_heads(&table, heads);
    for (size_t i = 0; i < count; i++) {
        const SpragEvent *event = &sprag_record_events(report->record)[i];
        const char *contact = run_contact_name(report, event);
        if (!is_listed(arguments, i, count))
            continue;
        table_add(&table, "%.9f", event->t);
        table_add(&table, "%s", sprag_event_label(event));
        table_add(&table, "%s", contact ? contact : "–");
        table_add(&table, "%s", event->detail);
    }
    table_print(&table, text);
    table_destroy(&table);
    add_left_out(arguments, count, text);
}

static void add_verdicts(const RunReport *report, const Arguments *arguments, SpragText *text)
{
    static const char *const heads[] = {"from [s]", "to [s]", "verdict", "motions",
                                        "stable",   "chosen", "because"};
    size_t count = sprag_record_verdict_count(report->record);
    Table table;
    if (count == 0)
        return;
    table_init(&table, report->context, "lllrrll");
    table_add_heads(&table, heads);
    for (size_t i = 0; i < count; i++) {
        const SpragRunVerdict *verdict = &sprag_record_verdicts(report->record)[i];
        if (!is_listed(arguments, i, count))
            continue;
        table_add(&table, "%.9f", verdict->from);
        table_add(&table, "%.9f", verdict->to);
        table_add(&table, "%s", sprag_verdict_name(verdict->kind));
        table_add(&table, "%d", verdict->solution_count);
        table_add(&table, "%d", verdict->stable_count);
        table_add(&table, "%s", verdict->chosen[0] ? verdict->chosen : "–");
        table_add(&table, "%s", verdict->reason);
    }
    sprag_text_add(text, "\nverdicts\n");
    table_print(&table, text);
    table_destroy(&table);
    add_left_out(arguments, count, text);
}

// Two columns that must have the same sum: where the energy came from, and where it is now.
static void add_energy(const RunReport *report, SpragText *text)
{
    const SpragEnergyAccount *energy = &sprag_run_sample(report->run)->energy;
    const char *const from[] = {"at the start", "work of loads and drives", "", "", "", ""};
    const double from_values[] = {report->initial_energy, energy->actuation};
    const char *const to[] = {"kinetic",          "potential",       "elastic",
                              "lost in friction", "lost in impacts", "lost in dampers"};
    const double to_values[] = {energy->kinetic,  energy->potential, energy->elastic,
                                energy->friction, energy->impact,    energy->damping};
    double sums[2] = {0, 0}, scale = 0, drift = sprag_run_drift(report->run);
    Table table;
    for (int i = 0; i < 6; i++)
        scale = fmax(scale, fmax(i < 2 ? fabs(from_values[i]) : 0, fabs(to_values[i])));
    table_init(&table, report->context, "lrlr");
    for (int i = 0; i < 6; i++) {
        table_add(&table, "%s", from[i]);
        if (i < 2) {
            sums[0] += from_values[i];
            table_add_clean(&table, from_values[i], scale);
        } else {
            table_add(&table, "%s", "");
        }
        sums[1] += to_values[i];
        table_add(&table, "%s", to[i]);
        table_add_clean(&table, to_values[i], scale);
    }
    table_add(&table, "sum");
    table_add_clean(&table, sums[0], scale);
    table_add(&table, "sum");
    table_add_clean(&table, sums[1], scale);
    sprag_text_add(text, "\nenergy [J]\n");
    table_print(&table, text);
    sprag_text_add(text, "  drift %.2g J", drift);
    if (scale > 0)
        sprag_text_add(text, ", %.1g of the largest term", fabs(drift) / scale);
    sprag_text_add(text, "\n");
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
        sprag_text_add(text, "  %s: %zu rows, %d signals\n", report->files[i],
                       sprag_record_sample_count(report->record),
                       sprag_record_signal_count(report->record));
}

static void add_statistics(const RunReport *report, const Arguments *arguments, SpragText *text)
{
    SpragRunStatistics statistics = sprag_run_statistics(report->run);
    sprag_text_add(text, "\n%llu steps, %llu evaluations, %llu searches over modes",
                   (unsigned long long)statistics.steps, (unsigned long long)statistics.evaluations,
                   (unsigned long long)statistics.solves);
    if (arguments->verbose)
        sprag_text_add(text, ", %.3g s", report->wall);
    sprag_text_add(text, "\n");
}

void run_text(const RunReport *report, const Arguments *arguments, SpragText *text)
{
    Notes notes = {.text = text};
    add_outcome(report, arguments, text);
    if (arguments->quiet)
        return;
    add_reason(report, text);
    run_notes(report, add_note, &notes);
    add_bodies(report, text);
    add_events(report, arguments, text);
    add_verdicts(report, arguments, text);
    add_energy(report, text);
    add_outputs(report, text);
    add_files(report, text);
    add_statistics(report, arguments, text);
}
