// guides_run_state.c: several guides at an instant: accelerations, forces, energies, event
// functions (theory.md 9.4).
#include <math.h>
#include <string.h>

#include "guides_run_private.h"

double guides_slip(const SpragGuidesRun *run, int guide, const double *velocity)
{
    const SpragGuides *guides = &run->guides;
    if (!guides->direction)
        return velocity[guide];
    double sum = 0;
    for (int i = 0; i < guides->n; i++)
        sum += guides->direction[i * guides->m + guide] * velocity[i];
    return sum;
}

void guides_input(const SpragGuidesRun *run, double t, double *input)
{
    for (int i = 0; i < run->guides.n; i++)
        input[i] = run->problem.input ? run->problem.input(i, t, run->problem.user)
                                      : run->problem.guides->input[i];
}

// Compliant: friction of what slips is known, and joins the inputs.
bool guides_freeze(SpragGuidesRun *run)
{
    SpragGuides guides = run->guides;
    double none[MOST] = {0};
    sprag_guides_groups(&run->guides, run->slip, run->leader, run->ratio);
    if (run->settings.compliant)
        guides.friction = none;
    return sprag_guides_response(&guides, run->slip, run->sign, run->response);
}

// One row of the response at the inputs.
static double respond(const SpragGuidesRun *run, int row, const double *input)
{
    int wide = run->guides.n + 1;
    double sum = run->response[row * wide];
    for (int k = 1; k < wide; k++)
        sum += run->response[row * wide + k] * input[k - 1];
    return sum;
}

// What guides that stick along one line carry together, and the most that they can; each gets its
// share of that.
static void share_friction(const SpragGuidesRun *run, const double *input, GuidesInstant *now)
{
    const SpragGuides *guides = &run->guides;
    for (int j = 0; j < guides->m; j++) {
        now->capacity[j] = now->held[j] = 0;
        if (run->leader[j] == j)
            now->held[j] = respond(run, guides->n + j, input);
        if (run->leader[j] >= 0)
            now->capacity[run->leader[j]] +=
                fabs(run->ratio[j]) * guides->friction[j] * fabs(now->normal[j]);
    }
    for (int j = 0; j < guides->m; j++) {
        int leader = run->leader[j];
        if (run->slip[j] != 0)
            continue;
        now->friction[j] = leader == j ? now->held[j] : 0;
        if (leader >= 0 && now->capacity[leader] > 0)
            now->friction[j] = now->held[leader] * copysign(guides->friction[j], run->ratio[j]) *
                               fabs(now->normal[j]) / now->capacity[leader];
    }
}

static void evaluate_rigid(const SpragGuidesRun *run, GuidesInstant *now)
{
    int n = run->guides.n, m = run->guides.m;
    for (int i = 0; i < n; i++)
        now->acceleration[i] = respond(run, i, now->input);
    for (int j = 0; j < m; j++) {
        now->normal[j] = respond(run, n + m + j, now->input);
        now->friction[j] = respond(run, n + j, now->input);
    }
    share_friction(run, now->input, now);
}

static void evaluate_compliant(const SpragGuidesRun *run, const double *y, GuidesInstant *now)
{
    const SpragGuides *guides = &run->guides;
    int n = guides->n, m = guides->m;
    const double *w = y + 2 * n + 2, *rate = w + m;
    double driven[MOST];
    memcpy(driven, now->input, sizeof driven);
    for (int j = 0; j < m; j++) {
        now->normal[j] = run->stiffness[j] * w[j] + run->damping[j] * rate[j];
        now->friction[j] = guides->friction[j] * run->slip[j] * fabs(now->normal[j]);
        for (int i = 0; i < n; i++)
            driven[i] -=
                (guides->direction ? guides->direction[i * m + j] : i == j) * now->friction[j];
    }
    for (int i = 0; i < n; i++)
        now->acceleration[i] = respond(run, i, driven);
    share_friction(run, driven, now);
    for (int j = 0; j < m; j++) {
        double sum = guides->d[j] - now->normal[j];
        for (int i = 0; i < n; i++)
            sum += guides->C[j * n + i] * now->acceleration[i];
        now->stretch_acceleration[j] = sum;
    }
}

void guides_evaluate(const SpragGuidesRun *run, double t, const double *y, GuidesInstant *instant)
{
    memset(instant, 0, sizeof *instant);
    guides_input(run, t, instant->input);
    if (run->settings.compliant)
        evaluate_compliant(run, y, instant);
    else
        evaluate_rigid(run, instant);
}

int guides_derivative(double t, const double *y, double *dy, void *user)
{
    const SpragGuidesRun *run = user;
    int n = run->guides.n, m = run->guides.m;
    const double *v = y + n;
    GuidesInstant now;
    bool finite = true;
    guides_evaluate(run, t, y, &now);
    dy[2 * n] = dy[2 * n + 1] = 0;
    for (int i = 0; i < n; i++) {
        dy[i] = v[i];
        dy[n + i] = now.acceleration[i];
        dy[2 * n + 1] += now.input[i] * v[i];
        finite = finite && isfinite(now.input[i]);
    }
    for (int j = 0; j < m; j++)
        if (run->slip[j] != 0)
            dy[2 * n] += now.friction[j] * guides_slip(run, j, v);
    for (int j = 0; j < m && run->settings.compliant; j++) {
        dy[2 * n + 2 + j] = y[2 * n + 2 + m + j];
        dy[2 * n + 2 + m + j] = now.stretch_acceleration[j];
    }
    return finite ? 0 : 1;
}

// The guides' own coordinates stand for their forces only, and have no energy, as in (9.1).
double guides_energy(const SpragGuidesRun *run, const double *y, double *kinetic, double *potential)
{
    int n = run->guides.n;
    const double *v = y + n;
    *kinetic = *potential = 0;
    for (int i = 0; i < n; i++) {
        *potential += run->guides.b[i] * y[i];
        for (int k = 0; k < n; k++)
            *kinetic += 0.5 * v[i] * run->guides.A[i * n + k] * v[k];
    }
    return *kinetic + *potential;
}

void guides_fill_sample(SpragGuidesRun *run, double t, const double *y)
{
    int n = run->guides.n, m = run->guides.m;
    GuidesInstant now;
    double *numbers = run->sample_numbers;
    const double *lists[] = {y, y + n, now.acceleration, now.input, now.normal, now.friction};
    guides_evaluate(run, t, y, &now);
    for (int k = 0; k < 6; k++)
        memcpy(numbers + k * MOST, lists[k], (size_t)(k < 4 ? n : m) * sizeof *numbers);
    for (int j = 0; j < m; j++)
        run->sample_modes[j] = run->slip[j] == 0  ? SPRAG_MODE_STICK
                               : run->slip[j] > 0 ? SPRAG_MODE_SLIDE_PLUS
                                                  : SPRAG_MODE_SLIDE_MINUS;
    SpragGuidesSample sample = {.t = t,
                                .n = n,
                                .m = m,
                                .position = numbers,
                                .velocity = numbers + MOST,
                                .acceleration = numbers + 2 * MOST,
                                .input = numbers + 3 * MOST,
                                .normal = numbers + 4 * MOST,
                                .friction = numbers + 5 * MOST,
                                .modes = run->sample_modes};
    guides_energy(run, y, &sample.energy.kinetic, &sample.energy.potential);
    sample.energy.friction = y[2 * n];
    sample.energy.actuation = y[2 * n + 1];
    sample.energy.impact = run->impact;
    run->sample = sample;
}

// Two a guide: the slip and the normal force of one that slips, what is left of the cone of one
// that sticks.
int guides_event_values(const void *owner, double t, const double *y, double *values,
                        int *directions)
{
    const SpragGuidesRun *run = owner;
    int n = run->guides.n, m = run->guides.m;
    const double rounding = 1e-12; // of the loads: friction that holds nothing is not left
    double load = 0;
    GuidesInstant now;
    guides_evaluate(run, t, y, &now);
    for (int i = 0; i < n; i++)
        load = fmax(load, fabs(now.input[i]) + fabs(run->guides.b[i]));
    for (int j = 0; j < m; j++) {
        double *value = values + 2 * j;
        directions[2 * j] = directions[2 * j + 1] = -1;
        value[0] = value[1] = 1;
        if (run->slip[j] != 0) {
            value[0] = run->slip[j] * guides_slip(run, j, y + n);
            value[1] = run->sign[j] * now.normal[j];
        } else if (run->leader[j] == j) {
            value[0] = now.capacity[j] - fabs(now.held[j]) + rounding * load;
        }
        if (run->settings.compliant) { // a kink of |F|: of friction, or of the cone, whose pointed
            value[1] = now.normal[j];  // end no smooth function through samples would show
            directions[2 * j + 1] = 0;
        }
    }
    return 2 * m;
}
