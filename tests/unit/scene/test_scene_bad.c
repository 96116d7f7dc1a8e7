// Refused scenes: one line each, with position, key and what would be right.
#include "scene_support.h"

static void test_top(void **state)
{
    (void)state;
    const Bad cases[] = {
        {"", "1:1", "there is nothing in it"},
        {"# only a comment\n", "1:1", "there is nothing in it"},
        {"hello", "1:1", "got hello"},
        {"- 1\n", "1:1", "got a list"},
        {"bodies: []\n", "1:1", "\"sprag: 1\" is missing"},
        {"sprag: 2\nbodies: []\n", "1:8", "version 2 is not supported"},
        {"sprag: [1]\nbodies: []\n", "1:8", "version a list"},
        {"sprag: 1\n", "1:1", "needs bodies, or problem"},
        {"sprag: 1\nbodys: []\n", "2:1", "unknown key \"bodys\"; did you mean \"bodies\"?"},
        {"sprag: 1\nbodies: []\nproblem: lcp\n", "3:1", "not both"},
        {"sprag: 1\nbodies: []\ndimension: 4\n", "3:12", "must be 2 or 3"},
        {"sprag: 1\nbodies: []\ngravity: 9.81\n", "3:10", "list of 2 numbers, got 9.81"},
        {"sprag: 1\nbodies: []\ngravity: [0, -9.81, 0]\n", "3:10", "list of 2 numbers, got 3"},
        {"sprag: 1\nbodies: []\ngravity: [0, 9 m]\n", "3:14", "gravity must be an acceleration"},
        {"sprag: 1\nbodies: []\nmaterials: {a: {poisson-ratio: 0.6}}\n", NULL,
         "poisson-ratio must be above -1 and at most 0.5"},
        {"sprag: 1\nbodies: 3\n", "2:9", "bodies must be a list, got 3"},
        {"sprag: 1\nbodies: []\nname: [a]\n", "3:7", "name must be a text"},
        {"sprag: 1\nbodies: []\nevents: 3\n", "3:9", "events must be a list, got 3"},
        {"sprag: 1\nbodies: []\ncontrollers: 3\n", "3:14", "controllers must be a list"},
        {"sprag: 1\nbodies: []\nexpect: 3\n", "3:9", "expect must be a mapping"},
        {"sprag: 1\nbodies: []\nsprag: 1\n", "3:1", "\"sprag\" is given twice, first in line 1"},
        {"sprag: 1\nproblem: friction\n", "1:1", "q is missing"},
        {"sprag: 1\nproblem: friction\nq: [1, 2, 3]\nW: []\n", "3:4", "2 numbers a contact"},
        {"sprag: 1\nproblem: friction\nq: [1, 2]\nW: [[1, 0]]\n", "4:4", "W must have 2 rows"},
        {"sprag: 1\nproblem: friction\nq: [1, 2]\nW: [[1, 0], [0, 1]]\nfriction: [-1]\n", "5:12",
         "friction must be"},
        {"sprag: 1\nproblem: friction\nq: [1, 2]\nW: [[1, 0], [0, 1]]\nfriction: [1, 1]\n", "5:11",
         "friction must have 1 number"},
        {"sprag: 1\nproblem: foo\n", "2:10", "problem must be contact, lcp, qp"},
    };
    REFUSE_ALL("", cases);
}

static void test_bodies(void **state)
{
    (void)state;
    const Bad cases[] = {
        {"{mass: 1}", "3:5", "a body needs a name"},
        {"3", "3:5", "a body must be a mapping"},
        {"{name: a, mass: -1, inertia: 1}", "3:21", "mass must be a number > 0, got -1"},
        {"{name: a, mass: 0, inertia: 1}", "3:21", "mass must be a number > 0"},
        {"{name: a, mass: .nan, inertia: 1}", "3:21", "finite"},
        {"{name: a, mass: .inf, inertia: 1}", "3:21", "finite"},
        {"{name: a, mass: 1e300, inertia: 1}", "3:21", "at most 1e30"},
        {"{name: a, mass: 1e-300, inertia: 1}", "3:12", "mass"},
        {"{name: a, mass: heavy, inertia: 1}", "3:21", "mass: \"heavy\" is no parameter"},
        {"{name: a, mass: [1], inertia: 1}", "3:21", "mass must be a number, got a list"},
        {"{name: a, mass: , inertia: 1}", NULL, "mass must be a number, got nothing"},
        {"{name: a, inertia: 1}", "3:5", "a needs mass or density, or fixed: true"},
        {"{name: a, mass: 1, density: 1, inertia: 1}", "3:24", "mass or density"},
        {"{name: a, density: 1, inertia: 1}", "3:24", "density needs shapes"},
        {"{name: a, density: 1, shapes: [{rod: {length: 1}}]}", "3:24", "density needs shapes"},
        {"{name: a, mass: 1}", "3:5", "no shapes to derive its inertia"},
        {"{name: a, mass: 1, inertia: 0}", "3:33", "inertia must be a number > 0"},
        {"{name: a, mass: 1, inertia: -1}", "3:33", "inertia must be a number > 0"},
        {"{name: a, mass: 1, inertia: 0.26, shapes: [{rod: {length: 1}}]}", "3:33",
         "inertia 0.26 kg m² is more than a rigid body of mass 1 kg within 0.5 m"},
        {"{name: a, mass: 1, shapes: [{points: {p: [0, 0]}}]}", "3:5", "give inertia"},
        {"{name: a, mass: 1, shapes: [{rod: {length: 1}}, {circle: {radius: 1}}]}", "3:5",
         "different sorts"},
        {"{name: world, mass: 1, inertia: 1}", "3:12", "\"world\" is reserved"},
        {"{name: no, mass: 1, inertia: 1}", "3:12", "\"no\" is reserved"},
        {"{name: a b, mass: 1, inertia: 1}", "3:12", "letters, digits"},
        {"{name: a.b, mass: 1, inertia: 1}", "3:12", "letters, digits"},
        {"{name: 1, mass: 1, inertia: 1}", "3:12", "begin with a letter"},
        {"{name: [a], mass: 1, inertia: 1}", "3:12", "name must be a text"},
        {"{name: a, fixed: yes}", "3:22", "fixed must be true or false, got yes"},
        {"{name: a, fixed: true, mass: -1}", "3:34", "mass must be"},
        {"{name: a, fixed: true, velocity: [1, 0]}", "3:28", "a fixed body has no velocity"},
        {"{name: a, mass: 1, inertia: 1, surface-velocity: [1, 0]}", "3:36", "needs fixed: true"},
        {"{name: a, mass: 1, inertia: 1, drive: {}}", "3:43", "drive needs position or angle"},
        {"{name: a, mass: 1, inertia: 1, orientation: {}}", "3:36", "angle"},
        {"{name: a, mass: 1, inertia: 1, positon: [0, 0]}", "3:36", "did you mean \"position\"?"},
        {"{name: a, mass: 1, inertia: 1, position: [0, 0, 0]}", "3:46", "list of 2 numbers, got 3"},
        {"{name: a, mass: 1, inertia: 1, position: [0, 1e40]}", "3:50", "at most 1e30"},
        {"{name: a, mass: 1, inertia: 1, com: here}", "3:41", "[x, y] or auto, got here"},
        {"{name: a, mass: 1, inertia: 1, com: auto}", "3:41", "com: auto needs shapes"},
        {"{name: a, mass: 1, inertia: 1, sites: {com: [0, 0]}}", "3:44", "centre of mass"},
        {"{name: a, mass: 1, inertia: 1, sites: {on: [0, 0]}}", "3:44", "reserved"},
        {"{name: a, mass: 1, shapes: [{rod: {length: 1}}], sites: {a: [0, 0]}}", "3:62",
         "a.a is a place of the body already"},
        {"{name: a, mass: 1, inertia: 1, angle: 1 m}", "3:43", "angle must be an angle"},
        {"{name: a, mass: 1, inertia: 1, spin: 1 m}", "3:42", "spin must be an angular velocity"},
        {"{name: a, mass: 1, inertia: 1}\n  - {name: a, mass: 1, inertia: 1}", "4:12",
         "the name \"a\" is given twice"},
        {"{name: a, repeat: {i: 1.5}, mass: 1, inertia: 1}", "3:27", "whole numbers"},
        {"{name: a, repeat: {i: 1e9}, mass: 1, inertia: 1}", "3:27", "at most 100000"},
        {"{name: \"a$(i)\", repeat: {i: 3, k: 1-i}, mass: 1, inertia: 1}", "3:39",
         "≥ 0, got 1-i = -1"},
        {"{name: \"a$(i)\", repeat: {k: i, i: 3}, mass: 1, inertia: 1}", "3:33", "\"i\""},
        {"{name: a, repeat: 3, mass: 1, inertia: 1}", "3:23", "repeat must be a mapping"},
        {"{name: a, repeat: {i: 2}, mass: 1, inertia: 1}", "3:12", "given twice"},
        {"{name: \"a$(i\", repeat: {i: 2}, mass: 1, inertia: 1}", "3:12", "$(formula)"},
        {"{name: \"a$(q)\", repeat: {i: 2}, mass: 1, inertia: 1}", "3:12", "\"q\""},
    };
    REFUSE_ALL("sprag: 1\nbodies:\n  - ", cases);
}

static void test_shapes(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int offset; // of the fault from the start of the shape; -1: anywhere
        const char *fragment;
    } cases[] = {
        {"{}", 0, "a shape needs its kind"},
        {"{circel: {radius: 1}}", 1, "did you mean \"circle\"?"},
        {"{circle: {radius: 1}, box: {size: [1, 1]}}", -1, "one kind, not circle and box"},
        {"{sphere: {radius: 1}}", 1, "scenes in space"},
        {"{circle: {radius: -1}}", 18, "radius must be a number > 0"},
        {"{circle: {}}", 9, "radius is missing"},
        {"{circle: 1}", 9, "circle must be a mapping"},
        {"{circle: {radius: 1, length: 2}}", 21, "unknown key \"length\"; known here: radius"},
        {"{rod: {length: 0}}", 15, "length must be a number > 0"},
        {"{capsule: {length: 1}}", 10, "radius is missing"},
        {"{box: {size: [1, 0]}}", 13, "size must be lengths > 0, got [1, 0]"},
        {"{box: {}}", -1, "size is missing"},
        {"{polygon: {}}", -1, "points is missing"},
        {"{points: {com: [0, 0]}}", -1, "centre of mass"},
        {"{box: {size: 1}}", 13, "list of 2 numbers"},
        {"{box: {size: [1 kg, 1]}}", 14, "size must be a length"},
        {"{polygon: {points: [[0, 0], [1, 0]]}}", -1, "at least 3 points, got 2"},
        {"{polygon: {points: [[0,0], [2,0], [1,0.5], [2,2], [0,2]]}}", -1,
         "convex: corner c2 at [1, 0.5] is turned inwards"},
        {"{polygon: {points: [[0,2], [2,2], [1,0.5], [2,0], [0,0]]}}", -1,
         "convex: corner c2 at [1, 0.5] is turned inwards"},
        {"{polygon: {points: [[0,0], [1,0], [2,0]]}}", -1, "must have an area"},
        {"{polygon: {points: [[0,0], [2,0], [2,1], [2,0.5], [2,2], [0,2]]}}", -1,
         "corner c2 at [2, 1] is turned inwards"},
        {"{polygon: {points: [[0,0], [1,0], [1,0], [1,1]]}}", -1, "corner c2 equals corner c1"},
        {"{polygon: {points: [[1,0], [-0.81,0.59], [0.31,-0.95], [0.31,0.95], [-0.81,-0.59]]}}", -1,
         "cross itself"},
        {"{plane: {normal: [0, 1]}}", 1, "a plane needs a body with fixed: true"},
        {"{chain: {points: [[0, 0], [1, 0]]}}", 1, "a chain needs a body with fixed: true"},
        {"{points: {}}", -1, "at least one point"},
        {"{points: [[0, 0]]}", -1, "points must be a mapping"},
        {"{points: {true: [0, 0]}}", -1, "reserved"},
        {"{circle: {radius: 1}, material: wod}", 32, "no material \"wod\"; did you mean \"wood\""},
        {"{circle: {radius: 1}, name: a.b}", 28, "letters"},
        {"{capsule: {radius: 1, length: 1}, inside: true}", 34, "only a circle can be inside"},
        {"{circle: {radius: 1}, surface-velocity: [0, 0]}", 22, "fixed: true"},
        {"{circle: {radius: 1}, at: [0, 0, 0]}", -1, "at must be a list of 2"},
        {"{name: s, circle: {radius: 1}}, {name: s, circle: {radius: 1}}", -1, "given twice"},
    };
    SpragContext *context = test_context();
    const char *head = "  - {name: b, mass: 1, shapes: [";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024], position[32];
        snprintf(text, sizeof text, "sprag: 1\nbodies:\n%s%s]}\nmaterials: {wood: {}}\n", head,
                 cases[i].text);
        snprintf(position, sizeof position, "3:%d", (int)strlen(head) + 1 + cases[i].offset);
        refuse(context, text, cases[i].offset < 0 ? NULL : position, cases[i].fragment);
    }
    const Bad fixed[] = {
        {"{plane: {normal: [0, 0]}}", NULL, "normal must not be [0, 0]"},
        {"{plane: {offset: 1 s}}", NULL, "offset must be a length"},
        {"{chain: {points: [[0, 0]]}}", NULL, "at least 2 points, got 1"},
        {"{chain: {points: [[0, 0], [0, 0]]}}", NULL, "p1 equals the one before"},
        {"{chain: {points: [[0, 0], [1, 0]], closed: true}}", NULL, "at least 3"},
        {"{chain: {points: [[0, 0], [1, 0], [0, 1], [0, 0]], closed: true}}", NULL, "repeat"},
        {"{chain: {points: [[0, 0], [1, 0]], closed: 1}}", NULL, "true or false"},
    };
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        char text[512];
        snprintf(text, sizeof text, "sprag: 1\nbodies: [{name: b, fixed: true, shapes: [%s]}]\n",
                 fixed[i].text);
        refuse(context, text, fixed[i].position, fixed[i].fragment);
    }
    sprag_context_destroy(context);
}

static const char *const TWO_BODIES =
    "sprag: 1\n"
    "materials: {steel: {}}\n"
    "bodies:\n"
    "  - {name: table, fixed: true, shapes: [{plane: {}}]}\n"
    "  - {name: rod, mass: 1, shapes: [{rod: {length: 1}}], sites: {marker: [0, 0]}}\n"
    "  - {name: cart, mass: 1, shapes: [{box: {size: [1, 1]}}, {name: lid, box: {size: [1, "
    "1]}}]}\n";

// What stands in `contacts:`, refused.
static void refuse_contacts(const Bad *cases, size_t count)
{
    char head[1024];
    snprintf(head, sizeof head, "%scontacts: [", TWO_BODIES);
    SpragContext *context = test_context();
    for (size_t i = 0; i < count; i++) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s]\n", head, cases[i].text);
        refuse(context, text, cases[i].position, cases[i].fragment);
    }
    sprag_context_destroy(context);
}

static const Bad BAD_PAIRS[] = {
    {"{}", "7:12", "needs between"},
    {"{between: rod}", "7:22", "between must be a list of 2 names, got rod"},
    {"{between: [rod]}", "7:22", "between must be a list of 2 names"},
    {"{between: [rod, tabel]}", "7:28", "no body or material \"tabel\"; did you mean \"table\""},
    {"{between: [rod, stel]}", "7:28", "did you mean \"steel\"?"},
    {"{between: [rod.c, table]}", "7:23", "rod has no \"c\""},
    {"{between: [cart.c0, table]}", "7:23", "name the shape: cart.shape.c0"},
    {"{between: [cart.lod, table]}", "7:23", "did you mean \"lid\"?"},
    {"{between: [rod, table], restitution: 1.1}", "7:49", "in 0 … 1, got 1.1"},
    {"{between: [rod, table], restitution: {law: newton}}", NULL, "restitution needs e"},
    {"{between: [rod, table], restitution: {law: x, e: 1}}", NULL, "energetic, newton or poisson"},
    {"{between: [rod, table], model: soft}", NULL, "model must be auto, rigid or compliant"},
    {"{between: [rod, table], collide: 0}", NULL, "true or false"},
    {"{name: no, between: [rod, table]}", "7:19", "reserved"},
    {"{name: c, between: [rod, table]}, {name: c, between: [rod, table]}", NULL, "twice"},
};

static const Bad BAD_FRICTION[] = {
    {"{between: [rod, table], friction: -0.2}", "7:46", "friction must be a number ≥ 0, got -0.2"},
    {"{between: [rod, table], fricton: 1}", "7:36",
     "unknown key \"fricton\"; did you mean "
     "\"friction\"?"},
    {"{between: [rod, table], friction: {}}", "7:46", "static or kinetic"},
    {"{between: [rod, table], friction: {static: -1}}", NULL, "static must be a number ≥ 0"},
    {"{between: [rod, table], friction: {stribeck: 1}}", NULL, "static or kinetic"},
    {"{between: [rod, table], friction-law: dry}", "7:50", "must be coulomb, tanh"},
    {"{between: [rod, table], friction-law: {law: tahn}}", "7:56", "got tahn"},
    {"{between: [rod, table], friction-law: {law: tanh, sped: 1}}", "7:62",
     "did you mean \"speed\""},
    {"{between: [rod, table], friction-law: {law: tanh, speed: 0}}", "7:69",
     "speed must be a number > 0"},
    {"{between: [rod, table], friction-law: {law: tanh, speed: 1 m}}", NULL,
     "speed must be a velocity (m/s), got 1 m, a length"},
    {"{between: [rod, table], friction-law: {law: tanh, stiffness: 1}}", NULL, "unknown key"},
    {"{between: [rod, table], friction-law: {law: tanh, stribeck: 1}}", "7:62",
     "stribeck belongs to friction"},
    {"{between: [rod, table], friction-law: {law: coulomb, speed: 1}}", NULL, "unknown key"},
    {"{between: [rod, table], friction-law: {law: oden-pires, speed: x}}", NULL, "speed"},
    {"{between: [rod, table], friction-law: {law: dahl, stiffness: -1}}", NULL,
     "stiffness must be a number > 0"},
    {"{between: [rod, table], friction-law: {law: dahl, exponent: 0.5}}", NULL,
     "exponent must be in 1"},
    {"{between: [rod, table], friction-law: {law: dahl, damping: 1}}", NULL, "unknown key"},
    {"{between: [rod, table], friction-law: {law: lugre, stiffness: 1 N/m}}", NULL,
     "stiffness must be"},
    {"{between: [rod, table], friction-law: {law: lugre, damping: -1}}", NULL,
     "damping must be a number ≥ 0"},
    {"{between: [rod, table], friction-law: [tanh]}", "7:50", "friction-law must be"},
    {"{between: [rod, table], friction-law: {}}", NULL, "friction-law needs a law"},
};

static const Bad BAD_LAYERS[] = {
    {"{between: [rod, table], compliance: patch}", NULL, "patch is not supported"},
    {"{between: [rod, table], compliance: {law: hertz, stiffness: 1}}", NULL, "unknown key"},
    {"{between: [rod, table], compliance: {law: hertz, radius: 0}}", NULL, "radius must be"},
    {"{between: [rod, table], compliance: lankarani-nikravesh}", NULL, "must be a mapping"},
    {"{between: [rod, table], compliance: {law: lankarani-nikravesh, stiffness: 1}}", NULL,
     "needs restitution, and speed"},
    {"{between: [rod, table], compliance: {law: lankarani-nikravesh, restitution: 1}}", NULL,
     "needs restitution, and speed"},
    {"{between: [rod, table], compliance: {law: lankarani-nikravesh, exponent: 2, "
     "restitution: 1, speed: 1}}",
     NULL, "needs stiffness"},
    {"{between: [rod, table], compliance: {law: flores, stiffness: 1, restitution: 0, "
     "speed: 1}}",
     NULL, "restitution of flores must be in 0.001"},
    {"{between: [rod, table], compliance: {law: flores, stiffness: 1, radius: 1, "
     "restitution: 1, speed: 1}}",
     NULL, "radius or stiffness"},
    {"{between: [rod, table], compliance: {law: flores, alpha: 1}}", NULL, "unknown key"},
    {"{between: [rod, table], compliance: {law: hertz, restitution: 0.5}}", NULL,
     "hertz needs restitution, and speed"},
    {"{between: [rod, table], compliance: {law: hertz, speed: 0.5}}", NULL,
     "hertz needs restitution, and speed"},
    {"{between: [rod, table], compliance: {law: hertz, alpha: 0, restitution: 0.5, speed: 1}}",
     NULL, "alpha or restitution, not both"},
    {"{between: [rod, table], compliance: {stiffness: 1, damping: 1, restitution: 0.5}}", NULL,
     "damping or restitution, not both"},
    {"{between: [rod, table], compliance: {law: default, stiffness: 1}}", NULL, "unknown key"},
    {"{between: [rod, table], compliance: {law: hunt-crosley}}", NULL,
     "lankarani-nikravesh, flores, hertz or patch, got hunt-crosley"},
    {"{between: [rod, table], compliance: {stiffness: 1, tangential: 1}}", NULL,
     "tangential must be a mapping"},
    {"{between: [rod, table], compliance: {stiffness: 1, tangential: {damping: -1}}}", NULL,
     "damping must be a number ≥ 0"},
    {"{between: [rod, table], compliance: {law: lankarani-nikravesh, stiffness: 1, "
     "restitution: 1.1, speed: 1}}",
     NULL, "in 0 … 1, got 1.1"},
    {"{between: [rod, table], compliance: {law: lankarani-nikravesh, stiffness: 1, "
     "restitution: 0.5, speed: 0}}",
     NULL, "speed must be a number > 0"},
    {"{between: [rod, table], compliance: kelvin-voigt}", NULL, "must be a mapping"},
    {"{between: [rod, table], compliance: {law: kelvin-voigt}}", NULL, "needs stiffness"},
    {"{between: [rod, table], compliance: {law: rigid, stiffness: 1}}", NULL, "unknown key"},
    {"{between: [rod, table], compliance: {law: kelvin-voigt, alpha: 1}}", NULL, "unknown key"},
    {"{between: [rod, table], compliance: {law: kelvin-voigt, stiffness: -1}}", NULL,
     "stiffness must be a number > 0"},
    {"{between: [rod, table], compliance: {law: kelvin-voigt, stiffness: 1 N}}", NULL,
     "stiffness must be a stiffness (N/m), got 1 N, a force"},
    {"{between: [rod, table], compliance: {law: hunt-crossley, stiffness: 1 N/m}}", NULL,
     "stiffness must be a value in kg m^-0.5 s^-2"},
    {"{between: [rod, table], compliance: {law: hunt-crossley, stiffness: 1, exponent: 0.5}}", NULL,
     "exponent must be in 1"},
    {"{between: [rod, table], compliance: {law: kelvin-voigt, epsilon: 1e-3}}", NULL,
     "epsilon and length go together"},
    {"{between: [rod, table], compliance: {stiffness: 1, epsilon: 1e-3, length: 1}}", NULL,
     "stand instead"},
    {"{between: [rod, table], compliance: {epsilon: 2, length: 1}}", NULL, "less than 1"},
    {"{between: [rod, table], compliance: {law: hunt-crossley}}", NULL,
     "hunt-crossley needs stiffness"},
    {"{between: [rod, table], compliance: {law: hunt-crossley, epsilon: 1e-3}}", NULL,
     "epsilon and length go together"},
};

static void test_contacts(void **state)
{
    (void)state;
    refuse_contacts(BAD_PAIRS, sizeof BAD_PAIRS / sizeof *BAD_PAIRS);
    refuse_contacts(BAD_FRICTION, sizeof BAD_FRICTION / sizeof *BAD_FRICTION);
    refuse_contacts(BAD_LAYERS, sizeof BAD_LAYERS / sizeof *BAD_LAYERS);
}

static void test_others(void **state)
{
    (void)state;
    const Bad cases[] = {
        {"joints: [{between: [rod, cart]}]", "7:10", "a joint needs a type"},
        {"joints: [{type: screw, between: [rod, cart]}]", "7:17", "for scenes in space"},
        {"joints: [{type: distance, between: [rod, rod.a]}]", "7:36", "both are of rod"},
        {"joints: [{type: glue}]", "7:17", "type must be revolute"},
        {"joints: [{type: revolute, between: [rod.a, cart], model: rigid}]", NULL,
         "the joint has no friction"},
        {"joints: [{type: revolute, between: [rod.a, cart], friction: 0.1, radius: 1, model: "
         "soft}]",
         NULL, "model must be auto"},
        {"joints: [{type: revolute, between: [rod.a, cart], friction: 0.1, radius: 1,"
         " compliance: {law: hunt-crossley, stiffness: 1e6, alpha: 0.1}}]",
         NULL, "the layer of a joint is"},
        {"joints: [{type: distance, spring: {stiffness: 1}}]", "7:10", "between"},
        {"joints: [{type: distance, between: [world, rod], spring: {stiffness: 1}}]", "7:37",
         "world needs at"},
        {"joints: [{type: distance, between: [rod.a, rod.b], spring: {stiffness: 1}}]", "7:36",
         "two bodies"},
        {"joints: [{type: distance, between: [rod.a, cart], at: [0, 0], spring: {stiffness: 1}}]",
         "7:51", "at is the place of world"},
        {"joints: [{type: distance, between: [rod.a, cart], spring: {}}]", NULL, "needs stiffness"},
        {"joints: [{type: distance, between: [rod.a, cart], length: 1, spring: {stiffness: 1,"
         " rest: -2}}]",
         NULL, "together must be ≥ 0, got -1"},
        {"joints: [{type: distance, between: [rod.x, cart], spring: {stiffness: 1}}]", "7:37",
         "rod has no \"x\""},
        {"joints: [{type: distance, between: [rod.a, cart], limits: [0, 1], spring: {stiffness: "
         "1}}]",
         "7:51", "an elastic distance has no limits"},
        {"loads: [{force: [0, 1]}]", "7:9", "a load needs body"},
        {"loads: [{body: rod}]", "7:9", "force: [x, y] or torque"},
        {"loads: [{body: rod, on: rod, torque: 1}]", "7:21", "not two of them"},
        {"loads: [{joint: rod, torque: 1}]", "7:17", "there is no joint \"rod\""},
        {"loads: [{body: rid, torque: 1}]", "7:16", "did you mean \"rod\"?"},
        {"loads: [{body: table, torque: 1}]", "7:16", "is fixed"},
        {"loads: [{body: rod.a, torque: 1}]", "7:16", "name of a body"},
        {"loads: [{body: rod, force: [1, 2 kg]}]", "7:32", "force must be a force (N)"},
        {"loads: [{body: rod, torque: {table: [[0, 1], [0, 2]]}}]", "7:46", "must ascend"},
        {"loads: [{body: rod, force: [1, 2], at: cart}]", NULL, "at must be a place of rod"},
        {"loads: [{body: rod, force: [1, 2], at: [0, 0]}]", NULL, "at must be a place of rod"},
        {"loads: [{body: rod, force: [1, 2], frame: me}]", NULL, "frame must be world or body"},
        {"start: [{slip: 1}]", "7:9", "needs contact, point or joint"},
        {"start: [3]", "7:9", "must be a mapping"},
        {"start: [{contact: tip, gap: -1}]", NULL, "gap must be a number ≥ 0"},
        {"start: [{contact: tip, slip: 1, velocity: [0, 0]}]", NULL, "gives the slip already"},
        {"start: [{contact: tip, slip: 1 m}]", NULL, "slip must be a velocity"},
        {"start: [{contact: [rod.a], slip: 1}]", NULL, "a name or a pair"},
        {"start: [{contact: [rod.a, tble]}]", NULL, "did you mean \"table\"?"},
        {"start: [{contact: tip, at: [0, 0]}]", NULL, "unknown key \"at\""},
        {"start: [{point: rod.a}]", NULL, "at: [x, y] or velocity"},
        {"start: [{point: [0, 0], at: [0, 0]}]", NULL, "a body that moves"},
        {"start: [{point: table.com, at: [0, 0]}]", NULL, "a body that moves"},
        {"start: [{joint: elbow, position: 1}]", "7:17", "there is no joint"},
        {"simulate: {until: -1}", "7:19", "until must be a number ≥ 0"},
        {"simulate: {motion: fast}", "7:20", "motion must be auto, events, compliant or stepping"},
        {"simulate: {tolerance: 0}", NULL, "tolerance must be a number > 0"},
        {"simulate: {until: 1 m}", NULL, "until must be a time"},
        {"simulate: {untill: 1}", "7:12", "did you mean \"until\"?"},
        {"simulate: {branch: x}", NULL, "branch must be keep, lift, stick or both"},
    };
    REFUSE_ALL(TWO_BODIES, cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_top),    cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_shapes), cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
