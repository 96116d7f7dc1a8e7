// tool.h: what the commands share: exit statuses, the shape of a command, output, failures, scenes.
#ifndef SPRAG_TOOL_H
#define SPRAG_TOOL_H

#include "args.h"
#include "json.h"
#include "sprag/base.h"
#include "sprag/report.h"
#include "sprag/scene.h"

// Exit statuses of every command.
typedef enum ToolExit {
    TOOL_DONE = 0,
    TOOL_INTERNAL = 1, // an internal error, or an expectation of the scene was not met
    TOOL_USAGE = 2,
    TOOL_INPUT = 3,       // bad input
    TOOL_NO_SOLUTION = 4, // no solution, or not converged
    TOOL_OUTPUT = 5,      // cannot write
    TOOL_INTERRUPTED = 130
} ToolExit;

typedef struct Command {
    ArgumentRules rules;
    const char *summary; // one line for the list of commands
    ToolExit (*run)(SpragContext *context, const Arguments *arguments);
} Command;

// The context's message on standard error, one line, with the file in front if it is not there yet
// (file may be NULL). Returns the exit status that belongs to `status`.
ToolExit tool_fail(const SpragContext *context, SpragStatus status, const char *file);
// Writes the text to standard output; a failure is said on standard error.
ToolExit tool_write(const SpragText *text);

// A file that cannot be written is found before an hour of work, not after: ERROR_WRITE.
SPRAG_MUST_USE SpragStatus tool_check_writable(SpragContext *context, const char *path);

// Reads the scene that the first positional argument names, with every --set.
SPRAG_MUST_USE SpragStatus tool_read_scene(SpragContext *context, const Arguments *arguments,
                                           SpragScene **scene);
// Whether a file is to be CSV: by its ending; a device or a pipe has none that tells, and gets CSV.
bool tool_is_csv(const char *path);
bool tool_has_ending(const char *path, const char *ending);
// Settings of figures, with the theme that is asked for.
SpragFigureSettings tool_figure_settings(const Arguments *arguments);
// The command as one would type it, for the description of a figure.
void tool_spell_command(const Arguments *arguments, SpragText *text);
// The member "provenance": what made this document.
void tool_provenance(Json *json, const Arguments *arguments);

#endif
