// stepping_peer.h: workloads of piles as every engine takes them, and the engines behind C
// functions.
#ifndef SPRAG_BENCH_STEPPING_PEER_H
#define SPRAG_BENCH_STEPPING_PEER_H

#include <stdbool.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

// Equal bodies, boxes or balls, on a floor and between walls, all with one friction. In the plane x
// and y count, y is up and a box is a square; in space z is up.
typedef struct Workload {
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
    const double *place; // three a body
} Workload;

// Where the bodies are, in the middle of the run and at its end; what it cost.
typedef struct Outcome {
    double *middle, *end; // four a body: x, y, z, angle (of the plane)
    double seconds;       // processor time of the steps
    double residual;      // of the friction law, by Sprag's judge; < 0: the engine tells no forces
    double median;        // the same, of half of the steps
} Outcome;

typedef struct Engine {
    const char *name, *settings;
    int dimension;
    // False if it cannot do this workload.
    bool (*run)(const Workload *workload, Outcome *outcome);
} Engine;

bool run_box2d(const Workload *workload, Outcome *outcome);
bool run_chipmunk(const Workload *workload, Outcome *outcome);
bool run_bullet(const Workload *workload, Outcome *outcome);
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
