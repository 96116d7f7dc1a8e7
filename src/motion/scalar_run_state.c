// scalar_run_state.c: a drive at an instant: accelerations, forces, energies, event functions.
//
// Energy    kinetic and potential of both rows (of the first alone where the second only stands for
//           the guide's force); what the contact takes is split into the layer's (stretch X v') and
//           friction.
#include <math.h>

#include "scalar_run_private.h"

void drive_input(const SpragDriveRun *run, double t, double input[2])
{
    for (int i = 0; i < 2; i++)
        input[i] = run->problem.input ? run->problem.input(i, t, run->problem.user)
                                      : run->problem.state.input[i];
}

static void evaluate_rigid(const SpragDriveRun *run, const double *y, DriveInstant *instant)
{
    const SpragPair *pair = &run->pair;
    SpragPairState state = {y[Q2], y[V2], {instant->input[0], instant->input[1]}};
    SpragPairMotion motion;
    sprag_pair_evaluate(pair, &state, run->direction, run->branch, &motion);
    for (int i = 0; i < 2; i++)
        instant->acceleration[i] = motion.acceleration[i];
    instant->normal = pair->normal_sign * motion.normal;
    instant->friction = motion.friction;
    instant->layer = motion.layer;
}

static void evaluate_compliant(const SpragDriveRun *run, const double *y, const double g[3],
                               DriveInstant *instant)
{
    const SpragPair *pair = &run->pair;
    instant->stretch = y[STRETCH];
    instant->stretch_rate = y[STRETCH_RATE];
    instant->layer = pair->stiffness * instant->stretch + pair->damping * instant->stretch_rate;
    instant->position[0] += instant->stretch;
    instant->velocity[0] += instant->stretch_rate;
    sprag_pair_forces(pair, instant->layer, run->direction, instant->input, &instant->normal,
                      &instant->friction);
    for (int i = 0; i < 2; i++)
        instant->acceleration[i] = (instant->input[i] - pair->b[i] - pair->c[i] * instant->normal -
                                    pair->d[i] * instant->friction) /
                                   pair->a[i];
    instant->stretch_acceleration = instant->acceleration[0] - g[1] * instant->acceleration[1] -
                                    g[2] * instant->velocity[1] * instant->velocity[1];
}

void drive_evaluate(const SpragDriveRun *run, double t, const double *y, DriveInstant *instant)
{
    double g[3];
    DriveInstant made = {0};
    sprag_pair_ratio(&run->pair, y[Q2], g);
    drive_input(run, t, made.input);
    made.position[0] = g[0];
    made.position[1] = y[Q2];
    made.velocity[0] = g[1] * y[V2];
    made.velocity[1] = y[V2];
    if (run->settings.compliant)
        evaluate_compliant(run, y, g, &made);
    else
        evaluate_rigid(run, y, &made);
    made.slip = run->pair.slip[0] * made.velocity[0] + run->pair.slip[1] * made.velocity[1];
    *instant = made;
}

int drive_derivative(double t, const double *y, double *dy, void *user)
{
    const SpragDriveRun *run = user;
    const SpragPair *pair = &run->pair;
    DriveInstant now;
    drive_evaluate(run, t, y, &now);
    double weights[2] = {1, pair->second}, taken = 0;
    dy[ACTUATION] = 0;
    for (int i = 0; i < 2; i++) {
        dy[ACTUATION] += weights[i] * now.input[i] * now.velocity[i];
        taken +=
            weights[i] * now.velocity[i] * (pair->c[i] * now.normal + pair->d[i] * now.friction);
    }
    dy[Q2] = y[V2];
    dy[V2] = now.acceleration[1];
    dy[FRICTION] = taken - pair->stretch * now.layer * now.stretch_rate;
    if (run->settings.compliant) {
        dy[STRETCH] = y[STRETCH_RATE];
        dy[STRETCH_RATE] = now.stretch_acceleration;
        dy[DAMPING] = pair->stretch * pair->damping * now.stretch_rate * now.stretch_rate;
    }
    return isfinite(now.input[0]) && isfinite(now.input[1]) ? 0 : 1;
}

// kinetic, potential and elastic, one after the other in parts (may be NULL); returns the sum.
static double energies(const SpragDriveRun *run, const DriveInstant *now, double parts[3])
{
    const SpragPair *pair = &run->pair;
    double weights[2] = {1, pair->second};
    double kinetic = 0, potential = 0;
    for (int i = 0; i < 2; i++) {
        kinetic += weights[i] * 0.5 * pair->a[i] * now->velocity[i] * now->velocity[i];
        potential += weights[i] * pair->b[i] * now->position[i];
    }
    double elastic = 0.5 * pair->stretch * pair->stiffness * now->stretch * now->stretch;
    if (parts) {
        parts[0] = kinetic;
        parts[1] = potential;
        parts[2] = elastic;
    }
    return kinetic + potential + elastic;
}

double drive_energy(const SpragDriveRun *run, const DriveInstant *instant)
{
    return energies(run, instant, NULL);
}

void drive_fill_sample(SpragDriveRun *run, double t, const double *y)
{
    DriveInstant now;
    double parts[3];
    int output = run->pair.output;
    drive_evaluate(run, t, y, &now);
    energies(run, &now, parts);
    SpragDriveSample sample = {.t = t,
                               .position = now.position[output],
                               .velocity = now.velocity[output],
                               .acceleration = now.acceleration[output],
                               .normal = run->pair.normal_sign * now.normal,
                               .friction = now.friction,
                               .layer = now.layer,
                               .input = {now.input[0], now.input[1]}};
    sample.mode = run->direction == 0  ? SPRAG_MODE_STICK
                  : run->direction > 0 ? SPRAG_MODE_SLIDE_PLUS
                                       : SPRAG_MODE_SLIDE_MINUS;
    sample.energy.kinetic = parts[0];
    sample.energy.potential = parts[1];
    sample.energy.elastic = parts[2];
    sample.energy.actuation = y[ACTUATION];
    sample.energy.friction = y[FRICTION];
    sample.energy.impact = run->impact;
    sample.energy.damping = run->settings.compliant ? y[DAMPING] : 0;
    run->sample = sample;
}

// Changes sign where both branches meet: there the number of motions at rest changes.
static double meeting(const SpragDriveRun *run, const double *y, const DriveInstant *now)
{
    SpragPairState state = {y[Q2], y[V2], {now->input[0], now->input[1]}};
    SpragPairMotion motion;
    sprag_pair_evaluate(&run->pair, &state, 1, 1, &motion);
    return isfinite(motion.layer) ? motion.layer : 1;
}

int drive_event_values(const void *owner, double t, const double *y, double *values,
                       int *directions)
{
    const SpragDriveRun *run = owner;
    DriveInstant now;
    drive_evaluate(run, t, y, &now);
    directions[0] = -1;
    if (run->direction == 0) {
        values[0] = run->pair.friction * fabs(now.normal) - fabs(now.friction);
        directions[1] = 0;
        // where F passes zero the cone has a pointed end, which samples of a step would not show
        values[1] = run->settings.compliant ? now.normal : meeting(run, y, &now);
        return 2;
    }
    values[0] = run->direction * now.slip;
    values[1] = now.layer;
    directions[1] = 0;
    if (!run->settings.compliant) {
        values[1] *= run->branch * run->direction;
        directions[1] = -1;
    }
    return 2;
}
