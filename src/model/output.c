// output.c: the kinds of outputs.
#include "sprag/output.h"

const char *sprag_output_kind_name(SpragOutputKind kind)
{
    static const char *const names[] = {
#define NAME(name, text) text,
        SPRAG_OUTPUT_LIST(NAME)
#undef NAME
    };
    return names[kind];
}

bool sprag_output_is_of_events(SpragOutputKind kind)
{
    return kind <= SPRAG_OUTPUT_PERIOD;
}
