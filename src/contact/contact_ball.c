// contact_ball.c: friction of several components inside of a limit.
// Problem   friction p of one bearing whose slip follows it, u + S (p − now), S symmetric and
//           positive semidefinite: against what is left of the slip, |p| ≤ limit, which is the
//           least of ½ (p − now)·S (p − now) + u·(p − now) in the ball
// Method    along the eigenvectors of S: either its free minimum is inside, or
//           (S + κ) p = S now − u with |p| = limit, κ > 0; 1/|p| is concave in κ, so that Newton's
//           method on it from κ = 0 never passes the root
#include "contact_ball.h"

#include <stdbool.h>

#include "sprag/vector.h"

enum { NEWTON_STEPS = 60 };
// S has at least this part of its largest eigenvalue. Along eigenvectors below the second part of
// it slip is rounding if it is below this part of what friction can do: friction stays as it is
// there.
static const double LEAST = 1e-12, DEPENDENT = 1e-9, ROUNDING = 1e-12, CONVERGED = 1e-15;

static double along(const double value[3], const double right[3], double kappa, double p[3])
{
    for (int k = 0; k < 3; k++)
        p[k] = right[k] != 0 ? right[k] / (value[k] + kappa) : 0;
    return sprag_length(3, p);
}

void friction_in_ball(const SpragMat3 *S, const double u[3], const double now[3], double limit,
                      double p[3])
{
    SpragMat3 axes;
    double value[3], right[3], part[3], kappa = 0;
    sprag_mat3_principal(S, value, &axes);
    SpragVec3 slip = sprag_mat3_apply_back(&axes, sprag_vec3_of(u));
    SpragVec3 old = sprag_mat3_apply_back(&axes, sprag_vec3_of(now));
    const double minus[3] = {slip.x, slip.y, slip.z}, before[3] = {old.x, old.y, old.z};
    double most = value[2] > 0 ? value[2] : 1;
    double rounding = ROUNDING * most * (limit + sprag_length(3, now));
    for (int k = 0; k < 3; k++) {
        bool none = value[k] <= DEPENDENT * most && fabs(minus[k]) <= rounding;
        value[k] = fmax(value[k], LEAST * most);
        right[k] = value[k] * before[k] - (none ? 0 : minus[k]);
    }
    double size = along(value, right, 0, part);
    for (int step = 0; step < NEWTON_STEPS && limit > 0 && size > limit * (1 + CONVERGED); step++) {
        double sum = 0;
        for (int k = 0; k < 3; k++)
            sum += part[k] * part[k] / (value[k] + kappa);
        double next = kappa + size * size / sum * (size - limit) / limit;
        if (!(next > kappa))
            break;
        kappa = next;
        size = along(value, right, kappa, part);
    }
    double factor = size > limit ? limit / size : 1;
    sprag_vec3_to(
        sprag_mat3_apply(&axes, sprag_vec3(factor * part[0], factor * part[1], factor * part[2])),
        p);
}
