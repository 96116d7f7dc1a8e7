// guides_run_decide.c: what several guides do from now on: at the start, after every event, at
// kinks of the inputs. The laws are theory.md (9.26)-(9.28).
//
// Forward problem with the slips that hold; of its stable motions the one that changes the fewest
// guides: those that it changes are among those of every other. On a border (friction at
// the end of its cone, a normal force at zero) the inputs a moment later decide.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "guides_run_private.h"

static int sign_of(double x)
{
    return (x > 0) - (x < 0);
}

void guides_tell(SpragGuidesRun *run, SpragEventType type, int guide, const char *format, ...)
{
    SpragEvent event = {.t = run->loop.t, .type = type, .contact = guide};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(event.detail, sizeof event.detail, format, arguments);
    va_end(arguments);
    run->loop.statistics.events++;
    if (run->sink.event && run->sink.event(&event, run->sink.user) != 0)
        run->loop.stopped = true;
}

// ---- Verdicts -----------------------------------------------------------------------------------

static void end_verdict(SpragGuidesRun *run, double t)
{
    run->verdict.to = t;
    bool empty = run->verdict.to <= run->verdict.from && t > 0;
    if (run->has_verdict && !empty && run->sink.verdict &&
        run->sink.verdict(&run->verdict, run->sink.user) != 0)
        run->loop.stopped = true;
    run->has_verdict = false;
}

void guides_end_verdict(void *owner)
{
    SpragGuidesRun *run = owner;
    end_verdict(run, run->loop.t);
}

static void spell_modes(const SpragGuidesRun *run, char *text, size_t size)
{
    static const char *const words[] = {"slide-", "stick", "slide+"};
    size_t used = 0;
    text[0] = 0;
    for (int j = 0; j < run->guides.m && used + 8 < size; j++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", j ? " " : "",
                                 words[run->slip[j] + 1]);
}

static void explain(const SpragGuidesVerdict *verdict, char *text, size_t size)
{
    if (verdict->motion_count == 0)
        snprintf(text, size, "no sign pattern of the %ld fits", verdict->pattern_count);
    else if (verdict->kind == SPRAG_VERDICT_INFINITE)
        snprintf(text, size, "a branch is flat: a continuum of accelerations fits");
    else if (verdict->motion_count == 1)
        snprintf(text, size, "one of %ld sign patterns fits", verdict->pattern_count);
    else
        snprintf(text, size, "%d motions fit, %d of them stable", verdict->motion_count,
                 verdict->stable_count);
}

// The verdict that holds from `t` on; the same one goes on.
static void note_verdict(SpragGuidesRun *run, double t, const SpragGuidesVerdict *verdict)
{
    SpragOutcome outcome;
    sprag_guides_outcome(run->guides.m, verdict, &outcome);
    SpragRunVerdict next = {.from = t,
                            .kind = verdict->kind,
                            .solution_count = verdict->motion_count,
                            .stable_count = verdict->stable_count};
    explain(verdict, next.reason, sizeof next.reason);
    if (verdict->motion_count > 0)
        spell_modes(run, next.chosen, sizeof next.chosen);
    const SpragRunVerdict *now = &run->verdict;
    run->signature = outcome.signature;
    run->checked = t;
    if (run->has_verdict && now->kind == next.kind && now->solution_count == next.solution_count &&
        now->stable_count == next.stable_count && strcmp(now->chosen, next.chosen) == 0)
        return;
    end_verdict(run, t);
    run->verdict = next;
    run->has_verdict = true;
}

SpragStatus guides_forward_at(SpragGuidesRun *run, double t, const int *slip,
                              SpragGuidesVerdict *verdict)
{
    SpragGuides guides = run->guides;
    guides.slip = slip;
    guides.input = run->input;
    guides_input(run, t, run->input);
    run->loop.statistics.solves++;
    return sprag_guides_forward(run->context, run->arena, &guides, verdict);
}

static SpragStatus signature_at(SpragGuidesRun *run, double t, SpragGuidesVerdict *verdict,
                                uint64_t *signature)
{
    SpragOutcome outcome;
    sprag_arena_release(run->arena, run->mark);
    SPRAG_TRY(guides_forward_at(run, t, run->slip, verdict));
    sprag_guides_outcome(run->guides.m, verdict, &outcome);
    *signature = outcome.signature;
    return SPRAG_OK;
}

// Motions beside the present one appear and vanish without an event: found after a step, and
// located by bisection.
SpragStatus guides_watch(void *owner)
{
    SpragGuidesRun *run = owner;
    const double resolution = 1e-9;
    SpragGuidesVerdict verdict;
    uint64_t signature;
    double before = run->checked, after = run->loop.t;
    if (!run->problem.input || run->settings.compliant)
        return SPRAG_OK;
    SPRAG_TRY(signature_at(run, after, &verdict, &signature));
    if (signature != run->signature) {
        while (after - before > resolution * (1 + fabs(after))) {
            double middle = 0.5 * (before + after);
            SPRAG_TRY(signature_at(run, middle, &verdict, &signature));
            if (signature == run->signature)
                before = middle;
            else
                after = middle;
        }
        SPRAG_TRY(signature_at(run, after, &verdict, &signature));
        note_verdict(run, after, &verdict);
        return SPRAG_OK; // another change in the same step is found with the next one
    }
    run->checked = run->loop.t;
    return SPRAG_OK;
}

// ---- Which motion -------------------------------------------------------------------------------

// The motion on the present branch; −1: it is not there.
static int find_present(const SpragGuidesRun *run, const SpragGuidesVerdict *verdict)
{
    for (int i = 0; i < verdict->motion_count; i++) {
        const SpragGuidesMotion *motion = &verdict->motions[i];
        bool same = true;
        for (int j = 0; j < run->guides.m && same; j++)
            same = motion->slip[j] == run->slip[j] &&
                   (run->slip[j] == 0 || motion->sign[j] == run->sign[j]);
        if (same)
            return i;
    }
    return -1;
}

// The verdict now, or where that is on a border the one just after.
static SpragStatus look_ahead(SpragGuidesRun *run, const int *slip, SpragGuidesVerdict *verdict)
{
    double most = run->forced_event ? 1e-4 : 1e-6, t = run->loop.t;
    SpragOutcome now, later;
    run->decided = t;
    sprag_arena_release(run->arena, run->mark);
    SPRAG_TRY(guides_forward_at(run, t, slip, verdict));
    if (!run->problem.input)
        return SPRAG_OK;
    sprag_guides_outcome(run->guides.m, verdict, &now);
    double moment = 1e-9;
    while (moment <= most) {
        SpragGuidesVerdict next;
        double ahead = t + moment * (1 + fabs(t));
        SPRAG_TRY(guides_forward_at(run, ahead, slip, &next));
        sprag_guides_outcome(run->guides.m, &next, &later);
        bool left =
            run->forced_event ? find_present(run, &next) < 0 : later.signature != now.signature;
        if (left) {
            *verdict = next;
            run->decided = ahead;
            return SPRAG_OK;
        }
        moment *= 10;
    }
    return SPRAG_OK;
}

// Guides whose mode or branch changes, a bit each.
static unsigned changes_of(const SpragGuidesRun *run, const int *slip,
                           const SpragGuidesMotion *motion)
{
    unsigned changes = 0;
    for (int j = 0; j < run->guides.m; j++) {
        bool turns = run->loop.begun && slip[j] != 0 && slip[j] == run->slip[j] &&
                     motion->sign[j] != run->sign[j];
        if (motion->slip[j] != slip[j] || turns)
            changes |= 1u << j;
    }
    return changes;
}

// The stable motion whose changes are among those of every other one; −1: there is none.
static int choose(const SpragGuidesRun *run, const int *slip, const SpragGuidesVerdict *verdict)
{
    for (int i = 0; i < verdict->motion_count && verdict->kind != SPRAG_VERDICT_INFINITE; i++) {
        unsigned changes = changes_of(run, slip, &verdict->motions[i]);
        bool least = verdict->motions[i].stable;
        for (int k = 0; k < verdict->motion_count && least; k++) {
            unsigned other = changes_of(run, slip, &verdict->motions[k]);
            least = k == i || !verdict->motions[k].stable ||
                    ((changes & other) == changes && changes != other);
        }
        if (least)
            return i;
    }
    return -1;
}

static void give_up(SpragGuidesRun *run, const SpragGuidesVerdict *verdict, bool *ended,
                    SpragRunOutcome *outcome)
{
    *ended = true;
    if (verdict->motion_count == 0) {
        *outcome = SPRAG_RUN_NO_SOLUTION;
        guides_tell(run, SPRAG_EVENT_NO_SOLUTION, -1,
                    "no motion, and the guides are coupled: rigid bodies do not tell which "
                    "velocities jump; motion: compliant does");
    } else if (verdict->kind == SPRAG_VERDICT_INFINITE || verdict->stable_count > 1) {
        *outcome = SPRAG_RUN_AMBIGUOUS;
        guides_tell(run, SPRAG_EVENT_AMBIGUITY, -1, "%s: %d motions, %d of them stable",
                    verdict->kind == SPRAG_VERDICT_INFINITE ? "a continuum of motions"
                                                            : "none continues the present one",
                    verdict->motion_count, verdict->stable_count);
    } else {
        *outcome = SPRAG_RUN_UNSTABLE;
        guides_tell(run, SPRAG_EVENT_UNSTABLE, -1, "no motion is stable");
    }
}

// ---- Jam of a coordinate alone ------------------------------------------------------------------

// Whether coordinate i shares neither inertia nor a guide with another one; its guides into list.
static int guides_of_alone(const SpragGuides *guides, int i, int *list)
{
    int n = guides->n, m = guides->m, count = 0;
    for (int k = 0; k < n; k++)
        if (k != i && guides->A[i * n + k] != 0)
            return -1;
    for (int j = 0; j < m; j++) {
        bool mine = guides->C[j * n + i] != 0, others = false;
        for (int k = 0; k < n; k++) {
            double e = guides->direction ? guides->direction[k * m + j] : k == j;
            mine |= k == i && e != 0;
            others |= k != i && (e != 0 || guides->C[j * n + k] != 0);
        }
        if (mine && others)
            return -1;
        if (mine)
            list[count++] = j;
    }
    return count;
}

// The problem of coordinate i and its guides: has it a motion?
static SpragStatus has_motion(SpragGuidesRun *run, int i, int count, const int *list,
                              const int *slip, bool *has)
{
    const SpragGuides *all = &run->guides;
    double C[MOST], d[MOST], mu[MOST], E[MOST];
    int signs[MOST];
    SpragGuidesVerdict verdict;
    for (int k = 0; k < count; k++) {
        int j = list[k];
        C[k] = all->C[j * all->n + i];
        d[k] = all->d[j];
        mu[k] = all->friction[j];
        E[k] = all->direction ? all->direction[i * all->m + j] : i == j;
        signs[k] = slip[j];
    }
    guides_input(run, run->decided, run->input);
    SpragGuides one = {.n = 1,
                       .m = count,
                       .A = &all->A[i * all->n + i],
                       .b = &all->b[i],
                       .C = C,
                       .d = d,
                       .friction = mu,
                       .direction = E,
                       .velocity = &run->loop.y[all->n + i],
                       .input = &run->input[i],
                       .slip = signs};
    SPRAG_TRY(sprag_guides_forward(run->context, run->arena, &one, &verdict));
    *has = verdict.motion_count > 0;
    return SPRAG_OK;
}

// Stops every coordinate that is alone and has no motion (9.28); *jammed: how many, with the speed
// of each in speeds (0: goes on).
static SpragStatus jam_alone(SpragGuidesRun *run, int *slip, double *speeds, int *jammed)
{
    int n = run->guides.n, list[MOST];
    double kinetic, potential, *y = run->loop.y;
    *jammed = 0;
    for (int i = 0; i < n; i++) {
        int count = guides_of_alone(&run->guides, i, list);
        bool has = true;
        speeds[i] = 0;
        if (count <= 0 || y[n + i] == 0)
            continue;
        SPRAG_TRY(has_motion(run, i, count, list, slip, &has));
        if (has)
            continue;
        double energy = guides_energy(run, y, &kinetic, &potential);
        speeds[i] = y[n + i];
        y[n + i] = 0;
        run->impact += energy - guides_energy(run, y, &kinetic, &potential);
        for (int k = 0; k < count; k++)
            slip[list[k]] = 0;
        ++*jammed;
    }
    return SPRAG_OK;
}

static void tell_jams(SpragGuidesRun *run, const double *speeds)
{
    int list[MOST];
    for (int i = 0; i < run->guides.n; i++) {
        if (speeds[i] == 0)
            continue;
        int count = guides_of_alone(&run->guides, i, list), slip = 0;
        for (int k = 0; k < count; k++) {
            double e = run->guides.direction ? run->guides.direction[i * run->guides.m + list[k]]
                                             : i == list[k];
            slip = run->slip[list[k]] != 0 ? run->slip[list[k]] * sign_of(e) : slip;
        }
        guides_tell(run, SPRAG_EVENT_JAM, list[0],
                    "coordinate %d jams: no motion at velocity %.6g, which jumps to 0; then it %s",
                    i + 1, speeds[i],
                    slip == 0  ? "is held"
                    : slip > 0 ? "starts forward"
                               : "starts back");
    }
}

// ---- The decision -------------------------------------------------------------------------------

// Slips as they are now; what an event ended, or what stuck, rests.
static void find_slips(const SpragGuidesRun *run, int *slip)
{
    const double rounding = 1e-14;
    const SpragGuides *guides = &run->guides;
    const double *v = run->loop.y + guides->n;
    for (int j = 0; j < guides->m; j++) {
        double size = 0, speed = guides_slip(run, j, v);
        for (int i = 0; i < guides->n; i++)
            size +=
                fabs((guides->direction ? guides->direction[i * guides->m + j] : i == j) * v[i]);
        bool rests = run->loop.begun && (run->slip[j] == 0 || run->ended[j]);
        slip[j] = rests || fabs(speed) <= rounding * size ? 0 : sign_of(speed);
    }
}

static const char *side(int direction)
{
    return direction > 0 ? "forward" : "back";
}

static void tell_changes(SpragGuidesRun *run, const int *before, const int *now_slip)
{
    for (int j = 0; j < run->guides.m; j++) {
        bool ended = before[j] != 0 && now_slip[j] == 0;
        if (ended && run->slip[j] == 0)
            guides_tell(run, SPRAG_EVENT_STICK, j, "guide %d: the slip ends, friction holds",
                        j + 1);
        else if (ended && run->slip[j] != before[j])
            guides_tell(run, SPRAG_EVENT_SLIP_REVERSAL, j, "guide %d: the slip turns, now %s",
                        j + 1, side(run->slip[j]));
        else if (before[j] == 0 && now_slip[j] == 0 && run->slip[j] != 0)
            guides_tell(run, SPRAG_EVENT_SLIP_START, j, "guide %d starts %s: friction cannot hold",
                        j + 1, side(run->slip[j]));
    }
}

static void take(SpragGuidesRun *run, const SpragGuidesMotion *motion)
{
    for (int j = 0; j < run->guides.m; j++) {
        run->slip[j] = motion->slip[j];
        run->sign[j] = motion->sign[j];
    }
}

static SpragStatus decide_rigid(SpragGuidesRun *run, bool *ended, SpragRunOutcome *outcome)
{
    SpragGuidesVerdict verdict;
    int before[MOST], slip[MOST], jammed = 0;
    double speeds[MOST] = {0};
    memcpy(before, run->slip, sizeof before);
    find_slips(run, slip);
    if (!run->loop.begun)
        memcpy(before, slip, sizeof before);
    SPRAG_TRY(look_ahead(run, slip, &verdict));
    if (verdict.motion_count == 0) {
        note_verdict(run, run->loop.t, &verdict);
        SPRAG_TRY(jam_alone(run, slip, speeds, &jammed));
        run->forced_event = false;
        if (jammed > 0)
            SPRAG_TRY(look_ahead(run, slip, &verdict));
    }
    int index = choose(run, slip, &verdict);
    if (index < 0) {
        note_verdict(run, run->loop.t, &verdict);
        give_up(run, &verdict, ended, outcome);
        return SPRAG_OK;
    }
    take(run, &verdict.motions[index]);
    note_verdict(run, run->loop.t, &verdict);
    if (jammed > 0) {
        tell_jams(run, speeds);
        for (int j = 0; j < run->guides.m; j++) // told with the jam
            before[j] = slip[j] == 0 && before[j] != 0 && !run->ended[j] ? run->slip[j] : before[j];
    }
    tell_changes(run, before, slip);
    if (guides_freeze(run))
        return SPRAG_OK;
    *ended = true;
    *outcome = SPRAG_RUN_AMBIGUOUS;
    guides_tell(run, SPRAG_EVENT_AMBIGUITY, -1,
                "friction of guides that hold each other is not determined");
    return SPRAG_OK;
}

SpragStatus guides_decide(void *owner, bool *ended, SpragRunOutcome *outcome)
{
    SpragGuidesRun *run = owner;
    SpragStatus status = SPRAG_OK;
    *ended = false;
    if (run->settings.compliant)
        guides_decide_compliant(run);
    else
        status = decide_rigid(run, ended, outcome);
    memset(run->ended, 0, sizeof run->ended);
    memset(run->left, 0, sizeof run->left);
    run->forced_event = false;
    return status;
}
