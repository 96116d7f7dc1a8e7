// stepping_sprag.c: the workloads by Sprag: time stepping, one thread, no sleeping; and what its
// contacts tell, from the samples of the record, for stepping_law.h.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sprag/sprag.h"
#include "stepping_peer.h"

static void stop_on(SpragContext *context, SpragStatus status)
{
    if (status == SPRAG_OK)
        return;
    fprintf(stderr, "%s\n", sprag_context_message(context));
    exit(1);
}

static void describe_plane(const Workload *w, SpragText *text)
{
    sprag_text_add(text,
                   "sprag: 1\ngravity: [%.17g, %.17g]\nmaterials: {default: {friction: %.17g}}\n"
                   "bodies:\n  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1], "
                   "offset: 0}}]}\n",
                   w->gravity[0], w->gravity[1], w->friction);
    for (int i = 0; i < w->count; i++)
        sprag_text_add(text,
                       "  - {name: b%d, mass: %.17g, position: [%.17g, %.17g], shapes: [{box: "
                       "{size: [%.17g, %.17g]}}]}\n",
                       i, w->mass, w->place[3 * i], w->place[3 * i + 1], 2 * w->half[0],
                       2 * w->half[1]);
}

static void describe_space(const Workload *w, SpragText *text)
{
    sprag_text_add(text,
                   "sprag: 1\ndimension: 3\ngravity: [%.17g, %.17g, %.17g]\nmaterials: {default: "
                   "{friction: %.17g}}\nbodies:\n  - name: floor\n    fixed: true\n    shapes:\n"
                   "      - plane: {normal: [0, 0, 1], offset: 0}\n",
                   w->gravity[0], w->gravity[1], w->gravity[2], w->friction);
    for (int k = 0; w->walls > 0 && k < 4; k++)
        sprag_text_add(text, "      - plane: {normal: [%d, %d, 0], offset: %.17g}\n",
                       k / 2 ? 0 : 1 - 2 * (k % 2), k / 2 ? 1 - 2 * (k % 2) : 0, -w->walls);
    for (int i = 0; i < w->count; i++) {
        const double *p = w->place + 3 * i;
        sprag_text_add(text, "  - {name: b%d, mass: %.17g, position: [%.17g, %.17g, %.17g], ", i,
                       w->mass, p[0], p[1], p[2]);
        if (w->balls)
            sprag_text_add(text, "shapes: [{sphere: {radius: %.17g}}]}\n", w->half[0]);
        else
            sprag_text_add(text, "shapes: [{box: {size: [%.17g, %.17g, %.17g]}}]}\n",
                           2 * w->half[0], 2 * w->half[1], 2 * w->half[2]);
    }
}

static void keep(const SpragSystem *system, const SpragRun *run, const Workload *w, double *to)
{
    const double *q = sprag_run_position(run);
    for (int i = 0; i < w->count; i++) {
        const double *p = q + sprag_system_body_position(system, i + 1);
        to[4 * i] = p[0];
        to[4 * i + 1] = p[1];
        to[4 * i + 2] = w->dimension == 3 ? p[2] : 0;
        to[4 * i + 3] = w->dimension == 3 ? 0 : p[2];
    }
}

// ---- What contacts tell -------------------------------------------------------------------------

typedef struct Reader {
    SpragSystem *system;
    SpragRun *run;
    const Workload *workload;
    double *q, *v; // when the step began
} Reader;

static void note(const Reader *reader, const double *v, int body, double *linear, double *spin)
{
    int d = reader->workload->dimension;
    const double *at = v + sprag_system_body_coordinate(reader->system, body + 1);
    memcpy(linear, at, (size_t)d * sizeof *at);
    memcpy(spin + (d == 2 ? 2 : 0), at + d, (d == 2 ? 1 : 3) * sizeof *at);
}

// Where a side touches, from the rows of its contact: along an axis e a row has e, and arm × e as
// the moment (of the second body both less). The sum of e × (arm × e) over three axes is twice the
// arm, over the two of the plane it is the arm.
static void find_arm(const SpragContactBlock *block, int side, int d, double *arm)
{
    for (int row = 0; row < d; row++) {
        const double *e = block->rows[side][row], *turn = e + d;
        double axis[3] = {e[0], e[1], d == 3 ? e[2] : 0};
        double moment[3] = {d == 3 ? turn[0] : 0, d == 3 ? turn[1] : 0, turn[d == 3 ? 2 : 0]};
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            arm[k] += (axis[a] * moment[b] - axis[b] * moment[a]) / (d == 3 ? 2 : 1);
        }
    }
}

// Contact `slot` at the begin of the step, with the forces of the sample at its end.
static void tell_contact(const Reader *reader, int slot, const SpragRunContact *shown, Laws *laws)
{
    int d = reader->workload->dimension;
    double h = reader->workload->step;
    SpragContactBlock block;
    if (!(shown->normal > 0) || !sprag_system_contact_block(reader->system, slot, 1e9, &block))
        return;
    int known = block.body[0] >= 0 ? 0 : 1;
    const double *push = &shown->tangential_vector.x;
    LawContact c = {.body = {block.body[0], block.body[1]}};
    for (int side = 0; side < 2; side++)
        find_arm(&block, side, d, c.arm[side]);
    for (int k = 0; k < d; k++) {
        double sign = known == 0 ? 1 : -1;
        c.normal[k] = sign * block.rows[known][0][k];
        double along = d == 3 ? push[k] : shown->tangential * sign * block.rows[known][1][k];
        c.impulse[k] = h * (shown->normal * c.normal[k] + along);
    }
    law_contact(laws, &c);
}

// One step, told. Forces belong to the frames of its begin; in the plane, along tangents, to those
// of its end.
static SpragStatus step_told(Reader *reader, double until, Laws *laws, SpragRunOutcome *end)
{
    const Workload *w = reader->workload;
    int m = sprag_system_position_count(reader->system);
    int n = sprag_system_velocity_count(reader->system);
    int slots = sprag_system_contact_count(reader->system);
    memcpy(reader->q, sprag_run_position(reader->run), (size_t)m * sizeof *reader->q);
    memcpy(reader->v, sprag_run_velocity(reader->run), (size_t)n * sizeof *reader->v);
    for (int i = 0; i < w->count; i++)
        note(reader, reader->v, i, laws->bodies[i].v, laws->bodies[i].spin);
    SPRAG_TRY(sprag_run_advance(reader->run, until, end));
    const SpragRunSample *sample = sprag_run_sample(reader->run);
    for (int i = 0; i < w->count; i++)
        note(reader, sample->v, i, laws->bodies[i].v_after, laws->bodies[i].spin_after);
    slots = sprag_system_contact_count(reader->system);
    for (int i = 0; w->dimension == 2 && i < slots; i++)
        sprag_run_sample_contact(sample, i);
    SPRAG_TRY(sprag_system_set_state(reader->system, until - w->step, reader->q, reader->v));
    for (int i = 0; i < slots; i++)
        tell_contact(reader, i, &sample->contacts[i], laws);
    law_end_step(laws);
    return SPRAG_OK;
}

static SpragStatus run_told(Reader *reader, const Outcome *outcome, SpragRunOutcome *end)
{
    const Workload *w = reader->workload;
    size_t m = (size_t)sprag_system_position_count(reader->system);
    size_t n = (size_t)sprag_system_velocity_count(reader->system);
    reader->q = calloc(m + n, sizeof *reader->q);
    if (!reader->q)
        exit(1);
    reader->v = reader->q + m;
    SpragStatus status = SPRAG_OK;
    for (int k = 1; k <= w->steps && status == SPRAG_OK && *end == SPRAG_RUN_DONE; k++) {
        status = step_told(reader, k * w->step, outcome->laws, end);
        if (k == w->steps / 2)
            keep(reader->system, reader->run, w, outcome->middle);
    }
    free(reader->q);
    return status;
}

// ---- A run --------------------------------------------------------------------------------------

bool run_sprag(const Workload *w, Outcome *outcome)
{
    SpragContext *context;
    SpragScene *scene;
    SpragSystem *system;
    SpragRun *run;
    SpragText text;
    SpragRunOutcome end = SPRAG_RUN_DONE;
    if (sprag_context_create(NULL, &context) != SPRAG_OK)
        return false;
    sprag_text_init(&text, context);
    if (w->dimension == 2)
        describe_plane(w, &text);
    else
        describe_space(w, &text);
    stop_on(context,
            sprag_scene_read_text(context, w->name, text.bytes, text.length, NULL, &scene));
    stop_on(context, sprag_system_create_model(sprag_scene_model(scene), &system));
    SpragRunSettings settings = sprag_run_default();
    settings.motion = SPRAG_MOTION_STEPPING;
    settings.step = w->step;
    settings.threads = 1;
    settings.no_rest = true; // the others do not sleep either
    if (w->law_tolerance > 0)
        settings.law_tolerance = w->law_tolerance;
    stop_on(context, sprag_run_create(system, &settings, NULL, &run));
    Reader reader = {.system = system, .run = run, .workload = w};
    double start = stepping_seconds();
    if (outcome->laws) {
        stop_on(context, run_told(&reader, outcome, &end));
    } else {
        stop_on(context, sprag_run_advance(run, w->steps / 2 * w->step, &end));
        keep(system, run, w, outcome->middle);
    }
    if (!outcome->laws && end == SPRAG_RUN_DONE)
        stop_on(context, sprag_run_advance(run, w->steps * w->step, &end));
    outcome->seconds = stepping_seconds() - start;
    keep(system, run, w, outcome->end);
    outcome->residual = sprag_run_stepping(run).worst_residual;
    outcome->median = sprag_run_stepping(run).median_residual;
    if (end != SPRAG_RUN_DONE)
        fprintf(stderr, "%s: %s\n", w->name, sprag_run_outcome_name(end));
    sprag_run_destroy(run);
    sprag_system_destroy(system);
    sprag_scene_destroy(scene);
    sprag_text_destroy(&text);
    sprag_context_destroy(context);
    return true;
}
