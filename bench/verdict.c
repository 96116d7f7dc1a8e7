// verdict.c: verdicts per second, and points of a map per second.
//
// Verdicts  a body that slides on a row of 1, 2, 4, 8, 12 feet, and the same body at rest and
//           pushed gently: sprag_analysis_run alone
// Margins   of all frictions of the sliding body
// Maps      examples/painleve-rod.yaml over (theta, mu): every point, and refined; 1 and 2 threads
// Each time of a verdict is the least of several batches: what else the machine does only adds. The
// first line is the time of a fixed chain of dependent operations, to compare machines.
//
// usage: bench_verdict [FOLDER OF EXAMPLES]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sprag/sprag.h"

enum { BATCHES = 7, MAP_POINTS = 300, REFINED_POINTS = 1000 };
static const double BATCH_S = 0.02;

static void stop_on(SpragContext *context, SpragStatus status)
{
    if (status == SPRAG_OK)
        return;
    fprintf(stderr, "%s\n", sprag_context_message(context));
    exit(1);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// A thousand dependent divisions, ns each.
static double calibrate(void)
{
    volatile double x = 1.5;
    double start = now();
    for (int i = 0; i < 1000000; i++)
        x = 1 + 1 / x;
    return (now() - start) * 1e3;
}

// A body of mass 1 on `count` feet in a row of length 2, its centre 0.3 above them.
static void make_body(SpragContactProblem *problem, SpragContext *context, int count, double slip)
{
    double *inverse, *entries;
    sprag_contact_problem_clear(problem, 2);
    for (int i = 0; i < count; i++) {
        SpragConstraint *item;
        stop_on(context, sprag_contact_problem_add(problem, SPRAG_CONSTRAINT_CONTACT, &item));
        item->friction = 0.4;
        item->slip[0] = slip;
        item->sliding = slip != 0;
    }
    stop_on(context, sprag_contact_problem_add_block(problem, 3, &inverse));
    inverse[0] = inverse[4] = 1;
    inverse[8] = 2;
    problem->free_acceleration[0] = slip != 0 ? 0 : 0.5;
    problem->free_acceleration[1] = -9.81;
    problem->free_acceleration[2] = 0;
    for (int i = 0; i < count; i++) {
        double x = count > 1 ? 2.0 * i / (count - 1) - 1 : 0.1;
        stop_on(context, sprag_contact_problem_add_row_block(problem, 2 * i, 0, &entries));
        entries[1] = 1;
        entries[2] = x;
        stop_on(context, sprag_contact_problem_add_row_block(problem, 2 * i + 1, 0, &entries));
        entries[0] = 1;
        entries[2] = 0.3;
    }
    stop_on(context, sprag_contact_problem_assemble(problem));
}

static void verdict_once(SpragContext *context, SpragAnalysis *analysis,
                         const SpragContactProblem *problem)
{
    SpragVerdict verdict;
    stop_on(context, sprag_analysis_run(analysis, problem, NULL, &verdict));
}

static void margin_once(SpragContext *context, SpragAnalysis *analysis,
                        const SpragContactProblem *problem)
{
    SpragMargin margin;
    stop_on(context, sprag_margin_friction(analysis, problem, NULL, SPRAG_ALL_CONTACTS, &margin));
}

// Seconds of one call.
static double least_time(void (*call)(SpragContext *, SpragAnalysis *, const SpragContactProblem *),
                         SpragContext *context, SpragAnalysis *analysis,
                         const SpragContactProblem *problem)
{
    double least = INFINITY;
    for (int batch = 0; batch < BATCHES; batch++) {
        double start = now(), passed;
        long count = 0;
        do {
            call(context, analysis, problem);
            count++;
            passed = now() - start;
        } while (passed < BATCH_S);
        least = fmin(least, passed / (double)count);
    }
    return least;
}

static void bench_verdicts(SpragContext *context)
{
    static const int counts[] = {1, 2, 4, 8, 12};
    SpragAnalysis *analysis;
    SpragContactProblem problem;
    stop_on(context, sprag_analysis_create(context, &analysis));
    sprag_contact_problem_init(&problem, context);
    printf("contacts  sliding [us]  at rest [us]  margin, sliding [us]\n");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        make_body(&problem, context, counts[i], 0);
        double rest = least_time(verdict_once, context, analysis, &problem);
        make_body(&problem, context, counts[i], -1);
        double sliding = least_time(verdict_once, context, analysis, &problem);
        double margin = least_time(margin_once, context, analysis, &problem);
        printf("%8d  %12.2f  %12.2f  %20.1f\n", counts[i], 1e6 * sliding, 1e6 * rest, 1e6 * margin);
    }
    sprag_contact_problem_destroy(&problem);
    sprag_analysis_destroy(analysis);
}

static void bench_map(SpragContext *context, const char *folder, bool refine, int jobs)
{
    char path[1024], x[64], y[64];
    int points = refine ? REFINED_POINTS : MAP_POINTS;
    SpragMapSettings settings = sprag_map_default();
    SpragMap *map;
    snprintf(path, sizeof path, "%s/painleve-rod.yaml", folder);
    snprintf(x, sizeof x, "theta=5:85deg:%d", points);
    snprintf(y, sizeof y, "mu=0:3:%d", points);
    settings.x = x;
    settings.y = y;
    settings.refine = refine;
    settings.jobs = jobs;
    settings.borders = false;
    double start = now();
    stop_on(context, sprag_map_create(context, path, &settings, &map));
    double passed = now() - start;
    printf("%4d x %-4d  %-7s  %7d  %9ld  %6.3f  %12.0f\n", points, points,
           refine ? "refined" : "full", jobs, map->evaluation_count, passed,
           (double)points * points / passed);
    sprag_map_destroy(map);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "examples";
    SpragContext *context;
    if (sprag_context_create(NULL, &context) != SPRAG_OK)
        return 1;
    printf("calibration: %.2f ns a division\n\n", calibrate());
    bench_verdicts(context);
    printf("\n       grid           threads     states       s  points per s\n");
    for (int refine = 0; refine < 2; refine++)
        for (int jobs = 1; jobs <= 2; jobs++)
            bench_map(context, folder, refine, jobs);
    sprag_context_destroy(context);
    return 0;
}
