// sweep.h: one scene at many values of its parameters: maps of the verdict, margins of parameters,
// fits of parameters to data, compliant runs beside the rigid one.
#ifndef SPRAG_SWEEP_H
#define SPRAG_SWEEP_H

#include "sprag/analysis.h"
#include "sprag/record.h"
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

// ---- Fits ---------------------------------------------------------------------------------------

enum { SPRAG_FIT_PARAMETERS = 16, SPRAG_FIT_COLUMNS = 64 };

typedef struct SpragFitSettings {
    SpragSceneSettings scene;
    // Each "PATH=FROM:TO", "PATH=FROM:TO:log" (searched in its logarithm), or "PATH" alone: the
    // parameter's own range, or none around its value in the scene.
    const char *const *free;
    int free_count;
    // "t=time ms, rod.marker.x=u mm +-0.1": SIGNAL=COLUMN UNIT +-SIGMA with commas between them; a
    // column by its name, in double quotes if it has spaces, or as #2; SIGMA a number in the
    // column's unit or a column. NULL: the columns that have the name of a signal.
    const char *columns;
    int scan;                      // runs of the first look over the ranges; 0: as many as suit
    int starts;                    // minima looked for from its best points; 3
    int jobs;                      // threads; the result does not depend on it
    const volatile int *interrupt; // non-zero ends the work; may be NULL
    // Called now and then by the calling thread with the number of runs so far; may be NULL.
    void (*progress)(long runs, void *user);
    void *progress_user;
    uint32_t cookie;
} SpragFitSettings;

SpragFitSettings sprag_fit_default(void);

typedef struct SpragFitParameter {
    char *path;
    double value; // SI
    double error; // standard error; NaN: the data do not determine it
    bool has_start;
    double start;    // in the scene
    double from, to; // the range; −INFINITY, INFINITY: none
    bool logarithmic;
    bool at_bound;
    double unit; // SI value of the unit for people
    char unit_name[24];
} SpragFitParameter;

typedef struct SpragFitColumn {
    char *signal, *name;
    char unit[32];    // as given; else that of the signal
    double factor;    // SI value of it
    double weight;    // residuals of the fit are times this: 1/sigma, or what makes columns of
                      // different kinds comparable
    bool has_sigma;   // given
    double rms;       // of model − data, SI
    const char *kind; // unit of the signal
} SpragFitColumn;

typedef struct SpragFit {
    SpragContext *context;
    char *title;     // the scene's name
    char *data_path; // of the table
    int parameter_count, column_count;
    SpragFitParameter parameters[SPRAG_FIT_PARAMETERS];
    double correlation[SPRAG_FIT_PARAMETERS * SPRAG_FIT_PARAMETERS]; // n × n; NaN: not determined
    SpragFitColumn columns[SPRAG_FIT_COLUMNS];
    size_t row_count, covered; // rows of data; those that the run at the fitted values reaches
    double *times;             // s
    double *data, *model;      // row_count × column_count, SI; NaN: beyond the end of the run
    double *sigma;             // as data; NULL: none given
    double residual;           // root mean square of the weighted residuals
    long freedom;              // residuals less parameters that were determined
    bool converged;
    long run_count;
    SpragRunOutcome outcome;             // of the run at the fitted values
    double end;                          // s, when it ended
    size_t curve_count;                  // of points of that run, for figures
    double *curve_times, *curve;         // column_count a point
    int warning_count, warning_capacity; // sentences
    char **warnings;
    char note[512]; // about runs that could not be made; "": none
} SpragFit;

// Least squares of parameters to a measured trajectory: the sum over rows and columns of (signal of
// the run at the row's time − data)² times weight², least over the ranges. A scan first, since
// events make it jump, then the trust-region method of numeric.h from its best points; derivatives
// by differences of runs. Rows beyond the end of a run that ends early count with the spread of
// their column more than its last value misses by. ERROR_ARGUMENT: free or columns are not as
// described; ERROR_INPUT: a file. *fit is owned by the caller.
SPRAG_MUST_USE SpragStatus sprag_fit_create(SpragContext *context, const char *path,
                                            const char *data_path, const SpragFitSettings *settings,
                                            SpragFit **fit);
void sprag_fit_destroy(SpragFit *fit);
// One header row, then a row a row of data: t, then SIGNAL data, model and residual of each column,
// SI. An empty cell: the run ended before.
SPRAG_MUST_USE SpragStatus sprag_fit_write_csv(const SpragFit *fit, const char *path);

// ---- Compliant runs beside the rigid one --------------------------------------------------------

enum { SPRAG_CONVERGENCE_RUNS = 16, SPRAG_CONVERGENCE_EVENTS = 32 };

// One compliant run, its layers given by epsilon, against the rigid one.
typedef struct SpragEpsilonRun {
    double epsilon;
    double distance; // the larger of position/length and angle
    double position; // m: largest difference of a coordinate of any body over time
    double angle;    // rad
    double velocity; // m/s: likewise, spins times length
    double at;       // s, where `distance` is reached
    double order;    // log of the ratio of distances over that of epsilons, to the run before it;
                     // NaN: it is the first, or the distance is at the tolerance of the runs
    double shift[SPRAG_CONVERGENCE_EVENTS]; // s, of each event of the rigid run; NaN: not there
    SpragRunOutcome outcome;
    double end;
    SpragRecord *record; // of the wanted signals; borrowed
} SpragEpsilonRun;

typedef struct SpragConvergence {
    SpragContext *context;
    char *title;
    double until;            // s: what is compared
    double length;           // m: from the centre of a body to a contact of it, the largest
    SpragRunOutcome outcome; // of the rigid run
    double end;
    SpragRecord *record; // of the rigid run
    int event_count;     // changes of contact of the rigid run within `until`
    SpragEvent events[SPRAG_CONVERGENCE_EVENTS];
    char contacts[SPRAG_CONVERGENCE_EVENTS][64]; // names; "": none
    int run_count;
    SpragEpsilonRun runs[SPRAG_CONVERGENCE_RUNS]; // the largest epsilon first
    double order; // slope of log distance over log epsilon, all runs above the tolerance; NaN: none
    int warning_count;
    char warnings[8][320]; // where theorem 6.1 does not apply, or what happened is not as it says
    struct ConvergenceWork *work;
} SpragConvergence;

typedef struct SpragConvergenceSettings {
    SpragSceneSettings scene;
    const double *epsilons; // 0 … 1, each other than the rest
    int count;
    const char *signals; // of the records; NULL: all
    int jobs;            // threads; the result does not depend on it
    const volatile int *interrupt;
    uint32_t cookie;
} SpragConvergenceSettings;

SpragConvergenceSettings sprag_convergence_default(void);
// Runs the scene by events, then with compliant contacts whose layers are given by each epsilon
// (theory.md 5.4; where nothing gives a layer (6.9)), and compares them over time: theory.md 6.2
// says O(√epsilon) where it applies. What is compared ends before the first impact, and where the
// rigid run ends. *result is owned by the caller.
SPRAG_MUST_USE SpragStatus sprag_convergence_create(SpragContext *context, const char *path,
                                                    const SpragConvergenceSettings *settings,
                                                    SpragConvergence **result);
void sprag_convergence_destroy(SpragConvergence *result);

#ifdef __cplusplus
}
#endif

#endif
