// impact.c: what an impact costs: one contact in the plane and in space, several at once.
//
// Cases     planar       random pairs of bodies, each law in turn (closed form)
//           spatial      random bodies, each law in turn (slip hodograph); by case of slip
//           chain        balls in a row, frictionless, by each scheme
//           run          a disc that bounces 10 000 times, event by event
// Peer      CVODE (Adams, relative tolerance 1e-10) over the normal impulse on the same spatial
//           problems: dS/dP = g − μ H S/|S| with root finding for the end of compression, the end
//           of slip (at 1e-9 of its first speed) and the energetic end of restitution, restarted at
//           each; one integrator object. What comes after the end of slip is the library's own leg
//           in both, so the peer stops there.
// Each time is processor time, the least of several batches. calib: see calibrate.h.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "calibrate.h"
#include "sprag/sprag.h"

enum { PROBLEMS = 1000, BATCHES = 15, CHAIN = 5 };

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void fail(const char *what)
{
    fprintf(stderr, "bench_impact: %s\n", what);
    exit(1);
}

// ---- Problems -----------------------------------------------------------------------------------

// A body with arms and radii of gyration of its own: W = J M⁻¹ Jᵀ.
static void random_problem(SpragRandom *random, int dimension, int index, SpragSingleImpact *p)
{
    static const double rows[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    double mass = sprag_random_uniform(random, 0.3, 3), r[3], inverse[3], arm[3][3];
    memset(p, 0, sizeof *p);
    p->dimension = dimension;
    for (int k = 0; k < 3; k++) {
        r[k] = dimension == 2 && k == 1 ? 0 : sprag_random_uniform(random, -1, 1);
        inverse[k] = 1 / (mass * pow(sprag_random_uniform(random, 0.1, 1), 2));
    }
    for (int i = 0; i < dimension; i++) {
        const double *d = rows[i];
        arm[i][0] = r[1] * d[2] - r[2] * d[1];
        arm[i][1] = r[2] * d[0] - r[0] * d[2];
        arm[i][2] = r[0] * d[1] - r[1] * d[0];
        p->velocity[i] = sprag_random_uniform(random, -1, 1);
    }
    for (int i = 0; i < dimension; i++)
        for (int j = 0; j < dimension; j++) {
            double sum = i == j ? 1 / mass : 0;
            for (int k = 0; k < 3; k++)
                sum += arm[i][k] * arm[j][k] * inverse[k];
            p->W[dimension * i + j] = sum;
        }
    p->velocity[0] = -0.1 - fabs(p->velocity[0]);
    p->friction = exp(sprag_random_uniform(random, log(0.05), log(2)));
    p->friction_static = p->friction;
    p->e = sprag_random_uniform(random, 0.2, 1);
    p->law = (SpragRestitutionLaw)(index % 3);
}

// Nanoseconds an impact over the given problems.
static double time_single(const SpragSingleImpact *problems, int count)
{
    double best = INFINITY;
    volatile double sink = 0;
    int rounds = 1 + 20000 / count;
    for (int batch = 0; batch < BATCHES; batch++) {
        double start = now_ns(), sum = 0;
        for (int round = 0; round < rounds; round++)
            for (int i = 0; i < count; i++) {
                SpragSingleResult result;
                sprag_impact_single(&problems[i], &result);
                sum += result.impulse[0];
            }
        sink = sum;
        best = fmin(best, (now_ns() - start) / rounds / count);
    }
    (void)sink;
    return best;
}

// ---- The peer -----------------------------------------------------------------------------------

enum { STATE_COUNT = 6, ROOTS = 2 }; // S (2), P_T (2), C, ∫ C dP

typedef struct Peer {
    SUNContext context;
    N_Vector y;
    void *cvode;
    SUNNonlinearSolver iteration;
    const SpragSingleImpact *problem;
    bool restitution;
    double goal; // of ∫ C dP in restitution
    double zero; // slip that counts as none
} Peer;

static int peer_derivative(realtype t, N_Vector vector, N_Vector derivative, void *user)
{
    (void)t;
    const Peer *peer = user;
    const double *W = peer->problem->W, *y = N_VGetArrayPointer(vector);
    double *dy = N_VGetArrayPointer(derivative), speed = hypot(y[0], y[1]);
    double x = -peer->problem->friction * y[0] / speed, z = -peer->problem->friction * y[1] / speed;
    dy[0] = W[3] + W[4] * x + W[5] * z;
    dy[1] = W[6] + W[7] * x + W[8] * z;
    dy[2] = x;
    dy[3] = z;
    dy[4] = W[0] + W[1] * x + W[2] * z;
    dy[5] = y[4];
    return 0;
}

static int peer_roots(realtype t, N_Vector vector, realtype *values, void *user)
{
    (void)t;
    const Peer *peer = user;
    const double *y = N_VGetArrayPointer(vector);
    values[0] = peer->restitution ? y[5] - peer->goal : y[4];
    values[1] = hypot(y[0], y[1]) - peer->zero;
    return 0;
}

static void check(int code, const char *what)
{
    if (code < 0)
        fail(what);
}

static Peer *peer_create(void)
{
    Peer *peer = calloc(1, sizeof *peer);
    if (!peer || SUNContext_Create(NULL, &peer->context) != 0)
        fail("no memory");
    peer->y = N_VNew_Serial(STATE_COUNT, peer->context);
    N_VConst(1, peer->y);
    peer->cvode = CVodeCreate(CV_ADAMS, peer->context);
    check(CVodeInit(peer->cvode, peer_derivative, 0, peer->y), "CVodeInit");
    check(CVodeSStolerances(peer->cvode, 1e-10, 1e-12), "tolerances");
    check(CVodeSetUserData(peer->cvode, peer), "user data");
    check(CVodeSetMaxNumSteps(peer->cvode, 1000000), "steps");
    check(CVodeSetNoInactiveRootWarn(peer->cvode), "warnings");
    check(CVodeSetErrFile(peer->cvode, NULL), "messages");
    peer->iteration = SUNNonlinSol_FixedPoint(peer->y, 0, peer->context);
    check(CVodeSetNonlinearSolver(peer->cvode, peer->iteration), "iteration");
    check(CVodeRootInit(peer->cvode, ROOTS, peer_roots), "roots");
    return peer;
}

// Normal impulse where the energetic law ends, or slip; negative: CVODE gave up.
static double peer_run(Peer *peer, const SpragSingleImpact *problem)
{
    double *y = N_VGetArrayPointer(peer->y), t = 0;
    memset(y, 0, STATE_COUNT * sizeof *y);
    y[0] = problem->velocity[1];
    y[1] = problem->velocity[2];
    y[4] = problem->velocity[0];
    peer->problem = problem;
    peer->restitution = false;
    peer->zero = 1e-9 * hypot(y[0], y[1]);
    check(CVodeReInit(peer->cvode, 0, peer->y), "restart");
    for (;;) {
        int fired[ROOTS], code = CVode(peer->cvode, 1e9, peer->y, &t, CV_NORMAL);
        if (code != CV_ROOT_RETURN)
            return -1;
        CVodeGetRootInfo(peer->cvode, fired);
        if (fired[1] || peer->restitution)
            return t;
        peer->restitution = true;
        peer->goal = y[5] * (1 - problem->e * problem->e);
        check(CVodeReInit(peer->cvode, t, peer->y), "restart");
    }
}

static void peer_destroy(Peer *peer)
{
    CVodeFree(&peer->cvode);
    SUNNonlinSolFree(peer->iteration);
    N_VDestroy(peer->y);
    SUNContext_Free(&peer->context);
    free(peer);
}

static void compare(const SpragSingleImpact *problems, int count)
{
    Peer *peer = peer_create();
    double best = INFINITY, worst = 0;
    int failed = 0;
    for (int batch = 0; batch < 3; batch++) {
        double start = now_ns();
        failed = 0;
        worst = 0;
        for (int i = 0; i < count; i++) {
            SpragSingleResult result;
            double P = peer_run(peer, &problems[i]);
            failed += P < 0;
            if (batch > 0 || P < 0)
                continue;
            sprag_impact_single(&problems[i], &result);
            worst = fmax(worst, fabs(P - fmin(result.slip_stop, result.impulse[0])));
        }
        if (batch > 0)
            best = fmin(best, (now_ns() - start) / count);
        else
            printf("largest difference from CVODE in the normal impulse: %.1e N s, given up %d\n",
                   worst, failed);
    }
    double own = time_single(problems, count);
    printf("spatial, energetic, beside CVODE: %.2f us, CVODE %.1f us, ratio %.0f\n", 1e-3 * own,
           1e-3 * best, best / own);
    peer_destroy(peer);
}

// ---- Several contacts ---------------------------------------------------------------------------

static void stop_on(SpragContext *context, SpragStatus status)
{
    if (status != SPRAG_OK)
        fail(context ? sprag_context_message(context) : "no context");
}

static void build_chain(SpragContext *context, SpragContactProblem *problem)
{
    sprag_contact_problem_clear(problem, 2);
    for (int i = 0; i + 1 < CHAIN; i++) {
        SpragConstraint *added;
        stop_on(context, sprag_contact_problem_add(problem, SPRAG_CONSTRAINT_CONTACT, &added));
    }
    stop_on(context, sprag_contact_problem_reserve_dense(problem));
    int n = problem->row_count;
    for (int r = 0; r < n; r++) {
        problem->W[r * n + r] = 2;
        if (r + 2 < n && r % 2 == 0)
            problem->W[r * n + r + 2] = problem->W[(r + 2) * n + r] = -1;
    }
    problem->b[0] = -1;
}

static void time_chain(void)
{
    static const struct {
        SpragRestitutionLaw law;
        SpragImpactScheme scheme;
    } cases[] = {{SPRAG_RESTITUTION_NEWTON, SPRAG_IMPACTS_TOGETHER},
                 {SPRAG_RESTITUTION_POISSON, SPRAG_IMPACTS_TOGETHER},
                 {SPRAG_RESTITUTION_ENERGETIC, SPRAG_IMPACTS_SEQUENCE},
                 {SPRAG_RESTITUTION_ENERGETIC, SPRAG_IMPACTS_PATH}};
    SpragContext *context = NULL;
    SpragImpact *impact;
    SpragContactProblem problem;
    stop_on(NULL, sprag_context_create(NULL, &context));
    stop_on(context, sprag_impact_create(context, &impact));
    sprag_contact_problem_init(&problem, context);
    build_chain(context, &problem);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        SpragImpactRule rules[CHAIN];
        SpragCollisionResult result;
        double impulse[2 * CHAIN], after[2 * CHAIN], best = INFINITY;
        for (int i = 0; i < CHAIN; i++)
            rules[i] = (SpragImpactRule){cases[k].law, 0.8, 0, 0};
        for (int batch = 0; batch < BATCHES; batch++) {
            double start = now_ns();
            for (int i = 0; i < 20; i++)
                stop_on(context, sprag_impact_collide(impact, &problem, rules, cases[k].scheme,
                                                      impulse, after, &result));
            best = fmin(best, (now_ns() - start) / 20);
        }
        printf("chain of %d balls, %-32s %8.2f us\n", CHAIN, sprag_impact_law_name(result.law),
               1e-3 * best);
    }
    sprag_contact_problem_destroy(&problem);
    sprag_impact_destroy(impact);
    sprag_context_destroy(context);
}

// ---- A run --------------------------------------------------------------------------------------

// A spinning disc that bounces without loss in the normal direction for ever: 10 000 impacts.
static const char SCENE[] =
    "sprag: 1\ngravity: [0, -9.81]\nbodies:\n"
    "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1], offset: 0}}]}\n"
    "  - {name: disc, mass: 1, position: [0, 0.11], velocity: [0.5, 0], spin: 20,\n"
    "     shapes: [{circle: {radius: 0.1}}]}\n"
    "contacts: [{name: ground, between: [disc, floor], friction: 0.2, restitution: 1}]\n";

typedef struct Tally {
    long impacts;
} Tally;

static int count_impact(const SpragEvent *event, void *user)
{
    Tally *tally = user;
    tally->impacts += event->type == SPRAG_EVENT_IMPACT;
    return 0;
}

static void time_run(void)
{
    SpragContext *context = NULL;
    SpragScene *scene;
    SpragSystem *system;
    SpragRun *run;
    SpragRunOutcome outcome;
    Tally tally = {0};
    SpragSink sink = {.event = count_impact, .user = &tally};
    SpragRunSettings settings = sprag_run_default();
    stop_on(NULL, sprag_context_create(NULL, &context));
    stop_on(context,
            sprag_scene_read_text(context, "bounce.yaml", SCENE, strlen(SCENE), NULL, &scene));
    stop_on(context, sprag_system_create_model(sprag_scene_model(scene), &system));
    settings.output_step = 0;
    stop_on(context, sprag_run_create(system, &settings, &sink, &run));
    // each flight lasts 2 sqrt(2 h / g) with h = 0.01 m
    double start = now_ns(), end = 10000 * 2 * sqrt(0.02 / 9.81);
    stop_on(context, sprag_run_advance(run, end, &outcome));
    printf("run by events: %ld impacts in %.3f s, %.1f us an impact\n", tally.impacts,
           1e-9 * (now_ns() - start), 1e-3 * (now_ns() - start) / (double)tally.impacts);
    sprag_run_destroy(run);
    sprag_system_destroy(system);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

int main(void)
{
    static SpragSingleImpact problems[PROBLEMS], some[PROBLEMS];
    SpragRandom random;
    printf("calib %.2f ns a contact\n", calibrate());
    for (int dimension = 2; dimension <= 3; dimension++) {
        sprag_random_init(&random, (uint64_t)dimension);
        for (int i = 0; i < PROBLEMS; i++)
            random_problem(&random, dimension, i, &problems[i]);
        const char *name = dimension == 2 ? "planar" : "spatial";
        printf("%-8s %-24s %5d %9.1f ns\n", name, "all", PROBLEMS, time_single(problems, PROBLEMS));
        for (int kind = SPRAG_IMPACT_SLIDE; kind < SPRAG_IMPACT_CASE_COUNT; kind++) {
            int count = 0;
            for (int i = 0; i < PROBLEMS; i++) {
                SpragSingleResult result;
                sprag_impact_single(&problems[i], &result);
                if ((int)result.kind == kind)
                    some[count++] = problems[i];
            }
            if (count > 0)
                printf("%-8s %-24s %5d %9.1f ns\n", name,
                       sprag_impact_case_name((SpragImpactCase)kind), count,
                       time_single(some, count));
        }
    }
    for (int i = 0; i < PROBLEMS; i++)
        problems[i].law = SPRAG_RESTITUTION_ENERGETIC;
    compare(problems, PROBLEMS);
    time_chain();
    time_run();
    return 0;
}
