// stepping.c: piles by time stepping beside other engines, with what each one does to the laws.
//
// usage: bench_stepping [--short] [--only NAME] [--alone] [--piles SECONDS SCENE…]
// Pyramids of base 10, 20 and 40 in the plane (600 steps of 1/60 s; Box2D, Chipmunk), a wall of 200
// bricks and 1000 balls in a box (600 steps of 1/240 s; Bullet, ODE, MuJoCo). --short: 60 steps.
// How the cost of a step grows with the number of bodies follows, for balls up to 4096.
// Beside the processor time of a step stand, from the final places and by the same code for all:
// the deepest overlap, the largest drift sideways and how far the top has sunk. The law of friction
// is judged by what a block on an incline does, in several headings: how fast it creeps at 0.9 of
// the slope at which it should slip, and how far its acceleration is off at 1.1 of it; Sprag says
// its worst and median residual too. --alone: without the others. --piles: bench_friction's table,
// beside Siconos.
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

// ---- Sprag --------------------------------------------------------------------------------------

static void stop_on(SpragContext *context, SpragStatus status)
{
    if (status == SPRAG_OK)
        return;
    fprintf(stderr, "%s\n", sprag_context_message(context));
    exit(1);
}

static void describe_plane(const Workload *w, SpragText *text)
{
    sprag_text_add(text,
                   "sprag: 1\ngravity: [%.17g, %.17g]\nmaterials: {default: {friction: %.17g}}\n"
                   "bodies:\n  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1], "
                   "offset: 0}}]}\n",
                   w->gravity[0], w->gravity[1], w->friction);
    for (int i = 0; i < w->count; i++)
        sprag_text_add(text,
                       "  - {name: b%d, mass: %.17g, position: [%.17g, %.17g], shapes: [{box: "
                       "{size: [%.17g, %.17g]}}]}\n",
                       i, w->mass, w->place[3 * i], w->place[3 * i + 1], 2 * w->half[0],
                       2 * w->half[1]);
}

static void describe_space(const Workload *w, SpragText *text)
{
    sprag_text_add(text,
                   "sprag: 1\ndimension: 3\ngravity: [%.17g, %.17g, %.17g]\nmaterials: {default: "
                   "{friction: %.17g}}\nbodies:\n  - name: floor\n    fixed: true\n    shapes:\n"
                   "      - plane: {normal: [0, 0, 1], offset: 0}\n",
                   w->gravity[0], w->gravity[1], w->gravity[2], w->friction);
    for (int k = 0; w->walls > 0 && k < 4; k++)
        sprag_text_add(text, "      - plane: {normal: [%d, %d, 0], offset: %.17g}\n",
                       k / 2 ? 0 : 1 - 2 * (k % 2), k / 2 ? 1 - 2 * (k % 2) : 0, -w->walls);
    for (int i = 0; i < w->count; i++) {
        const double *p = w->place + 3 * i;
        sprag_text_add(text, "  - {name: b%d, mass: %.17g, position: [%.17g, %.17g, %.17g], ", i,
                       w->mass, p[0], p[1], p[2]);
        if (w->balls)
            sprag_text_add(text, "shapes: [{sphere: {radius: %.17g}}]}\n", w->half[0]);
        else
            sprag_text_add(text, "shapes: [{box: {size: [%.17g, %.17g, %.17g]}}]}\n",
                           2 * w->half[0], 2 * w->half[1], 2 * w->half[2]);
    }
}

static void keep(const SpragSystem *system, const SpragRun *run, const Workload *w, double *to)
{
    const double *q = sprag_run_position(run);
    for (int i = 0; i < w->count; i++) {
        const double *p = q + sprag_system_body_position(system, i + 1);
        to[4 * i] = p[0];
        to[4 * i + 1] = p[1];
        to[4 * i + 2] = w->dimension == 3 ? p[2] : 0;
        to[4 * i + 3] = w->dimension == 3 ? 0 : p[2];
    }
}

static bool run_sprag(const Workload *w, Outcome *outcome)
{
    SpragContext *context;
    SpragScene *scene;
    SpragSystem *system;
    SpragRun *run;
    SpragText text;
    SpragRunOutcome end = SPRAG_RUN_DONE;
    if (sprag_context_create(NULL, &context) != SPRAG_OK)
        return false;
    sprag_text_init(&text, context);
    if (w->dimension == 2)
        describe_plane(w, &text);
    else
        describe_space(w, &text);
    stop_on(context,
            sprag_scene_read_text(context, w->name, text.bytes, text.length, NULL, &scene));
    stop_on(context, sprag_system_create_model(sprag_scene_model(scene), &system));
    SpragRunSettings settings = sprag_run_default();
    settings.motion = SPRAG_MOTION_STEPPING;
    settings.step = w->step;
    settings.threads = 1;
    settings.no_rest = true; // the others do not sleep either
    stop_on(context, sprag_run_create(system, &settings, NULL, &run));
    double start = stepping_seconds();
    stop_on(context, sprag_run_advance(run, w->steps / 2 * w->step, &end));
    keep(system, run, w, outcome->middle);
    if (end == SPRAG_RUN_DONE)
        stop_on(context, sprag_run_advance(run, w->steps * w->step, &end));
    outcome->seconds = stepping_seconds() - start;
    keep(system, run, w, outcome->end);
    outcome->residual = sprag_run_stepping(run).worst_residual;
    outcome->median = sprag_run_stepping(run).median_residual;
    if (end != SPRAG_RUN_DONE)
        fprintf(stderr, "%s: %s\n", w->name, sprag_run_outcome_name(end));
    sprag_run_destroy(run);
    sprag_system_destroy(system);
    sprag_scene_destroy(scene);
    sprag_text_destroy(&text);
    sprag_context_destroy(context);
    return true;
}

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

// ---- The law of friction ------------------------------------------------------------------------

typedef struct Law {
    double creep; // m/s where it should stand
    double slip;  // error of its acceleration where it slips, relative to the exact one
} Law;

// A flat block on an incline that is turned into gravity; heading in the plane of the incline.
static bool on_incline(const Engine *engine, int dimension, double slope, double heading,
                       double *creep, double *acceleration)
{
    double place[3] = {0}, middle[4], end[4], mu = 0.5, angle = atan(slope * mu);
    Workload w = {.name = "incline",
                  .dimension = dimension,
                  .count = 1,
                  .half = {0.5, 0.5, 0.1},
                  .mass = 1,
                  .friction = mu,
                  .step = 1.0 / 240,
                  .steps = 480,
                  .place = place};
    if (dimension == 2)
        w.half[1] = 0.1;
    place[dimension - 1] = 0.1;
    w.gravity[0] = GRAVITY * sin(angle) * cos(heading);
    if (dimension == 3)
        w.gravity[1] = GRAVITY * sin(angle) * sin(heading);
    w.gravity[dimension - 1] = -GRAVITY * cos(angle);
    Outcome outcome = {.middle = middle, .end = end};
    if (!engine->run(&w, &outcome))
        return false;
    double along =
        dimension == 3 ? hypot(end[0] - middle[0], end[1] - middle[1]) : fabs(end[0] - middle[0]);
    double time = w.steps * w.step;
    *creep = along / (0.5 * time);
    *acceleration = along / (0.375 * time * time);
    return true;
}

static Law find_law(const Engine *engine, int dimension)
{
    Law law = {0};
    for (int k = 0; k < (dimension == 3 ? 4 : 2); k++) {
        double heading = dimension == 3 ? 0.2617993877991494 * k : 3.141592653589793 * k;
        double creep, acceleration, angle = atan(1.1 * 0.5);
        double exact = GRAVITY * (sin(angle) - 0.5 * cos(angle));
        if (!on_incline(engine, dimension, 0.9, heading, &creep, &acceleration))
            continue;
        law.creep = fmax(law.creep, creep);
        if (on_incline(engine, dimension, 1.1, heading, &creep, &acceleration))
            law.slip = fmax(law.slip, fabs(acceleration - exact) / exact);
    }
    return law;
}

// ---- The table ----------------------------------------------------------------------------------

static double measure(const Workload *w, const Law *laws, bool few)
{
    Workload workload = *w;
    size_t n = 4 * (size_t)w->count;
    double *middle = calloc(n, sizeof *middle), *end = calloc(n, sizeof *end);
    double own = NAN, best = INFINITY;
    if (!middle || !end)
        exit(1);
    if (few)
        workload.steps = 60;
    for (int e = 0; e < engine_count; e++) {
        Outcome outcome = {.middle = middle, .end = end};
        if ((engines[e].dimension && engines[e].dimension != w->dimension) ||
            !engines[e].run(&workload, &outcome))
            continue;
        Quality quality = judge(&workload, end);
        double cost = 1e3 * outcome.seconds / workload.steps;
        if (e == 0)
            own = cost;
        else
            best = fmin(best, cost);
        printf("%-8s %5d  %-9s %-15s %9.3f  %9.2e %9.2e %9.2e  %9.2e %9.2e", w->name, w->count,
               engines[e].name, engines[e].settings, cost, quality.penetration, quality.drift,
               quality.sink, laws[e].creep, laws[e].slip);
        if (outcome.residual >= 0)
            printf("  %8.1e  %8.1e\n", outcome.residual, outcome.median);
        else
            printf("         -\n");
        fflush(stdout);
    }
    if (best < INFINITY)
        printf("%-8s %5d  fastest peer / sprag: %.3f\n", w->name, w->count, best / own);
    free(middle);
    free(end);
    return own;
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
    }
    printf("workload bodies engine  settings          ms/step   overlap m   drift m    sink m  "
           "creep m/s  slip err  residual    median\n");
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
