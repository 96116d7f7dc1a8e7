// map.c: the verdict over a grid of two numbers of a scene.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "map_drive.h"

enum { MAP_COOKIE = 0x4d415031, MOST_JOBS = 64, MOST_CLASSES = 4096 };
static const double MOST_GRID = 5e7;

SpragMapSettings sprag_map_default(void)
{
    return (SpragMapSettings){.scene = sprag_scene_default(),
                              .points = 101,
                              .borders = true,
                              .border_tolerance = 1e-9,
                              .jobs = 1,
                              .analysis = sprag_analysis_default(),
                              .cookie = MAP_COOKIE};
}

// ---- Points -------------------------------------------------------------------------------------

typedef struct PointList {
    SpragMap *map;
    const MapWork *work;
    const long *points; // NULL: item i is point i
} PointList;

// The numbers wanted at the point just analysed. Those that analyse other states come last, then a
// run.
static SpragStatus take_values(Worker *worker, const PointList *list, long at, bool *whole)
{
    SpragMap *map = list->map;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < map->value_count; i++) {
            const MapValue *value = &list->work->values[i];
            if (!value->of_run && value->last == (pass == 1))
                SPRAG_TRY(
                    point_value(&worker->point, value, &map->values[at * map->value_count + i]));
        }
    *whole = true;
    if (list->work->output_count > 0)
        return outputs_take(worker, &map->values[at * map->value_count], whole);
    return SPRAG_OK;
}

static SpragStatus compute_point(Worker *worker, long index, void *user)
{
    const PointList *list = user;
    SpragMap *map = list->map;
    const SpragMapAxis *x = &map->axes[0], *y = &map->axes[1];
    long at = list->points ? list->points[index] : index;
    int class_index;
    bool whole;
    double second = y->path ? y->values[at / x->count] : 0;
    SPRAG_TRY(worker_classify(worker, at, x->values[at % x->count], second, &class_index));
    SPRAG_TRY(take_values(worker, list, at, &whole));
    if (whole) // else it is left out, like those that were never begun
        map->classes[at] = class_index;
    return SPRAG_OK;
}

SpragStatus map_compute(MapWork *work, long count, const long *points)
{
    PointList list = {work->map, work, points};
    return work_run(work, count, compute_point, &list);
}

SpragStatus map_fill(MapWork *work)
{
    return map_compute(work, (long)work->map->axes[0].count * work->map->axes[1].count, NULL);
}

// The corners first: a number that the file does not allow is most likely at an end of a range, and
// then the message does not depend on the number of threads.
static SpragStatus check_corners(MapWork *work)
{
    long nx = work->map->axes[0].count, ny = work->map->axes[1].count;
    long corners[] = {0, nx - 1, nx * (ny - 1), nx * ny - 1};
    long total = work->done_before;
    SPRAG_TRY(map_compute(work, 4, corners));
    work->done_before = total;
    return SPRAG_OK;
}

// ---- The end ------------------------------------------------------------------------------------

// Classes in the order in which the grid meets them, first row first; others are dropped.
static SpragStatus order_classes(SpragMap *map, long count)
{
    size_t classes = (size_t)map->class_count;
    int *order = sprag_alloc(map->context, classes + 1, sizeof *order);
    SpragMapClass *table = sprag_alloc(map->context, classes + 1, sizeof *table);
    int met = 0;
    if (!order || !table) {
        sprag_free(map->context, order);
        sprag_free(map->context, table);
        return SPRAG_ERROR_MEMORY;
    }
    for (size_t i = 0; i < classes; i++)
        order[i] = -1;
    for (long at = 0; at < count; at++) {
        int class_index = map->classes[at];
        if (class_index < 0)
            continue;
        if (order[class_index] < 0) {
            order[class_index] = met;
            table[met++] = map->table[class_index];
        }
        map->classes[at] = order[class_index];
        table[map->classes[at]].point_count++;
    }
    for (int i = 0; i < map->segment_count; i++) {
        SpragMapSegment *segment = &map->segments[i];
        segment->left = segment->left < 0 ? -1 : order[segment->left];
        segment->right = segment->right < 0 ? -1 : order[segment->right];
    }
    sprag_free(map->context, map->table);
    sprag_free(map->context, order);
    map->table = table;
    map->class_count = met;
    return SPRAG_OK;
}

static void count_rows(SpragMap *map)
{
    long nx = map->axes[0].count, at = 0, count = nx * map->axes[1].count;
    while (at < count && map->classes[at] >= 0)
        at++;
    map->complete_rows = (int)(at / nx);
    map->interrupted = at < count;
}

// ---- Setting up ---------------------------------------------------------------------------------

static SpragStatus choose_values(MapWork *work)
{
    const SpragMapSettings *settings = work->settings;
    SpragMap *map = work->map;
    if (settings->value_count > SPRAG_MAP_VALUES)
        return sprag_fail(map->context, SPRAG_ERROR_ARGUMENT, "a map has at most %d values",
                          SPRAG_MAP_VALUES);
    for (int i = 0; i < settings->value_count; i++) {
        MapValue *value = &work->values[i];
        SpragMapValue *about = &map->value_about[i];
        if (!value_read(settings->values[i], value, about)) {
            // another name is an output of the scene, which is not there yet
            *value = (MapValue){.of_run = true};
            *about = (SpragMapValue){.kind = SPRAG_MAP_VALUE_JUMPS};
            snprintf(about->name, sizeof about->name, "%s", settings->values[i]);
            work->output_count++;
        }
        map->value_names[i] = about->name;
    }
    map->value_count = settings->value_count;
    return SPRAG_OK;
}

static SpragStatus check_settings(SpragContext *context, const SpragMapSettings *settings)
{
    if (settings->cookie != MAP_COOKIE)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "map settings must come from sprag_map_default");
    if (!settings->x)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT, "a map needs an axis x");
    if (settings->jobs < 1 || settings->jobs > MOST_JOBS)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "the number of threads must be 1 … %d, got %d", MOST_JOBS,
                          settings->jobs);
    if (settings->points < 2 || !(settings->border_tolerance > 0))
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "a map needs at least 2 points and a border tolerance > 0");
    return SPRAG_OK;
}

static SpragStatus allocate(SpragMap *map)
{
    SpragMapAxis *x = &map->axes[0], *y = &map->axes[1];
    if (!y->path)
        y->count = 1;
    if ((double)x->count * y->count > MOST_GRID)
        return sprag_fail(map->context, SPRAG_ERROR_ARGUMENT,
                          "a map has at most %.0e points, got %d × %d", MOST_GRID, x->count,
                          y->count);
    size_t count = (size_t)x->count * (size_t)y->count;
    map->classes = sprag_alloc(map->context, count, sizeof *map->classes);
    map->table = sprag_alloc(map->context, MOST_CLASSES, sizeof *map->table);
    map->values = sprag_alloc(map->context, count * (size_t)map->value_count + 1, sizeof(double));
    if (!map->classes || !map->table || !map->values)
        return SPRAG_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++)
        map->classes[i] = -1;
    return SPRAG_OK;
}

static SpragStatus fill(MapWork *work)
{
    SpragMap *map = work->map;
    SPRAG_TRY(allocate(map));
    work->total = (long)map->axes[0].count * map->axes[1].count;
    SPRAG_TRY(check_corners(work));
    for (int i = 0; i < map->value_count; i++)
        SPRAG_TRY(drive_value_check(&work->workers[0].point, map->value_names[i]));
    const SpragScene *scene = work->workers[0].point.scene; // none if interrupted at once
    map->title = sprag_copy_text(map->context, scene ? sprag_scene_name(scene) : "");
    if (!map->title)
        return SPRAG_ERROR_MEMORY;
    // values are wanted at every point, and with them comes its verdict
    bool refine = work->settings->refine && map->value_count == 0;
    SPRAG_TRY(refine ? map_refine(work) : map_fill(work));
    count_rows(map);
    if (work->settings->borders)
        SPRAG_TRY(map_borders(work));
    SPRAG_TRY(order_classes(map, work->total));
    for (int i = 0; i < work->worker_count; i++)
        map->evaluation_count += work->workers[i].evaluation_count;
    memcpy(map->invalid, work->invalid, sizeof map->invalid);
    for (int i = 0; i < map->class_count; i++)
        if (map->table[i].valid)
            return SPRAG_OK;
    if (map->class_count > 0)
        return sprag_fail(map->context, SPRAG_ERROR_INPUT, "nowhere in the map: %s", map->invalid);
    return SPRAG_OK;
}

static SpragStatus create(MapWork *work, const char *path)
{
    const SpragMapSettings *settings = work->settings;
    SpragMap *map = work->map;
    SpragText text;
    SPRAG_TRY(check_settings(map->context, settings));
    SPRAG_TRY(choose_values(work));
    SPRAG_TRY(axis_path(map->context, settings->x, &map->axes[0].path));
    if (settings->y)
        SPRAG_TRY(axis_path(map->context, settings->y, &map->axes[1].path));
    sprag_text_init(&text, map->context);
    SpragStatus status = sprag_scene_read_file(map->context, path, &text);
    if (status == SPRAG_OK)
        status = work_open(work, path, text.bytes ? text.bytes : "", text.length);
    sprag_text_destroy(&text);
    SPRAG_TRY(status);
    SPRAG_TRY(outputs_find(work));
    return fill(work);
}

SpragStatus sprag_map_create(SpragContext *context, const char *path,
                             const SpragMapSettings *settings, SpragMap **map)
{
    *map = NULL;
    SpragMap *created = sprag_alloc(context, 1, sizeof *created);
    MapWork *work = sprag_alloc(context, 1, sizeof *work);
    SpragStatus status = SPRAG_ERROR_MEMORY;
    if (created && work) {
        created->context = context;
        work->map = created;
        work->settings = settings;
        status = create(work, path);
        work_close(work);
    }
    sprag_free(context, work);
    if (status == SPRAG_OK)
        *map = created;
    else
        sprag_map_destroy(created);
    return status;
}

void sprag_map_destroy(SpragMap *map)
{
    if (!map)
        return;
    SpragContext *context = map->context;
    for (int i = 0; i < 2; i++) {
        sprag_free(context, map->axes[i].path);
        sprag_free(context, map->axes[i].values);
    }
    sprag_free(context, map->classes);
    sprag_free(context, map->table);
    sprag_free(context, map->values);
    sprag_free(context, map->vertices);
    sprag_free(context, map->segments);
    sprag_free(context, map->title);
    sprag_free(context, map);
}
