// text_check.c: is a file text at all? UTF-8 without control characters, with the place of the
// first fault. libyaml refuses the same bytes but cannot say where.
#include "scene_private.h"

void text_position(const char *text, size_t offset, int *line, int *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n') {
            ++*line;
            *column = 1;
        } else if (((unsigned char)text[i] & 0xc0) != 0x80) {
            ++*column;
        }
    }
}

// Length of the character at text, 0 if it is not UTF-8; *code receives it.
static size_t decode(const unsigned char *text, size_t left, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = text[0];
    if (first < 0x80) {
        *code = first;
        return 1;
    }
    size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || left < length)
        return 0;
    *code = first & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (text[i] & 0x3f);
    }
    bool surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code < least[length] || *code > 0x10ffff || surrogate ? 0 : length;
}

static bool is_allowed(uint32_t code, bool first)
{
    if (code == 0xfeff)
        return first;
    return code == '\t' || code == '\n' || code == '\r' || (code >= 0x20 && code <= 0x7e) ||
           code == 0x85 || (code >= 0xa0 && code <= 0xfffd) || code >= 0x10000;
}

bool text_find_fault(const char *text, size_t length, size_t *offset, const char **why)
{
    for (size_t i = 0; i < length;) {
        uint32_t code = 0;
        size_t bytes = decode((const unsigned char *)text + i, length - i, &code);
        *offset = i;
        *why = "a byte that is not UTF-8 text";
        if (bytes == 0)
            return true;
        *why = code == 0 ? "a NUL byte" : "a control character";
        if (!is_allowed(code, i == 0))
            return true;
        i += bytes;
    }
    return false;
}
