// args.h: options and positional arguments of a command.
//
// Every command knows --json, --set PATH=VALUE (repeatable), -q, -v, --help, --version, --cite; its
// own options stand in a table. Accepted: --name VALUE, --name=VALUE, -qv, -o VALUE, -oVALUE, and
// -- which ends the options. Options and positional arguments may be mixed.
#ifndef SPRAG_TOOL_ARGS_H
#define SPRAG_TOOL_ARGS_H

#include "sprag/base.h"
#include "sprag/scene.h"

typedef struct Option {
    const char *name;  // without the dashes
    char letter;       // short form; 0: none
    const char *value; // what --help calls its value; NULL: takes none
    const char *help;
    const char *path; // in the scene: it stands for --set PATH=VALUE, and wins over one; NULL: no
} Option;

// What a command takes.
typedef struct ArgumentRules {
    const char *command;    // its name; NULL: options before any command
    const char *positional; // "SCENE", as --help shows it
    int least, most;        // number of positional arguments
    const Option *options;  // its own, beside those that all have
    int option_count;
    const char *description; // paragraphs of --help
} ArgumentRules;

typedef struct GivenOption {
    const Option *option;
    const char *value; // NULL for a flag
} GivenOption;

typedef struct Arguments {
    const ArgumentRules *rules;
    bool json, quiet, verbose, help, version, cite;
    int set_count, typed_set_count; // all; those of --set, which come first
    SpragSceneSet *sets;
    int positional_count;
    const char **positional;
    int given_count; // options of the command's own table, in the order given
    GivenOption *given;
    char error[256]; // why the arguments are not right: one line
} Arguments;

// Reads the `count` arguments after the command's name. They must live as long as *arguments; the
// first '=' of a --set is replaced by the end of text. ERROR_ARGUMENT leaves one line in `error`.
SPRAG_MUST_USE SpragStatus arguments_read(SpragContext *context, const ArgumentRules *rules,
                                          int count, char **texts, Arguments *arguments);
void arguments_destroy(SpragContext *context, Arguments *arguments);
// The last value given for an option of the command's own table; NULL: not given.
const char *arguments_value(const Arguments *arguments, const char *name);
// The help text of a command.
void arguments_help(const ArgumentRules *rules, SpragText *text);

// Index of the word of the list that is nearest to `word` in spelling; −1: none is near.
int nearest_word(const char *word, int count, const char *const *words);

#endif
