// motion_respond.c: forces and accelerations at a state with the contact modes frozen.
// Problem   rows of the mode at zero acceleration: D x = −b with D of theory.md (6.2); then
//           q'' = M⁻¹ (u − h) + M⁻¹ Jᵀ λ
// Method    LU of the independent rows that motion_modes.c has chosen; bearings that press in
//           several directions by Newton's method on these
#include <float.h>
#include <math.h>
#include <string.h>

#include "motion_private.h"
#include "sprag/numeric.h"

// D with a pivot below this part of its largest entry is singular: the mode has no forces.
static const double SINGULAR = 1e-14;

// Newton's steps on the directions in which bearings press.
enum { MOST_TURNS = 60 };

// ---- Friction of what slides --------------------------------------------------------------------

// λT per unit of λN in slip: μ_s of theory.md (0.4).
double modes_kinetic(const SpragRun *run, int contact)
{
    if (run->law[run->frozen.active[contact]].kind != SPRAG_FRICTION_KARNOPP)
        return run->now.friction[2 * contact + 1];
    // its band only says when a slip ends
    double slip = fmax(modes_slip_size(run, run->now.slip + run->slip_stride * contact), DBL_MIN);
    return sprag_friction_coefficient(&run->now.numbers[contact], slip);
}

double modes_slide_ratio(const SpragRun *run, int contact, int k)
{
    const Frozen *f = &run->frozen;
    if (sprag_friction_law_is_smooth(&run->law[f->active[contact]]))
        return run->now.ratio[run->tangents * contact + k];
    if (!f->sliding[contact] || !modes_have_friction(run, contact))
        return 0;
    double d = !modes_has_direction(f, contact) ? f->sign[contact]
                                                : run->now.direction[WAYS * contact + k];
    return -d * modes_kinetic(run, contact);
}

double modes_friction_ratio(const SpragRun *run, int contact, int normal, int k)
{
    const double *aim = run->now.aim + WAYS * (size_t)contact;
    double ratio = modes_slide_ratio(run, contact, k);
    return run->frozen.bearing[contact] ? ratio * aim[normal] : ratio;
}

// The contacts whose friction follows the force of an unknown: its own, and that which shares its
// second normal. Returns their number.
static int followers(const Frozen *f, const Unknown *unknown, int contacts[2])
{
    int count = 0;
    if (unknown->tangential)
        return 0;
    contacts[count++] = unknown->contact;
    if (unknown->normal == 1 && f->sharer[unknown->contact] >= 0)
        contacts[count++] = f->sharer[unknown->contact];
    return count;
}

// Rows of friction that follow an unknown, and how much of it each is; how many are not 0.
typedef struct Follower {
    int row;
    double ratio;
} Follower;

static int find_friction(const SpragRun *run, const Unknown *unknown, Follower list[2 * WAYS])
{
    const Frozen *f = &run->frozen;
    int contacts[2], count = followers(f, unknown, contacts), found = 0;
    for (int i = 0; i < count; i++) {
        int c = contacts[i], tangent = f->first[c] + f->normals[c];
        for (int k = 0; k < f->rows[c] - f->normals[c]; k++) {
            double ratio = modes_friction_ratio(run, c, unknown->normal, k);
            if (ratio != 0)
                list[found++] = (Follower){tangent + k, ratio};
        }
    }
    return found;
}

// The normal of the one that shares it is its second, too.
double modes_entry(const SpragRun *run, const double *w, const Unknown *unknown)
{
    Follower list[2 * WAYS];
    double entry = w[unknown->row];
    int count = find_friction(run, unknown, list);
    for (int i = 0; i < count; i++)
        entry += list[i].ratio * w[list[i].row];
    return entry;
}

void modes_add_friction(const SpragRun *run, const Unknown *unknown, double x, double *force)
{
    Follower list[2 * WAYS];
    int count = find_friction(run, unknown, list);
    for (int i = 0; i < count; i++)
        force[list[i].row] += list[i].ratio * x;
}

double modes_pressure(const SpragRun *run, int contact, const double *force)
{
    const Frozen *f = &run->frozen;
    int rows[WAYS], count;
    if (!f->bearing[contact])
        return force[f->first[contact]];
    count = modes_press(f, contact, rows);
    double pressure = 0;
    for (int k = 0; k < count; k++)
        pressure = hypot(pressure, force[rows[k]]);
    return pressure;
}

// ---- Equations ----------------------------------------------------------------------------------

// What the layers' forces add to b of the rows that are solved for.
static void load_rows(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    Evaluation *e = &run->now;
    // what is solved for is no load, in a soft contact either
    for (int k = 0; k < f->unknown_count; k++)
        e->force[f->unknowns[k].row] = 0;
    for (int k = 0; k < f->unknown_count; k++) {
        int r = f->unknowns[k].row;
        const double *w = e->W + r * f->row_count;
        e->load[r] = 0;
        for (int i = 0; i < f->active_count; i++)
            for (int c = f->first[i]; f->soft[i] && c < f->first[i] + f->rows[i]; c++)
                e->load[r] += w[c] * e->force[c];
    }
}

void respond_matrix(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    Evaluation *e = &run->now;
    int k = f->solved_count, rows = f->row_count;
    for (int i = 0; i < k; i++) {
        const double *w = e->W + f->unknowns[f->solved[i]].row * rows;
        for (int j = 0; j < k; j++)
            e->D[i * k + j] = modes_entry(run, w, &f->unknowns[f->solved[j]]);
    }
}

static void build_equations(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    Evaluation *e = &run->now;
    respond_matrix(run);
    for (int i = 0; i < f->solved_count; i++) {
        int r = f->unknowns[f->solved[i]].row;
        e->right[i] = -(e->b[r] + e->load[r]);
    }
}

// Rows and columns in units of their own W.
static void scale_equations(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    Evaluation *e = &run->now;
    int k = f->solved_count;
    for (int i = 0; i < k; i++) {
        int r = f->unknowns[f->solved[i]].row;
        e->scale[i] = 1 / sqrt(e->W[r * f->row_count + r]);
    }
    for (int i = 0; i < k; i++) {
        e->right[i] *= e->scale[i];
        for (int j = 0; j < k; j++)
            e->D[i * k + j] *= e->scale[i] * e->scale[j];
    }
}

// Factors D; false: it is singular.
static bool factor_equations(SpragRun *run, int *sign)
{
    Evaluation *e = &run->now;
    int k = run->frozen.solved_count;
    double largest = 0;
    for (int i = 0; i < k * k; i++)
        largest = fmax(largest, fabs(e->D[i]));
    return sprag_lu_factor(k, e->D, SINGULAR * largest, e->permutation, e->permutation + k, sign) ==
           k;
}

// Solves D x = right; the determinant is relative to the product of the diagonal of J M⁻¹ Jᵀ. A
// contact that a hinge hardly lets move has entries that are small beside those of its neighbours,
// and is independent of them all the same: what looks singular is looked at in its own units.
bool respond_solve(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    Evaluation *e = &run->now;
    int k = f->solved_count, sign = 1;
    bool scaled = false;
    e->determinant = 1;
    if (k == 1) {
        int r = f->unknowns[f->solved[0]].row;
        e->determinant = e->D[0] / e->W[r * f->row_count + r];
        e->x[0] = e->right[0] / e->D[0];
        return e->D[0] != 0;
    }
    if (!factor_equations(run, &sign)) {
        scaled = true;
        respond_matrix(run);
        scale_equations(run);
        if (!factor_equations(run, &sign)) {
            e->determinant = 0;
            return k == 0;
        }
    }
    sprag_lu_solve(k, e->D, e->permutation, e->permutation + k, e->right, e->x);
    for (int i = 0; i < k; i++) {
        int r = f->unknowns[f->solved[i]].row;
        double unit = scaled ? 1 : e->W[r * f->row_count + r];
        e->x[i] *= scaled ? e->scale[i] : 1;
        e->determinant *= fabs(e->D[i * k + i]) / unit;
    }
    e->determinant = sign * e->determinant;
    return true;
}

// Forces that hold a body balance to some roundings of the largest of them: what is left of its
// acceleration would set it in motion, in 100 s by more than its position is known to.
static void drop_rounding(SpragRun *run)
{
    const double roundings = 64 * DBL_EPSILON;
    const Evaluation *e = &run->now;
    double largest = 0;
    for (int r = 0; r < run->frozen.row_count; r++)
        largest = fmax(largest, fabs(e->force[r]));
    for (int j = 0; j < run->n && largest > 0; j++) {
        double size = fabs(e->free_acceleration[j]);
        for (int r = 0; r < run->frozen.row_count; r++)
            size += largest * fabs(e->response[r * run->n + j]);
        if (fabs(e->acceleration[j]) <= roundings * size)
            e->acceleration[j] = 0;
    }
}

static void spread_forces(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    Evaluation *e = &run->now;
    int n = run->n;
    for (int i = 0; i < f->active_count; i++)
        for (int r = 0; r < f->rows[i] && !f->soft[i]; r++)
            e->force[f->first[i] + r] = 0;
    for (int i = 0; i < (f->least ? f->unknown_count : f->solved_count); i++) {
        const Unknown *u = &f->unknowns[f->least ? i : f->solved[i]];
        e->force[u->row] = e->x[i];
        modes_add_friction(run, u, e->x[i], e->force);
    }
    memcpy(e->acceleration, e->free_acceleration, (size_t)n * sizeof(double));
    for (int r = 0; r < f->row_count; r++)
        for (int j = 0; j < n && e->force[r] != 0; j++)
            e->acceleration[j] += e->force[r] * e->response[r * n + j];
    if (run->tangents == 2 || speeds_are_none(run, e->y + run->m))
        drop_rounding(run);
}

// ---- The response -------------------------------------------------------------------------------

// Bearings with several normals that slide rub with μ |λN|, of which aim·λN is the linear part
// where aim is the direction of λN: to turn the aims and to solve again is Newton's method. Returns
// by how much they have turned; what is rounding of other forces has no direction.
static double turn_aims(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    Evaluation *e = &run->now;
    const double rounding = 1e-12;
    double most = 0, largest = run->force_scale;
    int count = f->least ? f->unknown_count : f->solved_count;
    for (int k = 0; k < count; k++) {
        e->force[f->unknowns[f->least ? k : f->solved[k]].row] = e->x[k];
        largest = fmax(largest, fabs(e->x[k]));
    }
    for (int i = 0; i < f->active_count; i++) {
        double *aim = e->aim + WAYS * i;
        int rows[WAYS], count_of = f->bearing[i] ? modes_press(f, i, rows) : 0;
        if (count_of < 2 || !f->sliding[i])
            continue;
        double size = modes_pressure(run, i, e->force), turn[WAYS] = {0};
        for (int k = 0; k < count_of && size > 0; k++) {
            turn[k] = e->force[rows[k]] / size - aim[k];
            aim[k] = e->force[rows[k]] / size;
        }
        if (size > rounding * largest)
            most = fmax(most, sprag_length(count_of, turn));
    }
    return most;
}

SpragStatus modes_respond(SpragRun *run)
{
    // what is left of a turn δ is a relative error δ²/2 of friction
    const double turned = 1e-9;
    double turn = INFINITY;
    if (run->frozen.unknown_count == 0 && run->frozen.soft_count == run->frozen.active_count) {
        // all forces are those of layers: nothing is solved for
        run->frozen.least = false;
        run->now.determinant = 1;
        spread_forces(run);
        return SPRAG_OK;
    }
    bool least = share_rubs_bearings(run);
    run->frozen.least = least;
    load_rows(run);
    for (int k = 0; k < MOST_TURNS && turn > turned; k++) {
        if (least) {
            SPRAG_TRY(share_least(run));
            turn = turn_aims(run);
            continue;
        }
        build_equations(run);
        if (!respond_solve(run))
            return sprag_fail(run->context, SPRAG_ERROR_NUMERIC,
                              "the equations of the contact mode are singular at t = %.9g",
                              run->now.t);
        turn = run->frozen.round_count > 0 ? turn_aims(run) : 0;
    }
    if (turn > turned)
        return sprag_fail(run->context, SPRAG_ERROR_NUMERIC,
                          "the friction of the joints does not converge at t = %.9g", run->now.t);
    if (!least && share_turns_slips(run))
        SPRAG_TRY(share_pressed(run));
    spread_forces(run);
    bool open = least || run->frozen.dependent || bearing_any_soft(run);
    return open ? SPRAG_OK : refine_accelerations(run);
}
