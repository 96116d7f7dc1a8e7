// Thin, sharp and round bodies in space: what is thinner than its way in a step does not come
// through, and what spins fast on two points goes on. Independent  times of first touch are those
// of free fall; overlaps are measured on points of rims
//              against the planes or the sides of the other body, with no code of the collider
#include "physics.h"

// A gap counts as closed below 1e-9 of a scene's size, here below 1 m, and bodies that fall at some
// m/s touch to the accuracy of the run: together far below this.
static const double OVERLAP = 1e-7;

static void go(TestRun *r, double until)
{
    test_run_go_as(r, SPRAG_MOTION_EVENTS, until, 1e-9);
}

// ---- Ridges -------------------------------------------------------------------------------------

// A ridge along x at y = 0, z = 0.1: slopes of 0.1 on both sides.
#define RIDGE                                                                                      \
    "  - {name: ridge, fixed: true, shapes: [{height-field: {spacing: 1, heights: [[0, 0], [0.1, " \
    "0.1], [0, 0]]}}]}\n"

// The first event is a touch after a free fall by h; tolerance: of the run, at 9.81 m/s².
static void expect_touch(const char *text, double h)
{
    TestRun r;
    test_run_open(&r, context, text);
    go(&r, sqrt(2 * h / 9.81) + 0.01);
    assert_true(r.event_count > 0);
    assert_int_equal(r.events[0].type, SPRAG_EVENT_IMPACT);
    assert_close(r.events[0].t, sqrt(2 * h / 9.81), 1e-8);
    test_run_close(&r);
}

// A blade leans over the ridge: its edge crosses it, and above the edge the ridge passes beside it.
static void test_blade_on_ridge(void **state)
{
    (void)state;
    static const double leans[] = {20, 35, 60};
    for (size_t i = 0; i < sizeof leans / sizeof leans[0]; i++) {
        char text[2048];
        double a = leans[i] * PHYSICS_PI / 180, b = a + 0.15, h = 0.07;
        double x[2] = {0.2 * cos(a), 0.2 * cos(b)}, z[2] = {0.2 * sin(a), 0.2 * sin(b)};
        // a prism's centre: that of its triangle
        double cx = (x[0] + x[1]) / 3, cz = (z[0] + z[1]) / 3;
        snprintf(text, sizeof text,
                 "sprag: 1\ndimension: 3\nmaterials: {default: {friction: 0.3, restitution: "
                 "0}}\nbodies:\n" RIDGE
                 "  - {name: blade, density: 1000, com: auto, position: [%.17g, 0, %.17g], shapes: "
                 "[{hull: {points: [[0, -0.1, 0], [0, 0.1, 0], [%.17g, -0.1, %.17g], [%.17g, 0.1, "
                 "%.17g], [%.17g, -0.1, %.17g], [%.17g, 0.1, %.17g]]}}]}\n",
                 cx, 0.1 + h + cz, x[0], z[0], x[0], z[0], x[1], z[1], x[1], z[1]);
        expect_touch(text, h);
    }
}

// A thin needle falls across the ridge from afar: its middle is through, and farther than it is
// thick, within a step.
static void test_needle_across_ridge(void **state)
{
    (void)state;
    char text[1024];
    double h = 0.2, r = 0.0025;
    snprintf(text, sizeof text,
             "sprag: 1\ndimension: 3\nmaterials: {default: {friction: 0.3, restitution: "
             "0}}\nbodies:\n" RIDGE
             "  - {name: needle, density: 1000, position: [0.1, 0.01, %.17g], orientation: {axis: "
             "[1, 0, 0], angle: 90 deg}, shapes: [{capsule: {radius: %.17g, length: 0.19}}]}\n",
             0.1 + h + r, r);
    expect_touch(text, h);
}

// A plate comes down with a corner close to the ridge and its middle on the other side of it.
static void test_corner_beside_ridge(void **state)
{
    (void)state;
    // rises by 0.11 along y, more than the slope of 0.1 under its corner
    double tilt = atan(0.11), side = 0.2, d = 0.001, h = 0.08, half = 0.00125;
    // turned by 45° about z first, so that a corner is its end along y
    double reach = side * sqrt(0.5);
    double x = 0, y = -d + reach * cos(tilt) - half * sin(tilt);
    double z = 0.1 - 0.1 * d + h + reach * sin(tilt) + half * cos(tilt);
    double c = cos(tilt / 2), s = sin(tilt / 2), q = PHYSICS_PI / 8;
    char text[1024];
    snprintf(text, sizeof text,
             "sprag: 1\ndimension: 3\nmaterials: {default: {friction: 0.3, restitution: "
             "0}}\nbodies:\n" RIDGE
             "  - {name: plate, density: 1000, position: [%.17g, %.17g, %.17g], orientation: "
             "{quaternion: [%.17g, %.17g, %.17g, %.17g]}, shapes: [{box: {size: [%.17g, %.17g, "
             "%.17g]}}]}\n",
             x, y, z, c * cos(q), s * cos(q), -s * sin(q), c * sin(q), side, side, 2 * half);
    // the fall is vertical: the corner's height over the slope below it
    expect_touch(text, h);
}

// ---- Discs --------------------------------------------------------------------------------------

typedef enum Fixed { CYLINDER, BOX, BORE } Fixed;

// A disc of the second body against the first: how deep points of its rims are, at most.
typedef struct Depth {
    double radius, length;       // of the disc
    Fixed fixed;                 // the first body
    double size[3];              // its size, or radius and length
    SpragQuaternion orientation; // at the origin
    double most;
} Depth;

static double depth_in_fixed(const Depth *d, SpragVec3 p)
{
    SpragMat3 R = sprag_quaternion_matrix(d->orientation);
    p = sprag_mat3_apply_back(&R, p);
    if (d->fixed == CYLINDER)
        return fmin(d->size[0] - hypot(p.x, p.y), d->size[1] / 2 - fabs(p.z));
    if (d->fixed == BORE) // beyond its mouths nothing is around it
        return fabs(p.z) < d->size[1] / 2 ? hypot(p.x, p.y) - d->size[0] : -INFINITY;
    return fmin(d->size[0] / 2 - fabs(p.x),
                fmin(d->size[1] / 2 - fabs(p.y), d->size[2] / 2 - fabs(p.z)));
}

static void measure(TestRun *r, const SpragRunSample *sample)
{
    enum { POINTS = 360 };
    Depth *d = r->user;
    const double *q = sample->q;
    SpragMat3 R = sprag_quaternion_matrix((SpragQuaternion){q[3], q[4], q[5], q[6]});
    for (int i = 0; i < 2 * POINTS; i++) {
        double angle = 2 * PHYSICS_PI * i / POINTS, side = i < POINTS ? -0.5 : 0.5;
        SpragVec3 p = sprag_vec3(d->radius * cos(angle), d->radius * sin(angle), side * d->length);
        p = sprag_vec3_add(sprag_vec3_of(q), sprag_mat3_apply(&R, p));
        d->most = fmax(d->most, depth_in_fixed(d, p));
    }
}

static void expect_outside(const char *text, double until, Depth *d)
{
    TestRun r;
    d->most = -INFINITY;
    test_run_open(&r, context, text);
    r.look = measure;
    r.user = d;
    go(&r, until);
    assert_true(r.event_count > 2);
    assert_true(d->most <= OVERLAP);
    test_run_close(&r);
}

// A disc tips over an edge on which its rim stands: its flat end comes down on the edge, and of the
// rim's two places on the edge one has been open.
static void test_disc_on_edge(void **state)
{
    (void)state;
    Depth d = {.radius = 0.095233690538192278,
               .length = 0.0025,
               .fixed = BOX,
               .size = {0.32359205649443529, 0.47501260615001528, 0.58829064773245499},
               .orientation = {-0.3689781025545692, -0.20237517140433067, 0.80504321304773108,
                               0.41809672919084517}};
    expect_outside(
        "sprag: 1\ndimension: 3\nmaterials: {default: {friction: 0.3, restitution: 0}}\nbodies:\n"
        "  - {name: g, fixed: true, orientation: {quaternion: [-0.3689781025545692, "
        "-0.20237517140433067, 0.80504321304773108, 0.41809672919084517]}, shapes: [{box: {size: "
        "[0.32359205649443529, 0.47501260615001528, 0.58829064773245499]}}]}\n"
        "  - {name: b, density: 1442, position: [0.051462589241609222, -0.071099602758621219, "
        "0.64202617064216383], orientation: {quaternion: [0.59300969626720579, "
        "0.59300969626720579, 0.38514867276556514, 0.38514867276556514]}, shapes: [{cylinder: "
        "{radius: 0.095233690538192278, length: 0.0025}}]}\n",
        0.4, &d);
}

// A disc that bounces on a cylinder: at the begin of the step behind a bounce both touch.
static void test_disc_that_bounces(void **state)
{
    (void)state;
    Depth d = {.radius = 0.11239080162452511,
               .length = 0.0025,
               .size = {0.18362597117901644, 0.38826987206428604, 0},
               .orientation = {0.32909093551185481, 0.7510220863019279, -0.23488972591448193,
                               -0.52200746997571923}};
    expect_outside(
        "sprag: 1\ndimension: 3\nmaterials: {default: {friction: 0.5, restitution: 0.6}}\nbodies:\n"
        "  - {name: g, fixed: true, orientation: {quaternion: [0.32909093551185481, "
        "0.7510220863019279, -0.23488972591448193, -0.52200746997571923]}, shapes: [{cylinder: "
        "{radius: 0.18362597117901644, length: 0.38826987206428604}}]}\n"
        "  - {name: b, density: 689.7, position: [-0.0023438524988244891, 0.046073339020590257, "
        "0.41468432556797125], orientation: {quaternion: [-0.1328096467178711, "
        "0.7562407076875427, -0.57574626929310024, 0.28102993287191946]}, velocity: "
        "[0.81632098966526878, -0.11606929700355728, -0.3778106865954447], spin: "
        "[-4.206064197414138, -0.0778299018293378, -4.330113599351229], shapes: [{cylinder: "
        "{radius: 0.11239080162452511, length: 0.0025}}]}\n",
        0.45, &d);
}

// A cylinder tumbles in a bore: both ends of its rim, seen along the bore, are farther out than
// what is between them, and one holds it while the other comes down.
static void test_rim_in_bore(void **state)
{
    (void)state;
    Depth d = {.radius = 0.093596770407014598,
               .length = 0.13601238019020523,
               .fixed = BORE,
               .size = {0.6, 1.2, 0},
               .orientation = {0.5900957124710966, 0.29885757438738619, -0.73844515265896438,
                               0.13103418206329126}};
    expect_outside(
        "sprag: 1\ndimension: 3\nmaterials: {default: {friction: 0.5, restitution: 0}}\nbodies:\n"
        "  - {name: g, fixed: true, orientation: {quaternion: [0.5900957124710966, "
        "0.29885757438738619, -0.73844515265896438, 0.13103418206329126]}, shapes: [{cylinder: "
        "{radius: 0.6, length: 1.2}, inside: true}]}\n"
        "  - {name: b, density: 1232, position: [0.11330194481500036, -0.0017617987982332384, "
        "0.057600934134256487], orientation: {quaternion: [-0.51512262895164485, "
        "-0.2272342428579166, 0.25221224046854557, 0.78702113171920107]}, velocity: "
        "[0.82813372906695837, 0.67301252212007623, -0.0071874770640854013], spin: "
        "[-0.43043050993971921, 0.60841752633511081, 3.1111648146040629], shapes: [{cylinder: "
        "{radius: 0.093596770407014598, length: 0.13601238019020523}}]}\n",
        0.4, &d);
}

// A can with its flat end on a log, which is fixed or free: it rolls to its edge, where two places
// of its rim come together and the determinant of their rows vanishes while forces stay finite; or
// it rocks to and fro while one place turns into two. Whatever goes on, the account of energy
// closes.
static void expect_account(const char *text, double until)
{
    TestRun r;
    test_run_open(&r, context, text);
    go(&r, until);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    physics_assert_account(&r, 1e-9);
    test_run_close(&r);
}

static void test_can_on_log(void **state)
{
    (void)state;
    expect_account(
        "sprag: 1\ndimension: 3\nmaterials: {default: {friction: 0.8, restitution: 0}}\nbodies:\n"
        "  - {name: log, fixed: true, orientation: {axis: [0, 1, 0], angle: 90 deg}, shapes: "
        "[{cylinder: {radius: 0.1, length: 0.4}}]}\n"
        "  - {name: can, density: 1000, position: [0, 0.03, 0.3], shapes: [{cylinder: {radius: "
        "0.05, length: 0.1}}]}\n",
        0.5);
    expect_account(
        "sprag: 1\ndimension: 3\nmaterials: {default: {friction: 0.8, restitution: 0}}\nbodies:\n"
        "  - {name: log, density: 1000, orientation: {axis: [0, 1, 0], angle: 90 deg}, shapes: "
        "[{cylinder: {radius: 0.084426505848777381, length: 0.58210207467024477}}]}\n"
        "  - {name: ground, fixed: true, position: [0, 0, -0.084426505848777381], shapes: [{plane: "
        "{normal: [0, 0, 1]}}]}\n"
        "  - {name: can, density: 800, position: [-0.075471828541875674, 0, 0.21356143336639971], "
        "spin: [1.7698, 0.921172, -0.409516], shapes: [{cylinder: {radius: 0.036158375557393672, "
        "length: 0.15826985503524463}}]}\n",
        0.5);
}

// A thin plate slides out of a bore over the edge of its mouth.
static void test_plate_in_mouth(void **state)
{
    (void)state;
    expect_account(
        "sprag: 1\ndimension: 3\nmaterials: {default: {friction: 0.8, restitution: 0}}\nbodies:\n"
        "  - {name: g, fixed: true, orientation: {quaternion: [-0.18385451298888283, "
        "0.58084215753019441, -0.12441384764434196, 0.78316096723701711]}, shapes: [{cylinder: "
        "{radius: 0.6, length: 1.2}, inside: true}]}\n"
        "  - {name: b, density: 2816, position: [-0.08652278113141916, 0.11546575952298946, "
        "-0.05974972178979257], orientation: {quaternion: [-0.25668926075997972, "
        "-0.56709271949795459, 0.59331494887509961, 0.51038597389059104]}, velocity: "
        "[-0.84715650889544558, 0.60023934436636472, 0.0027642978598740875], spin: "
        "[-5.5201661607896764, -2.4903399966538458, -3.9269770845157383], shapes: [{box: {size: "
        "[0.20361556281433763, 0.0025, 0.18638051462215621]}}]}\n",
        0.5);
}

// ---- Spin ---------------------------------------------------------------------------------------

// A needle that rolls in a groove of two planes, both ends at rest on them: rows of its contacts
// depend on each other, and contradict each other by what they drift times the spin. No power is
// lost while both stick.
static void test_needle_in_groove(void **state)
{
    (void)state;
    TestRun r;
    test_run_open(
        &r, context,
        "sprag: 1\ndimension: 3\nmaterials: {default: {friction: 0.8, restitution: 0}}\nbodies:\n"
        "  - {name: left, fixed: true, shapes: [{plane: {normal: [0.2, 0.05, 1]}}]}\n"
        "  - {name: right, fixed: true, shapes: [{plane: {normal: [-0.2, 0.1, 1]}}]}\n"
        "  - {name: needle, density: 1000, position: [0, 0, 0.05], orientation: {axis: [0, 1, 0], "
        "angle: 90 deg}, velocity: [0, 2.5, 0], spin: [-1000, 0, 0], shapes: [{cylinder: {radius: "
        "2.5 mm, length: 20 cm}}]}\n"
        "start:\n  - {contact: [needle.a, left]}\n  - {contact: [needle.b, right]}\n");
    go(&r, 0.2);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_close(sprag_run_time(r.run), 0.2, 1e-12);
    test_run_close(&r);
}

// A box in a valley of rough ground. Its corners sink into layers beside the bottom of the valley
// and pass below it, where they once met neither side and fell through; its layers once ended while
// it was sunk into the other side, and events crept on by roundings of the clock. Energies are good
// to the tolerance of the run, 1e-9 of 36 J an arc, over some hundred arcs.
static void test_box_in_valley(void **state)
{
    (void)state;
    TestRun r;
    memset(&r, 0, sizeof r);
    r.context = context;
    r.last_t = -INFINITY;
    assert_ok(context, sprag_scene_read(
                           context, SPRAG_SOURCE_DIR "/tests/data/runs/box-on-rough-ground.yaml",
                           NULL, &r.scene));
    assert_ok(context, sprag_system_create_model(sprag_scene_model(r.scene), &r.system));
    SpragRunSettings settings = sprag_run_default();
    SpragSink sink = test_run_sink(&r);
    settings.output_step = 0.02;
    assert_ok(context, sprag_run_create(r.system, &settings, &sink, &r.run));
    assert_ok(context, sprag_run_advance(r.run, 1, &r.outcome));
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_close(sprag_run_drift(r.run), 0, 36e-7);
    test_run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blade_on_ridge),      cmocka_unit_test(test_needle_across_ridge),
        cmocka_unit_test(test_corner_beside_ridge), cmocka_unit_test(test_disc_on_edge),
        cmocka_unit_test(test_disc_that_bounces),   cmocka_unit_test(test_rim_in_bore),
        cmocka_unit_test(test_needle_in_groove),    cmocka_unit_test(test_box_in_valley),
        cmocka_unit_test(test_can_on_log),          cmocka_unit_test(test_plate_in_mouth)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}
