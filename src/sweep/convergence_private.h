// convergence_private.h: runs of one scene with layers of many epsilons, kept on one grid of times.
#ifndef SPRAG_SWEEP_CONVERGENCE_PRIVATE_H
#define SPRAG_SWEEP_CONVERGENCE_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "sprag/dynamics.h"
#include "sprag/sweep.h"

enum { GRID = 1000 }; // steps of the comparison

// One run with everything that it needs to live.
typedef struct KeptRun {
    struct ConvergenceWork *work;
    SpragContext *context; // its own; the rigid one has the caller's
    SpragScene *scene;
    SpragSystem *system;
    SpragRecord *record;
    SpragRunOutcome outcome;
    double end;
    double *states; // (GRID + 1) × (position_count + velocity_count): q and v
    bool reached[GRID + 1];
    SpragStatus status;
} KeptRun;

typedef struct ConvergenceWork {
    SpragConvergence *result;
    const SpragConvergenceSettings *settings;
    const char *path;
    int position_count, velocity_count;
    double *shift; // velocity_count, scratch
    KeptRun rigid;
    KeptRun runs[SPRAG_CONVERGENCE_RUNS];
    atomic_int next;
} ConvergenceWork;

// convergence_run.c: reads the scene with layers of this epsilon (0: by events) and runs it. Of the
// rigid run a first pass without grid tells its events and its end.
SpragStatus kept_open(KeptRun *run, double epsilon);
SpragStatus kept_go(KeptRun *run, double epsilon, double until, bool grid);
void kept_close(KeptRun *run);

// convergence_judge.c: distances, orders, shifts, warnings.
void convergence_choose_window(ConvergenceWork *work);
void convergence_judge(ConvergenceWork *work);

#endif
