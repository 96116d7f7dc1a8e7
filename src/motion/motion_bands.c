// motion_bands.c: steps that do not pass over the speeds at which friction changes.
// Problem   friction that depends on the speed of slip, theory.md (7.4), (7.1), (7.5), is constant
//           but for a narrow band of speeds around zero, in which a slip that ends is for a short
//           time only. The stages of a long step meet that band by chance: those of its error
//           estimate may all miss it, while those of its dense output, on which the end of the slip
//           is located, do not
// Method    a step ends where the slip, as it falls now, comes to the edge of the band; within it,
//           where it has fallen by its width. The error estimate does the rest
#include <math.h>

#include "motion_private.h"

// Widths of a band at which friction is that of fast slip to the tolerance of integration: e^-25.
static const double EDGE = 5;

// The speed within which the friction of contact i changes; 0: at no speed.
static double width(const SpragRun *run, int i)
{
    int slot = run->frozen.active[i];
    const SpragFrictionNumbers *numbers = &run->now.numbers[i];
    SpragFrictionLawKind kind = run->law[slot].kind;
    if (numbers->stribeck > 0 && numbers->stationary > numbers->kinetic)
        return numbers->stribeck;
    return kind == SPRAG_FRICTION_TANH || kind == SPRAG_FRICTION_REGULARIZED ? run->law[slot].speed
                                                                             : 0;
}

// How fast the slip of contact i falls, m/s²; its size in *slip.
static double falls(const SpragRun *run, int i, double *slip)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    double sum = 0;
    int tangents = f->rows[i] - f->normals[i];
    const double *sigma = e->slip + run->slip_stride * i;
    *slip = sprag_length(tangents, sigma);
    for (int d = 0; d < tangents; d++) {
        int r = f->first[i] + f->normals[i] + d;
        double a = e->b[r];
        for (int c = 0; c < f->row_count; c++)
            a += e->W[(size_t)r * (size_t)f->row_count + (size_t)c] * e->force[c];
        sum -= sigma[d] * a;
    }
    return *slip > 0 ? sum / *slip : 0;
}

SpragStatus bands_end(SpragRun *run, double *end)
{
    const Frozen *f = &run->frozen;
    if (modes_any_rigid(run) && !run->now.sampled) // which has the coefficients
        SPRAG_TRY(modes_evaluate(run, run->t, run->y));
    for (int i = 0; i < f->active_count; i++) {
        double slip, band = f->soft[i] || f->rows[i] == f->normals[i] ? 0 : width(run, i);
        if (!(band > 0))
            continue;
        SPRAG_TRY(modes_evaluate(run, run->t, run->y));
        double rate = falls(run, i, &slip);
        if (rate > 0)
            *end = fmin(*end, run->t + fmax(slip - EDGE * band, band) / rate);
    }
    return SPRAG_OK;
}
