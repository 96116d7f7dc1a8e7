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

// Velocities of a body in the world: its spin is told along its own axes, which are those of the
// begin of the step.
static void note(const mjData *data, const double *places, int i, double *v, double *spin)
{
    memcpy(v, data->qvel + 6 * i, 3 * sizeof *v);
    mju_rotVecQuat(spin, data->qvel + 6 * i + 3, places + 7 * i + 3);
}

// Contacts: the first axis of the frame is the normal, from geom1 to geom2. places: of the begin.
static void tell(const mjModel *model, const mjData *data, const double *places, int count,
                 Laws *laws)
{
    for (int i = 0; i < count; i++)
        note(data, places, i, laws->bodies[i].v_after, laws->bodies[i].spin_after);
    for (int i = 0; i < data->ncon; i++) {
        const mjContact *contact = &data->contact[i];
        const int geoms[2] = {contact->geom2, contact->geom1};
        double force[6], push[3];
        LawContact c = {0};
        mj_contactForce(model, data, i, force);
        mju_rotVecMatT(push, force, contact->frame);
        for (int side = 0; side < 2; side++) {
            c.body[side] = model->geom_bodyid[geoms[side]] - 1; // the world is body 0
            for (int k = 0; c.body[side] >= 0 && k < 3; k++)
                c.arm[side][k] = contact->pos[k] - places[7 * c.body[side] + k];
        }
        for (int k = 0; k < 3; k++) {
            c.normal[k] = contact->frame[k];
            c.impulse[k] = model->opt.timestep * push[k];
        }
        law_contact(laws, &c);
    }
    law_end_step(laws);
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
    Laws *laws = outcome->laws;
    double *places = malloc((size_t)model->nq * sizeof *places);
    if (!places)
        abort();
    double start = stepping_seconds();
    for (int k = 0; k < workload->steps; k++) {
        if (k == workload->steps / 2)
            keep(data, workload->count, outcome->middle);
        if (laws)
            memcpy(places, data->qpos, (size_t)model->nq * sizeof *places);
        for (int i = 0; laws && i < workload->count; i++)
            note(data, places, i, laws->bodies[i].v, laws->bodies[i].spin);
        mj_step(model, data);
        if (laws)
            tell(model, data, places, workload->count, laws);
    }
    outcome->seconds = stepping_seconds() - start;
    outcome->residual = -1;
    keep(data, workload->count, outcome->end);
    free(places);
    mj_deleteData(data);
    mj_deleteModel(model);
    return true;
}
