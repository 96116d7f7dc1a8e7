// stepping_chipmunk.c: the planar workloads by Chipmunk: 10 iterations, its default; no sleeping.
#include <chipmunk/chipmunk_private.h>
#include <math.h>
#include <stdlib.h>

#include "stepping_peer.h"

static void keep(cpBody *const *bodies, int count, double *to)
{
    for (int i = 0; i < count; i++) {
        cpVect place = cpBodyGetPosition(bodies[i]);
        to[4 * i] = place.x;
        to[4 * i + 1] = place.y;
        to[4 * i + 2] = 0;
        to[4 * i + 3] = cpBodyGetAngle(bodies[i]);
    }
}

static void drop_shape(cpBody *body, cpShape *shape, void *space)
{
    (void)body;
    cpSpaceRemoveShape(space, shape);
    cpShapeFree(shape);
}

static void note(const cpBody *body, double *v, double *spin)
{
    v[0] = cpBodyGetVelocity(body).x;
    v[1] = cpBodyGetVelocity(body).y;
    spin[2] = cpBodyGetAngularVelocity(body);
}

// Bodies carry their numbers as pointers, the ground none.
static int number_of(const cpBody *body)
{
    return (int)(intptr_t)cpBodyGetUserData(body) - 1;
}

// Chipmunk moves bodies before it solves: its places are those of the end of the step.
static void tell_pair(const cpArbiter *pair, Laws *laws)
{
    for (int k = 0; k < pair->count; k++) {
        const struct cpContact *point = &pair->contacts[k];
        cpVect n = pair->n, push = cpvrotate(n, cpv(point->jnAcc, point->jtAcc)); // on b
        LawContact c = {.body = {number_of(pair->body_b), number_of(pair->body_a)},
                        .arm = {{point->r2.x, point->r2.y}, {point->r1.x, point->r1.y}},
                        .normal = {n.x, n.y},
                        .impulse = {push.x, push.y}};
        law_contact(laws, &c);
    }
}

static void tell(const cpSpace *space, cpBody *const *bodies, int count, Laws *laws)
{
    for (int i = 0; i < count; i++)
        note(bodies[i], laws->bodies[i].v_after, laws->bodies[i].spin_after);
    for (int i = 0; i < space->arbiters->num; i++)
        tell_pair(space->arbiters->arr[i], laws);
    law_end_step(laws);
}

bool run_chipmunk(const Workload *workload, Outcome *outcome)
{
    if (workload->dimension != 2 || workload->balls)
        return false;
    double friction = sqrt(workload->friction); // those of both sides are multiplied
    double width = 2 * workload->half[0], height = 2 * workload->half[1];
    cpSpace *space = cpSpaceNew();
    cpSpaceSetGravity(space, cpv(workload->gravity[0], workload->gravity[1]));
    cpSpaceSetIterations(space, 10);
    cpSpaceSetSleepTimeThreshold(space, INFINITY);
    cpSpaceSetCollisionSlop(space, 0.005);
    cpBody *ground = cpSpaceGetStaticBody(space);
    cpShape *floor =
        cpSpaceAddShape(space, cpSegmentShapeNew(ground, cpv(-1000, -1), cpv(1000, -1), 1));
    cpShapeSetFriction(floor, friction);
    cpBody **bodies = malloc((size_t)workload->count * sizeof *bodies);
    for (int i = 0; i < workload->count; i++) {
        double moment = cpMomentForBox(workload->mass, width, height);
        bodies[i] = cpSpaceAddBody(space, cpBodyNew(workload->mass, moment));
        cpBodySetPosition(bodies[i], cpv(workload->place[3 * i], workload->place[3 * i + 1]));
        cpBodySetUserData(bodies[i], (cpDataPointer)(intptr_t)(i + 1));
        cpShape *shape = cpSpaceAddShape(space, cpBoxShapeNew(bodies[i], width, height, 0));
        cpShapeSetFriction(shape, friction);
    }
    double start = stepping_seconds();
    for (int k = 0; k < workload->steps; k++) {
        if (k == workload->steps / 2)
            keep(bodies, workload->count, outcome->middle);
        for (int i = 0; outcome->laws && i < workload->count; i++)
            note(bodies[i], outcome->laws->bodies[i].v, outcome->laws->bodies[i].spin);
        cpSpaceStep(space, workload->step);
        if (outcome->laws)
            tell(space, bodies, workload->count, outcome->laws);
    }
    outcome->seconds = stepping_seconds() - start;
    outcome->residual = -1;
    keep(bodies, workload->count, outcome->end);
    for (int i = 0; i < workload->count; i++) {
        cpBodyEachShape(bodies[i], drop_shape, space);
        cpSpaceRemoveBody(space, bodies[i]);
        cpBodyFree(bodies[i]);
    }
    cpSpaceRemoveShape(space, floor);
    cpShapeFree(floor);
    cpSpaceFree(space);
    free(bodies);
    return true;
}
