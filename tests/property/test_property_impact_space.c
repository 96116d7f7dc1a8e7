// test_property_impact_space.c: impacts in space. The slip hodograph against a Runge–Kutta march in
// the impulse domain with tiny steps, against planar impacts, under rotation about the normal; the
// threshold of stick of an oblique sphere; energy over many random impacts.
#include "support/impacts.h"

static const SpragRestitutionLaw LAWS[] = {SPRAG_RESTITUTION_NEWTON, SPRAG_RESTITUTION_POISSON,
                                           SPRAG_RESTITUTION_ENERGETIC};

// ---- Random bodies ------------------------------------------------------------------------------

// W of one free body of three different moments of inertia, turned at random, and its velocities.
static void random_space_impact(SpragRandom *random, SpragSingleImpact *problem)
{
    memset(problem, 0, sizeof *problem);
    problem->dimension = 3;
    double axes[3][3], moments[3], r[3], mass = sprag_random_uniform(random, 0.3, 3);
    for (int k = 0; k < 3; k++) {
        r[k] = sprag_random_uniform(random, -1, 1);
        moments[k] = mass * pow(sprag_random_uniform(random, 0.1, 1), 2);
        for (int m = 0; m < 3; m++)
            axes[k][m] = sprag_random_normal(random);
    }
    // Gram–Schmidt
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < k; j++) {
            double dot = 0;
            for (int m = 0; m < 3; m++)
                dot += axes[k][m] * axes[j][m];
            for (int m = 0; m < 3; m++)
                axes[k][m] -= dot * axes[j][m];
        }
        double length = 0;
        for (int m = 0; m < 3; m++)
            length += axes[k][m] * axes[k][m];
        for (int m = 0; m < 3; m++)
            axes[k][m] /= sqrt(length);
    }
    // rows: normal z, tangents x, y; angular part r × direction along the principal axes
    static const double rows[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    double arm[3][3];
    for (int i = 0; i < 3; i++) {
        const double *d = rows[i];
        double cross[3] = {r[1] * d[2] - r[2] * d[1], r[2] * d[0] - r[0] * d[2],
                           r[0] * d[1] - r[1] * d[0]};
        for (int k = 0; k < 3; k++)
            arm[i][k] = cross[0] * axes[k][0] + cross[1] * axes[k][1] + cross[2] * axes[k][2];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            problem->W[3 * i + j] = i == j ? 1 / mass : 0;
            for (int k = 0; k < 3; k++)
                problem->W[3 * i + j] += arm[i][k] * arm[j][k] / moments[k];
        }
    for (int i = 0; i < 3; i++)
        problem->velocity[i] = sprag_random_uniform(random, -1, 1);
    problem->velocity[0] = -fabs(problem->velocity[0]);
    problem->friction = exp(sprag_random_uniform(random, log(0.02), log(3)));
    problem->friction_static =
        problem->friction *
        (sprag_random_below(random, 2) ? 1 : sprag_random_uniform(random, 1, 2));
    int edge = sprag_random_below(random, 10);
    problem->e = edge == 0 ? 0 : edge == 1 ? 1 : sprag_random_uniform(random, 0, 1);
    problem->law = LAWS[sprag_random_below(random, 3)];
    if (sprag_random_below(random, 10) == 0)
        problem->velocity[0] = 0;
    if (sprag_random_below(random, 10) == 0)
        problem->velocity[1] = problem->velocity[2] = 0;
    if (sprag_random_below(random, 3) == 0)
        for (int k = 1; k < 3; k++)
            problem->velocity[k] *= 0.2;
    // a plane of symmetry, and slip in it: there it can stop and go back
    if (sprag_random_below(random, 3) == 0)
        problem->W[2] = problem->W[6] = problem->W[5] = problem->W[7] = problem->velocity[2] = 0;
}

// ---- A march with tiny steps --------------------------------------------------------------------

enum { C_, SX, SY, PX, PY, WN, WT, P_, STATES };

typedef struct SpaceMarch {
    const SpragSingleImpact *problem;
    bool stopped, stick;
    double hold[2]; // stick: tangential impulse per normal one
    double out[2];  // slip from rest: its direction
} SpaceMarch;

static void march_rates(const SpaceMarch *march, const double *y, double *dy)
{
    const SpragSingleImpact *p = march->problem;
    const double *W = p->W;
    double speed = hypot(y[SX], y[SY]);
    double x = march->hold[0], o = march->hold[1];
    if (march->stopped && !march->stick) {
        x = -p->friction * march->out[0];
        o = -p->friction * march->out[1];
    } else if (!march->stopped) {
        x = -p->friction * y[SX] / speed;
        o = -p->friction * y[SY] / speed;
    }
    dy[C_] = W[0] + W[1] * x + W[2] * o;
    dy[SX] = W[3] + W[4] * x + W[5] * o;
    dy[SY] = W[6] + W[7] * x + W[8] * o;
    dy[PX] = x;
    dy[PY] = o;
    dy[WN] = y[C_];
    dy[WT] = -(y[SX] * x + y[SY] * o);
    dy[P_] = 1;
}

static void march_rk4(const SpaceMarch *march, const double *y, double h, double *out)
{
    double k[4][STATES], z[STATES];
    static const double at[4] = {0, 0.5, 0.5, 1};
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < STATES; i++)
            z[i] = y[i] + (s > 0 ? at[s] * h * k[s - 1][i] : 0);
        march_rates(march, z, k[s]);
    }
    for (int i = 0; i < STATES; i++)
        out[i] = y[i] + h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

// Stick by Cramer's rule, or the direction out by a scan over angles.
static void march_stop(SpaceMarch *march)
{
    const double *W = march->problem->W, mu = march->problem->friction;
    double det = W[4] * W[8] - W[5] * W[7];
    march->hold[0] = -(W[3] * W[8] - W[5] * W[6]) / det;
    march->hold[1] = -(W[4] * W[6] - W[7] * W[3]) / det;
    march->stick =
        hypot(march->hold[0], march->hold[1]) <= fmax(mu, march->problem->friction_static);
    march->stopped = true;
    double before = 0, before_angle = 0;
    for (int i = 0; i <= 3600 && !march->stick; i++) {
        double low = before_angle, high = 0.1234 + 2 * 3.14159265358979323846 * i / 3600;
        double f = 0, along = 0;
        for (int pass = 0; pass < 2; pass++) {
            double angle = high, c = cos(angle), s = sin(angle);
            double Fx = W[3] - mu * (W[4] * c + W[5] * s), Fy = W[6] - mu * (W[7] * c + W[8] * s);
            f = c * Fy - s * Fx;
            along = c * Fx + s * Fy;
            if (pass == 0 && !(i > 0 && along > 0 && (f > 0) != (before > 0)))
                break;
            for (int n = 0; pass == 0 && n < 60; n++) {
                double middle = 0.5 * (low + high), cm = cos(middle), sm = sin(middle);
                double Gx = W[3] - mu * (W[4] * cm + W[5] * sm);
                double Gy = W[6] - mu * (W[7] * cm + W[8] * sm);
                if ((cm * Gy - sm * Gx > 0) == (before > 0))
                    low = middle;
                else
                    high = middle;
            }
            march->out[0] = cos(high);
            march->out[1] = sin(high);
        }
        before = f;
        before_angle = 0.1234 + 2 * 3.14159265358979323846 * i / 3600;
    }
}

typedef struct SpaceBooks {
    double taken, given, P_c, P_r; // work and impulse of the phases
    double normal[2], tangential[2];
    double mark[STATES];
    bool restitution;
} SpaceBooks;

static double books_excess(const SpragSingleImpact *p, const SpaceBooks *b, const double *y)
{
    if (p->law == SPRAG_RESTITUTION_NEWTON)
        return y[C_] + p->e * p->velocity[0];
    if (p->law == SPRAG_RESTITUTION_POISSON)
        return b->P_r + y[P_] - b->mark[P_] - p->e * b->P_c;
    return b->given + y[WN] - b->mark[WN] - p->e * p->e * b->taken;
}

static void books_close(SpaceBooks *b, const double *y)
{
    double work = y[WN] - b->mark[WN], P = y[P_] - b->mark[P_];
    b->normal[b->restitution] -= work;
    b->tangential[b->restitution] += y[WT] - b->mark[WT];
    *(b->restitution ? &b->given : &b->taken) += b->restitution ? work : -work;
    *(b->restitution ? &b->P_r : &b->P_c) += P;
    memcpy(b->mark, y, sizeof b->mark);
    b->restitution = !b->restitution;
}

typedef enum MarchEnd { MARCH_NONE, MARCH_DONE, MARCH_TOO_LONG } MarchEnd;

// y: the end. Where friction is next to its critical value slip creeps towards zero, and steps
// small enough for its turning are too many.
static MarchEnd march_space(const SpragSingleImpact *p, double *y, SpaceBooks *books)
{
    SpaceMarch march = {.problem = p};
    memset(books, 0, sizeof *books);
    memset(y, 0, STATES * sizeof *y);
    memcpy(y, p->velocity, 3 * sizeof *y);
    double n[STATES], dy[STATES], scale = fabs(y[C_]) + hypot(y[SX], y[SY]);
    if (y[SX] == 0 && y[SY] == 0)
        march_stop(&march);
    march_rates(&march, y, dy);
    if (y[C_] == 0 && (march.stopped || dy[C_] >= 0))
        return MARCH_NONE;
    memcpy(books->mark, y, sizeof books->mark);
    for (long i = 0; i < 300000; i++) {
        march_rates(&march, y, dy);
        double trace = p->W[0] + p->W[4] + p->W[8], speed = hypot(y[SX], y[SY]);
        double h = 0.01 * scale / trace;
        if (!march.stopped)
            h = fmin(h, 0.03 * speed / (hypot(p->W[3], p->W[6]) + p->friction * trace));
        march_rk4(&march, y, h, n);
        bool turn = books->restitution ? n[C_] < 0 && y[C_] > 0 : n[C_] >= 0 && y[C_] < 0;
        bool over = books->restitution && books_excess(p, books, n) >= 0;
        double low = 0, high = h;
        for (int k = 0; (turn || over) && k < 100 && high - low > 1e-16 * h; k++) {
            double middle = 0.5 * (low + high);
            march_rk4(&march, y, middle, n);
            bool passed = over ? books_excess(p, books, n) >= 0
                               : (books->restitution ? n[C_] < 0 : n[C_] >= 0);
            *(passed ? &high : &low) = middle;
        }
        if (turn || over)
            march_rk4(&march, y, high, n);
        memcpy(y, n, sizeof n);
        if (over) {
            books_close(books, y);
            return MARCH_DONE;
        }
        if (turn) {
            books_close(books, y);
            if (books->restitution && books_excess(p, books, y) >= -1e-15)
                return MARCH_DONE;
        }
        if (!march.stopped && hypot(y[SX], y[SY]) < 1e-12 * scale) {
            y[SX] = y[SY] = 0;
            march_stop(&march);
        }
    }
    return MARCH_TOO_LONG;
}

static void hodograph_agrees_with_tiny_steps(void **state)
{
    (void)state;
    SpragRandom random;
    SpragSingleImpact problem;
    SpragSingleResult result;
    int hits[SPRAG_IMPACT_CASE_COUNT] = {0}, long_ones = 0, draws = test_draws(400);
    sprag_random_init(&random, 820);
    for (int i = 0; i < draws; i++) {
        double y[STATES];
        SpaceBooks books;
        random_space_impact(&random, &problem);
        sprag_impact_single(&problem, &result);
        MarchEnd end = march_space(&problem, y, &books);
        if (end == MARCH_NONE)
            assert_int_equal(result.kind, SPRAG_IMPACT_NONE);
        long_ones += end == MARCH_TOO_LONG;
        if (end != MARCH_DONE)
            continue;
        // the march itself is good to about 1e-9
        double tolerance = 2e-9 * (1 + y[P_]);
        hits[result.kind]++;
        assert_close(result.impulse[0], y[P_], tolerance);
        assert_close(result.impulse[1], y[PX], tolerance);
        assert_close(result.impulse[2], y[PY], tolerance);
        for (int k = 0; k < 3; k++)
            assert_close(result.after[k], y[k], tolerance);
        assert_close(result.loss.normal_compression, books.normal[0], tolerance);
        assert_close(result.loss.normal_restitution, books.normal[1], tolerance);
        assert_close(result.loss.tangential_compression, books.tangential[0], tolerance);
        assert_close(result.loss.tangential_restitution, books.tangential[1], tolerance);
    }
    for (int kind = SPRAG_IMPACT_SLIDE; kind < SPRAG_IMPACT_CASE_COUNT; kind++)
        assert_true(hits[kind] > 0);
    assert_true(100 * long_ones <= draws);
}

// ---- Invariance ---------------------------------------------------------------------------------

// The same impact with the tangents turned by an angle.
static void turn(const SpragSingleImpact *problem, double angle, SpragSingleImpact *turned)
{
    double R[3][3] = {{1, 0, 0}, {0, cos(angle), -sin(angle)}, {0, sin(angle), cos(angle)}};
    *turned = *problem;
    for (int i = 0; i < 3; i++) {
        turned->velocity[i] = 0;
        for (int k = 0; k < 3; k++) {
            turned->velocity[i] += R[i][k] * problem->velocity[k];
            turned->W[3 * i + k] = 0;
            for (int m = 0; m < 9; m++)
                turned->W[3 * i + k] += R[i][m / 3] * problem->W[m] * R[k][m % 3];
        }
    }
}

// Slip within rounding of a direction that repels is as likely to leave it on either side, so the
// draws have no plane of symmetry.
static void tangents_may_be_any(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 821);
    for (int i = 0; i < test_draws(2000); i++) {
        SpragSingleImpact problem, turned;
        SpragSingleResult a, b;
        random_space_impact(&random, &problem);
        if (problem.W[2] == 0)
            continue;
        double angle = sprag_random_uniform(&random, -3, 3), c = cos(angle), s = sin(angle);
        turn(&problem, angle, &turned);
        sprag_impact_single(&problem, &a);
        sprag_impact_single(&turned, &b);
        double tolerance = 1e-10 * (1 + a.impulse[0]);
        if (problem.velocity[0] == 0 && a.kind != b.kind)
            continue; // rounding of 0 decides whether it is an approach
        assert_close(b.impulse[0], a.impulse[0], tolerance);
        assert_close(b.impulse[1], c * a.impulse[1] - s * a.impulse[2], tolerance);
        assert_close(b.impulse[2], s * a.impulse[1] + c * a.impulse[2], tolerance);
        assert_close(b.after[0], a.after[0], tolerance);
        assert_close(b.after[1], c * a.after[1] - s * a.after[2], tolerance);
    }
}

// An impact in a plane of symmetry is the planar one.
static void planes_of_symmetry_are_planar(void **state)
{
    (void)state;
    SpragRandom random;
    int hits[SPRAG_IMPACT_CASE_COUNT] = {0};
    sprag_random_init(&random, 822);
    for (int i = 0; i < test_draws(2000); i++) {
        SpragSingleImpact plane, space;
        SpragSingleResult a, b;
        random_planar_impact(&random, &plane);
        plane.law = LAWS[i % 3];
        space = plane;
        space.dimension = 3;
        double W[9] = {plane.W[0], 0, plane.W[1], 0, sprag_random_uniform(&random, 0.1, 5), 0,
                       plane.W[2], 0, plane.W[3]};
        memcpy(space.W, W, sizeof W);
        space.velocity[2] = plane.velocity[1];
        space.velocity[1] = 0;
        sprag_impact_single(&plane, &a);
        sprag_impact_single(&space, &b);
        double tolerance = 1e-11 * (1 + a.impulse[0] + fabs(a.impulse[1]));
        hits[a.kind]++;
        assert_close(b.impulse[0], a.impulse[0], tolerance);
        assert_close(b.impulse[2], a.impulse[1], tolerance);
        assert_true(b.impulse[1] == 0);
        assert_close(b.after[0], a.after[0], tolerance);
        assert_close(b.after[2], a.after[1], tolerance);
        assert_close(b.loss.normal_compression, a.loss.normal_compression, tolerance);
        assert_close(b.loss.normal_restitution, a.loss.normal_restitution, tolerance);
        assert_close(b.loss.tangential_compression, a.loss.tangential_compression, tolerance);
        assert_close(b.loss.tangential_restitution, a.loss.tangential_restitution, tolerance);
        if (fabs(a.slip_stop - a.impulse[0]) > tolerance &&
            fabs(a.slip_stop - a.compression) > tolerance)
            assert_int_equal(a.kind, b.kind);
    }
    for (int kind = SPRAG_IMPACT_SLIDE; kind < SPRAG_IMPACT_CASE_COUNT; kind++)
        assert_true(hits[kind] > 0);
}

// ---- Known answers ------------------------------------------------------------------------------

// A homogeneous sphere of mass 1 and radius 1 on a floor: W = diag(1, 7/2, 7/2). Slip keeps its
// direction; it stops if |S| < (7/2) μ (1 + e) |C|, and stops at all laws at the same impulse.
static void oblique_sphere_sticks_at_its_threshold(void **state)
{
    (void)state;
    SpragSingleImpact problem = {.dimension = 3, .W = {1, 0, 0, 0, 3.5, 0, 0, 0, 3.5}};
    SpragSingleResult result;
    problem.friction = 0.3;
    problem.e = 0.6;
    double C = -2, threshold = 3.5 * 0.3 * 1.6 * 2;
    for (int law = 0; law < 3; law++)
        for (int side = -1; side <= 1; side += 2) {
            double speed = threshold * (1 + 1e-9 * side);
            problem.law = LAWS[law];
            problem.velocity[0] = C;
            problem.velocity[1] = 0.6 * speed;
            problem.velocity[2] = -0.8 * speed;
            sprag_impact_single(&problem, &result);
            assert_int_equal(result.kind,
                             side < 0 ? SPRAG_IMPACT_STICK_RESTITUTION : SPRAG_IMPACT_SLIDE);
            assert_close(result.impulse[0], 3.2, 1e-14);
            assert_close(result.after[0], 1.2, 1e-14);
            assert_close(hypot(result.after[1], result.after[2]), side < 0 ? 0 : 1e-9 * threshold,
                         1e-14);
        }
}

// ---- Energy -------------------------------------------------------------------------------------

static void energy_is_accounted_for(void **state)
{
    (void)state;
    SpragRandom random;
    SpragSingleImpact problem;
    SpragSingleResult result;
    int gains = 0;
    sprag_random_init(&random, 823);
    for (int i = 0; i < test_draws(10000); i++) {
        random_space_impact(&random, &problem);
        sprag_impact_single(&problem, &result);
        const SpragImpactLoss *loss = &result.loss;
        double change = 0, sum = loss->normal_compression + loss->normal_restitution +
                                 loss->tangential_compression + loss->tangential_restitution;
        for (int k = 0; k < 3; k++) {
            double after = problem.velocity[k];
            for (int m = 0; m < 3; m++)
                after += problem.W[3 * k + m] * result.impulse[m];
            // velocities and impulses belong together
            assert_close(result.after[k], after, 1e-10 * (1 + result.impulse[0]));
            change += 0.5 * result.impulse[k] * (after + problem.velocity[k]);
        }
        double rounding = 1e-11 * (fabs(loss->normal_compression) + loss->tangential_compression);
        assert_close(sum, -change, 10 * rounding + 1e-15);
        assert_true(loss->tangential_compression >= 0 && loss->tangential_restitution >= -rounding);
        assert_true(problem.law == SPRAG_RESTITUTION_NEWTON || result.energy_gain == 0);
        if (problem.law == SPRAG_RESTITUTION_ENERGETIC)
            assert_close(-loss->normal_restitution,
                         problem.e * problem.e * loss->normal_compression,
                         1e-10 * (1 + loss->normal_compression));
        gains += result.energy_gain > 0;
    }
    assert_true(gains > 0);
}

// ---- Singular mobility --------------------------------------------------------------------------

// W = J Jᵀ of rank 1 … 3 and velocities u = J v in its range: every impact ends, nothing approaches
// after it, and the account is exact. A part of the draws is planar.
static void singular_mobility_is_no_trouble(void **state)
{
    (void)state;
    SpragRandom random;
    int locked = 0;
    sprag_random_init(&random, 824);
    for (int i = 0; i < test_draws(5000); i++) {
        SpragSingleImpact problem = {.dimension = 2 + i % 2};
        SpragSingleResult result;
        int n = problem.dimension, rank = 1 + sprag_random_below(&random, n);
        double J[3][3], v[3];
        for (int k = 0; k < rank; k++)
            v[k] = sprag_random_normal(&random);
        for (int r = 0; r < n; r++)
            for (int k = 0; k < rank; k++) {
                J[r][k] = sprag_random_normal(&random);
                problem.velocity[r] += J[r][k] * v[k];
            }
        if (problem.velocity[0] > 0)
            for (int r = 0; r < n; r++)
                problem.velocity[r] = -problem.velocity[r];
        for (int r = 0; r < n; r++)
            for (int c = 0; c < n; c++)
                for (int k = 0; k < rank; k++)
                    problem.W[n * r + c] += J[r][k] * J[c][k];
        problem.friction = exp(sprag_random_uniform(&random, -4, 4));
        problem.e = sprag_random_uniform(&random, 0, 1);
        problem.law = LAWS[sprag_random_below(&random, 3)];
        sprag_impact_single(&problem, &result);
        assert_true(isfinite(result.compression));
        assert_true(result.after[0] >= 0);
        double change = 0, size = 1, sum = 0;
        for (int r = 0; r < n; r++) {
            double after = problem.velocity[r];
            for (int c = 0; c < n; c++)
                after += problem.W[n * r + c] * result.impulse[c];
            size = fmax(size, fabs(result.impulse[r]) * problem.W[(n + 1) * r]);
            change += 0.5 * result.impulse[r] * (after + problem.velocity[r]);
            sum = fmax(sum, fabs(after - result.after[r]));
        }
        assert_close(sum, 0, 1e-9 * size);
        double lost = result.loss.normal_compression + result.loss.normal_restitution +
                      result.loss.tangential_compression + result.loss.tangential_restitution;
        assert_close(lost, -change, 1e-9 * size * (1 + result.impulse[0]));
        locked += result.after[0] == 0 && problem.e > 0;
    }
    assert_true(locked > 0);
}

// Nothing depends on the units of mass and speed.
static void units_may_be_any(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 825);
    for (int i = 0; i < test_draws(1000); i++) {
        SpragSingleImpact problem, other;
        SpragSingleResult a, b;
        random_space_impact(&random, &problem);
        other = problem;
        double mass = exp(sprag_random_uniform(&random, -30, 30));
        double speed = exp(sprag_random_uniform(&random, -30, 30));
        for (int k = 0; k < 9; k++)
            other.W[k] /= mass;
        for (int k = 0; k < 3; k++)
            other.velocity[k] *= speed;
        sprag_impact_single(&problem, &a);
        sprag_impact_single(&other, &b);
        double tolerance = 1e-10 * (1 + a.impulse[0]);
        for (int k = 0; k < 3; k++) {
            assert_close(b.impulse[k] / (mass * speed), a.impulse[k], tolerance);
            assert_close(b.after[k] / speed, a.after[k], tolerance);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hodograph_agrees_with_tiny_steps),
        cmocka_unit_test(tangents_may_be_any),
        cmocka_unit_test(planes_of_symmetry_are_planar),
        cmocka_unit_test(oblique_sphere_sticks_at_its_threshold),
        cmocka_unit_test(energy_is_accounted_for),
        cmocka_unit_test(singular_mobility_is_no_trouble),
        cmocka_unit_test(units_may_be_any),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
