// Where several motions are possible, the page follows each of them: a wedge between two walls
// (theory.md 8.5) falls freely or sticks, in the plane and in space. Free fall is x = x0 − g t²/2,
// and reaches a floor at a distance d after √(2 d/g); what sticks stays.
#include "support/test.h"

static const double g = 9.81;

static const char plane_text[] =
    "sprag: 1\nparameters: {d: 50, m: 1}\nbodies:\n"
    "  - {name: left, fixed: true, shapes: [{plane: {normal: [1, 0], offset: -0.5}}]}\n"
    "  - {name: right, fixed: true, shapes: [{plane: {normal: [-1, 0], offset: -0.5}}]}\n"
    "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1], offset: -0.2-d}}]}\n"
    "  - {name: wedge, mass: m, inertia: 0.1, shapes: [{points: {lower: [-0.5, -0.2], upper: "
    "[0.5, 0.2]}}]}\n"
    "contacts: [{between: [wedge, left], friction: 0.5}, {between: [wedge, right], friction: "
    "0.5}]\n";
static const char space_text[] =
    "sprag: 1\ndimension: 3\nparameters: {d: 50, m: 1}\nbodies:\n"
    "  - {name: left, fixed: true, shapes: [{plane: {normal: [1, 0, 0], offset: -0.5}}]}\n"
    "  - {name: right, fixed: true, shapes: [{plane: {normal: [-1, 0, 0], offset: -0.5}}]}\n"
    "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 0, 1], offset: -0.2-d}}]}\n"
    "  - {name: wedge, mass: m, inertia: [0.1, 0.1, 0.1], shapes: [{points: {lower: [-0.5, 0, "
    "-0.2], upper: [0.5, 0, 0.2]}}]}\n"
    "contacts: [{between: [wedge, left], friction: 0.5}, {between: [wedge, right], friction: "
    "0.5}]\n";

typedef struct Tail {
    SpragContext *context;
    SpragScene *scene;
    SpragSystem *system;
    SpragPage *page;
    SpragRun *run;
    SpragText text;
} Tail;

// The tail of the page of a short run.
static Tail begin(const char *text, size_t length, const char *distance)
{
    Tail w = {.context = test_context()};
    SpragSceneSettings settings = sprag_scene_default();
    SpragSceneSet set = {"d", distance};
    SpragPageSettings page = sprag_page_default();
    SpragRunOutcome outcome;
    settings.sets = &set;
    settings.set_count = 1;
    sprag_text_init(&w.text, w.context);
    assert_ok(w.context,
              sprag_scene_read_text(w.context, "wedge.yaml", text, length, &settings, &w.scene));
    assert_ok(w.context, sprag_system_create_model(sprag_scene_model(w.scene), &w.system));
    page.scene = w.scene;
    page.until = 1e-3;
    assert_ok(w.context, sprag_page_create(w.system, &page, &w.page));
    SpragSink sink = sprag_page_sink(w.page);
    assert_ok(w.context, sprag_run_create(w.system, NULL, &sink, &w.run));
    assert_ok(w.context, sprag_run_advance(w.run, 1e-3, &outcome));
    assert_ok(w.context, sprag_page_status(w.page));
    assert_ok(w.context, sprag_page_tail(w.page, NULL, &w.text));
    assert_non_null(strstr(w.text.bytes, "\"branches\":["));
    return w;
}

static void end(Tail *w)
{
    sprag_run_destroy(w->run);
    sprag_page_destroy(w->page);
    sprag_system_destroy(w->system);
    sprag_scene_destroy(w->scene);
    sprag_text_destroy(&w->text);
    sprag_context_destroy(w->context);
}

static double number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    assert_non_null(at);
    return strtod(at + strlen(key), NULL);
}

// The text of the branch with these modes (of its first instant).
static const char *find_branch(const Tail *w, const char *modes)
{
    const char *all = strstr(w->text.bytes, "\"span\":"), *at = strstr(all, modes);
    assert_non_null(at);
    return at;
}

// Numbers of the last frame of a branch.
static int last_frame(const char *branch, double numbers[7])
{
    const char *from = strstr(branch, "\"frames\":[["), *to = strstr(from, "]]");
    assert_non_null(from);
    assert_non_null(to);
    while (*to != '[')
        to--;
    int count = 0;
    char *next;
    for (to++; count < 7; to = next + 1) {
        numbers[count++] = strtod(to, &next);
        if (*next != ',')
            break;
    }
    return count;
}

// Numbers are told to seven digits; the steps are exact for a constant acceleration.
static void check_fall(const char *text, size_t length, int up, const char *fall, const char *stick)
{
    Tail w = begin(text, length, "50");
    double numbers[7], span = number_after(w.text.bytes, "\"span\":");
    assert_true(span > 0.01);
    const char *falls = find_branch(&w, fall), *sticks = find_branch(&w, stick);
    assert_int_equal(last_frame(falls, numbers), up == 1 ? 3 : 7);
    assert_close(number_after(falls, "\"lasted\":"), span, 1e-6 * span);
    assert_close(numbers[up], -0.5 * g * span * span, 1e-6 * g * span * span);
    assert_close(numbers[0], 0, 1e-9);
    last_frame(sticks, numbers);
    for (int i = 0; i <= up; i++)
        assert_close(numbers[i], 0, 1e-9);
    end(&w);
}

static void test_plane(void **state)
{
    (void)state;
    check_fall(plane_text, sizeof plane_text - 1, 1, "\"modes\":[2,3]", "\"modes\":[1,1]");
}

static void test_space(void **state)
{
    (void)state;
    check_fall(space_text, sizeof space_text - 1, 2, "\"modes\":[5,5]", "\"modes\":[1,1]");
}

// Halving locates the end to a step over 2¹⁶.
static void test_end(void **state)
{
    (void)state;
    Tail w = begin(plane_text, sizeof plane_text - 1, "0.02");
    double span = number_after(w.text.bytes, "\"span\":"), wanted = sqrt(2 * 0.02 / g);
    const char *falls = find_branch(&w, "\"modes\":[2,3]");
    assert_true(span > wanted);
    assert_close(number_after(falls, "\"lasted\":"), wanted,
                 span / 64 / 65536 + 1e-7 * span + 1e-8);
    assert_non_null(strstr(falls, "\"end\":\"closes\""));
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plane), cmocka_unit_test(test_space),
                                       cmocka_unit_test(test_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
