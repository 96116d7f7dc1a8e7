// model_private.h: what the sources of the room share.
#ifndef SPRAG_MODEL_PRIVATE_H
#define SPRAG_MODEL_PRIVATE_H

#include "sprag/model.h"

// Lists whose entries have names that must be unique in their list (shapes, sites: in their body).
typedef enum NameKind {
    NAME_PARAMETER,
    NAME_MATERIAL,
    NAME_BODY,
    NAME_SHAPE,
    NAME_SITE,
    NAME_RULE,
    NAME_SPRING,
    NAME_JOINT,
    NAME_CONTROLLER
} NameKind;

// Entry of that kind called name (owner: its body, else −1); −1: none. The name has `length` bytes.
int name_find(const SpragModel *model, NameKind kind, int owner, const char *name, size_t length);
// Room for one more name, so that name_add cannot fail.
SpragStatus name_reserve(SpragModel *model);
// Registers entry `index`, which is in its list already.
void name_add(SpragModel *model, NameKind kind, int index);
void names_destroy(SpragModel *model);

// model_check.c: ERROR_INPUT and a sentence for numbers that a model cannot have.
SpragStatus model_refuse(const SpragModel *model, const char *whose, const char *what);
SpragStatus body_index_check(const SpragModel *model, const char *whose, int body, bool world_too);
SpragStatus parameter_check(const SpragModel *model, const SpragParameter *item);
SpragStatus material_check(const SpragModel *model, const SpragMaterial *item);
SpragStatus body_check(const SpragModel *model, const SpragBody *item);
SpragStatus shape_check(const SpragModel *model, const SpragShape *item);
SpragStatus site_check(const SpragModel *model, const SpragSite *item);
SpragStatus rule_check(const SpragModel *model, const SpragRule *item);
SpragStatus load_check(const SpragModel *model, const SpragLoad *item);
SpragStatus spring_check(const SpragModel *model, const SpragSpring *item);
SpragStatus start_check(const SpragModel *model, const SpragStart *item);
// Parts of these: magnitudes, signs, friction, restitution.
SpragStatus size_check(const SpragModel *model, const char *whose, const char *what, double value);
SpragStatus not_negative_check(const SpragModel *model, const char *whose, const char *what,
                               double value);
SpragStatus friction_check(const SpragModel *model, const char *whose,
                           const SpragFriction *friction);
SpragStatus restitution_check(const SpragModel *model, const char *whose,
                              const SpragRestitution *restitution);
// model_check_joint.c: joints, controllers, values over time, drives of bodies.
SpragStatus joint_check(const SpragModel *model, const SpragJoint *item);
SpragStatus controller_check(const SpragModel *model, const SpragController *item);
SpragStatus joint_index_check(const SpragModel *model, const char *whose, int joint);
SpragStatus time_value_check(const SpragModel *model, const char *whose, const char *what,
                             const SpragTimeValue *value);
SpragStatus body_check_drive(const SpragModel *model, const SpragBody *item);

SpragStatus vec3_check(const SpragModel *model, const char *whose, const char *what, SpragVec3 v);
// model_check_space.c: what spatial items need beside that.
SpragStatus body_check_space(const SpragModel *model, const SpragBody *item);
SpragStatus shape_check_space(const SpragModel *model, const SpragShape *item);

// Whether a joint rubs: μ = 0 is none.
static inline bool joint_has_friction(const SpragJoint *joint)
{
    return joint->friction.given && (joint->friction.stationary > 0 || joint->friction.kinetic > 0);
}

// shape_space.c: centre, axes and size from the points, if axes are all zero.
void shape_complete(SpragShape *shape);

// A fixed body has no mass.
void body_still(SpragBody *body);
void material_free(SpragContext *context, SpragMaterial *item);
void shape_free(SpragContext *context, SpragShape *item);

#endif
