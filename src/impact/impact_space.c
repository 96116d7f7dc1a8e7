// impact_space.c: one contact in space, from the first touch to the end by the law.
// Problem   compression and restitution along the slip hodograph, theory.md 10.10
// Method    curved slip in Taylor steps, straight legs once slip keeps its direction, sticks or has
//           stopped; on either the earliest of: compression ends, the law is met, compression
//           begins again (possible in space, where dC/dP may fall below zero while slip turns)
#include <float.h>
#include <math.h>
#include <string.h>

#include "impact_space.h"

// Steps of the hodograph; a slip that passes zero within 1e-14 takes about fifty.
static const int MAX_STEPS = 400;
static const int MAX_ROOT_STEPS = 80;

typedef struct SpaceImpact {
    SpaceContact contact;
    SpacePoint point;
    SpaceLedger ledger;
    double scale; // of velocities
    SpragSingleResult *result;
} SpaceImpact;

// ---- The law ------------------------------------------------------------------------------------

// How far the law is from being met in restitution: ≥ 0 once it is. At a point of this phase.
static double law_excess(const SpaceImpact *impact, const SpacePoint *point)
{
    const SpaceContact *c = &impact->contact;
    const SpaceLedger *ledger = &impact->ledger;
    switch (c->law) {
    case SPRAG_RESTITUTION_NEWTON:
        return point->C + c->e * c->velocity[0];
    case SPRAG_RESTITUTION_POISSON:
        return ledger->impulse[1] + point->P[0] - ledger->P - c->e * ledger->impulse[0];
    default:
        return ledger->given + point->work - ledger->work - c->e * c->e * ledger->taken;
    }
}

// Closes the books of the phase at the present point.
static void close_phase(SpaceImpact *impact)
{
    SpaceLedger *ledger = &impact->ledger;
    const SpacePoint *point = &impact->point;
    int phase = ledger->restitution ? 1 : 0;
    double work = point->work - ledger->work;
    ledger->normal[phase] -= work;
    ledger->tangential[phase] += point->friction - ledger->friction;
    ledger->impulse[phase] += point->P[0] - ledger->P;
    if (phase == 0)
        ledger->taken -= work;
    else
        ledger->given += work;
    ledger->work = point->work;
    ledger->friction = point->friction;
    ledger->P = point->P[0];
}

static void end_compression(SpaceImpact *impact)
{
    impact->point.C = 0;
    close_phase(impact);
    impact->ledger.restitution = true;
    impact->ledger.done = impact->contact.e == 0;
    if (impact->ledger.compressed)
        return;
    impact->ledger.compressed = true;
    SpragSingleResult *result = impact->result;
    result->compression = impact->point.P[0];
    memcpy(result->impulse_compression, impact->point.P, sizeof result->impulse_compression);
    result->after_compression[0] = 0;
    result->after_compression[1] = impact->point.S[0];
    result->after_compression[2] = impact->point.S[1];
}

static void end_restitution(SpaceImpact *impact)
{
    close_phase(impact);
    impact->ledger.done = true;
}

static void compress_again(SpaceImpact *impact)
{
    impact->point.C = 0;
    close_phase(impact);
    impact->ledger.restitution = false;
}

// ---- Straight legs ------------------------------------------------------------------------------

// Smallest x > 0 with ½ B x² + C x = R for R > 0, C ≥ 0; INFINITY: none.
static double impulse_for_work(double B, double C, double R)
{
    double under = C * C + 2 * B * R;
    return under >= 0 ? 2 * R / (C + sqrt(under)) : INFINITY;
}

// Normal impulse after which the law is met on a leg.
static double impulse_to_law(const SpaceImpact *impact, double B)
{
    double lack = -law_excess(impact, &impact->point);
    if (lack <= 0)
        return 0;
    if (impact->contact.law == SPRAG_RESTITUTION_NEWTON)
        return B > 0 ? lack / B : INFINITY;
    if (impact->contact.law == SPRAG_RESTITUTION_POISSON)
        return lack;
    return impulse_for_work(B, impact->point.C, lack);
}

// Along the leg as far as it reaches or until the impact is over; false: it never ends.
static bool follow_leg(SpaceImpact *impact, const SpaceLeg *leg, double reach)
{
    SpacePoint *point = &impact->point;
    double left = reach, B = leg->C;
    for (int guard = 0; guard < 4 && !impact->ledger.done; guard++) {
        bool restitution = impact->ledger.restitution;
        double zero = INFINITY, end = INFINITY;
        if (restitution ? B < 0 : B > 0)
            zero = -point->C / B;
        if (restitution)
            end = impulse_to_law(impact, B);
        double dP = fmin(left, fmin(zero, end));
        if (!isfinite(dP))
            return false;
        space_leg_advance(leg, dP, point);
        left -= dP;
        if (end == dP)
            end_restitution(impact);
        else if (zero == dP && !restitution)
            end_compression(impact);
        else if (zero == dP)
            compress_again(impact);
        else
            return true;
    }
    return true;
}

// ---- Curved slip --------------------------------------------------------------------------------

// What is looked for on a step: a zero of C, or the law met.
typedef enum Goal { GOAL_TURN, GOAL_LAW } Goal;

// The goal's function at a point, and its slope over τ.
static double goal_value(const SpaceImpact *impact, const SpaceStep *step, Goal goal,
                         const SpacePoint *point, double *slope)
{
    const SpaceContact *c = &impact->contact;
    double rate = hypot(point->S[0], point->S[1]) / step->most;
    bool velocity = goal == GOAL_TURN || c->law == SPRAG_RESTITUTION_NEWTON;
    if (velocity)
        *slope = c->w * rate - step->ratio * (c->g[0] * point->S[0] + c->g[1] * point->S[1]);
    else
        *slope = c->law == SPRAG_RESTITUTION_POISSON ? rate : point->C * rate;
    return goal == GOAL_TURN ? point->C : law_excess(impact, point);
}

// Where the goal is met between `from` and `to`, at which its function has other signs: Newton
// within the bracket. The point is left there.
static double step_root(const SpaceImpact *impact, const SpaceStep *step, Goal goal, double from,
                        double to, SpacePoint *point)
{
    double low = from, high = to, slope, x = to;
    space_step_point(&impact->contact, step, to, point);
    double f = goal_value(impact, step, goal, point, &slope);
    bool above = f > 0;
    for (int i = 0; i < MAX_ROOT_STEPS && f != 0; i++) {
        double next = x - f / slope;
        // a step that leaves the bracket, or turns back in it, is a bisection
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        if (fabs(next - x) <= 4 * DBL_EPSILON * to)
            break;
        x = next;
        space_step_point(&impact->contact, step, x, point);
        f = goal_value(impact, step, goal, point, &slope);
        *((f > 0) == above ? &high : &low) = x;
    }
    return x;
}

// A time after `from` at which C has the sign of the phase; `from` itself if it is not zero there
// already. False: C leaves at once.
static bool step_inside(const SpaceImpact *impact, const SpaceStep *step, double from, double to,
                        double *inside)
{
    double sign = impact->ledger.restitution ? 1 : -1;
    *inside = from;
    if (impact->point.C * sign > 0)
        return true;
    SpacePoint point;
    const int halvings = 19;
    for (int k = 1; k <= halvings; k++) {
        *inside = from + ldexp(to - from, -k);
        space_step_point(&impact->contact, step, *inside, &point);
        if (point.C * sign > 0)
            return true;
    }
    return false;
}

// The first event after `from` within the step, at which the point is left; returns its time.
static double next_event(SpaceImpact *impact, const SpaceStep *step, double from)
{
    const SpaceContact *c = &impact->contact;
    double to = step->length, inside;
    SpacePoint end;
    space_step_point(c, step, to, &end);
    bool restitution = impact->ledger.restitution;
    bool crosses = restitution ? end.C < 0 : end.C >= 0;
    if (crosses && step_inside(impact, step, from, to, &inside)) {
        to = step_root(impact, step, GOAL_TURN, inside, to, &end);
    } else if (crosses) {
        to = from;
        end = impact->point;
    }
    if (restitution && law_excess(impact, &end) >= 0) {
        to = step_root(impact, step, GOAL_LAW, from, to, &impact->point);
        end_restitution(impact);
        return to;
    }
    impact->point = end;
    if (crosses && restitution)
        compress_again(impact);
    else if (crosses)
        end_compression(impact);
    return to;
}

// Slip until it stops (true in *stops), keeps its direction for ever, or the impact is over; false:
// it never ends.
static bool follow_slip(SpaceImpact *impact, bool *stops)
{
    SpaceLeg leg;
    double reach;
    for (int i = 0; i < MAX_STEPS && !impact->ledger.done; i++) {
        if (space_slip_is_straight(&impact->contact, &impact->point, impact->scale, &leg, &reach)) {
            if (!follow_leg(impact, &leg, reach))
                return false;
            *stops = !impact->ledger.done;
            return true;
        }
        SpaceStep step;
        space_step_build(&impact->contact, &impact->point, impact->scale, &step);
        double at = 0;
        for (int guard = 0; guard < 8 && at < step.length && !impact->ledger.done; guard++)
            at = next_event(impact, &step, at);
    }
    return impact->ledger.done;
}

// ---- The impact ---------------------------------------------------------------------------------

static void load(const SpragSingleImpact *problem, SpaceImpact *impact)
{
    const double *W = problem->W;
    SpaceContact *c = &impact->contact;
    c->w = W[0];
    c->g[0] = W[3];
    c->g[1] = W[6];
    c->H[0] = W[4];
    c->H[1] = W[5];
    c->H[2] = W[8];
    c->mu = fmin(problem->friction, IMPACT_FRICTION_MAX);
    c->mu_static = fmax(c->mu, fmin(problem->friction_static, IMPACT_FRICTION_MAX));
    memcpy(c->velocity, problem->velocity, sizeof c->velocity);
    c->law = problem->law;
    c->e = problem->e;
    impact->point.C = c->velocity[0];
    impact->point.S[0] = c->velocity[1];
    impact->point.S[1] = c->velocity[2];
    impact->scale = fabs(c->velocity[0]) + hypot(c->velocity[1], c->velocity[2]);
}

static SpragImpactCase case_of(bool slips, bool stops, bool restitution, bool stick)
{
    if (!slips)
        return stick ? SPRAG_IMPACT_STICK : SPRAG_IMPACT_SLIDE_FROM_REST;
    if (!stops)
        return SPRAG_IMPACT_SLIDE;
    if (restitution)
        return stick ? SPRAG_IMPACT_STICK_RESTITUTION : SPRAG_IMPACT_REVERSE_RESTITUTION;
    return stick ? SPRAG_IMPACT_STICK_COMPRESSION : SPRAG_IMPACT_REVERSE_COMPRESSION;
}

// After the slip has stopped, or without any: one leg to the end. False: it never ends.
static bool follow_stop(SpaceImpact *impact, const SpaceStop *stop)
{
    SpacePoint *point = &impact->point;
    point->S[0] = point->S[1] = 0;
    if (!stop->locked)
        return follow_leg(impact, &stop->leg, INFINITY);
    // nothing moves any more: an approach that is left cannot be stopped, nothing is given back
    if (!impact->ledger.restitution) {
        const double *u = impact->contact.velocity, *x = stop->leg.P_T;
        double speed = fabs(u[0]) + hypot(x[0], x[1]) * hypot(u[1], u[2]);
        if (point->C < -IMPACT_LOCKED_SPEED * speed)
            return false;
        end_compression(impact);
    }
    end_restitution(impact);
    return true;
}

static void write_result(const SpaceImpact *impact, SpragSingleResult *result)
{
    const SpaceLedger *ledger = &impact->ledger;
    memcpy(result->impulse, impact->point.P, sizeof result->impulse);
    result->after[0] = impact->point.C;
    result->after[1] = impact->point.S[0];
    result->after[2] = impact->point.S[1];
    result->loss = (SpragImpactLoss){ledger->normal[0], ledger->normal[1], ledger->tangential[0],
                                     ledger->tangential[1]};
}

void impact_space(const SpragSingleImpact *problem, SpragSingleResult *result)
{
    SpaceImpact impact = {.result = result};
    load(problem, &impact);
    const SpaceContact *c = &impact.contact;
    double speed = hypot(c->velocity[1], c->velocity[2]);
    bool slips = speed > 0;
    double B =
        slips ? c->w - c->mu * (c->g[0] * c->velocity[1] + c->g[1] * c->velocity[2]) / speed : c->w;
    if (c->velocity[0] > 0 || (c->velocity[0] == 0 && !(slips && B < 0)))
        return;
    result->jam = slips && B <= 0;
    result->tangential = c->velocity[0] == 0;
    SpaceStop stop;
    space_stop_solve(c, &stop);
    bool stops = !slips, ends = !slips || follow_slip(&impact, &stops);
    result->kind = case_of(slips, stops, impact.ledger.restitution, stop.stick);
    if (ends && stops) {
        result->slip_stop = impact.point.P[0];
        ends = follow_stop(&impact, &stop);
    }
    if (ends) {
        write_result(&impact, result);
        return;
    }
    bool jam = result->jam, tangential = result->tangential;
    memset(result, 0, sizeof *result);
    memcpy(result->after, c->velocity, sizeof result->after);
    memcpy(result->after_compression, c->velocity, sizeof result->after);
    result->slip_stop = result->compression = INFINITY;
    result->jam = jam;
    result->tangential = tangential;
}
