// contact_ball.h: friction of several components of one bearing (private to the room).
#ifndef SPRAG_CONTACT_BALL_H
#define SPRAG_CONTACT_BALL_H

#include "sprag/vector.h"

// Friction p with |p| ≤ limit against what is left of the slip u + S (p − now), S symmetric and
// positive semidefinite. Of fewer components: the others of u and now are 0, S diagonal there.
void friction_in_ball(const SpragMat3 *S, const double u[3], const double now[3], double limit,
                      double p[3]);

#endif
