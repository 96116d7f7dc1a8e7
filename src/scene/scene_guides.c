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

static SpragStatus refuse_layer(Reader *reader)
{
    static const char *const later[] = {"stiffness", "damping", "position", "simulate"};
    for (int i = 0; i < 4; i++) {
        const Node *key = node_key(reader->root, later[i]);
        if (key)
            return fail_at(reader, key, "%s is not supported with several guides", later[i]);
    }
    return SPRAG_OK;
}

SpragStatus read_guides(Reader *reader)
{
    SpragGuides *guides = &reader->scene->guides;
    const Node *a, *c, *directions = node_get(reader->root, "directions");
    SPRAG_TRY(refuse_layer(reader));
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
    SPRAG_TRY(keep_vector(reader, "velocity", n, &guides->velocity));
    SPRAG_TRY(keep_vector(reader, "input", n, &guides->input));
    if (node_get(reader->root, "acceleration"))
        SPRAG_TRY(keep_vector(reader, "acceleration", n, &reader->scene->wanted));
    reader->scene->kind = SPRAG_SCENE_GUIDES;
    return locate(reader, a, sprag_guides_check(reader->context, guides));
}

const SpragGuides *sprag_scene_guides(const SpragScene *scene, const double **acceleration)
{
    if (acceleration)
        *acceleration = scene->wanted;
    return scene->kind == SPRAG_SCENE_GUIDES ? &scene->guides : NULL;
}
