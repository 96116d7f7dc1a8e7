// record_select.c: signals by name and pattern.
//
// A pattern is tried in this order: the signals of the catalogue; the places of the model whose
// name stands before the last dot ("rod.b.v?"); the contacts of a group ("pads.normal" for
// pads.0.normal …). Whatever matches nothing is an error that names the nearest signal.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "record_private.h"

// Does the name match the pattern with * (any text) and ? (one byte)? Going back to the last star
// only is enough, since an earlier one could not take less: the work is at most the product of the
// lengths.
static bool glob_matches(const char *pattern, const char *name)
{
    const char *star = NULL, *again = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            again = name;
        } else if (*pattern == '?' || *pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++again;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

// Text after the last dot, or NULL if there is none.
static const char *last_part(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : NULL;
}

// Is the name of the group's form: "pads.3.normal" for the pattern "pads.normal", "pads.3.slip.x"
// for "pads.slip.x"?
static bool group_matches(const char *pattern, const char *name)
{
    for (const char *dot = strchr(pattern, '.'); dot; dot = strchr(dot + 1, '.')) {
        size_t head = (size_t)(dot + 1 - pattern); // with its dot
        if (strncmp(pattern, name, head) != 0)
            return false;
        size_t digits = strspn(name + head, "0123456789");
        const char *rest = name + head + digits;
        if (digits > 0 && *rest == '.' && glob_matches(dot + 1, rest + 1))
            return true;
    }
    return false;
}

// ---- The nearest signal -------------------------------------------------------------------------

// Number of letters to change, insert or drop (Levenshtein); names are cut at SPELLING_BYTES.
static int spelling_distance(const char *a, const char *b)
{
    int rows[2][SPELLING_BYTES + 1];
    int n = (int)strnlen(b, SPELLING_BYTES);
    for (int j = 0; j <= n; j++)
        rows[0][j] = j;
    int m = (int)strnlen(a, SPELLING_BYTES);
    for (int i = 1; i <= m; i++) {
        int *now = rows[i % 2];
        const int *above = rows[(i + 1) % 2];
        now[0] = i;
        for (int j = 1; j <= n; j++) {
            int best = above[j - 1] + (a[i - 1] != b[j - 1]);
            best = above[j] + 1 < best ? above[j] + 1 : best;
            now[j] = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
        }
    }
    return rows[m % 2][n];
}

void nearest_try(Nearest *nearest, const char *name)
{
    int distance = spelling_distance(nearest->wanted, name);
    if (nearest->distance >= 0 && distance >= nearest->distance)
        return;
    nearest->distance = distance;
    snprintf(nearest->name, sizeof nearest->name, "%s", name);
}

// Corners and tips are not in the catalogue, but may be meant.
static void try_features(Nearest *nearest, const Catalogue *catalogue)
{
    const SpragModel *model = sprag_system_model(catalogue->system);
    int fields;
    const char *const *names = place_fields(catalogue->system, &fields);
    for (int i = 0; i < model->shape_count; i++)
        for (int k = 0; k < model->shapes[i].vertex_count; k++)
            for (int field = 0; field < fields; field++) {
                char name[2 * SPELLING_BYTES];
                snprintf(name, sizeof name, "%s.%s.%s", model->bodies[model->shapes[i].body].name,
                         model->shapes[i].vertex_names[k], names[field]);
                nearest_try(nearest, name);
            }
}

static SpragStatus refuse(const Catalogue *catalogue, const char *pattern)
{
    const SpragModel *model = sprag_system_model(catalogue->system);
    Nearest nearest = {.wanted = pattern, .distance = -1};
    for (int i = 0; i < catalogue->signals.count; i++)
        nearest_try(&nearest, catalogue->signals.items[i].name);
    if (model)
        try_features(&nearest, catalogue);
    return sprag_fail(catalogue->context, SPRAG_ERROR_INPUT,
                      strpbrk(pattern, "*?")
                          ? "no signal matches \"%.100s\"; the nearest is \"%s\""
                          : "there is no signal \"%.100s\"; did you mean \"%s\"?",
                      pattern, nearest.name);
}

// ---- Selection ----------------------------------------------------------------------------------

// A margin takes long to compute: a * alone does not mean it.
static bool is_wanted(const char *pattern, const Signal *signal)
{
    return signal->source != SOURCE_MARGIN || strstr(pattern, "margin");
}

static bool is_selected(const SignalList *selected, const char *name)
{
    for (int i = 0; i < selected->count; i++)
        if (strcmp(selected->items[i].name, name) == 0)
            return true;
    return false;
}

static SpragStatus take(const Catalogue *catalogue, const Signal *signal, SignalList *selected)
{
    if (is_selected(selected, signal->name))
        return SPRAG_OK;
    return signal_list_add(catalogue->context, selected, signal);
}

typedef bool Matcher(const char *pattern, const char *name);

// Adds what matches in the catalogue and counts it in *count.
static SpragStatus take_matches(const Catalogue *catalogue, Matcher *matches, const char *pattern,
                                SignalList *selected, int *count)
{
    for (int i = 0; i < catalogue->signals.count; i++) {
        const Signal *signal = &catalogue->signals.items[i];
        if (!matches(pattern, signal->name) || !is_wanted(pattern, signal))
            continue;
        ++*count;
        SPRAG_TRY(take(catalogue, signal, selected));
    }
    return SPRAG_OK;
}

// "ball.up" means ball.up.x, ball.up.y and ball.up.z.
static bool vector_matches(const char *pattern, const char *name)
{
    size_t length = strlen(pattern);
    return strncmp(pattern, name, length) == 0 && name[length] == '.' &&
           strchr("xyz", name[length + 1]) && name[length + 1] && !name[length + 2];
}

// Adds the signals of the place that the pattern names before its last dot.
static SpragStatus take_place(Catalogue *catalogue, const char *pattern, SignalList *selected,
                              int *count)
{
    const SpragModel *model = sprag_system_model(catalogue->system);
    const char *field_pattern = last_part(pattern);
    char path[2 * SPELLING_BYTES];
    SpragPlace place;
    if (!model || !field_pattern || field_pattern - pattern > (ptrdiff_t)sizeof path)
        return SPRAG_OK;
    snprintf(path, sizeof path, "%.*s", (int)(field_pattern - pattern - 1), pattern);
    if (!sprag_model_find_place(model, path, &place) || place.body == SPRAG_WORLD)
        return SPRAG_OK;
    int fields;
    const char *const *names = place_fields(catalogue->system, &fields);
    for (int field = 0; field < fields; field++) {
        Signal signal;
        if (!glob_matches(field_pattern, names[field]))
            continue;
        ++*count;
        SPRAG_TRY(catalogue_place_signal(catalogue, path, &place, field, &signal));
        SPRAG_TRY(take(catalogue, &signal, selected));
    }
    return SPRAG_OK;
}

static SpragStatus take_pattern(Catalogue *catalogue, const char *pattern, SignalList *selected)
{
    int count = 0;
    SPRAG_TRY(take_matches(catalogue, glob_matches, pattern, selected, &count));
    if (count == 0)
        SPRAG_TRY(take_place(catalogue, pattern, selected, &count));
    if (count == 0)
        SPRAG_TRY(take_matches(catalogue, group_matches, pattern, selected, &count));
    if (count == 0)
        SPRAG_TRY(take_matches(catalogue, vector_matches, pattern, selected, &count));
    return count > 0 ? SPRAG_OK : refuse(catalogue, pattern);
}

// Cuts the list at its commas and takes one pattern after the other. `list` is overwritten.
static SpragStatus take_list(Catalogue *catalogue, char *list, SignalList *selected)
{
    int count = 0;
    for (char *pattern = list, *next; pattern; pattern = next) {
        next = strchr(pattern, ',');
        if (next)
            *next++ = 0;
        while (isspace((unsigned char)*pattern))
            pattern++;
        size_t length = strlen(pattern);
        while (length > 0 && isspace((unsigned char)pattern[length - 1]))
            pattern[--length] = 0;
        if (length == 0)
            continue;
        count++;
        SPRAG_TRY(take_pattern(catalogue, pattern, selected));
    }
    if (count > 0)
        return SPRAG_OK;
    return sprag_fail(catalogue->context, SPRAG_ERROR_INPUT, "the list of signals is empty");
}

SpragStatus select_one(Catalogue *catalogue, const char *name, Signal *signal)
{
    SignalList found = {0};
    if (!name[0] || strpbrk(name, "*?,"))
        return sprag_fail(catalogue->context, SPRAG_ERROR_INPUT,
                          "\"%.100s\" is not the name of one signal", name);
    SpragStatus status = take_pattern(catalogue, name, &found);
    if (status == SPRAG_OK && found.count > 1)
        status = sprag_fail(catalogue->context, SPRAG_ERROR_INPUT,
                            "\"%.100s\" means %d signals: name one of them, such as %s", name,
                            found.count, found.items[0].name);
    if (status == SPRAG_OK)
        *signal = found.items[0];
    sprag_free(catalogue->context, found.items);
    return status;
}

SpragStatus select_signals(Catalogue *catalogue, const char *patterns, SignalList *selected)
{
    SpragContext *context = catalogue->context;
    SPRAG_TRY(signal_list_add(context, selected, &catalogue->signals.items[0]));
    if (patterns) {
        char *list = sprag_copy_text(context, patterns);
        SpragStatus status = list ? take_list(catalogue, list, selected) : SPRAG_ERROR_MEMORY;
        sprag_free(context, list);
        return status;
    }
    for (int i = 1; i < catalogue->signals.count; i++)
        if (catalogue->signals.items[i].standard)
            SPRAG_TRY(signal_list_add(context, selected, &catalogue->signals.items[i]));
    return SPRAG_OK;
}
