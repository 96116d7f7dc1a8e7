// model_check.c: whether the numbers of one item are such that a model may have them.
// Magnitudes are bounded (SPRAG_MODEL_LARGEST) so that no later room meets an overflow. Names are
// checked where items are added: they do not change.
#include <math.h>

#include "model_private.h"

SpragStatus model_refuse(const SpragModel *model, const char *whose, const char *what)
{
    return sprag_fail(model->context, SPRAG_ERROR_INPUT, "%s: %s", whose, what);
}

SpragStatus size_check(const SpragModel *model, const char *whose, const char *what, double value)
{
    if (!(fabs(value) <= SPRAG_MODEL_LARGEST)) // also NaN
        return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                          "%s: %s must be a finite number of at most 1e30, got %g", whose, what,
                          value);
    return SPRAG_OK;
}

static SpragStatus check_sizes(const SpragModel *model, const char *whose, const char *what,
                               const double *values, int count)
{
    for (int i = 0; i < count; i++)
        SPRAG_TRY(size_check(model, whose, what, values[i]));
    return SPRAG_OK;
}

SpragStatus not_negative_check(const SpragModel *model, const char *whose, const char *what,
                               double value)
{
    SPRAG_TRY(size_check(model, whose, what, value));
    if (value < 0)
        return sprag_fail(model->context, SPRAG_ERROR_INPUT, "%s: %s must be a number ≥ 0, got %g",
                          whose, what, value);
    return SPRAG_OK;
}

SpragStatus body_index_check(const SpragModel *model, const char *whose, int body, bool world_too)
{
    if ((body < 0 || body >= model->body_count) && !(world_too && body == SPRAG_WORLD))
        return sprag_fail(model->context, SPRAG_ERROR_ARGUMENT, "%s: there is no body %d", whose,
                          body);
    return SPRAG_OK;
}

static SpragStatus check_vec2(const SpragModel *model, const char *whose, const char *what,
                              SpragVec2 v)
{
    SPRAG_TRY(size_check(model, whose, what, v.x));
    return size_check(model, whose, what, v.y);
}

SpragStatus vec3_check(const SpragModel *model, const char *whose, const char *what, SpragVec3 v)
{
    SPRAG_TRY(check_vec2(model, whose, what, sprag_vec3_flat(v)));
    return size_check(model, whose, what, v.z);
}

SpragStatus friction_check(const SpragModel *model, const char *whose,
                           const SpragFriction *friction)
{
    if (!friction->given)
        return SPRAG_OK;
    SPRAG_TRY(not_negative_check(model, whose, "static friction", friction->stationary));
    SPRAG_TRY(not_negative_check(model, whose, "kinetic friction", friction->kinetic));
    return not_negative_check(model, whose, "stribeck speed", friction->stribeck);
}

SpragStatus restitution_check(const SpragModel *model, const char *whose,
                              const SpragRestitution *restitution)
{
    if (!restitution->given)
        return SPRAG_OK;
    if (!(restitution->e >= 0 && restitution->e <= 1))
        return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                          "%s: restitution must be in 0 … 1, got %g", whose, restitution->e);
    if (restitution->point_count < 0 || restitution->point_count > SPRAG_RESTITUTION_POINTS)
        return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                          "%s: restitution must have at most %d points, got %d", whose,
                          SPRAG_RESTITUTION_POINTS, restitution->point_count);
    for (int i = 0; i < restitution->point_count; i++) {
        double value = restitution->value[i], speed = restitution->speed[i];
        bool ascends = i == 0 ? speed >= 0 : speed > restitution->speed[i - 1];
        if (!(value >= 0 && value <= 1) || !ascends)
            return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                              "%s: points of a restitution must ascend in speed, with e in 0 … 1, "
                              "got e = %g at %g m/s",
                              whose, value, speed);
    }
    return not_negative_check(model, whose, "rest-speed", restitution->rest_speed);
}

static SpragStatus check_compliance(const SpragModel *model, const char *whose,
                                    const SpragCompliance *layer)
{
    const struct {
        const char *what;
        double value;
    } numbers[] = {{"stiffness", layer->stiffness},
                   {"damping", layer->damping},
                   {"alpha", layer->alpha},
                   {"exponent", layer->exponent},
                   {"tangential stiffness", layer->tangential_stiffness},
                   {"tangential damping", layer->tangential_damping},
                   {"epsilon", layer->epsilon},
                   {"length", layer->length},
                   {"radius", layer->radius},
                   {"restitution", layer->restitution},
                   {"speed", layer->speed}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        SPRAG_TRY(not_negative_check(model, whose, numbers[i].what, numbers[i].value));
    if (layer->law == SPRAG_COMPLIANCE_HUNT_CROSSLEY && !(layer->exponent >= 1))
        return model_refuse(model, whose, "the exponent of hunt-crossley must be at least 1");
    if ((unsigned)layer->damping_source > SPRAG_DAMPING_FLORES || layer->restitution > 1)
        return model_refuse(model, whose, "restitution of a layer must be in 0 … 1");
    return SPRAG_OK;
}

// Numbers that a law cannot do without, and that all laws can do with.
static SpragStatus check_friction_law(const SpragModel *model, const char *whose,
                                      const SpragFrictionLaw *law)
{
    if ((unsigned)law->kind > SPRAG_FRICTION_LUGRE)
        return model_refuse(model, whose, "there is no such friction law");
    SPRAG_TRY(not_negative_check(model, whose, "speed of the friction law", law->speed));
    SPRAG_TRY(not_negative_check(model, whose, "stiffness of the friction law", law->stiffness));
    SPRAG_TRY(not_negative_check(model, whose, "damping of the friction law", law->damping));
    SPRAG_TRY(not_negative_check(model, whose, "viscous friction", law->viscous));
    SPRAG_TRY(not_negative_check(model, whose, "exponent of the friction law", law->exponent));
    bool state = sprag_friction_law_has_state(law);
    if (state && !(law->stiffness >= SPRAG_MODEL_SMALLEST))
        return model_refuse(model, whose, "the friction law needs a stiffness");
    if (!state && law->kind != SPRAG_FRICTION_COULOMB && !(law->speed >= SPRAG_MODEL_SMALLEST))
        return model_refuse(model, whose, "the friction law needs a speed");
    return SPRAG_OK;
}

static SpragStatus check_mass(const SpragModel *model, const SpragBody *item)
{
    if (item->fixed)
        return SPRAG_OK;
    SPRAG_TRY(size_check(model, item->name, "mass", item->mass));
    if (!(item->mass >= SPRAG_MODEL_SMALLEST))
        return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                          "%s: mass must be a number > 0 (at least 1e-30 kg), got %g", item->name,
                          item->mass);
    if (model->dimension == 3)
        return SPRAG_OK; // its inertia is a tensor
    // mass times length², within the bounds of both
    double least = SPRAG_MODEL_SMALLEST * SPRAG_MODEL_SMALLEST;
    double most = SPRAG_MODEL_LARGEST * SPRAG_MODEL_LARGEST * SPRAG_MODEL_LARGEST;
    if (!(item->inertia >= least && item->inertia <= most))
        return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                          "%s: inertia must be a number > 0 (1e-60 … 1e90 kg m²), got %g",
                          item->name, item->inertia);
    return SPRAG_OK;
}

static int least_vertices(SpragShapeKind kind)
{
    static const int counts[] = {1, 2, 4, 3, 2, 1, 0, 2};
    return counts[kind];
}

static SpragStatus check_shape_plane(const SpragModel *model, const char *kind,
                                     const SpragShape *item)
{
    if (item->kind > SPRAG_SHAPE_CHAIN)
        return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                          "a %s is a shape of scenes in space; this one is in the plane", kind);
    if (item->inside && item->kind != SPRAG_SHAPE_CIRCLE)
        return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                          "in the plane only a circle can be inside: true, not a %s", kind);
    if (item->vertex_count < least_vertices(item->kind))
        return model_refuse(model, kind, "has too few points");
    for (int i = 0; i < item->vertex_count; i++)
        SPRAG_TRY(check_vec2(model, kind, "a point", item->vertices[i]));
    bool infinite = item->kind == SPRAG_SHAPE_PLANE || item->kind == SPRAG_SHAPE_CHAIN;
    if (infinite && !model->bodies[item->body].fixed)
        return sprag_fail(model->context, SPRAG_ERROR_INPUT, "a %s needs a fixed body", kind);
    // rounding of a normalised vector is a few 1e-16
    if (item->kind == SPRAG_SHAPE_PLANE &&
        !(fabs(hypot(item->normal.x, item->normal.y) - 1) <= 1e-12))
        return model_refuse(model, kind, "the normal must have length 1");
    return SPRAG_OK;
}

SpragStatus shape_check(const SpragModel *model, const SpragShape *item)
{
    const char *kind = sprag_shape_kind_name(item->kind);
    if ((unsigned)item->kind >= SPRAG_SHAPE_KIND_COUNT)
        return model_refuse(model, "shape", "unknown kind");
    SPRAG_TRY(body_index_check(model, kind, item->body, false));
    if (item->material < -1 || item->material >= model->material_count)
        return model_refuse(model, kind, "there is no such material");
    SPRAG_TRY(not_negative_check(model, kind, "radius", item->radius));
    SPRAG_TRY(size_check(model, kind, "offset", item->offset));
    SPRAG_TRY(model->dimension == 3 ? shape_check_space(model, item)
                                    : check_shape_plane(model, kind, item));
    return check_sizes(model, kind, "surface-velocity", item->surface_velocity, 3);
}

static SpragStatus check_selector(const SpragModel *model, const SpragSelector *selector)
{
    int counts[] = {1, model->material_count, model->body_count, model->shape_count,
                    model->shape_count};
    if ((unsigned)selector->kind > SPRAG_SELECT_FEATURE || selector->index < 0 ||
        selector->index >= counts[selector->kind])
        return model_refuse(model, "between", "there is no such body, shape or material");
    if (selector->kind == SPRAG_SELECT_FEATURE &&
        (selector->feature < 0 || selector->feature >= model->shapes[selector->index].vertex_count))
        return model_refuse(model, "between", "there is no such feature");
    return SPRAG_OK;
}

SpragStatus parameter_check(const SpragModel *model, const SpragParameter *item)
{
    SPRAG_TRY(size_check(model, item->name, "value", item->value));
    if (!item->has_range)
        return SPRAG_OK;
    SPRAG_TRY(size_check(model, item->name, "from", item->from));
    SPRAG_TRY(size_check(model, item->name, "to", item->to));
    return item->from < item->to ? SPRAG_OK
                                 : model_refuse(model, item->name, "from must be less than to");
}

SpragStatus material_check(const SpragModel *model, const SpragMaterial *item)
{
    SPRAG_TRY(friction_check(model, item->name, &item->friction));
    SPRAG_TRY(restitution_check(model, item->name, &item->restitution));
    SPRAG_TRY(check_compliance(model, item->name, &item->compliance));
    SPRAG_TRY(not_negative_check(model, item->name, "young", item->young));
    if (!(item->poisson_ratio > -1 && item->poisson_ratio <= 0.5))
        return model_refuse(model, item->name, "poisson-ratio must be above -1 and at most 0.5");
    return SPRAG_OK;
}

SpragStatus body_check(const SpragModel *model, const SpragBody *item)
{
    SPRAG_TRY(check_mass(model, item));
    SPRAG_TRY(check_sizes(model, item->name, "position", item->position, 3));
    SPRAG_TRY(size_check(model, item->name, "angle", item->angle));
    SPRAG_TRY(check_sizes(model, item->name, "velocity", item->velocity, 3));
    SPRAG_TRY(size_check(model, item->name, "spin", item->spin));
    SPRAG_TRY(check_sizes(model, item->name, "spin", item->angular, 3));
    if (model->dimension == 3)
        SPRAG_TRY(body_check_space(model, item));
    SPRAG_TRY(check_sizes(model, item->name, "com", item->com, 3));
    SPRAG_TRY(body_check_drive(model, item));
    return check_sizes(model, item->name, "surface-velocity", item->surface_velocity, 3);
}

SpragStatus site_check(const SpragModel *model, const SpragSite *item)
{
    return vec3_check(model, item->name, "site", item->local);
}

SpragStatus rule_check(const SpragModel *model, const SpragRule *item)
{
    const char *whose = item->name ? item->name : "contact";
    for (int i = 0; i < 2; i++)
        SPRAG_TRY(check_selector(model, &item->between[i]));
    SPRAG_TRY(friction_check(model, whose, &item->friction));
    SPRAG_TRY(restitution_check(model, whose, &item->restitution));
    SPRAG_TRY(check_friction_law(model, whose, &item->friction_law));
    return item->compliance_given ? check_compliance(model, whose, &item->compliance) : SPRAG_OK;
}

SpragStatus load_check(const SpragModel *model, const SpragLoad *item)
{
    SPRAG_TRY(item->on_joint ? joint_index_check(model, "load", item->joint)
                             : body_index_check(model, "load", item->body, false));
    for (int i = 0; item->varies && i < 3; i++) {
        SPRAG_TRY(time_value_check(model, "load", "force", &item->force_over[i]));
        SPRAG_TRY(time_value_check(model, "load", "torque", &item->moment_over[i]));
    }
    SPRAG_TRY(check_sizes(model, "load", "force", item->force, 3));
    SPRAG_TRY(size_check(model, "load", "torque", item->torque));
    SPRAG_TRY(check_sizes(model, "load", "torque", item->moment, 3));
    return vec3_check(model, "load", "at", item->local);
}

SpragStatus spring_check(const SpragModel *model, const SpragSpring *item)
{
    const char *whose = item->name ? item->name : "spring";
    for (int i = 0; i < 2; i++) {
        SPRAG_TRY(body_index_check(model, whose, item->ends[i].body, true));
        SPRAG_TRY(vec3_check(model, whose, "end", item->ends[i].local));
    }
    SPRAG_TRY(not_negative_check(model, whose, "stiffness", item->stiffness));
    SPRAG_TRY(not_negative_check(model, whose, "damping", item->damping));
    return not_negative_check(model, whose, "rest", item->rest);
}

SpragStatus start_check(const SpragModel *model, const SpragStart *item)
{
    if (item->kind == SPRAG_START_JOINT) {
        SPRAG_TRY(joint_index_check(model, "start", item->joint));
        SPRAG_TRY(size_check(model, "start", "position", item->joint_position));
        return size_check(model, "start", "velocity", item->joint_velocity);
    }
    if (item->kind == SPRAG_START_POINT) {
        SPRAG_TRY(body_index_check(model, "start", item->point.body, false));
        SPRAG_TRY(vec3_check(model, "start", "point", item->point.local));
        SPRAG_TRY(vec3_check(model, "start", "at", item->at));
        return vec3_check(model, "start", "velocity", item->velocity);
    }
    if (!item->contact)
        for (int i = 0; i < 2; i++)
            SPRAG_TRY(check_selector(model, &item->between[i]));
    SPRAG_TRY(size_check(model, "start", "gap", item->gap));
    SPRAG_TRY(size_check(model, "start", "velocity", item->normal_velocity));
    SPRAG_TRY(vec3_check(model, "start", "slip", item->slip_along));
    return size_check(model, "start", "slip", item->slip);
}
