// fit_private.h: what the sources of fits share: the data, one run, many runs, the search.
#ifndef SPRAG_SWEEP_FIT_PRIVATE_H
#define SPRAG_SWEEP_FIT_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "sprag/motion.h"
#include "sprag/numeric.h"
#include "sprag/sweep.h"

enum { FIT_MESSAGE = 256 };

// One run at given values, to be compared with the data.
typedef struct FitTask {
    const double *values; // of the parameters, SI
    double *model;        // row_count × column_count; NaN beyond the end
    bool valid;           // it could be run
    size_t covered;       // rows that it reaches
    SpragRunOutcome outcome;
    double end;                // s
    char message[FIT_MESSAGE]; // why it is not valid, or ended early
} FitTask;

typedef struct FitWork FitWork;

typedef struct FitWorker {
    FitWork *work;
    SpragContext *context; // its own; the first worker has the caller's
    SpragSceneSource *source;
    SpragScene *scene;
    SpragSystem *system;
    double *row; // values of the signals in a sample
    SpragStatus status;
} FitWorker;

struct FitWork {
    SpragFit *fit;
    const SpragFitSettings *settings;
    char *signals;                    // names with commas between them, without repetition
    int signal_of[SPRAG_FIT_COLUMNS]; // place of a column's signal among them (0 is t)
    double spread[SPRAG_FIT_COLUMNS]; // largest less least of a column, SI; > 0
    bool *skipped; // row_count × column_count: one side of a jump in the data, which has no value
    double until;  // last time of the data
    double tolerance; // of the runs
    int worker_count;
    FitWorker *workers;
    // the batch that runs
    FitTask *tasks;
    long task_count;
    atomic_long next;
    atomic_bool stop;
};

// ---- fit.c --------------------------------------------------------------------------------------

// Reads the range of parameter number `index`, so that every source gives it the same kind.
SpragStatus fit_read_parameter(SpragFit *fit, SpragSceneSource *source, int index,
                               const char *text);

// ---- fit_columns.c ------------------------------------------------------------------------------

// Reads the table and what the columns are; every signal must be a number of this system.
SpragStatus fit_read_data(FitWork *work, const char *path, const SpragSystem *system);

// ---- fit_run.c ----------------------------------------------------------------------------------

// Runs the scene at the task's values. Values that the file does not allow make it invalid; only
// memory, an interruption and the like fail.
SpragStatus fit_run(FitWorker *worker, FitTask *task);
// The same with a point every 1/500 of the time, kept in the fit.
SpragStatus fit_run_curve(FitWorker *worker, const double *values);

// ---- fit_work.c ---------------------------------------------------------------------------------

SpragStatus fit_work_open(FitWork *work, const char *path);
void fit_work_close(FitWork *work);
// Runs all tasks, on all workers.
SpragStatus fit_work_run(FitWork *work, FitTask *tasks, long count);
bool fit_interrupted(const FitWork *work);

// ---- fit_search.c -------------------------------------------------------------------------------

// A minimum that was found. Coordinates u: the parameter, or its logarithm.
typedef struct FitMinimum {
    double u[SPRAG_FIT_PARAMETERS];
    double cost;   // ½ Σ r²
    double enough; // a cost that the tolerance of the runs explains
    bool converged;
} FitMinimum;

typedef struct FitSearch {
    FitWork *work;
    int m, n;
    double low[SPRAG_FIT_PARAMETERS], high[SPRAG_FIT_PARAMETERS]; // bounds of u
    double from[SPRAG_FIT_PARAMETERS], to[SPRAG_FIT_PARAMETERS];  // where the scan looks
    double base[SPRAG_FIT_PARAMETERS];                            // size of changes of u
    int minimum_count;
    FitMinimum *minima;              // the best first
    double *r, *J;                   // at the best
    FitTask task;                    // the run at the best
    char first_message[FIT_MESSAGE]; // of the first run that could not be made
    long invalid_count;
    SpragStatus status; // of a batch that failed inside of the search
    // scratch of a Jacobian: 2 n runs
    FitTask *tasks;
    double *values, *models, *model;
} FitSearch;

SpragStatus fit_search_open(FitSearch *search, FitWork *work);
void fit_search_close(FitSearch *search);
SpragStatus fit_search_run(FitSearch *search);
double fit_value(const FitSearch *search, int parameter, double u);

// ---- fit_statistics.c ---------------------------------------------------------------------------

// Errors, correlations and warnings from what the search found.
SpragStatus fit_judge(FitSearch *search);
SpragStatus fit_warn(SpragFit *fit, const char *format, ...) SPRAG_PRINTF(2, 3);

#endif
