// closure.c: can contact forces hold a body, or all of them, against any load? theory.md 8.8.
// Problem   do the friction cones, taken by Jᵀ into the space of generalised forces, fill it?
// Method    rank of the rows, then linear programs over the cones (closure_cone.c): without
//           friction first (form closure), then with it. In space with inscribed and circumscribed
//           polyhedral cones of more and more sides: the first prove it, the second disprove it
// Assumes   nothing on loads, masses or velocities; the state of the contacts as it is
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "closure.h"

// More guides than these have too many patterns of signs.
enum { MOST_GUIDES = 6 };
// More coordinates take dense programs too long.
enum { MOST_FREEDOM = 240 };
// Parts of the witness below this part of its largest are rounding.
static const double NEGLIGIBLE = 1e-12;

const char *sprag_closure_name(SpragClosureKind kind)
{
    static const char *const names[] = {"form", "force", "none", "undecided"};
    return names[kind];
}

typedef struct Search {
    SpragArena *arena;
    ClosureRows rows;
    int guide_count; // those with friction count in patterns of signs
    bool space;      // some cone is not polyhedral
    bool too_large;
    double *w, *force, *motion, *rate;
    SpragClosure *closure;
} Search;

// ---- Witnesses ----------------------------------------------------------------------------------

static void clean(int count, double *values, double scale)
{
    for (int i = 0; i < count; i++)
        if (fabs(values[i]) <= NEGLIGIBLE * scale)
            values[i] = 0;
}

static double largest_of(int count, const double *values)
{
    double largest = 0;
    for (int i = 0; i < count; i++)
        largest = fmax(largest, fabs(values[i]));
    return largest;
}

// The motion w (rank + 1 numbers) in the coordinates of U, as velocities and as rates of the rows;
// the largest velocity (of a bare problem: rate) is made 1.
static void keep_motion(Search *search, const double *w)
{
    const ClosureRows *rows = &search->rows;
    const SpragContactProblem *problem = rows->problem;
    int n = problem->velocity_count, m = problem->row_count, width = rows->rank + 1;
    for (int i = 0; i < n * width; i++)
        search->motion[i / width] += rows->motion[i] * w[i % width];
    for (int i = 0; i < m * width; i++)
        search->rate[i / width] += rows->rate[i] * w[i % width];
    double largest = n > 0 ? largest_of(n, search->motion) : largest_of(m, search->rate);
    clean(n, search->motion, largest);
    clean(m, search->rate, fmax(largest, largest_of(m, search->rate)));
    for (int i = 0; largest > 0 && i < n; i++)
        search->motion[i] /= largest;
    for (int i = 0; largest > 0 && i < m; i++)
        search->rate[i] /= largest;
    search->closure->motion = n > 0 ? search->motion : NULL;
    search->closure->rate = search->rate;
}

static SpragStatus keep_force(Search *search, const ClosureCone *cone)
{
    SPRAG_TRY(closure_cone_stress(search->arena, &search->rows, cone, search->force));
    int m = search->rows.problem->row_count;
    clean(m, search->force, largest_of(m, search->force));
    search->closure->force = search->force;
    return SPRAG_OK;
}

// ---- Decisions ----------------------------------------------------------------------------------

// Whether a cone closes; false in *decided if that could not be found out.
static SpragStatus test_cone(Search *search, const ClosureCone *cone, bool *closes, bool *decided)
{
    ClosureTest test = {.w = search->w};
    SPRAG_TRY(closure_cone_test(search->arena, &search->rows, cone, &test));
    *decided = test.decided;
    *closes = test.decided && test.margin > SPRAG_CLOSURE_TOLERANCE;
    search->closure->margin = *closes ? test.margin : 0;
    return SPRAG_OK;
}

static SpragStatus try_inside(Search *search, int sides, bool *closes)
{
    bool decided;
    *closes = false;
    if (search->guide_count > MOST_GUIDES)
        return SPRAG_OK;
    for (unsigned signs = 0; signs < 1u << search->guide_count && !*closes; signs++) {
        ClosureCone cone = {.sides = sides, .signs = signs};
        SPRAG_TRY(test_cone(search, &cone, closes, &decided));
        if (!*closes)
            continue;
        search->closure->kind = SPRAG_CLOSURE_FORCE;
        SPRAG_TRY(keep_force(search, &cone));
    }
    return SPRAG_OK;
}

static SpragStatus try_outside(Search *search, int sides, bool *refuted)
{
    ClosureCone cone = {.sides = sides, .outer = true};
    bool closes, decided;
    SPRAG_TRY(test_cone(search, &cone, &closes, &decided));
    search->closure->margin = 0;
    *refuted = decided && !closes;
    if (!*refuted)
        return SPRAG_OK;
    search->closure->kind = SPRAG_CLOSURE_NONE;
    keep_motion(search, search->w);
    return SPRAG_OK;
}

// Form closure: the normal forces alone.
static SpragStatus try_smooth(Search *search, bool *closes)
{
    ClosureCone smooth = {.frictionless = true};
    bool decided;
    *closes = false;
    if (search->rows.rank < search->rows.freedom || search->rows.freedom == 0)
        return SPRAG_OK;
    SPRAG_TRY(test_cone(search, &smooth, closes, &decided));
    if (!*closes)
        return SPRAG_OK;
    search->closure->kind = SPRAG_CLOSURE_FORM;
    return keep_force(search, &smooth);
}

static SpragStatus decide(Search *search)
{
    static const int sides[] = {16, 32, 64};
    SpragClosure *closure = search->closure;
    bool done = false;
    closure->kind = SPRAG_CLOSURE_UNDECIDED;
    for (int i = 0; i < (search->space ? 3 : 1) && !done; i++) {
        closure->cone_sides = search->space ? sides[i] : 2;
        SPRAG_TRY(try_inside(search, sides[i], &done));
        if (!done)
            SPRAG_TRY(try_outside(search, sides[i], &done));
    }
    return SPRAG_OK;
}

// ---- Words --------------------------------------------------------------------------------------

static void explain(const Search *search, bool bare)
{
    SpragClosure *closure = search->closure;
    const char *text = "";
    switch (closure->kind) {
    case SPRAG_CLOSURE_FORM:
        text = "contact forces exist against any load, even without friction";
        break;
    case SPRAG_CLOSURE_FORCE:
        text = "contact forces exist against any load, with friction and enough preload";
        break;
    case SPRAG_CLOSURE_UNDECIDED:
        text = search->too_large ? "these are too many bodies and contacts to decide together"
               : search->rows.failed
                   ? "its numbers are too large or too small, or no masses"
                   : "it is too near to the border of the cones, or its guides leave it open";
        break;
    case SPRAG_CLOSURE_NONE:
        if (closure->freedom == 0)
            text = bare ? "there is no contact" : "there is no moving body";
        else if (closure->row_count == 0)
            text = "nothing touches it";
        else if (closure->rank < closure->freedom)
            text = "one motion is not seen by any contact: no load along it can be held";
        else
            text = "one motion is not resisted by any contact force: no load along it can be held";
        break;
    }
    snprintf(closure->reason, sizeof closure->reason, "%s%s", text,
             bare && closure->freedom > 0 ? " (of loads that act through the contacts)" : "");
}

// ---- Driver -------------------------------------------------------------------------------------

static void classify(Search *search)
{
    const SpragContactProblem *problem = search->rows.problem;
    for (int c = 0; c < problem->constraint_count; c++) {
        const SpragConstraint *item = &problem->constraints[c];
        bool rough = item->friction > 0 && search->rows.size[item->row] > 0;
        search->space |= rough && item->row_count == 3 && item->kind != SPRAG_CONSTRAINT_BEARING;
        search->guide_count += item->kind == SPRAG_CONSTRAINT_GUIDE;
    }
}

// A motion that nothing sees has two directions: the one whose largest velocity is positive.
static double choose_sign(const Search *search)
{
    const ClosureRows *rows = &search->rows;
    int n = rows->problem->velocity_count, m = rows->problem->row_count, width = rows->rank + 1;
    const double *column = (n > 0 ? rows->motion : rows->rate) + rows->rank;
    double largest = 0;
    for (int i = 0; i < (n > 0 ? n : m); i++)
        if (fabs(column[i * width]) > fabs(largest) * (1 + 1e-9))
            largest = column[i * width];
    return largest < 0 ? -1 : 1;
}

static SpragStatus set_rows(Search *search, const SpragContactProblem *problem, int block,
                            bool frictionless)
{
    SPRAG_TRY(closure_rows_build(search->arena, problem, block, frictionless, &search->rows));
    search->w = sprag_arena_alloc(search->arena, (size_t)search->rows.rank + 1, sizeof(double));
    return search->w ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

static SpragStatus search_run(Search *search, const SpragContactProblem *problem, int block)
{
    SpragClosure *closure = search->closure;
    bool form;
    closure->kind = SPRAG_CLOSURE_UNDECIDED;
    search->too_large = block == SPRAG_ALL_BODIES && (problem->velocity_count > MOST_FREEDOM ||
                                                      problem->row_count > 4 * MOST_FREEDOM);
    if (search->too_large)
        return SPRAG_OK;
    SPRAG_TRY(set_rows(search, problem, block, true));
    if (search->rows.failed)
        return SPRAG_OK;
    closure->cone_sides = 2;
    closure->kind = SPRAG_CLOSURE_NONE;
    SPRAG_TRY(try_smooth(search, &form));
    if (!form)
        SPRAG_TRY(set_rows(search, problem, block, false));
    closure->freedom = search->rows.freedom;
    closure->rank = search->rows.rank;
    closure->row_count = search->rows.count;
    if (form || closure->freedom == 0)
        return SPRAG_OK;
    classify(search);
    if (closure->rank < closure->freedom) {
        search->w[closure->rank] = choose_sign(search);
        keep_motion(search, search->w);
        return SPRAG_OK;
    }
    return decide(search);
}

static SpragStatus find_one(SpragArena *arena, const SpragContactProblem *problem, int block,
                            SpragClosure *closure)
{
    Search search = {.arena = arena, .closure = closure};
    size_t n = (size_t)problem->velocity_count + 1, m = (size_t)problem->row_count + 1;
    memset(closure, 0, sizeof *closure);
    search.force = sprag_arena_alloc(arena, m, sizeof(double));
    search.rate = sprag_arena_alloc(arena, m, sizeof(double));
    search.motion = sprag_arena_alloc(arena, n, sizeof(double));
    if (!search.force || !search.rate || !search.motion)
        return SPRAG_ERROR_MEMORY;
    SpragArenaMark mark = sprag_arena_mark(arena);
    SpragStatus status = search_run(&search, problem, block);
    sprag_arena_release(arena, mark);
    explain(&search, problem->block_count == 0);
    return status;
}

SpragStatus sprag_closure_find(SpragArena *arena, const SpragContactProblem *problem, int block,
                               SpragClosure *closure)
{
    if (block < SPRAG_ALL_BODIES || block >= problem->block_count)
        return sprag_fail(problem->context, SPRAG_ERROR_ARGUMENT,
                          "closure: there is no body %d, the problem has %d", block,
                          problem->block_count);
    // What one body alone, all others held still, cannot withstand, all together cannot either: its
    // motion, with the others at rest, is a witness for both.
    for (int i = 0;
         block == SPRAG_ALL_BODIES && problem->block_count > 1 && i < problem->block_count; i++) {
        SpragArenaMark mark = sprag_arena_mark(arena);
        SPRAG_TRY(find_one(arena, problem, i, closure));
        if (closure->kind == SPRAG_CLOSURE_NONE && closure->freedom > 0)
            return SPRAG_OK;
        sprag_arena_release(arena, mark);
    }
    return find_one(arena, problem, block, closure);
}
