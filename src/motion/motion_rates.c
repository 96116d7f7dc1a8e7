// motion_rates.c: the right-hand side y' = f(t, y) of an arc: rates of positions, velocities, works
// and layer states with the contact modes frozen.
#include <math.h>
#include <string.h>

#include "motion_private.h"

// Whether forces that the motion leaves open slide on a moving surface: what friction takes and
// what the surface gives then depends on them, though their difference does not.
static bool divides_power(const SpragRun *run)
{
    const Frozen *f = &run->frozen;
    for (int i = 0; f->dependent && i < f->active_count; i++)
        for (int r = f->normals[i]; !f->soft[i] && f->sliding[i] && r < f->rows[i]; r++)
            if (fabs(run->now.drift[f->first[i] + r]) > run->tolerances.slip)
                return true;
    return false;
}

// What friction takes, and what moving surfaces give: forces times their own velocity, which is
// less the part of the rates that is not the bodies'. Friction at rest takes nothing: slip there is
// an error of integration, and what forces do along it is drift of the account, like that of normal
// forces.
static void contact_powers(const SpragRun *run, const double *force, double *friction,
                           double *surface)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    *friction = *surface = 0;
    for (int i = 0; i < f->active_count; i++) {
        int first = f->first[i];
        bool rubs =
            !f->soft[i] && (f->sliding[i] || sprag_friction_law_is_smooth(&run->law[f->active[i]]));
        for (int r = 0; r < f->rows[i]; r++) {
            int tangent = r - f->normals[i];
            if (rubs && tangent >= 0)
                *friction -= force[first + r] * e->slip[run->slip_stride * i + tangent];
            *surface -= force[first + r] * e->drift[first + r];
        }
    }
}

// Forces that divide it. In space a linear program takes long, and where its round cones are all
// but met it ends with forces of another motion: there they are the least ones, or those of the
// rows.
static SpragStatus find_dividing(SpragRun *run, double *force)
{
    bool inside;
    if (run->tangents == 1)
        return margin_admissible(run, force);
    SPRAG_TRY(margin_least(run, force, &inside));
    if (!inside)
        memcpy(force, run->now.force, (size_t)run->frozen.row_count * sizeof *force);
    return SPRAG_OK;
}

static SpragStatus find_powers(SpragRun *run, double *friction, double *surface)
{
    double rubbed, given;
    contact_powers(run, run->now.force, friction, surface);
    if (!divides_power(run))
        return SPRAG_OK;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    size_t rows = (size_t)run->frozen.row_count;
    double *force = sprag_arena_alloc(run->arena, rows + 1, sizeof *force);
    if (!force)
        return SPRAG_ERROR_MEMORY;
    rubbed = *friction, given = *surface;
    SPRAG_TRY(find_dividing(run, force));
    contact_powers(run, force, friction, surface);
    // what these forces do to the bodies is that of the motion, however far a program has come
    *surface = *friction + given - rubbed;
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

int modes_derivative(double t, const double *y, double *dy, void *user)
{
    SpragRun *run = user;
    int n = run->n, m = run->m;
    SpragStatus status = direct_or_evaluate(run, t, y);
    if (status != SPRAG_OK)
        return status == SPRAG_ERROR_NUMERIC ? 1 : -1;
    const Evaluation *e = &run->now;
    if (e->directly) {
        direct_derivative(run, y, dy);
        return 0;
    }
    sprag_system_position_rate(run->system, y, y + m, dy);
    memcpy(dy + m, e->acceleration, (size_t)n * sizeof(double));
    double friction, surface;
    status = find_powers(run, &friction, &surface);
    if (status != SPRAG_OK)
        return status == SPRAG_ERROR_NUMERIC ? 1 : -1;
    dy[m + n + WORK_FRICTION] = friction + e->power.friction;
    dy[m + n + WORK_ACTUATION] = e->power.load + surface;
    dy[m + n + WORK_DAMPING] = e->power.damping;
    if (run->frozen.layered)
        layers_derivative(run, y, dy);
    return 0;
}

SpragStatus rates_position_slopes(SpragRun *run, const double *y, int size, double *jacobian)
{
    int n = run->n, m = run->m;
    for (int j = 0; m == n && j < n; j++)
        jacobian[j * size + n + j] = 1;
    if (m == n)
        return SPRAG_OK;
    double *unit = sprag_arena_alloc(run->arena, (size_t)(3 * m + n), sizeof *unit);
    if (!unit)
        return SPRAG_ERROR_MEMORY;
    double *none = unit + m, *rate = none + n, *base = rate + m;
    sprag_system_position_rate(run->system, unit, y + m, base);
    for (int j = 0; j < m + n; j++) {
        unit[j] = 1;
        if (j < m)
            sprag_system_position_rate(run->system, unit, y + m, rate);
        else
            sprag_system_position_rate(run->system, y, unit + m, rate);
        unit[j] = 0;
        // turns that joints count follow the motion: that poses turn their axes is left out
        for (int i = 0; i < (j < m ? n / 6 * 7 : m); i++)
            jacobian[i * size + j] = rate[i] - (j < m ? base[i] : 0);
    }
    return SPRAG_OK;
}
