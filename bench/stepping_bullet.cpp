// stepping_bullet.cpp: the spatial workloads by Bullet: sequential impulses, 10 iterations, its
// default; single precision; no sleeping.
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

} // namespace

bool run_bullet(const Workload *workload, Outcome *outcome)
{
    if (workload->dimension != 3)
        return false;
    double friction = std::sqrt(workload->friction); // those of both sides are multiplied
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    World world;
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
    }
    double start = stepping_seconds();
    for (int k = 0; k < workload->steps; k++) {
        if (k == workload->steps / 2)
            keep(bodies, outcome->middle);
        world.world.stepSimulation((btScalar)workload->step, 0);
    }
    outcome->seconds = stepping_seconds() - start;
    outcome->residual = -1;
    keep(bodies, outcome->end);
    return true;
}
