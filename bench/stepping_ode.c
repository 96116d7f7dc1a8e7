// stepping_ode.c: the spatial workloads by ODE: quick step, 20 iterations, its default.
#include <ode/ode.h>
#include <stdlib.h>

#include "stepping_peer.h"

enum { MOST_POINTS = 8 };

typedef struct World {
    dWorldID world;
    dJointGroupID contacts;
    double friction;
} World;

static void meet(void *data, dGeomID a, dGeomID b)
{
    World *world = data;
    dContact contact[MOST_POINTS];
    if (dGeomGetBody(a) == dGeomGetBody(b))
        return;
    int count = dCollide(a, b, MOST_POINTS, &contact[0].geom, sizeof *contact);
    for (int k = 0; k < count; k++) {
        contact[k].surface.mode = dContactApprox1; // else friction is not proportional to the force
        contact[k].surface.mu = world->friction;
        dJointID joint = dJointCreateContact(world->world, world->contacts, &contact[k]);
        dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
    }
}

static void keep(const dBodyID *bodies, int count, double *to)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 4; k++)
            to[4 * i + k] = k < 3 ? dBodyGetPosition(bodies[i])[k] : 0;
}

bool run_ode(const Workload *workload, Outcome *outcome)
{
    if (workload->dimension != 3)
        return false;
    const double *half = workload->half, *g = workload->gravity;
    dInitODE2(0);
    World world = {dWorldCreate(), dJointGroupCreate(0), workload->friction};
    dSpaceID space = dHashSpaceCreate(0);
    dWorldSetGravity(world.world, g[0], g[1], g[2]);
    dWorldSetQuickStepNumIterations(world.world, 20);
    dCreatePlane(space, 0, 0, 1, 0);
    for (int k = 0; workload->walls > 0 && k < 4; k++) {
        double sign = k % 2 ? -1 : 1;
        dCreatePlane(space, k / 2 ? 0 : sign, k / 2 ? sign : 0, 0, -workload->walls);
    }
    dMass mass;
    if (workload->balls)
        dMassSetSphereTotal(&mass, workload->mass, half[0]);
    else
        dMassSetBoxTotal(&mass, workload->mass, 2 * half[0], 2 * half[1], 2 * half[2]);
    dBodyID *bodies = malloc((size_t)workload->count * sizeof *bodies);
    for (int i = 0; i < workload->count; i++) {
        const double *p = workload->place + 3 * i;
        bodies[i] = dBodyCreate(world.world);
        dBodySetMass(bodies[i], &mass);
        dBodySetPosition(bodies[i], p[0], p[1], p[2]);
        dGeomSetBody(workload->balls ? dCreateSphere(space, half[0])
                                     : dCreateBox(space, 2 * half[0], 2 * half[1], 2 * half[2]),
                     bodies[i]);
    }
    double start = stepping_seconds();
    for (int k = 0; k < workload->steps; k++) {
        if (k == workload->steps / 2)
            keep(bodies, workload->count, outcome->middle);
        dSpaceCollide(space, &world, meet);
        dWorldQuickStep(world.world, workload->step);
        dJointGroupEmpty(world.contacts);
    }
    outcome->seconds = stepping_seconds() - start;
    outcome->residual = -1;
    keep(bodies, workload->count, outcome->end);
    dJointGroupDestroy(world.contacts);
    dSpaceDestroy(space);
    dWorldDestroy(world.world);
    dCloseODE();
    free(bodies);
    return true;
}
