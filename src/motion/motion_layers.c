// motion_layers.c: contacts whose forces come from their layers.
// Problem   λN = max(0, f(δ) + g(δ, δ')), λT by the slider of theory.md (5.7)–(5.10) or by a smooth
//           friction law, as given loads of the bodies and of the contacts that stay rigid (8.6.1)
// Method    depth and shear are states of their own (8.3), so that no stiffness magnifies the
//           rounding of positions. Within an arc the slider's decision is frozen and the clip is
//           left out, so that the right-hand side is smooth past a would-be event (14.1).
// Note      nothing is allocated in the right-hand side
#include <math.h>
#include <string.h>

#include "motion_private.h"

// ---- Which contacts -----------------------------------------------------------------------------

void layers_begin_slot(SpragRun *run, int slot)
{
    SpragContactPair pair;
    sprag_system_pair(run->system, slot, &pair);
    bool wanted = run->settings.motion == SPRAG_MOTION_COMPLIANT
                      ? pair.model != SPRAG_PAIR_RIGID
                      : pair.model == SPRAG_PAIR_COMPLIANT;
    run->law[slot] = pair.friction_law;
    // a row at velocity level has no gap to press into
    run->compliant[slot] = wanted && !sprag_system_contact_is_velocity_level(run->system, slot) &&
                           !modes_is_bearing(run, slot);
    run->touching[slot] = run->layer_known[slot] = run->layer_default[slot] = false;
    run->depth_state[slot] = run->shift[slot] = 0;
    layers_set_shear(run, slot, NULL, 0);
    run->stick_since[slot] = run->slow_since[slot] = -INFINITY;
    run->slid[slot] = SPRAG_MODE_SEPARATE;
    run->slider_period[slot] = 0;
    run->layer_told[slot] = false;
}

void layers_begin(SpragRun *run)
{
    for (int slot = 0; slot < run->slots; slot++)
        layers_begin_slot(run, slot);
    bearings_begin(run);
    run->change = run->placed = 0;
    run->look_credit = 0;
}

void layers_set_shear(SpragRun *run, int slot, const double *shear, double factor)
{
    for (int k = 0; k < run->tangents; k++)
        run->shear_state[run->tangents * slot + k] = shear ? factor * shear[k] : 0;
}

// Whether a listed contact carries a state beside its depth.
static bool has_shear(const SpragRun *run, int i)
{
    const Frozen *f = &run->frozen;
    const SpragFrictionLaw *law = &run->law[f->active[i]];
    if (f->rows[i] == 1)
        return false;
    return sprag_friction_law_has_state(law) || (f->soft[i] && law->kind == SPRAG_FRICTION_COULOMB);
}

void layers_pack(SpragRun *run)
{
    Frozen *f = &run->frozen;
    int at = run->m + run->n + WORK_COUNT;
    for (int i = 0; i < f->active_count; i++) {
        f->depth_at[i] = f->shear_at[i] = -1;
        if (f->soft[i]) {
            f->depth_at[i] = at;
            run->y[at++] = run->depth_state[f->active[i]];
        }
        if (has_shear(run, i)) {
            f->shear_at[i] = at;
            for (int k = 0; k < run->tangents; k++)
                run->y[at++] = run->shear_state[run->tangents * f->active[i] + k];
        }
    }
    run->size = at;
}

void layers_unpack(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    for (int i = 0; i < f->active_count; i++) {
        if (f->depth_at[i] >= 0)
            run->depth_state[f->active[i]] = run->y[f->depth_at[i]];
        if (f->shear_at[i] >= 0)
            layers_set_shear(run, f->active[i], run->y + f->shear_at[i], 1);
    }
}

// ---- Forces -------------------------------------------------------------------------------------

// A smooth friction law at contact i.
static void evaluate_law(SpragRun *run, const double *y, int i)
{
    const Frozen *f = &run->frozen;
    SpragFrictionVector result;
    const double none[2] = {0, 0}, *z = f->shear_at[i] >= 0 ? y + f->shear_at[i] : none;
    sprag_friction_law_evaluate_vector(&run->law[f->active[i]], &run->now.numbers[i], run->tangents,
                                       run->now.slip + run->slip_stride * i, z, &result);
    for (int k = 0; k < run->tangents; k++) {
        run->now.ratio[run->tangents * i + k] = result.ratio[k];
        run->now.shear_rate[run->tangents * i + k] = result.state_rate[k];
    }
}

void layers_trial(const SpragRun *run, const double *y, int i, double *trial)
{
    const SpragLayer *layer = &run->layer[run->frozen.active[i]];
    for (int k = 0; k < run->tangents; k++)
        trial[k] = layer->tangential_stiffness * y[run->frozen.shear_at[i] + k] -
                   layer->tangential_damping * run->now.slip[run->slip_stride * i + k];
}

// Direction of λT of a slider that slips: opposite to σ, so that of λ_tr.
void layers_pull(const SpragRun *run, const double *y, int i, double *pull)
{
    const Frozen *f = &run->frozen;
    if (run->tangents == 1) {
        pull[0] = -f->sign[i];
        return;
    }
    double trial[2];
    layers_trial(run, y, i, trial);
    double size = hypot(trial[0], trial[1]);
    for (int k = 0; k < 2; k++)
        pull[k] = size > 0 ? trial[k] / size : -f->heading[WAYS * i + k];
}

// λT and the rate of the shear, theory.md (5.7)–(5.9), in space (5.24).
static void slider_force(SpragRun *run, const double *y, int i, double normal, double *force)
{
    const Frozen *f = &run->frozen;
    const SpragLayer *layer = &run->layer[f->active[i]];
    SpragMode mode = run->mode[f->active[i]];
    double *rate = run->now.shear_rate + run->tangents * i, pull[2];
    if (mode == SPRAG_MODE_STICK && modes_have_friction(run, i)) {
        for (int k = 0; k < run->tangents; k++)
            rate[k] = -run->now.slip[run->slip_stride * i + k];
        layers_trial(run, y, i, force);
        return;
    }
    layers_pull(run, y, i, pull);
    for (int k = 0; k < run->tangents; k++) {
        force[k] = mode_slides(mode) ? pull[k] * modes_kinetic(run, i) * normal : 0;
        rate[k] = (force[k] - layer->tangential_stiffness * y[f->shear_at[i] + k]) /
                  layer->tangential_damping;
    }
}

static void evaluate_soft(SpragRun *run, const double *y, int i)
{
    const Frozen *f = &run->frozen;
    int slot = f->active[i], first = f->first[i];
    double normal;
    (void)sprag_layer_normal(&run->layer[slot], y[f->depth_at[i]], -run->now.gap_rate[i],
                             &run->now.press[i], NULL, NULL);
    normal = run->mode[slot] == SPRAG_MODE_SEPARATE ? 0 : run->now.press[i];
    run->now.force[first] = normal;
    if (f->rows[i] == 1)
        return;
    if (run->law[slot].kind == SPRAG_FRICTION_COULOMB) {
        slider_force(run, y, i, normal, run->now.force + first + 1);
        return;
    }
    for (int k = 0; k < run->tangents; k++) // what Karnopp's law holds in stick is solved for
        run->now.force[first + 1 + k] = modes_slide_ratio(run, i, k) * normal;
}

void layers_force(SpragRun *run, const double *y, int i)
{
    const Frozen *f = &run->frozen;
    if (f->rows[i] > 1 && sprag_friction_law_is_smooth(&run->law[f->active[i]]))
        evaluate_law(run, y, i);
    if (f->soft[i])
        evaluate_soft(run, y, i);
}

void layers_forces(SpragRun *run, const double *y)
{
    for (int i = 0; i < run->frozen.active_count; i++)
        layers_force(run, y, i);
}

// ---- Rates and powers ---------------------------------------------------------------------------

void layers_add_powers(const SpragRun *run, const double *y, int i, double *friction,
                       double *damping)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    const SpragLayer *layer = &run->layer[f->active[i]];
    const double *force = e->force + f->first[i];
    // past its end the arc goes on smoothly, and its powers with it
    double elastic = sprag_layer_elastic(layer, y[f->depth_at[i]]);
    *damping += (force[0] - elastic) * -e->gap_rate[i];
    bool slider = run->law[f->active[i]].kind == SPRAG_FRICTION_COULOMB;
    for (int k = 0; k < f->rows[i] - 1; k++) {
        int at = run->tangents * i + k;
        double stored = 0, taken = 0;
        if (slider) {
            double spring = layer->tangential_stiffness * y[f->shear_at[i] + k];
            double late = force[1 + k] - spring, rate = e->shear_rate[at];
            stored = spring * rate;
            taken = !f->quick[i] ? late * rate
                                 : late * late * layers_quick_relaxation(run, i) /
                                       layer->tangential_stiffness;
        }
        *damping += taken;
        *friction -= force[1 + k] * e->slip[run->slip_stride * i + k] + stored + taken;
    }
}

void layers_derivative(SpragRun *run, const double *y, double *dy)
{
    const Frozen *f = &run->frozen;
    double *work = dy + WORK_AT(run);
    for (int i = 0; i < f->active_count; i++) {
        if (f->quick[i]) // known only with the accelerations
            run->now.shear_rate[i] = layers_quick_rate(run, i);
        if (f->depth_at[i] >= 0)
            dy[f->depth_at[i]] = -run->now.gap_rate[i];
        for (int k = 0; f->shear_at[i] >= 0 && k < run->tangents; k++)
            dy[f->shear_at[i] + k] = run->now.shear_rate[run->tangents * i + k];
        if (f->soft[i])
            layers_add_powers(run, y, i, &work[WORK_FRICTION], &work[WORK_DAMPING]);
    }
}

// Energy of one slot's layer in a state.
static double slot_energy(const SpragRun *run, int slot, double depth, const double *shear)
{
    const SpragLayer *layer = &run->layer[slot];
    double energy = sprag_layer_energy(layer, depth);
    for (int k = 0; shear && run->law[slot].kind == SPRAG_FRICTION_COULOMB && k < run->tangents;
         k++)
        energy += 0.5 * layer->tangential_stiffness * shear[k] * shear[k];
    return energy;
}

double layers_slot_energy(const SpragRun *run, int slot)
{
    return slot_energy(run, slot, fmax(run->depth_state[slot], 0),
                       run->shear_state + run->tangents * slot);
}

double layers_energy(const SpragRun *run, const double *y)
{
    const Frozen *f = &run->frozen;
    double energy = 0;
    for (int i = 0; i < f->active_count; i++)
        if (f->soft[i])
            energy += slot_energy(run, f->active[i], y[f->depth_at[i]],
                                  f->shear_at[i] >= 0 ? y + f->shear_at[i] : NULL);
    return energy;
}

// Bodies, springs and layers together, J.
SpragStatus layers_whole_energy(SpragRun *run, double *energy)
{
    double kinetic, potential, elastic;
    SPRAG_TRY(sprag_system_energy(run->system, run->t, run->y, run->y + run->m, &kinetic,
                                  &potential, &elastic));
    *energy = kinetic + potential + elastic;
    for (int slot = 0; slot < run->slots; slot++)
        if (run->compliant[slot] && run->touching[slot])
            *energy += slot_energy(run, slot, run->depth_state[slot],
                                   run->shear_state + run->tangents * slot);
    return SPRAG_OK;
}

void layers_open(SpragRun *run, int slot)
{
    // what the layer still stores goes with its surface
    run->y[WORK_AT(run) + WORK_DAMPING] += layers_slot_energy(run, slot);
    run->touching[slot] = false;
    run->mode[slot] = SPRAG_MODE_SEPARATE;
    run->depth_state[slot] = 0;
    run->shift[slot] = fmax(run->shift[slot], 0);
    layers_set_shear(run, slot, NULL, 0);
    run->stick_since[slot] = -INFINITY;
}

// ---- Smooth friction in the rigid problem -------------------------------------------------------

// The bristle deflection of a slot at y: there if it is listed, else what is kept of it.
static const double *deflection(const SpragRun *run, const double *y, int slot)
{
    const Frozen *f = &run->frozen;
    for (int i = 0; i < f->active_count; i++)
        if (f->active[i] == slot && f->shear_at[i] >= 0)
            return y + f->shear_at[i];
    return run->shear_state + run->tangents * slot;
}

SpragStatus layers_smooth(SpragRun *run, double t, const double *y, SpragContactProblem *problem)
{
    for (int k = 0; k < problem->constraint_count; k++) {
        SpragConstraint *item = &problem->constraints[k];
        int slot = item->id;
        if (!sprag_friction_law_is_smooth(&run->law[slot]) || item->row_count == 1)
            continue;
        double slip[WAYS];
        SpragFrictionNumbers numbers;
        SpragFrictionVector at;
        SpragSystemSample sample = {.slip = slip, .numbers = &numbers};
        SPRAG_TRY(sprag_system_sample(run->system, t, y, y + run->m, 1, &slot, &sample));
        sprag_friction_law_evaluate_vector(&run->law[slot], &numbers, run->tangents, slip,
                                           deflection(run, y, slot), &at);
        item->sliding = true;
        item->friction = modes_tangent_size(run, at.ratio);
        double size = fmax(modes_slip_size(run, slip), run->tangents == 1 ? 1e-300 : 1e-100);
        if (run->tangents == 1)
            item->slip[0] = at.ratio[0] > 0 ? -size : size;
        for (int d = 0; run->tangents == 2 && d < 2; d++)
            item->slip[d] = item->friction > 0 ? -size * at.ratio[d] / item->friction
                                               : size * run->heading[WAYS * slot + d];
    }
    return SPRAG_OK;
}

// What the slip of a slot does to bristles that it finds unbent: theory.md (7.9), behind it.
static SpragStatus bend_bristles(SpragRun *run, int slot)
{
    double slip[WAYS] = {0};
    SpragFrictionNumbers numbers;
    const SpragFrictionLaw *law = &run->law[slot];
    SpragSystemSample sample = {.slip = slip, .numbers = &numbers};
    SPRAG_TRY(sprag_system_sample(run->system, run->t, run->y, run->y + run->m, 1, &slot, &sample));
    double speed = modes_slip_size(run, slip), mu = sprag_friction_coefficient(&numbers, speed);
    bool fast = law->damping * speed > 4 * mu;
    layers_set_shear(run, slot, fast ? slip : NULL, fast ? mu / (law->stiffness * speed) : 0);
    return SPRAG_OK;
}

SpragStatus layers_bend(SpragRun *run)
{
    for (int slot = 0; slot < run->slots; slot++)
        if (!run->compliant[slot] && run->mode[slot] != SPRAG_MODE_SEPARATE &&
            run->mode_before[slot] == SPRAG_MODE_SEPARATE && !run->left[slot] &&
            sprag_friction_law_has_state(&run->law[slot]) &&
            sprag_system_row_count(run->system, 1, &slot) > 1)
            SPRAG_TRY(bend_bristles(run, slot));
    return SPRAG_OK;
}
