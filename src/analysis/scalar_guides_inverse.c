// scalar_guides_inverse.c: which input gives the wanted accelerations of several guides, and is it
// realised when applied? theory.md 9.4.
#include <math.h>

#include "scalar_guides.h"

void sprag_guides_inverse(const SpragGuides *guides, const double *acceleration, double *input,
                          int *free_count)
{
    *free_count = 0;
    for (int i = 0; i < guides->n; i++) {
        input[i] = guides->b[i];
        for (int k = 0; k < guides->n; k++)
            input[i] += guides->A[i * guides->n + k] * acceleration[k];
    }
    for (int j = 0; j < guides->m; j++) {
        int direction = guide_direction(guides, j);
        if (direction == 0)
            direction = sign_of(guide_slip(guides, j, acceleration));
        *free_count += direction == 0;
        double force =
            direction * guides->friction[j] * fabs(guide_normal(guides, j, acceleration));
        for (int i = 0; i < guides->n; i++)
            input[i] += guide_effect(guides, i, j) * force;
    }
}

SpragStatus sprag_guides_realise(SpragContext *context, SpragArena *arena,
                                 const SpragGuides *guides, const double *acceleration,
                                 const double *input, SpragRealised *realised)
{
    const double closeness = 1e-6; // far above rounding, far below the distance of two motions
    SpragGuides applied = *guides;
    SpragGuidesVerdict verdict;
    applied.input = input;
    *realised = SPRAG_REALISED_NO;
    SPRAG_TRY(sprag_guides_forward(context, arena, &applied, &verdict));
    for (int i = 0; i < verdict.motion_count; i++) {
        const SpragGuidesMotion *motion = &verdict.motions[i];
        double difference = 0, size = 0;
        for (int k = 0; k < guides->n; k++) {
            difference = fmax(difference, fabs(motion->acceleration[k] - acceleration[k]));
            size = fmax(size, fmax(fabs(motion->acceleration[k]), fabs(acceleration[k])));
        }
        if (difference > closeness * size && !motion->continuum)
            continue;
        if (!motion->stable)
            *realised = SPRAG_REALISED_UNSTABLE;
        else
            *realised = verdict.stable_count == 1 ? SPRAG_REALISED_YES : SPRAG_REALISED_AMONG;
        return SPRAG_OK;
    }
    return SPRAG_OK;
}
