// sweep_private.h: what the sources of the room share: points, workers, the table of classes.
#ifndef SPRAG_SWEEP_PRIVATE_H
#define SPRAG_SWEEP_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "sprag/dynamics.h"
#include "sprag/record.h"
#include "sprag/sweep.h"

// ---- One state after the other: map_point.c -----------------------------------------------------

typedef struct DrivePoint DrivePoint;

// A scene at other and other values of its variables. Belongs to one thread.
typedef struct PointEvaluator {
    SpragContext *context;
    SpragSceneSource *source;
    SpragAnalysis *analysis;
    SpragContactProblem built;
    double *q, *v;
    SpragContactKinematics *kinematics;
    double *acceleration; // of the bodies, for values
    size_t q_capacity, v_capacity, kinematics_capacity, acceleration_capacity;
    // of the last point
    SpragScene *scene;
    SpragSystem *system;
    const SpragContactProblem *problem;
    SpragAnalysisSettings settings; // those given, and whether something moves
    SpragVerdict verdict;
    bool valid;        // the bodies could be placed
    DrivePoint *drive; // of a file without bodies: scalar, screw, transmission; NULL: none so far
} PointEvaluator;

SpragStatus point_open(PointEvaluator *point, SpragContext *context,
                       const SpragAnalysisSettings *settings);
void point_close(PointEvaluator *point);
// The verdict at these values of the source's variables. Where bodies cannot be placed: SPRAG_OK,
// valid false, and the reason in the context.
SpragStatus point_evaluate(PointEvaluator *point, const double *values);
// What changes by jumps only, at the last point if it was valid; of an invalid drive only its
// modes.
void point_outcome(const PointEvaluator *point, SpragOutcome *outcome);

// ---- Numbers of a point: map_values.c -----------------------------------------------------------

typedef struct MapValue {
    int task;         // which number
    int index;        // of an eigenvalue, of a coordinate
    char subject[88]; // the contact or body; of a number of drives its name
    bool last;        // leaves another verdict in the analysis: after the others
    bool of_run;      // an output of the scene: map_output.c
} MapValue;

// What a name asks for; false: there is no such value.
bool value_read(const char *name, MapValue *value, SpragMapValue *about);
// A number at the last point. ERROR_ARGUMENT: no such contact or body.
SpragStatus point_value(PointEvaluator *point, const MapValue *value, double *number);

// ---- Threads: map_work.c ------------------------------------------------------------------------

typedef struct MapWork MapWork;

typedef struct Worker {
    MapWork *work;
    SpragContext *context; // its own; the first worker has the caller's
    PointEvaluator point;
    int last_class; // most points are like the one before
    long evaluation_count;
    SpragStatus status;
    long invalid_index; // first item of a batch at which nothing could be placed
    char invalid[256];
} Worker;

// Item number `index` of a batch.
typedef SpragStatus BatchFunction(Worker *worker, long index, void *user);

struct MapWork {
    SpragMap *map;
    const SpragMapSettings *settings;
    MapValue values[SPRAG_MAP_VALUES];
    int output_count; // values that are outputs
    long chunk;       // items that a worker takes at a time
    int worker_count;
    Worker *workers;
    pthread_mutex_t lock; // of the table
    // the batch that runs
    BatchFunction *function;
    void *user;
    long count, done_before, total;
    atomic_long next, done;
    atomic_bool stop;
    bool interrupted;
    char invalid[256];
};

SpragStatus work_open(MapWork *work, const char *name, const char *text, size_t length);
void work_close(MapWork *work);
// Runs a function over 0 … count − 1, in any order, on all workers. Interruption is no failure:
// work->interrupted.
SpragStatus work_run(MapWork *work, long count, BatchFunction *function, void *user);
// The class at (x, y), from the table or new in it.
SpragStatus worker_classify(Worker *worker, long index, double x, double y, int *class_index);

// ---- Outputs of runs: map_output.c --------------------------------------------------------------

// Looks up the values that are outputs, once the workers are there. ERROR_ARGUMENT: the scene has
// no such output; ERROR_INPUT: it cannot be run.
SpragStatus outputs_find(MapWork *work);
// Runs the scene of the point that the worker has just analysed; its outputs go to their places
// among the point's values, NaN where there are none. *whole: the run was not interrupted.
SpragStatus outputs_take(Worker *worker, double *values, bool *whole);

// ---- Parts of a map -----------------------------------------------------------------------------

// map_axis.c: reads the axis' text with the units of the source's variable.
SpragStatus axis_read(SpragContext *context, SpragSceneSource *source, int variable,
                      const char *text, int points, SpragMapAxis *axis);
// The path in front of '=', to be freed.
SpragStatus axis_path(SpragContext *context, const char *text, char **path);
// Value at a place between grid values: index 2.5 is half way between the third and the fourth.
double axis_value(const SpragMapAxis *axis, double index);

SpragStatus map_fill(MapWork *work);    // map.c: every point
SpragStatus map_refine(MapWork *work);  // map_refine.c: those that matter
SpragStatus map_borders(MapWork *work); // map_borders.c
// Computes the points of a list (index i + j nx); those known already are not in it.
SpragStatus map_compute(MapWork *work, long count, const long *points);

#endif
