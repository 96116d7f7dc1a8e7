// random.c: xoshiro256** seeded by splitmix64 [Blackman2021, p. 36:7].
#include <math.h>

#include "sprag/base.h"

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t rotate_left(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

void sprag_random_init(SpragRandom *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        random->state[i] = splitmix(&seed);
}

uint64_t sprag_random_bits(SpragRandom *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

double sprag_random_uniform(SpragRandom *random, double from, double to)
{
    double unit = (double)(sprag_random_bits(random) >> 11) * 0x1p-53;
    double drawn = from + (to - from) * unit;
    // the sum can round up to the open end
    return drawn < to ? drawn : from;
}

double sprag_random_normal(SpragRandom *random)
{
    // Box and Muller; 1 − u keeps the logarithm finite
    double u = 1.0 - sprag_random_uniform(random, 0, 1);
    double v = sprag_random_uniform(random, 0, 6.283185307179586);
    return sqrt(-2.0 * log(u)) * cos(v);
}

int sprag_random_below(SpragRandom *random, int count)
{
    return (int)(sprag_random_bits(random) % (uint64_t)count);
}
