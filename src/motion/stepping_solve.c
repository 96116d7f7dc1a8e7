// stepping_solve.c: friction problems of the islands.
// Problem   u = W r + q with u the velocities in the rows after the step less their bounds, r the
//           impulses, W = J M⁻¹ Jᵀ in the space of the island's bodies, theory.md (11.26)
// Units     impulses count in units of the mean mass, so that the natural residual compares like
//           with like
#include "stepping.h"

#include <math.h>
#include <string.h>

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

SpragStatus stepping_problem(Stepping *s, const Island *island, StepWorker *w,
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

static bool rebounds(const Stepping *s, const Island *island)
{
    for (int i = island->first; i < island->first + island->count; i++)
        if (s->sorted.bound[i] > 0)
            return true;
    return false;
}

// Energy that the impulses of an island give its bodies, theory.md (11.28), beyond rounding and
// what surfaces that move give: slips are those on them.
static double gain_of(const Stepping *s, const Island *island)
{
    const StepContacts *c = &s->sorted;
    double gain = 0, size = 0;
    for (int i = island->first; i < island->first + island->count; i++) {
        for (int k = s->d * i; k < s->d * (i + 1); k++) {
            double work = c->impulse[k] * (c->before[k] + c->after[k]);
            work += k == s->d * i ? c->impulse[k] * c->bound[i] : 0;
            gain += work;
            size += fabs(work);
        }
    }
    const double rounding = 1e-9;
    return gain > rounding * size ? gain : 0;
}

// Rebounds that make energy, or that contacts which depend on each other cannot all have: then the
// problem has no solution, theory.md (11.56).
static bool rebounds_too_far(const Stepping *s, const Island *island)
{
    bool stuck = island->unsolved && stepping_goal(s, island->count) <= s->settings.tolerance;
    return rebounds(s, island) && (stuck || gain_of(s, island) > 0);
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
// the step that takes it away have all of it: the next one needs its own share, and is looked at
// closely (*stood < 0). w->r: impulses before.
static void spread(Stepping *s, const Island *island, const StepWorker *w)
{
    int *stood = s->stood + s->island_bodies[island->first_body], first = s->d * island->first;
    if (*stood > 0 && !has_joints(s, island)) {
        double part = *stood / (1.0 + *stood);
        for (int k = 0; k < s->d * island->count; k++)
            s->sorted.once[first + k] = part * (s->sorted.impulse[first + k] - w->r[k]);
    }
    *stood = *stood > 0 ? -1 : 0;
}

static SpragStatus solve_impulses(Stepping *s, Island *island, StepWorker *w)
{
    const StepContacts *c = &s->sorted;
    SpragFrictionProblem problem;
    SpragFrictionInfo info = {0};
    size_t rows = (size_t)(s->d * island->count);
    double *r = c->impulse + s->d * island->first, *u = c->after + s->d * island->first;
    SPRAG_TRY(stepping_problem(s, island, w, &problem));
    for (size_t k = 0; k < rows; k++)
        r[k] /= s->mass;
    bool stood = s->steps > 0 && stepping_stands(s, island, w, &problem, r, u, &info);
    for (size_t k = 0; k < rows; k++)
        w->r[k] = r[k] * s->mass;
    memset(c->once + s->d * island->first, 0, rows * sizeof *r);
    if (!stood)
        SPRAG_TRY(stepping_friction(s, island, w, &problem, r, u, &info));
    for (size_t k = 0; k < rows; k++)
        r[k] *= s->mass;
    int *steps = s->stood + s->island_bodies[island->first_body];
    if (stood)
        *steps = *steps > 0 ? *steps + 1 : 1;
    else
        spread(s, island, w);
    island->residual = info.residual.unit_free;
    island->unsolved = !(info.residual.natural <= (1 + 1e-6) * stepping_goal(s, island->count));
    island->iterations += info.iterations;
    return SPRAG_OK;
}

static SpragStatus solve_island(void *user, int number, StepWorker *w)
{
    // of the rebounds, one after the other
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
    for (size_t k = 0; k < sizeof lower / sizeof *lower && rebounds_too_far(s, island); k++) {
        lower_rebounds(s, island, lower[k]);
        if (island->unsolved) // forces that hold each other may have grown without limit
            memset(r, 0, rows * sizeof *r);
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
        statistics->penetration = step_larger(-s->sorted.gap[i], statistics->penetration);
}

SpragStatus stepping_solve(Stepping *s)
{
    for (int i = 0; i < s->block_count; i++)
        if (!s->asleep[i])
            stepping_inertia(s, i, s->inertia + i * s->m * s->m);
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
    SPRAG_TRY(stepping_problem(s, island, w, &problem));
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
