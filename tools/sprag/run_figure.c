// run_figure.c: a run as a figure over time.
#include "run.h"
#include "sprag/report.h"

bool run_is_figure(const char *path)
{
    return tool_has_ending(path, ".svg") ||
           (tool_has_ending(path, ".png") && sprag_figure_has_png());
}

bool run_has_figure(const RunReport *report)
{
    for (int i = 0; i < report->file_count; i++)
        if (run_is_figure(report->files[i]))
            return true;
    return false;
}

SpragStatus run_write_figures(const RunReport *report, const Arguments *arguments)
{
    SpragFigureSettings settings = tool_figure_settings(arguments);
    SpragStatus status = SPRAG_OK;
    SpragText command;
    bool compliant = report->model->simulate.motion == SPRAG_MOTION_COMPLIANT;
    sprag_text_init(&command, report->context);
    tool_spell_command(arguments, &command);
    settings.command = command.failed ? NULL : command.bytes;
    for (int i = 0; i < report->file_count && status == SPRAG_OK; i++)
        // a run that ends where it begins has nothing to show
        if (run_is_figure(report->files[i]) && sprag_run_time(report->run) > 0)
            status = sprag_figure_write_run(report->record, report->context,
                                            sprag_scene_name(report->scene),
                                            arguments_value(arguments, "signals") != NULL,
                                            compliant, &settings, report->files[i]);
    sprag_text_destroy(&command);
    return status;
}
