// joint_row_kinds.h: the kinds of rows that joints are made of (private to the room).
// Problem   value, Jacobian and bias of one condition between two ends, e'' = E v' + bias,
//           theory.md (1.6), (1.7)
// Method    written out by hand: the way along an axis, the product of two axes, the angle about
//           an axis, a distance, and sums of these
// Note      every row is the exact derivative of its error, so that projections converge
//           quadratically and finite differences agree also where joints are violated
// Inline    as calls they cost jointed scenes 2 to 3 % of their instructions
#ifndef SPRAG_JOINT_ROW_KINDS_H
#define SPRAG_JOINT_ROW_KINDS_H

#include <math.h>

#include "joint_rows.h"

static inline SpragVec3 cross(SpragVec3 a, SpragVec3 b)
{
    return sprag_vec3_cross(a, b);
}

// u · (p − first place), u an axis of the first frame, p a point of the second body.
static inline Raw raw_along(const End e[2], SpragVec3 u, SpragVec3 p)
{
    Raw row = {.value = sprag_vec3_dot(u, sprag_vec3_sub(p, e[0].x))};
    SpragVec3 arm[2] = {sprag_vec3_sub(p, e[0].centre), sprag_vec3_sub(p, e[1].centre)};
    SpragVec3 v0 = sprag_vec3_add(e[0].v, cross(e[0].w, arm[0]));
    SpragVec3 turning = cross(e[1].w, arm[1]), v1 = sprag_vec3_add(e[1].v, turning);
    row.linear[0] = sprag_vec3_scale(-1, u);
    row.linear[1] = u;
    row.angular[0] = sprag_vec3_scale(-1, cross(arm[0], u));
    row.angular[1] = cross(arm[1], u);
    SpragVec3 carried =
        sprag_vec3_sub(cross(e[1].w, turning), cross(e[0].w, sprag_vec3_sub(v1, e[0].v)));
    row.bias =
        sprag_vec3_dot(cross(e[0].w, u), sprag_vec3_sub(v1, v0)) + sprag_vec3_dot(u, carried);
    return row;
}

// a · b of an axis of the first frame and one of the second.
static inline Raw raw_product(const End e[2], SpragVec3 a, SpragVec3 b)
{
    Raw row = {.value = sprag_vec3_dot(a, b), .angle = true};
    row.angular[1] = cross(b, a);
    row.angular[0] = sprag_vec3_scale(-1, row.angular[1]);
    SpragVec3 rate = sprag_vec3_add(cross(cross(e[1].w, b), a), cross(b, cross(e[0].w, a)));
    row.bias = sprag_vec3_dot(sprag_vec3_sub(e[1].w, e[0].w), rate);
    return row;
}

// Angle from the first x axis to the second about z: atan2(s, c), s = b · y, c = b · x; its row
// b × w/(s² + c²) with w = c y − s x.
static inline Raw raw_angle(const End e[2])
{
    SpragVec3 x = sprag_mat3_column(&e[0].axes, 0), y = sprag_mat3_column(&e[0].axes, 1);
    SpragVec3 b = sprag_mat3_column(&e[1].axes, 0);
    SpragVec3 turning = sprag_vec3_sub(e[1].w, e[0].w);
    double s = sprag_vec3_dot(b, y), c = sprag_vec3_dot(b, x), D = s * s + c * c;
    Raw row = {.value = atan2(s, c), .angle = true};
    if (!(D > 0)) // the axes are at right angles: there is no such angle
        return row;
    SpragVec3 w = sprag_vec3_sub(sprag_vec3_scale(c, y), sprag_vec3_scale(s, x)), N = cross(b, w);
    double s_rate = sprag_vec3_dot(turning, cross(b, y)),
           c_rate = sprag_vec3_dot(turning, cross(b, x));
    SpragVec3 w_rate = sprag_vec3_sub(sprag_vec3_scale(c_rate, y), sprag_vec3_scale(s_rate, x));
    w_rate = sprag_vec3_add(w_rate, cross(e[0].w, w));
    SpragVec3 N_rate = sprag_vec3_add(cross(cross(e[1].w, b), w), cross(b, w_rate));
    double D_rate = 2 * (s * s_rate + c * c_rate);
    row.angular[1] = sprag_vec3_scale(1 / D, N);
    row.angular[0] = sprag_vec3_scale(-1 / D, N);
    row.bias = (sprag_vec3_dot(turning, N_rate) - D_rate / D * sprag_vec3_dot(turning, N)) / D;
    return row;
}

static inline Raw raw_angle_plane(const End e[2], double turn)
{
    Raw row = {.value = e[1].angle - e[0].angle + turn, .angle = true};
    row.angular[0].z = -1;
    row.angular[1].z = 1;
    return row;
}

static inline Raw raw_distance(const End e[2])
{
    SpragVec3 d = sprag_vec3_sub(e[1].x, e[0].x), n = sprag_vec3_unit(d);
    SpragVec3 turning[2], v[2];
    Raw row = {.value = sprag_vec3_norm(d)};
    if (!(row.value > 0)) // any direction will do to part the places
        n = sprag_mat3_column(&e[0].axes, 0);
    for (int i = 0; i < 2; i++) {
        SpragVec3 arm = sprag_vec3_sub(e[i].x, e[i].centre);
        double sign = i == 0 ? -1 : 1;
        turning[i] = cross(e[i].w, arm);
        v[i] = sprag_vec3_add(e[i].v, turning[i]);
        row.linear[i] = sprag_vec3_scale(sign, n);
        row.angular[i] = sprag_vec3_scale(sign, cross(arm, n));
    }
    SpragVec3 d_rate = sprag_vec3_sub(v[1], v[0]);
    SpragVec3 carried = sprag_vec3_sub(cross(e[1].w, turning[1]), cross(e[0].w, turning[0]));
    double rate = sprag_vec3_dot(n, d_rate);
    row.bias = sprag_vec3_dot(n, carried);
    if (row.value > 0)
        row.bias += (sprag_vec3_dot(d_rate, d_rate) - rate * rate) / row.value;
    return row;
}

// factor × (a + part × b)
static inline Raw raw_sum(double factor, const Raw *a, double part, const Raw *b)
{
    Raw row = {.value = factor * (a->value + part * b->value),
               .bias = factor * (a->bias + part * b->bias),
               .angle = a->angle};
    for (int i = 0; i < 2; i++) {
        row.linear[i] =
            sprag_vec3_scale(factor, sprag_vec3_along(a->linear[i], part, b->linear[i]));
        row.angular[i] =
            sprag_vec3_scale(factor, sprag_vec3_along(a->angular[i], part, b->angular[i]));
    }
    return row;
}

#endif
