// index_table.c: numbers of things, found by a hash.
// Method    open addressing with linear probing, at most half full; nothing is ever removed.
#include <string.h>

#include "space_catalogue.h"

static size_t first_cell(const IndexTable *table, uint64_t hash)
{
    // spread the low bits: tables are small
    hash ^= hash >> 29;
    hash *= 0xbf58476d1ce4e5b9u;
    hash ^= hash >> 32;
    return (size_t)hash & (size_t)(table->size - 1);
}

int index_table_find(const IndexTable *table, uint64_t hash, IndexEqual equal, const void *user)
{
    if (table->size == 0)
        return -1;
    size_t cell = first_cell(table, hash);
    while (table->cells[cell] != 0) {
        if (equal(user, table->cells[cell] - 1))
            return table->cells[cell] - 1;
        cell = (cell + 1) & (size_t)(table->size - 1);
    }
    return -1;
}

static void put(IndexTable *table, int index, uint64_t hash)
{
    size_t cell = first_cell(table, hash);
    while (table->cells[cell] != 0)
        cell = (cell + 1) & (size_t)(table->size - 1);
    table->cells[cell] = index + 1;
}

SpragStatus index_table_add(SpragContext *context, IndexTable *table, int index, IndexHash hash_of,
                            const void *user)
{
    if (2 * (table->count + 1) > table->size) {
        int before = table->size, size = before == 0 ? 64 : 2 * before;
        int *kept = sprag_alloc(context, (size_t)before + 1, sizeof *kept);
        if (!kept)
            return SPRAG_ERROR_MEMORY;
        if (before > 0)
            memcpy(kept, table->cells, (size_t)before * sizeof *kept);
        SpragStatus status = sprag_reserve(context, &table->cells, &table->capacity, (size_t)size,
                                           sizeof *table->cells);
        if (status == SPRAG_OK) {
            table->size = size;
            memset(table->cells, 0, (size_t)size * sizeof *table->cells);
            for (int i = 0; i < before; i++)
                if (kept[i] != 0)
                    put(table, kept[i] - 1, hash_of(user, kept[i] - 1));
        }
        sprag_free(context, kept);
        SPRAG_TRY(status);
    }
    put(table, index, hash_of(user, index));
    table->count++;
    return SPRAG_OK;
}

void index_table_clear(IndexTable *table)
{
    if (table->size > 0)
        memset(table->cells, 0, (size_t)table->size * sizeof *table->cells);
    table->count = 0;
}
