// stepping_still.c: contacts of bodies that have hardly moved are not looked for again.
// Problem   in a pile that stands nearly all the time of a step goes to finding what is known
// Method    a body that stays within PART_STILL of the scene's size of its anchor keeps its epoch.
//           While both bodies of a contact do, its rows stand (they are off by that part, far below
//           the tolerance of the solvers), and its gap follows the bodies to first order, which is
//           exact to rounding at that distance. The list of contacts that are near was made with a
//           margin along the ways that bodies were about to go in some steps, and stands while none
//           leaves it.
// Order     nothing here depends on the number of threads
#include <math.h>
#include <string.h>

#include "stepping.h"

static const double PART_STILL = 1e-10;

static double way_of(const Stepping *s, const double *v, double radius)
{
    if (s->m == 6) {
        double spin = sprag_vec3_norm(sprag_vec3_of(v + 3));
        return sprag_vec3_norm(sprag_vec3_of(v)) + (spin > 0 ? spin * radius : 0);
    }
    return sqrt(v[0] * v[0] + v[1] * v[1]) + (v[2] != 0 ? fabs(v[2]) * radius : 0);
}

double stepping_way(const Stepping *s, const double *v, int block)
{
    return way_of(s, v, s->radius[block]);
}

double stepping_room_way(const Stepping *s, const double *v, int block)
{
    return way_of(s, v, s->swing[block]);
}

void stepping_still_reset(Stepping *s)
{
    const SpragModel *model = sprag_system_model(s->system);
    s->near_fresh = false;
    s->may_keep = sprag_system_joint_contact_count(s->system) == 0;
    for (int i = 0; i < model->body_count; i++)
        s->may_keep &= !model->bodies[i].driven;
    for (int i = 0; i < s->block_count; i++)
        s->epoch[i] = 0;
    for (int i = 0; i < s->kept_count; i++)
        s->kept[i].slot = -1;
    memcpy(s->anchor, s->run->y, (size_t)s->run->m * sizeof *s->anchor);
}

// Whether a centre has stayed where it was.
static bool is_near(const Stepping *s, const double *anchor, const double *now)
{
    double most = PART_STILL * s->size, square = 0;
    for (int k = 0; k < s->d; k++)
        square += (now[k] - anchor[k]) * (now[k] - anchor[k]);
    return square <= most * most;
}

void stepping_still_update(Stepping *s)
{
    int size = step_position_size(s);
    for (int i = 0; i < s->block_count; i++) {
        double *offset = s->offset + i * s->m;
        const double *anchor = s->anchor + i * size, *now = s->run->y + i * size;
        if (is_near(s, anchor, now)) { // else what it has turned by does not matter
            sprag_system_block_difference(s->system, anchor, now, offset);
            if (stepping_way(s, offset, i) <= PART_STILL * s->size)
                continue;
        }
        s->epoch[i]++;
        memcpy(s->anchor + i * size, s->run->y + i * size, (size_t)size * sizeof *s->anchor);
        memset(offset, 0, (size_t)s->m * sizeof *offset);
    }
}

// Distance of a displacement from a chord (s->chord), all of its turning included.
static double off_chord(const Stepping *s, const double *way, int block)
{
    const double *chord = s->chord + block * s->m;
    double off[MOST_BODY_SIZE], along = 0, square = 0;
    for (int k = 0; k < s->d; k++) {
        along += way[k] * chord[k];
        square += chord[k] * chord[k];
    }
    double part = square > 0 ? step_smaller(step_larger(along / square, 0), 1) : 0;
    for (int k = 0; k < s->m; k++)
        off[k] = way[k] - (k < s->d ? part * chord[k] : 0);
    return stepping_room_way(s, off, block);
}

bool stepping_near_stands(Stepping *s, double h, double aside)
{
    bool stands = s->near_fresh && s->may_keep;
    if (!stands)
        return false;
    int size = step_position_size(s);
    for (int i = 0; stands && i < s->block_count; i++) {
        double way[MOST_BODY_SIZE] = {0};
        const double *fresh = s->fresh + i * size, *place = s->run->y + i * size;
        if (s->swing[i] > 0)
            sprag_system_block_difference(s->system, fresh, place, way);
        for (int k = 0; s->swing[i] == 0 && k < s->d; k++)
            way[k] = place[k] - fresh[k];
        double now = off_chord(s, way, i);
        for (int k = 0; k < s->m; k++)
            way[k] += h * s->mean[i * s->m + k];
        s->stray[i] = step_larger(now, off_chord(s, way, i));
        stands = s->stray[i] + step_larger(s->kick[i], step_smaller(s->reach[i], aside)) +
                     s->run->tolerances.gap <=
                 s->fresh_way;
    }
    return stands;
}

bool stepping_is_apart(const Stepping *s, const double *q, const int body[2], double limit)
{
    int size = step_position_size(s);
    if (body[0] < 0 || body[1] < 0)
        return false;
    const double *a = q + body[0] * size, *b = q + body[1] * size;
    double reach = limit + s->radius[body[0]] + s->radius[body[1]], square = 0;
    for (int k = 0; k < s->d; k++)
        square += (a[k] - b[k]) * (a[k] - b[k]);
    return reach <= 0 || square > reach * reach;
}

// A system of few bodies names all their contacts: those of bodies that cannot meet while the list
// stands, on their ways or `way` beside them, are left out.
static void list_near(Stepping *s, const int *near, int count, double way)
{
    s->near_count = 0;
    for (int i = 0; i < count; i++) {
        const int *body = s->slot_body + 2 * near[i];
        double limit = s->run->tolerances.gap + 2 * way;
        for (int side = 0; side < 2; side++) {
            s->near_body[2 * s->near_count + side] = body[side];
            if (body[side] >= 0)
                limit += s->reach[body[side]] +
                         stepping_room_way(s, s->chord + body[side] * s->m, body[side]);
        }
        if (!stepping_is_apart(s, s->run->y, body, limit))
            s->near_own[s->near_count++] = near[i];
    }
}

// Whether normals go through the centres of mass of all bodies that move: of balls that are not off
// the centres of their bodies.
static bool is_central(const SpragBallContact *ball)
{
    for (int side = 0; side < 2; side++) {
        bool flat = ball->slot.plane && side != ball->slot.own;
        bool off = flat || sprag_vec3_norm(ball->slot.centre[side]) > 0;
        if (ball->block[side] >= 0 && off)
            return false;
    }
    return true;
}

SpragStatus stepping_near_keep(Stepping *s, double way)
{
    SpragContext *context = s->run->context;
    const int *near;
    int all = sprag_system_near(s->system, &near);
    size_t count = (size_t)all + 1;
    SPRAG_TRY(sprag_reserve(context, &s->near_own, &s->near_capacity, count, sizeof *s->near_own));
    SPRAG_TRY(sprag_reserve(context, &s->near_body, &s->near_body_capacity, 2 * count,
                            sizeof *s->near_body));
    SPRAG_TRY(sprag_reserve(context, &s->kept, &s->kept_capacity, count, sizeof *s->kept));
    SPRAG_TRY(sprag_reserve(context, &s->hot, &s->hot_capacity, count, sizeof *s->hot));
    s->near = s->near_own;
    list_near(s, near, all, way);
    for (int i = 0; i < s->near_count; i++) {
        const SpragSlot *slot = sprag_system_slot(s->system, s->near[i]);
        s->hot[i].bounces = !slot || slot->restitution.e != 0 || slot->restitution.point_count > 0;
        s->hot[i].round = sprag_system_ball_contact(s->system, s->near[i], &s->hot[i].ball);
        s->hot[i].central = s->hot[i].round && is_central(&s->hot[i].ball);
    }
    for (; s->kept_count < s->near_count; s->kept_count++)
        s->kept[s->kept_count].slot = -1;
    memcpy(s->fresh, s->run->y, (size_t)s->run->m * sizeof *s->fresh);
    memset(s->stray, 0, (size_t)s->block_count * sizeof *s->stray);
    s->fresh_way = way;
    s->near_fresh = true;
    return SPRAG_OK;
}

static double row_times(const Stepping *s, const SpragContactBlock *block, int row, const double *v)
{
    double sum = 0;
    for (int side = 0; side < 2; side++)
        if (block->body[side] >= 0)
            sum += step_product(s, block->rows[side][row], v + block->body[side] * s->m);
    return sum;
}

static long epoch_of(const Stepping *s, int block)
{
    return block < 0 ? 0 : s->epoch[block];
}

bool stepping_still_take(Stepping *s, int i, const int body[2], double limit)
{
    const StepKept *kept = &s->kept[i];
    SpragContactBlock *block = &s->blocks[i];
    if (!s->may_keep || kept->slot != s->near[i] || kept->epoch[0] != epoch_of(s, body[0]) ||
        kept->epoch[1] != epoch_of(s, body[1]))
        return false;
    if (!kept->found) { // its gap was larger than that
        s->block_valid[i] = false;
        return limit <= kept->gap - 4 * PART_STILL * s->size;
    }
    block->gap = kept->gap + row_times(s, block, 0, s->offset);
    s->block_valid[i] = block->gap <= limit;
    const double *v = s->run->y + s->run->m;
    block->gap_rate = row_times(s, block, 0, v);
    for (int k = 1; k < s->d; k++)
        block->slip[k - 1] = row_times(s, block, k, v);
    return true;
}

void stepping_still_put(Stepping *s, int i, const int body[2], double limit)
{
    const SpragContactBlock *block = &s->blocks[i];
    StepKept *kept = &s->kept[i];
    *kept = (StepKept){.slot = s->near[i],
                       .found = s->block_valid[i],
                       .gap = limit,
                       .epoch = {epoch_of(s, body[0]), epoch_of(s, body[1])}};
    if (!kept->found)
        return;
    kept->gap = block->gap - row_times(s, block, 0, s->offset);
    // what moves by itself is looked at afresh
    for (int k = 0; k < s->d; k++)
        if (block->drift[k] != 0)
            kept->slot = -1;
}
