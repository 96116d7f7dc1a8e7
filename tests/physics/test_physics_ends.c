// Runs that random scenes had end early, take long, or miss what their friction does: belts beside
// Karnopp's law, forces that touch their limit and turn back, friction that changes within a narrow
// band of speeds, corners in one place, rows that become dependent, links that a belt drags through
// a layer.
#include "support/runs.h"
#include "support/with_context.h"

// Most by which a loss has become less between samples, J.
typedef struct Losses {
    double friction, damping, gained;
    bool started;
} Losses;

static void watch_losses(TestRun *r, const SpragRunSample *sample)
{
    Losses *losses = r->user;
    const SpragEnergyAccount *e = &sample->energy;
    if (losses->started)
        losses->gained = fmax(losses->gained,
                              fmax(losses->friction - e->friction, losses->damping - e->damping));
    *losses = (Losses){e->friction, e->damping, losses->gained, true};
}

// A box at rest is set on a belt of speed u. Whatever the law of friction is, the belt gives it
// m u, which is work m u² of the belt, and the energy of its slip, m u²/2, is lost.
static void test_karnopp_on_a_belt(void **state)
{
    (void)state;
    static TestRun r;
    Losses losses = {0};
    const double m = 0.5, u = 0.6;
    test_run_open(&r, context,
                  "sprag: 1\nbodies:\n"
                  "  - {name: belt, fixed: true, surface-velocity: [-0.6, 0],\n"
                  "     shapes: [{plane: {normal: [0, 1]}}]}\n"
                  "  - {name: box, mass: 0.5, position: [0, 0.05],\n"
                  "     shapes: [{box: {size: [0.2, 0.1]}}]}\n"
                  "contacts: [{between: [box, belt], friction: 0.5,\n"
                  "            friction-law: {law: karnopp, speed: 2e-3}}]\n");
    r.look = watch_losses;
    r.user = &losses;
    test_run_go(&r, 0.5, 1e-9);
    const SpragEnergyAccount *e = &sprag_run_sample(r.run)->energy;
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    // the errors of some steps of 1e-9 each
    assert_close(e->friction, 0.5 * m * u * u, 1e-8);
    assert_close(e->actuation, m * u * u, 1e-8);
    assert_close(sprag_run_drift(r.run), 0, 1e-9);
    assert_true(losses.gained < 1e-12);
    test_run_close(&r);
}

// Two boxes, one upon the other, on a belt that they never catch up with, held by a spring. The
// belt drags with μ M g, so that both go to and fro as x = μ M g/k (1 − cos ω t), ω² = k/M. At
// either end they accelerate with μ g, which is just what the upper one can follow: its friction
// touches the edge of its cone and turns back.
static void test_force_touches_its_limit(void **state)
{
    (void)state;
    static TestRun r;
    const double mass = 0.0003 + 0.0155, k = 170, mu = 0.4, t = 0.5;
    test_run_open(&r, context,
                  "sprag: 1\nbodies:\n"
                  "  - {name: belt, fixed: true, surface-velocity: [0.14, 0],\n"
                  "     shapes: [{plane: {normal: [0, 1]}}]}\n"
                  "  - {name: low, mass: 0.0003, position: [0, 0.0004],\n"
                  "     shapes: [{box: {size: [0.0012, 0.0008]}}]}\n"
                  "  - {name: top, mass: 0.0155, position: [0, 0.001],\n"
                  "     shapes: [{box: {size: [0.0008, 0.0004]}}]}\n"
                  "contacts: [{between: ['*', '*'], friction: 0.4}]\n"
                  "joints:\n"
                  "  - {name: spring, type: distance, between: [world, low.com], length: 0.0024,\n"
                  "     at: [-0.0024, 0.0004], spring: {stiffness: 170, damping: 0}}\n");
    test_run_go(&r, t, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    double way = mu * mass * 9.81 / k;
    // errors of 1e-9 a step make friction miss its limit by 1e-7 of itself, and slip that long
    assert_close(sprag_run_position(r.run)[0], way * (1 - cos(sqrt(k / mass) * t)), 1e-5 * way);
    test_run_close(&r);
}

// Stribeck's friction of a body that slides to its end on a floor: v' = −g μ(v) (7.4), so that it
// stops after ∫ dv/(g μ(v)), here by Simpson's rule. Its band of speeds is passed within the last
// hundredth of the slip.
static void test_band_is_not_passed_over(void **state)
{
    (void)state;
    static TestRun r;
    enum { PARTS = 200000 };
    const double speeds[] = {0.1, 0.17, 0.3, 0.42}, g = 9.81;
    for (int k = 0; k < 4; k++) {
        char text[512];
        double v0 = speeds[k], time = 0;
        snprintf(text, sizeof text,
                 "sprag: 1\nbodies:\n"
                 "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"
                 "  - {name: b, mass: 0.5, inertia: 4e-5, velocity: [%g, 0],\n"
                 "     shapes: [{points: {l: [-0.01, 0], r: [0.01, 0]}}]}\n"
                 "contacts: [{between: [b, floor],\n"
                 "            friction: {static: 0.65, kinetic: 0.35, stribeck: 2e-3}}]\n",
                 v0);
        for (int i = 0; i <= PARTS; i++) {
            double v = v0 * i / PARTS, weight = i == 0 || i == PARTS ? 1 : i % 2 ? 4 : 2;
            time += weight / (g * (0.35 + 0.3 * exp(-pow(v / 2e-3, 2)))) * v0 / PARTS / 3;
        }
        test_run_open(&r, context, text);
        test_run_go(&r, 0.2, 1e-9);
        int stop = test_run_event(&r, SPRAG_EVENT_STICK, 0);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        assert_true(stop >= 0);
        // errors of speed of 1e-9 a step over the deceleration of 3.4 m/s²
        assert_close(r.events[stop].t, time, 1e-8);
        assert_close(sprag_run_drift(r.run), 0, 1e-9);
        test_run_close(&r);
    }
}

// Two links whose hinge touches the belt: the ends of both are in one place, and come out of their
// layers at the same time. One that is not told to would follow its depth on into the air, below
// zero, and give and take energy there.
static void test_corners_in_one_place(void **state)
{
    (void)state;
    static TestRun r;
    Losses losses = {0};
    test_run_open(&r, context,
                  "sprag: 1\nbodies:\n"
                  "  - {name: belt, fixed: true, position: [0, -0.1408399430099465],\n"
                  "     surface-velocity: [-1.0341974007923815, 0],\n"
                  "     shapes: [{box: {size: [16.900793161193583, 0.281679886019893]}}]}\n"
                  "  - {name: b0, mass: 0.005484067932020223, angle: 0.42398843123997004,\n"
                  "     position: [-0.05455964194944682, 0.024626309504886094],\n"
                  "     shapes: [{rod: {length: 0.11971983377005299}}]}\n"
                  "  - {name: b1, mass: 0.06725528812377239, angle: -0.42398843123997004,\n"
                  "     position: [0.05455964194944682, 0.024626309504886094],\n"
                  "     shapes: [{rod: {length: 0.11971983377005299}}]}\n"
                  "contacts: [{between: ['*', '*'], friction: 0.18654637568908206,\n"
                  "            friction-law: {law: karnopp, speed: 0.00036599937871271103},\n"
                  "            restitution: 0.8233772039356474, model: compliant}]\n"
                  "joints: [{name: hip, type: revolute, between: [b0.b, b1.a]}]\n");
    r.look = watch_losses;
    r.user = &losses;
    test_run_go(&r, 0.26, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    // of about 0.02 J, to the tolerance of the steps between two samples
    assert_true(losses.gained < 1e-9);
    test_run_close(&r);
}

// Boxes and a rod thrown onto a belt. The tip of the rod comes to lie under a box and slides out
// below its corner: there two of the rows that stand for all that are closed become one.
static void test_rows_that_meet(void **state)
{
    (void)state;
    static TestRun r;
    test_run_open(&r, context,
                  "sprag: 1\nbodies:\n"
                  "  - {name: belt, fixed: true, position: [0, -0.1655427034305775],\n"
                  "     surface-velocity: [-1.6856982515231969, 0],\n"
                  "     shapes: [{box: {size: [19.8651244116693, 0.331085406861155]}}]}\n"
                  "  - {name: b0, mass: 0.004427578409272405, angle: 0.593775514490642,\n"
                  "     position: [-0.2626601356994532, 0.26910040938583096],\n"
                  "     velocity: [2.6245783535602647, -2.078810303149582],\n"
                  "     spin: 9.595588969287851,\n"
                  "     shapes: [{box: {size: [0.16828793729473945, 0.13785622854410678]}}]}\n"
                  "  - {name: b1, mass: 0.03894302750140686, angle: -1.4847798557947112,\n"
                  "     position: [0.005381587970918917, 0.4130696940566478],\n"
                  "     velocity: [-2.6000082676990517, -0.4802100128334234],\n"
                  "     spin: -9.236560657092294,\n"
                  "     shapes: [{box: {size: [0.15734637503305965, 0.03836776356210142]}}]}\n"
                  "  - {name: b2, mass: 0.6744565760912229, angle: -1.0585302707657207,\n"
                  "     position: [0.2732693260322565, 0.2233617699852396],\n"
                  "     velocity: [-0.3506214572840811, -0.13144794920088845],\n"
                  "     spin: -0.40915132560780915,\n"
                  "     shapes: [{rod: {length: 0.17371215886936925}}]}\n"
                  "contacts: [{between: ['*', '*'], friction: 0.05942318597197462}]\n");
    test_run_go(&r, 1, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_close(sprag_run_drift(r.run), 0, 1e-7);
    test_run_close(&r);
}

// A link that hangs on a pin digs into a belt, which drags it through below the pin, deep in its
// layer. There it has no state with a closed gap: the pin would have to open. It leaves behind, and
// the contact is rigid again.
static void test_dragged_through(void **state)
{
    (void)state;
    static TestRun r;
    test_run_open(&r, context,
                  "sprag: 1\nbodies:\n"
                  "  - {name: belt, fixed: true, surface-velocity: [3, 0],\n"
                  "     shapes: [{plane: {normal: [0, 1], offset: -1.0021497622186439}}]}\n"
                  "  - {name: link, mass: 64, angle: 1.0094763065807717,\n"
                  "     shapes: [{rod: {length: 1.1838001041235242}}]}\n"
                  "contacts: [{between: [link, belt], friction: 1.5}]\n"
                  "joints: [{name: pin, type: revolute, between: [world, link.b], at: [0, 0]}]\n");
    test_run_go(&r, 0.5, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_true(test_run_event(&r, SPRAG_EVENT_TO_RIGID, 0) >= 0);
    // of the 4e5 J that the layer has held
    assert_close(sprag_run_drift(r.run), 0, 1e-3);
    test_run_close(&r);
}

// Largest force that pulls, N.
static void watch_pull(TestRun *r, const SpragRunSample *sample)
{
    double *pull = r->user;
    for (int i = 0; i < sprag_system_contact_count(r->system); i++)
        *pull = fmax(*pull, -sample->contacts[i].normal);
}

// A tower falls over. A box that turns about the corner of another one slides off it, corner over
// corner, and from there on falls together with a heavy ball that lay upon it: the ball does not
// hold it.
static void test_corner_slides_off(void **state)
{
    (void)state;
    static TestRun r;
    double pull = 0;
    test_run_open(&r, context,
                  "sprag: 1\nbodies:\n"
                  "  - {name: floor, fixed: true,\n"
                  "     shapes: [{plane: {normal: [0.08332680831006027, 0.9965222742201293]}}]}\n"
                  "  - {name: b0, mass: 0.052894452812050255, angle: -0.08342353881411495,\n"
                  "     position: [-0.0017625271217347367, 0.0017359719473867617],\n"
                  "     shapes: [{box: {size: [0.007222513889404489, 0.003166137906756259]}}]}\n"
                  "  - {name: b1, mass: 0.046312569190027575, angle: -0.08342353881411495,\n"
                  "     position: [-0.00017002982787763714, 0.006310399174501641],\n"
                  "     shapes: [{box: {size: [0.011366634621435187, 0.006216294773960779]}}]}\n"
                  "  - {name: b2, mass: 0.10391258848088143, angle: -0.08342353881411495,\n"
                  "     position: [0.0027057096216371204, 0.012930554116601725],\n"
                  "     shapes: [{box: {size: [0.005700824533269167, 0.007457221322940418]}}]}\n"
                  "  - {name: b3, mass: 2.685882356261234, angle: -0.08342353881411495,\n"
                  "     position: [0.0007691579734720585, 0.019037025029658473],\n"
                  "     shapes: [{circle: {radius: 0.00219525695229899}}]}\n"
                  "contacts: [{between: ['*', '*'], friction: 0.025493830526509043}]\n");
    r.look = watch_pull;
    r.user = &pull;
    test_run_go(&r, 0.18, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    // forces of up to 30 N end where they are zero, to the error of the event's time
    assert_true(pull < 1e-6);
    test_run_close(&r);
}

// A rod lies in its layers on a belt that carries it beyond its end: the tip that comes there first
// is clipped as the rod tips over, and no side goes on below it. It was taken up again by the side
// that had ended, without an end.
static void test_carried_off(void **state)
{
    (void)state;
    TestRun r;
    test_run_open(&r, context,
                  "sprag: 1\n"
                  "bodies:\n"
                  "  - {name: belt, fixed: true, position: [0, -0.00334],\n"
                  "     surface-velocity: [-0.34, 0], shapes: [{box: {size: [0.4, 0.00667]}}]}\n"
                  "  - {name: rod, mass: 0.0486, position: [0, 0.0133], angle: 0.341,\n"
                  "     shapes: [{rod: {length: 0.003}}]}\n"
                  "contacts:\n"
                  "  - {name: tip, between: [rod, belt], friction: 0.564, model: compliant,\n"
                  "     friction-law: {law: dahl, stiffness: 24100}}\n"
                  "loads: [{body: rod, force: [-0.00107, -0.000279]}]\n"
                  "start: [{contact: tip.0, slip: 0}]\n");
    test_run_go(&r, 0.7, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    // the belt ends at 0.2 m, and 0.1 s of fall is 49 mm
    const double *q = sprag_run_sample(r.run)->q;
    assert_true(q[0] < -0.2 && q[1] < -0.02);
    test_run_close(&r);
}

// A disc that fits a slot exactly falls to its bottom, with bristles on all three sides. The force
// of one wall fades through zero there while slips, which are errors by then, are against those of
// its motion: a decision that changed nothing was taken for a change, two hundred times. It rests
// in the end, a radius above the bottom, with what it fell lost.
static void test_disc_in_a_slot(void **state)
{
    const double g = 9.81, mass = 0.004, radius = 0.01, deep = 0.026, up = 0.146, spin = 2.43;
    static TestRun r;
    char text[1024];
    (void)state;
    snprintf(text, sizeof text,
             "sprag: 1\nbodies:\n"
             "  - {name: slot, fixed: true, shapes: [{plane: {normal: [1, 0], offset: -%.17g}},\n"
             "     {plane: {normal: [-1, 0], offset: -%.17g}},\n"
             "     {plane: {normal: [0, 1], offset: -%.17g}}]}\n"
             "  - {name: disc, mass: %.17g, velocity: [0, %.17g], spin: %.17g,\n"
             "     shapes: [{circle: {radius: %.17g}}]}\n"
             "contacts: [{friction: 0.78, friction-law: {law: lugre, stiffness: 1200},\n"
             "            between: ['*', '*']}]\n",
             radius, radius, deep, mass, up, spin, radius);
    test_run_open(&r, context, text);
    test_run_go_as(&r, SPRAG_MOTION_AUTO, 1, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    const SpragRunSample *end = sprag_run_sample(r.run);
    double fallen = mass * g * (deep - radius);
    double begun = 0.5 * mass * up * up + 0.25 * mass * radius * radius * spin * spin;
    assert_close(end->q[1], radius - deep, 1e-9);
    assert_close(end->energy.friction + end->energy.impact + end->energy.damping, fallen + begun,
                 1e-6 * (fallen + begun));
    test_run_close(&r);
}

// A box on layers with weak dampers is pulled harder than friction holds, from rest and not pressed
// in yet: at first there are neither forces nor slip, and whether it slips is a matter of rates. It
// slid and stuck at t = 0 without an end.
static void test_pulled_on_weak_dampers(void **state)
{
    (void)state;
    static TestRun r;
    const double pulls[] = {80, 85, 100, 300, 540};
    for (size_t i = 0; i < sizeof pulls / sizeof *pulls; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "sprag: 1\nbodies:\n"
            "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"
            "  - {name: box, mass: 7.389, position: [0, 0.1906], shapes: [{box: {size: [0.315, "
            "0.3812]}}]}\n"
            "contacts: [{between: [box, floor], friction: 1.0147, model: compliant, "
            "compliance: {law: kelvin-voigt, stiffness: 3e4, damping: 2.5}}]\n"
            "loads: [{body: box, force: [-%g, 0]}]\n",
            pulls[i]);
        test_run_open(&r, context, text);
        test_run_go(&r, 0.2, 1e-9);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        // of hundreds of joules: the errors of some hundred steps
        assert_close(sprag_run_drift(r.run), 0, 1e-5);
        assert_true(sprag_run_velocity(r.run)[0] < 0);
        test_run_close(&r);
    }
}

// A tower on a chain beside a guide, with Dahl's law: steps of some roundings where the verdict
// changes, which could not be halved any more. The run hung there.
static void test_steps_of_roundings(void **state)
{
    (void)state;
    static TestRun r;
    test_run_open(&r, context,
                  "sprag: 1\n"
                  "bodies:\n"
                  "  - {'name': 'floor', 'fixed': true, 'shapes': [{'chain': {'points': [[-4, 0.136"
                  "59831905657183], [-1, 0], [0.31804905577260456, -0.003987913245611943], [1, 0], "
                  "[4, -0.03477005869233912]]}}]}\n"
                  "  - {'name': 'wall', 'fixed': true, 'shapes': [{'plane': {'normal': [-1, 0], 'of"
                  "fset': -1.802421729954753}}]}\n"
                  "  - {'name': 'b0', 'mass': 0.24904476360491684, 'position': [0, 0.57681601176414"
                  "84], 'shapes': [{'box': {'size': [0.15425363569275566, 0.3536320235282968]}}]}\n"
                  "  - {'name': 'b1', 'mass': 0.9469182136666495, 'position': [0, 0.987088412972704"
                  "8], 'velocity': [2.0892972610596807, 0], 'spin': 0, 'shapes': [{'box': {'size': "
                  "[0.5821873568212893, 0.46691277888881577]}}]}\n"
                  "  - {'name': 'b2', 'density': 937.7831350810357, 'position': [-0.046290719284564"
                  "39, 1.3525809537487863], 'shapes': [{'capsule': {'radius': 0.13203615133167357, "
                  "'length': 0.5053030296739599}}]}\n"
                  "contacts:\n"
                  "  - {'between': ['*', '*'], 'friction': 2.9435401440852353, 'friction-law': {'la"
                  "w': 'dahl', 'stiffness': 2522.9034495986502}}\n"
                  "joints:\n"
                  "  - {'name': 'j', 'type': 'prismatic', 'between': ['world', 'b1'], 'axis': [-0.3"
                  "9107302733243365, 1]}\n");
    test_run_go(&r, 0.29, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    test_run_close(&r);
}

// Boxes in space where the search finds three motions, none of them stable, and cannot exclude
// others: should a run end there, it says why.
static void test_end_says_why(void **state)
{
    (void)state;
    static TestRun r;
    test_run_open(&r, context,
                  "sprag: 1\n"
                  "dimension: 3\n"
                  "bodies:\n"
                  "  - {'name': 'floor', 'fixed': true, 'shapes': [{'plane': {'normal': [-0.4547519"
                  "390475948, 0, 0.8906181414795302], 'offset': 0}}]}\n"
                  "  - {'name': 'b0', 'mass': 0.20702313740222153, 'position': [-0.0681265724568597"
                  "1, 0, 0.13342386505041084], 'orientation': {'axis': [0, 1, 0], 'angle': -0.47209"
                  "36675938755}, 'shapes': [{'box': {'size': [0.3575195879928498, 0.186393713284256"
                  "77, 0.299620811291272]}}]}\n"
                  "  - {'name': 'b1', 'mass': 3.1335037919266413, 'position': [-0.19249690097899108"
                  ", 0, 0.3769994528215414], 'orientation': {'axis': [0, 1, 0], 'angle': -0.4720936"
                  "675938755}, 'shapes': [{'box': {'size': [0.37309337584828806, 0.1732853630200828"
                  ", 0.24736015940059627]}}]}\n"
                  "  - {'name': 'b2', 'mass': 2.5683003627837793, 'position': [-0.30739871443710776"
                  ", 0, 0.6020312355754907], 'orientation': {'axis': [0, 1, 0], 'angle': -0.4720936"
                  "675938755}, 'shapes': [{'box': {'size': [0.259046005159412, 0.3646102295819502, "
                  "0.25797826180002636]}}]}\n"
                  "  - {'name': 'b3', 'mass': 0.7738589030407554, 'position': [-0.42421367683487826"
                  ", 0, 0.8308098636020002], 'orientation': {'axis': [0, 1, 0], 'angle': -0.4720936"
                  "675938755}, 'shapes': [{'box': {'size': [0.48940763882071137, 0.3104905276797286"
                  ", 0.25577419252670297]}}]}\n"
                  "contacts:\n"
                  "  - {'between': ['*', '*'], 'friction': {'static': 2.021213659394793, 'kinetic':"
                  " 1.488626155365316}, 'model': 'rigid'}\n"
                  "  - {'between': ['b1', 'floor'], 'friction': 1, 'friction-law': {'law': 'dahl', "
                  "'stiffness': 1739.4400849098463}, 'model': 'compliant'}\n");
    test_run_go(&r, 1, 1e-9);
    assert_true(r.outcome == SPRAG_RUN_DONE ||
                strstr(sprag_context_message(context), "motions found"));
    test_run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_karnopp_on_a_belt),
                                       cmocka_unit_test(test_force_touches_its_limit),
                                       cmocka_unit_test(test_band_is_not_passed_over),
                                       cmocka_unit_test(test_corners_in_one_place),
                                       cmocka_unit_test(test_rows_that_meet),
                                       cmocka_unit_test(test_dragged_through),
                                       cmocka_unit_test(test_corner_slides_off),
                                       cmocka_unit_test(test_carried_off),
                                       cmocka_unit_test(test_disc_in_a_slot),
                                       cmocka_unit_test(test_pulled_on_weak_dampers),
                                       cmocka_unit_test(test_steps_of_roundings),
                                       cmocka_unit_test(test_end_says_why)};
    return cmocka_run_group_tests_name("ends of runs", tests, setup, teardown);
}
