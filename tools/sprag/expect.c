// expect.c: looks up what a scene expects in the JSON document of a result, and judges it.
#include "expect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- A path through a document ------------------------------------------------------------------

// A document that this tool wrote; it may end early.
typedef struct Cursor {
    const char *at, *end;
} Cursor;

static void skip_space(Cursor *c)
{
    while (c->at < c->end && strchr(" \n,:", *c->at))
        c->at++;
}

// Behind the text that begins here.
static void skip_text(Cursor *c)
{
    for (c->at++; c->at < c->end && *c->at != '"'; c->at++)
        c->at += *c->at == '\\';
    c->at = c->at < c->end ? c->at + 1 : c->end;
}

static void skip_value(Cursor *c)
{
    int depth = 0;
    bool more = c->at < c->end;
    while (more) {
        if (*c->at == '"') {
            skip_text(c);
        } else if (strchr("{[", *c->at)) {
            depth++;
            c->at++;
        } else if (strchr("}]", *c->at)) {
            depth--;
            c->at++;
        } else {
            c->at += strcspn(c->at, " \n,:{}[]\"");
        }
        skip_space(c);
        more = depth > 0 && c->at < c->end;
    }
}

static bool find(Cursor c, const char *path, Cursor *value);

// The member whose key is the path, or its head; keys may have dots.
static bool find_member(Cursor c, const char *path, Cursor *value)
{
    for (c.at++, skip_space(&c); c.at < c.end && *c.at == '"'; skip_value(&c)) {
        const char *key = c.at + 1;
        skip_text(&c);
        size_t length = (size_t)(c.at - key) - 1;
        skip_space(&c);
        if (c.at >= c.end || strncmp(path, key, length) != 0)
            continue;
        if (!path[length] || (path[length] == '.' && find(c, path + length + 1, value))) {
            *value = path[length] ? *value : c;
            return true;
        }
    }
    return false;
}

static bool find_entry(Cursor c, const char *path, Cursor *value)
{
    char *rest;
    long index = strtol(path, &rest, 10);
    if (rest == path || (*rest && *rest != '.') || index < 0)
        return false;
    for (c.at++, skip_space(&c); c.at < c.end && *c.at != ']'; skip_value(&c))
        if (index-- == 0)
            return find(c, *rest ? rest + 1 : rest, value);
    return false;
}

// The value at a path from here; "" is the value here.
static bool find(Cursor c, const char *path, Cursor *value)
{
    *value = c;
    if (!*path)
        return true;
    if (*c.at == '{')
        return find_member(c, path, value);
    return *c.at == '[' && find_entry(c, path, value);
}

static long count_entries(Cursor c)
{
    long count = 0;
    for (c.at++, skip_space(&c); c.at < c.end && *c.at != ']'; skip_value(&c))
        count++;
    return count;
}

// ---- One expectation ----------------------------------------------------------------------------

typedef struct Finding {
    bool judged;   // false: the document does not tell
    double number; // NaN: not a number
    char word[80]; // a text, true or false; "": none
    bool is_bool;
    bool met;
} Finding;

static void read_value(Cursor value, Finding *finding)
{
    Cursor end = value;
    if (*value.at == '[') {
        finding->number = (double)count_entries(value);
        return;
    }
    if (*value.at == '{')
        return;
    bool quoted = *value.at == '"';
    if (quoted)
        skip_text(&end);
    else
        end.at += strcspn(end.at, " \n,:{}[]\"");
    size_t length = (size_t)(end.at - value.at) - (quoted ? 2 : 0);
    length = length < sizeof finding->word - 1 ? length : sizeof finding->word - 1;
    memcpy(finding->word, value.at + quoted, length);
    finding->word[length] = 0;
    const char *word = finding->word;
    finding->is_bool = !quoted && (strcmp(word, "true") == 0 || strcmp(word, "false") == 0);
    bool infinite = strcmp(word, "inf") == 0 || strcmp(word, "-inf") == 0;
    if (infinite)
        finding->number = word[0] == '-' ? -INFINITY : INFINITY;
    else if (!quoted && !finding->is_bool && strcmp(word, "null") != 0)
        finding->number = strtod(word, NULL);
    if (infinite || (!quoted && !finding->is_bool))
        finding->word[0] = 0;
}

static bool is_output(const SpragScene *scene, const char *name)
{
    int count;
    const SpragOutput *outputs = sprag_scene_outputs(scene, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(outputs[i].name, name) == 0)
            return true;
    return false;
}

static Finding judge(const SpragScene *scene, const SpragSceneExpect *expect,
                     const SpragText *document)
{
    Finding finding = {.number = NAN};
    Cursor top = {document->bytes, document->bytes + document->length}, value = top;
    char head[80];
    if (document->failed || document->length == 0)
        return finding;
    bool found;
    if (is_output(scene, expect->name)) {
        // outputs are numbers of a run, which has an outcome
        finding.judged = find(top, "outcome", &value) && find(top, "outputs", &value);
        found = finding.judged && find(value, expect->name, &value);
    } else {
        snprintf(head, sizeof head, "%.*s", (int)strcspn(expect->name, "."), expect->name);
        // a verdict that is null was not asked for in this run
        finding.judged =
            find(top, head, &value) && (strcmp(head, "verdict") != 0 || *value.at != 'n');
        found = finding.judged && find(top, expect->name, &value);
    }
    if (found)
        read_value(value, &finding);
    finding.met = expect->word ? strcmp(expect->word, finding.word) == 0
                               : sprag_expect_is_met(expect, finding.number);
    return finding;
}

// ---- Names --------------------------------------------------------------------------------------

// First keys of the documents of run, analyze and solve.
static const char *const known_keys[] = {
    "A",          "B",        "band",          "bodies",
    "chosen",     "complete", "contacts",      "count",
    "energy",     "events",   "forces",        "friction",
    "held",       "impact",   "input",         "inverse",
    "iterations", "jam",      "laws",          "margin",
    "method",     "motion",   "outcome",       "outputs",
    "p_matrix",   "patterns", "pivots",        "recommended",
    "residual",   "schemes",  "schemes_agree", "screw",
    "solutions",  "stable",   "stable_count",  "state",
    "stats",      "t",        "tau_cr",        "unique_for_every_input",
    "verdict",    "verdicts"};
enum { KNOWN_KEYS = sizeof known_keys / sizeof *known_keys };

int expect_count(const SpragScene *scene)
{
    int count;
    (void)sprag_scene_expects(scene, &count);
    return count;
}

static bool is_known(const SpragScene *scene, const char *name)
{
    size_t length = strcspn(name, ".");
    for (int i = 0; i < KNOWN_KEYS; i++)
        if (strlen(known_keys[i]) == length && strncmp(known_keys[i], name, length) == 0)
            return true;
    return is_output(scene, name);
}

SpragStatus expect_check(SpragContext *context, const SpragScene *scene, const char *file)
{
    int count, output_count;
    const SpragSceneExpect *expects = sprag_scene_expects(scene, &count);
    const SpragOutput *outputs = sprag_scene_outputs(scene, &output_count);
    for (int i = 0; i < count; i++) {
        const SpragSceneExpect *expect = &expects[i];
        if (is_known(scene, expect->name))
            continue;
        SpragText names;
        sprag_text_init(&names, context);
        for (int k = 0; k < output_count; k++)
            sprag_text_add(&names, "%s, ", outputs[k].name);
        SpragStatus status = sprag_fail(
            context, SPRAG_ERROR_INPUT,
            "%s:%d:%d: expect: there is no output or result \"%.60s\"; there are %s%s", file,
            expect->line, expect->column, expect->name, names.length ? names.bytes : "",
            "verdict, solutions, held, recommended, forces, margin.friction, outcome, t, "
            "energy.drift …");
        sprag_text_destroy(&names);
        return status;
    }
    return SPRAG_OK;
}

// ---- Telling ------------------------------------------------------------------------------------

static void add_value(Json *json, const char *key, const Finding *finding)
{
    if (finding->is_bool)
        json_bool(json, key, finding->word[0] == 't');
    else if (finding->word[0])
        json_text(json, key, finding->word);
    else
        json_number(json, key, finding->number);
}

void expect_wanted(Json *json, const SpragSceneExpect *expect)
{
    double ends[] = {expect->least, expect->most};
    if (expect->word && (strcmp(expect->word, "true") == 0 || strcmp(expect->word, "false") == 0))
        json_bool(json, "wanted", expect->word[0] == 't');
    else if (expect->word)
        json_text(json, "wanted", expect->word);
    else if (expect->least == expect->most)
        json_number(json, "wanted", expect->least);
    else
        json_numbers(json, "wanted", 2, ends);
}

// The member "outputs" of a document that is not of one run: names without numbers.
static void add_outputs(Json *json, const SpragScene *scene)
{
    int count;
    const SpragOutput *outputs = sprag_scene_outputs(scene, &count);
    json_begin_object(json, "outputs");
    for (int i = 0; i < count; i++)
        json_null(json, outputs[i].name);
    json_end_object(json);
}

void expect_json_none(Json *json)
{
    json_begin_object(json, "outputs");
    json_end_object(json);
    json_begin_array(json, "expect");
    json_end_array(json);
}

void expect_json(Json *json, const SpragScene *scene)
{
    int count;
    const SpragSceneExpect *expects = sprag_scene_expects(scene, &count);
    SpragText *document = json->text;
    // the list is part of the text it is judged by: all of it is looked at first
    Finding *findings = sprag_alloc(document->context, (size_t)count + 1, sizeof *findings);
    if (!findings) {
        document->failed = true;
        return;
    }
    for (int i = 0; i < count; i++)
        findings[i] = judge(scene, &expects[i], document);
    Cursor top = {document->bytes, document->bytes + document->length}, value = top;
    if (!document->failed && document->length > 0 && !find(top, "outputs", &value))
        add_outputs(json, scene);
    json_begin_array(json, "expect");
    for (int i = 0; i < count; i++) {
        if (!findings[i].judged)
            continue;
        json_begin_flat_object(json, NULL);
        json_text(json, "name", expects[i].name);
        add_value(json, "value", &findings[i]);
        expect_wanted(json, &expects[i]);
        json_bool(json, "met", findings[i].met);
        json_end_object(json);
    }
    json_end_array(json);
    sprag_free(document->context, findings);
}

// "wanted 0.202 … 0.208, got 0.21"
static void add_sentence(const SpragSceneExpect *expect, const Finding *finding, SpragText *text)
{
    if (expect->word)
        sprag_text_add(text, "wanted %s, got ", expect->word);
    else if (expect->least == expect->most)
        sprag_text_add(text, "wanted %.9g, got ", expect->least);
    else
        sprag_text_add(text, "wanted %.9g … %.9g, got ", expect->least, expect->most);
    if (finding->word[0])
        sprag_text_add(text, "%s", finding->word);
    else if (isnan(finding->number))
        sprag_text_add(text, "nothing");
    else
        sprag_text_add(text, "%.9g", finding->number);
}

void expect_text(const SpragScene *scene, const SpragText *document, SpragText *text)
{
    int count;
    bool begun = false;
    const SpragSceneExpect *expects = sprag_scene_expects(scene, &count);
    for (int i = 0; i < count; i++) {
        Finding finding = judge(scene, &expects[i], document);
        if (!finding.judged)
            continue;
        sprag_text_add(text, "%s  %s: ", begun ? "" : "\nexpectations\n", expects[i].name);
        add_sentence(&expects[i], &finding, text);
        sprag_text_add(text, finding.met ? ", met\n" : ", NOT MET\n");
        begun = true;
    }
}

bool expect_report(const SpragScene *scene, const SpragText *document, const char *file)
{
    int count;
    bool all = true;
    const SpragSceneExpect *expects = sprag_scene_expects(scene, &count);
    for (int i = 0; i < count; i++) {
        Finding finding = judge(scene, &expects[i], document);
        if (!finding.judged || finding.met)
            continue;
        SpragText line;
        sprag_text_init(&line, document->context);
        if (expects[i].line > 0)
            sprag_text_add(&line, "%s:%d:%d: ", file, expects[i].line, expects[i].column);
        else
            sprag_text_add(&line, "%s: ", file);
        sprag_text_add(&line, "expect %s is not met: ", expects[i].name);
        add_sentence(&expects[i], &finding, &line);
        fprintf(stderr, "%s\n", line.bytes ? line.bytes : "");
        sprag_text_destroy(&line);
        all = false;
    }
    return all;
}

ToolExit expect_conclude(SpragContext *context, SpragStatus status, const SpragScene *scene,
                         const SpragText *printed, const SpragText *document, const char *file)
{
    if (status != SPRAG_OK)
        return tool_fail(context, status, status == SPRAG_ERROR_WRITE ? NULL : file);
    ToolExit result = tool_write(printed);
    if (result == TOOL_DONE && !expect_report(scene, document, file))
        result = TOOL_INTERNAL;
    return result;
}
