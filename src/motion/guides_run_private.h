// guides_run_private.h: the run of several guides: its state, and what is computed from it.
#ifndef SPRAG_GUIDES_RUN_PRIVATE_H
#define SPRAG_GUIDES_RUN_PRIVATE_H

#include "drive_loop.h"

enum { MOST = SPRAG_GUIDES_MOST };

struct SpragGuidesRun {
    SpragContext *context;
    SpragGuides guides; // its slip is `slip` below, its input `input`
    SpragGuidesProblem problem;
    SpragDriveSettings settings;
    SpragGuidesSink sink;
    DriveLoop loop; // y: q, v, work of friction, of the inputs; compliant: w, w'
    SpragArena *arena;
    SpragArenaMark mark;
    bool layer_given;
    double stiffness[MOST], damping[MOST]; // along w, (9.23)
    // what holds
    int slip[MOST]; // sgn of the slip; 0: sticks
    int sign[MOST]; // rigid: of F where it slips
    double response[3 * MOST * (MOST + 1)];
    int leader[MOST]; // of guides that stick: sprag_guides_groups
    double ratio[MOST];
    bool ended[MOST];  // slips that the event being treated ended
    bool left[MOST];   // guides that stuck, whose friction cannot hold any more
    double decided;    // time of the inputs that decide: now, or a moment later
    bool forced_event; // it was a cone or a normal force: the present branch is left
    double input[MOST];
    double impact; // J lost in jams
    double initial_energy;
    double sample_numbers[6 * MOST];
    SpragMode sample_modes[MOST];
    SpragGuidesSample sample;
    SpragRunVerdict verdict; // that holds since verdict.from
    uint64_t signature;
    double checked; // time at which the verdict was last looked at
    bool has_verdict;
};

// Everything that follows from a state with the slips and signs that hold.
typedef struct GuidesInstant {
    double input[MOST], acceleration[MOST];
    double normal[MOST], friction[MOST];
    double capacity[MOST]; // of what sticks: most friction of the group, at its leader
    double held[MOST];     // its friction
    double stretch_acceleration[MOST];
} GuidesInstant;

// guides_run_state.c
double guides_slip(const SpragGuidesRun *run, int guide, const double *velocity); // e' v
void guides_input(const SpragGuidesRun *run, double t, double *input);
// After slip or sign changed. False: the branch is singular.
bool guides_freeze(SpragGuidesRun *run);
void guides_evaluate(const SpragGuidesRun *run, double t, const double *y, GuidesInstant *instant);
int guides_derivative(double t, const double *y, double *dy, void *user);
int guides_event_values(const void *owner, double t, const double *y, double *values,
                        int *directions);
void guides_fill_sample(SpragGuidesRun *run, double t, const double *y);
double guides_energy(const SpragGuidesRun *run, const double *y, double *kinetic,
                     double *potential);

// guides_run_decide.c
SpragStatus guides_forward_at(SpragGuidesRun *run, double t, const int *slip,
                              SpragGuidesVerdict *verdict);
SpragStatus guides_decide(void *owner, bool *ended, SpragRunOutcome *outcome);
// Looks whether the verdict changed since the last decision or step.
SpragStatus guides_watch(void *owner);
void guides_end_verdict(void *owner);
void guides_tell(SpragGuidesRun *run, SpragEventType type, int guide, const char *format, ...)
    SPRAG_PRINTF(4, 5);

// guides_run_layer.c: the compliant decision.
void guides_decide_compliant(SpragGuidesRun *run);

#endif
