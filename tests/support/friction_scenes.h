// friction_scenes.h: friction problems that are hard in known ways, as bodies; fixed by a seed.
#ifndef SPRAG_TESTS_SUPPORT_FRICTION_SCENES_H
#define SPRAG_TESTS_SUPPORT_FRICTION_SCENES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sprag/base.h"
#include "sprag/friction.h"

enum { FRICTION_SCENE_CONTACTS = 1600, FRICTION_SCENE_BODIES = 700 };

typedef struct FrictionScene {
    SpragFrictionProblem problem;
    double q[3 * FRICTION_SCENE_CONTACTS], friction[FRICTION_SCENE_CONTACTS];
    double jacobian[36 * FRICTION_SCENE_CONTACTS];
    double inverse[36 * FRICTION_SCENE_BODIES], place[3 * FRICTION_SCENE_BODIES];
    double velocity[6 * FRICTION_SCENE_BODIES]; // free
    int bodies[2 * FRICTION_SCENE_CONTACTS];
    unsigned char kinds[FRICTION_SCENE_CONTACTS];
} FrictionScene;

static inline FrictionScene *friction_scene_new(int dimension)
{
    FrictionScene *scene = calloc(1, sizeof *scene);
    if (!scene)
        abort();
    scene->problem = (SpragFrictionProblem){.dimension = dimension,
                                            .storage = SPRAG_FRICTION_BODIES,
                                            .body_size = dimension == 3 ? 6 : 3,
                                            .q = scene->q,
                                            .friction = scene->friction,
                                            .kinds = scene->kinds,
                                            .inverse_inertia = scene->inverse,
                                            .bodies = scene->bodies,
                                            .jacobian = scene->jacobian};
    return scene;
}

// A box (in the plane: a disc of the same inertia) that gravity pulls for h = 0.01 s.
static inline int friction_scene_body(FrictionScene *scene, double mass, const double half[3],
                                      double x, double y, double z)
{
    int body = scene->problem.body_count++, m = scene->problem.body_size;
    double *inverse = scene->inverse + body * m * m, *place = scene->place + 3 * body;
    place[0] = x, place[1] = y, place[2] = z;
    for (int k = 0; k < m / 2 + (m == 3); k++)
        inverse[k * m + k] = 1 / mass;
    for (int k = m / 2 + (m == 3); k < m; k++) {
        double a = half[(k + 1) % 3], b = half[(k + 2) % 3];
        inverse[k * m + k] = 3 / (mass * (a * a + b * b));
    }
    scene->velocity[body * m + (m == 6 ? 2 : 1)] = -0.0981;
    return body;
}

// A contact at p with the normal n into body a; body b or the ground (−1).
static inline void friction_scene_contact(FrictionScene *scene, int a, int b, const double p[3],
                                          const double n[3], double mu)
{
    int c = scene->problem.contact_count++, d = scene->problem.dimension;
    int m = scene->problem.body_size, pair[2] = {a, b};
    double axes[3][3], helper[3] = {fabs(n[0]) < 0.6, fabs(n[0]) >= 0.6, 0};
    double dot = helper[0] * n[0] + helper[1] * n[1], length = 0;
    for (int k = 0; k < 3; k++) {
        axes[0][k] = n[k];
        axes[1][k] = helper[k] - dot * n[k];
        length += axes[1][k] * axes[1][k];
    }
    for (int k = 0; k < 3; k++)
        axes[1][k] /= sqrt(length);
    if (d == 2)
        axes[1][0] = -n[1], axes[1][1] = n[0], axes[1][2] = 0;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        axes[2][k] = n[i] * axes[1][j] - n[j] * axes[1][i];
    }
    scene->friction[c] = mu;
    for (int side = 0; side < 2; side++) {
        int body = scene->bodies[2 * c + side] = pair[side];
        if (body < 0)
            continue;
        double sign = side ? -1 : 1, arm[3];
        for (int k = 0; k < 3; k++)
            arm[k] = p[k] - scene->place[3 * body + k];
        for (int t = 0; t < d; t++) {
            double *row = scene->jacobian + ((2 * c + side) * d + t) * m, *e = axes[t];
            double turn[3] = {arm[1] * e[2] - arm[2] * e[1], arm[2] * e[0] - arm[0] * e[2],
                              arm[0] * e[1] - arm[1] * e[0]};
            for (int k = 0; k < m; k++)
                row[k] = sign * (d == 3 ? (k < 3 ? e[k] : turn[k - 3]) : (k < 2 ? e[k] : turn[2]));
            for (int k = 0; k < m; k++)
                scene->q[c * d + t] += row[k] * scene->velocity[body * m + k];
        }
    }
}

// A bilateral block at p: `rows` of its d directions are held, the others pad it.
static inline void friction_scene_joint(FrictionScene *scene, int a, int b, const double p[3],
                                        const double n[3], int rows)
{
    int c = scene->problem.contact_count, d = scene->problem.dimension;
    int m = scene->problem.body_size;
    friction_scene_contact(scene, a, b, p, n, 0);
    scene->kinds[c] = SPRAG_FRICTION_BILATERAL;
    for (int row = rows; row < d; row++) {
        scene->q[c * d + row] = 0;
        for (int side = 0; side < 2; side++)
            memset(scene->jacobian + ((2 * c + side) * d + row) * m, 0, (size_t)m * sizeof(double));
    }
}

// Four corners of the overlap of a brick with what is below: hyperstatic.
static inline void friction_scene_patch(FrictionScene *scene, int a, int b, const double from[2],
                                        const double to[2], double z, double mu)
{
    static const double up[3] = {0, 0, 1};
    for (int k = 0; k < 4; k++) {
        double p[3] = {k % 2 ? to[0] : from[0], k / 2 ? to[1] : from[1], z};
        friction_scene_contact(scene, a, b, p, up, mu);
    }
}

// A wall of `rows` of bricks, half a brick apart: W far from regular.
static inline FrictionScene *friction_scene_wall(int rows, int length, double mu)
{
    static const double half[3] = {0.25, 0.125, 0.125};
    FrictionScene *scene = friction_scene_new(3);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < length; j++) {
            double x = 0.5 * j + (i % 2 ? 0.25 : 0), z = 0.125 + 0.25 * i;
            int body = friction_scene_body(scene, 1, half, x, 0, z);
            for (int k = 0; i > 0 && k < 2; k++) {
                int other = j - 1 + k + (i % 2);
                double x0 = 0.5 * other + (i % 2 ? 0 : 0.25);
                if (other < 0 || other >= length)
                    continue;
                double from[2] = {fmax(x, x0) - 0.25, -0.125}, to[2] = {fmin(x, x0) + 0.25, 0.125};
                friction_scene_patch(scene, body, (i - 1) * length + other, from, to, z - 0.125,
                                     mu);
            }
            double from[2] = {x - 0.25, -0.125}, to[2] = {x + 0.25, 0.125};
            if (i == 0)
                friction_scene_patch(scene, body, -1, from, to, 0, mu);
        }
    return scene;
}

// Boxes on each other, light and heavy in turn, pushed sideways at the top.
static inline FrictionScene *friction_scene_stack(int count, double ratio, double mu, double push)
{
    static const double half[3] = {0.5, 0.5, 0.5};
    FrictionScene *scene = friction_scene_new(3);
    for (int i = 0; i < count; i++) {
        int body = friction_scene_body(scene, i % 2 ? ratio : 1, half, 0, 0, 0.5 + i);
        double from[2] = {-0.5, -0.5}, to[2] = {0.5, 0.5};
        if (i == count - 1)
            scene->velocity[6 * body] = push;
        friction_scene_patch(scene, body, body - 1, from, to, i, mu);
    }
    return scene;
}

// Discs between the walls of a funnel and on each other: wedged where μ is large.
static inline FrictionScene *friction_scene_funnel(int count, double slope, double mu)
{
    static const double half[3] = {0.1, 0.1, 0.1};
    FrictionScene *scene = friction_scene_new(2);
    double c = cos(slope), s = sin(slope);
    for (int i = 0; i < count; i++) {
        double y = 0.2 * i, wide = 0.1 / c + y * tan(slope);
        int body = friction_scene_body(scene, 1 + i % 3, half, 0, y, 0);
        scene->velocity[3 * body] = 0.01 * (i % 2 ? 1 : -1);
        for (int k = -1; k <= 1; k += 2) {
            double n[3] = {-k * c, s, 0}, p[3] = {k * fmin(wide, 0.1) * c, y - 0.1 * s, 0};
            friction_scene_contact(scene, body, -1, p, n, mu);
        }
        double p[3] = {0, y - 0.1, 0}, up[3] = {0, 1, 0};
        if (i > 0)
            friction_scene_contact(scene, body, body - 1, p, up, mu);
    }
    return scene;
}

// Bodies and contacts without order: any directions, masses over three decades, μ from 0 to 2, some
// contacts without friction.
static inline FrictionScene *friction_scene_random(int dimension, int body_count, int contacts,
                                                   uint64_t seed)
{
    static const double half[3] = {0.3, 0.4, 0.5};
    FrictionScene *scene = friction_scene_new(dimension);
    SpragRandom random;
    sprag_random_init(&random, seed);
    for (int i = 0; i < body_count; i++)
        friction_scene_body(scene, pow(10, sprag_random_uniform(&random, -1.5, 1.5)), half,
                            sprag_random_normal(&random), sprag_random_normal(&random),
                            dimension == 3 ? sprag_random_normal(&random) : 0);
    for (int k = 0; k < body_count * scene->problem.body_size; k++)
        scene->velocity[k] += 0.1 * sprag_random_normal(&random);
    for (int i = 0; i < contacts; i++) {
        int a = sprag_random_below(&random, body_count),
            b = sprag_random_below(&random, body_count);
        double p[3], n[3], length = 0;
        for (int k = 0; k < 3; k++) {
            p[k] = scene->place[3 * a + k] + 0.3 * sprag_random_normal(&random);
            n[k] = k < dimension ? sprag_random_normal(&random) : 0;
            length += n[k] * n[k];
        }
        for (int k = 0; k < 3; k++)
            n[k] /= sqrt(length);
        double mu = i % 7 == 3 ? 0 : sprag_random_uniform(&random, 0, 2);
        friction_scene_contact(scene, a, a == b ? -1 : b, p, n, mu);
    }
    return scene;
}

// Direction of one of five walls at a ball in x, and the gap there.
static inline double friction_scene_wall_gap(int wall, int side, const double x[3], double n[3])
{
    int axis = wall < 4 ? wall / 2 : 2;
    n[0] = n[1] = n[2] = 0;
    n[axis] = wall % 2 ? -1 : 1;
    return wall == 4 ? x[2] - 0.5 : wall % 2 ? side - 1 - x[axis] : x[axis];
}

static inline void friction_scene_touch(FrictionScene *scene, int i, int j, const double n[3],
                                        double reach, double mu)
{
    double p[3];
    for (int k = 0; k < 3; k++)
        p[k] = scene->place[3 * i + k] - reach * n[k];
    friction_scene_contact(scene, i, j, p, n, mu);
}

// Balls of diameter one in a box, off the places of a grid, in motion; of those that are close all
// touch.
static inline FrictionScene *friction_scene_balls(int side, double mu, double speed, uint64_t seed)
{
    static const double round[3] = {0.3873, 0.3873, 0.3873}; // the inertia of a ball
    const double near = 0.05;
    FrictionScene *scene = friction_scene_new(3);
    SpragRandom random;
    sprag_random_init(&random, seed);
    for (int i = 0; i < side * side * side; i++) {
        double x = i % side + sprag_random_uniform(&random, -0.12, 0.12);
        double y = i / side % side + sprag_random_uniform(&random, -0.12, 0.12);
        int body = friction_scene_body(scene, 1, round, x, y, 0.9 * (i / (side * side)) + 0.5);
        for (int k = 0; k < 6; k++)
            scene->velocity[6 * body + k] += speed * sprag_random_normal(&random);
    }
    for (int i = 0; i < side * side * side; i++) {
        const double *x = scene->place + 3 * i;
        double n[3];
        for (int j = 0; j < i; j++) {
            const double *y = scene->place + 3 * j;
            double length = hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]);
            for (int k = 0; k < 3; k++)
                n[k] = (x[k] - y[k]) / length;
            if (length < 1 + near)
                friction_scene_touch(scene, i, j, n, 0.5 * length, mu);
        }
        for (int wall = 0; wall < 5; wall++)
            if (friction_scene_wall_gap(wall, side, x, n) < near)
                friction_scene_touch(scene, i, -1, n, 0.5, mu);
    }
    return scene;
}

// Discs of diameter one in rows between two walls, half a disc apart and off their places, in
// motion; of those that are close all touch.
static inline FrictionScene *friction_scene_discs(int rows, int length, double mu, double speed,
                                                  uint64_t seed)
{
    static const double round[3] = {0.6124, 0.6124, 0.6124}; // the inertia of a disc
    const double near = 0.04;
    FrictionScene *scene = friction_scene_new(2);
    SpragRandom random;
    sprag_random_init(&random, seed);
    for (int i = 0; i < rows * length; i++) {
        double x = i % length + (i / length % 2 ? 0.5 : 0), y = 0.87 * (i / length);
        x += sprag_random_uniform(&random, -0.06, 0.06);
        y += sprag_random_uniform(&random, -0.06, 0.06);
        int body = friction_scene_body(scene, 1, round, x, y, 0);
        for (int k = 0; k < 3; k++)
            scene->velocity[3 * body + k] += speed * sprag_random_normal(&random);
    }
    for (int i = 0; i < rows * length; i++) {
        const double *x = scene->place + 3 * i;
        double n[3] = {0, 1, 0}, side[3] = {i % length ? -1 : 1, 0, 0};
        for (int j = i > 2 * length ? i - 2 * length : 0; j < i; j++) {
            const double *y = scene->place + 3 * j;
            double reach = hypot(x[0] - y[0], x[1] - y[1]);
            double between[3] = {(x[0] - y[0]) / reach, (x[1] - y[1]) / reach, 0};
            if (reach < 1 + near)
                friction_scene_touch(scene, i, j, between, 0.5 * reach, mu);
        }
        if (i < length)
            friction_scene_touch(scene, i, -1, n, 0.5, mu);
        if (i % length == 0 || i % length == length - 1)
            friction_scene_touch(scene, i, -1, side, 0.5, mu);
    }
    return scene;
}

// A hanging chain of `count` links with masses light and heavy in turn, whose last link is pushed
// against a wall; every third joint has a padded block more, which holds a second point in one
// direction only.
static inline FrictionScene *friction_scene_chain(int dimension, int count, double ratio, double mu)
{
    static const double half[3] = {0.1, 0.1, 0.5}, side[3] = {1, 0, 0};
    FrictionScene *scene = friction_scene_new(dimension);
    int down = dimension == 3 ? 2 : 1;
    for (int i = 0; i < count; i++) {
        double at[3] = {0}, p[3] = {0};
        at[down] = -0.5 - i;
        p[down] = -i;
        int body = friction_scene_body(scene, i % 2 ? ratio : 1, half, at[0], at[1], at[2]);
        if (i == count - 1)
            scene->velocity[body * scene->problem.body_size] = -0.3;
        friction_scene_joint(scene, body, body - 1, p, side, dimension);
        p[down] += 0.5;
        if (i % 3 == 2)
            friction_scene_joint(scene, body, body - 1, p, side, 1);
        at[0] = -0.1;
        friction_scene_contact(scene, body, -1, at, side, mu);
    }
    return scene;
}

#endif
