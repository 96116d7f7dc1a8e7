// Gaps of pairs of pieces against sampling, rates against central differences.
#include "space_world.h"

// Differences of fourth order: rounding / h is 1e-12 to 1e-9, h⁴ (fifth derivative) is below that
// unless the place moves fast.
static const double STEP = 1e-4, RATE_TOLERANCE = 1e-8, JUMP = 1e-3;

static SpragPiece draw_piece(SpragRandom *random, SpragPieceKind kind)
{
    SpragPiece piece = {.kind = kind, .point = space_vector(random, 0.5)};
    piece.axis = space_direction(random);
    piece.radius = kind == SPRAG_PIECE_PLANE ? 0 : sprag_random_uniform(random, 0, 0.3);
    if (kind == SPRAG_PIECE_POINT)
        piece.axis = sprag_vec3(0, 0, 0);
    if (kind == SPRAG_PIECE_CIRCLE)
        piece.size = sprag_random_uniform(random, 0.2, 1);
    return piece;
}

typedef struct Case {
    SpragPiece piece[2];
    SpragPose pose[2];
    int axis;
} Case;

static bool gap_at(const Case *c, double h, bool rates, SpragSpaceGap *gap)
{
    SpragPose a = space_pose_later(&c->pose[0], h), b = space_pose_later(&c->pose[1], h);
    return piece_gap(&c->piece[0], &a, &c->piece[1], &b, c->axis, rates, gap);
}

static double largest_rate(const SpragSpaceGap *gap)
{
    double largest = sprag_vec3_norm(gap->normal_rate);
    for (int i = 0; i < 2; i++)
        largest = fmax(largest, fmax(sprag_vec3_norm(gap->point_rate[i]),
                                     sprag_vec3_norm(gap->tangent_rate[i])));
    return largest;
}

// Differences of fourth order, and how much they differ from those of second order.
static void assert_rate(SpragVec3 rate, const SpragVec3 at[4], double tolerance)
{
    SpragVec3 wide = sprag_vec3_scale(0.25 / STEP, sprag_vec3_sub(at[3], at[0]));
    SpragVec3 narrow = sprag_vec3_scale(0.5 / STEP, sprag_vec3_sub(at[2], at[1]));
    SpragVec3 correction = sprag_vec3_scale(1.0 / 3, sprag_vec3_sub(narrow, wide));
    // where the two disagree the pair has jumped to other places
    if (sprag_vec3_norm(correction) > JUMP * (1 + sprag_vec3_norm(rate)))
        return;
    double error = space_apart(sprag_vec3_add(narrow, correction), rate);
    assert_close(error, 0, tolerance + sprag_vec3_norm(correction));
}

// Everything that must hold for a gap, whatever the pieces.
static void check_frame(const SpragSpaceGap *gap)
{
    SpragVec3 d = sprag_vec3_sub(gap->point[0], gap->point[1]);
    double scale = 1 + fabs(gap->gap);
    assert_close(sprag_vec3_norm(gap->normal), 1, 1e-14);
    assert_close(sprag_vec3_dot(gap->normal, d), gap->gap, 1e-14 * scale);
    assert_close(space_apart(d, sprag_vec3_scale(gap->gap, gap->normal)), 0, 1e-9 * scale);
    assert_close(sprag_vec3_dot(gap->tangent[0], gap->normal), 0, 1e-14);
    assert_close(sprag_vec3_norm(gap->tangent[0]), 1, 1e-14);
    SpragVec3 o = sprag_vec3_cross(gap->normal, gap->tangent[0]);
    assert_close(space_apart(o, gap->tangent[1]), 0, 1e-14);
}

static SpragVec3 velocity(const SpragPose *pose, SpragVec3 p)
{
    return sprag_vec3_add(pose->v, sprag_vec3_cross(pose->w, sprag_vec3_sub(p, pose->x)));
}

// True if the draw could be checked: near a singular place differences tell nothing.
static bool check_rates(Case *c)
{
    SpragSpaceGap now;
    c->axis = -1;
    assert_true(gap_at(c, 0, true, &now));
    c->axis = frame_axis(now.normal);
    assert_true(gap_at(c, 0, true, &now));
    check_frame(&now);
    // round cores that pass through each other: the distance turns round within the step, which
    // moves places by less than a millimetre
    double radii = c->piece[0].radius + c->piece[1].radius;
    if (radii != 0 && fabs(now.gap + radii) < 1e-2)
        return false;
    double rate = largest_rate(&now);
    if (rate > 30)
        return false;
    double tolerance = RATE_TOLERANCE * (1 + rate * rate * rate);
    SpragSpaceGap at[4];
    for (int i = 0; i < 4; i++)
        assert_true(gap_at(c, (i < 2 ? i - 2 : i - 1) * STEP, false, &at[i]));
    SpragVec3 relative =
        sprag_vec3_sub(velocity(&c->pose[0], now.point[0]), velocity(&c->pose[1], now.point[1]));
    SpragVec3 values[4];
    double gap_rate = sprag_vec3_dot(now.normal, relative);
    for (int i = 0; i < 4; i++)
        values[i] = sprag_vec3(at[i].gap, 0, 0);
    assert_rate(sprag_vec3(gap_rate, 0, 0), values, tolerance);
    for (int i = 0; i < 4; i++)
        values[i] = at[i].normal;
    assert_rate(now.normal_rate, values, tolerance);
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < 4; i++)
            values[i] = at[i].point[side];
        assert_rate(now.point_rate[side], values, tolerance);
        for (int i = 0; i < 4; i++)
            values[i] = at[i].tangent[side];
        assert_rate(now.tangent_rate[side], values, tolerance);
    }
    return true;
}

static void check_swapped(const Case *c)
{
    SpragSpaceGap gap, swapped;
    assert_true(piece_gap(&c->piece[0], &c->pose[0], &c->piece[1], &c->pose[1], -1, true, &gap));
    assert_true(
        piece_gap(&c->piece[1], &c->pose[1], &c->piece[0], &c->pose[0], -1, true, &swapped));
    bool circles = c->piece[0].kind == SPRAG_PIECE_CIRCLE && c->piece[1].kind == SPRAG_PIECE_CIRCLE;
    // two circles are searched from the first: the same place up to the end of Newton's method
    double tolerance = circles ? 1e-9 : 1e-13;
    assert_close(swapped.gap, gap.gap, tolerance);
    assert_close(space_apart(sprag_vec3_scale(-1, swapped.normal), gap.normal), 0, tolerance);
    for (int i = 0; i < 2; i++) {
        assert_close(space_apart(swapped.point[i], gap.point[1 - i]), 0, tolerance);
        if (!circles)
            assert_close(space_apart(swapped.point_rate[i], gap.point_rate[1 - i]), 0, 1e-10);
    }
}

static const SpragPieceKind PAIRS[][2] = {
    {SPRAG_PIECE_POINT, SPRAG_PIECE_POINT},   {SPRAG_PIECE_POINT, SPRAG_PIECE_LINE},
    {SPRAG_PIECE_POINT, SPRAG_PIECE_PLANE},   {SPRAG_PIECE_LINE, SPRAG_PIECE_LINE},
    {SPRAG_PIECE_POINT, SPRAG_PIECE_CIRCLE},  {SPRAG_PIECE_LINE, SPRAG_PIECE_CIRCLE},
    {SPRAG_PIECE_CIRCLE, SPRAG_PIECE_CIRCLE}, {SPRAG_PIECE_CIRCLE, SPRAG_PIECE_PLANE}};
enum { PAIR_COUNT = sizeof PAIRS / sizeof PAIRS[0] };

static void test_rates(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 1);
    for (int pair = 0; pair < PAIR_COUNT; pair++) {
        int checked = 0, draws = test_draws(200);
        for (int draw = 0; draw < draws; draw++) {
            Case c;
            int turn = draw & 1;
            for (int i = 0; i < 2; i++) {
                c.piece[i] = draw_piece(&random, PAIRS[pair][i ^ turn]);
                c.pose[i] = space_pose(&random, 1, 1);
            }
            // without radii curves cross, and the normal comes from their tangents
            if (draw % 4 < 2 && PAIRS[pair][0] != SPRAG_PIECE_POINT)
                c.piece[0].radius = c.piece[1].radius = 0;
            checked += check_rates(&c);
            check_swapped(&c);
        }
        assert_true(checked > draws / 2);
    }
}

// Sphere in a bowl, sphere in a bore, rim in a bore, rim in a bowl.
static void test_rates_in_holes(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 2);
    int checked = 0, draws = test_draws(400);
    for (int draw = 0; draw < draws; draw++) {
        Case c = {.axis = -1};
        SpragPieceKind kind = draw & 1 ? SPRAG_PIECE_POINT : SPRAG_PIECE_CIRCLE;
        SpragPieceKind hole = draw & 2 ? SPRAG_PIECE_POINT : SPRAG_PIECE_LINE;
        int inner = draw & 4 ? 1 : 0;
        c.piece[inner] = draw_piece(&random, kind);
        c.piece[1 - inner] = draw_piece(&random, hole);
        c.piece[1 - inner].radius = -3;
        for (int i = 0; i < 2; i++)
            c.pose[i] = space_pose(&random, 0.3, 1);
        checked += check_rates(&c);
        check_swapped(&c);
    }
    assert_true(checked > draws / 2);
}

// ---- Sampling -----------------------------------------------------------------------------------

enum { SAMPLES = 4000 };

static SpragVec3 circle_place(const Case *c, int side, double angle)
{
    const SpragPiece *piece = &c->piece[side];
    SpragVec3 a = piece->axis, e = fabs(a.x) < 0.6 ? sprag_vec3(1, 0, 0) : sprag_vec3(0, 1, 0);
    e = sprag_vec3_unit(sprag_vec3_cross(a, e));
    SpragVec3 f = sprag_vec3_cross(a, e);
    SpragVec3 local = sprag_vec3_along(piece->point, piece->size * cos(angle), e);
    return pose_to_world(&c->pose[side], sprag_vec3_along(local, piece->size * sin(angle), f));
}

// Distance of a place from the core on the other side, a second way.
static double core_distance(const Case *c, int side, SpragVec3 p)
{
    const SpragPiece *piece = &c->piece[side];
    SpragVec3 v = sprag_vec3_sub(pose_to_local(&c->pose[side], p), piece->point);
    double along = sprag_vec3_dot(v, piece->axis);
    SpragVec3 across = sprag_vec3_along(v, -along, piece->axis);
    if (piece->kind == SPRAG_PIECE_POINT)
        return sprag_vec3_norm(v);
    if (piece->kind == SPRAG_PIECE_LINE)
        return sprag_vec3_norm(across);
    return hypot(along, sprag_vec3_norm(across) - piece->size);
}

// Local minima (sign 1) or maxima (−1) of the distance around a circle on side 0.
static int sampled_extrema(const Case *c, double sign, double *values)
{
    static double around[SAMPLES];
    int count = 0;
    for (int i = 0; i < SAMPLES; i++)
        around[i] =
            sign * core_distance(c, 1, circle_place(c, 0, 2 * 3.141592653589793 * i / SAMPLES));
    for (int i = 0; i < SAMPLES; i++)
        if (around[i] <= around[(i + 1) % SAMPLES] &&
            around[i] < around[(i + SAMPLES - 1) % SAMPLES])
            values[count++] = sign * around[i];
    return count;
}

// A sampled extremum misses the true one by at most the bend times half a step squared; a distance
// that passes through zero by half a step.
static double sampled_error(const Case *c, double distance)
{
    double step = 3.2 / SAMPLES * (c->piece[0].size + 1);
    return distance > 10 * step ? 4 * step * step / distance : 2 * step;
}

static void test_circles_against_sampling(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 3);
    const SpragPieceKind kinds[3] = {SPRAG_PIECE_POINT, SPRAG_PIECE_LINE, SPRAG_PIECE_CIRCLE};
    for (int draw = 0; draw < test_draws(150); draw++) {
        Case c = {.axis = -1};
        bool hole = draw % 5 == 4 && draw % 3 < 2;
        c.piece[0] = draw_piece(&random, SPRAG_PIECE_CIRCLE);
        c.piece[1] = draw_piece(&random, kinds[draw % 3]);
        c.piece[0].radius = 0.01;
        c.piece[1].radius = hole ? -4 : 0.01;
        for (int i = 0; i < 2; i++)
            c.pose[i] = space_pose(&random, 0.4, 0);
        SpragSpaceGap gap;
        assert_true(piece_gap(&c.piece[0], &c.pose[0], &c.piece[1], &c.pose[1], -1, false, &gap));
        check_frame(&gap);
        double distance = hole ? 4 - 0.01 - gap.gap : gap.gap + 0.02, values[16], best = INFINITY;
        int count = sampled_extrema(&c, hole ? -1 : 1, values);
        double least = INFINITY;
        for (int i = 0; i < count; i++) {
            best = fmin(best, fabs(values[i] - distance));
            least = fmin(least, values[i]);
        }
        assert_true(best <= sampled_error(&c, distance));
        // of two circles the nearest places of all; a line says by its direction which it means
        if (draw % 3 == 2)
            assert_close(distance, least, sampled_error(&c, least));
    }
}

// A line through a disc's rim: its direction says which of the two crossings is meant.
static void test_line_direction_chooses(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 4);
    for (int draw = 0; draw < test_draws(100); draw++) {
        double b = sprag_random_uniform(&random, -0.9, 0.9), h = 1e-3 * space_draw(&random);
        SpragPose pose = space_pose(&random, 10, 0);
        SpragPiece circle = piece_circle(sprag_vec3(0, 0, 0), sprag_vec3(0, 0, 1), 1);
        double direction = draw & 1 ? 1 : -1;
        SpragPiece line = piece_line(sprag_vec3(3, b, h), sprag_vec3(direction, 0, 0), 0);
        SpragSpaceGap gap;
        assert_true(piece_gap(&line, &pose, &circle, &pose, -1, false, &gap));
        SpragVec3 p = pose_to_local(&pose, gap.point[1]);
        assert_close(p.x, direction * sqrt(1 - b * b), 1e-4);
        assert_close(p.y, b, 1e-4);
        // the normal is the flat end's, and the gap the height over it, of either sign
        SpragVec3 n = sprag_mat3_apply_back(&pose.R, gap.normal);
        assert_close(n.z, 1, 1e-9);
        assert_close(gap.gap, h, 1e-12);
    }
}

// The two crossings of two discs on each other.
static void test_circle_crossings(void **state)
{
    (void)state;
    SpragPose pose = space_pose_at(sprag_vec3(0, 0, 0));
    SpragPiece upper = piece_circle(sprag_vec3(0.5, 0, 1e-3), sprag_vec3(0, 0, -1), 1);
    SpragPiece lower = piece_circle(sprag_vec3(0, 0, 0), sprag_vec3(0, 0, 1), 0.8);
    double x = (0.25 + 0.64 - 1) / (2 * 0.5), y = sqrt(0.64 - x * x);
    for (int side = -1; side <= 1; side += 2) {
        SpragSpaceGap gap;
        upper.angle = side;
        assert_true(piece_gap(&upper, &pose, &lower, &pose, -1, true, &gap));
        assert_close(gap.gap, 1e-3, 1e-12);
        assert_close(gap.normal.z, 1, 1e-9);
        assert_close(gap.point[1].x, x, 1e-5);
        assert_close(fabs(gap.point[1].y), y, 1e-5);
        assert_true((gap.point[1].y > 0) == (side < 0));
    }
}

// What has no direction gives finite numbers.
static void test_degenerate(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 5);
    SpragPose a = space_pose(&random, 1, 1), b = a;
    b.w = sprag_vec3(1, 2, 3);
    SpragVec3 zero = {0, 0, 0}, z = {0, 0, 1}, x = {1, 0, 0};
    SpragPiece point = piece_point(zero, 0.1), line = piece_line(zero, z, 0.2);
    SpragPiece circle = piece_circle(zero, z, 1), plane = piece_plane(zero, z);
    SpragPiece beside = piece_line(x, z, 0.2), bore = piece_line(zero, z, -1);
    const SpragPiece *pairs[][2] = {{&point, &point},   {&point, &line},   {&line, &line},
                                    {&line, &beside},   {&circle, &point}, {&circle, &line},
                                    {&circle, &circle}, {&circle, &plane}, {&point, &bore},
                                    {&circle, &bore}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        SpragSpaceGap gap;
        assert_true(piece_gap(pairs[i][0], &a, pairs[i][1], &b, -1, true, &gap));
        assert_true(isfinite(gap.gap) && isfinite(largest_rate(&gap)));
        check_frame(&gap);
    }
    SpragSpaceGap gap;
    assert_false(piece_gap(&line, &a, &plane, &b, -1, true, &gap));
    assert_true(gap.gap == INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_rates_in_holes),
        cmocka_unit_test(test_circles_against_sampling),
        cmocka_unit_test(test_line_direction_chooses),
        cmocka_unit_test(test_circle_crossings),
        cmocka_unit_test(test_degenerate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
