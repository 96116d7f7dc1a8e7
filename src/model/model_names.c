// model_names.c: which names are allowed, and who has one.
// Names go through one open-addressing hash table (FNV-1a, linear probing, at most half full), so
// that a scene of many thousand bodies is checked for duplicates in linear time.
#include <string.h>

#include "model_private.h"

typedef struct Slot {
    uint64_t hash;
    int kind;
    int entry; // index in its list plus one; 0: free
} Slot;

struct SpragModelNames {
    Slot *slots;
    size_t slot_count; // a power of two
    size_t used;
};

static const char *name_of(const SpragModel *model, NameKind kind, int index, int *owner)
{
    *owner = -1;
    switch (kind) {
    case NAME_PARAMETER:
        return model->parameters[index].name;
    case NAME_MATERIAL:
        return model->materials[index].name;
    case NAME_BODY:
        return model->bodies[index].name;
    case NAME_SHAPE:
        *owner = model->shapes[index].body;
        return model->shapes[index].name;
    case NAME_SITE:
        *owner = model->sites[index].body;
        return model->sites[index].name;
    case NAME_RULE:
        return model->rules[index].name;
    case NAME_JOINT:
        return model->joints[index].name;
    case NAME_CONTROLLER:
        return model->controllers[index].name;
    default:
        return model->springs[index].name;
    }
}

static uint64_t hash_name(NameKind kind, int owner, const char *name, size_t length)
{
    uint64_t hash = 14695981039346656037u;
    hash = (hash ^ (uint64_t)kind) * 1099511628211u;
    hash = (hash ^ (uint64_t)(uint32_t)owner) * 1099511628211u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 1099511628211u;
    return hash ^ (hash >> 29);
}

int name_find(const SpragModel *model, NameKind kind, int owner, const char *name, size_t length)
{
    const SpragModelNames *names = model->names;
    if (!names || names->slot_count == 0)
        return -1;
    uint64_t hash = hash_name(kind, owner, name, length);
    for (size_t i = hash & (names->slot_count - 1); names->slots[i].entry;
         i = (i + 1) & (names->slot_count - 1)) {
        const Slot *slot = &names->slots[i];
        if (slot->hash != hash || slot->kind != (int)kind)
            continue;
        int its_owner;
        const char *its_name = name_of(model, kind, slot->entry - 1, &its_owner);
        if (its_owner == owner && strlen(its_name) == length && memcmp(its_name, name, length) == 0)
            return slot->entry - 1;
    }
    return -1;
}

static void put(SpragModelNames *names, Slot slot)
{
    size_t i = slot.hash & (names->slot_count - 1);
    while (names->slots[i].entry)
        i = (i + 1) & (names->slot_count - 1);
    names->slots[i] = slot;
    names->used++;
}

SpragStatus name_reserve(SpragModel *model)
{
    if (!model->names) {
        model->names = sprag_alloc(model->context, 1, sizeof *model->names);
        if (!model->names)
            return SPRAG_ERROR_MEMORY;
    }
    SpragModelNames *names = model->names;
    if (2 * (names->used + 1) <= names->slot_count)
        return SPRAG_OK;
    SpragModelNames grown = {0};
    grown.slot_count = names->slot_count ? 2 * names->slot_count : 32;
    grown.slots = sprag_alloc(model->context, grown.slot_count, sizeof *grown.slots);
    if (!grown.slots)
        return SPRAG_ERROR_MEMORY;
    for (size_t i = 0; i < names->slot_count; i++)
        if (names->slots[i].entry)
            put(&grown, names->slots[i]);
    sprag_free(model->context, names->slots);
    *names = grown;
    return SPRAG_OK;
}

void name_add(SpragModel *model, NameKind kind, int index)
{
    int owner;
    const char *name = name_of(model, kind, index, &owner);
    if (!name)
        return;
    Slot slot = {hash_name(kind, owner, name, strlen(name)), (int)kind, index + 1};
    put(model->names, slot);
}

void names_destroy(SpragModel *model)
{
    if (model->names)
        sprag_free(model->context, model->names->slots);
    sprag_free(model->context, model->names);
    model->names = NULL;
}

static bool is_letter(char c)
{
    // bytes of multi-byte UTF-8 characters count as letters
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

const char *sprag_name_fault(const char *name)
{
    static const char *const reserved[] = {"on",   "off",   "yes",  "no",
                                           "true", "false", "null", "world"};
    enum { LONGEST = 60 }; // results keep names in buffers of 64 bytes
    if (!name || !name[0])
        return "must not be empty";
    if (strlen(name) > LONGEST)
        return "must have at most 60 bytes";
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(name, reserved[i]) == 0)
            return "is reserved";
    if (!is_letter(name[0]))
        return "must begin with a letter";
    for (const char *c = name; *c; c++)
        if (!is_letter(*c) && !(*c >= '0' && *c <= '9') && *c != '-' && *c != '/')
            return "may have letters, digits, _ - and / only";
    return NULL;
}
