// fit_print.c: the result of a fit: parameters with errors, residuals, warnings.
#include <math.h>

#include "expect.h"
#include "fit.h"
#include "print.h"

// ---- For people ---------------------------------------------------------------------------------

// As many digits as the error leaves meaning, and two more.
static int digits_of(const SpragFitParameter *about)
{
    double ratio = fabs(about->value) / about->error;
    int digits = 5;
    if (isfinite(ratio) && ratio > 0)
        digits = (int)ceil(log10(ratio)) + 2;
    return digits < 3 ? 3 : digits > 10 ? 10 : digits;
}

static void add_parameters(const SpragFit *fit, SpragText *text)
{
    static const char *const heads[] = {"parameter", "value",        "error",
                                        "unit",      "in the scene", "range"};
    Table table;
    table_init(&table, fit->context, "lrrlrl");
    table_add_heads(&table, heads);
    for (int i = 0; i < fit->parameter_count; i++) {
        const SpragFitParameter *about = &fit->parameters[i];
        char from[NUMBER_BYTES], to[NUMBER_BYTES];
        table_add(&table, "%s", about->path);
        table_add(&table, "%.*g", digits_of(about), about->value / about->unit);
        if (isfinite(about->error))
            table_add(&table, "%.2g", about->error / about->unit);
        else
            table_add(&table, "unknown");
        table_add(&table, "%s", about->unit_name[0] ? about->unit_name : "-");
        if (about->has_start)
            table_add_number(&table, about->start / about->unit);
        else
            table_add(&table, "-");
        if (isfinite(about->from))
            table_add(&table, "%s … %s%s", print_number(about->from / about->unit, from),
                      print_number(about->to / about->unit, to), about->logarithmic ? ", log" : "");
        else
            table_add(&table, "-");
    }
    sprag_text_add(text, "\n");
    table_print(&table, text);
    table_destroy(&table);
}

static void add_columns(const SpragFit *fit, SpragText *text)
{
    static const char *const heads[] = {"signal", "column", "unit", "rms of model − data"};
    Table table;
    table_init(&table, fit->context, "lllr");
    table_add_heads(&table, heads);
    for (int i = 0; i < fit->column_count; i++) {
        const SpragFitColumn *column = &fit->columns[i];
        table_add(&table, "%s", column->signal);
        table_add(&table, "%s", column->name);
        table_add(&table, "%s", column->unit[0] ? column->unit : "-");
        table_add_number(&table, column->rms / column->factor);
    }
    sprag_text_add(text, "\n");
    table_print(&table, text);
    table_destroy(&table);
}

static void add_correlation(const SpragFit *fit, SpragText *text)
{
    int n = fit->parameter_count;
    char columns[SPRAG_FIT_PARAMETERS + 2] = "l";
    Table table;
    if (n < 2)
        return;
    for (int i = 0; i < n; i++)
        columns[i + 1] = 'r';
    table_init(&table, fit->context, columns);
    for (int i = 0; i < n; i++) {
        table_add(&table, "%s", fit->parameters[i].path);
        for (int j = 0; j < n; j++)
            if (isnan(fit->correlation[i * n + j]))
                table_add(&table, "-");
            else
                table_add(&table, "%.3f", fit->correlation[i * n + j]);
    }
    sprag_text_add(text, "\ncorrelation\n");
    table_print(&table, text);
    table_destroy(&table);
}

static void add_lists(const FitReport *report, SpragText *text)
{
    const SpragFit *fit = report->fit;
    if (fit->warning_count > 0)
        sprag_text_add(text, "\nwarnings\n");
    for (int i = 0; i < fit->warning_count; i++)
        sprag_text_add(text, "  %s\n", fit->warnings[i]);
    if (fit->note[0])
        sprag_text_add(text, "\nnotes\n  %s\n", fit->note);
    if (report->file_count > 0)
        sprag_text_add(text, "\nfiles\n");
    for (int i = 0; i < report->file_count; i++)
        sprag_text_add(text, "  %s\n", report->files[i]);
}

void fit_text(const FitReport *report, SpragText *text)
{
    const SpragFit *fit = report->fit;
    char number[NUMBER_BYTES];
    if (report->arguments->quiet) {
        for (int i = 0; i < fit->parameter_count; i++)
            sprag_text_add(text, "%s%s = %.*g ± %.2g", i ? ", " : "", fit->parameters[i].path,
                           digits_of(&fit->parameters[i]), fit->parameters[i].value,
                           fit->parameters[i].error);
        sprag_text_add(text, "\n");
        return;
    }
    sprag_text_add(text, "%s%s%zu rows of %s, %d parameter%s%s\n", fit->title,
                   fit->title[0] ? ": " : "", fit->row_count, fit->data_path, fit->parameter_count,
                   fit->parameter_count == 1 ? "" : "s", fit->converged ? "" : ", not converged");
    add_parameters(fit, text);
    add_columns(fit, text);
    sprag_text_add(text, "\nresidual %s (rms%s), %ld degrees of freedom\n",
                   print_number(fit->residual, number), fit->sigma ? " in standard deviations" : "",
                   fit->freedom);
    add_correlation(fit, text);
    add_lists(report, text);
    if (report->arguments->verbose)
        sprag_text_add(text, "\n%ld runs, %.3g s\n", fit->run_count, report->wall);
}

// ---- JSON ---------------------------------------------------------------------------------------

static void json_parameters(const SpragFit *fit, Json *json)
{
    json_begin_object(json, "parameters");
    for (int i = 0; i < fit->parameter_count; i++) {
        const SpragFitParameter *about = &fit->parameters[i];
        json_begin_flat_object(json, about->path);
        json_number(json, "value", about->value);
        json_number(json, "error", about->error);
        json_number(json, "start", about->has_start ? about->start : NAN);
        json_number(json, "from", about->from);
        json_number(json, "to", about->to);
        json_bool(json, "at_bound", about->at_bound);
        json_end_object(json);
    }
    json_end_object(json);
}

static void json_columns(const SpragFit *fit, Json *json)
{
    json_begin_array(json, "columns");
    for (int i = 0; i < fit->column_count; i++) {
        const SpragFitColumn *column = &fit->columns[i];
        json_begin_flat_object(json, NULL);
        json_text(json, "signal", column->signal);
        json_text(json, "column", column->name);
        json_text(json, "unit", column->unit);
        json_number(json, "rms", column->rms);
        json_number(json, "weight", fit->sigma ? NAN : column->weight);
        json_end_object(json);
    }
    json_end_array(json);
}

static void json_lists(const FitReport *report, Json *json)
{
    const SpragFit *fit = report->fit;
    int n = fit->parameter_count;
    json_begin_array(json, "correlation");
    for (int i = 0; i < n; i++)
        json_numbers(json, NULL, n, &fit->correlation[i * n]);
    json_end_array(json);
    json_begin_array(json, "warnings");
    for (int i = 0; i < fit->warning_count; i++)
        json_text(json, NULL, fit->warnings[i]);
    json_end_array(json);
    json_begin_array(json, "notes");
    if (fit->note[0])
        json_text(json, NULL, fit->note);
    json_end_array(json);
    json_begin_array(json, "files");
    for (int i = 0; i < report->file_count; i++)
        json_text(json, NULL, report->files[i]);
    json_end_array(json);
}

void fit_json(const FitReport *report, SpragText *text)
{
    const SpragFit *fit = report->fit;
    Json json;
    json_init(&json, text);
    json_begin_object(&json, NULL);
    json_text(&json, "scene", fit->title[0] ? fit->title : report->arguments->positional[0]);
    json_text(&json, "data", fit->data_path);
    json_parameters(fit, &json);
    json_number(&json, "residual", fit->residual);
    json_integer(&json, "freedom", fit->freedom);
    json_number(&json, "chi_square",
                fit->sigma ? fit->residual * fit->residual *
                                 (double)(fit->covered * (size_t)fit->column_count)
                           : NAN);
    json_bool(&json, "converged", fit->converged);
    json_columns(fit, &json);
    json_integer(&json, "rows", (long)fit->row_count);
    json_integer(&json, "covered", (long)fit->covered);
    json_text(&json, "outcome", sprag_run_outcome_name(fit->outcome));
    json_number(&json, "t", fit->end);
    json_integer(&json, "runs", fit->run_count);
    json_lists(report, &json);
    tool_provenance(&json, report->arguments);
    expect_json_none(&json);
    json_end_object(&json);
}
