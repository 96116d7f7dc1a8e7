// test_impact_chains.c: balls in a row: each scheme gives its own known answer.
#include "support/chains.h"

typedef struct Fixture {
    SpragContext *context;
    SpragImpact *impact;
    SpragContactProblem problem;
    SpragCollisionResult result;
    double after[CHAIN_MAX];
} Fixture;

static int set_up(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    f->context = test_context();
    assert_ok(f->context, sprag_impact_create(f->context, &f->impact));
    sprag_contact_problem_init(&f->problem, f->context);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    Fixture *f = *state;
    sprag_contact_problem_destroy(&f->problem);
    sprag_impact_destroy(f->impact);
    sprag_context_destroy(f->context);
    free(f);
    return 0;
}

static void collide(Fixture *f, int balls, const double *mass, const double *v,
                    const SpragImpactRule *rules, SpragImpactScheme scheme)
{
    double impulse[2 * CHAIN_MAX], rows[2 * CHAIN_MAX];
    chain_build(f->context, balls, mass, v, &f->problem);
    assert_ok(f->context, sprag_impact_collide(f->impact, &f->problem, rules, scheme, impulse, rows,
                                               &f->result));
    assert_true(f->result.found);
    chain_after(balls, mass, v, impulse, f->after);
    double momentum = 0, before = 0, energy = 0, lost = 0;
    for (int i = 0; i < balls; i++) {
        momentum += mass[i] * f->after[i];
        before += mass[i] * v[i];
        energy += 0.5 * mass[i] * (v[i] * v[i] - f->after[i] * f->after[i]);
    }
    assert_close(momentum, before, 1e-12);
    assert_close(f->result.energy_loss, energy, 1e-9);
    for (int i = 0; i + 1 < balls; i++) {
        const SpragImpactLoss *loss = &f->result.contacts[i].loss;
        lost += loss->normal_compression + loss->normal_restitution;
        assert_close(rows[2 * i], f->after[i + 1] - f->after[i], 1e-9);
        assert_true(rows[2 * i] >= 0);
    }
    assert_close(lost, energy, 1e-9);
}

static const double ONES[CHAIN_MAX] = {1, 1, 1, 1, 1, 1, 1, 1};

static void print(const char *what, int n, const double *v)
{
    print_message("%s:", what);
    for (int i = 0; i < n; i++)
        print_message(" %.12g", v[i]);
    print_message("\n");
}

static void cradle(void **state)
{
    Fixture *f = *state;
    double v[CHAIN_MAX] = {1};
    SpragImpactRule rules[CHAIN_MAX];
    for (int n = 3; n <= 5; n += 2)
        for (int law = 0; law < 3; law++)
            for (int scheme = 0; scheme < 3; scheme++) {
                for (int i = 0; i < CHAIN_MAX; i++)
                    rules[i] = (SpragImpactRule){(SpragRestitutionLaw)law, 1, 0, 0};
                collide(f, n, ONES, v, rules, (SpragImpactScheme)scheme);
                print_message("law %d scheme %d by %s fell back %d count %d ", law, scheme,
                              sprag_impact_law_name(f->result.law), f->result.fell_back,
                              f->result.solution_count);
                print("v", n, f->after);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cradle, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
