// scene_problem.c: bare problems: contact (a = W λ + b), lcp (w = M z + q), qp.
#include <stdio.h>
#include <string.h>

#include "scene_private.h"

const Node *need_key(Reader *reader, const char *key, const char *what, SpragStatus *status)
{
    const Node *node = node_get(reader->root, key);
    *status = node ? SPRAG_OK : fail_at(reader, reader->root, "%s is missing, %s", key, what);
    return node;
}

SpragStatus read_matrix(Reader *reader, const Node *node, const char *key, int rows, int columns,
                        double *numbers)
{
    SPRAG_TRY(need_sequence(reader, node, key));
    if (node->count != rows)
        return fail_at(reader, node, "%s must have %d row%s, got %d", key, rows,
                       rows == 1 ? "" : "s", node->count);
    for (int i = 0; i < rows; i++)
        SPRAG_TRY(read_numbers(reader, node->items[i], key, KIND_ANY, columns,
                               numbers + (size_t)i * (size_t)columns));
    return SPRAG_OK;
}

// Allocates number list `slot` of the scene and fills it from a matrix or (columns 0) a vector.
static SpragStatus read_list(Reader *reader, int slot, const char *key, int rows, int columns)
{
    SpragStatus status;
    const Node *node = need_key(reader, key,
                                columns ? "a matrix: a list of rows"
                                        : "a list of "
                                          "numbers",
                                &status);
    SPRAG_TRY(status);
    size_t count = (size_t)rows * (size_t)(columns ? columns : 1);
    reader->scene->numbers[slot] = sprag_alloc(reader->context, count, sizeof(double));
    double *numbers = reader->scene->numbers[slot];
    if (!numbers)
        return SPRAG_ERROR_MEMORY;
    return columns ? read_matrix(reader, node, key, rows, columns, numbers)
                   : read_numbers(reader, node, key, KIND_ANY, rows, numbers);
}

// Number of entries of a list that gives the size of the problem.
static SpragStatus read_size(Reader *reader, const char *key, int *size)
{
    SpragStatus status;
    const Node *node = need_key(reader, key, "a list of numbers", &status);
    SPRAG_TRY(status);
    SPRAG_TRY(need_sequence(reader, node, key));
    *size = node->count;
    return SPRAG_OK;
}

static SpragStatus read_lcp(Reader *reader)
{
    static const char *const keys[] = {"sprag",      "name",   "description", "source", "problem",
                                       "parameters", "expect", "M",           "q",      NULL};
    SpragScene *scene = reader->scene;
    SPRAG_TRY(check_keys(reader, reader->root, "the file", keys));
    int n;
    SPRAG_TRY(read_size(reader, "q", &n));
    if (n == 0)
        return fail_at(reader, node_get(reader->root, "q"), "q must not be empty");
    SPRAG_TRY(read_list(reader, 0, "M", n, n));
    SPRAG_TRY(read_list(reader, 1, "q", n, 0));
    scene->kind = SPRAG_SCENE_LCP;
    scene->lcp.n = n;
    scene->lcp.M = scene->numbers[0];
    scene->lcp.q = scene->numbers[1];
    return SPRAG_OK;
}

SpragStatus check_symmetric(Reader *reader, const char *key, int n, const double *A)
{
    const double slack = 1e-9; // of the larger entry: numbers typed with nine digits
    const Node *node = node_get(reader->root, key);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double a = A[i * n + j], b = A[j * n + i];
            double size = (a < 0 ? -a : a) + (b < 0 ? -b : b);
            if ((a > b ? a - b : b - a) > slack * size)
                return fail_at(reader, node->items[i]->items[j],
                               "%s must be symmetric: row %d, column %d is %g, but row %d, column "
                               "%d is %g",
                               key, i + 1, j + 1, a, j + 1, i + 1, b);
        }
    return SPRAG_OK;
}

static SpragStatus read_qp(Reader *reader)
{
    static const char *const keys[] = {"sprag",   "name",       "description", "source",
                                       "problem", "parameters", "expect",      "Q",
                                       "c",       "H",          "K",           NULL};
    SpragScene *scene = reader->scene;
    SPRAG_TRY(check_keys(reader, reader->root, "the file", keys));
    int n, m = 0;
    SPRAG_TRY(read_size(reader, "c", &n));
    if (n == 0)
        return fail_at(reader, node_get(reader->root, "c"), "c must not be empty");
    SPRAG_TRY(read_list(reader, 0, "Q", n, n));
    SPRAG_TRY(check_symmetric(reader, "Q", n, scene->numbers[0]));
    SPRAG_TRY(read_list(reader, 1, "c", n, 0));
    if (node_get(reader->root, "H") || node_get(reader->root, "K")) {
        SPRAG_TRY(read_size(reader, "K", &m));
        SPRAG_TRY(read_list(reader, 2, "H", m, n));
        SPRAG_TRY(read_list(reader, 3, "K", m, 0));
    }
    scene->kind = SPRAG_SCENE_QP;
    scene->qp.n = n;
    scene->qp.constraint_count = m;
    scene->qp.Q = scene->numbers[0];
    scene->qp.c = scene->numbers[1];
    scene->qp.H = scene->numbers[2];
    scene->qp.K = scene->numbers[3];
    return SPRAG_OK;
}

// ---- Contact problems ---------------------------------------------------------------------------

SpragStatus name_constraint(Reader *reader, const Node *node, int index,
                            SpragConstraint *constraint)
{
    const Node *name = node_get(node, "name");
    snprintf(constraint->name, sizeof constraint->name, "c%d", index);
    if (!name)
        return SPRAG_OK;
    const char *text;
    SPRAG_TRY(read_name(reader, name, &text));
    snprintf(constraint->name, sizeof constraint->name, "%s", text);
    return SPRAG_OK;
}

// One number in the plane, [x, y] along the two tangents in space, where 0 is at rest as well.
static SpragStatus read_slip(Reader *reader, const Node *slip, SpragConstraint *constraint)
{
    if (!slip)
        return SPRAG_OK;
    if (constraint->row_count < 3 || constraint->kind == SPRAG_CONSTRAINT_BEARING)
        return read_number(reader, slip, "slip", KIND_VELOCITY, RANGE_ALL, &constraint->slip[0]);
    if (slip->kind != NODE_SCALAR)
        return read_numbers(reader, slip, "slip", KIND_VELOCITY, 2, constraint->slip);
    double number;
    SPRAG_TRY(read_number(reader, slip, "slip", KIND_VELOCITY, RANGE_ALL, &number));
    return number == 0 ? SPRAG_OK
                       : fail_at(reader, slip, "slip must be two numbers, [x, y], in space");
}

// 1 or 2 normals of a bearing; 1 if nothing says it.
static SpragStatus read_normals(Reader *reader, const Node *node, bool bearing, int *normals)
{
    const Node *given = node_get(node, "normals");
    double number = 1;
    *normals = 1;
    if (!given)
        return SPRAG_OK;
    if (!bearing)
        return fail_at(reader, node_key(node, "normals"), "only a bearing has normals: 1 or 2");
    SPRAG_TRY(read_number(reader, given, "normals", KIND_NUMBER, RANGE_ALL, &number));
    if (number != 1 && number != 2)
        return fail_at(reader, given, "normals must be 1 or 2, got %g", number);
    *normals = (int)number;
    return SPRAG_OK;
}

static SpragStatus read_constraint(Reader *reader, const Node *node, int index)
{
    static const char *const keys[] = {"name", "kind", "normals", "friction", "slip", NULL};
    static const char *const kinds[] = {"contact", "bilateral", "limit", "guide", "bearing"};
    static const SpragConstraintKind values[] = {SPRAG_CONSTRAINT_CONTACT,
                                                 SPRAG_CONSTRAINT_BILATERAL, SPRAG_CONSTRAINT_LIMIT,
                                                 SPRAG_CONSTRAINT_GUIDE, SPRAG_CONSTRAINT_BEARING};
    SPRAG_TRY(check_keys(reader, node, "a contact", keys));
    const Node *kind = node_get(node, "kind"), *friction = node_get(node, "friction");
    const Node *slip = node_get(node, "slip");
    int which = 0;
    if (kind)
        SPRAG_TRY(read_word(reader, kind, "kind", kinds, 5, &which));
    bool rubs = which == 0 || which >= 3;
    if (!rubs && (friction || slip))
        return fail_at(reader, friction ? node_key(node, "friction") : node_key(node, "slip"),
                       "a %s has neither friction nor slip", kinds[which]);
    SpragConstraint *constraint;
    int normals;
    SPRAG_TRY(read_normals(reader, node, which == 4, &normals));
    SPRAG_TRY(
        which == 4
            ? sprag_contact_problem_add_bearing(&reader->scene->problem, normals, 1, &constraint)
            : sprag_contact_problem_add(&reader->scene->problem, values[which], &constraint));
    constraint->id = index;
    SPRAG_TRY(name_constraint(reader, node, index, constraint));
    if (!rubs)
        return SPRAG_OK;
    SpragFriction law = {0};
    if (friction)
        SPRAG_TRY(read_friction(reader, friction, &law));
    else
        SPRAG_TRY(note(reader, "friction of %s: nothing gives it, 0", constraint->name));
    SPRAG_TRY(read_slip(reader, slip, constraint));
    constraint->sliding = constraint->slip[0] != 0 || constraint->slip[1] != 0;
    constraint->friction = constraint->sliding ? law.kinetic : law.stationary;
    return SPRAG_OK;
}

// stiffness or damping: one number a row.
static SpragStatus read_rows(Reader *reader, const char *key, Kind kind)
{
    SpragContactProblem *problem = &reader->scene->problem;
    const Node *node = node_get(reader->root, key);
    if (!node)
        return SPRAG_OK;
    SPRAG_TRY(need_sequence(reader, node, key));
    if (node->count != problem->row_count)
        return fail_at(reader, node, "%s must have %d numbers, one a row, got %d", key,
                       problem->row_count, node->count);
    for (int i = 0; i < problem->constraint_count; i++) {
        SpragConstraint *constraint = &problem->constraints[i];
        double *values = kind == KIND_STIFFNESS ? constraint->stiffness : constraint->damping;
        for (int k = 0; k < constraint->row_count && k < 3; k++)
            SPRAG_TRY(read_number(reader, node->items[constraint->row + k], key, kind,
                                  RANGE_NOT_NEGATIVE, &values[k]));
    }
    return SPRAG_OK;
}

SpragStatus read_contact_W(Reader *reader, const Node **W)
{
    SpragContactProblem *problem = &reader->scene->problem;
    SpragStatus status;
    *W = need_key(reader, "W", "a matrix: a list of rows", &status);
    SPRAG_TRY(status);
    SPRAG_TRY(sprag_contact_problem_reserve_dense(problem));
    int n = problem->row_count;
    if ((*W)->kind == NODE_SEQUENCE && (*W)->count != n)
        return fail_at(reader, *W, "W must have %d rows, as many as the contacts have, got %d", n,
                       (*W)->count);
    SPRAG_TRY(read_matrix(reader, *W, "W", n, n, problem->W));
    return check_symmetric(reader, "W", n, problem->W);
}

static SpragStatus read_W_and_b(Reader *reader)
{
    SpragContactProblem *problem = &reader->scene->problem;
    SpragStatus status;
    const Node *b, *W;
    SPRAG_TRY(read_contact_W(reader, &W));
    b = need_key(reader, "b", "a list of numbers", &status);
    SPRAG_TRY(status);
    SPRAG_TRY(read_numbers(reader, b, "b", KIND_ANY, problem->row_count, problem->b));
    return locate(reader, W, sprag_contact_problem_check(problem));
}

static SpragStatus read_contact_problem(Reader *reader, Part *part)
{
    static const char *const keys[] = {
        "sprag",   "name",      "description", "source", "problem",  "parameters",
        "expect",  "dimension", "W",           "b",      "contacts", "stiffness",
        "damping", "mass",      "J",           "force",  "bias",     NULL};
    SpragScene *scene = reader->scene;
    SPRAG_TRY(check_keys(reader, reader->root, "the file", keys));
    scene->kind = SPRAG_SCENE_CONTACT;
    if (part->index < 0)
        sprag_contact_problem_init(&scene->problem, reader->context);
    scene->has_problem = true;
    part->index = 0;
    const Node *dimension = node_get(reader->root, "dimension");
    double number = 2; // it was checked when the file was opened
    if (dimension)
        SPRAG_TRY(read_number(reader, dimension, "dimension", KIND_NUMBER, RANGE_ALL, &number));
    sprag_contact_problem_clear(&scene->problem, number == 3 ? 3 : 2);
    SpragStatus status;
    const Node *contacts = need_key(reader, "contacts", "a list: {friction: …, slip: …}", &status);
    SPRAG_TRY(status);
    SPRAG_TRY(need_sequence(reader, contacts, "contacts"));
    for (int i = 0; i < contacts->count; i++)
        SPRAG_TRY(read_constraint(reader, contacts->items[i], i));
    SPRAG_TRY(problem_has_mechanics(reader) ? read_mechanics(reader) : read_W_and_b(reader));
    SPRAG_TRY(read_rows(reader, "stiffness", KIND_STIFFNESS));
    return read_rows(reader, "damping", KIND_DAMPING);
}

SpragStatus read_problem(Reader *reader, const char *problem)
{
    bool impact = strcmp(problem, "impact") == 0;
    if (impact || strcmp(problem, "contact") == 0)
        return read_part(reader, (Part){.read = impact ? read_impact_problem : read_contact_problem,
                                        .change = SPRAG_SCENE_NUMBERS,
                                        .node = reader->root,
                                        .index = -1,
                                        .body = -1});
    return strcmp(problem, "lcp") == 0 ? read_lcp(reader) : read_qp(reader);
}
