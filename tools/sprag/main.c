// main.c: the command line: finds the command, reads its arguments, runs it.
#include <stdio.h>
#include <string.h>

#include "cite.h"
#include "commands.h"

static void add_overview(SpragText *text)
{
    sprag_text_add(text,
                   "usage: sprag COMMAND [options]\n\n"
                   "Mechanical systems with frictional contact, and the verdict on them: does "
                   "rigid-body\nmechanics have an answer here, is it the only one, and is it "
                   "stable?\n\ncommands\n");
    for (int i = 0; i < TOOL_COMMAND_COUNT; i++) {
        const Command *command = tool_commands[i];
        char head[64];
        snprintf(head, sizeof head, "%s %s", command->rules.command, command->rules.positional);
        sprag_text_add(text, "  %-20s %s\n", head, command->summary);
    }
    sprag_text_add(
        text,
        "\n'sprag COMMAND --help' tells more of a command; 'sprag --version' the "
        "version,\n'sprag --cite' what to cite (COMMAND SCENE --cite: with the methods it uses).\n"
        "Exit status: 0 done, 1 not as the scene expects or internal error, 2 usage, "
        "3 bad input,\n"
        "4 no solution, 5 cannot write, 130 interrupted.\n");
}

static const Command *find_command(const char *name)
{
    for (int i = 0; i < TOOL_COMMAND_COUNT; i++)
        if (strcmp(tool_commands[i]->rules.command, name) == 0)
            return tool_commands[i];
    return NULL;
}

static ToolExit refuse_command(const char *name)
{
    const char *words[TOOL_COMMAND_COUNT];
    for (int i = 0; i < TOOL_COMMAND_COUNT; i++)
        words[i] = tool_commands[i]->rules.command;
    int nearest = nearest_word(name, TOOL_COMMAND_COUNT, words);
    if (nearest >= 0)
        fprintf(stderr, "sprag: unknown command '%.40s', did you mean '%s'?; see 'sprag --help'\n",
                name, words[nearest]);
    else
        fprintf(stderr, "sprag: unknown command '%.40s'; see 'sprag --help'\n", name);
    return TOOL_USAGE;
}

// Prints the help of a command (NULL: the overview), or the version.
static ToolExit print_about(SpragContext *context, const Command *command, bool version)
{
    SpragText text;
    sprag_text_init(&text, context);
    if (version)
        sprag_text_add(&text, "sprag %s\n", sprag_version());
    else if (command)
        arguments_help(&command->rules, &text);
    else
        add_overview(&text);
    ToolExit result = tool_write(&text);
    sprag_text_destroy(&text);
    return result;
}

static ToolExit run_command(SpragContext *context, const Command *command, int count, char **texts)
{
    Arguments arguments;
    ToolExit result;
    SpragStatus status = arguments_read(context, &command->rules, count, texts, &arguments);
    if (status == SPRAG_ERROR_ARGUMENT) {
        fprintf(stderr, "%s\n", arguments.error);
        result = TOOL_USAGE;
    } else if (status != SPRAG_OK) {
        result = tool_fail(context, status, NULL);
    } else if (arguments.help || arguments.version) {
        result = print_about(context, command, !arguments.help);
    } else if (arguments.cite) {
        result = cite(context, &arguments);
    } else {
        result = command->run(context, &arguments);
    }
    arguments_destroy(context, &arguments);
    return result;
}

// Options before any command: only those that print something about the tool.
static ToolExit run_bare(SpragContext *context, int count, char **texts)
{
    static const ArgumentRules rules = {.positional = "COMMAND", .least = 1, .most = 1};
    Arguments arguments;
    ToolExit result = TOOL_USAGE;
    SpragStatus status = arguments_read(context, &rules, count, texts, &arguments);
    if (status == SPRAG_OK && (arguments.help || arguments.version))
        result = print_about(context, NULL, !arguments.help);
    else if (status == SPRAG_OK && arguments.cite)
        result = cite(context, NULL);
    else if (status == SPRAG_OK)
        fprintf(stderr, "sprag: the command comes first: 'sprag %.40s %s'; see 'sprag --help'\n",
                arguments.positional[0], texts[0]);
    else if (status == SPRAG_ERROR_ARGUMENT)
        fprintf(stderr, "%s\n", arguments.error);
    else
        result = tool_fail(context, status, NULL);
    arguments_destroy(context, &arguments);
    return result;
}

static ToolExit run(SpragContext *context, int argc, char **argv)
{
    if (argc < 2 || argv[1][0] == '-' || !argv[1][0])
        return run_bare(context, argc > 1 ? argc - 1 : 0, argv + 1);
    if (strcmp(argv[1], "help") == 0) {
        const Command *about = argc > 2 ? find_command(argv[2]) : NULL;
        return argc > 2 && !about ? refuse_command(argv[2]) : print_about(context, about, false);
    }
    const Command *command = find_command(argv[1]);
    return command ? run_command(context, command, argc - 2, argv + 2) : refuse_command(argv[1]);
}

int main(int argc, char **argv)
{
    SpragContext *context = NULL;
    if (sprag_context_create(NULL, &context) != SPRAG_OK) {
        fprintf(stderr, "sprag: no memory\n");
        return TOOL_INTERNAL;
    }
    ToolExit result = run(context, argc, argv);
    sprag_context_destroy(context);
    return result;
}
