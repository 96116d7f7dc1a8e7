// friction_pairing.c: packets in pairs that share no body.
//
// Problem   a packet waits for its gathers, its root and its quotient, one after the other, and the
//           processor does not see far enough ahead to begin the next one meanwhile
// Method    two packets that share no body are visited stage by stage in turn: the bytes are those
//           of one after the other. Each packet takes the first of the next few that fits, those
//           that find none follow at the end. Bodies are compared by signatures of SIGNATURE_BITS:
//           of more bodies some that differ look the same, and a pair is missed.
#include "friction_packets.h"

enum { SIGNATURE_BITS = 512, WORDS = SIGNATURE_BITS / 64, MOST_TRIALS = 64 };

typedef struct Signature {
    uint64_t word[WORDS];
} Signature;

static void sign(const Packing *p, Signature *signatures)
{
    for (size_t i = 0; i < 2 * p->contacts; i++) {
        int body = p->problem->bodies[i];
        unsigned bit = (unsigned)body % SIGNATURE_BITS;
        if (body >= 0)
            signatures[p->place[i / 2] / LANES].word[bit / 64] |= (uint64_t)1 << bit % 64;
    }
}

static bool share(const Signature *a, const Signature *b)
{
    uint64_t common = 0;
    for (int k = 0; k < WORDS; k++)
        common |= a->word[k] & b->word[k];
    return common != 0;
}

// The first packet behind `i` without a number that shares nothing with it; 0: none.
static int find_partner(const Packing *p, const Signature *signatures, const int *number, int i)
{
    int trials = 0;
    for (int k = i + 1; k < p->count && trials < MOST_TRIALS; k++) {
        if (number[k] >= 0)
            continue;
        trials++;
        if (!share(&signatures[i], &signatures[k]))
            return k;
    }
    return 0;
}

// New numbers of all packets: pairs, then the others.
static void number_packets(Packing *p, const Signature *signatures, int *number)
{
    int next = 0;
    for (int i = 0; i < p->count; i++)
        number[i] = -1;
    for (int i = 0; i < p->count; i++) {
        int partner = number[i] < 0 ? find_partner(p, signatures, number, i) : 0;
        if (partner == 0)
            continue;
        number[i] = next++;
        number[partner] = next++;
    }
    p->field.paired = (size_t)next;
    for (int i = 0; i < p->count; i++)
        if (number[i] < 0)
            number[i] = next++;
}

bool packing_pair(Packing *p)
{
    Signature *signatures = sprag_arena_alloc(p->arena, (size_t)p->count + 1, sizeof *signatures);
    int *number = sprag_arena_alloc(p->arena, (size_t)p->count + 1, sizeof *number);
    if (!signatures || !number)
        return false;
    sign(p, signatures);
    number_packets(p, signatures, number);
    for (size_t i = 0; i < p->contacts; i++)
        p->place[i] = LANES * number[p->place[i] / LANES] + p->place[i] % LANES;
    return true;
}
