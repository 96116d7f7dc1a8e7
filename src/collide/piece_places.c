// piece_places.c: nearest places of points, lines, circles and planes.
// Circle and line   with e(φ) = cos φ e_1 + sin φ e_2, e_1 along the line's direction u as seen in
//                   the circle's plane, the squared distance is stationary where
//                       −α sin φ + β cos φ + κ sin φ cos φ = 0                theory.md (13.20)
//                   the problem of a point and an ellipse. Its minimum on the side u·e > 0 is
//                   unique, in a known quadrant, and exists if α ≤ 0 or (α, β) lies within the
//                   astroid of κ: so one bracketed root is exact, and the direction of the line
//                   says which of two crossings is meant.
// Circle and circle nearest place of one for points all around the other, then Newton on the two
//                   angles. A sign in `angle` says which of two crossings is meant.
#include <math.h>

#include "piece_private.h"

// Sine below which directions are parallel: rounding of unit vectors.
static const double ROUNDING = 1e-13;
// Places tried around a circle against a circle; more than the (at most eight) stationary ones.
enum { AROUND = 64 };
enum { ROOT_STEPS = 100, NEWTON_STEPS = 60, HALVINGS = 8 };
// Largest turn of a Newton step, rad.
static const double LONGEST_TURN = 0.2;
// Turns below the first are taken whole; the last one is rounding, rad.
static const double SMALL_TURN = 1e-6, LAST_TURN = 4e-16;
static const double QUARTER = 1.5707963267948966;

static bool is_hole(const Core *p, const Core *q)
{
    return p->radius < 0 || q->radius < 0;
}

// ---- Planes and lines ---------------------------------------------------------------------------

bool place_over_plane(Core *p, Core *plane)
{
    SpragVec3 n = plane->a;
    if (p->kind == SPRAG_PIECE_CIRCLE) {
        SpragVec3 down = sprag_vec3_cross(p->a, sprag_vec3_cross(p->a, n));
        p->level = sprag_vec3_norm(down) < ROUNDING;
        core_place_circle(p, p->level ? p->across : sprag_vec3_unit(down));
    } else if (p->kind != SPRAG_PIECE_POINT) {
        return false;
    }
    double height = sprag_vec3_dot(n, sprag_vec3_sub(p->c, plane->x));
    plane->c = sprag_vec3_along(p->c, -height, n);
    return true;
}

bool place_line(Core *p, Core *line)
{
    SpragVec3 to = sprag_vec3_sub(line->x, p->x);
    if (p->kind == SPRAG_PIECE_LINE) {
        SpragVec3 across = sprag_vec3_cross(p->a, line->a);
        double sine = sprag_vec3_norm(across);
        if (sine > ROUNDING) {
            across = sprag_vec3_scale(1 / (sine * sine), across);
            core_place_line(p, sprag_vec3_dot(sprag_vec3_cross(to, line->a), across));
            core_place_line(line, sprag_vec3_dot(sprag_vec3_cross(to, p->a), across));
            return true;
        }
    }
    core_place_line(line, -sprag_vec3_dot(line->a, to));
    return true;
}

// ---- Circle and line ----------------------------------------------------------------------------

// Minimum of 2 (α cos ψ − β sin ψ) − κ cos² ψ in 0 ≤ ψ ≤ π/2 for β ≥ 0; false: there is none.
static bool quadrant_root(double alpha, double beta, double kappa, double *psi)
{
    double low = 0, high = QUARTER;
    *psi = QUARTER;
    if (alpha > 0) {
        double a = cbrt(alpha), b = cbrt(beta), s = a * a + b * b;
        if (s * sqrt(s) > kappa)
            return false;
        high = atan(b / a);
    } else if (alpha == 0 && beta >= kappa) {
        return true;
    }
    double x = beta == 0 ? 0 : 0.5 * (low + high);
    for (int step = 0; step < ROOT_STEPS && beta > 0; step++) {
        double c = cos(x), s = sin(x);
        double value = -alpha * s - beta * c + kappa * s * c;
        double slope = -alpha * c + beta * s + kappa * (c - s) * (c + s);
        if (value < 0)
            low = x;
        else
            high = x;
        double next = x - value / slope;
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        if (next == x || high - low == 0)
            break;
        bool last = fabs(next - x) <= 2e-16 * x;
        x = next;
        if (last)
            break;
    }
    *psi = x;
    return true;
}

static void place_circle_line(Core *line, Core *circle)
{
    SpragVec3 u = line->a, a = circle->a, e1, e2;
    SpragVec3 seen = sprag_vec3_cross(a, sprag_vec3_cross(u, a));
    double k = sprag_vec3_norm(seen);
    e1 = k > ROUNDING ? sprag_vec3_scale(1 / k, seen) : circle->across;
    e2 = sprag_vec3_cross(a, e1);
    SpragVec3 g = sprag_vec3_sub(circle->x, line->x);
    g = sprag_vec3_along(g, -sprag_vec3_dot(g, u), u);
    if (is_hole(line, circle)) {
        // the farthest place: the same equation, a quarter turn on
        SpragVec3 turned = sprag_vec3_scale(-1, e1);
        e1 = e2;
        e2 = turned;
        g = sprag_vec3_scale(-1, g);
    }
    double alpha = sprag_vec3_dot(e1, g), beta = sprag_vec3_dot(e2, g), psi;
    double kappa = circle->size * k * k, side = 1;
    if (!quadrant_root(alpha, fabs(beta), kappa, &psi)) {
        side = -1;
        quadrant_root(-alpha, fabs(beta), kappa, &psi);
    }
    SpragVec3 e = sprag_vec3_scale(side * cos(psi), e1);
    core_place_circle(circle, sprag_vec3_along(e, (beta > 0 ? -1 : 1) * sin(psi), e2));
    core_place_line(line, sprag_vec3_dot(u, sprag_vec3_sub(circle->c, line->x)));
}

// ---- Circle and circle --------------------------------------------------------------------------

static SpragVec3 turned(const Core *circle, SpragVec3 e, double angle)
{
    SpragVec3 beside = sprag_vec3_cross(circle->a, e);
    return sprag_vec3_unit(sprag_vec3_along(sprag_vec3_scale(cos(angle), e), sin(angle), beside));
}

static void place_nearest(const Core *point, Core *circle)
{
    SpragVec3 v = sprag_vec3_sub(point->c, circle->x), a = circle->a;
    SpragVec3 radial = sprag_vec3_cross(a, sprag_vec3_cross(v, a));
    double size = sprag_vec3_norm(radial);
    SpragVec3 e =
        size > ROUNDING * circle->size ? sprag_vec3_scale(1 / size, radial) : circle->across;
    core_place_circle(circle, is_hole(point, circle) ? sprag_vec3_scale(-1, e) : e);
}

static double squared(const Core *p, const Core *q)
{
    SpragVec3 d = sprag_vec3_sub(p->c, q->c);
    return sprag_vec3_dot(d, d);
}

// How far the place is on the side that `angle` of either circle asks for.
static double wanted_side(const Core *p, const Core *q)
{
    SpragVec3 to = sprag_vec3_sub(q->x, p->x);
    return p->angle * sprag_vec3_dot(sprag_vec3_cross(to, p->a), p->e) -
           q->angle * sprag_vec3_dot(sprag_vec3_cross(to, q->a), q->e);
}

// Newton's step of both angles for the least distance; where the distance does not curve upwards,
// a step down.
static void newton_step(const Core *p, const Core *q, double *dp, double *dq)
{
    SpragVec3 d = sprag_vec3_sub(p->c, q->c);
    double gp = sprag_vec3_dot(p->tangent, d), gq = -sprag_vec3_dot(q->tangent, d);
    double pp = sprag_vec3_dot(p->tangent, p->tangent) + sprag_vec3_dot(p->bend, d);
    double qq = sprag_vec3_dot(q->tangent, q->tangent) - sprag_vec3_dot(q->bend, d);
    double pq = sprag_vec3_dot(p->tangent, q->tangent), determinant = pp * qq - pq * pq;
    if (pp > 0 && qq > 0 && determinant > ROUNDING * pp * qq) {
        *dp = -(gp * qq + pq * gq) / determinant;
        *dq = -(pp * gq + pq * gp) / determinant;
    } else {
        *dp = -gp / (p->size * p->size);
        *dq = -gq / (q->size * q->size);
    }
    double longest = fmax(fabs(*dp), fabs(*dq));
    if (longest > LONGEST_TURN) {
        *dp *= LONGEST_TURN / longest;
        *dq *= LONGEST_TURN / longest;
    }
}

static void descend(Core *p, Core *q)
{
    double before = squared(p, q);
    for (int step = 0; step < NEWTON_STEPS; step++) {
        double dp, dq, share = 1;
        newton_step(p, q, &dp, &dq);
        double turn = fmax(fabs(dp), fabs(dq));
        SpragVec3 ep = p->e, eq = q->e;
        for (int halving = 0; halving < HALVINGS; halving++, share /= 2) {
            core_place_circle(p, turned(p, ep, share * dp));
            core_place_circle(q, turned(q, eq, share * dq));
            // close to the end the values are rounding, and the full step is right
            if (squared(p, q) <= before || turn < SMALL_TURN)
                break;
        }
        before = squared(p, q);
        if (turn <= LAST_TURN)
            break;
    }
}

// The best of the local minima: the nearest, or the one farthest on the side that is asked for.
static void place_circles(Core *p, Core *q)
{
    double value[AROUND], best = INFINITY;
    const SpragVec3 first = p->across;
    SpragVec3 ep = first, eq = q->across;
    bool asked = p->angle != 0 || q->angle != 0;
    for (int i = 0; i < AROUND; i++) {
        core_place_circle(p, turned(p, first, 4 * QUARTER * i / AROUND));
        place_nearest(p, q);
        value[i] = squared(p, q);
    }
    for (int i = 0; i < AROUND; i++) {
        int before = (i + AROUND - 1) % AROUND, after = (i + 1) % AROUND;
        if (value[i] > value[before] || value[i] > value[after])
            continue;
        core_place_circle(p, turned(p, first, 4 * QUARTER * i / AROUND));
        place_nearest(p, q);
        descend(p, q);
        double merit = asked ? -wanted_side(p, q) : squared(p, q);
        if (merit >= best)
            continue;
        best = merit;
        ep = p->e;
        eq = q->e;
    }
    core_place_circle(p, ep);
    core_place_circle(q, eq);
}

bool place_circle(Core *p, Core *circle)
{
    if (p->kind == SPRAG_PIECE_POINT)
        place_nearest(p, circle);
    else if (p->kind == SPRAG_PIECE_LINE)
        place_circle_line(p, circle);
    else
        place_circles(p, circle);
    return true;
}
