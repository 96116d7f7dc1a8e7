// contact_tree.h: what the search over modes and its leaves share (private to the room).
#ifndef SPRAG_CONTACT_TREE_H
#define SPRAG_CONTACT_TREE_H

#include "contact_search.h"

typedef struct Level {
    int basis_count;    // equality rows in the basis below this level
    int equality_count; // equality rows, dependent ones included
    double *point;      // ξ that meets the equalities so far (least norm)
    double *witness;    // ξ that had the signs so far, when last looked for
} Level;

typedef struct Tree {
    const SpragMotionSettings *settings;
    Reduced reduced;
    LeafRoom room; // of the leaf being visited
    Cell *cells;   // assigned so far
    Level *levels; // one per constraint, and one more
    double *basis; // orthonormal rows, at most width of them
    int basis_count;
    double *doubt;    // per basis vector: how far the motion may be off along it
    double *turn;     // per basis vector: how far its direction may be off
    double *vector;   // width: the part of a row outside the span
    double row_doubt; // and how far the acceleration of that row may be off by the part inside
    double row_turn;  // and how far the part outside may be off
    Island *island;
    long nodes, leaves;
    long work; // nodes, where a look at forces counts as many
    bool complete;
} Tree;

// contact_tree_leaf.c: adds the motions of the mode that the cells make, if there are any.
SPRAG_MUST_USE SpragStatus tree_visit_leaf(Tree *tree);

#endif
