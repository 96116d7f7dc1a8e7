// sparse_internal.h: what the analysis of a pattern hands to the factorisation.
#ifndef SPRAG_NUMERIC_SPARSE_INTERNAL_H
#define SPRAG_NUMERIC_SPARSE_INTERNAL_H

#include "sprag/sparse.h"

// Pivot columns first … first + pivots − 1 (block columns in the order of elimination), and the
// block rows below them that they touch.
typedef struct SparseFront {
    int first, pivots;
    int below;       // number of rows below
    int rows;        // their first index in `rows` and `relative`
    int parent;      // front that takes the update, −1: none
    int child, next; // first child; next child of the same parent; −1: none
    size_t factor;   // first entry in factors: the pivot block, then the rows right of it, then the
                     // columns below it, each by columns
    size_t update;   // where its update lies on the stack
} SparseFront;

struct SpragSparseLu {
    int sign; // of the determinant
    SpragContext *context;
    int count, block;
    size_t entry_count; // blocks of the pattern
    int *row_start, *column;
    int *order;    // block row that is eliminated k-th
    int *position; // its inverse
    int front_count;
    SparseFront *fronts;
    int *rows;                                   // rows below every front, ascending positions
    int *relative;                               // their block index in the front of the parent
    int *entry_front, *entry_row, *entry_column; // where a block of the matrix is added
    int *entry_list;                             // entries sorted by front
    int *entry_start;                            // front_count + 1
    int *exchange;                               // row exchanges, by scalar column
    double *factors, *front, *stack, *vector;
    size_t factor_count;
    double work;
    bool ready;
    size_t row_start_capacity, column_capacity, order_capacity, position_capacity, front_capacity,
        rows_capacity, relative_capacity, entry_front_capacity, entry_row_capacity,
        entry_column_capacity, entry_list_capacity, entry_start_capacity, exchange_capacity,
        factors_capacity, front_entries_capacity, stack_capacity, vector_capacity;
};

#endif
