// pilot_cost.c: what compliant contacts and the pilot cost.
//   auto       motion: auto beside motion: events where no contact ever leaves the rigid model
//   stiffness  case 1 of Song et al. (theory.md 15.1) on Kelvin–Voigt layers of 1e4 to 1e12 N/m
//   peers      the same beside CVODE's BDF, SciPy and our implicit integrator on equations written
//              by hand (pilot_rod.h), at an equal error of the end state
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "calibrate.h"
#include "pilot_rod.h"
#include "sprag/integrate.h"
#include "sprag/sprag.h"

static const double END = 0.22;              // s; the slip reverses at 0.2153
static const double LEVELS[] = {1e-6, 1e-9}; // m and rad, error of the end state
enum { LEVEL_COUNT = sizeof LEVELS / sizeof *LEVELS };
static const double ZETA = 0.1;    // damping of layers
static const double A_NORMAL = 30; // 1/kg at the tip, about: scale of damping and depth
// Tolerances of the scan are powers of √10, from 10^-3 to 10^-12.
enum { ROUNDS = 15, FIRST_HALF_DIGITS = 6, LAST_HALF_DIGITS = 24 };

static void fail(const char *who, const char *why)
{
    fprintf(stderr, "bench_pilot: %s: %s\n", who, why);
    exit(1);
}

static double cpu_time(void)
{
    return 1e-9 * calib_clock();
}

// ---- The rod ------------------------------------------------------------------------------------

typedef struct Result {
    double x, angle;
    unsigned long steps, evaluations;
    bool failed;
} Result;

static Rod kelvin_voigt(double stiffness)
{
    double damping = 2 * ZETA * sqrt(stiffness / A_NORMAL);
    return (Rod){.stiffness = stiffness,
                 .damping = damping,
                 .shear_stiffness = stiffness,
                 .shear_damping = damping};
}

// theory.md (5.16) with ε = 1e-3, and for the shear (5.13).
static Rod hunt_crossley(void)
{
    double epsilon = 1e-3, time = sqrt(ROD_ARM / ROD_GRAVITY);
    return (Rod){.stiffness = ROD_MASS / (time * time * ROD_ARM * epsilon * epsilon),
                 .exponent = 2,
                 .alpha = 2 * time / (3 * sqrt(epsilon) * ROD_ARM),
                 .shear_stiffness = ROD_MASS / (epsilon * time * time),
                 .shear_damping = ROD_MASS / (sqrt(epsilon) * time)};
}

// Penetration under a force of this size.
static double rod_depth(const Rod *rod)
{
    double force = ROD_GRAVITY / A_NORMAL;
    return rod->alpha > 0 ? pow(force / rod->stiffness, 1 / rod->exponent) : force / rod->stiffness;
}

static double rod_tolerance(const Rod *rod, double tolerance, int i)
{
    return i == 6   ? tolerance * rod_depth(rod)
           : i == 7 ? tolerance * ROD_GRAVITY / A_NORMAL / rod->shear_stiffness
                    : tolerance;
}

// ---- Our integrator on the equations by hand ----------------------------------------------------

typedef struct Alone {
    Rod rod;
    SpragContext *context;
    SpragIntegrator *integrator;
    SpragRootFinder *finder;
} Alone;

static int alone_derivative(double t, const double *y, double *dy, void *user)
{
    (void)t;
    rod_derivative(&((Alone *)user)->rod, y, dy);
    return 0;
}

static int alone_jacobian(double t, const double *y, double *J, void *user)
{
    (void)t;
    rod_jacobian(&((Alone *)user)->rod, y, J, ROD_SIZE, 1);
    return 0;
}

static int alone_roots(double t, double *values, void *user)
{
    Alone *alone = user;
    double y[ROD_SIZE];
    if (sprag_integrator_evaluate(alone->integrator, t, y) != SPRAG_OK)
        return -1;
    rod_roots(&alone->rod, y, values);
    return 0;
}

static void *alone_create(const Rod *rod, double tolerance)
{
    Alone *alone = calloc(1, sizeof *alone);
    double absolute[ROD_SIZE];
    if (!alone || sprag_context_create(NULL, &alone->context) != SPRAG_OK)
        fail("radau", "no memory");
    alone->rod = *rod;
    for (int i = 0; i < ROD_SIZE; i++)
        absolute[i] = rod_tolerance(rod, tolerance, i);
    SpragIntegratorSettings settings = sprag_integrator_default();
    settings.method = "radau";
    settings.relative = tolerance;
    settings.absolute_each = absolute;
    settings.jacobian = alone_jacobian;
    if (sprag_integrator_create(alone->context, ROD_SIZE, alone_derivative, alone, &settings,
                                &alone->integrator) != SPRAG_OK ||
        sprag_root_finder_create(alone->context, NULL, &alone->finder) != SPRAG_OK)
        fail("radau", sprag_context_message(alone->context));
    return alone;
}

// The first root of the step, if any: restarts there in the next mode.
static bool alone_event(Alone *alone, const SpragStep *step)
{
    const int directions[ROD_ROOTS] = {alone->rod.sign ? -alone->rod.sign : -1, -1};
    SpragRootProblem problem = {.count = 1,
                                .function = alone_roots,
                                .user = alone,
                                .t_begin = step->t_old,
                                .t_end = step->t_new,
                                .directions = directions};
    SpragRoot root;
    double y[ROD_SIZE];
    if (sprag_root_find(alone->finder, &problem, &root) != SPRAG_OK)
        fail("radau", sprag_context_message(alone->context));
    if (root.outcome != SPRAG_ROOT_FOUND)
        return false;
    if (sprag_integrator_evaluate(alone->integrator, root.after, y) != SPRAG_OK)
        fail("radau", sprag_context_message(alone->context));
    rod_switch(&alone->rod, y);
    double guess = fmin(step->h_next, 0.1 / sqrt(alone->rod.shear_stiffness * A_NORMAL));
    return sprag_integrator_restart(alone->integrator, root.after, y, NULL, guess) == SPRAG_OK;
}

static void alone_run(void *handle, Result *result)
{
    Alone *alone = handle;
    SpragIntegratorStatistics before = sprag_integrator_statistics(alone->integrator);
    double y[ROD_SIZE];
    SpragStep step = {0};
    alone->rod.sign = -1;
    alone->rod.evaluations = 0;
    rod_release(y);
    *result = (Result){0};
    if (sprag_integrator_restart(alone->integrator, 0, y, NULL, 0) != SPRAG_OK)
        fail("radau", sprag_context_message(alone->context));
    do {
        if (sprag_integrator_step(alone->integrator, END, &step) != SPRAG_OK)
            fail("radau", sprag_context_message(alone->context));
        if (step.outcome > SPRAG_STEP_AT_STOP) {
            result->failed = true;
            return;
        }
        if (alone_event(alone, &step))
            step.outcome = SPRAG_STEP_DONE;
    } while (step.outcome == SPRAG_STEP_DONE);
    const double *end = sprag_integrator_state(alone->integrator);
    result->x = end[0];
    result->angle = end[2];
    result->steps = sprag_integrator_statistics(alone->integrator).steps - before.steps;
    result->evaluations = alone->rod.evaluations;
}

static void alone_destroy(void *handle)
{
    Alone *alone = handle;
    sprag_integrator_destroy(alone->integrator);
    sprag_root_finder_destroy(alone->finder);
    sprag_context_destroy(alone->context);
    free(alone);
}

// ---- CVODE --------------------------------------------------------------------------------------

typedef struct Peer {
    Rod rod;
    SUNContext context;
    N_Vector y, absolute;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    void *cvode;
} Peer;

static int peer_derivative(sunrealtype t, N_Vector y, N_Vector dy, void *user)
{
    (void)t;
    rod_derivative(&((Peer *)user)->rod, NV_DATA_S(y), NV_DATA_S(dy));
    return 0;
}

static int peer_jacobian(sunrealtype t, N_Vector y, N_Vector dy, SUNMatrix J, void *user,
                         N_Vector a, N_Vector b, N_Vector c)
{
    (void)t, (void)dy, (void)a, (void)b, (void)c;
    rod_jacobian(&((Peer *)user)->rod, NV_DATA_S(y), SM_DATA_D(J), 1, ROD_SIZE);
    return 0;
}

static int peer_roots(sunrealtype t, N_Vector y, sunrealtype *values, void *user)
{
    (void)t;
    rod_roots(&((Peer *)user)->rod, NV_DATA_S(y), values);
    return 0;
}

static void peer_check(int code, const char *what)
{
    if (code < 0)
        fail("CVODE", what);
}

static void *peer_create(const Rod *rod, double tolerance)
{
    Peer *peer = calloc(1, sizeof *peer);
    if (!peer)
        fail("CVODE", "no memory");
    peer->rod = *rod;
    SUNContext_Create(NULL, &peer->context);
    peer->y = N_VNew_Serial(ROD_SIZE, peer->context);
    peer->absolute = N_VNew_Serial(ROD_SIZE, peer->context);
    peer->cvode = CVodeCreate(CV_BDF, peer->context);
    peer->matrix = SUNDenseMatrix(ROD_SIZE, ROD_SIZE, peer->context);
    peer->linear = SUNLinSol_Dense(peer->y, peer->matrix, peer->context);
    rod_release(NV_DATA_S(peer->y));
    for (int i = 0; i < ROD_SIZE; i++)
        NV_DATA_S(peer->absolute)[i] = rod_tolerance(rod, tolerance, i);
    peer_check(CVodeInit(peer->cvode, peer_derivative, 0, peer->y), "CVodeInit");
    peer_check(CVodeSVtolerances(peer->cvode, tolerance, peer->absolute), "tolerances");
    peer_check(CVodeSetUserData(peer->cvode, peer), "user data");
    peer_check(CVodeSetMaxNumSteps(peer->cvode, 10000000), "steps");
    peer_check(CVodeSetErrFile(peer->cvode, NULL), "messages");
    peer_check(CVodeSetNoInactiveRootWarn(peer->cvode), "warnings");
    peer_check(CVodeSetLinearSolver(peer->cvode, peer->linear, peer->matrix), "linear solver");
    peer_check(CVodeSetJacFn(peer->cvode, peer_jacobian), "Jacobian");
    peer_check(CVodeRootInit(peer->cvode, 1, peer_roots), "roots");
    return peer;
}

static void peer_run(void *handle, Result *result)
{
    Peer *peer = handle;
    double *s = NV_DATA_S(peer->y), t = 0;
    *result = (Result){0};
    rod_release(s);
    peer->rod.sign = -1;
    peer->rod.evaluations = 0;
    while (t < END) {
        int direction = peer->rod.sign ? -peer->rod.sign : -1;
        long steps = 0;
        peer_check(CVodeReInit(peer->cvode, t, peer->y), "restart");
        peer_check(CVodeSetRootDirection(peer->cvode, &direction), "direction");
        peer_check(CVodeSetStopTime(peer->cvode, END), "stop time");
        int code = CVode(peer->cvode, END, peer->y, &t, CV_NORMAL);
        CVodeGetNumSteps(peer->cvode, &steps);
        result->steps += (unsigned long)steps;
        if (code < 0) {
            result->failed = true;
            return;
        }
        if (code == CV_ROOT_RETURN)
            rod_switch(&peer->rod, s);
    }
    result->x = s[0];
    result->angle = s[2];
    result->evaluations = peer->rod.evaluations;
}

static void peer_destroy(void *handle)
{
    Peer *peer = handle;
    CVodeFree(&peer->cvode);
    SUNLinSolFree(peer->linear);
    SUNMatDestroy(peer->matrix);
    N_VDestroy(peer->y);
    N_VDestroy(peer->absolute);
    SUNContext_Free(&peer->context);
    free(peer);
}

// ---- Sprag --------------------------------------------------------------------------------------

typedef struct Own {
    SpragContext *context;
    SpragScene *scene;
    SpragSystem *system;
    SpragRun *run;
    double *q, *v;
    int switches;              // events of contacts that leave the rigid model
    unsigned long evaluations; // before the last restart
} Own;

static int own_event(const SpragEvent *event, void *user)
{
    ((Own *)user)->switches += event->type == SPRAG_EVENT_TO_COMPLIANT;
    return 0;
}

static void own_check(const Own *own, SpragStatus status)
{
    if (status != SPRAG_OK)
        fail("Sprag", sprag_context_message(own->context));
}

// Takes over the scene in own->scene.
static void own_prepare(Own *own, SpragMotionKind motion, double tolerance)
{
    own_check(own, sprag_system_create_model(sprag_scene_model(own->scene), &own->system));
    size_t size = (size_t)sprag_system_velocity_count(own->system);
    own->q = calloc(size, sizeof *own->q);
    own->v = calloc(size, sizeof *own->v);
    if (!own->q || !own->v)
        fail("Sprag", "no memory");
    sprag_system_initial(own->system, own->q, own->v);
    SpragRunSettings settings = sprag_run_default();
    SpragSink sink = {.event = own_event, .user = own};
    settings.motion = motion;
    settings.tolerance = tolerance;
    settings.output_step = 0;
    own_check(own, sprag_run_create(own->system, &settings, &sink, &own->run));
}

static void *own_create(const Rod *rod, double tolerance)
{
    Own *own = calloc(1, sizeof *own);
    char text[2000], law[200];
    if (!own || sprag_context_create(NULL, &own->context) != SPRAG_OK)
        fail("Sprag", "no memory");
    if (rod->alpha > 0)
        snprintf(law, sizeof law, "hunt-crossley, stiffness: %.17g, alpha: %.17g, exponent: %.17g",
                 rod->stiffness, rod->alpha, rod->exponent);
    else
        snprintf(law, sizeof law, "kelvin-voigt, stiffness: %.17g, damping: %.17g", rod->stiffness,
                 rod->damping);
    int length =
        snprintf(text, sizeof text,
                 "sprag: 1\nmaterials: {default: {friction: 0.27}}\nbodies:\n"
                 "  - {name: table, fixed: true, shapes: [{plane: {normal: [0, 1], offset: 0}}]}\n"
                 "  - {name: rod, mass: 0.088, inertia: 1.606176e-3, angle: 42.3 deg,\n"
                 "     shapes: [{rod: {length: 0.468}}]}\n"
                 "contacts: [{name: tip, between: [rod.a, table], compliance: {law: %s,\n"
                 "            tangential: {stiffness: %.17g, damping: %.17g}}}]\n"
                 "start: [{contact: tip, slip: %.17g}]\n",
                 law, rod->shear_stiffness, rod->shear_damping, ROD_SLIP);
    own_check(own, sprag_scene_read_text(own->context, "rod.yaml", text, (size_t)length, NULL,
                                         &own->scene));
    own_prepare(own, SPRAG_MOTION_COMPLIANT, tolerance);
    own->v[1] = -ROD_APPROACH;
    return own;
}

// From the start to `end`.
static SpragRunOutcome own_go(Own *own, double end)
{
    SpragRunOutcome outcome;
    own->switches = 0;
    own->evaluations = sprag_run_statistics(own->run).evaluations;
    own_check(own, sprag_run_restart(own->run, 0, own->q, own->v));
    own_check(own, sprag_run_advance(own->run, end, &outcome));
    return outcome;
}

static void own_run(void *handle, Result *result)
{
    Own *own = handle;
    *result = (Result){.failed = own_go(own, END) != SPRAG_RUN_DONE};
    result->x = sprag_run_position(own->run)[0];
    result->angle = sprag_run_position(own->run)[2];
    result->steps = sprag_run_statistics(own->run).steps;
    result->evaluations = sprag_run_statistics(own->run).evaluations - own->evaluations;
}

static void own_destroy(void *handle)
{
    Own *own = handle;
    sprag_run_destroy(own->run);
    sprag_system_destroy(own->system);
    sprag_scene_destroy(own->scene);
    sprag_context_destroy(own->context);
    free(own->q);
    free(own->v);
    free(own);
}

// ---- Peers at equal error -----------------------------------------------------------------------

typedef struct Contender {
    const char *name;
    void *(*create)(const Rod *rod, double tolerance);
    void (*run)(void *handle, Result *result);
    void (*destroy)(void *handle);
} Contender;

static const Contender CONTENDERS[] = {{"Sprag", own_create, own_run, own_destroy},
                                       {"radau by hand", alone_create, alone_run, alone_destroy},
                                       {"CVODE BDF", peer_create, peer_run, peer_destroy}};
enum { CONTENDER_COUNT = sizeof CONTENDERS / sizeof *CONTENDERS };

static double error_of(double x, double angle, const Result *reference)
{
    return fmax(fabs(x - reference->x), fabs(angle - reference->angle));
}

// Least processor time of a run, s.
static double time_run(const Contender *contender, void *handle, Result *result)
{
    const double enough = 2; // s: long runs are not repeated
    double best = INFINITY, first = cpu_time();
    for (int round = 0; round < ROUNDS && (round == 0 || cpu_time() - first < enough); round++) {
        double begin = cpu_time();
        contender->run(handle, result);
        best = fmin(best, cpu_time() - begin);
    }
    return best;
}

static void print_line(const char *name, double seconds, double tolerance, double error,
                       const Result *result, double own)
{
    printf("  %-16s %10.1f %9.0e %9.1e %8lu %9lu %8.2f\n", name, 1e6 * seconds, tolerance, error,
           result->steps, result->evaluations, seconds / own);
}

// The loosest tolerance from which on every tighter one reaches the level. Returns seconds.
static double measure(const Contender *contender, const Rod *rod, const Result *reference,
                      double level, double own)
{
    Result best = {0};
    double tolerance = 0, error = 0, seconds = NAN;
    void *chosen = NULL;
    for (int digits = LAST_HALF_DIGITS; digits >= FIRST_HALF_DIGITS; digits--) {
        Result result;
        void *handle = contender->create(rod, pow(10, -0.5 * digits));
        contender->run(handle, &result);
        double now = error_of(result.x, result.angle, reference);
        if (result.failed || !(now <= level)) {
            contender->destroy(handle);
            // the tightest tolerances may be below what rounding permits
            if (chosen)
                break;
            continue;
        }
        if (chosen)
            contender->destroy(chosen);
        chosen = handle;
        best = result;
        tolerance = pow(10, -0.5 * digits);
        error = now;
    }
    if (!chosen) {
        printf("  %-16s no tolerance reaches the error\n", contender->name);
        return NAN;
    }
    seconds = time_run(contender, chosen, &best);
    print_line(contender->name, seconds, tolerance, error, &best, isnan(own) ? seconds : own);
    contender->destroy(chosen);
    return seconds;
}

static const char *find_python(void)
{
    static const char *const names[] = {"python3", "/usr/bin/python3"};
    for (int i = 0; i < 2; i++) {
        char command[100];
        snprintf(command, sizeof command, "%s -c 'import scipy' 2>/dev/null", names[i]);
        if (system(command) == 0)
            return names[i];
    }
    return NULL;
}

// What pilot_scipy.py tells.
typedef struct Line {
    char method[20];
    double tolerance, seconds, calls, x, angle;
} Line;
enum { MOST_LINES = 40 };

static int run_scipy(const char *python, const Rod *rod, Line *lines)
{
    char command[1000];
    int count = 0;
    snprintf(
        command, sizeof command,
        "%s %s/bench/pilot_scipy.py %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g 1 2>/dev/null",
        python, SPRAG_SOURCE_DIR, rod->stiffness, rod->damping, rod->exponent, rod->alpha,
        rod->shear_stiffness, rod->shear_damping, END, rod_depth(rod));
    FILE *output = popen(command, "r");
    for (; output && count < MOST_LINES; count++) {
        Line *l = &lines[count];
        if (fscanf(output, "%19s %lf %lf %lf %lf %lf", l->method, &l->tolerance, &l->seconds,
                   &l->calls, &l->x, &l->angle) != 6)
            break;
    }
    if (!output || pclose(output) != 0)
        printf("  SciPy failed\n");
    return count;
}

// Of a method the fastest that reaches the level.
static void print_scipy(const char *method, const Line *lines, int count, const Result *reference,
                        double level, double own)
{
    const Line *best = NULL;
    char name[40];
    for (int i = 0; i < count; i++)
        if (strcmp(lines[i].method, method) == 0 &&
            error_of(lines[i].x, lines[i].angle, reference) <= level &&
            (!best || lines[i].seconds < best->seconds))
            best = &lines[i];
    snprintf(name, sizeof name, "SciPy %s", method);
    if (best)
        print_line(name, best->seconds, best->tolerance, error_of(best->x, best->angle, reference),
                   &(Result){.evaluations = (unsigned long)best->calls}, own);
    else
        printf("  %-16s no tolerance reaches the error in time\n", name);
}

static void measure_peers(const char *title, const Rod *rod, const char *python)
{
    Result reference, second;
    Line lines[MOST_LINES];
    void *handle = alone_create(rod, 1e-12);
    alone_run(handle, &reference);
    alone_destroy(handle);
    handle = peer_create(rod, 1e-11);
    peer_run(handle, &second);
    peer_destroy(handle);
    printf("\n%s: end at x = %.9f, angle %.9f (CVODE at 1e-11 differs by %.1e)\n", title,
           reference.x, reference.angle, error_of(second.x, second.angle, &reference));
    int count = python ? run_scipy(python, rod, lines) : 0;
    for (int level = 0; level < LEVEL_COUNT; level++) {
        printf("  error <= %-7.0e %10s %9s %9s %8s %9s %8s\n", LEVELS[level], "us", "tolerance",
               "error", "steps", "evals", "/ Sprag");
        double own = NAN;
        for (int i = 0; i < CONTENDER_COUNT; i++) {
            double seconds = measure(&CONTENDERS[i], rod, &reference, LEVELS[level], own);
            own = i == 0 ? seconds : own;
        }
        for (int m = 0; m < 2 && python; m++)
            print_scipy(m ? "Radau" : "LSODA", lines, count, &reference, LEVELS[level], own);
    }
}

// ---- Cost against stiffness ---------------------------------------------------------------------

static void measure_stiffness(void)
{
    printf("\nmotion: compliant, tolerance 1e-9, 0.22 s; from 0.1 to 0.2 s nothing happens\n");
    printf("  %9s %10s %8s %9s %14s %8s\n", "N/m", "us", "steps", "evals", "us, 0.1-0.2 s",
           "steps");
    for (int digits = 4; digits <= 12; digits++) {
        Rod rod = kelvin_voigt(pow(10, digits));
        Own *own = own_create(&rod, 1e-9);
        Result result;
        double best = time_run(&CONTENDERS[0], own, &result), quiet = INFINITY;
        unsigned long steps = 0;
        for (int round = 0; round < ROUNDS; round++) {
            SpragRunOutcome outcome;
            own_go(own, 0.1);
            steps = sprag_run_statistics(own->run).steps;
            double begin = cpu_time();
            own_check(own, sprag_run_advance(own->run, 0.2, &outcome));
            quiet = fmin(quiet, cpu_time() - begin);
            steps = sprag_run_statistics(own->run).steps - steps;
        }
        printf("  %9.0e %10.1f %8lu %9lu %14.1f %8lu%s\n", rod.stiffness, 1e6 * best, result.steps,
               result.evaluations, 1e6 * quiet, steps, result.failed ? " failed" : "");
        own_destroy(own);
    }
}

// ---- Auto beside events -------------------------------------------------------------------------

static const char *const QUIET_SCENES[] = {"falling-rod", "sliding-block", "box-on-incline",
                                           "box-at-rest", "box-on-belt",   "ladder",
                                           "disc",        "two-bodies",    "disc-in-gutter"};
enum { QUIET_COUNT = sizeof QUIET_SCENES / sizeof *QUIET_SCENES };

static Own *own_read(const char *name, SpragMotionKind motion)
{
    Own *own = calloc(1, sizeof *own);
    char path[1000];
    if (!own || sprag_context_create(NULL, &own->context) != SPRAG_OK)
        fail("Sprag", "no memory");
    snprintf(path, sizeof path, "%s/examples/%s.yaml", SPRAG_SOURCE_DIR, name);
    own_check(own, sprag_scene_read(own->context, path, NULL, &own->scene));
    own_prepare(own, motion, 1e-9);
    return own;
}

static void measure_auto(void)
{
    const double span = 0.4;
    printf("\nmotion: auto beside events, %g s, tolerance 1e-9\n", span);
    printf("  %-16s %10s %10s %8s\n", "scene", "events us", "auto us", "ratio");
    for (int i = 0; i < QUIET_COUNT; i++) {
        Own *own[2] = {own_read(QUIET_SCENES[i], SPRAG_MOTION_EVENTS),
                       own_read(QUIET_SCENES[i], SPRAG_MOTION_AUTO)};
        double best[2] = {INFINITY, INFINITY};
        SpragRunOutcome outcome = SPRAG_RUN_DONE;
        for (int round = 0; round < 4 * ROUNDS; round++) {
            double begin = cpu_time();
            SpragRunOutcome now = own_go(own[round % 2], span);
            best[round % 2] = fmin(best[round % 2], cpu_time() - begin);
            outcome = now == SPRAG_RUN_DONE ? outcome : now;
        }
        printf("  %-16s %10.1f %10.1f %8.2f", QUIET_SCENES[i], 1e6 * best[0], 1e6 * best[1],
               best[1] / best[0]);
        printf("%s%s\n", own[1]->switches ? "  (switched)" : "",
               outcome == SPRAG_RUN_DONE ? "" : "  (ended early)");
        own_destroy(own[0]);
        own_destroy(own[1]);
    }
}

// With "profile STIFFNESS RUNS [TOLERANCE]": runs of Sprag and nothing else, for a profiler;
// stiffness 0: Hunt–Crossley; "alone" instead: of the integrator on the equations by hand.
static int profile(int count, char **arguments)
{
    double stiffness = strtod(arguments[2], NULL),
           tolerance = count > 4 ? atof(arguments[4]) : 1e-9;
    Result result = {0};
    Rod rod = stiffness > 0 ? kelvin_voigt(stiffness) : hunt_crossley();
    const Contender *contender = &CONTENDERS[strcmp(arguments[1], "alone") == 0];
    void *handle = contender->create(&rod, tolerance);
    double begin = cpu_time(), runs = strtod(arguments[3], NULL);
    for (double i = 0; i < runs; i++)
        contender->run(handle, &result);
    double each = 1e6 * (cpu_time() - begin) / runs;
    printf("%.1f us a run, %lu steps, %lu evaluations, end at x = %.12f, angle %.12f\n", each,
           result.steps, result.evaluations, result.x, result.angle);
    contender->destroy(handle);
    return 0;
}

// law: only this one; NULL: both. only: this stiffness; 0: all.
static void measure_all_peers(const char *law, double only)
{
    const char *python = find_python();
    if (!python)
        printf("\nSciPy is not here: left out\n");
    printf("\ncase 1 on layers to %g s, at equal errors of x (m) and angle at the end\n", END);
    bool voigt = !law || strcmp(law, "kelvin-voigt") == 0;
    for (int digits = 4; voigt && digits <= 12; digits += 2) {
        Rod rod = kelvin_voigt(pow(10, digits));
        char title[80];
        if (only > 0 && fabs(log10(only) - digits) > 0.5)
            continue;
        snprintf(title, sizeof title, "Kelvin-Voigt, %.0e N/m", rod.stiffness);
        measure_peers(title, &rod, python);
    }
    Rod rod = hunt_crossley();
    if (!law || strcmp(law, "hunt-crossley") == 0)
        measure_peers("Hunt-Crossley, epsilon 1e-3", &rod, python);
}

// "auto", "stiffness" or "peers" (also with a law, and a stiffness): only this; nothing: all.
int main(int argc, char **argv)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        fprintf(stderr, "bench_pilot: not pinned to a core\n");
    const char *only = argc > 1 ? argv[1] : "";
    if (argc >= 4 && strcmp(only, "peers") != 0)
        return profile(argc, argv);
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("calib %.2f ns\n", calibrate());
    if (!*only || strcmp(only, "auto") == 0)
        measure_auto();
    if (!*only || strcmp(only, "stiffness") == 0)
        measure_stiffness();
    if (!*only || strcmp(only, "peers") == 0)
        measure_all_peers(argc > 2 ? argv[2] : NULL, argc > 3 ? strtod(argv[3], NULL) : 0);
    return 0;
}
