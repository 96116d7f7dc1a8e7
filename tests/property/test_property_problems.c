// Random bare contact problems, in the plane and in space: the verdict, its words of stability, the
// spectrum and the margins do not depend on how the problem is written: by W and b or by mass and
// J, in which coordinates, units, tangents, order of contacts, or names. Maps neither.
//
// Tolerances: borders are bracketed to 1e-9, and a change of coordinates rounds W to 1e-13 of its
// size, which the margin sees magnified by its own derivative: 1e-6. Draws that lie nearer to a
// border than that are left out.
#include "support/scenes.h"
#include "support/with_folder.h"

enum { CONTACTS = 3, COORDINATES = 6, ROWS = 3 * CONTACTS, TEXT = 16384 };

// ---- A problem, and what is done to it ----------------------------------------------------------

typedef struct Draft {
    int dimension, n, contacts;
    double M[COORDINATES * COORDINATES], J[ROWS * COORDINATES];
    double force[COORDINATES], bias[ROWS];
    double friction[CONTACTS], slip[CONTACTS][2], stiffness[CONTACTS];
    bool layer; // stiffness and damping are given
} Draft;

typedef struct Change {
    const char *name;
    double length, mass, time; // what one unit becomes
    double turn;               // of the tangents, space; in the plane π: mirrored
    int order[CONTACTS];       // contact of the draft at each place
    bool dense;                // W and b
    double Q[COORDINATES * COORDINATES];
    const char *names;
} Change;

static void draw_slip(SpragRandom *random, Draft *draft, int i)
{
    double angle = sprag_random_uniform(random, 0, 6.28), speed = 1;
    // in space the search is complete for one contact at rest
    if (sprag_random_below(random, 2) == 0 && (draft->dimension == 2 || i == 0))
        speed = 0;
    draft->slip[i][0] = speed * (draft->dimension == 2 ? (angle < 3.14 ? 1 : -1) : cos(angle));
    draft->slip[i][1] = draft->dimension == 2 ? 0 : speed * sin(angle);
}

static Draft draw_draft(SpragRandom *random, int dimension)
{
    Draft draft = {.dimension = dimension, .n = dimension == 2 ? 3 : 6};
    double F[COORDINATES * COORDINATES];
    int n = draft.n;
    draft.contacts = 1 + sprag_random_below(random, dimension == 2 ? CONTACTS : 2);
    draft.layer = sprag_random_below(random, 2);
    for (int i = 0; i < n * n; i++)
        F[i] = sprag_random_normal(random);
    for (int i = 0; i < n; i++) {
        draft.force[i] = 3 * sprag_random_normal(random);
        for (int j = 0; j < n; j++) {
            draft.M[i * n + j] = i == j ? 0.3 : 0;
            for (int k = 0; k < n; k++)
                draft.M[i * n + j] += F[i * n + k] * F[j * n + k];
        }
    }
    for (int i = 0; i < dimension * draft.contacts; i++) {
        draft.bias[i] = 0.3 * sprag_random_normal(random);
        for (int k = 0; k < n; k++)
            draft.J[i * n + k] = sprag_random_normal(random);
    }
    for (int i = 0; i < draft.contacts; i++) {
        draft.friction[i] = sprag_random_uniform(random, 0.1, 1.5);
        draft.stiffness[i] = pow(10, sprag_random_uniform(random, 3, 5));
        draw_slip(random, &draft, i);
    }
    return draft;
}

static Change no_change(int n)
{
    Change change = {.name = "none", .length = 1, .mass = 1, .time = 1, .names = "c"};
    for (int i = 0; i < CONTACTS; i++)
        change.order[i] = i;
    for (int i = 0; i < n; i++)
        change.Q[i * n + i] = 1;
    return change;
}

static Change draw_change(SpragRandom *random, const Draft *draft, int which)
{
    int n = draft->n;
    Change change = no_change(n);
    switch (which) {
    case 0:
        change.name = "W and b";
        change.dense = true;
        break;
    case 1:
        change.name = "units";
        change.length = pow(10, sprag_random_uniform(random, -3, 3));
        change.mass = pow(10, sprag_random_uniform(random, -3, 3));
        change.time = pow(10, sprag_random_uniform(random, -3, 3));
        break;
    case 2:
        change.name = "tangents";
        change.turn =
            draft->dimension == 2 ? 3.14159265358979323846 : sprag_random_uniform(random, 0, 6.28);
        break;
    case 3:
        change.name = "order and names";
        change.names = "a_name-of/its_own-";
        for (int i = 0; i < draft->contacts; i++)
            change.order[i] = draft->contacts - 1 - i;
        break;
    default:
        change.name = "coordinates";
        for (int i = 0; i < n * n; i++)
            change.Q[i] += 0.4 * sprag_random_normal(random);
        break;
    }
    return change;
}

// ---- Text ---------------------------------------------------------------------------------------

typedef struct Writer {
    char text[TEXT];
    size_t used;
} Writer;

static void put(Writer *w, const char *format, ...) SPRAG_PRINTF(2, 3);
static void put(Writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(w->text + w->used, sizeof w->text - w->used, format, arguments);
    va_end(arguments);
    w->used += (size_t)length;
    assert_true(length >= 0 && w->used < sizeof w->text);
}

static void put_list(Writer *w, int count, const double *numbers)
{
    for (int i = 0; i < count; i++)
        put(w, "%s%.17g", i ? ", " : "[", numbers[i]);
    put(w, "]");
}

static void put_matrix(Writer *w, const char *key, int rows, int columns, const double *A)
{
    put(w, "%s:\n", key);
    for (int i = 0; i < rows; i++) {
        put(w, "  - ");
        put_list(w, columns, A + (size_t)i * (size_t)columns);
        put(w, "\n");
    }
}

static void turn(double angle, double *tangents)
{
    double t = tangents[0], o = tangents[1];
    tangents[0] = cos(angle) * t + sin(angle) * o;
    tangents[1] = -sin(angle) * t + cos(angle) * o;
}

// The draft with its rows in the new order, tangents, units and coordinates.
static Draft apply(const Draft *from, const Change *change)
{
    Draft to = *from;
    int n = from->n, d = from->dimension;
    double unit = change->length / change->time / change->time;
    for (int i = 0; i < from->contacts; i++) {
        int k = change->order[i];
        to.friction[i] = from->friction[k];
        to.stiffness[i] = from->stiffness[k] * change->mass / change->time / change->time;
        for (int r = 0; r < d; r++) {
            to.bias[d * i + r] = from->bias[d * k + r] * unit;
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int p = 0; p < n; p++)
                    sum += from->J[(d * k + r) * n + p] * change->Q[p * n + j];
                to.J[(d * i + r) * n + j] = sum;
            }
        }
        for (int r = 0; r < 2; r++)
            to.slip[i][r] = from->slip[k][r] * change->length / change->time;
        if (d == 2 && change->turn != 0) {
            to.slip[i][0] = -to.slip[i][0];
            to.bias[2 * i + 1] = -to.bias[2 * i + 1];
            for (int j = 0; j < n; j++)
                to.J[(2 * i + 1) * n + j] = -to.J[(2 * i + 1) * n + j];
        } else if (d == 3) {
            turn(change->turn, to.slip[i]);
            turn(change->turn, to.bias + 3 * i + 1);
            for (int j = 0; j < n; j++) {
                double pair[2] = {to.J[(3 * i + 1) * n + j], to.J[(3 * i + 2) * n + j]};
                turn(change->turn, pair);
                to.J[(3 * i + 1) * n + j] = pair[0];
                to.J[(3 * i + 2) * n + j] = pair[1];
            }
        }
    }
    for (int i = 0; i < n; i++) {
        to.force[i] = 0;
        for (int p = 0; p < n; p++)
            to.force[i] += change->Q[p * n + i] * from->force[p] * change->mass * unit;
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int p = 0; p < n; p++)
                for (int q = 0; q < n; q++)
                    sum += change->Q[p * n + i] * from->M[p * n + q] * change->Q[q * n + j];
            to.M[i * n + j] = sum * change->mass;
        }
    }
    // exactly symmetric, as a user would type it
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            to.M[i * n + j] = to.M[j * n + i];
    return to;
}

static void put_problem(Writer *w, const Draft *draft)
{
    int rows = draft->dimension * draft->contacts;
    put_matrix(w, "mass", draft->n, draft->n, draft->M);
    put_matrix(w, "J", rows, draft->n, draft->J);
    put(w, "force: ");
    put_list(w, draft->n, draft->force);
    put(w, "\nbias: ");
    put_list(w, rows, draft->bias);
    put(w, "\n");
}

// W and b of a problem that was read.
static void put_dense(Writer *w, const SpragContactProblem *problem)
{
    put_matrix(w, "W", problem->row_count, problem->row_count, problem->W);
    put(w, "b: ");
    put_list(w, problem->row_count, problem->b);
    put(w, "\n");
}

static void put_contacts(Writer *w, const Draft *draft, const Change *change)
{
    put(w, "sprag: 1\nproblem: contact\ndimension: %d\ncontacts:\n", draft->dimension);
    for (int i = 0; i < draft->contacts; i++) {
        put(w, "  - {name: \"%s%d\", friction: %.17g, slip: ", change->names, i,
            draft->friction[i]);
        if (draft->dimension == 3)
            put_list(w, 2, draft->slip[i]);
        else
            put(w, "%.17g", draft->slip[i][0]);
        put(w, "}\n");
    }
    for (int which = 0; which < 2 && draft->layer; which++) {
        put(w, which ? "damping: [" : "stiffness: [");
        for (int i = 0; i < draft->contacts; i++)
            for (int r = 0; r < draft->dimension; r++)
                put(w, "%s%.17g", i + r ? ", " : "",
                    draft->stiffness[i] * (which ? 0.004 * change->time : 1));
        put(w, "]\n");
    }
}

typedef struct Opened {
    Answer answer;
    SpragMargin margin;
} Opened;

static void open_draft(Opened *opened, const Draft *original, const Change *change)
{
    Draft draft = apply(original, change);
    Writer writer = {.used = 0};
    put_contacts(&writer, &draft, change);
    if (change->dense) {
        Change plain = no_change(original->n);
        Opened by_mass;
        open_draft(&by_mass, original, &plain);
        put_dense(&writer, by_mass.answer.problem);
        answer_close(&by_mass.answer);
    } else {
        put_problem(&writer, &draft);
    }
    Answer *answer = &opened->answer;
    memset(answer, 0, sizeof *answer);
    answer->context = context;
    assert_ok(context, sprag_scene_read_text(context, "draft.yaml", writer.text, writer.used, NULL,
                                             &answer->scene));
    answer->problem = sprag_scene_contact_problem(answer->scene);
    SpragAnalysisSettings settings = sprag_analysis_default();
    settings.moving = true; // as the bias says, also where only W and b are known
    settings.time_scale = 0.01 * change->time;
    assert_ok(context, sprag_analysis_create(context, &answer->analysis));
    assert_ok(context, sprag_margin_friction(answer->analysis, answer->problem, &settings,
                                             SPRAG_ALL_CONTACTS, &opened->margin));
    assert_ok(context,
              sprag_analysis_run(answer->analysis, answer->problem, &settings, &answer->verdict));
}

// ---- Comparison ---------------------------------------------------------------------------------

typedef struct Pair {
    const Draft *draft;
    const Change *change;
    const Opened *a, *b;
} Pair;

static bool near(double x, double y, double scale, double tolerance)
{
    return x == y || fabs(x - y) <= tolerance * scale;
}

// Whether motion k of b is motion i of a: normal forces and the sizes of tangential ones.
static bool same_motion(const Pair *p, int i, int k)
{
    const SpragMotion *x = p->a->answer.verdict.solutions[i].motion;
    const SpragMotion *y = p->b->answer.verdict.solutions[k].motion;
    int d = p->draft->dimension, rows = d * p->draft->contacts;
    double unit = p->change->length / p->change->time / p->change->time, scale = 0;
    for (int r = 0; r < rows; r++)
        scale = fmax(scale, fabs(x->acceleration[r]) + fabs(p->a->answer.problem->b[r]));
    for (int c = 0; c < p->draft->contacts; c++) {
        const double *here = x->acceleration + d * p->change->order[c];
        const double *there = y->acceleration + d * c;
        if (!near(here[0], there[0] / unit, scale, 1e-6) ||
            !near(hypot(here[1], d == 3 ? here[2] : 0),
                  hypot(there[1], d == 3 ? there[2] : 0) / unit, scale, 1e-6))
            return false;
    }
    return true;
}

static const char *compare_motion(const Pair *p, int i, int k)
{
    const SpragSolution *x = &p->a->answer.verdict.solutions[i];
    const SpragSolution *y = &p->b->answer.verdict.solutions[k];
    if (x->stability != y->stability || x->stable != y->stable)
        return "stability";
    if (x->motion->force_dimension != y->motion->force_dimension)
        return "dimension of the forces";
    if (x->layer_count != y->layer_count || x->eigenvalue_count != y->eigenvalue_count)
        return "number of eigenvalues";
    // sums of eigenvalues: a defective pair is known to the root of rounding only, its sum is not
    double sums[2] = {0}, size = 0, spectrum[2] = {0}, speed = 0;
    for (int e = 0; e < x->layer_count; e++) {
        sums[0] += x->layer[e].real;
        sums[1] += y->layer[e].real * p->change->mass;
        size = fmax(size, hypot(x->layer[e].real, x->layer[e].imaginary));
    }
    for (int e = 0; e < x->eigenvalue_count; e++) {
        spectrum[0] += x->eigenvalues[e].real;
        spectrum[1] += y->eigenvalues[e].real * p->change->time;
        speed = fmax(speed, hypot(x->eigenvalues[e].real, x->eigenvalues[e].imaginary));
    }
    if (!near(sums[0], sums[1], size, 1e-8) || !near(spectrum[0], spectrum[1], speed, 1e-7))
        return "eigenvalues";
    if (!near(x->growth_time, y->growth_time / p->change->time, x->growth_time, 1e-3))
        return "growth time";
    if (!near(x->critical_damping, y->critical_damping, 1, 1e-6))
        return "critical damping";
    return NULL;
}

static const char *compare_margins(const Pair *p)
{
    const SpragMarginSide *x[] = {&p->a->margin.down, &p->a->margin.up};
    const SpragMarginSide *y[] = {&p->b->margin.down, &p->b->margin.up};
    for (int i = 0; i < 2; i++) {
        if (!near(x[i]->change, y[i]->change, 1 + x[i]->change, 1e-6))
            return "margin";
        if (isfinite(x[i]->change) && (x[i]->becomes.kind != y[i]->becomes.kind ||
                                       x[i]->becomes.stable_count != y[i]->becomes.stable_count))
            return "what it becomes";
    }
    return NULL;
}

static const char *compare(const Pair *p)
{
    const SpragVerdict *x = &p->a->answer.verdict, *y = &p->b->answer.verdict;
    if (x->kind != y->kind || x->solution_count != y->solution_count)
        return "number of motions";
    if (x->stable_count != y->stable_count || x->complete != y->complete)
        return "number of stable motions";
    if (x->recommended_compliant != y->recommended_compliant)
        return "recommended model";
    for (int i = 0; i < x->solution_count; i++) {
        int k = 0;
        while (k < y->solution_count && !same_motion(p, i, k))
            k++;
        if (k == y->solution_count)
            return "motions";
        const char *fault = compare_motion(p, i, k);
        if (fault)
            return fault;
    }
    return compare_margins(p);
}

// A verdict that a change of friction by 1e-5 would change is on a border.
static bool decided(const Opened *opened)
{
    return opened->margin.down.change > 1e-5 && opened->margin.up.change > 1e-5;
}

static void check_dimension(int dimension, int draws, uint64_t seed)
{
    SpragRandom random;
    sprag_random_init(&random, seed);
    int kinds[SPRAG_VERDICT_OPEN + 1] = {0};
    for (int draw = 0; draw < draws; draw++) {
        Draft draft = draw_draft(&random, dimension);
        Change plain = no_change(draft.n), change = draw_change(&random, &draft, draw % 5);
        Opened a, b;
        open_draft(&a, &draft, &plain);
        open_draft(&b, &draft, &change);
        kinds[a.answer.verdict.kind]++;
        const char *fault = decided(&a) ? compare(&(Pair){&draft, &change, &a, &b}) : NULL;
        if (fault)
            fail_msg("draw %d, change of %s: %s\n%s\n%s", draw, change.name, fault,
                     a.answer.verdict.reason, b.answer.verdict.reason);
        answer_close(&a.answer);
        answer_close(&b.answer);
    }
    assert_true(kinds[SPRAG_VERDICT_UNIQUE] > draws / 4);
}

static void test_plane(void **state)
{
    (void)state;
    check_dimension(2, test_draws(100), 91);
}

static void test_space(void **state)
{
    (void)state;
    check_dimension(3, test_draws(50), 92);
}

// ---- Maps ---------------------------------------------------------------------------------------

// A ladder between floor and wall, turned, scaled, in other units and with other names.
static void write_ladder(const char *path, double angle, double scale, const char *unit,
                         const char *names)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "sprag: 1\nparameters: {theta: 60 deg, mu: 0.3, a: %.17g, L: %.17g %s}\n"
            "gravity: [9.81*sin(a), -9.81*cos(a)]\nbodies:\n"
            "  - {name: %sfloor, fixed: true, shapes: [{plane: {normal: [-sin(a), cos(a)]}}]}\n"
            "  - {name: %swall, fixed: true, shapes: [{plane: {normal: [cos(a), sin(a)]}}]}\n"
            "  - {name: %s, mass: %.17g, angle: pi - theta + a, position: [L*cos(theta + a), "
            "L*sin(theta + a)], shapes: [{rod: {length: 2*L}}]}\n"
            "contacts:\n"
            "  - {name: foot, between: [%s.a, %sfloor], friction: mu}\n"
            "  - {name: top, between: [%s.b, %swall], friction: mu}\n"
            "start: [{contact: foot}, {contact: top}]\n",
            angle, scale, unit, names, names, names, 10 * scale, names, names, names, names);
    fclose(file);
}

static SpragMap *make_map(const char *path)
{
    SpragMapSettings settings = sprag_map_default();
    settings.x = "theta=40:80deg:21";
    settings.y = "mu=0.04:0.9:21";
    settings.border_tolerance = 1e-9;
    SpragMap *map;
    assert_ok(context, sprag_map_create(context, path, &settings, &map));
    return map;
}

static void test_maps(void **state)
{
    (void)state;
    static const struct {
        double angle, scale;
        const char *unit, *names;
    } changes[] = {{0, 1, "m", "ladder"},
                   {0.7, 1, "m", "ladder"},
                   {-2.1, 1000, "mm", "l2"},
                   {3, 1e-6, "m", "x"}};
    SpragMap *maps[4];
    char path[256];
    snprintf(path, sizeof path, "%s/ladder.yaml", folder);
    for (int i = 0; i < 4; i++) {
        write_ladder(path, changes[i].angle, changes[i].scale, changes[i].unit, changes[i].names);
        maps[i] = make_map(path);
        unlink(path);
    }
    for (int i = 1; i < 4; i++)
        for (int k = 0; k < 21 * 21; k++) {
            const SpragOutcome *x = &maps[0]->table[maps[0]->classes[k]].outcome;
            const SpragOutcome *y = &maps[i]->table[maps[i]->classes[k]].outcome;
            assert_true(x->kind == y->kind && x->held == y->held);
            assert_true(x->stable_count == y->stable_count);
            assert_string_equal(x->modes, y->modes);
        }
    // the border of standing is that of statics in each
    for (int i = 0; i < 4; i++) {
        int count = 0;
        for (int k = 0; k < maps[i]->segment_count; k++) {
            const SpragMapSegment *segment = &maps[i]->segments[k];
            const SpragMapVertex *vertex = &maps[i]->vertices[segment->a];
            if (segment->right < 0 || vertex->meeting ||
                maps[i]->table[segment->left].outcome.held ==
                    maps[i]->table[segment->right].outcome.held)
                continue;
            double t = tan(vertex->x);
            assert_close(vertex->y, sqrt(1 + t * t) - t, 1e-8);
            count++;
        }
        assert_true(count > 10);
        sprag_map_destroy(maps[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plane),
        cmocka_unit_test(test_space),
        cmocka_unit_test(test_maps),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
