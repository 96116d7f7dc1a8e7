// contact.c: what it costs to build a planar contact problem, to find all its motions, and to judge
// them.
//
// Cases     row-rest     a body at rest on a row of points on a level floor, pushed gently sideways
//           row-slide    the same body while it slides
//           polygon      a body inside a polygon of planes at random angles, pulled down by gravity
// Columns   build        sprag_contact_problem_assemble from the block-sparse view
//           search       sprag_motion_search_run
//           verdict      sprag_analysis_run (search included)
// Each time is processor time, the least of several batches: what else the machine does only adds.
// The first line is the time of a fixed chain of dependent operations, to compare machines.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sprag/sprag.h"

enum { MAX_CONTACTS = 12, BATCHES = 15 };
static const double BATCH_NS = 5e6;
static const double PI = 3.14159265358979323846;

typedef struct Bench {
    SpragContext *context;
    SpragMotionSearch *search;
    SpragAnalysis *analysis;
    SpragContactProblem problem;
    SpragMotionSet set;
    SpragVerdict verdict;
} Bench;

typedef struct Point {
    SpragVec2 position, normal; // relative to the centre of mass
    double slip;
} Point;

static void stop_on(SpragContext *context, SpragStatus status)
{
    if (status == SPRAG_OK)
        return;
    fprintf(stderr, "bench_contact: %s\n", context ? sprag_context_message(context) : "no context");
    exit(1);
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

// ---- Problems -----------------------------------------------------------------------------------

static void add_row(Bench *bench, int row, SpragVec2 direction, SpragVec2 at)
{
    double *entries;
    stop_on(bench->context, sprag_contact_problem_add_row_block(&bench->problem, row, 0, &entries));
    entries[0] = direction.x;
    entries[1] = direction.y;
    entries[2] = sprag_vec2_cross(at, direction);
}

// One body (1 kg, 0.5 kg m²) under f on the given points; everything but W and b.
static void describe(Bench *bench, int count, const Point *points, double friction,
                     const double f[3])
{
    SpragContactProblem *problem = &bench->problem;
    double *inverse;
    sprag_contact_problem_clear(problem, 2);
    for (int i = 0; i < count; i++) {
        SpragConstraint *c;
        stop_on(bench->context, sprag_contact_problem_add(problem, SPRAG_CONSTRAINT_CONTACT, &c));
        c->friction = friction;
        c->slip[0] = points[i].slip;
        c->sliding = points[i].slip != 0;
    }
    stop_on(bench->context, sprag_contact_problem_add_block(problem, 3, &inverse));
    inverse[0] = inverse[4] = 1;
    inverse[8] = 2;
    for (int k = 0; k < 3; k++)
        problem->free_acceleration[k] = f[k] * inverse[4 * k];
    for (int i = 0; i < count; i++) {
        add_row(bench, 2 * i, points[i].normal, points[i].position);
        add_row(bench, 2 * i + 1, sprag_vec2_tangent(points[i].normal), points[i].position);
    }
}

static void describe_row(Bench *bench, int count, double slip)
{
    Point points[MAX_CONTACTS];
    for (int i = 0; i < count; i++) {
        double x = count > 1 ? -1 + 2.0 * i / (count - 1) : 0;
        points[i] = (Point){sprag_vec2(x, -0.5), sprag_vec2(0, 1), slip};
    }
    describe(bench, count, points, 0.4, (double[]){1, -9.81, 0});
}

// Planes touch a disc-like body near the directions of a regular polygon, jittered; seeded by the
// size, so that every run sees the same problems.
static void describe_polygon(Bench *bench, int count)
{
    Point points[MAX_CONTACTS];
    SpragRandom random;
    sprag_random_init(&random, (uint64_t)count);
    for (int i = 0; i < count; i++) {
        double place = -PI / 2 + 2 * PI * i / count + sprag_random_uniform(&random, -0.2, 0.2);
        double angle = place + PI + sprag_random_uniform(&random, -0.3, 0.3);
        points[i] =
            (Point){sprag_vec2(cos(place), sin(place)), sprag_vec2(cos(angle), sin(angle)), 0};
    }
    describe(bench, count, points, 0.3, (double[]){0.2, -9.81, 0.1});
}

// ---- Measuring ----------------------------------------------------------------------------------

static void build(Bench *bench)
{
    stop_on(bench->context, sprag_contact_problem_assemble(&bench->problem));
}

static void search(Bench *bench)
{
    stop_on(bench->context,
            sprag_motion_search_run(bench->search, &bench->problem, NULL, &bench->set));
}

static void judge(Bench *bench)
{
    stop_on(bench->context,
            sprag_analysis_run(bench->analysis, &bench->problem, NULL, &bench->verdict));
}

// Nanoseconds of one call: least mean over batches of about BATCH_NS.
static double measure(Bench *bench, void (*call)(Bench *))
{
    double start = now_ns();
    call(bench);
    double once = now_ns() - start, best = INFINITY;
    int repeats = once < BATCH_NS ? (int)(BATCH_NS / fmax(once, 10)) + 1 : 1;
    for (int batch = 0; batch < (repeats > 1 ? BATCHES : 5); batch++) {
        start = now_ns();
        for (int i = 0; i < repeats; i++)
            call(bench);
        best = fmin(best, (now_ns() - start) / repeats);
    }
    return best;
}

// A chain x ← 1/(x + c): no operation can start before the one before has ended.
static double calibrate(void)
{
    enum { STEPS = 1000000 };
    double best = INFINITY;
    for (int batch = 0; batch < BATCHES; batch++) {
        volatile double seed = 1.5;
        double x = seed, start = now_ns();
        for (int i = 0; i < STEPS; i++)
            x = 1 / (x + 0.5);
        seed = x;
        best = fmin(best, (now_ns() - start) / STEPS);
    }
    return best;
}

static void report(Bench *bench, const char *name, int count)
{
    double build_ns = measure(bench, build);
    double search_ns = measure(bench, search);
    double judge_ns = measure(bench, judge);
    printf("%-10s %8d %10.2f %12.2f %12.2f %9ld %8ld %8d  %s\n", name, count, 1e-3 * build_ns,
           1e-3 * search_ns, 1e-3 * judge_ns, bench->set.node_count, bench->set.leaf_count,
           bench->set.count, sprag_verdict_name(bench->verdict.kind));
}

int main(void)
{
    static const int counts[] = {1, 2, 4, 8, 12};
    Bench bench = {0};
    stop_on(NULL, sprag_context_create(NULL, &bench.context));
    stop_on(bench.context, sprag_motion_search_create(bench.context, &bench.search));
    stop_on(bench.context, sprag_analysis_create(bench.context, &bench.analysis));
    sprag_contact_problem_init(&bench.problem, bench.context);
    printf("calib %.3f ns per dependent addition and division\n", calibrate());
    printf("%-10s %8s %10s %12s %12s %9s %8s %8s  %s\n", "case", "contacts", "build us",
           "search us", "verdict us", "nodes", "leaves", "motions", "kind");
    for (int kind = 0; kind < 3; kind++) {
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            if (kind == 2)
                describe_polygon(&bench, counts[i]);
            else
                describe_row(&bench, counts[i], kind == 1 ? 1 : 0);
            report(&bench, kind == 0 ? "row-rest" : kind == 1 ? "row-slide" : "polygon", counts[i]);
        }
    }
    sprag_contact_problem_destroy(&bench.problem);
    sprag_analysis_destroy(bench.analysis);
    sprag_motion_search_destroy(bench.search);
    sprag_context_destroy(bench.context);
    return 0;
}
