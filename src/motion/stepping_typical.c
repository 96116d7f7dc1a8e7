// stepping_typical.c: the residual that is typical of a run, beside its worst.
// Problem   one blow decides what the worst of thousands of steps is; the median says how well the
//           laws hold as a rule
// Method    steps with contacts are counted in classes of equal ratio, so that no run is too long:
//           the median is known to half a class, 4 %
#include <math.h>

#include "stepping.h"

// Classes from LEAST to LEAST 10^(CLASSES/IN_DECADE); the first one has everything below.
enum { IN_DECADE = 32, CLASSES = STEP_RESIDUAL_CLASSES };
static const double LEAST = 1e-18;

void stepping_count_residual(Stepping *s)
{
    double residual = s->statistics.residual;
    if (s->sorted.count == 0)
        return;
    double place = residual > LEAST ? IN_DECADE * log10(residual / LEAST) : 0;
    // one that is not a number is the worst
    int class = !(residual <= 1e9) || place >= CLASSES ? CLASSES - 1 : (int)place;
    s->residual_classes[class]++;
    s->residuals++;
}

double stepping_median_residual(const Stepping *s)
{
    uint64_t below = 0;
    if (s->residuals == 0)
        return 0;
    for (int i = 0; i < CLASSES; i++) {
        below += s->residual_classes[i];
        if (2 * below >= s->residuals)
            return i == 0 ? 0 : LEAST * pow(10, (i + 0.5) / IN_DECADE);
    }
    return INFINITY;
}
