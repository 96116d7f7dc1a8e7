// motion_tolerances.c: how accurately an arc is integrated.
// Problem   errors of positions, angles, speeds, spins, depths, shears and works are compared with
//           each other: theory.md (14.16)
// Method    each is measured in a size of its own that the system and its layers have, so that
//           steps do not depend on the units of length, mass and time
#include <float.h>
#include <math.h>

#include "motion_private.h"

// Speeds below this part of the system's own are not followed, nor are depths at which an approach
// with them ends: rigid contacts may hold a body beside a layer, loads may begin at zero, and
// bodies may fly together, so that depths are rounding.
static const double SLOWEST = 1e-6;

// m/s; 0: nothing moves, and nothing pulls.
static double system_speed(const SpragRun *run)
{
    return run->tolerances.rate / sprag_system_contact_tolerance(run->system);
}

// Whether component j of y turns a body. Of systems of the user nothing is known.
static bool turns(const SpragRun *run, int j)
{
    if (!sprag_system_model(run->system))
        return false;
    if (run->m == run->n)
        return j % 3 == 2;
    return j < run->m ? j % 7 >= 3 || j >= run->n / 6 * 7 : (j - run->m) % 6 >= 3;
}

double tolerances_unit(const SpragRun *run, int j, double speed)
{
    double length = run->tolerances.gap / sprag_system_contact_tolerance(run->system);
    double way = turns(run, j) ? 1 : length;
    return j < run->m ? way : way * speed / length;
}

double tolerances_force(const SpragRun *run)
{
    const double rounding = 1e-12;
    const Frozen *f = &run->frozen;
    double speed = system_speed(run), scale = 0, mass = 0;
    double length = run->tolerances.gap / sprag_system_contact_tolerance(run->system);
    for (int i = 0; i < f->unknown_count + f->active_count; i++) {
        int contact = i - f->unknown_count;
        int r = contact < 0 ? f->unknowns[i].row : f->first[contact];
        double w = run->now.W[r * (f->row_count + 1)];
        if (!(w > 0))
            continue;
        mass = fmax(mass, 1 / w);
        if (contact < 0 || f->soft[contact])
            scale = fmax(scale, fabs(run->now.b[r]) / w);
    }
    double inertial = mass * speed * speed / length;
    if (!(scale > rounding * inertial)) // between walls that nothing presses b may be a trace
        scale = inertial;
    return scale > 0 ? scale : 1;
}

// |x| of a row, or 0 where it is rounding beside the velocities or accelerations that it is made
// of.
static double beyond(const SpragRun *run, double x, const double *parts)
{
    const double rounding = 1e-12;
    double most = 0;
    for (int i = 0; i < run->n; i++)
        most = fmax(most, fabs(parts[i]) / tolerances_unit(run, run->m + i, 1));
    return fabs(x) > rounding * most ? fabs(x) : 0;
}

double tolerances_depth(const SpragRun *run, int i)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    const SpragLayer *layer = &run->layer[f->active[i]];
    int r = f->first[i];
    double a = e->W[r * f->row_count + r], order = layer->exponent + 1;
    double depth = fabs(run->y[f->depth_at[i]]);
    if (!(a > 0))
        return depth > 0 ? depth : 1;
    // bodies that move together have differences that are rounding
    double rate = beyond(run, e->gap_rate[i], run->y + run->m);
    double b = beyond(run, e->b[r], e->free_acceleration);
    rate = fmax(rate, SLOWEST * system_speed(run));
    double approach = pow(0.5 * order * rate * rate / (a * layer->stiffness), 1 / order);
    depth = fmax(depth, fmax(approach, sprag_layer_depth(layer, b / a)));
    return depth > 0 ? depth : run->tolerances.gap;
}

// Speeds that count: those of the system, or of its layers where these are slower.
static double speed_scale(const SpragRun *run)
{
    const Frozen *f = &run->frozen;
    double most = system_speed(run), speed = most > 0 ? most : INFINITY;
    for (int i = 0; i < f->active_count; i++) {
        double slope, depth;
        if (!f->soft[i])
            continue;
        depth = tolerances_depth(run, i);
        (void)sprag_layer_normal(&run->layer[f->active[i]], depth, 0, NULL, &slope, NULL);
        speed = fmin(speed, depth * sqrt(slope * run->now.W[f->first[i] * (f->row_count + 1)]));
    }
    return isfinite(speed) ? fmax(speed, fmax(SLOWEST * most, DBL_MIN)) : 1;
}

// What contacts do in slow motion, as a part of the work of their forces over the system's length.
static const double LEAST_WORK = 1e-2;
// Errors of the account that steer steps of rigid contacts, relative to those of the motion.
static const double ACCOUNT = 10;

// J, of works beside rigid contacts in the plane (in space directions of slips keep steps short): a
// long step whose error estimate is small by chance is worse between its ends, where events are,
// and the account tells.
static SpragStatus work_scale(SpragRun *run, double *energy)
{
    double kinetic, potential, elastic;
    double length = run->tolerances.gap / sprag_system_contact_tolerance(run->system);
    *energy = 0;
    if (run->frozen.active_count == 0 || run->tangents == 2)
        return SPRAG_OK;
    SPRAG_TRY(sprag_system_energy(run->system, run->t, run->y, run->y + run->m, &kinetic,
                                  &potential, &elastic));
    *energy = ACCOUNT * fmax(kinetic, LEAST_WORK * run->force_scale * length);
    return SPRAG_OK;
}

SpragStatus tolerances_set(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    double tolerance = run->settings.tolerance;
    double speed = speed_scale(run);
    for (int i = 0; i < WORK_AT(run); i++)
        run->absolute[i] = tolerance * tolerances_unit(run, i, speed);
    for (int i = WORK_AT(run); i < run->size; i++)
        run->absolute[i] = INFINITY; // the account follows the motion, it does not steer it
    double energy = 0, fast = system_speed(run);
    for (int i = 0; i < f->active_count; i++) {
        const SpragLayer *layer = &run->layer[f->active[i]];
        const SpragFrictionLaw *law = &run->law[f->active[i]];
        double depth = f->soft[i] ? tolerances_depth(run, i) : 0;
        if (f->depth_at[i] >= 0)
            run->absolute[f->depth_at[i]] = tolerance * depth;
        if (f->depth_at[i] >= 0)
            energy += depth * sprag_layer_elastic(layer, depth);
        else if (sprag_friction_law_is_smooth(law))
            energy += 1e-5 * fast * fast / run->now.W[f->first[i] * (f->row_count + 1)];
        if (f->shear_at[i] < 0)
            continue;
        double mu = fmax(run->now.numbers[i].kinetic, 1e-3);
        for (int k = 0; k < run->tangents; k++)
            run->absolute[f->shear_at[i] + k] =
                tolerance * (law->kind == SPRAG_FRICTION_COULOMB
                                 ? sprag_layer_elastic(layer, depth) / layer->tangential_stiffness
                                 : mu / law->stiffness);
    }
    // powers of layers have twice their rates
    if (!(energy > 0))
        SPRAG_TRY(work_scale(run, &energy));
    for (int i = 0; i < WORK_COUNT && energy > 0; i++)
        run->absolute[WORK_AT(run) + i] = tolerance * energy;
    return SPRAG_OK;
}
