// rod_reference.h: the rod of theory.md section 4 integrated on its own: closed-form accelerations,
// Runge–Kutta of order 4 with a tiny fixed step, bisection for events. Shares no code with the
// library.
//
// Coordinates x, y, θ of the mass centre; tip a at −L along the rod, with a spherical end of radius
// r (0: a point). The table is y = 0. It ends where tip b or a tip that had lifted lands, and where
// rigid mechanics has no single answer.
#ifndef SPRAG_TESTS_ROD_REFERENCE_H
#define SPRAG_TESTS_ROD_REFERENCE_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef enum RodMode { ROD_FLIGHT, ROD_STICK, ROD_SLIDE } RodMode;

typedef enum RodEvent {
    ROD_SEPARATION,
    ROD_SLIP_START,
    ROD_STOPS, // stick
    ROD_REVERSAL,
    ROD_LANDS,     // tip a after a flight
    ROD_TIP_B,     // tip b lands
    ROD_NONE,      // no solution, or A = 0
    ROD_AMBIGUOUS, // several solutions at zero slip
} RodEvent;

enum { ROD_MAX_EVENTS = 32 };

typedef struct RodForces {
    double A, B, normal, tangential, slip, a[3];
} RodForces;

typedef struct Rod {
    double m, I, L, r, mu_static, mu, g;
    double fx, fy, torque; // beside the weight
    double step;
    double t, y[6]; // x, y, θ and their rates
    RodMode mode;
    int k; // direction of slip
    bool ended;
    int event_count;
    struct {
        RodEvent type;
        double t;
    } events[ROD_MAX_EVENTS];
} Rod;

typedef struct RodRows {
    double ann, att, ant, B, BT, s, c, arm;
} RodRows;

static inline RodRows rod_rows(const Rod *rod, const double *y)
{
    RodRows w;
    double omega = y[5];
    w.s = sin(y[2]);
    w.c = cos(y[2]);
    w.arm = rod->L * w.s + rod->r;
    // theory.md (4.1)–(4.7) with the spherical tip of (4.2)
    w.ann = 1 / rod->m + rod->L * rod->L * w.c * w.c / rod->I;
    w.att = 1 / rod->m + w.arm * w.arm / rod->I;
    w.ant = -rod->L * w.c * w.arm / rod->I;
    w.B = rod->L * omega * omega * w.s + rod->fy / rod->m - rod->g -
          rod->L * w.c * rod->torque / rod->I;
    w.BT = rod->L * omega * omega * w.c + rod->fx / rod->m + w.arm * rod->torque / rod->I;
    return w;
}

static inline RodForces rod_forces(const Rod *rod, const double *y)
{
    RodRows w = rod_rows(rod, y);
    RodForces f = {.A = 1, .B = w.B, .slip = y[3] + w.arm * y[5]};
    if (rod->mode == ROD_SLIDE) {
        f.A = w.ann - rod->k * rod->mu * w.ant;
        f.normal = -w.B / f.A;
        f.tangential = -rod->k * rod->mu * f.normal;
    } else if (rod->mode == ROD_STICK) {
        double det = w.ann * w.att - w.ant * w.ant;
        f.normal = (-w.B * w.att + w.BT * w.ant) / det;
        f.tangential = (-w.BT * w.ann + w.B * w.ant) / det;
    }
    f.a[0] = (rod->fx + f.tangential) / rod->m;
    f.a[1] = (rod->fy + f.normal) / rod->m - rod->g;
    f.a[2] = (rod->torque - rod->L * w.c * f.normal + w.arm * f.tangential) / rod->I;
    return f;
}

static inline void rod_rate(const Rod *rod, const double *y, double *dy)
{
    RodForces f = rod_forces(rod, y);
    memcpy(dy, y + 3, 3 * sizeof *dy);
    memcpy(dy + 3, f.a, 3 * sizeof *dy);
}

// One step of length h from the present state.
static inline void rod_step(const Rod *rod, double h, double *out)
{
    double k[4][6], y[6];
    rod_rate(rod, rod->y, k[0]);
    for (int stage = 1; stage < 4; stage++) {
        double part = stage < 3 ? 0.5 * h : h;
        for (int i = 0; i < 6; i++)
            y[i] = rod->y[i] + part * k[stage - 1][i];
        rod_rate(rod, y, k[stage]);
    }
    for (int i = 0; i < 6; i++)
        out[i] = rod->y[i] + h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

// What must stay positive in the present mode, theory.md 14.2; the number of values.
static inline int rod_guards(const Rod *rod, const double *y, double *g)
{
    RodForces f = rod_forces(rod, y);
    g[0] = y[1] + rod->L * sin(y[2]) - rod->r;
    if (rod->mode == ROD_FLIGHT) {
        g[1] = y[1] - rod->L * sin(y[2]) - rod->r;
        return 2;
    }
    g[1] = rod->mode == ROD_SLIDE ? -f.B : f.normal; // no division by A
    if (rod->mode == ROD_SLIDE) {
        // without friction the direction of slip changes nothing
        g[2] = rod->mu_static > 0 ? rod->k * f.slip : 1;
        g[3] = f.A - 1e-6 / rod->m; // A and B may vanish together, theory.md 8.4
        return 4;
    }
    g[2] = rod->mu_static * f.normal - f.tangential;
    g[3] = rod->mu_static * f.normal + f.tangential;
    return 4;
}

static inline void rod_tell(Rod *rod, RodEvent type)
{
    if (rod->event_count < ROD_MAX_EVENTS) {
        rod->events[rod->event_count].type = type;
        rod->events[rod->event_count++].t = rod->t;
    }
    rod->ended |= type >= ROD_LANDS;
}

// All motions at zero slip, theory.md (4.9); sets the mode of the only one. Incipient slip has the
// static coefficient (2.3).
static inline int rod_decide_at_rest(Rod *rod)
{
    RodRows w = rod_rows(rod, rod->y);
    double det = w.ann * w.att - w.ant * w.ant, mu = rod->mu_static;
    double lN = (-w.B * w.att + w.BT * w.ant) / det, lT = (-w.BT * w.ann + w.B * w.ant) / det;
    int count = 0;
    if (w.B >= 0) {
        rod->mode = ROD_FLIGHT;
        count++;
    }
    if (lN > 0 && fabs(lT) <= mu * lN) {
        rod->mode = ROD_STICK;
        count++;
    }
    for (int k = -1; k <= 1; k += 2) {
        double A = w.ann - k * mu * w.ant, n = -w.B / A;
        if (!(n > 0) || !(k * ((w.ant - k * mu * w.att) * n + w.BT) > 0))
            continue;
        rod->mode = ROD_SLIDE;
        rod->k = k;
        count++;
    }
    return count;
}

static inline void rod_end(Rod *rod, int count)
{
    rod_tell(rod, count == 0 ? ROD_NONE : ROD_AMBIGUOUS);
}

// Takes the rounding of gap and gap rate away, so that a tip that lifts off does not land at once.
static inline void rod_close(Rod *rod)
{
    rod->y[1] = rod->L * sin(rod->y[2]) + rod->r + 1e-15;
    rod->y[4] = rod->L * cos(rod->y[2]) * rod->y[5];
}

// The event whose guard has reached zero.
static inline void rod_apply(Rod *rod, int guard)
{
    RodForces f = rod_forces(rod, rod->y);
    int old = rod->k;
    if (guard == 0) {
        rod_tell(rod, ROD_TIP_B);
    } else if (guard == 1) {
        rod_tell(rod, rod->mode == ROD_FLIGHT ? ROD_LANDS : ROD_SEPARATION);
        rod->mode = ROD_FLIGHT;
        rod_close(rod);
    } else if (rod->mode == ROD_STICK) {
        rod->mode = ROD_SLIDE;
        rod->k = f.tangential > 0 ? -1 : 1;
        f = rod_forces(rod, rod->y);
        if (f.A < 0) { // slip would have no force: table 4.2
            rod_tell(rod, f.B > 0 ? ROD_SEPARATION : ROD_NONE);
            rod->mode = ROD_FLIGHT;
            rod_close(rod);
        } else {
            rod_tell(rod, ROD_SLIP_START);
        }
    } else if (guard == 3) {
        rod_tell(rod, ROD_NONE);
    } else {
        int count = rod_decide_at_rest(rod);
        if (count != 1) {
            rod_end(rod, count);
        } else if (rod->mode == ROD_FLIGHT) {
            rod_tell(rod, ROD_SEPARATION);
            rod_close(rod);
        } else if (rod->mode == ROD_STICK) {
            rod_tell(rod, ROD_STOPS);
        } else if (rod->k != old) {
            rod_tell(rod, ROD_REVERSAL);
        }
    }
}

// Starts from the state in y: at rest by (4.9), else sliding by table 4.2.
static inline void rod_begin(Rod *rod)
{
    rod->mode = ROD_FLIGHT;
    RodForces f = rod_forces(rod, rod->y);
    int count = 1;
    if (fabs(f.slip) < 1e-12) {
        count = rod_decide_at_rest(rod);
    } else {
        rod->mode = ROD_SLIDE;
        rod->k = f.slip > 0 ? 1 : -1;
        f = rod_forces(rod, rod->y);
        if (f.A < 0 && f.B < 0)
            count = 0;
        else if (f.B > 0)
            rod->mode = ROD_FLIGHT; // the only one, or the only stable one
    }
    if (count != 1)
        rod_end(rod, count);
}

// Goes on to time t, or to the end of what the reference knows.
static inline void rod_advance(Rod *rod, double t)
{
    double next[6], g[4];
    while (!rod->ended && rod->t < t) {
        // forces grow, and change, as 1/A
        double A = rod->mode == ROD_SLIDE ? fabs(rod_forces(rod, rod->y).A) * rod->m : 1;
        double h = rod->step * fmin(1, fmax(1e-4, 3 * A)), lo = 0, hi;
        h = hi = fmin(h, t - rod->t);
        int fired = -1;
        rod_step(rod, h, next);
        int count = rod_guards(rod, next, g);
        for (int i = 0; i < count; i++)
            fired = g[i] < 0 && fired < 0 ? i : fired;
        // the earliest of the guards: shrink until no other one is below zero before
        while (fired >= 0 && hi - lo > 1e-15) {
            double middle = 0.5 * (lo + hi);
            int below = -1;
            rod_step(rod, middle, next);
            rod_guards(rod, next, g);
            for (int i = 0; i < count; i++)
                below = g[i] < 0 && below < 0 ? i : below;
            if (below >= 0) {
                hi = middle;
                fired = below;
            } else {
                lo = middle;
            }
        }
        rod_step(rod, hi, next);
        memcpy(rod->y, next, sizeof next);
        rod->t = hi == t - rod->t ? t : rod->t + hi;
        if (fired >= 0)
            rod_apply(rod, fired);
    }
}

#endif
