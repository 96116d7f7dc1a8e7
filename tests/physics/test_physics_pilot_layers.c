// Verdicts agree with time integration: a compliant run that starts near a motion stays there or
// leaves it as the verdict says, at the computed rate. Random states of one and two sliding
// contacts with constant W and b, against the linear layer (6.3) integrated by itself.
#include "physics.h"

enum { MOST = 2, ROWS = 2 * MOST, COORDINATES = ROWS + 1 };

// Unit masses, constant rows: W = J Jᵀ; loads make b.
typedef struct Constant {
    int contacts, n;
    double J[ROWS][COORDINATES];
    double load[COORDINATES];
    double friction[MOST], gap[MOST];
} Constant;

static int inertia_of(double t, const double *q, double *matrix, void *user)
{
    const Constant *c = user;
    (void)t, (void)q;
    for (int i = 0; i < c->n; i++)
        matrix[i * c->n + i] = 1;
    return 0;
}

static int force_of(double t, const double *q, const double *v, double *force, void *user)
{
    const Constant *c = user;
    (void)t, (void)q, (void)v;
    memcpy(force, c->load, (size_t)c->n * sizeof *force);
    return 0;
}

static int contact_of(double t, const double *q, const double *v, int contact,
                      SpragContactSample *sample, void *user)
{
    const Constant *c = user;
    (void)t, (void)v;
    sample->gap = c->gap[contact];
    for (int j = 0; j < c->n; j++) {
        sample->normal[j] = c->J[2 * contact][j];
        sample->tangent[j] = c->J[2 * contact + 1][j];
        sample->gap += c->J[2 * contact][j] * q[j];
    }
    sample->friction_static = sample->friction_kinetic = c->friction[contact];
    return 0;
}

static const double STIFFNESS = 1e10, DAMPING_RATIO = 0.1;

static SpragSystem *system_of(Constant *c, double damping)
{
    SpragSystemContact contacts[MOST];
    SpragSystemDef def = sprag_system_default();
    SpragSystem *system;
    memset(contacts, 0, sizeof contacts);
    for (int i = 0; i < c->contacts; i++) {
        contacts[i].name = i ? "second" : "first";
        contacts[i].kind = SPRAG_CONSTRAINT_CONTACT;
        contacts[i].compliance = (SpragCompliance){
            .law = SPRAG_COMPLIANCE_KELVIN_VOIGT, .stiffness = STIFFNESS, .damping = damping};
    }
    def.dimension = 2;
    def.velocity_count = c->n;
    def.contact_count = c->contacts;
    def.contacts = contacts;
    def.inertia = inertia_of;
    def.force = force_of;
    def.contact = contact_of;
    def.user = c;
    def.size = 1e-5; // deformations are 1e-10 m
    assert_ok(context, sprag_system_create(context, &def, &system));
    return system;
}

// x with J x = right, the shortest one: J Jᵀ is well conditioned in the draws that are used.
static bool solve_rows(const Constant *c, const double *right, double *x)
{
    int rows = 2 * c->contacts;
    double A[ROWS][ROWS + 1];
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < rows; j++) {
            A[i][j] = 0;
            for (int k = 0; k < c->n; k++)
                A[i][j] += c->J[i][k] * c->J[j][k];
        }
        A[i][rows] = right[i];
    }
    for (int k = 0; k < rows; k++) {
        if (fabs(A[k][k]) < 1e-3)
            return false;
        for (int i = 0; i < rows; i++)
            for (int j = rows; i != k && j >= k; j--)
                A[i][j] -= A[i][k] / A[k][k] * A[k][j];
    }
    for (int j = 0; j < c->n; j++) {
        x[j] = 0;
        for (int i = 0; i < rows; i++)
            x[j] += c->J[i][j] * A[i][rows] / A[i][i];
    }
    return true;
}

static bool draw_constant(Constant *c, SpragRandom *random, int contacts, double *velocity)
{
    double slip[ROWS] = {0}, b[ROWS];
    *c = (Constant){.contacts = contacts, .n = 2 * contacts + 1};
    for (int i = 0; i < 2 * contacts; i++) {
        b[i] = i % 2 ? sprag_random_uniform(random, -1, 1) : sprag_random_uniform(random, -2, 1);
        for (int j = 0; j < c->n; j++)
            c->J[i][j] = sprag_random_uniform(random, -1, 1);
    }
    for (int i = 0; i < contacts; i++) {
        c->friction[i] = sprag_random_uniform(random, 0.2, 3);
        slip[2 * i + 1] = sprag_random_below(random, 2) ? 0.1 : -0.1;
    }
    return solve_rows(c, b, c->load) && solve_rows(c, slip, velocity);
}

static void problem_of(const Constant *c, const double *velocity, double damping,
                       SpragContactProblem *problem)
{
    int rows = 2 * c->contacts;
    sprag_contact_problem_init(problem, context);
    for (int i = 0; i < c->contacts; i++) {
        SpragConstraint *item;
        assert_ok(context, sprag_contact_problem_add(problem, SPRAG_CONSTRAINT_CONTACT, &item));
        item->friction = c->friction[i];
        item->sliding = true;
        for (int j = 0; j < c->n; j++)
            item->slip[0] += c->J[2 * i + 1][j] * velocity[j];
        item->stiffness[0] = item->stiffness[1] = STIFFNESS;
        item->damping[0] = item->damping[1] = damping;
    }
    assert_ok(context, sprag_contact_problem_reserve_dense(problem));
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < c->n; k++) {
            problem->b[i] += c->J[i][k] * c->load[k];
            for (int j = 0; j < rows; j++)
                problem->W[i * rows + j] += c->J[i][k] * c->J[j][k];
        }
}

// z'' = −D (c z' + k z) of the active contacts by Runge and Kutta's method, from z at rest.
static void integrate_layer(int k, double D[MOST][MOST], double damping, double T, double *z)
{
    const int steps = 4000;
    double h = T / steps, y[2 * MOST] = {0};
    memcpy(y, z, (size_t)k * sizeof *z);
    for (int step = 0; step < steps; step++) {
        static const double parts[4] = {0, 0.5, 0.5, 1}, weights[4] = {1, 2, 2, 1};
        double rate[2 * MOST] = {0}, sum[2 * MOST] = {0};
        for (int stage = 0; stage < 4; stage++) {
            double at[2 * MOST], next[2 * MOST] = {0};
            for (int i = 0; i < 2 * k; i++)
                at[i] = y[i] + parts[stage] * h * rate[i];
            for (int i = 0; i < k; i++) {
                next[i] = at[k + i];
                for (int j = 0; j < k; j++)
                    next[k + i] -= D[i][j] * (damping * at[k + j] + STIFFNESS * at[j]);
            }
            for (int i = 0; i < 2 * k; i++) {
                rate[i] = next[i];
                sum[i] += weights[stage] * next[i] / 6;
            }
        }
        for (int i = 0; i < 2 * k; i++)
            y[i] += h * sum[i];
    }
    memcpy(z, y, (size_t)k * sizeof *z);
}

typedef struct Tally {
    int stable, divergent, flutter;
} Tally;

// One motion in which every contact of the list presses; the others have separated.
static void check_motion(Constant *c, const double *velocity, double damping,
                         const SpragContactProblem *problem, const SpragSolution *solution,
                         Tally *tally)
{
    int member[MOST], k = 0, rows = problem->row_count;
    double D[MOST][MOST], z[MOST] = {0}, right[ROWS] = {0}, q[COORDINATES], largest = 0, fast = 0;
    const SpragMotion *motion = solution->motion;
    for (int i = 0; i < c->contacts; i++)
        if (motion->active[i])
            member[k++] = i;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            const SpragConstraint *item = &problem->constraints[member[j]];
            D[i][j] = problem->W[2 * member[i] * rows + 2 * member[j]] -
                      copysign(item->friction, item->slip[0]) *
                          problem->W[2 * member[i] * rows + 2 * member[j] + 1];
        }
    double shift = 1e-3, weakest = INFINITY, strongest = 0;
    for (int i = 0; i < k; i++) {
        weakest = fmin(weakest, motion->force[2 * member[i]]);
        strongest = fmax(strongest, motion->force[2 * member[i]]);
    }
    // before the mode is seen a small force ends, and a large one stops the slip
    if (!(weakest > 0.05) || strongest > 10)
        return;
    for (int i = 0; i < solution->eigenvalue_count; i++)
        fast = fmax(fast, hypot(solution->eigenvalues[i].real, solution->eigenvalues[i].imaginary));
    // for a motion that is left: along its fastest mode, so that nothing else is seen
    for (int i = 0; i < k; i++) {
        double direction = solution->growing ? solution->growing[2 * member[i]] : 1;
        z[i] = direction;
        largest = fmax(largest, fabs(direction));
    }
    for (int i = 0; i < k; i++)
        z[i] *= shift * weakest / (STIFFNESS * largest);
    for (int i = 0; i < c->contacts; i++) {
        c->gap[i] = 0;
        right[2 * i] = motion->active[i] ? 0 : 1e-6;
    }
    for (int i = 0; i < k; i++)
        right[2 * member[i]] = -motion->force[2 * member[i]] / STIFFNESS - z[i];
    if (!solve_rows(c, right, q))
        return;
    double T = solution->stable ? 3 / fast : fmin(3 * solution->growth_time, 200 / fast);
    double before = shift * weakest / STIFFNESS, after = 0;
    SpragSystem *system = system_of(c, damping);
    SpragRunSettings settings = sprag_run_default();
    SpragRunOutcome outcome;
    SpragRun *run;
    settings.motion = SPRAG_MOTION_COMPLIANT;
    settings.tolerance = 1e-12;
    settings.output_step = 0;
    assert_ok(context, sprag_run_create(system, &settings, NULL, &run));
    assert_ok(context, sprag_run_restart(run, 0, q, velocity));
    assert_ok(context, sprag_run_advance(run, T, &outcome));
    assert_int_equal(outcome, SPRAG_RUN_DONE);
    integrate_layer(k, D, damping, T, z);
    for (int i = 0; i < k; i++) {
        const SpragRunContact *contact = &sprag_run_sample(run)->contacts[member[i]];
        double rest = motion->force[2 * member[i]] / STIFFNESS;
        assert_true(contact->compliant);
        // W and b are constant, so that the layer is exactly linear; a run keeps depths to 1e-7 of
        // them, or to a thousandth of the gap tolerance, 1e-14 m; the deviation is a thousandth
        assert_close(contact->depth - rest, z[i],
                     1e-3 * before + 1e-3 * fabs(z[i]) + 1e-6 * rest + 1e-16);
        after = fmax(after, fabs(z[i]));
    }
    if (!solution->stable && solution->stability == SPRAG_DIVERGENT) {
        // along a real mode from rest the growing part is s₂/(s₂ − s₁) of it
        assert_true(after > before);
        tally->divergent++;
    }
    tally->flutter += !solution->stable && solution->stability != SPRAG_DIVERGENT;
    tally->stable += solution->stable;
    sprag_run_destroy(run);
    sprag_system_destroy(system);
}

static void check_states(int contacts, int draws, uint64_t seed, Tally *tally)
{
    SpragRandom random;
    SpragAnalysis *analysis;
    sprag_random_init(&random, seed);
    assert_ok(context, sprag_analysis_create(context, &analysis));
    for (int draw = 0; draw < draws; draw++) {
        Constant c;
        SpragContactProblem problem;
        SpragVerdict verdict;
        bool in[MOST];
        double velocity[COORDINATES], damping = 2 * DAMPING_RATIO * sqrt(STIFFNESS);
        if (!draw_constant(&c, &random, contacts, velocity))
            continue;
        problem_of(&c, velocity, damping, &problem);
        assert_ok(context, sprag_analysis_culprits(analysis, &problem, NULL, &verdict, in));
        for (int k = 0; k < verdict.solution_count; k++)
            if (verdict.solutions[k].stability != SPRAG_FREE)
                check_motion(&c, velocity, damping, &problem, &verdict.solutions[k], tally);
        sprag_contact_problem_destroy(&problem);
    }
    sprag_analysis_destroy(analysis);
}

static void test_one_contact(void **state)
{
    (void)state;
    Tally tally = {0};
    check_states(1, test_draws(60), 41, &tally);
    assert_true(tally.stable > 5 && tally.divergent > 3);
}

static void test_two_contacts(void **state)
{
    (void)state;
    Tally tally = {0};
    check_states(2, test_draws(240), 42, &tally);
    if (getenv("SPRAG_TEST_SHOW"))
        print_message("%d stable, %d divergent, %d flutter\n", tally.stable, tally.divergent,
                      tally.flutter);
    assert_true(tally.stable > 10 && tally.divergent > 2 && tally.flutter > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_contact),
                                       cmocka_unit_test(test_two_contacts)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}
