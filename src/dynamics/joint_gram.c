// joint_gram.c: G = E M⁻¹ Eᵀ of joint rows, its factor and solutions.
// Problem   G is dense in memory, but the rows of a chain or tree of bodies have few neighbours
// Method    Cholesky, pivots in the order given as long as these are clear: a chain then fills
//           little. Zeros are skipped everywhere: a pivot looks at its own row once and changes
//           only rows that meet it; solutions begin where a row begins and end where a column does.
//           The numbers are those of the dense method, bit by bit. theory.md (1.8)
#include <assert.h>
#include <math.h>
#include <string.h>

#include "joint_private.h"

static_assert(SPRAG_ROW_BLOCKS == 2, "rows of joints are between two bodies");

// Square of the sine between a row and the span of others that counts as zero: above the rounding
// of G (1e-16 times its condition), and as much as redundant loops differ within tolerance.
static const double DEPENDENT = 1e-12;
// A pivot is clear if it has at least this part of the largest one.
static const double CLEAR = 0.1;

static double part_of(int m, const double *G, const double *whole, int row)
{
    return whole[row] > 0 ? G[(size_t)row * (size_t)m + (size_t)row] / whole[row] : 0;
}

// The position in the order of the next pivot, of rows below `below`; −1: none is left.
static int choose_pivot(int m, int below, const double *G, const double *whole, const int *order,
                        int k, double dependent)
{
    // parts only shrink from 1: the next row is clear whatever the others are
    double next = part_of(m, G, whole, order[k]);
    if (next >= CLEAR && next > dependent && order[k] < below)
        return k;
    double largest = dependent;
    for (int i = k; i < m && order[i] < below; i++) // what is left of the order ascends
        largest = fmax(largest, part_of(m, G, whole, order[i]));
    for (int i = k; i < m && order[i] < below && largest > dependent; i++) {
        double part = part_of(m, G, whole, order[i]);
        if (part >= CLEAR * largest && part > dependent)
            return i;
    }
    return -1;
}

// Column of L below pivot k, its copy in the pivot's row, then what it takes from the rest of G.
// What is left of the order ascends, so that a row can be left where it ends.
static void eliminate_pivot(int m, double *G, int *order, int k)
{
    int pivot = order[k], count = 0, *first = order + m, *meets = first + m, *bound = meets + m;
    size_t stride = (size_t)m;
    double *own = G + (size_t)pivot * stride, root = sqrt(own[pivot]);
    own[pivot] = root;
    if (first[pivot] > k)
        first[pivot] = k;
    for (int i = k + 1; i < m && order[i] <= bound[pivot]; i++) {
        int row = order[i];
        if (own[row] == 0)
            continue;
        meets[count++] = row;
        own[row] = G[(size_t)row * stride + (size_t)pivot] /= root;
        if (first[row] > k)
            first[row] = k;
    }
    for (int i = 0; i < count; i++) {
        double *row = G + (size_t)meets[i] * stride, factor = own[meets[i]];
        for (int j = 0; j < count; j++)
            row[meets[j]] -= factor * own[meets[j]];
        if (bound[meets[i]] < meets[count - 1])
            bound[meets[i]] = meets[count - 1];
    }
}

int gram_factor(int m, int prior, double *G, const double *whole, double dependent, int *order)
{
    int *first = order + m, *last = first + m, rank = m;
    for (int i = 0; i < m; i++) {
        order[i] = i;
        first[i] = m;
    }
    for (int k = 0; k < m; k++) {
        double least = fmax(dependent, DEPENDENT);
        int position = choose_pivot(m, prior, G, whole, order, k, least);
        if (position < 0)
            position = choose_pivot(m, m, G, whole, order, k, least);
        if (position < 0) {
            rank = k;
            break;
        }
        int pivot = order[position];
        memmove(order + k + 1, order + k, (size_t)(position - k) * sizeof *order);
        order[k] = pivot;
        eliminate_pivot(m, G, order, k);
    }
    for (int k = 0; k < rank; k++)
        last[k] = k;
    for (int k = 0; k < rank; k++) {
        const double *row = G + (size_t)order[k] * (size_t)m;
        for (int s = first[order[k]]; s < k; s++)
            if (row[order[s]] != 0)
                last[s] = k;
    }
    return rank;
}

void gram_solve(int m, const double *G, int rank, const int *order, const double *r, double *x)
{
    const int *first = order + m, *last = first + m;
    for (int i = 0; i < m; i++)
        x[i] = 0;
    for (int k = 0; k < rank; k++) {
        const double *row = G + (size_t)order[k] * (size_t)m;
        double sum = r[order[k]];
        for (int s = first[order[k]]; s < k; s++)
            sum -= row[order[s]] * x[order[s]];
        x[order[k]] = sum / row[order[k]];
    }
    for (int k = rank - 1; k >= 0; k--) {
        const double *row = G + (size_t)order[k] * (size_t)m; // holds the column of L too
        double sum = x[order[k]];
        for (int s = k + 1; s <= last[k]; s++)
            sum -= row[order[s]] * x[order[s]];
        x[order[k]] = sum / row[order[k]];
    }
}

static double gram_entry(int size, const PairRow *a, const PairRow *b)
{
    double sum = 0;
    for (int i = 0; i < SPRAG_ROW_BLOCKS; i++)
        for (int j = 0; j < SPRAG_ROW_BLOCKS; j++) {
            const double *entries = a->entries[i], *weighted = b->weighted[j];
            int count = a->block[i] >= 0 && a->block[i] == b->block[j] ? size : 0;
            for (int k = 0; k < count; k++)
                sum += entries[k] * weighted[k];
        }
    return sum;
}

// Rows of one joint follow each other and meet the same bodies: runs of them are compared.
void gram_build(const SpragSystem *system, int m, const int *list, const PairRow *rows, int *order,
                double *G)
{
    int size = body_size(system), count = 0, *runs = order, *bound = order + 3 * m;
    memset(G, 0, (size_t)m * (size_t)m * sizeof *G);
    for (int i = 0; i < m; i++) {
        const PairRow *row = &rows[list ? list[i] : i];
        int a = row->block[0], b = row->block[1];
        const int *run = runs + 3 * (count - 1);
        if (count == 0 || run[0] != a || run[1] != b)
            memcpy(runs + 3 * count++, (int[]){a, b, i}, 3 * sizeof *runs);
        bound[i] = i;
        for (int r = 0; r < count; r++) {
            int c = runs[3 * r], d = runs[3 * r + 1];
            int end = r + 1 < count ? runs[3 * r + 5] : i + 1;
            if ((a < 0 || (a != c && a != d)) && (b < 0 || (b != c && b != d)))
                continue;
            for (int j = runs[3 * r + 2]; j < end; j++) {
                G[i * m + j] = G[j * m + i] = gram_entry(size, row, &rows[list ? list[j] : j]);
                bound[j] = i;
            }
        }
    }
}
