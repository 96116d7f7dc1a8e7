// impacts.h: random single impacts, and a march in the impulse domain that shares no code with the
// library.
#ifndef SPRAG_TEST_IMPACTS_H
#define SPRAG_TEST_IMPACTS_H

#include "support/test.h"

// ---- Random pairs of bodies ---------------------------------------------------------------------

// W of a contact between two planar bodies, theory.md (10.1), and velocities from theirs. Body 2 is
// fixed in half of the draws.
static inline void random_planar_pair(SpragRandom *random, SpragSingleImpact *problem)
{
    double J[2][2][3], inverse[2][3], v[2][3];
    bool fixed = sprag_random_below(random, 2) == 0;
    for (int body = 0; body < 2; body++) {
        double sign = body == 0 ? 1 : -1;
        double x = sprag_random_uniform(random, -1, 1), y = sprag_random_uniform(random, -1, 1);
        double mass = sprag_random_uniform(random, 0.2, 3);
        double radius = sprag_random_uniform(random, 0.05, 1);
        bool still = body == 1 && fixed;
        inverse[body][0] = inverse[body][1] = still ? 0 : 1 / mass;
        inverse[body][2] = still ? 0 : 1 / (mass * radius * radius);
        double rows[2][3] = {{0, sign, sign * x}, {sign, 0, -sign * y}};
        memcpy(J[body], rows, sizeof rows);
        for (int k = 0; k < 3; k++)
            v[body][k] = still ? 0 : sprag_random_uniform(random, -1, 1);
    }
    problem->dimension = 2;
    for (int i = 0; i < 2; i++) {
        problem->velocity[i] = 0;
        for (int k = 0; k < 2; k++)
            problem->W[2 * i + k] = 0;
        for (int body = 0; body < 2; body++)
            for (int m = 0; m < 3; m++) {
                problem->velocity[i] += J[body][i][m] * v[body][m];
                for (int k = 0; k < 2; k++)
                    problem->W[2 * i + k] += J[body][i][m] * inverse[body][m] * J[body][k][m];
            }
    }
    problem->velocity[0] = -fabs(problem->velocity[0]);
}

// Friction and restitution, with the special values in a part of the draws: zero slip, equal or
// larger static friction, e = 0 or 1, no friction, the tangential impact where it can be.
static inline void random_planar_impact(SpragRandom *random, SpragSingleImpact *problem)
{
    memset(problem, 0, sizeof *problem);
    random_planar_pair(random, problem);
    problem->friction = exp(sprag_random_uniform(random, log(0.02), log(5)));
    if (sprag_random_below(random, 20) == 0)
        problem->friction = 0;
    int kind = sprag_random_below(random, 3);
    problem->friction_static = kind == 0   ? 0
                               : kind == 1 ? problem->friction
                                           : problem->friction * sprag_random_uniform(random, 1, 2);
    int edge = sprag_random_below(random, 10);
    problem->e = edge == 0 ? 0 : edge == 1 ? 1 : sprag_random_uniform(random, 0, 1);
    if (sprag_random_below(random, 8) == 0)
        problem->velocity[1] = 0;
    if (sprag_random_below(random, 4) == 0)
        problem->velocity[1] *= 0.1;
    if (sprag_random_below(random, 10) == 0)
        problem->velocity[0] = 0;
}

// ---- A march in the impulse domain, in the plane ------------------------------------------------

typedef struct MarchState {
    double P, P_x, C, S, work, friction; // ∫ C dP, −∫ S dP_x
} MarchState;

typedef struct MarchResult {
    MarchState end, compression;
    int kind;    // SpragImpactCase
    bool any;    // an impulse at all
    double stop; // normal impulse where slip first stopped
} MarchResult;

// Tangential impulse per normal one at a point whose slip is `side` (0: it has stopped).
static inline double march_ratio(const SpragSingleImpact *problem, int side)
{
    const double *W = problem->W;
    double mu = problem->friction, most = fmax(mu, problem->friction_static);
    if (side != 0)
        return -side * mu;
    // stick: W_TT x + W_TN = 0, if friction can
    double hold = W[3] > 0 ? -W[2] / W[3] : 0;
    if (fabs(hold) <= most)
        return hold;
    return W[2] > 0 ? -mu : mu;
}

static inline MarchState march_step(const SpragSingleImpact *problem, const MarchState *s,
                                    double ratio, double h)
{
    const double *W = problem->W;
    // rates are constant, so velocities are linear and works parabolas: Simpson's rule is exact
    MarchState n = *s;
    double C_mid, S_mid;
    n.P = s->P + h;
    n.P_x = s->P_x + ratio * h;
    n.C = s->C + (W[0] + W[1] * ratio) * h;
    n.S = s->S + (W[2] + W[3] * ratio) * h;
    C_mid = s->C + (W[0] + W[1] * ratio) * 0.5 * h;
    S_mid = s->S + (W[2] + W[3] * ratio) * 0.5 * h;
    n.work = s->work + h / 6 * (s->C + 4 * C_mid + n.C);
    n.friction = s->friction - ratio * h / 6 * (s->S + 4 * S_mid + n.S);
    return n;
}

// Negative until the law is met in restitution.
static inline double march_excess(const SpragSingleImpact *problem, const MarchState *s,
                                  const MarchState *c)
{
    if (problem->law == SPRAG_RESTITUTION_NEWTON)
        return s->C + problem->e * problem->velocity[0];
    if (problem->law == SPRAG_RESTITUTION_POISSON)
        return s->P - (1 + problem->e) * c->P;
    return s->work - c->work + problem->e * problem->e * c->work;
}

// Bisects the step in which f changes its sign; which: 0 slip, 1 C, 2 the law.
static inline double march_bisect(const SpragSingleImpact *problem, const MarchState *s,
                                  const MarchState *c, double ratio, double h, int which)
{
    double low = 0, high = h;
    for (int i = 0; i < 200 && high > low; i++) {
        double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high)
            break;
        MarchState n = march_step(problem, s, ratio, middle);
        bool passed = which == 0   ? (n.S > 0) != (s->S > 0)
                      : which == 1 ? n.C >= 0
                                   : march_excess(problem, &n, c) >= 0;
        if (passed)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static inline int march_kind(bool slipped, bool stopped, bool in_restitution, bool sticks)
{
    if (!slipped)
        return sticks ? SPRAG_IMPACT_STICK : SPRAG_IMPACT_SLIDE_FROM_REST;
    if (!stopped)
        return SPRAG_IMPACT_SLIDE;
    if (in_restitution)
        return sticks ? SPRAG_IMPACT_STICK_RESTITUTION : SPRAG_IMPACT_REVERSE_RESTITUTION;
    return sticks ? SPRAG_IMPACT_STICK_COMPRESSION : SPRAG_IMPACT_REVERSE_COMPRESSION;
}

static inline void march_planar(const SpragSingleImpact *problem, MarchResult *result)
{
    memset(result, 0, sizeof *result);
    const double *W = problem->W;
    MarchState s = {.C = problem->velocity[0], .S = problem->velocity[1]};
    int side = s.S > 0 ? 1 : s.S < 0 ? -1 : 0, first = side;
    bool restitution = false, stopped = side == 0, late = false, turned = false;
    result->end = s;
    result->stop = INFINITY;
    if (s.C > 0 || (s.C == 0 && !(side != 0 && W[0] + W[1] * march_ratio(problem, side) < 0)))
        return;
    result->any = true;
    double h = 0.01 * (fabs(s.C) + fabs(s.S)) / (W[0] + W[3]);
    for (long i = 0; i < 10000000; i++) {
        double ratio = march_ratio(problem, turned ? 0 : side);
        MarchState n = march_step(problem, &s, ratio, h);
        double to[3] = {INFINITY, INFINITY, INFINITY};
        if (side != 0 && !turned && ((n.S > 0) != (s.S > 0) || n.S == 0))
            to[0] = march_bisect(problem, &s, NULL, ratio, h, 0);
        if (!restitution && n.C >= 0)
            to[1] = march_bisect(problem, &s, NULL, ratio, h, 1);
        if (restitution && march_excess(problem, &n, &result->compression) >= 0)
            to[2] = march_bisect(problem, &s, &result->compression, ratio, h, 2);
        double first_to = fmin(to[0], fmin(to[1], to[2]));
        s = isfinite(first_to) ? march_step(problem, &s, ratio, first_to) : n;
        if (!isfinite(first_to)) {
            h *= 1.02;
            continue;
        }
        if (first_to == to[2])
            break;
        if (first_to == to[0]) {
            s.S = 0;
            turned = stopped = true;
            late = restitution;
            result->stop = s.P;
        } else {
            s.C = 0;
            restitution = true;
            result->compression = s;
            if (march_excess(problem, &s, &s) >= 0)
                break;
        }
    }
    result->end = s;
    double hold = W[3] > 0 ? fabs(W[2]) / W[3] : 0;
    result->kind = march_kind(first != 0, stopped, late,
                              hold <= fmax(problem->friction, problem->friction_static));
}

#endif
