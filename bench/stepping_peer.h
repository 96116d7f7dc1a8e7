// stepping_peer.h: workloads of piles as every engine takes them, and the engines behind C
// functions.
#ifndef SPRAG_BENCH_STEPPING_PEER_H
#define SPRAG_BENCH_STEPPING_PEER_H

#include <stdbool.h>
#include <time.h>

#include "stepping_law.h"

#ifdef __cplusplus
extern "C" {
#endif

// Equal bodies, boxes or balls, on a floor and between walls, all with one friction. In the plane x
// and y count, y is up and a box is a square; in space z is up.
struct Workload {
    const char *name;
    int dimension;
    int count;
    bool balls;
    double half[3]; // of a box; half[0] is the radius of a ball
    double mass;    // in the plane 1
    double walls;   // half distance of four walls; 0: none
    double friction;
    double gravity[3];
    double step;
    int steps;
    const double *place;  // three a body
    double law_tolerance; // of Sprag; 0: its default
};

// Where the bodies are, in the middle of the run and at its end; what it cost.
typedef struct Outcome {
    double *middle, *end; // four a body: x, y, z, angle (of the plane)
    double seconds;       // processor time of the steps
    double residual;      // of the friction law, by Sprag's judge; < 0: the engine tells no forces
    double median;        // the same, of half of the steps
    Laws *laws;           // not NULL: to be filled in every step; then the time does not count
} Outcome;

typedef struct Engine {
    const char *name, *settings;
    int dimension;
    // False if it cannot do this workload.
    bool (*run)(const Workload *workload, Outcome *outcome);
} Engine;

// The law of friction by a block on an incline.
typedef struct Law {
    double creep;      // m/s where it should stand
    double slip;       // error of its acceleration where it slips, relative to the exact one
    double told_slip;  // the same from the impulses that were read
    double told_stick; // the law error that was read where it should stand, median of the steps
} Law;

Law find_law(const Engine *engine, int dimension);

bool run_sprag(const Workload *workload, Outcome *outcome);
bool run_box2d(const Workload *workload, Outcome *outcome);
bool run_chipmunk(const Workload *workload, Outcome *outcome);
bool run_bullet(const Workload *workload, Outcome *outcome);
bool run_bullet_two(const Workload *workload, Outcome *outcome);
bool run_ode(const Workload *workload, Outcome *outcome);
bool run_mujoco(const Workload *workload, Outcome *outcome);

static inline double stepping_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#ifdef __cplusplus
}
#endif

#endif
