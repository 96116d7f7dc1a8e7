// impact_planar.c: one contact in the plane, in closed form.
// Problem   the path (S, C) over the normal impulse P of theory.md (10.7), (10.8), and its end by
//           Newton's, Poisson's or the energetic law
// Method    the path has two straight legs: slip until P_s, then stick or slip the other way; ends
//           of compression (10.9) and of restitution (10.10)–(10.13) are where a line or a parabola
//           over one of them says so; losses (10.15), (10.16) are summed leg by leg
// Assumes   W positive semidefinite; where it is singular a contact can lock, see
//           SpragSingleResult.compression
#include <math.h>
#include <string.h>

#include "impact_private.h"

// Changes per unit of normal impulse, (10.8).
typedef struct Leg {
    double S, C, x;
} Leg;

typedef struct Path {
    double S_0, C_0;
    double P_s, C_s; // where slip stops: on the first leg
    double P_c, P_T;
    Leg first, second;
    bool stick;  // the second leg
    bool locked; // … and nothing moves on it
} Path;

// The point that moves along the path, and what was lost so far in either phase.
typedef struct Walk {
    double P, P_x, S, C;
    double normal[2], tangential[2];
} Walk;

static Leg slip_leg(double i1, double i2, double i3, double mu, int k)
{
    return (Leg){-k * (mu * i1 + k * i3), i2 + k * mu * i3, -k * mu};
}

static void find_legs(const SpragSingleImpact *problem, Path *path)
{
    double i1 = problem->W[3], i2 = problem->W[0], i3 = -problem->W[1];
    double mu = fmin(problem->friction, IMPACT_FRICTION_MAX);
    double mu_static = fmax(mu, fmin(problem->friction_static, IMPACT_FRICTION_MAX));
    path->C_0 = problem->velocity[0];
    path->S_0 = problem->velocity[1];
    path->stick = mu_static * i1 >= fabs(i3);
    if (path->stick) {
        double slope = i1 > 0 ? i3 / i1 : 0;
        path->second = (Leg){0, i2 - i3 * slope, slope};
        path->locked = !(path->second.C > IMPACT_LOCKED * i2);
    } else {
        path->second = slip_leg(i1, i2, i3, mu, i3 > 0 ? -1 : 1);
    }
    path->first = path->second;
    path->P_s = 0;
    if (path->S_0 != 0) {
        int j = path->S_0 > 0 ? 1 : -1;
        path->first = slip_leg(i1, i2, i3, mu, j);
        double A = -j * path->first.S;
        path->P_s = A > 0 ? fabs(path->S_0) / A : INFINITY;
    }
}

// P_c and C_s; false: nothing ends the compression. stops: slip stops within it.
static bool find_compression(Path *path, bool *stops)
{
    double P_c0 = path->first.C > 0 ? -path->C_0 / path->first.C : INFINITY;
    path->C_s = isfinite(path->P_s) ? path->C_0 + path->first.C * path->P_s : INFINITY;
    *stops = path->P_s < P_c0;
    path->P_c = P_c0;
    if (!*stops)
        return isfinite(P_c0);
    if (!path->locked) {
        path->P_c = path->P_s - path->C_s / path->second.C;
        return true;
    }
    path->P_c = path->P_s;
    double speed = fabs(path->C_0) + fabs(path->second.x * path->S_0);
    bool ends = path->C_s >= -IMPACT_LOCKED_SPEED * speed;
    path->C_s = 0;
    return ends;
}

// ∫ C dP over compression, W_c of (10.12).
static double compression_work(const Path *path, bool stops)
{
    if (!stops)
        return 0.5 * path->C_0 * path->P_c;
    return 0.5 * (path->C_0 + path->C_s) * path->P_s + 0.5 * path->C_s * (path->P_c - path->P_s);
}

// Impulse beyond P_s after which the second leg has given work R, from the velocity C_s ≥ 0: the
// root of ½ B_2 x² + C_s x = R without cancellation, (10.13).
static double leg_for_work(double C_s, double B_2, double R)
{
    return R > 0 ? 2 * R / (C_s + sqrt(C_s * C_s + 2 * B_2 * R)) : 0;
}

static void find_total(const SpragSingleImpact *problem, Path *path, bool stops)
{
    double e = problem->e, B_2 = path->second.C;
    double plain = (1 + e) * path->P_c;
    path->P_T = plain;
    if (path->P_s >= plain && !stops)
        return; // (e): the laws agree
    if (path->locked) {
        path->P_T = path->P_s; // stuck: nothing can be given back
        return;
    }
    if (problem->law == SPRAG_RESTITUTION_NEWTON) {
        path->P_T = path->P_s + (-e * path->C_0 - path->C_s) / B_2;
    } else if (problem->law == SPRAG_RESTITUTION_ENERGETIC) {
        double R = -e * e * compression_work(path, stops);
        if (stops) {
            path->P_T = path->P_c + sqrt(fmax(2 * R / B_2, 0));
        } else {
            double over = path->P_s - path->P_c;
            path->P_T =
                path->P_s + leg_for_work(path->C_s, B_2, R - 0.5 * path->first.C * over * over);
        }
    }
    path->P_T = fmax(path->P_T, fmax(path->P_c, path->P_s)); // rounding at the borders
}

static void walk(Walk *at, const Leg *leg, double to, int phase)
{
    double dP = to - at->P;
    double S = at->S + leg->S * dP, C = at->C + leg->C * dP;
    at->normal[phase] -= 0.5 * (at->C + C) * dP;
    at->tangential[phase] -= 0.5 * (at->S + S) * leg->x * dP;
    at->S = S;
    at->C = C;
    at->P = to;
    at->P_x += leg->x * dP;
}

static void keep_compression(Walk *at, SpragSingleResult *result)
{
    at->C = 0;
    result->after_compression[0] = 0;
    result->after_compression[1] = at->S;
    result->impulse_compression[0] = at->P;
    result->impulse_compression[1] = at->P_x;
}

static void march(const Path *path, bool stops, SpragSingleResult *result)
{
    Walk at = {.S = path->S_0, .C = path->C_0};
    if (stops) {
        walk(&at, &path->first, path->P_s, 0);
        at.S = 0;
        walk(&at, &path->second, path->P_c, 0);
        keep_compression(&at, result);
        walk(&at, &path->second, path->P_T, 1);
    } else {
        bool turns = path->P_s < path->P_T;
        walk(&at, &path->first, path->P_c, 0);
        keep_compression(&at, result);
        walk(&at, &path->first, turns ? path->P_s : path->P_T, 1);
        if (turns) {
            at.S = 0;
            walk(&at, &path->second, path->P_T, 1);
        }
    }
    result->impulse[0] = at.P;
    result->impulse[1] = at.P_x;
    result->after[0] = at.C;
    result->after[1] = at.S;
    result->loss =
        (SpragImpactLoss){at.normal[0], at.normal[1], at.tangential[0], at.tangential[1]};
}

static SpragImpactCase case_of(const Path *path, bool stops)
{
    if (path->S_0 == 0)
        return path->stick ? SPRAG_IMPACT_STICK : SPRAG_IMPACT_SLIDE_FROM_REST;
    if (stops)
        return path->stick ? SPRAG_IMPACT_STICK_COMPRESSION : SPRAG_IMPACT_REVERSE_COMPRESSION;
    // locked at the end of restitution: slip has stopped although nothing follows
    if (path->P_s < path->P_T || (path->P_s == path->P_T && path->locked))
        return path->stick ? SPRAG_IMPACT_STICK_RESTITUTION : SPRAG_IMPACT_REVERSE_RESTITUTION;
    return SPRAG_IMPACT_SLIDE;
}

void impact_planar(const SpragSingleImpact *problem, SpragSingleResult *result)
{
    Path path = {0};
    bool stops;
    find_legs(problem, &path);
    bool slips = path.S_0 != 0, jams = slips && path.first.C <= 0;
    if (path.C_0 > 0 || (path.C_0 == 0 && !(slips && path.first.C < 0)))
        return;
    result->slip_stop = path.P_s;
    result->jam = jams;
    result->tangential = path.C_0 == 0;
    if (!find_compression(&path, &stops)) {
        result->compression = INFINITY;
        return;
    }
    result->compression = path.P_c;
    find_total(problem, &path, stops);
    result->kind = case_of(&path, stops);
    march(&path, stops, result);
}
