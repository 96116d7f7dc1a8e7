// machines.c: what a second of motion of a machine costs, and how far off it is.
// Machines  an arm of six joints whose tip falls on a floor, a hand with twelve contacts (two pads
// on
//           sliders and a palm hold a box), a chain of 30 links
// Reference the run by events at the tightest tolerance; of the hand, rest
// Peers     MuJoCo (double, soft contacts, its RK4) and Bullet (float, constraints between bodies)
// at
//           several steps, in the same run
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "machines.h"
#include "sprag/sprag.h"
#ifdef HAS_MUJOCO
#include <mujoco/mujoco.h>
#endif

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- Machines
// -------------------------------------------------------------------------------------

static MachineLink *add(Machine *machine, int parent, const double position[3], double mass,
                        double inertia)
{
    MachineLink *link = &machine->links[machine->count++];
    memset(link, 0, sizeof *link);
    link->parent = parent;
    link->mass = mass;
    for (int k = 0; k < 3; k++) {
        link->position[k] = position[k];
        link->inertia[k] = inertia;
    }
    return link;
}

static void set_joint(MachineLink *link, const double axis[3], const double anchor[3])
{
    memcpy(link->axis, axis, sizeof link->axis);
    memcpy(link->anchor, anchor, sizeof link->anchor);
}

static Machine make_chain(void)
{
    Machine chain = {.name = "chain", .until = 0.5};
    for (int i = 0; i < 30; i++) {
        MachineLink *link = add(&chain, i - 1, (double[]){0.05 + 0.1 * i, 0, 0}, 0.1, 1e-4);
        set_joint(link, (double[]){0, 1, 0}, (double[]){0.1 * i, 0, 0});
    }
    chain.watched = 29;
    return chain;
}

static Machine make_arm(void)
{
    static const double axes[6][3] = {{0, 0, 1}, {0, 1, 0}, {0, 1, 0},
                                      {1, 0, 0}, {0, 1, 0}, {0, 1, 0}};
    Machine arm = {.name = "arm", .until = 0.6, .floor = 1, .friction = 0.5};
    for (int i = 0; i < 6; i++) {
        MachineLink *link = add(&arm, i - 1, (double[]){0.1 + 0.2 * i, 0, 0.4}, 1, 1e-3);
        set_joint(link, axes[i], (double[]){0.2 * i, 0, 0.4});
    }
    arm.links[5].geom = GEOM_SPHERE;
    arm.links[5].size[0] = 0.05;
    arm.watched = 5;
    return arm;
}

static Machine make_hand(void)
{
    Machine hand = {.name = "hand", .until = 1, .floor = 1, .friction = 0.5};
    MachineLink *box = add(&hand, MACHINE_FREE, (double[]){0, 0, 0.05}, 0.5, 1e-3);
    box->geom = GEOM_BOX;
    box->size[0] = box->size[1] = box->size[2] = 0.1;
    for (int side = -1; side <= 1; side += 2) {
        double x[3] = {side * 0.06, 0, 0.06};
        MachineLink *pad = add(&hand, MACHINE_WORLD, x, 0.2, 1e-4);
        set_joint(pad, (double[]){1, 0, 0}, x);
        pad->slides = 1;
        pad->force = -side * 20;
        pad->geom = GEOM_BOX;
        pad->size[0] = 0.02;
        pad->size[1] = pad->size[2] = 0.06;
    }
    return hand;
}

// ---- Sprag
// ----------------------------------------------------------------------------------------

static void add_link_text(const Machine *machine, int i, SpragText *text)
{
    const MachineLink *link = &machine->links[i];
    sprag_text_add(text,
                   "  - {name: l%d, mass: %.17g, inertia: [%.17g, %.17g, %.17g],\n"
                   "     position: [%.17g, %.17g, %.17g]",
                   i, link->mass, link->inertia[0], link->inertia[1], link->inertia[2],
                   link->position[0], link->position[1], link->position[2]);
    if (link->geom == GEOM_SPHERE)
        sprag_text_add(text, ", shapes: [{sphere: {radius: %.17g}}]", link->size[0]);
    if (link->geom == GEOM_BOX)
        sprag_text_add(text, ", shapes: [{box: {size: [%.17g, %.17g, %.17g]}}]", link->size[0],
                       link->size[1], link->size[2]);
    sprag_text_add(text, "}\n");
}

static void add_joint_text(const Machine *machine, int i, SpragText *text)
{
    const MachineLink *link = &machine->links[i];
    char parent[16] = "world";
    if (link->parent == MACHINE_FREE)
        return;
    if (link->parent >= 0)
        snprintf(parent, sizeof parent, "l%d", link->parent);
    sprag_text_add(text,
                   "  - {name: j%d, type: %s, between: [%s, l%d], at: [%.17g, %.17g, %.17g],\n"
                   "     axis: [%.17g, %.17g, %.17g]}\n",
                   i, link->slides ? "prismatic" : "revolute", parent, i, link->anchor[0],
                   link->anchor[1], link->anchor[2], link->axis[0], link->axis[1], link->axis[2]);
}

static void write_scene(const Machine *machine, SpragText *text)
{
    bool loads = false;
    sprag_text_add(text,
                   "sprag: 1\ndimension: 3\nmaterials: {default: {friction: %.17g}}\nbodies:\n",
                   machine->friction);
    if (machine->floor)
        sprag_text_add(text,
                       "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 0, 1]}}]}\n");
    for (int i = 0; i < machine->count; i++)
        add_link_text(machine, i, text);
    sprag_text_add(text, "joints:\n");
    for (int i = 0; i < machine->count; i++) {
        add_joint_text(machine, i, text);
        loads |= machine->links[i].force != 0;
    }
    if (loads)
        sprag_text_add(text, "loads:\n");
    for (int i = 0; i < machine->count; i++)
        if (machine->links[i].force != 0)
            sprag_text_add(text, "  - {joint: j%d, force: %.17g}\n", i, machine->links[i].force);
}

static bool sprag_machine(const Machine *machine, SpragMotionKind motion, double tolerance,
                          double step, double position[3], double *seconds, char *why)
{
    SpragContext *context;
    SpragScene *scene = NULL;
    SpragSystem *system = NULL;
    SpragRun *run = NULL;
    SpragRunSettings settings = sprag_run_default();
    SpragRunOutcome outcome = SPRAG_RUN_NOT_CONVERGED;
    SpragText text;
    if (sprag_context_create(NULL, &context) != SPRAG_OK)
        exit(1);
    sprag_text_init(&text, context);
    write_scene(machine, &text);
    settings.motion = motion;
    settings.tolerance = tolerance;
    settings.output_step = 0;
    if (step > 0)
        settings.step = step;
    double begin = 0;
    SpragStatus status;
    SPRAG_TRY_CLEANUP(sprag_scene_read_text(context, "machine.yaml", text.bytes, strlen(text.bytes),
                                            NULL, &scene));
    SPRAG_TRY_CLEANUP(sprag_system_create_model(sprag_scene_model(scene), &system));
    SPRAG_TRY_CLEANUP(sprag_run_create(system, &settings, NULL, &run));
    begin = now();
    SPRAG_TRY_CLEANUP(sprag_run_advance(run, machine->until, &outcome));
    *seconds = now() - begin;
    const double *q = sprag_run_position(run);
    int body = machine->floor ? machine->watched + 1 : machine->watched;
    int first = sprag_system_body_position(system, body);
    for (int k = 0; k < 3; k++)
        position[k] = q[first + k];
cleanup:
    why[0] = '\0';
    if (status != SPRAG_OK)
        snprintf(why, 200, "%s", sprag_context_message(context));
    else if (outcome != SPRAG_RUN_DONE)
        snprintf(why, 200, "ended at %.3g s: %s %s", sprag_run_time(run),
                 sprag_run_outcome_name(outcome), sprag_context_message(context));
    sprag_run_destroy(run);
    sprag_system_destroy(system);
    sprag_scene_destroy(scene);
    sprag_text_destroy(&text);
    sprag_context_destroy(context);
    return why[0] == '\0';
}

// ---- MuJoCo
// ---------------------------------------------------------------------------------------

#ifdef HAS_MUJOCO
static void add_mujoco(const Machine *machine, int parent, const double *origin, SpragText *text)
{
    for (int i = 0; i < machine->count; i++) {
        const MachineLink *link = &machine->links[i];
        if (link->parent != parent)
            continue;
        double p[3], a[3];
        for (int k = 0; k < 3; k++) {
            p[k] = link->position[k] - origin[k];
            a[k] = link->anchor[k] - link->position[k];
        }
        sprag_text_add(
            text,
            "<body name='l%d' pos='%.17g %.17g %.17g'><inertial pos='0 0 0' mass='%.17g' "
            "diaginertia='%.17g %.17g %.17g'/>",
            i, p[0], p[1], p[2], link->mass, link->inertia[0], link->inertia[1], link->inertia[2]);
        if (parent == MACHINE_FREE)
            sprag_text_add(text, "<freejoint/>");
        else
            sprag_text_add(text,
                           "<joint name='j%d' type='%s' axis='%g %g %g' pos='%.17g %.17g %.17g'/>",
                           i, link->slides ? "slide" : "hinge", link->axis[0], link->axis[1],
                           link->axis[2], a[0], a[1], a[2]);
        if (link->geom == GEOM_SPHERE)
            sprag_text_add(text, "<geom type='sphere' size='%g' friction='%g 0 0'/>", link->size[0],
                           machine->friction);
        if (link->geom == GEOM_BOX)
            sprag_text_add(text, "<geom type='box' size='%g %g %g' friction='%g 0 0'/>",
                           link->size[0] / 2, link->size[1] / 2, link->size[2] / 2,
                           machine->friction);
        add_mujoco(machine, i, link->position, text);
        sprag_text_add(text, "</body>");
    }
}

static bool mujoco_machine(const Machine *machine, double step, double position[3], double *seconds)
{
    SpragContext *context;
    SpragText text;
    char error[300] = "";
    const double origin[3] = {0, 0, 0};
    if (sprag_context_create(NULL, &context) != SPRAG_OK)
        exit(1);
    sprag_text_init(&text, context);
    sprag_text_add(&text,
                   "<mujoco><compiler angle='radian'/><option timestep='%.17g' integrator='RK4' "
                   "cone='elliptic' gravity='0 0 -9.81'/><worldbody>",
                   step);
    if (machine->floor)
        sprag_text_add(&text, "<geom type='plane' size='5 5 1' friction='%g 0 0'/>",
                       machine->friction);
    add_mujoco(machine, MACHINE_WORLD, origin, &text);
    add_mujoco(machine, MACHINE_FREE, origin, &text);
    sprag_text_add(&text, "</worldbody><actuator>");
    for (int i = 0; i < machine->count; i++)
        if (machine->links[i].force != 0)
            sprag_text_add(&text, "<motor joint='j%d'/>", i);
    sprag_text_add(&text, "</actuator></mujoco>");
    static mjVFS files;
    mj_defaultVFS(&files);
    mj_makeEmptyFileVFS(&files, "machine.xml", (int)strlen(text.bytes));
    memcpy(files.filedata[0], text.bytes, strlen(text.bytes));
    mjModel *model = mj_loadXML("machine.xml", &files, error, sizeof error);
    mj_deleteVFS(&files);
    sprag_text_destroy(&text);
    sprag_context_destroy(context);
    if (!model) {
        printf("  MuJoCo: %s\n", error);
        return false;
    }
    mjData *data = mj_makeData(model);
    for (int i = 0, k = 0; i < machine->count; i++)
        if (machine->links[i].force != 0)
            data->ctrl[k++] = machine->links[i].force;
    int steps = (int)(machine->until / step + 0.5), id = -1;
    char name[16];
    double begin = now();
    for (int s = 0; s < steps; s++)
        mj_step(model, data);
    *seconds = now() - begin;
    mj_kinematics(model, data);
    snprintf(name, sizeof name, "l%d", machine->watched);
    id = mj_name2id(model, mjOBJ_BODY, name);
    for (int k = 0; k < 3; k++)
        position[k] = data->xpos[3 * id + k];
    mj_deleteData(data);
    mj_deleteModel(model);
    return true;
}
#endif

// ---- Table
// ----------------------------------------------------------------------------------------

static void tell(const char *who, double cost, const double *position, const double *reference)
{
    double off = 0;
    for (int k = 0; k < 3; k++)
        off = hypot(off, position[k] - reference[k]);
    printf("  %-28s %10.3f ms/s %12.2e m\n", who, 1e3 * cost, off);
}

static void measure(const Machine *machine)
{
    double reference[3], position[3], seconds;
    char why[256], who[64];
    printf("%s: %d links, %g s\n", machine->name, machine->count, machine->until);
    if (!sprag_machine(machine, SPRAG_MOTION_EVENTS, 1e-12, 0, reference, &seconds, why)) {
        printf("  reference: %s\n", why);
        for (int k = 0; k < 3; k++)
            reference[k] = machine->links[machine->watched].position[k];
    }
    static const double tolerances[] = {1e-6, 1e-9};
    for (int i = 0; i < 2; i++) {
        snprintf(who, sizeof who, "Sprag events %.0e", tolerances[i]);
        if (sprag_machine(machine, SPRAG_MOTION_EVENTS, tolerances[i], 0, position, &seconds, why))
            tell(who, seconds / machine->until, position, reference);
        else
            printf("  %-28s %s\n", who, why);
    }
    if (sprag_machine(machine, SPRAG_MOTION_COMPLIANT, 1e-6, 0, position, &seconds, why))
        tell("Sprag compliant 1e-6", seconds / machine->until, position, reference);
    else
        printf("  %-28s %s\n", "Sprag compliant 1e-6", why);
    static const double steps[] = {2e-3, 5e-4, 1e-4};
    for (int i = 0; i < 3; i++) {
        snprintf(who, sizeof who, "Sprag stepping %.0e s", steps[i]);
        if (sprag_machine(machine, SPRAG_MOTION_STEPPING, 1e-9, steps[i], position, &seconds, why))
            tell(who, seconds / machine->until, position, reference);
        else
            printf("  %-28s %s\n", who, why);
#ifdef HAS_MUJOCO
        snprintf(who, sizeof who, "MuJoCo RK4 %.0e s", steps[i]);
        if (mujoco_machine(machine, steps[i], position, &seconds))
            tell(who, seconds / machine->until, position, reference);
#endif
        snprintf(who, sizeof who, "Bullet %.0e s", steps[i]);
        if (bullet_machine(machine, steps[i], position, &seconds))
            tell(who, seconds / machine->until, position, reference);
    }
}

int main(void)
{
    Machine machines[3] = {make_arm(), make_hand(), make_chain()};
    for (int i = 0; i < 3; i++)
        measure(&machines[i]);
    return 0;
}
