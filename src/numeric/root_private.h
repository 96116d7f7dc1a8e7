// root_private.h: the root finder's data, shared by root.c and root_extrema.c.
#ifndef SPRAG_NUMERIC_ROOT_PRIVATE_H
#define SPRAG_NUMERIC_ROOT_PRIVATE_H

#include "sprag/integrate.h"

enum {
    MAX_NODES = SPRAG_ROOT_MAX_SUB_POINTS + 2,
    ROOT_BUFFERS = 4 // bracket, third point, trial
};

typedef struct Point {
    double t;
    const double *g; // count
} Point;

struct SpragRootFinder {
    SpragContext *context;
    SpragRootSettings settings;
    int node_count;
    double nodes[MAX_NODES];             // in 0 … 1
    double slopes[MAX_NODES][MAX_NODES]; // values at nodes to derivatives by u at nodes
    // sized by the largest count met
    // samples and buffers: (node_count + ROOT_BUFFERS) × count; slopes at nodes: node_count × count
    double *samples;
    size_t sample_capacity;
    double *extrema; // count
    size_t extremum_capacity;
    int *signs; // 2 × count: signs, fired
    size_t sign_capacity;
    int *fired;
    // of the present search
    const SpragRootProblem *problem;
    SpragRoot *root;
    Point low;  // no function has passed
    Point high; // some have
    Point third;
    double tolerance;
};

static inline double *root_sample(const SpragRootFinder *finder, int index)
{
    return finder->samples + (size_t)index * (size_t)finder->problem->count;
}

// Derivatives by u at node `index`.
static inline double *root_slope(const SpragRootFinder *finder, int index)
{
    return root_sample(finder, finder->node_count + ROOT_BUFFERS + index);
}

// A buffer that neither the bracket nor the third point uses.
static inline double *root_free_buffer(const SpragRootFinder *finder)
{
    int index = finder->node_count;
    while (finder->low.g == root_sample(finder, index) ||
           finder->high.g == root_sample(finder, index) ||
           finder->third.g == root_sample(finder, index))
        index++;
    return root_sample(finder, index);
}

static inline double root_time(const SpragRootFinder *finder, double u)
{
    const SpragRootProblem *problem = finder->problem;
    return u < 1.0 ? problem->t_begin + u * (problem->t_end - problem->t_begin) : problem->t_end;
}

static inline bool root_is_over(const SpragRootFinder *finder)
{
    return finder->root->outcome != SPRAG_ROOT_NONE;
}

// Calls the functions at t; a value that is not finite, or a refusal, ends the search.
SPRAG_MUST_USE SpragStatus sprag_root_evaluate(SpragRootFinder *finder, double t, double *g);
// Derivatives by u of the polynomials through the samples, at all nodes.
void sprag_root_fill_slopes(SpragRootFinder *finder);
// Whether function i may reach zero between nodes j − 1 and j and be back; *u receives where the
// cubic through values and slopes has its extremum.
bool sprag_root_may_dip(const SpragRootFinder *finder, int i, int j, double *u);
// Follows function i between nodes j − 1 and j from u to beyond zero (*found, and extrema[i] is
// set), or to its extremum.
SPRAG_MUST_USE SpragStatus sprag_root_follow_dip(SpragRootFinder *finder, int i, int j, double u,
                                                 bool *found);

#endif
