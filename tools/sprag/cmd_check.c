// cmd_check.c: sprag check: validates a file and says what was understood.
#include "check.h"

#include <stdio.h>

static const char description[] =
    "Reads a scene or a bare problem, checks all of it, and prints what was understood: bodies\n"
    "with the state found after 'start', shapes, contacts with gap and friction, layers and\n"
    "friction laws, springs, loads, outputs, expectations, and every default that was used. -q\n"
    "prints nothing: the exit status tells. --schema needs no scene: it prints the grammar of\n"
    "scene files as JSON Schema, with which editors complete keys and mark wrong ones.";

static const Option options[] = {
    {"schema", 0, NULL, "print the JSON Schema of scene files, for editors", NULL},
};

void check_notes(const Situation *situation, void (*add)(const char *note, void *user), void *user)
{
    for (int i = 0; i < sprag_scene_note_count(situation->scene); i++)
        add(sprag_scene_note(situation->scene, i), user);
    for (int i = 0; i < situation->line_count; i++) {
        if (situation->lines[i].friction_given)
            continue;
        SpragText note;
        sprag_text_init(&note, situation->context);
        sprag_text_add(&note, "friction of %s: nothing gives it, 0", situation->lines[i].name);
        add(note.bytes ? note.bytes : "", user);
        sprag_text_destroy(&note);
    }
}

static ToolExit print_schema(SpragContext *context)
{
    SpragText text;
    sprag_text_init(&text, context);
    check_schema(&text);
    ToolExit result = tool_write(&text);
    sprag_text_destroy(&text);
    return result;
}

static ToolExit run(SpragContext *context, const Arguments *arguments)
{
    Situation situation;
    SpragText text;
    ToolExit result;
    if (arguments->given_count > 0)
        return print_schema(context);
    if (arguments->positional_count == 0) {
        fprintf(stderr, "sprag check: SCENE is missing; see 'sprag check --help'\n");
        return TOOL_USAGE;
    }
    sprag_text_init(&text, context);
    SpragStatus status = situation_create(context, arguments, &situation);
    if (status == SPRAG_OK)
        status = check_outputs(&situation, arguments->positional[0]);
    if (status != SPRAG_OK) {
        result = tool_fail(context, status, arguments->positional[0]);
    } else {
        if (arguments->json)
            check_json(&situation, arguments, &text);
        else if (!arguments->quiet)
            check_text(&situation, arguments, &text);
        result = tool_write(&text);
    }
    situation_destroy(&situation);
    sprag_text_destroy(&text);
    return result;
}

const Command command_check = {
    .rules = {.command = "check",
              .positional = "SCENE",
              .least = 0,
              .most = 1,
              .options = options,
              .option_count = sizeof options / sizeof *options,
              .description = description},
    .summary = "validates a file, prints what was understood and every default used",
    .run = run,
};
