// scene_joints.h: shared by the readers of joints, springs, loads and controllers.
#ifndef SPRAG_SCENE_JOINTS_H
#define SPRAG_SCENE_JOINTS_H

#include "scene_private.h"

typedef struct JointEnd {
    bool given; // a place, not only a body or the world
    SpragPlace place;
} JointEnd;

// scene_joint_places.c
SpragStatus read_joint_ends(Reader *reader, const Node *node, JointEnd ends[2]);
// Where the file places a body at t = 0: rotation and centre of mass.
void joint_frame(const SpragModel *model, int body, SpragMat3 *R, SpragVec3 *p);
SpragVec3 joint_world(const SpragModel *model, const SpragPlace *place);
// Both ends, and then the frames at them.
SpragStatus place_joint_ends(Reader *reader, const Node *node, SpragJoint *joint);
SpragStatus read_joint_axes(Reader *reader, const Node *node, SpragJoint *joint);
// scene_springs.c: spring: of a joint that is one.
SpragStatus read_joint_spring(Reader *reader, const Node *node, SpragJoint *joint);
// A distance joint with a spring.
SpragStatus read_elastic_distance(Reader *reader, Part *part);

#endif
