// stepping_ode.c: the spatial workloads by ODE: quick step, 20 iterations, its default.
#include <ode/ode.h>
#include <stdint.h>
#include <stdlib.h>

#include "stepping_peer.h"

enum { MOST_POINTS = 8 };

// A contact of the present step whose force is to be told.
typedef struct Told {
    dJointFeedback force;
    dContactGeom geom;
    dBodyID body[2];
} Told;

typedef struct World {
    dWorldID world;
    dJointGroupID contacts;
    double friction;
    Told *told; // NULL: forces are not asked for
    int told_count, told_room;
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
        if (world->told && world->told_count < world->told_room) {
            Told *told = &world->told[world->told_count++];
            *told = (Told){.geom = contact[k].geom, .body = {dGeomGetBody(a), dGeomGetBody(b)}};
            dJointSetFeedback(joint, &told->force);
        }
    }
}

static void keep(const dBodyID *bodies, int count, double *to)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 4; k++)
            to[4 * i + k] = k < 3 ? dBodyGetPosition(bodies[i])[k] : 0;
}

static void note(dBodyID body, double *v, double *spin)
{
    for (int k = 0; k < 3; k++) {
        v[k] = dBodyGetLinearVel(body)[k];
        spin[k] = dBodyGetAngularVel(body)[k];
    }
}

// Bodies carry their numbers as pointers.
static int number_of(dBodyID body)
{
    return body ? (int)(intptr_t)dBodyGetData(body) - 1 : -1;
}

// Contacts with their forces: the normal points into the first geom. A joint whose first body is
// none tells the force on the second one first. before: places of the bodies, three a body.
static void tell(const World *world, const dBodyID *bodies, int count, const double *before,
                 double h, Laws *laws)
{
    for (int i = 0; i < count; i++)
        note(bodies[i], laws->bodies[i].v_after, laws->bodies[i].spin_after);
    for (int i = 0; i < world->told_count; i++) {
        const Told *told = &world->told[i];
        LawContact c = {.body = {number_of(told->body[0]), number_of(told->body[1])}, .ways = 2};
        dVector3 way[2]; // as ODE chooses them
        dPlaneSpace(told->geom.normal, way[0], way[1]);
        double sign = c.body[0] >= 0 ? 1 : -1;
        for (int k = 0; k < 3; k++) {
            c.normal[k] = told->geom.normal[k];
            c.impulse[k] = sign * h * told->force.f1[k];
            c.way[0][k] = way[0][k];
            c.way[1][k] = way[1][k];
            for (int side = 0; side < 2; side++)
                if (c.body[side] >= 0)
                    c.arm[side][k] = told->geom.pos[k] - before[3 * c.body[side] + k];
        }
        law_contact(laws, &c);
    }
    law_end_step(laws);
}

// Before a step whose forces are to be told.
static void prepare(World *world, const dBodyID *bodies, int count, double *before, Laws *laws)
{
    world->told_count = 0;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++)
            before[3 * i + k] = dBodyGetPosition(bodies[i])[k];
        note(bodies[i], laws->bodies[i].v, laws->bodies[i].spin);
    }
}

bool run_ode(const Workload *workload, Outcome *outcome)
{
    if (workload->dimension != 3)
        return false;
    const double *half = workload->half, *g = workload->gravity;
    dInitODE2(0);
    World world = {
        .world = dWorldCreate(), .contacts = dJointGroupCreate(0), .friction = workload->friction};
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
        dBodySetData(bodies[i], (void *)(intptr_t)(i + 1));
        dBodySetMass(bodies[i], &mass);
        dBodySetPosition(bodies[i], p[0], p[1], p[2]);
        dGeomSetBody(workload->balls ? dCreateSphere(space, half[0])
                                     : dCreateBox(space, 2 * half[0], 2 * half[1], 2 * half[2]),
                     bodies[i]);
    }
    double *before = malloc(3 * (size_t)workload->count * sizeof *before);
    world.told_room = 64 * workload->count;
    world.told = outcome->laws ? malloc((size_t)world.told_room * sizeof *world.told) : NULL;
    double start = stepping_seconds();
    for (int k = 0; k < workload->steps; k++) {
        if (k == workload->steps / 2)
            keep(bodies, workload->count, outcome->middle);
        if (outcome->laws)
            prepare(&world, bodies, workload->count, before, outcome->laws);
        dSpaceCollide(space, &world, meet);
        dWorldQuickStep(world.world, workload->step);
        if (outcome->laws)
            tell(&world, bodies, workload->count, before, workload->step, outcome->laws);
        dJointGroupEmpty(world.contacts);
    }
    outcome->seconds = stepping_seconds() - start;
    outcome->residual = -1;
    keep(bodies, workload->count, outcome->end);
    dJointGroupDestroy(world.contacts);
    dSpaceDestroy(space);
    dWorldDestroy(world.world);
    dCloseODE();
    free(world.told);
    free(before);
    free(bodies);
    return true;
}
