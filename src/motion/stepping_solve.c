// stepping_solve.c: friction problems of the islands.
// Problem   u = W r + q with u the velocities in the rows after the step less their bounds, r the
//           impulses, W = J M⁻¹ Jᵀ in the space of the island's bodies, theory.md (11.26)
// Units     impulses count in units of the mean mass, so that the natural residual compares like
//           with like
#include "stepping.h"

#include <math.h>
#include <string.h>

// Islands of up to TINY_ISLAND contacts are solved to the tolerance whatever it takes, others as
// far as sweeps and now and then Newton's method bring them; where that is above ENOUGH in those of
// up to SMALL_ISLAND, to a tenth of it whatever it takes.
enum { TINY_ISLAND = 100, SMALL_ISLAND = 300, NEWTON_STEPS = 15 };
// Sweeps in a tiny island; in others, by their contacts, at least and at most.
enum { FEW_SWEEPS = 120, LEAST_SWEEPS = 48, MOST_SWEEPS = 240, CONTACT_SWEEPS = 72000 };
// Steps for which dear methods wait in an island after they have failed, at first and at most.
enum { FIRST_WAIT = 4, MOST_WAIT = 256 };
// Part of the tolerance that Newton's method goes on to: the next steps begin closer than they
// need.
static const double BEYOND = 1e-2;
// Residual that is good enough of an island that is not tiny, while it moves: what is missing is in
// the record.
static const double ENOUGH = 1e-3;
// An island that begins below this stands, but for what has added up since its forces were found:
// Newton's method finds them again for many steps, where sweeps would do so for one.
static const double NEARLY = 1e-5;

// ---- An island as a friction problem ------------------------------------------------------------

static SpragStatus reserve_island(Stepping *s, const Island *island, StepWorker *w)
{
    size_t bodies = (size_t)island->body_count, contacts = (size_t)island->count;
    size_t entries = (size_t)(s->m * s->m), rows = contacts * (size_t)s->d;
    SPRAG_TRY(sprag_reserve(w->context, &w->inverse_inertia, &w->inertia_capacity,
                            bodies * entries + 1, sizeof(double)));
    SPRAG_TRY(
        sprag_reserve(w->context, &w->bodies, &w->body_capacity, 2 * contacts + 1, sizeof(int)));
    SPRAG_TRY(sprag_reserve(w->context, &w->velocity, &w->velocity_capacity,
                            bodies * (size_t)s->m + 1, sizeof(double)));
    SPRAG_TRY(sprag_reserve(w->context, &w->q, &w->q_capacity, rows + 1, sizeof(double)));
    SPRAG_TRY(sprag_reserve(w->context, &w->r, &w->r_capacity, rows + 1, sizeof(double)));
    SPRAG_TRY(sprag_reserve(w->context, &w->u, &w->u_capacity, rows + 1, sizeof(double)));
    return sprag_reserve(w->context, &w->friction, &w->friction_capacity, contacts + 1,
                         sizeof(double));
}

static SpragStatus island_problem(Stepping *s, const Island *island, StepWorker *w,
                                  SpragFrictionProblem *problem)
{
    const StepContacts *c = &s->sorted;
    int entries = s->m * s->m, first = island->first;
    SPRAG_TRY(reserve_island(s, island, w));
    for (int i = 0; i < island->body_count; i++) {
        const double *from = s->inertia + entries * s->island_bodies[island->first_body + i];
        for (int k = 0; k < entries; k++)
            w->inverse_inertia[i * entries + k] = s->mass * from[k];
    }
    for (int i = 0; i < 2 * island->count; i++) {
        int body = c->bodies[2 * first + i];
        w->bodies[i] = body < 0 ? -1 : s->local[body];
    }
    *problem =
        (SpragFrictionProblem){.dimension = s->d,
                               .contact_count = island->count,
                               .q = c->free + s->d * first,
                               .friction = c->friction + first,
                               .kinds = c->kinds + first,
                               .storage = SPRAG_FRICTION_BODIES,
                               .body_count = island->body_count,
                               .body_size = s->m,
                               .inverse_inertia = w->inverse_inertia,
                               .bodies = w->bodies,
                               .jacobian = c->jacobian + (size_t)(2 * s->d * s->m) * (size_t)first};
    return SPRAG_OK;
}

// Nothing touches with force: the answer is r = 0.
static bool is_idle(const Stepping *s, const Island *island)
{
    for (int i = island->first; i < island->first + island->count; i++)
        if (s->sorted.free[s->d * i] < 0 || step_is_joint(&s->sorted, i))
            return false;
    return true;
}

// One method, as far as `settings` say; an answer within `tolerance` counts as solved.
static SpragStatus try_method(StepWorker *w, const SpragFrictionProblem *problem,
                              SpragFrictionSettings settings, double tolerance, double *r,
                              double *u, SpragFrictionInfo *info)
{
    int before = info->iterations;
    SPRAG_TRY(sprag_friction_solve(w->solver, problem, &settings, r, u, info));
    info->iterations += before;
    if (info->residual.natural <= tolerance)
        info->status = SPRAG_FRICTION_SOLVED;
    return SPRAG_OK;
}

static void wait_longer(int hard[2])
{
    hard[1] = 2 * hard[1] + FIRST_WAIT;
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
    settings.max_iterations = NEWTON_STEPS;
    settings.tolerance *= BEYOND;
    SPRAG_TRY(try_method(w, problem, settings, tolerance, r, u, info));
    if (info->status == SPRAG_FRICTION_SOLVED)
        hard[0] = hard[1] = 0;
    else
        wait_longer(hard);
    return SPRAG_OK;
}

static int sweeps_of(int contacts)
{
    int sweeps = CONTACT_SWEEPS / contacts;
    if (contacts <= TINY_ISLAND)
        return FEW_SWEEPS;
    return sweeps < LEAST_SWEEPS ? LEAST_SWEEPS : sweeps > MOST_SWEEPS ? MOST_SWEEPS : sweeps;
}

// All that there is, to `tolerance`.
static SpragStatus try_all(Stepping *s, const SpragFrictionProblem *problem, StepWorker *w,
                           double tolerance, double *r, double *u, SpragFrictionInfo *info)
{
    SpragFrictionSettings settings = s->settings;
    settings.tolerance = fmax(tolerance, s->settings.tolerance);
    return try_method(w, problem, settings, s->settings.tolerance, r, u, info);
}

// Newton's method, and what else there is.
static SpragStatus solve_hard(Stepping *s, const SpragFrictionProblem *problem, StepWorker *w,
                              int hard[2], double *r, double *u, SpragFrictionInfo *info)
{
    bool start = s->steps == 0, tiny = problem->contact_count <= TINY_ISLAND;
    bool small = problem->contact_count <= SMALL_ISLAND;
    if (hard[0] == 0 || tiny || start) {
        SPRAG_TRY(try_newton(w, problem, s->settings, hard, r, u, info));
        if (info->status == SPRAG_FRICTION_SOLVED)
            return SPRAG_OK;
    }
    if (!tiny && !start)
        return small && info->residual.natural > ENOUGH
                   ? try_all(s, problem, w, 0.1 * ENOUGH, r, u, info)
                   : SPRAG_OK;
    SPRAG_TRY(try_all(s, problem, w, 0, r, u, info));
    return start ? try_newton(w, problem, s->settings, hard, r, u, info) : SPRAG_OK;
}

// Whether the impulses that a step begins with are its answer, as those of a pile that stands.
static bool stands(StepWorker *w, const SpragFrictionProblem *problem, double tolerance,
                   const double *r, double *u, SpragFrictionInfo *info)
{
    sprag_friction_velocity(problem, r, u, w->velocity);
    info->residual = sprag_friction_residual(problem, r, u);
    info->status = SPRAG_FRICTION_SOLVED;
    return info->residual.natural <= tolerance;
}

// The same of the impulses of the last step without what was needed once, and with that; r is the
// better of both.
static bool stands_again(const Stepping *s, const Island *island, StepWorker *w,
                         const SpragFrictionProblem *problem, double *r, double *u,
                         SpragFrictionInfo *info)
{
    const double *once = s->sorted.once + s->d * island->first, tolerance = s->settings.tolerance;
    size_t rows = (size_t)(s->d * island->count);
    bool any = false;
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

// Sweeps from the impulses of the last step: that is all in most steps. What is missing after dear
// methods have failed, or while they wait, is in the record, and the next step begins there.
static SpragStatus solve_friction(Stepping *s, const Island *island,
                                  const SpragFrictionProblem *problem, StepWorker *w, double *r,
                                  double *u, SpragFrictionInfo *info)
{
    SpragFrictionSettings settings = s->settings;
    int *hard = s->hard + 2 * s->island_bodies[island->first_body];
    bool known = s->steps > 0;
    if (problem->contact_count == 1)
        return try_method(w, problem, settings, settings.tolerance, r, u, info);
    bool waits = hard[0] > 0;
    hard[0] -= waits;
    if (known && info->residual.natural < NEARLY && !waits) {
        SPRAG_TRY(try_newton(w, problem, settings, hard, r, u, info));
        if (info->status == SPRAG_FRICTION_SOLVED)
            return SPRAG_OK;
    }
    settings.method = SPRAG_FRICTION_GAUSS_SEIDEL;
    settings.max_iterations = sweeps_of(problem->contact_count);
    if (!known) // no force is known yet: Newton's method makes it better than sweeps do
        settings.tolerance *= BEYOND;
    SPRAG_TRY(try_method(w, problem, settings, settings.tolerance, r, u, info));
    return info->status == SPRAG_FRICTION_SOLVED ? SPRAG_OK
                                                 : solve_hard(s, problem, w, hard, r, u, info);
}

// Energy that the impulses of an island give its bodies, theory.md (11.28), beyond rounding; 0
// where nothing rebounds, or where surfaces that move give some.
static double gain_of(const Stepping *s, const Island *island)
{
    const StepContacts *c = &s->sorted;
    double gain = 0, size = 0;
    bool rebounds = false;
    for (int i = island->first; i < island->first + island->count; i++) {
        rebounds |= c->bound[i] > 0;
        for (int k = s->d * i; k < s->d * (i + 1); k++) {
            if (c->drift[k] != 0)
                return 0;
            double work = c->impulse[k] * (c->before[k] + c->after[k]);
            work += k == s->d * i ? c->impulse[k] * c->bound[i] : 0;
            gain += work;
            size += fabs(work);
        }
    }
    const double rounding = 1e-9;
    return rebounds && gain > rounding * size ? gain : 0;
}

static void lower_rebounds(Stepping *s, const Island *island, double factor)
{
    const StepContacts *c = &s->sorted;
    for (int i = island->first; i < island->first + island->count; i++) {
        double less = c->bound[i] > 0 ? (1 - factor) * c->bound[i] : 0;
        c->bound[i] -= less;
        c->free[s->d * i] += less;
    }
}

static bool has_joints(const Stepping *s, const Island *island)
{
    for (int i = island->first; i < island->first + island->count; i++)
        if (step_is_joint(&s->sorted, i))
            return true;
    return false;
}

// What was missing in each of the steps for which an island stood has added up, and the impulses of
// the step that takes it away have all of it: the next one needs its own share. w->r: impulses
// before.
static void spread(Stepping *s, const Island *island, const StepWorker *w)
{
    int *stood = s->stood + s->island_bodies[island->first_body], first = s->d * island->first;
    if (*stood > 0 && !has_joints(s, island)) {
        double part = *stood / (1.0 + *stood);
        for (int k = 0; k < s->d * island->count; k++)
            s->sorted.once[first + k] = part * (s->sorted.impulse[first + k] - w->r[k]);
    }
    *stood = 0;
}

static SpragStatus solve_impulses(Stepping *s, Island *island, StepWorker *w)
{
    const StepContacts *c = &s->sorted;
    SpragFrictionProblem problem;
    SpragFrictionInfo info = {0};
    size_t rows = (size_t)(s->d * island->count);
    double *r = c->impulse + s->d * island->first, *u = c->after + s->d * island->first;
    SPRAG_TRY(island_problem(s, island, w, &problem));
    for (size_t k = 0; k < rows; k++)
        r[k] /= s->mass;
    bool stood = s->steps > 0 && stands_again(s, island, w, &problem, r, u, &info);
    for (size_t k = 0; k < rows; k++)
        w->r[k] = r[k] * s->mass;
    memset(c->once + s->d * island->first, 0, rows * sizeof *r);
    if (!stood)
        SPRAG_TRY(solve_friction(s, island, &problem, w, r, u, &info));
    for (size_t k = 0; k < rows; k++)
        r[k] *= s->mass;
    if (stood)
        s->stood[s->island_bodies[island->first_body]]++;
    else
        spread(s, island, w);
    island->residual = info.residual.unit_free;
    island->unsolved = info.status != SPRAG_FRICTION_SOLVED;
    island->iterations += info.iterations;
    return SPRAG_OK;
}

static SpragStatus solve_island(void *user, int number, StepWorker *w)
{
    // of the rebounds, one after the other where the one before made energy
    static const double lower[] = {0.75, 0.5 / 0.75, 0.5, 0};
    Stepping *s = user;
    Island *island = &s->islands[number];
    const StepContacts *c = &s->sorted;
    size_t rows = (size_t)(s->d * island->count);
    double *r = c->impulse + s->d * island->first, *u = c->after + s->d * island->first;
    if (island->count == 0 || island->held)
        return SPRAG_OK;
    if (is_idle(s, island)) {
        memset(r, 0, rows * sizeof *r);
        memset(c->once + s->d * island->first, 0, rows * sizeof *r);
        memcpy(u, c->free + s->d * island->first, rows * sizeof *u);
        return SPRAG_OK;
    }
    SPRAG_TRY(solve_impulses(s, island, w));
    for (size_t k = 0; k < sizeof lower / sizeof *lower && gain_of(s, island) > 0; k++) {
        lower_rebounds(s, island, lower[k]);
        SPRAG_TRY(solve_impulses(s, island, w));
    }
    return SPRAG_OK;
}

void stepping_push(const Stepping *s, int i, const double *r, double factor, double *velocity)
{
    const StepContacts *c = &s->sorted;
    int d = s->d, m = s->m;
    for (int side = 0; side < 2; side++) {
        int body = c->bodies[2 * i + side];
        double force[MOST_BODY_SIZE] = {0};
        if (body < 0)
            continue;
        const double *J = c->jacobian + (size_t)((2 * i + side) * d * m);
        for (int row = 0; row < d; row++)
            for (int k = 0; k < m; k++)
                force[k] += factor * r[row] * J[row * m + k];
        const double *inverse = s->inertia + body * m * m;
        for (int k = 0; k < m; k++)
            for (int e = 0; e < m; e++)
                velocity[body * m + k] += inverse[k * m + e] * force[e];
    }
}

// Impulses of all contacts on the velocities: first on the momentum of each body, then once M⁻¹.
static void push_all(Stepping *s)
{
    const StepContacts *c = &s->sorted;
    int d = s->d, m = s->m;
    memset(s->work, 0, (size_t)s->run->n * sizeof *s->work);
    for (int i = 0; i < 2 * c->count; i++) {
        const double *r = c->impulse + d * (i / 2), *J = c->jacobian + (size_t)(i * d * m);
        if (c->bodies[i] < 0 || (r[0] == 0 && !step_is_joint(c, i / 2)))
            continue;
        double *momentum = s->work + c->bodies[i] * m;
        for (int row = 0; row < d; row++)
            for (int k = 0; k < m; k++)
                momentum[k] += r[row] * J[row * m + k];
    }
    for (int i = 0; i < s->block_count; i++) {
        const double *inverse = s->inertia + i * m * m, *momentum = s->work + i * m;
        for (int k = 0; !s->asleep[i] && k < m; k++) {
            double change = 0;
            for (int e = 0; e < m; e++)
                change += inverse[k * m + e] * momentum[e];
            s->free[i * m + k] += change;
            s->mean[i * m + k] += s->theta * change;
        }
    }
}

static void take_statistics(Stepping *s)
{
    SpragSteppingStatistics *statistics = &s->statistics;
    statistics->residual = 0;
    statistics->contacts = s->sorted.count;
    statistics->islands = s->island_count;
    if (s->sorted.count > statistics->most_contacts)
        statistics->most_contacts = s->sorted.count;
    if (s->island_count > statistics->most_islands)
        statistics->most_islands = s->island_count;
    for (int i = 0; i < s->island_count; i++) {
        const Island *island = &s->islands[i];
        statistics->iterations += (uint64_t)island->iterations;
        statistics->unsolved += island->unsolved;
        // a residual that is not a number is the worst
        if (!(island->residual <= statistics->residual))
            statistics->residual = island->residual;
    }
    if (!(statistics->residual <= statistics->worst_residual)) {
        statistics->worst_residual = statistics->residual;
        statistics->worst_time = s->run->t;
    }
    for (int i = 0; i < s->sorted.count; i++)
        statistics->penetration = fmax(statistics->penetration, -s->sorted.gap[i]);
}

SpragStatus stepping_solve(Stepping *s)
{
    for (int i = 0; i < s->block_count; i++)
        if (!s->asleep[i])
            sprag_system_inertia_block(s->system, i, s->inertia + i * s->m * s->m);
    SPRAG_TRY(stepping_hold_velocity(s));
    SPRAG_TRY(pool_run(s, solve_island, s, s->island_count, s->sorted.count));
    take_statistics(s);
    push_all(s);
    for (int i = 0; i < s->run->n; i++)
        if (!isfinite(s->free[i]))
            return sprag_fail(s->run->context, SPRAG_ERROR_NUMERIC,
                              "a friction problem at t = %.9g has no finite answer", s->run->t);
    return SPRAG_OK;
}

// ---- Rest ---------------------------------------------------------------------------------------

static double row_times(const Stepping *s, int i, int row, const double *v)
{
    const StepContacts *c = &s->sorted;
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        int body = c->bodies[2 * i + side];
        const double *J = c->jacobian + (size_t)(((2 * i + side) * s->d + row) * s->m);
        for (int k = 0; body >= 0 && k < s->m; k++)
            sum += J[k] * v[body * s->m + k];
    }
    return sum;
}

SpragStatus stepping_static(Stepping *s, const Island *island, StepWorker *w, double *moves,
                            double *residual)
{
    const StepContacts *c = &s->sorted;
    SpragFrictionProblem problem;
    SpragFrictionInfo info = {0};
    SpragFrictionSettings settings = s->settings;
    int first = island->first, d = s->d, m = s->m;
    *moves = INFINITY;
    settings.tolerance = fmin(settings.tolerance, REST_TOLERANCE);
    SPRAG_TRY(island_problem(s, island, w, &problem));
    // velocities that forces alone give bodies at rest: s->shift has them
    for (int i = 0; i < island->count; i++)
        for (int row = 0; row < d; row++) {
            w->q[d * i + row] =
                row_times(s, first + i, row, s->shift) + c->drift[d * (first + i) + row];
            w->r[d * i + row] = c->impulse[d * (first + i) + row] / s->mass;
        }
    problem.q = w->q;
    if (island->count > 0)
        SPRAG_TRY(sprag_friction_solve(w->solver, &problem, &settings, w->r, w->u, &info));
    *residual = info.residual.unit_free;
    for (int i = 0; i < island->count; i++) {
        double r[MOST_STEP_ROWS];
        for (int row = 0; row < d; row++)
            r[row] = w->r[d * i + row];
        stepping_push(s, first + i, r, s->mass, s->shift);
    }
    double most = 0;
    for (int i = 0; i < island->body_count; i++) {
        int body = s->island_bodies[island->first_body + i];
        const double *v = s->shift + body * m;
        double radius = isfinite(s->radius[body]) ? s->radius[body] : s->size;
        double spin = m == 6 ? sprag_vec3_norm(sprag_vec3_of(v + 3)) : fabs(v[2]);
        double speed = m == 6 ? sprag_vec3_norm(sprag_vec3_of(v)) : hypot(v[0], v[1]);
        most = fmax(most, speed + spin * radius);
    }
    *moves = most;
    return SPRAG_OK;
}
