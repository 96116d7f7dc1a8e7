// shapes.c: distances of convex shapes a second, beside libccd and Bullet.
//
// Pairs     every two kinds of sphere, capsule, box, cylinder and hull (20 points), 256 random
//           pairs each: apart (distance up to the size of the shapes) and overlapping.
// Sprag     convex_distance: distance or depth, witness points and normal, double precision.
// Bullet    btGjkPairDetector with EPA (if it is there): the same, in single precision.
// libccd    has no distance: ccdGJKIntersect (yes or no) for pairs that are apart,
//           ccdGJKPenetration for overlapping ones; double precision.
// Each time is processor time, the least of several batches. Ratios are times of peers over
// Sprag's. Then what an event costs against bodies and contacts (shapes_growth.c).
#include <ccd/ccd.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "space_private.h"

#include "shapes_growth.h"
#include "shapes_peer.h"

enum { PAIRS = 256, BATCHES = 9, HULL_POINTS = 20 };
static const char *const NAMES[PEER_KINDS] = {"sphere", "capsule", "box", "cylinder", "hull"};

typedef struct Item {
    PeerShape peer;
    SpragShape shape;
    SpragVec3 points[HULL_POINTS];
    double numbers[3 * HULL_POINTS];
    SpragPose pose;
    PeerPose peer_pose;
    BulletShape *bullet;
} Item;

typedef struct Case {
    Item item[2][PAIRS];
    double distance[PAIRS];
} Case;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

// ---- Random shapes ------------------------------------------------------------------------------

static SpragVec3 direction(SpragRandom *random)
{
    double x = sprag_random_normal(random), y = sprag_random_normal(random);
    return sprag_vec3_unit(sprag_vec3(x, y, sprag_random_normal(random)));
}

static void draw_points(SpragRandom *random, Item *item)
{
    SpragShape *shape = &item->shape;
    PeerShape *peer = &item->peer;
    if (peer->kind == PEER_BOX) {
        for (int k = 0; k < 3; k++)
            peer->half[k] = sprag_random_uniform(random, 0.2, 1);
        shape->kind = SPRAG_SHAPE_BOX;
        shape->vertex_count = 8;
        for (int i = 0; i < 8; i++)
            item->points[i] = sprag_vec3(i & 1 ? peer->half[0] : -peer->half[0],
                                         i & 2 ? peer->half[1] : -peer->half[1],
                                         i & 4 ? peer->half[2] : -peer->half[2]);
        return;
    }
    shape->kind = SPRAG_SHAPE_HULL;
    shape->vertex_count = peer->count = HULL_POINTS;
    peer->points = item->numbers;
    for (int i = 0; i < HULL_POINTS; i++) {
        item->points[i] = direction(random);
        sprag_vec3_to(item->points[i], item->numbers + 3 * i);
    }
}

static void draw_item(SpragRandom *random, int kind, Item *item)
{
    *item = (Item){.peer = {.kind = kind}};
    SpragShape *shape = &item->shape;
    PeerShape *peer = &item->peer;
    shape->points = item->points;
    if (kind == PEER_BOX || kind == PEER_HULL) {
        draw_points(random, item);
    } else {
        peer->radius = shape->radius = sprag_random_uniform(random, 0.2, 1);
        peer->length = kind == PEER_SPHERE ? 0 : sprag_random_uniform(random, 0.4, 2);
        shape->kind = kind == PEER_SPHERE    ? SPRAG_SHAPE_SPHERE
                      : kind == PEER_CAPSULE ? SPRAG_SHAPE_CAPSULE
                                             : SPRAG_SHAPE_CYLINDER;
        shape->vertex_count = kind == PEER_SPHERE ? 1 : 2;
        item->points[0] = sprag_vec3(0, 0, -0.5 * peer->length);
        item->points[1] = sprag_vec3(0, 0, 0.5 * peer->length);
    }
    double w = sprag_random_normal(random), x = sprag_random_normal(random);
    SpragQuaternion q = {w, x, sprag_random_normal(random), sprag_random_normal(random)};
    item->pose.R = sprag_quaternion_matrix(q);
    item->bullet = bullet_shape_create(peer);
}

static void set_peer_pose(Item *item)
{
    sprag_vec3_to(item->pose.x, item->peer_pose.x);
    for (int k = 0; k < 9; k++)
        item->peer_pose.R[k] = item->pose.R.m[k];
}

// Moves the first shape along the normal to the distance that is wanted.
static void draw_case(SpragRandom *random, int a, int b, bool overlap, Case *all)
{
    for (int i = 0; i < PAIRS; i++) {
        Item *first = &all->item[0][i], *second = &all->item[1][i];
        ConvexDistance r;
        draw_item(random, a, first);
        draw_item(random, b, second);
        first->pose.x = sprag_vec3_scale(5, direction(random));
        convex_distance(&first->shape, &first->pose, &second->shape, &second->pose, &r);
        double wanted = overlap ? sprag_random_uniform(random, -0.2, -0.01)
                                : sprag_random_uniform(random, 0.01, 1);
        first->pose.x = sprag_vec3_along(first->pose.x, wanted - r.distance, r.normal);
        convex_distance(&first->shape, &first->pose, &second->shape, &second->pose, &r);
        all->distance[i] = r.distance;
        set_peer_pose(first);
        set_peer_pose(second);
    }
}

static void end_case(Case *all)
{
    for (int i = 0; i < PAIRS; i++)
        for (int k = 0; k < 2; k++)
            bullet_shape_destroy(all->item[k][i].bullet);
}

// ---- libccd -------------------------------------------------------------------------------------

// Support of a placed shape with its radius.
static void ccd_support(const void *object, const ccd_vec3_t *d, ccd_vec3_t *out)
{
    const Item *item = object;
    SpragVec3 way = sprag_vec3(d->v[0], d->v[1], d->v[2]);
    SpragVec3 p = shape_support(&item->shape, &item->pose, way);
    sprag_vec3_to(p, out->v);
}

static void ccd_centre(const void *object, ccd_vec3_t *out)
{
    const Item *item = object;
    sprag_vec3_to(item->pose.x, out->v);
}

static ccd_t ccd_settings(void)
{
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = ccd_support;
    ccd.center1 = ccd.center2 = ccd_centre;
    ccd.max_iterations = 100;
    ccd.epa_tolerance = 1e-6;
    return ccd;
}

// ---- Timing -------------------------------------------------------------------------------------

typedef double (*Query)(const Item *a, const Item *b);

static double query_sprag(const Item *a, const Item *b)
{
    ConvexDistance r;
    convex_distance(&a->shape, &a->pose, &b->shape, &b->pose, &r);
    return r.distance;
}

static double query_bullet(const Item *a, const Item *b)
{
    return bullet_distance(a->bullet, &a->peer_pose, b->bullet, &b->peer_pose);
}

static double query_ccd_intersect(const Item *a, const Item *b)
{
    ccd_t ccd = ccd_settings();
    return ccdGJKIntersect(a, b, &ccd);
}

static double query_ccd_depth(const Item *a, const Item *b)
{
    ccd_t ccd = ccd_settings();
    ccd_real_t depth = 0;
    ccd_vec3_t n, p;
    if (ccdGJKPenetration(a, b, &ccd, &depth, &n, &p) != 0)
        return 0;
    return -depth;
}

// Nanoseconds a query; the largest difference from Sprag's distances in *error.
static double time_query(const Case *all, Query query, double *error)
{
    double best = INFINITY;
    *error = 0;
    for (int batch = 0; batch < BATCHES; batch++) {
        double begin = now_ns(), most = 0;
        for (int i = 0; i < PAIRS; i++)
            most = fmax(most, fabs(query(&all->item[0][i], &all->item[1][i]) - all->distance[i]));
        best = fmin(best, (now_ns() - begin) / PAIRS);
        *error = most;
    }
    return best;
}

static void compare_pairs(Case *all, bool overlap)
{
    SpragRandom random;
    sprag_random_init(&random, 1);
    printf("\n%s\n%-10s %-10s %8s %10s %8s %10s %8s %10s\n", overlap ? "overlapping" : "apart", "a",
           "b", "Sprag ns", "Bullet", "ratio", "error m", overlap ? "libccd" : "(y/n)", "error m");
    for (int a = 0; a < PEER_KINDS; a++) {
        for (int b = a; b < PEER_KINDS; b++) {
            double none, bullet_error, ccd_error;
            draw_case(&random, a, b, overlap, all);
            double sprag = time_query(all, query_sprag, &none);
            double bullet = time_query(all, query_bullet, &bullet_error);
            double ccd =
                time_query(all, overlap ? query_ccd_depth : query_ccd_intersect, &ccd_error);
            printf("%-10s %-10s %8.0f %10.0f %8.2f %10.1e %8.2f", NAMES[a], NAMES[b], sprag, bullet,
                   bullet / sprag, bullet_error, ccd / sprag);
            if (overlap)
                printf(" %10.1e", ccd_error);
            printf("\n");
            end_case(all);
        }
    }
}

int main(void)
{
    Case *all = calloc(1, sizeof *all);
    if (!all)
        return 1;
    compare_pairs(all, false);
    compare_pairs(all, true);
    free(all);
    shapes_growth(NULL);
    return 0;
}
