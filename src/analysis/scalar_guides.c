// scalar_guides.c: several guides with friction: A q'' + b + E diag(mu sigma) |C q'' + d| = tau.
// Method    all sign patterns. A guide that slips has a sign of its normal force (2 cases). A guide
//           at rest sticks, or starts in one of two directions with a sign (5 cases). A pattern
//           makes the equations linear in q'' and the friction of the guides that stick; a motion
//           is a solution whose signs are those of its pattern. theory.md (9.1) is n = m = 1.
// Singular  patterns: if they have a line of solutions, its pieces between the points where a sign
//           changes are tested, so that a continuum is found; of larger sets only one point is.
// Stability of the layer: scalar_guides_layer.c.
#include <math.h>
#include <string.h>

#include "scalar_guides.h"
#include "sprag/numeric.h"

static const double TOLERANCE = 1e-10; // of signs and equal motions, relative to their terms
static const double SINGULAR = 1e-12;  // singular value, beside the largest, that is zero
static const long MOST_PATTERNS = 1000000;

enum { STICKS = 4, CASES_SLIP = 2, CASES_REST = 5 };

typedef struct Pattern {
    int slip;   // sigma: −1, 0 (sticks), 1
    int normal; // sign of F; 0: open (sticks)
} Pattern;

typedef struct Work {
    const SpragGuides *guides;
    SpragArena *arena;
    SpragGuidesVerdict *verdict;
    size_t motion_capacity;
    Pattern pattern[SPRAG_GUIDES_MOST];
    int direction[SPRAG_GUIDES_MOST]; // sgn of the slip; 0: at rest
    int stick_count, size;            // size = n + stick_count
    double *matrix, *right, *z, *values, *vectors, *null_line;
    double scale; // of accelerations and forces
    bool slowest; // starts slower than the tolerance count too
    bool slow;    // one of them was refused
} Work;

// ---- Checks -------------------------------------------------------------------------------------

static SpragStatus check_inertia(SpragContext *context, const SpragGuides *guides)
{
    int n = guides->n;
    double copy[SPRAG_GUIDES_MOST * SPRAG_GUIDES_MOST],
        factor[SPRAG_GUIDES_MOST * SPRAG_GUIDES_MOST];
    memcpy(copy, guides->A, (size_t)n * (size_t)n * sizeof *copy);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (fabs(copy[i * n + k] - copy[k * n + i]) >
                1e-9 * (fabs(copy[i * n + k]) + fabs(copy[k * n + i])))
                return sprag_fail(
                    context, SPRAG_ERROR_INPUT,
                    "a must be symmetric: row %d, column %d is %g, but row %d, column "
                    "%d is %g",
                    i + 1, k + 1, copy[i * n + k], k + 1, i + 1, copy[k * n + i]);
    if (sprag_cholesky_semidefinite(n, copy, SINGULAR, factor) != n)
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "the inertia a must be a positive definite matrix");
    return SPRAG_OK;
}

SpragStatus sprag_guides_check(SpragContext *context, const SpragGuides *guides)
{
    if (guides->n < 1 || guides->m < 1 || guides->n > SPRAG_GUIDES_MOST ||
        guides->m > SPRAG_GUIDES_MOST)
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "a problem has 1 to %d coordinates and guides, got %d and %d",
                          SPRAG_GUIDES_MOST, guides->n, guides->m);
    if (!guides->direction && guides->m != guides->n)
        return sprag_fail(context, SPRAG_ERROR_INPUT, "%d guides on %d coordinates need directions",
                          guides->m, guides->n);
    for (int j = 0; j < guides->m; j++)
        if (!(guides->friction[j] >= 0))
            return sprag_fail(context, SPRAG_ERROR_INPUT, "friction must be a number >= 0, got %g",
                              guides->friction[j]);
    for (int j = 0; j < guides->m; j++)
        if ((guides->stiffness && !(guides->stiffness[j] > 0)) ||
            (guides->damping && !(guides->damping[j] >= 0)))
            return sprag_fail(context, SPRAG_ERROR_INPUT,
                              "stiffness must be > 0 and damping >= 0 for every guide");
    return check_inertia(context, guides);
}

// ---- One pattern --------------------------------------------------------------------------------

static void fill_equations(Work *work)
{
    const SpragGuides *guides = work->guides;
    int n = guides->n, size = work->size;
    memset(work->matrix, 0, (size_t)size * (size_t)size * sizeof *work->matrix);
    for (int i = 0; i < n; i++) {
        double *row = work->matrix + i * size;
        work->right[i] = guides->input[i] - guides->b[i];
        for (int k = 0; k < n; k++)
            row[k] = guides->A[i * n + k];
        int stick = n;
        for (int j = 0; j < guides->m; j++) {
            const Pattern *pattern = &work->pattern[j];
            double share = guide_effect(guides, i, j);
            if (pattern->slip == 0) {
                row[stick++] = share;
                continue;
            }
            share *= guides->friction[j] * pattern->slip * pattern->normal;
            for (int k = 0; k < n; k++)
                row[k] += share * guides->C[j * n + k];
            work->right[i] -= share * guides->d[j];
        }
    }
    int stick = n;
    for (int j = 0; j < guides->m; j++) {
        if (work->pattern[j].slip != 0)
            continue;
        for (int k = 0; k < n; k++)
            work->matrix[stick * size + k] = guide_effect(guides, k, j);
        work->right[stick++] = 0;
    }
}

// Friction of guide j in the point z.
static double friction_of(const Work *work, int j, const double *z)
{
    const SpragGuides *guides = work->guides;
    int stick = guides->n;
    for (int k = 0; k < j; k++)
        stick += work->pattern[k].slip == 0;
    if (work->pattern[j].slip == 0)
        return z[stick];
    return guides->friction[j] * work->pattern[j].slip * fabs(guide_normal(guides, j, z));
}

// Whether the signs of the point are those of the pattern.
static bool fits(Work *work, const double *z)
{
    const SpragGuides *guides = work->guides;
    double slack = TOLERANCE * work->scale, slowest = work->slowest ? 0 : slack;
    bool slow = false;
    for (int j = 0; j < guides->m; j++) {
        const Pattern *pattern = &work->pattern[j];
        double normal = guide_normal(guides, j, z);
        if (pattern->slip == 0) {
            if (fabs(friction_of(work, j, z)) > guides->friction[j] * fabs(normal) + slack)
                return false;
            continue;
        }
        if (pattern->normal * normal < -slack)
            return false;
        double start = pattern->slip * guide_slip(guides, j, z);
        if (work->direction[j] == 0 && start <= 0)
            return false;
        slow |= work->direction[j] == 0 && start <= slowest;
    }
    work->slow |= slow;
    return !slow;
}

// The motion found before with the accelerations of z; −1: none.
static int find_known(const Work *work, const double *z)
{
    int n = work->guides->n;
    for (int i = 0; i < work->verdict->motion_count; i++) {
        double most = 0;
        for (int k = 0; k < n; k++)
            most = fmax(most, fabs(work->verdict->motions[i].acceleration[k] - z[k]));
        if (most <= 100 * TOLERANCE * work->scale)
            return i;
    }
    return -1;
}

// Beside F = 0 neighbouring patterns fit within the tolerance: the signs of the one that fits best
// are those that hold on. Only signs may differ: what rests within the tolerance rests.
static bool fits_better(const Work *work, const double *z, const SpragGuidesMotion *known)
{
    double off = 0, known_off = 0;
    for (int j = 0; j < work->guides->m; j++) {
        if (work->pattern[j].slip != known->slip[j])
            return false;
        off = fmax(off, -work->pattern[j].normal * guide_normal(work->guides, j, z));
        known_off = fmax(known_off, -known->sign[j] * known->normal[j]);
    }
    return off < known_off;
}

// ---- Collecting ---------------------------------------------------------------------------------

static SpragStatus grow(Work *work)
{
    SpragGuidesVerdict *verdict = work->verdict;
    if ((size_t)verdict->motion_count < work->motion_capacity)
        return SPRAG_OK;
    size_t more = 2 * work->motion_capacity + 4;
    SpragGuidesMotion *motions = sprag_arena_alloc(work->arena, more, sizeof *motions);
    if (!motions)
        return SPRAG_ERROR_MEMORY;
    if (verdict->motion_count > 0)
        memcpy(motions, verdict->motions, (size_t)verdict->motion_count * sizeof *motions);
    verdict->motions = motions;
    work->motion_capacity = more;
    return SPRAG_OK;
}

typedef enum Found { FOUND_ALONE, FOUND_CONTINUUM, FOUND_FORCES } Found;

// FOUND_FORCES: one of many ways to share friction, with the same acceleration.
static SpragStatus add_motion(Work *work, const double *z, Found found)
{
    const SpragGuides *guides = work->guides;
    SpragGuidesVerdict *verdict = work->verdict;
    int known = find_known(work, z);
    if (known >= 0 && !fits_better(work, z, &verdict->motions[known]))
        return SPRAG_OK;
    SPRAG_TRY(grow(work));
    size_t n = (size_t)guides->n, m = (size_t)guides->m;
    SpragGuidesMotion motion = {.continuum = found == FOUND_CONTINUUM,
                                .forces_unique = found != FOUND_FORCES};
    motion.acceleration = sprag_arena_alloc(work->arena, n + 2 * m, sizeof(double));
    motion.slip = sprag_arena_alloc(work->arena, 2 * m, sizeof(int));
    if (!motion.acceleration || !motion.slip)
        return SPRAG_ERROR_MEMORY;
    motion.normal = motion.acceleration + n;
    motion.friction = motion.normal + m;
    motion.sign = motion.slip + m;
    memcpy(motion.acceleration, z, n * sizeof *z);
    for (int j = 0; j < guides->m; j++) {
        motion.normal[j] = guide_normal(guides, j, z);
        motion.friction[j] = friction_of(work, j, z);
        motion.slip[j] = work->pattern[j].slip;
        motion.sign[j] = work->pattern[j].normal;
    }
    SPRAG_TRY(guides_judge(guides, work->arena, &motion));
    if (known >= 0) {
        motion.continuum |= verdict->motions[known].continuum;
        verdict->stable_count -= verdict->motions[known].stable;
    }
    verdict->stable_count += motion.stable;
    verdict->motions[known >= 0 ? known : verdict->motion_count++] = motion;
    if (motion.continuum)
        verdict->kind = SPRAG_VERDICT_INFINITE;
    return SPRAG_OK;
}

// ---- Singular patterns --------------------------------------------------------------------------

static void along(const Work *work, const double *from, double t, double *point)
{
    for (int i = 0; i < work->size; i++)
        point[i] = from[i] + t * work->null_line[i];
}

// Places on the line where one of the signs changes, ascending; returns their number.
static int breaks_on_line(const Work *work, const double *from, double *breaks)
{
    const SpragGuides *guides = work->guides;
    double at[2 * SPRAG_GUIDES_MOST];
    int count = 0;
    along(work, from, 1, at);
    for (int j = 0; j < guides->m; j++) {
        bool stick = work->pattern[j].slip == 0;
        double n0 = guide_normal(guides, j, from), n1 = guide_normal(guides, j, at);
        double f0 = stick ? friction_of(work, j, from) : guide_slip(guides, j, from);
        double f1 = stick ? friction_of(work, j, at) : guide_slip(guides, j, at);
        double mu = stick ? guides->friction[j] : 0;
        double values[3][2] = {
            {n0, n1}, {f0 - mu * n0, f1 - mu * n1}, {f0 + mu * n0, f1 + mu * n1}};
        for (int k = 0; k < 3; k++)
            if (fabs(values[k][1] - values[k][0]) > TOLERANCE * work->scale)
                breaks[count++] = values[k][0] / (values[k][0] - values[k][1]);
    }
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && breaks[k] < breaks[k - 1]; k--) {
            double keep = breaks[k];
            breaks[k] = breaks[k - 1];
            breaks[k - 1] = keep;
        }
    return count;
}

// The pieces of the line (and their ends): a piece that fits is a continuum, if q'' changes on it.
static SpragStatus search_line(Work *work, const double *from)
{
    double breaks[3 * SPRAG_GUIDES_MOST + 1], point[2 * SPRAG_GUIDES_MOST], moves = 0;
    for (int i = 0; i < work->guides->n; i++)
        moves = fmax(moves, fabs(work->null_line[i]));
    int count = breaks_on_line(work, from, breaks);
    for (int i = 0; i <= count; i++) {
        double low = i > 0 ? breaks[i - 1] : count > 0 ? breaks[0] - 2 : -1;
        double high = i < count ? breaks[i] : count > 0 ? breaks[count - 1] + 2 : 1;
        along(work, from, 0.5 * (low + high), point);
        bool wide = high - low > TOLERANCE;
        if (wide && fits(work, point))
            SPRAG_TRY(add_motion(work, point, moves > TOLERANCE ? FOUND_CONTINUUM : FOUND_FORCES));
        along(work, from, high, point);
        if (i < count && fits(work, point))
            SPRAG_TRY(add_motion(work, point, moves > TOLERANCE ? FOUND_ALONE : FOUND_FORCES));
    }
    return SPRAG_OK;
}

static SpragStatus search_singular(Work *work)
{
    int size = work->size, null_count = 0;
    double projected[2 * SPRAG_GUIDES_MOST], from[2 * SPRAG_GUIDES_MOST] = {0}, residual = 0;
    fill_equations(work);
    sprag_svd(size, size, work->matrix, work->values, work->vectors); // U S in matrix
    for (int k = 0; k < size; k++) {
        projected[k] = 0;
        for (int i = 0; i < size; i++)
            projected[k] += work->matrix[i * size + k] * work->right[i];
        bool zero = work->values[k] <= SINGULAR * fmax(work->values[0], 1e-300) * size;
        for (int i = 0; i < size; i++) {
            if (zero)
                work->null_line[i] = work->vectors[i * size + k];
            else
                from[i] += work->vectors[i * size + k] * projected[k] /
                           (work->values[k] * work->values[k]);
        }
        null_count += zero;
    }
    fill_equations(work);
    for (int i = 0; i < size; i++) {
        double sum = -work->right[i];
        for (int k = 0; k < size; k++)
            sum += work->matrix[i * size + k] * from[k];
        residual = fmax(residual, fabs(sum));
    }
    if (residual > TOLERANCE * work->scale)
        return SPRAG_OK; // no solution
    if (null_count == 1)
        return search_line(work, from);
    work->verdict->complete = false;
    return fits(work, from) ? add_motion(work, from, FOUND_CONTINUUM) : SPRAG_OK;
}

static SpragStatus search_pattern(Work *work)
{
    int rows[2 * SPRAG_GUIDES_MOST], columns[2 * SPRAG_GUIDES_MOST];
    work->stick_count = 0;
    for (int j = 0; j < work->guides->m; j++)
        work->stick_count += work->pattern[j].slip == 0;
    int size = work->size = work->guides->n + work->stick_count;
    double largest = 0;
    fill_equations(work);
    for (int i = 0; i < size * size; i++)
        largest = fmax(largest, fabs(work->matrix[i]));
    if (sprag_lu_factor(size, work->matrix, SINGULAR * largest, rows, columns, NULL) != size)
        return search_singular(work);
    sprag_lu_solve(size, work->matrix, rows, columns, work->right, work->z);
    return fits(work, work->z) ? add_motion(work, work->z, FOUND_ALONE) : SPRAG_OK;
}

// ---- All patterns -------------------------------------------------------------------------------

static void set_pattern(Work *work, long number)
{
    for (int j = 0; j < work->guides->m; j++) {
        int cases = work->direction[j] != 0 ? CASES_SLIP : CASES_REST;
        int digit = (int)(number % cases);
        number /= cases;
        Pattern *pattern = &work->pattern[j];
        pattern->normal = digit == STICKS ? 0 : digit % 2 == 0 ? 1 : -1;
        pattern->slip = work->direction[j];
        if (cases == CASES_REST)
            pattern->slip = digit == STICKS ? 0 : digit / 2 == 0 ? 1 : -1;
    }
}

static SpragStatus search_patterns(Work *work)
{
    for (long i = 0; i < work->verdict->pattern_count; i++) {
        set_pattern(work, i);
        SPRAG_TRY(search_pattern(work));
    }
    return SPRAG_OK;
}

static SpragStatus prepare(SpragContext *context, Work *work)
{
    const SpragGuides *guides = work->guides;
    size_t most = (size_t)(guides->n + guides->m);
    long patterns = 1;
    for (int j = 0; j < guides->m; j++) {
        work->direction[j] = guide_direction(guides, j);
        work->verdict->moving |= work->direction[j] != 0;
        patterns *= work->direction[j] != 0 ? CASES_SLIP : CASES_REST;
        if (patterns > MOST_PATTERNS)
            return sprag_fail(context, SPRAG_ERROR_LIMIT,
                              "more than %ld sign patterns: too many guides", MOST_PATTERNS);
    }
    work->verdict->pattern_count = patterns;
    double **arrays[] = {&work->matrix, &work->vectors};
    double **lines[] = {&work->right, &work->z, &work->values, &work->null_line};
    for (int i = 0; i < 2; i++)
        if (!(*arrays[i] = sprag_arena_alloc(work->arena, most * most, sizeof(double))))
            return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < 4; i++)
        if (!(*lines[i] = sprag_arena_alloc(work->arena, most, sizeof(double))))
            return SPRAG_ERROR_MEMORY;
    work->scale = 1e-300;
    for (int i = 0; i < guides->n; i++)
        work->scale = fmax(work->scale, fabs(guides->input[i]) + fabs(guides->b[i]));
    for (int j = 0; j < guides->m; j++)
        work->scale = fmax(work->scale, fabs(guides->d[j]));
    return SPRAG_OK;
}

// Guides at rest that start, a bit each.
static unsigned starts_of(const Work *work, const SpragGuidesMotion *motion)
{
    unsigned starts = 0;
    for (int j = 0; j < work->guides->m; j++)
        if (work->direction[j] == 0 && motion->slip[j] != 0)
            starts |= 1u << j;
    return starts;
}

// What can rest stays: of the stable motions the one whose starts are among those of every other.
static void choose(const Work *work, SpragGuidesVerdict *verdict)
{
    verdict->chosen = -1;
    for (int i = 0; i < verdict->motion_count && verdict->kind != SPRAG_VERDICT_INFINITE; i++) {
        unsigned starts = starts_of(work, &verdict->motions[i]);
        bool least = verdict->motions[i].stable;
        for (int k = 0; k < verdict->motion_count && least; k++) {
            unsigned other = starts_of(work, &verdict->motions[k]);
            least = k == i || !verdict->motions[k].stable ||
                    ((starts & other) == starts && starts != other);
        }
        if (least)
            verdict->chosen = i;
    }
    verdict->held = verdict->chosen >= 0 && !verdict->moving &&
                    starts_of(work, &verdict->motions[verdict->chosen]) == 0;
}

SpragStatus sprag_guides_forward(SpragContext *context, SpragArena *arena,
                                 const SpragGuides *guides, SpragGuidesVerdict *verdict)
{
    Work work = {.guides = guides, .arena = arena, .verdict = verdict};
    memset(verdict, 0, sizeof *verdict);
    verdict->complete = true;
    verdict->kind = SPRAG_VERDICT_NONE;
    SPRAG_TRY(prepare(context, &work));
    SPRAG_TRY(search_patterns(&work));
    // Just outside the cone a start is slower than what sticks may exceed the cone by, if the
    // inertia is above one: such a start is a motion, unless it is one that has been found at rest.
    work.slowest = work.slow;
    if (work.slow)
        SPRAG_TRY(search_patterns(&work));
    if (verdict->kind != SPRAG_VERDICT_INFINITE && verdict->motion_count > 0)
        verdict->kind = verdict->motion_count == 1 ? SPRAG_VERDICT_UNIQUE : SPRAG_VERDICT_MULTIPLE;
    choose(&work, verdict);
    return SPRAG_OK;
}
