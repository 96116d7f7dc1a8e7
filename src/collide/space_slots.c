// space_slots.c: the list of slots in space: which features of two shapes can meet, found by key.
// Order     slots that a pair has in every configuration follow each other; others are appended
//           as they come near. A slot keeps its number; it is found again by shapes and features.
// Names     as in the plane; a rule that can get further slots later numbers them from 0.
#include <stdio.h>
#include <string.h>

#include "space_catalogue.h"

enum { SLOT_LIMIT = 1000000, PLACES_OF_A_RIM = 4 };

static uint64_t mix(uint64_t hash, int value)
{
    hash ^= (uint64_t)(uint32_t)value;
    return hash * 0x100000001b3u;
}

bool space_pair_counts(const SpragModel *model, int a, int b)
{
    int body_a = model->shapes[a].body, body_b = model->shapes[b].body;
    if (body_a == body_b || (model->bodies[body_a].fixed && model->bodies[body_b].fixed))
        return false;
    return pair_can_touch(&model->shapes[a], &model->shapes[b]);
}

// ---- Pairs of shapes ----------------------------------------------------------------------------

typedef struct PairKey {
    const Space *space;
    int shape[2];
} PairKey;

static bool pair_equal(const void *user, int index)
{
    const PairKey *key = user;
    const int *shape = key->space->pairs[index].shape;
    return shape[0] == key->shape[0] && shape[1] == key->shape[1];
}

static uint64_t pair_key_hash(const int shape[2])
{
    return mix(mix(0xcbf29ce484222325u, shape[0]), shape[1]);
}

static uint64_t pair_hash(const void *user, int index)
{
    const Space *space = user;
    return pair_key_hash(space->pairs[index].shape);
}

SpragStatus space_pair(SpragCollider *collider, int a, int b, int *pair)
{
    Space *space = collider->space;
    PairKey key = {space, {a < b ? a : b, a < b ? b : a}};
    *pair = index_table_find(&space->pair_table, pair_key_hash(key.shape), pair_equal, &key);
    if (*pair >= 0)
        return SPRAG_OK;
    SPRAG_TRY(sprag_reserve(collider->context, &space->pairs, &space->pair_capacity,
                            (size_t)space->pair_count + 1, sizeof *space->pairs));
    space->pairs[space->pair_count] =
        (ShapePair){.shape = {key.shape[0], key.shape[1]}, .whole = true, .last = -1};
    SPRAG_TRY(index_table_add(collider->context, &space->pair_table, space->pair_count, pair_hash,
                              space));
    *pair = space->pair_count++;
    return SPRAG_OK;
}

// ---- Slots --------------------------------------------------------------------------------------

typedef struct SlotKey {
    const SpragCollider *collider;
    SlotKind3 kind;
    int shape[2], feature[2]; // in the order of roles
} SlotKey;

static SlotKey slot_key(const SpragCollider *collider, int index)
{
    const Slot *slot = &collider->slots[index];
    SlotKey key = {.collider = collider, .kind = slot->kind3};
    for (int role = 0; role < 2; role++) {
        int side = role == 0 ? slot->round : 1 - slot->round;
        key.shape[role] = slot->shown.shape[side];
        key.feature[role] = slot->shown.feature[side];
    }
    return key;
}

static uint64_t slot_key_hash(const SlotKey *key)
{
    uint64_t hash = mix(pair_key_hash(key->shape), (int)key->kind);
    return mix(mix(hash, key->feature[0]), key->feature[1]);
}

static bool slot_equal(const void *user, int index)
{
    const SlotKey *key = user;
    SlotKey other = slot_key(key->collider, index);
    return key->kind == other.kind && key->shape[0] == other.shape[0] &&
           key->shape[1] == other.shape[1] && key->feature[0] == other.feature[0] &&
           key->feature[1] == other.feature[1];
}

static uint64_t slot_hash(const void *user, int index)
{
    SlotKey key = slot_key(user, index);
    return slot_key_hash(&key);
}

// The vertex by which rules can name a role: a corner, a centre, the centre of a rim; −1: none.
static int role_vertex(const SlotKey *key, int role)
{
    int feature = key->feature[role];
    switch (key->kind) {
    case SLOT3_VERTEX_PLANE:
    case SLOT3_VERTEX_ROUND:
    case SLOT3_VERTEX_SOLID:
    case SLOT3_VERTEX_CYLINDER:
    case SLOT3_VERTEX_SURFACE:
    case SLOT3_VERTEX_INSIDE:
        return role == 0 ? feature : -1;
    case SLOT3_RIM_PLANE:
    case SLOT3_RIM_SOLID:
    case SLOT3_RIM_CYLINDER:
    case SLOT3_RIM_SURFACE:
    case SLOT3_RIM_INSIDE:
        return role == 0 ? feature / PLACES_OF_A_RIM : -1;
    default:
        return -1;
    }
}

static Slot make_slot(const SpragModel *model, const SlotKey *key)
{
    Slot slot = {.kind3 = key->kind};
    slot.shown.rule = -1;
    for (int i = 0; i < 2; i++) {
        slot.shown.shape[i] = key->shape[i];
        slot.shown.feature[i] = key->feature[i];
        slot.shown.vertex[i] = role_vertex(key, i);
        slot.shown.body[i] = model->shapes[key->shape[i]].body;
    }
    return slot;
}

static bool seed_equal(const Seed3 *a, const Seed3 *b)
{
    return a->kind == b->kind && a->side[0] == b->side[0] && a->feature[0] == b->feature[0] &&
           a->feature[1] == b->feature[1];
}

SpragStatus space_slot(SpragCollider *collider, int pair, const Seed3 *seed, int *slot)
{
    Space *space = collider->space;
    const int *shape = space->pairs[pair].shape;
    // most pairs have one slot: slots are large, and need not be looked at
    *slot = space->pairs[pair].last;
    if (*slot >= 0 && seed_equal(seed, &space->pairs[pair].seed))
        return SPRAG_OK;
    SlotKey key = {collider,
                   seed->kind,
                   {shape[seed->side[0]], shape[seed->side[1]]},
                   {seed->feature[0], seed->feature[1]}};
    *slot = index_table_find(&space->slot_table, slot_key_hash(&key), slot_equal, &key);
    if (*slot >= 0)
        return SPRAG_OK;
    Slot made = make_slot(collider->model, &key);
    SPRAG_TRY(slot_apply_rule(collider, &made));
    if (slot_is_ignored(collider, &made)) {
        space->pairs[pair].whole = false;
        return SPRAG_OK;
    }
    if (collider->slot_count == SLOT_LIMIT)
        return sprag_fail(collider->context, SPRAG_ERROR_LIMIT,
                          "more than %d pairs of features can touch; use fewer or simpler shapes",
                          (int)SLOT_LIMIT);
    SPRAG_TRY(sprag_reserve(collider->context, &collider->slots, &collider->slot_capacity,
                            (size_t)collider->slot_count + 1, sizeof *collider->slots));
    made.before = space->pairs[pair].last;
    space->pairs[pair].last = collider->slot_count;
    space->pairs[pair].seed = *seed;
    collider->slots[collider->slot_count] = made;
    SPRAG_TRY(index_table_add(collider->context, &space->slot_table, collider->slot_count,
                              slot_hash, collider));
    *slot = collider->slot_count++;
    return SPRAG_OK;
}

typedef struct SeedUser {
    SpragCollider *collider;
    int pair;
} SeedUser;

static SpragStatus take_seed(void *user, const Seed3 *seed)
{
    SeedUser *self = user;
    int slot;
    return space_slot(self->collider, self->pair, seed, &slot);
}

SpragStatus space_list_pair(SpragCollider *collider, int pair)
{
    Space *space = collider->space;
    if (space->pairs[pair].told)
        return SPRAG_OK;
    const SpragShape *shapes = collider->model->shapes;
    const int *shape = space->pairs[pair].shape;
    Pair3 both = {.shape = {&shapes[shape[0]], &shapes[shape[1]]},
                  .tree = {space->trees[shape[0]], space->trees[shape[1]]}};
    SeedUser user = {collider, pair};
    int first = collider->slot_count;
    space->pairs[pair].told = true;
    if (pair_is_special(both.shape[0], both.shape[1]))
        SPRAG_TRY(special_seeds(&both, take_seed, &user));
    else
        SPRAG_TRY(plain_seeds(&both, take_seed, &user));
    space->pairs[pair].first = first;
    space->pairs[pair].count = collider->slot_count - first;
    return SPRAG_OK;
}

// ---- Which features a plain pair has ------------------------------------------------------------

int vertex_rank3(const SpragShape *shape)
{
    switch (shape->kind) {
    case SPRAG_SHAPE_POINTS:
    case SPRAG_SHAPE_ROD:
        return 0;
    case SPRAG_SHAPE_SPHERE:
        return 1;
    case SPRAG_SHAPE_CAPSULE:
        return 2;
    default:
        return shape->solid ? 3 : -1;
    }
}

// Every vertex of shape `side` of the pair against the other as a whole.
static SpragStatus vertex_seeds(const Pair3 *pair, int side, Seed3Sink sink, void *user)
{
    const SpragShape *round = pair->shape[side], *other = pair->shape[1 - side];
    Seed3 seed = {.side = {side, 1 - side}, .feature = {0, -1}};
    seed.kind = other->kind == SPRAG_SHAPE_PLANE ? SLOT3_VERTEX_PLANE
                : other->solid                   ? SLOT3_VERTEX_SOLID
                                                 : SLOT3_VERTEX_ROUND;
    for (int i = 0; i < round->vertex_count; i++) {
        seed.feature[0] = i;
        SPRAG_TRY(sink(user, &seed));
    }
    return SPRAG_OK;
}

SpragStatus plain_seeds(const Pair3 *pair, Seed3Sink sink, void *user)
{
    for (int i = 0; i < 2; i++)
        if (pair->shape[i]->kind == SPRAG_SHAPE_PLANE)
            return vertex_seeds(pair, 1 - i, sink, user);
    int rank[2] = {vertex_rank3(pair->shape[0]), vertex_rank3(pair->shape[1])};
    if (rank[0] < 0 || rank[1] < 0 || rank[0] + rank[1] == 0)
        return SPRAG_OK;
    // of equals the later one, so that a box on a fixed box is described by its own corners
    int first = rank[0] < rank[1] ? 0 : 1;
    SPRAG_TRY(vertex_seeds(pair, first, sink, user));
    return rank[first] < 2 ? SPRAG_OK : vertex_seeds(pair, 1 - first, sink, user);
}

int shape_edge_count(const SpragShape *shape)
{
    if (shape->solid)
        return shape->solid->edge_count;
    return shape->kind == SPRAG_SHAPE_CAPSULE ? 1 : 0;
}

void shape_edge(const SpragShape *shape, int edge, SpragVec3 ends[2])
{
    for (int i = 0; i < 2; i++)
        ends[i] = shape->solid ? shape->solid->vertices[shape->solid->edge_vertices[2 * edge + i]]
                               : shape->points[i];
}

// ---- Names --------------------------------------------------------------------------------------

void space_feature_name(const SpragCollider *collider, const Slot *slot, int side, size_t capacity,
                        char *text, const char **first)
{
    const SpragShape *shape = &collider->model->shapes[slot->shown.shape[side]];
    int feature = slot->shown.feature[side], role = side == slot->round ? 0 : 1;
    text[0] = 0;
    if (feature < 0)
        return;
    if (slot->kind3 > SLOT3_EDGE_EDGE) {
        View3 view = {.kind = slot->kind3};
        for (int i = 0; i < 2; i++) {
            int at = i == role ? side : 1 - side;
            view.shape[i] = &collider->model->shapes[slot->shown.shape[at]];
            view.feature[i] = slot->shown.feature[at];
            view.tree[i] = collider->space->trees[slot->shown.shape[at]];
        }
        special_feature_name(&view, role, capacity, text);
        return;
    }
    if (slot->kind3 == SLOT3_EDGE_EDGE && shape->solid) {
        const int *ends = &shape->solid->edge_vertices[2 * feature];
        *first = shape->vertex_names[ends[0]];
        snprintf(text, capacity, "%s%s", *first, shape->vertex_names[ends[1]]);
    } else if (slot->kind3 != SLOT3_EDGE_EDGE && role == 0 && shape->kind != SPRAG_SHAPE_SPHERE) {
        *first = shape->vertex_names[feature];
        snprintf(text, capacity, "%s", *first);
    }
}

typedef struct NameKey {
    const SpragCollider *collider;
    const char *name;
} NameKey;

static uint64_t text_hash(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++)
        hash = (hash ^ (uint64_t)(unsigned char)*text) * 0x100000001b3u;
    return hash;
}

static bool name_equal(const void *user, int index)
{
    const NameKey *key = user;
    return strcmp(key->collider->slots[index].shown.name, key->name) == 0;
}

static uint64_t name_hash(const void *user, int index)
{
    const SpragCollider *collider = user;
    return text_hash(collider->slots[index].shown.name);
}

int space_find_name(const SpragCollider *collider, const char *name)
{
    NameKey key = {collider, name};
    return index_table_find(&collider->space->name_table, text_hash(name), name_equal, &key);
}

static void write_name(SpragCollider *collider, const Slot *slot, SpragText *text)
{
    Space *space = collider->space;
    int rule = slot->shown.rule;
    const char *given = rule >= 0 ? collider->model->rules[rule].name : NULL;
    text->length = 0;
    if (!given) {
        slot_add_path_name(collider, slot, text);
        return;
    }
    sprag_text_add(text, "%s", given);
    if (!space->rule_single[rule])
        sprag_text_add(text, ".%d", space->rule_numbers[rule]);
    space->rule_numbers[rule]++;
}

SpragStatus space_name(SpragCollider *collider, int begin)
{
    Space *space = collider->space;
    SpragText *text = &space->text;
    for (int i = begin; i < collider->slot_count; i++) {
        Slot *slot = &collider->slots[i];
        write_name(collider, slot, text);
        size_t length = text->length;
        for (int copy = 2; !text->failed && space_find_name(collider, text->bytes) >= 0; copy++) {
            text->length = length;
            text->bytes[length] = 0;
            sprag_text_add(text, "#%d", copy);
        }
        if (text->failed)
            return SPRAG_ERROR_MEMORY;
        slot->shown.name = sprag_copy_text(collider->context, text->bytes);
        if (!slot->shown.name)
            return SPRAG_ERROR_MEMORY;
        SPRAG_TRY(index_table_add(collider->context, &space->name_table, i, name_hash, collider));
    }
    return SPRAG_OK;
}

// ---- Back to the beginning ----------------------------------------------------------------------

SpragStatus space_truncate(SpragCollider *collider, int slots, int pairs)
{
    Space *space = collider->space;
    SpragContext *context = collider->context;
    if (slots == collider->slot_count && pairs == space->pair_count)
        return SPRAG_OK;
    for (int i = 0; i < pairs; i++)
        while (space->pairs[i].last >= slots) {
            space->pairs[i].last = collider->slots[space->pairs[i].last].before;
            space->pairs[i].seed.kind = SLOT3_KIND_COUNT; // none
        }
    for (int i = slots; i < collider->slot_count; i++) {
        int rule = collider->slots[i].shown.rule;
        if (rule >= 0 && collider->model->rules[rule].name)
            space->rule_numbers[rule]--;
        sprag_free(context, collider->slots[i].shown.name);
        collider->slots[i].shown.name = NULL;
    }
    collider->slot_count = slots;
    space->pair_count = pairs;
    index_table_clear(&space->slot_table);
    index_table_clear(&space->name_table);
    index_table_clear(&space->pair_table);
    for (int i = 0; i < slots; i++) {
        SPRAG_TRY(index_table_add(context, &space->slot_table, i, slot_hash, collider));
        SPRAG_TRY(index_table_add(context, &space->name_table, i, name_hash, collider));
    }
    for (int i = 0; i < pairs; i++)
        SPRAG_TRY(index_table_add(context, &space->pair_table, i, pair_hash, space));
    return SPRAG_OK;
}
