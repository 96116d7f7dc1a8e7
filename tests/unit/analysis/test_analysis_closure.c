// Closure: grasps with a known answer, random grasps against all supporting planes, witnesses,
// invariances, space, joints.
#include "support/test.h"

typedef struct Finger {
    double x, y;     // relative to the centre of mass
    double angle;    // of the normal, into the body
    double friction; // μ
} Finger;

typedef struct Fixture {
    SpragContext *context;
    SpragArena *arena;
    SpragContactProblem problem;
} Fixture;

static int open_fixture(void **state)
{
    static Fixture fixture;
    fixture.context = test_context();
    assert_ok(fixture.context, sprag_arena_create(fixture.context, 1 << 12, &fixture.arena));
    sprag_contact_problem_init(&fixture.problem, fixture.context);
    *state = &fixture;
    return 0;
}

static int close_fixture(void **state)
{
    Fixture *f = *state;
    sprag_contact_problem_destroy(&f->problem);
    sprag_arena_destroy(f->arena);
    sprag_context_destroy(f->context);
    return 0;
}

static int add_body(Fixture *f, double mass, double inertia)
{
    double *inverse;
    assert_ok(f->context, sprag_contact_problem_add_block(&f->problem, 3, &inverse));
    inverse[0] = inverse[4] = 1 / mass;
    inverse[8] = 1 / inertia;
    return f->problem.block_count - 1;
}

// Row of the direction d at r on a body, theory.md (1.5).
static void add_row(Fixture *f, int row, int body, double sign, const double r[2],
                    const double d[2])
{
    double *entries;
    assert_ok(f->context, sprag_contact_problem_add_row_block(&f->problem, row, body, &entries));
    entries[0] = sign * d[0];
    entries[1] = sign * d[1];
    entries[2] = sign * (r[0] * d[1] - r[1] * d[0]);
}

// A contact of body `one` with body `two` (−1: fixed), whose centre is at (x2, y2) from that of
// one.
static void add_contact(Fixture *f, const Finger *finger, int one, int two, const double other[2])
{
    SpragConstraint *c;
    assert_ok(f->context, sprag_contact_problem_add(&f->problem, SPRAG_CONSTRAINT_CONTACT, &c));
    c->friction = finger->friction;
    int row = c->row;
    double n[2] = {cos(finger->angle), sin(finger->angle)}, t[2] = {n[1], -n[0]};
    double r[2] = {finger->x, finger->y};
    add_row(f, row, one, 1, r, n);
    add_row(f, row + 1, one, 1, r, t);
    if (two < 0)
        return;
    double r2[2] = {r[0] - other[0], r[1] - other[1]};
    add_row(f, row, two, -1, r2, n);
    add_row(f, row + 1, two, -1, r2, t);
}

static void grasp(Fixture *f, double mass, double inertia, int count, const Finger *fingers)
{
    sprag_contact_problem_clear(&f->problem, 2);
    int body = add_body(f, mass, inertia);
    for (int i = 0; i < count; i++)
        add_contact(f, &fingers[i], body, -1, NULL);
    assert_ok(f->context, sprag_contact_problem_assemble(&f->problem));
}

// Jᵀλ, and the size of its terms.
static double unbalance(const SpragContactProblem *p, const double *force, const double *motion,
                        double *terms)
{
    double sum = 0;
    *terms = 0;
    for (int r = 0; r < p->row_count; r++) {
        double rate = 0;
        for (int k = 0; k < SPRAG_ROW_BLOCKS; k++) {
            int b = p->rows[r].block[k];
            for (int i = 0; b >= 0 && i < p->blocks[b].size; i++)
                rate += p->jacobian[p->rows[r].data[k] + i] * motion[p->blocks[b].offset + i];
        }
        sum += rate * force[r];
        *terms += fabs(rate * force[r]);
    }
    return sum;
}

// The forces balance, strictly inside of every cone.
static void check_stress(const SpragContactProblem *p, const SpragClosure *closure, int block)
{
    double unit[64] = {0}, terms;
    assert_non_null(closure->force);
    assert_null(closure->motion);
    for (int i = 0; i < p->velocity_count; i++) {
        const SpragInertiaBlock *b = &p->blocks[block < 0 ? 0 : block];
        if (block >= 0 && (i < b->offset || i >= b->offset + b->size))
            continue;
        unit[i] = 1;
        double sum = unbalance(p, closure->force, unit, &terms);
        assert_close(sum, 0, 1e-11 * fmax(1, terms));
        unit[i] = 0;
    }
    for (int c = 0; c < p->constraint_count; c++) {
        const SpragConstraint *item = &p->constraints[c];
        const double *force = closure->force + item->row;
        double tangential = item->row_count == 3   ? hypot(force[1], force[2])
                            : item->row_count == 2 ? fabs(force[1])
                                                   : 0;
        bool acts = false;
        for (int k = 0; k < SPRAG_ROW_BLOCKS; k++)
            acts |= p->rows[item->row].block[k] >= 0 &&
                    (block < 0 || p->rows[item->row].block[k] == block);
        if (!acts || item->kind == SPRAG_CONSTRAINT_BILATERAL)
            continue;
        assert_true(force[0] > 0 && force[0] <= 1);
        if (closure->kind == SPRAG_CLOSURE_FORM || item->friction == 0)
            assert_close(tangential, 0, 0);
        else if (item->row_count > 1)
            assert_true(tangential < item->friction * force[0]);
    }
}

// No force of any cone does negative work in the motion, and the motion is one.
static void check_motion(const SpragContactProblem *p, const SpragClosure *closure)
{
    double largest = 0;
    assert_non_null(closure->motion);
    assert_null(closure->force);
    for (int i = 0; i < p->velocity_count; i++)
        largest = fmax(largest, fabs(closure->motion[i]));
    assert_close(largest, 1, 1e-12);
    for (int c = 0; c < p->constraint_count; c++) {
        const SpragConstraint *item = &p->constraints[c];
        double force[64] = {0}, terms;
        for (int row = 0; row < item->row_count; row++) {
            force[item->row + row] = 1;
            assert_close(unbalance(p, force, closure->motion, &terms),
                         closure->rate[item->row + row], 1e-10);
            force[item->row + row] = 0;
        }
        const double *rate = closure->rate + item->row;
        double slip = item->row_count == 3 ? hypot(rate[1], rate[2])
                                           : (item->row_count == 2 ? fabs(rate[1]) : 0);
        assert_true(rate[0] - item->friction * slip >= -1e-9);
        if (item->kind == SPRAG_CONSTRAINT_BILATERAL)
            assert_close(rate[0], 0, 1e-9);
    }
}

static SpragClosure find(Fixture *f, int block)
{
    SpragClosure closure;
    sprag_arena_release(f->arena, (SpragArenaMark){0, 0});
    assert_ok(f->context, sprag_closure_find(f->arena, &f->problem, block, &closure));
    if (f->problem.block_count > 0 && closure.freedom > 0 && closure.kind == SPRAG_CLOSURE_NONE)
        check_motion(&f->problem, &closure);
    else if (f->problem.block_count > 0 && closure.kind != SPRAG_CLOSURE_NONE &&
             closure.kind != SPRAG_CLOSURE_UNDECIDED)
        check_stress(&f->problem, &closure, block);
    return closure;
}

static SpragClosureKind kind(Fixture *f, int count, const Finger *fingers)
{
    grasp(f, 1, 0.1, count, fingers);
    return find(f, SPRAG_ALL_BODIES).kind;
}

// ---- Known answers ------------------------------------------------------------------------------

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(sprag_closure_name(SPRAG_CLOSURE_FORM), "form");
    assert_string_equal(sprag_closure_name(SPRAG_CLOSURE_UNDECIDED), "undecided");
}

// Two fingers hold iff the line between them lies in both cones (Nguyen 1988).
static void test_two_fingers(void **state)
{
    Fixture *f = *state;
    SpragRandom random;
    sprag_random_init(&random, 11);
    for (int draw = 0; draw < test_draws(300); draw++) {
        double a = sprag_random_uniform(&random, -1, 1), b = sprag_random_uniform(&random, -1, 1);
        double mu = sprag_random_uniform(&random, 0.05, 1.5);
        double turn = sprag_random_uniform(&random, -3, 3), d = 0.4;
        Finger fingers[2] = {
            {-d * cos(turn), -d * sin(turn), turn + a, mu},
            {d * cos(turn), d * sin(turn), turn + 3.14159265358979323846 + b, mu / 2},
        };
        bool holds = fabs(tan(a)) < mu && fabs(tan(b)) < mu / 2;
        if (fabs(fabs(tan(a)) - mu) < 1e-6 || fabs(fabs(tan(b)) - mu / 2) < 1e-6)
            continue;
        SpragClosureKind found = kind(f, 2, fingers);
        assert_int_equal(found, holds ? SPRAG_CLOSURE_FORCE : SPRAG_CLOSURE_NONE);
    }
}

// Exactly on the border nothing is inside: none.
static void test_border(void **state)
{
    Fixture *f = *state;
    double slope = atan(0.5), pi = 3.14159265358979323846;
    Finger fingers[2] = {{-0.4, 0, slope, 0.5}, {0.4, 0, pi, 0.5}};
    assert_int_equal(kind(f, 2, fingers), SPRAG_CLOSURE_NONE);
    fingers[0].friction *= 1 + 1e-6;
    assert_int_equal(kind(f, 2, fingers), SPRAG_CLOSURE_FORCE);
}

// Fingers that point at the centre of a disc leave its rotation free without friction.
static void test_disc(void **state)
{
    Fixture *f = *state;
    Finger fingers[8];
    for (int count = 3; count <= 8; count++) {
        for (int i = 0; i < count; i++) {
            double angle = 2 * 3.14159265358979323846 * i / count + 0.3;
            fingers[i] = (Finger){0.2 * cos(angle), 0.2 * sin(angle), 0, 0};
            fingers[i].angle = angle + 3.14159265358979323846;
        }
        grasp(f, 1, 0.02, count, fingers);
        SpragClosure smooth = find(f, 0);
        assert_int_equal(smooth.kind, SPRAG_CLOSURE_NONE);
        assert_int_equal(smooth.rank, 2);
        assert_close(fabs(smooth.motion[2]), 1, 1e-9);
        assert_close(smooth.motion[0], 0, 1e-9);
        for (int i = 0; i < count; i++)
            fingers[i].friction = 1e-4;
        assert_int_equal(kind(f, count, fingers), SPRAG_CLOSURE_FORCE);
    }
}

// Four smooth fingers on a rectangle: offset so that pairs turn it both ways they hold, on the
// middles of the sides they do not, nor offset the same way round.
static void test_rectangle(void **state)
{
    Fixture *f = *state;
    double pi = 3.14159265358979323846, a = 0.3, b = 0.2, e = 0.05;
    Finger held[4] = {{-a, e, 0, 0}, {a, -e, pi, 0}, {e, -b, pi / 2, 0}, {-e, b, -pi / 2, 0}};
    assert_int_equal(kind(f, 4, held), SPRAG_CLOSURE_FORM);
    held[2].x = -e;
    held[3].x = e;
    assert_int_equal(kind(f, 4, held), SPRAG_CLOSURE_NONE); // both pairs turn it clockwise
    Finger middle[4] = {{-a, 0, 0, 0}, {a, 0, pi, 0}, {0, -b, pi / 2, 0}, {0, b, -pi / 2, 0}};
    assert_int_equal(kind(f, 4, middle), SPRAG_CLOSURE_NONE);
    for (int i = 0; i < 4; i++)
        middle[i].friction = 0.1;
    assert_int_equal(kind(f, 4, middle), SPRAG_CLOSURE_FORCE);
}

static void test_box_on_table(void **state)
{
    Fixture *f = *state;
    Finger feet[2] = {{-0.2, -0.1, 3.14159265358979323846 / 2, 5},
                      {0.2, -0.1, 3.14159265358979323846 / 2, 5}};
    grasp(f, 1, 0.1, 2, feet);
    SpragClosure closure = find(f, SPRAG_ALL_BODIES);
    assert_int_equal(closure.kind, SPRAG_CLOSURE_NONE);
    assert_close(closure.motion[1], 1, 1e-9); // straight up
    assert_close(closure.motion[0], 0, 1e-9);
    assert_int_equal(closure.rank, 3);
    assert_close(closure.margin, 0, 0);
}

static void test_nothing(void **state)
{
    Fixture *f = *state;
    grasp(f, 1, 0.1, 0, NULL);
    SpragClosure closure = find(f, SPRAG_ALL_BODIES);
    assert_int_equal(closure.kind, SPRAG_CLOSURE_NONE);
    assert_string_equal(closure.reason, "nothing touches it");
    sprag_contact_problem_clear(&f->problem, 2);
    closure = find(f, SPRAG_ALL_BODIES);
    assert_int_equal(closure.kind, SPRAG_CLOSURE_NONE);
    assert_null(closure.force);
    assert_null(closure.motion);
    assert_int_equal(sprag_closure_find(f->arena, &f->problem, 0, &closure), SPRAG_ERROR_ARGUMENT);
    assert_int_equal(sprag_closure_find(f->arena, &f->problem, -2, &closure), SPRAG_ERROR_ARGUMENT);
}

// ---- Brute force --------------------------------------------------------------------------------

// Generators in the plane of forces and torque (per length): the least over all planes through two
// of them of the largest distance on the wrong side. Positive: they span the space positively.
static double brute_margin(int count, const Finger *fingers)
{
    double g[32][3], least = INFINITY;
    int m = 0;
    for (int i = 0; i < count; i++)
        for (int k = -1; k <= 1; k += 2) {
            if (fingers[i].friction == 0 && k > 0)
                continue;
            double angle = fingers[i].angle, mu = k * fingers[i].friction;
            double fx = cos(angle) + mu * sin(angle), fy = sin(angle) - mu * cos(angle);
            double t = fingers[i].x * fy - fingers[i].y * fx;
            double size = sqrt(fx * fx + fy * fy + t * t);
            g[m][0] = fx / size;
            g[m][1] = fy / size;
            g[m++][2] = t / size;
        }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < i; j++) {
            double w[3], low = 0, high = 0;
            for (int k = 0; k < 3; k++)
                w[k] =
                    g[i][(k + 1) % 3] * g[j][(k + 2) % 3] - g[i][(k + 2) % 3] * g[j][(k + 1) % 3];
            double size = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
            for (int l = 0; l < m && size > 0; l++) {
                double side = (w[0] * g[l][0] + w[1] * g[l][1] + w[2] * g[l][2]) / size;
                low = fmin(low, side);
                high = fmax(high, side);
            }
            if (size > 1e-12)
                least = fmin(least, fmin(-low, high));
        }
    return least;
}

static void draw_fingers(SpragRandom *random, int count, Finger *fingers)
{
    for (int i = 0; i < count; i++) {
        fingers[i].x = sprag_random_uniform(random, -1, 1);
        fingers[i].y = sprag_random_uniform(random, -1, 1);
        // towards the middle, more or less: else almost nothing closes
        fingers[i].angle =
            atan2(-fingers[i].y, -fingers[i].x) + sprag_random_uniform(random, -1, 1);
        fingers[i].friction =
            sprag_random_uniform(random, 0, 1) < 0.3 ? 0 : sprag_random_uniform(random, 0, 0.6);
    }
}

static void test_brute_force(void **state)
{
    Fixture *f = *state;
    SpragRandom random;
    Finger fingers[8];
    int seen[4] = {0};
    sprag_random_init(&random, 5);
    for (int draw = 0; draw < test_draws(400); draw++) {
        int count = 2 + (int)sprag_random_uniform(&random, 0, 5);
        draw_fingers(&random, count, fingers);
        double force = brute_margin(count, fingers);
        SpragClosureKind found = kind(f, count, fingers);
        for (int i = 0; i < count; i++)
            fingers[i].friction = 0;
        double form = brute_margin(count, fingers);
        if ((force > 0 && force < 1e-7) || (form > 0 && form < 1e-7))
            continue; // rounding decides
        SpragClosureKind expected = form > 0    ? SPRAG_CLOSURE_FORM
                                    : force > 0 ? SPRAG_CLOSURE_FORCE
                                                : SPRAG_CLOSURE_NONE;
        assert_int_equal(found, expected);
        seen[found]++;
    }
    assert_true(seen[SPRAG_CLOSURE_FORM] > 5 && seen[SPRAG_CLOSURE_FORCE] > 5 &&
                seen[SPRAG_CLOSURE_NONE] > 5);
}

// Turned, scaled, heavier, in another order, without the bodies: the same answer and margin.
static void test_invariance(void **state)
{
    Fixture *f = *state;
    SpragRandom random;
    Finger fingers[6], other[6];
    sprag_random_init(&random, 17);
    for (int draw = 0; draw < test_draws(60); draw++) {
        int count = 3 + draw % 4;
        draw_fingers(&random, count, fingers);
        grasp(f, 1, 0.1, count, fingers);
        SpragClosure first = find(f, 0);
        SpragContactProblem bare = f->problem;
        SpragClosure without;
        bare.block_count = bare.velocity_count = 0;
        assert_ok(f->context, sprag_closure_find(f->arena, &bare, SPRAG_ALL_BODIES, &without));
        if (first.rank == 3) {
            assert_int_equal(without.kind, first.kind);
            assert_close(without.margin, first.margin, 1e-6); // W squares the rows
        }
        double turn = sprag_random_uniform(&random, -3, 3);
        double scale = pow(10, sprag_random_uniform(&random, -4, 4));
        for (int i = 0; i < count; i++) {
            const Finger *from = &fingers[(i + draw) % count];
            other[i] = *from;
            other[i].x = scale * (cos(turn) * from->x - sin(turn) * from->y);
            other[i].y = scale * (sin(turn) * from->x + cos(turn) * from->y);
            other[i].angle += turn;
        }
        double mass = sprag_random_uniform(&random, 1e-3, 1e3);
        grasp(f, mass, 0.1 * mass * scale * scale, count, other);
        SpragClosure second = find(f, 0);
        assert_int_equal(second.kind, first.kind);
        assert_close(second.margin, first.margin, 1e-9);
        assert_int_equal(second.rank, first.rank);
        grasp(f, 1, 1e-4, count, fingers); // where the mass sits does not matter
        assert_int_equal(find(f, 0).kind, first.kind);
    }
}

// ---- Several bodies, joints, limits, guides
// ------------------------------------------------------

// A box between two blocks that stand on nothing: it alone is held, the three together are not.
static void test_bodies(void **state)
{
    Fixture *f = *state;
    double pi = 3.14159265358979323846;
    sprag_contact_problem_clear(&f->problem, 2);
    int box = add_body(f, 1, 0.1), left = add_body(f, 2, 0.3), right = add_body(f, 3, 0.2);
    Finger from_left = {-0.1, 0, 0, 0.4}, from_right = {0.1, 0, pi, 0.4};
    add_contact(f, &from_left, box, left, (const double[]){-0.3, 0});
    add_contact(f, &from_right, box, right, (const double[]){0.3, 0});
    assert_ok(f->context, sprag_contact_problem_assemble(&f->problem));
    assert_int_equal(find(f, box).kind, SPRAG_CLOSURE_FORCE);
    assert_int_equal(find(f, left).kind, SPRAG_CLOSURE_NONE);
    assert_int_equal(find(f, SPRAG_ALL_BODIES).kind, SPRAG_CLOSURE_NONE);
    // behind each block a fixed wall; touched at one point the chain of three can fold
    Finger walls[4] = {
        {-0.2, 0.05, 0, 0.4}, {0.2, 0.05, pi, 0.4}, {-0.2, -0.05, 0, 0.4}, {0.2, -0.05, pi, 0.4}};
    for (int i = 0; i < 2; i++)
        add_contact(f, &walls[i], i ? right : left, -1, NULL);
    assert_ok(f->context, sprag_contact_problem_assemble(&f->problem));
    SpragClosure closure = find(f, SPRAG_ALL_BODIES);
    assert_int_equal(closure.kind, SPRAG_CLOSURE_NONE);
    assert_int_equal(closure.rank, 8);
    for (int i = 2; i < 4; i++)
        add_contact(f, &walls[i], i == 3 ? right : left, -1, NULL);
    assert_ok(f->context, sprag_contact_problem_assemble(&f->problem));
    assert_int_equal(find(f, SPRAG_ALL_BODIES).kind, SPRAG_CLOSURE_FORCE);
    // one smooth contact of the box, and it can be pushed out
    f->problem.constraints[0].friction = 0;
    assert_int_equal(find(f, SPRAG_ALL_BODIES).kind, SPRAG_CLOSURE_NONE);
}

static int add_single(Fixture *f, SpragConstraintKind what, int body, const double row[3])
{
    SpragConstraint *c;
    double *entries;
    assert_ok(f->context, sprag_contact_problem_add(&f->problem, what, &c));
    int first = c->row;
    assert_ok(f->context, sprag_contact_problem_add_row_block(&f->problem, first, body, &entries));
    memcpy(entries, row, 3 * sizeof *row);
    return f->problem.constraint_count - 1;
}

// A body on a hinge turns; a stop on one side does not hold it, stops on both do.
static void test_hinge(void **state)
{
    Fixture *f = *state;
    sprag_contact_problem_clear(&f->problem, 2);
    int body = add_body(f, 1, 0.1);
    add_single(f, SPRAG_CONSTRAINT_BILATERAL, body, (const double[]){1, 0, 0.3});
    add_single(f, SPRAG_CONSTRAINT_BILATERAL, body, (const double[]){0, 1, 0.2});
    assert_ok(f->context, sprag_contact_problem_assemble(&f->problem));
    SpragClosure closure = find(f, body);
    assert_int_equal(closure.kind, SPRAG_CLOSURE_NONE);
    assert_int_equal(closure.rank, 2);
    add_single(f, SPRAG_CONSTRAINT_LIMIT, body, (const double[]){0, 0, 1});
    assert_ok(f->context, sprag_contact_problem_assemble(&f->problem));
    closure = find(f, body);
    assert_int_equal(closure.kind, SPRAG_CLOSURE_NONE);
    assert_int_equal(closure.rank, 3);
    assert_true(closure.motion[2] > 0);
    add_single(f, SPRAG_CONSTRAINT_LIMIT, body, (const double[]){0, 0, -1e-6}); // other units
    assert_ok(f->context, sprag_contact_problem_assemble(&f->problem));
    closure = find(f, body);
    assert_int_equal(closure.kind, SPRAG_CLOSURE_FORM);
    assert_close(closure.margin, 1, 1e-9);
    // a weld needs no contact
    sprag_contact_problem_clear(&f->problem, 2);
    body = add_body(f, 1, 0.1);
    for (int i = 0; i < 3; i++)
        add_single(f, SPRAG_CONSTRAINT_BILATERAL, body, (const double[]){i == 0, i == 1, i == 2});
    assert_ok(f->context, sprag_contact_problem_assemble(&f->problem));
    assert_int_equal(find(f, body).kind, SPRAG_CLOSURE_FORM);
}

// A guide presses both ways: with signs that its neighbours fix it is decided, else left open.
static void test_guide(void **state)
{
    Fixture *f = *state;
    double *inverse, *entries;
    SpragConstraint *c;
    sprag_contact_problem_clear(&f->problem, 2);
    assert_ok(f->context, sprag_contact_problem_add_block(&f->problem, 2, &inverse));
    inverse[0] = inverse[3] = 1;
    assert_ok(f->context, sprag_contact_problem_add(&f->problem, SPRAG_CONSTRAINT_GUIDE, &c));
    c->friction = 0.5;
    for (int i = 0; i < 2; i++) {
        assert_ok(f->context, sprag_contact_problem_add_row_block(&f->problem, i, 0, &entries));
        entries[1 - i] = 1; // N = y, T = x
    }
    assert_ok(f->context, sprag_contact_problem_assemble(&f->problem));
    SpragClosure closure;
    assert_ok(f->context, sprag_closure_find(f->arena, &f->problem, 0, &closure));
    assert_int_equal(closure.kind, SPRAG_CLOSURE_UNDECIDED);
    // a stop below presses the guide's other flank: N ≥ 0 from the stop, so the guide's is negative
    assert_ok(f->context, sprag_contact_problem_add(&f->problem, SPRAG_CONSTRAINT_LIMIT, &c));
    assert_ok(f->context, sprag_contact_problem_add_row_block(&f->problem, 2, 0, &entries));
    entries[1] = 1;
    assert_ok(f->context, sprag_contact_problem_assemble(&f->problem));
    assert_ok(f->context, sprag_closure_find(f->arena, &f->problem, 0, &closure));
    assert_int_equal(closure.kind, SPRAG_CLOSURE_FORCE);
    assert_true(closure.force[0] < 0 && closure.force[2] > 0);
    assert_true(fabs(closure.force[1]) < -0.5 * closure.force[0]);
}

// ---- Space --------------------------------------------------------------------------------------

// Fingers around the equator of a ball, their normals turned up by `tilt`, tangents turned by
// `turn` about the normal.
static void ball(Fixture *f, int count, double tilt, double mu, double turn)
{
    double *inverse, *entries;
    sprag_contact_problem_clear(&f->problem, 3);
    assert_ok(f->context, sprag_contact_problem_add_block(&f->problem, 6, &inverse));
    for (int i = 0; i < 6; i++)
        inverse[7 * i] = i < 3 ? 1 : 5;
    for (int i = 0; i < count; i++) {
        SpragConstraint *c;
        double angle = 2 * 3.14159265358979323846 * i / count;
        double out[3] = {cos(angle), sin(angle), 0}, side[3] = {-sin(angle), cos(angle), 0};
        double n[3] = {-cos(tilt) * out[0], -cos(tilt) * out[1], sin(tilt)};
        double up[3] = {sin(tilt) * out[0], sin(tilt) * out[1], cos(tilt)}, d[3][3];
        for (int k = 0; k < 3; k++) {
            d[0][k] = n[k];
            d[1][k] = cos(turn) * up[k] + sin(turn) * side[k];
            d[2][k] = -sin(turn) * up[k] + cos(turn) * side[k];
        }
        assert_ok(f->context, sprag_contact_problem_add(&f->problem, SPRAG_CONSTRAINT_CONTACT, &c));
        c->friction = mu;
        for (int row = 0; row < 3; row++) {
            assert_ok(f->context,
                      sprag_contact_problem_add_row_block(&f->problem, 3 * i + row, 0, &entries));
            for (int k = 0; k < 3; k++) {
                entries[k] = d[row][k];
                entries[3 + k] = 0.5 * (out[(k + 1) % 3] * d[row][(k + 2) % 3] -
                                        out[(k + 2) % 3] * d[row][(k + 1) % 3]);
            }
        }
    }
    assert_ok(f->context, sprag_contact_problem_assemble(&f->problem));
}

// The plane of the fingers must lie inside of the cones: tan(tilt) < μ.
static void test_ball(void **state)
{
    Fixture *f = *state;
    double mu = 0.4, half_side = 3.14159265358979323846 / 64;
    for (int count = 3; count <= 5; count++)
        for (int k = 0; k < 3; k++) {
            double turn = k * half_side;
            ball(f, count, atan(0.98 * mu), mu, turn);
            assert_int_equal(find(f, 0).kind, SPRAG_CLOSURE_FORCE);
            ball(f, count, atan(1.03 * mu), mu, turn);
            assert_int_equal(find(f, 0).kind, SPRAG_CLOSURE_NONE);
        }
    // between the two polyhedral cones of 64 sides, 1 − cos(π/64) = 0.12 % apart
    ball(f, 3, atan(0.9995 * mu), mu, half_side);
    SpragClosure closure = find(f, 0);
    assert_int_equal(closure.kind, SPRAG_CLOSURE_UNDECIDED);
    assert_int_equal(closure.cone_sides, 64);
    // two fingers never hold the rotation about their line
    ball(f, 2, 0, mu, 0.1);
    closure = find(f, 0);
    assert_int_equal(closure.kind, SPRAG_CLOSURE_NONE);
    assert_int_equal(closure.rank, 5);
    ball(f, 6, 0, 0, 0); // without friction a ball can be turned
    assert_int_equal(find(f, 0).rank, 2);
}

// Random fingers on a ball: each answer comes with its proof, which find() checks.
static void test_space(void **state)
{
    Fixture *f = *state;
    SpragRandom random;
    int seen[4] = {0};
    sprag_random_init(&random, 23);
    for (int draw = 0; draw < test_draws(40); draw++) {
        int count = 3 + draw % 4;
        ball(f, count, 0, sprag_random_uniform(&random, 0.05, 1), 0.1 * draw);
        for (int i = 0; i < f->problem.jacobian_count; i += 18)
            for (int k = 0; k < 3; k++) {
                // a common push of all three rows of a contact: it is somewhere else on the ball
                double r[3], shift = sprag_random_uniform(&random, -0.4, 0.4);
                for (int row = 0; row < 3; row++) {
                    double *entries = f->problem.jacobian + i + 6 * row;
                    memcpy(r, entries, sizeof r);
                    entries[3 + (k + 1) % 3] -= shift * r[(k + 2) % 3];
                    entries[3 + (k + 2) % 3] += shift * r[(k + 1) % 3];
                }
            }
        assert_ok(f->context, sprag_contact_problem_assemble(&f->problem));
        seen[find(f, 0).kind]++;
    }
    assert_true(seen[SPRAG_CLOSURE_FORCE] > 3);
    assert_true(seen[SPRAG_CLOSURE_NONE] > 3);
    // the polyhedral cones of 64 sides are 0.12 % apart: few draws fall in between
    assert_true(20 * seen[SPRAG_CLOSURE_UNDECIDED] < test_draws(40));
}

// Numbers that no body has: undecided, not a failure.
static void test_overflow(void **state)
{
    Fixture *f = *state;
    Finger fingers[2] = {{-0.4, 0, 0, 0.5}, {0.4, 0, 3.14159265358979323846, 0.5}};
    grasp(f, 1, 1, 2, fingers);
    f->problem.jacobian[0] = 1e300;
    f->problem.inverse_inertia[0] = 1e300;
    SpragClosure closure;
    assert_ok(f->context, sprag_closure_find(f->arena, &f->problem, 0, &closure));
    assert_int_equal(closure.kind, SPRAG_CLOSURE_UNDECIDED);
    f->problem.inverse_inertia[0] = -1;
    f->problem.inverse_inertia[1] = 3;
    assert_ok(f->context, sprag_closure_find(f->arena, &f->problem, 0, &closure));
    assert_true(closure.reason[0]);
    f->problem.inverse_inertia[0] = NAN;
    assert_ok(f->context, sprag_closure_find(f->arena, &f->problem, 0, &closure));
    assert_int_equal(closure.kind, SPRAG_CLOSURE_UNDECIDED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_names, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_two_fingers, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_border, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_disc, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_rectangle, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_box_on_table, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_nothing, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_brute_force, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_invariance, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_bodies, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_hinge, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_guide, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_ball, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_space, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_overflow, open_fixture, close_fixture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
