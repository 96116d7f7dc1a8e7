// contact_space_bearing.c: bearings beside contacts in space that may start to slip.
// Problem   directions of slip that starts are unknowns of the search in space, and frictions of
//           bearings, theory.md (9.31), of the planar one: here an island has both
// Method    every choice of stick, slide+ and slide− of the bearings at rest with one tangent.
//           Their rows become bilateral ones, the friction of those that slide a load μ s; one at
//           rest with two tangents becomes a contact whose normal has a coordinate of its own and
//           the force s, as in (9.38). The island is then one that
//           the search in space knows; s = |λN| in the modes of each of its motions by Broyden's
//           method, whose first step is a substitution, from the pressures of several
//           substitutions; where modes end on the way and one bearing slides, s is looked for
//           between pressures at which s − |λN| has either sign
// Result    complete is never claimed: a motion that no start leads to would be missed
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact_space.h"

enum { MOST_CHOICES = 2187, SUBSTITUTIONS = 100, MOST_STARTS = 4 };
// Where modes end: pressures that are looked at, by factors of two around those that were met, and
// halvings of what lies between two of them.
enum { PRESSURES_BELOW = 8, PRESSURES_ABOVE = 8, BISECTIONS = 52 };
// Pressures have converged; motions nearer than this (relative) are one.
static const double CONVERGED = 1e-12, SAME_MOTION = 1e-8;

// The choice of a bearing with two tangents at rest: the part finds what it does.
enum { FREE = 2 };

typedef struct Mixed {
    SpragArena *arena;
    const SpragContactProblem *problem;
    const SpragMotionSettings *settings;
    Island *island;
    SpragMotionSearch *search; // of the islands without bearings
    SpragContactProblem part;
    int *choice;      // per constraint of the island: 0 sticks, ±1 slides, FREE: a contact's part
    int *from;        // row of the problem, for each row of the part; −1: a coordinate of its own
    int *first;       // first constraint of the part, for each of the island
    double *pressure; // per constraint of the island
    double *force;    // row_count of the problem
    SpragMode *modes; // of the part
    // per constraint of the island: pressures of a motion less those it was found under, the same
    // one step ago, steps; and the matrix of the steps
    double *defect, *old, *step, *change, *along, *B;
    bool above, below; // signs of the defects of the motions last found
    long nodes, leaves;
} Mixed;

static const SpragConstraint *item_of(const Mixed *mixed, int i)
{
    return &mixed->problem->constraints[mixed->island->member[i]];
}

static bool rubs(const SpragConstraint *item)
{
    return item->kind == SPRAG_CONSTRAINT_BEARING && item->friction > 0;
}

// ---- The island without bearings ----------------------------------------------------------------

static SpragStatus add_part(Mixed *mixed, int i)
{
    const SpragConstraint *item = item_of(mixed, i);
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
    int rows = normals + (rubs(item) && mixed->choice[i] == 0);
    for (int k = 0; k < rows; k++) {
        SPRAG_TRY(sprag_contact_problem_add(part, SPRAG_CONSTRAINT_BILATERAL, &added));
        added->stiffness[0] = item->stiffness[k];
        mixed->from[added->row] = item->row + k;
    }
    if (!rubs(item) || mixed->choice[i] != FREE)
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

static SpragStatus build_part(Mixed *mixed)
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

// Friction of bearing i along tangent k, if it slides.
static double friction_of(const Mixed *mixed, int i, int k)
{
    const SpragConstraint *item = item_of(mixed, i);
    double size = item->friction * mixed->pressure[i];
    if (item->tangents == 1 || !item->sliding)
        return -mixed->choice[i] * size;
    return -size * item->slip[k] / hypot(item->slip[0], item->slip[1]);
}

static bool is_free(const Mixed *mixed, int i)
{
    return rubs(item_of(mixed, i)) && mixed->choice[i] == FREE;
}

// b of the part under the frictions of the bearings that slide.
static void load_part(Mixed *mixed)
{
    const SpragContactProblem *whole = mixed->problem;
    for (int r = 0; r < mixed->part.row_count; r++) {
        if (mixed->from[r] < 0)
            continue;
        double sum = whole->b[mixed->from[r]];
        for (int i = 0; i < mixed->island->member_count; i++) {
            const SpragConstraint *item = item_of(mixed, i);
            const double *w = whole->W + (size_t)mixed->from[r] * (size_t)whole->row_count;
            for (int k = 0; rubs(item) && abs(mixed->choice[i]) == 1 && k < item->tangents; k++)
                sum += w[item->row + sprag_constraint_normals(item) + k] * friction_of(mixed, i, k);
        }
        mixed->part.b[r] = sum;
    }
    for (int i = 0; i < mixed->island->member_count; i++) {
        if (!is_free(mixed, i))
            continue;
        int row = mixed->part.constraints[mixed->first[i]].row +
                  sprag_constraint_normals(item_of(mixed, i));
        mixed->part.b[row] = -mixed->part.W[row * (mixed->part.row_count + 1)] * mixed->pressure[i];
    }
}

// Bearings whose friction is a load.
static bool is_loaded(const Mixed *mixed, int i)
{
    return rubs(item_of(mixed, i)) && mixed->choice[i] != 0;
}

// The pressures of a motion less those that it was found under: mixed->defect; the largest of them,
// relative.
static double compare_pressures(const Mixed *mixed, const SpragMotion *motion)
{
    double largest = 0;
    for (int r = 0; r < mixed->part.row_count; r++)
        if (mixed->from[r] >= 0)
            mixed->force[mixed->from[r]] = motion->force[r];
    for (int i = 0; i < mixed->island->member_count; i++) {
        mixed->defect[i] = 0;
        if (!is_loaded(mixed, i))
            continue;
        double now = sprag_constraint_pressure(item_of(mixed, i), mixed->force);
        double size = fmax(now, mixed->pressure[i]);
        mixed->defect[i] = now - mixed->pressure[i];
        largest = fmax(largest, size > 0 ? fabs(mixed->defect[i]) / size : 0);
    }
    return largest;
}

// ---- Motions ------------------------------------------------------------------------------------

static void accelerate(const Mixed *mixed, const SpragMotion *motion)
{
    const SpragContactProblem *p = mixed->problem;
    int local = 0;
    for (int i = 0; i < mixed->island->member_count; i++) {
        const SpragConstraint *item = item_of(mixed, i);
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
        const SpragConstraint *item = item_of(mixed, i);
        int first = mixed->first[i], row = mixed->part.constraints[first].row;
        bool bearing = item->kind == SPRAG_CONSTRAINT_BEARING, free = is_free(mixed, i);
        int normals = sprag_constraint_normals(item);
        int given = bearing && (!rubs(item) || mixed->choice[i] != 0) ? normals : item->row_count;
        motion->active[i] = source->active[first];
        motion->modes[i] = bearing ? SPRAG_MODE_STICK : source->modes[first];
        for (int k = 0; k < 2; k++)
            motion->direction[2 * i + k] = bearing ? 0 : source->direction[2 * first + k];
        for (int k = 0; k < item->row_count; k++, local++) {
            // behind the normals of a free bearing is the row of its pressure
            int at = row + k + (free && k >= normals);
            double friction = k < given || free ? 0 : friction_of(mixed, i, k - normals);
            motion->force[local] = k < given || free ? source->force[at] : friction;
            motion->force_low[local] = k < given || free ? source->force_low[at] : friction;
            motion->force_high[local] = k < given || free ? source->force_high[at] : friction;
            mixed->force[item->row + k] = motion->force[local];
            if (bearing && k < normals)
                motion->active[i] |=
                    source->force_low[row + k] != 0 || source->force_high[row + k] != 0;
        }
    }
}

// Mode and direction of a bearing with two tangents: of its slip, or of the acceleration.
static void head(const Mixed *mixed, int i, const double *a, double zero, SpragMotion *motion)
{
    const SpragConstraint *item = item_of(mixed, i);
    const double *way = item->sliding ? item->slip : a;
    double size = hypot(way[0], way[1]);
    if (!item->sliding && size <= zero)
        return;
    motion->modes[i] = SPRAG_MODE_SLIDE;
    for (int k = 0; k < 2; k++)
        motion->direction[2 * i + k] = way[k] / size;
}

// Modes of bearings by the accelerations; false: they, or frictions, are not those of the choice.
static bool agrees(const Mixed *mixed, double size, SpragMotion *motion)
{
    double zero = mixed->settings->tolerance * 100 * size;
    int local = 0;
    for (int i = 0; i < mixed->island->member_count; i++) {
        const SpragConstraint *item = item_of(mixed, i);
        const double *force = motion->force + local;
        double a = motion->acceleration[local + item->row_count - 1];
        local += item->row_count;
        if (item->kind != SPRAG_CONSTRAINT_BEARING)
            continue;
        if (item->tangents == 2) {
            head(mixed, i, motion->acceleration + local - 2, zero, motion);
            if (mixed->settings->modes &&
                mixed->settings->modes[mixed->island->member[i]] != motion->modes[i])
                return false;
            continue;
        }
        double bound = item->friction * sprag_constraint_pressure(item, mixed->force);
        double friction = force[item->row_count - 1];
        int k = item->sliding ? (item->slip[0] > 0 ? 1 : -1) : mixed->choice[i];
        if (rubs(item) && k == 0 && fabs(friction) > bound + 1e-9 * (bound + fabs(friction)))
            return false;
        if (rubs(item) && k != 0 && !item->sliding && !(k * a > zero))
            return false;
        if (!rubs(item) && !item->sliding)
            k = a > zero ? 1 : a < -zero ? -1 : 0;
        motion->modes[i] = k > 0   ? SPRAG_MODE_SLIDE_PLUS
                           : k < 0 ? SPRAG_MODE_SLIDE_MINUS
                                   : SPRAG_MODE_STICK;
        motion->direction[2 * i] = k;
    }
    return true;
}

static SpragStatus keep(Mixed *mixed, const SpragMotion *source)
{
    Island *island = mixed->island;
    const SpragContactProblem *p = mixed->problem;
    int rows = 0;
    double size = 0;
    SpragMotion motion;
    for (int i = 0; i < island->member_count; i++)
        rows += item_of(mixed, i)->row_count;
    SPRAG_TRY(allocate_motion(mixed->arena, rows, island->member_count, &motion));
    memset(mixed->force, 0, (size_t)p->row_count * sizeof *mixed->force);
    gather(mixed, source, &motion);
    accelerate(mixed, &motion);
    for (int r = 0; r < p->row_count; r++)
        size = fmax(size, fmax(fabs(p->b[r]), fabs(p->W[r * p->row_count + r] * mixed->force[r])));
    if (!agrees(mixed, size, &motion))
        return SPRAG_OK;
    motion.dimension = source->dimension;
    motion.force_dimension = source->force_dimension;
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

// ---- Choices ------------------------------------------------------------------------------------

// Broyden's step in mixed->step from the defect at the pressures that the last step led to, whose
// defect before it is in mixed->old; mixed->B is the inverse of I − dg/ds, whose product with the
// defect is the step.
static void next_step(Mixed *mixed, bool first)
{
    int n = mixed->island->member_count;
    double *B = mixed->B, *step = mixed->step, *change = mixed->change, *along = mixed->along;
    double product = 0;
    for (int i = 0; i < n && !first; i++) {
        change[i] = along[i] = 0;
        for (int j = 0; j < n; j++) {
            change[i] += B[i * n + j] * (mixed->old[j] - mixed->defect[j]);
            along[i] += step[j] * B[j * n + i];
        }
        product += step[i] * change[i];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            B[i * n + j] = first ? (i == j)
                           : product != 0
                               ? B[i * n + j] + (step[i] - change[i]) / product * along[j]
                               : B[i * n + j];
    memcpy(mixed->old, mixed->defect, (size_t)n * sizeof *step);
    for (int i = 0; i < n; i++) {
        step[i] = 0;
        for (int j = 0; j < n; j++)
            step[i] += B[i * n + j] * mixed->defect[j];
        // pressures are not negative
        step[i] = is_loaded(mixed, i) ? fmax(step[i], -mixed->pressure[i]) : 0;
        mixed->pressure[i] += step[i];
    }
}

// Looks for pressures that agree in the modes of mixed->modes; *kept false: there are none, or the
// modes end.
static SpragStatus converge(Mixed *mixed, bool *kept)
{
    SpragMotionSettings settings = *mixed->settings;
    settings.modes = mixed->modes;
    settings.ranges = false;
    SpragMotionSet set;
    double change = INFINITY;
    *kept = false;
    for (int k = 0; k < SUBSTITUTIONS; k++) {
        load_part(mixed);
        SPRAG_TRY(sprag_motion_search_run(mixed->search, &mixed->part, &settings, &set));
        if (set.count == 0)
            return SPRAG_OK;
        change = compare_pressures(mixed, &set.motions[0]);
        if (change <= CONVERGED)
            break;
        next_step(mixed, k == 0);
    }
    if (!(change <= CONVERGED))
        return SPRAG_OK;
    settings.ranges = mixed->settings->ranges;
    load_part(mixed);
    SPRAG_TRY(sprag_motion_search_run(mixed->search, &mixed->part, &settings, &set));
    if (set.count == 0)
        return SPRAG_OK;
    *kept = true;
    return keep(mixed, &set.motions[0]);
}

// The modes of the motions at the present pressures, one after the other from the arena.
static SpragStatus find_modes(Mixed *mixed, SpragMode **modes, int *count)
{
    SpragMotionSettings settings = *mixed->settings;
    SpragMotionSet set;
    settings.modes = NULL;
    settings.ranges = false;
    load_part(mixed);
    SPRAG_TRY(sprag_motion_search_run(mixed->search, &mixed->part, &settings, &set));
    mixed->nodes += set.node_count;
    mixed->leaves += set.leaf_count;
    size_t n = (size_t)mixed->part.constraint_count;
    mixed->above = mixed->below = false;
    *count = set.count;
    *modes = sprag_arena_alloc(mixed->arena, (size_t)set.count * n + 1, sizeof **modes);
    if (!*modes)
        return SPRAG_ERROR_MEMORY;
    for (int m = 0; m < set.count; m++) {
        memcpy(*modes + (size_t)m * n, set.motions[m].modes, n * sizeof **modes);
        compare_pressures(mixed, &set.motions[m]);
        for (int i = 0; i < mixed->island->member_count; i++) {
            mixed->above |= mixed->defect[i] > 0;
            mixed->below |= mixed->defect[i] < 0;
        }
    }
    return SPRAG_OK;
}

// Looks for pressures that agree in the modes of each motion at the present ones; *all: each led to
// some; false where there is none.
static SpragStatus converge_all(Mixed *mixed, bool *all)
{
    size_t bytes = (size_t)mixed->island->member_count * sizeof *mixed->pressure;
    double *before = sprag_arena_alloc(mixed->arena, bytes + 1, 1);
    SpragMode *modes;
    int count;
    if (!before)
        return SPRAG_ERROR_MEMORY;
    memcpy(before, mixed->pressure, bytes);
    SPRAG_TRY(find_modes(mixed, &modes, &count));
    *all = count > 0;
    for (int m = 0; m < count; m++) {
        bool kept;
        memcpy(mixed->pressure, before, bytes);
        mixed->modes = modes + m * mixed->part.constraint_count;
        SPRAG_TRY(converge(mixed, &kept));
        *all &= kept; // else from the pressures at which its modes ended
    }
    return SPRAG_OK;
}

// Between two pressures of bearing i with motions whose own pressure is above it at the one and
// below it at the other: halvings, then the modes at what is left.
static SpragStatus bisect(Mixed *mixed, int i, double low, double high, bool above)
{
    double ends[2] = {low, high};
    SpragMode *modes;
    bool all;
    int count;
    SpragArenaMark mark = sprag_arena_mark(mixed->arena);
    for (int k = 0; k < BISECTIONS && high - low > CONVERGED * high; k++) {
        mixed->pressure[i] = low + (high - low) / 2;
        SPRAG_TRY(find_modes(mixed, &modes, &count));
        sprag_arena_release(mixed->arena, mark);
        if (above ? mixed->below : mixed->above)
            high = mixed->pressure[i];
        else
            low = mixed->pressure[i];
    }
    ends[0] = low;
    ends[1] = high;
    for (int k = 0; k < 2; k++) {
        mixed->pressure[i] = ends[k];
        SPRAG_TRY(converge_all(mixed, &all));
    }
    return SPRAG_OK;
}

// Looks at pressures of the only loaded bearing i around one, at which there are motions, for those
// between which motions agree with theirs.
static SpragStatus scan(Mixed *mixed, int i, double middle)
{
    double low = 0;
    bool above = true, below = false;
    SpragMode *modes;
    int count;
    for (int k = -PRESSURES_BELOW; k <= PRESSURES_ABOVE; k++) {
        double high = mixed->pressure[i] = ldexp(middle, k);
        SPRAG_TRY(find_modes(mixed, &modes, &count));
        bool now_above = mixed->above, now_below = mixed->below;
        if ((above && now_below) || (below && now_above))
            SPRAG_TRY(bisect(mixed, i, low, high, above && now_below));
        low = high;
        above = now_above;
        below = now_below;
    }
    return SPRAG_OK;
}

// What a bearing would be pressed with if it were alone.
static double free_pressure(const Mixed *mixed, int i)
{
    const SpragContactProblem *p = mixed->problem;
    const SpragConstraint *item = item_of(mixed, i);
    double most = 0;
    for (int k = item->row; k < item->row + sprag_constraint_normals(item); k++) {
        double w = p->W[(size_t)k * ((size_t)p->row_count + 1)];
        most = fmax(most, w > 0 ? fabs(p->b[k]) / w : 0);
    }
    return most;
}

static SpragStatus try_choice(Mixed *mixed)
{
    int loaded = 0, which = -1;
    double largest = 0;
    bool done = false;
    SPRAG_TRY(build_part(mixed));
    memset(mixed->pressure, 0, (size_t)mixed->island->member_count * sizeof *mixed->pressure);
    for (int i = 0; i < mixed->island->member_count; i++)
        if (is_loaded(mixed, i)) {
            loaded++;
            which = i;
        }
    for (int start = 0; start < MOST_STARTS && !done; start++) {
        SPRAG_TRY(converge_all(mixed, &done));
        if (which >= 0)
            largest = fmax(largest, mixed->pressure[which]);
    }
    if (done || loaded != 1)
        return SPRAG_OK;
    return scan(mixed, which, largest > 0 ? largest : free_pressure(mixed, which));
}

// What the settings ask of a bearing; false: they do not ask for this choice.
static bool is_asked(const Mixed *mixed, int i, int k)
{
    if (!mixed->settings->modes)
        return true;
    SpragMode mode = mixed->settings->modes[mixed->island->member[i]];
    if (item_of(mixed, i)->tangents == 2)
        return true;
    return mode == (k > 0   ? SPRAG_MODE_SLIDE_PLUS
                    : k < 0 ? SPRAG_MODE_SLIDE_MINUS
                            : SPRAG_MODE_STICK);
}

static SpragStatus visit(Mixed *mixed, int i, int *choices)
{
    if (i == mixed->island->member_count) {
        if (++*choices > MOST_CHOICES)
            return SPRAG_OK;
        return try_choice(mixed);
    }
    const SpragConstraint *item = item_of(mixed, i);
    if (!rubs(item)) {
        mixed->choice[i] = 0;
        return visit(mixed, i + 1, choices);
    }
    if (item->sliding) {
        mixed->choice[i] = item->tangents == 2 || item->slip[0] > 0 ? 1 : -1;
        return visit(mixed, i + 1, choices);
    }
    if (item->tangents == 2) {
        mixed->choice[i] = FREE;
        return visit(mixed, i + 1, choices);
    }
    static const int order[] = {0, 1, -1};
    for (int k = 0; k < 3; k++) {
        mixed->choice[i] = order[k];
        if (is_asked(mixed, i, order[k]))
            SPRAG_TRY(visit(mixed, i + 1, choices));
    }
    return SPRAG_OK;
}

static SpragStatus search_mixed(Mixed *mixed)
{
    size_t rows = (size_t)mixed->problem->row_count + 1,
           n = (size_t)mixed->island->member_count + 1;
    int choices = 0;
    mixed->choice = sprag_arena_alloc(mixed->arena, 3 * n + rows, sizeof(int));
    mixed->pressure = sprag_arena_alloc(mixed->arena, (6 + n) * n + rows, sizeof(double));
    if (!mixed->choice || !mixed->pressure)
        return SPRAG_ERROR_MEMORY;
    mixed->first = mixed->choice + n;
    mixed->from = mixed->first + n;
    mixed->defect = mixed->pressure + n;
    mixed->old = mixed->defect + n;
    mixed->step = mixed->old + n;
    mixed->change = mixed->step + n;
    mixed->along = mixed->change + n;
    mixed->B = mixed->along + n;
    mixed->force = mixed->B + n * n;
    return visit(mixed, 0, &choices);
}

// Whether the island is one bearing that its friction holds so clearly that nothing else can be,
// theory.md (9.41).
static bool holds_alone(const Mixed *mixed)
{
    const Island *island = mixed->island;
    const SpragConstraint *item = item_of(mixed, 0);
    const SpragContactProblem *p = mixed->problem;
    if (island->member_count != 1 || island->motion_count != 1 ||
        item->kind != SPRAG_CONSTRAINT_BEARING || item->sliding || item->row_count != 4 ||
        island->motions[0].modes[0] != SPRAG_MODE_STICK)
        return false;
    int n = p->row_count;
    const double *w = p->W + (size_t)item->row * (size_t)(n + 1), *force = island->motions[0].force;
    double det = w[0] * w[n + 1] - w[1] * w[1], q = 0;
    for (int k = 2; k < 4; k++)
        q = hypot(q, hypot(w[n + 1] * w[k] - w[1] * w[n + k], w[0] * w[n + k] - w[1] * w[k]));
    double most = item->friction * hypot(force[0], force[1]);
    return det > CONVERGED * w[0] * w[n + 1] &&
           hypot(force[2], force[3]) * (det + 2 * item->friction * q) < most * det;
}

SpragStatus search_mixed_island(SpragArena *arena, const SpragContactProblem *problem,
                                const SpragMotionSettings *settings, Island *island,
                                SpragMotionSet *set)
{
    Mixed mixed = {.arena = arena, .problem = problem, .settings = settings, .island = island};
    sprag_contact_problem_init(&mixed.part, problem->context);
    SpragStatus status = sprag_motion_search_create(problem->context, &mixed.search);
    if (status == SPRAG_OK)
        status = search_mixed(&mixed);
    sprag_motion_search_destroy(mixed.search);
    sprag_contact_problem_destroy(&mixed.part);
    set->node_count += mixed.nodes;
    set->leaf_count += mixed.leaves;
    set->complete &= status == SPRAG_OK && holds_alone(&mixed);
    return status;
}
