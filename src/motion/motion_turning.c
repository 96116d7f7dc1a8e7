// motion_turning.c: how fast the directions of slips in space turn to where they belong.
// Problem   friction of slip turns with it: slip across that of the moment, s_i, decays by
//           s' = −A diag(μ λN/|v_T|) s, where A is what the slips answer to forces across them.
//           Explicit steps are stable up to a multiple of the largest rate
// Method    a bound without the rows that the mode holds at zero, whose forces answer too. For a
//           body that slides on its side it is several times the rate, but rates grow as slips
//           end: steps by the rate at their begin went on to the stop, where noise across the slip
//           had become slip
#include <math.h>

#include "motion_private.h"

// The force of friction per speed of slip of a contact in space, where it turns the slip; else 0.
static double turning_force(const SpragRun *run, int i)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    if (f->rows[i] != 3 || !f->sliding[i] || f->soft[i])
        return 0;
    double slip = fmax(modes_slip_size(run, e->slip + 2 * i), f->vague[i]);
    return slip > 0 ? e->friction[2 * i + 1] * fabs(e->force[f->first[i]]) / slip : 0;
}

// How fast the directions of slips turn to where they belong, μ λN a_tt/|v_T|, and those
// of contacts of one body together (the largest sum of a row). Slips that grow much slower than
// friction could stop them are stiff.
double turning_bound(const SpragRun *run)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    double rate = 0;
    int n = f->row_count;
    for (int i = 0; run->tangents == 2 && e->solved && e->whole && i < f->active_count; i++) {
        double sum = 0;
        for (int j = 0; turning_force(run, i) > 0 && j < f->active_count; j++) {
            const double *w = e->W + (size_t)(f->first[i] + 1) * (size_t)n + f->first[j] + 1;
            double force = turning_force(run, j);
            if (force > 0)
                sum += force * fmax(fabs(w[0]), fabs(w[n + 1]));
        }
        rate = fmax(rate, sum);
    }
    return rate;
}
