// scene_guides.c: problem: scalar with matrices and vectors, several guides.
#include "scene_drive.h"

// rows × columns numbers that the scene keeps.
static SpragStatus keep_matrix(Reader *reader, const Node *node, const char *key, int rows,
                               int columns, const double **numbers)
{
    SPRAG_TRY(need_sequence(reader, node, key));
    if (node->count != rows)
        return fail_at(reader, node, "%s must have %d row%s, got %d", key, rows,
                       rows == 1 ? "" : "s", node->count);
    double *made = scene_keep(reader, (size_t)rows * (size_t)columns, sizeof *made);
    if (!made)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < rows; i++)
        SPRAG_TRY(read_numbers(reader, node->items[i], key, KIND_ANY, columns, made + i * columns));
    *numbers = made;
    return SPRAG_OK;
}

// `count` numbers, zeros if the key is absent.
static SpragStatus keep_vector(Reader *reader, const char *key, int count, const double **numbers)
{
    const Node *node = node_get(reader->root, key);
    double *made = scene_keep(reader, (size_t)count, sizeof *made);
    if (!made)
        return SPRAG_ERROR_MEMORY;
    *numbers = made;
    return node ? read_numbers(reader, node, key, KIND_ANY, count, made) : SPRAG_OK;
}

// stiffness, damping: one number for all guides, or a list with one for each; NULL if absent.
static SpragStatus keep_layer(Reader *reader, const char *key, Range range, int count,
                              const double **numbers)
{
    const Node *node = node_get(reader->root, key);
    if (!node)
        return SPRAG_OK;
    double *made = scene_keep(reader, (size_t)count, sizeof *made);
    if (!made)
        return SPRAG_ERROR_MEMORY;
    *numbers = made;
    if (node->kind == NODE_SEQUENCE && node->count != count)
        return fail_at(reader, node, "%s must be a number or a list of %d, got %d", key, count,
                       node->count);
    for (int j = 0; j < count; j++) {
        const Node *item = node->kind == NODE_SEQUENCE ? node->items[j] : node;
        SPRAG_TRY(read_number(reader, item, key, KIND_ANY, range, &made[j]));
    }
    return SPRAG_OK;
}

// A list of numbers, formulas of t or tables, one for each coordinate.
static SpragStatus read_guide_inputs(Reader *reader, SpragGuides *guides)
{
    SpragScene *scene = reader->scene;
    SpragSceneGuidesRun *run = &scene->guides_run;
    const Node *node = node_get(reader->root, "input");
    double *made = scene_keep(reader, (size_t)guides->n, sizeof *made);
    if (!made)
        return SPRAG_ERROR_MEMORY;
    guides->input = made;
    if (!node)
        return scene->wanted ? SPRAG_OK : note(reader, "input: nothing gives it, 0");
    run->has_input = true;
    SPRAG_TRY(need_sequence(reader, node, "input"));
    if (node->count != guides->n)
        return fail_at(reader, node, "input must have %d number%s, got %d", guides->n,
                       guides->n == 1 ? "" : "s", node->count);
    for (int i = 0; i < guides->n; i++) {
        TimeValue *input = &scene->inputs[i];
        SPRAG_TRY(read_time_value(reader, node->items[i], "input", KIND_ANY, input));
        made[i] = input->number;
        run->input_varies |= input->program.count > 0 || input->curve.count > 0;
    }
    return drive_collect_breaks(reader, guides->n);
}

static SpragStatus read_guides_run(Reader *reader, SpragGuides *guides)
{
    SpragSceneGuidesRun *run = &reader->scene->guides_run;
    const Node *simulate = node_get(reader->root, "simulate");
    run->simulate = sprag_simulate_default();
    if (simulate && !node_is_empty(simulate))
        SPRAG_TRY(read_simulate_into(reader, simulate, &run->simulate));
    SPRAG_TRY(keep_vector(reader, "position", guides->n, &run->position));
    SPRAG_TRY(keep_vector(reader, "velocity", guides->n, &guides->velocity));
    if (node_get(reader->root, "acceleration"))
        SPRAG_TRY(keep_vector(reader, "acceleration", guides->n, &reader->scene->wanted));
    SPRAG_TRY(keep_layer(reader, "stiffness", RANGE_POSITIVE, guides->m, &guides->stiffness));
    SPRAG_TRY(keep_layer(reader, "damping", RANGE_NOT_NEGATIVE, guides->m, &guides->damping));
    return read_guide_inputs(reader, guides);
}

SpragStatus read_guides(Reader *reader)
{
    SpragGuides *guides = &reader->scene->guides;
    const Node *a, *c, *directions = node_get(reader->root, "directions");
    SPRAG_TRY(drive_need(reader, "a", "a matrix: a list of rows", &a));
    SPRAG_TRY(drive_need(reader, "c", "a matrix: a list of rows", &c));
    SPRAG_TRY(need_sequence(reader, c, "c"));
    if (a->count < 1 || a->count > SPRAG_GUIDES_MOST || c->count < 1 ||
        c->count > SPRAG_GUIDES_MOST)
        return fail_at(reader, a, "a problem has 1 to %d coordinates and guides",
                       SPRAG_GUIDES_MOST);
    int n = a->count, m = c->count;
    guides->n = n;
    guides->m = m;
    if (n != m && !directions)
        return fail_at(reader, c,
                       "%d guides (rows of c) on %d coordinates need directions, a matrix with a "
                       "column a guide",
                       m, n);
    SPRAG_TRY(keep_matrix(reader, a, "a", n, n, &guides->A));
    SPRAG_TRY(keep_matrix(reader, c, "c", m, n, &guides->C));
    if (directions)
        SPRAG_TRY(keep_matrix(reader, directions, "directions", n, m, &guides->direction));
    SPRAG_TRY(keep_vector(reader, "b", n, &guides->b));
    SPRAG_TRY(keep_vector(reader, "d", m, &guides->d));
    SPRAG_TRY(keep_vector(reader, "friction", m, &guides->friction));
    SPRAG_TRY(read_guides_run(reader, guides));
    reader->scene->kind = SPRAG_SCENE_GUIDES;
    return drive_checked(reader, a, sprag_guides_check(reader->context, guides));
}

const SpragGuides *sprag_scene_guides(const SpragScene *scene, const double **acceleration)
{
    if (acceleration)
        *acceleration = scene->wanted;
    return scene->kind == SPRAG_SCENE_GUIDES ? &scene->guides : NULL;
}

const SpragSceneGuidesRun *sprag_scene_guides_run(const SpragScene *scene)
{
    return scene->kind == SPRAG_SCENE_GUIDES ? &scene->guides_run : NULL;
}
