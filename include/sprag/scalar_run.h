// scalar_run.h: a drive of one degree of freedom (theory.md section 9) forward in time.
//
// Rigid: between events the branch is frozen; events are the end of slip, the change of sign of the
// normal force, the start from rest. Where no motion is left while it moves, it jams: the velocity
// jumps to zero, and the row q' = 0 of the table applies. Compliant: the layer (9.7), (9.18) with
// its spring and damper is integrated too, so that it picks the stable branch by itself.
#ifndef SPRAG_SCALAR_RUN_H
#define SPRAG_SCALAR_RUN_H

#include "sprag/motion.h"
#include "sprag/scalar.h"

#ifdef __cplusplus
extern "C" {
#endif

// Input 0 or 1 at time t.
typedef double SpragDriveInput(int input, double t, void *user);

typedef struct SpragDriveSettings {
    bool compliant;
    double tolerance;   // relative error of a step; 1e-9
    double output_step; // s between samples; 0: only at events and at both ends
    long max_events;    // 100000
    int start_motion; // compliant: begins at this motion of the rigid verdict; −1: at the chosen
    double disturbance; // compliant: the layer begins at (1 + this) times its rigid force; 0
    const volatile int *interrupt; // non-zero ends the run; may be NULL
    uint32_t cookie;
} SpragDriveSettings;

SpragDriveSettings sprag_drive_default(void);

typedef struct SpragDriveSample {
    double t;
    double position, velocity, acceleration; // of the output coordinate
    double normal, friction;                 // F, f
    double layer;                            // X
    double input[2];
    SpragMode mode; // STICK, SLIDE_PLUS, SLIDE_MINUS
    SpragEnergyAccount energy;
    bool before_event, after_event;
} SpragDriveSample;

// Where it goes; each may be NULL. A return value other than 0 ends the run (STOPPED).
typedef struct SpragDriveSink {
    int (*sample)(const SpragDriveSample *sample, void *user);
    int (*event)(const SpragEvent *event, void *user);
    int (*verdict)(const SpragRunVerdict *verdict, void *user); // of rigid runs
    void *user;
} SpragDriveSink;

// What to run.
typedef struct SpragDriveProblem {
    const SpragPair *pair;  // checked; copied
    SpragPairState state;   // at t = 0; its inputs hold if `input` is NULL
    SpragDriveInput *input; // NULL: constant
    void *user;             // of input
    const double *breaks;   // times where an input jumps or has a kink, ascending; borrowed
    int break_count;
} SpragDriveProblem;

typedef struct SpragDriveRun SpragDriveRun;

// ERROR_INPUT: a compliant run of a problem without a layer (c = 0). settings, sink NULL: defaults,
// nobody listens.
SPRAG_MUST_USE SpragStatus sprag_drive_run_create(SpragContext *context,
                                                  const SpragDriveProblem *problem,
                                                  const SpragDriveSettings *settings,
                                                  const SpragDriveSink *sink, SpragDriveRun **run);
void sprag_drive_run_destroy(SpragDriveRun *run);
// Goes on until `until` or an end; *outcome tells which.
SPRAG_MUST_USE SpragStatus sprag_drive_run_advance(SpragDriveRun *run, double until,
                                                   SpragRunOutcome *outcome);
double sprag_drive_run_time(const SpragDriveRun *run);
// The sample now (transient).
const SpragDriveSample *sprag_drive_run_sample(const SpragDriveRun *run);
SpragRunStatistics sprag_drive_run_statistics(const SpragDriveRun *run);
// initial + actuation − losses − now, J.
double sprag_drive_run_drift(const SpragDriveRun *run);
// kinetic + potential + elastic at the start, J.
double sprag_drive_run_initial_energy(const SpragDriveRun *run);
// Stiffness and damping of the layer that the run uses; *given: by the problem.
void sprag_drive_run_layer(const SpragDriveRun *run, double *stiffness, double *damping,
                           bool *given);

// ---- Several guides, theory.md 9.4 --------------------------------------------------------------

// Arrays are those of the run: they hold until it goes on.
typedef struct SpragGuidesSample {
    double t;
    int n, m;
    const double *position, *velocity, *acceleration, *input; // n
    const double *normal, *friction;                          // m
    const SpragMode *modes;                                   // m
    SpragEnergyAccount energy;
    bool before_event, after_event;
} SpragGuidesSample;

// As SpragDriveSink; the contact of an event is its guide.
typedef struct SpragGuidesSink {
    int (*sample)(const SpragGuidesSample *sample, void *user);
    int (*event)(const SpragEvent *event, void *user);
    int (*verdict)(const SpragRunVerdict *verdict, void *user);
    void *user;
} SpragGuidesSink;

typedef struct SpragGuidesProblem {
    const SpragGuides *guides; // checked; its arrays are borrowed
    const double *position;    // n; NULL: zeros
    SpragDriveInput *input;    // by coordinate; NULL: guides->input, constant
    void *user;                // of input
    const double *breaks;      // as of SpragDriveProblem
    int break_count;
} SpragGuidesProblem;

typedef struct SpragGuidesRun SpragGuidesRun;

// settings, sink NULL: defaults, nobody listens.
SPRAG_MUST_USE SpragStatus sprag_guides_run_create(SpragContext *context,
                                                   const SpragGuidesProblem *problem,
                                                   const SpragDriveSettings *settings,
                                                   const SpragGuidesSink *sink,
                                                   SpragGuidesRun **run);
void sprag_guides_run_destroy(SpragGuidesRun *run);
// Goes on until `until` or an end; *outcome tells which. Ends where no motion is left and guides
// are coupled (NO_SOLUTION): which velocities jump is not determined by rigid bodies.
SPRAG_MUST_USE SpragStatus sprag_guides_run_advance(SpragGuidesRun *run, double until,
                                                    SpragRunOutcome *outcome);
const SpragGuidesSample *sprag_guides_run_sample(const SpragGuidesRun *run);
SpragRunStatistics sprag_guides_run_statistics(const SpragGuidesRun *run);
double sprag_guides_run_drift(const SpragGuidesRun *run);
double sprag_guides_run_initial_energy(const SpragGuidesRun *run);
// Stiffness and damping of a guide that the run uses, as in SpragGuides; *given: by the problem.
void sprag_guides_run_layer(const SpragGuidesRun *run, int guide, double *stiffness,
                            double *damping, bool *given);

#ifdef __cplusplus
}
#endif

#endif
