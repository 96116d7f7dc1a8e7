// motion_karnopp.c: compliant contacts that Karnopp's law holds, theory.md (7.6).
// Problem   a slip within the band counts as rest: it becomes zero, and the tangential force keeps
//           it there. A force that holds a slip that is not zero would work, and one beyond its
//           cone is none of friction; neither crosses a threshold later on, so no event tells.
// Method    wherever an arc begins all slips that are held are stopped together, by impulses along
//           their tangents (to stop one moves the others); motion_karnopp_release.c lets go those
//           whose forces are beyond their cones
#include <math.h>
#include <string.h>

#include "motion_private.h"

// Of rows that are held one that others hold to this part of it (squared, unit rows) is theirs:
// depths of up to a hundredth of their distance turn the rows of two corners.
static const double OF_HELD = 1e-4;
// Part of the band within which a slip is rest.
static const double STILL = 1e-2;

double karnopp_still(const SpragRun *run, int slot)
{
    return fmax(run->tolerances.slip, STILL * run->law[slot].speed);
}

bool karnopp_holds(const SpragRun *run, int i)
{
    const Frozen *f = &run->frozen;
    int slot = f->active[i];
    return f->soft[i] && run->law[slot].kind == SPRAG_FRICTION_KARNOPP &&
           run->mode[slot] == SPRAG_MODE_STICK && f->rows[i] > 1;
}

// Whether the slip of contact i, rigid or not, has just come into the band, or through zero.
static bool has_come(const SpragRun *run, int i)
{
    const Frozen *f = &run->frozen;
    if (run->law[f->active[i]].kind != SPRAG_FRICTION_KARNOPP)
        return false;
    for (int k = 0; k < f->function_count; k++) {
        FunctionKind kind = f->functions[k].kind;
        if (f->fired[k] && f->functions[k].index == i &&
            (kind == FUNCTION_BAND || kind == FUNCTION_SLIP))
            return true;
    }
    return false;
}

// Rows whose rates end together, and the impulses along them that do it.
typedef struct Stop {
    int count;
    int *rows;
    double *rate, *impulse; // one a row
    double *L;              // rows × rows: W of these rows is L Lᵀ
} Stop;

static bool stop_alloc(SpragRun *run, Stop *stop)
{
    size_t room = (size_t)run->frozen.row_count + 1;
    stop->count = 0;
    stop->rows = sprag_arena_alloc(run->arena, room, sizeof *stop->rows);
    stop->rate = sprag_arena_alloc(run->arena, room, sizeof *stop->rate);
    stop->impulse = sprag_arena_alloc(run->arena, room, sizeof *stop->impulse);
    stop->L = sprag_arena_alloc(run->arena, room * room, sizeof *stop->L);
    return stop->rows && stop->rate && stop->impulse && stop->L;
}

// A further row, unless those before all but hold it: slips of two corners of a body that rocks
// differ by its spin, and to end both would end that.
static bool stop_add(const SpragRun *run, Stop *stop, int row, double rate, double dependent)
{
    int n = run->frozen.row_count, k = stop->count;
    const double *w = run->now.W + (size_t)row * (size_t)n;
    double *l = stop->L + (size_t)k * (size_t)n, left = w[row];
    for (int i = 0; i < k; i++) {
        const double *other = stop->L + (size_t)i * (size_t)n;
        l[i] = w[stop->rows[i]];
        for (int c = 0; c < i; c++)
            l[i] -= l[c] * other[c];
        l[i] /= other[i];
        left -= l[i] * l[i];
    }
    if (!(left > dependent * w[row]))
        return false;
    l[k] = sqrt(left);
    stop->rows[k] = row;
    stop->rate[k] = rate;
    stop->count++;
    return true;
}

// L Lᵀ P = −rate.
static void stop_solve(const SpragRun *run, Stop *stop)
{
    int n = run->frozen.row_count;
    double *P = stop->impulse;
    for (int i = 0; i < stop->count; i++) {
        P[i] = -stop->rate[i];
        for (int c = 0; c < i; c++)
            P[i] -= stop->L[i * n + c] * P[c];
        P[i] /= stop->L[i * n + i];
    }
    for (int i = stop->count - 1; i >= 0; i--) {
        for (int c = i + 1; c < stop->count; c++)
            P[i] -= stop->L[c * n + i] * P[c];
        P[i] /= stop->L[i * n + i];
    }
}

// In the frame of the surfaces what the impulses take is lost, and counts as friction; what the
// energy changes beyond that a belt gave.
static void stop_apply(SpragRun *run, const Stop *stop)
{
    const Evaluation *e = &run->now;
    double *v = run->y + run->m, *work = run->y + WORK_AT(run);
    for (int i = 0; i < stop->count; i++) {
        int r = stop->rows[i];
        for (int j = 0; j < run->n; j++)
            v[j] += stop->impulse[i] * e->response[r * run->n + j];
        work[WORK_FRICTION] -= 0.5 * stop->impulse[i] * stop->rate[i];
        work[WORK_ACTUATION] -= stop->impulse[i] * e->drift[r];
    }
}

SpragStatus karnopp_lead(SpragRun *run, bool *leads)
{
    const Frozen *f = &run->frozen;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    Stop stop;
    if (!stop_alloc(run, &stop))
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < f->active_count; i++)
        for (int r = f->first[i]; r < f->first[i] + f->rows[i]; r++)
            leads[r] = r >= f->first[i] + f->normals[i] && karnopp_holds(run, i) &&
                       stop_add(run, &stop, r, 0, OF_HELD);
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// Ends the slips of the contacts in the set, if one is more than this part of its band and than
// the tolerance; *stopped: so it is. Rigid contacts stay closed, and those that stick do not slip
// meanwhile.
static SpragStatus stop_slips(SpragRun *run, const bool *set, double part, Stop *stop,
                              bool *stopped)
{
    const double of_rigid = 1e-12;
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    *stopped = false;
    stop->count = 0;
    SPRAG_TRY(modes_sample(run, run->t, run->y, true));
    for (int i = 0; i < f->active_count; i++) {
        bool sticks = !f->soft[i] && run->mode[f->active[i]] == SPRAG_MODE_STICK;
        if (!f->soft[i] && !f->bearing[i])
            (void)stop_add(run, stop, f->first[i], e->gap_rate[i], of_rigid);
        for (int d = 0; (sticks && !set[i]) && d < f->rows[i] - f->normals[i]; d++)
            (void)stop_add(run, stop, f->first[i] + f->normals[i] + d,
                           e->slip[run->slip_stride * i + d], of_rigid);
    }
    for (int i = 0; i < f->active_count; i++)
        for (int d = 0; set[i] && d < f->rows[i] - f->normals[i]; d++) {
            double rate = e->slip[run->slip_stride * i + d];
            double most = fmax(part * run->law[f->active[i]].speed, run->tolerances.slip);
            bool added = stop_add(run, stop, f->first[i] + f->normals[i] + d, rate, OF_HELD);
            *stopped |= added && fabs(rate) > most;
        }
    if (*stopped) {
        stop_solve(run, stop);
        stop_apply(run, stop);
    }
    return modes_sample(run, run->t, run->y, true);
}

// Whether the rows of a stop leave contact i no slip of its own.
static bool is_held_by(const SpragRun *run, Stop *stop, int i)
{
    const Frozen *f = &run->frozen;
    int count = stop->count;
    bool held = true;
    for (int r = f->first[i] + f->normals[i]; held && r < f->first[i] + f->rows[i]; r++)
        held = !stop_add(run, stop, r, 0, OF_HELD);
    stop->count = count;
    return held;
}

// Whether contact i, which slid, has jumped into the band or through zero with the others, or is
// held by them: the corners of a face that comes to rest do so together, but for rounding.
static bool comes_along(const SpragRun *run, const double *before, Stop *stop, int i)
{
    int slot = run->frozen.active[i];
    const double *was = before + run->slip_stride * i, *is = run->now.slip + run->slip_stride * i;
    double along = was[0] * is[0] + (run->tangents == 2 ? was[1] * is[1] : 0);
    double band = run->law[slot].speed, now = modes_slip_size(run, is);
    return along < 0 || (modes_slip_size(run, was) >= band && now < band) ||
           (now <= karnopp_still(run, slot) && is_held_by(run, stop, i));
}

// Those that come to rest with a set are in it from now on. Whether there are some.
static bool follow(SpragRun *run, const double *before, Stop *stop, bool *set)
{
    const Frozen *f = &run->frozen;
    bool any = false;
    for (int i = 0; i < f->active_count; i++) {
        int slot = f->active[i];
        if (set[i] || f->bearing[i] || run->law[slot].kind != SPRAG_FRICTION_KARNOPP ||
            !mode_slides(run->mode[slot]) || !comes_along(run, before, stop, i))
            continue;
        set[i] = any = true;
        if (f->soft[i]) // what rigid ones do is decided behind the event
            layers_stop_slider(run, slot);
    }
    return any;
}

// Ends the slips of a set, and of those that come to rest with it; comes: some have just done so,
// though perhaps without a jump.
static SpragStatus stop_set(SpragRun *run, bool *set, double part, bool comes, bool *stopped)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    size_t count = (size_t)run->slip_stride * (size_t)run->frozen.active_count;
    double *slip = sprag_arena_alloc(run->arena, count + 1, sizeof *slip);
    Stop stop;
    if (!slip || !stop_alloc(run, &stop))
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(modes_sample(run, run->t, run->y, true));
    memcpy(slip, run->now.slip, count * sizeof *slip);
    SPRAG_TRY(stop_slips(run, set, part, &stop, stopped));
    for (bool more = *stopped || comes; more && follow(run, slip, &stop, set);)
        SPRAG_TRY(stop_slips(run, set, 0, &stop, &more));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// Slips of rigid contacts that a jump has turned go on the way they are: their friction would push
// along them, and no event ends what never goes the way it is taken for.
static void turn_rigid(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    for (int i = 0; i < f->active_count; i++) {
        int slot = f->active[i];
        const double *slip = run->now.slip + run->slip_stride * i, *heading = f->heading + WAYS * i;
        if (f->soft[i] || f->bearing[i] || !mode_slides(run->mode[slot]) ||
            sprag_friction_law_is_smooth(&run->law[slot]))
            continue;
        double along = (run->mode[slot] == SPRAG_MODE_SLIDE_MINUS ? -1 : 1) * slip[0];
        if (modes_has_direction(f, i))
            along = heading[0] * slip[0] + heading[1] * slip[1] + heading[2] * slip[2];
        if (along < -run->tolerances.slip)
            run->mode[slot] = modes_of_slip(run, slot, slip);
    }
}

SpragStatus karnopp_come(SpragRun *run)
{
    bool any = false, stopped;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    size_t count = (size_t)run->frozen.active_count + 1;
    bool *set = sprag_arena_alloc(run->arena, count, sizeof *set);
    if (!set)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < run->frozen.active_count; i++) {
        bool comes = has_come(run, i);
        set[i] = comes || karnopp_holds(run, i);
        any |= comes;
    }
    if (any)
        SPRAG_TRY(stop_set(run, set, 0, true, &stopped));
    if (any && stopped)
        turn_rigid(run);
    modes_outdate(run);
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// A slip that others have turned goes on the way it is.
static bool turn(SpragRun *run, int i)
{
    int slot = run->frozen.active[i];
    double slip = run->now.slip[run->slip_stride * i];
    bool slides = run->tangents == 1 && run->frozen.soft[i] && mode_slides(run->mode[slot]) &&
                  run->law[slot].kind == SPRAG_FRICTION_KARNOPP;
    double sign = run->mode[slot] == SPRAG_MODE_SLIDE_MINUS ? -1 : 1;
    bool turns = slides && sign * slip < -karnopp_still(run, slot);
    if (turns)
        layers_slide_along(run, slot, &slip, 1);
    return turns;
}

// A slip that others hold beside it, and that is clearly beyond the band, is one.
static bool leave(SpragRun *run, int i)
{
    const double bands = 2; // it came in at one
    const double *slip = run->now.slip + run->slip_stride * i;
    int slot = run->frozen.active[i];
    bool leaves =
        karnopp_holds(run, i) && modes_slip_size(run, slip) > bands * run->law[slot].speed;
    if (leaves)
        layers_slide_along(run, slot, slip, 1);
    return leaves;
}

// Slips that are held become zero if one is more than this part of its band; *stopped: so they are.
SpragStatus karnopp_stop_held(SpragRun *run, double part, bool *stopped)
{
    const Frozen *f = &run->frozen;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    bool *set = sprag_arena_alloc(run->arena, (size_t)f->active_count + 1, sizeof *set);
    if (!set)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < f->active_count; i++)
        set[i] = karnopp_holds(run, i);
    SPRAG_TRY(stop_set(run, set, part, false, stopped));
    if (*stopped)
        modes_outdate(run);
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

SpragStatus karnopp_stop(SpragRun *run, bool *stopped)
{
    const Frozen *f = &run->frozen;
    bool any = false, turned = false;
    *stopped = false;
    for (int i = 0; i < f->active_count; i++)
        any |= f->soft[i] && run->law[f->active[i]].kind == SPRAG_FRICTION_KARNOPP;
    if (!any)
        return SPRAG_OK;
    SPRAG_TRY(karnopp_stop_held(run, STILL, stopped));
    SPRAG_TRY(modes_sample(run, run->t, run->y, true));
    for (int i = 0; i < f->active_count; i++)
        turned |= turn(run, i) || leave(run, i);
    // rigid contacts beside it were decided with its other friction
    run->lost += turned && modes_any_rigid(run);
    *stopped |= turned;
    if (turned)
        modes_outdate(run);
    return SPRAG_OK;
}
