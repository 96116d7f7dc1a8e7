// drive_columns.h: the signals of a run of a drive, as columns of a CSV.
#ifndef SPRAG_TOOL_DRIVE_COLUMNS_H
#define SPRAG_TOOL_DRIVE_COLUMNS_H

#include "sprag/scalar_run.h"

enum { DRIVE_COLUMNS = 8 + 7 * SPRAG_GUIDES_MOST, COLUMN_NAME = 24 };

typedef struct DriveColumns {
    int count;
    char names[DRIVE_COLUMNS][COLUMN_NAME];
    bool shown[DRIVE_COLUMNS];
    int shown_count;
} DriveColumns;

// t, q, v, a, normal, friction, layer, input, mode, and the energies.
void columns_of_pair(DriveColumns *columns);
// t, q1 …, v1 …, a1 …, input1 …, normal1 …, friction1 …, mode1 …, and the energies.
void columns_of_guides(DriveColumns *columns, int n, int m);
// Names or patterns (*, ?) with commas between them; NULL: all. t is always there. The header goes
// into csv.
SPRAG_MUST_USE SpragStatus columns_choose(SpragContext *context, DriveColumns *columns,
                                          const char *wanted, SpragText *csv);
void columns_pair_row(const DriveColumns *columns, const SpragDriveSample *sample, SpragText *csv);
void columns_guides_row(const DriveColumns *columns, const SpragGuidesSample *sample,
                        SpragText *csv);

#endif
