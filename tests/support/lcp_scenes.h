// lcp_scenes.h: LCPs of random multi-contact scenes, for tests and benchmarks alike.
//
// Bodies of random mass and size in a heap: body k touches the ground or an earlier body, further
// contacts join random bodies. Three families:
//   planar    velocity-level LCP of time stepping, theory.md (11.5), two friction directions, n =
//   4c spatial   the same in space with four friction directions, n = 6c sliding acceleration-level
//   LCP of planar sliding contacts, theory.md (2.6), n = c, with q from a
//             planted solution; neither symmetric nor always a P-matrix
#ifndef SPRAG_TESTS_SUPPORT_LCP_SCENES_H
#define SPRAG_TESTS_SUPPORT_LCP_SCENES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sprag/sprag.h"

typedef enum LcpFamily { LCP_PLANAR, LCP_SPATIAL, LCP_SLIDING } LcpFamily;

typedef struct LcpScene {
    int n;
    double *M; // n × n, row-major
    double *q;
} LcpScene;

static inline int lcp_scene_contacts(LcpFamily family, int n)
{
    return family == LCP_PLANAR ? n / 4 : family == LCP_SPATIAL ? n / 6 : n;
}

// Jacobian rows of all contacts (normal, then tangents), mobilities and velocities of all bodies.
typedef struct LcpHeap {
    int dimension, freedom, rows_per_contact, contacts, bodies, width;
    double *J;        // contacts × rows_per_contact × width
    double *mobility; // width: inverse mass or inertia
    double *velocity; // width
    double *friction; // contacts
} LcpHeap;

static inline void lcp_heap_bodies(LcpHeap *heap, SpragRandom *random)
{
    for (int body = 0; body < heap->bodies; body++) {
        double mass = sprag_random_uniform(random, 0.5, 2),
               size = sprag_random_uniform(random, 0.2, 0.5);
        for (int k = 0; k < heap->freedom; k++) {
            int place = body * heap->freedom + k;
            heap->mobility[place] = 1 / (k < heap->dimension ? mass : 0.4 * mass * size * size);
            heap->velocity[place] = sprag_random_uniform(random, -0.5, 0.5);
        }
        // one step of 10 ms under gravity
        heap->velocity[body * heap->freedom + heap->dimension - 1] -= 0.0981;
    }
}

// Unit normal and tangents; frame[0] is the normal.
static inline void lcp_heap_frame(const LcpHeap *heap, SpragRandom *random, double frame[3][3])
{
    memset(frame, 0, 9 * sizeof(double));
    if (heap->dimension == 2) {
        double angle = 1.5707963267948966 + sprag_random_uniform(random, -1.2, 1.2);
        frame[0][0] = cos(angle), frame[0][1] = sin(angle);
        frame[1][0] = frame[0][1], frame[1][1] = -frame[0][0];
        return;
    }
    double *n = frame[0], *t = frame[1], *o = frame[2];
    n[0] = sprag_random_normal(random), n[1] = sprag_random_normal(random);
    n[2] = 0.5 + fabs(sprag_random_normal(random));
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; k++)
        n[k] /= length;
    int axis = fabs(n[0]) < 0.6 ? 0 : 1;
    for (int k = 0; k < 3; k++)
        t[k] = (k == axis) - n[axis] * n[k];
    length = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    for (int k = 0; k < 3; k++)
        t[k] /= length;
    o[0] = n[1] * t[2] - n[2] * t[1], o[1] = n[2] * t[0] - n[0] * t[2];
    o[2] = n[0] * t[1] - n[1] * t[0];
}

// Adds one body's part to the rows of a contact; sign −1 for the second body.
static inline void lcp_heap_rows(LcpHeap *heap, SpragRandom *random, int contact, int body,
                                 double sign, double frame[3][3])
{
    double arm[3] = {0};
    for (int k = 0; k < heap->dimension; k++)
        arm[k] = -0.4 * sign * frame[0][k] + sprag_random_uniform(random, -0.25, 0.25);
    for (int k = 0; k < heap->rows_per_contact; k++) {
        const double *u = frame[k];
        double *row =
            heap->J +
            ((size_t)contact * (size_t)heap->rows_per_contact + (size_t)k) * (size_t)heap->width +
            body * heap->freedom;
        for (int d = 0; d < heap->dimension; d++)
            row[d] = sign * u[d];
        if (heap->dimension == 2) {
            row[2] = sign * (arm[0] * u[1] - arm[1] * u[0]);
            continue;
        }
        row[3] = sign * (arm[1] * u[2] - arm[2] * u[1]);
        row[4] = sign * (arm[2] * u[0] - arm[0] * u[2]);
        row[5] = sign * (arm[0] * u[1] - arm[1] * u[0]);
    }
}

static inline void lcp_heap_contacts(LcpHeap *heap, SpragRandom *random)
{
    for (int c = 0; c < heap->contacts; c++) {
        int first = c < heap->bodies ? c : sprag_random_below(random, heap->bodies), second = -1;
        if (c >= heap->bodies)
            second = sprag_random_below(random, heap->bodies + 1) - 1;
        else if (c > 0 && sprag_random_uniform(random, 0, 1) < 0.6)
            second = sprag_random_below(random, c);
        double frame[3][3];
        heap->friction[c] = sprag_random_uniform(random, 0.3, 0.8);
        lcp_heap_frame(heap, random, frame);
        lcp_heap_rows(heap, random, c, first, 1, frame);
        if (second >= 0 && second != first)
            lcp_heap_rows(heap, random, c, second, -1, frame);
    }
}

static inline LcpHeap lcp_heap_make(LcpFamily family, int contacts, SpragRandom *random)
{
    LcpHeap heap = {0};
    heap.dimension = family == LCP_SPATIAL ? 3 : 2;
    heap.freedom = family == LCP_SPATIAL ? 6 : 3;
    heap.rows_per_contact = heap.dimension;
    heap.contacts = contacts;
    heap.bodies = 2 * contacts / 3 < 1 ? 1 : 2 * contacts / 3;
    heap.width = heap.bodies * heap.freedom;
    heap.J = calloc((size_t)(contacts * heap.rows_per_contact * heap.width), sizeof(double));
    heap.mobility = calloc((size_t)heap.width, sizeof(double));
    heap.velocity = calloc((size_t)heap.width, sizeof(double));
    heap.friction = calloc((size_t)contacts, sizeof(double));
    lcp_heap_bodies(&heap, random);
    lcp_heap_contacts(&heap, random);
    return heap;
}

static inline void lcp_heap_free(LcpHeap *heap)
{
    free(heap->J);
    free(heap->mobility);
    free(heap->velocity);
    free(heap->friction);
}

// Entry of J M⁻¹ Jᵀ between two rows (contact, row of it).
static inline double lcp_heap_delassus(const LcpHeap *heap, int c, int k, int d, int l)
{
    const double *a = heap->J + (size_t)(c * heap->rows_per_contact + k) * (size_t)heap->width;
    const double *b = heap->J + (size_t)(d * heap->rows_per_contact + l) * (size_t)heap->width;
    double sum = 0;
    for (int i = 0; i < heap->width; i++)
        sum += a[i] * heap->mobility[i] * b[i];
    return sum;
}

static inline double lcp_heap_speed(const LcpHeap *heap, int c, int k)
{
    const double *a = heap->J + (size_t)(c * heap->rows_per_contact + k) * (size_t)heap->width;
    double sum = 0;
    for (int i = 0; i < heap->width; i++)
        sum += a[i] * heap->velocity[i];
    return sum;
}

// One force direction of the stepping LCP: row of its contact and sign.
typedef struct LcpDirection {
    int contact, row;
    double sign;
} LcpDirection;

static inline LcpDirection lcp_direction(const LcpHeap *heap, int place)
{
    int half = heap->rows_per_contact - 1, count = 2 * half;
    LcpDirection direction = {place, 0, 1};
    if (place >= heap->contacts) {
        int k = (place - heap->contacts) % count;
        direction.contact = (place - heap->contacts) / count;
        direction.row = 1 + k % half;
        direction.sign = k < half ? 1 : -1;
    }
    return direction;
}

// theory.md (11.5) with closed contacts.
static inline void lcp_scene_stepping(const LcpHeap *heap, LcpScene *scene)
{
    int c = heap->contacts, count = 2 * (heap->rows_per_contact - 1), forces = c + c * count;
    size_t n = (size_t)scene->n;
    for (int i = 0; i < forces; i++) {
        LcpDirection a = lcp_direction(heap, i);
        scene->q[i] = a.sign * lcp_heap_speed(heap, a.contact, a.row);
        for (int j = 0; j < forces; j++) {
            LcpDirection b = lcp_direction(heap, j);
            scene->M[(size_t)i * n + (size_t)j] =
                a.sign * b.sign * lcp_heap_delassus(heap, a.contact, a.row, b.contact, b.row);
        }
        if (i >= c) {
            scene->M[(size_t)i * n + (size_t)(forces + a.contact)] = 1;
            scene->M[(size_t)(forces + a.contact) * n + (size_t)i] = -1;
        } else {
            scene->M[(size_t)(forces + i) * n + (size_t)i] = heap->friction[i];
        }
    }
}

// theory.md (2.6) with a planted solution.
static inline void lcp_scene_sliding(const LcpHeap *heap, SpragRandom *random, LcpScene *scene)
{
    size_t n = (size_t)scene->n;
    for (int j = 0; j < scene->n; j++) {
        double slope = heap->friction[j] * (sprag_random_below(random, 2) ? 1 : -1);
        for (int i = 0; i < scene->n; i++)
            scene->M[(size_t)i * n + (size_t)j] =
                lcp_heap_delassus(heap, i, 0, j, 0) - slope * lcp_heap_delassus(heap, i, 0, j, 1);
    }
    for (int j = 0; j < scene->n; j++) {
        if (sprag_random_uniform(random, 0, 1) < 0.6) {
            double z = sprag_random_uniform(random, 0.5, 10);
            for (int i = 0; i < scene->n; i++)
                scene->q[i] -= scene->M[(size_t)i * n + (size_t)j] * z;
        } else {
            scene->q[j] += sprag_random_uniform(random, 0.5, 5);
        }
    }
}

static inline LcpScene lcp_scene_make(LcpFamily family, int contacts, uint64_t seed)
{
    SpragRandom random;
    sprag_random_init(&random, seed);
    LcpHeap heap = lcp_heap_make(family, contacts, &random);
    LcpScene scene = {0};
    scene.n = family == LCP_SLIDING ? contacts : contacts * (family == LCP_SPATIAL ? 6 : 4);
    if (scene.n <= 0) // tells the optimiser that the products below cannot wrap
        abort();
    scene.M = calloc((size_t)scene.n * (size_t)scene.n, sizeof(double));
    scene.q = calloc((size_t)scene.n, sizeof(double));
    if (family == LCP_SLIDING)
        lcp_scene_sliding(&heap, &random, &scene);
    else
        lcp_scene_stepping(&heap, &scene);
    lcp_heap_free(&heap);
    return scene;
}

static inline void lcp_scene_free(LcpScene *scene)
{
    free(scene->M);
    free(scene->q);
}

#endif
