// stepping_sample.c: samples of a run that steps.
// Problem   thousands of contacts have been met, and a sample has an entry for each; few are asked
//           for
// Method    modes and forces are there at once; gaps, slips and forces along tangents, which need
//           the geometry, when somebody asks. Forces of joints are the impulses of their rows over
//           the step.
#include <math.h>
#include <string.h>

#include "stepping.h"

// ---- Contacts -----------------------------------------------------------------------------------

// Whether a slot acted in the last step, or sleeps.
static bool is_current(const Stepping *s, int slot)
{
    const StepSlot *item = &s->slots[slot];
    if (item->step == s->steps - 1 && item->step >= 0)
        return true;
    if (!item->asleep)
        return false;
    const SpragSlot *pair = sprag_system_slot(s->system, slot);
    for (int side = 0; pair && side < 2; side++) {
        int at = sprag_system_body_coordinate(s->system, pair->body[side]);
        if (at >= 0 && !s->asleep[at / s->m])
            return false;
    }
    return true;
}

// What is known without geometry.
static void outline_contact(Stepping *s, int slot)
{
    const StepSlot *item = &s->slots[slot];
    SpragRunContact *shown = &s->shown[slot];
    bool current = is_current(s, slot);
    if (!current && !s->outlined[slot])
        return;
    s->outlined[slot] = current;
    const SpragSlot *pair = sprag_system_slot(s->system, slot);
    *shown = (SpragRunContact){.gap = NAN,
                               .friction = pair ? pair->friction_static : 0,
                               .mode = SPRAG_MODE_SEPARATE,
                               .unique = true};
    if (!current)
        return;
    shown->mode = item->mode;
    shown->friction = item->friction;
    shown->normal = item->normal / item->h;
    if (s->d == 3)
        shown->tangential_vector = sprag_vec3_scale(1 / item->h, item->push);
    shown->unique = false;
}

static void show_slip(const Stepping *s, const SpragContactBlock *block, SpragRunContact *shown)
{
    double sign = block->body[0] >= 0 ? 1 : -1;
    int side = block->body[0] >= 0 ? 0 : 1;
    shown->slip = shown->slips[0] = block->slip[0];
    if (s->d == 2)
        return;
    shown->slip_vector = sprag_vec3(0, 0, 0);
    for (int k = 0; k < 2; k++) {
        shown->slips[k] = block->slip[k];
        shown->slip_vector = sprag_vec3_along(shown->slip_vector, sign * block->slip[k],
                                              sprag_vec3_of(block->rows[side][k + 1]));
    }
    shown->slip = hypot(block->slip[0], block->slip[1]);
}

// The rest of it, at the state that the system has: that of the sample.
static void show_contact(Stepping *s, int slot)
{
    const StepSlot *item = &s->slots[slot];
    SpragRunContact *shown = &s->shown[slot];
    SpragContactBlock block = {0};
    if (s->shown_for[slot] == s->sample_number)
        return;
    s->shown_for[slot] = s->sample_number;
    if (sprag_system_contact_kind(s->system, slot) == SPRAG_CONSTRAINT_BEARING)
        return; // it needs no geometry
    if (!sprag_system_contact_block(s->system, slot, INFINITY, &block)) {
        *shown = (SpragRunContact){.gap = INFINITY,
                                   .friction = shown->friction,
                                   .mode = SPRAG_MODE_SEPARATE,
                                   .unique = true};
        s->outlined[slot] = true; // it has lost its mode
        return;
    }
    shown->gap = block.gap;
    show_slip(s, &block, shown);
    if (!s->outlined[slot])
        return;
    int side = block.body[0] >= 0 ? 0 : 1;
    double sign = side == 0 ? 1 : -1;
    for (int k = 0; k < s->d - 1; k++) {
        const double *t = block.rows[side][k + 1];
        SpragVec3 along = sprag_vec3(sign * t[0], sign * t[1], s->d == 3 ? sign * t[2] : 0);
        shown->tangentials[k] = sprag_vec3_dot(item->push, along) / item->h;
    }
    shown->tangential =
        s->d == 2 ? shown->tangentials[0] : hypot(shown->tangentials[0], shown->tangentials[1]);
}

const SpragRunContact *sprag_run_sample_contact(const SpragRunSample *sample, int slot)
{
    Stepping *s = sample->run ? sample->run->stepping : NULL;
    if (s && sample == &sample->run->sample)
        show_contact(s, slot);
    return &sample->contacts[slot];
}

void stepping_show_all(Stepping *s)
{
    const SpragRunSample *sample = &s->run->sample;
    if (!sample->q || s->whole_sample == s->sample_number ||
        sprag_system_set_state(s->system, sample->t, sample->q, sample->v) != SPRAG_OK)
        return;
    s->whole_sample = s->sample_number;
    for (int i = 0; i < s->slot_count; i++)
        show_contact(s, i);
}

// ---- Joints -------------------------------------------------------------------------------------

// Forces of the rows of joints: their impulses over the step in which they acted.
static SpragStatus show_joints(Stepping *s, double t, const double *q, const double *v)
{
    SpragRun *run = s->run;
    size_t rows = (size_t)sprag_system_joint_row_count(s->system);
    run->sample.joints = run->joint_states;
    if (!run->joint_states)
        return SPRAG_OK;
    SPRAG_TRY(sprag_reserve(run->context, &s->row_force, &s->row_force_capacity, rows + 1,
                            sizeof *s->row_force));
    memset(s->row_force, 0, rows * sizeof *s->row_force);
    for (int i = 0, row = 0; i < s->joint_count; i++) {
        const StepJoint *block = &s->joints[i];
        const double impulse[MOST_STEP_ROWS] = {block->impulse.x, block->impulse.y,
                                                block->impulse.z};
        for (int r = 0; r < block->rows; r++)
            s->row_force[row++] = block->h > 0 ? impulse[r] / block->h : 0;
    }
    SPRAG_TRY(sprag_system_joints_given(s->system, t, q, v, s->row_force, run->joint_states));
    for (int i = 0; i < sprag_system_joint_contact_count(s->system); i++) {
        double force[SPRAG_CONSTRAINT_ROWS] = {s->shown[i].normal};
        bool acts = s->outlined[i] && s->shown[i].normal != 0 &&
                    sprag_system_contact_kind(s->system, i) == SPRAG_CONSTRAINT_LIMIT;
        if (acts || stepping_bearings_rub(s, i, force))
            sprag_system_joints_add(s->system, i, force, run->joint_states);
    }
    return SPRAG_OK;
}

// ---- Samples ------------------------------------------------------------------------------------

SpragStatus stepping_fill(Stepping *s, double t, const double *q, const double *v)
{
    SpragRun *run = s->run;
    SpragRunSample *sample = &run->sample;
    SPRAG_TRY(sprag_system_energy(s->system, t, q, v, &sample->energy.kinetic,
                                  &sample->energy.potential, &sample->energy.elastic));
    // what rests looks the same
    if (!(s->everything_rests && s->shown_at_rest)) {
        s->sample_number++;
        for (int i = 0; i < s->slot_count; i++)
            outline_contact(s, i);
        stepping_bearings_show(s);
        SPRAG_TRY(show_joints(s, t, q, v));
    }
    s->shown_at_rest = s->everything_rests;
    const double *work = run->y + WORK_AT(run);
    sample->energy.change = run->change;
    sample->energy.friction = work[WORK_FRICTION];
    sample->energy.damping = work[WORK_DAMPING];
    sample->energy.actuation = work[WORK_ACTUATION];
    sample->energy.impact = run->impact_loss;
    sample->t = t;
    sample->q = q;
    sample->v = v;
    sample->contacts = s->shown;
    sample->verdict = SPRAG_VERDICT_UNKNOWN;
    sample->solution_count = 0;
    sample->before_event = sample->after_event = false;
    sample->residual = s->statistics.residual;
    sample->run = run;
    return SPRAG_OK;
}

void stepping_interpolate(Stepping *s, double t)
{
    SpragRun *run = s->run;
    double part = run->t > s->t_before ? (t - s->t_before) / (run->t - s->t_before) : 1;
    const double *v = run->y + run->m;
    sprag_system_position_difference(s->system, s->q_before, run->y, s->shift);
    for (int i = 0; i < run->n; i++)
        s->shift[i] *= part;
    memcpy(run->later, s->q_before, (size_t)run->m * sizeof *run->later);
    sprag_system_position_shift(s->system, s->shift, run->later);
    for (int i = 0; i < run->n; i++)
        run->later[run->m + i] = (1 - part) * s->v_before[i] + part * v[i];
}

SpragStatus stepping_tell_sample(Stepping *s, double t, SpragRunOutcome *outcome)
{
    SpragRun *run = s->run;
    const double *y = run->y;
    if (t < run->t) {
        stepping_interpolate(s, t);
        y = run->later;
    }
    SPRAG_TRY(stepping_fill(s, t, y, y + run->m));
    if (run->sink.sample && *outcome == SPRAG_RUN_DONE &&
        run->sink.sample(&run->sample, run->sink.user))
        *outcome = SPRAG_RUN_STOPPED;
    return SPRAG_OK;
}
