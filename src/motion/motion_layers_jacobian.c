// motion_layers_jacobian.c: ∂f/∂y of an arc with layers, for the implicit method.
// Problem   f = (v, q'', powers, rates of the layer states) at y = (q, v, work, layers)
// Method    ∂f/∂y = ∂f/∂y at fixed layer forces + (∂f/∂λ)(∂λ/∂y). The first part belongs to the
//           bodies, is not stiff, and is taken by differences in q and v alone; the second one,
//           with all the stiffness, is exact: slopes of the laws times the rates of gaps and slips,
//           which the same differences give. Nothing depends on what powers sum up to, but they are
//           found by the same iteration, and follow it only with their slopes.
#include <float.h>
#include <math.h>
#include <string.h>

#include "motion_private.h"

// The sample at y, kept while others are made.
typedef struct Base {
    int rows, size;
    double *acceleration;      // n
    double *rate, *friction;   // a contact; friction: kinetic
    double *slip, *shear_rate; // a tangent
    double load, damping;      // powers of loads and of springs' dampers
    double *force, *drift;     // rows
    double *influence;         // rows × n: ∂q''/∂λ of soft rows
    double *slopes;            // rows × size: ∂λ/∂y of soft rows
} Base;

static bool allocate(SpragRun *run, Base *b)
{
    const Frozen *f = &run->frozen;
    size_t count = (size_t)f->active_count, n = (size_t)run->n, each = (size_t)run->tangents,
           slips = (size_t)run->slip_stride;
    b->rows = f->row_count;
    b->size = run->size;
    size_t rows = (size_t)b->rows;
    double *next = sprag_arena_alloc(run->arena,
                                     n + (2 + each + slips) * count + 2 * rows + rows * n +
                                         rows * (size_t)b->size + 1,
                                     sizeof *next);
    if (!next)
        return false;
    b->acceleration = next;
    b->rate = b->acceleration + n;
    b->slip = b->rate + count;
    b->friction = b->slip + slips * count;
    b->shear_rate = b->friction + count;
    b->force = b->shear_rate + each * count;
    b->drift = b->force + rows;
    b->influence = b->drift + rows;
    b->slopes = b->influence + rows * n;
    return true;
}

static void keep(const SpragRun *run, Base *b)
{
    const Evaluation *e = &run->now;
    memcpy(b->acceleration, e->acceleration, (size_t)run->n * sizeof(double));
    memcpy(b->force, e->force, (size_t)b->rows * sizeof(double));
    memcpy(b->drift, e->drift, (size_t)b->rows * sizeof(double));
    size_t count = (size_t)run->frozen.active_count;
    memcpy(b->rate, e->gap_rate, count * sizeof(double));
    memcpy(b->slip, e->slip, count * (size_t)run->slip_stride * sizeof(double));
    memcpy(b->shear_rate, e->shear_rate, count * (size_t)run->tangents * sizeof(double));
    for (int i = 0; i < run->frozen.active_count; i++)
        b->friction[i] = modes_kinetic(run, i);
    b->load = e->power.load;
    b->damping = e->power.damping;
}

// ∂q''/∂λ of a soft row at the sample of y: the bodies' own response, and that of rigid contacts.
static SpragStatus fill_influence(SpragRun *run, const Base *b)
{
    const Frozen *f = &run->frozen;
    size_t n = (size_t)run->n;
    for (int i = 0; i < f->active_count; i++) {
        for (int r = f->first[i]; f->soft[i] && r < f->first[i] + f->rows[i]; r++) {
            double *row = b->influence + (size_t)r * n;
            memcpy(row, run->now.response + (size_t)r * n, n * sizeof *row);
            if (f->unknown_count == 0)
                continue;
            double unit = fmax(run->force_scale, DBL_MIN);
            run->now.force[r] = b->force[r] + unit;
            SPRAG_TRY(modes_respond(run));
            for (size_t k = 0; k < n; k++)
                row[k] = (run->now.acceleration[k] - b->acceleration[k]) / unit;
            run->now.force[r] = b->force[r];
        }
    }
    return SPRAG_OK;
}

// ---- Slopes of the forces -----------------------------------------------------------------------

// A contact's part of a column: how its rates change with y_j, and its own states.
typedef struct Change {
    double rate, slip[2], friction, depth, shear[2];
} Change;

// What follows from it: ∂λ/∂y_j of a soft contact, and ∂(shear')/∂y_j of any.
typedef struct Slope {
    double force[3], shear_rate[2];
} Slope;

// Σ m_kl d_l over the tangents.
static double product(const SpragRun *run, const double *m, int k, const double *d)
{
    return run->tangents == 1 ? m[0] * d[0] : m[2 * k] * d[0] + m[2 * k + 1] * d[1];
}

static void change_smooth(const SpragRun *run, const Base *b, const double *y, int i,
                          const Change *d, Slope *slope)
{
    const Frozen *f = &run->frozen;
    const double none[2] = {0, 0}, *z = f->shear_at[i] >= 0 ? y + f->shear_at[i] : none;
    SpragFrictionVector at;
    sprag_friction_law_evaluate_vector(&run->law[f->active[i]], &run->now.numbers[i], run->tangents,
                                       b->slip + run->slip_stride * i, z, &at);
    for (int k = 0; k < run->tangents; k++) {
        slope->force[1 + k] = at.ratio[k] * slope->force[0] +
                              b->force[f->first[i]] * (product(run, at.by_slip, k, d->slip) +
                                                       product(run, at.by_state, k, d->shear));
        slope->shear_rate[k] =
            product(run, at.rate_by_slip, k, d->slip) + product(run, at.rate_by_state, k, d->shear);
    }
}

// A slider that slips: λT = μ λN e along λ_tr, so that e turns by what λ_tr changes across itself.
static void change_slider(const SpragRun *run, const Base *b, const double *y, int i,
                          const Change *d, Slope *slope)
{
    const Frozen *f = &run->frozen;
    const SpragLayer *layer = &run->layer[f->active[i]];
    double size = b->friction[i] * b->force[f->first[i]];
    double growth = b->friction[i] * slope->force[0] + d->friction * b->force[f->first[i]];
    double pull[2] = {0, 0}, trial[2] = {0, 0}, turn[2] = {0, 0}, along = 0, length;
    bool slides = mode_slides(run->mode[f->active[i]]);
    if (f->shear_at[i] >= 0 && run->tangents == 2) {
        for (int k = 0; k < 2; k++) {
            trial[k] = layer->tangential_stiffness * y[f->shear_at[i] + k] -
                       layer->tangential_damping * b->slip[run->slip_stride * i + k];
            turn[k] =
                layer->tangential_stiffness * d->shear[k] - layer->tangential_damping * d->slip[k];
        }
        length = fmax(hypot(trial[0], trial[1]), DBL_MIN);
        along = (turn[0] * trial[0] + turn[1] * trial[1]) / length;
        for (int k = 0; k < 2; k++) {
            pull[k] = trial[k] / length;
            turn[k] = (turn[k] - along * pull[k]) / length;
        }
    } else if (run->tangents == 2) { // Karnopp's
        length =
            fmax(hypot(b->slip[run->slip_stride * i], b->slip[run->slip_stride * i + 1]), DBL_MIN);
        for (int k = 0; k < 2; k++)
            pull[k] = -b->slip[run->slip_stride * i + k] / length;
    } else {
        pull[0] = -f->sign[i];
    }
    for (int k = 0; k < run->tangents; k++) {
        slope->force[1 + k] = slides ? pull[k] * growth + size * turn[k] : 0;
        if (f->quick[i]) // nothing else depends on the shear of a quick one
            slope->shear_rate[k] = -layers_quick_relaxation(run, i) * d->shear[k];
        else if (f->shear_at[i] >= 0)
            slope->shear_rate[k] =
                (slope->force[1 + k] - layer->tangential_stiffness * d->shear[k]) /
                layer->tangential_damping;
    }
}

static void change_forces(const SpragRun *run, const Base *b, const double *y, int i,
                          const Change *d, Slope *slope)
{
    const Frozen *f = &run->frozen;
    int slot = f->active[i];
    const SpragLayer *layer = &run->layer[slot];
    SpragMode mode = run->mode[slot];
    *slope = (Slope){{0}, {0}};
    if (f->soft[i] && mode != SPRAG_MODE_SEPARATE) {
        double by_depth, by_rate;
        // past its end an arc goes on smoothly
        sprag_layer_raw_slopes(layer, y[f->depth_at[i]], -b->rate[i], &by_depth, &by_rate);
        slope->force[0] = by_depth * d->depth - by_rate * d->rate;
    }
    if (f->rows[i] == 1)
        return;
    bool smooth = sprag_friction_law_is_smooth(&run->law[slot]);
    if (smooth)
        change_smooth(run, b, y, i, d, slope);
    if (smooth || !f->soft[i])
        return;
    if (mode != SPRAG_MODE_STICK || f->shear_at[i] < 0 || !modes_have_friction(run, i)) {
        change_slider(run, b, y, i, d, slope);
        return;
    }
    for (int k = 0; k < run->tangents; k++) {
        slope->force[1 + k] =
            layer->tangential_stiffness * d->shear[k] - layer->tangential_damping * d->slip[k];
        slope->shear_rate[k] = -d->slip[k];
    }
}

// ∂/∂y_j of the powers of (14.7) and of moving surfaces, which nothing depends on; but an iteration
// that does not know how they follow the layers takes their lag for a failure, or leaves it.
static void add_powers(const SpragRun *run, const Base *b, const double *y, int i, const Change *d,
                       const Slope *change, double *work)
{
    const Frozen *f = &run->frozen;
    const SpragLayer *layer = &run->layer[f->active[i]];
    const double *force = b->force + f->first[i];
    double elastic = sprag_layer_elastic(layer, y[f->depth_at[i]]), slope, damper;
    sprag_layer_raw_slopes(layer, y[f->depth_at[i]], 0, &slope, &damper);
    work[WORK_DAMPING * b->size] +=
        -b->rate[i] * (change->force[0] - slope * d->depth) - (force[0] - elastic) * d->rate;
    bool slider = run->law[f->active[i]].kind == SPRAG_FRICTION_COULOMB;
    for (int r = 0; r < f->rows[i]; r++)
        work[WORK_ACTUATION * b->size] -= change->force[r] * b->drift[f->first[i] + r];
    for (int k = 0; k < f->rows[i] - 1; k++) {
        double rate = 0, rate_change = 0, KT = layer->tangential_stiffness;
        if (slider) {
            rate = b->shear_rate[run->tangents * i + k];
            rate_change = change->shear_rate[k];
            work[WORK_DAMPING * b->size] +=
                (change->force[1 + k] - KT * d->shear[k]) * rate +
                (force[1 + k] - KT * y[f->shear_at[i] + k]) * rate_change;
        }
        work[WORK_FRICTION * b->size] +=
            -change->force[1 + k] * (b->slip[run->slip_stride * i + k] + rate) -
            force[1 + k] * (d->slip[k] + rate_change);
    }
}

// Adds what contact i does to column j of the Jacobian.
static void add_contact(const SpragRun *run, const Base *b, const double *y, int i, int j,
                        const Change *d, double *jacobian)
{
    const Frozen *f = &run->frozen;
    int n = run->n, m = run->m, size = b->size;
    Slope slope;
    change_forces(run, b, y, i, d, &slope);
    for (int r = 0; f->soft[i] && r < f->rows[i]; r++) {
        const double *row = b->influence + (size_t)(f->first[i] + r) * (size_t)n;
        for (int k = 0; k < n && slope.force[r] != 0; k++)
            jacobian[(m + k) * size + j] += row[k] * slope.force[r];
    }
    if (f->depth_at[i] >= 0)
        jacobian[f->depth_at[i] * size + j] = -d->rate;
    for (int k = 0; f->shear_at[i] >= 0 && k < run->tangents; k++)
        jacobian[(f->shear_at[i] + k) * size + j] = slope.shear_rate[k];
    if (f->soft[i])
        add_powers(run, b, y, i, d, &slope, jacobian + (size_t)WORK_AT(run) * (size_t)size + j);
}

// ---- Columns ------------------------------------------------------------------------------------

// The slowest slip of a rigid contact at the sample.
static double slowest_slip(const SpragRun *run)
{
    const Frozen *f = &run->frozen;
    double least = INFINITY;
    for (int i = 0; i < f->active_count; i++)
        if (f->sliding[i] && !f->soft[i])
            least = fmin(least, modes_slip_size(run, run->now.slip + run->slip_stride * i));
    return least;
}

// The increment of component j.
static double increment_of(const SpragRun *run, const double *y, int j)
{
    double relative = sprag_system_contact_tolerance(run->system);
    double step = 1e-7 * fmax(fabs(y[j]), tolerances_unit(run, j, run->tolerances.rate / relative));
    // directions of slow slips change with much less
    if (run->tangents == 2 && j >= run->m)
        step = fmin(step, 1e-4 * fmax(slowest_slip(run), run->tolerances.slip));
    double moved = y[j] + step;
    return moved - y[j];
}

// Rates and accelerations at y with the layer forces of the base.
static SpragStatus displace(SpragRun *run, const Base *b, double t, const double *y)
{
    const Frozen *f = &run->frozen;
    SPRAG_TRY(modes_sample(run, t, y, f->unknown_count > 0));
    layers_forces(run, y); // ratios of rigid contacts
    for (int i = 0; i < f->active_count; i++)
        for (int r = f->first[i]; f->soft[i] && r < f->first[i] + f->rows[i]; r++)
            run->now.force[r] = b->force[r];
    return modes_respond(run);
}

// Column j of q or v: differences at the layer forces of y.
static SpragStatus fill_column(SpragRun *run, const Base *b, double t, double *y, int j,
                               double *jacobian)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    int n = run->n, m = run->m, size = b->size, each = run->tangents;
    double old = y[j], step = increment_of(run, y, j);
    y[j] = old + step;
    SpragStatus status = SPRAG_OK;
    if (f->direct)
        direct_displace(run, t, y, b->force);
    else
        status = displace(run, b, t, y);
    y[j] = old;
    SPRAG_TRY(status);
    for (int k = 0; k < n; k++)
        jacobian[(m + k) * size + j] = (e->acceleration[k] - b->acceleration[k]) / step;
    double *work = jacobian + (size_t)WORK_AT(run) * (size_t)size + j;
    work[WORK_ACTUATION * size] = (e->power.load - b->load) / step;
    for (int r = 0; r < b->rows; r++)
        work[WORK_ACTUATION * size] -= b->force[r] * (e->drift[r] - b->drift[r]) / step;
    work[WORK_DAMPING * size] = (e->power.damping - b->damping) / step;
    for (int i = 0; i < f->active_count; i++) {
        Change d = {.rate = (e->gap_rate[i] - b->rate[i]) / step,
                    .friction = (modes_kinetic(run, i) - b->friction[i]) / step};
        for (int k = 0; k < each; k++)
            d.slip[k] =
                (e->slip[run->slip_stride * i + k] - b->slip[run->slip_stride * i + k]) / step;
        bool none = d.rate == 0 && d.friction == 0 && d.slip[0] == 0 && d.slip[1] == 0;
        if (!none) // contacts of other bodies
            add_contact(run, b, y, i, j, &d, jacobian);
    }
    return SPRAG_OK;
}

// Column of the bristle deflection of a rigid contact, by a difference.
static SpragStatus fill_rigid_state(SpragRun *run, const Base *b, double t, double *y, int j,
                                    double *jacobian)
{
    double old = y[j], step = 1e-6 * fmax(fabs(old), run->absolute[j] / run->settings.tolerance);
    y[j] = old + step;
    SpragStatus status = modes_sample(run, t, y, true);
    if (status == SPRAG_OK)
        layers_forces(run, y);
    y[j] = old;
    SPRAG_TRY(status);
    SPRAG_TRY(modes_respond(run));
    for (int k = 0; k < run->n; k++)
        jacobian[(run->m + k) * b->size + j] =
            (run->now.acceleration[k] - b->acceleration[k]) / step;
    return SPRAG_OK;
}

static SpragStatus fill(SpragRun *run, double t, double *y, double *jacobian)
{
    const Frozen *f = &run->frozen;
    Base b;
    if (!allocate(run, &b))
        return SPRAG_ERROR_MEMORY;
    run->now.solved = false;
    SPRAG_TRY(modes_evaluate(run, t, y)); // which has the responses too
    keep(run, &b);
    SPRAG_TRY(fill_influence(run, &b));
    SPRAG_TRY(rates_position_slopes(run, y, b.size, jacobian));
    for (int i = 0; i < f->active_count; i++) {
        Change depth = {.depth = 1};
        if (f->depth_at[i] >= 0)
            add_contact(run, &b, y, i, f->depth_at[i], &depth, jacobian);
        for (int k = 0; f->shear_at[i] >= 0 && k < run->tangents; k++) {
            Change shear = {.shear = {k == 0, k == 1}};
            if (!f->soft[i])
                SPRAG_TRY(fill_rigid_state(run, &b, t, y, f->shear_at[i] + k, jacobian));
            add_contact(run, &b, y, i, f->shear_at[i] + k, &shear, jacobian);
        }
    }
    for (int j = 0; j < WORK_AT(run); j++)
        SPRAG_TRY(fill_column(run, &b, t, y, j, jacobian));
    return SPRAG_OK;
}

int layers_jacobian(double t, const double *y, double *jacobian, void *user)
{
    SpragRun *run = user;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    double *copy = sprag_arena_alloc(run->arena, (size_t)run->size, sizeof *copy);
    if (!copy)
        return -1;
    memcpy(copy, y, (size_t)run->size * sizeof *copy);
    SpragStatus status = fill(run, t, copy, jacobian);
    run->now.sampled = run->now.solved = run->now.directly = false;
    sprag_arena_release(run->arena, mark);
    return status == SPRAG_OK ? 0 : status == SPRAG_ERROR_NUMERIC ? 1 : -1;
}
