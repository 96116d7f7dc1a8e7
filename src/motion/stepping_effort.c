// stepping_effort.c: how much is done to solve the friction problem of an island in a step.
// Problem   impulses of an island within the tolerance at the least cost, theory.md 11.11
// Method    those of the last step where they will do; else sweeps, Newton's method, and all that
//           there is in small islands. Larger ones are content with the law tolerance; Newton's
//           method goes beyond it where that is cheap, and waits where it was not.
#include <math.h>
#include <string.h>

#include "stepping.h"

// Islands of up to SMALL_ISLAND contacts are solved to the tolerance whatever it takes, larger ones
// to the law tolerance, as far as sweeps and now and then Newton's method bring them.
enum { SMALL_ISLAND = 64, NEWTON_STEPS = 15, CHEAP_NEWTON = 6, FIRST_NEWTON = 3 };
// Islands of up to that many contacts that sweeps and Newton's method leave FAR above their goal
// are taken to it by all means: such ones are rare, and what they lack is seen.
enum { MIDDLE_ISLAND = 300 };
// In islands of more contacts Newton's method costs as much as ten steps.
enum { LARGE_ISLAND = 1000 };
static const double FAR = 10;
// Sweeps in a small island; in others, by their contacts, at least and at most.
enum { FEW_SWEEPS = 120, LEAST_SWEEPS = 96, MOST_SWEEPS = 160, CONTACT_SWEEPS = 128000 };
// Steps for which Newton's method waits in an island after it has failed or was dear, at first and
// at most, longer where there are many contacts; they count as more where the impulses of the last
// step meet the law tolerance.
enum { FIRST_WAIT = 4, WAIT_CONTACTS = 8, MOST_WAIT = 1024, CALM = 8 };
// Part of the tolerance that Newton's method goes on to: the next steps begin closer than they
// need.
static const double BEYOND = 1e-4;
// An island that begins below this stands, but for what has added up since its forces were found:
// Newton's method finds them again for many steps, where sweeps would do so for one.
static const double NEARLY = 1e-5;
// What is left of a residual after CHEAP_NEWTON steps that are worth going on.
static const double FALLEN = 0.5;

// One method, as far as `settings` say; an answer within `tolerance` counts as solved. What fails
// may have lowered the natural residual at the expense of contacts of light bodies, which count as
// others do in the unit-free one: then the start stays.
static SpragStatus try_method(StepWorker *w, const SpragFrictionProblem *problem,
                              SpragFrictionSettings settings, double tolerance, double *r,
                              double *u, SpragFrictionInfo *info)
{
    int before = info->iterations;
    size_t rows = (size_t)(problem->dimension * problem->contact_count);
    SpragFrictionResidual start = info->residual;
    memcpy(w->q, r, rows * sizeof *r);
    SPRAG_TRY(sprag_friction_solve(w->solver, problem, &settings, r, u, info));
    info->iterations += before;
    if (info->residual.natural <= tolerance)
        info->status = SPRAG_FRICTION_SOLVED;
    else if (start.unit_free > 0 && start.unit_free < info->residual.unit_free) {
        memcpy(r, w->q, rows * sizeof *r);
        sprag_friction_velocity(problem, r, u, w->velocity);
        info->residual = start;
    }
    return SPRAG_OK;
}

static void wait_longer(int hard[2], int contacts)
{
    int more = contacts > SMALL_ISLAND ? contacts / WAIT_CONTACTS : 0;
    hard[1] = 2 * hard[1] + FIRST_WAIT + more;
    hard[1] = hard[1] < MOST_WAIT ? hard[1] : MOST_WAIT;
    hard[0] = hard[1];
}

// hard: how long to wait after it has failed, and how long it was last time.
static SpragStatus try_newton(StepWorker *w, const SpragFrictionProblem *problem,
                              SpragFrictionSettings settings, int hard[2], double *r, double *u,
                              SpragFrictionInfo *info)
{
    double tolerance = settings.tolerance;
    settings.method = SPRAG_FRICTION_NEWTON;
    settings.tolerance *= BEYOND;
    int before = info->iterations;
    double start = info->residual.natural;
    // in a large island a few steps tell whether it is worth while
    bool large = problem->contact_count > SMALL_ISLAND;
    settings.max_iterations = large ? FIRST_NEWTON : CHEAP_NEWTON;
    SPRAG_TRY(try_method(w, problem, settings, tolerance, r, u, info));
    settings.max_iterations = CHEAP_NEWTON - FIRST_NEWTON;
    if (large && info->status != SPRAG_FRICTION_SOLVED && info->residual.natural < start)
        SPRAG_TRY(try_method(w, problem, settings, tolerance, r, u, info));
    settings.max_iterations = NEWTON_STEPS - CHEAP_NEWTON;
    if (info->status != SPRAG_FRICTION_SOLVED && info->residual.natural < FALLEN * start)
        SPRAG_TRY(try_method(w, problem, settings, tolerance, r, u, info));
    if (info->status == SPRAG_FRICTION_SOLVED && info->iterations - before <= CHEAP_NEWTON)
        hard[0] = hard[1] = 0;
    else
        wait_longer(hard, problem->contact_count);
    return SPRAG_OK;
}

static int sweeps_of(int contacts)
{
    int sweeps = CONTACT_SWEEPS / contacts;
    if (contacts <= SMALL_ISLAND)
        return FEW_SWEEPS;
    return sweeps < LEAST_SWEEPS ? LEAST_SWEEPS : sweeps > MOST_SWEEPS ? MOST_SWEEPS : sweeps;
}

double stepping_goal(const Stepping *s, int contacts)
{
    double laws = s->run->settings.law_tolerance;
    return contacts <= SMALL_ISLAND ? s->settings.tolerance : fmax(laws, s->settings.tolerance);
}

// Sweeps from r, down to `goal`.
static SpragStatus sweep(StepWorker *w, const SpragFrictionProblem *problem, double goal, double *r,
                         double *u, SpragFrictionInfo *info)
{
    int before = info->iterations;
    SPRAG_TRY(sprag_friction_sweep(w->solver, problem, sweeps_of(problem->contact_count), goal, r,
                                   u, info));
    info->iterations += before;
    return SPRAG_OK;
}

// Newton's method, and what else there is.
static SpragStatus solve_hard(Stepping *s, const SpragFrictionProblem *problem, StepWorker *w,
                              int hard[2], double *r, double *u, SpragFrictionInfo *info)
{
    SpragFrictionSettings settings = s->settings;
    double goal = stepping_goal(s, problem->contact_count);
    bool start = s->steps == 0, exact = goal <= settings.tolerance;
    bool far = problem->contact_count <= MIDDLE_ISLAND && info->residual.natural > FAR * goal;
    if (hard[0] == 0 || exact || start || far) {
        SPRAG_TRY(try_newton(w, problem, settings, hard, r, u, info));
        if (info->status == SPRAG_FRICTION_SOLVED)
            return SPRAG_OK;
    }
    if (!exact && !start && !(far && info->residual.natural > FAR * goal))
        return SPRAG_OK;
    settings.tolerance = start ? settings.tolerance : goal;
    SPRAG_TRY(try_method(w, problem, settings, settings.tolerance, r, u, info));
    return start ? try_newton(w, problem, s->settings, hard, r, u, info) : SPRAG_OK;
}

// Whether the impulses that a step begins with are its answer, as those of a pile that stands. Of
// others only the natural residual is found.
static bool stands(StepWorker *w, const SpragFrictionProblem *problem, double tolerance,
                   const double *r, double *u, SpragFrictionInfo *info)
{
    sprag_friction_velocity(problem, r, u, w->velocity);
    info->residual = (SpragFrictionResidual){.natural = sprag_friction_natural(problem, r, u)};
    info->status = SPRAG_FRICTION_SOLVED;
    bool good = info->residual.natural <= tolerance;
    if (good)
        info->residual = sprag_friction_residual(problem, r, u);
    return good;
}

// The same of the impulses of the last step without what was needed once, and with that; r is the
// better of both.
bool stepping_stands(const Stepping *s, const Island *island, StepWorker *w,
                     const SpragFrictionProblem *problem, double *r, double *u,
                     SpragFrictionInfo *info)
{
    const double *once = s->sorted.once + s->d * island->first;
    // the step after one that took away what had added up shows what the island needs without that:
    // found to more digits, it holds for many steps
    int body = s->island_bodies[island->first_body];
    bool again = s->stood[body] < 0 && s->hard[2 * body] == 0;
    double tolerance = s->settings.tolerance * (again ? BEYOND : 1);
    size_t rows = (size_t)(s->d * island->count);
    bool any = false;
    if (s->far[body])
        return false;
    if (stands(w, problem, tolerance, r, u, info))
        return true;
    for (size_t k = 0; k < rows; k++) {
        any |= once[k] != 0;
        w->q[k] = r[k] + once[k] / s->mass;
    }
    SpragFrictionInfo all = {0};
    bool good = any && stands(w, problem, tolerance, w->q, w->u, &all);
    if (any && all.residual.natural < info->residual.natural) {
        memcpy(r, w->q, rows * sizeof *r);
        memcpy(u, w->u, rows * sizeof *u);
        *info = all;
    }
    return good;
}

// A step of an island has begun with this residual.
static void pass_time(const Stepping *s, int hard[2], int contacts, double start)
{
    bool known = s->steps > 0;
    double goal = stepping_goal(s, contacts);
    hard[0] -= known && start <= goal ? CALM : 1;
    // where much has happened since the last step Newton's method finds nothing
    double calm = contacts <= LARGE_ISLAND ? FAR * goal : goal;
    int least = known && start > calm ? 1 : 0;
    hard[0] = hard[0] > least ? hard[0] : least;
}

// Sweeps from the impulses of the last step: that is all in most steps. What is missing after dear
// methods have failed, or while they wait, is in the record, and the next step begins there.
SpragStatus stepping_friction(Stepping *s, const Island *island, StepWorker *w,
                              const SpragFrictionProblem *problem, double *r, double *u,
                              SpragFrictionInfo *info)
{
    SpragFrictionSettings settings = s->settings;
    int *hard = s->hard + 2 * s->island_bodies[island->first_body];
    bool *far = s->far + s->island_bodies[island->first_body], unknown = *far;
    double goal = stepping_goal(s, problem->contact_count);
    bool nearly = s->steps > 0 && !unknown && info->residual.natural < NEARLY;
    if (problem->contact_count == 1 || nearly)
        info->residual = sprag_friction_residual(problem, r, u);
    if (problem->contact_count == 1)
        return try_method(w, problem, settings, settings.tolerance, r, u, info);
    bool waits = hard[0] > 0;
    if (!unknown)
        pass_time(s, hard, problem->contact_count, info->residual.natural);
    if (nearly && !waits) {
        SPRAG_TRY(try_newton(w, problem, settings, hard, r, u, info));
        if (info->status == SPRAG_FRICTION_SOLVED)
            return SPRAG_OK;
    }
    if (s->steps == 0) // no force is known yet: Newton's method makes it better than sweeps do
        goal = settings.tolerance * BEYOND;
    SPRAG_TRY(sweep(w, problem, goal, r, u, info));
    if (unknown)
        pass_time(s, hard, problem->contact_count, info->start);
    // one that has not been solved to all its digits begins the next step as it began this one
    *far = problem->contact_count > SMALL_ISLAND && info->start > goal;
    if (info->residual.natural > settings.tolerance)
        SPRAG_TRY(solve_hard(s, problem, w, hard, r, u, info));
    *far &= info->residual.natural > settings.tolerance;
    return SPRAG_OK;
}
