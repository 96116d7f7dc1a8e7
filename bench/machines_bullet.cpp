// machines_bullet.cpp: a machine in Bullet: rigid bodies, hinge and slider constraints, float.
#include "machines.h"

#include <btBulletDynamicsCommon.h>
#include <chrono>
#include <memory>
#include <vector>

static btVector3 vector(const double *x)
{
    return btVector3(static_cast<btScalar>(x[0]), static_cast<btScalar>(x[1]),
                     static_cast<btScalar>(x[2]));
}

// A frame at an anchor whose axis k is the joint's, relative to a body at `centre`.
static btTransform frame(const MachineLink &link, const btVector3 &centre, int k)
{
    btVector3 axis = vector(link.axis).normalized(), first, second;
    btPlaneSpace1(axis, first, second);
    btVector3 columns[3];
    columns[k] = axis;
    columns[(k + 1) % 3] = first;
    columns[(k + 2) % 3] = axis.cross(first);
    btMatrix3x3 turn(columns[0].x(), columns[1].x(), columns[2].x(), columns[0].y(), columns[1].y(),
                     columns[2].y(), columns[0].z(), columns[1].z(), columns[2].z());
    return btTransform(turn, vector(link.anchor) - centre);
}

int bullet_machine(const Machine *machine, double step, double position[3], double *seconds)
{
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broad;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broad, &solver, &configuration);
    world.setGravity(btVector3(0, 0, btScalar(-9.81)));
    world.getSolverInfo().m_numIterations = 50;
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<std::unique_ptr<btTypedConstraint>> constraints;
    auto add = [&](double mass, btCollisionShape *shape, const btVector3 &at,
                   const btVector3 &inertia, bool touches) {
        shapes.emplace_back(shape);
        btRigidBody::btRigidBodyConstructionInfo info(static_cast<btScalar>(mass), nullptr, shape,
                                                      inertia);
        info.m_startWorldTransform.setIdentity();
        info.m_startWorldTransform.setOrigin(at);
        info.m_friction = static_cast<btScalar>(std::sqrt(machine->friction));
        bodies.emplace_back(new btRigidBody(info));
        bodies.back()->setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(bodies.back().get(), touches ? 1 : 2, touches ? 1 : 0);
        return bodies.back().get();
    };
    for (int i = 0; i < machine->count; i++) {
        const MachineLink &link = machine->links[i];
        btCollisionShape *shape = nullptr;
        if (link.geom == GEOM_BOX)
            shape = new btBoxShape(vector(link.size) * btScalar(0.5));
        else
            shape = new btSphereShape(static_cast<btScalar>(link.geom ? link.size[0] : 0.01));
        btRigidBody *body = add(link.mass, shape, vector(link.position), vector(link.inertia),
                                link.geom != GEOM_NONE);
        if (link.parent == MACHINE_FREE)
            continue;
        btRigidBody &other = link.parent < 0 ? btTypedConstraint::getFixedBody()
                                             : *bodies[static_cast<size_t>(link.parent)];
        btVector3 centre =
            link.parent < 0 ? btVector3(0, 0, 0) : vector(machine->links[link.parent].position);
        int k = link.slides ? 0 : 2;
        btTransform here = frame(link, vector(link.position), k), there = frame(link, centre, k);
        if (link.slides) {
            auto *slider = new btSliderConstraint(other, *body, there, here, true);
            slider->setLowerLinLimit(btScalar(-1));
            slider->setUpperLinLimit(btScalar(1));
            slider->setLowerAngLimit(0);
            slider->setUpperAngLimit(0);
            constraints.emplace_back(slider);
        } else {
            constraints.emplace_back(new btHingeConstraint(other, *body, there, here));
        }
        world.addConstraint(constraints.back().get(), true);
    }
    if (machine->floor)
        add(0, new btStaticPlaneShape(btVector3(0, 0, 1), 0), btVector3(0, 0, 0),
            btVector3(0, 0, 0), true);
    auto begin = std::chrono::steady_clock::now();
    int steps = static_cast<int>(machine->until / step + 0.5);
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < machine->count; i++)
            if (machine->links[i].force != 0)
                bodies[static_cast<size_t>(i)]->applyCentralForce(
                    vector(machine->links[i].axis) *
                    static_cast<btScalar>(machine->links[i].force));
        world.stepSimulation(static_cast<btScalar>(step), 0);
    }
    *seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    btVector3 at = bodies[static_cast<size_t>(machine->watched)]->getWorldTransform().getOrigin();
    for (int k = 0; k < 3; k++)
        position[k] = static_cast<double>(at[k]);
    for (auto &constraint : constraints)
        world.removeConstraint(constraint.get());
    for (auto &body : bodies)
        world.removeRigidBody(body.get());
    return 1;
}
