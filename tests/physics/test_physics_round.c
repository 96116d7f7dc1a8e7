// Round bodies on each other: discs, cylinders and balls that roll off a round hill, swing in a
// bowl, roll on a free one, collide with spin; each against its own equations in a few coordinates,
// in the plane and in space, by events and with the pilot.
#include "physics.h"

// A planar motion in space goes along this heading, so that no axis is special.
static const double HEADING = 0.7;
enum { PLANE, BALLS, CYLINDERS, KINDS };
static const SpragMotionKind MOTIONS[2] = {SPRAG_MOTION_EVENTS, SPRAG_MOTION_AUTO};

// ---- Bodies -------------------------------------------------------------------------------------

// I/(m r²) of the round body of a kind; in the plane of a disc.
static double inertia_ratio(int kind)
{
    return kind == BALLS ? 0.4 : 0.5;
}

static void put_place(char *text, size_t size, int kind, double x, double y)
{
    if (kind == PLANE)
        snprintf(text, size, "[%.17g, %.17g]", x, y);
    else
        snprintf(text, size, "[%.17g, %.17g, %.17g]", x * cos(HEADING), x * sin(HEADING), y);
}

// A shape of a round body, `inside` it or not.
static void put_round(char *text, size_t size, int kind, double radius, bool inside)
{
    char turned[128] = "";
    // the axis of a cylinder lies across the heading
    if (kind == CYLINDERS)
        snprintf(turned, sizeof turned, ", orientation: {axis: [%.17g, %.17g, 0], angle: 90 deg}",
                 cos(HEADING), sin(HEADING));
    snprintf(text, size, "{%s: {radius: %.17g%s}%s%s}",
             kind == PLANE   ? "circle"
             : kind == BALLS ? "sphere"
                             : "cylinder",
             radius,
             kind != CYLINDERS        ? ""
             : inside || radius > 0.4 ? ", length: 1"
                                      : ", length: 0.2",
             turned, inside ? ", inside: true" : "");
}

typedef struct Round {
    double mass, radius, x, y, vx, vy, spin; // spin: counter-clockwise seen with x to the right
} Round;

static void put_body(char *text, size_t size, int kind, const char *name, const Round *round)
{
    char shape[256], place[96], velocity[96], spin[96], inertia[96];
    double I = inertia_ratio(kind) * round->mass * round->radius * round->radius;
    put_round(shape, sizeof shape, kind, round->radius, false);
    put_place(place, sizeof place, kind, round->x, round->y);
    put_place(velocity, sizeof velocity, kind, round->vx, round->vy);
    if (kind == PLANE) {
        snprintf(spin, sizeof spin, "%.17g", round->spin);
        snprintf(inertia, sizeof inertia, "%.17g", I);
    } else {
        snprintf(spin, sizeof spin, "[%.17g, %.17g, 0]", round->spin * sin(HEADING),
                 -round->spin * cos(HEADING));
        snprintf(inertia, sizeof inertia, "[%.17g, %.17g, %.17g]", I, I, I);
    }
    snprintf(text, size,
             "  - {name: %s, mass: %.17g, inertia: %s, position: %s, velocity: %s, spin: %s, "
             "shapes: [%s]}\n",
             name, round->mass, inertia, place, velocity, spin, shape);
}

static const char *head_of(int kind)
{
    return kind == PLANE ? "sprag: 1\n" : "sprag: 1\ndimension: 3\n";
}

// Place, velocity along the heading and up, and spin of a free body.
static Round read_body(const TestRun *r, int kind, const char *name)
{
    int body = sprag_model_find_body(sprag_system_model(r->system), name);
    const double *q = sprag_run_position(r->run) + sprag_system_body_position(r->system, body);
    const double *v = sprag_run_velocity(r->run) + sprag_system_body_coordinate(r->system, body);
    if (kind == PLANE)
        return (Round){.x = q[0], .y = q[1], .vx = v[0], .vy = v[1], .spin = v[2]};
    double c = cos(HEADING), s = sin(HEADING);
    // nothing leaves the plane of the motion
    assert_close(q[1] * c - q[0] * s, 0, 1e-8);
    assert_close(v[1] * c - v[0] * s, 0, 1e-8);
    return (Round){.x = q[0] * c + q[1] * s,
                   .y = q[2],
                   .vx = v[0] * c + v[1] * s,
                   .vy = v[2],
                   .spin = v[3] * s - v[4] * c};
}

// ---- Reference ----------------------------------------------------------------------------------

typedef void Rates(const double *y, const double *parameters, double *rate);

static void runge_kutta(Rates *rates, const double *parameters, int n, double h, double *y)
{
    double k[4][4], x[4];
    rates(y, parameters, k[0]);
    for (int stage = 1; stage < 4; stage++) {
        for (int i = 0; i < n; i++)
            x[i] = y[i] + (stage == 3 ? h : h / 2) * k[stage - 1][i];
        rates(x, parameters, k[stage]);
    }
    for (int i = 0; i < n; i++)
        y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

typedef double Margin(const double *y, const double *parameters);

// From y on until the margin is no longer positive; returns the time. The last step is halved.
static double until_margin(Rates *rates, Margin *margin, const double *parameters, int n, double *y)
{
    double t = 0, h = 1e-4, next[4];
    for (long step = 0; step < 200000 && h > 1e-15; step++) {
        memcpy(next, y, (size_t)n * sizeof *y);
        runge_kutta(rates, parameters, n, h, next);
        if (margin(next, parameters) < 0) {
            h /= 2;
            continue;
        }
        t += h;
        memcpy(y, next, (size_t)n * sizeof *y);
    }
    return t;
}

// ---- Off a hill ---------------------------------------------------------------------------------

// (θ, θ', ω r) of a round body on a fixed one, distance a of the centres, θ from the top; p: a, μ,
// I/(m r²), slips.
static double hill_normal(const double *y, const double *p)
{
    return PHYSICS_GRAVITY * cos(y[0]) - p[0] * y[1] * y[1];
}

static double hill_grip(const double *y, const double *p)
{
    double friction = PHYSICS_GRAVITY * sin(y[0]) * p[2] / (1 + p[2]);
    return p[1] * hill_normal(y, p) - friction;
}

static void hill_rates(const double *y, const double *p, double *rate)
{
    double friction =
        p[3] > 0 ? p[1] * hill_normal(y, p) : PHYSICS_GRAVITY * sin(y[0]) * p[2] / (1 + p[2]);
    rate[0] = y[1];
    rate[1] = (PHYSICS_GRAVITY * sin(y[0]) - friction) / p[0];
    rate[2] = friction / p[2];
}

static void off_a_hill(void **state)
{
    (void)state;
    const double R = 0.5, r = 0.2, theta = 0.3, a = R + r;
    const double frictions[] = {0.2, 1, 1000};
    for (int i = 0; i < KINDS * 3 * 2; i++) {
        int kind = i % KINDS;
        char hill[256], body[1024];
        double p[4] = {a, frictions[i / KINDS % 3], inertia_ratio(kind), 0};
        Round round = {.mass = 1.3, .radius = r, .x = a * sin(theta), .y = a * cos(theta)};
        TestRun run;
        put_round(hill, sizeof hill, kind, R, false);
        put_body(body, sizeof body, kind, "ball", &round);
        physics_open(&run,
                     "%smaterials: {default: {friction: %g}}\nbodies:\n"
                     "  - {name: hill, fixed: true, shapes: [%s]}\n%s",
                     head_of(kind), p[1], hill, body);
        double y[4] = {theta, 0, 0};
        double slip = until_margin(hill_rates, hill_grip, p, 3, y);
        p[3] = 1;
        double leave = slip + until_margin(hill_rates, hill_normal, p, 3, y);
        // if it never slipped: 4/7 of cos θ₀ for a disc, 10/17 for a ball. Rolling asks for more
        // friction than any μ gives when the normal force goes, but for a part of about 1/μ
        if (p[1] > 100)
            assert_close(cos(y[0]), 2 / (3 + p[2]) * cos(theta), 1e-3);
        test_run_go_as(&run, MOTIONS[i / KINDS / 3], leave + 1e-3, 1e-11);
        int at_slip = test_run_event(&run, SPRAG_EVENT_SLIP_START, 0);
        int at_leave = test_run_event(&run, SPRAG_EVENT_SEPARATION, 0);
        assert_true(at_slip >= 0 && at_leave > at_slip);
        // events are located to the tolerance over the rate of what ends there; forces that two
        // rims share are sought within bounds that are wider by 1e-8 (SpragMotionSettings.width)
        double late = kind == CYLINDERS ? 3e-8 : 1e-8;
        assert_close(run.events[at_slip].t, slip, late);
        assert_close(run.events[at_leave].t, leave, 1e-8);
        Round end = read_body(&run, kind, "ball");
        double t = 1e-3;
        assert_close(end.x, a * sin(y[0]) + t * a * y[1] * cos(y[0]), 1e-8);
        assert_close(end.y, a * cos(y[0]) - t * a * y[1] * sin(y[0]) - 0.5 * 9.81 * t * t, 1e-8);
        assert_close(end.spin, -y[2] / r, 1e-7);
        test_run_close(&run);
    }
}

// ---- In a bowl ----------------------------------------------------------------------------------

// A round body in a fixed one, distance a of the centres, φ from below: (φ, φ', ω r).
static double bowl_normal(const double *y, const double *p)
{
    return PHYSICS_GRAVITY * cos(y[0]) + p[0] * y[1] * y[1];
}

// What is left of the slip, directed as at the start; p[3]: its sign.
static double bowl_slip(const double *y, const double *p)
{
    return p[3] * (p[0] * y[1] + y[2]);
}

static void bowl_rates(const double *y, const double *p, double *rate)
{
    double friction = p[3] != 0 ? -p[3] * p[1] * bowl_normal(y, p)
                                : PHYSICS_GRAVITY * sin(y[0]) * p[2] / (1 + p[2]);
    rate[0] = y[1];
    rate[1] = (-PHYSICS_GRAVITY * sin(y[0]) + friction) / p[0];
    rate[2] = friction / p[2];
}

// Thrown in at the bottom without spin it slides first, then rolls up and swings.
static void in_a_bowl(void **state)
{
    (void)state;
    const double R = 0.9, r = 0.15, a = R - r, mu = 0.35;
    for (int i = 0; i < KINDS * 2; i++) {
        int kind = i % KINDS;
        char bowl[256], body[1024];
        double p[4] = {a, mu, inertia_ratio(kind), 1}, y[4] = {0, 0, 0};
        Round round = {.mass = 0.7, .radius = r, .x = 0, .y = -a, .vx = 0.8};
        TestRun run;
        put_round(bowl, sizeof bowl, kind, R, true);
        put_body(body, sizeof body, kind, "ball", &round);
        physics_open(&run,
                     "%smaterials: {default: {friction: %g}}\nbodies:\n"
                     "  - {name: bowl, fixed: true, shapes: [%s]}\n%s",
                     head_of(kind), mu, bowl, body);
        y[1] = round.vx / a;
        double stick = until_margin(bowl_rates, bowl_slip, p, 3, y), end = 1.2;
        p[3] = 0;
        int steps = 4000;
        for (int k = 0; k < steps; k++)
            runge_kutta(bowl_rates, p, 3, (end - stick) / steps, y);
        test_run_go_as(&run, MOTIONS[i / KINDS], end, 1e-11);
        assert_int_equal(run.outcome, SPRAG_RUN_DONE);
        int at = test_run_event(&run, SPRAG_EVENT_STICK, 0);
        assert_true(at >= 0);
        assert_close(run.events[at].t, stick, 1e-8);
        Round now = read_body(&run, kind, "ball");
        assert_close(now.x, a * sin(y[0]), 1e-8);
        assert_close(now.y, -a * cos(y[0]), 1e-8);
        // seen with x to the right it turns clockwise where φ grows
        assert_close(now.spin * r, y[2], 1e-7);
        test_run_close(&run);
    }
}

// ---- One on another -----------------------------------------------------------------------------

// A round body (m, r) that rolls on another one (M, R) that rolls on a table: (x, x', θ, θ') with
// Lagrange's equations; p: m, r, M, R, I/(m r²).
static void pair_rates(const double *y, const double *p, double *rate)
{
    double a = p[1] + p[3], c = cos(y[2]), s = sin(y[2]), k = p[4];
    // T = ½ M (1 + k) x'² + ½ m (x'² + 2 a x' θ' cos θ + a² θ'²) + ½ k m (a θ' − x')²
    double A = p[2] * (1 + k) + p[0] * (1 + k), B = p[0] * a * (c - k), C = p[0] * a * a * (1 + k);
    double f = p[0] * a * s * y[3] * y[3], g = p[0] * PHYSICS_GRAVITY * a * s;
    double determinant = A * C - B * B;
    rate[0] = y[1];
    rate[1] = (f * C - B * g) / determinant;
    rate[2] = y[3];
    rate[3] = (A * g - B * f) / determinant;
}

static void one_rolls_on_another(void **state)
{
    (void)state;
    const double p0[4] = {0.6, 0.2, 1.7, 0.5}, theta = 0.2, until = 0.35;
    for (int i = 0; i < KINDS * 2; i++) {
        int kind = i % KINDS, steps = 2000;
        char body[2][1024];
        double p[5] = {p0[0], p0[1], p0[2], p0[3], inertia_ratio(kind)}, a = p[1] + p[3];
        double y[4] = {0, 0, theta, 0};
        Round below = {.mass = p[2], .radius = p[3], .y = p[3]};
        Round above = {
            .mass = p[0], .radius = p[1], .x = a * sin(theta), .y = p[3] + a * cos(theta)};
        TestRun run;
        put_body(body[0], sizeof body[0], kind, "below", &below);
        put_body(body[1], sizeof body[1], kind, "above", &above);
        physics_open(&run,
                     "%smaterials: {default: {friction: 2}}\nbodies:\n"
                     "  - {name: table, fixed: true, shapes: [{plane: {normal: %s}}]}\n%s%s",
                     head_of(kind), kind == PLANE ? "[0, 1]" : "[0, 0, 1]", body[0], body[1]);
        for (int k = 0; k < steps; k++)
            runge_kutta(pair_rates, p, 4, until / steps, y);
        test_run_go_as(&run, MOTIONS[i / KINDS], until, 1e-11);
        assert_int_equal(run.outcome, SPRAG_RUN_DONE);
        assert_int_equal(run.event_count, 0);
        below = read_body(&run, kind, "below");
        above = read_body(&run, kind, "above");
        assert_close(below.x, y[0], 1e-9);
        assert_close(above.x, y[0] + a * sin(y[2]), 1e-9);
        assert_close(above.y, p[3] + a * cos(y[2]), 1e-9);
        assert_close(below.spin, -y[1] / p[3], 1e-8);
        assert_close(above.spin, -(a * y[3] - y[1]) / p[1], 1e-8);
        test_run_close(&run);
    }
}

// ---- Collisions ---------------------------------------------------------------------------------

// Two free ones meet with spin and without gravity: the normal impulse is (1 + e) u_N m_red;
// friction stops their slip if μ lets it, else it slides on. Of central bodies slip and approach
// are not coupled, so that all laws of restitution agree.
static void they_collide(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 5);
    int slides = 0, sticks = 0, draws = test_draws(12);
    for (int draw = 0; draw < draws; draw++) {
        int kind = draw % KINDS;
        double mu = sprag_random_uniform(&random, 0.02, 0.4),
               e = sprag_random_uniform(&random, 0, 1);
        double angle = sprag_random_uniform(&random, -1, 1), k = inertia_ratio(kind);
        double nx = -cos(angle), ny = -sin(angle); // from the second into the first
        Round b[2] = {{.mass = sprag_random_uniform(&random, 0.5, 2), .radius = 0.2, .vx = 2},
                      {.mass = sprag_random_uniform(&random, 0.5, 2), .radius = 0.3}};
        for (int i = 0; i < 2; i++) {
            b[i].vx += sprag_random_uniform(&random, -0.3, 0.3);
            b[i].vy = sprag_random_uniform(&random, -0.3, 0.3);
            b[i].spin = sprag_random_uniform(&random, -5, 5);
        }
        // they touch after 0.1 s
        b[0].x = -0.1 * b[0].vx;
        b[0].y = -0.1 * b[0].vy;
        b[1].x = -0.5 * nx - 0.1 * b[1].vx;
        b[1].y = -0.5 * ny - 0.1 * b[1].vy;
        double un = nx * (b[0].vx - b[1].vx) + ny * (b[0].vy - b[1].vy), tx = -ny, ty = nx;
        // the first touches at −r n, the second at R n
        double ut = tx * (b[0].vx - b[1].vx) + ty * (b[0].vy - b[1].vy) - b[0].spin * b[0].radius -
                    b[1].spin * b[1].radius;
        double w = 1 / b[0].mass + 1 / b[1].mass, P = -(1 + e) * un / w;
        double hold = fabs(ut) / (w * (1 + 1 / k));
        double Q = -copysign(fmin(mu * P, hold), ut);
        char text[2][1024];
        TestRun run;
        for (int i = 0; i < 2; i++)
            put_body(text[i], sizeof text[i], kind, i == 0 ? "first" : "second", &b[i]);
        physics_open(&run,
                     "%sgravity: %s\nmaterials: {default: {friction: %.17g, restitution: %.17g}}\n"
                     "bodies:\n%s%s",
                     head_of(kind), kind == PLANE ? "[0, 0]" : "[0, 0, 0]", mu, e, text[0],
                     text[1]);
        test_run_go_as(&run, MOTIONS[draw / KINDS % 2], 0.15, 1e-11);
        assert_int_equal(run.outcome, SPRAG_RUN_DONE);
        int at = test_run_event(&run, SPRAG_EVENT_IMPACT, 0);
        assert_true(un < 0 && at >= 0);
        assert_close(run.events[at].t, 0.1, 1e-9);
        for (int i = 0; i < 2; i++) {
            Round now = read_body(&run, kind, i == 0 ? "first" : "second");
            double sign = i == 0 ? 1 : -1, I = k * b[i].mass * b[i].radius * b[i].radius;
            assert_close(now.vx, b[i].vx + sign * (P * nx + Q * tx) / b[i].mass, 1e-7);
            assert_close(now.vy, b[i].vy + sign * (P * ny + Q * ty) / b[i].mass, 1e-7);
            assert_close(now.spin, b[i].spin - Q * b[i].radius / I, 1e-6);
        }
        slides += hold > mu * P;
        sticks += hold < mu * P;
        test_run_close(&run);
    }
    assert_true(slides > 0 && sticks > 0);
}

// ---- From sliding to rolling --------------------------------------------------------------------

// A body with I = k m r² thrown with v and the spin ω (forwards > 0) on a table rolls when slip
// u = v − ω r has gone: after |u|/(μ g (1 + 1/k)), at the speed (v + k ω r)/(1 + k).
static void from_sliding_to_rolling(void **state)
{
    (void)state;
    const double r = 0.25, mu = 0.3, g = PHYSICS_GRAVITY;
    const double throws[3][2] = {{2, 0}, {2, -6}, {1, 12}}; // v, ω
    for (int i = 0; i < KINDS * 3; i++) {
        int kind = i % KINDS;
        double k = inertia_ratio(kind), v = throws[i / KINDS][0], w = throws[i / KINDS][1] * 1.0;
        double u = v - w * r, after = fabs(u) / (mu * g * (1 + 1 / k)),
               speed = (v + k * w * r) / (1 + k);
        Round ball = {.mass = 1.1, .radius = r, .y = r, .vx = v, .spin = -w};
        char body[1024];
        TestRun run;
        put_body(body, sizeof body, kind, "ball", &ball);
        physics_open(&run,
                     "%smaterials: {default: {friction: %g}}\nbodies:\n"
                     "  - {name: table, fixed: true, shapes: [{plane: {normal: %s}}]}\n%s",
                     head_of(kind), mu, kind == PLANE ? "[0, 1]" : "[0, 0, 1]", body);
        test_run_go_as(&run, MOTIONS[i % 2], after + 0.1, 1e-11);
        int at = test_run_event(&run, SPRAG_EVENT_STICK, 0);
        assert_true(at >= 0);
        assert_close(run.events[at].t, after, 1e-9);
        Round now = read_body(&run, kind, "ball");
        assert_close(now.vx, speed, 1e-9);
        assert_close(now.spin, -speed / r, 1e-8);
        assert_close(now.x, 0.5 * (v + speed) * after + 0.1 * speed, 1e-9);
        test_run_close(&run);
    }
}

// ---- Equal lengths ------------------------------------------------------------------------------

// A cylinder and a box that end in the same planes, the box with a face or an edge ahead: central
// impacts, v⁺ = (1 ∓ e) v/2.
static void equal_lengths(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        bool edge = i % 2, first = i / 2; // an edge ahead; the cylinder stands first in the file
        double h = edge ? 0.1 * sqrt(2) : 0.1, e = 0.5;
        char text[2][512];
        TestRun run;
        snprintf(text[0], sizeof text[0],
                 "  - {name: c, mass: 1, inertia: [0.02, 0.02, 0.02], position: [-0.4, 0, 0], "
                 "velocity: [2, 0, 0], shapes: [{cylinder: {radius: 0.2, length: 0.3}, "
                 "orientation: {axis: [1, 0, 0], angle: 90 deg}}]}\n");
        snprintf(text[1], sizeof text[1],
                 "  - {name: b, mass: 1, inertia: [0.01, 0.01, 0.01], position: [%.17g, 0, 0], "
                 "orientation: {axis: [0, 1, 0], angle: %d deg}, "
                 "shapes: [{box: {size: [0.2, 0.3, 0.2]}}]}\n",
                 h, edge ? 45 : 0);
        physics_open(&run,
                     "sprag: 1\ndimension: 3\ngravity: [0, 0, 0]\n"
                     "materials: {default: {friction: 0.2, restitution: %g}}\nbodies:\n%s%s",
                     e, text[first ? 0 : 1], text[first ? 1 : 0]);
        test_run_go_as(&run, MOTIONS[i / 2], 0.3, 1e-10);
        assert_int_equal(run.outcome, SPRAG_RUN_DONE);
        int at = test_run_event(&run, SPRAG_EVENT_IMPACT, 0);
        assert_true(at >= 0);
        assert_close(run.events[at].t, 0.1, 1e-8);
        for (int k = 0; k < 2; k++) {
            int body = sprag_model_find_body(sprag_system_model(run.system), k ? "b" : "c");
            const double *v =
                sprag_run_velocity(run.run) + sprag_system_body_coordinate(run.system, body);
            assert_close(v[0], 1 + (k ? e : -e), 1e-8);
            for (int j = 1; j < 6; j++)
                assert_close(v[j], 0, 1e-7);
        }
        test_run_close(&run);
    }
}

// A roll that falls across a drum, leaning, comes to lie on it, on two places of its rim.
static void lies_across(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const char *shape = i / 2 ? "capsule" : "cylinder";
        TestRun run;
        physics_open(
            &run,
            "sprag: 1\ndimension: 3\nmaterials: {default: {friction: 0.5}}\nbodies:\n"
            "  - {name: drum, fixed: true, shapes: [{cylinder: {radius: 0.1, length: 0.2}}]}\n"
            "  - {name: roll, density: 500, position: [0.01, 0.02, 0.14],\n"
            "     orientation: {axis: [0, 1, 0], angle: %d deg},\n"
            "     shapes: [{%s: {radius: 0.03, length: 0.3}}]}\n",
            i % 2 ? 87 : 94, shape);
        test_run_go_as(&run, MOTIONS[0], 0.5, 1e-10);
        assert_int_equal(run.outcome, SPRAG_RUN_DONE);
        assert_close(sprag_run_position(run.run)[2], 0.13, 1e-9);
        physics_assert_account(&run, 1e-8);
        test_run_close(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(off_a_hill),
        cmocka_unit_test(in_a_bowl),
        cmocka_unit_test(one_rolls_on_another),
        cmocka_unit_test(they_collide),
        cmocka_unit_test(from_sliding_to_rolling),
        cmocka_unit_test(equal_lengths),
        cmocka_unit_test(lies_across),
    };
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}
