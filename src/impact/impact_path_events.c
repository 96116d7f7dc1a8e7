// impact_path_events.c: what ends an arc of the impulse path, and what is different after it.
// Problem   theory.md (10.33), (10.34): approach that changes its sign, layers that are empty, slip
//           that begins, ends or reverses
// Method    margins that are positive while an arc goes on, for the root finder
#include <math.h>

#include "impact_path.h"

// C of a contact at work has changed its sign when it is this far beyond zero: contacts that a wave
// has not reached do not turn to and fro. An idle one begins where is_over() would have it begin: a
// line that it may have crossed before an arc begins would never be crossed in it.
static const double TURN_SPEED = 1e-12;
// Slip that leaves rest is slip beyond this, in the plane and in space; in space it is rest below
// half of it. Friction of slip turns with it at a rate like one over its size, and the steps that
// follow that are the more the smaller it is; friction at rest that does not suffice is against the
// acceleration of slip, which is the direction of one that begins. Slip below twice of it is rest
// in space too where a contact comes to rest beside it: both may be of one body, and the one holds
// what is left of the other's slip.
static const double REST_SPEED[2] = {1e-10, 1e-8};
// Slip below this many times that of rest may be held by others at rest of the same body, which
// leave it no way to end: friction slows it by less than this part of what it could alone, and
// keeps it as it is if it counts as rest too.
static const double HELD = 100, HARDLY = 1e-3;

double impact_path_rest_speed(const PathContact *c)
{
    return REST_SPEED[c->tangents == 2 ? 1 : 0];
}

// ≥ 0 while the contact keeps its kind of slip.
static double slip_margin(const PathContact *c, const double *u)
{
    if (c->tangents == 0 || c->phase == IDLE)
        return 1;
    const double *S = u + c->row + 1;
    double y = c->tangents == 2 ? S[1] : 0;
    if (c->rest)
        return impact_path_rest_speed(c) -
               hypot(S[0] - c->mark[0], c->tangents == 2 ? y - c->mark[1] : 0);
    // a speed that passes zero between two looks is positive at both: its part along a direction is
    // not. That part also vanishes where slip has turned by a right angle
    return c->tangents == 2 ? S[0] * c->mark[0] + y * c->mark[1] - 0.5 * impact_path_rest_speed(c)
                            : c->side * S[0];
}

// How well approaches are known: as slips are.
static double known_speed(const struct ImpactPath *path)
{
    double speed = 0;
    for (int i = 0; i < path->count; i++)
        speed = fmax(speed, impact_path_rest_speed(&path->contacts[i]));
    return speed;
}

// ≥ 0 while the contact keeps its phase, as far as its approach goes. One that unloads may have
// begun to with an approach left that is not known to be one.
static double turn_margin(const PathContact *c, double C, double known)
{
    if (c->phase == IDLE)
        return IMPACT_PATH_ZERO_SPEED + C;
    return c->phase == LOADING ? TURN_SPEED - C : 2 * known + C;
}

static void event_values(const struct ImpactPath *path, const double *y, const double *u,
                         double *values)
{
    int m = path->count;
    double known = known_speed(path);
    for (int i = 0; i < m; i++) {
        const PathContact *c = &path->contacts[i];
        // while loading C is negative, else it is not: each leaves its side downwards
        values[i] = turn_margin(c, u[c->row], known);
        values[m + i] = c->phase == UNLOADING ? y[path->rows + i] : 1;
        values[2 * m + i] = slip_margin(c, u);
    }
}

int impact_path_events(double t, double *values, void *user)
{
    struct ImpactPath *path = user;
    path->status = sprag_integrator_evaluate(path->integrator, t, path->probe);
    if (path->status != SPRAG_OK)
        return -1;
    impact_path_velocities(path, path->probe, path->probe_u);
    event_values(path, path->probe, path->probe_u, values);
    return 0;
}

static void set_slip(PathContact *c, const double *u)
{
    const double *S = u + c->row + 1;
    double speed = c->tangents == 2 ? hypot(S[0], S[1]) : c->tangents == 1 ? fabs(S[0]) : 0;
    c->rest = c->tangents > 0 && speed <= impact_path_rest_speed(c);
    c->side = c->tangents == 1 && S[0] < 0 ? -1 : 1;
    c->mark[0] = c->tangents > 0 ? S[0] : 0;
    c->mark[1] = c->tangents == 2 ? S[1] : 0;
    if (!c->rest && c->tangents == 2) {
        c->mark[0] /= speed;
        c->mark[1] /= speed;
    }
}

static void start_slip(PathContact *c, const double *u)
{
    const double *S = u + c->row + 1;
    double from[2] = {S[0] - c->mark[0], c->tangents == 2 ? S[1] - c->mark[1] : 0};
    double speed = hypot(from[0], from[1]);
    c->rest = false;
    c->side = S[0] < 0 ? -1 : 1;
    c->mark[0] = from[0] / speed;
    c->mark[1] = from[1] / speed;
}

static void rest_as_is(PathContact *c, const double *u)
{
    c->rest = true;
    c->mark[0] = u[c->row + 1];
    c->mark[1] = c->tangents == 2 ? u[c->row + 2] : 0;
}

// Slip that has come to rest; in space it may only have turned.
static void end_slip(PathContact *c, const double *u)
{
    const double *S = u + c->row + 1;
    if (c->tangents == 2 && hypot(S[0], S[1]) > 2 * impact_path_rest_speed(c)) {
        set_slip(c, u);
        return;
    }
    rest_as_is(c, u);
}

// Rate of change of a contact's slip under path->rate.
static void slip_rate(const struct ImpactPath *path, const PathContact *c, double a[2])
{
    for (int k = 0; k < 2; k++) {
        const double *W = path->W + (size_t)(c->row + 1 + k) * (size_t)path->rows;
        a[k] = 0;
        for (int j = 0; j < path->rows; j++)
            a[k] += W[j] * path->rate[j];
    }
}

// What its own friction would change of a slip in a unit of time, alone.
static double own_rate(const struct ImpactPath *path, const PathContact *c, double depth)
{
    const double *W = path->W + (size_t)(c->row + 1) * (size_t)(path->rows + 1);
    return c->mu * fmax(W[0], W[path->rows + 1]) * impact_path_force(c, depth);
}

// Slow slips that friction hardly slows.
static bool hardly_slowed(const struct ImpactPath *path, const PathContact *c, double depth,
                          const double *u)
{
    const double *S = u + c->row + 1;
    double speed = hypot(S[0], S[1]), a[2];
    if (c->tangents < 2 || c->rest || c->phase == IDLE ||
        !(speed <= HELD * impact_path_rest_speed(c)))
        return false;
    slip_rate(path, c, a);
    return S[0] * a[0] + S[1] * a[1] >= -HARDLY * own_rate(path, c, depth) * speed;
}

bool impact_path_end_held(struct ImpactPath *path, const double *y, const double *u)
{
    const double *depth = y + path->rows;
    bool held[IMPACT_PATH_CONTACTS], any = false;
    impact_path_forces(path, depth, u);
    for (int i = 0; i < path->count; i++)
        any |= held[i] = hardly_slowed(path, &path->contacts[i], depth[i], u);
    if (!any)
        return false;
    for (int i = 0; i < path->count; i++)
        if (held[i])
            rest_as_is(&path->contacts[i], u);
    impact_path_forces(path, depth, u);
    any = false;
    for (int i = 0; i < path->count; i++) {
        PathContact *c = &path->contacts[i];
        double a[2];
        if (!held[i])
            continue;
        slip_rate(path, c, a);
        held[i] = hypot(a[0], a[1]) <= HARDLY * own_rate(path, c, depth[i]);
        any |= held[i];
        if (!held[i])
            set_slip(c, u);
    }
    return any;
}

// Contacts beside one that has come to rest.
static void end_slips_beside(struct ImpactPath *path)
{
    for (int i = 0; i < path->count; i++) {
        PathContact *c = &path->contacts[i];
        const double *S = path->u + c->row + 1;
        if (c->tangents == 2 && !c->rest && c->phase != IDLE &&
            hypot(S[0], S[1]) <= 2 * impact_path_rest_speed(c))
            end_slip(c, path->u);
    }
    impact_path_end_held(path, path->y, path->u);
}

void impact_path_begin_loading(PathContact *c, const double *u)
{
    if (c->phase == IDLE)
        set_slip(c, u);
    c->phase = LOADING;
}

// Whether the compression of some contact ends. Others whose approach is over as far as it is known
// end theirs with it: those of one edge do so together, and what only one of them gives back would
// press on the other side alone, and turn a body that has no reason to turn to either side.
static bool ends_compression(const struct ImpactPath *path, const int *fired)
{
    for (int i = 0; i < path->count; i++)
        if (fired[i] && path->contacts[i].phase == LOADING)
            return true;
    return false;
}

void impact_path_fire(struct ImpactPath *path, const int *fired)
{
    int m = path->count;
    bool stops = false, ends = ends_compression(path, fired);
    double known = known_speed(path);
    for (int i = 0; i < m; i++) {
        PathContact *c = &path->contacts[i];
        double *depth = path->y + path->rows + i;
        if (fired[2 * m + i] && c->rest) {
            start_slip(c, path->u);
        } else if (fired[2 * m + i]) {
            end_slip(c, path->u);
            stops |= c->rest;
        }
        bool turns = fired[i] || (ends && c->phase == LOADING && path->u[c->row] >= -known);
        if (fired[m + i] || (turns && c->phase == LOADING && c->e_squared == 0)) {
            c->phase = IDLE;
            *depth = 0;
        } else if (turns && c->phase == LOADING) {
            c->phase = UNLOADING;
        } else if (turns) {
            impact_path_begin_loading(c, path->u);
        }
    }
    if (stops)
        end_slips_beside(path);
}
