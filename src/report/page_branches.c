// page_branches.c: where several motions obey the laws of contact, each of them followed for a
// while.
// Problem   M q'' + h = u + Jᵀ λ with the modes of one motion frozen (theory.md 3.2): what happens
//           if it is that one, and for how long it lasts
// Method    classical Runge–Kutta steps; at every stage the forces are those of the only motion in
//           these modes. A step after which there is none, or a contact has closed, is halved
//           until the end of the branch is found; what has come to its limit there is the reason.
// Assumes   that the run's system may be evaluated at other states between two of its steps: no
//           contact is appended by that, and what the run holds on to stays held.
#include <float.h>
#include <math.h>
#include <string.h>

#include "page.h"

enum {
    FRAMES = 16,      // poses that are kept of a branch
    STEPS = 4,        // between two of them
    HALVINGS = 16,    // of a step at the end of a branch
    MOST_SHOWN = 4,   // branches of one instant
    MOST_STARTS = 40, // instants of a run
    MOST_BODIES = 24  // with more the branches are left out
};

static bool is_slide(SpragMode mode)
{
    return mode == SPRAG_MODE_SLIDE_PLUS || mode == SPRAG_MODE_SLIDE_MINUS ||
           mode == SPRAG_MODE_SLIDE;
}

// ---- Room ---------------------------------------------------------------------------------------

typedef struct Branch {
    SpragPage *page;
    PageBranches *work;
    int positions, velocities;
    int count; // contacts of the problem that several motions obey
    const int *slots;
    const SpragMode *modes;
    const bool *sliding; // at the start
    // the state, and where a step leads
    double t, *q, *v, *a, *next_q, *next_v, *next_a;
    double *k_q[4], *k_v[4]; // stages
    // of the last state that the motion could be found at
    double *force; // of each contact: what presses it, and its friction
    double first_force;
} Branch;

static SpragStatus make_room(PageBranches *work, SpragPage *page, Branch *branch)
{
    size_t n = (size_t)branch->positions, m = (size_t)branch->velocities;
    size_t contacts = (size_t)branch->count,
           slots = (size_t)sprag_system_contact_count(page->system);
    size_t needed = 6 * n + 8 * m + 2 * contacts + 8;
    SpragContext *context = page->context;
    SPRAG_TRY(sprag_reserve(context, &work->numbers, &work->number_capacity, needed,
                            sizeof *work->numbers));
    SPRAG_TRY(sprag_reserve(context, &work->kinematics, &work->kinematics_capacity, slots + 1,
                            sizeof *work->kinematics));
    SPRAG_TRY(sprag_reserve(context, &work->active, &work->active_capacity, contacts + 1,
                            sizeof *work->active));
    SPRAG_TRY(sprag_reserve(context, &work->slides, &work->slide_capacity, contacts + 1,
                            sizeof *work->slides));
    if (!work->search)
        SPRAG_TRY(sprag_motion_search_create(context, &work->search));
    double *at = work->numbers, **places[] = {&branch->q,      &branch->next_q, &branch->k_q[0],
                                              &branch->k_q[1], &branch->k_q[2], &branch->k_q[3]};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++, at += n)
        *places[i] = at;
    double **speeds[] = {&branch->v,      &branch->next_v, &branch->a,      &branch->next_a,
                         &branch->k_v[0], &branch->k_v[1], &branch->k_v[2], &branch->k_v[3]};
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++, at += m)
        *speeds[i] = at;
    branch->force = at;
    return SPRAG_OK;
}

void page_branches_init(PageBranches *work, SpragContext *context)
{
    sprag_text_init(&work->text, context);
    sprag_contact_problem_init(&work->problem, context);
    work->next = -INFINITY;
}

void page_branches_destroy(PageBranches *work, SpragContext *context)
{
    void *const arrays[] = {work->numbers, work->kinematics, work->active,
                            work->slides,  work->modes,      work->chosen};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        sprag_free(context, arrays[i]);
    sprag_motion_search_destroy(work->search);
    sprag_contact_problem_destroy(&work->problem);
    sprag_text_destroy(&work->text);
}

// ---- The right-hand side ------------------------------------------------------------------------

static double slip_of(const SpragContactKinematics *k)
{
    return sprag_length(SPRAG_CONSTRAINT_WAYS, k->slip);
}

// Contacts that are closed in this motion, and whether they slip; false: another one has closed.
static bool choose_active(Branch *branch, const SpragContactTolerances *tolerances, int *count)
{
    const PageBranches *work = branch->work;
    int slots = sprag_system_contact_count(branch->page->system), next = 0;
    const double slack = 10; // times the tolerance: the rounding of a gap that opens from 0
    *count = 0;
    for (int slot = 0; slot < slots; slot++) {
        while (next < branch->count && branch->slots[next] < slot)
            next++;
        bool known = next < branch->count && branch->slots[next] == slot;
        SpragMode mode = known ? branch->modes[next] : SPRAG_MODE_SEPARATE;
        const SpragContactKinematics *k = &work->kinematics[slot];
        if (mode == SPRAG_MODE_SEPARATE) {
            if (k->gap < -slack * tolerances->gap)
                return false;
            continue;
        }
        bool slips = slip_of(k) > tolerances->slip;
        work->slides[*count] =
            is_slide(mode) ? slips : mode == SPRAG_MODE_CLOSED && branch->sliding[next] && slips;
        work->modes[*count] = mode;
        work->active[(*count)++] = slot;
    }
    return true;
}

static void keep_forces(Branch *branch, const SpragMotion *motion)
{
    const SpragContactProblem *problem = &branch->work->problem;
    for (int i = 0; i < 2 * branch->count; i++)
        branch->force[i] = 0;
    for (int c = 0; c < problem->constraint_count; c++) {
        const SpragConstraint *item = &problem->constraints[c];
        int normals = sprag_constraint_normals(item), tangents = item->row_count - normals;
        const double *friction = motion->force + item->row + normals;
        for (int k = 0; k < branch->count; k++) {
            if (branch->slots[k] != item->id)
                continue;
            branch->force[2 * k] = sprag_constraint_pressure(item, motion->force);
            branch->force[2 * k + 1] = tangents > 0 ? sprag_length(tangents, friction) : 0;
        }
    }
}

// q'' of the motion at a state; *found false: it is not there any more.
static SpragStatus accelerate(Branch *branch, double t, const double *q, const double *v, double *a,
                              bool *found)
{
    SpragPage *page = branch->page;
    PageBranches *work = branch->work;
    SpragMotionSettings settings = sprag_motion_default();
    SpragContactTolerances tolerances = sprag_system_tolerances(page->system, v);
    SpragMotionSet set;
    int count;
    *found = false;
    SPRAG_TRY(sprag_system_kinematics(page->system, t, q, v, &tolerances, work->kinematics));
    if (!choose_active(branch, &tolerances, &count))
        return SPRAG_OK;
    SPRAG_TRY(sprag_system_build_active(page->system, t, q, v, count, work->active, work->slides,
                                        &work->problem));
    size_t constraints = (size_t)work->problem.constraint_count;
    SPRAG_TRY(sprag_reserve(page->context, &work->chosen, &work->chosen_capacity, constraints + 1,
                            sizeof *work->chosen));
    for (size_t i = 0; i < constraints; i++)
        work->chosen[i] = i < (size_t)count ? work->modes[i] : SPRAG_MODE_CLOSED;
    settings.modes = work->chosen;
    SPRAG_TRY(sprag_motion_search_run(work->search, &work->problem, &settings, &set));
    if (set.count == 0)
        return SPRAG_OK;
    sprag_contact_problem_acceleration(&work->problem, set.motions->force, a);
    keep_forces(branch, set.motions);
    *found = true;
    return SPRAG_OK;
}

// ---- Steps --------------------------------------------------------------------------------------

// The state at the end of a step from the present one; *found: the motion is there at all stages.
static SpragStatus step(Branch *branch, double h, bool *found)
{
    static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    SpragSystem *system = branch->page->system;
    size_t n = (size_t)branch->positions, m = (size_t)branch->velocities;
    memcpy(branch->k_v[0], branch->a, m * sizeof(double));
    sprag_system_position_rate(system, branch->q, branch->v, branch->k_q[0]);
    for (int stage = 1; stage < 4; stage++) {
        double dt = node[stage] * h;
        for (size_t i = 0; i < n; i++)
            branch->next_q[i] = branch->q[i] + dt * branch->k_q[stage - 1][i];
        for (size_t i = 0; i < m; i++)
            branch->next_v[i] = branch->v[i] + dt * branch->k_v[stage - 1][i];
        sprag_system_position_normalise(system, branch->next_q);
        SPRAG_TRY(accelerate(branch, branch->t + dt, branch->next_q, branch->next_v,
                             branch->k_v[stage], found));
        if (!*found)
            return SPRAG_OK;
        sprag_system_position_rate(system, branch->next_q, branch->next_v, branch->k_q[stage]);
    }
    memcpy(branch->next_q, branch->q, n * sizeof(double));
    memcpy(branch->next_v, branch->v, m * sizeof(double));
    for (int stage = 0; stage < 4; stage++) {
        for (size_t i = 0; i < n; i++)
            branch->next_q[i] += h / 6 * weight[stage] * branch->k_q[stage][i];
        for (size_t i = 0; i < m; i++)
            branch->next_v[i] += h / 6 * weight[stage] * branch->k_v[stage][i];
    }
    sprag_system_position_normalise(system, branch->next_q);
    return accelerate(branch, branch->t + h, branch->next_q, branch->next_v, branch->next_a, found);
}

static void take_step(Branch *branch, double h)
{
    branch->t += h;
    memcpy(branch->q, branch->next_q, (size_t)branch->positions * sizeof(double));
    memcpy(branch->v, branch->next_v, (size_t)branch->velocities * sizeof(double));
    memcpy(branch->a, branch->next_a, (size_t)branch->velocities * sizeof(double));
}

// Goes on for h; false: the branch ended on the way, and the state is that of its end.
static SpragStatus go_on(Branch *branch, double h, bool *whole)
{
    SPRAG_TRY(step(branch, h, whole));
    if (*whole) {
        take_step(branch, h);
        return SPRAG_OK;
    }
    for (int i = 0; i < HALVINGS; i++) {
        bool found;
        h /= 2;
        SPRAG_TRY(step(branch, h, &found));
        if (found)
            take_step(branch, h);
    }
    bool again; // forces and kinematics of the end
    SPRAG_TRY(accelerate(branch, branch->t, branch->q, branch->v, branch->a, &again));
    return SPRAG_OK;
}

// ---- Why it ended -------------------------------------------------------------------------------

typedef struct Reason {
    const char *words;
    int slot;
    double share; // what it is nearest to: 0 at the limit
} Reason;

static void weigh(Reason *best, const char *words, int slot, double share)
{
    if (share < best->share)
        *best = (Reason){words, slot, share};
}

static Reason find_reason(const Branch *branch)
{
    const PageBranches *work = branch->work;
    double size = sprag_model_size(branch->page->model);
    SpragContactTolerances tolerances = sprag_system_tolerances(branch->page->system, branch->v);
    Reason best = {"it is no solution any more", -1, 0.02};
    double largest = 0;
    for (int k = 0; k < branch->count; k++) {
        const SpragContactKinematics *about = &work->kinematics[branch->slots[k]];
        const double *force = branch->force + (size_t)(2 * k);
        double tangential = force[1];
        largest = fmax(largest, force[0]);
        if (branch->modes[k] == SPRAG_MODE_SEPARATE)
            continue;
        double most = about->friction_static * force[0];
        if (branch->modes[k] == SPRAG_MODE_STICK && most > 0)
            weigh(&best, "friction used up", branch->slots[k], 1 - tangential / most);
        if (is_slide(branch->modes[k]))
            weigh(&best, "slip stops", branch->slots[k], slip_of(about) / (1e6 * tolerances.slip));
        if (branch->first_force > 0)
            weigh(&best, "lets go", branch->slots[k], force[0] / branch->first_force);
    }
    for (int slot = 0; slot < sprag_system_contact_count(branch->page->system); slot++) {
        const SpragContactKinematics *about = &work->kinematics[slot];
        if (about->gap_rate < 0 && fabs(about->gap) < 1e-6 * size &&
            about->state != SPRAG_CONTACT_RESTING)
            weigh(&best, "closes", slot, fabs(about->gap) / size);
    }
    if (branch->first_force > 0 && largest > 100 * branch->first_force)
        best = (Reason){"its force grows without limit", -1, 0};
    return best;
}

// ---- Telling ------------------------------------------------------------------------------------

static void add_frame(SpragText *text, const Branch *branch)
{
    const SpragPage *page = branch->page;
    int width = sprag_system_dimension(page->system) == 3 ? 7 : 3;
    bool filled = false;
    sprag_text_add(text, "[");
    for (int body = 0; body < page->model->body_count; body++) {
        int at = sprag_system_body_position(page->system, body);
        double told[7], rates[6];
        const double *place = at < 0 ? told : branch->q + at;
        if (at < 0 && !page->model->bodies[body].driven)
            continue;
        if (at < 0)
            sprag_system_driven_state(page->system, body, branch->t, told, rates);
        for (int i = 0; i < width; i++, filled = true)
            sprag_text_add(text, "%s%.7g", filled ? "," : "", place[i]);
    }
    sprag_text_add(text, "]");
}

static void add_end(SpragText *text, const Branch *branch, double lasted, bool whole)
{
    sprag_text_add(text, "],\"lasted\":%.7g", lasted);
    if (whole)
        return;
    Reason reason = find_reason(branch);
    sprag_text_add(text, ",\"end\":");
    page_json_text(text, reason.words);
    sprag_text_add(text, ",\"contact\":%d", reason.slot);
}

// The state of the sample; contacts that a layer lets in are put where rigid ones would be.
static SpragStatus set_out(Branch *branch, const SpragRunSample *sample)
{
    SpragSystem *system = branch->page->system;
    double residual;
    bool compliant = false;
    branch->t = sample->t;
    memcpy(branch->q, sample->q, (size_t)branch->positions * sizeof(double));
    memcpy(branch->v, sample->v, (size_t)branch->velocities * sizeof(double));
    for (int k = 0; k < branch->count; k++)
        compliant = compliant || sample->contacts[branch->slots[k]].compliant;
    if (!compliant)
        return SPRAG_OK;
    SPRAG_TRY(sprag_system_project_position(system, branch->t, branch->count, branch->slots,
                                            branch->q, &residual));
    return sprag_system_project_velocity(system, branch->t, branch->q, branch->count, branch->slots,
                                         NULL, branch->v, &residual);
}

// One motion, from the sample on.
static SpragStatus follow(Branch *branch, const SpragRunSample *sample, double span,
                          SpragText *text)
{
    bool whole = true, found;
    SPRAG_TRY(set_out(branch, sample));
    SPRAG_TRY(accelerate(branch, branch->t, branch->q, branch->v, branch->a, &found));
    if (!found) {
        sprag_text_add(text, "\"frames\":[],\"lasted\":0");
        return SPRAG_OK;
    }
    branch->first_force = 0;
    for (int k = 0; k < branch->count; k++)
        branch->first_force = fmax(branch->first_force, branch->force[2 * k]);
    sprag_text_add(text, "\"frames\":[");
    add_frame(text, branch);
    for (int i = 0; i < FRAMES * STEPS && whole; i++) {
        SPRAG_TRY(go_on(branch, span / (FRAMES * STEPS), &whole));
        if (whole && (i + 1) % STEPS != 0)
            continue;
        sprag_text_add(text, ",");
        add_frame(text, branch);
    }
    add_end(text, branch, branch->t - sample->t, whole);
    return SPRAG_OK;
}

static SpragStatus add_branches(SpragPage *page, const SpragRunSample *sample,
                                const SpragVerdict *verdict, const PageStart *start)
{
    PageBranches *work = &page->branches;
    SpragText *text = &work->text;
    Branch branch = {.page = page,
                     .work = work,
                     .positions = sprag_system_position_count(page->system),
                     .velocities = sprag_system_velocity_count(page->system),
                     .count = start->count,
                     .slots = start->slots,
                     .sliding = start->sliding};
    SPRAG_TRY(make_room(work, page, &branch));
    SPRAG_TRY(sprag_reserve(page->context, &work->modes, &work->mode_capacity,
                            (size_t)start->count + 1, sizeof *work->modes));
    sprag_text_add(text, "%s{\"t\":%.12g,\"span\":%.7g,\"slots\":[", text->length ? "," : "",
                   sample->t, start->span);
    for (int i = 0; i < start->count; i++)
        sprag_text_add(text, "%s%d", i ? "," : "", start->slots[i]);
    sprag_text_add(text, "],\"branches\":[");
    for (int i = 0; i < verdict->solution_count && i < MOST_SHOWN; i++) {
        const SpragSolution *solution = &verdict->solutions[i];
        sprag_text_add(text, "%s{\"stable\":%s,\"modes\":[", i ? "," : "",
                       solution->stable ? "true" : "false");
        for (int k = 0; k < start->count; k++)
            sprag_text_add(text, "%s%d", k ? "," : "", (int)solution->motion->modes[k]);
        sprag_text_add(text, "],");
        branch.modes = solution->motion->modes;
        SPRAG_TRY(follow(&branch, sample, start->span, text));
        sprag_text_add(text, "}");
    }
    sprag_text_add(text, "]}");
    return text->failed ? SPRAG_ERROR_MEMORY : SPRAG_OK;
}

SpragStatus page_add_branches(SpragPage *page, const SpragRunSample *sample,
                              const SpragVerdict *verdict, const PageStart *start)
{
    PageBranches *work = &page->branches;
    bool several = verdict->solution_count > 1 && verdict->kind != SPRAG_VERDICT_INFINITE;
    if (!several) {
        work->next = -INFINITY; // the next one that has several is shown whenever it comes
        return SPRAG_OK;
    }
    if (sample->before_event || sample->t < work->next || work->count >= MOST_STARTS ||
        !page->velocities || page->model->body_count > MOST_BODIES)
        return SPRAG_OK;
    work->next = sample->t + fmax(page->settings.until / MOST_STARTS, start->span / FRAMES);
    work->count++;
    size_t before = work->text.length;
    SpragStatus status = add_branches(page, sample, verdict, start);
    if (status == SPRAG_OK || status == SPRAG_ERROR_MEMORY)
        return status;
    // what cannot be followed is left out
    work->text.length = before;
    if (work->text.bytes)
        work->text.bytes[before] = 0;
    return SPRAG_OK;
}
