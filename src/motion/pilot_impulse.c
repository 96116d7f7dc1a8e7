// pilot_impulse.c: carrying on by an impulse where no forces will do.
// Problem   contacts that slide without approach have no motion (A < 0, B < 0 and its like with
//           several contacts): impact without collision
// Method    one contact: the closed form of theory.md 10.7 with its own restitution; several: the
//           velocity-level problem (10.21) of all contacts of the island, plastic, whose solution
//           of least energy is not the trivial one
#include <math.h>
#include <string.h>

#include "motion_private.h"

// Contacts that leave faster than this many rate tolerances are open afterwards.
static const double REBOUND = 1e2;
// A jam is met a little before A = 0: friction is raised until compression grows by this part.
static const double BEYOND = 1e-9;

typedef struct Impulse {
    int count;
    int *contacts; // slots
    bool *sliding;
    double *impulse, *after, *response, *friction, *rate, *slip;
    double loss;
    const char *law;
} Impulse;

static SpragStatus allocate(SpragRun *run, Impulse *c)
{
    size_t n = (size_t)run->slots + 1, rows = SPRAG_CONSTRAINT_ROWS;
    double *numbers = sprag_arena_alloc(run->arena, n * (3 + WAYS + rows * (2 + (size_t)run->n)),
                                        sizeof *numbers);
    c->contacts = sprag_arena_alloc(run->arena, n, sizeof *c->contacts);
    c->sliding = sprag_arena_alloc(run->arena, n, sizeof *c->sliding);
    if (!numbers || !c->contacts || !c->sliding)
        return SPRAG_ERROR_MEMORY;
    c->impulse = numbers;
    c->after = c->impulse + rows * n;
    c->friction = c->after + rows * n;
    c->rate = c->friction + 2 * n;
    c->slip = c->rate + n;
    c->response = c->slip + WAYS * n;
    return SPRAG_OK;
}

// Closed rigid contacts; those that are not coupled with a culprit, also through others, are left
// out.
static SpragStatus gather(SpragRun *run, Impulse *c)
{
    bool *member = run->pilot.culprit;
    for (int slot = 0; slot < run->slots; slot++) {
        if (run->mode[slot] == SPRAG_MODE_SEPARATE)
            continue;
        c->sliding[c->count] = mode_slides(run->mode[slot]);
        c->contacts[c->count++] = slot;
    }
    SPRAG_TRY(sprag_system_build_active(run->system, run->t, run->y, run->y + run->m, c->count,
                                        c->contacts, c->sliding, &run->problem));
    for (bool grown = true; grown;) {
        grown = false;
        for (int i = 0; i < c->count; i++)
            for (int j = 0; !member[c->contacts[i]] && j < c->count; j++)
                if (member[c->contacts[j]] && sprag_contact_problem_is_coupled(&run->problem, i, j))
                    member[c->contacts[i]] = grown = true;
    }
    int kept = 0;
    for (int i = 0; i < c->count; i++)
        if (member[c->contacts[i]])
            c->contacts[kept++] = c->contacts[i];
    c->count = kept;
    return SPRAG_OK;
}

// The problem with velocities in place of accelerations; nothing approaches.
static SpragStatus load(SpragRun *run, Impulse *c)
{
    SpragSystemSample sample = {
        .gap_rate = c->rate, .slip = c->slip, .friction = c->friction, .response = c->response};
    SPRAG_TRY(sprag_system_sample(run->system, run->t, run->y, run->y + run->m, c->count,
                                  c->contacts, &sample));
    for (int i = 0; i < c->count; i++)
        c->sliding[i] = modes_slip_size(run, c->slip + run->slip_stride * i) > run->tolerances.slip;
    SPRAG_TRY(sprag_system_build_active(run->system, run->t, run->y, run->y + run->m, c->count,
                                        c->contacts, c->sliding, &run->problem));
    for (int i = 0; i < c->count; i++) {
        SpragConstraint *item = &run->problem.constraints[i];
        run->problem.b[item->row] = 0;
        item->friction_static = c->friction[2 * i];
        int normals = sprag_constraint_normals(item);
        for (int k = 1; k < normals; k++)
            run->problem.b[item->row + k] = 0;
        for (int k = 0; k < item->row_count - normals; k++)
            run->problem.b[item->row + normals + k] =
                c->sliding[i] ? c->slip[run->slip_stride * i + k] : 0;
    }
    return SPRAG_OK;
}

// One contact. The restitution is that of the speed at which slip has pressed it together, C_s.
static void solve_single(SpragRun *run, Impulse *c)
{
    const double *W = run->problem.W, *slip = run->problem.b + 1;
    int rows = run->problem.row_count;
    double size = modes_tangent_size(run, slip), along = 0;
    SpragContactPair pair;
    SpragSingleResult result;
    sprag_system_pair(run->system, c->contacts[0], &pair);
    SpragSingleImpact single = {.dimension = rows,
                                .friction = c->friction[1],
                                .friction_static = c->friction[0],
                                .law = pair.restitution.law};
    memcpy(single.W, W, (size_t)(rows * rows) * sizeof *W);
    for (int k = 1; k < rows; k++)
        single.velocity[k] = slip[k - 1];
    for (int k = 1; rows == 3 && k < rows; k++)
        along += size > 0 ? slip[k - 1] / size * W[k] : 0;
    if (rows == 2)
        along = copysign(1, slip[0]) * W[1];
    if (along > 0 && W[0] - single.friction * along >= 0)
        single.friction = (1 + BEYOND) * W[0] / along;
    sprag_impact_single(&single, &result);
    if (isfinite(result.slip_stop)) {
        // in space, where slip turns, of the normal work of compression
        double speed = rows == 2 ? fabs((W[0] - single.friction * along) * result.slip_stop)
                                 : sqrt(2 * W[0] * fmax(result.loss.normal_compression, 0));
        single.e = pair.restitution.given ? sprag_restitution_at(&pair.restitution, speed) : 0;
        sprag_impact_single(&single, &result);
    }
    for (int k = 0; k < rows; k++) {
        c->impulse[k] = result.impulse[k];
        c->after[k] = result.after[k];
    }
    c->loss = result.loss.normal_compression + result.loss.normal_restitution +
              result.loss.tangential_compression + result.loss.tangential_restitution;
    c->law = "theory.md 10.7";
}

static SpragStatus solve_several(SpragRun *run, Impulse *c)
{
    SpragImpactResult result;
    SPRAG_TRY(sprag_impact_plastic(run->impact, &run->problem, c->impulse, c->after, &result));
    if (!result.found)
        memset(c->impulse, 0, (size_t)run->problem.row_count * sizeof *c->impulse);
    c->loss = result.energy_loss;
    c->law = "plastic, velocity level, (10.21)";
    return SPRAG_OK;
}

// v⁺ = v + M⁻¹ Jᵀ P; the account takes what was lost, and what a belt gave.
static SpragStatus apply(SpragRun *run, const Impulse *c)
{
    double before, after, *v = run->y + run->m;
    SPRAG_TRY(collide_kinetic(run, &before));
    for (int r = 0; r < run->problem.row_count; r++)
        for (int j = 0; j < run->n; j++)
            v[j] += c->impulse[r] * c->response[r * run->n + j];
    SPRAG_TRY(collide_kinetic(run, &after));
    run->impact_loss += c->loss;
    run->impact_actuation += after - before + c->loss;
    return SPRAG_OK;
}

static void set_modes(SpragRun *run, const Impulse *c)
{
    for (int i = 0; i < c->count; i++) {
        const SpragConstraint *item = &run->problem.constraints[i];
        SpragMode *mode = &run->mode[c->contacts[i]];
        run->fresh[c->contacts[i]] = true;
        if (c->after[item->row] > REBOUND * run->tolerances.rate)
            *mode = SPRAG_MODE_SEPARATE;
        else
            *mode = item->row_count == 1
                        ? SPRAG_MODE_CLOSED
                        : modes_of_slip(run, c->contacts[i],
                                        c->after + item->row + sprag_constraint_normals(item));
    }
}

// Whether the impulses change a velocity beyond its tolerance.
static bool does_move(const SpragRun *run, const Impulse *c)
{
    for (int r = 0; r < run->problem.row_count; r++)
        if (fabs(c->after[r] - run->problem.b[r]) > run->tolerances.slip)
            return true;
    return false;
}

SpragStatus pilot_impulse(SpragRun *run, bool *moved, SpragRunOutcome *outcome)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    Impulse c = {0};
    SPRAG_TRY(allocate(run, &c));
    SPRAG_TRY(gather(run, &c));
    SPRAG_TRY(load(run, &c));
    if (c.count == 1 && run->problem.constraints[0].row_count > 1)
        solve_single(run, &c);
    else if (c.count > 0)
        SPRAG_TRY(solve_several(run, &c));
    *moved = c.count > 0 && does_move(run, &c);
    if (*moved) {
        SPRAG_TRY(apply(run, &c));
        set_modes(run, &c);
        modes_outdate(run);
        for (int i = 0; i < c.count; i++) {
            int row = run->problem.constraints[i].row;
            if (c.impulse[row] > 0)
                tell_event(run, SPRAG_EVENT_IMPACT, c.contacts[i], outcome,
                           "tangential impact, no approach: slip %.6g m/s, impulse %.6g N s, %.6g "
                           "J lost in all (%s)",
                           run->tangents == 1 ? c.slip[i]
                                              : modes_slip_size(run, c.slip + run->slip_stride * i),
                           c.impulse[row], c.loss, c.law);
        }
    }
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}
