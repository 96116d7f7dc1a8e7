// record_joint.c: signals of joints, and of bodies that move as told.
//
// A joint has position and velocity (cylindrical and screw joints also way and speed), the force
// along it, the error of its rows, and the reaction of its first body on its second: its size and
// its components in the world, with the moment at the second end.
#include <math.h>

#include "record_private.h"

enum {
    JOINT_POSITION,
    JOINT_VELOCITY,
    JOINT_WAY,
    JOINT_SPEED,
    JOINT_FORCE,
    JOINT_ERROR,
    JOINT_REACTION,
    JOINT_REACTION_X,
    JOINT_REACTION_Y,
    JOINT_REACTION_Z,
    JOINT_MOMENT,
    JOINT_MOMENT_X,
    JOINT_MOMENT_Y,
    JOINT_MOMENT_Z,
    JOINT_FIELD_COUNT
};

static const char *const fields[JOINT_FIELD_COUNT] = {
    "position",   "velocity",   "way",        "speed",  "force",    "error",    "reaction",
    "reaction.x", "reaction.y", "reaction.z", "moment", "moment.x", "moment.y", "moment.z"};

static bool has_field(const SpragModel *model, const SpragJoint *joint, int field)
{
    bool moves = joint->kind != SPRAG_JOINT_WELD && joint->kind != SPRAG_JOINT_BALL &&
                 joint->kind != SPRAG_JOINT_UNIVERSAL;
    bool both = joint->kind == SPRAG_JOINT_CYLINDRICAL || joint->kind == SPRAG_JOINT_SCREW;
    bool space = model->dimension == 3;
    switch (field) {
    case JOINT_POSITION:
    case JOINT_VELOCITY:
    case JOINT_FORCE:
        return moves;
    case JOINT_WAY:
    case JOINT_SPEED:
        return both;
    case JOINT_REACTION_Z:
    case JOINT_MOMENT_X:
    case JOINT_MOMENT_Y:
    case JOINT_MOMENT_Z:
        return space;
    default:
        return true;
    }
}

SpragStatus joint_add_signals(Catalogue *catalogue)
{
    const SpragModel *model = sprag_system_model(catalogue->system);
    for (int i = 0; model && i < model->joint_count; i++)
        for (int field = 0; field < JOINT_FIELD_COUNT; field++) {
            const SpragJoint *joint = &model->joints[i];
            Signal signal = {.source = SOURCE_JOINT, .index = i, .field = field};
            bool straight =
                joint->kind == SPRAG_JOINT_PRISMATIC || joint->kind == SPRAG_JOINT_DISTANCE;
            signal.constant = straight; // for its unit
            signal.standard = field <= JOINT_REACTION;
            signal.space = model->dimension == 3;
            if (has_field(model, joint, field))
                SPRAG_TRY(catalogue_add(catalogue, joint->name, fields[field], signal));
        }
    return SPRAG_OK;
}

double joint_value(const Signal *signal, const SpragRunSample *sample)
{
    if (!sample->joints)
        return NAN;
    const SpragJointState *joint = &sample->joints[signal->index];
    switch (signal->field) {
    case JOINT_POSITION:
    case JOINT_WAY:
        return joint->position[signal->field == JOINT_WAY];
    case JOINT_VELOCITY:
    case JOINT_SPEED:
        return joint->velocity[signal->field == JOINT_SPEED];
    case JOINT_FORCE:
        return joint->force;
    case JOINT_ERROR:
        return joint->error;
    case JOINT_REACTION:
        return sprag_vec3_norm(joint->reaction);
    case JOINT_REACTION_X:
        return joint->reaction.x;
    case JOINT_REACTION_Y:
        return joint->reaction.y;
    case JOINT_REACTION_Z:
        return joint->reaction.z;
    case JOINT_MOMENT: // in the plane with its sign
        return signal->space ? sprag_vec3_norm(joint->moment) : joint->moment.z;
    case JOINT_MOMENT_X:
        return joint->moment.x;
    case JOINT_MOMENT_Y:
        return joint->moment.y;
    default:
        return joint->moment.z;
    }
}

const char *joint_unit(const Signal *signal)
{
    bool straight = signal->constant != 0;
    switch (signal->field) {
    case JOINT_POSITION:
        return straight ? "m" : "rad";
    case JOINT_VELOCITY:
        return straight ? "m/s" : "rad/s";
    case JOINT_FORCE:
        return straight ? "N" : "N m";
    case JOINT_WAY:
    case JOINT_ERROR:
        return "m";
    case JOINT_SPEED:
        return "m/s";
    default:
        return signal->field < JOINT_MOMENT ? "N" : "N m";
    }
}
