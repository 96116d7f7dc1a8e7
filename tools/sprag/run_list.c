// run_list.c: events, verdicts and the energy account of a run, for people and as JSON.
#include "run_list.h"

#include <math.h>

#include "print.h"

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

void run_list_events(const RunList *list, const Arguments *arguments, SpragText *text)
{
    const char *const heads[] = {"t [s]", "event", list->place ? list->place_head : "what", "what"};
    size_t count = list->event_count;
    Table table;
    sprag_text_add(text, "\nevents\n");
    if (count == 0) {
        sprag_text_add(text, "  none\n");
        return;
    }
    table_init(&table, list->context, list->place ? "llll" : "lll");
    table_add_heads(&table, heads);
    for (size_t i = 0; i < count; i++) {
        const SpragEvent *event = &list->events[i];
        const char *place = list->place ? list->place(event, list->user) : NULL;
        if (!is_listed(arguments, i, count))
            continue;
        table_add(&table, "%.9f", event->t);
        table_add(&table, "%s", sprag_event_label(event));
        if (list->place)
            table_add(&table, "%s", place ? place : "–");
        table_add(&table, "%s", event->detail);
    }
    table_print(&table, text);
    table_destroy(&table);
    add_left_out(arguments, count, text);
}

void run_list_verdicts(const RunList *list, const Arguments *arguments, SpragText *text)
{
    static const char *const heads[] = {"from [s]", "to [s]", "verdict", "motions",
                                        "stable",   "chosen", "because"};
    size_t count = list->verdict_count;
    Table table;
    if (count == 0)
        return;
    table_init(&table, list->context, "lllrrll");
    table_add_heads(&table, heads);
    for (size_t i = 0; i < count; i++) {
        const SpragRunVerdict *verdict = &list->verdicts[i];
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
void run_list_energy(const RunList *list, SpragText *text)
{
    const SpragEnergyAccount *energy = &list->energy;
    const char *const from[] = {"at the start", "work of loads and drives", "", "", "", "", ""};
    const double from_values[] = {list->initial_energy, energy->actuation};
    const char *const to[] = {"kinetic",
                              "potential",
                              "elastic",
                              "lost in friction",
                              list->impact_label,
                              "lost in dampers",
                              list->stepping.active ? "lost in repairs" : "lost in switching"};
    const double to_values[] = {energy->kinetic,  energy->potential, energy->elastic,
                                energy->friction, energy->impact,    energy->damping,
                                energy->change};
    int rows = energy->change != 0 ? 7 : 6; // only where contacts passed between the models
    double sums[2] = {0, 0}, scale = 0, drift = list->drift;
    Table table;
    for (int i = 0; i < rows; i++)
        scale = fmax(scale, fmax(i < 2 ? fabs(from_values[i]) : 0, fabs(to_values[i])));
    table_init(&table, list->context, "lrlr");
    for (int i = 0; i < rows; i++) {
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
    if (energy->placed != 0)
        sprag_text_add(text, "  %.5g J taken before the start: contacts put into their layers\n",
                       energy->placed);
    table_destroy(&table);
}

// ---- JSON ---------------------------------------------------------------------------------------

static void add_loss(const char *key, const SpragImpactLoss *loss, Json *json)
{
    json_begin_flat_object(json, key);
    json_number(json, "normal_compression", loss->normal_compression);
    json_number(json, "normal_restitution", loss->normal_restitution);
    json_number(json, "tangential_compression", loss->tangential_compression);
    json_number(json, "tangential_restitution", loss->tangential_restitution);
    json_end_object(json);
}

static void add_impact(const SpragImpactNote *impact, Json *json)
{
    json_begin_flat_object(json, "impact");
    json_text(json, "law", sprag_restitution_law_name(impact->law));
    json_number(json, "e", impact->e);
    json_text(json, "case", sprag_impact_case_name(impact->kind));
    json_numbers(json, "velocity", 2, impact->velocity);
    json_numbers(json, "after", 2, impact->after);
    json_number(json, "normal_impulse", impact->impulse[0]);
    json_number(json, "tangential_impulse", impact->impulse[1]);
    json_number(json, "energy_before", impact->energy_before);
    json_number(json, "energy_after", impact->energy_after);
    add_loss("dissipated", &impact->loss, json);
    add_loss("dissipated_elsewhere", &impact->others, json);
    json_number(json, "energy_gain", impact->energy_gain);
    json_end_object(json);
}

static void add_events(const RunList *list, Json *json)
{
    json_begin_array(json, "events");
    for (size_t i = 0; i < list->event_count; i++) {
        const SpragEvent *event = &list->events[i];
        json_begin_flat_object(json, NULL);
        json_number(json, "t", event->t);
        json_text(json, "type", sprag_event_label(event));
        json_text(json, "contact", list->place ? list->place(event, list->user) : NULL);
        json_text(json, "detail", event->detail);
        if (event->impact.given)
            add_impact(&event->impact, json);
        json_end_object(json);
    }
    json_end_array(json);
}

static void add_verdicts(const RunList *list, Json *json)
{
    json_begin_array(json, "verdicts");
    for (size_t i = 0; i < list->verdict_count; i++) {
        const SpragRunVerdict *verdict = &list->verdicts[i];
        json_begin_flat_object(json, NULL);
        json_number(json, "from", verdict->from);
        json_number(json, "to", verdict->to);
        json_text(json, "verdict", sprag_verdict_name(verdict->kind));
        json_integer(json, "solutions", verdict->solution_count);
        json_integer(json, "stable", verdict->stable_count);
        json_text(json, "chosen", verdict->chosen);
        json_text(json, "reason", verdict->reason);
        json_end_object(json);
    }
    json_end_array(json);
}

static void add_energy(const RunList *list, Json *json)
{
    const SpragEnergyAccount *energy = &list->energy;
    json_begin_object(json, "energy");
    json_number(json, "initial", list->initial_energy);
    json_number(json, "final", energy->kinetic + energy->potential + energy->elastic);
    json_number(json, "kinetic", energy->kinetic);
    json_number(json, "potential", energy->potential);
    json_number(json, "elastic", energy->elastic);
    json_number(json, "friction", energy->friction);
    json_number(json, "impact", energy->impact);
    json_number(json, "damping", energy->damping);
    json_number(json, "actuation", energy->actuation);
    json_number(json, "switch", energy->change);
    json_number(json, "placed", energy->placed);
    json_number(json, "drift", list->drift);
    json_end_object(json);
}

static void add_statistics(const RunList *list, const Arguments *arguments, Json *json)
{
    const SpragRunStatistics *statistics = &list->statistics;
    json_begin_flat_object(json, "stats");
    json_integer(json, "steps", (long)statistics->steps);
    json_integer(json, "evaluations", (long)statistics->evaluations);
    json_integer(json, "solves", (long)statistics->solves);
    json_integer(json, "samples", (long)list->sample_count);
    if (arguments->verbose)
        json_number(json, "wall", list->wall);
    json_end_object(json);
}

static void add_stepping(const SpragSteppingStatistics *stepping, Json *json)
{
    if (!stepping->active)
        return;
    json_begin_flat_object(json, "stepping");
    json_number(json, "step", stepping->step);
    if (isfinite(stepping->longest_step))
        json_number(json, "longest_step", stepping->longest_step);
    json_integer(json, "parts", (long)stepping->parts);
    json_number(json, "theta", stepping->theta);
    json_number(json, "residual", stepping->worst_residual);
    json_number(json, "residual_unit_free", stepping->worst_residual); // its name in `solve`
    json_number(json, "residual_time", stepping->worst_time);
    json_number(json, "residual_median", stepping->median_residual);
    json_integer(json, "halved", (long)stepping->halved);
    json_integer(json, "unsolved", (long)stepping->unsolved);
    json_number(json, "penetration", stepping->penetration);
    json_number(json, "energy_growth", stepping->energy_growth);
    json_integer(json, "contacts", stepping->most_contacts);
    json_integer(json, "islands", stepping->most_islands);
    json_integer(json, "resting_bodies", stepping->asleep);
    json_integer(json, "impacts", (long)stepping->impacts);
    json_integer(json, "separations", (long)stepping->separations);
    json_integer(json, "iterations", (long)stepping->iterations);
    json_end_object(json);
}

void run_list_json(const RunList *list, const Arguments *arguments, Json *json)
{
    add_events(list, json);
    add_verdicts(list, json);
    add_energy(list, json);
    add_statistics(list, arguments, json);
    add_stepping(&list->stepping, json);
}
