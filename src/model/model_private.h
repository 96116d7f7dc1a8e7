// model_private.h: what the sources of the room share.
#ifndef SPRAG_MODEL_PRIVATE_H
#define SPRAG_MODEL_PRIVATE_H

#include "sprag/model.h"

// Lists whose entries have names that must be unique in their list (shapes, sites: in their body).
typedef enum NameKind {
    NAME_PARAMETER,
    NAME_MATERIAL,
    NAME_BODY,
    NAME_SHAPE,
    NAME_SITE,
    NAME_RULE,
    NAME_SPRING
} NameKind;

// Entry of that kind called name (owner: its body, else −1); −1: none. The name has `length` bytes.
int name_find(const SpragModel *model, NameKind kind, int owner, const char *name, size_t length);
// Room for one more name, so that name_add cannot fail.
SpragStatus name_reserve(SpragModel *model);
// Registers entry `index`, which is in its list already.
void name_add(SpragModel *model, NameKind kind, int index);
void names_destroy(SpragModel *model);

void material_free(SpragContext *context, SpragMaterial *item);
void shape_free(SpragContext *context, SpragShape *item);

#endif
