// scalar_guides_response.c: what several guides do on one branch, as a function of the inputs.
// Problem   between events signs are frozen: then q'' and the frictions are affine in tau, (9.22)
// Method    one factorisation, a solution for each column. Guides that stick along the same line
//           are one unknown: only the sum of their frictions is determined; it is given to the
//           first of them.
#include <math.h>
#include <string.h>

#include "scalar_guides.h"
#include "sprag/numeric.h"

enum { MOST = 2 * SPRAG_GUIDES_MOST };

void sprag_guides_groups(const SpragGuides *guides, const int *slip, int *leader, double *ratio)
{
    const double parallel = 1e-12;
    for (int j = 0; j < guides->m; j++) {
        double square = 0;
        leader[j] = -1;
        ratio[j] = 0;
        for (int i = 0; i < guides->n; i++)
            square += guide_effect(guides, i, j) * guide_effect(guides, i, j);
        if (slip[j] != 0 || square == 0)
            continue;
        leader[j] = j;
        ratio[j] = 1;
        for (int k = 0; k < j; k++) {
            if (leader[k] != k)
                continue;
            double product = 0, size = 0, off = 0;
            for (int i = 0; i < guides->n; i++) {
                product += guide_effect(guides, i, j) * guide_effect(guides, i, k);
                size += guide_effect(guides, i, k) * guide_effect(guides, i, k);
            }
            double times = product / size;
            for (int i = 0; i < guides->n; i++)
                off = fmax(off,
                           fabs(guide_effect(guides, i, j) - times * guide_effect(guides, i, k)));
            if (off > parallel * sqrt(square))
                continue;
            leader[j] = k;
            ratio[j] = times;
            break;
        }
    }
}

// Rows of the coordinates, then of the slips that are held.
static void fill_matrix(const SpragGuides *guides, const int *slip, const int *sign,
                        const int *unknown, int size, double *matrix, double *constant)
{
    int n = guides->n;
    memset(matrix, 0, (size_t)size * (size_t)size * sizeof *matrix);
    memset(constant, 0, (size_t)size * sizeof *constant);
    for (int i = 0; i < n; i++) {
        constant[i] = -guides->b[i];
        for (int k = 0; k < n; k++)
            matrix[i * size + k] = guides->A[i * n + k];
        for (int j = 0; j < guides->m; j++) {
            double share = guide_effect(guides, i, j);
            if (unknown[j] >= 0)
                matrix[i * size + unknown[j]] = matrix[unknown[j] * size + i] = share;
            share *= guides->friction[j] * slip[j] * sign[j];
            for (int k = 0; k < n; k++)
                matrix[i * size + k] += share * guides->C[j * n + k];
            constant[i] -= share * guides->d[j];
        }
    }
}

bool sprag_guides_response(const SpragGuides *guides, const int *slip, const int *sign,
                           double *response)
{
    double matrix[MOST * MOST], right[MOST], z[MOST], constant[MOST], ratio[SPRAG_GUIDES_MOST];
    double largest = 0;
    int leader[SPRAG_GUIDES_MOST], unknown[SPRAG_GUIDES_MOST], rows[MOST], columns[MOST];
    int n = guides->n, m = guides->m, size = n, wide = n + 1;
    sprag_guides_groups(guides, slip, leader, ratio);
    for (int j = 0; j < m; j++)
        unknown[j] = leader[j] == j ? size++ : -1;
    fill_matrix(guides, slip, sign, unknown, size, matrix, constant);
    for (int i = 0; i < size * size; i++)
        largest = fmax(largest, fabs(matrix[i]));
    if (sprag_lu_factor(size, matrix, 1e-12 * largest, rows, columns, NULL) != size)
        return false;
    for (int c = 0; c < wide; c++) {
        for (int i = 0; i < size; i++)
            right[i] = c == 0 ? constant[i] : i == c - 1;
        sprag_lu_solve(size, matrix, rows, columns, right, z);
        for (int i = 0; i < n; i++)
            response[i * wide + c] = z[i];
        for (int j = 0; j < m; j++) {
            double F = c == 0 ? guides->d[j] : 0;
            for (int k = 0; k < n; k++)
                F += guides->C[j * n + k] * z[k];
            response[(n + j) * wide + c] =
                unknown[j] >= 0 ? z[unknown[j]] : guides->friction[j] * slip[j] * sign[j] * F;
            response[(n + m + j) * wide + c] = F;
        }
    }
    return true;
}
