// shapes_bullet.cpp: Bullet's distance of two convex shapes behind C functions. Its margins are set
// to zero where it allows that, so that both measure the same shapes.
#include "shapes_peer.h"

#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <btBulletCollisionCommon.h>

struct BulletShape {
    btConvexShape *shape;
};

static btScalar number(double x)
{
    return static_cast<btScalar>(x);
}

static btConvexShape *make_shape(const PeerShape *shape)
{
    switch (shape->kind) {
    case PEER_SPHERE:
        return new btSphereShape(number(shape->radius));
    case PEER_CAPSULE:
        return new btCapsuleShapeZ(number(shape->radius), number(shape->length));
    case PEER_BOX:
        return new btBoxShape(
            btVector3(number(shape->half[0]), number(shape->half[1]), number(shape->half[2])));
    case PEER_CYLINDER:
        return new btCylinderShapeZ(
            btVector3(number(shape->radius), number(shape->radius), number(0.5 * shape->length)));
    default: {
        auto *hull = new btConvexHullShape;
        for (int i = 0; i < shape->count; i++) {
            const double *p = shape->points + 3 * i;
            hull->addPoint(btVector3(number(p[0]), number(p[1]), number(p[2])));
        }
        return hull;
    }
    }
}

BulletShape *bullet_shape_create(const PeerShape *shape)
{
    auto *made = new BulletShape{make_shape(shape)};
    if (shape->kind != PEER_SPHERE && shape->kind != PEER_CAPSULE)
        made->shape->setMargin(0);
    return made;
}

void bullet_shape_destroy(BulletShape *shape)
{
    delete shape->shape;
    delete shape;
}

static btTransform place(const PeerPose *pose)
{
    const double *R = pose->R;
    btMatrix3x3 turn(number(R[0]), number(R[1]), number(R[2]), number(R[3]), number(R[4]),
                     number(R[5]), number(R[6]), number(R[7]), number(R[8]));
    return btTransform(turn, btVector3(number(pose->x[0]), number(pose->x[1]), number(pose->x[2])));
}

double bullet_distance(const BulletShape *a, const PeerPose *pose_a, const BulletShape *b,
                       const PeerPose *pose_b)
{
    btVoronoiSimplexSolver simplex;
    btGjkEpaPenetrationDepthSolver depth;
    btGjkPairDetector detector(a->shape, b->shape, &simplex, &depth);
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = place(pose_a);
    input.m_transformB = place(pose_b);
    btPointCollector result;
    detector.getClosestPoints(input, result, nullptr);
    return result.m_hasResult ? static_cast<double>(result.m_distance) : 0;
}
