// scalar_run_decide.c: what a drive does from now on, at its start and after every event.
//
// Rigid: the forward problem (theory.md 9.1). While it moves: the present branch if it is there and
// stable, else the one that is stable; none: it jams, the velocity jumps to zero. At rest: what is
// held stays, else it starts on the stable branch. On the border of the static band the inputs a
// moment later decide.
// Compliant: sticks if the friction that keeps the slip at zero is within mu |F|, else it slips
// towards the side that friction gave way to; the state of the layer makes this unique.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scalar_run_private.h"

// How much later "a moment later" is, relative to 1 s or the time. Where friction gave way and the
// inputs change so slowly that this cannot be told, up to LONG_MOMENT.
static const double MOMENT = 1e-9, LONG_MOMENT = 1e-4;

void drive_tell(SpragDriveRun *run, SpragEventType type, const char *format, ...)
{
    SpragEvent event = {.t = run->loop.t, .type = type, .contact = -1};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(event.detail, sizeof event.detail, format, arguments);
    va_end(arguments);
    run->loop.statistics.events++;
    if (run->sink.event && run->sink.event(&event, run->sink.user) != 0)
        run->loop.stopped = true;
}

void drive_end_verdict(void *owner)
{
    SpragDriveRun *run = owner;
    run->verdict.to = run->loop.t;
    bool empty = run->verdict.to <= run->verdict.from && run->loop.t > 0;
    if (run->has_verdict && !empty && run->sink.verdict &&
        run->sink.verdict(&run->verdict, run->sink.user) != 0)
        run->loop.stopped = true;
    run->has_verdict = false;
}

// The verdict that holds from now on; the same one goes on.
static void note_verdict(SpragDriveRun *run, const SpragPairVerdict *verdict)
{
    SpragRunVerdict next = {.from = run->loop.t,
                            .kind = verdict->kind,
                            .solution_count = verdict->motion_count,
                            .stable_count = verdict->stable_count};
    snprintf(next.reason, sizeof next.reason, "%s", verdict->reason);
    if (verdict->motion_count > 0)
        snprintf(next.chosen, sizeof next.chosen, "%s",
                 sprag_mode_name(run->direction == 0  ? SPRAG_MODE_STICK
                                 : run->direction > 0 ? SPRAG_MODE_SLIDE_PLUS
                                                      : SPRAG_MODE_SLIDE_MINUS));
    const SpragRunVerdict *now = &run->verdict;
    if (run->has_verdict && now->kind == next.kind && now->solution_count == next.solution_count &&
        strcmp(now->chosen, next.chosen) == 0)
        return;
    drive_end_verdict(run);
    run->verdict = next;
    run->has_verdict = true;
}

static int sign_of(double x)
{
    return (x > 0) - (x < 0);
}

static void solve_forward(SpragDriveRun *run, double t, SpragPairVerdict *verdict)
{
    SpragPairState state = {.position = run->loop.y[Q2] + (t - run->loop.t) * run->loop.y[V2],
                            .velocity = run->loop.y[V2]};
    drive_input(run, t, state.input);
    sprag_pair_forward(&run->pair, &state, NULL, verdict);
    run->loop.statistics.solves++;
}

static void take(SpragDriveRun *run, const SpragPairMotion *motion)
{
    run->direction = motion->direction;
    run->branch = motion->branch;
}

static void give_up(SpragDriveRun *run, const SpragPairVerdict *verdict, bool *ended,
                    SpragRunOutcome *outcome)
{
    *ended = true;
    if (verdict->motion_count == 0) {
        *outcome = SPRAG_RUN_NO_SOLUTION;
        drive_tell(run, SPRAG_EVENT_NO_SOLUTION, "no motion: %s", verdict->reason);
    } else if (verdict->kind == SPRAG_VERDICT_INFINITE || verdict->stable_count > 1) {
        *outcome = SPRAG_RUN_AMBIGUOUS;
        drive_tell(run, SPRAG_EVENT_AMBIGUITY, "several motions: %s", verdict->reason);
    } else {
        *outcome = SPRAG_RUN_UNSTABLE;
        drive_tell(run, SPRAG_EVENT_UNSTABLE, "no motion is stable");
    }
}

// ---- Rigid --------------------------------------------------------------------------------------

static const char *side(int direction)
{
    return direction > 0 ? "forward" : "back";
}

// At rest. `came`: direction of the slip that has just ended, 0: none; `jammed`: by a jam.
static void decide_rest(SpragDriveRun *run, int came, bool jammed, bool *ended,
                        SpragRunOutcome *outcome)
{
    SpragPairVerdict verdict;
    int before = run->direction;
    solve_forward(run, run->loop.t, &verdict);
    double most = run->cone_left ? LONG_MOMENT : MOMENT;
    for (double moment = MOMENT; verdict.held && moment <= most; moment *= 10) {
        SpragPairVerdict later;
        solve_forward(run, run->loop.t + moment * (1 + fabs(run->loop.t)), &later);
        if ((!later.held && later.chosen >= 0) || (verdict.excess == 0 && moment == MOMENT))
            verdict = later;
    }
    if (verdict.chosen < 0) {
        run->direction = run->branch = 0;
        note_verdict(run, &verdict);
        give_up(run, &verdict, ended, outcome);
        return;
    }
    take(run, &verdict.motions[verdict.chosen]);
    note_verdict(run, &verdict);
    if (jammed)
        return; // its event is told with what follows
    if (came != 0 && run->direction == 0)
        drive_tell(run, SPRAG_EVENT_STICK, "the slip ends, friction holds");
    else if (came != 0 && run->direction != came)
        drive_tell(run, SPRAG_EVENT_SLIP_REVERSAL, "the slip turns, now %s", side(run->direction));
    else if (came == 0 && run->direction != 0 && before == 0)
        drive_tell(run, SPRAG_EVENT_SLIP_START, "starts %s: friction cannot hold",
                   side(run->direction));
}

static void jam(SpragDriveRun *run, bool *ended, SpragRunOutcome *outcome)
{
    DriveInstant before;
    double speed = run->loop.y[V2];
    int direction = run->direction;
    drive_evaluate(run, run->loop.t, run->loop.y, &before);
    double energy = drive_energy(run, &before);
    run->loop.y[V2] = 0;
    run->direction = run->branch = 0;
    drive_evaluate(run, run->loop.t, run->loop.y, &before);
    run->impact += energy - drive_energy(run, &before);
    decide_rest(run, direction, true, ended, outcome);
    drive_tell(run, SPRAG_EVENT_JAM,
               "jams: no motion at velocity %.6g, which jumps to 0; then it %s", speed,
               run->direction == 0  ? "is held"
               : run->direction > 0 ? "starts forward"
                                    : "starts back");
}

static void decide_moving(SpragDriveRun *run, bool *ended, SpragRunOutcome *outcome)
{
    SpragPairVerdict verdict;
    int branch = run->branch, index = -1;
    solve_forward(run, run->loop.t, &verdict);
    if (verdict.excess == 0) // both branches meet here: what comes next tells them apart
        solve_forward(run, run->loop.t + MOMENT * (1 + fabs(run->loop.t)), &verdict);
    run->direction = verdict.direction;
    for (int i = 0; i < verdict.motion_count; i++)
        if (verdict.motions[i].stable && verdict.motions[i].branch == branch)
            index = i;
    if (index < 0)
        index = verdict.chosen;
    if (verdict.jam) {
        note_verdict(run, &verdict);
        jam(run, ended, outcome);
    } else if (index < 0) {
        note_verdict(run, &verdict);
        give_up(run, &verdict, ended, outcome);
    } else {
        take(run, &verdict.motions[index]);
        note_verdict(run, &verdict);
    }
}

// ---- Compliant ----------------------------------------------------------------------------------

static void decide_compliant(SpragDriveRun *run)
{
    DriveInstant now;
    int came = run->direction;
    bool first = !run->loop.begun;
    drive_evaluate(run, run->loop.t, run->loop.y, &now);
    // what sticks has no slip but rounding's; a slip that ended was made zero up to that
    bool rests = first ? now.slip == 0 : came == 0 || run->slip_ended;
    bool leaves = came == 0 && run->cone_left; // whatever rounding says
    run->slip_ended = false;
    if (!rests) {
        run->direction = sign_of(now.slip);
        return;
    }
    run->direction = 0;
    drive_evaluate(run, run->loop.t, run->loop.y, &now);
    if (leaves || fabs(now.friction) > run->pair.friction * fabs(now.normal))
        run->direction = sign_of(now.friction);
    if (first)
        return;
    if (came == 0 && run->direction != 0)
        drive_tell(run, SPRAG_EVENT_SLIP_START, "starts %s: friction cannot hold",
                   side(run->direction));
    else if (came != 0 && run->direction == 0)
        drive_tell(run, SPRAG_EVENT_STICK, "the slip ends, friction holds");
    else if (came != run->direction)
        drive_tell(run, SPRAG_EVENT_SLIP_REVERSAL, "the slip turns, now %s", side(run->direction));
}

SpragStatus drive_decide(void *owner, bool *ended, SpragRunOutcome *outcome)
{
    SpragDriveRun *run = owner;
    *ended = false;
    if (run->settings.compliant)
        decide_compliant(run);
    else if (run->loop.y[V2] != 0)
        decide_moving(run, ended, outcome);
    else
        decide_rest(run, run->branch != 0 ? run->direction : 0, false, ended, outcome);
    run->cone_left = false;
    return SPRAG_OK;
}
