// drive_loop.h: the loop of a run of a drive: steps, roots of event functions on the dense output,
// samples, kinks of the inputs. What a drive is, its owner knows.
#ifndef SPRAG_DRIVE_LOOP_H
#define SPRAG_DRIVE_LOOP_H

#include "sprag/integrate.h"
#include "sprag/scalar_run.h"

enum { LOOP_STATE = 4 * SPRAG_GUIDES_MOST + 4, LOOP_EVENTS = 2 * SPRAG_GUIDES_MOST };

typedef struct DriveCalls {
    SpragDerivativeFunction *derivative;
    // Event functions of the present mode: values and directions; returns their number.
    int (*event_values)(const void *owner, double t, const double *y, double *values,
                        int *directions);
    // What holds from now on; fired: of the event functions, NULL: no event. *ended and *outcome if
    // nothing holds.
    SpragStatus (*decide)(void *owner, bool *ended, SpragRunOutcome *outcome);
    // Whether only the verdict may change at this event, not the motion.
    bool (*is_quiet)(const void *owner, const int *fired);
    // Makes slips that ended exactly zero.
    void (*end_slips)(void *owner, const int *fired);
    void (*emit)(void *owner, double t, const double *y, bool before, bool after);
    void (*end_verdict)(void *owner);
    SpragStatus (*watch)(void *owner); // after a step without event; NULL: nothing to do
} DriveCalls;

typedef struct DriveLoop {
    SpragContext *context;
    const DriveCalls *calls;
    void *owner;
    const SpragDriveSettings *settings;
    const double *breaks; // of the inputs
    int break_count;
    SpragIntegrator *integrator;
    SpragRootFinder *finder;
    int count;   // of the state
    bool varies; // the inputs do: then a step is not longer than a sample
    double t, y[LOOP_STATE];
    double sample_time, until;
    long next_output; // number of the next multiple of output_step
    int next_break;
    double check_time;    // when progress was last looked at
    uint64_t check_steps; // and the number of steps then
    bool begun, stopped;
    SpragRunStatistics statistics;
} DriveLoop;

// Settings that were given, or the default ones; refused unless they come from there.
SpragStatus loop_settings(SpragContext *context, const SpragDriveSettings *given,
                          SpragDriveSettings *settings);
// y, count, calls, owner, settings and breaks are set; absolute: the tolerance of each component.
SpragStatus loop_open(DriveLoop *loop, const double *absolute);
void loop_close(DriveLoop *loop);
SpragStatus loop_advance(DriveLoop *loop, double until, SpragRunOutcome *outcome);
SpragRunStatistics loop_statistics(const DriveLoop *loop);

#endif
