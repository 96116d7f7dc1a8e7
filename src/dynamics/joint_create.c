// joint_create.c: joints of a system: groups of bodies, rows to eliminate, contacts of their own.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "joint_private.h"

// ---- Groups -------------------------------------------------------------------------------------

// Which bodies hang together, and the order of coordinates that keeps them side by side.
typedef struct Grouping {
    int *parent; // of each body: union-find
    bool *bound; // the body has rows that are eliminated
} Grouping;

static int root_of(int *parent, int body)
{
    while (parent[body] != body) {
        parent[body] = parent[parent[body]];
        body = parent[body];
    }
    return body;
}

static bool is_free(const SpragModel *model, int body)
{
    return body != SPRAG_WORLD && !model->bodies[body].fixed;
}

static void unite(const SpragModel *model, const Joints *joints, Grouping *grouping)
{
    for (int i = 0; i < model->body_count; i++)
        grouping->parent[i] = i;
    for (int i = 0; i < joints->count; i++) {
        const SpragJoint *joint = &model->joints[i];
        int a = joint->ends[0].body, b = joint->ends[1].body;
        if (joints->items[i].row_count == joints->items[i].normal_count)
            continue;
        for (int k = 0; k < 2; k++)
            if (is_free(model, joint->ends[k].body))
                grouping->bound[joint->ends[k].body] = true;
        if (is_free(model, a) && is_free(model, b)) {
            int first = root_of(grouping->parent, a), second = root_of(grouping->parent, b);
            grouping->parent[first > second ? first : second] = first > second ? second : first;
        }
    }
}

// Bodies of a group one after the other, where its first one stood.
static void order_bodies(SpragSystem *system, Grouping *grouping)
{
    const SpragModel *model = system->model;
    Joints *joints = system->joints;
    int placed = 0, block = 0;
    for (int i = 0; i < model->body_count; i++) {
        // the least body of a group is its root
        bool first = !is_free(model, i) || !grouping->bound[i] || root_of(grouping->parent, i) == i;
        if (!first)
            continue;
        bool group = is_free(model, i) && grouping->bound[i];
        if (group)
            joints->groups[joints->group_count] = (JointGroup){.block = block};
        for (int k = i; k < (group ? model->body_count : i + 1); k++) {
            if (k != i && !(grouping->bound[k] && root_of(grouping->parent, k) == i))
                continue;
            system->body_order[placed++] = k;
            if (!is_free(model, k))
                continue;
            joints->group_of[block++] = group ? joints->group_count : -1;
            if (group)
                joints->groups[joints->group_count].block_count++;
        }
        joints->group_count += group;
    }
}

// The group of a joint by one of its free bodies, whose blocks are known once bodies are taken.
static int group_of_joint(const SpragSystem *system, int joint)
{
    for (int k = 0; k < 2; k++) {
        int body = system->model->joints[joint].ends[k].body;
        if (is_free(system->model, body))
            return system->joints->group_of[system->coordinate[body] / body_size(system)];
    }
    return -1;
}

static void list_rows(SpragSystem *system)
{
    Joints *joints = system->joints;
    int listed = 0;
    size_t entries = 0;
    for (int g = 0; g < joints->group_count; g++) {
        JointGroup *group = &joints->groups[g];
        group->first = listed;
        for (int i = 0; i < joints->count; i++) {
            const JointItem *item = &joints->items[i];
            if (item->row_count == item->normal_count || group_of_joint(system, i) != g)
                continue;
            for (int r = item->normal_count; r < item->row_count; r++)
                joints->eliminated[listed++] = item->row + r;
        }
        group->count = listed - group->first;
        group->factor = entries;
        entries += (size_t)group->count * (size_t)group->count;
    }
    joints->factor_count = entries;
}

static SpragStatus find_groups(SpragSystem *system)
{
    const SpragModel *model = system->model;
    SpragContext *context = system->context;
    size_t bodies = (size_t)model->body_count;
    Grouping grouping = {sprag_alloc(context, bodies, sizeof(int)),
                         sprag_alloc(context, bodies, sizeof(bool))};
    system->body_order = sprag_alloc(context, bodies, sizeof(int));
    system->joints->group_of = sprag_alloc(context, bodies, sizeof(int));
    system->joints->groups = sprag_alloc(context, bodies, sizeof(JointGroup));
    bool memory = grouping.parent && grouping.bound && system->body_order &&
                  system->joints->group_of && system->joints->groups;
    if (memory) {
        unite(model, system->joints, &grouping);
        order_bodies(system, &grouping);
    }
    sprag_free(context, grouping.parent);
    sprag_free(context, grouping.bound);
    return memory ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// ---- Contacts of joints -------------------------------------------------------------------------

static SpragStatus add_contact(SpragSystem *system, int joint, SpragConstraintKind kind,
                               const char *suffix, double side)
{
    Joints *joints = system->joints;
    char name[96];
    snprintf(name, sizeof name, "%s%s", system->model->joints[joint].name, suffix);
    JointContact *contact = &joints->contacts[joints->contact_count];
    *contact = (JointContact){.joint = joint, .kind = kind, .side = side};
    contact->name = sprag_copy_text(system->context, name);
    joints->contact_count++;
    return contact->name ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

static SpragStatus add_contacts(SpragSystem *system, int index)
{
    Joints *joints = system->joints;
    const SpragJoint *joint = &system->model->joints[index];
    JointItem *item = &joints->items[index];
    item->contact = joints->contact_count;
    item->lower = item->upper = -1;
    for (int k = 0; k < item->bearings; k++) {
        const char *cross = k == 0 ? ".first" : ".second", *end = k == 0 ? ".0" : ".1";
        const char *suffix = joint->kind == SPRAG_JOINT_UNIVERSAL ? cross : end;
        suffix = item->bearings == 1 ? "" : suffix;
        SPRAG_TRY(add_contact(system, index, SPRAG_CONSTRAINT_BEARING, suffix, 1));
        joints->contacts[joints->contact_count - 1].bearing = k;
    }
    if (joint->limited && isfinite(joint->limits[0])) {
        item->lower = joints->contact_count;
        SPRAG_TRY(add_contact(system, index, SPRAG_CONSTRAINT_LIMIT, ".lower", 1));
    }
    if (joint->limited && isfinite(joint->limits[1])) {
        item->upper = joints->contact_count;
        SPRAG_TRY(add_contact(system, index, SPRAG_CONSTRAINT_LIMIT, ".upper", -1));
    }
    return SPRAG_OK;
}

// ---- Life ---------------------------------------------------------------------------------------

static SpragStatus allocate_items(SpragSystem *system)
{
    Joints *joints = system->joints;
    size_t count = (size_t)joints->count, controllers = (size_t)system->model->controller_count;
    joints->items = sprag_alloc(system->context, count, sizeof *joints->items);
    joints->contacts =
        sprag_alloc(system->context, JOINT_CONTACTS * count, sizeof *joints->contacts);
    joints->positions = sprag_alloc(system->context, count, sizeof *joints->positions);
    joints->turns = sprag_alloc(system->context, count, sizeof *joints->turns);
    joints->controls = sprag_alloc(system->context, controllers, sizeof *joints->controls);
    return joints->items && joints->contacts && joints->positions && joints->turns &&
                   joints->controls
               ? SPRAG_OK
               : SPRAG_ERROR_MEMORY;
}

static SpragStatus allocate_rows(SpragSystem *system)
{
    Joints *joints = system->joints;
    size_t rows = (size_t)joints->row_count;
    joints->rows = sprag_alloc(system->context, rows, sizeof *joints->rows);
    joints->eliminated = sprag_alloc(system->context, rows, sizeof *joints->eliminated);
    joints->order = sprag_alloc(system->context, 4 * rows, sizeof *joints->order);
    joints->whole = sprag_alloc(system->context, 4 * rows, sizeof *joints->whole);
    if (!joints->rows || !joints->eliminated || !joints->order || !joints->whole)
        return SPRAG_ERROR_MEMORY;
    joints->right = joints->whole + rows;
    joints->x = joints->right + rows;
    joints->more = joints->x + rows;
    return SPRAG_OK;
}

SpragStatus joints_create(SpragSystem *system)
{
    const SpragModel *model = system->model;
    if (model->joint_count == 0)
        return SPRAG_OK;
    Joints *joints = sprag_alloc(system->context, 1, sizeof *joints);
    system->joints = joints;
    if (!joints)
        return SPRAG_ERROR_MEMORY;
    joints->count = model->joint_count;
    SPRAG_TRY(allocate_items(system));
    for (int i = 0; i < joints->count; i++) {
        joints->items[i].row = joints->row_count;
        joint_count_rows(model, &model->joints[i], &joints->items[i]);
        bool counts = joint_counts_turns(model, &model->joints[i]);
        joints->items[i].turned = counts ? joints->turn_count++ : -1;
        joints->row_count += joints->items[i].row_count;
        SPRAG_TRY(add_contacts(system, i));
    }
    system->joint_contacts = joints->contact_count;
    SPRAG_TRY(allocate_rows(system));
    return find_groups(system);
}

SpragStatus joints_take(SpragSystem *system)
{
    Joints *joints = system->joints;
    if (!joints)
        return SPRAG_OK;
    for (int i = 0; i < joints->count; i++) {
        const SpragJoint *joint = &system->model->joints[i];
        JointItem *item = &joints->items[i];
        for (int k = 0; k < 2; k++) {
            item->local[k] = joint->ends[k].local;
            item->axes[k] = joint->axes[k];
        }
        item->ready = !joint->as_placed;
        item->length = joint->length;
        if (joint->as_placed)
            item->axes[1] = item->axes[0];
        const double *a = item->axes[0].m, *b = item->axes[1].m;
        item->turn = system->dimension == 2 ? atan2(b[3], b[0]) - atan2(a[3], a[0]) : 0;
    }
    joints->rows_valid = joints->factor_valid = false;
    if (joints->factors)
        return SPRAG_OK;
    list_rows(system);
    joints->factors = sprag_alloc(system->context, joints->factor_count + 1, sizeof(double));
    return joints->factors ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

void joints_destroy(SpragSystem *system)
{
    Joints *joints = system->joints;
    SpragContext *context = system->context;
    if (!joints)
        return;
    for (int i = 0; i < joints->contact_count; i++)
        sprag_free(context, joints->contacts[i].name);
    void *const owned[] = {
        joints->items,     joints->contacts,   joints->groups,     joints->group_of, joints->rows,
        joints->positions, joints->eliminated, joints->order,      joints->factors,  joints->whole,
        joints->dense,     joints->controls,   joints->redundancy, joints->near,     joints->stack,
        joints->scratch,   joints->gram,       joints->turns};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        sprag_free(context, owned[i]);
    sprag_free(context, joints);
}
