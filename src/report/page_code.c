// page_code.c: numbers of a run as few bytes.
//
// A column of floats is smooth: the integers that order floats are predicted from the one or two
// before, and what remains is written seven bits a byte; nothing remains where a body rests, and
// zeros are counted.
#include <math.h>
#include <string.h>

#include "page.h"

void page_put_byte(SpragText *bytes, unsigned value)
{
    char byte = (char)(unsigned char)value;
    sprag_text_add_bytes(bytes, &byte, 1);
}

void page_put_count(SpragText *bytes, uint64_t value)
{
    char part[10];
    size_t count = 0;
    do {
        unsigned low = (unsigned)(value & 127u);
        value >>= 7;
        part[count++] = (char)(unsigned char)(low | (value ? 128u : 0u));
    } while (value);
    sprag_text_add_bytes(bytes, part, count);
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    if (isnan(value))
        return 0x7fc00000u;
    memcpy(&bits, &value, sizeof bits);
    return bits == 0x80000000u ? 0 : bits;
}

void page_put_float(SpragText *bytes, double value)
{
    uint32_t bits = float_bits((float)value);
    for (unsigned i = 0; i < 4; i++)
        page_put_byte(bytes, bits >> 8 * i & 255u);
}

// Floats in their order.
static uint32_t ordered(float value, unsigned shift)
{
    uint32_t bits = float_bits(value);
    return (bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u)) >> shift;
}

static uint32_t zigzag(uint32_t difference)
{
    return difference << 1 ^ (difference >> 31 ? 0xffffffffu : 0u);
}

static void put_residuals(SpragText *bytes, const float *values, size_t count, size_t stride,
                          unsigned shift, int order)
{
    uint32_t before = 0x80000000u >> shift, earlier = before;
    size_t zeros = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t now = ordered(values[i * stride], shift);
        uint32_t rest = zigzag(now - (order == 2 ? 2 * before - earlier : before));
        if (rest == 0) {
            zeros++;
        } else {
            if (zeros) {
                page_put_byte(bytes, 0);
                page_put_count(bytes, zeros - 1);
            }
            zeros = 0;
            page_put_count(bytes, rest);
        }
        earlier = i == 0 ? now : before;
        before = now;
    }
    if (zeros) {
        page_put_byte(bytes, 0);
        page_put_count(bytes, zeros - 1);
    }
}

void page_put_column(SpragText *bytes, const float *values, size_t count, size_t stride,
                     unsigned shift)
{
    size_t start = bytes->length;
    page_put_byte(bytes, 1 | shift << 2);
    put_residuals(bytes, values, count, stride, shift, 1);
    size_t first = bytes->length - start;
    page_put_byte(bytes, 2 | shift << 2);
    put_residuals(bytes, values, count, stride, shift, 2);
    size_t second = bytes->length - start - first;
    if (bytes->failed)
        return;
    if (second < first)
        memmove(bytes->bytes + start, bytes->bytes + start + first, second);
    bytes->length = start + (second < first ? second : first);
    bytes->bytes[bytes->length] = 0;
}

void page_put_runs(SpragText *bytes, const uint8_t *values, size_t count, size_t stride)
{
    for (size_t i = 0; i < count;) {
        size_t length = 1;
        while (i + length < count && values[(i + length) * stride] == values[i * stride])
            length++;
        page_put_byte(bytes, values[i * stride]);
        page_put_count(bytes, length);
        i += length;
    }
}
