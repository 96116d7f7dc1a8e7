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

// Velocities of a body, before the step or after it.
static void note(const b2Body *body, double *v, double *spin)
{
    v[0] = body->GetLinearVelocity().x;
    v[1] = body->GetLinearVelocity().y;
    spin[2] = body->GetAngularVelocity();
}

// Bodies carry their numbers as pointers, the ground none.
static int number_of(b2Body *body)
{
    return (int)body->GetUserData().pointer - 1;
}

// One point of a contact, with the places that its bodies had when it was solved.
static void tell_point(b2Contact *contact, const b2WorldManifold &manifold, int k,
                       const b2Vec2 centre[2], Laws *laws)
{
    const b2ManifoldPoint &point = contact->GetManifold()->points[k];
    b2Vec2 n = manifold.normal, t = b2Cross(n, 1.0f);
    LawContact c = {};
    c.body[0] = number_of(contact->GetFixtureB()->GetBody()); // the normal points from A to B
    c.body[1] = number_of(contact->GetFixtureA()->GetBody());
    for (int side = 0; side < 2; side++) {
        c.arm[side][0] = manifold.points[k].x - centre[1 - side].x;
        c.arm[side][1] = manifold.points[k].y - centre[1 - side].y;
    }
    c.normal[0] = n.x;
    c.normal[1] = n.y;
    c.impulse[0] = (double)point.normalImpulse * n.x + (double)point.tangentImpulse * t.x;
    c.impulse[1] = (double)point.normalImpulse * n.y + (double)point.tangentImpulse * t.y;
    law_contact(laws, &c);
}

static void tell(b2World &world, const std::vector<b2Body *> &bodies,
                 const std::vector<b2Transform> &before, Laws *laws)
{
    for (size_t i = 0; i < bodies.size(); i++)
        note(bodies[i], laws->bodies[i].v_after, laws->bodies[i].spin_after);
    b2Transform still;
    still.SetIdentity();
    for (b2Contact *contact = world.GetContactList(); contact; contact = contact->GetNext()) {
        b2Fixture *fixture[2] = {contact->GetFixtureA(), contact->GetFixtureB()};
        b2Transform at[2];
        b2Vec2 centre[2];
        for (int side = 0; side < 2; side++) {
            int body = number_of(fixture[side]->GetBody());
            at[side] = body < 0 ? still : before[(size_t)body];
            centre[side] = at[side].p;
        }
        b2WorldManifold manifold;
        manifold.Initialize(contact->GetManifold(), at[0], fixture[0]->GetShape()->m_radius, at[1],
                            fixture[1]->GetShape()->m_radius);
        for (int k = 0; k < contact->GetManifold()->pointCount; k++)
            tell_point(contact, manifold, k, centre, laws);
    }
    law_end_step(laws);
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
        moving.userData.pointer = (uintptr_t)i + 1;
        moving.position.Set((float)workload->place[3 * i], (float)workload->place[3 * i + 1]);
        b2FixtureDef fixture;
        fixture.shape = &square;
        fixture.density = (float)(workload->mass / (4 * workload->half[0] * workload->half[1]));
        fixture.friction = (float)workload->friction;
        bodies.push_back(world.CreateBody(&moving));
        bodies.back()->CreateFixture(&fixture);
    }
    std::vector<b2Transform> before(bodies.size());
    double start = stepping_seconds();
    for (int k = 0; k < workload->steps; k++) {
        if (k == workload->steps / 2)
            keep(bodies, outcome->middle);
        for (size_t i = 0; outcome->laws && i < bodies.size(); i++) {
            before[i] = bodies[i]->GetTransform();
            note(bodies[i], outcome->laws->bodies[i].v, outcome->laws->bodies[i].spin);
        }
        world.Step((float)workload->step, 8, 3);
        if (outcome->laws)
            tell(world, bodies, before, outcome->laws);
    }
    outcome->seconds = stepping_seconds() - start;
    outcome->residual = -1;
    keep(bodies, outcome->end);
    return true;
}
