// motion_layers_jacobian.c: ∂f/∂y of an arc with layers, for the implicit method.
// Problem   f = (v, q'', powers, rates of the layer states) at y = (q, v, work, layers)
// Method    ∂f/∂y = ∂f/∂y at fixed layer forces + (∂f/∂λ)(∂λ/∂y). The first part belongs to the
//           bodies, is not stiff, and is taken by differences in q and v alone; the second one,
//           with all the stiffness, is exact: slopes of the laws times the rates of gaps and slips,
//           which the same differences give. Powers are left out: nothing depends on what they sum
//           up to.
#include <float.h>
#include <math.h>
#include <string.h>

#include "motion_private.h"

// The sample at y, kept while others are made.
typedef struct Base {
    int rows, size;
    double *acceleration;           // n
    double *rate, *slip, *friction; // a contact; friction: kinetic
    double *shear_rate;             // a contact
    double load, damping;           // powers of loads and of springs' dampers
    double *force;                  // rows
    double *influence;              // rows × n: ∂q''/∂λ of soft rows
    double *slopes;                 // rows × size: ∂λ/∂y of soft rows
} Base;

static bool allocate(SpragRun *run, Base *b)
{
    const Frozen *f = &run->frozen;
    size_t count = (size_t)f->active_count, n = (size_t)run->n;
    b->rows = f->row_count;
    b->size = run->size;
    size_t rows = (size_t)b->rows;
    double *next = sprag_arena_alloc(
        run->arena, n + 4 * count + rows + rows * n + rows * (size_t)b->size + 1, sizeof *next);
    if (!next)
        return false;
    b->acceleration = next;
    b->rate = b->acceleration + n;
    b->slip = b->rate + count;
    b->friction = b->slip + count;
    b->shear_rate = b->friction + count;
    b->force = b->shear_rate + count;
    b->influence = b->force + rows;
    b->slopes = b->influence + rows * n;
    return true;
}

static void keep(const SpragRun *run, Base *b)
{
    const Evaluation *e = &run->now;
    memcpy(b->acceleration, e->acceleration, (size_t)run->n * sizeof(double));
    memcpy(b->force, e->force, (size_t)b->rows * sizeof(double));
    for (int i = 0; i < run->frozen.active_count; i++) {
        b->rate[i] = e->gap_rate[i];
        b->slip[i] = e->slip[i];
        b->friction[i] = modes_kinetic(run, i);
        b->shear_rate[i] = e->shear_rate[i];
    }
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
    double rate, slip, friction, depth, shear;
} Change;

// ∂λ/∂y_j of soft contact i, and ∂(shear')/∂y_j of any contact.
static void change_forces(const SpragRun *run, const Base *b, const double *y, int i,
                          const Change *d, double force[2], double *shear_rate)
{
    const Frozen *f = &run->frozen;
    int slot = f->active[i];
    const SpragLayer *layer = &run->layer[slot];
    SpragMode mode = run->mode[slot];
    force[0] = force[1] = *shear_rate = 0;
    if (f->soft[i] && mode != SPRAG_MODE_SEPARATE) {
        double by_depth, by_rate;
        (void)sprag_layer_normal(layer, y[f->depth_at[i]], -b->rate[i], NULL, &by_depth, &by_rate);
        force[0] = by_depth * d->depth - by_rate * d->rate;
    }
    if (f->rows[i] == 1)
        return;
    if (sprag_friction_law_is_smooth(&run->law[slot])) {
        SpragFrictionRatio at;
        double z = f->shear_at[i] >= 0 ? y[f->shear_at[i]] : 0;
        sprag_friction_law_evaluate(&run->law[slot], &run->now.numbers[i], b->slip[i], z, &at);
        force[1] = at.ratio * force[0] +
                   b->force[f->first[i]] * (at.by_slip * d->slip + at.by_state * d->shear);
        *shear_rate = at.rate_by_slip * d->slip + at.rate_by_state * d->shear;
    } else if (!f->soft[i]) {
        return;
    } else if (mode == SPRAG_MODE_STICK && f->shear_at[i] >= 0 && modes_have_friction(run, i)) {
        force[1] = layer->tangential_stiffness * d->shear - layer->tangential_damping * d->slip;
        *shear_rate = -d->slip;
    } else {
        if (mode_slides(mode))
            force[1] =
                -f->sign[i] * (b->friction[i] * force[0] + d->friction * b->force[f->first[i]]);
        if (f->shear_at[i] >= 0 && !f->quick[i]) // nothing depends on the shear of a quick one
            *shear_rate =
                (force[1] - layer->tangential_stiffness * d->shear) / layer->tangential_damping;
    }
}

// What the change of a soft contact does to the powers.
typedef struct Powers {
    const Change *d;
    const double *force; // ∂λ/∂y_j
    double shear_rate;
    double *jacobian;
} Powers;

// ∂/∂y_j of the powers of (14.7), which nothing depends on; but an iteration that does not know how
// they follow the layers takes their lag for a failure.
static void add_powers(const SpragRun *run, const Base *b, const double *y, int i, int j,
                       const Powers *p)
{
    const Frozen *f = &run->frozen;
    const SpragLayer *layer = &run->layer[f->active[i]];
    const double *force = b->force + f->first[i];
    double *work = p->jacobian + (size_t)(2 * run->n) * (size_t)b->size + j;
    double slope, elastic = sprag_layer_elastic(layer, y[f->depth_at[i]]);
    (void)sprag_layer_normal(layer, fmax(y[f->depth_at[i]], 0), 0, NULL, &slope, NULL);
    work[WORK_DAMPING * b->size] +=
        -b->rate[i] * (p->force[0] - slope * p->d->depth) - (force[0] - elastic) * p->d->rate;
    if (f->rows[i] == 1)
        return;
    double rate = 0, rate_change = 0;
    if (run->law[f->active[i]].kind == SPRAG_FRICTION_COULOMB) {
        double KT = layer->tangential_stiffness;
        rate = b->shear_rate[i];
        rate_change = p->shear_rate;
        work[WORK_DAMPING * b->size] += (p->force[1] - KT * p->d->shear) * rate +
                                        (force[1] - KT * y[f->shear_at[i]]) * rate_change;
    }
    work[WORK_FRICTION * b->size] +=
        -p->force[1] * (b->slip[i] + rate) - force[1] * (p->d->slip + rate_change);
}

// Adds what contact i does to column j of the Jacobian.
static void add_contact(const SpragRun *run, const Base *b, const double *y, int i, int j,
                        const Change *d, double *jacobian)
{
    const Frozen *f = &run->frozen;
    int n = run->n, size = b->size;
    double force[2], shear_rate;
    change_forces(run, b, y, i, d, force, &shear_rate);
    for (int r = 0; f->soft[i] && r < f->rows[i]; r++) {
        const double *row = b->influence + (size_t)(f->first[i] + r) * (size_t)n;
        for (int k = 0; k < n && force[r] != 0; k++)
            jacobian[(n + k) * size + j] += row[k] * force[r];
    }
    if (f->depth_at[i] >= 0)
        jacobian[f->depth_at[i] * size + j] = -d->rate;
    if (f->shear_at[i] >= 0)
        jacobian[f->shear_at[i] * size + j] = shear_rate;
    if (f->soft[i])
        add_powers(run, b, y, i, j, &(Powers){d, force, shear_rate, jacobian});
}

// ---- Columns ------------------------------------------------------------------------------------

// The increment of component j.
static double increment_of(const SpragRun *run, const double *y, int j)
{
    double relative = sprag_system_contact_tolerance(run->system);
    double size = (j < run->n ? run->tolerances.gap : run->tolerances.rate) / relative;
    double moved = y[j] + 1e-8 * fmax(fabs(y[j]), size);
    return moved - y[j];
}

// Column j of q or v: differences at the layer forces of y.
static SpragStatus fill_column(SpragRun *run, const Base *b, double t, double *y, int j,
                               double *jacobian)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    int n = run->n, size = b->size;
    double old = y[j], step = increment_of(run, y, j);
    y[j] = old + step;
    SPRAG_TRY(modes_sample(run, t, y, f->unknown_count > 0));
    layers_forces(run, y); // ratios of rigid contacts
    y[j] = old;
    for (int i = 0; i < f->active_count; i++)
        for (int r = f->first[i]; f->soft[i] && r < f->first[i] + f->rows[i]; r++)
            run->now.force[r] = b->force[r];
    SPRAG_TRY(modes_respond(run));
    for (int k = 0; k < n; k++)
        jacobian[(n + k) * size + j] = (e->acceleration[k] - b->acceleration[k]) / step;
    double *work = jacobian + (size_t)(2 * n) * (size_t)size + j;
    work[WORK_ACTUATION * size] = (e->power.load - b->load) / step;
    work[WORK_DAMPING * size] = (e->power.damping - b->damping) / step;
    for (int i = 0; i < f->active_count; i++) {
        Change d = {.rate = (e->gap_rate[i] - b->rate[i]) / step,
                    .slip = (e->slip[i] - b->slip[i]) / step,
                    .friction = (modes_kinetic(run, i) - b->friction[i]) / step};
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
        jacobian[(run->n + k) * b->size + j] =
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
    SPRAG_TRY(modes_evaluate(run, t, y));
    keep(run, &b);
    SPRAG_TRY(fill_influence(run, &b));
    for (int j = 0; j < run->n; j++)
        jacobian[j * b.size + run->n + j] = 1;
    for (int i = 0; i < f->active_count; i++) {
        Change depth = {.depth = 1}, shear = {.shear = 1};
        if (f->shear_at[i] >= 0 && !f->soft[i])
            SPRAG_TRY(fill_rigid_state(run, &b, t, y, f->shear_at[i], jacobian));
        if (f->depth_at[i] >= 0)
            add_contact(run, &b, y, i, f->depth_at[i], &depth, jacobian);
        if (f->shear_at[i] >= 0)
            add_contact(run, &b, y, i, f->shear_at[i], &shear, jacobian);
    }
    for (int j = 0; j < 2 * run->n; j++)
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
    run->now.sampled = run->now.solved = false;
    sprag_arena_release(run->arena, mark);
    return status == SPRAG_OK ? 0 : status == SPRAG_ERROR_NUMERIC ? 1 : -1;
}
