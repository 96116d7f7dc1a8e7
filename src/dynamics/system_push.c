// system_push.c: bodies under given forces of their contacts.
// Problem   q'' = M⁻¹ (u − h + Jᵀ λ) where λ follows from the rates of the contacts: the right-hand
//           side of motions in which layers press on all contacts
// Method    a contact knows the arms of its force on two bodies; each force is added to those on
//           its bodies, and M⁻¹ is applied once. No row, no W, nothing of the size contacts × bodies
// Assumes   bodies of the plane without joints, contacts that are held
#include <math.h>
#include <string.h>

#include "dynamics_private.h"

bool sprag_system_can_touch(SpragSystem *system, int count, const int *contacts)
{
    if (!system->model || is_spatial(system) || system->joints)
        return false;
    for (int i = 0; i < count; i++)
        if (!system->holds[contacts[i]].kind)
            return false;
    return sprag_reserve(system->context, &system->touches, &system->touch_capacity,
                         (size_t)count + 1, sizeof *system->touches) == SPRAG_OK &&
           system_work(system, (size_t)system->velocity_count);
}

static void set_friction(const SpragSlot *slot, double slip, double *friction)
{
    const SpragFrictionNumbers numbers = {slot->friction_static, slot->friction_kinetic,
                                          slot->stribeck};
    for (int sliding = 0; sliding < 2; sliding++)
        friction[sliding] = friction_at(&slot->friction_law, &numbers, fabs(slip), sliding == 1);
}

// Of what moves as told, the rates are no velocities of the system.
static void add_drives(const SpragSystem *system, const SpragSlot *slot, const SpragTouch *touch,
                       double drift[2])
{
    SpragVec2 t = sprag_vec2_tangent(touch->normal);
    for (int side = 0; side < 2; side++) {
        const SpragFrame *frame = &system->frames[slot->body[side]];
        if (!system->model->bodies[slot->body[side]].driven)
            continue;
        SpragVec2 v = sprag_vec2(frame->v.x - frame->spin * touch->r[side].y,
                                 frame->v.y + frame->spin * touch->r[side].x);
        double sign = side == 0 ? 1 : -1;
        drift[0] += sign * sprag_vec2_dot(touch->normal, v);
        drift[1] += sign * sprag_vec2_dot(t, v);
    }
}

void sprag_system_touch(SpragSystem *system, double t, const double *q, const double *v, int count,
                        const int *contacts, const SpragSystemTouch *out)
{
    model_set_state(system, t, q, v);
    for (int i = 0; i < count; i++) {
        SpragTouch *touch = &system->touches[i];
        const SpragSlot *slot = sprag_collider_slot(system->collider, contacts[i]);
        sprag_collider_held_touch(system->collider, contacts[i], &system->holds[contacts[i]],
                                  system->frames, touch);
        out->gap_rate[i] = touch->gap_rate;
        out->slip[i] = touch->slip;
        out->drift[2 * i] = 0;
        out->drift[2 * i + 1] = touch->slip_drift;
        if (system->driven)
            add_drives(system, slot, touch, out->drift + 2 * i);
        if (slot->stribeck > 0 || slot->friction_law.kind != SPRAG_FRICTION_COULOMB)
            set_friction(slot, touch->slip, out->friction + 2 * i);
    }
    memset(out->power, 0, sizeof *out->power);
    model_power(system, out->power);
}

void sprag_system_push(SpragSystem *system, int count, const int *contacts, const double *lambda,
                       double *acceleration)
{
    double *force = system->work;
    model_force(system, force);
    for (int i = 0; i < count; i++) {
        const SpragTouch *touch = &system->touches[i];
        const int *body = sprag_collider_slot(system->collider, contacts[i])->body;
        SpragVec2 f = sprag_vec2_add(
            sprag_vec2_scale(lambda[2 * i], touch->normal),
            sprag_vec2_scale(lambda[2 * i + 1], sprag_vec2_tangent(touch->normal)));
        for (int side = 0; side < 2; side++) {
            int at = system->coordinate[body[side]];
            double sign = side == 0 ? 1 : -1;
            if (at < 0)
                continue;
            force[at] += sign * f.x;
            force[at + 1] += sign * f.y;
            force[at + 2] += sign * sprag_vec2_cross(touch->r[side], f);
        }
    }
    bodies_apply(system, force, acceleration);
}
