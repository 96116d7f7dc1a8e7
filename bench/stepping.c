// stepping.c: piles by time stepping beside other engines, with what each one does to the laws.
//
// usage: bench_stepping [--short] [--only NAME] [--alone] [--piles SECONDS SCENE…]
// Pyramids of base 10, 20 and 40 in the plane (600 steps of 1/60 s; Box2D, Chipmunk), a wall of 200
// bricks and 1000 balls in a box (600 steps of 1/240 s; Bullet, ODE, MuJoCo). --short: 60 steps.
// How the cost of a step grows with the number of bodies follows, for balls up to 4096.
// Beside the processor time of a step stand, from the final places and by the same code for all:
// the deepest overlap, the largest drift sideways and how far the top has sunk. The law of friction
// is judged by what a block on an incline does, in several headings: how fast it creeps at 0.9 of
// the slope at which it should slip, and how far its acceleration is off at 1.1 of it; and in the
// workload by its contacts, read after each step of a second run (stepping_law.h). Sprag says its
// worst and median residual too. Of balls a last row has Sprag at a hundredth of the law error of
// the fastest peer. --alone: without the others. --piles: bench_friction's table, beside Siconos.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate.h"
#include "sprag/sprag.h"
#include "stepping_peer.h"
#ifdef BENCH_SICONOS
#include "friction_table.h"
#endif

enum { MOST_BODIES = 4096 };
static const double GRAVITY = 9.81;

static const Engine engines[] = {
    {"sprag", "1e-8, laws 1e-3", 0, run_sprag},
#ifdef BENCH_BOX2D
    {"box2d", "8/3 iterations", 2, run_box2d},
#endif
#ifdef BENCH_CHIPMUNK
    {"chipmunk", "10 iterations", 2, run_chipmunk},
#endif
#ifdef BENCH_BULLET
    {"bullet", "10 iterations", 3, run_bullet},
    {"bullet-2", "10, 2 ways", 3, run_bullet_two},
#endif
#ifdef BENCH_ODE
    {"ode", "quick, 20", 3, run_ode},
#endif
#ifdef BENCH_MUJOCO
    {"mujoco", "CG, elliptic", 3, run_mujoco},
#endif
};
enum { ENGINES = sizeof engines / sizeof *engines };
static int engine_count = ENGINES;

// ---- Workloads ----------------------------------------------------------------------------------

static Workload make_pyramid(int base, double *place)
{
    Workload w = {.name = "pyramid",
                  .dimension = 2,
                  .half = {0.5, 0.5, 0.5},
                  .mass = 1,
                  .friction = 0.6,
                  .gravity = {0, -GRAVITY, 0},
                  .step = 1.0 / 60,
                  .steps = 600,
                  .place = place};
    for (int i = 0; i < base; i++)
        for (int j = 0; j < base - i; j++) {
            double *p = place + 3 * w.count++;
            p[0] = 1.1 * (j - 0.5 * (base - i - 1));
            p[1] = 0.5 + i;
            p[2] = 0;
        }
    return w;
}

static Workload make_wall(int rows, int length, double *place)
{
    Workload w = {.name = "wall",
                  .dimension = 3,
                  .count = rows * length,
                  .half = {0.25, 0.125, 0.125},
                  .mass = 1,
                  .friction = 0.5,
                  .gravity = {0, 0, -GRAVITY},
                  .step = 1.0 / 240,
                  .steps = 600,
                  .place = place};
    for (int k = 0; k < w.count; k++) {
        int row = k / length;
        place[3 * k] = 0.51 * (k % length + (row % 2 ? 0.125 : -0.125) - 0.5 * (length - 1));
        place[3 * k + 1] = 0;
        place[3 * k + 2] = 0.125 + 0.25 * row;
    }
    return w;
}

// side³ balls of radius 0.1, a little apart, which fall into a box.
static Workload make_balls(int side, double *place)
{
    Workload w = {.name = "balls",
                  .dimension = 3,
                  .count = side * side * side,
                  .balls = true,
                  .half = {0.1, 0.1, 0.1},
                  .mass = 1,
                  .walls = 0.12 * side,
                  .friction = 0.5,
                  .gravity = {0, 0, -GRAVITY},
                  .step = 1.0 / 240,
                  .steps = 600,
                  .place = place};
    SpragRandom random;
    sprag_random_init(&random, 12345);
    for (int k = 0; k < w.count; k++) {
        place[3 * k] = 0.23 * (k % side - 0.5 * (side - 1));
        place[3 * k + 1] = 0.23 * (k / side % side - 0.5 * (side - 1));
        for (int e = 0; e < 2; e++)
            place[3 * k + e] += sprag_random_uniform(&random, -0.01, 0.01);
        place[3 * k + 2] = 0.11 + 0.23 * (k / (side * side));
    }
    return w;
}

// ---- What the places say ------------------------------------------------------------------------

typedef struct Quality {
    double penetration, drift, sink;
} Quality;

// Overlap of two squares of half side h by separating axes; negative: apart.
static double overlap_squares(const double *a, const double *b, double h)
{
    double least = INFINITY;
    for (int k = 0; k < 4; k++) {
        double angle = (k < 2 ? a[3] : b[3]) + (k % 2 ? 1.5707963267948966 : 0);
        double reach = 0;
        for (int s = 0; s < 2; s++) {
            double turn = angle - (s ? b[3] : a[3]);
            reach += h * (fabs(cos(turn)) + fabs(sin(turn)));
        }
        double apart = fabs((b[0] - a[0]) * cos(angle) + (b[1] - a[1]) * sin(angle));
        least = fmin(least, reach - apart);
    }
    return least;
}

// Overlap of a pair, or of a body with floor and walls (b NULL). Bricks of a wall: as they lie, by
// their heights, where they are above each other.
static double overlap(const Workload *w, const double *a, const double *b)
{
    const double *half = w->half;
    if (w->dimension == 2)
        return b ? overlap_squares(a, b, half[0])
                 : half[0] * (fabs(cos(a[3])) + fabs(sin(a[3]))) - a[1];
    if (w->balls && b)
        return 2 * half[0] - sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                                  (a[2] - b[2]) * (a[2] - b[2]));
    if (!b) {
        double deep = half[2] - a[2];
        for (int k = 0; w->walls > 0 && k < 2; k++)
            deep = fmax(deep, half[0] + fabs(a[k]) - w->walls);
        return deep;
    }
    bool above = fabs(a[0] - b[0]) < 1.9 * half[0] && fabs(a[1] - b[1]) < 1.9 * half[1];
    return above ? 2 * half[2] - fabs(a[2] - b[2]) : -1;
}

static Quality judge(const Workload *w, const double *end)
{
    Quality quality = {0};
    int up = w->dimension - 1;
    double top = -INFINITY, near = 3 * fmax(w->half[0], w->half[2]);
    for (int i = 0; i < w->count; i++) {
        const double *a = end + 4 * i, *p = w->place + 3 * i;
        quality.penetration = fmax(quality.penetration, overlap(w, a, NULL));
        for (int j = 0; j < i; j++)
            if (fabs(a[0] - end[4 * j]) < near && fabs(a[up] - end[4 * j + up]) < near)
                quality.penetration = fmax(quality.penetration, overlap(w, a, end + 4 * j));
        quality.drift =
            fmax(quality.drift, hypot(a[0] - p[0], w->dimension == 3 ? a[1] - p[1] : 0));
        if (p[up] >= top) {
            top = p[up];
            quality.sink = fmax(quality.sink, p[up] - a[up]);
        }
    }
    return quality;
}

// ---- The table ----------------------------------------------------------------------------------

// The friction law in the workload itself, by another run in which contacts are read after each
// step: reading costs time.
static Laws read_laws(const Engine *engine, const Workload *w, Outcome outcome)
{
    Laws laws;
    if (!laws_create(w, &laws))
        exit(1);
    outcome.laws = &laws;
    if (engine->run(w, &outcome))
        laws_conclude(&laws);
    laws_destroy(&laws);
    return laws;
}

// What a row of the table has.
typedef struct Row {
    double cost; // ms/step; < 0: the engine did not run
    Laws told;
} Row;

static Row measure_engine(const Engine *engine, const char *settings, const Workload *w,
                          const Law *law)
{
    size_t n = 4 * (size_t)w->count;
    double *middle = calloc(n, sizeof *middle), *end = calloc(n, sizeof *end);
    Outcome outcome = {.middle = middle, .end = end};
    Row row = {.cost = -1};
    if (!middle || !end)
        exit(1);
    if (engine->run(w, &outcome)) {
        Quality quality = judge(w, end);
        row.cost = 1e3 * outcome.seconds / w->steps;
        row.told = read_laws(engine, w, outcome);
        printf(
            "%-8s %5d  %-9s %-15s %9.3f  %9.2e %9.2e %9.2e  %9.2e %9.2e  %8.1e %8.1e %8.1e %8.1e",
            w->name, w->count, engine->name, settings, row.cost, quality.penetration, quality.drift,
            quality.sink, law->creep, law->slip, row.told.median, row.told.worst,
            row.told.own_median, row.told.closure);
        if (outcome.residual >= 0)
            printf("  %8.1e %8.1e\n", outcome.residual, outcome.median);
        else
            printf("         -\n");
        fflush(stdout);
    }
    free(middle);
    free(end);
    return row;
}

// Sprag with the law tolerance at which its law error is a hundredth of that of a peer, by the same
// measure; `own` is the row of its default, which tells how the two go together.
static void measure_hundredth(Workload w, const Law *law, const char *peer, const Row *row,
                              const Row *own)
{
    enum { TRIALS = 2 };
    char settings[64];
    const double hair = 0.97, most = SPRAG_MOST_RUN_TOLERANCE;
    double goal = row->told.median / 100;
    Row found = *own;
    w.law_tolerance = sprag_run_default().law_tolerance;
    for (int k = 0; k < TRIALS && (k == 0 || found.told.median > goal); k++) {
        w.law_tolerance = fmin(most, w.law_tolerance * hair * goal / found.told.median);
        snprintf(settings, sizeof settings, "laws %.2e", w.law_tolerance);
        found = measure_engine(&engines[0], settings, &w, law);
    }
    printf("%-8s %5d  sprag at 1/%.0f of the law error of %s: %s / sprag %.3f\n", w.name, w.count,
           row->told.median / found.told.median, peer, peer, row->cost / found.cost);
}

static double measure(const Workload *w, const Law *laws, bool few)
{
    Workload workload = *w;
    Row rows[ENGINES];
    int best = 0; // the fastest peer
    if (few)
        workload.steps = 60;
    for (int e = 0; e < engine_count; e++) {
        rows[e].cost = -1;
        if (engines[e].dimension && engines[e].dimension != w->dimension)
            continue;
        rows[e] = measure_engine(&engines[e], engines[e].settings, &workload, &laws[e]);
        if (e > 0 && rows[e].cost > 0 && (best == 0 || rows[e].cost < rows[best].cost))
            best = e;
    }
    for (int e = 1; e < engine_count; e++)
        if (rows[e].cost > 0)
            printf("%-8s %5d  %s / sprag: time %.3f, law error %.3g\n", w->name, w->count,
                   engines[e].name, rows[e].cost / rows[0].cost,
                   rows[e].told.median / rows[0].told.median);
    if (best > 0)
        printf("%-8s %5d  fastest peer / sprag: %.3f\n", w->name, w->count,
               rows[best].cost / rows[0].cost);
    if (best > 0 && w->balls)
        measure_hundredth(workload, &laws[0], engines[best].name, &rows[best], &rows[0]);
    return rows[0].cost;
}

// Slope of log cost over log size between two workloads.
static void growth(const char *name, double small, int few, double large, int many)
{
    if (small > 0 && large > 0)
        printf("%-8s growth of the cost per step with the number of bodies, %d to %d: exponent "
               "%.2f\n",
               name, few, many, log(large / small) / log((double)many / few));
}

// Milliseconds a step of a short run of Sprag alone.
static double short_cost(const Workload *w)
{
    Workload workload = *w;
    size_t n = 4 * (size_t)w->count;
    double *middle = calloc(n, sizeof *middle), *end = calloc(n, sizeof *end);
    Outcome outcome = {.middle = middle, .end = end};
    if (!middle || !end)
        exit(1);
    workload.steps = 60;
    run_sprag(&workload, &outcome);
    free(middle);
    free(end);
    return 1e3 * outcome.seconds / workload.steps;
}

// Balls that fall and meet, 60 steps of each size: the numbers of bodies and of contacts grow
// alike.
static void grow_balls(double *place)
{
    static const int sides[3] = {5, 10, 16};
    double cost[3];
    for (int k = 0; k < 3; k++) {
        Workload w = make_balls(sides[k], place);
        cost[k] = short_cost(&w);
        printf("balls    %5d  sprag, 60 steps: %.3f ms/step\n", w.count, cost[k]);
        if (k > 0)
            growth("balls", cost[k - 1], sides[k - 1] * sides[k - 1] * sides[k - 1], cost[k],
                   w.count);
        fflush(stdout);
    }
}

static void run_all(const char *only, bool few)
{
    static double place[3 * MOST_BODIES];
    Law plane[ENGINES], space[ENGINES];
    for (int e = 0; e < engine_count; e++) {
        plane[e] = engines[e].dimension != 3 ? find_law(&engines[e], 2) : (Law){0};
        space[e] = engines[e].dimension != 2 ? find_law(&engines[e], 3) : (Law){0};
        const Law *law = engines[e].dimension == 2 ? &plane[e] : &space[e];
        printf("incline  %-9s creep %.2e m/s, law error %.2e; slip error %.2e, by impulses %.2e\n",
               engines[e].name, law->creep, law->told_stick, law->slip, law->told_slip);
    }
    printf("workload bodies engine  settings          ms/step   overlap m   drift m    sink m  "
           "creep m/s  slip err  law err.    worst      own   closed  residual   median\n");
    double cost[3] = {0};
    for (int k = 0; k < 3 && (!only || strcmp(only, "pyramid") == 0); k++) {
        Workload w = make_pyramid(10 << k, place);
        cost[k] = measure(&w, plane, few);
    }
    if (!only || strcmp(only, "pyramid") == 0) {
        growth("pyramid", cost[0], 55, cost[1], 210);
        growth("pyramid", cost[1], 210, cost[2], 820);
    }
    for (int k = 0; k < 2 && (!only || strcmp(only, "wall") == 0); k++) {
        Workload w = make_wall(10, 10 << k, place);
        cost[k] = measure(&w, space, few);
    }
    if (!only || strcmp(only, "wall") == 0)
        growth("wall", cost[0], 100, cost[1], 200);
    for (int k = 0; k < 2 && (!only || strcmp(only, "balls") == 0); k++) {
        Workload w = make_balls(5 << k, place);
        cost[k] = measure(&w, space, few);
    }
    if (!only || strcmp(only, "balls") == 0)
        grow_balls(place);
}

int main(int argc, char **argv)
{
    const char *only = NULL;
    bool few = false;
    int piles = argc;
    for (int k = 1; k < argc && piles == argc; k++) {
        if (strcmp(argv[k], "--short") == 0)
            few = true;
        else if (strcmp(argv[k], "--only") == 0 && k + 1 < argc)
            only = argv[++k];
        else if (strcmp(argv[k], "--alone") == 0)
            engine_count = 1;
        else if (strcmp(argv[k], "--piles") == 0)
            piles = k;
    }
    printf("calib %.2f ns\n", calibrate());
    if (!only || strcmp(only, "piles") != 0)
        run_all(only, few);
#ifdef BENCH_SICONOS
    if (piles + 1 < argc)
        friction_table(atof(argv[piles + 1]), argc - piles - 2, argv + piles + 2);
#endif
    return 0;
}
