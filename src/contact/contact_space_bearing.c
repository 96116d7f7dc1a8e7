// contact_space_bearing.c: bearings beside contacts in space that may start to slip.
// Problem   directions of slip that starts are unknowns of the search in space, and frictions of
//           bearings, theory.md (9.31), of the planar one: here an island has both
// Method    every choice of stick, slide+ and slide− of the bearings at rest with one tangent;
//           where one has three, all of them stick, or the frictions of all bearings at rest are
//           loads, whatever each of them does. Of one that slides friction is a load μ s. The
//           island is then one that the search in space knows (contact_mixed_part.c); what is
//           loaded is found in the modes of each of its motions (contact_mixed.c), from the loads
//           of several substitutions; where modes end on the way and one bearing slides, s is
//           looked for between pressures at which s − |λN| has either sign
// Result    complete is claimed of one bearing alone only, theory.md (9.44): elsewhere a motion
//           that no start leads to would be missed
#include <math.h>
#include <string.h>

#include "contact_mixed.h"
#include "sprag/numeric.h"

enum { MOST_CHOICES = 2187, MOST_STARTS = 4 };
// Where modes end: pressures that are looked at, by factors of two around those that were met, and
// halvings of what lies between two of them.
enum { PRESSURES_BELOW = 8, PRESSURES_ABOVE = 8, BISECTIONS = 52 };
// What is left of halvings, or depends on others; a map that shrinks distances by less has one
// fixed point, whatever rounding does.
static const double HALVED = 1e-12, DEPENDENT = 1e-12, SHRINKS = 1 - 1e-9;

// ---- Choices ------------------------------------------------------------------------------------

// Looks for loads that agree in the modes of mixed->modes; *kept false: there are none, or the
// modes end.
static SpragStatus converge(Mixed *mixed, bool *kept)
{
    SpragMotionSettings settings = *mixed->settings;
    settings.modes = mixed->modes;
    settings.ranges = false;
    SpragMotionSet set;
    SPRAG_TRY(mixed_converge(mixed, &settings, kept));
    if (!*kept)
        return SPRAG_OK;
    settings.ranges = mixed->settings->ranges;
    mixed_load(mixed);
    SPRAG_TRY(sprag_motion_search_run(mixed->search, &mixed->part, &settings, &set));
    *kept = set.count > 0;
    return *kept ? mixed_keep(mixed, &set.motions[0]) : SPRAG_OK;
}

// The modes of the motions at the present loads, one after the other from the arena.
static SpragStatus find_modes(Mixed *mixed, SpragMode **modes, int *count)
{
    SpragMotionSettings settings = *mixed->settings;
    SpragMotionSet set;
    settings.modes = NULL;
    settings.ranges = false;
    mixed_load(mixed);
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
        mixed_compare(mixed, &set.motions[m]);
        for (int i = 0; i < mixed->loads; i++) {
            mixed->above |= mixed->defect[i] > 0;
            mixed->below |= mixed->defect[i] < 0;
        }
    }
    return SPRAG_OK;
}

// Looks for loads that agree in the modes of each motion at the present ones; *all: each led to
// some; false where there is none.
static SpragStatus converge_all(Mixed *mixed, bool *all)
{
    size_t bytes = (size_t)mixed->loads * sizeof *mixed->load;
    double *before = sprag_arena_alloc(mixed->arena, bytes + 1, 1);
    SpragMode *modes;
    int count;
    if (!before)
        return SPRAG_ERROR_MEMORY;
    memcpy(before, mixed->load, bytes);
    SPRAG_TRY(find_modes(mixed, &modes, &count));
    *all = count > 0;
    for (int m = 0; m < count; m++) {
        bool kept;
        memcpy(mixed->load, before, bytes);
        mixed->modes = modes + m * mixed->part.constraint_count;
        SPRAG_TRY(converge(mixed, &kept));
        *all &= kept; // else from the loads at which its modes ended
    }
    return SPRAG_OK;
}

// Between two pressures of the only loaded bearing with motions whose own pressure is above it at
// the one and below it at the other: halvings, then the modes at what is left.
static SpragStatus bisect(Mixed *mixed, double low, double high, bool above)
{
    double ends[2] = {low, high};
    SpragMode *modes;
    bool all;
    int count;
    SpragArenaMark mark = sprag_arena_mark(mixed->arena);
    for (int k = 0; k < BISECTIONS && high - low > HALVED * high; k++) {
        mixed->load[0] = low + (high - low) / 2;
        SPRAG_TRY(find_modes(mixed, &modes, &count));
        sprag_arena_release(mixed->arena, mark);
        if (above ? mixed->below : mixed->above)
            high = mixed->load[0];
        else
            low = mixed->load[0];
    }
    ends[0] = low;
    ends[1] = high;
    for (int k = 0; k < 2; k++) {
        mixed->load[0] = ends[k];
        SPRAG_TRY(converge_all(mixed, &all));
    }
    return SPRAG_OK;
}

// Looks at pressures of the only loaded bearing around one, at which there are motions, for those
// between which motions agree with theirs.
static SpragStatus scan(Mixed *mixed, double middle)
{
    double low = 0;
    bool above = true, below = false;
    SpragMode *modes;
    int count;
    for (int k = -PRESSURES_BELOW; k <= PRESSURES_ABOVE; k++) {
        double high = mixed->load[0] = ldexp(middle, k);
        SPRAG_TRY(find_modes(mixed, &modes, &count));
        bool now_above = mixed->above, now_below = mixed->below;
        if ((above && now_below) || (below && now_above))
            SPRAG_TRY(bisect(mixed, low, high, above && now_below));
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
    const SpragConstraint *item = mixed_item(mixed, i);
    double most = 0;
    for (int k = item->row; k < item->row + sprag_constraint_normals(item); k++) {
        double w = p->W[(size_t)k * ((size_t)p->row_count + 1)];
        most = fmax(most, w > 0 ? fabs(p->b[k]) / w : 0);
    }
    return most;
}

// Where nothing but bearings at rest, and what holds anyway, is in the island: frictions that hold
// all of them together.
static SpragStatus start_at_rest(Mixed *mixed)
{
    SpragMotionSettings settings = *mixed->settings;
    SpragMotionSet set;
    for (int i = 0; i < mixed->island->member_count; i++) {
        const SpragConstraint *item = mixed_item(mixed, i);
        if (item->kind != SPRAG_CONSTRAINT_BILATERAL && !mixed_is_ball(mixed, i) &&
            (item->kind != SPRAG_CONSTRAINT_BEARING || mixed_rubs(item)))
            return SPRAG_OK;
    }
    settings.modes = NULL;
    settings.ranges = false;
    mixed_load(mixed);
    SPRAG_TRY(sprag_motion_search_run(mixed->search, &mixed->part, &settings, &set));
    if (set.count == 0)
        return SPRAG_OK;
    mixed_compare(mixed, &set.motions[0]);
    return mixed_hold(mixed);
}

static SpragStatus try_choice(Mixed *mixed)
{
    int which = -1;
    double largest = 0;
    bool done = false;
    SPRAG_TRY(mixed_build_part(mixed));
    SPRAG_TRY(mixed_begin(mixed));
    if (mixed->together)
        SPRAG_TRY(start_at_rest(mixed));
    for (int i = 0; i < mixed->island->member_count; i++)
        if (mixed_is_loaded(mixed, i))
            which = i;
    for (int start = 0; start < MOST_STARTS && !done; start++) {
        SPRAG_TRY(converge_all(mixed, &done));
        if (mixed->loads > 0)
            largest = fmax(largest, mixed->load[0]);
    }
    if (done || mixed->loads != 1)
        return SPRAG_OK;
    return scan(mixed, largest > 0 ? largest : free_pressure(mixed, which));
}

// What the settings ask of a bearing; false: they do not ask for this choice.
static bool is_asked(const Mixed *mixed, int i, int k)
{
    if (!mixed->settings->modes)
        return true;
    SpragMode mode = mixed->settings->modes[mixed->island->member[i]];
    if (mixed_item(mixed, i)->tangents > 1)
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
    const SpragConstraint *item = mixed_item(mixed, i);
    if (!mixed_rubs(item)) {
        mixed->choice[i] = 0;
        return visit(mixed, i + 1, choices);
    }
    if (item->sliding) {
        mixed->choice[i] = item->tangents > 1 || item->slip[0] > 0 ? 1 : -1;
        return visit(mixed, i + 1, choices);
    }
    if (item->tangents > 1 || mixed->together || mixed->hold) {
        mixed->choice[i] = mixed->hold ? 0 : FREE;
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

// |W_NN⁻¹ W_NT| of a bearing, and how slips follow friction while its normals hold: S, whose rows
// beyond its tangents are those of a unit matrix times its size; false: normals depend on others.
static bool look_at_rows(const SpragContactProblem *p, const SpragConstraint *item, double *q,
                         SpragMat3 *S)
{
    int n = sprag_constraint_normals(item), m = item->tangents, order[2 * WAYS];
    const double *w = p->W + (size_t)item->row * (size_t)(p->row_count + 1);
    double N[WAYS * WAYS], right[WAYS], x[WAYS], most = 0;
    for (int k = 0; k < n * n; k++)
        N[k] = w[k / n * p->row_count + k % n];
    if (sprag_lu_factor(n, N, DEPENDENT, order, order + n, NULL) < n)
        return false;
    *q = 0;
    *S = (SpragMat3){{0}};
    for (int t = 0; t < m; t++) {
        for (int k = 0; k < n; k++)
            right[k] = w[k * p->row_count + n + t];
        sprag_lu_solve(n, N, order, order + n, right, x);
        *q = hypot(*q, sprag_length(n, x));
        for (int k = 0; k < m; k++) {
            S->m[3 * k + t] = w[(n + k) * p->row_count + n + t];
            for (int l = 0; l < n; l++)
                S->m[3 * k + t] -= w[(n + k) * p->row_count + l] * x[l];
        }
        most = fmax(most, S->m[4 * t]);
    }
    for (int t = m; t < WAYS; t++)
        S->m[4 * t] = most;
    return true;
}

// Whether the island is one bearing whose only motion was found: its friction holds so clearly that
// nothing else can be, theory.md (9.41), or its pressure has one value, (9.44).
static bool is_only(const Mixed *mixed)
{
    const Island *island = mixed->island;
    const SpragConstraint *item = mixed_item(mixed, 0);
    double q, value[3];
    SpragMat3 S, axes;
    if (island->member_count != 1 || island->motion_count != 1 || !mixed_rubs(item) ||
        item->sliding || item->tangents == 1 || item->shared >= 0 ||
        !look_at_rows(mixed->problem, item, &q, &S))
        return false;
    const double *force = island->motions[0].force;
    int n = sprag_constraint_normals(item);
    double most = item->friction * sprag_length(n, force);
    if (island->motions[0].modes[0] == SPRAG_MODE_STICK &&
        sprag_length(item->tangents, force + n) * (1 + 2 * item->friction * q) < most)
        return true;
    sprag_mat3_principal(&S, value, &axes);
    return value[0] > DEPENDENT * value[2] &&
           item->friction * q * (value[0] + value[2]) / (2 * sqrt(value[0] * value[2])) < SHRINKS;
}

// Whether bearings with three tangents rest, and the settings ask that none, or that all do.
static void look_at_balls(const Mixed *mixed, bool *any, bool *hold, bool *slip)
{
    *any = false;
    *hold = *slip = true;
    for (int i = 0; i < mixed->island->member_count; i++) {
        const SpragConstraint *item = mixed_item(mixed, i);
        const SpragMode *asked = mixed->settings->modes;
        if (!mixed_rubs(item) || item->sliding || item->tangents != 3)
            continue;
        *any = true;
        *hold &= !asked || asked[mixed->island->member[i]] == SPRAG_MODE_STICK;
        *slip &= asked && asked[mixed->island->member[i]] == SPRAG_MODE_STICK;
    }
    *slip = !*slip; // some need not stick
}

static SpragStatus search_mixed(Mixed *mixed)
{
    bool balls, hold, slip;
    int choices = 0;
    SPRAG_TRY(mixed_create(mixed));
    look_at_balls(mixed, &balls, &hold, &slip);
    mixed->hold = balls && hold;
    if (mixed->hold)
        SPRAG_TRY(visit(mixed, 0, &choices));
    if (mixed->hold && ((!slip && mixed->island->motion_count > 0) || is_only(mixed)))
        return SPRAG_OK;
    mixed->hold = false;
    mixed->together = balls;
    if (balls)
        SPRAG_TRY(visit(mixed, 0, &choices));
    if (mixed->island->motion_count > 0)
        return SPRAG_OK;
    mixed->together = false;
    choices = 0;
    return visit(mixed, 0, &choices);
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
    set->complete &= status == SPRAG_OK && is_only(&mixed);
    return status;
}
