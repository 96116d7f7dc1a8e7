// test_impact_several.c: collisions of several contacts: joints and limits beside them, guides,
// bodies that jam, friction that holds, space; and what happens without memory.
#include "support/allocator.h"
#include "support/collisions.h"

static SpragConstraint *add(Fixture *f, SpragConstraintKind kind)
{
    SpragConstraint *added;
    assert_ok(f->context, sprag_contact_problem_add(&f->problem, kind, &added));
    return added;
}

// W = J M⁻¹ Jᵀ and u = J v, J rows × n.
static void fill(Fixture *f, int n, const double *J, const double *inverse, const double *v)
{
    assert_ok(f->context, sprag_contact_problem_reserve_dense(&f->problem));
    int rows = f->problem.row_count;
    for (int r = 0; r < rows; r++) {
        f->problem.b[r] = 0;
        for (int k = 0; k < n; k++)
            f->problem.b[r] += J[r * n + k] * v[k];
        for (int s = 0; s < rows; s++) {
            f->problem.W[r * rows + s] = 0;
            for (int k = 0; k < n; k++)
                f->problem.W[r * rows + s] += J[r * n + k] * inverse[k] * J[s * n + k];
        }
    }
}

static void collide(Fixture *f, const SpragImpactRule *rules, SpragImpactScheme scheme)
{
    assert_ok(f->context, sprag_impact_collide(f->impact, &f->problem, rules, scheme, f->impulse,
                                               f->after, &f->result));
}

static void assert_result(const Fixture *f, SpragImpactLaw law, bool fell_back)
{
    assert_true(f->result.found);
    assert_string_equal(sprag_impact_law_name(f->result.law), sprag_impact_law_name(law));
    assert_true(f->result.fell_back == fell_back);
}

// A rod of 1 kg and 1 m, pinned at its left end, falls on its right end: its one degree of freedom
// turns back with e, and the pin takes what the rod needs: P (3/2 − 1) upwards for a blow P at the
// end, with I = 1/3 about the pin.
static void pinned_rod_turns_back(void **state)
{
    Fixture *f = *state;
    double inverse[3] = {1, 1, 12}, w = -2, v[3] = {0, 0.5 * w, w};
    // contact at +1/2: normal y, tangent x; pin at −1/2: x, y
    double J[4][3] = {{0, 1, 0.5}, {1, 0, 0}, {1, 0, 0}, {0, 1, -0.5}};
    for (int scheme = 0; scheme < 3; scheme++)
        for (int law = 0; law < 3; law++) {
            SpragImpactRule rules[3] = {{(SpragRestitutionLaw)law, 0.5, 0, 0}};
            sprag_contact_problem_clear(&f->problem, 2);
            add(f, SPRAG_CONSTRAINT_CONTACT)->friction = 0.4;
            add(f, SPRAG_CONSTRAINT_BILATERAL);
            add(f, SPRAG_CONSTRAINT_BILATERAL);
            fill(f, 3, J[0], inverse, v);
            collide(f, rules, (SpragImpactScheme)scheme);
            assert_result(f, SPRAG_IMPACT_ROUTH, false);
            double P = 1.5 * 2 / 3; // (1 + e) |w| I
            assert_close(f->impulse[0], P, 1e-13);
            assert_close(f->after[0], 1, 1e-13);
            assert_close(f->after[2], 0, 1e-13);
            assert_close(f->after[3], 0, 1e-13);
            // ½ m (v⁺ − v⁻) + …: the centre gains 3/2 · 1 upwards, P from the floor, the rest here
            assert_close(f->impulse[3], 1.5 - P, 1e-13);
            assert_close(f->result.energy_loss, 0.5 * (4 - 1) / 3, 1e-13);
            assert_int_equal(f->result.contacts[0].kind, SPRAG_IMPACT_STICK);
        }
}

// The same pin twice is redundant and changes nothing.
static void redundant_joints_are_left_out(void **state)
{
    Fixture *f = *state;
    double inverse[3] = {1, 1, 12}, v[3] = {0, -1, -2};
    double J[7][3] = {{0, 1, 0.5}, {1, 0, 0},    {1, 0, 0},  {0, 1, -0.5},
                      {1, 0, 0},   {0, 1, -0.5}, {0, 1, 0.4}};
    SpragImpactRule rules[6] = {{SPRAG_RESTITUTION_NEWTON, 0.5, 0, 0}};
    add(f, SPRAG_CONSTRAINT_CONTACT);
    for (int i = 0; i < 4; i++)
        add(f, SPRAG_CONSTRAINT_BILATERAL);
    add(f, SPRAG_CONSTRAINT_LIMIT); // a limit that is hit at the same time, plastic
    fill(f, 3, J[0], inverse, v);
    for (int scheme = 0; scheme < 3; scheme++) {
        collide(f, rules, (SpragImpactScheme)scheme);
        assert_true(f->result.found);
        // one degree of freedom: whatever holds, both go back alike
        assert_close(f->after[0] * 0.9, f->after[6], 1e-9);
        assert_true(f->after[0] >= 0 && f->after[0] <= 1 + 1e-9);
        for (int r = 2; r < 6; r++)
            assert_close(f->after[r], 0, 1e-9);
    }
}

// A block of two feet falls flat: with friction it does not turn, by any scheme that sees both feet
// at once; one after the other it does.
static void flat_fall_of_a_block(void **state)
{
    Fixture *f = *state;
    double inverse[3] = {1, 1, 3}, v[3] = {0, -1, 0};
    double J[4][3] = {{0, 1, -0.5}, {1, 0, 0.5}, {0, 1, 0.5}, {1, 0, 0.5}};
    for (int law = 0; law < 3; law++)
        for (int scheme = 0; scheme < 3; scheme++) {
            SpragImpactRule rule = {(SpragRestitutionLaw)law, 0.5, 0, 0}, rules[2] = {rule, rule};
            sprag_contact_problem_clear(&f->problem, 2);
            for (int i = 0; i < 2; i++)
                add(f, SPRAG_CONSTRAINT_CONTACT)->friction = 0.3;
            fill(f, 3, J[0], inverse, v);
            collide(f, rules, (SpragImpactScheme)scheme);
            assert_true(f->result.found);
            if (scheme == SPRAG_IMPACTS_SEQUENCE) {
                assert_true(fabs(f->after[0] - f->after[2]) > 0.01);
                continue;
            }
            assert_close(f->impulse[0], 0.75, 1e-9);
            assert_close(f->impulse[2], 0.75, 1e-9);
            assert_close(f->after[0], 0.5, 1e-9);
            assert_close(f->after[2], 0.5, 1e-9);
            assert_close(f->after[1], 0, 1e-9);
            assert_close(f->result.energy_loss, 0.375, 1e-9);
        }
}

// Two separate impacts in one problem are each as it is alone, on the path and in sequence.
static void separate_contacts_do_not_meet(void **state)
{
    Fixture *f = *state;
    SpragSingleImpact alone[2] = {{.dimension = 2,
                                   .W = {2.5, -1.5, -1.5, 2.5},
                                   .velocity = {-1, 0.2},
                                   .friction = 0.9,
                                   .e = 0.8},
                                  {.dimension = 2,
                                   .W = {1.75, -1.3, -1.3, 3.25},
                                   .velocity = {-0.5, 0.4},
                                   .friction = 0.2,
                                   .e = 0.6}};
    SpragImpactRule rules[2];
    sprag_contact_problem_clear(&f->problem, 2);
    for (int i = 0; i < 2; i++) {
        SpragConstraint *c = add(f, SPRAG_CONSTRAINT_CONTACT);
        c->friction = alone[i].friction;
        c->sliding = true;
        rules[i] = (SpragImpactRule){SPRAG_RESTITUTION_ENERGETIC, alone[i].e, 1 + 5 * i, 0};
    }
    assert_ok(f->context, sprag_contact_problem_reserve_dense(&f->problem));
    for (int i = 0; i < 2; i++)
        for (int r = 0; r < 2; r++) {
            f->problem.b[2 * i + r] = alone[i].velocity[r];
            for (int s = 0; s < 2; s++)
                f->problem.W[(2 * i + r) * 4 + 2 * i + s] = alone[i].W[2 * r + s];
        }
    for (int scheme = SPRAG_IMPACTS_SEQUENCE; scheme <= SPRAG_IMPACTS_PATH; scheme++) {
        collide(f, rules, (SpragImpactScheme)scheme);
        assert_true(f->result.found && !f->result.fell_back);
        for (int i = 0; i < 2; i++) {
            SpragSingleResult one;
            sprag_impact_single(&alone[i], &one);
            const SpragImpactLoss *loss = &f->result.contacts[i].loss;
            for (int r = 0; r < 2; r++) {
                assert_close(f->impulse[2 * i + r], one.impulse[r], 1e-8);
                assert_close(f->after[2 * i + r], one.after[r], 1e-8);
            }
            assert_close(loss->normal_compression, one.loss.normal_compression, 1e-8);
            assert_close(loss->normal_restitution, one.loss.normal_restitution, 1e-8);
            assert_close(loss->tangential_compression, one.loss.tangential_compression, 1e-8);
            assert_close(loss->tangential_restitution, one.loss.tangential_restitution, 1e-8);
        }
    }
}

// The same in space: two separate contacts, curved slip.
static void separate_contacts_in_space(void **state)
{
    Fixture *f = *state;
    SpragSingleImpact alone = {.dimension = 3,
                               .W = {1, 0.6, 0.2, 0.6, 2, 0.3, 0.2, 0.3, 1.5},
                               .velocity = {-1, 0.5, -0.8},
                               .friction = 0.5,
                               .friction_static = 0.6,
                               .e = 0.7};
    SpragImpactRule rules[2];
    sprag_contact_problem_clear(&f->problem, 3);
    for (int i = 0; i < 2; i++) {
        SpragConstraint *c = add(f, SPRAG_CONSTRAINT_CONTACT);
        c->friction = alone.friction;
        c->friction_static = alone.friction_static;
        c->sliding = true;
        rules[i] = (SpragImpactRule){SPRAG_RESTITUTION_ENERGETIC, alone.e, 1 + i, i ? 1.5 : 1};
    }
    assert_ok(f->context, sprag_contact_problem_reserve_dense(&f->problem));
    for (int i = 0; i < 2; i++)
        for (int r = 0; r < 3; r++) {
            f->problem.b[3 * i + r] = alone.velocity[r] * (1 + i);
            for (int s = 0; s < 3; s++)
                f->problem.W[(3 * i + r) * 6 + 3 * i + s] = alone.W[3 * r + s];
        }
    SpragSingleResult one;
    sprag_impact_single(&alone, &one);
    for (int scheme = SPRAG_IMPACTS_SEQUENCE; scheme <= SPRAG_IMPACTS_PATH; scheme++) {
        collide(f, rules, (SpragImpactScheme)scheme);
        assert_true(f->result.found && !f->result.fell_back);
        for (int i = 0; i < 2; i++)
            for (int r = 0; r < 3; r++)
                assert_close(f->impulse[3 * i + r], (1 + i) * one.impulse[r], 1e-7);
    }
}

// A rod that slides and jams without approaching, with another contact that is only closed: the
// impact without collision of theory.md 10.7 on the path, too.
static void jam_without_approach(void **state)
{
    Fixture *f = *state;
    SpragSingleImpact alone = {.dimension = 2,
                               .W = {1.6, -1.2, -1.2, 3.4},
                               .velocity = {0, -1},
                               .friction = 1.8,
                               .e = 0.5};
    SpragImpactRule rule = {SPRAG_RESTITUTION_ENERGETIC, 0.5, 0, 0}, rules[2] = {rule, rule};
    SpragSingleResult one;
    sprag_impact_single(&alone, &one);
    sprag_contact_problem_clear(&f->problem, 2);
    for (int i = 0; i < 2; i++) {
        SpragConstraint *c = add(f, SPRAG_CONSTRAINT_CONTACT);
        c->friction = 1.8;
        c->sliding = i == 0;
    }
    assert_ok(f->context, sprag_contact_problem_reserve_dense(&f->problem));
    f->problem.b[1] = -1;
    for (int r = 0; r < 2; r++)
        for (int s = 0; s < 2; s++)
            f->problem.W[4 * r + s] = f->problem.W[4 * (2 + r) + 2 + s] = alone.W[2 * r + s];
    for (int scheme = SPRAG_IMPACTS_SEQUENCE; scheme <= SPRAG_IMPACTS_PATH; scheme++) {
        collide(f, rules, (SpragImpactScheme)scheme);
        assert_true(f->result.found && one.tangential);
        for (int r = 0; r < 2; r++)
            assert_close(f->impulse[r], one.impulse[r], 1e-6);
        assert_true(f->impulse[2] == 0);
    }
}

// A box that rests on one corner lands on the other: that the resting corner rises or sinks by a
// rounding changes nothing. The path is followed to 1e-10 of the impulses; a contact that begins
// late by as much of the speeds counts for a few of these.
static void rounding_of_a_resting_contact(void **state)
{
    Fixture *f = *state;
    double m = 1.7, I = 0.034, inverse[3] = {1 / m, 1 / m, 1 / I};
    double J[4][3] = {{0, 1, -0.2}, {1, 0, 0.1}, {0, 1, 0.2}, {1, 0, 0.1}};
    double v[3] = {-0.4, -1.25, 6.2}, without[4];
    for (int restitution = 0; restitution < 2; restitution++) {
        SpragImpactRule rule = {SPRAG_RESTITUTION_ENERGETIC, 0.4 * restitution, 0, 0},
                        rules[2] = {rule, rule};
        for (int i = 0; i < 2; i++) {
            if (restitution == 0)
                add(f, SPRAG_CONSTRAINT_CONTACT)->friction = 0.3;
            f->problem.constraints[i].sliding = true;
        }
        fill(f, 3, J[0], inverse, v);
        for (int digit = 14; digit >= 7; digit--) {
            for (int sign = -1; sign <= 1; sign++) {
                double change = digit == 14 ? 0 : sign * pow(10, -digit);
                f->problem.b[2] = change;
                collide(f, rules, SPRAG_IMPACTS_PATH);
                assert_true(f->result.found);
                for (int r = 0; r < 4; r++) {
                    without[r] = digit == 14 ? f->impulse[r] : without[r];
                    assert_close(f->impulse[r], without[r], 3e-9 + 10 * fabs(change));
                }
            }
        }
    }
}

// A guide with friction has no restitution of its own: the collision is plastic, and says so.
static void guides_with_friction_make_it_plastic(void **state)
{
    Fixture *f = *state;
    double inverse[3] = {1, 1, 3}, v[3] = {0, -1, 0};
    double J[4][3] = {{0, 1, 0}, {1, 0, 0.5}, {1, 0, 0}, {0, 1, 0}};
    SpragImpactRule rules[2] = {{SPRAG_RESTITUTION_ENERGETIC, 0.5, 0, 0}};
    add(f, SPRAG_CONSTRAINT_CONTACT)->friction = 0.2;
    add(f, SPRAG_CONSTRAINT_GUIDE)->friction = 0.3;
    fill(f, 3, J[0], inverse, v);
    collide(f, rules, SPRAG_IMPACTS_PATH);
    assert_result(f, SPRAG_IMPACT_VELOCITY_PLASTIC, true);
    assert_close(f->after[0], 0, 1e-12);
    // without it the guide is a bilateral row
    f->problem.constraints[1].friction = 0;
    collide(f, rules, SPRAG_IMPACTS_PATH);
    assert_result(f, SPRAG_IMPACT_ROUTH, false);
    assert_close(f->after[0], 0.5, 1e-12);
    assert_close(f->after[2], 0, 1e-12);
}

static void no_contact_no_impulse(void **state)
{
    Fixture *f = *state;
    SpragImpactRule rules[2] = {{SPRAG_RESTITUTION_ENERGETIC, 0.5, 0, 0},
                                {SPRAG_RESTITUTION_ENERGETIC, 0.5, 0, 0}};
    sprag_contact_problem_clear(&f->problem, 2);
    for (int i = 0; i < 2; i++)
        add(f, SPRAG_CONSTRAINT_CONTACT);
    double J[4][3] = {{0, 1, -0.5}, {1, 0, 0.5}, {0, 1, 0.5}, {1, 0, 0.5}};
    fill(f, 3, J[0], (double[]){1, 1, 3}, (double[]){0, 0, 0});
    for (int scheme = 0; scheme < 3; scheme++) {
        collide(f, rules, (SpragImpactScheme)scheme);
        assert_true(f->result.found);
        for (int r = 0; r < 4; r++)
            assert_true(f->impulse[r] == 0 && f->after[r] == 0);
    }
    fill(f, 3, J[0], (double[]){1, 1, 3}, (double[]){0, 2, 0});
    for (int scheme = 0; scheme < 3; scheme++) {
        collide(f, rules, (SpragImpactScheme)scheme);
        assert_true(f->result.found);
        assert_true(f->impulse[0] == 0 && f->impulse[2] == 0);
        assert_close(f->after[0], 2, 1e-15);
    }
}

// ---- Without memory -----------------------------------------------------------------------------

static SpragStatus collide_everything(SpragContext *context)
{
    SpragImpact *impact = NULL;
    SpragContactProblem problem;
    SpragStatus status;
    double impulse[6], after[6];
    sprag_contact_problem_init(&problem, context);
    SPRAG_TRY_CLEANUP(sprag_impact_create(context, &impact));
    for (int i = 0; i < 3; i++) {
        SpragConstraint *added;
        SPRAG_TRY_CLEANUP(sprag_contact_problem_add(&problem, SPRAG_CONSTRAINT_CONTACT, &added));
        added->friction = 0.3;
    }
    SPRAG_TRY_CLEANUP(sprag_contact_problem_reserve_dense(&problem));
    for (int r = 0; r < 6; r++)
        problem.W[7 * r] = 2;
    for (int r = 0; r < 4; r++)
        problem.W[6 * r + r + 2] = problem.W[6 * (r + 2) + r] = -0.5;
    problem.b[0] = -1;
    for (int law = 0; law < 3; law++)
        for (int scheme = 0; scheme < 3; scheme++) {
            SpragImpactRule rule = {(SpragRestitutionLaw)law, 0.5, 0, 0};
            SpragImpactRule rules[3] = {rule, rule, rule};
            SpragCollisionResult result;
            SPRAG_TRY_CLEANUP(sprag_impact_collide(
                impact, &problem, rules, (SpragImpactScheme)scheme, impulse, after, &result));
        }
cleanup:
    sprag_impact_destroy(impact);
    sprag_contact_problem_destroy(&problem);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (long n = 0;; n++) {
        CountingAllocator counter = {.fail_at = -1};
        SpragContext *context = NULL;
        assert_int_equal(counting_context(&counter, &context), SPRAG_OK);
        counter.fail_at = counter.calls + n;
        SpragStatus status = collide_everything(context);
        bool reached = counter.calls > counter.fail_at;
        sprag_context_destroy(context);
        assert_int_equal(counter.live, 0);
        if (!reached) {
            assert_int_equal(status, SPRAG_OK);
            return;
        }
        assert_int_equal(status, SPRAG_ERROR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pinned_rod_turns_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(redundant_joints_are_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(flat_fall_of_a_block, set_up, tear_down),
        cmocka_unit_test_setup_teardown(separate_contacts_do_not_meet, set_up, tear_down),
        cmocka_unit_test_setup_teardown(separate_contacts_in_space, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rounding_of_a_resting_contact, set_up, tear_down),
        cmocka_unit_test_setup_teardown(jam_without_approach, set_up, tear_down),
        cmocka_unit_test_setup_teardown(guides_with_friction_make_it_plastic, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_contact_no_impulse, set_up, tear_down),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
