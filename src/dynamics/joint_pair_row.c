// joint_pair_row.c: rows of two bodies, and what they make of vectors.
// Problem   rows of joints stand by bodies, theory.md 1.1: their rate, drift and bias where
//           bodies are driven, (1.6), and their products with vectors, E v and M⁻¹ Eᵀ
// Method    block by block; bodies that have no velocities leave none
#include <string.h>

#include "joint_rows.h"

// ---- Rows for the bodies ------------------------------------------------------------------------

void raw_finish(const SpragSystem *system, const End ends[2], const Raw *raw, PairRow *row)
{
    bool space = is_spatial(system);
    row->value = raw->value;
    row->bias = raw->bias;
    row->angle = raw->angle;
    row->rate = row->drift = 0;
    for (int i = 0; i < 2; i++) {
        double rate =
            sprag_vec3_dot(raw->linear[i], ends[i].v) + sprag_vec3_dot(raw->angular[i], ends[i].w);
        double *entries = row->entries[i];
        row->block[i] = ends[i].block;
        row->rate += rate;
        if (ends[i].acceleration) {
            const double *a = ends[i].acceleration;
            row->drift += rate;
            row->bias += sprag_vec3_dot(raw->linear[i], sprag_vec3_of(a)) +
                         sprag_vec3_dot(raw->angular[i], sprag_vec3_of(a + 3));
        }
        sprag_vec3_to(raw->linear[i], entries);
        if (space)
            sprag_vec3_to(raw->angular[i], entries + 3);
        else
            entries[2] = raw->angular[i].z;
    }
}

// ---- Rows and vectors ---------------------------------------------------------------------------

double pair_row_dot(const SpragSystem *system, const PairRow *row, const double *v)
{
    int size = body_size(system);
    double sum = 0;
    for (int i = 0; i < SPRAG_ROW_BLOCKS; i++)
        for (int k = 0; row->block[i] >= 0 && k < size; k++)
            sum += row->entries[i][k] * v[size * row->block[i] + k];
    return sum;
}

void pair_row_dense(const SpragSystem *system, const PairRow *row, double *dense)
{
    int size = body_size(system);
    memset(dense, 0, (size_t)system->velocity_count * sizeof *dense);
    for (int i = 0; i < SPRAG_ROW_BLOCKS; i++)
        if (row->block[i] >= 0)
            memcpy(dense + size * row->block[i], row->entries[i], (size_t)size * sizeof *dense);
}

void pair_row_add(const SpragSystem *system, const PairRow *row, double factor, double *target)
{
    int size = body_size(system);
    for (int i = 0; i < SPRAG_ROW_BLOCKS; i++)
        for (int k = 0; row->block[i] >= 0 && k < size; k++)
            target[size * row->block[i] + k] += factor * row->weighted[i][k];
}

void pair_row_weigh(const SpragSystem *system, PairRow *row)
{
    for (int i = 0; i < SPRAG_ROW_BLOCKS; i++) {
        if (row->block[i] < 0)
            continue;
        if (is_spatial(system)) {
            space_apply_block(system, row->block[i], row->entries[i], row->weighted[i]);
            continue;
        }
        const double *inverse = system->inverse_mass + BODY_SIZE * row->block[i];
        for (int k = 0; k < BODY_SIZE; k++)
            row->weighted[i][k] = inverse[k] * row->entries[i][k];
    }
}
