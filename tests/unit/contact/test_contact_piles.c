// Bodies on top of each other, where signs of accelerations alone discard few modes: the search
// that also asks for forces finds what asking for every mode by name finds.
#include <math.h>

#include "support/problems.h"

enum { FEET = 2 };

static SpragContext *context;

// `count` boxes of width 1 on each other, shifted and loaded at random, two points an interface.
typedef struct Pile {
    int count;
    double mass[24], shift[24], load[24][3], friction, height;
} Pile;

static void add_reaction(SpragContactProblem *problem, int row, int block, SpragVec2 direction,
                         SpragVec2 at)
{
    double *entries;
    assert_ok(context, sprag_contact_problem_add_row_block(problem, row, block, &entries));
    entries[0] = direction.x;
    entries[1] = direction.y;
    entries[2] = sprag_vec2_cross(at, direction);
}

static void build(SpragContactProblem *problem, const Pile *pile)
{
    sprag_contact_problem_init(problem, context);
    for (int i = 0; i < FEET * pile->count; i++)
        problem_add_contact(problem, pile->friction, 0);
    for (int i = 0; i < pile->count; i++) {
        double *inverse, m = pile->mass[i];
        int first = problem->velocity_count;
        assert_ok(context, sprag_contact_problem_add_block(problem, 3, &inverse));
        inverse[0] = inverse[4] = 1 / m;
        inverse[8] = 12 / (m * (1 + pile->height * pile->height));
        for (int k = 0; k < 3; k++)
            problem->free_acceleration[first + k] =
                pile->load[i][k] * inverse[4 * k] - (k == 1 ? 9.81 : 0);
    }
    for (int i = 0; i < pile->count; i++) {
        // the interface is as wide as what both have of it
        double from = -0.5, to = 0.5, other = i > 0 ? pile->shift[i - 1] - pile->shift[i] : 0;
        if (i > 0) {
            from = fmax(from, other - 0.5);
            to = fmin(to, other + 0.5);
        }
        for (int k = 0; k < FEET; k++) {
            int row = 2 * (FEET * i + k);
            double x = k ? to : from, h = 0.5 * pile->height;
            add_reaction(problem, row, i, sprag_vec2(0, 1), sprag_vec2(x, -h));
            add_reaction(problem, row + 1, i, sprag_vec2(1, 0), sprag_vec2(x, -h));
            if (i == 0)
                continue;
            add_reaction(problem, row, i - 1, sprag_vec2(0, -1), sprag_vec2(x - other, h));
            add_reaction(problem, row + 1, i - 1, sprag_vec2(-1, 0), sprag_vec2(x - other, h));
        }
    }
    assert_ok(context, sprag_contact_problem_assemble(problem));
}

static bool same_motion(const SpragContactProblem *problem, const double *a, const double *b)
{
    for (int r = 0; r < problem->row_count; r++)
        if (fabs(a[r] - b[r]) > 1e-6 * (9.81 + fabs(a[r])))
            return false;
    return true;
}

static bool is_among(const SpragContactProblem *problem, const SpragMotionSet *set, const double *a)
{
    for (int m = 0; m < set->count; m++)
        if (same_motion(problem, set->motions[m].acceleration, a))
            return true;
    return false;
}

// Every mode by name: each of its motions is among those of the search; returns how many motions of
// the search were met by some mode.
static int ask_for_every_mode(const SpragContactProblem *problem, const SpragMotionSet *set)
{
    static const SpragMode choices[] = {SPRAG_MODE_STICK, SPRAG_MODE_SLIDE_PLUS,
                                        SPRAG_MODE_SLIDE_MINUS, SPRAG_MODE_SEPARATE};
    SpragMotionSearch *search;
    SpragMotionSettings settings = sprag_motion_default();
    SpragMotionSet one;
    SpragMode modes[16];
    bool met[64] = {false};
    int count = problem->constraint_count, found = 0;
    assert_ok(context, sprag_motion_search_create(context, &search));
    settings.modes = modes;
    for (long code = 0; code < 1L << (2 * count); code++) {
        for (int c = 0; c < count; c++)
            modes[c] = choices[code >> (2 * c) & 3];
        assert_ok(context, sprag_motion_search_run(search, problem, &settings, &one));
        for (int m = 0; m < one.count; m++) {
            assert_true(is_among(problem, set, one.motions[m].acceleration));
            for (int k = 0; k < set->count; k++)
                met[k] |=
                    same_motion(problem, set->motions[k].acceleration, one.motions[m].acceleration);
        }
    }
    for (int k = 0; k < set->count; k++)
        found += met[k];
    sprag_motion_search_destroy(search);
    return found;
}

static void test_every_mode(void **state)
{
    (void)state;
    SpragRandom random;
    SpragMotionSearch *search;
    long most_nodes = 0;
    sprag_random_init(&random, 20261116);
    assert_ok(context, sprag_motion_search_create(context, &search));
    for (int draw = 0; draw < test_draws(4); draw++) {
        Pile pile = {.count = 3,
                     .friction = sprag_random_uniform(&random, 0.1, 1.5),
                     .height = sprag_random_uniform(&random, 0.3, 3)};
        for (int i = 0; i < pile.count; i++) {
            pile.mass[i] = exp(sprag_random_uniform(&random, -1, 1));
            pile.shift[i] = sprag_random_uniform(&random, -0.3, 0.3);
            for (int k = 0; k < 3; k++)
                pile.load[i][k] = draw % 2 ? sprag_random_uniform(&random, -8, 8) : 0;
        }
        SpragContactProblem problem;
        SpragMotionSet set;
        build(&problem, &pile);
        assert_ok(context, sprag_motion_search_run(search, &problem, NULL, &set));
        assert_true(set.complete);
        assert_in_range(set.count, 1, 64);
        most_nodes = set.node_count > most_nodes ? set.node_count : most_nodes;
        assert_int_equal(ask_for_every_mode(&problem, &set), set.count);
        sprag_contact_problem_destroy(&problem);
    }
    assert_true(most_nodes > 200); // where the search begins to look at forces
    sprag_motion_search_destroy(search);
}

// Twenty boxes at rest: one motion, and every interface bears what stands on it.
static void test_tall(void **state)
{
    (void)state;
    Pile pile = {.count = 20, .friction = 0.4, .height = 1};
    SpragContactProblem problem;
    SpragMotionSearch *search;
    SpragMotionSet set;
    for (int i = 0; i < pile.count; i++)
        pile.mass[i] = 1;
    build(&problem, &pile);
    assert_ok(context, sprag_motion_search_create(context, &search));
    assert_ok(context, sprag_motion_search_run(search, &problem, NULL, &set));
    assert_true(set.complete);
    assert_int_equal(set.count, 1);
    for (int i = 0; i < pile.count; i++)
        assert_close(set.motions[0].force[4 * i] + set.motions[0].force[4 * i + 2],
                     9.81 * (pile.count - i), 1e-7);
    assert_true(set.node_count < 100); // normal forces bear it: no search
    sprag_motion_search_destroy(search);
    sprag_contact_problem_destroy(&problem);
}

// Work is bounded: what does not come to an end says so.
static void test_limit(void **state)
{
    (void)state;
    Pile pile = {.count = 12, .friction = 0.4, .height = 1};
    SpragContactProblem problem;
    SpragMotionSearch *search;
    SpragMotionSet set;
    SpragMotionSettings settings = sprag_motion_default();
    for (int i = 0; i < pile.count; i++)
        pile.mass[i] = 1;
    pile.load[0][0] = 1; // friction is needed: there may be other motions
    build(&problem, &pile);
    settings.max_nodes = 3000;
    assert_ok(context, sprag_motion_search_create(context, &search));
    assert_ok(context, sprag_motion_search_run(search, &problem, &settings, &set));
    assert_false(set.complete);
    assert_true(set.node_count < settings.max_nodes);
    sprag_motion_search_destroy(search);
    sprag_contact_problem_destroy(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_mode),
                                       cmocka_unit_test(test_tall), cmocka_unit_test(test_limit)};
    context = test_context();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sprag_context_destroy(context);
    return failed;
}
