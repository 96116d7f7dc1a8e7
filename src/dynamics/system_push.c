// system_push.c: bodies under given forces of their contacts.
// Problem   q'' = M⁻¹ (u − h + Jᵀ λ) where λ follows from the rates of the contacts: the right-hand
//           side of motions in which layers press on all contacts
// Method    a contact knows the arms of its force on two bodies; each force is added to those on
//           its bodies, and M⁻¹ is applied once. No row, no W, nothing of the size contacts ×
//           bodies
// Assumes   bodies of the plane without joints, contacts that are held
#include <math.h>
#include <string.h>

#include "dynamics_private.h"

bool sprag_system_prepare_touch(SpragSystem *system, int count, const int *contacts)
{
    if (!system->model || is_spatial(system) || system->joints)
        return false;
    if (sprag_reserve(system->context, &system->touching, &system->touching_capacity,
                      (size_t)count + 1, sizeof *system->touching) != SPRAG_OK ||
        !system_work(system, (size_t)system->velocity_count))
        return false;
    for (int i = 0; i < count; i++) {
        Touching *item = &system->touching[i];
        const SpragHold *hold = &system->holds[contacts[i]];
        if (!hold->kind)
            return false;
        sprag_collider_held_pair(system->collider, contacts[i], hold, &item->pair);
        item->slot = sprag_collider_slot(system->collider, contacts[i]);
        item->by_slip =
            item->slot->stribeck > 0 || item->slot->friction_law.kind != SPRAG_FRICTION_COULOMB;
        item->driven = false;
        for (int side = 0; side < 2; side++) {
            item->at[side] = system->coordinate[item->slot->body[side]];
            item->driven |= system->model->bodies[item->slot->body[side]].driven;
        }
    }
    return true;
}

static void set_friction(const SpragSlot *slot, double slip, double *friction)
{
    const SpragFrictionNumbers numbers = {slot->friction_static, slot->friction_kinetic,
                                          slot->stribeck};
    for (int sliding = 0; sliding < 2; sliding++)
        friction[sliding] = friction_at(&slot->friction_law, &numbers, fabs(slip), sliding == 1);
}

// Of what moves as told, the rates are no velocities of the system.
static void add_drives(const SpragSystem *system, const Touching *item, double drift[2])
{
    const SpragTouch *touch = &item->touch;
    SpragVec2 t = sprag_vec2_tangent(touch->normal);
    for (int side = 0; side < 2; side++) {
        int body = item->slot->body[side];
        const SpragFrame *frame = &system->frames[body];
        if (!system->model->bodies[body].driven)
            continue;
        SpragVec2 v = sprag_vec2(frame->v.x - frame->spin * touch->r[side].y,
                                 frame->v.y + frame->spin * touch->r[side].x);
        double sign = side == 0 ? 1 : -1;
        drift[0] += sign * sprag_vec2_dot(touch->normal, v);
        drift[1] += sign * sprag_vec2_dot(t, v);
    }
}

void sprag_system_touch(SpragSystem *system, double t, const double *q, const double *v, int count,
                        const SpragSystemTouch *out)
{
    model_set_state(system, t, q, v);
    for (int i = 0; i < count; i++) {
        Touching *item = &system->touching[i];
        SpragTouch *touch = &item->touch;
        sprag_held_pair_touch(&item->pair, system->frames, touch);
        out->gap[i] = touch->gap;
        out->gap_rate[i] = touch->gap_rate;
        out->slip[i] = touch->slip;
        out->drift[2 * i] = 0;
        out->drift[2 * i + 1] = touch->slip_drift;
        if (item->driven)
            add_drives(system, item, out->drift + 2 * i);
        if (item->by_slip)
            set_friction(item->slot, touch->slip, out->friction + 2 * i);
    }
    *out->power = (SpragSystemPower){0};
    if (system->model->load_count > 0 || system->model->spring_count > 0)
        model_power(system, out->power);
}

void sprag_system_push(SpragSystem *system, int count, const double *lambda, double *acceleration)
{
    double *force = system->work;
    model_force(system, force);
    for (int i = 0; i < count; i++) {
        const Touching *item = &system->touching[i];
        const SpragTouch *touch = &item->touch;
        SpragVec2 n = touch->normal, t = sprag_vec2_tangent(n);
        double normal = lambda[2 * i], tangential = lambda[2 * i + 1];
        SpragVec2 f = sprag_vec2(normal * n.x + tangential * t.x, normal * n.y + tangential * t.y);
        if (item->at[0] >= 0) {
            double *on = force + item->at[0];
            on[0] += f.x;
            on[1] += f.y;
            on[2] += sprag_vec2_cross(touch->r[0], f);
        }
        if (item->at[1] >= 0) {
            double *on = force + item->at[1];
            on[0] -= f.x;
            on[1] -= f.y;
            on[2] -= sprag_vec2_cross(touch->r[1], f);
        }
    }
    for (int i = 0; i < system->velocity_count; i++)
        acceleration[i] = system->inverse_mass[i] * force[i];
}
