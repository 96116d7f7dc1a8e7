// scalar_outcome.c: verdicts of drives as outcomes: what changes by jumps only, for maps and
// margins.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sprag/scalar.h"

enum { LISTED = 32, WORD_BYTES = 16 * 12 }; // motions whose modes are spelled out; "forward+ …"

typedef struct Listed {
    bool stable;
    char word[WORD_BYTES];
} Listed;

// Where both branches meet (no normal force) the motion counts as one of the first.
static const char *mode_word(int direction, double normal)
{
    static const char *const words[3][2] = {
        {"back-", "back+"}, {"held", "held"}, {"forward-", "forward+"}};
    return words[direction + 1][normal >= 0];
}

static int compare(const void *a, const void *b)
{
    const Listed *x = a, *y = b;
    if (x->stable != y->stable)
        return x->stable ? -1 : 1;
    return strcmp(x->word, y->word);
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}

// Modes into the outcome, stable motions first, and the signature of all of it.
static void finish(SpragOutcome *outcome, Listed *listed, int count, const char *chosen)
{
    static const char cut[] = "…";
    size_t used = 0;
    bool full = false;
    uint64_t hash = 0xcbf29ce484222325u + (uint64_t)outcome->kind * 8 +
                    (uint64_t)outcome->complete * 4 + (uint64_t)outcome->held * 2;
    qsort(listed, (size_t)count, sizeof *listed, compare);
    for (int i = 0; i < count; i++) {
        size_t length = strlen(listed[i].word);
        hash = mix(hash_text(hash, listed[i].word) + listed[i].stable);
        if (full)
            continue;
        full = used + length + 1 + sizeof cut > sizeof outcome->modes;
        if (full) {
            memcpy(outcome->modes + used, cut, sizeof cut);
            continue;
        }
        if (i > 0)
            outcome->modes[used++] = '|';
        memcpy(outcome->modes + used, listed[i].word, length + 1);
        used += length;
    }
    hash = mix(hash_text(hash, chosen) + (uint64_t)outcome->solution_count);
    outcome->signature = hash;
}

void sprag_pair_outcome(const SpragPairVerdict *verdict, SpragOutcome *outcome)
{
    Listed listed[SPRAG_PAIR_MOTIONS] = {0};
    int chosen = verdict->chosen;
    memset(outcome, 0, sizeof *outcome);
    outcome->kind = verdict->kind;
    outcome->solution_count = verdict->motion_count;
    outcome->stable_count = verdict->stable_count;
    outcome->complete = outcome->forces_unique = true;
    outcome->held = chosen >= 0 && verdict->motions[chosen].branch == 0;
    outcome->recommended_compliant = chosen < 0;
    for (int i = 0; i < verdict->motion_count; i++) {
        const SpragPairMotion *motion = &verdict->motions[i];
        listed[i].stable = motion->stable;
        snprintf(listed[i].word, sizeof listed[i].word, "%s",
                 mode_word(motion->direction, motion->normal));
    }
    char chosen_word[WORD_BYTES] = "";
    if (chosen >= 0)
        memcpy(chosen_word, listed[chosen].word, sizeof chosen_word);
    finish(outcome, listed, verdict->motion_count, chosen_word);
    if (verdict->jam)
        memcpy(outcome->modes, "jam", sizeof "jam");
}

static void spell_motion(int guide_count, const SpragGuidesMotion *motion, Listed *listed)
{
    size_t used = 0;
    listed->stable = motion->stable;
    for (int j = 0; j < guide_count; j++) {
        const char *word = mode_word(motion->slip[j], motion->sign[j]);
        if (j > 0)
            listed->word[used++] = ' ';
        size_t length = strlen(word);
        memcpy(listed->word + used, word, length + 1);
        used += length;
    }
}

void sprag_guides_outcome(int guide_count, const SpragGuidesVerdict *verdict, SpragOutcome *outcome)
{
    Listed listed[LISTED] = {0};
    int chosen = verdict->chosen, count = verdict->motion_count;
    memset(outcome, 0, sizeof *outcome);
    outcome->kind = verdict->kind;
    outcome->solution_count = count;
    outcome->stable_count = verdict->stable_count;
    outcome->complete = verdict->complete;
    outcome->forces_unique = true;
    outcome->held = verdict->held;
    outcome->recommended_compliant = chosen < 0;
    char chosen_word[WORD_BYTES] = "";
    for (int i = 0; i < count; i++)
        outcome->forces_unique &= verdict->motions[i].forces_unique;
    for (int i = 0; i < count && i < LISTED; i++)
        spell_motion(guide_count, &verdict->motions[i], &listed[i]);
    if (chosen >= 0 && chosen < LISTED)
        memcpy(chosen_word, listed[chosen].word, sizeof chosen_word);
    finish(outcome, listed, count < LISTED ? count : LISTED, chosen_word);
    if (count == 0 && verdict->moving)
        memcpy(outcome->modes, "jam", sizeof "jam");
}
