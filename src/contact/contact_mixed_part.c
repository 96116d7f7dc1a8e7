// contact_mixed_part.c: an island with bearings as one without, and back.
// Problem   the search in space knows no bearings: what every choice of theirs leaves is a
//           problem of contacts and bilateral rows, whose motions are then those of the island
// Method    rows of bearings become bilateral ones, the friction of those that slide a load μ s,
//           theory.md (9.31); one at rest with two tangents becomes a contact whose normal has a
//           coordinate of its own and the force s, as in (9.38). Back: accelerations of all rows
//           by W from all forces, modes and directions of bearings by them; what is not as it was
//           chosen, or as the settings ask, is no motion
// Note      of bearings with three tangents that stick together rigid bodies may not tell who
//           holds: the forces then have more dimensions, and the ranges of the cones
#include <float.h>
#include <math.h>
#include <string.h>

#include "contact_mixed.h"
#include "sprag/numeric.h"

// Motions nearer than this (relative) are one.
static const double SAME_MOTION = 1e-8;

// ---- The island without bearings ----------------------------------------------------------------

static SpragStatus add_part(Mixed *mixed, int i)
{
    const SpragConstraint *item = mixed_item(mixed, i);
    SpragContactProblem *part = &mixed->part;
    SpragConstraint *added;
    mixed->first[i] = part->constraint_count;
    if (item->kind != SPRAG_CONSTRAINT_BEARING) {
        SPRAG_TRY(sprag_contact_problem_add(part, item->kind, &added));
        int row = added->row;
        *added = *item;
        added->row = row;
        for (int k = 0; k < item->row_count; k++)
            mixed->from[row + k] = item->row + k;
        return SPRAG_OK;
    }
    int normals = sprag_constraint_normals(item);
    int rows = normals + (mixed_rubs(item) && mixed->choice[i] == 0 ? item->tangents : 0);
    for (int k = 0; k < rows; k++) {
        SPRAG_TRY(sprag_contact_problem_add(part, SPRAG_CONSTRAINT_BILATERAL, &added));
        added->stiffness[0] = item->stiffness[k];
        mixed->from[added->row] = item->row + k;
    }
    if (!mixed_is_disc(mixed, i))
        return SPRAG_OK;
    SPRAG_TRY(sprag_contact_problem_add(part, SPRAG_CONSTRAINT_CONTACT, &added));
    added->friction = item->friction;
    mixed->from[added->row] = -1;
    for (int k = 0; k < 2; k++)
        mixed->from[added->row + 1 + k] = item->row + normals + k;
    return SPRAG_OK;
}

static double part_entry(const Mixed *mixed, int r, int s)
{
    const SpragContactProblem *whole = mixed->problem;
    int from = mixed->from[r], to = mixed->from[s];
    if (from >= 0 && to >= 0)
        return whole->W[from * whole->row_count + to];
    // a size for the coordinate of its own: that of the tangent behind it
    int tangent = mixed->from[r + 1];
    return r == s ? whole->W[tangent * (whole->row_count + 1)] : 0;
}

SpragStatus mixed_build_part(Mixed *mixed)
{
    SpragContactProblem *part = &mixed->part;
    sprag_contact_problem_clear(part, 3);
    for (int i = 0; i < mixed->island->member_count; i++)
        SPRAG_TRY(add_part(mixed, i));
    SPRAG_TRY(sprag_contact_problem_reserve_dense(part));
    for (int r = 0; r < part->row_count; r++)
        for (int s = 0; s < part->row_count; s++)
            part->W[r * part->row_count + s] = part_entry(mixed, r, s);
    return SPRAG_OK;
}

// ---- Motions ------------------------------------------------------------------------------------

static void accelerate(const Mixed *mixed, const SpragMotion *motion)
{
    const SpragContactProblem *p = mixed->problem;
    int local = 0;
    for (int i = 0; i < mixed->island->member_count; i++) {
        const SpragConstraint *item = mixed_item(mixed, i);
        for (int k = 0; k < item->row_count; k++, local++) {
            const double *w = p->W + (size_t)(item->row + k) * (size_t)p->row_count;
            motion->acceleration[local] = p->b[item->row + k];
            for (int j = 0; j < p->row_count; j++)
                motion->acceleration[local] += w[j] * mixed->force[j];
        }
    }
}

// Forces, their intervals and modes of the island from those of the part.
static void gather(Mixed *mixed, const SpragMotion *source, SpragMotion *motion)
{
    int local = 0;
    for (int i = 0; i < mixed->island->member_count; i++) {
        const SpragConstraint *item = mixed_item(mixed, i);
        int first = mixed->first[i], row = mixed->part.constraints[first].row;
        bool bearing = item->kind == SPRAG_CONSTRAINT_BEARING, disc = mixed_is_disc(mixed, i);
        int normals = sprag_constraint_normals(item);
        int given =
            bearing && (!mixed_rubs(item) || mixed->choice[i] != 0) ? normals : item->row_count;
        motion->active[i] = source->active[first];
        motion->modes[i] = bearing ? SPRAG_MODE_STICK : source->modes[first];
        for (int k = 0; k < WAYS; k++)
            motion->direction[WAYS * i + k] = bearing ? 0 : source->direction[WAYS * first + k];
        for (int k = 0; k < item->row_count; k++, local++) {
            // behind the normals of a disc is the row of its pressure
            int at = row + k + (disc && k >= normals);
            bool found = k < given || disc;
            double friction = found ? 0 : mixed_friction(mixed, i, k - normals);
            motion->force[local] = found ? source->force[at] : friction;
            motion->force_low[local] = found ? source->force_low[at] : friction;
            motion->force_high[local] = found ? source->force_high[at] : friction;
            mixed->force[item->row + k] = motion->force[local];
            if (bearing && k < normals)
                motion->active[i] |=
                    source->force_low[row + k] != 0 || source->force_high[row + k] != 0;
        }
    }
}

// What the accelerations along the tangents of a bearing are sums of.
static double size_of_slip(const Mixed *mixed, const SpragConstraint *item)
{
    const SpragContactProblem *p = mixed->problem;
    double most = 0;
    for (int r = item->row + sprag_constraint_normals(item); r < item->row + item->row_count; r++) {
        double sum = fabs(p->b[r]);
        for (int j = 0; j < p->row_count; j++)
            sum += fabs(p->W[r * p->row_count + j] * mixed->force[j]);
        most = fmax(most, sum);
    }
    return most;
}

// Mode and direction of a bearing with several tangents: of its slip, or of the acceleration;
// false: it sticks by choice, and not inside of its cone, or it is not what the settings ask for.
static bool head(const Mixed *mixed, int i, const double *a, SpragMotion *motion)
{
    const SpragConstraint *item = mixed_item(mixed, i);
    double zero = 100 * mixed->settings->tolerance * size_of_slip(mixed, item);
    const SpragMode *asked = mixed->settings->modes;
    const double *way = item->sliding ? item->slip : a;
    const double *friction = mixed->force + item->row + sprag_constraint_normals(item);
    double size = sprag_length(item->tangents, way);
    if (item->sliding || size > zero) {
        motion->modes[i] = SPRAG_MODE_SLIDE;
        for (int k = 0; k < item->tangents; k++)
            motion->direction[WAYS * i + k] = way[k] / size;
    }
    double bound = item->friction * sprag_constraint_pressure(item, mixed->force);
    double holds = sprag_length(item->tangents, friction);
    if (mixed_rubs(item) && mixed->choice[i] == 0 && holds > bound + 1e-9 * (bound + holds))
        return false;
    return !asked || asked[mixed->island->member[i]] == motion->modes[i];
}

// The same of a bearing with one tangent.
static bool face(const Mixed *mixed, int i, double friction, double a, SpragMotion *motion)
{
    const SpragConstraint *item = mixed_item(mixed, i);
    const SpragMode *asked = mixed->settings->modes;
    double zero = 100 * mixed->settings->tolerance * size_of_slip(mixed, item);
    double bound = item->friction * sprag_constraint_pressure(item, mixed->force);
    int way = a > zero ? 1 : a < -zero ? -1 : 0, k = mixed->choice[i];
    if (item->sliding)
        k = item->slip[0] > 0 ? 1 : -1;
    else if (!mixed_rubs(item) || k == FREE)
        k = way;
    if (mixed_rubs(item) && !item->sliding && k != way)
        return false;
    if (mixed_rubs(item) && k == 0 && fabs(friction) > bound + 1e-9 * (bound + fabs(friction)))
        return false;
    motion->modes[i] = k > 0   ? SPRAG_MODE_SLIDE_PLUS
                       : k < 0 ? SPRAG_MODE_SLIDE_MINUS
                               : SPRAG_MODE_STICK;
    motion->direction[WAYS * i] = k;
    return !asked || !mixed_rubs(item) || asked[mixed->island->member[i]] == motion->modes[i];
}

// Modes of bearings by the accelerations; false: they, or frictions, are not those of the choice.
static bool agrees(const Mixed *mixed, SpragMotion *motion)
{
    int local = 0;
    for (int i = 0; i < mixed->island->member_count; i++) {
        const SpragConstraint *item = mixed_item(mixed, i);
        int tangent = local + sprag_constraint_normals(item);
        const double *a = motion->acceleration + tangent;
        local += item->row_count;
        if (item->kind == SPRAG_CONSTRAINT_BEARING &&
            !(item->tangents > 1 ? head(mixed, i, a, motion)
                                 : face(mixed, i, motion->force[tangent], *a, motion)))
            return false;
    }
    return true;
}

// Of bearings that stick together rigid bodies may not tell who holds: then each has some friction
// of its cone. Adds to the dimension of the forces, and widens their ranges to the cones.
static SpragStatus leave_open(const Mixed *mixed, SpragMotion *motion)
{
    const SpragContactProblem *p = mixed->problem;
    size_t most = (size_t)p->row_count + 1;
    int *row = sprag_arena_alloc(mixed->arena, most, sizeof *row), n = 0, held = 0, local = 0;
    double *W = sprag_arena_alloc(mixed->arena, 2 * most * most, sizeof *W);
    if (!row || !W)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < mixed->island->member_count; i++) {
        const SpragConstraint *item = mixed_item(mixed, i);
        bool sticks = mixed_is_ball(mixed, i) && motion->modes[i] == SPRAG_MODE_STICK;
        for (int k = 0; item->kind == SPRAG_CONSTRAINT_BEARING && k < item->row_count; k++)
            if (k < sprag_constraint_normals(item) || sticks)
                row[n++] = item->row + k;
        held += sticks;
    }
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++)
            W[r * n + c] = p->W[row[r] * p->row_count + row[c]] /
                           sqrt(fmax(p->W[row[r] * (p->row_count + 1)], DBL_MIN) *
                                fmax(p->W[row[c] * (p->row_count + 1)], DBL_MIN));
    int rank = held > 0 ? sprag_cholesky_semidefinite(n, W, 1e-10, W + most * most) : n;
    if (rank < 0 || rank == n)
        return SPRAG_OK;
    motion->force_dimension += n - rank;
    for (int i = 0; i < mixed->island->member_count; local += mixed_item(mixed, i++)->row_count) {
        const SpragConstraint *item = mixed_item(mixed, i);
        double bound = item->friction * sprag_constraint_pressure(item, mixed->force);
        bool sticks = mixed_is_ball(mixed, i) && motion->modes[i] == SPRAG_MODE_STICK;
        for (int k = sprag_constraint_normals(item); sticks && k < item->row_count; k++) {
            motion->force_low[local + k] = -bound;
            motion->force_high[local + k] = bound;
        }
    }
    return SPRAG_OK;
}

SpragStatus mixed_keep(Mixed *mixed, const SpragMotion *source)
{
    Island *island = mixed->island;
    const SpragContactProblem *p = mixed->problem;
    int rows = 0;
    double size = 0;
    SpragMotion motion;
    for (int i = 0; i < island->member_count; i++)
        rows += mixed_item(mixed, i)->row_count;
    SPRAG_TRY(allocate_motion(mixed->arena, rows, island->member_count, &motion));
    memset(mixed->force, 0, (size_t)p->row_count * sizeof *mixed->force);
    gather(mixed, source, &motion);
    accelerate(mixed, &motion);
    for (int r = 0; r < p->row_count; r++)
        size = fmax(size, fmax(fabs(p->b[r]), fabs(p->W[r * p->row_count + r] * mixed->force[r])));
    if (!agrees(mixed, &motion))
        return SPRAG_OK;
    motion.dimension = source->dimension;
    motion.force_dimension = source->force_dimension;
    if (mixed->ball_count > 0)
        SPRAG_TRY(leave_open(mixed, &motion));
    for (int m = 0; m < island->motion_count; m++) {
        double difference = 0;
        for (int r = 0; r < rows; r++)
            difference =
                fmax(difference, fabs(motion.acceleration[r] - island->motions[m].acceleration[r]));
        if (difference <= SAME_MOTION * size)
            return SPRAG_OK;
    }
    SPRAG_TRY(grow_island(mixed->arena, island));
    island->motions[island->motion_count++] = motion;
    return SPRAG_OK;
}
