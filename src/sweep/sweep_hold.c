// sweep_hold.c: over which values of a number the bodies are held, theory.md 8.8.
// Problem   the interval of a number of the scene, around its present value or nearest to it, over
//           which the verdict says `held`; and what is there beyond its ends
// Method    a scan outwards from the present value with steps that grow with the distance, then
//           bisection of the steps over which `held` changes
// Assumes   that no change is undone within one step of the scan
#include <math.h>
#include <string.h>

#include "sweep_private.h"

// Steps of the scan: the first as a part of the value, each next one as a part of the distance, of
// the present value, of the parameter's range.
static const double FIRST_STEP = 1e-7, GROWTH = 0.2, OF_VALUE = 0.1, OF_RANGE = 1.0 / 200;
// The number may be a load: then the loads that act already give the scale. Steps below this part
// of them have no meaning, since the verdict calls less than that zero; unless the value itself is
// that small.
static const double OF_LOADS = 1e-8, AT_MOST_OF_VALUE = 1e-3;
// Beyond this many times the value, the loads, or 1 it is held for good.
static const double FARTHEST = 1e9;
static const double BRACKET = 1e-12;
// How far behind a border it is asked what is there: at the border itself tolerances decide.
static const double BEHIND = 1e-6;

const char *sprag_hold_end_name(SpragHoldEnd end)
{
    static const char *const names[] = {"changes", "range", "invalid", "unbounded"};
    return names[end];
}

typedef enum HoldState { STATE_HELD, STATE_LOOSE, STATE_INVALID } HoldState;

typedef struct HoldScan {
    PointEvaluator point;
    double value;     // the present one
    double first;     // step
    double widest;    // step; INFINITY: no range
    double limits[2]; // distances down and up that may be scanned
    bool has_range;
    SpragOutcome outcome; // of the point asked last
} HoldScan;

// One side of the present value.
typedef struct HoldWalk {
    HoldScan *scan;
    double direction, limit;
    double before, at; // distances of the last two points
    HoldState state;   // at the last
} HoldWalk;

static SpragStatus ask(HoldScan *scan, double value, HoldState *state)
{
    SpragStatus status = point_evaluate(&scan->point, &value);
    *state = STATE_INVALID;
    if (status == SPRAG_ERROR_INPUT || status == SPRAG_ERROR_NUMERIC ||
        (status == SPRAG_OK && !scan->point.valid))
        return SPRAG_OK; // the reason is in the context
    SPRAG_TRY(status);
    sprag_outcome_init(&scan->outcome, scan->point.problem, &scan->point.verdict);
    *state = scan->outcome.held ? STATE_HELD : STATE_LOOSE;
    return SPRAG_OK;
}

static double value_at(const HoldWalk *walk, double distance)
{
    double value = walk->scan->value + walk->direction * distance;
    // no noise where zero is meant
    return fabs(value) < 1e-15 * distance ? 0 : value;
}

// One step outwards; false: the limit was reached before.
static SpragStatus step(HoldWalk *walk, bool *stepped)
{
    const HoldScan *scan = walk->scan;
    double wide = fmin(GROWTH * walk->at, OF_VALUE * fmax(fabs(scan->value), walk->at));
    *stepped = walk->at < walk->limit;
    if (!*stepped)
        return SPRAG_OK;
    walk->before = walk->at;
    walk->at = fmin(walk->limit, walk->at + fmin(scan->widest, fmax(scan->first, wide)));
    return ask(walk->scan, value_at(walk, walk->at), &walk->state);
}

// Walks on as long as points are in this state; *left: one was not, and the walk stands on it.
static SpragStatus walk_while(HoldWalk *walk, HoldState state, bool *left)
{
    bool stepped = true;
    *left = false;
    while (stepped && !*left) {
        SPRAG_TRY(step(walk, &stepped));
        *left = stepped && walk->state != state;
    }
    return SPRAG_OK;
}

// The border between `inside` (held) and `outside` (not), distances on one side of the value.
static SpragStatus bracket(HoldWalk *walk, double inside, double outside, SpragHoldSide *side)
{
    HoldScan *scan = walk->scan;
    HoldState state, beyond = STATE_LOOSE;
    double far = outside;
    for (int i = 0; i < 200; i++) {
        double middle = inside + 0.5 * (outside - inside);
        double size = fmax(fabs(value_at(walk, middle)), 1e-3 * fabs(middle));
        if (fabs(outside - inside) <= BRACKET * size || middle == inside || middle == outside)
            break;
        SPRAG_TRY(ask(scan, value_at(walk, middle), &state));
        if (state == STATE_HELD)
            inside = middle;
        else
            outside = middle;
    }
    side->value = value_at(walk, inside + 0.5 * (outside - inside));
    double size = fmax(fabs(side->value), fabs(outside));
    double behind = outside + copysign(fmin(fabs(far - outside), BEHIND * size), far - inside);
    SPRAG_TRY(ask(scan, value_at(walk, behind), &beyond));
    if (beyond == STATE_HELD)
        SPRAG_TRY(ask(scan, value_at(walk, outside), &beyond));
    side->end = beyond == STATE_INVALID ? SPRAG_HOLD_INVALID : SPRAG_HOLD_CHANGES;
    if (beyond == STATE_LOOSE)
        side->becomes = scan->outcome;
    return SPRAG_OK;
}

// From a walk that stands on a held point, outwards to the end of the interval.
static SpragStatus find_end(HoldWalk *walk, SpragHoldSide *side)
{
    bool left;
    SPRAG_TRY(walk_while(walk, STATE_HELD, &left));
    if (left)
        return bracket(walk, walk->before, walk->at, side);
    side->end = walk->scan->has_range ? SPRAG_HOLD_RANGE : SPRAG_HOLD_UNBOUNDED;
    side->value = walk->scan->has_range ? value_at(walk, walk->limit) : walk->direction * INFINITY;
    return SPRAG_OK;
}

static HoldWalk walk_from(HoldScan *scan, int side)
{
    return (HoldWalk){.scan = scan,
                      .direction = side ? 1 : -1,
                      .limit = scan->limits[side],
                      .state = STATE_LOOSE};
}

static SpragStatus around(HoldScan *scan, SpragHoldRange *range)
{
    HoldWalk down = walk_from(scan, 0), up = walk_from(scan, 1);
    range->found = true;
    SPRAG_TRY(find_end(&down, &range->from));
    return find_end(&up, &range->to);
}

// The nearest held point on either side, then both ends of its interval.
static SpragStatus nearest(HoldScan *scan, SpragHoldRange *range)
{
    HoldWalk walks[2] = {walk_from(scan, 0), walk_from(scan, 1)};
    bool left[2];
    int best = -1;
    for (int side = 0; side < 2; side++) {
        SPRAG_TRY(walk_while(&walks[side], STATE_LOOSE, &left[side]));
        if (left[side] && walks[side].state == STATE_HELD &&
            (best < 0 || walks[side].at < walks[best].at))
            best = side;
    }
    if (best < 0)
        return SPRAG_OK;
    HoldWalk *walk = &walks[best];
    range->found = true;
    SPRAG_TRY(bracket(walk, walk->at, walk->before, best ? &range->from : &range->to));
    return find_end(walk, best ? &range->to : &range->from);
}

// The largest load that acts on a body, or through a contact, N or N m: a scale, no more.
static double load_scale(const SpragContactProblem *problem)
{
    double largest = 0;
    for (int k = 0; k < problem->block_count; k++) {
        const SpragInertiaBlock *block = &problem->blocks[k];
        for (int i = 0; i < block->size; i++) {
            double inverse = problem->inverse_inertia[block->data + i * (block->size + 1)];
            double load = fabs(problem->free_acceleration[block->offset + i]) / inverse;
            largest = isfinite(load) ? fmax(largest, load) : largest;
        }
    }
    for (int i = 0; problem->block_count == 0 && i < problem->row_count; i++) {
        double load = fabs(problem->b[i]) / problem->W[i * (problem->row_count + 1)];
        largest = isfinite(load) ? fmax(largest, load) : largest;
    }
    return largest;
}

static void choose_scan(const SpragSceneVariable *about, HoldScan *scan)
{
    double size = fabs(about->value), loads = load_scale(scan->point.problem);
    double least = loads > 0 ? OF_LOADS * loads : OF_LOADS;
    scan->value = about->value;
    scan->first = size > 0 ? fmax(FIRST_STEP * size, fmin(least, AT_MOST_OF_VALUE * size)) : least;
    scan->widest = INFINITY;
    scan->limits[0] = scan->limits[1] = FARTHEST * fmax(1, fmax(size, loads));
    scan->has_range = about->has_range;
    if (!about->has_range)
        return;
    double low = fmin(about->from, about->to), high = fmax(about->from, about->to);
    scan->widest = OF_RANGE * (high - low);
    scan->first = FIRST_STEP * (high - low);
    scan->limits[0] = fmax(0, about->value - low);
    scan->limits[1] = fmax(0, high - about->value);
}

static SpragStatus find(HoldScan *scan, const char *file, const SpragSceneSettings *scene,
                        const char *path, SpragHoldRange *range)
{
    SpragContext *context = scan->point.context;
    HoldState state;
    SPRAG_TRY(sprag_scene_source_create(context, file, scene, &scan->point.source));
    SPRAG_TRY(sprag_scene_source_add_variable(scan->point.source, path));
    const SpragSceneVariable *about = sprag_scene_source_variable(scan->point.source, 0);
    if (!about->has_value)
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "%s: it gives no %s, so there is no value to start from", file, path);
    range->value = scan->value = about->value;
    range->unit = about->unit;
    memcpy(range->unit_name, about->unit_name, sizeof range->unit_name);
    SPRAG_TRY(ask(scan, scan->value, &state));
    if (state == STATE_INVALID)
        return SPRAG_ERROR_INPUT; // the reason is in the context
    range->outcome = scan->outcome;
    choose_scan(about, scan);
    return state == STATE_HELD ? around(scan, range) : nearest(scan, range);
}

SpragStatus sprag_hold_range(SpragContext *context, const char *file,
                             const SpragSceneSettings *scene, const char *path,
                             SpragHoldRange *range)
{
    HoldScan scan = {0};
    SpragAnalysisSettings settings = sprag_analysis_default();
    memset(range, 0, sizeof *range);
    SpragStatus status = point_open(&scan.point, context, &settings);
    if (status == SPRAG_OK)
        status = find(&scan, file, scene, path, range);
    point_close(&scan.point);
    return status;
}
