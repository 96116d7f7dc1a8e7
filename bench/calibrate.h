// calibrate.h: a fixed piece of work, timed, so that runs on other machines or under other load can
// be compared: a Gauss–Seidel sweep over 1000 planar contacts between 500 bodies, nanoseconds a
// contact. Its numbers mean nothing.
#ifndef SPRAG_BENCH_CALIBRATE_H
#define SPRAG_BENCH_CALIBRATE_H

#include <stdlib.h>
#include <time.h>

#include "sprag/base.h"

enum { CALIB_CONTACTS = 1000, CALIB_BODIES = 500, CALIB_SWEEPS = 500, CALIB_BATCHES = 15 };

typedef struct CalibContact {
    double nx, ny;              // normal
    double arm_n[2], arm_t[2];  // torque per force on both bodies
    double mass[2], inertia[2]; // inverse
    double step_n, step_t;      // force per velocity
    double bias, friction;
    double force_n, force_t; // now
    int body[2];
} CalibContact;

static inline void calib_push(const CalibContact *c, double fx, double fy, const double *torque,
                              double *velocity)
{
    double *a = velocity + 4 * c->body[0], *b = velocity + 4 * c->body[1];
    a[0] -= c->mass[0] * fx;
    a[1] -= c->mass[0] * fy;
    a[2] -= c->inertia[0] * torque[0];
    b[0] += c->mass[1] * fx;
    b[1] += c->mass[1] * fy;
    b[2] += c->inertia[1] * torque[1];
}

static inline void calib_sweep(CalibContact *contacts, double *velocity)
{
    for (int i = 0; i < CALIB_CONTACTS; i++) {
        CalibContact *c = &contacts[i];
        const double *a = velocity + 4 * c->body[0], *b = velocity + 4 * c->body[1];
        double rate =
            (b[0] - a[0]) * c->nx + (b[1] - a[1]) * c->ny + c->arm_n[1] * b[2] - c->arm_n[0] * a[2];
        double force = c->force_n - c->step_n * (rate + c->bias);
        force = force < 0 ? 0 : force;
        double d = force - c->force_n;
        c->force_n = force;
        calib_push(c, d * c->nx, d * c->ny, (double[]){d * c->arm_n[0], d * c->arm_n[1]}, velocity);
        double slip =
            (b[1] - a[1]) * c->nx - (b[0] - a[0]) * c->ny + c->arm_t[1] * b[2] - c->arm_t[0] * a[2];
        double most = c->friction * force, tangential = c->force_t - c->step_t * slip;
        tangential = tangential > most ? most : tangential < -most ? -most : tangential;
        d = tangential - c->force_t;
        c->force_t = tangential;
        calib_push(c, -d * c->ny, d * c->nx, (double[]){d * c->arm_t[0], d * c->arm_t[1]},
                   velocity);
    }
}

static inline double calib_clock(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

// Nanoseconds a contact, the least of several batches; 0 without memory.
static inline double calibrate(void)
{
    CalibContact *contacts = calloc(CALIB_CONTACTS, sizeof *contacts);
    double *velocity = calloc(4 * (size_t)CALIB_BODIES, sizeof *velocity), least = 0;
    SpragRandom random;
    sprag_random_init(&random, 7);
    for (int i = 0; contacts && velocity && i < CALIB_CONTACTS; i++) {
        double *numbers = &contacts[i].nx;
        for (int k = 0; k < 16; k++)
            numbers[k] = sprag_random_uniform(&random, 0.05, 0.2);
        for (int k = 0; k < 2; k++)
            contacts[i].body[k] = sprag_random_below(&random, CALIB_BODIES);
    }
    for (int batch = 0; contacts && velocity && batch < CALIB_BATCHES; batch++) {
        double start = calib_clock();
        for (int i = 0; i < CALIB_SWEEPS; i++)
            calib_sweep(contacts, velocity);
        double one = (calib_clock() - start) / CALIB_SWEEPS / CALIB_CONTACTS;
        least = batch == 0 || one < least ? one : least;
    }
    free(contacts);
    free(velocity);
    return least;
}

#endif
