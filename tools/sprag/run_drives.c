// run_drives.c: what drives and motors of a run needed: their largest force and their work.
// The work is the integral of force times velocity along the joint over the pieces of the run, by
// Gauss's rule with three points: forces jump at the ends of pieces only.
#include <math.h>
#include <string.h>

#include "print.h"
#include "run.h"

// A joint that is driven, or has a motor.
static bool is_driven(const SpragModel *model, int joint)
{
    bool driven = model->joints[joint].driven;
    for (int i = 0; i < model->controller_count; i++)
        driven |= model->controllers[i].joint == joint;
    return driven;
}

static bool any_driven(const SpragModel *model)
{
    for (int i = 0; i < model->joint_count; i++)
        if (is_driven(model, i))
            return true;
    return false;
}

SpragStatus run_drives_begin(RunReport *report)
{
    if (!any_driven(report->model))
        return SPRAG_OK;
    size_t count = (size_t)report->model->joint_count;
    report->drives = sprag_alloc(report->context, count, sizeof *report->drives);
    if (!report->drives)
        return SPRAG_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++)
        report->drives[i] = (RunDrive){.peak = 0};
    return SPRAG_OK;
}

void run_drives_hear(const RunReport *report, const SpragRunSample *sample, double weight)
{
    for (int i = 0; report->drives && sample->joints && i < report->model->joint_count; i++) {
        RunDrive *drive = &report->drives[i];
        const SpragJointState *joint = &sample->joints[i];
        if (fabs(joint->force) > fabs(drive->peak)) {
            drive->peak = joint->force;
            drive->peak_time = sample->t;
        }
        drive->work += weight * joint->force * joint->velocity[0];
    }
}

int run_drives_piece(const RunReport *report, SpragRun *run, double from, double to)
{
    static const double at[3] = {-0.7745966692414834, 0, 0.7745966692414834};
    static const double weight[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
    double half = (to - from) / 2;
    for (int k = 0; report->drives && k < 3; k++) {
        const SpragRunSample *sample;
        if (sprag_run_probe(run, from + half * (1 + at[k]), &sample) != SPRAG_OK)
            return 1;
        if (sample)
            run_drives_hear(report, sample, half * weight[k]);
    }
    return 0;
}

static bool is_straight(SpragJointKind kind)
{
    return kind == SPRAG_JOINT_PRISMATIC || kind == SPRAG_JOINT_DISTANCE;
}

void run_drives_text(const RunReport *report, SpragText *text)
{
    static const char *const heads[] = {"joint", "largest", "unit", "at [s]", "work [J]"};
    const SpragModel *model = report->model;
    Table table;
    if (!report->drives)
        return;
    table_init(&table, report->context, "lrlrr");
    table_add_heads(&table, heads);
    for (int i = 0; i < model->joint_count; i++) {
        if (!is_driven(model, i))
            continue;
        table_add(&table, "%s", model->joints[i].name);
        table_add_number(&table, report->drives[i].peak);
        table_add(&table, is_straight(model->joints[i].kind) ? "N" : "N m");
        table_add(&table, "%.6g", report->drives[i].peak_time);
        table_add_number(&table, report->drives[i].work);
    }
    sprag_text_add(text, "\nforces along driven joints\n");
    table_print(&table, text);
    table_destroy(&table);
}

void run_drives_json(const RunReport *report, Json *json)
{
    if (!report->drives)
        return;
    json_begin_object(json, "drives");
    for (int i = 0; i < report->model->joint_count; i++) {
        if (!is_driven(report->model, i))
            continue;
        json_begin_flat_object(json, report->model->joints[i].name);
        json_number(json, "peak", report->drives[i].peak);
        json_number(json, "t", report->drives[i].peak_time);
        json_number(json, "work", report->drives[i].work);
        json_end_object(json);
    }
    json_end_object(json);
}
