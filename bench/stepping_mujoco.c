// stepping_mujoco.c: the spatial workloads by MuJoCo: conjugate gradients, elliptic cones, 50
// iterations.
#include <mujoco/mujoco.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stepping_peer.h"

typedef struct Text {
    char *bytes;
    size_t length, capacity;
} Text;

static void add(Text *text, const char *format, ...)
{
    va_list arguments;
    if (text->capacity - text->length < 4096) {
        text->capacity = 2 * text->capacity + (1 << 16);
        text->bytes = realloc(text->bytes, text->capacity);
        if (!text->bytes)
            abort();
    }
    va_start(arguments, format);
    text->length += (size_t)vsnprintf(text->bytes + text->length, 4096, format, arguments);
    va_end(arguments);
}

static void describe(const Workload *w, Text *text)
{
    const double *g = w->gravity;
    add(text,
        "<mujoco><option timestep='%.17g' gravity='%.17g %.17g %.17g' solver='CG' cone='elliptic' "
        "iterations='50' jacobian='sparse'/><size njmax='%d' nconmax='%d' nstack='%d'/>"
        "<default><geom friction='%g 0.005 0.0001' condim='3'/></default>"
        "<worldbody><geom type='plane' size='20 20 1'/>",
        w->step, g[0], g[1], g[2], (w->balls ? 12 : 60) * w->count + 200,
        (w->balls ? 4 : 20) * w->count + 100, 90000 * w->count + 1000000, w->friction);
    for (int k = 0; w->walls > 0 && k < 4; k++) {
        double at = (k % 2 ? -1 : 1) * (w->walls + 0.1), wide = w->walls + 1;
        add(text, "<geom type='box' size='%g %g 5' pos='%g %g 5'/>", k / 2 ? wide : 0.1,
            k / 2 ? 0.1 : wide, k / 2 ? 0 : at, k / 2 ? at : 0);
    }
    for (int i = 0; i < w->count; i++) {
        const double *p = w->place + 3 * i;
        add(text, "<body pos='%.17g %.17g %.17g'><freejoint/>", p[0], p[1], p[2]);
        if (w->balls)
            add(text, "<geom type='sphere' size='%g' mass='%g'/></body>", w->half[0], w->mass);
        else
            add(text, "<geom type='box' size='%g %g %g' mass='%g'/></body>", w->half[0], w->half[1],
                w->half[2], w->mass);
    }
    add(text, "</worldbody></mujoco>");
}

static mjModel *compile(const Text *text)
{
    char error[1000] = "";
    mjVFS *files = malloc(sizeof *files);
    if (!files)
        abort();
    mj_defaultVFS(files);
    mj_makeEmptyFileVFS(files, "pile.xml", (int)text->length);
    memcpy(files->filedata[mj_findFileVFS(files, "pile.xml")], text->bytes, text->length);
    mjModel *model = mj_loadXML("pile.xml", files, error, sizeof error);
    if (!model)
        fprintf(stderr, "mujoco: %s\n", error);
    mj_deleteVFS(files);
    free(files);
    return model;
}

static void keep(const mjData *data, int count, double *to)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 4; k++)
            to[4 * i + k] = k < 3 ? data->qpos[7 * i + k] : 0;
}

bool run_mujoco(const Workload *workload, Outcome *outcome)
{
    Text text = {0};
    if (workload->dimension != 3)
        return false;
    describe(workload, &text);
    mjModel *model = compile(&text);
    free(text.bytes);
    mjData *data = model ? mj_makeData(model) : NULL;
    if (!data)
        return false;
    double start = stepping_seconds();
    for (int k = 0; k < workload->steps; k++) {
        if (k == workload->steps / 2)
            keep(data, workload->count, outcome->middle);
        mj_step(model, data);
    }
    outcome->seconds = stepping_seconds() - start;
    outcome->residual = -1;
    keep(data, workload->count, outcome->end);
    mj_deleteData(data);
    mj_deleteModel(model);
    return true;
}
