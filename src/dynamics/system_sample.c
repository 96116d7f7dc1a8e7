// system_sample.c: what a motion asks of a list of contacts, at every right-hand side.
// Problem   gaps, slips, rows J, W = J M⁻¹ Jᵀ, b = J M⁻¹ (u − h) + J̇ v of chosen contacts,
//           theory.md (1.3), (1.4)
// Method    the bodies of a model are free and M has a block a body: a row has entries in the
//           blocks of two bodies at most, so W takes sums over the bodies that two contacts share,
//           and b over the bodies of one. Rows of a user-defined system are dense.
// Note      nothing is allocated once the longest list has been met
#include <math.h>
#include <string.h>

#include "joint_private.h"

int sprag_system_row_count(const SpragSystem *system, int count, const int *contacts)
{
    int rows = 0;
    for (int i = 0; i < count; i++)
        rows += contact_rows(system, contacts[i]);
    return rows;
}

// What the list of contacts needs.
typedef struct Sampling {
    SpragSystem *system;
    const SpragSystemSample *out;
    int count, rows;
    const Evaluation *contacts; // count
    double *force, *free;       // n: u − h, M⁻¹ (u − h)
    double *column;             // n, scratch
    double *J;                  // rows × n, of a user-defined system
} Sampling;

// ---- Contact by contact -------------------------------------------------------------------------

double sprag_system_contact_held(const SpragSystem *system, int contact)
{
    int slot = contact - system->joint_contacts;
    if (slot < 0)
        return 1;
    if (is_spatial(system)) {
        const SpragGrip *grip = space_grip(system, slot);
        return !grip || sprag_collider_is_gripped(system->collider, slot, grip, system->poses) ? 1
                                                                                               : -1;
    }
    if (!system->model || !system->holds[slot].kind)
        return 1;
    const SpragHold *hold = &system->holds[slot];
    return sprag_collider_is_held(system->collider, slot, hold, system->frames) ? 1 : -1;
}

static void copy_contact(const SpragSystem *system, const Evaluation *evaluation, int contact,
                         int row, const SpragSystemSample *out)
{
    int tangents = system->dimension == 3 ? SPRAG_CONSTRAINT_WAYS : 1;
    if (out->gap)
        out->gap[contact] = evaluation->gap;
    if (out->gap_rate)
        out->gap_rate[contact] = evaluation->gap_rate;
    for (int k = 0; out->slip && k < tangents; k++)
        out->slip[contact * tangents + k] = evaluation->slip[k];
    if (out->friction) {
        out->friction[2 * contact] = mu_at(evaluation, false);
        out->friction[2 * contact + 1] = mu_at(evaluation, true);
    }
    if (out->numbers)
        out->numbers[contact] = (SpragFrictionNumbers){
            evaluation->friction_static, evaluation->friction_kinetic, evaluation->stribeck};
    for (int r = 0; out->bias && r < evaluation->row_count; r++)
        out->bias[row + r] = evaluation->bias[r];
    for (int r = 0; out->b && r < evaluation->row_count; r++)
        out->b[row + r] = evaluation->bias[r];
    for (int r = 0; out->drift && r < evaluation->row_count; r++)
        out->drift[row + r] = contact_drift(evaluation, r);
}

static SpragStatus sample_contacts(Sampling *s, double t, const double *q, const double *v,
                                   const int *contacts)
{
    SpragSystem *system = s->system;
    Evaluation *evaluations = system->evaluations;
    int row = 0;
    for (int i = 0; i < s->count; i++) {
        SPRAG_TRY(contact_evaluate(system, t, q, v, contacts[i], &evaluations[i]));
        copy_contact(system, &evaluations[i], i, row, s->out);
        if (s->out->held)
            s->out->held[i] = sprag_system_contact_held(system, contacts[i]);
        for (int r = 0; s->J && r < evaluations[i].row_count; r++)
            contact_row(system, &evaluations[i], r,
                        s->J + (size_t)(row + r) * (size_t)system->velocity_count);
        row += contact_rows(system, contacts[i]);
    }
    s->contacts = evaluations;
    return SPRAG_OK;
}

// ---- Rows of a model ----------------------------------------------------------------------------

// Rows of a contact and entries of a body. The functions below are inlined with constants, so that
// the plane pays nothing for space.
typedef struct Sizes {
    int rows, body;
} Sizes;

// Rows of a contact times M⁻¹: row, side, entry.
typedef double Weighted[CONTACT_ROWS][SPRAG_ROW_BLOCKS][SPACE_VELOCITIES];

static inline void weigh_rows(const SpragSystem *system, const Evaluation *contact, Sizes sizes,
                              Weighted weighted)
{
    for (int side = 0; side < SPRAG_ROW_BLOCKS; side++) {
        if (contact->block[side] < 0)
            continue;
        const double *inverse = system->inverse_mass + sizes.body * contact->block[side];
        for (int r = 0; r < sizes.rows; r++) {
            if (sizes.body == SPACE_VELOCITIES)
                space_apply_block(system, contact->block[side], contact->entries[r][side],
                                  weighted[r][side]);
            for (int k = 0; sizes.body == BODY_SIZE && k < BODY_SIZE; k++)
                weighted[r][side][k] = inverse[k] * contact->entries[r][side][k];
        }
    }
}

static inline double dot_block(const double *a, const double *b, int count)
{
    double sum = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    for (int k = 3; k < count; k++)
        sum += a[k] * b[k];
    return sum;
}

// The block of W between contact i (its rows weighted) and contact j.
static inline void fill_delassus(const Sampling *s, int i, Sizes sizes, Weighted weighted, int j)
{
    const Evaluation *x = &s->contacts[i], *y = &s->contacts[j];
    double block[CONTACT_ROWS][CONTACT_ROWS] = {{0}};
    for (int a = 0; a < SPRAG_ROW_BLOCKS; a++)
        for (int b = 0; b < SPRAG_ROW_BLOCKS; b++) {
            if (x->block[a] < 0 || x->block[a] != y->block[b])
                continue;
            for (int r = 0; r < sizes.rows; r++)
                for (int c = 0; c < sizes.rows; c++)
                    block[r][c] += dot_block(weighted[r][a], y->entries[c][b], sizes.body);
        }
    for (int r = 0; r < sizes.rows; r++)
        for (int c = 0; c < sizes.rows; c++) {
            int row = sizes.rows * i + r, column = sizes.rows * j + c;
            s->out->W[row * s->rows + column] = s->out->W[column * s->rows + row] = block[r][c];
        }
}

static inline void fill_response(const Sampling *s, int i, Sizes sizes, Weighted weighted)
{
    const int *block = s->contacts[i].block;
    size_t n = (size_t)s->system->velocity_count;
    double *row = s->out->response + (size_t)(sizes.rows * i) * n;
    for (int r = 0; r < sizes.rows; r++, row += n) {
        memset(row, 0, n * sizeof *row);
        for (int side = 0; side < SPRAG_ROW_BLOCKS; side++)
            for (int k = 0; block[side] >= 0 && k < sizes.body; k++)
                row[sizes.body * block[side] + k] = weighted[r][side][k];
    }
}

static inline void add_free_motion(const Sampling *s, int i, Sizes sizes)
{
    const Evaluation *contact = &s->contacts[i];
    double *b = s->out->b + sizes.rows * i;
    for (int side = 0; side < SPRAG_ROW_BLOCKS; side++)
        for (int r = 0; contact->block[side] >= 0 && r < sizes.rows; r++)
            b[r] += dot_block(contact->entries[r][side],
                              s->free + sizes.body * contact->block[side], sizes.body);
}

static inline void sample_rows(const Sampling *s, Sizes sizes)
{
    const SpragSystemSample *out = s->out;
    size_t n = (size_t)s->system->velocity_count;
    for (int i = 0; i < s->count; i++) {
        Weighted weighted;
        for (int r = 0; out->J && r < sizes.rows; r++)
            contact_row(s->system, &s->contacts[i], r, out->J + (size_t)(sizes.rows * i + r) * n);
        weigh_rows(s->system, &s->contacts[i], sizes, weighted);
        for (int j = i; out->W && j < s->count; j++)
            fill_delassus(s, i, sizes, weighted, j);
        if (out->response)
            fill_response(s, i, sizes, weighted);
        if (out->b)
            add_free_motion(s, i, sizes);
    }
}

static void sample_model_rows(const Sampling *s)
{
    const Sizes plane = {2, BODY_SIZE}, space = {CONTACT_ROWS, SPACE_VELOCITIES};
    if (is_spatial(s->system))
        sample_rows(s, space);
    else
        sample_rows(s, plane);
}

// ---- Dense rows ---------------------------------------------------------------------------------

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void sample_dense_rows(const Sampling *s)
{
    const SpragSystemSample *out = s->out;
    size_t n = (size_t)s->system->velocity_count;
    for (int c = 0; c < s->rows && (out->W || out->response); c++) {
        double *column = out->response ? out->response + (size_t)c * n : s->column;
        system_apply_inertia(s->system, s->J + (size_t)c * n, column);
        for (int r = c; out->W && r < s->rows; r++)
            out->W[r * s->rows + c] = out->W[c * s->rows + r] =
                dot(n, s->J + (size_t)r * n, column);
    }
    for (int r = 0; out->b && r < s->rows; r++)
        out->b[r] += dot(n, s->J + (size_t)r * n, s->free);
    // normals of soft bearings have coordinates of their own
    for (int i = 0, row = 0; out->W && i < s->count; row += s->contacts[i++].row_count)
        for (int k = 0; k < s->contacts[i].pressed; k++)
            out->W[(row + k) * s->rows + row + k] = s->contacts[i].weight[k];
}

// Drives of joints: the power that they have in free motion, and, of each row, what they have more
// for a unit of its force: J z with z the velocity that drives ask for, theory.md (1.10).
static void sample_drives(const Sampling *s, double free_power)
{
    size_t n = (size_t)s->system->velocity_count;
    if (s->out->power)
        s->out->power->load += free_power;
    if (!s->out->drift || !joints_drift(s->system, s->column))
        return;
    for (int r = 0; r < s->rows; r++)
        s->out->drift[r] -= dot(n, s->J + (size_t)r * n, s->column);
}

// ---- The sample ---------------------------------------------------------------------------------

// Gaps of a model's contacts alone need no rows.
static bool wants_only_gaps(const SpragSystem *system, const SpragSystemSample *out)
{
    return system->model && out->gap && !out->gap_rate && !out->slip && !out->J && !out->bias &&
           !out->W && !out->b && !out->free_acceleration && !out->friction && !out->numbers &&
           !out->response && !out->drift && !out->held && !out->power;
}

static double model_gap(SpragSystem *system, int contact)
{
    int slot = contact - system->joint_contacts;
    if (slot < 0)
        return joint_contact_gap(system, contact);
    if (is_spatial(system))
        return sprag_collider_space_distance(system->collider, slot, system->poses,
                                             space_grip(system, slot));
    if (!system->holds[slot].kind)
        return sprag_collider_distance(system->collider, slot, system->frames);
    SpragGap gap;
    sprag_collider_held_gap(system->collider, slot, &system->holds[slot], system->frames, &gap);
    return gap.gap;
}

SpragStatus sprag_system_shape_distance(SpragSystem *system, double t, const double *q, int contact,
                                        double *distance)
{
    int slot = contact - system->joint_contacts;
    *distance = INFINITY;
    if (!system->model || !is_spatial(system) || slot < 0)
        return SPRAG_OK;
    SPRAG_TRY(system_set_state(system, t, q, NULL));
    *distance = sprag_collider_shape_distance(system->collider, slot, system->poses);
    return SPRAG_OK;
}

static SpragStatus reserve(Sampling *s, bool dense)
{
    SpragSystem *system = s->system;
    size_t n = (size_t)system->velocity_count, rows = (size_t)s->rows;
    SPRAG_TRY(sprag_reserve(system->context, &system->evaluations, &system->evaluation_capacity,
                            (size_t)s->count, sizeof *system->evaluations));
    double *work = system_work(system, 3 * n + (dense ? rows * n : 0));
    if (!work)
        return SPRAG_ERROR_MEMORY;
    s->force = work;
    s->free = work + n;
    s->column = work + 2 * n;
    if (dense)
        s->J = s->out->J ? s->out->J : work + 3 * n;
    return SPRAG_OK;
}

SpragStatus sprag_system_sample(SpragSystem *system, double t, const double *q, const double *v,
                                int count, const int *contacts, const SpragSystemSample *sample)
{
    bool needs_inertia = sample->W || sample->response;
    bool needs_rows = sample->J || sample->b || needs_inertia;
    bool needs_force = sample->b || sample->free_acceleration;
    if (system->model || needs_inertia || needs_force)
        SPRAG_TRY(system_set_state(system, t, q, v));
    if (wants_only_gaps(system, sample)) {
        for (int i = 0; i < count; i++)
            sample->gap[i] = model_gap(system, contacts[i]);
        return SPRAG_OK;
    }
    Sampling s = {.system = system, .out = sample, .count = count};
    s.rows = sprag_system_row_count(system, count, contacts);
    // joints couple bodies, so that rows with inertia are dense
    bool dense = !system->model || system->joints;
    bool drives = system->joints && (sample->drift || sample->power);
    needs_force |= drives && sample->power;
    SPRAG_TRY(reserve(&s, (needs_rows || drives) && dense));
    SPRAG_TRY(sample_contacts(&s, t, q, v, contacts));
    double power_of_drives = 0;
    if (needs_force)
        SPRAG_TRY(system_free_motion(system, t, q, v, s.force, s.free));
    // before the multipliers of the free motion are overwritten
    if (drives && sample->power)
        power_of_drives = joints_drive_power(system);
    if (needs_rows && !dense)
        sample_model_rows(&s);
    else if (needs_rows)
        sample_dense_rows(&s);
    if (sample->free_acceleration)
        memcpy(sample->free_acceleration, s.free, (size_t)system->velocity_count * sizeof *s.free);
    if (sample->power) {
        memset(sample->power, 0, sizeof *sample->power);
        if (system->model)
            model_power(system, sample->power);
    }
    if (drives)
        sample_drives(&s, power_of_drives);
    return SPRAG_OK;
}
