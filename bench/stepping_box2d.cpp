// stepping_box2d.cpp: the planar workloads by Box2D: 8 velocity and 3 position iterations, its own
// advice; warm starts on, sleeping off.
#include <box2d/box2d.h>
#include <vector>

#include "stepping_peer.h"

static void keep(const std::vector<b2Body *> &bodies, double *to)
{
    for (size_t i = 0; i < bodies.size(); i++) {
        to[4 * i] = bodies[i]->GetPosition().x;
        to[4 * i + 1] = bodies[i]->GetPosition().y;
        to[4 * i + 2] = 0;
        to[4 * i + 3] = bodies[i]->GetAngle();
    }
}

bool run_box2d(const Workload *workload, Outcome *outcome)
{
    if (workload->dimension != 2 || workload->balls)
        return false;
    b2World world(b2Vec2((float)workload->gravity[0], (float)workload->gravity[1]));
    world.SetAllowSleeping(false);
    b2BodyDef fixed;
    b2EdgeShape edge;
    edge.SetTwoSided(b2Vec2(-1000, 0), b2Vec2(1000, 0));
    b2FixtureDef floor;
    floor.shape = &edge;
    floor.friction = (float)workload->friction;
    world.CreateBody(&fixed)->CreateFixture(&floor);
    b2PolygonShape square;
    square.SetAsBox((float)workload->half[0], (float)workload->half[1]);
    std::vector<b2Body *> bodies;
    for (int i = 0; i < workload->count; i++) {
        b2BodyDef moving;
        moving.type = b2_dynamicBody;
        moving.position.Set((float)workload->place[3 * i], (float)workload->place[3 * i + 1]);
        b2FixtureDef fixture;
        fixture.shape = &square;
        fixture.density = (float)(workload->mass / (4 * workload->half[0] * workload->half[1]));
        fixture.friction = (float)workload->friction;
        bodies.push_back(world.CreateBody(&moving));
        bodies.back()->CreateFixture(&fixture);
    }
    double start = stepping_seconds();
    for (int k = 0; k < workload->steps; k++) {
        if (k == workload->steps / 2)
            keep(bodies, outcome->middle);
        world.Step((float)workload->step, 8, 3);
    }
    outcome->seconds = stepping_seconds() - start;
    outcome->residual = -1;
    keep(bodies, outcome->end);
    return true;
}
