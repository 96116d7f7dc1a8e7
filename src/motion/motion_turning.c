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
    if (!modes_has_direction(f, i) || !f->sliding[i] || f->soft[i])
        return 0;
    double slip = fmax(modes_slip_size(run, e->slip + run->slip_stride * i), f->vague[i]);
    return slip > 0 ? e->friction[2 * i + 1] * fabs(modes_pressure(run, i, e->force)) / slip : 0;
}

// W between the k-th tangents of two contacts; 0: they have fewer.
static double answer(const SpragRun *run, int i, int j, int k)
{
    const Frozen *f = &run->frozen;
    int row = f->normals[i] + k, column = f->normals[j] + k;
    if (row >= f->rows[i] || column >= f->rows[j])
        return 0;
    return run->now.W[(f->first[i] + row) * f->row_count + f->first[j] + column];
}

// How fast the directions of slips turn to where they belong, μ λN a_tt/|v_T|, and those
// of contacts of one body together (the largest sum of a row). Slips that grow much slower than
// friction could stop them are stiff.
double turning_bound(const SpragRun *run)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    double rate = 0;
    for (int i = 0; run->tangents == 2 && e->solved && e->whole && i < f->active_count; i++) {
        double sum = 0;
        for (int j = 0; turning_force(run, i) > 0 && j < f->active_count; j++) {
            double force = turning_force(run, j), most = 0;
            for (int k = 0; k < WAYS; k++)
                most = fmax(most, fabs(answer(run, i, j, k)));
            if (force > 0)
                sum += force * most;
        }
        rate = fmax(rate, sum);
    }
    return rate;
}
