// convergence_run.c: one run of the comparison: rigid, or with layers of one epsilon.
// Method    sets like those of a user: rules with a layer get it by epsilon (theory.md 5.4) and
//           keep its law and exponent; materials lose theirs; pairs that nothing gives one have
//           (6.9) with this epsilon.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "convergence_private.h"

enum { SET_BYTES = 160 };

// ---- Layers -------------------------------------------------------------------------------------

typedef struct SetList {
    SpragContext *context;
    SpragSceneSet *sets;
    char (*texts)[2][SET_BYTES];
    int given, count;
} SetList;

static void add_set(SetList *list, const char *path, const char *value)
{
    char(*text)[SET_BYTES] = list->texts[list->count - list->given];
    snprintf(text[0], SET_BYTES, "%s", path);
    snprintf(text[1], SET_BYTES, "%s", value);
    list->sets[list->count++] = (SpragSceneSet){text[0], text[1]};
}

static void add_rule(SetList *list, const SpragRule *rule, int index, double epsilon, double length)
{
    char path[SET_BYTES], value[SET_BYTES];
    const SpragCompliance *layer = &rule->compliance;
    if (!rule->compliance_given || layer->law == SPRAG_COMPLIANCE_RIGID)
        return;
    snprintf(path, sizeof path, "contacts.%d.compliance", index);
    if (layer->epsilon > 0)
        length = layer->length;
    if (layer->law == SPRAG_COMPLIANCE_KELVIN_VOIGT)
        snprintf(value, sizeof value, "{law: kelvin-voigt, epsilon: %.17g, length: %.17g}", epsilon,
                 length);
    else
        snprintf(value, sizeof value,
                 "{law: hunt-crossley, exponent: %.17g, epsilon: %.17g, length: %.17g}",
                 layer->exponent > 0 ? layer->exponent : 1.5, epsilon, length);
    add_set(list, path, value);
}

// The sets of the settings, the motion, and the layers of `model` (NULL: of no model).
static SpragStatus make_sets(const ConvergenceWork *work, SpragContext *context, double epsilon,
                             SetList *list)
{
    const SpragSceneSettings *scene = &work->settings->scene;
    const SpragModel *model = work->rigid.scene ? sprag_scene_model(work->rigid.scene) : NULL;
    int more = 1 + (model ? model->rule_count + model->material_count : 0);
    *list = (SetList){.context = context, .given = scene->set_count};
    list->sets = sprag_alloc(context, (size_t)(scene->set_count + more), sizeof *list->sets);
    list->texts = sprag_alloc(context, (size_t)more, sizeof *list->texts);
    if (!list->sets || !list->texts)
        return SPRAG_ERROR_MEMORY;
    for (; list->count < scene->set_count; list->count++)
        list->sets[list->count] = scene->sets[list->count];
    add_set(list, "simulate.motion", epsilon > 0 ? "compliant" : "events");
    for (int i = 0; model && epsilon > 0 && i < model->rule_count; i++)
        add_rule(list, &model->rules[i], i, epsilon, work->result->length);
    for (int i = 0; model && epsilon > 0 && i < model->material_count; i++) {
        char path[SET_BYTES];
        if (model->materials[i].compliance.law == SPRAG_COMPLIANCE_RIGID)
            continue;
        snprintf(path, sizeof path, "materials.%.120s.compliance", model->materials[i].name);
        add_set(list, path, "rigid");
    }
    return SPRAG_OK;
}

static SpragStatus open_record(KeptRun *run)
{
    SpragRecordSettings settings = sprag_record_default();
    settings.signals = run->work->settings->signals;
    settings.watches = sprag_scene_events(run->scene, &settings.watch_count);
    sprag_record_destroy(run->record);
    run->record = NULL;
    return sprag_record_create(run->context, run->system, &settings, &run->record);
}

SpragStatus kept_open(KeptRun *run, double epsilon)
{
    ConvergenceWork *work = run->work;
    SpragSceneSettings settings = sprag_scene_default();
    SetList list;
    SpragStatus status = make_sets(work, run->context, epsilon, &list);
    settings.sets = list.sets;
    settings.set_count = list.count;
    if (status == SPRAG_OK)
        status = sprag_scene_read(run->context, work->path, &settings, &run->scene);
    sprag_free(run->context, list.sets);
    sprag_free(run->context, (void *)list.texts);
    SPRAG_TRY(status);
    const SpragModel *model = sprag_scene_model(run->scene);
    if (!model)
        return sprag_fail(run->context, SPRAG_ERROR_INPUT,
                          "%s: --epsilon takes a scene with bodies", work->path);
    SPRAG_TRY(sprag_system_create_model(model, &run->system));
    size_t n = (size_t)sprag_system_position_count(run->system) +
               (size_t)sprag_system_velocity_count(run->system);
    run->states = sprag_alloc(run->context, (GRID + 1) * n + 1, sizeof *run->states);
    return run->states ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

void kept_close(KeptRun *run)
{
    if (!run->context)
        return;
    sprag_record_destroy(run->record);
    sprag_system_destroy(run->system);
    sprag_scene_destroy(run->scene);
    sprag_free(run->context, run->states);
    if (run != &run->work->rigid)
        sprag_context_destroy(run->context);
}

// ---- The run ------------------------------------------------------------------------------------

typedef struct Listener {
    KeptRun *run;
    SpragSink sink; // of the record
    double step;    // of the grid; 0: none
} Listener;

static int hear_sample(const SpragRunSample *sample, void *user)
{
    Listener *listener = user;
    KeptRun *run = listener->run;
    size_t m = (size_t)run->work->position_count, n = (size_t)run->work->velocity_count;
    double index = listener->step > 0 ? sample->t / listener->step : -1;
    long k = lround(index);
    if (k >= 0 && k <= GRID && fabs(index - (double)k) < 1e-6) {
        memcpy(run->states + (size_t)k * (m + n), sample->q, m * sizeof(double));
        memcpy(run->states + (size_t)k * (m + n) + m, sample->v, n * sizeof(double));
        run->reached[k] = true;
    }
    return listener->sink.sample(sample, listener->sink.user);
}

static int hear_event(const SpragEvent *event, void *user)
{
    Listener *listener = user;
    return listener->sink.event(event, listener->sink.user);
}

static int hear_verdict(const SpragRunVerdict *verdict, void *user)
{
    Listener *listener = user;
    return listener->sink.verdict(verdict, listener->sink.user);
}

static int hear_piece(SpragRun *run, double from, double to, void *user)
{
    Listener *listener = user;
    return listener->sink.piece(run, from, to, listener->sink.user);
}

SpragStatus kept_go(KeptRun *run, double epsilon, double until, bool grid)
{
    const SpragSimulate *simulate = &sprag_scene_model(run->scene)->simulate;
    SpragRunSettings settings = sprag_run_settings(simulate);
    SpragRun *motion;
    SPRAG_TRY(open_record(run));
    Listener listener = {.run = run, .sink = sprag_record_sink(run->record)};
    SpragSink sink = {hear_sample, hear_event, hear_verdict, &listener,
                      listener.sink.piece ? hear_piece : NULL};
    listener.step = grid ? until / GRID : 0;
    settings.output_step = listener.step;
    settings.motion = epsilon > 0 ? SPRAG_MOTION_COMPLIANT : SPRAG_MOTION_EVENTS;
    if (epsilon == 0) // the rigid run stays rigid
        settings.paradox = SPRAG_PARADOX_STOP;
    settings.epsilon = epsilon > 0 ? epsilon : settings.epsilon;
    settings.interrupt = run->work->settings->interrupt;
    SPRAG_TRY(sprag_run_create(run->system, &settings, &sink, &motion));
    SpragStatus status = sprag_run_advance(motion, until, &run->outcome);
    run->end = sprag_run_time(motion);
    sprag_run_destroy(motion);
    if (status == SPRAG_OK)
        status = sprag_record_status(run->record);
    return status == SPRAG_OK && run->outcome == SPRAG_RUN_INTERRUPTED ? SPRAG_INTERRUPTED : status;
}
