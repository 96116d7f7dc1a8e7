// stepping_rest.c: islands that rest, and what wakes them.
// Problem   a pile that stands must not creep by the errors of its solver, and costs nothing
// Method    an island that has hardly moved for some steps is put to rest if rest is a solution:
//           the friction problem of its bodies at zero velocity, solved to REST_TOLERANCE, leaves
//           them at zero velocity, theory.md (11.29). It wakes as a whole when something touches
//           it.
#include "stepping.h"

#include <math.h>
#include <string.h>

// Steps without motion before rest is tried, and before it is tried again.
enum { QUIET_STEPS = 4, AGAIN_STEPS = 16 };
// Speeds below this part of what forces give in one step are no motion; at rest a body must not get
// more than the second part.
static const double SLOW = 1e-3, MOST_SLOW = 0.1, STILL = 1e-7;

static double speed_of(const Stepping *s, int body)
{
    const double *v = s->run->y + s->run->m + body * s->m;
    // a body without shapes, or with a plane, has no radius of its own
    bool sized = isfinite(s->radius[body]) && s->radius[body] > 0;
    double radius = sized ? s->radius[body] : s->size;
    if (s->m == 6)
        return sprag_vec3_norm(sprag_vec3_of(v)) + radius * sprag_vec3_norm(sprag_vec3_of(v + 3));
    return hypot(v[0], v[1]) + radius * fabs(v[2]);
}

void stepping_wake(Stepping *s, int block)
{
    int group = s->group[block];
    if (!s->asleep[block])
        return;
    for (int i = group; i < s->block_count; i++)
        if (s->asleep[i] && s->group[i] == group) {
            s->asleep[i] = false;
            s->quiet[i] = 0;
        }
    s->everything_rests = false;
}

static bool is_quiet(Stepping *s, const Island *island, double slow)
{
    bool quiet = true;
    for (int i = 0; i < island->body_count; i++) {
        int body = s->island_bodies[island->first_body + i];
        s->quiet[body] = speed_of(s, body) <= slow ? s->quiet[body] + 1 : 0;
        quiet &= s->quiet[body] >= QUIET_STEPS;
    }
    return quiet;
}

static void put_to_rest(Stepping *s, const Island *island, double h, const StepWorker *w)
{
    int group = s->island_bodies[island->first_body];
    double *v = s->run->y + s->run->m;
    for (int i = 0; i < island->body_count; i++) {
        int body = s->island_bodies[island->first_body + i];
        group = body < group ? body : group;
    }
    for (int i = 0; i < island->body_count; i++) {
        int body = s->island_bodies[island->first_body + i];
        s->asleep[body] = true;
        s->group[body] = group;
        memset(v + body * s->m, 0, (size_t)s->m * sizeof *v);
    }
    for (int i = 0; i < island->count; i++) {
        int contact = island->first + i, slot = s->sorted.slot[contact];
        for (int row = 0; row < s->d; row++)
            s->sorted.impulse[s->d * contact + row] = s->mass * w->r[s->d * i + row];
        if (step_is_joint(&s->sorted, contact)) {
            stepping_joints_remember(s, contact);
            continue;
        }
        stepping_remember(s, contact, h, s->slots[slot].mode);
        s->slots[slot].step = s->steps - 1;
        s->slots[slot].asleep = true;
    }
    s->statistics.asleep += island->body_count;
}

static void tell_rest(Stepping *s, const Island *island, double residual, SpragRunOutcome *outcome)
{
    const SpragModel *model = sprag_system_model(s->system);
    int first = s->model_body[s->island_bodies[island->first_body]];
    bool all = true;
    for (int i = 0; i < s->block_count; i++)
        all &= s->asleep[i];
    if (all)
        tell_event(s->run, SPRAG_EVENT_REST, -1, outcome,
                   "everything rests, and stays so: forces that hold it are known to %.1e",
                   residual);
    else
        tell_event(s->run, SPRAG_EVENT_REST, -1, outcome,
                   "%s%s rests: forces that hold it are known to %.1e", model->bodies[first].name,
                   island->body_count > 1 ? " and what it touches" : "", residual);
    s->everything_rests = all;
}

SpragStatus stepping_rest(Stepping *s, double h, SpragRunOutcome *outcome)
{
    SpragRun *run = s->run;
    double unit = h * s->acceleration;
    bool ready = false;
    StepWorker *w = &s->workers[0];
    s->statistics.asleep = 0;
    for (int i = 0; i < s->block_count; i++)
        s->statistics.asleep += s->asleep[i];
    if (run->settings.no_rest || !s->may_rest)
        return SPRAG_OK;
    for (int i = 0; i < s->island_count; i++) {
        const Island *island = &s->islands[i];
        double moves, residual;
        // motion that the solver's own error makes is none
        double part = fmax(SLOW, fmin(MOST_SLOW, 10 * island->residual));
        if (!is_quiet(s, island, fmax(part * unit, run->tolerances.rate)))
            continue;
        if (!ready) { // what forces give bodies that rest
            memset(s->later_v, 0, (size_t)run->n * sizeof *s->later_v);
            SPRAG_TRY(sprag_system_free_step(s->system, run->t, h, s->theta, run->y, s->later_v,
                                             s->shift, s->mean));
            ready = true;
        }
        SPRAG_TRY(stepping_static(s, island, w, &moves, &residual));
        if (moves <= fmax(STILL * unit, STILL * run->tolerances.rate)) {
            put_to_rest(s, island, h, w);
            tell_rest(s, island, residual, outcome);
            continue;
        }
        // the more there is to verify, the longer it waits
        int again = AGAIN_STEPS + island->count / 8;
        for (int k = 0; k < island->body_count; k++)
            s->quiet[s->island_bodies[island->first_body + k]] = QUIET_STEPS - again;
    }
    return SPRAG_OK;
}
