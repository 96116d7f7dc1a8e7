// cmd_examples.c: sprag examples: the built-in scenes, as a list, or the file of one.
#include <stdio.h>
#include <string.h>

#include "print.h"
#include "tool.h"

static const char description[] =
    "Lists the scenes that are built in, one line each. With a name it prints the file of that\n"
    "scene, to read or to change: its head tells the physics, the source and what to expect.\n"
    "Every command that takes a SCENE takes example:NAME too: sprag run example:painleve-rod";

static void list_examples(SpragContext *context, SpragText *text)
{
    Table table;
    table_init(&table, context, "ll");
    for (int i = 0; i < sprag_example_count(); i++) {
        SpragExample about;
        sprag_example_about(i, &about);
        table_add(&table, "%s", about.name);
        table_add(&table, "%s", about.title);
    }
    table_print(&table, text);
    table_destroy(&table);
}

static void list_json(Json *json, const Arguments *arguments)
{
    json_begin_object(json, NULL);
    tool_provenance(json, arguments);
    json_begin_array(json, "examples");
    for (int i = 0; i < sprag_example_count(); i++) {
        SpragExample about;
        sprag_example_about(i, &about);
        json_begin_flat_object(json, NULL);
        json_text(json, "name", about.name);
        json_text(json, "title", about.title);
        json_end_object(json);
    }
    json_end_array(json);
    json_end_object(json);
}

static void show_json(Json *json, const Arguments *arguments, const SpragExample *about)
{
    json_begin_object(json, NULL);
    tool_provenance(json, arguments);
    json_text(json, "name", about->name);
    json_text(json, "title", about->title);
    json_text(json, "text", about->text);
    json_end_object(json);
}

static ToolExit refuse_name(SpragContext *context, const char *name)
{
    size_t count = (size_t)sprag_example_count();
    SpragExample *abouts = sprag_alloc(context, count + 1, sizeof *abouts);
    const char **names = sprag_alloc(context, count + 1, sizeof *names);
    int nearest = -1;
    for (size_t i = 0; abouts && names && i < count; i++) {
        sprag_example_about((int)i, &abouts[i]);
        names[i] = abouts[i].name;
    }
    if (abouts && names)
        nearest = nearest_word(name, (int)count, names);
    if (nearest >= 0)
        fprintf(stderr, "sprag examples: there is no example '%.60s', did you mean '%s'?\n", name,
                names[nearest]);
    else
        fprintf(stderr,
                "sprag examples: there is no example '%.60s'; 'sprag examples' lists them\n", name);
    sprag_free(context, names);
    sprag_free(context, abouts);
    return TOOL_INPUT;
}

static ToolExit run(SpragContext *context, const Arguments *arguments)
{
    SpragText text;
    Json json;
    sprag_text_init(&text, context);
    json_init(&json, &text);
    if (arguments->positional_count > 0) {
        const char *name = arguments->positional[0];
        if (strncmp(name, "example:", 8) == 0)
            name += 8;
        int index = sprag_example_find(name);
        if (index < 0) {
            sprag_text_destroy(&text);
            return refuse_name(context, name);
        }
        SpragExample about;
        sprag_example_about(index, &about);
        if (arguments->json)
            show_json(&json, arguments, &about);
        else
            sprag_text_add_bytes(&text, about.text, about.length);
    } else if (arguments->json) {
        list_json(&json, arguments);
    } else {
        list_examples(context, &text);
    }
    ToolExit result = tool_write(&text);
    sprag_text_destroy(&text);
    return result;
}

const Command command_examples = {
    .rules = {.command = "examples",
              .positional = "[NAME]",
              .least = 0,
              .most = 1,
              .description = description},
    .summary = "lists the built-in scenes; with a name prints its file",
    .run = run,
};
