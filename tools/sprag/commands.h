// commands.h: the table of commands. A new command is a cmd_*.c with its `Command`, a line here and
// one in CMakeLists.txt.
#ifndef SPRAG_TOOL_COMMANDS_H
#define SPRAG_TOOL_COMMANDS_H

#include "tool.h"

extern const Command command_analyze;  // cmd_analyze.c
extern const Command command_check;    // cmd_check.c
extern const Command command_examples; // cmd_examples.c
extern const Command command_fit;      // cmd_fit.c
extern const Command command_impact;   // cmd_impact.c
extern const Command command_map;      // cmd_map.c
extern const Command command_solve;    // cmd_solve.c
extern const Command command_run;      // cmd_run.c
extern const Command command_view;     // cmd_view.c

// In the order that --help lists them.
static const Command *const tool_commands[] = {
    &command_run,  &command_analyze, &command_impact, &command_map,      &command_fit,
    &command_view, &command_check,   &command_solve,  &command_examples,
};
enum { TOOL_COMMAND_COUNT = sizeof tool_commands / sizeof *tool_commands };

#endif
