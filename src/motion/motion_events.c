// motion_events.c: the functions whose zeros end a mode, theory.md 14.2 and (14.4), and their first
// root.
#include <float.h>
#include <math.h>
#include <string.h>

#include "motion_private.h"
#include "sprag/complementarity.h"

// ---- Dependent rows -----------------------------------------------------------------------------

// The linear program of theory.md (14.4): forces of the unknowns in units of the force scale, then
// σ. Inequalities first, then the equations of the mode.
typedef struct Program {
    int k, width, most; // unknowns, columns, inequalities that there is room for
    int count;          // inequalities
    int equations;
    double *A, *b, *c, *x;
} Program;

enum { FIRST_SIDES = 8, MOST_CUTS = 30 };

static bool allocate_program(SpragRun *run, Program *p)
{
    p->k = run->frozen.unknown_count;
    p->width = p->k + 1;
    p->most = 1 + p->k * (run->tangents == 1 ? 2 : FIRST_SIDES + MOST_CUTS);
    p->count = 0;
    size_t rows = (size_t)(p->most + p->k + 1), width = (size_t)p->width;
    p->A = sprag_arena_alloc(run->arena, rows * width, sizeof *p->A);
    p->b = sprag_arena_alloc(run->arena, rows, sizeof *p->b);
    p->c = sprag_arena_alloc(run->arena, width, sizeof *p->c);
    p->x = sprag_arena_alloc(run->arena, width, sizeof *p->x);
    return p->A && p->b && p->c && p->x;
}

// d·λT + σ ≤ μ λN for the contact whose first tangential unknown is i; its normal force is the
// unknown before, or comes from a layer.
static void add_side(const SpragRun *run, Program *p, int i, const double *d)
{
    const Frozen *f = &run->frozen;
    const Unknown *u = &f->unknowns[i];
    double *row = p->A + (size_t)p->count * (size_t)p->width;
    double mu = run->now.friction[2 * u->contact];
    memset(row, 0, (size_t)p->width * sizeof *row);
    p->b[p->count] = 0;
    int normals = f->normals[u->contact], tangents = f->rows[u->contact] - normals;
    const double *aim = run->now.aim + 2 * u->contact;
    if (f->soft[u->contact])
        p->b[p->count] = mu * run->now.force[f->first[u->contact]] / run->force_scale;
    else
        for (int k = 0; k < normals; k++)
            row[i - normals + k] = f->bearing[u->contact] ? -mu * aim[k] : -mu;
    for (int k = 0; k < tangents; k++)
        row[i + k] = d[k];
    row[p->k] = 1;
    p->count++;
}

// Whether unknown i is the first tangential one of its contact.
static bool begins_cone(const Frozen *f, int i)
{
    const Unknown *u = &f->unknowns[i];
    return u->tangential && !f->bearing[u->contact] && u->row == f->first[u->contact] + 1;
}

// The direction of all friction together: where a body that lies flat is about to slip, every
// contact pulls along it.
static double common_direction(const SpragRun *run)
{
    const Frozen *f = &run->frozen;
    const double *force = run->now.force;
    double sum[2] = {0, 0};
    for (int i = 0; run->tangents == 2 && i < f->active_count; i++)
        for (int k = 0; k < 2 && f->rows[i] == 3 && !f->sliding[i]; k++)
            sum[k] += force[f->first[i] + 1 + k];
    return atan2(sum[1], sum[0]);
}

static void add_inequalities(const SpragRun *run, Program *p)
{
    const Frozen *f = &run->frozen;
    double first = common_direction(run);
    for (int i = 0; i < p->k; i++) {
        double *row = p->A + (size_t)p->count * (size_t)p->width;
        bool bearing = f->bearing[f->unknowns[i].contact];
        if (!f->unknowns[i].tangential && bearing)
            continue; // it presses to every side
        if (!f->unknowns[i].tangential) {
            row[i] = -1; // λN ≥ σ
            row[p->k] = 1;
            p->count++;
        } else if (run->tangents == 1 || bearing) {
            add_side(run, p, i, (const double[]){-1});
            add_side(run, p, i, (const double[]){1});
        } else if (begins_cone(f, i)) {
            for (int side = 0; side < FIRST_SIDES; side++) {
                double angle = first + 2 * 3.14159265358979323846 * side / FIRST_SIDES;
                add_side(run, p, i, (const double[]){cos(angle), sin(angle)});
            }
        }
    }
    p->A[(size_t)p->count * (size_t)p->width + (size_t)p->k] = 1;
    p->b[p->count++] = 1;
}

// Rows of the mode, behind the inequalities. Of contacts whose normals are soft only the independent
// ones: their bodies still turn a little, and then two tangents of one body do not agree.
static void add_equations(const SpragRun *run, Program *p)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    bool all = f->soft_count == 0;
    p->equations = all ? p->k : f->solved_count;
    for (int i = 0; i < p->equations; i++) {
        int r = f->unknowns[all ? i : f->solved[i]].row;
        double *row = p->A + (size_t)(p->count + i) * (size_t)p->width;
        const double *w = e->W + r * f->row_count;
        for (int j = 0; j < p->k; j++) {
            row[j] = modes_entry(run, w, &f->unknowns[j]);
        }
        row[p->k] = 0;
        p->b[p->count + i] = -(e->b[r] + e->load[r]) / run->force_scale;
    }
}

// Sides where the solution is outside of its round cones; false: it is inside of all.
static bool add_cuts(const SpragRun *run, Program *p)
{
    const double outside = 1e-13;
    bool any = false;
    for (int i = 0; run->tangents == 2 && i < p->k && p->count < p->most; i++) {
        const double *t = p->x + i;
        if (!begins_cone(&run->frozen, i))
            continue;
        const Unknown *u = &run->frozen.unknowns[i];
        double mu = run->now.friction[2 * u->contact], size = hypot(t[0], t[1]);
        double normal = run->frozen.soft[u->contact]
                            ? run->now.force[run->frozen.first[u->contact]] / run->force_scale
                            : p->x[i - 1];
        if (!(size > mu * normal - p->x[p->k] + outside * (1 + size)))
            continue;
        add_side(run, p, i, (const double[]){t[0] / size, t[1] / size});
        any = true;
    }
    return any;
}

static void give_forces(const SpragRun *run, const Program *p, double *force)
{
    const Frozen *f = &run->frozen;
    for (int i = 0; i < p->k; i++) {
        const Unknown *u = &f->unknowns[i];
        int tangents = f->rows[u->contact] - f->normals[u->contact];
        double *friction = force + f->first[u->contact] + f->normals[u->contact];
        bool follows = !u->tangential && f->sliding[u->contact];
        force[u->row] = p->x[i] * run->force_scale;
        for (int d = 0; follows && d < tangents; d++)
            friction[d] = (u->normal > 0 ? friction[d] : 0) +
                          modes_friction_ratio(run, u->contact, u->normal, d) * force[u->row];
    }
}

// σ of theory.md (14.4): the largest s ≤ 1 so that some forces of the mode stay inside their cones
// by s times the force scale. Negative: the mode has no admissible forces. In space the cones are
// polyhedra whose sides are added where the solution is outside of the round ones (Kelley's cuts).
// force (rows, may be NULL) receives those forces of rigid contacts.
static SpragStatus margin(SpragRun *run, double *sigma, double *force)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    Program p;
    if (!allocate_program(run, &p))
        return SPRAG_ERROR_MEMORY;
    add_inequalities(run, &p);
    p.c[p.k] = 1;
    for (int round = 0; round <= MOST_CUTS; round++) {
        SpragLpStatus status;
        add_equations(run, &p);
        SpragLp program = {p.width, p.count, p.equations, p.A, p.b, p.c};
        SPRAG_TRY(sprag_lp_solve(run->arena, &program, 1e-9, p.x, sigma, &status));
        if (status != SPRAG_LP_OPTIMAL)
            *sigma = -1;
        if (status != SPRAG_LP_OPTIMAL || !add_cuts(run, &p))
            break;
    }
    if (force && *sigma > -1)
        give_forces(run, &p, force);
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

SpragStatus events_admissible(SpragRun *run, double *force)
{
    double sigma;
    memcpy(force, run->now.force, (size_t)run->frozen.row_count * sizeof *force);
    return margin(run, &sigma, force);
}

// ---- Values -------------------------------------------------------------------------------------

static double active_value(const SpragRun *run, const EventFunction *g)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    const double *force = e->force + f->first[g->index], *slip = e->slip + run->tangents * g->index;
    const double *heading = f->heading + 2 * g->index;
    double normal = modes_pressure(run, g->index, force);
    double friction = force[f->normals[g->index]];
    switch (g->kind) {
    case FUNCTION_NORMAL:
        return normal;
    case FUNCTION_CONE_PLUS:
        return e->friction[2 * g->index] * normal - friction;
    case FUNCTION_CONE_MINUS:
        return e->friction[2 * g->index] * normal + friction;
    case FUNCTION_SIDE:
        return e->aim[2 * g->index] * force[0];
    case FUNCTION_CONE:
        return e->friction[2 * g->index] * normal - hypot(force[1], force[2]);
    case FUNCTION_SURFACE:
        return e->held[g->index];
    case FUNCTION_SLIP:
        if (run->tangents == 1 || f->bearing[g->index])
            return f->sign[g->index] * slip[0];
        // a slip that starts slowly is as good as zero for a while
        return heading[0] * slip[0] + heading[1] * slip[1] +
               (run->starting[f->active[g->index]] ? run->tolerances.slip : 0);
    case FUNCTION_DETERMINANT:
        return e->determinant - run->jam;
    default:
        return layers_function(run, g);
    }
}

SpragStatus events_values(SpragRun *run, double t, const double *y, double *values)
{
    Frozen *f = &run->frozen;
    // gaps of open contacts come first in the list
    SpragSystemSample gaps = {.gap = run->probe_gap, .gap_rate = f->rates ? run->probe_rate : NULL};
    if (f->open_count > 0)
        SPRAG_TRY(
            sprag_system_sample(run->system, t, y, y + run->m, f->open_count, f->open, &gaps));
    int i = 0;
    for (; i < f->function_count && f->functions[i].kind == FUNCTION_GAP; i++) {
        int index = f->functions[i].index;
        bool rate = sprag_system_contact_is_velocity_level(run->system, f->open[index]);
        double more = run->shift[f->open[index]] + run->lift[f->open[index]];
        values[i] = rate ? run->probe_rate[index] : fmin(run->probe_gap[index] + more, run->far);
    }
    if (i == f->function_count)
        return SPRAG_OK;
    SPRAG_TRY(modes_evaluate(run, t, y));
    for (; i < f->function_count; i++) {
        if (f->functions[i].kind == FUNCTION_MARGIN)
            SPRAG_TRY(margin(run, &values[i], NULL));
        else
            values[i] = active_value(run, &f->functions[i]);
    }
    return SPRAG_OK;
}

// Values at an end of a step, where the mode is evaluated anyway. If that fails they are not known,
// and the search meets the failure itself.
static SpragStatus end_values(SpragRun *run, double t, const double *y, double *values, bool *known)
{
    SpragStatus status = events_values(run, t, y, values);
    *known = status == SPRAG_OK;
    return status == SPRAG_ERROR_NUMERIC ? SPRAG_OK : status;
}

SpragStatus events_begin(SpragRun *run)
{
    if (run->begin_known)
        return SPRAG_OK;
    return end_values(run, run->t, run->y, run->values_begin, &run->begin_known);
}

static int values_on_arc(double t, double *values, void *user)
{
    SpragRun *run = user;
    if (run->end_known && t == sprag_integrator_time(run->integrator)) {
        memcpy(values, run->values_end, (size_t)run->frozen.function_count * sizeof *values);
        return 0;
    }
    if (sprag_integrator_evaluate(run->integrator, t, run->scratch) != SPRAG_OK)
        return -1;
    SpragStatus status = events_values(run, t, run->scratch, values);
    return status == SPRAG_OK ? 0 : status == SPRAG_ERROR_NUMERIC ? 1 : -1;
}

bool events_fired(const SpragRun *run, FunctionKind kind)
{
    return (run->frozen.fired_kinds >> kind) & 1;
}

bool events_fired_rigid(const SpragRun *run, FunctionKind kind)
{
    const Frozen *f = &run->frozen;
    for (int i = 0; i < f->function_count; i++) {
        int index = f->functions[i].index;
        if (f->fired[i] && f->functions[i].kind == kind &&
            !run->compliant[kind == FUNCTION_GAP ? f->open[index] : f->active[index]])
            return true;
    }
    return false;
}

// Contacts that have come out of what they overlapped by.
static void end_lifts(SpragRun *run)
{
    const Frozen *f = &run->frozen;
    for (int i = 0; run->begin_known && run->end_known && i < f->function_count; i++) {
        double *lift = &run->lift[f->open[f->functions[i].index]];
        if (f->functions[i].kind != FUNCTION_GAP)
            break;
        if (!(*lift > 0) || run->values_begin[i] <= 2 * *lift)
            continue;
        run->values_begin[i] -= *lift;
        run->values_end[i] -= *lift;
        *lift = 0;
    }
}

// A contact that bounces starts as deep as the clock could tell its impact: speed times some
// roundings of the time, which late in a run is more than the gap that counts as zero. It is not
// back before it has been out.
static void excuse_depths(SpragRun *run)
{
    Frozen *f = &run->frozen;
    for (int i = 0; run->begin_known && i < f->function_count; i++)
        if (f->functions[i].kind == FUNCTION_GAP && run->values_begin[i] < 0 &&
            run->values_begin[i] > -run->tolerances.gap)
            f->zeros[i] = fmax(f->zeros[i], -2 * run->values_begin[i]);
}

static double fastest_rate(const SpragRun *run)
{
    double fastest = 0;
    for (int i = 0; i < run->n; i++)
        fastest = fmax(fastest, fabs(run->y[run->m + i]));
    return fastest;
}

// A gap that is continuous comes or goes this far in the bracket of a root.
static double bracket_way(const SpragRun *run, const SpragRoot *root)
{
    return 100 * DBL_EPSILON * fabs(root->after) * fastest_rate(run) * (1 + 1e-3 * run->far);
}

// Whether the gap of an open contact has not become zero but jumped there or below: a corner that
// comes over the end of a side, of a body that it overlaps in a layer, onto the next part of a
// surface, or where another corner has been. The state must not be on the border, where rounding
// says what the corner meets.
static bool gap_jumps(const SpragRun *run, const SpragRoot *root)
{
    const Frozen *f = &run->frozen;
    double way = bracket_way(run, root);
    for (int i = 0; i < f->function_count && f->functions[i].kind == FUNCTION_GAP; i++) {
        if (!f->fired[i])
            continue;
        if ((f->soft_count > 0 && root->values_after[i] < -run->tolerances.gap) ||
            root->values_before[i] > run->tolerances.gap + way)
            return true;
    }
    return false;
}

// Whether it has stepped below zero by less: beside a corner another side counts from the zone on
// in which corners coincide. What leaves that side is told from what runs into it by a state behind
// the step.
static bool gap_steps(const SpragRun *run, const SpragRoot *root)
{
    const Frozen *f = &run->frozen;
    double way = bracket_way(run, root);
    for (int i = 0; i < f->function_count && f->functions[i].kind == FUNCTION_GAP; i++)
        if (f->fired[i] && root->values_before[i] > 0 &&
            root->values_after[i] < -MOTION_CLOSED * run->tolerances.gap - way)
            return true;
    return false;
}

// A time in which bodies move by so little that no side ends, and by more than positions are put
// right: a jump is behind them then.
static double behind_jump(const SpragRun *run)
{
    const double part = 0.2;
    double fastest = fastest_rate(run);
    return fastest > 0 ? part * run->tolerances.gap / fastest : 0;
}

SpragStatus events_find(SpragRun *run, const SpragStep *step, double *t)
{
    Frozen *f = &run->frozen;
    SpragRoot root;
    // first of all: the integrator has just evaluated the mode at the end of its step
    SPRAG_TRY(end_values(run, step->t_new, sprag_integrator_state(run->integrator), run->values_end,
                         &run->end_known));
    end_lifts(run);
    excuse_depths(run);
    double end;
    SPRAG_TRY(events_clear(run, step, &end));
    SpragRootProblem problem = {.count = f->function_count,
                                .function = values_on_arc,
                                .user = run,
                                .t_begin = step->t_old,
                                .t_end = end,
                                .directions = f->directions,
                                .zeros = f->zeros,
                                .values_begin = run->begin_known ? run->values_begin : NULL,
                                .guards = true};
    // in space most shapes that overlap within the step are seen without that
    bool space = run->tangents == 2;
    if (space)
        problem.t_end = step->t_new;
    SPRAG_TRY(sprag_root_find(run->finder, &problem, &root));
    bool late = root.outcome == SPRAG_ROOT_NONE || (space && root.t > end);
    if (late && end < step->t_new) {
        problem.t_end = space ? end : step->t_new;
        SpragRoot first = root;
        SPRAG_TRY(sprag_root_find(run->finder, &problem, &root));
        if (space && root.outcome == SPRAG_ROOT_NONE && first.outcome == SPRAG_ROOT_FOUND) {
            problem.t_end = step->t_new;
            SPRAG_TRY(sprag_root_find(run->finder, &problem, &root));
        }
    }
    if (root.outcome != SPRAG_ROOT_NONE && root.outcome != SPRAG_ROOT_FOUND)
        return sprag_fail(run->context, SPRAG_ERROR_NUMERIC, "an event function fails at t = %.9g",
                          root.after);
    bool found = root.outcome == SPRAG_ROOT_FOUND;
    *t = INFINITY;
    f->fired_kinds = 0;
    for (int i = 0; i < f->function_count; i++) {
        f->fired[i] = found ? root.fired[i] : 0;
        f->fired_kinds |= f->fired[i] ? 1u << f->functions[i].kind : 0;
    }
    // a side has ended only after the root, not at it; a gap that jumps is below zero there
    if (found)
        *t = events_fired(run, FUNCTION_SURFACE) || gap_steps(run, &root) ? root.after : root.t;
    if (found && gap_jumps(run, &root))
        *t = fmin(root.after + behind_jump(run), step->t_new);
    run->begin_known = *t == INFINITY && run->end_known;
    if (run->begin_known) {
        double *values = run->values_begin;
        run->values_begin = run->values_end;
        run->values_end = values;
    }
    return SPRAG_OK;
}
