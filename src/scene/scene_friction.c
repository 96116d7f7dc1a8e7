// scene_friction.c: problem: friction, u = W r + q with friction cones.
#include <math.h>

#include "scene_private.h"

static SpragStatus allocate(Reader *reader, int slot, size_t count)
{
    reader->scene->numbers[slot] = sprag_alloc(reader->context, count, sizeof(double));
    return reader->scene->numbers[slot] ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// Numbers of the contacts whose rows hold at any force.
static SpragStatus read_bilateral(Reader *reader, int count)
{
    const Node *list = node_get(reader->root, "bilateral");
    if (!list)
        return SPRAG_OK;
    unsigned char *kinds = sprag_alloc(reader->context, (size_t)count, sizeof *kinds);
    reader->scene->kinds = kinds;
    if (!kinds)
        return SPRAG_ERROR_MEMORY;
    reader->scene->friction.kinds = kinds;
    SPRAG_TRY(need_sequence(reader, list, "bilateral"));
    for (int k = 0; k < list->count; k++) {
        double number;
        SPRAG_TRY(read_number(reader, list->items[k], "bilateral", KIND_NUMBER, RANGE_NOT_NEGATIVE,
                              &number));
        if (number >= count || number != floor(number))
            return fail_at(reader, list->items[k],
                           "bilateral: contacts are numbered from 0 to %d, got %g", count - 1,
                           number);
        kinds[(int)number] = SPRAG_FRICTION_BILATERAL;
    }
    return SPRAG_OK;
}

// One number for all contacts, or one a contact.
static SpragStatus read_coefficients(Reader *reader, int count, double *friction)
{
    SpragStatus status;
    const Node *node = need_key(reader, "friction", "a number, or a list: one a contact", &status);
    SPRAG_TRY(status);
    bool list = node->kind == NODE_SEQUENCE;
    if (list && node->count != count)
        return fail_at(reader, node, "friction must have %d number%s, one a contact, got %d", count,
                       count == 1 ? "" : "s", node->count);
    for (int i = 0; i < count; i++)
        SPRAG_TRY(read_number(reader, list ? node->items[i] : node, "friction", KIND_NUMBER,
                              RANGE_NOT_NEGATIVE, &friction[i]));
    return SPRAG_OK;
}

SpragStatus read_friction_problem(Reader *reader)
{
    static const char *const keys[] = {
        "sprag",     "name", "description", "source",   "problem",   "parameters", "expect",
        "dimension", "W",    "q",           "friction", "bilateral", NULL};
    SpragScene *scene = reader->scene;
    SpragFrictionProblem *problem = &scene->friction;
    SPRAG_TRY(check_keys(reader, reader->root, "the file", keys));
    SpragStatus status;
    const Node *q = need_key(reader, "q", "a list of numbers", &status);
    SPRAG_TRY(status);
    const Node *W = need_key(reader, "W", "a matrix: a list of rows", &status);
    SPRAG_TRY(status);
    SPRAG_TRY(need_sequence(reader, q, "q"));
    problem->dimension = reader->dimension;
    if (q->count == 0 || q->count % problem->dimension)
        return fail_at(reader, q, "q must have %d numbers a contact, got %d", problem->dimension,
                       q->count);
    problem->contact_count = q->count / problem->dimension;
    size_t n = (size_t)q->count;
    SPRAG_TRY(allocate(reader, 0, n * n));
    SPRAG_TRY(allocate(reader, 1, n));
    SPRAG_TRY(allocate(reader, 2, n));
    SPRAG_TRY(read_matrix(reader, W, "W", q->count, q->count, scene->numbers[0]));
    SPRAG_TRY(read_numbers(reader, q, "q", KIND_ANY, q->count, scene->numbers[1]));
    SPRAG_TRY(read_coefficients(reader, problem->contact_count, scene->numbers[2]));
    SPRAG_TRY(read_bilateral(reader, problem->contact_count));
    problem->storage = SPRAG_FRICTION_DENSE;
    problem->W = scene->numbers[0];
    problem->q = scene->numbers[1];
    problem->friction = scene->numbers[2];
    scene->kind = SPRAG_SCENE_FRICTION;
    return locate(reader, W, sprag_friction_check(reader->context, problem));
}
