// impact_path.h: the impulse path over the time of the layers: what its parts share (private to the
// room).
#ifndef SPRAG_IMPACT_PATH_H
#define SPRAG_IMPACT_PATH_H

#include "impact_friction.h"
#include "impact_system.h"
#include "sprag/integrate.h"

// Scaled approaches below this are none, and so is stored energy that could not make a faster one:
// bodies caught between contacts come to rest geometrically.
#define IMPACT_PATH_ZERO_SPEED 1e-10

typedef enum Phase { IDLE, LOADING, UNLOADING } Phase;

typedef struct PathContact {
    int row, tangents;
    double mu, mu_static, k, eta, e_squared;
    Phase phase;
    bool rest;
    double side;        // plane: sign of the slip
    double mark[2];     // slip at which it came to rest; in space while it slips: a direction that
                        // its slip had
    double depth, work; // δ and friction work at the beginning of the arc
} PathContact;

struct ImpactPath {
    SpragContext *context;
    SpragIntegrator *plain, *stiff;
    SpragIntegrator *integrator; // the one of them that follows the arc
    SpragRootFinder *finder;
    int capacity;
    // of the present collision, from the arena
    int count, rows, states;
    PathContact *contacts;
    double *W, *before;
    double *y, *u, *rate;    // states; rows; rows: impulses per unit of time
    double *probe, *probe_u; // of the event functions
    double *absolute;        // states: tolerances
    ImpactFriction friction;
    SpragStatus status; // of the event functions
};

// How the steps of an arc go.
typedef struct PathPace {
    double guess, turning;
    int limited, looks;
    long left; // steps of the collision
    const volatile int *interrupt;
} PathPace;

// ---- impact_path_forces.c: at a depth, or at the states y ----
double impact_path_force(const PathContact *c, double depth);
double impact_path_energy(const PathContact *c, double depth);
// Velocities in all rows after the impulses P.
void impact_path_velocities(const struct ImpactPath *path, const double *P, double *u);
// Impulses per unit of time in all rows at the velocities u: path->rate.
void impact_path_forces(struct ImpactPath *path, const double *depth, const double *u);
// Of the integrators; the slopes are without what friction at rest answers and without works, on
// which nothing depends.
int impact_path_derivative(double t, const double *y, double *dy, void *user);
int impact_path_jacobian(double t, const double *y, double *J, void *user);

// ---- impact_path_events.c ----
// Slip that leaves rest is slip beyond this.
double impact_path_rest_speed(const PathContact *c);
void impact_path_begin_loading(PathContact *c, const double *u);
// Slips at the states y that contacts at rest hold come to rest as they are; true: some.
bool impact_path_end_held(struct ImpactPath *path, const double *y, const double *u);
// Margins of the arc, of the root finder: three a contact.
int impact_path_events(double t, double *values, void *user);
// What is different after an event at path->y.
void impact_path_fire(struct ImpactPath *path, const int *fired);

// ---- impact_path_steps.c ----
// Integrators and root finder for so many states, kept from one collision to the next.
SPRAG_MUST_USE SpragStatus impact_path_prepare(SpragImpact *impact, int states);
SPRAG_MUST_USE SpragStatus impact_path_restart(struct ImpactPath *path, SpragIntegrator *integrator,
                                               double t, const double *y, double guess);
SPRAG_MUST_USE SpragStatus impact_path_step(struct ImpactPath *path, PathPace *pace,
                                            SpragStep *step);
// impact_path_end_held after a step; looks every so many. The states are in path->probe.
bool impact_path_rest_held(struct ImpactPath *path, PathPace *pace);

#endif
