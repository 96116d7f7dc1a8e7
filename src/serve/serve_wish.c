// serve_wish.c: messages of viewers: one line of words each. Whatever is not one of them is passed
// over: a viewer can confuse nobody but itself.
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve_private.h"

enum { WORDS = 8 };

// Words of a line, in place.
static int split(char *line, char *words[WORDS])
{
    int count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, " \t\r\n", &rest); word && count < WORDS;
         word = strtok_r(NULL, " \t\r\n", &rest))
        words[count++] = word;
    return count;
}

static bool read_number(const char *word, double *number)
{
    char *end;
    *number = strtod(word, &end);
    return end != word && !*end && isfinite(*number);
}

static bool is_parameter(const ServeSession *session, const char *name)
{
    for (int i = 0; i < session->model->parameter_count; i++)
        if (strcmp(session->model->parameters[i].name, name) == 0)
            return true;
    return false;
}

static SpragSceneSet *find_set(ServeSession *session, const char *name)
{
    for (size_t i = (size_t)session->settings->set_count; i < session->set_count; i++)
        if (strcmp(session->sets[i].path, name) == 0)
            return &session->sets[i];
    if (sprag_reserve(session->context, &session->sets, &session->set_capacity,
                      session->set_count + 1, sizeof *session->sets) != SPRAG_OK)
        return NULL;
    SpragSceneSet *set = &session->sets[session->set_count];
    set->path = sprag_copy_text(session->context, name);
    set->value = NULL;
    if (!set->path)
        return NULL;
    session->set_count++;
    return set;
}

// Only numbers of parameters: a viewer sets nothing else.
static void set_parameter(ServeSession *session, const char *name, const char *word)
{
    char text[40];
    double number;
    if (!is_parameter(session, name) || !read_number(word, &number))
        return;
    snprintf(text, sizeof text, "%.17g", number);
    SpragSceneSet *set = find_set(session, name);
    char *value = set ? sprag_copy_text(session->context, text) : NULL;
    if (!value) {
        // a set without a value must not stay
        if (set && !set->value)
            session->set_count--;
        return;
    }
    sprag_free(session->context, (void *)set->value);
    set->value = value;
    serve_session_restart(session, sprag_run_time(session->run));
}

static void reset(ServeSession *session)
{
    while (session->set_count > (size_t)session->settings->set_count) {
        SpragSceneSet *set = &session->sets[--session->set_count];
        sprag_free(session->context, (void *)set->path);
        sprag_free(session->context, (void *)set->value);
    }
    session->running = false;
    serve_session_restart(session, 0);
}

static void set_pace(ServeSession *session, bool running, double rate)
{
    session->running = running && !session->ended;
    session->rate = rate;
    session->wall = serve_clock();
    session->t = sprag_run_time(session->run);
    session->state_version++;
}

static void step(ServeSession *session)
{
    session->running = false;
    session->reach = fmin(session->until, sprag_run_time(session->run) +
                                              fmax(session->run_settings.output_step, 1e-9));
    session->state_version++;
}

static void pull(ServeSession *session, char *const words[WORDS])
{
    double numbers[WORDS];
    for (int i = 1; i < WORDS; i++)
        if (!read_number(words[i], &numbers[i]))
            return;
    if (numbers[1] >= 0 && numbers[1] < session->model->body_count)
        serve_pull(session, (int)numbers[1], numbers + 2, numbers + 5);
}

void serve_wish(ServeSession *session, const char *line)
{
    char copy[SERVE_LINE];
    char *words[WORDS];
    double rate;
    snprintf(copy, sizeof copy, "%s", line);
    int count = split(copy, words);
    if (count == 0 || !session->run)
        return;
    const char *what = words[0];
    if (strcmp(what, "set") == 0 && count == 3)
        set_parameter(session, words[1], words[2]);
    else if (strcmp(what, "go") == 0 && count == 1)
        set_pace(session, true, session->rate);
    else if (strcmp(what, "pause") == 0 && count == 1)
        set_pace(session, false, session->rate);
    else if (strcmp(what, "speed") == 0 && count == 2 && read_number(words[1], &rate))
        set_pace(session, session->running, fmin(fmax(rate, 0), 1e3));
    else if (strcmp(what, "step") == 0 && count == 1)
        step(session);
    else if (strcmp(what, "reset") == 0 && count == 1)
        reset(session);
    else if (strcmp(what, "restart") == 0 && count == 1)
        serve_session_restart(session, 0);
    else if (strcmp(what, "pull") == 0 && count == WORDS)
        pull(session, words);
    else if (strcmp(what, "release") == 0 && count == 1)
        serve_pull_release(session);
}
