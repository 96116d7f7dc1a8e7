// stepping_chipmunk.c: the planar workloads by Chipmunk: 10 iterations, its default; no sleeping.
#include <chipmunk/chipmunk.h>
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
        cpShape *shape = cpSpaceAddShape(space, cpBoxShapeNew(bodies[i], width, height, 0));
        cpShapeSetFriction(shape, friction);
    }
    double start = stepping_seconds();
    for (int k = 0; k < workload->steps; k++) {
        if (k == workload->steps / 2)
            keep(bodies, workload->count, outcome->middle);
        cpSpaceStep(space, workload->step);
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
