// lcp_all_internal.h: what the search, the polyhedra and the store of solution sets share.
#ifndef SPRAG_LCP_ALL_INTERNAL_H
#define SPRAG_LCP_ALL_INTERNAL_H

#include "lcp_internal.h"

// ---- Cones --------------------------------------------------------------------------------------

// Generators of the cone {y ∈ R^width : y ≥ 0, A y ≥ 0}, largest entry of each 1. Storage is owned
// by the object and reused.
typedef struct LcpCone {
    SpragContext *context;
    int width;
    int count;
    int max_count;
    double *generators; // count × width
    size_t generator_capacity;
    uint64_t *tight; // count × words: constraints that hold with equality
    size_t tight_capacity;
    int words;
    double *products;
    size_t product_capacity;
    uint64_t *common;
    size_t common_capacity;
} LcpCone;

void lcp_cone_destroy(LcpCone *cone);
// rows × width matrix A. *overflow: more than max_count generators came up, the list is not valid.
SPRAG_MUST_USE SpragStatus lcp_cone_build(LcpCone *cone, int width, int rows, const double *A,
                                          bool *overflow);
// Dimension of the polyhedron of points y/y_0: rank of the generators − 1.
int lcp_cone_dimension(const LcpCone *cone, double *scratch);

// ---- The store of solution sets -----------------------------------------------------------------

typedef struct LcpStored {
    size_t z;     // offset of vertex z, vertex w, ray z, ray w in the numbers
    size_t basis; // offset in the bases
    int dimension, vertex_count, ray_count;
    double residual;
    double key; // weighted sum of the first vertex: equal points have close keys
    bool dropped;
} LcpStored;

typedef struct LcpStore {
    SpragContext *context;
    int n;
    double scale; // of z: distances below tolerance × scale are none
    double tolerance;
    LcpStored *sets;
    size_t set_count, set_capacity;
    double *numbers;
    size_t number_count, number_capacity;
    bool *bases;
    size_t basis_count, basis_capacity;
    SpragLcpSet *views;
    size_t view_count, view_capacity;
} LcpStore;

void lcp_store_clear(LcpStore *store, int n, double tolerance);
void lcp_store_destroy(LcpStore *store);
// Room for a set; *z points at vertex_count rows of z, then as many of w, then the rays'. The set
// counts once lcp_store_add is called.
SPRAG_MUST_USE SpragStatus lcp_store_open(LcpStore *store, int vertex_count, int ray_count,
                                          double **z, bool **basis);
// Keeps the set opened last, unless it is a point that is there already.
void lcp_store_add(LcpStore *store, int vertex_count, int ray_count, int dimension,
                   double residual);
// Drops sets that lie in another one, and makes the views.
SPRAG_MUST_USE SpragStatus lcp_store_finish(LcpStore *store);

// ---- The search ---------------------------------------------------------------------------------

// Coefficients below this are zero (the scaled matrix has entries of order one).
static const double LCP_ALL_ZERO = 1e-11;

typedef enum LcpChoice { LCP_CHOICE_OPEN, LCP_CHOICE_Z_ZERO, LCP_CHOICE_W_ZERO } LcpChoice;

// One node's table. Rows whose variable is −1 are gone.
typedef struct LcpLevel {
    int column_count;
    double **columns; // borrowed from this level or one above
    int *column_variable;
    double *q;
    int *row_variable;
    double *storage; // what this level owns: its columns and q
} LcpLevel;

struct SpragLcpAll {
    SpragContext *context;
    SpragArena *arena;
    SpragLcpWorkspace *workspace; // solves and refines points
    LcpStore store;
    LcpCone cone;
    const SpragLcp *problem;
    SpragLcpAllSettings settings;
    int n, stride;
    double scale; // of q: z = column_scale z' scale
    double *row_scale, *column_scale;
    LcpLevel *levels;     // n + 1, and one for the simplex steps
    LcpChoice *choice;    // per pair
    bool *strict;         // per pair: only z_i > 0 is wanted
    double *most, *least; // per row: largest and smallest coefficient
    double *cone_rows, *cone_scratch;
    int64_t nodes;
    double deadline;
    bool stopped, complete;
};

// lcp_all_search.c: decides the `open` pairs that are left at a depth.
SPRAG_MUST_USE SpragStatus lcp_all_search(SpragLcpAll *all, int depth, int open);
// Seconds of a clock, for limits of time.
double lcp_all_now(void);

// lcp_all_leaf.c: adds the point or the polyhedron of a table in which every pair is decided.
SPRAG_MUST_USE SpragStatus lcp_all_add_leaf(SpragLcpAll *all, const LcpLevel *level);

#endif
