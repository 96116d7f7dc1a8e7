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
    run->change = 0;
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

// ---- Numbers of a layer -------------------------------------------------------------------------

// A contact seen alone.
typedef struct Local {
    double a_nn;  // inverse mass
    double force; // that presses it, N
} Local;

// Depth at which an approach with this speed ends: ½ v²/a_nn = K δ^(β+1)/(β+1).
static double impact_depth(const SpragLayer *layer, const Local *local, double speed)
{
    double order = layer->exponent + 1;
    return pow(0.5 * order * speed * speed / (local->a_nn * layer->stiffness), 1 / order);
}

// Forces below this part of what loads and inertia make of the mass alone press nothing: bodies
// that fall together press each other by rounding, and a layer's shear by that force has no
// stiffness.
static const double LEAST_PRESS = 1e-3;

// Largest acceleration of a body without contacts, m/s².
static SpragStatus free_fall(SpragRun *run, int slot, double *most)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    double *a = sprag_arena_alloc(run->arena, (size_t)run->n + 1, sizeof *a);
    bool space = run->tangents == 2;
    *most = 0;
    if (!a)
        return SPRAG_ERROR_MEMORY;
    SpragSystemSample sample = {.free_acceleration = a};
    SPRAG_TRY(sprag_system_sample(run->system, run->t, run->y, run->y + run->m, 1, &slot, &sample));
    for (int i = 0; sprag_system_model(run->system) && i < run->n; i += space ? 6 : 3)
        *most = fmax(*most, space ? sprag_vec3_norm(sprag_vec3_of(a + i)) : hypot(a[i], a[i + 1]));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

static SpragStatus look_at(SpragRun *run, int slot, Local *local, double *speed)
{
    double W[SPRAG_CONSTRAINT_ROWS * SPRAG_CONSTRAINT_ROWS], b[SPRAG_CONSTRAINT_ROWS], rate;
    SpragSystemSample sample = {.W = W, .b = b, .gap_rate = &rate};
    SPRAG_TRY(sprag_system_sample(run->system, run->t, run->y, run->y + run->m, 1, &slot, &sample));
    int rows = sprag_system_row_count(run->system, 1, &slot);
    for (int k = 1; k < sprag_system_contact_normals(run->system, slot); k++)
        W[0] = fmax(W[0], W[k * (rows + 1)]);
    local->a_nn = W[0] > 0 ? W[0] : 1;
    local->force = fmax(-b[0] / local->a_nn, 0);
    *speed = fmax(-rate, 0);
    return SPRAG_OK;
}

// What a scene's layer lacks follows from the force that presses it when it first touches, or will
// at the end of its approach; without one, from the weight.
static SpragStatus define_given(SpragRun *run, int slot, const SpragCompliance *given)
{
    Local local;
    double speed, fall;
    SpragLayer *layer = &run->layer[slot];
    SPRAG_TRY(look_at(run, slot, &local, &speed));
    bool known = sprag_layer_complete(given, 1 / local.a_nn, local.force, layer);
    if (known && !(local.force > 0) && speed > 0) {
        local.force = sprag_layer_elastic(layer, impact_depth(layer, &local, speed));
        known = sprag_layer_complete(given, 1 / local.a_nn, local.force, layer);
    }
    SPRAG_TRY(free_fall(run, slot, &fall));
    if (known && local.force < LEAST_PRESS * fall / local.a_nn)
        known = sprag_layer_complete(given, 1 / local.a_nn, fall / local.a_nn, layer);
    if (!known)
        return sprag_fail(run->context, SPRAG_ERROR_INPUT, "the layer of %s has no stiffness",
                          sprag_system_contact_name(run->system, slot));
    return SPRAG_OK;
}

// The layer of a pair in numbers; law RIGID: nothing gives one.
static void given_layer(SpragRun *run, int slot, SpragCompliance *layer)
{
    SpragContactPair pair;
    sprag_system_pair(run->system, slot, &pair);
    *layer = pair.compliance;
    if (layer->law == SPRAG_COMPLIANCE_RIGID || layer->stiffness > 0)
        return;
    // a user-defined system gives epsilon alone: scales from the contact itself
    Local local;
    double speed, length = layer->length > 0 ? layer->length : run->far * 1e-3;
    double fast = run->tolerances.rate / sprag_system_contact_tolerance(run->system);
    SpragCompliance resolved = *layer;
    resolved.length = length;
    if (look_at(run, slot, &local, &speed) != SPRAG_OK ||
        !sprag_compliance_resolve(&resolved, 1 / local.a_nn, length / fast, layer))
        layer->law = SPRAG_COMPLIANCE_RIGID;
}

// A long lever (a_nn far above 1/m) makes no layer so soft that the weight sinks through it.
static const double LONGEST_LEVER = 100; // a_nn m, theory.md (6.9)

static SpragStatus define_island(SpragRun *run, int count, const int *slots)
{
    double mean = 0, eps = run->settings.epsilon, least = 0;
    for (int i = 0; i < count; i++) {
        Local local;
        SpragContactPair pair;
        double speed;
        SPRAG_TRY(look_at(run, slots[i], &local, &speed));
        mean += local.a_nn / count;
        sprag_system_pair(run->system, slots[i], &pair);
        least = fmax(least, pair.mass / LONGEST_LEVER);
    }
    SPRAG_TRY(sprag_system_kinematics(run->system, run->t, run->y, run->y + run->m,
                                      &run->tolerances, run->kinematics));
    double T = sprag_system_time_scale(run->system, run->y, run->y + run->m, run->kinematics);
    double k = fmax(1 / mean, least) / (eps * T * T);
    double c = 2 * SPRAG_COMPLIANCE_DAMPING * sqrt(k / mean);
    for (int i = 0; i < count; i++) {
        run->layer[slots[i]] = (SpragLayer){SPRAG_COMPLIANCE_KELVIN_VOIGT, k, 1, c, 0, k, c};
        run->layer_known[slots[i]] = run->layer_default[slots[i]] = true;
    }
    run->layer_time = T;
    return SPRAG_OK;
}

// Whether W (rows × rows) couples rows a … a_end − 1 with rows b … b_end − 1.
static bool is_coupled(const double *W, size_t rows, const int *a, const int *b)
{
    for (int i = a[0]; i < a[1]; i++)
        for (int j = b[0]; j < b[1]; j++)
            if (W[(size_t)i * rows + (size_t)j] != 0)
                return true;
    return false;
}

SpragStatus layers_mark_island(SpragRun *run, int count, const int *slots, bool *in)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    size_t rows = (size_t)sprag_system_row_count(run->system, count, slots);
    double *W = sprag_arena_alloc(run->arena, rows * rows + 1, sizeof *W);
    int *first = sprag_arena_alloc(run->arena, (size_t)count + 1, sizeof *first);
    if (!W || !first)
        return SPRAG_ERROR_MEMORY;
    SpragSystemSample sample = {.W = W};
    SPRAG_TRY(
        sprag_system_sample(run->system, run->t, run->y, run->y + run->m, count, slots, &sample));
    first[0] = 0;
    for (int i = 0; i < count; i++) {
        first[i + 1] = first[i] + sprag_system_row_count(run->system, 1, &slots[i]);
        in[i] = i == 0;
    }
    for (bool grown = true; grown;) {
        grown = false;
        for (int k = 0; k < count * count; k++) {
            int i = k / count, j = k % count;
            if (!in[i] || in[j] || !is_coupled(W, rows, first + i, first + j))
                continue;
            in[j] = grown = true;
        }
    }
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// Those without a layer in the scene: d̄ is that of their island. `slots` is used up.
static SpragStatus define_default(SpragRun *run, int count, int *slots)
{
    int *island = sprag_arena_alloc(run->arena, (size_t)count + 1, sizeof *island);
    bool *in = sprag_arena_alloc(run->arena, (size_t)count + 1, sizeof *in);
    if (!island || !in)
        return SPRAG_ERROR_MEMORY;
    while (count > 0) {
        int taken = 0, left = 0;
        SPRAG_TRY(layers_mark_island(run, count, slots, in));
        for (int i = 0; i < count; i++) {
            if (in[i])
                island[taken++] = slots[i];
            else
                slots[left++] = slots[i];
        }
        SPRAG_TRY(define_island(run, taken, island));
        count = left;
    }
    return SPRAG_OK;
}

SpragStatus layers_define(SpragRun *run, int count, const int *slots)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    int *lacking = sprag_arena_alloc(run->arena, (size_t)count + 1, sizeof *lacking);
    int lacking_count = 0;
    if (!lacking)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        SpragCompliance given;
        if (run->layer_known[slots[i]])
            continue;
        given_layer(run, slots[i], &given);
        if (given.law == SPRAG_COMPLIANCE_RIGID) {
            lacking[lacking_count++] = slots[i];
            continue;
        }
        SPRAG_TRY(define_given(run, slots[i], &given));
        run->layer_known[slots[i]] = true;
        run->layer_default[slots[i]] = false;
    }
    if (lacking_count > 0)
        SPRAG_TRY(define_default(run, lacking_count, lacking));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
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

void layers_forces(SpragRun *run, const double *y)
{
    const Frozen *f = &run->frozen;
    for (int i = 0; i < f->active_count; i++) {
        if (f->rows[i] > 1 && sprag_friction_law_is_smooth(&run->law[f->active[i]]))
            evaluate_law(run, y, i);
        if (f->soft[i])
            evaluate_soft(run, y, i);
    }
}

// ---- Rates and powers ---------------------------------------------------------------------------

// What the damper and the slider of contact i take.
static void add_powers(const SpragRun *run, const double *y, int i, double *friction,
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
            add_powers(run, y, i, &work[WORK_FRICTION], &work[WORK_DAMPING]);
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

// ---- Between rigid and compliant ----------------------------------------------------------------

static bool is_closed(const SpragRun *run, int slot)
{
    return run->compliant[slot] ? run->touching[slot] : run->mode[slot] != SPRAG_MODE_SEPARATE;
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

// Contacts that a placement puts at gaps.
typedef struct Places {
    int count;
    int *slots;
    double *gaps;           // wanted
    bool *in;               // one a slot
    double *before, *after; // one a slot: gaps
} Places;

static SpragStatus places_begin(SpragRun *run, Places *p)
{
    size_t room = (size_t)run->slots + 1;
    p->count = 0;
    p->slots = sprag_arena_alloc(run->arena, 2 * room, sizeof *p->slots);
    p->in = sprag_arena_alloc(run->arena, room, sizeof *p->in);
    p->gaps = sprag_arena_alloc(run->arena, 3 * room, sizeof *p->gaps);
    if (!p->slots || !p->in || !p->gaps)
        return SPRAG_ERROR_MEMORY;
    p->before = p->gaps + room;
    p->after = p->before + room;
    for (int slot = 0; slot < run->slots; slot++) {
        p->in[slot] = is_closed(run, slot);
        if (!p->in[slot])
            continue;
        p->gaps[p->count] = (run->compliant[slot] ? -run->depth_state[slot] : 0) - run->shift[slot];
        p->slots[p->count++] = slot;
    }
    return SPRAG_OK;
}

static SpragStatus all_gaps(SpragRun *run, const Places *p, double *gaps)
{
    int *slots = p->slots + run->slots + 1;
    SpragSystemSample sample = {.gap = gaps};
    for (int slot = 0; slot < run->slots; slot++)
        slots[slot] = slot;
    return sprag_system_sample(run->system, run->t, run->y, run->y + run->m, run->slots, slots,
                               &sample);
}

// Open contacts that the placement has pushed into each other are among those that it must leave as
// they were. True: there are new ones.
static bool places_grow(const SpragRun *run, Places *p)
{
    bool grown = false;
    for (int slot = 0; slot < run->slots; slot++) {
        double least = fmin(p->before[slot], 0);
        if (p->in[slot] || sprag_system_contact_is_velocity_level(run->system, slot) ||
            !(p->after[slot] < least - MOTION_CLOSED * run->tolerances.gap))
            continue;
        p->gaps[p->count] = least;
        p->slots[p->count++] = slot;
        p->in[slot] = grown = true;
    }
    return grown;
}

// Gaps that the bodies cannot have together (two corners that meet on a floor, each with the depth
// of its force): those without depth are kept, and depths give way to those that there are.
static SpragStatus places_yield(SpragRun *run, Places *p, double residual)
{
    int firm = 0;
    if (residual > MOTION_CLOSED * run->tolerances.gap) {
        for (int i = 0; i < p->count; i++) {
            bool soft = run->compliant[p->slots[i]] && run->depth_state[p->slots[i]] > 0;
            if (soft)
                continue;
            p->gaps[firm] = p->gaps[i];
            p->slots[firm++] = p->slots[i];
        }
        SPRAG_TRY(sprag_system_project_gaps(run->system, run->t, firm, p->slots, p->gaps, run->y,
                                            &residual));
    }
    SPRAG_TRY(all_gaps(run, p, p->after));
    for (int slot = 0; slot < run->slots; slot++)
        if (run->compliant[slot] && run->touching[slot] &&
            fabs(p->after[slot] + run->depth_state[slot] + run->shift[slot]) >
                MOTION_CLOSED * run->tolerances.gap)
            run->depth_state[slot] = fmax(-p->after[slot] - run->shift[slot], 0);
    return SPRAG_OK;
}

SpragStatus layers_place(SpragRun *run)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    double residual;
    Places p;
    SPRAG_TRY(places_begin(run, &p));
    SPRAG_TRY(sprag_system_project_gaps(run->system, run->t, p.count, p.slots, p.gaps, run->y,
                                        &residual));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

SpragStatus layers_place_switched(SpragRun *run)
{
    enum { ROUNDS = 4 };
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    size_t bytes = (size_t)run->m * sizeof(double);
    double residual = 0, *q = sprag_arena_alloc(run->arena, (size_t)run->m + 1, sizeof *q);
    Places p;
    if (!q)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(places_begin(run, &p));
    SPRAG_TRY(all_gaps(run, &p, p.before));
    memcpy(q, run->y, bytes);
    for (int round = 0; round < ROUNDS; round++) {
        memcpy(run->y, q, bytes);
        SPRAG_TRY(sprag_system_project_gaps(run->system, run->t, p.count, p.slots, p.gaps, run->y,
                                            &residual));
        SPRAG_TRY(all_gaps(run, &p, p.after));
        if (!places_grow(run, &p))
            break;
    }
    SPRAG_TRY(places_yield(run, &p, residual));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// In equilibrium with a friction force.
static void start_shear(SpragRun *run, int slot, const double *force)
{
    for (int k = 0; k < run->tangents; k++)
        run->shear_state[run->tangents * slot + k] =
            force ? force[k] / run->layer[slot].tangential_stiffness : 0;
}

SpragStatus layers_enter(SpragRun *run, int count, const int *slots, const double *normal,
                         const double *tangential)
{
    double before, after;
    SPRAG_TRY(layers_define(run, count, slots));
    SPRAG_TRY(layers_whole_energy(run, &before));
    for (int i = 0; i < count; i++) {
        int slot = slots[i];
        bool smooth = sprag_friction_law_is_smooth(&run->law[slot]);
        if (modes_is_bearing(run, slot)) {
            bearing_offset(run, slot, run->pilot.slot[slot].start);
            continue;
        }
        run->touching[slot] = run->mode[slot] != SPRAG_MODE_SEPARATE;
        run->compliant[slot] = true;
        run->depth_state[slot] = normal ? sprag_layer_depth(&run->layer[slot], normal[i]) : 0;
        if (!smooth) // the deflection of bristles goes on
            start_shear(run, slot, tangential ? tangential + run->tangents * i : NULL);
    }
    SPRAG_TRY(layers_place_switched(run));
    SPRAG_TRY(bearings_soften(run, count, slots));
    SPRAG_TRY(layers_whole_energy(run, &after));
    run->change += before - after;
    modes_outdate(run);
    return SPRAG_OK;
}

// Velocities of the contacts that have become rigid and still press.
static SpragStatus stop_rates(SpragRun *run)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    int *slots = sprag_arena_alloc(run->arena, (size_t)run->slots + 1, sizeof *slots);
    bool *stick = sprag_arena_alloc(run->arena, (size_t)run->slots + 1, sizeof *stick);
    double residual;
    int count = 0;
    if (!slots || !stick)
        return SPRAG_ERROR_MEMORY;
    for (int slot = 0; slot < run->slots; slot++) {
        if (run->compliant[slot] || run->mode[slot] == SPRAG_MODE_SEPARATE)
            continue;
        stick[count] = modes_holds_slip(run, slot);
        slots[count++] = slot;
    }
    SPRAG_TRY(sprag_system_project_velocity(run->system, run->t, run->y, count, slots, stick,
                                            run->y + run->m, &residual));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

SpragStatus layers_leave(SpragRun *run, int count, const int *slots)
{
    double before, after;
    SPRAG_TRY(layers_whole_energy(run, &before));
    for (int i = 0; i < count; i++) {
        if (bearing_is_soft(run, slots[i]))
            bearing_harden(run, slots[i]);
        run->depth_state[slots[i]] = 0;
        if (run->touching[slots[i]])
            run->shift[slots[i]] = 0;
        if (!sprag_friction_law_is_smooth(&run->law[slots[i]]))
            layers_set_shear(run, slots[i], NULL, 0);
    }
    SPRAG_TRY(layers_place_switched(run));
    for (int i = 0; i < count; i++) {
        run->compliant[slots[i]] = run->touching[slots[i]] = false;
        run->stick_since[slots[i]] = -INFINITY;
    }
    SPRAG_TRY(stop_rates(run));
    SPRAG_TRY(layers_whole_energy(run, &after));
    run->change += before - after;
    modes_outdate(run);
    return SPRAG_OK;
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
