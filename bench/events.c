// events.c: what an event costs, beside the integration that one would write by hand.
//
// Question  case 1 of Song et al. (theory.md 15.1, point tip), from release until just after the
//           slip reversal: microseconds a run for an error of 1e-4 and 1e-8 in the reversal time.
// Peer      CVODE with root finding on the closed-form equations of theory.md section 4, Adams with
//           fixed-point iteration and BDF with dense Newton: one integrator object, CVodeReInit for
//           each run and after each event.
// Sprag     the general path: scene, system, run; sprag_run_restart for each repetition; with and
//           without the verdict at accepted steps.
// Reference classical Runge–Kutta steps of 1e-5 s on the closed-form equations; the last one is cut
//           by bisection.
// Fairness  tolerances are scanned for all; the loosest is taken from which on every tighter one
//           reaches the error, so that no luck counts. Of several set-ups of CVODE the fastest is
//           shown. Both look for the same events: slip, normal
//           force, far tip. Times are thread CPU time, contenders take turns in one process pinned
//           to one core; ratios are those of the best times, since what else the machine does only
//           adds. The library's times include its energy account and its verdicts.
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <time.h>

#include "sprag/sprag.h"

enum { ROUNDS = 60, BATCH = 20, LEVELS = 2, PER_DECADE = 4 };
static const double END = 0.22; // s
static const double LEVEL[LEVELS] = {1e-4, 1e-8};

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "bench_events: %s: %s\n", what, why);
    exit(1);
}

static double cpu_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- The rod by hand ----------------------------------------------------------------------------

static const double m = 0.088, I = 1.606176e-3, L = 0.234, g = 9.81, mu = 0.27;
static const double THETA0 = 42.3 * 3.14159265358979323846 / 180;

typedef struct Rod {
    double slip_sign; // of the present slip
    unsigned long evaluations;
} Rod;

// λN of the sliding tip, theory.md (4.4), (4.5); s = (x, y, θ, x', y', θ').
static double normal_force(const Rod *rod, const double *s, double cosine, double sine)
{
    double mu_s = -mu * rod->slip_sign;
    double A = 1 / m + L * L / I * cosine * (cosine - mu_s * sine);
    double B = L * s[5] * s[5] * sine - g;
    return -B / A;
}

static void rod_derivative(Rod *rod, const double *s, double *ds)
{
    double cosine = cos(s[2]), sine = sin(s[2]);
    double lambda_n = normal_force(rod, s, cosine, sine);
    double lambda_t = -mu * rod->slip_sign * lambda_n;
    rod->evaluations++;
    ds[0] = s[3];
    ds[1] = s[4];
    ds[2] = s[5];
    ds[3] = lambda_t / m;
    ds[4] = lambda_n / m - g;
    ds[5] = L / I * (sine * lambda_t - cosine * lambda_n);
}

static double rod_slip(const double *s)
{
    return s[3] + L * sin(s[2]) * s[5];
}

static void rod_release(double *s)
{
    const double state[6] = {0, L * sin(THETA0), THETA0, 0, 0, 0};
    memcpy(s, state, sizeof state);
}

// Sign of the slip that starts from zero slip, by theory.md (4.9); 0: none of the two directions.
static double rod_direction(const double *s)
{
    double cosine = cos(s[2]), sine = sin(s[2]);
    for (double k = -1; k <= 1; k += 2) {
        Rod rod = {k, 0};
        double lambda_n = normal_force(&rod, s, cosine, sine);
        double a_nt = -L * L / I * sine * cosine, a_tt = 1 / m + L * L / I * sine * sine;
        double slip_rate = (a_nt - k * mu * a_tt) * lambda_n + L * s[5] * s[5] * cosine;
        if (lambda_n > 0 && k * slip_rate > 0)
            return k;
    }
    return 0;
}

// ---- Reference ----------------------------------------------------------------------------------

static void runge_kutta(Rod *rod, double h, const double *s, double *next)
{
    double k[4][6], w[6];
    rod_derivative(rod, s, k[0]);
    for (int stage = 1; stage < 4; stage++) {
        for (int i = 0; i < 6; i++)
            w[i] = s[i] + (stage < 3 ? 0.5 : 1) * h * k[stage - 1][i];
        rod_derivative(rod, w, k[stage]);
    }
    for (int i = 0; i < 6; i++)
        next[i] = s[i] + h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

static double reference_reversal(void)
{
    const double h = 1e-5;
    double s[6], next[6];
    rod_release(s);
    Rod rod = {rod_direction(s), 0};
    for (int step = 0; step < 100000; step++) {
        runge_kutta(&rod, h, s, next);
        if (step > 0 && rod.slip_sign * rod_slip(next) <= 0) {
            double low = 0, high = h;
            for (int i = 0; i < 60; i++) {
                double middle = 0.5 * (low + high);
                runge_kutta(&rod, middle, s, next);
                *(rod.slip_sign * rod_slip(next) > 0 ? &low : &high) = middle;
            }
            return step * h + high;
        }
        memcpy(s, next, sizeof s);
    }
    return NAN;
}

// ---- Contenders ---------------------------------------------------------------------------------

// What one run did.
typedef struct Tally {
    double reversal;
    unsigned long steps, evaluations;
} Tally;

typedef struct Contender {
    const char *name;
    int variants; // ways to set it up: the fastest one is measured
    void *(*create)(int variant, double tolerance);
    void (*run)(void *handle, Tally *tally);
    void (*destroy)(void *handle);
} Contender;

// ---- CVODE --------------------------------------------------------------------------------------

enum { ROOT_SLIP, ROOT_NORMAL, ROOT_FAR_TIP, ROOT_COUNT };

typedef struct Peer {
    SUNContext context;
    N_Vector y;
    void *cvode;
    SUNNonlinearSolver iteration;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    Rod rod;
} Peer;

static int peer_derivative(realtype t, N_Vector y, N_Vector dy, void *user)
{
    (void)t;
    rod_derivative(&((Peer *)user)->rod, NV_DATA_S(y), NV_DATA_S(dy));
    return 0;
}

static int peer_roots(realtype t, N_Vector y, realtype *values, void *user)
{
    (void)t;
    const double *s = NV_DATA_S(y);
    double cosine = cos(s[2]), sine = sin(s[2]);
    values[ROOT_SLIP] = s[3] + L * sine * s[5];
    values[ROOT_NORMAL] = normal_force(&((Peer *)user)->rod, s, cosine, sine);
    values[ROOT_FAR_TIP] = s[1] + L * sine;
    return 0;
}

static void peer_check(int code, const char *what)
{
    if (code < 0)
        fail("CVODE", what);
}

// What a user may tune beside the tolerance: when the iteration of a step has converged (the
// default, and the value that lets the order grow at tight tolerances), and the absolute tolerance.
static const struct PeerVariant {
    double convergence, absolute;
} PEER_VARIANTS[] = {{0.1, 1}, {0.1, 0.1}, {0.1, 0.01}, {0.01, 1}, {0.01, 0.1}, {0.01, 0.01}};
enum { PEER_VARIANT_COUNT = sizeof PEER_VARIANTS / sizeof *PEER_VARIANTS };

static void *peer_create(int method, int variant, double tolerance)
{
    double absolute = PEER_VARIANTS[variant].absolute * tolerance;
    Peer *peer = calloc(1, sizeof *peer);
    if (!peer || SUNContext_Create(NULL, &peer->context) != 0)
        fail("CVODE", "no memory");
    peer->y = N_VNew_Serial(6, peer->context);
    rod_release(NV_DATA_S(peer->y));
    peer->cvode = CVodeCreate(method, peer->context);
    peer_check(CVodeInit(peer->cvode, peer_derivative, 0, peer->y), "CVodeInit");
    peer_check(CVodeSStolerances(peer->cvode, tolerance, absolute), "tolerances");
    peer_check(CVodeSetUserData(peer->cvode, peer), "user data");
    peer_check(CVodeSetMaxNumSteps(peer->cvode, 1000000), "steps");
    peer_check(CVodeSetNoInactiveRootWarn(peer->cvode), "warnings");
    peer_check(CVodeSetErrFile(peer->cvode, NULL), "messages");
    if (method == CV_ADAMS) {
        peer->iteration = SUNNonlinSol_FixedPoint(peer->y, 0, peer->context);
        peer_check(CVodeSetNonlinearSolver(peer->cvode, peer->iteration), "iteration");
    } else {
        peer->matrix = SUNDenseMatrix(6, 6, peer->context);
        peer->linear = SUNLinSol_Dense(peer->y, peer->matrix, peer->context);
        peer_check(CVodeSetLinearSolver(peer->cvode, peer->linear, peer->matrix), "linear solver");
    }
    peer_check(CVodeSetNonlinConvCoef(peer->cvode, PEER_VARIANTS[variant].convergence),
               "coefficient");
    peer_check(CVodeRootInit(peer->cvode, ROOT_COUNT, peer_roots), "roots");
    return peer;
}

static void *adams_create(int variant, double tolerance)
{
    return peer_create(CV_ADAMS, variant, tolerance);
}

static void *bdf_create(int variant, double tolerance)
{
    return peer_create(CV_BDF, variant, tolerance);
}

// Events in the order in which they can happen here: the slip reverses, then the span ends.
static void peer_run(void *handle, Tally *tally)
{
    Peer *peer = handle;
    double *s = NV_DATA_S(peer->y), t = 0;
    long steps = 0;
    *tally = (Tally){.reversal = NAN};
    rod_release(s);
    peer->rod = (Rod){rod_direction(s), 0};
    peer_check(CVodeReInit(peer->cvode, 0, peer->y), "restart");
    while (t < END) {
        peer_check(CVodeSetStopTime(peer->cvode, END), "stop time");
        int code = CVode(peer->cvode, END, peer->y, &t, CV_NORMAL);
        if (code < 0)
            break;
        CVodeGetNumSteps(peer->cvode, &steps);
        tally->steps += (unsigned long)steps;
        if (code != CV_ROOT_RETURN)
            break;
        int fired[ROOT_COUNT];
        CVodeGetRootInfo(peer->cvode, fired);
        if (fired[ROOT_NORMAL] || fired[ROOT_FAR_TIP] || !isnan(tally->reversal))
            break;
        // the slip is zero now, not nearly: its root function must start inactive
        s[3] = -(L * sin(s[2]) * s[5]);
        peer->rod.slip_sign = rod_direction(s);
        tally->reversal = t;
        peer_check(CVodeReInit(peer->cvode, t, peer->y), "restart");
    }
    if (t < END)
        tally->reversal = NAN;
    tally->evaluations = peer->rod.evaluations;
}

static void peer_destroy(void *handle)
{
    Peer *peer = handle;
    CVodeFree(&peer->cvode);
    if (peer->iteration)
        SUNNonlinSolFree(peer->iteration);
    if (peer->linear)
        SUNLinSolFree(peer->linear);
    if (peer->matrix)
        SUNMatDestroy(peer->matrix);
    N_VDestroy(peer->y);
    SUNContext_Free(&peer->context);
    free(peer);
}

// ---- Sprag --------------------------------------------------------------------------------------

static const char SCENE[] =
    "sprag: 1\nmaterials: {default: {friction: 0.27}}\nbodies:\n"
    "  - {name: table, fixed: true, shapes: [{plane: {normal: [0, 1], offset: 0}}]}\n"
    "  - {name: rod, mass: 0.088, inertia: 1.606176e-3, angle: 42.3 deg,\n"
    "     shapes: [{rod: {length: 0.468}}]}\n"
    "contacts: [{name: tip, between: [rod.a, table]}]\n"
    "start: [{contact: tip, slip: 0}]\n";

typedef struct Own {
    SpragContext *context;
    SpragScene *scene;
    SpragSystem *system;
    SpragRun *run;
    double q[3], v[3];
    Tally *tally;
} Own;

static int own_event(const SpragEvent *event, void *user)
{
    Own *own = user;
    if (event->type == SPRAG_EVENT_SLIP_REVERSAL)
        own->tally->reversal = event->t;
    return 0;
}

static void own_check(Own *own, SpragStatus status)
{
    if (status != SPRAG_OK)
        fail("Sprag", sprag_context_message(own->context));
}

static void *own_create(bool verdicts, double tolerance)
{
    Own *own = calloc(1, sizeof *own);
    if (!own || sprag_context_create(NULL, &own->context) != SPRAG_OK)
        fail("Sprag", "no memory");
    own_check(own, sprag_scene_read_text(own->context, "case1.yaml", SCENE, strlen(SCENE), NULL,
                                         &own->scene));
    own_check(own, sprag_system_create_model(sprag_scene_model(own->scene), &own->system));
    if (sprag_system_velocity_count(own->system) != 3)
        fail("Sprag", "the scene has not three coordinates");
    sprag_system_initial(own->system, own->q, own->v);
    SpragRunSettings settings = sprag_run_default();
    SpragSink sink = {.event = own_event, .user = own};
    settings.tolerance = tolerance;
    settings.output_step = 0;
    settings.verdicts = verdicts;
    own_check(own, sprag_run_create(own->system, &settings, &sink, &own->run));
    return own;
}

static void *own_create_full(int variant, double tolerance)
{
    (void)variant;
    return own_create(true, tolerance);
}

static void *own_create_bare(int variant, double tolerance)
{
    (void)variant;
    return own_create(false, tolerance);
}

static void own_run(void *handle, Tally *tally)
{
    Own *own = handle;
    SpragRunOutcome outcome;
    *tally = (Tally){.reversal = NAN};
    own->tally = tally;
    unsigned long before = sprag_run_statistics(own->run).evaluations;
    own_check(own, sprag_run_restart(own->run, 0, own->q, own->v));
    unsigned long begin = sprag_run_statistics(own->run).evaluations;
    own_check(own, sprag_run_advance(own->run, END, &outcome));
    if (outcome != SPRAG_RUN_DONE)
        tally->reversal = NAN;
    SpragRunStatistics statistics = sprag_run_statistics(own->run);
    tally->steps = statistics.steps;
    // counted from the restart, whether or not that resets the counter
    tally->evaluations = statistics.evaluations - (begin < before ? 0 : begin);
}

static void own_destroy(void *handle)
{
    Own *own = handle;
    sprag_run_destroy(own->run);
    sprag_system_destroy(own->system);
    sprag_scene_destroy(own->scene);
    sprag_context_destroy(own->context);
    free(own);
}

static const Contender CONTENDERS[] = {
    {"CVODE Adams", PEER_VARIANT_COUNT, adams_create, peer_run, peer_destroy},
    {"CVODE BDF", PEER_VARIANT_COUNT, bdf_create, peer_run, peer_destroy},
    {"Sprag", 1, own_create_full, own_run, own_destroy},
    {"Sprag, no verdicts", 1, own_create_bare, own_run, own_destroy}};
enum { CONTENDER_COUNT = sizeof CONTENDERS / sizeof *CONTENDERS, FIRST_OWN = 2 };

// ---- Measuring ----------------------------------------------------------------------------------

typedef struct Entry {
    const Contender *contender;
    double tolerance, error;
    void *handle;
    Tally tally;
    double times[ROUNDS]; // s a run
} Entry;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Loosest tolerance from which on every tighter one of the scan reaches the level.
static void scan_variant(const Contender *contender, int variant, double reference, double level,
                         Entry *entry)
{
    *entry = (Entry){.contender = contender};
    for (int i = 13 * PER_DECADE; i >= PER_DECADE; i--) {
        Tally tally;
        double tolerance = pow(10, -(double)i / PER_DECADE);
        void *handle = contender->create(variant, tolerance);
        contender->run(handle, &tally);
        double error = fabs(tally.reversal - reference);
        if (!(error <= level)) {
            contender->destroy(handle);
            break;
        }
        if (entry->handle)
            contender->destroy(entry->handle);
        entry->handle = handle;
        entry->tolerance = tolerance;
        entry->error = error;
        entry->tally = tally;
    }
    if (!entry->handle)
        fail(contender->name, "no tolerance reaches the error");
}

// Seconds a run, of one batch.
static double time_batch(const Entry *entry)
{
    Tally tally;
    entry->contender->run(entry->handle, &tally); // warm
    double begin = cpu_time();
    for (int repetition = 0; repetition < BATCH; repetition++)
        entry->contender->run(entry->handle, &tally);
    return (cpu_time() - begin) / BATCH;
}

// The fastest variant with its tolerance.
static void scan(const Contender *contender, double reference, double level, Entry *entry)
{
    double fastest = INFINITY;
    for (int variant = 0; variant < contender->variants; variant++) {
        static Entry trial;
        double best = INFINITY;
        scan_variant(contender, variant, reference, level, &trial);
        for (int round = 0; round < ROUNDS; round++)
            best = fmin(best, time_batch(&trial));
        if (variant > 0)
            contender->destroy(best < fastest ? entry->handle : trial.handle);
        if (best < fastest) {
            fastest = best;
            *entry = trial;
        }
    }
}

static void measure(Entry *entries, int count)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < count; i++)
            entries[i].times[round] = time_batch(&entries[i]);
    for (int i = 0; i < count; i++)
        qsort(entries[i].times, ROUNDS, sizeof *entries[i].times, compare);
}

static void print_level(double level, const Entry *entries)
{
    const Entry *peer = &entries[0];
    for (int i = 1; i < FIRST_OWN; i++)
        if (entries[i].times[0] < peer->times[0])
            peer = &entries[i];
    printf("\nerror of the reversal time <= %.0e s, %g s of motion\n", level, END);
    printf("%-20s %9s %9s %9s %10s %6s %6s %8s\n", "", "best us", "median us", "tolerance",
           "error s", "steps", "evals", "/ CVODE");
    for (int i = 0; i < CONTENDER_COUNT; i++) {
        const Entry *e = &entries[i];
        printf("%-20s %9.2f %9.2f %9.1e %10.2e %6lu %6lu %8.2f\n", e->contender->name,
               1e6 * e->times[0], 1e6 * e->times[ROUNDS / 2], e->tolerance, e->error,
               e->tally.steps, e->tally.evaluations, e->times[0] / peer->times[0]);
    }
}

// One evaluation of the closed-form equations, ns: two runs on different machines compare by it.
static double calibrate(void)
{
    enum { CALLS = 20000 };
    double s[6], ds[6], times[9];
    Rod rod = {-1, 0};
    rod_release(s);
    for (int round = 0; round < 9; round++) {
        double begin = cpu_time();
        for (int i = 0; i < CALLS; i++) {
            rod_derivative(&rod, s, ds);
            s[2] += 1e-12 * ds[5]; // the next call needs this one
        }
        times[round] = (cpu_time() - begin) / CALLS;
    }
    qsort(times, 9, sizeof *times, compare);
    return 1e9 * times[4];
}

static void pin_to_core(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        fprintf(stderr, "bench_events: not pinned to a core\n");
}

// With "profile N": N runs of Sprag at the coarse level and nothing else, for a profiler.
static int profile(double reference, long runs)
{
    Entry entry;
    Tally tally;
    scan(&CONTENDERS[FIRST_OWN], reference, LEVEL[0], &entry);
    for (long i = 0; i < runs; i++)
        entry.contender->run(entry.handle, &tally);
    entry.contender->destroy(entry.handle);
    return 0;
}

int main(int argc, char **argv)
{
    pin_to_core();
    double reference = reference_reversal();
    if (argc == 3 && strcmp(argv[1], "profile") == 0)
        return profile(reference, strtol(argv[2], NULL, 10));
    printf("case 1 of Song et al., point tip; reversal at %.13f s (reference)\n", reference);
    printf("calibration: closed-form right-hand side %.1f ns\n", calibrate());
    for (int level = 0; level < LEVELS; level++) {
        static Entry entries[CONTENDER_COUNT];
        for (int i = 0; i < CONTENDER_COUNT; i++)
            scan(&CONTENDERS[i], reference, LEVEL[level], &entries[i]);
        measure(entries, CONTENDER_COUNT);
        print_level(LEVEL[level], entries);
        for (int i = 0; i < CONTENDER_COUNT; i++)
            entries[i].contender->destroy(entries[i].handle);
    }
    return 0;
}
