// motion_speeds.c: how fast the surfaces of bodies are, at most.
#include <math.h>

#include "motion_private.h"

static double size_of(const double *v, bool space)
{
    return space ? sprag_vec3_norm(sprag_vec3_of(v)) : hypot(v[0], v[1]);
}

static double spin_of(const double *v, bool space)
{
    return space ? size_of(v + 3, true) : fabs(v[2]);
}

// Speed of the surface of a body that moves as told; of others 0.
double speeds_driven(const SpragRun *run, int body, double t, double radius)
{
    const SpragModel *model = sprag_system_model(run->system);
    double place[7], rate[6];
    if (!model->bodies[body].driven)
        return 0;
    sprag_system_driven_state(run->system, body, t, place, rate);
    bool space = sprag_system_dimension(run->system) == 3;
    return size_of(rate, space) + (isfinite(radius) ? spin_of(rate, space) * radius : 0);
}

// Speed of the surface of a body, at the faster one of two states; *plane: it has no end.
double speeds_surface(const SpragRun *run, int body, const double *v0, const double *v1,
                      bool *plane)
{
    int at = sprag_system_body_coordinate(run->system, body);
    double radius = sprag_model_body_radius(sprag_system_model(run->system), body);
    *plane = !isfinite(radius);
    if (at < 0)
        return fmax(speeds_driven(run, body, run->t, radius),
                    speeds_driven(run, body, run->t + run->step_guess, radius));
    bool space = sprag_system_dimension(run->system) == 3;
    double begin = size_of(v0 + at, space) + spin_of(v0 + at, space) * radius;
    double end = size_of(v1 + at, space) + spin_of(v1 + at, space) * radius;
    return fmax(begin, end);
}

// No surface is faster.
double speeds_fastest(const SpragRun *run, const double *v)
{
    double most = 0, radius = 0.5e-3 * run->far; // of the largest body
    for (int at = 0; at < run->n; at += 3)
        most = fmax(most, hypot(v[at], v[at + 1]) + fabs(v[at + 2]) * radius);
    const SpragModel *model = sprag_system_model(run->system);
    for (int body = 0; body < model->body_count; body++)
        if (model->bodies[body].driven) {
            double reach = sprag_model_body_radius(model, body);
            most = fmax(most, speeds_driven(run, body, run->t, reach));
            most = fmax(most, speeds_driven(run, body, run->t + run->step_guess, reach));
        }
    return most;
}

bool speeds_are_none(const SpragRun *run, const double *v)
{
    for (int j = 0; j < run->n; j++)
        if (fabs(v[j]) > run->tolerances.rate)
            return false;
    return true;
}
