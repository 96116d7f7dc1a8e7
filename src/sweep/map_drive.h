// map_drive.h: a drive at a point of a map.
#ifndef SPRAG_SWEEP_MAP_DRIVE_H
#define SPRAG_SWEEP_MAP_DRIVE_H

#include "sprag/scalar.h"
#include "sweep_private.h"

// Names of numbers that drives of one degree of freedom have, the last ones screws only.
#define SPRAG_PAIR_VALUES                                                                          \
    "acceleration", "normal", "friction", "layer", "inertia", "inertia_least", "tau_cr",           \
        "band_low", "band_high", "input", "efficiency", "efficiency_back", "critical_friction",    \
        "critical_inertia"
// The last point, if it is a drive.
struct DrivePoint {
    SpragOutcome outcome;
    double input[SPRAG_GUIDES_MOST]; // the file's, or that of the wanted acceleration
    SpragPair pair;
    SpragPairState state;
    SpragPairVerdict verdict;
    SpragGuides guides;
    SpragGuidesVerdict several;
    SpragArena *arena; // of several
    SpragArenaMark mark;
};

bool point_is_drive(const PointEvaluator *point);
// The verdict of the scene that was built; where its numbers contradict each other: valid stays
// false, the reason is in the context.
SpragStatus drive_point_evaluate(PointEvaluator *point);
void drive_point_close(PointEvaluator *point);
// Whether this is the name of a number that only drives have, and what it is.
bool drive_value_read(const char *name, SpragMapValue *about);
// ERROR_ARGUMENT with what there is, unless the scene of the last point has this value.
SpragStatus drive_value_check(PointEvaluator *point, const char *name);
SpragStatus drive_point_value(PointEvaluator *point, const char *name, double *number);

#endif
