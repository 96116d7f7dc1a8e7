// scene_parts.c: parts of a scene that depend on variables, and reading them again.
// Problem   a map varies one or two numbers of a file; reading all of it at each point would cost
//           many times what its verdict does
// Method    every body, material, rule, joint, load … is read by a function that makes it from its
//           node, first into a new place of the model, later into the same one. While it is read,
//           the variables that its numbers met are gathered; those parts that met one are noted.
// Assumes   that what a part takes from others by name does not depend on their numbers, but for
//           places of bodies (meet_body). Numbers that belong to no part are the caller's affair:
//           they stay in Reader.varied.
#include "scene_private.h"

SpragStatus note_part(Reader *reader, const Part *part)
{
    uint32_t varies = part->varies & ~VARIES_IN_COPIES;
    if (!reader->keeps || !varies)
        return SPRAG_OK;
    Part *kept = sprag_arena_alloc(reader->arena, 1, sizeof *kept);
    if (!kept)
        return SPRAG_ERROR_MEMORY;
    *kept = *part;
    kept->varies = varies;
    kept->next = NULL;
    if (reader->last_part)
        reader->last_part->next = kept;
    else
        reader->parts = kept;
    reader->last_part = kept;
    return SPRAG_OK;
}

SpragStatus read_part(Reader *reader, Part part)
{
    uint32_t outer = reader->varied;
    reader->varied = 0;
    SPRAG_TRY(part.read(reader, &part));
    part.varies = reader->varied;
    reader->varied = outer;
    return note_part(reader, &part);
}

void meet_body(Reader *reader, int body)
{
    for (const Part *part = reader->parts; part; part = part->next)
        if (part->body == body)
            reader->varied |= part->varies;
}

SpragStatus update_parts(Reader *reader, uint32_t variables, SpragSceneChange *change)
{
    *change = SPRAG_SCENE_SAME;
    reader->again = true;
    for (Part *part = reader->parts; part; part = part->next) {
        if (!(part->varies & variables))
            continue;
        SPRAG_TRY(part->read(reader, part));
        if (part->change > *change)
            *change = part->change;
    }
    return SPRAG_OK;
}
