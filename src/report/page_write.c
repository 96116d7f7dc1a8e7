// page_write.c: events and verdicts of a run, and the whole page as one file.
#include <stdio.h>
#include <string.h>

#include "page.h"
#include "sprag/bundle.h"

// The page that the build embeds, page_embed.S; empty: it was built without Node.
extern const unsigned char sprag_page_bytes[];
extern const unsigned char sprag_page_bytes_end[];

static const char marker[] = "<!--sprag:data-->";

bool sprag_page_is_built(void)
{
    return sprag_page_bytes_end - sprag_page_bytes > (ptrdiff_t)sizeof marker;
}

const char *sprag_page_missing(void)
{
    return "the viewer is not built in: it needs Node 18 and its packages when Sprag is built "
           "(scripts/bootstrap sets them up)";
}

// ---- Events and verdicts ------------------------------------------------------------------------

static void add_event(SpragText *text, const SpragEvent *event)
{
    sprag_text_add(text, "{\"t\":");
    page_json_number(text, event->t);
    sprag_text_add(text,
                   ",\"type\":\"%s\",\"contact\":%d,\"label\":", sprag_event_name(event->type),
                   event->contact);
    page_json_text(text, sprag_event_label(event));
    sprag_text_add(text, ",\"detail\":");
    page_json_text(text, event->detail);
    if (event->impact.given) {
        const SpragImpactNote *note = &event->impact;
        sprag_text_add(text, ",\"impact\":{\"before\":");
        page_json_numbers(text, 2, note->velocity);
        sprag_text_add(text, ",\"after\":");
        page_json_numbers(text, 2, note->after);
        sprag_text_add(text, ",\"impulse\":");
        page_json_numbers(text, 2, note->impulse);
        sprag_text_add(text, ",\"lost\":");
        page_json_number(text, note->energy_before - note->energy_after);
        sprag_text_add(text, "}");
    }
    sprag_text_add(text, "}");
}

static void add_verdict(SpragText *text, const SpragRunVerdict *verdict)
{
    sprag_text_add(text, "{\"from\":");
    page_json_number(text, verdict->from);
    sprag_text_add(text, ",\"to\":");
    page_json_number(text, verdict->to);
    sprag_text_add(text, ",\"kind\":\"%s\",\"solutions\":%d,\"stable\":%d,\"chosen\":",
                   sprag_verdict_name(verdict->kind), verdict->solution_count,
                   verdict->stable_count);
    page_json_text(text, verdict->chosen);
    sprag_text_add(text, ",\"reason\":");
    page_json_text(text, verdict->reason);
    sprag_text_add(text, "}");
}

static void add_end(SpragText *text, const SpragPage *page, const SpragPageEnd *end)
{
    sprag_text_add(
        text, ",\"end\":{\"outcome\":\"%s\",\"reason\":", sprag_run_outcome_name(end->outcome));
    page_json_text(text, end->reason ? end->reason : "");
    sprag_text_add(text, ",\"steps\":%llu,\"evaluations\":%llu,\"solves\":%llu,\"samples\":%zu",
                   (unsigned long long)end->statistics.steps,
                   (unsigned long long)end->statistics.evaluations,
                   (unsigned long long)end->statistics.solves,
                   end->sample_count ? end->sample_count : page->heard);
    sprag_text_add(text, ",\"drift\":");
    page_json_number(text, end->drift);
    sprag_text_add(text, "}");
}

SpragStatus sprag_page_tail(SpragPage *page, const SpragPageEnd *end, SpragText *text)
{
    sprag_text_add(text, "{\"events\":[");
    for (size_t i = 0; i < page->event_count; i++) {
        sprag_text_add(text, i ? "," : "");
        add_event(text, &page->events[i]);
    }
    sprag_text_add(text, "],\"verdicts\":[");
    for (size_t i = 0; i < page->verdict_count; i++) {
        sprag_text_add(text, i ? "," : "");
        add_verdict(text, &page->verdicts[i]);
    }
    sprag_text_add(text, "]");
    // in space contacts are appended in a run
    if (sprag_system_contact_count(page->system) > page->named) {
        sprag_text_add(text, ",\"named\":%d,\"contacts\":", page->named);
        page_json_contacts(text, page, page->named);
        page->named = sprag_system_contact_count(page->system);
    }
    if (page->branches.text.length > 0)
        sprag_text_add(text, ",\"branches\":[%s]", page->branches.text.bytes);
    page->branches.text.length = 0;
    if (end)
        add_end(text, page, end);
    sprag_text_add(text, "}");
    page->event_count = page->verdict_count = 0;
    return text->failed ? SPRAG_ERROR_MEMORY : SPRAG_OK;
}

// ---- The file -----------------------------------------------------------------------------------

void sprag_page_html(const char *data, SpragText *text)
{
    const char *page = (const char *)sprag_page_bytes;
    size_t length = (size_t)(sprag_page_bytes_end - sprag_page_bytes);
    const char *place = memmem(page, length, marker, sizeof marker - 1);
    if (!place)
        return;
    sprag_text_add_bytes(text, page, (size_t)(place - page));
    sprag_text_add_bytes(text, data, strlen(data));
    place += sizeof marker - 1;
    sprag_text_add_bytes(text, place, length - (size_t)(place - page));
}

static SpragStatus add_data(SpragPage *page, const SpragPageEnd *end, SpragText *text)
{
    SpragText chunk;
    sprag_text_init(&chunk, page->context);
    SpragStatus status = sprag_page_take(page, &chunk);
    sprag_text_add(text, "<script id=\"sprag-head\" type=\"application/json\">");
    if (status == SPRAG_OK)
        status = sprag_page_head(page, text);
    sprag_text_add(text, "</script>\n<script id=\"sprag-tail\" type=\"application/json\">");
    if (status == SPRAG_OK)
        status = sprag_page_tail(page, end, text);
    sprag_text_add(text, "</script>\n<script id=\"sprag-chunk\" type=\"text/plain\">");
    if (status == SPRAG_OK)
        sprag_base64_encode(chunk.bytes, chunk.length, text);
    sprag_text_add(text, "</script>");
    if (page->bundle.length > 0)
        sprag_text_add(text, "\n<script id=\"sprag-scene\" type=\"text/plain\">\n%s</script>",
                       page->bundle.bytes);
    sprag_text_destroy(&chunk);
    return status == SPRAG_OK && text->failed ? SPRAG_ERROR_MEMORY : status;
}

SpragStatus sprag_page_write(SpragPage *page, const SpragPageEnd *end, const char *path)
{
    SpragText data, text;
    if (!sprag_page_is_built())
        return sprag_fail(page->context, SPRAG_ERROR_WRITE, "%s: %s", path, sprag_page_missing());
    sprag_text_init(&data, page->context);
    sprag_text_init(&text, page->context);
    // what was heard stays, for further files
    uint32_t rows = page->row_count;
    size_t touches = page->touch_count, motions = page->motions.length;
    size_t events = page->event_count, verdicts = page->verdict_count;
    SpragStatus status = page_flush(page);
    size_t branches = page->branches.text.length;
    if (status == SPRAG_OK) {
        rows = page->row_count;
        touches = page->touch_count;
        motions = page->motions.length;
        status = add_data(page, end, &data);
    }
    page->row_count = rows;
    page->touch_count = touches;
    page->motions.length = motions;
    page->branches.text.length = branches;
    page->event_count = events;
    page->verdict_count = verdicts;
    if (status == SPRAG_OK)
        sprag_page_html(data.bytes, &text);
    if (status == SPRAG_OK && text.failed)
        status = SPRAG_ERROR_MEMORY;
    if (status == SPRAG_OK)
        status = sprag_text_save(&text, path);
    sprag_text_destroy(&text);
    sprag_text_destroy(&data);
    return status;
}
