// scene_outputs.c: the numbers and events that a scene wants of a run, and what it expects.
// Assumes   that signals, contacts and types of events are looked up later: they are names of a
//           system, which is not there yet. Where a line stands is kept for that message.
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "scene_private.h"

// ---- Texts that stay ----------------------------------------------------------------------------

// All texts of one part of a file in one piece of the scene's memory.
typedef struct Texts {
    char *next;
} Texts;

static size_t text_bytes(const Node *node)
{
    size_t bytes = strlen(node->text) + 1;
    for (int i = 0; i < node->count; i++)
        bytes += text_bytes(node->items[i]) +
                 (node->kind == NODE_MAPPING ? text_bytes(node->keys[i]) : 0);
    return bytes;
}

static SpragStatus texts_open(Reader *reader, const Node *node, Texts *texts)
{
    texts->next = scene_keep(reader, text_bytes(node), 1);
    return texts->next ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

static const char *texts_copy(Texts *texts, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = memcpy(texts->next, text, bytes);
    texts->next += bytes;
    return copy;
}

// ---- Outputs ------------------------------------------------------------------------------------

// The one key that says which number it is.
static SpragStatus find_kind(Reader *reader, const Node *node, SpragOutput *output,
                             const Node **value)
{
    *value = NULL;
    for (int kind = 0; kind < SPRAG_OUTPUT_KINDS; kind++) {
        const char *word = sprag_output_kind_name((SpragOutputKind)kind);
        const Node *found = node_get(node, word);
        if (found && *value)
            return fail_at(reader, node_key(node, word), "an output is one number: %s or %s",
                           sprag_output_kind_name(output->kind), word);
        if (found) {
            *value = found;
            output->kind = (SpragOutputKind)kind;
        }
    }
    if (!*value)
        return fail_at(reader, node,
                       "an output needs time, count or period of a type of event, or first, last, "
                       "min, max, mean or range of a signal");
    return SPRAG_OK;
}

static SpragStatus read_window(Reader *reader, const Node *node, SpragOutput *output)
{
    output->from = -INFINITY;
    output->to = INFINITY;
    SPRAG_TRY(read_optional(reader, node, "from", KIND_TIME, RANGE_ALL, &output->from));
    SPRAG_TRY(read_optional(reader, node, "to", KIND_TIME, RANGE_ALL, &output->to));
    if (output->from > output->to)
        return fail_at(reader, node_get(node, "from"), "from must be ≤ to, got %g s and %g s",
                       output->from, output->to);
    return SPRAG_OK;
}

static SpragStatus read_output(Reader *reader, const Node *key, const Node *node, Texts *texts,
                               SpragOutput *output)
{
    static const char *const keys[] = {"time", "count", "period", "first", "last", "min", "max",
                                       "mean", "range", "of",     "from",  "to",   NULL};
    const char *text;
    const Node *value, *of;
    SPRAG_TRY(read_name(reader, key, &text));
    output->name = texts_copy(texts, text);
    SPRAG_TRY(need_mapping(reader, node, "an output"));
    SPRAG_TRY(check_keys(reader, node, "an output", keys));
    SPRAG_TRY(find_kind(reader, node, output, &value));
    SPRAG_TRY(read_text(reader, value, sprag_output_kind_name(output->kind), &text));
    output->of = texts_copy(texts, text);
    output->line = value->origin ? 0 : value->line;
    output->column = value->column;
    of = node_get(node, "of");
    if (of && !sprag_output_is_of_events(output->kind))
        return fail_at(reader, node_key(node, "of"),
                       "of is the contact of events; %s takes a signal, such as tip.normal",
                       sprag_output_kind_name(output->kind));
    if (of) {
        SPRAG_TRY(read_text(reader, of, "of", &text));
        output->contact = texts_copy(texts, text);
        output->contact_line = of->origin ? 0 : of->line;
        output->contact_column = of->column;
    }
    return read_window(reader, node, output);
}

SpragStatus read_outputs(Reader *reader, const Node *node)
{
    SpragScene *scene = reader->scene;
    Texts texts;
    SPRAG_TRY(need_mapping(reader, node, "outputs"));
    SPRAG_TRY(texts_open(reader, node, &texts));
    scene->outputs = scene_keep(reader, (size_t)node->count + 1, sizeof *scene->outputs);
    if (!scene->outputs)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < node->count; i++) {
        if (strncmp(node->keys[i]->text, "x-", 2) == 0)
            continue;
        SPRAG_TRY(read_output(reader, node->keys[i], node->items[i], &texts,
                              &scene->outputs[scene->output_count]));
        scene->output_count++;
    }
    return SPRAG_OK;
}

const SpragOutput *sprag_scene_outputs(const SpragScene *scene, int *count)
{
    *count = scene->output_count;
    return scene->outputs;
}

// ---- Events -------------------------------------------------------------------------------------

static SpragStatus read_watch_signal(Reader *reader, const Node *node, Texts *texts,
                                     SpragWatch *watch)
{
    static const char *const words[] = {"above", "below", "crosses"};
    const Node *signal = node_get(node, "signal");
    const char *text;
    int found = 0;
    SPRAG_TRY(read_text(reader, signal, "signal", &text));
    watch->of = texts_copy(texts, text);
    watch->line = signal->origin ? 0 : signal->line;
    watch->column = signal->column;
    for (int kind = 0; kind < 3; kind++) {
        const Node *value = node_get(node, words[kind]);
        if (!value)
            continue;
        found++;
        watch->kind = (SpragWatchKind)kind;
        SPRAG_TRY(read_number(reader, value, words[kind], KIND_ANY, RANGE_ALL, &watch->value));
    }
    if (found != 1)
        return fail_at(reader, node, "an event of a signal needs one of above, below and crosses");
    if (!watch->name)
        return fail_at(reader, node, "an event of a signal needs a name");
    if (node_get(node, "contact"))
        return fail_at(reader, node_key(node, "contact"),
                       "contact belongs to events of a type; a signal names its own");
    return SPRAG_OK;
}

static SpragStatus read_watch_type(Reader *reader, const Node *node, Texts *texts,
                                   SpragWatch *watch)
{
    static const char *const words[] = {"above", "below", "crosses"};
    const Node *type = node_get(node, "type"), *contact = node_get(node, "contact");
    const char *text;
    watch->kind = SPRAG_WATCH_TYPE;
    SPRAG_TRY(read_text(reader, type, "type", &text));
    watch->of = texts_copy(texts, text);
    watch->line = type->origin ? 0 : type->line;
    watch->column = type->column;
    for (int i = 0; i < 3; i++)
        if (node_get(node, words[i]))
            return fail_at(reader, node_key(node, words[i]), "%s needs signal, not type", words[i]);
    if (!watch->name && !watch->stop)
        return fail_at(reader, node, "an event of a type needs a name, or stop: true");
    if (!contact)
        return SPRAG_OK;
    SPRAG_TRY(read_text(reader, contact, "contact", &text));
    watch->contact = texts_copy(texts, text);
    watch->contact_line = contact->origin ? 0 : contact->line;
    watch->contact_column = contact->column;
    return SPRAG_OK;
}

static SpragStatus read_watch(Reader *reader, const Node *node, Texts *texts, SpragWatch *watch)
{
    static const char *const keys[] = {"name", "signal",  "above", "below", "crosses",
                                       "type", "contact", "count", "stop",  NULL};
    const double most = 1e9;
    const Node *name = node_get(node, "name"), *count = node_get(node, "count");
    const Node *stop = node_get(node, "stop");
    const char *text;
    double number = 1;
    SPRAG_TRY(check_keys(reader, node, "an event", keys));
    if (name) {
        SPRAG_TRY(read_name(reader, name, &text));
        watch->name = texts_copy(texts, text);
    }
    if (stop)
        SPRAG_TRY(read_bool(reader, stop, "stop", &watch->stop));
    if (count)
        SPRAG_TRY(read_number(reader, count, "count", KIND_NUMBER, RANGE_POSITIVE, &number));
    if (number != floor(number) || number > most)
        return fail_at(reader, count, "count must be a whole number of 1 … 1e9, got %g", number);
    watch->count = (int)number;
    bool of_signal = node_get(node, "signal") != NULL;
    if (of_signal == (node_get(node, "type") != NULL))
        return fail_at(reader, node, "an event needs signal or type%s",
                       of_signal ? ", not both" : "");
    return of_signal ? read_watch_signal(reader, node, texts, watch)
                     : read_watch_type(reader, node, texts, watch);
}

SpragStatus read_events(Reader *reader, const Node *node)
{
    SpragScene *scene = reader->scene;
    Texts texts;
    SPRAG_TRY(need_sequence(reader, node, "events"));
    SPRAG_TRY(texts_open(reader, node, &texts));
    scene->events = scene_keep(reader, (size_t)node->count + 1, sizeof *scene->events);
    if (!scene->events)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < node->count; i++) {
        SPRAG_TRY(need_mapping(reader, node->items[i], "an event"));
        SPRAG_TRY(read_watch(reader, node->items[i], &texts, &scene->events[i]));
        for (int k = 0; k < i; k++)
            if (scene->events[i].name && scene->events[k].name &&
                strcmp(scene->events[i].name, scene->events[k].name) == 0)
                return fail_at(reader, node->items[i], "two events are called %s",
                               shown(reader, scene->events[i].name));
        scene->event_count++;
    }
    return SPRAG_OK;
}

const SpragWatch *sprag_scene_events(const SpragScene *scene, int *count)
{
    *count = scene->event_count;
    return scene->events;
}

// ---- Expectations -------------------------------------------------------------------------------

// A number that varies is no text.
static bool is_infinity(const Node *node, double *number)
{
    const char *text = node->text;
    bool minus = *text == '-';
    text += minus || *text == '+';
    text += *text == '.';
    if (node->varies || strcmp(text, "inf") != 0)
        return false;
    *number = minus ? -INFINITY : INFINITY;
    return true;
}

// A word is what could be a name and means no number.
static bool is_word(Reader *reader, const Node *node)
{
    const char *text = node->text;
    size_t length = strlen(text);
    if (node->varies || !isalpha((unsigned char)text[0]) || strcmp(text, "pi") == 0 ||
        parameter_find(reader, NULL, text, length))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && !strchr("_-", text[i]))
            return false;
    return true;
}

static SpragStatus read_limit(Reader *reader, const Node *node, double *number)
{
    if (node->kind == NODE_SCALAR && is_infinity(node, number))
        return SPRAG_OK;
    return read_number(reader, node, "an expected number", KIND_ANY, RANGE_ALL, number);
}

static SpragStatus read_wanted(Reader *reader, const Node *node, Texts *texts,
                               SpragSceneExpect *expect)
{
    if (node->kind == NODE_MAPPING || node_is_empty(node))
        return fail_at(reader, node,
                       "what is expected must be a word, a number or [least, most], got %s",
                       shown_node(reader, node));
    if (node->kind == NODE_SCALAR) {
        if (!is_infinity(node, &expect->least) && is_word(reader, node))
            expect->word = texts_copy(texts, node->text);
        else
            SPRAG_TRY(read_limit(reader, node, &expect->least));
        expect->most = expect->least;
        return SPRAG_OK;
    }
    if (node->count != 2)
        return fail_at(reader, node, "a range must be [least, most], got %d number%s", node->count,
                       node->count == 1 ? "" : "s");
    SPRAG_TRY(read_limit(reader, node->items[0], &expect->least));
    SPRAG_TRY(read_limit(reader, node->items[1], &expect->most));
    if (expect->least > expect->most)
        return fail_at(reader, node, "a range must be [least, most], got [%g, %g]", expect->least,
                       expect->most);
    return SPRAG_OK;
}

SpragStatus read_expect(Reader *reader, const Node *node)
{
    SpragScene *scene = reader->scene;
    Texts texts;
    SPRAG_TRY(need_mapping(reader, node, "expect"));
    SPRAG_TRY(texts_open(reader, node, &texts));
    scene->expects = scene_keep(reader, (size_t)node->count + 1, sizeof *scene->expects);
    if (!scene->expects)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < node->count; i++) {
        const Node *key = node->keys[i];
        SpragSceneExpect *expect = &scene->expects[scene->expect_count];
        if (strncmp(key->text, "x-", 2) == 0)
            continue;
        if (!key->text[0])
            return fail_at(reader, key, "expect needs the name of an output or a result");
        expect->name = texts_copy(&texts, key->text);
        expect->line = key->origin ? 0 : key->line;
        expect->column = key->column;
        SPRAG_TRY(read_wanted(reader, node->items[i], &texts, expect));
        scene->expect_count++;
    }
    return SPRAG_OK;
}

const SpragSceneExpect *sprag_scene_expects(const SpragScene *scene, int *count)
{
    *count = scene->expect_count;
    return scene->expects;
}

bool sprag_expect_is_met(const SpragSceneExpect *expect, double number)
{
    const double part = 1e-6, nothing = 1e-9;
    if (expect->word || isnan(number))
        return false;
    if (expect->least < expect->most || isinf(expect->least))
        return number >= expect->least && number <= expect->most;
    double slack = expect->least == 0 ? nothing : part * fabs(expect->least);
    return fabs(number - expect->least) <= slack;
}
