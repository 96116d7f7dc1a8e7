// Figures of numbers over maps: isolines where the function has its values, areas that add up, the
// same bytes each time, and nothing that is not a number.
#include "paths.h"
#include "support/with_folder.h"

enum { LEFT = 72, TOP = 70, WIDTH = 500, HEIGHT = 390 }; // of the plot, pixels

static SpragMap *make(const char *name, const char *x, const char *y, const char *value, int jobs)
{
    char path[1024];
    SpragMap *map;
    SpragMapSettings settings = sprag_map_default();
    settings.x = x;
    settings.y = y;
    settings.jobs = jobs;
    settings.points = 25;
    settings.border_tolerance = 1e-5;
    settings.values = &value;
    settings.value_count = value ? 1 : 0;
    snprintf(path, sizeof path, "%s/examples/%s.yaml", SPRAG_SOURCE_DIR, name);
    assert_ok(context, sprag_map_create(context, path, &settings, &map));
    return map;
}

static char *read_back(const char *path, size_t *length)
{
    enum { MOST = 1 << 22 };
    char *bytes = calloc(MOST, 1);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    *length = fread(bytes, 1, MOST - 1, file);
    fclose(file);
    unlink(path);
    return bytes;
}

// Reads back and removes; to be freed.
static char *written(const SpragMap *map, const char *ending, size_t *length)
{
    char path[128];
    snprintf(path, sizeof path, "%s/map%s", folder, ending);
    assert_ok(context, sprag_figure_write_map(map, NULL, path));
    return read_back(path, length);
}

// ---- Isolines -----------------------------------------------------------------------------------

typedef struct Vertex {
    double x, y; // 0 … 1 of the plot, y upwards
    bool zero;   // of the heavy line
} Vertex;

// Every point of an isoline: thin and heavy strokes; those of the colour bar are to the right.
static int find_isolines(const char *svg, Vertex *vertices, int most)
{
    int count = 0;
    for (const char *at = strstr(svg, "<path d=\"M"); at; at = strstr(at + 1, "<path d=\"M")) {
        const char *end = strchr(at, '\n'), *style = strstr(at, " fill=");
        static const char heavy[] = " fill=\"none\" stroke-width=\"3\"",
                          light[] = " fill=\"none\" stroke-width=\"0.8\" stroke=\"#47525b\"";
        bool zero = strncmp(style, heavy, sizeof heavy - 1) == 0;
        bool thin = strncmp(style, light, sizeof light - 1) == 0;
        if (!zero && !thin)
            continue;
        for (const char *c = at + 9; c < end && *c != '"'; c++) {
            double x, y;
            if ((*c != 'M' && *c != 'L') || sscanf(c + 1, "%lf %lf", &x, &y) != 2 ||
                x > LEFT + WIDTH + 0.01)
                continue;
            assert_true(count < most);
            vertices[count++] = (Vertex){(x - LEFT) / WIDTH, 1 - (y - TOP) / HEIGHT, zero};
        }
    }
    return count;
}

// A(θ, μ) of theory.md (4.4) for the uniform rod. Crossings are linear along grid edges. A is
// linear in μ; along θ the chord of a cell h is off by at most h² |A_θθ| / 8, |A_θθ| ≤ 6 + 6 μ
// ≤ 24. Digits end at 0.01 px: half of it times |A_θ| ≤ 3 + 3 μ per radian, or 3/2 per μ.
static void test_isolines(void **state)
{
    (void)state;
    enum { MOST = 20000, LEVELS = 12 };
    const double degree = acos(-1) / 180, h = 2 * degree;
    const double bound =
        h * h / 8 * 24 + 0.005 / WIDTH * 80 * degree * 12 + 0.005 / HEIGHT * 3 * 1.5;
    SpragMap *map = make("painleve-rod", "theta=5:85deg:41", "mu=0:3:31", "A", 2);
    Vertex *vertices = calloc(MOST, sizeof *vertices);
    size_t length;
    char *svg = written(map, ".svg", &length);
    int count = find_isolines(svg, vertices, MOST), met[LEVELS] = {0};
    for (int i = 0; i < count; i++) {
        double theta = (5 + 80 * vertices[i].x) * degree, mu = 3 * vertices[i].y;
        double A = 1 + 3 * cos(theta) * (cos(theta) - mu * sin(theta));
        double level = round(2 * A) / 2; // from −2 to 3.5 by 0.5
        assert_close(A, vertices[i].zero ? 0 : level, bound);
        assert_true(level >= -2 && level <= 3.5);
        met[(int)lround(2 * level) + 4]++;
    }
    for (int i = 0; i < LEVELS; i++)
        assert_true(met[i] >= 2);
    assert_non_null(strstr(svg, ">−1.5</text>"));
    assert_non_null(strstr(svg, ">A, 1/kg</text>"));
    free(svg);
    free(vertices);
    sprag_map_destroy(map);
}

// ---- Areas --------------------------------------------------------------------------------------

// Areas of the layers above each level, by the colours of the file in their order.
static int find_areas(const char *svg, double *areas, unsigned *colours, int most)
{
    int count = 0;
    const char *at = strchr(strstr(svg, "</defs>\n") + 8, '\n') + 1; // behind the paper
    for (; strncmp(at, "<path d=\"", 9) == 0; at = strchr(at, '\n') + 1) {
        const char *fill = strstr(at, "fill=\"#");
        if (!fill || fill > strchr(at, '\n') || count == most)
            break;
        areas[count] = path_area(at + 9);
        colours[count++] = (unsigned)strtoul(fill + 7, NULL, 16);
    }
    return count;
}

static double luminance(unsigned colour)
{
    double sum = 0;
    const double weights[] = {0.0722, 0.7152, 0.2126};
    for (int k = 0; k < 3; k++)
        sum += weights[k] * pow((colour >> 8 * k & 255) / 255.0, 2.2);
    return sum;
}

// B = 18 sin θ − g of the turning rod: above a level it is what lies right of a straight line. The
// colours get darker away from 0 on both sides, and text on them can be read.
static void test_areas(void **state)
{
    (void)state;
    enum { MOST = 24 };
    const double degree = acos(-1) / 180, h = 0.8 * degree;
    double areas[MOST];
    unsigned colours[MOST];
    size_t length;
    SpragMap *map = make("painleve-rod", "theta=5:85deg:101", "mu=0:3:7", "B", 1);
    char *svg = written(map, ".svg", &length);
    int count = find_areas(svg, areas, colours, MOST);
    assert_int_equal(count, 9); // all, and above −6, −4 … 8
    assert_close(areas[0], (double)WIDTH * HEIGHT, 1);
    for (int k = 1; k < count; k++) {
        double level = -6 + 2 * (k - 1), theta = asin((level + 9.81) / 18);
        double right = (85 * degree - theta) / (80 * degree);
        // chord error h² |B″| / (8 |B′|), as part of the range
        double off = h * h / 8 * tan(theta) / (80 * degree);
        assert_close(areas[k] / WIDTH / HEIGHT, right, off + 0.005 / WIDTH);
    }
    for (int k = 0; k + 1 < count; k++) {
        double end = -6 + 2 * k; // of band k, its upper one
        double a = luminance(colours[k]), b = luminance(colours[k + 1]);
        if (end != 0)
            assert_true(end < 0 ? a < b : a > b);
    }
    for (int k = 0; k < count; k++) // ink has luminance 0.015
        assert_true((luminance(colours[k]) + 0.05) / 0.065 > 4.5);
    free(svg);
    sprag_map_destroy(map);
}

// ---- Whatever the numbers -----------------------------------------------------------------------

typedef double Function(int i, int j);

static double saddle(int i, int j)
{
    return (i + j) % 2 ? -1 : 1;
}

static double holes(int i, int j)
{
    return i % 5 == 2 && j % 3 == 1 ? (double)NAN : (double)(i - j);
}

static double nothing(int i, int j)
{
    (void)i;
    (void)j;
    return NAN;
}

static double same(int i, int j)
{
    (void)i;
    (void)j;
    return -7.25;
}

static double huge(int i, int j)
{
    return 1e300 * (i - 5) * (j + 1) / 300;
}

static double tiny(int i, int j)
{
    return 1e-300 * (i + 1) + 1e-302 * j;
}

static double infinite(int i, int j)
{
    return i > 10 ? (double)INFINITY : i < 3 ? -(double)INFINITY : (double)j;
}

static double decades(int i, int j)
{
    return (j % 2 ? -1 : 1) * pow(10, i - 12);
}

static double near_same(int i, int j)
{
    return 1 + 1e-13 * (i + j);
}

static double one_point(int i, int j)
{
    return i == 4 && j == 4 ? 1.0 : (double)NAN;
}

static double narrow(int i, int j)
{
    return 1e6 + 1e-3 * i + 1e-4 * j;
}

// Well formed: tags close in order, no attribute and no number is broken.
static void assert_well_formed(const char *svg)
{
    int depth = 0;
    for (const char *at = strchr(svg, '<'); at; at = strchr(at, '<')) {
        const char *end = strchr(at, '>');
        assert_non_null(end);
        int quotes = 0;
        for (const char *c = at; c < end; c++)
            quotes += *c == '"';
        assert_int_equal(quotes % 2, 0);
        depth += at[1] == '/' ? -1 : end[-1] == '/' ? 0 : 1;
        assert_true(depth >= 0);
        at = end;
    }
    assert_int_equal(depth, 0);
    static const char *const broken[] = {"Mnan",  "Lnan",   "M-nan", "L-nan", " nan", " -nan",
                                         "\"nan", "\"-nan", ">nan",  "Minf",  "Linf", " inf",
                                         "\"inf", ">inf",   "−inf",  "-inf",  "−nan"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        assert_null(strstr(svg, broken[i]));
}

static void test_numbers(void **state)
{
    (void)state;
    static Function *const functions[] = {saddle,   holes,   nothing,   same,      huge,  tiny,
                                          infinite, decades, near_same, one_point, narrow};
    static const SpragMapValueKind kinds[] = {SPRAG_MAP_VALUE_SMOOTH, SPRAG_MAP_VALUE_JUMPS,
                                              SPRAG_MAP_VALUE_WHOLE};
    SpragMap *map = make("painleve-rod", "theta", "mu", "A", 1);
    SpragMap *row = make("painleve-rod", "theta", NULL, "A", 1);
    size_t length;
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (int k = 0; k < 3; k++) {
            map->value_about[0].kind = row->value_about[0].kind = kinds[k];
            for (int at = 0; at < 25 * 25; at++)
                map->values[at] = functions[f](at % 25, at / 25);
            for (int at = 0; at < 25; at++)
                row->values[at] = functions[f](at, 3);
            char *svg = written(map, ".svg", &length);
            assert_well_formed(svg);
            free(svg);
            svg = written(row, ".svg", &length);
            assert_well_formed(svg);
            free(svg);
        }
    sprag_map_destroy(map);
    sprag_map_destroy(row);
}

static void test_bytes(void **state)
{
    (void)state;
    static const char *const values[] = {"A", "slowest", "normal.tip", "solutions"};
    const char *const endings[] = {".svg", ".png"};
    for (size_t v = 0; v < sizeof values / sizeof *values; v++)
        for (int k = 0; k < 1 + (v == 1 && sprag_figure_has_png()); k++) {
            size_t length[2];
            SpragMap *one = make("painleve-rod", "theta", "mu", values[v], 1);
            SpragMap *two = make("painleve-rod", "theta", "mu", values[v], 3);
            char *a = written(one, endings[k], &length[0]);
            char *b = written(two, endings[k], &length[1]);
            assert_int_equal(length[0], length[1]);
            assert_memory_equal(a, b, length[0]);
            free(a);
            free(b);
            sprag_map_destroy(one);
            sprag_map_destroy(two);
        }
}

// Reversed, logarithmic and listed axes, and regions whose numbers jump.
static void test_axes(void **state)
{
    (void)state;
    static const char *const cases[][4] = {
        {"painleve-rod", "mu=3:0:21", "theta=85:5deg:17", "slowest"},
        {"wedge", "h=0.01:0.6:20", "mu=0.02:1:20:log", "determinant"},
        {"box-on-incline", "mu=0.1,0.2,0.5,0.9", "alpha=1,2,4,8,16,32deg", "layer.1"},
        {"painleve-rod", "theta=-360:360deg:41", "mu=0:100000:9", "A"},
        {"bare-contact", "contacts.0.friction=0.1:10:21:log", NULL, "margin"},
        {"bare-contact", "contacts.0.friction=0.1:10:21:log", NULL, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SpragMap *map = make(cases[i][0], cases[i][1], cases[i][2], cases[i][3], 1);
        size_t length;
        char *svg = written(map, ".svg", &length);
        assert_well_formed(svg);
        free(svg);
        sprag_map_destroy(map);
    }
}

// ---- Rows ---------------------------------------------------------------------------------------

// The thin line of a row passes through its points: A over θ at μ = 1.8, read with the ticks of y.
static void test_row(void **state)
{
    (void)state;
    SpragMap *map = make("painleve-rod", "theta=5:85deg:17", NULL, "A", 1);
    size_t length;
    char *svg = written(map, ".svg", &length);
    double tick[2] = {NAN, NAN}, x, y;
    for (const char *at = strstr(svg, "<text x=\"64\""); at;
         at = strstr(at + 1, "<text x=\"64\"")) {
        const char *number = strchr(at, '>') + 1;
        double value =
            strncmp(number, "−", 3) == 0 ? -strtod(number + 3, NULL) : strtod(number, NULL);
        if (value == 0 || value == 1)
            tick[(int)value] = strtod(strstr(at, "y=\"") + 3, NULL) - 4;
    }
    assert_true(isfinite(tick[0]) && isfinite(tick[1]));
    const char *line = strstr(svg, " fill=\"none\" stroke-width=\"1.8\"");
    while (strncmp(line, "<path", 5) != 0)
        line--;
    line += 9;
    for (int i = 0; i < 17; i++) {
        assert_int_equal(sscanf(line + 1, "%lf %lf", &x, &y), 2);
        assert_close(x, LEFT + WIDTH * i / 16.0, 0.005 + 1e-9);
        // two ticks and the point, each to half of 0.01 px
        double scale = fabs(tick[1] - tick[0]);
        assert_close((tick[0] - y) / scale, map->values[i],
                     0.02 / scale * (1 + fabs(map->values[i])));
        line += strcspn(line + 1, "ML\"") + 1;
    }
    assert_int_equal(*line, '"');
    free(svg);
    sprag_map_destroy(map);
}

// ---- Eigenvalues --------------------------------------------------------------------------------

// Position of a tick: texts of a colour and size between tags.
static bool find_tick(const char *svg, const char *start, bool horizontal, double value, double *at)
{
    for (const char *text = strstr(svg, start); text; text = strstr(text + 1, start)) {
        const char *number = strchr(text, '>') + 1;
        bool middle = strstr(text, "text-anchor=\"middle\"") &&
                      strstr(text, "text-anchor=\"middle\"") < number;
        bool minus = strncmp(number, "−", 3) == 0;
        char *end;
        double parsed = strtod(number + (minus ? 3 : 0), &end) * (minus ? -1 : 1);
        if (middle != horizontal || *end != '<' || parsed != value)
            continue;
        *at = strtod(strstr(text, horizontal ? "x=\"" : "y=\"") + 3, NULL) - (horizontal ? 0 : 4);
        return true;
    }
    return false;
}

// Marks lie where the analysis has its eigenvalues, by the ticks of the axes.
static void test_eigenvalues(void **state)
{
    (void)state;
    char path[1024];
    SpragScene *scene;
    SpragAnalysis *analysis;
    SpragVerdict verdict;
    size_t length;
    snprintf(path, sizeof path, "%s/examples/bare-contact.yaml", SPRAG_SOURCE_DIR);
    assert_ok(context, sprag_scene_read(context, path, NULL, &scene));
    const SpragContactProblem *problem = sprag_scene_contact_problem(scene);
    assert_ok(context, sprag_analysis_create(context, &analysis));
    assert_ok(context, sprag_analysis_run(analysis, problem, NULL, &verdict));
    snprintf(path, sizeof path, "%s/e.svg", folder);
    assert_ok(context, sprag_figure_write_eigenvalues(problem, NULL, "bare", NULL, path));
    char *svg = read_back(path, &length);
    assert_well_formed(svg);
    assert_non_null(strstr(svg, "<title>bare: one motion, stable</title>"));
    double zero_x, zero_y, ten, forty;
    assert_true(find_tick(svg, "<text", true, 0, &zero_x) &&
                find_tick(svg, "<text", true, -10, &ten));
    assert_true(find_tick(svg, "<text", false, 0, &zero_y) &&
                find_tick(svg, "<text", false, 40, &forty));
    int found = 0;
    for (const char *at = strstr(svg, "<circle"); at; at = strstr(at + 1, "<circle")) {
        double x = strtod(strstr(at, "cx=\"") + 4, NULL), y = strtod(strstr(at, "cy=\"") + 4, NULL);
        double real = (x - zero_x) / (zero_x - ten) * 10,
               imaginary = (zero_y - y) / (zero_y - forty) * 40;
        for (int i = 0; i < verdict.solutions[0].eigenvalue_count; i++) {
            const SpragEigenvalue *value = &verdict.solutions[0].eigenvalues[i];
            // places to 0.005 px each, on scales of at least 100 px per tick used
            if (fabs(real - value->real) < 0.02 / (zero_x - ten) * 10 * 2 &&
                fabs(imaginary - value->imaginary) < 0.02 / (zero_y - forty) * 40 * 3)
                found++;
        }
    }
    assert_int_equal(verdict.solutions[0].eigenvalue_count, 2);
    assert_int_equal(found, 2);
    free(svg);
    sprag_analysis_destroy(analysis);
    sprag_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_isolines),    cmocka_unit_test(test_areas),
        cmocka_unit_test(test_numbers),     cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_axes),        cmocka_unit_test(test_row),
        cmocka_unit_test(test_eigenvalues),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
