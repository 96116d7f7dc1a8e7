// scalar_inverse.c: which input gives a wanted acceleration, and is it realised when applied?
// Method    the accelerations are known, so the second row gives X on each branch; the branch whose
//           sign fits gives tau_1 by the first row (theory.md 9.1, "Inverse dynamics"). The input
//           is then put through the forward problem, which says whether that motion is there,
//           stable and alone.
#include <math.h>

#include "scalar_private.h"

const char *sprag_realised_name(SpragRealised realised)
{
    static const char *const names[] = {"yes", "among", "unstable", "no"};
    return realised >= SPRAG_REALISED_YES && realised <= SPRAG_REALISED_NO ? names[realised] : "?";
}

static SpragRealised judge(const SpragPair *pair, const SpragPairState *state, double input,
                           const double q[2], const SpragPairSettings *settings)
{
    SpragPairState applied = *state;
    SpragPairVerdict verdict;
    applied.input[0] = input;
    sprag_pair_forward(pair, &applied, settings, &verdict);
    const double closeness = 1e-6; // far above rounding, far below the distance of two branches
    for (int i = 0; i < verdict.motion_count; i++) {
        const SpragPairMotion *motion = &verdict.motions[i];
        double difference = fabs(motion->acceleration[pair->output] - q[pair->output]);
        double size = fabs(q[pair->output]) + fabs(motion->acceleration[pair->output]);
        if (difference > closeness * size && !motion->continuum)
            continue;
        if (!motion->stable)
            return SPRAG_REALISED_UNSTABLE;
        return verdict.stable_count == 1 ? SPRAG_REALISED_YES : SPRAG_REALISED_AMONG;
    }
    return SPRAG_REALISED_NO;
}

static int sign_of(double x)
{
    return (x > 0) - (x < 0);
}

void sprag_pair_inverse(const SpragPair *pair, const SpragPairState *state, double acceleration,
                        const SpragPairSettings *settings, SpragPairInverse *inverse)
{
    double tolerance = settings ? settings->tolerance : sprag_pair_default().tolerance;
    double g[3], q[2];
    SpragPairInverse none = {0};
    *inverse = none;
    sprag_pair_ratio(pair, state->position, g);
    double bend = g[2] * state->velocity * state->velocity;
    q[pair->output] = acceleration;
    if (pair->output == 0)
        q[1] = (acceleration - bend) / g[1];
    else
        q[0] = g[1] * acceleration + bend;
    double slip = pair->slip[0] * g[1] + pair->slip[1];
    int direction = sign_of(slip * state->velocity);
    if (direction == 0)
        direction = sign_of(pair->slip[0] * q[0] + pair->slip[1] * q[1]);
    if (direction == 0) {
        inverse->held = true;
        pair_band(pair, state->input[1], &inverse->band_low, &inverse->band_high);
        return;
    }
    double load = state->input[1] - pair->b[1] - pair->a[1] * q[1];
    for (int k = 0; k < 2; k++) {
        int s = k == 0 ? 1 : -1;
        Branch branch = pair_branch(pair, s, g[1], tolerance);
        if (branch.row[1] == 0)
            continue;
        double X = load / branch.row[1];
        if (s * direction * X < 0 || (X == 0 && s < 0)) // both branches meet at X = 0
            continue;
        double tau = pair->a[0] * q[0] + pair->b[0] + branch.row[0] * X;
        inverse->input[inverse->count] = tau;
        inverse->realised[inverse->count++] = judge(pair, state, tau, q, settings);
    }
}
