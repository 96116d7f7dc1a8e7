// page_extras.c: further signals that a page keeps, whatever they are: those of joints, and of time
// stepping its residual.
//
// The record knows how signals are made from a sample: the page asks it for the values of a few of
// them by name. A signal that this version does not have is not there.
#include <stdio.h>
#include <string.h>

#include "page.h"

enum { MOST_EXTRAS = 160, MOST_NAME = 200 };

static SpragRecord *try_record(SpragPage *page, const char *pattern)
{
    SpragRecordSettings settings = sprag_record_default();
    SpragRecord *record = NULL;
    settings.signals = pattern;
    settings.keep_samples = false;
    return sprag_record_create(page->context, page->system, &settings, &record) == SPRAG_OK ? record
                                                                                            : NULL;
}

// Appends a pattern if it means something.
static void add_pattern(SpragPage *page, SpragText *all, const char *pattern)
{
    SpragRecord *record = try_record(page, pattern);
    if (record)
        sprag_text_add(all, "%s%s", all->length ? "," : "", pattern);
    sprag_record_destroy(record);
}

static void add_joint(SpragPage *page, SpragText *all, const char *joint)
{
    static const char *const parts[] = {"position*", "velocity*", "way",       "speed",
                                        "force",     "error",     "reaction*", "moment"};
    char pattern[MOST_NAME];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if ((size_t)snprintf(pattern, sizeof pattern, "%s.%s", joint, parts[i]) < sizeof pattern)
            add_pattern(page, all, pattern);
}

SpragStatus page_extras_open(SpragPage *page)
{
    PageExtras *extras = &page->extras;
    SpragText all;
    sprag_text_init(&all, page->context);
    for (int i = 0; i < page->model->joint_count && i < MOST_EXTRAS / 5; i++)
        add_joint(page, &all, page->model->joints[i].name);
    // auto may come to step
    if (page->run.motion == SPRAG_MOTION_STEPPING || page->run.motion == SPRAG_MOTION_AUTO)
        add_pattern(page, &all, "stepping.residual");
    extras->record = all.length ? try_record(page, all.bytes) : NULL;
    SpragStatus status = all.failed ? SPRAG_ERROR_MEMORY : SPRAG_OK;
    sprag_text_destroy(&all);
    if (!extras->record || status != SPRAG_OK)
        return status;
    // the first signal is time
    extras->count = sprag_record_signal_count(extras->record) - 1;
    if (extras->count > MOST_EXTRAS)
        extras->count = MOST_EXTRAS;
    size_t room = (size_t)sprag_record_signal_count(extras->record) + 1;
    extras->values = sprag_alloc(page->context, room, sizeof *extras->values);
    return extras->values ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

void page_extras_close(SpragPage *page)
{
    sprag_record_destroy(page->extras.record);
    sprag_free(page->context, page->extras.values);
}

SpragStatus page_extras_fill(SpragPage *page, const SpragRunSample *sample, float *numbers)
{
    PageExtras *extras = &page->extras;
    if (extras->count == 0)
        return SPRAG_OK;
    SPRAG_TRY(sprag_record_values(extras->record, sample, extras->values));
    for (int i = 0; i < extras->count; i++)
        numbers[i] = (float)extras->values[i + 1];
    return SPRAG_OK;
}

void page_extras_head(const SpragPage *page, SpragText *text)
{
    sprag_text_add(text, ",\"extras\":[");
    for (int i = 0; i < page->extras.count; i++) {
        sprag_text_add(text, "%s{\"name\":", i ? "," : "");
        page_json_text(text, sprag_record_signal_name(page->extras.record, i + 1));
        sprag_text_add(text, ",\"unit\":");
        page_json_text(text, sprag_record_signal_unit(page->extras.record, i + 1));
        sprag_text_add(text, "}");
    }
    sprag_text_add(text, "]");
}

// ---- Joints as they are drawn -------------------------------------------------------------------

static void add_end(SpragText *text, const SpragJoint *joint, int k, bool space)
{
    const SpragPlace *place = &joint->ends[k];
    const SpragMat3 *axes = &joint->axes[k];
    // space: the axis is the last column; plane: what slides does so along the first
    int column = space ? 2 : 0;
    const double local[3] = {place->local.x, place->local.y, place->local.z};
    const double axis[3] = {axes->m[column], axes->m[3 + column], axes->m[6 + column]};
    sprag_text_add(text, "{\"body\":%d,\"local\":", place->body);
    page_json_numbers(text, 3, local);
    sprag_text_add(text, ",\"axis\":");
    page_json_numbers(text, 3, axis);
    sprag_text_add(text, "}");
}

void page_extras_joints(const SpragPage *page, SpragText *text)
{
    const SpragModel *model = page->model;
    sprag_text_add(text, ",\"joints\":[");
    for (int i = 0; i < model->joint_count; i++) {
        const SpragJoint *joint = &model->joints[i];
        sprag_text_add(text, "%s{\"name\":", i ? "," : "");
        page_json_text(text, joint->name);
        sprag_text_add(text,
                       ",\"kind\":\"%s\",\"placed\":%s,\"sprung\":%s,\"driven\":%s,\"ends\":[",
                       sprag_joint_kind_name(joint->kind), joint->as_placed ? "true" : "false",
                       joint->sprung ? "true" : "false", joint->driven ? "true" : "false");
        add_end(text, joint, 0, model->dimension == 3);
        sprag_text_add(text, ",");
        add_end(text, joint, 1, model->dimension == 3);
        sprag_text_add(text, "]");
        if (joint->limited) {
            sprag_text_add(text, ",\"limits\":");
            page_json_numbers(text, 2, joint->limits);
        }
        sprag_text_add(text, "}");
    }
    sprag_text_add(text, "]");
}
