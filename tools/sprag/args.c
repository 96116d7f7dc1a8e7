// args.c: options and positional arguments of a command.
#include "args.h"

#include <stdio.h>
#include <string.h>

// Those that every command has; their order is that of the enumeration.
enum {
    COMMON_JSON,
    COMMON_SET,
    COMMON_QUIET,
    COMMON_VERBOSE,
    COMMON_HELP,
    COMMON_VERSION,
    COMMON_CITE
};
static const Option common_options[] = {
    {"json", 0, NULL, "print one JSON document on standard output", NULL},
    {"set", 0, "PATH=VALUE", "override a parameter or a value of the file (repeatable)", NULL},
    {"quiet", 'q', NULL, "print less", NULL},
    {"verbose", 'v', NULL, "print more", NULL},
    {"help", 'h', NULL, "print this help", NULL},
    {"version", 'V', NULL, "print the version", NULL},
    {"cite", 0, NULL, "print BibTeX of Sprag and of the methods used", NULL},
};
enum { COMMON_COUNT = sizeof common_options / sizeof *common_options };

// ---- Spelling -----------------------------------------------------------------------------------

enum { WORD_BYTES = 64 };

// Edit distance with transposed neighbours counting as one (optimal string alignment).
static int spelling_distance(const char *a, const char *b)
{
    int m = (int)strlen(a), n = (int)strlen(b);
    int rows[3][WORD_BYTES + 1];
    if (m > WORD_BYTES || n > WORD_BYTES)
        return WORD_BYTES;
    for (int j = 0; j <= n; j++)
        rows[0][j] = j;
    for (int i = 1; i <= m; i++) {
        int *now = rows[i % 3];
        const int *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= n; j++) {
            int best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best)
                best = above[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return rows[m % 3][n];
}

int nearest_word(const char *word, int count, const char *const *words)
{
    int nearest = -1, least = WORD_BYTES;
    for (int i = 0; i < count; i++) {
        int distance = spelling_distance(word, words[i]);
        int allowed = 1 + (int)strlen(words[i]) / 3;
        if (distance <= allowed && distance < least) {
            nearest = i;
            least = distance;
        }
    }
    return nearest;
}

// ---- Reading ------------------------------------------------------------------------------------

static const Option *option_at(const ArgumentRules *rules, int index)
{
    return index < COMMON_COUNT ? &common_options[index] : &rules->options[index - COMMON_COUNT];
}

static int option_total(const ArgumentRules *rules)
{
    return COMMON_COUNT + rules->option_count;
}

static const Option *find_option(const ArgumentRules *rules, const char *name, size_t length)
{
    for (int i = 0; i < option_total(rules); i++) {
        const Option *option = option_at(rules, i);
        if (strlen(option->name) == length && strncmp(option->name, name, length) == 0)
            return option;
    }
    return NULL;
}

static const Option *find_letter(const ArgumentRules *rules, char letter)
{
    for (int i = 0; i < option_total(rules); i++)
        if (option_at(rules, i)->letter == letter)
            return option_at(rules, i);
    return NULL;
}

// "sprag analyze: what is wrong; see 'sprag analyze --help'"
SPRAG_PRINTF(2, 3)
static SpragStatus refuse(Arguments *arguments, const char *format, ...)
{
    const char *command = arguments->rules->command;
    const char *space = command ? " " : "";
    char detail[160];
    va_list list;
    va_start(list, format);
    vsnprintf(detail, sizeof detail, format, list);
    va_end(list);
    command = command ? command : "";
    snprintf(arguments->error, sizeof arguments->error, "sprag%s%s: %s; see 'sprag%s%s --help'",
             space, command, detail, space, command);
    return SPRAG_ERROR_ARGUMENT;
}

static SpragStatus refuse_unknown(Arguments *arguments, const char *name, size_t length)
{
    enum { MOST = 64 };
    const ArgumentRules *rules = arguments->rules;
    const char *words[MOST];
    char word[WORD_BYTES];
    int count = option_total(rules) < MOST ? option_total(rules) : MOST;
    for (int i = 0; i < count; i++)
        words[i] = option_at(rules, i)->name;
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    int nearest = nearest_word(word, count, words);
    if (nearest >= 0)
        return refuse(arguments, "unknown option '--%s', did you mean '--%s'?", word,
                      words[nearest]);
    return refuse(arguments, "unknown option '--%s'", word);
}

static SpragStatus take_set(Arguments *arguments, char *text)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return refuse(arguments, "--set takes PATH=VALUE, for example --set mu=0.4, not '%.40s'",
                      text);
    *equals = 0;
    SpragSceneSet *set = &arguments->sets[arguments->set_count++];
    set->path = text;
    set->value = equals + 1;
    return SPRAG_OK;
}

static SpragStatus take(Arguments *arguments, const Option *option, char *value)
{
    if (option < common_options || option >= common_options + COMMON_COUNT) {
        GivenOption given = {option, value};
        if (strcmp(option->name, "theme") == 0 && strcmp(value, "light") != 0 &&
            strcmp(value, "dark") != 0)
            return refuse(arguments, "--theme takes light or dark, not '%.40s'", value);
        arguments->given[arguments->given_count++] = given;
        return SPRAG_OK;
    }
    switch (option - common_options) {
    case COMMON_JSON:
        arguments->json = true;
        break;
    case COMMON_SET:
        return take_set(arguments, value);
    case COMMON_QUIET:
        arguments->quiet = true;
        break;
    case COMMON_VERBOSE:
        arguments->verbose = true;
        break;
    case COMMON_HELP:
        arguments->help = true;
        break;
    case COMMON_VERSION:
        arguments->version = true;
        break;
    default:
        arguments->cite = true;
        break;
    }
    return SPRAG_OK;
}

// --name, --name=VALUE or --name VALUE at texts[*next]; moves *next behind what it used.
static SpragStatus read_long(Arguments *arguments, int count, char **texts, int *next)
{
    char *name = texts[(*next)++] + 2;
    char *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const Option *option = find_option(arguments->rules, name, length);
    if (!option)
        return refuse_unknown(arguments, name, length);
    if (!option->value)
        return equals ? refuse(arguments, "--%s takes no value", option->name)
                      : take(arguments, option, NULL);
    if (equals)
        return take(arguments, option, equals + 1);
    if (*next == count)
        return refuse(arguments, "--%s needs a value: %s", option->name, option->value);
    return take(arguments, option, texts[(*next)++]);
}

// -q, -qv, -o VALUE or -oVALUE at texts[*next].
static SpragStatus read_letters(Arguments *arguments, int count, char **texts, int *next)
{
    for (char *letter = texts[(*next)++] + 1; *letter; letter++) {
        const Option *option = find_letter(arguments->rules, *letter);
        if (!option)
            return refuse(arguments, "unknown option '-%c'", *letter);
        if (!option->value) {
            SPRAG_TRY(take(arguments, option, NULL));
            continue;
        }
        if (letter[1])
            return take(arguments, option, letter + 1);
        if (*next == count)
            return refuse(arguments, "-%c needs a value: %s", *letter, option->value);
        return take(arguments, option, texts[(*next)++]);
    }
    return SPRAG_OK;
}

// Options that stand for a --set come behind those, over which they win.
static void add_sets(Arguments *arguments)
{
    arguments->typed_set_count = arguments->set_count;
    for (int i = 0; i < arguments->given_count; i++) {
        const GivenOption *given = &arguments->given[i];
        if (given->option->path)
            arguments->sets[arguments->set_count++] =
                (SpragSceneSet){given->option->path, given->value};
    }
}

static SpragStatus check_positional(Arguments *arguments)
{
    const ArgumentRules *rules = arguments->rules;
    if (arguments->help || arguments->version)
        return SPRAG_OK;
    if (arguments->positional_count < rules->least && !arguments->cite)
        return refuse(arguments, "%s is missing", rules->positional);
    if (arguments->positional_count > rules->most)
        return refuse(arguments, "'%.40s' is one argument too many",
                      arguments->positional[rules->most]);
    return SPRAG_OK;
}

SpragStatus arguments_read(SpragContext *context, const ArgumentRules *rules, int count,
                           char **texts, Arguments *arguments)
{
    memset(arguments, 0, sizeof *arguments);
    arguments->rules = rules;
    size_t most = (size_t)count + 1;
    arguments->sets = sprag_alloc(context, most, sizeof *arguments->sets);
    arguments->positional = sprag_alloc(context, most, sizeof *arguments->positional);
    arguments->given = sprag_alloc(context, most, sizeof *arguments->given);
    if (!arguments->sets || !arguments->positional || !arguments->given)
        return SPRAG_ERROR_MEMORY;
    bool options = true;
    for (int next = 0; next < count;) {
        char *text = texts[next];
        if (options && strcmp(text, "--") == 0) {
            options = false;
            next++;
        } else if (options && strncmp(text, "--", 2) == 0) {
            SPRAG_TRY(read_long(arguments, count, texts, &next));
        } else if (options && text[0] == '-' && text[1]) {
            SPRAG_TRY(read_letters(arguments, count, texts, &next));
        } else {
            arguments->positional[arguments->positional_count++] = text;
            next++;
        }
    }
    add_sets(arguments);
    return check_positional(arguments);
}

void arguments_destroy(SpragContext *context, Arguments *arguments)
{
    sprag_free(context, arguments->sets);
    sprag_free(context, (void *)arguments->positional);
    sprag_free(context, arguments->given);
}

const char *arguments_value(const Arguments *arguments, const char *name)
{
    for (int i = arguments->given_count - 1; i >= 0; i--)
        if (strcmp(arguments->given[i].option->name, name) == 0)
            return arguments->given[i].value ? arguments->given[i].value : "";
    return NULL;
}

// ---- Help ---------------------------------------------------------------------------------------

static void add_option_help(const Option *option, SpragText *text)
{
    char name[WORD_BYTES], letter[8] = "    ";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(name, sizeof name, "--%s%s%s", option->name, option->value ? " " : "",
             option->value ? option->value : "");
    sprag_text_add(text, "  %s%-26s %s\n", letter, name, option->help);
}

void arguments_help(const ArgumentRules *rules, SpragText *text)
{
    sprag_text_add(text, "usage: sprag %s %s [options]\n\n%s\n\noptions\n", rules->command,
                   rules->positional, rules->description);
    for (int i = 0; i < rules->option_count; i++)
        add_option_help(&rules->options[i], text);
    for (int i = 0; i < COMMON_COUNT; i++)
        add_option_help(&common_options[i], text);
}
