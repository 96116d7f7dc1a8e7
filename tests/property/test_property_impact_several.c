// test_property_impact_several.c: collisions of several contacts, random bodies, laws and schemes:
// energy, cones, no approach left; the impulse path against Liu, Zhao and Brogliato's own form of
// it, stepped in the impulse domain.
#include "support/chains.h"
#include "support/collisions.h"

// ---- Random collisions --------------------------------------------------------------------------

enum { MAX_CONTACTS = 4, MAX_ROWS = 3 * MAX_CONTACTS + 4, MAX_COORDINATES = 12 };

// A body or two with unit-like inertia, `contacts` rows at random, a limit and a bilateral row now
// and then: W = J Jᵀ, u = J v with J at random.
static void random_collision(SpragRandom *random, Fixture *f, int dimension, double *J)
{
    int contacts = 2 + sprag_random_below(random, MAX_CONTACTS - 1);
    int coordinates = (dimension == 2 ? 3 : 6) * (1 + sprag_random_below(random, 2));
    double v[MAX_COORDINATES];
    bool limit = sprag_random_below(random, 4) == 0, joint = sprag_random_below(random, 4) == 0;
    sprag_contact_problem_clear(&f->problem, dimension);
    for (int i = 0; i < contacts + limit + joint; i++) {
        SpragConstraint *added;
        SpragConstraintKind kind = i < contacts           ? SPRAG_CONSTRAINT_CONTACT
                                   : i < contacts + limit ? SPRAG_CONSTRAINT_LIMIT
                                                          : SPRAG_CONSTRAINT_BILATERAL;
        assert_ok(f->context, sprag_contact_problem_add(&f->problem, kind, &added));
        if (kind != SPRAG_CONSTRAINT_CONTACT)
            continue;
        added->friction = sprag_random_below(random, 5) ? sprag_random_uniform(random, 0, 1) : 0;
        added->friction_static = added->friction * sprag_random_uniform(random, 0.5, 1.5);
        added->sliding = sprag_random_below(random, 4) != 0;
    }
    assert_ok(f->context, sprag_contact_problem_reserve_dense(&f->problem));
    int n = f->problem.row_count;
    for (int k = 0; k < coordinates; k++)
        v[k] = sprag_random_normal(random);
    for (int r = 0; r < n; r++)
        for (int k = 0; k < coordinates; k++)
            J[r * MAX_COORDINATES + k] = sprag_random_normal(random);
    if (joint) { // the velocity before obeys it
        double *row = J + (n - 1) * MAX_COORDINATES, dot = 0, square = 0;
        for (int k = 0; k < coordinates; k++) {
            dot += row[k] * v[k];
            square += row[k] * row[k];
        }
        for (int k = 0; k < coordinates; k++)
            v[k] -= dot / square * row[k];
    }
    for (int c = 0; c < f->problem.constraint_count; c++) {
        // what counts as rest has no slip
        SpragConstraint *item = &f->problem.constraints[c];
        for (int k = 1; k < item->row_count && !item->sliding; k++) {
            double *row = J + (item->row + k) * MAX_COORDINATES, dot = 0, square = 0;
            for (int i = 0; i < coordinates; i++) {
                dot += row[i] * v[i];
                square += v[i] * v[i];
            }
            for (int i = 0; i < coordinates; i++)
                row[i] -= dot / square * v[i];
        }
    }
    for (int r = 0; r < n; r++) {
        f->problem.b[r] = 0;
        for (int k = 0; k < coordinates; k++)
            f->problem.b[r] += J[r * MAX_COORDINATES + k] * v[k];
        for (int s = 0; s < n; s++) {
            double sum = 0;
            for (int k = 0; k < coordinates; k++)
                sum += J[r * MAX_COORDINATES + k] * J[s * MAX_COORDINATES + k];
            f->problem.W[r * n + s] = sum;
        }
    }
}

static void check(Fixture *f, const double *impulse, const double *after, double tolerance)
{
    const SpragContactProblem *p = &f->problem;
    int n = p->row_count;
    double change = 0, lost = 0;
    for (int r = 0; r < n; r++) {
        double sum = p->b[r];
        for (int s = 0; s < n; s++)
            sum += p->W[r * n + s] * impulse[s];
        assert_close(after[r], sum, tolerance);
        change += 0.5 * impulse[r] * (p->b[r] + sum);
    }
    assert_close(f->result.energy_loss, -change, tolerance);
    for (int c = 0; c < p->constraint_count; c++) {
        const SpragConstraint *item = &p->constraints[c];
        const double *P = impulse + item->row, *u = after + item->row;
        const SpragImpactLoss *loss = &f->result.contacts[c].loss;
        lost += loss->normal_compression + loss->normal_restitution + loss->tangential_compression +
                loss->tangential_restitution;
        if (item->kind == SPRAG_CONSTRAINT_BILATERAL) {
            assert_close(u[0], 0, tolerance);
            continue;
        }
        assert_true(P[0] >= -tolerance);
        if (!(u[0] >= -tolerance))
            print_message("contact %d of %d: normal velocity %g after, law %d\n", c,
                          p->constraint_count, u[0], (int)f->result.law);
        assert_true(u[0] >= -tolerance);
        double most = fmax(item->friction, item->friction_static) * P[0];
        double T = item->row_count == 3 ? hypot(P[1], P[2]) : item->row_count == 2 ? fabs(P[1]) : 0;
        assert_true(T <= most + tolerance);
    }
    assert_close(lost, -change, tolerance);
}

static void run_random(Fixture *f, int dimension, int draws, uint64_t seed)
{
    SpragRandom random;
    double J[MAX_ROWS * MAX_COORDINATES], impulse[MAX_ROWS], after[MAX_ROWS];
    int by[SPRAG_IMPACT_LAW_COUNT] = {0};
    sprag_random_init(&random, seed);
    for (int i = 0; i < draws; i++) {
        SpragImpactRule rules[MAX_CONTACTS + 2];
        random_collision(&random, f, dimension, J);
        int kind = sprag_random_below(&random, 5);
        for (int c = 0; c < f->problem.constraint_count; c++) {
            SpragRestitutionLaw law =
                (SpragRestitutionLaw)(kind < 3    ? kind
                                      : kind == 3 ? 1 + sprag_random_below(&random, 2)
                                                  : sprag_random_below(&random, 3));
            double e = sprag_random_below(&random, 6) ? sprag_random_uniform(&random, 0, 1) : 0;
            rules[c] = (SpragImpactRule){law, e, exp(sprag_random_uniform(&random, -2, 2)),
                                         sprag_random_below(&random, 2) ? 1.5 : 1};
        }
        SpragImpactScheme scheme = (SpragImpactScheme)sprag_random_below(&random, 3);
        assert_ok(f->context, sprag_impact_collide(f->impact, &f->problem, rules, scheme, impulse,
                                                   after, &f->result));
        by[f->result.law]++;
        assert_true(f->result.found);
        // settling the energy changes impulses by up to 1e-8 of themselves, and so velocities by as
        // much of their jumps; on the path in space slip below 4e-8 of the velocities is none
        double jump = 1, speed = 0;
        for (int r = 0; r < f->problem.row_count; r++) {
            jump = fmax(jump, fabs(after[r] - f->problem.b[r]));
            speed = fmax(speed, fabs(f->problem.b[r]));
        }
        bool rests = dimension == 3 && f->result.law == SPRAG_IMPACT_PATH;
        check(f, impulse, after, 2e-8 * jump + (rests ? 4e-8 * speed : 0));
        if (f->result.law == SPRAG_IMPACT_PATH)
            assert_true(f->result.energy_loss >= -1e-10);
    }
    for (int law = SPRAG_IMPACT_TOGETHER_NEWTON; law <= SPRAG_IMPACT_PATH; law++)
        assert_true(by[law] > 0);
}

static void planar_collisions_are_sound(void **state)
{
    run_random(*state, 2, test_draws(200), 830);
}

static void spatial_collisions_are_sound(void **state)
{
    run_random(*state, 3, test_draws(40), 831);
}

// ---- The impulse path ---------------------------------------------------------------------------

// The distributing law dP_i/dP_j = (k_i/k_j)^(1/(η+1)) (E_i/E_j)^(η/(η+1)), stepped by Euler along
// the contact with the most energy, from the first contact alone.
static void march_chain(int balls, const double *mass, const SpragImpactRule *rules, double *v)
{
    double E[CHAIN_MAX] = {0}, eta = rules[0].exponent;
    int m = balls - 1;
    for (long step = 0; step < 400000; step++) {
        double share[CHAIN_MAX] = {0}, u[CHAIN_MAX], sum = 0;
        for (int i = 0; i < m; i++) {
            u[i] = v[i + 1] - v[i];
            // the least energy stands for the start of a contact that begins to load
            double energy = fmax(E[i], u[i] < 0 ? 1e-14 : 0);
            if (energy > 0)
                share[i] = pow(rules[i].stiffness, 1 / (eta + 1)) * pow(energy, eta / (eta + 1));
            sum += share[i];
        }
        if (sum == 0)
            return;
        for (int i = 0; i < m; i++) {
            double dP = 2e-5 * share[i] / sum;
            v[i] -= dP / mass[i];
            v[i + 1] += dP / mass[i + 1];
        }
        for (int i = 0; i < m; i++) {
            double dP = 2e-5 * share[i] / sum, middle = 0.5 * (u[i] + v[i + 1] - v[i]);
            E[i] -= middle * dP / (middle > 0 ? rules[i].e * rules[i].e : 1);
            E[i] = fmax(E[i], 0);
        }
    }
    fail_msg("the chain does not come apart");
}

static void path_agrees_with_the_distributing_law(void **state)
{
    Fixture *f = *state;
    SpragRandom random;
    sprag_random_init(&random, 832);
    for (int draw = 0; draw < test_draws(5); draw++) {
        double mass[CHAIN_MAX], v[CHAIN_MAX] = {1}, march[CHAIN_MAX], after[CHAIN_MAX];
        double impulse[2 * CHAIN_MAX], rows[2 * CHAIN_MAX];
        SpragImpactRule rules[CHAIN_MAX];
        int balls = 3 + sprag_random_below(&random, 2);
        double eta = sprag_random_below(&random, 2) ? 1.5 : 1;
        for (int i = 0; i < balls; i++) {
            mass[i] = sprag_random_uniform(&random, 0.5, 2);
            rules[i] = (SpragImpactRule){SPRAG_RESTITUTION_ENERGETIC,
                                         sprag_random_uniform(&random, 0.5, 1),
                                         exp(sprag_random_uniform(&random, -1, 1)), eta};
        }
        chain_build(f->context, balls, mass, v, &f->problem);
        assert_ok(f->context, sprag_impact_collide(f->impact, &f->problem, rules,
                                                   SPRAG_IMPACTS_PATH, impulse, rows, &f->result));
        assert_int_equal(f->result.law, SPRAG_IMPACT_PATH);
        chain_after(balls, mass, v, impulse, after);
        memcpy(march, v, sizeof v);
        march_chain(balls, mass, rules, march);
        // Euler's steps of 2e-5 along about 2, and its start
        for (int i = 0; i < balls; i++)
            assert_close(after[i], march[i], 2e-4);
    }
}

// ---- Friction on the path -----------------------------------------------------------------------

// Layers and Coulomb friction by small steps of time: normal forces explicit, friction implicit by
// Gauss–Seidel on the slip after the step. First order.
static void step_layers(const SpragContactProblem *p, const SpragImpactRule *rules, double *P)
{
    double depth[MAX_CONTACTS] = {0}, u[MAX_ROWS], dt = 5e-5;
    int n = p->row_count, m = p->constraint_count;
    memset(P, 0, (size_t)n * sizeof *P);
    memcpy(u, p->b, (size_t)n * sizeof *u);
    for (long step = 0; step < 4000000; step++) {
        bool over = true;
        double force[MAX_CONTACTS], friction[MAX_CONTACTS] = {0};
        for (int i = 0; i < m; i++) {
            double C = u[2 * i], e = rules[i].e;
            depth[i] = fmax(depth[i] - dt * (C > 0 ? C / (e * e) : C), 0);
            force[i] = rules[i].stiffness * pow(depth[i], rules[i].exponent);
            over &= depth[i] == 0 && C >= -1e-6;
        }
        if (over)
            return;
        for (int i = 0; i < m; i++) {
            P[2 * i] += force[i] * dt;
            for (int r = 0; r < n; r++)
                u[r] += p->W[r * n + 2 * i] * force[i] * dt;
        }
        for (int sweep = 0; sweep < 10; sweep++)
            for (int i = 0; i < m; i++) {
                int row = 2 * i + 1;
                double most = p->constraints[i].friction * force[i] * dt;
                double next = friction[i] - u[row] / p->W[row * n + row];
                next = fmin(fmax(next, -most), most);
                for (int r = 0; r < n; r++)
                    u[r] += p->W[r * n + row] * (next - friction[i]);
                friction[i] = next;
            }
        for (int i = 0; i < m; i++)
            P[2 * i + 1] += friction[i];
    }
    fail_msg("the layers do not come apart");
}

// Two contacts of a planar body each time; slips stop, reverse and begin on the way.
static void friction_on_the_path_agrees_with_small_steps(void **state)
{
    Fixture *f = *state;
    SpragRandom random;
    sprag_random_init(&random, 833);
    for (int draw = 0; draw < test_draws(8); draw++) {
        double impulse[4], after[4], P[MAX_ROWS], J[4][4], v[4];
        SpragImpactRule rules[2];
        sprag_contact_problem_clear(&f->problem, 2);
        for (int i = 0; i < 2; i++) {
            SpragConstraint *added;
            assert_ok(f->context,
                      sprag_contact_problem_add(&f->problem, SPRAG_CONSTRAINT_CONTACT, &added));
            added->friction = sprag_random_uniform(&random, 0.1, 1);
            added->sliding = true;
            rules[i] = (SpragImpactRule){SPRAG_RESTITUTION_ENERGETIC,
                                         sprag_random_uniform(&random, 0.4, 1),
                                         exp(sprag_random_uniform(&random, -1, 0)), 1 + 0.5 * i};
        }
        assert_ok(f->context, sprag_contact_problem_reserve_dense(&f->problem));
        double mobility = 0, scale = 0;
        for (int r = 0; r < 4; r++) {
            v[r] = sprag_random_normal(&random);
            for (int k = 0; k < 4; k++)
                J[r][k] = sprag_random_normal(&random);
        }
        for (int r = 0; r < 4; r++) {
            f->problem.b[r] = 0;
            for (int k = 0; k < 4; k++)
                f->problem.b[r] += J[r][k] * v[k];
            for (int s = 0; s < 4; s++) {
                f->problem.W[4 * r + s] = 0;
                for (int k = 0; k < 4; k++)
                    f->problem.W[4 * r + s] += J[r][k] * J[s][k];
            }
        }
        f->problem.b[0] = -fabs(f->problem.b[0]) - 0.1;
        // the library's units, which matter where exponents differ
        rules[draw % 2].stiffness = 1;
        for (int r = 0; r < 4; r++)
            scale = fmax(scale, fabs(f->problem.b[r]));
        mobility = fmax(f->problem.W[0], f->problem.W[10]);
        for (int r = 0; r < 4; r++)
            f->problem.b[r] /= scale;
        for (int r = 0; r < 16; r++)
            f->problem.W[r] /= mobility;
        assert_ok(f->context, sprag_impact_collide(f->impact, &f->problem, rules,
                                                   SPRAG_IMPACTS_PATH, impulse, after, &f->result));
        assert_int_equal(f->result.law, SPRAG_IMPACT_PATH);
        step_layers(&f->problem, rules, P);
        for (int r = 0; r < 4; r++)
            assert_close(impulse[r], P[r], 2e-3 * (1 + impulse[0] + impulse[2]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(planar_collisions_are_sound, set_up, tear_down),
        cmocka_unit_test_setup_teardown(spatial_collisions_are_sound, set_up, tear_down),
        cmocka_unit_test_setup_teardown(path_agrees_with_the_distributing_law, set_up, tear_down),
        cmocka_unit_test_setup_teardown(friction_on_the_path_agrees_with_small_steps, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
