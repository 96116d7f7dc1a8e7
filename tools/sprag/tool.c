// tool.c: what the commands share: exit statuses, output, failures, scenes.
#include "tool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ToolExit exit_of(SpragStatus status)
{
    switch (status) {
    case SPRAG_OK:
        return TOOL_DONE;
    case SPRAG_ERROR_INPUT:
    case SPRAG_ERROR_READ:
    case SPRAG_ERROR_LIMIT:
        return TOOL_INPUT;
    case SPRAG_ERROR_NUMERIC:
        return TOOL_NO_SOLUTION;
    case SPRAG_ERROR_WRITE:
        return TOOL_OUTPUT;
    case SPRAG_INTERRUPTED:
        return TOOL_INTERRUPTED;
    default:
        return TOOL_INTERNAL;
    }
}

ToolExit tool_fail(const SpragContext *context, SpragStatus status, const char *file)
{
    const char *message = sprag_context_message(context);
    if (!message[0])
        message = sprag_status_text(status);
    if (file && strncmp(message, file, strlen(file)) != 0)
        fprintf(stderr, "%s: ", file);
    // one line, whatever a file name or a text from the scene brought in
    for (; *message; message++)
        fputc((unsigned char)*message < 0x20 ? ' ' : *message, stderr);
    fputc('\n', stderr);
    return exit_of(status);
}

ToolExit tool_write(const SpragText *text)
{
    if (text->failed) {
        fprintf(stderr, "sprag: no memory for the output\n");
        return TOOL_INTERNAL;
    }
    errno = 0;
    if (fwrite(text->bytes ? text->bytes : "", 1, text->length, stdout) != text->length ||
        fflush(stdout) != 0) {
        fprintf(stderr, "sprag: cannot write to standard output: %s\n", strerror(errno));
        return TOOL_OUTPUT;
    }
    return TOOL_DONE;
}

SpragStatus tool_check_writable(SpragContext *context, const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[4096] = ".";
    if (slash && (size_t)(slash - path) < sizeof folder - 1)
        snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    if (access(path, F_OK) == 0 ? access(path, W_OK) == 0 : access(folder, W_OK) == 0)
        return SPRAG_OK;
    return sprag_fail(context, SPRAG_ERROR_WRITE, "%s: cannot be written: %s", path,
                      strerror(errno));
}

SpragStatus tool_read_scene(SpragContext *context, const Arguments *arguments, SpragScene **scene)
{
    SpragSceneSettings settings = sprag_scene_default();
    settings.sets = arguments->sets;
    settings.set_count = arguments->set_count;
    return sprag_scene_read(context, arguments->positional[0], &settings, scene);
}

SpragFigureSettings tool_figure_settings(const Arguments *arguments)
{
    SpragFigureSettings settings = sprag_figure_default();
    const char *theme = arguments_value(arguments, "theme");
    settings.dark = theme && strcmp(theme, "dark") == 0;
    return settings;
}

void tool_spell_command(const Arguments *arguments, SpragText *text)
{
    sprag_text_add(text, "sprag %s", arguments->rules->command);
    for (int i = 0; i < arguments->positional_count; i++)
        sprag_text_add(text, " %s", arguments->positional[i]);
    for (int i = 0; i < arguments->typed_set_count; i++)
        sprag_text_add(text, " --set %s=%s", arguments->sets[i].path, arguments->sets[i].value);
    for (int i = 0; i < arguments->given_count; i++) {
        const GivenOption *given = &arguments->given[i];
        if (strcmp(given->option->name, "jobs") != 0) // it changes nothing
            sprag_text_add(text, " --%s%s%s", given->option->name, given->value ? " " : "",
                           given->value ? given->value : "");
    }
}

bool tool_has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), wanted = strlen(ending);
    return length > wanted && strcmp(path + length - wanted, ending) == 0;
}

bool tool_is_csv(const char *path)
{
    struct stat about;
    if (tool_has_ending(path, ".csv"))
        return true;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

void tool_provenance(Json *json, const Arguments *arguments)
{
    json_begin_object(json, "provenance");
    json_text(json, "version", sprag_version());
    json_text(json, "command", arguments->rules->command);
    json_text(json, "scene", arguments->positional[0]);
    json_begin_flat_array(json, "set");
    for (int i = 0; i < arguments->set_count; i++) {
        SpragText text;
        sprag_text_init(&text, json->text->context);
        sprag_text_add(&text, "%s=%s", arguments->sets[i].path, arguments->sets[i].value);
        json_text(json, NULL, text.bytes);
        sprag_text_destroy(&text);
    }
    json_end_array(json);
    json_null(json, "seed");
    json_end_object(json);
}
