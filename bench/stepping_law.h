// stepping_law.h: how far an engine's contacts are from Coulomb's law, by the same code for all.
#ifndef SPRAG_BENCH_STEPPING_LAW_H
#define SPRAG_BENCH_STEPPING_LAW_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Workload Workload;

// A body when the step began, and its velocities after the engine has solved for its contacts; all
// in the world. In the plane z, and spins about x and y, are 0.
typedef struct LawBody {
    double v[3], spin[3];
    double v_after[3], spin_after[3];
    double given[6]; // of law_contact: what contacts have given it, momentum and its moment
} LawBody;

// A contact of bodies a and b (−1: none) as it was solved: where, from the centres of both, the
// normal into a, and the impulse of the step on a. Engines that bound friction along one or two
// directions instead of by a cone name them.
typedef struct LawContact {
    int body[2];
    double arm[2][3], normal[3], impulse[3];
    int ways; // 0: a cone
    double way[2][3];
} LawContact;

typedef struct Laws {
    const Workload *workload;
    LawBody *bodies;      // one a body
    double *errors;       // one a step in which contacts pressed: of Coulomb's law
    double *own;          // likewise: of the engine's own, along its directions
    double *closures;     // likewise: what impulses leave open of the bodies' momentum
    double median, worst; // of the errors
    double own_median;    // of the own ones
    double closure;       // median
    // one body on a plane: its speed and, in the second half of the run, its way along the plane
    // that gravity and the tangential impulses make
    double speed[3], way[3];
    int steps, seen;              // with contacts that pressed; all
    double miss, own_miss, scale; // of the present step
    double rubbed[3];             // sum of its tangential impulses
} Laws;

bool laws_create(const Workload *workload, Laws *laws);
void laws_destroy(Laws *laws);
// Bodies have been filled by the engine; then each contact of the step; then the end of it.
void law_contact(Laws *laws, const LawContact *contact);
void law_end_step(Laws *laws);
// After the run: median and worst.
void laws_conclude(Laws *laws);

#ifdef __cplusplus
}
#endif

#endif
