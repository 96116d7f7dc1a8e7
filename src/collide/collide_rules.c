// collide_rules.c: the rule that applies to each slot, and what it gives.
// Method    a rule matches if its two selectors match the two sides in either order. The sum of the
//           kinds of its selectors says how specific it is; the most specific rule applies, of
//           equals the later one, as a whole: what it does not give comes from the materials.
// Friction  2 μ₁ μ₂/(μ₁ + μ₂) of both materials, static and kinetic apart; restitution: the
//           smaller at every approach speed; layers: collide_layers.c.
#include <math.h>
#include <string.h>

#include "collide_private.h"

int slot_material(const SpragCollider *collider, int shape)
{
    int material = collider->model->shapes[shape].material;
    return material >= 0 ? material : collider->default_material;
}

static bool selector_matches(const SpragCollider *collider, const SpragSlot *slot, int side,
                             const SpragSelector *selector)
{
    switch (selector->kind) {
    case SPRAG_SELECT_ANY:
        return true;
    case SPRAG_SELECT_MATERIAL:
        return slot_material(collider, slot->shape[side]) == selector->index;
    case SPRAG_SELECT_BODY:
        return slot->body[side] == selector->index;
    case SPRAG_SELECT_SHAPE:
        return slot->shape[side] == selector->index;
    default:
        return slot->shape[side] == selector->index && slot->vertex[side] == selector->feature;
    }
}

bool slot_matches(const SpragCollider *collider, const SpragSlot *slot,
                  const SpragSelector between[2], bool reversed)
{
    return selector_matches(collider, slot, reversed ? 1 : 0, &between[0]) &&
           selector_matches(collider, slot, reversed ? 0 : 1, &between[1]);
}

static int find_rule(const SpragCollider *collider, const SpragSlot *slot)
{
    const SpragModel *model = collider->model;
    int best = -1, best_rank = -1;
    for (int i = 0; i < model->rule_count; i++) {
        const SpragSelector *between = model->rules[i].between;
        int rank = (int)between[0].kind + (int)between[1].kind;
        if (rank >= best_rank && (slot_matches(collider, slot, between, false) ||
                                  slot_matches(collider, slot, between, true))) {
            best = i;
            best_rank = rank;
        }
    }
    return best;
}

// Exchanges the sides, so that the round feature belongs to body[1].
static void turn_round(Slot *slot)
{
    SpragSlot *shown = &slot->shown;
    int *const pairs[] = {shown->body, shown->shape, shown->feature, shown->vertex};
    for (int i = 0; i < 4; i++) {
        int kept = pairs[i][0];
        pairs[i][0] = pairs[i][1];
        pairs[i][1] = kept;
    }
    slot->round = 1 - slot->round;
    shown->swapped = slot->round == 1;
}

// The first body is the first in `between` if only one order fits, else the later in the file.
static void choose_first_body(const SpragCollider *collider, Slot *slot)
{
    SpragSlot *shown = &slot->shown;
    bool turn = shown->body[0] < shown->body[1];
    if (shown->rule >= 0) {
        const SpragSelector *between = collider->model->rules[shown->rule].between;
        bool straight = slot_matches(collider, shown, between, false);
        bool reversed = slot_matches(collider, shown, between, true);
        if (straight != reversed)
            turn = reversed;
    }
    if (turn)
        turn_round(slot);
}

static double combine_friction(double a, double b)
{
    return a + b > 0 ? 2 * a * (b / (a + b)) : 0;
}

static void set_friction(const SpragCollider *collider, SpragSlot *slot, const SpragRule *rule)
{
    const SpragModel *model = collider->model;
    if (rule && rule->friction.given) {
        slot->friction_given = true;
        slot->friction_static = rule->friction.stationary;
        slot->friction_kinetic = rule->friction.kinetic;
        slot->stribeck = rule->friction.stribeck;
        return;
    }
    int a = slot_material(collider, slot->shape[0]), b = slot_material(collider, slot->shape[1]);
    if (a < 0 || b < 0)
        return;
    const SpragFriction *f = &model->materials[a].friction, *g = &model->materials[b].friction;
    if (!f->given || !g->given)
        return;
    slot->friction_given = true;
    slot->friction_static = combine_friction(f->stationary, g->stationary);
    slot->friction_kinetic = combine_friction(f->kinetic, g->kinetic);
    slot->stribeck = fmax(f->stribeck, g->stribeck);
}

// e of a restitution at a speed, whatever its rest speed.
static double table_at(const SpragRestitution *r, double speed)
{
    int n = r->point_count;
    if (n == 0)
        return r->e;
    int i = 0;
    while (i < n && r->speed[i] < speed)
        i++;
    if (i == 0 || i == n)
        return r->value[i == 0 ? 0 : n - 1];
    double part = (speed - r->speed[i - 1]) / (r->speed[i] - r->speed[i - 1]);
    return r->value[i - 1] + part * (r->value[i] - r->value[i - 1]);
}

// The next speed of either table above `from`; INFINITY: there is none.
static double next_speed(const SpragRestitution *a, const SpragRestitution *b, double from)
{
    double next = INFINITY;
    for (int i = 0; i < a->point_count; i++)
        if (a->speed[i] > from)
            next = fmin(next, a->speed[i]);
    for (int i = 0; i < b->point_count; i++)
        if (b->speed[i] > from)
            next = fmin(next, b->speed[i]);
    return next;
}

static bool add_point(SpragRestitution *sum, double speed, double value)
{
    if (sum->point_count == SPRAG_RESTITUTION_POINTS)
        return false;
    sum->speed[sum->point_count] = speed;
    sum->value[sum->point_count++] = value;
    return true;
}

// The smaller e at every speed: a table with the points of both, and those where they cross. False:
// it has too many points.
static bool smaller_restitution(const SpragRestitution *a, const SpragRestitution *b,
                                SpragRestitution *sum)
{
    const SpragRestitution *least = b->e < a->e ? b : a;
    sum->given = true;
    sum->law = least->law;
    sum->e = least->e;
    sum->rest_speed = fmax(a->rest_speed, b->rest_speed);
    if (a->point_count == 0 && b->point_count == 0)
        return true;
    double speed = next_speed(a, b, -1);
    while (speed < INFINITY) {
        double p = table_at(a, speed), q = table_at(b, speed);
        if (!add_point(sum, speed, fmin(p, q)))
            return false;
        double next = next_speed(a, b, speed);
        if (next == INFINITY)
            break;
        double before = p - q, after = table_at(a, next) - table_at(b, next);
        double cross = speed + (next - speed) * (before / (before - after));
        if (before * after < 0 && cross > speed && cross < next &&
            !add_point(sum, cross, fmin(table_at(a, cross), table_at(b, cross))))
            return false;
        speed = next;
    }
    sum->e = sum->value[sum->point_count - 1];
    return true;
}

static SpragStatus set_restitution(const SpragCollider *collider, SpragSlot *slot,
                                   const SpragRule *rule)
{
    if (rule && rule->restitution.given) {
        slot->restitution = rule->restitution;
        return SPRAG_OK;
    }
    const SpragModel *model = collider->model;
    for (int i = 0; i < 2; i++) {
        int material = slot_material(collider, slot->shape[i]);
        if (material < 0 || !model->materials[material].restitution.given)
            continue;
        const SpragRestitution *given = &model->materials[material].restitution;
        SpragRestitution before = slot->restitution, sum = {0};
        if (before.given && !smaller_restitution(&before, given, &sum))
            return sprag_fail(collider->context, SPRAG_ERROR_INPUT,
                              "restitution between %s and %s: the tables of their materials have "
                              "more than %d points together; give the pair a rule",
                              model->bodies[slot->body[0]].name, model->bodies[slot->body[1]].name,
                              SPRAG_RESTITUTION_POINTS);
        slot->restitution = before.given ? sum : *given;
    }
    return SPRAG_OK;
}

static void set_surface_velocity(const SpragCollider *collider, SpragSlot *slot)
{
    for (int i = 0; i < 2; i++) {
        const SpragShape *shape = &collider->model->shapes[slot->shape[i]];
        const double *velocity = shape->has_surface_velocity
                                     ? shape->surface_velocity
                                     : collider->model->bodies[shape->body].surface_velocity;
        for (int k = 0; k < 3; k++)
            slot->surface_velocity[k] += i == 1 ? velocity[k] : -velocity[k];
    }
}

// Numbers of a slot whose rule is known.
static SpragStatus set_numbers(const SpragCollider *collider, SpragSlot *slot)
{
    const SpragRule *rule = slot->rule >= 0 ? &collider->model->rules[slot->rule] : NULL;
    slot->friction_given = slot->compliance_given = false;
    slot->friction_static = slot->friction_kinetic = slot->stribeck = 0;
    slot->restitution = (SpragRestitution){0};
    slot->compliance = (SpragCompliance){0};
    slot->friction_law = rule ? rule->friction_law : (SpragFrictionLaw){0};
    slot->pair_model = rule ? rule->pair_model : SPRAG_PAIR_AUTO;
    slot->surface_velocity[0] = slot->surface_velocity[1] = slot->surface_velocity[2] = 0;
    set_friction(collider, slot, rule);
    SPRAG_TRY(set_restitution(collider, slot, rule));
    set_surface_velocity(collider, slot);
    return slot_set_layer(collider, slot, rule);
}

SpragStatus slot_apply_rule(const SpragCollider *collider, Slot *slot)
{
    slot->shown.rule = find_rule(collider, &slot->shown);
    choose_first_body(collider, slot);
    return set_numbers(collider, &slot->shown);
}

SpragStatus slots_refresh(SpragCollider *collider)
{
    for (int i = 0; i < collider->slot_count; i++)
        SPRAG_TRY(set_numbers(collider, &collider->slots[i].shown));
    return SPRAG_OK;
}

static bool share_joint(const SpragModel *model, const int body[2])
{
    for (int i = 0; i < model->joint_count; i++) {
        const SpragPlace *ends = model->joints[i].ends;
        if ((ends[0].body == body[0] && ends[1].body == body[1]) ||
            (ends[0].body == body[1] && ends[1].body == body[0]))
            return true;
    }
    return false;
}

// Bodies that share a joint meet only if a rule names the two, or says so.
bool slot_is_ignored(const SpragCollider *collider, const Slot *slot)
{
    const SpragModel *model = collider->model;
    const SpragRule *rule = slot->shown.rule >= 0 ? &model->rules[slot->shown.rule] : NULL;
    if (rule && rule->ignore)
        return true;
    bool named = rule && (rule->collide || (rule->between[0].kind >= SPRAG_SELECT_BODY &&
                                            rule->between[1].kind >= SPRAG_SELECT_BODY));
    return model->joint_count > 0 && !named && share_joint(model, slot->shown.body);
}

bool slots_same_pair(const Slot *a, const Slot *b)
{
    const int *s = a->shown.shape, *t = b->shown.shape;
    return (s[0] == t[0] && s[1] == t[1]) || (s[0] == t[1] && s[1] == t[0]);
}

SpragStatus slots_apply_rules(SpragCollider *collider)
{
    return slots_apply_rules_from(collider, 0);
}

SpragStatus slots_apply_rules_from(SpragCollider *collider, int from)
{
    Slot *slots = collider->slots;
    for (int i = from; i < collider->slot_count; i++)
        SPRAG_TRY(slot_apply_rule(collider, &slots[i]));
    int kept = from;
    for (int begin = from, end; begin < collider->slot_count; begin = end) {
        bool whole = true;
        for (end = begin; end < collider->slot_count && slots_same_pair(&slots[begin], &slots[end]);
             end++)
            whole = whole && !slot_is_ignored(collider, &slots[end]);
        for (int i = begin; i < end; i++) {
            Slot slot = slots[i];
            slot.pair_whole = slot.pair_whole && whole;
            if (!slot_is_ignored(collider, &slot))
                slots[kept++] = slot;
        }
    }
    collider->slot_count = kept;
    return SPRAG_OK;
}
