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

#include "impact_friction.h"
#include "impact_system.h"
#include "sprag/integrate.h"

static const double RELATIVE = 1e-11, ABSOLUTE = 1e-12;
// Scaled approaches below this are none, and so is stored energy that could not make a faster one:
// bodies caught between contacts come to rest geometrically.
static const double ZERO_SPEED = 1e-10;
// C of a contact at work has changed its sign when it is this far beyond zero: contacts that a wave
// has not reached do not turn to and fro. An idle one begins where is_over() would have it begin: a
// line that it may have crossed before an arc begins would never be crossed in it.
static const double TURN_SPEED = 1e-12;
// A contact that gives back less than this part of its impulse gives nothing.
static const double ZERO_RESTITUTION = 1e-5;
// Slip that leaves rest is slip beyond this, in the plane and in space; in space it is rest below
// half of it. Friction of slip turns with it at a rate like one over its size, and the steps that
// follow that are the more the smaller it is; friction at rest that does not suffice is against the
// acceleration of slip, which is the direction of one that begins. Slip below twice of it is rest
// in space too where a contact comes to rest beside it: both may be of one body, and the one holds
// what is left of the other's slip.
static const double REST_SPEED[2] = {1e-10, 1e-8};
// A contact without approach that jams begins with this deformation, theory.md 10.7.
static const double SEED = 1e-8;
// Scaled velocities of a body that is wedged in, and the part of its forces that is not balanced.
static const double WEDGED = 1e-9;
// Energy is settled by changing impulses by less than this part, where that changes energy at a
// rate that is more than this part of what was exchanged.
static const double SETTLE_MOST = 1e-8, SETTLE_SLOPE = 1e-3;
// Steps times the rate of a decay, at most: the explicit method is stable up to 6.
static const double STABLE = 5;
static const long MAX_STEPS = 10000;
// After so many steps at that limit in an arc the implicit method goes on: slip that begins with
// friction just too small for rest grows by a small part of itself in each of them.
enum { LIMITED_STEPS = 100 };
// Rates of turning that differ by more than this factor need other slopes.
static const double OTHER = 1.5;

// Slip below this many times that of rest which does not change by what counts as slip in so many
// steps of the implicit method is held by others at rest: they leave it no way to end.
static const double HELD = 100;
enum { HELD_STEPS = 100 };

typedef enum Phase { IDLE, LOADING, UNLOADING } Phase;

typedef struct PathContact {
    int row, tangents;
    double mu, mu_static, k, eta, e_squared;
    Phase phase;
    bool rest;
    double side;        // plane: sign of the slip
    double mark[2];     // slip at which it came to rest; in space while it slips: a direction that
                        // its slip had
    double seen[2];     // slip some steps of the implicit method ago
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

void impact_path_destroy(SpragContext *context, struct ImpactPath *path)
{
    if (!path)
        return;
    sprag_integrator_destroy(path->plain);
    sprag_integrator_destroy(path->stiff);
    sprag_root_finder_destroy(path->finder);
    sprag_free(context, path);
}

static int derivative(double t, const double *y, double *dy, void *user);

static SpragStatus prepare(SpragImpact *impact, int states)
{
    struct ImpactPath *path = impact->path;
    if (!path) {
        path = impact->path = sprag_alloc(impact->context, 1, sizeof *path);
        if (!path)
            return SPRAG_ERROR_MEMORY;
        path->context = impact->context;
    }
    if (!path->finder)
        SPRAG_TRY(sprag_root_finder_create(impact->context, NULL, &path->finder));
    if (states > path->capacity) {
        int capacity = 2 * states;
        SpragIntegratorSettings settings = sprag_integrator_default();
        settings.relative = RELATIVE;
        settings.absolute = ABSOLUTE;
        sprag_integrator_destroy(path->plain);
        sprag_integrator_destroy(path->stiff); // made again when it is wanted
        path->plain = path->stiff = NULL;
        path->capacity = 0;
        SPRAG_TRY(sprag_integrator_create(impact->context, capacity, derivative, path, &settings,
                                          &path->plain));
        path->capacity = capacity;
    }
    path->integrator = path->plain;
    return SPRAG_OK;
}

// Dependent rows (two corners on one floor) leave open how they share friction, and what is chosen
// is known to fewer digits than velocities are. These follow their own states, which are as exact:
// u = u_before + W P is kept by every step. Impulses of friction then need no tolerance, but for
// those of slip in the implicit method: they are what it iterates.
static void set_tolerances(struct ImpactPath *path, bool implicit)
{
    const double any = 1e30;
    for (int i = 0; i < path->states; i++)
        path->absolute[i] = ABSOLUTE;
    for (int i = 0; i < path->count; i++)
        for (int k = 1; k <= path->contacts[i].tangents; k++)
            if (!implicit || path->contacts[i].rest)
                path->absolute[path->contacts[i].row + k] = any;
}

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

// ---- Forces -------------------------------------------------------------------------------------

static double force_of(const PathContact *c, double depth)
{
    if (c->phase == IDLE || !(depth > 0))
        return 0;
    return c->eta == 1 ? c->k * depth : c->k * pow(depth, c->eta);
}

static double energy_of(const PathContact *c, double depth)
{
    return depth > 0 ? c->k * pow(depth, c->eta + 1) / (c->eta + 1) : 0;
}

static void velocities(const struct ImpactPath *path, const double *P, double *u)
{
    int n = path->rows;
    for (int i = 0; i < n; i++) {
        double sum = path->before[i];
        for (int j = 0; j < n; j++)
            sum += path->W[i * n + j] * P[j];
        u[i] = sum;
    }
}

// Impulses per unit of time in all rows at the velocities u: path->rate.
static void forces(struct ImpactPath *path, const double *depth, const double *u)
{
    ImpactFriction *friction = &path->friction;
    friction->count = 0;
    for (int i = 0; i < path->count; i++) {
        const PathContact *c = &path->contacts[i];
        double *rate = path->rate + c->row, F = force_of(c, depth[i]);
        rate[0] = F;
        if (c->tangents == 0)
            continue;
        if (c->rest) {
            // dependent rows (two corners on one floor) leave their sum free to share: the same
            // share at the same state, or no step of the integration succeeds
            for (int k = 1; k <= c->tangents; k++)
                rate[k] = 0;
            impact_friction_add(friction, c->row + 1, c->tangents, c->mu_static * F);
        } else if (c->tangents == 1) {
            rate[1] = -c->side * c->mu * F;
        } else {
            double speed = hypot(u[c->row + 1], u[c->row + 2]);
            double ratio = speed > 0 ? c->mu * F / speed : 0;
            rate[1] = -ratio * u[c->row + 1];
            rate[2] = -ratio * u[c->row + 2];
        }
    }
    impact_friction_solve(friction, path->rows, path->W, path->rate);
}

static double depth_rate(const PathContact *c, double C)
{
    return c->phase == LOADING ? -C : c->phase == UNLOADING ? -C / c->e_squared : 0;
}

static int derivative(double t, const double *y, double *dy, void *user)
{
    (void)t;
    struct ImpactPath *path = user;
    const double *depth = y + path->rows;
    velocities(path, y, path->u);
    forces(path, depth, path->u);
    memcpy(dy, path->rate, (size_t)path->rows * sizeof *dy);
    for (int i = 0; i < path->count; i++) {
        const PathContact *c = &path->contacts[i];
        double power = 0;
        for (int k = 1; k <= c->tangents; k++)
            power -= path->rate[c->row + k] * path->u[c->row + k];
        dy[path->rows + i] = depth_rate(c, path->u[c->row]);
        dy[path->rows + path->count + i] = power;
    }
    double *du = dy + path->rows + 2 * path->count;
    for (int i = 0; i < path->rows; i++) {
        du[i] = 0;
        for (int j = 0; j < path->rows; j++)
            du[i] += path->W[i * path->rows + j] * path->rate[j];
    }
    return 0;
}

static double stiffness_of(const PathContact *c, double depth)
{
    if (c->phase == IDLE || !(depth > 0))
        return 0;
    return c->eta == 1 ? c->k : c->k * c->eta * pow(depth, c->eta - 1);
}

// Slopes of the force of friction in slip: a row for each tangent, over all states.
static void friction_slopes(const struct ImpactPath *path, const PathContact *c, double depth,
                            const double *u, int at, double *J)
{
    const double *S = u + c->row + 1;
    double speed = c->tangents == 2 ? hypot(S[0], S[1]) : 1, F = force_of(c, depth);
    double along[2] = {c->side, 0};
    if (!(speed > 0))
        return;
    for (int k = 0; k < 2 && c->tangents == 2; k++)
        along[k] = S[k] / speed;
    for (int k = 0; k < c->tangents; k++) {
        double *row = J + (size_t)(c->row + 1 + k) * (size_t)path->states;
        row[at] = -c->mu * stiffness_of(c, depth) * along[k];
        for (int l = 0; l < c->tangents && c->tangents == 2; l++) {
            double turn = -c->mu * F / speed * ((k == l) - along[k] * along[l]);
            for (int j = 0; j < path->rows; j++)
                row[j] += turn * path->W[(c->row + 1 + l) * path->rows + j];
        }
    }
}

// ∂f/∂y without what friction at rest answers and without works, on which nothing depends.
static int jacobian(double t, const double *y, double *J, void *user)
{
    (void)t;
    struct ImpactPath *path = user;
    int n = path->rows, states = path->states;
    velocities(path, y, path->u);
    for (int i = 0; i < path->count; i++) {
        const PathContact *c = &path->contacts[i];
        double depth = y[n + i];
        J[c->row * states + n + i] = stiffness_of(c, depth);
        if (!c->rest)
            friction_slopes(path, c, depth, path->u, n + i, J);
        for (int j = 0; j < n; j++)
            J[(n + i) * states + j] = depth_rate(c, path->W[c->row * n + j]);
    }
    for (int r = 0; r < n; r++) {
        double *row = J + (size_t)(n + 2 * path->count + r) * (size_t)states;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n + path->count; j++)
                row[j] += path->W[r * n + k] * J[k * states + j];
    }
    return 0;
}

// ---- Events -------------------------------------------------------------------------------------

static double rest_speed(const PathContact *c)
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
        return rest_speed(c) - hypot(S[0] - c->mark[0], c->tangents == 2 ? y - c->mark[1] : 0);
    // a speed that passes zero between two looks is positive at both: its part along a direction is
    // not. That part also vanishes where slip has turned by a right angle
    return c->tangents == 2 ? S[0] * c->mark[0] + y * c->mark[1] - 0.5 * rest_speed(c)
                            : c->side * S[0];
}

// ≥ 0 while the contact keeps its phase, as far as its approach goes.
static double turn_margin(const PathContact *c, double C)
{
    if (c->phase == IDLE)
        return ZERO_SPEED + C;
    return TURN_SPEED + (c->phase == LOADING ? -C : C);
}

static void event_values(const struct ImpactPath *path, const double *y, const double *u,
                         double *values)
{
    int m = path->count;
    for (int i = 0; i < m; i++) {
        const PathContact *c = &path->contacts[i];
        // while loading C is negative, else it is not: each leaves its side downwards
        values[i] = turn_margin(c, u[c->row]);
        values[m + i] = c->phase == UNLOADING ? y[path->rows + i] : 1;
        values[2 * m + i] = slip_margin(c, u);
    }
}

static int events(double t, double *values, void *user)
{
    struct ImpactPath *path = user;
    path->status = sprag_integrator_evaluate(path->integrator, t, path->probe);
    if (path->status != SPRAG_OK)
        return -1;
    velocities(path, path->probe, path->probe_u);
    event_values(path, path->probe, path->probe_u, values);
    return 0;
}

static void set_slip(PathContact *c, const double *u)
{
    const double *S = u + c->row + 1;
    double speed = c->tangents == 2 ? hypot(S[0], S[1]) : c->tangents == 1 ? fabs(S[0]) : 0;
    c->rest = c->tangents > 0 && speed <= rest_speed(c);
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

// Slip that has come to rest; in space it may only have turned.
static void end_slip(PathContact *c, const double *u)
{
    const double *S = u + c->row + 1;
    if (c->tangents == 2 && hypot(S[0], S[1]) > 2 * rest_speed(c)) {
        set_slip(c, u);
        return;
    }
    c->rest = true;
    c->mark[0] = S[0];
    c->mark[1] = c->tangents == 2 ? S[1] : 0;
}

// Contacts beside one that has come to rest.
static void end_slips_beside(struct ImpactPath *path)
{
    for (int i = 0; i < path->count; i++) {
        PathContact *c = &path->contacts[i];
        const double *S = path->u + c->row + 1;
        if (c->tangents == 2 && !c->rest && c->phase != IDLE &&
            hypot(S[0], S[1]) <= 2 * rest_speed(c))
            end_slip(c, path->u);
    }
}

static void begin_loading(PathContact *c, const double *u)
{
    if (c->phase == IDLE)
        set_slip(c, u);
    c->phase = LOADING;
}

// Whether the compression of some contact ends. Others whose approach is over end theirs with it:
// those of one edge do so to rounding, and what a plastic one loses there would press on one side
// only.
static bool ends_compression(const struct ImpactPath *path, const int *fired)
{
    for (int i = 0; i < path->count; i++)
        if (fired[i] && path->contacts[i].phase == LOADING)
            return true;
    return false;
}

static void fire(struct ImpactPath *path, const int *fired)
{
    int m = path->count;
    bool stops = false, ends = ends_compression(path, fired);
    for (int i = 0; i < m; i++) {
        PathContact *c = &path->contacts[i];
        double *depth = path->y + path->rows + i;
        if (fired[2 * m + i] && c->rest) {
            start_slip(c, path->u);
        } else if (fired[2 * m + i]) {
            end_slip(c, path->u);
            stops |= c->rest;
        }
        bool turns = fired[i] || (ends && c->phase == LOADING && path->u[c->row] >= 0);
        if (fired[m + i] || (turns && c->phase == LOADING && c->e_squared == 0)) {
            c->phase = IDLE;
            *depth = 0;
        } else if (turns && c->phase == LOADING) {
            c->phase = UNLOADING;
        } else if (turns) {
            begin_loading(c, path->u);
        }
    }
    if (stops)
        end_slips_beside(path);
}

// ---- The collision ------------------------------------------------------------------------------

// What was stored, given back and lost to friction in the arc that ends at y.
static void close_arc(struct ImpactPath *path, ImpactSystem *system, double unit)
{
    for (int i = 0; i < path->count; i++) {
        PathContact *c = &path->contacts[i];
        SpragImpactLoss *loss = &system->contacts[i].loss;
        double depth = path->y[path->rows + i], work = path->y[path->rows + path->count + i];
        double stored = unit * (energy_of(c, depth) - energy_of(c, c->depth));
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
    forces(path, path->y + n, path->u);
    for (int r = 0; r < n; r++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += path->W[r * n + j] * path->rate[j];
        rate = fmax(rate, fabs(sum));
        most = fmax(most, fabs(path->rate[r]));
    }
    return rate <= WEDGED * most;
}

// Idle contacts that approach begin; true: none approaches, and none has anything stored.
static bool is_over(struct ImpactPath *path)
{
    double stored = 0;
    bool approach = false;
    for (int i = 0; i < path->count; i++) {
        PathContact *c = &path->contacts[i];
        bool nears = path->u[c->row] < -ZERO_SPEED;
        if (c->phase == IDLE && nears)
            begin_loading(c, path->u);
        approach |= nears;
        stored += c->phase == IDLE ? 0 : energy_of(c, path->y[path->rows + i]);
    }
    return (!approach && stored <= ZERO_SPEED * ZERO_SPEED) || is_wedged(path);
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
        begin_loading(&path->contacts[i], path->u);
        path->y[path->rows + i] = SEED;
    }
}

// Whether friction turns the slip of a contact; *across: the unit vector across it, *rate: the
// force of friction per speed of slip.
static bool turns_slip(const PathContact *c, double depth, const double *u, double *across,
                       double *rate)
{
    if (c->tangents != 2 || c->rest || c->phase == IDLE)
        return false;
    const double *S = u + c->row + 1;
    double speed = hypot(S[0], S[1]);
    if (!(speed > 0))
        return false;
    across[0] = -S[1] / speed;
    across[1] = S[0] / speed;
    *rate = c->mu * force_of(c, depth) / speed;
    return true;
}

// The fastest rate at which slip across that of the moment decays at the integrator's state, at
// most the largest row sum of the matrix of these rates.
static double turning_rate(struct ImpactPath *path)
{
    const double *y = sprag_integrator_state(path->integrator), *depth = y + path->rows;
    double fastest = 0, a[2], b[2], rate;
    velocities(path, y, path->probe_u);
    for (int i = 0; i < path->count; i++) {
        const PathContact *c = &path->contacts[i];
        double sum = 0;
        if (!turns_slip(c, depth[i], path->probe_u, a, &rate))
            continue;
        for (int j = 0; j < path->count; j++) {
            const PathContact *d = &path->contacts[j];
            if (!turns_slip(d, depth[j], path->probe_u, b, &rate))
                continue;
            const double *W = path->W + (c->row + 1) * path->rows + d->row + 1, *V = W + path->rows;
            sum += rate *
                   fabs(a[0] * (W[0] * b[0] + W[1] * b[1]) + a[1] * (V[0] * b[0] + V[1] * b[1]));
        }
        fastest = fmax(fastest, sum);
    }
    return fastest;
}

// How the steps of an arc go.
typedef struct Pace {
    double guess, turning;
    int limited, implicit;
    long left; // steps of the collision
} Pace;

static SpragStatus restart(struct ImpactPath *path, SpragIntegrator *integrator, double t,
                           const double *y, double guess)
{
    path->integrator = integrator;
    set_tolerances(path, integrator == path->stiff);
    SPRAG_TRY(sprag_integrator_resize(integrator, path->states, path->absolute));
    return sprag_integrator_restart(integrator, t, y, NULL, guess);
}

static SpragStatus become_stiff(struct ImpactPath *path, Pace *pace)
{
    SpragIntegratorSettings settings = sprag_integrator_default();
    settings.method = "radau";
    settings.relative = RELATIVE;
    settings.absolute = ABSOLUTE;
    settings.jacobian = jacobian;
    if (!path->stiff)
        SPRAG_TRY(sprag_integrator_create(path->context, path->capacity, derivative, path,
                                          &settings, &path->stiff));
    memcpy(path->probe, sprag_integrator_state(path->plain),
           (size_t)path->states * sizeof *path->probe);
    return restart(path, path->stiff, sprag_integrator_time(path->plain), path->probe, pace->guess);
}

// A step in which the method follows how slip turns. Longer ones of the explicit method may pass
// the test of their error by chance, and their dense output, where events are looked for, is then
// wrong by much more than that.
static SpragStatus step_on(struct ImpactPath *path, Pace *pace, SpragStep *step)
{
    double rate = turning_rate(path), stop = INFINITY;
    if (path->integrator == path->plain && pace->limited >= LIMITED_STEPS)
        SPRAG_TRY(become_stiff(path, pace));
    if (path->integrator == path->plain && rate > 0)
        stop = sprag_integrator_time(path->plain) + STABLE / rate;
    if (path->integrator == path->stiff &&
        !(rate < OTHER * pace->turning && pace->turning < OTHER * rate)) {
        pace->turning = rate;
        sprag_integrator_renew(path->stiff);
    }
    SPRAG_TRY(sprag_integrator_step(path->integrator, stop, step));
    pace->limited += step->outcome == SPRAG_STEP_AT_STOP;
    pace->guess = step->h_next;
    pace->left--;
    return SPRAG_OK;
}

// Slips that others hold come to rest as they are; true: some. Looks every so many steps.
static bool rest_held(struct ImpactPath *path, Pace *pace)
{
    bool any = false;
    if (path->integrator != path->stiff || ++pace->implicit % HELD_STEPS != 0)
        return false;
    memcpy(path->probe, sprag_integrator_state(path->stiff),
           (size_t)path->states * sizeof *path->probe);
    velocities(path, path->probe, path->probe_u);
    for (int i = 0; i < path->count; i++) {
        PathContact *c = &path->contacts[i];
        const double *S = path->probe_u + c->row + 1;
        if (c->tangents < 2 || c->rest || c->phase == IDLE)
            continue;
        bool held = pace->implicit > HELD_STEPS && hypot(S[0], S[1]) <= HELD * rest_speed(c) &&
                    hypot(S[0] - c->seen[0], S[1] - c->seen[1]) <= 0.1 * rest_speed(c);
        memcpy(c->seen, S, sizeof c->seen);
        c->rest = held;
        any |= held;
        if (held)
            memcpy(c->mark, S, sizeof c->mark);
    }
    return any;
}

// Ends the arc at path->y.
static void end_arc(struct ImpactPath *path, ImpactSystem *system, double unit)
{
    velocities(path, path->y, path->u);
    close_arc(path, system, unit);
}

// One arc: steps until an event; none is left if it cannot be followed.
static SpragStatus follow_arc(struct ImpactPath *path, ImpactSystem *system, double unit,
                              Pace *pace)
{
    SpragStep step;
    SpragRoot root = {.outcome = SPRAG_ROOT_NONE};
    SpragRootProblem problem = {
        .count = 3 * path->count, .function = events, .user = path, .guards = true};
    int directions[3 * IMPACT_PATH_CONTACTS];
    double zeros[3 * IMPACT_PATH_CONTACTS];
    for (int i = 0; i < problem.count; i++) {
        directions[i] = -1;
        zeros[i] = 0;
    }
    problem.directions = directions;
    problem.zeros = zeros;
    SPRAG_TRY(restart(path, path->plain, 0, path->y, pace->guess));
    open_arc(path);
    pace->turning = 0;
    pace->limited = pace->implicit = 0;
    while (root.outcome != SPRAG_ROOT_FOUND && pace->left > 0) {
        SPRAG_TRY(step_on(path, pace, &step));
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
        if (root.outcome != SPRAG_ROOT_FOUND && rest_held(path, pace)) {
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
    fire(path, root.fired);
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
        double most = 4 * rest_speed(c) * system->scale;
        for (int k = 0; c->tangents == 2 && hypot(S[0], S[1]) <= most && k < 2; k++)
            S[k] = 0;
    }
}

SpragStatus impact_path(SpragImpact *impact, ImpactSystem *system, bool *found)
{
    double mobility;
    int approaching;
    Pace pace = {.left = MAX_STEPS};
    *found = false;
    if (system->count > IMPACT_PATH_CONTACTS)
        return SPRAG_OK;
    SPRAG_TRY(prepare(impact, 2 * system->rows + 2 * system->count));
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
