// run_page.c: a run as a page for a browser.
#include "run.h"

bool run_is_page(const char *path)
{
    return tool_has_ending(path, ".html");
}

bool run_has_page(const RunReport *report)
{
    for (int i = 0; i < report->file_count; i++)
        if (run_is_page(report->files[i]))
            return true;
    return false;
}

SpragStatus run_open_page(RunReport *report, const Arguments *arguments,
                          const SpragRunSettings *settings)
{
    SpragPageSettings page = sprag_page_default();
    SpragText command;
    sprag_text_init(&command, report->context);
    tool_spell_command(arguments, &command);
    page.scene = report->scene;
    page.file = arguments->positional[0];
    page.command = command.failed ? NULL : command.bytes;
    page.sets = arguments->sets;
    page.set_count = arguments->set_count;
    page.run = settings;
    page.until = report->model->simulate.until;
    SpragStatus status = sprag_page_create(report->system, &page, &report->page);
    sprag_text_destroy(&command);
    return status;
}

SpragStatus run_write_pages(const RunReport *report)
{
    SpragText reason;
    SpragStatus status = SPRAG_OK;
    if (!report->page)
        return SPRAG_OK;
    sprag_text_init(&reason, report->context);
    bool early = report->outcome != SPRAG_RUN_DONE && report->outcome != SPRAG_RUN_STOPPED;
    if (early)
        run_reason(report, &reason);
    SpragPageEnd end = {.outcome = report->outcome,
                        .reason = reason.bytes,
                        .statistics = sprag_run_statistics(report->run),
                        .drift = sprag_run_drift(report->run),
                        .sample_count = sprag_record_sample_count(report->record)};
    for (int i = 0; i < report->file_count && status == SPRAG_OK; i++)
        if (run_is_page(report->files[i]))
            status = sprag_page_write(report->page, &end, report->files[i]);
    sprag_text_destroy(&reason);
    return status;
}
