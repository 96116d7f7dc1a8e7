// broad.c: how the cost of finding what can touch grows with the number of bodies.
//
// Cases     gas      spheres at random in a cube, one to three times its own volume
//           layer    spheres side by side on a plane, which they almost touch
//           boxes    boxes at random in a cube, one to eight times its own volume
//           pile     boxes in columns of ten, flat on each other
// Columns   create   a collider: list, rules and names of slots
//           move     refresh between two configurations a little apart, all bodies moving (warm)
//           all      all pairs of boxes compared, the peer that everyone can write
//           near     slots in the list of the last refresh
// The exponent of a column is the slope of log time over log bodies between the first and the last
// row. Times are processor time in milliseconds, the least of several batches. calib: calibrate.h.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calibrate.h"
#include "sprag/sprag.h"

enum { BATCHES = 5, SIZES = 5, CASES = 4 };

typedef struct Scene {
    SpragContext *context;
    SpragModel *model;
    SpragCollider *collider;
    SpragPose *poses, *later;
    int count;
} Scene;

typedef struct Row {
    double create, move, all;
    int near;
} Row;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void check(Scene *scene, SpragStatus status)
{
    if (status == SPRAG_OK)
        return;
    fprintf(stderr, "bench_broad: %s\n", sprag_context_message(scene->context));
    exit(1);
}

static void add_body(Scene *scene, const char *name, bool fixed, SpragVec3 x)
{
    char text[32];
    snprintf(text, sizeof text, "%s", name);
    SpragBody body = {.name = text, .fixed = fixed, .mass = 1, .orientation = {1, 0, 0, 0}};
    body.tensor[0] = body.tensor[1] = body.tensor[2] = 0.1;
    sprag_vec3_to(x, body.position);
    check(scene, sprag_model_add_body(scene->model, &body, NULL));
}

static void add_round(Scene *scene, int body)
{
    SpragVec3 centre = {0, 0, 0};
    SpragShape shape = {.kind = SPRAG_SHAPE_SPHERE,
                        .body = body,
                        .material = -1,
                        .vertex_count = 1,
                        .points = &centre,
                        .radius = 0.5};
    check(scene, sprag_model_add_shape(scene->model, &shape, NULL));
}

static void add_box(Scene *scene, int body)
{
    const double sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    SpragVec3 points[8];
    for (int i = 0; i < 8; i++)
        points[i] = sprag_vec3(sign[i % 4][0] / 2, sign[i % 4][1] / 2, (i < 4 ? -1 : 1) / 2.0);
    SpragShape shape = {
        .kind = SPRAG_SHAPE_BOX, .body = body, .material = -1, .vertex_count = 8, .points = points};
    check(scene, sprag_model_add_shape(scene->model, &shape, NULL));
}

static SpragVec3 place_of(int kind, int index, int count, SpragRandom *random)
{
    double side = cbrt((kind == 2 ? 8 : 1.6) * count) / 2;
    int row = (int)ceil(sqrt((double)count)), columns = (int)ceil(sqrt(count / 10.0));
    if (kind == 1)
        return sprag_vec3(1.001 * (index % row), 1.001 * (double)(index / row), 0.5005);
    if (kind == 3)
        return sprag_vec3(1.5 * (index / 10 % columns), 1.5 * (double)(index / 10 / columns),
                          0.5 + index % 10);
    double x = sprag_random_uniform(random, -side, side);
    double y = sprag_random_uniform(random, -side, side);
    return sprag_vec3(x, y, sprag_random_uniform(random, -side, side) + side + 0.6);
}

static void build(Scene *scene, int kind, int count)
{
    SpragRandom random;
    sprag_random_init(&random, 1);
    memset(scene, 0, sizeof *scene);
    scene->count = count + 1;
    if (sprag_context_create(NULL, &scene->context) != SPRAG_OK)
        exit(1);
    check(scene, sprag_model_create(scene->context, &scene->model));
    scene->model->dimension = 3;
    add_body(scene, "floor", true, sprag_vec3(0, 0, 0));
    SpragShape plane = {.kind = SPRAG_SHAPE_PLANE, .body = 0, .material = -1, .normal = {0, 0, 1}};
    check(scene, sprag_model_add_shape(scene->model, &plane, NULL));
    scene->poses = calloc((size_t)scene->count, sizeof *scene->poses);
    scene->later = calloc((size_t)scene->count, sizeof *scene->later);
    for (int i = 1; i < scene->count; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        add_body(scene, name, false, place_of(kind, i - 1, count, &random));
        if (kind < 2)
            add_round(scene, i);
        else
            add_box(scene, i);
    }
    for (int i = 0; i < scene->count; i++) {
        scene->poses[i].x = sprag_vec3_of(scene->model->bodies[i].position);
        scene->poses[i].R = sprag_mat3_identity();
        scene->later[i] = scene->poses[i];
    }
}

static void step_on(Scene *scene, SpragRandom *random)
{
    memcpy(scene->poses, scene->later, (size_t)scene->count * sizeof *scene->poses);
    for (int i = 1; i < scene->count; i++) {
        scene->later[i].x.x += sprag_random_uniform(random, -0.002, 0.002);
        scene->later[i].x.y += sprag_random_uniform(random, -0.002, 0.002);
    }
}

// Boxes around the bodies, all with all.
static int all_pairs(const Scene *scene)
{
    int found = 0;
    for (int i = 1; i < scene->count; i++) {
        SpragVec3 a = scene->poses[i].x;
        for (int k = i + 1; k < scene->count; k++) {
            SpragVec3 b = scene->poses[k].x;
            found += fabs(a.x - b.x) < 1.01 && fabs(a.y - b.y) < 1.01 && fabs(a.z - b.z) < 1.01;
        }
    }
    return found;
}

static Row measure(int kind, int count)
{
    Scene scene;
    Row row = {.create = INFINITY, .move = INFINITY, .all = INFINITY};
    SpragRandom random;
    volatile int sink = 0;
    int added;
    sprag_random_init(&random, 2);
    build(&scene, kind, count);
    for (int batch = 0; batch < BATCHES; batch++) {
        sprag_collider_destroy(scene.collider);
        double from = now_ms();
        check(&scene, sprag_collider_create_space(scene.model, scene.poses, &scene.collider));
        row.create = fmin(row.create, now_ms() - from);
    }
    for (int batch = 0; batch < 3 * BATCHES; batch++) {
        step_on(&scene, &random);
        double from = now_ms();
        check(&scene,
              sprag_collider_refresh(scene.collider, scene.poses, scene.later, 1e-3, &added));
        row.move = fmin(row.move, now_ms() - from);
        const int *near;
        row.near = sprag_collider_near(scene.collider, &near);
        if (batch >= BATCHES)
            continue;
        from = now_ms();
        sink = sink + all_pairs(&scene);
        row.all = fmin(row.all, now_ms() - from);
    }
    sprag_collider_destroy(scene.collider);
    sprag_model_destroy(scene.model);
    free(scene.poses);
    free(scene.later);
    sprag_context_destroy(scene.context);
    return row;
}

// ---- The plane ----------------------------------------------------------------------------------

// Creation of a collider of discs on a line: there the list has all pairs.
static double create_planar(int count)
{
    SpragContext *context = NULL;
    SpragModel *model = NULL;
    SpragCollider *collider = NULL;
    Scene scene = {0};
    if (sprag_context_create(NULL, &context) != SPRAG_OK)
        exit(1);
    scene.context = context;
    check(&scene, sprag_model_create(context, &model));
    double *pose = calloc(3 * (size_t)count, sizeof *pose);
    for (int i = 0; i < count; i++) {
        char name[16];
        SpragVec2 centre = {0, 0};
        snprintf(name, sizeof name, "b%d", i);
        SpragBody body = {.name = name, .mass = 1, .inertia = 0.1, .position = {1.1 * i}};
        pose[3 * i] = 1.1 * i;
        check(&scene, sprag_model_add_body(model, &body, NULL));
        SpragShape shape = {.kind = SPRAG_SHAPE_CIRCLE,
                            .body = i,
                            .material = -1,
                            .vertex_count = 1,
                            .vertices = &centre,
                            .radius = 0.5};
        check(&scene, sprag_model_add_shape(model, &shape, NULL));
    }
    double from = now_ms();
    check(&scene, sprag_collider_create(model, pose, &collider));
    double time = now_ms() - from;
    sprag_collider_destroy(collider);
    sprag_model_destroy(model);
    free(pose);
    sprag_context_destroy(context);
    return time;
}

static double exponent(double first, double last, double sizes)
{
    return log(last / first) / log(sizes);
}

int main(void)
{
    const char *const names[CASES] = {"gas", "layer", "boxes", "pile"};
    const int sizes[SIZES] = {100, 300, 1000, 3000, 10000};
    printf("| case | bodies | create | move | all | near |\n|---|---|---|---|---|---|\n");
    for (int kind = 0; kind < CASES; kind++) {
        Row rows[SIZES];
        for (int i = 0; i < SIZES; i++) {
            rows[i] = measure(kind, sizes[i]);
            printf("| %s | %d | %.3g | %.3g | %.3g | %d |\n", names[kind], sizes[i], rows[i].create,
                   rows[i].move, rows[i].all, rows[i].near);
            fflush(stdout);
        }
        double ratio = (double)sizes[SIZES - 1] / sizes[0];
        const Row *a = &rows[0], *b = &rows[SIZES - 1];
        printf("| %s | exponent | %.2f | %.2f | %.2f | |\n", names[kind],
               exponent(a->create, b->create, ratio), exponent(a->move, b->move, ratio),
               exponent(a->all, b->all, ratio));
    }
    for (int count = 50; count <= 800; count *= 2)
        printf("plane: %d discs: collider made in %.3g ms\n", count, create_planar(count));
    printf("calib %.2f ns\n", calibrate());
    return 0;
}
