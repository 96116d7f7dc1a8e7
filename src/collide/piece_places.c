// piece_places.c: nearest places of points, lines, circles and planes.
// Circle and line   with e(φ) = cos φ e_1 + sin φ e_2, e_1 along the line's direction u as seen in
//                   the circle's plane, the squared distance is stationary where
//                       −α sin φ + β cos φ + κ sin φ cos φ = 0                theory.md (13.20)
//                   the problem of a point and an ellipse. Its minimum on the side u·e > 0 is
//                   unique, in a known quadrant, and exists if α ≤ 0 or (α, β) lies within the
//                   astroid of κ: so one bracketed root is exact, and the direction of the line
//                   says which of two crossings is meant.
// Circle and circle with the nearest place of one for each place of the other, a closed form, the
//                   distance has one angle: a root of its slope in each bracket from falling to
//                   rising. A sign in `angle` says which of two crossings is meant.
#include <math.h>

#include "piece_private.h"

// Sine below which directions are parallel: rounding of unit vectors.
static const double ROUNDING = 1e-13;
// Places tried around a circle against a circle; more than the (at most eight) stationary ones.
enum { AROUND = 64 };
enum { ROOT_STEPS = 100 };
// Turns up to this are rounding, rad.
static const double LAST_TURN = 2e-16;
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

// How far the place is on the side that `angle` of either circle asks for. In a hole the centres
// may coincide; both circles cross the line in which their planes meet, and its two ends are the
// sides.
static double wanted_side(const Core *p, const Core *q)
{
    if (p->hole || q->hole) {
        SpragVec3 line = sprag_vec3_cross(p->a, q->a);
        return p->angle * sprag_vec3_dot(line, p->e) - q->angle * sprag_vec3_dot(line, q->e);
    }
    SpragVec3 to = sprag_vec3_sub(q->x, p->x);
    return p->angle * sprag_vec3_dot(sprag_vec3_cross(to, p->a), p->e) -
           q->angle * sprag_vec3_dot(sprag_vec3_cross(to, q->a), q->e);
}

// Half the slope of the squared distance from place `e` of a circle to the nearest place of the
// other, and of that slope, per angle.
typedef struct Slope {
    double value, rate;
} Slope;

static Slope slope_at(Core *p, Core *q, SpragVec3 e)
{
    core_place_circle(p, e);
    place_nearest(p, q);
    SpragVec3 d = sprag_vec3_sub(p->c, q->c);
    double pp = sprag_vec3_dot(p->tangent, p->tangent) + sprag_vec3_dot(p->bend, d);
    double qq = sprag_vec3_dot(q->tangent, q->tangent) - sprag_vec3_dot(q->bend, d);
    double pq = sprag_vec3_dot(p->tangent, q->tangent);
    return (Slope){sprag_vec3_dot(p->tangent, d), qq > 0 ? pp - pq * pq / qq : 0};
}

// The place between two angles from `e`, with the distance falling at the first one and rising at
// the second one, where it is least: Newton's method in a bracket.
static void descend(Core *p, Core *q, SpragVec3 e, double low, double high)
{
    double x = 0.5 * (low + high);
    for (int step = 0; step < ROOT_STEPS; step++) {
        Slope slope = slope_at(p, q, turned(p, e, x));
        if (slope.value < 0)
            low = x;
        else
            high = x;
        double next = x - slope.value / slope.rate;
        if (!(next >= low && next <= high))
            next = 0.5 * (low + high);
        bool last = fabs(next - x) <= LAST_TURN || high - low <= LAST_TURN;
        x = next;
        if (last)
            break;
    }
    slope_at(p, q, turned(p, e, x));
}

// The best of the local minima: the nearest, or the one farthest on the side that is asked for.
// They are sought around the smaller circle, where they are farther apart.
static void place_circles(Core *p, Core *q)
{
    const double turn = 4 * QUARTER / AROUND;
    Core *small = p->size <= q->size ? p : q, *large = small == p ? q : p;
    const SpragVec3 first = small->across;
    SpragVec3 ep = p->across, eq = q->across;
    double best = INFINITY, slope[AROUND];
    bool asked = p->angle != 0 || q->angle != 0;
    for (int i = 0; i < AROUND; i++)
        slope[i] = slope_at(small, large, turned(small, first, turn * i)).value;
    for (int i = 0; i < AROUND; i++) {
        if (slope[i] > 0 || slope[(i + 1) % AROUND] < 0)
            continue;
        descend(small, large, turned(small, first, turn * i), 0, turn);
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
