// impact_path.c: several contacts, energetic, along the impulse path with ratios of compliance.
// Problem   theory.md 10.13: layers F_i = k_i δ_i^η_i share the impulse, dP_i = F_i dt; what a
//           layer has stored is given back times e_i²; friction by Coulomb on the way
//           (10.32)–(10.35)
// Method    the path over the time of the layers instead of one of its impulses: smooth at its
//           start, where stored energies are zero and their ratios are not defined, and no primary
//           impulse to switch. Arcs with fixed phases (idle, loading, unloading; slip or rest) by
//           the Runge–Kutta pair of the numeric room, ends by its root finder; by its implicit
//           method where slip grows much slower than friction turns it. At rest friction is the
//           unique minimum of a convex problem, since normal forces are given: no paradox
// Scaled    velocities, normal mobility and stiffness have a largest value of 1
// Result    impulses to about 1e-10, in space to 1e-8 where slip begins or ends on the way; normal
//           energy is never made, whatever the errors, since the phases' stored energies are
//           counted exactly
#include <math.h>
#include <string.h>

#include "impact_path.h"

// A contact that gives back less than this part of its impulse gives nothing.
static const double ZERO_RESTITUTION = 1e-5;
// A contact without approach that jams begins with this deformation, theory.md 10.7.
static const double SEED = 1e-8;
// Scaled velocities of a body that is wedged in, and the part of its forces that is not balanced.
static const double WEDGED = 1e-9;
// Energy is settled by changing impulses by less than this part, where that changes energy at a
// rate that is more than this part of what was exchanged.
static const double SETTLE_MOST = 1e-8, SETTLE_SLOPE = 1e-3;
static const long MAX_STEPS = 10000;

static SpragStatus allocate(SpragArena *arena, struct ImpactPath *path)
{
    size_t n = (size_t)path->rows + 1, s = (size_t)path->states + 1;
    path->contacts = sprag_arena_alloc(arena, (size_t)path->count + 1, sizeof *path->contacts);
    path->W = sprag_arena_alloc(arena, n * n, sizeof(double));
    path->before = sprag_arena_alloc(arena, n, sizeof(double));
    path->y = sprag_arena_alloc(arena, s, sizeof(double));
    path->probe = sprag_arena_alloc(arena, s, sizeof(double));
    path->absolute = sprag_arena_alloc(arena, s, sizeof(double));
    path->u = sprag_arena_alloc(arena, n, sizeof(double));
    path->probe_u = sprag_arena_alloc(arena, n, sizeof(double));
    path->rate = sprag_arena_alloc(arena, n, sizeof(double));
    if (!path->contacts || !path->absolute || !path->W || !path->before || !path->y ||
        !path->probe || !path->u || !path->probe_u || !path->rate)
        return SPRAG_ERROR_MEMORY;
    return impact_friction_create(arena, path->count, &path->friction);
}

// What was stored, given back and lost to friction in the arc that ends at y.
static void close_arc(struct ImpactPath *path, ImpactSystem *system, double unit)
{
    for (int i = 0; i < path->count; i++) {
        PathContact *c = &path->contacts[i];
        SpragImpactLoss *loss = &system->contacts[i].loss;
        double depth = path->y[path->rows + i], work = path->y[path->rows + path->count + i];
        double stored = unit * (impact_path_energy(c, depth) - impact_path_energy(c, c->depth));
        if (c->phase == UNLOADING) {
            loss->normal_restitution += c->e_squared * stored;
            loss->tangential_restitution += unit * (work - c->work);
        } else {
            loss->normal_compression += stored;
            loss->tangential_compression += unit * (work - c->work);
        }
    }
}

static void open_arc(struct ImpactPath *path)
{
    for (int i = 0; i < path->count; i++) {
        path->contacts[i].depth = path->y[path->rows + i];
        path->contacts[i].work = path->y[path->rows + path->count + i];
    }
}

// Whether nothing moves and the layers' forces hold each other: a body that is wedged in. What they
// have stored stays there.
static bool is_wedged(struct ImpactPath *path)
{
    int n = path->rows;
    double most = 0, rate = 0;
    for (int r = 0; r < n; r++)
        if (!(fabs(path->u[r]) <= WEDGED))
            return false;
    impact_path_forces(path, path->y + n, path->u);
    for (int r = 0; r < n; r++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += path->W[r * n + j] * path->rate[j];
        rate = fmax(rate, fabs(sum));
        most = fmax(most, fabs(path->rate[r]));
    }
    return rate <= WEDGED * most;
}

// Whether nothing moves faster than what counts as rest, and as little is stored. Slip that is left
// at rest goes on, and where it carries a body from one layer to another and back (in a groove that
// holds it) friction gives what the layers lose: that has no end.
static bool is_carried(const struct ImpactPath *path, double stored)
{
    double left = 0, most = 0;
    for (int i = 0; i < path->count; i++) {
        const PathContact *c = &path->contacts[i];
        const double *S = path->u + c->row + 1;
        if (c->tangents == 2 && c->rest && c->phase != IDLE) // what others move slides at will
            left = fmax(left, 2 * hypot(S[0], S[1]));
    }
    for (int r = 0; r < path->rows; r++)
        most = fmax(most, fabs(path->u[r]));
    return most <= left && stored <= left * left;
}

// Idle contacts that approach begin; true: none approaches, and none has anything stored.
static bool is_over(struct ImpactPath *path)
{
    double stored = 0;
    bool approach = false;
    for (int i = 0; i < path->count; i++) {
        PathContact *c = &path->contacts[i];
        bool nears = path->u[c->row] < -IMPACT_PATH_ZERO_SPEED;
        if (c->phase == IDLE && nears)
            impact_path_begin_loading(c, path->u);
        approach |= nears;
        stored += c->phase == IDLE ? 0 : impact_path_energy(c, path->y[path->rows + i]);
    }
    return (!approach && stored <= IMPACT_PATH_ZERO_SPEED * IMPACT_PATH_ZERO_SPEED) ||
           is_carried(path, stored) || is_wedged(path);
}

static SpragStatus load(SpragArena *arena, struct ImpactPath *path, const ImpactSystem *system,
                        double *mobility)
{
    int n = path->rows = system->rows;
    path->count = system->count;
    path->states = 2 * n + 2 * system->count;
    SPRAG_TRY(allocate(arena, path));
    double stiffest = 0;
    *mobility = 0;
    for (int i = 0; i < system->count; i++) {
        const ImpactItem *item = &system->items[i];
        *mobility = fmax(*mobility, system->W[item->row * n + item->row]);
        stiffest = fmax(stiffest, item->rule.stiffness);
    }
    for (int i = 0; i < n * n; i++)
        path->W[i] = system->W[i] / *mobility;
    for (int i = 0; i < n; i++)
        path->before[i] = system->before[i] / system->scale;
    for (int i = 0; i < system->count; i++) {
        const ImpactItem *item = &system->items[i];
        path->contacts[i] = (PathContact){
            .row = item->row,
            .tangents = item->friction_static > 0 ? item->row_count - 1 : 0,
            .mu = fmin(item->friction, IMPACT_PATH_FRICTION_MAX),
            .mu_static = fmin(item->friction_static, IMPACT_PATH_FRICTION_MAX),
            .k = item->rule.stiffness / stiffest,
            .eta = item->rule.exponent,
            .e_squared = item->rule.e > ZERO_RESTITUTION ? item->rule.e * item->rule.e : 0};
    }
    memcpy(path->u, path->before, (size_t)n * sizeof *path->u);
    memcpy(path->y + n + 2 * system->count, path->before, (size_t)n * sizeof *path->y);
    return SPRAG_OK;
}

// Nothing approaches: contacts that jam while they slip are pressed a little.
static void seed(struct ImpactPath *path, const ImpactSystem *system)
{
    for (int i = 0; i < path->count; i++) {
        SpragSingleImpact single;
        SpragSingleResult one;
        if (system->before[system->items[i].row] != 0)
            continue;
        impact_system_single(system, i, system->before, &single);
        sprag_impact_single(&single, &one);
        if (!one.tangential)
            continue;
        impact_path_begin_loading(&path->contacts[i], path->u);
        path->y[path->rows + i] = SEED;
    }
}

// Ends the arc at path->y.
static void end_arc(struct ImpactPath *path, ImpactSystem *system, double unit)
{
    impact_path_velocities(path, path->y, path->u);
    close_arc(path, system, unit);
}

// One arc: steps until an event; none is left if it cannot be followed.
static SpragStatus follow_arc(struct ImpactPath *path, ImpactSystem *system, double unit,
                              PathPace *pace)
{
    SpragStep step;
    SpragRoot root = {.outcome = SPRAG_ROOT_NONE};
    SpragRootProblem problem = {
        .count = 3 * path->count, .function = impact_path_events, .user = path, .guards = true};
    int directions[3 * IMPACT_PATH_CONTACTS];
    double zeros[3 * IMPACT_PATH_CONTACTS];
    for (int i = 0; i < problem.count; i++) {
        directions[i] = -1;
        zeros[i] = 0;
    }
    problem.directions = directions;
    problem.zeros = zeros;
    SPRAG_TRY(impact_path_restart(path, path->plain, 0, path->y, pace->guess));
    open_arc(path);
    pace->turning = 0;
    pace->limited = pace->looks = 0;
    while (root.outcome != SPRAG_ROOT_FOUND && pace->left > 0) {
        SPRAG_TRY(impact_path_step(path, pace, &step));
        if (step.outcome != SPRAG_STEP_DONE && step.outcome != SPRAG_STEP_AT_STOP) {
            pace->left = 0;
            return SPRAG_OK;
        }
        problem.t_begin = step.t_old;
        problem.t_end = step.t_new;
        path->status = SPRAG_OK;
        SpragStatus status = sprag_root_find(path->finder, &problem, &root);
        SPRAG_TRY(path->status);
        SPRAG_TRY(status);
        if (root.outcome != SPRAG_ROOT_FOUND && impact_path_rest_held(path, pace)) {
            memcpy(path->y, path->probe, (size_t)path->states * sizeof *path->y);
            end_arc(path, system, unit);
            return SPRAG_OK;
        }
    }
    if (root.outcome != SPRAG_ROOT_FOUND) {
        pace->left = 0;
        return SPRAG_OK;
    }
    SPRAG_TRY(sprag_integrator_evaluate(path->integrator, root.after, path->y));
    end_arc(path, system, unit);
    impact_path_fire(path, root.fired);
    return SPRAG_OK;
}

// Scales the impulses so that the account is exact: the errors of integration, which could look
// like energy made, go into the last digits of the impulses instead.
static void settle_energy(ImpactSystem *system)
{
    double loss = 0, change = 0, slope = 0, size = 0;
    for (int i = 0; i < system->count; i++) {
        const SpragImpactLoss *part = &system->contacts[i].loss;
        loss += part->normal_compression + part->normal_restitution + part->tangential_compression +
                part->tangential_restitution;
    }
    for (int r = 0; r < system->rows; r++) {
        change += 0.5 * system->impulse[r] * (system->before[r] + system->after[r]);
        slope += system->impulse[r] * system->after[r];
        size += fabs(system->impulse[r] * system->before[r]);
    }
    double move = -(loss + change) / slope;
    if (!(fabs(slope) > SETTLE_SLOPE * size && fabs(move) < SETTLE_MOST))
        return;
    for (int r = 0; r < system->rows; r++)
        system->impulse[r] *= 1 + move;
    impact_system_velocities(system, system->after);
}

// What is left of slip at rest is none.
static void end_rests(const struct ImpactPath *path, ImpactSystem *system)
{
    for (int i = 0; i < path->count; i++) {
        const PathContact *c = &path->contacts[i];
        double *S = system->after + c->row + 1;
        double most = 4 * impact_path_rest_speed(c) * system->scale;
        for (int k = 0; c->tangents == 2 && hypot(S[0], S[1]) <= most && k < 2; k++)
            S[k] = 0;
    }
}

SpragStatus impact_path(SpragImpact *impact, ImpactSystem *system, bool *found)
{
    double mobility;
    int approaching;
    PathPace pace = {.left = MAX_STEPS};
    *found = false;
    if (system->count > IMPACT_PATH_CONTACTS)
        return SPRAG_OK;
    SPRAG_TRY(impact_path_prepare(impact, 2 * system->rows + 2 * system->count));
    struct ImpactPath *path = impact->path;
    SPRAG_TRY(load(impact->arena, path, system, &mobility));
    if (!(mobility > 0 && system->scale > 0)) {
        // nothing moves, or nothing can be moved
        memcpy(system->after, system->before, (size_t)system->rows * sizeof *system->after);
        *found = !(system->scale > 0);
        return SPRAG_OK;
    }
    double unit = system->scale * system->scale / mobility;
    if (impact_system_approach(system, system->before, &approaching) <= 0)
        seed(path, system);
    pace.interrupt = impact->interrupt;
    while (!is_over(path)) {
        SPRAG_TRY(follow_arc(path, system, unit, &pace));
        if (pace.left <= 0)
            return SPRAG_OK;
    }
    for (int i = 0; i < path->rows; i++)
        system->impulse[i] = path->y[i] * system->scale / mobility;
    impact_system_velocities(system, system->after);
    settle_energy(system);
    end_rests(path, system);
    *found = true;
    return SPRAG_OK;
}
