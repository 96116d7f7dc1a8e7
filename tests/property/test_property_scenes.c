// Random planar scenes as text: the verdict does not depend on how the scene is written or which
// way it faces (rotation, units, names, order, mirror image), and its motions obey Newton's law.
#include "support/scenes.h"
#include "support/with_context.h"

enum { MOST = 3, MOST_ORDER = MOST + 1 };

typedef enum Kind { CIRCLE, CAPSULE, BOX, POLYGON, ROD, POINTS, CART, KINDS } Kind;
typedef enum Ground { PLANE, CHAIN, SLAB, GROUNDS } Ground;

typedef struct Thing {
    Kind kind;
    double width, height, radius, mass, inertia, angle, spin, slip, friction;
    double force[2], torque;
    bool spring;
    double anchor[2], stiffness, damping, rest;
    bool on_last; // stands on the thing before
    double offset;
} Thing;

typedef struct Draft {
    Ground ground;
    double gravity[2], belt;
    int count;
    Thing things[MOST];
} Draft;

// What is done to a scene; units: what one metre, kilogram and second become.
typedef struct Change {
    double angle, length, mass, time;
    double shift[2];
    bool mirrored, renamed, reordered;
} Change;

static const Change NOTHING = {.length = 1, .mass = 1, .time = 1};

// ---- Drafts -------------------------------------------------------------------------------------

static void draw_thing(SpragRandom *random, Draft *draft, int i, bool moving)
{
    Thing *thing = &draft->things[i];
    *thing = (Thing){.kind = (Kind)sprag_random_below(random, KINDS),
                     .width = sprag_random_uniform(random, 0.5, 1.5),
                     .height = sprag_random_uniform(random, 0.3, 1.5),
                     .radius = sprag_random_uniform(random, 0.1, 0.25),
                     .mass = pow(10, sprag_random_uniform(random, -1, 1)),
                     .friction =
                         sprag_random_below(random, 8) ? sprag_random_uniform(random, 0.05, 2) : 0};
    // a real body has less than m r²; r is at least 0.25 but for circles
    double reach = thing->kind == CIRCLE ? thing->radius : 0.25;
    thing->inertia = thing->mass * reach * reach * sprag_random_uniform(random, 0.2, 0.9);
    thing->slip = moving ? sprag_random_uniform(random, -2, 2) : 0;
    if (thing->kind == ROD || thing->kind == POLYGON)
        thing->angle = sprag_random_uniform(random, 0.2, 1.3);
    if (moving && (thing->kind == ROD || thing->kind == CIRCLE))
        thing->spin = sprag_random_uniform(random, -3, 3);
    for (int k = 0; k < 2; k++) {
        thing->force[k] = sprag_random_uniform(random, -4, 4) * thing->mass;
        thing->anchor[k] = sprag_random_uniform(random, -1, 4);
    }
    thing->torque = sprag_random_uniform(random, -0.5, 0.5) * thing->mass;
    thing->spring = sprag_random_below(random, 4) == 0;
    thing->stiffness = 5 * thing->mass;
    thing->damping = 0.3 * thing->mass;
    thing->rest = sprag_random_uniform(random, 0.1, 1);
    Thing *last = i > 0 ? thing - 1 : thing;
    thing->on_last = i > 0 && thing->kind == BOX && last->kind == BOX && !last->on_last;
    thing->offset = thing->on_last ? sprag_random_uniform(random, -0.5, 0.5) * last->width : 0;
}

static Draft draw_draft(SpragRandom *random)
{
    Draft draft = {.ground = (Ground)sprag_random_below(random, GROUNDS),
                   .count = 1 + sprag_random_below(random, MOST)};
    double tilt = sprag_random_uniform(random, -0.6, 0.6);
    bool moving = sprag_random_below(random, 2);
    draft.gravity[0] = 9.81 * sin(tilt);
    draft.gravity[1] = -9.81 * cos(tilt);
    draft.belt = sprag_random_below(random, 4) == 0 ? sprag_random_uniform(random, -1, 1) : 0;
    for (int i = 0; i < draft.count; i++)
        draw_thing(random, &draft, i, moving);
    return draft;
}

// ---- Text ---------------------------------------------------------------------------------------

typedef struct Writer {
    const Draft *draft;
    const Change *change;
    char text[ANSWER_TEXT];
    size_t used;
} Writer;

static void write(Writer *w, const char *format, ...) SPRAG_PRINTF(2, 3);

static void write(Writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(w->text + w->used, sizeof w->text - w->used, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && w->used + (size_t)length < sizeof w->text);
    w->used += (size_t)length;
}

// A vector of the draft in the changed scene, times the unit.
static SpragVec2 turned(const Change *change, double x, double y, double unit)
{
    SpragVec2 v = sprag_vec2(change->mirrored ? -x : x, y);
    return sprag_vec2_scale(unit, sprag_vec2_turn(v, cos(change->angle), sin(change->angle)));
}

static SpragVec2 placed(const Change *change, double x, double y)
{
    return sprag_vec2_add(turned(change, x, y, change->length),
                          sprag_vec2(change->shift[0], change->shift[1]));
}

static double sign_of(const Change *change)
{
    return change->mirrored ? -1 : 1;
}

static const char *name_of(const Writer *w, int i)
{
    static const char *const names[2][MOST + 1] = {{"thing0", "thing1", "thing2", "ground"},
                                                   {"zebra", "a_b", "Q-7", "b0"}};
    return names[w->change->renamed][i < 0 ? MOST : i];
}

static void write_points(Writer *w, const char *kind, int count, const double *xy)
{
    double unit = w->change->length;
    write(w, "%s[", kind);
    for (int i = 0; i < count; i++) {
        // a mirror image runs the other way round
        const double *p = xy + 2 * (w->change->mirrored ? count - 1 - i : i);
        write(w, "%s[%.17g, %.17g]", i ? ", " : "", sign_of(w->change) * unit * p[0], unit * p[1]);
    }
    write(w, "]");
}

static void write_wheel(Writer *w, const Thing *thing, double x)
{
    double unit = w->change->length;
    write(w, "{circle: {radius: %.17g}, at: [%.17g, 0]}", thing->radius * unit,
          sign_of(w->change) * x * unit);
}

static void write_shapes(Writer *w, const Thing *t)
{
    double unit = w->change->length, s = sign_of(w->change) * unit;
    const double kite[] = {-t->width / 2, 0, 0, -t->height / 3, t->width / 2, 0, 0, t->height / 2};
    switch (t->kind) {
    case CIRCLE:
        write(w, "{circle: {radius: %.17g}}", t->radius * unit);
        break;
    case CAPSULE:
        write(w, "{capsule: {length: %.17g, radius: %.17g}}", t->width * unit, t->radius * unit);
        break;
    case BOX:
        write(w, "{box: {size: [%.17g, %.17g]}}", t->width * unit, t->height * unit);
        break;
    case POLYGON:
        write(w, "{");
        write_points(w, "polygon: {points: ", 4, kite);
        write(w, "}}");
        break;
    case ROD:
        write(w, "{rod: {length: %.17g}}", t->width * unit);
        break;
    case POINTS:
        write(w,
              "{points: {heel: [%.17g, %.17g], mid: [%.17g, %.17g], toe: [%.17g, %.17g], top: "
              "[%.17g, %.17g]}}",
              -s * t->width / 2, -t->height * unit / 2, s * 0.1 * t->width, -t->height * unit / 2,
              s * t->width / 2, -t->height * unit / 2, s * 0.2, t->height * unit);
        break;
    default: // a cart: two wheels and a sign on top; the order of shapes may change
        for (int i = 0; i < 2; i++) {
            write_wheel(w, t, i == (w->change->reordered ? 1 : 0) ? -t->width / 2 : t->width / 2);
            write(w, ", ");
        }
        write(w, "{rod: {length: %.17g}, at: [0, %.17g]}", t->width * unit, t->height * unit);
        break;
    }
}

static void write_ground(Writer *w)
{
    const Change *c = w->change;
    SpragVec2 belt = turned(c, w->draft->belt, 0, c->length / c->time);
    write(w, "  - {name: %s, fixed: true, surface-velocity: [%.17g, %.17g], ", name_of(w, -1),
          belt.x, belt.y);
    if (w->draft->ground == PLANE) {
        SpragVec2 n = turned(c, 0, 1, 1);
        write(w, "shapes: [{plane: {normal: [%.17g, %.17g], offset: %.17g}}]}\n", n.x, n.y,
              n.x * c->shift[0] + n.y * c->shift[1]);
    } else if (w->draft->ground == CHAIN) {
        SpragVec2 a = placed(c, -6, 0), b = placed(c, 0.31, 0), d = placed(c, 14, 0);
        write(w, "shapes: [{chain: {points: [[%.17g, %.17g], [%.17g, %.17g], [%.17g, %.17g]]}}]}\n",
              a.x, a.y, b.x, b.y, d.x, d.y);
    } else {
        SpragVec2 x = placed(c, 4, -0.5);
        write(w,
              "position: [%.17g, %.17g], angle: %.17g, shapes: [{box: {size: [%.17g, %.17g]}}]}\n",
              x.x, x.y, c->angle, 20 * c->length, c->length);
    }
}

// Where a thing stands before `start` closes its contact.
static double along(const Draft *draft, int i)
{
    return draft->things[i].on_last ? 4 * (i - 1) + draft->things[i].offset : 4 * i;
}

static void write_thing(Writer *w, int i)
{
    const Change *c = w->change;
    const Thing *t = &w->draft->things[i];
    SpragVec2 x = placed(c, along(w->draft, i), t->on_last ? 5 : 2);
    write(w,
          "  - {name: %s, mass: %.17g, inertia: %.17g, position: [%.17g, %.17g], angle: %.17g, "
          "spin: %.17g, shapes: [",
          name_of(w, i), t->mass * c->mass, t->inertia * c->mass * c->length * c->length, x.x, x.y,
          c->angle + sign_of(c) * t->angle, sign_of(c) * t->spin / c->time);
    write_shapes(w, t);
    write(w, "]}\n");
}

static void write_rules(Writer *w)
{
    const Draft *draft = w->draft;
    write(w, "contacts:\n");
    for (int i = 0; i < draft->count; i++) {
        write(w, "  - {name: g%d, between: [%s, %s], friction: %.17g}\n", i, name_of(w, i),
              name_of(w, -1), draft->things[i].friction);
        for (int k = 0; k < i; k++)
            write(w, "  - {name: p%d%d, between: [%s, %s], friction: %.17g}\n", i, k, name_of(w, i),
                  name_of(w, k), draft->things[i].friction);
    }
    write(w, "start:\n");
    for (int i = 0; i < draft->count; i++) {
        int under = draft->things[i].on_last ? i - 1 : -1;
        write(w, "  - {contact: [%s, %s], slip: %.17g}\n", name_of(w, i), name_of(w, under),
              sign_of(w->change) * draft->things[i].slip * w->change->length / w->change->time);
    }
}

static void write_forces(Writer *w)
{
    const Change *c = w->change;
    double newton = c->mass * c->length / (c->time * c->time);
    write(w, "loads:\n");
    for (int i = 0; i < w->draft->count; i++) {
        const Thing *t = &w->draft->things[i];
        SpragVec2 f = turned(c, t->force[0], t->force[1], newton);
        write(w, "  - {body: %s, force: [%.17g, %.17g], torque: %.17g}\n", name_of(w, i), f.x, f.y,
              sign_of(c) * t->torque * newton * c->length);
    }
    write(w, "joints:\n");
    for (int i = 0; i < w->draft->count; i++) {
        const Thing *t = &w->draft->things[i];
        SpragVec2 at = placed(c, t->anchor[0], t->anchor[1]);
        if (t->spring)
            write(w,
                  "  - {name: s%d, type: distance, between: [world, %s.com], at: [%.17g, %.17g], "
                  "length: %.17g, spring: {stiffness: %.17g, damping: %.17g}}\n",
                  i, name_of(w, i), at.x, at.y, t->rest * c->length,
                  t->stiffness * newton / c->length, t->damping * newton / c->length * c->time);
    }
}

static void open_draft(Answer *answer, const Draft *draft, const Change *change)
{
    Writer w = {.draft = draft, .change = change};
    SpragVec2 g = turned(change, draft->gravity[0], draft->gravity[1],
                         change->length / (change->time * change->time));
    write(&w, "sprag: 1\ngravity: [%.17g, %.17g]\nbodies:\n", g.x, g.y);
    for (int i = 0; i <= draft->count; i++) {
        // the ground first; reordered: the last thing first, the ground last
        int body = change->reordered ? draft->count - 1 - i : i - 1;
        if (body < 0)
            write_ground(&w);
        else
            write_thing(&w, body);
    }
    write_rules(&w);
    write_forces(&w);
    if (getenv("SPRAG_TEST_SHOW"))
        print_message("%s\n", w.text);
    answer_text(answer, context, w.text);
}

// ---- Comparison ---------------------------------------------------------------------------------

typedef struct Pairing {
    const Draft *draft;
    const Change *change;
    const Answer *base, *other;
    int constraint[ANSWER_CONTACTS]; // of other, for each of base
} Pairing;

static void complain(const Pairing *p, const char *what)
{
    const Change *c = p->change;
    print_error("%s: angle %g length %g mass %g time %g mirrored %d renamed %d reordered %d\n",
                what, c->angle, c->length, c->mass, c->time, c->mirrored, c->renamed, c->reordered);
    print_error("base:  %d motions, %s\nother: %d motions, %s\n", p->base->verdict.solution_count,
                p->base->verdict.reason, p->other->verdict.solution_count,
                p->other->verdict.reason);
    for (int changed = 0; changed < 2; changed++) {
        Answer again;
        setenv("SPRAG_TEST_SHOW", "1", 1);
        open_draft(&again, p->draft, changed ? c : &NOTHING);
        answer_close(&again);
    }
    fail();
}

#define same(p, condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            complain(p, #condition);                                                               \
    } while (0)

static const SpragContactKinematics *touching(const Answer *answer, int constraint)
{
    return &answer->kinematics[answer->problem->constraints[constraint].id];
}

// The contact of the other scene at the same place between the same bodies.
static void pair_contacts(Pairing *p)
{
    const Change *c = p->change;
    same(p, p->base->problem->constraint_count == p->other->problem->constraint_count);
    for (int i = 0; i < p->base->problem->constraint_count; i++) {
        const char *name = p->base->problem->constraints[i].name;
        size_t prefix = strcspn(name, ".");
        const SpragContactKinematics *here = touching(p->base, i);
        SpragVec2 x = placed(c, here->point.x, here->point.y);
        SpragVec2 n = turned(c, here->normal.x, here->normal.y, 1);
        p->constraint[i] = -1;
        for (int k = 0; k < p->other->problem->constraint_count; k++) {
            const SpragContactKinematics *there = touching(p->other, k);
            if (strncmp(name, p->other->problem->constraints[k].name, prefix) == 0 &&
                hypot(there->point.x - x.x, there->point.y - x.y) <= 1e-6 * c->length &&
                hypot(there->normal.x - n.x, there->normal.y - n.y) <= 1e-6)
                p->constraint[i] = k;
        }
        same(p, p->constraint[i] >= 0);
    }
}

static SpragMode mirrored_mode(SpragMode mode)
{
    return mode == SPRAG_MODE_SLIDE_PLUS    ? SPRAG_MODE_SLIDE_MINUS
           : mode == SPRAG_MODE_SLIDE_MINUS ? SPRAG_MODE_SLIDE_PLUS
                                            : mode;
}

static bool close_to(double a, double b, double size)
{
    return a == b || fabs(a - b) <= size;
}

// Whether solution k of the other scene is solution i of this one.
static bool same_motion(const Pairing *p, int i, int k, double tolerance)
{
    const SpragMotion *here = answer_motion(p->base, i), *there = answer_motion(p->other, k);
    const Change *c = p->change;
    double unit = c->length / (c->time * c->time), largest = 0;
    for (int r = 0; r < p->base->problem->row_count; r++)
        largest = fmax(largest, fmax(fabs(here->acceleration[r]), fabs(p->base->problem->b[r])));
    for (int n = 0; n < p->base->problem->constraint_count; n++) {
        SpragMode mode = there->modes[p->constraint[n]];
        const double *a = here->acceleration + p->base->problem->constraints[n].row;
        const double *b =
            there->acceleration + p->other->problem->constraints[p->constraint[n]].row;
        if (here->modes[n] != (c->mirrored ? mirrored_mode(mode) : mode) ||
            !close_to(a[0], b[0] / unit, tolerance * largest) ||
            !close_to(a[1], sign_of(c) * b[1] / unit, tolerance * largest))
            return false;
    }
    return true;
}

// Forces of the same motion: the representatives, which are unique, and the ranges.
static void compare_forces(Pairing *p, int i, int k)
{
    const SpragMotion *here = answer_motion(p->base, i), *there = answer_motion(p->other, k);
    const Change *c = p->change;
    double unit = c->mass * c->length / (c->time * c->time), largest = 0;
    for (int r = 0; r < p->base->problem->row_count; r++)
        largest = fmax(largest, fabs(here->force[r]));
    // linear programs allow 1e-10, sets with sharp corners enlarge that
    double tolerance = 1e-6 * largest;
    for (int n = 0; n < p->base->problem->constraint_count; n++) {
        int row = p->base->problem->constraints[n].row;
        int other = p->other->problem->constraints[p->constraint[n]].row;
        same(p, here->active[n] == there->active[p->constraint[n]]);
        same(p, close_to(here->force[row], there->force[other] / unit, tolerance));
        same(p, close_to(here->force[row + 1], sign_of(c) * there->force[other + 1] / unit,
                         tolerance));
        same(p, close_to(here->force_low[row], there->force_low[other] / unit, tolerance));
        same(p, close_to(here->force_high[row], there->force_high[other] / unit, tolerance));
        double low = there->force_low[other + 1], high = there->force_high[other + 1];
        same(p, close_to(here->force_low[row + 1], (c->mirrored ? -high : low) / unit, tolerance));
        same(p, close_to(here->force_high[row + 1], (c->mirrored ? -low : high) / unit, tolerance));
    }
}

static void compare(Pairing *p)
{
    const SpragVerdict *a = &p->base->verdict, *b = &p->other->verdict;
    pair_contacts(p);
    same(p, a->kind == b->kind);
    same(p, a->solution_count == b->solution_count);
    same(p, a->stable_count == b->stable_count);
    same(p, a->held == b->held);
    same(p, a->recommended_compliant == b->recommended_compliant);
    same(p, a->forces_unique == b->forces_unique);
    for (int i = 0; i < a->solution_count && a->kind != SPRAG_VERDICT_INFINITE; i++) {
        int found = -1;
        for (int k = 0; k < b->solution_count; k++)
            if (same_motion(p, i, k, 1e-7))
                found = k;
        same(p, found >= 0);
        same(p, a->solutions[i].stability == b->solutions[found].stability);
        same(p, a->solutions[i].stable == b->solutions[found].stable);
        same(p, a->solutions[i].motion->force_dimension ==
                    b->solutions[found].motion->force_dimension);
        same(p, (i == a->chosen) == (found == b->chosen));
        compare_forces(p, i, found);
    }
}

static void draw_change(SpragRandom *random, int which, Change *change)
{
    *change = NOTHING;
    bool all = which == 6;
    if (which == 0 || all) {
        change->angle = sprag_random_uniform(random, -3.1, 3.1);
        for (int k = 0; k < 2; k++)
            change->shift[k] = sprag_random_uniform(random, -5, 5);
    }
    if (which == 1) {
        change->length = pow(10, sprag_random_below(random, 9) - 4);
        change->mass = pow(10, sprag_random_below(random, 9) - 4);
        change->time = pow(10, sprag_random_below(random, 5) - 2);
    }
    if (which == 2 || all) {
        change->length = exp(sprag_random_uniform(random, -5, 5));
        change->mass = exp(sprag_random_uniform(random, -5, 5));
        change->time = exp(sprag_random_uniform(random, -3, 3));
    }
    for (int k = 0; k < 2; k++)
        change->shift[k] *= change->length;
    change->renamed = which == 3 || all;
    change->reordered = which == 4 || all;
    change->mirrored = which == 5 || all;
}

static void test_same_verdict(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 2024);
    int kinds[5] = {0}, held = 0, indeterminate = 0;
    for (int draw = 0; draw < test_draws(60); draw++) {
        Draft draft = draw_draft(&random);
        Answer base, other;
        open_draft(&base, &draft, &NOTHING);
        kinds[base.verdict.kind]++;
        held += base.verdict.held;
        indeterminate += !base.verdict.forces_unique;
        for (int which = 0; which < 7; which++) {
            Change change;
            draw_change(&random, which, &change);
            open_draft(&other, &draft, &change);
            Pairing pairing = {&draft, &change, &base, &other, {0}};
            compare(&pairing);
            answer_close(&other);
        }
        answer_close(&base);
    }
    // the draws are not all of one kind
    assert_true(kinds[SPRAG_VERDICT_UNIQUE] > 0 && kinds[SPRAG_VERDICT_MULTIPLE] > 0);
    assert_true(held > 0 && indeterminate > 0);
}

// ---- Newton's law -------------------------------------------------------------------------------

// Applied forces on a thing by hand: weight, load, spring.
static void applied_force(const Draft *draft, const Answer *answer, int i, double force[3])
{
    const Thing *t = &draft->things[i];
    const double *q = answer->q + 3 * i, *v = answer->v + 3 * i;
    for (int k = 0; k < 2; k++)
        force[k] = t->mass * draft->gravity[k] + t->force[k];
    force[2] = t->torque;
    if (!t->spring)
        return;
    double dx = q[0] - t->anchor[0], dy = q[1] - t->anchor[1], length = hypot(dx, dy);
    double pull = t->stiffness * (length - t->rest) + t->damping * (v[0] * dx + v[1] * dy) / length;
    force[0] -= pull * dx / length;
    force[1] -= pull * dy / length;
}

// The contact's force on the thing, if it is one of its two bodies.
static void add_contact_force(const Answer *answer, const SpragMotion *motion, int constraint,
                              int body, double force[3])
{
    const SpragConstraint *c = &answer->problem->constraints[constraint];
    const SpragContactKinematics *here = &answer->kinematics[c->id];
    const SpragSlot *slot = sprag_collider_slot(sprag_system_collider(answer->system), c->id);
    double normal = motion->force[c->row], tangential = motion->force[c->row + 1];
    double fx = normal * here->normal.x + tangential * here->normal.y;
    double fy = normal * here->normal.y - tangential * here->normal.x;
    for (int side = 0; side < 2; side++) {
        if (slot->body[side] != body + 1) // the ground is the first body
            continue;
        double sign = side == 0 ? 1 : -1;
        double rx = here->point.x - answer->q[3 * body],
               ry = here->point.y - answer->q[3 * body + 1];
        force[0] += sign * fx;
        force[1] += sign * fy;
        force[2] += sign * (rx * fy - ry * fx);
    }
}

static void check_newton(const Draft *draft, const Answer *answer, int solution)
{
    const SpragMotion *motion = answer_motion(answer, solution);
    double acceleration[3 * MOST];
    answer_acceleration(answer, solution, acceleration);
    for (int i = 0; i < draft->count; i++) {
        const Thing *t = &draft->things[i];
        double force[3], largest = 0;
        applied_force(draft, answer, i, force);
        for (int c = 0; c < answer->problem->constraint_count; c++) {
            add_contact_force(answer, motion, c, i, force);
            largest = fmax(largest, motion->force[answer->problem->constraints[c].row]);
        }
        double tolerance = 1e-11 * (50 * t->mass + largest);
        assert_close(t->mass * acceleration[3 * i], force[0], tolerance);
        assert_close(t->mass * acceleration[3 * i + 1], force[1], tolerance);
        assert_close(t->inertia * acceleration[3 * i + 2], force[2], 10 * tolerance);
    }
}

// Gaps along q + v s + q'' s²/2 bend as the motion says: (φ(s) − 2 φ(0) + φ(−s))/s², and never
// inwards.
static void check_gaps(Answer *answer, int solution)
{
    const SpragMotion *motion = answer_motion(answer, solution);
    double acceleration[3 * MOST], q[3 * MOST], largest = 10;
    SpragContactKinematics moved[2][ANSWER_CONTACTS];
    answer_acceleration(answer, solution, acceleration);
    for (int i = 0; i < answer->n; i++)
        largest = fmax(largest, fabs(acceleration[i]) + pow(answer->v[i], 2));
    double s = 1e-4 * sqrt(10 / largest);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < answer->n; i++)
            q[i] = answer->q[i] + (k ? s : -s) * answer->v[i] + s * s / 2 * acceleration[i];
        assert_ok(context, sprag_system_kinematics(answer->system, 0, q, answer->v,
                                                   &answer->tolerances, moved[k]));
    }
    for (int c = 0; c < answer->problem->constraint_count; c++) {
        int slot = answer->problem->constraints[c].id, row = answer->problem->constraints[c].row;
        double bend =
            (moved[0][slot].gap + moved[1][slot].gap - 2 * answer->kinematics[slot].gap) / (s * s);
        // of the largest: rounding of places, 2e-15/s² = 2e-8; what is left out, of order
        // s² largest² = 1e-7
        if (isfinite(bend)) // else it passes onto the next segment of the chain here
            assert_close(bend, motion->acceleration[row], 1e-5 * largest);
        assert_true(motion->acceleration[row] >= -1e-9 * largest);
        assert_true(motion->force[row] >= 0);
    }
}

static void test_newton(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 77);
    for (int draw = 0; draw < test_draws(300); draw++) {
        Draft draft = draw_draft(&random);
        Answer answer;
        open_draft(&answer, &draft, &NOTHING);
        for (int i = 0; i < answer.verdict.solution_count; i++) {
            check_newton(&draft, &answer, i);
            check_gaps(&answer, i);
            // the representative makes the motion to rounding
            const SpragMotion *motion = answer_motion(&answer, i);
            assert_true(motion->dimension > 0 ||
                        sprag_contact_residual(answer.problem, motion->force) < 1e-10);
        }
        answer_close(&answer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_verdict),
                                       cmocka_unit_test(test_newton)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
