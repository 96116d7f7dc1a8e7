// scalar_run_private.h: a drive's run: its state, and what is computed from it.
#ifndef SPRAG_SCALAR_RUN_PRIVATE_H
#define SPRAG_SCALAR_RUN_PRIVATE_H

#include "drive_loop.h"

enum { DRIVE_COOKIE = 0x53506472 };

// Components of the integrator's state. Compliant runs have the stretch v = q_1 - g(q_2) instead of
// q_1: its relative error would be lost in q_1.
enum {
    Q2,
    V2,
    FRICTION,
    ACTUATION,
    RIGID_COUNT,
    STRETCH = RIGID_COUNT,
    STRETCH_RATE,
    DAMPING,
    COMPLIANT_COUNT
};

struct SpragDriveRun {
    SpragContext *context;
    SpragPair pair;
    SpragDriveProblem problem;
    SpragDriveSettings settings;
    SpragDriveSink sink;
    bool layer_given;
    DriveLoop loop;
    int direction; // sgn of the slip that holds; 0: held or sticking
    int branch;    // rigid: s; 0: held
    double impact; // J lost in jams
    double initial_energy;
    bool slip_ended; // compliant: by the event that is being treated
    bool cone_left;  // that event: friction cannot hold any more
    SpragDriveSample sample;
    SpragRunVerdict verdict; // that holds since verdict.from
    bool has_verdict;
};

// Everything that follows from a state with the present direction and branch.
typedef struct DriveInstant {
    double input[2];
    double position[2], velocity[2], acceleration[2];
    double normal, friction, layer; // F without the problem's sign
    double stretch, stretch_rate, stretch_acceleration;
    double slip;
} DriveInstant;

void drive_evaluate(const SpragDriveRun *run, double t, const double *y, DriveInstant *instant);
int drive_derivative(double t, const double *y, double *dy, void *user);
void drive_fill_sample(SpragDriveRun *run, double t, const double *y);
void drive_input(const SpragDriveRun *run, double t, double input[2]);
double drive_energy(const SpragDriveRun *run, const DriveInstant *instant);
// Event functions of the present mode: values (2 at most) and directions; returns their number.
int drive_event_values(const void *owner, double t, const double *y, double *values,
                       int *directions);
// scalar_run_decide.c: what holds from now on. Tells events; *ended and *outcome if nothing does.
SpragStatus drive_decide(void *owner, bool *ended, SpragRunOutcome *outcome);
// Ends the interval of the present verdict at t and tells it, unless it is empty.
void drive_end_verdict(void *owner);
void drive_tell(SpragDriveRun *run, SpragEventType type, const char *format, ...)
    SPRAG_PRINTF(3, 4);

#endif
