// verdict.c: verdicts per second, and points of a map per second.
//
// Verdicts  a body that slides on a row of 1, 2, 4, 8, 12 feet, and the same body at rest and
//           pushed gently: sprag_analysis_run alone
// Margins   of all frictions of the sliding body
// Maps      examples/painleve-rod.yaml over (theta, mu): every point, and refined; 1 and 2 threads
// Times of verdicts and of maps are the least of several: what else the machine does only adds.
// Beside the time that passes stands processor time, which other work disturbs less. The first line
// is the time of a fixed piece of work (calibrate.h), to compare machines.
//
// usage: bench_verdict [FOLDER OF EXAMPLES]
//        bench_verdict profile CONTACTS SLIP COUNT    (that many verdicts and nothing else)
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calibrate.h"
#include "sprag/sprag.h"

enum { BATCHES = 15, MAP_BATCHES = 3, MAP_POINTS = 1000 };
static const double BATCH_S = 0.005;

static void stop_on(SpragContext *context, SpragStatus status)
{
    if (status == SPRAG_OK)
        return;
    fprintf(stderr, "%s\n", sprag_context_message(context));
    exit(1);
}

static double read_clock(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Processor time of all threads.
static double now(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
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
    long count = 1; // calls between looks at the clock, which cost about one verdict each
    for (int batch = 0; batch < BATCHES;) {
        double start = now();
        for (long i = 0; i < count; i++)
            call(context, analysis, problem);
        double passed = now() - start;
        least = fmin(least, passed / (double)count);
        if (passed < BATCH_S)
            count *= 2;
        else
            batch++;
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

static void bench_map(SpragContext *context, const char *folder, bool refine, bool borders,
                      int jobs)
{
    char path[1024], x[64], y[64];
    SpragMapSettings settings = sprag_map_default();
    SpragMap *map;
    double passed = INFINITY, used = INFINITY;
    long states = 0;
    snprintf(path, sizeof path, "%s/painleve-rod.yaml", folder);
    snprintf(x, sizeof x, "theta=5:85deg:%d", MAP_POINTS);
    snprintf(y, sizeof y, "mu=0:3:%d", MAP_POINTS);
    settings.x = x;
    settings.y = y;
    settings.refine = refine;
    settings.jobs = jobs;
    settings.borders = borders;
    for (int batch = 0; batch < MAP_BATCHES; batch++) {
        double start = read_clock(CLOCK_MONOTONIC), begin = now();
        stop_on(context, sprag_map_create(context, path, &settings, &map));
        passed = fmin(passed, read_clock(CLOCK_MONOTONIC) - start);
        used = fmin(used, now() - begin);
        states = map->evaluation_count;
        sprag_map_destroy(map);
    }
    printf("%-7s  %-7s  %7d  %9ld  %6.3f  %6.3f  %12.0f  %8.2f\n", refine ? "refined" : "full",
           borders ? "yes" : "no", jobs, states, passed, used,
           (double)MAP_POINTS * MAP_POINTS / passed, 1e6 * used / (double)states);
}

static void profile(SpragContext *context, int contacts, double slip, int count)
{
    SpragAnalysis *analysis;
    SpragContactProblem problem;
    stop_on(context, sprag_analysis_create(context, &analysis));
    sprag_contact_problem_init(&problem, context);
    make_body(&problem, context, contacts, slip);
    for (int i = 0; i < count; i++)
        verdict_once(context, analysis, &problem);
    sprag_contact_problem_destroy(&problem);
    sprag_analysis_destroy(analysis);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "examples";
    SpragContext *context;
    if (sprag_context_create(NULL, &context) != SPRAG_OK)
        return 1;
    if (argc == 5 && strcmp(folder, "profile") == 0) {
        profile(context, atoi(argv[2]), atof(argv[3]), atoi(argv[4]));
    } else {
        printf("calib %.2f ns\n\n", calibrate()); // calibrate.h
        bench_verdicts(context);
        printf(
            "\nmap of %d x %d points\n         borders  threads     states       s  CPU s  points "
            "per s  us a state\n",
            MAP_POINTS, MAP_POINTS);
        for (int kind = 0; kind < 4; kind++)
            for (int jobs = 1; jobs <= 2; jobs++)
                bench_map(context, folder, kind >= 2, kind % 2 == 1, jobs);
    }
    sprag_context_destroy(context);
    return 0;
}
