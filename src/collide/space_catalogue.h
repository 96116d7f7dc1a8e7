// space_catalogue.h: the list of slots in space, its look-up tables and its broad phase.
#ifndef SPRAG_SPACE_CATALOGUE_H
#define SPRAG_SPACE_CATALOGUE_H

#include "collide_private.h"

// Numbers of things found by a hash: open addressing, no removal.
typedef struct IndexTable {
    int *cells; // number + 1; 0: empty
    size_t capacity;
    int size, count; // size: cells in use, a power of two
} IndexTable;
typedef bool (*IndexEqual)(const void *user, int index);
// Number of an equal thing; −1: none.
int index_table_find(const IndexTable *table, uint64_t hash, IndexEqual equal, const void *user);
// Adds a number that is not there; `hash_of` is asked again when the table grows.
typedef uint64_t (*IndexHash)(const void *user, int index);
SpragStatus index_table_add(SpragContext *context, IndexTable *table, int index, IndexHash hash_of,
                            const void *user);
void index_table_clear(IndexTable *table);

typedef struct Box {
    SpragVec3 low, high;
} Box;

// Two shapes that can touch.
typedef struct ShapePair {
    int shape[2];     // ascending
    int first, count; // slots that were listed at once follow each other
    int last;         // the slot that was added last, see Slot.before; −1: none
    Seed3 seed;       // of that one
    bool whole;       // no rule ignores one of the slots
    bool told;        // its slots have been listed
} ShapePair;

typedef struct Candidate {
    int shape[2]; // ascending
} Candidate;

// A tree of boxes: children come after their parents.
typedef struct BroadNode {
    Box box;
    int child[2]; // −1: a leaf
    int shape;    // of a leaf
} BroadNode;

typedef struct BroadPhase {
    Box *boxes; // of the shapes, swept and grown
    size_t box_capacity;
    BroadNode *nodes;
    size_t node_capacity;
    int node_count, leaf_count;
    int *order; // shapes with a finite box
    size_t order_capacity;
    int *stack;
    size_t stack_capacity;
    double built_cost;         // sum of the boxes' sizes after the last building
    Candidate *found, *sorted; // the second: room for sorting the first
    size_t found_capacity, sorted_capacity;
    int found_count;
    int *starts; // one a shape and one more, of that
    size_t start_capacity;
} BroadPhase;

struct Space {
    SurfaceTree **trees; // one a shape; NULL: no surface
    ShapePair *pairs;
    size_t pair_capacity;
    int pair_count;
    IndexTable pair_table, slot_table, name_table;
    bool lazy;         // pairs are listed when they come near
    int base_slots;    // those that are there in every configuration
    int base_pairs;    // their pairs
    int *rule_numbers; // how many slots each rule has named
    bool *rule_single; // the rule names one slot and no more can come
    SpragText text;    // scratch for names
    BroadPhase broad;
    int *edges[2]; // scratch: edges of two shapes that are near the other
    Box *edge_boxes[2];
    size_t edge_capacity[2], edge_box_capacity[2];
    bool *seams; // one an edge, then one a face, of all polyhedra: hidden in a seam, see
                 // space_seams.c
    size_t *seam_first;
    size_t seam_capacity, seam_first_capacity;
    int *near;
    size_t near_capacity;
    int near_count;
};

// Finds the edges that are hidden where polyhedra abut; whether a seed is a slot of one of them
// (shape: of its pair).
SpragStatus space_seams_find(SpragCollider *collider, const SpragPose *poses);
bool space_seams_hide(const SpragCollider *collider, const int shape[2], const Seed3 *seed);
// One a face of a polyhedron: it lies against another part. NULL: no polyhedron.
const bool *space_seams_faces(const SpragCollider *collider, int shape);

// Swept and grown boxes of all shapes, and all pairs of them that overlap, in ascending order.
// `later` NULL: at `poses` only.
SpragStatus broad_phase_find(SpragCollider *collider, const SpragPose *poses,
                             const SpragPose *later, double grow);
// Where bodies are, in space or in the plane: one of the two.
typedef struct BroadPlaces {
    const SpragPose *poses;
    const SpragFrame *frames;
} BroadPlaces;
// Room for the boxes; and the pairs of boxes that are set and grown already.
SpragStatus broad_phase_reserve(SpragCollider *collider, BroadPhase *broad);
SpragStatus broad_phase_pairs(SpragCollider *collider, BroadPhase *broad, const BroadPlaces *places,
                              double grow);
void broad_phase_destroy(SpragContext *context, BroadPhase *broad);

static inline bool boxes_overlap(const Box *a, const Box *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}
static inline Box box_empty(void)
{
    Box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    return box;
}
static inline void box_add(Box *box, SpragVec3 p)
{
    box->low = sprag_vec3(fmin(box->low.x, p.x), fmin(box->low.y, p.y), fmin(box->low.z, p.z));
    box->high = sprag_vec3(fmax(box->high.x, p.x), fmax(box->high.y, p.y), fmax(box->high.z, p.z));
}
static inline void box_grow(Box *box, double by)
{
    SpragVec3 d = sprag_vec3(by, by, by);
    box->low = sprag_vec3_sub(box->low, d);
    box->high = sprag_vec3_add(box->high, d);
}

// The pair's entry, made if it is new.
SpragStatus space_pair(SpragCollider *collider, int a, int b, int *pair);
// Lists the slots that the pair has in every configuration, once.
SpragStatus space_list_pair(SpragCollider *collider, int pair);
// The slot of a seed of a pair, appended if it is new; −1: a rule ignores it.
SpragStatus space_slot(SpragCollider *collider, int pair, const Seed3 *seed, int *slot);
// Names for the slots from `begin` on.
SpragStatus space_name(SpragCollider *collider, int begin);
// Drops slots and pairs behind the given numbers.
SpragStatus space_truncate(SpragCollider *collider, int slots, int pairs);
// Whether two bodies' shapes may touch at all, rules apart.
bool space_pair_counts(const SpragModel *model, int a, int b);

// Slots of spheres, capsules, points, rods, polyhedra and planes.
SpragStatus plain_seeds(const Pair3 *pair, Seed3Sink sink, void *user);
// Vertices of which shape speak first: 0 points, 1 spheres, 2 capsules, 3 polyhedra; −1 others.
int vertex_rank3(const SpragShape *shape);

// Number of edges of a shape (the core of a capsule is one), and the ends of one in its body's
// frame.
int shape_edge_count(const SpragShape *shape);
void shape_edge(const SpragShape *shape, int edge, SpragVec3 ends[2]);

View3 space_view(const SpragCollider *collider, const Slot *slot, const SpragPose *poses);
// What meets at a slot. prefer: what met before; where two choices are as good it stays. May be
// NULL.
void space_meet(const View3 *view, const Meeting3 *prefer, Meeting3 *meeting);
void vertex_meet(const View3 *view, const Meeting3 *prefer, Meeting3 *meeting);
void edges_meet(const View3 *view, Meeting3 *meeting);
// Face of role 1's polyhedron through which role 0 parts from it with the least motion, and how
// far they are apart along it (negative: overlap).
int solid_parting_face(const View3 *view, double *separation);
// Least and largest n · p over a placed shape's vertices and radius, n in the world.
void shape_extent(const SpragShape *shape, const SpragPose *pose, SpragVec3 n, double *low,
                  double *high);
// Largest separation over the faces of both polyhedra, with its normal (from role 1 to role 0).
double solid_face_separation(const View3 *view, SpragVec3 *normal);
// Largest separation along products of their edges that are normals of both; −INFINITY: none.
double edges_separation(const View3 *view);

#endif
