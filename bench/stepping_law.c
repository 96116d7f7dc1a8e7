// stepping_law.c: how far an engine's contacts are from Coulomb's law.
//
// Problem   engines differ in what they ask of normal velocities (soft contacts, depths that are
//           to vanish), but all mean Coulomb's friction: an impulse inside the cone, and opposite
//           to the slip with its full size where there is slip
// Method    at the normal impulses r_N as they are, of all contacts that press, theory.md (11.48):
//           e = (Σ w² |r_T − proj(r_T − u_T/w)|²)^½ / (Σ |q|²)^½, with the projection on the disc
//           of radius μ r_N, u_T the slip after the engine's solve, q the velocity of the contact
//           in a step without contacts and w the mean of the diagonal of its W_ii: what (11.12) is
//           for a normal law that holds. All at the places where the engine solved.
// Check     impulses and velocities must belong together: what is missing in M Δv = h f + Jᵀ r,
//           relative to Jᵀ r. Of bricks the spins are left out of it, since they turn.
#include "stepping_law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stepping_peer.h"

bool laws_create(const Workload *workload, Laws *laws)
{
    *laws = (Laws){.workload = workload};
    laws->bodies = calloc((size_t)workload->count, sizeof *laws->bodies);
    laws->errors = calloc(3 * (size_t)workload->steps, sizeof *laws->errors);
    if (!laws->bodies || !laws->errors)
        return false;
    laws->own = laws->errors + workload->steps;
    laws->closures = laws->own + workload->steps;
    return true;
}

void laws_destroy(Laws *laws)
{
    free(laws->bodies);
    free(laws->errors);
}

// ---- Small vectors ------------------------------------------------------------------------------

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// ---- Bodies -------------------------------------------------------------------------------------

// Moments of inertia, as the body lay at the start.
static void find_inertia(const Workload *w, double *inertia)
{
    const double *h = w->half;
    for (int k = 0; k < 3; k++) {
        double a = h[(k + 1) % 3], b = h[(k + 2) % 3];
        inertia[k] = w->balls ? 0.4 * w->mass * h[0] * h[0] : w->mass * (a * a + b * b) / 3;
    }
    if (w->dimension == 2) {
        inertia[0] = inertia[1] = INFINITY;
        inertia[2] = w->mass * (h[0] * h[0] + h[1] * h[1]) / 3;
    }
}

// Velocity of a point of a body: before the step without contacts, or after it.
static void add_velocity(const Workload *w, const LawBody *body, const double *arm, double sign,
                         double *before, double *after)
{
    double turn[3], turn_after[3];
    cross(body->spin, arm, turn);
    cross(body->spin_after, arm, turn_after);
    for (int k = 0; k < 3; k++) {
        before[k] += sign * (body->v[k] + w->step * w->gravity[k] + turn[k]);
        after[k] += sign * (body->v_after[k] + turn_after[k]);
    }
}

// Trace of the body's part of W_ii: 1/m in each direction e, and (arm × e)² over the inertia.
static double find_trace(const Workload *w, const double *arm)
{
    double inertia[3], trace = w->dimension / w->mass;
    find_inertia(w, inertia);
    for (int k = 0; k < 3; k++) // sum over e of (arm × e)_k² is |arm|² − arm_k²
        trace += (dot(arm, arm) - arm[k] * arm[k]) / inertia[k];
    return trace;
}

static void give(LawBody *body, const double *arm, const double *impulse, double sign)
{
    double moment[3];
    cross(arm, impulse, moment);
    for (int k = 0; k < 3; k++) {
        body->given[k] += sign * impulse[k];
        body->given[3 + k] += sign * moment[k];
    }
}

// ---- Contacts -----------------------------------------------------------------------------------

// w |r_T − proj(r_T − u_T/w)|, squared.
static double miss_square(const double *tangential, const double *slip, double most, double w)
{
    double x[3], sum = 0;
    for (int k = 0; k < 3; k++)
        x[k] = tangential[k] - slip[k] / w;
    double length = sqrt(dot(x, x)), scale = length > most ? most / length : 1;
    for (int k = 0; k < 3; k++) {
        double miss = w * (tangential[k] - scale * x[k]);
        sum += miss * miss;
    }
    return sum;
}

// The same along the engine's directions, each with bounds of its own.
static double own_miss_square(const LawContact *c, const double *slip, double most, double w)
{
    double sum = 0;
    for (int k = 0; k < c->ways; k++) {
        double r = dot(c->impulse, c->way[k]), x = r - dot(slip, c->way[k]) / w;
        double miss = w * (r - fmax(-most, fmin(most, x)));
        sum += miss * miss;
    }
    return sum;
}

void law_contact(Laws *laws, const LawContact *c)
{
    const Workload *w = laws->workload;
    double before[3] = {0}, after[3] = {0}, slip[3], tangential[3], trace = 0;
    double normal = dot(c->impulse, c->normal);
    for (int side = 0; side < 2; side++) {
        if (c->body[side] < 0)
            continue;
        LawBody *body = &laws->bodies[c->body[side]];
        double sign = side == 0 ? 1 : -1;
        add_velocity(w, body, c->arm[side], sign, before, after);
        trace += find_trace(w, c->arm[side]);
        give(body, c->arm[side], c->impulse, sign);
    }
    if (!(dot(c->impulse, c->impulse) > 0))
        return;
    double leaves = dot(after, c->normal);
    for (int k = 0; k < 3; k++) {
        tangential[k] = c->impulse[k] - normal * c->normal[k];
        slip[k] = after[k] - leaves * c->normal[k];
        laws->rubbed[k] += tangential[k];
    }
    double most = w->friction * fmax(0, normal), mean = trace / w->dimension;
    double miss = miss_square(tangential, slip, most, mean);
    laws->miss += miss;
    laws->own_miss += c->ways > 0 ? own_miss_square(c, slip, most, mean) : miss;
    laws->scale += dot(before, before);
}

// ---- Steps --------------------------------------------------------------------------------------

// What impulses and forces do not explain of the change of a body's momentum, squared.
static double open_momentum(const Workload *w, LawBody *body, double *given)
{
    double inertia[3], sum = 0;
    find_inertia(w, inertia);
    bool turns = w->balls || w->dimension == 2;
    for (int k = 0; k < 3; k++) {
        double open = w->mass * (body->v_after[k] - body->v[k] - w->step * w->gravity[k]);
        open -= body->given[k];
        sum += open * open;
        *given += body->given[k] * body->given[k];
        if (!turns || isinf(inertia[k]))
            continue;
        // moments over the half size count as momenta
        open = inertia[k] * (body->spin_after[k] - body->spin[k]) - body->given[3 + k];
        sum += open * open / (w->half[0] * w->half[0]);
    }
    memset(body->given, 0, sizeof body->given);
    return sum;
}

static void follow(Laws *laws)
{
    const Workload *w = laws->workload;
    for (int k = 0; k < w->dimension - 1; k++) {
        double before = laws->speed[k];
        laws->speed[k] += w->step * w->gravity[k] + laws->rubbed[k] / w->mass;
        if (laws->seen >= w->steps / 2)
            laws->way[k] += w->step * (before + laws->speed[k]) / 2;
    }
    memset(laws->rubbed, 0, sizeof laws->rubbed);
    laws->seen++;
}

void law_end_step(Laws *laws)
{
    const Workload *w = laws->workload;
    double open = 0, given = 0;
    for (int i = 0; i < w->count; i++)
        open += open_momentum(w, &laws->bodies[i], &given);
    if (laws->scale > 0 && laws->steps < w->steps) {
        laws->errors[laws->steps] = sqrt(laws->miss / laws->scale);
        laws->own[laws->steps] = sqrt(laws->own_miss / laws->scale);
        laws->closures[laws->steps++] = given > 0 ? sqrt(open / given) : 0;
    }
    laws->miss = laws->own_miss = laws->scale = 0;
    follow(laws);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

void laws_conclude(Laws *laws)
{
    size_t n = (size_t)laws->steps;
    if (n == 0)
        return;
    qsort(laws->errors, n, sizeof *laws->errors, compare);
    qsort(laws->own, n, sizeof *laws->own, compare);
    qsort(laws->closures, n, sizeof *laws->closures, compare);
    laws->median = laws->errors[n / 2];
    laws->worst = laws->errors[n - 1];
    laws->own_median = laws->own[n / 2];
    laws->closure = laws->closures[n / 2];
}
