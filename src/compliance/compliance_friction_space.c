// compliance_friction_space.c: smooth friction laws whose slip and bristles are vectors.
// Problem   λT = r λN with two tangents: r opposite to the slip where the law has no memory;
//           bristles bend along both
// Method    with the slip σ = s d, the bristles z split into z∥ = d·z and z⊥: the law of the plane
//           at (s, z∥) along d, and across it what is linear in z⊥. For LuGre's law, and Dahl's
//           with exponent 1, that is z' = σ − σ0 |σ| z/μ with vectors, theory.md (7.12). Slopes are
//           those of this form without the change of a slope with speed across the slip
#include <math.h>

#include "sprag/compliance.h"

// along d dᵀ + across (1 − d dᵀ)
static void spread(double along, double across, const double *d, double *matrix)
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            matrix[2 * i + j] = (along - across) * d[i] * d[j] + (i == j ? across : 0);
}

// Rate of bristles across the slip, per deflection: they fall as those of a steady slip do.
static double rate_across(const SpragFrictionLaw *law, const SpragFrictionNumbers *numbers,
                          double slip, const SpragFrictionRatio *at)
{
    if (law->kind == SPRAG_FRICTION_DAHL)
        return numbers->kinetic > 0 ? -slip * law->stiffness / numbers->kinetic : 0;
    return at->rate_by_state;
}

static void evaluate_plane(const SpragFrictionLaw *law, const SpragFrictionNumbers *numbers,
                           double slip, double state, SpragFrictionVector *result)
{
    SpragFrictionRatio at;
    sprag_friction_law_evaluate(law, numbers, slip, state, &at);
    result->ratio[0] = at.ratio;
    result->by_slip[0] = at.by_slip;
    result->by_state[0] = at.by_state;
    result->state_rate[0] = at.state_rate;
    result->rate_by_slip[0] = at.rate_by_slip;
    result->rate_by_state[0] = at.rate_by_state;
}

void sprag_friction_law_evaluate_vector(const SpragFrictionLaw *law,
                                        const SpragFrictionNumbers *numbers, int tangents,
                                        const double *slip, const double *state,
                                        SpragFrictionVector *result)
{
    *result = (SpragFrictionVector){0};
    if (tangents == 1) {
        evaluate_plane(law, numbers, slip[0], state[0], result);
        return;
    }
    double s = hypot(slip[0], slip[1]), d[2] = {1, 0};
    for (int k = 0; s > 0 && k < 2; k++)
        d[k] = slip[k] / s;
    double z = d[0] * state[0] + d[1] * state[1];
    SpragFrictionRatio at;
    sprag_friction_law_evaluate(law, numbers, s, z, &at);
    double fall = rate_across(law, numbers, s, &at);
    for (int k = 0; k < 2; k++) {
        double across = state[k] - z * d[k];
        result->ratio[k] = at.ratio * d[k] + at.by_state * across;
        result->state_rate[k] = at.state_rate * d[k] + fall * across;
    }
    // what turns with the slip: its part of the ratio, and of the rate
    double turned = s > 0 ? (at.ratio - at.by_state * z) / s : at.by_slip;
    double turned_rate = s > 0 ? (at.state_rate - fall * z) / s : at.rate_by_slip;
    spread(at.by_slip, turned, d, result->by_slip);
    spread(at.by_state, at.by_state, d, result->by_state);
    spread(at.rate_by_slip, turned_rate, d, result->rate_by_slip);
    spread(at.rate_by_state, fall, d, result->rate_by_state);
}
