// complementarity.c: Sprag's LCP solvers beside those of Siconos, in one run on the same problems.
//
// Prints a calibration line, then one line per family and size: median times over the problems,
// each problem's time being the best of several repetitions (CPU time of this thread), the number
// solved (residual below 1e-6 as computed here), and the ratio of the medians.
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <lcp_cst.h>

#include "support/lcp_scenes.h"

enum { MAX_PROBLEMS = 100 };
static const double SOLVED = 1e-6;

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

typedef struct Measure {
    double times[MAX_PROBLEMS];
    int count, solved;
} Measure;

static void record(Measure *measure, double seconds, double residual)
{
    measure->times[measure->count++] = seconds;
    measure->solved += residual <= SOLVED;
}

// ---- Sprag --------------------------------------------------------------------------------------

static SpragContext *context;
static SpragLcpWorkspace *workspace;

static double sprag_seconds(const LcpScene *scene, SpragLcpMethod method, double *z, double *w,
                            int repetitions)
{
    SpragLcp problem = {scene->n, scene->M, scene->q};
    SpragLcpSettings settings = sprag_lcp_default();
    SpragLcpInfo info;
    double best = 1e99;
    settings.method = method;
    // short solves are timed in batches, since reading the clock takes as long as one
    int batch = scene->n <= 12 ? 100 : 1;
    for (int k = 0; k < repetitions; k++) {
        double begin = cpu_seconds();
        for (int b = 0; b < batch; b++)
            if (sprag_lcp_solve(workspace, &problem, &settings, z, w, &info) != SPRAG_OK)
                abort();
        double seconds = (cpu_seconds() - begin) / batch;
        best = seconds < best ? seconds : best;
    }
    return best;
}

// ---- Siconos ------------------------------------------------------------------------------------

// The peer prints; its output is sent away while it runs.
typedef struct Streams {
    int out, error;
} Streams;

static Streams silence(void)
{
    fflush(stdout);
    Streams saved = {dup(1), dup(2)};
    int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, 1);
    dup2(nothing, 2);
    close(nothing);
    return saved;
}

static void restore(Streams saved)
{
    fflush(stdout);
    dup2(saved.out, 1);
    dup2(saved.error, 2);
    close(saved.out);
    close(saved.error);
}

static double *column_major(const LcpScene *scene)
{
    size_t n = (size_t)scene->n;
    double *M = malloc(n * n * sizeof *M);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            M[j * n + i] = scene->M[i * n + j];
    return M;
}

static double siconos_seconds(const LcpScene *scene, int id, double tolerance, int max_iterations,
                              double *z, double *w, int repetitions)
{
    double best = 1e99;
    for (int k = 0; k < repetitions; k++) {
        NumericsMatrix *M = NM_create_from_data(NM_DENSE, scene->n, scene->n, column_major(scene));
        LinearComplementarityProblem problem = {scene->n, M, scene->q};
        SolverOptions *options = solver_options_create(id);
        options->dparam[SICONOS_DPARAM_TOL] = tolerance;
        if (max_iterations > 0)
            options->iparam[SICONOS_IPARAM_MAX_ITER] = max_iterations;
        options->filterOn = false;
        int batch = scene->n <= 12 && id == SICONOS_LCP_LEMKE ? 100 : 1;
        double begin = cpu_seconds();
        for (int b = 0; b < batch; b++) {
            memset(z, 0, (size_t)scene->n * sizeof *z);
            memset(w, 0, (size_t)scene->n * sizeof *w);
            linearComplementarity_driver(&problem, z, w, options);
        }
        double seconds = (cpu_seconds() - begin) / batch;
        best = seconds < best ? seconds : best;
        solver_options_delete(options);
        free(options);
        NM_clear(M);
        free(M);
    }
    return best;
}

// ---- Lemke against Lemke, best against best -----------------------------------------------------

typedef struct Peer {
    int id;
    const char *name;
    double tolerance;
    int max_iterations;
} Peer;

static const Peer peers[] = {{SICONOS_LCP_LEMKE, "lemke", 1e-12, 20000},
                             {SICONOS_LCP_PIVOT, "pivot", 1e-12, 20000},
                             {SICONOS_LCP_NEWTON_MIN_FBLSA, "newton-min", 1e-10, 100},
                             {SICONOS_LCP_NEWTON_FB_FBLSA, "newton-fb", 1e-10, 100}};
enum { PEER_COUNT = sizeof peers / sizeof *peers };
static const SpragLcpMethod own[] = {SPRAG_LCP_LEMKE, SPRAG_LCP_AUTO, SPRAG_LCP_NEWTON_MIN,
                                     SPRAG_LCP_NEWTON_FB};
enum { OWN_COUNT = sizeof own / sizeof *own };

// The fastest of those that solve the most.
static int best_of(Measure *measures, int count, double *time)
{
    int best = 0;
    for (int k = 0; k < count; k++) {
        double t = median(measures[k].times, measures[k].count);
        if (k == 0 || measures[k].solved > measures[best].solved ||
            (measures[k].solved == measures[best].solved && t < *time)) {
            best = k;
            *time = t;
        }
    }
    return best;
}

static void family_size(const char *name, LcpFamily family, int n, int problems)
{
    static Measure sprag[OWN_COUNT], siconos[PEER_COUNT];
    memset(sprag, 0, sizeof sprag);
    memset(siconos, 0, sizeof siconos);
    double *z = calloc((size_t)n, sizeof *z), *w = calloc((size_t)n, sizeof *w);
    int repetitions = n <= 60 ? 5 : 2;
    Streams saved = silence();
    for (int p = 0; p < problems; p++) {
        LcpScene scene = lcp_scene_make(family, lcp_scene_contacts(family, n), (uint64_t)p + 1);
        SpragLcp problem = {scene.n, scene.M, scene.q};
        for (int k = 0; k < OWN_COUNT; k++) {
            double t = sprag_seconds(&scene, own[k], z, w, repetitions);
            record(&sprag[k], t, sprag_lcp_residual(&problem, z, NULL));
        }
        for (int k = 0; k < PEER_COUNT; k++) {
            double t = siconos_seconds(&scene, peers[k].id, peers[k].tolerance,
                                       peers[k].max_iterations, z, w, k < 2 ? repetitions : 1);
            record(&siconos[k], t, sprag_lcp_residual(&problem, z, NULL));
        }
        lcp_scene_free(&scene);
    }
    restore(saved);
    double a = median(sprag[0].times, problems), b = median(siconos[0].times, problems);
    printf("lemke  %-8s n=%-4d sprag %10.2f us %3d/%d   siconos %10.2f us %3d/%d   ratio %.1f\n",
           name, n, 1e6 * a, sprag[0].solved, problems, 1e6 * b, siconos[0].solved, problems,
           b / a);
    int i = best_of(sprag, OWN_COUNT, &a), j = best_of(siconos, PEER_COUNT, &b);
    printf("best   %-8s n=%-4d %-10s %10.2f us %3d/%d   %-10s %10.2f us %3d/%d   ratio %.1f\n",
           name, n, sprag_lcp_method_get((int)own[i])->name, 1e6 * a, sprag[i].solved, problems,
           peers[j].name, 1e6 * b, siconos[j].solved, problems, b / a);
    fflush(stdout);
    free(z);
    free(w);
}

static void methods(int largest)
{
    static const int sizes[] = {6, 12, 30, 60, 120, 300};
    static const char *const names[] = {"planar", "spatial", "sliding"};
    for (int family = LCP_PLANAR; family <= LCP_SLIDING; family++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            int n = sizes[k], contacts = lcp_scene_contacts((LcpFamily)family, n);
            int per_contact = family == LCP_PLANAR ? 4 : family == LCP_SPATIAL ? 6 : 1;
            int real = contacts * per_contact;
            if (n <= largest && contacts > 0 && (real == n || (family == LCP_PLANAR && n == 6)))
                family_size(names[family], (LcpFamily)family, real,
                            n <= 60    ? MAX_PROBLEMS
                            : n == 120 ? 30
                                       : 10);
        }
}

// ---- All solutions ------------------------------------------------------------------------------

static void all_solutions(void)
{
    SpragLcpAll *all = NULL;
    if (sprag_lcp_all_create(context, &all) != SPRAG_OK)
        abort();
    for (int n = 8; n <= 20; n += 4) {
        static Measure sprag, siconos;
        memset(&sprag, 0, sizeof sprag);
        memset(&siconos, 0, sizeof siconos);
        double *z = calloc((size_t)n, sizeof *z), *w = calloc((size_t)n, sizeof *w);
        int problems = n <= 12 ? 20 : n == 16 ? 5 : 2, sets = 0;
        Streams saved = silence();
        for (int p = 0; p < problems; p++) {
            LcpScene scene = lcp_scene_make(LCP_SLIDING, n, (uint64_t)p + 1);
            SpragLcp problem = {n, scene.M, scene.q};
            double begin = cpu_seconds();
            if (sprag_lcp_all_solve(all, &problem, NULL) != SPRAG_OK)
                abort();
            double seconds = cpu_seconds() - begin;
            const SpragLcpSet *first = sprag_lcp_all_get(all, 0);
            sets += sprag_lcp_all_count(all);
            record(&sprag, seconds, first ? first->residual : INFINITY);
            // multiple solutions: the whole of its enumeration
            NumericsMatrix *M = NM_create_from_data(NM_DENSE, n, n, column_major(&scene));
            LinearComplementarityProblem peer = {n, M, scene.q};
            SolverOptions *options = solver_options_create(SICONOS_LCP_ENUM);
            options->iparam[SICONOS_LCP_IPARAM_ENUM_MULTIPLE_SOLUTIONS] = 1;
            begin = cpu_seconds();
            linearComplementarity_driver(&peer, z, w, options);
            record(&siconos, cpu_seconds() - begin, sprag_lcp_residual(&problem, z, NULL));
            solver_options_delete(options);
            free(options);
            NM_clear(M);
            free(M);
            lcp_scene_free(&scene);
        }
        restore(saved);
        double a = median(sprag.times, problems), b = median(siconos.times, problems);
        printf("all    sliding  n=%-4d sprag %10.1f us (%d sets)   siconos enum %12.1f us   ratio "
               "%.1f\n",
               n, 1e6 * a, sets, 1e6 * b, b / a);
        fflush(stdout);
        free(z);
        free(w);
    }
    sprag_lcp_all_destroy(all);
}

// ---- Warm starts --------------------------------------------------------------------------------

// q moves along a line between those of two scenes with the same matrix: a trajectory in small
// steps.
static void warm(const char *name, LcpFamily family, int n)
{
    enum { STEPS = 200 };
    LcpScene scene = lcp_scene_make(family, lcp_scene_contacts(family, n), 7);
    size_t count = (size_t)scene.n;
    double *q = malloc(count * sizeof *q), *rate = malloc(count * sizeof *rate);
    double *z = calloc(count, sizeof *z), *w = calloc(count, sizeof *w), total[2] = {0, 0};
    int used = 0;
    SpragRandom random;
    sprag_random_init(&random, 3);
    for (size_t i = 0; i < count; i++)
        rate[i] = scene.q[i] == 0 ? 0 : sprag_random_uniform(&random, -2e-3, 2e-3);
    for (int mode = 0; mode < 2; mode++) {
        SpragLcpSettings settings = sprag_lcp_default();
        settings.warm = mode == 1;
        for (int k = 0; k < STEPS; k++) {
            for (size_t i = 0; i < count; i++)
                q[i] = scene.q[i] + k * rate[i];
            SpragLcp problem = {scene.n, scene.M, q};
            SpragLcpInfo info;
            double begin = cpu_seconds();
            if (sprag_lcp_solve(workspace, &problem, &settings, z, w, &info) != SPRAG_OK)
                abort();
            total[mode] += cpu_seconds() - begin;
            used += mode == 1 && info.warm_solved;
        }
    }
    printf("warm   %-8s n=%-4d cold %10.2f us   warm %10.2f us (%d of %d from the basis)   ratio "
           "%.1f\n",
           name, scene.n, 1e6 * total[0] / STEPS, 1e6 * total[1] / STEPS, used, STEPS,
           total[0] / total[1]);
    fflush(stdout);
    free(q);
    free(rate);
    free(z);
    free(w);
    lcp_scene_free(&scene);
}

// A fixed amount of arithmetic, so that two runs can be compared.
static void calibrate(void)
{
    double x[1024], best = 1e99;
    for (int i = 0; i < 1024; i++)
        x[i] = 1 + 1e-3 * i;
    for (int k = 0; k < 20; k++) {
        double begin = cpu_seconds();
        for (int r = 0; r < 10000; r++)
            for (int i = 0; i < 1024; i++)
                x[i] = x[i] * 0.999999 + 1e-6;
        double seconds = cpu_seconds() - begin;
        best = seconds < best ? seconds : best;
    }
    printf("calibration: %.3f ns a multiply-add (check %.6f)\n", best / 1.024e7 * 1e9, x[17]);
}

int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : "";
    if (sprag_context_create(NULL, &context) != SPRAG_OK ||
        sprag_lcp_workspace_create(context, &workspace) != SPRAG_OK)
        return 1;
    calibrate();
    if (!*only || strcmp(only, "methods") == 0)
        methods(argc > 2 ? atoi(argv[2]) : 300);
    if (!*only || strcmp(only, "all") == 0)
        all_solutions();
    if (!*only || strcmp(only, "warm") == 0) {
        static const int sizes[] = {12, 60, 120, 300};
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            warm("planar", LCP_PLANAR, sizes[k]);
            warm("spatial", LCP_SPATIAL, sizes[k]);
        }
    }
    sprag_lcp_workspace_destroy(workspace);
    sprag_context_destroy(context);
    return 0;
}
