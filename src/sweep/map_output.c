// map_output.c: values of a map that are outputs of short runs, one run a point.
// Method    the scene of a point is run as its `simulate` says, without samples: outputs do not
//           depend on the output step. A run that ends early gives what there is until then.
#include <math.h>
#include <string.h>

#include "sweep_private.h"

// ---- Which --------------------------------------------------------------------------------------

static const SpragOutput *find_output(const SpragScene *scene, const char *name)
{
    int count;
    const SpragOutput *outputs = sprag_scene_outputs(scene, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(outputs[i].name, name) == 0)
            return &outputs[i];
    return NULL;
}

static SpragStatus refuse(SpragContext *context, const SpragScene *scene, const char *name)
{
    int count;
    const SpragOutput *outputs = sprag_scene_outputs(scene, &count);
    SpragText list;
    sprag_text_init(&list, context);
    sprag_text_add(&list, "A, B, determinant, margin, slowest, growth, damping, solutions, stable, "
                          "layer.1 …, layer.imaginary, normal.CONTACT, tangential.CONTACT, "
                          "acceleration.BODY.x (.y, .angle); of drives acceleration, normal, "
                          "friction, layer, inertia, inertia_least, tau_cr, band_low, band_high, "
                          "input, efficiency, efficiency_back, critical_friction, "
                          "critical_inertia; of several guides acceleration1, normal1, friction1, "
                          "input1, …");
    sprag_text_add(&list, count ? "; outputs of the scene: " : "; the scene has no outputs");
    for (int i = 0; i < count; i++)
        sprag_text_add(&list, "%s%s", i ? ", " : "", outputs[i].name);
    SpragStatus status =
        sprag_fail(context, SPRAG_ERROR_ARGUMENT, "there is no value '%.40s'; known are %s", name,
                   list.bytes ? list.bytes : "");
    sprag_text_destroy(&list);
    return status;
}

SpragStatus outputs_find(MapWork *work)
{
    SpragMap *map = work->map;
    SpragSceneSource *source = work->workers[0].point.source;
    double first[2] = {map->axes[0].values[0], map->axes[1].path ? map->axes[1].values[0] : 0};
    SpragScene *scene;
    if (work->output_count == 0)
        return SPRAG_OK;
    SPRAG_TRY(sprag_scene_source_build(source, first, &scene));
    SpragStatus status = SPRAG_OK;
    for (int i = 0; i < map->value_count && status == SPRAG_OK; i++) {
        if (!work->values[i].of_run)
            continue;
        const SpragOutput *output = find_output(scene, map->value_names[i]);
        if (!output)
            status = refuse(map->context, scene, map->value_names[i]);
        else if (output->kind == SPRAG_OUTPUT_TIME || output->kind == SPRAG_OUTPUT_PERIOD)
            memcpy(map->value_about[i].unit, "s", sizeof "s");
    }
    sprag_scene_destroy(scene);
    return status;
}

// ---- At a point ---------------------------------------------------------------------------------

static SpragStatus run(const Worker *worker, SpragRecord *record, bool *whole)
{
    SpragSystem *system = worker->point.system;
    const SpragSimulate *simulate = &sprag_scene_model(worker->point.scene)->simulate;
    SpragRunSettings settings = sprag_run_settings(simulate);
    SpragSink sink = sprag_record_sink(record);
    SpragRunOutcome outcome;
    SpragRun *run = NULL;
    settings.output_step = 0;
    settings.interrupt = worker->work->settings->interrupt;
    SpragStatus status = sprag_run_create(system, &settings, &sink, &run);
    if (status == SPRAG_OK)
        status = sprag_run_advance(run, simulate->until, &outcome);
    sprag_run_destroy(run);
    if (status == SPRAG_OK)
        status = sprag_record_status(record);
    *whole = status != SPRAG_OK || outcome != SPRAG_RUN_INTERRUPTED;
    return status;
}

SpragStatus outputs_take(Worker *worker, double *values, bool *whole)
{
    const MapWork *work = worker->work;
    const PointEvaluator *point = &worker->point;
    SpragOutput wanted[SPRAG_MAP_VALUES];
    int places[SPRAG_MAP_VALUES];
    SpragRecordSettings settings = sprag_record_default();
    SpragRecord *record;
    *whole = true;
    for (int i = 0; i < work->map->value_count; i++) {
        if (!work->values[i].of_run)
            continue;
        values[i] = NAN;
        if (!point->valid || !point->system)
            continue;
        const SpragOutput *output = find_output(point->scene, work->map->value_names[i]);
        if (!output)
            continue;
        wanted[settings.output_count] = *output;
        places[settings.output_count++] = i;
    }
    if (settings.output_count == 0)
        return SPRAG_OK;
    settings.signals = "t";
    settings.keep_samples = false;
    settings.outputs = wanted;
    settings.watches = sprag_scene_events(point->scene, &settings.watch_count);
    SPRAG_TRY(sprag_record_create(worker->context, point->system, &settings, &record));
    SpragStatus status = run(worker, record, whole);
    for (int i = 0; i < settings.output_count && status == SPRAG_OK; i++)
        values[places[i]] = sprag_record_output(record, i);
    sprag_record_destroy(record);
    return status == SPRAG_ERROR_NUMERIC ? SPRAG_OK : status;
}
