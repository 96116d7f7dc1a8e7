// advice.c: which contacts are to be rigid, which compliant, and by what rule.
// Problem   theory.md 8.1 decides for the whole; 8.6.1 says who switches: the index set of the
//           non-positive determinant (3.4), of the unstable eigenvector, or the contacts in which
//           the stable motions differ. The others, and other islands, stay rigid.
// Method    no motion: of every island without a motion of its own the smallest index set of a
//           non-positive determinant without which the others have a motion; not stable: the
//           motion with the fewest contacts in eigenvectors that grow
#include <math.h>
#include <string.h>

#include "solvability.h"

enum {
    MOST_SETS = DETERMINANT_MODES, // subsets of the constraints whose modes are enumerated
    MOST_TRIES = 64                // searches for what remains without an index set
};
// A contact with a smaller share of an eigenvector that grows takes no part in it.
static const double LEAST_SHARE = 1e-3;
// Accelerations that differ by less, relative to the largest, are equal.
static const double EQUAL_ACCELERATION = 1e-6;

static const struct {
    bool compliant;
    const char *text;
} rule_list[] = {
#define RULE_ENTRY(id, compliant, text) {compliant, text},
    SPRAG_RULE_LIST(RULE_ENTRY)
#undef RULE_ENTRY
};

const char *sprag_rule_text(SpragRuleKind rule)
{
    return rule_list[rule].text;
}

bool sprag_rule_is_compliant(SpragRuleKind rule)
{
    return rule_list[rule].compliant;
}

typedef struct Advice {
    SpragMotionSearch *search;
    SpragArena *arena;
    const SpragContactProblem *problem;
    const SpragAnalysisSettings *settings;
    const SpragVerdict *verdict;
    bool undecided; // of several stable motions none is chosen
    SpragRuleKind *rules;
    int *island;              // per constraint
    int *member;              // scratch: constraints of a part
    double *least;            // per subset of the members: least determinant
    bool *seen;               // … and whether it is not positive
    SpragContactProblem part; // the rows of some constraints alone
} Advice;

// ---- Parts of the problem -----------------------------------------------------------------------

// Islands by number: constraints that forces couple, also through others.
static void find_islands(Advice *advice)
{
    int n = advice->problem->constraint_count;
    for (int c = 0; c < n; c++)
        advice->island[c] = c;
    for (int c = 0; c < n; c++)
        for (int d = 0; d < c; d++) {
            int from = advice->island[c], to = advice->island[d];
            if (from == to || !sprag_contact_problem_is_coupled(advice->problem, c, d))
                continue;
            for (int e = 0; e < n; e++)
                if (advice->island[e] == from)
                    advice->island[e] = to;
        }
}

// The problem of `count` constraints alone: what the others push is left out.
static SpragStatus take_part(Advice *advice, int count, const int *member)
{
    const SpragContactProblem *whole = advice->problem;
    SpragContactProblem *part = &advice->part;
    sprag_contact_problem_clear(part, whole->dimension);
    for (int i = 0; i < count; i++) {
        const SpragConstraint *from = &whole->constraints[member[i]];
        SpragConstraint *to;
        SPRAG_TRY(from->kind == SPRAG_CONSTRAINT_BEARING
                      ? sprag_contact_problem_add_bearing(part, sprag_constraint_normals(from),
                                                          from->tangents, &to)
                      : sprag_contact_problem_add(part, from->kind, &to));
        int row = to->row, row_count = to->row_count;
        *to = *from;
        to->row = row;
        to->row_count = row_count;
    }
    for (int i = 0; i < count; i++)
        part->constraints[i].shared =
            sprag_contact_problem_shared(whole, member[i], count, member, part);
    SPRAG_TRY(sprag_contact_problem_reserve_dense(part));
    for (int i = 0; i < count; i++)
        for (int r = 0; r < part->constraints[i].row_count; r++) {
            int to = part->constraints[i].row + r;
            int from = whole->constraints[member[i]].row + r;
            part->b[to] = whole->b[from];
            for (int j = 0; j < count; j++)
                for (int s = 0; s < part->constraints[j].row_count; s++)
                    part->W[to * part->row_count + part->constraints[j].row + s] =
                        whole->W[from * whole->row_count + whole->constraints[member[j]].row + s];
        }
    return SPRAG_OK;
}

// Whether the part has a motion; one that cannot be decided has none.
static SpragStatus has_motion(Advice *advice, int count, const int *member, bool *has)
{
    SpragMotionSet set;
    *has = true;
    if (count == 0)
        return SPRAG_OK;
    SPRAG_TRY(take_part(advice, count, member));
    SPRAG_TRY(
        sprag_motion_search_run(advice->search, &advice->part, &advice->settings->motions, &set));
    *has = set.count > 0;
    return SPRAG_OK;
}

// ---- No motion ----------------------------------------------------------------------------------

// Subsets are bit masks over the constraints of the part that can separate.
static unsigned mask_of(const Advice *advice, const SpragMode *modes)
{
    unsigned mask = 0, bit = 1;
    for (int i = 0; i < advice->part.constraint_count; i++) {
        if (advice->part.constraints[i].kind == SPRAG_CONSTRAINT_BILATERAL)
            continue;
        mask |= modes[i] != SPRAG_MODE_SEPARATE ? bit : 0;
        bit <<= 1;
    }
    return mask;
}

static void keep_set(const SpragMode *modes, double determinant, double zero, void *user)
{
    Advice *advice = user;
    unsigned mask = mask_of(advice, modes);
    if (determinant > zero)
        return;
    // vanishing determinants come after negative ones: dependent rows make them, and harm nothing
    double value = determinant < -zero ? determinant : 0;
    advice->least[mask] = advice->seen[mask] ? fmin(advice->least[mask], value) : value;
    advice->seen[mask] = true;
}

static int count_bits(unsigned mask)
{
    int count = 0;
    for (; mask; mask &= mask - 1)
        count++;
    return count;
}

// Whether index set a explains more than b: negative before zero, fewer contacts, more negative.
static bool comes_before(const Advice *advice, unsigned a, unsigned b)
{
    bool a_zero = advice->least[a] == 0, b_zero = advice->least[b] == 0;
    if (a_zero != b_zero)
        return b_zero;
    if (count_bits(a) != count_bits(b))
        return count_bits(a) < count_bits(b);
    return advice->least[a] < advice->least[b];
}

// Members of the part that are not in the mask, to `rest`; returns their number.
static int without(const Advice *advice, const int *member, unsigned mask, int *rest)
{
    int count = 0;
    unsigned bit = 1;
    for (int i = 0; i < advice->part.constraint_count; i++) {
        bool bilateral = advice->part.constraints[i].kind == SPRAG_CONSTRAINT_BILATERAL;
        if (bilateral || !(mask & bit))
            rest[count++] = member[i];
        if (!bilateral)
            bit <<= 1;
    }
    return count;
}

// Marks the index set of one island without motion; member, count: its constraints.
static SpragStatus blame(Advice *advice, int count, const int *member)
{
    int *rest = advice->member + advice->problem->constraint_count;
    for (int i = 0; i < count; i++)
        advice->rules[member[i]] = SPRAG_RULE_NO_MOTION_ISLAND;
    SPRAG_TRY(take_part(advice, count, member));
    memset(advice->seen, 0, MOST_SETS * sizeof *advice->seen);
    if (solvability_visit(&advice->part, keep_set, advice))
        return SPRAG_OK;
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        unsigned best = 0;
        bool has;
        for (unsigned mask = 1; mask < MOST_SETS; mask++)
            if (advice->seen[mask] && (best == 0 || comes_before(advice, mask, best)))
                best = mask;
        if (best == 0)
            return SPRAG_OK;
        advice->seen[best] = false;
        // the part is that of the island again, and has the bits of the mask
        SPRAG_TRY(take_part(advice, count, member));
        int rest_count = without(advice, member, best, rest);
        SPRAG_TRY(has_motion(advice, rest_count, rest, &has));
        if (!has)
            continue;
        for (int i = 0; i < count; i++)
            advice->rules[member[i]] = SPRAG_RULE_NO_MOTION;
        for (int i = 0; i < rest_count; i++)
            advice->rules[rest[i]] = SPRAG_RULE_NOT_INVOLVED;
        return SPRAG_OK;
    }
    return SPRAG_OK;
}

static SpragStatus advise_none(Advice *advice)
{
    int n = advice->problem->constraint_count;
    find_islands(advice);
    for (int island = 0; island < n; island++) {
        int count = 0;
        bool has;
        for (int c = 0; c < n; c++)
            if (advice->island[c] == island)
                advice->member[count++] = c;
        if (count == 0)
            continue;
        SPRAG_TRY(has_motion(advice, count, advice->member, &has));
        if (!has)
            SPRAG_TRY(blame(advice, count, advice->member));
    }
    return SPRAG_OK;
}

// ---- Motions that are not stable, or differ -----------------------------------------------------

static bool takes_part(const SpragSolution *solution, int c)
{
    return solution->participation ? solution->participation[c] > LEAST_SHARE
                                   : solution->motion->active[c];
}

// Whether a constraint is closed in a continuum of motions: the member that stands for it may be
// one in which nothing presses.
static bool takes_part_in_continuum(const SpragSolution *solution, int c)
{
    return solution->motion->dimension > 0 && solution->motion->modes[c] != SPRAG_MODE_SEPARATE;
}

// Marks the contacts of the motion that fails at the fewest, of those with a continuum if asked.
static void advise_unstable(Advice *advice, bool continuum)
{
    const SpragVerdict *verdict = advice->verdict;
    int n = advice->problem->constraint_count, best = -1, fewest = 0;
    for (int i = 0; i < verdict->solution_count; i++) {
        int count = 0;
        for (int c = 0; c < n; c++)
            count += takes_part(&verdict->solutions[i], c);
        if (continuum && verdict->solutions[i].motion->dimension == 0)
            continue;
        if (best < 0 || count < fewest) {
            best = i;
            fewest = count;
        }
    }
    bool none = best >= 0 && fewest == 0;
    for (int c = 0; best >= 0 && c < n; c++)
        if (none ? takes_part_in_continuum(&verdict->solutions[best], c)
                 : takes_part(&verdict->solutions[best], c))
            advice->rules[c] = continuum ? SPRAG_RULE_CONTINUUM : SPRAG_RULE_UNSTABLE;
}

// Whether two motions differ at a constraint: its mode or its accelerations.
static bool differs(const SpragContactProblem *problem, const SpragMotion *a, const SpragMotion *b,
                    int c)
{
    double scale = 0;
    for (int r = 0; r < problem->row_count; r++)
        scale = fmax(scale, fmax(fabs(a->acceleration[r]), fabs(b->acceleration[r])));
    if (a->modes[c] != b->modes[c])
        return true;
    const SpragConstraint *item = &problem->constraints[c];
    for (int r = item->row; r < item->row + item->row_count; r++)
        if (fabs(a->acceleration[r] - b->acceleration[r]) > EQUAL_ACCELERATION * scale)
            return true;
    return false;
}

static void advise_several(Advice *advice)
{
    const SpragVerdict *verdict = advice->verdict;
    int first = -1;
    for (int i = 0; i < verdict->solution_count; i++) {
        if (!verdict->solutions[i].stable)
            continue;
        if (first < 0)
            first = i;
        for (int c = 0; c < advice->problem->constraint_count; c++)
            if (differs(advice->problem, verdict->solutions[first].motion,
                        verdict->solutions[i].motion, c))
                advice->rules[c] = SPRAG_RULE_DIFFERS;
    }
}

// ---- Driver -------------------------------------------------------------------------------------

static void set_all(Advice *advice, SpragRuleKind rule)
{
    for (int c = 0; c < advice->problem->constraint_count; c++)
        advice->rules[c] = rule;
}

static SpragStatus advise(Advice *advice)
{
    const SpragVerdict *verdict = advice->verdict;
    if (verdict->chosen >= 0 && !(advice->undecided && verdict->stable_count > 1)) {
        const SpragSolution *chosen = &verdict->solutions[verdict->chosen];
        set_all(advice, verdict->recommended_compliant ? SPRAG_RULE_NOT_INVOLVED
                        : verdict->stable_count > 1    ? SPRAG_RULE_GOES_ON
                                                       : SPRAG_RULE_ONE_STABLE);
        for (int c = 0; verdict->recommended_compliant && c < advice->problem->constraint_count;
             c++)
            if (takes_part(chosen, c))
                advice->rules[c] = SPRAG_RULE_SMALL_A;
        return SPRAG_OK;
    }
    set_all(advice, verdict->complete ? SPRAG_RULE_NOT_INVOLVED : SPRAG_RULE_INCOMPLETE);
    if (!verdict->complete)
        return SPRAG_OK;
    if (verdict->kind == SPRAG_VERDICT_NONE)
        return advise_none(advice);
    if (verdict->kind == SPRAG_VERDICT_INFINITE)
        advise_unstable(advice, true);
    else if (verdict->stable_count == 0)
        advise_unstable(advice, false);
    else
        advise_several(advice);
    return SPRAG_OK;
}

static SpragStatus allocate(Advice *advice)
{
    size_t n = (size_t)advice->problem->constraint_count + 1;
    advice->rules = sprag_arena_alloc(advice->arena, n, sizeof *advice->rules);
    advice->island = sprag_arena_alloc(advice->arena, n, sizeof(int));
    advice->member = sprag_arena_alloc(advice->arena, 2 * n, sizeof(int));
    if (!advice->rules || !advice->island || !advice->member)
        return SPRAG_ERROR_MEMORY;
    if (advice->verdict->kind != SPRAG_VERDICT_NONE)
        return SPRAG_OK;
    advice->least = sprag_arena_alloc(advice->arena, MOST_SETS, sizeof(double));
    advice->seen = sprag_arena_alloc(advice->arena, MOST_SETS, sizeof(bool));
    return advice->least && advice->seen ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

SpragStatus advice_find(SpragMotionSearch *search, SpragArena *arena,
                        const SpragContactProblem *problem, const SpragAnalysisSettings *settings,
                        bool undecided, SpragVerdict *verdict)
{
    Advice advice = {.search = search,
                     .arena = arena,
                     .problem = problem,
                     .settings = settings,
                     .undecided = undecided,
                     .verdict = verdict};
    SPRAG_TRY(allocate(&advice));
    sprag_contact_problem_init(&advice.part, problem->context);
    SpragStatus status = advise(&advice);
    sprag_contact_problem_destroy(&advice.part);
    verdict->rules = advice.rules;
    return status;
}
