// friction_sweeps.h: sweeps for problems that follow each other in time, as their parts share them.
#ifndef SPRAG_COMPLEMENTARITY_FRICTION_SWEEPS_H
#define SPRAG_COMPLEMENTARITY_FRICTION_SWEEPS_H

#include "friction_internal.h"

enum { SWEEPS_DEPTH = 3 };

// Two numbers at once: the compiler would not take the sums apart by itself.
typedef double Pair __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double))));

typedef struct Sweeps {
    SpragArena *arena;
    const SpragFrictionProblem *problem;
    size_t d, m, count, bodies, size; // size: d count
    size_t pairs, speeds;             // of the velocities of a body; of all, one body more
    Pair *rows;                       // 2 d pairs a contact: J C
    double *diagonal, *inverse;       // d d a contact: W_ii
    double *factors;                  // m m a body: C
    double *slip;                     // multiplier of its slip
    int *body;                        // two a contact; `bodies`: none, its rows are zero
    unsigned char *dead;              // rows of joints that are zero
    double *r, *best;
    Pair *velocity;
    double norm_q, best_residual, start_residual;
    // differences of the last sweeps
    int known;
    bool begun;
    double least;                                  // square of the change of the last sweep
    double *start, *change, *end, *changes, *ends; // SWEEPS_DEPTH of the last two
    Pair *end_velocity, *velocities;
    double gram[MIXING_DEPTH][MIXING_DEPTH]; // SWEEPS_DEPTH of them
} Sweeps;

// C of M⁻¹ = C Cᵀ, lower; a direction in which nothing moves has a column of zeros.
void sweeps_factor(size_t m, const double *inverse, double *C);
// r and v after a sweep become the mixture to go on from; square: of the change of r in it.
void sweeps_mix(Sweeps *s, double square);

#endif
