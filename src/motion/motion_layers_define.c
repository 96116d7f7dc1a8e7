// motion_layers_define.c: the numbers of a contact's layer.
// Problem   a scene gives the layer of a pair, a part of it, or none
// Method    what is lacking follows from the force that presses the contact when it first touches;
//           without a layer in the scene, theory.md (6.9) over the island of the contact
#include <math.h>

#include "motion_private.h"

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
