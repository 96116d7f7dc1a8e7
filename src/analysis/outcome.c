// outcome.c: the part of a verdict that changes by jumps only, in a form that compares quickly.
// The order in which motions were found does not enter: each is hashed alone, and they are listed
// stable ones first, then by their modes.
#include <stdlib.h>
#include <string.h>

#include "sprag/analysis.h"

enum { LISTED = 32 }; // motions whose modes are spelled out

// FNV-1a, and a last mixing (splitmix64) so that sums of hashes do not cancel.
static uint64_t hash_byte(uint64_t hash, unsigned byte)
{
    return (hash ^ byte) * 0x100000001b3u;
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t hash_solution(const SpragContactProblem *problem, const SpragSolution *solution)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (int c = 0; c < problem->constraint_count; c++)
        hash = hash_byte(hash, (unsigned)solution->motion->modes[c] + 1);
    return mix(hash_byte(hash, 64 + (unsigned)solution->stable));
}

typedef struct Listed {
    const SpragSolution *solution;
    const SpragContactProblem *problem;
} Listed;

static int compare(const void *a, const void *b)
{
    const Listed *x = a, *y = b;
    if (x->solution->stable != y->solution->stable)
        return x->solution->stable ? -1 : 1;
    for (int c = 0; c < x->problem->constraint_count; c++) {
        int order = (int)x->solution->motion->modes[c] - (int)y->solution->motion->modes[c];
        if (order != 0)
            return order < 0 ? -1 : 1;
    }
    return 0;
}

// Appends as long as there is room for that and for the mark of a cut.
static bool append(char *text, size_t size, size_t *used, const char *word)
{
    static const char cut[] = "…";
    size_t length = strlen(word);
    if (*used + length + sizeof cut > size) {
        memcpy(text + *used, cut, sizeof cut);
        return false;
    }
    memcpy(text + *used, word, length + 1);
    *used += length;
    return true;
}

static void list_modes(SpragOutcome *outcome, const SpragContactProblem *problem,
                       const SpragVerdict *verdict)
{
    Listed listed[LISTED];
    int count = verdict->solution_count < LISTED ? verdict->solution_count : LISTED;
    size_t used = 0, size = sizeof outcome->modes;
    for (int i = 0; i < count; i++)
        listed[i] = (Listed){&verdict->solutions[i], problem};
    if (count > 1)
        qsort(listed, (size_t)count, sizeof *listed, compare);
    for (int i = 0; i < count; i++)
        for (int c = 0; c < problem->constraint_count; c++) {
            const char *between = c > 0 ? " " : i > 0 ? "|" : "";
            const char *word = sprag_mode_name(listed[i].solution->motion->modes[c]);
            if (!append(outcome->modes, size, &used, between) ||
                !append(outcome->modes, size, &used, word))
                return;
        }
}

void sprag_outcome_init(SpragOutcome *outcome, const SpragContactProblem *problem,
                        const SpragVerdict *verdict)
{
    memset(outcome, 0, sizeof *outcome);
    outcome->kind = verdict->kind;
    outcome->solution_count = verdict->solution_count;
    outcome->stable_count = verdict->stable_count;
    outcome->complete = verdict->complete;
    outcome->forces_unique = verdict->forces_unique;
    outcome->held = verdict->held;
    outcome->recommended_compliant = verdict->recommended_compliant;
    list_modes(outcome, problem, verdict);
    uint64_t sum = 0, hash = 0xcbf29ce484222325u;
    for (int i = 0; i < verdict->solution_count; i++)
        sum += hash_solution(problem, &verdict->solutions[i]);
    if (verdict->chosen >= 0)
        sum += mix(hash_solution(problem, &verdict->solutions[verdict->chosen]) + 1);
    hash = hash_byte(hash, (unsigned)verdict->kind);
    hash = hash_byte(hash, verdict->complete + 2u * verdict->held);
    hash = hash_byte(hash, (unsigned)verdict->solution_count);
    outcome->signature = mix(hash + sum);
}
