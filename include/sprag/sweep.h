// sweep.h: one scene at many values of its parameters: maps of the verdict, margins of parameters.
#ifndef SPRAG_SWEEP_H
#define SPRAG_SWEEP_H

#include "sprag/analysis.h"
#include "sprag/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Maps ---------------------------------------------------------------------------------------

enum { SPRAG_MAP_VALUES = 8 };

typedef struct SpragMapSettings {
    SpragSceneSettings scene;
    // "PATH=FROM:TO:N", "PATH=FROM:TO:N:log", "PATH=A,B,C"; "PATH" alone: the parameter's own
    // range at `points` points. A unit behind the last number holds for all.
    const char *x;
    const char *y; // NULL: a row of points
    int points;
    // Names of numbers wanted at each point; see sprag_map_value_names; or outputs of the scene,
    // for which each point is run as its `simulate` says. At most SPRAG_MAP_VALUES.
    const char *const *values;
    int value_count;
    bool refine;  // a coarse grid first, then only cells over which the verdict changes; the others
                  // get the verdict of their corners. With values every point is computed.
    bool borders; // find where the verdict changes between neighbouring points
    double border_tolerance;       // of a border point, relative to the range of its axis
    int jobs;                      // threads; the result does not depend on it
    const volatile int *interrupt; // non-zero ends the work; may be NULL
    // Called now and then by the calling thread; may be NULL.
    void (*progress)(long done, long total, void *user);
    void *progress_user;
    SpragAnalysisSettings analysis;
    uint32_t cookie;
} SpragMapSettings;

SpragMapSettings sprag_map_default(void);

// The names that SpragMapSettings.values knows. Of the state: A and B of the one contact, theory.md
// (2.6); determinant: the least of (3.4), each divided by its rows' diagonal; margin: the least
// relative change of all frictions (8.4). Of the motion that rigid dynamics takes, or of the only
// one: slowest: the largest real part of the layer's eigenvalues, 1/s; damping: the least ζ of
// (6.9) that makes the layer stable; layer.1, layer.2 …: real parts of the eigenvalues of D (6.2),
// ascending, and layer.imaginary, the largest imaginary part; normal.CONTACT, tangential.CONTACT:
// forces; acceleration.BODY.x, .y, .angle. Of all motions: growth: the largest real part of any,
// 1/s; solutions, stable: their numbers. The list has layer.N for layer.1 … and so on.
const char *const *sprag_map_value_names(int *count);

// How a number goes on where the verdict changes: for those who draw it.
typedef enum SpragMapValueKind {
    SPRAG_MAP_VALUE_SMOOTH, // it does not notice
    SPRAG_MAP_VALUE_JUMPS,  // it belongs to a motion, and may jump there
    SPRAG_MAP_VALUE_WHOLE   // a count, constant in a region
} SpragMapValueKind;

typedef struct SpragMapValue {
    char name[112];
    char unit[16]; // "": none
    SpragMapValueKind kind;
    int trouble; // sign of the values that mean trouble, −1 or 1; 0: neither does
} SpragMapValue;

typedef struct SpragMapAxis {
    char *path;
    int count;      // of grid values; 1 for the absent second axis
    double *values; // SI
    bool logarithmic;
    bool has_value; // the scene as it stands is at `value`
    double value;
    double unit; // SI value of the unit for people
    char unit_name[24];
} SpragMapAxis;

// Points with the same outcome.
typedef struct SpragMapClass {
    bool valid; // false: the bodies cannot be placed there, and there is no outcome
    SpragOutcome outcome;
    long point_count;
} SpragMapClass;

// A point of a border, SI. Bisected, on an edge of the grid; or where borders meet in a cell.
typedef struct SpragMapVertex {
    double x, y;
    bool meeting;
} SpragMapVertex;

// A piece of a border from vertex `a` to `b`; −1: outside of the map. Grid cells are cut by them
// so that the pieces around a class close. Of a row of points: a = b, one for each change.
typedef struct SpragMapSegment {
    int a, b;
    int left, right; // classes, seen in the direction from a to b with x to the right and y up
} SpragMapSegment;

typedef struct SpragMap {
    SpragContext *context;
    char *title; // the scene's name
    SpragMapAxis axes[2];
    int *classes; // of the point (i, j) at i + j × count of x; −1: interrupted before it
    int class_count;
    SpragMapClass *table; // in the order in which the grid meets them
    int value_count;
    const char *value_names[SPRAG_MAP_VALUES];
    SpragMapValue value_about[SPRAG_MAP_VALUES];
    double *values; // value_count a point; NaN: not defined there
    int vertex_count, segment_count;
    SpragMapVertex *vertices;
    SpragMapSegment *segments;
    int complete_rows;     // rows of points, from the first on, that are all there
    bool interrupted;      // not every point was computed
    long evaluation_count; // states analysed, those for borders included
    char invalid[256];     // why the first invalid point could not be set up; "": none
} SpragMap;

// Computes a map of a scene with bodies or of a bare contact problem. ERROR_ARGUMENT: an axis or a
// value is not as described above; ERROR_INPUT: the file, or a number that it does not allow.
// *map is owned by the caller.
SPRAG_MUST_USE SpragStatus sprag_map_create(SpragContext *context, const char *path,
                                            const SpragMapSettings *settings, SpragMap **map);
void sprag_map_destroy(SpragMap *map);

// One header row, then a row a point that was computed, x fastest: the varied values (SI),
// solutions, stable, verdict, forces, held, modes, and the values.
SPRAG_MUST_USE SpragStatus sprag_map_write_csv(const SpragMap *map, const char *path);
// The border points that were bisected: their coordinates, and the verdict and modes on both sides.
SPRAG_MUST_USE SpragStatus sprag_map_write_borders(const SpragMap *map, const char *path);

// ---- Margins of parameters ----------------------------------------------------------------------

// How far the number at a path may change, from what it is in the scene, before the verdict does
// (theory.md (8.4)): within the parameter's range if it has one, else from 0 to ten times itself.
// *value: what it is, SI. ERROR_INPUT for a number that is absent, or 0 without a range.
SPRAG_MUST_USE SpragStatus sprag_margin_parameter(SpragContext *context, const char *file,
                                                  const SpragSceneSettings *scene, const char *path,
                                                  double *value, SpragMargin *margin);

// ---- Will it hold? ------------------------------------------------------------------------------

// What ends an interval over which bodies are held.
typedef enum SpragHoldEnd {
    SPRAG_HOLD_CHANGES,  // beyond it they are not held: see `becomes`
    SPRAG_HOLD_RANGE,    // the parameter's range ends
    SPRAG_HOLD_INVALID,  // beyond it the file allows no value, or the bodies cannot be placed
    SPRAG_HOLD_UNBOUNDED // nothing: value is infinite
} SpragHoldEnd;

// "changes", "range", "invalid", "unbounded".
const char *sprag_hold_end_name(SpragHoldEnd end);

typedef struct SpragHoldSide {
    double value; // SI
    SpragHoldEnd end;
    SpragOutcome becomes; // for SPRAG_HOLD_CHANGES: what is there beyond it
} SpragHoldSide;

typedef struct SpragHoldRange {
    double value;         // the present one, SI
    SpragOutcome outcome; // there; outcome.held: held now
    bool found;           // an interval: the one around the present value if it is held there, else
                          // the nearest that the scan met
    SpragHoldSide from, to;
    double unit; // SI value of the unit for people
    char unit_name[24];
} SpragHoldRange;

// The interval of the number at a path over which the scene is held (SpragVerdict.held), its ends
// to 1e-9. Values are scanned away from the present one, over the parameter's range if it has one
// (in steps of at most a 200th of it), else outwards in steps of a tenth of the distance, to a
// billion times the present value (or the loads that act, or 1); an interval between two points of
// the scan is missed. ERROR_INPUT for a number that is absent.
SPRAG_MUST_USE SpragStatus sprag_hold_range(SpragContext *context, const char *file,
                                            const SpragSceneSettings *scene, const char *path,
                                            SpragHoldRange *range);

#ifdef __cplusplus
}
#endif

#endif
