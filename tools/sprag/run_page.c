// run_page.c: a run as a page for a browser.
#include <string.h>

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

// A word as a shell takes it.
static void add_word(SpragText *text, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,%@";
    if (word[0] && word[strspn(word, plain)] == 0) {
        sprag_text_add(text, " %s", word);
        return;
    }
    sprag_text_add(text, " '");
    for (; *word; word++) {
        if (*word == '\'')
            sprag_text_add(text, "'\\''");
        else
            sprag_text_add_bytes(text, word, 1);
    }
    sprag_text_add(text, "'");
}

static void add_set(SpragText *text, const SpragSceneSet *set)
{
    SpragText word;
    sprag_text_init(&word, text->context);
    sprag_text_add(&word, "%s=%s", set->path, set->value);
    sprag_text_add(text, " --set");
    if (!word.failed)
        add_word(text, word.bytes);
    sprag_text_destroy(&word);
}

// What a person types to have the same page.
static void spell(const Arguments *arguments, SpragText *text)
{
    sprag_text_add(text, "sprag %s", arguments->rules->command);
    for (int i = 0; i < arguments->positional_count; i++)
        add_word(text, arguments->positional[i]);
    for (int i = 0; i < arguments->typed_set_count; i++)
        add_set(text, &arguments->sets[i]);
    for (int i = 0; i < arguments->given_count; i++) {
        const GivenOption *given = &arguments->given[i];
        if (given->option->letter)
            sprag_text_add(text, " -%c", given->option->letter);
        else
            sprag_text_add(text, " --%s", given->option->name);
        if (given->value)
            add_word(text, given->value);
    }
}

SpragStatus run_open_page(RunReport *report, const Arguments *arguments,
                          const SpragRunSettings *settings)
{
    SpragPageSettings page = sprag_page_default();
    SpragText command;
    sprag_text_init(&command, report->context);
    spell(arguments, &command);
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
