// motion_clear.c: corners that clip another body within a step.
// Problem   the root finder samples a gap a few times a step and takes it for smooth; the gap of
//           two bodies with corners is not, and a tip that cuts another one's corner is out again
//           before the next sample
// Method    a gap changes no faster than the bodies move: with the speed L of their surfaces there
//           is no touch between a and b as long as g(a) + g(b) > L (b − a). Nor does it fall below
//           the plane that supports the other body where the gap is measured, since that is convex:
//           g(t) ≥ g(a) + g'(a) (t − a) − A (t − a)²/2 with the largest acceleration A of one
//           surface seen from the other, whatever features come by, and so back from b; these tell
//           of bodies that have just touched, or stay near. Where neither holds, the interval is
//           halved, the earlier half first, until a gap is closed or the way is clear
// Space     gaps of edges come and go, so shapes are compared as wholes, by their signed distance;
//           the step is searched until shortly after they begin to overlap, where the features that
//           meet are those of the touch
// Assumes   slots with a plane are left out, their gaps are smooth
#include <math.h>
#include <string.h>

#include "motion_private.h"

// Looks at one slot in one step, at most: a body that follows another one closely is left to the
// samples of the root finder.
enum { MOST_LOOKS = 60 };
// Speeds change within a step, by a part of themselves.
static const double FASTER = 1.2;
// Accelerations likewise, by more.
static const double BENDS = 2;
// Clips of fewer gap tolerances are none.
static const double SHALLOW = 10;
// Contacts that last overlap by fewer.
static const double DRIFTED = 100;

typedef struct Way {
    int slot;
    bool whole;   // the distance of its shapes instead of its gap
    double speed; // that the gap cannot exceed
    double bend;  // nor the second derivative of the distance from a side; 0: not known
    int looks;    // left
    double open;  // the last time before `found` at which it is open
    double found; // when it is closed; INFINITY: never
} Way;

// A way on which a body passes by no other one between two looks at their gap: a small part of the
// system's size, or half of its least gap if that is more, so that two bodies do not cover the gap
// between them. Limits of joints hold back all bodies.
double clear_ways(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    const double part_of_size = 0.1, part_of_gap = 0.5;
    double all = run->begin_known ? run->far : 0, least = all;
    for (int i = 0; i < run->n; i++)
        run->ways[i] = all;
    for (int i = 0; run->begin_known && i < f->function_count; i++) {
        if (f->functions[i].kind != FUNCTION_GAP)
            continue;
        const SpragSlot *slot = sprag_system_slot(run->system, f->open[f->functions[i].index]);
        least = fmin(least, run->values_begin[i]);
        if (!slot)
            all = fmin(all, run->values_begin[i]);
        for (int k = 0; slot && k < 2; k++) {
            int at = sprag_system_body_coordinate(run->system, slot->body[k]);
            if (at >= 0)
                run->ways[at] = fmin(run->ways[at], run->values_begin[i]);
        }
    }
    double small = part_of_size * 1e-3 * run->far;
    for (int i = 0; i < run->n; i++)
        run->ways[i] = fmax(small, part_of_gap * fmin(all, run->ways[i]));
    return fmax(small, part_of_gap * least);
}

double clear_driven(const SpragRun *run, double until, double way)
{
    // uneven, so that no period hides between them
    static const double looks[] = {0.03, 0.17, 0.29, 0.43, 0.58, 0.71, 0.87, 0.98};
    enum { LOOKS = sizeof looks / sizeof *looks, HALVINGS = 40 };
    const SpragModel *model = sprag_system_model(run->system);
    for (int body = 0; body < model->body_count; body++) {
        double radius = model->bodies[body].driven ? sprag_model_body_radius(model, body) : 0;
        for (int half = 0; model->bodies[body].driven && half < HALVINGS; half++) {
            double span = until - run->t, path = 0;
            for (int i = 0; i < LOOKS; i++)
                path += span / LOOKS * speeds_driven(run, body, run->t + looks[i] * span, radius);
            if (path <= way)
                break;
            until = run->t + span / 2;
        }
    }
    return until;
}

// Gap of the slot, or distance of its shapes, at a time on the dense output of the last step.
typedef struct Look {
    double t, gap;
    double rate; // of the gap
} Look;

static SpragStatus look_at(SpragRun *run, const Way *way, double t, Look *look)
{
    SpragSystemSample sample = {.gap = &look->gap, .gap_rate = &look->rate};
    int slot = way->slot;
    look->t = t;
    look->rate = 0;
    SPRAG_TRY(sprag_integrator_evaluate(run->integrator, t, run->scratch));
    if (way->whole)
        return sprag_system_shape_distance(run->system, t, run->scratch, slot, &look->gap);
    SPRAG_TRY(sprag_system_sample(run->system, t, run->scratch, run->scratch + run->m, 1, &slot,
                                  &sample));
    look->gap = fmin(look->gap + run->shift[slot], run->far);
    return SPRAG_OK;
}

// How long the gap stays above −shallow at least, from a look on (side 1) or back (−1).
static double open_for(const Way *way, const Look *look, int side, double shallow)
{
    double rate = side * look->rate, gap = fmax(look->gap, 0) + shallow;
    if (!(way->bend > 0))
        return 0;
    double root = sqrt(rate * rate + 2 * way->bend * gap);
    return rate >= 0 ? (rate + root) / way->bend : 2 * gap / (root - rate);
}

static bool is_clear(const Way *way, const Look *a, const Look *b, double shallow)
{
    double width = b->t - a->t;
    return a->gap + b->gap > way->speed * width ||
           open_for(way, a, 1, shallow) + open_for(way, b, -1, shallow) > width;
}

// The first time in (a, b) at which the slot is closed. Halves the interval without recursion: the
// right ends of the halves left over wait in a list.
static SpragStatus follow(SpragRun *run, Way *way, Look a, Look b)
{
    enum { DEEPEST = 50 };
    Look end[DEEPEST] = {b};
    double shallow = SHALLOW * run->tolerances.gap;
    int waiting = 0;
    while (waiting >= 0) {
        double width = end[waiting].t - a.t;
        bool clear = is_clear(way, &a, &end[waiting], shallow) || way->speed * width < shallow ||
                     waiting + 1 == DEEPEST || way->looks == 0;
        if (clear) {
            a = end[waiting--];
            continue;
        }
        Look middle;
        SPRAG_TRY(look_at(run, way, a.t + 0.5 * width, &middle));
        way->looks--;
        if (middle.gap < -shallow) {
            way->open = a.t;
            way->found = middle.t;
            return SPRAG_OK;
        }
        end[++waiting] = middle;
    }
    return SPRAG_OK;
}

// ---- Space --------------------------------------------------------------------------------------

// Whether two shapes touch already; *soft: in a layer.
static bool is_touching(const SpragRun *run, const SpragSlot *slot, bool *soft)
{
    const Frozen *f = &run->frozen;
    bool touching = false;
    *soft = false;
    for (int i = 0; i < f->active_count; i++) {
        const SpragSlot *other = sprag_system_slot(run->system, f->active[i]);
        bool same =
            other && ((other->shape[0] == slot->shape[0] && other->shape[1] == slot->shape[1]) ||
                      (other->shape[0] == slot->shape[1] && other->shape[1] == slot->shape[0]));
        touching |= same;
        *soft |= same && f->soft[i];
    }
    return touching;
}

// From an overlap of any depth back to a shallow one, deeper than `least`.
static SpragStatus find_shallow(SpragRun *run, Way *way, double least)
{
    const double shallow = 1e-4 * 1e-3 * run->far;
    for (int k = 0; k < MOST_LOOKS; k++) {
        double middle = 0.5 * (way->open + way->found);
        Look look;
        if (!(middle > way->open && middle < way->found))
            break;
        SPRAG_TRY(look_at(run, way, middle, &look));
        if (look.gap >= -least)
            way->open = middle;
        else
            way->found = middle;
        if (look.gap < -least && look.gap > -shallow)
            break;
    }
    return SPRAG_OK;
}

// Shapes that touch with some features while others come down: of a body thinner than its way in
// the step these have come through at its end, and no gap tells that. What shapes that touch
// overlap by is the drift of their contacts.
static SpragStatus clear_touching(SpragRun *run, const SpragStep *step, const SpragSlot *slot,
                                  int contact, double *end)
{
    static const double looks[] = {0.3, 0.6, 1};
    const SpragModel *model = sprag_system_model(run->system);
    const double least = DRIFTED * run->tolerances.gap;
    Way way = {contact, true, 0, 0, MOST_LOOKS, step->t_old, INFINITY};
    for (int k = 0; k < 2; k++)
        if (!isfinite(sprag_model_body_radius(model, slot->body[k])))
            return SPRAG_OK;
    Look look;
    SPRAG_TRY(look_at(run, &way, step->t_old, &look));
    if (look.gap < -least) // what overlaps from the begin (under an open surface) is no touch
        return SPRAG_OK;
    for (size_t k = 0; k < sizeof looks / sizeof *looks && way.found == INFINITY; k++) {
        double t = k + 1 < sizeof looks / sizeof *looks
                       ? step->t_old + looks[k] * (*end - step->t_old)
                       : *end;
        SPRAG_TRY(look_at(run, &way, t, &look));
        *(look.gap < -least ? &way.found : &way.open) = t;
    }
    if (way.found == INFINITY)
        return SPRAG_OK;
    SPRAG_TRY(find_shallow(run, &way, least));
    *end = fmin(*end, way.found);
    return SPRAG_OK;
}

// The shapes of a slot: shortens the search to where they overlap first.
static SpragStatus clear_shapes(SpragRun *run, const SpragStep *step, const SpragSlot *slot,
                                int contact, double *end)
{
    const double *v0 = run->y + run->m;
    const double *v1 = sprag_integrator_state(run->integrator) + run->m;
    Way way = {contact, true, 0, 0, MOST_LOOKS, step->t_old, INFINITY};
    bool plane[2];
    way.speed = FASTER * (speeds_surface(run, slot->body[0], v0, v1, &plane[0]) +
                          speeds_surface(run, slot->body[1], v0, v1, &plane[1]));
    if (plane[0] || plane[1] || way.speed * (step->t_new - step->t_old) <= run->tolerances.gap)
        return SPRAG_OK;
    Look begin, last;
    SPRAG_TRY(look_at(run, &way, step->t_old, &begin));
    SPRAG_TRY(look_at(run, &way, *end, &last));
    if (begin.gap == INFINITY || begin.gap + last.gap > way.speed * (*end - step->t_old))
        return SPRAG_OK;
    if (!(begin.gap > SHALLOW * run->tolerances.gap)) // they have just parted
        return clear_touching(run, step, slot, contact, end);
    SPRAG_TRY(follow(run, &way, begin, last));
    if (way.found == INFINITY && last.gap < -SHALLOW * run->tolerances.gap)
        way.found = *end;
    if (way.found == INFINITY)
        return SPRAG_OK;
    SPRAG_TRY(find_shallow(run, &way, SHALLOW * run->tolerances.gap));
    *end = fmin(*end, way.found);
    return SPRAG_OK;
}

static SpragStatus clear_space(SpragRun *run, const SpragStep *step, double *end)
{
    const Frozen *f = &run->frozen;
    int shape[2] = {-1, -1};
    for (int i = 0; i < f->function_count && f->functions[i].kind == FUNCTION_GAP; i++) {
        int contact = f->open[f->functions[i].index];
        const SpragSlot *slot = sprag_system_slot(run->system, contact);
        // slots of two shapes follow each other
        if (!slot || (slot->shape[0] == shape[0] && slot->shape[1] == shape[1]) ||
            sprag_system_contact_is_velocity_level(run->system, contact))
            continue;
        shape[0] = slot->shape[0];
        shape[1] = slot->shape[1];
        bool soft;
        if (!is_touching(run, slot, &soft))
            SPRAG_TRY(clear_shapes(run, step, slot, contact, end));
        else if (!soft)
            SPRAG_TRY(clear_touching(run, step, slot, contact, end));
    }
    return SPRAG_OK;
}

// ---- The plane ----------------------------------------------------------------------------------

// The largest acceleration of a coordinate of a body within the step, times a margin, by
// differences of its velocities on the dense output.
typedef struct Bend {
    double line, turn; // of the centre, of the angle
    double spin;
} Bend;

static SpragStatus find_bend(SpragRun *run, const SpragStep *step, int body, Bend *bend)
{
    enum { PARTS = 4 };
    int at = sprag_system_body_coordinate(run->system, body);
    double before[3] = {0}, h = (step->t_new - step->t_old) / PARTS;
    *bend = (Bend){0};
    for (int k = 0; at >= 0 && k <= PARTS; k++) {
        double t = k < PARTS ? step->t_old + k * h : step->t_new;
        SPRAG_TRY(sprag_integrator_evaluate(run->integrator, t, run->scratch));
        const double *v = run->scratch + run->m + at;
        if (k > 0) {
            bend->line = fmax(bend->line, hypot(v[0] - before[0], v[1] - before[1]) / h);
            bend->turn = fmax(bend->turn, fabs(v[2] - before[2]) / h);
        }
        bend->spin = fmax(bend->spin, fabs(v[2]));
        memcpy(before, v, sizeof before);
    }
    return SPRAG_OK;
}

// The acceleration of a surface as the other body sees it, at most: its own, that of the other
// body's frame at a distance that both can be apart, and Coriolis'.
static SpragStatus find_way_bend(SpragRun *run, const SpragStep *step, const SpragSlot *slot,
                                 double apart, Way *way)
{
    const SpragModel *model = sprag_system_model(run->system);
    double reach = apart, sum = 0, spin = 0;
    for (int k = 0; k < 2; k++) {
        if (model->bodies[slot->body[k]].driven)
            return SPRAG_OK;
        reach += sprag_model_body_radius(model, slot->body[k]);
    }
    for (int k = 0; k < 2; k++) {
        Bend bend;
        SPRAG_TRY(find_bend(run, step, slot->body[k], &bend));
        sum += bend.line + (bend.turn + bend.spin * bend.spin) * reach;
        spin = fmax(spin, bend.spin);
    }
    way->bend = BENDS * (sum + 2 * spin * way->speed);
    return SPRAG_OK;
}

static SpragStatus clear_slot(SpragRun *run, const SpragStep *step, const Look *begin,
                              const Look *last, Way *way)
{
    const SpragSlot *slot = sprag_system_slot(run->system, way->slot);
    const double *v0 = run->y + run->m;
    const double *v1 = sprag_integrator_state(run->integrator) + run->m;
    double h = step->t_new - step->t_old;
    bool plane[2];
    if (!slot) // a limit of a joint: there is nothing to pass by
        return SPRAG_OK;
    way->speed = FASTER * (speeds_surface(run, slot->body[0], v0, v1, &plane[0]) +
                           speeds_surface(run, slot->body[1], v0, v1, &plane[1]));
    if (plane[0] || plane[1] || begin->gap + last->gap > way->speed * h)
        return SPRAG_OK;
    SPRAG_TRY(find_way_bend(run, step, slot, begin->gap + last->gap, way));
    Look from, to;
    SPRAG_TRY(look_at(run, way, begin->t, &from));
    SPRAG_TRY(look_at(run, way, last->t, &to));
    from.gap = begin->gap;
    return follow(run, way, from, to);
}

double clear_reach(const SpragRun *run, const SpragStep *step, double least)
{
    const double *v0 = run->y + run->m;
    const double *v1 = sprag_integrator_state(run->integrator) + run->m;
    double fastest = fmax(speeds_fastest(run, v0), speeds_fastest(run, v1));
    return 2 * FASTER * (step->t_new - step->t_old) * fmax(fastest, least);
}

SpragStatus events_clear(SpragRun *run, const SpragStep *step, double *end)
{
    const Frozen *f = &run->frozen;
    const SpragModel *model = sprag_system_model(run->system);
    *end = step->t_new;
    if (model && sprag_system_dimension(run->system) == 3)
        return clear_space(run, step, end);
    if (!model || !run->begin_known || !run->end_known)
        return SPRAG_OK;
    double far = clear_reach(run, step, 0);
    for (int i = 0; i < f->function_count && f->functions[i].kind == FUNCTION_GAP; i++) {
        Way way = {.slot = f->open[f->functions[i].index],
                   .looks = MOST_LOOKS,
                   .open = step->t_old,
                   .found = INFINITY};
        Look begin = {step->t_old, run->values_begin[i], 0}, last = {*end, run->values_end[i], 0};
        if (begin.gap + last.gap > far || !(begin.gap > -f->zeros[i] && last.gap > 0) ||
            sprag_system_contact_is_velocity_level(run->system, way.slot))
            continue;
        SPRAG_TRY(clear_slot(run, step, &begin, &last, &way));
        *end = fmin(*end, way.found);
    }
    return SPRAG_OK;
}
