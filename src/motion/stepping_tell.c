// stepping_tell.c: what a step tells: events of contacts, Painlevé passages, the account.
#include "stepping.h"

#include <math.h>
#include <string.h>

// ---- Modes and events ---------------------------------------------------------------------------

// What counts as no velocity: rounding, and what forces of the solver's error make in one step.
static double rate_tolerance(const Stepping *s, double h)
{
    return step_larger(1e-6 * h * s->acceleration, s->run->tolerances.slip);
}

static double length_of(const Stepping *s, const double *tangential)
{
    return s->d == 2 ? fabs(tangential[0])
                     : sqrt(tangential[0] * tangential[0] + tangential[1] * tangential[1]);
}

static SpragMode mode_of(const Stepping *s, int i, double h)
{
    const StepContacts *c = &s->sorted;
    const double *r = c->impulse + s->d * i, *u = c->after + s->d * i;
    double tolerance = rate_tolerance(s, h), normal = u[0] + c->bound[i];
    bool leaves = normal > tolerance && (r[0] <= 0 || c->impact[i]);
    bool open = r[0] <= 0 && c->gap[i] > s->run->tolerances.gap;
    if (leaves || open)
        return SPRAG_MODE_SEPARATE;
    if (length_of(s, u + 1) <= tolerance)
        return SPRAG_MODE_STICK;
    if (s->d == 3)
        return SPRAG_MODE_SLIDE;
    return u[1] > 0 ? SPRAG_MODE_SLIDE_PLUS : SPRAG_MODE_SLIDE_MINUS;
}

static void note_impact(Stepping *s, int i)
{
    const StepContacts *c = &s->sorted;
    SpragContactPair pair;
    const double *before = c->before + s->d * i, *u = c->after + s->d * i,
                 *r = c->impulse + s->d * i;
    SpragImpactNote *note = &s->run->note;
    sprag_system_pair(s->system, c->slot[i], &pair);
    *note = (SpragImpactNote){.given = true, .law = pair.restitution.law};
    note->e = sprag_restitution_at(&pair.restitution, -before[0]);
    for (int k = 0; k < s->d; k++) {
        note->velocity[k] = before[k];
        note->after[k] = k == 0 ? u[0] + c->bound[i] : u[k];
        note->impulse[k] = r[k];
        double loss = -r[k] * (note->velocity[k] + note->after[k]) / 2;
        *(k == 0 ? &note->loss.normal_compression : &note->loss.tangential_compression) += loss;
    }
    note->energy_before = s->kinetic_before;
    note->energy_after = s->kinetic_after;
}

static void tell_change(Stepping *s, int i, SpragMode old, SpragMode now, bool hit,
                        SpragRunOutcome *outcome)
{
    SpragRun *run = s->run;
    int slot = s->sorted.slot[i];
    if (hit) {
        note_impact(s, i);
        tell_event(run, SPRAG_EVENT_IMPACT, slot, outcome, "at %.6g %s/s",
                   -s->sorted.before[s->d * i], contact_turns(run, slot) ? "rad" : "m");
    }
    if (old == now)
        return;
    if (old == SPRAG_MODE_SEPARATE) {
        if (!hit)
            tell_event(run, SPRAG_EVENT_LANDING, slot, outcome, "%s", sprag_mode_name(now));
    } else if (now == SPRAG_MODE_SEPARATE)
        tell_event(run, SPRAG_EVENT_SEPARATION, slot, outcome, "was %s", sprag_mode_name(old));
    else if (now == SPRAG_MODE_STICK)
        tell_event(run, SPRAG_EVENT_STICK, slot, outcome, "was %s", sprag_mode_name(old));
    else if (old == SPRAG_MODE_STICK)
        tell_event(run, SPRAG_EVENT_SLIP_START, slot, outcome, "%s", sprag_mode_name(now));
    else
        tell_event(run, SPRAG_EVENT_SLIP_REVERSAL, slot, outcome, "from %s to %s",
                   sprag_mode_name(old), sprag_mode_name(now));
}

// ---- Painlevé configurations --------------------------------------------------------------------

// A = N W Nᵀ − μ N W Tᵀ s of a sliding contact alone, with s the direction of its slip; B likewise
// without force, theory.md 4.2.
static void painleve_numbers(const Stepping *s, int i, double h, double *A, double *B)
{
    const StepContacts *c = &s->sorted;
    int d = s->d, m = s->m;
    const double *slip = c->before + d * i + 1;
    double speed = length_of(s, slip);
    *A = 0;
    for (int side = 0; side < 2; side++) {
        int body = c->bodies[2 * i + side];
        const double *J = c->jacobian + (size_t)((2 * i + side) * d * m);
        double along[MOST_BODY_SIZE]; // N − μ s T
        for (int e = 0; e < m; e++) {
            along[e] = J[e];
            for (int row = 1; row < d; row++)
                along[e] -= c->friction[i] * slip[row - 1] / speed * J[row * m + e];
        }
        for (int k = 0; body >= 0 && k < m; k++)
            *A += J[k] * step_product(s, s->inertia + (body * m + k) * m, along);
    }
    *B = (c->free[d * i] + c->bound[i] - c->before[d * i]) / h;
}

// A contact that slides where rigid mechanics fails, told once a passage. Where no normal force
// turns a body N M⁻¹ Tᵀ = 0, and A is the sum of 1/m, theory.md (11.55).
static void watch_paradox(Stepping *s, int i, double h, SpragRunOutcome *outcome)
{
    const StepContacts *c = &s->sorted;
    StepSlot *slot = &s->slots[c->slot[i]];
    double A, B;
    bool slides = !s->hot[s->order[i]].central && c->friction[i] > 0 &&
                  c->gap[i] <= s->run->tolerances.gap + PART_CLOSED * s->size &&
                  length_of(s, c->before + s->d * i + 1) > rate_tolerance(s, h) &&
                  c->impulse[s->d * i] > 0;
    if (!slides)
        return;
    painleve_numbers(s, i, h, &A, &B);
    if (A >= 0) {
        slot->paradox = false;
        return;
    }
    if (!slot->paradox)
        tell_event(
            s->run, SPRAG_EVENT_PAINLEVE, c->slot[i], outcome,
            "the step passed a Painlevé configuration: A = %.4g, B = %.4g; rigid bodies have "
            "%s, the step goes on by an impulse",
            A, B, B < 0 ? "no motion that slides on" : "several motions");
    slot->paradox = true;
}

void stepping_remember(Stepping *s, int i, double h, SpragMode mode)
{
    const StepContacts *c = &s->sorted;
    StepSlot *slot = &s->slots[c->slot[i]];
    const double *r = c->impulse + s->d * i, *once = c->once + s->d * i;
    slot->normal = r[0];
    slot->normal_once = once[0];
    slot->push = slot->once = sprag_vec3(0, 0, 0);
    for (int k = 1; k < s->d; k++) {
        SpragVec3 along = step_direction(c, s->d, s->m, i, k);
        slot->push = sprag_vec3_along(slot->push, r[k], along);
        slot->once = sprag_vec3_along(slot->once, once[k], along);
    }
    slot->mode = mode;
    slot->step = s->steps;
    slot->h = h;
    slot->asleep = false;
    slot->friction = c->friction[i];
}

void stepping_tell_contacts(Stepping *s, double h, SpragRunOutcome *outcome)
{
    const StepContacts *c = &s->sorted;
    bool told = c->count <= STEPPING_CONTACTS && s->block_count <= STEPPING_BODIES;
    for (int i = 0; i < c->count; i++) {
        if (step_is_joint(c, i)) {
            stepping_joints_remember(s, i);
            continue;
        }
        StepSlot *slot = &s->slots[c->slot[i]];
        bool known = slot->asleep || (slot->step >= 0 && slot->step >= s->steps - 1);
        SpragMode old = known ? slot->mode : SPRAG_MODE_SEPARATE, now = mode_of(s, i, h);
        // what was closed a step ago is still arriving
        bool hit = c->impact[i] && c->impulse[s->d * i] > 0 && old == SPRAG_MODE_SEPARATE;
        bool started = s->steps > 0;
        s->statistics.impacts += hit;
        s->statistics.separations += old != SPRAG_MODE_SEPARATE && now == SPRAG_MODE_SEPARATE;
        if (told && started)
            tell_change(s, i, old, now, hit, outcome);
        watch_paradox(s, i, h, outcome);
        stepping_remember(s, i, h, now);
    }
}

// ---- The account --------------------------------------------------------------------------------

static void mark_struck(Stepping *s)
{
    const StepContacts *c = &s->sorted;
    memset(s->struck, 0, (size_t)s->block_count * sizeof *s->struck);
    for (int i = 0; i < 2 * c->count; i++)
        if (c->bodies[i] >= 0 && c->impact[i / 2] && c->impulse[s->d * (i / 2)] > 0)
            s->struck[c->bodies[i]] = true;
}

static bool is_struck(const Stepping *s, int i)
{
    const int *bodies = s->sorted.bodies + 2 * i;
    return (bodies[0] >= 0 && s->struck[bodies[0]]) || (bodies[1] >= 0 && s->struck[bodies[1]]);
}

// Work of contacts over the step with the mean of its velocities, theory.md (11.28). Of bodies that
// collide all of it is that of the impact, as in runs by events: where slip turns within it,
// friction gives back a part of what normal impulses took.
static void account_contacts(Stepping *s)
{
    SpragRun *run = s->run;
    const StepContacts *c = &s->sorted;
    double *work = run->y + WORK_AT(run);
    double impact = run->impact_loss, friction = work[WORK_FRICTION];
    double actuation = work[WORK_ACTUATION];
    mark_struck(s);
    for (int i = 0; i < c->count; i++) {
        const double *r = c->impulse + s->d * i;
        bool joint = step_is_joint(c, i);
        double pressed = 0, rubbed = 0;
        for (int k = 0; k < s->d; k++) {
            double after = c->after[s->d * i + k] + (k == 0 ? c->bound[i] : 0);
            // of a joint `after` has what the turning of bodies will do to it
            double swing = joint ? s->joints[-1 - c->slot[i]].swing[k] : 0;
            double mean = (c->before[s->d * i + k] + after - swing) / 2;
            *(k == 0 ? &pressed : &rubbed) += r[k] * mean;
            actuation -= r[k] * c->drift[s->d * i + k];
        }
        if (joint) // its rows turn in a step, and take a little
            run->change -= pressed + rubbed;
        else
            impact -= pressed + (is_struck(s, i) ? rubbed : 0);
        if (!joint && !is_struck(s, i))
            friction -= rubbed;
    }
    run->impact_loss = impact;
    work[WORK_FRICTION] = friction;
    work[WORK_ACTUATION] = actuation;
}

SpragStatus stepping_account(Stepping *s, double h)
{
    SpragRun *run = s->run;
    const SpragModel *model = sprag_system_model(s->system);
    double *work = run->y + WORK_AT(run), *middle = s->later_v;
    account_contacts(s);
    for (int i = 0; i < run->n; i++)
        middle[i] = (run->y[run->m + i] + s->free[i]) / 2;
    if (model->load_count + model->spring_count + model->joint_count > 0) {
        // where free_step took its forces
        SpragSystemPower power;
        memcpy(s->later, s->q_before, (size_t)run->m * sizeof *s->later);
        for (int i = 0; i < run->n; i++)
            s->work[i] = (1 - s->theta) * h * s->v_before[i];
        sprag_system_position_shift(s->system, s->work, s->later);
        SPRAG_TRY(sprag_system_applied_power(s->system, s->t_before + (1 - s->theta) * h, s->later,
                                             s->v_before, middle, &power));
        work[WORK_ACTUATION] += h * power.load;
        work[WORK_DAMPING] += h * power.damping;
    }
    // what lifting bodies out of each other gains
    for (int i = 0; i < s->block_count; i++) {
        const SpragBody *body = &model->bodies[s->model_body[i]];
        for (int k = 0; k < s->d; k++)
            run->change += body->mass * model->gravity[k] * s->shift[i * s->m + k];
    }
    return SPRAG_OK;
}
