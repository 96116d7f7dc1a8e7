// stepping_islands.c: contacts in the order of islands, with what their friction problems need.
// Method    bodies that a contact or a spring connects are joined (union by the smaller number,
//           with paths halved); islands are numbered by their first body, contacts keep the
//           order of their slots: the order never depends on how the work is divided.
#include "stepping.h"

#include <math.h>
#include <string.h>

static int root_of(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void join(int *parent, int a, int b)
{
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a != b)
        parent[a > b ? a : b] = a < b ? a : b;
}

static bool is_awake(const Stepping *s, int block)
{
    return block >= 0 && !s->asleep[block];
}

static int block_of_place(const Stepping *s, const SpragPlace *place)
{
    int at = place->body < 0 ? -1 : sprag_system_body_coordinate(s->system, place->body);
    return at < 0 ? -1 : at / s->m;
}

static void join_bodies(Stepping *s)
{
    const SpragModel *model = sprag_system_model(s->system);
    for (int i = 0; i < s->block_count; i++)
        s->parent[i] = i;
    for (int i = 0; i < s->listed_count; i++) {
        const int *body = s->blocks[s->listed[i]].body;
        if (is_awake(s, body[0]) && is_awake(s, body[1]))
            join(s->parent, body[0], body[1]);
    }
    for (int i = 0; i < s->joint_count; i++)
        if (s->joints[i].body[0] >= 0 && s->joints[i].body[1] >= 0)
            join(s->parent, s->joints[i].body[0], s->joints[i].body[1]);
    for (int i = 0; i < model->spring_count; i++) {
        int a = block_of_place(s, &model->springs[i].ends[0]);
        int b = block_of_place(s, &model->springs[i].ends[1]);
        if (a >= 0 && b >= 0)
            join(s->parent, a, b);
    }
}

// Islands of all bodies that are awake, those without contacts too.
static SpragStatus number_islands(Stepping *s)
{
    s->island_count = 0;
    SPRAG_TRY(sprag_reserve(s->run->context, &s->islands, &s->island_capacity,
                            (size_t)s->block_count + 1, sizeof *s->islands));
    for (int i = 0; i < s->block_count; i++) {
        int root = root_of(s->parent, i);
        s->island_of[i] = -1;
        if (s->asleep[i])
            continue;
        // roots are the smallest of their island, but may sleep while a spring's other end wakes
        if (root == i || s->island_of[root] < 0) {
            s->island_of[root] = s->island_count;
            s->islands[s->island_count++] = (Island){0};
        }
        s->island_of[i] = s->island_of[root];
        s->islands[s->island_of[i]].body_count++;
    }
    int first = 0;
    for (int i = 0; i < s->island_count; i++) {
        s->islands[i].first_body = first;
        first += s->islands[i].body_count;
        s->islands[i].body_count = 0;
    }
    for (int i = 0; i < s->block_count; i++) {
        if (s->asleep[i])
            continue;
        Island *island = &s->islands[s->island_of[i]];
        s->local[i] = island->body_count;
        s->island_bodies[island->first_body + island->body_count++] = i;
    }
    return SPRAG_OK;
}

// Of a listed contact, then of the blocks of joints; −1: all of it sleeps.
static int island_of_item(const Stepping *s, int item)
{
    const int *body = item < s->listed_count ? s->blocks[s->listed[item]].body
                                             : s->joints[item - s->listed_count].body;
    int awake = is_awake(s, body[0]) ? body[0] : body[1];
    return is_awake(s, awake) ? s->island_of[awake] : -1;
}

// Counting sort: numbers of the listed contacts by islands.
static SpragStatus order_contacts(Stepping *s)
{
    SPRAG_TRY(sprag_reserve(s->run->context, &s->order, &s->order_capacity,
                            (size_t)(s->listed_count + s->joint_count) + 1, sizeof *s->order));
    SPRAG_TRY(sprag_reserve(s->run->context, &s->place, &s->place_capacity,
                            (size_t)s->island_count + 1, sizeof *s->place));
    int items = s->listed_count + s->joint_count;
    for (int i = 0; i < items; i++)
        if (island_of_item(s, i) >= 0)
            s->islands[island_of_item(s, i)].count++;
    int first = 0;
    for (int i = 0; i < s->island_count; i++) {
        s->islands[i].first = s->place[i] = first;
        first += s->islands[i].count;
    }
    for (int i = 0; i < items; i++)
        if (island_of_item(s, i) >= 0)
            s->order[s->place[island_of_item(s, i)]++] =
                i < s->listed_count ? s->listed[i] : -1 - (i - s->listed_count);
    s->sorted.count = first;
    return SPRAG_OK;
}

// ---- One contact --------------------------------------------------------------------------------

static double row_times(const Stepping *s, const SpragContactBlock *block, int row, const double *v)
{
    double sum = 0;
    for (int side = 0; side < 2; side++)
        if (is_awake(s, block->body[side]))
            sum += step_product(s, block->rows[side][row], v + block->body[side] * s->m);
    return sum;
}

// Static friction while the contact sticks, kinetic in slip, theory.md 11.12.
static double friction_of(const Stepping *s, const SpragContactBlock *block)
{
    double slip = s->d == 2
                      ? fabs(block->slip[0])
                      : sqrt(block->slip[0] * block->slip[0] + block->slip[1] * block->slip[1]);
    return block->friction[slip > s->run->tolerances.slip ? 1 : 0];
}

static double restitution_of(const Stepping *s, int i, double speed)
{
    if (!s->hot[s->order[i]].bounces)
        return 0;
    int slot = s->sorted.slot[i];
    const SpragSlot *pair = sprag_system_slot(s->system, slot);
    SpragContactPair limit;
    if (!pair) // of a joint
        sprag_system_pair(s->system, slot, &limit);
    return sprag_restitution_at(pair ? &pair->restitution : &limit.restitution, speed);
}

// The least normal velocity after the step: what closes the gap at its end, theory.md (11.25), or
// Newton's rebound where it is hit faster than forces make in one step. One that separates and is
// thrown back by what hits its bodies elsewhere may close as (11.35) says.
static double bound_of(const Stepping *s, const SpragContactBlock *block, int i, double h,
                       bool *impact)
{
    double now = block->gap_rate, free = s->sorted.free[s->d * i];
    double mean = row_times(s, block, 0, s->mean) + block->drift[0];
    double middle = block->gap + h * (mean - s->theta * free);
    // an explicit step cannot aim at its end: there gaps hardly matter before they are closed
    const double least_theta = 1e-3;
    *impact = false;
    // a gap that counts as closed asks for no velocity: what separates by rounding would come back
    // with it in the next step, and a pile that stands would be solved for that
    bool open = middle > s->run->tolerances.gap;
    double closing = open ? -middle / (step_larger(s->theta, least_theta) * h) : 0;
    if (now > s->run->tolerances.rate)
        return fmin(closing, -restitution_of(s, i, now) * now);
    bool hits = free < closing && -now > fabs(free - now) && -now > s->run->tolerances.rate;
    if (!hits)
        return closing;
    double e = restitution_of(s, i, -now);
    *impact = true;
    return e > 0 ? -e * now : closing;
}

// Impulse of the last step, along the rows of this one, without what it was needed for once.
static void warm_start(const Stepping *s, int i, double h)
{
    const StepContacts *c = &s->sorted;
    const StepSlot *slot = &s->slots[c->slot[i]];
    double *r = c->impulse + s->d * i, *once = c->once + s->d * i;
    // written out: for a few numbers a call of memset waits
    r[0] = r[1] = once[0] = once[1] = 0;
    if (s->d == 3)
        r[2] = once[2] = 0;
    bool known = slot->asleep || (slot->step >= 0 && slot->step >= s->steps - 1);
    if (!known || slot->h <= 0)
        return;
    double scale = h / slot->h;
    r[0] = scale * (slot->normal - slot->normal_once);
    once[0] = scale * slot->normal_once;
    SpragVec3 push = sprag_vec3_sub(slot->push, slot->once);
    for (int k = 1; k < s->d; k++) {
        SpragVec3 along = step_direction(c, s->d, s->m, i, k);
        r[k] = scale * sprag_vec3_dot(push, along);
        once[k] = scale * sprag_vec3_dot(slot->once, along);
    }
}

// Sizes as constants where they can be: no call.
static inline void copy_rows(const double (*rows)[MOST_BODY_SIZE], int d, int m, double *to)
{
    if (d == 3 && m == 6)
        memcpy(to, rows[0], 18 * sizeof *to);
    else
        for (int r = 0; r < d; r++)
            memcpy(to + r * m, rows[r], (size_t)m * sizeof *to);
}

static void fill_contact(Stepping *s, int i, double h)
{
    StepContacts *c = &s->sorted;
    const SpragContactBlock *block = &s->blocks[s->order[i]];
    int d = s->d, m = s->m;
    c->slot[i] = s->near[s->order[i]];
    for (int side = 0; side < 2; side++) {
        bool awake = is_awake(s, block->body[side]);
        c->bodies[2 * i + side] = awake ? block->body[side] : -1;
        copy_rows(block->rows[side], d, m, c->jacobian + (size_t)((2 * i + side) * d * m));
    }
    c->kinds[i] = SPRAG_FRICTION_CONTACT;
    c->gap[i] = c->error[d * i] = block->gap;
    c->friction[i] = friction_of(s, block);
    c->before[d * i] = block->gap_rate;
    for (int r = 0; r < d; r++) {
        c->drift[d * i + r] = block->drift[r];
        if (r > 0)
            c->before[d * i + r] = block->slip[r - 1];
        c->free[d * i + r] = row_times(s, block, r, s->free) + block->drift[r];
    }
    c->bound[i] = bound_of(s, block, i, h, &c->impact[i]);
    c->free[d * i] -= c->bound[i];
    warm_start(s, i, h);
}

// Rows of a joint, held at zero.
static void fill_joint(Stepping *s, int i)
{
    StepContacts *c = &s->sorted;
    const StepJoint *joint = &s->joints[-1 - s->order[i]];
    int d = s->d, m = s->m;
    const double *v = s->run->y + s->run->m;
    c->slot[i] = s->order[i];
    c->kinds[i] = SPRAG_FRICTION_BILATERAL;
    c->gap[i] = c->friction[i] = c->bound[i] = 0;
    c->impact[i] = false;
    for (int side = 0; side < 2; side++)
        c->bodies[2 * i + side] = is_awake(s, joint->body[side]) ? joint->body[side] : -1;
    for (int r = 0; r < d; r++) {
        double now = joint->drift[r], free = joint->drift[r];
        for (int side = 0; side < 2; side++) {
            int body = c->bodies[2 * i + side];
            double *row = c->jacobian + (size_t)(((2 * i + side) * d + r) * m);
            memcpy(row, joint->entries[side][r], (size_t)m * sizeof *row);
            for (int k = 0; body >= 0 && k < m; k++) {
                now += row[k] * v[body * m + k];
                free += row[k] * s->free[body * m + k];
            }
        }
        c->error[d * i + r] = joint->error[r];
        c->drift[d * i + r] = joint->drift[r];
        c->before[d * i + r] = now - joint->turn[r]; // the velocity after is 0 less that, too
        c->free[d * i + r] = free + joint->turn[r] + joint->swing[r];
    }
    const double kept[MOST_STEP_ROWS] = {joint->impulse.x, joint->impulse.y, joint->impulse.z};
    memcpy(c->impulse + d * i, kept, (size_t)d * sizeof *kept);
    memset(c->once + d * i, 0, (size_t)d * sizeof *kept);
}

SpragStatus stepping_sort(Stepping *s, double h)
{
    join_bodies(s);
    SPRAG_TRY(number_islands(s));
    SPRAG_TRY(order_contacts(s));
    SPRAG_TRY(step_contacts_reserve(s, &s->sorted, s->sorted.count));
    for (int i = 0; i < s->sorted.count; i++)
        if (s->order[i] < 0)
            fill_joint(s, i);
        else
            fill_contact(s, i, h);
    return SPRAG_OK;
}
