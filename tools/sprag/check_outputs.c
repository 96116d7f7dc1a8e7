// check_outputs.c: outputs and expectations of a file: are their names right, and what they mean.
#include <math.h>

#include "check.h"
#include "expect.h"
#include "sprag/record.h"

// A record looks the names up; none is kept.
SpragStatus check_outputs(const Situation *situation, const char *file)
{
    SpragRecordSettings settings = sprag_record_default();
    SpragRecord *record = NULL;
    SPRAG_TRY(expect_check(situation->context, situation->scene, file));
    settings.outputs = sprag_scene_outputs(situation->scene, &settings.output_count);
    settings.watches = sprag_scene_events(situation->scene, &settings.watch_count);
    if (!situation->system || settings.output_count + settings.watch_count == 0)
        return SPRAG_OK;
    settings.signals = "t";
    SpragStatus status =
        sprag_record_create(situation->context, situation->system, &settings, &record);
    sprag_record_destroy(record);
    return status;
}

// "time of slip-reversal at tip", "max of tip.normal from 0.1 s"
static void describe_output(const SpragOutput *output, SpragText *text)
{
    sprag_text_add(text, "%s of %s", sprag_output_kind_name(output->kind), output->of);
    if (output->contact)
        sprag_text_add(text, " at %s", output->contact);
    if (isfinite(output->from))
        sprag_text_add(text, " from %.9g s", output->from);
    if (isfinite(output->to))
        sprag_text_add(text, " to %.9g s", output->to);
}

// "rod.b.y below 0.01; ends the run", "slip-reversal at tip, number 3"
static void describe_event(const SpragWatch *event, SpragText *text)
{
    static const char *const words[] = {"above", "below", "crosses"};
    sprag_text_add(text, "%s", event->of);
    if (event->contact)
        sprag_text_add(text, " at %s", event->contact);
    if (event->kind != SPRAG_WATCH_TYPE)
        sprag_text_add(text, " %s %.9g", words[event->kind], event->value);
    if (event->count > 1)
        sprag_text_add(text, ", number %d", event->count);
    if (event->stop)
        sprag_text_add(text, "; ends the run");
}

static void describe_wanted(const SpragSceneExpect *expect, SpragText *text)
{
    if (expect->word)
        sprag_text_add(text, "%s", expect->word);
    else if (expect->least == expect->most)
        sprag_text_add(text, "%.9g", expect->least);
    else
        sprag_text_add(text, "%.9g … %.9g", expect->least, expect->most);
}

void check_outputs_text(const Situation *situation, SpragText *text)
{
    int event_count, output_count, expects_count;
    const SpragWatch *events = sprag_scene_events(situation->scene, &event_count);
    const SpragOutput *outputs = sprag_scene_outputs(situation->scene, &output_count);
    const SpragSceneExpect *expects = sprag_scene_expects(situation->scene, &expects_count);
    for (int i = 0; i < event_count; i++) {
        sprag_text_add(text, "%s  %s: ", i ? "" : "\nevents\n",
                       events[i].name ? events[i].name : "–");
        describe_event(&events[i], text);
        sprag_text_add(text, "\n");
    }
    for (int i = 0; i < output_count; i++) {
        sprag_text_add(text, "%s  %s: ", i ? "" : "\noutputs\n", outputs[i].name);
        describe_output(&outputs[i], text);
        sprag_text_add(text, "\n");
    }
    for (int i = 0; i < expects_count; i++) {
        sprag_text_add(text, "%s  %s: ", i ? "" : "\nexpectations\n", expects[i].name);
        describe_wanted(&expects[i], text);
        sprag_text_add(text, "\n");
    }
}

void check_outputs_json(const Situation *situation, Json *json)
{
    int event_count, output_count, expects_count;
    const SpragWatch *events = sprag_scene_events(situation->scene, &event_count);
    const SpragOutput *outputs = sprag_scene_outputs(situation->scene, &output_count);
    const SpragSceneExpect *expects = sprag_scene_expects(situation->scene, &expects_count);
    SpragText words;
    sprag_text_init(&words, situation->context);
    json_begin_array(json, "events");
    for (int i = 0; i < event_count; i++) {
        words.length = 0;
        describe_event(&events[i], &words);
        json_begin_flat_object(json, NULL);
        json_text(json, "name", events[i].name);
        json_text(json, "what", words.bytes ? words.bytes : "");
        json_bool(json, "stop", events[i].stop);
        json_end_object(json);
    }
    json_end_array(json);
    json_begin_object(json, "outputs");
    for (int i = 0; i < output_count; i++) {
        words.length = 0;
        describe_output(&outputs[i], &words);
        json_text(json, outputs[i].name, words.bytes ? words.bytes : "");
    }
    json_end_object(json);
    json_begin_array(json, "expect");
    for (int i = 0; i < expects_count; i++) {
        json_begin_flat_object(json, NULL);
        json_text(json, "name", expects[i].name);
        expect_wanted(json, &expects[i]);
        json_end_object(json);
    }
    json_end_array(json);
    sprag_text_destroy(&words);
}
