// lcp_brute.h: LCP solutions by trying everything, sharing no code with the library.
//
// A vertex of the solution set has z positive on some γ, w zero on some α ⊇ γ, and is the only
// solution of M_αγ z_γ = −q_α. All pairs (γ, α) are tried: 3ⁿ small systems; with `singular` false
// only γ = α: 2ⁿ.
#ifndef SPRAG_TESTS_SUPPORT_LCP_BRUTE_H
#define SPRAG_TESTS_SUPPORT_LCP_BRUTE_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct LcpBrute {
    int n, count, capacity;
    double *z; // count × n
} LcpBrute;

enum { BRUTE_MAX = 24 };

// Gauss–Jordan with complete pivoting on the rows × (columns + 1) table. True if the system is
// consistent and has one solution, then in x.
static inline bool brute_eliminate(int rows, int columns, double table[BRUTE_MAX][BRUTE_MAX + 1],
                                   double *x)
{
    int pivot_row[BRUTE_MAX], column_done[BRUTE_MAX] = {0}, row_done[BRUTE_MAX] = {0};
    double scale = 1e-300;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            scale = fmax(scale, fabs(table[i][j]));
    for (int step = 0; step < columns; step++) {
        int r = -1, c = -1;
        double best = 1e-10 * scale;
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++)
                if (!row_done[i] && !column_done[j] && fabs(table[i][j]) > best) {
                    best = fabs(table[i][j]);
                    r = i, c = j;
                }
        if (r < 0)
            return false;
        row_done[r] = column_done[c] = 1;
        pivot_row[c] = r;
        for (int i = 0; i < rows; i++) {
            double factor = i == r ? 0 : table[i][c] / table[r][c];
            for (int j = 0; factor != 0 && j <= columns; j++)
                table[i][j] -= factor * table[r][j];
        }
    }
    double size = 0;
    for (int c = 0; c < columns; c++) {
        x[c] = table[pivot_row[c]][columns] / table[pivot_row[c]][c];
        size = fmax(size, fabs(x[c]));
    }
    for (int i = 0; i < rows; i++)
        if (!row_done[i] && fabs(table[i][columns]) > 1e-9 * (1 + size * scale))
            return false;
    return true;
}

static inline void brute_add(LcpBrute *brute, const double *z)
{
    for (int k = 0; k < brute->count; k++) {
        double distance = 0, size = 0;
        for (int i = 0; i < brute->n; i++) {
            distance = fmax(distance, fabs(brute->z[k * brute->n + i] - z[i]));
            size = fmax(size, fabs(z[i]));
        }
        if (distance <= 1e-7 * (1e-12 + size))
            return;
    }
    if (brute->count == brute->capacity) {
        brute->capacity = 2 * brute->capacity + 16;
        brute->z = realloc(brute->z, (size_t)(brute->capacity * brute->n) * sizeof *brute->z);
    }
    memcpy(brute->z + (size_t)brute->count++ * (size_t)brute->n, z, (size_t)brute->n * sizeof *z);
}

// Whether z ≥ 0 and w ≥ 0 up to rounding, and complementary.
static inline bool brute_is_solution(int n, const double *M, const double *q, const double *z)
{
    for (int i = 0; i < n; i++) {
        double w = q[i], size = 1e-300 + fabs(q[i]);
        for (int j = 0; j < n; j++) {
            w += M[i * n + j] * z[j];
            size += fabs(M[i * n + j] * z[j]);
        }
        double largest = 0;
        for (int j = 0; j < n; j++)
            largest = fmax(largest, fabs(z[j]));
        if (z[i] < -1e-9 * largest || w < -1e-9 * size ||
            (z[i] > 1e-9 * largest && w > 1e-9 * size))
            return false;
    }
    return true;
}

static inline void brute_try(LcpBrute *brute, const double *M, const double *q, unsigned gamma,
                             unsigned alpha)
{
    double table[BRUTE_MAX][BRUTE_MAX + 1], x[BRUTE_MAX], z[BRUTE_MAX] = {0};
    int n = brute->n, rows = 0, columns = 0, members[BRUTE_MAX];
    for (int j = 0; j < n; j++)
        if (gamma >> j & 1)
            members[columns++] = j;
    for (int i = 0; i < n; i++) {
        if (!(alpha >> i & 1))
            continue;
        for (int j = 0; j < columns; j++)
            table[rows][j] = M[i * n + members[j]];
        table[rows++][columns] = -q[i];
    }
    if (!brute_eliminate(rows, columns, table, x))
        return;
    for (int j = 0; j < columns; j++)
        z[members[j]] = x[j];
    if (brute_is_solution(n, M, q, z)) {
        for (int j = 0; j < n; j++)
            z[j] = fmax(z[j], 0);
        brute_add(brute, z);
    }
}

static inline LcpBrute brute_solve(int n, const double *M, const double *q, bool singular)
{
    LcpBrute brute = {n, 0, 0, NULL};
    for (unsigned alpha = 0; alpha < 1u << n; alpha++) {
        brute_try(&brute, M, q, alpha, alpha);
        // all proper subsets of alpha
        for (unsigned gamma = alpha; singular && gamma; gamma = (gamma - 1) & alpha)
            brute_try(&brute, M, q, (gamma - 1) & alpha, alpha);
    }
    return brute;
}

static inline void brute_free(LcpBrute *brute)
{
    free(brute->z);
}

#endif
