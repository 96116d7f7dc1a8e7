// page_chunk.c: what a page has heard as bytes: samples column by column, then contacts, then
// motions.
#include <string.h>

#include "page.h"

static void put_times(const SpragPage *page, SpragText *bytes)
{
    for (uint32_t i = 0; i < page->row_count; i++) {
        uint64_t bits;
        memcpy(&bits, &page->times[i], sizeof bits);
        for (unsigned k = 0; k < 8; k++)
            page_put_byte(bytes, (unsigned)(bits >> 8 * k & 255u));
    }
}

// Touches sorted by contact, rows ascending in each: counting keeps their order.
static PageTouch *sort_touches(const SpragPage *page, size_t *first, size_t slots)
{
    PageTouch *sorted = sprag_alloc(page->context, page->touch_count + 1, sizeof *sorted);
    if (!sorted)
        return NULL;
    for (size_t i = 0; i < page->touch_count; i++)
        first[page->touches[i].slot + 1]++;
    for (size_t slot = 0; slot < slots; slot++)
        first[slot + 1] += first[slot];
    for (size_t i = 0; i < page->touch_count; i++)
        sorted[first[page->touches[i].slot]++] = page->touches[i];
    // first[slot] is now the end of its touches
    return sorted;
}

static size_t put_spans(const PageTouch *touches, size_t count, SpragText *bytes, bool write)
{
    size_t spans = 0;
    uint32_t end = 0;
    for (size_t i = 0; i < count;) {
        size_t length = 1;
        while (i + length < count && touches[i + length].row == touches[i].row + length)
            length++;
        if (write) {
            page_put_count(bytes, touches[i].row - end);
            page_put_count(bytes, length);
        }
        end = touches[i].row + (uint32_t)length;
        spans++;
        i += length;
    }
    return spans;
}

static void put_contact(const SpragPage *page, const PageTouch *touches, size_t count,
                        SpragText *bytes)
{
    enum { STRIDE = sizeof(PageTouch) / sizeof(float), COARSE = 8 };
    page_put_count(bytes, touches->slot);
    page_put_count(bytes, put_spans(touches, count, bytes, false));
    put_spans(touches, count, bytes, true);
    page_put_runs(bytes, &touches->state, count, sizeof *touches);
    page_put_column(bytes, &touches->gap, count, STRIDE, 0);
    for (int i = 0; i < page->tangents; i++)
        page_put_column(bytes, &touches->slip[i], count, STRIDE, 0);
    page_put_column(bytes, &touches->normal, count, STRIDE, 0);
    for (int i = 0; i < page->tangents; i++)
        page_put_column(bytes, &touches->tangential[i], count, STRIDE, 0);
    page_put_column(bytes, &touches->friction, count, STRIDE, 0);
    page_put_column(bytes, &touches->depth, count, STRIDE, 0);
    // places are only drawn: 15 bits of their fractions are plenty
    for (int i = 0; i < 3; i++)
        page_put_column(bytes, &touches->point[i], count, STRIDE, COARSE);
    for (int i = 0; i < 3; i++)
        page_put_column(bytes, &touches->direction[i], count, STRIDE, COARSE);
    for (int i = 0; i < 3 && page->tangents == 2; i++)
        page_put_column(bytes, &touches->tangent[i], count, STRIDE, COARSE);
}

static SpragStatus put_contacts(const SpragPage *page, SpragText *bytes)
{
    size_t slots = (size_t)sprag_system_contact_count(page->system), used = 0;
    size_t *ends = sprag_alloc(page->context, slots + 2, sizeof *ends);
    PageTouch *sorted = ends ? sort_touches(page, ends, slots) : NULL;
    if (!sorted) {
        sprag_free(page->context, ends);
        return SPRAG_ERROR_MEMORY;
    }
    for (size_t slot = 0; slot < slots; slot++)
        used += ends[slot] > (slot ? ends[slot - 1] : 0);
    page_put_count(bytes, used);
    for (size_t slot = 0; slot < slots; slot++) {
        size_t start = slot ? ends[slot - 1] : 0;
        if (ends[slot] > start)
            put_contact(page, sorted + start, ends[slot] - start, bytes);
    }
    sprag_free(page->context, sorted);
    sprag_free(page->context, ends);
    return SPRAG_OK;
}

SpragStatus sprag_page_take(SpragPage *page, SpragText *bytes)
{
    size_t width = page_width(page);
    SPRAG_TRY(page_flush(page));
    sprag_text_add_bytes(bytes, "SPRG", 4);
    page_put_byte(bytes, PAGE_FORMAT);
    page_put_byte(bytes, (unsigned)page->tangents);
    page_put_byte(bytes, page->velocities ? 1 : 0);
    page_put_byte(bytes, 0);
    page_put_count(bytes, page->row_count);
    put_times(page, bytes);
    page_put_runs(bytes, page->flags, page->row_count, 1);
    page_put_runs(bytes, page->solutions, page->row_count, 1);
    page_put_count(bytes, width);
    for (size_t i = 0; i < width && page->row_count > 0; i++)
        page_put_column(bytes, page->numbers + i, page->row_count, width, 0);
    SPRAG_TRY(put_contacts(page, bytes));
    page_put_count(bytes, page->motions.length);
    if (page->motions.length > 0)
        sprag_text_add_bytes(bytes, page->motions.bytes, page->motions.length);
    page->row_count = 0;
    page->touch_count = 0;
    page->motions.length = page->last_motions.length = 0;
    return bytes->failed ? SPRAG_ERROR_MEMORY : SPRAG_OK;
}
