// shapes_peer.h: a convex shape as peers take it, and Bullet's answers behind C functions.
#ifndef SPRAG_BENCH_SHAPES_PEER_H
#define SPRAG_BENCH_SHAPES_PEER_H

#ifdef __cplusplus
extern "C" {
#endif

enum { PEER_SPHERE, PEER_CAPSULE, PEER_BOX, PEER_CYLINDER, PEER_HULL, PEER_KINDS };

// Long shapes lie along z.
typedef struct PeerShape {
    int kind;
    double radius, length; // a capsule's length is without its caps
    double half[3];        // of a box
    int count;
    const double *points; // of a hull, three a point
} PeerShape;

typedef struct PeerPose {
    double x[3];
    double R[9]; // row by row
} PeerPose;

typedef struct BulletShape BulletShape;
BulletShape *bullet_shape_create(const PeerShape *shape);
void bullet_shape_destroy(BulletShape *shape);
// Distance by btGjkPairDetector with the EPA solver for overlaps; single precision.
double bullet_distance(const BulletShape *a, const PeerPose *pose_a, const BulletShape *b,
                       const PeerPose *pose_b);

#ifdef __cplusplus
}
#endif

#endif
