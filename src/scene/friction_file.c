// friction_file.c: memory of friction problems from files; entries gathered into blocks.
#include "friction_file.h"

#include <string.h>

SpragStatus entries_add(Entries *entries, int row, int column, double value)
{
    size_t count = entries->count + 1;
    if (count > (size_t)1 << 28)
        return sprag_fail(entries->context, SPRAG_ERROR_LIMIT, "W has more than 2^28 entries");
    SPRAG_TRY(sprag_reserve(entries->context, &entries->row, &entries->row_capacity, count,
                            sizeof *entries->row));
    SPRAG_TRY(sprag_reserve(entries->context, &entries->column, &entries->column_capacity, count,
                            sizeof *entries->column));
    SPRAG_TRY(sprag_reserve(entries->context, &entries->value, &entries->value_capacity, count,
                            sizeof *entries->value));
    entries->row[entries->count] = row;
    entries->column[entries->count] = column;
    entries->value[entries->count++] = value;
    return SPRAG_OK;
}

void entries_destroy(Entries *entries)
{
    sprag_free(entries->context, entries->row);
    sprag_free(entries->context, entries->column);
    sprag_free(entries->context, entries->value);
    entries->row = entries->column = NULL;
    entries->value = NULL;
}

// Entries by block row, in the order of their block columns: two stable counting sorts.
static void sort_by(const Entries *entries, const int *key, int d, int c, const int *from,
                    int *start, int *to)
{
    memset(start, 0, ((size_t)c + 1) * sizeof *start);
    for (size_t k = 0; k < entries->count; k++)
        start[key[k] / d + 1]++;
    for (int i = 0; i < c; i++)
        start[i + 1] += start[i];
    for (size_t k = 0; k < entries->count; k++) {
        int entry = from ? from[k] : (int)k;
        to[start[key[entry] / d]++] = entry;
    }
}

// Walks over all entries in order. With blocks NULL the blocks are only counted.
static int walk(const Entries *entries, const int *order, int d, int c, int *row_start, int *column,
                double *blocks)
{
    size_t k = 0, size = (size_t)(d * d);
    int count = 0;
    for (int i = 0; i < c; i++) {
        bool diagonal = false;
        int last = -1;
        for (;;) {
            bool more = k < entries->count && entries->row[order[k]] / d == i;
            int j = more ? entries->column[order[k]] / d : c;
            if (!diagonal && j >= i) {
                // the diagonal, whether or not something stands there
                diagonal = true;
                if (blocks)
                    column[count] = i;
                last = i;
                count++;
            }
            if (!more)
                break;
            if (j != last) {
                if (blocks)
                    column[count] = j;
                last = j;
                count++;
            }
            if (blocks)
                blocks[(size_t)(count - 1) * size +
                       (size_t)(entries->row[order[k]] % d * d + entries->column[order[k]] % d)] +=
                    entries->value[order[k]];
            k++;
        }
        if (row_start)
            row_start[i + 1] = count;
    }
    return count;
}

SpragStatus entries_gather(const Entries *entries, SpragFrictionFile *file)
{
    SpragContext *context = entries->context;
    int d = file->problem.dimension, c = file->problem.contact_count;
    int *first = sprag_alloc(context, entries->count + 1, sizeof *first);
    int *second = sprag_alloc(context, entries->count + 1, sizeof *second);
    int *start = sprag_alloc(context, (size_t)c + 2, sizeof *start);
    file->row_start = sprag_alloc(context, (size_t)c + 1, sizeof *file->row_start);
    SpragStatus status = SPRAG_ERROR_MEMORY;
    if (first && second && start && file->row_start) {
        sort_by(entries, entries->column, d, c, NULL, start, first);
        sort_by(entries, entries->row, d, c, first, start, second);
        size_t count = (size_t)walk(entries, second, d, c, NULL, NULL, NULL);
        file->column = sprag_alloc(context, count + 1, sizeof *file->column);
        file->W = sprag_alloc(context, count * (size_t)(d * d) + 1, sizeof *file->W);
        if (file->column && file->W) {
            walk(entries, second, d, c, file->row_start, file->column, file->W);
            status = SPRAG_OK;
        }
    }
    sprag_free(context, first);
    sprag_free(context, second);
    sprag_free(context, start);
    file->problem.storage = SPRAG_FRICTION_BLOCKS;
    file->problem.row_start = file->row_start;
    file->problem.column = file->column;
    file->problem.blocks = file->W;
    return status;
}

SpragStatus friction_file_reserve(SpragContext *context, SpragFrictionFile *file, int bilateral)
{
    size_t c = (size_t)file->problem.contact_count, n = (size_t)file->problem.dimension * c;
    file->q = sprag_alloc(context, n, sizeof *file->q);
    file->friction = sprag_alloc(context, c, sizeof *file->friction);
    file->problem.q = file->q;
    file->problem.friction = file->friction;
    if (!file->q || !file->friction)
        return SPRAG_ERROR_MEMORY;
    if (bilateral == 0)
        return SPRAG_OK;
    file->kinds = sprag_alloc(context, c, sizeof *file->kinds);
    file->problem.kinds = file->kinds;
    if (!file->kinds)
        return SPRAG_ERROR_MEMORY;
    memset(file->kinds, SPRAG_FRICTION_CONTACT, c);
    memset(file->kinds + c - (size_t)bilateral, SPRAG_FRICTION_BILATERAL, (size_t)bilateral);
    return SPRAG_OK;
}

void sprag_friction_file_destroy(SpragContext *context, SpragFrictionFile *file)
{
    void *const arrays[] = {file->q,         file->friction, file->W,
                            file->row_start, file->column,   file->inverse_inertia,
                            file->bodies,    file->jacobian, file->kinds};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        sprag_free(context, arrays[k]);
    memset(file, 0, sizeof *file);
}
