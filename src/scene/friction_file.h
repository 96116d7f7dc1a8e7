// friction_file.h: what the readers of friction problems share.
#ifndef SPRAG_SCENE_FRICTION_FILE_H
#define SPRAG_SCENE_FRICTION_FILE_H

#include "sprag/scene.h"

// Entries of W in any order, gathered into blocks.
typedef struct Entries {
    SpragContext *context;
    int size; // rows and columns
    size_t count;
    int *row, *column;
    double *value;
    size_t row_capacity, column_capacity, value_capacity;
} Entries;

SpragStatus entries_add(Entries *entries, int row, int column, double value);
void entries_destroy(Entries *entries);
// Makes them the blocks of file->problem, whose dimension and contact_count are set; entries of the
// same place are added up, the diagonal is always there.
SpragStatus entries_gather(const Entries *entries, SpragFrictionFile *file);

// Allocates q and friction of file->problem, whose dimension and contact_count are set; the last
// `bilateral` of the contacts are bilateral blocks.
SpragStatus friction_file_reserve(SpragContext *context, SpragFrictionFile *file, int bilateral);

#endif
