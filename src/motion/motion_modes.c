// motion_modes.c: dynamics with the contact modes frozen.
// Problem   what is solved for in a mode, what ends it, and the smooth motion within a step and
//           past a would-be event, theory.md (14.1); the forces themselves: motion_respond.c
// Method    when the mode is frozen, a largest set of independent rows is chosen by pivoted
//           Cholesky of J M⁻¹ Jᵀ; the others are zero with them (a box on many points), and their
//           forces are not needed for the motion, unless friction follows them (motion_share.c)
#include <float.h>
#include <math.h>
#include <string.h>

#include "motion_private.h"
#include "sprag/numeric.h"

// Rows whose part outside the chosen ones is shorter than this (squared, unit rows) are dependent.
static const double DEPENDENT = 1e-12;

// Forces up to this part of their scale count as zero where an arc begins …
static const double NO_FORCE = 1e-11;
// … and up to this where the last event has changed nothing: decisions tell forces from zero to
// about as much (theory.md 14.5), and one that touches zero and turns back may dip below it by
// less.
static const double UNDECIDED = 1e-9;

// A closed contact with a normal speed above this many rate tolerances is none: what bounces leave
// to a contact that closes (motion_collide.c) is far slower.
static const double PARTING = 1e5;

bool modes_is_bearing(const SpragRun *run, int slot)
{
    return sprag_system_contact_kind(run->system, slot) == SPRAG_CONSTRAINT_BEARING;
}

bool modes_is_joint(const SpragRun *run, int slot)
{
    return slot < sprag_system_joint_contact_count(run->system);
}

bool mode_slides(SpragMode mode)
{
    return mode == SPRAG_MODE_SLIDE_PLUS || mode == SPRAG_MODE_SLIDE_MINUS ||
           mode == SPRAG_MODE_SLIDE;
}

// ---- Slips --------------------------------------------------------------------------------------

double modes_slip_size(const SpragRun *run, const double *slip)
{
    return sprag_length(run->slip_stride, slip);
}

double modes_tangent_size(const SpragRun *run, const double *vector)
{
    return sprag_length(run->tangents, vector);
}

SpragMode modes_of_slip(SpragRun *run, int slot, const double *slip)
{
    int tangents = sprag_system_contact_tangents(run->system, slot);
    double size = sprag_length(tangents > 1 ? tangents : 1, slip);
    if (size <= run->tolerances.slip)
        return SPRAG_MODE_STICK;
    if (tangents <= 1)
        return slip[0] > 0 ? SPRAG_MODE_SLIDE_PLUS : SPRAG_MODE_SLIDE_MINUS;
    for (int k = 0; k < WAYS; k++)
        run->heading[WAYS * slot + k] = k < tangents ? slip[k] / size : 0;
    run->starting[slot] = false;
    return SPRAG_MODE_SLIDE;
}

// A slip that has just started has its direction from (13.12) as long as it is not clearly more
// than errors of integration; one that Karnopp's law lets go, from what held it, well inside of the
// band.
static double vague_slip(const SpragRun *run, int slot)
{
    const double errors = 1e3;
    if (run->compliant[slot] && run->law[slot].kind == SPRAG_FRICTION_KARNOPP)
        return karnopp_still(run, slot);
    double relative = sprag_system_contact_tolerance(run->system);
    double part = run->starting[slot] ? fmax(errors * run->settings.tolerance / relative, 1) : 1;
    return run->tolerances.slip * part;
}

void modes_remember(SpragRun *run)
{
    size_t slots = (size_t)run->slots;
    memcpy(run->mode_before, run->mode, slots * sizeof *run->mode);
    memcpy(run->heading_before, run->heading, WAYS * slots * sizeof *run->heading);
}

static bool is_rough(const SpragFrictionNumbers *numbers)
{
    return numbers->stationary > 0 || numbers->kinetic > 0;
}

// Slips without friction begin, turn and end without an event. A decision takes what slides from
// the modes: they follow the slips before it.
SpragStatus modes_follow_slips(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    SpragFrictionNumbers *numbers =
        sprag_arena_alloc(run->arena, (size_t)f->active_count + 1, sizeof *numbers);
    if (!numbers)
        return SPRAG_ERROR_MEMORY;
    SpragSystemSample sample = {.slip = run->probe_slip, .numbers = numbers};
    SPRAG_TRY(sprag_system_sample(run->system, run->t, run->y, run->y + run->m, f->active_count,
                                  f->active, &sample));
    for (int i = 0; i < f->active_count; i++) {
        int slot = f->active[i];
        const double *slip = run->probe_slip + run->slip_stride * i;
        bool smooth = f->rows[i] > 1 && !f->bearing[i] && !f->soft[i] && !is_rough(&numbers[i]);
        if (smooth && modes_slip_size(run, slip) > run->tolerances.slip)
            run->mode[slot] = modes_of_slip(run, slot, slip);
    }
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

void modes_turn_headings(SpragRun *run)
{
    Frozen *f = &run->frozen;
    for (int i = 0; run->tangents == 2 && i < f->active_count; i++) {
        double *heading = run->heading + WAYS * f->active[i],
               *slip = run->now.slip + run->slip_stride * i;
        if (!modes_has_direction(f, i))
            continue;
        if (f->sliding[i] && modes_slip_size(run, slip) > f->vague[i])
            (void)modes_of_slip(run, f->active[i], slip);
        memcpy(f->heading + WAYS * i, heading, WAYS * sizeof *heading);
        f->vague[i] = vague_slip(run, f->active[i]);
    }
}

// Direction of a slip along and across its heading, theory.md (13.25): within w it turns to its
// heading, and beyond its end it goes on as it came.
static void continue_slip(const double *slip, double w, const double *heading, double *d)
{
    double aside[WAYS], along = slip[0] * heading[0] + slip[1] * heading[1] + slip[2] * heading[2];
    bool flat = slip[2] == 0 && heading[2] == 0; // there what is across has a sign
    double turned = slip[1] * heading[0] - slip[0] * heading[1];
    for (int k = 0; k < WAYS; k++)
        aside[k] = slip[k] - along * heading[k];
    double across = flat ? turned : sprag_length(WAYS, aside);
    double x = fmin(hypot(along, across) / w, 1), u = fmin(fmax(-along / w, 0), 1);
    double a = fabs(along) + w * (1 - x + x * x * (x - 1));
    double b = across * (1 - 2 * u * u * (3 - 2 * u)), length = hypot(a, b);
    d[0] = (a * heading[0] - b * heading[1]) / length;
    d[1] = (a * heading[1] + b * heading[0]) / length;
    for (int k = 0; !flat && k < WAYS; k++)
        d[k] = (a * heading[k] + (across > 0 ? b / across * aside[k] : 0)) / length;
}

static void find_directions(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    for (int i = 0; run->tangents == 2 && i < f->active_count; i++) {
        const double *slip = run->now.slip + run->slip_stride * i, *heading = f->heading + WAYS * i;
        double *d = run->now.direction + WAYS * i;
        if (!modes_has_direction(f, i)) {
            d[0] = f->sign[i];
            d[1] = d[2] = 0;
            continue;
        }
        memcpy(d, heading, WAYS * sizeof *d);
        if (f->sliding[i] && modes_slip_size(run, slip) > 0)
            continue_slip(slip, f->vague[i], heading, d);
    }
}

// ---- Lists --------------------------------------------------------------------------------------

static bool is_open(const SpragRun *run, int slot)
{
    return run->compliant[slot] ? !run->touching[slot] : run->mode[slot] == SPRAG_MODE_SEPARATE;
}

// Open contacts that may close: those that are near.
static void list_open(SpragRun *run)
{
    Frozen *f = &run->frozen;
    const int *near = NULL;
    bool lists =
        sprag_system_model(run->system) && sprag_collider_grows(sprag_system_collider(run->system));
    int count = lists ? sprag_system_near(run->system, &near) : run->slots;
    f->open_count = 0;
    f->rates = false;
    for (int i = 0; i < count; i++) {
        int slot = near ? near[i] : i;
        if (slot >= run->slots || !is_open(run, slot))
            continue;
        f->open[f->open_count++] = slot;
        f->rates |= sprag_system_contact_is_velocity_level(run->system, slot);
    }
}

// W and its like have room for the contacts that are active.
static SpragStatus reserve_rows(SpragRun *run, size_t rows)
{
    Evaluation *e = &run->now;
    SPRAG_TRY(sprag_reserve(run->context, &e->W, &e->W_capacity, rows * rows + 1, sizeof *e->W));
    SPRAG_TRY(sprag_reserve(run->context, &e->D, &e->D_capacity, rows * rows + 1, sizeof *e->D));
    return sprag_reserve(run->context, &e->response, &e->response_capacity,
                         rows * (size_t)run->n + 1, sizeof *e->response);
}

// Bearings are never open: the sibling is the contact before.
static void link_sibling(SpragRun *run, int i)
{
    Frozen *f = &run->frozen;
    bool shares = sprag_system_contact_shared(run->system, f->active[i]) >= 0;
    f->sharer[i] = -1;
    f->sibling[i] = shares ? i - 1 : -1;
    if (shares)
        f->sharer[i - 1] = i;
}

int modes_press(const Frozen *f, int contact, int rows[WAYS])
{
    int count = f->normals[contact];
    for (int k = 0; k < count; k++)
        rows[k] = f->first[contact] + k;
    if (f->sibling[contact] >= 0)
        rows[count++] = f->first[f->sibling[contact]] + 1;
    return count;
}

static SpragStatus list_contacts(SpragRun *run)
{
    Frozen *f = &run->frozen;
    f->active_count = f->row_count = 0;
    f->surfaces = f->layered = f->direct = false;
    f->soft_count = f->round_count = 0;
    list_open(run);
    for (int slot = 0; slot < run->slots; slot++) {
        int press[WAYS];
        if (is_open(run, slot))
            continue;
        f->surfaces |= sprag_system_can_change(run->system, slot);
        bool smooth = sprag_friction_law_is_smooth(&run->law[slot]);
        int i = f->active_count++;
        f->active[i] = slot;
        f->first[i] = f->row_count;
        f->rows[i] = sprag_system_row_count(run->system, 1, &slot);
        f->row_count += f->rows[i];
        f->bearing[i] = modes_is_bearing(run, slot);
        f->normals[i] = sprag_system_contact_normals(run->system, slot);
        link_sibling(run, i);
        memcpy(run->now.aim + WAYS * i, run->aim + WAYS * slot, WAYS * sizeof *run->aim);
        f->sliding[i] = mode_slides(run->mode[slot]);
        f->sign[i] = run->mode[slot] == SPRAG_MODE_SLIDE_MINUS ? -1 : 1;
        f->round_count += f->bearing[i] && modes_press(f, i, press) > 1 && f->sliding[i];
        memcpy(f->heading + WAYS * i, run->heading + WAYS * slot, WAYS * sizeof *f->heading);
        f->vague[i] = vague_slip(run, slot);
        f->soft[i] = run->compliant[slot];
        f->soft_count += f->soft[i];
        f->layered |= f->soft[i] || smooth;
    }
    layers_pack(run);
    return reserve_rows(run, (size_t)f->row_count);
}

bool modes_any_rigid(const SpragRun *run)
{
    return run->frozen.soft_count < run->frozen.active_count;
}

bool modes_have_friction(const SpragRun *run, int i)
{
    const SpragFrictionNumbers *numbers = &run->now.numbers[i];
    return run->frozen.rows[i] > 1 && is_rough(numbers);
}

bool modes_holds_slip(const SpragRun *run, int slot)
{
    SpragFrictionNumbers numbers = {0};
    SpragSystemSample sample = {.numbers = &numbers};
    if (run->mode[slot] != SPRAG_MODE_STICK || sprag_friction_law_is_smooth(&run->law[slot]))
        return false;
    return sprag_system_sample(run->system, run->t, run->y, run->y + run->m, 1, &slot, &sample) ==
               SPRAG_OK &&
           numbers.stationary > 0;
}

static void list_unknowns(SpragRun *run)
{
    Frozen *f = &run->frozen;
    f->unknown_count = 0;
    for (int i = 0; i < f->active_count; i++) {
        if (!f->soft[i])
            for (int r = 0; r < f->normals[i]; r++)
                f->unknowns[f->unknown_count++] = (Unknown){i, f->first[i] + r, r, false};
        // a smooth law knows no stick, and the slider of a layer has its own
        SpragFrictionLawKind law = run->law[f->active[i]].kind;
        bool held = law == SPRAG_FRICTION_KARNOPP || (!f->soft[i] && law == SPRAG_FRICTION_COULOMB);
        held &= run->mode[f->active[i]] == SPRAG_MODE_STICK && modes_have_friction(run, i);
        for (int r = f->normals[i]; held && r < f->rows[i]; r++)
            f->unknowns[f->unknown_count++] = (Unknown){i, f->first[i] + r, 0, true};
    }
}

void modes_outdate(SpragRun *run)
{
    run->now.sampled = run->now.solved = run->now.directly = false;
    run->begin_known = false;
}

// How far the contact of an unknown moves along the one of its rows that moves most, by a unit
// force.
static double mobility(const SpragRun *run, const Unknown *unknown)
{
    const Frozen *f = &run->frozen;
    double most = 0;
    for (int r = f->first[unknown->contact], k = 0; k < f->rows[unknown->contact]; k++)
        most = fmax(most, run->now.W[(r + k) * (f->row_count + 1)]);
    return most;
}

bool modes_row_moves(const SpragRun *run, const Unknown *unknown)
{
    const double of_contact = 1e-12, of_all = 1e-15, of_joint = 1e-11;
    const Frozen *f = &run->frozen;
    int rows = f->row_count, slot = f->active[unknown->contact];
    double all = 0, w = run->now.W[unknown->row * (rows + 1)];
    for (int r = 0; r < rows; r++)
        all = fmax(all, run->now.W[r * (rows + 1)]);
    if (f->bearing[unknown->contact] && !unknown->tangential && !bearing_is_soft(run, slot) &&
        !(w > of_joint * sprag_system_bearing_inverse(run->system, slot, unknown->normal)))
        return false; // where all is held there is nothing else to compare with
    return w > of_contact * mobility(run, unknown) && w > of_all * all;
}

// The next row to choose: first those that layers hold, as the decision on rigid contacts takes
// them (motion_layers_load.c), then that with most left. −1: none is independent.
static int next_row(const Frozen *f, const bool *leads, const double *left)
{
    int best = -1;
    for (int i = 0; i < f->unknown_count; i++) {
        bool soft = f->soft[f->unknowns[i].contact];
        if (soft && leads[f->unknowns[i].row] && left[i] > DEPENDENT)
            return i;
        if (!soft && left[i] > DEPENDENT && (best < 0 || left[i] > left[best]))
            best = i;
    }
    return best;
}

// Chooses independent rows among the unknowns by pivoted Cholesky of their part of W, scaled to a
// unit diagonal. W is known to rounding of the row of the contact that moves most: one that joints
// all but hold (a link at its dead point) keeps that scale, or what it repeats would seem
// independent.
static SpragStatus choose_rows(SpragRun *run)
{
    Frozen *f = &run->frozen;
    int k = f->unknown_count, rows = f->row_count;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    double *left = sprag_arena_alloc(run->arena, 2 * (size_t)k + 1, sizeof *left);
    double *L = sprag_arena_alloc(run->arena, (size_t)k * (size_t)k + 1, sizeof *L);
    bool *leads = sprag_arena_alloc(run->arena, (size_t)rows + 1, sizeof *leads);
    if (!left || !L || !leads)
        return SPRAG_ERROR_MEMORY;
    double *size = left + k;
    SPRAG_TRY(karnopp_lead(run, leads));
    for (int i = 0; i < k; i++) {
        bool moves = modes_row_moves(run, &f->unknowns[i]);
        double w = run->now.W[f->unknowns[i].row * (rows + 1)];
        size[i] = fmax(w, 64 * DBL_EPSILON / DEPENDENT * mobility(run, &f->unknowns[i]));
        left[i] = moves ? w / size[i] : 0;
    }
    f->solved_count = 0;
    while (f->solved_count < k) {
        int pivot = next_row(f, leads, left), rank = f->solved_count;
        if (pivot < 0)
            break;
        double root = sqrt(left[pivot]);
        const double *w = run->now.W + f->unknowns[pivot].row;
        for (int i = 0; i < k; i++) {
            double scale = sqrt(size[i] * size[pivot]);
            double entry = scale > 0 ? w[f->unknowns[i].row * rows] / scale : 0;
            for (int j = 0; j < rank; j++)
                entry -= L[i * k + j] * L[pivot * k + j];
            L[i * k + rank] = entry / root;
            left[i] -= L[i * k + rank] * L[i * k + rank];
        }
        left[pivot] = -1;
        f->solved[f->solved_count++] = pivot;
    }
    f->dependent = f->solved_count < k;
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

void modes_add_function(SpragRun *run, FunctionKind kind, int index, double zero)
{
    Frozen *f = &run->frozen;
    f->functions[f->function_count] = (EventFunction){kind, index};
    f->directions[f->function_count] = -1;
    f->zeros[f->function_count++] = zero;
}

void modes_add_cone(SpragRun *run, int index, double zero)
{
    if (modes_has_direction(&run->frozen, index)) {
        modes_add_function(run, FUNCTION_CONE, index, zero);
        return;
    }
    modes_add_function(run, FUNCTION_CONE_PLUS, index, zero);
    modes_add_function(run, FUNCTION_CONE_MINUS, index, zero);
}

// theory.md 14.2: what ends the present mode.
static void list_functions(SpragRun *run)
{
    Frozen *f = &run->frozen;
    int press[WAYS];
    double none = run->idle > 0 ? UNDECIDED * run->idle : NO_FORCE;
    double no_force = none * run->force_scale;
    f->function_count = 0;
    f->edge = 0;
    run->watch.on = false; // it was on those listed before
    for (int i = 0; i < f->open_count; i++) {
        bool rate = sprag_system_contact_is_velocity_level(run->system, f->open[i]);
        double closed = run->compliant[f->open[i]] ? LAYER_CLOSED : MOTION_CLOSED;
        modes_add_function(run, FUNCTION_GAP, i,
                           rate ? run->tolerances.rate : closed * run->tolerances.gap);
    }
    for (int i = 0; i < f->active_count; i++) {
        SpragMode mode = run->mode[f->active[i]];
        if (sprag_system_can_change(run->system, f->active[i]))
            modes_add_function(run, FUNCTION_SURFACE, i, 0);
        if (f->soft[i]) {
            layers_list_functions(run, i);
            continue;
        }
        if (!f->dependent && !f->bearing[i])
            modes_add_function(run, FUNCTION_NORMAL, i, no_force);
        if (!modes_have_friction(run, i))
            continue;
        if (sprag_friction_law_is_smooth(&run->law[f->active[i]])) {
            layers_list_smooth(run, i);
        } else if (mode_slides(mode)) {
            modes_add_function(run, FUNCTION_SLIP, i, run->tolerances.slip);
            if (f->bearing[i] && modes_press(f, i, press) == 1)
                modes_add_function(run, FUNCTION_SIDE, i, no_force);
            if (run->law[f->active[i]].kind == SPRAG_FRICTION_KARNOPP)
                modes_add_function(run, FUNCTION_BAND, i, 0);
        } else if (!f->dependent) {
            modes_add_cone(run, i, no_force);
        }
    }
    if (f->dependent)
        modes_add_function(run, FUNCTION_MARGIN, 0, none);
    if (f->unknown_count > 0)
        modes_add_function(run, FUNCTION_DETERMINANT, 0, 0);
}

// ---- Evaluation ---------------------------------------------------------------------------------

// W and b are needed by rigid contacts only.
SpragStatus modes_sample(SpragRun *run, double t, const double *y, bool whole)
{
    Evaluation *e = &run->now;
    size_t bytes = (size_t)WORK_AT(run) * sizeof *y;
    size_t layers = (size_t)(run->m + run->n + WORK_COUNT);
    size_t layer_bytes = ((size_t)run->size - layers) * sizeof *y;
    bool same = e->sampled && e->t == t && memcmp(e->y, y, bytes) == 0 && (e->whole || !whole);
    bool same_layers = same && memcmp(e->y + layers, y + layers, layer_bytes) == 0;
    e->solved &= same_layers;
    memcpy(e->y + layers, y + layers, layer_bytes);
    if (same)
        return SPRAG_OK;
    SpragSystemSample sample = {.gap = e->gap,
                                .gap_rate = e->gap_rate,
                                .slip = e->slip,
                                .friction = e->friction,
                                .numbers = e->numbers,
                                .held = run->frozen.surfaces ? e->held : NULL,
                                .W = whole ? e->W : NULL,
                                .b = whole ? e->b : NULL,
                                .drift = e->drift,
                                .response = e->response,
                                .free_acceleration = e->free_acceleration,
                                .power = &e->power};
    e->sampled = e->solved = e->directly = false;
    SPRAG_TRY(sprag_system_sample(run->system, t, y, y + run->m, run->frozen.active_count,
                                  run->frozen.active, &sample));
    e->t = t;
    memcpy(e->y, y, bytes);
    e->sampled = true;
    e->whole = whole;
    find_directions(run);
    return SPRAG_OK;
}

SpragStatus modes_evaluate(SpragRun *run, double t, const double *y)
{
    SPRAG_TRY(modes_sample(run, t, y, run->frozen.unknown_count > 0 || run->frozen.quickly));
    if (run->now.solved)
        return SPRAG_OK;
    if (run->frozen.layered)
        layers_forces(run, y);
    SPRAG_TRY(modes_respond(run));
    run->now.solved = true;
    run->evaluations++;
    return SPRAG_OK;
}

// Contacts whose features cannot touch any more: where corners coincide another slot stands for
// them. And corners that have passed the end of a side: the next side is one that they leave, or
// still come to, and their speed along its normal is not the projection's to take.
static bool is_lost(const SpragRun *run, int i)
{
    bool parts = !run->frozen.soft[i] &&
                 sprag_system_can_change(run->system, run->frozen.active[i]) &&
                 fabs(run->probe_rate[i]) > PARTING * run->tolerances.rate;
    return run->probe_gap[i] == INFINITY || parts;
}

static SpragStatus drop_lost(SpragRun *run, bool *dropped)
{
    *dropped = false;
    for (int i = 0; i < run->frozen.active_count; i++) {
        int slot = run->frozen.active[i];
        bool lost = is_lost(run, i);
        if (run->frozen.soft[i])
            SPRAG_TRY(layers_lose(run, slot, run->probe_gap[i], &lost));
        else
            run->lost += lost;
        if (lost)
            run->mode[slot] = SPRAG_MODE_SEPARATE;
        *dropped |= lost;
    }
    return SPRAG_OK;
}

SpragStatus modes_settle(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    SpragSystemSample gaps = {.gap = run->probe_gap, .gap_rate = run->probe_rate};
    bool dropped;
    do {
        SPRAG_TRY(list_contacts(run));
        sprag_system_hold(run->system, run->y, run->y + run->m, f->active_count, f->active);
        SPRAG_TRY(sprag_system_sample(run->system, run->t, run->y, run->y + run->m, f->active_count,
                                      f->active, &gaps));
        SPRAG_TRY(drop_lost(run, &dropped));
    } while (dropped);
    modes_outdate(run);
    return SPRAG_OK;
}

SpragStatus modes_freeze(SpragRun *run)
{
    SPRAG_TRY(modes_settle(run));
    SPRAG_TRY(modes_sample(run, run->t, run->y, true));
    modes_turn_headings(run);
    list_unknowns(run);
    layers_find_quick(run);
    SPRAG_TRY(choose_rows(run));
    direct_prepare(run);
    run->force_scale = tolerances_force(run);
    list_functions(run);
    return SPRAG_OK;
}

// All rigid contacts count as open: a state that has no motion can still be shown. Layers keep what
// they store.
SpragStatus modes_forget(SpragRun *run)
{
    bool layered = false;
    for (int slot = 0; slot < run->slots; slot++) {
        bool pressed = run->compliant[slot] && run->touching[slot] && run->depth_state[slot] > 0;
        run->touching[slot] = pressed;
        layered |= pressed;
        if (!pressed)
            run->mode[slot] = SPRAG_MODE_SEPARATE;
    }
    if (layered && run->started) {
        SPRAG_TRY(modes_freeze(run));
        modes_outdate(run);
        return SPRAG_OK;
    }
    SPRAG_TRY(list_contacts(run));
    sprag_system_hold(run->system, NULL, NULL, 0, NULL);
    modes_outdate(run);
    return SPRAG_OK;
}

SpragStatus modes_list_near(SpragRun *run, bool *changed)
{
    Frozen *f = &run->frozen;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    size_t count = (size_t)f->open_count;
    int *before = sprag_arena_alloc(run->arena, count + 1, sizeof *before);
    if (!before)
        return SPRAG_ERROR_MEMORY;
    memcpy(before, f->open, count * sizeof *before);
    list_open(run);
    *changed =
        (size_t)f->open_count != count || memcmp(before, f->open, count * sizeof *before) != 0;
    sprag_arena_release(run->arena, mark);
    if (*changed)
        list_functions(run);
    run->begin_known &= !*changed;
    return SPRAG_OK;
}
