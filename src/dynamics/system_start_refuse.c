// system_start_refuse.c: what is told of a start that cannot be.
// Problem   a scene whose lines of `start`, joints or shapes contradict each other: which of
//           them, by how much, where it stands in the file, and what would be right
// Method    the condition with the largest residual is the one that is named; overlaps by the
//           collider, limits by the positions of joints
// Assumes   the state is that at which placing gave up
#include <math.h>
#include <stdio.h>

#include "system_place.h"

// Puts "file:line:column: " before the context's message; without a line "file: "; a model that was
// built in code has no file, and its messages nothing before them.
static SpragStatus locate(const SpragSystem *system, int line, int column)
{
    SpragContext *context = system->context;
    const char *message = sprag_context_message(context), *source = system->model->source;
    if (!source)
        return SPRAG_ERROR_INPUT;
    if (line > 0)
        return sprag_fail(context, SPRAG_ERROR_INPUT, "%s:%d:%d: %s", source, line, column,
                          message);
    return sprag_fail(context, SPRAG_ERROR_INPUT, "%s: %s", source, message);
}

SpragStatus place_refuse(const Placing *placing, int line, const char *format, ...)
{
    SpragContext *context = placing->system->context;
    const SpragStart *start = place_line(placing, line);
    va_list arguments;
    va_start(arguments, format);
    sprag_fail_list(context, SPRAG_ERROR_INPUT, format, arguments);
    va_end(arguments);
    sprag_fail(context, SPRAG_ERROR_INPUT, "start: %s", sprag_context_message(context));
    return locate(placing->system, start->line, start->column);
}

SpragStatus place_refuse_name(const Placing *placing, int line)
{
    const SpragSystem *system = placing->system;
    const char *name = place_line(placing, line)->contact;
    if (!name)
        return place_refuse(placing, line, "no contact is between these two");
    if (system->contact_count == 0)
        return place_refuse(placing, line,
                            "there is no contact \"%s\": no bodies of the scene can touch", name);
    int last = system->contact_count - 1;
    if (last == 0)
        return place_refuse(placing, line, "there is no contact \"%s\"; there is %s", name,
                            sprag_system_contact_name(system, 0));
    return place_refuse(placing, line, "there is no contact \"%s\"; there are %s … %s", name,
                        sprag_system_contact_name(system, 0),
                        sprag_system_contact_name(system, last));
}

SpragStatus place_refuse_worst(const Placing *placing)
{
    int worst = 0;
    for (int i = 1; i < placing->condition_count; i++)
        if (fabs(placing->r[i]) > fabs(placing->r[worst]))
            worst = i;
    const Condition *condition = &placing->conditions[worst];
    bool positions = placing->level == POSITIONS;
    const char *unit = positions ? "m" : "m/s";
    double residual = fabs(placing->r[worst]);
    if (condition->row > 0) {
        const SpragJoint *joint = place_joint_of(placing, worst);
        char sentence[600];
        (void)place_refuse_joint(placing, worst);
        if (condition->line < 0)
            return locate(placing->system, joint->line, joint->column);
        snprintf(sentence, sizeof sentence, "%s", sprag_context_message(placing->system->context));
        return place_refuse(placing, condition->line, "%s", sentence);
    }
    if (condition->slot < 0) {
        static const char *const axes[] = {"x", "y", "z"};
        int body = place_line(placing, condition->line)->point.body;
        return place_refuse(placing, condition->line,
                            "%s %s of the point of %s cannot be made %g: residual %.2g %s",
                            axes[condition->axis], positions ? "position" : "velocity",
                            placing->system->model->bodies[body].name, condition->target, residual,
                            unit);
    }
    if (!isfinite(residual))
        return place_refuse(placing, condition->line,
                            "%s cannot be closed by a shift of its bodies",
                            sprag_system_contact_name(placing->system, condition->slot));
    const char *what = positions ? "gap" : condition->axis == 0 ? "normal velocity" : "slip";
    if (is_spatial(placing->system) && condition->axis > 0) {
        SpragVec3 along = place_line(placing, condition->line)->slip_along;
        return place_refuse(placing, condition->line,
                            "slip of %s cannot be made [%g, %g, %g]: residual %.2g m/s",
                            sprag_system_contact_name(placing->system, condition->slot), along.x,
                            along.y, along.z, residual);
    }
    return place_refuse(placing, condition->line, "%s of %s cannot be made %g: residual %.2g %s",
                        what, sprag_system_contact_name(placing->system, condition->slot),
                        condition->target, residual, unit);
}

SpragStatus place_refuse_flipped(const Placing *placing)
{
    const SpragSystem *system = placing->system;
    for (int j = 0; j < system->joints->count; j++) {
        const SpragJoint *joint = &system->model->joints[j];
        if (!joint_is_flipped(system, j))
            continue;
        sprag_fail(system->context, SPRAG_ERROR_INPUT,
                   "the joint %s can be assembled the wrong way round only: its axes point against "
                   "each other",
                   joint->name);
        return locate(system, joint->line, joint->column);
    }
    return SPRAG_OK;
}

SpragStatus place_refuse_overlap(const Placing *placing, double tolerance)
{
    const SpragSystem *system = placing->system;
    const SpragModel *model = system->model;
    int number;
    double depth, wanted = 0;
    for (int i = 0; i < model->start_count; i++)
        if (model->starts[i].kind == SPRAG_START_CONTACT)
            wanted = fmax(wanted, -model->starts[i].gap);
    bool overlap = is_spatial(system)
                       ? sprag_collider_find_overlap_space(system->collider, system->poses,
                                                           tolerance + wanted, &number, &depth)
                       : sprag_collider_find_overlap_framed(system->collider, system->frames,
                                                            tolerance + wanted, &number, &depth);
    if (!overlap)
        return SPRAG_OK;
    const SpragSlot *slot = sprag_collider_slot(system->collider, number);
    int inside = model->bodies[slot->body[0]].fixed ? 1 : 0;
    const SpragBody *body = &model->bodies[slot->body[inside]];
    sprag_fail(system->context, SPRAG_ERROR_INPUT,
               "%s lies %.3g m inside %s (contact %s); move it, or close the contact with start",
               body->name, depth, model->bodies[slot->body[1 - inside]].name, slot->name);
    return locate(system, body->line, body->column);
}

// A position beyond its limits by more than the tolerance.
SpragStatus place_refuse_limits(const Placing *placing, double tolerance)
{
    SpragSystem *system = placing->system;
    for (int i = 0; i < system->joint_contacts; i++) {
        int index = sprag_system_contact_joint(system, i);
        const SpragJoint *joint = &system->model->joints[index];
        if (!(place_limit_gap(system, i) < -tolerance))
            continue;
        sprag_fail(system->context, SPRAG_ERROR_INPUT,
                   "%s: the position %.6g is beyond the limits [%g, %g]; move the bodies, or give "
                   "the position with start",
                   joint->name, system->joints->positions[index][0].value, joint->limits[0],
                   joint->limits[1]);
        return locate(system, joint->line, joint->column);
    }
    return SPRAG_OK;
}
