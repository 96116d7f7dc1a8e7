// The n-th allocation fails, for every n: ERROR_MEMORY, no crash, nothing left.
#include "scene_support.h"
#include "support/allocator.h"

static const char *const SCENE =
    "sprag: 1\nname: all\nparameters: {mu: {value: 0.3, from: 0, to: 1}, a: 2*mu}\n"
    "materials: {default: {friction: mu}}\n"
    "x-base: &base {mass: 1, shapes: [{name: s, box: {size: [1, 1]}}]}\n"
    "bodies:\n  - {name: f, fixed: true, shapes: [{plane: {}}, {chain: {points: [[0, 0], [1, "
    "0]]}}]}\n"
    "  - {<<: *base, name: \"b$(i)\", repeat: {i: 3}, sites: {m: [0, 1]}}\n"
    "  - {name: p, mass: 1, inertia: 1, shapes: [{points: {q: [1, 1]}}]}\n"
    "contacts: [{name: c, between: [b0.c0, f], friction: a, compliance: {stiffness: 1}}]\n"
    "joints: [{name: j, type: distance, between: [b1, p.q], spring: {stiffness: 1}}]\n"
    "loads: [{body: p, force: [1, 2]}]\nstart: [{contact: c}]\n"
    "outputs: {o: {max: c.normal, from: 0.1}, e: {time: stick, of: c}}\n"
    "events: [{name: w, signal: p.x, above: 1}, {type: stick, contact: c, stop: true}]\n"
    "expect: {o: [0, mu], verdict: unique}\n";
static const char *const PROBLEM = "sprag: 1\nproblem: contact\nW: [[1, 0], [0, 1]]\nb: [1, 2]\n"
                                   "contacts: [{friction: 1, slip: 1}]\n";
static const char *const QP = "sprag: 1\nproblem: qp\nQ: [[1]]\nc: [1]\nH: [[1]]\nK: [1]\n";
static const char *const DRIVE = "sprag: 1\nproblem: transmission\na: [1, 2]\nc: [1, -1]\n"
                                 "d: [1, 0.5]\nratio: {table: [[0, 0], [1, 1], [2, 3]]}\n"
                                 "input: [2*sin(t), {table: [[0, 0], [0.5, 1]]}]\n";
static const char *const GUIDES = "sprag: 1\nproblem: scalar\na: [[1]]\nc: [[1]]\nd: [1]\n";
// refused ones: their messages need memory too
static const char *const WRONG = "sprag: 1\nbodies: [{name: a, mass: 1, fricton: foo}]\n";
static const char *const PATH = "sprag: 1\nbodies: []\nloads: [{body: x, torque: 1}]\n";

static void sweep(const char *text, SpragStatus wanted)
{
    bool done = false;
    for (long n = 1; !done && n < 100000; n++) {
        CountingAllocator counter;
        SpragContext *context = starved_context(&counter, n);
        SpragSceneSet set = {"name", "new"};
        SpragScene *scene;
        SpragStatus status = read_with(context, text, &set, 1, &scene);
        done = status == wanted && counter.calls <= n;
        if (status != wanted && status != SPRAG_ERROR_MEMORY)
            fail_msg("allocation %ld: %s: %s", n, sprag_status_name(status),
                     sprag_context_message(context));
        sprag_scene_destroy(scene);
        sprag_context_destroy(context);
        assert_int_equal(counter.live, 0);
    }
    assert_true(done);
}

static void test_sweep(void **state)
{
    (void)state;
    sweep(SCENE, SPRAG_OK);
    sweep(PROBLEM, SPRAG_OK);
    sweep(QP, SPRAG_OK);
    sweep(DRIVE, SPRAG_OK);
    sweep(GUIDES, SPRAG_OK);
    sweep(WRONG, SPRAG_ERROR_INPUT);
    sweep(PATH, SPRAG_ERROR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sweep)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
