// Maps of drives against the tables of theory.md section 9 and closed forms of their borders.
#include "support/with_folder.h"

static char path[64];

static int setup_path(void **state)
{
    if (setup(state))
        return 1;
    snprintf(path, sizeof path, "%s/drive.yaml", folder);
    return 0;
}

static int teardown_path(void **state)
{
    unlink(path);
    return teardown(state);
}

static void write_file(const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static SpragMap *make(const SpragMapSettings *settings)
{
    SpragMap *map;
    assert_ok(context, sprag_map_create(context, path, settings, &map));
    return map;
}

static SpragMapSettings grid(const char *x, const char *y)
{
    SpragMapSettings settings = sprag_map_default();
    settings.x = x;
    settings.y = y;
    settings.border_tolerance = 1e-12;
    return settings;
}

static const SpragOutcome *outcome_at(const SpragMap *map, int i, int j)
{
    return &map->table[map->classes[i + (long)j * map->axes[0].count]].outcome;
}

// ---- The scalar problem -------------------------------------------------------------------------

// theory.md 9.1: the number of motions for a = 1.5, b = 0.5, c = 0.75 (a/c = 2); −1: infinite.
static int table_count(double d, int direction, double mu, double tau)
{
    const double a = 1.5, b = 0.5, c = 0.75, critical = b - a * d / c;
    double side = tau - critical;
    if (direction != 0) {
        if (mu < a / c)
            return 1;
        if (mu == a / c)
            return side == 0 ? -1 : direction * side > 0;
        return side == 0 ? 1 : direction * side > 0 ? 2 : 0;
    }
    if (d == 0 || mu < a / c)
        return 1;
    double turn = d > 0 ? 1 : -1; // d < 0: everything the other way round
    double x = turn * (tau - b), edge = turn * (critical - b), band = mu * fabs(d);
    if (mu == a / c)
        return x == edge ? -1 : 1;
    if (x > edge || x < -band)
        return 1;
    return x == edge || x == -band ? 2 : 3;
}

static void test_table(void **state)
{
    (void)state;
    const double ds[] = {2, -2, 0};
    char text[256];
    int seen[5] = {0};
    for (int k = 0; k < 9; k++) {
        double d = ds[k / 3];
        int direction = k % 3 - 1;
        snprintf(text, sizeof text,
                 "sprag: 1\nproblem: scalar\na: 1.5\nb: 0.5\nc: 0.75\nd: %g\nfriction: 1\n"
                 "velocity: %d\ninput: 0\n",
                 d, direction);
        write_file(text);
        // mu = 2 and tau_cr = −3.5, 4.5 or 0.5 are on the grid
        SpragMapSettings settings = grid("friction=0:4:17", "input=-8:8:65");
        settings.borders = false;
        SpragMap *map = make(&settings);
        for (int j = 0; j < map->axes[1].count; j++)
            for (int i = 0; i < map->axes[0].count; i++) {
                const SpragOutcome *outcome = outcome_at(map, i, j);
                double mu = map->axes[0].values[i], tau = map->axes[1].values[j];
                int wanted = table_count(d, direction, mu, tau);
                int got = outcome->kind == SPRAG_VERDICT_INFINITE ? -1 : outcome->solution_count;
                assert_int_equal(got, wanted);
                seen[wanted + 1]++;
                if (wanted == 0)
                    assert_string_equal(outcome->modes, "jam");
                if (wanted == 3)
                    assert_true(outcome->held && outcome->stable_count == 2);
                if (wanted == 2 && direction != 0)
                    assert_int_equal(outcome->stable_count, 1);
            }
        sprag_map_destroy(map);
    }
    for (int i = 0; i < 5; i++)
        assert_true(seen[i] > 0);
}

// A border lies on mu = a/c, on tau = tau_cr or on an end of the band, and nowhere else.
static void test_borders(void **state)
{
    (void)state;
    char text[256];
    for (int direction = -1; direction <= 1; direction++) {
        int flat = 0, critical = 0, band = 0;
        snprintf(text, sizeof text,
                 "sprag: 1\nproblem: scalar\na: 1.5\nb: 0.5\nc: 0.75\nd: 2\nfriction: 1\n"
                 "velocity: %d\ninput: 0\n",
                 direction);
        write_file(text);
        SpragMapSettings settings = grid("friction=0.03:4:23", "input=-8.11:8:31");
        SpragMap *map = make(&settings);
        for (int i = 0; i < map->segment_count; i++) {
            const SpragMapSegment *segment = &map->segments[i];
            const SpragMapVertex *vertex = &map->vertices[segment->a];
            if (segment->right < 0 || vertex->meeting)
                continue;
            double mu = vertex->x, tau = vertex->y;
            double off[] = {mu - 2, tau + 3.5, fabs(tau - 0.5) - 2 * mu};
            const double close = 1e-9;
            flat += fabs(off[0]) < close;
            critical += fabs(off[1]) < close;
            band += fabs(off[2]) < close;
            assert_true(fabs(off[0]) < close || fabs(off[1]) < close || fabs(off[2]) < close);
        }
        assert_int_equal(flat > 0, direction != 0);
        assert_int_equal(band > 0, direction == 0);
        assert_true(critical > 0);
        sprag_map_destroy(map);
    }
}

static void test_values(void **state)
{
    (void)state;
    static const char *const names[] = {"acceleration", "normal",        "tau_cr", "band_high",
                                        "inertia",      "inertia_least", "growth", "margin"};
    write_file("sprag: 1\nproblem: scalar\na: 1.5\nb: 0.5\nc: 0.75\nd: 2\nfriction: 1\n"
               "velocity: 1\ninput: 0\nstiffness: 300\n");
    SpragMapSettings settings = grid("friction=0.25:4:16", "input=-3:8:12");
    settings.values = names;
    settings.value_count = 8;
    settings.borders = false;
    SpragMap *map = make(&settings);
    for (int j = 0; j < 12; j++)
        for (int i = 0; i < 16; i++) {
            const double *values = map->values + 8 * (i + 16 * (long)j);
            double mu = map->axes[0].values[i], tau = map->axes[1].values[j];
            double q = (tau - 0.5 - 2 * mu) / (1.5 + 0.75 * mu); // (9.2a)
            assert_close(values[0], q, 1e-12 * (1 + fabs(q)));
            assert_close(values[1], 0.75 * q + 2, 1e-12 * (1 + fabs(q)));
            assert_close(values[2], -3.5, 1e-12);
            assert_close(values[3], 0.5 + 2 * mu, 1e-12);
            assert_close(values[4], 1.5 + 0.75 * mu, 1e-12);
            assert_close(values[5], 1.5 - 0.75 * mu, 1e-12);
            // (9.8), (9.10): h = (a − mu c)/(a c)
            double h = (1.5 - 0.75 * mu) / (1.5 * 0.75);
            assert_close(values[6], h < 0 ? sqrt(300 * -h) : 0, 1e-9 * (1 + values[6]));
            // to mu = 2, where the second motion appears; a step down ends at no friction
            if (mu != 2)
                assert_close(values[7], fabs(2 - mu) / mu, 1e-8);
        }
    sprag_map_destroy(map);
}

// The inverse problem: the input is that of (9.1).
static void test_inverse(void **state)
{
    (void)state;
    static const char *const names[] = {"input", "acceleration"};
    write_file("sprag: 1\nproblem: scalar\na: 1.5\nb: 0.5\nc: 0.75\nd: 2\nfriction: 1\n"
               "velocity: 1\nacceleration: 1\n");
    SpragMapSettings settings = grid("acceleration=-6:6:25", "friction=0:1.5:7");
    settings.values = names;
    settings.value_count = 2;
    settings.borders = false;
    SpragMap *map = make(&settings);
    for (int j = 0; j < 7; j++)
        for (int i = 0; i < 25; i++) {
            double q = map->axes[0].values[i], mu = map->axes[1].values[j];
            const double *values = map->values + 2 * (i + 25 * (long)j);
            assert_close(values[0], 1.5 * q + 0.5 + mu * fabs(0.75 * q + 2), 1e-11);
            assert_close(values[1], q, 1e-11); // mu < a/c: realised
        }
    sprag_map_destroy(map);
}

// ---- The screw ----------------------------------------------------------------------------------

// At rest without torque: it holds above mu = tan(alpha) cos(theta). Turning: two motions above the
// friction at which I + m l²/eta_2 = 0 (9.16). No drive beyond (9.15).
static void test_screw(void **state)
{
    (void)state;
    const double l = 0.002, across = cos(0.3), inertia = 2e-6, mass = 20;
    char text[256];
    for (int moving = 0; moving < 2; moving++) {
        int locks = 0, paradox = 0, limit = 0;
        snprintf(text, sizeof text,
                 "sprag: 1\nproblem: screw\ninertia: 2e-6\nmass: 20\nlead: 2 mm/rad\nhelix: 0.1\n"
                 "thread-angle: 0.3 rad\nfriction: 0.1\nvelocity: %d\ninput: 0\n",
                 moving);
        write_file(text);
        SpragMapSettings settings = grid("friction=0.01:3:37", "helix=0.05:1.4:29");
        settings.jobs = 2;
        SpragMap *map = make(&settings);
        for (int i = 0; i < map->segment_count; i++) {
            const SpragMapSegment *segment = &map->segments[i];
            const SpragMapVertex *vertex = &map->vertices[segment->a];
            if (segment->right < 0 || vertex->meeting)
                continue;
            double mu = vertex->x, alpha = vertex->y, rho = atan2(mu, across);
            const SpragMapClass *a = &map->table[segment->left], *b = &map->table[segment->right];
            // an edge that crosses two borders shows the first: near the place where they meet
            bool locking = !moving && fabs(mu - across * tan(alpha)) < 1e-9 * (2 + mu * mu);
            if (a->valid != b->valid && !locking) {
                assert_close(mu, across / tan(alpha), 1e-9 * (1 + mu / sin(alpha)));
                limit++;
            } else if (!moving) {
                assert_true(locking);
                locks++;
            } else {
                double effective = inertia + mass * l * l * tan(alpha - rho) / tan(alpha);
                double slope = mass * l * l / tan(alpha) / pow(cos(rho - alpha), 2) +
                               mass * l * l / pow(sin(alpha), 2);
                assert_close(effective, 0, 1e-9 * slope);
                paradox++;
            }
        }
        assert_true(limit > 10);
        assert_true(moving ? paradox > 10 : locks > 10);
        assert_true(map->invalid[0] && strstr(map->invalid, "(9.15)"));
        sprag_map_destroy(map);
    }
}

// ---- Several guides -----------------------------------------------------------------------------

// Two joints that know nothing of each other: numbers of motions multiply.
static void test_guides(void **state)
{
    (void)state;
    static const char *const names[] = {"acceleration2", "normal1", "input1"};
    write_file("sprag: 1\nproblem: scalar\na: [[1.5, 0], [0, 1.5]]\nb: [0.5, 0.5]\n"
               "c: [[0.75, 0], [0, 0.75]]\nd: [2, 2]\nfriction: [1, 3]\nvelocity: [1, 0]\n"
               "input: [0, 0]\n");
    SpragMapSettings settings = grid("friction.0=0.1:4:14", "input.0=-8.1:8:24");
    settings.values = names;
    settings.value_count = 3;
    settings.borders = false;
    for (int turn = 0; turn < 2; turn++) {
        if (turn == 1)
            settings.y = "input.1=-8.1:8:24";
        SpragMap *map = make(&settings);
        for (int j = 0; j < 24; j++)
            for (int i = 0; i < 14; i++) {
                double mu = map->axes[0].values[i], tau = map->axes[1].values[j];
                int first = table_count(2, 1, mu, turn == 0 ? tau : 0);
                int second = table_count(2, 0, 3, turn == 1 ? tau : 0);
                const SpragOutcome *outcome = outcome_at(map, i, j);
                const double *values = map->values + 3 * (i + 14 * (long)j);
                assert_int_equal(outcome->solution_count, first * second);
                assert_close(values[2], turn == 0 ? tau : 0, 1e-15);
                if (first == 0)
                    assert_string_equal(outcome->modes, "jam");
                else if (turn == 0)
                    assert_close(values[0], 0, 1e-12); // it rests
            }
        sprag_map_destroy(map);
    }
}

// ---- The same for any number of threads; what is refused ----------------------------------------

static void test_threads(void **state)
{
    (void)state;
    write_file("sprag: 1\nproblem: transmission\na: [1, 0.5]\nb: [1, 0]\nc: [1, -1]\n"
               "d: [1, 0.2]\nfriction: 0.5\nratio: 1\nvelocity: -1\ninput: [0, 1]\n");
    SpragMapSettings settings = grid("friction=0:8:64", "input.0=-6:6:64");
    SpragMap *one = make(&settings);
    settings.jobs = 3;
    SpragMap *three = make(&settings);
    settings.refine = true;
    SpragMap *fewer = make(&settings);
    assert_true(one->class_count >= 3 && one->segment_count == three->segment_count);
    assert_memory_equal(one->classes, three->classes, 64 * 64 * sizeof *one->classes);
    assert_memory_equal(one->vertices, three->vertices,
                        (size_t)one->vertex_count * sizeof *one->vertices);
    assert_true(fewer->evaluation_count < one->evaluation_count);
    for (int k = 0; k < 64 * 64; k++)
        assert_int_equal(one->table[one->classes[k]].outcome.signature,
                         fewer->table[fewer->classes[k]].outcome.signature);
    sprag_map_destroy(one);
    sprag_map_destroy(three);
    sprag_map_destroy(fewer);
}

static void refuse(const char *x, const char *value, SpragStatus wanted, const char *fragment)
{
    SpragMapSettings settings = grid(x, NULL);
    SpragMap *map;
    settings.values = &value;
    settings.value_count = value != NULL;
    assert_int_equal(sprag_map_create(context, path, &settings, &map), wanted);
    assert_non_null(strstr(sprag_context_message(context), fragment));
}

static void test_refused(void **state)
{
    (void)state;
    write_file("sprag: 1\nproblem: screw\ninertia: 1\nmass: 1\nlead: 1 mm\nhelix: 10 deg\n"
               "friction: 0.1\n");
    refuse("friction=0:1:5", "nothing", SPRAG_ERROR_ARGUMENT, "critical_inertia");
    refuse("friction=0:1:5", "A", SPRAG_ERROR_ARGUMENT, "efficiency");
    refuse("friction=0:1:5", "normal2", SPRAG_ERROR_ARGUMENT, "efficiency");
    refuse("friction=-1:1:5", NULL, SPRAG_ERROR_INPUT, "at friction = -1");
    refuse("lead=0:1 mm:5", NULL, SPRAG_ERROR_INPUT, "lead must be a number > 0");
    refuse("friction=10:20:5", NULL, SPRAG_ERROR_INPUT, "nowhere in the map");
    refuse("friction=10:20:5", NULL, SPRAG_ERROR_INPUT, "(9.15)");
    write_file("sprag: 1\nproblem: scalar\na: [[1, 0], [0, 1]]\nc: [[1, 0], [0, 1]]\n"
               "friction: [1, 1]\n");
    refuse("friction.0=0:1:5", "normal3", SPRAG_ERROR_ARGUMENT, "several guides");
    refuse("friction.0=0:1:5", "tau_cr", SPRAG_ERROR_ARGUMENT, "several guides");
    write_file("sprag: 1\nproblem: lcp\nM: [[1]]\nq: [1]\n");
    refuse("q.0=0:1:5", NULL, SPRAG_ERROR_INPUT, "screw");
}

// The margin of a number of a drive.
static void test_margin(void **state)
{
    (void)state;
    SpragMargin margin;
    double value;
    write_file("sprag: 1\nproblem: scalar\na: 1.5\nb: 0.5\nc: 0.75\nd: 2\nfriction: 1\n"
               "velocity: 1\ninput: 0\n");
    assert_ok(context, sprag_margin_parameter(context, path, NULL, "friction", &value, &margin));
    assert_close(margin.up.change, 1, 1e-8); // to a/c = 2
    assert_true(isinf(margin.down.change));
    assert_ok(context, sprag_margin_parameter(context, path, NULL, "a", &value, &margin));
    assert_close(margin.down.change, 0.5, 1e-8); // to mu c = 0.75
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),   cmocka_unit_test(test_borders),
        cmocka_unit_test(test_values),  cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_screw),   cmocka_unit_test(test_guides),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_margin),
    };
    return cmocka_run_group_tests(tests, setup_path, teardown_path);
}
