// scalar_forward.c: every motion of a pair at a state: the tables of theory.md 9.1.
// Problem   a_i q_i'' + b_i + row_i(s) X = tau_i, q_1'' = g' q_2'' + g'' q_2'²; s = sgn X sgn q_r'
// Method    elimination of the accelerations gives D_s X = U with U = a_1 a_2 u of (9.9), the same
//           for both branches, and D_s = a_1 a_2 h_s of (9.8). Branch s holds while it slips iff
//           s sgn(q_r') U/D_s > 0, so signs of D_+, D_-, U and q_r' give the number of motions. At
//           rest a start takes the direction of its own q_r'' and must have sgn q_r' = sgn q_r''.
// Borders   U = 0: both branches meet at X = 0, one motion; D_s = 0 too: a continuum. Zero means
//           small beside the terms of the sum (settings.tolerance).
// Assumes   a checked pair; a_2 = 0 is allowed (c = 0): then X does not depend on tau_1.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scalar_private.h"

SpragPairSettings sprag_pair_default(void)
{
    SpragPairSettings settings = {.tolerance = 1e-12, .cookie = PAIR_COOKIE};
    return settings;
}

static int sign_of(double x)
{
    return (x > 0) - (x < 0);
}

// A sum of two terms, 0 if it is rounding noise beside them.
static double clean_sum(double x, double y, double tolerance)
{
    double sum = x + y;
    return fabs(sum) <= tolerance * (fabs(x) + fabs(y)) ? 0 : sum;
}

Branch pair_branch(const SpragPair *pair, int s, double g1, double tolerance)
{
    Branch branch;
    double mu = s * pair->friction;
    branch.normal = 1 / (pair->x_normal + mu * pair->x_friction);
    for (int i = 0; i < 2; i++)
        branch.row[i] = clean_sum(pair->c[i], mu * pair->d[i], tolerance) * branch.normal;
    branch.D = clean_sum(pair->a[1] * branch.row[0], -g1 * pair->a[0] * branch.row[1], tolerance);
    return branch;
}

void pair_hold(const SpragPair *pair, const double tau[2], double *normal, double *friction)
{
    double r1 = tau[0] - pair->b[0], r2 = tau[1] - pair->b[1];
    double determinant = pair->c[0] * pair->d[1] - pair->c[1] * pair->d[0];
    *normal = (r1 * pair->d[1] - r2 * pair->d[0]) / determinant;
    *friction = (pair->c[0] * r2 - pair->c[1] * r1) / determinant;
}

double pair_held_rate(const SpragPair *pair, double g1)
{
    double K_normal = 0, K_friction = 0;
    if (pair->a[1] == 0)
        return INFINITY;
    for (int i = 0; i < 2; i++) {
        K_normal += pair->slip[i] * pair->c[i] / pair->a[i];
        K_friction += pair->slip[i] * pair->d[i] / pair->a[i];
    }
    double phi = -K_normal / K_friction; // df/dF with q_r'' = 0
    double h = (pair->c[0] + pair->d[0] * phi) / pair->a[0] -
               g1 * (pair->c[1] + pair->d[1] * phi) / pair->a[1];
    return h / (pair->x_normal + pair->x_friction * phi);
}

bool pair_band(const SpragPair *pair, double tau2, double *low, double *high)
{
    double at[2] = {0, tau2}, F0, f0, F1, f1, ends[2];
    pair_hold(pair, at, &F0, &f0);
    at[0] = 1;
    pair_hold(pair, at, &F1, &f1);
    F1 -= F0;
    f1 -= f0;
    for (int i = 0; i < 2; i++) { // f = ± mu F
        double mu = i == 0 ? pair->friction : -pair->friction;
        double slope = f1 - mu * F1;
        ends[i] = slope == 0 ? INFINITY : -(f0 - mu * F0) / slope;
    }
    *low = fmin(ends[0], ends[1]);
    *high = fmax(ends[0], ends[1]);
    return fabs(f1) < pair->friction * fabs(F1);
}

double sprag_pair_growth(double rate, double stiffness, double damping)
{
    if (!(rate < 0))
        return 0;
    double h = -rate;
    return 0.5 * (h * damping + sqrt(h * h * damping * damping + 4 * h * stiffness));
}

void sprag_pair_forces(const SpragPair *pair, double layer, int direction, const double tau[2],
                       double *normal, double *friction)
{
    if (direction != 0) {
        double mu = (layer < 0 ? -direction : direction) * pair->friction;
        *normal = layer / (pair->x_normal + mu * pair->x_friction);
        *friction = mu * *normal;
        return;
    }
    double K_normal = 0, K_friction = 0, drive = 0;
    for (int i = 0; i < 2; i++) {
        double share = pair->slip[i] / pair->a[i];
        if (pair->slip[i] == 0)
            continue;
        K_normal += share * pair->c[i];
        K_friction += share * pair->d[i];
        drive += share * (tau[i] - pair->b[i]);
    }
    double determinant = pair->x_normal * K_friction - pair->x_friction * K_normal;
    *normal = (layer * K_friction - pair->x_friction * drive) / determinant;
    *friction = (pair->x_normal * drive - K_normal * layer) / determinant;
}

// ---- One state ----------------------------------------------------------------------------------

typedef struct Search {
    const SpragPair *pair;
    const SpragPairState *state;
    double tolerance;
    double g1, bend;    // g' and g'' q_2'²
    double U;           // 0 within the tolerance
    Branch branches[2]; // s = +1, -1
    SpragPairVerdict *verdict;
} Search;

static void accelerations(const Search *search, const Branch *branch, double X, double q[2])
{
    const SpragPair *pair = search->pair;
    const double *tau = search->state->input;
    q[0] = (tau[0] - pair->b[0] - branch->row[0] * X) / pair->a[0];
    // the row with the larger share of its coordinate; q_2 of a guide with c = 0 has no row
    if (pair->a[1] > 0 && pair->second > 0)
        q[1] = (tau[1] - pair->b[1] - branch->row[1] * X) / pair->a[1];
    else
        q[1] = (q[0] - search->bend) / search->g1;
}

// q_r'', 0 if it is rounding noise beside the terms of the first row.
static double slip_acceleration(const Search *search, const Branch *branch, double X,
                                const double q[2])
{
    const SpragPair *pair = search->pair;
    double scale = 0, sum = 0;
    for (int i = 0; i < 2; i++) {
        sum += pair->slip[i] * q[i];
        if (pair->slip[i] != 0 && pair->a[i] > 0)
            scale += fabs(pair->slip[i] / pair->a[i]) *
                     (fabs(search->state->input[i]) + fabs(pair->b[i]) + fabs(branch->row[i] * X));
    }
    return fabs(sum) <= 4 * search->tolerance * scale ? 0 : sum;
}

static void judge(const Search *search, SpragPairMotion *motion, double D)
{
    const SpragPair *pair = search->pair;
    motion->stable = motion->branch == 0 ? !(motion->layer_rate < 0) : D > 0;
    motion->stability = motion->stable ? SPRAG_STABLE : SPRAG_DIVERGENT;
    if (motion->stable)
        return;
    motion->growth_unit = sqrt(fabs(motion->layer_rate));
    motion->growth = pair->stiffness > 0
                         ? sprag_pair_growth(motion->layer_rate, pair->stiffness, pair->damping)
                         : NAN;
}

static SpragPairMotion *add_slide(Search *search, int s, int direction, double X)
{
    const SpragPair *pair = search->pair;
    const Branch *branch = &search->branches[s > 0 ? 0 : 1];
    SpragPairMotion motion = {.direction = direction, .branch = s, .layer = X};
    accelerations(search, branch, X, motion.acceleration);
    motion.normal = pair->normal_sign * branch->normal * X;
    motion.friction = s * pair->friction * branch->normal * X;
    motion.layer_rate =
        pair->a[1] > 0 ? branch->D / (pair->a[0] * pair->a[1]) : copysign(INFINITY, branch->D);
    motion.inertia = -branch->D / branch->row[1] / (pair->output == 0 ? search->g1 : 1);
    judge(search, &motion, branch->D);
    SpragPairVerdict *verdict = search->verdict;
    verdict->motions[verdict->motion_count] = motion;
    return &verdict->motions[verdict->motion_count++];
}

// Whether friction can hold: |f| ≤ mu |F|, up to rounding.
static bool can_hold(const Search *search, double *normal, double *friction)
{
    const SpragPair *pair = search->pair;
    const double *tau = search->state->input;
    pair_hold(pair, tau, normal, friction);
    double determinant = fabs(pair->c[0] * pair->d[1] - pair->c[1] * pair->d[0]);
    double terms = 0;
    for (int i = 0; i < 2; i++)
        terms += (fabs(tau[i]) + fabs(pair->b[i])) *
                 (fabs(pair->c[1 - i]) + pair->friction * fabs(pair->d[1 - i])) / determinant;
    return fabs(*friction) - pair->friction * fabs(*normal) <= 4 * search->tolerance * terms;
}

static void fill_held(const Search *search, SpragPairMotion *motion)
{
    const SpragPair *pair = search->pair;
    SpragPairMotion held = {.inertia = INFINITY};
    double normal;
    pair_hold(pair, search->state->input, &normal, &held.friction);
    held.normal = pair->normal_sign * normal;
    held.layer = pair->x_normal * normal + pair->x_friction * held.friction;
    held.layer_rate = pair_held_rate(pair, search->g1);
    judge(search, &held, held.layer_rate);
    *motion = held;
}

static void add_held(Search *search)
{
    double normal, friction;
    if (!can_hold(search, &normal, &friction))
        return;
    fill_held(search, &search->verdict->motions[search->verdict->motion_count++]);
    search->verdict->held = true;
}

// X = 0 on both branches, unless one of them is flat: then X is anything of its sign.
static void meet(Search *search, int direction)
{
    double q[2];
    const Branch *branch = &search->branches[0];
    accelerations(search, branch, 0, q);
    double start = slip_acceleration(search, branch, 0, q);
    for (int k = 0; k < 2; k++) {
        int s = k == 0 ? 1 : -1;
        if (search->branches[k].D != 0)
            continue;
        // at rest: X = s sigma x with sigma q_r'' > 0 for some x > 0; q_r'' = start + slope X
        accelerations(search, &search->branches[k], 1, q);
        double slope = search->pair->slip[0] * q[0] + search->pair->slip[1] * q[1] - start;
        bool grows = s * slope > 0;
        if (direction == 0 && start == 0 && !grows)
            continue;
        int sigma = direction != 0 ? direction : start != 0 ? sign_of(start) : 1;
        double X = direction != 0 || start != 0 ? 0 : s * sigma;
        add_slide(search, s, sigma, X)->continuum = true;
        search->verdict->kind = SPRAG_VERDICT_INFINITE;
        return;
    }
    int s = search->branches[0].D > 0 ? 1 : -1;
    if (direction != 0)
        add_slide(search, s, direction, 0);
    else if (start != 0)
        add_slide(search, s, sign_of(start), 0);
}

static void slide(Search *search, int direction)
{
    if (search->U == 0) {
        meet(search, direction);
        return;
    }
    for (int k = 0; k < 2; k++) {
        int s = k == 0 ? 1 : -1;
        const Branch *branch = &search->branches[k];
        double q[2], X = search->U / branch->D;
        if (branch->D == 0)
            continue;
        if (direction != 0) {
            if (s * direction * X > 0)
                add_slide(search, s, direction, X);
            continue;
        }
        accelerations(search, branch, X, q);
        int start = sign_of(slip_acceleration(search, branch, X, q));
        if (start != 0 && s * start * X > 0)
            add_slide(search, s, start, X);
    }
}

// ---- The verdict --------------------------------------------------------------------------------

static void choose(SpragPairVerdict *verdict)
{
    verdict->chosen = -1;
    for (int i = 0; i < verdict->motion_count; i++) {
        const SpragPairMotion *motion = &verdict->motions[i];
        verdict->stable_count += motion->stable;
        if (motion->branch == 0 && motion->stable && verdict->kind != SPRAG_VERDICT_INFINITE)
            verdict->chosen = i; // what rests stays
    }
    if (verdict->kind == SPRAG_VERDICT_INFINITE)
        return;
    if (verdict->motion_count == 0)
        verdict->kind = SPRAG_VERDICT_NONE;
    else
        verdict->kind = verdict->motion_count == 1 ? SPRAG_VERDICT_UNIQUE : SPRAG_VERDICT_MULTIPLE;
    if (verdict->chosen >= 0 || verdict->stable_count != 1)
        return;
    for (int i = 0; i < verdict->motion_count; i++)
        if (verdict->motions[i].stable)
            verdict->chosen = i;
}

static void explain(SpragPairVerdict *verdict)
{
    int count = verdict->motion_count;
    const char *why;
    if (verdict->kind == SPRAG_VERDICT_INFINITE)
        why =
            "one branch is flat and the input is the critical one: any acceleration on it will do";
    else if (count == 0)
        why = verdict->direction == 0
                  ? "no motion fits"
                  : "one branch falls and the input is beyond the critical one: it jams, its "
                    "velocity jumps to zero";
    else if (verdict->direction == 0 && count == 1)
        why = verdict->held ? "friction can hold it, and nothing else is possible"
                            : "the input exceeds what friction can hold";
    else if (verdict->direction == 0 && verdict->held)
        why = "friction can hold it, but it may also start against the input: one branch falls";
    else if (count == 1)
        why = verdict->unique_for_every_input
                  ? "both branches rise: friction is below its critical value (9.4)"
                  : "one branch only fits the signs";
    else
        why =
            "friction is above its critical value (9.4): one branch falls, and both meet the input";
    snprintf(verdict->reason, sizeof verdict->reason, "%s", why);
}

static void begin(Search *search, const SpragPair *pair, const SpragPairState *state)
{
    double g[3];
    sprag_pair_ratio(pair, state->position, g);
    search->g1 = g[1];
    search->bend = g[2] * state->velocity * state->velocity;
    for (int k = 0; k < 2; k++)
        search->branches[k] = pair_branch(pair, k == 0 ? 1 : -1, g[1], search->tolerance);
    const double *a = pair->a, *b = pair->b, *tau = state->input;
    double terms[] = {a[1] * tau[0], -a[1] * b[0], -g[1] * a[0] * tau[1], g[1] * a[0] * b[1],
                      -a[0] * a[1] * search->bend};
    double sum = 0, scale = 0;
    for (int i = 0; i < 5; i++) {
        sum += terms[i];
        scale += fabs(terms[i]);
    }
    search->U = fabs(sum) <= 4 * search->tolerance * scale ? 0 : sum;
    SpragPairVerdict *verdict = search->verdict;
    verdict->excess = search->U;
    verdict->tau_cr = a[1] > 0 ? b[0] + a[0] * (g[1] * (tau[1] - b[1]) / a[1] + search->bend) : NAN;
    verdict->direction = sign_of((pair->slip[0] * g[1] + pair->slip[1]) * state->velocity);
    verdict->unique_for_every_input = search->branches[0].D > 0 && search->branches[1].D > 0;
    verdict->band_outside = pair_band(pair, tau[1], &verdict->band_low, &verdict->band_high);
}

void sprag_pair_forward(const SpragPair *pair, const SpragPairState *state,
                        const SpragPairSettings *settings, SpragPairVerdict *verdict)
{
    double normal, friction;
    Search search = {.pair = pair, .state = state, .verdict = verdict};
    search.tolerance = settings ? settings->tolerance : sprag_pair_default().tolerance;
    memset(verdict, 0, sizeof *verdict);
    verdict->kind = SPRAG_VERDICT_NONE;
    begin(&search, pair, state);
    verdict->in_band = can_hold(&search, &normal, &friction);
    if (verdict->direction == 0)
        add_held(&search);
    slide(&search, verdict->direction);
    choose(verdict);
    verdict->jam = verdict->direction != 0 && verdict->motion_count == 0;
    explain(verdict);
}

void sprag_pair_evaluate(const SpragPair *pair, const SpragPairState *state, int direction,
                         int branch, SpragPairMotion *motion)
{
    SpragPairVerdict verdict = {0};
    Search search = {.pair = pair, .state = state, .verdict = &verdict};
    begin(&search, pair, state);
    if (branch != 0) {
        add_slide(&search, branch, direction, search.U / search.branches[branch > 0 ? 0 : 1].D);
    } else {
        fill_held(&search, &verdict.motions[0]);
    }
    *motion = verdict.motions[0];
}
