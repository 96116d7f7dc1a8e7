// stepping_bullet.cpp: the spatial workloads by Bullet: sequential impulses, 10 iterations, its
// default; single precision; no sleeping. Friction along one direction, that of the slip before the
// step, is its default too; along two it bounds friction by a box.
#include <btBulletDynamicsCommon.h>
#include <cmath>
#include <memory>
#include <vector>

#include "stepping_peer.h"

namespace
{

class World
{
  public:
    World() : dispatcher(&configuration), world(&dispatcher, &broad, &solver, &configuration) {}
    ~World()
    {
        for (auto &body : bodies)
            world.removeRigidBody(body.get());
    }
    btRigidBody *add(btCollisionShape *shape, double mass, const btVector3 &place, double friction)
    {
        btVector3 inertia(0, 0, 0);
        if (mass > 0)
            shape->calculateLocalInertia((btScalar)mass, inertia);
        btRigidBody::btRigidBodyConstructionInfo info((btScalar)mass, nullptr, shape, inertia);
        info.m_startWorldTransform.setIdentity();
        info.m_startWorldTransform.setOrigin(place);
        info.m_friction = (btScalar)friction;
        bodies.emplace_back(new btRigidBody(info));
        bodies.back()->setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(bodies.back().get());
        return bodies.back().get();
    }

  private:
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher;
    btDbvtBroadphase broad;
    btSequentialImpulseConstraintSolver solver;

  public:
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    btDiscreteDynamicsWorld world;
};

void keep(const std::vector<btRigidBody *> &bodies, double *to)
{
    for (size_t i = 0; i < bodies.size(); i++)
        for (int k = 0; k < 4; k++)
            to[4 * i + (size_t)k] = k < 3 ? bodies[i]->getCenterOfMassPosition()[k] : 0;
}

void note(const btRigidBody *body, double *v, double *spin)
{
    for (int k = 0; k < 3; k++) {
        v[k] = body->getLinearVelocity()[k];
        spin[k] = body->getAngularVelocity()[k];
    }
}

// Numbers of the bodies of a pair; floor and walls have none.
int number_of(const btCollisionObject *object)
{
    return object->isStaticObject() ? -1 : object->getUserIndex();
}

// One point of a contact: Bullet's normal points into the first body, and friction acts along one
// direction, or two.
void tell_point(const btPersistentManifold *pair, const btManifoldPoint &point, int ways,
                const std::vector<btVector3> &before, Laws *laws)
{
    LawContact c = {};
    c.body[0] = number_of(pair->getBody0());
    c.body[1] = number_of(pair->getBody1());
    const btVector3 &n = point.m_normalWorldOnB, &t1 = point.m_lateralFrictionDir1,
                    &t2 = point.m_lateralFrictionDir2;
    c.ways = ways;
    const btVector3 at[2] = {point.getPositionWorldOnA(), point.getPositionWorldOnB()};
    for (int k = 0; k < 3; k++) {
        c.normal[k] = n[k];
        c.impulse[k] =
            (double)point.m_appliedImpulse * n[k] + (double)point.m_appliedImpulseLateral1 * t1[k];
        c.way[0][k] = t1[k];
        if (ways == 2) { // else nobody has set it
            c.impulse[k] += (double)point.m_appliedImpulseLateral2 * t2[k];
            c.way[1][k] = t2[k];
        }
        for (int side = 0; side < 2; side++)
            if (c.body[side] >= 0)
                c.arm[side][k] = at[side][k] - before[(size_t)c.body[side]][k];
    }
    law_contact(laws, &c);
}

void tell(btDiscreteDynamicsWorld &world, const std::vector<btRigidBody *> &bodies,
          const std::vector<btVector3> &before, Laws *laws)
{
    for (size_t i = 0; i < bodies.size(); i++)
        note(bodies[i], laws->bodies[i].v_after, laws->bodies[i].spin_after);
    btDispatcher *dispatcher = world.getDispatcher();
    int ways = world.getSolverInfo().m_solverMode & SOLVER_USE_2_FRICTION_DIRECTIONS ? 2 : 1;
    for (int i = 0; i < dispatcher->getNumManifolds(); i++) {
        const btPersistentManifold *pair = dispatcher->getManifoldByIndexInternal(i);
        for (int k = 0; k < pair->getNumContacts(); k++)
            tell_point(pair, pair->getContactPoint(k), ways, before, laws);
    }
    law_end_step(laws);
}

} // namespace

static bool run(const Workload *workload, Outcome *outcome, int directions)
{
    if (workload->dimension != 3)
        return false;
    double friction = std::sqrt(workload->friction); // those of both sides are multiplied
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    World world;
    if (directions == 2)
        world.world.getSolverInfo().m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    const double *g = workload->gravity;
    world.world.setGravity(btVector3((btScalar)g[0], (btScalar)g[1], (btScalar)g[2]));
    shapes.emplace_back(new btStaticPlaneShape(btVector3(0, 0, 1), 0));
    world.add(shapes.back().get(), 0, btVector3(0, 0, 0), friction);
    for (int k = 0; workload->walls > 0 && k < 4; k++) {
        btVector3 normal(0, 0, 0);
        normal[k / 2] = k % 2 ? -1 : 1;
        shapes.emplace_back(new btStaticPlaneShape(normal, (btScalar)-workload->walls));
        world.add(shapes.back().get(), 0, btVector3(0, 0, 0), friction);
    }
    const double *half = workload->half;
    if (workload->balls)
        shapes.emplace_back(new btSphereShape((btScalar)half[0]));
    else
        shapes.emplace_back(
            new btBoxShape(btVector3((btScalar)half[0], (btScalar)half[1], (btScalar)half[2])));
    std::vector<btRigidBody *> bodies;
    for (int i = 0; i < workload->count; i++) {
        const double *p = workload->place + 3 * i;
        bodies.push_back(world.add(shapes.back().get(), workload->mass,
                                   btVector3((btScalar)p[0], (btScalar)p[1], (btScalar)p[2]),
                                   friction));
        bodies.back()->setUserIndex(i);
    }
    std::vector<btVector3> before(bodies.size());
    double start = stepping_seconds();
    for (int k = 0; k < workload->steps; k++) {
        if (k == workload->steps / 2)
            keep(bodies, outcome->middle);
        for (size_t i = 0; outcome->laws && i < bodies.size(); i++) {
            before[i] = bodies[i]->getCenterOfMassPosition();
            note(bodies[i], outcome->laws->bodies[i].v, outcome->laws->bodies[i].spin);
        }
        world.world.stepSimulation((btScalar)workload->step, 0);
        if (outcome->laws)
            tell(world.world, bodies, before, outcome->laws);
    }
    outcome->seconds = stepping_seconds() - start;
    outcome->residual = -1;
    keep(bodies, outcome->end);
    return true;
}

bool run_bullet(const Workload *workload, Outcome *outcome)
{
    return run(workload, outcome, 1);
}

bool run_bullet_two(const Workload *workload, Outcome *outcome)
{
    return run(workload, outcome, 2);
}
