// Bare problems: contact, lcp, qp.
#include "scene_support.h"

static void test_contact(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScene *scene = read_good(
        context, "sprag: 1\nname: bare\nproblem: contact\ndimension: 2\nparameters: {mu: 0.5}\n"
                 "W: [[2, -1.2, 0, 0], [-1.2, 3, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1+1]]\n"
                 "b: [-9.81, 0, 1, 2]\n"
                 "contacts:\n  - {name: tip, friction: {static: 0.7, kinetic: mu}, slip: -2}\n"
                 "  - {kind: bilateral}\n  - {kind: limit}\n"
                 "stiffness: [1e6, 2e6, 3e6, 4e6]\ndamping: [1, 2, 3, 4]\n");
    assert_int_equal(sprag_scene_kind(scene), SPRAG_SCENE_CONTACT);
    assert_null(sprag_scene_model(scene));
    const SpragContactProblem *problem = sprag_scene_contact_problem(scene);
    assert_int_equal(problem->constraint_count, 3);
    assert_int_equal(problem->row_count, 4);
    const SpragConstraint *tip = &problem->constraints[0];
    assert_string_equal(tip->name, "tip");
    assert_string_equal(problem->constraints[2].name, "c2");
    assert_true(tip->sliding && tip->slip[0] == -2 && tip->friction == 0.5);
    assert_true(tip->stiffness[1] == 2e6 && tip->damping[1] == 2);
    assert_int_equal(problem->constraints[2].kind, SPRAG_CONSTRAINT_LIMIT);
    assert_true(problem->constraints[2].stiffness[0] == 4e6);
    assert_true(problem->W[1] == -1.2 && problem->W[15] == 2 && problem->b[3] == 2);
    sprag_scene_destroy(scene);
    scene = read_good(context, "sprag: 1\nproblem: contact\nW: [[1, 0], [0, 1]]\nb: [0, 0]\n"
                               "contacts: [{friction: {static: 0.7, kinetic: 0.5}}]\n");
    tip = &sprag_scene_contact_problem(scene)->constraints[0];
    assert_true(!tip->sliding && tip->friction == 0.7);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

static void test_spatial_contact(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScene *scene = read_good(
        context,
        "sprag: 1\nproblem: contact\ndimension: 3\nmass: [1, 2, 4]\n"
        "J: [[0, 0, 1], [1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0]]\n"
        "contacts: [{friction: {static: 1, kinetic: 0.5}, slip: [0, -2 mm/s]}, "
        "{kind: limit}, {slip: 0, friction: {static: 1, kinetic: 0.5}}]\n");
    const SpragContactProblem *problem = sprag_scene_contact_problem(scene);
    assert_int_equal(problem->dimension, 3);
    assert_int_equal(problem->row_count, 7);
    assert_true(problem->constraints[0].sliding && problem->constraints[0].friction == 0.5);
    assert_close(problem->constraints[0].slip[1], -0.002, 1e-18);
    assert_int_equal(problem->constraints[1].row, 3);
    assert_true(!problem->constraints[2].sliding && problem->constraints[2].friction == 1);
    assert_close(problem->W[0], 0.25, 0);
    assert_close(problem->W[2 * 7 + 2], 0.5, 0);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

static void test_lcp_and_qp(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScene *scene =
        read_good(context, "sprag: 1\nproblem: lcp\nM: [[1, 2], [2, 1]]\nq: [-1, -1]\n");
    const SpragSceneLcp *lcp = sprag_scene_lcp(scene);
    assert_true(lcp->n == 2 && lcp->M[1] == 2 && lcp->q[1] == -1);
    sprag_scene_destroy(scene);
    scene = read_good(context, "sprag: 1\nproblem: qp\nQ: [[1, 2], [2, 5]]\nc: [-1, -2]\n"
                               "H: [[1, 1], [1, 0], [0, 1]]\nK: [1, 2, 3]\n");
    const SpragSceneQp *qp = sprag_scene_qp(scene);
    assert_true(qp->n == 2 && qp->constraint_count == 3);
    assert_true(qp->Q[3] == 5 && qp->c[1] == -2 && qp->H[4] == 0 && qp->K[2] == 3);
    sprag_scene_destroy(scene);
    scene = read_good(context, "sprag: 1\nproblem: qp\nQ: [[1]]\nc: [-1]\n");
    assert_int_equal(sprag_scene_qp(scene)->constraint_count, 0);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

static void test_refused(void **state)
{
    (void)state;
    const struct {
        const char *text, *position, *fragment;
    } cases[] = {
        {"contact\nb: [0, 0]\ncontacts: [{}]\n", "1:1", "W is missing"},
        {"contact\nW: [[1, 0], [0, 1]]\ncontacts: [{}]\n", "1:1", "b is missing"},
        {"contact\nW: [[1, 0], [0, 1]]\nb: [0, 0]\n", "1:1", "contacts is missing"},
        {"contact\nW: [[1, 0], [0, 1]]\nb: [0, 0]\ncontacts: 3\n", "5:11", "must be a list"},
        {"contact\nW: [[1, 0], [0, 1]]\nb: [0, 0]\ncontacts: [{}, {}]\n", "3:4",
         "W must have 4 rows"},
        {"contact\nW: [[1, 0], [0]]\nb: [0, 0]\ncontacts: [{}]\n", "3:13", "2 numbers, got 1"},
        {"contact\nW: [[1, 0], 3]\nb: [0, 0]\ncontacts: [{}]\n", "3:13", "2 numbers, got 3"},
        {"contact\nW: 1\nb: [0, 0]\ncontacts: [{}]\n", "3:4", "W must be a list"},
        {"contact\nW: [[1, 0], [0, 1]]\nb: [0]\ncontacts: [{}]\n", "4:4", "2 numbers, got 1"},
        {"contact\nW: [[1, 0.5], [0.4, 1]]\nb: [0, 0]\ncontacts: [{}]\n", "3:16",
         "W must be symmetric: row 2, column 1 is 0.4, but row 1, column 2 is 0.5"},
        {"contact\nW: [[1, 2], [2, 1]]\nb: [0, 0]\ncontacts: [{}]\n", "3:4", ""},
        {"contact\nW: [[1, .nan], [0, 1]]\nb: [0, 0]\ncontacts: [{}]\n", "3:9", "finite"},
        {"contact\nW: [[1, 0], [0, 1]]\nb: [0, 0]\ncontacts: [{friction: -1}]\n", "5:23", "≥ 0"},
        {"contact\nW: [[1, 0], [0, 1]]\nb: [0, 0]\ncontacts: [{mu: 1}]\n", "5:13", "unknown key"},
        {"contact\nW: [[1, 0], [0, 1]]\nb: [0, 0]\ncontacts: [{kind: glue}]\n", "5:19",
         "kind must be contact"},
        {"contact\nW: [[1]]\nb: [0]\ncontacts: [{kind: limit, slip: 1}]\n", "5:26", "neither"},
        {"contact\nW: [[1, 0], [0, 1]]\nb: [0, 0]\ncontacts: [{}]\nstiffness: [1]\n", "6:12",
         "stiffness must have 2 numbers"},
        {"contact\nW: [[1, 0], [0, 1]]\nb: [0, 0]\ncontacts: [{}]\ndamping: [1, -1]\n", "6:14",
         "≥ 0"},
        {"contact\ndimension: 3\nW: [[1]]\nb: [0]\ncontacts: [{}]\n", "4:4", "W must have 3 rows"},
        {"contact\ndimension: 3\nW: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\nb: [0, 0, 0]\n"
         "contacts: [{slip: 1}]\n",
         "6:19", "two numbers"},
        {"contact\ndimension: 3\nW: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\nb: [0, 0, 0]\n"
         "contacts: [{slip: [1, 2, 3]}]\n",
         "6:19", "2 numbers, got 3"},
        {"lcp\ndimension: 3\nM: [[1]]\nq: [0]\n", "3:1", "unknown key"},
        {"contact\nV: 1\n", "3:1", "unknown key \"V\""},
        {"lcp\nM: [[1]]\n", "1:1", "q is missing"},
        {"lcp\nq: [1]\n", "1:1", "M is missing"},
        {"lcp\nM: []\nq: []\n", "4:4", "q must not be empty"},
        {"lcp\nM: [[1, 2]]\nq: [1]\n", "3:5", "1 number, got 2"},
        {"lcp\nM: [[1], [2]]\nq: [1]\n", "3:4", "1 row, got 2"},
        {"qp\nQ: []\nc: []\n", "4:4", "c must not be empty"},
        {"qp\nQ: [[1, 0], [1, 1]]\nc: [1, 1]\n", "3:14", "symmetric"},
        {"qp\nQ: [[1]]\nc: [1]\nH: [[1]]\n", "1:1", "K is missing"},
        {"qp\nQ: [[1]]\nc: [1]\nH: [[1]]\nK: [1, 2]\n", "5:4", "H must have 2 rows"},
        {"friction\na: 1\n", "3:1", "unknown key"},
        {"[lcp]\n", "2:10", "problem must be a text"},
    };
    SpragContext *context = test_context();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, "sprag: 1\nproblem: %s", cases[i].text);
        refuse(context, text, cases[i].position, cases[i].fragment);
    }
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contact),
        cmocka_unit_test(test_spatial_contact),
        cmocka_unit_test(test_lcp_and_qp),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
