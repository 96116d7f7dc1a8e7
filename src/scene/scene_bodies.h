// scene_bodies.h: a body on its way from the file to the model, in the plane and in space.
#ifndef SPRAG_SCENE_BODIES_H
#define SPRAG_SCENE_BODIES_H

#include "scene_private.h"

typedef struct BodyDraft {
    SpragBody body;
    const Node *node;
    SpragShape *shapes;
    int shape_count;
    bool measured;        // the sums below hold
    double amount;        // area, or volume; of lines their length, of points their number
    SpragVec3 centroid;   // in the frame of the file, then relative to the centre of mass
    double second_moment; // plane: about the centroid
    double tensor[6];     // space: about the centroid
} BodyDraft;

// What all shapes of a body must be to have one density.
typedef enum Family { FAMILY_FULL, FAMILY_LINE, FAMILY_POINTS, FAMILY_NONE } Family;
Family shape_family(const SpragShape *shape);

// scene_bodies_space.c
void measure_space(BodyDraft *draft);
SpragStatus read_inertia_space(Reader *reader, BodyDraft *draft);
SpragStatus read_state_space(Reader *reader, BodyDraft *draft);
// Numbers that a fixed body may have, without a use for them.
SpragStatus check_unused_space(Reader *reader, const Node *node);

#endif
