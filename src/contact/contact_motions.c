// contact_motions.c: every motion of a contact problem.
// Problem   all a = W λ + b that obey Coulomb's law in every constraint, theory.md section 2
// Method    islands (constraints that W couples) are searched one by one (contact_tree.c), and
//           every combination of their motions is a motion of the whole
// Result    in a fixed order; complete is false if a limit was met
#include <string.h>

#include "contact_search.h"
#include "contact_space.h"

enum { MOTION_COOKIE = 0x4d4f5431 };

// A motion that violates the laws by more than this, relative to its forces, is none.
static const double WRONG = 1e-5;

struct SpragMotionSearch {
    SpragContext *context;
    SpragArena *arena;
    SpragMotion *results; // combined motions; their arrays are in the arena
    size_t result_capacity;
};

SpragMotionSettings sprag_motion_default(void)
{
    return (SpragMotionSettings){.tolerance = 1e-11,
                                 .singular = 1e-12,
                                 .max_motions = 4096,
                                 .max_nodes = 5000000,
                                 .ranges = true,
                                 .width = 1e-8,
                                 .cookie = MOTION_COOKIE};
}

SpragStatus sprag_motion_search_create(SpragContext *context, SpragMotionSearch **search)
{
    *search = NULL;
    SpragMotionSearch *created = sprag_alloc(context, 1, sizeof *created);
    if (!created)
        return SPRAG_ERROR_MEMORY;
    created->context = context;
    SpragStatus status = sprag_arena_create(context, 1 << 16, &created->arena);
    if (status != SPRAG_OK) {
        sprag_free(context, created);
        return status;
    }
    *search = created;
    return SPRAG_OK;
}

void sprag_motion_search_destroy(SpragMotionSearch *search)
{
    if (!search)
        return;
    sprag_arena_destroy(search->arena);
    sprag_free(search->context, search->results);
    sprag_free(search->context, search);
}

// ---- Islands ------------------------------------------------------------------------------------

static SpragStatus find_islands(SpragMotionSearch *search, const SpragContactProblem *problem,
                                Island **islands, int *island_count)
{
    SpragArena *arena = search->arena;
    int n = problem->constraint_count;
    bool *taken = sprag_arena_alloc(arena, (size_t)n + 1, sizeof *taken);
    int *order = sprag_arena_alloc(arena, (size_t)n + 1, sizeof *order);
    Island *list = sprag_arena_alloc(arena, (size_t)n + 1, sizeof *list);
    if (!taken || !order || !list)
        return SPRAG_ERROR_MEMORY;
    int used = 0, count = 0;
    for (int seed = 0; seed < n; seed++) {
        if (taken[seed])
            continue;
        Island *island = &list[count++];
        island->member = order + used;
        order[used++] = seed;
        taken[seed] = true;
        island->member_count = 1;
        for (int i = 0; i < island->member_count; i++) {
            for (int d = 0; d < n; d++) {
                if (taken[d] || !sprag_contact_problem_is_coupled(problem, island->member[i], d))
                    continue;
                taken[d] = true;
                order[used++] = d;
                island->member_count++;
            }
        }
    }
    *islands = list;
    *island_count = count;
    return SPRAG_OK;
}

// Copies motion `choice` of an island to its places in the whole problem.
static void scatter(const SpragContactProblem *problem, const Island *island, int choice,
                    SpragMotion *target)
{
    const SpragMotion *source = &island->motions[choice];
    int local = 0;
    for (int i = 0; i < island->member_count; i++) {
        const SpragConstraint *item = &problem->constraints[island->member[i]];
        target->modes[island->member[i]] = source->modes[i];
        target->active[island->member[i]] = source->active[i];
        memcpy(target->direction + WAYS * island->member[i], source->direction + WAYS * i,
               WAYS * sizeof *target->direction);
        for (int k = 0; k < item->row_count; k++, local++) {
            target->acceleration[item->row + k] = source->acceleration[local];
            target->force[item->row + k] = source->force[local];
            target->force_low[item->row + k] = source->force_low[local];
            target->force_high[item->row + k] = source->force_high[local];
        }
    }
    target->dimension += source->dimension;
    target->force_dimension += source->force_dimension;
}

// Every combination of one motion per island, the last island fastest.
static SpragStatus combine(SpragMotionSearch *search, const SpragContactProblem *problem,
                           const SpragMotionSettings *settings, const Island *islands,
                           int island_count, SpragMotionSet *set)
{
    int *choice = sprag_arena_alloc(search->arena, (size_t)island_count + 1, sizeof *choice);
    if (!choice)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < island_count; i++)
        if (islands[i].motion_count == 0)
            return SPRAG_OK;
    bool judged = problem->dimension == 3;
    for (int c = 0; c < problem->constraint_count; c++)
        judged |= problem->constraints[c].kind == SPRAG_CONSTRAINT_BEARING;
    for (bool more = true; more;) {
        if (set->count == settings->max_motions) {
            set->complete = false;
            break;
        }
        SPRAG_TRY(sprag_reserve(search->context, &search->results, &search->result_capacity,
                                (size_t)set->count + 1, sizeof *search->results));
        SpragMotion *motion = &search->results[set->count];
        SPRAG_TRY(
            allocate_motion(search->arena, problem->row_count, problem->constraint_count, motion));
        for (int i = 0; i < island_count; i++)
            scatter(problem, &islands[i], choice[i], motion);
        motion->residual = sprag_contact_residual(problem, motion->force);
        // in space, and with bearings, refinement and programs with slack may leave forces that
        // only look right
        bool wrong = judged && !(motion->residual <= WRONG);
        set->complete &= !wrong;
        set->count += !wrong;
        int i = island_count - 1;
        for (; i >= 0 && ++choice[i] == islands[i].motion_count; i--)
            choice[i] = 0;
        more = i >= 0;
    }
    set->motions = search->results;
    return SPRAG_OK;
}

// Where directions in which contacts of an island start to slip must be found: the search in space.
// The planar one knows bearings, and contacts that slide, or without friction, in space too.
static SpragStatus search_one(SpragArena *arena, const SpragContactProblem *problem,
                              const SpragMotionSettings *settings, Island *island,
                              SpragMotionSet *set)
{
    bool rubs = false, starts = false;
    for (int i = 0; i < island->member_count; i++) {
        const SpragConstraint *item = &problem->constraints[island->member[i]];
        rubs |= item->kind == SPRAG_CONSTRAINT_BEARING;
        starts |= item->row_count - sprag_constraint_normals(item) > 1 && item->friction > 0 &&
                  !item->sliding;
    }
    if (problem->dimension == 3 && !rubs)
        return search_space_island(arena, problem, settings, island, set);
    if (problem->dimension == 3 && starts)
        return search_mixed_island(arena, problem, settings, island, set);
    return search_island(arena, problem, settings, island, set);
}

SpragStatus sprag_motion_search_run(SpragMotionSearch *search, const SpragContactProblem *problem,
                                    const SpragMotionSettings *settings, SpragMotionSet *set)
{
    SpragMotionSettings chosen = settings ? *settings : sprag_motion_default();
    *set = (SpragMotionSet){.complete = true};
    if (chosen.cookie != MOTION_COOKIE)
        return sprag_fail(search->context, SPRAG_ERROR_ARGUMENT,
                          "motion settings must come from sprag_motion_default");
    sprag_arena_release(search->arena, (SpragArenaMark){0, 0});
    Island *islands;
    int island_count;
    SPRAG_TRY(find_islands(search, problem, &islands, &island_count));
    for (int i = 0; i < island_count; i++)
        SPRAG_TRY(search_one(search->arena, problem, &chosen, &islands[i], set));
    return combine(search, problem, &chosen, islands, island_count, set);
}
