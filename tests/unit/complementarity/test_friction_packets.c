// test_friction_packets.c: sweeps over eight contacts at a time, theory.md 11.18: the same bytes
// with and without vectors of eight, problems that are not of balls alone, and overlaps.
#define PACKETS_PLAIN
#define packets_sweep plain_sweep
#define packets_judge plain_judge
#define packets_keep plain_keep
#define packets_blend plain_blend
#include "friction_packet_mixing.c"
#include "friction_packet_sweep.c"
#undef packets_sweep
#undef packets_judge
#undef packets_keep
#undef packets_blend

#include "support/friction_bench.h"

// The library's own, with AVX2 where the machine has it.
double packets_sweep(const PacketField *field);
double packets_judge(const PacketField *field);
void packets_keep(const PacketField *field, const Lanes *before, Lanes *ring, size_t at,
                  double *products);
void packets_blend(const PacketField *field, const PacketMixing *mixing, const double *parts,
                   size_t to);

// ---- Bytes --------------------------------------------------------------------------------------

enum { PACKETS = 9, BODIES = 40, MOST = PACKETS * 64 };

typedef struct Room {
    Lanes packets[MOST], changes[6 * PACKETS], ring[9 * PACKETS];
    Lanes ends[12 * PACKETS], velocities[4 * (BODIES + NOBODIES)];
    int body[2 * LANES * PACKETS];
    PacketField field;
    PacketMixing mixing;
} Room;

// Random packets; no two lanes of one share a body.
static void fill_room(Room *room, int rows, bool round, uint64_t seed)
{
    size_t size = round ? ROUND_SIZE(rows) : PACKET_SIZE(rows);
    int first = round ? ROUND_INVERSE(rows) : PACKET_INVERSE(rows);
    SpragRandom random;
    sprag_random_init(&random, seed);
    memset(room, 0, sizeof *room);
    for (size_t i = 0; i < PACKETS * size * LANES; i++)
        ((float *)room->packets)[i] = (float)sprag_random_uniform(&random, -0.4, 0.4);
    for (size_t i = 0; i < PACKETS * LANES; i++) {
        Lanes *packet = room->packets + i / LANES * size;
        for (int k = first; k < first + (rows == 3 ? 3 : 2); k++) // 1/w, and μ
            packet[k][i % LANES] = (float)sprag_random_uniform(&random, 0.1, 0.9);
    }
    for (int i = 0; i < 2 * LANES * PACKETS; i++)
        room->body[i] = BODY_OFFSET * ((7 * i + i / (2 * LANES)) % BODIES);
    room->field = (PacketField){.rows = rows,
                                .round = round,
                                .floor = 1e-9F,
                                .count = PACKETS,
                                .bodies = BODIES,
                                .packets = room->packets,
                                .body = room->body,
                                .r = room->ends,
                                .change = room->changes,
                                .velocity = room->velocities};
    room->mixing = (PacketMixing){.ends = room->ends,
                                  .velocities = room->velocities,
                                  .changes = room->changes,
                                  .ring = room->ring};
}

// The next place and the other change, as friction_packets.c takes them.
static void go_on(Room *room)
{
    PacketField *field = &room->field;
    size_t n = (size_t)field->rows * PACKETS,
           place = room->mixing.place = (room->mixing.place + 1) % 4;
    field->r = room->ends + place * n;
    field->velocity = room->velocities + place * (BODIES + NOBODIES);
    field->change = field->change == room->changes ? room->changes + n : room->changes;
}

// Each of n numbers of a mixture beside the sum of parts of the four columns, which were `from`:
// some ten roundings of single precision, of terms of the size of the sum of |parts| |column|.
static void check_mixture(const Lanes *from, size_t n, const double *parts, const Lanes *mixture)
{
    const double rounding = 6e-8, terms = 12;
    for (size_t k = 0; k < n * LANES; k++) {
        double sum = 0, size = 0;
        for (size_t i = 0; i < 4; i++) {
            double term = parts[i] * (double)from[i * n + k / LANES][k % LANES];
            sum += term;
            size += 3 * fabs(term);
        }
        assert_close((double)mixture[k / LANES][k % LANES], sum, terms * rounding * size + 1e-30);
    }
}

static void bytes_are_the_same(void **state)
{
    (void)state;
    Room *a = aligned_alloc(64, sizeof *a), *b = aligned_alloc(64, sizeof *b);
    assert_true(a && b && sizeof *a % 64 == 0);
    for (int kind = 0; kind < 4; kind++) {
        const double parts[4] = {0.3, -0.2, 0.1, 0.8};
        double mine[6], theirs[6];
        Lanes from[12 * PACKETS];
        fill_room(a, kind % 2 ? 3 : 1, kind / 2, 4);
        fill_room(b, kind % 2 ? 3 : 1, kind / 2, 4);
        size_t n = (size_t)a->field.rows * PACKETS;
        for (size_t k = 0; k < 6; k++) {
            size_t other = k % 2 ? 0 : n, to = (k + 1) % 4;
            assert_true(packets_sweep(&a->field) == plain_sweep(&b->field));
            packets_keep(&a->field, a->changes + other, a->ring, k % 3, mine);
            plain_keep(&b->field, b->changes + other, b->ring, k % 3, theirs);
            assert_memory_equal(mine, theirs, sizeof mine);
            memcpy(from, a->ends, sizeof from);
            packets_blend(&a->field, &a->mixing, parts, to);
            plain_blend(&b->field, &b->mixing, parts, to);
            check_mixture(from, n, parts, a->ends + to * n);
            go_on(a);
            go_on(b);
        }
        assert_true(packets_judge(&a->field) == plain_judge(&b->field));
        assert_memory_equal(a->ends, b->ends, sizeof a->ends);
        assert_memory_equal(a->velocities, b->velocities, sizeof a->velocities);
        assert_true(sum_of(&a->field.r[0]) > 0);
    }
    free(a);
    free(b);
}

// Packets 0 and 1, 2 and 3 … share no body: visited in turn, stage by stage, they leave the bytes
// of one after the other, with and without AVX2. The last packet has no partner.
static void pairs_leave_the_same_bytes(void **state)
{
    (void)state;
    Room *a = aligned_alloc(64, sizeof *a), *b = aligned_alloc(64, sizeof *b);
    assert_true(a && b);
    for (int kind = 0; kind < 4; kind++) {
        Room *rooms[2] = {a, b};
        for (int k = 0; k < 2; k++) {
            fill_room(rooms[k], kind % 2 ? 3 : 1, true, 11);
            for (int i = 0; i < 2 * LANES * PACKETS; i++) {
                int packet = i / (2 * LANES);
                rooms[k]->body[i] =
                    BODY_OFFSET * (BODIES / 2 * (packet % 2) + (i + 3 * packet) % 20);
            }
        }
        b->field.paired = PACKETS - 1;
        for (int k = 0; k < 5; k++) {
            double mine = packets_sweep(&a->field);
            assert_true(mine == (kind / 2 ? plain_sweep(&b->field) : packets_sweep(&b->field)));
            assert_memory_equal(a->ends, b->ends, sizeof a->ends);
            assert_memory_equal(a->changes, b->changes, sizeof a->changes);
            assert_memory_equal(a->velocities, b->velocities, sizeof a->velocities);
        }
        assert_true(sum_of(&a->field.r[0]) > 0);
    }
    free(a);
    free(b);
}

// Whether two packets have a body in common.
static bool packets_share(const Packing *p, int one, int other)
{
    for (size_t i = 0; i < p->contacts; i++)
        for (size_t k = 0; p->place[i] / LANES == one && k < p->contacts; k++)
            for (size_t e = 0; p->place[k] / LANES == other && e < 4; e++) {
                int body = p->problem->bodies[2 * i + e % 2];
                if (body >= 0 && body == p->problem->bodies[2 * k + e / 2])
                    return true;
            }
    return false;
}

// Packets of a pile: each contact has its own place, pairs share no body, and most are in one.
static void packets_have_partners(void **state)
{
    (void)state;
    Bench *bench = bench_new();
    FrictionScene *scene = friction_scene_balls(5, 0.5, 0.05, 301);
    SpragArena *arena;
    assert_ok(bench->context, sprag_arena_create(bench->context, 1024, &arena));
    Packing p = {.arena = arena,
                 .problem = &scene->problem,
                 .contacts = (size_t)scene->problem.contact_count,
                 .field = {.rows = 3, .bodies = (size_t)scene->problem.body_count}};
    assert_true(packing_prepare(&p));
    static bool taken[LANES * FRICTION_SCENE_CONTACTS];
    memset(taken, 0, sizeof taken);
    for (size_t i = 0; i < p.contacts; i++) {
        assert_in_range(p.place[i], 0, LANES * p.count - 1);
        assert_false(taken[p.place[i]]);
        taken[p.place[i]] = true;
    }
    assert_true(p.field.paired % 2 == 0 && 2 * p.field.paired > p.field.count);
    for (int i = 0; i < (int)p.field.paired; i += 2)
        assert_false(packets_share(&p, i, i + 1));
    sprag_arena_destroy(arena);
    free(scene);
    bench_free(bench);
}

// Balls in round packets, and the same with an inertia that one body has a millionth off, so that
// they go into others: both are sweeps over the same contacts in the same order, exact in W_ii, and
// differ by roundings of single precision.
static void round_packets_are_packets(void **state)
{
    (void)state;
    Bench *bench = bench_new();
    FrictionScene *scene = friction_scene_balls(4, 0.5, 0.05, 300);
    size_t rows = 3 * (size_t)scene->problem.contact_count;
    double *round = malloc(rows * sizeof *round), size = 0, off = 0;
    assert_non_null(round);
    for (int k = 0; k < 2; k++) {
        scene->inverse[21] *= 1 + 1e-6 * k;
        memset(bench->r, 0, sizeof bench->r);
        assert_ok(bench->context, sprag_friction_sweep(bench->workspace, &scene->problem, 4, 1e-3,
                                                       bench->r, bench->u, &bench->info));
        assert_int_equal(bench->info.iterations, 4);
        if (k == 0)
            memcpy(round, bench->r, rows * sizeof *round);
    }
    for (size_t i = 0; i < rows; i++) {
        size = fmax(size, fabs(round[i]));
        off = fmax(off, fabs(round[i] - bench->r[i]));
    }
    // the inertia changes W of its contacts by 1e-6, weights of the mixing amplify that some tens
    assert_true(off > 0 && off <= 1e-4 * size);
    free(round);
    free(scene);
    bench_free(bench);
}

// ---- Problems -----------------------------------------------------------------------------------

static int sweep(Bench *bench, const SpragFrictionProblem *problem)
{
    assert_ok(bench->context, sprag_friction_sweep(bench->workspace, problem, 3000, 1e-3, bench->r,
                                                   bench->u, &bench->info));
    sprag_friction_velocity(problem, bench->r, bench->known, bench->velocity);
    double natural = sprag_friction_natural(problem, bench->r, bench->known);
    assert_close(natural, sprag_friction_residual(problem, bench->r, bench->known).natural,
                 1e-14 * natural);
    assert_true((bench->info.status == SPRAG_FRICTION_SOLVED) == (natural <= 1e-3));
    return bench->info.status == SPRAG_FRICTION_SOLVED;
}

// Of a pile of balls one in 16 has another inertia, so that W_ii of its contacts is none of balls.
static void other_bodies_are_taken(void **state)
{
    (void)state;
    Bench *bench = bench_new();
    int solved = 0, count = 0;
    for (int draw = 0; draw < test_draws(3); draw++, count++) {
        FrictionScene *scene = friction_scene_balls(4, 0.5, 0.05, 300 + (uint64_t)draw);
        for (int i = 0; i < scene->problem.body_count; i += 16)
            for (int k = 3; k < 6; k++)
                scene->inverse[36 * i + 7 * k] *= k;
        memset(bench->r, 0, sizeof bench->r);
        solved += sweep(bench, &scene->problem);
        free(scene);
    }
    assert_true(solved >= count - count / 10);
    bench_free(bench);
}

// Impulses of the start far above what they balance are not for single precision.
static void large_impulses_come_down(void **state)
{
    (void)state;
    Bench *bench = bench_new();
    FrictionScene *scene = friction_scene_balls(4, 0.5, 0.05, 300);
    for (int i = 0; i < 3 * scene->problem.contact_count; i++)
        bench->r[i] = i % 3 ? 0 : 1e5;
    assert_true(sweep(bench, &scene->problem));
    free(scene);
    bench_free(bench);
}

// ---- Overlaps -----------------------------------------------------------------------------------

// gap + N M⁻¹ Nᵀ y by the judge's product, with the normals of y alone.
static double missed(Bench *bench, const FrictionScene *scene, const double *gap, const double *y)
{
    SpragFrictionProblem problem = scene->problem;
    static double q[3 * FRICTION_SCENE_CONTACTS];
    double sum = 0;
    memset(bench->r, 0, sizeof bench->r);
    for (int i = 0; i < problem.contact_count; i++) {
        q[3 * i] = gap[i];
        bench->r[3 * i] = y[i];
    }
    problem.q = q;
    sprag_friction_velocity(&problem, bench->r, bench->u, bench->velocity);
    for (int i = 0; i < problem.contact_count; i++) {
        assert_true(y[i] >= 0);
        // of two bodies of mass 1 the normal has W_ii = 2, of one and a wall 1
        double w = problem.bodies[2 * i] >= 0 && problem.bodies[2 * i + 1] >= 0 ? 2 : 1;
        double miss = fmin(w * y[i], bench->u[3 * i]);
        sum += miss * miss;
    }
    return sqrt(sum);
}

// Of wedged balls some must press hundreds of times as far as what overlaps: roundings of single
// precision (6e-8 of that, in each contact) are then above the tolerance, and sweeps cannot end.
// One of 100 draws may be so; if many were, sweeps would run away.
static bool is_wedged(double most, int contacts, double tolerance)
{
    return 6e-8 * most * sqrt(contacts) > tolerance;
}

static double largest(const double *y, int contacts)
{
    double most = 0;
    for (int i = 0; i < contacts; i++)
        most = fmax(most, y[i]);
    return most;
}

static void overlaps_are_parted(void **state)
{
    (void)state;
    Bench *bench = bench_new();
    static double gap[FRICTION_SCENE_CONTACTS], y[FRICTION_SCENE_CONTACTS];
    int draws = test_draws(3), wedges = 0;
    for (int draw = 0; draw < draws; draw++) {
        FrictionScene *scene = friction_scene_balls(4, 0.5, 0, 40 + (uint64_t)draw);
        int contacts = scene->problem.contact_count, done;
        SpragRandom random;
        sprag_random_init(&random, 7 + (uint64_t)draw);
        memset(y, 0, sizeof y);
        for (int i = 0; i < contacts; i++)
            gap[i] = sprag_random_uniform(&random, -1e-6, 3e-6);
        double tolerance = 1e-10;
        assert_ok(bench->context, sprag_friction_part(bench->workspace, &scene->problem, gap, 400,
                                                      tolerance, y, &done));
        double most = largest(y, contacts);
        bool wedged = is_wedged(most, contacts, tolerance);
        wedges += wedged;
        assert_true(done > 0 && (done < 400 || wedged));
        // displacements are rounded to 6e-8 of the largest, some ten of them a contact
        if (!wedged)
            assert_true(missed(bench, scene, gap, y) <=
                        tolerance + 1e-6 * fmax(1e-6, most) * sqrt(contacts));
        scene->problem.contact_count = 20;
        y[3] = 5;
        assert_ok(bench->context, sprag_friction_part(bench->workspace, &scene->problem, gap, 400,
                                                      tolerance, y, &done));
        assert_true(done == 0 && y[3] == 5);
        free(scene);
    }
    assert_true(100 * wedges <= draws);
    bench_free(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_the_same),     cmocka_unit_test(round_packets_are_packets),
        cmocka_unit_test(other_bodies_are_taken), cmocka_unit_test(large_impulses_come_down),
        cmocka_unit_test(overlaps_are_parted),    cmocka_unit_test(pairs_leave_the_same_bytes),
        cmocka_unit_test(packets_have_partners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
