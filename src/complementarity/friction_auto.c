// friction_auto.c: the default for friction problems, which combines the methods.
//
// Problem   u = W r + q with friction cones; no method solves all, and those that solve most are
//           dear.
// Method    cheap ones first, and each from the best that is known, theory.md 11.9
// Assumes   nothing; what was not reached is said with its residual
#include <math.h>
#include <string.h>

#include "friction_packets.h"

enum { PATH_STEPS = 60 };
// Factorisations along the default's smooth path, and of its proximal points: few, or as many as
// their number times that of contacts allows, since a large problem must not take for ever.
enum { FEW_SMOOTH = 130, SMOOTH_STEPS = 600 };
enum { FEW_FLOW = 400, MOST_FLOW = 3000, LAST_FLOW = FRICTION_FLOWS - 1 };
// Flows that are followed for a while only are for up to this many contacts.
enum { FLOW_CONTACTS = 550 };
enum {
    FEW_PROXIMAL = 60,
    LEAST_PROXIMAL = 150,
    SOME_PROXIMAL = 300,
    MANY_PROXIMAL = 1000,
    MOST_PROXIMAL = 3000
};
static const double PROXIMAL_WORK = 1.2e6;
// Proximal points begin with what paths have found where that has a smaller residual.
static const double CLOSE = 1e-3;
// Below that what the first path has found is so close that few of them will do.
static const double VERY_CLOSE = 1e-5;
// Few digits: what sweeps over packets are good for. Sweeps times contacts of each kind of them.
static const double FEW_DIGITS = 1e-5, SHORT_SWEEPS = 5e6, LONG_SWEEPS = 2.5e8;
// Shares of the changes of normals and of tangents that a visit makes: eased sweeps wander less,
// and which of them arrives first is a matter of chance.
static const double EASES[][2] = {{1, 1}, {0.7, 1}, {0.5, 0.5}, {0.3, 1}};
enum { EASE_KINDS = sizeof EASES / sizeof *EASES };
// Of large problems: rounds of so many sweeps times contacts, as far as single precision goes, and
// proximal points from what they find below a residual.
enum { LARGE_ROUNDS = 12 };
static const double ROUND_SWEEPS = 2.5e8, SINGLE = 1e-6, SWEPT = 1e-4;
// Polygons are for problems with up to this many rows of their LCP.
enum { POLYGON_ROWS = 2000, MANY_ROWS = 1000 };

int friction_limit(const Friction *f, int own)
{
    return f->settings.max_iterations > 0 ? f->settings.max_iterations : own;
}

static void note(Friction *f, SpragFrictionInfo *info, SpragFrictionStep step)
{
    step.residual = f->best_residual;
    info->status = step.status;
    if (info->step_count < SPRAG_FRICTION_MAX_STEPS)
        info->steps[info->step_count++] = step;
}

// Whether a flow arrives soon is a matter of chance: some are followed for a while, and the last
// one to its end.
static SpragStatus follow_flows(Friction *f, int limit, SpragFrictionStatus *status, int *done)
{
    for (int k = 0; k < FRICTION_FLOWS && *done < limit; k++) {
        int own = 0, rest = limit - *done;
        SPRAG_TRY(
            friction_flow(f, k, k < LAST_FLOW && rest > FEW_FLOW ? FEW_FLOW : rest, status, &own));
        *done += own;
        if (*status == SPRAG_FRICTION_SOLVED)
            break;
    }
    return SPRAG_OK;
}

// Runs one method from f->r. limit: of iterations; of sides for the method lcp.
SpragStatus friction_run(Friction *f, SpragFrictionMethod method, int limit, double progress,
                         SpragFrictionInfo *info)
{
    SpragFrictionStep step = {.method = method, .status = SPRAG_FRICTION_LIMIT};
    int *done = &step.iterations;
    SpragStatus status = SPRAG_OK;
    switch (method) {
    case SPRAG_FRICTION_GRADIENT:
        status = friction_gradient(f, limit, &step.status, done);
        break;
    case SPRAG_FRICTION_NEWTON:
        status = friction_newton(f, limit, &step.status, done);
        break;
    case SPRAG_FRICTION_INTERIOR:
        status = friction_interior(f, FRICTION_PATHS_ALL, limit, &step.status, done);
        break;
    case SPRAG_FRICTION_FLOW:
        status = follow_flows(f, limit, &step.status, done);
        break;
    case SPRAG_FRICTION_LCP:
        status = friction_lcp(f, limit, f->scaled_polygons, &step.status, done);
        break;
    default:
        step.status = friction_gauss_seidel(f, limit, progress, done);
        break;
    }
    note(f, info, step);
    return status;
}

static bool is_done(const Friction *f)
{
    return f->best_residual <= f->settings.tolerance;
}

static void go_back(Friction *f)
{
    memcpy(f->r, f->best, f->size * sizeof *f->r);
}

static SpragStatus run_from_best(Friction *f, SpragFrictionMethod method, int limit,
                                 SpragFrictionInfo *info)
{
    if (is_done(f))
        return SPRAG_OK;
    go_back(f);
    return friction_run(f, method, friction_limit(f, limit), 1, info);
}

// Some of the interior paths, from the best point.
static SpragStatus run_paths(Friction *f, FrictionPaths paths, SpragFrictionInfo *info)
{
    SpragFrictionStep step = {.method = SPRAG_FRICTION_INTERIOR};
    if (is_done(f))
        return SPRAG_OK;
    go_back(f);
    SpragStatus status =
        friction_interior(f, paths, friction_limit(f, PATH_STEPS), &step.status, &step.iterations);
    note(f, info, step);
    return status;
}

static int proximal_steps(const Friction *f, int most)
{
    return (int)fmin(most, fmax(LEAST_PROXIMAL, PROXIMAL_WORK / friction_contacts_by_cost(f)));
}

static SpragStatus run_proximal(Friction *f, const double *start, int most, SpragFrictionInfo *info)
{
    SpragFrictionStep step = {.method = SPRAG_FRICTION_NEWTON};
    if (is_done(f))
        return SPRAG_OK;
    if (start != f->r)
        memcpy(f->r, start, f->size * sizeof *f->r);
    SpragStatus status = friction_proximal(f, friction_limit(f, proximal_steps(f, most)),
                                           &step.status, &step.iterations);
    note(f, info, step);
    return status;
}

static SpragStatus run_smooth(Friction *f, int steps, SpragFrictionInfo *info)
{
    SpragFrictionStep step = {.method = SPRAG_FRICTION_INTERIOR};
    if (is_done(f) || friction_contacts_by_cost(f) > MANY_CONTACTS)
        return SPRAG_OK;
    SpragStatus status =
        friction_smooth(f, friction_limit(f, steps), &step.status, &step.iterations);
    note(f, info, step);
    return status;
}

static bool suits_packets(const Friction *f)
{
    return f->bodies && packets_suit(f->problem, 1);
}

// Sweeps over packets from the point `end`, where they go on the next time; f->r becomes the best
// of them.
static SpragStatus sweep_packets(Friction *f, const double *ease, double work, double goal,
                                 double *end, SpragFrictionInfo *info)
{
    SpragFrictionStep step = {.method = SPRAG_FRICTION_GAUSS_SEIDEL,
                              .status = SPRAG_FRICTION_LIMIT};
    double start;
    int limit = friction_limit(f, (int)fmax(1, work / f->c));
    SpragArenaMark mark = sprag_arena_mark(f->workspace->arena);
    memcpy(f->r, end, f->size * sizeof *end);
    SpragStatus status = packets_solve(f->workspace, f->problem, ease, limit, goal, f->r, end,
                                       &step.iterations, &start);
    sprag_arena_release(f->workspace->arena, mark);
    SPRAG_TRY(status);
    friction_apply(f, f->r, f->u);
    if (step.iterations <= 0)
        return SPRAG_OK;
    f->iterations += step.iterations;
    if (friction_judge(f, SPRAG_FRICTION_GAUSS_SEIDEL) <= f->settings.tolerance)
        step.status = SPRAG_FRICTION_SOLVED;
    note(f, info, step);
    return SPRAG_OK;
}

// The best point, as a place of its own; NULL: no memory.
static double *copy_best(Friction *f)
{
    double *place = friction_allocate(f, f->size, sizeof *place);
    if (place)
        memcpy(place, f->best, f->size * sizeof *place);
    return place;
}

// Where few digits are wanted.
static SpragStatus run_packets(Friction *f, double work, SpragFrictionInfo *info)
{
    if (f->settings.tolerance < FEW_DIGITS || is_done(f) || !suits_packets(f))
        return SPRAG_OK;
    double *end = copy_best(f);
    if (!end)
        return SPRAG_ERROR_MEMORY;
    for (int k = 0; k < EASE_KINDS && !is_done(f); k++)
        SPRAG_TRY(sweep_packets(f, EASES[k], work, f->settings.tolerance, end, info));
    return SPRAG_OK;
}

// The last one for long, the others for a while, in which they do not arrive with many contacts;
// proximal points where it has come closer than all before.
static SpragStatus run_flow(Friction *f, int which, SpragFrictionInfo *info)
{
    SpragFrictionStep step = {.method = SPRAG_FRICTION_FLOW};
    bool last = which == LAST_FLOW;
    int limit = last ? proximal_steps(f, MOST_FLOW) : FEW_FLOW;
    int contacts = friction_contacts_by_cost(f);
    double before = fmin(f->best_residual, VERY_CLOSE);
    if (is_done(f) || contacts > (last ? MANY_CONTACTS : FLOW_CONTACTS))
        return SPRAG_OK;
    SPRAG_TRY(friction_flow(f, which, friction_limit(f, limit), &step.status, &step.iterations));
    note(f, info, step);
    return f->best_residual < before
               ? run_proximal(f, f->best, last ? SOME_PROXIMAL : FEW_PROXIMAL, info)
               : SPRAG_OK;
}

// A solution with polygons exists and Lemke's method finds it (theory.md 11.2): in the plane that
// is all; in space polygons are turned to what was found, and Newton's method does the rest.
static SpragStatus run_polygons(Friction *f, SpragFrictionInfo *info)
{
    // one path of Lemke's method in a thousand rows takes seconds
    bool large = (f->c - f->joints) * (2 + f->settings.sides) > MANY_ROWS;
    double before = INFINITY;
    for (int k = 0; k < (f->d == 2 || large ? 2 : 6) && !is_done(f); k++) {
        // plain and scaled ones have brought nothing: more sides will not
        if (k % 2 == 0 && f->best_residual >= before)
            break;
        before = k % 2 == 0 ? f->best_residual : before;
        int sides = f->settings.sides << (k / 2);
        f->scaled_polygons = k % 2 == 1;
        bool many = sides > 64 || (f->c - f->joints) * (2 + sides) > POLYGON_ROWS;
        SPRAG_TRY(friction_run(f, SPRAG_FRICTION_LCP, many ? f->settings.sides : sides, 1, info));
        if (!is_done(f))
            SPRAG_TRY(friction_run(f, SPRAG_FRICTION_NEWTON, friction_limit(f, 25), 1, info));
        if (f->d == 3 && !is_done(f))
            SPRAG_TRY(friction_run(f, SPRAG_FRICTION_GAUSS_SEIDEL, friction_limit(f, 20), 1, info));
    }
    return SPRAG_OK;
}

static bool suits_polygons(const Friction *f)
{
    return (f->c - f->joints) * (f->d == 2 ? 4 : 2 + f->settings.sides) <= POLYGON_ROWS;
}

// In large problems paths and flows get stuck far from a solution. Sweeps that wander come close
// now and then, and from there proximal points may arrive. Each round begins at the best point, or,
// where that has been tried, where the last one ended.
static SpragStatus run_large(Friction *f, SpragFrictionInfo *info)
{
    if (f->c <= FLOW_CONTACTS || is_done(f) || !suits_packets(f))
        return SPRAG_OK;
    double *end = copy_best(f), tried = INFINITY;
    if (!end)
        return SPRAG_ERROR_MEMORY;
    for (int k = 0; k < LARGE_ROUNDS && !is_done(f); k++) {
        if (f->best_residual < tried)
            memcpy(end, f->best, f->size * sizeof *end);
        tried = f->best_residual;
        SPRAG_TRY(sweep_packets(f, EASES[k % EASE_KINDS], ROUND_SWEEPS, SINGLE, end, info));
        double reached = friction_natural(f, f->r, f->u);
        if (!is_done(f) && reached < SWEPT)
            SPRAG_TRY(run_proximal(f, f->r, FEW_PROXIMAL, info));
        if (reached <= SINGLE) // sweeps from there would end at once
            memcpy(end, f->r, f->size * sizeof *end);
    }
    return SPRAG_OK;
}

// Different paths arrive at different problems, mostly within a hundred steps where they do: so
// some are tried for that long before anything is done at length.
static SpragStatus run_short(Friction *f, SpragFrictionInfo *info)
{
    SPRAG_TRY(run_paths(f, FRICTION_PATHS_DAMPED, info));
    if (f->best_residual < VERY_CLOSE)
        SPRAG_TRY(run_proximal(f, f->best, FEW_PROXIMAL, info));
    SPRAG_TRY(run_large(f, info));
    SPRAG_TRY(run_paths(f, FRICTION_PATHS_EASED, info));
    SPRAG_TRY(run_paths(f, FRICTION_PATHS_FIRMER, info));
    if (friction_contacts_by_cost(f) <= MANY_CONTACTS)
        SPRAG_TRY(run_paths(f, FRICTION_PATHS_FIRST, info));
    if (f->best_residual < CLOSE)
        SPRAG_TRY(run_proximal(f, f->best, SOME_PROXIMAL, info));
    SPRAG_TRY(run_flow(f, 0, info));
    SPRAG_TRY(run_smooth(f, FEW_SMOOTH, info));
    return run_flow(f, 1, info);
}

// The damped path with all of the derivative: `place` receives the best point of this path alone,
// whose residual is returned in *reached: proximal points have been tried from the best of all.
static SpragStatus run_whole(Friction *f, double *place, double *reached, SpragFrictionInfo *info)
{
    double residual = f->best_residual, *best = friction_allocate(f, f->size, sizeof *best);
    SpragFrictionMethod method = f->best_method;
    *reached = residual;
    if (!best)
        return SPRAG_ERROR_MEMORY;
    if (is_done(f))
        return SPRAG_OK;
    memcpy(best, f->best, f->size * sizeof *best);
    f->best_residual = INFINITY;
    SpragStatus status = run_paths(f, FRICTION_PATHS_WHOLE, info);
    memcpy(place, f->best, f->size * sizeof *place);
    *reached = f->best_residual;
    if (residual < *reached) {
        memcpy(f->best, best, f->size * sizeof *best);
        f->best_residual = residual;
        f->best_method = method;
    }
    return status;
}

// Proximal points from the end of that path move along a flow whose end is a solution, though every
// change of a mode on the way costs a factorisation; flows of 11.19 take turns with them. Other
// paths, and points from the best that they find, are tried where it is too long.
static SpragStatus run_paths_and_flows(Friction *f, const double *swept, SpragFrictionInfo *info)
{
    double *place = friction_allocate(f, f->size, sizeof *place), reached;
    if (!place)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(run_whole(f, place, &reached, info));
    if (reached < CLOSE) {
        SPRAG_TRY(run_proximal(f, place, MANY_PROXIMAL, info));
        memcpy(place, f->r, f->size * sizeof *place);
    }
    for (int k = 2; k < FRICTION_FLOWS; k++)
        SPRAG_TRY(run_flow(f, k, info));
    int rest = proximal_steps(f, MOST_PROXIMAL) - proximal_steps(f, MANY_PROXIMAL);
    if (reached < CLOSE && rest > 0)
        SPRAG_TRY(run_proximal(f, place, rest, info));
    double before = f->best_residual;
    SPRAG_TRY(run_smooth(f, SMOOTH_STEPS, info));
    if (f->best_residual < fmin(CLOSE, before))
        SPRAG_TRY(run_proximal(f, f->best, LEAST_PROXIMAL, info));
    SPRAG_TRY(run_proximal(f, swept, LEAST_PROXIMAL, info));
    return run_paths(f, FRICTION_PATHS_OTHER, info);
}

// Sweeps while they pay, Newton where they stop paying, an interior path and proximal points where
// Newton loses its way; then what is sure and dear.
SpragStatus friction_auto(Friction *f, SpragFrictionInfo *info)
{
    double *swept = friction_allocate(f, f->size, sizeof *swept);
    if (!swept)
        return SPRAG_ERROR_MEMORY;
    f->plain_sweeps = true;
    SPRAG_TRY(friction_run(f, SPRAG_FRICTION_GAUSS_SEIDEL, friction_limit(f, 200), 0.9, info));
    memcpy(swept, f->r, f->size * sizeof *swept);
    f->hasty = true;
    if (!is_done(f))
        SPRAG_TRY(friction_run(f, SPRAG_FRICTION_NEWTON, friction_limit(f, 15), 1, info));
    f->hasty = false;
    SPRAG_TRY(run_packets(f, f->c > FLOW_CONTACTS ? LONG_SWEEPS : SHORT_SWEEPS, info));
    SPRAG_TRY(run_short(f, info));
    SPRAG_TRY(run_packets(f, LONG_SWEEPS, info));
    SPRAG_TRY(run_paths_and_flows(f, swept, info));
    // from the same point they would only do the same again
    double before = INFINITY;
    for (int k = 0; k < 3 && f->best_residual < fmin(CLOSE, before); k++) {
        before = f->best_residual;
        SPRAG_TRY(run_proximal(f, f->best, LEAST_PROXIMAL, info));
    }
    if (!is_done(f) && suits_polygons(f)) {
        go_back(f);
        SPRAG_TRY(run_polygons(f, info));
    }
    f->plain_sweeps = false;
    for (int k = 0; k < 3; k++) {
        SPRAG_TRY(run_from_best(f, SPRAG_FRICTION_GAUSS_SEIDEL, 500 << (2 * k), info));
        SPRAG_TRY(run_from_best(f, SPRAG_FRICTION_NEWTON, 25, info));
    }
    return SPRAG_OK;
}
